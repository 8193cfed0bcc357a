//! Moves half of the drop to the lowest neighbour, in place: the common step of the fast thermal erosion and Olsen's
//! erosion.
//!
//! Law: d_n = h - h_n is the drop from the cell of height h to a neighbour of height h_n. Its threshold is T_n = T·δ_n,
//! with T the rise of the talus angle over one cell and the distance δ_n = 1 or √2 cells. Of the neighbours that may
//! receive material, the neighbour with the greatest d_n gets s·d_n/2, with s the erodibility of the cell; nothing else
//! moves. In the fast thermal erosion a cell gives where d_n > T_n, in Olsen's erosion where the greatest d_n is in (0,
//! T_n].
//! Scheme, boundary: an [`InPlaceScan`]. Both cells change at once, and the next cell reads the new heights.
//! Stability: after a move the giving cell is still no lower than the receiving cell, so the heights stay within their
//! range.

use super::buffers::{self, NextState, WorkingMemory, add_balance, balance};
use super::rock::Rock;
use super::run::ErosionRun;
use super::sweep::lanes::{CENTRE, CORNERS, CROSS, FirstLowest, LaneValue, Neighbourhood};
use super::sweep::{InPlaceScan, ScanLaw, ScanRow};
use super::talus::TalusThreshold;
use super::thermal::Neighbours;
use crate::{Context, MassBalance};
use talweg_ground::field::metric::GridMetric;
use talweg_ground::field::{Cancelled, MapKind, Terrain};

/// The slopes on which material moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovingSlopes {
    /// Slopes whose drop is above the threshold.
    Steep,
    /// Slopes whose drop is at or below the threshold.
    Gentle,
}

/// The drop above which a slope counts as steep.
#[derive(Clone, Copy, Debug)]
pub struct LowestThreshold {
    pub threshold: TalusThreshold,
    /// Talus angle in degrees.
    pub angle: f32,
    pub k: f32,
}

/// The data maps that these two processes write, in the order of [`NextState::maps`].
pub const WRITTEN: [MapKind; 2] = [MapKind::Wear, MapKind::Deposits];

/// A run of fast thermal erosion or of Olsen's erosion; the two processes differ only in the slopes on which material
/// moves.
#[derive(Clone)]
pub struct LowestNeighbourRun {
    moving_slopes: MovingSlopes,
    threshold: LowestThreshold,
    neighbours: Neighbours,
    rock: Rock,
    terrain: Terrain,
    mass_balance: MassBalance,
    next: WorkingMemory<NextState<2>>,
    /// The scan that is used if the rock has uniform hardness; `uneven` is used if the hardness varies. The unused scan
    /// stays empty.
    even: WorkingMemory<InPlaceScan<1>>,
    uneven: WorkingMemory<InPlaceScan<2>>,
}

impl LowestNeighbourRun {
    pub fn start(
        mut terrain: Terrain,
        place: MovingSlopes,
        threshold: LowestThreshold,
        neighbours: Neighbours,
        hardness: f32,
    ) -> Self {
        buffers::prepare(&mut terrain, &WRITTEN);
        Self {
            moving_slopes: place,
            threshold,
            neighbours,
            rock: Rock::new(&terrain, hardness),
            terrain,
            mass_balance: MassBalance::default(),
            next: WorkingMemory::default(),
            even: WorkingMemory::default(),
            uneven: WorkingMemory::default(),
        }
    }

    fn scan<const STEEP: bool, const STRAIGHT: bool, const DIAGONAL: bool>(
        &mut self,
        cx: &Context,
    ) -> Result<(), Cancelled> {
        let Self { terrain, next, even, uneven, rock, .. } = self;
        let LowestThreshold { threshold, angle, k } = self.threshold;
        let rise = threshold.rise(cx, &GridMetric::Uniform, angle, k);
        let law = LowestStep::<STEEP, STRAIGHT, DIAGONAL> {
            terrain,
            rock,
            erodibility: rock.uniform().unwrap_or(1.0),
            straight: rise.per_unit,
            diagonal: rise.per_unit * if rise.diagonals_alike { 1.0 } else { std::f32::consts::SQRT_2 },
        };
        if rock.uniform().is_some() {
            law.scan(cx, even, next)?;
        } else {
            law.scan(cx, uneven, next)?;
        }
        next.replace_terrain(terrain, WRITTEN, &mut self.mass_balance);
        Ok(())
    }
}

impl ErosionRun for LowestNeighbourRun {
    fn advance(&mut self, cx: &Context) -> Result<(), Cancelled> {
        match (self.moving_slopes, self.neighbours) {
            (MovingSlopes::Steep, Neighbours::Moore) => self.scan::<true, true, true>(cx),
            (MovingSlopes::Steep, Neighbours::VonNeumann) => self.scan::<true, true, false>(cx),
            (MovingSlopes::Steep, Neighbours::Rotated) => self.scan::<true, false, true>(cx),
            (MovingSlopes::Gentle, Neighbours::Moore) => self.scan::<false, true, true>(cx),
            (MovingSlopes::Gentle, Neighbours::VonNeumann) => self.scan::<false, true, false>(cx),
            (MovingSlopes::Gentle, Neighbours::Rotated) => self.scan::<false, false, true>(cx),
        }
    }

    fn state(&self) -> (&Terrain, MassBalance) {
        (&self.terrain, self.mass_balance)
    }

    fn into_resumable_state(self) -> Terrain {
        self.terrain
    }
}

