//! Tools for a network of rivers: distances, bounding rectangles, and the order of water levels.

/// A water level with a total order, so that it can be sorted in a heap.
#[derive(Clone, Copy, PartialEq)]
pub struct HeapLevel(pub f32);

impl Eq for HeapLevel {}

impl PartialOrd for HeapLevel {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for HeapLevel {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The smallest rectangle around some positions, parallel to the edges of the terrain.
#[derive(Clone, Copy, Debug)]
pub struct ReachBounds {
    low: [f32; 2],
    high: [f32; 2],
}

impl ReachBounds {
    /// The smallest rectangle around the positions `places`.
    pub fn enclosing(places: impl Iterator<Item = [f32; 2]>) -> Self {
        let start = Self { low: [f32::MAX; 2], high: [f32::MIN; 2] };
        places.fold(start, |b, p| Self {
            low: std::array::from_fn(|k| b.low[k].min(p[k])),
            high: std::array::from_fn(|k| b.high[k].max(p[k])),
        })
    }

    /// Distance from a position to the nearest point of the rectangle, the shorter way around if the terrain wraps.
    pub fn distance_from(&self, from: [f32; 2], wraps: bool) -> f32 {
        let gap = |k: usize, at: f32| (self.low[k] - at).max(at - self.high[k]).max(0.0);
        let along = |k: usize| match wraps {
            true => gap(k, from[k]).min(gap(k, from[k] - 1.0)).min(gap(k, from[k] + 1.0)),
            false => gap(k, from[k]),
        };
        let (x, y) = (along(0), along(1));
        (x * x + y * y).sqrt()
    }

    /// Distance by which the rectangle extends beyond the unit square.
    pub fn beyond_the_square(&self) -> f32 {
        (0..2).map(|k| (self.low[k] - 1.0).max(-self.high[k]).max(0.0)).fold(0.0, f32::max)
    }

    /// Distance from a position to the farthest point of the rectangle.
    pub fn far(&self, from: [f32; 2]) -> f32 {
        let gap = |k: usize| (from[k] - self.low[k]).abs().max((self.high[k] - from[k]).abs());
        (gap(0) * gap(0) + gap(1) * gap(1)).sqrt()
    }
}

/// Distance between two positions.
pub fn distance(a: [f32; 2], b: [f32; 2]) -> f32 {
    distance_around(a, b, false)
}

/// Distance between two positions; if the terrain wraps, the shorter way around.
pub fn distance_around(a: [f32; 2], b: [f32; 2], wraps: bool) -> f32 {
    let along = |k: usize| {
        let d = (a[k] - b[k]).abs();
        if wraps && 1.0 - d < d { 1.0 - d } else { d }
    };
    let (x, y) = (along(0), along(1));
    (x * x + y * y).sqrt()
}
