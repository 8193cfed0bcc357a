//! The textures of a terrain, of one face or of six: uploaded in bands of rows and shown when complete.
//!
//! A new terrain is uploaded into its own textures, at most [`BYTES_PER_FRAME`] per frame. The last one stays on screen
//! until the new one is complete. An animation frame of usual size is one upload, alternating between two sets of
//! textures. Data shared with the terrain on screen are not uploaded again, and absent data take no memory: a terrain
//! without water costs nothing for water.

use bevy::render::render_resource::{
    Extent3d, Origin3d, TexelCopyBufferLayout, TexelCopyTextureInfo, Texture, TextureAspect, TextureDescriptor,
    TextureDimension, TextureFormat, TextureUsages, TextureView, TextureViewDescriptor, TextureViewDimension,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};

use super::texels::{TerrainMap, TexelLevel, Texels};
use crate::view::render_terrain::RenderTerrain;

/// Most bytes uploaded per frame, which takes some milliseconds.
const BYTES_PER_FRAME: usize = 48 << 20;

/// Greatest size of old textures that are kept for the next terrain of the same size.
const SPARE_BYTES: usize = 128 << 20;

/// Format of a texture with this many bytes per texel.
fn format(map: TerrainMap, faces: usize, texel_bytes: usize) -> TextureFormat {
    match map {
        TerrainMap::Heights if faces > 1 => TextureFormat::R32Float,
        TerrainMap::Heights => TextureFormat::R16Uint,
        TerrainMap::Slopes if faces > 1 => TextureFormat::Rgba16Float,
        TerrainMap::Slopes => TextureFormat::Rg16Float,
        // with the hardness of the rock
        TerrainMap::Cover if texel_bytes == 4 => TextureFormat::Rgba8Unorm,
        TerrainMap::Light | TerrainMap::Cover => TextureFormat::Rg8Unorm,
        TerrainMap::SurfaceWater | TerrainMap::Data => TextureFormat::R16Float,
        TerrainMap::VoidMask => TextureFormat::R8Unorm,
        TerrainMap::Colours => TextureFormat::Rgba8UnormSrgb,
        TerrainMap::Site | TerrainMap::MirroredShadows => TextureFormat::Rgba8Unorm,
    }
}

/// A texture with its present or future contents.
#[derive(Clone)]
struct MapTexture {
    texels: Texels,
    texture: Texture,
    view: TextureView,
}

/// The textures of one terrain.
pub struct TerrainTextures {
    pub terrain: RenderTerrain,
    maps: [Option<MapTexture>; TerrainMap::ALL.len()],
}

/// The textures on screen, those being uploaded, and spare ones.
#[derive(Default)]
pub struct Textures {
    pub shown: Option<TerrainTextures>,
    arriving: Option<ArrivingTextures>,
    spare: Option<TerrainTextures>,
}

struct ArrivingTextures {
    textures: TerrainTextures,
    bands: Vec<UploadBand>,
}

/// Rows of a mip level of a face that are uploaded together.
struct UploadBand {
    map: TerrainMap,
    face: usize,
    level: usize,
    row: usize,
    rows: usize,
}

impl Textures {
    /// Size on the graphics card, in bytes. Textures shared by two terrains count twice.
    pub fn bytes(&self) -> usize {
        let arriving = self.arriving.as_ref().map(|arriving| &arriving.textures);
        let all = [self.shown.as_ref(), arriving, self.spare.as_ref()];
        all.into_iter().flatten().map(|textures| textures.terrain.texture_bytes()).sum()
    }

    /// Advances by one frame towards showing `wanted`.
    pub fn advance(&mut self, wanted: &RenderTerrain, device: &RenderDevice, queue: &RenderQueue) {
        if self.shown.as_ref().is_some_and(|textures| textures.terrain.base().serial == wanted.base().serial) {
            self.arriving = None;
            return;
        }
        // an upload in progress is finished even if something newer is wanted: otherwise nothing would ever be shown
        // while every frame wants another terrain
        if self.arriving.is_none() {
            let bands = bands(wanted, self.shown.as_ref().map(|shown| &shown.terrain));
            let textures = TerrainTextures::new(self.shown.as_ref(), self.spare.take(), wanted, device);
            self.arriving = Some(ArrivingTextures { textures, bands });
        }
        let Some(mut arriving) = self.arriving.take() else { return };
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
            return;
        }
        self.spare = self.shown.replace(arriving.textures).filter(|old| old.terrain.texture_bytes() <= SPARE_BYTES);
    }
}

