//! Common parts of midpoint displacement: schedule, random displacement, and the steps from level to level.
//!
//! A level halves the squares (or triangles) of a compact table to get the next table; rows run in parallel. Random
//! values depend on (level, position in the level), so a small result is exactly a subsample of a large result. Sizes
//! other than 2ᵏ + 1 are computed at the next larger size of this form and interpolated bilinearly at the same
//! fractions of the side. (A window of the larger size would show another part of the terrain at every size, so a
//! preview would not match the result.) Between the points of the table, interpolation makes the terrain smoother.
//! Every sample is therefore also displaced at random, so that it is as rough between the points as at the points.
//! Let L be the variance that the difference of neighbours loses in the middle of the squares, and w the weights of
//! the four points. The added displacement has the variance L/2 · (1 - Σw²)/(1 - ¼). The same law measures L on a
//! small table. If fewer levels are shown than fit the grid, the samples are interpolated without this displacement.
//! The steps of figures 1 and 3 of Le Martelot 2005 are shown like this.

use crate::Context;
use talweg_ground::field::{Cancelled, Edges, Grid, Stream};

talweg_ground::choices! {
    /// Decrease of the random displacement from level to level.
    Schedule {
        Smoothness "By smoothness": "The displacement is multiplied by 2^-smoothness at each level: the smoothness sets the roughness of small features.",
        Halving "Halving": "The displacement is halved at each level: small features are always smooth; the smoothness only scales the heights.",
    }
}

talweg_ground::choices! {
    /// The distribution of the random displacement.
    Distribution {
        Uniform "Uniform": "All displacements up to the limit are equally likely.",
        Upwards "Upwards": "All displacements are upwards, from 0 to the limit, as in Le Martelot 2005: the terrain bulges.",
        Gaussian "Gaussian": "Small displacements are common, large ones rare: calm terrain with a few high peaks.",
    }
}

/// The parameters of the displacement.
pub struct MidpointLaw {
    /// Maximum displacement on the first computed level, as a fraction of the relief.
    pub displacement: f32,
    /// Smoothness r of small features, from 0 (rough) to 1 (smooth). It sets the decrease of the displacement from
    /// level to level.
    pub smoothness: f32,
    /// Rule by which displacements decrease.
    pub schedule: Schedule,
    /// Distribution from which displacements are drawn.
    pub distribution: Distribution,
    /// Maximum number of halvings; finer detail is interpolated.
    pub levels_shown: u32,
    /// Whether samples between the points of the last possible level are displaced as well.
    pub is_rough_between: bool,
}

/// Salt of the random displacement between the points of the last level.
const BETWEEN_SALT: u64 = 0x0254;
/// Levels of the small table on which [`Between::new`] measures the loss of roughness. It has 129² points.
const MEASURED_LEVELS: u32 = 7;
/// Number of halvings of the largest possible terrain.
pub const ALL_LEVELS: u32 = 14;

impl MidpointLaw {
    /// Ratio of the displacement of a level to the displacement of the previous level.
    fn factor(&self) -> f32 {
        match self.schedule {
            Schedule::Smoothness => libm::exp2f(-self.smoothness),
            Schedule::Halving => 0.5,
        }
    }

    /// Displacement of the last of `levels` levels.
    pub fn finest(&self, first: u32, levels: u32) -> f32 {
        (first + 1..levels).fold(self.displacement, |displacement, _| displacement * self.factor())
    }
}

/// The heights of the four corners of the terrain: random within `spread` of `mean`, all equal when wrapping.
pub fn corners(cx: &Context, mean: f32, spread: f32) -> Vec<f32> {
    let random = cx.random.fork(0);
    let corner = |x: i32, y: i32| mean + random.signed(x, y) * spread;
    match cx.grid.edges {
        Edges::Open => vec![corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)],
        Edges::Wrap => vec![corner(0, 0); 4],
    }
}

/// Number of halvings until the square has a point for every sample.
pub fn levels(grid: Grid) -> u32 {
    levels_of(grid.whole_samples())
}

/// Number of halvings until the square has a point for every one of `samples` samples per side.
pub fn levels_of(samples: usize) -> u32 {
    (samples - 1).next_power_of_two().trailing_zeros()
}

