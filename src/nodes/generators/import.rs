//! Heightmap from a file: heights that were measured or made by another program.
//!
//! Law: h = (low + (high - low) · v) / relief with v the file's value from 0 to 1 at the sample's position. The file's
//! first and last samples are on the edges of the terrain, so a file of the scene's own size is read sample by sample.
//! If a file has more samples than the scene, the scene's samples are interpolated from it without averaging: a preview
//! is exactly a subsample.
//! Boundary: a wrapping terrain repeats its first row and column, so height differences form a cliff there (the filter
//! `Seamless` removes the cliff).
//! No data: voids are filled from the rim (a membrane: Laplace's equation), set to the lowest height or to the sea
//! level, or cut out.
//! Metres: heights in metres are used as they are. [`Import::note`] tells the user if the scene's width differs from
//! the file's width, and [`ImportSettings`] holds the settings of a scene that fits the file.
//! Squares only: the file covers a square terrain; [`PlanetImport`](crate::planet::import) reads maps of planets.

use std::path::Path;
use std::sync::Arc;

use crate::{Context, Generator, Traits};
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::io::formats::{HeightUnit, NoDataRule, NumberMeaning, RasterReader, ReadOptions};
use talweg_ground::io::{Raster, RasterError};
use talweg_ground::mesh::import::is_mesh;
use talweg_ground::mesh::raster_or_mesh;
use talweg_ground::param::ImageFile;

talweg_ground::choices! {
    /// The heights that black and white stand for.
    Heights {
        File "As in the file": "The file's own heights, if it uses metres: measured heights, floats, and files written by Talweg. Otherwise the heights given below.",
        Given "As given below": "Black and white stand for the two heights given below.",
    }
}

/// The settings for reading a file, from the parameters of an import node.
macro_rules! read_options {
    ($import:expr, $from_south:expr) => {
        ReadOptions {
            raw_width: $import.raw_width,
            big_endian: $import.raw_bytes == ByteOrder::Big,
            first_row_is_south: $from_south,
            meaning: $import.numbers,
            unit: $import.unit,
            no_data: $import.no_data,
            no_data_value: $import.no_data_value,
            channel: $import.channel as u16,
        }
    };
}
pub(crate) use read_options;

impl Heights {
    /// Heights in metres that black and white stand for: the file's own heights, or `given` if the file records no
    /// heights or the user overrides them.
    pub fn range(self, raster: &Raster, given: (f32, f32)) -> (f32, f32) {
        match (self, raster.range_metres) {
            (Self::File, Some(range)) => range,
            _ => given,
        }
    }
}

talweg_ground::choices! {
    /// Placement of a file that is not square.
    Fit {
        Stretch "Stretch": "The whole file covers the terrain; a file that is not square is distorted.",
        Crop "Crop": "The middle of the file covers the terrain; the longer side is cut off.",
        Whole "Whole": "The whole file is shown undistorted; around the file, the heights of its edge continue.",
    }
}

talweg_ground::choices! {
    /// Treatment of areas without data.
    VoidFill {
        Smooth "Filled from the rim": "A smooth surface between the edges of the gap.",
        Lowest "Lowest height": "The lowest height of the file.",
        Sea "Sea level": "The height of the water surface.",
        Void "Cut out": "The area is cut out of the terrain and becomes a void. The scene setting `voids` says whether water and rock cross it, on the surface that a fill from the rim would give, or whether the land ends there.",
    }
}

talweg_ground::choices! {
    /// The byte order of the numbers in a raw file.
    ByteOrder {
        Little "Little-endian": "Lowest byte first, as in nearly all programs on PCs.",
        Big "Big-endian": "Highest byte first, as on old Macintoshes and in some measured data.",
    }
}

talweg_ground::choices! {
    /// The edge of the terrain that the first row of a file belongs to.
    RowOrder {
        North "North": "Rows run from north to south, as in images. Files that state another direction are turned to north.",
        South "South": "Rows run from south to north, as in several engines.",
    }
}

talweg_ground::choices! {
    /// The interpolation of heights between the samples of the file.
    Sampling {
        Bicubic "Smooth": "Smooth between the samples (bicubic): no creases when the file is enlarged.",
        Bilinear "Straight": "Linear between the samples (bilinear): never beyond the file's own heights.",
    }
}

