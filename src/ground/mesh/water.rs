//! The water surface: the sea, and the water in [`MapKind::Water`].

use super::MeshGround;
use super::region::GroundRegion;
use crate::field::{MapKind, Terrain};

/// Shallower water is ignored, because it would be lost in the rounding of the ground.
const THINNEST_METRES: f64 = 0.01;

/// Heights of the water surface, and its region.
pub(super) struct WaterSurface {
    /// Fractions of the relief; where there is no water, the height of the ground.
    pub heights: Vec<f32>,
    /// Samples with water and their neighbours, where the surface meets the ground or goes under it.
    pub region: GroundRegion,
}

impl WaterSurface {
    /// The water of a terrain, if there is any. `ground_region` is the ground region; `None` if all samples are ground.
    pub fn new(terrain: &Terrain, ground: &MeshGround, ground_region: Option<&GroundRegion>) -> Option<Self> {
        let relief = f64::from(ground.relief_metres);
        let depth = terrain.map(MapKind::Water);
        let sea = ground.sea_metres.map(|metres| f64::from(metres) / relief);
        let has_ground = |k: usize| ground_region.is_none_or(|region| region.contains(k));
        let surface = |k: usize| {
            let bed = f64::from(terrain.height[k]);
            let standing = depth.map_or(bed, |depth| bed + f64::from(depth[k]));
            let top = sea.map_or(standing, |sea| sea.max(standing));
            ((top - bed) * relief > THINNEST_METRES && has_ground(k)).then_some(top as f32)
        };
        let len = terrain.grid.len();
        if (0..len).all(|k| surface(k).is_none()) {
            return None;
        }
        let grid = terrain.grid;
        let beside = |k: usize| {
            let around = grid.neighbours(grid.owner(k));
            let (sum, count) = around
                .into_iter()
                .flatten()
                .filter_map(surface)
                .fold((0.0, 0), |(sum, count), top| (sum + f64::from(top), count + 1));
            // If the ground is lower, the water surface ends at the ground.
            (count > 0 && has_ground(k)).then(|| ((sum / f64::from(count)) as f32).min(terrain.height[k]))
        };
        let found = |k: usize| surface(k).or_else(|| beside(k));
        let heights: Vec<f32> = (0..len).map(|k| found(k).unwrap_or(terrain.height[k])).collect();
        let wet = |k: usize| found(k).is_some();
        let region = GroundRegion::new(grid, wet, false).unwrap_or_else(|| GroundRegion::whole(grid));
        Some(Self { heights, region })
    }
}
