//! Properties of a planet besides its layers: size, air, sun and climate.
//!
//! A *planet* is a world that a scene describes. A *globe* is the form of its terrain: a sphere of six faces with
//! samples. A scene [is a planet](World::Planet); a grid and a terrain
//! [are globes](crate::field::Grid::is_globe), and so is the surface that the view draws.
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
