//! Spectral synthesis as seen in its spectrum, and noise of extremely high frequency.

use crate::node_kit::{Place, node};
use talweg::field::{Edges, Terrain};

/// Mean power of the rows of a wrapping field of `n` samples per row, by frequency from 1 to n / 2 - 1 (discrete
/// Fourier transform).
fn row_power(field: &[f32], n: usize, every: usize) -> Vec<f64> {
    let turn = |k: usize| std::f64::consts::TAU * k as f64 / n as f64;
    let waves: Vec<[f64; 2]> = (0..n).map(|k| [turn(k).cos(), turn(k).sin()]).collect();
    let mut power = vec![0.0; n / 2 - 1];
    for row in (0..n).step_by(every).map(|i| &field[i * (n + 1)..][..n]) {
        for (f, power) in power.iter_mut().enumerate() {
            let mut sum = [0.0f64; 2];
            for (j, &h) in row.iter().enumerate() {
                let wave = waves[(f + 1) * j % n];
                sum = [sum[0] + f64::from(h) * wave[0], sum[1] + f64::from(h) * wave[1]];
            }
            *power += sum[0] * sum[0] + sum[1] * sum[1];
        }
    }
    power
}

/// The amplitudes of the layers, read from the spectrum of their sum. A table of independent values, interpolated
/// linearly over m samples, has the power of a triangle of width m, (sin(πkm/n) / (m·sin(πk/n)))⁴.
#[test]
fn the_spectrum_of_spectral_synthesis_shows_its_layers_with_their_amplitudes() {
    const N: usize = 1024;
    const LAYERS: usize = 4;
    let place = Place::new(N + 1, Edges::Wrap);
    for persistence in [0.5f64, 0.7] {
        let text = persistence.to_string();
        let params =
            [("layers", "4"), ("frequency", "32"), ("interpolation", "Linear"), ("persistence", text.as_str())];
        // Rows between the table rows occur as often as rows on them.
        let power = row_power(&place.finish(&node("Spectral", &params), &Terrain::flat(place.grid()), 0).height, N, 3);
        let shape = |layer: usize, f: usize| {
            let m = (N / (32 << layer)) as f64;
            let x = std::f64::consts::PI * (f + 1) as f64 / N as f64;
            // A finer table has more values, so each has less of the power.
            m * ((m * x).sin() / (m * x.sin())).powi(4)
        };
        // Least squares, power = Σ aᵢ² · shapeᵢ, with each frequency weighted by its expected power.
        let law = |f: usize| (0..LAYERS).map(|i| persistence.powi(2 * i as i32) * shape(i, f)).sum::<f64>();
        let mut system = [[0.0f64; LAYERS + 1]; LAYERS];
        // Above the first zero of the finest table, there is nothing to measure.
        for (f, &measured) in power.iter().enumerate().take(200) {
            for (i, equation) in system.iter_mut().enumerate() {
                let column = shape(i, f) / (law(f) * law(f));
                (0..LAYERS).for_each(|j| equation[j] += column * shape(j, f));
                equation[LAYERS] += column * measured;
            }
        }
        for i in 0..LAYERS {
            for j in i + 1..LAYERS {
                let factor = system[j][i] / system[i][i];
                (i..=LAYERS).for_each(|k| system[j][k] -= factor * system[i][k]);
            }
        }
        let mut squares = [0.0f64; LAYERS];
        for i in (0..LAYERS).rev() {
            let known: f64 = (i + 1..LAYERS).map(|j| system[i][j] * squares[j]).sum();
            squares[i] = (system[i][LAYERS] - known) / system[i][i];
        }
        for i in 1..LAYERS {
            let ratio = (squares[i] / squares[i - 1]).sqrt();
            println!("layer {i} over layer {}: {ratio:.3}, persistence {persistence}", i - 1);
            assert!((ratio / persistence - 1.0).abs() < 0.1, "layer {i}: {ratio} at persistence {persistence}");
        }
    }
}

/// So fine that lattice line numbers wrap around: a warped octave once had a table too small for its samples.
#[test]
fn octaves_beyond_the_numbers_of_lattice_lines_stay_finite() {
    let params = [
        ("frequency", "252.32869"),
        ("octaves", "13"),
        ("lacunarity", "3.8795185"),
        ("warp", "0.038599774"),
        ("warp_frequency", "0.1"),
    ];
    for offset in ["-1000", "0", "1000"] {
        let moved = [&params[..], &[("offset_x", offset), ("offset_y", offset)]].concat();
        for samples in [2, 33] {
            let place = Place::new(samples, Edges::Open);
            let made = place.finish(&node("Perlin", &moved), &Terrain::flat(place.grid()), 0);
            assert!(made.height.iter().all(|h| h.is_finite()));
        }
    }
}