/// A square part of a level's table.
struct LevelTable {
    /// Row and column of the part's first sample in the level's table.
    first: [usize; 2],
    /// Samples per side of the part.
    side: usize,
    heights: Vec<f32>,
}

/// Margin of a coarser table around a window of a finer table, in samples. At the border of a window, a split and its
/// smoothing give wrong values up to 2 samples from the border.
const SPLIT_MARGIN: usize = 4;

impl LevelTable {
    /// Returns the part of each level's table that a window of the last level depends on, from the coarsest level to
    /// `levels`. Each part is given by its first sample and its samples per side.
    fn needed(levels: u32, first: [usize; 2], side: usize) -> Vec<([usize; 2], usize)> {
        let mut needed = vec![(first, side)];
        for level in (0..levels).rev() {
            let (first, side) = needed[needed.len() - 1];
            let whole = (1 << level) + 1;
            let side = (side / 2 + 2 * SPLIT_MARGIN + 2).min(whole);
            needed.push((first.map(|first| (first / 2).saturating_sub(SPLIT_MARGIN).min(whole - side)), side));
        }
        needed.reverse();
        needed
    }

    /// Returns a part of the table. `first` is the position of its first sample in the level's table.
    fn part(self, first: [usize; 2], side: usize) -> Self {
        if (self.first, self.side) == (first, side) {
            return self;
        }
        let [top, left] = [first[0] - self.first[0], first[1] - self.first[1]];
        let rows = self.heights.chunks(self.side).skip(top).take(side);
        Self { first, side, heights: rows.flat_map(|row| &row[left..left + side]).copied().collect() }
    }
}

/// Fills `out` starting from a table of 2^`first` + 1 samples per side. `split` makes each finer table from the
/// previous table. `read` interpolates in the last table if that table is not the terrain itself. For a window, only
/// the parts of the tables that the window depends on are computed.
pub fn subdivide(
    cx: &Context,
    law: &MidpointLaw,
    first: u32,
    table: Vec<f32>,
    split: impl Fn(&MidpointLevel, &[f32], &mut [f32]) -> Result<(), Cancelled>,
    read: impl Fn(&[f32; 4], f32, f32) -> f32 + Sync,
    out: &mut [f32],
) -> Result<(), Cancelled> {
    let levels = levels(cx.grid).min(law.levels_shown).max(first);
    let full = Grid::working((1 << levels) + 1, cx.grid.edges);
    let is_table = full.samples == cx.grid.whole_samples();
    let needed = match is_table {
        true => LevelTable::needed(levels, cx.grid.first(), cx.grid.samples),
        false => {
            let (first, side) = window_in_table(cx.grid, full.samples);
            LevelTable::needed(levels, first, side)
        }
    };
    let (place, side) = needed[first as usize];
    let table = LevelTable { first: [0; 2], side: (1 << first) + 1, heights: table };
    let mut coarse = table.part(place, side);
    let mut displacement = law.displacement;
    for number in first + 1..=levels {
        let noise = MidpointNoise {
            stream: cx.random.fork(u64::from(number)),
            scale: displacement,
            distribution: law.distribution,
            mask: if cx.grid.edges == Edges::Wrap { (1 << number) - 1 } else { i32::MAX },
            first: coarse.first.map(|first| 2 * first),
        };
        let level = MidpointLevel { cx, number, half: coarse.side - 1, noise };
        let (place, needed_side) = needed[number as usize];
        let side = 2 * level.half + 1;
        if number == levels && is_table && side == cx.grid.samples {
            return split(&level, &coarse.heights, out);
        }
        let mut fine = LevelTable { first: level.noise.first, side, heights: vec![0.0; side * side] };
        split(&level, &coarse.heights, &mut fine.heights)?;
        coarse = fine.part(place, needed_side);
        displacement *= law.factor();
    }
    if is_table {
        out.copy_from_slice(&coarse.heights);
        return Ok(());
    }
    resample_part(cx, full.samples, (coarse.first, coarse.side, &coarse.heights), &read, out)?;
    // With fewer levels, the figures show the plain squares or triangles between the points.
    if levels == first || levels < self::levels(cx.grid) || !law.is_rough_between {
        return Ok(());
    }
    let finest = law.finest(first, levels);
    Between::new(cx, law, finest, split, &read)?.displace(cx, full, |_| true, out)
}

