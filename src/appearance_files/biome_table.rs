//! Biome tables: the ground types, the conditions in which each occurs, and their colours.
//!
//! A biome table is a RON file in `assets/biomes`, embedded in the program. The name of the table in scenes is `biome:`
//! followed by the file name. A scene can also contain its own biome table in the same format:
//! ```
//! # let text = r##"
//! (
//!     label: "Two types",
//!     types: [
//!         (name: "Water", colour: "#203849", below: Sea(1)),      // only at the sea or below it
//!         (
//!             name: "Grass",
//!             colour: "#474d30",
//!             above: Sea(1),                                      // only above the sea
//!             temperature: (optimum: 18, tolerance: 3.5),         // °C
//!             height: (optimum: AboveSea(200), tolerance: 400),   // metres
//!             slope: (optimum: 0, tolerance: 20),                 // degrees
//!             moisture: (optimum: 0.4, tolerance: 0.1),           // 0 in a desert, 1 in a rain forest
//!         ),
//!     ],
//! )
//! # "##;
//! # talweg::appearance_files::BiomeTable::from_ron("mine", text).unwrap();
//! ```
//! A condition that is omitted has no influence. Heights are written as `At(x)`, `AboveSea(x)` or `Sea(factor)`, a
//! multiple of the sea level. With `heights: Relief`, heights are percentages of the relief. With `heights:
//! Levels(water: 100, of: 255)`, heights are grey levels: the whole relief has 255 levels, and the sea is at level 100.
//!
//! With `Levels`, slopes are in grey levels too, as in Petitprez 2007. A slope is then the greatest height difference
//! to the four neighbours on a map with 512 points from pole to pole.
//!
//! `scatter: "temperate"` names the list of plants and stones, and `materials: "bare"` names the rules of the ground
//! materials. `climate: (…)` is the climate of scenes that do not define a climate.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{parse_hex, read_short_text};
use crate::io::{
    FileError, SaveTarget, ron_dialect, ron_layout, ron_reason, without_byte_order_mark, write_atomically,
};
use crate::param::Params;
use crate::planet::climate::Climate;

static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/biomes");

/// Prefix of a biome table name in a palette setting.
pub const BIOME_PREFIX: &str = "biome:";
/// Maximum number of types; nobody could distinguish the colours of more types.
pub const MAX_TYPES: usize = 64;
/// Minimum tolerance of a condition; at this tolerance the borders between types are sharp lines.
pub const LEAST_TOLERANCE: f32 = 1.0e-3;
const MOST: f32 = 1.0e6;

/// The reason why a biome table was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BiomeError {
    /// The text is not valid RON, or refers to an unknown name.
    #[error("biome table `{table}`, line {line}, column {column}: {message}")]
    Syntax {
        /// The name of the table.
        table: String,
        /// Line of the error in the file, counted from 1.
        line: usize,
        /// Column of the error in the line, counted from 1.
        column: usize,
        /// Cause of the error, in words.
        message: String,
    },
    /// The file cannot be read.
    #[error("cannot read the biome table {table}: {message}")]
    Read {
        /// The name of the table.
        table: String,
        /// Cause of the error, in words.
        message: String,
    },
}

/// Units of the heights and slopes in a biome table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum HeightUnits {
    /// Heights in metres above the datum; slopes in degrees.
    #[default]
    Metres,
    /// Heights above the datum in percent of the relief; slopes in degrees.
    Relief,
    /// Heights in grey levels, from 0 at the datum, with the sea at `water`. Slopes are also in grey levels, as in
    /// Petitprez 2007.
    Levels {
        /// Grey level of the sea.
        water: f32,
        /// Number of grey levels from the datum to the top of the relief.
        of: f32,
    },
}

/// A height in the units of the biome table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum HeightLevel {
    /// A multiple of the sea level.
    Sea(f32),
    /// Height relative to the sea; negative below the sea.
    AboveSea(f32),
    /// Height above the datum, independent of the sea.
    At(f32),
}

