//! Biome tables, climate and moisture, against document 003 and known facts about Earth.

use std::sync::Arc;

use talweg::appearance::{BiomeModel, Biomes, Paint, PaletteTable, SiteConditions, TypeMap, Units, colours, relief};
use talweg::appearance_files::{BIOME_PREFIX, BiomeTable, GroundType, HeightLevel, HeightUnits, biome_names};
use talweg::field::globe::{from_angles, longitude};
use talweg::field::{Control, Edges, Globe, Grid, Terrain};
use talweg::planet::climate::{Climate, ClimateTerrain, TerrainClimate, Warmth};
use talweg::scene::{Scene, Settings};

/// The document's map: heights are grey levels, with a relief of 255 and the sea at 100.
fn document() -> (Scene, BiomeModel) {
    let mut scene = Scene { palette: "biome:petitprez".into(), ..Scene::default() };
    (scene.settings.relief_metres, scene.settings.sea_level) = (255.0, 100.0);
    let table = BiomeTable::named("petitprez").unwrap();
    let units = Units::new(table.heights, 255.0, 100.0, 512.0);
    (scene, BiomeModel::new(table, &units))
}

/// Name of the ground type with the greatest weight.
fn most(law: &BiomeModel, place: SiteConditions) -> String {
    let weights = law.weights(&place);
    let sum: f32 = weights.iter().sum();
    assert!((sum - 1.0).abs() < 1e-5, "weights sum to {sum} at {place:?}");
    let best = (0..weights.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap();
    BiomeTable::named("petitprez").unwrap().types[best].name.clone()
}

#[test]
fn the_documents_parameters_give_its_zones() {
    let (scene, law) = document();
    // Level terrain at several heights on a map from pole to pole, with 1 m per level.
    let at = |v: f32, level: f32| {
        let terrain = Terrain::from_fn(65, Edges::Open, |_, _| level / 255.0);
        let paint = Paint::new(&terrain, &scene.settings, &Biomes::for_scene(&scene).unwrap());
        paint.conditions_on_square(&terrain, 0.5, v)
    };
    let equator = at(0.5, 130.0);
    assert!((equator.celsius - (50.0 - 0.1 * 30.0)).abs() < 1e-3, "the document's t: {equator:?}");
    assert_eq!(most(&law, equator), "Desert");
    for v in [0.0, 1.0] {
        let pole = at(v, 105.0);
        assert!((pole.celsius - (-20.0 - 0.5)).abs() < 1e-3, "{pole:?}");
        // The loop skips the first few levels above the sea. There grass, with the wide tolerance of the document, is
        // still as likely as snow.
        for level in [20.0, 75.0, 100.0, 110.0, 130.0, 200.0] {
            assert_eq!(most(&law, at(v, level)), "Snow", "level {level} at the pole");
        }
    }
    // At latitude 62.8° the document's temperature is cos 62.8° · 70 - 20 = 12 °C: grass grows at the shore.
    assert_eq!(most(&law, at(0.5 + 0.349, 101.0)), "Grass");
    assert_eq!(most(&law, at(0.5 - 0.405, 101.0)), "Tundra");
    assert_eq!(most(&law, at(0.5, 100.0)), "Shallow water");
    assert_eq!(most(&law, at(0.5, 75.0)), "Deep water");
    assert_eq!(most(&law, at(0.5, 0.0)), "Very deep water");
}

#[test]
fn water_is_only_at_or_below_the_sea_and_land_only_above() {
    let (_, law) = document();
    let names: Vec<String> = BiomeTable::named("petitprez").unwrap().types.iter().map(|t| t.name.clone()).collect();
    for celsius in [-20.0, 0.0, 18.0, 50.0] {
        for level in [0.0f32, 50.0, 99.9, 100.0, 100.1, 130.0, 255.0] {
            let weights = law.weights(&SiteConditions { celsius, height: level, slope: 0.0, moisture: 0.5 });
            for (name, weight) in names.iter().zip(weights) {
                if name.contains("water") && level > 100.0 {
                    assert_eq!(weight, 0.0, "{name} at {level}");
                }
                if !name.contains("water") && name != "Snow" && level <= 100.0 {
                    assert_eq!(weight, 0.0, "{name} at {level}");
                }
            }
        }
    }
}

#[test]
fn the_law_matches_the_document_without_disabled_axes() {
    let (_, law) = document();
    let table = BiomeTable::named("petitprez").unwrap();
    let place = SiteConditions { celsius: 14.0, height: 103.0, slope: 1.5, moisture: 0.3 };
    // The document's formula as printed, in double precision.
    let p = |kind: &GroundType| {
        let far = |optimum: f32, tolerance: f32, x: f32| f64::from((optimum - x).abs()) / f64::from(tolerance);
        let may = kind.above.is_none_or(|l| place.height > l.height(100.0))
            && kind.below.is_none_or(|l| place.height <= l.height(100.0));
        let t = kind.temperature.map_or(0.0, |b| far(b.optimum, b.tolerance, place.celsius));
        let h = kind.height.map_or(0.0, |b| far(b.optimum.height(100.0), b.tolerance, place.height));
        let s = kind.slope.map_or(0.0, |b| far(b.optimum, b.tolerance, place.slope));
        if may { (-(t + h + s)).exp() } else { 0.0 }
    };
    let all: Vec<f64> = table.types.iter().map(p).collect();
    let sum: f64 = all.iter().sum();
    for (weight, exact) in law.weights(&place).iter().zip(&all) {
        assert!((f64::from(*weight) - exact / sum).abs() < 1e-5, "{weight}, not {}", exact / sum);
    }
    let colour = law.colour(&place);
    #[allow(clippy::needless_range_loop, reason = "three colours are summed side by side")]
    for channel in 0..3 {
        let mixed: f64 = table.types.iter().zip(&all).map(|(t, p)| p / sum * f64::from(t.colour[channel])).sum();
        assert!((f64::from(colour[channel]) - mixed).abs() < 0.01);
    }
    // The weight of snow depends only on the temperature.
    let snow = |height, slope| law.weights(&SiteConditions { celsius: -90.0, height, slope, moisture: 0.9 })[6];
    assert!(snow(0.0, 0.0) > 0.9 && snow(250.0, 80.0) > 0.9);
    assert_eq!(
        law.weights(&place),
        law.weights(&SiteConditions { moisture: 0.99, ..place }),
        "no moisture in the document"
    );
}

#[test]
fn the_nearest_type_is_used_where_limits_exclude_all() {
    let table = BiomeTable {
        types: vec![
            GroundType { below: Some(HeightLevel::At(-10.0)), ..GroundType::new("Low", [10, 0, 0]) },
            GroundType { above: Some(HeightLevel::At(10.0)), ..GroundType::new("High", [30, 0, 0]) },
        ],
        ..BiomeTable::clone(BiomeTable::named("earth").unwrap())
    };
    let law = BiomeModel::new(&table, &Units::new(HeightUnits::Metres, 100.0, 0.0, 1000.0));
    assert_eq!(law.weights(&SiteConditions::default()), [0.5, 0.5]);
    assert_eq!(law.colour(&SiteConditions::default())[0], 20.0);
}

#[test]
fn shipped_tables_read_back_from_their_own_text() {
    let names = biome_names();
    for name in ["petitprez", "earth", "mars", "moon", "ice", "lava"] {
        assert!(names.iter().any(|n| n == name), "{name} is missing");
        let table = BiomeTable::named(&format!("{BIOME_PREFIX}{name}")).unwrap();
        let again = BiomeTable::from_ron(name, &table.to_ron()).unwrap();
        assert_eq!(**table, again, "{name}");
    }
    assert_eq!(BiomeTable::named("petitprez").unwrap().types.len(), 9);
    assert!(BiomeTable::named("pluto").is_none());
}

#[test]
fn errors_say_line_column_and_what_to_do() {
    let read = |text: &str| BiomeTable::from_ron("mine", text).unwrap_err().to_string();
    let with =
        |inside: &str| read(&format!("(label: \"x\", types: [\n  (name: \"A\", colour: \"#000000\", {inside})])"));
    assert!(read("(label: \"x\",\n types: [(name: \"A\", colour: \"red\")])").contains("#rrggbb"));
    let tolerance = with("slope: (optimum: 1, tolerance: 0)");
    assert!(
        tolerance.contains("line 2") && tolerance.contains("tolerance") && tolerance.contains("column"),
        "{tolerance}"
    );
    assert!(with("hight: (optimum: 1, tolerance: 1)").contains("hight"));
    assert!(with("slope: (optimum: inf, tolerance: 1)").contains("-1000000"));
    assert!(read("(label: \"x\", types: [])").contains("at least one"));
    assert!(read("(label: \"x\", types: [(name: \" \", colour: \"#000000\")])").contains("name"));
    assert!(read("(label: \"x\", types: [(name: \"A\"").contains("line 1"));
}

#[test]
fn a_scene_keeps_its_table_and_climate() {
    let mut scene = Scene { palette: "biome:earth".into(), ..Scene::default() };
    assert!(!scene.to_ron().unwrap().contains("climate"), "climate values of the table are not saved");
    scene.set("climate.latitude=12").unwrap();
    let mut own = BiomeTable::clone(BiomeTable::named("earth").unwrap());
    own.types.push(GroundType::new("Moss", [1, 2, 3]));
    scene.biomes = Some(Arc::new(own));
    let (again, warnings) = Scene::from_ron(&scene.to_ron().unwrap()).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(scene, again);
    assert_eq!(again.climate().latitude, 12.0);
    assert_eq!(again.biome_table().unwrap().types.last().unwrap().name, "Moss");
    let (mended, warnings) =
        Scene::from_ron("(version: 1, palette: \"biome:pluto\", climate: (latitude: 700))").unwrap();
    assert_eq!((mended.palette.as_str(), mended.climate.unwrap().latitude), ("alpine", 90.0));
    assert!(warnings.iter().any(|w| w.0.contains("biome:earth")) && warnings.iter().any(|w| w.0.contains("latitude")));
    assert!(Scene::from_ron("(version: 1, biomes: (label: \"x\", types: []))").is_err());
    assert!(scene.set("climate.rain=99").unwrap_err().to_string().contains("0 to 10"));
}

fn ground(terrain: &Terrain) -> ClimateTerrain<'_> {
    ClimateTerrain { terrain, relief_metres: 2000.0, sea_metres: 0.0, side_metres: 50_000.0 }
}