/// Random displacement of samples between the points of the last table.
pub struct Between {
    noise: MidpointNoise,
}

impl Between {
    /// Measures how much smoother interpolation makes the terrain. `finest` is the displacement of the last level.
    pub fn new(
        cx: &Context,
        law: &MidpointLaw,
        finest: f32,
        split: impl Fn(&MidpointLevel, &[f32], &mut [f32]) -> Result<(), Cancelled>,
        read: impl Fn(&[f32; 4], f32, f32) -> f32,
    ) -> Result<Self, Cancelled> {
        // The result does not depend on the seed, so that all terrains of a law are treated alike.
        let stream = Stream::new(0, 0);
        let cx_small = Context { grid: Grid::working(2, Edges::Open), random: stream, ..*cx };
        let mut table = vec![0.0; 4];
        let distribution = law.distribution;
        for level in 1..=MEASURED_LEVELS {
            let half = (1 << (level - 1)) as usize;
            let scale = (level..MEASURED_LEVELS).fold(finest, |scale, _| scale / law.factor());
            let noise = MidpointNoise {
                stream: stream.fork(u64::from(level)),
                scale,
                distribution,
                mask: i32::MAX,
                first: [0; 2],
            };
            // These are the last levels of many: nothing applies to the first level alone.
            let level = MidpointLevel { cx: &cx_small, number: ALL_LEVELS + level, half, noise };
            let mut fine = vec![0.0; (2 * half + 1) * (2 * half + 1)];
            split(&level, &table, &mut fine)?;
            table = fine;
        }
        let side = (1 << MEASURED_LEVELS) + 1;
        let middles: Vec<f32> = (0..side - 1)
            .flat_map(|i| (0..side - 1).map(move |j| i * side + j))
            .map(|k| read(&[table[k], table[k + 1], table[k + side], table[k + side + 1]], 0.5, 0.5))
            .collect();
        let lost = (mean_step(&table, side) - mean_step(&middles, side - 1)).max(0.0);
        // A uniform displacement up to ±s has the variance s²/3, and so has the bell-shaped one of scale s.
        let scale = (3.0 * 0.5 * lost / 0.75).sqrt() as f32;
        let noise =
            MidpointNoise { stream: cx.random.fork(BETWEEN_SALT), scale, distribution, mask: i32::MAX, first: [0; 2] };
        Ok(Self { noise })
    }

    /// Displaces the samples that `is_free` accepts, by their index. `full` is the grid of the table.
    pub fn displace(
        &self,
        cx: &Context,
        full: Grid,
        is_free: impl Fn(usize) -> bool + Sync,
        out: &mut [f32],
    ) -> Result<(), Cancelled> {
        let (n, [top, left]) = (cx.grid.samples, cx.grid.first());
        // Opposite edges of a wrapping terrain are equal.
        let period = if cx.grid.edges == Edges::Wrap { cx.grid.whole_samples() - 1 } else { usize::MAX };
        // Sum of the squared weights along one axis.
        let squares = |index: usize| {
            let share = cell_in_table(cx.grid, full.samples, index).1;
            share * share + (1.0 - share) * (1.0 - share)
        };
        let columns: Vec<f32> = (0..n).map(|j| squares(left + j)).collect();
        cx.rows(out, |i, row| {
            let squares = squares(top + i);
            for (j, (h, across)) in row.iter_mut().zip(&columns).enumerate() {
                if is_free(i * n + j) {
                    let (row, column) = ((top + i) % period, (left + j) % period);
                    let unit = match self.noise.distribution {
                        Distribution::Gaussian => self.noise.value_at::<true>(row, column),
                        Distribution::Uniform | Distribution::Upwards => self.noise.value_at::<false>(row, column),
                    };
                    *h += unit * (1.0 - across * squares).sqrt();
                }
            }
        })
    }
}

