//! Lowest and highest terrain of the tiles of a globe's faces. The culling of patches reads these bounds.

/// Height ranges of each face, of its four quarters, of their quarters, and so on.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceBounds {
    /// Height ranges of the tiles, face by face. Level `l` has 2^l × 2^l tiles per face.
    levels: Vec<Vec<(f32, f32)>>,
}

/// Smallest side length of a tile, in cells.
const TILE_CELLS: usize = 8;

impl FaceBounds {
    pub fn new(samples: usize, height: &[f32]) -> Self {
        use rayon::prelude::*;

        let last = samples - 1;
        let depth = (last / TILE_CELLS).max(1).ilog2() as usize;
        let tiles = 1usize << depth;
        let finest: Vec<(f32, f32)> = (0..6 * tiles * tiles)
            .into_par_iter()
            .map(|k| {
                let (face, row, column) = (k / (tiles * tiles), k / tiles % tiles, k % tiles);
                let span = |tile: usize| (tile * last / tiles, ((tile + 1) * last).div_ceil(tiles));
                let ((top, bottom), (left, right)) = (span(row), span(column));
                let rows = (top..=bottom).flat_map(|i| &height[(face * samples + i) * samples..][left..=right]);
                rows.fold((f32::INFINITY, f32::NEG_INFINITY), |range, &h| (range.0.min(h), range.1.max(h)))
            })
            .collect();
        let mut levels = vec![finest];
        for level in (0..depth).rev() {
            let (tiles, finer) = (1usize << level, &levels[levels.len() - 1]);
            let joined = (0..6 * tiles * tiles).map(|k| {
                let (face, row, column) = (k / (tiles * tiles), k / tiles % tiles, k % tiles);
                let corner = (face * 2 * tiles + 2 * row) * 2 * tiles + 2 * column;
                let quarters = [corner, corner + 1, corner + 2 * tiles, corner + 2 * tiles + 1].map(|k| finer[k]);
                quarters.into_iter().fold((f32::INFINITY, f32::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)))
            });
            let joined = joined.collect();
            levels.push(joined);
        }
        levels.reverse();
        Self { levels }
    }

    /// Lowest and highest height in a tile. Below the finest level, the function returns the range of the tile that
    /// contains the requested tile.
    pub fn range(&self, face: usize, level: u32, row: u32, column: u32) -> (f32, f32) {
        let known = (self.levels.len() as u32 - 1).min(level);
        let up = level - known;
        let tiles = 1usize << known;
        self.levels[known as usize][(face * tiles + (row >> up) as usize) * tiles + (column >> up) as usize]
    }

    pub fn whole(&self) -> (f32, f32) {
        self.levels[0].iter().fold((f32::INFINITY, f32::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)))
    }
}

/// The tile of a level that contains a direction, as face, row and column.
pub fn tile_of(direction: glam::DVec3, level: u32) -> (usize, u32, u32) {
    let (face, u, v) = talweg::field::globe::locate(direction.to_array());
    let tiles = f64::from(1u32 << level);
    let at = |x: f64| ((x * tiles) as u32).min((1 << level) - 1);
    (face, at(v), at(u))
}