#[test]
fn the_lee_of_a_ridge_is_drier_than_its_front() {
    let ridge = |edges| Terrain::from_fn(129, edges, |u, _| (1.0 - ((u - 0.5) / 0.15).abs()).max(0.0) + 0.01);
    for edges in [Edges::Open, Edges::Wrap] {
        for (from, windward, lee) in [(270.0, 0.3, 0.7), (90.0, 0.7, 0.3)] {
            let climate = Climate { wind_from: from, patchiness: 0.0, ..Climate::default() };
            let terrain = ridge(edges);
            let weather = TerrainClimate::new(&climate, &ground(&terrain));
            let wet = |u| weather.at_place(u, 0.5, 0.0).moisture;
            assert!(wet(lee) < 0.75 * wet(windward), "{edges:?} {from}: {} and {}", wet(windward), wet(lee));
        }
    }
}

#[test]
fn coasts_are_wetter_than_inland_and_rain_scales() {
    let terrain = Terrain::from_fn(65, Edges::Open, |u, _| if u < 0.4 { -0.1 } else { 0.02 });
    let weather = |climate: Climate| TerrainClimate::new(&climate, &ground(&terrain));
    let usual = weather(Climate::default());
    let wet = |weather: &TerrainClimate, u| weather.at_place(u, 0.5, 0.0).moisture;
    assert!(wet(&usual, 0.45) > wet(&usual, 0.95));
    let dry = weather(Climate { rain: 0.0, ..Climate::default() });
    assert_eq!(wet(&dry, 0.6), 0.0);
    // It is drier under the sinking air at 28° than at the equator and at 60°.
    let at = |latitude| wet(&weather(Climate { latitude, ..Climate::default() }), 0.6);
    assert!(at(28.0) < 0.6 * at(0.0) && at(28.0) < 0.75 * at(58.0) && at(-28.0) == at(28.0));
}

