//! The brushes of droplets: cones of weights with which a droplet digs and deposits.

use super::ground::{LANES, TileGround};

/// Radius of the fan of debris at the end of a droplet's path, as a multiple of the droplet's radius.
pub const FAN_RADII: f32 = 3.0;

/// The two brushes of a droplet.
pub struct DropletBrushes {
    /// Brush of the droplet's own radius, for its path downhill.
    pub brush: Brushes,
    /// Wider brush for the load that remains at the end of the droplet's path.
    pub fan: Brushes,
}

impl DropletBrushes {
    pub fn new(radius: f32) -> Self {
        Self { brush: Brushes::new(radius), fan: Brushes::new(radius * FAN_RADII) }
    }
}

/// Cones of weights around a point, one for each of several positions of the point within a cell. The weights of each
/// cone sum to 1.
pub struct Brushes {
    /// Number of cells from the centre to the edge of the square that contains the cone.
    pub half: usize,
    /// Number of weights in a row: the cells of the square, padded with weight 0 to whole vectors.
    width: usize,
    /// Number of positions along each axis of a cell for which there is a cone.
    parts: usize,
    weights: Vec<f32>,
}

impl Brushes {
    fn new(radius: f32) -> Self {
        let parts = if radius < 4.0 {
            8
        } else if radius < 12.0 {
            4
        } else {
            1
        };
        let half = (radius + 0.5).ceil() as usize - 1;
        let square = 2 * half + 1;
        let width = square.next_multiple_of(LANES);
        let mut weights = vec![0.0; parts * parts * square * width];
        for (part, weights) in weights.chunks_mut(square * width).enumerate() {
            // positions range from -1/2 to 1/2 around the centre of the middle cell
            let place = |k: usize| (k as f32 + 0.5) / parts as f32 - 0.5;
            let (px, py) = (place(part % parts), place(part / parts));
            let mut sum = 0.0;
            for (k, weight) in weights.iter_mut().enumerate() {
                let (dx, dy) = ((k % width) as f32 - half as f32 - px, (k / width) as f32 - half as f32 - py);
                let inner = 1.0 - (dx * dx + dy * dy).sqrt() / radius;
                *weight = if inner > 0.0 && k % width < square { inner } else { 0.0 };
                sum += *weight;
            }
            weights.iter_mut().for_each(|weight| *weight /= sum);
        }
        Self { half, width, parts, weights }
    }

    /// Returns the weights around a point, and the row and column of the cell nearest to the point.
    #[inline(always)]
    fn weights(&self, [x, y]: [f32; 2]) -> (&[f32], [usize; 2]) {
        let (j, i) = ((x + 0.5) as usize, (y + 0.5) as usize);
        let part = |p: f32, middle: usize| ((p - middle as f32 + 0.5) * self.parts as f32) as usize;
        let (px, py) = (part(x, j).min(self.parts - 1), part(y, i).min(self.parts - 1));
        let size = (2 * self.half + 1) * self.width;
        (&self.weights[(py * self.parts + px) * size..][..size], [i, j])
    }

    /// Sets the cells around a point to `new(cell of the patch, height, weight)`. Returns the sum of the height
    /// changes.
    #[inline(always)]
    fn change(&self, patch: &mut TileGround, place: [f32; 2], new: impl Fn(&[f32], usize, f32, f32) -> f32) -> f32 {
        let (half, width, side) = (self.half, self.width, patch.side);
        let (weights, [i, j]) = self.weights(place);
        if i < half || j < half || i + half >= side || j + half >= side {
            return self.change_at_edge(patch, place, new);
        }
        let (mut first, step) = (patch.index(i - half, j - half), patch.width());
        let TileGround { height, erodibility, .. } = patch;
        // one sum per lane, so that no addition waits for another
        let mut rose = [0.0; LANES];
        for weights in weights.chunks_exact(width) {
            let (cells, _) = height[first..first + width].as_chunks_mut::<LANES>();
            let (weights, _) = weights.as_chunks::<LANES>();
            for (c, (cells, weights)) in cells.iter_mut().zip(weights).enumerate() {
                let (old, at) = (*cells, first + c * LANES);
                let made: [f32; LANES] = std::array::from_fn(|k| new(erodibility, at + k, old[k], weights[k]));
                for k in 0..LANES {
                    rose[k] += made[k] - old[k];
                }
                *cells = made;
            }
            first += step;
        }
        rose[0] + rose[1] + rose[2] + rose[3]
    }

