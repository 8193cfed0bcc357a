use super::*;
use crate::field::{MapKind, Terrain};
use crate::nodes::Node;
use crate::scene::Blend;

fn scene(samples: u32, iterations: i64) -> Scene {
    let mut scene = Scene::default();
    scene.settings.resolution = samples;
    scene.layers.push(Layer::new(Node::named("Perlin").unwrap(), 1));
    scene.layers.push(Layer::new(Node::named("Thermal").unwrap(), 2));
    scene.layers.push(Layer::new(Node::named("Terrace").unwrap(), 3));
    let at = scene.layers[1].node.about().find("iterations").unwrap();
    scene.layers[1].node.params_mut().set(at, &crate::param::Value::Int(iterations)).unwrap();
    scene.set("2.talus_angle=10").unwrap();
    scene
}

fn run(scene: &Scene, playhead: Option<Playhead>, store: &mut Store) -> Arc<Terrain> {
    evaluate(scene, scene.samples(), playhead, store, &Control::default()).unwrap().terrain
}

#[test]
fn cache_and_timeline_never_change_a_bit() {
    let mut store = Store::default();
    let long = scene(65, 40);
    let fresh = |s: &Scene, p| run(s, p, &mut Store::forgetful());
    let end = run(&long, None, &mut store);
    assert_eq!(end, fresh(&long, None));
    for iteration in [7, 39, 0, 8, 40, 99, 20] {
        let playhead = Some(Playhead { layer: 1, iteration });
        assert_eq!(run(&long, playhead, &mut store), fresh(&long, playhead), "iteration {iteration}");
        let shorter = scene(65, i64::from(iteration.min(40)));
        assert_eq!(
            run(&long, playhead, &mut store),
            fresh(&shorter, None),
            "iteration {iteration} is the end of a shorter run"
        );
    }
}

#[test]
fn editing_a_layer_costs_nothing_below_it() {
    let mut store = Store::default();
    let mut scene = scene(65, 10);
    run(&scene, None, &mut store);
    assert!(is_cached(&scene, 65, None, &mut store));
    scene.set("3.opacity=0.5").unwrap();
    assert!(!is_cached(&scene, 65, None, &mut store));
    let lower = Scene { layers: scene.layers[..2].to_vec(), ..scene.clone() };
    let kept = store.cache.get(plan(&lower, 65, None)[1].result).expect("layers below are still cached");
    let control = Control::default();
    evaluate(&scene, 65, None, &mut store, &control).unwrap();
    assert_eq!(control.progress().0, 2, "only the edited layer is entered");
    assert!(Arc::ptr_eq(&kept, &run(&lower, None, &mut store)), "the same object, not an equal one");
}

#[test]
fn the_cache_keeps_its_budget() {
    let mut cache = Cache::new(3 * 4 * 9);
    let terrain = Arc::new(Terrain::from_fn(3, crate::field::Edges::Open, |u, _| u));
    let keys: Vec<ContentKey> = (0u8..5).map(|k| ContentKey::start(&[&[k]])).collect();
    for &key in &keys {
        cache.insert(key, &terrain);
        cache.get(keys[0]);
    }
    assert!(cache.bytes() <= 3 * 4 * 9);
    assert!(cache.get(keys[0]).is_some() && cache.get(keys[4]).is_some(), "used lately");
    assert!(cache.get(keys[1]).is_none() && cache.get(keys[2]).is_none(), "not used lately");
}

#[test]
fn the_timeline_thins_itself_to_its_budget() {
    let scene = scene(33, 100);
    let one = Terrain::flat(scene.grid(33)).bytes();
    let mut store = Store::new(Cache::default(), Timeline::new(one * 30));
    let end = run(&scene, None, &mut store);
    assert!(store.timeline.bytes() <= one * 30 && store.timeline.bytes() > 0);
    let early = Some(Playhead { layer: 1, iteration: 37 });
    assert_eq!(run(&scene, early, &mut store), run(&scene, early, &mut Store::forgetful()));
    assert_eq!(run(&scene, None, &mut store), end);
}

