//! The smooth step.

use std::ops::{Mul, Sub};

/// Rises smoothly from 0 to 1, for `t` from 0 to 1: 3t² - 2t³.
#[inline(always)]
pub fn smooth_step<T: Copy + From<f32> + Mul<Output = T> + Sub<Output = T>>(t: T) -> T {
    t * t * (T::from(3.0) - T::from(2.0) * t)
}
