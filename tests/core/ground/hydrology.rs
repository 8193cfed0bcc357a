//! Tests of flow routing against brute force, planes and hand-drawn networks.

use crate::kits::nodes::on_threads;
use talweg::field::topology::{DIRECTIONS, NONE};
use talweg::field::{Control, Edges, Grid, Stream};
use talweg::hydrology::{
    DInfinity, FlowGraph, FlowMesh, FlowRouting, Outlets, Receivers, UpstreamOrder, accumulate, priority_flood,
    strahler_orders,
};

/// Rough terrain with many depressions. With `steps` height levels it also has many ties and flats.
fn rough(grid: Grid, seed: u32, steps: f32) -> Vec<f32> {
    let stream = Stream::new(seed, 1);
    let noise = |k: usize| {
        let (row, column) = ((k / grid.samples) as i32, (k % grid.samples) as i32);
        let height = 0.5 * stream.unit(row / 9, column / 9) + 0.5 * stream.fork(1).unit(row, column);
        (height * steps).floor() / steps
    };
    let mut height: Vec<f32> = (0..grid.len()).map(noise).collect();
    grid.close(&mut height);
    height
}

/// Runs the check on every test terrain: open, wrapping and globe, with and without a sea, with smooth heights and with
/// many equal heights.
fn each_terrain(mut check: impl FnMut(&FlowMesh, &[f32], Outlets, &str)) {
    let squares = [(2, Edges::Wrap), (3, Edges::Wrap), (2, Edges::Open), (3, Edges::Open)];
    let larger = [(41, Edges::Wrap), (61, Edges::Open), (129, Edges::Wrap), (130, Edges::Open)];
    let squares = squares.into_iter().chain(larger).map(|(samples, edges)| Grid::new(samples, edges));
    for grid in squares.chain([2, 3, 4, 30].map(Grid::globe)) {
        let mesh = FlowMesh::new(grid);
        for (seed, steps) in [(1, 1.0e6), (2, 12.0), (3, 1.0)] {
            for sea in [f32::NEG_INFINITY, 0.2] {
                let height = rough(grid, seed, steps);
                let outlets = Outlets::new(grid, &height, sea);
                check(&mesh, &height, outlets, &format!("{grid:?} seed {seed} sea {sea}"));
            }
        }
    }
}

/// Indices of the cells that are not copies of other cells.
fn owners(mesh: &FlowMesh) -> impl Iterator<Item = usize> {
    let grid = mesh.grid();
    (0..grid.len()).filter(move |&k| grid.owns(k))
}

/// The lowest surface that drains, found by lowering a flooded surface until nothing changes (Planchon & Darboux 2002).
fn brute_force_fill(mesh: &FlowMesh, height: &[f32], outlets: &Outlets, rise: f32) -> Vec<f32> {
    let start = |k: usize| if outlets.contain(k, height[k]) { height[k] } else { f32::INFINITY };
    let mut surface: Vec<f32> = (0..mesh.len()).map(start).collect();
    loop {
        let mut changed = false;
        for k in owners(mesh) {
            for (there, distance) in mesh.neighbours(k).into_iter().zip(mesh.distances(k)) {
                if there == NONE {
                    continue;
                }
                let least = surface[there as usize] + rise * distance;
                let w = if least > height[k] { least } else { height[k] };
                if w < surface[k] {
                    surface[k] = w;
                    changed = true;
                }
            }
        }
        if !changed {
            mesh.grid().close(&mut surface);
            return surface;
        }
    }
}

fn routed(mesh: &FlowMesh, height: &[f32], outlets: &Outlets, routing: FlowRouting) -> FlowGraph {
    FlowGraph::new(mesh, height, outlets, routing, &Control::default()).unwrap()
}

fn closed(mesh: &FlowMesh, mut field: Vec<f32>) -> Vec<f32> {
    mesh.grid().close(&mut field);
    field
}

fn both() -> [FlowRouting; 2] {
    [FlowRouting::D8, FlowRouting::Rho8(Stream::new(5, 5))]
}

#[test]
fn filled_terrain_equals_brute_force_and_priority_flood() {
    each_terrain(|mesh, height, outlets, what| {
        let expected = brute_force_fill(mesh, height, &outlets, 0.0);
        for routing in both() {
            let graph = routed(mesh, height, &outlets, routing);
            assert!(closed(mesh, graph.surface) == expected, "{what} {routing:?}");
        }
        let flooded = priority_flood(mesh, height, &outlets, 0.0, &Control::default()).unwrap();
        assert!(closed(mesh, flooded) == expected, "{what}");
    });
}

