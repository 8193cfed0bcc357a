//! A loose cover (sand, snow) on firm ground, and how it slides to its angle of repose.
//!
//! Cover depths are whole numbers of slabs ([`Slabs`]). Sums and differences of slabs are exact in `f32`, so that no
//! cover is gained or lost however often it moves.
//!
//! Law of a slide: cover flows through the face between two cells of surface heights H and H', towards the lower cell.
//! The flow is q = (c · (g - T)⁺ / g + D) · |H - H'|. The notation x⁺ means max(x, 0). g is the length of the surface
//! gradient on the face, with both components, as a height difference per cell. T (`rise`) is the rise of the angle of
//! repose over one cell, and c is `slide_fraction`. D (`creep`) also levels gentler slopes. Since g is the full
//! gradient, slopes come to rest at the same angle in every direction of the grid. The flow is at most the fraction ¼ ·
//! |H - H'| / g of the cover of the higher cell. So cover on steep slopes moves by a quarter of a cell in one slide, in
//! every direction of the grid.
//!
//! Scheme: all faces are computed at once from the old cover. A cell has four faces, so cover never becomes negative.
//! The cells on both sides of a face compute the flow from the same numbers, and the bits do not depend on the threads.
//! Amounts are rounded down to whole slabs, so that a slope at rest stops completely.
//! Boundary: nothing slides over an open edge; a wrapping terrain continues on the other side.
//! Stability: c + D must be at most ¼ (explicit diffusion in two dimensions).

use talweg_ground::field::{Edges, Grid};

/// The unit of cover depth, a power of two: all depths are whole multiples of it.
#[derive(Clone, Copy, Debug)]
pub struct Slabs {
    quantum: f32,
    /// 1.5 · 2²³ slabs: at this magnitude adjacent `f32` values are one slab apart.
    magnet: f32,
}

impl Slabs {
    /// Returns the slabs for a cover about `depth` deep (as a fraction of the relief). A cover of this depth consists
    /// of 2¹⁷ to 2¹⁸ slabs. Depths up to 128 times `depth` are exact.
    pub fn for_depth(depth: f32) -> Self {
        let depth = depth.clamp(1e-12, 1e12);
        // the largest power of two that is not above `depth`
        let power = f32::from_bits(depth.to_bits() & 0x7f80_0000);
        let quantum = power * (1.0 / 131_072.0);
        Self { quantum, magnet: quantum * 12_582_912.0 }
    }

    /// Returns the whole multiple of a slab nearest to `depth`.
    #[inline(always)]
    pub fn nearest(self, depth: f32) -> f32 {
        (depth + self.magnet) - self.magnet
    }

    /// Returns the largest whole multiple of a slab that is at most `depth`, but at least 0.
    #[inline(always)]
    pub fn at_most(self, depth: f32) -> f32 {
        let whole = self.nearest(depth - 0.5 * self.quantum);
        if whole > 0.0 { whole } else { 0.0 }
    }
}

/// Firm ground and the cover on it.
#[derive(Clone, Copy)]
pub struct Layers<'a> {
    /// Heights without the cover.
    pub bed: &'a [f32],
    /// Depth eroded from the bed so far, in whole slabs.
    pub eroded: Option<&'a [f32]>,
    /// Depth of the cover on the bed.
    pub cover: &'a [f32],
}

impl Layers<'_> {
    /// Height of the surface at sample `k`.
    #[inline(always)]
    pub fn surface(&self, k: usize) -> f32 {
        surface(self.bed[k], self.cover[k], self.eroded.map_or(0.0, |w| w[k]))
    }
}

/// Returns the height of the surface. All code computes the height here, so that it has the same bits everywhere.
#[inline(always)]
pub fn surface(bed: f32, cover: f32, worn: f32) -> f32 {
    bed + (cover - worn)
}

/// Parameters with which a cover slides to its angle of repose.
#[derive(Clone, Copy)]
pub struct CoverSlide {
    /// A square grid. Its edges determine whether cover leaves on one side and enters on the other.
    pub grid: Grid,
    /// The unit of the cover depths.
    pub slabs: Slabs,
    /// Rise of the angle of repose over one cell, as a fraction of the relief.
    pub rise: f32,
    /// Fraction c of the flow on slopes steeper than the angle of repose. c · (g - T) / g of the height difference H -
    /// H' flows through a face in one slide.
    pub slide_fraction: f32,
    /// Fraction of the height difference that flows through a face in one slide, on slopes of any steepness.
    pub creep: f32,
}

/// Working rows of a slide. Rows of heights have n + 2 entries: they extend one cell beyond both ends of the row.
struct CoverRows {
    north: Vec<f32>,
    mid: Vec<f32>,
    south: Vec<f32>,
    /// Flow through the east and west faces of a row: entry j is the west face of cell j, entry n the east face of the
    /// last cell.
    eastward: Vec<f32>,
    /// Flow through the north faces of a row; `outflow` is the flow through its south faces.
    inflow: Vec<f32>,
    outflow: Vec<f32>,
}

