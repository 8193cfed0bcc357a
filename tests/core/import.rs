//! Heights that go out as a file and come in again.

use crate::node_kit::{Place, node};
use talweg::field::{Edges, Terrain};
use talweg::io::export_heightmap;
use talweg::scene::Settings;

#[test]
fn an_exported_heightmap_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::new(129, Edges::Open);
    let (made, settings) = (place.noise(), Settings::default());
    for (name, tolerance) in [("h.r32", 2e-7), ("h.png", 1.0 / 65535.0)] {
        let path = folder.path().join(name);
        export_heightmap(&made, settings.relief_metres, settings.size_metres, &path).unwrap();
        for sampling in ["Bicubic", "Bilinear"] {
            let import = node("Import", &[("file", path.to_str().unwrap()), ("sampling", sampling)]);
            let read = place.finish(&import, &Terrain::flat(place.grid()), 1);
            for (k, (a, b)) in made.height.iter().zip(&read.height).enumerate() {
                assert!((a - b).abs() <= tolerance, "{name} {sampling}: {a} and {b} at {k}");
            }
        }
    }
}

#[test]
fn heights_may_be_given_and_pictures_that_are_not_square_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.png");
    let file = std::fs::File::create(&path).unwrap();
    let mut encoder = png::Encoder::new(file, 5, 3);
    encoder.set_color(png::ColorType::Grayscale);
    // brightness grows to the east by a quarter each sample
    let rows: Vec<u8> = [0u8, 64, 128, 191, 255].repeat(3);
    encoder.write_header().unwrap().write_image_data(&rows).unwrap();
    let place = Place { relief_metres: 1000.0, ..Place::new(9, Edges::Open) };
    let read = |fit: &str| {
        let params = [
            ("file", path.to_str().unwrap()),
            ("fit", fit),
            ("low_metres", "100"),
            ("high_metres", "300"),
            ("sampling", "Bilinear"),
        ];
        let heights = place.finish(&node("Import", &params), &Terrain::flat(place.grid()), 1).height;
        [heights[0], heights[4], heights[8]].map(|h| (h * 1000.0).round())
    };
    assert_eq!(read("Stretch"), [100.0, 200.0, 300.0]);
    // the middle half of the width
    assert_eq!(read("Crop"), [150.0, 200.0, 250.0]);
    assert_eq!(read("Whole"), [100.0, 200.0, 300.0]);
}
