//! Reads the numbers in a TIFF file. Very large images are averaged to fewer numbers.

use std::sync::Arc;

use tiff_reader::source::{FileSource, TiffSource};
use tiff_reader::{ByteOrder, Ifd, OpenOptions, TiffError, TiffFile};

use super::READER;
use super::file_tags::FileTags;
use crate::io::RasterError;
use crate::io::formats::colours::ColourReading;
use crate::io::formats::notes::RasterNote;
use crate::io::formats::numbers::{NumberRule, NumberType};
use crate::io::formats::options::NumberMeaning;
use crate::io::formats::reader::{DecodedRaster, RasterSource, apply_position};
use crate::io::raster::MAX_SAMPLES;

/// Reads the first image of a file, in strips or tiles. Numbers can be integers of 1 to 64 bits or floats, in one
/// channel or as colours. The reader converts colours to brightness. [`NumberRule`] decides which numbers are heights
/// and which are fractions between black and white. The reader applies GDAL's scale, offset, no-data value and masks to
/// heights, and the unit that the file states. An image that exceeds the maximum number of samples, such as a published
/// planet map, is averaged over squares of samples.
pub(super) fn read(source: &RasterSource) -> Result<DecodedRaster, RasterError> {
    read_within(source, MAX_SAMPLES)
}

/// The bytes of a file, shared with the TIFF decoder.
struct SharedBytes(Arc<Vec<u8>>);

impl TiffSource for SharedBytes {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_exact_at(&self, offset: u64, len: usize) -> Result<Vec<u8>, TiffError> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let part = start.checked_add(len).and_then(|end| self.0.get(start..end));
        part.map(<[u8]>::to_vec).ok_or(TiffError::OffsetOutOfBounds {
            offset,
            length: len as u64,
            data_len: self.len(),
        })
    }

    fn as_slice(&self) -> Option<&[u8]> {
        Some(&self.0)
    }
}

/// Maximum size in bytes of all tags in a file. The tile table of the largest image needs less.
const MOST_TAG_BYTES: usize = 64 << 20;

/// Opens the bytes of a TIFF file.
pub(super) fn open(bytes: Arc<Vec<u8>>) -> Result<TiffFile, TiffError> {
    TiffFile::from_source_with_options(Arc::new(SharedBytes(bytes)), open_options())
}

fn open_options() -> OpenOptions {
    let mut options = OpenOptions { block_cache_bytes: 0, block_cache_slots: 0, ..OpenOptions::default() };
    // The size of an image is checked before it is decoded.
    options.decode_output_bytes = usize::MAX;
    options.parse_budgets.max_tag_value_bytes = MOST_TAG_BYTES;
    options.parse_budgets.max_metadata_value_bytes = MOST_TAG_BYTES;
    options
}

/// TIFF tag that states the type of the numbers: unsigned integers (1), signed integers (2) or floats (3).
const SAMPLE_FORMAT: u16 = 339;

/// Opens a file of 16-bit floats as if it held 16-bit unsigned integers, because the decoder refuses 16-bit floats.
/// `None` if the numbers have another type.
fn open_halves(file: &TiffFile, bytes: &[u8]) -> Option<TiffFile> {
    let ifd = file.ifd(0).ok()?;
    let is_half = ifd.bits_per_sample().ok()?.iter().all(|bits| *bits == 16)
        && ifd.sample_format().ok()?.iter().all(|format| *format == 3);
    if !is_half {
        return None;
    }
    let is_little = file.byte_order() == ByteOrder::LittleEndian;
    let at = |at: usize, length: usize| {
        let mut part = bytes.get(at..at.checked_add(length)?)?.to_vec();
        if is_little {
            part.reverse();
        }
        Some(part.iter().fold(0usize, |number, byte| number << 8 | usize::from(*byte)))
    };
    // Sizes in bytes of three parts of a directory: the number of entries, an entry, and a count or offset.
    let [head, entry, word] = if file.is_bigtiff() { [8, 20, 8] } else { [2, 12, 4] };
    let start = usize::try_from(ifd.offset()).ok()?;
    let mut entries = (0..at(start, head)?).map(|k| start + head + k * entry);
    let place = entries.find(|place| at(*place, 2) == Some(usize::from(SAMPLE_FORMAT)))?;
    let count = at(place + 4, word)?;
    let values = if count * 2 <= word { place + 4 + word } else { at(place + 4 + word, word)? };
    let mut changed = bytes.to_vec();
    for value in changed.get_mut(values..values.checked_add(count * 2)?)?.as_chunks_mut::<2>().0 {
        *value = if is_little { 1u16.to_le_bytes() } else { 1u16.to_be_bytes() };
    }
    open(Arc::new(changed)).ok()
}

