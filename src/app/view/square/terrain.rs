//! A square terrain prepared for drawing. A worker thread prepares it, so that the main thread only swaps a pointer.

use std::ops::Deref;
use std::sync::Arc;

use rayon::prelude::*;

use super::bounds::GridBounds;
use super::cover::SnowSandCover;
use super::light::{MOST_MIRRORED_SAMPLES, light_window, mirrored_shadows, renewed_light, widened};
use super::pick::GridPicker;
use super::site::SiteConditionMap;
use super::void_mask::{VoidMask, void_mask};
use crate::view::mode::Tint;
use crate::view::overlays::choice::OverlayChoice;
use crate::view::overlays::data::{Data, overlay_data};
use crate::view::render::height_texels::HeightTexels;
use crate::view::render::light;
use crate::view::render::mips::{Mips, from_halves, halves, unit_bytes};
use crate::view::render::scene_needs::{SceneNeed, SceneNeeds};
use crate::view::render::surface_water::{SurfaceWater, surface_water};
use crate::view::render::texels::{TerrainMap, TexelSource, Texels, omitted_levels};
use crate::view::render_base::{BiomePaint, RenderBase, has_same_map, new_serial, resampled};
use crate::view::scale::WorldScale;
use talweg::appearance::light::sky::Daylight;
use talweg::appearance::{GroundShareMaps, decode, encode, openness};
use talweg::field::Region;
use talweg::field::{Cancelled, Control, Grid, MapKind, Terrain, bilinear, gradient, heights_over_void};
use talweg::scene::{Settings, Surroundings};

/// Greatest number of drawn samples per side. A larger terrain is drawn with every second sample or fewer, to limit
/// texture memory.
const MAX_DRAWN_SAMPLES: usize = 4097;

/// A square terrain prepared for drawing. Immutable.
#[derive(Clone)]
pub struct SquareTerrain {
    base: RenderBase,
    pub scale: WorldScale,
    pub bounds: Arc<GridBounds>,
    /// The heights in the format of their texture.
    pub heights: Arc<HeightTexels>,
    /// Slopes to the east and to the south, as tangents in half precision.
    pub slopes: Arc<Mips>,
    /// Shadow depth and openness, as bytes.
    pub light: Arc<Mips>,
    /// Shadow depth on the mirrored copies, as bytes, if the surroundings are land. There are three maps: for copies
    /// mirrored east to west, copies mirrored north to south, and copies mirrored both ways. On each copy, the sun
    /// shines from another side of the mirrored terrain.
    pub mirrored_shadows: Option<Arc<Mips>>,
    /// Direction of the sun: east, up, south.
    pub towards_sun: [f32; 3],
    /// Rivers and lakes, if the terrain has any.
    pub surface_water: Option<Arc<SurfaceWater>>,
    /// Void areas, if the terrain has any. In void areas, the prepared heights come from [`heights_over_void`].
    pub void_mask: Option<Arc<VoidMask>>,
    pub data: Option<Data>,
    /// sRGB colours and their opacity over the palette, as bytes. The colours come from biomes, or from the materials
    /// of construction primitives, and are premultiplied by the opacity.
    pub colours: Option<Arc<Mips>>,
    /// Fractions of the surface covered by sand and by snow, and the hardness of the rock, as bytes. `None` if the
    /// terrain has none of these data.
    pub cover: Option<SnowSandCover>,
    /// The values from the terrain's maps that the material rules use.
    pub site: Option<SiteConditionMap>,
    /// The light of the sun and of the sky.
    pub daylight: Arc<Daylight>,
}

impl Deref for SquareTerrain {
    type Target = RenderBase;

    fn deref(&self) -> &RenderBase {
        &self.base
    }
}

