//! How everything is written, and what that promises.
//!
//! Whenever the program, the machine or the disk stops, a file is the old one or the new one, never a mixture:
//! temporary file in the same folder, everything written and synced, one rename, the folder synced.
//!
//! - A symbolic link stays, and the file that it leads to is replaced. A file that was there keeps its permissions,
//!   access lists too, and, where the system allows it, its owner; a new one gets those that the umask leaves.
//! - Folders, pipes, sockets and devices are refused. So are a file that is write-protected and one with several names
//!   (hard links, of which one would be parted from the others), unless the [`SaveTarget`] says otherwise, and one that
//!   is no longer what a [`FileStamp`] remembers: of two programs that save at the same time the second is refused.
//! - Temporary files are locked while they are written. One without a lock belongs to a program that was killed; the
//!   next program that writes into the folder removes it.
//! - An error before the rename says that the old file is untouched; the only one after it, that it is replaced.
//! - Files that belong together are a [`StagedSet`]: all of them are written before the first takes its place, and if
//!   one cannot, the old ones come back. Then they are renamed one after another and nothing else is done: no file
//!   system replaces several at once, so what is killed within these moments leaves some new and some old files, all
//!   whole.
//! - A new folder of files ([`write_folder_atomically`]) appears by one rename, with all of them.
//!
//! | file | what it holds |
//! |---|---|
//! | `error` | why a file could not be written |
//! | `place` | where a name leads, and what would keep it from being written |
//! | `temporary` | temporary files and folders, and the sweep of those that were left behind |
//! | `stamp` | whether a file is still the one that was read |
//! | `stoppable` | writing that somebody can stop |
//! | `set` | files that are replaced together |
//! | `folder_lock` | one program at a time, where several files belong together or one is compared first |

mod error;
mod folder_lock;
mod place;
mod set;
mod stamp;
mod stoppable;
mod temporary;

use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

pub use error::FileError;
pub use folder_lock::FolderLock;
pub use set::StagedSet;
pub use stamp::FileStamp;
pub use stoppable::StoppableWriter;
pub use temporary::{TemporaryFolder, sweep_folder};

use place::WritePlace;
use temporary::TemporaryFile;

use crate::field::Control;

/// Where something shall be written, and over what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveTarget {
    path: PathBuf,
    over_read_only: bool,
    over_links: bool,
    expected: Option<FileStamp>,
}

impl SaveTarget {
    /// A file that may be there already, if it may be written to and has no other name.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), over_read_only: false, over_links: false, expected: None }
    }

    /// Whether a file that is write-protected is replaced all the same; it stays write-protected.
    #[must_use]
    pub fn over_read_only(self, over_read_only: bool) -> Self {
        Self { over_read_only, ..self }
    }

    /// Whether a file with several names (hard links) is replaced all the same; the others keep the old one.
    #[must_use]
    pub fn over_links(self, over_links: bool) -> Self {
        Self { over_links, ..self }
    }

    /// Refuses with [`FileError::Changed`] when the file is not the one that `stamp` remembers any more.
    #[must_use]
    pub fn if_unchanged_since(self, stamp: FileStamp) -> Self {
        Self { expected: Some(stamp), ..self }
    }

    /// The name that was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same promise for another file.
    #[must_use]
    pub fn with_path(&self, path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), expected: None, ..self.clone() }
    }
}

impl SaveTarget {
    /// Whether the file at its place is still the one that was expected, if one was.
    fn check_expected(&self, place: &WritePlace) -> Result<(), FileError> {
        let Some(expected) = &self.expected else { return Ok(()) };
        let path = self.path.clone();
        match FileStamp::read(&place.file) {
            Ok(now) if now == *expected => Ok(()),
            Ok(_) => Err(FileError::Changed { path }),
            Err(source) => Err(FileError::Write { path, source }),
        }
    }
}

impl From<&Path> for SaveTarget {
    fn from(path: &Path) -> Self {
        Self::new(path)
    }
}

impl From<&PathBuf> for SaveTarget {
    fn from(path: &PathBuf) -> Self {
        Self::new(path)
    }
}

impl From<PathBuf> for SaveTarget {
    fn from(path: PathBuf) -> Self {
        Self::new(path)
    }
}

impl From<&SaveTarget> for SaveTarget {
    fn from(target: &SaveTarget) -> Self {
        target.clone()
    }
}

/// Replaces a file in one step by what `write` writes. If anything fails before that step the old file stays.
///
/// # Errors
/// With what keeps the file from being written; [`FileError::is_replaced`] tells whether the old file is gone.
pub fn write_atomically(
    to: impl Into<SaveTarget>,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> std::io::Result<()>,
) -> Result<(), FileError> {
    StagedFile::new(to, write)?.commit()
}

/// A new file that is written and synced, and has not taken the place of the old one. Dropped, it is gone.
#[derive(Debug)]
pub struct StagedFile {
    target: SaveTarget,
    place: WritePlace,
    temporary: TemporaryFile,
}

