//! Simplex noise summed to fractional Brownian motion (fBm).
//!
//! Law: the plane is a lattice of triangles with base 1 and height 1, in which every second row is shifted by ½. Every
//! lattice corner has a unit gradient g. Inside a triangle n = Σ (0.8 - d²)⁴ · g·d over its 3 corners, with d the
//! vector from the corner. 0.8 is the square of the distance from a corner to the opposite side, so the contribution of
//! each corner ends where its triangles end. h = base + amplitude · Σ pⁱ·s·nᵢ / (√2 · √Σ p²ⁱ), with p the persistence.
//! The factor s = 5.8 gives the standard deviation of Perlin noise. A sample depends on three corners instead of four,
//! and the lattice axes do not show.
//! Scheme: a row of samples is between two lattice rows, whose gradients a band keeps.
//! Boundary: open terrains need no rule; on wrapping terrains each octave's frequency is rounded to an even number,
//! because every second row is shifted. A preview is exactly a subsample of the full size. On a globe the triangles are
//! tetrahedra in space (`solid::simplex`).
//! Source: Perlin 2001; the triangles that tile: Gustavson & McEwan 2022, *Tiling simplex noise and flow noise*, JCGT
//! 11(1).

use super::lattice::direction;
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
    /// Index, in `rows.lines`, of the lattice row whose gradients are in `above`. The gradients of the next row are in
    /// `below`.
    upper: Option<usize>,
    above: Vec<[f32; 2]>,
    below: Vec<[f32; 2]>,
}

impl<'a> SimplexReader<'a> {
    fn new(lattice: &'a Lattice) -> Self {
        Self { lattice, upper: None, above: Vec::new(), below: Vec::new() }
    }

    fn prepare(&mut self, upper: usize) {
        if self.upper == Some(upper) {
            return;
        }
        if self.upper.is_some_and(|u| u + 1 == upper) {
            std::mem::swap(&mut self.above, &mut self.below);
        } else {
            gradients(self.lattice, upper, &mut self.above);
        }
        gradients(self.lattice, upper + 1, &mut self.below);
        self.upper = Some(upper);
    }
}

/// Writes the gradients of lattice row `line` at every column.
fn gradients(lattice: &Lattice, line: usize, out: &mut Vec<[f32; 2]>) {
    let y = lattice.rows.lines[line];
    out.clear();
    out.extend(lattice.columns.lines.iter().map(|&x| direction(lattice.stream.bits(x, y))));
}

impl RowReader for SimplexReader<'_> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        let Lattice { rows, columns, .. } = self.lattice;
        // The axis has one extra line before the two lines around the row.
        let upper = rows.cell[row] as usize + 1;
        self.prepare(upper);
        let y = rows.fraction[row];
        let odd = (rows.lines[upper] & 1) as usize;
        let amplitude = amplitude * SCALE;
        // An odd row is shifted half a cell to the west, so a sample reaches the next column of the row below it half a
        // cell earlier.
        let lean = y * 0.5 + 0.5 * odd as f32;
        for ((h, &cell), &x) in out.iter_mut().zip(&columns.cell).zip(&columns.fraction) {
            // The position in the sheared lattice, where the triangles are halves of squares.
            let along = x + lean;
            let carry = usize::from(along >= 1.0);
            let u = along - carry as f32;
            let k = cell as usize + 1 + carry;
            let dx = u - y * 0.5;
            let mut sum = part(self.above[k], dx, y) + part(self.below[k + 1 - odd], dx - 0.5, y - 1.0);
            sum += if u >= y {
                part(self.above[k + 1], dx - 1.0, y)
            } else {
                part(self.below[k - odd], dx + 0.5, y - 1.0)
            };
            *h += amplitude * sum;
        }
    }
}

/// The contribution of a corner at the position (x, y), which is measured from the corner.
#[inline(always)]
fn part(gradient: [f32; 2], x: f32, y: f32) -> f32 {
    let fall = (0.8 - (x * x + y * y)).max(0.0);
    let fall = fall * fall;
    fall * fall * (gradient[0] * x + gradient[1] * y)
}
