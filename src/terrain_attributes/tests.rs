//! Attributes of terrains whose values are known.

use std::f32::consts::PI;

use super::*;
use crate::field::{Edges, Grid, MapKind, Stream};
use crate::nodes::water::flow::FlowAccumulation;
use crate::nodes::{Context, Filter, Node};
use crate::planet::World;
use crate::scene::{Layer, Settings};

const SAMPLES: usize = 129;

/// A scene of 1280 m with heights of 1000 m, so that a cell of 129 samples is 10 m wide.
fn scene() -> Scene {
    let mut scene = Scene::default();
    (scene.settings.size_metres, scene.settings.relief_metres) = (1280.0, 1000.0);
    scene.settings.resolution = SAMPLES as u32;
    scene
}

/// A terrain of this scene; `metres` is the height at x metres to the east and y metres to the south of the centre.
fn terrain(metres: impl Fn(f32, f32) -> f32) -> Terrain {
    Terrain::from_fn(SAMPLES, Edges::Open, |u, v| metres((u - 0.5) * 1280.0, (v - 0.5) * 1280.0) / 1000.0)
}

fn field(scene: &Scene, terrain: &Terrain, attribute: TerrainAttribute) -> Vec<f32> {
    attribute_field(scene, terrain, attribute, &Control::default()).unwrap()
}

/// The sample at x metres to the east and y metres to the south of the centre.
fn place(x: i32, y: i32) -> usize {
    ((y + 640) / 10) as usize * SAMPLES + ((x + 640) / 10) as usize
}

fn assert_near(found: f32, expected: f32, tolerance: f32) {
    assert!((found - expected).abs() <= tolerance, "{found}, not {expected}");
}

#[test]
fn aspects_of_planes_point_down_the_slope() {
    // The height falls towards each direction of the compass in turn.
    let directions = [(0.0, -1.0, 0.0), (1.0, -1.0, 45.0), (1.0, 0.0, 90.0), (0.0, 1.0, 180.0), (-1.0, 0.0, 270.0)];
    for (east, south, degrees) in directions {
        let plane = terrain(|x, y| 500.0 - 0.2 * (east * x + south * y));
        for aspect in field(&scene(), &plane, TerrainAttribute::Aspect) {
            assert_near(aspect, degrees, 0.01);
        }
    }
    let level = terrain(|_, _| 250.0);
    assert!(field(&scene(), &level, TerrainAttribute::Aspect).iter().all(|&aspect| aspect == -1.0));
}

#[test]
fn a_plane_has_its_slope_and_no_curvature() {
    let plane = terrain(|x, y| 500.0 + 0.3 * x - 0.4 * y);
    for slope in field(&scene(), &plane, TerrainAttribute::Slope) {
        assert_near(slope, 26.565, 0.02);
    }
    use TerrainAttribute::{MeanCurvature, PlanCurvature, ProfileCurvature, TangentialCurvature};
    for kind in [MeanCurvature, ProfileCurvature, PlanCurvature, TangentialCurvature] {
        assert!(field(&scene(), &plane, kind).iter().all(|curvature| curvature.abs() < 2e-5), "{kind:?}");
    }
}

/// On a cone with the slope m, contours are circles and lines of descent are straight.
#[test]
fn a_cone_has_the_curvature_of_its_contours() {
    let slope = 0.5f32;
    let cone = terrain(|x, y| 700.0 - slope * (x * x + y * y).sqrt());
    let of = |kind| field(&scene(), &cone, kind);
    let (plan, profile) = (of(TerrainAttribute::PlanCurvature), of(TerrainAttribute::ProfileCurvature));
    let (tangential, mean) = (of(TerrainAttribute::TangentialCurvature), of(TerrainAttribute::MeanCurvature));
    for (x, y) in [(300, 0), (0, -400), (240, 320), (-200, 210)] {
        let (k, radius) = (place(x, y), ((x * x + y * y) as f32).sqrt());
        assert_near(plan[k] * radius, 1.0, 0.01);
        assert_near(profile[k] * radius, 0.0, 0.01);
        // The normal of the cone leans by the slope angle.
        assert_near(tangential[k] * radius, slope / (1.0 + slope * slope).sqrt(), 0.01);
        assert_near(mean[k], 0.5 * (profile[k] + tangential[k]), 1e-6);
    }
    // In a hollow of the same shape, contours turn the other way.
    let hollow = terrain(|x, y| 100.0 + slope * (x * x + y * y).sqrt());
    assert_near(field(&scene(), &hollow, TerrainAttribute::PlanCurvature)[place(300, 0)] * 300.0, -1.0, 0.01);
}

