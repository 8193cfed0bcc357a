//! Converts between terrain positions and screen points of the 3D view. Tools use this module to draw over the view and
//! to drag handles in it.
//!
//! Terrain positions are fractions of the square's side, u to the east and v to the south. Screen points are in egui's
//! logical points, measured from the upper left corner of the window.

use std::sync::Arc;

use bevy::math::Rect;
use glam::{Vec2, Vec3};

use super::input::ViewportArea;
use super::pose::Pose;
use super::square::ViewCamera;
use crate::view::compare::CompareSide;
use crate::view::construction_surface::TreeSurface;
use crate::view::lens::Lens;
use crate::view::scale::SIDE_WORLD;
use crate::view::square::SquareTerrain;
use crate::view::state::ViewState;

/// A terrain position: fractions of the square's side to the east and to the south.
pub type GroundPosition = [f64; 2];

/// The edited terrain as drawn, with the camera's pose and lens.
#[derive(Clone)]
pub struct TerrainView {
    pub pose: Pose,
    pub lens: Lens,
    /// Upper left corner of the image.
    pub origin: Vec2,
    pub square: Arc<SquareTerrain>,
    /// The construction tree that is drawn in place of the grid, if there is one.
    pub tree_surface: Option<Arc<TreeSurface>>,
}

impl PartialEq for TerrainView {
    fn eq(&self, other: &Self) -> bool {
        let own = (self.pose, self.lens, self.origin, self.serial());
        own == (other.pose, other.lens, other.origin, other.serial())
    }
}

impl std::fmt::Debug for TerrainView {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Stage").field("pose", &self.pose).field("serial", &self.square.serial).finish()
    }
}

impl TerrainView {
    /// The edited terrain as it is shown now; `None` if no square terrain is visible.
    pub fn new(view_state: &ViewState, camera: &ViewCamera, area: &ViewportArea) -> Option<Self> {
        let view = Rect { min: area.min, max: area.max };
        if !view.max.is_finite() || view.size().min_element() < 1.0 {
            return None;
        }
        let square = view_state.square_on_side(CompareSide::A)?;
        let pane = view_state.panes().into_iter().flatten().find(|pane| pane.side == CompareSide::A)?;
        let lens = view_state.lens(view.size());
        let (square, tree_surface) = (square.clone(), view_state.tree_surface.clone());
        Some(Self { pose: camera.pose, lens, origin: pane.image_rect(view).min, square, tree_surface })
    }

    /// The terrain position under a screen point; `None` if the ray through this point misses the terrain.
    pub fn ground(&self, at: [f32; 2]) -> Option<GroundPosition> {
        let ray = self.ray(at);
        let Some(tree_surface) = &self.tree_surface else {
            let point = self.square.picker().pick_point(self.pose.eye_world, ray)?;
            return Some(self.position(point));
        };
        // search a little above the grid, because a coarse grid can miss the highest peak of the construction tree
        let highest = self.square.scale.highest_world + 0.03 * SIDE_WORLD;
        let t = tree_surface.pick(self.pose.eye_world, ray, highest)?;
        let place = self.position(self.pose.eye_world + ray.normalize() * t);
        self.square.has_ground(place).then_some(place)
    }

    /// The terrain position under a screen point, as [`ground`](Self::ground) finds it. If the ray misses the terrain,
    /// it is intersected with the horizontal plane at the terrain height of `near`.
    pub fn ground_or_level(&self, at: [f32; 2], near: GroundPosition) -> Option<GroundPosition> {
        self.ground(at).or_else(|| {
            let (ray, height) = (self.ray(at), self.point_above(near, 0.0).y);
            let distance = (height - self.pose.eye_world.y) / ray.y;
            (distance.is_finite() && distance > 0.0).then(|| {
                let [u, v] = self.position(self.pose.eye_world + ray * distance);
                // limit the position, because an almost horizontal ray hits the plane very far away
                [u.clamp(-0.5, 1.5), v.clamp(-0.5, 1.5)]
            })
        })
    }

