//! Heights with their data maps.

use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::{Edges, Grid};

crate::choices! {
    /// A data map beside the heights, of the same size.
    MapKind {
        Water "Water depth": "Depth of standing or running water.",
        Sediment "Sediment": "Material that water, wind or ice carries.",
        Hardness "Hardness": "Resistance of the rock to erosion: 0 is soft, 1 never wears.",
        Flow "Flow": "Water that passed, in cell areas.",
        Wear "Wear": "Material taken away so far.",
        Deposits "Deposits": "Material laid down so far.",
        Rain "Rain": "Rain that falls here, as a multiple of what falls on average.",
        Sand "Sand": "Depth of loose sand on the ground, part of the height.",
        Snow "Snow": "Depth of snow on the ground, part of the height.",
        Film "Rain water": "Depth of rain that runs over the ground in a film. Pictures leave it out, so that the ground is seen.",
        Vegetation "Vegetation": "How densely plants grow, from 0 to 1.",
        Brightness "Brightness": "How bright the ground is beside its colour: above 0 rays and fresh rubble, below 0 dark lava.",
        Ground "Ground": "Where there is ground: 1 is ground, 0 is nothing. Pictures leave out what is less than a half.",
        Ridge "Crests and creases": "How much of a crest a place is, between gullies: 1 is a crest, -1 the bottom of a gully.",
        Uplift "Uplift": "Where mountains rise, as a share of the greatest uplift.",
        Ice "Ice": "Thickness of the glacier ice over the bed. Part of the height where its layer leaves the ice.",
        Humidity "Moisture of the climate": "How moist the climate is: 0 is a desert, 1 a rain forest. Without it the climate follows from the ground.",
        CrustAge "Age of the crust": "Millions of years since the crust was formed: young along the ridges of the oceans, old on continents.",
        RockShare "Share of rock": "How much of the ground features of a construction make rock, from 0 to 1.",
        GrassShare "Share of grass": "How much of the ground features of a construction make meadow, from 0 to 1.",
        SandShare "Share of sand": "How much of the ground features of a construction make sand, from 0 to 1.",
        SnowShare "Share of snow": "How much of the ground features of a construction make snow, from 0 to 1.",
        RoadShare "Share of road": "How much of the ground features of a construction make a road, from 0 to 1.",
        BareShare "Share of bare earth": "How much of the ground features of a construction make bare earth, from 0 to 1.",
        TreeDensity "Density of trees": "Share of the trees that the rules of plants give, from 0 to 1.",
        UndergrowthDensity "Density of undergrowth": "Share of the shrubs and tufts of grass that the rules of plants give, from 0 to 1.",
        StoneDensity "Density of stones": "Share of the stones that the rules give, from 0 to 1.",
    }
}

impl MapKind {
    /// How many kinds there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Shares of the ground that pieces of a construction make of something.
    pub const SHARES: [Self; 6] =
        [Self::RockShare, Self::GrassShare, Self::SandShare, Self::SnowShare, Self::RoadShare, Self::BareShare];

    /// What erosions tell of what they did. No node reads them.
    pub const RECORDS: [Self; 3] = [Self::Flow, Self::Wear, Self::Deposits];

    /// How much of what the rules of plants and stones give stands there.
    pub const DENSITIES: [Self; 3] = [Self::TreeDensity, Self::UndergrowthDensity, Self::StoneDensity];

    /// Whether the map holds fractions of the relief, which people read in metres.
    pub fn is_thickness(self) -> bool {
        let is_other =
            matches!(self, Self::Flow | Self::Rain | Self::Brightness | Self::Ridge | Self::Humidity | Self::CrustAge);
        !is_other && !self.is_share()
    }

    /// Whether the map holds shares from 0 to 1.
    pub fn is_share(self) -> bool {
        let is_usual = matches!(self, Self::Hardness | Self::Vegetation | Self::Ground | Self::Uplift);
        is_usual || Self::SHARES.contains(&self) || Self::DENSITIES.contains(&self)
    }

    /// Value where no layer has written the map.
    pub fn neutral(self) -> f32 {
        let is_whole = matches!(self, Self::Rain | Self::Ground | Self::Uplift) || Self::DENSITIES.contains(&self);
        if is_whole { 1.0 } else { 0.0 }
    }
}

/// Value of [`MapKind::Ground`] from which on there is ground.
pub const HAS_GROUND: f32 = 0.5;

