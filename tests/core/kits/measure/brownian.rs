//! Fractional Brownian surfaces with exact covariance, for tests that need a known Hurst exponent.
//!
//! Law: a Gaussian field with E (h(x) - h(y))² = 2·|x - y|^2H. A field with the compactly supported covariance c₀ -
//! r^2H + c₂ r² (r ≤ 1) is periodic on a torus and is computed exactly from its spectrum. A random plane of variance
//! 2c₂ in each direction cancels the r² term.
//! Source: Stein 2002, *Fast and exact simulation of fractional Brownian surfaces*; Kroese & Botev 2015.

use std::f64::consts::TAU;

use talweg::field::{Edges, Stream, Terrain};

/// A surface of `samples` per side and Hurst exponent `hurst`. It uses at most a sixth of the torus if H > ¾, otherwise
/// at most a third.
pub fn brownian(samples: usize, hurst: f64, seed: u32) -> Terrain {
    let alpha = 2.0 * hurst;
    let radius = if alpha <= 1.5 { 1.0 } else { 2.0 };
    // The torus is 2 · radius wide. In a square of side 1/√2 no two points are farther apart than 1.
    let torus = ((samples as f64 - 1.0) * 2.0 * radius * std::f64::consts::SQRT_2).ceil() as usize;
    let torus = torus.next_power_of_two();
    let step = 2.0 * radius / torus as f64;
    let (beta, c2, c0) = if alpha <= 1.5 {
        (0.0, alpha / 2.0, 1.0 - alpha / 2.0)
    } else {
        let r: f64 = radius;
        let beta = alpha * (2.0 - alpha) / (3.0 * r * (r * r - 1.0));
        let c2 = (alpha - beta * (r - 1.0).powi(2) * (r + 2.0)) / 2.0;
        (beta, c2, beta * (r - 1.0).powi(3) + 1.0 - c2)
    };
    let covariance = |r: f64| {
        if r <= 1.0 {
            c0 - r.powf(alpha) + c2 * r * r
        } else if r <= radius {
            beta * (radius - r).powi(3) / r
        } else {
            0.0
        }
    };
    let mut field: Vec<[f64; 2]> = (0..torus * torus)
        .map(|k| {
            let away = |index: usize| index.min(torus - index) as f64 * step;
            [covariance((away(k / torus).powi(2) + away(k % torus).powi(2)).sqrt()), 0.0]
        })
        .collect();
    transform(&mut field, torus);
    let largest = field.iter().map(|c| c[0]).fold(0.0, f64::max);
    let stream = Stream::new(seed, 9);
    for (k, c) in field.iter_mut().enumerate() {
        assert!(c[0] > -1e-9 * largest, "the covariance is not positive definite");
        let [x, y] = normals(stream, k as i32);
        let amplitude = (c[0].max(0.0) / (torus * torus) as f64).sqrt();
        *c = [amplitude * x, amplitude * y];
    }
    transform(&mut field, torus);
    let plane = normals(stream, -1).map(|x| x * (2.0 * c2).sqrt() * step);
    let at = |i: usize, j: usize| field[i * torus + j][0] + plane[0] * i as f64 + plane[1] * j as f64;
    let mut terrain = Terrain::from_fn(samples, Edges::Open, |_, _| 0.0);
    for (k, h) in terrain.height.iter_mut().enumerate() {
        *h = at(k / samples, k % samples) as f32;
    }
    terrain
}

/// Two independent numbers from the standard normal distribution (Box & Muller 1958).
fn normals(stream: Stream, k: i32) -> [f64; 2] {
    let unit = |lane: i32| (f64::from(stream.unit(k, lane)) * 16_777_216.0 + 0.5) / 16_777_217.0;
    let (radius, angle) = ((-2.0 * unit(0).ln()).sqrt(), TAU * unit(1));
    [radius * angle.cos(), radius * angle.sin()]
}

/// The discrete Fourier transform of a square of `n` × `n` complex numbers, first by rows and then by columns.
fn transform(field: &mut [[f64; 2]], n: usize) {
    let waves: Vec<[f64; 2]> = (0..n / 2).map(|k| TAU * k as f64 / n as f64).map(|a| [a.cos(), -a.sin()]).collect();
    for _ in 0..2 {
        field.chunks_mut(n).for_each(|row| transform_row(row, &waves));
        for i in 0..n {
            for j in 0..i {
                field.swap(i * n + j, j * n + i);
            }
        }
    }
}

/// The fast Fourier transform of one row, in place (Cooley & Tukey 1965).
fn transform_row(row: &mut [[f64; 2]], waves: &[[f64; 2]]) {
    let n = row.len();
    for k in 0..n {
        let mirrored = k.reverse_bits() >> (usize::BITS - n.trailing_zeros());
        if mirrored > k {
            row.swap(k, mirrored);
        }
    }
    let mut half = 1;
    while half < n {
        for block in row.chunks_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                let w = waves[k * (n / (2 * half))];
                let turned = [b[0] * w[0] - b[1] * w[1], b[0] * w[1] + b[1] * w[0]];
                *b = [a[0] - turned[0], a[1] - turned[1]];
                *a = [a[0] + turned[0], a[1] + turned[1]];
            }
        }
        half *= 2;
    }
}
