//! Fluxes in the pipes, and their changes by differences of the water level. K is the fraction of a cell's outflow that
//! friction and the available water allow.

use super::law::{DIAGONAL, FASTEST, STRAIGHT, ShallowWaterLaw, TINY, VISCOSITY};
use super::rows::{NeighbourRow, Pipes};
use super::state::{FLUX, StateRows, WATER};
use talweg_ground::field::Edges;

/// Returns the new flux of one pipe after the level difference has accelerated it. The pipe joins a cell with the
/// ground `h` and the water level `level` to a cell with `h2` and `level2`.
#[inline(always)]
fn push(flux: f32, weight: f32, full: f32, [h, level]: [f32; 2], [h2, level2]: [f32; 2]) -> f32 {
    let sill = if h > h2 { h } else { h2 };
    let (deep, deep2) = (level - sill, level2 - sill);
    let mean = 0.5 * (if deep > 0.0 { deep } else { 0.0 } + if deep2 > 0.0 { deep2 } else { 0.0 });
    let bore = if mean < full { mean } else { full };
    let pushed = flux + weight * bore * (level - level2);
    // 0 if the neighbour's ground is above the water, or if there is no neighbour
    if bore > 0.0 { pushed } else { 0.0 }
}

/// Returns the outflow over an open edge: the flux of the orthogonal pipe inside the edge, scaled up to the whole flow,
/// plus the increase by the `fall` of the water level over the edge.
#[inline(always)]
fn spill(law: &ShallowWaterLaw, before: f32, water: f32, fall: f32) -> f32 {
    let bore = if water < law.full { water } else { law.full };
    (if before > 0.0 { before * (1.0 / STRAIGHT) } else { 0.0 }) + law.push * bore * fall
}

impl ShallowWaterLaw {
    /// Computes the fluxes of row `row`, between the rows `mid` and `south`, before they are scaled by K.
    pub fn push_row(
        &self,
        state: &dyn StateRows,
        row: isize,
        mid: &NeighbourRow,
        south: &NeighbourRow,
        out: &mut Pipes,
    ) {
        let n = self.grid.samples;
        let last = n as isize - 1;
        let Some(at) = self.grid.row_beyond(row) else {
            out.clear();
            if row == -1 && self.leaks() {
                let (flux, water) = (state.row(0, FLUX + 1), state.row(0, WATER));
                for j in 0..n {
                    let fall = south.level[j + 1] - mid.level[j + 1];
                    out.south[j + 1] = -spill(self, -flux[j], water[j], fall);
                }
            }
            return;
        };
        let old: [&[f32]; 4] = std::array::from_fn(|k| state.row(at, FLUX + k));
        self.relax_row(state, at, old, out);
        let relaxed = [out.south[1], out.south[n]];
        // along an edge the orthogonal pipe also represents the diagonal pipe that would be mirrored there
        let edge = self.push * (STRAIGHT + DIAGONAL);
        let along =
            if self.grid.edges == Edges::Open && (at == 0 || row == last) { edge } else { self.push * STRAIGHT };
        push_cells(
            [&mid.ground, &mid.level, &south.ground, &south.level],
            [along, self.push * STRAIGHT, self.push * DIAGONAL, self.full],
            &mut out.east,
            &mut out.south,
            &mut out.south_east,
            &mut out.south_west,
        );
        if self.grid.edges == Edges::Wrap {
            out.east[0] = out.east[n - 1];
            out.south_east[0] = out.south_east[n - 1];
            out.south_west[n + 1] = out.south_west[2];
            return;
        }
        for (k, j) in [0, n - 1].into_iter().enumerate() {
            let [here, there] = [mid, south].map(|column| [column.ground[j + 1], column.level[j + 1]]);
            out.south[j + 1] = push(relaxed[k], edge, self.full, here, there);
        }
        for (pipe, j) in [(&mut out.south_east, 0), (&mut out.south_west, n + 1)] {
            pipe[j] = 0.0;
        }
        (out.south_east[n], out.south_west[1], out.east[0], out.east[n]) = (0.0, 0.0, 0.0, 0.0);
        let water = state.row(at, WATER);
        if self.leaks() {
            let level = &mid.level;
            out.east[0] = -spill(self, -old[0][0], water[0], level[1] - level[0]);
            out.east[n] = spill(self, old[0][n - 2], water[n - 1], level[n] - level[n + 1]);
        }
        if row == last {
            for pipe in [&mut out.south, &mut out.south_east, &mut out.south_west] {
                pipe.fill(0.0);
            }
            if self.leaks() {
                let before = state.row(n - 2, FLUX + 1);
                for j in 0..n {
                    let fall = mid.level[j + 1] - south.level[j + 1];
                    out.south[j + 1] = spill(self, before[j], water[j], fall);
                }
            }
        }
    }
}

