//! An optional base terrain for a stack of layers: the caller's heights and data maps replace the level ground.

use std::sync::Arc;

use crate::field::{Cancelled, Control, Grid, MapKind, Terrain, resample};
use crate::nodes::multiscale::sample_ratio;

/// A terrain below the lowest layer. It replaces the level ground at height 0.
#[derive(Clone, Debug)]
pub struct BaseTerrain {
    terrain: Arc<Terrain>,
    hash: u128,
}

impl BaseTerrain {
    /// Makes `terrain` the base of a stack. The terrain must have the same edges and faces as the scene. If its number
    /// of samples differs from that of the evaluation, the terrain is resampled.
    pub fn new(terrain: Terrain) -> Self {
        Self { hash: terrain.hash(), terrain: Arc::new(terrain) }
    }

    /// Content hash. Two base terrains with equal hashes are equal.
    pub fn hash(&self) -> u128 {
        self.hash
    }

    /// Samples per side of the terrain; on a planet, per side of a face.
    pub fn samples(&self) -> usize {
        self.terrain.samples()
    }

    /// The base terrain resampled to `grid`.
    ///
    /// # Errors
    /// If `control` requests cancellation.
    pub fn resampled_to(&self, grid: Grid, control: &Control) -> Result<Arc<Terrain>, Cancelled> {
        let own = self.terrain.grid;
        if own == grid {
            return Ok(self.terrain.clone());
        }
        let mut made = Terrain::flat(grid);
        made.height = resample(own, grid, &self.terrain.height, control)?;
        for (kind, map) in self.terrain.maps() {
            let mut map = resample(own, grid, map, control)?;
            // Flow is counted in cells, so it scales with the number of samples. Cubic interpolation can undershoot at
            // a jump. Values below 0 are therefore set to 0, except in maps that allow negative values.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Cache, Store, Timeline, evaluate, evaluate_on};
    use crate::field::Edges;
    use crate::nodes::Node;
    use crate::scene::{Layer, Scene};

    #[test]
    fn a_store_distinguishes_base_terrains() {
        let blur = Layer::new(Node::named("Blur").unwrap(), 1);
        let mut scene = Scene { layers: vec![blur], ..Scene::default() };
        scene.settings.resolution = 33;
        let control = Control::default();
        let mut store = Store::new(Cache::new(1 << 20), Timeline::new(0));
        let slope = |steep: f32| BaseTerrain::new(Terrain::from_fn(33, Edges::Open, |u, _| steep * u));
        let (gentle, steep) = (slope(0.1), slope(0.2));
        let mut highest = |base: Option<&BaseTerrain>| {
            evaluate_on(base, &scene, 33, None, &mut store, &control).unwrap().terrain.range().1
        };
        for _ in 0..2 {
            assert_eq!(highest(None), 0.0);
            assert!(highest(Some(&gentle)) < 0.11 && highest(Some(&gentle)) > 0.05);
            assert!(highest(Some(&steep)) > 0.15);
        }
        let level = evaluate(&scene, 33, None, &mut store, &control).unwrap().terrain;
        assert_eq!(level.range(), (0.0, 0.0));
    }

    #[test]
    fn a_finer_grid_passes_through_the_samples_of_the_base() {
        let mut coarse = Terrain::from_fn(17, Edges::Open, |u, v| u * u - 0.5 * v);
        coarse.map_mut(MapKind::Flow).fill(3.0);
        let base = BaseTerrain::new(coarse.clone());
        let fine = base.resampled_to(Grid::new(33, Edges::Open), &Control::default()).unwrap();
        for (k, h) in coarse.height.iter().enumerate() {
            assert_eq!(fine.height[2 * (k / 17) * 33 + 2 * (k % 17)], *h);
        }
        // The fine grid has four times as many cells, so four times as many cells drain to each sample.
        let factor = sample_ratio(coarse.grid, fine.grid) as f32;
        assert!(fine.map(MapKind::Flow).unwrap().iter().all(|flow| (flow - 3.0 * factor).abs() < 1e-4));
    }
}
