//! Bounding-volume hierarchy: finds the pieces that a point or a capsule can touch without testing each piece.
//!
//! Build: the pieces of a box are split at the median of their centres along the longer axis. A box of at most `MOST`
//! pieces is not split. The boxes are stored depth first, each with the index of the first box after its contents.
//! Traversal needs no stack: it continues with the next box if a box is hit, and jumps to the stored index otherwise.
//! The hierarchy decides which pieces are evaluated, never the order of summation: a blend sums its children in the
//! order of the construction tree. Another order of summation after one piece has moved could change the last bit of
//! sums far away from this piece. It would then not suffice to recompute only the area around the piece.

use super::plane::Area;

/// Maximum number of pieces in a box that is not split.
const MOST: usize = 4;
/// Minimum number of pieces for which a hierarchy is built; it is faster to test fewer pieces one by one.
pub const MIN_PIECES: usize = 8;

/// A box of the hierarchy: around other boxes, or around pieces.
#[derive(Clone, Copy, Debug)]
pub struct HierarchyBox {
    /// The rectangle of this box.
    pub area: Area,
    /// Index of the first box after all boxes inside this one.
    pub skip: u32,
    /// Start of the box's pieces in [`Hierarchy::order`]; the range is empty for a box that is split.
    pub from: u32,
    /// End of the box's pieces in [`Hierarchy::order`].
    pub to: u32,
}

/// A hierarchy of boxes around pieces.
#[derive(Clone, Debug, Default)]
pub struct Hierarchy {
    /// The boxes, depth first: each box is directly before the boxes inside it.
    pub bins: Vec<HierarchyBox>,
    /// Indices of the pieces, grouped by box.
    pub order: Vec<u32>,
}

impl Hierarchy {
    /// Builds a hierarchy over the bounding boxes `areas`. The hierarchy is empty if there are fewer than
    /// [`MIN_PIECES`] boxes.
    pub fn new(areas: &[Area]) -> Self {
        if areas.len() < MIN_PIECES {
            return Self::default();
        }
        let mut hierarchy = Self { bins: Vec::new(), order: (0..areas.len() as u32).collect() };
        hierarchy.divide(areas, 0, areas.len());
        hierarchy
    }

    fn divide(&mut self, areas: &[Area], from: usize, to: usize) {
        let here = self.bins.len();
        let of = |k: &u32| areas[*k as usize];
        let area = self.order[from..to].iter().map(of).fold(Area::EMPTY, Area::union);
        let is_whole = to - from > MOST;
        let span = if is_whole { (0, 0) } else { (from as u32, to as u32) };
        self.bins.push(HierarchyBox { area, skip: 0, from: span.0, to: span.1 });
        if is_whole {
            let middles = Area::enclosing(self.order[from..to].iter().map(|k| of(k).centre()));
            let axis = usize::from(middles.high[1] - middles.low[1] > middles.high[0] - middles.low[0]);
            let middle = usize::midpoint(from, to);
            let by = |a: &u32, b: &u32| of(a).centre()[axis].total_cmp(&of(b).centre()[axis]).then(a.cmp(b));
            // a full sort is not needed: each piece must only be in the correct half
            self.order[from..to].select_nth_unstable_by(middle - from, by);
            self.divide(areas, from, middle);
            self.divide(areas, middle, to);
        }
        if !is_whole {
            self.order[from..to].sort_unstable();
        }
        self.bins[here].skip = self.bins.len() as u32;
    }

    /// Whether the hierarchy has no boxes.
    pub fn is_empty(&self) -> bool {
        self.bins.is_empty()
    }

    /// Calls `see` with the index of every piece in a box that satisfies `meets`.
    #[inline]
    pub fn each(&self, meets: impl Fn(&Area) -> bool, mut see: impl FnMut(u32)) {
        let mut k = 0;
        while let Some(bin) = self.bins.get(k) {
            if !meets(&bin.area) {
                k = bin.skip as usize;
                continue;
            }
            self.order[bin.from as usize..bin.to as usize].iter().for_each(|&piece| see(piece));
            k += 1;
        }
    }
}

/// Indices of the pieces found, in ascending order. The list has a fixed capacity, which suffices for the usual number
/// of pieces at one point.
#[derive(Clone, Copy, Debug)]
pub struct HitList {
    positions: [u32; Self::MOST],
    count: usize,
}

impl HitList {
    const MOST: usize = 32;

    /// The indices that [`Hierarchy::each`] finds, in ascending order; `None` if there are too many.
    #[inline]
    pub fn find(hierarchy: &Hierarchy, meets: impl Fn(&Area) -> bool) -> Option<Self> {
        let mut met = Self { positions: [0; Self::MOST], count: 0 };
        let mut fits = true;
        hierarchy.each(meets, |position| {
            let Some(room) = met.positions[met.count..].first_mut() else {
                fits = false;
                return;
            };
            *room = position;
            met.count += 1;
            // insertion sort: the indices are few and nearly sorted
            let mut k = met.count - 1;
            while k > 0 && met.positions[k - 1] > met.positions[k] {
                met.positions.swap(k - 1, k);
                k -= 1;
            }
        });
        fits.then_some(met)
    }

    /// The indices found, in ascending order.
    #[inline]
    pub fn positions(&self) -> &[u32] {
        &self.positions[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construction_kit::Dice;

    #[test]
    fn the_hierarchy_finds_every_hit_piece_in_order() {
        let mut dice = Dice::new(3);
        for count in [0, 7, 8, 9, 40, 333] {
            let areas: Vec<Area> = (0..count)
                .map(|_| Area::centred([dice.uniform(0.0, 900.0), dice.uniform(0.0, 900.0)], dice.uniform(1.0, 60.0)))
                .collect();
            let hierarchy = Hierarchy::new(&areas);
            assert_eq!(hierarchy.is_empty(), count < MIN_PIECES);
            for _ in 0..200 {
                let p = [dice.uniform(-50.0, 950.0), dice.uniform(-50.0, 950.0)];
                let there: Vec<u32> = (0..count as u32).filter(|&k| areas[k as usize].contains(p)).collect();
                if count < MIN_PIECES || there.len() > 8 {
                    continue;
                }
                let met = HitList::find(&hierarchy, |area| area.contains(p)).expect("few are met");
                let found: Vec<u32> =
                    met.positions().iter().copied().filter(|&k| areas[k as usize].contains(p)).collect();
                assert_eq!(found, there);
            }
        }
    }
}
