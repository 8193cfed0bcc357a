//! Layer masks. Every active condition of a mask gives a weight from 0 to 1, and the weights are multiplied.

use std::collections::HashMap;
use std::sync::Arc;

use super::level::{LevelTask, SharedSource};
use super::{Store, StrokedFields, context, evaluate};
use crate::field::globe::equirectangular;
use crate::field::{
    Cancelled, Control, Globe, Grid, MapKind, Terrain, globe_slope_degrees, slope_degrees, smooth_step,
};
use crate::io::formats::ReadOptions;
use crate::mesh::raster_or_mesh;
use crate::nodes::filters::gauss;
use crate::nodes::generators::gradient_noise::GradientNoise;
use crate::nodes::generators::octaves::{self, NoiseFade, Octaves};
use crate::nodes::generators::warp::DomainWarp;
use crate::nodes::{Context, ReadTerrain, Reads};
use crate::scene::{LayerReader, Mask, ReferenceSource, Scene, TerrainAttribute};
use crate::terrain_attributes::{attribute_field, drainage};

/// Octaves of the noise that scatters patches.
const NOISE_OCTAVES: u32 = 5;
/// Salt that makes the patch noise differ from the random values of the layer's node.
const NOISE_SALT: u64 = 0x6d61_736b;
/// Maximum number of noise patches along a side of the terrain.
const MOST_PATCHES: f32 = 8192.0;

/// The weights of a layer's mask.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerMask {
    /// Index of the layer.
    pub layer: usize,
    /// The grid of the weights.
    pub grid: Grid,
    /// Weights from 0 to 1 at every sample; all weights are 1 if the layer has no mask.
    pub weights: Vec<f32>,
}

/// The mask weights of layer `index` at every sample.
///
/// # Errors
/// If the evaluation was cancelled.
pub fn layer_mask(
    scene: &Scene,
    index: usize,
    samples: usize,
    store: &mut Store,
    control: &Control,
) -> Result<LayerMask, Cancelled> {
    let beneath = evaluate(&scene_beneath(scene, index), samples, None, store, control)?.terrain;
    let source =
        LevelTask::whole(scene, samples, control).read(LayerReader::Mask(index), &mut HashMap::new(), store)?;
    let layer = &scene.layers[index];
    let cx = context(scene, samples, layer, control);
    let source = source.as_ref().map(SharedSource::as_read);
    let known = MaskFields::of_terrain(scene, &layer.mask, &beneath, control)?;
    let weights = weights(&cx, &layer.mask, &beneath, source, &mut store.strokes, known)?;
    Ok(LayerMask { layer: index, grid: cx.grid, weights })
}

/// The scene without layer `index`, the layers it contains, and all layers above.
pub(super) fn scene_beneath(scene: &Scene, index: usize) -> Scene {
    let mut below = scene.clone();
    below.hide_from(index);
    below
}

/// The scene without the layers above layer `index`.
pub(super) fn scene_up_to(scene: &Scene, index: usize) -> Scene {
    let mut lower = scene.clone();
    lower.hide_above(index);
    lower
}

/// The terrain that `reader` reads, as a scene to evaluate. `None` if the reference is not set or cannot be read; the
/// scene reports that as a problem.
pub(super) fn readable_source(scene: &Scene, reader: LayerReader) -> Option<ReferenceSource> {
    scene.source(reader).ok().flatten()
}

/// Fields of a mask that are already known.
#[derive(Debug, Default)]
pub struct MaskFields {
    /// The heights below the layer, smoothed for the mask's curvature condition.
    pub heights: Option<Vec<f32>>,
    /// The blurred weights of the mask.
    pub weights: Option<Vec<f32>>,
    /// The attribute of the terrain below that the mask reads, in the attribute's unit.
    pub attribute: Option<Vec<f32>>,
    /// The flow that follows from the heights below, if the mask reads the flow and no layer wrote it.
    pub flow: Option<Arc<Vec<f32>>>,
}

impl MaskFields {
    /// The attribute and the flow that `mask` reads of the terrain below a layer of `scene`. In a window of a larger
    /// terrain, the attribute must depend on neighbours only, and a layer must have written the flow.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn of_terrain(scene: &Scene, mask: &Mask, beneath: &Terrain, control: &Control) -> Result<Self, Cancelled> {
        let attribute = mask.attribute_read().filter(|attribute| attribute.fits(scene.settings.world));
        let attribute = attribute.map(|attribute| attribute_field(scene, beneath, attribute, control)).transpose()?;
        let needs_flow = mask.by_data && mask.data == MapKind::Flow && beneath.map(MapKind::Flow).is_none();
        let flow = needs_flow.then(|| drainage::flow(scene, beneath, control)).transpose()?;
        Ok(Self { attribute, flow, ..Self::default() })
    }
}

