//! A layer: a node, its blend with the terrain below, and its mask.

use std::sync::Arc;

use super::terrain_attribute::{AttributeReach, TerrainAttribute};
use crate::brush::Strokes;
use crate::field::MapKind;
use crate::nodes::multiscale::{LargestScale, Level};
use crate::nodes::{LayerReference, MultiScale, Node, Process, Reads};
use crate::param::{ImageFile, LayerName, SceneFile};

crate::choices! {
    /// How a generator combines with the terrain below.
    Blend {
        Replace "Replace": "Replaces the terrain below.",
        Add "Add": "Adds the layer's height.",
        Subtract "Subtract": "Subtracts the layer's height.",
        Multiply "Multiply": "Multiplies the two heights: low areas stay low.",
        Min "Lowest": "Keeps the lower of the two heights.",
        Max "Highest": "Keeps the higher of the two heights.",
        SmoothMin "Lowest, smooth": "Keeps the lower of the two heights and rounds the seam.",
        SmoothMax "Highest, smooth": "Keeps the higher of the two heights and rounds the seam.",
    }
}

crate::params! {
    /// How the layer blends with the terrain below: out = below + (layer - below) · opacity · mask.
    Mix "Mix" in "Layer" {
        /// How a generator combines with the terrain below; filters and erosions change that terrain directly and
        /// ignore this.
        blend: Blend = Blend::Replace;
        /// Strength of the layer in the result: 0 has no effect, 1 is the full effect.
        opacity: f32 ["share"] = 1.0, 0.0..=1.0;
        /// Width of the rounded seam of the smooth blends, as a fraction of the relief: higher is rounder.
        smoothness: f32 ["share"] = 0.1, 0.0..=1.0, slider 0.0..=0.5;
    }
}