/// Halves a line between two points of the given heights `levels` times. Returns the 2^`levels` + 1 heights of its
/// points.
pub fn line(cx: &Context, law: &MidpointLaw, ends: [f32; 2], levels: u32) -> Vec<f32> {
    let mut line = ends.to_vec();
    let mut scale = law.displacement;
    for level in 1..=levels {
        let (stream, distribution) = (cx.random.fork(u64::from(level)), law.distribution);
        let noise = MidpointNoise { stream, scale, distribution, mask: i32::MAX, first: [0; 2] };
        let middles: Vec<f32> = line
            .windows(2)
            .enumerate()
            .map(|(k, ends)| (ends[0] + ends[1]) * 0.5 + noise.displacement(0, 2 * k + 1))
            .collect();
        let mut finer = vec![0.0; 2 * line.len() - 1];
        finer.iter_mut().step_by(2).zip(&line).for_each(|(h, end)| *h = *end);
        finer.iter_mut().skip(1).step_by(2).zip(&middles).for_each(|(h, middle)| *h = *middle);
        line = finer;
        scale *= law.factor();
    }
    line
}

/// Mean square of the height difference between neighbours in a table, without its rim.
fn mean_step(table: &[f32], side: usize) -> f64 {
    let inner = 2..side - 2;
    let (mut sum, mut count) = (0.0f64, 0u32);
    for i in inner.clone() {
        for j in inner.clone() {
            let k = i * side + j;
            let steps = [table[k + 1] - table[k], table[k + side] - table[k]];
            sum += steps.iter().map(|&step| f64::from(step) * f64::from(step)).sum::<f64>();
            count += 2;
        }
    }
    sum / f64::from(count)
}

/// Random displacement of the points of one level.
#[derive(Clone, Copy)]
struct MidpointNoise {
    stream: Stream,
    scale: f32,
    distribution: Distribution,
    /// Bit mask that wraps positions to the level's side.
    mask: i32,
    /// Position of the first sample of the table part.
    first: [usize; 2],
}

impl MidpointNoise {
    #[inline(always)]
    fn value_at<const GAUSSIAN: bool>(&self, row: usize, column: usize) -> f32 {
        let (row, column) = (self.first[0] + row, self.first[1] + column);
        let bits = self.stream.bits(column as i32 & self.mask, row as i32 & self.mask);
        let unit = if GAUSSIAN {
            // The sum of four 16-bit parts has mean 0 and the variance 1/3 of the uniform distribution. It stays within
            // ±2.
            let sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
            (sum as i64 - 2 * 65_535) as f32 * (1.0 / 65_536.0)
        } else {
            ((bits >> 40) as i64 - (1 << 23)) as f32 * (1.0 / 8_388_608.0)
        };
        unit * self.scale
    }

    /// The displacement of a point by the distribution of the law.
    fn displacement(&self, row: usize, column: usize) -> f32 {
        match self.distribution {
            Distribution::Uniform => self.value_at::<false>(row, column),
            // The displacement is converted from [-1, 1) to [0, 1), in units of its maximum.
            Distribution::Upwards => 0.5 * (self.value_at::<false>(row, column) + self.scale),
            Distribution::Gaussian => self.value_at::<true>(row, column),
        }
    }
}

/// A single halving: from squares with `half` + 1 corners per side to twice as many squares.
pub struct MidpointLevel<'a> {
    cx: &'a Context<'a>,
    /// Number of the level; 1 splits the whole terrain.
    pub number: u32,
    /// Squares along a side before the split.
    pub half: usize,
    noise: MidpointNoise,
}

