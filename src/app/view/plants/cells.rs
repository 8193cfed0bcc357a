//! Cells of the lattices of plants and stones: which of them the camera sees, and how much of each from how far.

use std::ops::Range;
use std::sync::LazyLock;

use bevy::math::Vec3;

use super::shadows::ShadowCascades;
use crate::view::scale::{SIDE_WORLD, WorldScale};
use crate::view::square::SquareTerrain;
use crate::view::square::lod::Frustum;
use talweg::appearance::scatter::{POINTS, cell_metres};
use talweg::appearance_files::{ScatterKind, ScatterRule};

/// Height on screen from which on all of a rule are drawn; of smaller ones those of low rank.
pub const ALL_PIXELS: f32 = 14.0;
/// Cells are filled in steps of so many ranks.
const RANK_STEP: usize = 128;

/// Rule, column and row.
pub type CellKey = (usize, [i32; 2]);

/// A cell that was asked for: its ranks are looked at.
pub struct WantedCell {
    pub key: CellKey,
    pub ranks: usize,
    /// From the eye.
    metres: f32,
    /// Whether the camera sees it; else it may throw shadows on what the camera sees.
    pub is_seen: bool,
}

/// From where a terrain is seen.
pub struct ScatterEye<'a> {
    pub eye_world: Vec3,
    pub frustum: &'a Frustum,
    pub pixels_per_radian: f32,
    pub shadows: Option<&'a ShadowCascades>,
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

/// The cells that the camera sees, with the ranks that it asks of each, the nearest first.
pub fn seen_cells(rules: &[ScatterRule], terrain: &SquareTerrain, eye: &ScatterEye) -> Vec<WantedCell> {
    let (scale, settings) = (&terrain.scale, &terrain.settings);
    let metres = scale.metres_per_world;
    let half = 0.5 * SIDE_WORLD;
    let mut seen = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let side = cell_metres(rule);
        let farthest = rule.size.1 * eye.pixels_per_radian / least_pixels(rule.kind);
        let over = ((eye.eye_world.y - scale.highest_world) * metres - rule.size.1).max(0.0);
        if over >= farthest {
            continue;
        }
        let last = (settings.size_metres / side).ceil() as i32 - 1;
        let span = |at_world: f32| {
            let at = (at_world + half) * metres;
            let [from, to] = [at - farthest, at + farthest].map(|at| (at / side).floor() as i32);
            from.max(0)..to.min(last) + 1
        };
        let mut search = CellSearch { number, rule, scale, eye, side_world: side / metres, farthest, seen: &mut seen };
        search.block(span(eye.eye_world.x), span(eye.eye_world.z));
    }
    // the distances are not negative, so that their bits are in their order
    seen.sort_unstable_by_key(|wanted| (wanted.metres.to_bits(), wanted.key));
    seen
}

/// Finds cells of a rule that are seen or throw shadows, by halves of blocks of cells.
struct CellSearch<'a> {
    number: usize,
    rule: &'a ScatterRule,
    scale: &'a WorldScale,
    eye: &'a ScatterEye<'a>,
    side_world: f32,
    farthest: f32,
    seen: &'a mut Vec<WantedCell>,
}

