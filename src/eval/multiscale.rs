//! Continues a process from one grid on the next grid, which is twice as fine; [`multiscale`](crate::nodes::multiscale)
//! describes the scheme.

use std::sync::Arc;

use rayon::prelude::*;

use super::plan::LayerStep;
use crate::field::{Cancelled, GridDisplacement, MapKind, Terrain, resample, resample_displaced};
use crate::nodes::channels::trunk_streams::{SavedBeds, TrunkStreams};
use crate::nodes::multiscale::{sample_ratio, valley_displacement};
use crate::nodes::{Context, MassBalance, Traits};

/// The change that a process made on a grid and all coarser grids.
#[derive(Clone, Debug)]
pub struct LevelChange {
    /// Heights and written data maps of the process result, minus the values below the process.
    pub change: Arc<Terrain>,
    /// Mass balance since the first iteration on the coarsest grid.
    pub mass_balance: MassBalance,
    /// Trunk streams that the process keeps in place on finer grids.
    pub streams: Option<Arc<TrunkStreams>>,
}

impl LevelChange {
    /// The change from `beneath` to the result `made` of a process that writes the maps `written`.
    pub fn from_terrains(beneath: &Terrain, made: &Terrain, written: &[MapKind], mass_balance: MassBalance) -> Self {
        let less = |after: &[f32], before: &[f32]| {
            after.par_iter().zip(before).map(|(after, before)| after - before).collect::<Vec<f32>>()
        };
        let mut change = Terrain::flat(made.grid);
        change.height = less(&made.height, &beneath.height);
        for &kind in written {
            let Some(after) = made.map(kind) else { continue };
            let map = match beneath.map(kind) {
                Some(before) => less(after, before),
                None => after.par_iter().map(|value| value - kind.neutral()).collect(),
            };
            change.set_map(kind, Some(Arc::new(map)));
        }
        Self { change: Arc::new(change), mass_balance, streams: None }
    }

    /// Returns the terrain on which the process starts on the next grid: `beneath`, which is on that grid, plus the
    /// change. Also returns the mass balance so far, in samples of that grid. `traits` describes the process.
    ///
    /// `goes_on` is false if the process does not run on that grid because the playhead is before it. Valleys are then
    /// not displaced, and trunk streams are not kept in place. `beneath` and the change are released as early as
    /// possible, because the change alone takes up to a third of the memory of the finer grid.
    ///
    /// # Errors
    /// If the computation was cancelled.
    fn refine(
        self,
        cx: &Context,
        beneath: Arc<Terrain>,
        traits: &Traits,
        goes_on: bool,
    ) -> Result<(Terrain, MassBalance), Cancelled> {
        let (coarse, fine) = (self.change.grid, cx.grid);
        let ratio = sample_ratio(coarse, fine);
        let mut displacement = match traits.finer_grids.follows_grid && goes_on {
            true => Some(valley_displacement(cx, coarse)?),
            false => None,
        };
        let refined = |displacement: &Option<GridDisplacement>, field: &[f32]| match displacement {
            Some(displacement) => resample_displaced(displacement, field, cx.control),
            None => resample(coarse, fine, field, cx.control),
        };
        let under_way = |terrain: &Terrain| terrain.map(MapKind::Sediment).map_or(0.0, |map| fine.sum(map));
        let (sum_before, under_way_before) = (fine.sum(&beneath.height), under_way(&beneath));
        let mut ground = Terrain::clone(&beneath);
        add(&refined(&displacement, &self.change.height)?, &mut ground.height);
        let mut change = Arc::unwrap_or_clone(self.change);
        change.height = Vec::new();
        if change.maps().next().is_none() {
            displacement = None;
        }
        if let Some(streams) = self.streams.as_ref().filter(|_| goes_on) {
            streams.keep(cx, coarse, &beneath.height, &mut ground.height)?;
        }
        if let Some(sea_metres) = traits.on_planet.and_then(|planet| planet.keep_land_above).filter(|_| fine.is_globe())
        {
            keep_land(&beneath.height, sea_metres / cx.relief_metres, &mut ground.height);
        }
        drop(beneath);
        for &kind in MapKind::ALL {
            let Some(map) = change.set_map(kind, None) else { continue };
            // Flow is counted in cells, and the finer grid has more cells; all other maps are depths and fractions.
            let factor = if kind == MapKind::Flow { ratio as f32 } else { 1.0 };
            let mut made = refined(&displacement, &map)?;
            drop(map);
            match ground.map(kind) {
                Some(before) => {
                    made.par_iter_mut().zip(&**before).for_each(|(value, before)| *value = before + *value * factor);
                }
                None => made.par_iter_mut().for_each(|value| *value = kind.neutral() + *value * factor),
            }
            if kind == MapKind::Snow {
                clamp_cover(&mut ground.height, &mut made);
            } else {
                made.par_iter_mut().for_each(|value| *value = positive(*value));
            }
            ground.set_map(kind, Some(Arc::new(made)));
        }
        let mut mass_balance = self.mass_balance * ratio;
        let won = fine.sum(&ground.height) - sum_before;
        mass_balance.resampled += won - mass_balance.ground_change();
        if traits.finer_grids.carries_sediment_on {
            mass_balance.carried = under_way(&ground) - under_way_before;
        }
        mass_balance.resampled_carried -= mass_balance.residual();
        Ok((ground, mass_balance))
    }
}

