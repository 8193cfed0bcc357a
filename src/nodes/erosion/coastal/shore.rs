//! The cells of a shore and the four operations on them: find the cells, attack the rock, spread and settle the debris.

use rayon::prelude::*;

use super::CoastalLaw;
use super::fetch::Fetch;
use crate::Context;
use crate::erosion::rock::Rock;
use talweg_ground::field::{Cancelled, Edges, Grid};

/// Fraction of the debris over a cell that settles in one step, if the beach is low and gentle enough.
const SETTLING: f32 = 0.5;
/// Fraction of the overhanging rock that falls in one step.
const COLLAPSE: f32 = 0.5;
/// Number of shore cells processed between two checks for cancellation.
const CHUNK: usize = 2048;
/// Position of a cell that is not on the shore.
const NONE: u32 = u32::MAX;

/// Finds the neighbours of cells on a grid. On a wrapping grid every distinct cell counts once.
#[derive(Clone, Copy)]
pub struct CoastalNeighbours {
    /// Samples per side.
    pub samples: usize,
    distinct: usize,
    wraps: bool,
}

impl CoastalNeighbours {
    /// The neighbours of the cells of `grid`.
    pub fn new(grid: Grid) -> Self {
        Self { samples: grid.samples, distinct: grid.distinct_side(), wraps: grid.edges == Edges::Wrap }
    }

    fn index_before(self, at: usize) -> Option<usize> {
        if at > 0 { Some(at - 1) } else { self.wraps.then_some(self.distinct - 1) }
    }

    fn index_after(self, at: usize) -> Option<usize> {
        if at + 1 < self.distinct { Some(at + 1) } else { self.wraps.then_some(0) }
    }

    /// Returns the neighbours of cell `k`: west, east, north, south, then the diagonal ones. A missing neighbour is
    /// replaced by `k` itself.
    fn neighbours(self, k: usize) -> [usize; 8] {
        let (n, i, j) = (self.samples, k / self.samples, k % self.samples);
        let (west, east) = (self.index_before(j), self.index_after(j));
        let (north, south) = (self.index_before(i), self.index_after(i));
        let at = |i: Option<usize>, j: Option<usize>| match (i, j) {
            (Some(i), Some(j)) => i * n + j,
            _ => k,
        };
        let (row, column) = (Some(i), Some(j));
        [
            at(row, west),
            at(row, east),
            at(north, column),
            at(south, column),
            at(north, west),
            at(north, east),
            at(south, west),
            at(south, east),
        ]
    }

    /// Whether row `i` and column `j` are on the terrain.
    #[inline(always)]
    pub fn holds(self, i: isize, j: isize) -> bool {
        let side = self.distinct as isize;
        i >= 0 && j >= 0 && i < side && j < side
    }

    /// Returns the cell nearest to row `i` and column `j`, which can be beyond the edges.
    #[inline(always)]
    pub fn clamped_cell(self, i: isize, j: isize) -> usize {
        let side = self.distinct as isize;
        let inside = |p: isize| (if self.wraps { p.rem_euclid(side) } else { p.clamp(0, side - 1) }) as usize;
        inside(i) * self.samples + inside(j)
    }
}

/// The shore cells of one step, in row order.
#[derive(Default)]
pub struct ShoreCells {
    cells: Vec<u32>,
    /// Height change of each cell, as a positive number: the loss by the attack, then the room for deposits.
    change: Vec<f32>,
    debris: Vec<f32>,
    spread: Vec<f32>,
    /// West, east, north and south neighbour of each cell, as positions in `cells`.
    neighbour_positions: Vec<[u32; 4]>,
    /// Position in `cells` of every cell of the grid.
    cell_positions: Vec<u32>,
}

