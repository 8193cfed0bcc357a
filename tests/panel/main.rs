//! The panels without a window: every interaction goes through the pointer and the keyboard.

mod bench;
mod biomes;
mod brush;
mod camera;
mod compare;
mod dimensions;
mod docking;
mod editing;
mod erosion;
mod export;
mod ground_menu;
mod guide;
mod kit;
mod map;
mod measures;
mod pen;
mod pieces;
mod planets;
mod preferences;
mod saving;
mod search;
mod several_pieces;
mod stack;
mod tour;
mod units;
mod variants;
