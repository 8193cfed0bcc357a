//! Triangular midpoint displacement: triangles that are repeatedly split in four.
//!
//! Law: the square is two triangles of 2ᵏ + 1 rows that share the diagonal from north-west to south-east. Level l = 1 …
//! k splits every triangle in four: the midpoint of each of its edges becomes the mean of the triangle's three corners
//! plus u·dₗ. An edge between two triangles is computed once, from the mean over both: (a + b)/3 + (c + d)/6 with a, b
//! the ends and c, d the opposite corners. d₁ = amplitude·r, and dₗ₊₁ = dₗ·2⁻ʳ (`Smoothness`, r the smoothness) or dₗ/2
//! (`Halving`). With [`EdgeCorners::Three`] the mean is that of the three corners of a single triangle, as in the
//! paper's formula: the triangle that has the orientation of the whole triangle. Every edge of the paper's mesh belongs
//! to exactly one such triangle, so all points are computed once. u is uniform in [-1, 1) or bell-shaped. The mean of
//! three corners pulls every edge towards the opposite corner, so edges are less visible than with squares.
//!
//! Scheme: all triangles of a level are halves of squares, so a level consists of three kinds of midpoints (of rows,
//! columns and diagonals) in a square table; see [midpoints](super::midpoint). A small result is exactly a subsample of
//! a large result. If fewer levels are shown than fit the grid, the terrain consists of the triangles of the last level
//! shown.
//! Layout: the paper's own mesh is one triangle of 2ᵏ + 1 rows, with i + 1 samples in row i ([`triangle`]). In the
//! square's lower triangle row i is the first i + 1 columns. The same tables therefore hold the paper's mesh, without
//! the triangle on the other side of the diagonal. `Triangle` shows this mesh with its apex in the middle of the north
//! edge and its base on the south edge. Row i of the table is shifted to the middle of row i of the square. There is no
//! terrain outside the triangle: the map [`MapKind::Ground`] is 1 inside, ½ on the edges and 0 outside. Heights outside
//! are the triangle's lowest height.
//! Boundary: a single triangle does not wrap, because it is inside the square. On an open terrain an edge on the rim
//! belongs to one triangle; a wrapping terrain continues on the opposite side.
//! Squares only: the mesh is one square, or one triangle within the square.
//! Source: Le Martelot 2005, §1.1.1; Fournier, Fussell & Carpenter 1982.

use super::midpoint::{self, Distribution, MidpointLaw, MidpointLevel, Schedule, interleave};
use super::midpoint_steps;
use crate::steps::{falling_diagonals, grid_lines, metres};
use crate::{Context, Generator, GeneratorStep, NodeParts, SteppedGenerator, Traits};
use talweg_ground::field::{Cancelled, Edges, Grid, MapKind, Terrain};

talweg_ground::choices! {
    /// The area that is split into triangles.
    TriangleLayout {
        Square "Square": "Two triangles fill the terrain.",
        Triangle "Triangle": "A single triangle with its base on the south edge; the area around it is cut out.",
    }
}

talweg_ground::choices! {
    /// The corners whose mean height a midpoint of an edge takes before its displacement.
    EdgeCorners {
        Four "Both triangles": "The corners of the triangles on both sides of the edge: no direction is preferred.",
        Three "One triangle": "The three corners of one triangle, as in Le Martelot 2005: slopes lean towards the apex of the triangles.",
    }
}

talweg_ground::params! {
    /// Rough terrain from triangles that are repeatedly split in four, with randomly displaced midpoints.
    Triangular "Triangular midpoints" in "Fractal", from "Fournier, Fussell & Carpenter 1982; Le Martelot 2005, §1.1.1", also "midpoint displacement triangle plasma fractal" {
        /// Area that is split: the whole terrain, or a single triangle inside the terrain.
        layout: TriangleLayout = TriangleLayout::Square;
        /// Corners whose mean height a midpoint of an edge takes before its displacement.
        edges: EdgeCorners = EdgeCorners::Four;
        /// Smoothness of small features: near 0 every sample is independent, at 1 the terrain rolls gently.
        smoothness: f32 = 0.85, 0.01..=1.0, slider 0.01..=1.0 => |triangles| triangles.amplitude != 0.0;
        /// Decrease of the displacement from level to level.
        schedule: Schedule = Schedule::Smoothness => |triangles| triangles.amplitude != 0.0;
        /// Distribution of the random displacement.
        distribution: Distribution = Distribution::Uniform => |triangles| triangles.amplitude != 0.0;
        /// Maximum displacement of the first midpoints at smoothness 1, as a fraction of the relief.
        amplitude: f32 = 0.5, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean initial height of the four corners, as a fraction of the relief.
        corners: f32 = 0.4, -10.0..=10.0, slider 0.0..=1.0;
        /// Maximum random deviation of each corner from the mean height of the corners, as a fraction of the relief.
        corner_spread: f32 = 0.25, 0.0..=10.0, slider 0.0..=1.0;
        /// Maximum number of splits. Small values show the first steps of the method: 0 shows the four corners only.
        levels_shown: u32 = midpoint::ALL_LEVELS, 0..=midpoint::ALL_LEVELS;
    }
}

