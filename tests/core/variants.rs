//! Tests the preview accuracy of nodes that do and do not depend on the resolution. Also compares variants and contact
//! sheets with the requests for them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use talweg::eval::parity::{Verdict, channel_overlap, compare, half_samples, parity};
use talweg::eval::{Store, evaluate, thread_pool};
use talweg::field::{Cancelled, Control, Edges, Grid, Terrain};
use talweg::nodes::Node;
use talweg::param::Value;
use talweg::scene::{Layer, Scene, SetError, Settings};
use talweg::variants::{
    ParamRef, SceneVariant, Size, ThumbnailService, VariantError, VariantSweep, columns, draw, draw_all, neighbours,
    presets, seeds, sheet, sweep, table,
};

use crate::kits::nodes::node;

// Tests of preview accuracy (parity of preview and full resolution).

fn scene(nodes: &[Node], resolution: u32) -> Scene {
    let mut scene = Scene { name: "Test".into(), ..Scene::default() };
    scene.settings.resolution = resolution;
    scene.layers = nodes.iter().enumerate().map(|(k, node)| Layer::new(node.clone(), k as u32 + 1)).collect();
    scene
}

fn parity_of(scene: &Scene) -> talweg::eval::parity::Parity {
    let control = Control::default();
    let mut store = Store::forgetful();
    let full = evaluate(scene, scene.samples(), None, &mut store, &control).unwrap().terrain;
    parity(scene, &full, None, &mut store, &control).unwrap()
}

#[test]
fn lattice_generators_have_no_drift() {
    for name in ["Perlin", "DiamondSquare", "Ridged"] {
        let found = parity_of(&scene(&[node(name, &[])], 129));
        assert_eq!((found.samples, found.half_samples), (129, 65));
        assert_eq!((found.rms_metres, found.greatest_metres), (0.0, 0.0), "{name}");
        assert_eq!((found.drainage_overlap, found.verdict), (Some(1.0), Verdict::True), "{name}");
        assert!(found.range_metres > 100.0);
    }
    let level = parity_of(&scene(&[node("Perlin", &[("amplitude", "0")])], 65));
    assert_eq!((level.rms_metres, level.verdict), (0.0, Verdict::True));
    // The samples of the preview and of the full resolution are at different positions.
    let odd = parity_of(&scene(&[node("Perlin", &[("octaves", "2")])], 128));
    assert!(odd.half_samples == 64 && odd.rms_metres < 0.002 * odd.range_metres, "{odd:?}");
}

#[test]
fn laws_that_depend_on_the_resolution_are_caught() {
    // River beds one sample wide are twice as wide at half the resolution.
    let beds = [("width", "0"), ("depth", "150"), ("source_area", "0.02"), ("bank_angle", "30")];
    let found = parity_of(&scene(&[node("Perlin", &[]), node("Rivers", &beds)], 257));
    assert!(found.rms_metres > 5.0 && found.verdict != Verdict::True, "{found:?}");
    assert!(found.greatest_metres >= found.rms_metres);
}

