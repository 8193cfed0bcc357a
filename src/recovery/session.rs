//! The session of a running editor: the open scene and its unsaved edits.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::{from_unix_seconds, identity, make_private_folder, unix_seconds};
use crate::io::{process_number, without_byte_order_mark, write_atomically};
use crate::scene::Scene;

const FOLDER: &str = "sessions";
const STATE: &str = "session.ron";
const LOCK: &str = "lock";
/// Lock held while a session starts or sessions are searched, so that a starting session is not mistaken for an
/// abandoned one.
const SESSIONS_LOCK: &str = ".lock";
const VERSION: u32 = 1;
/// Maximum size in bytes of a session file that is read. A scene of 16 MiB with every character escaped is smaller, so
/// the editor never writes a larger file.
const MAX_BYTES: u64 = 64 << 20;

/// The reason why unsaved work could not be stored or recovered.
#[derive(Debug, thiserror::Error)]
pub enum RecoveryError {
    /// The session folder cannot be used.
    #[error("cannot keep unsaved work in {}: {source}. Save often, or set TALWEG_STATE to another folder", folder.display())]
    Folder {
        /// Path of the session folder.
        folder: PathBuf,
        /// Cause of the error.
        source: std::io::Error,
    },
    /// The search for unsaved work failed.
    #[error("cannot search for unsaved work in {}: {source}. Existing files stay as they are", folder.display())]
    Search {
        /// Path of the folder of all sessions.
        folder: PathBuf,
        /// Cause of the error.
        source: std::io::Error,
    },
    /// The open scene could not be written, or a power failure could lose it.
    #[error("unsaved work {fate}: {0}. Save the scene now", fate = if .0.is_replaced() { "may be lost" } else { "could not be stored" })]
    Write(#[from] crate::io::FileError),
    /// A session's file cannot be read.
    #[error("the unsaved work in {} cannot be read: {message}. The file stays where it is", path.display())]
    Read {
        /// Path of the unreadable file.
        path: PathBuf,
        /// Cause of the error, in words.
        message: String,
    },
}

/// A scene with unsaved edits.
#[derive(Clone, Debug, PartialEq)]
pub struct UnsavedWork {
    /// The scene as it was after the last edit.
    pub scene: Scene,
    /// Path of the scene's file, if the scene has one.
    pub file: Option<PathBuf>,
    /// Time of the last edit, in whole seconds.
    pub edited: SystemTime,
    /// Name of the last edit, as in *Undo*.
    pub edit: String,
    /// The reason why the editor closed or crashed, if the editor knew the reason. The text is the end of a sentence
    /// that starts with *because*.
    pub ended: Option<String>,
}

/// A scene that another running editor has open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenScene {
    /// Process number of the other editor.
    pub process: u32,
    /// Whether the other editor has unsaved edits of the scene.
    pub is_unsaved: bool,
}

/// Contents of the file `session.ron`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionFile {
    version: u32,
    process: u32,
    /// Absolute path of the scene file as it was opened; `None` if the path is not UTF-8.
    file: Option<String>,
    /// The bytes of the path, if the path is not UTF-8. A symbolic link can point to such a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file_bytes: Option<Vec<u8>>,
    /// Time of the last edit in seconds since 1970.
    edited: u64,
    edit: String,
    ended: Option<String>,
    /// RON text of the unsaved scene, with absolute paths. A session file without this key is damaged. A missing key
    /// does not mean that all edits are saved.
    #[serde(deserialize_with = "Option::deserialize")]
    scene: Option<String>,
}

/// The session of a running editor. If the editor closes without [`Session::end`], [`abandoned_work`] still finds its
/// unsaved work.
#[derive(Debug)]
pub struct Session {
    folder: PathBuf,
    /// The lock of the session. The system releases the lock when the process ends.
    lock: File,
}

impl SessionFile {
    /// Path of the scene's file, if the scene has one.
    fn scene_file(&self) -> Option<PathBuf> {
        match (&self.file, &self.file_bytes) {
            (Some(text), _) => Some(text.into()),
            #[cfg(unix)]
            (None, Some(bytes)) => Some(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into()),
            _ => None,
        }
    }
}

