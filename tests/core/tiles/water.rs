//! Drainage and stream erosion in tiles have the same bits as for the whole.

use crate::kits::nodes::on_threads;
use crate::tiles::builds::{TILES, check_tiles, layer, planned, scene, whole};
use talweg::field::{Control, MapKind};
use talweg::nodes::Node;
use talweg::param::Value;
use talweg::scene::{Layer, Mask};
use talweg::tiles::{StageProduct, SurveyStep, TaskOutcome, TileBuild, TilePlan, tile_plan};

/// The survey steps in the stages of a plan.
pub fn survey_steps(plan: &TilePlan) -> Vec<SurveyStep> {
    plan.stages.iter().flat_map(|stage| stage.survey.iter().chain(&stage.summary)).map(|survey| survey.step).collect()
}

#[test]
fn water_is_the_same_in_tiles() {
    use SurveyStep::{Basins, Courses, FlatDistances, Flats, Flow, Ground, Inflows, Spills, Trunks};
    let mut filled = layer("FillDepressions", 2);
    filled.mask = Mask { by_slope: true, slope_to: 60.0, by_noise: true, noise_metres: 400.0, ..Mask::default() };
    let flat = Layer::new(Node::named("Terrace").unwrap(), 4);
    let above = [layer("Thermal", 6), layer("Levels", 7)];
    let all = [
        vec![layer("Perlin", 1), filled, layer("FillDepressions", 3), flat, layer("FlowAccumulation", 5)],
        above.into(),
    ];
    let mut scene = scene(257, all.concat());
    on_threads(2, || {
        // The cases include tiles with more pits than cells on their rim, and lakes wider than tiles.
        for (frequency, courses, sea) in [
            (40, "Steepest", 300.0),
            (12, "Scattered", 0.0),
            (2, "Steepest", -1000.0),
            (30, "Spread", 200.0),
            (2, "Spread", -1000.0),
        ] {
            scene.set(&format!("1.frequency={frequency}")).unwrap();
            scene.set(&format!("5.courses={courses}")).unwrap();
            scene.set("3.fill_with=Water").unwrap();
            for layer in [2, 3, 5] {
                scene.set(&format!("{layer}.sea_level={sea}")).unwrap();
            }
            let plan = tile_plan(&scene, 257, 64).unwrap();
            let filling = [Basins, Spills, Ground];
            let asked = if courses == "Spread" { &[Courses, Trunks] } else { &[Flow, Inflows] };
            let drained = [Basins, Spills, Flats, FlatDistances];
            assert_eq!(survey_steps(&plan), [&filling[..], &filling, &drained, asked, &[Ground]].concat());
            assert!(plan.stages.iter().all(|stage| stage.whole.is_empty()));
            // Two stages also write drainage summaries of their terrain, the noise and the terraces. A stage that fills
            // depressions cannot: around its tile the filled heights are unknown.
            assert_eq!(plan.stages.iter().filter(|stage| stage.summary.is_some()).count(), 2);
            check_tiles(&format!("water at frequency {frequency}, {courses}"), &scene, 257, &TILES);
        }
    });
}

/// Drainage areas weighted by a rain map, with every kind of flow routing.
#[test]
fn rain_is_accumulated_across_tiles() {
    let layers = ["Perlin", "Rain", "FlowAccumulation", "Levels"];
    let mut scene = scene(230, layers.map(|name| layer(name, 1)).into());
    // More rain at greater heights, without a smoothed rain shadow.
    for change in ["2.shadow=0", "2.growth_with_height=3", "4.gamma=1.5"] {
        scene.set(change).unwrap();
    }
    let rain = whole(&scene, 230);
    let rain = rain.map(MapKind::Rain).unwrap();
    assert!(rain.iter().any(|&rain| rain != rain.round()), "the rain is not a whole number");
    on_threads(2, || {
        for courses in ["Steepest", "Scattered", "Spread"] {
            scene.set(&format!("3.courses={courses}")).unwrap();
            let plan = tile_plan(&scene, 230, 64).unwrap();
            assert!(plan.stages.iter().all(|stage| stage.whole.is_empty()), "{courses}");
            check_tiles(&format!("rain, {courses}"), &scene, 230, &[64, 100]);
        }
    });
}

#[test]
fn slopes_of_filled_ground_are_computed_as_a_whole() {
    let mut scene = scene(200, ["Perlin", "FillDepressions"].map(|name| layer(name, 1)).into());
    scene.set("2.gradient=1").unwrap();
    let steep = tile_plan(&scene, 200, 64).unwrap().stages.into_iter().flat_map(|stage| stage.whole).next();
    assert!(steep.unwrap().starts_with("Fill depressions: its gradient adds up"));
}

