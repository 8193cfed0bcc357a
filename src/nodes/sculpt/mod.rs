//! Sculpting by hand: a layer of brush strokes, and the effect of each brush tool.

pub mod ground;
mod tools;

use std::sync::Arc;

use crate::Context;
use talweg_ground::brush::{BrushTool, Stroke, Strokes};
use talweg_ground::field::{Cancelled, Region};

/// The field that strokes act on: heights, a mask or a data map.
#[derive(Clone, Copy)]
pub struct Canvas<'a> {
    /// The grid of the field, and its scale in metres.
    pub cx: &'a Context<'a>,
    /// Field value that corresponds to one unit of a brush's amount or level. Brushes use metres, and heights are
    /// fractions of the relief, so for heights this is one metre as a fraction of the relief.
    pub unit: f32,
    /// Lowest and highest value of the field.
    pub limits: (f32, f32),
    /// The hardness of the rock, if the field is a terrain and can be eroded.
    pub rock: CanvasRock<'a>,
    /// Maximum number of samples per side of the box that an erosion brush runs on. A larger box is eroded on a coarser
    /// grid, and the change is upsampled. The value is [`usize::MAX`] except while the user draws a stroke.
    pub erosion_samples: usize,
}

/// The rock that erosion brushes act on.
#[derive(Clone, Copy)]
pub enum CanvasRock<'a> {
    /// The field is not a terrain: erosion brushes have no effect.
    None,
    /// The field is a terrain, with its hardness map if there is one.
    Terrain(Option<&'a [f32]>),
}

impl<'a> Canvas<'a> {
    /// The canvas of a mask, with values from 0 to 1.
    pub fn mask(cx: &'a Context<'a>) -> Self {
        Self { cx, unit: 1.0, limits: (0.0, 1.0), rock: CanvasRock::None, erosion_samples: usize::MAX }
    }

    /// Applies a stroke to `field`. Returns a region that contains all changed samples.
    ///
    /// # Errors
    /// If the evaluation is cancelled; the caller must then drop the field.
    pub fn stroke(&self, stroke: &Arc<Stroke>, field: &mut [f32]) -> Result<Region, Cancelled> {
        let mut changed = Region::none();
        for piece in stroke.pieces() {
            changed = changed.union(&self.piece(&piece, field)?);
        }
        Ok(changed)
    }

    /// Applies one of the [pieces](Stroke::pieces) of a stroke to `field`. Returns a region that contains all changed
    /// samples.
    ///
    /// # Errors
    /// As for [`stroke`](Self::stroke).
    pub fn piece(&self, piece: &Stroke, field: &mut [f32]) -> Result<Region, Cancelled> {
        tools::apply(self, piece, field)
    }

    /// Applies all visible strokes to `field`, in their order.
    ///
    /// # Errors
    /// If the evaluation is cancelled; the caller must then drop the field.
    pub fn strokes(&self, strokes: &Strokes, field: &mut [f32]) -> Result<(), Cancelled> {
        strokes.visible().try_for_each(|stroke| self.stroke(stroke, field).map(drop))
    }
}

/// Peak working memory of strokes, in numbers per sample. It counts the result of the earlier strokes, the weights of
/// one stroke, and the memory of the stroke's tool if the stroke covers the whole terrain.
pub fn working_fields(strokes: &Strokes, is_ground: bool) -> f32 {
    let of_tool = |stroke: &Stroke| match stroke.brush.tool {
        BrushTool::Erode if is_ground => 14.0,
        BrushTool::Smooth => 2.0,
        BrushTool::Smear => 1.0,
        _ => 0.0,
    };
    strokes.visible().map(|stroke| 2.0 + of_tool(stroke)).fold(0.0, f32::max)
}