impl CellSearch<'_> {
    fn block(&mut self, columns: Range<i32>, rows: Range<i32>) {
        if columns.is_empty() || rows.is_empty() {
            return;
        }
        let Self { rule, scale, eye, .. } = *self;
        let metres = scale.metres_per_world;
        let corner = |k: i32| k as f32 * self.side_world - 0.5 * SIDE_WORLD;
        let low = Vec3::new(corner(columns.start), scale.lowest_world, corner(rows.start));
        let highest = scale.highest_world + rule.size.1 / metres;
        let high = Vec3::new(corner(columns.end), highest, corner(rows.end));
        let nearest = eye.eye_world.clamp(low, high).distance(eye.eye_world) * metres;
        let is_seen = nearest < self.farthest && eye.frustum.meets(low, high);
        let throws = |shadows: &ShadowCascades| rule.kind != ScatterKind::Grass && shadows.reaches(low, high);
        if !is_seen && !eye.shadows.is_some_and(throws) {
            return;
        }
        match [columns.len(), rows.len()] {
            [1, 1] => {
                let all_metres = rule.size.1 * eye.pixels_per_radian / ALL_PIXELS;
                let kept = (share_kept(nearest, all_metres) * POINTS as f32) as usize + 1;
                let ranks = kept.next_multiple_of(RANK_STEP).min(POINTS);
                let key = (self.number, [columns.start, rows.start]);
                self.seen.push(WantedCell { key, ranks, metres: nearest, is_seen });
            }
            [wide, high] if wide >= high => {
                let middle = columns.start + wide as i32 / 2;
                self.block(columns.start..middle, rows.clone());
                self.block(middle..columns.end, rows);
            }
            [_, high] => {
                let middle = rows.start + high as i32 / 2;
                self.block(columns.clone(), rows.start..middle);
                self.block(columns, middle..rows.end);
            }
        }
    }
}

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

    #[test]
    fn halving_finds_the_cells_that_going_through_all_finds() {
        use crate::view::OverlayChoice;
        use bevy::math::{Mat4, Quat};
        use talweg::appearance_files::ScatterRules;
        use talweg::field::{Control, Edges, Terrain};
        use talweg::scene::Settings;

        let terrain = Terrain::from_fn(33, Edges::Open, |u, v| 0.2 * (u * 9.0).sin() * (v * 7.0).cos());
        let settings = Settings { size_metres: 9000.0, relief_metres: 1500.0, ..Settings::default() };
        let choice = OverlayChoice::default();
        let terrain = SquareTerrain::new(&terrain.into(), &settings, &choice, &Control::default()).unwrap();
        let rules = &ScatterRules::named("alpine").unwrap().0;
        let metres = terrain.scale.metres_per_world;
        for turn in 0..8 {
            let eye_world = Vec3::new(-300.0 + 80.0 * turn as f32, 150.0 + 40.0 * turn as f32, 90.0);
            let rotation = Quat::from_rotation_y(0.8 * turn as f32) * Quat::from_rotation_x(-0.3);
            let view = Mat4::from_rotation_translation(rotation, eye_world).inverse();
            let frustum = Frustum::new(Mat4::perspective_infinite_reverse_rh(0.8, 1.6, 0.1) * view);
            let shadows = ShadowCascades::new(eye_world, Vec3::new(0.6, 0.5, 0.2).normalize(), metres);
            let eye = ScatterEye { eye_world, frustum: &frustum, pixels_per_radian: 900.0, shadows: shadows.as_ref() };
            let found = seen_cells(rules, &terrain, &eye);
            let mut expected = Vec::new();
            for (number, rule) in rules.iter().enumerate() {
                let side = cell_metres(rule);
                let farthest = rule.size.1 * eye.pixels_per_radian / least_pixels(rule.kind);
                let last = (settings.size_metres / side).ceil() as i32;
                let is_near = |k: i32, at_world: f32| {
                    let at = (at_world + 0.5 * SIDE_WORLD) * metres;
                    ((at - farthest) / side).floor() as i32 <= k && k <= ((at + farthest) / side).floor() as i32
                };
                for (row, column) in (0..last).flat_map(|row| (0..last).map(move |column| (row, column))) {
                    if !is_near(column, eye_world.x) || !is_near(row, eye_world.z) {
                        continue;
                    }
                    let corner = |k: i32| k as f32 * side / metres - 0.5 * SIDE_WORLD;
                    let low = Vec3::new(corner(column), terrain.scale.lowest_world, corner(row));
                    let top = terrain.scale.highest_world + rule.size.1 / metres;
                    let high = Vec3::new(corner(column + 1), top, corner(row + 1));
                    let nearest = eye_world.clamp(low, high).distance(eye_world) * metres;
                    let is_seen = nearest < farthest && frustum.meets(low, high);
                    let over = (eye_world.y - terrain.scale.highest_world) * metres - rule.size.1;
                    let throws = rule.kind != ScatterKind::Grass
                        && over < farthest
                        && shadows.as_ref().is_some_and(|shadows| shadows.reaches(low, high));
                    if is_seen || throws {
                        expected.push(((number, [column, row]), is_seen));
                    }
                }
            }
            assert!(expected.len() > 20, "{}", expected.len());
            assert!(found.is_sorted_by_key(|wanted| wanted.metres));
            let mut found: Vec<_> = found.iter().map(|wanted| (wanted.key, wanted.is_seen)).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "turn {turn}");
        }
    }
}
