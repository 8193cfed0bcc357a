//! What a planet is besides its stack of layers: its size, air and sun.
//!
//! A scene whose settings say `world: Planet` is evaluated on a [globe](crate::field::globe) of six square faces, by
//! the same [`eval`](crate::eval) as a terrain. Nodes say whether they run there
//! ([`Traits::on_globe`](crate::nodes::Traits::on_globe)).

pub mod climate;
pub mod clouds;
pub mod faces;
pub mod projection;
mod settings;
pub mod space_noise;
pub mod square;

pub use settings::{Air, Planet, World};
