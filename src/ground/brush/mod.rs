//! Strokes of a brush: where a hand went, how hard it pressed and with what, in metres and never as pixels, so that the
//! same strokes give the same ground on any grid and each can be changed afterwards.
//!
//! A stroke says where it acts and how strongly ([`Stroke::coverage`]); what its tool does there is the business of
//! [`nodes::sculpt`](crate::nodes::sculpt). Positions are metres to the east and to the south of the north-west corner.

mod coverage;
mod path;
mod text;

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

pub use coverage::Coverage;
pub use path::{StrokePoint, simplified};

use crate::param::{Clamped, ImageFile, Params};

/// Strokes of a list at the most.
pub const MAX_STROKES: usize = 100_000;
/// Points of a stroke at the most.
pub const MAX_POINTS: usize = 100_000;
/// Length of the pieces in which a stroke erodes, in radii: what lies under the brush while it passes a place.
pub const PIECE_RADII: f32 = 2.0;
/// Pieces of a stroke at the most, but for what is left over; they are longer then.
const MAX_PIECES: usize = 1000;
/// How far from the corner a point can lie, in metres.
pub const FARTHEST_METRES: f32 = 1.0e7;

crate::choices! {
    /// What a brush does.
    BrushTool {
        Raise "Raise": "Adds to the ground, or to what a mask lets through.",
        Lower "Lower": "Takes away.",
        Smooth "Smooth": "Evens out what is smaller than its detail.",
        Flatten "Flatten": "Brings everything to one height: that at the beginning of the stroke.",
        Slope "Slope": "Brings everything to an even slope from the beginning of the stroke to its end.",
        Noise "Noise": "Adds rough ground.",
        Stamp "Stamp": "Presses a picture into the ground at every point, turned and scaled.",
        Smear "Smear": "Drags the ground along.",
        Erode "Erode": "Runs an erosion under the brush alone.",
    }
}

impl BrushTool {
    /// Whether it adds, takes away or lays on by an amount; the others go a share of the way to something.
    pub fn has_amount(self) -> bool {
        matches!(self, Self::Raise | Self::Lower | Self::Noise | Self::Stamp)
    }

    /// Whether what it makes of a place follows from that place alone.
    pub fn acts_by_place(self) -> bool {
        !matches!(self, Self::Smooth | Self::Smear | Self::Erode)
    }
}

crate::choices! {
    /// The erosion that a brush runs.
    BrushErosion {
        Droplets "Droplet erosion": "Rain cuts gullies and leaves fans.",
        Thermal "Thermal erosion": "Steep ground slides.",
        Creep "Hillslope creep": "Soil rounds crests and fills hollows.",
        StreamPower "Stream power": "Rivers cut down from where they leave the brush.",
    }
}

crate::params! {
    /// What a stroke is made with.
    Brush "Brush" in "Brush" {
        /// What the brush does.
        tool: BrushTool = BrushTool::Raise;
        /// Half the width of the stroke.
        radius: f32 ["m"] = 200.0, 0.01..=1.0e6, slider 5.0..=2000.0;
        /// Share of the radius that is worked on in full; beyond it the effect fades out.
        hardness: f32 ["share"] = 0.0, 0.0..=1.0;
        /// How much is added or taken away at full pressure: metres of ground; of masks and maps in their own unit,
        /// where 1 is all of a mask.
        amount: f32 = 20.0, -100_000.0..=100_000.0, slider 0.0..=200.0 => |brush| brush.tool.has_amount();
        /// How far the brush goes at full pressure.
        strength: f32 ["share"] = 0.5, 0.0..=1.0 => |brush| !brush.tool.has_amount();
        /// Where the stroke passes twice it acts twice. Without, a stroke acts once everywhere.
        build_up: bool = false => |brush| !matches!(brush.tool, BrushTool::Stamp | BrushTool::Smear | BrushTool::Erode);
        /// Pressing harder makes the stroke wider as well as stronger.
        pressure_widens: bool = false;
        /// What everything is brought to; of a slope, at its beginning.
        level: f32 = 0.0, -100_000.0..=100_000.0, slider -500.0..=4000.0
            => |brush| matches!(brush.tool, BrushTool::Flatten | BrushTool::Slope);
        /// What everything is brought to at the end of the stroke.
        end_level: f32 = 0.0, -100_000.0..=100_000.0, slider -500.0..=4000.0 => |brush| brush.tool == BrushTool::Slope;
        /// What is smaller is evened out; of noise, the size of its largest bumps.
        detail: f32 ["m"] = 50.0, 0.01..=100_000.0, slider 1.0..=1000.0
            => |brush| matches!(brush.tool, BrushTool::Smooth | BrushTool::Noise);
        /// Chooses other bumps.
        seed: u32 = 1, 0..=u32::MAX, slider 0..=99 => |brush| brush.tool == BrushTool::Noise;
        /// The picture that is pressed into the ground; white is the full amount.
        image: ImageFile = ImageFile("stamp:mesa".into()) => |brush| brush.tool == BrushTool::Stamp;
        /// Turns the picture clockwise, seen from above.
        angle: f32 ["°"] = 0.0, -360.0..=360.0, slider -180.0..=180.0 => |brush| brush.tool == BrushTool::Stamp;
        /// Which erosion runs under the brush.
        erosion: BrushErosion = BrushErosion::Droplets => |brush| brush.tool == BrushTool::Erode;
        /// How long it runs.
        iterations: u32 = 20, 0..=2000, slider 1..=100 => |brush| brush.tool == BrushTool::Erode;
    }
}

