//! A lock on a folder. The program holds the lock while it writes several files together, or while it compares a file
//! and then replaces it.

use std::cell::RefCell;
use std::fs::File;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

thread_local! {
    /// Folders that the current thread has locked.
    static HELD: RefCell<Vec<PathBuf>> = const { RefCell::new(Vec::new()) };
}

/// Locks a folder until this value is dropped. Other threads and programs that request the same lock wait; the thread
/// that holds the lock does not. The lock does not prevent reading or writing. It has no effect on systems that cannot
/// lock folders.
#[derive(Debug)]
pub struct FolderLock {
    lock: Option<(File, PathBuf)>,
    /// Makes the type not `Send`: the thread that took the lock must also release it.
    _thread: PhantomData<*const ()>,
}

impl FolderLock {
    /// Waits until it can lock `folder`; an empty path means the current folder.
    pub fn new(folder: &Path) -> Self {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let whole = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.into());
        let is_held = HELD.with_borrow(|held| held.contains(&whole));
        let open = if cfg!(unix) && !is_held { File::open(folder).ok() } else { None };
        let held = open.filter(|folder| folder.lock().is_ok()).map(|folder| (folder, whole));
        if let Some((_, whole)) = &held {
            HELD.with_borrow_mut(|all| all.push(whole.clone()));
        }
        Self { lock: held, _thread: PhantomData }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if let Some((_, whole)) = &self.lock {
            HELD.with_borrow_mut(|all| all.retain(|other| other != whole));
        }
    }
}
