//! Carries out camera commands over a square.

use bevy::prelude::*;
use bevy::window::{PrimaryWindow, RequestRedraw};

use super::{Framed, ViewCamera, bounds_world, opening_box};
use crate::view::camera::command::ViewCommand;
use crate::view::camera::input::{CameraBehaviour, ViewportArea};
use crate::view::camera::pose::{Glide, Pose};
use crate::view::lens::ViewProjection;
use crate::view::state::ViewState;

/// Carries out camera commands over a square; starts and continues glides.
pub fn obey_commands(
    mut commands: MessageReader<ViewCommand>,
    mut camera: ResMut<ViewCamera>,
    mut redraw: MessageWriter<RequestRedraw>,
    state: Res<ViewState>,
    (area, manners): (Res<ViewportArea>, Res<CameraBehaviour>),
    time: Res<Time<Real>>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
) {
    let (Some((low, high)), Some(window)) = (bounds_world(&state), window) else { return };
    // use the size of the whole view: a change of the comparison layout must not make the camera frame the terrain
    // again
    let size = area.clamped_rect(window.size()).size();
    let lens = state.lens(size);
    // a view of another size frames the same box again, because the first frames are drawn before the panels have
    // reported the free area; other heights do not move the camera
    let to_frame = match camera.framed {
        Framed::ByHand => None,
        Framed::NotYet => opening_box(&state),
        Framed::For { size: known, low_world, high_world } => (size != known).then_some((low_world, high_world)),
    };
    if camera.projection != state.projection {
        (camera.pose, camera.glide) = (camera.projected(state.projection, &state), None);
        camera.projection = state.projection;
        redraw.write(RequestRedraw);
    }
    if let Some((low_world, high_world)) = to_frame {
        let framed = (low_world, high_world);
        camera.pose = ViewCommand::Perspective.pose(&camera.pose, framed, &lens, state.projection);
        camera.framed = Framed::For { size, low_world, high_world };
    }
    let mut seconds = time.delta_secs();
    for command in commands.read() {
        if let ViewCommand::Stand { eye_world, yaw, pitch } = *command
            && state.projection == ViewProjection::Orthographic
        {
            camera.jump_to(Pose { eye_world, yaw, pitch });
            redraw.write(RequestRedraw);
            continue;
        }
        let there = command.pose(&camera.pose, (low, high), &lens, state.projection);
        let (from, to) = command.seen(low, high);
        if manners.jumps {
            (camera.pose, camera.glide) = (there, None);
            redraw.write(RequestRedraw);
        } else {
            camera.glide = Some(Glide::new(camera.pose, there, 0.5 * (from + to)));
        }
        camera.framed = Framed::ByHand;
        // the glide starts now, not at the last frame
        seconds = 0.0;
    }
    if let Some(mut glide) = camera.glide.take() {
        let (pose, is_finished) = glide.advance(seconds);
        camera.pose = pose;
        if !is_finished {
            camera.glide = Some(glide);
            redraw.write(RequestRedraw);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::view::camera::square::MOUNTAINS_OVER_RELIEF;
    use crate::view::overlays::choice::OverlayChoice;
    use crate::view::render_terrain::RenderTerrain;
    use crate::view::scale::SIDE_WORLD;
    use crate::view::square::SquareTerrain;
    use talweg::field::{Control, Edges, Terrain};
    use talweg::scene::Settings;

    /// A view of hills up to `height`, as a fraction of a relief of 4 km.
    fn hills(height: f32) -> ViewState {
        let terrain = Terrain::from_fn(65, Edges::Open, |u, v| height * (u * 9.0).sin().abs() * (v * 7.0).cos().abs());
        let settings = Settings { size_metres: 8000.0, relief_metres: 4000.0, ..Settings::default() };
        let (choice, control) = (OverlayChoice::default(), Control::default());
        let square = SquareTerrain::new(&Arc::new(terrain), &settings, &choice, &control).unwrap();
        ViewState { terrain: Some(RenderTerrain::Square(Arc::new(square))), ..ViewState::default() }
    }

    #[test]
    fn level_ground_is_framed_with_room_for_mountains() {
        let (level, real) = (hills(0.0), hills(0.9));
        // a relief of 4 km over a side of 8 km is half as high as the side
        let ground_world = bounds_world(&level).unwrap().1.y;
        assert_eq!(opening_box(&level).unwrap().1.y - ground_world, 0.5 * SIDE_WORLD * MOUNTAINS_OVER_RELIEF);
        assert_eq!(opening_box(&real), bounds_world(&real), "mountains are framed as they are");
    }

    #[test]
    fn only_framing_and_the_view_size_move_the_camera() {
        let mut app = App::new();
        app.add_message::<ViewCommand>()
            .add_message::<RequestRedraw>()
            .init_resource::<ViewCamera>()
            .init_resource::<ViewportArea>()
            .insert_resource(CameraBehaviour { jumps: true, ..CameraBehaviour::default() })
            .init_resource::<Time<Real>>()
            .insert_resource(hills(0.2))
            .add_systems(Update, obey_commands);
        let window = app.world_mut().spawn((Window::default(), PrimaryWindow)).id();
        let mut shown = |change: &dyn Fn(&mut World)| {
            change(app.world_mut());
            app.update();
            app.world().resource::<ViewCamera>().pose
        };
        let low = shown(&|_| ());
        for height in [0.9, 0.0, -0.5, 0.2] {
            assert_eq!(shown(&|world| world.insert_resource(hills(height))), low, "hills up to {height}");
        }
        let high = shown(&|world| {
            world.insert_resource(hills(0.9));
            world.resource_mut::<ViewCamera>().frame_again();
        });
        assert_ne!(high, low, "the camera frames the higher hills");
        let resize =
            |width: f32| move |world: &mut World| world.get_mut::<Window>(window).unwrap().resolution.set(width, 500.0);
        let narrow = shown(&resize(400.0));
        assert_ne!(narrow, high, "the narrower view shows the whole terrain from farther away");
        shown(&|world| world.insert_resource(hills(0.2)));
        assert_eq!(shown(&resize(900.0)), shown(&|_| ()));
        assert_eq!(shown(&resize(400.0)), narrow, "the framed box is the same as before the hills became lower");
        let asked = shown(&|world| {
            world.write_message(ViewCommand::Perspective);
        });
        assert_ne!(asked, narrow, "a command frames the terrain on screen");
    }
}
