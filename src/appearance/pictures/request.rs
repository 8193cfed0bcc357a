//! Requests for pictures from above: size, style, colours, and the view of a planet.

use std::path::PathBuf;

use super::image::{RgbImage, heightmap};
use super::planet::{GlobePerspective, PlanetImage};
use super::relief::relief;
use crate::appearance::PaletteTable;
use crate::appearance_files::{all_palette_names, is_palette};
use crate::field::{Cancelled, Control, Terrain};
use crate::io::{FileError, SaveTarget, check_place};
use crate::preferences::GlobeView;
use crate::scene::Scene;

/// Most pixels along a side of a picture.
pub const MOST_PIXELS: u32 = 16_384;

/// A picture of a scene from above; a planet is shown from space or as a map.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureRequest {
    /// Side in pixels, where neither width nor height is given.
    pub side: u32,
    /// Width in pixels. The longer side spans the terrain, the shorter one its middle.
    pub width: Option<u32>,
    /// Height in pixels.
    pub height: Option<u32>,
    /// Style of a terrain.
    pub style: PictureStyle,
    /// Palette or biome table by name, in place of the scene's.
    pub palette: Option<String>,
    /// Whether a planet is drawn as a map of all longitudes and latitudes, instead of from space.
    pub as_map: bool,
    /// Longitude in the middle of a planet in degrees; the day side if `None`.
    pub longitude: Option<f64>,
    /// Latitude in the middle of a planet in degrees.
    pub latitude: Option<f64>,
    /// Fraction of a planet's sky under clouds; no clouds if `None`.
    pub clouds: Option<f32>,
}

impl Default for PictureRequest {
    fn default() -> Self {
        Self {
            side: 1024,
            width: None,
            height: None,
            style: PictureStyle::Relief,
            palette: None,
            as_map: false,
            longitude: None,
            latitude: None,
            clouds: None,
        }
    }
}

/// Style of a picture of a terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureStyle {
    /// Colours, light and shadow.
    Relief,
    /// Heights as grey, black the lowest and white the highest.
    Heights,
}

/// Why a picture was not drawn.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// There is no such palette.
    #[error("there is no palette `{0}`; the palettes are {names}", names = all_palette_names().join(", "))]
    Palette(String),
    /// Clouds were requested over a terrain.
    #[error("clouds are for planets; over a terrain the view has them by scene.clouds, which `talweg shot` draws")]
    Clouds,
    /// A number is out of range.
    #[error("{0}")]
    Number(&'static str),
    /// The file is not a PNG picture.
    #[error("cannot write {0}: pictures are .png files")]
    NotPng(PathBuf),
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It was stopped.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Refuses a file that is not a PNG in an existing folder, before any work.
///
/// # Errors
/// When the file is not a PNG, or cannot be written.
pub fn check_picture(to: &SaveTarget) -> Result<(), PictureError> {
    let path = to.path();
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Err(PictureError::NotPng(path.into()));
    }
    Ok(check_place(to)?)
}

impl PictureRequest {
    /// Width and height in pixels; a map of a planet is twice as wide as high.
    pub fn size(&self, scene: &Scene) -> [usize; 2] {
        let one = self.width.or(self.height).unwrap_or(self.side);
        let (width, height) = (self.width.unwrap_or(one), self.height.unwrap_or(one));
        let is_map = self.as_map && scene.settings.is_planet() && self.height.is_none();
        [width, if is_map { width.div_ceil(2) } else { height }].map(|pixels| pixels as usize)
    }

    /// The scene with the requested palette.
    ///
    /// # Errors
    /// When there is no such palette, or the scene cannot be drawn as requested.
    pub fn recoloured(&self, scene: &Scene) -> Result<Scene, PictureError> {
        if self.clouds.is_some() && !scene.settings.is_planet() {
            return Err(PictureError::Clouds);
        }
        if self.size(scene).iter().any(|&pixels| !(1..=MOST_PIXELS as usize).contains(&pixels)) {
            return Err(PictureError::Number("give 1 to 16384 pixels"));
        }
        if self.latitude.is_some_and(|degrees| !(-90.0..=90.0).contains(&degrees)) {
            return Err(PictureError::Number("latitude: give degrees from -90 to 90"));
        }
        if self.clouds.is_some_and(|cover| !(0.0..=1.0).contains(&cover)) {
            return Err(PictureError::Number("clouds: give a fraction from 0 to 1"));
        }
        let mut scene = scene.clone();
        let Some(name) = &self.palette else { return Ok(scene) };
        if !is_palette(name) {
            return Err(PictureError::Palette(name.clone()));
        }
        // a palette named by the caller is the shipped table, not the scene's own copy
        scene.palette.clone_from(name);
        scene.biomes = None;
        Ok(scene)
    }

    /// Draws the terrain of a scene; call it inside the thread pool to use.
    ///
    /// # Errors
    /// When the scene cannot be drawn as requested, or it was stopped.
    pub fn draw(&self, scene: &Scene, terrain: &Terrain, control: &Control) -> Result<RgbImage, PictureError> {
        let scene = &self.recoloured(scene)?;
        let size @ [width, height] = self.size(scene);
        if scene.settings.is_planet() {
            return Ok(self.draw_planet(scene, terrain, size, control)?);
        }
        Ok(match self.style {
            PictureStyle::Relief => relief(terrain, &scene.settings, &PaletteTable::for_scene(scene), size, control)?,
            PictureStyle::Heights => heightmap(terrain, width, height, control)?,
        })
    }

    fn draw_planet(
        &self,
        scene: &Scene,
        terrain: &Terrain,
        size @ [width, height]: [usize; 2],
        control: &Control,
    ) -> Result<RgbImage, Cancelled> {
        let mut planet = PlanetImage::new(scene, terrain, control)?;
        if let Some(cloud_cover) = self.clouds {
            planet = planet.with_clouds(&GlobeView { cloud_cover, ..GlobeView::default() });
        }
        if self.as_map {
            return planet.map(width, height, control);
        }
        let view = GlobePerspective::day_side(&scene.planet);
        let longitude = self.longitude.unwrap_or(view.longitude);
        let latitude = self.latitude.unwrap_or(view.latitude);
        planet.globe(GlobePerspective { longitude, latitude, ..view }, size, control)
    }
}
