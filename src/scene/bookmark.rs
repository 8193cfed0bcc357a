//! Camera bookmarks: saved camera positions over a terrain.

use serde::{Deserialize, Serialize};

/// Maximum number of bookmarks in a scene.
pub const MAX_BOOKMARKS: usize = 100;
/// Maximum distance of a camera from the terrain, in metres.
const FARTHEST_METRES: f32 = 1.0e8;

/// Position and viewing direction of a camera over a square terrain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CameraBookmark {
    /// Name shown to the user.
    pub name: String,
    /// Metres from the west edge.
    pub east: f32,
    /// Metres from the north edge.
    pub south: f32,
    /// Metres above the datum.
    pub height: f32,
    /// Viewing direction in degrees, clockwise from north.
    pub heading: f32,
    /// Angle above the horizontal in degrees, from -90 to 90; negative looks down.
    pub tilt: f32,
}

impl CameraBookmark {
    /// East, south and height in metres, heading and tilt in degrees.
    pub fn view(&self) -> [f32; 5] {
        [self.east, self.south, self.height, self.heading, self.tilt]
    }

    /// Whether the numbers are finite and within the range of a camera.
    pub fn is_sound(&self) -> bool {
        let [east, south, height, heading, tilt] = self.view();
        let near = [east, south, height].iter().all(|metres| metres.abs() <= FARTHEST_METRES);
        near && heading.abs() <= 720.0 && tilt.abs() <= 90.0
    }
}
