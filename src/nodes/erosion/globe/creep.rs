//! Hillslope creep on a globe.
//!
//! Law: that of [`creep`](crate::nodes::erosion::creep). What passes between two cells is κ·Δt·s·w·(h_n - h), with w the
//! conductance of the pair ([`Links::conductances`]), a volume that spreads on the cell's own area.
//! Scheme: explicit, in as many equal steps as keep new heights means of old ones with positive weights.

use std::sync::Arc;

use rayon::prelude::*;

use super::mesh::{Mesh, ROWS};
use crate::field::metric::Links;
use crate::field::{Cancelled, Terrain};
use crate::nodes::erosion::buffers::{Next, add_balance};
use crate::nodes::erosion::creep::{Creep, FARTHEST, WRITTEN};
use crate::nodes::erosion::rock::Rock;
use crate::nodes::{Context, Ledger, Run};

/// Share of a cell's height that may be exchanged in one step.
const STABLE: f64 = 0.8;

/// Creep under way.
pub struct Soil {
    /// κ·Δt, in m².
    metres: f64,
    rock: Rock,
    mesh: Arc<Mesh>,
    conductances: Arc<Links>,
    stiffness: f64,
    terrain: Terrain,
    /// What the single precision of the heights leaves out.
    rest: Vec<f32>,
    next: Next<2>,
    scratch: Scratch,
    ledger: Ledger,
}

/// Padded fields of a step; empty in snapshots.
#[derive(Default)]
struct Scratch {
    now: Vec<f64>,
    later: Vec<f64>,
    /// Softness, where the rock differs.
    soft: Vec<f64>,
}

impl Soil {
    /// `terrain` is closed and has the maps.
    pub fn new(law: &Creep, terrain: Terrain) -> Self {
        let mesh = Mesh::new(terrain.samples());
        let conductances = Links::conductances(mesh.globe());
        Self {
            metres: f64::from(law.diffusivity) * f64::from(law.time_step),
            rock: Rock::new(&terrain, law.hardness),
            stiffness: stiffness(&mesh, &conductances),
            conductances: Arc::new(conductances),
            mesh: Arc::new(mesh),
            rest: vec![0.0; terrain.grid.len()],
            terrain,
            next: Next::default(),
            scratch: Scratch::default(),
            ledger: Ledger::default(),
        }
    }
}

/// Greatest sum of a cell's conductances over its area, in cells of the mean area.
fn stiffness(mesh: &Mesh, conductances: &Links) -> f64 {
    (0..mesh.samples())
        .flat_map(|row| {
            let links = conductances.around_row(row);
            mesh.areas(row)
                .iter()
                .enumerate()
                .map(move |(j, &area)| links.iter().map(|links| f64::from(links[j])).sum::<f64>() / f64::from(area))
        })
        .fold(0.0, |most, own| if own > most { own } else { most })
}

impl Run for Soil {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let (mesh, conductances) = (&*self.mesh, &*self.conductances);
        let n = mesh.samples();
        // in square cells of the mean area
        let side = f64::from(cx.size_metres);
        let cells = 1.0 / (mesh.mean_cell() * std::f64::consts::FRAC_2_PI);
        let spread = (self.metres / (side * side)).min(FARTHEST * FARTHEST) * cells * cells;
        let steps = libm::ceil(spread * self.stiffness / STABLE).max(1.0) as u32;
        let even = self.rock.uniform();
        let share = spread / f64::from(steps) * f64::from(even.unwrap_or(1.0));

