//! Positions of plants and stones. They do not depend on the resolution, the viewing distance or the order of queries.
//!
//! Each rule has a lattice of square cells with [`POINTS`] positions each. The positions are ordered so that, for any
//! n, the first n positions are evenly spread. They are chosen by Mitchell's best candidates (Mitchell 1991,
//! *Spectrally optimal sampling for distribution ray tracing*). At each position, the rule's conditions return a
//! fraction. A plant or stone occupies the position of rank r if r / [`POINTS`] is less than that fraction.

mod canopy;
mod groves;
mod shapes;

use std::sync::LazyLock;

use super::materials::conditions::GroundConditions;
use crate::appearance::colours::srgb::Light;
use crate::appearance_files::{CONDITIONS, EVERYWHERE, ScatterKind, ScatterRule, fulfilled};
use crate::field::Stream;

pub use canopy::{Canopy, CanopySpot, tallest_crown};
pub use groves::grove_share;
pub use shapes::{SHAPE_DETAILS, ScatterShape, ShapeVertex};

/// Number of positions per cell.
pub const POINTS: usize = 1024;

/// Square metres per hectare; the density of a rule is per hectare.
const SQUARE_METRES: f32 = 10_000.0;

/// A plant or a stone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScatteredObject {
    /// Position in metres east and south of the north-western corner of the terrain.
    pub place: [f32; 2],
    /// Height of the terrain at the object, in metres.
    pub ground_metres: f32,
    /// Kind of plant or stone.
    pub kind: ScatterKind,
    /// Height of the object in metres.
    pub size_metres: f32,
    /// Rotation about the vertical, in radians.
    pub turn: f32,
    /// Index of the object's position in the cell: see [`place_in_cell`].
    pub number: u16,
    /// Rank of the object's position among all [`POINTS`] positions of the cell. The objects of the lowest ranks are
    /// also evenly spread if no others are drawn.
    pub rank: u16,
    /// A random number from 0 to 1 that belongs to this object.
    pub random: f32,
    /// Colour of the terrain below the object, in linear light.
    pub ground: [f32; 3],
}

/// Positions in a repeating unit square, in the order of their ranks.
static PLACES: LazyLock<Vec<[f32; 2]>> = LazyLock::new(|| {
    let random = Stream::new(0x5ca7, 0);
    let mut places: Vec<[f32; 2]> = Vec::with_capacity(POINTS);
    // A grid of buckets makes the search for the nearest position fast.
    const BUCKETS: usize = 32;
    let mut buckets: Vec<Vec<[f32; 2]>> = vec![Vec::new(); BUCKETS * BUCKETS];
    let away = |a: f32, b: f32| {
        let d = (a - b).abs();
        d.min(1.0 - d)
    };
    for k in 0..POINTS {
        let spacing = (1.0 / (k + 1) as f32).sqrt();
        let span = ((1.5 * spacing * BUCKETS as f32) as i32 + 1).min(BUCKETS as i32 / 2);
        let nearest = |[x, y]: [f32; 2]| {
            let [column, row] = [x, y].map(|at| (at * BUCKETS as f32) as i32);
            let mut least = f32::INFINITY;
            for i in row - span..=row + span {
                for j in column - span..=column + span {
                    let [i, j] = [i, j].map(|at| at.rem_euclid(BUCKETS as i32) as usize);
                    for other in &buckets[i * BUCKETS + j] {
                        let (dx, dy) = (away(x, other[0]), away(y, other[1]));
                        least = least.min(dx * dx + dy * dy);
                    }
                }
            }
            least
        };
        let candidates =
            (0..16 + k as i32 / 8).map(|c| [random.unit(k as i32, 2 * c), random.unit(k as i32, 2 * c + 1)]);
        let best = candidates.map(|place| (nearest(place), place)).reduce(|a, b| if b.0 > a.0 { b } else { a });
        let (_, place) = best.unwrap_or_default();
        let [column, row] = place.map(|at| ((at * BUCKETS as f32) as usize).min(BUCKETS - 1));
        buckets[row * BUCKETS + column].push(place);
        places.push(place);
    }
    places
});

