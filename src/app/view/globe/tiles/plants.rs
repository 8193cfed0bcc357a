//! Plants and stones on a globe. The cells of a scatter rule are the patches of the cube faces at one fixed level. So
//! the cells do not depend on the position of the eye. The tile that contains a cell supplies its terrain values.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

use bevy::math::Vec3;
use glam::DVec3;
use rayon::prelude::*;

use super::detail_ground::FineTerrain;
use super::tile::{GlobeTile, SIDE, STEPS};
use crate::view::globe::face::{axes, level_axes, tangents};
use crate::view::globe::lod::{GlobeCulling, GlobePatch};
use crate::view::plants::cells::{ScatterEye, WantedCell, nearest_first, ranks_wanted};
use crate::view::plants::scatter::{CellRequest, PlantedCells, PlantedSurface, StandingObject};
use crate::view::render::mips::{half, unit_bytes};
use talweg::appearance::decode;
use talweg::appearance::scatter::{
    CanopySpot, LatticeCell, PlantedGround, ScatteredObject, cell_metres, grove_share, place_in_cell, rule_stream,
};
use talweg::appearance_files::{CONDITIONS, ScatterKind, ScatterRule};
use talweg::field::{Globe, Stream};

/// Greatest sample spacing, in metres, of the tiles on which plants and stones stand. The finest drawn tiles have this
/// spacing.
const STEP_METRES: f64 = 3.0;
/// Greatest distance in metres at which plants and stones are drawn. Farther away, only the canopy map on the terrain
/// shows forests.
pub const MOST_METRES: f32 = 6000.0;
/// If water covers more than this fraction of a sample's area, no plant or stone stands on the sample.
const WATER_SHARE: f32 = 0.2;

/// A globe's fine terrain as the surface for plants and stones; see the module documentation.
#[derive(Clone)]
pub struct PlantedGlobe(pub Arc<FineTerrain>);

/// The level of the tiles on which plants and stones stand, for a globe of this radius.
fn tile_level(radius_metres: f64) -> u32 {
    level_within(radius_metres, STEP_METRES * STEPS as f64)
}

/// The coarsest level whose patches are at most `metres` wide everywhere.
fn level_within(radius_metres: f64, metres: f64) -> u32 {
    (radius_metres * FRAC_PI_2 / metres).max(1.0).log2().ceil() as u32
}

/// The level of the patches that serve as cells of a rule. Each cell is within one tile.
fn cell_level(rule: &ScatterRule, radius_metres: f64) -> u32 {
    level_within(radius_metres, f64::from(cell_metres(rule))).max(tile_level(radius_metres))
}

/// The stream of random numbers of a rule on a face.
fn face_stream(seed: u32, (number, rule): (usize, &ScatterRule), face: u32, radius_metres: f64) -> Stream {
    let level = cell_level(rule, radius_metres);
    rule_stream(seed, number).fork(u64::from(face) << 32 | u64::from(level))
}

/// A position on a face in metres from the face's centre, measured along the sphere. Groves are placed in these
/// coordinates.
fn face_metres(radius_metres: f64, u: f64, v: f64) -> [f32; 2] {
    [u, v].map(|along| (radius_metres * FRAC_PI_2 * (along - 0.5)) as f32)
}

