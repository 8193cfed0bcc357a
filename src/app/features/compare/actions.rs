//! Executes the compare commands.
use super::commands::{CompareAction, CompareMode};
use super::panel::{CompareInfo, CompareState};
use super::task::{CompareRequest, State};
use crate::frame::dialogs::files::{self, Files};
use crate::frame::editor::Editor;
use crate::view::Overlay;

/// The state that compare commands edit.
pub(super) struct Comparison<'a> {
    pub editor: &'a mut Editor,
    pub state: &'a mut CompareState,
    /// Requests for a scene B, in the order in which they are executed.
    pub requests: Vec<CompareRequest>,
}

impl Comparison<'_> {
    /// Executes a compare command.
    pub(super) fn run(&mut self, action: CompareAction) {
        match action {
            CompareAction::Toggle if self.state.is_on() => self.end_comparing(),
            CompareAction::Toggle | CompareAction::Keep => self.keep_as_b(),
            CompareAction::WithScene => self.ask_which_scene(),
            CompareAction::WithFile(path) => self.request_b(CompareRequest::File(path)),
            CompareAction::NextBranch => self.compare_branch(),
            CompareAction::WithoutLayer => {
                if let Some(index) = self.editor.doc.selected_layer() {
                    self.editor.doc.compare_with_layer_toggled(index);
                    self.request_b(CompareRequest::Variant);
                }
            }
            CompareAction::WithBranch(index) => {
                if let Some((scene, playhead)) = self.editor.doc.branch_scene(index) {
                    let name = self.editor.doc.scene().layers[index].name.clone();
                    self.request_b(CompareRequest::State(State { name, scene, playhead }));
                }
            }
            CompareAction::Show(mode) => {
                if !self.state.is_on() {
                    self.keep_as_b();
                }
                self.show_mode(mode);
            }
            CompareAction::Swap => self.state.swapped ^= self.state.is_on(),
            CompareAction::Table => self.state.table ^= self.state.is_on(),
        }
    }

    fn ask_which_scene(&mut self) {
        let then = |path| CompareAction::WithFile(path).into();
        let files = Files::open(&self.editor.doc, "Compare with scene", files::SCENES, then);
        self.editor.dialogs.open(files);
    }

    /// Adds a request for another scene B.
    pub(super) fn request_b(&mut self, ask: CompareRequest) {
        self.state.start();
        if self.editor.view.overlay == Overlay::Difference {
            self.state.mode = CompareMode::Difference;
        }
        self.requests.push(ask);
    }

    fn keep_as_b(&mut self) {
        let name = format!("{} (pinned)", self.editor.doc.state_name());
        self.keep_named(name);
    }

    fn keep_named(&mut self, name: String) {
        let (scene, playhead) = self.editor.doc.shown_scene();
        let state = State { name, scene, playhead };
        self.request_b(CompareRequest::Keep { state, is_whole: !self.editor.doc.is_unfinished() });
    }

    fn end_comparing(&mut self) {
        self.show_mode(CompareMode::Split);
        self.state.end();
        if self.editor.view.overlay == Overlay::Difference {
            self.show_overlay(Overlay::None);
        }
        self.requests.push(CompareRequest::Nothing);
    }

    /// Ends the comparison if one of the two scenes is a planet and the other is a terrain.
    pub(super) fn end_comparing_worlds(&mut self, info: &CompareInfo) {
        let is_planet = self.editor.doc.scene().is_planet();
        if self.state.is_on() && info.b.is_some() && info.is_planet != is_planet {
            self.end_comparing();
            self.editor.toasts.info("Comparison ended: a planet and a terrain cannot be compared.");
        }
    }

    fn show_mode(&mut self, mode: CompareMode) {
        let was = std::mem::replace(&mut self.state.mode, mode);
        self.state.swapped = false;
        match (was, mode) {
            (CompareMode::Difference, CompareMode::Difference) => {}
            (_, CompareMode::Difference) if self.editor.view.overlay != Overlay::Difference => {
                self.state.previous_overlay = self.editor.view.overlay;
                self.show_overlay(Overlay::Difference);
            }
            (CompareMode::Difference, _) if self.editor.view.overlay == Overlay::Difference => {
                let before = std::mem::take(&mut self.state.previous_overlay);
                self.show_overlay(before);
            }
            _ => {}
        }
    }

    fn show_overlay(&mut self, overlay: Overlay) {
        self.editor.view.overlay = overlay;
    }

    /// Leaves the Difference mode after the user has selected another overlay in the menu.
    pub(super) fn follow_overlay(&mut self) {
        if self.state.mode == CompareMode::Difference && self.editor.view.overlay != Overlay::Difference {
            self.state.mode = CompareMode::One;
        }
    }

    /// Shows the next branch of the process and compares it with the branch that was on screen before.
    pub(super) fn compare_branch(&mut self) {
        let branches = self.editor.doc.branches();
        let shown = branches.iter().position(|&index| Some(index) == self.editor.doc.shown_branch());
        let next = shown.map_or(0, |k| (k + 1) % branches.len());
        let Some(&next) = branches.get(next) else { return };
        let was_on = self.state.is_on();
        let name = self.editor.doc.state_name();
        self.keep_named(name);
        if !was_on {
            self.show_mode(CompareMode::Difference);
        }
        self.editor.doc.show_branch(next);
    }
}
