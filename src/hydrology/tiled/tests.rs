use super::*;
use crate::field::{Control, Edges, Grid, Stream};
use crate::hydrology::{FlowGraph, FlowMesh, FlowRouting, Outlets, accumulate};

/// Noise of few or many heights on hills and hollows wider than tiles.
fn ground(n: usize, seed: u32, steps: f32) -> Vec<f32> {
    let random = Stream::new(seed, 4);
    (0..n * n)
        .map(|k| {
            let (x, y) = ((k % n) as f32 / 31.0, (k / n) as f32 / 23.0);
            let wide = libm::sinf(x) * libm::cosf(y) + libm::sinf(0.37 * (x + y));
            ((wide + random.unit(k as i32, 0)) * steps) as i32 as f32 / steps
        })
        .collect()
}

/// Each tile is routed on a window of its own, and told of the others by words only.
fn check(n: usize, tile: usize, height: &[f32], sea: f32, routing: FlowRouting) {
    let (control, grid) = (Control::default(), Grid::working(n, Edges::Open));
    let mesh = FlowMesh::new(grid);
    let outlets = Outlets::new(grid, height, sea);
    let graph = FlowGraph::new(&mesh, height, &outlets, routing, &control).unwrap();
    let filled = graph.filled(height);
    let mut counts = Vec::new();
    mesh.write_rained_areas(None, &mut counts);
    accumulate(&graph.receivers, &mut counts, &control).unwrap();

    let ends = (1..n / tile).map(|k| k * tile);
    let spans: Vec<_> =
        ends.clone().chain([n]).zip([0].into_iter().chain(ends)).map(|(end, start)| start..end).collect();
    let tiles = TileRegions::new(n, spans);
    let window = |number: usize| {
        let region = tiles.region(number).grown(1, n);
        let side = region.rows.len().max(region.columns.len()).min(n);
        grid.window([region.rows.start.min(n - side), region.columns.start.min(n - side)], side)
    };
    let heights = |window: Grid| -> Vec<f32> {
        let [top, left] = window.first();
        (0..window.len()).map(|k| height[(top + k / window.samples) * n + left + k % window.samples]).collect()
    };
    let drained = |number: usize| {
        let (grid, region) = (window(number), tiles.region(number));
        let height = heights(grid);
        let outlets = Outlets::new(grid, &height, sea);
        RegionDrainage::new(grid, region, &height, &outlets, routing, &control).unwrap()
    };
    let rims: Vec<usize> = (0..tiles.len()).map(|number| rim(&tiles.region(number)).count()).collect();
    let summaries: Vec<_> = (0..tiles.len())
        .map(|number| {
            let words = drained(number).summary(&heights(window(number))).to_words();
            BasinSummary::from_words(&words, rims[number]).unwrap()
        })
        .collect();
    let spills = solve_spills(&tiles, &summaries, &control).unwrap();
    let solved: Vec<DrainedRegion> = (0..tiles.len())
        .map(|number| {
            let solution = SpillSolution::from_words(&spills[number].to_words()).unwrap();
            let drained = drained(number);
            assert!(solution.fits(&drained, &tiles));
            drained.solve(&heights(window(number)), &solution, &control).unwrap()
        })
        .collect();
    let flows: Vec<_> = solved
        .iter()
        .zip(&rims)
        .map(|(solved, &rim)| {
            FlowSummary::from_words(&solved.summary(None, &control).unwrap().to_words(), rim).unwrap()
        })
        .collect();
    let inflows = solve_inflows(&tiles, &flows, &control).unwrap();
    for (number, solved) in solved.iter().enumerate() {
        let inflow = InflowSolution::from_words(&inflows[number].to_words()).unwrap();
        let (grid, region) = (window(number), tiles.region(number));
        let [top, left] = grid.first();
        let (ours, cells) = (solved.filled(&heights(grid)), solved.areas(None, &inflow, &control).unwrap());
        for row in region.rows.clone() {
            for column in region.columns.clone() {
                let (k, there) = (row * n + column, (row - top) * grid.samples + column - left);
                let what = format!("{n} in tiles of {tile}, sea {sea}: {row}, {column}");
                assert_eq!(ours[there].to_bits(), filled[k].to_bits(), "{what}");
                assert_eq!(cells[there], counts[k], "{what}");
            }
        }
    }
}

#[test]
fn filled_ground_and_counts_of_tiles_are_those_of_the_whole() {
    for (n, tile, seed) in [(40, 16, 1), (97, 16, 2), (97, 33, 3), (130, 64, 4), (130, 130, 5)] {
        for steps in [3.0, 40.0, 1.0e4] {
            let height = ground(n, seed, steps);
            for sea in [f32::NEG_INFINITY, -0.9, 0.4] {
                for routing in [FlowRouting::D8, FlowRouting::Rho8(Stream::new(seed, 8))] {
                    check(n, tile, &height, sea, routing);
                }
            }
        }
    }
}

/// A course that crosses the same borders again and again, in a trough that spills at its end.
#[test]
fn courses_that_come_back_and_one_depression_over_all_tiles() {
    let n = 80;
    let course = |row: usize, column: usize| if (row / 4).is_multiple_of(2) { column } else { n - 1 - column };
    let meander: Vec<f32> = (0..n * n)
        .map(|k| {
            let (row, column) = (k / n, k % n);
            let along = (row / 4 * n + course(row, column)) as f32;
            let is_wall = row % 4 == 3 && course(row, column) < n - 3;
            if is_wall { 10.0 } else { 5.0 - along * 1.0e-3 }
        })
        .collect();
    let bowl: Vec<f32> = (0..n * n)
        .map(|k| {
            let [y, x] = [k / n, k % n].map(|at| at as f32 / 40.0 - 1.0);
            x * x + y * y
        })
        .collect();
    for height in [meander, bowl, vec![0.0; n * n]] {
        for tile in [16, 24, 40] {
            check(n, tile, &height, f32::NEG_INFINITY, FlowRouting::D8);
        }
    }
}
