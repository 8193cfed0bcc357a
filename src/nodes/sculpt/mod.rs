//! What hands do to the ground: a layer of brush strokes, and what each tool of a brush does.

pub mod ground;
mod tools;

use std::sync::Arc;

use crate::Context;
use talweg_ground::brush::{BrushTool, Stroke, Strokes};
use talweg_ground::field::{Cancelled, Region};

/// What strokes act on: heights, a mask or a data map.
#[derive(Clone, Copy)]
pub struct Canvas<'a> {
    /// Where it lies.
    pub cx: &'a Context<'a>,
    /// What 1 of a brush's amounts and levels is in the field: heights are fractions of the relief, brushes speak of
    /// metres.
    pub unit: f32,
    /// Lowest and highest value of the field.
    pub limits: (f32, f32),
    /// The hardness of the rock, where the field is the ground and can be eroded.
    pub rock: CanvasRock<'a>,
    /// Samples along a side of the box that an erosion works on at the most; a larger box is eroded on a coarser grid,
    /// and what that changed is enlarged. [`usize::MAX`] but while somebody draws.
    pub erosion_samples: usize,
}

/// What erosions under a brush work on.
#[derive(Clone, Copy)]
pub enum CanvasRock<'a> {
    /// The field is no ground: nothing erodes.
    None,
    /// Ground, with its map of hardness if there is one.
    Ground(Option<&'a [f32]>),
}

impl<'a> Canvas<'a> {
    /// A mask: from 0 to 1.
    pub fn mask(cx: &'a Context<'a>) -> Self {
        Self { cx, unit: 1.0, limits: (0.0, 1.0), rock: CanvasRock::None, erosion_samples: usize::MAX }
    }

    /// Lets a stroke act on `field`; returns where it may have changed something.
    ///
    /// # Errors
    /// When it was cancelled; the field is then to be dropped.
    pub fn stroke(&self, stroke: &Arc<Stroke>, field: &mut [f32]) -> Result<Region, Cancelled> {
        let mut changed = Region::none();
        for piece in stroke.pieces() {
            changed = changed.union(&self.piece(&piece, field)?);
        }
        Ok(changed)
    }

    /// Lets one of the [pieces](Stroke::pieces) of a stroke act on `field`; returns where it may have changed
    /// something.
    ///
    /// # Errors
    /// As [`stroke`](Self::stroke).
    pub fn piece(&self, piece: &Stroke, field: &mut [f32]) -> Result<Region, Cancelled> {
        tools::apply(self, piece, field)
    }

    /// Lets all visible strokes act on `field`, one after another.
    ///
    /// # Errors
    /// When it was cancelled; the field is then to be dropped.
    pub fn strokes(&self, strokes: &Strokes, field: &mut [f32]) -> Result<(), Cancelled> {
        strokes.visible().try_for_each(|stroke| self.stroke(stroke, field).map(drop))
    }
}

/// Numbers for each sample that strokes work with at the most: what those before the last have made, the weights of
/// one, and what its tool works with where it goes everywhere.
pub fn working_fields(strokes: &Strokes, is_ground: bool) -> f32 {
    let of_tool = |stroke: &Stroke| match stroke.brush.tool {
        BrushTool::Erode if is_ground => 14.0,
        BrushTool::Smooth => 2.0,
        BrushTool::Smear => 1.0,
        _ => 0.0,
    };
    strokes.visible().map(|stroke| 2.0 + of_tool(stroke)).fold(0.0, f32::max)
}
