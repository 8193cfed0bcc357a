//! Writing files safely. The following guarantees apply to every file that the program writes.
//!
//! Even if the program, the machine or the disk stops midway, a file is either the old or the new version, never a
//! mixture. To replace a file, the program writes a temporary file in the same folder and syncs it to the disk. Then
//! the program renames the temporary file once and syncs the folder.
//!
//! - A symbolic link stays a link, and its target is replaced. A replaced file keeps its permissions, including access
//!   lists, and its owner where the system allows it. A new file gets the permissions that the umask leaves.
//! - Folders, pipes, sockets and devices are refused. Write-protected files and files with several names (hard links)
//!   are also refused unless the [`SaveTarget`] allows them; replacing a hard link would split it from its other names.
//! - A file that no longer matches its [`FileStamp`] is refused. So if two programs save the same file, the second save
//!   fails.
//! - Temporary files are locked while they are written. An unlocked temporary file belongs to a program that was
//!   killed; the next program that writes into the folder removes the file.
//! - An error before the rename states that the old file is untouched. The only error after the rename states that the
//!   file is replaced.
//! - Files that belong together form a [`StagedSet`]: the program writes all new files before it replaces the first old
//!   file. If a file cannot be replaced, the program restores the old files. No file system can replace several files
//!   at once, so the final renames run one after another, with no other work in between. A kill during the renames
//!   leaves a mix of new and old files, each one complete.
//! - A new folder of files ([`write_folder_atomically`]) appears by one rename, with all of its files.
//!
//! | file | contents |
//! |---|---|
//! | `error` | why a file could not be written |
//! | `place` | the resolved path of a file name, with all links followed, and the reasons not to write there |
//! | `temporary` | temporary files and folders, and the removal of leftover ones |
//! | `stamp` | whether a file is unchanged since it was read |
//! | `stoppable` | writing that can be cancelled |
//! | `set` | files that are replaced together |
//! | `system_names` | path names of Windows, which scenes can contain on every system |
//! | `folder_lock` | a lock while the program writes several files together, or compares and replaces a file |

mod error;
mod folder_lock;
mod place;
mod set;
mod stamp;
mod stoppable;
pub mod system_names;
mod temporary;

use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

pub use error::FileError;
pub use folder_lock::{FolderLock, limit_lock_waits};
pub use set::StagedSet;
pub use stamp::FileStamp;
pub use stoppable::StoppableWriter;
pub use temporary::{TemporaryFolder, process_number, sweep_folder};

use place::WriteLocation;
use temporary::TemporaryFile;

use crate::field::Control;

/// The path to write to, and options that say which existing files may be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveTarget {
    path: PathBuf,
    only_new: bool,
    over_read_only: bool,
    over_links: bool,
    expected: Option<FileStamp>,
}

impl SaveTarget {
    /// A target at `path`. An existing file is replaced only if it is writable and has no other names (hard links).
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), only_new: false, over_read_only: false, over_links: false, expected: None }
    }

    /// Sets whether a write-protected file may be replaced; the new file is then write-protected too.
    #[must_use]
    pub fn over_read_only(self, over_read_only: bool) -> Self {
        Self { over_read_only, ..self }
    }

    /// Sets whether a file with several names (hard links) may be replaced; the other names then keep the old contents.
    #[must_use]
    pub fn over_links(self, over_links: bool) -> Self {
        Self { over_links, ..self }
    }

    /// Sets whether the write fails with [`FileError::Exists`] if the file exists.
    #[must_use]
    pub fn only_new(self, only_new: bool) -> Self {
        Self { only_new, ..self }
    }

    /// Makes the write fail with [`FileError::Changed`] if the file no longer matches `stamp`.
    #[must_use]
    pub fn if_unchanged_since(self, stamp: FileStamp) -> Self {
        Self { expected: Some(stamp), ..self }
    }

    /// The path that the caller gave.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A target with the same options for another path.
    #[must_use]
    pub fn with_path(&self, path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), expected: None, ..self.clone() }
    }
}

