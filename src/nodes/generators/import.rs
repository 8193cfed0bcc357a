//! Heightmap from a file: heights that another program made.
//!
//! Law: h = (low + (high - low) · v) / relief with v the file's value from 0 to 1 at the sample's place; the file's
//! first and last samples lie on the edges of the terrain, so that a file of the scene's own size is read sample by
//! sample. A file with more samples is read at the scene's samples, not averaged: a preview is exactly the subsample.
//! Boundary: a wrapping terrain repeats its first row and column; what does not fit together shows as a cliff there
//! (the filter `Seamless` mends it).
//! Squares only: a file is one square; [`PlanetImport`](crate::nodes::planet::import) reads maps of planets.

use crate::field::Cancelled;
use crate::io::{Raster, raster};
use crate::nodes::{Context, Generator};
use crate::param::ImageFile;

crate::choices! {
    /// Which heights black and white stand for.
    Heights {
        File "As in the file": "In metres where the file says so (.r32, and .png written by Talweg); otherwise as given below.",
        Given "As given below": "Black and white stand for the two heights given below.",
    }
}

impl Heights {
    /// Heights of black and white in metres, `given` where the file does not say them or is not asked.
    pub fn range(self, raster: &Raster, given: (f32, f32)) -> (f32, f32) {
        match (self, raster.range_metres) {
            (Self::File, Some(range)) => range,
            _ => given,
        }
    }
}

crate::choices! {
    /// How a file that is not square covers the terrain.
    Fit {
        Stretch "Stretch": "The whole file covers the terrain; one that is not square is distorted.",
        Crop "Crop": "The middle of the file covers the terrain; the rest is cut off.",
        Whole "Whole": "The whole file is shown undistorted; its rim goes on beside it.",
    }
}

crate::choices! {
    /// How heights between the samples of the file are found.
    Sampling {
        Bicubic "Smooth": "Smooth between the samples (bicubic): no creases when the file is enlarged.",
        Bilinear "Straight": "Straight between the samples (bilinear): never beyond the file's own heights.",
    }
}

crate::params! {
    /// Heights from a file: 8 or 16-bit PNG, raw 16-bit or raw 32-bit float. Use 16 bits or more, 8 bits give steps.
    Import "Heightmap from a file" in "Shapes", from "files of other programs", also "import image picture png r16 r32 raw dem heightfield load" {
        /// The file. A .r16 or .r32 file must be square.
        file: ImageFile = ImageFile::default();
        /// Which heights black and white stand for.
        heights: Heights = Heights::File;
        /// Height that black stands for.
        low_metres: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -1000.0..=4000.0;
        /// Height that white stands for.
        high_metres: f32 ["m"] = 1800.0, -100_000.0..=100_000.0, slider -1000.0..=4000.0;
        /// How a file that is not square covers the terrain.
        fit: Fit = Fit::Stretch;
        /// How heights between the samples of the file are found.
        sampling: Sampling = Sampling::Bicubic;
    }
}

impl Generator for Import {
    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let Ok(raster) = raster(&self.file.0) else {
            // the scene reports what is wrong with the file; until then the ground is level
            return cx.rows(out, |_, row| row.fill(0.0));
        };
        let (low, high) = self.heights.range(&raster, (self.low_metres, self.high_metres));
        let (low, span) = (low / cx.relief_metres, (high - low) / cx.relief_metres);
        let (across, down) = self.window(&raster);
        let grid = cx.grid;
        let place = |k: usize, (first, width): (f32, f32)| first + grid.position(k % grid.distinct()) * width;
        cx.rows(out, |i, row| {
            let v = place(i, down);
            for (j, h) in row.iter_mut().enumerate() {
                let u = place(j, across);
                let value = match self.sampling {
                    Sampling::Bicubic => raster.bicubic(u, v),
                    Sampling::Bilinear => raster.bilinear(u, v),
                };
                *h = low + span * value;
            }
        })
    }
}

impl Import {
    /// First position and width of what is shown of the file, across and down.
    fn window(&self, raster: &Raster) -> ((f32, f32), (f32, f32)) {
        let whole = (0.0, 1.0);
        let (width, height) = ((raster.width - 1) as f32, (raster.height - 1) as f32);
        let about_middle = |share: f32| (0.5 - 0.5 * share, share);
        // the longer side is cut, or the shorter one has room beside it
        match (self.fit, width > height) {
            (Fit::Stretch, _) => (whole, whole),
            (Fit::Crop, true) => (about_middle(height / width), whole),
            (Fit::Crop, false) => (whole, about_middle(width / height)),
            (Fit::Whole, true) => (whole, about_middle(width / height)),
            (Fit::Whole, false) => (about_middle(height / width), whole),
        }
    }
}
