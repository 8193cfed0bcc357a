//! A globe prepared for drawing. A worker thread prepares it, so that the main thread only swaps a pointer.

use std::ops::Deref;
use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;

use super::bounds::FaceBounds;
use super::camera::GlobePose;
use super::face::{axes, fitted_gradient, tangents};
use super::ground::GlobeSurface;
use super::relief::Exaggeration;
use super::tiles::{FineTerrain, TilePainter, palette_colour};
use super::wetness::wetness;
use crate::view::overlays::choice::{Overlay, OverlayChoice, STEEPEST_DEGREES};
use crate::view::overlays::data::overlay_places;
use crate::view::overlays::ramp::Ramp;
use crate::view::render::mips::{Mips, half};
use crate::view::render::texels::{TerrainMap, TexelSource, Texels};
use crate::view::render_base::{RenderBase, resampled};
use talweg::appearance::{PaletteTable, SampleCoverDepths, covered};
use talweg::field::topology::FACES;
use talweg::field::{Cancelled, Control, Globe, Grid, MapKind, Terrain};
use talweg::planet_detail::DetailSource;
use talweg::preferences::GlobeView;
use talweg::scene::Settings;

/// Greatest number of samples along a face. Larger terrains are resampled to this number for drawing.
const MOST_DRAWN_SAMPLES: usize = 4097;

/// A globe prepared for drawing. Immutable.
#[derive(Clone)]
pub struct GlobeTerrain {
    base: RenderBase,
    pub globe: Arc<Globe>,
    pub bounds: Arc<FaceBounds>,
    pub radius_metres: f64,
    pub relief_metres: f32,
    pub sea_metres: f32,
    /// One half-precision image per face. Its four values are the slopes along rows and columns as tangents, the height
    /// above sea level in kilometres, and the fraction of surface water.
    pub shape: Arc<Vec<Mips>>,
    /// sRGB-encoded colours, one image per face.
    pub colours: Arc<Vec<Mips>>,
    /// The fine terrain between the samples.
    detail: Option<Arc<FineTerrain>>,
    /// The colours of the terrain without an overlay.
    base_colours: Arc<Vec<[u8; 4]>>,
    pub palette: Arc<PaletteTable>,
}

impl Deref for GlobeTerrain {
    type Target = RenderBase;

    fn deref(&self) -> &RenderBase {
        &self.base
    }
}

impl GlobeTerrain {
    /// Prepares a globe for drawing; call it on a worker thread. `detail` is the source of the fine terrain between the
    /// samples.
    ///
    /// # Errors
    /// If `control` cancels. The function polls `control` every few milliseconds.
    pub fn new(
        terrain: &Arc<Terrain>,
        settings: &Settings,
        (radius_metres, detail): (f64, Option<DetailSource>),
        palette: &Arc<PaletteTable>,
        choice: &OverlayChoice,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let whole = terrain;
        let terrain = downsampled(terrain, MOST_DRAWN_SAMPLES);
        control.check()?;
        let n = terrain.samples();
        let globe = Globe::new(n);
        let bounds = FaceBounds::new(n, &terrain.height);
        control.check()?;
        let slopes = slopes(&globe, &terrain.height, settings.relief_metres / radius_metres as f32, control)?;
        let base = RenderBase::new(terrain, settings, bounds.whole(), choice);
        let terrain = &base.terrain;
        let natural = base_colours(&base, &slopes, palette, control)?;
        let sea = settings.sea_level / settings.relief_metres;
        let kilometres = settings.relief_metres * 1e-3;
        let wet = terrain.map(MapKind::Water).map(|depth| wetness(&globe, depth));
        control.check()?;
        let texel = |k: usize| {
            let over = (terrain.height[k] - sea) * kilometres;
            let wet = wet.as_ref().map_or(0.0, |wet| wet[k]);
            [slopes[k][0], slopes[k][1], if over.is_finite() { over } else { 0.0 }, wet]
        };
        let globe = Arc::new(globe);
        let detail = detail.map(|source| {
            let cell = radius_metres * std::f64::consts::FRAC_PI_2 / (terrain.samples() - 1) as f64;
            let steepest = slopes.par_iter().map(|slope| slope[0].hypot(slope[1])).reduce(|| 0.0, f32::max);
            let painter = TilePainter::new(&base, &globe, palette);
            FineTerrain::new(source, whole.clone(), painter, (radius_metres, cell), f64::from(steepest) * cell)
        });
        let shape = (0..FACES)
            .map(|face| {
                let texels = (face * n * n..(face + 1) * n * n).into_par_iter().map(texel).collect();
                Mips::new(n, texels, |t: [f32; 4]| bytemuck::cast::<[u16; 4], [u8; 8]>(t.map(half)), control)
            })
            .collect::<Result<_, _>>()?;
        let mut made = Self {
            globe,
            bounds: Arc::new(bounds),
            radius_metres,
            relief_metres: settings.relief_metres,
            sea_metres: settings.sea_level,
            shape: Arc::new(shape),
            colours: Arc::default(),
            detail: detail.map(Arc::new),
            base_colours: Arc::new(natural),
            palette: palette.clone(),
            base,
        };
        made.apply_overlay(&slopes, control)?;
        Ok(made)
    }

