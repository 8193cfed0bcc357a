//! Time to load a terrain: a criterion of playability in the lecture on terrain in games.
//!
//! Loading decodes a PNG file of 16-bit heights, which engines can import. The file is decompressed, the PNG filters
//! are undone, and the numbers are converted to floats. The file is in memory, so the disk does not affect the time.
//! Later work of an engine (meshes, textures, physics) is excluded, because it depends on the engine and hardly on the
//! terrain. A file of rough terrain is larger and takes longer to load.
//! Source: the lecture on terrain in games, *Définition des critères de performances*, which names the criterion but
//! does not measure it.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use crate::field::Terrain;
use crate::io::formats::{RasterFormat, RasterReader, RasterSheet, RasterSource, SampleType, Samples, each_number};

/// File name whose extension selects the format of the bytes.
const FILE: &str = "terrain.png";
/// The largest 16-bit value.
const STEPS: f32 = 65535.0;

/// A terrain encoded as a file.
pub struct TerrainFile(Arc<Vec<u8>>);

impl TerrainFile {
    /// Encodes the heights of a square in 16 bits, scaled from the lowest to the highest height; `None` for a planet.
    pub fn new(terrain: &Terrain) -> Option<Self> {
        let format = RasterFormat::for_path(Path::new(FILE)).ok().filter(|format| format.holds(SampleType::U16))?;
        if terrain.grid.is_globe() {
            return None;
        }
        let (n, (low, high)) = (terrain.samples(), terrain.range());
        let to_steps = if high > low { STEPS / (high - low) } else { 0.0 };
        let step = each_number(|row, column, _| ((terrain.height[row * n + column] - low) * to_steps + 0.5) as u16);
        let mut out = Cursor::new(Vec::new());
        format.write(&RasterSheet { samples: Samples::U16(&step), ..RasterSheet::grey(n, n) }, &mut out).ok()?;
        Some(Self(Arc::new(out.into_inner())))
    }

    /// Size of the file in bytes.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Decodes the heights, scaled from 0 (lowest) to 1 (highest).
    pub fn load(&self) -> Option<Vec<f32>> {
        let path = Path::new(FILE);
        Some(RasterReader::for_path(path)?.decode(&RasterSource::new(path, &self.0)).ok()?.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Edges, Grid};

    #[test]
    fn loading_keeps_heights_and_rough_terrain_takes_more_bytes() {
        let slope = Terrain::from_fn(65, Edges::Open, |u, v| 0.2 + 0.5 * u - 0.1 * v);
        let random = crate::field::Stream::new(3, 4);
        let mut rough = slope.clone();
        rough.height.iter_mut().enumerate().for_each(|(k, h)| *h = random.unit(k as i32, 0));
        for terrain in [&slope, &rough] {
            let (low, high) = terrain.range();
            let loaded = TerrainFile::new(terrain).unwrap().load().unwrap();
            assert_eq!(loaded.len(), terrain.height.len());
            for (share, h) in loaded.iter().zip(&terrain.height) {
                assert!((low + share * (high - low) - h).abs() <= (high - low) / STEPS, "{share} {h}");
            }
        }
        let bytes = |terrain: &Terrain| TerrainFile::new(terrain).unwrap().bytes();
        assert!(bytes(&rough) > bytes(&slope) && bytes(&rough) > 65 * 65 * 2 * 9 / 10, "{}", bytes(&rough));
        assert!(TerrainFile::new(&Terrain::flat(Grid::globe(9))).is_none());
    }
}
