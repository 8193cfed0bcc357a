//! Flights from orbit to eye level over several places on several planets, at several picture sizes, without a graphics
//! card. The selection of patches and the order of loading are the real ones; only the heights of a tile come from a
//! few samples instead of all. `tools/flights.py` is the long form of these tests, with pictures.

use std::collections::HashMap;
use std::sync::Arc;

use glam::{DMat4, DVec3, Vec4};

use super::detail_ground::FineTerrain;
use super::drawing::{most_slots, next_missing, room_for};
use super::tile::{GlobeTile, SIDE, STEPS};
use crate::view::globe::camera::{GlobePose, clearance};
use crate::view::globe::frame::GlobeEye;
use crate::view::globe::lod::GlobePatch;
use crate::view::globe::patches::PatchPlan;
use crate::view::globe::terrain::GlobeTerrain;
use crate::view::globe::{PlanetAppearance, Scenery};
use crate::view::lens::FIELD_OF_VIEW;
use crate::view::overlays::choice::OverlayChoice;
use crate::view::render::mesh::{PatchDetail, RenderQuality};
use talweg::appearance::PaletteTable;
use talweg::field::Control;
use talweg::field::globe::{direction_at, from_angles, locate};
use talweg::preferences::{GlobeView, PlanetProjection};

/// Heights of the flight in metres: from orbit to the eye level of a person.
const FROM_METRES: f64 = 1e7;
const TO_METRES: f64 = 1.7;

/// A planet in flight, with stand-ins for the tiles that have been loaded.
struct Flown {
    terrain: Arc<GlobeTerrain>,
    known: HashMap<GlobePatch, Arc<GlobeTile>>,
}

impl Flown {
    fn new(example: &str) -> Self {
        let scene = talweg::scene::example(example).expect("shipped").scene.clone();
        let mut store = talweg::eval::Store::forgetful();
        let terrain = talweg::eval::evaluate(&scene, 65, None, &mut store, &Control::default()).unwrap().terrain;
        let (radius, table) = (f64::from(scene.planet.radius_metres), PaletteTable::for_scene(&scene));
        let choice = OverlayChoice { biomes: table.biomes.clone(), ..OverlayChoice::default() };
        let source = (radius, Some(scene.detail_source()));
        let globe =
            GlobeTerrain::new(&terrain, &scene.settings, source, &table.into(), &choice, &Control::default()).unwrap();
        Self { terrain: Arc::new(globe), known: HashMap::new() }
    }

    fn fine(&self) -> &Arc<FineTerrain> {
        self.terrain.detail(&GlobeView::default()).expect("it has detail")
    }

    /// A tile whose height range comes from nine samples.
    fn stand_in(&self, patch: GlobePatch) -> GlobeTile {
        const HALF: usize = STEPS / 2;
        let directions: Vec<[f64; 3]> = (0..9)
            .map(|k| {
                let (u, v) = patch.face_position(f64::from(k % 3) * 0.5, f64::from(k / 3) * 0.5);
                direction_at(patch.face as usize, u, v)
            })
            .collect();
        let spacing = self.fine().spacing_metres(patch.level);
        let detail = self.fine().detail().expect("not cancelled");
        let samples = detail.samples_on_this_thread(&directions, spacing, || false).expect("not stopped");
        let nine: Vec<f32> = samples.iter().map(|sample| sample.height_metres + sample.water_metres).collect();
        let [low, high] = [f32::min, f32::max].map(|pick| nine.iter().copied().reduce(pick).unwrap_or(0.0));
        let interpolated = |k: usize| {
            let [(i, down), (j, right)] = [k / SIDE, k % SIDE].map(|at| {
                let at = at as f32 / HALF as f32;
                ((at as usize).min(1), at - at.floor().min(1.0))
            });
            let along = |row: usize| nine[3 * row + j] + (nine[3 * row + j + 1] - nine[3 * row + j]) * right;
            along(i) + (along(i + 1) - along(i)) * down
        };
        let heights: Vec<f32> = (0..SIDE * SIDE).map(interpolated).collect();
        let aside = 0.25 * (high - low) + spacing as f32;
        GlobeTile {
            patch,
            heights,
            shape: Vec::new(),
            colours: Vec::new(),
            canopy: Vec::new(),
            site: Vec::new(),
            lowest_metres: low - aside,
            highest_metres: high + aside,
        }
    }

