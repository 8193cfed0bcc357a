//! Conditions at a position for the rules of materials, plants and stones: slope, height, maps and terrain colour.

use std::borrow::Cow;

use crate::appearance::colours::snow_sand::vegetated;
use crate::appearance::colours::srgb::{Light, decode, mix};
use crate::appearance::scatter::PlantedGround;
use crate::appearance::{GroundShareMaps, PaletteTable, hidden_fraction, openness};
use crate::appearance_files::{Band, CONDITIONS, EVERYWHERE, ScatterKind};
use crate::field::{Cancelled, Control, MapKind, Terrain, bilinear, cell_and_fraction};
use crate::scene::Settings;
use crate::terrain_attributes::drainage::wetness_index;

/// The maps that conditions read.
pub const SITE_MAPS: [MapKind; 4] = [MapKind::Flow, MapKind::Deposits, MapKind::Wear, MapKind::Vegetation];
/// Thickness in metres at which half of the ground counts as changed: of deposits, then of eroded material.
const HALF_CHANGED: [f32; 2] = [1.0, 4.0];
/// Drainage areas at which running water starts to show and is fully visible: 10³ m² and 10⁷ m². The constant holds the
/// exponents of these powers of ten.
const CATCHMENT: (f32, f32) = (3.0, 7.0);

/// Fraction of the ground that counts as changed. `thickness` is the thickness of deposits (`which` 0) or of eroded
/// material (`which` 1), as a fraction of the relief.
fn changed_share(which: usize, thickness: f32, relief_metres: f32) -> f32 {
    hidden_fraction((thickness * relief_metres / HALF_CHANGED[which]).max(0.0))
}

/// Returns a function of a direction on a planet (a unit vector). The function returns deposits, wear, vegetation and
/// hardness at that point of the surface, each from 0 to 1 as in rule conditions. Values are interpolated between
/// samples. `None` if the planet has none of these maps.
pub fn globe_site(terrain: &Terrain, relief_metres: f32) -> Option<impl Fn([f64; 3]) -> [f32; 4] + Sync> {
    const MAPS: [MapKind; 4] = [MapKind::Deposits, MapKind::Wear, MapKind::Vegetation, MapKind::Hardness];
    let maps = MAPS.map(|kind| terrain.map(kind).map(|map| map.as_slice()));
    if maps.iter().all(Option::is_none) {
        return None;
    }
    let globe = terrain.grid.shape()?;
    Some(move |direction| {
        let place = crate::field::globe::locate(direction);
        let [deposits, worn, plants, hardness] = maps.map(|map| map.map_or(0.0, |map| globe.sample_at(map, place)));
        let changed = [(0, deposits), (1, worn)].map(|(which, map)| changed_share(which, map, relief_metres));
        [changed[0], changed[1], plants.clamp(0.0, 1.0), hardness.clamp(0.0, 1.0)]
    })
}

/// Returns a function of a sample. The function returns the sample's flow, deposits, vegetation and the fraction of the
/// ground that is *not* eroded, each from 0 to 1. On a terrain without maps these values are 0, 0, 0 and 1.
pub fn site_conditions(terrain: &Terrain, settings: &Settings) -> impl Fn(usize) -> [f32; 4] + Sync {
    let cell = settings.size_metres / (terrain.grid.whole_samples() - 1) as f32;
    let maps = SITE_MAPS.map(|kind| terrain.map(kind).map(|map| map.as_slice()));
    let (cell_area, relief_metres) = (cell * cell, settings.relief_metres);
    move |k| {
        let value = |map: usize| maps[map].map_or(0.0, |map| map[k]);
        let thickness = |map: usize| changed_share(map - 1, value(map), relief_metres);
        let (least, most) = CATCHMENT;
        let flow = (libm::log10f((value(0) * cell_area).max(1.0)) - least) / (most - least);
        [flow.clamp(0.0, 1.0), thickness(1), value(3).clamp(0.0, 1.0), 1.0 - thickness(2)]
    }
}

/// Whether the bands of a rule depend on the openness of the terrain.
pub(in crate::appearance) fn asks_openness(bands: &[Band; CONDITIONS.len()]) -> bool {
    bands[2] != EVERYWHERE
}