/// On the parabola z = -c x², the profile curvature is that of the curve, and contours are straight.
#[test]
fn a_parabola_has_the_curvature_of_its_profile() {
    let c = 0.0005f32;
    let ridge = terrain(|x, _| 400.0 - c * x * x);
    let (profile, plan) = (
        field(&scene(), &ridge, TerrainAttribute::ProfileCurvature),
        field(&scene(), &ridge, TerrainAttribute::PlanCurvature),
    );
    for x in [100, 250, -400] {
        let tangent = 2.0 * c * x as f32;
        let steep = (1.0 + tangent * tangent).sqrt();
        assert_near(profile[place(x, 0)] / (2.0 * c / (steep * steep * steep)), 1.0, 0.02);
        assert_near(plan[place(x, 0)], 0.0, 1e-5);
    }
}

/// The plan curvature grows without bound towards level ground, where the grid cannot show the contours any more.
#[test]
fn plan_curvature_is_limited_to_one_per_cell() {
    let dome = terrain(|x, y| 600.0 - 1e-5 * ((x - 3.0) * (x - 3.0) + (y + 2.0) * (y + 2.0)));
    let plan = field(&scene(), &dome, TerrainAttribute::PlanCurvature);
    assert!(plan.iter().all(|curvature| curvature.abs() <= 0.1));
}

#[test]
fn drainage_of_a_plane_grows_by_a_cell_each_row() {
    // Water runs due south: each cell drains the column north of it. The cells of the northern edge are outlets.
    let plane = terrain(|_, y| 500.0 - 0.25 * y);
    let (areas, wetness) =
        (field(&scene(), &plane, TerrainAttribute::DrainageArea), field(&scene(), &plane, TerrainAttribute::Wetness));
    for row in 0..SAMPLES {
        let (k, cells) = (row * SAMPLES + 64, row.max(1) as f32);
        assert_near(areas[k], cells * 100.0, 0.01);
        // a = cells · 100 m² / 10 m, tan β = 0.25
        assert_near(wetness[k], libm::logf(cells * 10.0 / 0.25), 1e-3);
    }
}

/// A closed basin: its water leaves over the lowest point of the rim, so that point drains the whole basin.
#[test]
fn a_closed_basin_drains_over_its_lowest_rim() {
    let basin = terrain(|x, y| {
        let distance = (x * x + y * y).sqrt();
        let rim = 300.0 - (distance - 400.0).abs() * 0.5;
        // A notch in the rim towards the east.
        if x > 0.0 && y.abs() < 6.0 { rim.min(280.0 - 0.02 * x) } else { rim }
    });
    let areas = field(&scene(), &basin, TerrainAttribute::DrainageArea);
    let inside = PI * 400.0 * 400.0;
    let spill = areas[place(400, 0)];
    assert!((0.95 * inside..1.1 * inside).contains(&spill), "{spill} of {inside}");
    // All water leaves at the edges: they drain the whole square.
    let is_edge = |k: &usize| [0, SAMPLES - 1].iter().any(|&end| k / SAMPLES == end || k % SAMPLES == end);
    let all: f64 = (0..SAMPLES * SAMPLES).filter(is_edge).map(|k| f64::from(areas[k])).sum();
    assert!((all / (129.0 * 129.0 * 100.0) - 1.0).abs() < 1e-3, "{all}");
}