/// A heightfield on a [`Grid`], with the data maps that the layers wrote.
///
/// Heights are fractions of the relief, row by row from the north-west corner, on a globe face by face. Cloning copies
/// the heights and shares the maps.
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    /// Where its samples lie.
    pub grid: Grid,
    /// Heights as fractions of the relief, row by row from the north-west, of globes face by face.
    pub height: Vec<f32>,
    maps: [Option<Arc<Vec<f32>>>; MapKind::COUNT],
    /// Further fields that a process under way goes on from
    /// ([`Run::into_under_way`](crate::nodes::Run::into_under_way)), one value a sample; none otherwise.
    pub process_state: Vec<Vec<f32>>,
}

impl Terrain {
    /// Level ground at height 0.
    pub fn flat(grid: Grid) -> Self {
        Self { grid, height: vec![0.0; grid.len()], maps: Default::default(), process_state: Vec::new() }
    }

    /// Heights of a square from a function of the position (u to the east, v to the south, each from 0 to 1).
    pub fn from_fn(samples: usize, edges: Edges, mut height: impl FnMut(f32, f32) -> f32) -> Self {
        let mut terrain = Self::flat(Grid::new(samples, edges));
        let grid = terrain.grid;
        for (k, h) in terrain.height.iter_mut().enumerate() {
            *h = height(grid.position(k % samples), grid.position(k / samples));
        }
        terrain
    }

    /// Samples per side, of a globe per side of a face.
    pub fn samples(&self) -> usize {
        self.grid.samples
    }

    /// The data map of this kind, one value a sample, if there is one.
    pub fn map(&self, kind: MapKind) -> Option<&Arc<Vec<f32>>> {
        self.maps[kind as usize].as_ref()
    }

    /// The maps that were written, in the order of [`MapKind`].
    pub fn maps(&self) -> impl Iterator<Item = (MapKind, &Arc<Vec<f32>>)> {
        MapKind::ALL.iter().filter_map(|&kind| Some((kind, self.map(kind)?)))
    }

    /// The map for writing; made of its neutral value if there is none yet.
    pub fn map_mut(&mut self, kind: MapKind) -> &mut Vec<f32> {
        let len = self.grid.len();
        Arc::make_mut(self.maps[kind as usize].get_or_insert_with(|| Arc::new(vec![kind.neutral(); len])))
    }

    /// Puts `map` in place of the one there is, and gives that one back.
    pub fn set_map(&mut self, kind: MapKind, map: Option<Arc<Vec<f32>>>) -> Option<Arc<Vec<f32>>> {
        debug_assert!(map.as_ref().is_none_or(|m| m.len() == self.grid.len()));
        std::mem::replace(&mut self.maps[kind as usize], map)
    }

    /// On a wrapping grid, makes the last row and column repeat the first; on a globe, the faces agree on their
    /// borders.
    pub fn close_seam(&mut self) {
        self.grid.close(&mut self.height);
    }

    /// One face of a globe as a square terrain with open edges; a square terrain is its own face 0.
    pub fn face(&self, face: usize) -> Self {
        let n = self.grid.samples;
        let cells = face * n * n..(face + 1) * n * n;
        let part = |map: &Arc<Vec<f32>>| Arc::new(map[cells.clone()].to_vec());
        Self {
            grid: Grid::working(n, self.grid.edges),
            height: self.height[cells.clone()].to_vec(),
            maps: self.maps.each_ref().map(|map| map.as_ref().map(part)),
            process_state: Vec::new(),
        }
    }

    /// Memory held, shared maps counted in full.
    pub fn bytes(&self) -> usize {
        4 * self.grid.len() * (1 + self.maps.iter().flatten().count() + self.process_state.len())
    }

    /// Whether there is ground at sample `k`.
    pub fn has_ground(&self, k: usize) -> bool {
        self.map(MapKind::Ground).is_none_or(|map| map[k] >= HAS_GROUND)
    }

    /// How many samples have no ground.
    pub fn void_samples(&self) -> usize {
        self.map(MapKind::Ground).map_or(0, |map| map.iter().filter(|&&ground| ground < HAS_GROUND).count())
    }

