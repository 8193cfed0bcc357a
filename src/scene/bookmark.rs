//! Places of the camera over a terrain that somebody kept.

use serde::{Deserialize, Serialize};

/// A scene keeps so many at the most.
pub const MAX_BOOKMARKS: usize = 100;
/// How far from the terrain a camera can be, in metres.
const FARTHEST_METRES: f32 = 1.0e8;

/// Where a camera stood over a square terrain, and where it looked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CameraBookmark {
    /// What people call it.
    pub name: String,
    /// Metres from the west edge.
    pub east: f32,
    /// Metres from the north edge.
    pub south: f32,
    /// Metres above the datum.
    pub height: f32,
    /// In degrees, clockwise from north.
    pub heading: f32,
    /// In degrees, negative downwards; from -90 to 90.
    pub tilt: f32,
}

impl CameraBookmark {
    /// East, south and height in metres, heading and tilt in degrees.
    pub fn view(&self) -> [f32; 5] {
        [self.east, self.south, self.height, self.heading, self.tilt]
    }

    /// Whether a camera can stand there.
    pub fn is_sound(&self) -> bool {
        let [east, south, height, heading, tilt] = self.view();
        let near = [east, south, height].iter().all(|metres| metres.abs() <= FARTHEST_METRES);
        near && heading.abs() <= 720.0 && tilt.abs() <= 90.0
    }
}