impl PlantedGlobe {
    fn objects(&self, request: &CellRequest<GlobePatch>, tile: &PlantedTile) -> Vec<StandingObject> {
        let (number, patch) = request.key;
        let ((rules, seed), radius) = (&self.0.scatter, self.0.radius_metres);
        let rule = &rules.0[number];
        let of_face = face_stream(*seed, (number, rule), patch.face, radius);
        let of_cell = of_face.fork(of_face.bits(patch.column as i32, patch.row as i32));
        let corner = |u: f64, v: f64| patch.direction(u, v) * radius;
        let (across, down) = (corner(1.0, 0.0) - corner(0.0, 0.0), corner(0.0, 1.0) - corner(0.0, 0.0));
        let whole = f64::from(cell_metres(rule)).powi(2);
        let area_share = (across.cross(down).length() / whole).min(1.0) as f32;
        let cell = LatticeCell { rule, streams: [of_face, of_cell], area_share };
        let (within, span) = patch.place_in(&tile.tile.patch);
        let spot = |place: [f32; 2]| {
            let (u, v) = patch.face_position(place[0].into(), place[1].into());
            ([0, 1].map(|axis| within[axis] + place[axis] * span), face_metres(radius, u, v))
        };
        let origin = patch.direction(0.5, 0.5) * radius;
        let stand = |object: ScatteredObject| {
            let place = place_in_cell(object.number.into());
            let up = patch.direction(place[0].into(), place[1].into());
            let foot = (up * (radius + f64::from(object.ground_metres)) - origin).as_vec3();
            let [along, down] = tile.slopes([0, 1].map(|axis| within[axis] + place[axis] * span));
            let (first, second) = tangents(axes(patch.face as usize), up);
            let uphill = first * f64::from(along) + second * f64::from(down);
            let [east, south] = level_axes(up).map(|axis| half(axis.dot(uphill) as f32));
            StandingObject { object, foot, stance: u32::from(east) | u32::from(south) << 16 }
        };
        cell.objects(0..request.ranks, spot, tile).into_iter().map(stand).collect()
    }
}

impl PlantedSurface for PlantedGlobe {
    type CellPlace = GlobePatch;

    /// Greatest number of cells per task. A task is limited to the nearest cells, because it must also compute the
    /// terrain below each cell.
    const MOST_CELLS: usize = 256;

    fn rules(&self) -> &[ScatterRule] {
        &self.0.scatter.0.0
    }

    fn is_same(&self, other: &Self) -> bool {
        self.0.serial == other.0.serial
    }

    fn metres_per_world(&self) -> f32 {
        1.0
    }

    fn has_canopy(&self) -> bool {
        false
    }

    fn plant(&self, cells: Vec<CellRequest<GlobePatch>>, _: bool) -> PlantedCells<GlobePatch> {
        let ground = &*self.0;
        let level = tile_level(ground.radius_metres);
        let mut by_tile: BTreeMap<GlobePatch, Vec<CellRequest<GlobePatch>>> = BTreeMap::new();
        for request in cells {
            if let Some(tile) = request.key.1.ancestors().find(|patch| patch.level == level) {
                by_tile.entry(tile).or_default().push(request);
            }
        }
        // prepare the detail before the tiles, because tasks that wait for it would block the threads that prepare it
        let _ = ground.detail();
        let planted = by_tile.into_par_iter().filter_map(|(patch, requests)| {
            let tile = match ground.drawn_tile(patch) {
                Some(tile) => tile,
                None => Arc::new(GlobeTile::new(ground, patch, &|| false)?),
            };
            let tile = PlantedTile::new(ground, &tile);
            let stand = |request: CellRequest<GlobePatch>| {
                let objects = self.objects(&request, &tile);
                (request, objects)
            };
            Some(requests.into_iter().map(stand).collect::<Vec<_>>())
        });
        PlantedCells { cells: planted.flatten_iter().collect(), canopy: None }
    }
}

/// The terrain values of a tile that plants and stones need.
pub struct PlantedTile<'a> {
    ground: &'a FineTerrain,
    tile: &'a GlobeTile,
    /// Spacing of the tile's samples along rows and along columns, in metres.
    step_metres: [f32; 2],
    /// The grid of the globe, if the globe has density maps.
    globe: Option<Globe>,
}

impl<'a> PlantedTile<'a> {
    pub fn new(ground: &'a FineTerrain, tile: &'a GlobeTile) -> Self {
        let corner = |u: f64, v: f64| tile.patch.direction(u, v) * (ground.radius_metres / STEPS as f64);
        let step = |to: DVec3| (to - corner(0.0, 0.0)).length() as f32;
        let step_metres = [step(corner(1.0, 0.0)), step(corner(0.0, 1.0))];
        let mut kinds = ground.scatter.0.0.iter().map(|rule| rule.kind);
        let has_densities = kinds.any(|kind| ground.terrain().map(kind.density_map()).is_some());
        let globe = has_densities.then(|| Globe::new(ground.terrain().samples()));
        Self { ground, tile, step_metres, globe }
    }