#[test]
fn seasons_warm_one_half_and_cool_the_other() {
    let terrain = Terrain::from_fn(33, Edges::Open, |_, _| 0.01);
    let at = |season: f32, latitude: f32| {
        let climate = Climate { warmth: Warmth::Season, season, latitude, ..Climate::default() };
        TerrainClimate::new(&climate, &ground(&terrain)).at_place(0.5, 0.5, 0.0).celsius
    };
    assert!(at(90.0, 50.0) > at(270.0, 50.0) + 12.0, "{} {}", at(90.0, 50.0), at(270.0, 50.0));
    assert!((at(90.0, 50.0) - at(270.0, -50.0)).abs() < 0.1, "the seasons of the hemispheres are opposite");
    assert!((at(0.0, 0.0) - 27.0).abs() < 8.0);
}

#[test]
fn threads_change_no_bit_of_pictures_and_colours() {
    let terrain = Terrain::from_fn(200, Edges::Open, |u, v| 0.4 * libm::sinf(9.0 * u) * libm::cosf(7.0 * v) + 0.1);
    let scene = Scene { palette: "biome:earth".into(), ..Scene::default() };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let picture =
                relief(&terrain, &scene.settings, &PaletteTable::for_scene(&scene), [96; 2], &Control::default())
                    .unwrap();
            (colours(&terrain, &scene, &Control::default()).unwrap().unwrap(), picture)
        })
    };
    assert_eq!(with(1), with(2));
    assert!(
        colours(&terrain, &Scene::default(), &Control::default()).unwrap().is_none(),
        "a palette is not a biome table"
    );
}

