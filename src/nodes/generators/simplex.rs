//! Simplex noise summed to fractional Brownian motion (fBm).
//!
//! Law: the plane is a lattice of triangles with base 1 and height 1, in which every second row is shifted by ½. Every
//! lattice corner has a unit gradient g. Inside a triangle n = Σ (0.8 - d²)⁴ · g·d over its 3 corners, with d the
//! vector from the corner. 0.8 is the square of the distance from a corner to the opposite side, so the contribution of
//! each corner ends where its triangles end. h = base + amplitude · Σ pⁱ·s·nᵢ / (√2 · √Σ p²ⁱ), with p the persistence.
//! The factor s = 5.8 gives the standard deviation of Perlin noise. A sample depends on three corners instead of four,
//! and the lattice axes do not show.
//! Scheme: a row of samples is between two lattice rows, whose gradients a band keeps. The row is computed in parts,
//! side by side in vector registers, with the same bits on every processor.
//! Boundary: open terrains need no rule; on wrapping terrains each octave's frequency is rounded to an even number,
//! because every second row is shifted. A preview is exactly a subsample of the full size. On a globe the triangles are
//! tetrahedra in space (`solid::simplex`).
//! Source: Perlin 2001; the triangles that tile: Gustavson & McEwan 2022, *Tiling simplex noise and flow noise*, JCGT
//! 11(1).

use super::lattice::directions;
use super::octave_steps::{self, OctaveNoise, OctavePattern};
use super::octaves::{self, Lattice, Octaves, RowReader, octave_params, offset_params};
use super::solid::SolidField;
use super::solid::simplex::SolidSimplex;
use crate::{Context, Generator, OnPlanet, SteppedGenerator, Traits};
use talweg_ground::field::Cancelled;

talweg_ground::params! {
    /// Rolling hills to rugged mountains, like Perlin noise, but on triangles instead of squares.
    Simplex "Simplex noise" in "Noise", from "Perlin 2001; Gustavson & McEwan 2022", also "fbm fractal hills triangles gradient opensimplex clouds" {
        octave_params!(frequency = 4.0, octaves = 8, persistence = 0.45);
        /// Approximate height from the deepest valley to the highest peak, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Mean height, as a fraction of the relief.
        base: f32 = 0.5, -10.0..=10.0, slider -0.5..=1.5;
        offset_params!();
    }
}

/// Factor that scales the noise to a standard deviation of about ¼.
const SCALE: f32 = 5.8;

impl Generator for Simplex {
    fn traits(&self) -> Traits {
        Traits { on_planet: Some(OnPlanet::DEFAULT), ..Traits::GENERATOR }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        self.fill_octaves(cx, self.octaves, out)
    }

    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        Some(self)
    }
}

impl OctaveNoise for Simplex {
    fn octave_law(&self) -> Octaves {
        Octaves::new(self.frequency, self.octaves, self.lacunarity, [self.offset_x, self.offset_y])
    }

    fn pattern(&self) -> OctavePattern {
        OctavePattern::Triangles
    }

    fn base_height(&self) -> f32 {
        self.base
    }

    fn octave_formula(&self, cx: &Context, k: u32) -> String {
        let weight = octaves::weights(self.octaves, self.persistence, self.amplitude)[k as usize];
        octave_steps::sum_formula(
            cx,
            weight,
            "Σ (0.8 - d²)⁴ · g·d over the three corners of a triangle, g random slopes",
        )
    }

    fn fill_octaves(&self, cx: &Context, shown: u32, out: &mut [f32]) -> Result<(), Cancelled> {
        let law = self.octave_law();
        let weights = octaves::weights(self.octaves, self.persistence, self.amplitude);
        if cx.grid.is_globe() {
            let field = SolidField::from_octaves(cx.grid, cx.random, &law, SolidSimplex::new);
            return octaves::sum(cx, self.base, &weights[..shown as usize], || field.readers(), out);
        }
        // Every second lattice row is shifted, so a sample needs one more lattice column on either side than the usual
        // two.
        let lattices = law.lattices(cx.grid, cx.random, 1, 2.0);
        octaves::sum(
            cx,
            self.base,
            &weights[..shown as usize],
            || lattices.iter().map(SimplexReader::new).collect(),
            out,
        )
    }
}

/// Reads one octave of the noise row by row. Neighbouring rows share their gradients.
struct SimplexReader<'a> {
    lattice: &'a Lattice,
    /// Index, in `rows.lines`, of the lattice row whose gradients are in the first half of `gradients`. The gradients
    /// of the next row are in the second half.
    upper: Option<usize>,
    gradients: Vec<[f32; 2]>,
}