#[test]
fn drift_is_measured_in_metres_and_drainage_in_cells() {
    let settings = Settings { relief_metres: 1000.0, sea_level: -1e5, ..Settings::default() };
    let control = Control::default();
    let hills = |u: f32, v: f32| 0.5 + 0.2 * libm::sinf(9.0 * u) * libm::cosf(8.0 * v) - 0.3 * v;
    let full = Terrain::from_fn(129, Edges::Open, hills);
    let with = |change: &dyn Fn(f32, f32, f32) -> f32| {
        let half = Terrain::from_fn(65, Edges::Open, |u, v| change(u, v, hills(u, v)));
        compare(&full, &half, &settings, &control).unwrap()
    };
    let raised = with(&|_, _, h| h + 0.05);
    assert!((raised.rms_metres - 50.0).abs() < 0.01 && (raised.greatest_metres - 50.0).abs() < 0.01);
    assert_eq!((raised.drainage_overlap, raised.verdict), (Some(1.0), Verdict::Differs));
    let spike = with(&|u, v, h| if u == 0.5 && v == 0.5 { h + 0.1 } else { h });
    assert!((spike.greatest_metres - 100.0).abs() < 0.01 && (spike.rms_metres - 100.0 / 65.0).abs() < 0.01);
    // The compared terrain is upside down, so its rivers run along the ridges of the original.
    assert!(with(&|_, _, h| 1.0 - h).drainage_overlap.unwrap() < 0.5);

    // One straight valley, and the same valley shifted sideways by some cells.
    let valley = |at: f32| Terrain::from_fn(257, Edges::Open, |u, v| 2.0 * (u - at).abs() + 0.1 * (1.0 - v));
    let overlap = |a: f32, b: f32| channel_overlap(&valley(a), &valley(b), -1.0, &control).unwrap().unwrap();
    assert_eq!(overlap(0.5, 0.5), 1.0);
    assert!(overlap(0.5, 0.5 + 1.0 / 256.0) > 0.9 && overlap(0.5, 0.5 + 6.0 / 256.0) < 0.1);
    // The sea covers the whole terrain, so there are no rivers.
    assert_eq!(channel_overlap(&valley(0.5), &valley(0.5), 9.0, &control).unwrap(), None);
}

