//! A planet from files: measured heights, or heights made in another program.
//!
//! Law: h = (low + (high - low) · v) / relief with v the file's value, from 0 to 1, in the direction of the sample. The
//! columns of a map cover all longitudes and its rows all latitudes. East and west of its sides the map continues
//! around the planet. Beyond a pole it continues at the opposite longitude, so there is no seam. A planet in six files,
//! one for each face, is read as described in [`Faces`].
//! Georeference: a map with known longitudes and latitudes (GeoTIFF, SRTM, ESRI ASCII grids in degrees) is placed at
//! these coordinates. If the map covers a part of the planet, there is no data beyond that part.
//! No data: areas without data are filled from their rim, or set to the lowest height or the sea level. Within the map
//! the fill is a membrane; beyond the map it is the nearest sample. If a file has more samples than the scene, the
//! scene's samples are interpolated from the file without averaging: a preview is exactly a subsample.
//! Source: the cylindrical projection of Petitprez 2007; equirectangular projection (plate carrée).

use std::sync::Arc;

use crate::generators::import::ByteOrder;
use crate::generators::import::{Heights, Sampling, read_options};
use crate::{Context, Generator, NodeParts, OnPlanet, Traits};
use talweg_ground::field::globe::equirectangular;
use talweg_ground::field::{Cancelled, Globe};
use talweg_ground::io::formats::{GeoReference, HeightUnit, NoDataRule, NumberMeaning, RasterReader, ReadOptions};
use talweg_ground::io::{Raster, RasterError, catmull_rom, raster};
use talweg_ground::mesh::raster_or_mesh;
use talweg_ground::param::ImageFile;
use talweg_ground::planet::faces::{Faces, face_names, fitting};
use talweg_ground::planet::projection::{Equirectangular, Registration};

talweg_ground::choices! {
    /// The layout of the planet in files.
    FileLayout {
        Map "Map": "One map, twice as wide as high, of all longitudes and latitudes. Its pixels cover areas, as in nearly all maps.",
        Points "Map of points": "One map whose first and last rows are the poles, and whose first and last columns have the same longitude.",
        Faces "Six faces": "Six squares, NAME-px to NAME-nz, as exported by Talweg. Choose any one of the files.",
    }
}

talweg_ground::choices! {
    /// Heights of areas without data.
    PlanetVoidFill {
        Smooth "Filled from the rim": "A smooth surface between the edges of the gap; beyond the map, the heights of its edge continue.",
        Lowest "Lowest height": "The lowest height of the file.",
        Sea "Sea level": "The height of the water surface.",
    }
}

talweg_ground::params! {
    /// Heights of a whole planet from a file, such as a map of Earth, Mars or the Moon. Use 16 bits or more: 8 bits
    /// give visible steps. A georeferenced map is placed at its longitudes and latitudes.
    PlanetImport "Planet from a file" in "Planet", from "equirectangular projection; cube faces", also "import map earth mars moon dem geotiff tif exr equirectangular cylinder cube load" {
        /// The file. For a raw map (.r16, .raw, .r32), also set the width.
        file: ImageFile = ImageFile::default();
        /// Layout of the planet in files.
        layout: FileLayout = FileLayout::Map;
        /// Longitude of the centre of a map without a georeference. The centre of many maps is at 180°.
        middle: f32 ["°"] = 0.0, -180.0..=180.0;
        /// Source of the heights that black and white stand for.
        heights: Heights = Heights::File;
        /// Height that black stands for.
        low_metres: f32 ["m"] = -11_000.0, -100_000.0..=100_000.0, slider -12_000.0..=4000.0;
        /// Height that white stands for.
        high_metres: f32 ["m"] = 8900.0, -100_000.0..=100_000.0, slider 0.0..=25_000.0;
        /// Interpolation of heights between the samples of the file.
        sampling: Sampling = Sampling::Bicubic;
        /// Heights of areas without data.
        voids: PlanetVoidFill = PlanetVoidFill::Smooth;
        /// Samples per row of a raw map. 0 assumes that the map is twice as wide as high.
        raw_width: u32 ["samples"] = 0, 0..=65_536, slider 0..=8192 => |import| import.is_raw();
        /// Byte order of the numbers in a raw file.
        raw_bytes: ByteOrder = ByteOrder::Little => |import| import.is_raw();
        /// Meaning of the numbers in the file.
        numbers: NumberMeaning = NumberMeaning::File;
        /// Unit of the heights in the file.
        unit: HeightUnit = HeightUnit::File;
        /// Samples of the file that have no data.
        no_data: NoDataRule = NoDataRule::File;
        /// Number that marks samples without data.
        no_data_value: f32 = -9999.0, -3.402_823e38..=3.402_823e38, slider -32_768.0..=0.0 => |import| import.no_data == NoDataRule::Given;
        /// Channel of the file, counted from 1. 0 lets the program choose the channel that holds heights.
        channel: u32 = 0, 0..=1024, slider 0..=8;
    }
}

