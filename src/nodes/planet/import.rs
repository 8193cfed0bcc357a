//! A planet from files: heights that others measured or made.
//!
//! Law: h = (low + (high - low) · v) / relief with v the file's value, from 0 to 1, in the direction of the sample. A
//! map has all longitudes as columns and all latitudes as rows; beyond its sides it goes on around the planet, beyond a
//! pole half a turn away, so there is no seam. Six faces are read as [`Faces`] describes.
//! Places: a map that says which longitudes and latitudes it has (GeoTIFF, SRTM, ESRI ASCII grids in degrees) is laid
//! where it belongs; beyond one of a part of the planet there is no data.
//! No data: filled from the rim (within the map a membrane, beyond it the nearest sample), or at the lowest height or
//! the sea.
//! A file with more samples is read at the scene's samples, not averaged: a preview is exactly the subsample.
//! Source: the cylinder of Petitprez 2007; equirectangular projection (plate carrée).

use std::sync::Arc;

use crate::generators::import::ByteOrder;
use crate::generators::import::{Heights, Sampling};
use crate::{Context, Generator, NodeParts, Traits};
use talweg_ground::field::globe::equirectangular;
use talweg_ground::field::{Cancelled, Globe};
use talweg_ground::io::formats::{GeoReference, RasterReader, RawLayout};
use talweg_ground::io::{Raster, RasterError, catmull_rom, raster};
use talweg_ground::mesh::raster_or_mesh;
use talweg_ground::param::ImageFile;
use talweg_ground::planet::faces::{Faces, face_names, fitting};
use talweg_ground::planet::projection::{Equirectangular, Registration};

talweg_ground::choices! {
    /// How the planet is laid out in files.
    FileLayout {
        Map "Map": "One map, twice as wide as high, with all longitudes and latitudes. Its pixels are areas, as on nearly all maps.",
        Points "Map of points": "One map whose first and last rows are the poles, and whose first and last columns are the same.",
        Faces "Six faces": "Six squares, NAME-px to NAME-nz, as Talweg exports them. Choose any one of them.",
    }
}

talweg_ground::choices! {
    /// What becomes of places without data.
    PlanetVoidFill {
        Smooth "Filled from the rim": "A smooth surface that is held by the ground around the gap; beyond the map its rim goes on.",
        Lowest "Lowest height": "The lowest height of the file.",
        Sea "Sea level": "The height of the water surface.",
    }
}

talweg_ground::params! {
    /// Heights of a whole planet from a file, such as a map of Earth, Mars or the Moon. Use 16 bits or more, 8 bits
    /// give steps. A map that says which longitudes and latitudes it has lies where it belongs.
    PlanetImport "Planet from a file" in "Planet", from "equirectangular projection; cube faces", also "import map earth mars moon dem geotiff tif exr equirectangular cylinder cube load" {
        /// The file. A raw map (.r16, .raw, .r32) does not say how wide it is.
        file: ImageFile = ImageFile::default();
        /// How the planet is laid out in files.
        layout: FileLayout = FileLayout::Map;
        /// Longitude in the middle of a map that does not say it. Many maps have 180° there.
        middle: f32 ["°"] = 0.0, -180.0..=180.0;
        /// Which heights black and white stand for.
        heights: Heights = Heights::File;
        /// Height that black stands for.
        low_metres: f32 ["m"] = -11_000.0, -100_000.0..=100_000.0, slider -12_000.0..=4000.0;
        /// Height that white stands for.
        high_metres: f32 ["m"] = 8900.0, -100_000.0..=100_000.0, slider 0.0..=25_000.0;
        /// How heights between the samples of the file are found.
        sampling: Sampling = Sampling::Bicubic;
        /// What becomes of places where the file has no data.
        voids: PlanetVoidFill = PlanetVoidFill::Smooth;
        /// Samples of a row of a raw map; 0 where it is twice as wide as high.
        raw_width: u32 ["samples"] = 0, 0..=65_536, slider 0..=8192 => |import| import.is_raw();
        /// The order of the bytes of a number in a raw file.
        raw_bytes: ByteOrder = ByteOrder::Little => |import| import.is_raw();
    }
}

impl Generator for PlanetImport {
    fn traits(&self) -> Traits {
        let reads_sea_level = self.voids == PlanetVoidFill::Sea;
        Traits { on_globe: true, on_square: false, reads_sea_level, parts: NodeParts::PLANET, ..Traits::GENERATOR }
    }

