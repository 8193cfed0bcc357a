//! A layer: a node, how it mixes with what is below, and where.

use std::sync::Arc;

use crate::brush::Strokes;
use crate::field::MapKind;
use crate::nodes::multiscale::{LargestScale, Level};
use crate::nodes::{MultiScale, Node, Process};
use crate::param::{ImageFile, LayerName};

crate::choices! {
    /// How a generator combines with what is below.
    Blend {
        Replace "Replace": "Takes the place of what is below.",
        Add "Add": "Adds its height.",
        Subtract "Subtract": "Takes its height away.",
        Multiply "Multiply": "Multiplies the heights: low places stay low.",
        Min "Lowest": "Keeps the lower of the two.",
        Max "Highest": "Keeps the higher of the two.",
        SmoothMin "Lowest, smooth": "Keeps the lower of the two and rounds the seam.",
        SmoothMax "Highest, smooth": "Keeps the higher of the two and rounds the seam.",
    }
}

crate::params! {
    /// How the layer mixes with what is below: out = below + (layer - below) · opacity · mask.
    Mix "Mix" in "Layer" {
        /// How a generator combines with what is below. Filters and erosions work on what is below and do not use it.
        blend: Blend = Blend::Replace;
        /// Share of the layer in the result.
        opacity: f32 ["share"] = 1.0, 0.0..=1.0;
        /// Width of the rounded seam of the smooth blends, as a fraction of the relief.
        smoothness: f32 ["share"] = 0.1, 0.0..=1.0, slider 0.0..=0.5;
    }
}

crate::choices! {
    /// What a mask reads of another layer.
    Reads {
        Height "Height": "The layer's height above the datum, in metres.",
        Data "Data map": "A data map, such as flow or deposits.",
    }
}

