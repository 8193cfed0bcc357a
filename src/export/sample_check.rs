//! Checks whether the samples of a raster file equal those of the scene inside the file. The map is encoded again in
//! memory, and the same reader decodes both versions.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use super::ExportRequest;
use super::maps::{ExportMap, FilePart, MapNature, MapSheet, MapSource, PixelLayout, layouts};
use super::origin::OriginError;
use super::raster_file::{RasterJob, cell_metres, sample_type};
use crate::field::{Control, MapKind, Terrain};
use crate::io::formats::{DecodedRaster, RasterFormat, RasterReader, RasterSource, SampleMeaning, SampleType, Texts};
use crate::mesh::formats::MeshFormat;
use crate::planet::projection::{Equirectangular, FACE_NAMES, Registration};
use crate::scene::Scene;

/// The outcome of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum SampleCheck {
    /// All samples match the scene, within a rounding step of the format.
    Same {
        /// Id of the map in the file.
        map: String,
        /// Number of columns and rows.
        size: [usize; 2],
        /// Size of a rounding step of the format; 0 for floats.
        step: f32,
        /// Unit of the step.
        unit: &'static str,
    },
    /// Some samples do not match.
    Differs {
        /// Id of the map in the file.
        map: String,
        /// Number of samples that do not match.
        count: usize,
        /// Number of all compared samples.
        of: usize,
        /// Largest difference of a sample from the scene.
        largest: f32,
        /// Unit of the difference.
        unit: &'static str,
        /// Row and column of the largest difference.
        place: [usize; 2],
    },
    /// The samples cannot be compared; the text is the reason.
    NotCompared(String),
}

/// Writes the sentence for the report.
impl std::fmt::Display for SampleCheck {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Same { map, size: [width, height], step, unit } => {
                write!(out, "its {width} × {height} samples of {map} match its scene")?;
                match step {
                    0.0 => Ok(()),
                    step if unit.is_empty() => write!(out, ", to within a step of the file, {step}"),
                    step => write!(out, ", to within a step of the file, {step} {unit}"),
                }
            }
            Self::Differs { map, count, of, largest, unit, place: [row, column] } => write!(
                out,
                "{count} of its {of} samples of {map} do not match its scene: that in row {row}, column \
                 {column} is {} off",
                format!("{largest} {unit}").trim_end()
            ),
            Self::NotCompared(why) => write!(out, "its samples were not compared: {why}"),
        }
    }
}

