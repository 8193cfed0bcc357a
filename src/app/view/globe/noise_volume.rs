//! A lattice of noise values as a 3D texture. Shaders compute the noise of planets from filtered reads of this texture
//! (`volume_noises` in `assets/shaders/globe.wgsl`). A read costs a tenth of hashing the eight corners of a lattice
//! cell.

use bevy::render::render_resource::{
    AddressMode, Extent3d, FilterMode, Sampler, SamplerDescriptor, TextureDataOrder, TextureDescriptor,
    TextureDimension, TextureFormat, TextureUsages, TextureView, TextureViewDescriptor,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use talweg::planet::space_noise::corner_noises;

/// Number of lattice points per side, after which the noise repeats. The texture has a size of one mebibyte.
const SIDE: u32 = 64;

pub struct NoiseVolume {
    pub view: TextureView,
    pub sampler: Sampler,
}

impl NoiseVolume {
    pub fn new(device: &RenderDevice, queue: &RenderQueue) -> Self {
        let side = SIDE as i32;
        let texel = |k: i32| {
            let [x, y, z] = corner_noises([k % side, k / side % side, k / (side * side)]).map(|v| (v * 256.0) as u8);
            [x, y, z, u8::MAX]
        };
        let corners: Vec<u8> = (0..side.pow(3)).flat_map(texel).collect();
        let texture = device.create_texture_with_data(
            queue,
            &TextureDescriptor {
                label: Some("talweg noise"),
                size: Extent3d { width: SIDE, height: SIDE, depth_or_array_layers: SIDE },
                mip_level_count: 1,
                sample_count: 1,
                dimension: TextureDimension::D3,
                format: TextureFormat::Rgba8Unorm,
                usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
                view_formats: &[],
            },
            TextureDataOrder::LayerMajor,
            &corners,
        );
        let sampler = device.create_sampler(&SamplerDescriptor {
            label: Some("talweg noise"),
            address_mode_u: AddressMode::Repeat,
            address_mode_v: AddressMode::Repeat,
            address_mode_w: AddressMode::Repeat,
            mag_filter: FilterMode::Linear,
            min_filter: FilterMode::Linear,
            ..SamplerDescriptor::default()
        });
        Self { view: texture.create_view(&TextureViewDescriptor::default()), sampler }
    }
}