/// Opens a TIFF file without reading all of it.
pub(super) fn open_path(path: &std::path::Path) -> Result<TiffFile, TiffError> {
    TiffFile::from_source_with_options(Arc::new(FileSource::open(path)?), open_options())
}

/// The error for a broken file. If a read, a strip or a tile extends beyond the end of the file, the file is
/// truncated.
pub(super) fn broken(source: &RasterSource, error: &TiffError) -> RasterError {
    match error {
        TiffError::OffsetOutOfBounds { .. } | TiffError::Truncated { .. } => source.cut_off(READER.name),
        TiffError::Io(error, _) if error.kind() == std::io::ErrorKind::UnexpectedEof => source.cut_off(READER.name),
        _ if source.bytes.len() < HEAD_BYTES => source.cut_off(READER.name),
        TiffError::DecompressionFailed { .. } => source.unreadable(
            READER.name,
            format!("{error}; the file is damaged. Download or copy it again, or export it again from its source"),
        ),
        TiffError::UnsupportedBitsPerSample(bits) => source.unreadable(
            READER.name,
            format!(
                "numbers of this type with {bits} bits are not supported; `gdal_translate -ot Float32 IN.tif OUT.tif` saves them as 32-bit floats"
            ),
        ),
        _ => source.unreadable(READER.name, error),
    }
}

/// Size of the TIFF header in bytes.
const HEAD_BYTES: usize = 8;

/// Side length, in samples, of the squares over which an image of `width` × `height` samples is averaged. The side
/// length is the smallest for which at most `most` averages remain.
fn averaging_side(width: u64, height: u64, most: u64) -> u64 {
    (1..=MAX_AVERAGING_SIDE)
        .find(|side| width.div_ceil(*side).saturating_mul(height.div_ceil(*side)) <= most)
        .unwrap_or(1)
}

/// Refuses unsupported compression methods and colour spaces, and images whose numbers are palette indices.
fn check_kind(ifd: &Ifd, source: &RasterSource) -> Result<(), RasterError> {
    let refused = |message: String| Err(source.unreadable(READER.name, message));
    if let Some((_, name)) = UNSUPPORTED_COMPRESSIONS.iter().find(|(number, _)| *number == ifd.compression()) {
        return refused(format!(
            "its compression, {name}, is not supported; save it uncompressed or with Deflate, LZW or Zstd, for example by `gdal_translate -co COMPRESS=DEFLATE IN.tif OUT.tif`"
        ));
    }
    let reads_indices = source.options.channel > 0 || source.options.meaning != NumberMeaning::File;
    match ifd.photometric_interpretation() {
        Some(3) if !reads_indices => refused(
            "its numbers are indices of palette colours; `gdal_translate -expand gray IN.tif OUT.tif` saves the \
             colours as grey. If the indices themselves are heights, set Numbers to Heights"
                .into(),
        ),
        Some(5 | 6 | 8) => refused("its colours are CMYK, YCbCr or CIELab; save it as grey, or as RGB".into()),
        _ => Ok(()),
    }
}

/// Numbers and names of the TIFF compression methods that are not supported.
const UNSUPPORTED_COMPRESSIONS: [(u16, &str); 8] = [
    (2, "CCITT fax"),
    (3, "CCITT fax"),
    (4, "CCITT fax"),
    (6, "JPEG"),
    (7, "JPEG"),
    (34712, "JPEG 2000"),
    (34925, "LZMA"),
    (50001, "WebP"),
];
/// Maximum side length, in samples, of the squares that are averaged. The sample count of a square fits in 16 bits.
const MAX_AVERAGING_SIDE: u64 = 64;

