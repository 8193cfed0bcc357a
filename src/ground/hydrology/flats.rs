//! Flow directions on flats, the level parts of a filled surface: lakes, plains and terraces.
//!
//! Law: the water of a flat takes the nearest way out. A flat cell has no lower neighbour and is no outlet. Its
//! distance is the number of steps to the nearest cell of the same height that has a lower neighbour or is an outlet.
//! Each flat cell drains to a neighbour that is one step nearer: to the one with the lowest ground, so that streams
//! follow the deep water of a lake. Of neighbours with equal ground, orthogonal neighbours take precedence over
//! diagonal ones. A random number of the cell chooses among the neighbours that remain, because a fixed order would
//! favour one side of the terrain.
//! Scheme: breadth-first search from the cells of distance 1. A neighbour's distance differs by at most 1, so the
//! search keeps distances modulo 3, in one byte per cell.
//! Source: Barnes, Lehman & Mulla 2014, *An efficient assignment of drainage direction over flat surfaces* (the
//! gradient towards lower terrain).

use rayon::prelude::*;

use super::mesh::{FlowMesh, Outlets};
use crate::field::topology::NONE;
use crate::field::{Cancelled, Control, Stream};

/// Cells processed between two checks for cancellation.
const CHECK: usize = 1 << 16;
/// Random stream that chooses among equally good receivers. It is the same for every terrain.
const CHOICE: (u32, u32) = (0, 0xf1a7);
/// Mark of a cell that is not flat.
const NOT_FLAT: u8 = 0;
/// Mark of a flat cell that the search has not reached.
const UNREACHED: u8 = 0xff;

/// Mark of a flat cell at this distance, at least 1.
fn mark_at(distance: u32) -> u8 {
    ((distance - 1) % 3 + 1) as u8
}

/// The flat cells of a filled surface, with their distances to the outflow modulo 3.
#[derive(Debug)]
pub(super) struct Flats {
    /// The flat cells, in ascending order.
    pub cells: Vec<u32>,
    /// Mark of every cell of the mesh; empty if there is no flat.
    marks: Vec<u8>,
}

impl Flats {
    /// Finds the flat cells. `receivers` holds the flow directions on the filled surface, in which cells without a
    /// lower neighbour are their own receivers; `is_candidate(k)` says whether cell `k` can be flat.
    pub fn find(receivers: &[u32], is_candidate: impl Fn(usize) -> bool + Sync) -> Self {
        let is_flat = |&k: &usize| receivers[k] as usize == k && is_candidate(k);
        let cells: Vec<u32> =
            (0..receivers.len()).into_par_iter().with_min_len(CHECK).filter(is_flat).map(|k| k as u32).collect();
        let mut marks = vec![NOT_FLAT; if cells.is_empty() { 0 } else { receivers.len() }];
        cells.iter().for_each(|&k| marks[k as usize] = UNREACHED);
        Self { cells, marks }
    }

    /// Whether cell `k` is flat.
    pub fn contains(&self, k: usize) -> bool {
        self.marks.get(k).is_some_and(|&mark| mark != NOT_FLAT)
    }

    /// Marks cell `k`, which is outside the tile, as a flat cell at this distance.
    pub fn mark_outside(&mut self, k: usize, distance: u32) {
        if let Some(mark) = self.marks.get_mut(k) {
            *mark = mark_at(distance);
        }
    }

    /// The flat cells at distance 1: they have a neighbour of the same height that is not flat.
    pub fn at_outflow(&self, mesh: &FlowMesh, surface: &[f32]) -> Vec<u32> {
        let drains = |&k: &u32| self.outflows(mesh, surface, k as usize).any(|is_outflow| is_outflow);
        self.cells.par_iter().copied().filter(drains).collect()
    }

    /// For each direction, whether the neighbour of the flat cell `k` has the same height and is not flat.
    fn outflows(&self, mesh: &FlowMesh, surface: &[f32], k: usize) -> impl Iterator<Item = bool> {
        let is_outflow = move |there: u32| {
            there != NONE && surface[there as usize] == surface[k] && self.marks[there as usize] == NOT_FLAT
        };
        mesh.neighbours(k).into_iter().map(is_outflow)
    }

