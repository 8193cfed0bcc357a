//! Fast approximations of functions that the climate calls for every sample. Their results are accurate enough for the
//! climate and have the same bits on every machine.

/// e^-x for x ≥ 0, with a relative error of 4e-6 (the product with log₂ e is rounded); 0 for x ≥ 87. The function has
/// no branches or casts, so that the compiler can vectorise loops over rows.
#[inline(always)]
pub fn exp_of_minus(x: f32) -> f32 {
    /// Adding this number, 1.5 · 2²³, to a float and subtracting it again rounds the float to an integer.
    const ROUNDS: f32 = 12_582_912.0;
    let power = if x < 87.0 { x } else { 87.0 } * -std::f32::consts::LOG2_E;
    let rounded = power + ROUNDS;
    let part = power - (rounded - ROUNDS);
    let whole = rounded.to_bits().wrapping_sub(ROUNDS.to_bits());
    // Series of the exponential function for 2^part, with `part` in -½..=½.
    let root = 1.0
        + part
            * (std::f32::consts::LN_2
                + part
                    * (0.240_226_5
                        + part * (0.055_504_11 + part * (0.009_618_13 + part * (0.001_333_36 + part * 0.000_154_04)))));
    let fits = if x < 87.0 { 1.0 } else { 0.0 };
    root * f32::from_bits(whole.wrapping_add(127) << 23) * fits
}

/// Angle of the vector (x, y) from the x axis, in -π..=π, with an error of 1e-4 radians; 0 for (0, 0).
#[inline(always)]
pub fn angle(y: f32, x: f32) -> f32 {
    let (a, b) = (x.abs(), y.abs());
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    let t = if large > 0.0 { small / large } else { 0.0 };
    let s = t * t;
    let first = t * (0.999_866 + s * (-0.330_299_5 + s * (0.180_141 + s * (-0.085_133 + s * 0.020_835_1))));
    let quarter = if b > a { std::f32::consts::FRAC_PI_2 - first } else { first };
    let half = if x < 0.0 { std::f32::consts::PI - quarter } else { quarter };
    if y < 0.0 { -half } else { half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approximations_match_libm() {
        for k in 0..8700 {
            let x = k as f32 * 0.01;
            let (got, exact) = (exp_of_minus(x), libm::expf(-x));
            assert!((got - exact).abs() <= exact * 4e-6, "exp(-{x}): {got}, not {exact}");
        }
        assert_eq!((exp_of_minus(1e30), exp_of_minus(f32::INFINITY)), (0.0, 0.0));
        for k in 0..720 {
            let exact = (k as f32 - 360.0) * (std::f32::consts::PI / 360.0);
            let got = angle(libm::sinf(exact), libm::cosf(exact));
            assert!(
                (got - exact).abs() < 1e-4 || (got - exact).abs() > std::f32::consts::TAU - 1e-3,
                "{got}, not {exact}"
            );
        }
        assert_eq!(angle(0.0, 0.0), 0.0);
    }
}
