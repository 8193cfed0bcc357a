//! The textures of the terrain: uploaded in bands of rows, shown when complete.
//!
//! A new terrain goes into textures of its own, at most [`BYTES_PER_FRAME`] each frame; the last one stays on screen
//! until the new one is there. An animation frame of usual size is one upload, into textures that are used in turn.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::render_resource::{
    Extent3d, Origin3d, TexelCopyBufferLayout, TexelCopyTextureInfo, Texture, TextureAspect, TextureDescriptor,
    TextureDimension, TextureFormat, TextureUsages, TextureView, TextureViewDescriptor,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};

use super::mips::Mips;
use super::prepare::Prepared;

/// What is uploaded in one frame: some milliseconds.
const BYTES_PER_FRAME: usize = 48 << 20;

/// Textures kept for the next terrain of the same size are no larger than this.
const SPARE_BYTES: usize = 128 << 20;

/// The textures of one terrain.
pub struct TerrainTextures {
    pub prepared: Arc<Prepared>,
    pub height: TextureView,
    pub slopes: TextureView,
    pub light: TextureView,
    textures: [Texture; 3],
}

/// What is drawn, and what is on its way.
#[derive(Resource, Default)]
pub struct Textures {
    pub shown: Option<TerrainTextures>,
    arriving: Option<Arriving>,
    spare: Option<TerrainTextures>,
}

struct Arriving {
    textures: TerrainTextures,
    bands: Vec<Band>,
}

/// Rows of a mip level that are uploaded together.
struct Band {
    /// 0 heights, 1 slopes, 2 light.
    texture: usize,
    level: usize,
    row: usize,
    rows: usize,
}

impl Textures {
    /// Moves towards showing `wanted`; returns whether it is shown.
    pub fn advance(&mut self, wanted: &Arc<Prepared>, device: &RenderDevice, queue: &RenderQueue) -> bool {
        let is_wanted = |textures: &TerrainTextures| Arc::ptr_eq(&textures.prepared, wanted);
        if self.shown.as_ref().is_some_and(is_wanted) {
            self.arriving = None;
            return true;
        }
        // an upload under way is finished even if something newer is wanted: where every frame wants another terrain
        // nothing would ever be shown
        if self.arriving.is_none() {
            let textures = TerrainTextures::reusing(self.spare.take(), wanted, device);
            self.arriving = Some(Arriving { textures, bands: bands(wanted) });
        }
        let Some(mut arriving) = self.arriving.take() else { return false };
        let mut budget = BYTES_PER_FRAME;
        while let Some(band) = arriving.bands.pop() {
            let bytes = arriving.textures.upload(&band, queue);
            budget = budget.saturating_sub(bytes);
            if budget == 0 {
                break;
            }
        }
        if !arriving.bands.is_empty() {
            self.arriving = Some(arriving);
            return false;
        }
        let is_newest = is_wanted(&arriving.textures);
        self.spare = self.shown.replace(arriving.textures).filter(|old| old.prepared.texture_bytes() <= SPARE_BYTES);
        is_newest
    }
}

impl TerrainTextures {
    /// Takes the textures of `unused` if they have the right size.
    fn reusing(unused: Option<Self>, prepared: &Arc<Prepared>, device: &RenderDevice) -> Self {
        match unused.filter(|unused| unused.prepared.scale.samples == prepared.scale.samples) {
            Some(unused) => Self { prepared: prepared.clone(), ..unused },
            None => Self::new(prepared, device),
        }
    }

    fn new(prepared: &Arc<Prepared>, device: &RenderDevice) -> Self {
        let side = prepared.scale.samples as u32;
        let create = |label, format, mip_level_count| {
            device.create_texture(&TextureDescriptor {
                label: Some(label),
                size: Extent3d { width: side, height: side, depth_or_array_layers: 1 },
                mip_level_count,
                sample_count: 1,
                dimension: TextureDimension::D2,
                format,
                usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
                view_formats: &[],
            })
        };
        let mips = prepared.slopes.levels.len() as u32;
        let textures = [
            create("terrain heights", TextureFormat::R32Float, 1),
            create("terrain slopes", TextureFormat::Rg16Float, mips),
            create("terrain light", TextureFormat::Rg8Unorm, mips),
        ];
        let [height, slopes, light] =
            std::array::from_fn(|k| textures[k].create_view(&TextureViewDescriptor::default()));
        Self { prepared: prepared.clone(), height, slopes, light, textures }
    }

    /// Returns the bytes uploaded.
    fn upload(&self, band: &Band, queue: &RenderQueue) -> usize {
        let mip = |mips: &Mips| {
            let mip = &mips.levels[band.level];
            let pitch = mip.size * mips.texel_bytes;
            (mip.size, pitch, band.row * pitch)
        };
        let n = self.prepared.scale.samples;
        let (data, (size, pitch, start)): (&[u8], _) = match band.texture {
            0 => (bytemuck::cast_slice(&self.prepared.terrain.height), (n, 4 * n, band.row * 4 * n)),
            1 => (&self.prepared.slopes.levels[band.level].bytes, mip(&self.prepared.slopes)),
            _ => (&self.prepared.light.levels[band.level].bytes, mip(&self.prepared.light)),
        };
        let bytes = band.rows * pitch;
        queue.write_texture(
            TexelCopyTextureInfo {
                texture: &self.textures[band.texture],
                mip_level: band.level as u32,
                origin: Origin3d { x: 0, y: band.row as u32, z: 0 },
                aspect: TextureAspect::All,
            },
            &data[start..start + bytes],
            TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch as u32), rows_per_image: None },
            Extent3d { width: size as u32, height: band.rows as u32, depth_or_array_layers: 1 },
        );
        bytes
    }
}

fn bands(prepared: &Prepared) -> Vec<Band> {
    let mut bands = Vec::new();
    let mut cut = |texture, level, size: usize, texel_bytes: usize| {
        let most = (BYTES_PER_FRAME / 4 / (size * texel_bytes)).max(1);
        for row in (0..size).step_by(most) {
            bands.push(Band { texture, level, row, rows: most.min(size - row) });
        }
    };
    cut(0, 0, prepared.scale.samples, 4);
    for (texture, mips) in [(1, &prepared.slopes), (2, &prepared.light)] {
        for (level, mip) in mips.levels.iter().enumerate() {
            cut(texture, level, mip.size, mips.texel_bytes);
        }
    }
    bands
}