/// Whether the bands of a rule depend on the curvature of the terrain.
pub(in crate::appearance) fn asks_curvature(bands: &[Band; CONDITIONS.len()]) -> bool {
    bands[9] != EVERYWHERE
}

/// Distance in samples on each side of a position over which the curvature is measured.
const CURVATURE_SAMPLES: f32 = 2.0;
/// The topographic wetness index at which wetness is 0, and at which it is 1.
const TOPOGRAPHIC_INDEX: (f32, f32) = (5.0, 15.0);
/// Flow below which wetness fades to 0, so that wet areas have no sharp edge.
const WETNESS_BEGINS: f32 = 0.04;

/// Topographic wetness index ln(a / tan β) (Beven & Kirkby 1979), scaled to 0..1 between the two values of
/// [`TOPOGRAPHIC_INDEX`]. Here a is the drainage area per contour length and β the slope angle. `flow` is from
/// [`site_conditions`], `tangent` is tan β, and the contour length is the cell width `cell_metres`.
fn wetness(flow: f32, tangent: f32, cell_metres: f32) -> f32 {
    let ((least, most), (dry, wet)) = (CATCHMENT, TOPOGRAPHIC_INDEX);
    let area_log = (least + (most - least) * flow) * std::f32::consts::LN_10;
    let index = wetness_index(area_log, tangent, cell_metres);
    (flow / WETNESS_BEGINS).min(1.0) * ((index - dry) / (wet - dry)).clamp(0.0, 1.0)
}

/// Computes the values of [`CONDITIONS`] at any position of a square terrain.
pub struct GroundConditions<'a> {
    terrain: &'a Terrain,
    settings: &'a Settings,
    palette: &'a PaletteTable,
    site: Box<dyn Fn(usize) -> [f32; 4] + Sync + 'a>,
    /// Openness of every sample, if any rule uses openness.
    openness: Option<Vec<f32>>,
    /// Biome colours of every sample, if a biome table colours the terrain.
    biomes: Option<Cow<'a, [[u8; 4]]>>,
    /// Whether any rule uses the curvature.
    asks_curvature: bool,
    /// Fractions of the materials of a construction's primitives.
    fraction_maps: Option<GroundShareMaps<'a>>,
}

/// The four samples around a point, and the point's position between them.
#[derive(Clone, Copy)]
struct SampleCell {
    corner: usize,
    part: [f32; 2],
}

