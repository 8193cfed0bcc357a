//! ESRI ASCII grid: a header of six lines, then one line per row from the north. Positions are cell centres. The format
//! supports square cells only.
//!
//! Source: Esri, *ASCII raster format*.

use std::io::Write;

use super::numbers::{NumberRule, NumberStatement, NumberType};
use super::place::MapTransform;
use super::reader::{DecodedRaster, RasterReader, RasterSource, SideInfo};
use super::{RasterFormat, RasterOut, RasterSheet, SampleType};
use crate::io::RasterError;

pub(super) static ASCII_GRID: RasterFormat = RasterFormat {
    id: "asc",
    extensions: &["asc"],
    name: "ESRI ASCII grid",
    help: "numbers as text, with extent and no-data value; large files",
    kinds: &[SampleType::F32],
    channels: 1,
    has_placement: true,
    has_texts: false,
    write,
    read_texts: None,
};

pub(super) static READER: RasterReader =
    RasterReader { extensions: &["asc"], name: "ESRI ASCII grid", is_raw: false, read };

/// No-data value in the file if the caller specifies none.
const NODATA: f32 = -9999.0;

fn write(sheet: &RasterSheet, mut out: &mut dyn RasterOut) -> std::io::Result<()> {
    let (west, north, step) = sheet.placement.map_or((0.0, 0.0, 1.0), |place| (place.west, place.north, place.step[0]));
    let south = north - step * (sheet.height - 1) as f64;
    writeln!(out, "ncols {}\nnrows {}", sheet.width, sheet.height)?;
    writeln!(out, "xllcenter {west}\nyllcenter {south}\ncellsize {step}")?;
    writeln!(out, "NODATA_value {}", sheet.nodata.unwrap_or(NODATA))?;
    let (mut line, mut numbers) = (String::new(), vec![0.0; sheet.width]);
    for row in 0..sheet.height {
        sheet.check()?;
        sheet.floats(row, 0..sheet.width, &mut numbers);
        use std::fmt::Write;
        line.clear();
        for (column, number) in numbers.iter().enumerate() {
            let space = if column > 0 { " " } else { "" };
            // `Display` writes the shortest text that reads back as the same number.
            let _ = write!(line, "{space}{number}");
        }
        line.push('\n');
        (&mut out).write_all(line.as_bytes())?;
    }
    Ok(())
}

/// The header lines that the reader has found so far.
#[derive(Default)]
struct GridHeader {
    columns: Option<u64>,
    rows: Option<u64>,
    west: Option<f64>,
    south: Option<f64>,
    is_west_corner: bool,
    is_south_corner: bool,
    step: [Option<f64>; 2],
    nodata: Option<f64>,
}

