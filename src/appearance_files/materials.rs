//! Ground materials and the rules that say where each of them lies.
//!
//! A rule is a line of a RON file in `assets/materials`, embedded in the program. Rules are laid one over the other,
//! the first below; each covers a share of what lies there. `slope: [28, 42]` grows from nothing at 28 to all at 42,
//! `[42, 28]` falls, `[a, b, c, d]` is all between b and c:
//! ```
//! # let text = r#"
//! [
//!     (material: Soil),
//!     (material: Rock, share: 0.9, slope: [28, 42]),
//!     (material: Snow, bright: [0.55, 0.7], slope: [55, 40]),
//! ]
//! # "#;
//! # talweg::appearance_files::MaterialRules::from_ron("mine", text).unwrap();
//! ```

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

crate::choices! {
    /// What the ground is made of where one stands on it.
    Material {
        Rock "Rock": "Solid rock with joints.",
        Scree "Scree": "Loose angular stones below cliffs.",
        Gravel "Gravel": "Round pebbles of rivers and fans.",
        Soil "Soil": "Bare earth with small stones.",
        Grass "Grass": "Meadow in tufts.",
        Forest "Forest floor": "Litter and moss under trees.",
        Sand "Sand": "Sand with ripples.",
        Mud "Mud": "Smooth wet ground with drying cracks.",
        Snow "Snow": "Snow in wind-shaped waves.",
        Ice "Ice": "Bare ice with cracks.",
        Strata "Layered rock": "Sedimentary rock in beds, hard ones standing out.",
    }
}

/// What a rule asks of a place, in the order of [`MaterialRule::bands`].
pub const CONDITIONS: [&str; 9] =
    ["slope", "height", "openness", "flow", "deposits", "wear", "vegetation", "green", "bright"];

/// How much a value fulfils a condition: 0 up to the first number, 1 between the second and the third, 0 from the
/// fourth on.
pub type Band = [f32; 4];

/// Fulfilled everywhere: the condition does not count.
pub const EVERYWHERE: Band = [-1e9, -1e9, 1e9, 1e9];

/// Where a material lies on what the rules before have laid.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialRule {
    /// What lies there.
    pub material: Material,
    /// Most that it covers, 0 to 1.
    pub share: f32,
    /// How much of its own colour it has in place of the palette's, 0 to 1.
    pub tint: f32,
    /// One band for each of [`CONDITIONS`]: slope in degrees; height between the sea and the top of the relief;
    /// openness (0 in hollows, 0.5 on planes, 1 on crests); flow (0 up to 10³ m² of catchment, 1 from 10⁷ m² on);
    /// shares of the ground that deposits and wear have changed; vegetation; how green and how bright the colour of
    /// the palette is.
    pub bands: Bands,
}

impl MaterialRule {
    /// Share that it covers of a place with such values, in the order of [`CONDITIONS`].
    pub fn cover(&self, values: [f32; CONDITIONS.len()]) -> f32 {
        self.bands.iter().zip(values).fold(self.share, |cover, (band, value)| cover * fulfilled(*band, value))
    }
}

