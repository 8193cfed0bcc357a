//! Measures are compared with known values, brute-force results and invariances.

use crate::kits::measure::{SCALE, assert_near, brownian, measured, measures_of, metres, rough, value};
use crate::kits::nodes::on_threads;
use talweg::field::{Cancelled, Control, Edges, Grid, Stream, Terrain};
use talweg::measure::{
    Limits, MEASURES, MeasureValue, PLOTS, Summit, TerrainScale, difference, measure, measure_named,
};

/// Hand-drawn heights, one row per string. Digits are heights in metres, letters are heights of 10 m and more, and `.`
/// is -1 m.
fn drawn(rows: &[&str]) -> Terrain {
    let samples = rows.len();
    let mut terrain = Terrain::flat(Grid::new(samples, Edges::Open));
    for (k, h) in terrain.height.iter_mut().enumerate() {
        let letter = rows[k / samples].as_bytes()[k % samples];
        *h = (letter as char).to_digit(36).map_or(-1.0, |d| d as f32);
    }
    terrain
}

#[test]
fn level_terrain_has_no_relief_measures_and_says_why() {
    for edges in [Edges::Open, Edges::Wrap] {
        for samples in [2, 3, 65] {
            let mut flat = Terrain::flat(Grid::new(samples, edges));
            flat.height.fill(0.25);
            let measures = measures_of(&flat);
            for m in MEASURES {
                let reading = (m.read)(&measures);
                let needs_relief = [
                    "erosion_score",
                    "pair_score",
                    "worded_score",
                    "hypsometric_integral",
                    "fractal_dimension",
                    "fractal_fit",
                    "box_dimension",
                    "box_fit",
                    "stream_order",
                    "bifurcation_ratio",
                    "length_ratio",
                    "drainage_density",
                    "drained_fraction",
                    "largest_basin_km2",
                    "largest_basin_fraction",
                ];
                match reading {
                    MeasureValue::Undefined(why) => {
                        assert!(needs_relief.contains(&m.key), "{} has no value", m.key);
                        assert_eq!((why, m.show(&measures).as_str()), ("the ground is level", "–"));
                    }
                    _ => assert!(!needs_relief.contains(&m.key), "{} is {reading:?}", m.key),
                }
            }
            assert_eq!((measures.summits.peaks.len(), measures.summits.valleys.len()), (0, 0));
            assert_eq!(
                (value(&measures, "mean_metres"), value(&measures, "playable_fraction")),
                (Some(25.0), Some(1.0))
            );
            let drowned = measured(&flat, TerrainScale { sea_metres: Some(25.0), ..SCALE }, &Limits::default());
            assert_eq!(value(&drowned, "land_fraction"), Some(0.0));
            let playable = (measure_named("playable_fraction").unwrap().read)(&drowned);
            assert_eq!(playable, MeasureValue::Undefined("everything is under the sea"));
        }
    }
}

#[test]
fn a_plane_has_known_measures() {
    // The plane rises by 100 m over 1000 m to the east.
    let plane = measures_of(&Terrain::from_fn(129, Edges::Open, |u, _| u));
    let degrees = 0.1f64.atan().to_degrees();
    assert_near(plane.steepness.as_ref().unwrap().mean_degrees, degrees, 1e-4, "steepness");
    let histogram = &plane.steepness.as_ref().unwrap().histogram;
    assert_eq!(histogram[5], [5.5, 1.0], "all of it between 5 and 6 degrees");
    assert_near(value(&plane, "mean_slope").unwrap(), 100.0 / 128.0, 1e-6, "mean slope");
    assert_near(value(&plane, "erosion_score").unwrap(), 0.0, 1e-3, "score");
    assert_near(value(&plane, "hypsometric_integral").unwrap(), 0.5, 1e-6, "integral");
    // The hypsometric curve of a plane is the diagonal.
    for [area, height] in &plane.heights.hypsometry.as_ref().unwrap().curve {
        assert_near(*area, 1.0 - height, 0.01, "curve");
    }
    assert_near(value(&plane, "fractal_dimension").unwrap(), 2.0, 1e-4, "dimension");
    assert_near(value(&plane, "box_dimension").unwrap(), 2.0, 1e-4, "box dimension");
    assert_eq!((plane.summits.peaks.len(), plane.summits.valleys.len()), (1, 1));
    assert_eq!(plane.summits.peaks[0].prominence_metres, 100.0);
    assert_eq!(value(&plane, "drained_fraction"), Some(1.0));
    // Every row of the plane drains separately, so no two channels join.
    assert_eq!(value(&plane, "bifurcation_ratio"), None);
    let limits = |degrees: f32| Limits { playable_slope: degrees, flat_slope: degrees, ..Limits::default() };
    let playable = |limit: f32| measured(&Terrain::from_fn(129, Edges::Open, |u, _| u), SCALE, &limits(limit));
    assert_eq!(value(&playable(5.7), "playable_fraction"), Some(0.0));
    assert_eq!(value(&playable(5.7), "connected_fraction"), None);
    assert_eq!(value(&playable(5.72), "playable_fraction"), Some(1.0));
    assert_near(value(&playable(5.72), "largest_flat_km2").unwrap(), 1.0, 1e-9, "all of it is one region");
}