    /// The planned image `height` metres above the ground.
    fn scenery(&self, [latitude, longitude, height, heading, pitch]: [f64; 5]) -> Scenery {
        let view = GlobeView::default();
        let direction = DVec3::from(from_angles(latitude.to_radians(), longitude.to_radians()));
        let radius = self.terrain.stand(direction, height, &view, true);
        let pose = GlobePose::straight_down(direction, radius).facing(heading.to_radians(), pitch.to_radians());
        let ground = self.terrain.ground_from(&view, pose.eye(), true);
        let above = pose.radius - ground.surface(direction);
        let exaggeration = ground.exaggeration(self.terrain.relief_metres) as f32;
        Scenery {
            projection: PlanetProjection::Globe,
            body: PlanetAppearance::default(),
            view: GlobeView { exaggeration, ..view },
            water: true,
            eye: pose.eye(),
            rotation: pose.rotation(),
            near: (0.1 * above.min(pose.radius - ground.radius - ground.range.1)).max(0.3 * clearance(&ground)),
            sun: direction,
            sun_from_eye: direction,
            sun_size: 0.0,
            sky_turn: 0.0,
            map: Default::default(),
            map_width: 1.0,
            lines: Default::default(),
        }
    }

    /// Loads level after level, as the view does, until nothing is missing. Returns the plan of the settled image.
    fn settled(&mut self, scenery: &Scenery, eye: &GlobeEye, detail: PatchDetail, room: usize) -> PatchPlan {
        let first = self.fine().first_level();
        for _ in 0..60 {
            let plan = PatchPlan::new(&self.terrain, scenery, detail, eye, room);
            let missing: Vec<GlobePatch> =
                next_missing(&plan.tiles, first, |patch| self.known.contains_key(&patch)).collect();
            if missing.is_empty() {
                return plan;
            }
            for patch in missing {
                let tile = self.stand_in(patch);
                self.known.insert(patch, Arc::new(tile));
            }
            self.fine().show(self.known.clone());
        }
        panic!("the view does not settle for the eye at {}", scenery.eye);
    }
}

fn eye_of(scenery: &Scenery, [width, height]: [u32; 2]) -> GlobeEye {
    let (width, height) = (f64::from(width), f64::from(height));
    let field = f64::from(FIELD_OF_VIEW);
    let clip = DMat4::perspective_infinite_reverse_rh(field, width / height, scenery.near.max(1e-3))
        * DMat4::from_quat(scenery.rotation.inverse());
    GlobeEye {
        clip_from_rel: clip,
        pane_from_rel: clip,
        viewport: Vec4::new(0.0, 0.0, width as f32, height as f32),
        view_width: width,
        radians_per_pixel: 2.0 * (0.5 * field).tan() / height,
        auto_stops: 0.0,
    }
}

/// The patch of a plan that contains a direction.
fn drawn_at(plan: &HashMap<GlobePatch, ()>, direction: DVec3) -> Vec<GlobePatch> {
    let (face, u, v) = locate(direction.to_array());
    let at = |level: u32| {
        let tiles = f64::from(1u32 << level);
        let place = |x: f64| ((x * tiles) as u32).min((1 << level) - 1);
        GlobePatch { level, face: face as u32, row: place(v), column: place(u) }
    };
    (0..=20).map(at).filter(|patch| plan.contains_key(patch)).collect()
}