impl<'a> SimplexReader<'a> {
    fn new(lattice: &'a Lattice) -> Self {
        Self { lattice, upper: None, gradients: vec![[0.0; 2]; 2 * lattice.columns.lines.len()] }
    }

    fn prepare(&mut self, upper: usize) {
        if self.upper == Some(upper) {
            return;
        }
        let Lattice { stream, columns, rows } = self.lattice;
        let (above, below) = self.gradients.split_at_mut(columns.lines.len());
        if self.upper.is_some_and(|u| u + 1 == upper) {
            above.copy_from_slice(below);
        } else {
            directions(*stream, &columns.lines, rows.lines[upper], above);
        }
        directions(*stream, &columns.lines, rows.lines[upper + 1], below);
        self.upper = Some(upper);
    }
}

impl RowReader for SimplexReader<'_> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        let Lattice { rows, columns, .. } = self.lattice;
        // The axis has one extra line before the two lines around the row.
        let upper = rows.cell[row] as usize + 1;
        self.prepare(upper);
        let y = rows.fraction[row];
        let odd = rows.lines[upper] & 1;
        // An odd row is shifted half a cell to the west, so a sample reaches the next column of the row below it half a
        // cell earlier.
        let lean = y * 0.5 + 0.5 * odd as f32;
        let line = TriangleRow { gradients: &self.gradients, y, odd: odd as u32, lean, amplitude: amplitude * SCALE };
        add_row(&line, &columns.cell, &columns.fraction, out);
    }
}

/// A row of samples between two lattice rows.
struct TriangleRow<'a> {
    /// Gradients of the upper lattice row, then of the lower one.
    gradients: &'a [[f32; 2]],
    /// Distance of the row from the upper lattice row.
    y: f32,
    /// 1 if the upper lattice row has an odd number, otherwise 0.
    odd: u32,
    /// Shift of the row in the sheared lattice, where the triangles are halves of squares.
    lean: f32,
    amplitude: f32,
}

/// Number of samples that are computed side by side.
const PART: usize = 32;

/// Adds the noise of a row of samples, given the lattice column and the position in it of each sample.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn add_row(line: &TriangleRow, cells: &[u32], fractions: &[f32], out: &mut [f32]) {
    let done = out.len() / PART * PART;
    let parts = cells.as_chunks::<PART>().0.iter().zip(fractions.as_chunks::<PART>().0);
    for (out, (cells, fractions)) in out.as_chunks_mut::<PART>().0.iter_mut().zip(parts) {
        add_part(line, cells, fractions, out);
    }
    for k in done..out.len() {
        let mut sum = [out[k]];
        add_part(line, &[cells[k]], &[fractions[k]], &mut sum);
        out[k] = sum[0];
    }
}

#[inline(always)]
fn add_part<const N: usize>(line: &TriangleRow, cells: &[u32; N], fractions: &[f32; N], out: &mut [f32; N]) {
    let (y, odd) = (line.y, line.odd);
    let below = line.gradients.len() as u32 / 2;
    let (mut us, mut is_right) = ([0.0; N], [false; N]);
    let mut corners = [[0u32; N]; 3];
    for k in 0..N {
        let along = fractions[k] + line.lean;
        let carry = u32::from(along >= 1.0);
        let u = along - carry as f32;
        let column = cells[k] + 1 + carry;
        us[k] = u;
        is_right[k] = u >= y;
        corners[0][k] = column;
        corners[1][k] = below + column + 1 - odd;
        corners[2][k] = if u >= y { column + 1 } else { below + column - odd };
    }
    // These loops use indices, because look-ups and arithmetic in one loop would not vectorise.
    let mut slopes = [[[0.0f32; N]; 2]; 3];
    for ([east, south], corner) in slopes.iter_mut().zip(&corners) {
        for k in 0..N {
            [east[k], south[k]] = line.gradients[corner[k] as usize];
        }
    }
    let [first, second, third] = &slopes;
    for k in 0..N {
        let dx = us[k] - y * 0.5;
        let mut sum = part([first[0][k], first[1][k]], dx, y) + part([second[0][k], second[1][k]], dx - 0.5, y - 1.0);
        let (x, y) = if is_right[k] { (dx - 1.0, y) } else { (dx + 0.5, y - 1.0) };
        sum += part([third[0][k], third[1][k]], x, y);
        out[k] += line.amplitude * sum;
    }
}

/// The contribution of a corner at the position (x, y), which is measured from the corner.
#[inline(always)]
fn part(gradient: [f32; 2], x: f32, y: f32) -> f32 {
    let fall = (0.8 - (x * x + y * y)).max(0.0);
    let fall = fall * fall;
    fall * fall * (gradient[0] * x + gradient[1] * y)
}
