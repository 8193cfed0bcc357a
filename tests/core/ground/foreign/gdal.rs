//! Compares rasters of many kinds with GDAL's reading. Talweg must read the same values, missing data, cell and
//! position as GDAL. If it does not, a note must name the difference, or the error message must say what to do.
//!
//! This command prints the outcomes of all files:
//! `cargo test --release --config tools/checked.toml --test core -- foreign::gdal --nocapture`

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use talweg::io::{Raster, raster};

use crate::kits::outside::python;

/// GDAL's reading of a file.
#[derive(Deserialize)]
struct Described {
    file: String,
    /// GDAL's geotransform: six numbers that convert corners of samples to map coordinates.
    place: Option<[f64; 6]>,
    /// Length of the unit of heights in metres.
    unit: f64,
    #[serde(default)]
    geographic: bool,
    /// Length of the unit of the map, in metres or in degrees.
    #[serde(default)]
    map_unit: f64,
    rows: usize,
    columns: usize,
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Agrees,
    DiffersWithNote,
    RefusedWithAdvice,
    RefusedWithoutAdvice,
    DiffersSilently,
}

/// Words in an error message that tell the user what to do.
const ADVICE: [&str; 6] = ["gdal_translate", "gdalwarp", "save it", "again", "Set ", "set "];

#[test]
fn rasters_of_many_kinds_are_read_as_by_gdal() {
    let folder = tempfile::tempdir().unwrap();
    let Some(count) = python(include_str!("rasters.py"), &[folder.path()]) else { return };
    let list = std::fs::read_to_string(folder.path().join("list.json")).unwrap();
    let list: Vec<Described> = serde_json::from_str(&list).unwrap();
    assert!(list.len() >= 300, "{count} files were written");
    let mut outcomes: BTreeMap<(Outcome, String), Vec<String>> = BTreeMap::new();
    for described in &list {
        let (outcome, why) = compared(folder.path(), described);
        outcomes.entry((outcome, why)).or_default().push(described.file.clone());
    }
    for ((outcome, why), files) in &outcomes {
        println!("{outcome:?}: {} files, {why}: {}", files.len(), files.join(" "));
    }
    let wrong: Vec<_> = outcomes.iter().filter(|((outcome, _), _)| *outcome >= Outcome::RefusedWithoutAdvice).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let agree: usize = outcomes.iter().filter(|((o, _), _)| *o == Outcome::Agrees).map(|(_, files)| files.len()).sum();
    assert!(agree * 10 >= list.len() * 7, "only {agree} of {} files agree", list.len());
}

fn compared(folder: &Path, described: &Described) -> (Outcome, String) {
    let path = folder.join(&described.file);
    let raster = match raster(path.to_str().unwrap()) {
        Ok(raster) => raster,
        Err(error) => {
            let text = error.to_string();
            let has_advice = ADVICE.iter().any(|words| text.contains(words));
            let outcome = if has_advice { Outcome::RefusedWithAdvice } else { Outcome::RefusedWithoutAdvice };
            return (outcome, text.replace(path.to_str().unwrap(), "FILE"));
        }
    };
    match difference(folder, described, &raster) {
        None => (Outcome::Agrees, String::new()),
        Some(what) => match raster.notes.iter().find(|note| explains(note.kind, &what)) {
            Some(note) => (Outcome::DiffersWithNote, format!("{what}; noted: {}", note.kind)),
            None => (Outcome::DiffersSilently, what),
        },
    }
}

/// Whether a note of this kind tells users about the difference.
fn explains(note: &str, difference: &str) -> bool {
    match difference {
        "other missing data" => ["undeclared-no-data", "omitted-blocks", "opacity"].contains(&note),
        "no position" => note == "turned",
        "lengths on the ground that differ from the map" => note == "map-scale",
        _ => false,
    }
}

/// The first difference between a raster and GDAL's reading.
fn difference(folder: &Path, described: &Described, raster: &Raster) -> Option<String> {
    let bytes = |end: &str| std::fs::read(folder.join(format!("{}.{end}", described.file))).unwrap();
    let values: Vec<f64> = bytes("values").as_chunks::<8>().0.iter().map(|&b| f64::from_le_bytes(b)).collect();
    let known = bytes("known");
    let (rows, columns) = (described.rows, described.columns);
    if (raster.height, raster.width) != (rows, columns) {
        return Some("another size".into());
    }
    let [flips_rows, flips_columns] = described.place.map_or([false; 2], |[a, b, _, d, e, _]| {
        let is_turned = b != 0.0 || d != 0.0;
        [!is_turned && e > 0.0, !is_turned && a < 0.0]
    });
    let bits: u32 = raster.facts.numbers.split('-').next().unwrap().parse().unwrap_or(32);
    let is_float = raster.facts.numbers.contains("float") || raster.facts.numbers.contains("text");
    let white = if is_float { 1.0 } else { f64::from(bits).exp2() - 1.0 };
    let value = |k: usize| match raster.range_metres {
        Some((low, high)) => f64::from(low) + (f64::from(high) - f64::from(low)) * f64::from(raster.values[k]),
        None => f64::from(raster.values[k]) * white,
    };
    let largest = values.iter().zip(&known).filter(|(_, known)| **known > 0).map(|(v, _)| (v * described.unit).abs());
    let largest = largest.fold(1.0, f64::max);
    // Allows for the rounding of the largest height to 32 bits, and of its value between 0 and 1.
    let tolerance = largest * 2.0_f64.powi(-22);
    for row in 0..rows {
        for column in 0..columns {
            let theirs = if flips_rows { rows - 1 - row } else { row } * columns
                + if flips_columns { columns - 1 - column } else { column };
            let ours = row * columns + column;
            if raster.has_data(ours) != (known[theirs] > 0) {
                return Some("other missing data".into());
            }
            if known[theirs] > 0 && (value(ours) - values[theirs] * described.unit).abs() > tolerance {
                return Some(format!("another value, {} and not {}", value(ours), values[theirs] * described.unit));
            }
        }
    }
    place_difference(described, raster, [flips_rows, flips_columns])
}

fn place_difference(described: &Described, raster: &Raster, [flips_rows, flips_columns]: [bool; 2]) -> Option<String> {
    let Some([a, b, x, d, e, y]) = described.place else {
        return raster.cell_metres().map(|_| "a position that GDAL does not read".into());
    };
    let Some(found) = raster.placement else { return Some("no position".into()) };
    if b != 0.0 || d != 0.0 || found.in_degrees != described.geographic {
        return Some("another kind of position".into());
    }
    let unit = described.map_unit;
    // The centre of the first sample, in the order of a map.
    let column = if flips_columns { described.columns as f64 - 0.5 } else { 0.5 };
    let row = if flips_rows { described.rows as f64 - 0.5 } else { 0.5 };
    let meant = [x + a * column, y + e * row, a.abs(), e.abs()].map(|number| number * unit);
    let has = [found.west, found.north, found.step[0], found.step[1]];
    let near = |a: f64, b: f64| (a - b).abs() <= 1.0e-9 * b.abs().max(1.0);
    if has.into_iter().zip(meant).all(|(a, b)| near(a, b)) {
        raster.stated_cell.map(|_| "lengths on the ground that differ from the map".into())
    } else {
        Some(format!("another position, {has:?} and not {meant:?}"))
    }
}
