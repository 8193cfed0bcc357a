//! Palettes: colours by height above and below the sea, with rock on steep ground.
//!
//! A palette is a RON file in `assets/palettes`, embedded in the program; its file name is its name in scenes:
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
//! # talweg::look::Palette::from_ron("alpine", text).unwrap();
//! ```
//! `colours: Relief([…])` colours all heights from 0 to the top of the relief, wherever the sea stands.
//! Between two stops colours are mixed in sRGB, as gradient editors do.

use std::sync::{Arc, LazyLock};

use include_dir::{Dir, include_dir};
use serde::Deserialize;

use super::biomes::{Biomes, PREFIX, biome_names, biome_table};
use super::colour;
use crate::scene::{DEFAULT_PALETTE, Scene, Settings};

static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/palettes");

/// Why a palette file was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PaletteError {
    /// The text is no RON, or names what does not exist.
    #[error("palette `{palette}`, line {line}, column {column}: {message}")]
    Syntax {
        /// The name of the palette.
        palette: String,
        /// Line in the file, from 1.
        line: usize,
        /// Column in the line, from 1.
        column: usize,
        /// What is wrong, in words.
        message: String,
    },
    /// Not of the form #rrggbb.
    #[error("palette `{palette}`: `{text}` is not a colour; write it as #rrggbb")]
    Colour {
        /// The name of the palette.
        palette: String,
        /// The text that was given.
        text: String,
    },
    /// Stops that do not grow, or none.
    #[error("palette `{palette}`: the stops of `{part}` must grow from 0 to 1, and there must be at least one")]
    Stops {
        /// The name of the palette.
        palette: String,
        /// The part of the palette.
        part: &'static str,
    },
    /// Numbers of the rock that are out of range.
    #[error("palette `{palette}`: rock needs 0 ≤ from < to ≤ 90 and a share from 0 to 1")]
    Rock {
        /// The name of the palette.
        palette: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    label: String,
    colours: FileColours,
    rock: Option<FileRock>,
}

#[derive(Deserialize)]
enum FileColours {
    Sea { water: Vec<(f32, String)>, land: Vec<(f32, String)> },
    Relief(Vec<(f32, String)>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRock {
    colour: String,
    from: f32,
    to: f32,
    share: f32,
}

/// A colour at a place from 0 to 1.
type Stop = (f32, [u8; 3]);

#[derive(Clone, Debug, PartialEq)]
enum Colours {
    Sea { water: Vec<Stop>, land: Vec<Stop> },
    Relief(Vec<Stop>),
}

/// A palette as its file describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    /// Name in scenes.
    pub name: String,
    /// Name in the panel.
    pub label: String,
    colours: Colours,
    rock: [u8; 4],
    rock_degrees: (f32, f32),
}

/// A palette ready for drawing, on the processor and on the graphics card.
#[derive(Clone, Debug, PartialEq)]
pub struct PaletteTable {
    /// Colours the ground in place of the heights, which then colour rivers and lakes alone.
    pub biomes: Option<Arc<Biomes>>,
    /// 512 sRGB colours: 0..256 from the deepest water (one relief below the sea) to the shore,
    /// 256..512 from the shore to the top of the relief.
    pub lut: Vec<[u8; 4]>,
    /// Colour of steep ground (sRGB); alpha is how much of it shows at most.
    pub rock: [u8; 4],
    /// Slope where rock begins to show and where it shows in full.
    pub rock_degrees: (f32, f32),
}

/// The palettes that come with the program, in the order of the menu.
static SHIPPED: LazyLock<Vec<Palette>> = LazyLock::new(|| {
    let mut palettes: Vec<Palette> = FILES
        .files()
        .filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)))
        .map(|(name, text)| Palette::from_ron(name, text).unwrap_or_else(|e| panic!("shipped with the program: {e}")))
        .collect();
    palettes.sort_by(|a, b| a.name.cmp(&b.name));
    palettes
});

/// Names of the palettes that come with the program, in the order of the menu.
pub fn palette_names() -> Vec<String> {
    SHIPPED.iter().map(|p| p.name.clone()).collect()
}

/// The palette called `name`.
pub fn palette(name: &str) -> Option<Palette> {
    SHIPPED.iter().find(|p| p.name == name).cloned()
}

/// Whether a palette or a biome table has that name.
pub fn is_palette(name: &str) -> bool {
    match name.strip_prefix(PREFIX) {
        Some(biome) => biome_table(biome).is_some(),
        None => SHIPPED.iter().any(|p| p.name == name),
    }
}

/// Names of all palettes and then of all biome tables, as scenes and `--palette` take them.
pub fn all_palette_names() -> Vec<String> {
    let biomes = biome_names().into_iter().map(|name| format!("{PREFIX}{name}"));
    palette_names().into_iter().chain(biomes).collect()
}

/// The colours of a scene. A palette that is not there gives way to the default one, as on loading.
pub fn table_of(scene: &Scene) -> PaletteTable {
    if let Some(biomes) = Biomes::of(scene) {
        return biomes.palette(&scene.settings);
    }
    let palette = palette(&scene.palette).or_else(|| palette(DEFAULT_PALETTE));
    palette.unwrap_or_else(|| SHIPPED[0].clone()).table(&scene.settings)
}

