//! The lens of the camera: field of view, image size and projection.

use glam::Vec2;

/// Vertical field of view in radians: a moderate telephoto lens, which flatters relief.
pub const FIELD_OF_VIEW: f32 = 0.60;

/// Projection of the terrain into the image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ViewProjection {
    /// Distant objects appear smaller.
    #[default]
    Perspective,
    /// Equal lengths appear equal at any distance, so that they can be measured in the image. The projection is
    /// implemented as a perspective with a very narrow field of view. Over a depth equal to the height of the image,
    /// parallel lines converge by a thousandth of that height. All code that needs an eye position therefore works
    /// unchanged.
    Orthographic,
}

impl ViewProjection {
    /// Vertical field of view in radians.
    pub fn field_of_view(self) -> f32 {
        match self {
            Self::Perspective => FIELD_OF_VIEW,
            Self::Orthographic => 0.002,
        }
    }

    /// Distance of the eye from its target, as a multiple of the distance in perspective projection.
    pub fn distance_factor(self) -> f32 {
        (0.5 * FIELD_OF_VIEW).tan() / (0.5 * self.field_of_view()).tan()
    }
}

/// Field of view of the camera and size of its image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// Vertical field of view of the camera in radians.
    pub fov_y: f32,
    /// Width and height of the image in logical pixels.
    pub size: Vec2,
}

impl Lens {
    pub fn aspect(&self) -> f32 {
        self.size.x / self.size.y
    }

    /// Tangents of half the horizontal and half the vertical field of view.
    pub fn tangents(&self) -> Vec2 {
        let up = (0.5 * self.fov_y).tan();
        Vec2::new(up * self.aspect(), up)
    }
}