impl StagedFile {
    /// Writes the new file beside the old one.
    ///
    /// # Errors
    /// With what keeps it from being written.
    pub fn new(
        to: impl Into<SaveTarget>,
        write: impl FnOnce(&mut BufWriter<&mut File>) -> std::io::Result<()>,
    ) -> Result<Self, FileError> {
        let target = to.into();
        let place = WritePlace::checked(&target)?;
        let failed = |source| FileError::Write { path: target.path.clone(), source };
        temporary::sweep_once(&place.folder);
        let mut temporary = TemporaryFile::new(&place.folder, place.existing.is_some()).map_err(failed)?;
        {
            let mut buffer = BufWriter::with_capacity(1 << 16, &mut temporary.file);
            write(&mut buffer).and_then(|()| buffer.flush()).map_err(failed)?;
        }
        if let Some(old) = &place.existing {
            place::adopt(&temporary.file, old, &place.file).map_err(failed)?;
        }
        temporary.file.sync_all().map_err(failed)?;
        Ok(Self { target, place, temporary })
    }

    /// [`new`](Self::new) that stops when `control` says so, and leaves nothing.
    ///
    /// # Errors
    /// With what keeps it from being written, or that it was stopped ([`FileError::is_cancelled`]).
    pub fn new_while(
        to: impl Into<SaveTarget>,
        control: &Control,
        write: impl FnOnce(&mut StoppableWriter<&mut BufWriter<&mut File>>) -> std::io::Result<()>,
    ) -> Result<Self, FileError> {
        let target = to.into();
        let path = target.path.clone();
        let staged = Self::new(target, |file| write(&mut StoppableWriter::new(file, control)));
        // packages may keep to themselves why they stopped
        let stopped = |cancelled| FileError::Write { path, source: std::io::Error::other(cancelled) };
        control.check().map_err(stopped)?;
        staged
    }

    /// What is in the new file, read from the disk.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn contents(&mut self) -> Result<Vec<u8>, FileError> {
        let mut bytes = Vec::new();
        let file = &mut self.temporary.file;
        let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
        read.map_err(|source| FileError::Write { path: self.target.path.clone(), source })?;
        Ok(bytes)
    }

    /// Lets the new file take the place of the old one.
    ///
    /// # Errors
    /// When the old file has changed, or cannot be replaced; or when it is replaced and the folder cannot be synced.
    pub fn commit(self) -> Result<(), FileError> {
        // nobody else saves between the look and the replacement
        let _lock = FolderLock::new(&self.place.folder);
        self.target.check_expected(&self.place)?;
        let Self { target, place, temporary } = self;
        let path = target.path;
        temporary.rename(&place.file).map_err(|source| FileError::Write { path: path.clone(), source })?;
        place.sync_folder().map_err(|source| FileError::Unsynced { path, source })
    }
}

/// Writes a folder of files that appears whole or not at all: `fill` is given a temporary folder beside it. The folder
/// may be there already if it is empty.
///
/// # Errors
/// What `fill` says, or what keeps the folder from being made.
pub fn write_folder_atomically<E: From<FileError>>(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let place = WritePlace::new_folder(path)?;
    let failed = |source| FileError::Write { path: path.into(), source };
    let temporary = TemporaryFolder::new(&place.folder).map_err(failed)?;
    fill(temporary.path())?;
    temporary.sync_files().map_err(failed)?;
    if let Some(old) = &place.existing {
        std::fs::set_permissions(temporary.path(), old.permissions()).map_err(failed)?;
    }
    temporary.rename(&place.file).map_err(|source| match source.kind() {
        std::io::ErrorKind::DirectoryNotEmpty | std::io::ErrorKind::AlreadyExists => {
            FileError::NotEmpty { path: path.into() }
        }
        _ => failed(source),
    })?;
    Ok(place.sync_folder().map_err(|source| FileError::Unsynced { path: path.into(), source })?)
}

/// Says early what would keep a file from being written: before a long computation, not after it.
///
/// # Errors
/// With the reason.
pub fn check_place(to: impl Into<SaveTarget>) -> Result<(), FileError> {
    let to = to.into();
    WritePlace::checked(&to)?.check_folder(&to.path)
}

/// Says early what would keep a folder of files from being written.
///
/// # Errors
/// With the reason.
pub fn check_new_folder(path: &Path) -> Result<(), FileError> {
    WritePlace::new_folder(path)?.check_folder(path)
}

/// Refuses names that are not UTF-8, or of files in folders whose names are not: scenes are UTF-8 text and could not
/// refer to them.
///
/// # Errors
/// With the name.
pub fn check_name(path: &Path) -> Result<(), FileError> {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.into());
    if path.to_str().is_some() && whole.to_str().is_some() {
        return Ok(());
    }
    Err(FileError::Name { path: if path.to_str().is_none() { path.into() } else { whole } })
}