/// The mask weights at every sample, from 0 to 1. `source` is the result of the layer that the mask reads.
pub fn weights(
    cx: &Context,
    mask: &Mask,
    beneath: &Terrain,
    source: Option<ReadTerrain>,
    strokes: &mut StrokedFields,
    mut known: MaskFields,
) -> Result<Vec<f32>, Cancelled> {
    let mut weights = match known.weights.take() {
        Some(softened) => softened,
        None => {
            let sharp = sharp_weights(cx, mask, beneath, source, strokes, known)?;
            if mask.soften_metres > 0.0 { gauss::smoothed(cx, &sharp, mask.soften_metres)? } else { sharp }
        }
    };
    if mask.invert {
        cx.rows(&mut weights, |_, row| row.iter_mut().for_each(|w| *w = 1.0 - *w))?;
    }
    Ok(weights)
}

/// The product of the weights of all conditions of the mask, before blurring and inverting.
pub fn sharp_weights(
    cx: &Context,
    mask: &Mask,
    beneath: &Terrain,
    source: Option<ReadTerrain>,
    strokes: &mut StrokedFields,
    known: MaskFields,
) -> Result<Vec<f32>, Cancelled> {
    let grid = cx.grid;
    let mut weights = vec![1.0; grid.len()];
    // Multiplies the weights by a function of sample index, row and column.
    let mut narrow = |weight: &(dyn Fn(usize, usize, usize) -> f32 + Sync)| {
        cx.rows(&mut weights, |i, row| {
            row.iter_mut().enumerate().for_each(|(j, w)| *w *= weight(i * grid.samples + j, i, j));
        })
    };
    if mask.by_height {
        let to_metres = cx.relief_metres;
        let between = FeatherBand::new(mask.height_from, mask.height_to, mask.height_feather);
        narrow(&|k, _, _| between.weight(beneath.height[k] * to_metres))?;
    }
    if mask.by_slope {
        let relief_over_size = cx.relief_metres / cx.size_metres;
        let between = FeatherBand::new(mask.slope_from, mask.slope_to, mask.slope_feather);
        if let Some(planet) = cx.planet {
            let globe = Globe::new(grid.samples);
            let steepness = cx.relief_metres / planet.radius_metres;
            narrow(&|k, _, _| between.weight(globe_slope_degrees(&globe, &beneath.height, k, steepness)))?;
        } else {
            narrow(&|_, i, j| between.weight(slope_degrees(grid, &beneath.height, i, j, relief_over_size)))?;
        }
    }
    if mask.by_curvature {
        let around = known.heights.map_or_else(|| gauss::smoothed(cx, &beneath.height, mask.curvature_metres), Ok)?;
        let between = FeatherBand::new(mask.curvature_from, mask.curvature_to, mask.curvature_feather);
        narrow(&|k, _, _| between.weight((beneath.height[k] - around[k]) * cx.relief_metres))?;
    }
    if let (Some(attribute), Some(values)) = (mask.attribute_read(), &known.attribute) {
        let (_, scale) = attribute.shown_unit();
        let between = FeatherBand::new(mask.attribute_from, mask.attribute_to, mask.attribute_feather);
        match attribute {
            TerrainAttribute::Aspect => narrow(&|k, _, _| between.weight_of_aspect(values[k]))?,
            _ => narrow(&|k, _, _| between.weight(values[k] * scale))?,
        }
    }
    if mask.by_noise {
        let noise = uniform_noise(cx, mask)?;
        let between = FeatherBand::new(1.0 - mask.noise_cover, f32::MAX, mask.noise_feather);
        // With a cover of 0, no sample passes, not even the sample with the highest noise value.
        narrow(&|k, _, _| if mask.noise_cover > 0.0 { between.weight(noise[k]) } else { 0.0 })?;
    }
    if mask.by_image
        && let Ok(image) = raster_or_mesh(&mask.image.0, ReadOptions::default())
    {
        let (distinct, globe) = (grid.distinct_side(), grid.shape());
        narrow(&|k, i, j| {
            let [u, v] = match &globe {
                Some(globe) => equirectangular(globe.direction_of(k).map(f64::from)).map(|x| x as f32),
                None => [grid.column_position(j % distinct), grid.row_position(i % distinct)],
            };
            image.bilinear(u, v).clamp(0.0, 1.0)
        })?;
    }
    if mask.by_layer
        && let Some(source) = source
    {
        let between = FeatherBand::new(mask.layer_from, mask.layer_to, mask.layer_feather);
        let read = source.values(mask.layer_reads, mask.layer_data);
        narrow(&|k, _, _| between.weight(read.value(k)))?;
    }
    if let Some(flow) = known.flow {
        let between = FeatherBand::new(mask.data_from, mask.data_to, mask.data_feather);
        narrow(&|k, _, _| between.weight(flow[k]))?;
    } else if mask.by_data && (beneath.map(mask.data).is_some() || mask.data.neutral() != 0.0) {
        // If no layer below made the map, the condition is ignored, as is the condition on a missing file.
        let between = FeatherBand::new(mask.data_from, mask.data_to, mask.data_feather);
        let below = ReadTerrain { terrain: beneath, relief_metres: cx.relief_metres };
        let read = below.values(Reads::Data, mask.data);
        narrow(&|k, _, _| between.weight(read.value(k)))?;
    }
    // Strokes exist on square terrain only.
    if mask.by_paint && !grid.is_globe() {
        let painted = strokes.mask(cx, mask.unpainted, &mask.painted)?;
        narrow(&|k, _, _| painted[k])?;
    }
    Ok(weights)
}

