//! A lock on the files of a folder. The program holds the lock while it writes several files together, or while it
//! compares a file and then replaces it.
//!
//! The lock is on a file of its own in that folder, `.talweg-lock`, and not on the folder: backup and synchronisation
//! tools lock folders. The file exists only while a program holds the lock.

use std::cell::RefCell;
use std::fs::{File, OpenOptions, TryLockError};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::FileError;
use super::temporary::{LOCK_NAME, is_same};

/// Longest wait for a lock, in milliseconds. Programs hold a lock only briefly.
static LONGEST_WAIT: AtomicU64 = AtomicU64::new(10_000);
const PAUSE: Duration = Duration::from_millis(4);

thread_local! {
    /// Folders that the current thread has locked.
    static HELD: RefCell<Vec<PathBuf>> = const { RefCell::new(Vec::new()) };
}

/// Locks a folder until this value is dropped. Other threads and programs that request the same lock wait; the thread
/// that holds the lock does not. The lock does not prevent reading or writing. It has no effect where no lock file can
/// be made.
#[derive(Debug)]
pub struct FolderLock {
    lock: Option<LockFile>,
    /// Makes the type not `Send`: the thread that took the lock must also release it.
    _thread: PhantomData<*const ()>,
}

/// The locked file, and the folder that it locks.
#[derive(Debug)]
struct LockFile {
    path: PathBuf,
    folder: PathBuf,
    /// The system releases the lock when this file is closed.
    _file: File,
}

/// Limits the time for which this program waits for a lock that another program holds; without a limit, ten seconds. A
/// program with a window waits for a short time only, because the window does not react meanwhile.
pub fn limit_lock_waits(longest: Duration) {
    LONGEST_WAIT.store(longest.as_millis() as u64, Ordering::Relaxed);
}

/// Outcome of one attempt to lock.
enum Attempt {
    Locked(File),
    /// Another program holds the lock, or has just removed the file.
    Busy,
    /// No lock file can be made here, for example because the folder is write-protected.
    Impossible,
}

impl FolderLock {
    /// Waits until it can lock `folder`, up to ten seconds or the time set by [`limit_lock_waits`]; an empty path means
    /// the current folder.
    ///
    /// # Errors
    /// When another program holds the lock all the time.
    pub fn new(folder: &Path) -> Result<Self, FileError> {
        Self::locked_within(folder, Duration::from_millis(LONGEST_WAIT.load(Ordering::Relaxed)))
    }

    fn locked_within(folder: &Path, wait: Duration) -> Result<Self, FileError> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let whole = super::system_names::canonical(folder).unwrap_or_else(|_| folder.into());
        if HELD.with_borrow(|held| held.contains(&whole)) {
            return Ok(Self { lock: None, _thread: PhantomData });
        }
        let path = whole.join(LOCK_NAME);
        let begun = Instant::now();
        let lock = loop {
            match attempt(&path) {
                Attempt::Locked(file) => {
                    HELD.with_borrow_mut(|all| all.push(whole.clone()));
                    break Some(LockFile { path, folder: whole, _file: file });
                }
                Attempt::Impossible => break None,
                Attempt::Busy if begun.elapsed() < wait => std::thread::sleep(PAUSE),
                Attempt::Busy => return Err(FileError::Locked { path, seconds: wait.as_secs() }),
            }
        };
        Ok(Self { lock, _thread: PhantomData })
    }
}

fn attempt(path: &Path) -> Attempt {
    // A link, a pipe or a folder of this name is not ours.
    if std::fs::symlink_metadata(path).is_ok_and(|data| !data.is_file()) {
        return Attempt::Impossible;
    }
    let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    // The lock file of another user may be readable only.
    let Ok(file) = opened.or_else(|_| File::open(path)) else { return Attempt::Impossible };
    match file.try_lock() {
        Ok(()) if is_same(&file, path) => Attempt::Locked(file),
        Ok(()) | Err(TryLockError::WouldBlock) => Attempt::Busy,
        Err(TryLockError::Error(_)) => {
            // The file system has no locks, so no other program can use this file.
            let _ = std::fs::remove_file(path);
            Attempt::Impossible
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if let Some(LockFile { path, folder, .. }) = &self.lock {
            HELD.with_borrow_mut(|all| all.retain(|other| other != folder));
            // The lock is still held here. A program that has already opened the file then sees that the file is gone.
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_of_another_program_ends_in_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK_NAME);
        let other = File::create(&path).unwrap();
        other.lock().unwrap();
        let error = FolderLock::locked_within(folder.path(), Duration::ZERO).unwrap_err();
        let said = error.to_string();
        assert!(matches!(error, FileError::Locked { .. }) && said.contains(LOCK_NAME), "{said}");
        drop(other);
        let lock = FolderLock::locked_within(folder.path(), Duration::ZERO).unwrap();
        assert!(
            path.exists() && FolderLock::locked_within(folder.path(), Duration::ZERO).is_ok(),
            "this thread holds it"
        );
        drop(lock);
        assert!(!path.exists(), "no file stays");
    }

    #[cfg(unix)]
    #[test]
    fn locks_on_the_folder_itself_have_no_effect() {
        let folder = tempfile::tempdir().unwrap();
        let other = File::open(folder.path()).unwrap();
        other.lock().unwrap();
        assert!(FolderLock::locked_within(folder.path(), Duration::ZERO).is_ok());
        std::os::unix::fs::symlink("/nowhere/else", folder.path().join(LOCK_NAME)).unwrap();
        assert!(FolderLock::locked_within(folder.path(), Duration::ZERO).is_ok());
    }
}
