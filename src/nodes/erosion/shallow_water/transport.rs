//! Moves water and sediment through the pipes from cell to cell.

use super::rows::{PaddedRow, Pipes};
use talweg_ground::field::Edges;

/// Factor of the flux that leaves a cell: the scale K for water, and K·s/d for sediment, with s the sediment and d the
/// depth of the water. Column j is at index j + 1.
pub struct FluxFactor {
    pub water: PaddedRow,
    pub sediment: PaddedRow,
}

impl FluxFactor {
    pub fn new(n: usize) -> Self {
        Self { water: vec![0.0; n + 2], sediment: vec![0.0; n + 2] }
    }

    pub fn clear(&mut self) {
        self.water.fill(0.0);
        self.sediment.fill(0.0);
    }

    /// Fills the padding beyond the ends.
    pub fn close(&mut self, edges: Edges) {
        for row in [&mut self.water, &mut self.sediment] {
            let n = row.len() - 2;
            (row[0], row[n + 1]) = match edges {
                Edges::Wrap => (row[n - 1], row[2]),
                Edges::Open => (0.0, 0.0),
            };
        }
    }
}

/// Amounts that moved through a row's pipes.
pub struct PipeTransport {
    pub water: Pipes,
    pub sediment: Pipes,
}

impl PipeTransport {
    pub fn new(n: usize) -> Self {
        Self { water: Pipes::new(n), sediment: Pipes::new(n) }
    }

    /// Scales each of the fluxes `pushed` by the factor of the cell that it leaves.
    pub fn move_row(&mut self, pushed: &Pipes, own: &FluxFactor, south: &FluxFactor) {
        for (moved, own, south) in
            [(&mut self.water, &own.water, &south.water), (&mut self.sediment, &own.sediment, &south.sediment)]
        {
            let n = own.len() - 2;
            // each slice starts at the first pipe from or to a cell of the row
            scale_pipes(&pushed.east[..=n], &own[..=n], &own[1..], &mut moved.east[..=n]);
            scale_pipes(&pushed.south[1..=n], &own[1..=n], &south[1..=n], &mut moved.south[1..=n]);
            scale_pipes(&pushed.south_east[..=n], &own[..=n], &south[1..], &mut moved.south_east[..=n]);
            scale_pipes(&pushed.south_west[1..], &own[1..], &south[..=n], &mut moved.south_west[1..]);
        }
    }
}

/// Multiplies each flux by the factor of the cell that it leaves: `near` if the flux is positive, `far` if it is
/// negative.
#[inline(never)]
fn scale_pipes(flux: &[f32], near: &[f32], far: &[f32], out: &mut [f32]) {
    let n = out.len();
    let (flux, near, far) = (&flux[..n], &near[..n], &far[..n]);
    for k in 0..n {
        let q = flux[k];
        // one of the two products is 0; selecting between the products would cost a branch
        let (forth, back) = (if q > 0.0 { q } else { 0.0 }, if q < 0.0 { q } else { 0.0 });
        out[k] = forth * near[k] + back * far[k];
    }
}

/// Computes the part of `old` that remains in the cells of a row after the outflow. The outflow goes through the pipes
/// `above` the cells and through their `own` pipes.
pub fn stay_cells(old: &[f32], above: &Pipes, own: &Pipes, out: &mut [f32]) {
    let n = out.len();
    let old = &old[..n];
    let [q_n, q_nw, q_ne] = [&above.south[1..=n], &above.south_east[..n], &above.south_west[2..n + 2]];
    let [q_w, q_e, q_s] = [&own.east[..n], &own.east[1..=n], &own.south[1..=n]];
    let [q_se, q_sw] = [&own.south_east[1..=n], &own.south_west[1..=n]];
    for j in 0..n {
        let straight = (q_e[j] - q_w[j]) + (q_s[j] - q_n[j]);
        out[j] = old[j] - (straight + ((q_se[j] - q_nw[j]) + (q_sw[j] - q_ne[j])));
    }
}

/// Adds `rain` to the water of a row, and keeps the fraction `kept` that does not evaporate.
pub fn rain_cells(rain: &[f32], kept: f32, water: &mut [f32]) {
    let rain = &rain[..water.len()];
    for (d, rain) in water.iter_mut().zip(rain) {
        *d = (if *d > 0.0 { *d } else { 0.0 } + rain) * kept;
    }
}