crate::params! {
    /// Where the layer acts. Every active condition narrows the area; all conditions measure the terrain below the
    /// layer.
    Mask "Mask" in "Layer" {
        /// Limits the layer to a range of heights.
        by_height: bool = false;
        /// Lowest height with the full effect.
        height_from: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=4000.0 => |mask| mask.by_height;
        /// Highest height with the full effect.
        height_to: f32 ["m"] = 1000.0, -100_000.0..=100_000.0, slider -500.0..=4000.0 => |mask| mask.by_height;
        /// Height difference over which the layer fades out beyond the two heights.
        height_feather: f32 ["m"] = 100.0, 0.0..=100_000.0, slider 0.0..=1000.0 => |mask| mask.by_height;
        /// Limits the layer to a range of slopes.
        by_slope: bool = false;
        /// Gentlest slope with the full effect.
        slope_from: f32 ["°"] = 0.0, 0.0..=90.0 => |mask| mask.by_slope;
        /// Steepest slope with the full effect.
        slope_to: f32 ["°"] = 30.0, 0.0..=90.0 => |mask| mask.by_slope;
        /// Angle over which the layer fades out beyond the two slopes.
        slope_feather: f32 ["°"] = 5.0, 0.0..=90.0, slider 0.0..=30.0 => |mask| mask.by_slope;
        /// Limits the layer to ridges, valleys or the slopes between them, by the height of the terrain above its
        /// surroundings.
        by_curvature: bool = false;
        /// Width of the surroundings: small finds sharp crests and gullies, large finds whole ranges and valleys.
        curvature_metres: f32 ["m"] = 250.0, 1.0..=100_000.0, slider 20.0..=2000.0 => |mask| mask.by_curvature;
        /// Least height above the surroundings with the full effect; negative values are valleys.
        curvature_from: f32 ["m"] = 10.0, -100_000.0..=100_000.0, slider -200.0..=200.0 => |mask| mask.by_curvature;
        /// Greatest height above the surroundings with the full effect.
        curvature_to: f32 ["m"] = 100_000.0, -100_000.0..=100_000.0, slider -200.0..=200.0 => |mask| mask.by_curvature;
        /// Height difference over which the layer fades out beyond these two limits.
        curvature_feather: f32 ["m"] = 10.0, 0.0..=100_000.0, slider 0.0..=100.0 => |mask| mask.by_curvature;
        /// Limits the layer by a map that follows from the heights of the terrain below, such as wetness, aspect or
        /// sunshine.
        by_attribute: bool = false;
        /// The map to read. Curvatures are in 1/km, drainage areas in km², sunshine in hours, angles in degrees.
        attribute: TerrainAttribute = TerrainAttribute::Wetness => |mask| mask.by_attribute;
        /// Lowest value with the full effect, in the unit of the map. An aspect from 300° to 60° crosses north.
        attribute_from: f32 = 8.0, -1.0e6..=1.0e9, slider -40.0..=360.0 => |mask| mask.by_attribute;
        /// Highest value with the full effect, in the unit of the map.
        attribute_to: f32 = 1.0e9, -1.0e6..=1.0e9, slider -40.0..=360.0 => |mask| mask.by_attribute;
        /// Range over which the layer fades out beyond the two values.
        attribute_feather: f32 = 0.0, 0.0..=1.0e9, slider 0.0..=90.0 => |mask| mask.by_attribute;
        /// Limits the layer to random patches.
        by_noise: bool = false;
        /// Size of the patches.
        noise_metres: f32 ["m"] = 1500.0, 1.0..=1_000_000.0, slider 50.0..=8000.0 => |mask| mask.by_noise;
        /// Fraction of the terrain that the patches cover.
        noise_cover: f32 ["share"] = 0.5, 0.0..=1.0 => |mask| mask.by_noise;
        /// Softness of the patch edges: 0 is sharp.
        noise_feather: f32 ["share"] = 0.2, 0.0..=1.0 => |mask| mask.by_noise;
        /// Changes the pattern of the patches.
        noise_seed: u32 = 1, 0..=u32::MAX, slider 0..=99 => |mask| mask.by_noise;
        /// Limits the layer to the bright parts of an image.
        by_image: bool = false;
        /// The image, stretched over the terrain: white gives the full effect, black none.
        image: ImageFile = ImageFile::default() => |mask| mask.by_image;
        /// Limits the layer by the result of another layer.
        by_layer: bool = false;
        /// The layer, group or branch to read; it may be hidden. A generator is read alone, another layer together with
        /// all layers under it. A layer above this one can be read if its result does not need this layer.
        layer: LayerName = LayerName::default() => |mask| mask.by_layer;
        /// Another scene file (.ron) that contains the layer. Without a layer, the finished terrain of that scene is
        /// read.
        layer_file: SceneFile = SceneFile::default() => |mask| mask.by_layer;
        /// The value of that layer to read.
        layer_reads: Reads = Reads::Height => |mask| mask.by_layer;
        /// The data map of that layer to read.
        layer_data: MapKind = MapKind::Flow => |mask| mask.by_layer && mask.layer_reads == Reads::Data;
        /// Lowest value with the full effect, in the unit of the value read.
        layer_from: f32 = 500.0, -100_000.0..=1.0e9, slider -500.0..=4000.0 => |mask| mask.by_layer;
        /// Highest value with the full effect, in the unit of the value read.
        layer_to: f32 = 1.0e9, -100_000.0..=1.0e9, slider -500.0..=4000.0 => |mask| mask.by_layer;
        /// Range over which the layer fades out beyond the two values.
        layer_feather: f32 = 100.0, 0.0..=1.0e9, slider 0.0..=1000.0 => |mask| mask.by_layer;
        /// Limits the layer by a data map of the layers below, such as flow or deposits. Without that map the layer
        /// acts everywhere; only the flow is computed from the heights instead.
        by_data: bool = false;
        /// The data map to read.
        data: MapKind = MapKind::Flow => |mask| mask.by_data;
        /// Lowest value with the full effect, in the unit of the map.
        data_from: f32 = 1.0, -100_000.0..=1.0e9, slider 0.0..=100.0 => |mask| mask.by_data;
        /// Highest value with the full effect, in the unit of the map.
        data_to: f32 = 1.0e9, -100_000.0..=1.0e9, slider 0.0..=100.0 => |mask| mask.by_data;
        /// Range over which the layer fades out beyond the two values.
        data_feather: f32 = 0.0, 0.0..=1.0e9, slider 0.0..=100.0 => |mask| mask.by_data;
        /// Limits the layer to areas painted with a brush.
        by_paint: bool = false;
        /// Strength of the layer where nothing is painted.
        unpainted: f32 ["share"] = 0.0, 0.0..=1.0 => |mask| mask.by_paint;
        /// The brush strokes in painting order: raising strengthens the layer, lowering weakens it.
        painted: Arc<Strokes> = Strokes::none() => |mask| mask.by_paint;
        /// Blurs the whole mask: its edges fade over this distance.
        soften_metres: f32 ["m"] = 0.0, 0.0..=100_000.0, slider 0.0..=500.0 => |mask| mask.is_active();
        /// Inverts the mask: the layer acts where it would not act otherwise.
        invert: bool = false => |mask| mask.is_active();
    }
}

