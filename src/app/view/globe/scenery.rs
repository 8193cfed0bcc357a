//! What is to be drawn, as the main world hands it to the render world.

use std::sync::Arc;

use bevy::prelude::Resource;
use glam::{DQuat, DVec3};

use super::body::Body;
use super::camera::map::MapPose;
use super::terrain::GlobeTerrain;
use talweg::planet::clouds;
use talweg::preferences::{GlobeView, PlanetProjection};

/// How a planet is shown; set it and the next frames will.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct PlanetView {
    pub body: Body,
    pub view: GlobeView,
    pub projection: PlanetProjection,
}

impl PlanetView {
    /// How much of the sky clouds cover.
    pub fn cloud_cover(&self) -> f32 {
        cloud_cover(&self.view, &self.body)
    }

    /// Whether there are clouds to see, and they drift by themselves.
    pub fn drifts(&self, terrain: &GlobeTerrain) -> bool {
        self.view.animate_clouds
            && self.cloud_cover() > 0.0
            && self.projection != PlanetProjection::Map
            && !terrain.has_overlay()
    }
}

fn cloud_cover(view: &GlobeView, body: &Body) -> f32 {
    clouds::cloud_cover(view.cloud_cover, body.air_density)
}

/// A line in space, relative to the eye.
pub type LineEnds = Vec<([f32; 3], [f32; 4])>;

/// A picture of a planet. Lengths in metres, in the space of the planet.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenery {
    pub projection: PlanetProjection,
    pub body: Body,
    pub view: GlobeView,
    pub water: bool,
    pub eye: DVec3,
    /// From the view (x right, y up, -z ahead) to the planet.
    pub rotation: DQuat,
    pub near: f64,
    /// Where light comes from.
    pub sun: DVec3,
    /// Where the sun is seen, and how large it is drawn (radius as a chord; 0 is not at all).
    pub sun_from_eye: DVec3,
    pub sun_size: f64,
    /// Turn of the planet against the stars.
    pub sky_turn: f64,
    pub map: MapPose,
    /// Width of the picture in the pixels that the map counts in.
    pub map_width: f64,
    /// Ends of lines, two by two.
    pub lines: LineEnds,
}

impl Scenery {
    /// How much of the sky clouds cover.
    pub fn cloud_cover(&self) -> f32 {
        cloud_cover(&self.view, &self.body)
    }

    /// Radius of the shell of clouds, if there is one.
    pub fn cloud_shell(&self, terrain: &GlobeTerrain) -> Option<f64> {
        let is_there = self.cloud_cover() > 0.0 && !terrain.has_overlay() && self.projection != PlanetProjection::Map;
        let sea = f64::from(terrain.sea_metres.max(terrain.range.0 * terrain.relief_metres));
        let exaggeration = f64::from(self.view.exaggeration);
        let radius = terrain.radius_metres;
        let height = clouds::cloud_shell_metres(self.view.cloud_height, self.view.exaggeration, radius);
        is_there.then(|| radius + (sea * exaggeration).max(0.0) + height)
    }
}

/// What shall be drawn of the planets of both sides, where there are any.
#[derive(Resource, Clone, Default)]
pub struct PlannedScenery(pub [Option<Arc<Scenery>>; 2]);
