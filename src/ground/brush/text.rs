//! Strokes as RON text: a list with one line per stroke.

use std::sync::Arc;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{MAX_STROKES, Stroke, Strokes};
use crate::io::{RAW_RON, ron_dialect};
use crate::param::{Clamped, ParamKind, StructuredParam};

/// Number of spaces before each line of a stroke list in a scene file.
const INDENT: usize = 16;

/// A stroke as RON text on a single line.
pub(super) fn stroke_text(stroke: &Stroke) -> String {
    // Serialising cannot fail, because a stroke holds only numbers and names.
    ron_dialect().to_string(stroke).unwrap_or_default()
}

impl Strokes {
    /// The strokes as RON text, with `indent` spaces before every line except the first.
    pub fn to_ron(&self, indent: usize) -> String {
        let pad = " ".repeat(indent);
        let lines: String = self.list().iter().map(|stroke| format!("\n{pad}    {},", stroke_text(stroke))).collect();
        if lines.is_empty() { "[]".into() } else { format!("[{lines}\n{pad}]") }
    }
}

impl Serialize for Strokes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.list().len() > MAX_STROKES {
            return Err(S::Error::custom(too_many()));
        }
        serializer.serialize_newtype_struct(RAW_RON, &self.to_ron(INDENT))
    }
}

impl<'de> Deserialize<'de> for Strokes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let strokes = Vec::<Stroke>::deserialize(deserializer)?;
        if strokes.len() > MAX_STROKES {
            return Err(D::Error::custom(too_many()));
        }
        Ok(strokes.into_iter().collect())
    }
}

fn too_many() -> String {
    format!("there are more than {MAX_STROKES} strokes, which is the maximum for a layer")
}

impl StructuredParam for Strokes {
    const KIND: ParamKind = ParamKind::Strokes;
    const EXPECTED: &'static str = "brush strokes";

    fn to_text(&self) -> String {
        self.to_ron(0)
    }
    fn from_text(text: &str) -> Result<Self, String> {
        ron_dialect().from_str(text).map_err(|error| error.to_string())
    }
    fn within_ranges(&self) -> Option<(Self, Vec<Clamped>)> {
        let mended: Vec<_> = self.list().iter().map(|stroke| stroke.sanitised()).collect();
        if mended.iter().all(Option::is_none) {
            return None;
        }
        let mut strokes = self.clone();
        let mut all = Vec::new();
        for (k, mended) in mended.into_iter().enumerate() {
            if let Some((stroke, moved)) = mended {
                strokes.list_mut()[k] = Arc::new(stroke);
                let named =
                    |moved: Clamped| Clamped { param: format!("stroke {}, {}", k + 1, moved.param).into(), ..moved };
                all.extend(moved.into_iter().map(named));
            }
        }
        Some((strokes, all))
    }
}
