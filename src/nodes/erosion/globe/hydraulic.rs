//! Hydraulic erosion on a globe.
//!
//! Law: that of [`hydraulic`](crate::nodes::erosion::hydraulic). Water levels with the water of its neighbours; what passes
//! between two cells, water and sediment, is a volume and spreads on the area of the cell that gets it. The law knows no
//! distances, so water runs a cell an iteration, which is up to a tenth more or less than the mean way.
//! Scheme: three passes, rain, what cells give and what they get; copies and rims are closed after each.

use std::sync::Arc;

use rayon::prelude::*;

use super::mesh::{Mesh, ROWS};
use super::thermal::ways;
use crate::field::{Cancelled, MapKind, Terrain};
use crate::nodes::erosion::buffers::{Next, add_balance};
use crate::nodes::erosion::hydraulic::Hydraulic;
use crate::nodes::erosion::silt::{WRITTEN, Weather, lay_down};
use crate::nodes::erosion::thermal::Neighbours;
use crate::nodes::{Context, Ledger, Run};

/// Hydraulic erosion under way.
pub struct Wash {
    weather: Weather,
    capacity: f32,
    /// Share of the water that does not evaporate.
    left: f32,
    neighbours: Neighbours,
    mesh: Arc<Mesh>,
    terrain: Terrain,
    next: Next<5>,
    scratch: Scratch,
    /// Its `carried` has all that is in the water, whoever brought it there.
    ledger: Ledger,
    carried_before: f64,
}

/// Padded fields of a step; empty in snapshots.
#[derive(Default)]
struct Scratch {
    /// Altitude of the water.
    level: Vec<f32>,
    /// Its depth after the rain.
    water: Vec<f32>,
    dissolved: Vec<f32>,
    /// Sediment in a unit of water.
    content: Vec<f32>,
    /// Depth of water that a cell gives.
    given: Vec<f32>,
    /// Volume of water per unit of level difference, to each lower neighbour.
    share: Vec<f32>,
}

impl Wash {
    /// `terrain` is closed and has the maps.
    pub fn new(law: &Hydraulic, terrain: Terrain) -> Self {
        let carried = terrain.grid.sum(terrain.map(MapKind::Sediment).expect("made at the start"));
        Self {
            weather: Weather::new(&terrain, law.rain, law.solubility, law.hardness),
            capacity: law.sediment_capacity,
            left: 1.0 - law.evaporation,
            neighbours: law.neighbours,
            mesh: Arc::new(Mesh::new(terrain.samples())),
            terrain,
            next: Next::default(),
            scratch: Scratch::default(),
            ledger: Ledger { carried, ..Ledger::default() },
            carried_before: carried,
        }
    }
}

impl Run for Wash {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let mesh = &*self.mesh;
        let n = mesh.samples();
        let steps = ways(self.neighbours);
        let weather = &self.weather;
        let old = &self.terrain.height;
        let before = WRITTEN.map(|kind| self.terrain.map(kind).expect("made at the start").as_slice());
        let [old_wear, old_deposits, old_water, old_sediment, old_flow] = before;
        let Scratch { level, water, dissolved, content, given, share } = &mut self.scratch;
        for field in [&mut *level, &mut *water, &mut *dissolved, &mut *content, &mut *given, &mut *share] {
            field.resize(mesh.padded_len(), 0.0);
        }
        let wet = [&mut level[..], &mut water[..], &mut dissolved[..], &mut content[..]];
        mesh.rows(cx, wet, |row, _, [level, water, dissolved, content]| {
            // rain and solubility first, where they will be turned into water and what it dissolves
            weather.globe_row(row * n, water, dissolved);
            let [h, w, m] = [old, old_water, old_sediment].map(|field| &field[row * n..][..n]);
            let (level, water, dissolved, content) =
                (&mut level[..n], &mut water[..n], &mut dissolved[..n], &mut content[..n]);
            for j in 0..n {
                let depth = w[j] + water[j];
                let material = dissolved[j] * depth;
                (water[j], dissolved[j]) = (depth, material);
                level[j] = (h[j] - material) + depth;
                content[j] = if depth > 0.0 { (m[j] + material) / depth } else { 0.0 };
            }
        })?;
        mesh.rows(cx, [&mut share[..], &mut given[..]], |row, of_face, [share, given]| {
            let (here, around, water) = (mesh.row(level, row), mesh.around(level, row), mesh.row(water, row));
            let missing = mesh.distances.around_row(of_face);
            // the sum of the differences stands in `share` for now, their number in `given`
            share.fill(0.0);
            given.fill(1.0);
            for &step in steps {
                look(here, around[step], missing[step], share, given);
            }
            for (((share, given), &water), &area) in share.iter_mut().zip(given).zip(water).zip(mesh.areas(of_face)) {
                let levelling = *share / *given;
                let moved = if water < levelling { water } else { levelling };
                *given = moved;
                *share = if *share > 0.0 { moved * area / *share } else { 0.0 };
            }
        })?;

