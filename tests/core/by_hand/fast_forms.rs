//! The fast forms of the papers on a cone: how far the result depends on the directions of the grid.

use crate::kits::nodes::{TestScene, node};
use talweg::field::{Edges, Terrain};

/// Height of the cone's tip in metres; also the relief of the scene. The cone has a slope of 1.25, or 51°.
const TIP: f32 = 1000.0;

/// Lowest and highest height in metres along the ring with this radius in cells, after an erosion of the cone.
fn ring(name: &str, params: &[(&str, &str)], radius: f32) -> (f32, f32) {
    let place = TestScene { size_metres: 1600.0, relief_metres: TIP, ..TestScene::new(129, Edges::Open) };
    let mut cone = Terrain::flat(place.grid());
    let distance = |k: usize| ((k % 129) as f32 - 64.0).hypot((k / 129) as f32 - 64.0);
    for (k, h) in cone.height.iter_mut().enumerate() {
        *h = 1.0 - distance(k) / 64.0;
    }
    let made = place.finish(&node(name, params), &cone, u32::MAX);
    let on_ring = (0..360).map(|degrees| {
        let (y, x) = (degrees as f32).to_radians().sin_cos();
        made.height_at(0.5 + x * radius / 128.0, 0.5 + y * radius / 128.0) * TIP
    });
    on_ring.fold((f32::MAX, f32::MIN), |(low, high), h| (low.min(h), high.max(h)))
}

/// The help says what the fast form does to a cone; the reference form keeps it round.
#[test]
fn fast_thermal_erosion_makes_a_cone_angular() {
    let spread = |name: &str, neighbours: &str| {
        let params = [("iterations", "500"), ("talus_angle", "34"), ("neighbours", neighbours)];
        let (low, high) = ring(name, &params, 32.0);
        high - low
    };
    // At rest at 34° a cone of this volume is about 455 m high on this ring.
    assert!(spread("Thermal", "Moore") < 15.0, "the reference form with eight neighbours keeps the cone round");
    for (neighbours, at_least, at_most) in
        [("Rotated", 40.0, 60.0), ("VonNeumann", 100.0, 130.0), ("Moore", 40.0, 55.0)]
    {
        let fast = spread("ThermalFast", neighbours);
        assert!((at_least..at_most).contains(&fast), "{neighbours}: {fast} m, other than the help says");
    }
}
