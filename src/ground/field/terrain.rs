//! The terrain: heights on a grid, and the data maps that belong to them.

use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::{Edges, Grid};

crate::choices! {
    /// A data map of the same size as the heights.
    MapKind {
        Water "Water depth": "Depth of standing or running water.",
        Sediment "Sediment": "Material that water, wind or ice carries.",
        Hardness "Hardness": "Resistance of the rock to erosion: 0 is soft, 1 never erodes.",
        Flow "Flow": "Water that has flowed through each cell so far, in cell areas.",
        Wear "Wear": "Material eroded so far.",
        Deposits "Deposits": "Material deposited so far.",
        Rain "Rain": "Local rainfall as a multiple of the average rainfall.",
        Sand "Sand": "Depth of loose sand, included in the height.",
        Snow "Snow": "Depth of snow, included in the height.",
        Film "Rainwater film": "Depth of the film of rainwater that runs over the terrain. Images omit it, so that the terrain stays visible.",
        Vegetation "Vegetation": "Density of the vegetation, from 0 to 1.",
        Brightness "Brightness": "Brightness added to the surface colour: above 0 for crater rays and fresh rubble, below 0 for dark lava.",
        Ground "Ground": "Presence of ground: 1 is ground, 0 is void. Images omit samples below 0.5.",
        Ridge "Crests and creases": "Position between crest and gully: 1 is a crest, -1 the bottom of a gully.",
        Uplift "Uplift": "Uplift rate of mountains, as a fraction of the greatest uplift.",
        Ice "Ice": "Thickness of glacier ice above the bed. Included in the height if the ice layer keeps its ice.",
        Humidity "Climate moisture": "Moisture of the climate: 0 is a desert, 1 a rain forest. Without this map the climate is derived from the terrain.",
        CrustAge "Crust age": "Millions of years since the crust formed: young along ocean ridges, old on continents.",
        RockShare "Rock fraction": "Fraction of the surface that construction features turn into rock, from 0 to 1.",
        GrassShare "Grass fraction": "Fraction of the surface that construction features turn into meadow, from 0 to 1.",
        SandShare "Sand fraction": "Fraction of the surface that construction features turn into sand, from 0 to 1.",
        SnowShare "Snow fraction": "Fraction of the surface that construction features turn into snow, from 0 to 1.",
        RoadShare "Road fraction": "Fraction of the surface that construction features turn into road, from 0 to 1.",
        BareShare "Bare earth fraction": "Fraction of the surface that construction features turn into bare earth, from 0 to 1.",
        TreeDensity "Tree density": "Fraction of the trees placed by the plant rules that are kept, from 0 to 1.",
        UndergrowthDensity "Undergrowth density": "Fraction of the shrubs and grass tufts placed by the plant rules that are kept, from 0 to 1.",
        StoneDensity "Stone density": "Fraction of the stones placed by the stone rules that are kept, from 0 to 1.",
    }
}

crate::choices! {
    /// Behaviour of water and rock at voids: samples without ground.
    Voids {
        Cross "Water crosses": "Water and rock cross voids, on the surface that fills them.",
        LandEnds "Land ends": "The land ends at voids, as at an open edge: water leaves, nothing comes out, and voids keep their heights.",
    }
}

#[expect(clippy::derivable_impls, reason = "the macro writes the derives of the enum")]
impl Default for Voids {
    fn default() -> Self {
        Self::Cross
    }
}

impl MapKind {
    /// Number of map kinds.
    pub const COUNT: usize = Self::ALL.len();

    /// Maps that hold, for each material, the fraction of the surface that construction features turn into this
    /// material.
    pub const COVER_FRACTIONS: [Self; 6] =
        [Self::RockShare, Self::GrassShare, Self::SandShare, Self::SnowShare, Self::RoadShare, Self::BareShare];

    /// Maps in which erosion processes record their effects. No node reads these maps.
    pub const EROSION_RECORDS: [Self; 3] = [Self::Flow, Self::Wear, Self::Deposits];

    /// Density maps, which thin out the plants and stones that the scatter rules place.
    pub const DENSITIES: [Self; 3] = [Self::TreeDensity, Self::UndergrowthDensity, Self::StoneDensity];

