//! SRTM heights: 16-bit big-endian whole metres, row by row from the north-west, with -32768 for no data. The file
//! length determines the number of samples per side. The file name (`N46E007.hgt`) states the degree cell: its
//! south-western corner in whole degrees. Samples are points; the border samples of a tile repeat the border samples of
//! its neighbours.
//!
//! Source: NASA, *SRTM Topography*, 2.1.

use super::GeoReference;
use super::reader::{DecodedRaster, RasterReader, RasterSource, SampleMeaning};
use crate::io::RasterError;

pub(super) static READER: RasterReader =
    RasterReader { extensions: &["hgt"], name: "SRTM heights", is_raw: false, read };

/// The value of samples without data.
const VOID: i16 = i16::MIN;
/// EPSG number of the coordinate system with longitude and latitude on WGS 84.
const EPSG: u16 = 4326;

fn read(source: &RasterSource) -> Result<DecodedRaster, RasterError> {
    let bytes = source.bytes.len() as u64;
    let side = (bytes / 2).isqrt();
    if 2 * side * side != bytes {
        let message = format!(
            "{bytes} bytes are not a square of 2-byte heights; a tile has 1201 × 1201 or 3601 × 3601 heights. Unpack it first if it is an archive, or download it again"
        );
        return Err(source.unreadable(READER.name, message));
    }
    source.check_size(side, side, bytes, 0)?;
    let height = |&[a, b]: &[u8; 2]| match i16::from_be_bytes([a, b]) {
        VOID => f32::NAN,
        metres => f32::from(metres),
    };
    let values = source.bytes.as_chunks::<2>().0.iter().map(height).collect();
    let step = 1.0 / (side - 1) as f64;
    let placement = south_west(source).map(|(longitude, latitude)| GeoReference {
        epsg: Some(EPSG),
        in_degrees: true,
        radius_metres: None,
        west: longitude,
        north: latitude + 1.0,
        step: [step, step],
        is_area: false,
    });
    let side = side as usize;
    Ok(DecodedRaster { width: side, height: side, values, meaning: SampleMeaning::Metres, placement })
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
    use crate::io::formats::RawLayout;

    #[test]
    fn file_names_give_the_degree_of_a_tile() {
        let of =
            |name: &str| south_west(&RasterSource { path: Path::new(name), bytes: &[], layout: RawLayout::default() });
        assert_eq!(of("/data/N46E007.hgt"), Some((7.0, 46.0)));
        assert_eq!(of("s01w091.HGT"), Some((-91.0, -1.0)));
        assert_eq!(of("N46E007.SRTMGL1.hgt"), Some((7.0, 46.0)));
        for odd in ["alps.hgt", "N46.hgt", "NE.hgt", "N95E007.hgt", "é.hgt", ".hgt", "N46E.hgt", "N99999E1.hgt"] {
            assert_eq!(of(odd), None, "{odd}");
        }
    }
}