impl ShoreCells {
    /// Lists the cells that waves, collapse or debris can change: the surf zone, the slopes that rise from the surf
    /// zone, and undercut cells.
    pub fn find(&mut self, cx: &Context, law: &CoastalLaw, height: &[f32], undercut: &[bool]) -> Result<(), Cancelled> {
        let ring = law.ring;
        let (n, distinct) = (ring.samples, ring.distinct);
        let rows: Vec<Vec<u32>> = (0..distinct)
            .into_par_iter()
            .with_min_len(16)
            .map_init(
                || (vec![false; distinct], vec![false; distinct]),
                |(around, rises), i| {
                    cx.control.check()?;
                    // for each column: whether waves reach, or have undercut, a cell in one of the three rows around
                    // row i
                    around.fill(false);
                    for row in [ring.index_before(i), Some(i), ring.index_after(i)].into_iter().flatten() {
                        let cells = height[row * n..][..distinct].iter().zip(&undercut[row * n..][..distinct]);
                        around.iter_mut().zip(cells).for_each(|(a, (&h, &u))| *a |= (h < law.crest) | u);
                    }
                    // the same values, combined with those of the neighbouring columns
                    rises.copy_from_slice(around);
                    rises[1..].iter_mut().zip(&*around).for_each(|(r, &a)| *r |= a);
                    rises.iter_mut().zip(&around[1..]).for_each(|(r, &a)| *r |= a);
                    if ring.wraps {
                        rises[0] |= around[distinct - 1];
                        rises[distinct - 1] |= around[0];
                    }
                    let own = height[i * n..][..distinct].iter().zip(&undercut[i * n..]).zip(&*rises);
                    let belongs = |&(_, ((&h, &u), &r)): &(usize, ((&f32, &bool), &bool))| {
                        (h >= law.base) & (h <= law.top) & ((h <= law.crest) | u | r)
                    };
                    Ok(own.enumerate().filter(belongs).map(|(j, _)| (i * n + j) as u32).collect())
                },
            )
            .collect::<Result<_, Cancelled>>()?;
        self.cells.clear();
        rows.iter().for_each(|row| self.cells.extend(row));
        Ok(())
    }

    /// Removes the rock that waves cut and the rock that collapses afterwards. Sand and a fraction of the rock become
    /// debris; returns the amount washed out to sea.
    pub fn attack(
        &mut self,
        cx: &Context,
        law: &CoastalLaw,
        fetch: &Fetch,
        rock: &Rock,
        [height, sand]: [&mut [f32]; 2],
        undercut: &mut [bool],
    ) -> Result<f64, Cancelled> {
        self.change.resize(self.cells.len(), 0.0);
        let (ground, loose, before) = (&*height, &*sand, &*undercut);
        self.change.par_chunks_mut(CHUNK).zip(self.cells.par_chunks(CHUNK)).try_for_each(|(change, cells)| {
            cx.control.check()?;
            for (change, &k) in change.iter_mut().zip(cells) {
                *change = law.loss(fetch, rock, [ground, loose], before, k as usize);
            }
            Ok(())
        })?;
        self.debris.clear();
        let mut washed_out = 0.0;
        for (&k, &loss) in self.cells.iter().zip(&self.change) {
            let k = k as usize;
            let dug = height[k] - loss;
            let fallen = height[k] - dug;
            let from_sand = if fallen < sand[k] { fallen } else { sand[k] };
            let kept = from_sand + (fallen - from_sand) * law.beach_share;
            washed_out += f64::from(fallen) - f64::from(kept);
            self.debris.push(kept);
            height[k] = dug;
            sand[k] -= from_sand;
            undercut[k] |= loss > 0.0;
        }
        Ok(washed_out)
    }

