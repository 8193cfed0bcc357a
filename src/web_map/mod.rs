//! Tile pyramids for maps in browsers: heights as colours, hillshade and colour images in Web Mercator
//! ([`RasterPyramid`]), and quantized meshes for globes ([`GlobePyramid`]).
//!
//! A square terrain is placed on the globe around a given longitude and latitude ([`MapPosition`]). Raster tiles are
//! transparent outside the terrain. A pyramid is a folder, which appears only when all tiles are written.
//!
//! The module [`mesh`](crate::mesh) triangulates the tiles of globes. It guarantees an error bound at every sample and
//! matching edges. The crate `quantized-mesh` encodes the meshes. The crate `terrain-codec` could also triangulate
//! (with `martini`), but its triangles do not meet the error bound (see `benches/mesh.rs`).
//!
//! | file | contents |
//! |---|---|
//! | `place` | longitude, latitude and Web Mercator: the position of the terrain |
//! | `levels` | heights with half, a quarter, … of the samples per side, for low zooms |
//! | `raster` | tiles of 256 × 256 pixels |
//! | `globe` | triangle tiles, and the file `layer.json` that describes them |

mod globe;
mod levels;
mod place;
mod raster;

use std::ops::RangeInclusive;
use std::path::Path;

use crate::field::Cancelled;
use crate::io::FileError;
use crate::mesh::MeshError;
use crate::mesh::formats::GeoBounds;

pub use globe::GlobePyramid;
pub use levels::{BoxedError, HeightSource};
pub use place::MapPosition;
pub use raster::{MapColour, RasterPyramid, TilePixels};

/// Maximum number of tiles in a pyramid.
const MOST_TILES: u64 = 1 << 20;
/// The closest supported zoom, at which tiles are smallest.
const CLOSEST: u32 = 24;

/// The reason why a tile pyramid could not be created.
#[derive(Debug, thiserror::Error)]
pub enum WebMapError {
    /// The folder could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The export was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The position or size of the terrain does not fit on the map, or the terrain is a planet.
    #[error("{0}")]
    Position(String),
    /// The zooms are out of range, or there are too many tiles.
    #[error("{0}")]
    Zoom(String),
    /// The heights of the terrain cannot be read.
    #[error(transparent)]
    Source(levels::BoxedError),
    /// A tile could not be triangulated.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// Summary of an exported tile pyramid.
#[derive(Clone, Debug, PartialEq)]
pub struct WebMapReport {
    /// Zooms from the farthest to the closest.
    pub zooms: RangeInclusive<u32>,
    /// Number of tiles in the pyramid.
    pub tiles: u64,
    /// Longitudes and latitudes that the terrain covers.
    pub bounds: GeoBounds,
}

/// The columns and rows of the tiles of one zoom.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TileRange {
    zoom: u32,
    columns: RangeInclusive<u32>,
    rows: RangeInclusive<u32>,
}

impl TileRange {
    fn count(&self) -> u64 {
        let long = |range: &RangeInclusive<u32>| u64::from(range.end() - range.start()) + 1;
        long(&self.columns) * long(&self.rows)
    }

    /// Column and row of each tile.
    fn tiles(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let rows = self.rows.clone();
        self.columns.clone().flat_map(move |x| rows.clone().map(move |y| (x, y)))
    }
}

/// Counts the tiles of all zooms. Returns an error if the number exceeds [`MOST_TILES`].
fn check_count(ranges: &[TileRange]) -> Result<u64, WebMapError> {
    let count = ranges.iter().map(TileRange::count).sum();
    if count > MOST_TILES {
        let message = format!("{count} tiles are too many, the maximum is {MOST_TILES}; choose a smaller closest zoom");
        return Err(WebMapError::Zoom(message));
    }
    Ok(count)
}

/// Writes a tile to `folder`, and creates the subfolders in its name.
fn write_tile(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), FileError> {
    let path = folder.join(name);
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(&path, bytes)).map_err(|source| FileError::Write { path, source })
}