/// One stroke.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stroke {
    /// What it is made with.
    #[serde(default)]
    pub brush: Brush,
    /// Takes no part, and can be shown again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Where it goes.
    #[serde(with = "path")]
    pub path: Vec<StrokePoint>,
    /// Hash of all that it is, worked out once.
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

    /// The same along another path.
    #[must_use]
    pub fn with_path(&self, path: Vec<StrokePoint>) -> Self {
        Self { hidden: self.hidden, ..Self::new(self.brush.clone(), path) }
    }

    /// The same with another brush.
    #[must_use]
    pub fn with_brush(&self, brush: Brush) -> Self {
        Self { hidden: self.hidden, ..Self::new(brush, self.path.clone()) }
    }

    /// The same, shown or hidden.
    #[must_use]
    pub fn shown(&self, is_shown: bool) -> Self {
        Self { hidden: !is_shown, ..Self::new(self.brush.clone(), self.path.clone()) }
    }

    /// Hash of all that it is.
    pub fn key(&self) -> u128 {
        *self.key.get_or_init(|| xxh3_128(text::stroke_text(self).as_bytes()))
    }

    /// Whether it erodes and is longer than a piece of [`PIECE_RADII`].
    pub fn is_eroded_in_pieces(&self) -> bool {
        self.brush.tool == BrushTool::Erode && path::length(&self.path) > self.brush.radius * PIECE_RADII
    }

    /// The strokes that it acts as, one after another. One that erodes is worked on in pieces of [`PIECE_RADII`]: each
    /// goes on from the ground that those before it left, so that a place that the brush passes is eroded about as
    /// long as the brush says, and a stroke that grows only lets its end be worked on anew. Each piece draws random
    /// values of its own, and all after the first run for their share of the length. Every other stroke is one.
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

    /// The stroke with every number in its range and what had to move; nothing if all were.
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

/// Strokes in the order in which they act. Cloning shares them.
#[derive(Clone, Debug, Default)]
pub struct Strokes(Vec<Arc<Stroke>>);

impl PartialEq for Strokes {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Arc<Stroke>, &Arc<Stroke>)| Arc::ptr_eq(a, b) || a == b;
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same)
    }
}

impl Strokes {
    /// No strokes.
    pub fn none() -> Arc<Self> {
        Arc::default()
    }

    /// The strokes, the first one first.
    pub fn list(&self) -> &[Arc<Stroke>] {
        &self.0
    }

    /// The strokes for changing them.
    pub fn list_mut(&mut self) -> &mut Vec<Arc<Stroke>> {
        &mut self.0
    }

    /// Those that take part.
    pub fn visible(&self) -> impl Iterator<Item = &Arc<Stroke>> {
        self.0.iter().filter(|stroke| !stroke.hidden && !stroke.path.is_empty())
    }

    /// Whether what they make of a place follows from that place alone.
    pub fn act_by_place(&self) -> bool {
        self.visible().all(|stroke| stroke.brush.tool.acts_by_place())
    }

    /// Hash of all that they are.
    pub fn key(&self) -> u128 {
        let bytes: Vec<u8> = self.0.iter().flat_map(|stroke| stroke.key().to_le_bytes()).collect();
        xxh3_128(&bytes)
    }

    /// The files that they read.
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