impl Generator for Triangular {
    fn traits(&self) -> Traits {
        match self.layout {
            TriangleLayout::Square => Traits { version: 2, ..Traits::GENERATOR },
            // The rows of a single triangle do not coincide with the samples of the square.
            TriangleLayout::Triangle => {
                Traits { writes: &[MapKind::Ground], previews_exactly: false, ..Traits::GENERATOR }
            }
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        match self.layout {
            TriangleLayout::Square => NodeParts::Points,
            TriangleLayout::Triangle => NodeParts::WholeTerrain(
                "its triangle is computed on the whole terrain at once, and the area around it has the triangle's lowest height",
            ),
        }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        self.fill_levels(cx, self.levels_shown, true, out)
    }

    fn generate(&self, cx: &Context, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill(cx, &mut made.height)?;
        self.outline(cx, made)
    }

    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        Some(self)
    }
}

impl SteppedGenerator for Triangular {
    fn steps(&self, samples: usize, _size_metres: f32) -> u32 {
        let is_square = self.layout == TriangleLayout::Square;
        let splits = midpoint::levels_of(samples).min(self.levels_shown);
        splits + u32::from(is_square && midpoint_steps::is_displaced_between(samples, 0, &self.law()))
    }

    fn generate_until(&self, cx: &Context, step: u32, made: &mut Terrain) -> Result<(), Cancelled> {
        let is_last = step >= self.steps(cx.scene_samples, cx.size_metres);
        self.fill_levels(cx, step.min(self.levels_shown), is_last, &mut made.height)?;
        self.outline(cx, made)
    }

    fn describe_step(&self, cx: &Context, step: u32) -> GeneratorStep {
        let law = self.law();
        if step == 0 {
            let [mean, spread] = [self.corners, self.corner_spread].map(|share| metres(cx, share));
            let (title, corners) = match self.layout {
                TriangleLayout::Square => {
                    ("Start: two triangles", [[0.0; 2], [1.0, 0.0], [0.0, 1.0], [1.0; 2]].as_slice())
                }
                TriangleLayout::Triangle => ("Start: one triangle", [[0.0; 2], [0.0, 1.0], [1.0; 2]].as_slice()),
            };
            let formula = format!("h = {mean} + u · {spread}; {}", midpoint_steps::schedule_rule(&law));
            let corners = corners.iter().map(|&point| self.placed(cx, point));
            return GeneratorStep::new(title, formula).with_marks(corners, self.triangle_lines(cx, 1));
        }
        if step > midpoint::levels_of(cx.scene_samples).min(self.levels_shown) {
            return midpoint_steps::between_step(cx);
        }
        let half = 1usize << (step - 1);
        let (is_single, unit) = (self.layout == TriangleLayout::Triangle, metres(cx, law.finest(0, step)));
        let kinds = midpoint_steps::side_midpoints(half).chain(midpoint_steps::centres(half));
        let points = kinds.filter(|[x, y]| !is_single || x <= y);
        let number = if is_single { 3 * half * (half + 1) / 2 } else { 3 * half * half + 2 * half };
        let mean = match self.edges {
            EdgeCorners::Four => "h = (a + b) / 3 + (c + d) / 6",
            EdgeCorners::Three => "h = (a + b + c) / 3",
        };
        let from = match self.edges {
            EdgeCorners::Four => "a and b the ends, c and d the opposite corners",
            EdgeCorners::Three => "a and b the ends, c the opposite corner",
        };
        let range = midpoint_steps::random_range(&law);
        GeneratorStep::new(
            format!("Level {step}, triangles split in four: {number} midpoints of edges"),
            format!("{mean} + u · {unit}, {from}, u {range}"),
        )
        .with_marks(points.map(|point| self.placed(cx, point)), self.triangle_lines(cx, half))
    }
}

