//! Raw numbers without a header, row by row from the north-west corner. The byte order is little-endian unless the
//! caller requests the other order.

use super::numbers::{NumberRule, NumberStatement, NumberType};
use super::reader::{DecodedRaster, RasterReader, RasterSource};
use super::{RasterFormat, RasterOut, RasterSheet, SampleType};
use crate::io::RasterError;

/// Raw unsigned 16-bit numbers.
pub static R16: RasterFormat = RasterFormat {
    id: "r16",
    extensions: &["r16", "raw"],
    name: "RAW 16-bit unsigned",
    help: "whole numbers from 0 to 65535 without a header",
    kinds: &[SampleType::U16],
    channels: 1,
    has_placement: false,
    has_texts: false,
    write,
    read_texts: None,
};

/// Raw 32-bit floats.
pub static R32: RasterFormat = RasterFormat {
    id: "r32",
    extensions: &["r32"],
    name: "RAW 32-bit float",
    help: "floats without a header",
    kinds: &[SampleType::F32],
    channels: 1,
    has_placement: false,
    has_texts: false,
    write,
    read_texts: None,
};

pub(super) static READER_16: RasterReader = RasterReader {
    extensions: &["r16", "raw"],
    name: "raw 16-bit",
    is_raw: true,
    read: |source| {
        let statement = NumberStatement::of_type(NumberType::Unsigned(16));
        match source.options.big_endian {
            true => read_numbers(source, statement, |bytes| f64::from(u16::from_be_bytes(bytes))),
            false => read_numbers(source, statement, |bytes| f64::from(u16::from_le_bytes(bytes))),
        }
    },
};

pub(super) static READER_32: RasterReader = RasterReader {
    extensions: &["r32"],
    name: "raw 32-bit float, metres",
    is_raw: true,
    read: |source| {
        let statement = NumberStatement { always_heights: true, ..NumberStatement::of_type(NumberType::Float(32)) };
        let big_endian = source.options.big_endian;
        let number = |bytes| if big_endian { f32::from_be_bytes(bytes) } else { f32::from_le_bytes(bytes) };
        // Raw files have no no-data value, so a non-finite number probably means a wrong byte order.
        let broken = source.bytes.as_chunks::<4>().0.iter().position(|&bytes| !number(bytes).is_finite());
        let read = read_numbers(source, statement, |bytes| f64::from(number(bytes)))?;
        match broken {
            None => Ok(read),
            Some(at) => {
                let (row, column) = (at / read.width, at % read.width);
                Err(RasterError::NotANumber { path: source.path.into(), row, column })
            }
        }
    },
};

/// Reads numbers of `N` bytes in rows of the given width. Without a given width, the raster must be a square, or a
/// planet map that is twice as wide as high.
fn read_numbers<const N: usize>(
    source: &RasterSource,
    statement: NumberStatement,
    number: impl Fn([u8; N]) -> f64,
) -> Result<DecodedRaster, RasterError> {
    let bytes = source.bytes.len();
    let count = bytes / N;
    let path = || source.path.into();
    let (width, height) = match source.options.raw_width as usize {
        0 => {
            let (square, half) = (count.isqrt(), (count / 2).isqrt());
            // A number of values cannot be both a square and twice a square.
            let (width, height) = if 2 * half * half == count { (2 * half, half) } else { (square, square) };
            if count * N != bytes || width * height != count {
                return Err(RasterError::NotSquare { path: path(), bytes: bytes as u64, width: N as u64 });
            }
            (width, height)
        }
        width if count * N != bytes || !count.is_multiple_of(width) => {
            let columns = source.options.raw_width;
            return Err(RasterError::NoWholeRows { path: path(), bytes: bytes as u64, columns, width: N as u64 });
        }
        width => (width, count / width),
    };
    source.check_size(width as u64, height as u64, bytes as u64, 0)?;
    let numbers = statement.number_type.name();
    let rule = NumberRule::new(statement, source.options);
    let mut notes = Vec::new();
    let mut values: Vec<f32> = source.bytes.as_chunks::<N>().0.iter().map(|&chunk| rule.value(number(chunk))).collect();
    let meaning = rule.finish(&mut values, &mut notes);
    let mut decoded = DecodedRaster { width, height, values, meaning, numbers, notes, ..DecodedRaster::default() };
    if source.options.first_row_is_south {
        decoded.reverse_rows();
    }
    Ok(decoded)
}

fn write(sheet: &RasterSheet, out: &mut dyn RasterOut) -> std::io::Result<()> {
    sheet.each_row(sheet.big_endian, |row| out.write_all(row))
}
