//! The view of a planet: globe, flat map and orbit, with its air, clouds, sea, night and stars.
//!
//! ```text
//! worker                     main world                       render world
//! GlobeTerrain::new ──Arc──▶ ViewState ──────────extract─────▶ Textures (upload, swap when complete)
//!                                 PlanetView (planet, settings)
//!                                 mouse, commands ▶ GlobeCamera
//!                                 plan ▶ PlannedScenery(Scenery) ─extract▶ lod::select ▶ pieces ▶ draw
//! ```
//! [`camera`] (except its `control`), [`ground`], [`lod`], `sun` and `air` do not depend on Bevy. Positions are
//! computed in double precision in planet space and reach the shaders relative to the eye.
//!
//! Below some thousand kilometres, fine terrain between the samples is drawn, down to a metre: [`tiles`].
//!
//! The fragment stage finds shadows of mountains by a search towards the sun in the height textures. They cannot be
//! precomputed: the sun moves whenever the user drags the hour, and the exaggeration falls on the way down (`relief`).

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

/// The plugin that adds planet controls to a window: the mouse, the commands and the point under the cursor.
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