#[test]
fn sloping_fill_is_the_lowest_that_drains() {
    each_terrain(|mesh, height, outlets, what| {
        let made = priority_flood(mesh, height, &outlets, 0.003, &Control::default()).unwrap();
        let expected = brute_force_fill(mesh, height, &outlets, 0.003);
        for k in owners(mesh) {
            let (a, b) = (made[k], expected[k]);
            assert!((a - b).abs() < 1e-5, "{what}: {a} is not {b} at {k}");
        }
    });
}

#[test]
fn all_water_leaves_without_rising_above_the_filled_surface() {
    each_terrain(|mesh, height, outlets, what| {
        for routing in both() {
            let graph = routed(mesh, height, &outlets, routing);
            let filled = &graph.surface;
            for k in owners(mesh) {
                let (mut at, mut steps) = (k, 0);
                while !outlets.contain(at, height[at]) {
                    let to = graph.receivers[at] as usize;
                    assert!(mesh.neighbours(at).contains(&(to as u32)) && to != at, "{what}: {at} leads to {to}");
                    assert!(filled[to] <= filled[at], "{what}: up from {at} to {to}");
                    (at, steps) = (to, steps + 1);
                    assert!(steps <= mesh.len(), "{what}: a circle at {k}");
                }
                assert_eq!(graph.receivers[at] as usize, at, "{what}");
            }
        }
    });
}

#[test]
fn areas_equal_brute_force_and_add_up_to_the_terrain() {
    each_terrain(|mesh, height, outlets, what| {
        for routing in both() {
            let graph = routed(mesh, height, &outlets, routing);
            for rain in [false, true] {
                let owns = |k: usize| mesh.grid().owns(k);
                let weight = |k: usize| {
                    if !owns(k) {
                        0.0
                    } else if rain {
                        (k % 5) as f32
                    } else {
                        1.0
                    }
                };
                let mut area: Vec<f32> = (0..mesh.len()).map(weight).collect();
                accumulate(&graph.receivers, &mut area, &Control::default()).unwrap();
                let mut expected = vec![0.0f32; mesh.len()];
                for k in owners(mesh) {
                    let mut at = k;
                    loop {
                        expected[at] += weight(k);
                        let to = graph.receivers[at] as usize;
                        if to == at {
                            break;
                        }
                        at = to;
                    }
                }
                assert!(area == expected, "{what}");
                let left = |k: &usize| outlets.contain(*k, height[*k]);
                let total: f32 = (0..mesh.len()).filter(left).map(|k| area[k]).sum();
                assert_eq!(total, (0..mesh.len()).map(weight).sum::<f32>(), "{what}");
            }
        }
    });
}

#[test]
fn water_between_two_neighbours_is_kept() {
    each_terrain(|mesh, height, outlets, what| {
        let control = Control::default();
        let graph = routed(mesh, height, &outlets, FlowRouting::D8);
        let flow = DInfinity::new(mesh, &graph.surface, &outlets, &graph.receivers, &control).unwrap();
        let shares = flow.second_fractions(mesh);
        assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{what}");
        let mut area = Vec::new();
        mesh.write_rained_areas(None, &mut area);
        let whole: u64 = area.iter().map(|area| area.units()).sum();
        let own = area.clone();
        flow.accumulate(&shares, &mut area, &control).unwrap();
        let left = |k: &usize| outlets.contain(*k, height[*k]);
        let total: u64 = (0..mesh.len()).filter(left).map(|k| area[k].units()).sum();
        assert_eq!(total, whole, "{what}: not a unit is lost");
        assert!(area.iter().zip(&own).all(|(all, own)| all.units() >= own.units()), "{what}");
    });
}

/// A plane that slopes down towards `azimuth`, in degrees anticlockwise from the east.
fn plane(samples: usize, azimuth: f32) -> Vec<f32> {
    let (x, y) = (azimuth.to_radians().cos(), azimuth.to_radians().sin());
    (0..samples * samples).map(|k| 10.0 - 0.01 * ((k % samples) as f32 * x - (k / samples) as f32 * y)).collect()
}

