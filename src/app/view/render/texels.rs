//! The maps of a terrain as textures have them.

use std::sync::Arc;

use super::height_texels::HeightTexels;
use super::mips::{Mip, Mips};
use talweg::field::Terrain;

/// The textures of a terrain; a globe has heights, slopes and colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerrainMap {
    Heights,
    /// Slopes; of a globe also height over the sea and share of surface water.
    Slopes,
    Light,
    /// Depth in shadow of the mirrored copies around.
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

    /// What is drawn at half its resolution where all maps would take too much memory, again and again in this order:
    /// shares and colours of the ground, overlays, and depths in shadow, whose edges lie between samples. They change
    /// less from sample to sample than slopes do.
    pub const COARSENED: [Self; 6] =
        [Self::MirroredShadows, Self::Colours, Self::Site, Self::Cover, Self::Light, Self::Data];
}

/// Most samples of a side of a map of shares or colours on the graphics card.
pub const WIDEST_SHARES: usize = 2049;

/// What the maps of a square take on the graphics card at most: with the textures of materials, of crowns and of the
/// shadows of plants 256 MiB.
pub const SQUARE_BYTES: usize = 219 << 20;

/// How many of the finest levels each map of a square is drawn without, so that all fit [`SQUARE_BYTES`] beside the
/// heights, which take so many bytes.
pub fn levels_left_out(
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

/// Where the texels of a texture come from: of one face or of six.
#[derive(Clone)]
pub enum Texels {
    Heights(Arc<HeightTexels>),
    /// Without so many of the finest levels.
    Square(Arc<Mips>, usize),
    FaceHeights(Arc<Terrain>),
    Faces(Arc<Vec<Mips>>),
}

/// The texels of a level of a face.
pub struct TexelLevel<'a> {
    pub columns: usize,
    pub rows: usize,
    pub texel_bytes: usize,
    /// Row by row.
    pub bytes: &'a [u8],
}

impl<'a> TexelLevel<'a> {
    fn of_mips(mips: &'a Mips, level: usize) -> Self {
        let Mip { size, bytes } = &mips.levels[level];
        Self { columns: *size, rows: *size, texel_bytes: mips.texel_bytes, bytes }
    }
}

impl Texels {
    /// Whether both are the same texels, in the same place of memory.
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

    /// The texels of a level of a face.
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

    /// Of all faces and levels.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Heights(heights) => heights.bytes().len(),
            Self::Square(mips, skipped) => mips.bytes_without(*skipped),
            Self::FaceHeights(terrain) => 4 * terrain.height.len(),
            Self::Faces(faces) => faces.iter().map(|mips| mips.bytes_without(0)).sum(),
        }
    }
}
