//! Plants and stones on a square terrain, drawn from its grid or from its construction tree.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use bevy::math::Vec3;
use rayon::prelude::*;

use super::terrain::SquareTerrain;
use crate::view::construction_surface::{Sample, TreeSurface};
use crate::view::plants::cells::{ScatterEye, WantedCell, nearest_first, ranks_wanted};
use crate::view::plants::scatter::{CellRequest, PlantedCells, PlantedSurface, StandingObject};
use crate::view::plants::shadows::ShadowCascades;
use crate::view::render::frustum::Frustum;
use crate::view::render::mips::{Mips, unit_bytes};
use crate::view::scale::{SIDE_WORLD, WorldScale};
use talweg::appearance::scatter::{Canopy, ScatterPlacer, ScatteredObject, cell_metres};
use talweg::appearance::{GroundConditions, PaletteTable};
use talweg::appearance_files::{ScatterKind, ScatterRule};
use talweg::construction::LANES;
use talweg::field::Control;

/// Greatest number of texels along a side of the canopy map.
const CANOPY_SIDE: usize = 1024;
/// Size of the largest canopy map with its mip levels on the graphics card, in bytes.
#[cfg(test)]
pub const CANOPY_BYTES: usize = CANOPY_SIDE * CANOPY_SIDE * 4 * 4 / 3;

/// Plants and stones on a square terrain; see the module documentation.
#[derive(Clone)]
pub struct PlantedSquare {
    pub terrain: Arc<SquareTerrain>,
    /// The construction tree that is drawn in place of the grid, if there is one.
    pub tree: Option<Arc<TreeSurface>>,
    pub table: Arc<PaletteTable>,
}

impl PlantedSquare {
    /// Heights of one cell's objects above the grid, if a construction tree is drawn in place of the grid.
    fn lifts(&self, objects: &[ScatteredObject]) -> Vec<f32> {
        let (Some(tree), Some(first)) = (&self.tree, objects.first()) else { return Vec::new() };
        let metres = self.terrain.scale.metres_per_world;
        let flat = |object: &ScatteredObject| object.place.map(|along| f64::from(along / metres - 0.5 * SIDE_WORLD));
        let (mut low, mut high) = (flat(first), flat(first));
        objects.iter().map(flat).for_each(|at| {
            (low, high) = ([0, 1].map(|k| low[k].min(at[k])), [0, 1].map(|k| high[k].max(at[k])));
        });
        let selection = tree.selection(low, high);
        // detail of the construction tree smaller than a quarter of the smallest object does not lift the objects
        let smallest = objects.iter().map(|object| object.size_metres).fold(f32::INFINITY, f32::min);
        let detail = tree.detail(f64::from(0.25 * smallest.max(0.2) / metres));
        let mut samples = Vec::with_capacity(objects.len());
        for row in objects.chunks(LANES) {
            tree.row_in(&selection, &row.iter().map(flat).collect::<Vec<_>>(), &detail, &mut samples);
        }
        let lift = |(object, sample): (&ScatteredObject, &Sample)| sample.height as f32 - object.ground_metres / metres;
        objects.iter().zip(&samples).map(lift).collect()
    }

    fn standing(&self, objects: Vec<ScatteredObject>) -> Vec<StandingObject> {
        let (lifts, metres) = (self.lifts(&objects), self.terrain.scale.metres_per_world);
        let stand = |(k, object): (usize, ScatteredObject)| {
            let [east, south] = object.place.map(|along| along / metres - 0.5 * SIDE_WORLD);
            let lift = lifts.get(k).copied().unwrap_or(0.0);
            let foot = Vec3::new(east, object.ground_metres / metres + lift, south);
            StandingObject { object, foot, stance: lift.to_bits() }
        };
        objects.into_iter().enumerate().map(stand).collect()
    }
}

impl PlantedSurface for PlantedSquare {
    /// Column and row of a cell.
    type CellPlace = [i32; 2];

    /// The number of cells is unlimited, because each task prepares the site conditions of the whole terrain anyway.
    const MOST_CELLS: usize = usize::MAX;

    fn rules(&self) -> &[ScatterRule] {
        &self.table.scatter.0
    }

    fn is_same(&self, other: &Self) -> bool {
        let serial = |ground: &Self| (ground.terrain.serial, ground.tree.as_ref().map(|tree| tree.serial));
        serial(self) == serial(other)
            && (Arc::ptr_eq(&self.table, &other.table) || self.table.has_same_vegetation(&other.table))
    }

