//! A step of stream power in tiles, with the same bits as on the whole terrain.
//!
//! A tile first receives its drainage, computed as part of the drainage of the whole terrain
//! ([`hydrology::tiled`](talweg_ground::hydrology::tiled)), and divides the water of each cell between its two
//! receivers. It then describes its trunks, with their erodibilities and with their heights after the uplift
//! ([`summarise_trunks`]). Trunks are the cells that water from other tiles can reach. One task adds the drainage areas
//! of the trunks of all tiles and erodes the trunks, from the outlets upstream ([`erode_trunks`]). Then every tile
//! erodes the rest of its cells ([`erode_tile`]). If the soil creeps far, the terrain is smoothed. Finally each tile
//! finishes the step ([`finish_tile`]). With `deposition`, the step must follow the streams downstream once more, to
//! deposit the eroded rock. This part can only be computed on the whole terrain.

use std::sync::Arc;

use rayon::prelude::*;

use super::law::{Bed, StepLaw, lake_floor, loss_and_gain};
use super::uplift::Uplift;
use super::{StreamPower, WRITTEN};
use crate::Context;
use crate::erosion::buffers;
use crate::erosion::rock::Rock;
use talweg_ground::field::{Cancelled, MapKind, Region, Terrain};
use talweg_ground::hydrology::tiled::{
    DividedRegion, DividedSolution, DividedTrunks, DrainedRegion, SurveyReader, WordError, read_float_field,
    write_floats,
};
use talweg_ground::hydrology::{DrainedArea, FlowMesh, Outlets, UpstreamOrder};

/// Whether a step of `law` can be computed in tiles.
pub fn is_tiled(law: &StreamPower) -> bool {
    law.deposition == 0.0
}

fn forces(law: &StreamPower, cx: &Context) -> StepLaw {
    StepLaw::new(law, cx, f64::from(FlowMesh::new(cx.grid).cell_metres(cx.size_metres)))
}

fn outlets(law: &StreamPower, cx: &Context, ground: &Terrain) -> Outlets {
    cx.outlets(ground, &ground.height, law.sea_level / cx.relief_metres)
}

/// Returns the 64-bit words that describe a tile's trunks, and the words that the tile keeps for [`erode_tile`].
/// `ground` is the terrain before the step, on a window that extends one cell beyond the tile. `water` is the tile's
/// drainage.
///
/// # Errors
/// Fails if the run is cancelled.
pub fn summarise_trunks(
    law: &StreamPower,
    cx: &Context,
    ground: &Terrain,
    water: DrainedRegion,
) -> Result<[Vec<u64>; 2], Cancelled> {
    let (height, mesh, rock) = (&ground.height, FlowMesh::new(cx.grid), Rock::new(ground, law.hardness));
    let floors: Vec<f32> = height.iter().zip(&water.surface).map(|(&h, &filled)| lake_floor(h, filled)).collect();
    let divided = water.divided(&outlets(law, cx, ground), cx.control)?;
    let mut areas = Vec::new();
    mesh.write_rained_areas(ground.map(MapKind::Rain).map(|rain| &***rain), &mut areas);
    let shares = &divided.flow.fraction;
    divided.accumulate(shares, &mut areas, cx.control)?;
    let forces = forces(law, cx);
    let mut up = Vec::new();
    let uplift = Uplift::new(cx, law.uplift_shape, law.uplift_variation, ground.map(MapKind::Uplift))?;
    let up_at =
        |k: usize| if divided.flow.receivers.is_end(k) { 0.0 } else { forces.uplift * uplift.relative_uplift(k) };
    (0..height.len()).into_par_iter().map(up_at).collect_into_vec(&mut up);

    let mut told = Vec::new();
    divided.summary(shares, &areas).write_words(&mut told);
    let trunks = || divided.trunks().iter().map(|&k| k as usize);
    write_floats(&mut told, &trunks().map(|k| height[k] + up[k]).collect::<Vec<_>>());
    write_floats(&mut told, &trunks().map(|k| rock.erodibility(k)).collect::<Vec<_>>());
    write_floats(&mut told, &trunks().map(|k| floors[k]).collect::<Vec<_>>());
    let mut kept = Vec::new();
    divided.write_words(&mut kept);
    write_floats(&mut kept, &DrainedArea::into_cells(areas));
    write_floats(&mut kept, &up);
    write_floats(&mut kept, &floors);
    Ok([told, kept])
}

/// Heights and erodibilities of a tile's trunks, stored after the drainage summary of the tile.
pub struct TrunkHeights {
    risen: Vec<f32>,
    erodibility: Vec<f32>,
    lake_floors: Vec<f32>,
}

