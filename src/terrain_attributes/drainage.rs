//! Flow, drainage area and wetness index.
//!
//! Flow: if no layer wrote the map *Flow*, the map that the node *Flow* with its default parameters would write on this
//! terrain, with the sea of the scene ([`FlowAccumulation`]: D∞, depressions drain over their spill points).
//! Drainage area: the flow times the area of a cell of the mean area.
//!
//! Wetness index: ln(a / tan β) (Beven & Kirkby 1979, *A physically based, variable contributing area model of basin
//! hydrology*). Here a is the drainage area divided by the width of a cell, and β is the slope angle. The drainage area
//! counts as at least one cell, and tan β as at least 0.001, because some water drains from level ground as well.

use std::sync::Arc;

use super::AttributeRows;
use crate::field::{Cancelled, Control, Globe, Grid, MapKind, Stream, Terrain, globe_gradient, gradient};
use crate::hydrology::FlowMesh;
use crate::nodes::water::flow::FlowAccumulation;
use crate::nodes::{Context, Filter};
use crate::scene::{Scene, Settings};

/// Minimum slope, as a tangent, in the wetness index.
pub const LEAST_TANGENT: f32 = 0.001;

/// The node whose map *Flow* a terrain has if no layer wrote one.
pub fn flow_node(settings: &Settings) -> FlowAccumulation {
    FlowAccumulation { sea_level: settings.sea_level, ..FlowAccumulation::default() }
}

/// The map *Flow* of a whole terrain in cells of the mean area: the map that a layer wrote, otherwise computed from the
/// heights.
///
/// # Errors
/// If the computation was cancelled.
pub fn flow(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Arc<Vec<f32>>, Cancelled> {
    if let Some(written) = terrain.map(MapKind::Flow) {
        return Ok(written.clone());
    }
    let settings = &scene.settings;
    let cx = Context {
        grid: terrain.grid,
        size_metres: scene.side_metres(),
        relief_metres: settings.relief_metres,
        sea_level: settings.sea_level / settings.relief_metres,
        planet: scene.as_planet(),
        scene_samples: scene.samples(),
        cell_ratio: 1.0,
        voids: settings.voids,
        random: Stream::new(settings.seed, 0),
        control,
    };
    let mut routed = terrain.clone();
    flow_node(settings).apply(&cx, &mut routed)?;
    Ok(routed.set_map(MapKind::Flow, None).unwrap_or_default())
}

/// Fields needed to compute the flow of a terrain: the terrain's copy, the working memory and the result.
pub fn flow_fields(scene: &Scene) -> f64 {
    2.0 + f64::from(flow_node(&scene.settings).traits().working_fields_in(scene.settings.world))
}

/// Side length in metres of a cell of the mean area.
fn cell_metres(scene: &Scene, grid: Grid) -> f32 {
    if grid.is_globe() {
        FlowMesh::new(grid).cell_metres(scene.side_metres())
    } else {
        scene.side_metres() * grid.cell()
    }
}

/// Drainage areas in m².
///
/// # Errors
/// If the computation was cancelled.
pub fn areas<'a>(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<AttributeRows<'a>, Cancelled> {
    let (flow, cell) = (flow(scene, terrain, control)?, cell_metres(scene, terrain.grid));
    Ok(Box::new(move |samples, out| {
        out.iter_mut().zip(&flow[samples]).for_each(|(out, &cells)| *out = area(cells, cell));
    }))
}

/// A drainage area in m², for a flow in cells that are `cell_metres` wide.
pub fn area(flow: f32, cell_metres: f32) -> f32 {
    flow * (cell_metres * cell_metres)
}

/// Topographic wetness indices.
///
/// # Errors
/// If the computation was cancelled.
pub fn wetness<'a>(scene: &Scene, terrain: &'a Terrain, control: &Control) -> Result<AttributeRows<'a>, Cancelled> {
    let (grid, n) = (terrain.grid, terrain.samples());
    let (flow, cell) = (flow(scene, terrain, control)?, cell_metres(scene, grid));
    let relief = scene.settings.relief_metres;
    if grid.is_globe() {
        let (globe, steepness) = (Globe::new(n), relief / scene.planet.radius_metres);
        return Ok(Box::new(move |samples, out| {
            for (out, k) in out.iter_mut().zip(samples) {
                let [x, y, z] = globe_gradient(&globe, &terrain.height, k);
                *out = wetness_of_flow(flow[k], (x * x + y * y + z * z).sqrt() * steepness, cell);
            }
        }));
    }
    let steepness = scene.settings.relief_over_size();
    Ok(Box::new(move |samples, out| {
        for (out, k) in out.iter_mut().zip(samples) {
            let (east, south) = gradient(grid, &terrain.height, k / n, k % n);
            *out = wetness_of_flow(flow[k], (east * east + south * south).sqrt() * steepness, cell);
        }
    }))
}

/// The wetness index for a flow in cells that are `cell_metres` wide, and the tangent of the slope.
pub fn wetness_of_flow(flow: f32, tangent: f32, cell_metres: f32) -> f32 {
    let flow = if flow > 1.0 { flow } else { 1.0 };
    wetness_index(libm::logf(area(flow, cell_metres)), tangent, cell_metres)
}

/// The wetness index ln(a / tan β), from the natural logarithm of the drainage area in m² and the tangent of the slope.
/// The contour length is the cell width.
pub fn wetness_index(area_log: f32, tangent: f32, cell_metres: f32) -> f32 {
    area_log - libm::logf(cell_metres * tangent.max(LEAST_TANGENT))
}
