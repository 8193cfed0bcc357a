//! A place of the ground with what it is like there, and the one that was clicked last.

use std::sync::Arc;

use bevy::prelude::*;

use crate::frame::editor::Editor;
use crate::frame::evaluation::EvaluationClient;
use crate::frame::units;
use crate::view::{GlobeProbe, Probe, SIDE_WORLD, ViewCommand};
use talweg::field::globe::{from_angles, locate};
use talweg::field::{Terrain, globe_slope_degrees, slope_degrees};
use talweg::planet::Planet;
use talweg::scene::{Scene, Settings};

/// A place of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickedPoint {
    /// Shares of the square to the east and to the south; of a planet those of a map of all longitudes and latitudes.
    pub place: [f32; 2],
    /// Index of the sample next to it.
    pub sample: usize,
    pub height_metres: f32,
    pub slope_degrees: f32,
    /// Metres from the west and the north edge; of a planet nothing.
    pub metres: [f32; 2],
    /// On a planet, in degrees.
    pub latitude_longitude: Option<[f32; 2]>,
}

impl PickedPoint {
    /// The place of a square at shares of its side.
    pub fn on_square(terrain: &Terrain, settings: &Settings, [u, v]: [f32; 2]) -> Self {
        let n = terrain.samples();
        let [column, row] = [u, v].map(|share| ((share * (n - 1) as f32).round().max(0.0) as usize).min(n - 1));
        Self {
            place: [u, v],
            sample: row * n + column,
            height_metres: terrain.height_at(u, v) * settings.relief_metres,
            slope_degrees: slope_degrees(terrain.grid, &terrain.height, row, column, settings.relief_over_size()),
            metres: [u, v].map(|share| share * settings.size_metres),
            latitude_longitude: None,
        }
    }

    /// The place of a planet; `on_map` are its shares of a map.
    fn on_planet(
        terrain: &Terrain,
        scene: &Scene,
        planet: &Planet,
        degrees: [f32; 2],
        on_map: [f32; 2],
        height: f32,
    ) -> Option<Self> {
        let globe = terrain.grid.shape()?;
        let [latitude, longitude] = degrees.map(|degrees| f64::from(degrees.to_radians()));
        let direction = from_angles(latitude, longitude);
        let (face, u, v) = locate(direction);
        let last = (globe.samples() - 1) as f64;
        let [column, row] = [u, v].map(|share| (share * last).round() as usize);
        let sample = (face * globe.samples() + row) * globe.samples() + column;
        let relief = scene.settings.relief_metres / planet.radius_metres;
        Some(Self {
            place: on_map,
            sample,
            height_metres: height,
            slope_degrees: globe_slope_degrees(&globe, &terrain.height, sample, relief),
            metres: [0.0; 2],
            latitude_longitude: Some(degrees),
        })
    }

    /// Position and height in one line.
    pub fn text(&self) -> String {
        match self.latitude_longitude {
            Some([latitude, longitude]) => {
                format!("{latitude:.4}° N, {longitude:.4}° E, height {}", units::metres(self.height_metres, 1))
            }
            None => {
                let [east, south] = self.metres;
                let [east, south] = [east, south].map(|metres| units::metres(metres, 1));
                format!("{east} E, {south} S, height {}", units::metres(self.height_metres, 1))
            }
        }
    }

    /// What brings the camera there.
    pub fn look(&self, settings: &Settings) -> ViewCommand {
        if let Some([latitude, longitude]) = self.latitude_longitude {
            let above = 40.0 * f64::from(settings.relief_metres);
            return ViewCommand::Over { place: [f64::from(latitude), f64::from(longitude), above, 0.0, -60.0] };
        }
        let [x, z] = self.place.map(|share| (share - 0.5) * SIDE_WORLD);
        let at = Vec3::new(x, self.height_metres * SIDE_WORLD / settings.size_metres, z);
        let half = Vec3::new(0.06, 0.01, 0.06) * SIDE_WORLD;
        ViewCommand::Look { low_world: at - half, high_world: at + half }
    }
}

/// The place under the pointer, and the one that was clicked.
#[derive(Resource, Default)]
pub struct GroundMenuState {
    /// The terrain on screen.
    pub terrain: Option<Arc<Terrain>>,
    /// What lies under the pointer.
    pub under: Option<PickedPoint>,
    /// What the menu is about.
    pub picked: Option<PickedPoint>,
    /// Where the menu opens, in points.
    pub(super) at: Option<[f32; 2]>,
    /// The menu is wanted in the next frame.
    pub(super) is_asked: bool,
}

impl GroundMenuState {
    /// The menu is about what lies under the pointer; whether there is ground.
    pub(super) fn pick(&mut self, at: [f32; 2]) -> bool {
        if self.under.is_some() {
            (self.picked, self.at) = (self.under, Some(at));
        }
        self.under.is_some()
    }

    /// Opens the menu about a place that was clicked elsewhere, at a point of the screen.
    pub fn ask(&mut self, point: PickedPoint, at: [f32; 2]) {
        (self.picked, self.at, self.is_asked) = (Some(point), Some(at), true);
    }
}

/// What lies under the pointer.
pub(super) fn tell(
    mut state: ResMut<GroundMenuState>,
    (probe, globe): (Res<Probe>, Res<GlobeProbe>),
    evaluation: Res<EvaluationClient>,
    editor: Res<Editor>,
) {
    let scene = editor.doc.scene();
    let terrain = evaluation.terrain.as_ref();
    state.under = terrain.and_then(|terrain| match scene.as_planet() {
        Some(planet) => globe.hit.and_then(|hit| {
            let degrees = [hit.latitude, hit.longitude];
            PickedPoint::on_planet(terrain, scene, planet, degrees, hit.on_map(), hit.height_metres)
        }),
        // what is on screen may still be of the scene before
        None if terrain.grid.is_globe() => None,
        None => probe.hit.map(|hit| PickedPoint {
            // a tree is drawn finer than the grid
            height_metres: hit.height_metres,
            ..PickedPoint::on_square(terrain, &scene.settings, [hit.u, hit.v])
        }),
    });
    state.terrain = terrain.cloned();
}