impl HeightLevel {
    /// The height in the units of the table, for a sea at height `sea`.
    pub fn height(self, sea: f32) -> f32 {
        match self {
            Self::Sea(factor) => factor * sea,
            Self::AboveSea(height) => sea + height,
            Self::At(height) => height,
        }
    }

    /// Returns a height of the same variant as `self` (`Sea`, `AboveSea` or `At`), but with the value `height`.
    pub fn moved(self, height: f32, sea: f32) -> Self {
        match self {
            Self::Sea(_) if sea != 0.0 => Self::Sea(height / sea),
            Self::Sea(_) | Self::AboveSea(_) => Self::AboveSea(height - sea),
            Self::At(_) => Self::At(height),
        }
    }

    fn number(self) -> f32 {
        match self {
            Self::Sea(x) | Self::AboveSea(x) | Self::At(x) => x,
        }
    }
}

/// The preferred value of one condition of a ground type, and the tolerance around this value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Niche<T = f32> {
    /// Value at which the ground type is most likely.
    pub optimum: T,
    /// Distance from the optimum at which the likelihood drops to 1/e.
    #[serde(deserialize_with = "tolerance")]
    pub tolerance: f32,
}

/// A ground type of a biome table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroundType {
    /// Name of the ground type in legends.
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// Colour of the ground type in sRGB.
    #[serde(serialize_with = "write_colour", deserialize_with = "read_colour")]
    pub colour: [u8; 3],
    /// The type occurs only above this height.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<HeightLevel>,
    /// The type occurs only at or below this height.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<HeightLevel>,
    /// Preferred temperature in °C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Niche>,
    /// Preferred height, in the units of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<Niche<HeightLevel>>,
    /// Preferred slope, in the units of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slope: Option<Niche>,
    /// Preferred moisture, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moisture: Option<Niche>,
}

impl GroundType {
    /// A ground type without conditions, which occurs everywhere.
    pub fn new(name: &str, colour: [u8; 3]) -> Self {
        Self {
            name: name.into(),
            colour,
            above: None,
            below: None,
            temperature: None,
            height: None,
            slope: None,
            moisture: None,
        }
    }
}

/// A table of ground types that colours a terrain by climate, height and slope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BiomeTable {
    /// Name of the table in scenes, without the prefix.
    #[serde(skip)]
    pub name: String,
    /// Name of the table in the panel.
    pub label: String,
    /// Units of the heights and slopes in the table.
    #[serde(default, skip_serializing_if = "is_default")]
    pub heights: HeightUnits,
    /// The climate of scenes that do not define a climate.
    #[serde(default, skip_serializing_if = "is_default")]
    pub climate: Climate,
    /// Name of the matching list of plants and stones, for [`ScatterRules::named`](super::ScatterRules::named).
    #[serde(default = "no_scatter", deserialize_with = "scatter", skip_serializing_if = "is_no_scatter")]
    pub scatter: String,
    /// Name of the rules of the ground materials, for [`MaterialRules::named`](super::MaterialRules::named).
    #[serde(default = "usual_materials", deserialize_with = "materials", skip_serializing_if = "are_usual_materials")]
    pub materials: String,
    /// The ground types, in the order of the legend.
    #[serde(deserialize_with = "types")]
    pub types: Vec<GroundType>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn no_scatter() -> String {
    "none".into()
}

fn is_no_scatter(name: &String) -> bool {
    *name == no_scatter()
}

fn scatter<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    if super::ScatterRules::named(&name).is_some() {
        return Ok(name);
    }
    let names = super::scatter_names().join(", ");
    Err(serde::de::Error::custom(format!(
        "there is no list of plants and stones called `{name}`; available are {names}"
    )))
}

fn usual_materials() -> String {
    super::DEFAULT_MATERIALS.into()
}

fn are_usual_materials(name: &String) -> bool {
    *name == usual_materials()
}

fn materials<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    if super::MaterialRules::named(&name).is_some() {
        return Ok(name);
    }
    let names = super::material_list_names().join(", ");
    Err(serde::de::Error::custom(format!("there are no material rules called `{name}`; available are {names}")))
}

