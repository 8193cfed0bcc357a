//! Mountain building on a globe.
//!
//! Law: that of [`stream_power`](crate::nodes::erosion::stream_power), with A in true areas and S over true distances. Water
//! takes the steepest of the eight ways ([`GlobeRoutes`]) and ends in the sea or, without one, in the lowest cell, which
//! stays at its height. Rock under way is a volume, and settles on the area of the cell.
//! Scheme: uplift, routing, wear from the outlets up (implicit, stable for any time step), settling, creep; explicit up to
//! a Courant number of ¼, beyond that by the Gaussian that solves it.
//! Where the ground rises: a dome has its top at longitude 0 on the equator and dies out a quarter of the way around; ranges
//! follow great circles, cos²(πt) wide with t the distance in quarters of the way around: the equator, the meridian of 0 and
//! 180°, and one that climbs to 45° at 90° east.
//! What remains of the grid: channels are chains of cells (D8), so long even slopes drain in eight directions.
//! Source: Braun & Willett 2013.

use std::sync::Arc;

use rayon::prelude::*;

use super::mesh::{Mesh, ROWS};
use crate::field::metric::Links;
use crate::field::{Cancelled, Terrain};
use crate::hydrology::{GlobeCells, GlobeRoutes, accumulate};
use crate::nodes::erosion::buffers::{Next, add_balance};
use crate::nodes::erosion::rock::Rock;
use crate::nodes::erosion::stream_power::{StreamPower, WRITTEN};
use crate::nodes::erosion::stream_power_law::{COURANT, FILL, Forces, MOST};
use crate::nodes::erosion::uplift::Uplift;
use crate::nodes::filters::gauss;
use crate::nodes::{Context, Ledger, Run};

/// Cells done between two looks at the stop flag.
const CHECK: usize = 1 << 15;

/// A range under way.
pub struct Range {
    law: StreamPower,
    rock: Rock,
    rain: Option<Arc<Vec<f32>>>,
    ground: Arc<Ground>,
    /// Made in the first step; it depends on nothing but the place.
    uplift: Option<Arc<Uplift>>,
    terrain: Terrain,
    scratch: Scratch,
    ledger: Ledger,
}

/// The globe as the parts of a step see it.
struct Ground {
    mesh: Mesh,
    conductances: Links,
    cells: GlobeCells,
}

/// What a step works with; nothing in it outlives the step.
#[derive(Default)]
struct Scratch {
    routes: GlobeRoutes,
    /// Uplifted and worn.
    bed: Vec<f32>,
    /// Rock that comes to each cell, as a volume.
    flux: Vec<f32>,
    /// Padded, for the creep.
    padded: Vec<f32>,
    next: Next<3>,
}

impl Range {
    /// `terrain` is closed and has the maps.
    pub fn new(law: &StreamPower, terrain: Terrain) -> Self {
        let mesh = Mesh::new(terrain.samples());
        Self {
            law: law.clone(),
            rock: Rock::new(&terrain, law.hardness),
            rain: terrain.map(crate::field::MapKind::Rain).cloned(),
            ground: Arc::new(Ground {
                conductances: Links::conductances(mesh.globe()),
                cells: GlobeCells::new(terrain.samples()),
                mesh,
            }),
            uplift: None,
            terrain,
            scratch: Scratch::default(),
            ledger: Ledger::default(),
        }
    }
}

