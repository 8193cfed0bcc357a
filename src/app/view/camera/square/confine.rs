//! Limits of the eye over a square: the eye stays outside terrain and water, and near the terrain.

use crate::view::camera::pose::Pose;
use crate::view::compare::CompareSide;
use crate::view::construction_surface::TreeSurface;
use crate::view::lens::ViewProjection;
use crate::view::scale::SIDE_WORLD;
use crate::view::square::SquareTerrain;
use crate::view::state::ViewState;

/// Greatest distance of the eye from the centre of the terrain, in world units.
const FARTHEST_WORLD: f32 = 6.0 * SIDE_WORLD;

/// Smallest distance between the eye and the terrain, in world units. For a construction tree, which shows detail down
/// to pebbles, the distance is a few centimetres.
pub fn clearance_world(square: &SquareTerrain, tree_surface: Option<&TreeSurface>) -> f32 {
    let nearest_metres = if tree_surface.is_some() { NEAREST_TO_TREE_METRES } else { NEAREST_METRES };
    (nearest_metres / square.scale.metres_per_world).clamp(1e-3, 4.0)
}

/// Smallest distance of the eye from a grid terrain; the second constant is the smallest distance from a construction
/// tree.
const NEAREST_METRES: f32 = 0.3;
const NEAREST_TO_TREE_METRES: f32 = 0.06;

/// Lifts the eye out of terrain and water, and limits its distance from all visible terrains.
pub fn confined(pose: Pose, projection: ViewProjection, state: &ViewState) -> Pose {
    let farthest = FARTHEST_WORLD * projection.distance_factor();
    state.squares().fold(pose, |pose, square| {
        let is_edited = state.square_on_side(CompareSide::A).is_some_and(|edited| std::ptr::eq(&**edited, square));
        confined_by(pose, farthest, square, state.tree_surface.as_deref().filter(|_| is_edited))
    })
}

fn confined_by(pose: Pose, farthest: f32, square: &SquareTerrain, tree_surface: Option<&TreeSurface>) -> Pose {
    let scale = &square.scale;
    let mut eye = pose.eye_world.clamp_length_max(farthest + scale.top_world().abs());
    let floor = match tree_surface {
        Some(tree_surface) if scale.is_inside(eye) => {
            let ground = tree_surface.floor_world(eye, 1e-4);
            if scale.has_sea() { ground.max(scale.sea_world) } else { ground }
        }
        None if scale.is_inside(eye) => {
            let water = scale.drawn_ground_world(&square.terrain, eye) + square.surface_water_world(eye);
            square.floor_world(eye).max(water)
        }
        None if square.has_drawn_ground(eye) => square.floor_world(eye),
        _ => scale.base_world,
    };
    eye.y = eye.y.max(floor + clearance_world(square, tree_surface));
    Pose { eye_world: eye, ..pose }
}
