//! Ground materials, and the rules that place them.
//!
//! A rule is a line of a RON file in `assets/materials`, embedded in the program. The rules of a file are layered in
//! order, and the first rule is at the bottom. Each rule covers a fraction of the layers below. With `slope: [28, 42]`,
//! the cover rises from none at 28° to full cover at 42°. With `[42, 28]` the cover falls from full at 28° to none at
//! 42°. With `[a, b, c, d]` the cover is full between b and c, and none below a and above d:
//! ```
//! # let text = r#"
//! [
//!     (material: Soil),
//!     (material: Rock, share: 0.9, slope: [28, 42]),
//!     (material: Snow, bright: [0.55, 0.7], slope: [55, 40]),
//! ]
//! # "#;
//! # use talweg::appearance_files::{MaterialRules, RuleList};
//! # MaterialRules::from_ron("mine", text).unwrap();
//! ```

use crate::field::smooth_step;
use std::sync::{Arc, LazyLock};

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Serialize};

use super::rule_list::RuleList;
use super::texture_set::TextureSet;

crate::choices! {
    /// The material at the surface of the ground.
    Material {
        Rock "Rock": "Solid rock with joints.",
        Scree "Scree": "Loose angular stones below cliffs.",
        Gravel "Gravel": "Round pebbles as in rivers and fans.",
        Soil "Soil": "Bare soil with small stones.",
        Grass "Grass": "Meadow grass in tufts.",
        Forest "Forest floor": "Litter and moss under trees.",
        Sand "Sand": "Sand with ripples.",
        Mud "Mud": "Smooth wet ground with drying cracks.",
        Snow "Snow": "Snow in wind-shaped waves.",
        Ice "Ice": "Bare ice with cracks.",
        Strata "Layered rock": "Sedimentary rock in beds; hard beds stand out.",
    }
}

/// Names of the conditions of a rule, in the order of [`MaterialRule::bands`].
pub const CONDITIONS: [&str; 12] = [
    "slope",
    "height",
    "openness",
    "flow",
    "deposits",
    "wear",
    "vegetation",
    "green",
    "bright",
    "curvature",
    "wetness",
    "hardness",
];

/// Four increasing numbers that define how far a value fulfils a condition. The degree is 0 up to the first number, 1
/// between the second and the third, and 0 above the fourth.
pub type Band = [f32; 4];

/// The band that every value fulfils, so that the condition has no effect.
pub const EVERYWHERE: Band = [-1e9, -1e9, 1e9, 1e9];

/// A rule that covers a fraction of the materials of the previous rules with a material.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialRule {
    /// The name that the user gave to the rule; empty if the rule has none.
    pub name: String,
    /// The material of the rule.
    pub material: Material,
    /// Maximum fraction of the ground that the rule covers, 0 to 1.
    pub max_fraction: f32,
    /// Weight of the material's own colour relative to the colour of the palette, 0 to 1.
    pub tint: f32,
    /// Images that replace the built-in texture and colour of the material.
    pub textures: Option<TextureSet>,
    /// One band for each of [`CONDITIONS`], in this order:
    ///
    /// - Slope in degrees.
    /// - Height between the sea (0) and the top of the relief (1).
    /// - Openness: 0 in hollows, 0.5 on planes, 1 on crests.
    /// - Flow: 0 up to a drainage area of 10³ m², 1 for a drainage area of 10⁷ m² or more.
    /// - Fraction of the ground that deposits have changed.
    /// - Fraction of the ground that erosion has changed.
    /// - Density of the vegetation.
    /// - Greenness of the palette colour.
    /// - Brightness of the palette colour.
    /// - Mean curvature in 1/km over two samples to each side, positive where the terrain is convex.
    /// - Wetness: the topographic index ln(a / tan β) of Beven & Kirkby (1979), mapped from 5 … 15 to 0 … 1. Here a is
    ///   the drainage area in m² per metre of contour, and β the slope angle. Wetness is 0 if the drainage area is at
    ///   most 10³ m² or the flow is unknown.
    /// - Hardness of the rock, 0 to 1; 0 if the hardness is unknown.
    pub bands: Bands,
}

impl MaterialRule {
    /// A rule that covers all ground with these textures.
    pub fn with_textures(textures: TextureSet) -> Self {
        let (name, material, bands) = (rule_name(&textures.label()), Material::Rock, [EVERYWHERE; CONDITIONS.len()]);
        Self { name, material, max_fraction: 1.0, tint: 1.0, textures: Some(textures), bands }
    }

    /// Fraction of the ground that the rule covers at a position. `values` are the values of [`CONDITIONS`] at that
    /// position.
    pub fn cover(&self, values: [f32; CONDITIONS.len()]) -> f32 {
        self.bands.iter().zip(values).fold(self.max_fraction, |cover, (band, value)| cover * fulfilled(*band, value))
    }
}

