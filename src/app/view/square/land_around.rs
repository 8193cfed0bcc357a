//! Heights of the ground that is drawn, on a square and on the land around it.
//!
//! Land around a square consists of mirrored copies of the square. Near the square, the copies are raised, so that
//! slopes continue over the edge (`bent_land` in assets/shaders/ground.wgsl). Around an island, the copies are lowered
//! under the sea (`beyond_edge` in assets/shaders/common.wgsl). This file repeats both, so that the camera stands on
//! what is drawn.

use glam::{Vec2, Vec3};

use super::frame::FAR_TILES;
use super::patches::FarTile;
use super::terrain::SquareTerrain;
use crate::view::scale::SIDE_WORLD;
use talweg::scene::Surroundings;

/// Width of the strip around the square in which the copies are raised, as a fraction of the side; `BENT_SIDES` in
/// assets/shaders/ground.wgsl.
const BENT_SIDES: f32 = 0.12;

impl SquareTerrain {
    /// The lowest height at which the camera's eye may be, in world units: the drawn ground, or the sea where the sea
    /// is higher. Where nothing is drawn around the square, this is the height of the nearest point of its edge.
    pub fn floor_world(&self, position_world: Vec3) -> f32 {
        let ground = match self.tile_at(position_world) {
            Some(tile) => self.beyond_edge_world(self.bent_land_world(tile, position_world), position_world),
            None => self.scale.drawn_ground_world(&self.terrain, position_world),
        };
        if self.scale.has_sea() { ground.max(self.scale.sea_world) } else { ground }
    }

    /// Whether ground is drawn at the position: on the square, or on the land around it.
    pub fn has_drawn_ground(&self, position_world: Vec3) -> bool {
        self.scale.is_inside(position_world) || self.tile_at(position_world).is_some()
    }

    /// The copy of the square that is drawn at a position outside the square.
    fn tile_at(&self, position_world: Vec3) -> Option<FarTile> {
        let around = match self.settings.surroundings {
            Surroundings::Block => return None,
            Surroundings::Land => FAR_TILES,
            Surroundings::Sea => i32::from(self.has_land_at_edge()),
        };
        if self.scale.is_inside(position_world) {
            return None;
        }
        FarTile::containing(position_world).filter(|tile| tile.is_within(around))
    }

    /// Height of a mirrored copy, raised near the square.
    fn bent_land_world(&self, tile: FarTile, position_world: Vec3) -> f32 {
        let scale = &self.scale;
        let height_at = |uv: Vec2| {
            let at = (uv - 0.5) * SIDE_WORLD;
            scale.drawn_ground_world(&self.terrain, Vec3::new(at.x, 0.0, at.y))
        };
        let place = scale.uv(tile.mirrored(position_world));
        let height = height_at(place);
        let (outward, signs) = (tile.outward(), tile.signs());
        let inner = 0.5 - 0.5 * signs * outward;
        let t = ((place - inner) / BENT_SIDES).abs().clamp(Vec2::ZERO, Vec2::ONE);
        let near = outward.abs() * (1.0 - t * t * (3.0 - 2.0 * t));
        let (on_west, on_north) = (height_at(Vec2::new(inner.x, place.y)), height_at(Vec2::new(place.x, inner.y)));
        let bent = height + near.x * self.turned_by(on_west - height);
        let bent_north = on_north + near.x * self.turned_by(height_at(inner) - on_north);
        // terrain that is above the sea remains above it
        let mut least = height;
        for (edge, near) in [(on_west, near.x), (on_north, near.y)] {
            least = if near > 0.0 { least.min(edge) } else { least };
        }
        let floor = least.min(scale.sea_world + 0.01 * scale.relief_world);
        (bent + near.y * self.turned_by(bent_north - bent)).max(floor)
    }

