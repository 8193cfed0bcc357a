//! The flow graph of a terrain: one receiver for every cell, and no pits.
//!
//! Water flows on the filled surface: down its slopes, and on its level parts, such as lakes, the nearest way to the
//! outflow ([`flats`](super::flats)). On the way no cell of the filled surface is higher than the cell before.

use super::basins::Basins;
use super::directions::{FlowRouting, route_downhill, route_to_pits};
use super::flats::drain_flats;
use super::mesh::{FlowMesh, Outlets};
use super::order::UpstreamOrder;
use super::receivers::single;
use crate::field::{Cancelled, Control};

/// The path of water from every cell of a terrain to an outlet.
#[derive(Clone, Debug, Default)]
pub struct FlowGraph {
    /// The receiver of each cell. Outlets and copies are their own receivers; all other cells drain to a neighbour.
    pub receivers: Vec<u32>,
    /// Basins of the terrain: the cells that drain by D8 to each pit or to the outlets, with spill points and levels.
    pub basins: Basins,
    /// The filled surface: the terrain with every depression filled to its spill level.
    pub surface: Vec<f32>,
}

impl FlowGraph {
    /// Routes the water of the terrain `height` to the `outlets`, over its filled surface.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn new(
        mesh: &FlowMesh,
        height: &[f32],
        outlets: &Outlets,
        routing: FlowRouting,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let mut graph = Self::default();
        graph.route(mesh, height, outlets, routing, control)?;
        Ok(graph)
    }

    /// Computes the same flow graph as [`new`](Self::new), and reuses the memory of `self`.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn route(
        &mut self,
        mesh: &FlowMesh,
        height: &[f32],
        outlets: &Outlets,
        routing: FlowRouting,
        control: &Control,
    ) -> Result<(), Cancelled> {
        route_to_pits(mesh, height, outlets, &mut self.receivers, control)?;
        self.basins = Basins::new(mesh, height, outlets, &self.receivers, control)?;
        self.basins.write_filled(height, &mut self.surface);
        route_downhill(mesh, &self.surface, outlets, routing, &mut self.receivers, control)?;
        drain_flats(mesh, [height, &self.surface], outlets, &mut self.receivers, control)
    }

    /// The cells on the flow path from cell `from` to its outlet, including `from` and the outlet.
    pub fn course(&self, from: usize) -> Vec<usize> {
        let next = |&k: &usize| Some(self.receivers[k] as usize).filter(|&to| to != k);
        std::iter::successors(Some(from), next).collect()
    }

    /// The order of all cells in which each cell comes after all cells that drain to it.
    ///
    /// # Errors
    /// Fails if the run is cancelled.
    pub fn upstream_order(&self, control: &Control) -> Result<UpstreamOrder, Cancelled> {
        UpstreamOrder::new(single(&self.receivers), control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Globe, Grid, Stream};
    use crate::hydrology::accumulate;

    /// Test terrain of continents and noise, continuous across the faces of a globe.
    fn ground(grid: Grid, steps: f32) -> Vec<f32> {
        let random = Stream::new(2, 9);
        let globe = Globe::new(grid.samples);
        let mut height: Vec<f32> = (0..grid.len())
            .map(|k| {
                let [x, y, z] = globe.direction_of(k);
                let noise = random.unit(k as i32, 0);
                ((x * 3.0 + y * y * 2.0 - z * x + noise * 1.5) * steps) as i32 as f32 / steps
            })
            .collect();
        grid.close(&mut height);
        height
    }

    /// The filled surface, found by relaxation: every height is updated until no height changes any more.
    fn filled_by_relaxing(mesh: &FlowMesh, height: &[f32], sea: f32) -> Vec<f32> {
        let mut level: Vec<f32> = height.iter().map(|&h| if h <= sea { h } else { f32::INFINITY }).collect();
        loop {
            let mut changed = false;
            for k in (0..mesh.len()).filter(|&k| mesh.grid().owns(k) && height[k] > sea) {
                let least = mesh.existing_neighbours(k).map(|there| level[there]).fold(f32::INFINITY, f32::min);
                let w = least.max(height[k]);
                if w < level[k] {
                    level[k] = w;
                    changed = true;
                }
            }
            if !changed {
                return level;
            }
        }
    }

    #[test]
    fn globe_cells_reach_the_sea_over_the_lowest_spill_points() {
        let control = Control::default();
        for (n, steps) in [(2, 50.0), (3, 50.0), (4, 50.0), (5, 3.0), (9, 50.0), (33, 1000.0), (40, 6.0)] {
            let grid = Grid::globe(n);
            let mesh = FlowMesh::new(grid);
            let height = ground(grid, steps);
            let outlets = Outlets::new(grid, &height, 0.5);
            assert!(height.iter().any(|&h| h <= 0.5) && height.iter().any(|&h| h > 0.5), "{n}");
            let expected = filled_by_relaxing(&mesh, &height, 0.5);
            for routing in [FlowRouting::D8, FlowRouting::Rho8(Stream::new(5, 5))] {
                let graph = FlowGraph::new(&mesh, &height, &outlets, routing, &control).unwrap();
                let filled = &graph.surface;
                for k in (0..mesh.len()).filter(|&k| grid.owns(k)) {
                    assert_eq!(filled[k].to_bits(), expected[k].to_bits(), "{n}: {k}");
                    let to = graph.receivers[k] as usize;
                    assert_eq!(to == k, height[k] <= 0.5, "{n}: only the sea keeps its water");
                    assert!(to == k || mesh.existing_neighbours(k).any(|there| there == to));
                    assert!(filled[to] <= filled[k], "{n}: water climbs");
                }
            }
        }
    }

    #[test]
    fn a_course_falls_over_the_filled_ground_to_the_sea() {
        let (control, grid) = (Control::default(), Grid::globe(33));
        let mesh = FlowMesh::new(grid);
        let height = ground(grid, 1000.0);
        let outlets = Outlets::new(grid, &height, 0.5);
        let graph = FlowGraph::new(&mesh, &height, &outlets, FlowRouting::D8, &control).unwrap();
        let filled = &graph.surface;
        let high = (0..mesh.len()).filter(|&k| grid.owns(k)).max_by(|&a, &b| height[a].total_cmp(&height[b])).unwrap();
        let course = graph.course(high);
        assert!(course.len() > 3 && course[0] == high, "{course:?}");
        assert!(height[course[course.len() - 1]] <= 0.5);
        assert!(course.windows(2).all(|pair| filled[pair[1]] <= filled[pair[0]]));
    }

    #[test]
    fn every_area_reaches_an_outlet_once() {
        let control = Control::default();
        for sea in [0.5, -100.0] {
            let grid = Grid::globe(33);
            let mesh = FlowMesh::new(grid);
            let height = ground(grid, 1000.0);
            let outlets = Outlets::new(grid, &height, sea);
            let graph = FlowGraph::new(&mesh, &height, &outlets, FlowRouting::D8, &control).unwrap();
            let mut areas = mesh.areas();
            let whole: f64 = areas.iter().map(|&a| f64::from(a)).sum();
            accumulate(&graph.receivers, &mut areas, &control).unwrap();
            let ends = (0..mesh.len()).filter(|&k| graph.receivers[k] as usize == k && grid.owns(k));
            let arrived: f64 = ends.clone().map(|k| f64::from(areas[k])).sum();
            assert!((arrived / whole - 1.0).abs() < 1e-5, "{arrived} of {whole}");
            assert!(sea > 0.0 || ends.count() == 1, "without a sea all water meets in one place");
        }
    }
}
