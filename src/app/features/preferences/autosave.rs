//! Autosave: saves edits to the scene's own file after an interval, if the user has enabled it.

use std::time::Duration;

use bevy::prelude::*;

use crate::frame::commands::{CommandQueue, FileAction};
use crate::frame::document::Document;
use crate::frame::editor::Editor;

/// Records the time at which the scene got its first unsaved edit.
#[derive(Resource, Default)]
pub(super) struct Autosave {
    /// The document's edit counter at the last check.
    seen: Option<u64>,
    unsaved_since: Option<Duration>,
}

impl Autosave {
    /// Whether to save the scene at time `now`. It is saved `minutes` after its first unsaved edit; 0 means never. A
    /// scene without a file is not saved.
    fn is_due(&mut self, document: &Document, minutes: u32, now: Duration) -> bool {
        if self.seen.replace(document.edits()) != Some(document.edits()) {
            let is_unsaved = document.path().is_some() && document.is_dirty();
            self.unsaved_since = is_unsaved.then(|| self.unsaved_since.unwrap_or(now));
        }
        let wait = Duration::from_secs(60 * u64::from(minutes));
        let is_due = minutes > 0 && self.unsaved_since.is_some_and(|since| now.saturating_sub(since) >= wait);
        if is_due {
            // if the save fails, try again after the same interval
            self.unsaved_since = Some(now);
        }
        is_due
    }
}

/// Requests a save when autosave is due. The window checks once a minute even if the user does nothing.
pub(super) fn save(
    editor: Res<Editor>,
    mut autosave: ResMut<Autosave>,
    time: Res<Time<Real>>,
    buttons: Option<Res<ButtonInput<MouseButton>>>,
    mut queue: ResMut<CommandQueue>,
) {
    // wait for the end of a drag
    if buttons.is_some_and(|buttons| buttons.get_pressed().next().is_some()) {
        return;
    }
    if autosave.is_due(&editor.doc, editor.interface.autosave, time.elapsed()) {
        queue.push(FileAction::Save);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn autosave_waits_its_interval_after_the_first_unsaved_edit() {
        let folder = tempfile::tempdir().expect("a folder");
        let minutes = |n: u64| Duration::from_secs(60 * n);
        let (mut document, mut autosave) = (Document::default(), Autosave::default());
        let edit =
            |document: &mut Document, name: &str| document.edit("Rename", None, |scene| scene.name = name.into());
        edit(&mut document, "a");
        assert!(!autosave.is_due(&document, 5, minutes(0)) && !autosave.is_due(&document, 5, minutes(99)), "no file");
        document.save(folder.path().join("a.ron")).expect("it is saved");
        assert!(!autosave.is_due(&document, 5, minutes(100)) && !autosave.is_due(&document, 5, minutes(200)), "saved");
        edit(&mut document, "b");
        assert!(!autosave.is_due(&document, 5, minutes(200)));
        edit(&mut document, "c");
        assert!(!autosave.is_due(&document, 5, minutes(204)), "counted from the first edit");
        assert!(!autosave.is_due(&document, 0, minutes(206)), "never requested");
        assert!(autosave.is_due(&document, 5, minutes(206)));
        assert!(!autosave.is_due(&document, 5, minutes(207)) && autosave.is_due(&document, 5, minutes(211)), "again");
        document.save(folder.path().join("a.ron")).expect("it is saved");
        assert!(!autosave.is_due(&document, 5, minutes(300)));
    }
}