fn tolerance<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    let value = f32::deserialize(from)?;
    if (LEAST_TOLERANCE..=MOST).contains(&value) {
        return Ok(value);
    }
    Err(serde::de::Error::custom(format!(
        "the tolerance {value} is out of range; give one from {LEAST_TOLERANCE} to {MOST}"
    )))
}

fn name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if text.trim().is_empty() {
        return Err(serde::de::Error::custom("a ground type has no name; give it one"));
    }
    Ok(text)
}

fn read_colour<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; 3], D::Error> {
    let text = String::deserialize(from)?;
    parse_hex(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a colour; write it as #rrggbb")))
}

fn write_colour<S: Serializer>(colour: &[u8; 3], to: S) -> Result<S::Ok, S::Error> {
    let [r, g, b] = colour;
    to.serialize_str(&format!("#{r:02x}{g:02x}{b:02x}"))
}

fn types<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<GroundType>, D::Error> {
    let types: Vec<GroundType> = Vec::deserialize(from)?;
    let refuse = |why: String| Err(serde::de::Error::custom(why));
    if types.is_empty() {
        return refuse("a table needs at least one ground type".into());
    }
    if types.len() > MAX_TYPES {
        return refuse(format!("there are {} ground types; the maximum is {MAX_TYPES}", types.len()));
    }
    for kind in &types {
        let bells = [kind.temperature, kind.slope, kind.moisture].into_iter().flatten().map(|bell| bell.optimum);
        let levels = [kind.above, kind.below, kind.height.map(|bell| bell.optimum)].into_iter().flatten();
        if let Some(odd) = bells.chain(levels.map(HeightLevel::number)).find(|x| x.is_nan() || x.abs() > MOST) {
            return refuse(format!("`{}` contains the number {odd}; give numbers from -{MOST} to {MOST}", kind.name));
        }
    }
    Ok(types)
}

/// The built-in biome tables, in menu order.
static SHIPPED: LazyLock<Vec<Arc<BiomeTable>>> = LazyLock::new(|| {
    let mut tables: Vec<Arc<BiomeTable>> = FILES
        .files()
        .filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)))
        .map(|(name, text)| BiomeTable::from_ron(name, text).unwrap_or_else(|e| panic!("built-in file: {e}")))
        .map(Arc::new)
        .collect();
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    tables
});

/// Names of the built-in biome tables, without the prefix.
pub fn biome_names() -> Vec<String> {
    SHIPPED.iter().map(|table| table.name.clone()).collect()
}

impl BiomeTable {
    /// The built-in biome table called `name`, with or without the prefix.
    pub fn named(name: &str) -> Option<&'static Arc<Self>> {
        let name = name.strip_prefix(BIOME_PREFIX).unwrap_or(name);
        SHIPPED.iter().find(|table| table.name == name)
    }

    /// Reads a biome table from the text of a file.
    pub fn from_ron(name: &str, text: &str) -> Result<Self, BiomeError> {
        let mut table: Self =
            ron_dialect().from_str(without_byte_order_mark(text)).map_err(|e| BiomeError::Syntax {
                table: name.into(),
                line: e.span.start.line,
                column: e.span.start.col,
                message: ron_reason(&e.code),
            })?;
        table.climate.sanitise();
        table.name = name.into();
        Ok(table)
    }

    /// Reads a biome table from the disk. The table is named after the file.
    pub fn load(path: &Path) -> Result<Self, BiomeError> {
        let text =
            read_short_text(path).map_err(|message| BiomeError::Read { table: path.display().to_string(), message })?;
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Self::from_ron(&name, &text)
    }

    /// Writes the biome table to a file. An old file stays until the new file is safely on the disk.
    pub fn save(&self, to: impl Into<SaveTarget>) -> Result<(), FileError> {
        write_atomically(to, |file| file.write_all(self.to_ron().as_bytes()))
    }

    /// The biome table as RON text.
    pub fn to_ron(&self) -> String {
        let mut text =
            ron_dialect().to_string_pretty(self, ron_layout(3)).expect("a table can always be written as RON");
        text.push('\n');
        text
    }
}
