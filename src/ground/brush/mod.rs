//! Brush strokes: path, pressure and brush settings. Strokes are stored in metres rather than pixels. The same strokes
//! therefore produce the same terrain on any grid, and each stroke can be changed afterwards.
//!
//! [`Stroke::coverage`] returns the weights of a stroke; the node `Sculpt` applies the brush
//! tools. Positions are metres to the east and to the south of the north-west corner.

mod coverage;
mod path;
mod reshape;
mod text;

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

pub use coverage::Coverage;
pub use path::{StrokePoint, simplified};
pub use reshape::{BendablePath, MirrorAxis, mirrored, moved, offset};

use crate::param::{Clamped, ImageFile, Params};

/// Maximum number of strokes in a list.
pub const MAX_STROKES: usize = 100_000;
/// Maximum number of points in a stroke.
pub const MAX_POINTS: usize = 100_000;
/// Length of the pieces into which an erosion stroke is split, as a multiple of the brush radius. It equals the brush
/// diameter.
pub const PIECE_RADII: f32 = 2.0;
/// Maximum number of full-length pieces of a stroke; a last, shorter piece can follow. Longer strokes get longer
/// pieces.
const MAX_PIECES: usize = 1000;
/// Maximum distance of a point from the north-west corner of the terrain, in metres.
pub const FARTHEST_METRES: f32 = 1.0e7;

crate::choices! {
    /// The effect of the brush on the terrain along a stroke.
    BrushTool {
        Raise "Raise": "Raises the terrain, or the mask value.",
        Lower "Lower": "Lowers the terrain, or the mask value.",
        Smooth "Smooth": "Smooths features smaller than the detail size of the brush.",
        Flatten "Flatten": "Levels the terrain to the height at the start of the stroke.",
        Slope "Slope": "Makes a uniform slope from the start of the stroke to its end.",
        Noise "Noise": "Adds random bumps.",
        Stamp "Stamp": "Presses an image into the terrain at every point, rotated and scaled.",
        Smear "Smear": "Drags the terrain along the stroke.",
        Erode "Erode": "Runs an erosion process under the brush only.",
    }
}

impl BrushTool {
    /// Whether the tool adds or removes an absolute amount. The other tools move the terrain a fraction of the way to a
    /// target height.
    pub fn has_amount(self) -> bool {
        matches!(self, Self::Raise | Self::Lower | Self::Noise | Self::Stamp)
    }

    /// Whether the result at a sample depends only on the previous value of the same sample.
    pub fn is_pointwise(self) -> bool {
        !matches!(self, Self::Smooth | Self::Smear | Self::Erode)
    }
}

crate::choices! {
    /// The erosion process that a brush runs.
    BrushErosion {
        Droplets "Droplet erosion": "Rain cuts gullies and deposits fans.",
        Thermal "Thermal erosion": "Material slides off steep slopes.",
        Creep "Hillslope creep": "Moving soil rounds crests and fills hollows.",
        StreamPower "Stream power": "Rivers incise the terrain, starting at the edge of the brush and proceeding upstream.",
    }
}

