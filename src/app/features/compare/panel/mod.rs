//! The panels of the comparison: bar, overlay of the view, and table.

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

/// Settings for the display of A and B. The panels change them and the view reads them.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct CompareState {
    pub mode: CompareMode,
    /// Position of the divider of the split view, as a fraction of the width.
    pub split: f32,
    /// Whether A and B are swapped.
    pub swapped: bool,
    /// Whether the table of differences is open.
    pub table: bool,
    /// Whether B exists or is being computed.
    is_on: bool,
    /// The overlay that was shown before the difference overlay.
    pub(super) previous_overlay: Overlay,
    /// Whether the pointer is on the divider.
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
            previous_overlay: Overlay::None,
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

    /// Updates the display state when a comparison starts.
    pub(super) fn start(&mut self) {
        self.is_on = true;
    }

    /// Updates the display state when a comparison ends. The settings of the display stay for the next comparison.
    pub(super) fn end(&mut self) {
        *self = Self { split: self.split, table: self.table, ..Self::default() };
    }

    /// Whether the view must ignore the pointer because it is on the divider.
    pub(crate) fn holds_pointer(&self) -> bool {
        self.holds_pointer
    }

    /// Updates the state after B has changed.
    pub(crate) fn update(&mut self, info: &CompareInfo) {
        self.is_on = info.is_on();
        self.holds_pointer &= self.is_on;
    }
}

/// Data about B.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct CompareInfo {
    /// Name of B; `None` until B is computed.
    pub b: Option<String>,
    /// Whether B is a planet.
    pub is_planet: bool,
    /// Name of the B that is being computed, and the completed fraction of its computation.
    pub making: Option<(String, f32)>,
    /// Legend of the overlay that is shown on B.
    pub legend: Option<Arc<Legend>>,
    pub table: Option<Arc<Table>>,
    /// Whether the table is older than the terrain on screen.
    pub stale: bool,
}

impl CompareInfo {
    pub fn is_on(&self) -> bool {
        self.b.is_some() || self.making.is_some()
    }
}

/// The letter of a terrain and the colour of its badge. The colours can be told apart with red-green colour blindness
/// (Okabe & Ito 2008).
fn letter(side: CompareSide) -> (&'static str, Color32) {
    match side {
        CompareSide::A => ("A", ink::blue()),
        CompareSide::B => ("B", ink::orange()),
    }
}
