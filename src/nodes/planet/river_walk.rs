//! River walk: rivers as described by Petitprez 2007.
//!
//! Law: a river starts at a random point on land and steps repeatedly to the lowest neighbour that it has not visited
//! yet. It lowers every visited point by a fixed depth. The river stops in the sea, where all neighbours have been
//! visited, or at the maximum length. A river can also climb: it cuts into obstacles, and later rivers follow the cut.
//! [`PlanetRivers`](super::rivers::PlanetRivers) and, on squares, [`Rivers`](crate::water::rivers::Rivers) make rivers
//! that always reach the sea.
//! Resolution: a river is one sample wide, so a preview cuts it proportionally less deep.
//! Scheme: rivers run one after another, because each river depends on the earlier cuts. The starting points are
//! positions on the terrain, which are the same at any resolution.
//! Boundary: rivers end at the edges of open terrain.
//! Source: Petitprez 2007, §2 (rivers).

use std::sync::Arc;

use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, Grid, MapKind, Terrain};

talweg_ground::params! {
    /// Rivers that start at random points, step repeatedly to the lowest neighbour, and lower the terrain at every
    /// step.
    RiverWalk "River walk" in "Planet", from "Petitprez 2007, §2", also "stream carve channel random walk water planet" {
        /// Number of rivers.
        rivers: u32 = 120, 0..=5000, slider 0..=300;
        /// Depth that each river cuts. Where rivers join, each of them cuts this depth again.
        depth_metres: f32 ["m"] = 20.0, 0.0..=10_000.0, slider 0.0..=60.0;
        /// Maximum length of a river, as a multiple of the terrain's side length.
        length: f32 = 0.6, 0.01..=4.0, slider 0.05..=1.2;
    }
}

/// Maximum number of random draws to find a start on land.
const TRIES: i32 = 64;
/// Steps between two checks of the stop flag.
const CHECK: usize = 4096;

/// Returns the sample closest to a random position. Three uniform random numbers `draw` define the position.
fn sample_near(grid: Grid, draw: [f32; 3]) -> usize {
    let among = |count: usize, draw: f32| ((draw * count as f32) as usize).min(count - 1);
    let [column, row] = [draw[0], draw[1]].map(|draw| among(grid.distinct_side(), draw));
    grid.owner((among(grid.faces(), draw[2]) * grid.samples + row) * grid.samples + column)
}

impl Filter for RiverWalk {
    fn traits(&self) -> Traits {
        Traits {
            writes: &[MapKind::Water, MapKind::Flow],
            is_random: true,
            reads_sea_level: true,
            previews_exactly: false,
            on_planet: Some(OnPlanet::DEFAULT),
            memory: NodeMemory::constant(2.0),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("its rivers start anywhere and follow the terrain")
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        cx.control.check()?;
        terrain.close_seam();
        let grid = terrain.grid;
        let mut height = terrain.height.clone();
        // A river is one sample wide. In a coarse preview it is shallower, so that it removes the same volume.
        let finer = (cx.grid.samples - 1) as f32 / (cx.scene_samples - 1) as f32;
        let (sea, step) = (cx.sea_level, self.depth_metres / cx.relief_metres * finer);
        let longest = (self.length / cx.grid.cell()) as usize + 1;
        let mut visited = vec![0u32; height.len()];
        let mut passed = vec![0.0f32; height.len()];
        let mut steps = 0;
        for river in 1..=self.rivers {
            let start = |attempt: i32| {
                let draw = |what: i32| cx.random.unit(river as i32, 3 * attempt + what);
                sample_near(grid, [draw(0), draw(1), draw(2)])
            };
            let Some(mut at) = (0..TRIES).map(start).find(|&k| height[k] > sea) else { continue };
            for _ in 0..longest {
                steps += 1;
                if steps % CHECK == 0 {
                    cx.control.check()?;
                }
                visited[at] = river;
                height[at] -= step;
                passed[at] += 1.0;
                let free = grid.neighbours(at).into_iter().flatten().filter(|&k| visited[k] != river);
                let lowest = free.reduce(|a, b| if height[b] < height[a] { b } else { a });
                match lowest {
                    Some(next) if height[next] > sea => at = next,
                    _ => break,
                }
            }
        }
        let mut water: Vec<f32> = passed.iter().map(|&p| if p > 0.0 { 0.5 * step } else { 0.0 }).collect();
        [&mut height, &mut passed, &mut water].into_iter().for_each(|field| grid.close(field));
        terrain.height = height;
        terrain.set_map(MapKind::Flow, Some(Arc::new(passed)));
        terrain.set_map(MapKind::Water, Some(Arc::new(water)));
        Ok(())
    }
}
