//! The surface of a planet at any resolution: the same position has the same height, rivers follow the planet's rivers,
//! and relief continues from the planet's samples down to a metre.

#![allow(clippy::disallowed_methods, reason = "no height depends on what a test measures")]

use std::path::Path;
use std::sync::Arc;

use talweg::field::globe::{from_angles, latitude, longitude};
use talweg::field::{Control, Globe, MapKind, Terrain};
use talweg::hydrology::{FlowGraph, FlowMesh, FlowRouting, Outlets, accumulate};
use talweg::planet::square::Square;
use talweg::planet_detail::PlanetDetail;
use talweg::scene::{Scene, example, take_patch};

use crate::kits::common::{evaluate, example_terrain};

/// *Earthlike* with `samples` per side of a face.
fn earthlike(samples: usize) -> (Scene, Arc<Terrain>) {
    planet("earthlike", samples)
}

fn planet(name: &str, samples: usize) -> (Scene, Arc<Terrain>) {
    (example(name).unwrap().scene.clone(), example_terrain(name, samples))
}

fn detail<'a>(scene: &Scene, terrain: &'a Terrain) -> PlanetDetail<&'a Terrain> {
    scene.detail(terrain, &Control::default()).unwrap()
}

fn cut(detail: &PlanetDetail<&Terrain>, [longitude, latitude]: [f64; 2], side_metres: f64, samples: usize) -> Terrain {
    detail.square(&Square { longitude, latitude, side_metres }, samples, &Control::default()).unwrap()
}

/// The highest point of a planet, in degrees of longitude and latitude.
fn highest(terrain: &Terrain) -> [f64; 2] {
    let top = (0..terrain.height.len()).fold(0, |a, b| if terrain.height[b] > terrain.height[a] { b } else { a });
    let direction = Globe::new(terrain.samples()).direction_of(top).map(f64::from);
    [longitude(direction).to_degrees(), latitude(direction).to_degrees()]
}

#[test]
fn a_position_has_the_same_bits_in_any_square() {
    for name in ["earthlike", "paper-003-moon"] {
        let (scene, terrain) = planet(name, 65);
        same_bits(&scene, &terrain);
    }
}

fn same_bits(scene: &Scene, terrain: &Terrain) {
    let detail = detail(scene, terrain);
    for middle in [highest(terrain), [45.0, 10.0], [12.0, 90.0], [-135.0, 35.264]] {
        for spacing in [10.0, 2000.0] {
            let (large, small) =
                (cut(&detail, middle, 256.0 * spacing, 257), cut(&detail, middle, 128.0 * spacing, 129));
            for i in 0..129 {
                let (a, b) = (&large.height[(i + 64) * 257 + 64..][..129], &small.height[i * 129..][..129]);
                assert_eq!(a, b, "{middle:?}, row {i}");
            }
            // Positions queried one by one, from the last to the first.
            let square = Square { longitude: middle[0], latitude: middle[1], side_metres: 128.0 * spacing };
            let frame = square.frame(f64::from(scene.planet.radius_metres));
            let asked: Vec<usize> = (0..129 * 129).rev().step_by(37).collect();
            let directions: Vec<[f64; 3]> = asked
                .iter()
                .map(|&k| frame.direction(frame.position(k % 129, 129), frame.position(k / 129, 129)))
                .collect();
            let found = detail.samples_at(&directions, spacing);
            for (&k, sample) in asked.iter().zip(found) {
                assert_eq!(sample.height_metres / scene.settings.relief_metres, small.height[k], "{middle:?}, {k}");
            }
        }
    }
}

