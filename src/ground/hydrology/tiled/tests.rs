use super::*;
use crate::field::{Control, Edges, Grid, Stream};
use crate::hydrology::{DInfinity, FlowGraph, FlowMesh, FlowRouting, Outlets, UpstreamOrder, accumulate};

/// Test terrain: hills and hollows wider than the tiles, plus noise. All heights are multiples of 1 / `steps`.
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

/// Terrain that is divided into tiles, each with its own window.
struct TiledGround<'a> {
    n: usize,
    height: &'a [f32],
    sea: f32,
    routing: FlowRouting,
    tiles: TileRegions,
}

impl<'a> TiledGround<'a> {
    fn new(n: usize, tile: usize, height: &'a [f32], sea: f32, routing: FlowRouting) -> Self {
        let ends = (1..n / tile).map(|k| k * tile);
        let spans = ends.clone().chain([n]).zip([0].into_iter().chain(ends)).map(|(end, start)| start..end).collect();
        Self { n, height, sea, routing, tiles: TileRegions::new(n, spans) }
    }

    fn window(&self, number: usize) -> Grid {
        let region = self.tiles.region(number).grown(1, self.n);
        let side = region.rows.len().max(region.columns.len()).min(self.n);
        let first = [region.rows.start.min(self.n - side), region.columns.start.min(self.n - side)];
        Grid::working(self.n, Edges::Open).window(first, side)
    }

    fn heights(&self, number: usize) -> Vec<f32> {
        let (window, [top, left]) = (self.window(number), self.window(number).first());
        (0..window.len())
            .map(|k| self.height[(top + k / window.samples) * self.n + left + k % window.samples])
            .collect()
    }

    fn drained(&self, number: usize) -> RegionDrainage {
        let (grid, region, height) = (self.window(number), self.tiles.region(number), self.heights(number));
        let outlets = Outlets::new(grid, &height, self.sea);
        RegionDrainage::new(grid, region, &height, &outlets, &Control::default()).unwrap()
    }

    fn rims(&self) -> Vec<usize> {
        (0..self.tiles.len()).map(|number| rim(&self.tiles.region(number)).count()).collect()
    }

    /// The solution of `solve_spills` for each tile.
    fn spills(&self) -> Vec<SpillSolution> {
        let summaries: Vec<_> = self
            .rims()
            .into_iter()
            .enumerate()
            .map(|(number, rim)| {
                let words = self.drained(number).summary(&self.heights(number)).to_words();
                BasinSummary::from_words(&words, rim).unwrap()
            })
            .collect();
        let spills = solve_spills(&self.tiles, &summaries, &Control::default()).unwrap();
        spills.iter().map(|solution| SpillSolution::from_words(&solution.to_words()).unwrap()).collect()
    }

    fn filled(&self, number: usize, spills: &SpillSolution) -> (FilledRegion, Outlets) {
        let (drained, height) = (self.drained(number), self.heights(number));
        assert!(spills.fits(&drained, &self.tiles));
        let outlets = Outlets::new(self.window(number), &height, self.sea);
        (drained.fill(&height, spills, &Control::default()).unwrap(), outlets)
    }

    /// The drainage of each tile.
    fn solved(&self) -> Vec<DrainedRegion> {
        let (control, routing) = (Control::default(), self.routing);
        let filled: Vec<_> =
            self.spills().iter().enumerate().map(|(number, spills)| self.filled(number, spills)).collect();
        let summary = |(number, (filled, outlets)): (usize, &(FilledRegion, Outlets))| {
            let words = filled.flats(outlets, routing, &control).unwrap().to_words();
            FlatSummary::from_words(&words, &self.tiles.region(number)).unwrap()
        };
        let summaries: Vec<_> = filled.iter().enumerate().map(summary).collect();
        let solutions = solve_flats(&self.tiles, summaries, &control).unwrap();
        let drain = |(number, ((filled, outlets), solution)): (usize, ((FilledRegion, Outlets), FlatSolution))| {
            let region = self.tiles.region(number);
            let solution = FlatSolution::from_words(&solution.to_words(), &region, self.n).unwrap();
            filled.drain(&self.heights(number), &outlets, routing, &solution, &control).unwrap()
        };
        filled.into_iter().zip(solutions).enumerate().map(drain).collect()
    }