    fn raw_layout(&self) -> RawLayout {
        RawLayout { width: self.raw_width, big_endian: self.raw_bytes == ByteOrder::Big }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let is_smooth = self.sampling == Sampling::Bicubic;
        match self.layout {
            FileLayout::Map => self.fill_map(cx, Registration::Pixel, is_smooth, out),
            FileLayout::Points => self.fill_map(cx, Registration::Grid, is_smooth, out),
            FileLayout::Faces => {
                // the scene reports what is wrong with the files; until then the ground is level
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
    /// What a value of a file stands for, as a fraction of the relief.
    fn height(&self, cx: &Context, raster: &Raster, value: f32) -> f32 {
        let (low, high) = self.heights.range(raster, (self.low_metres, self.high_metres));
        (low + (high - low) * value) / cx.relief_metres
    }

    fn raster(&self) -> Result<Arc<Raster>, RasterError> {
        raster_or_mesh(&self.file.0, self.raw_layout())
    }

    /// Whether the file does not say how wide it is.
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
        // what stands where there is no data, as a value of the file
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
                let value = match part.place(direction, goes_on) {
                    Some([column, row]) => value_between(column, row, is_smooth, |i, j| number(part.sample(i, j))),
                    None => nothing,
                };
                self.height(cx, &raster, value)
            });
        }
        // a map of the whole planet goes on over its edges and poles
        let placed = placed.map(|placement| PlacedMap::new(&raster, placement));
        let registration = placed.as_ref().map_or(registration, PlacedMap::registration);
        let middle = placed.as_ref().map_or(f64::from(self.middle), PlacedMap::middle);
        let map = Equirectangular { width: raster.width, height: raster.height, registration };
        let (sin, cos) = libm::sincos((-middle).to_radians());
        each(cx, out, |[x, y, z]| {
            let [column, row] = map.place([x * cos - y * sin, x * sin + y * cos, z]);
            let value = value_between(column, row, is_smooth, |i, j| {
                let (column, row) = map.wrapped(j, i);
                number(row * raster.width + column)
            });
            self.height(cx, &raster, value)
        })
    }
}

/// The value between the samples around a place: through 4 × 4 of them, or straight between 2 × 2.
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

/// A map that says which longitudes and latitudes it has.
struct PlacedMap {
    width: usize,
    height: usize,
    placement: GeoReference,
}

impl PlacedMap {
    fn new(raster: &Raster, placement: GeoReference) -> Self {
        Self { width: raster.width, height: raster.height, placement }
    }

    /// Degrees from the first sample to the last, to the east and to the south.
    fn degrees(&self) -> [f64; 2] {
        let [east, south] = self.placement.step;
        [east * (self.width - 1) as f64, south * (self.height - 1) as f64]
    }

    /// Whether it covers the whole planet, but for a step.
    fn is_global(&self) -> bool {
        let ([east, south], [across, down]) = (self.placement.step, self.degrees());
        across > 360.0 - 1.5 * east && down > 180.0 - 1.5 * south
    }

    /// Whether the first and last column are the same longitude, or a step apart.
    fn registration(&self) -> Registration {
        let [across, _] = self.degrees();
        if across > 360.0 - 0.5 * self.placement.step[0] { Registration::Grid } else { Registration::Pixel }
    }

    /// Longitude in the middle.
    fn middle(&self) -> f64 {
        self.placement.west + 0.5 * self.degrees()[0]
    }

    /// Columns from the first sample and rows from the uppermost to the place of a direction; beyond the map those of
    /// the nearest place on its rim, or none.
    fn place(&self, direction: [f64; 3], goes_on: bool) -> Option<[f64; 2]> {
        let [u, v] = equirectangular(direction);
        let (longitude, latitude) = (u * 360.0 - 180.0, 90.0 - v * 180.0);
        let ([east, south], [across, down]) = (self.placement.step, self.degrees());
        let turns = (longitude - self.placement.west) / 360.0;
        let mut x = 360.0 * (turns - libm::floor(turns));
        // around the planet a map is as near from the other side
        if x - across > 360.0 - x {
            x -= 360.0;
        }
        let y = self.placement.north - latitude;
        let is_inside = |at: f64, last: f64, step: f64| at >= -0.5 * step && at <= last + 0.5 * step;
        let is_inside = is_inside(x, across, east) && is_inside(y, down, south);
        // between the last column of a map all around and its first lies ground of both
        let x = if self.is_around() { x } else { x.clamp(0.0, across) };
        (is_inside || goes_on).then(|| [x / east, y.clamp(0.0, down) / south])
    }

    /// Whether it goes around the planet, but for a step.
    fn is_around(&self) -> bool {
        self.degrees()[0] > 360.0 - 1.5 * self.placement.step[0]
    }

    /// The number of the sample in a row and a column, or of the nearest on the rim; all around the planet the next.
    fn sample(&self, row: isize, column: isize) -> usize {
        let (width, height) = (self.width as isize, self.height as isize);
        let column = if self.is_around() { column.rem_euclid(width) } else { column.clamp(0, width - 1) };
        (row.clamp(0, height - 1) * width + column) as usize
    }
}

/// The height of every sample, from its direction.
fn each(cx: &Context, out: &mut [f32], height: impl Fn([f64; 3]) -> f32 + Sync) -> Result<(), Cancelled> {
    let n = cx.grid.samples;
    let globe = Globe::new(n);
    cx.rows(out, |i, row| {
        for (j, h) in row.iter_mut().enumerate() {
            *h = height(globe.exact_direction(i / n, i % n, j));
        }
    })
}
