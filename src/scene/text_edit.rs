//! Small changes to the text of a scene file. Everything else in the text stays as its author wrote it: comments, the
//! order of fields, and values that equal a default.

use std::ops::Range;

use super::{BuildPreset, Scene, SceneError};
use crate::io::{ron_dialect, ron_layout};

/// The text of a scene with `preset` inserted as its first build preset. An existing build preset with the same name is
/// removed.
///
/// # Errors
/// When the text is not a scene, or would read back as a different scene.
pub fn text_with_build(text: &str, preset: &BuildPreset) -> Result<String, SceneError> {
    let (mut wanted, _) = Scene::from_ron(text)?;
    wanted.builds.retain(|build| build.name != preset.name);
    wanted.builds.insert(0, preset.clone());
    let new = inserted_build(text, preset).ok_or_else(|| unequal("its build presets"))?;
    check_edit(&new, &wanted)?;
    Ok(new)
}

/// The text of a scene with other paths. `change` returns the new path of a file that the scene reads, if it has one.
///
/// # Errors
/// When the text is not a scene, or would read back as a different scene.
pub fn text_with_paths(text: &str, change: &dyn Fn(&str) -> Option<String>) -> Result<String, SceneError> {
    let (scene, _) = Scene::from_ron(text)?;
    let names: Vec<String> = scene.files().iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let mut wanted = scene;
    wanted.each_file(|path| change(&path.to_string_lossy()).map(Into::into));
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for literal in strings(text) {
        let read: Option<String> = ron::from_str(&text[literal.clone()]).ok();
        let Some(path) = read.filter(|read| names.contains(read)).and_then(|read| change(&read)) else { continue };
        new += &text[at..literal.start];
        new += &ron::to_string(&path).map_err(|error| SceneError::Unwritable(error.to_string()))?;
        at = literal.end;
    }
    new += &text[at..];
    check_edit(&new, &wanted)?;
    Ok(new)
}

/// Checks that an edited text reads as the scene that was wanted.
fn check_edit(text: &str, wanted: &Scene) -> Result<(), SceneError> {
    let (read, _) = Scene::from_ron(text)?;
    // A scene that contains not-a-number differs from itself, and is compared by its text.
    let is_same = read == *wanted || read.to_ron()? == wanted.to_ron()?;
    if is_same { Ok(()) } else { Err(unequal("the edited text")) }
}

fn unequal(what: &str) -> SceneError {
    SceneError::Unequal(format!("{what} could not be edited"))
}

/// The text with the preset at the start of the list of build presets, or with a new list before the layers.
fn inserted_build(text: &str, preset: &BuildPreset) -> Option<String> {
    let own = ron_dialect().to_string_pretty(preset, ron_layout(1)).ok()?.replace('\n', "\n        ");
    let scene = top_level(text)?;
    let fields = entries(text, scene.clone());
    let named = |name: &str| fields.iter().find(|field| text[(*field).clone()].starts_with(name));
    let key = |name: &str| named(name).filter(|field| value(text, field).is_some_and(|(key, _)| key == name));
    let Some(builds) = key("builds") else {
        let before = key("layers")?.start;
        return Some(format!("{}builds: [\n        {own},\n    ],\n    {}", &text[..before], &text[before..]));
    };
    let (_, list) = value(text, builds)?;
    let inside = list.start + 1..list.end - 1;
    let mut new = format!("{}\n        {own},", &text[..inside.start]);
    let mut at = inside.start;
    for element in entries(text, inside.clone()) {
        if !is_build_named(text, &element, &preset.name) {
            continue;
        }
        // The white space before the removed preset and the comma after it are removed as well. Comments stay.
        let after = text[element.end..inside.end].strip_prefix(',').map_or(element.end, |_| element.end + 1);
        new += text[at..element.start].trim_end_matches([' ', '\t', '\n', '\r']);
        at = after;
    }
    let rest = &text[at..inside.end];
    new += rest;
    if !rest.ends_with(char::is_whitespace) {
        new += "\n    ";
    }
    new += &text[inside.end..];
    Some(new)
}

