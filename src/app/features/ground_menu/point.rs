//! A point of the terrain with its properties. Also the point under the pointer and the point that was clicked last.

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

/// A point of the terrain with its height and other properties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickedPoint {
    /// Position: distances from the west and the north edge as fractions of the side length. On a planet, they are
    /// fractions of a map of all longitudes and latitudes.
    pub place: [f32; 2],
    /// Index of the nearest sample.
    pub sample: usize,
    pub height_metres: f32,
    pub slope_degrees: f32,
    /// Metres from the west and the north edge; 0 on a planet.
    pub metres: [f32; 2],
    /// Latitude and longitude in degrees, on a planet.
    pub latitude_longitude: Option<[f32; 2]>,
}

impl PickedPoint {
    /// The point of a terrain at a position given as fractions of its side length.
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

    /// The point of a planet. `on_map` is its position as fractions of a map of all longitudes and latitudes.
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

    /// Position and height of the point as one line of text.
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

    /// The view command that moves the camera close to the point.
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

/// The point under the pointer, and the clicked point.
#[derive(Resource, Default)]
pub struct GroundMenuState {
    /// The terrain on screen.
    pub terrain: Option<Arc<Terrain>>,
    /// The point under the pointer.
    pub under: Option<PickedPoint>,
    /// The point that the menu applies to.
    pub picked: Option<PickedPoint>,
    /// Screen position of the menu, in points.
    pub(super) at: Option<[f32; 2]>,
    /// Whether the menu opens in the next frame.
    pub(super) is_asked: bool,
}

impl GroundMenuState {
    /// Opens the menu for the point under the pointer, at the screen position `at`. Returns whether there is terrain
    /// under the pointer.
    pub(super) fn pick(&mut self, at: [f32; 2]) -> bool {
        if self.under.is_some() {
            (self.picked, self.at) = (self.under, Some(at));
        }
        self.under.is_some()
    }

    /// Opens the menu at the screen position `at` for a point that was clicked in another panel.
    pub fn open_menu(&mut self, point: PickedPoint, at: [f32; 2]) {
        (self.picked, self.at, self.is_asked) = (Some(point), Some(at), true);
    }
}

/// Updates the point under the pointer.
pub(super) fn update_point(
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
        // skip this frame: the terrain on screen still belongs to the previous scene
        None if terrain.grid.is_globe() => None,
        None => probe.hit.map(|hit| PickedPoint {
            // use the height of the drawn surface, because a construction is drawn in finer detail than the grid
            height_metres: hit.height_metres,
            ..PickedPoint::on_square(terrain, &scene.settings, [hit.u, hit.v])
        }),
    });
    state.terrain = terrain.cloned();
}