#[test]
fn a_preview_has_the_biomes_of_the_result() {
    let form = |u: f32, v: f32| 0.5 * libm::sinf(5.0 * u) * libm::sinf(4.0 * v) + 0.1;
    let scene = Scene { palette: "biome:earth".into(), ..Scene::default() };
    let painted =
        |n: usize| colours(&Terrain::from_fn(n, Edges::Open, form), &scene, &Control::default()).unwrap().unwrap();
    let (few, many) = (painted(129), painted(513));
    let mut off = 0u32;
    for (i, j) in (0..129).flat_map(|i| (0..129).map(move |j| (i, j))) {
        let (a, b) = (few[i * 129 + j], many[4 * i * 513 + 4 * j]);
        off += (0..3).map(|k| u32::from(a[k].abs_diff(b[k]))).sum::<u32>();
    }
    let mean = off as f32 / (129.0 * 129.0 * 3.0);
    assert!(mean < 4.0, "colours differ by {mean} of 255 in the mean");
}

#[test]
fn extreme_terrains_and_climates_give_colours() {
    let odd = [0.0, 1e9, -1e9, 3.4e38, f32::NAN];
    let terrain = Terrain::from_fn(9, Edges::Wrap, |u, v| odd[((u + 2.0 * v) * 8.0) as usize % 5]);
    for name in biome_names() {
        for (cold, rain) in [(-270.0, 0.0), (2000.0, 10.0)] {
            let mut scene = Scene { palette: format!("{BIOME_PREFIX}{name}"), ..Scene::default() };
            let climate = Climate { equator_temperature: cold, rain, cooling: 1000.0, ..scene.climate() };
            scene.climate = Some(climate);
            let paint = Paint::new(&terrain, &scene.settings, &Biomes::for_scene(&scene).unwrap());
            assert_eq!(paint.colours(&terrain, &Control::default()).unwrap().len(), 81);
        }
    }
    let control = Control::default();
    control.cancel();
    let scene = Scene { palette: "biome:earth".into(), ..Scene::default() };
    let paint = Paint::new(&terrain, &Settings::default(), &Biomes::for_scene(&scene).unwrap());
    assert!(paint.colours(&terrain, &control).is_err());
    assert_eq!(Grid::new(9, Edges::Wrap), terrain.grid);
}