talweg_ground::params! {
    /// Heights from a file: PNG, TIFF and GeoTIFF, OpenEXR, SRTM tiles, ESRI ASCII grids, raw numbers, or a mesh (GLB,
    /// OBJ, PLY, STL) projected from above. Use 16 bits or more: 8 bits give visible steps.
    Import "Heightmap from a file" in "Shapes", from "files of other programs", also "import image picture mesh glb obj ply stl png tiff tif geotiff exr hgt srtm asc r16 r32 raw dem heightfield elevation load" {
        /// The file. For a raw file (.r16, .raw, .r32), also set the width.
        file: ImageFile = ImageFile::default();
        /// Source of the heights that black and white stand for.
        heights: Heights = Heights::File;
        /// Height that black stands for.
        low_metres: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -1000.0..=4000.0;
        /// Height that white stands for.
        high_metres: f32 ["m"] = 1800.0, -100_000.0..=100_000.0, slider -1000.0..=4000.0;
        /// Placement of a file that is not square.
        fit: Fit = Fit::Stretch;
        /// Interpolation of heights between the samples of the file.
        sampling: Sampling = Sampling::Bicubic;
        /// Treatment of areas without data.
        voids: VoidFill = VoidFill::Smooth;
        /// Samples per row of a raw file. 0 assumes a square file, or a file twice as wide as high.
        raw_width: u32 ["samples"] = 0, 0..=65_536, slider 0..=8192 => |import| import.is_raw();
        /// Byte order of the numbers in a raw file.
        raw_bytes: ByteOrder = ByteOrder::Little => |import| import.is_raw();
        /// Edge of the terrain that the first row of the file belongs to.
        raw_rows: RowOrder = RowOrder::North;
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

impl Generator for Import {
    fn traits(&self) -> Traits {
        let writes: &[MapKind] = if self.voids == VoidFill::Void { &[MapKind::Ground] } else { &[] };
        // Since version 2, meshes are sampled as densely as their vertices.
        let version = 1 + u32::from(is_mesh(Path::new(&self.file.0)));
        Traits { version, writes, reads_sea_level: self.voids == VoidFill::Sea, ..Traits::GENERATOR }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let Ok(raster) = self.raster() else {
            // The scene reports problems with the file; until the problems are solved the terrain is level.
            return cx.rows(out, |_, row| row.fill(0.0));
        };
        let (low, high) = self.heights.range(&raster, (self.low_metres, self.high_metres));
        let (low, span) = (low / cx.relief_metres, (high - low) / cx.relief_metres);
        let values = match self.voids {
            VoidFill::Smooth | VoidFill::Void => raster.filled(),
            VoidFill::Lowest | VoidFill::Sea => &raster.values,
        };
        let sea = if span == 0.0 { 0.0 } else { (cx.sea_level - low) / span };
        let is_sea = self.voids == VoidFill::Sea && !raster.is_void.is_empty();
        let value = |k: usize| if is_sea && raster.is_void[k] { sea } else { values[k] };
        self.each(cx, &raster, out, |u, v| {
            let value = match self.sampling {
                Sampling::Bicubic => raster.bicubic_by(u, v, value),
                Sampling::Bilinear => raster.bilinear_by(u, v, value),
            };
            low + span * value
        })
    }

    fn generate(&self, cx: &Context, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill(cx, &mut made.height)?;
        if self.voids != VoidFill::Void {
            return Ok(());
        }
        let ground = made.map_mut(MapKind::Ground);
        match self.raster() {
            Ok(raster) if !raster.is_void.is_empty() => {
                let has_data = |k: usize| if raster.is_void[k] { 0.0 } else { 1.0 };
                self.each(cx, &raster, ground, |u, v| raster.bilinear_by(u, v, has_data))
            }
            _ => cx.rows(ground, |_, row| row.fill(1.0)),
        }
    }

    fn read_options(&self) -> ReadOptions {
        read_options!(self, self.raw_rows == RowOrder::South)
    }

    fn files_note(&self, size_metres: f32) -> Option<String> {
        self.note(&*self.raster().ok()?, size_metres)
    }
}

/// Largest difference between the scene's size and the file's size that is not reported, as a fraction.
const NEAR: f64 = 0.01;

impl Import {
    fn raster(&self) -> Result<Arc<Raster>, RasterError> {
        raster_or_mesh(&self.file.0, self.read_options())
    }

    /// Whether the file is raw, so that its width must be set.
    fn is_raw(&self) -> bool {
        RasterReader::for_path(Path::new(&self.file.0)).is_some_and(|reader| reader.is_raw)
    }

    /// Computes every sample of `out` from the sample's position in the file.
    fn each(
        &self,
        cx: &Context,
        raster: &Raster,
        out: &mut [f32],
        number: impl Fn(f32, f32) -> f32 + Sync,
    ) -> Result<(), Cancelled> {
        let (across, down) = self.window(raster);
        let grid = cx.grid;
        let [first_row, first_column] = grid.first();
        let place = |k: usize, (first, width): (f32, f32)| first + grid.position(k) * width;
        cx.rows(out, |i, row| {
            let v = place(first_row + i % grid.distinct_side(), down);
            for (j, number_here) in row.iter_mut().enumerate() {
                *number_here = number(place(first_column + j % grid.distinct_side(), across), v);
            }
        })
    }

    /// Side length in metres of a scene as wide as the visible part of the file; `None` if the file does not record its
    /// size.
    pub fn fitting_metres(&self, raster: &Raster) -> Option<f64> {
        let [across, down] = raster.extent_metres()?;
        Some(match self.fit {
            Fit::Stretch | Fit::Whole if across >= down => across,
            Fit::Stretch | Fit::Whole => down,
            Fit::Crop if across >= down => down,
            Fit::Crop => across,
        })
    }

    /// Returns a note for the user if the file records another size than `size_metres`, the scene's side length, or if
    /// the file is distorted.
    pub fn note(&self, raster: &Raster, size_metres: f32) -> Option<String> {
        let [across, down] = raster.extent_metres()?;
        let side = self.fitting_metres(raster)?;
        let size = f64::from(size_metres);
        let is_near = |a: f64, b: f64| (a / b - 1.0).abs() <= NEAR;
        let covers = format!("the file covers {} × {}", distance(across), distance(down));
        if self.fit == Fit::Stretch && !is_near(across, down) {
            return Some(format!(
                "{covers} and is stretched to a square; choose Crop or Whole to keep its proportions"
            ));
        }
        if is_near(size, side) {
            return None;
        }
        Some(format!(
            "{covers}, and the scene is {} wide: slopes are {:.2} times as steep as in reality. Set the size to \
             {:.0} m for the actual slopes",
            distance(size),
            side / size,
            side
        ))
    }

    /// Start and length of the visible part of the file, first across and then down.
    fn window(&self, raster: &Raster) -> ((f32, f32), (f32, f32)) {
        let whole = (0.0, 1.0);
        let samples = ((raster.width - 1) as f32, (raster.height - 1) as f32);
        // In a grid of degrees, a step to the north is longer than a step to the east.
        let (width, height) = raster.extent_metres().map_or(samples, |[across, down]| (across as f32, down as f32));
        let about_middle = |share: f32| (0.5 - 0.5 * share, share);
        // Crop cuts off the longer side. Whole leaves space beside the shorter side.
        match (self.fit, width > height) {
            (Fit::Stretch, _) => (whole, whole),
            (Fit::Crop, true) => (about_middle(height / width), whole),
            (Fit::Crop, false) => (whole, about_middle(width / height)),
            (Fit::Whole, true) => (whole, about_middle(width / height)),
            (Fit::Whole, false) => (about_middle(height / width), whole),
        }
    }
}

/// Formats a distance for users.
fn distance(metres: f64) -> String {
    if metres < 1000.0 { format!("{metres:.0} m") } else { format!("{:.2} km", metres / 1000.0) }
}

/// Settings of a scene that fits a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImportSettings {
    /// Side length of the largest square in the file, in metres; `None` if the file is not georeferenced.
    pub size_metres: Option<f32>,
    /// Difference between the lowest and the highest height, in metres; `None` if the file's heights are not in metres.
    pub relief_metres: Option<f32>,
    /// Samples along the shorter side of the file, at most 4097.
    pub resolution: u32,
}

/// Maximum samples per side of a scene made from a file.
const MOST_RESOLUTION: usize = 4097;

/// Returns the size, relief and resolution of a scene that shows the largest square of `raster` undistorted.
pub fn import_settings(raster: &Raster) -> ImportSettings {
    let square = raster.extent_metres().map(|[across, down]| across.min(down) as f32);
    let relief = raster.range_metres.map(|(low, high)| high - low);
    ImportSettings {
        size_metres: square.filter(|metres| metres.is_finite()).map(|metres| metres.clamp(1.0, 1_000_000.0)),
        relief_metres: relief.filter(|metres| metres.is_finite()).map(|metres| metres.clamp(0.1, 100_000.0)),
        resolution: raster.width.min(raster.height).min(MOST_RESOLUTION) as u32,
    }
}
