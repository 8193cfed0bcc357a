//! Everything the screen needs of a terrain, worked out by the worker so that the main thread only swaps a pointer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::bounds::Bounds;
use super::covers::Covers;
use super::cut::{Cut, cut};
use super::inland::{Inland, inland};
use super::legend::Legend;
use super::light;
use super::mips::{Mips, from_halves, from_unit_bytes, halves, unit_bytes};
use super::overlay::{Choice, Data, lay};
use super::pick::Ground;
use super::ramp::Ramp;
use super::scale::Scale;
use crate::construction::fill::Region;
use crate::field::{Cancelled, Control, Grid, MapKind, Terrain, brinked, gradient};
use crate::look::{Biomes, Paint};
use crate::scene::Settings;

/// The widest texture that every graphics card takes.
const MAX_DRAWN_SAMPLES: usize = 8192;

/// A terrain ready to be drawn. Plain data, made by [`prepare`]; never changes.
#[derive(Clone)]
pub struct Prepared {
    /// Different for every one made.
    pub serial: u64,
    /// The heights that are drawn: the terrain given, or fewer samples of it if it is too large for the screen.
    pub terrain: Arc<Terrain>,
    pub scale: Scale,
    /// Lowest and highest height, as fractions of the relief.
    pub range: (f32, f32),
    pub bounds: Arc<Bounds>,
    /// Slopes to the east and to the south, as tangents in half precision.
    pub slopes: Arc<Mips>,
    /// Sunlight and openness, as bytes.
    pub light: Arc<Mips>,
    /// Towards the sun: east, up, south.
    pub towards_sun: [f32; 3],
    /// Rivers and lakes, if there are any.
    pub inland: Option<Arc<Inland>>,
    /// Where there is no ground, if that is anywhere. The heights there are those that are drawn: [`brinked`].
    pub cut: Option<Arc<Cut>>,
    /// The overlay that was asked for.
    pub choice: Choice,
    pub data: Option<Data>,
    /// What the colours of the overlay mean, or why there are none.
    pub legend: Option<Arc<Legend>>,
    /// What grows on the ground, if the scene is coloured by that.
    pub grown: Option<Grown>,
    /// How much of the ground lies under sand and under snow, as bytes, if any does.
    pub covers: Option<Covers>,
    settings: Settings,
}

/// The ground painted by a biome table.
#[derive(Clone)]
pub struct Grown {
    pub paint: Arc<Paint>,
    pub biomes: Arc<Biomes>,
    /// sRGB bytes.
    pub colours: Arc<Mips>,
}

impl Grown {
    /// Paints `terrain`; what is the same as in `before`, the same terrain's, is not worked out again.
    fn new(
        terrain: &Terrain,
        settings: &Settings,
        biomes: &Arc<Biomes>,
        before: Option<&Self>,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let known = before.filter(|before| before.biomes.has_climate_of(biomes));
        let paint = match known {
            Some(before) if before.biomes == *biomes => return Ok(before.clone()),
            Some(before) => before.paint.with_table(biomes, settings),
            None => Paint::new(terrain, settings, biomes),
        };
        let colours = paint.colours(terrain, control)?;
        let texels = colours.into_par_iter().map(|rgba| rgba.map(f32::from)).collect();
        let bytes = |rgba: [f32; 4]| rgba.map(|c| (c + 0.5) as u8);
        let colours = Arc::new(Mips::new(terrain.samples(), texels, bytes, control)?);
        Ok(Self { paint: Arc::new(paint), biomes: biomes.clone(), colours })
    }
}

/// How an overlay gets into the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tint {
    /// Not at all.
    #[default]
    None,
    /// From the slopes, which are there in any case.
    Slope,
    /// From a texture of its own.
    Data,
}

