//! Resamples a field to a grid with a different number of samples.

use crate::field::smooth_step;
use std::ops::Range;

use rayon::prelude::*;

use super::{Cancelled, Control, Edges, Grid, Stream};

/// Weights of four consecutive samples for interpolation at the fraction `t` of the way from the second sample to the
/// third (Catmull & Rom 1974). At `t` = ½ the weights are (-1, 9, 9, -1)/16; at `t` = 0 only the second sample counts.
#[inline]
pub fn catmull_rom_weights(t: f32) -> [f32; 4] {
    let t2 = t * t;
    let t3 = t2 * t;
    [0.5 * (-t + 2.0 * t2 - t3), 0.5 * (2.0 - 5.0 * t2 + 3.0 * t3), 0.5 * (t + 4.0 * t2 - 3.0 * t3), 0.5 * (t3 - t2)]
}

/// The input samples along one axis that contribute to an output sample, and their weights.
#[derive(Clone, Copy)]
struct AxisStencil {
    samples: [usize; 4],
    weights: [f32; 4],
    /// Whether the output sample coincides with the second input sample. Its value is then copied.
    is_copy: bool,
}

/// Minimum number of samples per side for cubic interpolation. With fewer samples, interpolation is linear.
const LEAST_FOR_CURVES: usize = 4;

/// The stencils of all samples of `to` along an axis (0 for rows, 1 for columns). Beyond an open edge, input values are
/// extrapolated by the parabola through the three outermost samples.
fn stencils(from: Grid, to: Grid, axis: usize) -> Vec<AxisStencil> {
    let (last, steps) = (from.whole_samples() - 1, to.whole_samples() - 1);
    let whole_stencil = |k: usize| {
        let (mut second, mut rest) = (k * last / steps, k * last % steps);
        if second == last {
            (second, rest) = (last - 1, steps);
        }
        let whole = if rest == steps { Some(second + 1) } else { (rest == 0).then_some(second) };
        if let Some(whole) = whole {
            return AxisStencil { samples: [whole; 4], weights: [0.0, 1.0, 0.0, 0.0], is_copy: true };
        }
        let t = rest as f32 / steps as f32;
        let third = second + 1;
        let wraps = from.edges == Edges::Wrap && !from.is_globe();
        let (before, after) = if wraps {
            (Some(if second == 0 { last - 1 } else { second - 1 }), Some(if third == last { 1 } else { third + 1 }))
        } else {
            (second.checked_sub(1), (third < last).then_some(third + 1))
        };
        if from.whole_samples() < LEAST_FOR_CURVES {
            let samples = [second, second, third, third];
            return AxisStencil { samples, weights: [0.0, 1.0 - t, t, 0.0], is_copy: false };
        }
        let [a, b, c, d] = catmull_rom_weights(t);
        let (samples, weights) = match (before, after) {
            (Some(before), Some(after)) => ([before, second, third, after], [a, b, c, d]),
            // The missing value before the edge is extrapolated: f(-1) = 3 f(0) - 3 f(1) + f(2).
            (None, Some(after)) => ([second, second, third, after], [0.0, b + 3.0 * a, c - 3.0 * a, d + a]),
            (Some(before), None) => ([before, second, third, third], [a + d, b - 3.0 * d, c + 3.0 * d, 0.0]),
            (None, None) => ([second, second, third, third], [0.0, 1.0 - t, t, 0.0]),
        };
        AxisStencil { samples, weights, is_copy: false }
    };
    let stencil = |k: usize| {
        let whole = whole_stencil(to.first()[axis] + k);
        AxisStencil { samples: whole.samples.map(|sample| sample - from.first()[axis]), ..whole }
    };
    (0..to.samples).map(stencil).collect()
}

/// Range of the input samples along one axis that [`resample`] reads to compute the output samples `wanted`. `from` and
/// `to` are the numbers of samples per side of the two whole grids.
pub fn input_samples(from: usize, to: usize, wanted: Range<usize>) -> Range<usize> {
    let before = |k: usize| k * (from - 1) / (to - 1);
    before(wanted.start).saturating_sub(2)..(before(wanted.end.saturating_sub(1)) + 3).min(from)
}