/// The image in a TIFF file that is being read.
struct StoredImage<'a> {
    file: &'a TiffFile,
    ifd: &'a Ifd,
    source: &'a RasterSource<'a>,
    width: usize,
    height: usize,
    channels: usize,
    number_type: NumberType,
    bytes_per_number: usize,
    /// Width and height of a strip or tile.
    block: [usize; 2],
}

impl StoredImage<'_> {
    /// Whether the file holds the block that contains the sample at a row and a column. GDAL omits blocks without data
    /// and states 0 as their length.
    fn has_block(&self, lengths: &[u64], row: usize, column: usize) -> bool {
        let across = self.width.div_ceil(self.block[0]);
        lengths.get(row / self.block[1] * across + column / self.block[0]).is_none_or(|length| *length > 0)
    }

    /// Reads the image in rectangles. For each row of a rectangle, calls `each` with the row, the first column and the
    /// numbers of all channels, or of `channel` only. Returns whether the file omits blocks; these are skipped.
    fn for_each_row(
        &self,
        channel: Option<usize>,
        mut each: impl FnMut(usize, usize, &[f64]),
    ) -> Result<bool, RasterError> {
        let failed = |error: TiffError| broken(self.source, &error);
        let is_tiled = self.ifd.is_tiled();
        let lengths = if is_tiled { self.ifd.tile_byte_counts() } else { self.ifd.strip_byte_counts() };
        let lengths = lengths.unwrap_or_default();
        let has_gaps = lengths.contains(&0);
        let columns_at_once = if has_gaps { self.block[0] } else { self.width };
        let mut row_of_numbers = Vec::new();
        for top in (0..self.height).step_by(self.block[1]) {
            let rows = self.block[1].min(self.height - top);
            for left in (0..self.width).step_by(columns_at_once) {
                if has_gaps && !self.has_block(&lengths, top, left) {
                    continue;
                }
                let columns = columns_at_once.min(self.width - left);
                let bytes = match channel {
                    Some(channel) => {
                        self.file.read_band_window_bytes_from_ifd(self.ifd, channel, top, left, rows, columns)
                    }
                    None => self.file.read_window_bytes_from_ifd(self.ifd, top, left, rows, columns),
                }
                .map_err(failed)?;
                let in_row = columns * channel.map_or(self.channels, |_| 1) * self.bytes_per_number;
                for (row, bytes) in bytes.chunks_exact(in_row).enumerate() {
                    row_of_numbers.clear();
                    self.add_numbers(bytes, &mut row_of_numbers);
                    each(top + row, left, &row_of_numbers);
                }
            }
        }
        Ok(has_gaps)
    }

    /// Appends the numbers in `bytes`, which have the byte order of this machine.
    fn add_numbers(&self, bytes: &[u8], out: &mut Vec<f64>) {
        use NumberType::{Float, Signed, Unsigned};
        macro_rules! add {
            ($ty:ty, $n:literal) => {
                out.extend(bytes.as_chunks::<$n>().0.iter().map(|&b| <$ty>::from_ne_bytes(b) as f64))
            };
        }
        match (self.number_type, self.bytes_per_number) {
            (Unsigned(_), 1) => out.extend(bytes.iter().map(|&b| f64::from(b))),
            (Signed(_), 1) => add!(i8, 1),
            (Unsigned(_), 2) => add!(u16, 2),
            (Signed(_), 2) => add!(i16, 2),
            (Unsigned(_), 4) => add!(u32, 4),
            (Signed(_), 4) => add!(i32, 4),
            (Unsigned(_), _) => add!(u64, 8),
            (Signed(_), _) => add!(i64, 8),
            (Float(_), 2) => {
                let half = |&b: &[u8; 2]| f64::from(exr::prelude::f16::from_bits(u16::from_ne_bytes(b)).to_f32());
                out.extend(bytes.as_chunks::<2>().0.iter().map(half));
            }
            (Float(_), 4) => add!(f32, 4),
            (Float(_), _) => add!(f64, 8),
        }
    }
}