/// Checks a settled image: no pixel of the ground lacks a patch or has two, all tiles are there, and levels meet
/// without a step. Returns the directions of the ground at some pixels.
fn check(flown: &Flown, plan: &PatchPlan, scenery: &Scenery, eye: &GlobeEye, room: usize) -> Vec<DVec3> {
    let place = format!("{} pixels wide, eye at {}", eye.view_width, scenery.eye);
    assert!(plan.tiles.len() <= room, "{} tiles for {room} slots, {place}", plan.tiles.len());
    let first = flown.fine().first_level();
    for patch in &plan.ground {
        let mut around = patch.ancestors().take_while(|patch| patch.level >= first);
        assert!(around.all(|tile| flown.known.contains_key(&tile)), "a tile of {patch:?} is missing, {place}");
    }
    let drawn: HashMap<GlobePatch, ()> = plan.ground.iter().map(|patch| (*patch, ())).collect();
    assert_eq!(drawn.len(), plan.ground.len(), "a patch is drawn twice, {place}");
    let ground = flown.terrain.ground(f64::from(scenery.view.exaggeration), &scenery.view, true);
    let (columns, rows) = (16, 9);
    let rel_from_clip = eye.clip_from_rel.inverse();
    (0..columns * rows)
        .filter_map(|k| {
            let at =
                [(k % columns, columns), (k / columns, rows)].map(|(k, of)| (k as f64 + 0.5) / of as f64 * 2.0 - 1.0);
            let far = rel_from_clip * glam::DVec4::new(at[0], at[1], 1e-9, 1.0);
            let ray = (far.truncate() / far.w).normalize();
            let direction = ground.pick(scenery.eye, ray)?.normalize();
            let own = drawn_at(&drawn, direction);
            let [patch] = own[..] else { panic!("{} patches at {direction}, {place}", own.len()) };
            // points just beyond the edges of the patch
            let step = 1e-6 / f64::from(1u32 << patch.level);
            for (u, v) in [(0.3, 0.0), (0.7, 1.0), (0.0, 0.3), (1.0, 0.7)] {
                let (border, inside) = (patch.direction(u, v), patch.direction(0.5, 0.5));
                let beyond = (border + (border - inside).normalize() * step).normalize();
                // a neighbour outside the image is not drawn
                for other in drawn_at(&drawn, beyond) {
                    assert!(patch.level.abs_diff(other.level) <= 1, "{patch:?} meets {other:?}, {place}");
                    let (fine, coarse) = (patch.level.max(other.level), patch.level.min(other.level));
                    if fine != coarse {
                        assert!(plan.range.morph(fine, border) > 0.999, "{patch:?} has a step to {other:?}, {place}");
                        assert!(plan.range.morph(coarse, border) < 0.001, "{patch:?} has a step to {other:?}, {place}");
                    }
                }
            }
            Some(direction)
        })
        .collect()
}

/// The level of detail at directions, morph included; `None` where no patch is drawn.
fn levels(plan: &PatchPlan, directions: &[DVec3]) -> Vec<Option<f64>> {
    let drawn: HashMap<GlobePatch, ()> = plan.ground.iter().map(|patch| (*patch, ())).collect();
    let level = |direction: &DVec3| {
        let patch = drawn_at(&drawn, *direction).pop()?;
        Some(f64::from(patch.level) - plan.range.morph(patch.level, *direction))
    };
    directions.iter().map(level).collect()
}

