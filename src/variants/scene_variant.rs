//! Variants of a scene: other seeds, one varied parameter, two varied parameters in a table, and the previews next to a
//! slider. Each variant is a whole scene that can replace the original. The thumbnail of a variant is evaluated at a
//! small size.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::param_ref::{ParamRef, VariantError};
use crate::appearance::{PaletteTable, RgbImage, scene_image};
use crate::eval::{Cache, Store, Timeline, evaluate};
use crate::field::{Cancelled, Control, Terrain};
use crate::measure::slopes;
use crate::param::{Preset, Value};
use crate::scene::{Layer, Scene};

/// A variant of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneVariant {
    /// The whole scene with the changed values.
    pub scene: Scene,
    /// Short description of the changes.
    pub caption: String,
    /// The changed values, without the names of parameters.
    pub short: String,
    /// The changed parameters, each with its value in this variant; empty for presets.
    pub changes: Vec<(ParamRef, Value)>,
    /// Arguments of `--set` that make this variant from the original scene.
    pub assignments: Vec<String>,
}

impl SceneVariant {
    fn with_values(scene: &Scene, turns: &[(&ParamRef, &Value)]) -> Result<Self, VariantError> {
        let mut made = scene.clone();
        for (param_ref, value) in turns {
            made = param_ref.with_value(&made, value)?;
        }
        let joined = |says: &dyn Fn(&ParamRef, &Value) -> String| {
            turns.iter().map(|(param_ref, value)| says(param_ref, value)).collect::<Vec<_>>().join(", ")
        };
        Ok(Self {
            scene: made,
            caption: joined(&|param_ref, value| format!("{} {}", param_ref.spec().label, param_ref.shown(value))),
            short: joined(&|param_ref, value| param_ref.shown(value)),
            changes: turns.iter().map(|(param_ref, value)| (**param_ref, (*value).clone())).collect(),
            assignments: turns.iter().map(|(param_ref, value)| param_ref.assignment(value)).collect(),
        })
    }
}

/// Variants with `count` consecutive seeds, starting from the scene's own.
pub fn seeds(scene: &Scene, count: usize) -> Result<Vec<SceneVariant>, VariantError> {
    let param_ref = ParamRef::find(scene, None, "seed")?;
    let seeds = (0..count as u32).map(|k| Value::Int(i64::from(scene.settings.seed.wrapping_add(k))));
    seeds.map(|seed| SceneVariant::with_values(scene, &[(&param_ref, &seed)])).collect()
}

/// One variant for every preset of a layer's node.
pub fn presets(scene: &Scene, layer: usize) -> Result<Vec<SceneVariant>, VariantError> {
    let Layer { name, node, .. } = &scene.layers[layer];
    let known = &node.about().presets;
    if known.is_empty() {
        return Err(VariantError::NoPresets(name.clone()));
    }
    let adopting = |preset: &Preset| {
        let mut made = scene.clone();
        made.layers[layer].node.adopt(preset);
        SceneVariant {
            scene: made,
            caption: preset.label.into(),
            short: preset.label.into(),
            changes: Vec::new(),
            assignments: vec![format!("{}.preset={}", layer + 1, preset.name)],
        }
    };
    Ok(known.iter().map(adopting).collect())
}

/// A parameter, and the values to which it is set one after the other.
#[derive(Clone, Debug)]
pub struct VariantSweep {
    /// The parameter to vary.
    pub param_ref: ParamRef,
    /// The values, in order.
    pub values: Vec<Value>,
}

impl VariantSweep {
    /// A sweep of at most `count` values over the slider's range, or over `range`.
    pub fn new(param_ref: ParamRef, range: Option<(f64, f64)>, count: usize) -> Result<Self, VariantError> {
        Ok(Self { values: param_ref.values(range, count)?, param_ref })
    }

    /// A sweep of the parameter over the given `values`.
    ///
    /// # Errors
    /// When a value is given twice.
    pub fn listed(param_ref: ParamRef, values: Vec<Value>) -> Result<Self, VariantError> {
        match values.iter().enumerate().find(|(k, value)| values[..*k].contains(value)) {
            Some((_, value)) => Err(VariantError::SameValue(param_ref.spec().name, param_ref.spec().show(value))),
            None => Ok(Self { param_ref, values }),
        }
    }
}

/// One variant of the scene for each value of the sweep.
pub fn sweep(scene: &Scene, sweep: &VariantSweep) -> Result<Vec<SceneVariant>, VariantError> {
    sweep.values.iter().map(|value| SceneVariant::with_values(scene, &[(&sweep.param_ref, value)])).collect()
}

/// Variants with all pairs of values of two sweeps, row by row: `across` changes from column to column, `down` from row
/// to row.
pub fn table(scene: &Scene, across: &VariantSweep, down: &VariantSweep) -> Result<Vec<SceneVariant>, VariantError> {
    if across.param_ref.is_same(&down.param_ref) {
        return Err(VariantError::Twice(across.param_ref.spec().name));
    }
    let pairs = down.values.iter().flat_map(|d| across.values.iter().map(move |a| (a, d)));
    pairs.map(|(a, d)| SceneVariant::with_values(scene, &[(&across.param_ref, a), (&down.param_ref, d)])).collect()
}

/// Maximum number of variants in one batch.
pub const MOST_VARIANTS: usize = 1000;

