//! Import of meshes from any program as heights: GLB and glTF, OBJ, PLY and STL.
//!
//! [`MeshSurface::read`] reads the triangles. [`MeshSurface::heights`] projects the triangles from above onto the
//! samples of a grid. At each sample the highest surface wins; samples under no triangle are holes. The import refuses
//! files that are broken, do not fit into memory, or would take hours, and explains the reason.

mod gltf;
mod obj;
mod ply;
mod stl;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::bounds;
use super::formats::UpAxis;
use crate::field::{Cancelled, Control};
use crate::io::formats::RasterNote;
use crate::io::memory::shortage;

/// Maximum number of vertices in a file; also the maximum number of triangles.
const MOST: usize = 1 << 28;
/// Maximum absolute height in metres, beyond the heights of any planet. Heightmaps have the same limit.
const MOST_METRES: f32 = 1.0e7;
/// Maximum total area of the triangles' bounding rectangles in plan view, as a multiple of the grid's area. A larger
/// number means that the file is not a terrain, or is malicious.
const DEEPEST_PILE: f64 = 4096.0;
/// Number of triangles between two checks for cancellation.
const BETWEEN_LOOKS: usize = 1 << 12;

/// The reason why a mesh could not be read as heights.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshReadError {
    /// The system could not read the file.
    #[error("cannot read {path}: {message}")]
    Read {
        /// Path of the file to read.
        path: PathBuf,
        /// Cause of the error, in words.
        message: String,
    },
    /// The file extension does not belong to a mesh format.
    #[error("{path} is not a supported mesh; supported are .glb, .gltf, .obj, .ply and .stl")]
    Extension {
        /// Path of the file to read.
        path: PathBuf,
    },
    /// The file is broken, or uses an unsupported feature.
    #[error("{path}: {message}")]
    Broken {
        /// Path of the file to read.
        path: PathBuf,
        /// Cause and location of the error.
        message: String,
    },
    /// The mesh does not fit into memory.
    #[error("{path} {shortage}; reduce the mesh first, or close other programs")]
    Memory {
        /// Path of the file to read.
        path: PathBuf,
        /// Required and free memory, in words.
        shortage: String,
    },
    /// The projection of the mesh from above has no area.
    #[error("the mesh has no area in plan view. Choose another up axis")]
    NoArea,
    /// The heights are implausible as metres.
    #[error(
        "the heights of the mesh range from {low} to {high} m; the limit is {MOST_METRES} m up or down. Check that its unit is metres"
    )]
    TooHigh {
        /// Lowest height, in metres.
        low: f32,
        /// Highest height, in metres.
        high: f32,
    },
    /// The triangles cover the grid too many times over.
    #[error("the triangles of the mesh cover the area {times:.0} times over, so it is not a terrain")]
    TooManyLayers {
        /// Total area of the triangles' bounding rectangles in plan view, as a multiple of the grid's area.
        times: f64,
    },
    /// The caller cancelled the import.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// A triangle mesh with x to the east, y up, z to the south, in the unit of the file. The program assumes that this
/// unit is the metre, although some programs write other units.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshSurface {
    /// Vertex positions.
    pub positions: Vec<[f32; 3]>,
    /// The three vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Notes about data in the file that the reader changed or left out.
    pub notes: Vec<RasterNote>,
}

/// Whether a part with this name is a water surface, which Talweg and other programs write in addition to the ground.
fn is_water(name: &str) -> bool {
    ["water", "sea", "ocean", "lake"].iter().any(|known| name.trim().eq_ignore_ascii_case(known))
}

/// The note about a water surface that was left out.
fn water_note() -> RasterNote {
    RasterNote::new(
        "water",
        "it has a part named water, sea, ocean or lake, which is left out as a water surface; the ground below it is read",
    )
}

/// Heights of a mesh on a grid, row by row from the north-west corner.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightsFromAbove {
    /// Number of samples per row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Heights in metres; NaN in holes.
    pub metres: Vec<f32>,
    /// Distance in metres from the first sample of a row to the last.
    pub width_metres: f32,
    /// Distance in metres from the first row to the last.
    pub height_metres: f32,
}