pub(super) fn is_same(a: &Terrain, b: &Terrain, kind: MapKind) -> bool {
    match (a.map(kind), b.map(kind)) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

/// A number that nothing prepared has had.
pub fn next_serial() -> u64 {
    static SERIAL: AtomicU64 = AtomicU64::new(1);
    SERIAL.fetch_add(1, Ordering::Relaxed)
}

/// Works out what the screen needs. Takes about 10 ms a million samples and core; call it on the worker.
///
/// # Errors
/// When `control` says so; it is asked every few milliseconds.
pub fn prepare(
    terrain: &Arc<Terrain>,
    settings: &Settings,
    choice: &Choice,
    control: &Control,
) -> Result<Prepared, Cancelled> {
    let mut terrain = drawn(terrain, MAX_DRAWN_SAMPLES);
    control.check()?;
    let cut = cut(&terrain, control)?.map(Arc::new);
    if let Some(heights) = brinked(&terrain) {
        Arc::make_mut(&mut terrain).height = heights;
        control.check()?;
    }
    let bounds = Bounds::new(&terrain);
    let range = bounds.whole();
    let mut scale = Scale::with_range(&terrain, settings, range);
    control.check()?;
    let towards_sun = settings.sun_direction();
    let (sunlight, (slopes, openness)) = rayon::join(
        || light::sunlight(&terrain, &scale, towards_sun, control),
        || rayon::join(|| slopes(&terrain, settings, control), || light::openness(&terrain, &scale, control)),
    );
    let (sunlight, slopes, openness) = (sunlight?, slopes?, openness?);
    let n = scale.samples;
    let mut both = vec![[0.0; 2]; n * n];
    both.par_chunks_mut(n).enumerate().try_for_each(|(i, row)| {
        control.check()?;
        let row_of = |map: &'_ [f32], j: usize| map[i * n + j];
        row.iter_mut().enumerate().for_each(|(j, out)| *out = [row_of(&sunlight, j), row_of(&openness, j)]);
        Ok(())
    })?;
    let light = Mips::new(scale.samples, both, unit_bytes, control)?;
    let inland = inland(&terrain, control)?.map(Arc::new);
    scale.inland_world = inland.as_ref().map_or(0.0, |water| water.deepest * scale.relief_world);
    let (data, legend) = lay(&terrain, scale.relief_metres(), choice, control)?;
    let grown =
        choice.biomes.as_ref().map(|biomes| Grown::new(&terrain, settings, biomes, None, control)).transpose()?;
    Ok(Prepared {
        covers: Covers::of(&terrain, settings, control)?,
        grown,
        settings: settings.clone(),
        serial: next_serial(),
        range,
        bounds: Arc::new(bounds),
        slopes: Arc::new(slopes),
        light: Arc::new(light),
        towards_sun,
        scale,
        inland,
        cut,
        choice: choice.clone(),
        data,
        legend,
        terrain,
    })
}

impl Prepared {
    /// The same ground under another overlay, or with other biomes. Cheap beside [`prepare`]: the rest is shared.
    ///
    /// # Errors
    /// When `control` says so.
    pub fn with_overlay(&self, choice: &Choice, control: &Control) -> Result<Self, Cancelled> {
        let (mut data, mut legend) = (self.data.clone(), self.legend.clone());
        if !(Choice { biomes: None, ..choice.clone() }).shows_the_same(&Choice { biomes: None, ..self.choice.clone() })
        {
            (data, legend) = lay(&self.terrain, self.scale.relief_metres(), choice, control)?;
        }
        let grow = |biomes| Grown::new(&self.terrain, &self.settings, biomes, self.grown.as_ref(), control);
        let grown = choice.biomes.as_ref().map(grow).transpose()?;
        Ok(Self { grown, serial: next_serial(), choice: choice.clone(), data, legend, ..self.clone() })
    }

    /// What the screen needs of a terrain that differs from this one in a region alone, made in a moment: light is worked out near
    /// the region and farther away stays as it was. `None` where that saves nothing.
    ///
    /// # Errors
    /// When `control` says so.
    pub fn renewed(
        &self,
        terrain: &Arc<Terrain>,
        settings: &Settings,
        region: &Region,
        control: &Control,
    ) -> Result<Option<Self>, Cancelled> {
        let n = terrain.samples();
        let painted = self.data.is_some() || self.grown.is_some();
        let plain = !painted && n == self.terrain.samples() && n <= MAX_DRAWN_SAMPLES;
        let Some(window) = self.light_window(region).filter(|_| plain && !terrain.grid.is_globe()) else {
            return Ok(None);
        };
        control.check()?;
        let bounds = self.bounds.renewed(terrain, region);
        let range = bounds.whole();
        let mut scale = Scale::with_range(terrain, settings, range);
        let steepness = settings.relief_over_size();
        let slope = |i: usize, j: usize| {
            let (x, y) = gradient(terrain.grid, &terrain.height, i, j);
            [x * steepness, y * steepness]
        };
        let (slopes, light) = rayon::join(
            || self.slopes.renewed(&grown(region, 1, n), slope, (halves, from_halves)),
            || self.renewed_light(terrain, &scale, &window, control),
        );
        let light = light?;
        let inland = if is_same(&self.terrain, terrain, MapKind::Water) {
            self.inland.clone()
        } else {
            inland(terrain, control)?.map(Arc::new)
        };
        scale.inland_world = inland.as_ref().map_or(0.0, |water| water.deepest * scale.relief_world);
        let covers = Covers::renewed(self.covers.as_ref(), &self.terrain, terrain, settings, region, control)?;
        Ok(Some(Self {
            serial: next_serial(),
            covers,
            range,
            bounds: Arc::new(bounds),
            slopes: Arc::new(slopes),
            light: Arc::new(light),
            inland,
            scale,
            settings: settings.clone(),
            terrain: terrain.clone(),
            ..self.clone()
        }))
    }

    /// The samples whose light is worked out anew for a region, and those that are looked at for it, a square. `None` if that is
    /// most of the terrain.
    fn light_window(&self, region: &Region) -> Option<(Region, Region)> {
        let n = self.scale.samples;
        let [east, up, south] = self.towards_sun;
        let fall = up / (east * east + south * south).sqrt().max(1e-3);
        let high = self.scale.highest_world - self.scale.lowest_world;
        let longest = (high / fall.max(1e-3) / self.scale.cell_world).min(1e6) as usize;
        let by = longest.clamp(8, n / 12 + 8);
        let lit = grown(region, by, n);
        let blocks = light::blocks(&self.scale);
        let seen = grown(region, 2 * by, n);
        let start = |span: &std::ops::Range<usize>| span.start / blocks * blocks;
        let (row, column) = (start(&seen.rows), start(&seen.columns));
        let side = (seen.rows.end - row).max(seen.columns.end - column);
        // a square that would go beyond the terrain begins sooner, at a block
        let back = |start: usize| {
            if start + side <= n { start } else { n.saturating_sub(side) / blocks * blocks }
        };
        let (row, column) = (back(row), back(column));
        let side = (seen.rows.end - row).max(seen.columns.end - column);
        let fits = row + side <= n && column + side <= n && side * side * 3 < n * n * 2;
        let seen = Region { rows: row..row + side, columns: column..column + side };
        fits.then_some((lit, seen))
    }

    fn renewed_light(
        &self,
        terrain: &Terrain,
        scale: &Scale,
        (lit, seen): &(Region, Region),
        control: &Control,
    ) -> Result<Mips, Cancelled> {
        let (n, side) = (terrain.samples(), seen.rows.len());
        let mut part = Terrain::flat(Grid::new(side, terrain.grid.edges));
        for (row, out) in seen.rows.clone().zip(part.height.chunks_mut(side)) {
            out.copy_from_slice(&terrain.height[row * n + seen.columns.start..][..side]);
        }
        let near = Scale { samples: side, ..*scale };
        let (sunlight, openness) = rayon::join(
            || light::sunlight(&part, &near, self.towards_sun, control),
            || light::openness(&part, &near, control),
        );
        let (sunlight, openness) = (sunlight?, openness?);
        let texel = |i: usize, j: usize| {
            let k = (i - seen.rows.start) * side + j - seen.columns.start;
            [sunlight[k], openness[k]]
        };
        Ok(self.light.renewed(lit, texel, (unit_bytes, from_unit_bytes)))
    }

    pub fn tint(&self) -> Tint {
        match (&self.data, self.ramp()) {
            (Some(_), _) => Tint::Data,
            (None, Some(_)) => Tint::Slope,
            (None, None) => Tint::None,
        }
    }

    /// The colours of the overlay, if it shows anything.
    pub fn ramp(&self) -> Option<&'static Ramp> {
        self.legend.as_ref().filter(|legend| !legend.ticks.is_empty()).map(|legend| legend.ramp)
    }

    /// Depth of inland water at a place of the world.
    pub fn inland_world(&self, position_world: glam::Vec3) -> f32 {
        let Some(map) = self.terrain.map(MapKind::Water).filter(|_| self.inland.is_some()) else { return 0.0 };
        let uv = self.scale.uv(position_world);
        between(self.terrain.grid, map, uv.x, uv.y).max(0.0) * self.scale.relief_world
    }

    /// Whether there is ground next to a place, a share of the square.
    pub fn has_ground(&self, [u, v]: [f64; 2]) -> bool {
        let n = self.scale.samples;
        let [column, row] = [u, v].map(|at| ((at.clamp(0.0, 1.0) * (n - 1) as f64).round() as usize).min(n - 1));
        self.terrain.has_ground(row * n + column)
    }

    /// The terrain as the picker sees it.
    pub fn ground(&self) -> Ground<'_> {
        Ground { terrain: &self.terrain, scale: &self.scale, bounds: &self.bounds }
    }

    /// Memory of its textures on the graphics card.
    pub fn texture_bytes(&self) -> usize {
        let inland = self.inland.as_ref().map_or(0, |water| water.depths.bytes());
        let data = self.data.as_ref().map_or(0, |data| data.texels.bytes());
        let grown = self.grown.as_ref().map_or(0, |grown| grown.colours.bytes());
        let covers = self.covers.as_ref().map_or(0, |covers| covers.shares.bytes());
        let void = self.cut.as_ref().map_or(0, |cut| cut.void.bytes());
        4 * self.terrain.height.len() + self.slopes.bytes() + self.light.bytes() + inland + data + grown + void + covers
    }
}