    /// The same terrain with another overlay. Both terrains share slopes and heights.
    ///
    /// # Errors
    /// If `control` cancels.
    pub fn with_overlay(&self, choice: &OverlayChoice, control: &Control) -> Result<Self, Cancelled> {
        let mut laid = Self { base: self.base.with_choice(choice), ..self.clone() };
        let is_painted_anew = choice.biomes != self.choice.biomes;
        let slopes = if choice.overlay == Overlay::Slope || (is_painted_anew && choice.biomes.is_none()) {
            slopes(&self.globe, &self.terrain.height, self.relief_metres / self.radius_metres as f32, control)?
        } else {
            Vec::new()
        };
        if is_painted_anew {
            laid.base_colours = Arc::new(base_colours(&laid.base, &slopes, &self.palette, control)?);
            let painter = || TilePainter::new(&laid.base, &self.globe, &self.palette);
            laid.detail = self.detail.as_ref().map(|detail| Arc::new(detail.repainted(painter())));
        }
        laid.apply_overlay(&slopes, control)?;
        Ok(laid)
    }

    /// Computes the terrain's colours with the requested overlay.
    fn apply_overlay(&mut self, slopes: &[[f32; 2]], control: &Control) -> Result<(), Cancelled> {
        let n = self.terrain.samples();
        let (data, legend) = overlay_places(&self.terrain, self.relief_metres, &self.choice, control)?;
        let ramp = legend.as_ref().filter(|legend| !legend.ticks.is_empty()).map(|legend| legend.ramp);
        let natural = &self.base_colours;
        let mixed = |k: usize, ramp: &Ramp, place: f32, share: f32| {
            let [r, g, b, a] = natural[k];
            let over = ramp.colour(place);
            let mix = |from: u8, to: u8| (f32::from(from) + (f32::from(to) - f32::from(from)) * share) as u8;
            [mix(r, over[0]), mix(g, over[1]), mix(b, over[2]), a]
        };
        let colour = |k: usize| match (&data, ramp) {
            (Some((places, fade)), Some(ramp)) => {
                let share = if fade.width > 0.0 {
                    ((places[k] - fade.transparent_at).abs() / fade.width).min(1.0)
                } else {
                    1.0
                };
                mixed(k, ramp, places[k], share)
            }
            (None, Some(ramp)) if slopes.len() == natural.len() => {
                let steepness = slopes[k][0].hypot(slopes[k][1]).atan().to_degrees();
                mixed(k, ramp, (steepness / STEEPEST_DEGREES).min(1.0), 1.0)
            }
            _ => natural[k],
        };
        let colours = (0..FACES).map(|face| {
            let texel = |k: usize| {
                let [r, g, b, _] = colour(k).map(f32::from);
                [r, g, b, 255.0]
            };
            let texels = (face * n * n..(face + 1) * n * n).into_par_iter().map(texel).collect();
            Mips::new(n, texels, |t: [f32; 4]| t.map(|c| (c + 0.5) as u8), control)
        });
        self.colours = Arc::new(colours.collect::<Result<_, _>>()?);
        self.base.legend = legend;
        Ok(())
    }

    /// Whether an overlay colours the terrain.
    pub fn has_overlay(&self) -> bool {
        self.ramp().is_some()
    }

