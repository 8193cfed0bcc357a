//! The cameras: poses, commands, mouse control, and the terrain point under the cursor.

pub mod apply;
pub mod command;
pub mod globe;
pub mod input;
pub mod pose;
pub mod square;
pub mod stage;

use bevy::prelude::*;
use bevy::transform::TransformSystems;

use super::globe::PlanetView;

/// The plugin that adds the cameras over squares and globes to a window. The plugin handles the mouse, the commands and
/// the point under the cursor.
pub struct ViewCameraPlugin;

impl Plugin for ViewCameraPlugin {
    fn build(&self, app: &mut App) {
        app.add_message::<command::ViewCommand>()
            .init_resource::<square::ViewCamera>()
            .init_resource::<globe::GlobeCamera>()
            .init_resource::<input::ViewportArea>()
            .init_resource::<input::CameraBehaviour>()
            .init_resource::<apply::Probe>()
            .init_resource::<globe::probe::GlobeProbe>()
            .init_resource::<PlanetView>()
            .add_systems(Startup, apply::spawn_camera)
            .add_systems(
                Update,
                (square::commands::obey_commands, square::mouse::follow_mouse)
                    .chain()
                    .in_set(input::ViewSystems::Input),
            )
            .add_systems(
                Update,
                (globe::commands::obey_commands, globe::mouse::follow_mouse)
                    .chain()
                    .after(square::mouse::follow_mouse)
                    .in_set(input::ViewSystems::Input),
            )
            .add_systems(
                PostUpdate,
                (apply::apply_camera, apply::update_probe)
                    .chain()
                    .in_set(input::ViewSystems::Apply)
                    .before(TransformSystems::Propagate)
                    .before(bevy::camera::CameraUpdateSystems),
            )
            .add_systems(
                PostUpdate,
                (globe::plan::plan, globe::probe::update_probe)
                    .chain()
                    .in_set(input::ViewSystems::Apply)
                    .before(TransformSystems::Propagate),
            )
            .add_systems(Last, apply::redraw_when_area_changes);
    }
}
