//! Vectors in three-dimensional space. Each sum is computed in the order x, y, z.

use std::ops::{Add, Mul, Sub};

/// Inner product of two vectors.
#[inline(always)]
pub fn dot<T: Copy + Add<Output = T> + Mul<Output = T>>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cross product a × b of two vectors.
#[inline(always)]
pub fn cross<T: Copy + Sub<Output = T> + Mul<Output = T>>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The difference a - b of two vectors.
#[inline(always)]
pub fn minus<T: Copy + Sub<Output = T>>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Squared distance between two points.
#[inline(always)]
pub fn squared_distance<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>>(a: [T; 3], b: [T; 3]) -> T {
    let way = minus(a, b);
    dot(way, way)
}

/// The vector scaled to length 1; a vector of length 0 is returned unchanged.
#[inline(always)]
pub fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = dot(v, v).sqrt();
    if length > 0.0 { v.map(|x| x / length) } else { v }
}