/// Indices of a cell's values in the sweep: its height and, on rock of varying hardness, its erodibility.
const HEIGHT: usize = 0;
const ERODIBILITY: usize = 1;

/// The equations of the step, compiled separately for each neighbourhood.
struct LowestStep<'a, const STEEP: bool, const STRAIGHT: bool, const DIAGONAL: bool> {
    terrain: &'a Terrain,
    rock: &'a Rock,
    /// Erodibility of every cell, if the hardness is uniform.
    erodibility: f32,
    /// Threshold of the drop to an orthogonal neighbour, as a fraction of the relief.
    straight: f32,
    diagonal: f32,
}

impl<const STEEP: bool, const STRAIGHT: bool, const DIAGONAL: bool> LowestStep<'_, STEEP, STRAIGHT, DIAGONAL> {
    fn scan<const P: usize>(
        &self,
        cx: &Context,
        sweep: &mut InPlaceScan<P>,
        next: &mut NextState<2>,
    ) -> Result<(), Cancelled> {
        let Self { terrain, .. } = self;
        let (grid, n) = (terrain.grid, terrain.samples());
        next.fit(terrain);
        let NextState { height, maps: [wear, deposits], accounts } = &mut *next;
        let outs = height.chunks_mut(n).zip(wear.chunks_mut(n)).zip(deposits.chunks_mut(n)).zip(accounts);
        let outs = outs
            .map(|(((height, wear), deposits), account)| ScanRow { kept: [height], out: (wear, deposits, account) });
        let before = WRITTEN.map(|kind| terrain.map(kind).expect("made at the start"));
        sweep.run(cx, self, outs, |i, ScanRow { kept: [height], out: (wear, deposits, account) }| {
            let distinct = grid.distinct_side();
            if distinct < n {
                height[n - 1] = height[0];
            }
            let old = grid.row(&terrain.height, i);
            add_balance(old, height, before.map(|map| grid.row(map, i)), wear, deposits);
            let [lost, gained] = balance(&old[..distinct], &height[..distinct]);
            *account = [lost, gained, 0.0];
        })?;
        next.repeat_first_row(grid);
        Ok(())
    }
}

impl<const P: usize, const STEEP: bool, const STRAIGHT: bool, const DIAGONAL: bool> ScanLaw<P>
    for LowestStep<'_, STEEP, STRAIGHT, DIAGONAL>
{
    const KEPT: usize = HEIGHT;
    const LOADED: usize = P;
    /// Height of a wall beyond the edge. It is above any terrain, but finite: the difference of two walls is 0, not
    /// NaN.
    const WALL: [f32; P] = [f32::MAX; P];

    #[inline(always)]
    fn load(&self, row: usize, column: usize, cells: [&mut [f32]; P]) {
        let first = row * self.terrain.samples() + column;
        let len = cells[HEIGHT].len();
        cells[HEIGHT].copy_from_slice(&self.terrain.height[first..][..len]);
        if P > ERODIBILITY {
            cells[ERODIBILITY].iter_mut().enumerate().for_each(|(k, soft)| *soft = self.rock.erodibility(first + k));
        }
    }

    #[inline(always)]
    fn visit<A: Neighbourhood>(&self, around: &mut A) {
        let all = A::Value::all;
        let [none, zero] = [all(f32::NEG_INFINITY), all(0.0)];
        let (straight_limit, diagonal_limit) = (all(self.straight), all(self.diagonal));
        let h = around.get(HEIGHT, CENTRE);
        let cross = FirstLowest::new(around.four(HEIGHT, CROSS));
        let corners = FirstLowest::new(around.four(HEIGHT, CORNERS));
        let straight = if STRAIGHT { h - cross.value } else { none };
        let diagonal = if DIAGONAL { h - corners.value } else { none };
        let (steep_straight, steep_diagonal) = (straight_limit.less_than(straight), diagonal_limit.less_than(diagonal));
        // a wall gives no material
        let steep = (steep_straight | steep_diagonal) & h.less_than(all(f32::MAX));
        // steep slopes are rare, so a branch saves time here; gentle slopes are common, so a branch there would not
        if STEEP && !A::Value::any(steep) {
            return;
        }
        let mut outside = straight.less_than(diagonal);
        if STEEP {
            outside = outside & steep_diagonal | !steep_straight;
        }
        let (fall, threshold) = match (STRAIGHT, DIAGONAL) {
            (true, false) => (straight, straight_limit),
            (false, true) => (diagonal, diagonal_limit),
            _ => (
                A::Value::choose(outside, diagonal, straight),
                A::Value::choose(outside, diagonal_limit, straight_limit),
            ),
        };
        let erodibility = if P > ERODIBILITY { around.get(ERODIBILITY, CENTRE) } else { all(self.erodibility) };
        let moving = if STEEP { steep } else { zero.less_than(fall) & !threshold.less_than(fall) };
        let moved = (fall * all(0.5) * erodibility).only(moving);
        let left = h - moved;
        around.set(HEIGHT, CENTRE, left);
        // the height that the cell really lost after rounding; the neighbour gains the same amount, so no material is
        // lost
        let taken = left - h;
        match (STRAIGHT, DIAGONAL) {
            (true, false) => around.lower_lowest(HEIGHT, CROSS, &cross, taken),
            (false, true) => around.lower_lowest(HEIGHT, CORNERS, &corners, taken),
            _ => {
                around.lower_lowest(HEIGHT, CROSS, &cross, taken.except(outside));
                around.lower_lowest(HEIGHT, CORNERS, &corners, taken.only(outside));
            }
        }
    }
}