/// Width in metres of the lattice cells of a rule.
pub fn cell_metres(rule: &ScatterRule) -> f32 {
    (POINTS as f32 * SQUARE_METRES / rule.density).sqrt()
}

/// The position with a given rank in its cell, from 0 to 1 along each side of the cell.
pub fn place_in_cell(rank: usize) -> [f32; 2] {
    PLACES[rank.min(POINTS - 1)]
}

/// Data about the terrain that rules need; positions are from 0 to 1 along the terrain's sides.
pub trait PlantedGround {
    /// The values of [`CONDITIONS`] at a position.
    fn values(&self, place: [f32; 2]) -> [f32; CONDITIONS.len()];
    /// Density of the objects of a kind at a position, from 0 to 1, as a fraction of the density in the rules.
    fn density(&self, kind: ScatterKind, place: [f32; 2]) -> f32;
    /// Whether there is terrain at a position.
    fn has_ground(&self, place: [f32; 2]) -> bool;
    /// Depth of water over the terrain in metres.
    fn water_metres(&self, place: [f32; 2]) -> f32;
    /// Height of the terrain in metres.
    fn metres(&self, place: [f32; 2]) -> f32;
    /// Colour of the terrain in linear light, below plants with the density `vegetation`.
    fn colour(&self, place: [f32; 2], slope_degrees: f32, vegetation: f32) -> Light;
}

/// Random number stream of a rule in a scene.
pub fn rule_stream(scene_seed: u32, rule: usize) -> Stream {
    Stream::new(scene_seed, 0x7ee5 + rule as u32)
}

/// A cell of the lattice of a rule.
pub struct LatticeCell<'a> {
    /// The rule of the objects.
    pub rule: &'a ScatterRule,
    /// Random number stream of the rule, then of the cell.
    pub streams: [Stream; 2],
    /// Area of the cell divided by the area of a square [`cell_metres`] wide, at most 1.
    pub area_share: f32,
}

impl LatticeCell<'_> {
    /// The objects whose rank is in `ranks`, in order of rank. `spot` converts a position in the cell to a position on
    /// the terrain, and to metres.
    pub fn objects(
        &self,
        ranks: std::ops::Range<usize>,
        spot: impl Fn([f32; 2]) -> ([f32; 2], [f32; 2]),
        ground: &impl PlantedGround,
    ) -> Vec<ScatteredObject> {
        let (own, [stream, of_cell]) = (self.rule, self.streams);
        let taken = |(number, place): (usize, &[f32; 2])| {
            let rank = (number as f32 / self.area_share) as usize;
            if !ranks.contains(&rank) {
                return None;
            }
            let (at, metres) = spot(*place);
            if !at.iter().all(|at| (0.0..=1.0).contains(at)) {
                return None;
            }
            let wanted = (number as f32 + 0.5) / POINTS as f32;
            let grove = own.groves.map_or(1.0, |groves| grove_share(stream, groves, metres)) * self.area_share;
            if grove <= wanted {
                return None;
            }
            let values = ground.values(at);
            if grove * cover(own, &values) * ground.density(own.kind, at) <= wanted || !ground.has_ground(at) {
                return None;
            }
            // No objects are placed in water deeper than 20 cm.
            if ground.water_metres(at) > 0.2 {
                return None;
            }
            let random = |k: i32| of_cell.unit(number as i32, k);
            let (least, most) = own.size;
            // The formula makes many small objects and few large ones.
            let share = random(0) * (0.35 + 0.65 * random(1));
            Some(ScatteredObject {
                place: metres,
                ground_metres: ground.metres(at),
                kind: own.kind,
                size_metres: least + (most - least) * share,
                turn: std::f32::consts::TAU * random(2),
                number: number as u16,
                rank: rank as u16,
                random: random(3),
                ground: ground.colour(at, values[0], values[6]),
            })
        };
        let all = (ranks.end as f32 * self.area_share).ceil() as usize;
        PLACES.iter().enumerate().take(all).filter_map(taken).collect()
    }
}

