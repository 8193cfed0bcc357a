//! The textures of the terrain: uploaded in bands of rows, shown when complete.
//!
//! A new terrain goes into textures of its own, at most [`BYTES_PER_FRAME`] each frame; the last one stays on screen
//! until the new one is there. An animation frame of usual size is one upload, into textures that are used in turn.
//! What a terrain shares with the one on screen is not uploaded again, and what it has not is not there: a terrain
//! without water costs nothing for water.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::render_resource::{
    Extent3d, Origin3d, TexelCopyBufferLayout, TexelCopyTextureInfo, Texture, TextureAspect, TextureDescriptor,
    TextureDimension, TextureFormat, TextureUsages, TextureView, TextureViewDescriptor,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};

use super::cut::Cut;
use super::inland::Inland;
use super::mips::Mips;
use super::prepare::Prepared;
use crate::field::Terrain;

/// What is uploaded in one frame: some milliseconds.
const BYTES_PER_FRAME: usize = 48 << 20;

/// Textures kept for the next terrain of the same size are no larger than this.
const SPARE_BYTES: usize = 128 << 20;

/// The textures of a terrain, in the order of the bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    Heights,
    Slopes,
    Light,
    Inland,
    Data,
    Colours,
    Void,
    Covers,
}

impl Layer {
    const ALL: [Self; 8] =
        [Self::Heights, Self::Slopes, Self::Light, Self::Inland, Self::Data, Self::Colours, Self::Void, Self::Covers];

    fn format(self) -> TextureFormat {
        match self {
            Self::Heights => TextureFormat::R32Float,
            Self::Slopes => TextureFormat::Rg16Float,
            Self::Light | Self::Covers => TextureFormat::Rg8Unorm,
            Self::Inland | Self::Data | Self::Void => TextureFormat::R16Float,
            Self::Colours => TextureFormat::Rgba8UnormSrgb,
        }
    }

    fn source(self, prepared: &Prepared) -> Option<Source> {
        match self {
            Self::Heights => Some(Source::Heights(prepared.terrain.clone())),
            Self::Slopes => Some(Source::Mips(prepared.slopes.clone())),
            Self::Light => Some(Source::Mips(prepared.light.clone())),
            Self::Inland => prepared.inland.clone().map(Source::Inland),
            Self::Data => prepared.data.as_ref().map(|data| Source::Mips(data.texels.clone())),
            Self::Colours => prepared.grown.as_ref().map(|grown| Source::Mips(grown.colours.clone())),
            Self::Void => prepared.cut.clone().map(Source::Void),
            Self::Covers => prepared.covers.as_ref().map(|covers| Source::Mips(covers.shares.clone())),
        }
    }
}

/// Where the texels of a texture come from.
#[derive(Clone)]
enum Source {
    Heights(Arc<Terrain>),
    Mips(Arc<Mips>),
    Inland(Arc<Inland>),
    Void(Arc<Cut>),
}

impl Source {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Heights(a), Self::Heights(b)) => Arc::ptr_eq(a, b),
            (Self::Mips(a), Self::Mips(b)) => Arc::ptr_eq(a, b),
            (Self::Inland(a), Self::Inland(b)) => Arc::ptr_eq(a, b),
            (Self::Void(a), Self::Void(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn mips(&self) -> Option<&Mips> {
        match self {
            Self::Heights(_) => None,
            Self::Mips(mips) => Some(mips),
            Self::Inland(inland) => Some(&inland.depths),
            Self::Void(cut) => Some(&cut.void),
        }
    }

    fn levels(&self) -> usize {
        self.mips().map_or(1, |mips| mips.levels.len())
    }

    /// Side, bytes of a texel, and texels of a level.
    fn level(&self, level: usize) -> (usize, usize, &[u8]) {
        match (self, self.mips()) {
            (_, Some(mips)) => (mips.levels[level].size, mips.texel_bytes, &mips.levels[level].bytes),
            (Self::Heights(terrain), None) => (terrain.samples(), 4, bytemuck::cast_slice(&terrain.height)),
            (_, None) => (0, 0, &[]),
        }
    }
}

/// A texture with what is, or will be, in it.
#[derive(Clone)]
struct Map {
    source: Source,
    texture: Texture,
    view: TextureView,
}

/// The textures of one terrain.
pub struct TerrainTextures {
    pub prepared: Arc<Prepared>,
    maps: [Option<Map>; Layer::ALL.len()],
}

/// What is drawn, and what is on its way.
#[derive(Default)]
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
    layer: Layer,
    level: usize,
    row: usize,
    rows: usize,
}

impl Textures {
    /// Memory on the graphics card; what two terrains share counts twice.
    pub fn bytes(&self) -> usize {
        let arriving = self.arriving.as_ref().map(|arriving| &arriving.textures);
        let all = [self.shown.as_ref(), arriving, self.spare.as_ref()];
        all.into_iter().flatten().map(|textures| textures.prepared.texture_bytes()).sum()
    }

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
            let bands = bands(wanted, self.shown.as_ref().map(|shown| &*shown.prepared));
            let textures = TerrainTextures::new(self.shown.as_ref(), self.spare.take(), wanted, device);
            self.arriving = Some(Arriving { textures, bands });
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
    /// Shares what is the same as in `shown`, and takes textures of `unused` that have the right size.
    fn new(shown: Option<&Self>, unused: Option<Self>, prepared: &Arc<Prepared>, device: &RenderDevice) -> Self {
        let side = prepared.scale.samples;
        let mut unused = unused.filter(|unused| unused.prepared.scale.samples == side);
        let maps = Layer::ALL.map(|layer| {
            let source = layer.source(prepared)?;
            let on_screen = shown.and_then(|shown| shown.maps[layer as usize].as_ref());
            if let Some(same) = on_screen.filter(|map| map.source.is(&source)) {
                return Some(same.clone());
            }
            let spare = unused.as_mut().and_then(|unused| unused.maps[layer as usize].take());
            // one that both have is on screen
            let spare = spare.filter(|spare| on_screen.is_none_or(|map| !map.source.is(&spare.source)));
            let texture = spare.map_or_else(|| create(layer, side, source.levels(), device), |spare| spare.texture);
            let view = texture.create_view(&TextureViewDescriptor::default());
            Some(Map { source, texture, view })
        });
        Self { prepared: prepared.clone(), maps }
    }