crate::params! {
    /// Where the layer acts. Every condition that is on narrows it; all look at the terrain below the layer.
    Mask "Mask" in "Layer" {
        /// Acts only between two heights.
        by_height: bool = false;
        /// Lowest height where the layer acts in full.
        height_from: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=4000.0 => |mask| mask.by_height;
        /// Highest height where the layer acts in full.
        height_to: f32 ["m"] = 1000.0, -100_000.0..=100_000.0, slider -500.0..=4000.0 => |mask| mask.by_height;
        /// Distance over which the layer fades out beyond the two heights.
        height_feather: f32 ["m"] = 100.0, 0.0..=100_000.0, slider 0.0..=1000.0 => |mask| mask.by_height;
        /// Acts only between two slopes.
        by_slope: bool = false;
        /// Gentlest slope where the layer acts in full.
        slope_from: f32 ["°"] = 0.0, 0.0..=90.0 => |mask| mask.by_slope;
        /// Steepest slope where the layer acts in full.
        slope_to: f32 ["°"] = 30.0, 0.0..=90.0 => |mask| mask.by_slope;
        /// Angle over which the layer fades out beyond the two slopes.
        slope_feather: f32 ["°"] = 5.0, 0.0..=90.0, slider 0.0..=30.0 => |mask| mask.by_slope;
        /// Acts only on ridges, in valleys, or between: by how far the ground stands above its surroundings.
        by_curvature: bool = false;
        /// Width of the surroundings: small for sharp crests and gullies, large for whole ranges and valleys.
        curvature_metres: f32 ["m"] = 250.0, 1.0..=100_000.0, slider 20.0..=2000.0 => |mask| mask.by_curvature;
        /// Least height above the surroundings where the layer acts in full; below 0 is a valley.
        curvature_from: f32 ["m"] = 10.0, -100_000.0..=100_000.0, slider -200.0..=200.0 => |mask| mask.by_curvature;
        /// Greatest height above the surroundings where the layer acts in full.
        curvature_to: f32 ["m"] = 100_000.0, -100_000.0..=100_000.0, slider -200.0..=200.0 => |mask| mask.by_curvature;
        /// Height over which the layer fades out beyond the two.
        curvature_feather: f32 ["m"] = 10.0, 0.0..=100_000.0, slider 0.0..=100.0 => |mask| mask.by_curvature;
        /// Acts in patches of noise.
        by_noise: bool = false;
        /// Size of the patches.
        noise_metres: f32 ["m"] = 1500.0, 1.0..=1_000_000.0, slider 50.0..=8000.0 => |mask| mask.by_noise;
        /// Share of the ground that the patches cover.
        noise_cover: f32 ["share"] = 0.5, 0.0..=1.0 => |mask| mask.by_noise;
        /// How softly the patches begin: 0 is a sharp edge.
        noise_feather: f32 ["share"] = 0.2, 0.0..=1.0 => |mask| mask.by_noise;
        /// Chooses other patches.
        noise_seed: u32 = 1, 0..=u32::MAX, slider 0..=99 => |mask| mask.by_noise;
        /// Acts where a picture is bright.
        by_image: bool = false;
        /// The picture, stretched over the terrain; white lets the layer act in full, black not at all.
        image: ImageFile = ImageFile::default() => |mask| mask.by_image;
        /// Acts by what another layer makes.
        by_layer: bool = false;
        /// The layer to read: one below, with everything under it, or any generator, alone. It may be hidden.
        layer: LayerName = LayerName::default() => |mask| mask.by_layer;
        /// What to read of that layer.
        layer_reads: Reads = Reads::Height => |mask| mask.by_layer;
        /// The data map of that layer.
        layer_data: MapKind = MapKind::Flow => |mask| mask.by_layer && mask.layer_reads == Reads::Data;
        /// Lowest value where this layer acts in full, in the unit of what is read.
        layer_from: f32 = 500.0, -100_000.0..=1.0e9, slider -500.0..=4000.0 => |mask| mask.by_layer;
        /// Highest value where this layer acts in full.
        layer_to: f32 = 1.0e9, -100_000.0..=1.0e9, slider -500.0..=4000.0 => |mask| mask.by_layer;
        /// How far beyond the two values this layer fades out.
        layer_feather: f32 = 100.0, 0.0..=1.0e9, slider 0.0..=1000.0 => |mask| mask.by_layer;
        /// Acts by a data map that the layers below have made, such as flow or deposits. Without such a map it acts
        /// everywhere.
        by_data: bool = false;
        /// The data map.
        data: MapKind = MapKind::Flow => |mask| mask.by_data;
        /// Lowest value where the layer acts in full, in the unit of the map.
        data_from: f32 = 1.0, -100_000.0..=1.0e9, slider 0.0..=100.0 => |mask| mask.by_data;
        /// Highest value where the layer acts in full.
        data_to: f32 = 1.0e9, -100_000.0..=1.0e9, slider 0.0..=100.0 => |mask| mask.by_data;
        /// How far beyond the two values the layer fades out.
        data_feather: f32 = 0.0, 0.0..=1.0e9, slider 0.0..=100.0 => |mask| mask.by_data;
        /// Acts where it is painted with a brush.
        by_paint: bool = false;
        /// How much of the layer there is where nothing is painted.
        unpainted: f32 ["share"] = 0.0, 0.0..=1.0 => |mask| mask.by_paint;
        /// The strokes, in the order in which they act: raising lets the layer act, lowering keeps it away.
        painted: Arc<Strokes> = Strokes::none() => |mask| mask.by_paint;
        /// Softens the whole mask: its edges fade over this distance.
        soften_metres: f32 ["m"] = 0.0, 0.0..=100_000.0, slider 0.0..=500.0 => |mask| mask.is_active();
        /// Acts where it otherwise would not.
        invert: bool = false => |mask| mask.is_active();
    }
}

impl Mask {
    /// Whether the mask leaves anything out.
    pub fn is_active(&self) -> bool {
        self.conditions().contains(&true) || self.invert
    }

    /// Which of the conditions are on.
    fn conditions(&self) -> [bool; 8] {
        let Self { by_height, by_slope, by_curvature, by_noise, by_image, by_layer, by_data, by_paint, .. } = self;
        [*by_height, *by_slope, *by_curvature, *by_noise, *by_image, *by_layer, *by_data, *by_paint]
    }
}

/// A stretch of a process that has gone before, with the parameters it had then.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamEpoch {
    /// The process with those parameters.
    pub node: Node,
    /// How long it lasted, in iterations at the scene's resolution.
    pub iterations: u32,
}

impl ParamEpoch {
    /// As a stretch of a process, if the node is one.
    fn stage(&self) -> Option<LayerStage<'_>> {
        Some(LayerStage { node: &self.node, process: self.node.as_process()?, iterations: self.iterations })
    }
}

