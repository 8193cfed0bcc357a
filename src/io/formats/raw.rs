//! Raw numbers without a header, row by row from the north-west; of the lowest byte first unless asked otherwise.

use super::{RasterFormat, RasterOut, RasterSheet, SampleType};

pub(super) static R16: RasterFormat = RasterFormat {
    id: "r16",
    extensions: &["r16", "raw"],
    name: "RAW 16-bit unsigned",
    help: "whole numbers from 0 to 65535 without a header",
    kinds: &[SampleType::U16],
    channels: 1,
    has_placement: false,
    has_texts: false,
    write,
};

pub(super) static R32: RasterFormat = RasterFormat {
    id: "r32",
    extensions: &["r32"],
    name: "RAW 32-bit float",
    help: "floats without a header",
    kinds: &[SampleType::F32],
    channels: 1,
    has_placement: false,
    has_texts: false,
    write,
};

fn write(sheet: &RasterSheet, out: &mut dyn RasterOut) -> std::io::Result<()> {
    sheet.each_row(sheet.big_endian, |row| out.write_all(row))
}