/// Between points 12 mm apart across a face border the surface has no step, and around a pole it is continuous.
#[test]
fn there_is_no_seam_between_faces_and_no_pole() {
    let (scene, terrain) = earthlike(65);
    let detail = detail(&scene, &terrain);
    let unit = |v: [f64; 3]| {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.map(|x| x / length)
    };
    let sides = |off: f64| -> Vec<[f64; 3]> {
        let along = (0..200).map(|k| 2.0 * f64::from(k) / 200.0 - 1.0);
        along.flat_map(|t| [unit([1.0, 1.0 + off, t]), unit([t, -1.0, 1.0 + off]), unit([1.0, t, 1.0 + off])]).collect()
    };
    for spacing in [1.0, 5000.0] {
        let (a, b) = (detail.samples_at(&sides(-1.0e-9), spacing), detail.samples_at(&sides(1.0e-9), spacing));
        let steps = a.iter().zip(&b).filter(|(a, b)| (a.height_metres - b.height_metres).abs() > 0.05);
        assert_eq!(steps.count(), 0);
        for pole in [0.5, -0.5].map(|half| half * std::f64::consts::PI) {
            let ring: Vec<[f64; 3]> = (0..32)
                .map(|k| from_angles(pole - pole.signum() * 1.0e-7, std::f64::consts::TAU * f64::from(k) / 32.0))
                .collect();
            let heights = detail.samples_at(&ring, spacing);
            let middle = detail.samples_at(&[[0.0, 0.0, pole.signum()]], spacing)[0].height_metres;
            assert!(heights.iter().all(|h| (h.height_metres - middle).abs() < 1.0), "{heights:?}");
        }
    }
}

/// A coarse square differs from a fine one only by relief finer than its samples, so the difference disappears in the
/// mean over a few samples.
#[test]
fn coarser_samples_differ_only_by_finer_relief() {
    let (scene, terrain) = earthlike(65);
    let detail = detail(&scene, &terrain);
    for side in [2000.0, 200_000.0] {
        let (fine, coarse) = (cut(&detail, highest(&terrain), side, 513), cut(&detail, highest(&terrain), side, 129));
        let lacks = |i: usize, j: usize| f64::from(fine.height[i * 4 * 513 + j * 4] - coarse.height[i * 129 + j]);
        let mean_square = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64;
        let all: Vec<f64> = (0..128 * 128).map(|k| lacks(k / 128, k % 128)).collect();
        let block = |k: usize| {
            let cells = (0..256).map(|c| lacks(k / 8 * 16 + c / 16, k % 8 * 16 + c % 16));
            cells.sum::<f64>() / 256.0
        };
        let smooth: Vec<f64> = (0..64).map(block).collect();
        let (all, smooth) = (mean_square(&all).sqrt(), mean_square(&smooth).sqrt());
        assert!(all > 0.0 && smooth < 0.25 * all, "{side}: {all} and {smooth} in the mean");
        // The difference is small compared with the relief of the square.
        let relief: Vec<f64> =
            (0..128).map(|i| f64::from(coarse.height[i * 129 + 128] - coarse.height[i * 129])).collect();
        assert!(all < 0.1 * mean_square(&relief).sqrt(), "{side}: {all}");
    }
}

/// Mean square height difference over `lag` samples along rows and columns.
fn mean_square_rise(terrain: &Terrain, lag: usize) -> f64 {
    let n = terrain.samples();
    let (mut sum, mut count) = (0.0, 0.0);
    for i in 0..n {
        for j in 0..n - lag {
            let [a, b] = [
                terrain.height[i * n + j + lag] - terrain.height[i * n + j],
                terrain.height[(j + lag) * n + i] - terrain.height[j * n + i],
            ];
            sum += f64::from(a * a) + f64::from(b * b);
            count += 2.0;
        }
    }
    sum / count
}

/// Positions on land all over a planet, in degrees of longitude and latitude.
fn places_on_land(terrain: &Terrain, count: usize) -> Vec<[f64; 2]> {
    let globe = Globe::new(terrain.samples());
    // Steps of a large prime reach every part of the planet.
    let spread = (0..terrain.height.len()).map(|k| k * 7919 % terrain.height.len());
    let land = spread.filter(|&k| terrain.height[k] > 0.0).map(|k| globe.direction_of(k).map(f64::from));
    land.take(count).map(|d| [longitude(d).to_degrees(), latitude(d).to_degrees()]).collect()
}