impl SaveTarget {
    /// Fails if the existing file does not match the stamp of the target, or if the target must not exist but does.
    fn check_expected(&self, place: &WriteLocation) -> Result<(), FileError> {
        if self.only_new && place.file.symlink_metadata().is_ok() {
            return Err(FileError::Exists { path: self.path.clone() });
        }
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

/// Replaces a file atomically with the bytes that `write` produces. If anything fails before the replacement, the old
/// file stays.
///
/// # Errors
/// When the file cannot be written; [`FileError::is_replaced`] returns whether the old file was replaced.
pub fn write_atomically(
    to: impl Into<SaveTarget>,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> std::io::Result<()>,
) -> Result<(), FileError> {
    StagedFile::new(to, write)?.commit()
}

/// A new file that is written and synced but has not yet replaced the old file. Dropping this value deletes the new
/// file.
#[derive(Debug)]
pub struct StagedFile {
    target: SaveTarget,
    place: WriteLocation,
    temporary: TemporaryFile,
}

impl StagedFile {
    /// Writes the new file into the folder of the old file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn new(
        to: impl Into<SaveTarget>,
        write: impl FnOnce(&mut BufWriter<&mut File>) -> std::io::Result<()>,
    ) -> Result<Self, FileError> {
        let target = to.into();
        let place = WriteLocation::checked(&target)?;
        let failed = |source| FileError::Write { path: target.path.clone(), source };
        temporary::sweep_once(&place.folder);
        let mut temporary = TemporaryFile::new(&place.folder, place.existing.is_some()).map_err(failed)?;
        {
            let mut buffer = BufWriter::with_capacity(1 << 16, &mut temporary.file);
            write(&mut buffer).and_then(|()| buffer.flush()).map_err(failed)?;
        }
        if let Some(old) = &place.existing {
            place::copy_ownership(&temporary.file, old, &place.file).map_err(failed)?;
        }
        temporary.file.sync_all().map_err(failed)?;
        Ok(Self { target, place, temporary })
    }

    /// Writes the new file as [`new`](Self::new) does, but can be cancelled through `control`. A cancelled write leaves
    /// no file.
    ///
    /// # Errors
    /// When the file cannot be written, or the write was cancelled ([`FileError::is_cancelled`]).
    pub fn new_while(
        to: impl Into<SaveTarget>,
        control: &Control,
        write: impl FnOnce(&mut StoppableWriter<&mut BufWriter<&mut File>>) -> std::io::Result<()>,
    ) -> Result<Self, FileError> {
        let target = to.into();
        let path = target.path.clone();
        let staged = Self::new(target, |file| write(&mut StoppableWriter::new(file, control)));
        // Libraries may hide the cause of an error, so this code checks for cancellation itself.
        let stopped = |cancelled| FileError::Write { path, source: std::io::Error::other(cancelled) };
        control.check().map_err(stopped)?;
        staged
    }

    /// The contents of the new file, read back from the disk.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn contents(&mut self) -> Result<Vec<u8>, FileError> {
        let mut bytes = Vec::new();
        let file = &mut self.temporary.file;
        let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
        read.map_err(|source| FileError::Write { path: self.target.path.clone(), source })?;
        Ok(bytes)
    }

    /// Replaces the old file with the new one.
    ///
    /// # Errors
    /// When the old file has changed or cannot be replaced, or when it was replaced but the folder cannot be synced.
    pub fn commit(self) -> Result<(), FileError> {
        // The lock prevents another save between the comparison and the replacement.
        let lock = FolderLock::new(&self.place.folder)?;
        self.target.check_expected(&self.place)?;
        let Self { target, place, temporary } = self;
        let path = target.path;
        temporary.rename(&place.file).map_err(|source| FileError::Write { path: path.clone(), source })?;
        drop(lock);
        place.sync_folder().map_err(|source| FileError::Unsynced { path, source })
    }
}

/// Writes a folder of files that appears completely or not at all: `fill` writes into a temporary folder in the same
/// parent folder. The target folder may already exist if it is empty.
///
/// # Errors
/// The error of `fill`, or the reason why the folder cannot be created.
pub fn write_folder_atomically<E: From<FileError>>(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let place = WriteLocation::new_folder(path)?;
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

/// Checks, before a long computation, whether a file could be written.
///
/// # Errors
/// When the file could not be written; the error gives the reason.
pub fn check_writable(to: impl Into<SaveTarget>) -> Result<(), FileError> {
    let to = to.into();
    WriteLocation::checked(&to)?.check_folder(&to.path)
}

/// Checks, before a long computation, whether a new folder of files could be written.
///
/// # Errors
/// When the folder could not be written; the error gives the reason.
pub fn check_new_folder(path: &Path) -> Result<(), FileError> {
    WriteLocation::new_folder(path)?.check_folder(path)
}

/// Refuses a path if the name of its file or of one of its folders is not UTF-8. Scenes are UTF-8 text and could not
/// refer to such a file. On Windows, names of devices and reserved characters are refused too.
///
/// # Errors
/// When the path has such a name; the error contains the path.
pub fn check_name(path: &Path) -> Result<(), FileError> {
    system_names::check_reserved(path)?;
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.into());
    if path.to_str().is_some() && whole.to_str().is_some() {
        return Ok(());
    }
    Err(FileError::Name { path: if path.to_str().is_none() { path.into() } else { whole } })
}