    fn metres_per_world(&self) -> f32 {
        self.terrain.scale.metres_per_world
    }

    fn has_canopy(&self) -> bool {
        true
    }

    fn plant(&self, cells: Vec<CellRequest<[i32; 2]>>, wants_canopy: bool) -> PlantedCells<[i32; 2]> {
        let Self { terrain, table, .. } = self;
        let settings = &terrain.settings;
        let rules = &table.scatter.0;
        let colours = terrain.colours.as_ref().map(|mips| Cow::Borrowed(mips.levels[0].bytes.as_chunks::<4>().0));
        let bands = rules.iter().map(|rule| &rule.bands);
        let control = Control::default();
        let conditions = GroundConditions::with_colours(&terrain.terrain, settings, table, colours, bands, &control);
        // the control of this task is never cancelled
        let Ok(conditions) = conditions else { return PlantedCells { cells: Vec::new(), canopy: None } };
        let placer =
            ScatterPlacer { ground: conditions, rules, size_metres: settings.size_metres, seed: settings.seed };
        let cell = |request: CellRequest<[i32; 2]>| {
            let (rule, place) = request.key;
            let objects = self.standing(placer.objects_in_cell(rule, place, 0..request.ranks));
            (request, objects)
        };
        let cells = cells.into_par_iter().map(cell).collect();
        let side = terrain.terrain.samples().min(CANOPY_SIDE);
        let mips = |map: Vec<Canopy>| Mips::new(side, map.iter().map(Canopy::texel).collect(), unit_bytes, &control);
        let canopy = wants_canopy.then(|| placer.canopy_map(side, &control).and_then(mips).ok()).flatten();
        PlantedCells { cells, canopy }
    }
}

/// The cells that the camera sees, each with the number of ranks that it needs, nearest first.
pub fn seen_cells(
    rules: &[ScatterRule],
    terrain: &SquareTerrain,
    frustum: &Frustum,
    eye: &ScatterEye,
) -> Vec<WantedCell<[i32; 2]>> {
    let (scale, settings) = (&terrain.scale, &terrain.settings);
    let metres = scale.metres_per_world;
    let half = 0.5 * SIDE_WORLD;
    let mut seen = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let side = cell_metres(rule);
        let farthest = eye.farthest_metres(rule);
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
        let mut search =
            CellSearch { number, rule, scale, frustum, eye, side_world: side / metres, farthest, seen: &mut seen };
        search.block(span(eye.eye_world.x), span(eye.eye_world.z));
    }
    nearest_first(seen)
}

/// Search for the cells of a rule that are visible or cast shadows. The search repeatedly halves blocks of cells.
struct CellSearch<'a> {
    number: usize,
    rule: &'a ScatterRule,
    scale: &'a WorldScale,
    frustum: &'a Frustum,
    eye: &'a ScatterEye<'a>,
    side_world: f32,
    farthest: f32,
    seen: &'a mut Vec<WantedCell<[i32; 2]>>,
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
        let is_seen = nearest < self.farthest && self.frustum.meets(low, high);
        let throws = |shadows: &ShadowCascades| rule.kind != ScatterKind::Grass && shadows.reaches(low, high);
        if !is_seen && !eye.shadows.is_some_and(throws) {
            return;
        }
        match [columns.len(), rows.len()] {
            [1, 1] => {
                self.seen.push(WantedCell {
                    key: (self.number, [columns.start, rows.start]),
                    ranks: ranks_wanted(rule, nearest, eye),
                    metres: nearest,
                    is_seen,
                    origin_world: Vec3::ZERO,
                    raised_world: Vec3::ZERO,
                });
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
    use crate::view::plants::cells::least_pixels;

    #[test]
    fn subdivision_finds_the_cells_of_a_full_scan() {
        use crate::view::overlays::choice::OverlayChoice;
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
            let shadows = ShadowCascades::new(eye_world, Vec3::new(0.6, 0.5, 0.2).normalize(), Vec3::Y, metres);
            let eye = ScatterEye {
                eye_world,
                pixels_per_radian: 900.0,
                most_metres: f32::INFINITY,
                shadows: shadows.as_ref(),
            };
            let found = seen_cells(rules, &terrain, &frustum, &eye);
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