#[test]
fn a_cancelled_evaluation_is_resumed_by_the_next_call() {
    let scene = scene(65, 10);
    let mut store = Store::default();
    let control = Control::default();
    control.cancel();
    assert_eq!(evaluate(&scene, 65, None, &mut store, &control).unwrap_err(), Cancelled);
    assert_eq!(run(&scene, None, &mut store), run(&scene, None, &mut Store::forgetful()));
}

#[test]
fn blend_opacity_and_disabled_layers() {
    let mut scene = scene(17, 0);
    scene.layers.truncate(1);
    let base = run(&scene, None, &mut Store::forgetful());
    scene.layers.push(scene.layers[0].clone());
    scene.layers[1].mix.blend = Blend::Subtract;
    let zero = run(&scene, None, &mut Store::forgetful());
    assert!(zero.height.iter().all(|&h| h == 0.0));
    scene.layers[1].mix.opacity = 0.5;
    let half = run(&scene, None, &mut Store::forgetful());
    assert!(half.height.iter().zip(&base.height).all(|(a, b)| (a - b * 0.5).abs() < 1e-6));
    scene.layers[1].enabled = false;
    assert_eq!(run(&scene, None, &mut Store::forgetful()), base);
}

mod worker {
    use super::*;
    use std::time::Duration;

    const LONG: Duration = Duration::from_secs(120);

    fn start() -> Worker<u128> {
        Worker::start(2, |terrain: &Arc<Terrain>, _: &Scene, _: Option<&ChangedRegion>| terrain.hash(), || {}).unwrap()
    }

    fn request(revision: u64, scene: Scene, quality: RequestQuality) -> Request {
        Request {
            revision,
            scene: Arc::new(scene),
            quality,
            playhead: None,
            play: None,
            history_layer: None,
            place: None,
            mask: None,
            stroke: None,
        }
    }

    #[test]
    fn preview_comes_before_the_full_size() {
        let worker = start();
        worker.submit(request(1, scene(513, 2), RequestQuality::PreviewThenFull));
        let Some(WorkerReport::Preview { revision: 1, output }) = worker.wait(LONG) else { panic!("no preview") };
        assert_eq!(output.terrain.samples(), PREVIEW_SAMPLES);
        let Some(WorkerReport::Done { revision: 1, output }) = worker.wait(LONG) else { panic!("no end") };
        assert_eq!(output.terrain.samples(), 513);
        assert_eq!(output.prepared, output.terrain.hash());
    }

    #[test]
    fn multiscale_erosion_shows_and_resumes_every_grid() {
        let worker = start();
        let mut scene = scene(513, 2);
        scene.set("2.largest_scale=Samples33").unwrap();
        let fresh = run(&scene, None, &mut Store::forgetful());
        worker.submit(request(1, scene, RequestQuality::PreviewThenFull));
        for samples in [129, 257] {
            let Some(WorkerReport::Preview { revision: 1, output }) = worker.wait(LONG) else { panic!("no preview") };
            assert_eq!(output.terrain.samples(), samples);
        }
        let Some(WorkerReport::Done { revision: 1, output }) = worker.wait(LONG) else { panic!("no end") };
        assert_eq!((output.terrain.samples(), output.prepared), (513, fresh.hash()));
    }

    #[test]
    fn a_painted_mask_is_reported_alone_at_full_size() {
        let worker = start();
        let mut scene = scene(513, 2);
        scene.layers[1].mask.by_paint = true;
        let painting = |revision: u64, scene: &Scene| Request {
            mask: Some(1),
            stroke: Some(StrokeTarget::Mask(1)),
            ..request(revision, scene.clone(), RequestQuality::Preview)
        };
        for (revision, samples) in [(1, PREVIEW_SAMPLES), (3, 513)] {
            worker.submit(painting(revision, &scene));
            let Some(WorkerReport::Mask { mask, .. }) = worker.wait(LONG) else { panic!("no mask") };
            assert_eq!((mask.layer, mask.grid.samples, mask.weights.iter().any(|&w| w > 0.0)), (1, samples, false));
            // Evaluating the whole stack caches the terrain below the layer whose mask is painted.
            let full = request(revision + 1, scene.clone(), RequestQuality::Full);
            worker.submit(Request { mask: Some(1), ..full });
            assert!(matches!(worker.wait(LONG), Some(WorkerReport::Done { .. })));
            assert!(matches!(worker.wait(LONG), Some(WorkerReport::Mask { .. })));
        }
    }

