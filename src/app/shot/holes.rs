//! Counts pixels of an image that show the background although terrain is there. A whole image has none.

use std::sync::Arc;

use bevy::math::Vec2;
use glam::DVec3;
use rayon::prelude::*;

use super::{FrameStatus, OffscreenRenderer, PlannedScenery, ShotOptions, ShotSubject, ViewState, pose_of};
use crate::view::globe::Scenery;
use crate::view::{CompareLayout, CompareSide, FIELD_OF_VIEW, RenderTerrain};
use talweg::preferences::PlanetProjection;

/// Distance in pixels of the points around a pixel whose rays must also hit the terrain. The drawn silhouette may
/// differ from the exact silhouette by about a pixel.
const ASIDE_PIXELS: f32 = 2.0;

/// Number of pixels of the background inside the terrain. `planned` is the drawn image of a planet. `image` holds RGBA
/// values, row by row from the top. The background has the alpha value 0; see `BACKGROUND_ALPHA` in the shaders.
pub fn background_inside(
    subject: &ShotSubject,
    planned: Option<&Scenery>,
    options: &ShotOptions,
    image: &[u8],
) -> usize {
    let (width, height) = (options.width as usize, options.height as usize);
    let is_open = |x: usize, y: usize| image[(y * width + x) * 4 + 3] < 128;
    let columns = (0..width).into_par_iter().flat_map_iter(|x| {
        // above the terrain there is nothing to miss
        let first = (0..height).find(|&y| !is_open(x, y)).unwrap_or(height);
        (first..height).filter(move |&y| is_open(x, y)).map(move |y| (x, y))
    });
    let open: Vec<(usize, usize)> = columns.collect();
    if open.is_empty() {
        return 0;
    }
    let hits = terrain_rays(subject, planned, options);
    let is_inside = |&&(x, y): &&(usize, usize)| {
        let middle = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        let around = (0..9).map(|k| Vec2::new((k % 3) as f32 - 1.0, (k / 3) as f32 - 1.0) * ASIDE_PIXELS);
        hits(middle) && around.into_iter().all(|aside| hits(middle + aside))
    };
    open.par_iter().filter(is_inside).count()
}

/// Returns a function that tells whether the ray through a point of the image hits the terrain.
fn terrain_rays<'a>(
    subject: &'a ShotSubject,
    planned: Option<&'a Scenery>,
    options: &ShotOptions,
) -> Box<dyn Fn(Vec2) -> bool + Sync + 'a> {
    let size = Vec2::new(options.width as f32, options.height as f32);
    match subject {
        ShotSubject::Planet(terrain, ..) => {
            let Some(planned) = planned.filter(|planned| planned.projection == PlanetProjection::Globe) else {
                return Box::new(|_| false);
            };
            let tangent = f64::from(0.5 * FIELD_OF_VIEW).tan();
            Box::new(move |at| {
                let from_centre = (at / size * 2.0 - 1.0).as_dvec2();
                let aside = from_centre.x * tangent * f64::from(size.x / size.y);
                let ray = planned.rotation * DVec3::new(aside, -from_centre.y * tangent, -1.0).normalize();
                let ground = terrain.ground(f64::from(planned.view.exaggeration), &planned.view, planned.water);
                ground.pick(planned.eye, ray).is_some()
            })
        }
        ShotSubject::Terrain(prepared, palette, tree_surface) => {
            let lens = CompareLayout::One.lens(size, options.projection);
            let pose = pose_of(Some(prepared), options);
            let state = ViewState {
                terrain: Some(RenderTerrain::Square(prepared.clone())),
                palette: Some(palette.clone()),
                tree_surface: tree_surface.clone(),
                ..ViewState::default()
            };
            Box::new(move |at| state.pick(CompareSide::A, pose.eye_world, pose.ray(&lens, at)).is_some())
        }
    }
}

impl OffscreenRenderer {
    /// Factor by which the quads of the last image are wider than its quality asks for.
    pub(super) fn coarsening(&self) -> f32 {
        self.app.world().resource::<FrameStatus>().coarsening()
    }

    /// The planned image of a planet that was drawn last.
    pub(super) fn planned(&self) -> Option<Arc<Scenery>> {
        self.app.world().get_resource::<PlannedScenery>()?.0[0].clone()
    }
}
