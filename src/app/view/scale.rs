//! Position and scale of the terrain in world space, the space in which the terrain is drawn.
//!
//! The square is [`SIDE_WORLD`] units wide and centred on the origin; x points east, y up, z south. Heights are true to
//! scale. All terrains have the same size in world space. A garden and a continent therefore get the same
//! floating-point and depth precision.

use glam::{Vec2, Vec3};

use talweg::field::Terrain;
use talweg::scene::Settings;

/// Side length of the terrain in world units.
pub const SIDE_WORLD: f32 = 1000.0;

/// Mapping from the samples and heights of one terrain to world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldScale {
    /// Samples per side of the drawn grid.
    pub samples: usize,
    /// Distance between neighbouring samples, in world units.
    pub cell_world: f32,
    /// Height of the relief in world units; terrain heights are fractions of the relief.
    pub relief_world: f32,
    pub metres_per_world: f32,
    pub lowest_world: f32,
    pub highest_world: f32,
    pub sea_world: f32,
    /// Height of the underside of the terrain block, in world units.
    pub base_world: f32,
    /// Greatest depth of inland water, in world units.
    pub surface_water_world: f32,
}

impl WorldScale {
    pub fn new(terrain: &Terrain, settings: &Settings) -> Self {
        Self::with_range(terrain, settings, terrain.range())
    }

    /// The scale of a terrain whose lowest and highest heights are already known.
    pub fn with_range(terrain: &Terrain, settings: &Settings, (low, high): (f32, f32)) -> Self {
        let relief_world = settings.relief_over_size() * SIDE_WORLD;
        let metres_per_world = settings.size_metres / SIDE_WORLD;
        let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
        let (lowest_world, highest_world) = (low * relief_world, high * relief_world);
        let thickness = 0.03 * SIDE_WORLD + 0.10 * (highest_world - lowest_world);
        Self {
            samples: terrain.samples(),
            cell_world: SIDE_WORLD / (terrain.samples() - 1) as f32,
            relief_world,
            metres_per_world,
            lowest_world,
            highest_world,
            sea_world: settings.sea_level / metres_per_world,
            base_world: lowest_world - thickness,
            surface_water_world: 0.0,
        }
    }

    pub fn relief_metres(&self) -> f32 {
        self.relief_world * self.metres_per_world
    }

    /// Whether any terrain is below sea level.
    pub fn has_sea(&self) -> bool {
        self.sea_world > self.lowest_world
    }

    /// Greatest drop of the land outside the square, in world units. Outside, the terrain is mirrored and drawn lower,
    /// so that it slopes under the sea. See `beyond_edge` in assets/shaders/common.wgsl.
    pub fn fall_under_sea(&self) -> f32 {
        (self.highest_world - self.sea_world + 0.3 * self.relief_world).max(0.0)
    }

    /// Height of the highest point of terrain or sea, in world units.
    pub fn top_world(&self) -> f32 {
        if self.has_sea() { self.highest_world.max(self.sea_world) } else { self.highest_world }
    }

    /// Lowest and highest corner of the box around the terrain block, in world units.
    pub fn bounds_world(&self) -> (Vec3, Vec3) {
        let half = 0.5 * SIDE_WORLD;
        (Vec3::new(-half, self.base_world, -half), Vec3::new(half, self.top_world(), half))
    }

    /// World position of a point of the square. `height` is its height above zero, as a fraction of the relief.
    pub fn world(&self, u: f32, v: f32, height: f32) -> Vec3 {
        Vec3::new((u - 0.5) * SIDE_WORLD, height * self.relief_world, (v - 0.5) * SIDE_WORLD)
    }

    /// Position on the square: u to the east, v to the south, both 0 to 1 within the square.
    pub fn uv(&self, position_world: Vec3) -> Vec2 {
        Vec2::new(position_world.x, position_world.z) / SIDE_WORLD + 0.5
    }

    /// Whether the point is above or below the square, within its edges.
    pub fn is_inside(&self, position_world: Vec3) -> bool {
        let uv = self.uv(position_world);
        uv.cmpge(Vec2::ZERO).all() && uv.cmple(Vec2::ONE).all()
    }