/// Flies down over a place. Returns the greatest number of tiles and the greatest coarsening.
fn fly(flown: &mut Flown, place: [f64; 4], size: [u32; 2], quality: RenderQuality, steps: i32) -> (usize, f64) {
    let detail = if quality == RenderQuality::Still { PatchDetail::FINEST } else { PatchDetail::FINE };
    let room = room_for(quality, size);
    assert!(room < most_slots());
    let [latitude, longitude, heading, pitch] = place;
    let (mut tiles, mut coarsening) = (0, 1.0f64);
    for k in 0..=steps {
        let height = FROM_METRES * (TO_METRES / FROM_METRES).powf(f64::from(k) / f64::from(steps));
        let mut before: Option<(Vec<DVec3>, Vec<Option<f64>>)> = None;
        // the height of the eye is measured from the loaded tiles
        let scenery = flown.scenery([latitude, longitude, height, heading, pitch]);
        flown.settled(&scenery, &eye_of(&scenery, size), detail, room);
        // two frames, of which the second is lower by a thousandth
        for lower in [1.0, 0.999] {
            let scenery = flown.scenery([latitude, longitude, height * lower, heading, pitch]);
            let eye = eye_of(&scenery, size);
            let plan = flown.settled(&scenery, &eye, detail, room);
            let seen = check(flown, &plan, &scenery, &eye, room);
            tiles = tiles.max(plan.tiles.len());
            coarsening = coarsening.max(plan.coarsening);
            match &before {
                None => before = Some((seen.clone(), levels(&plan, &seen))),
                Some((seen, before)) => {
                    for (was, is) in before.iter().zip(levels(&plan, seen)) {
                        if let (Some(was), Some(is)) = (was, is) {
                            let jump = (was - is).abs();
                            assert!(jump < 0.3, "the detail jumps from {was} to {is} at {height} m over {place:?}");
                        }
                    }
                }
            }
        }
    }
    (tiles, coarsening)
}

const SIZES: [[u32; 2]; 3] = [[480, 270], [1280, 720], [3840, 2160]];

/// Latitude, longitude, heading and pitch: the plain of the report, a corner of a cube face, and a pole.
const PLACES: [[f64; 4]; 3] = [[2.0055, 52.0045, 30.0, -12.0], [35.26, 45.0, 120.0, -30.0], [89.99, 10.0, 0.0, -70.0]];

#[test]
fn flights_to_planets_are_whole_at_every_height_and_size() {
    let [plain, corner, pole] = PLACES;
    let [small, middle, huge] = SIZES;
    let flights = [
        ("earthlike", plain, small),
        ("earthlike", plain, middle),
        ("paper-003-moon", corner, middle),
        ("paper-003-mars", pole, huge),
    ];
    for (example, place, size) in flights {
        let mut flown = Flown::new(example);
        for quality in [RenderQuality::Moving, RenderQuality::Still] {
            let (tiles, coarsening) = fly(&mut flown, place, size, quality, 8);
            println!("{example} {place:?} {size:?} {quality:?}: {tiles} tiles, {coarsening:.2} times coarser");
            assert!(coarsening < if size == huge { 2.0 } else { 1.0001 }, "{example} {size:?}: {coarsening}");
        }
    }
}

/// Height of the terrain as a patch draws it, in metres: interpolated between its vertices, and morphed.
fn drawn_metres(flown: &Flown, plan: &PatchPlan, quads: f64, patch: GlobePatch, direction: DVec3) -> f64 {
    let fine = flown.fine();
    let detail = fine.detail().expect("not cancelled");
    let of_level = |patch: GlobePatch| {
        let (_, u, v) = locate(direction.to_array());
        let tiles = f64::from(1u32 << patch.level);
        let at = [u * tiles - f64::from(patch.column), v * tiles - f64::from(patch.row)].map(|at| at * quads);
        let low = at.map(|at| at.floor().min(quads - 1.0));
        let corners: Vec<[f64; 3]> = (0..4)
            .map(|k| {
                let (u, v) = (low[0] + f64::from(k & 1), low[1] + f64::from(k >> 1));
                patch.direction(u / quads, v / quads).to_array()
            })
            .collect();
        let samples = detail.samples_on_this_thread(&corners, fine.spacing_metres(patch.level), || false);
        let h: Vec<f64> =
            samples.expect("not stopped").iter().map(|s| f64::from(s.height_metres + s.water_metres)).collect();
        let [x, y] = [at[0] - low[0], at[1] - low[1]];
        (h[0] + (h[1] - h[0]) * x) * (1.0 - y) + (h[2] + (h[3] - h[2]) * x) * y
    };
    let own = of_level(patch);
    let morph = plan.range.morph(patch.level, direction);
    match patch.ancestors().nth(1).filter(|parent| morph > 0.0 && parent.level >= fine.first_level()) {
        Some(parent) => own + (of_level(parent) - own) * morph,
        None => own,
    }
}

