//! Compares small relief images of shipped scenes with stored ones.

use talweg::appearance::{PaletteTable, RgbImage, relief};
use talweg::appearance_files::Palette;
use talweg::field::Control;
use talweg::scene::example;

use crate::kits::common::{blessing, example_terrain, path};

const SIDE: usize = 96;
/// Largest tolerated difference of a colour channel (of 255), and how many channels per thousand may exceed it. With
/// these limits a slightly moved shadow passes, and a visible change fails.
const NEAR: u8 = 6;
const FAR_PER_MILLE: usize = 5;

fn draw(name: &str) -> RgbImage {
    let scene = &example(name).unwrap_or_else(|| panic!("no example {name}")).scene;
    let table = PaletteTable::new(Palette::named(&scene.palette).unwrap(), &scene.settings);
    relief(&example_terrain(name, 257), &scene.settings, &table, [SIDE; 2], &Control::default()).unwrap()
}

fn read(file: &std::path::Path) -> RgbImage {
    let open = std::fs::File::open(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(open)).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    RgbImage { width: info.width as usize, height: info.height as usize, rgb }
}

#[test]
fn reliefs_match_their_stored_pictures() {
    for name in ["alpine-range", "island", "canyon-lands", "glacial-valleys"] {
        let golden = path(&format!("tests/golden/{name}.png"));
        let drawn = draw(name);
        if blessing() {
            drawn.save(&golden).unwrap();
        }
        let kept = read(&golden);
        assert_eq!((drawn.width, drawn.height), (kept.width, kept.height));
        let far = drawn.rgb.iter().zip(&kept.rgb).filter(|(a, b)| a.abs_diff(**b) > NEAR).count();
        if far * 1000 > drawn.rgb.len() * FAR_PER_MILLE {
            let new = path(&format!("tests/golden/{name}.png.new"));
            drawn.save(&new).unwrap();
            panic!("{far} channels differ; compare {} with {}, then TALWEG_BLESS=1", new.display(), golden.display());
        }
    }
}

#[test]
fn threads_change_no_bit_of_a_relief() {
    let scene = &example("island").unwrap().scene;
    let (table, terrain) =
        (PaletteTable::new(Palette::named("tropical").unwrap(), &scene.settings), example_terrain("island", 129));
    let drawn = |threads: usize| {
        let pool = talweg::eval::thread_pool(threads).unwrap();
        pool.install(|| relief(&terrain, &scene.settings, &table, [150, 101], &Control::default()).unwrap())
    };
    assert_eq!(drawn(1), drawn(2));
    assert_eq!(drawn(1), drawn(5));
}

#[test]
fn extremes_are_drawn_without_panic() {
    use talweg::field::{Edges, Terrain};
    use talweg::scene::Settings;
    let table = PaletteTable::new(Palette::named("alpine").unwrap(), &Settings::default());
    for samples in [2, 3, 33] {
        for (low, sun_elevation, sea_level) in [(0.0, 1.0, 0.0), (-1e6, 90.0, 5e4), (1e6, 45.0, -1e5)] {
            let terrain = Terrain::from_fn(samples, Edges::Open, |u, v| low * u * v);
            let settings = Settings { sun_elevation, sea_level, ..Settings::default() };
            for (width, height) in [(1, 1), (7, 3), (64, 64)] {
                assert_eq!(
                    relief(&terrain, &settings, &table, [width, height], &Control::default()).unwrap().rgb.len(),
                    width * height * 3
                );
            }
        }
    }
}