impl HeightsFromAbove {
    /// Number of samples under no triangle.
    pub fn holes(&self) -> usize {
        self.metres.iter().filter(|metres| metres.is_nan()).count()
    }
}

/// Whether `path` has the extension of a readable mesh.
pub fn is_mesh(path: &Path) -> bool {
    reader(path).is_some()
}

/// Parses the bytes of a mesh file. The path of the file is needed to find other files that it refers to.
type MeshReader = fn(&[u8], &Path) -> Result<MeshSurface, String>;

/// Returns the reader for the file extension, the default up axis of the format, and whether the caller may choose
/// another up axis.
fn reader(path: &Path) -> Option<(MeshReader, UpAxis, bool)> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "glb" | "gltf" => (gltf::read, UpAxis::Y, false),
        "obj" => (obj::read, UpAxis::Y, true),
        "ply" => (ply::read, UpAxis::Z, true),
        "stl" => (stl::read, UpAxis::Z, true),
        _ => return None,
    })
}

impl MeshSurface {
    /// Reads a mesh file. `up` is the up axis of the file. `None` means the default of the format: z for PLY and STL, y
    /// for OBJ. In glTF the up axis is always y.
    ///
    /// # Errors
    /// When the file cannot be read or parsed.
    pub fn read(path: &Path, up: Option<UpAxis>) -> Result<Self, MeshReadError> {
        let failed = |error: std::io::Error| MeshReadError::Read { path: path.into(), message: error.to_string() };
        let (read, usual, is_open) = reader(path).ok_or_else(|| MeshReadError::Extension { path: path.into() })?;
        let about = std::fs::metadata(path).map_err(failed)?;
        // Reading from a pipe or a device could block forever.
        if !about.is_file() {
            return Err(MeshReadError::Read { path: path.into(), message: "it is not a file".into() });
        }
        // The memory must hold both the bytes of the file and the mesh.
        if let Some(shortage) = shortage(about.len().saturating_mul(2)) {
            return Err(MeshReadError::Memory { path: path.into(), shortage });
        }
        let bytes = std::fs::read(path).map_err(failed)?;
        let broken = |message| MeshReadError::Broken { path: path.into(), message };
        let mut surface = read(&bytes, path).map_err(broken)?;
        drop(bytes);
        surface.check().map_err(broken)?;
        if up.filter(|_| is_open).unwrap_or(usual) == UpAxis::Z {
            for [_, y, z] in &mut surface.positions {
                (*y, *z) = (*z, -*y);
            }
        }
        Ok(surface)
    }

    /// Checks that positions are finite and that triangles refer to existing vertices.
    fn check(&self) -> Result<(), String> {
        if self.positions.len() > MOST || self.triangles.len() > MOST {
            return Err(format!("more than {MOST} vertices or triangles; reduce the mesh first"));
        }
        if self.triangles.is_empty() {
            return Err("it has no triangles".into());
        }
        if let Some(k) = self.positions.iter().position(|place| place.iter().any(|x| !x.is_finite())) {
            return Err(format!("vertex {} has an invalid position: {:?}", k + 1, self.positions[k]));
        }
        let count = self.positions.len() as u32;
        match self.triangles.iter().position(|triangle| triangle.iter().any(|&k| k >= count)) {
            Some(k) => Err(format!(
                "triangle {} refers to vertex {}, but there are only {count}",
                k + 1,
                self.triangles[k].iter().max().map_or(0, |&k| u64::from(k) + 1)
            )),
            None => Ok(()),
        }
    }

