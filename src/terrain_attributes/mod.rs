//! Maps that every terrain has: they are computed from its heights, with or without an erosion in the stack. Exports,
//! masks, overlays and tiled builds all compute them here. Units, ranges and meanings: [`TerrainAttribute`].
//!
//! | file | contents |
//! |---|---|
//! | [`surface`] | slope, aspect and curvatures |
//! | [`drainage`] | flow, drainage area and wetness index |
//! | [`sky_view`] | the visible fraction of the sky |
//! | [`sunshine`] | hours of direct sunlight in a day or a year |
//! | [`horizon`] | the steepest rise of a surface from a pixel in one direction |
//! | [`raster`] | heights at the pixels of a picture, and coarser means of them |
//!
//! A layer that writes the map *Flow* keeps precedence: drainage area and wetness index are then computed from that
//! map. Values are computed with + - × ÷ √, comparisons, integers and `libm`, so they have the same bits everywhere.

pub mod drainage;
pub mod horizon;
pub mod raster;
pub mod sky_view;
pub mod sunshine;
pub mod surface;

use std::ops::Range;

use rayon::prelude::*;

use crate::field::{Cancelled, Control, Terrain};
use crate::scene::Scene;
pub use crate::scene::{AttributeReach, TerrainAttribute};

/// Computes the values of consecutive samples of one row.
pub type AttributeRows<'a> = Box<dyn Fn(Range<usize>, &mut [f32]) + Send + Sync + 'a>;

/// A function that returns an attribute of some samples of a row, in the attribute's [unit](TerrainAttribute::unit).
/// Attributes that depend on distant samples are computed for the whole terrain before the function returns.
///
/// `terrain` can be a window of a larger terrain if the attribute depends on neighbours only
/// ([`TerrainAttribute::reach`]); the outermost samples of the window are then wrong. On a planet, sunshine is
/// not-a-number everywhere ([`TerrainAttribute::fits`]).
///
/// # Errors
/// If the computation was cancelled.
pub fn attribute_rows<'a>(
    scene: &'a Scene,
    terrain: &'a Terrain,
    attribute: TerrainAttribute,
    control: &Control,
) -> Result<AttributeRows<'a>, Cancelled> {
    let of_field =
        |field: Vec<f32>| -> AttributeRows<'a> { Box::new(move |samples, out| out.copy_from_slice(&field[samples])) };
    Ok(match attribute {
        TerrainAttribute::Slope => surface::slopes(scene, terrain),
        TerrainAttribute::Aspect => surface::aspects(terrain),
        TerrainAttribute::MeanCurvature
        | TerrainAttribute::ProfileCurvature
        | TerrainAttribute::PlanCurvature
        | TerrainAttribute::TangentialCurvature => surface::curvatures(scene, terrain, attribute),
        TerrainAttribute::DrainageArea => drainage::areas(scene, terrain, control)?,
        TerrainAttribute::Wetness => drainage::wetness(scene, terrain, control)?,
        TerrainAttribute::SkyView => of_field(sky_view::sky_fractions(scene, terrain, control)?),
        TerrainAttribute::DaySunshine | TerrainAttribute::YearSunshine if terrain.grid.is_globe() => {
            Box::new(|_, out| out.fill(f32::NAN))
        }
        TerrainAttribute::DaySunshine | TerrainAttribute::YearSunshine => {
            of_field(sunshine::hours(terrain, &scene.settings, attribute, control)?)
        }
    })
}

/// The attribute of every sample of a terrain, in the attribute's [unit](TerrainAttribute::unit); see
/// [`attribute_rows`].
///
/// # Errors
/// If the computation was cancelled.
pub fn attribute_field(
    scene: &Scene,
    terrain: &Terrain,
    attribute: TerrainAttribute,
    control: &Control,
) -> Result<Vec<f32>, Cancelled> {
    let (n, rows) = (terrain.samples(), attribute_rows(scene, terrain, attribute, control)?);
    let mut field = vec![0.0; terrain.grid.len()];
    field.par_chunks_mut(n).enumerate().try_for_each(|(row, out)| {
        control.check()?;
        rows(row * n..row * n + out.len(), out);
        Ok(())
    })?;
    Ok(field)
}

#[cfg(test)]
mod tests;