/// A cone of radius ½: the area above the relative height y is a disc of radius (1 - y) / 2.
#[test]
fn a_cone_has_known_measures() {
    let cone = Terrain::from_fn(513, Edges::Open, |u, v| {
        let r = ((u - 0.5).powi(2) + (v - 0.5).powi(2)).sqrt();
        (1.0 - 2.0 * r).max(0.0)
    });
    let measures = measures_of(&cone);
    let integral = std::f64::consts::PI / 12.0;
    assert_near(value(&measures, "hypsometric_integral").unwrap(), integral, 2e-3, "volume of a cone");
    for [area, height] in &measures.heights.hypsometry.as_ref().unwrap().curve[1..] {
        assert_near(*area, std::f64::consts::PI * (0.5 * (1.0 - height)).powi(2), 4e-3, "area of a disc");
    }
    assert_eq!(measures.summits.peaks.len(), 1);
    let peak = measures.summits.peaks[0];
    assert_eq!((peak.u, peak.v, peak.height_metres, peak.prominence_metres), (0.5, 0.5, 100.0, 100.0));
    // The cone rises by 100 m over 500 m within the disc, and the corners are level.
    let disc = std::f64::consts::PI / 4.0;
    let slope = 0.2f64.atan().to_degrees();
    assert_near(value(&measures, "mean_steepness").unwrap(), slope * disc, 0.05, "steepness");
    assert_near(measures.steepness.as_ref().unwrap().histogram[11][1], disc, 0.01, "the flank");
    let flank = Limits { playable_slope: 5.0, ..Limits::default() };
    let corners = measured(&cone, SCALE, &flank);
    assert_near(value(&corners, "playable_fraction").unwrap(), 1.0 - disc, 0.01, "the corners");
    assert_near(value(&corners, "connected_fraction").unwrap(), 0.25, 0.01, "one corner of four");
    // As an island: the sea covers the lower half of the cone, and prominence starts at sea level.
    let island = measured(&cone, TerrainScale { sea_metres: Some(50.0), ..SCALE }, &Limits::default());
    assert_near(value(&island, "land_fraction").unwrap(), disc / 4.0, 2e-3, "land");
    assert_near(value(&island, "mean_steepness").unwrap(), slope, 0.05, "all land is flank");
    assert_eq!(island.summits.peaks[0].prominence_metres, 50.0);
    assert_eq!((island.summits.peaks.len(), island.summits.valleys.len()), (1, 1));
    assert_near(value(&island, "hypsometric_integral").unwrap(), 1.0 / 3.0, 5e-3, "a cone fills a third");
}

