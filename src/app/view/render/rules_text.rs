//! The rules of the ground's materials that come with the program, written out as shader text: graphics cards then have
//! their numbers in the instructions and pass no loop over what does not count.

use std::fmt::Write;
use std::sync::Arc;

use talweg::appearance_files::{CONDITIONS, Material, MaterialRules, material_list_names};

use super::ground_materials::{ASKED_CONDITIONS, asks, ramps_of};

/// The name of a condition in `SiteValues` of `assets/shaders/materials.wgsl`.
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

/// The number of a list by which pipelines ask for its text, defining `SHIPPED_RULES` and `SHIPPED_RULES_` with the
/// number; none of other lists.
pub fn shipped_number(rules: &Arc<MaterialRules>) -> Option<u32> {
    let is_own = |name: &&str| MaterialRules::named(name).is_some_and(|own| Arc::ptr_eq(own, rules));
    material_list_names().iter().position(is_own).map(|number| number as u32)
}

/// `mixture_of` for every list.
pub fn rules_text() -> String {
    let mut text = String::from("#ifdef SHIPPED_RULES\n#ifdef DETAIL\n");
    text += "fn passed(value: f32) -> f32 { let t = saturate(value); return t * t * (3.0 - 2.0 * t); }\n";
    for (number, name) in material_list_names().into_iter().enumerate() {
        let Some(rules) = MaterialRules::named(name) else { continue };
        let _ = writeln!(text, "#ifdef SHIPPED_RULES_{number}");
        for (condition, _, name) in ASKED_CONDITIONS {
            let _ = writeln!(text, "fn asks_{name}() -> bool {{ return {}; }}", asks(rules, condition));
        }
        text += &mixture_text(rules);
        text += "#endif\n";
    }
    text + "#endif\n#endif\n"
}

/// See `mixture_of` in `assets/shaders/materials.wgsl`, which does the same from numbers.
fn mixture_text(rules: &MaterialRules) -> String {
    let mut lines = vec!["var left = (1.0 - cover.x) * (1.0 - cover.y);".to_owned(), "var seen = 0.0;".to_owned()];
    let own = |prefix: &str, material: Material| format!("{prefix}{}", material as usize);
    for prefix in ["share", "tint"] {
        lines.extend(Material::ALL.iter().map(|material| format!("var {} = 0.0;", own(prefix, *material))));
    }
    for (k, rule) in rules.0.iter().enumerate().rev() {
        let mut cover = format!("{:?}", if k > 0 { rule.share } else { 1.0 });
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
        names.resize(12, "0.0".to_owned());
        let four = |names: &[String]| format!("vec4<f32>({})", names.join(", "));
        format!("PerMaterial({})", names.chunks(4).map(four).collect::<Vec<_>>().join(", "))
    };
    lines.push(format!("return mixture({}, {}, cover);", all("share"), all("tint")));
    format!("fn mixture_of(values: SiteValues, cover: vec2<f32>) -> Mixture {{\n{}\n}}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_list_has_its_own_text() {
        let text = rules_text();
        for (number, name) in material_list_names().into_iter().enumerate() {
            assert!(text.contains(&format!("#ifdef SHIPPED_RULES_{number}\n")), "{name}");
            assert_eq!(shipped_number(MaterialRules::named(name).unwrap()), Some(number as u32));
        }
        let other = Arc::new(MaterialRules(Vec::new()));
        assert_eq!(shipped_number(&other), None);
    }
}
