//! Files that stand where a heightmap or picture is asked for: rasters, or meshes seen from above.

use std::path::Path;
use std::sync::Arc;

use super::import::{MeshReadError, MeshSurface, is_mesh};
use crate::field::Control;
use crate::io::formats::{DecodedRaster, GeoReference, RawLayout, SampleMeaning};
use crate::io::{Raster, RasterError, is_shipped, raster_as, raster_by};

/// Samples along the longer side of a mesh: as many as it has vertices in a row, within these.
const FEWEST: usize = 129;
const MOST: usize = 2049;

/// The raster called `name` as [`raster_as`], or a mesh (GLB, OBJ, PLY, STL) seen from above: its heights are metres,
/// what lies under no triangle has no data, and it is as wide as it says.
///
/// # Errors
/// When there is no such file, or it cannot be understood.
pub fn raster_or_mesh(name: &str, layout: RawLayout) -> Result<Arc<Raster>, RasterError> {
    if is_shipped(name) || !is_mesh(Path::new(name)) {
        return raster_as(name, layout);
    }
    raster_by(name, from_above)
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
    let longest = ((surface.triangles.len() as f64 / 2.0).sqrt() as usize + 1).clamp(FEWEST, MOST);
    let share = |side: f64| if side > 0.0 { side / size[0].max(size[1]) } else { 1.0 };
    let [width, height] = size.map(|side| ((longest - 1) as f64 * share(side)).round() as usize + 1);
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
        placement: Some(placement),
    })
}

fn unreadable(path: &Path, message: String) -> RasterError {
    RasterError::Unreadable { path: path.into(), format: "mesh", message }
}
