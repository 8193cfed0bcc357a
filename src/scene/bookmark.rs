//! Camera bookmarks: saved camera positions over a terrain.

use serde::{Deserialize, Serialize};

/// Maximum number of bookmarks in a scene.
pub const MAX_BOOKMARKS: usize = 100;
/// Maximum distance of a camera from the terrain, in metres.
const MAX_DISTANCE_METRES: f32 = 1.0e8;

/// Position and viewing direction of a camera over a square terrain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CameraBookmark {
    /// Name of the bookmark in the window.
    pub name: String,
    /// Distance of the camera from the west edge, in metres.
    pub east: f32,
    /// Distance of the camera from the north edge, in metres.
    pub south: f32,
    /// Height of the camera above the datum, in metres.
    pub height: f32,
    /// Viewing direction in degrees, clockwise from north.
    pub heading: f32,
    /// Angle above the horizontal in degrees, from -90 to 90; with a negative angle the camera looks down.
    pub tilt: f32,
}

impl CameraBookmark {
    /// The camera as five numbers: east, south and height in metres, heading and tilt in degrees.
    pub fn view(&self) -> [f32; 5] {
        [self.east, self.south, self.height, self.heading, self.tilt]
    }

    /// Whether all numbers are finite and within the range of a camera.
    pub fn is_valid(&self) -> bool {
        let [east, south, height, heading, tilt] = self.view();
        let near = [east, south, height].iter().all(|metres| metres.abs() <= MAX_DISTANCE_METRES);
        near && heading.abs() <= 720.0 && tilt.abs() <= 90.0
    }
}