impl Session {
    /// Starts a session in the folder `state`.
    ///
    /// # Errors
    /// When the folder cannot be created or written.
    pub fn start(state: &Path) -> Result<Self, RecoveryError> {
        let sessions = state.join(FOLDER);
        let begin = || {
            make_private_folder(&sessions)?;
            let _door = lock_sessions(&sessions)?;
            let now = unix_seconds(SystemTime::now());
            let process = process_number();
            let named = |k: u32| sessions.join(format!("{now}-{process}-{k}"));
            let mut k = 0;
            let folder = loop {
                match std::fs::create_dir(named(k)) {
                    Ok(()) => break named(k),
                    Err(error) if error.kind() == ErrorKind::AlreadyExists && k < 1000 => k += 1,
                    Err(error) => return Err(error),
                }
            };
            let lock = File::create(folder.join(LOCK))?;
            lock.lock()?;
            Ok(Self { folder, lock })
        };
        let session = begin().map_err(|source| RecoveryError::Folder { folder: sessions.clone(), source })?;
        session.keep(None, None)?;
        Ok(session)
    }

    /// Stores which `file` is open, and its unsaved edits if there are any. When this function returns, this data is
    /// safely on the disk.
    ///
    /// # Errors
    /// When the data cannot be written. The session then keeps its previous contents.
    pub fn keep(&self, file: Option<&Path>, unsaved: Option<&UnsavedWork>) -> Result<(), RecoveryError> {
        let file = file.map(|file| std::path::absolute(file).unwrap_or_else(|_| file.into()));
        let text = file.as_ref().and_then(|file| file.to_str());
        let state = SessionFile {
            version: VERSION,
            process: process_number(),
            file: text.map(String::from),
            file_bytes: file.as_ref().filter(|_| text.is_none()).map(|file| file.as_os_str().as_encoded_bytes().into()),
            edited: unix_seconds(unsaved.map_or_else(SystemTime::now, |work| work.edited)),
            edit: unsaved.map(|work| work.edit.clone()).unwrap_or_default(),
            ended: unsaved.and_then(|work| work.ended.clone()),
            scene: unsaved.map(|work| work.scene.to_ron()).transpose().map_err(|error| self.unreadable(&error))?,
        };
        let text = ron::to_string(&state).map_err(|error| self.unreadable(&error))?;
        Ok(write_atomically(self.folder.join(STATE), |out| out.write_all(text.as_bytes()))?)
    }

    /// Ends the session: all edits are saved, or the user discarded the unsaved edits.
    pub fn end(self) {
        remove_locked(&self.folder, Some(self.lock));
    }

    fn unreadable(&self, error: &dyn std::fmt::Display) -> RecoveryError {
        RecoveryError::Read { path: self.folder.join(STATE), message: error.to_string() }
    }
}

/// Unsaved work of an editor that has closed or crashed. While this value exists, the work is not offered to other
/// editors.
#[derive(Debug)]
pub struct FoundWork {
    folder: PathBuf,
    /// Lock on the session; `None` if the lock file cannot be opened.
    lock: Option<File>,
    /// The unsaved work, or the reason why it cannot be read.
    pub work: Result<UnsavedWork, RecoveryError>,
}

impl FoundWork {
    /// Deletes the unsaved work from the disk.
    pub fn discard(self) {
        remove_locked(&self.folder, self.lock);
    }

    /// Path of the file that contains the unsaved work.
    pub fn path(&self) -> PathBuf {
        self.folder.join(STATE)
    }
}