#[test]
fn parity_can_be_cancelled_and_works_at_small_sizes() {
    let scene = scene(&[node("Perlin", &[]), node("Thermal", &[("iterations", "40")])], 129);
    let control = Control::default();
    let full = evaluate(&scene, 129, None, &mut Store::forgetful(), &control).unwrap().terrain;
    control.cancel();
    assert_eq!(parity(&scene, &full, None, &mut Store::forgetful(), &control), Err(Cancelled));
    assert_eq!(compare(&full, &full, &scene.settings, &control), Err(Cancelled));
    assert_eq!([2, 3, 512, 513, 1025].map(half_samples), [1, 2, 256, 257, 513]);
    for samples in [2, 3, 4, 5] {
        let tiny = evaluate(&scene, samples, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
        parity(&scene, &tiny, None, &mut Store::forgetful(), &Control::default()).unwrap();
    }
    let wrapping = Terrain::flat(Grid::new(9, Edges::Wrap));
    let found = compare(&wrapping, &Terrain::flat(Grid::new(5, Edges::Wrap)), &scene.settings, &Control::default());
    assert_eq!(found.unwrap().verdict, Verdict::True);
}

// Tests of variants and sweeps.

fn hills() -> Scene {
    let mut scene = scene(&[node("Perlin", &[("octaves", "4")]), node("Blur", &[])], 257);
    scene.layers[0].name = "Hills".into();
    scene.layers[1].name = "Soft.edges".into();
    scene.settings.seed = u32::MAX;
    scene
}

const SMALL: Size = Size { samples: 33, pixels: 24 };

fn drawn(variants: &[SceneVariant]) -> Vec<talweg::variants::Thumbnail> {
    let slots = Mutex::new(vec![None; variants.len()]);
    let numbered: Vec<_> = variants.iter().cloned().enumerate().collect();
    let pool = thread_pool(2).unwrap();
    let put = |k: usize, thumbnail| slots.lock().unwrap()[k] = Some(thumbnail);
    pool.install(|| draw_all(&numbered, SMALL, &Control::default(), &put)).unwrap();
    slots.into_inner().unwrap().into_iter().map(Option::unwrap).collect()
}

#[test]
fn seeds_differ_and_are_reproducible() {
    let scene = hills();
    let variants = seeds(&scene, 5).unwrap();
    assert_eq!(variants[0].scene, scene, "the first variant is the current scene");
    let made: Vec<u32> = variants.iter().map(|v| v.scene.settings.seed).collect();
    assert_eq!(made, [u32::MAX, 0, 1, 2, 3]);
    assert_eq!(variants[1].assignments, ["scene.seed=0"]);
    let (once, again) = (drawn(&variants), drawn(&variants));
    assert_eq!(once, again);
    for (a, b) in [(0, 1), (1, 2), (0, 4)] {
        assert_ne!(once[a].image, once[b].image);
    }
    // A variant has the same bits when it is drawn alone, without a cache shared with the others.
    let alone = draw(&variants[3].scene, SMALL, &mut Store::forgetful(), &Control::default()).unwrap();
    assert_eq!(alone, once[3]);
    assert_eq!((alone.image.width, alone.image.rgb.len()), (24, 3 * 24 * 24));
    let glance = alone.key_figures;
    assert!(glance.min_metres < glance.max_metres && glance.erosion_score > 0.0);
    assert!(glance.mean_slope_degrees > 1.0 && glance.mean_slope_degrees < 80.0);
}

/// Parses `LAYER.PARAM` or `LAYER.PARAM=FROM..TO` as a sweep with `count` values.
fn swept(scene: &Scene, text: &str, count: usize) -> Result<VariantSweep, VariantError> {
    let (path, range) = text.split_once('=').map_or((text, None), |(path, range)| (path, range.split_once("..")));
    let range = range.map(|(from, to)| (from.parse().unwrap(), to.parse().unwrap()));
    VariantSweep::new(ParamRef::named(scene, path)?, range, count)
}

#[test]
fn a_sweep_includes_its_ends_and_is_logarithmic_over_decades() {
    let scene = hills();
    let values = |text: &str, count: usize| -> Vec<f32> {
        let sweep = swept(&scene, text, count).unwrap();
        sweep.values.iter().map(|v| if let Value::Float(v) = v { *v } else { panic!("a number") }).collect()
    };
    // The slider's range spans several decades, so the values go from 0.5 to 32 by equal factors.
    let by_factors = values("Hills.frequency", 7);
    assert_eq!(by_factors, [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
    assert_eq!(values("Hills.frequency=2..4", 3), [2.0, 3.0, 4.0]);
    assert_eq!(values("Hills.frequency=4..2", 3), [4.0, 3.0, 2.0]);
    assert_eq!(values("Hills.amplitude=-1..1", 5), [-1.0, -0.5, 0.0, 0.5, 1.0]);
    assert_eq!(values("Soft.edges.opacity", 2), [0.0, 1.0]);
    let (first, last) = (by_factors[0], by_factors[6]);
    let variants = sweep(&scene, &swept(&scene, "Hills.frequency", 7).unwrap()).unwrap();
    let frequency =
        |scene: &Scene| if let Node::Perlin(perlin) = &scene.layers[0].node { perlin.frequency } else { 0.0 };
    assert_eq!((frequency(&variants[0].scene), frequency(&variants[6].scene)), (first, last));
    assert_eq!((variants[2].caption.as_str(), variants[2].short.as_str()), ("Frequency 2", "2"));
    let pictures = drawn(&variants);
    assert!(pictures.windows(2).all(|pair| pair[0].image != pair[1].image));
    // The `--set` option produces the same scene as the sweep.
    let mut set = scene.clone();
    set.set(&variants[5].assignments[0]).unwrap();
    assert_eq!(set, variants[5].scene);

    let whole = swept(&scene, "1.octaves", 40).unwrap();
    assert_eq!(whole.values.len(), 16, "no value twice");
    assert_eq!(swept(&scene, "1.fade", 9).unwrap().values, [0, 1, 2].map(Value::Choice));
    assert_eq!(swept(&scene, "1.by_slope", 9).unwrap().values, [Value::Bool(false), Value::Bool(true)]);
    let relief = swept(&scene, "scene.relief_metres=100..1000", 4).unwrap();
    assert_eq!(sweep(&scene, &relief).unwrap()[1].caption, "Height scale 400 m");
}

#[test]
fn two_sweeps_make_a_table() {
    let scene = hills();
    let across = swept(&scene, "Hills.octaves=1..3", 3).unwrap();
    let down = swept(&scene, "Hills.persistence=0.2..0.8", 2).unwrap();
    let variants = table(&scene, &across, &down).unwrap();
    let captions: Vec<&str> = variants.iter().map(|v| v.short.as_str()).collect();
    assert_eq!(captions, ["1, 0.2", "2, 0.2", "3, 0.2", "1, 0.8", "2, 0.8", "3, 0.8"]);
    assert_eq!(variants[5].assignments, ["1.octaves=3", "1.persistence=0.8"]);
    assert_eq!(table(&scene, &across, &across).unwrap_err(), VariantError::Twice("octaves"));
}

#[test]
fn layers_can_vary_seeds_and_presets() {
    let mut scene = hills();
    scene.layers.push(Layer::new(node("Thermal", &[]), 9));
    let found = sweep(&scene, &swept(&scene, "Hills.seed=3..5", 3).unwrap()).unwrap();
    assert_eq!(found.iter().map(|v| v.scene.layers[0].seed).collect::<Vec<_>>(), [3, 4, 5]);
    let mut set = scene.clone();
    set.set(&found[1].assignments[0]).unwrap();
    assert_eq!(set, found[1].scene);
    assert_eq!(neighbours(&scene, Some(1), "seed", 1).unwrap().higher.len(), 1);

    let about = scene.layers[2].node.about();
    let found = presets(&scene, 2).unwrap();
    assert_eq!(found.len(), about.presets.len());
    for (variant, preset) in found.iter().zip(&about.presets) {
        assert_eq!(variant.caption, preset.label);
        assert_eq!(variant.scene.layers[2].node.matching_preset().unwrap().name, preset.name);
        let mut set = scene.clone();
        set.set(&variant.assignments[0]).unwrap();
        assert_eq!(set, variant.scene);
    }
    assert!(presets(&scene, 1).unwrap_err().to_string().contains("`Soft.edges` has no presets"));
}

#[test]
fn wrong_names_and_ranges_are_explained() {
    let scene = hills();
    let said = |text: &str| swept(&scene, text, 4).unwrap_err();
    assert!(matches!(said("Nope.octaves"), VariantError::Name(SetError::NoLayer(..))));
    assert!(said("Nope.octaves").to_string().contains("`Hills`"));
    assert!(said("Hills.octave").to_string().contains("octaves") && said("scene.nope").to_string().contains("seed"));
    assert!(said("octaves").to_string().contains("LAYER.PARAM=FROM..TO"));
    assert!(said("Hills.fade=1..2").to_string().contains("omit FROM..TO"));
    let mask = ParamRef::named(&scene, "Hills.image").unwrap().values(None, 3);
    assert!(mask.unwrap_err().to_string().contains("cannot be swept"));
}

#[test]
fn neighbours_lie_on_both_sides_of_the_current_value() {
    let scene = hills();
    let values = |parameter: &str| {
        let found = neighbours(&scene, Some(0), parameter, 2).unwrap();
        [found.lower, found.higher].map(|side| side.into_iter().map(|v| v.short).collect::<Vec<_>>().join(" "))
    };
    // The frequency is 3 on a slider from 0.5 to 32, so one step is the factor 64^(1/8) = 1.68.
    assert_eq!(values("frequency"), ["1.784 1.061", "5.045 8.485"]);
    // The scene has 4 octaves, on a slider from 1 to 16.
    assert_eq!(values("octaves"), ["2 1", "6 8"]);
    assert_eq!(values("opacity"), ["87.5 % 75 %", ""], "at the end of the range there is no higher value");
    assert_eq!(values("fade"), ["Classic Linear", ""]);
    assert_eq!(values("by_slope"), ["", "on"]);
    assert!(neighbours(&scene, Some(0), "nope", 2).is_err() && neighbours(&scene, Some(0), "layer", 2).is_err());
    assert_eq!(neighbours(&scene, None, "sun_elevation", 1).unwrap().higher.len(), 1);
}

#[test]
fn drawing_can_be_cancelled_and_the_newest_order_is_first() {
    let control = Control::default();
    control.cancel();
    let numbered: Vec<_> = seeds(&hills(), 3).unwrap().into_iter().enumerate().collect();
    let none = |_: usize, _| panic!("there is nothing to draw");
    assert_eq!(draw_all(&numbered, SMALL, &control, &none), Err(Cancelled));

    let notified = std::sync::Arc::new(AtomicUsize::new(0));
    let counter = notified.clone();
    let service = ThumbnailService::new(1, move || _ = counter.fetch_add(1, Ordering::SeqCst)).unwrap();
    // There are more variants than the service can draw before the next request.
    let many = seeds(&hills(), 200).unwrap();
    let few = seeds(&hills(), 3).unwrap();
    service.order(1, many.clone(), Size { samples: 129, pixels: 48 });
    service.order(2, few.clone(), SMALL);
    assert!(service.is_busy());
    let mut all = Vec::new();
    while let Some(made) = service.wait() {
        all.push((made.order, made.index, made.thumbnail));
    }
    let last_of = |order: u64| all.iter().rposition(|(o, ..)| *o == order).unwrap();
    assert!(last_of(2) < last_of(1), "the newer order is done first");
    let mut indices: Vec<usize> = all.iter().filter(|(o, ..)| *o == 1).map(|(_, k, _)| *k).collect();
    indices.sort_unstable();
    assert_eq!(indices, (0..200).collect::<Vec<_>>(), "the older order is finished, each variant once");
    assert_eq!(notified.load(Ordering::SeqCst), 203);
    let expected = drawn(&few);
    assert!(all.iter().filter(|(o, ..)| *o == 2).all(|(_, k, thumbnail)| *thumbnail == expected[*k]));
    assert!(!service.is_busy());
    // The first request is replaced by another one, and the last one is discarded.
    service.order(3, many.clone(), SMALL);
    service.order(3, few, SMALL);
    service.order(4, many, SMALL);
    service.forget(4);
    let mut seen: Vec<(u64, usize)> = Vec::new();
    while let Some(made) = service.wait() {
        seen.push((made.order, made.index));
    }
    assert!(seen.iter().filter(|(order, _)| *order == 3).count() >= 3);
    assert!((0..3).all(|k| seen.contains(&(3, k))), "{seen:?}");
}

#[test]
fn a_sheet_has_every_thumbnail_with_its_caption() {
    let variants = seeds(&hills(), 6).unwrap();
    let thumbnails: Vec<_> = variants.iter().zip(drawn(&variants)).collect();
    let picture = sheet("Hills: seeds", &thumbnails, 3);
    let gap = 8;
    let at = |x: usize, y: usize| &picture.rgb[(y * picture.width + x) * 3..][..3];
    // Search for each thumbnail after the end of the previous one.
    let mut found = 0;
    for y in 0..picture.height - 24 {
        for x in (gap..picture.width - 24).step_by(24 + gap) {
            let holds = |t: &talweg::variants::Thumbnail| {
                (0..24).all(|row| {
                    let line = &t.image.rgb[row * 72..][..72];
                    picture.rgb[((y + row) * picture.width + x) * 3..][..72] == *line
                })
            };
            found += thumbnails.iter().filter(|(_, t)| holds(t)).count();
        }
    }
    assert_eq!(found, 6);
    let paper = at(0, 0).to_vec();
    let heading = (0..24).flat_map(|y| (0..picture.width).map(move |x| (x, y))).filter(|&(x, y)| at(x, y) != paper);
    assert!(heading.count() > 50, "the heading is written");
    assert_eq!([1, 2, 4, 5, 9, 12, 16, 25].map(columns), [1, 2, 2, 3, 3, 4, 4, 5]);
    assert!(sheet("Nothing", &[], 4).height > 0);
}