    /// Unit vectors of samples above the sea, taken from a subset of about `samples` samples per side of a face. The
    /// list is empty if there is no sea.
    pub fn land_directions(&self, samples: usize) -> Vec<DVec3> {
        if !self.has_sea() {
            return Vec::new();
        }
        let (n, step) = (self.globe.samples(), (self.globe.samples() / samples).max(1));
        let places = (0..FACES).flat_map(|face| {
            let along = move || (0..n).step_by(step);
            along().flat_map(move |row| along().map(move |column| (face, row, column)))
        });
        let is_land = |&(face, row, column): &(usize, usize, usize)| {
            self.terrain.height[(face * n + row) * n + column] * self.relief_metres > self.sea_metres
        };
        places.filter(is_land).map(|(face, row, column)| self.globe.exact_direction(face, row, column).into()).collect()
    }

    /// Whether any terrain is below the sea.
    pub fn has_sea(&self) -> bool {
        self.sea_metres > self.range.0 * self.relief_metres
    }

    /// The surface as drawn with a vertical exaggeration. With `with_sea`, the sea covers terrain below sea level.
    pub fn ground(&self, exaggeration: f64, view: &GlobeView, with_sea: bool) -> GlobeSurface<'_> {
        let relief = f64::from(self.relief_metres) * exaggeration;
        let sea = (with_sea && self.has_sea()).then(|| f64::from(self.sea_metres) * exaggeration);
        let drawn = |h: f32| {
            let height = f64::from(h) * relief;
            sea.map_or(height, |sea| height.max(sea))
        };
        let detail = self.detail(view).map(|detail| (&**detail, exaggeration));
        let (low, high) = (drawn(self.range.0), drawn(self.range.1));
        let most = detail.map_or(0.0, |(detail, times)| detail.slack_metres() * times);
        let low = sea.filter(|sea| low <= *sea).map_or(low - most, |_| low);
        GlobeSurface {
            globe: &self.globe,
            height: &self.terrain.height,
            radius: self.radius_metres,
            relief,
            sea,
            range: (low, high + most),
            detail,
        }
    }

    /// The fine terrain between the samples, if it is drawn. An overlay hides the fine terrain, because overlay data
    /// must be shown unchanged.
    pub fn detail(&self, view: &GlobeView) -> Option<&Arc<FineTerrain>> {
        self.detail.as_ref().filter(|_| view.fine_ground && !self.has_overlay())
    }

    /// Vertical exaggeration for an eye at a distance of `eye_metres` from the centre of the globe.
    pub fn exaggeration(&self, view: &GlobeView, eye_metres: f64) -> f64 {
        self.exaggeration_law(view).factor_at(eye_metres - self.radius_metres)
    }

    fn exaggeration_law(&self, view: &GlobeView) -> Exaggeration {
        let relief = f64::from(self.relief_metres);
        let (low, high) = (f64::from(self.range.0) * relief, f64::from(self.range.1) * relief);
        // terrain below the sea is invisible
        let low = if self.has_sea() { low.max(f64::from(self.sea_metres)).min(high) } else { low };
        Exaggeration::new(view, self.radius_metres, (low, high))
    }

    /// The surface as drawn for this position of the eye.
    pub fn ground_from(&self, view: &GlobeView, eye: DVec3, with_sea: bool) -> GlobeSurface<'_> {
        self.ground(self.exaggeration(view, eye.length()), view, with_sea)
    }

    /// The surface as drawn from space.
    pub fn ground_from_afar(&self, view: &GlobeView, with_sea: bool) -> GlobeSurface<'_> {
        self.ground(self.exaggeration_law(view).most, view, with_sea)
    }

    /// The nearest pose at which the eye is above the surface. The surface has the vertical exaggeration that belongs
    /// to the returned pose.
    pub fn confine(&self, pose: &GlobePose, view: &GlobeView, with_sea: bool) -> GlobePose {
        let mut pose = *pose;
        // repeat, because raising the eye also raises the drawn terrain, though by at most half as much
        for _ in 0..40 {
            let next = pose.confined(&self.ground_from(view, pose.eye(), with_sea));
            if (next.radius - pose.radius).abs() < 1e-3 {
                return next;
            }
            pose = next;
        }
        pose
    }

    /// Distance from the centre for an eye that is `height` metres above the drawn surface.
    pub fn stand(&self, direction: DVec3, height: f64, view: &GlobeView, with_sea: bool) -> f64 {
        let mut radius = self.radius_metres + height;
        for _ in 0..60 {
            radius = self.ground_from(view, direction * radius, with_sea).surface(direction) + height;
        }
        radius
    }
}

