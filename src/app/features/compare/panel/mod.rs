//! Comparing: how A and B are shown, and what its commands do.

mod bar;
mod table;
mod view_overlay;

use std::sync::Arc;

use bevy::prelude::Resource;
use bevy_egui::egui::Color32;

use crate::features::compare::commands::CompareMode;
use crate::features::compare::differences::Table;
use crate::frame::theme::ink;
use crate::view::{CompareLayout, CompareSide, Legend, Overlay};

pub use crate::features::compare::panel::bar::{bar, choose};
pub use crate::features::compare::panel::table::table;
pub use crate::features::compare::panel::view_overlay::view_overlay;

/// How A and B are shown; the panels change it, the view reads it.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct CompareState {
    pub mode: CompareMode,
    /// Where the handle of the split view stands, as a share of the width.
    pub split: f32,
    /// B where A would be.
    pub swapped: bool,
    /// The table is wanted.
    pub table: bool,
    /// There is a B, or one is on its way.
    is_on: bool,
    /// The overlay before the difference was shown.
    pub(super) before: Overlay,
    /// The pointer is on the handle.
    holds_pointer: bool,
}

impl Default for CompareState {
    fn default() -> Self {
        Self {
            mode: CompareMode::default(),
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
    pub fn layout(&self) -> CompareLayout {
        match self.mode {
            CompareMode::Split => CompareLayout::Split(self.split),
            CompareMode::Halves => CompareLayout::Halves,
            CompareMode::One | CompareMode::Difference => CompareLayout::One,
        }
    }

    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// There will be a B.
    pub(super) fn begin(&mut self) {
        self.is_on = true;
    }

    /// There is no B any more: what is kept is how the next one is shown.
    pub(super) fn end(&mut self) {
        *self = Self { split: self.split, table: self.table, ..Self::default() };
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
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct CompareInfo {
    /// Its name, once it is there.
    pub b: Option<String>,
    /// It is a planet.
    pub is_planet: bool,
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

/// The letter of a terrain and the colour of its badge; people who confuse red and green can tell them apart (Okabe &
/// Ito 2008).
fn letter(side: CompareSide) -> (&'static str, Color32) {
    match side {
        CompareSide::A => ("A", ink::blue()),
        CompareSide::B => ("B", ink::orange()),
    }
}