/// Computes the paper's triangle after `detail` splits. It has 2^detail + 1 rows, and row i has i + 1 heights.
pub fn triangle(node: &Triangular, cx: &Context, detail: u32) -> Result<Vec<Vec<f32>>, Cancelled> {
    let (side, table) = node.lower(cx, &node.law(), detail)?;
    Ok((0..side).map(|i| table[i * side..][..=i].to_vec()).collect())
}

impl Triangular {
    fn law(&self) -> MidpointLaw {
        MidpointLaw {
            displacement: self.amplitude * self.smoothness,
            smoothness: self.smoothness,
            schedule: self.schedule,
            distribution: self.distribution,
            levels_shown: self.levels_shown,
            is_rough_between: true,
        }
    }

    /// Fills `out` with at most `shown` levels. `is_rough_between` says whether samples between the points of the last
    /// possible level are displaced as well.
    fn fill_levels(&self, cx: &Context, shown: u32, is_rough_between: bool, out: &mut [f32]) -> Result<(), Cancelled> {
        let law = MidpointLaw { levels_shown: shown, is_rough_between, ..self.law() };
        match self.layout {
            TriangleLayout::Square => {
                let corners = midpoint::corners(cx, self.corners, self.corner_spread);
                // If all levels are shown, a grid of a size other than 2ᵏ + 1 is interpolated bilinearly as usual.
                let is_coarse = shown < midpoint::levels(cx.grid);
                let read = |corners: &[f32; 4], east: f32, south: f32| match is_coarse {
                    true => midpoint::in_triangles(corners, east, south),
                    false => midpoint::in_square(corners, east, south),
                };
                let split =
                    |level: &MidpointLevel, coarse: &[f32], fine: &mut [f32]| self.split(level, false, coarse, fine);
                midpoint::subdivide(cx, &law, 0, corners, split, read, out)
            }
            TriangleLayout::Triangle => {
                let (rows, table) = self.lower(cx, &law, midpoint::levels(cx.grid).min(shown))?;
                shear(cx, rows, &table, out)
            }
        }
    }

    /// Writes the map with the area of the triangle, if there is a single triangle.
    fn outline(&self, cx: &Context, made: &mut Terrain) -> Result<(), Cancelled> {
        match self.layout {
            TriangleLayout::Square => Ok(()),
            TriangleLayout::Triangle => outline(cx, made.map_mut(MapKind::Ground)),
        }
    }

    /// The position on the terrain of a point of the square table.
    fn placed(&self, cx: &Context, [x, y]: [f32; 2]) -> [f32; 2] {
        match self.layout {
            TriangleLayout::Square => [x, y],
            TriangleLayout::Triangle => [x - 0.5 * y + 0.5, y].map(|share| {
                let inset = triangle_inset(cx.grid);
                inset + share * (1.0 - 2.0 * inset)
            }),
        }
    }

    /// The edges of all triangles with `half` edges along a side of the table.
    fn triangle_lines(&self, cx: &Context, half: usize) -> impl Iterator<Item = [[f32; 2]; 2]> {
        let is_single = self.layout == TriangleLayout::Triangle;
        let lines = grid_lines(half).chain(falling_diagonals(half)).filter_map(move |line| match is_single {
            false => Some(line),
            true => below_diagonal(line),
        });
        lines.map(|[from, to]| [self.placed(cx, from), self.placed(cx, to)]).collect::<Vec<_>>().into_iter()
    }

    fn split(&self, level: &MidpointLevel, single: bool, coarse: &[f32], fine: &mut [f32]) -> Result<(), Cancelled> {
        match self.edges {
            EdgeCorners::Four => split_part::<false>(level, single, coarse, fine),
            EdgeCorners::Three => split_part::<true>(level, single, coarse, fine),
        }
    }

    /// Computes the lower triangle alone, in a square table. Returns the side of the table and the table.
    fn lower(&self, cx: &Context, law: &MidpointLaw, detail: u32) -> Result<(usize, Vec<f32>), Cancelled> {
        let side = (1 << detail) + 1;
        let open = Context { grid: Grid::working(side, Edges::Open), ..*cx };
        let corners = midpoint::corners(&open, self.corners, self.corner_spread);
        let mut table = vec![0.0; side * side];
        let split = |level: &MidpointLevel, coarse: &[f32], fine: &mut [f32]| self.split(level, true, coarse, fine);
        midpoint::subdivide(&open, law, 0, corners, split, midpoint::in_square, &mut table)?;
        Ok((side, table))
    }
}

