//! Routing against brute force, planes and nets drawn by hand.
#![allow(clippy::disallowed_methods, reason = "no height depends on what a test measures")]

use crate::node_kit::on_threads;
use talweg::field::{Control, Stream};
use talweg::hydrology::{
    AROUND, Basins, Cells, Descent, Outlets, Spread, Steering, accumulate, flooded, strahler, upstream_first,
};

/// Rough ground, many hollows; with `steps` levels it is full of ties and flats.
fn rough(cells: Cells, seed: u32, steps: f32) -> Vec<f32> {
    let stream = Stream::new(seed, 1);
    let at = |k: usize| {
        let (row, column) = ((k / cells.side) as i32, (k % cells.side) as i32);
        let height = 0.5 * stream.unit(row / 9, column / 9) + 0.5 * stream.fork(1).unit(row, column);
        (height * steps).floor() / steps
    };
    (0..cells.len()).map(at).collect()
}

/// Every terrain the tests stand on: open and wrapping, with and without a sea, smooth-valued and full of ties.
fn each_terrain(mut check: impl FnMut(Cells, &[f32], Outlets, &str)) {
    for (side, wraps) in
        [(1, true), (2, true), (2, false), (3, false), (40, true), (61, false), (128, true), (130, false)]
    {
        for (seed, steps) in [(1, 1.0e6), (2, 12.0), (3, 1.0)] {
            for sea in [f32::NEG_INFINITY, 0.2] {
                let cells = Cells { side, wraps };
                let height = rough(cells, seed, steps);
                let outlets = Outlets::new(cells, &height, sea);
                check(cells, &height, outlets, &format!("{side} wraps {wraps} seed {seed} sea {sea}"));
            }
        }
    }
}

/// The least surface that drains, by lowering a flood until nothing changes (Planchon & Darboux 2002).
fn brute_force_fill(cells: Cells, height: &[f32], outlets: &Outlets, rise: f32) -> Vec<f32> {
    let mut surface: Vec<f32> =
        (0..cells.len()).map(|k| if outlets.contain(k, height[k]) { height[k] } else { f32::INFINITY }).collect();
    loop {
        let mut changed = false;
        for k in 0..cells.len() {
            for (d, there) in cells.around(k).into_iter().enumerate() {
                let Some(there) = there else { continue };
                let least = surface[there] + rise * if d % 2 == 0 { 1.0 } else { std::f32::consts::SQRT_2 };
                let w = if least > height[k] { least } else { height[k] };
                if w < surface[k] {
                    surface[k] = w;
                    changed = true;
                }
            }
        }
        if !changed {
            return surface;
        }
    }
}

fn drained(cells: Cells, height: &[f32], outlets: &Outlets, steering: Steering) -> (Descent, Basins) {
    let control = Control::default();
    let mut descent = Descent::new(cells, height, outlets, steering, &control).unwrap();
    let basins = Basins::new(cells, height, outlets, &descent, &control).unwrap();
    basins.drain(cells, &mut descent, &control).unwrap();
    (descent, basins)
}

fn both() -> [Steering; 2] {
    [Steering::Steepest, Steering::Scattered(Stream::new(5, 5))]
}

#[test]
fn filled_ground_is_that_of_brute_force_and_of_priority_flood() {
    each_terrain(|cells, height, outlets, what| {
        let expected = brute_force_fill(cells, height, &outlets, 0.0);
        for steering in both() {
            let (_, basins) = drained(cells, height, &outlets, steering);
            assert!(basins.filled(height) == expected, "{what} {steering:?}");
        }
        assert!(flooded(cells, height, &outlets, 0.0, &Control::default()).unwrap() == expected, "{what}");
    });
}

#[test]
fn sloping_fill_is_the_least_that_drains() {
    each_terrain(|cells, height, outlets, what| {
        let made = flooded(cells, height, &outlets, 0.003, &Control::default()).unwrap();
        let expected = brute_force_fill(cells, height, &outlets, 0.003);
        for (k, (a, b)) in made.iter().zip(&expected).enumerate() {
            assert!((a - b).abs() < 1e-5, "{what}: {a} is not {b} at {k}");
        }
    });
}

