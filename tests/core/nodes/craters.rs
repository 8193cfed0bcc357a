//! Craters on globes and flat terrain: face borders, threads, atmosphere and lava. Tests next to the crater equations
//! cover shapes and sizes.

use crate::kits::nodes::{BARE, EARTH, TestScene, on_threads, set};
use talweg::field::{Edges, Globe, MapKind, Terrain};
use talweg::nodes::Node;

fn craters(values: &[(&str, &str)]) -> Node {
    let mut node = Node::named("Craters").expect("in the catalogue");
    values.iter().for_each(|(name, text)| set(&mut node, name, text));
    node
}

fn preset(name: &str) -> Node {
    let mut node = craters(&[]);
    let presets = &node.about().presets;
    node.adopt(presets.iter().find(|preset| preset.name == name).expect("a preset"));
    node
}

/// Root mean square of the height change that `node` makes to level terrain.
fn relief(place: &TestScene, node: &Node) -> f64 {
    let made = place.finish(node, &Terrain::flat(place.grid()), 0);
    (made.height.iter().map(|&h| f64::from(h).powi(2)).sum::<f64>() / made.height.len() as f64).sqrt()
}

#[test]
fn faces_agree_on_their_borders_and_threads_change_no_bit() {
    for samples in [2, 3, 33, 100] {
        let place = TestScene::globe(samples, &BARE);
        let (globe, input) = (Globe::new(samples), place.noise());
        for name in ["Highlands", "Maria", "Mars", "Basin", "Fresh"] {
            let node = preset(name);
            let [one, two] = [1, 2].map(|threads| on_threads(threads, || place.finish(&node, &input, 0)));
            assert!(one == two, "{name} at {samples} depends on threads");
            let brightness = one.map(MapKind::Brightness).map(|map| map.to_vec());
            for field in [Some(one.height.clone()), brightness].into_iter().flatten() {
                assert!(field.iter().all(|v| v.is_finite()), "{name}");
                for k in 0..globe.len() {
                    assert_eq!(field[k].to_bits(), field[globe.grid().owner(k)].to_bits(), "{name} at {samples}: {k}");
                }
            }
        }
    }
}

/// A denser atmosphere gradually removes craters, from a surface like the Moon's to almost no craters.
#[test]
fn air_removes_craters_smoothly() {
    let node = |density: f32| {
        craters(&[("follow_atmosphere", "false"), ("atmosphere", &density.to_string()), ("smallest", "0.01")])
    };
    let place = TestScene::globe(65, &BARE);
    let moon = relief(&place, &node(0.0));
    let mut last = moon;
    for density in [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0] {
        let now = relief(&place, &node(density));
        assert!(now < last * 1.02 && now > last * 0.2 * f64::from(1.0 - density), "{density}: {last} to {now}");
        last = now;
    }
    assert!(last < 0.1 * moon, "Earth has almost no craters: {last}, the Moon {moon}");
    // With this setting, craters depend on the planet's own atmosphere.
    let follows = craters(&[("smallest", "0.01")]);
    let earth = TestScene { size_metres: place.size_metres, ..TestScene::globe(65, &EARTH) };
    assert_eq!(relief(&place, &follows), moon);
    assert!((relief(&earth, &follows) - last).abs() < 1e-9 * moon);
    assert_eq!(relief(&earth, &node(0.0)), moon);
}

/// Lava fills old basins to a level, dark surface, crossed by ray systems.
#[test]
fn maria_are_level_and_dark() {
    let place = TestScene::globe(129, &BARE);
    let made = place.finish(&preset("Maria"), &Terrain::flat(place.grid()), 0);
    let brightness = made.map(MapKind::Brightness).unwrap();
    let (mut dark, mut level) = (0, 0);
    for k in 1..made.height.len() {
        if k % 129 != 0 && brightness[k] < -0.9 && brightness[k - 1] < -0.9 {
            dark += 1;
            level += usize::from((made.height[k] - made.height[k - 1]).abs() < 0.005);
        }
    }
    assert!(dark > made.height.len() / 100, "{dark}");
    assert!(level * 10 > dark * 5, "{level} of {dark} are level to 50 m");
    assert!(brightness.iter().any(|&b| b > 0.5) && brightness.iter().all(|b| (-1.0..=1.0).contains(b)));
}

/// Depth and rim height of a crater follow Pike, on any terrain and at any position of the globe.
#[test]
fn a_single_crater_has_its_form_everywhere() {
    let node = craters(&[
        ("craters", "1"),
        ("largest", "0.2"),
        ("smallest", "0.2"),
        ("wear", "0"),
        ("uneven", "0"),
        ("peaks", "0"),
        ("transition_metres", "1000000"),
    ]);
    let mut seen = Vec::new();
    for place in [TestScene::globe(129, &BARE), TestScene::new(257, Edges::Open), TestScene::new(257, Edges::Wrap)] {
        let flat = place.finish(&node, &Terrain::flat(place.grid()), 0);
        let diameter_km = f64::from(place.size_metres) * 0.2e-3;
        let (low, high) = flat.range();
        let metres = |h: f32| f64::from(h * place.relief_metres);
        // The crater's shape is close to that of craters on the Moon; the exponents of Pike's equations are not quite
        // 1.
        let scale = 1000.0 / 10.6;
        let lunar = diameter_km / scale;
        let depth = 196.0 * scale * lunar.powf(1.010);
        let rim = 36.0 * scale * lunar.powf(1.014);
        assert!((metres(high - low) / depth - 1.0).abs() < 0.06, "{} of {depth}", metres(high - low));
        assert!((metres(high) / rim - 1.0).abs() < 0.12, "{} of {rim}", metres(high));
        seen.push(low);
    }
    assert_eq!(seen.len(), 3);
}

/// Craters overlap on every face, and many are only a few samples wide. Every height stays finite, and face borders
/// agree. The benchmark has the timings.
#[test]
fn ten_thousand_craters_give_finite_heights() {
    let place = TestScene::globe(129, &BARE);
    let node = craters(&[("craters", "10000"), ("smallest", "0.016"), ("largest", "0.3")]);
    let made = place.finish(&node, &Terrain::flat(place.grid()), 0);
    let globe = Globe::new(129);
    let sound = |k: usize| {
        made.height[k].is_finite() && made.height[k].to_bits() == made.height[globe.grid().owner(k)].to_bits()
    };
    assert!((0..made.height.len()).all(sound));
    let (low, high) = made.range();
    assert!(low < 0.0 && high > 0.0, "bowls and rims: {low} to {high}");
}
