//! Palettes: colours by height above and below the sea, with rock on steep slopes.
//!
//! A palette is a RON file in `assets/palettes`, embedded in the program. The file name is the name of the palette in
//! scenes:
//! ```
//! # let text = r##"
//! (
//!     label: "Alpine",
//!     colours: Sea(
//!         water: [(0.0, "#9cc3cf"), (1.0, "#1c3f66")],              // from the shore to one relief below it
//!         land: [(0.0, "#6f8f58"), (0.6, "#85796a"), (1.0, "#ffffff")], // from the sea to the top of the relief
//!     ),
//!     rock: (colour: "#77716a", from: 32.0, to: 48.0, share: 0.9),  // by slope in degrees
//! )
//! # "##;
//! # talweg::appearance_files::Palette::from_ron("alpine", text).unwrap();
//! ```
//! `scatter: "alpine"` names the matching list of plants and stones: see [`ScatterRules`]. `materials: "bare"` names
//! the rules of the ground materials: see [`MaterialRules`]. Without `materials`, the rules for natural colours apply.
//! A scene can contain its own palette, its own list of plants and stones and its own material rules, in the same
//! format.
//!
//! `colours: Relief([…])` colours all heights from 0 to the top of the relief, independent of the sea. Between two
//! stops, colours are mixed in sRGB, as in gradient editors. `bands: 25` divides the colours into 25 equal steps.
//!
//! A [`BiomeTable`] is an alternative to a palette: it colours the terrain by ground types, which depend on the
//! climate. The `palette` of a scene can name a palette or a biome table.

mod biome_table;
mod materials;
mod rule_list;
mod scatter;
mod texture_set;

use std::path::Path;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::io::{check_name, ron_dialect, ron_layout, ron_reason, without_byte_order_mark};

pub use biome_table::{
    BIOME_PREFIX, BiomeError, BiomeTable, GroundType, HeightLevel, HeightUnits, LEAST_TOLERANCE, MAX_TYPES, Niche,
    biome_names,
};

pub use materials::{
    Band, Bands, CONDITIONS, DEFAULT_MATERIALS, EVERYWHERE, MOST_RULE_NAME, MOST_RULES, MOST_TEXTURE_SETS, Material,
    MaterialRule, MaterialRules, fulfilled, material_list_names, rule_name,
};
pub use rule_list::{RuleList, RuleListError};
pub use scatter::{
    GROVE_WIDTHS, MOST_SCATTER_RULES, SCATTER_DENSITIES, SCATTER_SIZES, ScatterKind, ScatterRule, ScatterRules,
    scatter_names,
};
pub use texture_set::{RecognisedTextures, TEXTURE_METRES, TextureMap, TextureSet, TextureSetError};

/// Name of the palette for scenes that name no palette.
pub const DEFAULT_PALETTE: &str = "alpine";

static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/palettes");

/// The reason why a palette file was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PaletteError {
    /// The text is not valid RON, or refers to an unknown name.
    #[error("palette `{palette}`, line {line}, column {column}: {message}")]
    Syntax {
        /// The name of the palette.
        palette: String,
        /// Line of the error in the file, counted from 1.
        line: usize,
        /// Column of the error in the line, counted from 1.
        column: usize,
        /// Cause of the error, in words.
        message: String,
    },
    /// The file cannot be read.
    #[error("cannot read the palette {palette}: {message}")]
    Read {
        /// Path of the file, as text.
        palette: String,
        /// Cause of the error, in words.
        message: String,
    },
    /// A colour does not have the form #rrggbb.
    #[error("palette `{palette}`: `{text}` is not a colour; write it as #rrggbb")]
    Colour {
        /// The name of the palette.
        palette: String,
        /// The text that the file contains instead of a colour.
        text: String,
    },
    /// Stops are missing, or do not increase.
    #[error("palette `{palette}`: the stops of `{part}` must increase from 0 to 1, and there must be at least one")]
    Stops {
        /// The name of the palette.
        palette: String,
        /// Name of the part of the palette whose stops are wrong.
        part: &'static str,
    },
    /// The number of bands is out of range.
    #[error("palette `{palette}`: there are {bands} bands; 2 to 1024 are allowed")]
    Bands {
        /// The name of the palette.
        palette: String,
        /// The number of bands in the file.
        bands: u16,
    },
    /// The list of plants and stones does not exist.
    #[error("palette `{palette}`: there is no list of plants and stones called `{scatter}`; available are {}", scatter_names().join(", "))]
    Scatter {
        /// The name of the palette.
        palette: String,
        /// The name in the file.
        scatter: String,
    },
    /// The list of material rules does not exist.
    #[error("palette `{palette}`: there are no material rules called `{materials}`; available are {}", material_list_names().join(", "))]
    Materials {
        /// The name of the palette.
        palette: String,
        /// The name in the file.
        materials: String,
    },
    /// A slope of the rock or the maximum opacity of the rock is out of range.
    #[error("palette `{palette}`: rock needs 0 ≤ from < to ≤ 90 and a share from 0 to 1")]
    Rock {
        /// The name of the palette.
        palette: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename = "Palette")]