/// Distance from an edge, in rows of the table, within which positions count as inside. Otherwise rounding could
/// exclude a sample on the edge.
const RIM: f32 = 0.01;

/// Position of row or column `index` in the triangle, from 0 at its apex to 1 at its base. Across the seam of a
/// wrapping terrain the surroundings of the triangle continue.
fn triangle_position(grid: Grid, index: usize) -> f32 {
    let inset = triangle_inset(grid);
    (grid.position(index) - inset) / (1.0 - 2.0 * inset)
}

/// Distance of the triangle from the edges of the terrain, as a fraction of the side.
fn triangle_inset(grid: Grid) -> f32 {
    if grid.edges == Edges::Wrap { 1.0 / 64.0 } else { 0.0 }
}

/// The part of a line of the square table that belongs to the lower triangle: its rows end at the diagonal, and its
/// columns start there.
fn below_diagonal([from, to]: [[f32; 2]; 2]) -> Option<[[f32; 2]; 2]> {
    let [[x0, y0], [x1, y1]] = [from, to];
    if y0 == y1 {
        Some([from, [y0, y0]]).filter(|_| y0 > 0.0)
    } else if x0 == x1 {
        Some([[x0, x0], to]).filter(|_| x0 < 1.0)
    } else {
        // This is a diagonal that starts on the western edge.
        Some([[0.0, y0 - x0], [x1.min(1.0 - (y0 - x0)), y1.min(1.0)]]).filter(|_| x0 <= 0.0)
    }
}

/// Writes the triangle's area: 1 inside, 0 outside, with a transition one sample wide.
pub(super) fn outline(cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
    let grid = cx.grid;
    let samples = (triangle_position(grid, 1) - triangle_position(grid, 0)).recip();
    // A slanted edge rises by 2 over a run of 1, so its distance is 1/√5 of the difference in `edge`.
    let slanted = samples / 5.0f32.sqrt();
    cx.rows(out, |i, row| {
        let down = triangle_position(grid, i);
        for (j, ground) in row.iter_mut().enumerate() {
            let aside = (triangle_position(grid, j) - 0.5).abs();
            let edge = (down - 2.0 * aside) * slanted;
            // On an open terrain the base of the triangle is the edge of the terrain itself.
            let base = if grid.edges == Edges::Wrap { (1.0 - down) * samples } else { f32::INFINITY };
            let within = if edge < base { edge } else { base };
            *ground = (within + 0.5).clamp(0.0, 1.0);
        }
    })
}

/// Writes the lower triangle of `table` with its apex in the middle: each row is shifted to the middle of the square.
pub(super) fn shear(cx: &Context, side: usize, table: &[f32], out: &mut [f32]) -> Result<(), Cancelled> {
    let rows = (0..side).flat_map(|i| &table[i * side..][..=i]);
    let lowest = rows.fold(f32::MAX, |low, &h| if h < low { h } else { low });
    let grid = cx.grid;
    cx.rows(out, |i, row| {
        let down = triangle_position(grid, i);
        let y = down * (side - 1) as f32;
        for (j, h) in row.iter_mut().enumerate() {
            let along = triangle_position(grid, j);
            // This is the column in the sheared row.
            let x = (along - 0.5) * (side - 1) as f32 + 0.5 * y;
            let within = (-RIM..=side as f32 - 1.0 + RIM).contains(&y) && (-RIM..=y + RIM).contains(&x);
            let y = y.clamp(0.0, (side - 1) as f32);
            *h = if within { value_inside(table, side, x.clamp(0.0, y), y) } else { lowest };
        }
    })
}

/// Interpolates the height inside the lower triangle, linearly on each triangle of the table.
fn value_inside(table: &[f32], side: usize, x: f32, y: f32) -> f32 {
    let (i, j) = ((y as usize).min(side - 2), (x as usize).min(side - 2));
    let (top, bottom) = (&table[i * side + j..], &table[(i + 1) * side + j..]);
    midpoint::in_triangles(&[top[0], top[1], bottom[0], bottom[1]], x - j as f32, y - i as f32)
}

/// Splits one level of the square: computes `fine` from the corners in `coarse`.
pub fn split(level: &MidpointLevel, coarse: &[f32], fine: &mut [f32]) -> Result<(), Cancelled> {
    split_part::<false>(level, false, coarse, fine)
}

