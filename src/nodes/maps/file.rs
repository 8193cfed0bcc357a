//! Map from a file: a data map made in another program, or extracted from a planet.
//!
//! Law: the map gets the file's values, interpolated bilinearly at each sample's position. Thicknesses are read in
//! metres, other maps as plain numbers. The file's first and last samples are on the edges of the terrain. If the file
//! cannot be read, the map stays unchanged. The heights never change: they are assumed to include any layer that the
//! map describes, such as sand.
//! Squares only: a file covers one square.

use std::sync::Arc;

use crate::{Context, Filter, Traits};
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::io::raster;
use talweg_ground::param::ImageFile;

talweg_ground::params! {
    /// Loads a data map from a file, such as water, moisture or sand, for layers and views to read. Regions of planets
    /// use it for their maps.
    MapFile "Map from a file" in "Maps", from "files of other programs", also "import data map water moisture rain patch load" {
        /// The file: a .r32 file of numbers, or an image with values from 0 to 1.
        file: ImageFile = ImageFile::default();
        /// Data map that the file holds.
        kind: MapKind = MapKind::Water;
    }
}

impl Filter for MapFile {
    fn traits(&self) -> Traits {
        Traits { writes: std::slice::from_ref(&MapKind::ALL[self.kind as usize]), ..Traits::FILTER }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        // the check of the scene reports problems with the file
        let Ok(raster) = raster(&self.file.0) else {
            terrain.map_mut(self.kind);
            return Ok(());
        };
        let unit = if self.kind.is_thickness() { cx.relief_metres } else { 1.0 };
        let (low, high) = raster.range_metres.unwrap_or((0.0, 1.0));
        let (low, span) = (low / unit, (high - low) / unit);
        let mut map = vec![0.0; cx.grid.len()];
        cx.rows(&mut map, |i, row| {
            let v = cx.grid.row_position(i);
            for (j, out) in row.iter_mut().enumerate() {
                *out = low + span * raster.bilinear(cx.grid.column_position(j), v);
            }
        })?;
        terrain.set_map(self.kind, Some(Arc::new(map)));
        Ok(())
    }
}
