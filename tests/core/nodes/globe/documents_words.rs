//! Planets in the words of document 003, and their parameters on planets of any size.

use std::sync::LazyLock;

use crate::kits::nodes::{BARE, EARTH, TestScene, node};
use talweg::field::{Edges, Globe, MapKind, Terrain};
use talweg::planet::Planet;

/// A planet with a quarter of Earth's radius.
static QUARTER: LazyLock<Planet> =
    LazyLock::new(|| Planet { radius_metres: EARTH.radius_metres / 4.0, ..Planet::default() });

/// On a planet of a quarter of Earth's radius the same terrain has as many rivers.
#[test]
fn river_sources_scale_with_the_planet() {
    let wet = |planet: &'static Planet, source_area: &str| {
        let place = TestScene { sea_level: 0.0, ..TestScene::globe(65, planet) };
        let land = place.finish(&node("Continents", &[]), &Terrain::flat(place.grid()), 0);
        let params = [("source_area", source_area), ("width", "0"), ("deltas", "0"), ("fjords", "0")];
        let made = place.finish(&node("PlanetRivers", &params), &land, 0);
        made.map(MapKind::Water).unwrap().iter().filter(|&&depth| depth > 0.0).count()
    };
    let [earth, quarter] = [&*EARTH, &*QUARTER].map(|planet| wet(planet, "200000"));
    assert!(earth > 100, "{earth} samples of rivers");
    let ratio = quarter as f64 / earth as f64;
    assert!((0.98..1.02).contains(&ratio), "{quarter} samples of rivers on the small planet, {earth} on Earth");
    assert!(wet(&EARTH, "3200000") < earth / 2, "sixteen times the area leaves few rivers");
}

/// A crater lies where the user puts it, on a planet and on a square.
#[test]
fn a_crater_lies_at_the_chosen_place() {
    let place = TestScene::globe(129, &BARE);
    for (latitude, longitude) in [(0.0f64, 0.0f64), (31.0, -120.0), (-75.0, 88.0), (90.0, 0.0)] {
        let [north, east] = [latitude.to_string(), longitude.to_string()];
        let params = [("places", "Chosen"), ("latitude", &*north), ("longitude", &east), ("largest", "0.2")];
        let made = place.finish(&node("Craters", &params), &Terrain::flat(place.grid()), 0);
        let globe = Globe::new(129);
        let centre = talweg::field::globe::from_angles(latitude.to_radians(), longitude.to_radians());
        // The centre of mass of what the bowl has removed.
        let mut removed = [0.0f64; 3];
        for (k, &h) in made.height.iter().enumerate().filter(|(_, h)| **h < 0.0) {
            let direction = globe.direction_of(k);
            removed = std::array::from_fn(|axis| removed[axis] - f64::from(h) * f64::from(direction[axis]));
        }
        let length = removed.iter().map(|x| x * x).sum::<f64>().sqrt();
        let cosine: f64 = removed.iter().zip(centre).map(|(a, b)| a / length * b).sum();
        let degrees = cosine.clamp(-1.0, 1.0).acos().to_degrees();
        assert!(length > 0.0 && degrees < 1.0, "{latitude}, {longitude}: {degrees}° away");
    }
    // The diameter is the largest diameter, and the seed does not move the crater.
    for seed in [1, 2] {
        let square = TestScene { seed, ..TestScene::new(129, Edges::Open) };
        let params =
            [("places", "Chosen"), ("centre_x", "0.25"), ("centre_y", "0.75"), ("largest", "0.2"), ("uneven", "0")];
        let made = square.finish(&node("Craters", &params), &Terrain::flat(square.grid()), 0);
        let bowl: Vec<usize> = (0..129 * 129).filter(|&k| made.height[k] < 0.0).collect();
        let mean =
            |part: &dyn Fn(usize) -> usize| bowl.iter().map(|&k| part(k) as f64).sum::<f64>() / bowl.len() as f64;
        let (x, y) = (mean(&|k| k % 129), mean(&|k| k / 129));
        assert!((x - 32.0).abs() < 0.5 && (y - 96.0).abs() < 0.5, "seed {seed}: {x}, {y}");
        let width = bowl.iter().map(|k| k % 129).max().unwrap() - bowl.iter().map(|k| k % 129).min().unwrap();
        assert!((16..=26).contains(&width), "seed {seed}: {width} cells of 25.6 wide");
    }
}

/// V = Σ aₖ·dₖ as the text has it. The level that `land` sets only adds a constant to V.
#[test]
fn continents_can_use_v_as_it_is_written() {
    let place = TestScene::globe(33, &EARTH);
    let cells = |coast: &str, land: &str, first: &str| {
        let params = [
            ("form", "Cells"),
            ("coast", coast),
            ("land", land),
            ("first", first),
            ("second", "0"),
            ("third", "0"),
            ("roughness", "0"),
            ("drift", "0"),
            ("amplitude", "1"),
            ("follow_air", "false"),
        ];
        place.finish(&node("Continents", &params), &Terrain::flat(place.grid()), 0).height
    };
    // With a₁ alone, V is a₁ times the distance to the nearest centre: never below 0, and 0 near the centres.
    let plain = cells("Zero", "0.3", "1");
    let (low, high) = plain.iter().fold((f32::MAX, f32::MIN), |(low, high), &h| (low.min(h), high.max(h)));
    assert!(low >= 0.0 && low < 0.1 * high, "{low} to {high}");
    assert_eq!(plain, cells("Zero", "0.8", "1"), "land has no effect");
    let doubled = cells("Zero", "0.3", "2");
    assert!(plain.iter().zip(&doubled).all(|(h, twice)| (twice - 2.0 * h).abs() < 1e-5));
    // By land, the same cells are moved so that land covers the fraction.
    let by_land = cells("Land", "0.3", "1");
    let moved = by_land[0] - plain[0];
    assert!(plain.iter().zip(&by_land).all(|(h, other)| (other - h - moved).abs() < 1e-5) && moved < 0.0);
}

/// V can sum the distances to any number of centres. They are in order, and their sum is the sum of the parts.
#[test]
fn v_sums_the_distances_to_many_centres() {
    let place = TestScene::globe(33, &EARTH);
    const WEIGHTS: [&str; 8] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];
    let cells = |weights: [&'static str; 20]| {
        let farther = weights[8..].join(" ");
        let mut params = vec![
            ("form", "Cells"),
            ("coast", "Zero"),
            ("plates", "20"),
            ("roughness", "0"),
            ("drift", "0"),
            ("amplitude", "1"),
            ("follow_air", "false"),
        ];
        params.extend(WEIGHTS.into_iter().zip(weights));
        params.push(("farther", &farther));
        place.finish(&node("Continents", &params), &Terrain::flat(place.grid()), 0).height
    };
    let alone = |nth: usize| cells(std::array::from_fn(|k| if k == nth { "1" } else { "0" }));
    let parts: Vec<Vec<f32>> = (0..20).map(alone).collect();
    for pair in parts.windows(2) {
        assert!(pair[0].iter().zip(&pair[1]).all(|(near, far)| near <= far) && pair[0] != pair[1]);
    }
    let all = cells(["1"; 20]);
    for (k, h) in all.iter().enumerate() {
        let sum: f32 = parts.iter().map(|part| part[k]).sum();
        assert!((h - sum).abs() < 1.0e-4 * sum, "{k}: {h} instead of {sum}");
    }
}
