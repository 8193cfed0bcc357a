//! The textures of a terrain, for one face or for six. Textures are uploaded in bands of rows and shown when complete.
//!
//! A new terrain is uploaded into its own textures, at most [`BYTES_PER_FRAME`] per frame. The previous terrain stays
//! on screen until the new terrain is complete. A terrain of usual size in an animation takes a single upload, and
//! uploads alternate between two sets of textures. Data shared with the terrain on screen are not uploaded again.
//! Absent data take no memory: a terrain without water needs no memory for water.

use bevy::render::render_resource::{
    Extent3d, Origin3d, TexelCopyBufferLayout, TexelCopyTextureInfo, Texture, TextureAspect, TextureDescriptor,
    TextureDimension, TextureFormat, TextureUsages, TextureView, TextureViewDescriptor, TextureViewDimension,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};

use super::texels::{TerrainMap, TexelLevel, TexelSource, Texels};

/// Greatest number of bytes uploaded per frame. An upload of this size takes some milliseconds.
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
        // the four bytes are the two fractions of cover, the hardness of the rock, and an unused value
        TerrainMap::Cover if texel_bytes == 4 => TextureFormat::Rgba8Unorm,
        TerrainMap::Light | TerrainMap::Cover => TextureFormat::Rg8Unorm,
        TerrainMap::SurfaceWater => TextureFormat::Rg16Float,
        TerrainMap::Data => TextureFormat::R16Float,
        TerrainMap::VoidMask => TextureFormat::R8Unorm,
        TerrainMap::Colours => TextureFormat::Rgba8UnormSrgb,
        TerrainMap::Site | TerrainMap::MirroredShadows => TextureFormat::Rgba8Unorm,
    }
}

/// A texture with the texels that it holds or will hold after the upload.
#[derive(Clone)]
struct MapTexture {
    texels: Texels,
    texture: Texture,
    view: TextureView,
}

/// The textures of one terrain.
pub struct TerrainTextures<T> {
    pub terrain: T,
    maps: [Option<MapTexture>; TerrainMap::ALL.len()],
}

/// The textures on screen, textures that are being uploaded, and spare textures.
pub struct Textures<T> {
    pub shown: Option<TerrainTextures<T>>,
    arriving: Option<ArrivingTextures<T>>,
    spare: Option<TerrainTextures<T>>,
}

impl<T> Default for Textures<T> {
    fn default() -> Self {
        Self { shown: None, arriving: None, spare: None }
    }
}

struct ArrivingTextures<T> {
    textures: TerrainTextures<T>,
    bands: Vec<UploadBand>,
}

/// Rows of one mip level of one face that are uploaded together.
pub struct UploadBand {
    pub map: TerrainMap,
    pub face: usize,
    pub level: usize,
    row: usize,
    pub rows: usize,
}

impl<T: TexelSource> Textures<T> {
    /// Size of all textures on the graphics card in bytes. A texture shared by two terrains counts twice.
    pub fn bytes(&self) -> usize {
        let arriving = self.arriving.as_ref().map(|arriving| &arriving.textures);
        let all = [self.shown.as_ref(), arriving, self.spare.as_ref()];
        all.into_iter().flatten().map(|textures| textures.terrain.texture_bytes()).sum()
    }

    /// Advances by one frame towards showing `wanted`.
    pub fn advance(&mut self, wanted: &T, device: &RenderDevice, queue: &RenderQueue) {
        if self.shown.as_ref().is_some_and(|textures| textures.terrain.serial() == wanted.serial()) {
            self.arriving = None;
            return;
        }
        // finish an upload in progress even if a newer terrain is wanted; otherwise no terrain would ever be shown
        // while every frame wants another one
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

impl<T: TexelSource> TerrainTextures<T> {
    /// Takes over the textures of `shown` whose texels are unchanged, and reuses textures of `unused` that have the
    /// right size.
    fn new(shown: Option<&Self>, unused: Option<Self>, terrain: &T, device: &RenderDevice) -> Self {
        let (samples, faces) = (terrain.samples(), T::FACES);
        let mut unused = unused.filter(|unused| unused.terrain.samples() == samples);
        let maps = TerrainMap::ALL.map(|map| {
            let texels = terrain.texels(map)?;
            let on_screen = shown.and_then(|shown| shown.maps[map as usize].as_ref());
            if let Some(same) = on_screen.filter(|there| there.texels.is_same(&texels)) {
                return Some(same.clone());
            }
            let spare = unused.as_mut().and_then(|unused| unused.maps[map as usize].take());
            // a texture shared with the unused terrain may still be on screen, so it cannot be reused
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

    /// Uploads a band and returns the number of bytes uploaded.
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

/// A texture of a single texel, bound in place of a map that the terrain does not have.
pub fn blank(device: &RenderDevice) -> TextureView {
    create(TextureFormat::R16Float, (1, 1, 1), 1, device).1
}

/// The bands to upload for `wanted` while `shown` is on screen.
pub fn bands<T: TexelSource>(wanted: &T, shown: Option<&T>) -> Vec<UploadBand> {
    let mut bands = Vec::new();
    for map in TerrainMap::ALL {
        let Some(texels) = wanted.texels(map) else { continue };
        if shown.and_then(|shown| shown.texels(map)).is_some_and(|shown| shown.is_same(&texels)) {
            continue;
        }
        for (face, level) in (0..T::FACES).flat_map(|face| (0..texels.levels()).map(move |level| (face, level))) {
            let TexelLevel { columns, rows, texel_bytes, .. } = texels.level(level, face);
            let most = (BYTES_PER_FRAME / 4 / (columns * texel_bytes)).max(1);
            for row in (0..rows).step_by(most) {
                bands.push(UploadBand { map, face, level, row, rows: most.min(rows - row) });
            }
        }
    }
    bands
}
