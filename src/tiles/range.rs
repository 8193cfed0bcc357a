//! The lowest and highest height of tiles, and of the whole terrain.

use crate::field::{HAS_GROUND, MapKind, Region, Terrain};
use crate::hydrology::tiled::WordError;

/// Lowest and highest height; +∞ and -∞ if there are no heights.
type LowestHighest = [f32; 2];

/// The height range of a tile, by the rule of [`Terrain::range`]: the range of samples with terrain, or of all samples
/// if none has terrain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionRange {
    on_ground: LowestHighest,
    all_samples: LowestHighest,
}

const NO_HEIGHTS: LowestHighest = [f32::INFINITY, f32::NEG_INFINITY];

fn both([a, b]: LowestHighest, [c, d]: LowestHighest) -> LowestHighest {
    [a.min(c), b.max(d)]
}

impl RegionRange {
    /// The range of an empty set of samples.
    pub const NONE: Self = Self { on_ground: NO_HEIGHTS, all_samples: NO_HEIGHTS };

    /// The range of the samples of `region`. The region is inside the window of `terrain`.
    pub fn of_region(terrain: &Terrain, region: &Region) -> Self {
        let ([top, left], mut made) = (terrain.grid.first(), Self::NONE);
        for row in region.rows.clone() {
            let columns = region.columns.start - left..region.columns.end - left;
            let line = |field| &terrain.grid.row(field, row - top)[columns.clone()];
            let ground = terrain.map(MapKind::Ground).map(|map| line(map));
            for (k, &h) in line(&terrain.height).iter().enumerate() {
                made.all_samples = both(made.all_samples, [h; 2]);
                if ground.is_none_or(|ground| ground[k] >= HAS_GROUND) {
                    made.on_ground = both(made.on_ground, [h; 2]);
                }
            }
        }
        made
    }

    /// The range of the samples of both regions together.
    pub fn joined(self, other: Self) -> Self {
        Self {
            on_ground: both(self.on_ground, other.on_ground),
            all_samples: both(self.all_samples, other.all_samples),
        }
    }

    /// Lowest and highest height, as fractions of the relief.
    pub fn range(self) -> LowestHighest {
        let [low, high] = self.on_ground;
        if low <= high { self.on_ground } else { self.all_samples }
    }

    /// Encodes the range as 64-bit words for a file.
    pub fn to_words(self) -> Vec<u64> {
        [self.on_ground, self.all_samples].as_flattened().iter().map(|height| u64::from(height.to_bits())).collect()
    }

    /// Decodes a range from the 64-bit words of [`to_words`](Self::to_words).
    ///
    /// # Errors
    /// If the words do not encode a range.
    pub fn from_words(words: &[u64]) -> Result<Self, WordError> {
        let &[a, b, c, d] = words else { return Err(WordError) };
        let height = |word: u64| f32::from_bits(word as u32);
        Ok(Self { on_ground: [a, b].map(height), all_samples: [c, d].map(height) })
    }
}