impl TerrainTextures {
    /// Shares equal textures with `shown`, and reuses textures of `unused` that have the right size.
    fn new(shown: Option<&Self>, unused: Option<Self>, terrain: &RenderTerrain, device: &RenderDevice) -> Self {
        let (samples, faces) = (terrain.base().terrain.samples(), terrain.faces());
        let mut unused = unused.filter(|unused| unused.terrain.base().terrain.samples() == samples);
        let maps = TerrainMap::ALL.map(|map| {
            let texels = terrain.texels(map)?;
            let on_screen = shown.and_then(|shown| shown.maps[map as usize].as_ref());
            if let Some(same) = on_screen.filter(|there| there.texels.is_same(&texels)) {
                return Some(same.clone());
            }
            let spare = unused.as_mut().and_then(|unused| unused.maps[map as usize].take());
            // a texture that both share is still on screen
            let finest = texels.level(0, 0);
            let spare = spare.filter(|spare| {
                let is_shown = on_screen.is_some_and(|there| there.texels.is_same(&spare.texels));
                let own = spare.texels.level(0, 0);
                !is_shown && (own.columns, own.texel_bytes) == (finest.columns, finest.texel_bytes)
            });
            let size = (finest.columns, finest.rows, faces);
            let (texture, view) = spare.map_or_else(
                || create(format(map, faces, finest.texel_bytes), size, texels.levels(), device),
                |spare| (spare.texture, spare.view),
            );
            Some(MapTexture { texels, texture, view })
        });
        Self { terrain: terrain.clone(), maps }
    }

    /// The texture of a map, if the terrain has one.
    pub fn view(&self, map: TerrainMap) -> Option<&TextureView> {
        self.maps[map as usize].as_ref().map(|map| &map.view)
    }

    /// Returns the bytes uploaded.
    fn upload(&self, band: &UploadBand, queue: &RenderQueue) -> usize {
        let Some(map) = &self.maps[band.map as usize] else { return 0 };
        let TexelLevel { columns, texel_bytes, bytes: data, .. } = map.texels.level(band.level, band.face);
        let pitch = columns * texel_bytes;
        let (start, bytes) = (band.row * pitch, band.rows * pitch);
        queue.write_texture(
            TexelCopyTextureInfo {
                texture: &map.texture,
                mip_level: band.level as u32,
                origin: Origin3d { x: 0, y: band.row as u32, z: band.face as u32 },
                aspect: TextureAspect::All,
            },
            &data[start..start + bytes],
            TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch as u32), rows_per_image: None },
            Extent3d { width: columns as u32, height: band.rows as u32, depth_or_array_layers: 1 },
        );
        bytes
    }
}