    /// The canopy at the tile's samples, computed at every second sample. `None` if `stop` returns true.
    pub fn canopy(&self, stop: &dyn Fn() -> bool) -> Option<Vec<[u8; 4]>> {
        const HALF: usize = STEPS / 2;
        let (rules, seed) = (&self.ground.scatter.0.0, self.ground.scatter.1);
        let (patch, radius) = (self.tile.patch, self.ground.radius_metres);
        if !rules.iter().any(|rule| rule.kind.has_crown()) {
            return Some(vec![[0; 4]; SIDE * SIDE]);
        }
        let streams: Vec<Stream> =
            (0..rules.len()).map(|number| face_stream(seed, (number, &rules[number]), patch.face, radius)).collect();
        let mut coarse = Vec::with_capacity((HALF + 1) * (HALF + 1));
        for row in 0..=HALF {
            if stop() {
                return None;
            }
            for column in 0..=HALF {
                let at = [column, row].map(|k| k as f32 / HALF as f32);
                let (u, v) = patch.face_position(at[0].into(), at[1].into());
                let metres = face_metres(radius, u, v);
                let inside = |number: usize, groves| grove_share(streams[number], groves, metres);
                let spot = CanopySpot { at, spacing_metres: 2.0 * self.step_metres[0] };
                coarse.push(spot.canopy(rules, inside, self).texel());
            }
        }
        let texel = |k: usize| {
            let (row, column) = (k / SIDE, k % SIDE);
            let at = |row: usize, column: usize| coarse[row * (HALF + 1) + column];
            let (top, left) = (row / 2, column / 2);
            let (bottom, right) = (row.div_ceil(2), column.div_ceil(2));
            let four = [at(top, left), at(top, right), at(bottom, left), at(bottom, right)];
            unit_bytes(std::array::from_fn(|c| 0.25 * four.iter().map(|texel| texel[c]).sum::<f32>()))
        };
        Some((0..SIDE * SIDE).map(texel).collect())
    }

    /// The preceding sample, and the position between this sample and the next as a fraction, along rows and along
    /// columns.
    fn cell([x, y]: [f32; 2]) -> [(usize, f32); 2] {
        [x, y].map(|along| {
            let at = (along * STEPS as f32).clamp(0.0, STEPS as f32);
            let low = (at as usize).min(STEPS - 1);
            (low, at - low as f32)
        })
    }

    fn height(&self, row: usize, column: usize) -> f32 {
        self.tile.heights[row * SIDE + column]
    }

    /// Slopes of the drawn quad at a position of the tile, along rows and columns, as tangents.
    fn slopes(&self, place: [f32; 2]) -> [f32; 2] {
        let [(j, right), (i, down)] = Self::cell(place);
        let [a, b, c, d] = [self.height(i, j), self.height(i, j + 1), self.height(i + 1, j), self.height(i + 1, j + 1)];
        let along = (b - a) * (1.0 - down) + (d - c) * down;
        let across = (c - a) * (1.0 - right) + (d - b) * right;
        [along / self.step_metres[0], across / self.step_metres[1]]
    }

    fn sea_metres(&self) -> Option<f32> {
        self.ground.sea_metres.map(|sea| sea as f32)
    }

    fn nearest(place: [f32; 2]) -> usize {
        let [column, row] = place.map(|along| ((along * STEPS as f32 + 0.5) as usize).min(STEPS));
        row * SIDE + column
    }
}