    /// Projects the mesh from above onto `width` × `height` samples. The outermost samples are on the edges of the
    /// mesh's bounding rectangle. At each sample the highest surface wins.
    ///
    /// # Errors
    /// When the operation is cancelled, the mesh covers no area in plan view, or it is not a terrain.
    pub fn heights(&self, width: usize, height: usize, control: &Control) -> Result<HeightsFromAbove, MeshReadError> {
        let (width, height) = (width.max(2), height.max(2));
        let (low, high) = bounds(&self.positions);
        if low[1].abs().max(high[1].abs()) > MOST_METRES {
            return Err(MeshReadError::TooHigh { low: low[1], high: high[1] });
        }
        let size = [0, 2].map(|axis| f64::from(high[axis]) - f64::from(low[axis]));
        if size.iter().any(|&size| size <= 0.0) {
            return Err(MeshReadError::NoArea);
        }
        // Positions are in grid steps, measured from the first sample.
        let steps = [(width - 1) as f64 / size[0], (height - 1) as f64 / size[1]];
        let place = |k: u32| {
            let [x, y, z] = self.positions[k as usize].map(f64::from);
            [(x - f64::from(low[0])) * steps[0], (z - f64::from(low[2])) * steps[1], y]
        };
        let covered: f64 = self
            .triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(place);
                let long = |axis: usize| a[axis].max(b[axis]).max(c[axis]) - a[axis].min(b[axis]).min(c[axis]);
                (long(0) + 1.0) * (long(1) + 1.0)
            })
            .sum();
        let times = covered / (width * height) as f64;
        if times > DEEPEST_PILE && covered > 1e9 {
            return Err(MeshReadError::TooManyLayers { times });
        }
        let mut metres = vec![f32::NAN; width * height];
        let bands = 4 * rayon::current_num_threads();
        let rows = height.div_ceil(bands);
        metres.par_chunks_mut(rows * width).enumerate().try_for_each(|(band, heights)| {
            let first = band * rows;
            let mut band = RasterBand { heights, width, first };
            for (k, triangle) in self.triangles.iter().enumerate() {
                if k.is_multiple_of(BETWEEN_LOOKS) {
                    control.check()?;
                }
                band.add(triangle.map(place));
            }
            Ok::<(), Cancelled>(())
        })?;
        let [width_metres, height_metres] = size.map(|size| size as f32);
        Ok(HeightsFromAbove { width, height, metres, width_metres, height_metres })
    }
}

/// A band of grid rows, and the heights of its samples.
struct RasterBand<'a> {
    heights: &'a mut [f32],
    width: usize,
    /// Index of the first row of the band.
    first: usize,
}

impl RasterBand<'_> {
    /// Raises each sample under a triangle to at least the height of the triangle. The corners of the triangle are in
    /// grid steps (x, y) and metres (height).
    fn add(&mut self, [a, b, c]: [[f64; 3]; 3]) {
        /// Tolerance for samples on an edge of the triangle, in grid steps.
        const NEAR: f64 = 1e-6;
        let rows = self.heights.len() / self.width;
        let low = |axis: usize| a[axis].min(b[axis]).min(c[axis]) - NEAR;
        let high = |axis: usize| a[axis].max(b[axis]).max(c[axis]) + NEAR;
        // Triangles outside the band are skipped, which also avoids overflow.
        if high(1) < self.first as f64 || low(1) > (self.first + rows - 1) as f64 {
            return;
        }
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        // Vertical triangles are invisible from above.
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let clamped = |value: f64, last: usize| value.clamp(0.0, last as f64) as usize;
        let top = clamped(low(1).ceil(), self.first + rows - 1).max(self.first);
        let bottom = clamped(high(1).floor(), self.first + rows - 1);
        let (left, right) = (clamped(low(0).ceil(), self.width - 1), clamped(high(0).floor(), self.width - 1));
        let edges = [(a, b), (b, c), (c, a)].map(|(p, q)| {
            let along = [q[0] - p[0], q[1] - p[1]];
            (p, along, NEAR * (along[0] * along[0] + along[1] * along[1]).sqrt())
        });
        let side = area.signum();
        for row in top..=bottom {
            let y = row as f64;
            for column in left..=right {
                let x = column as f64;
                // The left side of the comparison is the distance of the sample from the edge, multiplied by the length
                // of the edge.
                let is_inside = edges
                    .iter()
                    .all(|(p, along, near)| side * (along[0] * (y - p[1]) - along[1] * (x - p[0])) >= -near);
                if is_inside {
                    let weight_b = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area;
                    let weight_c = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area;
                    let metres = a[2] + weight_b * (b[2] - a[2]) + weight_c * (c[2] - a[2]);
                    // Rounding on slivers can extrapolate beyond the heights of the triangle's corners.
                    let metres = metres.clamp(a[2].min(b[2]).min(c[2]), a[2].max(b[2]).max(c[2])) as f32;
                    let here = &mut self.heights[(row - self.first) * self.width + column];
                    *here = here.max(metres);
                }
            }
        }
    }
}