impl Generator for PlanetImport {
    fn traits(&self) -> Traits {
        let reads_sea_level = self.voids == PlanetVoidFill::Sea;
        Traits { runs_on_square: false, reads_sea_level, on_planet: Some(OnPlanet::DEFAULT), ..Traits::GENERATOR }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::PLANET
    }

    fn read_options(&self) -> ReadOptions {
        read_options!(self, false)
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let is_smooth = self.sampling == Sampling::Bicubic;
        match self.layout {
            FileLayout::Map => self.fill_map(cx, Registration::Pixel, is_smooth, out),
            FileLayout::Points => self.fill_map(cx, Registration::Grid, is_smooth, out),
            FileLayout::Faces => {
                // The scene reports problems with the files; until the problems are solved the terrain is level.
                let Ok(faces) = Faces::read(&self.file.0, |raster, value| self.height(cx, raster, value)) else {
                    return each(cx, out, |_| 0.0);
                };
                each(cx, out, |direction| faces.sample(direction, is_smooth))
            }
        }
    }

    fn file_dependencies(&self) -> Vec<String> {
        if self.layout != FileLayout::Faces {
            return Vec::new();
        }
        let names = face_names(&self.file.0).map(Vec::from).unwrap_or_default();
        names.into_iter().filter(|name| *name != self.file.0).collect()
    }

    fn files_error(&self) -> Option<String> {
        let is_readable =
            || std::iter::once(self.file.0.clone()).chain(self.file_dependencies()).all(|name| raster(&name).is_ok());
        if self.layout != FileLayout::Faces || self.file.0.is_empty() || !is_readable() {
            return None;
        }
        fitting(&self.file.0).err().map(|error| error.to_string())
    }
}

impl PlanetImport {
    /// Converts a value of the file to a height, as a fraction of the relief.
    fn height(&self, cx: &Context, raster: &Raster, value: f32) -> f32 {
        let (low, high) = self.heights.range(raster, (self.low_metres, self.high_metres));
        (low + (high - low) * value) / cx.relief_metres
    }

    fn raster(&self) -> Result<Arc<Raster>, RasterError> {
        raster_or_mesh(&self.file.0, self.read_options())
    }

    /// Whether the file is raw, so that its width must be set.
    fn is_raw(&self) -> bool {
        RasterReader::for_path(std::path::Path::new(&self.file.0)).is_some_and(|reader| reader.is_raw)
    }

    fn fill_map(
        &self,
        cx: &Context,
        registration: Registration,
        is_smooth: bool,
        out: &mut [f32],
    ) -> Result<(), Cancelled> {
        let Ok(raster) = self.raster() else { return each(cx, out, |_| 0.0) };
        let values = match self.voids {
            PlanetVoidFill::Smooth => raster.filled(),
            PlanetVoidFill::Lowest | PlanetVoidFill::Sea => &raster.values,
        };
        let (low, high) = self.heights.range(&raster, (self.low_metres, self.high_metres));
        // The value that replaces missing data, in the units of the file's values.
        let nothing = match self.voids {
            PlanetVoidFill::Sea if high != low => (cx.sea_level * cx.relief_metres - low) / (high - low),
            _ => 0.0,
        };
        let number =
            |k: usize| if self.voids == PlanetVoidFill::Sea && !raster.has_data(k) { nothing } else { values[k] };
        let placed = raster.placement.filter(|placement| placement.in_degrees);
        if let Some(part) = placed.map(|placement| PlacedMap::new(&raster, placement)).filter(|map| !map.is_global()) {
            let goes_on = self.voids == PlanetVoidFill::Smooth;
            return each(cx, out, |direction| {
                let value = match part.map_position(direction, goes_on) {
                    Some([column, row]) => {
                        value_between(column, row, is_smooth, |i, j| number(part.sample_index(i, j)))
                    }
                    None => nothing,
                };
                self.height(cx, &raster, value)
            });
        }
        // a map of the whole planet continues across its edges and poles
        let placed = placed.map(|placement| PlacedMap::new(&raster, placement));
        let registration = placed.as_ref().map_or(registration, PlacedMap::registration);
        let middle = placed.as_ref().map_or(f64::from(self.middle), PlacedMap::middle);
        let map = Equirectangular { width: raster.width, height: raster.height, registration };
        let (sin, cos) = libm::sincos((-middle).to_radians());
        each(cx, out, |[x, y, z]| {
            let [column, row] = map.map_position([x * cos - y * sin, x * sin + y * cos, z]);
            let value = value_between(column, row, is_smooth, |i, j| {
                let (column, row) = map.wrapped(j, i);
                number(row * raster.width + column)
            });
            self.height(cx, &raster, value)
        })
    }
}