struct PaletteFile {
    label: String,
    colours: FileColours,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rock: Option<FileRock>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bands: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scatter: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    materials: Option<String>,
}

#[derive(Serialize, Deserialize)]
enum FileColours {
    Sea { water: Vec<(f32, String)>, land: Vec<(f32, String)> },
    Relief(Vec<(f32, String)>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRock {
    colour: String,
    from: f32,
    to: f32,
    share: f32,
}

/// A colour stop: a position from 0 to 1, and an sRGB colour.
pub type Stop = (f32, [u8; 3]);

/// The colours of a [`Palette`] by height.
#[derive(Clone, Debug, PartialEq)]
pub enum PaletteColours {
    /// Two gradients that meet at the shore.
    Sea {
        /// Colours from the shore to a depth of one relief below the sea.
        water: Vec<Stop>,
        /// Colours from the sea to the top of the relief.
        land: Vec<Stop>,
    },
    /// One gradient from height 0 to the top of the relief, independent of the sea.
    Relief(Vec<Stop>),
}

/// A palette, with the same structure as in its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    /// Name of the palette in scenes; empty for the palette that a scene contains.
    pub name: String,
    /// Name of the palette in the panel.
    pub label: String,
    /// Colours by height above or below the sea.
    pub colours: PaletteColours,
    /// Colour of steep slopes (sRGB); the fourth number is the maximum opacity.
    pub rock: [u8; 4],
    /// Slopes in degrees at which rock begins to show and at which its opacity reaches the maximum.
    pub rock_degrees: (f32, f32),
    /// Name of the matching list of plants and stones, for [`ScatterRules::named`].
    pub scatter: String,
    /// Name of the rules of the ground materials, for [`MaterialRules::named`].
    pub materials: String,
}

/// The built-in palettes, in menu order.
static SHIPPED: LazyLock<Vec<Palette>> = LazyLock::new(|| {
    let mut palettes: Vec<Palette> = FILES
        .files()
        .filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)))
        .map(|(name, text)| Palette::from_ron(name, text).unwrap_or_else(|e| panic!("built-in file: {e}")))
        .collect();
    palettes.sort_by(|a, b| a.name.cmp(&b.name));
    palettes
});

/// Names of the built-in palettes, in menu order.
pub fn palette_names() -> Vec<String> {
    SHIPPED.iter().map(|p| p.name.clone()).collect()
}

/// Whether a built-in palette or biome table has the name `name`.
pub fn is_palette(name: &str) -> bool {
    match name.strip_prefix(BIOME_PREFIX) {
        Some(biome) => BiomeTable::named(biome).is_some(),
        None => SHIPPED.iter().any(|p| p.name == name),
    }
}

/// Names of all palettes, followed by the names of all biome tables, as scenes and `--palette` use them.
pub fn all_palette_names() -> Vec<String> {
    let biomes = biome_names().into_iter().map(|name| format!("{BIOME_PREFIX}{name}"));
    palette_names().into_iter().chain(biomes).collect()
}

