//! The water surface: the sea, and the lakes and rivers in the map [`MapKind::Water`].

use super::MeshGround;
use super::region::GroundRegion;
use crate::field::{MapKind, Terrain};

/// Minimum depth of water in metres. The rounding of the terrain heights would hide shallower water.
const THINNEST_METRES: f64 = 0.01;

/// Heights of the water surface, and the region in which the surface becomes triangles.
pub(super) struct WaterSurface {
    /// Heights of the water surface as fractions of the relief. Where there is no water, the value is the height of the
    /// terrain.
    pub heights: Vec<f32>,
    /// Samples with water and their neighbours. At the neighbours, the water surface is at or below the terrain.
    pub region: GroundRegion,
}

impl WaterSurface {
    /// The water surface of a terrain, or `None` if the terrain has no water. `ground_region` is the region of samples
    /// with data; `None` if all samples have data.
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
            // Where the terrain is lower than the water level, the water surface is at the terrain.
            (count > 0 && has_ground(k)).then(|| ((sum / f64::from(count)) as f32).min(terrain.height[k]))
        };
        let found = |k: usize| surface(k).or_else(|| beside(k));
        let heights: Vec<f32> = (0..len).map(|k| found(k).unwrap_or(terrain.height[k])).collect();
        let wet = |k: usize| found(k).is_some();
        let region = GroundRegion::new(grid, wet, false).unwrap_or_else(|| GroundRegion::whole(grid));
        Some(Self { heights, region })
    }
}
