//! Gaussian smoothing on a globe.
//!
//! Law: three running means along the closed lines of the cube-sphere's rows and columns ([`Globe::rings`]). Together
//! they approximate a Gaussian (central limit theorem). A window of w samples, whose end samples count fractionally,
//! has the variance (w² - 1) / 12.
//! Approximation: away from the centre of a face, lines of the grid are up to √2 times closer together, and the
//! Gaussian is narrower there by the same factor. Lines bend where they pass from face to face. A smoothed slope
//! therefore gets a crease at a face border: the heights there are off by about σ times the slope. The crease shows in
//! curvatures, but hardly in heights. Samples on the border of two faces belong to border lines of both faces. After
//! every pass such a sample takes the mean of both results, so it is smoothed along the border once, like all other
//! samples.
//! Source: Wells 1986, *Efficient synthesis of Gaussian filters by cascaded uniform filters*.

use rayon::prelude::*;

use crate::Context;
use talweg_ground::field::{Cancelled, Globe};

const MEANS: usize = 3;

/// Returns `field` smoothed by a Gaussian with a standard deviation of `sigma` samples.
pub fn smoothed(cx: &Context, field: &[f32], sigma: f64) -> Result<Vec<f32>, Cancelled> {
    let globe = Globe::new(cx.grid.samples);
    let around = 4 * (globe.samples() - 1);
    let width = (12.0 * sigma * sigma / MEANS as f64 + 1.0).sqrt().min(around as f64);
    let mut out = field.to_vec();
    let families = globe.grid().rings();
    for family in families.iter().cycle().take(MEANS * families.len()) {
        cx.control.check()?;
        let smooth: Vec<Vec<f32>> =
            family.par_iter().map(|ring| running_mean(&gathered(ring, &out, &globe), width)).collect();
        for (ring, values) in family.iter().zip(smooth) {
            let n = globe.samples();
            for (part, &(first, stride)) in ring.iter().enumerate() {
                for k in 0..n {
                    out[(first as isize + k as isize * stride) as usize] = values[(part * (n - 1) + k) % around];
                }
            }
        }
        globe.grid().merge_copies(&mut out, mean_of_copies);
    }
    Ok(out)
}

/// The mean of the duplicates of a sample.
pub fn mean_of_copies(copies: &[f32]) -> f32 {
    copies.iter().sum::<f32>() / copies.len() as f32
}

/// Returns the values of `field` along a closed line, without duplicates.
fn gathered(ring: &[(usize, isize); 4], field: &[f32], globe: &Globe) -> Vec<f32> {
    let steps = globe.samples() as isize - 1;
    ring.iter()
        .flat_map(|&(first, stride)| (0..steps).map(move |k| field[(first as isize + k * stride) as usize]))
        .collect()
}

/// Returns the running means of a closed line over `width` samples.
fn running_mean(values: &[f32], width: f64) -> Vec<f32> {
    let n = values.len();
    let whole = (((width - 1.0) / 2.0) as usize).min((n - 1) / 2);
    let ends = (0.5 * (width - (2 * whole + 1) as f64)).clamp(0.0, 1.0);
    let at = |k: usize| f64::from(values[k % n]);
    // The first window is centred on `values[0]` and includes `whole` samples on either side.
    let mut sum: f64 = (0..2 * whole + 1).map(|k| at(n - whole + k)).sum();
    (0..n)
        .map(|k| {
            let (before, after) = (at(k + n - whole - 1), at(k + whole + 1));
            let mean = (sum + ends * (before + after)) / (2.0 * ends + (2 * whole + 1) as f64);
            sum += after - at(k + n - whole);
            mean as f32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_of_a_closed_line() {
        let spike = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(running_mean(&spike, 1.0), spike);
        let wide = running_mean(&spike, 4.0);
        assert_eq!(wide, [0.0, 0.125, 0.25, 0.25, 0.25, 0.125, 0.0, 0.0]);
        assert!((running_mean(&spike, 8.0).iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}
