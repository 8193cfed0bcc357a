//! Exports heights without data maps, in any raster format. Patches use this export, and so do presets for programs
//! that cannot import data maps.

use std::ops::Range;
use std::path::PathBuf;

use serde::Serialize;

use super::formats::{RasterFormat, RasterSheet, SampleType, Samples};
use super::{FileError, SaveTarget, StagedFile};
use crate::field::Terrain;

/// Facts that another program needs in order to read an exported heightmap.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeightReport {
    /// The file that was written.
    pub path: PathBuf,
    /// Number of samples per row.
    pub samples: usize,
    /// Number of rows.
    pub rows: usize,
    /// Lowest exported height; in 16-bit formats, the height of the value 0.
    pub min_metres: f32,
    /// Highest exported height; in 16-bit formats, the height of the value 65535.
    pub max_metres: f32,
    /// Distance between neighbouring samples; on planet maps, along the equator.
    pub cell_metres: f32,
    /// Height difference of one step in a 16-bit format; 0 for floats.
    pub metres_per_step: f32,
    /// Number of samples without data; the file holds the lowest height, [`Self::min_metres`], for them.
    pub void_samples: usize,
}

impl HeightReport {
    /// A sentence about the samples without data in the file, or `None` if all samples have data.
    pub fn void(&self) -> Option<String> {
        let lowest = self.min_metres;
        (self.void_samples > 0).then(|| {
            format!(
                "{} samples have no data; the file holds the lowest height, {lowest} m, for them",
                self.void_samples
            )
        })
    }
}

/// The largest 16-bit value.
const STEPS: f32 = 65535.0;

/// Heights to export, row by row from the north.
pub struct HeightSheet<'a> {
    /// Number of samples per row.
    pub width: usize,
    /// Heights as fractions of the relief.
    pub heights: &'a [f32],
    /// The heights that are stored as black and as white, as fractions of the relief.
    pub range: (f32, f32),
    /// Relief in metres: the height that one unit of `heights` means.
    pub relief_metres: f32,
    /// Distance between neighbouring samples, in metres.
    pub cell_metres: f32,
}

/// Writes the heights of a square terrain, row by row, in the format given by the file extension of `to`. `side_metres`
/// is the side length of the terrain.
pub fn export_heightmap(
    terrain: &Terrain,
    relief_metres: f32,
    side_metres: f32,
    to: impl Into<SaveTarget>,
) -> Result<HeightReport, FileError> {
    let (range, void_samples) = (terrain.range(), terrain.void_samples());
    let filled: Vec<f32>;
    let heights = if void_samples > 0 {
        let cells = terrain.height.iter().enumerate();
        filled = cells.map(|(k, &h)| if terrain.has_ground(k) { h } else { range.0 }).collect();
        &filled
    } else {
        &terrain.height
    };
    let sheet = HeightSheet {
        width: terrain.samples(),
        heights,
        range,
        relief_metres,
        cell_metres: side_metres * terrain.grid.cell(),
    };
    Ok(HeightReport { void_samples, ..export_sheet(&sheet, to)? })
}

