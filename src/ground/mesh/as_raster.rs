//! Reads files where the program expects a heightmap or an image. The file can be a raster, or a mesh that is projected
//! from above.

use std::path::Path;
use std::sync::Arc;

use super::import::{MeshReadError, MeshSurface, is_mesh};
use crate::field::Control;
use crate::io::formats::{DecodedRaster, GeoReference, ReadOptions, SampleMeaning};
use crate::io::memory::shortage;
use crate::io::{Raster, RasterError, is_built_in, raster_as, raster_from_reader};

/// Minimum number of samples along the longer side of a mesh; `MOST` is the maximum number.
const FEWEST: usize = 1025;
const MOST: usize = 8193;
/// Maximum ratio between the samples along a row and the triangles along a row, if all triangles had equal size. In
/// meshes with few triangles, this ratio limits the influence of a single sliver on the spacing.
const MOST_FOR_TRIANGLE: f64 = 32.0;

/// The raster called `name` as from [`raster_as`], or the heights of a mesh (GLB, OBJ, PLY, STL) projected from above.
/// A mesh provides heights in metres and its own width; samples under no triangle have no data.
///
/// # Errors
/// When the file does not exist, or cannot be parsed.
pub fn raster_or_mesh(name: &str, options: ReadOptions) -> Result<Arc<Raster>, RasterError> {
    if is_built_in(name) || !is_mesh(Path::new(name)) {
        return raster_as(name, options);
    }
    raster_from_reader(name, from_above)
}

fn from_above(path: &Path) -> Result<DecodedRaster, RasterError> {
    let failed = |error: MeshReadError| match error {
        MeshReadError::Read { message, .. } => RasterError::Read { path: path.into(), message },
        MeshReadError::Memory { shortage, .. } => RasterError::Memory { path: path.into(), shortage },
        MeshReadError::TooHigh { low, high } => RasterError::TooHigh { path: path.into(), low, high },
        MeshReadError::Broken { message, .. } => unreadable(path, message),
        other => unreadable(path, other.to_string()),
    };
    let surface = MeshSurface::read(path, None).map_err(failed)?;
    let (low, high) = super::bounds(&surface.positions);
    let size = [0, 2].map(|axis| f64::from(high[axis]) - f64::from(low[axis]));
    let longest = samples_along(&surface, size);
    let share = |side: f64| if side > 0.0 { side / size[0].max(size[1]) } else { 1.0 };
    let [width, height] = size.map(|side| ((longest - 1) as f64 * share(side)).round() as usize + 1);
    if let Some(shortage) = shortage((width * height * size_of::<f32>()) as u64) {
        return Err(RasterError::Memory { path: path.into(), shortage });
    }
    let seen = surface.heights(width, height, &Control::default()).map_err(failed)?;
    let step = |metres: f32, samples: usize| f64::from(metres) / (samples - 1) as f64;
    let step = [step(seen.width_metres, seen.width), step(seen.height_metres, seen.height)];
    let placement = GeoReference {
        epsg: None,
        in_degrees: false,
        radius_metres: None,
        west: f64::from(low[0]),
        north: -f64::from(low[2]),
        step,
        is_area: false,
    };
    Ok(DecodedRaster {
        width: seen.width,
        height: seen.height,
        values: seen.metres,
        meaning: SampleMeaning::Metres,
        format: "mesh, seen from above",
        placement: Some(placement),
        numbers: "a mesh seen from above".into(),
        notes: surface.notes.clone(),
        ..DecodedRaster::default()
    })
}

/// Number of samples along the longer side of a mesh whose extent is `size` metres (east, south). The sample spacing
/// equals the smallest distance between joined vertices, so that the vertices of a mesh made from a grid coincide with
/// samples. If this spacing results in fewer than [`FEWEST`] samples, the number of cells is multiplied by a whole
/// number.
fn samples_along(surface: &MeshSurface, size: [f64; 2]) -> usize {
    let side = size[0].max(size[1]);
    let in_row = (surface.triangles.len() as f64 / 2.0).sqrt();
    let most = (MOST - 1).min((in_row * MOST_FOR_TRIANGLE) as usize).max(FEWEST - 1);
    // Vertices that are closer to each other than this distance are duplicates or belong to walls or slivers. Their
    // distance is unrelated to the spacing of the grid.
    let least = 0.75 * side / most as f64;
    let place = |k: u32| surface.positions[k as usize].map(f64::from);
    let spacing = |[a, b]: [u32; 2]| {
        let (a, b) = (place(a), place(b));
        (a[0] - b[0]).abs().max((a[2] - b[2]).abs())
    };
    let edges = surface.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let nearest = edges.map(spacing).filter(|&spacing| spacing > least).fold(side, f64::min);
    let cells = ((side / nearest).round() as usize).clamp(1, most);
    cells * (FEWEST - 1).div_ceil(cells) + 1
}

fn unreadable(path: &Path, message: String) -> RasterError {
    RasterError::Unreadable { path: path.into(), format: "mesh", message }
}
