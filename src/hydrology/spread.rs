//! D∞: water that goes between two neighbours.
//!
//! Law (Tarboton 1997): the steepest of the eight facets around a cell gives the direction; with the angle α from its
//! straight side, the diagonal neighbour gets α/45° of the water and the straight one the rest. The way down meets the far
//! side of the facet at the share tan α between the two neighbours.
//! The facets are those of the filled surface. Where it is level, in lakes and flats, the water follows the single receivers of
//! [`Basins::drain`](super::Basins::drain): facets only lead strictly down, so there is no circle.

use rayon::prelude::*;

use super::cells::{Cells, Outlets};
use super::descent::{Descent, Window};
use crate::field::{Cancelled, Control};

/// Two receivers of every cell, straight and diagonal; outlets are their own.
#[derive(Clone, Debug, Default)]
pub struct Spread {
    pub receivers: Vec<[u32; 2]>,
    /// Where the way down passes between the two: 0 at the first, 1 at the second.
    pub tangent: Vec<f32>,
}

/// Cells done between two looks at the stop flag.
const CHECK: usize = 1 << 15;

impl Spread {
    /// Directions on the filled `surface`, whose drained receivers are those of `descent`, in the memory of `self`.
    pub fn route(
        &mut self,
        cells: Cells,
        surface: &[f32],
        outlets: &Outlets,
        descent: &Descent,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let side = cells.side;
        self.receivers.resize(cells.len(), [0; 2]);
        self.tangent.resize(cells.len(), 0.0);
        let beyond = vec![f32::INFINITY; side];
        let rows = self.receivers.par_chunks_mut(side).zip(self.tangent.par_chunks_mut(side));
        rows.enumerate().try_for_each(|(row, (receivers, tangents))| {
            control.check()?;
            let window = Window::new(cells, surface, &beyond, row);
            window.each_facet(|j, straight, diagonal, [s1, s2]| {
                let k = row * side + j;
                let single = descent.receiver[k];
                if s1 > 0.0 && !outlets.contain(k, surface[k]) {
                    tangents[j] = s2 / s1;
                    let straight = window.index(j, if s2 < s1 { straight } else { diagonal }) as u32;
                    let diagonal = if s2 > 0.0 { window.index(j, diagonal) as u32 } else { straight };
                    receivers[j] = [straight, diagonal];
                } else {
                    // along the single receiver; a diagonal one is as far as the second of a facet
                    receivers[j] = [single; 2];
                    tangents[j] = if cells.distance(k, single as usize) > 1.0 { 1.0 } else { 0.0 };
                }
            });
            Ok(())
        })
    }

    /// Directions on the filled `surface`.
    pub fn new(
        cells: Cells,
        surface: &[f32],
        outlets: &Outlets,
        descent: &Descent,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let mut spread = Self::default();
        spread.route(cells, surface, outlets, descent, control)?;
        Ok(spread)
    }

    /// Share of the water that each cell gives to its second receiver.
    pub fn shares(&self) -> Vec<f32> {
        self.tangent.par_iter().map(|&t| libm::atanf(t) * (4.0 / std::f32::consts::PI)).collect()
    }

    /// Every cell, each after all that drain to it.
    pub fn upstream_first(&self, control: &Control) -> Result<Vec<u32>, Cancelled> {
        let mut donors = vec![0u8; self.receivers.len()];
        for (k, tos) in self.receivers.iter().enumerate() {
            for &to in tos {
                donors[to as usize] += u8::from(to as usize != k);
            }
        }
        let mut order = Vec::with_capacity(donors.len());
        let mut ready = Vec::new();
        for start in 0..donors.len() {
            if start % CHECK == 0 {
                control.check()?;
            }
            if donors[start] == 0 {
                ready.push(start as u32);
            }
            while let Some(at) = ready.pop() {
                // passed: never 0 again
                donors[at as usize] = u8::MAX;
                order.push(at);
                for to in self.receivers[at as usize] {
                    if to != at {
                        donors[to as usize] -= 1;
                        if donors[to as usize] == 0 {
                            ready.push(to);
                        }
                    }
                }
            }
        }
        Ok(order)
    }

    /// Adds to every cell what its donors give, as [`accumulate`](super::accumulate) does; `shares` go to the second
    /// receivers.
    pub fn accumulate(&self, upstream_first: &[u32], shares: &[f32], held: &mut [f32]) {
        for &k in upstream_first {
            let k = k as usize;
            let ([first, second], share) = (self.receivers[k], shares[k]);
            if first as usize != k {
                let given = held[k] * share;
                held[first as usize] += held[k] - given;
                held[second as usize] += given;
            }
        }
    }
}