/// exp(-r²/2σ²): the area above the height y is a disc of radius σ·√(-2 ln y).
#[test]
fn a_gaussian_hill_has_known_measures() {
    const SIGMA: f64 = 0.08;
    let hill = Terrain::from_fn(401, Edges::Open, |u, v| {
        let r2 = f64::from(u - 0.5).powi(2) + f64::from(v - 0.5).powi(2);
        (-r2 / (2.0 * SIGMA * SIGMA)).exp() as f32
    });
    let measures = measures_of(&hill);
    let volume = std::f64::consts::TAU * SIGMA * SIGMA;
    assert_near(value(&measures, "hypsometric_integral").unwrap(), volume, 1e-3, "volume");
    for [area, height] in measures.heights.hypsometry.as_ref().unwrap().curve.iter().skip(5).step_by(5) {
        let radius2 = -2.0 * SIGMA * SIGMA * height.ln();
        assert_near(*area, std::f64::consts::PI * radius2.max(0.0), 2e-3, "disc");
    }
    assert_eq!(measures.summits.peaks.len(), 1);
    assert_near(measures.summits.peaks[0].prominence_metres, 100.0, 1e-3, "prominence");
    assert_near(value(&measures, "fractal_dimension").unwrap(), 2.0, 0.1, "smooth");
    // The steepest point is at r = σ.
    let steepest = measures.steepness.as_ref().unwrap().histogram.iter().rposition(|bin| bin[1] > 0.0).unwrap();
    let known = (0.1 / SIGMA * (-0.5f64).exp()).atan().to_degrees();
    assert_eq!(steepest, known as usize);
}

#[test]
fn brownian_surfaces_have_the_dimension_of_their_hurst_exponent() {
    for hurst in [0.1, 0.3, 0.5, 0.7, 0.9] {
        // For H > ¾ the exact synthesis needs more space.
        let samples = if hurst > 0.75 { 181 } else { 362 };
        for seed in 1..=2 {
            let measures = measures_of(&brownian(samples, hurst, seed));
            let what = |by: &str| format!("H = {hurst}, seed {seed}, {by}");
            assert_near(value(&measures, "fractal_dimension").unwrap(), 3.0 - hurst, 0.05, &what("variogram"));
            assert_near(value(&measures, "box_dimension").unwrap(), 3.0 - hurst, 0.05, &what("boxes"));
            assert!(value(&measures, "fractal_fit").unwrap() > 0.99 && value(&measures, "box_fit").unwrap() > 0.995);
        }
    }
    let mut white = Terrain::flat(Grid::new(256, Edges::Open));
    let stream = Stream::new(1, 1);
    white.height.iter_mut().enumerate().for_each(|(k, h)| *h = stream.unit(k as i32, 0));
    assert_near(value(&measures_of(&white), "fractal_dimension").unwrap(), 3.0, 0.02, "white noise");
}

/// Two tributaries of order 1 join to a stream of order 2, and two streams of order 2 join to one of order 3. A further
/// tributary of order 1 does not change the order.
#[test]
fn a_hand_drawn_drainage_network_has_known_measures() {
    let mut net = drawn(&[
        "...............",
        ".z...z...z...z.",
        ".y...y...y...y.",
        "..x.x.....x.x..",
        "...w.......w...",
        "...v.......v...",
        "....u.....u....",
        ".....t...t.....",
        "......s.s......",
        ".......r.......",
        ".......q.......",
        "....j..p.......",
        "....ihgf.......",
        ".......e.......",
        ".......d.......",
    ]);
    // Dams line the channel on both sides, and the sea is beyond them, so only channel cells drain into the channel.
    let channels = net.height.clone();
    let channel = |i: usize, j: usize| channels.get(i * 15 + j).is_some_and(|&h| j < 15 && h > 0.0);
    for k in 0..15usize * 15 {
        let (i, j) = (k / 15, k % 15);
        let beside = (i.saturating_sub(1)..=i + 1).any(|i| (j.saturating_sub(1)..=j + 1).any(|j| channel(i, j)));
        if beside && !channel(i, j) {
            net.height[k] = 99.0;
        }
    }
    // A channel starts where two cells drain.
    let cell_km2 = 14.0 * 14.0 / 225.0 * 1e-6;
    let scale = TerrainScale { sea_metres: Some(0.0), ..metres(14.0) };
    let measures = measured(&net, scale, &Limits { source_area: 1.5 * cell_km2, ..Limits::default() });
    let drainage = measures.drainage.as_ref().unwrap();
    let of_order: Vec<(usize, usize)> = drainage.streams.iter().map(|s| (s.order, s.count)).collect();
    assert_eq!(of_order, [(1, 5), (2, 2), (3, 1)]);
    // The regression line through log 5, log 2 and log 1 has the slope (log 1 - log 5) / 2.
    assert_near(value(&measures, "bifurcation_ratio").unwrap(), 5f64.sqrt(), 1e-9, "bifurcation");
    assert_eq!(value(&measures, "stream_order"), Some(3.0));
    // The stream of order 2 runs from w to s in one orthogonal and four diagonal steps. The stream of order 3 runs from
    // r to d in five orthogonal steps.
    let (straight, diagonal) = (1e-3, 1e-3 * std::f64::consts::SQRT_2);
    assert_near(drainage.streams[1].mean_km, straight + 4.0 * diagonal, 1e-12, "length of order 2");
    assert_near(drainage.streams[2].mean_km, 5.0 * straight, 1e-12, "length of order 3");
    let total: f64 = drainage.streams.iter().map(|s| s.mean_km * s.count as f64).sum();
    let land_km2 = measures.heights.land_fraction * 14.0 * 14.0 * 1e-6;
    assert_near(drainage.density * land_km2, total, 1e-12, "density");
    let ratio = (drainage.streams[2].mean_km / drainage.streams[0].mean_km).sqrt();
    assert_near(value(&measures, "length_ratio").unwrap(), ratio, 1e-9, "length ratio");
    assert_eq!(value(&measures, "drained_fraction"), Some(1.0));
}