impl PlantedGround for PlantedTile<'_> {
    fn values(&self, place: [f32; 2]) -> [f32; CONDITIONS.len()] {
        let [along, across] = self.slopes(place);
        let slope = along.hypot(across).atan().to_degrees();
        let sea = self.sea_metres().unwrap_or(0.0);
        let height = (self.metres(place) - sea) / (self.ground.relief_metres() - sea).max(1.0);
        let [r, g, b] = self.colour(place, slope, 0.0);
        let bright = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        let sample = Self::nearest(place);
        let curvature = self.tile.curvature(sample, self.ground.spacing_metres(self.tile.patch.level));
        let flow = self.tile.water_share(sample);
        // openness and wetness need maps of a square terrain, so they get neutral values, as in globe_ground.wgsl
        let (openness, wetness) = (0.5, 0.0);
        let site = self.tile.site.get(sample).map_or([0.0; 4], |site| site.map(|share| f32::from(share) / 255.0));
        let [deposits, wear, plants, hardness] = site;
        let green = g - r.max(b);
        [slope, height, openness, flow, deposits, wear, plants, green, bright, curvature, wetness, hardness]
    }

    fn density(&self, kind: ScatterKind, place: [f32; 2]) -> f32 {
        let map = self.ground.terrain().map(kind.density_map());
        let direction = || self.tile.patch.direction(place[0].into(), place[1].into()).to_array();
        let share = self.globe.as_ref().zip(map).map(|(globe, map)| globe.sample(map, direction()));
        share.map_or(1.0, |share| share.clamp(0.0, 1.0))
    }

    fn has_ground(&self, _: [f32; 2]) -> bool {
        true
    }

    fn water_metres(&self, place: [f32; 2]) -> f32 {
        let below_sea = self.sea_metres().map_or(0.0, |sea| sea - self.metres(place));
        let is_wet = self.tile.water_share(Self::nearest(place)) > WATER_SHARE;
        below_sea.max(if is_wet { f32::INFINITY } else { 0.0 })
    }

    fn metres(&self, place: [f32; 2]) -> f32 {
        let [(j, right), (i, down)] = Self::cell(place);
        let along = |row: usize| self.height(row, j) + (self.height(row, j + 1) - self.height(row, j)) * right;
        let (top, bottom) = (along(i), along(i + 1));
        top + (bottom - top) * down
    }

    fn colour(&self, place: [f32; 2], _: f32, _: f32) -> [f32; 3] {
        let [r, g, b, _] = self.tile.colours[Self::nearest(place)];
        decode([r, g, b])
    }
}