impl Palette {
    /// The built-in palette called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        SHIPPED.iter().find(|p| p.name == name)
    }

    /// The built-in palette called `name`, or the default palette if no palette has this name.
    pub fn named_or_default(name: &str) -> &'static Self {
        Self::named(name).or_else(|| Self::named(DEFAULT_PALETTE)).unwrap_or(&SHIPPED[0])
    }

    /// Reads a palette from the text of a file.
    ///
    /// # Errors
    /// When the text is not a palette, or has a value out of range.
    pub fn from_ron(name: &str, text: &str) -> Result<Self, PaletteError> {
        let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        let file: PaletteFile = options.from_str(without_byte_order_mark(text)).map_err(|e| PaletteError::Syntax {
            palette: name.into(),
            line: e.span.start.line,
            column: e.span.start.col,
            message: ron_reason(&e.code),
        })?;
        Self::from_file(name, file)
    }

    /// Reads a palette from the disk. The palette is named after the file.
    ///
    /// # Errors
    /// When the file cannot be read or is larger than 1 MB. Also the errors of [`from_ron`](Self::from_ron).
    pub fn load(path: &Path) -> Result<Self, PaletteError> {
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let text = read_short_text(path)
            .map_err(|message| PaletteError::Read { palette: path.display().to_string(), message })?;
        Self::from_ron(&name, &text)
    }

    fn from_file(name: &str, file: PaletteFile) -> Result<Self, PaletteError> {
        let palette = || name.to_string();
        let colour = |text: &str| parse_hex(text).ok_or(PaletteError::Colour { palette: palette(), text: text.into() });
        let stops = |part: &'static str, stops: &[(f32, String)]| {
            let grows = stops.windows(2).all(|w| w[0].0 < w[1].0);
            if stops.is_empty() || !grows || !stops.iter().all(|s| (0.0..=1.0).contains(&s.0)) {
                return Err(PaletteError::Stops { palette: palette(), part });
            }
            let stops = stops.iter().map(|(at, text)| Ok((*at, colour(text)?))).collect::<Result<Vec<Stop>, _>>()?;
            match file.bands {
                None => Ok(stops),
                Some(bands @ 2..=1024) => Ok(in_bands(&stops, bands)),
                Some(bands) => Err(PaletteError::Bands { palette: palette(), bands }),
            }
        };
        let colours = match &file.colours {
            FileColours::Sea { water, land } => {
                PaletteColours::Sea { water: stops("water", water)?, land: stops("land", land)? }
            }
            FileColours::Relief(all) => PaletteColours::Relief(stops("colours", all)?),
        };
        let (mut rock, mut rock_degrees) = ([0; 4], (0.0, 90.0));
        if let Some(file) = &file.rock {
            let fits = file.from >= 0.0 && file.from < file.to && file.to <= 90.0 && (0.0..=1.0).contains(&file.share);
            if !fits {
                return Err(PaletteError::Rock { palette: palette() });
            }
            let [r, g, b] = colour(&file.colour)?;
            (rock, rock_degrees) = ([r, g, b, (file.share * 255.0 + 0.5) as u8], (file.from, file.to));
        }
        let scatter = file.scatter.unwrap_or_else(|| "none".into());
        if ScatterRules::named(&scatter).is_none() {
            return Err(PaletteError::Scatter { palette: palette(), scatter });
        }
        let materials = file.materials.unwrap_or_else(|| DEFAULT_MATERIALS.into());
        if MaterialRules::named(&materials).is_none() {
            return Err(PaletteError::Materials { palette: palette(), materials });
        }
        Ok(Self { name: name.into(), label: file.label, colours, rock, rock_degrees, scatter, materials })
    }

    /// The palette as the text of a file. Bands are written as pairs of stops.
    pub fn to_ron(&self) -> String {
        let text = ron_dialect().to_string_pretty(self, ron_layout(3));
        text.expect("a palette can always be written as RON") + "\n"
    }

    /// Whether both palettes give the same colours and rules under the same label. Their names can differ.
    pub fn has_same_contents(&self, other: &Self) -> bool {
        let Self { name: _, label, colours, rock, rock_degrees, scatter, materials } = self;
        (label, colours, rock, rock_degrees) == (&other.label, &other.colours, &other.rock, &other.rock_degrees)
            && (scatter, materials) == (&other.scatter, &other.materials)
    }

    fn to_file(&self) -> PaletteFile {
        let hex = |[r, g, b]: [u8; 3]| format!("#{r:02x}{g:02x}{b:02x}");
        let stops = |stops: &[Stop]| stops.iter().map(|(at, colour)| (*at, hex(*colour))).collect::<Vec<_>>();
        let [r, g, b, opacity] = self.rock;
        let (from, to) = self.rock_degrees;
        let rock = FileRock { colour: hex([r, g, b]), from, to, share: f32::from(opacity) / 255.0 };
        PaletteFile {
            label: self.label.clone(),
            colours: match &self.colours {
                PaletteColours::Sea { water, land } => FileColours::Sea { water: stops(water), land: stops(land) },
                PaletteColours::Relief(all) => FileColours::Relief(stops(all)),
            },
            rock: ((self.rock, self.rock_degrees) != ([0; 4], (0.0, 90.0))).then_some(rock),
            bands: None,
            scatter: Some(self.scatter.clone()),
            materials: Some(self.materials.clone()),
        }
    }
}

/// Writes the palette as in its file, without its name. Bands are written as pairs of stops.
impl Serialize for Palette {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_file().serialize(serializer)
    }
}

/// Reads the palette that a scene contains. It has no name.
impl<'de> Deserialize<'de> for Palette {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let file = PaletteFile::deserialize(deserializer)?;
        let palette = Self::from_file("own_palette", file).map_err(serde::de::Error::custom)?;
        Ok(Self { name: String::new(), ..palette })
    }
}