/// At every height of the eye, the drawn terrain differs from the finest terrain by about a pixel at most.
#[test]
fn drawn_heights_are_within_a_pixel_of_the_finest() {
    for example in ["earthlike", "paper-003-moon"] {
        let mut flown = Flown::new(example);
        for height in [1e6, 300e3, 100e3, 20e3, 3e3, 200.0, 20.0] {
            let size = [1280, 720];
            let scenery = flown.scenery([2.0055, 52.0045, height, 30.0, -30.0]);
            let eye = eye_of(&scenery, size);
            let plan = flown.settled(&scenery, &eye, PatchDetail::FINEST, room_for(RenderQuality::Still, size));
            let drawn: HashMap<GlobePatch, ()> = plan.ground.iter().map(|patch| (*patch, ())).collect();
            let ground = flown.terrain.ground(f64::from(scenery.view.exaggeration), &scenery.view, true);
            let mut errors = Vec::new();
            for k in 0..24 * 14 {
                let at = [(k % 24, 24), (k / 24, 14)].map(|(k, of)| (f64::from(k) + 0.5) / f64::from(of) * 2.0 - 1.0);
                let far = eye.clip_from_rel.inverse() * glam::DVec4::new(at[0], at[1], 1e-9, 1.0);
                let ray = (far.truncate() / far.w).normalize();
                let Some(hit) = ground.pick(scenery.eye, ray) else { continue };
                let direction = hit.normalize();
                let [patch] = drawn_at(&drawn, direction)[..] else { panic!("no patch at {direction}") };
                if patch.level < flown.fine().first_level() {
                    continue;
                }
                let detail = flown.fine().detail().expect("not cancelled");
                let finest =
                    detail.samples_on_this_thread(&[direction.to_array()], 2.0, || false).expect("not stopped");
                let sea = flown.fine().sea_metres.unwrap_or(f64::NEG_INFINITY);
                let finest = f64::from(finest[0].height_metres + finest[0].water_metres).max(sea);
                let drawn = drawn_metres(&flown, &plan, 32.0, patch, direction).max(sea);
                let off = (drawn - finest).abs() * f64::from(scenery.view.exaggeration);
                let aside = direction.cross(ray).length();
                errors.push(off * aside / (hit.distance(scenery.eye) * eye.radians_per_pixel));
            }
            errors.sort_by(f64::total_cmp);
            let of = |share: f64| errors.get((errors.len() as f64 * share) as usize).copied().unwrap_or(0.0);
            let (median, most) = (of(0.5), of(0.95));
            println!("{example} {height} m: {} pixels, median {median:.3}, 95 % {most:.3}", errors.len());
            assert!(median < 0.5 && most < 1.2, "{example} from {height} m: {median} and {most} pixels");
        }
    }
}

/// With hardly any memory, the whole terrain becomes coarser, and no tile is missing.
#[test]
fn little_memory_makes_the_terrain_coarser_without_gaps() {
    let mut flown = Flown::new("earthlike");
    for room in [150, 40, 7, 1] {
        let scenery = flown.scenery([2.0055, 52.0045, 150.0, 30.0, -12.0]);
        let eye = eye_of(&scenery, [1280, 720]);
        let plan = flown.settled(&scenery, &eye, PatchDetail::FINEST, room);
        assert!(plan.coarsening > 1.0, "{room}");
        check(&flown, &plan, &scenery, &eye, room);
    }
}