impl<'a> GroundConditions<'a> {
    /// Prepares the conditions for rules with these bands; values that no rule uses are not computed.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn new<'b>(
        terrain: &'a Terrain,
        settings: &'a Settings,
        palette: &'a PaletteTable,
        bands: impl Iterator<Item = &'b [Band; CONDITIONS.len()]>,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let paint = palette.biomes.as_ref().map(|biomes| crate::appearance::Paint::new(terrain, settings, biomes));
        let biomes = paint.map(|paint| paint.colours(terrain, control)).transpose()?.map(Cow::Owned);
        Self::with_colours(terrain, settings, palette, biomes, bands, control)
    }

    /// Like [`new`](Self::new), for samples whose biome colours are already computed.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn with_colours<'b>(
        terrain: &'a Terrain,
        settings: &'a Settings,
        palette: &'a PaletteTable,
        biomes: Option<Cow<'a, [[u8; 4]]>>,
        bands: impl Iterator<Item = &'b [Band; CONDITIONS.len()]>,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let (asks_open, asks_curved) =
            bands.fold((false, false), |(open, curved), b| (open || asks_openness(b), curved || asks_curvature(b)));
        let openness = if asks_open {
            Some(openness(terrain, settings.relief_over_size(), terrain.samples(), control)?)
        } else {
            None
        };
        Ok(Self::in_window(terrain, settings, palette, biomes, (openness, asks_curved)))
    }

    /// Prepares the conditions in a window of a terrain. The caller supplies the openness of the window's samples if a
    /// rule uses openness, and states whether a rule uses the curvature. Positions are relative to the whole terrain. A
    /// value depends on samples up to two away from its position, a curvature on samples up to four away.
    pub fn in_window(
        terrain: &'a Terrain,
        settings: &'a Settings,
        palette: &'a PaletteTable,
        biomes: Option<Cow<'a, [[u8; 4]]>>,
        (openness, asks_curvature): (Option<Vec<f32>>, bool),
    ) -> Self {
        let site = Box::new(site_conditions(terrain, settings));
        let made = GroundShareMaps::new(terrain);
        Self { terrain, settings, palette, site, openness, biomes, asks_curvature, fraction_maps: made }
    }

    fn cell_metres(&self) -> f32 {
        self.settings.size_metres / (self.terrain.grid.whole_samples() - 1) as f32
    }

    /// Height of the terrain in metres at (u, v), each from 0 to 1.
    pub fn metres(&self, [u, v]: [f32; 2]) -> f32 {
        let ([top, left], n) = (self.terrain.grid.first(), self.terrain.samples());
        let here = |index: usize, first: usize| index.saturating_sub(first).min(n - 1);
        let at = |row: usize, column: usize| self.terrain.height[here(row, top) * n + here(column, left)];
        bilinear(self.terrain.grid.whole_samples(), at, [u, v]) * self.settings.relief_metres
    }

    /// The sample nearest to a position.
    fn nearest(&self, place: [f32; 2]) -> usize {
        let SampleCell { corner, part } = self.cell(place);
        corner + usize::from(part[0] > 0.5) + self.terrain.samples() * usize::from(part[1] > 0.5)
    }

    /// Slopes to the east and to the south at (u, v) as tangents, interpolated between the samples.
    pub fn slopes(&self, place: [f32; 2]) -> [f32; 2] {
        let (n, steep) = (self.terrain.samples(), self.settings.relief_over_size());
        let of = |k: usize, axis: usize| {
            let (east, south) = crate::field::gradient(self.terrain.grid, &self.terrain.height, k / n, k % n);
            [east, south][axis] * steep
        };
        [0, 1].map(|axis| self.interpolated(place, |k| of(k, axis)))
    }

    /// Mean curvature at (u, v) in 1/km, positive where the terrain is convex: half the divergence of the unit normal,
    /// from slopes [`CURVATURE_SAMPLES`] away on each side.
    fn curvature(&self, [u, v]: [f32; 2]) -> f32 {
        let step = CURVATURE_SAMPLES / (self.terrain.grid.whole_samples() - 1) as f32;
        let lean = |east: f32, south: f32| {
            let [p, q] = self.slopes([(u + east).clamp(0.0, 1.0), (v + south).clamp(0.0, 1.0)]);
            let length = (1.0 + p * p + q * q).sqrt();
            [p / length, q / length]
        };
        let across = lean(-step, 0.0)[0] - lean(step, 0.0)[0];
        let along = lean(0.0, -step)[1] - lean(0.0, step)[1];
        1000.0 * (across + along) / (4.0 * CURVATURE_SAMPLES * self.cell_metres())
    }

    /// Terrain colour in linear light at (u, v), below plants with the density `vegetation`.
    pub fn colour(&self, place: [f32; 2], slope_degrees: f32, vegetation: f32) -> Light {
        let metres = self.metres(place);
        let ground = match &self.biomes {
            Some(colours) => {
                let SampleCell { corner, .. } = self.cell(place);
                let [r, g, b, _] = colours[corner];
                decode([r, g, b])
            }
            None => {
                let at = PaletteTable::lut_index(self.settings, metres) as usize;
                let [r, g, b, _] = self.palette.lut[at.min(self.palette.lut.len() - 1)];
                decode([r, g, b])
            }
        };
        let [r, g, b, _] = self.palette.rock;
        let is_land = metres > self.settings.sea_level;
        let rock = if is_land { self.palette.rock_opacity(slope_degrees) } else { 0.0 };
        let ground = mix(ground, decode([r, g, b]), rock);
        let made = self.fraction_maps.as_ref().map(|made| made.of_sample(self.nearest(place)));
        vegetated(made.map_or(ground, |made| made.tinted(ground)), vegetation)
    }

    /// The values of [`CONDITIONS`] at (u, v), each from 0 to 1.
    pub fn values(&self, place: [f32; 2]) -> [f32; CONDITIONS.len()] {
        let [east, south] = self.slopes(place);
        let tangent = (east * east + south * south).sqrt();
        let slope = libm::atanf(tangent) * (180.0 / std::f32::consts::PI);
        let (sea, relief) = (self.settings.sea_level, self.settings.relief_metres);
        let height = (self.metres(place) - sea) / (relief - sea).max(f32::MIN_POSITIVE);
        let openness = self.openness.as_ref().map_or(0.5, |map| self.interpolated(place, |k| map[k]));
        let [flow, deposits, vegetation, whole] = (self.site)(self.nearest(place));
        let [r, g, b] = self.colour(place, slope, vegetation);
        let bright = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        let green = g - r.max(b);
        let curvature = if self.asks_curvature { self.curvature(place) } else { 0.0 };
        let wetness = wetness(flow, tangent, self.cell_metres());
        let hardness = self.terrain.map(MapKind::Hardness).map_or(0.0, |map| self.interpolated(place, |k| map[k]));
        let wear = 1.0 - whole;
        [slope, height, openness, flow, deposits, wear, vegetation, green, bright, curvature, wetness, hardness]
    }

    fn cell(&self, [u, v]: [f32; 2]) -> SampleCell {
        let grid = self.terrain.grid;
        let [(j, east), (i, south)] = [u, v].map(|place| cell_and_fraction(grid.whole_samples(), place));
        let [top, left] = grid.first();
        // Positions beyond the sides of a window are clamped; the affected results are discarded later.
        let here = |index: usize, first: usize| index.saturating_sub(first).min(grid.samples - 2);
        SampleCell { corner: here(i, top) * grid.samples + here(j, left), part: [east, south] }
    }

    /// Bilinear interpolation between the four samples around a position.
    fn interpolated(&self, place: [f32; 2], value: impl Fn(usize) -> f32) -> f32 {
        let SampleCell { corner, part: [east, south] } = self.cell(place);
        let n = self.terrain.samples();
        let along = |k: usize| value(k) * (1.0 - east) + value(k + 1) * east;
        along(corner) * (1.0 - south) + along(corner + n) * south
    }
}