impl Run for Range {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        let law = &self.law;
        let Ground { mesh, conductances, cells } = &*self.ground;
        let n = mesh.samples();
        let uplift = match &self.uplift {
            Some(uplift) => uplift.clone(),
            None => {
                let made = Uplift::new(cx, law.uplift_shape, law.uplift_variation)?;
                self.uplift.insert(Arc::new(made)).clone()
            }
        };
        let radius = f64::from(cx.size_metres) * std::f64::consts::FRAC_2_PI;
        let forces = Forces::new(law, cx, mesh.mean_cell() * radius);
        let Scratch { routes, bed, flux, padded, next } = &mut self.scratch;
        next.fit(&self.terrain);
        let Next { height: new, maps: [wear, deposits, area], accounts } = next;
        let old = &self.terrain.height;
        routes.route(cells, old, law.sea_level / cx.relief_metres, cx.control)?;
        let receiver = &routes.receiver;
        let mut distances = routes.distances(cells, cx.control)?;
        let per_cell = (1.0 / mesh.mean_cell()) as f32;
        distances.iter_mut().for_each(|distance| *distance *= per_cell);
        for (k, area) in area.iter_mut().enumerate() {
            let rain = self.rain.as_ref().map_or(1.0, |rain| rain[k]);
            *area = cells.area(k) * if rain > 0.0 { rain.min(1.0e6) } else { 0.0 };
        }
        accumulate(receiver, &routes.upstream_first, area);

        // uplift; outlets stay
        let lift = |k: usize| if receiver[k] as usize == k { 0.0 } else { forces.uplift * uplift.at(k) };
        bed.resize(old.len(), 0.0);
        cx.rows(bed, |row, cells| {
            cells.iter_mut().enumerate().for_each(|(j, h)| *h = old[row * n + j] + lift(row * n + j));
        })?;
        let mut worn = bed.clone();
        wear_down(cx, &forces, &self.rock, Water { routes, distances: &distances, area }, &mut worn)?;
        if law.deposition > 0.0 {
            flux.clear();
            flux.extend(bed.iter().zip(&worn).enumerate().map(|(k, (before, now))| (before - now) * cells.area(k)));
            let water = Water { routes, distances: &distances, area };
            settle(cx, water, cells, law.deposition, flux, &mut worn)?;
        }
        mesh.close_plain(&mut worn);
        mesh.close_plain(area);

        if forces.creep == 0.0 {
            new.copy_from_slice(&worn);
        } else {
            let smooth = if forces.creep > COURANT {
                Some(gauss::smoothed(cx, &worn, (2.0 * forces.creep_metres).sqrt() as f32)?)
            } else {
                padded.resize(mesh.padded_len(), 0.0);
                mesh.pad(cx, &worn, padded)?;
                None
            };
            let rate = forces.creep as f32;
            new.par_chunks_mut(n).with_min_len(ROWS).enumerate().try_for_each(|(row, new)| {
                cx.control.check()?;
                let here = &worn[row * n..][..n];
                match &smooth {
                    Some(smooth) => {
                        let smooth = &smooth[row * n..][..n];
                        new.iter_mut().zip(smooth).zip(here).for_each(|((new, s), h)| *new = s - h);
                    }
                    None => {
                        new.fill(0.0);
                        let (around, links) = (mesh.around(padded, row), conductances.around_row(row % n));
                        for step in 0..8 {
                            exchange(here, around[step], links[step], new);
                        }
                        new.iter_mut().zip(mesh.areas(row % n)).for_each(|(new, area)| *new *= rate / area);
                    }
                }
                for (j, (new, &h)) in new.iter_mut().zip(here).enumerate() {
                    let k = row * n + j;
                    // the owner of a copy knows whether it is an outlet, and closes it
                    let rests = receiver[k] as usize == k && cells.owns(k);
                    *new = if rests { h } else { h + *new * self.rock.erodibility(k) };
                }
                Ok(())
            })?;
            mesh.close_plain(new);
        }

