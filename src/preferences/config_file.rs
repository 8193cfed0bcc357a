//! A small RON file in the configuration folder, which the program reads and writes.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::io::{SaveTarget, without_byte_order_mark, write_atomically};

/// Maximum size of a configuration file in bytes. These files hold a few numbers and names, so this program does not
/// write larger ones.
const MAX_BYTES: u64 = 256 * 1024;

/// The reason why settings could not be read or stored.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file exists but cannot be used.
    #[error("{what} could not be read from {path}: {message}. Defaults are used{then}")]
    Read {
        /// Contents of the file, as a plural noun.
        what: &'static str,
        /// Path of the configuration file.
        path: PathBuf,
        /// Cause of the error, in words.
        message: String,
        /// End of the message: the path of the copy of the file, or a statement that the file stays as it is.
        then: String,
    },
    /// The file cannot be written; the old file stays.
    #[error("{what} could not be written to {path}: {source}. They will be lost when you quit")]
    Write {
        /// Contents of the file, as a plural noun.
        what: &'static str,
        /// Path of the configuration file.
        path: PathBuf,
        /// Cause of the error.
        source: std::io::Error,
    },
}

/// A configuration file that the program reads once and then replaces.
#[derive(Debug, Default)]
pub(super) struct ConfigFile {
    what: &'static str,
    /// Path of the file. With `None`, the settings last only for this run.
    path: Option<PathBuf>,
    /// Whether writing has already failed. Only the first write error is reported.
    has_failed: bool,
}

impl ConfigFile {
    /// Reads the file `name` in `folder`, or returns defaults if the file does not exist. A file that cannot be parsed
    /// is copied first, because the program will replace the file. If the copy fails, the program never replaces the
    /// file.
    pub fn open<T: DeserializeOwned + Default>(
        folder: Option<&Path>,
        name: &str,
        what: &'static str,
    ) -> (Self, T, Option<ConfigError>) {
        let Some(path) = folder.map(|folder| folder.join(name)) else {
            return (Self { what, ..Self::default() }, T::default(), None);
        };
        let (message, copy) = match read(&path) {
            Ok(value) => return (Self { what, path: Some(path), has_failed: false }, value, None),
            Err(Unread::Unusable(message)) => (message, None),
            Err(Unread::NotUnderstood(bytes, message)) => (message, copied_aside(&path, &bytes)),
        };
        let (file, then) = match copy {
            Some(copy) => (Some(path.clone()), format!("; a copy of the file is kept as {}", copy.display())),
            None => (None, ", and changes will not be saved, so that the file stays as it is".into()),
        };
        let error = ConfigError::Read { what, path, message, then };
        (Self { what, path: file, has_failed: false }, T::default(), Some(error))
    }

    /// Replaces the file atomically and creates its folder if needed.
    ///
    /// # Errors
    /// When the file cannot be written. Only the first failure is an error; the old file stays.
    pub fn write(&mut self, value: &impl Serialize) -> Result<(), ConfigError> {
        let Some(path) = &self.path else { return Ok(()) };
        let written = replace(path, value);
        let is_told = std::mem::replace(&mut self.has_failed, written.is_err());
        match written {
            Err(source) if !is_told => Err(ConfigError::Write { what: self.what, path: path.clone(), source }),
            _ => Ok(()),
        }
    }
}

/// The reason why a file contains no usable value.
enum Unread {
    /// The path is not a file of this program, or the file is not readable.
    Unusable(String),
    /// The file cannot be parsed: the contents, and the parse error.
    NotUnderstood(Vec<u8>, String),
}

fn read<T: DeserializeOwned + Default>(path: &Path) -> Result<T, Unread> {
    let not_ours = |error: std::io::Error| Unread::Unusable(error.to_string());
    let too_large = || Unread::Unusable(format!("it is larger than {} KiB", MAX_BYTES >> 10));
    match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(T::default()),
        Err(error) => return Err(not_ours(error)),
        // Reading from a pipe or a device could block forever.
        Ok(data) if !data.is_file() => return Err(Unread::Unusable("it is not a file".into())),
        Ok(data) if data.len() > MAX_BYTES => return Err(too_large()),
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    // The size limit also applies here, because the file can grow while it is read.
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(not_ours)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large());
    }
    let read = match std::str::from_utf8(&bytes) {
        Ok(text) => ron::from_str(without_byte_order_mark(text)).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    read.map_err(|message| Unread::NotUnderstood(bytes, message))
}

/// Writes `bytes` to a copy in the folder of the file. Returns the path of the copy; `None` if writing fails.
fn copied_aside(path: &Path, bytes: &[u8]) -> Option<PathBuf> {
    let aside = path.with_extension("ron.unreadable");
    write_atomically(&aside, |file| file.write_all(bytes)).ok().map(|()| aside)
}

fn replace(path: &Path, value: &impl Serialize) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let text = ron::to_string(value).map_err(std::io::Error::other)?;
    // A settings file can have several names (hard links). Its owner expects the program to update it under all names.
    write_atomically(SaveTarget::new(path).over_links(true), |file| file.write_all(text.as_bytes()))
        .map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path) -> (ConfigFile, Vec<u8>, Option<String>) {
        let (file, value, error) = ConfigFile::open(Some(folder), "list.ron", "The numbers");
        (file, value, error.map(|error| error.to_string()))
    }

    #[test]
    fn a_broken_file_is_copied_aside_before_replacement() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config");
        let (mut file, value, error) = open(&config);
        assert_eq!((value, error), (Vec::new(), None));
        file.write(&vec![1_u8, 2]).unwrap();
        let (_, value, error) = open(&config);
        assert_eq!((value, error), (vec![1, 2], None));
        // The second text is not UTF-8.
        for broken in [&b"[1, oops"[..], b"[1, \xff]"] {
            std::fs::write(config.join("list.ron"), broken).unwrap();
            let (mut file, value, error) = open(&config);
            let aside = config.join("list.ron.unreadable");
            assert!(value.is_empty() && error.unwrap().contains(&aside.display().to_string()));
            assert_eq!(std::fs::read(aside).unwrap(), broken);
            file.write(&vec![3_u8]).unwrap();
            assert_eq!(open(&config).1, [3]);
        }
    }

    #[test]
    fn a_file_that_cannot_be_copied_aside_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list.ron");
        let stays = |contents: &[u8]| {
            let (mut file, value, error) = open(folder.path());
            assert!(value.is_empty());
            file.write(&vec![3_u8]).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), contents);
            error.unwrap()
        };
        // A folder already has the name that the copy would get.
        std::fs::create_dir(folder.path().join("list.ron.unreadable")).unwrap();
        std::fs::write(&path, "[1, oops").unwrap();
        assert!(stays(b"[1, oops").contains("stays as it is"));
        let large = vec![b' '; MAX_BYTES as usize + 1];
        std::fs::write(&path, &large).unwrap();
        assert!(stays(&large).contains("256 KiB"));
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(open(folder.path()).2.unwrap().contains("not a file"));
    }

    #[test]
    fn an_unwritable_place_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let (mut lost, ..) = open(&folder.path().join("file"));
        lost.path = Some(folder.path().join("file/list.ron"));
        assert!(lost.write(&vec![1_u8]).is_err());
        assert!(lost.write(&vec![2_u8]).is_ok());
        lost.path = Some(folder.path().join("list.ron"));
        assert!(lost.write(&vec![3_u8]).is_ok());
        assert_eq!(open(folder.path()).1, [3]);
    }
}