    /// For each cell of a tile, its index in the whole square and its index in the tile's window.
    fn cells(&self, number: usize) -> impl Iterator<Item = [usize; 2]> {
        let (grid, region, n) = (self.window(number), self.tiles.region(number), self.n);
        let [top, left] = grid.first();
        region.rows.flat_map(move |row| {
            let columns = region.columns.clone();
            columns.map(move |column| [row * n + column, (row - top) * grid.samples + column - left])
        })
    }
}

/// Checks that the drainage passed between tiles as 64-bit words equals the drainage of the whole square.
fn check(n: usize, tile: usize, height: &[f32], sea: f32, routing: FlowRouting) {
    let (control, grid) = (Control::default(), Grid::working(n, Edges::Open));
    let mesh = FlowMesh::new(grid);
    let outlets = Outlets::new(grid, height, sea);
    let graph = FlowGraph::new(&mesh, height, &outlets, routing, &control).unwrap();
    let filled = &graph.surface;
    let mut counts = Vec::new();
    mesh.write_rained_areas(None, &mut counts);
    accumulate(&graph.receivers, &mut counts, &control).unwrap();

    let ground = TiledGround::new(n, tile, height, sea, routing);
    let (tiles, rims, solved) = (&ground.tiles, ground.rims(), ground.solved());
    let flows: Vec<_> = solved
        .iter()
        .zip(&rims)
        .map(|(solved, &rim)| {
            FlowSummary::from_words(&solved.summary(None, &control).unwrap().to_words(), rim).unwrap()
        })
        .collect();
    let inflows = solve_inflows(tiles, &flows, &control).unwrap();
    for (number, solved) in solved.iter().enumerate() {
        let inflow = InflowSolution::from_words(&inflows[number].to_words()).unwrap();
        let (ours, areas) = (&solved.surface, solved.areas(None, &inflow, &control).unwrap());
        for [k, there] in ground.cells(number) {
            let what = format!("{n} in tiles of {tile}, sea {sea}: {k}");
            assert_eq!(ours[there].to_bits(), filled[k].to_bits(), "{what}");
            assert_eq!(areas[there], counts[k], "{what}");
        }
    }
}

/// Returns a value that depends on the drainage area and on the values of the two receivers, and is rounded.
fn eroded(height: f32, below: [f32; 2], share: f32, area: f32) -> f32 {
    let floor = below[0] + (below[1] - below[0]) * share;
    if height > floor { floor + (height - floor) / (1.0 + area.sqrt()) } else { height }
}

