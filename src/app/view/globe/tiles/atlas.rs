//! The tiles on the graphics card: five textures, each with a square of texels for every tile.

use bevy::render::render_resource::{
    Extent3d, Origin3d, TexelCopyBufferLayout, TexelCopyTextureInfo, Texture, TextureAspect, TextureDescriptor,
    TextureDimension, TextureFormat, TextureUsages, TextureView, TextureViewDescriptor,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};

use super::tile::{GlobeTile, SIDE};

/// Texture formats of heights, shape, colours, canopy and site.
const FORMATS: [TextureFormat; 5] = [
    TextureFormat::R32Float,
    TextureFormat::Rgba16Float,
    TextureFormat::Rgba8UnormSrgb,
    TextureFormat::Rgba8Unorm,
    TextureFormat::Rgba8Unorm,
];

pub struct GlobeAtlas {
    textures: [Texture; FORMATS.len()],
    pub views: [TextureView; FORMATS.len()],
    columns: u32,
}

impl GlobeAtlas {
    /// Textures for `slots` tiles. Without `has_site`, the site texture has only a single texel.
    pub fn new(slots: u32, has_site: bool, device: &RenderDevice) -> Self {
        let columns = f64::from(slots).sqrt().ceil() as u32;
        let side = SIDE as u32;
        let size =
            Extent3d { width: columns * side, height: slots.div_ceil(columns).max(1) * side, depth_or_array_layers: 1 };
        let none = Extent3d { width: 1, height: 1, depth_or_array_layers: 1 };
        let last = FORMATS.len() - 1;
        let sizes: [Extent3d; FORMATS.len()] = std::array::from_fn(|k| if k < last || has_site { size } else { none });
        let textures = std::array::from_fn(|k| {
            device.create_texture(&TextureDescriptor {
                label: Some("talweg tiles of a planet"),
                size: sizes[k],
                mip_level_count: 1,
                sample_count: 1,
                dimension: TextureDimension::D2,
                format: FORMATS[k],
                usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
                view_formats: &[],
            })
        });
        let views = textures.each_ref().map(|texture: &Texture| texture.create_view(&TextureViewDescriptor::default()));
        Self { textures, views, columns }
    }

    /// First texel of a slot in the textures.
    pub fn corner(&self, slot: u32) -> [f32; 2] {
        [slot % self.columns, slot / self.columns].map(|at| (at * SIDE as u32) as f32)
    }

    pub fn write(&self, slot: u32, tile: &GlobeTile, queue: &RenderQueue) {
        let [x, y] = [slot % self.columns, slot / self.columns].map(|at| at * SIDE as u32);
        let texels: [&[u8]; FORMATS.len()] = [
            bytemuck::cast_slice(&tile.heights),
            bytemuck::cast_slice(&tile.shape),
            bytemuck::cast_slice(&tile.colours),
            bytemuck::cast_slice(&tile.canopy),
            bytemuck::cast_slice(&tile.site),
        ];
        for (texture, texels) in self.textures.iter().zip(texels).filter(|(_, texels)| !texels.is_empty()) {
            queue.write_texture(
                TexelCopyTextureInfo {
                    texture,
                    mip_level: 0,
                    origin: Origin3d { x, y, z: 0 },
                    aspect: TextureAspect::All,
                },
                texels,
                TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some((texels.len() / SIDE) as u32),
                    rows_per_image: None,
                },
                Extent3d { width: SIDE as u32, height: SIDE as u32, depth_or_array_layers: 1 },
            );
        }
    }
}