        let Scratch { now, later, soft } = &mut self.scratch;
        now.resize(mesh.padded_len(), 0.0);
        later.resize(mesh.padded_len(), 0.0);
        let (old, rest, rock) = (&self.terrain.height, &self.rest, &self.rock);
        let exact = |k: usize| f64::from(old[k]) + f64::from(rest[k]);
        mesh.rows(cx, [&mut now[..]], |row, _, [cells]| {
            cells.iter_mut().enumerate().for_each(|(j, h)| *h = exact(row * n + j));
        })?;
        if even.is_none() {
            soft.resize(mesh.padded_len(), 0.0);
            mesh.rows(cx, [&mut soft[..]], |row, _, [cells]| {
                cells.iter_mut().enumerate().for_each(|(j, s)| *s = f64::from(rock.softness(row * n + j)));
            })?;
        }
        for _ in 0..steps {
            mesh.rows(cx, [&mut later[..]], |row, of_face, [new]| {
                let (here, around, links) =
                    (mesh.row(now, row), mesh.around(now, row), conductances.around_row(of_face));
                new.fill(0.0);
                for step in 0..8 {
                    if even.is_some() {
                        exchange(here, around[step], links[step], new);
                    } else {
                        let (own, there) = (mesh.row(soft, row), mesh.around(soft, row)[step]);
                        exchange_uneven([here, around[step]], [own, there], links[step], new);
                    }
                }
                for ((new, &h), &area) in new.iter_mut().zip(here).zip(mesh.areas(of_face)) {
                    *new = h + share * *new / f64::from(area);
                }
            })?;
            std::mem::swap(now, later);
        }

        self.next.fit(&self.terrain);
        let Next { height, maps: [wear, deposits], accounts } = &mut self.next;
        let before = WRITTEN.map(|kind| self.terrain.map(kind).expect("made at the start"));
        let rows = (height.par_chunks_mut(n), wear.par_chunks_mut(n), deposits.par_chunks_mut(n), accounts);
        rows.into_par_iter().with_min_len(ROWS).enumerate().try_for_each(
            |(row, (height, wear, deposits, account))| {
                cx.control.check()?;
                let span = row * n..(row + 1) * n;
                for ((k, h), &now) in span.clone().zip(height.iter_mut()).zip(mesh.row(now, row)) {
                    // ground that has not moved keeps its bits, the sign of a zero among them
                    *h = if now == exact(k) { old[k] } else { now as f32 };
                }
                let old = &old[span.clone()];
                add_balance(old, height, before.map(|map| &map[span.clone()]), wear, deposits);
                let [lost, gained] = mesh.balance(row, old, height);
                *account = [lost, gained, 0.0];
                Ok(())
            },
        )?;
        // from here on the step cannot fail
        self.next.take_place(&mut self.terrain, WRITTEN, &mut self.ledger);
        let height = &self.terrain.height;
        self.rest.par_chunks_mut(n).enumerate().for_each(|(row, rest)| {
            for ((rest, &now), &h) in rest.iter_mut().zip(mesh.row(now, row)).zip(&height[row * n..][..n]) {
                *rest = (now - f64::from(h)) as f32;
            }
        });
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
            conductances: self.conductances.clone(),
            terrain: self.terrain.clone(),
            rest: self.rest.clone(),
            next: Next::default(),
            scratch: Scratch::default(),
            ..*self
        })
    }

    fn bytes(&self) -> usize {
        self.terrain.bytes() + 4 * self.rest.len()
    }
}

/// Adds up what comes from a neighbour where all rock is alike.
fn exchange(here: &[f64], there: &[f64], links: &[f32], gained: &mut [f64]) {
    let n = here.len();
    let (there, links, gained) = (&there[..n], &links[..n], &mut gained[..n]);
    for j in 0..n {
        gained[j] += f64::from(links[j]) * (there[j] - here[j]);
    }
}

/// The same where the rock differs; the softness of the higher cell counts.
fn exchange_uneven([here, there]: [&[f64]; 2], [own, other]: [&[f64]; 2], links: &[f32], gained: &mut [f64]) {
    let n = here.len();
    let (there, own, other, links, gained) = (&there[..n], &own[..n], &other[..n], &links[..n], &mut gained[..n]);
    for j in 0..n {
        let d = there[j] - here[j];
        gained[j] += f64::from(links[j]) * (d * if d > 0.0 { other[j] } else { own[j] });
    }
}