/// Two continents from pole to pole, each 40° of longitude wide, on a planet that is mostly sea.
fn planet(resolution: u32) -> (Scene, Terrain) {
    let mut scene = Scene { palette: "biome:earth".into(), ..Scene::default() };
    scene.set("scene.world=Planet").unwrap();
    (scene.settings.resolution, scene.settings.relief_metres) = (resolution, 8000.0);
    let grid = scene.grid(scene.samples());
    let globe = Globe::new(grid.samples);
    let mut terrain = Terrain::flat(grid);
    for k in 0..grid.len() {
        let east = longitude(globe.direction_of(k).map(f64::from)).to_degrees();
        terrain.height[k] = if east.abs() < 20.0 || east.abs() > 160.0 { 0.03 } else { -0.4 };
    }
    globe.grid().close(&mut terrain.height);
    (scene, terrain)
}

#[test]
fn a_planet_has_wet_tropics_dry_subtropics_and_white_poles() {
    let (scene, terrain) = planet(65);
    let climate = Climate { patchiness: 0.0, ..scene.climate() };
    let ground =
        ClimateTerrain { terrain: &terrain, relief_metres: 8000.0, sea_metres: 0.0, side_metres: scene.side_metres() };
    let weather = TerrainClimate::new(&climate, &ground);
    let at = |latitude: f64, longitude: f64| {
        let direction = from_angles(latitude.to_radians(), longitude.to_radians());
        weather.at_direction(direction.map(|x| x as f32), 240.0)
    };
    for half in [1.0, -1.0] {
        assert!(at(28.0 * half, 0.0).moisture < 0.5 * at(0.0, 0.0).moisture, "{half}");
        assert!(at(28.0 * half, 0.0).moisture < 0.7 * at(52.0 * half, 0.0).moisture, "{half}");
        // Trade winds blow from the east, westerlies from the west.
        assert!(at(14.0 * half, 15.0).moisture > 1.1 * at(14.0 * half, -15.0).moisture, "{half}");
        assert!(at(46.0 * half, -15.0).moisture > 1.1 * at(46.0 * half, 15.0).moisture, "{half}");
    }
    // The map has 27 °C at the equator and -20 °C at the poles, minus 6.5 °C per kilometre of height.
    assert!((at(0.0, 0.0).celsius - (27.0 - 0.24 * 6.5)).abs() < 0.01);
    assert!((at(90.0, 0.0).celsius - (-20.0 - 0.24 * 6.5)).abs() < 0.01);
    let colours = colours(&terrain, &scene, &Control::default()).unwrap().unwrap();
    let globe = Globe::new(65);
    let seen = |latitude: f64, longitude: f64, channel: usize| {
        let field: Vec<f32> = colours.iter().map(|rgba| f32::from(rgba[channel])).collect();
        globe.sample(&field, from_angles(latitude.to_radians(), longitude.to_radians()))
    };
    // Sea ice and ice caps near the poles; open sea and forest at the equator.
    assert!(seen(85.0, 90.0, 0) > 190.0 && seen(-85.0, 0.0, 0) > 190.0);
    assert!(seen(0.0, 90.0, 0) < 60.0 && seen(0.0, 90.0, 2) > 60.0);
    assert!(seen(2.0, 12.0, 1) > seen(2.0, 12.0, 0) + 10.0, "green");
    assert!(seen(28.0, -8.0, 0) > seen(28.0, -8.0, 2) + 30.0, "sand");
}

#[test]
fn a_planet_has_no_seams_and_threads_change_no_bit() {
    let (scene, terrain) = planet(33);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| colours(&terrain, &scene, &Control::default()).unwrap().unwrap())
    };
    let one = with(1);
    assert_eq!(one, with(2));
    let globe = Globe::new(33);
    for k in 0..globe.len() {
        assert_eq!(one[k], one[globe.grid().owner(k)], "a copy has the colour of its owner");
    }
}