impl Palette {
    /// Reads a palette file.
    pub fn from_ron(name: &str, text: &str) -> Result<Self, PaletteError> {
        let palette = || name.to_string();
        let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        let file: File = options.from_str(text).map_err(|e| PaletteError::Syntax {
            palette: palette(),
            line: e.span.start.line,
            column: e.span.start.col,
            message: e.code.to_string(),
        })?;
        let colour =
            |text: &str| colour::parse_hex(text).ok_or(PaletteError::Colour { palette: palette(), text: text.into() });
        let stops = |part: &'static str, stops: &[(f32, String)]| {
            let grows = stops.windows(2).all(|w| w[0].0 < w[1].0);
            if stops.is_empty() || !grows || !stops.iter().all(|s| (0.0..=1.0).contains(&s.0)) {
                return Err(PaletteError::Stops { palette: palette(), part });
            }
            stops.iter().map(|(at, text)| Ok((*at, colour(text)?))).collect::<Result<Vec<Stop>, _>>()
        };
        let colours = match &file.colours {
            FileColours::Sea { water, land } => {
                Colours::Sea { water: stops("water", water)?, land: stops("land", land)? }
            }
            FileColours::Relief(all) => Colours::Relief(stops("colours", all)?),
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
        Ok(Self { name: name.into(), label: file.label, colours, rock, rock_degrees })
    }

    /// The palette laid over the heights of a scene.
    pub fn table(&self, settings: &Settings) -> PaletteTable {
        let sea = settings.sea_level / settings.relief_metres;
        let lut = (0..512)
            .map(|k| {
                let along = (k % 256) as f32 / 255.0;
                let [r, g, b] = match &self.colours {
                    Colours::Sea { water, .. } if k < 256 => at(water, 1.0 - along),
                    Colours::Sea { land, .. } => at(land, along),
                    Colours::Relief(all) if k < 256 => at(all, sea - (1.0 - along)),
                    Colours::Relief(all) => at(all, sea + (1.0 - sea) * along),
                };
                [r, g, b, 255]
            })
            .collect();
        PaletteTable { biomes: None, lut, rock: self.rock, rock_degrees: self.rock_degrees }
    }
}

/// The colour between the stops around `x`; the first before them, the last behind them.
fn at(stops: &[Stop], x: f32) -> [u8; 3] {
    let after = stops.partition_point(|s| s.0 <= x);
    let (Some(&(x0, a)), Some(&(x1, b))) = (stops.get(after.wrapping_sub(1)), stops.get(after)) else {
        return stops[after.clamp(1, stops.len()) - 1].1;
    };
    let t = (x - x0) / (x1 - x0);
    std::array::from_fn(|k| (f32::from(a[k]) + (f32::from(b[k]) - f32::from(a[k])) * t + 0.5) as u8)
}

impl PaletteTable {
    /// Place in [`lut`](Self::lut) of a height, counted in entries.
    pub fn place(settings: &Settings, height_metres: f32) -> f32 {
        let (sea, relief) = (settings.sea_level, settings.relief_metres);
        let above = height_metres - sea;
        if above < 0.0 {
            255.0 * (1.0 + above / relief).clamp(0.0, 1.0)
        } else {
            let land = (relief - sea).max(f32::MIN_POSITIVE);
            256.0 + 255.0 * (above / land).clamp(0.0, 1.0)
        }
    }

    /// How much rock shows on a slope, from 0 to its share.
    pub fn rock_share(&self, slope_degrees: f32) -> f32 {
        let (from, to) = self.rock_degrees;
        let t = ((slope_degrees - from) / (to - from)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t) * f32::from(self.rock[3]) / 255.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_palette_reads_and_has_512_colours() {
        assert!(palette_names().len() >= 7, "{:?}", palette_names());
        for name in palette_names() {
            assert_eq!(palette(&name).unwrap().table(&Settings::default()).lut.len(), 512, "{name}");
        }
        assert_eq!(palette_names().len(), FILES.files().count());
        assert!(palette("nope").is_none());
    }

    #[test]
    fn document_001_is_linear_over_all_heights_wherever_the_sea_stands() {
        for sea_level in [0.0, 300.0] {
            let settings = Settings { sea_level, relief_metres: 1000.0, ..Settings::default() };
            let table = palette("document-001").unwrap().table(&settings);
            for (height, colour) in [(0.2, [0, 0, 255]), (0.4, [0, 128, 0]), (0.7, [64, 192, 0]), (1.0, [255; 3])] {
                let got = table.lut[PaletteTable::place(&settings, height * 1000.0).round() as usize];
                let near = (0..3).all(|k| (i32::from(got[k]) - colour[k]).abs() <= 4);
                assert!(near, "sea {sea_level}, height {height}: {got:?}, not {colour:?}");
            }
        }
    }

    #[test]
    fn errors_say_what_and_where() {
        let read = |text: &str| Palette::from_ron("mine", text).unwrap_err().to_string();
        assert!(read("(label: \"x\",\n  colours: Nope)").contains("line 2"));
        assert!(read("(label: \"x\", colours: Relief([(0, \"red\")]))").contains("#rrggbb"));
        assert!(read("(label: \"x\", colours: Relief([(0.5, \"#ffffff\"), (0.5, \"#000000\")]))").contains("grow"));
        assert!(read("(label: \"x\", colours: Relief([]))").contains("at least one"));
        let rock = "(label: \"x\", colours: Relief([(0, \"#ffffff\")]), rock: (colour: \"#000000\", from: 9, to: 3, share: 1))";
        assert!(read(rock).contains("from < to"));
    }
}