/// The colours of the biomes and of construction materials at every sample. `None` if the terrain has neither.
fn painted(terrain: &Terrain, biomes: Option<&BiomePaint>, control: &Control) -> Result<Option<Arc<Mips>>, Cancelled> {
    let of_biomes = biomes.map(|biomes| biomes.paint.colours(terrain, control)).transpose()?;
    let made = GroundShareMaps::new(terrain);
    let texel = |k: usize| {
        let below = of_biomes.as_ref().map(|colours| colours[k]);
        let Some(made) = &made else { return below.unwrap_or_default().map(f32::from) };
        let made = made.of_sample(k);
        let (light, alpha) = match below {
            Some([r, g, b, _]) => (made.tinted(decode([r, g, b])), 1.0),
            None => made.tint(),
        };
        let [r, g, b] = encode(light);
        [r, g, b, (alpha * 255.0 + 0.5) as u8].map(f32::from)
    };
    if of_biomes.is_none() && made.is_none() {
        return Ok(None);
    }
    let texels = (0..terrain.height.len()).into_par_iter().map(texel).collect();
    let bytes = |rgba: [f32; 4]| rgba.map(|c| (c + 0.5) as u8);
    Ok(Some(Arc::new(Mips::new(terrain.samples(), texels, bytes, control)?)))
}

/// Whether land reaches an edge of the terrain. If the surroundings are sea, this land continues beyond the edge down
/// to the water.
fn has_land_at_edge(terrain: &Terrain, settings: &Settings) -> bool {
    let (n, sea) = (terrain.samples(), settings.sea_level / settings.relief_metres);
    let is_land = |k: usize| terrain.height[k] > sea && terrain.has_ground(k);
    (0..n).any(|k| [k, (n - 1) * n + k, k * n, k * n + n - 1].into_iter().any(is_land))
}

impl SquareTerrain {
    /// Whether land reaches an edge of the terrain whose surroundings are sea.
    pub fn has_land_at_edge(&self) -> bool {
        has_land_at_edge(&self.terrain, &self.settings)
    }

    /// Prepares a terrain for drawing; call it on a worker thread. Takes about 10 ms per million samples on one core.
    ///
    /// # Errors
    /// If `control` cancels. The function polls `control` every few milliseconds.
    pub fn new(
        terrain: &Arc<Terrain>,
        settings: &Settings,
        choice: &OverlayChoice,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let mut terrain = downsampled(terrain, MAX_DRAWN_SAMPLES);
        control.check()?;
        let void_mask = void_mask(&terrain, control)?.map(Arc::new);
        if let Some(heights) = heights_over_void(&terrain) {
            Arc::make_mut(&mut terrain).height = heights;
            control.check()?;
        }
        let bounds = GridBounds::new(&terrain);
        let range = bounds.whole();
        let mut scale = WorldScale::with_range(&terrain, settings, range);
        control.check()?;
        let (towards_sun, n) = (settings.sun_direction(), scale.samples);
        let (shadow, (slopes, openness)) = rayon::join(
            || light::shadow_depth(&terrain, &scale, towards_sun, control),
            || {
                rayon::join(
                    || slopes(&terrain, settings, control),
                    || openness(&terrain, settings.relief_over_size(), n, control),
                )
            },
        );
        let (shadow, slopes, openness) = (shadow?, slopes?, openness?);
        let mut both = vec![[0.0; 2]; n * n];
        both.par_chunks_mut(n).enumerate().try_for_each(|(i, row)| {
            control.check()?;
            let row_of = |map: &'_ [f32], j: usize| map[i * n + j];
            row.iter_mut().enumerate().for_each(|(j, out)| *out = [row_of(&shadow, j), row_of(&openness, j)]);
            Ok(())
        })?;
        let light = Mips::new(scale.samples, both, unit_bytes, control)?;
        let goes_on = match settings.surroundings {
            Surroundings::Block => false,
            Surroundings::Land => true,
            Surroundings::Sea => has_land_at_edge(&terrain, settings),
        };
        let mirrored_shadows = goes_on
            .then(|| {
                let few = downsampled(&terrain, MOST_MIRRORED_SAMPLES);
                mirrored_shadows(&few, settings, range, control).map(Arc::new)
            })
            .transpose()?;
        let surface_water = surface_water(&terrain, control)?.map(Arc::new);
        scale.surface_water_world = surface_water.as_ref().map_or(0.0, |water| water.deepest * scale.relief_world);
        let heights = HeightTexels::new(n, &terrain.height, range, control)?;
        let (data, legend) = overlay_data(&terrain, scale.relief_metres(), choice, control)?;
        let base = RenderBase { legend, ..RenderBase::new(terrain, settings, range, choice) };
        Ok(Self {
            cover: SnowSandCover::new(&base.terrain, settings, control)?,
            site: SiteConditionMap::new(&base.terrain, settings, control)?,
            daylight: Daylight::of_scene(settings),
            colours: painted(&base.terrain, base.biomes.as_ref(), control)?,
            base,
            bounds: Arc::new(bounds),
            heights: Arc::new(heights),
            slopes: Arc::new(slopes),
            light: Arc::new(light),
            mirrored_shadows,
            towards_sun,
            scale,
            surface_water,
            void_mask,
            data,
        })
    }