/// How much a value fulfils a band, 0 to 1.
pub fn fulfilled([a, b, c, d]: Band, value: f32) -> f32 {
    let rise = |from: f32, to: f32| {
        let t = ((value - from) / (to - from).max(1e-6)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    rise(a, b) * (1.0 - rise(c, d))
}

/// Rules in the order in which they are laid.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialRules(pub Vec<MaterialRule>);

/// Most rules of a list: as many as the shaders have room for.
pub const MOST_RULES: usize = 12;

/// The list of palettes and biome tables that name none.
pub const DEFAULT_MATERIALS: &str = "ground";

static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/materials");

/// The lists that come with the program.
static SHIPPED: LazyLock<Vec<(String, MaterialRules)>> = LazyLock::new(|| {
    let list = |(name, text): (&str, &str)| {
        let rules = MaterialRules::from_ron(name, text).unwrap_or_else(|e| panic!("shipped with the program: {e}"));
        (name.to_owned(), rules)
    };
    let text = |file: &'static include_dir::File| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?));
    let mut lists: Vec<_> = FILES.files().filter_map(text).map(list).collect();
    lists.sort_by(|(a, _), (b, _)| a.cmp(b));
    lists
});

/// Names of the lists that come with the program.
pub fn material_list_names() -> Vec<&'static str> {
    SHIPPED.iter().map(|(name, _)| name.as_str()).collect()
}

/// Why a list of rules was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// The text is no RON, or names what does not exist.
    #[error("material rules `{name}`, line {line}, column {column}: {message}")]
    Syntax {
        /// The name of the list.
        name: String,
        /// Line in the file, from 1.
        line: usize,
        /// Column in the line, from 1.
        column: usize,
        /// What is wrong, in words.
        message: String,
    },
    /// Numbers that make no band.
    #[error(
        "material rules `{name}`, rule {rule}: `{condition}` takes 2 numbers, or 4 that do not fall, all of them finite"
    )]
    Band {
        /// The name of the list.
        name: String,
        /// Which rule, from 1.
        rule: usize,
        /// Which of [`CONDITIONS`].
        condition: &'static str,
    },
    /// None, or more than there is room for.
    #[error("material rules `{name}`: {count} rules; there must be 1 to {MOST_RULES}")]
    Count {
        /// The name of the list.
        name: String,
        /// The number that was given.
        count: usize,
    },
    /// A share that is none.
    #[error("material rules `{name}`, rule {rule}: share and tint are from 0 to 1")]
    Share {
        /// The name of the list.
        name: String,
        /// Which rule, from 1.
        rule: usize,
    },
}

/// A rule as a file writes it: fields of its own, then a band for each of [`CONDITIONS`].
macro_rules! file_rule {
    ($name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty),+ $(,)? }) => {
        #[derive(::serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $name {
            $($(#[$attribute])* $field: $type,)+
            slope: Option<Vec<f32>>,
            height: Option<Vec<f32>>,
            openness: Option<Vec<f32>>,
            flow: Option<Vec<f32>>,
            deposits: Option<Vec<f32>>,
            wear: Option<Vec<f32>>,
            vegetation: Option<Vec<f32>>,
            green: Option<Vec<f32>>,
            bright: Option<Vec<f32>>,
        }

        impl $name {
            /// The bands, or the condition whose numbers make none.
            fn bands(&self) -> Result<$crate::appearance_files::materials::Bands, &'static str> {
                $crate::appearance_files::materials::bands([
                    &self.slope,
                    &self.height,
                    &self.openness,
                    &self.flow,
                    &self.deposits,
                    &self.wear,
                    &self.vegetation,
                    &self.green,
                    &self.bright,
                ])
            }
        }
    };
}
pub(super) use file_rule;

file_rule! {
    FileRule {
        material: Material,
        #[serde(default = "whole")]
        share: f32,
        #[serde(default)]
        tint: f32,
    }
}

/// One band for each of [`CONDITIONS`].
pub type Bands = [Band; CONDITIONS.len()];

/// Bands of what a file gives; else the condition whose numbers make none.
pub(super) fn bands(given: [&Option<Vec<f32>>; CONDITIONS.len()]) -> Result<Bands, &'static str> {
    let mut bands = [EVERYWHERE; CONDITIONS.len()];
    for ((numbers, out), condition) in given.iter().zip(&mut bands).zip(CONDITIONS) {
        let Some(numbers) = numbers else { continue };
        *out = band(numbers).ok_or(condition)?;
    }
    Ok(bands)
}

fn whole() -> f32 {
    1.0
}

/// The band of two or four numbers.
fn band(numbers: &[f32]) -> Option<Band> {
    let is_good = numbers.iter().all(|x| x.is_finite());
    match *numbers {
        [from, to] if is_good && from <= to => Some([from, to, 1e9, 1e9]),
        [from, to] if is_good => Some([-1e9, -1e9, to, from]),
        [a, b, c, d] if is_good && a <= b && b <= c && c <= d => Some([a, b, c, d]),
        _ => None,
    }
}