    /// Whether the map holds depths or heights as fractions of the relief, which the window shows in metres.
    pub fn is_thickness(self) -> bool {
        let is_other =
            matches!(self, Self::Flow | Self::Rain | Self::Brightness | Self::Ridge | Self::Humidity | Self::CrustAge);
        !is_other && !self.is_fraction()
    }

    /// Whether the map holds fractions from 0 to 1.
    pub fn is_fraction(self) -> bool {
        let is_usual = matches!(self, Self::Hardness | Self::Vegetation | Self::Ground | Self::Uplift);
        is_usual || Self::COVER_FRACTIONS.contains(&self) || Self::DENSITIES.contains(&self)
    }

    /// The value that a map has everywhere if no layer has written it.
    pub fn neutral(self) -> f32 {
        let is_whole = matches!(self, Self::Rain | Self::Ground | Self::Uplift) || Self::DENSITIES.contains(&self);
        if is_whole { 1.0 } else { 0.0 }
    }
}

/// Lowest value of the map [`MapKind::Ground`] that counts as ground; a sample with a lower value is void.
pub const HAS_GROUND: f32 = 0.5;

/// A heightfield on a [`Grid`], with the data maps that the layers wrote.
///
/// Heights are fractions of the relief. They are stored row by row from the north-west corner, and on a globe face by
/// face. Cloning copies the heights and shares the maps.
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    /// The grid on which the heights and maps are sampled.
    pub grid: Grid,
    /// Heights as fractions of the relief, stored row by row from the north-west corner, and on a globe face by face.
    pub height: Vec<f32>,
    maps: [Option<Arc<Vec<f32>>>; MapKind::COUNT],
    /// Extra fields, one value per sample, that an unfinished process needs to resume (see `Run::into_resumable_state`
    /// in the crate of the nodes). Empty if no process is unfinished.
    pub process_state: Vec<Vec<f32>>,
}

impl Terrain {
    /// Flat terrain at height 0.
    pub fn flat(grid: Grid) -> Self {
        Self { grid, height: vec![0.0; grid.len()], maps: Default::default(), process_state: Vec::new() }
    }

    /// A square terrain whose heights are a function of the position (u to the east, v to the south, each from 0 to 1).
    pub fn from_fn(samples: usize, edges: Edges, mut height: impl FnMut(f32, f32) -> f32) -> Self {
        let mut terrain = Self::flat(Grid::new(samples, edges));
        let grid = terrain.grid;
        for (k, h) in terrain.height.iter_mut().enumerate() {
            *h = height(grid.position(k % samples), grid.position(k / samples));
        }
        terrain
    }

    /// Samples per side of the square, or of one face of a globe.
    #[inline]
    pub fn samples(&self) -> usize {
        self.grid.samples
    }

    /// The data map of this kind, with one value per sample; `None` if no layer wrote the map.
    pub fn map(&self, kind: MapKind) -> Option<&Arc<Vec<f32>>> {
        self.maps[kind as usize].as_ref()
    }

    /// The maps that layers wrote, in the order of [`MapKind`].
    pub fn maps(&self) -> impl Iterator<Item = (MapKind, &Arc<Vec<f32>>)> {
        MapKind::ALL.iter().filter_map(|&kind| Some((kind, self.map(kind)?)))
    }

    /// Mutable access to a map, which is created with its neutral value if it did not exist.
    pub fn map_mut(&mut self, kind: MapKind) -> &mut Vec<f32> {
        let len = self.grid.len();
        Arc::make_mut(self.maps[kind as usize].get_or_insert_with(|| Arc::new(vec![kind.neutral(); len])))
    }

    /// Replaces the map of this kind and returns the previous map.
    pub fn set_map(&mut self, kind: MapKind, map: Option<Arc<Vec<f32>>>) -> Option<Arc<Vec<f32>>> {
        debug_assert!(map.as_ref().is_none_or(|m| m.len() == self.grid.len()));
        std::mem::replace(&mut self.maps[kind as usize], map)
    }

    /// On a wrapping grid, copies the first row and column to the last row and column. On a globe, each border sample
    /// is stored on several faces: its owner's height is written to all its copies.
    pub fn close_seam(&mut self) {
        self.grid.close(&mut self.height);
    }

    /// One face of a globe as a square terrain with open edges. A square terrain has only face 0: the terrain itself.
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

    /// Memory of the terrain in bytes; maps that are shared with other terrains count in full.
    pub fn bytes(&self) -> usize {
        4 * self.grid.len() * (1 + self.maps.iter().flatten().count() + self.process_state.len())
    }