impl MidpointLevel<'_> {
    /// Whether the terrain wraps around at its edges.
    pub fn wraps(&self) -> bool {
        self.cx.grid.edges == Edges::Wrap
    }

    /// Writes `value(j, displacement at place(j))` to every cell j.
    #[inline(always)]
    pub fn each(&self, cells: &mut [f32], place: impl Fn(usize) -> (usize, usize), value: impl Fn(usize, f32) -> f32) {
        // This is a local copy, so that the compiler knows that writes to the cells do not change the noise.
        let noise = self.noise;
        match noise.distribution {
            Distribution::Uniform => {
                for (j, h) in cells.iter_mut().enumerate() {
                    let (row, column) = place(j);
                    *h = value(j, noise.value_at::<false>(row, column));
                }
            }
            Distribution::Upwards => {
                // The displacement is converted from [-1, 1) to [0, 1), in units of its maximum.
                for (j, h) in cells.iter_mut().enumerate() {
                    let (row, column) = place(j);
                    *h = value(j, 0.5 * (noise.value_at::<false>(row, column) + noise.scale));
                }
            }
            Distribution::Gaussian => {
                for (j, h) in cells.iter_mut().enumerate() {
                    let (row, column) = place(j);
                    *h = value(j, noise.value_at::<true>(row, column));
                }
            }
        }
    }

    /// Computes `out`, with `side` cells per row, row by row in parallel.
    pub fn rows(&self, out: &mut [f32], side: usize, row: impl Fn(usize, &mut [f32]) + Sync) -> Result<(), Cancelled> {
        Context { grid: Grid::working(side, Edges::Open), ..*self.cx }.rows(out, row)
    }
}

impl MidpointLevel<'_> {
    /// Displaces the points of the previous levels by the fraction `share` of this level's displacement. Then moves
    /// every point half of `share` of the way to the mean of its neighbours to the north, east, south and west.
    pub fn soften(&self, share: f32, fine: &mut [f32]) -> Result<(), Cancelled> {
        let side = 2 * self.half + 1;
        let grid = Grid::working(side, self.cx.grid.edges);
        self.rows(fine, side, |row, cells| {
            if row % 2 == 0 {
                let mut moved = vec![0.0f32; self.half + 1];
                self.each(&mut moved, |j| (row, 2 * j), |_, u| u * share);
                cells.iter_mut().step_by(2).zip(moved).for_each(|(h, u)| *h += u);
            }
        })?;
        let sharp = fine.to_vec();
        self.rows(fine, side, |row, cells| {
            let line = |k: Option<usize>| k.map(|k| grid.row(&sharp, k));
            let (own, north, south) = (grid.row(&sharp, row), line(grid.previous(row)), line(grid.next(row)));
            for (j, h) in cells.iter_mut().enumerate() {
                let beside = [grid.previous(j).map(|k| own[k]), grid.next(j).map(|k| own[k])];
                let around = [north.map(|r| r[j]), beside[0], beside[1], south.map(|r| r[j])];
                let (sum, count) = around.iter().flatten().fold((0.0, 0.0), |(s, c), h| (s + h, c + 1.0));
                *h = own[j] + (sum / count - own[j]) * (0.5 * share);
            }
        })
    }
}

/// Fills the cells with even index from `even` and the cells with odd index from `odd`.
pub fn interleave(cells: &mut [f32], even: &[f32], odd: &[f32]) {
    for ((pair, &e), &o) in cells.chunks_exact_mut(2).zip(even).zip(odd) {
        (pair[0], pair[1]) = (e, o);
    }
    cells[even.len() * 2 - 2] = even[even.len() - 1];
}

/// Interpolates the height inside a square bilinearly. The corners are given row by row, and the position as fractions
/// of the side to the east and to the south.
#[inline(always)]
pub fn in_square(corners: &[f32; 4], east: f32, south: f32) -> f32 {
    let [a, b, c, d] = *corners;
    let (top, bottom) = (a * (1.0 - east) + b * east, c * (1.0 - east) + d * east);
    top * (1.0 - south) + bottom * south
}

/// Like [`in_square`], but linear on each of two triangles that share the diagonal from the first corner to the last.
#[inline(always)]
pub fn in_triangles(corners: &[f32; 4], east: f32, south: f32) -> f32 {
    let [a, b, c, d] = *corners;
    if east > south { a + (b - a) * east + (d - b) * south } else { a + (c - a) * south + (d - c) * east }
}

/// Interpolates `table` with `read` at the positions of the context's grid. `full` is the grid of the table.
pub fn resample(
    cx: &Context,
    full: Grid,
    table: &[f32],
    read: impl Fn(&[f32; 4], f32, f32) -> f32 + Sync,
    out: &mut [f32],
) -> Result<(), Cancelled> {
    resample_part(cx, full.samples, ([0; 2], full.samples, table), read, out)
}

