//! Fields that are no heights, such as temperature, in the formats of heightmaps.

use std::path::PathBuf;

use serde::Serialize;

use super::heightmap::{STEPS, write_grey, write_rows};
use super::{FileError, HeightmapFormat, SaveTarget, StagedFile};

/// Values to be written, row by row.
pub struct FieldSheet<'a> {
    /// What they are, as the text chunks of a PNG name it: `talweg min_celsius`.
    pub quantity: &'static str,
    /// Empty for plain numbers.
    pub unit: &'static str,
    /// Samples of a row.
    pub width: usize,
    /// The values, row by row from the north-west.
    pub values: &'a [f32],
    /// Values of black and white.
    pub range: (f32, f32),
}

/// What another program must know to read an exported field.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldReport {
    /// The file that was written.
    pub path: PathBuf,
    /// What the values are.
    pub quantity: &'static str,
    /// Their unit; empty where there is none.
    pub unit: &'static str,
    /// Samples of a row.
    pub samples: usize,
    /// Number of rows.
    pub rows: usize,
    /// What the values 0 and 65535 of the 16-bit formats stand for.
    pub min: f32,
    /// What the value 65535 of the 16-bit formats stands for.
    pub max: f32,
    /// What one step of a 16-bit format stands for; 0 for floats.
    pub per_step: f32,
}

/// Writes a field in the format that the extension of `to` asks for; `.r32` holds the values themselves.
///
/// # Errors
/// When the file cannot be written.
pub fn export_field(sheet: &FieldSheet, to: impl Into<SaveTarget>) -> Result<FieldReport, FileError> {
    let (report, staged) = stage_field(sheet, to)?;
    staged.commit()?;
    Ok(report)
}

/// [`export_field`] up to where the new file takes the place of the old one.
///
/// # Errors
/// When the file cannot be written.
pub fn stage_field(sheet: &FieldSheet, to: impl Into<SaveTarget>) -> Result<(FieldReport, StagedFile), FileError> {
    let to = to.into();
    let format = HeightmapFormat::for_path(to.path())?;
    let (min, max) = sheet.range;
    let to_steps = if max > min { STEPS / (max - min) } else { 0.0 };
    let steps = |value: f32| ((value - min) * to_steps + 0.5) as u16;
    let text = |end: &str, value: f32| (format!("talweg {end}_{}", sheet.quantity), value.to_string());
    let staged = StagedFile::new(&to, |file| match format {
        HeightmapFormat::Png16 => {
            write_grey(sheet.width, sheet.values, &[text("min", min), text("max", max)], file, steps)
        }
        HeightmapFormat::R16 => write_rows(sheet.width, sheet.values, file, |value| steps(value).to_le_bytes()),
        HeightmapFormat::R32 => write_rows(sheet.width, sheet.values, file, f32::to_le_bytes),
    })?;
    let report = FieldReport {
        path: to.path().into(),
        quantity: sheet.quantity,
        unit: sheet.unit,
        samples: sheet.width,
        rows: sheet.values.len() / sheet.width,
        min,
        max,
        per_step: if format == HeightmapFormat::R32 { 0.0 } else { (max - min) / STEPS },
    };
    Ok((report, staged))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_again_in_every_format() {
        let folder = tempfile::tempdir().unwrap();
        let values = [-20.0, 3.5, 27.0, 0.0, -1.0, 12.25];
        let sheet = FieldSheet { quantity: "celsius", unit: "°C", width: 3, values: &values, range: (-20.0, 27.0) };
        let report = export_field(&sheet, folder.path().join("t.r32")).unwrap();
        assert_eq!((report.samples, report.rows, report.per_step), (3, 2, 0.0));
        let bytes = std::fs::read(&report.path).unwrap();
        let read: Vec<f32> = bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(read, values);
        let report = export_field(&sheet, folder.path().join("t.png")).unwrap();
        let file = std::io::BufReader::new(std::fs::File::open(&report.path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let texts = reader.info().uncompressed_latin1_text.clone();
        assert!(texts.iter().any(|t| t.keyword == "talweg max_celsius" && t.text == "27"), "{texts:?}");
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        for (two, value) in pixels.chunks_exact(2).zip(values) {
            let read = report.min + f32::from(u16::from_be_bytes([two[0], two[1]])) * report.per_step;
            assert!((read - value).abs() <= report.per_step, "{read} and {value}");
        }
    }
}
