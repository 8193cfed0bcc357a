//! The frame around the features: window, document, commands, dialogs, evaluation, status.

pub mod commands;
pub mod crash_recovery;
pub mod dialogs;
pub mod document;
pub mod editor;
pub mod evaluation;
pub mod launch;
pub mod menu;
pub mod preferences;
pub mod recent;
pub mod status;
pub mod systems;
pub mod tasks;
pub mod theme;
pub mod toasts;
pub mod widgets;
