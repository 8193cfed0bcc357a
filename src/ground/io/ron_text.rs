//! The text format of scenes, tables and rules: Rusty Object Notation (RON), and its errors in words.

use ron::Error;

/// Maximum nesting depth when reading and writing RON. The depth suffices for a scene with the deepest construction
/// tree (`construction::check::DEEPEST`). Each level of a construction tree needs about ten levels of RON.
const MOST_LEVELS: usize = 400;

/// RON's internal name for text that is written verbatim. The type `RawValue` of the crate `ron` would parse the text
/// again, and its depth limit is too low for construction trees.
pub const RAW_RON: &str = "$ron::private::RawValue";

/// The RON dialect of scenes, biome tables and construction trees.
pub fn ron_dialect() -> ron::Options {
    ron::Options::default()
        .with_recursion_limit(MOST_LEVELS)
        .with_default_extension(ron::extensions::Extensions::UNWRAP_VARIANT_NEWTYPES)
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
}

/// The form in which RON is written: `levels` levels of parentheses have lines of their own. The same bytes are written
/// on every system; RON's own default ends lines differently on Windows.
pub fn ron_layout(levels: usize) -> ron::ser::PrettyConfig {
    ron::ser::PrettyConfig::new().depth_limit(levels).indentor("    ").new_line("\n")
}

/// A text without the byte order mark that some editors write at the start of a file. The mark has no meaning in UTF-8.
pub fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The reason why a text was refused, in words. For an unknown name, it suggests the known name that is most similar.
pub fn ron_reason(error: &Error) -> String {
    let within = |outer: &Option<String>| outer.as_ref().map(|outer| format!(" of `{outer}`")).unwrap_or_default();
    match error {
        Error::Eof => "the text ends too soon".into(),
        Error::NoSuchStructField { expected, found, outer } => {
            format!("`{found}` is not a field{}; {}", within(outer), suggestion(found, expected))
        }
        Error::NoSuchEnumVariant { expected, found, outer } => {
            format!("`{found}` is not a value{}; {}", within(outer), suggestion(found, expected))
        }
        Error::MissingStructField { field, outer } => format!("the field `{field}`{} is missing", within(outer)),
        Error::DuplicateStructField { field, outer } => {
            format!("the field `{field}`{} is there twice", within(outer))
        }
        Error::ExpectedNamedStructLike(_) | Error::ExpectedStructLike => "an opening `(` is missing here".into(),
        // RON reports errors inside a construction only as a message
        other if other.to_string() == Error::ExceededRecursionLimit.to_string() => "it is nested too deeply".into(),
        other => other.to_string(),
    }
}

/// Suggests the name that is most similar to `found`, or lists all names if none is similar.
pub fn suggestion(found: &str, known: &[&str]) -> String {
    let distance = |name: &&&str| strsim::damerau_levenshtein(&found.to_lowercase(), &name.to_lowercase());
    let nearest = known.iter().min_by_key(distance).filter(|name| distance(name) <= found.len().div_ceil(3));
    match nearest {
        Some(name) => format!("did you mean `{name}`?"),
        None if known.is_empty() => "it has none".into(),
        None => format!("it has {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_gets_the_similar_one() {
        for (found, known, expected) in [
            ("frequencyy", &["octaves", "frequency"][..], "did you mean `frequency`?"),
            ("perlin", &["Ridged", "Perlin"], "did you mean `Perlin`?"),
            ("resolutions", &["resolution", "relief"], "did you mean `resolution`?"),
            ("tide", &["seed", "sun"], "it has seed, sun"),
        ] {
            assert_eq!(suggestion(found, known), expected);
        }
    }

    #[test]
    fn reasons_do_not_name_types_of_the_program() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields, rename = "Scene")]
        #[expect(dead_code, reason = "the field is only read from text")]
        struct InternalForm {
            seed: u32,
        }
        let reason = |text: &str| ron_reason(&ron_dialect().from_str::<InternalForm>(text).unwrap_err().code);
        assert_eq!(reason(""), "an opening `(` is missing here");
        assert_eq!(reason("(seed: 1, seed: 2)"), "the field `seed` of `Scene` is there twice");
        assert_eq!(reason("(sede: 1)"), "`sede` is not a field of `Scene`; did you mean `seed`?");
        assert_eq!(reason("()"), "the field `seed` of `Scene` is missing");
    }
}