/// A stretch of a process with the same parameters.
#[derive(Clone, Copy)]
pub struct LayerStage<'a> {
    /// The node with those parameters.
    pub node: &'a Node,
    /// How it runs.
    pub process: &'a dyn Process,
    /// How long it lasts.
    pub iterations: u32,
}

/// One layer of the stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Name in the list, and what masks and the command line call it.
    pub name: String,
    /// Whether it takes part.
    pub enabled: bool,
    /// Chooses this layer's random values; layers of one seed draw the same ones.
    pub seed: u32,
    /// What it does.
    pub node: Node,
    /// What a process was before its parameters were changed on the way, the oldest first; `node` goes on from there.
    pub epochs: Vec<ParamEpoch>,
    /// Layers of the same number are branches of one process, of which one is shown at a time; 0 is no branch.
    pub branch: u32,
    /// How its result is laid over what is below.
    pub mix: Mix,
    /// Where it acts.
    pub mask: Mask,
    /// What somebody wrote about it; may be empty.
    pub note: String,
    /// Cannot be changed by accident.
    pub locked: bool,
    /// How many groups it lies in; see [`Scene::members`](super::Scene::members).
    pub depth: u32,
}

impl Layer {
    /// A layer named after its node, with everything at its default.
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

    /// Whether its result is taken as it is.
    pub fn is_plain(&self) -> bool {
        self.mix == Mix::default() && !self.mask.is_active()
    }

    /// Whether its result takes the place of all that is below.
    pub fn is_whole(&self) -> bool {
        self.mix.blend == Blend::Replace && self.mix.opacity == 1.0 && !self.mask.is_active()
    }

    /// The grids that a process runs on, from coarse to fine.
    pub fn multiscale(&self) -> MultiScale {
        self.node.as_process().map_or(MultiScale::ONE_GRID, Process::multiscale)
    }

    /// What a process was and is, one set of parameters after the other, each with its iterations on all the grids up
    /// to one of `samples`; the present one last, which on one grid alone counts its own iterations, and else goes on
    /// to the end. Empty if the node is no process.
    pub fn stages(&self, samples: usize) -> Vec<LayerStage<'_>> {
        let Some(process) = self.node.as_process() else { return Vec::new() };
        let mut stages: Vec<_> = self.epochs.iter().filter_map(ParamEpoch::stage).collect();
        let mut iterations = process.iterations();
        if self.multiscale().largest != LargestScale::OneGrid {
            let all = self.multiscale().levels(iterations, samples);
            let all = all.iter().fold(0u32, |sum, level| sum.saturating_add(level.iterations));
            iterations = stages.iter().fold(all, |left, stage| left.saturating_sub(stage.iterations));
        }
        stages.push(LayerStage { node: &self.node, process, iterations });
        stages
    }

    /// The grids of a process up to one of `samples`, and on each what it was and is with its iterations there.
    pub fn levels(&self, samples: usize) -> Vec<(Level, Vec<LayerStage<'_>>)> {
        let Some(process) = self.node.as_process() else { return Vec::new() };
        let mut stages = self.stages(samples);
        let levels = self.multiscale().levels(process.iterations(), samples);
        if self.multiscale().largest == LargestScale::OneGrid {
            // every set of parameters brings its own iterations
            return levels.into_iter().map(|level| (level, stages.clone())).collect();
        }
        let stages_of = |level: Level| {
            let mut left = level.iterations;
            let mut here = Vec::new();
            for stage in &mut stages {
                let iterations = left.min(stage.iterations);
                if iterations > 0 {
                    here.push(LayerStage { iterations, ..*stage });
                }
                (left, stage.iterations) = (left - iterations, stage.iterations - iterations);
            }
            (level, here)
        };
        levels.into_iter().map(stages_of).collect()
    }

    /// Iterations of a process from its first beginning to its end on a grid of `samples`.
    pub fn iterations(&self, samples: usize) -> Option<u32> {
        self.node.as_process()?;
        let levels = self.levels(samples);
        let stages = levels.iter().flat_map(|(_, stages)| stages);
        Some(stages.fold(0, |sum, stage| sum.saturating_add(stage.iterations)))
    }
}
