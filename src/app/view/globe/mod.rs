//! The view of a planet: globe, flat map and orbit, with its air, clouds, sea, night and stars.
//!
//! ```text
//! worker                     main world                       render world
//! GlobeTerrain::new ──Arc──▶ ViewState ──────────extract─────▶ Textures (upload, swap when complete)
//!                                 PlanetView (planet, settings)
//!                                 mouse, commands ▶ GlobeCamera
//!                                 plan ▶ PlannedScenery(Scenery) ─extract▶ lod::select ▶ pieces ▶ draw
//! ```
//! [`camera`] but for its `control`, [`ground`], [`lod`], `sun` and `air` know no engine. Positions are worked out in
//! double precision in the space of the planet and reach the shaders relative to the eye.
//!
//! Below some thousand kilometres the ground between the samples is drawn, down to a metre: [`tiles`].
//!
//! Shadows of mountains are found in the fragment stage, towards the sun through the textures: the sun moves with every
//! drag of the hour, and the relief is drawn ever truer on the way down (`relief`).

mod air;
mod body;
pub mod camera;
pub(super) mod drawing;
pub(super) mod frame;
pub mod ground;
pub mod lod;
mod metering;
mod noise_volume;
mod plant_sun;
mod relief;
pub(super) mod scenery;
mod sun;
pub(super) mod terrain;
pub(super) mod tiles;
mod wetness;

use bevy::prelude::*;
use bevy::transform::TransformSystems;

pub use body::Body;
pub use camera::control::{GlobeCamera, GlobeHit, GlobeProbe, project, scenery};
pub use scenery::{PlanetView, PlannedScenery, Scenery};
pub use terrain::GlobeTerrain;

use crate::view::camera::control::ViewSystems;

/// What the window adds to the drawing of planets: the mouse, the commands and the place under the cursor.
pub struct GlobePlugin;

impl Plugin for GlobePlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<GlobeCamera>()
            .init_resource::<GlobeProbe>()
            .init_resource::<PlanetView>()
            .add_systems(
                Update,
                (camera::control::obey_commands, camera::control::follow_mouse)
                    .chain()
                    .after(crate::view::camera::control::follow_mouse)
                    .in_set(ViewSystems::Input),
            )
            .add_systems(
                PostUpdate,
                (camera::control::plan, camera::control::update_probe)
                    .chain()
                    .in_set(ViewSystems::Apply)
                    .before(TransformSystems::Propagate),
            );
    }
}
