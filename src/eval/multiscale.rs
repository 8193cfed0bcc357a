//! How a process goes from one grid to the next, twice as fine: [`multiscale`](crate::nodes::multiscale) has the
//! scheme.

use std::sync::Arc;

use rayon::prelude::*;

use crate::field::{Cancelled, GridDisplacement, MapKind, Terrain, resample, resample_displaced};
use crate::nodes::channels::trunk_streams::TrunkStreams;
use crate::nodes::multiscale::{sample_ratio, valley_bend};
use crate::nodes::{Context, MassBalance, Traits};

/// What a process changed on a grid and all coarser ones.
#[derive(Clone, Debug)]
pub struct LevelChange {
    /// Heights and written data maps, less those beneath the process.
    pub change: Arc<Terrain>,
    /// From its first iteration on the coarsest grid on.
    pub mass_balance: MassBalance,
    /// Where trunk streams run that finer grids keep.
    pub streams: Option<Arc<TrunkStreams>>,
}

impl LevelChange {
    /// The change from `beneath` to what a process `made` that writes the maps `written`.
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

    /// Where the process begins on the next grid: `beneath`, which lies on it, with the change; and the mass balance
    /// up to there, in samples of that grid. `traits` are those of the process; where it does not run on that grid at
    /// all, since the playhead stands before, `goes_on` is false and nothing is bent or kept in its bed. Either is
    /// given back as soon as it is not needed any more: the change alone takes up to a third of what the finer grid
    /// takes.
    ///
    /// # Errors
    /// When it was cancelled.
    pub fn refine(
        self,
        cx: &Context,
        beneath: Arc<Terrain>,
        traits: &Traits,
        goes_on: bool,
    ) -> Result<(Terrain, MassBalance), Cancelled> {
        let (coarse, fine) = (self.change.grid, cx.grid);
        let ratio = sample_ratio(coarse, fine);
        let mut displacement = match traits.follows_grid && goes_on {
            true => Some(valley_bend(cx, coarse)?),
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
        if let Some(sea_metres) = traits.land_above.filter(|_| fine.is_globe()) {
            keep_land(&beneath.height, sea_metres / cx.relief_metres, &mut ground.height);
        }
        drop(beneath);
        for &kind in MapKind::ALL {
            let Some(map) = change.set_map(kind, None) else { continue };
            // flow is counted in cells, of which there are more; all others are depths and shares
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
                keep_cover(&mut ground.height, &mut made);
            } else {
                made.par_iter_mut().for_each(|value| *value = positive(*value));
            }
            ground.set_map(kind, Some(Arc::new(made)));
        }
        let mut mass_balance = self.mass_balance * ratio;
        let won = fine.sum(&ground.height) - sum_before;
        mass_balance.resampled += won - mass_balance.ground_change();
        if traits.carries_sediment_on {
            mass_balance.carried = under_way(&ground) - under_way_before;
        }
        mass_balance.resampled_carried -= mass_balance.residual();
        Ok((ground, mass_balance))
    }
}

/// The curve through a jump swings below nothing.
fn positive(value: f32) -> f32 {
    if value > 0.0 { value } else { 0.0 }
}

/// Brings the depth of what lies on the ground to nothing where it swings below; `height` follows, so that the ground
/// under it stays as it is. At the samples of the coarser grid nothing changes.
fn keep_cover(height: &mut [f32], cover: &mut [f32]) {
    height.par_iter_mut().zip(cover).for_each(|(height, depth)| {
        let kept = positive(*depth);
        *height += kept - *depth;
        *depth = kept;
    });
}

/// Share of its height over the sea that land keeps at the least on the way to the next grid.
const LAND_KEPT: f32 = 0.1;

/// Lifts what lay above the `sea` beneath and does not any more.
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
