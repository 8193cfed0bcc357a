//! Channels of images: the choice of the channel to read, transparency, and heights encoded in colours.

use tiff_reader::Ifd;

use super::notes::RasterNote;
use super::options::{NoDataRule, NumberMeaning, ReadOptions};
use super::reader::RasterSource;
use crate::io::RasterError;

/// The channels of an image, and the method that computes one number from the channels of a pixel.
pub(super) struct ColourReading {
    /// Names of all channels.
    pub names: Vec<String>,
    method: Method,
    /// Index of the channel with the opacity, if it marks samples without data.
    alpha: Option<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Method {
    /// The number in one channel.
    Channel(usize),
    /// The brightness of the first three channels, or the height that they encode.
    Colour,
}

impl ColourReading {
    /// Chooses the channels of a TIFF image whose channels are called `names`.
    ///
    /// # Errors
    /// When the options ask for a channel that the image does not have, or for colours that the image does not have.
    pub fn choose(
        names: &[String],
        ifd: &Ifd,
        source: &RasterSource,
        notes: &mut Vec<RasterNote>,
    ) -> Result<Self, RasterError> {
        let opacity = |sample: &tiff_reader::ExtraSample| {
            matches!(sample, tiff_reader::ExtraSample::AssociatedAlpha | tiff_reader::ExtraSample::UnassociatedAlpha)
        };
        let extra = ifd.extra_samples().unwrap_or_default();
        let first_extra = names.len().saturating_sub(extra.len());
        let alpha = extra.iter().position(opacity).map(|k| first_extra + k);
        // GDAL uses the opacity only in images of integers.
        let is_float = ifd.sample_format().is_ok_and(|formats| formats.contains(&3));
        if let Some(alpha) = alpha.filter(|_| is_float && source.options.no_data == NoDataRule::File) {
            notes.push(RasterNote::new(
                "opacity",
                format!(
                    "its channel {} is the opacity, so samples with opacity 0 have no data; set No data to None to read them",
                    alpha + 1
                ),
            ));
        }
        let is_colour = ifd.photometric_interpretation() == Some(2) && names.len() >= 3;
        Self::of_channels(names.to_vec(), is_colour, alpha, source, "TIFF or GeoTIFF", notes)
    }

    /// Chooses the channels of an image whose channels are called `names`. The channel `alpha` holds the opacity.
    ///
    /// # Errors
    /// As for [`Self::choose`].
    pub fn of_channels(
        names: Vec<String>,
        is_colour: bool,
        alpha: Option<usize>,
        source: &RasterSource,
        format: &'static str,
        notes: &mut Vec<RasterNote>,
    ) -> Result<Self, RasterError> {
        let wanted = usize::from(source.options.channel);
        let encodes = matches!(source.options.meaning, NumberMeaning::Terrarium | NumberMeaning::Mapbox);
        if wanted > names.len() {
            return Err(source.unreadable(
                format,
                format!("channel {wanted} does not exist; its {} channels are {}", names.len(), list(&names)),
            ));
        }
        if encodes && !is_colour {
            return Err(source.unreadable(
                format,
                "it has no red, green and blue channels, so its colours cannot encode heights; set Numbers to As in the file",
            ));
        }
        let alpha = alpha.filter(|_| source.options.no_data == NoDataRule::File);
        let method = if wanted > 0 {
            Method::Channel(wanted - 1)
        } else if is_colour {
            Method::Colour
        } else {
            Method::Channel(0)
        };
        if method == Method::Colour && !encodes {
            notes.push(RasterNote::new(
                "colours",
                "its colours are read as brightness; set Numbers to Terrarium tile or Mapbox tile if they encode heights",
            ));
        }
        let is_other =
            |k: &usize| Some(*k) != alpha && !(method == Method::Colour && *k < 3) && method != Method::Channel(*k);
        if (0..names.len()).any(|k| is_other(&k)) {
            let read = match method {
                Method::Channel(k) => format!("only channel {} ({}) is read", k + 1, names[k]),
                Method::Colour => "only the colours are read".into(),
            };
            notes.push(RasterNote::new(
                "further-channels",
                format!("it has {} channels ({}); {read}. Set Channel to read another one", names.len(), list(&names)),
            ));
        }
        Ok(Self { names, method, alpha })
    }

    /// Whether the number of a pixel is computed from its three colours.
    pub fn is_colour(&self) -> bool {
        self.method == Method::Colour
    }

    /// Index of the channel to read, if a single channel suffices.
    pub fn single_channel(&self) -> Option<usize> {
        match (self.method, self.alpha) {
            (Method::Channel(k), None) => Some(k),
            _ => None,
        }
    }

    /// Number of channels that are decoded at once.
    pub fn channels_read(&self, channels: usize) -> usize {
        self.single_channel().map_or(channels, |_| 1)
    }

    /// Name of the channel that is read, if the image has several channels.
    pub fn read_name(&self) -> Option<String> {
        match self.method {
            Method::Channel(k) if self.names.len() > 1 => self.names.get(k).cloned(),
            Method::Colour => Some("brightness of the colours".into()),
            Method::Channel(_) => None,
        }
    }