    /// Does the same as [`change`](Self::change) for a cone that extends over an edge. Beyond an open edge the cone is
    /// cut off.
    #[cold]
    #[inline(never)]
    fn change_at_edge(
        &self,
        patch: &mut TileGround,
        at: [f32; 2],
        new: impl Fn(&[f32], usize, f32, f32) -> f32,
    ) -> f32 {
        let (weights, [i, j]) = self.weights(at);
        let (side, half, wraps) = (patch.side as isize, self.half, patch.wraps);
        let place = |middle: usize, offset: usize| {
            let at = middle as isize + offset as isize - half as isize;
            (wraps || (at >= 0 && at < side)).then(|| at.rem_euclid(side) as usize)
        };
        let mut rose = 0.0;
        for (r, weights) in weights.chunks_exact(self.width).enumerate() {
            for (c, &weight) in weights[..2 * half + 1].iter().enumerate() {
                if let (Some(i), Some(j)) = (place(i, r), place(j, c)) {
                    let at = patch.index(i, j);
                    let old = patch.height[at];
                    let made = new(&patch.erodibility, at, old, weight);
                    rose += made - old;
                    patch.height[at] = made;
                }
            }
        }
        rose
    }

    /// Whether part of the cone is beyond an open edge.
    pub fn is_cut_off(&self, patch: &TileGround, place: [f32; 2]) -> bool {
        let cut = |p: f32| {
            let middle = (p + 0.5) as usize;
            middle < self.half || middle + self.half >= patch.side
        };
        !patch.wraps && place.into_iter().any(cut)
    }

    /// Applies a stroke. `erodibility` is the uniform value, or `None` if the values of the patch apply. Returns the
    /// sum of the height changes.
    #[inline(always)]
    pub fn work(&self, patch: &mut TileGround, erodibility: Option<f32>, stroke: &DropletStroke) -> f32 {
        let DropletStroke { place, mut amount, floor, level, digs } = *stroke;
        let changed = |h: f32, by: f32| {
            let raised = h + by;
            let (least, most) = (if floor < h { floor } else { h }, if level > h { level } else { h });
            let raised = if raised > least { raised } else { least };
            if raised < most { raised } else { most }
        };
        if digs && erodibility.is_none() {
            return self
                .change(patch, place, |erodibility, at, h, weight| changed(h, amount * erodibility[at] * weight));
        }
        amount *= if digs { erodibility.unwrap_or(1.0) } else { 1.0 };
        self.change(patch, place, |_, _, h, weight| changed(h, amount * weight))
    }
}

/// A change of the terrain around a point by a droplet.
#[derive(Clone, Copy)]
pub struct DropletStroke {
    place: [f32; 2],
    /// Sum of the height changes of all cells, as a fraction of the relief; negative for digging.
    pub amount: f32,
    /// Lower limit of the height of dug cells; `level` is the upper limit of the height of raised cells.
    floor: f32,
    level: f32,
    digs: bool,
}

impl DropletStroke {
    pub const NONE: Self = Self::deposit([0.0; 2], 0.0, 0.0);

    /// A stroke that raises the terrain by `amount` in total, and no cell above `level`.
    pub const fn deposit(place: [f32; 2], amount: f32, level: f32) -> Self {
        Self { place, amount, floor: f32::INFINITY, level, digs: false }
    }

    /// A stroke that lowers the terrain by `amount` in total, and no cell below `floor`.
    pub const fn dig(place: [f32; 2], amount: f32, floor: f32) -> Self {
        Self { place, amount: -amount, floor, level: f32::NEG_INFINITY, digs: true }
    }
}