/// Resamples `field` from grid `from` to grid `to`, which must have the same edges and faces.
///
/// Interpolation is by Catmull-Rom curves through four samples, first along rows and then along columns. Samples common
/// to both grids keep their bits. On a grid twice as fine, the new samples follow the interpolating subdivision of
/// Dubuc (1986) and of Deslauriers & Dubuc (1989). Each face of a globe is interpolated separately; the faces agree
/// along their borders. Either grid can be a window. The window of `from` must then hold the [`input_samples`] that the
/// samples of `to` require.
///
/// # Errors
/// Fails if the evaluation was cancelled.
pub fn resample(from: Grid, to: Grid, field: &[f32], control: &Control) -> Result<Vec<f32>, Cancelled> {
    let (n, m) = (from.samples, to.samples);
    let [rows, columns] = [0, 1].map(|axis| stencils(from, to, axis));
    let mut wide = vec![0.0f32; from.rows() * m];
    wide.par_chunks_mut(m).zip(field.par_chunks(n)).try_for_each(|(out, row)| {
        control.check()?;
        for (out, &AxisStencil { samples: [a, b, c, d], weights, is_copy }) in out.iter_mut().zip(&columns) {
            *out = if is_copy {
                row[b]
            } else {
                weights[0] * row[a] + weights[1] * row[b] + weights[2] * row[c] + weights[3] * row[d]
            };
        }
        Ok(())
    })?;
    let mut made = vec![0.0f32; to.len()];
    made.par_chunks_mut(m).enumerate().try_for_each(|(i, out)| {
        control.check()?;
        let (face, AxisStencil { samples, weights, is_copy }) = (i / m, rows[i % m]);
        let [a, b, c, d] = samples.map(|row| &wide[(face * n + row) * m..][..m]);
        if is_copy {
            out.copy_from_slice(b);
        } else {
            for (k, out) in out.iter_mut().enumerate() {
                *out = weights[0] * a[k] + weights[1] * b[k] + weights[2] * c[k] + weights[3] * d[k];
            }
        }
        Ok(())
    })?;
    to.close(&mut made);
    Ok(made)
}

/// Smooth random offsets of the positions where [`resample_displaced`] reads the coarser grid. The offsets hide
/// features that follow the rows and columns of the coarse grid.
#[derive(Clone, Debug)]
pub struct GridDisplacement {
    from: Grid,
    to: Grid,
    /// For each output sample, the offset to the east and the offset to the south, in cells of the coarse grid.
    cells: [Vec<f32>; 2],
}

/// Number of extra coarse cells on every side that a displacement with a strength of up to one cell needs. The
/// interpolated offset can exceed one cell, but never two.
pub const DISPLACEMENT_HALO: usize = 2;
/// Distance between neighbouring random values of a [`GridDisplacement`], in cells of the coarse grid.
const DISPLACEMENT_SPACING: usize = 2;
/// Width of the strip in which a displacement fades out towards edges and face borders, in cells of the coarse grid.
const FADE_CELLS: f32 = 3.0;

impl GridDisplacement {
    /// Random offsets of at most about `strength` cells of `from`; the interpolation can overshoot slightly. Offsets
    /// are 0 on edges and on the borders of a globe's faces. Either grid can be a window. The window of `from` must
    /// then extend [`DISPLACEMENT_HALO`] samples beyond the [`input_samples`] on every side, except at the edges of the
    /// grid.
    ///
    /// # Errors
    /// Fails if the evaluation was cancelled.
    pub fn random(from: Grid, to: Grid, strength: f32, random: Stream, control: &Control) -> Result<Self, Cancelled> {
        let intervals = from.whole_samples() - 1;
        let samples = intervals.div_ceil(DISPLACEMENT_SPACING) + 1;
        let lattice = if from.is_globe() { Grid::globe(samples) } else { Grid::working(samples, from.edges) };
        let component = |axis: u64| {
            let random = random.fork(axis);
            let value = |k: usize| strength * random.signed((k % lattice.samples) as i32, (k / lattice.samples) as i32);
            let mut field: Vec<f32> = (0..lattice.len()).map(value).collect();
            lattice.close(&mut field);
            let mut field = resample(lattice, to, &field, control)?;
            if from.has_edge() || from.is_globe() {
                let (m, last) = (to.samples, to.whole_samples() - 1);
                let cells = intervals as f32 / last as f32 / FADE_CELLS;
                let fade = |k: usize| {
                    let near = k.min(last - k) as f32 * cells;
                    if near < 1.0 { smooth_step(near) } else { 1.0 }
                };
                let [rows, columns] = to.first().map(|first| (first..first + m).map(fade).collect::<Vec<f32>>());
                field.par_chunks_mut(m).enumerate().for_each(|(i, row)| {
                    row.iter_mut().zip(&columns).for_each(|(cells, fade)| *cells *= fade * rows[i % m]);
                });
            }
            Ok(field)
        };
        Ok(Self { from, to, cells: [component(0)?, component(1)?] })
    }
}

