//! A planet from files: heights that others measured or made.
//!
//! Law: h = (low + (high - low) · v) / relief with v the file's value, from 0 to 1, in the direction of the sample. A
//! map has all longitudes as columns and all latitudes as rows; beyond its sides it goes on around the planet, beyond a
//! pole half a turn away, so there is no seam. Six faces are read as [`Faces`] describes.
//! A file with more samples is read at the scene's samples, not averaged: a preview is exactly the subsample.
//! Source: the cylinder of document 003; equirectangular projection (plate carrée).

use crate::field::{Cancelled, Globe};
use crate::io::{Raster, catmull_rom, raster};
use crate::nodes::generators::import::{Heights, Sampling};
use crate::nodes::{Context, Generator, Traits};
use crate::param::ImageFile;
use crate::planet::faces::{Faces, face_names, fitting};
use crate::planet::projection::{Equirectangular, Registration};

crate::choices! {
    /// How the planet is laid out in files.
    FileLayout {
        Map "Map": "One map, twice as wide as high, with all longitudes and latitudes. Its pixels are areas, as on nearly all maps.",
        Points "Map of points": "One map whose first and last rows are the poles, and whose first and last columns are the same.",
        Faces "Six faces": "Six squares, NAME-px to NAME-nz, as Talweg exports them. Choose any one of them.",
    }
}

crate::params! {
    /// Heights of a whole planet from a file, such as a map of Earth, Mars or the Moon. Use 16 bits or more, 8 bits
    /// give steps.
    PlanetImport "Planet from a file" in "Planet", from "equirectangular projection; cube faces", also "import map earth mars moon dem equirectangular cylinder cube load" {
        /// The file. A .r16 or .r32 map must be twice as wide as high.
        file: ImageFile = ImageFile::default();
        /// How the planet is laid out in files.
        layout: FileLayout = FileLayout::Map;
        /// Longitude in the middle of the map. Many maps have 180° there.
        middle: f32 ["°"] = 0.0, -180.0..=180.0;
        /// Which heights black and white stand for.
        heights: Heights = Heights::File;
        /// Height that black stands for.
        low_metres: f32 ["m"] = -11_000.0, -100_000.0..=100_000.0, slider -12_000.0..=4000.0;
        /// Height that white stands for.
        high_metres: f32 ["m"] = 8900.0, -100_000.0..=100_000.0, slider 0.0..=25_000.0;
        /// How heights between the samples of the file are found.
        sampling: Sampling = Sampling::Bicubic;
    }
}

impl Generator for PlanetImport {
    fn traits(&self) -> Traits {
        Traits { on_globe: true, on_square: false, ..Traits::GENERATOR }
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

    fn fill_map(
        &self,
        cx: &Context,
        registration: Registration,
        is_smooth: bool,
        out: &mut [f32],
    ) -> Result<(), Cancelled> {
        let Ok(raster) = raster(&self.file.0) else { return each(cx, out, |_| 0.0) };
        let map = Equirectangular { width: raster.width, height: raster.height, registration };
        let (sin, cos) = libm::sincos(f64::from(-self.middle).to_radians());
        each(cx, out, |[x, y, z]| {
            let [column, row] = map.place([x * cos - y * sin, x * sin + y * cos, z]);
            let (first, above) = (libm::floor(column), libm::floor(row));
            let (right, down) = ((column - first) as f32, (row - above) as f32);
            let (j, i) = (first as isize, above as isize);
            let at = |i: isize, j: isize| {
                let (column, row) = map.wrapped(j, i);
                raster.values[row * raster.width + column]
            };
            let value = if is_smooth {
                let row = |i: isize| catmull_rom([j - 1, j, j + 1, j + 2].map(|j| at(i, j)), right);
                catmull_rom([i - 1, i, i + 1, i + 2].map(row), down)
            } else {
                let along = |i: isize| at(i, j) + (at(i, j + 1) - at(i, j)) * right;
                along(i) + (along(i + 1) - along(i)) * down
            };
            self.height(cx, &raster, value)
        })
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