/// Places the objects of rules on a terrain.
pub struct ScatterPlacer<'a> {
    /// The conditions on the terrain.
    pub ground: GroundConditions<'a>,
    /// The rules.
    pub rules: &'a [ScatterRule],
    /// Side of the terrain in metres.
    pub size_metres: f32,
    /// The scene's seed of random numbers.
    pub seed: u32,
}

impl ScatterPlacer<'_> {
    /// The objects of a rule in one cell, in order of rank. Only objects whose rank is in `ranks` are returned. The
    /// cell in column 0 and row 0 begins at the north-western corner of the terrain.
    pub fn objects_in_cell(
        &self,
        rule: usize,
        [column, row]: [i32; 2],
        ranks: std::ops::Range<usize>,
    ) -> Vec<ScatteredObject> {
        let own = &self.rules[rule];
        let side = cell_metres(own);
        let stream = rule_stream(self.seed, rule);
        let of_cell = stream.fork(stream.bits(column, row));
        let corner = [column as f32, row as f32];
        let cell = LatticeCell { rule: own, streams: [stream, of_cell], area_share: 1.0 };
        let spot = |place: [f32; 2]| {
            let metres: [f32; 2] = std::array::from_fn(|axis| (corner[axis] + place[axis]) * side);
            (metres.map(|metres| metres / self.size_metres), metres)
        };
        cell.objects(ranks, spot, &self.ground)
    }

    /// Number of cells of a rule along each side of the terrain, including cells that are only partly inside.
    pub fn cells_per_side(&self, rule: usize) -> i32 {
        libm::ceilf(self.size_metres / cell_metres(&self.rules[rule])).max(1.0) as i32
    }
}

