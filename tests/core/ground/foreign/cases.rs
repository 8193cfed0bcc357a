//! Small files from other programs that Talweg once read wrongly without a note, or refused without advice.
//! Unless the test says otherwise, a file has 65 × 65 samples of 500 + column + 3 · row metres, a cell of 30 m and the
//! coordinate system EPSG:32632.

use std::sync::Arc;

use talweg::eval::{Store, evaluate};
use talweg::field::{Control, MapKind};
use talweg::io::formats::{NumberMeaning, ReadOptions};
use talweg::io::{Raster, raster, raster_as};
use talweg::nodes::Node;
use talweg::scene::{Layer, Scene};

use crate::kits::common::path;

fn file(name: &str) -> String {
    path("tests/core/ground/foreign/cases").join(name).to_string_lossy().into_owned()
}

fn read(name: &str) -> Arc<Raster> {
    raster(&file(name)).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(name: &str) -> String {
    raster(&file(name)).map(|_| ()).expect_err(name).to_string()
}

/// Lowest and highest height in metres, rounded to thousandths.
fn heights(raster: &Raster) -> (f32, f32) {
    let (low, high) = raster.range_metres.expect("heights in metres");
    ((low * 1000.0).round() / 1000.0, (high * 1000.0).round() / 1000.0)
}

fn has_note(raster: &Raster, kind: &str) -> bool {
    raster.notes.iter().any(|note| note.kind == kind)
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1.0e-9
}

#[test]
fn rows_from_south_to_north_are_turned() {
    let (north, south) = (read("01-north-up.tif"), read("01-south-up.tif"));
    assert_eq!((&south.values, south.placement), (&north.values, north.placement));
    assert!(near(south.placement.unwrap().north, 5_099_985.0), "{:?}", south.placement);
    let reversed = ReadOptions { first_row_is_south: true, ..ReadOptions::default() };
    let reversed = raster_as(&file("01-north-up.tif"), reversed).unwrap();
    assert_eq!(reversed.values[..65], north.values[64 * 65..]);
}

#[test]
fn turned_grids_keep_metres_and_cells() {
    let turned = read("02-rotated-u16.tif");
    assert_eq!(heights(&turned), (500.0, 756.0));
    assert!(
        turned.cell_metres().unwrap().iter().all(|cell| (cell - 30.0).abs() < 1.0e-6),
        "{:?}",
        turned.cell_metres()
    );
    assert!(turned.notes.iter().any(|note| note.text.contains("33°") && note.text.contains("gdalwarp")));
    let identity = read("identity-matrix-4326.tif");
    assert!(identity.placement.is_none() && has_note(&identity, "no-position"));
}

#[test]
fn masks_and_opacity_mark_missing_data() {
    let masked = read("03-internal-mask.tif");
    assert_eq!((masked.void_samples(), heights(&masked).1), (100, 756.0));
    let transparent = read("grey-alpha16.png");
    let (_, high) = transparent.value_range().unwrap();
    assert_eq!((transparent.void_samples(), high), (100, 51_200.0 / 65_535.0));
}

#[test]
fn undeclared_missing_data_is_recognised_and_named() {
    for (name, words) in [("04-undeclared-9999.tif", "-9999"), ("04-undeclared+3.4e38.tif", "3.4e38")] {
        let read = read(name);
        assert_eq!((read.void_samples(), heights(&read)), (25, (500.0, 756.0)), "{name}");
        let note = &read.notes.iter().find(|note| note.kind == "undeclared-no-data").expect(name).text;
        assert!(note.contains("25 samples") && note.contains(words), "{note}");
    }
    assert_eq!(read("float-min.asc").void_samples(), 25);
    assert_eq!(read("first-nan.asc").void_samples(), 25);
}

#[test]
fn a_channel_of_heights_is_preferred_to_opacity() {
    let depth = read("09-alpha-and-z.exr");
    assert_eq!((heights(&depth), depth.facts.channel.as_deref()), ((500.0, 756.0), Some("Z")));
    let alpha = raster_as(&file("09-alpha-and-z.exr"), ReadOptions { channel: 1, ..ReadOptions::default() }).unwrap();
    assert_eq!((alpha.range_metres, alpha.values[0]), (None, 1.0));
}

#[test]
fn fractions_that_overshoot_stay_fractions() {
    let (plain, over) = (read("10-normalised.exr"), read("10-normalised-overshoot.exr"));
    assert_eq!((plain.range_metres, over.range_metres), (None, None));
    let (low, high) = over.value_range().unwrap();
    assert!(
        (low + 0.003).abs() < 1.0e-4 && (high - 1.003).abs() < 1.0e-4 && has_note(&over, "overshoot"),
        "{low} {high}"
    );
}

#[test]
fn files_beside_a_raster_give_its_place() {
    let degrees = read("07-quarter-degree.asc");
    let [across, down] = degrees.extent_metres().unwrap();
    assert!(degrees.placement.unwrap().in_degrees && has_note(&degrees, "side-file"));
    assert!((across / 1.191e6 - 1.0).abs() < 2.0e-3 && (down / 1.778e6 - 1.0).abs() < 2.0e-3, "{across} {down}");
}

#[test]
fn units_are_converted_to_metres() {
    let yards = read("13-unit-yard.tif");
    assert!(yards.cell_metres().unwrap().iter().all(|cell| near(*cell, 91.44)), "{:?}", yards.cell_metres());
    assert_eq!(heights(&read("unit-cm.tif")), (500.0, 756.0));
}

#[test]
fn numbers_are_read_as_stored() {
    assert_eq!(heights(&read("miniswhite-u16.tif")), (500.0, 756.0));
    let bytes = read("u8-metres.tif");
    assert_eq!(heights(&bytes).0, 0.0);
    assert!(heights(&bytes).1 <= 128.0 && heights(&bytes).1 > 100.0);
}

#[test]
fn web_mercator_lengths_are_those_on_the_ground() {
    let mercator = read("webmercator-60N.tif");
    let cell = mercator.cell_metres().unwrap();
    // The cells are 30 m on the map. At 60° north, the cosine of the latitude is 0.5, so they are 15 m on the ground.
    assert!(cell.iter().all(|cell| (cell / 15.0 - 1.0).abs() < 4.0e-3) && has_note(&mercator, "map-scale"), "{cell:?}");
}

#[test]
fn colours_with_heights_are_hinted_at_and_decoded() {
    let picture = read("12-terrarium.png");
    let note = &picture.notes.iter().find(|note| note.kind == "encoded-heights").expect("a hint").text;
    assert!(note.contains("Terrarium"), "{note}");
    let options = ReadOptions { meaning: NumberMeaning::Terrarium, ..ReadOptions::default() };
    let (low, high) = heights(&raster_as(&file("12-terrarium.png"), options).unwrap());
    assert!((low - 500.0).abs() < 0.01 && (high - 756.0).abs() < 0.01, "{low} {high}");
}

#[test]
fn unusual_files_are_read_or_refused_with_advice() {
    assert_eq!(heights(&read("06-commas.asc")), (500.0, 756.0));
    let palette = refusal("palette.tif");
    assert!(palette.contains("gdal_translate -expand gray"), "{palette}");
    let damaged = refusal("crc.png");
    assert!(damaged.contains("damaged") && damaged.contains("again"), "{damaged}");
    let named = read("png-named.tif");
    assert!(named.notes.iter().any(|note| note.kind == "wrong-extension" && note.text.contains("PNG")));
    let tile = read("N55E012.hgt.zip");
    assert_eq!((tile.width, tile.height, tile.void_samples()), (1801, 3601, 200));
    let (low, high) = tile.range_metres.unwrap();
    let height = low + (high - low) * tile.values[2000 * 1801 + 400];
    assert!((height - 1100.0).abs() < 1.0e-3, "{height}");
    let place = tile.placement.unwrap();
    assert!(near(place.step[0], 1.0 / 1800.0) && near(place.step[1], 1.0 / 3600.0));
    assert_eq!((place.west, place.north), (12.0, 56.0));
}

/// A plane that falls to the south by 30 m per row; the rows 30 to 32 have no data and are cut out.
#[test]
fn water_crosses_missing_data_or_leaves_there() {
    let read = read("23-band.tif");
    assert_eq!((read.width, read.height, read.void_samples()), (65, 65, 3 * 65));
    let flow = |voids: &str| {
        let node = |name: &str| Node::named(name).unwrap();
        let layers = vec![Layer::new(node("Import"), 1), Layer::new(node("FlowAccumulation"), 1)];
        let mut scene = Scene { layers, ..Scene::default() };
        let named = format!("1.file={}", file("23-band.tif"));
        let size = ["scene.resolution=65", "scene.size_metres=1920", "scene.relief_metres=1000"];
        let rule = format!("scene.voids={voids}");
        let layers = ["1.voids=Void", "1.sampling=Bilinear", "2.courses=Steepest", "2.sea_level=-10000", &named, &rule];
        for change in size.into_iter().chain(layers) {
            scene.set(change).unwrap_or_else(|error| panic!("{change}: {error}"));
        }
        let made = evaluate(&scene, 65, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
        [29, 33, 34, 63].map(|row| made.map(MapKind::Flow).unwrap()[row * 65 + 32])
    };
    assert_eq!(flow("Cross"), [29.0, 33.0, 34.0, 63.0]);
    assert_eq!(flow("LandEnds"), [29.0, 1.0, 1.0, 30.0]);
}