/// Erosion, creep of both kinds, uplift of every shape, rock, rain and the sea, from coarse to fine and on one grid.
#[test]
fn stream_power_in_tiles_equals_the_whole() {
    on_threads(2, || {
        let cases: [(&[&str], usize, &[usize]); 6] = [
            (&["4.diffusivity=0", "4.uplift_shape=Dome", "4.uplift_variation=0"], 257, &[64, 100]),
            // Creep in explicit steps.
            (&["4.diffusivity=0.001", "4.uplift_shape=Diagonal", "4.sea_level=400"], 257, &[64, 333]),
            (&["4.diffusivity=0.05", "4.uplift_shape=EastWest", "4.slope_exponent=1.3"], 300, &[100, 256]),
            (&["4.uplift_shape=NorthSouth", "4.talus_angle=30", "1.frequency=20"], 200, &[64]),
            (&["4.largest_scale=Samples33", "4.uplift_shape=Everywhere"], 385, &[64, 150]),
            // Trunk streams are kept.
            (&["4.largest_scale=Samples257", "4.fine_weight=1"], 800, &[150, 350]),
        ];
        for (changes, samples, tiles) in cases {
            let layers = ["Perlin", "Hardness", "Rain", "StreamPower", "Levels"].map(|name| layer(name, 1));
            let mut scene = scene(samples as u32, layers.into());
            for change in ["3.shadow=0", "3.growth_with_height=3", "4.iterations=4", "5.gamma=1.5", "4.hardness=0.1"] {
                scene.set(change).unwrap();
            }
            changes.iter().for_each(|change| scene.set(change).unwrap());
            scene.layers[3].mask = Mask { by_height: true, height_from: 200.0, soften_metres: 60.0, ..Mask::default() };
            let plan = tile_plan(&scene, samples, tiles[0]).unwrap();
            let whole: Vec<_> = plan.stages.iter().flat_map(|stage| &stage.whole).collect();
            assert!(whole.iter().all(|reason| reason.starts_with("coarser grids")), "{whole:?}");
            assert!(survey_steps(&plan).contains(&SurveyStep::Erosion));
            check_tiles(&format!("stream power with {changes:?}"), &scene, samples, tiles);
        }
    });
}

/// The parameters change after the first iterations; some of their values need the whole terrain at once.
#[test]
fn stream_power_in_tiles_follows_parameter_changes() {
    let mut scene = scene(200, ["Ridged", "StreamPower", "Levels"].map(|name| layer(name, 1)).into());
    for change in ["2.iterations=5", "3.gamma=1.5", "2.diffusivity=0.1"] {
        scene.set(change).unwrap();
    }
    let mut before = scene.layers[1].node.clone();
    for (parameter, value) in [("erodibility", 9.0), ("sea_level", 300.0), ("diffusivity", 0.0)] {
        let index = before.params().about().find(parameter).unwrap();
        before.params_mut().set(index, &Value::Float(value)).unwrap();
    }
    scene.layers[1].epochs.push(talweg::scene::ParamEpoch { node: before, iterations: 3 });
    on_threads(2, || check_tiles("two laws", &scene, 200, &[64]));
    let deposition = scene.layers[1].epochs[0].node.params().about().find("deposition").unwrap();
    scene.layers[1].epochs[0].node.params_mut().set(deposition, &Value::Float(1.0)).unwrap();
    let reasons = tile_plan(&scene, 200, 64).unwrap().stages.into_iter().flat_map(|stage| stage.whole).next();
    assert!(reasons.unwrap().contains("settling sediment"));
}

#[test]
fn drainage_summaries_are_checked_like_tiles() {
    let scene = scene(200, vec![layer("Perlin", 1), layer("FillDepressions", 2)]);
    let folder = tempfile::tempdir().unwrap();
    let build = planned(&folder.path().join("plan"), &scene, 200, 64);
    let control = Control::default();
    let run = |stage: usize, task: usize| build.run_task(stage, task, &control);
    let path = |task: usize| build.store.path(StageProduct::Survey(0), [task / 3, task % 3]);
    (0..8).for_each(|task| assert_eq!(run(0, task).unwrap(), TaskOutcome::Done));
    let said = run(1, 0).unwrap_err().to_string();
    assert!(said.contains("tile 2-2 of the survey of stage 0") && said.contains("run stage 0 first"), "{said}");
    assert_eq!(run(0, 8).unwrap(), TaskOutcome::Done);
    assert_eq!(run(0, 8).unwrap(), TaskOutcome::WasDone);
    let sound = std::fs::read(path(4)).unwrap();
    let mut damaged = sound.clone();
    damaged[100] ^= 1;
    // A truncated file, a changed file, and the file of another tile.
    for damage in [sound[..sound.len() - 8].to_vec(), damaged, std::fs::read(path(3)).unwrap()] {
        std::fs::write(path(4), damage).unwrap();
        assert!(run(1, 0).unwrap_err().to_string().contains("tile 1-1"));
        assert_eq!(run(0, 4).unwrap(), TaskOutcome::Done);
        assert_eq!(std::fs::read(path(4)).unwrap(), sound);
    }
    assert_eq!(run(1, 0).unwrap(), TaskOutcome::Done);
    (0..9).for_each(|task| assert_eq!(run(2, task).unwrap(), TaskOutcome::Done));
    assert_eq!(build.merged(&control).unwrap().hash, whole(&scene, 200).hash());
    let file = folder.path().join("plan/plan.ron");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("step: Spills", "step: Inflows")).unwrap();
    let said = TileBuild::open(file.parent().unwrap()).unwrap_err().to_string();
    assert!(said.contains("plan.ron was edited or damaged"), "{said}");
}