#[test]
fn computed_flow_has_the_bits_of_a_flow_layer() {
    let mut hills = terrain(|x, y| 300.0 + 90.0 * libm::sinf(x * 0.013) * libm::cosf(y * 0.009) + 0.05 * x);
    let mut scene = scene();
    scene.settings.sea_level = 250.0;
    let control = Control::default();
    let computed = drainage::flow(&scene, &hills, &control).unwrap();
    let cx = Context {
        grid: hills.grid,
        size_metres: 1280.0,
        relief_metres: 1000.0,
        sea_level: 0.25,
        planet: None,
        scene_samples: SAMPLES,
        cell_ratio: 1.0,
        voids: scene.settings.voids,
        random: Stream::new(3, 4),
        control: &control,
    };
    FlowAccumulation { sea_level: 250.0, ..FlowAccumulation::default() }.apply(&cx, &mut hills).unwrap();
    assert_eq!(hills.map(MapKind::Flow), Some(&computed));
    // The map of a layer keeps precedence.
    hills.map_mut(MapKind::Flow).fill(7.0);
    assert!(drainage::flow(&scene, &hills, &control).unwrap().iter().all(|&flow| flow == 7.0));
    assert!(field(&scene, &hills, TerrainAttribute::DrainageArea).iter().all(|&area| area == 700.0));
}

#[test]
fn a_flow_map_without_water_gives_finite_wetness() {
    let mut plane = terrain(|x, _| 300.0 + 0.1 * x);
    plane.map_mut(MapKind::Flow).fill(0.0);
    let expected = libm::logf(10.0 / 0.1);
    field(&scene(), &plane, TerrainAttribute::Wetness).iter().for_each(|&index| assert_near(index, expected, 1e-3));
}

#[test]
fn the_sky_over_level_ground_is_whole() {
    let level = terrain(|_, _| 120.0);
    assert!(field(&scene(), &level, TerrainAttribute::SkyView).iter().all(|&sky| sky == 1.0));
    // On an inclined plane, the horizon rises to the slope on one side: the mean of cos² over that half.
    let plane = terrain(|x, _| 500.0 + 0.5 * x);
    let sky = field(&scene(), &plane, TerrainAttribute::SkyView)[place(0, 0)];
    let steps = (0..16).map(|k| libm::cosf((k as f32 + 0.5) * PI / 8.0).max(0.0) * 0.5);
    assert_near(sky, steps.map(|tangent| 1.0 / (1.0 + tangent * tangent)).sum::<f32>() / 16.0, 0.01);
}

/// Sunshine in the middle of a terrain at a latitude.
fn sunshine(latitude: f32, day: u32, attribute: TerrainAttribute, terrain: &Terrain) -> f32 {
    let settings = Settings { latitude, day, ..scene().settings };
    field(&Scene { settings, ..scene() }, terrain, attribute)[place(0, 0)]
}

#[test]
fn level_ground_has_the_day_of_its_latitude() {
    let (day, level) = (TerrainAttribute::DaySunshine, terrain(|_, _| 100.0));
    assert_near(sunshine(0.0, 80, day, &level), 12.0, 0.04);
    assert_near(sunshine(0.0, 172, day, &level), 12.0, 0.04);
    assert_eq!(sunshine(75.0, 172, day, &level), 24.0);
    assert_eq!(sunshine(75.0, 355, day, &level), 0.0);
    // cos H = -tan 46° tan 23.45° gives 15.57 h on the longest day, and the rest of 24 h on the shortest.
    assert_near(sunshine(46.0, 172, day, &level), 15.57, 0.06);
    assert_near(sunshine(46.0, 355, day, &level), 8.43, 0.06);
    // Over the year, every latitude has half of all hours.
    for latitude in [0.0, 46.0, -70.0] {
        assert_near(sunshine(latitude, 1, TerrainAttribute::YearSunshine, &level), 12.0, 0.1);
    }
}

