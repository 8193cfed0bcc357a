//! The stack of layers and their parameters.

pub mod add_menu;
pub mod parameters;
pub mod stack;
