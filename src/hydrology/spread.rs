//! D∞: water that goes between two neighbours.
//!
//! Law (Tarboton 1997): the steepest of the eight facets around a cell gives the direction; with the angle α from its
//! straight side, the diagonal neighbour gets α/45° of the water and the straight one the rest.
//! The facets are those of the filled surface. Where it is level, in lakes and flats, the water follows the single receivers of
//! [`Basins::drain`](super::Basins::drain): facets only lead strictly down, so there is no circle.

use rayon::prelude::*;

use super::cells::{Cells, Outlets};
use super::descent::{Descent, Window, steepest_facet};
use crate::nodes::{Cancelled, Control};

/// Two receivers of every cell.
#[derive(Clone, Debug)]
pub struct Spread {
    pub receivers: Vec<[u32; 2]>,
    /// Share of the second.
    pub share: Vec<f32>,
}

impl Spread {
    /// Directions on the filled `surface`, whose drained receivers are those of `descent`.
    pub fn new(
        cells: Cells,
        surface: &[f32],
        outlets: &Outlets,
        descent: &Descent,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let side = cells.side;
        let mut receivers: Vec<[u32; 2]> = descent.receiver.iter().map(|&to| [to, to]).collect();
        let mut share = vec![0.0; cells.len()];
        let beyond = vec![f32::INFINITY; side];
        let rows = receivers.par_chunks_mut(side).zip(share.par_chunks_mut(side));
        rows.enumerate().try_for_each(|(row, (receivers, shares))| {
            control.check()?;
            let window = Window::new(cells, surface, &beyond, row);
            for (j, (to, share)) in receivers.iter_mut().zip(shares).enumerate() {
                let k = row * side + j;
                let h = surface[k];
                if outlets.contain(k, h) {
                    *to = [k as u32; 2];
                    continue;
                }
                let Some(facet) = steepest_facet(h, &window.heights(j)) else { continue };
                let [s1, s2] = facet.fall;
                *share = libm::atanf(s2 / s1) * (4.0 / std::f32::consts::PI);
                let straight = if *share < 1.0 { facet.straight } else { facet.diagonal };
                let diagonal = if *share > 0.0 { facet.diagonal } else { facet.straight };
                *to = [window.index(j, straight) as u32, window.index(j, diagonal) as u32];
            }
            Ok(())
        })?;
        Ok(Self { receivers, share })
    }

    /// Adds to every cell what comes to it, as [`accumulate`](super::accumulate) does.
    pub fn accumulate(&self, held: &mut [f32], control: &Control) -> Result<(), Cancelled> {
        const CHECK: usize = 1 << 16;
        let mut donors = vec![0u8; held.len()];
        let tos = |k: usize| self.receivers[k].into_iter().filter(move |&to| to as usize != k);
        for k in 0..held.len() {
            tos(k).for_each(|to| donors[to as usize] += 1);
        }
        let mut ready = Vec::new();
        for start in 0..held.len() {
            if start % CHECK == 0 {
                control.check()?;
            }
            if donors[start] == 0 {
                ready.push(start);
            }
            while let Some(at) = ready.pop() {
                // passed: never 0 again
                donors[at] = u8::MAX;
                let ([first, second], share) = (self.receivers[at], self.share[at]);
                for (to, part) in [(first as usize, 1.0 - share), (second as usize, share)] {
                    if to == at {
                        continue;
                    }
                    held[to] += held[at] * part;
                    donors[to] -= 1;
                    if donors[to] == 0 {
                        ready.push(to);
                    }
                }
            }
        }
        Ok(())
    }
}