        let before = WRITTEN.map(|kind| self.terrain.map(kind).expect("made at the start").as_slice());
        // what rose, for the balance of wear and deposits
        mesh.close_plain(bed);
        let rows = (new.par_chunks(n), bed.par_chunks(n), wear.par_chunks_mut(n), deposits.par_chunks_mut(n), accounts);
        rows.into_par_iter().with_min_len(ROWS).enumerate().try_for_each(
            |(row, (new, risen, wear, deposits, account))| {
                cx.control.check()?;
                let span = row * n..(row + 1) * n;
                add_balance(risen, new, [&before[0][span.clone()], &before[1][span.clone()]], wear, deposits);
                let [lost, gained] = mesh.balance(row, risen, new);
                let [sunk, added] = mesh.balance(row, &old[span], risen);
                *account = [lost, gained, added - sunk];
                Ok(())
            },
        )?;
        // from here on the step cannot fail
        let mut books = Ledger::default();
        self.scratch.next.take_place(&mut self.terrain, WRITTEN, &mut books);
        self.ledger.eroded += books.eroded;
        self.ledger.deposited += books.deposited;
        self.ledger.added += books.carried;
        self.ledger.lost = self.ledger.eroded - self.ledger.deposited;
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
            law: self.law.clone(),
            rock: self.rock.clone(),
            rain: self.rain.clone(),
            ground: self.ground.clone(),
            uplift: self.uplift.clone(),
            terrain: self.terrain.clone(),
            scratch: Scratch::default(),
            ledger: self.ledger,
        })
    }

    fn bytes(&self) -> usize {
        self.terrain.bytes() + self.uplift.as_ref().map_or(0, |uplift| uplift.bytes())
    }
}

/// Where water goes, how far in cells of the mean area it is to there, and the area it comes from.
#[derive(Clone, Copy)]
struct Water<'a> {
    routes: &'a GlobeRoutes,
    distances: &'a [f32],
    area: &'a [f32],
}

/// Wears the bed, from the outlets up.
fn wear_down(cx: &Context, forces: &Forces, rock: &Rock, water: Water, height: &mut [f32]) -> Result<(), Cancelled> {
    for block in water.routes.upstream_first.rchunks(CHECK) {
        cx.control.check()?;
        for &k in block.iter().rev() {
            let k = k as usize;
            let (h, floor) = (height[k], height[water.routes.receiver[k] as usize]);
            if h <= floor {
                continue;
            }
            let (distance, softness) = (water.distances[k], rock.erodibility(k));
            let c = forces.coefficient(f64::from(water.area[k]), f64::from(distance)) * f64::from(softness);
            let mut left = forces.worn(f64::from(h) - f64::from(floor), c.min(MOST)) as f32;
            let (stands, slide) = (forces.talus * distance, forces.slide * softness);
            if left > stands {
                left -= (left - stands) * slide;
            }
            let new = floor + left;
            // what is not worn keeps its bits
            height[k] = if new < h && slide > 0.0 { new } else { h };
        }
    }
    Ok(())
}

/// Lets part of the rock that `flux` took settle downstream, and all that lakes hold.
fn settle(
    cx: &Context,
    Water { routes, area, .. }: Water,
    cells: &GlobeCells,
    deposition: f32,
    flux: &mut [f32],
    height: &mut [f32],
) -> Result<(), Cancelled> {
    for block in routes.upstream_first.chunks(CHECK) {
        cx.control.check()?;
        for &k in block {
            let k = k as usize;
            let to = routes.receiver[k] as usize;
            if to == k || flux[k] <= 0.0 {
                continue;
            }
            let own = cells.area(k);
            let depth = routes.basins.level[routes.basins.of[k] as usize] - height[k];
            let settles = if depth > 0.0 {
                let room = depth * FILL;
                if flux[k] < room * own { flux[k] / own } else { room }
            } else {
                flux[k] * (deposition / (area[k] + deposition * own))
            };
            let new = height[k] + settles;
            // what the rounding of the height kept back goes on
            flux[to] += flux[k] - (new - height[k]) * own;
            height[k] = new;
        }
    }
    Ok(())
}

/// Adds up what comes from a neighbour.
fn exchange(here: &[f32], there: &[f32], links: &[f32], gained: &mut [f32]) {
    let n = here.len();
    let (there, links, gained) = (&there[..n], &links[..n], &mut gained[..n]);
    for j in 0..n {
        gained[j] += links[j] * (there[j] - here[j]);
    }
}