#[test]
fn depressions_do_not_drain_and_the_largest_basin_is_counted() {
    // A slope of 8 × 8 cells that falls to the west has a pit of 3 × 3 cells. The basin of the pit is these 9 cells
    // plus the cells that drain into them.
    let mut slope = Terrain::from_fn(8, Edges::Open, |u, _| 0.5 + 0.5 * u);
    for (i, j) in (3..6).flat_map(|i| (3..6).map(move |j| (i, j))) {
        slope.height[i * 8 + j] = if (i, j) == (4, 4) { 0.0 } else { 0.1 };
    }
    let drainage = measures_of(&slope).drainage.unwrap();
    // The rim of the pit also drains into it. The basin is 5 × 5 cells minus the cells that flow past the pit, found by
    // following the steepest descent cell by cell.
    let mut kept = 0;
    for start in 0..64 {
        let mut at = start;
        loop {
            let (row, column) = (at / 8, at % 8);
            if row == 0 || column == 0 || row == 7 || column == 7 {
                break;
            }
            let fall = |k: usize| {
                let diagonal = k / 8 != row && k % 8 != column;
                (slope.height[at] - slope.height[k]) / if diagonal { 2f32.sqrt() } else { 1.0 }
            };
            let around = (row - 1..=row + 1).flat_map(|i| (column - 1..=column + 1).map(move |j| i * 8 + j));
            let next = around.filter(|&k| k != at).max_by(|&a, &b| fall(a).total_cmp(&fall(b))).unwrap();
            if fall(next) <= 0.0 {
                kept += 1;
                break;
            }
            at = next;
        }
    }
    assert!(kept >= 9);
    assert_near(drainage.drained_fraction, 1.0 - f64::from(kept) / 64.0, 1e-12, "drained");
    // A roof with two halves.
    let roof = Terrain::from_fn(65, Edges::Wrap, |u, _| 1.0 - (2.0 * u - 1.0).abs());
    let sea = measured(&roof, TerrainScale { sea_metres: Some(10.0), ..SCALE }, &Limits::default());
    let basin = value(&sea, "largest_basin_fraction").unwrap();
    assert!(basin > 0.0 && basin < 0.1, "each row drains by itself: {basin}");
}

fn triple(summits: &[Summit], samples: usize) -> Vec<(usize, f64, f64)> {
    let place = |s: &Summit| {
        let index = |position: f32| (position * (samples - 1) as f32).round() as usize;
        index(s.v) * samples + index(s.u)
    };
    summits.iter().map(|s| (place(s), s.height_metres, s.prominence_metres)).collect()
}

