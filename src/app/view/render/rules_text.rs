//! Shader text of the built-in material rules. The rules' numbers are written into the shader instructions. So the
//! graphics card needs no loop over conditions that change nothing.

use std::fmt::Write;
use std::sync::Arc;

use bevy::shader::ShaderDefVal;
use talweg::appearance_files::{CONDITIONS, EVERYWHERE, Material, MaterialRules, material_list_names};

use super::ground_materials::{PerMaterial, ramps_of};

/// The name of each condition in the struct `SiteValues` of `assets/shaders/materials.wgsl`.
const VALUES: [&str; CONDITIONS.len()] = [
    "values.slope",
    "values.height",
    "values.openness",
    "values.site.x",
    "values.site.y",
    "values.site.z",
    "values.site.w",
    "values.green",
    "values.bright",
    "values.curvature",
    "values.wetness",
    "values.hardness",
];

/// Shader definitions that only some rule lists need. Each stands for a costly condition, given by its index in
/// [`CONDITIONS`], for a material, or for textures from
/// image files.
const PARTIAL_DEFS: [(&str, PartialNeed); 5] = [
    ("ASKS_CURVATURE", PartialNeed::Condition(9)),
    ("ASKS_WETNESS", PartialNeed::Condition(10)),
    ("ASKS_HARDNESS", PartialNeed::Condition(11)),
    ("HAS_STRATA", PartialNeed::Material(Material::Strata)),
    ("HAS_IMAGES", PartialNeed::Images),
];

#[derive(Clone, Copy)]
enum PartialNeed {
    Condition(usize),
    Material(Material),
    /// Textures from image files.
    Images,
}

/// The properties of a rule list that determine its pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RulesKey {
    /// Index of the list among the built-in lists; `None` for other lists.
    list: Option<u32>,
    /// Which of [`PARTIAL_DEFS`] the list needs.
    needs: [bool; PARTIAL_DEFS.len()],
}

impl RulesKey {
    /// The key of a rule list. Conditions of the first rule are ignored, because this rule applies everywhere.
    pub fn new(rules: &Arc<MaterialRules>) -> Self {
        let is_own = |name: &&str| MaterialRules::named(name).is_some_and(|own| Arc::ptr_eq(own, rules));
        let needs = PARTIAL_DEFS.map(|(_, need)| match need {
            PartialNeed::Condition(condition) => rules.0.iter().skip(1).any(|rule| rule.bands[condition] != EVERYWHERE),
            PartialNeed::Material(material) => rules.0.iter().any(|rule| rule.material == material),
            PartialNeed::Images => rules.0.iter().any(|rule| rule.textures.is_some()),
        });
        Self { list: material_list_names().iter().position(is_own).map(|number| number as u32), needs }
    }

    /// The shader definitions of a pipeline. The name of one definition contains the number of the rule list. A
    /// definition with a value is not possible, because it would have to exist for all shaders made from the same text.
    pub fn shader_defs(self) -> impl Iterator<Item = ShaderDefVal> {
        let needs = PARTIAL_DEFS.into_iter().zip(self.needs).filter(|(_, needed)| *needed);
        let list = self.list.map(|number| ["SHIPPED_RULES".into(), format!("SHIPPED_RULES_{number}").into()]);
        needs.map(|((name, _), _)| name.into()).chain(list.into_iter().flatten())
    }
}

/// The shader text of the function `mixture_of` for every built-in list.
pub fn rules_text() -> String {
    let mut text = String::from("#ifdef SHIPPED_RULES\n#ifdef DETAIL\n");
    text += "fn passed(value: f32) -> f32 { let t = saturate(value); return t * t * (3.0 - 2.0 * t); }\n";
    for (number, name) in material_list_names().into_iter().enumerate() {
        let Some(rules) = MaterialRules::named(name) else { continue };
        let _ = writeln!(text, "#ifdef SHIPPED_RULES_{number}");
        text += &mixture_text(rules);
        text += "#endif\n";
    }
    text + "#endif\n#endif\n"
}

/// The shader text of `mixture_of` for a rule list. The function `mixture_of` in `assets/shaders/materials.wgsl`
/// computes the same mixture from uniforms.
fn mixture_text(rules: &MaterialRules) -> String {
    let mut lines = vec!["var left = (1.0 - cover.x) * (1.0 - cover.y);".to_owned(), "var seen = 0.0;".to_owned()];
    let own = |prefix: &str, material: Material| format!("{prefix}{}", material as usize);
    for prefix in ["share", "tint"] {
        lines.extend(Material::ALL.iter().map(|material| format!("var {} = 0.0;", own(prefix, *material))));
    }
    for (k, rule) in rules.0.iter().enumerate().rev() {
        let mut cover = format!("{:?}", if k > 0 { rule.max_fraction } else { 1.0 });
        for (condition, band) in rule.bands.iter().enumerate().filter(|_| k > 0) {
            for [times, more] in ramps_of(*band).into_iter().flatten() {
                let _ = write!(cover, " * passed({} * {times:?} + {more:?})", VALUES[condition]);
            }
        }
        lines.push(format!("seen = left * ({cover});"));
        lines.push("left -= seen;".to_owned());
        lines.push(format!("{} += seen;", own("share", rule.material)));
        if rule.tint != 0.0 {
            lines.push(format!("{} += seen * {:?};", own("tint", rule.material), rule.tint));
        }
    }
    let all = |prefix: &str| {
        let mut names: Vec<String> = Material::ALL.iter().map(|material| own(prefix, *material)).collect();
        names.resize(size_of::<PerMaterial>() / size_of::<f32>(), "0.0".to_owned());
        let four = |names: &[String]| format!("vec4<f32>({})", names.join(", "));
        format!("PerMaterial({})", names.chunks(4).map(four).collect::<Vec<_>>().join(", "))
    };
    lines.push(format!("return mixture({}, {}, cover);", all("share"), all("tint")));
    format!("fn mixture_of(values: SiteValues, cover: vec2<f32>) -> Mixture {{\n{}\n}}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::appearance_files::RuleList;

    #[test]
    fn every_shipped_list_has_its_own_text() {
        let text = rules_text();
        for (number, name) in material_list_names().into_iter().enumerate() {
            assert!(text.contains(&format!("#ifdef SHIPPED_RULES_{number}\n")), "{name}");
            assert_eq!(RulesKey::new(MaterialRules::named(name).unwrap()).list, Some(number as u32));
        }
        let other = Arc::new(MaterialRules(Vec::new()));
        assert_eq!(RulesKey::new(&other).list, None);
    }

    #[test]
    fn pipelines_have_the_features_that_rules_use() {
        let defs = |rules: &Arc<MaterialRules>| -> Vec<ShaderDefVal> { RulesKey::new(rules).shader_defs().collect() };
        let own = "[(material: Soil), (material: Strata, slope: [20, 30]), (material: Rock, curvature: [5, 9])]";
        let own = Arc::new(MaterialRules::from_ron("mine", own).unwrap());
        assert_eq!(defs(&own), ["ASKS_CURVATURE".into(), "HAS_STRATA".into()]);
        let images = "[(material: Rock, textures: (albedo: \"a.png\", metres: 2))]";
        let images = Arc::new(MaterialRules::from_ron("mine", images).unwrap());
        assert_eq!(defs(&images), ["HAS_IMAGES".into()]);
        let plain = Arc::new(MaterialRules::from_ron("mine", "[(material: Soil, curvature: [5, 9])]").unwrap());
        assert_eq!(defs(&plain), []);
    }
}