    /// The texture of a layer, if the terrain has one.
    pub fn view(&self, layer: Layer) -> Option<&TextureView> {
        self.maps[layer as usize].as_ref().map(|map| &map.view)
    }

    /// Returns the bytes uploaded.
    fn upload(&self, band: &Band, queue: &RenderQueue) -> usize {
        let Some(map) = &self.maps[band.layer as usize] else { return 0 };
        let (size, texel_bytes, data) = map.source.level(band.level);
        let pitch = size * texel_bytes;
        let (start, bytes) = (band.row * pitch, band.rows * pitch);
        queue.write_texture(
            TexelCopyTextureInfo {
                texture: &map.texture,
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

fn create(layer: Layer, side: usize, levels: usize, device: &RenderDevice) -> Texture {
    device.create_texture(&TextureDescriptor {
        label: Some(&format!("terrain {layer:?}")),
        size: Extent3d { width: side as u32, height: side as u32, depth_or_array_layers: 1 },
        mip_level_count: levels as u32,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format: layer.format(),
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        view_formats: &[],
    })
}

/// A texel to bind where a terrain has no map.
pub fn blank(device: &RenderDevice) -> TextureView {
    create(Layer::Data, 1, 1, device).create_view(&TextureViewDescriptor::default())
}

/// What has to be uploaded for `wanted` while `shown` is on screen.
fn bands(wanted: &Prepared, shown: Option<&Prepared>) -> Vec<Band> {
    let mut bands = Vec::new();
    for layer in Layer::ALL {
        let Some(source) = layer.source(wanted) else { continue };
        if shown.and_then(|shown| layer.source(shown)).is_some_and(|shown| shown.is(&source)) {
            continue;
        }
        for level in 0..source.levels() {
            let (size, texel_bytes, _) = source.level(level);
            let most = (BYTES_PER_FRAME / 4 / (size * texel_bytes)).max(1);
            for row in (0..size).step_by(most) {
                bands.push(Band { layer, level, row, rows: most.min(size - row) });
            }
        }
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::{Choice, Overlay, prepare};
    use crate::field::{Control, Edges, MapKind};
    use crate::scene::Settings;

    fn prepared(terrain: &Terrain, overlay: Overlay) -> Prepared {
        let choice = Choice { overlay, ..Choice::default() };
        prepare(&Arc::new(terrain.clone()), &Settings::default(), &choice, &Control::default()).unwrap()
    }

    fn bytes(wanted: &Prepared, shown: Option<&Prepared>) -> usize {
        let bytes = |band: &Band| {
            let source = band.layer.source(wanted).unwrap();
            let (size, texel_bytes, _) = source.level(band.level);
            band.rows * size * texel_bytes
        };
        bands(wanted, shown).iter().map(bytes).sum()
    }

    #[test]
    fn what_a_terrain_has_not_is_not_uploaded() {
        let mut terrain = Terrain::from_fn(129, Edges::Open, |u, v| u * v);
        // heights, two half-precision slopes and two bytes of light with their smaller versions
        let texels: usize = (0..8).map(|level| (129usize >> level).pow(2)).sum();
        let bare = 4 * 129 * 129 + (4 + 2) * texels;
        assert_eq!(bytes(&prepared(&terrain, Overlay::None), None), bare);
        assert_eq!(bytes(&prepared(&terrain, Overlay::Map(MapKind::Flow)), None), bare, "no flow map, no data");
        assert_eq!(bytes(&prepared(&terrain, Overlay::Slope), None), bare, "slopes are there in any case");
        terrain.map_mut(MapKind::Flow).fill(2.0);
        assert_eq!(bytes(&prepared(&terrain, Overlay::None), None), bare, "a map nobody looks at");
        assert_eq!(bytes(&prepared(&terrain, Overlay::Map(MapKind::Flow)), None), bare + 2 * texels);
        terrain.map_mut(MapKind::Water)[70] = 0.1;
        assert_eq!(bytes(&prepared(&terrain, Overlay::None), None), bare + 2 * texels);
    }

    #[test]
    fn another_overlay_uploads_the_overlay_alone() {
        let mut terrain = Terrain::from_fn(129, Edges::Open, |u, v| u * v);
        terrain.map_mut(MapKind::Flow).fill(2.0);
        let plain = prepared(&terrain, Overlay::None);
        let choice = Choice { overlay: Overlay::Map(MapKind::Flow), ..Choice::default() };
        let flow = plain.with_overlay(&choice, &Control::default()).unwrap();
        assert_eq!(bytes(&flow, Some(&plain)), flow.texture_bytes() - plain.texture_bytes());
        assert_eq!(bytes(&plain, Some(&flow)), 0);
    }
}
