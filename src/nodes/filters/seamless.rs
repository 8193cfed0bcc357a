//! Make edges tile: makes opposite edges equal in height and slope.
//!
//! Law: for every row, the differences between the east and the west edge are D = h(east) - h(west) in height and S =
//! slope(east) - slope(west) in slope. Smoothing along the edge splits both into bands (σ = w/2, w/4, …, with w the
//! `width`). Each band k fades out over its own width wₖ. At t = distance / wₖ from the west edge h += ½·Dₖ·(1 - 3t² +
//! 2t³) + ½·Sₖ·wₖ·t(1 - t)², and from the east edge h += -½·Dₖ·(…) + ½·Sₖ·wₖ·(…). Both edges thus take the mean height
//! and the mean slope. Broad differences are spread widely. Fine differences are spread only close to the edge, where
//! they leave no streaks. Then the same operation runs along columns; there the smoothing wraps around, which preserves
//! the result of the rows. The last row and column become exactly equal to the first. Farther than `width` from the
//! edges nothing changes.
//! Boundary: a wrapping scene tiles already and is not changed. Data maps are not changed either.
//! Squares only: a planet has no edges.
//! Source: Burt & Adelson 1983, *A multiresolution spline with application to image mosaics*; cubic Hermite.

use super::gauss::Kernel;
use super::lines::{EightLanes, EightLines, LANES};
use crate::{Context, Filter, NodeMemory, NodeParts, Traits};
use talweg_ground::field::{Cancelled, Edges, Grid, Terrain, smooth_step};

talweg_ground::params! {
    /// Makes opposite edges meet without a step or crease, so that copies of the terrain can be tiled.
    Seamless "Make edges tile" in "Filter", from "Burt & Adelson 1983", also "tileable seamless wrap repeat border loop" {
        /// Width of the margin that changes, as a fraction of the side: small values give steep slopes at the edges.
        width: f32 = 0.2, 0.0..=0.5, slider 0.05..=0.5;
    }
}

impl Filter for Seamless {
    fn traits(&self) -> Traits {
        Traits { previews_exactly: false, memory: NodeMemory::constant(0.2), ..Traits::FILTER }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("it matches opposite edges of the terrain")
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        cx.control.check()?;
        let Grid { samples: n, edges, .. } = cx.grid;
        if edges == Edges::Wrap {
            return Ok(());
        }
        let width = (f64::from(self.width) * (n - 1) as f64).max(1.0);
        let height = &mut terrain.height;

        let ends = |i: usize| {
            let row = &height[i * n..][..n];
            [row[0], row[1], row[n - 2], row[n - 1]]
        };
        let bands = SeamBand::split((0..n).map(ends), width, Edges::Open);
        cx.rows(height, |i, row| {
            for band in &bands {
                let (step, bend) = (band.step[i], band.bend[i]);
                for (d, &(a, b)) in band.reach.iter().enumerate() {
                    row[d] += step * a + bend * b;
                    row[n - 1 - d] += bend * b - step * a;
                }
            }
            row[n - 1] = row[0];
        })?;

        let ends = |j: usize| [height[j], height[n + j], height[(n - 2) * n + j], height[(n - 1) * n + j]];
        let bands = SeamBand::split((0..n).map(ends), width, Edges::Wrap);
        cx.rows(height, |i, row| {
            for (distance, sign) in [(i, 1.0), (n - 1 - i, -1.0)] {
                for band in &bands {
                    let Some(&(a, b)) = band.reach.get(distance) else { continue };
                    for (h, (step, bend)) in row.iter_mut().zip(band.step.iter().zip(&band.bend)) {
                        *h += sign * step * a + bend * b;
                    }
                }
            }
            row[n - 1] = row[0];
        })?;
        height.copy_within(0..n, (n - 1) * n);
        Ok(())
    }
}

/// Width of the narrowest band in cells: a narrower band leaves no space for the slope correction.
const NARROWEST: f64 = 4.0;

/// One band of the difference between two opposite edges: its values along the edge, and the weights by which it fades
/// out towards the interior.
struct SeamBand {
    /// Half the difference in height across the seam, at every sample of the edge.
    step: Vec<f32>,
    /// Half the difference in slope across the seam, at every sample of the edge.
    bend: Vec<f32>,
    /// Weights of `step` and `bend` at each sample, with growing distance from the edge.
    reach: Vec<(f32, f32)>,
}

impl SeamBand {
    /// Splits the differences into bands, given the first two and the last two heights of every line across the seam.
    fn split(ends: impl Iterator<Item = [f32; 4]>, width: f64, edges: Edges) -> Vec<Self> {
        let mut left: Vec<EightLanes> = ends
            .map(|[first, second, last_but_one, last]| {
                let mut lanes = [0.0; LANES];
                lanes[0] = 0.5 * (f64::from(last) - f64::from(first));
                lanes[1] = 0.5 * ((f64::from(last) - f64::from(last_but_one)) - (f64::from(second) - f64::from(first)));
                lanes
            })
            .collect();
        let grid = Grid::working(left.len(), edges);
        let (mut bands, mut width) = (Vec::new(), width);
        while width > 2.0 * NARROWEST {
            let mut smooth = EightLines::new(grid, left.clone());
            Kernel::new(0.5 * width).run(&mut smooth);
            for (rest, smooth) in left.iter_mut().zip(&smooth.values) {
                rest.iter_mut().zip(smooth).for_each(|(r, s)| *r -= s);
            }
            bands.push(Self::new(&smooth.values, width));
            width *= 0.5;
        }
        bands.push(Self::new(&left, width));
        bands
    }

    fn new(lanes: &[EightLanes], width: f64) -> Self {
        let bow = |t: f64| t * (1.0 - t) * (1.0 - t);
        let reach = (0..libm::ceil(width) as usize)
            .map(|d| {
                let t = d as f64 / width;
                // The slope is measured between the first two samples, so the weight is 1 at the second sample.
                ((1.0 - smooth_step(t)) as f32, if d == 0 { 0.0 } else { bow(t) / bow(1.0 / width) } as f32)
            })
            .collect();
        let lane = |k: usize| lanes.iter().map(|v| v[k] as f32).collect();
        Self { step: lane(0), bend: lane(1), reach }
    }
}
