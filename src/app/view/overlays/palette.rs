//! One texture on the graphics card with two rows: the palette, and the ramp of the overlay.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::render_resource::{
    Extent3d, FilterMode, MipmapFilterMode, Origin3d, Sampler, SamplerDescriptor, TexelCopyBufferLayout,
    TexelCopyTextureInfo, Texture, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages, TextureView,
    TextureViewDescriptor,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};

use super::ramp::Ramp;
use talweg::appearance::PaletteTable;

/// Number of colours in a palette table.
const COLOURS: usize = 512;

pub struct PaletteTexture {
    pub view: TextureView,
    /// Sampler with a linear filter, for this texture and for the maps of the terrain.
    pub sampler: Sampler,
    texture: Texture,
    written: Option<Arc<PaletteTable>>,
    ramp: Option<&'static Ramp>,
}

impl PaletteTexture {
    /// Creates the texture. With `is_frugal`, shaders read only one mip level of each map instead of two, which halves
    /// the drawing time of a software renderer.
    pub fn new(device: &RenderDevice, anisotropy_clamp: u16, is_frugal: bool) -> Self {
        let texture = device.create_texture(&TextureDescriptor {
            label: Some("talweg palette"),
            size: Extent3d { width: COLOURS as u32, height: 2, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: TextureDimension::D2,
            format: TextureFormat::Rgba8UnormSrgb,
            usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let sampler = device.create_sampler(&SamplerDescriptor {
            label: Some("talweg smooth"),
            mag_filter: FilterMode::Linear,
            min_filter: FilterMode::Linear,
            mipmap_filter: if is_frugal { MipmapFilterMode::Nearest } else { MipmapFilterMode::Linear },
            anisotropy_clamp,
            ..default()
        });
        Self {
            view: texture.create_view(&TextureViewDescriptor::default()),
            sampler,
            texture,
            written: None,
            ramp: None,
        }
    }

    /// Writes the palette table and the ramp if they have changed. If a table is short, its last colour is repeated.
    pub fn update(&mut self, table: &Arc<PaletteTable>, ramp: Option<&'static Ramp>, queue: &RenderQueue) {
        if self.written.as_ref().is_none_or(|written| !Arc::ptr_eq(written, table)) {
            let mut colours = table.lut.clone();
            colours.resize(COLOURS, table.lut.last().copied().unwrap_or([128, 128, 128, 255]));
            self.write(0, &colours, queue);
            self.written = Some(table.clone());
        }
        if let Some(ramp) = ramp.filter(|ramp| self.ramp.is_none_or(|last| !std::ptr::eq(last, *ramp))) {
            let colours: Vec<[u8; 4]> = ramp.table(COLOURS).map(|[r, g, b]| [r, g, b, 255]).collect();
            self.write(1, &colours, queue);
            self.ramp = Some(ramp);
        }
    }

    fn write(&self, row: u32, colours: &[[u8; 4]], queue: &RenderQueue) {
        queue.write_texture(
            TexelCopyTextureInfo { origin: Origin3d { x: 0, y: row, z: 0 }, ..self.texture.as_image_copy() },
            bytemuck::cast_slice(colours),
            TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * COLOURS as u32), rows_per_image: None },
            Extent3d { width: COLOURS as u32, height: 1, depth_or_array_layers: 1 },
        );
    }
}