/// Degree to which a value fulfils a band, 0 to 1.
pub fn fulfilled([a, b, c, d]: Band, value: f32) -> f32 {
    let rise = |from: f32, to: f32| {
        let t = ((value - from) / (to - from).max(1e-6)).clamp(0.0, 1.0);
        smooth_step(t)
    };
    rise(a, b) * (1.0 - rise(c, d))
}

/// Material rules in layering order, the lowest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<FileRule>", into = "Vec<FileRule>")]
pub struct MaterialRules(pub Vec<MaterialRule>);

/// Maximum number of rules in a list; the shaders have room for no more.
pub const MOST_RULES: usize = 16;

/// Maximum number of different texture sets in a list; the shaders have room for no more.
pub const MOST_TEXTURE_SETS: usize = 5;

/// The list of material rules for palettes and biome tables that name no list.
pub const DEFAULT_MATERIALS: &str = "ground";

static FILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/materials");

/// The built-in lists of material rules, with their names.
static SHIPPED: LazyLock<Vec<(String, Arc<MaterialRules>)>> = LazyLock::new(|| {
    let list = |(name, text): (&str, &str)| {
        let rules = MaterialRules::from_ron(name, text).unwrap_or_else(|e| panic!("built-in file: {e}"));
        (name.to_owned(), Arc::new(rules))
    };
    let text = |file: &'static include_dir::File| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?));
    let mut lists: Vec<_> = FILES.files().filter_map(text).map(list).collect();
    lists.sort_by(|(a, _), (b, _)| a.cmp(b));
    lists
});

/// Names of the built-in lists of material rules.
pub fn material_list_names() -> Vec<&'static str> {
    SHIPPED.iter().map(|(name, _)| name.as_str()).collect()
}

/// Defines the file format of a rule: the fields of the rule, then a band for each of [`CONDITIONS`].
macro_rules! file_rule {
    (
        $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty),+ $(,)? }
        $($condition:ident)+
    ) => {
        #[derive(::serde::Serialize, ::serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $name {
            $($(#[$attribute])* $field: $type,)+
            $(#[serde(default, skip_serializing_if = "Option::is_none")] $condition: Option<Vec<f32>>,)+
        }

        impl $name {
            /// A rule with these bands in file form: each band is stored with as few numbers as possible.
            fn new($($field: $type,)+ bands: $crate::appearance_files::materials::Bands) -> Self {
                let [$($condition),+] = bands.map($crate::appearance_files::materials::band_numbers);
                Self { $($field,)+ $($condition),+ }
            }

            /// The bands, or an error with the name of the condition whose numbers form no band.
            fn bands(&self) -> Result<$crate::appearance_files::materials::Bands, String> {
                $crate::appearance_files::materials::bands([$(&self.$condition),+])
            }
        }
    };
    ($name:ident { $($fields:tt)+ }) => {
        $crate::appearance_files::materials::file_rule! {
            $name { $($fields)+ }
            slope height openness flow deposits wear vegetation green bright curvature wetness hardness
        }
    };
}
pub(super) use file_rule;

file_rule! {
    FileRule {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        material: Material,
        #[serde(default = "whole", skip_serializing_if = "is_whole")]
        share: f32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tint: Option<f32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        textures: Option<TextureSet>,
    }
}

/// Maximum number of characters of the name of a rule.
pub const MOST_RULE_NAME: usize = 60;

/// A name of a rule in one line, without spaces at its ends and of limited length.
pub fn rule_name(given: &str) -> String {
    let line = given.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MOST_RULE_NAME).collect()
}

/// One band for each of [`CONDITIONS`].
pub type Bands = [Band; CONDITIONS.len()];

/// Converts the numbers of a file to bands. An error names the condition whose numbers form no band.
pub(super) fn bands(given: [&Option<Vec<f32>>; CONDITIONS.len()]) -> Result<Bands, String> {
    let mut bands = [EVERYWHERE; CONDITIONS.len()];
    for ((numbers, out), condition) in given.iter().zip(&mut bands).zip(CONDITIONS) {
        let Some(numbers) = numbers else { continue };
        *out = band(numbers)
            .ok_or_else(|| format!("`{condition}` takes 2 numbers, or 4 in ascending order, all finite"))?;
    }
    Ok(bands)
}

/// The shortest form of a band in a file; `None` if the condition has no effect.
pub(super) fn band_numbers(of: Band) -> Option<Vec<f32>> {
    let [a, b, c, d] = of;
    if of == EVERYWHERE {
        return None;
    }
    let short = [vec![a, b], vec![d, c]].into_iter().find(|numbers| band(numbers) == Some(of));
    Some(short.unwrap_or_else(|| of.to_vec()))
}

