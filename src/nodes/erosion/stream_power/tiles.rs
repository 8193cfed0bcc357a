//! A step of stream power in tiles, to the bits of the whole.
//!
//! Once a tile knows its water as it is on the whole ([`hydrology::tiled`](crate::hydrology::tiled)), it divides it by
//! the facets and tells all that is to be known of its trunks, the cells that water from beyond may reach
//! ([`told_and_kept`]): how high they have risen, and how hard they are. One task adds the areas of the trunks of all
//! tiles and wears them, from the outlets up ([`worn_trunks`]); then every tile wears the rest of its cells
//! ([`worn_tile`]), the ground is smoothed where the soil creeps far, and each tile ends the step ([`crept_tile`]).
//! What settles (`deposition`) goes down the streams once more, with what is worn; that is done on the whole alone.

use std::sync::Arc;

use rayon::prelude::*;

use super::law::{Bed, Forces, lost_and_won};
use super::uplift::Uplift;
use super::{StreamPower, WRITTEN};
use crate::field::{Cancelled, MapKind, Region, Terrain};
use crate::hydrology::tiled::{
    DividedRegion, DividedSolution, DividedWorld, DrainedRegion, SpillSolution, SurveyReader, WordError,
    read_float_field, write_floats,
};
use crate::hydrology::{DrainedArea, FlowMesh, Outlets, UpstreamOrder};
use crate::nodes::Context;
use crate::nodes::erosion::buffers;
use crate::nodes::erosion::rock::Rock;

/// Whether a step of `law` can be computed in tiles.
pub fn is_tiled(law: &StreamPower) -> bool {
    law.deposition == 0.0
}

fn forces(law: &StreamPower, cx: &Context) -> Forces {
    Forces::new(law, cx, f64::from(FlowMesh::new(cx.grid).cell_metres(cx.size_metres)))
}

fn outlets(law: &StreamPower, cx: &Context, height: &[f32]) -> Outlets {
    Outlets::new(cx.grid, height, law.sea_level / cx.relief_metres)
}

/// What a tile tells of its trunks, and what it keeps for [`worn_tile`]: from the `ground` before the step on a window
/// that reaches a cell farther than the tile, and its water, with the spills that it was told.
///
/// # Errors
/// Fails if the run is cancelled.
pub fn told_and_kept(
    law: &StreamPower,
    cx: &Context,
    ground: &Terrain,
    water: DrainedRegion,
    spills: &SpillSolution,
) -> Result<[Vec<u64>; 2], Cancelled> {
    let (height, mesh, rock) = (&ground.height, FlowMesh::new(cx.grid), Rock::new(ground, law.hardness));
    let divided = water.divided(height, spills, &outlets(law, cx, height), cx.control)?;
    let mut areas = Vec::new();
    mesh.write_rained_areas(ground.map(MapKind::Rain).map(|rain| &***rain), &mut areas);
    let shares = &divided.flow.fraction;
    divided.accumulate(shares, &mut areas, cx.control)?;
    let forces = forces(law, cx);
    let mut up = Vec::new();
    let uplift = Uplift::new(cx, law.uplift_shape, law.uplift_variation, ground.map(MapKind::Uplift))?;
    let up_at = |k: usize| if divided.flow.receivers.is_end(k) { 0.0 } else { forces.uplift * uplift.share(k) };
    (0..height.len()).into_par_iter().map(up_at).collect_into_vec(&mut up);

    let mut told = Vec::new();
    divided.summary(shares, &areas).write_words(&mut told);
    let trunks = || divided.trunks().iter().map(|&k| k as usize);
    write_floats(&mut told, &trunks().map(|k| height[k] + up[k]).collect::<Vec<_>>());
    write_floats(&mut told, &trunks().map(|k| rock.erodibility(k)).collect::<Vec<_>>());
    let mut kept = Vec::new();
    divided.write_words(&mut kept);
    write_floats(&mut kept, &DrainedArea::into_cells(areas));
    write_floats(&mut kept, &up);
    Ok([told, kept])
}

/// What a tile told of the ground of its trunks, beside their water.
pub struct TrunkGround {
    risen: Vec<f32>,
    erodibility: Vec<f32>,
}

impl TrunkGround {
    /// Of so many trunks.
    ///
    /// # Errors
    /// When the words are no such words.
    pub fn read_words(reader: &mut SurveyReader, trunks: usize) -> Result<Self, WordError> {
        Ok(Self { risen: read_float_field(reader, trunks)?, erodibility: read_float_field(reader, trunks)? })
    }
}