/// The unsaved work of all editors that have closed or crashed, newest first. Sessions of closed editors without
/// unsaved work are deleted. Sessions of running editors stay untouched.
///
/// # Errors
/// When the folder exists but cannot be read.
pub fn abandoned_work(state: &Path) -> Result<Vec<FoundWork>, RecoveryError> {
    let sessions = state.join(FOLDER);
    let failed = |source| RecoveryError::Search { folder: sessions.clone(), source };
    match std::fs::metadata(&sessions) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        other => other.map_err(failed)?,
    };
    let _door = lock_sessions(&sessions).map_err(failed)?;
    let mut found = Vec::new();
    for folder in session_folders(&sessions).map_err(failed)? {
        let lock = match free_lock(&folder) {
            Ok(Some(lock)) => Some(lock),
            Ok(None) => continue,
            // The editor crashed before it wrote anything.
            Err(_) if matches!(folder.join(STATE).try_exists(), Ok(false)) => continue,
            Err(error) => {
                // It is unknown whether the editor is still running: report the session but do not touch it.
                let work = Err(RecoveryError::Read { path: folder.join(LOCK), message: error.to_string() });
                found.push(FoundWork { folder, lock: None, work });
                continue;
            }
        };
        match read_state(&folder) {
            Ok(SessionFile { scene: None, .. }) => remove_locked(&folder, lock),
            Ok(state) => found.push(FoundWork { work: unsaved_work(&folder, state), folder, lock }),
            // The editor crashed before it wrote anything.
            Err(_) if matches!(folder.join(STATE).try_exists(), Ok(false)) => remove_locked(&folder, lock),
            Err(error) => found.push(FoundWork { folder, lock, work: Err(error) }),
        }
    }
    let edited = |found: &FoundWork| found.work.as_ref().map_or(0, |work| unix_seconds(work.edited));
    found.sort_by_key(|found| std::cmp::Reverse((edited(found), found.folder.clone())));
    Ok(found)
}

/// The other running editor that has `path` open, if any.
pub fn open_elsewhere(state: &Path, path: &Path) -> Option<OpenScene> {
    let wanted = identity(path);
    let sessions = state.join(FOLDER);
    let _door = lock_sessions(&sessions).ok()?;
    session_folders(&sessions).ok()?.into_iter().find_map(|folder| {
        let open = read_state(&folder).ok().filter(|open| open.process != process_number())?;
        let is_wanted = open.scene_file().is_some_and(|file| identity(&file) == wanted);
        (is_wanted && matches!(free_lock(&folder), Ok(None)))
            .then_some(OpenScene { process: open.process, is_unsaved: open.scene.is_some() })
    })
}

fn unsaved_work(folder: &Path, state: SessionFile) -> Result<UnsavedWork, RecoveryError> {
    let file = state.scene_file();
    let text = state.scene.unwrap_or_default();
    let (scene, _) = Scene::from_ron(&text)
        .map_err(|error| RecoveryError::Read { path: folder.join(STATE), message: error.to_string() })?;
    Ok(UnsavedWork { scene, file, edited: from_unix_seconds(state.edited), edit: state.edit, ended: state.ended })
}

fn read_state(folder: &Path) -> Result<SessionFile, RecoveryError> {
    let path = folder.join(STATE);
    let read = || {
        if !std::fs::symlink_metadata(&path).map_err(|e| e.to_string())?.is_file() {
            return Err("it is not a file".into());
        }
        let mut text = String::new();
        let file = File::open(&path).map_err(|e| e.to_string())?;
        file.take(MAX_BYTES + 1).read_to_string(&mut text).map_err(|e| e.to_string())?;
        if text.len() as u64 > MAX_BYTES {
            return Err("it is larger than any scene".into());
        }
        let state: SessionFile = ron::from_str(without_byte_order_mark(&text)).map_err(|e| e.to_string())?;
        match state.version {
            VERSION => Ok(state),
            other => Err(format!("it has version {other}, from another version of Talweg; this one reads {VERSION}")),
        }
    };
    read().map_err(|message| RecoveryError::Read { path: path.clone(), message })
}

fn session_folders(sessions: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(sessions)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    Ok(folders)
}

/// Locks the sessions for exclusive access. Dropping the returned file releases the lock.
fn lock_sessions(sessions: &Path) -> std::io::Result<File> {
    let door = open_lock(&sessions.join(SESSIONS_LOCK))?;
    door.lock()?;
    Ok(door)
}

