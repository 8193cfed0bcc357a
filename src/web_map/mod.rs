//! Pyramids of tiles, as maps in browsers load them: heights in colours, hillshade and colour in Web Mercator
//! ([`RasterPyramid`]), and quantized meshes for globes ([`GlobePyramid`]).
//!
//! A square terrain is laid onto the globe around a given longitude and latitude ([`MapPlace`]); what is beyond it is
//! transparent. Each pyramid is a folder that appears whole or not at all.
//!
//! Tiles of triangles come from the meshes of [`mesh`](crate::mesh), which keep to an error at every sample and to
//! common rims, and are encoded by the package `quantized-mesh`; `terrain-codec`, which would triangulate by `martini`
//! as well, does not hold the error (see `benches/mesh.rs`).
//!
//! | file | what it holds |
//! |---|---|
//! | `place` | longitudes, latitudes and Web Mercator: where the terrain lies |
//! | `levels` | heights at half, a quarter, … of the samples, for far zooms |
//! | `raster` | tiles of 256 × 256 pixels |
//! | `globe` | tiles of triangles, and their `layer.json` |

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
pub use levels::{BoxedError, MetresOf};
pub use place::MapPlace;
pub use raster::{MapColour, RasterPyramid, TilePixels};

/// Most tiles of a pyramid.
const MOST_TILES: u64 = 1 << 20;
/// The closest zoom that there is.
const CLOSEST: u32 = 24;

/// Why there is no pyramid.
#[derive(Debug, thiserror::Error)]
pub enum WebMapError {
    /// The folder could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A planet, or a size that makes no sense.
    #[error("{0}")]
    Place(String),
    /// Zooms in the wrong order, or too many tiles.
    #[error("{0}")]
    Zoom(String),
    /// Heights cannot be read.
    #[error(transparent)]
    Source(levels::BoxedError),
    /// A tile could not be triangulated.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// What a pyramid came to.
#[derive(Clone, Debug, PartialEq)]
pub struct WebMapReport {
    /// Zooms from the farthest to the closest.
    pub zooms: RangeInclusive<u32>,
    /// How many tiles there are.
    pub tiles: u64,
    /// What the terrain covers.
    pub bounds: GeoBounds,
}

/// Columns and rows of tiles of one zoom.
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

/// Refuses more tiles than anybody waits for.
fn check_count(ranges: &[TileRange]) -> Result<u64, WebMapError> {
    let count = ranges.iter().map(TileRange::count).sum();
    if count > MOST_TILES {
        let message =
            format!("{count} tiles are too many, {MOST_TILES} are the most; give a closest zoom that is less");
        return Err(WebMapError::Zoom(message));
    }
    Ok(count)
}

/// Makes the folders of a tile and writes it.
fn write_tile(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), FileError> {
    let path = folder.join(name);
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(&path, bytes)).map_err(|source| FileError::Write { path, source })
}
