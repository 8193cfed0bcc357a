//! Raw numbers that a text file `.hdr` in the same folder describes: Esri's BIL, BIP, BSQ and FLT, and GTOPO30's DEM.
//! Talweg reads these formats, but does not write them.
//!
//! Source: Esri, *BIL, BIP, and BSQ raster files* and *Float to raster*; USGS, *GTOPO30 documentation*.

use super::numbers::{NumberRule, NumberStatement, NumberType};
use super::place::MapTransform;
use super::reader::{DecodedRaster, RasterReader, RasterSource, SideInfo};
use crate::io::RasterError;

pub(super) static READER: RasterReader = RasterReader {
    extensions: &["bil", "bip", "bsq", "flt", "dem"],
    name: "Esri grid of raw numbers",
    is_raw: false,
    read,
};

/// Order in which the file stores the numbers of several channels.
#[derive(Clone, Copy, PartialEq)]
enum Interleave {
    Line,
    Pixel,
    Channel,
}

/// The contents of a `.hdr` file.
struct NumberLayout {
    columns: u64,
    rows: u64,
    channels: usize,
    number_type: NumberType,
    is_big_endian: bool,
    interleave: Interleave,
    skipped_bytes: usize,
    no_data: Option<f64>,
    affine: Option<MapTransform>,
}

impl NumberLayout {
    fn parse(text: &str, is_float: bool, interleave: Interleave) -> Result<Self, String> {
        let value = |key: &str| {
            let mut lines = text.lines().map(|line| line.split_whitespace());
            lines.find_map(|mut words| words.next()?.eq_ignore_ascii_case(key).then(|| words.next())?)
        };
        let number = |key: &str| -> Result<Option<f64>, String> {
            let Some(word) = value(key) else { return Ok(None) };
            let number = word.replace(',', ".").parse::<f64>().ok();
            number.map(Some).ok_or_else(|| format!("`{key}` in its header is `{word}`, which is not a number"))
        };
        let count = |key: &str| -> Result<Option<u64>, String> {
            let wrong = || format!("`{key}` in its header is not a whole number from 0 to 4294967295");
            let Some(number) = number(key)? else { return Ok(None) };
            let is_count = number.fract() == 0.0 && (0.0..=4_294_967_295.0).contains(&number);
            if is_count { Ok(Some(number as u64)) } else { Err(wrong()) }
        };
        if text.trim_start().starts_with("ENVI") {
            return Err("it has an ENVI header, which is not supported; `gdal_translate IN OUT.tif` converts it".into());
        }
        let columns = count("ncols")?.ok_or("its header has no `ncols`")?;
        let rows = count("nrows")?.ok_or("its header has no `nrows`")?;
        let bits = count("nbits")?.unwrap_or(if is_float { 32 } else { 8 }) as u32;
        let kind = value("pixeltype").unwrap_or_default().to_ascii_uppercase();
        let number_type = match (bits, kind.as_str()) {
            (32, "FLOAT") => NumberType::Float(32),
            (32, _) if is_float => NumberType::Float(32),
            (64, "FLOAT") => NumberType::Float(64),
            (8, "SIGNEDINT") => NumberType::Signed(8),
            (8, _) => NumberType::Unsigned(8),
            (16 | 32, "UNSIGNEDINT") => NumberType::Unsigned(bits),
            (16 | 32, _) => NumberType::Signed(bits),
            _ => {
                return Err(format!(
                    "its numbers have {bits} bits, which is not supported; `gdal_translate IN OUT.tif` converts it"
                ));
            }
        };
        let order = value("byteorder").unwrap_or("I").to_ascii_uppercase();
        let interleave = match value("layout").map(str::to_ascii_uppercase).as_deref() {
            Some("BIL") => Interleave::Line,
            Some("BIP") => Interleave::Pixel,
            Some("BSQ") => Interleave::Channel,
            _ => interleave,
        };
        let cell = number("cellsize")?;
        let [across, down] = [number("xdim")?.or(cell), number("ydim")?.or(cell)].map(|step| step.unwrap_or(1.0));
        let west = match (number("ulxmap")?, number("xllcorner")?, number("xllcenter")?) {
            (Some(west), ..) | (None, None, Some(west)) => Some(west),
            (None, Some(corner), _) => Some(corner + 0.5 * across),
            (None, None, None) => None,
        };
        let to_north = down * (rows.max(1) - 1) as f64;
        let north = match (number("ulymap")?, number("yllcorner")?, number("yllcenter")?) {
            (Some(north), ..) => Some(north),
            (None, Some(corner), _) => Some(corner + 0.5 * down + to_north),
            (None, None, Some(centre)) => Some(centre + to_north),
            (None, None, None) => None,
        };
        let affine = west.zip(north).map(|(x, y)| MapTransform { x, a: across, b: 0.0, y, d: 0.0, e: -down });
        Ok(Self {
            columns,
            rows,
            channels: count("nbands")?.unwrap_or(1).clamp(1, 65_535) as usize,
            number_type,
            is_big_endian: order.starts_with('M'),
            interleave,
            skipped_bytes: count("skipbytes")?.unwrap_or(0) as usize,
            no_data: number("nodata_value")?.or(number("nodata")?),
            affine,
        })
    }

    fn bytes_per_number(&self) -> usize {
        match self.number_type {
            NumberType::Unsigned(bits) | NumberType::Signed(bits) | NumberType::Float(bits) => bits as usize / 8,
        }
    }

