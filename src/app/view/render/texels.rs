//! The maps of a terrain in the form of textures.

use std::sync::Arc;

use super::height_texels::HeightTexels;
use super::mips::{Mip, Mips};
use talweg::field::Terrain;

/// The textures of a terrain. A globe has only heights, slopes and colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerrainMap {
    Heights,
    /// Slopes of the terrain. On a globe, the texture also holds the height above sea level and the fraction of surface
    /// water.
    Slopes,
    Light,
    /// Shadow depth on the mirrored copies of the terrain outside the square.
    MirroredShadows,
    SurfaceWater,
    Data,
    Colours,
    VoidMask,
    Cover,
    Site,
}

impl TerrainMap {
    pub const ALL: [Self; 10] = [
        Self::Heights,
        Self::Slopes,
        Self::Light,
        Self::MirroredShadows,
        Self::SurfaceWater,
        Self::Data,
        Self::Colours,
        Self::VoidMask,
        Self::Cover,
        Self::Site,
    ];

    /// The maps to draw at half resolution if all maps together would take too much memory. The maps are halved in this
    /// order, one after another, and repeatedly if necessary. The maps hold fractions and colours of the terrain,
    /// overlays, and shadow depths, from which shadow edges are interpolated. All of these vary less between samples
    /// than slopes do.
    pub const COARSENED: [Self; 6] =
        [Self::MirroredShadows, Self::Colours, Self::Site, Self::Cover, Self::Light, Self::Data];
}

/// Greatest number of samples per side of a map of fractions or colours on the graphics card.
pub const WIDEST_SHARES: usize = 2049;

/// Greatest size in bytes of all maps of a square on the graphics card. With the textures of materials, canopy and
/// plant shadows, the total is at most 288 MiB. A terrain with every kind of map exceeds this size.
pub const SQUARE_BYTES: usize = 219 << 20;

/// Number of finest levels to omit from each map of a square, so that all maps and the heights fit [`SQUARE_BYTES`].
pub fn omitted_levels(
    maps: &[Option<Arc<Mips>>; TerrainMap::ALL.len()],
    height_bytes: usize,
) -> [usize; TerrainMap::ALL.len()] {
    let mut left_out = [0; TerrainMap::ALL.len()];
    let widest = |map: TerrainMap| maps[map as usize].as_ref().map_or(0, |mips| mips.levels[0].size);
    for map in TerrainMap::COARSENED.into_iter().filter(|map| widest(*map) > WIDEST_SHARES) {
        left_out[map as usize] = 1;
    }
    for map in TerrainMap::COARSENED.into_iter().filter(|map| widest(*map) > 1) {
        let own = maps.iter().zip(left_out).flat_map(|(mips, finest)| Some(mips.as_ref()?.bytes_without(finest)));
        if own.sum::<usize>() + height_bytes <= SQUARE_BYTES {
            break;
        }
        left_out[map as usize] += 1;
    }
    left_out
}

/// The texels of a texture, for one face or for six.
#[derive(Clone)]
pub enum Texels {
    Heights(Arc<HeightTexels>),
    /// A map, and how many of its finest levels are omitted.
    Square(Arc<Mips>, usize),
    FaceHeights(Arc<Terrain>),
    Faces(Arc<Vec<Mips>>),
}

/// A terrain prepared for drawing, as the source of its textures. Clones share the texel data.
pub trait TexelSource: Clone {
    /// Number of faces of each texture: 1 for a square, 6 for a globe.
    const FACES: usize;

    /// Serial number of the prepared terrain. No two prepared terrains share a number.
    fn serial(&self) -> u64;

    /// Number of samples along the side of a face.
    fn samples(&self) -> usize;

    /// The texels of a texture, if the terrain has this texture.
    fn texels(&self, map: TerrainMap) -> Option<Texels>;

    /// Size of all textures of the terrain on the graphics card, in bytes.
    fn texture_bytes(&self) -> usize {
        TerrainMap::ALL.into_iter().filter_map(|map| self.texels(map)).map(|texels| texels.bytes()).sum()
    }
}

/// The texels of one mip level of a face.
pub struct TexelLevel<'a> {
    pub columns: usize,
    pub rows: usize,
    pub texel_bytes: usize,
    /// The bytes of the texels, row by row.
    pub bytes: &'a [u8],
}

impl<'a> TexelLevel<'a> {
    fn of_mips(mips: &'a Mips, level: usize) -> Self {
        let Mip { size, bytes } = &mips.levels[level];
        Self { columns: *size, rows: *size, texel_bytes: mips.texel_bytes, bytes }
    }
}

impl Texels {
    /// Whether both textures share the same texels in memory.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Heights(a), Self::Heights(b)) => Arc::ptr_eq(a, b),
            (Self::Square(a, k), Self::Square(b, l)) => k == l && Arc::ptr_eq(a, b),
            (Self::FaceHeights(a), Self::FaceHeights(b)) => Arc::ptr_eq(a, b),
            (Self::Faces(a), Self::Faces(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    pub fn levels(&self) -> usize {
        match self {
            Self::Heights(_) | Self::FaceHeights(_) => 1,
            Self::Square(mips, skipped) => mips.levels.len() - skipped,
            Self::Faces(faces) => faces[0].levels.len(),
        }
    }

    /// The texels of a mip level of a face.
    pub fn level(&self, level: usize, face: usize) -> TexelLevel<'_> {
        let (columns, rows, texel_bytes, bytes) = match self {
            Self::Heights(heights) => (heights.columns(), heights.rows(), 2, heights.bytes()),
            Self::Square(mips, skipped) => return TexelLevel::of_mips(mips, level + skipped),
            Self::FaceHeights(terrain) => {
                let n = terrain.samples();
                (n, n, 4, bytemuck::cast_slice(&terrain.height[face * n * n..(face + 1) * n * n]))
            }
            Self::Faces(faces) => return TexelLevel::of_mips(&faces[face], level),
        };
        TexelLevel { columns, rows, texel_bytes, bytes }
    }

    /// Size of all faces and mip levels in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Heights(heights) => heights.bytes().len(),
            Self::Square(mips, skipped) => mips.bytes_without(*skipped),
            Self::FaceHeights(terrain) => 4 * terrain.height.len(),
            Self::Faces(faces) => faces.iter().map(|mips| mips.bytes_without(0)).sum(),
        }
    }
}
