//! The file that tells programs of the same user the address and token of the running server.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;
use talweg::io::FileError;
use talweg::user_state::{make_private_folder, state_folder};

/// Name of the file in the program's folder for state.
pub const ADDRESS_FILE: &str = "server.json";

/// Path of the file that tells the address and token of the running server; `None` if the system has no folder for it.
pub fn address_file() -> Option<PathBuf> {
    Some(state_folder()?.join(ADDRESS_FILE))
}

/// An address file on disk. It is removed when the server ends, unless a later server has replaced it.
pub(crate) struct WrittenAddress {
    path: PathBuf,
    text: String,
}

impl WrittenAddress {
    /// Writes the file `path`. Only its owner can read it, because it contains the token.
    pub fn new(path: &Path, url: &str, token: &str) -> Result<Self, FileError> {
        let fields = json!({
            "program": "talweg",
            "program_version": env!("CARGO_PKG_VERSION"),
            "process": std::process::id(),
            "url": url,
            "token": token,
        });
        let text = format!("{fields:#}\n");
        let folder = path.parent().unwrap_or(Path::new("."));
        let write_error = |source| FileError::Write { path: path.into(), source };
        make_private_folder(folder).map_err(write_error)?;
        // Only its owner can read a temporary file, so no other user reads the token, whoever can enter the folder.
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(write_error)?;
        file.write_all(text.as_bytes()).map_err(write_error)?;
        file.persist(path).map_err(|error| write_error(error.error))?;
        Ok(Self { path: path.into(), text })
    }
}

impl Drop for WrittenAddress {
    fn drop(&mut self) {
        if std::fs::read_to_string(&self.path).is_ok_and(|text| text == self.text) {
            // A file that stays behind names a closed port, and programs say that nothing answers there.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