/// Compares the samples of a file with `terrain`, which was evaluated from the `scene` inside the file.
///
/// # Errors
/// If the file cannot be read, or the comparison was cancelled.
pub fn check_samples(
    path: &Path,
    scene: &Scene,
    terrain: &Terrain,
    control: &Control,
) -> Result<SampleCheck, OriginError> {
    let not_compared = |why: &str| Ok(SampleCheck::NotCompared(why.into()));
    if MeshFormat::for_path(path).is_some() {
        return not_compared("a mesh has no grid of samples");
    }
    let read = |source| OriginError::Read { path: path.into(), source };
    let (Ok(format), Some(reader)) = (RasterFormat::for_path(path), RasterReader::for_path(path)) else {
        return not_compared("Talweg does not read this format as a raster");
    };
    let texts = format.read_texts(path).map_err(read)?;
    let bytes = Arc::new(std::fs::read(path).map_err(read)?);
    let decode = |bytes: &Arc<Vec<u8>>| reader.decode(&RasterSource::new(path, bytes));
    let found = decode(&bytes)?;
    drop(bytes);
    let label = text(&texts, "talweg map").unwrap_or_else(|| "heights".into());
    let Some((part_name, planet)) = planet_layout(path, scene, &found) else {
        return not_compared("the file does not say which part of the planet it shows");
    };
    let mut layouts = layouts(terrain, planet);
    let Some(at) = layouts.iter().position(|(name, _)| *name == part_name) else {
        return not_compared("the file does not say which part of the planet it shows");
    };
    let layout = layouts.swap_remove(at).1;
    let Some(part) = part(path, &layout, &found) else {
        return not_compared("its size differs from that of its scene; is it a renamed tile?");
    };
    let source = MapSource { scene, terrain, band_metres: ExportRequest::default().band_height(scene) };
    let is_of = |map: &ExportMap| {
        let name = if *map == ExportMap::Weights { "weight".into() } else { map.to_string().replace(':', "-") };
        label == name || matches!(map, ExportMap::Splat | ExportMap::Weights) && label.starts_with(&name)
    };
    let mut made = None;
    for map in ExportMap::of_scene(scene).into_iter().filter(is_of) {
        let sheets = source.sheets(&map, &layout, control)?;
        made = made.or_else(|| Some((map, sheets.into_iter().find(|sheet| sheet.label == label)?)));
    }
    let Some((map, sheet)) = made else {
        return not_compared(&format!("the scene has no map `{label}`"));
    };
    let job = FileJob { format, sheet: &sheet, part, found: &found, layout: &layout, scene, terrain, texts: &texts };
    let mut best: Option<SampleCheck> = None;
    for (normalised, directx) in job.variants() {
        control.check().map_err(super::maps::MapError::from)?;
        let mut out = Cursor::new(Vec::new());
        job.write(normalised, directx, &mut out).map_err(read)?;
        let check = job.compared(&decode(&Arc::new(out.into_inner()))?);
        let better = match (&best, &check) {
            (_, SampleCheck::Same { .. }) => return Ok(check),
            (Some(SampleCheck::Differs { count: least, .. }), SampleCheck::Differs { count, .. }) => count < least,
            _ => true,
        };
        if better {
            best = Some(check);
        }
    }
    Ok(match best {
        Some(SampleCheck::Differs { .. }) if map == ExportMap::Bands => {
            SampleCheck::NotCompared("the file does not record the height of its bands".into())
        }
        Some(check) => check,
        None => SampleCheck::NotCompared("the file does not record how it was written".into()),
    })
}

fn text(texts: &Texts, key: &str) -> Option<String> {
    texts.iter().find(|(keyword, _)| keyword == key).map(|(_, text)| text.clone())
}

/// The layout of a planet in the file, determined from the shape and name of the file; `None` if they do not determine
/// it.
fn planet_layout(path: &Path, scene: &Scene, found: &DecodedRaster) -> Option<(FilePart, Option<Equirectangular>)> {
    if !scene.is_planet() {
        return Some((None, None));
    }
    let (width, height) = (found.width, found.height);
    if width != height {
        let registration = if width % 2 == 1 { Registration::Grid } else { Registration::Pixel };
        return Some((None, Some(Equirectangular { width, height, registration })));
    }
    let stem = path.file_stem()?.to_str()?;
    let face = FACE_NAMES.into_iter().find(|face| {
        stem.rsplit('-').next().is_some_and(|end| end == *face || end.starts_with(&format!("{face}_x")))
    })?;
    Some((Some(face), None))
}

/// First row, first column, number of rows and number of columns of the part of the sheet that the file holds. `None`
/// if the part is not known.
fn part(path: &Path, layout: &PixelLayout, found: &DecodedRaster) -> Option<[usize; 4]> {
    let (width, height) = (found.width, found.height);
    if (width, height) == (layout.width, layout.height) {
        return Some([0, 0, height, width]);
    }
    if width != height || layout.width != layout.height || width > layout.width {
        return None;
    }
    let name = path.file_name()?.to_str()?;
    let (_, place) = name.rsplit_once("_x")?;
    let (x, y) = place.split_once("_y")?;
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok();
    let (x, y) = (number(x)?, number(y)?);
    let step = if (layout.width - 1).is_multiple_of((width - 1).max(1)) { width - 1 } else { width };
    let part = [y.checked_mul(step)?, x.checked_mul(step)?, height, width];
    let is_inside = part[0] + height <= layout.height && part[1] + width <= layout.width;
    is_inside.then_some(part)
}