/// Interpolates the value at a position between samples: bicubic from 4 × 4 samples, or bilinear from 2 × 2 samples.
fn value_between(column: f64, row: f64, is_smooth: bool, at: impl Fn(isize, isize) -> f32) -> f32 {
    let (first, above) = (libm::floor(column), libm::floor(row));
    let (right, down) = ((column - first) as f32, (row - above) as f32);
    let (j, i) = (first as isize, above as isize);
    if is_smooth {
        let row = |i: isize| catmull_rom([j - 1, j, j + 1, j + 2].map(|j| at(i, j)), right);
        catmull_rom([i - 1, i, i + 1, i + 2].map(row), down)
    } else {
        let along = |i: isize| at(i, j) + (at(i, j + 1) - at(i, j)) * right;
        along(i) + (along(i + 1) - along(i)) * down
    }
}

/// A georeferenced map, with the conversion from directions to its columns and rows.
struct PlacedMap {
    width: usize,
    height: usize,
    placement: GeoReference,
}

impl PlacedMap {
    fn new(raster: &Raster, placement: GeoReference) -> Self {
        Self { width: raster.width, height: raster.height, placement }
    }

    /// Angles in degrees from the first sample to the last, to the east and to the south.
    fn degrees(&self) -> [f64; 2] {
        let [east, south] = self.placement.step;
        [east * (self.width - 1) as f64, south * (self.height - 1) as f64]
    }

    /// Whether the map covers the whole planet. A gap of up to one sample step is allowed.
    fn is_global(&self) -> bool {
        let ([east, south], [across, down]) = (self.placement.step, self.degrees());
        across > 360.0 - 1.5 * east && down > 180.0 - 1.5 * south
    }

    /// The registration of a map of all longitudes: grid if the first and last columns have the same longitude, pixel
    /// if they are one step apart.
    fn registration(&self) -> Registration {
        let [across, _] = self.degrees();
        if across > 360.0 - 0.5 * self.placement.step[0] { Registration::Grid } else { Registration::Pixel }
    }

    /// Longitude of the map's centre.
    fn middle(&self) -> f64 {
        self.placement.west + 0.5 * self.degrees()[0]
    }

    /// Converts a direction to a position on the map: columns from the first sample, and rows from the top. For a
    /// direction beyond the map, the result is the nearest position on the map's rim if `goes_on`, otherwise `None`.
    fn map_position(&self, direction: [f64; 3], goes_on: bool) -> Option<[f64; 2]> {
        let [u, v] = equirectangular(direction);
        let (longitude, latitude) = (u * 360.0 - 180.0, 90.0 - v * 180.0);
        let ([east, south], [across, down]) = (self.placement.step, self.degrees());
        let turns = (longitude - self.placement.west) / 360.0;
        let mut x = 360.0 * (turns - libm::floor(turns));
        // A position east of the map can be closer to its western edge, around the planet.
        if x - across > 360.0 - x {
            x -= 360.0;
        }
        let y = self.placement.north - latitude;
        let is_inside = |at: f64, last: f64, step: f64| at >= -0.5 * step && at <= last + 0.5 * step;
        let is_inside = is_inside(x, across, east) && is_inside(y, down, south);
        // On a full circle, a position between the last and the first column is interpolated from both columns.
        let x = if self.is_around() { x } else { x.clamp(0.0, across) };
        (is_inside || goes_on).then(|| [x / east, y.clamp(0.0, down) / south])
    }

    /// Whether the map covers all longitudes. A gap of up to one sample step is allowed.
    fn is_around(&self) -> bool {
        self.degrees()[0] > 360.0 - 1.5 * self.placement.step[0]
    }

    /// Index of the sample at a row and a column. Beyond the map, the index of the nearest sample on the map's rim.
    /// Columns wrap if the map covers all longitudes.
    fn sample_index(&self, row: isize, column: isize) -> usize {
        let (width, height) = (self.width as isize, self.height as isize);
        let column = if self.is_around() { column.rem_euclid(width) } else { column.clamp(0, width - 1) };
        (row.clamp(0, height - 1) * width + column) as usize
    }
}

/// Computes the height of every sample from its direction.
fn each(cx: &Context, out: &mut [f32], height: impl Fn([f64; 3]) -> f32 + Sync) -> Result<(), Cancelled> {
    let n = cx.grid.samples;
    let globe = Globe::new(n);
    cx.rows(out, |i, row| {
        for (j, h) in row.iter_mut().enumerate() {
            *h = height(globe.exact_direction(i / n, i % n, j));
        }
    })
}