/// Splits one level of the single triangle below the diagonal: computes `fine` from the corners in `coarse`.
pub(super) fn split_single(level: &MidpointLevel, coarse: &[f32], fine: &mut [f32]) -> Result<(), Cancelled> {
    split_part::<false>(level, true, coarse, fine)
}

/// Splits one level; with `single`, the triangle above the diagonal does not affect the triangle below. With `THREE`,
/// only the corners of the triangle with the orientation of the whole triangle count, if it exists.
fn split_part<const THREE: bool>(
    level: &MidpointLevel,
    single: bool,
    coarse: &[f32],
    fine: &mut [f32],
) -> Result<(), Cancelled> {
    let (half, corners) = (level.half, level.half + 1);
    // Returns the previous row or column of corners. Beyond a wrapping edge it is the row or column on the opposite
    // side.
    let before = |k: usize| if k > 0 { Some(k - 1) } else { level.wraps().then_some(half - 1) };
    let after = |k: usize| if k < half { Some(k + 1) } else { level.wraps().then_some(1) };
    let line = |i: usize| &coarse[i * corners..][..corners];
    level.rows(fine, 2 * half + 1, |row, cells| {
        let i = row / 2;
        let top = line(i);
        let mut middles = vec![0.0f32; corners];
        if row % 2 == 0 {
            // Write the corners, and the midpoints of edges along the row, between the triangles above and below.
            let (west, east) = (&top[..half], &top[1..]);
            let place = |j| (row, 2 * j + 1);
            let cells_between = &mut middles[..half];
            match (before(i).map(line), after(i).map(line)) {
                (Some(above), Some(below)) if !THREE => {
                    let (above, below) = (&above[..half], &below[1..]);
                    level.each(cells_between, place, |j, u| middle_of_two(west[j] + east[j], above[j], below[j]) + u);
                }
                (above, below) => level.each(cells_between, place, |j, u| {
                    middle::<THREE>(west[j] + east[j], above.map(|a| a[j]), below.map(|b| b[j + 1])) + u
                }),
            }
            interleave(cells, top, &middles[..half]);
        } else {
            // Write the midpoints of edges along a column, between the triangles to the left and right, and of
            // diagonals.
            let bottom = line(i + 1);
            for j in [0, half] {
                let (left, right) = (before(j).map(|k| top[k]), after(j).map(|k| bottom[k]));
                let place = |_| (row, 2 * j);
                level.each(&mut middles[j..=j], place, |_, u| middle::<THREE>(top[j] + bottom[j], right, left) + u);
            }
            let (left, high, low, right) = (&top[..half - 1], &top[1..half], &bottom[1..half], &bottom[2..]);
            let place = |j| (row, 2 * j + 2);
            level.each(&mut middles[1..half], place, |j, u| match THREE {
                true => (high[j] + low[j] + right[j]) * (1.0 / 3.0) + u,
                false => middle_of_two(high[j] + low[j], left[j], right[j]) + u,
            });
            let mut diagonals = vec![0.0f32; half];
            let (high, beside, below, low) = (&top[..half], &top[1..], &bottom[..half], &bottom[1..]);
            let place = |j| (row, 2 * j + 1);
            if single || THREE {
                level.each(&mut diagonals, place, |j, u| {
                    middle::<THREE>(high[j] + low[j], Some(below[j]), (j < i).then(|| beside[j])) + u
                });
            } else {
                level.each(&mut diagonals, place, |j, u| middle_of_two(high[j] + low[j], beside[j], below[j]) + u);
            }
            interleave(cells, &middles, &diagonals);
        }
    })
}

/// Midpoint of an edge between two triangles, given the sum of its ends and the opposite corners.
#[inline(always)]
fn middle_of_two(ends: f32, one: f32, other: f32) -> f32 {
    ends * (1.0 / 3.0) + (one + other) * (1.0 / 6.0)
}

/// Midpoint of an edge: the mean of the corners of its triangles, given the sum of its ends and the opposite corners.
/// With `THREE` the other triangle counts only if the one does not exist.
#[inline(always)]
fn middle<const THREE: bool>(ends: f32, one: Option<f32>, other: Option<f32>) -> f32 {
    match (one, other) {
        (Some(c), Some(_)) if THREE => (ends + c) * (1.0 / 3.0),
        (Some(c), Some(d)) => middle_of_two(ends, c, d),
        (Some(c), None) | (None, Some(c)) => (ends + c) * (1.0 / 3.0),
        (None, None) => ends * 0.5,
    }
}
