//! The panels without a window: every interaction goes through the pointer and the keyboard.

mod compare;
mod editing;
mod erosion;
mod kit;
mod measures;
