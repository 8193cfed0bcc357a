//! Tiles in which droplets run in parallel, with the same bits for any number of threads. This needs care, because each
//! droplet changes the terrain at once.
//!
//! The terrain is divided into tiles, which are coloured in a pattern of c × c colours. A droplet never leaves a circle
//! around its start. The radius of this circle is called the droplet's reach. Tiles of one colour are two reaches
//! apart, so droplets of different tiles never touch the same cell. The colours run one after another, the tiles of a
//! colour in parallel, and the droplets of a tile one after another. Tiles depend only on the terrain and the
//! parameters. They are shifted at random in every iteration, so that no tile edge stays in place long enough to be
//! visible.

use talweg_ground::field::{Edges, Grid, Stream};

/// Maximum number of colours along one axis. With more colours the tiles would be smaller.
const MOST_COLOURS: usize = 8;
/// Number of tiles of one colour along one axis that is enough to keep all processors busy.
const ENOUGH: usize = 6;

/// The starts of one iteration, divided into tiles.
pub struct DropletTiles {
    /// Number of blocks along one axis; one droplet starts in each block.
    blocks: usize,
    /// Distance in cells between the starts of neighbouring blocks, before the jitter.
    pitch: f32,
    /// Area that a droplet represents, as a multiple of the cell area.
    pub area: f32,
    /// Number of tiles along one axis; `colours` is the number of colours.
    tiles: usize,
    colours: usize,
    shift: [usize; 2],
    random: Stream,
}

/// Consecutive rows or columns of the terrain, which may wrap around to its other side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    pub first: usize,
    pub count: usize,
}

impl Span {
    /// Returns the position of row or column `index` within the span, on a terrain of `side` cells.
    #[inline(always)]
    pub fn offset(self, index: usize, side: usize) -> usize {
        if index >= self.first { index - self.first } else { index + side - self.first }
    }

    /// The rows or columns of the span on a terrain of `side` cells, first up to the seam and then beyond the seam.
    pub fn parts(self, side: usize) -> [std::ops::Range<usize>; 2] {
        let ahead = self.count.min(side - self.first);
        [self.first..self.first + ahead, 0..self.count - ahead]
    }
}

/// A tile, given by its row and column.
#[derive(Clone, Copy)]
pub struct DropletTile([usize; 2]);

impl DropletTiles {
    /// Divides a terrain with `side` distinct cells along each axis into tiles. `density` is the mean number of
    /// droplets per cell. No droplet moves farther than `reach` cells from its start.
    pub fn new(side: usize, grid: Grid, density: f32, reach: f32, random: Stream) -> Self {
        let extent = (grid.samples - 1) as f32;
        let blocks = ((extent * density.sqrt() + 0.5) as usize).max(1);
        let pitch = extent / blocks as f32;
        let (colours, tiles) = colouring(blocks, (2.0 * reach / pitch) as usize + 1);
        let cells = (side * side) as f32;
        let draw = |axis: i32| ((random.bits(-1, axis) >> 33) as usize) % blocks;
        let shift = [draw(0), draw(1)];
        debug_assert!(grid.edges == Edges::Open || side + 1 == grid.samples);
        Self { blocks, pitch, area: cells / (blocks * blocks) as f32, tiles, colours, shift, random }
    }

    /// The tiles of each colour, in the order in which the colours run.
    pub fn colours(&self) -> impl Iterator<Item = Vec<DropletTile>> {
        let c = self.colours;
        let along = move |first: usize| (first..self.tiles).step_by(c);
        (0..c * c).map(move |k| along(k / c).flat_map(|i| along(k % c).map(move |j| DropletTile([i, j]))).collect())
    }