/// fBm noise with uniformly distributed values in [0, 1], so that a threshold always covers the same fraction of the
/// terrain.
fn uniform_noise(cx: &Context, mask: &Mask) -> Result<Vec<f32>, Cancelled> {
    let law = Octaves {
        count: NOISE_OCTAVES,
        frequency: (cx.size_metres / mask.noise_metres).clamp(0.1, MOST_PATCHES),
        lacunarity: 2.0,
        offset: [0.0; 2],
    };
    let random = cx.random.fork(NOISE_SALT).fork(u64::from(mask.noise_seed));
    let weights = octaves::weights(NOISE_OCTAVES, 0.5, 1.0);
    let mut noise = vec![0.0; cx.grid.len()];
    GradientNoise::new(cx.grid, random, &law, NoiseFade::Improved, DomainWarp::NONE)
        .sum(cx, 0.0, &weights, &mut noise)?;
    // The sum of several octaves is close to a normal distribution, whose cumulative distribution function makes it
    // uniform.
    cx.rows(&mut noise, |_, row| {
        row.iter_mut()
            .for_each(|n| *n = 0.5 * (1.0 + libm::erff(*n * (std::f32::consts::FRAC_1_SQRT_2 / NOISE_DEVIATION))));
    })?;
    Ok(noise)
}

/// Measured standard deviation of the noise of [`octaves::weights`] at amplitude 1.
const NOISE_DEVIATION: f32 = 0.154;

/// A weight function: 1 between two values, falling smoothly to 0 over `feather` outside them.
struct FeatherBand {
    from: f32,
    to: f32,
    feather: f32,
}

impl FeatherBand {
    fn new(from: f32, to: f32, feather: f32) -> Self {
        Self { from, to, feather }
    }

    fn weight(&self, value: f32) -> f32 {
        self.weight_outside((self.from - value).max(value - self.to).max(0.0))
    }

    /// The weight of an aspect in degrees. The band runs clockwise from `from` to `to`, also across north. Level
    /// ground, which has no aspect (-1), has the weight 0.
    fn weight_of_aspect(&self, degrees: f32) -> f32 {
        if degrees < 0.0 {
            return 0.0;
        }
        let turned = |degrees: f32| degrees - 360.0 * libm::floorf(degrees / 360.0);
        let width = if self.to - self.from >= 360.0 { 360.0 } else { turned(self.to - self.from) };
        let after = turned(degrees - self.from) - width;
        self.weight_outside(after.min(360.0 - width - after).max(0.0))
    }

