//! Map from a file: a data map that was made elsewhere, or taken from a planet.
//!
//! Law: the map becomes the file's values at the place of the sample, bilinear; thicknesses are read in metres, other
//! maps as the numbers they are. The file's first and last samples lie on the edges of the terrain.
//! Where the file cannot be read the map stays as it is. The heights stay in any case: of what lies on the ground, sand
//! say, they are taken to hold it already.
//! Squares only: a file is one square.

use std::sync::Arc;

use crate::{Context, Filter, Traits};
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::io::raster;
use talweg_ground::param::ImageFile;

talweg_ground::params! {
    /// A data map from a file: water, moisture, sand, or what else layers and views read. Patches of planets bring
    /// theirs in such files.
    MapFile "Map from a file" in "Maps", from "files of other programs", also "import data map water moisture rain patch load" {
        /// The file: numbers in a .r32 file, or a picture from 0 to 1.
        file: ImageFile = ImageFile::default();
        /// The map that it is.
        kind: MapKind = MapKind::Water;
    }
}

impl Filter for MapFile {
    fn traits(&self) -> Traits {
        Traits { writes: std::slice::from_ref(&MapKind::ALL[self.kind as usize]), ..Traits::FILTER }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        // the scene reports what is wrong with the file
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