#[test]
fn a_plane_drains_in_its_direction() {
    // A path of 20 steps from the middle must not reach the edge.
    const N: usize = 43;
    let mesh = FlowMesh::new(Grid::new(N, Edges::Open));
    let control = Control::default();
    for azimuth in (0..360).step_by(5).map(|a| a as f32) {
        let height = plane(N, azimuth);
        let outlets = Outlets::new(mesh.grid(), &height, f32::NEG_INFINITY);
        let graph = routed(&mesh, &height, &outlets, FlowRouting::D8);
        let flow = DInfinity::new(&mesh, &height, &outlets, &graph.receivers, &control).unwrap();
        let heading = |k: usize, to: u32| {
            let direction = mesh.neighbours(k).iter().position(|&there| there == to).unwrap();
            let (down, right) = DIRECTIONS[direction];
            (-down as f64).atan2(right as f64).to_degrees()
        };
        let turn = |a: f64, b: f64| (a - b + 540.0).rem_euclid(360.0) - 180.0;
        let k = (N / 2 - 2) * (N + 1);
        let [first, second] = flow.receivers.receivers(k);
        let (a, b) = (heading(k, first), heading(k, second));
        let made = a + turn(b, a) * f64::from(flow.second_fractions(&mesh)[k]);
        assert!(turn(made, f64::from(azimuth)).abs() < 0.02, "{made} is not {azimuth}");

        // Many random flow paths start in the middle. Their mean end point is in the direction of the plane's steepest
        // descent.
        let (mut east, mut north) = (0.0, 0.0);
        for seed in 0..200 {
            let receivers = routed(&mesh, &height, &outlets, FlowRouting::Rho8(Stream::new(seed, 3))).receivers;
            let mut at = N / 2 * (N + 1);
            for _ in 0..20 {
                at = receivers[at] as usize;
            }
            east += (at % N) as f64 - (N / 2) as f64;
            north += (N / 2) as f64 - (at / N) as f64;
        }
        let mean = north.atan2(east).to_degrees();
        assert!(turn(mean, f64::from(azimuth)).abs() < 1.5, "{mean} is not {azimuth}");
    }
}

#[test]
fn a_hand_drawn_network_has_its_strahler_orders() {
    // Springs 0 and 1 join in cell 4. Cell 4 and spring 2 continue as cell 5 of order 2; springs 3 and 6 join in cell 7
    // of order 2. Cells 5 and 7 join in cell 8 of order 3. Springs 9, 10 and 11 join in cell 12 of order 2. Cells 8 and
    // 12 end in cell 13.
    let receivers = [4, 4, 5, 7, 5, 8, 7, 8, 13, 12, 12, 12, 13, 13];
    let order = UpstreamOrder::new(receivers.as_chunks::<1>().0, &Control::default()).unwrap();
    let made = strahler_orders(&receivers, order.iter(), |_| true);
    assert_eq!(made, [1, 1, 1, 1, 2, 2, 1, 2, 3, 1, 1, 1, 2, 3]);
    // If the springs are not channels, the network begins farther downstream.
    let channels = strahler_orders(&receivers, order.iter(), |k| ![0, 1, 2, 3, 6, 9, 10, 11].contains(&k));
    assert_eq!(channels, [0, 0, 0, 0, 1, 1, 0, 1, 2, 0, 0, 0, 1, 2]);
}

#[test]
fn lakes_have_their_level_area_volume_and_outlet() {
    // A plateau at height 5 has a basin 4 deep and a second basin 2 deep. A sill at 3.5 separates the basins, and the
    // outlet is at 4.
    let mesh = FlowMesh::new(Grid::new(12, Edges::Open));
    let mut height = vec![5.0; mesh.len()];
    let mut dig = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>, h: f32| {
        rows.for_each(|r| columns.clone().for_each(|c| height[r * 12 + c] = h));
    };
    dig(2..6, 2..5, 1.0);
    dig(2..6, 6..9, 3.0);
    dig(3..4, 5..6, 3.5);
    dig(4..5, 9..12, 4.0);
    dig(8..10, 2..4, 4.5);
    let outlets = Outlets::new(mesh.grid(), &height, f32::NEG_INFINITY);
    let graph = routed(&mesh, &height, &outlets, FlowRouting::D8);
    let (_, mut lakes) = graph.basins.lakes(&mesh, &height);
    lakes.retain(|lake| lake.area > 0.0);
    lakes.sort_by(|a, b| a.level.total_cmp(&b.level));
    assert_eq!(lakes.len(), 2);
    let [big, small] = lakes[..] else { unreachable!("counted") };
    // The large lake has 12 cells of depth 3, 12 cells of depth 1, and the sill with depth ½.
    assert_eq!((big.level, big.area, big.volume, big.deepest), (4.0, 25.0, 48.5, 3.0));
    assert_eq!(big.outlet.map(|k| (k / 12, k % 12)).map(|(row, _)| row), [4, 4]);
    assert_eq!((small.level, small.area, small.volume), (5.0, 4.0, 2.0));
}

#[test]
fn threads_do_not_change_a_bit() {
    for grid in [Grid::new(401, Edges::Wrap), Grid::globe(100)] {
        let mesh = FlowMesh::new(grid);
        let height = rough(grid, 9, 50.0);
        let outlets = Outlets::new(grid, &height, 0.05);
        for routing in both() {
            let [one, two] = [1, 2].map(|threads| on_threads(threads, || routed(&mesh, &height, &outlets, routing)));
            assert!(one.receivers == two.receivers && one.basins.spill_level == two.basins.spill_level);
            assert!(one.basins.basin == two.basins.basin);
        }
    }
}