    /// The numbers of a row of pixels; NaN for transparent pixels. A row holds all `channels` of each pixel, or the
    /// single channel.
    pub fn numbers_of_row<'a>(
        &self,
        row: &'a [f64],
        channels: usize,
        options: &ReadOptions,
    ) -> impl Iterator<Item = f64> + 'a {
        let (channels, method) = match self.single_channel() {
            Some(_) => (1, Method::Channel(0)),
            None => (channels, self.method),
        };
        let (alpha, meaning) = (self.alpha, options.meaning);
        row.chunks_exact(channels).map(move |pixel| {
            if alpha.is_some_and(|alpha| pixel[alpha] == 0.0) {
                return f64::NAN;
            }
            match method {
                Method::Channel(k) => pixel[k],
                Method::Colour => number_of_colour(meaning, [pixel[0], pixel[1], pixel[2]]),
            }
        })
    }
}

/// The numbers and names of all channels, for messages.
fn list(names: &[String]) -> String {
    names.iter().enumerate().map(|(k, name)| format!("{} {name}", k + 1)).collect::<Vec<_>>().join(", ")
}

/// The number of a colour of 8 bits per channel: the height that it encodes, or its brightness (Rec. 709).
pub(super) fn number_of_colour(meaning: NumberMeaning, [red, green, blue]: [f64; 3]) -> f64 {
    match meaning {
        NumberMeaning::Terrarium => 256.0 * red + green + blue / 256.0 - 32768.0,
        NumberMeaning::Mapbox => (65536.0 * red + 256.0 * green + blue) / 10.0 - 10000.0,
        _ => f64::from(0.2126 * red as f32 + 0.7152 * green as f32 + 0.0722 * blue as f32),
    }
}

/// Returns the encoding of heights that 8-bit colours probably use. It is the encoding in which all heights are
/// plausible and neighbouring pixels have similar heights, even where their red differs. In an ordinary picture, red
/// does not change by exactly one where green wraps from 255 to 0 or back.
pub(super) fn probable_encoding(rows: &[Vec<[u8; 3]>]) -> Option<NumberMeaning> {
    let spread = |channel: usize| {
        let of = || rows.iter().flatten().map(|pixel| pixel[channel]);
        of().max().unwrap_or(0) - of().min().unwrap_or(0)
    };
    let (green, blue) = (spread(1), spread(2));
    [NumberMeaning::Terrarium, NumberMeaning::Mapbox].into_iter().find(|meaning| {
        // In Terrarium tiles, blue is 0 if all heights are whole metres.
        let has_detail = blue >= 8 || blue == 0 && green >= 8 && *meaning == NumberMeaning::Terrarium;
        let height = |pixel: &[u8; 3]| number_of_colour(*meaning, pixel.map(f64::from));
        let steepness = |is_counted: &dyn Fn(&[[u8; 3]]) -> bool| {
            let pairs = rows.iter().flat_map(|row| row.windows(2)).filter(|pair| is_counted(pair));
            let (sum, count) = pairs
                .fold((0.0, 0u32), |(sum, count), pair| (sum + (height(&pair[0]) - height(&pair[1])).abs(), count + 1));
            sum / f64::from(count.max(1))
        };
        has_detail
            && rows.iter().flatten().all(|pixel| PLAUSIBLE.contains(&height(pixel)))
            && steepness(&|_| true) < STEEPEST
            && steepness(&|pair| pair[0][0] != pair[1][0]) < STEEPEST
    })
}

/// Plausible heights in metres: from the deepest ocean trench to the highest mountain on Earth.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = -11_500.0..=9_000.0;
/// Mean height difference between neighbouring pixels, in metres. Above it, colours do not count as encoded heights.
const STEEPEST: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_heights_are_recognised_and_pictures_are_not() {
        let law = |row: usize, column: usize| 500.0 + column as f64 * 1.37 + 3.11 * row as f64;
        let of_height = |encode: &dyn Fn(f64) -> [u8; 3]| -> Vec<Vec<[u8; 3]>> {
            (0..40).map(|row| (0..40).map(|column| encode(law(row, column))).collect()).collect()
        };
        let terrarium = of_height(&|h| {
            let number = ((h + 32768.0) * 256.0) as u32;
            [(number >> 16) as u8, (number >> 8) as u8, number as u8]
        });
        assert_eq!(probable_encoding(&terrarium), Some(NumberMeaning::Terrarium));
        let whole = of_height(&|h| [((h as u32 + 32768) >> 8) as u8, h as u32 as u8, 0]);
        assert_eq!(probable_encoding(&whole), Some(NumberMeaning::Terrarium));
        let mapbox = of_height(&|h| {
            let number = ((h + 10000.0) * 10.0) as u32;
            [(number >> 16) as u8, (number >> 8) as u8, number as u8]
        });
        assert_eq!(probable_encoding(&mapbox), Some(NumberMeaning::Mapbox));
        let plain = of_height(&|h| {
            let number = ((h / 20.0 + 10000.0) * 10.0) as u32;
            [(number >> 16) as u8, (number >> 8) as u8, number as u8]
        });
        assert_eq!(probable_encoding(&plain), Some(NumberMeaning::Mapbox));
        for picture in [
            of_height(&|h| [(h / 4.0) as u8, (255.0 - h / 4.0) as u8, (h / 5.0) as u8]),
            of_height(&|h| [(h / 4.0) as u8; 3]),
            of_height(&|h| [(h / 6.0) as u8 + 30; 3]),
            of_height(&|h| [(h / 6.0) as u8 + 30, 80, (h / 3.0) as u8]),
            of_height(&|_| [130, 130, 130]),
        ] {
            assert_eq!(probable_encoding(&picture), None);
        }
    }
}
