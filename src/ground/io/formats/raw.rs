//! Raw numbers without a header, row by row from the north-west corner. The byte order is little-endian unless the
//! caller requests the other order.

use super::reader::{DecodedRaster, RasterReader, RasterSource, SampleMeaning};
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
        let share = |number: u16| f32::from(number) / 65535.0;
        let meaning = SampleMeaning::Fractions { range_metres: None };
        match source.layout.big_endian {
            true => read_numbers(source, meaning, |bytes| share(u16::from_be_bytes(bytes))),
            false => read_numbers(source, meaning, |bytes| share(u16::from_le_bytes(bytes))),
        }
    },
};

pub(super) static READER_32: RasterReader = RasterReader {
    extensions: &["r32"],
    name: "raw 32-bit float, metres",
    is_raw: true,
    read: |source| {
        let read = match source.layout.big_endian {
            true => read_numbers(source, SampleMeaning::Metres, f32::from_be_bytes),
            false => read_numbers(source, SampleMeaning::Metres, f32::from_le_bytes),
        }?;
        // Raw files have no no-data value, so a non-finite number means that the byte order is probably wrong.
        match read.values.iter().position(|v| !v.is_finite()) {
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
    meaning: SampleMeaning,
    number: impl Fn([u8; N]) -> f32,
) -> Result<DecodedRaster, RasterError> {
    let bytes = source.bytes.len();
    let count = bytes / N;
    let path = || source.path.into();
    let (width, height) = match source.layout.width as usize {
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
            let columns = source.layout.width;
            return Err(RasterError::NoWholeRows { path: path(), bytes: bytes as u64, columns, width: N as u64 });
        }
        width => (width, count / width),
    };
    source.check_size(width as u64, height as u64, bytes as u64, 0)?;
    let values = source.bytes.as_chunks::<N>().0.iter().map(|&chunk| number(chunk)).collect();
    Ok(DecodedRaster { width, height, values, meaning, placement: None })
}

fn write(sheet: &RasterSheet, out: &mut dyn RasterOut) -> std::io::Result<()> {
    sheet.each_row(sheet.big_endian, |row| out.write_all(row))
}
