//! Straight-line fit by least squares.

use serde::Serialize;

/// The best-fitting line y = intercept + slope · x, and the fraction of the variance that the line explains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LineFit {
    /// Change of y per unit of x.
    pub slope: f64,
    /// Value of y at x = 0.
    pub intercept: f64,
    /// Explained fraction of the variance of y, from 0 to 1.
    pub r_squared: f64,
}

impl LineFit {
    /// The line fitted to `points`; `None` if fewer than two of them differ in x.
    pub fn fit(points: &[[f64; 2]]) -> Option<Self> {
        let count = points.len() as f64;
        let mean = |axis: usize| points.iter().map(|p| p[axis]).sum::<f64>() / count;
        let (x, y) = (mean(0), mean(1));
        let moment = |a: usize, b: usize| {
            let [ca, cb] = [a, b].map(|axis| if axis == 0 { x } else { y });
            points.iter().map(|p| (p[a] - ca) * (p[b] - cb)).sum::<f64>()
        };
        let (xx, xy, yy) = (moment(0, 0), moment(0, 1), moment(1, 1));
        // The sum is NaN if there are no points.
        if xx <= 0.0 || xx.is_nan() {
            return None;
        }
        let slope = xy / xx;
        let r_squared = if yy > 0.0 { xy * xy / (xx * yy) } else { 1.0 };
        Some(Self { slope, intercept: y - slope * x, r_squared })
    }

    /// Value of y at `x`.
    pub fn value(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

/// Points and the line fitted to them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fitted {
    /// The points that were fitted.
    pub points: Vec<[f64; 2]>,
    /// The fitted line.
    pub line: LineFit,
}

impl Fitted {
    /// Fits a line to `points`; `None` if there are fewer than `least` points.
    pub fn new(points: Vec<[f64; 2]>, least: usize) -> Option<Self> {
        let line = LineFit::fit(&points).filter(|_| points.len() >= least)?;
        Some(Self { points, line })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_recovered_and_scatter_lowers_its_fit() {
        let line = LineFit::fit(&[[0.0, 1.0], [1.0, 3.0], [3.0, 7.0]]).unwrap();
        assert_eq!((line.slope, line.intercept, line.r_squared), (2.0, 1.0, 1.0));
        assert_eq!(line.value(10.0), 21.0);
        // The expected values are computed by hand: Σxx = 2, Σxy = 1, Σyy = 2/3.
        let scattered = LineFit::fit(&[[0.0, 0.0], [1.0, 1.0], [2.0, 1.0]]).unwrap();
        assert!((scattered.slope - 0.5).abs() < 1e-12 && (scattered.r_squared - 0.75).abs() < 1e-12);
        assert_eq!(LineFit::fit(&[[1.0, 1.0], [1.0, 2.0]]), None);
        assert_eq!(LineFit::fit(&[]), None);
    }
}