/// The height difference over a distance L grows with L^H (Hurst exponent H) from the planet's cells down to a metre.
/// The relief has the spectrum f^-(2H + 1). H is that of valleys up to a few kilometres, and gradually changes to that
/// of continents beyond.
#[test]
fn relief_continues_from_the_planet_down_to_a_metre() {
    let (scene, terrain) = earthlike(129);
    let detail = detail(&scene, &terrain);
    // Single positions are steep or flat, so average several.
    let places = places_on_land(&terrain, 6);
    // Distances and height differences in metres, from squares that are each a tenth as wide as the one before.
    let mut points = Vec::new();
    for side in [1.28e6, 1.28e5, 1.28e4, 1280.0, 128.0] {
        let grounds: Vec<Terrain> = places.iter().map(|&place| cut(&detail, place, side, 129)).collect();
        for lag in [1, 3, 10] {
            let sum: f64 = grounds.iter().map(|ground| mean_square_rise(ground, lag)).sum();
            let rise = f64::from(scene.settings.relief_metres) * (sum / places.len() as f64).sqrt();
            points.push(((side / 128.0 * lag as f64).ln(), rise.ln()));
        }
    }
    let fitted = |points: &[(f64, f64)]| {
        let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / points.len() as f64;
        let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
        let hurst = mean(&|p| (p.0 - x) * (p.1 - y)) / mean(&|p| (p.0 - x) * (p.0 - x));
        (hurst, points.iter().map(|p| (p.1 - y - hurst * (p.0 - x)).abs()).fold(0.0, f64::max))
    };
    let (hurst, worst) = fitted(&points);
    let valleys: Vec<(f64, f64)> = points.iter().copied().filter(|p| p.0 < 3000f64.ln()).collect();
    let (of_valleys, _) = fitted(&valleys);
    println!("H = {hurst:.3}, of valleys {of_valleys:.3}, off the line by at most {worst:.2}");
    assert!((0.55..0.85).contains(&hurst) && (0.65..0.95).contains(&of_valleys), "H = {hurst}, {of_valleys}");
    // Over five decades, no value is off by more than a factor of two.
    assert!(worst < 0.7, "{worst}: {points:?}");
}

/// A patch with the data needed to compare its rivers with those of its planet.
struct RiverPatch<'a> {
    scene: &'a Scene,
    globe: &'a Terrain,
    ground: &'a Terrain,
    square: Square,
}

impl RiverPatch<'_> {
    /// Position of a cell of the globe in the square.
    fn square_position(&self, cell: usize) -> Option<[f64; 2]> {
        let direction = Globe::new(self.globe.samples()).direction_of(cell).map(f64::from);
        self.square.position(f64::from(self.scene.planet.radius_metres), direction)
    }

    /// Width of a cell of the globe, in sides of the square.
    fn cell(&self) -> f64 {
        f64::from(self.scene.side_metres()) / (self.globe.samples() - 1) as f64 / self.square.side_metres
    }

    /// The nearest sample with river water, and its distance in cells of the globe.
    fn nearest_water(&self, [u, v]: [f64; 2]) -> Option<(usize, f64)> {
        let n = self.ground.samples();
        let water = self.ground.map(MapKind::Water)?;
        let last = (n - 1) as f64;
        let wet = (0..n * n).filter(|&k| water[k] > 0.0);
        let apart = |k: usize| {
            let (x, y) = ((k % n) as f64 / last - u, (k / n) as f64 / last - v);
            (x * x + y * y).sqrt() / self.cell()
        };
        wet.map(|k| (k, apart(k))).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Rivers of the globe in and around the square: (cell, receiver) where more than `cells` drain.
    fn rivers(&self, cells: f32) -> Vec<(usize, usize)> {
        let mesh = FlowMesh::new(self.globe.grid);
        let control = Control::default();
        let sea = self.scene.settings.sea_level / self.scene.settings.relief_metres;
        let outlets = Outlets::new(self.globe.grid, &self.globe.height, sea);
        let graph = FlowGraph::new(&mesh, &self.globe.height, &outlets, FlowRouting::D8, &control).unwrap();
        let mut areas = mesh.areas();
        accumulate(&graph.receivers, &mut areas, &control).unwrap();
        let is_river = |&k: &usize| areas[k] >= cells && graph.receivers[k] as usize != k;
        (0..areas.len()).filter(is_river).map(|k| (k, graph.receivers[k] as usize)).collect()
    }
}

