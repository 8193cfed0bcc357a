//! Cells of the lattices of plants and stones, and the fraction of a cell's objects that is drawn at each distance.

use std::sync::LazyLock;

use bevy::math::Vec3;

use super::shadows::ShadowCascades;
use talweg::appearance::scatter::POINTS;
use talweg::appearance_files::{ScatterKind, ScatterRule};

/// Height on screen, in pixels. If a rule's tallest objects are at least this high, all objects of the rule are drawn.
/// If they are smaller, only objects of low rank are drawn.
pub const ALL_PIXELS: f32 = 14.0;
/// The number of a cell's ranks to compute is rounded up to a multiple of this step.
const RANK_STEP: usize = 128;

/// Index of a scatter rule, and one of the rule's cells.
pub type CellKey<C> = (usize, C);

/// A cell that the image needs, with the number of its ranks that are needed.
pub struct WantedCell<C> {
    pub key: CellKey<C>,
    pub ranks: usize,
    /// Distance from the eye in metres.
    pub metres: f32,
    /// Whether the camera sees the cell. A cell out of view can cast shadows on visible terrain.
    pub is_seen: bool,
    /// World position from which the positions of the cell's objects are measured.
    pub origin_world: Vec3,
    /// Displacement of an object in world space for each metre of terrain height below it, including the vertical
    /// exaggeration.
    pub raised_world: Vec3,
}

/// The camera data that the selection of plants and stones reads.
pub struct ScatterEye<'a> {
    pub eye_world: Vec3,
    pub pixels_per_radian: f32,
    /// Greatest distance, in metres, at which plants and stones are drawn.
    pub most_metres: f32,
    pub shadows: Option<&'a ShadowCascades>,
}

impl ScatterEye<'_> {
    /// Greatest distance, in metres, at which objects of a rule are drawn.
    pub fn farthest_metres(&self, rule: &ScatterRule) -> f32 {
        (rule.size.1 * self.pixels_per_radian / least_pixels(rule.kind)).min(self.most_metres)
    }

    /// Height on screen, in pixels, below which objects of a rule are not drawn.
    pub fn least_pixels(&self, rule: &ScatterRule) -> f32 {
        least_pixels(rule.kind).max(rule.size.1 * self.pixels_per_radian / self.most_metres)
    }
}

/// Number of ranks that a cell needs at this distance from the eye.
pub fn ranks_wanted(rule: &ScatterRule, nearest_metres: f32, eye: &ScatterEye) -> usize {
    let all_metres = rule.size.1 * eye.pixels_per_radian / ALL_PIXELS;
    let kept = (kept_fraction(nearest_metres, all_metres) * POINTS as f32) as usize + 1;
    kept.next_multiple_of(RANK_STEP).min(POINTS)
}

/// Sorts cells by distance.
pub fn nearest_first<C: Ord>(mut cells: Vec<WantedCell<C>>) -> Vec<WantedCell<C>> {
    // the bits of non-negative floats have the same order as the floats
    cells.sort_unstable_by(|a, b| (a.metres.to_bits(), &a.key).cmp(&(b.metres.to_bits(), &b.key)));
    cells
}

/// Height on screen, in pixels, below which a kind is not drawn.
pub fn least_pixels(kind: ScatterKind) -> f32 {
    match kind {
        ScatterKind::Grass => 7.0,
        ScatterKind::Shrub => 3.0,
        ScatterKind::Boulder => 2.5,
        _ => 2.0,
    }
}

/// Fraction of the ranks that is drawn at the distance `away`, if all ranks are drawn up to `all_metres`.
fn kept_fraction(away: f32, all_metres: f32) -> f32 {
    (all_metres / away.max(1e-3)).powf(1.2).min(1.0)
}

/// Fraction of its full size that an object of a rank has at the distance `away`. The unit of `away` is the distance up
/// to which all objects are drawn. Objects of the highest drawn ranks do not have their full size yet.
pub fn kept_size(rank: u16, away: f32) -> f32 {
    let [whole, nothing] = REACHES[usize::from(rank).min(POINTS - 1)];
    if away <= whole {
        return 1.0;
    }
    if away >= nothing {
        return 0.0;
    }
    let kept = kept_fraction(away, 1.0) * POINTS as f32;
    ((kept - f32::from(rank)) / (GROWING * kept)).clamp(0.0, 1.0)
}

/// Fraction of the drawn ranks whose objects are smaller than their full size.
const GROWING: f32 = 0.15;

/// Two distances for each rank: up to the first, its objects have their full size; from the second, they are not drawn.
/// With this table, [`kept_size`] evaluates a power function only for objects between the two distances, not for every
/// object in every frame.
static REACHES: LazyLock<Vec<[f32; 2]>> = LazyLock::new(|| {
    let reach =
        |ranks_kept: f32| if ranks_kept > POINTS as f32 { 0.0 } else { (POINTS as f32 / ranks_kept).powf(1.0 / 1.2) };
    (0..POINTS).map(|rank| [reach(rank as f32 / (1.0 - GROWING)), reach(rank as f32)]).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distant_cells_keep_fewer_plants() {
        assert_eq!(kept_fraction(10.0, 500.0), 1.0);
        let mut before = 1.0;
        for k in 1..100 {
            let kept = kept_fraction(500.0 + 50.0 * k as f32, 500.0);
            assert!(kept < before && before - kept < 0.2);
            before = kept;
        }
    }

    #[test]
    fn the_last_kept_ranks_are_growing() {
        for away in (1..400).map(|k| 0.05 * k as f32) {
            let kept = kept_fraction(away, 1.0) * POINTS as f32;
            for rank in 0..POINTS as u16 {
                let part = ((kept - f32::from(rank)) / (GROWING * kept)).clamp(0.0, 1.0);
                assert!((kept_size(rank, away) - part).abs() < 1e-3, "rank {rank} at {away}");
            }
        }
    }
}
