//! The image data of PNG files, compressed in bands of rows on all threads.
//!
//! Heights and shaded colours hardly ever repeat, so a search for repeated strings of bytes takes most of the time of
//! ordinary Deflate, and makes the files only 1 to 4 % smaller. So Deflate searches only for runs of one byte here (the
//! strategy `Z_RLE` of zlib). Every row is filtered by Paeth's predictor, which makes the smallest files with this
//! strategy. The bands depend only on the size of the raster, so the file is the same for any number of threads.

use std::io::{Error, Write};

use rayon::prelude::*;
use zlib_rs::{Deflate, DeflateConfig, DeflateFlush, Strategy};

/// Size of a band in bytes; a band has at least one row and at most [`BAND_ROWS`].
const BAND_BYTES: usize = 1 << 17;
const BAND_ROWS: usize = 16;
/// Number of bands that are in memory and compressed together.
const BANDS: usize = 16;
/// The header of a zlib stream of the fastest level, and the last block of Deflate, which is empty.
const ZLIB_HEADER: [u8; 2] = [0x78, 0x01];
const LAST_BLOCK: [u8; 2] = [0x03, 0x00];
/// Number of the filter by Paeth's predictor.
const PAETH: u8 = 4;

/// The size of a raster in a PNG file.
#[derive(Clone, Copy)]
pub struct PngSize {
    /// Number of rows.
    pub rows: usize,
    /// Number of bytes in a row.
    pub row_bytes: usize,
    /// Number of bytes in a sample, with all its channels.
    pub sample_bytes: usize,
}

/// Writes the image data of a PNG file after its header. `fill` computes the bytes of a row; it is called for one row
/// after another.
///
/// # Errors
/// The errors of `fill`, or if the file cannot be written.
pub fn write_png_rows(
    writer: &mut png::Writer<impl Write>,
    size: PngSize,
    mut fill: impl FnMut(usize, &mut [u8]) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let PngSize { rows, row_bytes, .. } = size;
    let band = (BAND_BYTES / row_bytes).clamp(1, BAND_ROWS);
    let (mut packed, mut checksum) = (ZLIB_HEADER.to_vec(), 1);
    // The row above, which is 0 at first, then the rows of some bands.
    let mut bytes = vec![0; (1 + band * BANDS) * row_bytes];
    for first in (0..rows).step_by(band * BANDS) {
        let count = (rows - first).min(band * BANDS);
        for (row, out) in (first..first + count).zip(bytes.chunks_exact_mut(row_bytes).skip(1)) {
            fill(row, out)?;
        }
        let bands = (0..count).into_par_iter().step_by(band).map(|row| {
            let end = (row + band).min(count);
            compressed(&bytes[row * row_bytes..(end + 1) * row_bytes], size)
        });
        for made in bands.collect::<Vec<_>>() {
            let (blocks, sum, length) = made?;
            packed.extend(blocks);
            checksum = zlib_rs::adler32::adler32_combine(checksum, sum, length);
        }
        bytes.copy_within(count * row_bytes..(count + 1) * row_bytes, 0);
        if first + count == rows {
            packed.extend(LAST_BLOCK);
            packed.extend(u32::to_be_bytes(checksum));
        }
        writer.write_chunk(png::chunk::IDAT, &packed)?;
        packed.clear();
    }
    Ok(())
}

/// Deflate blocks of filtered rows, with the checksum and the length of the filtered bytes. The first of the `rows` is
/// the row above them. The blocks end at a whole byte.
fn compressed(rows: &[u8], PngSize { row_bytes, sample_bytes, .. }: PngSize) -> std::io::Result<(Vec<u8>, u32, u64)> {
    let count = rows.len() / row_bytes - 1;
    let mut filtered = vec![0; count * (1 + row_bytes)];
    for (k, out) in filtered.chunks_exact_mut(1 + row_bytes).enumerate() {
        let (above, row) = rows[k * row_bytes..][..2 * row_bytes].split_at(row_bytes);
        out[0] = PAETH;
        let (first, rest) = out[1..].split_at_mut(sample_bytes);
        // Beyond the west edge the samples are 0, so the predictor is the sample above.
        first.iter_mut().zip(row.iter().zip(above)).for_each(|(out, (byte, above))| *out = byte.wrapping_sub(*above));
        subtract_predictors(row, above, sample_bytes, rest);
    }
    let config = DeflateConfig { window_bits: -15, strategy: Strategy::Rle, ..DeflateConfig::default() };
    let mut deflate = Deflate::new_with_config(config);
    let mut out = vec![0; zlib_rs::compress_bound(filtered.len()) + 64];
    deflate.compress(&filtered, &mut out, DeflateFlush::SyncFlush).map_err(|error| Error::other(error.as_str()))?;
    if deflate.total_in() != filtered.len() as u64 || deflate.total_out() == out.len() as u64 {
        return Err(Error::other("the compressed rows are longer than Deflate allows"));
    }
    out.truncate(deflate.total_out() as usize);
    Ok((out, zlib_rs::adler32::adler32(1, &filtered), filtered.len() as u64))
}

/// Subtracts Paeth's predictors from the bytes of a row, except from those of its first sample.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn subtract_predictors(row: &[u8], above: &[u8], sample_bytes: usize, out: &mut [u8]) {
    let n = out.len();
    let (here, north) = (&row[sample_bytes..][..n], &above[sample_bytes..][..n]);
    let (west, north_west) = (&row[..n], &above[..n]);
    for k in 0..n {
        let [a, b, c] = [west[k], north[k], north_west[k]].map(i16::from);
        let (from_a, from_b, from_c) = ((b - c).abs(), (a - c).abs(), (a + b - 2 * c).abs());
        let nearer = if from_b <= from_c { north[k] } else { north_west[k] };
        let predictor = if from_a <= from_b && from_a <= from_c { west[k] } else { nearer };
        out[k] = here[k].wrapping_sub(predictor);
    }
}

#[cfg(test)]
mod tests {
    use crate::io::formats::{PNG, RasterSheet, SampleRow, Samples, each_number};

    fn written(width: usize, height: usize, channels: usize, of_row: SampleRow<u16>) -> Vec<u8> {
        let sheet = RasterSheet { samples: Samples::U16(of_row), channels, ..RasterSheet::grey(width, height) };
        let mut out = std::io::Cursor::new(Vec::new());
        PNG.write(&sheet, &mut out).unwrap();
        out.into_inner()
    }

    #[test]
    fn wide_files_hold_their_numbers_for_any_threads() {
        for (width, height, channels) in
            [(1, 1, 1), (3, 700, 1), (700, 300, 1), (65, 33, 3), (40, 20, 4), (70_000, 3, 1)]
        {
            let number = |row: usize, column: usize, channel: usize| {
                let noise = ((row * 7919 + column * 104_729 + channel) as u32).wrapping_mul(2_654_435_761) >> 16;
                // Noise compresses to more bytes than it has; level ground is a single run.
                if row % 50 < 20 { noise as u16 } else { (column / 90 * 3000 + channel) as u16 }
            };
            let of_row = each_number(number);
            let bytes = written(width, height, channels, &of_row);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            assert_eq!(bytes, pool.install(|| written(width, height, channels, &of_row)));
            let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            for (k, pair) in pixels.as_chunks().0.iter().enumerate() {
                let (row, column) = (k / (width * channels), k / channels % width);
                assert_eq!(u16::from_be_bytes(*pair), number(row, column, k % channels), "{width} × {height}: {k}");
            }
        }
    }
}