/// What each tile is told of its trunks, worn, from their water and what all tell; the context is that of the whole.
///
/// # Errors
/// Fails if the run is cancelled.
pub fn worn_trunks(
    law: &StreamPower,
    cx: &Context,
    world: &DividedWorld,
    grounds: Vec<TrunkGround>,
) -> Result<Vec<DividedSolution>, Cancelled> {
    let forces = forces(law, cx);
    let (mut height, mut erodibility) = (Vec::new(), Vec::new());
    for mut tile in grounds {
        height.append(&mut tile.risen);
        erodibility.append(&mut tile.erodibility);
    }
    world.traverse_upstream(&mut height, cx.control, |k, h, below| {
        let (area, fraction, erodibility) = (world.areas[k].cells(), world.shares[k], erodibility[k]);
        let c = forces.wear_of(area, fraction, None, erodibility);
        forces.worn_height(h, below, (fraction, None), c, erodibility)
    })?;
    Ok(world.solutions(|k| height[k]))
}

/// The ground of a tile after the wear, with the flow map, on the window of [`told_and_kept`]: from the `ground` before
/// the step, what it `kept` and what it is `told` of its trunks.
///
/// # Errors
/// Fails if the run is cancelled or the words do not have this format.
pub fn worn_tile(
    law: &StreamPower,
    cx: &Context,
    ground: &Terrain,
    region: Region,
    [kept, told]: [&[u64]; 2],
) -> Result<Result<Terrain, WordError>, Cancelled> {
    let read = || {
        let mut reader = SurveyReader::new(kept);
        let divided = DividedRegion::of_tile(cx.grid, region, &mut reader)?;
        let [areas, up] =
            [read_float_field(&mut reader, cx.grid.len())?, read_float_field(&mut reader, cx.grid.len())?];
        reader.end()?;
        let mut height: Vec<f32> = ground.height.par_iter().zip(&up).map(|(h, up)| h + up).collect();
        let mut areas = areas;
        divided.take_told(told, |k, [area, worn]| (areas[k], height[k]) = (area, worn))?;
        Ok((divided, areas, up, height))
    };
    let (divided, areas, up, mut height) = match read() {
        Ok(read) => read,
        Err(error) => return Ok(Err(error)),
    };
    let (forces, rock) = (forces(law, cx), Rock::new(ground, law.hardness));
    let flow = &divided.flow;
    let order = UpstreamOrder::new(&flow.receivers, cx.control)?;
    order.traverse_upstream(&flow.receivers, &mut height, cx.control, |k, h, below| {
        if divided.is_trunk(k) || flow.receivers.is_end(k) {
            return h;
        }
        let (fraction, erodibility) = (flow.fraction[k], rock.erodibility(k));
        let c = forces.wear_of(areas[k], fraction, None, erodibility);
        forces.worn_height(h, below, (fraction, None), c, erodibility)
    })?;
    let mut worn = Terrain::flat(cx.grid);
    worn.height = height;
    worn.set_map(MapKind::Flow, Some(Arc::new(areas)));
    worn.process_state = vec![up];
    Ok(Ok(worn))
}

/// The ground of a window after the step: from the `ground` before it, what [`worn_tile`] left, and that smoothed, if
/// the soil creeps so far.
///
/// # Errors
/// Fails if the run is cancelled.
pub fn crept_tile(
    law: &StreamPower,
    cx: &Context,
    mut ground: Terrain,
    mut worn: Terrain,
    smooth: Option<Vec<f32>>,
) -> Result<Terrain, Cancelled> {
    buffers::prepare(&mut ground, &WRITTEN);
    let (forces, rock, mesh) = (forces(law, cx), Rock::new(&ground, law.hardness), FlowMesh::new(cx.grid));
    let up = worn.process_state.pop().unwrap_or_else(|| vec![0.0; cx.grid.len()]);
    let outlets = outlets(law, cx, &ground.height);
    let mut bed = Bed::default();
    bed.height = std::mem::take(&mut worn.height);
    let rests = |k: usize| outlets.contain(k, ground.height[k]);
    bed.creep(cx, (&mesh, None), smooth, rests, (&forces, &rock))?;
    let mut maps = [MapKind::Wear, MapKind::Deposits].map(|kind| std::mem::take(ground.map_mut(kind)));
    let [wear, deposits] = &mut maps;
    wear.par_iter_mut().zip(deposits).enumerate().for_each(|(k, (wear, deposits))| {
        let [lost, won] = lost_and_won(ground.height[k], up[k], bed.height[k]);
        *wear += lost as f32;
        *deposits += won as f32;
    });
    for (kind, map) in [MapKind::Wear, MapKind::Deposits].into_iter().zip(maps) {
        ground.set_map(kind, Some(Arc::new(map)));
    }
    ground.height = bed.height;
    ground.set_map(MapKind::Flow, worn.set_map(MapKind::Flow, None));
    Ok(ground)
}

/// The standard deviation in metres that the worn ground is smoothed by on a grid, if it is.
pub fn creep_deviation(law: &StreamPower, cx: &Context) -> Option<f32> {
    forces(law, cx).creep_deviation()
}
