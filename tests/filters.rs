//! Filters against their laws: closed forms, searches through all neighbours, settings that change nothing.
#![allow(clippy::disallowed_methods, reason = "no height depends on what a test measures")]

mod node_kit;

use node_kit::{Place, node};
use talweg::field::{Edges, Terrain};

const N: usize = 65;
const BOTH: [Edges; 2] = [Edges::Open, Edges::Wrap];

fn run(edges: Edges, name: &str, params: &[(&str, &str)], start: &Terrain) -> Vec<f32> {
    Place::new(N, edges).finish(&node(name, params), start, 0).height
}

fn assert_close(made: &[f32], expected: impl Fn(usize) -> f32, within: f32, what: &str) {
    for (k, &h) in made.iter().enumerate() {
        let e = expected(k);
        assert!((h - e).abs() <= within, "{what} at {k}: {h} is not {e}");
    }
}

fn range(heights: &[f32]) -> (f32, f32) {
    heights.iter().fold((f32::MAX, f32::MIN), |(low, high), &h| (low.min(h), high.max(h)))
}

#[test]
fn settings_at_rest_change_no_bit() {
    let at_rest: [(&str, &[(&str, &str)]); 4] = [
        ("Blur", &[("radius", "0")]),
        ("Sharpen", &[("amount", "0")]),
        ("Sharpen", &[("radius", "0")]),
        ("Clamp", &[("floor", "-90000"), ("ceiling", "90000")]),
    ];
    for edges in BOTH {
        let start = Place::new(N, edges).noise();
        for (name, params) in at_rest {
            assert_eq!(run(edges, name, params, &start), start.height, "{name} {params:?}");
        }
    }
}

#[test]
fn a_blurred_impulse_is_a_gaussian_and_keeps_its_volume() {
    let cell = 8000.0 / 64.0;
    for edges in BOTH {
        let mut impulse = Terrain::flat(Place::new(N, edges).grid());
        impulse.height[32 * N + 32] = 1.0;
        for sigma in [1.5f32, 3.0, 6.0] {
            let made = run(edges, "Blur", &[("radius", &(sigma * cell).to_string())], &impulse);
            let peak = 1.0 / (std::f32::consts::TAU * sigma * sigma);
            let law = |k: usize| {
                let (x, y) = ((k % N) as f32 - 32.0, (k / N) as f32 - 32.0);
                peak * (-(x * x + y * y) / (2.0 * sigma * sigma)).exp()
            };
            // four boxes have an excess kurtosis of -0.3, so by Edgeworth the peak is 1 - (1 - 0.3/8)² = 7.4 % low
            assert_close(&made, law, 0.08 * peak, "blur");
            let volume = Place::new(N, edges).grid().sum(&made);
            assert!((volume - 1.0).abs() < 1e-5, "{edges:?} {sigma}: {volume}");
        }
    }
}

#[test]
fn an_endless_blur_leaves_the_mean_and_level_ground_stays() {
    for edges in BOTH {
        let place = Place::new(N, edges);
        let start = place.noise();
        let made = run(edges, "Blur", &[("radius", "1000000")], &start);
        let (low, high) = range(&made);
        assert!(high - low < 1e-3, "{edges:?}: {low} {high}");
        let level = Terrain::from_fn(N, edges, |_, _| 0.3);
        assert_eq!(run(edges, "Blur", &[], &level), level.height);
    }
}

#[test]
fn sharpening_adds_what_blurring_takes() {
    for edges in BOTH {
        let start = Place::new(N, edges).noise();
        let soft = run(edges, "Blur", &[("radius", "300")], &start);
        let sharp = run(edges, "Sharpen", &[("radius", "300"), ("amount", "1")], &start);
        assert_close(&sharp, |k| 2.0 * start.height[k] - soft[k], 1e-6, "sharpen");
    }
}

#[test]
fn normalise_reaches_both_ends() {
    let start = Place::new(N, Edges::Open).noise();
    let made = run(Edges::Open, "Normalise", &[("low", "0.2"), ("high", "0.7")], &start);
    let (low, high) = range(&made);
    assert!((low - 0.2).abs() < 1e-6 && (high - 0.7).abs() < 1e-6, "{low} {high}");
}

#[test]
fn clamp_is_the_limit_without_a_knee_and_close_to_it_with_one() {
    let start = Place::new(N, Edges::Open).noise();
    let limits = [("floor", "720"), ("ceiling", "1080")];
    let law = |k: usize| start.height[k].clamp(0.4, 0.6);
    let made = |knee| run(Edges::Open, "Clamp", &[limits[0], limits[1], ("knee", knee)], &start);
    assert_close(&made("0"), law, 1e-6, "clamp");
    // the bend is farthest from the limit right at it: knee / 4
    assert_close(&made("90"), law, 0.05 / 4.0 + 1e-6, "soft clamp");
}

#[test]
fn inverting_twice_changes_nothing() {
    let start = Place::new(N, Edges::Open).noise();
    let once = run(Edges::Open, "Invert", &[], &start);
    assert_close(&once, |k| 1.0 - start.height[k], 1e-6, "invert");
    let mut turned = start.clone();
    turned.height = once;
    let twice = run(Edges::Open, "Invert", &[], &turned);
    assert_close(&twice, |k| start.height[k], 1e-6, "invert twice");
}