#[test]
fn all_water_leaves_over_no_pass_higher_than_the_filled_surface() {
    each_terrain(|cells, height, outlets, what| {
        for steering in both() {
            let (descent, basins) = drained(cells, height, &outlets, steering);
            let filled = basins.filled(height);
            for k in 0..cells.len() {
                let (mut at, mut steps) = (k, 0);
                while !outlets.contain(at, height[at]) {
                    let to = descent.receiver[at] as usize;
                    assert!(cells.around(at).contains(&Some(to)) && to != at, "{what}: {at} leads to {to}");
                    assert!(filled[to] <= filled[at], "{what}: up from {at} to {to}");
                    (at, steps) = (to, steps + 1);
                    assert!(steps <= cells.len(), "{what}: a circle at {k}");
                }
                assert_eq!(descent.receiver[at] as usize, at, "{what}");
            }
        }
    });
}

#[test]
fn areas_are_those_of_brute_force_and_add_up_to_the_terrain() {
    each_terrain(|cells, height, outlets, what| {
        for steering in both() {
            let (descent, _) = drained(cells, height, &outlets, steering);
            let order = upstream_first(&descent.receiver, &Control::default()).unwrap();
            for rain in [false, true] {
                let weight = |k: usize| if rain { (k % 5) as f32 } else { 1.0 };
                let mut area: Vec<f32> = (0..cells.len()).map(weight).collect();
                accumulate(&descent.receiver, &order, &mut area);
                let mut expected = vec![0.0f32; cells.len()];
                for k in 0..cells.len() {
                    let mut at = k;
                    loop {
                        expected[at] += weight(k);
                        let to = descent.receiver[at] as usize;
                        if to == at {
                            break;
                        }
                        at = to;
                    }
                }
                assert!(area == expected, "{what}");
                let left = |k: &usize| outlets.contain(*k, height[*k]);
                let total: f32 = (0..cells.len()).filter(left).map(|k| area[k]).sum();
                assert_eq!(total, (0..cells.len()).map(weight).sum::<f32>(), "{what}");
            }
        }
    });
}

#[test]
fn water_spread_between_two_neighbours_is_kept() {
    each_terrain(|cells, height, outlets, what| {
        let control = Control::default();
        let (descent, basins) = drained(cells, height, &outlets, Steering::Steepest);
        let spread = Spread::new(cells, &basins.filled(height), &outlets, &descent, &control).unwrap();
        let mut area = vec![1.0; cells.len()];
        spread.accumulate(&spread.upstream_first(&control).unwrap(), &spread.shares(), &mut area);
        let left = |k: &usize| outlets.contain(*k, height[*k]);
        let total: f64 = (0..cells.len()).filter(left).map(|k| f64::from(area[k])).sum();
        assert!((total / cells.len() as f64 - 1.0).abs() < 1e-5, "{what}: {total} of {}", cells.len());
        assert!(area.iter().all(|&a| a >= 1.0), "{what}");
    });
}

/// A plane that falls towards `azimuth` degrees, anticlockwise from the east.
fn plane(cells: Cells, azimuth: f32) -> Vec<f32> {
    let (x, y) = (azimuth.to_radians().cos(), azimuth.to_radians().sin());
    (0..cells.len()).map(|k| 10.0 - 0.01 * ((k % cells.side) as f32 * x - (k / cells.side) as f32 * y)).collect()
}