/// The type of the numbers in an image.
fn number_type(layout: &tiff_reader::RasterLayout) -> NumberType {
    let bits = u32::from(layout.bits_per_sample);
    match layout.sample_format {
        2 => NumberType::Signed(bits),
        3 => NumberType::Float(bits),
        _ => NumberType::Unsigned(bits),
    }
}

/// The image that `ifd` describes, with its layout. Does not decode any numbers yet.
fn image<'a>(file: &'a TiffFile, ifd: &'a Ifd, source: &'a RasterSource) -> Result<StoredImage<'a>, RasterError> {
    let layout = ifd.raster_layout().map_err(|error| broken(source, &error))?;
    let rows = usize::try_from(ifd.rows_per_strip()).unwrap_or(usize::MAX).clamp(1, layout.height);
    let block = match (ifd.tile_width(), ifd.tile_height()) {
        (Some(width), Some(height)) if ifd.is_tiled() => [width.max(1) as usize, height.max(1) as usize],
        _ => [layout.width, rows],
    };
    Ok(StoredImage {
        file,
        ifd,
        source,
        width: layout.width,
        height: layout.height,
        channels: layout.samples_per_pixel,
        number_type: number_type(&layout),
        bytes_per_number: layout.bytes_per_sample,
        block,
    })
}

fn read_within(source: &RasterSource, most_samples: u64) -> Result<DecodedRaster, RasterError> {
    let mut file = open(source.bytes.clone()).map_err(|error| broken(source, &error))?;
    let halves = open_halves(&file, source.bytes);
    let is_half = halves.is_some();
    if let Some(halves) = halves {
        file = halves;
    }
    let ifd = file.ifd(0).map_err(|error| broken(source, &error))?;
    check_kind(ifd, source)?;
    let mut image = image(&file, ifd, source)?;
    if is_half {
        image.number_type = NumberType::Float(16);
    }
    let mut notes = Vec::new();
    let tags = FileTags::read(ifd, source, &mut notes);
    let reading = ColourReading::choose(&tags.channel_names(ifd), ifd, source, &mut notes)?;
    let mean = averaging_side(image.width as u64, image.height as u64, most_samples);
    let [columns, rows] = [image.width, image.height].map(|side| (side as u64).div_ceil(mean));
    let bytes = (image.width as u64).saturating_mul(image.height as u64);
    let bytes = bytes.saturating_mul((reading.channels_read(image.channels) * image.bytes_per_number) as u64);
    // The decoder decodes a whole strip or tile before it copies the numbers.
    let block_bytes = (image.width.max(image.block[0]) as u64).saturating_mul(image.block[1] as u64);
    let block_bytes = block_bytes.saturating_mul((image.channels * image.bytes_per_number) as u64);
    source.check_size(
        columns,
        rows,
        bytes,
        block_bytes.saturating_add(if mean > 1 { 2 * columns * rows } else { 0 }),
    )?;
    let rule = NumberRule::new(tags.statement(image.number_type, &reading), source.options);
    let mut averages = Averages::new([columns as usize, rows as usize], mean as usize);
    let has_gaps = image.for_each_row(reading.single_channel(), |row, left, numbers| {
        averages.add_row(row, left, reading.numbers_of_row(numbers, image.channels, &source.options), &rule);
    })?;
    if has_gaps && tags.no_data.is_none() {
        notes.push(RasterNote::new(
            "omitted-blocks",
            "it omits blocks of samples and states no value for them, so the samples count as samples without data",
        ));
    }
    let [columns, rows] = [columns as usize, rows as usize];
    let mut values = averages.values();
    if mean == 1 {
        apply_masks(&file, &image, source, &mut values, &mut notes);
    } else if inner_mask(&file).is_some() || source.sides.mask.is_some() {
        notes.push(RasterNote::new(
            "unused-mask",
            "its mask is ignored, because the image is averaged; `gdal_translate -b 1 -outsize 50% 50% IN.tif OUT.tif` makes it smaller",
        ));
    }
    note_other_images(&file, &mut notes);
    if mean > 1 {
        notes.push(RasterNote::new(
            "averaged",
            format!(
                "it has {} × {} samples, more than Talweg can use, so it is averaged over squares of {mean} × {mean} samples",
                image.width, image.height
            ),
        ));
    }
    let meaning = rule.finish(&mut values, &mut notes);
    let position = tags.position([image.width, image.height], &mut notes);
    let mut decoded = DecodedRaster {
        width: columns,
        height: rows,
        values,
        meaning,
        numbers: image.number_type.name(),
        no_data: tags.no_data,
        channels: reading.names.clone(),
        channel: reading.read_name(),
        ..DecodedRaster::default()
    };
    apply_position(&mut decoded, position, mean as usize, &source.options);
    decoded.notes = notes;
    Ok(decoded)
}