    /// Decodes the number in `bytes`.
    fn number(&self, bytes: &[u8]) -> f64 {
        let mut word = [0; 8];
        let n = bytes.len();
        word[..n].copy_from_slice(bytes);
        if self.is_big_endian {
            word[..n].reverse();
        }
        let bits = u64::from_le_bytes(word);
        match (self.number_type, n) {
            (NumberType::Unsigned(_), _) => bits as f64,
            (NumberType::Signed(_), 1) => f64::from(bits as u8 as i8),
            (NumberType::Signed(_), 2) => f64::from(bits as u16 as i16),
            (NumberType::Signed(_), _) => f64::from(bits as u32 as i32),
            (NumberType::Float(_), 4) => f64::from(f32::from_bits(bits as u32)),
            (NumberType::Float(_), _) => f64::from_bits(bits),
        }
    }

    /// Index of a number in the file, counted in numbers rather than bytes.
    fn index(&self, row: usize, column: usize, channel: usize) -> usize {
        let [columns, rows] = [self.columns as usize, self.rows as usize];
        match self.interleave {
            Interleave::Line => (row * self.channels + channel) * columns + column,
            Interleave::Pixel => (row * columns + column) * self.channels + channel,
            Interleave::Channel => (channel * rows + row) * columns + column,
        }
    }
}

fn read(source: &RasterSource) -> Result<DecodedRaster, RasterError> {
    let failed = |message: String| source.unreadable(READER.name, message);
    let extension = source.path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    let Some(side) = &source.sides.header else {
        let message = if extension == "dem" {
            "its header file .hdr is missing, and USGS DEM text files are not supported. `gdal_translate IN.dem OUT.tif` converts such a file"
        } else {
            "its header file .hdr is missing; copy it into the same folder"
        };
        return Err(failed(message.into()));
    };
    let interleave = match extension.as_str() {
        "bip" => Interleave::Pixel,
        "bsq" => Interleave::Channel,
        _ => Interleave::Line,
    };
    let text = String::from_utf8_lossy(&side.bytes);
    let header = NumberLayout::parse(&text, extension == "flt", interleave).map_err(failed)?;
    let size = header.bytes_per_number();
    let bytes = header.columns.saturating_mul(header.rows).saturating_mul((header.channels * size) as u64);
    source.check_size(header.columns, header.rows, bytes, 0)?;
    let Some(data) = source.bytes.get(header.skipped_bytes..).filter(|data| data.len() as u64 >= bytes) else {
        return Err(source.cut_off(READER.name));
    };
    let mut notes = Vec::new();
    let wanted = usize::from(source.options.channel);
    if wanted > header.channels {
        return Err(failed(format!("channel {wanted} does not exist; it has {} channels", header.channels)));
    }
    let names: Vec<String> = (1..=header.channels).map(|k| format!("band {k}")).collect();
    let reading = super::colours::ColourReading::of_channels(names, false, None, source, READER.name, &mut notes)?;
    let channel = reading.single_channel().unwrap_or(0);
    let side_info = SideInfo::read(source, &mut notes);
    let statement = NumberStatement {
        always_heights: true,
        no_data: header.no_data,
        ..NumberStatement::of_type(header.number_type)
    };
    let statement = side_info.complete(statement);
    let no_data = statement.no_data;
    let rule = NumberRule::new(statement, source.options);
    let [width, height] = [header.columns as usize, header.rows as usize];
    let mut values: Vec<f32> = (0..width * height)
        .map(|k| {
            let at = size * header.index(k / width, k % width, channel);
            rule.value(header.number(&data[at..at + size]))
        })
        .collect();
    let meaning = rule.finish(&mut values, &mut notes);
    let decoded = DecodedRaster {
        width,
        height,
        values,
        meaning,
        numbers: header.number_type.name(),
        no_data,
        channel: reading.read_name(),
        channels: reading.names,
        ..DecodedRaster::default()
    };
    Ok(side_info.finish(decoded, header.affine, None, &source.options, notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_give_layout_type_and_place() {
        let text = "BYTEORDER M\nLAYOUT BIL\nNROWS 3\nNCOLS 4\nNBANDS 1\nNBITS 16\nNODATA -9999\nULXMAP 10.5\nULYMAP 50.25\nXDIM 0.5\nYDIM 0.25\n";
        let header = NumberLayout::parse(text, false, Interleave::Line).unwrap();
        assert_eq!((header.columns, header.rows, header.number_type), (4, 3, NumberType::Signed(16)));
        assert_eq!((header.is_big_endian, header.no_data), (true, Some(-9999.0)));
        let affine = header.affine.unwrap();
        assert_eq!((affine.x, affine.y, affine.a, affine.e), (10.5, 50.25, 0.5, -0.25));
        assert_eq!(header.number(&[0xff, 0xfe]), -2.0);
        let text =
            "ncols 4\nnrows 3\nxllcorner 100\nyllcorner 200\ncellsize 10\nNODATA_value -9999\nbyteorder LSBFIRST";
        let header = NumberLayout::parse(text, true, Interleave::Line).unwrap();
        let affine = header.affine.unwrap();
        assert_eq!((affine.x, affine.y, header.number_type), (105.0, 225.0, NumberType::Float(32)));
        assert!(NumberLayout::parse("ncols x\nnrows 3", true, Interleave::Line).is_err());
        assert!(NumberLayout::parse("ENVI\nsamples = 3", true, Interleave::Line).is_err());
        let header = NumberLayout::parse("ncols 2\nnrows 2\nnbands 3\nlayout bip", false, Interleave::Line).unwrap();
        assert_eq!((header.index(1, 0, 2), header.channels), (8, 3));
    }
}
