//! A layer: a node, how it mixes with what is below, and where.

use crate::nodes::Node;

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
        opacity: f32 = 1.0, 0.0..=1.0;
        /// Width of the rounded seam of the smooth blends, as a fraction of the relief.
        smoothness: f32 = 0.1, 0.0..=1.0, slider 0.0..=0.5;
    }
}

crate::params! {
    /// Where the layer acts, by the height and slope of what is below it.
    Mask "Mask" in "Layer" {
        /// Acts only between two heights.
        by_height: bool = false;
        /// Lowest height where the layer acts in full.
        height_from: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=4000.0;
        /// Highest height where the layer acts in full.
        height_to: f32 ["m"] = 1000.0, -100_000.0..=100_000.0, slider -500.0..=4000.0;
        /// Distance over which the layer fades out beyond the two heights.
        height_feather: f32 ["m"] = 100.0, 0.0..=100_000.0, slider 0.0..=1000.0;
        /// Acts only between two slopes.
        by_slope: bool = false;
        /// Gentlest slope where the layer acts in full.
        slope_from: f32 ["°"] = 0.0, 0.0..=90.0;
        /// Steepest slope where the layer acts in full.
        slope_to: f32 ["°"] = 30.0, 0.0..=90.0;
        /// Angle over which the layer fades out beyond the two slopes.
        slope_feather: f32 ["°"] = 5.0, 0.0..=90.0, slider 0.0..=30.0;
        /// Acts where it otherwise would not.
        invert: bool = false;
    }
}

impl Mask {
    /// Whether the mask leaves anything out.
    pub fn is_active(&self) -> bool {
        self.by_height || self.by_slope || self.invert
    }
}

/// One layer of the stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    pub name: String,
    pub enabled: bool,
    /// Chooses this layer's random values; layers of one seed draw the same ones.
    pub seed: u32,
    pub node: Node,
    pub mix: Mix,
    pub mask: Mask,
}

impl Layer {
    /// A layer named after its node, with everything at its default.
    pub fn new(node: Node, seed: u32) -> Self {
        Self {
            name: node.about().label.to_string(),
            enabled: true,
            seed,
            node,
            mix: Mix::default(),
            mask: Mask::default(),
        }
    }
}