#[test]
fn counted_peaks_have_their_known_prominence() {
    // Three peaks are 9, 7 and 5 m high. The pass between the 7 m and 9 m peaks is at 4 m, the pass between the 5 m and
    // 7 m peaks at 3 m. A plateau of two cells counts as one peak.
    let ground = drawn(&[
        "0000000000",
        "0900000000",
        "0840000000",
        "0047700000",
        "0000300000",
        "0000053000",
        "0000000000",
        "0000000000",
        "0000000000",
        "0000000000",
    ]);
    let count = |prominence: f32| measured(&ground, metres(9.0), &Limits { prominence, ..Limits::default() });
    let found = count(0.5).summits;
    let heights: Vec<(f64, f64)> = found.peaks.iter().map(|p| (p.height_metres, p.prominence_metres)).collect();
    assert_eq!(heights, [(9.0, 9.0), (7.0, 3.0), (5.0, 2.0)]);
    assert_eq!((found.peaks[0].u, found.peaks[0].v), (1.0 / 9.0, 1.0 / 9.0));
    assert_eq!(found.valleys.len(), 1, "the ground around is one low");
    assert_eq!([2.0, 2.5, 3.5, 9.0, 9.5].map(|p| count(p).summits.peaks.len()), [3, 2, 1, 1, 0]);
    // The default prominence threshold is 2 % of 9 m.
    assert_near(count(0.0).summits.least_metres, 0.18, 1e-9, "default");
}

/// Prominence by definition. The pass of a peak is the highest level at which the connected terrain above it, starting
/// from the peak, contains a higher peak.
fn brute_force_prominence(cells: &[f32], around: &dyn Fn(usize) -> Vec<usize>) -> Vec<(usize, f32)> {
    let lowest = cells.iter().copied().fold(f32::INFINITY, f32::min);
    let mut levels: Vec<f32> = cells.to_vec();
    levels.sort_by(f32::total_cmp);
    levels.dedup();
    let flooded = |from: usize, level: f32| {
        let mut seen = vec![false; cells.len()];
        let mut open = vec![from];
        seen[from] = true;
        while let Some(at) = open.pop() {
            for next in around(at) {
                if !seen[next] && cells[next] >= level {
                    seen[next] = true;
                    open.push(next);
                }
            }
        }
        seen
    };
    let mut found = Vec::new();
    for peak in 0..cells.len() {
        let plateau = flooded(peak, cells[peak]);
        let inside = || (0..cells.len()).filter(|&k| plateau[k]);
        if inside().any(|k| cells[k] > cells[peak] || (cells[k] == cells[peak] && k < peak)) {
            continue;
        }
        // Of two peaks with equal height, the first counts as higher.
        let higher = |seen: &[bool]| {
            (0..cells.len()).any(|k| seen[k] && (cells[k] > cells[peak] || (cells[k] == cells[peak] && k < peak)))
        };
        let pass = levels.iter().rev().copied().find(|&level| level <= cells[peak] && higher(&flooded(peak, level)));
        found.push((peak, cells[peak] - pass.unwrap_or(lowest)));
    }
    found
}

#[test]
fn prominence_equals_brute_force() {
    for (samples, edges) in [(2, Edges::Open), (3, Edges::Wrap), (9, Edges::Open), (13, Edges::Wrap), (14, Edges::Open)]
    {
        for (seed, steps) in [(1, 1e6), (2, 8.0), (3, 3.0), (4, 1e6), (5, 5.0)] {
            let terrain = rough(samples, edges, seed, steps);
            let side = terrain.grid.distinct_side();
            let around = |k: usize| -> Vec<usize> {
                let (row, column) = ((k / side) as isize, (k % side) as isize);
                let steps = (-1..=1).flat_map(|i| (-1..=1).map(move |j| (row + i, column + j)));
                steps
                    .filter_map(|(i, j)| {
                        let s = side as isize;
                        match edges {
                            Edges::Wrap => Some((i.rem_euclid(s) * s + j.rem_euclid(s)) as usize),
                            Edges::Open => ((0..s).contains(&i) && (0..s).contains(&j)).then_some((i * s + j) as usize),
                        }
                    })
                    .filter(|&next| next != k)
                    .collect()
            };
            let measures = measured(&terrain, metres(100.0), &Limits { prominence: 1e-7, ..Limits::default() });
            for (sign, made) in [(1.0f32, &measures.summits.peaks), (-1.0, &measures.summits.valleys)] {
                let cells: Vec<f32> =
                    (0..side * side).map(|k| sign * terrain.height[k / side * samples + k % side]).collect();
                let mut known: Vec<(u32, f32)> = brute_force_prominence(&cells, &around)
                    .into_iter()
                    .filter(|&(_, prominence)| prominence > 0.0)
                    .map(|(k, prominence)| (cells[k].to_bits(), prominence))
                    .collect();
                // Which cell represents a plateau is arbitrary, so only heights and prominences are compared.
                let mut found: Vec<(u32, f32)> = triple(made, samples)
                    .into_iter()
                    .map(|(_, h, prominence)| ((sign * h as f32).to_bits(), prominence as f32))
                    .collect();
                known.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
                found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
                let what = format!("{samples} {edges:?} seed {seed} steps {steps} sign {sign}");
                assert_eq!(known.len(), found.len(), "{what}: {known:?} {found:?}");
                for (k, f) in known.iter().zip(&found) {
                    assert!(k.0 == f.0 && (k.1 - f.1).abs() < 1e-6, "{what}: {known:?} {found:?}");
                }
            }
        }
    }
}

