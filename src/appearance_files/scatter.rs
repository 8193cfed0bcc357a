//! Plants and stones, and the rules that place them.
//!
//! A rule is a line of a RON file in `assets/scatter`, embedded in the program. A palette or a biome table names the
//! file. Rules have the same conditions as the [ground materials](super::MaterialRules):
//! ```
//! # let text = r#"
//! [
//!     (kind: Conifer, density: 350, size: (7, 19), groves: (300, 0.5), green: [0.01, 0.05], slope: [42, 30]),
//!     (kind: Boulder, density: 60, size: (0.4, 2.5), slope: [20, 30, 38, 46]),
//! ]
//! # "#;
//! # use talweg::appearance_files::{RuleList, ScatterRules};
//! # ScatterRules::from_ron("mine", text).unwrap();
//! ```
//! `density` is the number of plants or stones per hectare where all conditions are fulfilled. `size` is their minimum
//! and maximum height in metres. `groves: (metres, share)` groups the plants: groves with a width of about `metres`
//! cover the fraction `share` of the terrain.

use std::sync::{Arc, LazyLock};

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};

use super::materials::{Bands, file_rule, rule_name};
use super::rule_list::RuleList;
use crate::field::MapKind;

static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/scatter");

crate::choices! {
    /// Kinds of plants and stones.
    ScatterKind {
        Conifer "Conifer": "Spruces and firs.",
        Broadleaf "Broadleaf": "Trees with a round crown.",
        Palm "Palm": "Palms with a bare stem.",
        Shrub "Shrub": "Bushes without a stem.",
        Grass "Grass": "Tufts of grass, only near the camera.",
        Boulder "Boulder": "Rounded and angular blocks.",
    }
}

impl ScatterKind {
    /// The data map whose values reduce the density of this kind of plant or stone, if a terrain has the map. Where the
    /// map is 1, all plants or stones stay; where it is 0, no plant or stone stays.
    pub fn density_map(self) -> MapKind {
        match self {
            Self::Conifer | Self::Broadleaf | Self::Palm => MapKind::TreeDensity,
            Self::Shrub | Self::Grass => MapKind::UndergrowthDensity,
            Self::Boulder => MapKind::StoneDensity,
        }
    }

    /// Whether the plant has a crown that hides the terrain in plan view.
    pub fn has_crown(self) -> bool {
        !matches!(self, Self::Grass | Self::Boulder)
    }
}

/// A rule that places one kind of plant or stone.
#[derive(Clone, Debug, PartialEq)]
pub struct ScatterRule {
    /// The name that the user gave to the rule; empty if the rule has none.
    pub name: String,
    /// The kind of plant or stone.
    pub kind: ScatterKind,
    /// Number of plants or stones per hectare where all conditions are fulfilled.
    pub density: f32,
    /// Minimum and maximum height of a plant or stone in metres.
    pub size: (f32, f32),
    /// Width of groves in metres, and the fraction of the terrain that the groves cover; `None` for a uniform density.
    pub groves: Option<(f32, f32)>,
    /// One band for each of [`CONDITIONS`](super::CONDITIONS).
    pub bands: Bands,
}

/// The rules of a list for plants and stones. All rules apply at every position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<ScatterFileRule>", into = "Vec<ScatterFileRule>")]
pub struct ScatterRules(pub Vec<ScatterRule>);

/// Maximum number of rules in a list.
pub const MOST_SCATTER_RULES: usize = 16;

/// Minimum and maximum number of plants or stones per hectare.
pub const SCATTER_DENSITIES: [f32; 2] = [0.01, 100_000.0];
/// Minimum and maximum height of a plant or stone in metres.
pub const SCATTER_SIZES: [f32; 2] = [0.01, 200.0];
/// Minimum and maximum width of groves in metres.
pub const GROVE_WIDTHS: [f32; 2] = [1.0, 100_000.0];

file_rule! {
    ScatterFileRule {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        kind: ScatterKind,
        density: f32,
        size: (f32, f32),
        #[serde(default, skip_serializing_if = "Option::is_none")]
        groves: Option<(f32, f32)>,
    }
}

impl TryFrom<Vec<ScatterFileRule>> for ScatterRules {
    type Error = String;