/// Checks that every river of the planet that crosses a patch is in it and crosses its border at the same position.
/// From there it must run down to the sea, or leave the patch where a river of the planet leaves it. Returns the number
/// of river channels and of border crossings.
fn follow_rivers(patch: &RiverPatch) -> (usize, usize) {
    let RiverPatch { scene, globe, ground, square } = *patch;
    let sea = scene.settings.sea_level / scene.settings.relief_metres;
    let middle = [square.longitude, square.latitude];
    let (mut courses, mut crossings) = (0, 0);
    let n = ground.samples();
    let inside = |p: [f64; 2]| p.iter().all(|x| (0.0..=1.0).contains(x));
    let mesh = FlowMesh::new(ground.grid);
    let outlets = Outlets::new(ground.grid, &ground.height, sea);
    let graph = FlowGraph::new(&mesh, &ground.height, &outlets, FlowRouting::D8, &Control::default()).unwrap();
    let rivers = patch.rivers(20.0);
    let mut ends = Vec::new();
    for &(cell, to) in &rivers {
        let (Some(a), Some(b)) = (patch.square_position(cell), patch.square_position(to)) else { continue };
        if inside(a) && globe.height[cell] > sea {
            let (_, apart) = patch.nearest_water(a).unwrap();
            assert!(apart < 0.7, "{middle:?}: the river at {a:?} is {apart} cells away");
        }
        if inside(a) != inside(b) {
            let border = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])].map(|x: f64| x.clamp(0.0, 1.0));
            let (_, apart) = patch.nearest_water(border).unwrap();
            assert!(apart < 1.0, "{middle:?}: the river at {border:?} is {apart} cells away");
            crossings += 1;
            if inside(a) {
                ends.push(border);
            }
        }
    }
    for &(cell, _) in &rivers {
        let Some(place) = patch.square_position(cell).filter(|&p| inside(p)) else { continue };
        // Puddles in a bed beside the border drain across the border, which is the nearest way out.
        if place.iter().any(|x| x.min(1.0 - x) < 0.02) {
            continue;
        }
        let (start, apart) = patch.nearest_water(place).unwrap();
        if apart > 0.7 {
            continue;
        }
        let course = graph.course(start);
        let mut low = f32::INFINITY;
        for &k in &course {
            let metres = ground.height[k] * scene.settings.relief_metres;
            assert!(metres <= low + 0.05, "{middle:?}: from {place:?} the course climbs from {low} to {metres} m");
            low = low.min(metres);
        }
        let end = *course.last().unwrap();
        if ground.height[end] > sea {
            let at = [(end % n) as f64, (end / n) as f64].map(|x| x / (n - 1) as f64);
            let near =
                ends.iter().any(|e| ((e[0] - at[0]).powi(2) + (e[1] - at[1]).powi(2)).sqrt() < 1.5 * patch.cell());
            assert!(near, "{middle:?}: the course from {place:?} runs out at {at:?}, rivers of the planet at {ends:?}");
        }
        courses += 1;
    }
    // The fraction of terrain below the sea stays the same.
    let share = |heights: &[f32]| heights.iter().filter(|&&h| h <= sea).count() as f64 / heights.len() as f64;
    let flat: Vec<f32> = (0..n * n)
        .map(|k| {
            let [u, v] = [(k % n) as f64, (k / n) as f64].map(|x| x / (n - 1) as f64);
            let direction = square.direction(f64::from(scene.planet.radius_metres), u, v);
            Globe::new(globe.samples()).sample(&globe.height, direction)
        })
        .collect();
    let (before, after) = (share(&flat), share(&ground.height));
    assert!((before - after).abs() < 0.015, "{middle:?}: {before} below the sea became {after}");
    (courses, crossings)
}