    #[test]
    fn the_newest_request_wins() {
        let worker = start();
        for revision in 1..=20 {
            worker.submit(request(revision, scene(257, 400), RequestQuality::Full));
        }
        loop {
            match worker.wait(LONG).expect("a report") {
                WorkerReport::Done { revision, .. } => {
                    assert_eq!(revision, 20);
                    break;
                }
                WorkerReport::Cancelled { revision } => assert!(revision < 20),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn cancel_leaves_the_worker_ready() {
        let worker = start();
        worker.submit(request(1, scene(257, 10_000), RequestQuality::Full));
        while worker.status().is_none() {
            std::thread::yield_now();
        }
        worker.cancel();
        assert!(matches!(worker.wait(LONG), Some(WorkerReport::Cancelled { revision: 1 })));
        worker.submit(request(2, scene(33, 1), RequestQuality::Full));
        assert!(matches!(worker.wait(LONG), Some(WorkerReport::Done { revision: 2, .. })));
    }

    #[test]
    fn cancel_reaches_playing_and_waiting_processes() {
        let worker = start();
        let mut play = request(1, scene(65, 10_000), RequestQuality::Full);
        play.playhead = Some(Playhead { layer: 1, iteration: 0 });
        play.play = Some(Play { speed: Some(30.0) });
        worker.submit(play);
        assert!(matches!(worker.wait(LONG), Some(WorkerReport::Frame { .. })));
        worker.cancel();
        loop {
            match worker.wait(LONG).expect("a report") {
                WorkerReport::Frame { .. } => {}
                WorkerReport::Cancelled { revision: 1 } => break,
                other => panic!("{other:?}"),
            }
        }
        assert!(!worker.is_busy());
    }

    #[test]
    fn a_process_slower_than_playback_still_shows_progress() {
        let worker = start();
        let mut play = request(1, scene(129, 60), RequestQuality::Full);
        play.playhead = Some(Playhead { layer: 1, iteration: 0 });
        // A frame advances playback by at most 1/15 s, even if the owner of the worker fetches frames late.
        play.play = Some(Play { speed: Some(60.0) });
        worker.submit(play);
        let mut last = 0;
        loop {
            match worker.wait(LONG).expect("a report") {
                WorkerReport::Frame { output, .. } => {
                    let now = output.playhead.unwrap().iteration;
                    assert!(now > last && now <= last + 4, "{last} to {now}");
                    last = now;
                    std::thread::sleep(Duration::from_millis(20));
                }
                WorkerReport::Done { .. } => break,
                other => panic!("{other:?}"),
            }
        }
        assert!(last >= 50, "{last}");
    }

    #[test]
    fn undo_and_redo_evaluate_no_layer() {
        // Results of layers do not fit into this cache, like those of 16,384 samples per side.
        let store = Store::new(Cache::new(0), Timeline::new(0));
        let worker = Worker::start_with(store, 2, |_: &Arc<Terrain>, _: &Scene, _: Option<&ChangedRegion>| {}, || {});
        let worker = worker.unwrap();
        let done = |revision: u64, iterations: i64| {
            worker.submit(request(revision, scene(513, iterations), RequestQuality::PreviewThenFull));
            let mut previews = 0;
            loop {
                match worker.wait(LONG).expect("a report") {
                    WorkerReport::Preview { .. } => previews += 1,
                    WorkerReport::Done { output, .. } => return (output, previews),
                    other => panic!("{other:?}"),
                }
            }
        };
        let made: Vec<_> = [(1, 1), (2, 2), (3, 3)].into_iter().map(|(k, n)| done(k, n)).collect();
        made.iter().for_each(|(output, previews)| assert_eq!((output.insight.costs.len(), *previews), (3, 1)));
        for (revision, iterations) in [(4, 2), (5, 1), (6, 2), (7, 3)] {
            let (output, previews) = done(revision, iterations);
            assert_eq!((output.insight.costs.len(), previews), (0, 0), "undo and redo to {iterations} iterations");
            assert!(Arc::ptr_eq(&output.terrain, &made[iterations as usize - 1].0.terrain));
        }
        assert_eq!(done(8, 4).0.insight.costs.len(), 3, "a new change is evaluated");
    }

    #[test]
    fn playing_reports_every_iteration_in_order() {
        let worker = start();
        let mut play = request(1, scene(65, 12), RequestQuality::Full);
        play.playhead = Some(Playhead { layer: 1, iteration: 2 });
        play.play = Some(Play { speed: None });
        worker.submit(play.clone());
        for expected in 3..12 {
            let Some(WorkerReport::Frame { output, .. }) = worker.wait(LONG) else { panic!("no frame") };
            assert_eq!(output.playhead.unwrap().iteration, expected);
        }
        let Some(WorkerReport::Done { output, .. }) = worker.wait(LONG) else { panic!("no end") };
        assert_eq!(output.terrain, run(&play.scene, None, &mut Store::forgetful()));
    }

    #[test]
    fn a_playing_generator_shows_its_start_first() {
        let worker = start();
        let mut play = request(1, scene(65, 3), RequestQuality::Full);
        let end = play.scene.timeline_end(0).unwrap();
        play.playhead = Some(Playhead { layer: 0, iteration: 0 });
        play.play = Some(Play { speed: Some(200.0) });
        worker.submit(play.clone());
        let mut shown = Vec::new();
        let whole = loop {
            match worker.wait(LONG).expect("a report") {
                WorkerReport::Frame { output, .. } => shown.push(output.playhead.unwrap().iteration),
                WorkerReport::Done { output, .. } => break output.terrain,
                other => panic!("{other:?}"),
            }
        };
        assert!(shown[0] == 0 && shown.is_sorted() && shown[shown.len() - 1] < end, "{shown:?} of {end}");
        assert_eq!(whole, run(&play.scene, None, &mut Store::forgetful()));
    }
}

fn masked(source: &str) -> Scene {
    let mut scene = scene(65, 5);
    scene.layers.push(Layer { name: "Ramp".into(), ..Layer::new(Node::named("Shape").unwrap(), 4) });
    scene.set("4.form=Ramp").unwrap();
    scene.layers[3].enabled = false;
    scene.layers[2].name = "Steps".into();
    scene.layers[2].mask.by_layer = true;
    scene.layers[2].mask.layer.0 = source.into();
    scene
}

#[test]
fn a_mask_reads_another_layer_even_a_hidden_generator_above() {
    let unmasked = {
        let mut s = masked("");
        s.layers[2].mask.by_layer = false;
        s
    };
    let (by_ramp, all) = (masked("Ramp"), run(&unmasked, None, &mut Store::forgetful()));
    let beneath =
        run(&Scene { layers: by_ramp.layers[..2].to_vec(), ..by_ramp.clone() }, None, &mut Store::forgetful());
    let made = run(&by_ramp, None, &mut Store::forgetful());
    // The base terrain rises to the east: nothing changes in the west, everything changes in the east.
    for i in 0..65 {
        let (west, east) = (i * 65, i * 65 + 64);
        assert_eq!((made.height[west], made.height[east]), (beneath.height[west], all.height[east]));
    }
    assert!(made != beneath && made != all);
    let mut store = Store::default();
    assert_eq!(run(&by_ramp, None, &mut store), made);
    let mut other = by_ramp.clone();
    other.set("4.base=0.5").unwrap();
    assert!(run(&other, None, &mut store) != made, "an edit of the layer that the mask reads changes the result");
    let eroded = masked("Thermal erosion");
    assert_eq!(run(&eroded, None, &mut store), run(&eroded, None, &mut Store::forgetful()));
}

/// A chain of layers in which the mask of each layer reads the layer below. `hidden` chooses the hidden layers.
fn chain(count: usize, hidden: impl Fn(usize) -> bool) -> Scene {
    let mut scene = scene(17, 0);
    scene.layers.truncate(1);
    for k in 1..count {
        let mut layer = Layer { name: format!("{k}"), ..Layer::new(Node::named("Invert").unwrap(), 1) };
        layer.enabled = !hidden(k);
        layer.mask.by_layer = true;
        layer.mask.layer.0 = scene.layers[k - 1].name.clone();
        scene.layers.push(layer);
    }
    scene
}

#[test]
fn long_chains_of_masks_take_linear_time() {
    // Without caching, each additional layer would double the time.
    for hidden in [|_| false, |k: usize| k % 2 == 1, |k: usize| k != 39] {
        let scene = chain(40, hidden);
        assert!(run(&scene, None, &mut Store::forgetful()).height.iter().all(|h| h.is_finite()));
    }
}

#[test]
fn a_mask_below_reads_a_generator_above_whoever_asks() {
    let mut scene = masked("Ramp");
    let eroded = run(&scene, None, &mut Store::forgetful());
    // Another layer reads the masked layer and must see the same terrain.
    let mut reader = Layer { name: "Reader".into(), ..Layer::new(Node::named("Invert").unwrap(), 1) };
    reader.mask.by_layer = true;
    reader.mask.layer.0 = "Steps".into();
    reader.mask.layer_from = -1e5;
    scene.layers.insert(3, reader);
    let inverted = run(&scene, None, &mut Store::forgetful());
    scene.layers[3].mask.by_layer = false;
    assert_eq!(inverted, run(&scene, None, &mut Store::forgetful()), "the mask has no effect");
    assert!(inverted != eroded);
}

#[test]
fn unusable_parts_are_reported_and_left_out() {
    let problems =
        |scene: &Scene| evaluate(scene, 65, None, &mut Store::forgetful(), &Control::default()).unwrap().problems;
    assert_eq!(problems(&masked("Ramp")), []);
    let missing = problems(&masked("Gone"));
    assert!(missing[0].layer == 2 && missing[0].message.contains("`Gone`"), "{missing:?}");
    let mut circle = masked("Steps");
    circle.layers[1].mask = std::mem::take(&mut circle.layers[2].mask);
    let itself = problems(&circle);
    assert!(itself[0].layer == 1 && itself[0].message.contains("circle"), "{itself:?}");
    let mut file = scene(65, 0);
    file.layers[0] = Layer::new(Node::named("Import").unwrap(), 1);
    assert_eq!(problems(&file), [], "no file chosen yet");
    file.set("1.file=/no/such/heights.png").unwrap();
    assert!(problems(&file)[0].message.contains("/no/such/heights.png"));
    file.layers[0].enabled = false;
    assert_eq!(problems(&file), [], "a hidden layer causes no problem");
}

#[test]
fn a_changed_file_is_noticed_by_its_contents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("h.r16");
    let mut scene = scene(65, 0);
    scene.layers = vec![Layer::new(Node::named("Import").unwrap(), 1)];
    scene.set(&format!("1.file={}", path.display())).unwrap();
    std::fs::write(&path, [0u8; 8]).unwrap();
    let mut store = Store::default();
    assert_eq!(run(&scene, None, &mut store).range(), (0.0, 0.0));
    std::fs::write(&path, [255u8; 18]).unwrap();
    assert_eq!(run(&scene, None, &mut store).range(), (1.0, 1.0));
}

/// The scene `whole` with its process split in two stages after `iteration`.
fn cut(whole: &Scene, iteration: u32) -> Scene {
    let mut scene = whole.clone();
    let total = scene.iterations(1).unwrap();
    let node = scene.layers[1].node.clone();
    scene.layers[1].epochs.push(crate::scene::ParamEpoch { node, iterations: iteration });
    scene.set(&format!("2.iterations={}", total - iteration)).unwrap();
    scene
}

#[test]
fn a_process_split_in_two_gives_the_same_bits() {
    let whole = scene(65, 40);
    let halves = cut(&whole, 15);
    assert_eq!(halves.iterations(1), Some(40));
    let mut store = Store::default();
    for iteration in [40, 10, 15, 16, 0, 39] {
        let playhead = Some(Playhead { layer: 1, iteration });
        let expected = run(&whole, playhead, &mut Store::forgetful());
        assert!(run(&halves, playhead, &mut store).height == expected.height, "{iteration}");
        assert!(run(&halves, playhead, &mut Store::forgetful()).height == expected.height, "{iteration}");
    }
    let mass_balance = |s: &Scene| {
        let end = Some(Playhead { layer: 1, iteration: 40 });
        evaluate(s, 65, end, &mut Store::forgetful(), &Control::default()).unwrap().mass_balance.unwrap()
    };
    assert!((mass_balance(&whole).eroded - mass_balance(&halves).eroded).abs() < 1e-9);
    let (read, warnings) = Scene::from_ron(&halves.to_ron().unwrap()).unwrap();
    assert_eq!((read, warnings), (halves, vec![]));
}

#[test]
fn a_branch_goes_on_from_the_state_it_left() {
    let whole = scene(65, 40);
    let mut branch = cut(&whole, 15);
    branch.set("2.talus_angle=4").unwrap();
    let at = |s: &Scene, iteration| run(s, Some(Playhead { layer: 1, iteration }), &mut Store::forgetful());
    assert!(at(&branch, 15).height == at(&whole, 15).height && at(&branch, 16).height != at(&whole, 16).height);
}

#[test]
fn the_history_has_the_mass_balance_of_every_iteration() {
    let scene = cut(&scene(65, 40), 15);
    let mut store = Store::default();
    run(&scene, None, &mut store);
    measure_key_frame_slopes(&scene, 65, 1, &mut store, &Control::default()).unwrap();
    let told = history(&scene, 65, 1, &store).unwrap();
    assert_eq!(told.moments.iter().map(|m| m.iteration).collect::<Vec<_>>(), (1..=40).collect::<Vec<_>>());
    assert!(told.moments.windows(2).all(|m| m[0].mass_balance.eroded <= m[1].mass_balance.eroded));
    let alone = Scene { layers: scene.layers[..2].to_vec(), ..scene.clone() };
    for moment in &told.moments {
        let then = run(&alone, Some(Playhead { layer: 1, iteration: moment.iteration }), &mut Store::forgetful());
        assert_eq!(moment.slopes, Some(crate::measure::slopes(&then)), "{}", moment.iteration);
    }
    assert!(told.change(1) > told.change(39) && told.change(39) > 0.0);
    assert_eq!(history(&scene, 65, 0, &store).unwrap().moments, []);
    assert_eq!(history(&scene, 65, 7, &store), None);
}

#[test]
fn a_probe_reports_each_layer_and_the_process_history() {
    let scene = scene(65, 20);
    let mut store = Store::default();
    let end = run(&scene, None, &mut store);
    let place = [20.0 / 64.0, 30.0 / 64.0];
    let told = probe(&scene, &end, None, place, Some(1), &mut store, &Control::default()).unwrap();
    assert_eq!(told.layers.iter().map(|l| l.0).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(told.layers[2].1, end.height_at(place[0], place[1]));
    assert_eq!(told.heights.iter().map(|c| c.0).collect::<Vec<_>>(), (1..=20).collect::<Vec<_>>());
    for (iteration, height) in &told.heights {
        let then = Some(Playhead { layer: 1, iteration: *iteration });
        let beneath = Scene { layers: scene.layers[..2].to_vec(), ..scene.clone() };
        assert_eq!(*height, run(&beneath, then, &mut Store::forgetful()).height_at(place[0], place[1]));
    }
}

#[test]
fn a_planet_position_is_found_by_its_direction() {
    let mut scene = Scene::new_planet();
    scene.settings.resolution = 17;
    let mut store = Store::default();
    let end = evaluate(&scene, 17, None, &mut store, &Control::default()).unwrap().terrain;
    let globe = crate::field::Globe::new(17);
    for k in [3, 400, 1000, 1500] {
        let direction = globe.direction_of(k).map(f64::from);
        let place = crate::field::globe::equirectangular(direction).map(|x| x as f32);
        let told = probe(&scene, &end, None, place, None, &mut store, &Control::default()).unwrap();
        assert!((told.layers.last().unwrap().1 - end.height[k]).abs() < 1e-4, "{k}");
    }
}

#[test]
fn moving_the_sea_costs_only_what_it_wets() {
    let mut store = Store::default();
    let mut scene = scene(65, 5);
    run(&scene, None, &mut store);
    scene.set("scene.sea_level=300").unwrap();
    assert!(is_cached(&scene, 65, None, &mut store));
    scene.layers.push(Layer::new(Node::named("Coastal").unwrap(), 4));
    let low = run(&scene, None, &mut store);
    scene.set("scene.sea_level=800").unwrap();
    assert!(!is_cached(&scene, 65, None, &mut store));
    assert_ne!(run(&scene, None, &mut store), low);
}

#[test]
fn voids_stay_voids_and_combine_across_layers() {
    let layer = |name: &str, seed: u32| Layer::new(Node::named(name).unwrap(), seed);
    let mut scene = Scene { layers: vec![layer("Triangular", 1), layer("Perlin", 2)], ..Scene::default() };
    scene.settings.resolution = 65;
    scene.set("1.layout=Triangle").unwrap();
    let made = |scene: &Scene| run(scene, None, &mut Store::forgetful());
    let alone = |index: usize| made(&Scene { layers: vec![scene.layers[index].clone()], ..scene.clone() });
    let (triangle, hills) = (alone(0), alone(1));
    assert!(triangle.void_samples() > 65 * 65 / 3 && hills.void_samples() == 0);

    // Layers above a triangle keep its outline in every blend mode.
    for blend in Blend::ALL {
        let mut above = scene.clone();
        above.layers[1].mix.blend = *blend;
        assert_eq!(made(&above).map(MapKind::Ground), triangle.map(MapKind::Ground), "{blend:?}");
    }
    // A triangle above a terrain without voids does not change its surroundings. Replace is the exception: it leaves
    // only the terrain of the triangle.
    scene.layers.swap(0, 1);
    for blend in Blend::ALL {
        scene.layers[1].mix.blend = *blend;
        let both = made(&scene);
        if *blend == Blend::Replace {
            assert_eq!(both.map(MapKind::Ground), triangle.map(MapKind::Ground));
            continue;
        }
        assert_eq!(both.void_samples(), 0, "{blend:?}");
        for k in (0..65 * 65).filter(|&k| !triangle.has_ground(k)) {
            assert_eq!(both.height[k], hills.height[k], "{blend:?} {k}");
        }
    }
    // Two triangles at the same position are joined.
    scene.layers = vec![scene.layers[1].clone(), layer("Triangular", 5)];
    scene.layers[0].mix.blend = Blend::Replace;
    scene.layers[1].mix.blend = Blend::Add;
    scene.set("2.layout=Triangle").unwrap();
    assert_eq!(made(&scene).void_samples(), triangle.void_samples());
    // With partial opacity, the outline is that of the dominant layer.
    scene.layers = vec![layer("Perlin", 2), scene.layers[0].clone()];
    for (opacity, void) in [("0.4", 0), ("0.9", triangle.void_samples())] {
        scene.set(&format!("2.opacity={opacity}")).unwrap();
        let missing = made(&scene).void_samples();
        assert!(missing.abs_diff(void) <= 65 * 3, "{opacity}: {missing} {void}");
    }
}

#[test]
fn a_process_without_history_seeks_back_from_its_network() {
    let mut scene = scene(65, 0);
    let node = Node::AnalyticStreamPower(crate::nodes::erosion::analytic_stream_power::AnalyticStreamPower {
        iterations: 20,
        ..Default::default()
    });
    scene.layers[1] = Layer::new(node, 2);
    let mut store = Store::default();
    run(&scene, None, &mut store);
    let key = plan(&scene, 65, None)[1].stages[0].key;
    assert!(store.timeline.terrains(key).all(|(at, _)| at == 20), "earlier key frames were skipped");
    assert_eq!(store.timeline.resume(key, 4).map(|(at, _)| at), Some(0), "the drainage network is preserved");
    let early = Some(Playhead { layer: 1, iteration: 4 });
    assert_eq!(run(&scene, early, &mut store), run(&scene, early, &mut Store::forgetful()));
}