impl TrunkHeights {
    /// Reads the heights and erodibilities of `trunks` trunks.
    ///
    /// # Errors
    /// Fails if the words are not a valid encoding.
    pub fn read_words(reader: &mut SurveyReader, trunks: usize) -> Result<Self, WordError> {
        let mut read = || read_float_field(reader, trunks);
        Ok(Self { risen: read()?, erodibility: read()?, lake_floors: read()? })
    }
}

/// Returns, for each tile, the drainage areas and eroded heights of its trunks. The inputs are the drainage of all
/// trunks, and `grounds`, the heights and erodibilities of the trunks before the erosion. `cx` is the context of the
/// whole terrain.
///
/// # Errors
/// Fails if the run is cancelled.
pub fn erode_trunks(
    law: &StreamPower,
    cx: &Context,
    world: &DividedTrunks,
    grounds: Vec<TrunkHeights>,
) -> Result<Vec<DividedSolution>, Cancelled> {
    let forces = forces(law, cx);
    let (mut height, mut erodibility, mut floors) = (Vec::new(), Vec::new(), Vec::new());
    for mut tile in grounds {
        height.append(&mut tile.risen);
        erodibility.append(&mut tile.erodibility);
        floors.append(&mut tile.lake_floors);
    }
    world.traverse_upstream(&mut height, cx.control, |k, h, below| {
        let (area, fraction, erodibility) = (world.areas[k].cells(), world.second_fractions[k], erodibility[k]);
        let c = forces.erosion_coefficient(area, fraction, None, erodibility);
        let new = forces.eroded_height(h, below, (fraction, None), c, erodibility);
        if new > floors[k] { new } else { floors[k] }
    })?;
    Ok(world.solutions(|k| height[k]))
}

/// Returns the terrain of a tile after the erosion, with the flow map, on the window of [`summarise_trunks`]. `ground`
/// is the terrain before the step, `kept` the 64-bit words that the tile kept, and `told` the solution for its trunks.
///
/// # Errors
/// Fails if the run is cancelled or the words are not a valid encoding.
pub fn erode_tile(
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
        let floors = read_float_field(&mut reader, cx.grid.len())?;
        reader.end()?;
        let mut height: Vec<f32> = ground.height.par_iter().zip(&up).map(|(h, up)| h + up).collect();
        let mut areas = areas;
        divided.read_solution(told, |k, [area, worn]| (areas[k], height[k]) = (area, worn))?;
        Ok((divided, areas, up, floors, height))
    };
    let (divided, areas, up, floors, mut height) = match read() {
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
        let c = forces.erosion_coefficient(areas[k], fraction, None, erodibility);
        let new = forces.eroded_height(h, below, (fraction, None), c, erodibility);
        if new > floors[k] { new } else { floors[k] }
    })?;
    let mut worn = Terrain::flat(cx.grid);
    worn.height = height;
    worn.set_map(MapKind::Flow, Some(Arc::new(areas)));
    worn.process_state = vec![up];
    Ok(Ok(worn))
}

/// Returns the terrain of a window after the step. `ground` is the terrain before the step, and `worn` the result of
/// [`erode_tile`]. If the soil creeps far, `smooth` holds the heights of `worn` after smoothing.
///
/// # Errors
/// Fails if the run is cancelled.
pub fn finish_tile(
    law: &StreamPower,
    cx: &Context,
    mut ground: Terrain,
    mut worn: Terrain,
    smooth: Option<Vec<f32>>,
) -> Result<Terrain, Cancelled> {
    buffers::prepare(&mut ground, &WRITTEN);
    let (forces, rock, mesh) = (forces(law, cx), Rock::new(&ground, law.hardness), FlowMesh::new(cx.grid));
    let up = worn.process_state.pop().unwrap_or_else(|| vec![0.0; cx.grid.len()]);
    let outlets = outlets(law, cx, &ground);
    let mut bed = Bed::default();
    bed.height = std::mem::take(&mut worn.height);
    let rests = |k: usize| outlets.contain(k, ground.height[k]);
    bed.creep(cx, (&mesh, None), smooth, rests, (&forces, &rock))?;
    let mut maps = [MapKind::Wear, MapKind::Deposits].map(|kind| std::mem::take(ground.map_mut(kind)));
    let [wear, deposits] = &mut maps;
    wear.par_iter_mut().zip(deposits).enumerate().for_each(|(k, (wear, deposits))| {
        let [lost, won] = loss_and_gain(ground.height[k], up[k], bed.height[k]);
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

/// Standard deviation in metres of the Gaussian filter by which the eroded terrain must be smoothed; `None` if no
/// smoothing is needed.
pub fn creep_deviation(law: &StreamPower, cx: &Context) -> Option<f32> {
    forces(law, cx).creep_deviation()
}
