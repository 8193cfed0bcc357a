//! The editor: Bevy and egui, nothing else.

pub mod commands;
pub mod dialogs;
pub mod document;
pub mod panels;
pub mod recent;
pub mod theme;
