//! All data that describe an image of a globe. The main world passes these data to the render world.

use std::sync::Arc;

use bevy::prelude::Resource;
use glam::{DQuat, DVec3};

use super::body::PlanetAppearance;
use super::camera::map::MapPose;
use super::camera::orbit::LineEnds;
use super::terrain::GlobeTerrain;
use talweg::planet::clouds;
use talweg::preferences::{GlobeView, PlanetProjection};

/// How a planet is shown. A change appears on screen within the next frames.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct PlanetView {
    pub body: PlanetAppearance,
    pub view: GlobeView,
    pub projection: PlanetProjection,
}

impl PlanetView {
    /// Fraction of the sky that clouds cover.
    pub fn cloud_cover(&self) -> f32 {
        cloud_cover(&self.view, &self.body)
    }

    /// Whether clouds are visible and drift without user action.
    pub fn drifts(&self, terrain: &GlobeTerrain) -> bool {
        self.view.animate_clouds
            && self.cloud_cover() > 0.0
            && self.projection != PlanetProjection::Map
            && !terrain.has_overlay()
    }
}

fn cloud_cover(view: &GlobeView, body: &PlanetAppearance) -> f32 {
    clouds::cloud_cover(view.cloud_cover, body.air_density)
}

/// All data for drawing an image of a globe. Lengths are in metres, in planet space.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenery {
    pub projection: PlanetProjection,
    pub body: PlanetAppearance,
    pub view: GlobeView,
    pub water: bool,
    pub eye: DVec3,
    /// Rotation from view space (x right, y up, -z ahead) to planet space.
    pub rotation: DQuat,
    pub near: f64,
    /// Unit vector towards the sun.
    pub sun: DVec3,
    /// Direction of the sun's disc as seen from the eye, and radius of the disc as a chord of the unit sphere. With
    /// radius 0, no sun is drawn.
    pub sun_from_eye: DVec3,
    pub sun_size: f64,
    /// Rotation angle of the planet relative to the stars, in radians.
    pub sky_turn: f64,
    pub map: MapPose,
    /// Width of the view in logical pixels. The scale of the map pose is in radians per logical pixel.
    pub map_width: f64,
    /// End points of lines, in pairs.
    pub lines: LineEnds,
}

impl Scenery {
    /// Fraction of the sky that clouds cover.
    pub fn cloud_cover(&self) -> f32 {
        cloud_cover(&self.view, &self.body)
    }

    /// Radius of the cloud layer, if there is one.
    pub fn cloud_shell(&self, terrain: &GlobeTerrain) -> Option<f64> {
        let is_there = self.cloud_cover() > 0.0 && !terrain.has_overlay() && self.projection != PlanetProjection::Map;
        let sea = f64::from(terrain.sea_metres.max(terrain.range.0 * terrain.relief_metres));
        let exaggeration = f64::from(self.view.exaggeration);
        let radius = terrain.radius_metres;
        let height = clouds::cloud_shell_metres(self.view.cloud_height, self.view.exaggeration, radius);
        is_there.then(|| radius + (sea * exaggeration).max(0.0) + height)
    }
}

/// The images of globes to draw, for side A and side B of a comparison.
#[derive(Resource, Clone, Default)]
pub struct PlannedScenery(pub [Option<Arc<Scenery>>; 2]);
