//! Cells of the lattices of plants and stones: how many of each the camera sees at which distance.

use std::sync::LazyLock;

use bevy::math::Vec3;

use super::shadows::ShadowCascades;
use talweg::appearance::scatter::POINTS;
use talweg::appearance_files::{ScatterKind, ScatterRule};

/// Height on screen from which all objects of a rule are drawn; of smaller objects, only those of low rank are.
pub const ALL_PIXELS: f32 = 14.0;
/// Number of ranks in which cells are filled at a time.
const RANK_STEP: usize = 128;

/// Index of a rule, and one of its cells.
pub type CellKey<C> = (usize, C);

/// A cell that is needed, and how many of its ranks.
pub struct WantedCell<C> {
    pub key: CellKey<C>,
    pub ranks: usize,
    /// Distance from the eye in metres.
    pub metres: f32,
    /// Whether the camera sees the cell. Otherwise it may cast shadows on visible things.
    pub is_seen: bool,
    /// Origin of the positions of its objects.
    pub origin_world: Vec3,
    /// World displacement per metre of an object's ground height, as heights may be exaggerated.
    pub raised_world: Vec3,
}

/// The camera for plants and stones.
pub struct ScatterEye<'a> {
    pub eye_world: Vec3,
    pub pixels_per_radian: f32,
    /// Greatest distance at which anything is drawn.
    pub most_metres: f32,
    pub shadows: Option<&'a ShadowCascades>,
}

impl ScatterEye<'_> {
    /// Greatest distance at which objects of a rule are drawn.
    pub fn farthest_metres(&self, rule: &ScatterRule) -> f32 {
        (rule.size.1 * self.pixels_per_radian / least_pixels(rule.kind)).min(self.most_metres)
    }

    /// Height on screen below which objects of a rule are not drawn.
    pub fn least_pixels(&self, rule: &ScatterRule) -> f32 {
        least_pixels(rule.kind).max(rule.size.1 * self.pixels_per_radian / self.most_metres)
    }
}

/// Number of ranks needed of a cell at this distance.
pub fn ranks_wanted(rule: &ScatterRule, nearest_metres: f32, eye: &ScatterEye) -> usize {
    let all_metres = rule.size.1 * eye.pixels_per_radian / ALL_PIXELS;
    let kept = (share_kept(nearest_metres, all_metres) * POINTS as f32) as usize + 1;
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

/// Fraction of the ranks drawn at a distance, if all are drawn up to `all_metres`.
fn share_kept(away: f32, all_metres: f32) -> f32 {
    (all_metres / away.max(1e-3)).powf(1.2).min(1.0)
}

/// Fraction of its size that an object of a rank has at a distance, in units of the distance up to which all are drawn.
/// The last drawn ranks are still growing.
pub fn kept_size(rank: u16, away: f32) -> f32 {
    let [whole, nothing] = REACHES[usize::from(rank).min(POINTS - 1)];
    if away <= whole {
        return 1.0;
    }
    if away >= nothing {
        return 0.0;
    }
    let kept = share_kept(away, 1.0) * POINTS as f32;
    ((kept - f32::from(rank)) / (GROWING * kept)).clamp(0.0, 1.0)
}

/// Fraction of the drawn ranks that are still growing.
const GROWING: f32 = 0.15;

/// For each rank, the distance up to which its objects have their full size and the distance from which they have none.
/// The table saves [`kept_size`] a power function for every object in every frame.
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
        assert_eq!(share_kept(10.0, 500.0), 1.0);
        let mut before = 1.0;
        for k in 1..100 {
            let kept = share_kept(500.0 + 50.0 * k as f32, 500.0);
            assert!(kept < before && before - kept < 0.2);
            before = kept;
        }
    }

    #[test]
    fn the_last_kept_ranks_are_growing() {
        for away in (1..400).map(|k| 0.05 * k as f32) {
            let kept = share_kept(away, 1.0) * POINTS as f32;
            for rank in 0..POINTS as u16 {
                let part = ((kept - f32::from(rank)) / (GROWING * kept)).clamp(0.0, 1.0);
                assert!((kept_size(rank, away) - part).abs() < 1e-3, "rank {rank} at {away}");
            }
        }
    }
}
