//! A terrain together with its flow graph.

use crate::Context;
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::hydrology::{DrainedArea, FlowGraph, FlowMesh, FlowRouting, Outlets};

/// The flow graph of a terrain, with the mesh of cells that it is computed on.
pub struct Routed {
    pub mesh: FlowMesh,
    pub outlets: Outlets,
    pub graph: FlowGraph,
}

impl Routed {
    /// Routes the water of `terrain` down to a sea at `sea_metres`. The seams of the terrain must be closed.
    pub fn new(cx: &Context, terrain: &Terrain, sea_metres: f32, routing: FlowRouting) -> Result<Self, Cancelled> {
        let mesh = FlowMesh::new(terrain.grid);
        let outlets = cx.outlets(terrain, &terrain.height, sea_metres / cx.relief_metres);
        let graph = FlowGraph::new(&mesh, &terrain.height, &outlets, routing, cx.control)?;
        Ok(Self { mesh, outlets, graph })
    }

    /// Returns the heights after all depressions are filled. Duplicate samples at seams hold the heights of their
    /// originals.
    pub fn into_filled(self) -> Vec<f32> {
        let grid = self.mesh.grid();
        let mut surface = self.graph.surface;
        grid.close(&mut surface);
        surface
    }

    /// Copies the value of each original sample to its duplicates at the seams.
    pub fn closed(&self, mut values: Vec<f32>) -> Vec<f32> {
        self.mesh.grid().close(&mut values);
        values
    }

    /// Rain-weighted area of each cell, as a multiple of the mean cell area.
    pub fn rain(&self, terrain: &Terrain) -> Vec<DrainedArea> {
        let mut rain = Vec::new();
        self.mesh.write_rained_areas(terrain.map(MapKind::Rain).map(|map| &***map), &mut rain);
        rain
    }
}