fn push_cells(
    columns: [&[f32]; 4],
    [along, straight, diagonal, full]: [f32; 4],
    east: &mut [f32],
    south: &mut [f32],
    south_east: &mut [f32],
    south_west: &mut [f32],
) {
    let n = east.len() - 2;
    let [h, level, h_s, level_s] = columns.map(|row| &row[..n + 2]);
    let (east, south) = (&mut east[1..=n], &mut south[1..=n]);
    for j in 0..n {
        let here = [h[j + 1], level[j + 1]];
        east[j] = push(east[j], along, full, here, [h[j + 2], level[j + 2]]);
        south[j] = push(south[j], straight, full, here, [h_s[j + 1], level_s[j + 1]]);
    }
    let (south_east, south_west) = (&mut south_east[1..=n], &mut south_west[1..=n]);
    for j in 0..n {
        let here = [h[j + 1], level[j + 1]];
        south_east[j] = push(south_east[j], diagonal, full, here, [h_s[j + 2], level_s[j + 2]]);
        south_west[j] = push(south_west[j], diagonal, full, here, [h_s[j], level_s[j]]);
    }
}

impl ShallowWaterLaw {
    /// Writes the fluxes of row `at`, each relaxed a little towards the neighbouring fluxes along its own direction.
    /// This viscosity keeps wave fronts from rippling (de Almeida et al. 2012).
    fn relax_row(&self, state: &dyn StateRows, at: usize, old: [&[f32]; 4], out: &mut Pipes) {
        let n = self.grid.samples;
        let [e, s, se, sw] = old;
        let row = |row: Option<usize>, pipe: usize, own| row.map_or(own, |i| state.row(i, FLUX + pipe));
        let (north, south) = (self.grid.previous(at), self.grid.next(at));
        // no diagonal pipe starts in the last row of an open terrain
        let far = south.filter(|&i| self.grid.edges == Edges::Wrap || i < n - 1);
        self.relax(e, (e, -1), (e, 1), &mut out.east[1..=n]);
        self.relax(s, (row(north, 1, s), 0), (row(south, 1, s), 0), &mut out.south[1..=n]);
        self.relax(se, (row(north, 2, se), -1), (row(far, 2, se), 1), &mut out.south_east[1..=n]);
        self.relax(sw, (row(north, 3, sw), 1), (row(far, 3, sw), -1), &mut out.south_west[1..=n]);
    }

    /// Relaxes `own` towards two rows, each read with a column offset.
    fn relax(&self, own: &[f32], (a, aside): (&[f32], isize), (b, beside): (&[f32], isize), out: &mut [f32]) {
        let n = own.len();
        let aside_of = |j: usize, by: isize| match by {
            -1 => self.grid.previous(j).unwrap_or(j),
            1 => self.grid.next(j).unwrap_or(j),
            _ => j,
        };
        for j in [0, n - 1] {
            out[j] = drawn(own[j], a[aside_of(j, aside)], b[aside_of(j, beside)]);
        }
        let inner = n - 2;
        let shifted = |by: isize| (1 + by) as usize;
        let (a, b) = (&a[shifted(aside)..][..inner], &b[shifted(beside)..][..inner]);
        for (((out, own), a), b) in out[1..n - 1].iter_mut().zip(&own[1..n - 1]).zip(a).zip(b) {
            *out = drawn(*own, *a, *b);
        }
    }
}

#[inline(always)]
fn drawn(own: f32, a: f32, b: f32) -> f32 {
    own + VISCOSITY * ((a - own) + (b - own))
}

