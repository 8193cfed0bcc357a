//! The population of craters: sizes, ages and positions.
//!
//! Law: the number of craters with a diameter above D is N(>D) ∝ D^-b between the smallest and the largest diameter. So
//! D = D_min·(1 - u(1 - (D_min/D_max)^b))^(-1/b) for u uniform in [0, 1). Positions are uniform. Ages are uniform, but
//! craters above 0.4 of the largest diameter formed in the first half of the time span, like the basins of the Moon.
//! These ages are our own convention, not a curve of the impact flux. All values are drawn by index, so the same
//! craters form at any resolution; craters too small for the grid are skipped.

use rayon::prelude::*;

use super::surface::CraterSurface;
use talweg_ground::field::{Cancelled, Control, Stream};

/// Size distribution of craters. Diameters are fractions of the terrain's side length.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub smallest: f32,
    pub largest: f32,
    /// The exponent b in N(>D) ∝ D^-b, where N(>D) is the number of craters with a diameter above D.
    pub slope: f32,
}

/// A crater before its shape is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnshapedImpact {
    pub centre: [f32; 3],
    /// Diameter as a fraction of the terrain's side length.
    pub diameter: f32,
    /// Time of the impact, from 0, the first impact, to 1, the last.
    pub time: f32,
    /// Index that selects the random numbers of the crater.
    pub index: i32,
}

/// Fraction of the largest diameter above which craters are basins. Basins form before [`BASINS_UNTIL`].
const BASIN: f32 = 0.4;
const BASINS_UNTIL: f32 = 0.5;
/// Number of craters below which all craters are entirely inside the edges of the terrain.
const FEW: u32 = 8;

impl Sizes {
    /// Returns (D_min/D_max)^b, with D_min and D_max the smallest and largest diameter and b the exponent of the size
    /// distribution.
    fn rest(&self) -> f64 {
        libm::pow(f64::from(self.smallest) / f64::from(self.largest), f64::from(self.slope))
    }

    /// Returns the diameter that the fraction `u` of all craters does not exceed.
    fn diameter(&self, rest: f64, u: f64) -> f32 {
        let larger = 1.0 - u * (1.0 - rest);
        (f64::from(self.smallest) * libm::pow(larger, -1.0 / f64::from(self.slope))) as f32
    }

    /// Fraction of the craters smaller than `diameter`.
    fn fraction_below(&self, rest: f64, diameter: f32) -> f64 {
        if diameter <= self.smallest {
            return 0.0;
        }
        let larger = libm::pow(f64::from(self.smallest) / f64::from(diameter), f64::from(self.slope));
        (1.0 - larger) / (1.0 - rest)
    }

    /// Area of the craters with diameters `from` to `to`, as a fraction of the area of the whole population. The
    /// formula, ∫ D^(1-b) dD, is extrapolated below the smallest and above the largest crater.
    pub fn share_of_cover(&self, from: f32, to: f32) -> f64 {
        let power = 2.0 - f64::from(self.slope);
        let between = |from: f32, to: f32| {
            let (from, to) = (f64::from(from), f64::from(to));
            if power.abs() < 1e-6 {
                libm::log(to / from)
            } else {
                (libm::pow(to, power) - libm::pow(from, power)) / power
            }
        };
        // craters of a single size count as one octave of sizes
        let largest = if self.largest > 1.01 * self.smallest { self.largest } else { 2.0 * self.smallest };
        between(from, to) / between(self.smallest, largest)
    }

    /// Mean area of a crater, as a fraction of the terrain's squared side length.
    pub fn mean_area(&self) -> f64 {
        let (ratio, b) = (f64::from(self.largest) / f64::from(self.smallest), f64::from(self.slope));
        let log = libm::log(ratio);
        let k = (2.0 - b) * log;
        // This is the integral b·∫ D^(1-b) dD, which becomes a logarithm near b = 2.
        let integral = if k.abs() < 1e-6 { log } else { log * libm::expm1(k) / k };
        let share = -libm::expm1(-b * log);
        let square = if share > 0.0 { b * integral / share } else { 1.0 };
        std::f64::consts::FRAC_PI_4 * square * f64::from(self.smallest) * f64::from(self.smallest)
    }
}

