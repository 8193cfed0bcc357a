//! Cells of a scan that are processed together: one cell, or four cells in a vector. The equations of a process are
//! written once for both cases.

use std::ops::{BitAnd, BitOr, Mul, Neg, Not, Sub};

use glam::{BVec4A, Vec4};

/// Values of one cell or of several cells. Every operation is exact or rounds once, so the bits do not depend on the
/// number of cells processed together.
pub trait LaneValue: Copy + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self> {
    /// A boolean for every cell.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;

    /// The same value for all cells.
    fn all(value: f32) -> Self;
    fn less_than(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is true, elsewhere `no`.
    fn choose(mask: Self::Mask, yes: Self, no: Self) -> Self;
    fn any(mask: Self::Mask) -> bool;

    /// The value where the mask is true, +0 elsewhere.
    #[inline(always)]
    fn only(self, mask: Self::Mask) -> Self {
        Self::choose(mask, self, Self::all(0.0))
    }

    /// +0 where the mask is true, the value elsewhere.
    #[inline(always)]
    fn except(self, mask: Self::Mask) -> Self {
        Self::choose(mask, Self::all(0.0), self)
    }
}

impl LaneValue for f32 {
    type Mask = bool;

    #[inline(always)]
    fn all(value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn less_than(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn choose(mask: bool, yes: Self, no: Self) -> Self {
        std::hint::select_unpredictable(mask, yes, no)
    }

    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }
}

impl LaneValue for Vec4 {
    type Mask = BVec4A;

    #[inline(always)]
    fn all(value: f32) -> Self {
        Self::splat(value)
    }

    #[inline(always)]
    fn less_than(self, other: Self) -> BVec4A {
        self.cmplt(other)
    }

    #[inline(always)]
    fn choose(mask: BVec4A, yes: Self, no: Self) -> Self {
        Self::select(mask, yes, no)
    }

    #[inline(always)]
    fn any(mask: BVec4A) -> bool {
        mask.any()
    }
}

/// Position of a neighbour: rows to the south and columns to the east.
pub type Offset = (isize, isize);

pub const CENTRE: Offset = (0, 0);
/// Offsets of the orthogonal neighbours in reading order.
pub const CROSS: [Offset; 4] = [(-1, 0), (0, -1), (0, 1), (1, 0)];
/// Offsets of the diagonal neighbours in reading order.
pub const CORNERS: [Offset; 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];

/// The cells being processed, and their neighbours.
pub trait Neighbourhood {
    type Value: LaneValue;

    /// Value `p` of the cells at the offset `place`.
    fn get(&self, p: usize, place: Offset) -> Self::Value;
    fn set(&mut self, p: usize, place: Offset, value: Self::Value);

    /// Value number `p` of the cells at four offsets. Written without a closure: the compiler does not always inline
    /// closures, and the code then takes nearly twice the time.
    #[inline(always)]
    fn four(&self, p: usize, [a, b, c, d]: [Offset; 4]) -> [Self::Value; 4] {
        [self.get(p, a), self.get(p, b), self.get(p, c), self.get(p, d)]
    }

    /// Subtracts `amount` from value `p` of the lowest of the neighbours at `places`.
    fn lower_lowest(&mut self, p: usize, places: [Offset; 4], lowest: &FirstLowest<Self::Value>, amount: Self::Value);
}

/// The lowest of four neighbours; of equal neighbours the first one.
pub struct FirstLowest<V: LaneValue> {
    /// Value of the lowest neighbour.
    pub value: V,
    /// Whether the lowest neighbour is the third or the fourth. `second` is true if the second neighbour is lower than
    /// the first, and `fourth` if the fourth neighbour is lower than the third.
    pub last: V::Mask,
    pub second: V::Mask,
    pub fourth: V::Mask,
}

impl<V: LaneValue> FirstLowest<V> {
    #[inline(always)]
    pub fn new([a, b, c, d]: [V; 4]) -> Self {
        let (second, fourth) = (b.less_than(a), d.less_than(c));
        let (first, third) = (V::choose(second, b, a), V::choose(fourth, d, c));
        let last = third.less_than(first);
        Self { value: V::choose(last, third, first), last, second, fourth }
    }
}