/// The terrain on which a process continues on a grid.
pub struct ProcessStart {
    pub ground: Arc<Terrain>,
    /// Mass balance since the first iteration on the coarsest grid.
    pub mass_balance: MassBalance,
    /// The channel beds to restore after the process has run.
    pub beds: Option<SavedBeds>,
}

impl ProcessStart {
    /// The start of the process of `step` on the grid of `cx`: the terrain `beneath`, plus the change on the next
    /// coarser grid if the process ran there. If `resumed` is set, the process continues from that later state instead.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn new(
        step: &LayerStep,
        cx: &Context,
        beneath: Arc<Terrain>,
        coarse: Option<LevelChange>,
        resumed: Option<(Arc<Terrain>, MassBalance)>,
    ) -> Result<Self, Cancelled> {
        let goes_on = step.stages.iter().any(|stage| stage.iterations > 0);
        let streams = coarse.as_ref().and_then(|coarse| coarse.streams.clone());
        let held = streams.filter(|streams| goes_on && streams.restores_beds());
        let mut start = Self { ground: beneath, mass_balance: MassBalance::default(), beds: None };
        if let Some(coarse) = coarse.filter(|_| resumed.is_none() || held.is_some()) {
            let traits = step.layer.node.traits();
            let (refined, mass_balance) = coarse.refine(cx, start.ground, &traits, goes_on)?;
            let beds = held.map(|streams| streams.save_beds(cx, &refined.height)).transpose()?;
            start = Self { ground: Arc::new(refined), mass_balance, beds };
        }
        if let Some((ground, mass_balance)) = resumed {
            (start.ground, start.mass_balance) = (ground, mass_balance);
        }
        Ok(start)
    }
}

/// Sets negative values to 0, because cubic interpolation can undershoot below 0 at a jump.
fn positive(value: f32) -> f32 {
    if value > 0.0 { value } else { 0.0 }
}

/// Sets negative depths of snow cover to 0. Adjusts `height` so that the surface below the cover does not
/// move. Samples that are also on the coarser grid do not change.
fn clamp_cover(height: &mut [f32], cover: &mut [f32]) {
    height.par_iter_mut().zip(cover).for_each(|(height, depth)| {
        let kept = positive(*depth);
        *height += kept - *depth;
        *depth = kept;
    });
}

/// Minimum height above the sea that land keeps when a process starts on a finer grid, as a fraction of the
/// land's height below the process.
const LAND_KEPT: f32 = 0.1;

/// Raises samples that are land in `beneath`, that is, above the level `sea`, and are now too low.
fn keep_land(beneath: &[f32], sea: f32, ground: &mut [f32]) {
    ground.par_iter_mut().zip(beneath).for_each(|(ground, beneath)| {
        let lowest = sea + LAND_KEPT * (beneath - sea);
        if *beneath > sea && *ground < lowest {
            *ground = lowest;
        }
    });
}

fn add(field: &[f32], onto: &mut [f32]) {
    onto.par_iter_mut().zip(field).for_each(|(onto, value)| *onto += value);
}