impl PlantedGround for GroundConditions<'_> {
    fn values(&self, place: [f32; 2]) -> [f32; CONDITIONS.len()] {
        self.values(place)
    }

    fn density(&self, kind: ScatterKind, place: [f32; 2]) -> f32 {
        // Without a density map, the density is 1 everywhere.
        let map = self.terrain.map(kind.density_map());
        map.map_or(1.0, |map| self.interpolated(place, |k| map[k]).clamp(0.0, 1.0))
    }

    fn has_ground(&self, place: [f32; 2]) -> bool {
        self.terrain.has_ground(self.nearest(place))
    }

    fn water_metres(&self, place: [f32; 2]) -> f32 {
        let below_sea = self.settings.sea_level - self.metres(place);
        let inland = self.terrain.map(MapKind::Water).map_or(0.0, |map| self.interpolated(place, |k| map[k]));
        below_sea.max(inland * self.settings.relief_metres)
    }

    fn metres(&self, place: [f32; 2]) -> f32 {
        self.metres(place)
    }

    fn colour(&self, place: [f32; 2], slope_degrees: f32, vegetation: f32) -> Light {
        self.colour(place, slope_degrees, vegetation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appearance_files::Palette;
    use crate::field::Edges;

    #[test]
    fn a_ramp_has_its_slope_and_its_colour() {
        let settings = Settings { size_metres: 1000.0, relief_metres: 500.0, sea_level: 0.0, ..Settings::default() };
        let terrain = Terrain::from_fn(65, Edges::Open, |u, _| u);
        let table = PaletteTable::new(Palette::named_or_default("alpine"), &settings);
        let ground = GroundConditions::new(&terrain, &settings, &table, [].into_iter(), &Control::default()).unwrap();
        for place in [[0.3, 0.7], [0.501, 0.02]] {
            let values = ground.values(place);
            assert!((values[0] - 26.565).abs() < 0.01, "{values:?}");
            assert!((values[1] - place[0]).abs() < 1e-3);
            assert_eq!((values[2], values[3], values[6]), (0.5, 0.0, 0.0));
            assert!((ground.metres(place) - 500.0 * place[0]).abs() < 0.05);
            assert!(ground.water_metres(place) == 0.0 && ground.has_ground(place));
        }
        assert!(ground.values([0.12, 0.5])[7] > 0.0, "the lowlands are green");
    }

    #[test]
    fn a_planet_interpolates_its_maps_between_samples() {
        let mut terrain = Terrain::flat(crate::field::Grid::globe(9));
        assert!(globe_site(&terrain, 1000.0).is_none(), "the terrain has no maps");
        terrain.map_mut(MapKind::Flow).fill(3.0);
        assert!(globe_site(&terrain, 1000.0).is_none(), "no map that the conditions read");
        // One metre of deposits changes half of the ground, and so do four metres of erosion.
        terrain.map_mut(MapKind::Deposits).fill(0.001);
        let n = terrain.samples();
        terrain.map_mut(MapKind::Wear).iter_mut().enumerate().for_each(|(k, worn)| *worn = 0.004 * (k % n / 8) as f32);
        terrain.map_mut(MapKind::Hardness).fill(0.7);
        let site = globe_site(&terrain, 1000.0).expect("the terrain has maps");
        let close = |a: [f32; 4], b: [f32; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3);
        let [west, east] = [0.3, 1.0].map(|u| site(crate::field::globe::direction_at(2, u, 0.4)));
        assert!(close(west, [0.5, 0.0, 0.0, 0.7]), "{west:?}");
        assert!(close(east, [0.5, 0.5, 0.0, 0.7]), "{east:?}");
    }

    #[test]
    fn a_sphere_has_the_curvature_of_its_radius() {
        // The terrain is the cap of a sphere with a radius of 800 m, and then a bowl of the same shape.
        for sign in [1.0, -1.0] {
            let settings = Settings { size_metres: 1000.0, relief_metres: 500.0, ..Settings::default() };
            let terrain = Terrain::from_fn(129, Edges::Open, |u, v| {
                let [east, south] = [u, v].map(|x| 1000.0 * (x - 0.5));
                sign * (800.0 * 800.0 - east * east - south * south).sqrt() / 500.0
            });
            let table = PaletteTable::new(Palette::named_or_default("alpine"), &settings);
            let mut bands = [EVERYWHERE; CONDITIONS.len()];
            bands[9] = [0.0, 1.0, 2.0, 3.0];
            let control = Control::default();
            let ground = GroundConditions::new(&terrain, &settings, &table, [&bands].into_iter(), &control).unwrap();
            for place in [[0.5, 0.5], [0.3, 0.6], [0.72, 0.41]] {
                let curvature = ground.values(place)[9];
                assert!((curvature - sign * 1.25).abs() < 0.01, "{curvature} at {place:?}");
            }
        }
    }

    #[test]
    fn wetness_is_high_on_level_ground_with_much_drainage() {
        // The wetness index of 10⁵ m² on a cell of 10 m with a slope of 0.1 is ln(10⁵ m² / 10 m / 0.1) = 11.5.
        assert!((wetness(0.5, 0.1, 10.0) - 0.6513).abs() < 1e-3);
        assert!(
            wetness(0.5, 0.01, 10.0) > wetness(0.5, 0.1, 10.0) && wetness(0.7, 0.1, 10.0) > wetness(0.5, 0.1, 10.0)
        );
        assert_eq!((wetness(0.0, 0.0, 10.0), wetness(1.0, 0.0, 1.0)), (0.0, 1.0));
        let settings = Settings { size_metres: 1000.0, relief_metres: 500.0, ..Settings::default() };
        let mut terrain = Terrain::from_fn(65, Edges::Open, |u, _| u);
        terrain
            .map_mut(MapKind::Hardness)
            .iter_mut()
            .enumerate()
            .for_each(|(k, value)| *value = (k % 65) as f32 / 64.0);
        let table = PaletteTable::new(Palette::named_or_default("alpine"), &settings);
        let ground = GroundConditions::new(&terrain, &settings, &table, [].into_iter(), &Control::default()).unwrap();
        let values = ground.values([0.3, 0.7]);
        assert!(values[10] == 0.0 && (values[11] - 0.3).abs() < 1e-4, "{values:?}");
    }
}
