//! Rule lists as files: the lists of ground materials and of plants and stones.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::read_short_text;
use crate::io::{
    FileError, SaveTarget, ron_dialect, ron_layout, ron_reason, without_byte_order_mark, write_atomically,
};

/// The reason why a list of rules was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RuleListError {
    /// The text is not valid RON, refers to an unknown name, or has a number out of range.
    #[error("{list} `{name}`, line {line}, column {column}: {message}")]
    Syntax {
        /// Kind of the list: [`RuleList::TITLE`].
        list: &'static str,
        /// The name of the list.
        name: String,
        /// Line of the error in the file, counted from 1.
        line: usize,
        /// Column of the error in the line, counted from 1.
        column: usize,
        /// Cause of the error, in words.
        message: String,
    },
    /// The file cannot be read.
    #[error("cannot read the {list} {name}: {message}")]
    Read {
        /// Kind of the list: [`RuleList::TITLE`].
        list: &'static str,
        /// Path of the file, as text.
        name: String,
        /// Cause of the error, in words.
        message: String,
    },
}

/// A rule list that is stored as a RON file or in a scene, in the same format.
pub trait RuleList: Serialize + DeserializeOwned {
    /// Kind of the list, for messages.
    const TITLE: &'static str;

    /// Parses rules from RON text; `name` is used in messages.
    ///
    /// # Errors
    /// When the text is not a list of rules, or a number is out of range.
    fn from_ron(name: &str, text: &str) -> Result<Self, RuleListError> {
        ron_dialect().from_str(without_byte_order_mark(text)).map_err(|e| RuleListError::Syntax {
            list: Self::TITLE,
            name: name.into(),
            line: e.span.start.line,
            column: e.span.start.col,
            message: ron_reason(&e.code),
        })
    }

    /// The list as RON text with one line per rule.
    fn to_ron(&self) -> String {
        let mut text =
            ron_dialect().to_string_pretty(self, ron_layout(1)).expect("a list can always be written as RON");
        text.push('\n');
        text
    }

    /// Reads a list of rules from a file on the disk.
    ///
    /// # Errors
    /// When the file cannot be read or is larger than 1 MB. Also the errors of [`from_ron`](Self::from_ron).
    fn load(path: &Path) -> Result<Self, RuleListError> {
        let refused = |message| RuleListError::Read { list: Self::TITLE, name: path.display().to_string(), message };
        let text = read_short_text(path).map_err(refused)?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Self::from_ron(&name, &text)
    }

    /// Writes the list to a file. An old file stays until the new file is safely on the disk.
    ///
    /// # Errors
    /// When the file cannot be written.
    fn save(&self, to: impl Into<SaveTarget>) -> Result<(), FileError> {
        write_atomically(to, |file| file.write_all(self.to_ron().as_bytes()))
    }
}