/// Divides `stops` into equal steps, like Matplotlib's colour maps with N colours. Band k of n covers the positions k/n
/// to (k + 1)/n and has the colour at the position k/(n - 1).
fn in_bands(stops: &[Stop], bands: u16) -> Vec<Stop> {
    let part = |k: u16, of: u16| f32::from(k) / f32::from(of);
    let band = |k: u16| {
        let colour = colour_between(stops, part(k, bands - 1));
        let end = if k + 1 == bands { 1.0 } else { part(k + 1, bands).next_down() };
        [(part(k, bands), colour), (end, colour)]
    };
    (0..bands).flat_map(band).collect()
}

/// The colour at a position `at` from 0 to 1, mixed in sRGB from the two nearest stops.
fn colour_between(stops: &[Stop], at: f32) -> [u8; 3] {
    let above = stops.partition_point(|stop| stop.0 <= at);
    let (Some(low), Some(high)) = (above.checked_sub(1).map(|k| stops[k]), stops.get(above)) else {
        return stops[above.min(stops.len() - 1)].1;
    };
    let share = (at - low.0) / (high.0 - low.0);
    std::array::from_fn(|c| {
        let [low, high] = [low.1[c], high.1[c]].map(f32::from);
        (low + (high - low) * share + 0.5) as u8
    })
}

/// Maximum size, in bytes, of the file of a palette, a biome table or a list of rules. They are short text that people
/// write.
const MAX_BYTES: u64 = 1 << 20;

/// Reads the text of a palette, a biome table or a list of rules. An error says in words why it cannot be read.
fn read_short_text(path: &Path) -> Result<String, String> {
    check_name(path).map_err(|error| error.to_string())?;
    let about = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() || about.len() > MAX_BYTES {
        return Err("it is not a file of at most 1 MB".into());
    }
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

/// Parses a colour of the form `#rrggbb`.
fn parse_hex(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let value = u32::from_str_radix(digits, 16).ok()?;
    Some([(value >> 16) as u8, (value >> 8) as u8, value as u8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_palette_reads() {
        assert!(palette_names().len() >= 7, "{:?}", palette_names());
        assert_eq!(palette_names().len(), FILES.files().count());
        assert!(Palette::named("nope").is_none());
    }

    #[test]
    fn a_palette_reads_back_as_it_was_written() {
        for name in palette_names() {
            let palette = Palette::named(&name).unwrap();
            let text = ron::to_string(palette).unwrap();
            let unnamed = Palette { name: String::new(), ..palette.clone() };
            assert_eq!(ron::from_str::<Palette>(&text).unwrap(), unnamed, "{text}");
            assert_eq!(Palette::from_ron(&name, &text).unwrap(), *palette, "{text}");
        }
    }

    #[test]
    fn errors_say_what_and_where() {
        let read = |text: &str| Palette::from_ron("mine", text).unwrap_err().to_string();
        assert!(read("(label: \"x\",\n  colours: Nope)").contains("line 2"));
        assert!(read("(label: \"x\", colours: Relief([(0, \"red\")]))").contains("#rrggbb"));
        assert!(
            read("(label: \"x\", colours: Relief([(0.5, \"#ffffff\"), (0.5, \"#000000\")]))").contains("must increase")
        );
        assert!(read("(label: \"x\", colours: Relief([]))").contains("at least one"));
        let rock = "(label: \"x\", colours: Relief([(0, \"#ffffff\")]), rock: (colour: \"#000000\", from: 9, to: 3, share: 1))";
        assert!(read(rock).contains("from < to"));
    }

    #[test]
    fn bands_match_a_colour_map_with_that_many_colours() {
        let text = |bands: u32| {
            format!(r##"(label: "B", colours: Relief([(0.0, "#000000"), (1.0, "#ffffff")]), bands: {bands})"##)
        };
        let PaletteColours::Relief(stops) = Palette::from_ron("b", &text(3)).unwrap().colours else { panic!() };
        let third = 1.0f32 / 3.0;
        assert_eq!(stops[0], (0.0, [0; 3]));
        assert_eq!(stops[2], (third, [128; 3]));
        assert_eq!((stops[1].1, stops[3].1, stops[4].1), ([0; 3], [128; 3], [255; 3]));
        assert!(stops[1].0 < third && stops[1].0 > third - 1e-6 && stops[5].0 == 1.0);
        let error = Palette::from_ron("b", &text(1)).unwrap_err().to_string();
        assert!(error.contains("2 to 1024"), "{error}");
    }

    #[test]
    fn hex_colours_are_a_hash_and_six_digits() {
        assert_eq!(parse_hex("#80ff00"), Some([128, 255, 0]));
        for wrong in ["80ff00", "#80ff0", "#80ff00aa", "#80fg00", "#+0ff00", "", "#ééé"] {
            assert_eq!(parse_hex(wrong), None, "{wrong}");
        }
    }
}