fn whole() -> f32 {
    1.0
}

fn is_whole(share: &f32) -> bool {
    *share == 1.0
}

/// The tint of a rule whose file states none: images show their own colours, built-in materials those of the palette.
fn usual_tint(textures: Option<&TextureSet>) -> f32 {
    if textures.is_some() { 1.0 } else { 0.0 }
}

/// The band that two or four numbers define; `None` if they form no band.
fn band(numbers: &[f32]) -> Option<Band> {
    let is_good = numbers.iter().all(|x| x.is_finite());
    match *numbers {
        [from, to] if is_good && from <= to => Some([from, to, 1e9, 1e9]),
        [from, to] if is_good => Some([-1e9, -1e9, to, from]),
        [a, b, c, d] if is_good && a <= b && b <= c && c <= d => Some([a, b, c, d]),
        _ => None,
    }
}

impl TryFrom<Vec<FileRule>> for MaterialRules {
    type Error = String;

    fn try_from(rules: Vec<FileRule>) -> Result<Self, String> {
        if rules.is_empty() || rules.len() > MOST_RULES {
            return Err(format!("there are {} rules; 1 to {MOST_RULES} are allowed", rules.len()));
        }
        let rule = |(k, file): (usize, FileRule)| {
            let wrong = |message: String| format!("rule {}: {message}", k + 1);
            let tint = file.tint.unwrap_or_else(|| usual_tint(file.textures.as_ref()));
            if ![file.share, tint].iter().all(|x| (0.0..=1.0).contains(x)) {
                return Err(wrong("share and tint must be from 0 to 1".into()));
            }
            let bands = file.bands().map_err(wrong)?;
            let name = rule_name(&file.name);
            let (material, textures) = (file.material, file.textures);
            Ok(MaterialRule { name, material, max_fraction: file.share, tint, textures, bands })
        };
        let rules = Self(rules.into_iter().enumerate().map(rule).collect::<Result<_, _>>()?);
        match rules.texture_sets().len() {
            count if count > MOST_TEXTURE_SETS => Err(format!(
                "the rules use {count} different texture sets; at most {MOST_TEXTURE_SETS} are possible in a list"
            )),
            _ => Ok(rules),
        }
    }
}

impl From<MaterialRules> for Vec<FileRule> {
    fn from(rules: MaterialRules) -> Self {
        let rule = |MaterialRule { name, material, max_fraction, tint, textures, bands }| {
            let tint = (tint != usual_tint(textures.as_ref())).then_some(tint);
            FileRule::new(name, material, max_fraction, tint, textures, bands)
        };
        rules.0.into_iter().map(rule).collect()
    }
}

impl RuleList for MaterialRules {
    const TITLE: &'static str = "material rules";
}

