//! The journal writes the unsaved state of this editor to disk. Several threads share it, some of which outlive the
//! engine.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use bevy::prelude::Resource;

use crate::frame::document::Document;
use talweg::recovery::{RecoveryError, Session, UnsavedWork};

/// If drawing does not fail for this time, the count of drawing failures starts again.
const WHILE_DRAWN: Duration = Duration::from_secs(5);

/// The newest state of the document, and the number of the state that is on disk. Without a recovery session, the
/// journal writes nothing.
#[derive(Resource, Clone, Default)]
pub struct EditJournal(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// The recovery session on disk. It is locked during a write, so that an older state never replaces a newer state.
    session: Mutex<SessionState>,
    newest: Mutex<DocumentState>,
    /// The signal that ends the program; 0 until a signal arrives.
    signal: AtomicI32,
    /// The reason why the engine ended, if known.
    failure: Mutex<Option<String>>,
    /// Number of consecutive drawing failures, and the time of the last one.
    drawing_failures: Mutex<(u32, Option<Instant>)>,
}

#[derive(Default)]
struct SessionState {
    session: Option<Session>,
    /// Number of the document state that is on disk.
    written: u64,
}

#[derive(Clone, Default)]
struct DocumentState {
    number: u64,
    /// Value of [`Document::edits`] for the recorded state.
    edits: u64,
    file: Option<PathBuf>,
    unsaved: Option<UnsavedWork>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EditJournal {
    /// Starts a recovery session in the folder `state`.
    ///
    /// # Errors
    /// If the session cannot be written.
    pub fn start_session(state: &Path) -> Result<Self, RecoveryError> {
        let journal = Self::default();
        lock(&journal.0.session).session = Some(Session::start(state)?);
        Ok(journal)
    }

    /// Records the state of the document if it has changed.
    pub fn note(&self, document: &Document) {
        let mut newest = lock(&self.0.newest);
        if newest.number > 0 && newest.edits == document.edits() {
            return;
        }
        let unsaved = document.is_dirty().then(|| UnsavedWork {
            scene: document.scene().clone(),
            file: document.path().map(Path::to_path_buf),
            edited: SystemTime::now(),
            edit: document.undo_label().unwrap_or_default().into(),
            ended: None,
        });
        let file = document.path().map(Path::to_path_buf);
        *newest = DocumentState { number: newest.number + 1, edits: document.edits(), file, unsaved };
    }

    /// Whether the document has changes that are not on disk yet.
    pub fn has_news(&self) -> bool {
        let newest = lock(&self.0.newest).number;
        let session = lock(&self.0.session);
        session.session.is_some() && session.written != newest
    }

    /// Whether edits are written to disk at all.
    pub fn is_kept(&self) -> bool {
        lock(&self.0.session).session.is_some()
    }

    /// Whether the document has changes that would be lost without the journal.
    pub fn is_unsaved(&self) -> bool {
        lock(&self.0.newest).unsaved.is_some()
    }

    /// Name of the last edit of the unsaved document; empty if there is none.
    pub fn last_edit(&self) -> String {
        lock(&self.0.newest).unsaved.as_ref().map(|work| work.edit.clone()).unwrap_or_default()
    }

    /// Writes the newest state to disk.
    ///
    /// # Errors
    /// If the state cannot be written. The previous file then stays unchanged.
    pub fn write(&self) -> Result<(), RecoveryError> {
        let mut session = lock(&self.0.session);
        let newest = lock(&self.0.newest).clone();
        let Some(open) = &session.session else { return Ok(()) };
        if session.written != newest.number {
            open.keep(newest.file.as_deref(), newest.unsaved.as_ref())?;
            session.written = newest.number;
        }
        Ok(())
    }

    /// Stores the unsaved work and the reason on disk. Called when the program ends unexpectedly. Returns a message
    /// that says where the work is.
    pub fn end_unexpectedly(&self, reason: &str) -> String {
        if !self.is_unsaved() {
            self.end();
            return "There were no unsaved changes".into();
        }
        {
            let mut newest = lock(&self.0.newest);
            newest.number += 1;
            if let Some(work) = &mut newest.unsaved {
                work.ended = Some(reason.into());
            }
        }
        let failure = match self.write() {
            Ok(()) if self.is_kept() => {
                return "Unsaved work was saved: start Talweg again to continue with it, or run `talweg recover`"
                    .into();
            }
            Ok(()) => "there is no folder to write to".into(),
            Err(error) => error.to_string(),
        };
        let text = lock(&self.0.newest).unsaved.as_ref().map(|work| work.scene.to_ron());
        let scene = text.transpose().map_or_else(|error| error.to_string(), Option::unwrap_or_default);
        format!("Unsaved changes could not be saved ({failure}). Here they are:\n{scene}")
    }

    /// Deletes the recovery session. Called when the user has quit and has decided about unsaved changes.
    pub fn end(&self) {
        if let Some(session) = lock(&self.0.session).session.take() {
            session.end();
        }
    }

    /// Counts a drawing failure. Returns the number of consecutive failures. After five seconds without failures, the
    /// count starts again.
    pub fn count_drawing_failure(&self) -> u32 {
        let mut refusals = lock(&self.0.drawing_failures);
        let is_new = refusals.1.is_none_or(|last| last.elapsed() > WHILE_DRAWN);
        *refusals = (if is_new { 1 } else { refusals.0 + 1 }, Some(Instant::now()));
        refusals.0
    }

    /// The reason why the engine ended, if known.
    pub fn failure(&self) -> Option<String> {
        lock(&self.0.failure).clone()
    }

    /// Records the reason why the engine ends. Only the first reason is kept.
    pub fn note_failure(&self, message: String) {
        lock(&self.0.failure).get_or_insert(message);
    }

    /// The signal that ends the program, if one has arrived.
    pub fn signal(&self) -> Option<i32> {
        Some(self.0.signal.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }

    /// Records a signal that ends the program. Returns whether it is the first such signal.
    #[cfg(unix)]
    pub(super) fn note_signal(&self, signal: i32) -> bool {
        self.0.signal.swap(signal, Ordering::Relaxed) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::recovery::abandoned_work;

    fn left(state: &Path) -> Vec<(String, Option<String>)> {
        let found = abandoned_work(state).unwrap();
        found.into_iter().map(|found| found.work.unwrap()).map(|work| (work.scene.name, work.ended)).collect()
    }

    #[test]
    fn only_unsaved_work_is_recovered() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let journal = EditJournal::start_session(&state).unwrap();
        let mut document = Document::default();
        journal.note(&document);
        assert!(journal.has_news() && !journal.is_unsaved());
        document.edit("Rename", None, |scene| scene.name = "Unsaved".into());
        journal.note(&document);
        assert!(journal.is_unsaved());
        journal.write().unwrap();
        assert!(!journal.has_news());
        journal.note(&document);
        assert!(!journal.has_news(), "nothing has changed");
        assert!(left(&state).is_empty(), "this editor is running");
        drop(journal);
        assert_eq!(left(&state), [("Unsaved".to_string(), None)]);

        let journal = EditJournal::start_session(&state).unwrap();
        document.save(folder.path().join("saved.ron")).unwrap();
        journal.note(&document);
        journal.write().unwrap();
        drop(journal);
        assert_eq!(left(&state).len(), 1, "only the first file");
    }

    #[test]
    fn a_crash_keeps_its_reason_and_a_clean_exit_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut document = Document::default();
        let journal = EditJournal::start_session(folder.path()).unwrap();
        journal.note(&document);
        assert!(journal.end_unexpectedly("of a test").contains("no unsaved changes"));
        assert!(left(folder.path()).is_empty());

        let journal = EditJournal::start_session(folder.path()).unwrap();
        document.edit("Rename", None, |scene| scene.name = "Unsaved".into());
        journal.note(&document);
        assert!(journal.end_unexpectedly("of a test").contains("talweg recover"));
        drop(journal);
        assert_eq!(left(folder.path()), [("Unsaved".to_string(), Some("of a test".to_string()))]);

        let journal = EditJournal::start_session(folder.path()).unwrap();
        journal.note(&document);
        journal.write().unwrap();
        journal.end();
        assert_eq!(left(folder.path()).len(), 1, "only the session before, which ended unexpectedly, is left");

        let nowhere = EditJournal::default();
        nowhere.note(&document);
        let said = nowhere.end_unexpectedly("of a test");
        assert!(said.contains("Here they are") && said.contains("Unsaved"), "{said}");
    }
}