#[test]
fn regions_equal_brute_force() {
    for (samples, edges) in [(2, Edges::Wrap), (3, Edges::Open), (24, Edges::Wrap), (31, Edges::Open)] {
        for seed in 1..6 {
            let terrain = rough(samples, edges, seed, 1e6);
            let scale = TerrainScale { size_metres: 100.0, relief_metres: 30.0, sea_metres: Some(6.0) };
            let limits = Limits { playable_slope: 62.0, flat_slope: 50.0, ..Limits::default() };
            let measures = measured(&terrain, scale, &limits);
            let (n, side) = (samples, terrain.grid.distinct_side());
            let steep = |k: usize| {
                let (row, column) = (k / side, k % side);
                talweg::field::slope_degrees(terrain.grid, &terrain.height, row, column, 0.3)
            };
            let height = |k: usize| terrain.height[k / side * n + k % side];
            let land: Vec<usize> = (0..side * side).filter(|&k| height(k) > 0.2).collect();
            let largest = |limit: f32| {
                let inside: Vec<bool> = (0..side * side).map(|k| land.contains(&k) && steep(k) <= limit).collect();
                let mut seen = vec![false; inside.len()];
                let mut sizes = vec![0];
                for start in 0..inside.len() {
                    let mut open = if inside[start] && !seen[start] { vec![start] } else { continue };
                    seen[start] = true;
                    let mut size = 0;
                    while let Some(at) = open.pop() {
                        size += 1;
                        let (row, column) = (at / side, at % side);
                        let rows = [terrain.grid.previous(row), terrain.grid.next(row)].into_iter().flatten();
                        let columns = [terrain.grid.previous(column), terrain.grid.next(column)].into_iter().flatten();
                        let around =
                            rows.map(|r| r % side * side + column).chain(columns.map(|c| row * side + c % side));
                        for next in around {
                            if inside[next] && !seen[next] {
                                seen[next] = true;
                                open.push(next);
                            }
                        }
                    }
                    sizes.push(size);
                }
                (inside.iter().filter(|&&i| i).count(), sizes.into_iter().max().unwrap())
            };
            let (playable, connected) = largest(62.0);
            let what = format!("{samples} {edges:?} seed {seed}");
            let share = (!land.is_empty()).then(|| playable as f64 / land.len() as f64);
            assert_eq!(value(&measures, "playable_fraction"), share, "{what}");
            let share = (playable > 0).then(|| connected as f64 / playable as f64);
            assert_eq!(value(&measures, "connected_fraction"), share, "{what}");
            let flat = largest(50.0).1 as f64 * 0.01 / (side * side) as f64;
            if !land.is_empty() {
                assert_near(value(&measures, "largest_flat_km2").unwrap(), flat, 1e-12, &what);
            }
        }
    }
}

