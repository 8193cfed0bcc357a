//! Random values on a lattice, interpolated, octave by octave along rows of the grid.
//!
//! Law: every lattice point has a random value vₖₗ, uniform in [-1, 1). Between lattice points v = Σ wₖ(y)·Σ wₗ(x)·vₖₗ
//! with the weights w of the [`ValueCurve`]. The result is scaled by 0.58, so that the standard deviation equals that
//! of gradient noise.
//! Scheme: the weights are tabulated per row and column. Along a row of samples, the lattice is first interpolated in y
//! at every lattice column.
//! Boundary: open grids cover a part of an infinite lattice; on wrapping grids the lattice repeats.

use super::octaves::{Lattice, LatticeAxis, NoiseFade, RowReader};

/// The interpolation of values between lattice points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueCurve {
    /// Linear interpolation between 2 values.
    Linear,
    /// A fade between 2 values. Unless it is linear, its slope is 0 at the lattice points.
    Fade(NoiseFade),
    /// Catmull-Rom interpolation through 4 values.
    Cubic,
}

impl ValueCurve {
    /// Number of lattice lines that the curve reads on either side of a sample, beyond the nearest line.
    pub fn reach(self) -> usize {
        usize::from(self == Self::Cubic)
    }

    /// Weights of the 2 (or 4) values around a sample.
    fn weights(self, t: f32) -> [f32; 4] {
        match self {
            Self::Linear => [1.0 - t, t, 0.0, 0.0],
            Self::Fade(fade) => [1.0 - fade.weight(t), fade.weight(t), 0.0, 0.0],
            Self::Cubic => {
                let (t2, t3) = (t * t, t * t * t);
                [
                    0.5 * (2.0 * t2 - t3 - t),
                    0.5 * (3.0 * t3 - 5.0 * t2 + 2.0),
                    0.5 * (4.0 * t2 - 3.0 * t3 + t),
                    0.5 * (t3 - t2),
                ]
            }
        }
    }
}

/// Factor that scales random values in [-1, 1) to noise with a standard deviation of about ¼.
pub const SCALE: f32 = 0.58;

/// One octave of value noise, prepared for a grid.
pub struct ValueOctave {
    lattice: Lattice,
    column_weights: Vec<[f32; 4]>,
    row_weights: Vec<[f32; 4]>,
    /// Number of values that are read around a sample along an axis: 2 or 4.
    taps: usize,
}

impl ValueOctave {
    /// Prepares an octave. `lattice` must have the reach of `curve`.
    pub fn new(lattice: Lattice, curve: ValueCurve) -> Self {
        let weights = |axis: &LatticeAxis| axis.fraction.iter().map(|&t| curve.weights(t)).collect();
        let (column_weights, row_weights) = (weights(&lattice.columns), weights(&lattice.rows));
        Self { lattice, column_weights, row_weights, taps: 2 + 2 * curve.reach() }
    }

    /// Creates a reader for a band of rows.
    pub fn reader(&self) -> ValueReader<'_> {
        ValueReader { values: self, line_indices: [None; 4], tables: Default::default(), blend: Vec::new() }
    }
}

/// Reads one octave of the noise row by row. Neighbouring rows share their values.
pub struct ValueReader<'a> {
    values: &'a ValueOctave,
    /// For each of `tables`, the lattice row that it holds, as an index in `rows.lines`.
    line_indices: [Option<usize>; 4],
    tables: [Vec<f32>; 4],
    /// The lattice values interpolated at the current row, for every lattice column.
    blend: Vec<f32>,
}

impl RowReader for ValueReader<'_> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        self.prepare(row, amplitude * SCALE);
        let columns = &self.values.lattice.columns;
        let samples = out.iter_mut().zip(&columns.cell).zip(&self.values.column_weights);
        if self.values.taps == 2 {
            for ((h, &c), w) in samples {
                let v = &self.blend[c as usize..][..2];
                *h += w[0] * v[0] + w[1] * v[1];
            }
        } else {
            for ((h, &c), w) in samples {
                let v = &self.blend[c as usize..][..4];
                *h += (w[0] * v[0] + w[1] * v[1]) + (w[2] * v[2] + w[3] * v[3]);
            }
        }
    }
}

impl ValueReader<'_> {
    fn prepare(&mut self, row: usize, amplitude: f32) {
        let ValueOctave { lattice, row_weights, taps, .. } = self.values;
        self.blend.clear();
        self.blend.resize(lattice.columns.lines.len(), 0.0);
        let first = lattice.rows.cell[row] as usize;
        for (line, weight) in (first..first + taps).zip(row_weights[row]) {
            let slot = line % taps;
            let table = &mut self.tables[slot];
            if self.line_indices[slot] != Some(line) {
                let y = lattice.rows.lines[line];
                table.clear();
                table.extend(lattice.columns.lines.iter().map(|&x| lattice.stream.signed(x, y)));
                self.line_indices[slot] = Some(line);
            }
            let weight = weight * amplitude;
            self.blend.iter_mut().zip(table).for_each(|(b, v)| *b += weight * *v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_and_keep_the_lattice_values() {
        for curve in [
            ValueCurve::Linear,
            ValueCurve::Fade(NoiseFade::Classic),
            ValueCurve::Fade(NoiseFade::Improved),
            ValueCurve::Cubic,
        ] {
            for k in 0..=16 {
                let sum: f32 = curve.weights(k as f32 / 16.0).iter().sum();
                assert!((sum - 1.0).abs() < 1e-6, "{curve:?} {k}: {sum}");
            }
            let here = if curve == ValueCurve::Cubic { 1 } else { 0 };
            assert_eq!(curve.weights(0.0)[here], 1.0);
            assert_eq!(curve.weights(1.0)[here + 1], 1.0);
        }
    }
}