    /// The same terrain with another overlay or other biomes. The call is cheaper than [`new`](Self::new), because both
    /// terrains share all other data.
    ///
    /// # Errors
    /// If `control` cancels.
    pub fn with_overlay(&self, choice: &OverlayChoice, control: &Control) -> Result<Self, Cancelled> {
        let mut base = self.base.with_choice(choice);
        let mut data = self.data.clone();
        let bare = |choice: &OverlayChoice| OverlayChoice { biomes: None, ..choice.clone() };
        if !bare(choice).has_same_image(&bare(&self.choice)) {
            (data, base.legend) = overlay_data(&self.terrain, self.scale.relief_metres(), choice, control)?;
        }
        let colours = match (&base.biomes, &self.biomes) {
            (Some(new), Some(old)) if Arc::ptr_eq(&new.paint, &old.paint) => self.colours.clone(),
            (None, None) => self.colours.clone(),
            (biomes, _) => painted(&self.terrain, biomes.as_ref(), control)?,
        };
        Ok(Self { base, colours, data, ..self.clone() })
    }

    /// Quickly prepares a terrain that differs from this terrain only within a region. Light is recomputed near the
    /// region and copied farther away. `None` if this would save no time.
    ///
    /// # Errors
    /// If `control` cancels.
    pub fn renewed(
        &self,
        terrain: &Arc<Terrain>,
        settings: &Settings,
        region: &Region,
        control: &Control,
    ) -> Result<Option<Self>, Cancelled> {
        let n = terrain.samples();
        let is_made = GroundShareMaps::new(terrain).is_some();
        let painted = self.data.is_some() || self.colours.is_some() || is_made;
        let plain = !painted && n == self.terrain.samples() && n <= MAX_DRAWN_SAMPLES;
        let window = light_window(&self.scale, self.towards_sun, region);
        let Some(window) = window.filter(|_| plain && !terrain.grid.is_globe()) else {
            return Ok(None);
        };
        control.check()?;
        let bounds = self.bounds.renewed(terrain, region);
        let range = bounds.whole();
        let mut scale = WorldScale::with_range(terrain, settings, range);
        let steepness = settings.relief_over_size();
        let before = self.settings.relief_over_size();
        let slope = |i: usize, j: usize| {
            let (x, y) = gradient(terrain.grid, &terrain.height, i, j);
            [x * steepness, y * steepness]
        };
        let (slopes, light) = rayon::join(
            || self.slopes.renewed(&widened(region, 1, n), slope, (halves, from_halves)),
            || renewed_light(&self.light, (terrain, &scale), (self.towards_sun, before), &window, control),
        );
        let light = light?;
        let surface_water = if has_same_map(&self.terrain, terrain, MapKind::Water) {
            self.surface_water.clone()
        } else {
            surface_water(terrain, control)?.map(Arc::new)
        };
        scale.surface_water_world = surface_water.as_ref().map_or(0.0, |water| water.deepest * scale.relief_world);
        let heights = self.heights.renewed(&terrain.height, range, region, control)?;
        let cover = SnowSandCover::renewed(self.cover.as_ref(), &self.terrain, terrain, settings, region, control)?;
        let site = SiteConditionMap::renewed(self.site.as_ref(), &self.terrain, terrain, settings, region, control)?;
        let (terrain, settings) = (terrain.clone(), settings.clone());
        let base = RenderBase { serial: new_serial(), range, settings, terrain, ..self.base.clone() };
        Ok(Some(Self {
            base,
            cover,
            site,
            bounds: Arc::new(bounds),
            heights: Arc::new(heights),
            slopes: Arc::new(slopes),
            light: Arc::new(light),
            surface_water,
            scale,
            ..self.clone()
        }))
    }