/// The values of an image, or their averages over squares of samples.
struct Averages {
    columns: usize,
    mean: usize,
    values: Vec<f32>,
    /// Number of samples with data in each average; empty if nothing is averaged.
    counts: Vec<u16>,
}

impl Averages {
    fn new([columns, rows]: [usize; 2], mean: usize) -> Self {
        let values = vec![f32::NAN; columns * rows];
        let counts = vec![0; if mean > 1 { values.len() } else { 0 }];
        Self { columns, mean, values, counts }
    }

    fn add_row(&mut self, row: usize, left: usize, numbers: impl Iterator<Item = f64>, rule: &NumberRule) {
        if self.mean == 1 {
            let to = &mut self.values[row * self.columns + left..];
            to.iter_mut().zip(numbers).for_each(|(value, number)| *value = rule.value(number));
            return;
        }
        let first = row / self.mean * self.columns;
        for (column, number) in numbers.enumerate().filter(|(_, number)| !rule.is_usual_void(*number)) {
            let value = rule.value(number);
            if !value.is_finite() {
                continue;
            }
            let at = first + (left + column) / self.mean;
            self.values[at] = if self.counts[at] == 0 { value } else { self.values[at] + value };
            self.counts[at] += 1;
        }
    }

    fn values(mut self) -> Vec<f32> {
        for (value, count) in self.values.iter_mut().zip(&self.counts).filter(|(_, count)| **count > 1) {
            *value /= f32::from(*count);
        }
        self.values
    }
}

/// TIFF tag with a bit for each kind of image: overview (1), page (2), mask (4).
const NEW_SUBFILE_TYPE: u16 = 254;

fn subfile_type(ifd: &Ifd) -> u32 {
    ifd.tag(NEW_SUBFILE_TYPE).and_then(|tag| tag.value.as_u32()).unwrap_or(0)
}

/// The mask of the first image that is stored in the same file.
fn inner_mask(file: &TiffFile) -> Option<&Ifd> {
    file.ifds().iter().skip(1).find(|ifd| subfile_type(ifd) & 5 == 4)
}

/// Sets samples to NaN if a mask in the file or in a side file hides them. Adds a note for a mask that cannot be used.
fn apply_masks(
    file: &TiffFile,
    image: &StoredImage,
    source: &RasterSource,
    values: &mut [f32],
    notes: &mut Vec<RasterNote>,
) {
    if source.options.no_data != crate::io::formats::options::NoDataRule::File {
        return;
    }
    let fits = |mask: &Ifd| mask.width() as usize == image.width && mask.height() as usize == image.height;
    if inner_mask(file).is_some_and(|mask| !fits(mask) || !apply_mask(file, mask, source, values)) {
        notes.push(RasterNote::new("unused-mask", "it has a mask that cannot be read, so the mask is ignored"));
    }
    let Some(side) = &source.sides.mask else { return };
    let applied = open(Arc::new(side.bytes.clone()))
        .is_ok_and(|beside| beside.ifd(0).is_ok_and(|mask| fits(mask) && apply_mask(&beside, mask, source, values)));
    if !applied {
        notes.push(RasterNote::new(
            "unused-mask",
            format!("the mask {} does not fit it or cannot be read, so the mask is ignored", side.name()),
        ));
    }
}

