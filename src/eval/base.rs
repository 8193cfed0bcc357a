//! What a stack stands on where it is not level ground: heights and data maps that the caller has.

use std::sync::Arc;

use crate::field::{Cancelled, Control, Grid, MapKind, Terrain, resample};
use crate::nodes::multiscale::sample_ratio;

/// A terrain beneath the lowest layer, in place of level ground at height 0.
#[derive(Clone, Debug)]
pub struct BaseTerrain {
    terrain: Arc<Terrain>,
    hash: u128,
}

impl BaseTerrain {
    /// `terrain` as the ground of a stack. It has the edges and faces of the scene; on another number of samples it is
    /// resampled.
    pub fn new(terrain: Terrain) -> Self {
        Self { hash: terrain.hash(), terrain: Arc::new(terrain) }
    }

    /// Content hash: equal hashes mean equal grounds.
    pub fn hash(&self) -> u128 {
        self.hash
    }

    /// Samples per side, of a planet per side of a face.
    pub fn samples(&self) -> usize {
        self.terrain.samples()
    }

    /// The ground on `grid`.
    ///
    /// # Errors
    /// When it was cancelled.
    pub fn terrain_on(&self, grid: Grid, control: &Control) -> Result<Arc<Terrain>, Cancelled> {
        let own = self.terrain.grid;
        if own == grid {
            return Ok(self.terrain.clone());
        }
        let mut made = Terrain::flat(grid);
        made.height = resample(own, grid, &self.terrain.height, control)?;
        for (kind, map) in self.terrain.maps() {
            let mut map = resample(own, grid, map, control)?;
            // flow is counted in cells; the curve through a jump swings below nothing, except where a map may
            let factor = if kind == MapKind::Flow { sample_ratio(own, grid) as f32 } else { 1.0 };
            let is_signed = matches!(kind, MapKind::Brightness | MapKind::Ridge);
            for value in &mut map {
                *value = if *value > 0.0 || is_signed { *value * factor } else { 0.0 };
            }
            made.set_map(kind, Some(Arc::new(map)));
        }
        Ok(Arc::new(made))
    }
}