/// Checks divided drainage of tiles, and values that propagate upstream along it, against the whole square.
fn check_divided(n: usize, tile: usize, height: &[f32], sea: f32) {
    let (control, grid) = (Control::default(), Grid::working(n, Edges::Open));
    let (mesh, outlets) = (FlowMesh::new(grid), Outlets::new(grid, height, sea));
    let graph = FlowGraph::new(&mesh, height, &outlets, FlowRouting::D8, &control).unwrap();
    let flow = DInfinity::new(&mesh, &graph.surface, &outlets, &graph.receivers, &control).unwrap();
    let shares = flow.second_fractions(&mesh);
    let mut areas = Vec::new();
    mesh.write_rained_areas(None, &mut areas);
    let order = flow.accumulate(&shares, &mut areas, &control).unwrap();
    let mut values = height.to_vec();
    let visit = |k: usize, height: f32, below: [f32; 2]| eroded(height, below, shares[k], areas[k].cells());
    order.traverse_upstream(&flow.receivers, &mut values, &control, visit).unwrap();

    let ground = TiledGround::new(n, tile, height, sea, FlowRouting::D8);
    let (mut kept, mut summaries, mut risen) = (Vec::new(), Vec::new(), Vec::new());
    for ((number, rim), solved) in ground.rims().into_iter().enumerate().zip(ground.solved()) {
        let (window, heights) = (ground.window(number), ground.heights(number));
        let (mesh, outlets) = (FlowMesh::new(window), Outlets::new(window, &heights, sea));
        let divided = solved.divided(&outlets, &control).unwrap();
        let (shares, mut areas) = (divided.flow.second_fractions(&mesh), Vec::new());
        mesh.write_rained_areas(None, &mut areas);
        divided.accumulate(&shares, &mut areas, &control).unwrap();
        let mut words = Vec::new();
        divided.summary(&shares, &areas).write_words(&mut words);
        summaries.push(DividedSummary::read_words(&mut SurveyReader::new(&words), rim).unwrap());
        assert!(DividedSummary::read_words(&mut SurveyReader::new(&words), rim + 1).is_err());
        risen.extend(divided.trunks().iter().map(|&k| heights[k as usize]));
        let mut words = Vec::new();
        divided.write_words(&mut words);
        kept.push((words, shares, areas));
    }
    let world = DividedTrunks::new(&ground.tiles, summaries, &control).unwrap();
    let visit = |k: usize, height: f32, below: [f32; 2]| {
        eroded(height, below, world.second_fractions[k], world.areas[k].cells())
    };
    world.traverse_upstream(&mut risen, &control, visit).unwrap();
    let told = world.solutions(|k| risen[k]);
    for (number, (words, shares, gathered)) in kept.into_iter().enumerate() {
        let (window, mut heights) = (ground.window(number), ground.heights(number));
        let region = ground.tiles.region(number);
        let divided = DividedRegion::of_tile(window, region, &mut SurveyReader::new(&words)).unwrap();
        let mut cells: Vec<f32> = gathered.iter().map(|area| area.cells()).collect();
        divided
            .read_solution(&told[number].to_words(), |k, [area, value]| (cells[k], heights[k]) = (area, value))
            .unwrap();
        assert!(divided.read_solution(&told[number].to_words()[1..], |_, _| {}).is_err());
        let order = UpstreamOrder::new(&divided.flow.receivers, &control).unwrap();
        let visit = |k: usize, height: f32, below: [f32; 2]| match divided.is_trunk(k) {
            true => height,
            false => eroded(height, below, shares[k], cells[k]),
        };
        order.traverse_upstream(&divided.flow.receivers, &mut heights, &control, visit).unwrap();
        for [k, there] in ground.cells(number) {
            let what = format!("{n} in tiles of {tile}, sea {sea}: {k}");
            assert_eq!(cells[there].to_bits(), areas[k].cells().to_bits(), "{what}");
            assert_eq!(heights[there].to_bits(), values[k].to_bits(), "{what}");
        }
    }
}

#[test]
fn divided_flow_in_tiles_equals_the_whole_in_both_directions() {
    for (n, tile, seed) in [(40, 16, 1), (97, 16, 2), (97, 33, 3), (130, 64, 4), (130, 130, 5)] {
        for steps in [3.0, 40.0, 1.0e4] {
            let height = ground(n, seed, steps);
            for sea in [f32::NEG_INFINITY, -0.9, 0.4] {
                check_divided(n, tile, &height, sea);
            }
        }
    }
}

#[test]
fn fill_and_counts_in_tiles_equal_the_whole() {
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

/// The test terrain has a stream that crosses the same tile borders again and again, in a trough that spills at its
/// end.
#[test]
fn courses_may_reenter_tiles_and_depressions_span_them() {
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
            check_divided(n, tile, &height, f32::NEG_INFINITY);
        }
    }
}

#[test]
fn damaged_words_of_flats_are_refused() {
    let region = Region { rows: 0..8, columns: 0..8 };
    let mut summary = FlatSummary { rim: vec![1.0; 28], flat: vec![1 << 63 | 1], starts: vec![63] };
    let read = |summary: &FlatSummary| FlatSummary::from_words(&summary.to_words(), &region);
    assert_eq!(read(&summary).unwrap(), summary);
    summary.starts = vec![5];
    assert!(read(&summary).is_err(), "a start must be a flat cell");
    summary.starts.clear();
    summary.flat.push(0);
    assert!(read(&summary).is_err(), "the bits are those of the tile's cells");

    let mut solution = FlatSolution { rim: vec![0; 28], around: vec![0; 17] };
    solution.rim[3] = 256;
    let read = |solution: &FlatSolution| FlatSolution::from_words(&solution.to_words(), &region, 16);
    assert_eq!(read(&solution).unwrap(), solution);
    solution.rim[3] = 257;
    assert!(read(&solution).is_err(), "no way has more steps than there are cells");
    solution.rim[3] = 1;
    solution.around.pop();
    assert!(read(&solution).is_err(), "every cell around the tile has a distance");
}