/// Finds the cell of a table that contains a row or column of the whole grid `grid`, and the fraction within the cell.
/// The table has `full` samples per side.
fn cell_in_table(grid: Grid, full: usize, index: usize) -> (usize, f32) {
    let scale = (full - 1) as f64 / (grid.whole_samples() - 1) as f64;
    let at = index as f64 * scale;
    let cell = (at as usize).min(full - 2);
    (cell, (at - cell as f64) as f32)
}

/// Finds the part of a table that is read for `grid`, as its first sample and its samples per side. The table has
/// `full` samples per side.
fn window_in_table(grid: Grid, full: usize) -> ([usize; 2], usize) {
    let cell = |index: usize| cell_in_table(grid, full, index).0;
    let first = grid.first().map(cell);
    let last = grid.first().map(|first| cell(first + grid.samples - 1) + 1);
    let side = (last[0] - first[0]).max(last[1] - first[1]) + 1;
    (first.map(|first| first.min(full - side)), side)
}

/// Like [`resample`], but reads from a part of the table of `full` samples per side. The part is given by its first
/// sample, its side and its heights.
fn resample_part(
    cx: &Context,
    full: usize,
    (first, side, table): ([usize; 2], usize, &[f32]),
    read: impl Fn(&[f32; 4], f32, f32) -> f32 + Sync,
    out: &mut [f32],
) -> Result<(), Cancelled> {
    let (n, [first_row, first_column]) = (cx.grid.samples, cx.grid.first());
    let place = |index: usize, first: usize| {
        let (cell, share) = cell_in_table(cx.grid, full, index);
        (cell - first, share)
    };
    let columns: Vec<(usize, f32)> = (0..n).map(|k| place(first_column + k, first[1])).collect();
    cx.rows(out, |i, row| {
        let (r, fy) = place(first_row + i, first[0]);
        let line = |r: usize| &table[r * side..][..side];
        let (top, bottom) = (line(r), line(r + 1));
        for (h, &(c, fx)) in row.iter_mut().zip(&columns) {
            *h = read(&[top[c], top[c + 1], bottom[c], bottom[c + 1]], fx, fy);
        }
    })
}

/// Moves every sample by the fraction `share` towards the mean of itself and its eight neighbours in the scene's grid.
/// On other grids these neighbours are interpolated bilinearly. Neighbours beyond an open edge are ignored.
pub fn blend_with_neighbours(cx: &Context, share: f32, heights: &mut [f32]) -> Result<(), Cancelled> {
    let grid = cx.grid;
    let (n, distinct) = (grid.samples, grid.distinct_side() as f64);
    let apart = (n - 1) as f64 / (cx.scene_samples - 1) as f64;
    // For a row or column, returns up to three neighbours. Each is given by two indices and the fraction for the
    // interpolation between them.
    let places = |k: usize| -> Vec<(usize, usize, f32)> {
        let at = [k as f64 - apart, k as f64, k as f64 + apart].into_iter();
        at.filter_map(|at| match grid.edges {
            Edges::Wrap => Some(at - libm::floor(at / distinct) * distinct),
            Edges::Open => (0.0..=distinct - 1.0).contains(&at).then_some(at),
        })
        .map(|at| {
            let first = (at as usize).min(n - 1);
            (first, (first + 1).min(n - 1), (at - first as f64) as f32)
        })
        .collect()
    };
    let places: Vec<Vec<(usize, usize, f32)>> = (0..n).map(places).collect();
    fn mean(near: &[(usize, usize, f32)], value: impl Fn(usize) -> f32) -> f32 {
        let each = near.iter().map(|&(a, b, t)| if t == 0.0 { value(a) } else { value(a) * (1.0 - t) + value(b) * t });
        each.sum::<f32>() / near.len() as f32
    }
    let mut along = vec![0.0; heights.len()];
    {
        let heights = &*heights;
        cx.rows(&mut along, |i, row| {
            let line = &heights[i * n..][..n];
            row.iter_mut().zip(&places).for_each(|(h, near)| *h = mean(near, |k| line[k]));
        })?;
    }
    cx.rows(heights, |i, row| {
        for (j, h) in row.iter_mut().enumerate() {
            *h += (mean(&places[i], |k| along[k * n + j]) - *h) * share;
        }
    })
}