/// Positions in *Earthlike* at 129² with rivers that cross the border of a square.
const RIVER_LANDS: [[f64; 2]; 3] = [[-62.58, 37.78], [154.34, 1.9], [-110.0, -70.0]];

#[test]
fn a_patch_has_the_rivers_of_its_planet() {
    let (scene, globe) = earthlike(129);
    let detail = detail(&scene, &globe);
    let (mut courses, mut crossings) = (0, 0);
    for middle in RIVER_LANDS {
        let square = Square { longitude: middle[0], latitude: middle[1], side_metres: 1.8e6 };
        let ground = cut(&detail, middle, square.side_metres, 601);
        let (more, across) = follow_rivers(&RiverPatch { scene: &scene, globe: &globe, ground: &ground, square });
        (courses, crossings) = (courses + more, crossings + across);
    }
    assert!(courses > 30 && crossings > 4, "{courses} courses, {crossings} crossings");
}

/// Checks the rivers also in the scene that `talweg region take` writes, read from its files and evaluated like any
/// other scene.
#[test]
fn a_saved_patch_has_the_rivers_of_its_planet() {
    let (scene, globe) = earthlike(129);
    let folder = tempfile::tempdir().unwrap();
    let (mut courses, mut crossings) = (0, 0);
    for (k, middle) in RIVER_LANDS.into_iter().enumerate() {
        // The maximum size of a terrain.
        let square = Square { longitude: middle[0], latitude: middle[1], side_metres: 1.0e6 };
        let file = folder.path().join(format!("{k}.ron"));
        let from = std::path::Path::new("earthlike");
        let taken = take_patch(&scene, &globe, square, 601, from, &file.with_extension("r32")).unwrap();
        taken.save(&file).unwrap();
        let (read, warnings) = Scene::load(&file).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        assert_eq!(read.settings.resolution, 601);
        let ground = evaluate(&read, 601, 1);
        let (more, across) = follow_rivers(&RiverPatch { scene: &scene, globe: &globe, ground: &ground, square });
        (courses, crossings) = (courses + more, crossings + across);
    }
    println!("{courses} courses, {crossings} crossings");
    assert!(courses > 15 && crossings > 3, "{courses} courses, {crossings} crossings");
}

/// If only craters make relief, a square far below the planet's sample spacing also has craters. Their number follows
/// the size-frequency distribution.
#[test]
fn craters_continue_below_the_smallest_of_the_planet() {
    let (mut scene, _) = planet("paper-003-moon", 9);
    scene.layers.truncate(2);
    scene.set("1.amplitude=0").unwrap();
    let control = Control::default();
    let terrain = evaluate(&scene, 65, 2);
    let [crater_free, cratered] = [true, false].map(|is_free| {
        let mut scene = scene.clone();
        scene.layers[1].enabled = !is_free;
        scene
            .detail(&terrain, &control)
            .unwrap()
            .square(&Square { longitude: 30.0, latitude: 10.0, side_metres: 20_000.0 }, 257, &control)
            .unwrap()
    });
    let relief = f64::from(scene.settings.relief_metres);
    let dug: Vec<f64> =
        cratered.height.iter().zip(&crater_free.height).map(|(a, b)| f64::from(a - b) * relief).collect();
    let (deepest, highest) =
        dug.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &dug| (low.min(dug), high.max(dug)));
    // A square of this size may lie in a crater a few tens of kilometres wide that contains smaller ones.
    assert!((60.0..6000.0).contains(&(highest - deepest)), "{deepest} to {highest} m");
    let steps: f64 = (0..257 * 256).map(|k| (dug[k + 257] - dug[k]).abs()).sum::<f64>() / f64::from(257 * 256);
    assert!(steps > 0.5, "rough between samples of 78 m: {steps} m");
}