impl TexelSource for Arc<GlobeTerrain> {
    const FACES: usize = FACES;

    fn serial(&self) -> u64 {
        self.serial
    }

    fn samples(&self) -> usize {
        self.terrain.samples()
    }

    fn texels(&self, map: TerrainMap) -> Option<Texels> {
        match map {
            TerrainMap::Heights => Some(Texels::FaceHeights(self.terrain.clone())),
            TerrainMap::Slopes => Some(Texels::Faces(self.shape.clone())),
            TerrainMap::Colours => Some(Texels::Faces(self.colours.clone())),
            _ => None,
        }
    }
}

/// The terrain itself, or a coarser resampling if it has more than `most` samples along a face.
fn downsampled(terrain: &Arc<Terrain>, most: usize) -> Arc<Terrain> {
    if terrain.samples() <= most {
        return terrain.clone();
    }
    let (from, to) = (Globe::new(terrain.samples()), Globe::new(most));
    resampled(terrain, Grid::globe(most), |values, fewer| {
        fewer.par_iter_mut().enumerate().for_each(|(k, value)| {
            *value = from.sample(values, to.direction_of(k).map(f64::from));
        });
    })
}

/// The scene's colours without an overlay: by biome, or by height and slope. Sand and snow cover these colours.
fn base_colours(
    base: &RenderBase,
    slopes: &[[f32; 2]],
    palette: &PaletteTable,
    control: &Control,
) -> Result<Vec<[u8; 4]>, Cancelled> {
    let mut colours = match &base.biomes {
        Some(biomes) => biomes.paint.colours(&base.terrain, control)?,
        None => painted(&base.terrain, slopes, &base.settings, palette, control)?,
    };
    let cover = SampleCoverDepths::new(&base.terrain, &base.settings);
    if !cover.is_empty() {
        control.check()?;
        let sea = base.settings.sea_level / base.settings.relief_metres;
        // cover only land, because the shaders draw bright terrain below the sea as ice
        let on_land = colours.par_iter_mut().enumerate().filter(|(k, _)| base.terrain.height[*k] >= sea);
        on_land.for_each(|(k, [r, g, b, _])| [*r, *g, *b] = covered([*r, *g, *b], cover.hidden_fractions(k)));
    }
    Ok(colours)
}

/// Slopes along rows and columns, as tangents. A sample that lies on several faces has the same gradient on each face.
fn slopes(globe: &Globe, height: &[f32], steepness: f32, control: &Control) -> Result<Vec<[f32; 2]>, Cancelled> {
    let n = globe.samples();
    let mut slopes = vec![[0.0; 2]; globe.len()];
    slopes.par_chunks_mut(n).enumerate().try_for_each(|(line, out)| {
        control.check()?;
        let (face, row) = (line / n, line % n);
        let axes = axes(face);
        let at = |row: usize, column: usize| DVec3::from(globe.exact_direction(face, row, column));
        let value = |row: usize, column: usize| f64::from(height[(face * n + row) * n + column]);
        for (column, slope) in out.iter_mut().enumerate() {
            let is_border = row == 0 || column == 0 || row == n - 1 || column == n - 1;
            let (here, gradient) = if is_border {
                let owner = globe.grid().owner(line * n + column);
                (at(row, column), gradient_at(globe, height, owner))
            } else {
                let across = at(row, column + 1) - at(row, column - 1);
                let down = at(row + 1, column) - at(row - 1, column);
                let rise = value(row, column + 1) - value(row, column - 1);
                let fall = value(row + 1, column) - value(row - 1, column);
                (at(row, column), fitted_gradient(&[(across, rise), (down, fall)]))
            };
            let (first, second) = tangents(axes, here);
            let tangent = |along: DVec3| (gradient.dot(along) as f32 * steepness).clamp(-100.0, 100.0);
            *slope = [first, second].map(tangent).map(|t| if t.is_finite() { t } else { 0.0 });
        }
        Ok(())
    })?;
    Ok(slopes)
}