/// Opens a lock file and creates it if needed. On a full disk, an existing lock file still works.
fn open_lock(path: &Path) -> std::io::Result<File> {
    let opened = OpenOptions::new().create(true).truncate(false).write(true).open(path);
    opened.or_else(|error| File::open(path).map_err(|_| error))
}

/// The lock of a session whose editor has closed or crashed; `None` while the editor runs.
fn free_lock(folder: &Path) -> std::io::Result<Option<File>> {
    let lock = open_lock(&folder.join(LOCK))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        // The file system has no locks. Offering the work to two editors is better than never offering it.
        Err(TryLockError::Error(_)) => Ok(Some(lock)),
    }
}

/// Deletes a session. If the deletion fails, the next editor finds the empty session and tries again.
fn remove_locked(folder: &Path, lock: Option<File>) {
    // The state file is deleted first, because a session without this file has no unsaved work.
    let _ = std::fs::remove_file(folder.join(STATE));
    // Windows keeps a folder while a file in it is open.
    drop(lock);
    let _ = std::fs::remove_dir_all(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(name: &str, seconds: u64) -> UnsavedWork {
        let scene = Scene { name: name.into(), ..Scene::default() };
        UnsavedWork { scene, file: None, edited: from_unix_seconds(seconds), edit: "Rename".into(), ended: None }
    }

    /// Creates the session of an editor that was killed, with its `unsaved` work.
    fn killed(state: &Path, unsaved: Option<&UnsavedWork>) {
        let session = Session::start(state).unwrap();
        session.keep(None, unsaved).unwrap();
        drop(session);
    }

    fn names(found: &[FoundWork]) -> Vec<&str> {
        found.iter().map(|found| found.work.as_ref().unwrap().scene.name.as_str()).collect()
    }

    #[cfg(unix)]
    #[test]
    fn work_with_an_unopenable_lock_is_reported_and_kept() {
        let state = tempfile::tempdir().unwrap();
        killed(state.path(), Some(&work("hidden", 100)));
        killed(state.path(), Some(&work("seen", 200)));
        let sessions = session_folders(&state.path().join(FOLDER)).unwrap();
        let hidden = sessions.iter().find(|folder| read_state(folder).unwrap().edited == 100).unwrap();
        std::fs::remove_file(hidden.join(LOCK)).unwrap();
        // The lock file is a symbolic link to itself, so it cannot be opened.
        std::os::unix::fs::symlink(LOCK, hidden.join(LOCK)).unwrap();
        let found = abandoned_work(state.path()).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].work.as_ref().unwrap().scene.name, "seen");
        let said = found[1].work.as_ref().unwrap_err().to_string();
        assert!(said.contains("lock") && said.contains("stays where it is"), "{said}");
        assert!(hidden.join(STATE).exists());
        drop(found);
        // A session that ended before it wrote anything has no unsaved work.
        std::fs::remove_file(hidden.join(STATE)).unwrap();
        assert_eq!(names(&abandoned_work(state.path()).unwrap()), ["seen"]);
    }

    /// A symbolic link can point to a path that is not UTF-8, and a folder can be renamed to such a name while its
    /// scene is open.
    #[cfg(unix)]
    #[test]
    fn unsaved_work_keeps_a_file_name_of_any_bytes() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join(std::ffi::OsStr::from_bytes(b"alp\xe9"));
        std::fs::create_dir(&odd).unwrap();
        let (real, link) = (odd.join("a.ron"), folder.path().join("a.ron"));
        Scene::default().save(&link).unwrap();
        std::fs::rename(&link, &real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let state = folder.path().join("state");
        for file in [&link, &real] {
            let session = Session::start(&state).unwrap();
            session.keep(Some(file), Some(&work("odd", 100))).unwrap();
            drop(session);
            let mut found = abandoned_work(&state).unwrap();
            assert_eq!(found[0].work.as_ref().unwrap().file.as_ref(), Some(file));
            found.remove(0).discard();
        }
    }

    #[test]
    fn only_work_of_ended_sessions_is_found_newest_first() {
        let state = tempfile::tempdir().unwrap();
        killed(state.path(), Some(&work("old", 100)));
        killed(state.path(), Some(&work("new", 200)));
        killed(state.path(), None);
        let living = Session::start(state.path()).unwrap();
        living.keep(None, Some(&work("living", 300))).unwrap();
        let found = abandoned_work(state.path()).unwrap();
        assert_eq!(names(&found), ["new", "old"]);
        assert_eq!(found[0].work.as_ref().unwrap(), &work("new", 200));
        let left = session_folders(&state.path().join(FOLDER)).unwrap().len();
        assert_eq!(left, 3, "the session without unsaved work must be deleted");
    }

    #[test]
    fn found_work_is_offered_to_one_editor_until_discarded() {
        let state = tempfile::tempdir().unwrap();
        killed(state.path(), Some(&work("mine", 100)));
        let mut found = abandoned_work(state.path()).unwrap();
        assert!(abandoned_work(state.path()).unwrap().is_empty(), "another editor is already offered it");
        drop(found);
        found = abandoned_work(state.path()).unwrap();
        assert_eq!(names(&found), ["mine"], "kept for later");
        found.remove(0).discard();
        assert!(abandoned_work(state.path()).unwrap().is_empty());
    }

    #[test]
    fn a_clean_exit_leaves_no_files() {
        let state = tempfile::tempdir().unwrap();
        let session = Session::start(state.path()).unwrap();
        session.keep(None, Some(&work("discarded", 1))).unwrap();
        session.end();
        assert!(abandoned_work(state.path()).unwrap().is_empty());
        assert_eq!(session_folders(&state.path().join(FOLDER)).unwrap().len(), 0);
    }

    #[test]
    fn unreadable_work_is_reported_and_kept() {
        let state = tempfile::tempdir().unwrap();
        killed(state.path(), Some(&work("x", 1)));
        let folder = session_folders(&state.path().join(FOLDER)).unwrap().remove(0);
        for broken in ["", "nonsense", "(version:9,process:1,file:None,edited:0,edit:\"\",ended:None,scene:Some(\"\"))"]
        {
            std::fs::write(folder.join(STATE), broken).unwrap();
            let found = abandoned_work(state.path()).unwrap();
            let said = found[0].work.as_ref().unwrap_err().to_string();
            assert!(said.contains("session.ron") && said.contains("stays"), "{said}");
            assert!(folder.join(STATE).exists());
        }
    }

    #[test]
    fn an_unusable_folder_is_an_error_with_advice() {
        let state = tempfile::tempdir().unwrap();
        std::fs::write(state.path().join(FOLDER), "a file").unwrap();
        let said = Session::start(state.path()).unwrap_err().to_string();
        assert!(said.contains("TALWEG_STATE"), "{said}");
        assert!(abandoned_work(&state.path().join("nowhere")).unwrap().is_empty());
    }

    #[test]
    fn this_process_is_not_another_editor() {
        let state = tempfile::tempdir().unwrap();
        let scene = state.path().join("a.ron");
        let session = Session::start(state.path()).unwrap();
        session.keep(Some(&scene), None).unwrap();
        assert_eq!(open_elsewhere(state.path(), &scene), None);
        // The test writes the session file as another process would write it.
        let file = session.folder.join(STATE);
        let text = std::fs::read_to_string(&file).unwrap();
        let other = process_number() + 1;
        std::fs::write(&file, text.replace(&format!("process:{}", other - 1), &format!("process:{other}"))).unwrap();
        let found = open_elsewhere(state.path(), &scene);
        assert_eq!(found, Some(OpenScene { process: other, is_unsaved: false }));
        assert_eq!(open_elsewhere(state.path(), &state.path().join("b.ron")), None);
        drop(session);
        assert_eq!(open_elsewhere(state.path(), &scene), None, "the editor has ended");
    }
}
