//! Fields of a planet or a terrain laid out for other programs: ground types by number, temperature, moisture.

use std::io::{BufWriter, Write};

use serde::Serialize;

use super::biomes::{Biomes, Paint};
use crate::field::globe::nearly_located;
use crate::field::{Cancelled, Control, Globe, Terrain};
use crate::io::{FileError, SaveTarget, StagedFile};
use crate::palette::GroundType;
use crate::planet::projection::Equirectangular;
use crate::scene::Scene;

/// How a planet is laid out on a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlanetLayout {
    /// A map of all longitudes and latitudes.
    Map(Equirectangular),
    /// The samples of one face; a terrain is its own face 0.
    Face(usize),
}

/// Values row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowMajor<T> {
    /// Values of a row.
    pub width: usize,
    /// The values, row by row.
    pub values: Vec<T>,
}

impl PlanetLayout {
    /// The values of the nearest samples.
    pub fn nearest<T: Copy + Send + Sync>(self, terrain: &Terrain, field: &[T]) -> RowMajor<T> {
        let n = terrain.samples();
        let index = |t: f64| (t * (n - 1) as f64 + 0.5) as usize;
        match self {
            Self::Face(face) => RowMajor { width: n, values: field[face * n * n..][..n * n].to_vec() },
            Self::Map(map) => {
                let at = |(face, u, v): (usize, f64, f64)| field[(face * n + index(v)) * n + index(u)];
                RowMajor { width: map.width, values: map.map(|direction| at(nearly_located(direction))) }
            }
        }
    }

    /// The values between samples.
    pub fn interpolated(self, terrain: &Terrain, field: &[f32]) -> RowMajor<f32> {
        match self {
            Self::Face(_) => self.nearest(terrain, field),
            Self::Map(map) => RowMajor { width: map.width, values: map.field(&Globe::new(terrain.samples()), field) },
        }
    }
}

/// A type of the legend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LegendEntry {
    /// Value of its pixels.
    pub index: u8,
    /// Name of the type.
    pub name: String,
    /// Red, green and blue in sRGB.
    pub colour: [u8; 3],
}

/// The most frequent ground type of every place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeMap {
    /// Index in the legend of every sample of the grid.
    pub types: Vec<u8>,
    /// The types, by index.
    pub legend: Vec<LegendEntry>,
}

impl TypeMap {
    /// The ground types of a scene, if it is coloured by a biome table.
    ///
    /// # Errors
    /// When it was cancelled.
    pub fn for_scene(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Option<Self>, Cancelled> {
        let Some(biomes) = Biomes::for_scene(scene) else { return Ok(None) };
        let types = Paint::new(terrain, &scene.settings, &biomes).types(terrain, control)?;
        let entry = |(index, kind): (usize, &GroundType)| LegendEntry {
            index: index as u8,
            name: kind.name.clone(),
            colour: kind.colour,
        };
        Ok(Some(Self { types, legend: biomes.table.types.iter().enumerate().map(entry).collect() }))
    }

    /// The legend as RON: index, name and colour of every type.
    pub fn legend_ron(&self) -> String {
        let line = |entry: &LegendEntry| {
            let [r, g, b] = entry.colour;
            format!("    (index: {}, name: {:?}, colour: \"#{r:02x}{g:02x}{b:02x}\"),\n", entry.index, entry.name)
        };
        format!("[\n{}]\n", self.legend.iter().map(line).collect::<String>())
    }

    /// Writes the legend as a RON file, up to where it takes the place of an old one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn stage_legend(&self, to: impl Into<SaveTarget>) -> Result<StagedFile, FileError> {
        StagedFile::new(to, |file| file.write_all(self.legend_ron().as_bytes()))
    }

    /// Writes a sheet of types as a PNG of 8 bits whose values are the indices and whose palette has the colours of the
    /// legend, up to where it takes the place of an old one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn stage(&self, sheet: &RowMajor<u8>, to: impl Into<SaveTarget>) -> Result<StagedFile, FileError> {
        StagedFile::new(to, |file| self.write_png(sheet, file))
    }

    fn write_png(&self, sheet: &RowMajor<u8>, out: impl Write) -> std::io::Result<()> {
        let rows = sheet.values.len() / sheet.width;
        let mut encoder = png::Encoder::new(BufWriter::new(out), sheet.width as u32, rows as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(self.legend.iter().flat_map(|entry| entry.colour).collect::<Vec<u8>>());
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&sheet.values)?;
        Ok(writer.finish()?)
    }
}
