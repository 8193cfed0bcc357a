//! Requests for pictures of a scene from above: size, style, colours, and the view of a planet.

use std::path::PathBuf;

use super::colour_bar::{BarColours, plain_colours, with_colour_bar};
use super::image::{RgbImage, heightmap};
use super::planet::{GlobePerspective, PlanetImage};
use super::relief::relief;
use crate::appearance::PaletteTable;
use crate::appearance_files::{all_palette_names, is_palette};
use crate::field::{Cancelled, Control, Terrain};
use crate::io::{FileError, SaveTarget, check_writable};
use crate::preferences::GlobeView;
use crate::scene::Scene;

/// Maximum number of pixels along a side of a picture.
pub const MOST_PIXELS: u32 = 16_384;

/// A request for a picture of a scene: a terrain from above, or a planet from space or as a map.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureRequest {
    /// Length of the picture's sides in pixels, if neither width nor height is given.
    pub side: u32,
    /// Width in pixels. The longer side of the picture spans the terrain, and the shorter side shows the middle of the
    /// terrain.
    pub width: Option<u32>,
    /// Height in pixels.
    pub height: Option<u32>,
    /// Style of a picture of a terrain; planets ignore it.
    pub style: PictureStyle,
    /// Whether a picture of a terrain has a colour bar with its heights on the right side. The bar makes the picture
    /// wider.
    pub colour_bar: bool,
    /// Name of the palette or biome table that replaces the scene's own; `None` keeps the scene's own.
    pub palette: Option<String>,
    /// Whether a planet is drawn as a map of all longitudes and latitudes, instead of from space.
    pub as_map: bool,
    /// Longitude at the centre of a planet's picture, in degrees; `None` shows the day side.
    pub longitude: Option<f64>,
    /// Latitude at the centre of a planet's picture, in degrees.
    pub latitude: Option<f64>,
    /// Fraction of a planet's sky that clouds cover; `None` draws no clouds.
    pub clouds: Option<f32>,
}

impl Default for PictureRequest {
    fn default() -> Self {
        Self {
            side: 1024,
            width: None,
            height: None,
            style: PictureStyle::Relief,
            colour_bar: false,
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
    /// The palette's colours of the heights, without light and shadow.
    Colours,
    /// Heights as grey levels: black is the lowest, white the highest height.
    Heights,
}

/// The reason why a picture was not drawn.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// There is no palette with this name.
    #[error("there is no palette `{0}`; the palettes are {names}", names = all_palette_names().join(", "))]
    Palette(String),
    /// Clouds were requested over a terrain.
    #[error("only pictures of planets have clouds; for a terrain, set scene.clouds and use `talweg shot`")]
    Clouds,
    /// A colour bar was requested for a planet.
    #[error("only pictures of terrains have a colour bar")]
    ColourBar,
    /// A number in the request is out of range.
    #[error("{0}")]
    Number(&'static str),
    /// The file is not a PNG picture.
    #[error("cannot write {0}: pictures are .png files")]
    NotPng(PathBuf),
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Drawing was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Checks that the target is a PNG file in an existing folder, before any work is done.
///
/// # Errors
/// If the file is not a PNG, or cannot be written.
pub fn check_picture(to: &SaveTarget) -> Result<(), PictureError> {
    let path = to.path();
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Err(PictureError::NotPng(path.into()));
    }
    Ok(check_writable(to)?)
}

impl PictureRequest {
    /// Width and height in pixels; a map of a planet is twice as wide as high.
    pub fn size(&self, scene: &Scene) -> [usize; 2] {
        let one = self.width.or(self.height).unwrap_or(self.side);
        let (width, height) = (self.width.unwrap_or(one), self.height.unwrap_or(one));
        let is_map = self.as_map && scene.is_planet() && self.height.is_none();
        [width, if is_map { width.div_ceil(2) } else { height }].map(|pixels| pixels as usize)
    }

    /// Returns the scene with the requested palette.
    ///
    /// # Errors
    /// If there is no palette with that name, or the scene cannot be drawn as requested.
    pub fn recoloured(&self, scene: &Scene) -> Result<Scene, PictureError> {
        if self.clouds.is_some() && !scene.is_planet() {
            return Err(PictureError::Clouds);
        }
        if self.colour_bar && scene.is_planet() {
            return Err(PictureError::ColourBar);
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
        // A palette that the request names is built in; it replaces the scene's own palette and biome table.
        scene.palette.clone_from(name);
        (scene.own_palette, scene.biomes) = (None, None);
        Ok(scene)
    }

    /// Draws the terrain of a scene on the threads of the current pool.
    ///
    /// # Errors
    /// If the scene cannot be drawn as requested, or drawing was cancelled.
    pub fn draw(&self, scene: &Scene, terrain: &Terrain, control: &Control) -> Result<RgbImage, PictureError> {
        let scene = &self.recoloured(scene)?;
        let size @ [width, height] = self.size(scene);
        if scene.is_planet() {
            return Ok(self.draw_planet(scene, terrain, size, control)?);
        }
        let (settings, palette) = (&scene.settings, PaletteTable::for_scene(scene));
        let picture = match self.style {
            PictureStyle::Relief => relief(terrain, settings, &palette, size, control)?,
            PictureStyle::Colours => plain_colours(terrain, settings, &palette, size, control)?,
            PictureStyle::Heights => heightmap(terrain, width, height, control)?,
        };
        let colours = match self.style {
            PictureStyle::Heights => BarColours::Grey,
            PictureStyle::Relief | PictureStyle::Colours => BarColours::Palette(&palette),
        };
        Ok(if self.colour_bar { with_colour_bar(&picture, terrain, settings, &colours) } else { picture })
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
