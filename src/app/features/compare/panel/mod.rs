//! Comparing: how A and B are shown, and what its commands do.

mod bar;
mod over;
mod table;

use std::sync::Arc;

use bevy_egui::egui::Color32;

use crate::app::features::compare::differences::Table;
use crate::app::features::compare::task::{Ask, State};
use crate::app::frame::commands::{CompareAction, Overlay, ViewAction, Way};
use crate::app::frame::editor::{Editor, Effect};
use crate::app::frame::theme::ink;
use crate::app::view::{Layout, Legend, Side};

pub use crate::app::features::compare::panel::bar::{bar, choose};
pub use crate::app::features::compare::panel::over::over;
pub use crate::app::features::compare::panel::table::table;

/// How A and B are shown; the panels change it, the view reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompareState {
    pub way: Way,
    /// Where the handle of the split view stands, as a share of the width.
    pub split: f32,
    /// B where A would be.
    pub swapped: bool,
    /// The table is wanted.
    pub table: bool,
    /// There is a B, or one is on its way.
    is_on: bool,
    /// The overlay before the difference was shown.
    before: Overlay,
    /// The pointer is on the handle.
    holds_pointer: bool,
}

impl Default for CompareState {
    fn default() -> Self {
        Self {
            way: Way::default(),
            split: 0.5,
            swapped: false,
            table: true,
            is_on: false,
            before: Overlay::None,
            holds_pointer: false,
        }
    }
}

impl CompareState {
    pub fn layout(&self) -> Layout {
        match self.way {
            Way::Split => Layout::Split(self.split),
            Way::Halves => Layout::Halves,
            Way::One | Way::Difference => Layout::One,
        }
    }

    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Whether the view shall leave the pointer alone.
    pub(crate) fn holds_pointer(&self) -> bool {
        self.holds_pointer
    }

    /// What the panels were told outside.
    pub(crate) fn hear(&mut self, info: &CompareInfo) {
        self.is_on = info.is_on();
        self.holds_pointer &= self.is_on;
    }
}

/// What is known about B.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompareInfo {
    /// Its name, once it is there.
    pub b: Option<String>,
    /// The name of the next one, and the share of it that is done.
    pub making: Option<(String, f32)>,
    /// What the colours on B mean.
    pub legend: Option<Arc<Legend>>,
    pub table: Option<Arc<Table>>,
    /// The table is older than what is on screen.
    pub stale: bool,
}

impl CompareInfo {
    pub fn is_on(&self) -> bool {
        self.b.is_some() || self.making.is_some()
    }
}

/// What is said where there is a planet.
pub(crate) const NO_COMPARING: &str = "Planets cannot be compared yet. Take a patch: terrains can.";

impl Editor {
    /// Carries out a command of comparing.
    pub(crate) fn run_compare(&mut self, action: CompareAction) {
        if self.doc.scene().as_planet().is_some() && !self.compare.is_on {
            self.toasts.warning(NO_COMPARING);
            return;
        }
        match action {
            CompareAction::Toggle if self.compare.is_on => self.end_comparing(),
            CompareAction::Toggle | CompareAction::Keep => self.keep_as_b(),
            CompareAction::WithScene => self.dialogs.ask_which_scene(&self.doc),
            CompareAction::WithoutLayer => {
                if let Some(index) = self.doc.selected_layer() {
                    self.doc.vary(index);
                    self.ask(Ask::Variant);
                }
            }
            CompareAction::WithBranch(index) => {
                if let Some((scene, playhead)) = self.doc.branch_scene(index) {
                    let name = self.doc.scene().layers[index].name.clone();
                    self.ask(Ask::State(State { name, scene: Arc::new(scene), playhead }));
                }
            }
            CompareAction::Show(way) => {
                if !self.compare.is_on {
                    self.keep_as_b();
                }
                self.show_way(way);
            }
            CompareAction::Swap => self.compare.swapped ^= self.compare.is_on,
            CompareAction::Table => self.compare.table ^= self.compare.is_on,
        }
    }

    /// Asks for a B.
    pub(crate) fn ask(&mut self, ask: Ask) {
        self.compare.is_on = true;
        if self.view.overlay == Overlay::Difference {
            self.compare.way = Way::Difference;
        }
        self.effects.push(Effect::Compare(ask));
    }

    fn keep_as_b(&mut self) {
        let name = format!("{}, kept", self.doc.state_name());
        self.keep_named(name);
    }

    fn keep_named(&mut self, name: String) {
        let (scene, playhead) = self.doc.shown_scene();
        let state = State { name, scene: Arc::new(scene), playhead };
        self.ask(Ask::Keep { state, is_whole: !self.doc.is_unfinished() });
    }

    fn end_comparing(&mut self) {
        self.show_way(Way::Split);
        self.compare = CompareState { split: self.compare.split, table: self.compare.table, ..CompareState::default() };
        if self.view.overlay == Overlay::Difference {
            self.show_overlay(Overlay::None);
        }
        self.effects.push(Effect::Compare(Ask::Nothing));
    }

    /// What was begun with a terrain ends where a planet is opened.
    pub(crate) fn end_comparing_planets(&mut self) {
        if self.compare.is_on && self.doc.scene().as_planet().is_some() {
            self.end_comparing();
            self.toasts.info("Comparing ended: planets cannot be compared yet.");
        }
    }

    fn show_way(&mut self, way: Way) {
        let was = std::mem::replace(&mut self.compare.way, way);
        self.compare.swapped = false;
        match (was, way) {
            (Way::Difference, Way::Difference) => {}
            (_, Way::Difference) if self.view.overlay != Overlay::Difference => {
                self.compare.before = self.view.overlay;
                self.show_overlay(Overlay::Difference);
            }
            (Way::Difference, _) if self.view.overlay == Overlay::Difference => {
                let before = std::mem::take(&mut self.compare.before);
                self.show_overlay(before);
            }
            _ => {}
        }
    }

    fn show_overlay(&mut self, overlay: Overlay) {
        self.view.overlay = overlay;
        self.effects.push(Effect::View(ViewAction::Overlay(overlay)));
    }

    /// Another overlay was chosen in the menu.
    pub(crate) fn overlay_was_chosen(&mut self) {
        if self.compare.way == Way::Difference && self.view.overlay != Overlay::Difference {
            self.compare.way = Way::One;
        }
    }

    /// Shows the branch after the present one, and how it differs from what is on screen.
    pub(crate) fn compare_branch(&mut self) {
        let branches = self.doc.branches();
        let shown = branches.iter().position(|&index| Some(index) == self.doc.shown_branch());
        let next = shown.map_or(0, |k| (k + 1) % branches.len());
        let Some(&next) = branches.get(next) else { return };
        let was_on = self.compare.is_on;
        let name = self.doc.state_name();
        self.keep_named(name);
        if !was_on {
            self.show_way(Way::Difference);
        }
        self.doc.show_branch(next);
    }
}

/// Colours of the two badges, which people who confuse red and green can tell apart (Okabe & Ito 2008).
const A: Color32 = ink::BLUE;
const B: Color32 = ink::ORANGE;

fn letter(side: Side) -> (&'static str, Color32) {
    match side {
        Side::A => ("A", A),
        Side::B => ("B", B),
    }
}
