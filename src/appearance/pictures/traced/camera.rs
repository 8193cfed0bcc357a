//! The camera of a ray-traced picture, in the scene's coordinates (east, south, up, in metres).

use crate::construction::geometry::plane::higher;
use crate::field::vector::{cross, dot};

/// A camera that looks at a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position in metres: east, south, up.
    pub eye: [f64; 3],
    /// Unit vector in the viewing direction. The next two fields are unit vectors to the right and upwards in the
    /// picture.
    ahead: [f64; 3],
    right: [f64; 3],
    above: [f64; 3],
    /// Half the height of the picture on a plane at distance 1 from the eye.
    half: f64,
}

fn unit(a: [f64; 3]) -> Option<[f64; 3]> {
    let long = dot(a, a).sqrt();
    (long > 1e-9).then(|| a.map(|c| c / long))
}

impl Camera {
    /// A camera at `eye` that looks at `target`; `fov_degrees` is the vertical field of view. If both positions are
    /// equal, the camera looks north.
    pub fn new(eye: [f64; 3], target: [f64; 3], fov_degrees: f64) -> Self {
        let way = std::array::from_fn(|k| target[k] - eye[k]);
        let ahead = unit(way).unwrap_or([0.0, -1.0, 0.0]);
        // The axes x east, y south, z up are left-handed, so the cross product of ahead and up points left.
        let right = unit(cross([0.0, 0.0, 1.0], ahead)).unwrap_or([1.0, 0.0, 0.0]);
        let above = cross(ahead, right);
        let half = libm::tan(0.5 * fov_degrees.clamp(1.0, 170.0) * (std::f64::consts::PI / 180.0));
        Self { eye, ahead, right, above, half }
    }

    /// A camera at `distance` from `target`, at an azimuth (clockwise from north) and an elevation, both in degrees.
    pub fn orbiting(target: [f64; 3], azimuth: f64, elevation: f64, distance: f64, fov_degrees: f64) -> Self {
        let [a, e] = [azimuth, elevation].map(|angle| angle * (std::f64::consts::PI / 180.0));
        let level = libm::cos(e) * distance;
        let away = [libm::sin(a) * level, -libm::cos(a) * level, libm::sin(e) * distance];
        Self::new(std::array::from_fn(|k| target[k] + away[k]), target, fov_degrees)
    }

    /// The direction from the eye to a point of the picture, given in pixels from the upper left corner.
    pub fn direction(&self, x: f64, y: f64, width: usize, height: usize) -> [f64; 3] {
        let (w, h) = (width as f64, height as f64);
        let (to_right, to_top) = ((2.0 * x - w) / h * self.half, (h - 2.0 * y) / h * self.half);
        let way = std::array::from_fn(|k| self.ahead[k] + to_right * self.right[k] + to_top * self.above[k]);
        unit(way).unwrap_or(self.ahead)
    }

    /// Width of a pixel on a plane at distance 1 from the eye.
    pub fn pixel(&self, height: usize) -> f64 {
        2.0 * self.half / higher(height as f64, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_faces_its_target_and_is_not_mirrored() {
        // A camera in the south looks north, so east must be on the right and up at the top.
        let camera = Camera::new([50.0, 200.0, 10.0], [50.0, 0.0, 10.0], 60.0);
        let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-12);
        assert!(near(camera.direction(40.0, 30.0, 80, 60), [0.0, -1.0, 0.0]));
        assert!(camera.direction(79.0, 30.0, 80, 60)[0] > 0.3);
        assert!(camera.direction(40.0, 1.0, 80, 60)[2] > 0.3);
        // The upper edge of the picture is half the field of view above the centre.
        let top = camera.direction(40.0, 0.0, 80, 60);
        assert!((top[2] - 0.5).abs() < 1e-12, "{top:?}");
        let around = Camera::orbiting([50.0, 0.0, 10.0], 180.0, 0.0, 200.0, 60.0);
        assert!(near(around.eye, camera.eye), "{:?}", around.eye);
    }
}