/// Sets the values that a mask hides to NaN. Returns whether the mask could be read.
fn apply_mask(file: &TiffFile, mask: &Ifd, source: &RasterSource, values: &mut [f32]) -> bool {
    let Ok(stored) = image(file, mask, source) else { return false };
    let width = stored.width;
    let read = stored.for_each_row(Some(0), |row, left, numbers| {
        let to = &mut values[row * width + left..][..numbers.len()];
        for (value, _) in to.iter_mut().zip(numbers).filter(|(_, number)| **number == 0.0) {
            *value = f32::NAN;
        }
    });
    read.is_ok()
}

/// Adds a note if the file has further images that are neither overviews nor masks.
fn note_other_images(file: &TiffFile, notes: &mut Vec<RasterNote>) {
    let others = file.ifds().iter().skip(1).filter(|ifd| subfile_type(ifd) & 5 == 0).count();
    if others > 0 {
        notes.push(RasterNote::new(
            "further-images",
            format!("it has {} images; only the first is read. `gdal_translate GTIFF_DIR:2:IN.tif OUT.tif` saves the second one", others + 1),
        ));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::io::formats::tiff::TIFF;
    use crate::io::formats::{GeoReference, RasterSheet, Samples, each_number};

    #[test]
    fn oversized_images_are_read_as_means_at_their_position() {
        let place = GeoReference {
            epsg: Some(4326),
            in_degrees: true,
            radius_metres: None,
            west: -179.5,
            north: 44.5,
            step: [1.0; 2],
            is_area: true,
        };
        // The first sample of every 3 × 3 square has no data, and one square has no data at all.
        let is_void = |row: usize, column: usize| {
            row.is_multiple_of(3) && column.is_multiple_of(3) || row / 3 == 2 && column / 3 == 5
        };
        let law = |row: usize, column: usize| (10 * row + column) as f32;
        let of_row = each_number(|row, column, _| if is_void(row, column) { -9999.0 } else { law(row, column) });
        let sheet = RasterSheet {
            samples: Samples::F32(&of_row),
            placement: Some(place),
            nodata: Some(-9999.0),
            ..RasterSheet::grey(361, 91)
        };
        let mut bytes = std::io::Cursor::new(Vec::new());
        TIFF.write(&sheet, &mut bytes).unwrap();
        let bytes = Arc::new(bytes.into_inner());
        let source = RasterSource::new(Path::new("a.tif"), &bytes);
        let whole = read_within(&source, 361 * 91).unwrap();
        assert_eq!((whole.width, whole.height, whole.placement), (361, 91, Some(place)));
        let made = read_within(&source, 4000).unwrap();
        assert_eq!((made.width, made.height), (121, 31));
        let found = made.placement.unwrap();
        assert_eq!((found.west, found.north, found.step), (-178.5, 43.5, [3.0; 2]));
        for (k, value) in made.values.iter().enumerate() {
            let (row, column) = (k / 121 * 3, k % 121 * 3);
            let there = (row..row + 3).flat_map(|i| (column..column + 3).map(move |j| (i, j)));
            let there: Vec<f32> =
                there.filter(|(i, j)| *i < 91 && *j < 361 && !is_void(*i, *j)).map(|(i, j)| law(i, j)).collect();
            if there.is_empty() {
                assert!(value.is_nan(), "{k}");
            } else {
                let mean = there.iter().sum::<f32>() / there.len() as f32;
                assert!((value - mean).abs() < 1e-3, "{k}: {value} instead of {mean}");
            }
        }
        assert_eq!([averaging_side(46_080, 23_040, 1 << 28), averaging_side(92_160, 46_080, 1 << 28)], [2, 4]);
        assert_eq!(
            averaging_side(u64::MAX, u64::MAX, 1 << 28),
            1,
            "a file too large even for averaging must be refused"
        );
    }
}
