//! ESRI ASCII grid: a header of six lines, then one line a row from the north. Places are the middles of cells. The
//! format knows square cells alone; Source: Esri, *ASCII raster format*.

use std::io::Write;

use super::{RasterFormat, RasterOut, RasterSheet, SampleType};

pub(super) static ASCII_GRID: RasterFormat = RasterFormat {
    id: "asc",
    extensions: &["asc"],
    name: "ESRI ASCII grid",
    help: "numbers as text with extent and no-data; large",
    kinds: &[SampleType::F32],
    channels: 1,
    has_placement: true,
    has_texts: false,
    write,
};

/// What stands where there is nothing, if the sheet names no other number.
const NODATA: f32 = -9999.0;

fn write(sheet: &RasterSheet, mut out: &mut dyn RasterOut) -> std::io::Result<()> {
    let (west, north, step) = sheet.placement.map_or((0.0, 0.0, 1.0), |place| (place.west, place.north, place.step[0]));
    let south = north - step * (sheet.height - 1) as f64;
    writeln!(out, "ncols {}\nnrows {}", sheet.width, sheet.height)?;
    writeln!(out, "xllcenter {west}\nyllcenter {south}\ncellsize {step}")?;
    writeln!(out, "NODATA_value {}", sheet.nodata.unwrap_or(NODATA))?;
    let mut line = String::new();
    for row in 0..sheet.height {
        use std::fmt::Write;
        line.clear();
        for column in 0..sheet.width {
            let space = if column > 0 { " " } else { "" };
            // the shortest text that reads back as the same number
            let _ = write!(line, "{space}{}", sheet.number(row, column, 0));
        }
        line.push('\n');
        (&mut out).write_all(line.as_bytes())?;
    }
    Ok(())
}