/// Error text for a truncated file.
fn cut_off(bytes: usize, length: Option<usize>) -> String {
    let of = length.map_or_else(|| "fewer than it needs".into(), |length| format!("of {length}"));
    format!(
        "it ends too early: it has {bytes} bytes, {of}. It was cut off while it was written, copied or downloaded; download or copy it again, or export it again from its source"
    )
}

/// Adds a polygon with the given corners as a fan of triangles.
fn add_fan(triangles: &mut Vec<[u32; 3]>, corners: &[u32]) {
    for pair in corners.windows(2).skip(1) {
        triangles.push([corners[0], pair[0], pair[1]]);
    }
}

/// The `N` bytes at an offset of a file; `None` beyond the end of the file.
fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> MeshSurface {
        MeshSurface { positions: positions.to_vec(), triangles: triangles.to_vec(), notes: Vec::new() }
    }

    #[test]
    fn the_highest_surface_counts_and_holes_are_reported() {
        // The mesh is a level square at a height of 1 m, above half of a slope that descends to the east.
        let positions = [
            [0.0, 4.0, 0.0],
            [4.0, 0.0, 0.0],
            [4.0, 0.0, 4.0],
            [0.0, 4.0, 4.0],
            [2.0, 3.0, 0.0],
            [4.0, 3.0, 0.0],
            [4.0, 3.0, 4.0],
        ];
        let mesh = surface(&positions, &[[0, 3, 2], [0, 2, 1], [4, 6, 5]]);
        let seen = mesh.heights(5, 5, &Control::default()).unwrap();
        assert_eq!((seen.width_metres, seen.height_metres, seen.holes()), (4.0, 4.0, 0));
        assert_eq!(seen.metres[..5], [4.0, 3.0, 3.0, 3.0, 3.0]);
        assert_eq!(seen.metres[20..], [4.0, 3.0, 2.0, 1.0, 3.0]);
        let corner = surface(&positions, &[[0, 3, 1]]);
        let seen = corner.heights(5, 5, &Control::default()).unwrap();
        assert_eq!(seen.holes(), 10);
        assert!(seen.metres[24].is_nan() && seen.metres[20] == 4.0);
    }

    #[test]
    fn meshes_that_are_no_terrain_are_refused() {
        let wall = surface(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], &[[0, 1, 2]]);
        assert_eq!(wall.heights(4, 4, &Control::default()), Err(MeshReadError::NoArea));
        let high = surface(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1e9, 1.0]], &[[0, 1, 2]]);
        assert!(matches!(high.heights(4, 4, &Control::default()), Err(MeshReadError::TooHigh { .. })));
        let pile = surface(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 1.0]], &vec![[0, 1, 2]; 5000]);
        assert!(matches!(pile.heights(1000, 1000, &Control::default()), Err(MeshReadError::TooManyLayers { .. })));
        assert!(pile.heights(16, 16, &Control::default()).is_ok());
        let far = surface(&[[-3e38, 0.0, 0.0], [3e38, 0.0, 0.0], [1.0, 1.0, 1.0]], &[[0, 1, 2]]);
        assert_eq!(far.heights(4, 4, &Control::default()).unwrap().metres.len(), 16);
    }
}
