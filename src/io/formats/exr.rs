//! OpenEXR: 32-bit floats without loss, channel `Y`, `R G B` or `R G B A`. Texts are one attribute, `talweg`, a list of
//! pairs in JSON: the order of several would be another one each time. Crate `exr`.

use std::io::Error;

use exr::image::write::WritableImage;
use exr::prelude::{
    AttributeValue, Compression, Encoding, Image, Layer, LayerAttributes, SpecificChannels, Text, Vec2,
};

use super::{RasterFormat, RasterOut, RasterSheet, SampleType};

pub(super) static EXR: RasterFormat = RasterFormat {
    id: "exr",
    extensions: &["exr"],
    name: "OpenEXR",
    help: "32-bit floats, packed without loss",
    kinds: &[SampleType::F32],
    channels: 4,
    has_placement: false,
    has_texts: true,
    write,
};

/// Name of the attribute that the texts are in.
const TEXTS: &str = "talweg";

fn write(sheet: &RasterSheet, out: &mut dyn RasterOut) -> std::io::Result<()> {
    let at = |place: Vec2<usize>, channel| sheet.number(place.y(), place.x(), channel);
    let size = (sheet.width, sheet.height);
    let encoding = Encoding { compression: Compression::ZIP16, ..Encoding::FAST_LOSSLESS };
    let attributes = attributes(sheet)?;
    let written = match sheet.channels {
        1 => {
            let grey = SpecificChannels::build().with_channel::<f32>("Y").with_pixel_fn(|p: Vec2<usize>| (at(p, 0),));
            Image::from_layer(Layer::new(size, attributes, encoding, grey)).write().to_unbuffered(out)
        }
        3 => {
            let colours = SpecificChannels::rgb(|p: Vec2<usize>| (at(p, 0), at(p, 1), at(p, 2)));
            Image::from_layer(Layer::new(size, attributes, encoding, colours)).write().to_unbuffered(out)
        }
        _ => {
            let weights = SpecificChannels::rgba(|p: Vec2<usize>| (at(p, 0), at(p, 1), at(p, 2), at(p, 3)));
            Image::from_layer(Layer::new(size, attributes, encoding, weights)).write().to_unbuffered(out)
        }
    };
    written.map_err(Error::other)
}

fn attributes(sheet: &RasterSheet) -> std::io::Result<LayerAttributes> {
    let software_name = Some(Text::from(concat!("Talweg ", env!("CARGO_PKG_VERSION"))));
    let mut attributes = LayerAttributes { software_name, ..LayerAttributes::default() };
    if !sheet.texts.is_empty() {
        let texts = serde_json::to_vec(sheet.texts).map_err(Error::other)?;
        let texts = Text::from_bytes_unchecked(texts.into_iter().collect());
        attributes.other.insert(Text::from(TEXTS), AttributeValue::Text(texts));
    }
    Ok(attributes)
}