    /// Finds the distance of every flat cell. `starts` holds cells with known distances.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn measure(
        &mut self,
        mesh: &FlowMesh,
        mut starts: Vec<(u32, u32)>,
        control: &Control,
    ) -> Result<(), Cancelled> {
        starts.par_sort_unstable_by(|a, b| b.cmp(a));
        let (mut here, mut beyond) = (Vec::new(), Vec::new());
        let (mut distance, mut done) = (0, 0);
        loop {
            if here.is_empty() {
                let Some(&(nearest, _)) = starts.last() else { return Ok(()) };
                distance = nearest;
            }
            while let Some(&(_, k)) = starts.last().filter(|(at, _)| *at == distance) {
                starts.pop();
                if self.marks[k as usize] == UNREACHED {
                    self.marks[k as usize] = mark_at(distance);
                    here.push(k);
                }
            }
            distance += 1;
            for k in here.drain(..) {
                done += 1;
                if done % CHECK == 0 {
                    control.check()?;
                }
                for there in mesh.existing_neighbours(k as usize) {
                    if self.marks[there] == UNREACHED {
                        self.marks[there] = mark_at(distance);
                        beyond.push(there as u32);
                    }
                }
            }
            std::mem::swap(&mut here, &mut beyond);
        }
    }

    /// Writes the receivers of the flat cells, whose distances [`measure`](Self::measure) found. `height` is the
    /// terrain below the filled `surface`.
    pub fn drain(&self, mesh: &FlowMesh, [height, surface]: [&[f32]; 2], receivers: &mut [u32]) {
        let (random, n, [top, left]) = (Stream::new(CHOICE.0, CHOICE.1), mesh.grid().samples, mesh.grid().first());
        let receiver = |&k: &u32| {
            let k = k as usize;
            let mark = self.marks[k];
            let (nearer, around) = (if mark == 1 { 3 } else { mark - 1 }, mesh.neighbours(k));
            let is_nearer = |there: u32| {
                there != NONE
                    && match self.marks[there as usize] {
                        NOT_FLAT => mark == 1 && surface[there as usize] == surface[k],
                        mark => mark == nearer,
                    }
            };
            let lowest = around.into_iter().filter(|&there| is_nearer(there)).map(|there| height[there as usize]);
            let lowest = lowest.fold(f32::INFINITY, |low, h| if h < low { h } else { low });
            let is_choice = |&there: &u32| is_nearer(there) && height[there as usize] == lowest;
            // Directions with even numbers are orthogonal.
            let choices = |first: usize| around.into_iter().skip(first).step_by(2).filter(is_choice);
            let first = [0, 1].into_iter().find(|&first| choices(first).next().is_some())?;
            let drawn = match choices(first).count() {
                1 => 0,
                count => {
                    let unit = random.unit((left + k % n) as i32, (top + k / n) as i32);
                    ((unit * count as f32) as usize).min(count - 1)
                }
            };
            choices(first).nth(drawn)
        };
        let found: Vec<Option<u32>> = self.cells.par_iter().map(receiver).collect();
        for (&k, found) in self.cells.iter().zip(found) {
            debug_assert!(found.is_some(), "every flat of a filled surface has an outflow");
            receivers[k as usize] = found.unwrap_or(k);
        }
    }
}

/// Finds the receivers of all flat cells of `surface`, the terrain `height` with filled depressions. On entry, cells
/// without a lower neighbour are their own receivers.
///
/// # Errors
/// Fails if the run is cancelled.
pub(super) fn drain_flats(
    mesh: &FlowMesh,
    [height, surface]: [&[f32]; 2],
    outlets: &Outlets,
    receivers: &mut [u32],
    control: &Control,
) -> Result<(), Cancelled> {
    let mut flats = Flats::find(receivers, |k| !outlets.contain(k, surface[k]));
    control.check()?;
    if flats.cells.is_empty() {
        return Ok(());
    }
    let starts = flats.at_outflow(mesh, surface).into_iter().map(|k| (1, k)).collect();
    flats.measure(mesh, starts, control)?;
    flats.drain(mesh, [height, surface], receivers);
    Ok(())
}