    /// Height by which rotated land exceeds mirrored land, if the edge is `over` above the mirrored land.
    fn turned_by(&self, over: f32) -> f32 {
        let room = 0.06 * self.scale.relief_world;
        if room > 0.0 { over + over / (1.0 + over.abs() / room) } else { over }
    }

    /// Height of the land beyond the edges, lowered under the sea around an island.
    fn beyond_edge_world(&self, height: f32, position_world: Vec3) -> f32 {
        if self.settings.surroundings != Surroundings::Sea {
            return height;
        }
        let beyond = (Vec2::new(position_world.x, position_world.z).abs() - 0.5 * SIDE_WORLD).max(Vec2::ZERO);
        let t = (beyond.length() / SIDE_WORLD / 0.4).clamp(0.0, 1.0);
        let sunk = height.min(self.scale.sea_world - 0.3 * self.scale.relief_world);
        height + (sunk - height) * (t * t * (3.0 - 2.0 * t))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::view::overlays::choice::OverlayChoice;
    use talweg::field::{Control, Edges, Terrain};
    use talweg::scene::Settings;

    /// A slope that rises to the east, with a ridge along its middle.
    fn slope(settings: &Settings) -> SquareTerrain {
        let terrain = Terrain::from_fn(65, Edges::Open, |u, v| 0.5 * u + 0.2 * (1.0 - (2.0 * v - 1.0).abs()));
        let (shown, control) = (OverlayChoice::default(), Control::default());
        SquareTerrain::new(&Arc::new(terrain), settings, &shown, &control).expect("never cancelled")
    }

    #[test]
    fn the_floor_continues_over_the_edge_and_far_copies_mirror() {
        let settings = Settings { surroundings: Surroundings::Land, sea_level: -500.0, ..Settings::default() };
        let square = slope(&settings);
        let half = 0.5 * SIDE_WORLD;
        for across in [-430.0, -10.0, 260.0] {
            for (inside, outside) in [
                ([half - 0.01, across], [half + 0.01, across]),
                ([across, -half + 0.01], [across, -half - 0.01]),
                ([-half + 0.01, -half + 0.01], [-half - 0.01, -half - 0.01]),
            ] {
                let at = |[x, z]: [f32; 2]| square.floor_world(Vec3::new(x, 0.0, z));
                assert!((at(inside) - at(outside)).abs() < 0.05, "{inside:?}: {} and {}", at(inside), at(outside));
            }
        }
        // Beyond the bent strip, the height is that of the mirrored position.
        let mirrored = square.floor_world(Vec3::new(half - 200.0, 0.0, 77.0));
        assert!((square.floor_world(Vec3::new(half + 200.0, 0.0, 77.0)) - mirrored).abs() < 1e-3);
        let twice = square.floor_world(Vec3::new(-300.0, 0.0, 120.0));
        assert!((square.floor_world(Vec3::new(-300.0 + 2.0 * SIDE_WORLD, 0.0, 120.0)) - twice).abs() < 1e-3);
        assert!(square.has_drawn_ground(Vec3::new(half + 1.0, 0.0, 0.0)));
        // Without land around, the floor outside is that of the edge.
        let alone = slope(&Settings { surroundings: Surroundings::Block, ..settings });
        assert!(!alone.has_drawn_ground(Vec3::new(half + 1.0, 0.0, 0.0)));
        let edge = alone.floor_world(Vec3::new(half, 0.0, 9.0));
        assert_eq!(alone.floor_world(Vec3::new(half + 300.0, 0.0, 9.0)), edge);
    }

    #[test]
    fn land_around_an_island_sinks_under_the_sea() {
        let square = slope(&Settings { surroundings: Surroundings::Sea, sea_level: 50.0, ..Settings::default() });
        let far = square.floor_world(Vec3::new(0.5 * SIDE_WORLD + 450.0, 0.0, 0.0));
        assert_eq!(far, square.scale.sea_world);
        assert!(square.floor_world(Vec3::new(0.5 * SIDE_WORLD + 1.0, 0.0, 0.0)) > far);
    }
}
