//! One program at a time, where several files belong together.

use std::fs::File;
use std::path::Path;

/// Holds a folder until it is dropped: others that ask for the same wait. It keeps nobody from reading or writing, and
/// where folders cannot be locked it does nothing.
#[derive(Debug)]
pub struct FolderLock {
    _folder: Option<File>,
}

impl FolderLock {
    /// Waits for the folder; an empty name is the current one.
    pub fn new(folder: &Path) -> Self {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let open = if cfg!(unix) { File::open(folder).ok() } else { None };
        Self { _folder: open.filter(|folder| folder.lock().is_ok()) }
    }
}