    /// The weight at a distance outside the band.
    fn weight_outside(&self, outside: f32) -> f32 {
        if outside == 0.0 {
            return 1.0;
        }
        if outside >= self.feather {
            return 0.0;
        }
        let t = 1.0 - outside / self.feather;
        smooth_step(t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Control, Edges, Grid, Stream};
    use crate::param::ImageFile;

    fn made(mask: &Mask, beneath: &Terrain, source: Option<&Terrain>) -> Vec<f32> {
        let control = Control::default();
        let cx = Context {
            grid: beneath.grid,
            size_metres: 8000.0,
            relief_metres: 1000.0,
            sea_level: 0.0,
            planet: None,
            scene_samples: beneath.samples(),
            cell_ratio: 1.0,
            voids: Default::default(),
            random: Stream::new(1, 1),
            control: &control,
        };
        let source = source.map(|terrain| ReadTerrain { terrain, relief_metres: cx.relief_metres });
        weights(&cx, mask, beneath, source, &mut StrokedFields::default(), MaskFields::default()).unwrap()
    }

    #[test]
    fn a_band_is_one_inside_and_fades_outside() {
        let band = |value: f32| FeatherBand::new(0.0, 10.0, 2.0).weight(value);
        assert_eq!([5.0, 11.0, 12.0, -1.0].map(band), [1.0, 0.5, 0.0, 0.5]);
        assert_eq!(FeatherBand::new(0.0, 10.0, 0.0).weight(-0.1), 0.0);
    }

    #[test]
    fn an_aspect_band_crosses_north() {
        let weight = |from: f32, to: f32, degrees: f32| FeatherBand::new(from, to, 20.0).weight_of_aspect(degrees);
        assert_eq!(
            [350.0, 0.0, 45.0, 55.0, 65.0, 180.0].map(|d| weight(315.0, 45.0, d)),
            [1.0, 1.0, 1.0, 0.5, 0.0, 0.0]
        );
        assert_eq!([305.0, 290.0].map(|d| weight(315.0, 45.0, d)), [0.5, 0.0]);
        assert_eq!([0.0, 90.0, 135.0, 145.0].map(|d| weight(90.0, 135.0, d)), [0.0, 1.0, 1.0, 0.5]);
        assert_eq!([weight(0.0, 360.0, 12.0), weight(-1e6, 1e9, 359.0)], [1.0, 1.0]);
        assert_eq!(weight(0.0, 360.0, -1.0), 0.0, "level ground has no aspect");
    }

    #[test]
    fn noise_covers_the_requested_share() {
        let flat = Terrain::flat(Grid::new(513, Edges::Open));
        for cover in [0.0, 0.2, 0.5, 0.9, 1.0] {
            let mask =
                Mask { by_noise: true, noise_cover: cover, noise_feather: 0.0, noise_metres: 200.0, ..Mask::default() };
            let covered =
                made(&mask, &flat, None).iter().filter(|&&w| w > 0.5).count() as f32 / flat.height.len() as f32;
            assert!((covered - cover).abs() < 0.02, "{covered} for {cover}");
        }
    }

    #[test]
    fn curvature_distinguishes_ridges_from_valleys() {
        let wave = Terrain::from_fn(257, Edges::Open, |u, _| 0.1 * libm::sinf(u * 4.0 * std::f32::consts::TAU));
        let ridges = Mask { by_curvature: true, curvature_metres: 800.0, ..Mask::default() };
        let valleys = Mask { curvature_from: -1e5, curvature_to: -10.0, ..ridges.clone() };
        let (ridges, valleys) = (made(&ridges, &wave, None), made(&valleys, &wave, None));
        // The crest of the second wave and the trough after it, away from the edges.
        let (crest, trough) = (128 * 257 + 80, 128 * 257 + 112);
        assert_eq!((ridges[crest], ridges[trough], valleys[crest], valleys[trough]), (1.0, 0.0, 0.0, 1.0));
    }

    #[test]
    fn a_mask_picture_is_stretched_and_softening_blurs_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("half.r16");
        std::fs::write(&path, [[0u8, 0], [255, 255], [0, 0], [255, 255]].concat()).unwrap();
        let image = ImageFile(path.to_str().unwrap().into());
        let mask = Mask { by_image: true, image, ..Mask::default() };
        let flat = Terrain::flat(Grid::new(65, Edges::Open));
        let sharp = made(&mask, &flat, None);
        assert_eq!((sharp[0], sharp[32], sharp[64]), (0.0, 0.5, 1.0));
        let soft = made(&Mask { soften_metres: 2000.0, ..mask.clone() }, &flat, None);
        assert!(soft[0] > 0.05 && soft[64] < 0.95);
        let inverted = made(&Mask { invert: true, ..mask }, &flat, None);
        assert_eq!((inverted[0], inverted[64]), (1.0, 0.0));
    }

    #[test]
    fn data_maps_are_read_in_their_units() {
        let mut beneath = Terrain::flat(Grid::new(2, Edges::Open));
        beneath.map_mut(MapKind::Wear).copy_from_slice(&[0.0, 0.001, 0.002, 0.003]);
        let mask = Mask { by_data: true, data: MapKind::Wear, data_from: 1.5, ..Mask::default() };
        assert_eq!(made(&mask, &beneath, None), [0.0, 0.0, 1.0, 1.0]);
        let none = Mask { by_data: true, data: MapKind::Flow, data_from: 1.5, ..Mask::default() };
        assert_eq!(made(&none, &beneath, None), [1.0; 4]);
        // A missing map has its neutral value everywhere: without a rain map, the rain is 1.
        let rain = Mask { by_data: true, data: MapKind::Rain, data_from: 0.9, ..Mask::default() };
        assert_eq!(made(&rain, &beneath, None), [1.0; 4]);
        let source = Terrain::from_fn(2, Edges::Open, |u, _| u);
        let layer = Mask { by_layer: true, layer_from: 900.0, ..Mask::default() };
        assert_eq!(made(&layer, &beneath, Some(&source)), [0.0, 1.0, 0.0, 1.0]);
    }
}
