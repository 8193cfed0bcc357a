//! Temporary files and folders, and the sweep of those that were left behind.
//!
//! Their names say what they are and do not grow with the name of the file. Whoever writes one holds a lock on it,
//! which the system takes back when the program ends, however it ends: what has no lock is nobody's.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

const PREFIX: &str = ".talweg-";
const SUFFIX: &str = ".tmp";
/// Names that are tried: those taken belong to leftovers of a program with the same number.
const MOST_NAMES: usize = 10_000;

fn unused_name(folder: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("{PREFIX}{}-{count}{SUFFIX}", std::process::id()))
}

fn is_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let middle = name.and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    middle.is_some_and(|(process, count)| is_number(process) && is_number(count))
}

/// Tries names until `make` makes something that is locked and still there.
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
            // somebody sweeps it
            Err(TryLockError::WouldBlock) => {}
            // a file system without locks: nobody sweeps there
            Ok(()) | Err(TryLockError::Error(_)) => return Ok((file, path)),
        }
    }
    Err(std::io::Error::new(ErrorKind::AlreadyExists, "no name is free for a temporary file"))
}

/// Whether the name is that of what is open.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |data: std::fs::Metadata| (data.dev(), data.ino());
    let named = std::fs::symlink_metadata(path).map(number);
    matches!((file.metadata().map(number), named), (Ok(open), Ok(named)) if open == named)
}

#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}

/// The name of something temporary; dropped, what it names is gone.
#[derive(Debug)]
pub(super) struct TemporaryName {
    /// Empty once it has another name.
    path: PathBuf,
    is_folder: bool,
}

impl TemporaryName {
    /// Gives what it names another name.
    pub fn rename(mut self, to: &Path) -> std::io::Result<()> {
        std::fs::rename(&self.path, to)?;
        self.path = PathBuf::new();
        Ok(())
    }
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let remove = |path| if self.is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            let _ = remove(&self.path);
        }
    }
}

/// A file that is being written; dropped, it is gone.
#[derive(Debug)]
pub(super) struct TemporaryFile {
    /// Before the file, which holds the lock as long as the name is there.
    name: TemporaryName,
    pub file: File,
}

impl TemporaryFile {
    /// A new file in `folder`; `is_private` where nobody else may read it until it has its permissions.
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

    /// Gives it its name, in place of what has that name.
    pub fn rename(self, to: &Path) -> std::io::Result<()> {
        self.name.rename(to)
    }
}

/// A folder that is being filled; dropped, it is gone with all that is in it. What a killed program leaves the next one
/// that writes beside it removes.
#[derive(Debug)]
pub struct TemporaryFolder {
    name: TemporaryName,
    /// Holds the lock.
    folder: Option<File>,
}

impl TemporaryFolder {
    /// A new folder in `folder`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(folder: &Path) -> std::io::Result<Self> {
        sweep_once(folder);
        if !cfg!(unix) {
            // folders cannot be opened there, and are not swept
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

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.name.path
    }

    /// Takes a file in, which is closed: nothing sweeps what lies in a locked folder. Where that fails it comes back.
    pub(super) fn take(&self, mut file: TemporaryFile) -> Result<TemporaryName, TemporaryFile> {
        let path = unused_name(self.path());
        match std::fs::rename(&file.name.path, &path) {
            Err(_) => Err(file),
            Ok(()) => {
                file.name.path = path;
                Ok(file.name)
            }
        }
    }

    /// A second name in this folder of the file `old`, or a copy of it where the file system has no second names.
    pub(super) fn second_name(&self, old: &Path) -> std::io::Result<TemporaryName> {
        let path = unused_name(self.path());
        std::fs::hard_link(old, &path).or_else(|_| std::fs::copy(old, &path).map(|_| ()))?;
        Ok(TemporaryName { path, is_folder: false })
    }

    /// Sees to it that what is in it is on the disk.
    pub(super) fn sync_files(&self) -> std::io::Result<()> {
        sync_folder_files(self.path())?;
        self.folder.as_ref().map_or(Ok(()), File::sync_all)
    }

    /// Gives it its name, where there is nothing or an empty folder.
    pub(super) fn rename(self, to: &Path) -> std::io::Result<()> {
        if !cfg!(unix) && to.is_dir() {
            std::fs::remove_dir(to)?;
        }
        self.name.rename(to)
    }
}

/// Sees to it that the files of a folder and of those in it are on the disk.
fn sync_folder_files(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folder_files(&entry.path())?;
            // folders cannot be opened everywhere
            if !cfg!(unix) {
                continue;
            }
        }
        File::open(entry.path())?.sync_all()?;
    }
    Ok(())
}

/// Sweeps a folder the first time that this program writes into it.
pub(super) fn sweep_once(folder: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let whole = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.into());
    let is_new = SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(whole);
    if is_new {
        sweep_folder(folder);
    }
}

/// Removes the temporary files and folders in `folder` whose program has ended; returns how many there were. What a
/// running program writes is locked and stays.
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
    // with the lock nobody else removes it, and whoever has just made it takes another name
    if held.try_lock().is_err() || !is_same(&held, path) {
        return false;
    }
    let removed = if data.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    removed.is_ok()
}
