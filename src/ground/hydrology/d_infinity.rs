//! D∞ flow routing: the water of a cell is divided between two neighbours.
//!
//! Law (Tarboton 1997): the steepest of the eight facets around a cell gives the flow direction. Let α be the angle
//! between the flow direction and the orthogonal neighbour, and β the angle of the whole facet (45° on a square). The
//! diagonal neighbour gets the fraction α/β of the water and the orthogonal neighbour the rest. The facets are parts of
//! the filled surface. On level parts of this surface, in lakes and flats, the water follows the single receivers of
//! the [`FlowGraph`](super::FlowGraph). Water on a facet always flows strictly down, so there is no cycle.

use rayon::prelude::*;

use super::directions::RowWindow;
use super::drained_area::DrainedArea;
use super::facets::Facet;
use super::mesh::{FlowMesh, Outlets};
use super::order::UpstreamOrder;
use super::receivers::{NeighbourReceivers, Receivers};
use crate::field::vector::{cross, dot};
use crate::field::{Cancelled, Control};

/// The two receivers of every cell, one orthogonal and one diagonal. Outlets and copies are their own receivers.
#[derive(Clone, Debug, Default)]
pub struct DInfinity {
    /// The two neighbours of each cell between which the flow direction passes.
    pub receivers: NeighbourReceivers,
    /// Point where the flow direction meets the line between the two receivers, as a fraction of this line: 0 at the
    /// first receiver, 1 at the second.
    pub fraction: Vec<f32>,
    /// On a globe, the distance in cells from each cell to the point where the flow direction meets the line between
    /// the receivers. Empty on a square, where the distance is √(1 + fraction²).
    pub distance: Vec<f32>,
}

impl DInfinity {
    /// Computes the flow directions on the filled `surface` of a flow graph with the given `receivers`.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn new(
        mesh: &FlowMesh,
        surface: &[f32],
        outlets: &Outlets,
        receivers: &[u32],
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let mut flow = Self::default();
        flow.route(mesh, surface, outlets, receivers, control)?;
        Ok(flow)
    }

    /// Computes the same flow directions as [`new`](Self::new), and reuses the memory of `self`.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn route(
        &mut self,
        mesh: &FlowMesh,
        surface: &[f32],
        outlets: &Outlets,
        receivers: &[u32],
        control: &Control,
    ) -> Result<(), Cancelled> {
        let n = mesh.grid().samples;
        self.fraction.resize(mesh.len(), 0.0);
        let on_globe = mesh.grid().is_globe();
        self.distance.resize(if on_globe { mesh.len() } else { 0 }, 0.0);
        let beyond = vec![f32::INFINITY; n];
        let mut distances = self.distance.chunks_mut(n);
        let fields = self.fraction.chunks_mut(n).map(|fractions| (fractions, distances.next().unwrap_or_default()));
        self.receivers.by_rows(n, fields.collect(), |row, (fractions, distances), divided| {
            control.check()?;
            let (window, in_row) = (RowWindow::new(mesh, surface, &beyond, row), outlets.in_row(row));
            // Cells that the facets skip are in the sea. Each is its own receiver.
            divided.iter_mut().zip(&receivers[row * n..]).for_each(|(to, &single)| *to = [single; 2]);
            fractions.fill(0.0);
            distances.fill(0.0);
            // Where a facet leads down, the water is divided between its two neighbours.
            let divided_by = |j: usize, Facet { straight, diagonal, fall: [s1, s2], distance }: Facet| {
                if s1 > 0.0 && !in_row.contain(j, surface[row * n + j]) {
                    let first = window.index(j, if s2 < s1 { straight } else { diagonal });
                    let second = if s2 > 0.0 { window.index(j, diagonal) } else { first };
                    return ([first, second], s2 / s1, distance);
                }
                // Elsewhere the water follows the single receiver. A diagonal receiver is as far away as the second
                // receiver of a facet.
                let single = receivers[row * n + j];
                let distance = mesh.distance(row * n + j, single as usize);
                ([single; 2], if distance > 1.0 { 1.0 } else { 0.0 }, distance)
            };
            if on_globe {
                window.each_facet(outlets, |j, facet| {
                    (divided[j], fractions[j], distances[j]) = divided_by(j, facet);
                });
            } else {
                window.divide_on_square(outlets, divided, fractions, |divided, fractions, j, facet| {
                    (divided[j], fractions[j], _) = divided_by(j, facet);
                });
            }
            Ok(())
        })
    }

    /// The receiver of cell `k` to which the terrain falls more steeply; on a globe, where the angle between the
    /// receivers varies, the receiver that is nearer to the flow direction.
    pub fn steeper_receiver(&self, k: usize) -> u32 {
        let [first, second] = self.receivers.receivers(k);
        // At this fraction, tan 22.5°, the slopes to both receivers are equal on a square.
        if self.fraction[k] > std::f32::consts::SQRT_2 - 1.0 { second } else { first }
    }

    /// Fraction of each cell's water that flows to the second receiver.
    pub fn second_fractions(&self, mesh: &FlowMesh) -> Vec<f32> {
        let Some(sphere) = mesh.sphere() else {
            let mut shares = vec![0.0; self.fraction.len()];
            let blocks = shares.par_chunks_mut(SHARE_BLOCK).zip(self.fraction.par_chunks(SHARE_BLOCK));
            blocks.for_each(|(shares, fractions)| write_shares(fractions, shares));
            return shares;
        };
        let n = mesh.grid().samples;
        let direction = |k: usize| sphere.globe().exact_direction(k / (n * n), k / n % n, k % n);
        let share = |(k, &fraction): (usize, &f32)| {
            let [first, second] = self.receivers.receivers(k);
            if first == second {
                return fraction;
            }
            let [here, first, second] = [k, first as usize, second as usize].map(direction);
            let [to_first, to_second] = [first, second].map(|there| std::array::from_fn(|i| there[i] - here[i]));
            let between = std::array::from_fn(|i| to_first[i] + (to_second[i] - to_first[i]) * f64::from(fraction));
            (angle(to_first, between) / angle(to_first, to_second)) as f32
        };
        self.fraction.par_iter().enumerate().map(share).collect()
    }

    /// Adds to every cell the amounts from its donors, as [`accumulate`](super::accumulate) does. The second receiver
    /// of a cell gets the cell's fraction in `shares`, the first receiver the rest. Returns the order in which the
    /// amounts of the cells were added.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn accumulate(
        &self,
        shares: &[f32],
        held: &mut [DrainedArea],
        control: &Control,
    ) -> Result<UpstreamOrder, Cancelled> {
        UpstreamOrder::with_downstream_sums(&self.receivers, held, control, |k, held| held.divided(shares[k]))
    }
}