    fn try_from(rules: Vec<ScatterFileRule>) -> Result<Self, String> {
        if rules.len() > MOST_SCATTER_RULES {
            return Err(format!("there are {} rules; the maximum is {MOST_SCATTER_RULES}", rules.len()));
        }
        let within = |[least, most]: [f32; 2], value: f32| (least..=most).contains(&value);
        let rule = |(k, file): (usize, ScatterFileRule)| {
            let wrong = |message: &str| format!("rule {}: {message}", k + 1);
            if !within(SCATTER_DENSITIES, file.density) {
                return Err(wrong("density must be from 0.01 to 100000 per hectare"));
            }
            let (least, most) = file.size;
            if !(within(SCATTER_SIZES, least) && within(SCATTER_SIZES, most) && least <= most) {
                return Err(wrong("size must be a minimum and a maximum height, from 0.01 to 200 metres"));
            }
            if file.groves.is_some_and(|(width, share)| !within(GROVE_WIDTHS, width) || !within([0.0, 1.0], share)) {
                return Err(wrong("groves must be a width from 1 to 100000 metres and a share from 0 to 1"));
            }
            let bands = file.bands().map_err(|message| wrong(&message))?;
            let ScatterFileRule { name, kind, density, size, groves, .. } = file;
            Ok(ScatterRule { name: rule_name(&name), kind, density, size, groves, bands })
        };
        Ok(Self(rules.into_iter().enumerate().map(rule).collect::<Result<_, _>>()?))
    }
}

impl From<ScatterRules> for Vec<ScatterFileRule> {
    fn from(rules: ScatterRules) -> Self {
        let rule = |ScatterRule { name, kind, density, size, groves, bands }| {
            ScatterFileRule::new(name, kind, density, size, groves, bands)
        };
        rules.0.into_iter().map(rule).collect()
    }
}

impl RuleList for ScatterRules {
    const TITLE: &'static str = "plants and stones";
}

impl ScatterRules {
    /// The built-in list of plants and stones called `name`.
    pub fn named(name: &str) -> Option<&'static Arc<Self>> {
        SHIPPED.iter().find(|(own, _)| own == name).map(|(_, rules)| rules)
    }
}

/// The built-in lists of plants and stones, with their names.
static SHIPPED: LazyLock<Vec<(String, Arc<ScatterRules>)>> = LazyLock::new(|| {
    let mut lists: Vec<_> = FILES
        .files()
        .filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)))
        .map(|(name, text)| {
            let rules = ScatterRules::from_ron(name, text).unwrap_or_else(|e| panic!("built-in file: {e}"));
            (name.to_owned(), Arc::new(rules))
        })
        .collect();
    lists.sort_by(|a, b| a.0.cmp(&b.0));
    lists
});

/// Names of the built-in lists of plants and stones, in alphabetical order.
pub fn scatter_names() -> Vec<String> {
    SHIPPED.iter().map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_list_reads() {
        assert_eq!(scatter_names().len(), FILES.files().count());
        for name in scatter_names() {
            let rules = ScatterRules::named(&name).unwrap();
            assert_eq!(ScatterRules::from_ron(&name, &rules.to_ron()).as_ref(), Ok(&**rules));
        }
        assert!(ScatterRules::named("none").is_some_and(|rules| rules.0.is_empty()));
        assert!(ScatterRules::named("alpine").is_some_and(|rules| rules.0[0].kind == ScatterKind::Conifer));
    }

    #[test]
    fn faulty_lists_are_refused_with_a_reason() {
        let error = |text: &str| ScatterRules::from_ron("mine", text).unwrap_err().to_string();
        assert!(error("[(kind: Oak, density: 1, size: (1, 2))]").contains("line 1"));
        assert!(error("[(kind: Palm, density: 0, size: (1, 2))]").contains("rule 1: density must be from 0.01"));
        assert!(error("[(kind: Palm, density: 1, size: (2, 1))]").contains("size must be a minimum and a maximum"));
        assert!(error("[(kind: Palm, density: 1, size: (1, 2), slope: [1])]").contains("`slope` takes 2 numbers"));
        assert!(error("[(kind: Palm, density: 1, size: (1, 2), groves: (0, 2))]").contains("groves must be a width"));
    }
}
