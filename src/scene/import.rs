//! Makes a scene from a height file. The file becomes the first layer, and the scene takes over the size and height
//! range of the file.

use std::path::Path;

use super::{Layer, Scene};
use crate::appearance_files::BIOME_PREFIX;
use crate::io::formats::ReadOptions;
use crate::io::{Raster, RasterError, check_name};
use crate::mesh::raster_or_mesh;
use crate::nodes::Node;
use crate::nodes::generators::import::{ByteOrder, Fit, Import, RowOrder, import_settings};
use crate::nodes::planet::import::PlanetImport;
use crate::param::ImageFile;
use crate::planet::{Air, Planet};

/// A file counts as square if its two side lengths differ by at most this fraction.
const NEARLY_SQUARE: f64 = 0.01;

/// A scene whose first layer reads a height file. A terrain takes its size, relief and number of samples from the file
/// if the file states metres; otherwise the scene uses the defaults. A file that covers a whole planet becomes a
/// planet, with the radius that the file states or Earth's radius. Of a file that is not square, the scene shows the
/// largest square in the middle.
///
/// # Errors
/// When the file cannot be read.
pub fn scene_from_file(path: &Path) -> Result<Scene, RasterError> {
    scene_from_file_as(path, ReadOptions::default())
}

/// Like [`scene_from_file`], with settings for reading the file.
///
/// # Errors
/// The errors of [`scene_from_file`]. Also when a raw file does not consist of whole rows of the given width.
pub fn scene_from_file_as(path: &Path, options: ReadOptions) -> Result<Scene, RasterError> {
    let failed = |message: String| RasterError::Read { path: path.into(), message };
    check_name(path).map_err(|error| failed(error.to_string()))?;
    let whole = std::path::absolute(path).map_err(|error| failed(error.to_string()))?;
    let file = ImageFile(whole.to_string_lossy().into_owned());
    let raster = raster_or_mesh(&file.0, options)?;
    let raw_bytes = if options.big_endian { ByteOrder::Big } else { ByteOrder::Little };
    let ReadOptions { raw_width, meaning: numbers, unit, no_data, no_data_value, .. } = options;
    let channel = u32::from(options.channel);
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let settings = import_settings(&raster);
    if is_planet(&raster) {
        let mut scene = Scene { name, ..Scene::new_planet() };
        let node = Node::PlanetImport(PlanetImport {
            file,
            raw_width,
            raw_bytes,
            numbers,
            unit,
            no_data,
            no_data_value,
            channel,
            ..PlanetImport::default()
        });
        scene.layers = vec![Layer::new(node, 1)];
        scene.settings.relief_metres = settings.relief_metres.unwrap_or(scene.settings.relief_metres);
        if let Some(radius) = raster.placement.and_then(|placement| placement.radius_metres) {
            // Among the mapped bodies other than the Earth, only Mars has air, and none has a sea.
            let is_mars = (radius / MARS_RADIUS - 1.0).abs() < 0.02;
            let (atmosphere, air, table) =
                if is_mars { (0.01, Air::Dust, "mars") } else { (0.0, Air::Nitrogen, "moon") };
            scene.planet = Planet { radius_metres: radius as f32, atmosphere, air, ..scene.planet };
            scene.palette = format!("{BIOME_PREFIX}{table}");
            scene.settings.sea_level = -MOST_DEPTH;
        }
        // One face covers a quarter of the circumference.
        scene.settings.resolution = (raster.width / 4 + 1).clamp(65, 2049) as u32;
        return Ok(scene);
    }
    let [across, down] = raster.extent_metres().unwrap_or([raster.width as f64 - 1.0, raster.height as f64 - 1.0]);
    let is_square = (across / down - 1.0).abs() <= NEARLY_SQUARE;
    let fit = if is_square { Fit::Stretch } else { Fit::Crop };
    let raw_rows = if options.first_row_is_south { RowOrder::South } else { RowOrder::North };
    let node = Node::Import(Import {
        file,
        fit,
        raw_width,
        raw_bytes,
        raw_rows,
        numbers,
        unit,
        no_data,
        no_data_value,
        channel,
        ..Import::default()
    });
    let mut scene = Scene { name, layers: vec![Layer::new(node, 1)], ..Scene::default() };
    scene.settings.resolution = settings.resolution;
    scene.settings.size_metres = match settings.size_metres {
        // For a slightly stretched file, the scene is as wide as the longer side of the file.
        Some(_) if is_square => (across.max(down) as f32).clamp(1.0, 1_000_000.0),
        Some(size) => size,
        None => scene.settings.size_metres,
    };
    scene.settings.relief_metres = settings.relief_metres.unwrap_or(scene.settings.relief_metres);
    Ok(scene)
}

/// Radius of Mars at its equator in metres.
const MARS_RADIUS: f64 = 3_396_190.0;
/// Maximum depth of a sea, in metres.
const MOST_DEPTH: f32 = 100_000.0;

/// Whether a file's georeference goes all around a planet and covers most latitudes (some maps end short of the poles).
fn is_planet(raster: &Raster) -> bool {
    let Some(placement) = raster.placement.filter(|placement| placement.in_degrees) else { return false };
    let [east, south] = placement.step;
    east * raster.width as f64 > 359.0 && south * raster.height as f64 > 90.0
}