    /// Terrain height in world units. Outside the square, this is the height of the nearest edge point.
    pub fn ground_world(&self, terrain: &Terrain, position_world: Vec3) -> f32 {
        let uv = self.uv(position_world);
        terrain.height_at(uv.x, uv.y) * self.relief_world
    }

    /// Terrain height in world units. If the two drawn triangles of the grid cell are higher at this position than the
    /// interpolated terrain, this is the height of the triangles.
    pub fn drawn_ground_world(&self, terrain: &Terrain, position_world: Vec3) -> f32 {
        let last = terrain.samples() - 1;
        let uv = self.uv(position_world).clamp(Vec2::ZERO, Vec2::ONE) * last as f32;
        let [column, row] = [uv.x, uv.y].map(|at| (at as usize).min(last.max(1) - 1));
        let [x, y] = [uv.x - column as f32, uv.y - row as f32];
        let height = |down: usize, right: usize| {
            terrain.height[(row + down).min(last) * terrain.samples() + (column + right).min(last)]
        };
        // the two triangles of a cell meet on the diagonal from its north-west to its south-east corner
        let middle = if x > y {
            height(0, 0) * (1.0 - x) + height(0, 1) * (x - y) + height(1, 1) * y
        } else {
            height(0, 0) * (1.0 - y) + height(1, 0) * (y - x) + height(1, 1) * x
        };
        self.ground_world(terrain, position_world).max(middle * self.relief_world)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::field::Edges;

    #[test]
    fn the_eye_stands_on_drawn_triangles_and_on_the_sea() {
        // a saddle: the interpolated height of its centre is the mean of its four corners, but the drawn diagonal
        // connects two high corners
        let terrain = Terrain::from_fn(2, Edges::Open, |u, v| if u == v { 1.0 } else { 0.0 });
        let settings = Settings { size_metres: 1000.0, relief_metres: 100.0, sea_level: 20.0, ..Settings::default() };
        let scale = WorldScale::new(&terrain, &settings);
        let at = |u: f32, v: f32| Vec3::new((u - 0.5) * SIDE_WORLD, 0.0, (v - 0.5) * SIDE_WORLD);
        assert_eq!(scale.ground_world(&terrain, at(0.5, 0.5)), 50.0);
        assert_eq!(scale.drawn_ground_world(&terrain, at(0.5, 0.5)), 100.0);
        assert_eq!(scale.drawn_ground_world(&terrain, at(0.25, 0.75)), 50.0);
        assert_eq!(scale.drawn_ground_world(&terrain, at(0.75, 0.25)), 50.0);
        assert_eq!(scale.drawn_ground_world(&terrain, at(1.0, 0.0)), 0.0);
        // a ridge along the other diagonal is higher than the triangles of its cell
        let ridge = Terrain::from_fn(2, Edges::Open, |u, v| if u == v { 0.0 } else { 1.0 });
        assert_eq!(scale.drawn_ground_world(&ridge, at(0.5, 0.5)), 50.0);
        assert_eq!(scale.drawn_ground_world(&ridge, at(7.0, 0.5)), 50.0);
    }

    #[test]
    fn heights_are_to_scale_and_the_north_west_corner_in_place() {
        let terrain = Terrain::from_fn(11, Edges::Open, |u, v| if u == 0.0 && v == 0.0 { 1.0 } else { 0.0 });
        let settings = Settings { size_metres: 4000.0, relief_metres: 1000.0, sea_level: 400.0, ..Settings::default() };
        let scale = WorldScale::new(&terrain, &settings);
        assert_eq!((scale.cell_world, scale.relief_world, scale.sea_world), (100.0, 250.0, 100.0));
        assert_eq!(scale.ground_world(&terrain, Vec3::new(-500.0, 0.0, -500.0)), 250.0);
        assert!(scale.has_sea() && scale.base_world < 0.0);
        assert!(scale.is_inside(Vec3::ZERO) && !scale.is_inside(Vec3::new(501.0, 0.0, 0.0)));
    }
}