impl MaterialRules {
    /// The built-in list of material rules called `name`.
    pub fn named(name: &str) -> Option<&'static Arc<Self>> {
        SHIPPED.iter().find(|(own, _)| own == name).map(|(_, rules)| rules)
    }

    /// The different texture sets of the rules, in order.
    pub fn texture_sets(&self) -> Vec<&TextureSet> {
        let mut sets: Vec<&TextureSet> = Vec::new();
        for set in self.0.iter().filter_map(|rule| rule.textures.as_ref()) {
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets
    }

    /// The image files of all texture sets, in order; a file that two rules use comes twice.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|rule| rule.textures.as_ref()).flat_map(|set| set.files.iter().flatten()).map(|f| &**f)
    }

    /// Changes the names of image files. The function returns `None` for names that stay.
    pub fn each_file(&mut self, change: impl Fn(&str) -> Option<String>) {
        let sets = self.0.iter_mut().filter_map(|rule| rule.textures.as_mut());
        for name in sets.flat_map(|set| set.files.iter_mut().flatten()) {
            if let Some(other) = change(name) {
                *name = other;
            }
        }
    }

    /// At one position, for each rule in order: the fraction of the ground that shows the rule's material, because no
    /// later rule covers it. The fractions add up to 1.
    pub fn visible_fractions(&self, values: [f32; CONDITIONS.len()]) -> [f32; MOST_RULES] {
        let (mut seen, mut left) = ([0.0; MOST_RULES], 1.0);
        for (k, rule) in self.0.iter().enumerate().rev() {
            let cover = if k == 0 { 1.0 } else { rule.cover(values) };
            seen[k] = left * cover;
            left -= seen[k];
        }
        seen
    }

    /// Fraction of every material at a position, in the order of [`Material::ALL`]. The fractions add up to 1.
    pub fn fractions(&self, values: [f32; CONDITIONS.len()]) -> [f32; Material::ALL.len()] {
        let mut shares = [0.0; Material::ALL.len()];
        for (k, rule) in self.0.iter().enumerate() {
            // The first rule covers all ground.
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
    fn stacked_rules_have_weights_that_add_up_to_one() {
        let text = "[(material: Soil), (material: Rock, share: 0.9, slope: [28, 42]),
            (material: Snow, bright: [0.55, 0.7], slope: [55, 40])]";
        let rules = MaterialRules::from_ron("t", text).unwrap();
        let share = |slope, bright, kind: Material| rules.fractions(values(slope, bright))[kind as usize];
        assert_eq!(share(10.0, 0.2, Material::Soil), 1.0);
        assert!((share(60.0, 0.2, Material::Rock) - 0.9).abs() < 1e-6);
        assert_eq!(share(30.0, 0.9, Material::Snow), 1.0);
        assert_eq!(share(60.0, 0.9, Material::Snow), 0.0);
        for slope in 0..90 {
            let (shares, seen) =
                (rules.fractions(values(slope as f32, 0.6)), rules.visible_fractions(values(slope as f32, 0.6)));
            let sum: f32 = shares.iter().sum();
            assert!((sum - 1.0).abs() < 1e-5);
            assert!((shares[Material::Rock as usize] - seen[1]).abs() < 1e-5);
        }
    }

    #[test]
    fn the_shipped_rules_know_rock_from_meadow() {
        let rules = MaterialRules::named(DEFAULT_MATERIALS).unwrap();
        let most = |slope: f32, green: f32, bright: f32| {
            let mut values = values(slope, bright);
            (values[3], values[4], values[5], values[6], values[7]) = (0.0, 0.0, 0.0, 0.0, green);
            let shares = rules.fractions(values);
            Material::ALL[(0..shares.len()).max_by(|a, b| shares[*a].total_cmp(&shares[*b])).unwrap()]
        };
        assert_eq!(most(55.0, 0.0, 0.2), Material::Rock);
        assert_eq!(most(5.0, 0.2, 0.2), Material::Grass);
        assert_eq!(most(5.0, 0.0, 0.9), Material::Snow);
    }

    #[test]
    fn faulty_lists_are_refused_with_a_reason() {
        let error = |text: &str| MaterialRules::from_ron("mine", text).unwrap_err().to_string();
        assert!(error("[(material: Moss)]").contains("line 1"));
        assert!(error("[(material: Rock, slope: [1, 2, 3])]").contains("rule 1: `slope` takes 2 numbers"));
        assert!(error("[(material: Rock, share: 2)]").contains("share and tint must be from 0 to 1"));
        assert!(error("[]").contains("0 rules"));
        let textured = |k: usize| format!("(material: Rock, textures: (albedo: \"{k}.png\", metres: 2))");
        let rules = |sets: usize| format!("[{}]", (0..8).map(|k| textured(k % sets)).collect::<Vec<_>>().join(", "));
        assert_eq!(MaterialRules::from_ron("mine", &rules(5)).unwrap().texture_sets().len(), 5);
        assert!(error(&rules(6)).contains("6 different texture sets; at most 5"));
        assert!(error("[(material: Rock, textures: (albedo: \"a.png\", metres: 0))]").contains("0.05 to 1000 m"));
    }

    #[test]
    fn written_rules_are_read_back() {
        for name in material_list_names() {
            let rules = MaterialRules::named(name).unwrap();
            let text = rules.to_ron();
            assert_eq!(text.lines().count(), rules.0.len() + 2, "one line per rule expected: {text}");
            assert_eq!(MaterialRules::from_ron(name, &text).as_ref(), Ok(&**rules), "{text}");
        }
        let text =
            "[(material: Rock, textures: (albedo: \"a.png\", directx_normal: true, height: \"h.exr\", metres: 3))]";
        let textured = MaterialRules::from_ron("mine", text).unwrap();
        assert_eq!(MaterialRules::from_ron("mine", &textured.to_ron()).as_ref(), Ok(&textured));
        assert_eq!(textured.files().collect::<Vec<_>>(), ["a.png", "h.exr"]);
        let bands = [[1.0, 2.0, 1e9, 1e9], [-1e9, -1e9, 1.0, 2.0], [-1e9, -1e9, 2.0, 2.0], [2.0, 2.0, 1e9, 1e9]];
        for own in bands.into_iter().chain([[1.0, 1.0, 2.0, 2.0], [-3.0, 1.0, 1e9, 1e9], EVERYWHERE]) {
            let numbers = band_numbers(own);
            assert_eq!(numbers.as_ref().map_or(Some(EVERYWHERE), |numbers| band(numbers)), Some(own), "{numbers:?}");
        }
    }
}