    /// Returns the rows and columns of the terrain (`side` cells per axis) that the droplets of a tile can touch. The
    /// spans of two tiles of one colour never overlap.
    pub fn spans(&self, tile: &DropletTile, side: usize, grid: Grid, reach: f32) -> [Span; 2] {
        let whole = Span { first: 0, count: side };
        std::array::from_fn(|axis| {
            if self.tiles == 1 {
                return whole;
            }
            let [mut from, mut to] = [0, 1].map(|k| (tile.0[axis] + k) * self.blocks / self.tiles + self.shift[axis]);
            if from >= self.blocks {
                (from, to) = (from - self.blocks, to - self.blocks);
            }
            // use one cell less than the reach on both sides, so that rounding cannot make neighbouring spans overlap
            let mut first = (from as f32 * self.pitch - reach + 1.0).floor() as isize;
            let mut last = (to as f32 * self.pitch + reach - 1.0).ceil() as isize;
            if grid.edges == Edges::Open {
                let end = side as isize - 1;
                first = first.max(0);
                // where the seam of the terrain divides a tile into two parts, the second part starts one cell later,
                // because the seam has no width
                last = if to > self.blocks { last + 1 } else { last.min(end) };
            }
            let count = (last - first + 1) as usize;
            if count >= side { whole } else { Span { first: first.rem_euclid(side as isize) as usize, count } }
        })
    }

    /// Starting points of the droplets of a tile (x, y in cells), in the order in which they run. The order is
    /// scattered, so that neighbours do not follow each other in rows.
    pub fn starts(&self, tile: &DropletTile) -> impl Iterator<Item = [f32; 2]> {
        let bound = |k: usize| k * self.blocks / self.tiles;
        let [first, size] = [tile.0.map(bound), tile.0.map(|k| bound(k + 1) - bound(k))];
        let count = size[0] * size[1];
        // a stride near the golden ratio of the count that visits every block once
        let mut stride = (count as f64 * 0.618_033_988_749_894_9) as usize | 1;
        while common_divisor(stride, count) != 1 {
            stride += 2;
        }
        (0..count).map(move |k| {
            let at = (k * stride) % count;
            let i = (first[0] + at / size[1] + self.shift[0]) % self.blocks;
            let j = (first[1] + at % size[1] + self.shift[1]) % self.blocks;
            let bits = self.random.bits(j as i32, i as i32);
            let unit = |bits: u64| (bits & 0xff_ffff) as f32 * (1.0 / 16_777_216.0);
            [(j as f32 + unit(bits)) * self.pitch, (i as f32 + unit(bits >> 32)) * self.pitch]
        })
    }
}

/// Returns the number of colours and the number of tiles along an axis of `blocks`. Tiles of one colour have at least
/// `apart` blocks between them. On a wrapping axis the number of tiles must be a multiple of the number of colours. If
/// there is no room for several tiles, the result is one tile of one colour.
fn colouring(blocks: usize, apart: usize) -> (usize, usize) {
    let mut best = (1, 1);
    for colours in 2..=MOST_COLOURS {
        let width = apart.div_ceil(colours - 1);
        let each = blocks / (width * colours);
        if each > 1 && each > best.1 / best.0 {
            best = (colours, each * colours);
        }
        if each >= ENOUGH {
            break;
        }
    }
    best
}

fn common_divisor(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the smallest number of blocks between two tiles of one colour, and checks that every block is in a tile.
    #[test]
    fn tiles_of_one_colour_keep_apart_and_blocks_are_visited_once() {
        for (blocks, apart) in [(1, 1), (7, 100), (40, 3), (51, 14), (205, 29), (1000, 7)] {
            let (colours, tiles) = colouring(blocks, apart);
            let bound = |k: usize| k * blocks / tiles;
            if tiles > 1 {
                assert_eq!(tiles % colours, 0);
                for k in 0..tiles {
                    let gap = (k + 1..k + colours).map(|t| bound(t % tiles + 1) - bound(t % tiles)).sum::<usize>();
                    assert!(gap >= apart, "{gap} of {apart} with {blocks} blocks, {tiles} tiles, {colours} colours");
                }
            }
            let all = DropletTiles {
                blocks,
                pitch: 1.0,
                area: 1.0,
                tiles,
                colours,
                shift: [3, 5],
                random: Stream::new(1, 1),
            };
            let mut seen = vec![false; blocks * blocks];
            for [x, y] in all.colours().flatten().flat_map(|tile| all.starts(&tile).collect::<Vec<_>>()) {
                let at = (y as usize).min(blocks - 1) * blocks + (x as usize).min(blocks - 1);
                seen[at] = true;
            }
            let missed = seen.iter().filter(|&&s| !s).count();
            // a jitter that rounds up to 1 can move a start into the next block
            assert!(missed * 10_000 <= seen.len(), "{missed} blocks of {blocks}²");
        }
    }
}
