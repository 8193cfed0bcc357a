//! One program at a time, where several files belong together, or where one is compared and then replaced.

use std::cell::RefCell;
use std::fs::File;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

thread_local! {
    /// Folders that this thread holds.
    static HELD: RefCell<Vec<PathBuf>> = const { RefCell::new(Vec::new()) };
}

/// Holds a folder until it is dropped: others that ask for the same wait, except on the thread that holds it. It keeps
/// nobody from reading or writing, and where folders cannot be locked it does nothing.
#[derive(Debug)]
pub struct FolderLock {
    held: Option<(File, PathBuf)>,
    /// It is let go on the thread that took it.
    _thread: PhantomData<*const ()>,
}

impl FolderLock {
    /// Waits for the folder; an empty name is the current one.
    pub fn new(folder: &Path) -> Self {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let whole = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.into());
        let is_held = HELD.with_borrow(|held| held.contains(&whole));
        let open = if cfg!(unix) && !is_held { File::open(folder).ok() } else { None };
        let held = open.filter(|folder| folder.lock().is_ok()).map(|folder| (folder, whole));
        if let Some((_, whole)) = &held {
            HELD.with_borrow_mut(|all| all.push(whole.clone()));
        }
        Self { held, _thread: PhantomData }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if let Some((_, whole)) = &self.held {
            HELD.with_borrow_mut(|all| all.retain(|other| other != whole));
        }
    }
}