/// Water, moisture and climate of a patch equal those of its planet at that position.
#[test]
fn a_patch_brings_its_maps_and_its_climate() {
    let (scene, globe) = earthlike(65);
    let flow = globe.map(MapKind::Flow).unwrap();
    let sea = scene.settings.sea_level / scene.settings.relief_metres;
    let on_land = (0..flow.len()).filter(|&k| globe.height[k] > sea + 0.001);
    let river = on_land.max_by(|&a, &b| flow[a].total_cmp(&flow[b])).unwrap();
    let direction = Globe::new(65).direction_of(river).map(f64::from);
    let square = Square::centred(direction, 600_000.0);
    let folder = tempfile::tempdir().unwrap();
    let files = take_patch(&scene, &globe, square, 129, Path::new("earthlike"), &folder.path().join("a.r32")).unwrap();
    files.write_heights().unwrap();
    assert!(files.scene.problems().is_empty(), "{:?}", files.scene.problems());
    let ground = evaluate(&files.scene, 129, 2);
    let taken = cut(&detail(&scene, &globe), [square.longitude, square.latitude], 600_000.0, 129);
    for kind in [MapKind::Water, MapKind::Humidity] {
        let (here, there) = (ground.map(kind).unwrap(), taken.map(kind).unwrap());
        assert!(here.iter().zip(there.iter()).all(|(a, b)| (a - b).abs() < 1e-5), "{kind:?}");
        assert!(here.iter().any(|&value| value > 0.0), "{kind:?}");
    }
    let control = Control::default();
    let of_planet = scene.climate_fields(&globe, &control).unwrap();
    let of_patch = files.scene.climate_fields(&ground, &control).unwrap();
    let middle = 64 * 129 + 64;
    let apart = of_patch.moisture[middle] - of_planet.moisture[river];
    assert!(apart.abs() < 0.03, "{apart}");
    // The heights differ, and the temperature falls with height.
    let metres = (ground.height[middle] - globe.height[river]) * scene.settings.relief_metres;
    let apart = of_patch.celsius[middle] - of_planet.celsius[river] + 0.0065 * metres;
    assert!(apart.abs() < 0.5, "{apart} °C");
}

/// Mountains and plains have no steps: over one metre the terrain rises little more than a metre, except at the few
/// river banks.
#[test]
fn the_ground_has_no_steps() {
    for name in ["earthlike", "drifting-continents"] {
        let (scene, terrain) = planet(name, 129);
        let detail = detail(&scene, &terrain);
        let radius = f64::from(scene.planet.radius_metres);
        let (mut count, mut steep, mut steps) = (0, 0, Vec::new());
        for k in 0..150 {
            let (latitude, longitude) = ((0.98 * (1.236 * f64::from(k) % 2.0 - 1.0)).asin(), 4.743 * f64::from(k));
            let metres = |metres: f64| from_angles(latitude, longitude + metres / (radius * latitude.cos()));
            let line: Vec<[f64; 3]> = (0..1024).map(|m| metres(f64::from(m))).collect();
            let ground = detail.samples_at(&line, 1.0);
            for (m, pair) in
                ground.windows(2).enumerate().filter(|(_, pair)| pair.iter().all(|s| s.water_metres == 0.0))
            {
                let rise = (pair[1].height_metres - pair[0].height_metres).abs();
                count += 1;
                steep += usize::from(rise > 1.0);
                if rise > 2.0 {
                    // A real step remains between points however close they are.
                    let near: Vec<[f64; 3]> = (0..65).map(|n| metres(m as f64 + f64::from(n) / 64.0)).collect();
                    let near = detail.samples_at(&near, 1.0);
                    let leap = near.windows(2).map(|pair| (pair[1].height_metres - pair[0].height_metres).abs());
                    steps.push((leap.fold(0.0, f32::max), k, m));
                }
            }
        }
        assert!(count > 50_000 && steep * 100 < count, "{name}: {steep} of {count}");
        steps.retain(|(leap, ..)| *leap > 0.5);
        assert!(steps.is_empty(), "{name}: {steps:?}");
    }
}