/// Resamples `field` as [`resample`] does, but reads the coarse grid at a displaced position for every output sample.
///
/// # Errors
/// Fails if the evaluation was cancelled.
pub fn resample_displaced(by: &GridDisplacement, field: &[f32], control: &Control) -> Result<Vec<f32>, Cancelled> {
    let GridDisplacement { from, to, cells: [east, south] } = by;
    let (n, m) = (from.samples, to.samples);
    let [last, steps] = [from, to].map(|grid| grid.whole_samples() - 1);
    let wraps = from.edges == Edges::Wrap && !from.is_globe();
    // Returns the last coarse sample before a position along an axis, and the distance from this sample to the
    // position.
    let place = |k: usize, cells: f32| {
        let exact = (k * last) as f32 / steps as f32 + cells;
        let inside = if wraps {
            exact
        } else if exact < 0.0 {
            0.0
        } else if exact > last as f32 {
            last as f32
        } else {
            exact
        };
        // Round down with integer arithmetic: `floor` would be a function call.
        let whole = inside as i32;
        let before = whole - i32::from(whole as f32 > inside);
        (before as isize, inside - before as f32)
    };
    let [rows_before, columns_before] = from.first();
    let tap = |k: isize| if wraps { k.rem_euclid(last as isize) as usize } else { k.clamp(0, last as isize) as usize };
    let [top, left] = to.first();
    let mut made = vec![0.0f32; to.len()];
    made.par_chunks_mut(m).enumerate().try_for_each(|(i, out)| {
        control.check()?;
        let (first, row) = (i / m * n, i % m);
        for (j, out) in out.iter_mut().enumerate() {
            let (x, fx) = place(left + j, east[i * m + j]);
            let (y, fy) = place(top + row, south[i * m + j]);
            let (across, down) = (catmull_rom_weights(fx), catmull_rom_weights(fy));
            let along =
                |row: [f32; 4]| across[0] * row[0] + across[1] * row[1] + across[2] * row[2] + across[3] * row[3];
            let is_inner = |before: isize| before >= 1 && before + 2 <= last as isize;
            *out = 0.0;
            if is_inner(x) && is_inner(y) {
                let corner = (first + y as usize - 1 - rows_before) * n + x as usize - 1 - columns_before;
                let rows = &field[corner..corner + 3 * n + 4];
                for (k, weight) in down.iter().enumerate() {
                    *out += weight * along(std::array::from_fn(|j| rows[k * n + j]));
                }
                continue;
            }
            let columns = [x - 1, x, x + 1, x + 2].map(|column| tap(column) - columns_before);
            for (k, weight) in down.iter().enumerate() {
                let row = from.row(field, first + tap(y - 1 + k as isize) - rows_before);
                *out += weight * along(columns.map(|column| row[column]));
            }
        }
        Ok(())
    })?;
    to.close(&mut made);
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resampling_keeps_common_samples_and_has_dubuc_weights() {
        assert_eq!(catmull_rom_weights(0.5).map(|weight| weight * 16.0), [-1.0, 9.0, 9.0, -1.0]);
        for (from, to) in [
            (Grid::new(9, Edges::Open), Grid::new(17, Edges::Open)),
            (Grid::new(9, Edges::Wrap), Grid::new(33, Edges::Wrap)),
            (Grid::globe(9), Grid::globe(17)),
        ] {
            let mut field: Vec<f32> = (0..from.len()).map(|k| ((k * 2654435761) % 1009) as f32 * 1e-3 - 0.5).collect();
            from.close(&mut field);
            let made = resample(from, to, &field, &Control::default()).unwrap();
            let ratio = (to.samples - 1) / (from.samples - 1);
            for i in 0..from.rows() {
                for j in 0..from.samples {
                    let (face, row) = (i / from.samples, i % from.samples);
                    let there = made[(face * to.samples + row * ratio) * to.samples + j * ratio];
                    assert_eq!(there.to_bits(), field[i * from.samples + j].to_bits(), "{i} {j} {from:?}");
                }
            }
            let mut closed = made.clone();
            to.close(&mut closed);
            assert!(closed == made);
        }
    }

    #[test]
    fn a_parabola_stays_a_parabola_up_to_open_edges_on_any_grid() {
        let (from, to) = (Grid::new(12, Edges::Open), Grid::new(31, Edges::Open));
        let shape = |grid: Grid, k: usize| {
            let (x, y) = (grid.position(k % grid.samples), grid.position(k / grid.samples));
            0.3 + x - 2.0 * y + 1.5 * x * x - 0.7 * x * y
        };
        let field: Vec<f32> = (0..from.len()).map(|k| shape(from, k)).collect();
        let made = resample(from, to, &field, &Control::default()).unwrap();
        for (k, &height) in made.iter().enumerate() {
            assert!((height - shape(to, k)).abs() < 3e-6, "{k}: {height} {}", shape(to, k));
        }
    }

    #[test]
    fn a_wrapping_field_is_interpolated_across_its_seam() {
        let wave = |grid: Grid, k: usize| libm::sinf(std::f32::consts::TAU * grid.position(k % grid.samples));
        let (from, to) = (Grid::new(33, Edges::Wrap), Grid::new(65, Edges::Wrap));
        let field: Vec<f32> = (0..from.len()).map(|k| wave(from, k)).collect();
        let made = resample(from, to, &field, &Control::default()).unwrap();
        let worst = (0..to.len()).map(|k| (made[k] - wave(to, k)).abs()).fold(0.0, f32::max);
        assert!(worst < 1e-4, "{worst}");
    }

    #[test]
    fn windows_are_displaced_like_the_whole() {
        let control = Control::default();
        for (coarse, fine) in [(129, 257), (100, 231)] {
            let (from, to) = (Grid::new(coarse, Edges::Open), Grid::new(fine, Edges::Open));
            let field: Vec<f32> = (0..from.len()).map(|k| ((k * 2654435761) % 1009) as f32 * 1e-3 - 0.5).collect();
            let displaced = |from: Grid, to: Grid, field: &[f32]| {
                let by = GridDisplacement::random(from, to, 0.9, Stream::new(3, 7), &control).unwrap();
                resample_displaced(&by, field, &control).unwrap()
            };
            let whole = displaced(from, to, &field);
            assert!(whole != resample(from, to, &field, &control).unwrap());
            let last = fine - 60;
            for first in [[0, 0], [0, last], [last, 31], [40, 77]] {
                let window = to.window(first, 60);
                let [rows, columns] = first.map(|first| {
                    let around = input_samples(coarse, fine, first..first + 60);
                    around.start.saturating_sub(DISPLACEMENT_HALO)..(around.end + DISPLACEMENT_HALO).min(coarse)
                });
                let side = rows.len().max(columns.len());
                let start = [rows.start, columns.start].map(|start| start.min(coarse - side));
                let part = from.window(start, side);
                let seen: Vec<f32> =
                    (0..part.len()).map(|k| field[(start[0] + k / side) * coarse + start[1] + k % side]).collect();
                let made = displaced(part, window, &seen);
                for (k, value) in made.iter().enumerate() {
                    let there = whole[(first[0] + k / 60) * fine + first[1] + k % 60];
                    assert_eq!(value.to_bits(), there.to_bits(), "{k} of {first:?} on {fine}");
                }
            }
        }
    }
}
