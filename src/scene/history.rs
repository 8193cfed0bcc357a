//! Undo and redo. The history keeps the scenes before and after each completed gesture.

use std::sync::Arc;

use super::Scene;

/// Identifies a gesture (a slider drag, a typed word). All edits of a gesture share one undo step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gesture(pub u64);

#[derive(Clone, Debug)]
struct EditStep {
    label: String,
    before: Arc<Scene>,
    after: Arc<Scene>,
    gesture: Option<Gesture>,
}

/// The edits that led to the present scene, and the undone edits.
#[derive(Clone, Debug, Default)]
pub struct EditHistory {
    done: Vec<EditStep>,
    undone: Vec<EditStep>,
}

const MAX_STEPS: usize = 500;

impl EditHistory {
    /// Records an edit from `before` to `after`. The edit becomes part of the newest undo step if that step belongs to
    /// the same gesture. An edit that changes nothing is not recorded. Returns whether the edit changed the scene.
    pub fn record(&mut self, label: &str, gesture: Option<Gesture>, before: &Arc<Scene>, after: &Arc<Scene>) -> bool {
        if before == after {
            return false;
        }
        self.undone.clear();
        if let Some(last) = self.done.last_mut()
            && gesture.is_some()
            && last.gesture == gesture
        {
            last.after = Arc::clone(after);
            if last.before == last.after {
                self.done.pop();
            }
            return true;
        }
        let (before, after) = (Arc::clone(before), Arc::clone(after));
        self.done.push(EditStep { label: label.into(), before, after, gesture });
        if self.done.len() > MAX_STEPS {
            self.done.remove(0);
        }
        true
    }

    /// Ends the gesture; the next edit begins a new undo step.
    pub fn finish_gesture(&mut self) {
        if let Some(last) = self.done.last_mut() {
            last.gesture = None;
        }
    }

    /// Name of the edit that [`undo`](Self::undo) would undo.
    pub fn undo_label(&self) -> Option<&str> {
        self.done.last().map(|s| s.label.as_str())
    }

    /// Name of the edit that [`redo`](Self::redo) would redo.
    pub fn redo_label(&self) -> Option<&str> {
        self.undone.last().map(|s| s.label.as_str())
    }

    /// Names of the edits that led to the present scene, oldest first.
    pub fn done_labels(&self) -> Vec<&str> {
        self.done.iter().map(|step| step.label.as_str()).collect()
    }

    /// Names of the undone edits; the next one to redo comes first.
    pub fn undone_labels(&self) -> Vec<&str> {
        self.undone.iter().rev().map(|step| step.label.as_str()).collect()
    }

    /// Undoes the newest edit and returns the scene before that edit. `present` must be the scene that the history led
    /// to.
    pub fn undo(&mut self, present: &Scene) -> Option<Arc<Scene>> {
        let mut step = self.done.pop()?;
        debug_assert!(*step.after == *present, "an edit was not recorded in the history: {}", step.label);
        step.gesture = None;
        let scene = Arc::clone(&step.before);
        self.undone.push(step);
        Some(scene)
    }

    /// Redoes the edit that was undone last and returns the scene after that edit. `present` must be the scene that the
    /// history led to.
    pub fn redo(&mut self, present: &Scene) -> Option<Arc<Scene>> {
        let step = self.undone.pop()?;
        debug_assert!(*step.before == *present, "an edit was not recorded in the history: {}", step.label);
        let scene = Arc::clone(&step.after);
        self.done.push(step);
        Some(scene)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Arc<Scene> {
        Arc::new(Scene { name: name.into(), ..Scene::default() })
    }

    #[test]
    fn one_gesture_is_one_step() {
        let mut history = EditHistory::default();
        let (a, b, c, d) = (named("a"), named("b"), named("c"), named("d"));
        history.record("drag", Some(Gesture(1)), &a, &b);
        history.record("drag", Some(Gesture(1)), &b, &c);
        history.finish_gesture();
        history.record("drag", Some(Gesture(1)), &c, &d);
        assert_eq!(history.undo(&d).unwrap().name, "c");
        assert_eq!(history.undo(&c).unwrap().name, "a");
        assert!(history.undo(&a).is_none());
        assert_eq!(history.redo(&a).unwrap().name, "c");
        history.record("other", None, &c, &b);
        assert!(history.redo(&b).is_none(), "a new edit ends redo");
    }

    #[test]
    fn a_drag_that_returns_leaves_no_step() {
        let mut history = EditHistory::default();
        let (a, b) = (named("a"), named("b"));
        history.record("drag", Some(Gesture(1)), &a, &b);
        history.record("drag", Some(Gesture(1)), &b, &a);
        assert!(history.undo_label().is_none());
        history.record("nothing", None, &a, &a);
        assert!(history.undo_label().is_none());
    }
}