impl MaterialRules {
    /// Rules as a file writes them; `name` is for messages.
    ///
    /// # Errors
    /// When the text is no list of rules, or a number is out of range.
    pub fn from_ron(name: &str, text: &str) -> Result<Self, MaterialError> {
        let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        let rules: Vec<FileRule> = options.from_str(text).map_err(|e| MaterialError::Syntax {
            name: name.into(),
            line: e.span.start.line,
            column: e.span.start.col,
            message: e.code.to_string(),
        })?;
        if rules.is_empty() || rules.len() > MOST_RULES {
            return Err(MaterialError::Count { name: name.into(), count: rules.len() });
        }
        let rule = |(k, file): (usize, FileRule)| {
            if ![file.share, file.tint].iter().all(|x| (0.0..=1.0).contains(x)) {
                return Err(MaterialError::Share { name: name.into(), rule: k + 1 });
            }
            let bands =
                file.bands().map_err(|condition| MaterialError::Band { name: name.into(), rule: k + 1, condition })?;
            Ok(MaterialRule { material: file.material, share: file.share, tint: file.tint, bands })
        };
        Ok(Self(rules.into_iter().enumerate().map(rule).collect::<Result<_, _>>()?))
    }

    /// The shipped list called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        SHIPPED.iter().find(|(own, _)| own == name).map(|(_, rules)| rules)
    }

    /// Share of every material at a place, in the order of [`Material::ALL`]; they add up to 1.
    pub fn shares(&self, values: [f32; CONDITIONS.len()]) -> [f32; Material::ALL.len()] {
        let mut shares = [0.0; Material::ALL.len()];
        for (k, rule) in self.0.iter().enumerate() {
            // the first lies everywhere
            let cover = if k == 0 { 1.0 } else { rule.cover(values) };
            shares.iter_mut().for_each(|share| *share *= 1.0 - cover);
            shares[rule.material as usize] += cover;
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(slope: f32, bright: f32) -> [f32; CONDITIONS.len()] {
        let mut values = [0.5; CONDITIONS.len()];
        (values[0], values[8]) = (slope, bright);
        values
    }

    #[test]
    fn rules_lie_one_over_the_other_and_add_up_to_one() {
        let text = "[(material: Soil), (material: Rock, share: 0.9, slope: [28, 42]),
            (material: Snow, bright: [0.55, 0.7], slope: [55, 40])]";
        let rules = MaterialRules::from_ron("t", text).unwrap();
        let share = |slope, bright, kind: Material| rules.shares(values(slope, bright))[kind as usize];
        assert_eq!(share(10.0, 0.2, Material::Soil), 1.0);
        assert!((share(60.0, 0.2, Material::Rock) - 0.9).abs() < 1e-6);
        assert_eq!(share(30.0, 0.9, Material::Snow), 1.0);
        assert_eq!(share(60.0, 0.9, Material::Snow), 0.0);
        for slope in 0..90 {
            let sum: f32 = rules.shares(values(slope as f32, 0.6)).iter().sum();
            assert!((sum - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn the_shipped_rules_know_rock_from_meadow() {
        let rules = MaterialRules::named(DEFAULT_MATERIALS).unwrap();
        let most = |slope: f32, green: f32, bright: f32| {
            let mut values = values(slope, bright);
            (values[3], values[4], values[5], values[6], values[7]) = (0.0, 0.0, 0.0, 0.0, green);
            let shares = rules.shares(values);
            Material::ALL[(0..shares.len()).max_by(|a, b| shares[*a].total_cmp(&shares[*b])).unwrap()]
        };
        assert_eq!(most(55.0, 0.0, 0.2), Material::Rock);
        assert_eq!(most(5.0, 0.2, 0.2), Material::Grass);
        assert_eq!(most(5.0, 0.0, 0.9), Material::Snow);
    }

    #[test]
    fn what_is_wrong_with_a_list_is_said() {
        let error = |text: &str| MaterialRules::from_ron("mine", text).unwrap_err().to_string();
        assert!(error("[(material: Moss)]").contains("line 1"));
        assert!(error("[(material: Rock, slope: [1, 2, 3])]").contains("rule 1: `slope` takes 2 numbers"));
        assert!(error("[(material: Rock, share: 2)]").contains("share and tint are from 0 to 1"));
        assert!(error("[]").contains("0 rules"));
    }
}