/// A random number, uniform in [0, 1), with more bits than [`Stream::unit`], because rare sizes need them.
fn fine(random: Stream, index: i32, what: i32) -> f64 {
    (random.bits(index, what) >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

/// Returns all craters that are at least `visible` wide, the oldest first.
pub fn population(
    surface: &CraterSurface,
    sizes: &Sizes,
    count: u32,
    visible: f32,
    random: Stream,
    control: &Control,
) -> Result<Vec<UnshapedImpact>, Cancelled> {
    let rest = sizes.rest();
    let even = rest > 1.0 - 1e-9;
    if sizes.largest < visible {
        return Ok(Vec::new());
    }
    let hidden = if even { 0.0 } else { sizes.fraction_below(rest, visible) };
    let basins = if even { 2.0 } else { sizes.fraction_below(rest, sizes.largest * BASIN) };
    let margin = if count < FEW { 0.0 } else { surface.margin(sizes.largest) };
    // Number of craters whose centres are in the frame around an open terrain.
    let outside = ((1.0 + 2.0 * f64::from(margin)) * (1.0 + 2.0 * f64::from(margin)) - 1.0) * f64::from(count);
    let outside = outside as u32;
    let total = count + outside;
    let block = 4096;
    let blocks: Result<Vec<Vec<UnshapedImpact>>, Cancelled> = (0..total.div_ceil(block))
        .into_par_iter()
        .map(|b| {
            control.check()?;
            let fall = |index: u32| {
                let u = fine(random, index as i32, 0);
                if u < hidden {
                    return None;
                }
                let diameter = if even { sizes.largest } else { sizes.diameter(rest, u) };
                let draw = [1, 2].map(|what| random.unit(index as i32, what));
                let centre = if index < count {
                    surface.random_position(draw, if count < FEW { diameter } else { 0.0 })
                } else {
                    surface.place_outside(draw, margin, random.unit(index as i32, 3))
                };
                let rank = match index < count {
                    true => (index as f32 + 0.5) / count as f32,
                    false => ((index - count) as f32 + 0.5) / outside as f32,
                };
                let time = if u >= basins { rank * BASINS_UNTIL } else { rank };
                Some(UnshapedImpact { centre, diameter, time, index: index as i32 })
            };
            Ok((b * block..((b + 1) * block).min(total)).filter_map(fall).collect())
        })
        .collect();
    let mut falls = blocks?.concat();
    falls.sort_unstable_by(|a, b| a.time.total_cmp(&b.time).then(a.index.cmp(&b.index)));
    Ok(falls)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "test measurements do not affect heights")]

    use super::*;
    use talweg_ground::field::{Edges, Grid};

    /// Measures the slope of N(>D), the number of craters above a diameter D, on logarithmic axes. The slope is fitted
    /// by least squares over the diameters that a thousand to ten craters exceed.
    #[test]
    fn crater_sizes_follow_the_requested_slope() {
        let surface = CraterSurface::new(Grid::new(1025, Edges::Wrap));
        for slope in [1.5f32, 2.0, 3.0] {
            let sizes = Sizes { smallest: 0.001, largest: 0.3, slope };
            let falls = population(&surface, &sizes, 10_000, 0.0, Stream::new(3, 4), &Control::default()).unwrap();
            assert_eq!(falls.len(), 10_000);
            let mut diameters: Vec<f32> = falls.iter().map(|f| f.diameter).collect();
            diameters.sort_by(|a, b| b.total_cmp(a));
            assert!(diameters[0] <= 0.3 && diameters[9999] >= 0.001);
            let points: Vec<(f64, f64)> = (0..40)
                .map(|k| (30.0 * (5000.0f64 / 30.0).powf(f64::from(k) / 39.0)) as usize)
                .map(|rank| (f64::from(diameters[rank - 1]).ln(), (rank as f64).ln()))
                .collect();
            let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / points.len() as f64;
            let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
            let measured = -mean(&|p| (p.0 - x) * (p.1 - y)) / mean(&|p| (p.0 - x) * (p.0 - x));
            assert!((measured / f64::from(slope) - 1.0).abs() < 0.1, "requested slope {slope}, measured {measured}");
        }
    }

    #[test]
    fn coverage_counts_the_areas() {
        let surface = CraterSurface::new(Grid::new(1025, Edges::Wrap));
        for slope in [1.0, 2.0, 2.000_001, 3.5] {
            let sizes = Sizes { smallest: 0.01, largest: 0.1, slope };
            let falls = population(&surface, &sizes, 100_000, 0.0, Stream::new(1, 1), &Control::default()).unwrap();
            let area: f64 =
                falls.iter().map(|f| f64::from(f.diameter).powi(2)).sum::<f64>() * std::f64::consts::FRAC_PI_4;
            assert!((area / 1e5 / sizes.mean_area() - 1.0).abs() < 0.03, "{slope}");
        }
    }

    #[test]
    fn coarse_grids_leave_out_small_craters_and_move_none() {
        let surface = CraterSurface::new(Grid::new(65, Edges::Open));
        let sizes = Sizes { smallest: 0.005, largest: 0.2, slope: 2.0 };
        let [all, large] = [0.0, 0.03].map(|visible| {
            population(&surface, &sizes, 3000, visible, Stream::new(1, 1), &Control::default()).unwrap()
        });
        let expected: Vec<UnshapedImpact> = all.iter().filter(|f| f.diameter >= 0.03).copied().collect();
        assert_eq!(large, expected);
        assert!(large.len() > 50 && large.len() < all.len() / 10);
    }
}