fn is_build_named(text: &str, element: &Range<usize>, name: &str) -> bool {
    let Some(open) = text[element.clone()].find('(') else { return false };
    let inside = element.start + open + 1..element.end - 1;
    let name_of = entries(text, inside).into_iter().find_map(|field| {
        let (key, found) = value(text, &field)?;
        if key == "name" { ron::from_str::<String>(&text[found]).ok() } else { None }
    });
    name_of.unwrap_or_default() == name
}

/// The key and the range of the value in a field such as `name: "B"`.
fn value<'a>(text: &'a str, field: &Range<usize>) -> Option<(&'a str, Range<usize>)> {
    let own = &text[field.clone()];
    let colon = own.find(':')?;
    let key = own[..colon].trim();
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
    let start = field.start + colon + 1;
    let start = skipped(text, start);
    (is_key && start <= field.end).then_some((key, start..field.end))
}

/// The range between the outermost parentheses of a scene.
fn top_level(text: &str) -> Option<Range<usize>> {
    let mut at = skipped(text, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with('(') {
            return Some(at + 1..skipped_item(text, at).checked_sub(1)?);
        }
        // Attributes such as `#![enable(implicit_some)]` precede the scene.
        let end = match rest.strip_prefix("#![") {
            Some(attribute) => at + 3 + attribute.find(']')? + 1,
            None => skipped_item(text, at),
        };
        at = skipped(text, end);
    }
    None
}

/// The ranges of the entries of a list or of the fields of a struct, without the commas and comments between them.
fn entries(text: &str, inside: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = skipped(text, inside.start);
    let (mut start, mut end) = (at, at);
    while at < inside.end {
        if text[at..].starts_with(',') {
            found.push(start..end);
            at = skipped(text, at + 1);
            (start, end) = (at, at);
        } else {
            end = skipped_item(text, at);
            at = skipped(text, end);
        }
    }
    if start < end {
        found.push(start..end);
    }
    found
}

/// The ranges of all string literals in the text.
fn strings(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = skipped(text, 0);
    while at < text.len() {
        let end = string_end(text, at);
        if let Some(end) = end {
            found.push(at..end);
        }
        let next = end.unwrap_or_else(|| at + text[at..].chars().next().map_or(1, char::len_utf8));
        at = skipped(text, next);
    }
    found
}

/// The position after the item at `at`: a string, a letter in quotes, a bracket with its contents, or one character.
fn skipped_item(text: &str, at: usize) -> usize {
    if let Some(end) = string_end(text, at) {
        return end;
    }
    let rest = &text[at..];
    let Some(first) = rest.chars().next() else { return at };
    if first == '\'' {
        let inner: Vec<(usize, char)> = rest.char_indices().skip(1).take(12).collect();
        let escaped = inner.first().is_some_and(|&(_, c)| c == '\\');
        let close = inner.iter().skip(if escaped { 2 } else { 1 }).find(|(_, c)| *c == '\'');
        return close.map_or(at + 1, |(index, _)| at + index + 1);
    }
    if !matches!(first, '(' | '[' | '{') {
        return at + first.len_utf8();
    }
    let mut inner = skipped(text, at + 1);
    while inner < text.len() && !text[inner..].starts_with([')', ']', '}']) {
        inner = skipped(text, skipped_item(text, inner));
    }
    (inner + 1).min(text.len())
}