/// Gradient of the height at a sample, from its four orthogonal neighbours, also across face borders.
fn gradient_at(globe: &Globe, height: &[f32], index: usize) -> DVec3 {
    let here = DVec3::from(globe.direction_of(index).map(f64::from));
    let neighbours = (0..8).step_by(2).filter_map(|step| globe.grid().neighbour(index, step));
    let steps = neighbours.map(|other| {
        let way = DVec3::from(globe.direction_of(other).map(f64::from)) - here;
        (way - here * way.dot(here), f64::from(height[other]) - f64::from(height[index]))
    });
    fitted_gradient(&steps.collect::<Vec<_>>())
}

/// Colours by height and slope, from the palette's table. The first half of the table is for water, the second half for
/// land.
fn painted(
    terrain: &Terrain,
    slopes: &[[f32; 2]],
    settings: &Settings,
    table: &PaletteTable,
    control: &Control,
) -> Result<Vec<[u8; 4]>, Cancelled> {
    let n = terrain.samples();
    let sea = settings.sea_level / settings.relief_metres;
    let mut colours = vec![[0; 4]; terrain.height.len()];
    colours.par_chunks_mut(n).enumerate().try_for_each(|(line, out)| {
        control.check()?;
        for (column, colour) in out.iter_mut().enumerate() {
            let k = line * n + column;
            let [r, g, b] = palette_colour(table, terrain.height[k], sea, slopes[k][0].hypot(slopes[k][1]));
            *colour = [r, g, b, 255];
        }
        Ok(())
    })?;
    Ok(colours)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globe(n: usize, height: impl Fn([f64; 3]) -> f64) -> Arc<Terrain> {
        let mut terrain = Terrain::flat(Grid::globe(n));
        let globe = Globe::new(n);
        for (k, h) in terrain.height.iter_mut().enumerate() {
            *h = height(globe.direction_of(k).map(f64::from)) as f32;
        }
        Arc::new(terrain)
    }

    fn grey() -> Arc<PaletteTable> {
        let lut = vec![[9, 9, 9, 255]; 512];
        let settings = talweg::scene::Settings::default();
        let plain = PaletteTable::new(talweg::appearance_files::Palette::named_or_default("greyscale"), &settings);
        Arc::new(PaletteTable { lut, rock: [0; 4], rock_degrees: (30.0, 40.0), ..plain })
    }

    #[test]
    fn slopes_match_the_function_on_every_face_and_border() {
        // the gradient of z on the sphere has the length cos φ and points north
        let terrain = globe(65, |d| d[2]);
        let globe = Globe::new(65);
        let slopes = slopes(&globe, &terrain.height, 1.0, &Control::default()).unwrap();
        for (k, slope) in slopes.iter().enumerate() {
            let face = k / (65 * 65);
            let here = DVec3::from(globe.direction_of(k).map(f64::from));
            let (first, second) = tangents(axes(face), here);
            let expected = DVec3::Z - here * here.z;
            let found = first * f64::from(slope[0]) + second * f64::from(slope[1]);
            assert!(found.distance(expected) < 0.03, "{k}: {found} instead of {expected}");
        }
    }

    #[test]
    fn any_size_is_prepared_and_overlays_share_its_shape() {
        let table = grey();
        for n in [2, 3, 9, 33] {
            let terrain = globe(n, |d| d[0] * d[1]);
            let settings = Settings::default();
            let prepare = |choice: &OverlayChoice| {
                GlobeTerrain::new(&terrain, &settings, (1e6, None), &table, choice, &Control::default()).unwrap()
            };
            let plain = prepare(&OverlayChoice::default());
            assert_eq!(plain.colours[5].levels[0].bytes.len(), n * n * 4);
            assert_eq!(&plain.colours[3].levels[0].bytes[..4], [9, 9, 9, 255]);
            let choice = OverlayChoice { overlay: Overlay::Slope, ..OverlayChoice::default() };
            let sloped = plain.with_overlay(&choice, &Control::default()).unwrap();
            assert!(Arc::ptr_eq(&plain.shape, &sloped.shape) && plain.serial != sloped.serial && sloped.has_overlay());
            assert_eq!(sloped.colours[2].levels[0].bytes, prepare(&choice).colours[2].levels[0].bytes);
        }
    }

    #[test]
    fn snow_and_sand_cover_land_only() {
        let mut terrain = Terrain::clone(&globe(9, |d| d[2]));
        let settings = Settings { relief_metres: 1000.0, sea_level: 0.0, ..Settings::default() };
        terrain.map_mut(MapKind::Snow).fill(0.01);
        let colours = |terrain: &Terrain, choice: &OverlayChoice| {
            let control = Control::default();
            GlobeTerrain::new(&Arc::new(terrain.clone()), &settings, (1e6, None), &grey(), choice, &control).unwrap()
        };
        let texel = |made: &GlobeTerrain, face: usize| made.colours[face].levels[0].bytes[4 * 40..4 * 40 + 3].to_vec();
        let snowy = colours(&terrain, &OverlayChoice::default());
        // the samples in the centres of the two polar faces
        let (north, south) = (texel(&snowy, 4), texel(&snowy, 5));
        assert!(north.iter().all(|byte| *byte > 220) && south == [9, 9, 9], "{north:?} {south:?}");
        let slope = OverlayChoice { overlay: Overlay::Slope, ..OverlayChoice::default() };
        let under_data = snowy.with_overlay(&slope, &Control::default()).unwrap();
        assert_eq!(texel(&under_data, 4), texel(&colours(&terrain, &slope), 4), "an overlay hides the detail");
        terrain.map_mut(MapKind::Snow).fill(1e-5);
        let dusted = texel(&colours(&terrain, &OverlayChoice::default()), 4);
        assert!(dusted.iter().all(|byte| *byte < 20), "a centimetre of snow hides almost no colour: {dusted:?}");
    }

    #[test]
    fn the_eye_stands_over_the_ground_as_drawn() {
        let terrain = globe(33, |d| 0.4 + 0.3 * (5.0 * d[0]).sin() * d[1]);
        let settings = Settings { relief_metres: 9000.0, sea_level: -20_000.0, ..Settings::default() };
        let control = Control::default();
        let prepared =
            GlobeTerrain::new(&terrain, &settings, (6.371e6, None), &grey(), &OverlayChoice::default(), &control)
                .unwrap();
        let view = GlobeView::default();
        let times = |radius: f64| prepared.exaggeration(&view, radius);
        assert!(times(6.371e6 + 9000.0) < 1.01 && times(2e7) > 0.95 * f64::from(view.exaggeration));
        for direction in [DVec3::new(0.3, 0.5, 0.2).normalize(), DVec3::Z, DVec3::new(-1.0, 1.0, 0.01).normalize()] {
            for height in [15.0, 500.0, 50_000.0, 5e6] {
                let radius = prepared.stand(direction, height, &view, true);
                let over = radius - prepared.ground_from(&view, direction * radius, true).surface(direction);
                assert!(
                    (over - height).abs() < 1e-3 * height,
                    "the eye is {over} m over the surface instead of {height} m"
                );
                let pose = GlobePose::straight_down(direction, radius);
                assert_eq!(prepared.confine(&pose, &view, true).radius, radius);
                let sunk = prepared.confine(&GlobePose::straight_down(direction, 6.3e6), &view, true);
                let ground = prepared.ground_from(&view, sunk.eye(), true);
                assert!(sunk.radius > ground.surface(direction), "the eye is below the surface");
            }
        }
    }

    #[test]
    fn extreme_heights_are_safe_and_preparation_is_cancellable() {
        let odd = [f64::NAN, f64::INFINITY, -1e30, 1e30];
        let terrain = globe(9, |d| odd[((d[0] + 2.0) * 40.0) as usize % 4]);
        let settings = Settings::default();
        let prepared = GlobeTerrain::new(
            &terrain,
            &settings,
            (1e6, None),
            &grey(),
            &OverlayChoice::default(),
            &Control::default(),
        );
        assert_eq!(prepared.unwrap().shape.len(), FACES);
        let control = Control::default();
        control.cancel();
        assert!(
            GlobeTerrain::new(&terrain, &settings, (1e6, None), &grey(), &OverlayChoice::default(), &control).is_err()
        );
    }
}