#[test]
fn a_plane_drains_in_its_direction() {
    let cells = Cells { side: 65, wraps: false };
    let control = Control::default();
    for azimuth in (0..360).step_by(5).map(|a| a as f32) {
        let height = plane(cells, azimuth);
        let outlets = Outlets::new(cells, &height, f32::NEG_INFINITY);
        let descent = Descent::new(cells, &height, &outlets, Steering::Steepest, &control).unwrap();
        let spread = Spread::new(cells, &height, &outlets, &descent, &control).unwrap();
        let heading = |k: usize, to: u32| {
            let d = cells.around(k).iter().position(|&there| there == Some(to as usize)).unwrap();
            let (dr, dc) = AROUND[d];
            (-dr as f64).atan2(dc as f64).to_degrees()
        };
        let turn = |a: f64, b: f64| (a - b + 540.0).rem_euclid(360.0) - 180.0;
        let k = 30 * 65 + 30;
        let [first, second] = spread.receivers[k];
        let (a, b) = (heading(k, first), heading(k, second));
        let made = a + turn(b, a) * f64::from(spread.shares()[k]);
        assert!(turn(made, f64::from(azimuth)).abs() < 0.02, "{made} is not {azimuth}");

        // courses from the middle with many draws: the mean end lies in the direction of the plane
        let (mut east, mut north) = (0.0, 0.0);
        for seed in 0..200 {
            let scattered =
                Descent::new(cells, &height, &outlets, Steering::Scattered(Stream::new(seed, 3)), &control).unwrap();
            let mut at = 32 * 65 + 32;
            for _ in 0..20 {
                assert!(
                    (scattered.distance[at] * 0.01 - (height[at] - height[scattered.receiver[at] as usize])).abs()
                        < 1e-4
                );
                at = scattered.receiver[at] as usize;
            }
            east += at as f64 % 65.0 - 32.0;
            north += 32.0 - (at / 65) as f64;
        }
        let mean = north.atan2(east).to_degrees();
        assert!(turn(mean, f64::from(azimuth)).abs() < 1.5, "{mean} is not {azimuth}");
    }
}

#[test]
fn strahler_orders_of_a_net_drawn_by_hand() {
    // two springs (0, 1) make 4; 4 and the spring 2 go on as 5 of order 2; 3, 6 make 7 of order 2; 5 and 7 make 8 of order 3;
    // the springs 9, 10 and 11 meet in 12, which is of order 2; 8 and 12 end in 13
    let receiver = [4, 4, 5, 7, 5, 8, 7, 8, 13, 12, 12, 12, 13, 13];
    let order = upstream_first(&receiver, &Control::default()).unwrap();
    let made = strahler(&receiver, &order, |_| true);
    assert_eq!(made, [1, 1, 1, 1, 2, 2, 1, 2, 3, 1, 1, 1, 2, 3]);
    // without the springs the net begins lower down
    let channels = strahler(&receiver, &order, |k| ![0, 1, 2, 3, 6, 9, 10, 11].contains(&k));
    assert_eq!(channels, [0, 0, 0, 0, 1, 1, 0, 1, 2, 0, 0, 0, 1, 2]);
}

#[test]
fn lakes_have_their_level_area_volume_and_outlet() {
    // a plateau of height 5 with a basin 4 deep, a basin 2 deep beside it behind a sill of 3.5, and a way out at 4
    let cells = Cells { side: 12, wraps: false };
    let mut height = vec![5.0; cells.len()];
    let mut dig = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>, h: f32| {
        rows.for_each(|r| columns.clone().for_each(|c| height[r * 12 + c] = h));
    };
    dig(2..6, 2..5, 1.0);
    dig(2..6, 6..9, 3.0);
    dig(3..4, 5..6, 3.5);
    dig(4..5, 9..12, 4.0);
    dig(8..10, 2..4, 4.5);
    let outlets = Outlets::new(cells, &height, f32::NEG_INFINITY);
    let (_, basins) = drained(cells, &height, &outlets, Steering::Steepest);
    let (_, mut lakes) = basins.lakes(&height);
    lakes.retain(|lake| lake.cells > 0);
    lakes.sort_by(|a, b| a.level.total_cmp(&b.level));
    assert_eq!(lakes.len(), 2);
    let [big, small] = lakes[..] else { unreachable!("counted") };
    // 12 cells of depth 3, 12 of depth 1 and the sill of depth ½
    assert_eq!((big.level, big.cells, big.volume, big.deepest), (4.0, 25, 48.5, 3.0));
    assert_eq!(big.outlet.map(|k| (k / 12, k % 12)).map(|(row, _)| row), [4, 4]);
    assert_eq!((small.level, small.cells, small.volume), (5.0, 4, 2.0));
}

#[test]
fn threads_do_not_change_a_bit() {
    let cells = Cells { side: 400, wraps: true };
    let height = rough(cells, 9, 50.0);
    let outlets = Outlets::new(cells, &height, 0.05);
    for steering in both() {
        let [one, two] = [1, 2].map(|threads| on_threads(threads, || drained(cells, &height, &outlets, steering)));
        assert!(one.0.receiver == two.0.receiver && one.1.level == two.1.level && one.1.of == two.1.of);
    }
}
