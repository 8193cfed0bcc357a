//! Properties of a planet besides its layers: size, air, sun and climate.
//!
//! A scene whose settings say `world: Planet` is evaluated on a [globe](crate::field::globe) of six square faces, by
//! the same [`eval`](crate::eval) as a terrain. Nodes declare whether they support globes
//! (`Traits::on_planet` of the nodes).

pub mod climate;
pub mod clouds;
pub mod faces;
pub mod projection;
mod settings;
pub mod space_noise;
pub mod square;

pub use settings::{Air, Planet, World};
