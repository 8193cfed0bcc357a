//! The maps of a terrain as textures have them.

use std::sync::Arc;

use super::mips::Mips;
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

    /// Whether a map of more than [`WIDEST_SHARES`] samples a side is drawn at half its resolution: shares and colours
    /// of the ground, overlays, and depths in shadow, whose edges lie between samples; they change less from sample to
    /// sample than slopes do.
    pub fn is_halved_if_wide(self) -> bool {
        matches!(self, Self::Light | Self::Data | Self::Colours | Self::Cover | Self::Site)
    }
}

/// Most samples of a side of a map of shares or colours on the graphics card: the textures of a terrain of 4097² with
/// water, snow, flow and an overlay then take 256 MiB at most.
pub const WIDEST_SHARES: usize = 2049;

/// Where the texels of a texture come from: of one face or of six.
#[derive(Clone)]
pub enum Texels {
    Heights(Arc<Terrain>),
    Square(Arc<Mips>),
    /// Without the finest level.
    Halved(Arc<Mips>),
    Faces(Arc<Vec<Mips>>),
}

impl Texels {
    /// Whether both are the same texels, in the same place of memory.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Heights(a), Self::Heights(b)) => Arc::ptr_eq(a, b),
            (Self::Square(a), Self::Square(b)) | (Self::Halved(a), Self::Halved(b)) => Arc::ptr_eq(a, b),
            (Self::Faces(a), Self::Faces(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn mips(&self, face: usize) -> Option<&Mips> {
        match self {
            Self::Heights(_) => None,
            Self::Square(mips) | Self::Halved(mips) => Some(mips),
            Self::Faces(mips) => mips.get(face),
        }
    }

    /// Levels of the map that the texture leaves out.
    fn skipped(&self) -> usize {
        usize::from(matches!(self, Self::Halved(_)))
    }

    pub fn levels(&self) -> usize {
        self.mips(0).map_or(1, |mips| mips.levels.len() - self.skipped())
    }

    /// Side, bytes of a texel, and texels of a level of a face.
    pub fn level(&self, level: usize, face: usize) -> (usize, usize, &[u8]) {
        match (self, self.mips(face)) {
            (_, Some(mips)) => {
                let mip = &mips.levels[level + self.skipped()];
                (mip.size, mips.texel_bytes, &mip.bytes)
            }
            (Self::Heights(terrain), None) => {
                let n = terrain.samples();
                (n, 4, bytemuck::cast_slice(&terrain.height[face * n * n..(face + 1) * n * n]))
            }
            (_, None) => (0, 0, &[]),
        }
    }

    /// Of all faces and levels.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Heights(terrain) => 4 * terrain.height.len(),
            Self::Square(mips) => mips.bytes(),
            Self::Halved(mips) => mips.bytes() - mips.levels[0].bytes.len(),
            Self::Faces(mips) => mips.iter().map(Mips::bytes).sum(),
        }
    }
}