/// The cells that the camera sees, each with the number of ranks that it needs, nearest first. Positions are in metres
/// relative to the eye, and heights are scaled by `exaggeration`.
pub fn seen_cells(
    rules: &[ScatterRule],
    culling: &GlobeCulling,
    exaggeration: f64,
    eye: &ScatterEye,
) -> Vec<WantedCell<GlobePatch>> {
    let radius = culling.radius;
    let levels: Vec<u32> = rules.iter().map(|rule| cell_level(rule, radius)).collect();
    let mut distinct = levels.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let mut seen = Vec::new();
    for level in distinct {
        let own = || rules.iter().enumerate().zip(&levels).filter(|(_, of)| **of == level).map(|(rule, _)| rule);
        let farthest = own().map(|(_, rule)| eye.farthest_metres(rule)).fold(0.0, f32::max);
        let tallest = own().map(|(_, rule)| rule.size.1).fold(0.0, f32::max);
        let throws = own().any(|(_, rule)| rule.kind != ScatterKind::Grass);
        let shadows = eye.shadows.filter(|_| throws);
        let mut open: Vec<GlobePatch> = GlobePatch::faces().collect();
        while let Some(patch) = open.pop() {
            let (middle, ball) = culling.ball(patch);
            let (middle_rel, reach) = (middle.as_vec3(), ball as f32 + tallest);
            let nearest = (middle_rel.length() - reach).max(0.0);
            if nearest >= farthest {
                continue;
            }
            let is_seen = culling.sees(patch, f64::from(tallest));
            let [low, high] = [-reach, reach].map(|aside| middle_rel + Vec3::splat(aside));
            if !is_seen && !shadows.is_some_and(|shadows| shadows.reaches(low, high)) {
                continue;
            }
            if patch.level < level {
                open.extend(patch.quarters());
                continue;
            }
            let up = patch.direction(0.5, 0.5);
            for (number, rule) in own() {
                let is_near = nearest < eye.farthest_metres(rule);
                if !is_near || !is_seen && rule.kind == ScatterKind::Grass {
                    continue;
                }
                seen.push(WantedCell {
                    key: (number, patch),
                    ranks: ranks_wanted(rule, nearest, eye),
                    metres: nearest,
                    is_seen,
                    origin_world: (up * radius - culling.eye()).as_vec3(),
                    raised_world: (up * (exaggeration - 1.0)).as_vec3(),
                });
            }
        }
    }
    nearest_first(seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::globe::bounds::{FaceBounds, tile_of};
    use crate::view::globe::tiles::ground;
    use glam::DMat4;
    use talweg::appearance_files::{RuleList, ScatterRules};

    fn planted(rules: &str) -> PlantedGlobe {
        let rules = Arc::new(ScatterRules::from_ron("test", rules).unwrap());
        PlantedGlobe(Arc::new(ground().planted(&rules)))
    }

    /// Cells of the first scatter rule, in the centres and in the corners of faces.
    fn cells(planted: &PlantedGlobe) -> Vec<GlobePatch> {
        let level = cell_level(&planted.rules()[0], planted.0.radius_metres);
        let last = (1 << level) - 1;
        (0..24)
            .map(|k| {
                let place = |turn: u32| last / 7 * ((k * turn + k / 5) % 8).min(7);
                GlobePatch { level, face: k % 6, row: place(3), column: place(5) }
            })
            .collect()
    }

    fn requests(cells: &[GlobePatch], ranks: usize) -> Vec<CellRequest<GlobePatch>> {
        cells.iter().map(|cell| CellRequest { key: (0, *cell), ranks }).collect()
    }

    #[test]
    fn plants_have_their_density_and_stand_on_the_drawn_ground() {
        let planted = planted("[(kind: Boulder, density: 100, size: (1, 2))]");
        let radius = planted.0.radius_metres;
        let made = planted.plant(requests(&cells(&planted), 1024), false);
        let (mut land, mut stones) = (0.0, 0);
        for (request, objects) in &made.cells {
            let patch = request.key.1;
            let tile = patch.ancestors().find(|patch| patch.level == tile_level(radius)).unwrap();
            let tile = GlobeTile::new(&planted.0, tile, &|| false).unwrap();
            let tile = PlantedTile::new(&planted.0, &tile);
            let (within, span) = patch.place_in(&tile.tile.patch);
            let on_land = (0..400).filter(|k| {
                let place = [k % 20, k / 20].map(|at| (at as f32 + 0.5) / 20.0);
                tile.water_metres([0, 1].map(|axis| within[axis] + place[axis] * span)) <= 0.2
            });
            let edge = |u: f64, v: f64| (patch.direction(u, v) - patch.direction(0.0, 0.0)) * radius;
            let area = edge(1.0, 0.0).cross(edge(0.0, 1.0)).length();
            land += on_land.count() as f64 / 400.0 * area / 10_000.0;
            stones += objects.len();
            let origin = patch.direction(0.5, 0.5) * radius;
            for StandingObject { foot, object, .. } in objects {
                let place = (origin + foot.as_dvec3()).normalize();
                let (_, u, v) = talweg::field::globe::locate(place.to_array());
                let height = f64::from(tile.tile.height_at(u, v));
                let stands = (origin + foot.as_dvec3()).length() - radius;
                assert!((stands - height).abs() < 0.05, "{stands} over {height}");
                assert!(f64::from(object.ground_metres) > planted.0.sea_metres.unwrap() - 0.2);
            }
        }
        assert!(land > 20.0 && (stones as f64 / land / 100.0 - 1.0).abs() < 0.03, "{stones} on {land} ha");
    }

    #[test]
    fn fewer_ranks_are_a_subset_and_cells_are_independent() {
        let planted = planted("[(kind: Shrub, density: 900, size: (1, 2), groves: (60, 0.6))]");
        let cells = cells(&planted);
        let whole = planted.plant(requests(&cells, 1024), false).cells;
        let places = |objects: &[StandingObject], ranks: u16| -> Vec<Vec3> {
            objects.iter().filter(|standing| standing.object.rank < ranks).map(|standing| standing.foot).collect()
        };
        let mut counted = 0;
        for (request, objects) in &whole {
            let alone = planted.plant(requests(&[request.key.1], 256), false).cells;
            assert_eq!(places(&alone[0].1, u16::MAX), places(objects, 256));
            assert!(objects.is_sorted_by_key(|standing| standing.object.rank));
            counted += objects.len();
        }
        assert!(counted > 1000, "{counted}");
    }

    #[test]
    fn crowns_cover_what_the_rules_say_on_land_only() {
        let covers = |rules: &str, level: u32| {
            let rules = Arc::new(ScatterRules::from_ron("test", rules).unwrap());
            let ground = ground().planted(&rules);
            let mut land = Vec::new();
            for cell in 0..12 {
                let place = |turn: u32| (1 << level) / 7 * (cell * turn % 7);
                let patch = GlobePatch { level, face: cell % 6, row: place(3), column: place(5) };
                let tile = GlobeTile::new(&ground, patch, &|| false).unwrap();
                let sea = ground.sea_metres.unwrap() as f32;
                let is_sea = tile.highest_metres < sea - 1.0;
                assert!(!is_sea || tile.canopy.iter().all(|texel| texel[3] == 0), "{patch:?}");
                let samples = tile.heights.iter().zip(&tile.canopy).enumerate();
                let dry = samples.filter(|(k, (metres, _))| **metres > sea + 40.0 && tile.water_share(*k) == 0.0);
                land.extend(dry.map(|(_, (_, texel))| f32::from(texel[3]) / 255.0));
            }
            assert!(land.len() > 5000, "{}", land.len());
            land.iter().sum::<f32>() / land.len() as f32
        };
        let (fine, coarse) = (14, 9);
        assert_eq!(covers("[]", fine), 0.0);
        let everywhere = "[(kind: Broadleaf, density: 300, size: (10, 20))]";
        let whole = covers(everywhere, fine);
        assert!((0.5..1.0).contains(&whole) && (covers(everywhere, coarse) - whole).abs() < 0.02, "{whole}");
        // groves narrower than the sample spacing become a uniform density
        let half = covers("[(kind: Broadleaf, density: 300, size: (10, 20), groves: (80, 0.5))]", coarse);
        let expected = 1.0 - (1.0 - whole).sqrt();
        assert!((half - expected).abs() < 0.03, "{half}, not {expected}");
    }

    #[test]
    fn every_visible_cell_with_ground_is_found() {
        let rules = ScatterRules::from_ron("t", "[(kind: Conifer, density: 300, size: (9, 22))]").unwrap().0;
        let heights = talweg::field::Globe::new(9);
        let flat = FaceBounds::new(9, &vec![0.0; heights.len()]);
        for (turn, radius) in [(0.3, 6.371e6), (1.1, 4.0e5), (2.2, 1.7e6)] {
            let up = DVec3::new(f64::cos(turn), f64::sin(turn), 0.4 * turn - 0.3).normalize();
            let eye = up * (radius + 120.0);
            let ahead = (up.any_orthonormal_vector() - 0.15 * up).normalize();
            let clip =
                DMat4::perspective_infinite_reverse_rh(0.8, 1.6, 0.1) * DMat4::look_to_rh(DVec3::ZERO, ahead, up);
            let culling = GlobeCulling::new(&flat, (radius, 1.0, 0.0), eye, clip);
            let from =
                ScatterEye { eye_world: Vec3::ZERO, pixels_per_radian: 900.0, most_metres: 2000.0, shadows: None };
            let seen = seen_cells(&rules, &culling, 1.0, &from);
            assert!(seen.is_sorted_by_key(|wanted| wanted.metres));
            let level = cell_level(&rules[0], radius);
            let mut inside = 0;
            for k in 0..4000 {
                let (along, aside) = (f64::from(k % 63) * 30.0, (f64::from(k / 63) - 31.0) * 40.0);
                let flat = ahead - up * ahead.dot(up);
                let place = (eye + flat.normalize() * along + flat.cross(up).normalize() * aside).normalize();
                let rel = place * radius - eye;
                let at = clip * rel.extend(1.0);
                if rel.length() > 1990.0 || at.w <= 0.0 || at.x.abs() > at.w || at.y.abs() > at.w {
                    continue;
                }
                inside += 1;
                let (face, row, column) = tile_of(place, level);
                let patch = GlobePatch { level, face: face as u32, row, column };
                let found = seen.iter().find(|wanted| wanted.key.1 == patch);
                let found = found.unwrap_or_else(|| panic!("{patch:?} is missing"));
                assert!(f64::from(found.metres) <= rel.length() && found.is_seen);
            }
            assert!(inside > 300, "{inside}");
        }
    }
}
