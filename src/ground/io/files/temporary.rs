//! Temporary files and folders, and the removal of leftover ones.
//!
//! The names of temporary files and folders identify them as temporary and have a fixed length. The program that writes
//! them holds a lock on each. The system releases the lock when the program exits for any reason, so an unlocked
//! temporary file is a leftover.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const PREFIX: &str = ".talweg-";
const SUFFIX: &str = ".tmp";
/// Name of the file that a program locks while it replaces files in a folder; see [`FolderLock`](super::FolderLock).
pub(super) const LOCK_NAME: &str = ".talweg-lock";
/// Maximum number of names to try for one temporary file. Leftovers of a program with the same process number can
/// occupy some names.
const MOST_NAMES: usize = 10_000;

/// The number of this process. Systems without such numbers, such as WASI, get 0; there, asking for it would panic.
pub fn process_number() -> u32 {
    if cfg!(target_family = "wasm") { 0 } else { std::process::id() }
}

fn unused_name(folder: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("{PREFIX}{}-{count}{SUFFIX}", process_number()))
}

fn is_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let middle = name.and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    name == Some(LOCK_NAME) || middle.is_some_and(|(process, count)| is_number(process) && is_number(count))
}

/// Tries names until `make` creates a file or folder that is locked and still exists.
fn made(folder: &Path, make: impl Fn(&Path) -> std::io::Result<File>) -> std::io::Result<(File, PathBuf)> {
    for _ in 0..MOST_NAMES {
        let path = unused_name(folder);
        let file = match make(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            Ok(()) if !is_same(&file, &path) => {}
            // Another program is removing the file or folder; the loop tries the next name.
            Err(TryLockError::WouldBlock) => {}
            // The error means that the file system has no locks, so no program removes leftovers there.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok((file, path)),
        }
    }
    Err(std::io::Error::new(ErrorKind::AlreadyExists, "all names for a temporary file are taken"))
}

/// Whether `path` still refers to the open file.
#[cfg(unix)]
pub(super) fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |data: std::fs::Metadata| (data.dev(), data.ino());
    let named = std::fs::symlink_metadata(path).map(number);
    matches!((file.metadata().map(number), named), (Ok(open), Ok(named)) if open == named)
}

#[cfg(windows)]
pub(super) fn is_same(file: &File, path: &Path) -> bool {
    use winapi_util::file::{Information, information};
    let number = |data: Information| (data.volume_serial_number(), data.file_index());
    let named = File::open(path).and_then(|named| information(&named)).map(number);
    matches!((information(file).map(number), named), (Ok(open), Ok(named)) if open == named)
}

#[cfg(not(any(unix, windows)))]
pub(super) fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}

/// The name of a temporary file or folder. Dropping this value deletes the file or folder.
#[derive(Debug)]
pub(super) struct TemporaryName {
    /// The path of the file or folder; empty after a rename.
    path: PathBuf,
    is_folder: bool,
}

impl TemporaryName {
    /// Renames the temporary file or folder to its final name.
    pub fn rename(mut self, to: &Path) -> std::io::Result<()> {
        rename_over(&self.path, to)?;
        self.path = PathBuf::new();
        Ok(())
    }
}

/// Pauses between attempts to replace a file on Windows, in milliseconds.
const PAUSES: [u64; 8] = [10, 20, 40, 80, 160, 320, 640, 1280];

/// Renames a file, replacing the file at `to`. Windows refuses this if the old file is write-protected, and also while
/// another program has it open, as virus scanners do for moments.
fn rename_over(from: &Path, to: &Path) -> std::io::Result<()> {
    if !cfg!(windows) {
        return std::fs::rename(from, to);
    }
    let permissions = std::fs::metadata(to).ok().filter(std::fs::Metadata::is_file).map(|old| old.permissions());
    let protected = permissions.filter(std::fs::Permissions::readonly);
    if let Some(mut writable) = protected.clone() {
        #[allow(clippy::permissions_set_readonly_false, reason = "Windows has one such attribute for all users")]
        writable.set_readonly(false);
        std::fs::set_permissions(to, writable)?;
    }
    let done = retried(|| std::fs::rename(from, to), |pause| std::thread::sleep(Duration::from_millis(pause)));
    if let Some(protected) = protected {
        std::fs::set_permissions(to, protected)?;
    }
    done
}

/// Repeats `attempt` after pauses while its error says that another program has the file open.
fn retried(mut attempt: impl FnMut() -> std::io::Result<()>, mut wait: impl FnMut(u64)) -> std::io::Result<()> {
    let is_open_elsewhere =
        |error: &std::io::Error| matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ResourceBusy);
    for pause in PAUSES {
        match attempt() {
            Err(error) if is_open_elsewhere(&error) => wait(pause),
            other => return other,
        }
    }
    attempt().map_err(|error| match is_open_elsewhere(&error) {
        true => std::io::Error::new(error.kind(), format!("{error}; if another program has it open, close it there")),
        false => error,
    })
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let remove = |path| if self.is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            let _ = remove(&self.path);
        }
    }
}

/// A temporary file that is being written. Dropping this value deletes the file.
#[derive(Debug)]
pub(super) struct TemporaryFile {
    /// This field is declared before the file, so that the name is removed before the lock is released.
    name: TemporaryName,
    pub file: File,
}