    /// The optional features of the scene that its pipelines must include.
    pub fn needs(&self) -> SceneNeeds {
        SceneNeeds::new([
            (SceneNeed::Clouds, self.settings.clouds > 0.0),
            (SceneNeed::Fog, self.settings.has_fog()),
            (SceneNeed::Stars, self.daylight.stars > 0.0),
            (SceneNeed::ColourMap, self.colours.is_some()),
            (SceneNeed::CoverMap, self.cover.is_some()),
            (SceneNeed::SiteMap, self.site.is_some()),
            (SceneNeed::WaterMap, self.surface_water.is_some()),
        ])
    }

    pub fn tint(&self) -> Tint {
        match (&self.data, self.ramp()) {
            (Some(_), _) => Tint::Data,
            (None, Some(_)) => Tint::Slope,
            (None, None) => Tint::None,
        }
    }

    /// Depth of surface water at a position in world space, in world units.
    pub fn surface_water_world(&self, position_world: glam::Vec3) -> f32 {
        let Some(map) = self.terrain.map(MapKind::Water).filter(|_| self.surface_water.is_some()) else { return 0.0 };
        let uv = self.scale.uv(position_world);
        let n = self.terrain.samples();
        bilinear(n, |row, column| map[row * n + column], uv.to_array()).max(0.0) * self.scale.relief_world
    }

    /// Whether the terrain has data around a position, which is given as fractions of the square's side.
    pub fn has_ground(&self, [u, v]: [f64; 2]) -> bool {
        let n = self.scale.samples;
        let [column, row] = [u, v].map(|at| ((at.clamp(0.0, 1.0) * (n - 1) as f64).round() as usize).min(n - 1));
        self.terrain.has_ground(row * n + column)
    }

    /// The terrain data that picking reads.
    pub fn picker(&self) -> GridPicker<'_> {
        GridPicker { terrain: &self.terrain, scale: &self.scale, bounds: &self.bounds }
    }

    /// Number of finest levels that are omitted from each map.
    fn omitted_levels(&self) -> [usize; TerrainMap::ALL.len()] {
        omitted_levels(&TerrainMap::ALL.map(|map| self.mips(map)), self.heights.bytes().len())
    }

    /// The texels of a texture other than the heights, if the terrain has this texture.
    fn mips(&self, map: TerrainMap) -> Option<Arc<Mips>> {
        match map {
            TerrainMap::Heights => None,
            TerrainMap::Slopes => Some(self.slopes.clone()),
            TerrainMap::Light => Some(self.light.clone()),
            TerrainMap::MirroredShadows => self.mirrored_shadows.clone(),
            TerrainMap::SurfaceWater => self.surface_water.as_ref().map(|water| water.depths.clone()),
            TerrainMap::Data => self.data.as_ref().map(|data| data.texels.clone()),
            TerrainMap::Colours => self.colours.clone(),
            TerrainMap::VoidMask => self.void_mask.as_ref().map(|mask| mask.void.clone()),
            TerrainMap::Cover => self.cover.as_ref().map(|cover| cover.shares.clone()),
            TerrainMap::Site => self.site.as_ref().map(|site| site.texels.clone()),
        }
    }
}

