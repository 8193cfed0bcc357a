//! Notes of a reader about a file: data that it changed or ignored, and missing information that it had to guess.

use std::fmt;

/// A note about data in a file that the reader changed, ignored or had to guess, and about the effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RasterNote {
    /// Kind of the note for programs, such as `undeclared-no-data`. The names of kinds do not change between versions.
    pub kind: &'static str,
    /// The note as a sentence without the name of the file and without a full stop.
    pub text: String,
}

impl RasterNote {
    /// A note with its kind and its sentence.
    pub fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

impl fmt::Display for RasterNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
