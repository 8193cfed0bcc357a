//! Water on level ground, against distances counted by hand: it takes the nearest way out of a flat, to all sides
//! alike (Barnes, Lehman & Mulla 2014; Garbrecht & Martz 1997).

use talweg::field::{Control, Edges, Grid, Stream};
use talweg::hydrology::{FlowGraph, FlowMesh, FlowRouting, Outlets};

const NO_SEA: f32 = f32::NEG_INFINITY;

fn routed(grid: Grid, height: &[f32], sea: f32, routing: FlowRouting) -> FlowGraph {
    let outlets = Outlets::new(grid, height, sea);
    FlowGraph::new(&FlowMesh::new(grid), height, &outlets, routing, &Control::default()).unwrap()
}

/// Number of steps from each cell to its outlet.
fn steps(graph: &FlowGraph) -> Vec<usize> {
    (0..graph.receivers.len()).map(|k| graph.course(k).len() - 1).collect()
}

fn both() -> [FlowRouting; 2] {
    [FlowRouting::D8, FlowRouting::Rho8(Stream::new(2, 7))]
}

#[test]
fn level_square_drains_to_the_nearest_rim_on_all_sides_alike() {
    let (n, last) = (65, 64);
    for routing in both() {
        let graph = routed(Grid::new(n, Edges::Open), &vec![3.0; n * n], NO_SEA, routing);
        let mut rims = [0.0; 4];
        for (k, taken) in steps(&graph).into_iter().enumerate() {
            let (row, column) = (k / n, k % n);
            assert_eq!(taken, row.min(column).min(last - row).min(last - column), "{k}");
            let end = *graph.course(k).last().unwrap();
            let sides = [end / n == 0, end % n == last, end / n == last, end.is_multiple_of(n)];
            // A corner belongs to two sides.
            let count = sides.iter().filter(|&&is_side| is_side).count() as f64;
            (0..4).filter(|&side| sides[side]).for_each(|side| rims[side] += 1.0 / count);
        }
        let mean = (n * n) as f64 / 4.0;
        assert!(rims.iter().all(|rim| (rim / mean - 1.0).abs() < 0.02), "{rims:?}");
    }
}

#[test]
fn water_finds_the_only_gap_around_a_wall_on_the_shortest_way() {
    let n = 41;
    // A basin with a rim of 2, a floor of 1, a wall of 2 across its middle with one gap, and one outflow in the north.
    let height: Vec<f32> = (0..n * n)
        .map(|k| {
            let (row, column) = (k / n, k % n);
            let is_rim = row == 0 || column == 0 || row == n - 1 || column == n - 1;
            let is_wall = row == 20 && column != 33;
            match (is_rim, is_wall) {
                _ if (row, column) == (0, 7) => 0.0,
                (false, false) => 1.0,
                _ => 2.0,
            }
        })
        .collect();
    for routing in both() {
        let graph = routed(Grid::new(n, Edges::Open), &height, NO_SEA, routing);
        for (k, taken) in steps(&graph).into_iter().enumerate().filter(|&(k, _)| height[k] == 1.0) {
            let (row, column) = (k / n, k % n);
            let to = |row: usize, column: usize, r: usize, c: usize| row.abs_diff(r).max(column.abs_diff(c));
            // All cells of the floor leave through the notch (0, 7). South of the wall they first pass the gap.
            let expected = match row {
                21.. => to(row, column, 20, 33) + to(20, 33, 0, 7),
                _ => to(row, column, 0, 7),
            };
            assert_eq!(taken, expected, "({row}, {column})");
        }
    }
}

#[test]
fn lake_water_takes_the_nearest_way_to_the_spill_point() {
    let n = 33;
    // A bowl whose rim is cut at its east side: the lake drains there, and not over the pit in the middle.
    let height: Vec<f32> = (0..n * n)
        .map(|k| {
            let [y, x] = [k / n, k % n].map(|at| at as f32 - 16.0);
            if y == 0.0 && x > 10.0 { 100.0 - x } else { x * x + y * y }
        })
        .collect();
    let graph = routed(Grid::new(n, Edges::Open), &height, NO_SEA, FlowRouting::D8);
    let lake: Vec<usize> = (0..n * n).filter(|&k| graph.surface[k] > height[k]).collect();
    assert!(lake.len() > 200, "{} cells", lake.len());
    let spill = 16 * n + 16 + 10;
    assert_eq!(graph.surface[spill], height[spill]);
    for k in lake {
        let to_spill = (k / n).abs_diff(16).max((k % n).abs_diff(26));
        let within = graph.course(k).iter().take_while(|&&at| graph.surface[at] == height[spill]).count();
        assert_eq!(within, to_spill + 1, "{k}");
    }
}

#[test]
fn plains_of_a_globe_reach_the_sea_on_the_shortest_way() {
    let grid = Grid::globe(24);
    let mesh = FlowMesh::new(grid);
    let random = Stream::new(4, 1);
    let mut height: Vec<f32> =
        (0..grid.len()).map(|k| if random.unit(k as i32, 0) < 0.02 { 0.0 } else { 1.0 }).collect();
    grid.close(&mut height);
    // The distances, found by relaxation.
    let mut distance: Vec<usize> = height.iter().map(|&h| if h == 0.0 { 0 } else { usize::MAX }).collect();
    loop {
        let before = distance.clone();
        for k in (0..grid.len()).filter(|&k| grid.owns(k) && height[k] > 0.0) {
            let nearest = mesh.existing_neighbours(k).map(|there| distance[there]).min().unwrap();
            distance[k] = distance[k].min(nearest.saturating_add(1));
        }
        if distance == before {
            break;
        }
    }
    let taken = steps(&routed(grid, &height, 0.0, FlowRouting::D8));
    assert!((0..grid.len()).filter(|&k| grid.owns(k)).all(|k| taken[k] == distance[k]));
    assert!(distance.iter().filter(|&&d| d < usize::MAX).max() > Some(&5));
}