/// The position after the string literal at `at`, if there is one: `"…"`, or raw as in `r#"…"#`.
fn string_end(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    if let Some(raw) = rest.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let begins = raw[hashes..].starts_with('"');
        let follows_name = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if begins && !follows_name {
            let close = format!("\"{}", "#".repeat(hashes));
            let body = at + 1 + hashes + 1;
            return Some(text[body..].find(&close).map_or(text.len(), |end| body + end + close.len()));
        }
        return None;
    }
    if !rest.starts_with('"') {
        return None;
    }
    let mut is_escaped = false;
    for (index, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(at + index + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// The position after white space and comments. Comments in `/* */` can contain other comments.
fn skipped(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if trimmed.starts_with("/*") {
            at += comment_length(trimmed);
        } else {
            return at;
        }
    }
}

/// Length of the comment in `/* */` at the start of the text.
fn comment_length(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        match () {
            () if rest.starts_with("/*") => (depth, at) = (depth + 1, at + 2),
            () if rest.starts_with("*/") => (depth, at) = (depth - 1, at + 2),
            () => at += rest.chars().next().map_or(1, char::len_utf8),
        }
        if depth == 0 {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    const HAND: &str = r###"// My island (do not lose this), "quoted"
(
    version: 1, /* nested /* comment */ with layers: [ */
    name: "An \"island\" // no comment",
    settings: (resolution: 33, size_metres: 8000.0), // 8 km is the default
    layers: [
        (name: r#"Raw "name" ( "#, node: Import(file: "/data/maps/dem.png")), // builds: [
        (name: "/data/maps/dem.png 2", node: Perlin(), note: "as ever"),
    ],
)
"###;

    fn preset(name: &str, samples: u32) -> BuildPreset {
        BuildPreset { name: name.into(), samples: Some(samples), ..BuildPreset::default() }
    }

    #[test]
    fn a_build_is_inserted_and_all_else_stays() {
        let first = text_with_build(HAND, &preset("A", 65)).unwrap();
        let lines = |text: &str| text.lines().map(String::from).collect::<Vec<_>>();
        let has_all = |new: &str, old: &str| lines(old).iter().all(|line| new.contains(line.as_str()));
        assert!(has_all(&first, HAND), "{first}");
        let noted = first.replacen("builds: [", "builds: [ // for the engine", 1);
        let second = text_with_build(&noted, &preset("B, \"(\"", 129)).unwrap();
        assert!(has_all(&second, HAND) && second.contains("// for the engine"), "{second}");
        let third = text_with_build(&second, &preset("A", 257)).unwrap();
        assert!(has_all(&third, HAND) && third.contains("// for the engine"), "{third}");
        let (scene, _) = Scene::from_ron(&third).unwrap();
        assert_eq!(scene.builds, [preset("A", 257), preset("B, \"(\"", 129)]);
        let marked = format!("\u{feff}{HAND}");
        assert!(text_with_build(&marked, &preset("A", 65)).unwrap().starts_with('\u{feff}'));
    }

    #[test]
    fn every_form_of_an_empty_list_takes_a_build() {
        for builds in ["builds: [],", "builds: [ ],", "builds: [\n    // none yet\n    ],", ""] {
            let text = format!("#![enable(implicit_some)]\nScene(version: 1, {builds} layers: [])");
            let text = if Scene::from_ron(&text).is_ok() { text } else { text.replace("Scene(", "(") };
            let new = text_with_build(&text, &preset("A", 65)).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(Scene::from_ron(&new).unwrap().0.builds, [preset("A", 65)], "{new}");
            let again = text_with_build(&new, &preset("A", 66)).unwrap();
            assert_eq!(Scene::from_ron(&again).unwrap().0.builds, [preset("A", 66)], "{again}");
        }
    }

    #[test]
    fn only_paths_change_in_a_text_with_other_paths() {
        let new = text_with_paths(HAND, &|path| path.strip_prefix("/data/").map(String::from)).unwrap();
        assert_eq!(new, HAND.replace("\"/data/maps/dem.png\"", "\"maps/dem.png\""));
    }

    #[test]
    fn texts_of_the_program_take_a_build() {
        for example in crate::scene::examples() {
            let text = example.scene.to_ron().unwrap();
            let new = text_with_build(&text, &preset("A", 65)).unwrap();
            assert_eq!(Scene::from_ron(&new).unwrap().0.builds[0], preset("A", 65));
            assert!(text.lines().all(|line| new.contains(line)));
        }
    }
}
