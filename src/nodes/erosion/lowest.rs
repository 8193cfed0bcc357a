//! Half of the drop to the lowest neighbour, in place: the step that the fast thermal erosion and Olsen's erosion share.
//!
//! Law: d_n = h - h_n to the neighbours, T_n = T·δ_n with δ_n = 1 or √2 cells. Of the neighbours that may receive, the one
//! with the greatest d_n gets s·d_n/2, with s the softness of the cell; nothing else moves. The fast thermal erosion
//! gives where d_n > T_n, Olsen's where the greatest d_n is in (0, T_n].
//! Scheme, boundary: a [`Sweep`]. Both cells change at once, the next cell sees it.
//! Stability: after a move the cell is still no lower than the one that received, so the heights stay within their
//! range.

use std::hint::select_unpredictable;

use super::buffers::{self, Next, add_balance, balance};
use super::rock::Rock;
use super::sweep::{Around, Cell, Sweep, Visit, first_lowest, less};
use super::thermal::Neighbours;
use crate::field::{Grid, MapKind, Terrain};
use crate::nodes::{Cancelled, Context, Ledger, Run};

/// Where material moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// Where the drop is above the threshold.
    Steep,
    /// Where the drop is at or below the threshold.
    Gentle,
}

/// The data maps that are written, in the order of [`Next::maps`].
pub const WRITTEN: [MapKind; 2] = [MapKind::Wear, MapKind::Deposits];

/// The erosion under way.
pub struct Lowest {
    place: Where,
    talus_angle: f32,
    neighbours: Neighbours,
    rock: Rock,
    terrain: Terrain,
    ledger: Ledger,
    next: Next<2>,
    sweep: Sweep<1>,
}

impl Lowest {
    pub fn start(mut terrain: Terrain, place: Where, talus_angle: f32, neighbours: Neighbours, hardness: f32) -> Self {
        buffers::prepare(&mut terrain, &WRITTEN);
        Self {
            place,
            talus_angle,
            neighbours,
            rock: Rock::new(&terrain, hardness),
            terrain,
            ledger: Ledger::default(),
            next: Next::default(),
            sweep: Sweep::default(),
        }
    }

    fn scan<const STEEP: bool, const STRAIGHT: bool, const DIAGONAL: bool>(
        &mut self,
        cx: &Context,
    ) -> Result<(), Cancelled> {
        let Self { terrain, next, sweep, rock, .. } = self;
        let (grid, n) = (terrain.grid, terrain.samples());
        let rise = cx.rise_per_cell(self.talus_angle);
        let law = Step::<STEEP, STRAIGHT, DIAGONAL> {
            grid,
            old: &terrain.height,
            rock,
            straight: rise,
            diagonal: rise * std::f32::consts::SQRT_2,
        };
        next.fit(terrain);
        let Next { height, maps: [wear, deposits], accounts } = next;
        let outs = height.chunks_mut(n).zip(wear.chunks_mut(n)).zip(deposits.chunks_mut(n)).zip(accounts);
        let before = WRITTEN.map(|kind| terrain.map(kind).expect("made at the start"));
        sweep.run(cx, &law, outs, |i, cells, (((height, wear), deposits), account)| {
            height.iter_mut().zip(cells).for_each(|(h, cell)| *h = cell.get(0));
            if cells.len() < n {
                height[n - 1] = height[0];
            }
            let old = grid.row(&terrain.height, i);
            add_balance(old, height, before.map(|map| grid.row(map, i)), wear, deposits);
            let [lost, gained] = balance(&old[..cells.len()], &height[..cells.len()]);
            *account = [lost, gained, 0.0];
        })?;
        next.repeat_first_row(grid);
        next.take_place(terrain, WRITTEN, &mut self.ledger);
        Ok(())
    }
}

impl Run for Lowest {
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled> {
        match (self.place, self.neighbours) {
            (Where::Steep, Neighbours::Moore) => self.scan::<true, true, true>(cx),
            (Where::Steep, Neighbours::VonNeumann) => self.scan::<true, true, false>(cx),
            (Where::Steep, Neighbours::Rotated) => self.scan::<true, false, true>(cx),
            (Where::Gentle, Neighbours::Moore) => self.scan::<false, true, true>(cx),
            (Where::Gentle, Neighbours::VonNeumann) => self.scan::<false, true, false>(cx),
            (Where::Gentle, Neighbours::Rotated) => self.scan::<false, false, true>(cx),
        }
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
            terrain: self.terrain.clone(),
            next: Next::default(),
            sweep: Sweep::default(),
            ..*self
        })
    }

    fn bytes(&self) -> usize {
        self.terrain.bytes()
    }
}

/// The law, in the form that the neighbourhood needs.
struct Step<'a, const STEEP: bool, const STRAIGHT: bool, const DIAGONAL: bool> {
    grid: Grid,
    old: &'a [f32],
    rock: &'a Rock,
    /// Threshold to a neighbour on the same row or column.
    straight: f32,
    diagonal: f32,
}

impl<const STEEP: bool, const STRAIGHT: bool, const DIAGONAL: bool> Visit<1> for Step<'_, STEEP, STRAIGHT, DIAGONAL> {
    fn load(&self, row: usize, cells: &[Cell<1>]) {
        cells.iter().zip(self.grid.row(self.old, row)).for_each(|(cell, &h)| cell.set(0, h));
    }

    #[inline(always)]
    fn visit(&self, k: usize, around: Around<1>) {
        let [[nw, north, ne], [west, cell, east], [sw, south, se]] = around;
        let h = cell.get(0);
        let (cross, corners) = ([north, west, east, south], [nw, ne, sw, se]);
        let straight = if STRAIGHT { h - least(cross) } else { f32::NEG_INFINITY };
        let diagonal = if DIAGONAL { h - least(corners) } else { f32::NEG_INFINITY };
        // steep ground is rare and worth a branch, gentle ground is everywhere and is not
        let (steep_straight, steep_diagonal) = (straight > self.straight, diagonal > self.diagonal);
        if STEEP && !steep_straight && !steep_diagonal {
            return;
        }
        let outside = diagonal > straight && (!STEEP || steep_diagonal) || STEEP && !steep_straight;
        let (fall, threshold, to) = match (STRAIGHT, DIAGONAL) {
            (true, false) => (straight, self.straight, first_lowest(0, cross)),
            (false, true) => (diagonal, self.diagonal, first_lowest(0, corners)),
            _ if outside => (diagonal, self.diagonal, first_lowest(0, corners)),
            _ => (straight, self.straight, first_lowest(0, cross)),
        };
        let half = fall * 0.5 * self.rock.softness(k);
        let moved = if STEEP { half } else { select_unpredictable((fall > 0.0) & (fall <= threshold), half, 0.0) };
        let left = h - moved;
        cell.set(0, left);
        // what was really taken, so that rounding loses nothing; where nothing moves all bits stay, signs of zeros too
        to.set(0, to.get(0) - (left - h));
    }
}

/// The least height of four cells.
#[inline(always)]
fn least(cells: [&Cell<1>; 4]) -> f32 {
    let [a, b, c, d] = cells;
    less(less(a.get(0), b.get(0)), less(c.get(0), d.get(0)))
}
