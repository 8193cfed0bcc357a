//! The sky light of a scene, as a texture on the graphics card.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::render_resource::{
    Extent3d, TexelCopyBufferLayout, Texture, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages,
    TextureView, TextureViewDescriptor,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};

use super::mips::half;
use talweg::appearance::light::sky::{AZIMUTHS, Daylight, ELEVATIONS};

/// Light of the sky by elevation above the horizon and by azimuth from the sun.
pub struct SkyTexture {
    pub view: TextureView,
    texture: Texture,
    written: Option<Arc<Daylight>>,
}

impl SkyTexture {
    pub fn new(device: &RenderDevice) -> Self {
        let texture = device.create_texture(&TextureDescriptor {
            label: Some("talweg sky"),
            size: Extent3d { width: AZIMUTHS as u32, height: ELEVATIONS as u32, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: TextureDimension::D2,
            format: TextureFormat::Rgba16Float,
            usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
            view_formats: &[],
        });
        Self { view: texture.create_view(&TextureViewDescriptor::default()), texture, written: None }
    }

    /// Writes the sky light if it has changed.
    pub fn update(&mut self, daylight: &Arc<Daylight>, queue: &RenderQueue) {
        if self.written.as_ref().is_some_and(|written| Arc::ptr_eq(written, daylight)) {
            return;
        }
        let texels: Vec<[u16; 4]> = daylight.map.iter().map(|[r, g, b]| [*r, *g, *b, 1.0].map(half)).collect();
        queue.write_texture(
            self.texture.as_image_copy(),
            bytemuck::cast_slice(&texels),
            TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(8 * AZIMUTHS as u32), rows_per_image: None },
            Extent3d { width: AZIMUTHS as u32, height: ELEVATIONS as u32, depth_or_array_layers: 1 },
        );
        self.written = Some(daylight.clone());
    }
}
