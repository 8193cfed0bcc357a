//! The smooth step function 3t² - 2t³.

use std::ops::{Mul, Sub};

/// The smooth step 3t² - 2t³, which rises smoothly from 0 to 1 as `t` increases from 0 to 1.
#[inline(always)]
pub fn smooth_step<T: Copy + From<f32> + Mul<Output = T> + Sub<Output = T>>(t: T) -> T {
    t * t * (T::from(3.0) - T::from(2.0) * t)
}