    /// Whether sample `k` is ground rather than void.
    #[inline]
    pub fn has_ground(&self, k: usize) -> bool {
        self.map(MapKind::Ground).is_none_or(|map| map[k] >= HAS_GROUND)
    }

    /// Number of void samples.
    pub fn void_samples(&self) -> usize {
        self.map(MapKind::Ground).map_or(0, |map| map.iter().filter(|&&ground| ground < HAS_GROUND).count())
    }

    /// Lowest and highest height of the ground samples, or of all samples if there is no ground.
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

    /// Height at position (u to the east, v to the south) of a square, or of a globe's first face, by bilinear
    /// interpolation. Positions outside [0, 1] are clamped.
    #[inline]
    pub fn height_at(&self, u: f32, v: f32) -> f32 {
        let n = self.grid.samples;
        bilinear(n, |row, column| self.height[row * n + column], [u, v])
    }

    /// Content hash: XXH3-128 of the size, the heights and every data map, computed from their little-endian bytes. If
    /// two terrains have equal hashes, their sizes, heights and maps have equal bits.
    pub fn hash(&self) -> u128 {
        terrain_hash(self.height_hash(), self.maps().map(|(kind, map)| (kind, self.field_hash(map))))
    }

    /// XXH3-128 of the size and the heights only.
    pub fn height_hash(&self) -> u128 {
        self.field_hash(&self.height)
    }

    /// XXH3-128 of the size and one data map, or `None` if no layer wrote the map.
    pub fn map_hash(&self, kind: MapKind) -> Option<u128> {
        self.map(kind).map(|map| self.field_hash(map))
    }

    fn field_hash(&self, field: &[f32]) -> u128 {
        let mut hasher = FieldHasher::new(self.grid.samples);
        hasher.add(field);
        hasher.hash()
    }
}

/// The last sample at or before position `place` (0 to 1) along a side, and the distance from this sample to `place` as
/// a fraction of a cell. `place` is clamped to the side.
#[inline]
pub fn cell_and_fraction(samples: usize, place: f32) -> (usize, f32) {
    let at = place.clamp(0.0, 1.0) * (samples - 1) as f32;
    let before = (at as usize).min(samples - 2);
    (before, at - before as f32)
}

/// Value at a position of a square with `samples` samples per side, by bilinear interpolation. The position is u to the
/// east and v to the south, each from 0 to 1. `at` returns the value at a row and column.
pub fn bilinear(samples: usize, at: impl Fn(usize, usize) -> f32, [u, v]: [f32; 2]) -> f32 {
    let ((j, east), (i, south)) = (cell_and_fraction(samples, u), cell_and_fraction(samples, v));
    let along = |row: usize| {
        let (a, b) = (at(row, j), at(row, j + 1));
        a + (b - a) * east
    };
    let (top, bottom) = (along(i), along(i + 1));
    top + (bottom - top) * south
}

/// The content hash of a terrain, from the hashes of its heights and of its data maps in the order of [`MapKind`].
pub fn terrain_hash(height: u128, maps: impl Iterator<Item = (MapKind, u128)>) -> u128 {
    let mut hasher = Xxh3::new();
    hasher.update(&height.to_le_bytes());
    for (kind, map) in maps {
        hasher.update(&[kind as u8]);
        hasher.update(&map.to_le_bytes());
    }
    hasher.digest128()
}

/// Computes the content hash of heights or of a data map incrementally, from parts in row order.
#[derive(Clone)]
pub struct FieldHasher(Xxh3);

impl FieldHasher {
    /// A hasher for a field with `samples` samples per side.
    pub fn new(samples: usize) -> Self {
        let mut hasher = Xxh3::new();
        hasher.update(&(samples as u64).to_le_bytes());
        Self(hasher)
    }

    /// Adds the next values of the field to the hash.
    pub fn add(&mut self, values: &[f32]) {
        #[cfg(target_endian = "little")]
        self.0.update(bytemuck::cast_slice(values));
        #[cfg(target_endian = "big")]
        for value in values {
            self.0.update(&value.to_le_bytes());
        }
    }

    /// The hash of all values added so far.
    pub fn hash(&self) -> u128 {
        self.0.digest128()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_hash_depends_on_every_bit_of_heights_and_maps() {
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