/// A file whose map is written again for comparison.
struct FileJob<'a> {
    format: &'static RasterFormat,
    sheet: &'a MapSheet<'a>,
    part: [usize; 4],
    found: &'a DecodedRaster,
    layout: &'a PixelLayout,
    scene: &'a Scene,
    terrain: &'a Terrain,
    texts: &'a Texts,
}

impl FileJob<'_> {
    fn kind(&self) -> SampleType {
        sample_type(self.sheet.nature, self.sheet.channels, self.format).unwrap_or(SampleType::F32)
    }

    /// Possible values of two options that a file does not record. The first is whether floats are normalised. The
    /// second is the direction of the green channel of normal maps.
    fn variants(&self) -> Vec<(bool, bool)> {
        match self.sheet.nature {
            MapNature::Scalar if self.kind() == SampleType::F32 => vec![(false, false), (true, false)],
            MapNature::Vector => vec![(false, false), (false, true)],
            _ => vec![(false, false)],
        }
    }

    /// The values that black and white represent, as recorded in the file.
    fn range(&self) -> (f32, f32) {
        let end = |key: &str| {
            let found = self.texts.iter().find(|(keyword, _)| keyword.starts_with(key))?;
            found.1.parse::<f32>().ok().filter(|number| number.is_finite())
        };
        end("talweg min").zip(end("talweg max")).unwrap_or(self.sheet.range)
    }

    fn write(&self, normalised: bool, directx: bool, out: &mut Cursor<Vec<u8>>) -> std::io::Result<()> {
        let ground = |row: usize, column: usize| self.terrain.has_ground(self.layout.nearest(row, column));
        let has_void = self.sheet.nature == MapNature::Scalar && self.terrain.map(MapKind::Ground).is_some();
        let job = RasterJob {
            format: self.format,
            sheet: self.sheet,
            part: self.part,
            range: self.range(),
            normalised,
            south_first: false,
            big_endian: false,
            directx_normals: directx,
            cell_metres: cell_metres(self.scene.side_metres(), self.terrain),
            placement: self.found.placement,
            texts: &[],
            ground: has_void.then_some(&ground),
            control: &Control::default(),
        };
        job.write(out)
    }

    fn compared(&self, made: &DecodedRaster) -> SampleCheck {
        let map = self.sheet.label.clone();
        let (found, kind) = (self.found, self.kind());
        if (made.width, made.height) != (found.width, found.height) {
            return SampleCheck::NotCompared("its size differs from that of its scene".into());
        }
        let greatest = made.values.iter().filter(|v| v.is_finite()).fold(1.0f32, |most, v| most.max(v.abs()));
        let allowed = match kind {
            SampleType::U8 => 1.001 / 255.0,
            SampleType::U16 => 1.001 / 65535.0,
            // Another computer can round the last bit of a float differently.
            SampleType::F32 => greatest * 4.0 * f32::EPSILON,
        };
        let (mut count, mut largest, mut at) = (0, 0.0f32, 0);
        for (k, (a, b)) in found.values.iter().zip(&made.values).enumerate() {
            let off = (a - b).abs();
            let is_void = !a.is_finite() && !b.is_finite();
            if is_void || off <= allowed {
                continue;
            }
            count += 1;
            // If only one of the two files has data for a sample, the difference is not finite. Such a difference does
            // not count as the largest.
            let off = if off.is_finite() { off } else { 0.0 };
            if off > largest || count == 1 {
                (largest, at) = (off, k);
            }
        }
        let (low, high) = self.range();
        let is_scalar = self.sheet.nature == MapNature::Scalar;
        let span = match found.meaning {
            SampleMeaning::Fractions { .. } if is_scalar => high - low,
            SampleMeaning::Fractions { .. } | SampleMeaning::Metres => 1.0,
        };
        let unit = if is_scalar { self.sheet.unit } else { "" };
        if count == 0 {
            let step = if kind == SampleType::U16 && is_scalar { (high - low) / 65535.0 } else { 0.0 };
            return SampleCheck::Same { map, size: [found.width, found.height], step, unit };
        }
        let (of, place) = (found.values.len(), [at / found.width, at % found.width]);
        SampleCheck::Differs { map, count, of, largest: largest * span, unit, place }
    }
}
