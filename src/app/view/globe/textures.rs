//! The textures of a globe: uploaded piece by piece, shown when complete, as those of the flat view are.

use std::sync::Arc;

use bevy::render::render_resource::{
    Extent3d, Origin3d, TexelCopyBufferLayout, TexelCopyTextureInfo, Texture, TextureAspect, TextureDescriptor,
    TextureDimension, TextureFormat, TextureUsages, TextureView, TextureViewDescriptor, TextureViewDimension,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};

use super::prepare::PreparedGlobe;
use crate::app::view::mips::Mips;
use crate::field::topology::FACES;

/// What is uploaded in one frame: some milliseconds.
const BYTES_PER_FRAME: usize = 48 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    Heights,
    Shape,
    Colours,
}

impl Layer {
    const ALL: [Self; 3] = [Self::Heights, Self::Shape, Self::Colours];

    fn format(self) -> TextureFormat {
        match self {
            Self::Heights => TextureFormat::R32Float,
            Self::Shape => TextureFormat::Rgba16Float,
            Self::Colours => TextureFormat::Rgba8UnormSrgb,
        }
    }

    fn mips(self, prepared: &PreparedGlobe) -> Option<&Arc<Vec<Mips>>> {
        match self {
            Self::Heights => None,
            Self::Shape => Some(&prepared.shape),
            Self::Colours => Some(&prepared.colours),
        }
    }

    fn levels(self, prepared: &PreparedGlobe) -> usize {
        self.mips(prepared).map_or(1, |mips| mips[0].levels.len())
    }

    /// Whether both have the same texels here, in the same place of memory.
    fn is_shared(self, a: &PreparedGlobe, b: &PreparedGlobe) -> bool {
        match (self.mips(a), self.mips(b)) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => Arc::ptr_eq(&a.terrain, &b.terrain),
        }
    }

    /// Side, bytes of a texel, and texels of a level of a face.
    fn level(self, prepared: &PreparedGlobe, level: usize, face: usize) -> (usize, usize, &[u8]) {
        match self.mips(prepared) {
            Some(mips) => {
                let mips = &mips[face];
                (mips.levels[level].size, mips.texel_bytes, &mips.levels[level].bytes)
            }
            None => {
                let n = prepared.terrain.samples();
                (n, 4, bytemuck::cast_slice(&prepared.terrain.height[face * n * n..(face + 1) * n * n]))
            }
        }
    }
}

#[derive(Clone)]
struct Map {
    texture: Texture,
    view: TextureView,
}

/// The textures of one globe.
pub struct GlobeTextures {
    pub prepared: Arc<PreparedGlobe>,
    maps: [Map; Layer::ALL.len()],
}

impl GlobeTextures {
    pub fn view(&self, layer: Layer) -> &TextureView {
        &self.maps[layer as usize].view
    }
}

/// What is drawn, and what is on its way.
#[derive(Default)]
pub struct Textures {
    pub shown: Option<GlobeTextures>,
    arriving: Option<Arriving>,
    spare: Option<GlobeTextures>,
}

struct Arriving {
    textures: GlobeTextures,
    /// Layer, level and face.
    pieces: Vec<(Layer, usize, usize)>,
}

impl Textures {
    /// Moves towards showing `wanted`. An upload under way is finished first, or a picture that changes in every frame
    /// would never be seen.
    pub fn advance(&mut self, wanted: &Arc<PreparedGlobe>, device: &RenderDevice, queue: &RenderQueue) {
        if self.shown.as_ref().is_some_and(|shown| Arc::ptr_eq(&shown.prepared, wanted)) {
            self.arriving = None;
            return;
        }
        if self.arriving.is_none() {
            self.arriving = Some(self.begin(wanted, device));
        }
        let Some(mut arriving) = self.arriving.take() else { return };
        let mut budget = BYTES_PER_FRAME;
        while let Some(piece) = arriving.pieces.pop() {
            let bytes = arriving.textures.upload(piece, queue);
            if bytes > budget {
                break;
            }
            budget -= bytes;
        }
        if arriving.pieces.is_empty() {
            self.spare = self.shown.replace(arriving.textures);
        } else {
            self.arriving = Some(arriving);
        }
    }

    fn begin(&mut self, wanted: &Arc<PreparedGlobe>, device: &RenderDevice) -> Arriving {
        let side = wanted.terrain.samples();
        let spare = self.spare.take().filter(|spare| spare.prepared.terrain.samples() == side);
        let mut pieces = Vec::new();
        let maps = Layer::ALL.map(|layer| {
            if let Some(shown) = self.shown.as_ref().filter(|shown| layer.is_shared(&shown.prepared, wanted)) {
                return shown.maps[layer as usize].clone();
            }
            for face in 0..FACES {
                pieces.extend((0..layer.levels(wanted)).map(|level| (layer, level, face)));
            }
            // a texture that is still on screen is not written to
            let is_free = |spare: &&GlobeTextures| {
                !self.shown.as_ref().is_some_and(|shown| layer.is_shared(&shown.prepared, &spare.prepared))
            };
            match spare.as_ref().filter(is_free) {
                Some(spare) => spare.maps[layer as usize].clone(),
                None => create(layer, side, layer.levels(wanted), device),
            }
        });
        Arriving { textures: GlobeTextures { prepared: wanted.clone(), maps }, pieces }
    }
}

impl GlobeTextures {
    fn upload(&self, (layer, level, face): (Layer, usize, usize), queue: &RenderQueue) -> usize {
        let (size, texel_bytes, bytes) = layer.level(&self.prepared, level, face);
        queue.write_texture(
            TexelCopyTextureInfo {
                texture: &self.maps[layer as usize].texture,
                mip_level: level as u32,
                origin: Origin3d { x: 0, y: 0, z: face as u32 },
                aspect: TextureAspect::All,
            },
            bytes,
            TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some((size * texel_bytes) as u32),
                rows_per_image: Some(size as u32),
            },
            Extent3d { width: size as u32, height: size as u32, depth_or_array_layers: 1 },
        );
        bytes.len()
    }
}

fn create(layer: Layer, side: usize, levels: usize, device: &RenderDevice) -> Map {
    let texture = device.create_texture(&TextureDescriptor {
        label: Some(&format!("globe {layer:?}")),
        size: Extent3d { width: side as u32, height: side as u32, depth_or_array_layers: FACES as u32 },
        mip_level_count: levels as u32,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format: layer.format(),
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let view = texture.create_view(&TextureViewDescriptor {
        dimension: Some(TextureViewDimension::D2Array),
        ..TextureViewDescriptor::default()
    });
    Map { texture, view }
}