/// Total outflow of each cell, before it is scaled by K.
pub struct Outflow {
    /// Sum of the outgoing fluxes.
    pub sum: Vec<f32>,
    /// Length of the flux vector of each cell.
    pub flow: Vec<f32>,
    /// Σ flux·fall of each cell: the power of the flow.
    pub power: Vec<f32>,
}

impl Outflow {
    pub fn new(n: usize) -> Self {
        let row = || vec![0.0; n];
        Self { sum: row(), flow: row(), power: row() }
    }
}

/// Sums the outflow of the cells between the fluxes `above` (of the row before) and `own`.
pub fn gather_outflow(levels: [&[f32]; 3], above: &Pipes, own: &Pipes, out: &mut Outflow) {
    let pipes =
        [&above.south, &above.south_east, &above.south_west, &own.east, &own.south, &own.south_east, &own.south_west];
    outflow_cells(levels, pipes.map(|row| row.as_slice()), &mut out.sum, &mut out.flow, &mut out.power);
}

fn outflow_cells(levels: [&[f32]; 3], pipes: [&[f32]; 7], sum: &mut [f32], flow: &mut [f32], power: &mut [f32]) {
    let n = sum.len();
    let [north, mid, south] = levels.map(|row| &row[..n + 2]);
    let [q_n, q_nw, q_ne, q_e, q_s, q_se, q_sw] = pipes.map(|row| &row[..n + 2]);
    let (flow, power) = (&mut flow[..n], &mut power[..n]);
    for j in 0..n {
        let level = mid[j + 1];
        let out = |flux: f32| if flux > 0.0 { flux } else { 0.0 };
        let [e, w, s, no] = [out(q_e[j + 1]), out(-q_e[j]), out(q_s[j + 1]), out(-q_n[j + 1])];
        let [se, nw, sw, ne] = [out(q_se[j + 1]), out(-q_nw[j]), out(q_sw[j + 1]), out(-q_ne[j + 2])];
        sum[j] = ((e + w) + (s + no)) + ((se + nw) + (sw + ne));
        let x = (e - w) + ((se - nw) + (ne - sw));
        let y = (s - no) + ((se - nw) + (sw - ne));
        flow[j] = (x * x + y * y).sqrt();
        let straight = (e * (level - mid[j + 2]) + w * (level - mid[j]))
            + (s * (level - south[j + 1]) + no * (level - north[j + 1]));
        let diagonal = (se * (level - south[j + 2]) + nw * (level - north[j]))
            + (sw * (level - south[j]) + ne * (level - north[j + 2]));
        power[j] = straight + diagonal;
    }
}

/// Computes K of each cell: the fraction of the cell's outflow that friction and the available water allow.
pub fn scale_cells(drag: f32, water: &[f32], sum: &[f32], flow: &[f32], scale: &mut [f32]) {
    let n = water.len();
    let (sum, flow, scale) = (&sum[..n], &flow[..n], &mut scale[..n]);
    for j in 0..n {
        let d = water[j];
        // q·(1 + drag/4·q/d²) = flow, solved for q/flow
        let slowed = 2.0 / (1.0 + (1.0 + drag * flow[j] / (d * d + TINY)).sqrt());
        let most = flow[j] * (1.0 / FASTEST);
        let most = if most > sum[j] { most } else { sum[j] };
        let there = d / (most + TINY);
        scale[j] = if slowed < there { slowed } else { there };
    }
}

#[cfg(test)]
mod tests {
    use super::super::law::COURANT;
    use super::*;

    /// Symplectic Euler is stable for C²·λ < 4, with λ the largest eigenvalue of the eight-pipe Laplacian (Fourier
    /// modes).
    #[test]
    fn the_courant_number_is_below_the_bound() {
        let mut largest = 0.0f32;
        for a in 0..64 {
            for b in 0..64 {
                let [ca, cb] = [a, b].map(|k| libm::cosf(k as f32 * std::f32::consts::PI / 63.0));
                let straight = STRAIGHT * (4.0 - 2.0 * ca - 2.0 * cb);
                largest = largest.max(straight + DIAGONAL * (4.0 - 4.0 * ca * cb));
            }
        }
        assert!((largest - 8.0 * STRAIGHT).abs() < 1e-5, "{largest}");
        assert!(COURANT * COURANT * largest < 4.0);
    }
}