        self.next.fit(&self.terrain);
        let Next { height, maps: [wear, deposits, new_water, sediment, flow], accounts } = &mut self.next;
        let land = (height.par_chunks_mut(n), new_water.par_chunks_mut(n));
        let rows = (land.0, land.1, sediment.par_chunks_mut(n), flow.par_chunks_mut(n));
        let (capacity, left, unit) = (self.capacity, self.left, 1.0 / weather.unit_of_flow());
        rows.into_par_iter().with_min_len(ROWS).enumerate().try_for_each(|(row, (height, wet, silt, flow))| {
            cx.control.check()?;
            let (here, around) = (mesh.row(level, row), mesh.around(level, row));
            let (shares, contents) = (mesh.around(share, row), mesh.around(content, row));
            let missing = mesh.distances.around_row(row % n);
            wet.fill(0.0);
            silt.fill(0.0);
            for &step in steps {
                take(here, around[step], shares[step], contents[step], missing[step], wet, silt);
            }
            let [water, dissolved, content, given] =
                [&water, &dissolved, &content, &given].map(|field| &mesh.row(field, row)[..n]);
            let [h, m, flows] = [old, old_sediment, old_flow].map(|field| &field[row * n..][..n]);
            let areas = &mesh.areas(row % n)[..n];
            let (height, wet, silt, flow) = (&mut height[..n], &mut wet[..n], &mut silt[..n], &mut flow[..n]);
            for j in 0..n {
                let w = ((water[j] - given[j]) + wet[j] / areas[j]) * left;
                let material = ((m[j] + dissolved[j]) - content[j] * given[j]) + silt[j] / areas[j];
                let most = capacity * w;
                let kept = if material < most { material } else { most };
                (height[j], silt[j]) = lay_down(h[j], material - dissolved[j], kept);
                wet[j] = w;
                flow[j] = flows[j] + given[j] * unit;
            }
            Ok(())
        })?;
        for field in [&mut *height, &mut *new_water, &mut *sediment, &mut *flow] {
            mesh.close_plain(field);
        }

        let rows = (height.par_chunks(n), sediment.par_chunks(n), wear.par_chunks_mut(n), deposits.par_chunks_mut(n));
        (rows.0, rows.1, rows.2, rows.3, accounts).into_par_iter().with_min_len(ROWS).enumerate().try_for_each(
            |(row, (new, sediment, wear, deposits, account))| {
                cx.control.check()?;
                let span = row * n..(row + 1) * n;
                let old = &old[span.clone()];
                add_balance(old, new, [&old_wear[span.clone()], &old_deposits[span]], wear, deposits);
                let [lost, gained] = mesh.balance(row, old, new);
                *account = [lost, gained, mesh.total(row, sediment)];
                Ok(())
            },
        )?;
        // from here on the step cannot fail
        self.next.take_place(&mut self.terrain, WRITTEN, &mut self.ledger);
        Ok(())
    }

    fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    fn ledger(&self) -> Ledger {
        Ledger { carried: self.ledger.carried - self.carried_before, ..self.ledger }
    }

    fn snapshot(&self) -> Box<dyn Run> {
        Box::new(Self {
            weather: self.weather.clone(),
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

/// Adds up the differences to lower neighbours, and counts them. One that is infinitely far is none.
fn look(here: &[f32], there: &[f32], distances: &[f32], sum: &mut [f32], count: &mut [f32]) {
    let n = here.len();
    let (there, distances, sum, count) = (&there[..n], &distances[..n], &mut sum[..n], &mut count[..n]);
    for j in 0..n {
        let d = here[j] - there[j];
        let d = if distances[j] < f32::INFINITY { d } else { 0.0 };
        sum[j] += if d > 0.0 { d } else { 0.0 };
        count[j] += if d > 0.0 { 1.0 } else { 0.0 };
    }
}

/// Adds up the volumes of water and sediment that come.
fn take(
    here: &[f32],
    there: &[f32],
    shares: &[f32],
    contents: &[f32],
    distances: &[f32],
    water: &mut [f32],
    sediment: &mut [f32],
) {
    let n = here.len();
    let (there, shares, contents, distances) = (&there[..n], &shares[..n], &contents[..n], &distances[..n]);
    let (water, sediment) = (&mut water[..n], &mut sediment[..n]);
    for j in 0..n {
        let d = there[j] - here[j];
        let d = if distances[j] < f32::INFINITY { d } else { 0.0 };
        let came = shares[j] * if d > 0.0 { d } else { 0.0 };
        water[j] += came;
        sediment[j] += contents[j] * came;
    }
}
