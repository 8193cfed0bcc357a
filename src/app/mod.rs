//! The editor: Bevy and egui, and nothing else of Talweg knows them.

pub mod shot;
pub mod view;