/// Writes the heights of `sheet`, row by row, in the format given by the file extension of `to`.
///
/// # Errors
/// When the file cannot be written.
pub fn export_sheet(sheet: &HeightSheet, to: impl Into<SaveTarget>) -> Result<HeightReport, FileError> {
    let to = to.into();
    let format = RasterFormat::for_path(to.path())?;
    let (low, high) = sheet.range;
    let (min_metres, max_metres) = (low * sheet.relief_metres, high * sheet.relief_metres);
    let is_float = format.holds(SampleType::F32);
    let report = HeightReport {
        path: to.path().into(),
        samples: sheet.width,
        rows: sheet.heights.len() / sheet.width,
        min_metres,
        max_metres,
        cell_metres: sheet.cell_metres,
        metres_per_step: if is_float { 0.0 } else { (max_metres - min_metres) / STEPS },
        void_samples: 0,
    };
    let to_steps = if high > low { STEPS / (high - low) } else { 0.0 };
    let heights = |row: usize, columns: Range<usize>| sheet.heights[row * sheet.width..][columns].iter();
    let metres = |row: usize, columns: Range<usize>, out: &mut [f32]| {
        out.iter_mut().zip(heights(row, columns)).for_each(|(out, height)| *out = height * sheet.relief_metres);
    };
    let steps = |row: usize, columns: Range<usize>, out: &mut [u16]| {
        let numbers = out.iter_mut().zip(heights(row, columns));
        numbers.for_each(|(out, height)| *out = ((height - low) * to_steps + 0.5) as u16);
    };
    let text = |key: &str, metres: f32| (format!("talweg {key}_metres"), metres.to_string());
    let raster = RasterSheet {
        samples: if is_float { Samples::F32(&metres) } else { Samples::U16(&steps) },
        texts: &[text("min", min_metres), text("max", max_metres), text("cell", sheet.cell_metres)],
        ..RasterSheet::grey(report.samples, report.rows)
    };
    StagedFile::new(&to, |file| format.write(&raster, file))?.commit()?;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Edges, MapKind};

    fn hill() -> Terrain {
        Terrain::from_fn(33, Edges::Open, |u, v| 0.2 + u * (1.0 - v) * 0.5)
    }

    #[test]
    fn raw_floats_are_metres_and_raw_16_bits_span_the_range() {
        let (folder, terrain) = (tempfile::tempdir().unwrap(), hill());
        let floats = folder.path().join("h.r32");
        export_heightmap(&terrain, 1000.0, 3200.0, &floats).unwrap();
        let bytes = std::fs::read(&floats).unwrap();
        for (four, h) in bytes.chunks_exact(4).zip(&terrain.height) {
            assert_eq!(f32::from_le_bytes(four.try_into().unwrap()), h * 1000.0);
        }
        let words = folder.path().join("h.R16");
        let report = export_heightmap(&terrain, 1000.0, 3200.0, &words).unwrap();
        assert_eq!((report.samples, report.cell_metres, report.min_metres), (33, 100.0, 200.0));
        let bytes = std::fs::read(&words).unwrap();
        assert_eq!(bytes.len(), 33 * 33 * 2);
        for (two, h) in bytes.chunks_exact(2).zip(&terrain.height) {
            let step = u16::from_le_bytes(two.try_into().unwrap());
            let metres = report.min_metres + f32::from(step) * report.metres_per_step;
            assert!((metres - h * 1000.0).abs() <= report.metres_per_step, "{metres} {h}");
        }
    }

    #[test]
    fn png_carries_16_bits_and_its_range() {
        let (folder, terrain) = (tempfile::tempdir().unwrap(), hill());
        let path = folder.path().join("h.png");
        let report = export_heightmap(&terrain, 1800.0, 8000.0, &path).unwrap();
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        assert_eq!(
            (reader.info().bit_depth, reader.info().color_type),
            (png::BitDepth::Sixteen, png::ColorType::Grayscale)
        );
        let texts: Vec<String> =
            reader.info().uncompressed_latin1_text.iter().map(|t| format!("{}={}", t.keyword, t.text)).collect();
        assert!(texts.contains(&format!("talweg max_metres={}", report.max_metres)), "{texts:?}");
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let values: Vec<u16> = pixels.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]])).collect();
        assert_eq!((values.iter().min(), values.iter().max()), (Some(&0), Some(&65535)));
    }

    #[test]
    fn voids_are_written_as_the_lowest_height_and_counted() {
        let (folder, mut terrain) = (tempfile::tempdir().unwrap(), hill());
        // The samples with the lowest and the highest height are void. Both are in corners.
        for k in [0, 32 * 33, 32] {
            terrain.map_mut(MapKind::Ground)[k] = 0.0;
            terrain.height[k] = -5.0;
        }
        for name in ["h.r32", "h.r16", "h.png"] {
            let report = export_heightmap(&terrain, 1000.0, 8000.0, folder.path().join(name)).unwrap();
            assert_eq!((report.void_samples, report.min_metres), (3, 200.0), "{name}");
            assert!(report.void().unwrap().contains("3 samples") && report.max_metres < 700.0, "{name}");
        }
        let bytes = std::fs::read(folder.path().join("h.r32")).unwrap();
        let at = |k: usize| f32::from_le_bytes(bytes[4 * k..][..4].try_into().unwrap());
        assert_eq!((at(0), at(32), at(40)), (200.0, 200.0, terrain.height[40] * 1000.0));
        assert_eq!(export_heightmap(&hill(), 1000.0, 8000.0, folder.path().join("h.r32")).unwrap().void(), None);
    }

    #[test]
    fn level_terrain_is_written_without_division_by_zero() {
        let folder = tempfile::tempdir().unwrap();
        let level = Terrain::from_fn(3, Edges::Open, |_, _| 0.5);
        let report = export_heightmap(&level, 1800.0, 8000.0, folder.path().join("h.r16")).unwrap();
        assert_eq!((report.min_metres, report.metres_per_step), (900.0, 0.0));
    }
}