impl TemporaryFile {
    /// A new file in `folder`; with `is_private`, nobody else can read it until its final permissions are set.
    pub fn new(folder: &Path, is_private: bool) -> std::io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        if is_private {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        #[cfg(not(unix))]
        let _ = is_private;
        let (file, path) = made(folder, |path| options.open(path))?;
        Ok(Self { name: TemporaryName { path, is_folder: false }, file })
    }

    /// Renames the temporary file to `to`, replacing an existing file.
    pub fn rename(self, to: &Path) -> std::io::Result<()> {
        self.name.rename(to)
    }
}

/// A temporary folder that is being filled. Dropping this value deletes the folder with all its contents. If the
/// program is killed, the next program that writes into the same parent folder removes the folder.
#[derive(Debug)]
pub struct TemporaryFolder {
    name: TemporaryName,
    /// Open handle of the folder, which holds the lock.
    folder: Option<File>,
}

impl TemporaryFolder {
    /// Creates a new temporary folder inside `folder`.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub fn new(folder: &Path) -> std::io::Result<Self> {
        sweep_once(folder);
        if !cfg!(unix) {
            // On this system folders cannot be opened for locking, so leftovers are not removed.
            let path = unused_name(folder);
            std::fs::create_dir(&path)?;
            return Ok(Self { name: TemporaryName { path, is_folder: true }, folder: None });
        }
        let (held, path) = made(folder, |path| {
            std::fs::create_dir(path)?;
            File::open(path)
        })?;
        Ok(Self { name: TemporaryName { path, is_folder: true }, folder: Some(held) })
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.name.path
    }

    /// Closes a file and moves it into this folder. The lock on the folder then protects the file from removal by other
    /// programs. Returns the file if the move fails.
    pub(super) fn move_in(&self, mut file: TemporaryFile) -> Result<TemporaryName, TemporaryFile> {
        let path = unused_name(self.path());
        match std::fs::rename(&file.name.path, &path) {
            Err(_) => Err(file),
            Ok(()) => {
                file.name.path = path;
                Ok(file.name)
            }
        }
    }

    /// Creates a second name for the file `old` in this folder, or a copy if the file system has no hard links.
    pub(super) fn second_name(&self, old: &Path) -> std::io::Result<TemporaryName> {
        let path = unused_name(self.path());
        std::fs::hard_link(old, &path).or_else(|_| std::fs::copy(old, &path).map(|_| ()))?;
        Ok(TemporaryName { path, is_folder: false })
    }

    /// Syncs all files in the folder to the disk.
    pub(super) fn sync_files(&self) -> std::io::Result<()> {
        sync_folder_files(self.path())?;
        self.folder.as_ref().map_or(Ok(()), File::sync_all)
    }

    /// Renames the folder to `to`, which must not exist or be an empty folder.
    pub(super) fn rename(self, to: &Path) -> std::io::Result<()> {
        if !cfg!(unix) && to.is_dir() {
            std::fs::remove_dir(to)?;
        }
        self.name.rename(to)
    }
}

/// Syncs the files of a folder and of its subfolders to the disk.
fn sync_folder_files(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folder_files(&entry.path())?;
            // Only Unix can open folders for a sync.
            if !cfg!(unix) {
                continue;
            }
        }
        // Windows syncs only files that are open for writing.
        OpenOptions::new().read(true).write(cfg!(windows)).open(entry.path())?.sync_all()?;
    }
    Ok(())
}

/// Removes leftover temporary files from a folder, but only the first time that this program writes into the folder.
pub(super) fn sweep_once(folder: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let whole = super::system_names::canonical(folder).unwrap_or_else(|_| folder.into());
    let is_new = SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(whole);
    if is_new {
        sweep_folder(folder);
    }
}

/// Removes the temporary files and folders in `folder` that belong to programs that are no longer running. Returns how
/// many were removed. Temporary files of running programs are locked and stay.
pub fn sweep_folder(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| is_ours(&entry.path()) && is_removed(&entry.path())).count()
}

fn is_removed(path: &Path) -> bool {
    let Ok(data) = std::fs::symlink_metadata(path) else { return false };
    if !data.is_file() && !data.is_dir() {
        return false;
    }
    let Ok(held) = File::open(path) else { return false };
    // While this program holds the lock, no other program removes the file. If another program has just created the
    // file and has not locked it yet, that program finds the lock and tries another name.
    if held.try_lock().is_err() || !is_same(&held, path) {
        return false;
    }
    let removed = if data.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    removed.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renames_are_retried_while_another_program_has_the_file() {
        let attempts = |failing: usize, kind: ErrorKind| {
            let (mut count, mut waited) = (0, Vec::new());
            let attempt = || {
                count += 1;
                if count > failing { Ok(()) } else { Err(kind.into()) }
            };
            let done = retried(attempt, |pause| waited.push(pause));
            (done, count, waited)
        };
        let (done, count, waited) = attempts(2, ErrorKind::PermissionDenied);
        assert!(done.is_ok() && count == 3 && waited == [10, 20]);
        let (done, count, _) = attempts(99, ErrorKind::ResourceBusy);
        assert!(done.unwrap_err().to_string().contains("close it there") && count == PAUSES.len() + 1);
        let (done, count, waited) = attempts(1, ErrorKind::NotFound);
        assert!(done.is_err() && count == 1 && waited.is_empty(), "other errors are final");
    }
}