#[test]
fn a_slope_and_a_wall_delay_the_sunrise() {
    let day = TerrainAttribute::DaySunshine;
    // On the equator at the equinox, the sun climbs 15° an hour from due east. A plane that rises to the east at 30°
    // hides it for two hours.
    let plane = terrain(|x, _| 500.0 + 0.577_35 * x);
    assert_near(sunshine(0.0, 81, day, &plane), 10.0, 0.1);
    // A wall as high as it is far away hides the sun up to 45°: three hours.
    let wall = terrain(|x, _| if x >= 300.0 { 300.0 } else { 0.0 });
    assert_near(sunshine(0.0, 81, day, &wall), 9.0, 0.3);
    // North of the equator, slopes to the south get more sun in winter than slopes to the north.
    let (south, north) = (terrain(|_, y| 500.0 - 0.6 * y), terrain(|_, y| 500.0 + 0.6 * y));
    assert!(sunshine(46.0, 355, day, &south) > 8.0);
    assert!(sunshine(46.0, 355, day, &north) < 0.5);
    assert!(sunshine(-46.0, 172, day, &south) < 0.5);
}

#[test]
fn attributes_of_a_planet_are_those_of_its_relief() {
    let mut planet = Scene { layers: vec![Layer::new(Node::named("Continents").unwrap(), 1)], ..Scene::default() };
    planet.settings.world = World::Planet;
    let grid = Grid::globe(33);
    let globe = grid.shape().unwrap();
    let mut north = Terrain::flat(grid);
    // The height falls from the north pole to the south pole, so every slope faces south.
    for k in 0..grid.len() {
        north.height[k] = globe.direction_of(k)[2];
    }
    let aspects = field(&planet, &north, TerrainAttribute::Aspect);
    for (k, aspect) in aspects.iter().enumerate().filter(|(k, _)| globe.direction_of(*k)[2].abs() < 0.99) {
        assert!((aspect - 180.0).abs() < 5.0, "{aspect} at {k}");
    }
    for &attribute in TerrainAttribute::ALL {
        let values = field(&planet, &north, attribute);
        assert_eq!(values.len(), grid.len());
        assert_eq!(values.iter().all(|value| value.is_finite()), attribute.fits(World::Planet), "{attribute:?}");
    }
    // The whole planet drains somewhere; the mean drainage area is at least that of a cell.
    let cell = 4.0 * PI * planet.planet.radius_metres * planet.planet.radius_metres / (6.0 * 32.0 * 32.0 + 2.0);
    let areas = field(&planet, &north, TerrainAttribute::DrainageArea);
    let least = areas.iter().fold(f32::INFINITY, |least, &area| least.min(area));
    assert!(least > 0.5 * cell && least < 1.5 * cell, "{least} {cell}");
}

#[test]
fn attributes_have_the_same_bits_with_any_threads() {
    let hills = terrain(|x, y| 300.0 + 90.0 * libm::sinf(x * 0.013) * libm::cosf(y * 0.009) + 0.05 * x);
    let scene = scene();
    let bits = |threads: usize| -> Vec<Vec<u32>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let of = |&kind: &TerrainAttribute| field(&scene, &hills, kind).iter().map(|value| value.to_bits()).collect();
        pool.install(|| TerrainAttribute::ALL.iter().map(of).collect())
    };
    assert!(bits(1) == bits(3));
}

#[test]
fn each_attribute_has_a_distinct_name_and_help() {
    for &attribute in TerrainAttribute::ALL {
        let same = TerrainAttribute::ALL.iter().filter(|other| other.id() == attribute.id());
        assert_eq!(same.count(), 1, "{attribute:?}");
        assert!(attribute.help().ends_with('.') && attribute.shown_unit().1 > 0.0);
    }
}
