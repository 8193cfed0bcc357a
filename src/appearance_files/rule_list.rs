//! Lists of rules as files: materials of the ground, plants and stones.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::io::{FileError, SaveTarget, check_name, ron_dialect, write_atomically};

/// Lists are text that people write.
const MAX_BYTES: u64 = 1 << 20;

/// Why a list of rules was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RuleListError {
    /// The text is no RON, names what does not exist, or has a number that is out of range.
    #[error("{list} `{name}`, line {line}, column {column}: {message}")]
    Syntax {
        /// What the list is of: [`RuleList::TITLE`].
        list: &'static str,
        /// The name of the list.
        name: String,
        /// Line in the file, from 1.
        line: usize,
        /// Column in the line, from 1.
        column: usize,
        /// What is wrong, in words.
        message: String,
    },
    /// The file cannot be read.
    #[error("cannot read the {list} {name}: {message}")]
    Read {
        /// What the list is of: [`RuleList::TITLE`].
        list: &'static str,
        /// The file.
        name: String,
        /// What is wrong, in words.
        message: String,
    },
}

/// A list of rules that is written as a RON file or in a scene, in the same form.
pub trait RuleList: Serialize + DeserializeOwned {
    /// What it is of, in messages.
    const TITLE: &'static str;

    /// Rules as a file writes them; `name` is for messages.
    ///
    /// # Errors
    /// When the text is no list of rules, or a number is out of range.
    fn from_ron(name: &str, text: &str) -> Result<Self, RuleListError> {
        ron_dialect().from_str(text).map_err(|e| RuleListError::Syntax {
            list: Self::TITLE,
            name: name.into(),
            line: e.span.start.line,
            column: e.span.start.col,
            message: e.code.to_string(),
        })
    }

    /// The list as RON text, a line for each rule.
    fn to_ron(&self) -> String {
        let pretty = ron::ser::PrettyConfig::new().depth_limit(1).indentor("    ".to_string());
        let mut text = ron_dialect().to_string_pretty(self, pretty).expect("a list is always expressible in RON");
        text.push('\n');
        text
    }

    /// Reads a list from the disk.
    ///
    /// # Errors
    /// When the file cannot be read, is larger than 1 MB, or as [`from_ron`](Self::from_ron).
    fn load(path: &Path) -> Result<Self, RuleListError> {
        let refused =
            |message: String| RuleListError::Read { list: Self::TITLE, name: path.display().to_string(), message };
        let failed = |error: std::io::Error| refused(error.to_string());
        check_name(path).map_err(|error| refused(error.to_string()))?;
        let length = std::fs::metadata(path).map_err(failed)?;
        if !length.is_file() || length.len() > MAX_BYTES {
            return Err(refused("it is no file of at most 1 MB".into()));
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Self::from_ron(&name, &text)
    }

    /// Writes a file of the list; until it is safely on disk an old one stays.
    ///
    /// # Errors
    /// When it cannot be written.
    fn save(&self, to: impl Into<SaveTarget>) -> Result<(), FileError> {
        write_atomically(to, |file| file.write_all(self.to_ron().as_bytes()))
    }
}