fn create(
    format: TextureFormat,
    (columns, rows, faces): (usize, usize, usize),
    levels: usize,
    device: &RenderDevice,
) -> (Texture, TextureView) {
    let texture = device.create_texture(&TextureDescriptor {
        label: Some("talweg terrain"),
        size: Extent3d { width: columns as u32, height: rows as u32, depth_or_array_layers: faces as u32 },
        mip_level_count: levels as u32,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let dimension = if faces > 1 { TextureViewDimension::D2Array } else { TextureViewDimension::D2 };
    let view =
        texture.create_view(&TextureViewDescriptor { dimension: Some(dimension), ..TextureViewDescriptor::default() });
    (texture, view)
}

/// A single texel to bind for a map that the terrain does not have.
pub fn blank(device: &RenderDevice) -> TextureView {
    create(TextureFormat::R16Float, (1, 1, 1), 1, device).1
}

/// The bands to upload for `wanted` while `shown` is on screen.
fn bands(wanted: &RenderTerrain, shown: Option<&RenderTerrain>) -> Vec<UploadBand> {
    let mut bands = Vec::new();
    for map in TerrainMap::ALL {
        let Some(texels) = wanted.texels(map) else { continue };
        if shown.and_then(|shown| shown.texels(map)).is_some_and(|shown| shown.is_same(&texels)) {
            continue;
        }
        for (face, level) in (0..wanted.faces()).flat_map(|face| (0..texels.levels()).map(move |level| (face, level))) {
            let TexelLevel { columns, rows, texel_bytes, .. } = texels.level(level, face);
            let most = (BYTES_PER_FRAME / 4 / (columns * texel_bytes)).max(1);
            for row in (0..rows).step_by(most) {
                bands.push(UploadBand { map, face, level, row, rows: most.min(rows - row) });
            }
        }
    }
    bands
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::view::globe::GlobeTerrain;
    use crate::view::plants::shadows::SHADOW_BYTES;
    use crate::view::plants::square::CANOPY_BYTES;
    use crate::view::render::ground_materials::MATERIAL_BYTES;
    use crate::view::{Overlay, OverlayChoice, SquareTerrain};
    use talweg::appearance::Biomes;
    use talweg::field::{Control, Edges, Grid, MapKind, Terrain};
    use talweg::scene::{Scene, Settings, Surroundings};

    fn prepared(terrain: &Terrain, overlay: Overlay) -> RenderTerrain {
        let choice = OverlayChoice { overlay, ..OverlayChoice::default() };
        let square = SquareTerrain::new(&Arc::new(terrain.clone()), &Settings::default(), &choice, &Control::default());
        RenderTerrain::Square(Arc::new(square.unwrap()))
    }

    fn bytes(wanted: &RenderTerrain, shown: Option<&RenderTerrain>) -> usize {
        let bytes = |band: &UploadBand| {
            let texels = wanted.texels(band.map).unwrap();
            let level = texels.level(band.level, band.face);
            band.rows * level.columns * level.texel_bytes
        };
        bands(wanted, shown).iter().map(bytes).sum()
    }

    #[test]
    fn missing_maps_are_not_uploaded() {
        let mut terrain = Terrain::from_fn(129, Edges::Open, |u, v| u * v);
        // heights with three ranges per row; two half-precision slopes and two bytes of light, with their mip levels
        let texels: usize = (0..8).map(|level| (129usize >> level).pow(2)).sum();
        let bare = 2 * 129 * (129 + 3) + (4 + 2) * texels;
        assert_eq!(bytes(&prepared(&terrain, Overlay::None), None), bare);
        assert_eq!(bytes(&prepared(&terrain, Overlay::Map(MapKind::Flow)), None), bare, "no flow map, no data");
        assert_eq!(bytes(&prepared(&terrain, Overlay::Slope), None), bare, "slopes are there in any case");
        terrain.map_mut(MapKind::Flow).fill(2.0);
        // the site values for the materials take four bytes
        let bare = bare + 4 * texels;
        assert_eq!(bytes(&prepared(&terrain, Overlay::None), None), bare, "an unused map");
        assert_eq!(bytes(&prepared(&terrain, Overlay::Map(MapKind::Flow)), None), bare + 2 * texels);
        terrain.map_mut(MapKind::Water)[70] = 0.1;
        assert_eq!(bytes(&prepared(&terrain, Overlay::None), None), bare + 2 * texels);
    }

    /// A terrain with every kind of map.
    fn with_all_maps(n: usize) -> RenderTerrain {
        let mut terrain = Terrain::from_fn(n, Edges::Open, |u, v| u * v);
        terrain.map_mut(MapKind::Ground).iter_mut().enumerate().for_each(|(k, ground)| *ground = (k.min(1)) as f32);
        for kind in [MapKind::Flow, MapKind::Snow, MapKind::Water, MapKind::Hardness] {
            terrain.map_mut(kind).fill(0.01);
        }
        let settings = Settings { surroundings: Surroundings::Land, ..Settings::default() };
        let scene = Scene { palette: "biome:earth".into(), ..Scene::default() };
        let biomes = Some(Arc::new(Biomes::for_scene(&scene).expect("a built-in")));
        let choice = OverlayChoice { overlay: Overlay::Map(MapKind::Flow), biomes, ..OverlayChoice::default() };
        let square = SquareTerrain::new(&Arc::new(terrain), &settings, &choice, &Control::default()).unwrap();
        let all = RenderTerrain::Square(Arc::new(square));
        for map in TerrainMap::ALL {
            assert!(all.texels(map).is_some(), "{map:?}");
        }
        all
    }

    #[test]
    fn all_maps_of_the_widest_terrain_fit_at_high_quality() {
        let n = 4097;
        let wide = with_all_maps(n);
        assert_eq!(bytes(&wide, None), wide.texture_bytes());
        let all = wide.texture_bytes() + MATERIAL_BYTES + CANOPY_BYTES + SHADOW_BYTES;
        assert!(all <= 256 << 20, "{all}");
        let columns = |map| wide.texels(map).unwrap().level(0, 0).columns;
        assert_eq!(columns(TerrainMap::Data), n / 2, "the overlay exists");
        assert_eq!(columns(TerrainMap::Light), n / 4);
        for map in [TerrainMap::Slopes, TerrainMap::SurfaceWater, TerrainMap::VoidMask] {
            assert_eq!(columns(map), n, "{map:?}");
        }
        let plain = prepared(&Terrain::from_fn(1025, Edges::Open, |u, v| u * v), Overlay::None);
        assert_eq!(plain.texels(TerrainMap::Light).unwrap().level(0, 0).columns, 1025);
    }

    #[test]
    fn a_new_overlay_uploads_only_the_overlay() {
        let mut terrain = Terrain::from_fn(129, Edges::Open, |u, v| u * v);
        terrain.map_mut(MapKind::Flow).fill(2.0);
        let plain = prepared(&terrain, Overlay::None);
        let choice = OverlayChoice { overlay: Overlay::Map(MapKind::Flow), ..OverlayChoice::default() };
        let flow = plain.with_overlay(&choice, &Control::default()).unwrap();
        assert_eq!(bytes(&flow, Some(&plain)), flow.texture_bytes() - plain.texture_bytes());
        assert_eq!(bytes(&plain, Some(&flow)), 0);
    }

    #[test]
    fn a_globe_uploads_all_of_its_six_faces() {
        let terrain = Arc::new(Terrain::flat(Grid::globe(9)));
        let table = talweg::appearance::PaletteTable::for_scene(&talweg::scene::Scene::default());
        let (choice, control) = (OverlayChoice::default(), Control::default());
        let globe =
            GlobeTerrain::new(&terrain, &Settings::default(), (1e6, None), &table.into(), &choice, &control).unwrap();
        let globe = RenderTerrain::Globe(Arc::new(globe));
        assert_eq!(bytes(&globe, None), globe.texture_bytes());
        let faces: Vec<usize> = bands(&globe, None).iter().map(|band| band.face).collect();
        assert!((0..6).all(|face| faces.iter().filter(|own| **own == face).count() == 1 + 4 + 4), "{faces:?}");
    }
}