/// Variants with all combinations of the values of `sweeps`; the last sweep changes fastest. Without sweeps, the only
/// variant is the scene itself.
///
/// # Errors
/// When two sweeps vary the same parameter, or there would be more than [`MOST_VARIANTS`] variants.
pub fn combinations(scene: &Scene, sweeps: &[VariantSweep]) -> Result<Vec<SceneVariant>, VariantError> {
    for (k, sweep) in sweeps.iter().enumerate() {
        if sweeps[..k].iter().any(|other| other.param_ref.is_same(&sweep.param_ref)) {
            return Err(VariantError::Twice(sweep.param_ref.spec().name));
        }
    }
    let count = sweeps.iter().fold(1u64, |count, sweep| count.saturating_mul(sweep.values.len() as u64));
    if count > MOST_VARIANTS as u64 {
        return Err(VariantError::TooMany(count));
    }
    let variant = |number: usize| {
        let (mut left, mut turns) = (number, Vec::new());
        for sweep in sweeps.iter().rev() {
            turns.push((&sweep.param_ref, &sweep.values[left % sweep.values.len()]));
            left /= sweep.values.len();
        }
        turns.reverse();
        SceneVariant::with_values(scene, &turns)
    };
    (0..count as usize).map(variant).collect()
}

/// Variants on both sides of a slider's current value, the nearest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VariantNeighbours {
    /// Variants with lower values.
    pub lower: Vec<SceneVariant>,
    /// Variants with higher values.
    pub higher: Vec<SceneVariant>,
}

/// At most `steps` variants with lower and with higher values of one parameter. The parameter is one of a layer or of
/// the scene's settings.
pub fn neighbours(
    scene: &Scene,
    layer: Option<usize>,
    parameter: &str,
    steps: usize,
) -> Result<VariantNeighbours, VariantError> {
    let param_ref = ParamRef::find(scene, layer, parameter)?;
    let [lower, higher] = param_ref.neighbours(scene, steps)?;
    let one = |values| sweep(scene, &VariantSweep { param_ref, values });
    Ok(VariantNeighbours { lower: one(lower)?, higher: one(higher)? })
}

/// Size of thumbnails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Samples per side of the evaluated terrain.
    pub samples: usize,
    /// Side length of the image in pixels.
    pub pixels: usize,
}

impl Default for Size {
    fn default() -> Self {
        Self { samples: 129, pixels: 160 }
    }
}

/// Key figures of a terrain at the size of a thumbnail.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyFigures {
    /// Erosion score (Olsen 2004).
    pub erosion_score: f64,
    /// Mean slope in degrees. For every sample, the greatest height difference to a neighbour is measured. The mean of
    /// these differences, divided by the cell size, is the tangent of this angle.
    pub mean_slope_degrees: f64,
    /// Lowest height, in metres.
    pub min_metres: f64,
    /// Greatest height, in metres.
    pub max_metres: f64,
}

impl KeyFigures {
    /// Measures `terrain` with the scale of `scene`.
    pub fn measure(terrain: &Terrain, scene: &Scene) -> Self {
        let settings = &scene.settings;
        let (low, high) = terrain.range();
        let metres = f64::from(settings.relief_metres);
        let slopes = slopes(terrain);
        // on a planet, the side length is the side length of a face
        let cell_metres = f64::from(scene.side_metres()) * f64::from(terrain.grid.cell());
        Self {
            erosion_score: slopes.erosion_score(),
            mean_slope_degrees: libm::atan(slopes.mean * metres / cell_metres).to_degrees(),
            min_metres: f64::from(low) * metres,
            max_metres: f64::from(high) * metres,
        }
    }
}

/// The thumbnail of a variant: an image and key figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Thumbnail {
    /// The relief image.
    pub image: RgbImage,
    /// Key figures of the terrain.
    pub key_figures: KeyFigures,
}

/// Cache size for the evaluations of one batch, in bytes: layers below a varied layer are then computed only once.
pub const STORE_BYTES: usize = 64 << 20;

/// Draws the thumbnail of one scene.
pub fn draw(scene: &Scene, size: Size, store: &mut Store, control: &Control) -> Result<Thumbnail, Cancelled> {
    let terrain = evaluate(scene, size.samples, None, store, control)?.terrain;
    control.check()?;
    let image = scene_image(scene, &terrain, &PaletteTable::for_scene(scene), [size.pixels; 2], control)?;
    Ok(Thumbnail { image, key_figures: KeyFigures::measure(&terrain, scene) })
}

/// Draws `variants` in parallel on the current thread pool, and passes each thumbnail with its index to `done` as soon
/// as it is ready. The order does not affect the thumbnails.
///
/// # Errors
/// [`Cancelled`] when the caller cancelled `control`; thumbnails already passed to `done` stay valid.
pub fn draw_all(
    variants: &[(usize, SceneVariant)],
    size: Size,
    control: &Control,
    done: &(dyn Fn(usize, Thumbnail) + Sync),
) -> Result<(), Cancelled> {
    let stores: Mutex<Vec<Store>> = Mutex::default();
    let lock = || stores.lock().unwrap_or_else(PoisonError::into_inner);
    variants.par_iter().with_max_len(1).try_for_each(|(index, variant)| {
        let kept = lock().pop();
        let mut store = kept.unwrap_or_else(|| Store::new(Cache::new(STORE_BYTES), Timeline::new(0)));
        let drawn = draw(&variant.scene, size, &mut store, control);
        lock().push(store);
        done(*index, drawn?);
        Ok(())
    })
}
