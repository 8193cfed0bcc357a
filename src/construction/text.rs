//! The construction tree as readable RON. An item that fits on one line stays on one line; a longer item is broken at
//! its commas. Every piece starts a new line.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::check::TreeError;
use super::piece::{Definition, Frame, Piece, Tree};
use talweg_ground::io::{RAW_RON, ron_dialect, without_byte_order_mark};
use talweg_ground::param::{Clamped, ParamKind, StructuredParam};

/// Version of the RON format of construction trees that this program writes.
pub const VERSION: u32 = 1;
const WIDTH: usize = 118;
/// Indentation of a construction tree in a scene file, in spaces.
const INDENT: usize = 16;

/// The construction tree as scene files store it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeV1 {
    #[serde(default = "first", skip_serializing_if = "is_first")]
    version: u32,
    #[serde(default, skip_serializing_if = "is_plain")]
    frame: Frame,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<Definition>,
    #[serde(default)]
    terrain: Piece,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    water: Option<Piece>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sand: Option<Piece>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    snow: Option<Piece>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vegetation: Option<Piece>,
}

fn first() -> u32 {
    1
}
fn is_first(version: &u32) -> bool {
    *version == 1
}
fn is_plain(frame: &Frame) -> bool {
    *frame == Frame::default()
}

impl From<TreeV1> for Tree {
    fn from(file: TreeV1) -> Self {
        let TreeV1 { version: _, frame, definitions, terrain, water, sand, snow, vegetation } = file;
        Self { frame, definitions, terrain, water, sand, snow, vegetation }
    }
}

impl From<Tree> for TreeV1 {
    fn from(tree: Tree) -> Self {
        let Tree { frame, definitions, terrain, water, sand, snow, vegetation } = tree;
        Self { version: VERSION, frame, definitions, terrain, water, sand, snow, vegetation }
    }
}

impl Tree {
    /// The construction tree as RON text. Every line except the first starts with `indent` spaces.
    ///
    /// # Errors
    /// When operators are nested deeper than [`check`](Self::check) allows: the text could not be read again.
    pub fn to_ron(&self, indent: usize) -> Result<String, TreeError> {
        self.check_depth()?;
        let text = ron_dialect().to_string(&TreeV1::from(self.clone()));
        let text = text.map_err(|error| TreeError { at: "Construction".into(), what: error.to_string() })?;
        Ok(broken(&text, indent))
    }

    /// Reads a construction tree from RON text.
    ///
    /// # Errors
    /// When the text is not a construction tree, or when [`check`](Self::check) rejects the tree.
    pub fn from_ron(text: &str) -> Result<Self, String> {
        let file: TreeV1 = ron_dialect().from_str(without_byte_order_mark(text)).map_err(|e| e.to_string())?;
        checked(file)
    }
}

impl StructuredParam for Tree {
    const KIND: ParamKind = ParamKind::Tree;
    const EXPECTED: &'static str = "a construction tree";

    fn to_text(&self) -> String {
        self.to_ron(0).unwrap_or_else(|error| error.to_string())
    }
    fn from_text(text: &str) -> Result<Self, String> {
        Self::from_ron(text)
    }
    fn within_ranges(&self) -> Option<(Self, Vec<Clamped>)> {
        let (tree, moved) = self.sanitised();
        (!moved.is_empty()).then_some((tree, moved))
    }
}

fn checked(file: TreeV1) -> Result<Tree, String> {
    if file.version == 0 || file.version > VERSION {
        return Err(format!(
            "the construction has version {}; this program reads version {VERSION}. Open it with a newer Talweg",
            file.version
        ));
    }
    let tree = Tree::from(file);
    tree.check().map_err(|e| e.to_string())?;
    Ok(tree)
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.to_ron(INDENT).map_err(S::Error::custom)?;
        serializer.serialize_newtype_struct(RAW_RON, &text)
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        checked(TreeV1::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Breaks `text` (RON without spaces or line breaks) at the commas of every bracket that does not fit on its line.
fn broken(text: &str, indent: usize) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut column = indent;
    write_item(text, indent, &mut column, &mut out);
    out
}

/// Appends one item to `out`: the text up to the item's first bracket, the items inside the bracket, the closing
/// bracket.
fn write_item(text: &str, indent: usize, column: &mut usize, out: &mut String) {
    let flat = spaced(text);
    if *column + flat.chars().count() <= WIDTH {
        *column += flat.chars().count();
        out.push_str(&flat);
        return;
    }
    let Some(open) = bracket(text) else {
        *column += flat.chars().count();
        out.push_str(&flat);
        return;
    };
    let items = items(&text[open + 1..text.len() - 1]);
    let head = spaced(&text[..=open]);
    *column += head.chars().count();
    out.push_str(&head);
    if let [only] = items.as_slice()
        && bracket(only).is_some()
    {
        // a single item in brackets needs no indentation level of its own
        write_item(only, indent, column, out);
        out.push_str(&text[text.len() - 1..]);
        *column += 1;
        return;
    }
    let inner = indent + 4;
    let mut begun = false;
    for item in items {
        let flat = spaced(item).chars().count() + 1;
        // short items share a line; an item that is itself broken over several lines starts a new line
        let shares = begun && *column + 1 + flat <= WIDTH;
        if shares {
            out.push(' ');
            *column += 1;
        } else {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', inner));
            *column = inner;
        }
        begun = inner + flat <= WIDTH && !item.starts_with("(name") && !item.starts_with("(form");
        write_item(item, inner, column, out);
        out.push(',');
        *column += 1;
    }
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
    out.push_str(&text[text.len() - 1..]);
    *column = indent + 1;
}

/// Byte position of the opening bracket whose closing bracket ends the text.
fn bracket(text: &str) -> Option<usize> {
    if !text.ends_with([')', ']', '}']) {
        return None;
    }
    let mut found = None;
    each_outer(text, |at, c| {
        if matches!(c, '(' | '[' | '{') {
            found = Some(at);
        }
    });
    found
}

/// The parts of the text between commas. Commas inside brackets do not count.
fn items(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    each_outer(text, |at, c| {
        if c == ',' {
            parts.push(&text[start..at]);
            start = at + 1;
        }
    });
    if start < text.len() {
        parts.push(&text[start..]);
    }
    parts
}

/// Calls `see` for every character outside all brackets and strings, opening brackets included.
fn each_outer(text: &str, mut see: impl FnMut(usize, char)) {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        if quoted {
            (quoted, escaped) = (escaped || c != '"', !escaped && c == '\\');
            continue;
        }
        match c {
            '"' => quoted = true,
            ')' | ']' | '}' => depth -= 1,
            _ => {
                if depth == 0 {
                    see(at, c);
                }
                if matches!(c, '(' | '[' | '{') {
                    depth += 1;
                }
            }
        }
    }
}

/// The text with a space after every comma and colon.
fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        out.push(c);
        if quoted {
            (quoted, escaped) = (escaped || c != '"', !escaped && c == '\\');
        } else if c == '"' {
            quoted = true;
        } else if matches!(c, ',' | ':') {
            out.push(' ');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;

    #[test]
    fn trees_are_read_back_from_text_that_fits_the_page() {
        for (_, tree) in presets::all() {
            let text = tree.to_ron(0).unwrap();
            assert_eq!(Tree::from_ron(&text).unwrap(), *tree);
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH + 2), "{text}");
        }
    }

    #[test]
    fn strings_keep_their_commas_and_brackets() {
        let text = r#"(name:"a, (b: \"c\"",of:[1,2])"#;
        assert_eq!(broken(text, 0), r#"(name: "a, (b: \"c\"", of: [1, 2])"#);
    }
}
