//! Import of a planet from six files, one for each face: NAME-px, -nx, -py, -ny, -pz and -nz, squares of equal size.
//!
//! The samples are arranged as in the [cube-sphere](crate::field::globe): the first and last row and column of a file
//! are on the borders of its face. Neighbouring samples are separated by equal angles.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::projection::FACE_NAMES;
use crate::field::Globe;
use crate::field::globe::{direction_at, locate};
use crate::field::topology::FACES;
use crate::io::{Raster, RasterError, catmull_rom, raster};

/// The reason why six files cannot be read as a planet.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FacesError {
    /// The name of the file does not state a face of the planet.
    #[error(
        "{path} is not one of six faces: their names end with -px, -nx, -py, -ny, -pz and -nz, such as earth-px.png. Choose one of them, or read the file as a map"
    )]
    NoFace {
        /// The file with the unsuitable name.
        path: PathBuf,
    },
    /// The size of a face differs from the size of the first face.
    #[error("{path} has {width} × {height} samples; all six faces must be squares of {side} × {side}, like the first")]
    Size {
        /// The file that contains the unsuitable face.
        path: PathBuf,
        /// Samples per row of the face.
        width: usize,
        /// Number of rows of the face.
        height: usize,
        /// Samples per side of the first face.
        side: usize,
    },
    /// A face could not be read.
    #[error(transparent)]
    File(#[from] RasterError),
}

/// Names of all six files, derived from the name of any one of them.
pub fn face_names(name: &str) -> Result<[String; FACES], FacesError> {
    let path = Path::new(name);
    let no_face = || FacesError::NoFace { path: path.into() };
    let stem = path.file_stem().and_then(|stem| stem.to_str()).ok_or_else(no_face)?;
    let ending = |stem: &str| FACE_NAMES.iter().any(|face| stem.eq_ignore_ascii_case(face));
    let (before, _) = stem.rsplit_once('-').filter(|(_, last)| ending(last)).ok_or_else(no_face)?;
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    Ok(FACE_NAMES.map(|face| {
        let file = format!("{before}-{face}.{extension}");
        path.with_file_name(file).to_string_lossy().into_owned()
    }))
}

/// Heights of the six faces of a planet.
pub struct Faces {
    globe: Globe,
    /// Heights in the order of [`Globe`]'s samples. They are fractions of the relief, or in the unit that the caller of
    /// [`Faces::read`] chose.
    heights: Vec<f32>,
}

impl Faces {
    /// Reads all six files. `height` converts a value of a file to a height.
    ///
    /// # Errors
    /// When a file is missing or cannot be read, or the files do not match.
    pub fn read(name: &str, height: impl Fn(&Raster, f32) -> f32) -> Result<Self, FacesError> {
        let rasters = fitting(name)?;
        let mut heights = Vec::with_capacity(rasters.iter().map(|raster| raster.values.len()).sum());
        for raster in &rasters {
            heights.extend(raster.filled().iter().map(|&value| height(raster, value)));
        }
        let globe = Globe::new(rasters[0].width);
        globe.grid().close(&mut heights);
        Ok(Self { globe, heights })
    }

    /// Height in a direction. The interpolation is bilinear, or through 4 × 4 samples (Catmull & Rom 1974) if
    /// `is_smooth`. Near the border of a face, it includes samples of the neighbouring face.
    pub fn sample(&self, direction: [f64; 3], is_smooth: bool) -> f32 {
        if !is_smooth {
            return self.globe.sample(&self.heights, direction);
        }
        let (face, u, v) = locate(direction);
        let n = self.globe.samples() as isize;
        let last = (n - 1) as f64;
        let cell = |t: f64| {
            let x = t * last;
            let first = (x as isize).min(n - 2);
            (first, (x - first as f64) as f32)
        };
        let ((j, right), (i, down)) = (cell(u), cell(v));
        let at = |i: isize, j: isize| {
            if (0..n).contains(&i) && (0..n).contains(&j) {
                return self.heights[((face as isize * n + i) * n + j) as usize];
            }
            self.globe.sample(&self.heights, direction_at(face, j as f64 / last, i as f64 / last))
        };
        let row = |i: isize| catmull_rom([-1, 0, 1, 2].map(|k| at(i, j + k)), right);
        catmull_rom([-1, 0, 1, 2].map(|k| row(i + k)), down)
    }
}

/// The contents of the six files, which are squares of equal size.
///
/// # Errors
/// As for [`Faces::read`].
pub fn fitting(name: &str) -> Result<Vec<Arc<Raster>>, FacesError> {
    let names = face_names(name)?;
    let rasters = names.iter().map(|name| raster(name)).collect::<Result<Vec<_>, _>>()?;
    let side = rasters[0].width;
    for (name, raster) in names.iter().zip(&rasters) {
        let (width, height) = (raster.width, raster.height);
        if (width, height) != (side, side) {
            return Err(FacesError::Size { path: name.into(), width, height, side });
        }
    }
    Ok(rasters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_all_faces_follow_from_one() {
        let names = face_names("/maps/my-earth-nz.png").unwrap();
        assert_eq!((names[0].as_str(), names[5].as_str()), ("/maps/my-earth-px.png", "/maps/my-earth-nz.png"));
        for wrong in ["", "earth.png", "px.png", "earth-pq.png"] {
            let message = face_names(wrong).unwrap_err().to_string();
            assert!(message.contains(wrong) && message.contains("-nz"), "{message}");
        }
    }

    #[test]
    fn heights_between_samples_are_smooth_over_face_borders() {
        let globe = Globe::new(65);
        let law = |[x, y, z]: [f64; 3]| (x * x - 0.7 * y * z + 0.3 * z) as f32;
        let heights = (0..globe.len()).map(|k| globe.direction_of(k).map(f64::from)).map(law).collect();
        let faces = Faces { globe, heights };
        let (mut smooth, mut straight) = (0.0_f32, 0.0_f32);
        for k in 0..20_000 {
            // The directions follow a spiral from pole to pole.
            let z = f64::from(k) / 10_000.0 - 1.0;
            let (turn, level) = (f64::from(k) * 2.399_963, (1.0 - z * z).sqrt());
            let direction = [level * libm::cos(turn), level * libm::sin(turn), z];
            smooth = smooth.max((faces.sample(direction, true) - law(direction)).abs());
            straight = straight.max((faces.sample(direction, false) - law(direction)).abs());
        }
        assert!(straight < 4e-4 && smooth < 0.4 * straight, "{straight} straight, {smooth} smooth");
    }
}
