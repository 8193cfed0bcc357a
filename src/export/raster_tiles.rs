//! Division of a raster into tiles.

use super::ExportError;
use crate::scene::BuildTiles;

/// A tile of a raster; an uncut raster is one tile without a name.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    pub(super) name: Option<[usize; 2]>,
    /// Row and column of the first sample.
    pub(super) first: [usize; 2],
    pub(super) samples: usize,
}

/// The tiles of a raster with `samples` per side.
pub(super) fn tiles(wanted: Option<BuildTiles>, samples: usize) -> Result<Vec<Tile>, ExportError> {
    let Some(wanted) = wanted else { return Ok(vec![Tile { name: None, first: [0; 2], samples }]) };
    let side = wanted.samples as usize;
    let step = if wanted.shared_edges { side - 1 } else { side };
    let whole = if wanted.shared_edges { samples - 1 } else { samples };
    if side > samples || step == 0 || !whole.is_multiple_of(step) {
        let fits = |count: usize| count * step + usize::from(wanted.shared_edges);
        let below = fits((whole / step.max(1)).max(1));
        let kind = if wanted.shared_edges { "with shared edges" } else { "without shared edges" };
        return Err(ExportError::Request(format!(
            "{samples} samples do not divide into tiles of {side} {kind}; give a size of {below} or {}",
            fits(whole / step.max(1) + 1)
        )));
    }
    let count = whole / step;
    let tile = |k: usize| Tile {
        name: Some([k % count, k / count]),
        first: [k / count * step, k % count * step],
        samples: side,
    };
    Ok((0..count * count).map(tile).collect())
}