crate::params! {
    /// Settings of the brush that draws a stroke.
    Brush "Brush" in "Brush" {
        /// Chooses the effect of the brush on the terrain along a stroke.
        tool: BrushTool = BrushTool::Raise;
        /// Half the width of the stroke.
        radius: f32 ["m"] = 200.0, 0.01..=1.0e6, slider 5.0..=2000.0;
        /// Fraction of the radius with full effect; farther from the stroke's centreline the effect fades out.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        /// Height added or removed at full pressure, in metres. On masks and maps the amount is in the unit of the map,
        /// and 1 fills a mask completely.
        amount: f32 = 20.0, -100_000.0..=100_000.0, slider 0.0..=200.0 => |brush| brush.tool.has_amount();
        /// Fraction of the way from the current height to the target at full pressure.
        strength: f32 ["share"] = 0.5, 0.0..=1.0 => |brush| !brush.tool.has_amount();
        /// Makes the effect add up where the stroke passes twice. Otherwise a stroke affects each place only once.
        build_up: bool = false => |brush| !matches!(brush.tool, BrushTool::Stamp | BrushTool::Smear | BrushTool::Erode);
        /// Pen pressure affects the width of the stroke as well as its effect.
        pressure_widens: bool = false;
        /// Target height; for a slope, the height at the start of the stroke.
        level: f32 = 0.0, -100_000.0..=100_000.0, slider -500.0..=4000.0
            => |brush| matches!(brush.tool, BrushTool::Flatten | BrushTool::Slope);
        /// Target height at the end of the stroke.
        end_level: f32 = 0.0, -100_000.0..=100_000.0, slider -500.0..=4000.0 => |brush| brush.tool == BrushTool::Slope;
        /// The brush smooths features smaller than this size; in noise, the largest bumps have this size.
        detail: f32 ["m"] = 50.0, 0.01..=100_000.0, slider 1.0..=1000.0
            => |brush| matches!(brush.tool, BrushTool::Smooth | BrushTool::Noise);
        /// Selects a different pattern of bumps.
        seed: u32 = 1, 0..=u32::MAX, slider 0..=99 => |brush| brush.tool == BrushTool::Noise;
        /// Image pressed into the terrain; white pixels have the full amount.
        image: ImageFile = ImageFile("stamp:mesa".into()) => |brush| brush.tool == BrushTool::Stamp;
        /// Rotates the image clockwise, seen from above.
        angle: f32 ["°"] = 0.0, -360.0..=360.0, slider -180.0..=180.0 => |brush| brush.tool == BrushTool::Stamp;
        /// Erosion process that the brush runs.
        erosion: BrushErosion = BrushErosion::Droplets => |brush| brush.tool == BrushTool::Erode;
        /// Number of iterations of the erosion process; more iterations erode the terrain further.
        iterations: u32 = 20, 0..=2000, slider 1..=100 => |brush| brush.tool == BrushTool::Erode;
    }
}

/// A brush stroke: its brush settings and its path.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stroke {
    /// The brush settings.
    #[serde(default)]
    pub brush: Brush,
    /// Whether the stroke is hidden. A hidden stroke has no effect, and can be shown again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// The points of the stroke in drawing order.
    #[serde(with = "path")]
    pub path: Vec<StrokePoint>,
    /// Hash of the path and of all settings, computed at its first use.
    #[serde(skip)]
    key: OnceLock<u128>,
}

impl PartialEq for Stroke {
    fn eq(&self, other: &Self) -> bool {
        self.brush == other.brush && self.hidden == other.hidden && self.path == other.path
    }
}

impl Stroke {
    /// A stroke along `path`.
    pub fn new(brush: Brush, path: Vec<StrokePoint>) -> Self {
        Self { brush, hidden: false, path, key: OnceLock::new() }
    }

    /// A copy of the stroke with another path.
    #[must_use]
    pub fn with_path(&self, path: Vec<StrokePoint>) -> Self {
        Self { hidden: self.hidden, ..Self::new(self.brush.clone(), path) }
    }

    /// A copy of the stroke with other brush settings.
    #[must_use]
    pub fn with_brush(&self, brush: Brush) -> Self {
        Self { hidden: self.hidden, ..Self::new(brush, self.path.clone()) }
    }

    /// A copy of the stroke that is visible if `is_shown`, and hidden otherwise.
    #[must_use]
    pub fn shown(&self, is_shown: bool) -> Self {
        Self { hidden: !is_shown, ..Self::new(self.brush.clone(), self.path.clone()) }
    }

    /// Hash of the complete stroke, including its path and its brush.
    pub fn key(&self) -> u128 {
        *self.key.get_or_init(|| xxh3_128(text::stroke_text(self).as_bytes()))
    }

    /// Whether the stroke uses the erosion tool and is longer than one piece of [`PIECE_RADII`].
    pub fn is_eroded_in_pieces(&self) -> bool {
        self.brush.tool == BrushTool::Erode && path::length(&self.path) > self.brush.radius * PIECE_RADII
    }