/// Degree to which a position meets the conditions of a rule, from 0 to 1.
fn cover(rule: &ScatterRule, values: &[f32; CONDITIONS.len()]) -> f32 {
    let asked = rule.bands.iter().zip(values).filter(|(band, _)| **band != EVERYWHERE);
    asked.fold(1.0, |cover, (band, value)| cover * fulfilled(*band, *value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appearance::PaletteTable;
    use crate::appearance_files::{Palette, RuleList, ScatterRules};
    use crate::field::{Control, Edges, Terrain};
    use crate::scene::Settings;

    #[test]
    fn painted_densities_thin_only_their_kind() {
        let settings = Settings { size_metres: 400.0, relief_metres: 100.0, sea_level: 0.0, ..Settings::default() };
        let mut terrain = Terrain::from_fn(33, Edges::Open, |_, _| 0.5);
        // The density of trees increases steadily from 0 in the west to the full density in the east.
        let trees = (0..33 * 33).map(|k| (k % 33) as f32 / 32.0).collect::<Vec<_>>();
        terrain.map_mut(crate::field::MapKind::TreeDensity).copy_from_slice(&trees);
        let table = PaletteTable::new(Palette::named_or_default("alpine"), &settings);
        let text = "[(kind: Conifer, density: 200, size: (5, 9)), (kind: Boulder, density: 200, size: (1, 2))]";
        let rules = ScatterRules::from_ron("t", text).unwrap();
        let ground = GroundConditions::new(&terrain, &settings, &table, [].into_iter(), &Control::default()).unwrap();
        let placer = ScatterPlacer { ground, rules: &rules.0, size_metres: 400.0, seed: 3 };
        let places = |rule: usize| -> Vec<f32> {
            let cells = placer.cells_per_side(rule);
            let all = (0..cells * cells).flat_map(|k| placer.objects_in_cell(rule, [k % cells, k / cells], 0..1024));
            all.map(|object| object.place[0]).collect()
        };
        let (conifers, stones) = (places(0), places(1));
        assert!((1400..1800).contains(&conifers.len()), "half of 3200: {}", conifers.len());
        assert!(stones.len() > 3000, "{}", stones.len());
        let west = conifers.iter().filter(|east| **east < 100.0).count() as f32 / conifers.len() as f32;
        assert!((west - 1.0 / 16.0).abs() < 0.02, "{west}");
        let canopy = |east: f32| placer.canopy([east, 200.0]).cover;
        assert!(canopy(20.0) < 0.2 * canopy(380.0));
    }

    #[test]
    fn every_prefix_of_the_places_is_evenly_spread() {
        for count in [16, 100, 400, 1024] {
            let places = &PLACES[..count];
            let nearest = |a: &[f32; 2]| {
                let away = |b: &[f32; 2]| {
                    let d = [0, 1].map(|k| {
                        let d: f32 = (a[k] - b[k]).abs();
                        d.min(1.0 - d)
                    });
                    (d[0] * d[0] + d[1] * d[1]).sqrt()
                };
                places.iter().filter(|b| *b != a).map(away).fold(f32::INFINITY, f32::min)
            };
            let least = places.iter().map(nearest).fold(f32::INFINITY, f32::min);
            // Among `count` independent random positions, the smallest distance between two is about 0.5 / `count`.
            assert!(least > 0.42 / (count as f32).sqrt(), "{count}: {least}");
        }
    }

    fn objects(samples: usize, text: &str, height: impl Fn(f32, f32) -> f32) -> Vec<ScatteredObject> {
        let settings = Settings { size_metres: 400.0, relief_metres: 100.0, sea_level: 0.0, ..Settings::default() };
        let terrain = Terrain::from_fn(samples, Edges::Open, height);
        let table = PaletteTable::new(Palette::named_or_default("alpine"), &settings);
        let rules = ScatterRules::from_ron("t", text).unwrap();
        let bands = rules.0.iter().map(|rule| &rule.bands);
        let ground = GroundConditions::new(&terrain, &settings, &table, bands, &Control::default()).unwrap();
        let placer = ScatterPlacer { ground, rules: &rules.0, size_metres: 400.0, seed: 5 };
        let cells = placer.cells_per_side(0);
        let cells = (0..cells).flat_map(|row| (0..cells).map(move |column| [column, row]));
        cells.flat_map(|cell| placer.objects_in_cell(0, cell, 0..POINTS)).collect()
    }

    #[test]
    fn plants_per_hectare_match_the_rule() {
        // The terrain covers 16 hectares.
        let everywhere = objects(33, "[(kind: Shrub, density: 300, size: (1, 2))]", |_, _| 0.5);
        assert!((everywhere.len() as f32 - 4800.0).abs() < 100.0, "{}", everywhere.len());
        assert!(everywhere.iter().all(|o| (1.0..=2.0).contains(&o.size_metres) && o.ground_metres == 50.0));
        let half = objects(33, "[(kind: Shrub, density: 300, size: (1, 2), groves: (40, 0.5))]", |_, _| 0.5);
        assert!((0.3..0.7).contains(&(half.len() as f32 / 4800.0)), "{}", half.len());
        assert!(objects(33, "[(kind: Shrub, density: 300, size: (1, 2))]", |_, _| -0.5).is_empty(), "under the sea");
    }

    #[test]
    fn a_higher_resolution_moves_no_plant() {
        let hill = |u: f32, v: f32| 0.2 + 0.6 * u + 0.1 * v;
        let text = "[(kind: Conifer, density: 200, size: (5, 9), slope: [0, 20], groves: (60, 0.6))]";
        let (coarse, fine) = (objects(65, text, hill), objects(257, text, hill));
        let same = fine.iter().filter(|a| coarse.iter().any(|b| a.place == b.place && a.turn == b.turn)).count();
        assert!(coarse.len() > 100 && same * 100 >= 97 * fine.len(), "{same} of {} and {}", fine.len(), coarse.len());
    }

    #[test]
    fn plants_of_level_ground_avoid_steep_ground() {
        let text = "[(kind: Conifer, density: 400, size: (5, 9), slope: [30, 20])]";
        let ridge = |u: f32, _: f32| if u < 0.5 { 0.3 } else { 0.3 + 4.0 * (u - 0.5) };
        let all = objects(129, text, ridge);
        assert!(all.len() > 1000 && all.iter().all(|o| o.place[0] < 210.0));
    }
}
