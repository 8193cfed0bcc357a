//! Heights of the lowest and of the highest terrain in square tiles, in blocks of tiles, in blocks of such blocks, and
//! so on. Culling and picking read these bounds.

use rayon::prelude::*;

use talweg::field::Region;
use talweg::field::Terrain;

/// Number of cells along the side of a tile of the finest level.
pub const TILE_CELLS: usize = 8;

/// Lowest and highest height of a tile.
pub type HeightRange = (f32, f32);

/// A pyramid of height ranges; level `l` has tiles of `TILE_CELLS << l` cells.
#[derive(Clone, Debug, PartialEq)]
pub struct GridBounds {
    levels: Vec<BoundsLevel>,
}

#[derive(Clone, Debug, PartialEq)]
struct BoundsLevel {
    tiles: usize,
    ranges: Vec<HeightRange>,
}

const EMPTY: HeightRange = (f32::INFINITY, f32::NEG_INFINITY);

fn join(a: HeightRange, b: HeightRange) -> HeightRange {
    (a.0.min(b.0), a.1.max(b.1))
}

impl GridBounds {
    pub fn new(terrain: &Terrain) -> Self {
        let (grid, last) = (terrain.grid, terrain.samples() - 1);
        let tiles = last.div_ceil(TILE_CELLS);
        let mut ranges = vec![EMPTY; tiles * tiles];
        ranges.par_chunks_mut(tiles).enumerate().for_each(|(i, row)| {
            for line in i * TILE_CELLS..=(i * TILE_CELLS + TILE_CELLS).min(last) {
                let heights = grid.row(&terrain.height, line);
                for (j, range) in row.iter_mut().enumerate() {
                    let span = &heights[j * TILE_CELLS..=(j * TILE_CELLS + TILE_CELLS).min(last)];
                    *range = span.iter().fold(*range, |r, &h| (r.0.min(h), r.1.max(h)));
                }
            }
        });
        let mut levels = vec![BoundsLevel { tiles, ranges }];
        while levels[levels.len() - 1].tiles > 1 {
            levels.push(levels[levels.len() - 1].halved());
        }
        Self { levels }
    }

    /// A copy in which the tiles that contain samples of the region are recomputed.
    pub fn renewed(&self, terrain: &Terrain, region: &Region) -> Self {
        let mut bounds = self.clone();
        if region.is_empty() {
            return bounds;
        }
        let last = terrain.samples() - 1;
        // a sample on the border of two tiles belongs to both tiles
        let span = |cells: &std::ops::Range<usize>, tiles: usize| {
            let from = cells.start.saturating_sub(1) / TILE_CELLS;
            from..((cells.end - 1) / TILE_CELLS + 1).min(tiles)
        };
        let tiles = bounds.levels[0].tiles;
        let (mut rows, mut columns) = (span(&region.rows, tiles), span(&region.columns, tiles));
        for i in rows.clone() {
            for j in columns.clone() {
                let mut range = EMPTY;
                for line in i * TILE_CELLS..=(i * TILE_CELLS + TILE_CELLS).min(last) {
                    let heights = terrain.grid.row(&terrain.height, line);
                    let part = &heights[j * TILE_CELLS..=(j * TILE_CELLS + TILE_CELLS).min(last)];
                    range = part.iter().fold(range, |r, &h| (r.0.min(h), r.1.max(h)));
                }
                bounds.levels[0].ranges[i * tiles + j] = range;
            }
        }
        for level in 1..bounds.levels.len() {
            let (below, above) = bounds.levels.split_at_mut(level);
            let (below, above) = (&below[level - 1], &mut above[0]);
            rows = rows.start / 2..rows.end.div_ceil(2);
            columns = columns.start / 2..columns.end.div_ceil(2);
            for i in rows.clone() {
                for j in columns.clone() {
                    above.ranges[i * above.tiles + j] = below.four(i, j);
                }
            }
        }
        bounds
    }

    /// The level whose single tile is the whole terrain.
    pub fn top(&self) -> usize {
        self.levels.len() - 1
    }

    /// Lowest and highest height of the whole terrain.
    pub fn whole(&self) -> HeightRange {
        self.levels[self.top()].ranges[0]
    }

    /// Height range of tile (row, column) of `level`. Levels above the top have the range of the whole terrain.
    pub fn range(&self, level: usize, row: usize, column: usize) -> Option<HeightRange> {
        if level > self.top() {
            return self.range(self.top(), 0, 0).filter(|_| row == 0 && column == 0);
        }
        let BoundsLevel { tiles, ranges } = &self.levels[level];
        (row < *tiles && column < *tiles).then(|| ranges[row * tiles + column])
    }
}

impl BoundsLevel {
    fn halved(&self) -> Self {
        let tiles = self.tiles.div_ceil(2);
        Self { tiles, ranges: (0..tiles * tiles).map(|k| self.four(k / tiles, k % tiles)).collect() }
    }

    /// Combined height range of four tiles. Together they form tile (row, column) of the next level.
    fn four(&self, row: usize, column: usize) -> HeightRange {
        let at = |i: usize, j: usize| {
            if i < self.tiles && j < self.tiles { self.ranges[i * self.tiles + j] } else { EMPTY }
        };
        let (i, j) = (2 * row, 2 * column);
        join(join(at(i, j), at(i, j + 1)), join(at(i + 1, j), at(i + 1, j + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::field::Edges;

    #[test]
    fn every_tile_of_every_level_has_the_range_of_its_samples() {
        for samples in [2, 9, 10, 33, 100] {
            let terrain =
                Terrain::from_fn(samples, Edges::Open, |u, v| ((u * 71.0).sin() + (v * 53.0).cos()) * (u + 0.1));
            let bounds = GridBounds::new(&terrain);
            for level in 0..=bounds.top() {
                let cells = TILE_CELLS << level;
                for row in 0..(samples - 1).div_ceil(cells) {
                    for column in 0..(samples - 1).div_ceil(cells) {
                        let mut expected = EMPTY;
                        for i in row * cells..=(row * cells + cells).min(samples - 1) {
                            for j in column * cells..=(column * cells + cells).min(samples - 1) {
                                let h = terrain.height[i * samples + j];
                                expected = join(expected, (h, h));
                            }
                        }
                        assert_eq!(
                            bounds.range(level, row, column),
                            Some(expected),
                            "{samples} {level} {row} {column}"
                        );
                    }
                }
            }
            assert_eq!(bounds.range(bounds.top(), 0, 0), Some(terrain.range()));
            assert_eq!(bounds.range(bounds.top() + 3, 0, 0), Some(terrain.range()));
            assert_eq!(bounds.range(0, 99, 0), None);
        }
    }
}