/// The region with so many samples more on every side, as far as there are any.
fn grown(region: &Region, by: usize, samples: usize) -> Region {
    let span = |s: &std::ops::Range<usize>| s.start.saturating_sub(by)..(s.end + by).min(samples);
    Region { rows: span(&region.rows), columns: span(&region.columns) }
}

/// Value between samples, bilinear; positions outside [0, 1] are clamped.
fn between(grid: Grid, map: &[f32], u: f32, v: f32) -> f32 {
    let last = (grid.samples - 1) as f32;
    let (x, y) = (u.clamp(0.0, 1.0) * last, v.clamp(0.0, 1.0) * last);
    let (j, i) = ((x as usize).min(grid.samples - 2), (y as usize).min(grid.samples - 2));
    let (east, south) = (x - j as f32, y - i as f32);
    let along = |row: &[f32]| row[j] + (row[j + 1] - row[j]) * east;
    let (top, bottom) = (along(grid.row(map, i)), along(grid.row(map, i + 1)));
    top + (bottom - top) * south
}

/// The terrain itself, or every second, third, … sample of it.
fn drawn(terrain: &Arc<Terrain>, most: usize) -> Arc<Terrain> {
    let last = terrain.samples() - 1;
    let stride = last.div_ceil(most - 1);
    if stride == 1 {
        return terrain.clone();
    }
    let grid = Grid::new(last / stride + 1, terrain.grid.edges);
    let thinned = |from: &[f32], to: &mut [f32]| {
        to.par_chunks_mut(grid.samples).enumerate().for_each(|(i, row)| {
            for (j, value) in row.iter_mut().enumerate() {
                *value = between(terrain.grid, from, grid.position(j), grid.position(i));
            }
        });
    };
    let mut fewer = Terrain::flat(grid);
    thinned(&terrain.height, &mut fewer.height);
    for &kind in MapKind::ALL {
        if let Some(map) = terrain.map(kind) {
            thinned(map, fewer.map_mut(kind));
        }
    }
    Arc::new(fewer)
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
    use crate::app::view::Overlay;
    use crate::field::Edges;

    fn prepare(terrain: &Arc<Terrain>, settings: &Settings) -> Prepared {
        super::prepare(terrain, settings, &Choice::default(), &Control::default()).expect("nobody stops it")
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
    fn a_terrain_too_large_for_the_screen_is_drawn_with_fewer_samples() {
        let large = Arc::new(Terrain::from_fn(33, Edges::Open, |u, v| u + v));
        let fewer = drawn(&large, 32);
        assert_eq!(fewer.samples(), 17);
        assert_eq!(fewer.height[17 * 17 - 1], 2.0);
        assert_eq!(fewer.height[1], large.height[2]);
        assert_eq!(drawn(&Arc::new(Terrain::from_fn(100, Edges::Open, |u, _| u)), 32).samples(), 25);
    }

    #[test]
    fn wild_heights_do_no_harm() {
        let odd = [f32::NAN, f32::INFINITY, -1e30, 1e30];
        let terrain = Arc::new(Terrain::from_fn(9, Edges::Open, |u, v| odd[((u + 2.0 * v) * 8.0) as usize % 4]));
        let prepared = prepare(&terrain, &Settings::default());
        assert_eq!(prepared.light.levels.len(), 4);
    }

    #[test]
    fn another_overlay_shares_all_but_the_overlay() {
        let mut terrain = Terrain::from_fn(33, Edges::Open, |u, v| u * v);
        terrain.map_mut(MapKind::Flow).fill(3.0);
        let plain = prepare(&Arc::new(terrain), &Settings::default());
        let choice = Choice { overlay: Overlay::Map(MapKind::Flow), ..Choice::default() };
        let flow = plain.with_overlay(&choice, &Control::default()).unwrap();
        assert!(Arc::ptr_eq(&plain.slopes, &flow.slopes) && plain.serial != flow.serial);
        assert_eq!((plain.tint(), flow.tint()), (Tint::None, Tint::Data));
        let slope = Choice { overlay: Overlay::Slope, ..Choice::default() };
        assert_eq!(flow.with_overlay(&slope, &Control::default()).unwrap().tint(), Tint::Slope);
    }

    #[test]
    fn where_there_is_no_ground_nothing_is_drawn_and_nothing_casts_a_shadow() {
        let mut terrain = Terrain::from_fn(33, Edges::Open, |u, v| 0.2 + 0.1 * u * v);
        assert!(prepare(&Arc::new(terrain.clone()), &Settings::default()).cut.is_none());
        for k in 0..33 * 33 {
            if k % 33 > 20 {
                terrain.map_mut(MapKind::Ground)[k] = 0.0;
                terrain.height[k] = 9.0;
            }
        }
        let prepared = prepare(&Arc::new(terrain), &Settings::default());
        let cut = prepared.cut.as_ref().expect("the east is missing");
        assert_eq!(cut.walls.len(), 32);
        assert!(prepared.range.1 < 0.3, "{:?}", prepared.range);
        assert!(prepared.texture_bytes() > cut.void.bytes());
    }

    #[test]
    fn a_renewed_region_looks_as_if_all_had_been_prepared() {
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
        let covers = [&old, &new, &whole]
            .map(|prepared| prepared.covers.as_ref().expect("there is snow").shares.levels[0].clone());
        assert!(covers[1] == covers[2] && covers[0] != covers[1]);
        let (a, b) = (&new.light.levels[0].bytes, &whole.light.levels[0].bytes);
        let far = a.iter().zip(b).filter(|(a, b)| a.abs_diff(**b) > 6).count();
        assert!(far < a.len() / 500, "{far} of {} differ", a.len());
        let all = Region { rows: 0..513, columns: 0..513 };
        assert!(old.renewed(&after, &settings, &all, &Control::default()).unwrap().is_none());
    }

    #[test]
    fn it_stops_when_it_is_told_to() {
        let control = Control::default();
        control.cancel();
        let terrain = Arc::new(Terrain::from_fn(33, Edges::Open, |u, v| u * v));
        assert!(super::prepare(&terrain, &Settings::default(), &Choice::default(), &control).is_err());
    }
}