impl Mask {
    /// Whether the mask can limit the layer at all.
    pub fn is_active(&self) -> bool {
        self.conditions().contains(&true) || self.invert
    }

    /// The value of another layer that the condition *by layer* reads.
    pub fn reference(&self) -> LayerReference<'_> {
        let Self { layer_file, layer, layer_reads, layer_data, .. } = self;
        LayerReference { file: &layer_file.0, layer: &layer.0, reads: *layer_reads, data: *layer_data }
    }

    /// For each condition of the mask, whether it is on.
    fn conditions(&self) -> [bool; 9] {
        let Self { by_height, by_slope, by_curvature, by_attribute, by_noise, .. } = self;
        let Self { by_image, by_layer, by_data, by_paint, .. } = self;
        [*by_height, *by_slope, *by_curvature, *by_attribute, *by_noise, *by_image, *by_layer, *by_data, *by_paint]
    }

    /// The attribute of the terrain below that the mask reads.
    pub fn attribute_read(&self) -> Option<TerrainAttribute> {
        self.by_attribute.then_some(self.attribute)
    }

    /// Whether the mask reads the flow of the terrain below: the map that a layer wrote, or the flow that follows from
    /// the heights.
    pub fn reads_flow(&self) -> bool {
        let drained = self.attribute_read().is_some_and(|attribute| attribute.reach() == AttributeReach::Drainage);
        drained || self.by_data && self.data == MapKind::Flow
    }
}

/// An earlier stage of a process, with the parameters that it had at that time.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamEpoch {
    /// The node of the process, with the parameters of that stage.
    pub node: Node,
    /// Length of the stage, in iterations at the scene's resolution.
    pub iterations: u32,
}

impl ParamEpoch {
    /// The epoch as a stage of a process; `None` if the node is not a process.
    fn stage(&self) -> Option<ProcessSegment<'_>> {
        Some(ProcessSegment { node: &self.node, process: self.node.as_process()?, iterations: self.iterations })
    }
}

/// A stage of a process during which the parameters do not change.
#[derive(Clone, Copy)]
pub struct ProcessSegment<'a> {
    /// The node, with the parameters of this stage.
    pub node: &'a Node,
    /// The node as a process.
    pub process: &'a dyn Process,
    /// Length of the stage in iterations.
    pub iterations: u32,
}

/// One layer of the stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Name of the layer in the layer list, for masks and for the command line.
    pub name: String,
    /// Whether the layer is shown.
    pub enabled: bool,
    /// Changes the layer's random values; layers with the same seed draw the same values.
    pub seed: u32,
    /// The operation of the layer, with its parameters.
    pub node: Node,
    /// Earlier stages of a process whose parameters changed while it ran, oldest first. `node` continues from the
    /// result of the last of these stages.
    pub epochs: Vec<ParamEpoch>,
    /// Number of the process that this layer is a branch of; 0 means that the layer is not a branch. Only one branch of
    /// a process is shown at a time.
    pub branch: u32,
    /// How the result of the layer is blended with the terrain below.
    pub mix: Mix,
    /// Where the layer acts.
    pub mask: Mask,
    /// A note that the user wrote about the layer; may be empty.
    pub note: String,
    /// Whether the layer is protected from accidental changes.
    pub locked: bool,
    /// Number of groups that contain the layer; see [`Scene::members`](super::Scene::members).
    pub depth: u32,
}

