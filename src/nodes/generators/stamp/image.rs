//! Images as stamps. A stamp uses the disc inscribed in the image, and the values on the disc's rim count as level
//! terrain.

use std::sync::Arc;

use talweg_ground::field::smooth_step;
use talweg_ground::io::Raster;
use talweg_ground::io::formats::ReadOptions;
use talweg_ground::mesh::raster_or_mesh;
use talweg_ground::param::ImageFile;

talweg_ground::choices! {
    /// Rotation of images before they are stamped.
    StampTurn {
        Any "Any": "Images are rotated by any angle.",
        Quarters "Quarters": "Images are rotated by 0, 90, 180 or 270°.",
        Unturned "Not at all": "No rotation.",
    }
}

impl StampTurn {
    /// Cosine and sine of the random rotation that the bits `draw` select.
    pub fn cos_sin(self, draw: u16) -> [f32; 2] {
        match self {
            Self::Any => {
                let angle = f64::from(draw) * (std::f64::consts::TAU / 65536.0);
                [libm::cos(angle) as f32, libm::sin(angle) as f32]
            }
            Self::Quarters => [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]][(draw & 3) as usize],
            Self::Unturned => [1.0, 0.0],
        }
    }
}

/// An image to stamp into the terrain.
pub struct StampImage {
    raster: Arc<Raster>,
    /// Mean value along the rim of the disc; it counts as level terrain.
    rim: f32,
}

/// Fraction of the radius over which a stamp fades out towards its rim, regardless of its image.
const FADE: f32 = 0.12;

impl StampImage {
    /// Reads the image of `file`; `None` if it cannot be read.
    pub fn open(file: &ImageFile) -> Option<Self> {
        let raster = if file.0.is_empty() { None } else { raster_or_mesh(&file.0, ReadOptions::default()).ok() }?;
        let rim = raster.rim_value();
        Some(Self { raster, rim })
    }

    /// Height of the stamp at the position (x, y), measured from its centre in radii; 0 beyond a distance of 1.
    pub fn value_at(&self, x: f32, y: f32) -> f32 {
        let within = x * x + y * y;
        if within >= 1.0 {
            return 0.0;
        }
        let t = ((1.0 - within.sqrt()) * (1.0 / FADE)).min(1.0);
        (self.raster.bilinear(0.5 + 0.5 * x, 0.5 + 0.5 * y) - self.rim) * smooth_step(t)
    }
}
