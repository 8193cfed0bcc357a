//! The globe of a planet: prepared for drawing, picked, and drawn as a sphere, as a flat map, or in its orbit. The
//! sphere has air, clouds, a sea, a night side and stars.
//!
//! ```text
//! worker                     main world                       render world
//! GlobeTerrain::new ──Arc──▶ ViewState ──────────extract─────▶ Textures (upload, swap when complete)
//!                                 PlanetView (planet, settings)
//!                                 mouse, commands ▶ GlobeCamera
//!                                 plan ▶ PlannedScenery(Scenery) ─extract▶ lod::select ▶ patches ▶ draw
//! ```
//! [`camera`], [`ground`], [`lod`], `sun` and `air` do not depend on Bevy. Positions are computed in double precision
//! in planet space and reach the shaders relative to the eye.
//!
//! If the eye is lower than some thousand kilometres, fine terrain between the samples is drawn, down to a metre:
//! [`tiles`].
//!
//! The fragment stage finds shadows of mountains by a search towards the sun in the height textures. The shadows cannot
//! be precomputed: the sun moves whenever the user drags the hour, and the exaggeration falls as the eye descends
//! (`relief`).

mod air;
mod body;
mod bounds;
pub mod camera;
pub mod drawing;
mod face;
mod frame;
pub mod ground;
pub mod lod;
mod metering;
mod noise_volume;
pub mod parts;
mod patches;
mod plant_sun;
mod relief;
mod scenery;
mod sun;
mod terrain;
mod tiles;
mod wetness;

pub use body::PlanetAppearance;
pub use ground::GlobeSurface;
pub use scenery::{PlanetView, PlannedScenery, Scenery};
pub use sun::Attitude;
pub use terrain::GlobeTerrain;