/// Number of cells whose fractions are computed together.
const SHARE_BLOCK: usize = 1 << 12;

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn write_shares(fractions: &[f32], shares: &mut [f32]) {
    for (share, &fraction) in shares.iter_mut().zip(fractions) {
        *share = arctangent(fraction) * (4.0 / std::f32::consts::PI);
    }
}

/// Arc tangent of `x` from 0 to 1, without branches, bit for bit equal to `libm::atanf`. As in FreeBSD's msun, the
/// formula tan(a - b) = (x - tan b) / (1 + x tan b) with tan a = `x` first reduces `x` to a number near 0. A polynomial
/// gives the arc tangent of this number.
#[allow(clippy::approx_constant, reason = "the high part of π/4, a bit below it")]
#[inline(always)]
fn arctangent(x: f32) -> f32 {
    let (is_steep, is_middle) = (x >= 11.0 / 16.0, x >= 7.0 / 16.0);
    let above = if is_middle { 2.0 * x - 1.0 } else { x };
    let below = if is_middle { 2.0 + x } else { 1.0 };
    let above = if is_steep { x - 1.0 } else { above };
    let below = if is_steep { x + 1.0 } else { below };
    // The subtracted angle b is 0, atan ½ or atan 1, each stored as the sum of two numbers.
    let (high, low) = if is_steep { (7.853_981e-1, 3.774_894_7e-8) } else { (4.636_476e-1, 5.012_158_2e-9) };
    let y = above / below;
    let z = y * y;
    let w = z * z;
    let even = z * (3.333_332_8e-1 + w * (1.425_363_6e-1 + w * 6.168_760_7e-2));
    let odd = w * (-1.999_915_8e-1 + w * -1.064_801_74e-1);
    let curved = y * (even + odd);
    if is_middle { high - ((curved - low) - y) } else { y - curved }
}

/// Angle between two vectors.
fn angle(a: [f64; 3], b: [f64; 3]) -> f64 {
    let across = cross(a, b);
    libm::atan2(dot(across, across).sqrt(), dot(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectorised_arc_tangents_equal_those_of_libm() {
        // Test every 61st number from 0 to 1, and all numbers near the values where the formula changes.
        let bits = (0..=1.0f32.to_bits()).step_by(61).chain(
            [0.0, 1.0 / 4096.0, 7.0 / 16.0, 11.0 / 16.0, 1.0]
                .iter()
                .flat_map(|at: &f32| at.to_bits().saturating_sub(2000)..=(at.to_bits() + 2000).min(1.0f32.to_bits())),
        );
        for x in bits.map(f32::from_bits) {
            assert_eq!(arctangent(x).to_bits(), libm::atanf(x).to_bits(), "{x:e}");
        }
    }
}
