//! SRTM heights: 16-bit big-endian whole metres, row by row from the north-west, with -32768 for no data. The file
//! length determines the number of samples per side. The file name (`N46E007.hgt`) states the south-western corner of
//! the tile in whole degrees. Samples are points; the border samples of a tile repeat the border samples of its
//! neighbours.
//!
//! Source: NASA, *SRTM Topography*, 2.1.

use super::GeoReference;
use super::notes::RasterNote;
use super::numbers::{NumberRule, NumberStatement, NumberType};
use super::reader::{DecodedRaster, RasterReader, RasterSource};
use crate::io::RasterError;

pub(super) static READER: RasterReader =
    RasterReader { extensions: &["hgt"], name: "SRTM heights", is_raw: false, read };

/// The value of samples without data.
const VOID: i16 = i16::MIN;
/// EPSG code of the coordinate system with longitude and latitude on WGS 84.
const EPSG: u16 = 4326;

/// Sizes of published tiles: samples per row, then rows. Beyond 50° of latitude, rows have fewer samples.
const SIDES: [[u64; 2]; 9] = [
    [3601, 3601],
    [1201, 1201],
    [1801, 3601],
    [601, 1201],
    [401, 1201],
    [1201, 3601],
    [721, 3601],
    [361, 3601],
    [7201, 7201],
];

fn read(source: &RasterSource) -> Result<DecodedRaster, RasterError> {
    let bytes = source.bytes.len() as u64;
    let square = (bytes / 2).isqrt();
    let sides = if 2 * square * square == bytes {
        Some([square, square])
    } else {
        SIDES.into_iter().find(|[columns, rows]| 2 * columns * rows == bytes)
    };
    let Some([columns, rows]) = sides else {
        let message = format!(
            "its {bytes} bytes do not fit a tile of 2-byte heights; a tile has 1201 × 1201, 1801 × 3601 or 3601 × 3601 heights. Unpack it first if it is an archive, or download it again"
        );
        return Err(source.unreadable(READER.name, message));
    };
    source.check_size(columns, rows, bytes, 0)?;
    let statement = NumberStatement {
        always_heights: true,
        no_data: Some(f64::from(VOID)),
        ..NumberStatement::of_type(NumberType::Signed(16))
    };
    let rule = NumberRule::new(statement, source.options);
    let value = |&pair: &[u8; 2]| rule.value(f64::from(i16::from_be_bytes(pair)));
    let mut values: Vec<f32> = source.bytes.as_chunks::<2>().0.iter().map(value).collect();
    let mut notes = Vec::new();
    let meaning = rule.finish(&mut values, &mut notes);
    let step = [columns, rows].map(|side| 1.0 / (side - 1) as f64);
    let placement = south_west(source).map(|(longitude, latitude)| GeoReference {
        epsg: Some(EPSG),
        in_degrees: true,
        radius_metres: None,
        west: longitude,
        north: latitude + 1.0,
        step,
        is_area: false,
    });
    if placement.is_none() {
        notes.push(RasterNote::new(
            "no-position",
            "its name does not state its position, as N46E007.hgt does, so its position and size are unknown",
        ));
    }
    let [width, height] = [columns, rows].map(|side| side as usize);
    let mut decoded = DecodedRaster {
        width,
        height,
        values,
        meaning,
        placement,
        numbers: NumberType::Signed(16).name(),
        no_data: Some(f64::from(VOID)),
        ..DecodedRaster::default()
    };
    if source.options.first_row_is_south {
        decoded.reverse_rows();
    }
    decoded.notes = notes;
    Ok(decoded)
}

/// Longitude and latitude, in degrees, of the south-western corner of a tile with a name like `N46E007`.
fn south_west(source: &RasterSource) -> Option<(f64, f64)> {
    let name = source.path.file_stem()?.to_str()?.to_ascii_uppercase();
    let degrees = |text: &str, sign: &str| -> Option<f64> {
        let number: f64 = text.parse::<u16>().ok()?.into();
        Some(if ["S", "W"].contains(&sign) { -number } else { number })
    };
    let (north, rest) = name.split_at_checked(1)?;
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    let (latitude, rest) = rest.split_at(end);
    let (east, rest) = rest.split_at_checked(1)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    if !["N", "S"].contains(&north) || !["E", "W"].contains(&east) {
        return None;
    }
    let (longitude, latitude) = (degrees(&rest[..end], east)?, degrees(latitude, north)?);
    ((-180.0..180.0).contains(&longitude) && (-90.0..90.0).contains(&latitude)).then_some((longitude, latitude))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn file_names_give_the_degree_of_a_tile() {
        let of = |name: &str| south_west(&RasterSource::new(Path::new(name), &std::sync::Arc::default()));
        assert_eq!(of("/data/N46E007.hgt"), Some((7.0, 46.0)));
        assert_eq!(of("s01w091.HGT"), Some((-91.0, -1.0)));
        assert_eq!(of("N46E007.SRTMGL1.hgt"), Some((7.0, 46.0)));
        for odd in ["alps.hgt", "N46.hgt", "NE.hgt", "N95E007.hgt", "é.hgt", ".hgt", "N46E.hgt", "N99999E1.hgt"] {
            assert_eq!(of(odd), None, "{odd}");
        }
    }
}
