//! Writes a map in a raster format, with its sample type, range and texts.

use std::ops::Range;
use std::path::PathBuf;

use serde::Serialize;

use super::maps::{MapNature, MapSheet};
use crate::appearance::decode;
use crate::field::{Control, Terrain};
use crate::io::formats::{GeoReference, RasterFormat, RasterOut, RasterSheet, SampleType, Samples};
use crate::io::{FileError, SaveTarget, StagedFile};

/// The value of samples without terrain in georeferenced files of floats.
pub const NODATA: f32 = -9999.0;

/// Data about an exported raster that another program needs to read the file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RasterReport {
    /// The file that was written.
    pub path: PathBuf,
    /// Id of the map, such as `wear` or `splat0`.
    pub map: String,
    /// Id of the raster format.
    pub format: &'static str,
    /// Samples per row.
    pub samples: usize,
    /// Number of rows.
    pub rows: usize,
    /// Unit of the values; empty if there is none.
    pub unit: &'static str,
    /// Value that 0 represents in a 16-bit file; in other files, the lowest value of the map.
    pub min: f32,
    /// Value that 65535 represents in a 16-bit file; in other files, the highest value of the map.
    pub max: f32,
    /// Difference in value between two successive numbers of a 16-bit file; 0 for floats and bytes.
    pub per_step: f32,
    /// Distance in metres between neighbouring samples; for maps of planets, along the equator.
    pub cell_metres: f32,
    /// Number of samples without terrain. These samples have the lowest value, or the no-data value if the format has
    /// one.
    pub void_samples: usize,
}

impl RasterReport {
    /// A sentence about the samples without terrain, if there are any.
    pub fn void(&self) -> Option<String> {
        let lowest = self.min;
        (self.void_samples > 0).then(|| {
            let unit = self.unit;
            format!(
                "{} samples have no ground; they hold the lowest value, {lowest} {unit}, or no-data",
                self.void_samples
            )
        })
    }
}

/// A map sheet to write, with its options.
#[derive(Clone, Copy)]
pub(super) struct RasterJob<'a> {
    pub format: &'static RasterFormat,
    pub sheet: &'a MapSheet<'a>,
    /// First row, first column, number of rows and number of columns of the part to write.
    pub part: [usize; 4],
    /// Values that the lowest and the highest integer represent.
    pub range: (f32, f32),
    pub normalised: bool,
    pub south_first: bool,
    pub big_endian: bool,
    pub directx_normals: bool,
    pub cell_metres: f32,
    /// Georeference of the part.
    pub placement: Option<GeoReference>,
    pub texts: &'a [(String, String)],
    /// Whether there is terrain at a row and column of the whole sheet; `None` if there is terrain everywhere.
    pub ground: Option<&'a (dyn Fn(usize, usize) -> bool + Sync)>,
    /// Cancels the writing.
    pub control: &'a Control,
}

/// The sample type with which a format stores a map; `None` if the format cannot store it.
pub(super) fn sample_type(nature: MapNature, channels: usize, format: &RasterFormat) -> Option<SampleType> {
    if channels > format.channels {
        return None;
    }
    let order = match nature {
        MapNature::Bits => return format.holds(SampleType::F32).then_some(SampleType::F32),
        MapNature::Scalar => [SampleType::F32, SampleType::U16, SampleType::U8],
        _ => [SampleType::U8, SampleType::F32, SampleType::U16],
    };
    order.into_iter().find(|&kind| format.holds(kind))
}