    /// The screen point of a terrain position, or of a point `over_metres` above it.
    pub fn screen(&self, place: GroundPosition, over_metres: f32) -> Option<[f32; 2]> {
        let point = self.point_above(place, over_metres);
        let at = self.pose.project(&self.lens, point)? + self.origin;
        Some([at.x, at.y])
    }

    /// Whether no terrain hides this terrain position from the eye.
    pub fn is_seen(&self, place: GroundPosition) -> bool {
        let point = self.point_above(place, 0.0);
        let way = point - self.pose.eye_world;
        match self.square.picker().pick(self.pose.eye_world, way) {
            Some(t) => (1.0 - t) * way.length() < 4.0 * self.square.scale.cell_world + 0.004 * way.length(),
            None => true,
        }
    }

    /// Serial numbers of the visible grid and construction tree. The numbers change whenever the visible terrain
    /// changes.
    pub fn serial(&self) -> (u64, u64) {
        (self.square.serial, self.tree_surface.as_ref().map_or(0, |tree_surface| tree_surface.serial))
    }

    /// Terrain height in metres at a position.
    pub fn height_metres(&self, place: GroundPosition) -> f32 {
        self.point_above(place, 0.0).y * self.square.scale.metres_per_world
    }

    /// Length of one logical screen point at the distance of a terrain position, measured across the line of sight. The
    /// length is a fraction of the square's side.
    pub fn side_fraction_per_point(&self, place: GroundPosition) -> f64 {
        let depth = self.pose.forward().dot(self.point_above(place, 0.0) - self.pose.eye_world).max(1e-3);
        let height = 2.0 * depth * (0.5 * self.lens.fov_y).tan();
        f64::from(height / self.lens.size.y / SIDE_WORLD)
    }

    /// The box in world space around the terrain within a rectangle. `low` and `high` are corners of the rectangle.
    pub fn box_world(&self, low: GroundPosition, high: GroundPosition) -> [[f32; 3]; 2] {
        const STEPS: usize = 12;
        let span = |k: usize, axis: usize| low[axis] + (high[axis] - low[axis]) * k as f64 / STEPS as f64;
        let (mut from, mut to) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for k in 0..(STEPS + 1) * (STEPS + 1) {
            let point = self.point_above([span(k % (STEPS + 1), 0), span(k / (STEPS + 1), 1)], 0.0);
            (from, to) = (from.min(point), to.max(point));
        }
        [from.into(), to.into()]
    }

    fn point_above(&self, [u, v]: GroundPosition, metres: f32) -> Vec3 {
        let (on_grid, scale) = ([u as f32, v as f32], &self.square.scale);
        let mut ground = scale.world(on_grid[0], on_grid[1], self.square.terrain.height_at(on_grid[0], on_grid[1]));
        if let Some(tree_surface) = &self.tree_surface {
            // the height of the grid is accurate enough where a cell is no larger than a pixel
            let away = ground.distance(self.pose.eye_world);
            if scale.cell_world > away * self.radians_per_point() {
                let flat = [u, v].map(|at| (at.clamp(0.0, 1.0) - 0.5) * f64::from(SIDE_WORLD));
                let spacing = f64::from(away * self.radians_per_point()).max(1e-6);
                ground.y = tree_surface.sample(flat, &tree_surface.detail(spacing)).height as f32;
            }
        }
        ground + Vec3::Y * (metres / scale.metres_per_world)
    }

    fn radians_per_point(&self) -> f32 {
        2.0 * (0.5 * self.lens.fov_y).tan() / self.lens.size.y
    }

    fn position(&self, point: Vec3) -> GroundPosition {
        [f64::from(point.x / SIDE_WORLD + 0.5), f64::from(point.z / SIDE_WORLD + 0.5)]
    }