    /// Spreads the debris over the shore, including the debris from the attack in this step.
    pub fn spread(
        &mut self,
        cx: &Context,
        law: &CoastalLaw,
        height: &[f32],
        debris: &mut [f32],
    ) -> Result<(), Cancelled> {
        let Self { cells, debris: own, spread, neighbour_positions: beside, cell_positions: place, .. } = self;
        place.resize(height.len(), NONE);
        for (at, &k) in cells.iter().enumerate() {
            place[k as usize] = at as u32;
            own[at] += debris[k as usize];
        }
        beside.clear();
        beside.extend(cells.iter().enumerate().map(|(at, &k)| {
            let [west, east, north, south, ..] = law.ring.neighbours(k as usize);
            // a neighbour that is not on the shore is replaced by the cell itself, so that nothing flows there
            [west, east, north, south].map(|other| match place[other] {
                NONE => at as u32,
                other => other,
            })
        }));
        for &k in cells.iter() {
            place[k as usize] = NONE;
        }
        spread.clone_from(own);
        let stages = law.stages as f32;
        // each stage combines the results of the two previous stages and the differences between neighbours after the
        // previous stage
        for stage in 1..=law.stages {
            let s = stage as f32;
            let [earlier, last] = if stage == 1 { [0.0, 1.0] } else { [(1.0 - s) / s, (2.0 * s - 1.0) / s] };
            let pass = last * law.diffusion * 2.0 / (stages * stages + stages);
            let from = &*own;
            spread.par_chunks_mut(CHUNK).zip(beside.par_chunks(CHUNK)).enumerate().try_for_each(
                |(c, (to, beside))| {
                    cx.control.check()?;
                    for ((to, &here), beside) in to.iter_mut().zip(&from[c * CHUNK..]).zip(beside) {
                        let [west, east, north, south] = beside.map(|other| from[other as usize] - here);
                        // the weights of the two previous stages sum to 1
                        *to = here + (earlier * (*to - here) + pass * ((west + east) + (north + south)));
                    }
                    Ok(())
                },
            )?;
            std::mem::swap(own, spread);
        }
        for (&k, &own) in cells.iter().zip(own.iter()) {
            debris[k as usize] = own;
        }
        Ok(())
    }

    /// Deposits debris as sand where the beach stays gentle enough.
    pub fn deposit_debris(
        &mut self,
        cx: &Context,
        law: &CoastalLaw,
        [height, sand]: [&mut [f32]; 2],
        debris: &mut [f32],
    ) -> Result<(), Cancelled> {
        cx.control.check()?;
        let ground = &*height;
        self.change
            .par_iter_mut()
            .with_min_len(CHUNK)
            .zip(&self.cells)
            .for_each(|(change, &k)| *change = law.room(ground, k as usize));
        for (&k, &room) in self.cells.iter().zip(&self.change) {
            let k = k as usize;
            let share = SETTLING * law.calm(height[k]) * debris[k];
            let built = height[k] + if share < room { share } else { room };
            let laid = built - height[k];
            debris[k] -= laid;
            sand[k] += laid;
            height[k] = built;
        }
        Ok(())
    }
}