impl RasterJob<'_> {
    /// Writes the new file into the folder of the existing one, without replacing that file yet.
    pub(super) fn stage(&self, to: &SaveTarget) -> Result<(RasterReport, StagedFile), FileError> {
        let staged = StagedFile::new_while(to, self.control, |file| self.write(file))?;
        Ok((self.report(to), staged))
    }

    /// The sample type of the file to write.
    fn kind(&self) -> SampleType {
        sample_type(self.sheet.nature, self.sheet.channels, self.format).unwrap_or(SampleType::F32)
    }

    /// Converts the row and column of a sample in the file to its row and column in the whole sheet.
    fn sheet_position(&self, row: usize, column: usize) -> (usize, usize) {
        let [first, left, rows, _] = self.part;
        let is_raw = !self.format.has_texts && !self.format.has_placement;
        (first + if self.south_first && is_raw { rows - 1 - row } else { row }, left + column)
    }

    fn is_void(&self, row: usize, column: usize) -> bool {
        let (row, column) = self.sheet_position(row, column);
        self.ground.is_some_and(|ground| !ground(row, column))
    }

    fn report(&self, to: &SaveTarget) -> RasterReport {
        let ([_, _, rows, columns], (low, high), sheet) = (self.part, self.range, self.sheet);
        let is_stepped = self.kind() == SampleType::U16 && sheet.nature == MapNature::Scalar;
        let void_in = |row: usize| (0..columns).filter(|&column| self.is_void(row, column)).count();
        RasterReport {
            path: to.path().into(),
            map: sheet.label.clone(),
            format: self.format.id,
            samples: columns,
            rows,
            unit: sheet.unit,
            min: low,
            max: high,
            per_step: if is_stepped { (high - low) / 65535.0 } else { 0.0 },
            cell_metres: self.cell_metres,
            void_samples: self.ground.map_or(0, |_| (0..rows).map(void_in).sum()),
        }
    }

    /// Writes the samples of the part to `out`.
    pub(super) fn write(&self, out: &mut dyn RasterOut) -> std::io::Result<()> {
        let [_, _, rows, columns] = self.part;
        let (sheet, kind) = (self.sheet, self.kind());
        let (low, high) = self.range;
        let green = if self.directx_normals && sheet.nature == MapNature::Vector { -1.0 } else { 1.0 };
        // The values of some columns of a row of the file.
        let values = |row: usize, columns: Range<usize>, out: &mut [f32]| {
            let (of_sheet, left) = self.sheet_position(row, columns.start);
            (sheet.rows)(of_sheet, left..left + columns.len(), out);
            if green != 1.0 {
                out.iter_mut().skip(1).step_by(sheet.channels).for_each(|value| *value *= green);
            }
        };
        let is_scalar = sheet.nature == MapNature::Scalar;
        let fill_voids = |row: usize, columns: Range<usize>, out: &mut [f32], value: f32| {
            if self.ground.is_some() {
                let void = columns.zip(out.chunks_exact_mut(sheet.channels));
                void.filter(|(column, _)| self.is_void(row, *column)).for_each(|(_, out)| out.fill(value));
            }
        };
        let has_nodata = kind == SampleType::F32 && self.format.has_placement && is_scalar;
        let scale = if high > low { 1.0 / (high - low) } else { 0.0 };
        let floats = |row: usize, columns: Range<usize>, out: &mut [f32]| {
            values(row, columns.clone(), out);
            if is_scalar {
                fill_voids(row, columns.clone(), out, low);
            }
            match sheet.nature {
                MapNature::Scalar if self.normalised => {
                    out.iter_mut().for_each(|value| *value = (*value - low) * scale)
                }
                MapNature::Colour => out.iter_mut().for_each(|value| *value = decode([*value as u8; 3])[0]),
                MapNature::Weights => out.iter_mut().for_each(|value| *value /= 255.0),
                _ => {}
            }
            if has_nodata {
                fill_voids(row, columns, out, NODATA);
            }
        };
        let words = |row: usize, columns: Range<usize>, out: &mut [u16]| {
            let mut numbers = vec![0.0; out.len()];
            values(row, columns.clone(), &mut numbers);
            fill_voids(row, columns, &mut numbers, low);
            let numbers = out.iter_mut().zip(numbers);
            match sheet.nature {
                MapNature::Scalar => {
                    let steps = scale * 65535.0;
                    numbers.for_each(|(out, value)| *out = ((value - low) * steps + 0.5) as u16);
                }
                MapNature::Vector => {
                    numbers.for_each(|(out, value)| *out = ((value * 0.5 + 0.5) * 65535.0 + 0.5) as u16)
                }
                MapNature::Colour | MapNature::Weights => {
                    numbers.for_each(|(out, value)| *out = (value * 257.0) as u16)
                }
                MapNature::Index | MapNature::Bits => numbers.for_each(|(out, value)| *out = value as u16),
            }
        };
        let bytes = |row: usize, columns: Range<usize>, out: &mut [u8]| {
            let mut numbers = vec![0.0; out.len()];
            values(row, columns, &mut numbers);
            let numbers = out.iter_mut().zip(numbers);
            match sheet.nature {
                MapNature::Scalar => {
                    let steps = scale * 255.0;
                    numbers.for_each(|(out, value)| *out = ((value - low) * steps + 0.5) as u8);
                }
                MapNature::Vector => numbers.for_each(|(out, value)| *out = ((value * 0.5 + 0.5) * 255.0 + 0.5) as u8),
                _ => numbers.for_each(|(out, value)| *out = value as u8),
            }
        };
        let texts = [self.own_texts(), self.texts.to_vec()].concat();
        let colours: Vec<[u8; 3]> = sheet.legend.iter().map(|entry| entry.colour).collect();
        let is_legend = sheet.nature == MapNature::Index && !colours.is_empty() && kind == SampleType::U8;
        let raster = RasterSheet {
            width: columns,
            height: rows,
            channels: sheet.channels,
            samples: match kind {
                SampleType::U8 => Samples::U8(&bytes),
                SampleType::U16 => Samples::U16(&words),
                SampleType::F32 => Samples::F32(&floats),
            },
            is_srgb: sheet.nature == MapNature::Colour,
            palette: is_legend.then_some(&colours),
            placement: self.placement,
            nodata: (has_nodata && self.ground.is_some()).then_some(NODATA),
            texts: if self.format.has_texts { &texts } else { &[] },
            big_endian: self.big_endian,
            control: Some(self.control),
        };
        self.format.write(&raster, out)
    }

    /// Range, unit and spacing as texts to store in the file.
    fn own_texts(&self) -> Vec<(String, String)> {
        let sheet = self.sheet;
        let mut texts = vec![("Software".to_string(), concat!("Talweg ", env!("CARGO_PKG_VERSION")).to_string())];
        if sheet.nature == MapNature::Scalar {
            let (low, high) = self.range;
            let unit = match sheet.unit {
                "m" => "_metres",
                "°C" => "_celsius",
                "°" => "_degrees",
                _ => "",
            };
            texts.push((format!("talweg min{unit}"), low.to_string()));
            texts.push((format!("talweg max{unit}"), high.to_string()));
        }
        texts.push(("talweg cell_metres".into(), self.cell_metres.to_string()));
        texts.push(("talweg map".into(), sheet.label.clone()));
        texts
    }
}

/// Distance in metres on the ground between neighbouring samples of a terrain; for a planet, along the middle of a
/// face.
pub(super) fn cell_metres(side_metres: f32, terrain: &Terrain) -> f32 {
    side_metres * terrain.grid.cell()
}