    /// The strokes that are applied one after another in place of this one. An erosion stroke is split into pieces of
    /// [`PIECE_RADII`], and each piece continues from the terrain that the previous pieces left. A point that the brush
    /// passes is therefore eroded for about the set number of iterations. While a person extends a stroke, only the end
    /// of the stroke is recomputed. Each piece has its own seed. The first piece runs all iterations; later pieces run
    /// a number in proportion to their length. Strokes of other tools are not split.
    pub fn pieces(self: &Arc<Self>) -> Vec<Arc<Self>> {
        if !self.is_eroded_in_pieces() {
            return vec![self.clone()];
        }
        let length = (self.brush.radius * PIECE_RADII).max(path::length(&self.path) / MAX_PIECES as f32);
        let piece = |(k, path): (usize, Vec<StrokePoint>)| {
            let share = if k == 0 { 1.0 } else { path::length(&path) / length };
            let iterations = (self.brush.iterations as f32 * share.min(1.0)).ceil() as u32;
            let brush = Brush { iterations, seed: self.brush.seed.wrapping_add(k as u32), ..self.brush.clone() };
            Arc::new(Self { hidden: self.hidden, ..Self::new(brush, path) })
        };
        path::pieces(&self.path, length).into_iter().enumerate().map(piece).collect()
    }

    /// The stroke with every number clamped to its range, and the list of changes; `None` if all numbers were in range.
    fn sanitised(&self) -> Option<(Self, Vec<Clamped>)> {
        let mut brush = self.brush.clone();
        let mut moved = brush.sanitise();
        let path: Vec<StrokePoint> = self.path.iter().filter_map(|point| point.sanitised()).take(MAX_POINTS).collect();
        if path != self.path {
            let (was, now) = (format!("{} points", self.path.len()), format!("{} points within reach", path.len()));
            moved.push(Clamped { param: "path".into(), was, now });
        }
        (!moved.is_empty()).then(|| (Self { hidden: self.hidden, ..Self::new(brush, path) }, moved))
    }
}

/// Brush strokes in the order in which they are applied. Clones share the strokes.
#[derive(Clone, Debug, Default)]
pub struct Strokes(Vec<Arc<Stroke>>);

impl PartialEq for Strokes {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Arc<Stroke>, &Arc<Stroke>)| Arc::ptr_eq(a, b) || a == b;
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same)
    }
}

impl Strokes {
    /// An empty list of strokes.
    pub fn none() -> Arc<Self> {
        Arc::default()
    }

    /// The strokes, in the order in which they are applied.
    pub fn list(&self) -> &[Arc<Stroke>] {
        &self.0
    }

    /// Mutable access to the strokes, to add, remove or reorder them.
    pub fn list_mut(&mut self) -> &mut Vec<Arc<Stroke>> {
        &mut self.0
    }

    /// The strokes that are not hidden.
    pub fn visible(&self) -> impl Iterator<Item = &Arc<Stroke>> {
        self.0.iter().filter(|stroke| !stroke.hidden && !stroke.path.is_empty())
    }

    /// Whether each visible stroke computes a sample from the previous value of the same sample alone.
    pub fn are_pointwise(&self) -> bool {
        self.visible().all(|stroke| stroke.brush.tool.is_pointwise())
    }

    /// Hash of all strokes.
    pub fn key(&self) -> u128 {
        let bytes: Vec<u8> = self.0.iter().flat_map(|stroke| stroke.key().to_le_bytes()).collect();
        xxh3_128(&bytes)
    }

    /// The image files that the strokes use.
    pub fn image_files(&self) -> impl Iterator<Item = &ImageFile> {
        self.visible().filter(|stroke| stroke.brush.tool == BrushTool::Stamp).map(|stroke| &stroke.brush.image)
    }
}

impl FromIterator<Stroke> for Strokes {
    fn from_iter<I: IntoIterator<Item = Stroke>>(strokes: I) -> Self {
        Self(strokes.into_iter().map(Arc::new).collect())
    }
}

#[cfg(test)]
mod tests;
