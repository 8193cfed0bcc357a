//! Properties of a planet other than its layers: size, air, sun and climate.
//!
//! A *planet* is a world that a scene describes. A *globe* is the shape of the terrain of a planet: a sphere of six
//! faces with samples. A scene [is a planet](World::Planet). A grid or a terrain [is a
//! globe](crate::field::Grid::is_globe), and so is the surface that the viewport draws.
//!
//! A scene with the setting `world: Planet` is evaluated on a [globe](crate::field::globe) of six square faces. The
//! module `talweg::eval` evaluates both planets and flat terrains. Each node declares whether it supports globes
//! (`Traits::on_planet` of the nodes).

pub mod climate;
pub mod clouds;
pub mod faces;
pub mod projection;
mod settings;
pub mod space_noise;
pub mod square;

pub use settings::{Air, Planet, World};