impl CoastalLaw {
    /// Returns the height that cell `k` loses in one step, by waves and by collapse.
    fn loss(&self, fetch: &Fetch, rock: &Rock, [height, sand]: [&[f32]; 2], undercut: &[bool], k: usize) -> f32 {
        let (h, around) = (height[k], self.ring.neighbours(k));
        let erodibility = rock.erodibility(k);
        if erodibility <= 0.0 && sand[k] <= 0.0 {
            return 0.0;
        }
        let at = |d: usize| height[around[d]];
        // terrain below the wave base counts as if it were at the wave base
        let floor = |d: usize| if at(d) > self.base { at(d) } else { self.base };
        // storms strip the beach to this height before they reach the rock
        let stripped = |d: usize| floor(d) - if sand[around[d]] < self.mobile { sand[around[d]] } else { self.mobile };
        let (mut lowest, mut foot) = (h, h);
        let (mut squares, mut cliff_squares) = (0.0, 0.0);
        for [one, other] in [[0, 1], [2, 3]] {
            let (near, far) = if floor(one) < floor(other) { (one, other) } else { (other, one) };
            let drop = h - floor(near);
            if drop > 0.0 {
                let hanging = (if at(far) < self.top { at(far) } else { self.top }) - h;
                let face = drop + if hanging > 0.0 { hanging } else { 0.0 };
                squares += drop * drop;
                cliff_squares += face * face;
                lowest = if floor(near) < lowest { floor(near) } else { lowest };
                foot = if stripped(near) < foot { stripped(near) } else { foot };
            }
        }
        let mut loss = 0.0;
        if lowest < h {
            let nearest = if self.sea < foot {
                foot
            } else if self.sea > h {
                h
            } else {
                self.sea
            };
            let strength = self.attack(nearest);
            if strength > 0.0 {
                let exposure = fetch.exposure(self.ring, k / self.ring.samples, k % self.ring.samples);
                let speed = self.retreat * strength * exposure;
                // the foot of a cliff is cut down to the sea as fast as the cliff retreats
                let (cut, notch, dry) = (speed * squares.sqrt(), speed * cliff_squares.sqrt(), h - self.sea);
                let notch = if notch < dry { notch } else { dry };
                loss = if notch > cut { notch } else { cut };
                loss = if loss > h - lowest { h - lowest } else { loss };
            } else {
                loss = self.rest_of_the_step(fetch, rock, height, undercut, k);
            }
        }
        // rock above undercut cells falls to the cliff angle
        let mut overhang = 0.0;
        for (d, &other) in around.iter().enumerate() {
            let rise = if d < 4 { self.cliff } else { self.cliff * std::f32::consts::SQRT_2 };
            let excess = h - height[other] - rise;
            if undercut[other] && excess > overhang {
                overhang = excess;
            }
        }
        let fall = COLLAPSE * overhang;
        let loss = if fall > loss { fall } else { loss };
        // the sand is removed in full; the hardness counts only for the rock below it
        let rock = loss - sand[k];
        if rock > 0.0 { sand[k] + rock * erodibility } else { loss }
    }

    /// Returns the height that a cliff loses in the rest of the step, once the cell in front of it is cut down to the
    /// sea. Without this loss a cliff would wait for the next step at every cell and retreat too slowly.
    fn rest_of_the_step(&self, fetch: &Fetch, rock: &Rock, height: &[f32], undercut: &[bool], k: usize) -> f32 {
        let [west, east, north, south, ..] = self.ring.neighbours(k);
        let mut most = 0.0;
        for front in [west, east, north, south] {
            let (h, top) = (height[front], height[k]);
            if !undercut[front] || h >= top || h <= self.sea {
                continue;
            }
            let [a, b, c, d, ..] = self.ring.neighbours(front).map(|other| height[other]);
            let lowest = [b, c, d].into_iter().fold(a, |low, h| if h < low { h } else { low });
            let strength = self.attack(if lowest < self.sea { self.sea } else { lowest });
            if strength <= 0.0 {
                continue;
            }
            let exposure = fetch.exposure(self.ring, front / self.ring.samples, front % self.ring.samples);
            let floor = if lowest > self.base { lowest } else { self.base };
            let notch = self.retreat * strength * exposure * (top - floor);
            let left =
                notch - (h - self.sea) / if rock.erodibility(front) > 0.01 { rock.erodibility(front) } else { 0.01 };
            most = if left > most { left } else { most };
        }
        most
    }

    /// Returns the height by which debris can raise cell `k` so that the beach stays gentle.
    fn room(&self, height: &[f32], k: usize) -> f32 {
        let mut level = self.berm;
        for (d, other) in self.ring.neighbours(k).into_iter().enumerate() {
            let rise = if d < 4 { self.beach } else { self.beach * std::f32::consts::SQRT_2 };
            let gentle = height[other] + rise;
            level = if other != k && gentle < level { gentle } else { level };
        }
        let room = level - height[k];
        if room > 0.0 { room } else { 0.0 }
    }
}
