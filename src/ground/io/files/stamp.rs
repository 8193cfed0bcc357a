//! Detects whether a file has changed since it was read.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::SystemTime;

use xxhash_rust::xxh3::Xxh3;

/// The state of a file at the time when the program read or wrote it. Two stamps are equal if the contents are equal
/// (compared by a 128-bit hash), or if both stamps record a missing file.
#[derive(Clone, Debug)]
pub struct FileStamp {
    /// Length in bytes and hash of the contents; `None` if the file did not exist.
    contents: Option<(u64, u128)>,
    modified: Option<SystemTime>,
}

impl PartialEq for FileStamp {
    fn eq(&self, other: &Self) -> bool {
        self.contents == other.contents
    }
}

impl Eq for FileStamp {}

impl FileStamp {
    /// The stamp of a file in its current state. A missing file also has a stamp.
    ///
    /// # Errors
    /// When the file exists but cannot be read.
    pub fn read(path: &Path) -> std::io::Result<Self> {
        // Reading from a pipe could block forever.
        if std::fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            return Err(std::io::Error::other("it is not a file"));
        }
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Self { contents: None, modified: None });
            }
            Err(error) => return Err(error),
        };
        let modified = file.metadata()?.modified().ok();
        let (mut hash, mut size, mut buffer) = (Xxh3::new(), 0, vec![0; 1 << 16]);
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    hash.update(&buffer[..count]);
                    size += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self { contents: Some((size, hash.digest128())), modified })
    }

    /// The stamp of a file at `path` whose contents are `bytes`. The caller has just read or written these contents.
    pub fn of_contents(bytes: &[u8], path: &Path) -> Self {
        let mut hash = Xxh3::new();
        hash.update(bytes);
        let modified = std::fs::metadata(path).and_then(|data| data.modified()).ok();
        Self { contents: Some((bytes.len() as u64, hash.digest128())), modified }
    }

    /// Whether the file existed when the stamp was taken.
    pub fn is_file(&self) -> bool {
        self.contents.is_some()
    }

    /// Quick check whether the size or the modification time differs from the stamp. The caller then has a reason to
    /// check the contents. Equal size and time do not prove that the contents are equal;
    /// [`SaveTarget::if_unchanged_since`](super::SaveTarget::if_unchanged_since) compares the contents.
    pub fn looks_changed(&self, path: &Path) -> bool {
        match (std::fs::metadata(path), self.contents) {
            (Ok(data), Some((size, _))) => data.len() != size || data.modified().ok() != self.modified,
            (Err(error), None) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
            _ => true,
        }
    }

    /// Whether the contents differ from the contents at the time of the stamp. An unreadable file counts as changed.
    pub fn has_changed(&self, path: &Path) -> bool {
        Self::read(path).map_or(true, |now| now != *self)
    }
}