impl TexelSource for Arc<SquareTerrain> {
    const FACES: usize = 1;

    fn serial(&self) -> u64 {
        self.serial
    }

    fn samples(&self) -> usize {
        self.scale.samples
    }

    fn texels(&self, map: TerrainMap) -> Option<Texels> {
        if map == TerrainMap::Heights {
            return Some(Texels::Heights(self.heights.clone()));
        }
        self.mips(map).map(|mips| Texels::Square(mips, self.omitted_levels()[map as usize]))
    }
}

/// The terrain itself, or every second, third or n-th sample of it, so that there are at most `most` samples per side.
fn downsampled(terrain: &Arc<Terrain>, most: usize) -> Arc<Terrain> {
    let last = terrain.samples() - 1;
    let stride = last.div_ceil(most - 1);
    if stride == 1 {
        return terrain.clone();
    }
    let grid = Grid::new(last / stride + 1, terrain.grid.edges);
    let n = terrain.samples();
    resampled(terrain, grid, |from, to| {
        to.par_chunks_mut(grid.samples).enumerate().for_each(|(i, row)| {
            for (j, value) in row.iter_mut().enumerate() {
                *value = bilinear(n, |row, column| from[row * n + column], [grid.position(j), grid.position(i)]);
            }
        });
    })
}

