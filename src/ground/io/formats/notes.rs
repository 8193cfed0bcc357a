//! Notes of a reader: everything that a file contains and that the program did not use or had to assume.

use std::fmt;

/// A note about a file: something that the file contains and that was not used as it stands, with the effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RasterNote {
    /// Kind of the note, for programs, such as `undeclared-no-data`. The names do not change between versions.
    pub kind: &'static str,
    /// The note as a sentence without the name of the file and without a full stop.
    pub text: String,
}

impl RasterNote {
    /// A note of a kind with its sentence.
    pub fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

impl fmt::Display for RasterNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