/// Exported and measured climates equal the climates that the biomes use, except where the biomes add a random
/// deviation.
#[test]
fn fields_are_the_climate_of_every_sample_without_seams() {
    let (mut scene, terrain) = planet(33);
    scene.climate = Some(Climate { warmth: Warmth::Season, ..scene.climate() });
    let control = Control::default();
    let celsius = scene.climate_fields(&terrain, &control).unwrap().celsius;
    let moisture = scene.climate_fields(&terrain, &control).unwrap().moisture;
    let weather = TerrainClimate::new(&scene.seasonal_climate(), &scene.climate_terrain(&terrain));
    let globe = Globe::new(33);
    for k in 0..globe.len() {
        let feel = weather.at_direction(globe.direction_of(k), terrain.height[k] * 8000.0);
        assert_eq!((celsius[k], moisture[k]), (feel.celsius, feel.moisture), "{k}");
        assert_eq!(celsius[k], celsius[globe.grid().owner(k)]);
    }
    let flat = Scene { palette: "biome:earth".into(), ..Scene::default() };
    let ground = Terrain::from_fn(17, Edges::Open, |u, v| u * v);
    let celsius = flat.climate_fields(&ground, &control).unwrap().celsius;
    let weather = TerrainClimate::new(&flat.seasonal_climate(), &flat.climate_terrain(&ground));
    let relief = flat.settings.relief_metres;
    assert_eq!(celsius[18], weather.at_place(1.0 / 16.0, 1.0 / 16.0, ground.height[18] * relief).celsius);
    // The temperature falls by 6.5 °C per kilometre.
    let rise = celsius[0] - celsius[17 * 17 - 1];
    assert!((rise - 6.5e-3 * (relief - flat.settings.sea_level)).abs() < 0.01, "{rise}");
    control.cancel();
    assert!(scene.climate_fields(&terrain, &control).is_err());
}

/// Areas of snow and ice on land, and of sea ice, each in the north and in the south.
fn white(scene: &Scene, terrain: &Terrain) -> [[f64; 2]; 2] {
    let map = TypeMap::for_scene(scene, terrain, &Control::default()).unwrap().unwrap();
    let globe = Globe::new(terrain.samples());
    let areas = globe.areas();
    let number = |name: &str| map.legend.iter().find(|entry| entry.name == name).unwrap().index;
    [number("Ice"), number("Sea ice")].map(|kind| {
        let mut halves = [0.0; 2];
        for k in (0..globe.len()).filter(|&k| globe.grid().owns(k) && map.types[k] == kind) {
            halves[usize::from(globe.direction_of(k)[2] < 0.0)] += f64::from(areas[k % areas.len()]);
        }
        halves.map(|area| area / globe.grid().distinct_len() as f64)
    })
}

#[test]
fn snow_and_sea_ice_change_hemispheres_with_the_season() {
    let (mut scene, terrain) = planet(65);
    scene.climate = Some(Climate { warmth: Warmth::Season, patchiness: 0.0, ..scene.climate() });
    let mut at = |tilt: f32, season: f32| {
        (scene.planet.axial_tilt, scene.planet.season) = (tilt, season);
        let celsius = scene.climate_fields(&terrain, &Control::default()).unwrap().celsius;
        (white(&scene, &terrain), celsius)
    };
    let ([snow_june, ice_june], june) = at(23.4, 90.0);
    let ([snow_december, ice_december], december) = at(23.4, 270.0);
    println!("June: snow {snow_june:?}, sea ice {ice_june:?}; December: {snow_december:?}, {ice_december:?}");
    for (june, december) in [(snow_june, snow_december), (ice_june, ice_december)] {
        // Summer in the north is winter in the south, and vice versa.
        assert!(december[0] > 1.3 * june[0] && june[1] > 1.3 * december[1], "{june:?}, {december:?}");
        // The planet's northern and southern hemispheres mirror each other.
        assert!((june[0] - december[1]).abs() < 0.2 * june[0].max(december[1]) + 0.002, "{june:?}, {december:?}");
    }
    // Spring has the same temperature as autumn, between those of summer and winter.
    let (_, march) = at(23.4, 0.0);
    let (_, september) = at(23.4, 180.0);
    let apart = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(apart(&march, &september) < 0.01 && apart(&june, &december) > 10.0);
    // A planet with an upright axis has no seasons.
    let (white_june, june) = at(0.0, 90.0);
    let (white_december, december) = at(0.0, 270.0);
    assert_eq!(white_june, white_december);
    assert_eq!(june, december);
}
