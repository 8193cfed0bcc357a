//! Thermal erosion on a globe.
//!
//! Law: that of [`thermal`](crate::nodes::erosion::thermal), with the distances δ_n as they are and T a rise per radian. What a
//! cell loses is a volume: m = c · max(d_n - T·δ_n) over a cell of the mean area, so that scree travels as fast where
//! cells are small, and never more than the cell's own excess. A neighbour gets the same volume on its own area.
//! Scheme: two passes, what cells give and what they get; copies and rims are closed after each.

use std::sync::Arc;

use rayon::prelude::*;

use super::mesh::{Mesh, ROWS};
use crate::field::{Cancelled, Terrain};
use crate::nodes::erosion::buffers::{Next, add_balance};
use crate::nodes::erosion::rock::Rock;
use crate::nodes::erosion::thermal::{Neighbours, Thermal, WRITTEN};
use crate::nodes::{Context, Ledger, Run};

/// Thermal erosion under way.
pub struct Slide {
    talus_angle: f32,
    rate: f32,
    neighbours: Neighbours,
    rock: Rock,
    mesh: Arc<Mesh>,
    terrain: Terrain,
    next: Next<2>,
    scratch: Scratch,
    ledger: Ledger,
}

/// Padded fields of a step; empty in snapshots.
#[derive(Default)]
struct Scratch {
    height: Vec<f32>,
    /// Volume that a cell gives per unit of height difference, to each lower neighbour beyond the threshold.
    share: Vec<f32>,
    /// Height that it loses.
    loss: Vec<f32>,
}

impl Slide {
    /// `terrain` is closed and has the maps.
    pub fn new(law: &Thermal, terrain: Terrain) -> Self {
        Self {
            talus_angle: law.talus_angle,
            rate: law.rate,
            neighbours: law.neighbours,
            rock: Rock::new(&terrain, law.hardness),
            mesh: Arc::new(Mesh::new(terrain.samples())),
            terrain,
            next: Next::default(),
            scratch: Scratch::default(),
            ledger: Ledger::default(),
        }
    }
}

impl Run for Slide {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let mesh = &*self.mesh;
        let n = mesh.samples();
        let radius = cx.size_metres * std::f32::consts::FRAC_2_PI;
        let rise = cx.rise_over(self.talus_angle, radius);
        let steps = ways(self.neighbours);
        let old = &self.terrain.height;
        let Scratch { height, share, loss } = &mut self.scratch;
        for field in [&mut *height, &mut *share, &mut *loss] {
            field.resize(mesh.padded_len(), 0.0);
        }
        mesh.pad(cx, old, height)?;
        let rock = &self.rock;
        let even = rock.uniform();
        mesh.rows(cx, [&mut *share, &mut *loss], |row, of_face, [share, loss]| {
            let (here, around) = (mesh.row(height, row), mesh.around(height, row));
            let distances = mesh.distances.around_row(of_face);
            // the sum of the falls stands in `share` for now, the greatest excess in `loss`
            share.fill(0.0);
            loss.fill(0.0);
            for &step in steps {
                look(here, around[step], distances[step], rise, share, loss);
            }
            for (j, ((share, loss), &area)) in share.iter_mut().zip(loss).zip(mesh.areas(of_face)).enumerate() {
                let rate = self.rate / area;
                let rate = if rate < 1.0 { rate } else { 1.0 };
                let moved = rate * even.unwrap_or_else(|| rock.softness(row * n + j)) * *loss;
                *loss = moved;
                *share = if *share > 0.0 { moved * area / *share } else { 0.0 };
            }
        })?;

        self.next.fit(&self.terrain);
        let Next { height: new, maps: [wear, deposits], accounts } = &mut self.next;
        new.par_chunks_mut(n).with_min_len(ROWS).enumerate().try_for_each(|(row, new)| {
            cx.control.check()?;
            let (here, around) = (mesh.row(height, row), mesh.around(height, row));
            let (shares, distances) = (mesh.around(share, row), mesh.distances.around_row(row % n));
            new.fill(0.0);
            for &step in steps {
                take(here, around[step], shares[step], distances[step], rise, new);
            }
            let (losses, areas) = (mesh.row(loss, row), mesh.areas(row % n));
            for (((new, &h), &loss), &area) in new.iter_mut().zip(here).zip(losses).zip(areas) {
                // one subtraction of the balance, so that a cell where nothing moves keeps its bits
                *new = h - (loss - *new / area);
            }
            Ok(())
        })?;
        mesh.close_plain(new);
        let before = WRITTEN.map(|kind| self.terrain.map(kind).expect("made at the start"));
        let rows = (new.par_chunks(n), wear.par_chunks_mut(n), deposits.par_chunks_mut(n), accounts);
        rows.into_par_iter().with_min_len(ROWS).enumerate().try_for_each(|(row, (new, wear, deposits, account))| {
            cx.control.check()?;
            let span = row * n..(row + 1) * n;
            let old = &old[span.clone()];
            add_balance(old, new, before.map(|map| &map[span.clone()]), wear, deposits);
            let [lost, gained] = mesh.balance(row, old, new);
            *account = [lost, gained, 0.0];
            Ok(())
        })?;
        // from here on the step cannot fail
        self.next.take_place(&mut self.terrain, WRITTEN, &mut self.ledger);
        Ok(())
    }

    fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    fn ledger(&self) -> Ledger {
        self.ledger
    }

    fn snapshot(&self) -> Box<dyn Run> {
        Box::new(Self {
            rock: self.rock.clone(),
            mesh: self.mesh.clone(),
            terrain: self.terrain.clone(),
            next: Next::default(),
            scratch: Scratch::default(),
            ..*self
        })
    }

    fn bytes(&self) -> usize {
        self.terrain.bytes()
    }
}

/// The steps to the cells that count as neighbours.
pub fn ways(neighbours: Neighbours) -> &'static [usize] {
    match neighbours {
        Neighbours::Moore => &[0, 1, 2, 3, 4, 5, 6, 7],
        Neighbours::VonNeumann => &[0, 2, 4, 6],
        Neighbours::Rotated => &[1, 3, 5, 7],
    }
}

/// Adds up the falls that are beyond the threshold, and finds the greatest excess.
fn look(here: &[f32], there: &[f32], distances: &[f32], rise: f32, sum: &mut [f32], most: &mut [f32]) {
    let n = here.len();
    let (there, distances, sum, most) = (&there[..n], &distances[..n], &mut sum[..n], &mut most[..n]);
    for j in 0..n {
        let d = here[j] - there[j];
        let excess = d - rise * distances[j];
        sum[j] += if excess > 0.0 { d } else { 0.0 };
        most[j] = if excess > most[j] { excess } else { most[j] };
    }
}

/// Adds up the volumes that come.
fn take(here: &[f32], there: &[f32], shares: &[f32], distances: &[f32], rise: f32, gained: &mut [f32]) {
    let n = here.len();
    let (there, shares, distances, gained) = (&there[..n], &shares[..n], &distances[..n], &mut gained[..n]);
    for j in 0..n {
        let d = there[j] - here[j];
        // chosen before it is multiplied: the loop has no branch
        gained[j] += shares[j] * if d - rise * distances[j] > 0.0 { d } else { 0.0 };
    }
}