    /// Lowest and highest sample of the ground; of all where there is no ground at all.
    pub fn range(&self) -> (f32, f32) {
        let range = |heights: &mut dyn Iterator<Item = &f32>| {
            heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(lo, hi), &h| (lo.min(h), hi.max(h)))
        };
        if let Some(map) = self.map(MapKind::Ground) {
            let ground = self.height.iter().zip(map.iter()).filter(|(_, ground)| **ground >= HAS_GROUND);
            let (low, high) = range(&mut ground.map(|(h, _)| h));
            if low <= high {
                return (low, high);
            }
        }
        range(&mut self.height.iter())
    }

    /// Height between samples of a square (on a globe its first face), bilinear; positions outside [0, 1] are clamped.
    pub fn height_at(&self, u: f32, v: f32) -> f32 {
        let n = self.grid.samples;
        bilinear(n, |row, column| self.height[row * n + column], [u, v])
    }

    /// Content hash: XXH3-128 of the size, the heights and every data map, by the little-endian bits. Equal hashes mean
    /// equal bits in all of them.
    pub fn hash(&self) -> u128 {
        terrain_hash(self.height_hash(), self.maps().map(|(kind, map)| (kind, self.field_hash(map))))
    }

    /// XXH3-128 of the size and the heights alone.
    pub fn height_hash(&self) -> u128 {
        self.field_hash(&self.height)
    }

    /// XXH3-128 of the size and one data map, if it was written.
    pub fn map_hash(&self, kind: MapKind) -> Option<u128> {
        self.map(kind).map(|map| self.field_hash(map))
    }

    fn field_hash(&self, field: &[f32]) -> u128 {
        let mut hasher = FieldHasher::new(self.grid.samples);
        hasher.add(field);
        hasher.hash()
    }
}

/// The sample of a side before a place from 0 to 1, and the part of a cell beyond it; places outside are clamped.
pub fn cell_before(samples: usize, place: f32) -> (usize, f32) {
    let at = place.clamp(0.0, 1.0) * (samples - 1) as f32;
    let before = (at as usize).min(samples - 2);
    (before, at - before as f32)
}

/// The number between the samples of a square of so many a side, at a place (u to the east, v to the south, each from 0
/// to 1); `at` gives that of a row and column.
pub fn bilinear(samples: usize, at: impl Fn(usize, usize) -> f32, [u, v]: [f32; 2]) -> f32 {
    let ((j, east), (i, south)) = (cell_before(samples, u), cell_before(samples, v));
    let along = |row: usize| {
        let (a, b) = (at(row, j), at(row, j + 1));
        a + (b - a) * east
    };
    let (top, bottom) = (along(i), along(i + 1));
    top + (bottom - top) * south
}

/// The content hash of a terrain from those of its heights and of its data maps, in the order of [`MapKind`].
pub fn terrain_hash(height: u128, maps: impl Iterator<Item = (MapKind, u128)>) -> u128 {
    let mut hasher = Xxh3::new();
    hasher.update(&height.to_le_bytes());
    for (kind, map) in maps {
        hasher.update(&[kind as u8]);
        hasher.update(&map.to_le_bytes());
    }
    hasher.digest128()
}

/// Makes the content hash of heights or of a data map that come one part after another, from the north-west.
#[derive(Clone)]
pub struct FieldHasher(Xxh3);

impl FieldHasher {
    /// For a field of `samples` a side.
    pub fn new(samples: usize) -> Self {
        let mut hasher = Xxh3::new();
        hasher.update(&(samples as u64).to_le_bytes());
        Self(hasher)
    }

    /// The next numbers.
    pub fn add(&mut self, values: &[f32]) {
        #[cfg(target_endian = "little")]
        self.0.update(bytemuck::cast_slice(values));
        #[cfg(target_endian = "big")]
        for value in values {
            self.0.update(&value.to_le_bytes());
        }
    }

    /// Of all numbers so far.
    pub fn hash(&self) -> u128 {
        self.0.digest128()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_hash_tells_any_bit_of_heights_and_maps() {
        let plain = Terrain::flat(Grid::new(5, Edges::Open));
        let mut raised = plain.clone();
        raised.height[7] = 1e-30;
        let mut wet = plain.clone();
        wet.map_mut(MapKind::Water)[7] = 1e-30;
        let mut dry = plain.clone();
        dry.map_mut(MapKind::Water);
        let mut flowing = plain.clone();
        flowing.set_map(MapKind::Flow, wet.map(MapKind::Water).cloned());
        let hashes: std::collections::HashSet<u128> =
            [&plain, &raised, &wet, &dry, &flowing].iter().map(|terrain| terrain.hash()).collect();
        assert_eq!(hashes.len(), 5);
        assert_eq!(wet.height_hash(), plain.height_hash());
        assert_eq!(wet.map_hash(MapKind::Water), flowing.map_hash(MapKind::Flow));
        assert_eq!(plain.map_hash(MapKind::Flow), None);
    }
}