impl CoverSlide {
    /// Writes the cover after one slide to `out`, for the rows that `out` holds; the first of them is row `first`.
    pub fn slide(&self, layers: Layers, first: usize, out: &mut [f32]) {
        let n = self.grid.samples;
        let line = || vec![0.0f32; n + 2];
        let mut rows = CoverRows {
            north: line(),
            mid: line(),
            south: line(),
            eastward: vec![0.0; n + 1],
            inflow: vec![0.0; n],
            outflow: vec![0.0; n],
        };
        let first = first as isize;
        self.load(layers, first - 1, &mut rows.mid);
        self.load(layers, first, &mut rows.south);
        self.southward(layers.cover, first - 1, &mut rows);
        for (ahead, out) in out.chunks_mut(n).enumerate() {
            let row = first + ahead as isize;
            let CoverRows { north, mid, south, inflow, outflow, .. } = &mut rows;
            std::mem::swap(north, mid);
            std::mem::swap(mid, south);
            std::mem::swap(inflow, outflow);
            self.load(layers, row + 1, &mut rows.south);
            self.southward(layers.cover, row, &mut rows);
            let cover = self.grid.row(layers.cover, row as usize);
            self.eastward(cover, &mut rows);
            let (east, inflow, outflow) = (&rows.eastward[..n + 1], &rows.inflow[..n], &rows.outflow[..n]);
            for j in 0..n {
                out[j] = cover[j] - ((east[j + 1] - east[j]) + (outflow[j] - inflow[j]));
            }
        }
    }

    /// Loads the surface heights along row `row`. A row one step beyond an edge continues the surface at the same
    /// slope.
    fn load(&self, layers: Layers, row: isize, line: &mut [f32]) {
        let n = self.grid.samples;
        match self.grid.row_beyond(row) {
            Some(row) => self.copy(layers, row, &mut line[1..=n]),
            None => {
                let (near, far) = if row < 0 { (0, 1) } else { (n - 1, n - 2) };
                self.copy(layers, far, &mut line[1..=n]);
                let near = near * n;
                for (j, h) in line[1..=n].iter_mut().enumerate() {
                    *h = 2.0 * layers.surface(near + j) - *h;
                }
            }
        }
        match self.grid.edges {
            Edges::Open => (line[0], line[n + 1]) = (2.0 * line[1] - line[2], 2.0 * line[n] - line[n - 1]),
            Edges::Wrap => (line[0], line[n + 1]) = (line[n - 1], line[2]),
        }
    }

    fn copy(&self, layers: Layers, row: usize, line: &mut [f32]) {
        let (bed, cover) = (self.grid.row(layers.bed, row), self.grid.row(layers.cover, row));
        match layers.eroded {
            None => line.iter_mut().zip(bed).zip(cover).for_each(|((h, &b), &c)| *h = surface(b, c, 0.0)),
            Some(worn) => {
                let worn = self.grid.row(worn, row);
                let parts = bed.iter().zip(cover).zip(worn);
                line.iter_mut().zip(parts).for_each(|(h, ((&b, &c), &w))| *h = surface(b, c, w));
            }
        }
    }

    /// Computes the flow through the south faces of row `row`, whose surface is in `mid`.
    fn southward(&self, cover: &[f32], row: isize, rows: &mut CoverRows) {
        let n = self.grid.samples;
        let out = &mut rows.outflow[..n];
        let (Some(here), Some(there)) = (self.grid.row_beyond(row), self.grid.row_beyond(row + 1)) else {
            out.fill(0.0);
            return;
        };
        let (mid, south) = (&rows.mid[..n + 2], &rows.south[..n + 2]);
        let (here, there) = (&self.grid.row(cover, here)[..n], &self.grid.row(cover, there)[..n]);
        for j in 0..n {
            let across = 0.25 * ((mid[j + 2] - mid[j]) + (south[j + 2] - south[j]));
            out[j] = self.flow(mid[j + 1], south[j + 1], across, here[j], there[j]);
        }
    }

    /// Computes the flow through the faces between the cells of the middle row.
    fn eastward(&self, cover: &[f32], rows: &mut CoverRows) {
        let n = self.grid.samples;
        let (north, mid, south) = (&rows.north[1..=n], &rows.mid[1..=n], &rows.south[1..=n]);
        let (cover, out) = (&cover[..n], &mut rows.eastward[1..n]);
        for j in 0..n - 1 {
            let across = 0.25 * ((south[j] - north[j]) + (south[j + 1] - north[j + 1]));
            out[j] = self.flow(mid[j], mid[j + 1], across, cover[j], cover[j + 1]);
        }
        let (west, east) = match self.grid.edges {
            Edges::Open => (0.0, 0.0),
            Edges::Wrap => (rows.eastward[n - 1], rows.eastward[1]),
        };
        (rows.eastward[0], rows.eastward[n]) = (west, east);
    }

    /// Returns the flow through a face from `here` to `there`. It is negative if the cover flows from `there` to
    /// `here`.
    #[inline(always)]
    fn flow(&self, here: f32, there: f32, across: f32, cover_here: f32, cover_there: f32) -> f32 {
        let fall = here - there;
        let steep = (fall * fall + across * across).sqrt();
        let excess = steep - self.rise;
        let slide = if excess > 0.0 { self.slide_fraction * excess / steep } else { 0.0 };
        let down = fall > 0.0;
        let wanted = (slide + self.creep) * if down { fall } else { -fall };
        let source = if down { cover_here } else { cover_there };
        let most = if steep > 0.0 { 0.25 * source * (fall.abs() / steep) } else { 0.0 };
        let moved = self.slabs.at_most(if wanted < most { wanted } else { most });
        if down { moved } else { -moved }
    }
}

/// Returns loss and gain of the ground along a row between two states. The iterators return cover depth minus eroded
/// depth.
pub fn exchange(old: impl Iterator<Item = f32>, new: impl Iterator<Item = f32>) -> [f64; 2] {
    let (mut eroded, mut deposited) = (0.0f64, 0.0f64);
    for (old, new) in old.zip(new) {
        let rise = f64::from(new) - f64::from(old);
        eroded += if rise < 0.0 { -rise } else { 0.0 };
        deposited += if rise > 0.0 { rise } else { 0.0 };
    }
    [eroded, deposited]
}