    fn ray(&self, at: [f32; 2]) -> Vec3 {
        self.pose.ray(&self.lens, Vec2::from(at) - self.origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::overlays::choice::OverlayChoice;
    use talweg::field::{Control, Edges, Terrain};
    use talweg::scene::Settings;

    fn stage() -> TerrainView {
        let terrain = Terrain::from_fn(129, Edges::Open, |u, v| 0.5 + 0.3 * (u * 9.0).sin() * (v * 7.0).cos());
        let settings = Settings { size_metres: 8000.0, relief_metres: 1200.0, ..Settings::default() };
        let square =
            SquareTerrain::new(&Arc::new(terrain), &settings, &OverlayChoice::default(), &Control::default()).unwrap();
        let lens = Lens { fov_y: 0.6, size: Vec2::new(900.0, 600.0) };
        let (low, high) = square.scale.bounds_world();
        let pose = Pose::framing(low, high, 0.5, -0.7, &lens);
        TerrainView { pose, lens, origin: Vec2::new(330.0, 30.0), square: Arc::new(square), tree_surface: None }
    }

    #[test]
    fn picking_finds_visible_points_at_their_place() {
        let stage = stage();
        let mut seen = 0;
        for k in 0..100 {
            let place = [f64::from(k % 10) * 0.09 + 0.07, f64::from(k / 10) * 0.09 + 0.07];
            let at = stage.screen(place, 0.0).unwrap();
            if stage.is_seen(place) {
                let back = stage.ground(at).unwrap();
                let far = (back[0] - place[0]).hypot(back[1] - place[1]);
                assert!(far < 0.03, "{place:?} is mapped back to {back:?}");
                seen += 1;
            }
        }
        assert!(seen > 60, "{seen}");
    }

    #[test]
    fn picking_uses_the_tree_where_the_tree_is_drawn() {
        let scene = talweg::scene::example("paper-004-fig-12-craters").expect("a built-in").scene.clone();
        let tree_surface = TreeSurface::without_layers(&scene);
        // this grid is very coarse, so a good fit can only come from the construction tree
        let coarse =
            talweg::eval::evaluate(&scene, 9, None, &mut talweg::eval::Store::forgetful(), &Control::default());
        let terrain = coarse.expect("never cancelled").terrain;
        let square =
            SquareTerrain::new(&terrain, &scene.settings, &OverlayChoice::default(), &Control::default()).unwrap();
        let lens = Lens { fov_y: 0.6, size: Vec2::new(900.0, 600.0) };
        let eye_world = Vec3::new(30.0, tree_surface.floor_world(Vec3::new(30.0, 0.0, 80.0), 1e-3) + 6.0, 80.0);
        let pose = Pose { eye_world, yaw: 0.3, pitch: -0.4 };
        let (square, tree_surface) = (Arc::new(square), Some(Arc::new(tree_surface)));
        let stage = TerrainView { pose, lens, origin: Vec2::ZERO, square, tree_surface };
        for at in [[450.0, 300.0], [200.0, 420.0], [700.0, 560.0]] {
            let place = stage.ground(at).expect("the camera looks at the terrain");
            let [x, y] = stage.screen(place, 0.0).expect("the point is in front of the camera");
            assert!((x - at[0]).hypot(y - at[1]) < 1.5, "{at:?}: {x} {y}");
        }
    }

    #[test]
    fn a_screen_point_has_its_stated_width() {
        let stage = stage();
        let (place, share) = ([0.5, 0.5], stage.side_fraction_per_point([0.5, 0.5]));
        let right = [f64::from(stage.pose.yaw.cos()), f64::from(stage.pose.yaw.sin())];
        let there = [place[0] + 50.0 * share * right[0], place[1] + 50.0 * share * right[1]];
        let over = stage.height_metres(place) - stage.height_metres(there);
        let (a, b) = (stage.screen(place, 0.0).unwrap(), stage.screen(there, over).unwrap());
        assert!(((b[0] - a[0]).hypot(b[1] - a[1]) - 50.0).abs() < 0.5, "{a:?} {b:?}");
    }
}