impl GridHeader {
    /// Parses `key` and `value` as a header line. Returns whether the line was a header line.
    fn parse_line(&mut self, key: &str, value: &str) -> Result<bool, String> {
        let number = || decimal(value).filter(|v| v.is_finite());
        let wrong = || format!("its header has the invalid value `{value}` for `{key}`");
        let count = || value.parse::<u64>().map_err(|_| wrong());
        let place = || number().ok_or_else(wrong);
        let length = || number().filter(|v| *v > 0.0).ok_or_else(wrong);
        match key.to_ascii_lowercase().as_str() {
            "ncols" => self.columns = Some(count()?),
            "nrows" => self.rows = Some(count()?),
            "xllcorner" => (self.west, self.is_west_corner) = (Some(place()?), true),
            "yllcorner" => (self.south, self.is_south_corner) = (Some(place()?), true),
            "xllcenter" => self.west = Some(place()?),
            "yllcenter" => self.south = Some(place()?),
            "cellsize" => self.step = [Some(length()?); 2],
            "dx" => self.step[0] = Some(length()?),
            "dy" => self.step[1] = Some(length()?),
            "nodata_value" | "nodata" => self.nodata = Some(stored_number(value).ok_or_else(wrong)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The transformation from columns and rows to the map; row 0 is the first row of the file.
    fn affine(&self, rows: usize) -> Option<MapTransform> {
        let step = [self.step[0]?, self.step[1]?];
        let half = |is_corner: bool, step: f64| if is_corner { 0.5 * step } else { 0.0 };
        let x = self.west? + half(self.is_west_corner, step[0]);
        let south = self.south? + half(self.is_south_corner, step[1]);
        let y = south + step[1] * (rows - 1) as f64;
        Some(MapTransform { x, a: step[0], b: 0.0, y, d: 0.0, e: -step[1] })
    }
}

/// A decimal number with a point or a comma.
fn decimal(word: &str) -> Option<f64> {
    let number = word.parse().ok();
    number.or_else(|| word.replacen(',', ".", 1).parse().ok())
}

/// Words that programs write for a missing number, in lower case.
const MISSING: [&str; 9] = ["nan", "-nan", "null", "*", "nodata", "no_data", "na", "n/a", "-"];

/// The number that a word of the file stands for; NaN if the word marks a missing number.
fn stored_number(word: &str) -> Option<f64> {
    decimal(word).or_else(|| {
        let word = word.to_ascii_lowercase();
        // Programs that use Microsoft's C library write `1.#QNAN` and `-1.#IND`.
        (MISSING.contains(&word.as_str()) || word.contains("#qnan") || word.contains("#ind") || word.contains("#inf"))
            .then_some(f64::NAN)
    })
}

/// Part of the error text for a file with fewer values than its header states.
const ENDS_EARLY: &str =
    "it ends too early, or its header is wrong. Download or copy it again, or export it again from its source";

fn read(source: &RasterSource) -> Result<DecodedRaster, RasterError> {
    let failed = |message: String| source.unreadable(READER.name, message);
    let text = std::str::from_utf8(source.bytes)
        .map_err(|error| failed(format!("it is not text (byte {})", error.valid_up_to())))?;
    let mut header = GridHeader::default();
    let mut words = text.trim_start_matches('\u{feff}').split_ascii_whitespace().peekable();
    let is_key = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic()) && stored_number(word).is_none();
    while let Some(key) = words.next_if(is_key) {
        let value = words.next().ok_or_else(|| failed(format!("it ends after `{key}`: {ENDS_EARLY}")))?;
        if GRASS_KEYS.contains(&key.trim_end_matches(':').to_ascii_lowercase().as_str()) && key.ends_with(':') {
            return Err(failed("it is a GRASS grid; `gdal_translate -of AAIGrid IN.asc OUT.asc` converts it".into()));
        }
        if !header.parse_line(key, value).map_err(failed)? {
            return Err(failed(format!(
                "its header has `{key}`, which is not one of ncols, nrows, xllcorner, cellsize …"
            )));
        }
    }
    let missing = |name: &str| failed(format!("its header has no `{name}`"));
    let columns = header.columns.ok_or_else(|| missing("ncols"))?;
    let rows = header.rows.ok_or_else(|| missing("nrows"))?;
    let count = columns.saturating_mul(rows);
    // A value takes at least two characters.
    source.check_size(columns, rows, count.saturating_mul(2), 0)?;
    if count > source.bytes.len() as u64 {
        return Err(failed(format!("it ends before {columns} × {rows} values: {ENDS_EARLY}")));
    }
    let (width, height) = (columns as usize, rows as usize);
    let mut notes = Vec::new();
    let side_info = SideInfo::read(source, &mut notes);
    let statement = NumberStatement {
        always_heights: true,
        no_data: header.nodata,
        ..NumberStatement::of_type(NumberType::Float(32))
    };
    let statement = side_info.complete(statement);
    let no_data = statement.no_data;
    let rule = NumberRule::new(statement, source.options);
    let mut values = Vec::with_capacity(width * height);
    for word in words {
        let number = stored_number(word).ok_or_else(|| {
            let (row, column) = (values.len() / width, values.len() % width);
            failed(format!(
                "`{}` in row {row}, column {column} is not a number",
                word.chars().take(20).collect::<String>()
            ))
        })?;
        if values.len() == width * height {
            return Err(failed(format!("it has more than {columns} × {rows} values; its header is wrong")));
        }
        values.push(rule.value(number));
    }
    if values.len() < width * height {
        let whole = values.len() / width;
        return Err(failed(format!("it ends after {whole} of {rows} rows: {ENDS_EARLY}")));
    }
    let meaning = rule.finish(&mut values, &mut notes);
    let numbers = "numbers as text".into();
    let decoded = DecodedRaster { width, height, values, meaning, numbers, no_data, ..DecodedRaster::default() };
    Ok(side_info.finish(decoded, header.affine(height), None, &source.options, notes))
}

/// Keys in the header of a GRASS grid.
const GRASS_KEYS: [&str; 6] = ["north", "south", "east", "west", "rows", "cols"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_missing_numbers_are_read() {
        assert_eq!(
            (decimal("500000,5"), decimal("-1.5e3"), decimal("1,000,5")),
            (Some(500_000.5), Some(-1500.0), None)
        );
        for word in ["nan", "NULL", "*", "1.#QNAN", "-1.#IND"] {
            assert!(stored_number(word).is_some_and(f64::is_nan), "{word}");
        }
        assert_eq!((stored_number("ncols"), stored_number("12x")), (None, None));
    }
}
