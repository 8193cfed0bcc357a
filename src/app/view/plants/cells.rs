//! Cells of the lattices of plants and stones: how much of each the camera sees from how far.

use std::sync::LazyLock;

use bevy::math::Vec3;

use super::shadows::ShadowCascades;
use talweg::appearance::scatter::POINTS;
use talweg::appearance_files::{ScatterKind, ScatterRule};

/// Height on screen from which on all of a rule are drawn; of smaller ones those of low rank.
pub const ALL_PIXELS: f32 = 14.0;
/// Cells are filled in steps of so many ranks.
const RANK_STEP: usize = 128;

/// Rule, and which of its cells.
pub type CellKey<C> = (usize, C);

/// A cell that was asked for: its ranks are looked at.
pub struct WantedCell<C> {
    pub key: CellKey<C>,
    pub ranks: usize,
    /// From the eye.
    pub metres: f32,
    /// Whether the camera sees it; else it may throw shadows on what the camera sees.
    pub is_seen: bool,
    /// From where its objects are counted.
    pub origin_world: Vec3,
    /// By how much each metre of their height moves them further: heights may be drawn exaggerated.
    pub raised_world: Vec3,
}

/// From where the ground is seen.
pub struct ScatterEye<'a> {
    pub eye_world: Vec3,
    pub pixels_per_radian: f32,
    /// Nothing is drawn from farther away.
    pub most_metres: f32,
    pub shadows: Option<&'a ShadowCascades>,
}

impl ScatterEye<'_> {
    /// From how far things of a rule are drawn.
    pub fn farthest_metres(&self, rule: &ScatterRule) -> f32 {
        (rule.size.1 * self.pixels_per_radian / least_pixels(rule.kind)).min(self.most_metres)
    }

    /// The height on screen below which those of a rule are not drawn.
    pub fn least_pixels(&self, rule: &ScatterRule) -> f32 {
        least_pixels(rule.kind).max(rule.size.1 * self.pixels_per_radian / self.most_metres)
    }
}

/// Ranks of a cell that are asked for where it is so far away.
pub fn ranks_wanted(rule: &ScatterRule, nearest_metres: f32, eye: &ScatterEye) -> usize {
    let all_metres = rule.size.1 * eye.pixels_per_radian / ALL_PIXELS;
    let kept = (share_kept(nearest_metres, all_metres) * POINTS as f32) as usize + 1;
    kept.next_multiple_of(RANK_STEP).min(POINTS)
}

/// Cells in the order of their distances.
pub fn nearest_first<C: Ord>(mut cells: Vec<WantedCell<C>>) -> Vec<WantedCell<C>> {
    // the distances are not negative, so that their bits are in their order
    cells.sort_unstable_by(|a, b| (a.metres.to_bits(), &a.key).cmp(&(b.metres.to_bits(), &b.key)));
    cells
}

/// Heights on screen below which a kind is not drawn.
pub fn least_pixels(kind: ScatterKind) -> f32 {
    match kind {
        ScatterKind::Grass => 7.0,
        ScatterKind::Shrub => 3.0,
        ScatterKind::Boulder => 2.5,
        _ => 2.0,
    }
}

/// Share of the ranks that are drawn at a distance, where all are up to another.
fn share_kept(away: f32, all_metres: f32) -> f32 {
    (all_metres / away.max(1e-3)).powf(1.2).min(1.0)
}

/// Part of its size that something of a rank has at a distance, counted in that up to which all are drawn: the last
/// ranks that are kept are growing.
pub fn part_kept(rank: u16, away: f32) -> f32 {
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

/// Share of the ranks that are kept over which they grow.
const GROWING: f32 = 0.15;

/// Distances up to which something of a rank has its whole size, and from which on it has none; see [`part_kept`],
/// which would otherwise work out a power for every object of every frame.
static REACHES: LazyLock<Vec<[f32; 2]>> = LazyLock::new(|| {
    let reach =
        |ranks_kept: f32| if ranks_kept > POINTS as f32 { 0.0 } else { (POINTS as f32 / ranks_kept).powf(1.0 / 1.2) };
    (0..POINTS).map(|rank| [reach(rank as f32 / (1.0 - GROWING)), reach(rank as f32)]).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_are_kept_the_farther_they_are() {
        assert_eq!(share_kept(10.0, 500.0), 1.0);
        let mut before = 1.0;
        for k in 1..100 {
            let kept = share_kept(500.0 + 50.0 * k as f32, 500.0);
            assert!(kept < before && before - kept < 0.2);
            before = kept;
        }
    }

    #[test]
    fn the_last_ranks_that_are_kept_are_growing() {
        for away in (1..400).map(|k| 0.05 * k as f32) {
            let kept = share_kept(away, 1.0) * POINTS as f32;
            for rank in 0..POINTS as u16 {
                let part = ((kept - f32::from(rank)) / (GROWING * kept)).clamp(0.0, 1.0);
                assert!((part_kept(rank, away) - part).abs() < 1e-3, "rank {rank} at {away}");
            }
        }
    }
}