impl Layer {
    /// A layer named after its node, with all other properties at their defaults.
    pub fn new(node: Node, seed: u32) -> Self {
        Self {
            name: node.about().label.to_string(),
            enabled: true,
            seed,
            node,
            epochs: Vec::new(),
            branch: 0,
            mix: Mix::default(),
            mask: Mask::default(),
            note: String::new(),
            locked: false,
            depth: 0,
        }
    }

    /// Whether the mix is at its defaults and no mask is active.
    pub fn is_plain(&self) -> bool {
        self.mix == Mix::default() && !self.mask.is_active()
    }

    /// Whether the result of the layer replaces the terrain below completely.
    pub fn is_whole(&self) -> bool {
        self.mix.blend == Blend::Replace && self.mix.opacity == 1.0 && !self.mask.is_active()
    }

    /// The grids that a process runs on, from coarse to fine.
    pub fn multiscale(&self) -> MultiScale {
        self.node.as_process().map_or(MultiScale::ONE_GRID, Process::multiscale)
    }

    /// All stages of a process in order, each with its total iterations on the grids up to `samples`; the current
    /// parameters come last. On a single grid the last stage has its own number of iterations. Otherwise the last stage
    /// runs the iterations that the earlier stages leave. Returns an empty list if the node is not a process.
    pub fn stages(&self, samples: usize) -> Vec<ProcessSegment<'_>> {
        let Some(process) = self.node.as_process() else { return Vec::new() };
        let mut stages: Vec<_> = self.epochs.iter().filter_map(ParamEpoch::stage).collect();
        let mut iterations = process.iterations();
        if self.multiscale().largest != LargestScale::OneGrid {
            let all = self.multiscale().levels(iterations, samples);
            let all = all.iter().fold(0u32, |sum, level| sum.saturating_add(level.iterations));
            iterations = stages.iter().fold(all, |left, stage| left.saturating_sub(stage.iterations));
        }
        stages.push(ProcessSegment { node: &self.node, process, iterations });
        stages
    }

    /// The grids of a process up to `samples`, each with the stages that run on that grid and their iterations on that
    /// grid.
    pub fn levels(&self, samples: usize) -> Vec<(Level, Vec<ProcessSegment<'_>>)> {
        let Some(process) = self.node.as_process() else { return Vec::new() };
        let mut stages = self.stages(samples);
        let levels = self.multiscale().levels(process.iterations(), samples);
        if self.multiscale().largest == LargestScale::OneGrid {
            // On a single grid, every set of parameters has its own number of iterations.
            return levels.into_iter().map(|level| (level, stages.clone())).collect();
        }
        let stages_of = |level: Level| {
            let mut left = level.iterations;
            let mut here = Vec::new();
            for stage in &mut stages {
                let iterations = left.min(stage.iterations);
                if iterations > 0 {
                    here.push(ProcessSegment { iterations, ..*stage });
                }
                (left, stage.iterations) = (left - iterations, stage.iterations - iterations);
            }
            (level, here)
        };
        levels.into_iter().map(stages_of).collect()
    }

    /// Number of steps of a generator that can be played, in a scene of `samples` samples and `size_metres` per side.
    pub fn generator_steps(&self, samples: usize, size_metres: f32) -> Option<u32> {
        Some(self.node.as_stepped()?.steps(samples, size_metres)).filter(|&steps| steps > 0)
    }

    /// Total number of iterations of a process over all its stages, on a grid with `samples` per side.
    pub fn iterations(&self, samples: usize) -> Option<u32> {
        self.node.as_process()?;
        let levels = self.levels(samples);
        let stages = levels.iter().flat_map(|(_, stages)| stages);
        Some(stages.fold(0, |sum, stage| sum.saturating_add(stage.iterations)))
    }
}