fn slopes(terrain: &Terrain, settings: &Settings, control: &Control) -> Result<Mips, Cancelled> {
    let (grid, n) = (terrain.grid, terrain.samples());
    let steepness = settings.relief_over_size();
    let across = steepness * 0.5 * (n - 1) as f32;
    let mut texels = vec![[0.0; 2]; grid.len()];
    texels.par_chunks_mut(n).enumerate().try_for_each(|(i, row)| {
        control.check()?;
        let edge = |j: usize| {
            let (x, y) = gradient(grid, &terrain.height, i, j);
            [x * steepness, y * steepness]
        };
        if i == 0 || i == n - 1 {
            row.iter_mut().enumerate().for_each(|(j, slope)| *slope = edge(j));
            return Ok(());
        }
        let (north, here, south) =
            (grid.row(&terrain.height, i - 1), grid.row(&terrain.height, i), grid.row(&terrain.height, i + 1));
        for j in 1..n - 1 {
            row[j] = [(here[j + 1] - here[j - 1]) * across, (south[j] - north[j]) * across];
        }
        row[0] = edge(0);
        row[n - 1] = edge(n - 1);
        Ok(())
    })?;
    Mips::new(n, texels, halves, control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::overlays::choice::Overlay;
    use bevy::shader::ShaderDefVal;
    use talweg::field::Edges;

    fn prepare(terrain: &Arc<Terrain>, settings: &Settings) -> SquareTerrain {
        SquareTerrain::new(terrain, settings, &OverlayChoice::default(), &Control::default()).expect("never cancelled")
    }

    #[test]
    fn any_size_can_be_prepared() {
        for samples in [2, 3, 8, 33, 100] {
            let terrain = Arc::new(Terrain::from_fn(samples, Edges::Open, |u, v| u * v));
            let prepared = prepare(&terrain, &Settings::default());
            assert_eq!(prepared.scale.samples, samples);
            assert_eq!(prepared.slopes.levels[0].bytes.len(), samples * samples * 4);
            assert!(Arc::ptr_eq(&prepared.terrain, &terrain));
        }
    }

    #[test]
    fn oversized_terrain_is_drawn_with_fewer_samples() {
        let large = Arc::new(Terrain::from_fn(33, Edges::Open, |u, v| u + v));
        let fewer = downsampled(&large, 32);
        assert_eq!(fewer.samples(), 17);
        assert_eq!(fewer.height[17 * 17 - 1], 2.0);
        assert_eq!(fewer.height[1], large.height[2]);
        assert_eq!(downsampled(&Arc::new(Terrain::from_fn(100, Edges::Open, |u, _| u)), 32).samples(), 25);
    }

    #[test]
    fn extreme_heights_are_prepared_safely() {
        let odd = [f32::NAN, f32::INFINITY, -1e30, 1e30];
        let terrain = Arc::new(Terrain::from_fn(9, Edges::Open, |u, v| odd[((u + 2.0 * v) * 8.0) as usize % 4]));
        let prepared = prepare(&terrain, &Settings::default());
        assert_eq!(prepared.light.levels.len(), 4);
    }

    #[test]
    fn a_new_overlay_shares_all_other_data() {
        let mut terrain = Terrain::from_fn(33, Edges::Open, |u, v| u * v);
        terrain.map_mut(MapKind::Flow).fill(3.0);
        let plain = prepare(&Arc::new(terrain), &Settings::default());
        let choice = OverlayChoice { overlay: Overlay::Map(MapKind::Flow), ..OverlayChoice::default() };
        let flow = plain.with_overlay(&choice, &Control::default()).unwrap();
        assert!(Arc::ptr_eq(&plain.slopes, &flow.slopes) && plain.serial != flow.serial);
        assert_eq!((plain.tint(), flow.tint()), (Tint::None, Tint::Data));
        let slope = OverlayChoice { overlay: Overlay::Slope, ..OverlayChoice::default() };
        assert_eq!(flow.with_overlay(&slope, &Control::default()).unwrap().tint(), Tint::Slope);
    }

    #[test]
    fn voids_are_not_drawn_and_cast_no_shadow() {
        let mut terrain = Terrain::from_fn(33, Edges::Open, |u, v| 0.2 + 0.1 * u * v);
        assert!(prepare(&Arc::new(terrain.clone()), &Settings::default()).void_mask.is_none());
        for k in 0..33 * 33 {
            if k % 33 > 20 {
                terrain.map_mut(MapKind::Ground)[k] = 0.0;
                terrain.height[k] = 9.0;
            }
        }
        let prepared = prepare(&Arc::new(terrain), &Settings::default());
        let mask = prepared.void_mask.as_ref().expect("the east is missing");
        assert_eq!(mask.walls.len(), 32);
        assert!(prepared.range.1 < 0.3, "{:?}", prepared.range);
        assert!(mask.void.bytes_without(0) > 0);
    }

    #[test]
    fn an_updated_region_equals_a_full_preparation() {
        let hills = |u: f32, v: f32| 0.3 + 0.1 * (u * 21.0).sin() * (v * 17.0).cos();
        let mut before = Terrain::from_fn(513, Edges::Open, hills);
        before.map_mut(MapKind::Snow).iter_mut().enumerate().for_each(|(k, depth)| *depth = 1e-5 * (k % 31) as f32);
        let before = Arc::new(before);
        let region = Region { rows: 200..260, columns: 300..360 };
        let mut after = Terrain::clone(&before);
        for i in region.rows.clone() {
            for j in region.columns.clone() {
                let (x, y) = ((i as f32 - 230.0) / 30.0, (j as f32 - 330.0) / 30.0);
                after.height[i * 513 + j] += 0.12 * (1.0 - x * x).max(0.0) * (1.0 - y * y).max(0.0);
                after.map_mut(MapKind::Snow)[i * 513 + j] = 2e-4;
            }
        }
        let (settings, after) = (Settings::default(), Arc::new(after));
        let old = prepare(&before, &settings);
        let new = old.renewed(&after, &settings, &region, &Control::default()).unwrap().expect("it is small");
        let whole = prepare(&after, &settings);
        assert_eq!(new.bounds, whole.bounds);
        assert_eq!(new.scale, whole.scale);
        assert_eq!(new.slopes.levels[0], whole.slopes.levels[0]);
        let cover = [&old, &new, &whole]
            .map(|prepared| prepared.cover.as_ref().expect("there is snow").shares.levels[0].clone());
        assert!(cover[1] == cover[2] && cover[0] != cover[1]);
        let (a, b) = (&new.light.levels[0].bytes, &whole.light.levels[0].bytes);
        let far = a.iter().zip(b).filter(|(a, b)| a.abs_diff(**b) > 6).count();
        assert!(far < a.len() / 500, "{far} of {} differ", a.len());
        let all = Region { rows: 0..513, columns: 0..513 };
        assert!(old.renewed(&after, &settings, &all, &Control::default()).unwrap().is_none());
    }

    /// The shadows on a copy equal the shadows on a terrain that is actually mirrored, under the same sun.
    #[test]
    fn copies_have_the_shadows_of_mirrored_land() {
        let n = 129;
        let hills = |u: f32, v: f32| 0.3 + 0.2 * (u * 13.0).sin() * (v * 9.0 + u).cos();
        let settings = Settings { surroundings: Surroundings::Land, sun_elevation: 18.0, ..Settings::default() };
        let own = prepare(&Arc::new(Terrain::from_fn(n, Edges::Open, hills)), &settings);
        let shadows = own.mirrored_shadows.as_ref().expect("there is land around").levels[0].bytes.clone();
        for (channel, [east, south]) in [[true, false], [false, true], [true, true]].into_iter().enumerate() {
            let turned = |is_turned: bool, x: f32| if is_turned { 1.0 - x } else { x };
            let copy = Terrain::from_fn(n, Edges::Open, |u, v| hills(turned(east, u), turned(south, v)));
            let light = prepare(&Arc::new(copy), &settings).light.levels[0].bytes.clone();
            let at = |k: usize| {
                let (i, j) = (k / n, k % n);
                (if south { n - 1 - i } else { i }) * n + if east { n - 1 - j } else { j }
            };
            let off = (0..n * n).filter(|&k| shadows[4 * k + channel].abs_diff(light[2 * at(k)]) > 4).count();
            assert!(off * 50 < n * n, "{off} of {} texels differ in the shadows of copy {channel}", n * n);
        }
        let block = Settings { surroundings: Surroundings::Block, ..settings.clone() };
        assert!(prepare(&own.terrain, &block).mirrored_shadows.is_none());
        // no land is mirrored around an island, unless an edge of the terrain cuts the coast
        let sea = |sea_level: f32| Settings { surroundings: Surroundings::Sea, sea_level, ..settings.clone() };
        assert!(prepare(&own.terrain, &sea(100.0)).mirrored_shadows.is_some());
        assert!(prepare(&own.terrain, &sea(5000.0)).mirrored_shadows.is_none());
    }

    fn defs(terrain: &Terrain, settings: &Settings) -> Vec<ShaderDefVal> {
        let terrain = Arc::new(terrain.clone());
        let square = SquareTerrain::new(&terrain, settings, &OverlayChoice::default(), &Control::default()).unwrap();
        square.needs().shader_defs().collect()
    }

    #[test]
    fn pipelines_have_the_features_of_the_scene() {
        let mut terrain = Terrain::from_fn(33, Edges::Open, |u, v| u * v);
        assert_eq!(defs(&terrain, &Settings::default()), []);
        let cloudy = Settings { clouds: 0.5, fog: 2.0, ..Settings::default() };
        assert_eq!(defs(&terrain, &cloudy), ["CLOUDS".into(), "FOG".into()]);
        terrain.map_mut(MapKind::Flow).fill(2.0);
        terrain.map_mut(MapKind::Water).fill(0.01);
        terrain.map_mut(MapKind::Snow).fill(0.01);
        assert_eq!(defs(&terrain, &Settings::default()), ["COVER_MAP".into(), "SITE_MAP".into(), "WATER_MAP".into()]);
    }

    #[test]
    fn a_preparation_can_be_cancelled() {
        let control = Control::default();
        control.cancel();
        let terrain = Arc::new(Terrain::from_fn(33, Edges::Open, |u, v| u * v));
        assert!(SquareTerrain::new(&terrain, &Settings::default(), &OverlayChoice::default(), &control).is_err());
    }
}
