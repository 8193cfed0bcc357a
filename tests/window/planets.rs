//! A planet in the window: the globe, the map, the orbit and the ground.

use crate::kit::{difference, view};
use crate::screen_kit::Session;

/// A small planet of one layer.
pub const PLANET: &str = r#"(
    version: 1,
    name: "Planet test",
    settings: (world: Planet, resolution: 65, relief_metres: 9000.0, sea_level: 300.0),
    layers: [(name: "Lands", node: Perlin(frequency: 2.0), seed: 1)],
)"#;

#[test]
fn a_planet_is_a_globe_a_map_and_an_orbit_and_can_be_approached() {
    let session = Session::new();
    std::fs::write(session.path("planet.ron"), PLANET).unwrap();
    session.drive(
        "planet.ron",
        r#"[
            Settle, State("space.json"), Picture("space.png"),
            ViewDrag(from: (0.5, 0.5), to: (0.6, 0.5), button: Left, shift: false), Settle, State("turned.json"),
            ViewScroll(at: (0.5, 0.5), lines: 9), ViewScroll(at: (0.5, 0.5), lines: 9), Settle, State("near.json"),
            Picture("near.png"),
            Key("8"), Settle, Picture("map.png"), ViewScroll(at: (0.3, 0.4), lines: 5), Settle, State("map.json"),
            Key("9"), Settle, Picture("orbit.png"),
            Key("7"), Over(50.0, 20.0, 200.0, 30.0, -20.0), Settle, Picture("first.png"), Over(50.0, 20.0, 200.0, 30.0, -20.0), Settle,
            State("high.json"), Over(50.0, 20.0, 20.0, 30.0, -20.0), Settle, State("low.json"), Picture("low.png"),
            Key("0"), Settle, State("back.json"),
        ]"#,
    );
    let number = |name: &str, key: &str| session.state(name)["globe"][key].as_f64().expect("a number");
    let away = number("space.json", "radius");
    assert!(away > 2.0 * 6.371e6, "the whole planet is in view from {away} m");
    let east = (number("space.json", "longitude") - number("turned.json", "longitude")).rem_euclid(360.0);
    assert!(east > 5.0 && east < 90.0, "the ground follows the pointer: {east}° to the west");
    assert!((number("turned.json", "radius") - away).abs() < 1.0, "turning does not zoom");
    let near = number("near.json", "radius");
    assert!(near < 6.371e6 + 0.3 * (away - 6.371e6) && near > 6.3e6, "the wheel approaches: {near}");
    assert_ne!(session.state("map.json")["globe"]["map"][2], session.state("near.json")["globe"]["map"][2]);
    assert!((number("back.json", "radius") - away).abs() < 1000.0, "reset shows the whole planet again");
    // both cameras are above the detailed terrain between the samples, which has been computed by then
    let sunk = number("high.json", "radius") - number("low.json", "radius");
    assert!((sunk - 180.0).abs() < 1.0, "the eye stands on the ground that is drawn: {sunk} m lower");
    // The pipelines of the first picture near the surface must be ready when the camera stops.
    let pictures = ["space.png", "near.png", "map.png", "orbit.png", "low.png", "first.png"];
    let pictures = pictures.map(|name| view(&session.picture(name)));
    for (k, picture) in pictures.iter().enumerate() {
        let shades: std::collections::HashSet<[u8; 3]> = picture.iter().copied().collect();
        assert!(shades.len() > 100, "picture {k} shows something: {} shades", shades.len());
        for other in &pictures[..k] {
            assert!(difference(picture, other) > 0.1, "a different image");
        }
    }
}