#[test]
fn the_erosion_score_does_not_depend_on_size_or_relief() {
    let hills = brownian(129, 0.7, 2);
    let score = |terrain: &Terrain, scale: TerrainScale| {
        value(&measured(terrain, scale, &Limits::default()), "erosion_score").unwrap()
    };
    let known = score(&hills, SCALE);
    for (size_metres, relief_metres) in [(1.0, 0.1), (8000.0, 1800.0), (1e6, 1e5)] {
        assert_near(
            score(&hills, TerrainScale { size_metres, relief_metres, sea_metres: None }),
            known,
            1e-12,
            "scale",
        );
    }
    for factor in [0.25f32, 8.0, 3.7] {
        let mut high = hills.clone();
        high.height.iter_mut().for_each(|h| *h *= factor);
        assert_near(score(&high, SCALE), known, 1e-6, "exaggerated");
        let m = measures_of(&high);
        assert_near(
            value(&m, "fractal_dimension").unwrap(),
            value(&measures_of(&hills), "fractal_dimension").unwrap(),
            1e-5,
            "dimension",
        );
        assert_near(
            value(&m, "hypsometric_integral").unwrap(),
            value(&measures_of(&hills), "hypsometric_integral").unwrap(),
            1e-6,
            "integral",
        );
        assert_eq!(value(&m, "peaks"), value(&measures_of(&hills), "peaks"));
    }
}

/// Shifting a wrapping terrain by some samples changes none of its measures.
#[test]
fn moving_a_wrapping_terrain_changes_nothing() {
    let n = 65;
    let terrain = rough(n, Edges::Wrap, 7, 1e6);
    let mut moved = terrain.clone();
    for i in 0..n - 1 {
        for j in 0..n - 1 {
            moved.height[(i + 23) % (n - 1) * n + (j + 41) % (n - 1)] = terrain.height[i * n + j];
        }
    }
    moved.close_seam();
    let (a, b) = (measures_of(&terrain), measures_of(&moved));
    for m in MEASURES.iter().filter(|m| m.key != "hash" && !m.key.starts_with("box")) {
        match ((m.read)(&a).number(), (m.read)(&b).number()) {
            (Some(x), Some(y)) => assert_near(x, y, 1e-7 * x.abs().max(1.0), m.key),
            other => assert_eq!(other, (None, None), "{}", m.key),
        }
    }
    assert!(value(&a, "bifurcation_ratio").is_some() && value(&a, "peaks") > Some(5.0));
}

#[test]
fn every_size_is_measured_and_nothing_is_nan() {
    for samples in [2, 3, 4, 5, 13, 100, 333] {
        for edges in [Edges::Open, Edges::Wrap] {
            for (seed, steps) in [(1, 1e6), (2, 3.0)] {
                for sea_metres in [None, Some(45.0), Some(1e5)] {
                    let terrain = rough(samples, edges, seed, steps);
                    let scale = TerrainScale { sea_metres, ..SCALE };
                    for limits in [Limits::default(), Limits { source_area: 1e6, prominence: 1e5, ..Limits::default() }]
                    {
                        let measures = measured(&terrain, scale, &limits);
                        for m in MEASURES {
                            let number = (m.read)(&measures).number();
                            assert!(number.is_none_or(f64::is_finite), "{} at {samples} {edges:?}: {number:?}", m.key);
                            if m.key.ends_with("_fraction") {
                                assert!(number.is_none_or(|x| (0.0..=1.0).contains(&x)), "{}: {number:?}", m.key);
                            }
                        }
                        assert!(PLOTS.iter().all(|p| (p.points)(&measures).iter().flatten().all(|x| x.is_finite())));
                    }
                }
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for edges in [Edges::Open, Edges::Wrap] {
        let terrain = rough(333, edges, 5, 200.0);
        let other = rough(167, edges, 6, 200.0);
        let both = || {
            let difference = difference((&terrain, SCALE), (&other, SCALE), &Limits::default(), &Control::default());
            (measures_of(&terrain), difference.unwrap())
        };
        let known = on_threads(1, both);
        for threads in [2, 3, 8] {
            let made = on_threads(threads, both);
            assert!(made == known, "{threads} threads, {edges:?}");
            assert_eq!(serde_json::to_string(&made.0).unwrap(), serde_json::to_string(&known.0).unwrap());
        }
    }
}

#[test]
fn measuring_can_be_stopped() {
    let control = Control::default();
    control.cancel();
    let terrain = rough(100, Edges::Open, 1, 1e6);
    assert_eq!(measure(&terrain, SCALE, &Limits::default(), &control), Err(Cancelled));
    let stopped = difference((&terrain, SCALE), (&terrain, SCALE), &Limits::default(), &control);
    assert_eq!(stopped, Err(Cancelled));
}
