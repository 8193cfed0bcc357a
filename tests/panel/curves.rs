//! Several erosions in one chart, and its files.

use crate::kit::*;
use bevy_egui::egui::accesskit::Role;
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::eval::{Store, evaluate, history, measure_key_frame_slopes};
use talweg::field::Control;
use talweg::scene::Scene;
use talweg_app::features::curves::CurvesAction;
use talweg_app::features::curves::panel::CurvesState;
use talweg_app::features::curves::task::CurvesTask;

/// Two branches of thermal erosion, of which the first is hidden.
const SCENE: &str = "(version: 1, name: \"Two & <more>\", settings: (resolution: 65), layers: [
    (name: \"Hills\", node: Perlin()),
    (name: \"Steep\", branch: 1, enabled: false, node: Thermal(iterations: 8)),
    (name: \"Flat\", branch: 1, node: Thermal(iterations: 8, talus_angle: 20.0)),
])";

/// The window with the curves of both branches.
fn computed() -> Panels {
    let mut panels = large(&[]);
    let (scene, _) = Scene::from_ron(SCENE).unwrap();
    panels.state_mut().editor_mut().doc.edit("Open", None, |open| *open = scene);
    panels.state_mut().issue(CurvesAction::Toggle);
    panels.run_steps(4);
    click(&mut panels, "Compute curves");
    panels.run_steps(4);
    panels
}

fn curve_count(panels: &Panels) -> usize {
    panels.state().get::<CurvesTask>().curves().map_or(0, |(_, curves)| curves.len())
}

#[test]
fn two_branches_appear_in_one_chart() {
    let mut panels = computed();
    assert_eq!(curve_count(&panels), 2);
    let is_stale = |panels: &Panels| panels.query_by_label_contains("has changed since").is_some();
    assert!(!is_stale(&panels));
    widget(&panels, Role::CheckBox, "Curve of Steep").click();
    panels.run_steps(4);
    assert!(is_stale(&panels), "the choice has changed");
    click(&mut panels, "Compute curves");
    panels.run_steps(4);
    assert_eq!(curve_count(&panels), 1);
    assert!(!is_stale(&panels));
    choose_item(&mut panels, "Quantity", "Time per iteration");
    assert_eq!(panels.state().get::<CurvesState>().quantity.heading(), "Time per iteration (ms)");
    widget(&panels, Role::CheckBox, "Curve of Flat").click();
    panels.run_steps(4);
    assert!(panels.get_by_label_contains("Compute curves").accesskit_node().is_disabled(), "no process is chosen");
}

#[test]
fn the_table_has_the_values_of_the_timeline() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("curves.csv");
    let mut panels = computed();
    panels.state_mut().issue(CurvesAction::WriteCsv(file.clone()));
    panels.run_steps(4);
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        lines[0],
        [
            "curve",
            "iteration",
            "erosion score",
            "mean height step (m)",
            "height step deviation (m)",
            "eroded volume (m³)",
            "deposited volume (m³)",
            "time per iteration (ms)"
        ]
    );
    assert_eq!(lines.len(), 1 + 2 * 9, "a row for the start and for each of 8 iterations of both branches");
    let (scene, _) = Scene::from_ron(SCENE).unwrap();
    let settings = &scene.settings;
    let (relief, side) = (f64::from(settings.relief_metres), f64::from(settings.size_metres));
    for (layer, name) in [(1, "Steep"), (2, "Flat")] {
        let mut shown = scene.clone();
        shown.show_layer(layer);
        let (mut store, control) = (Store::default(), Control::default());
        evaluate(&shown, 65, None, &mut store, &control).unwrap();
        measure_key_frame_slopes(&shown, 65, layer, &mut store, &control).unwrap();
        let timeline = history(&shown, 65, layer, &store).unwrap();
        let rows: Vec<&Vec<&str>> = lines.iter().filter(|line| line[0] == name).collect();
        assert_eq!((rows[0][1], rows[0][5], rows[0][7]), ("0", "0", ""));
        assert_eq!(timeline.moments.len(), 8);
        for (moment, row) in timeline.moments.iter().zip(&rows[1..]) {
            let cell = |k: usize| row[k].parse::<f64>().unwrap();
            let near =
                |k: usize, wanted: f64| assert!((cell(k) - wanted).abs() <= 1e-9 * wanted, "{k}: {row:?} {wanted}");
            assert_eq!(cell(1), f64::from(moment.iteration));
            if let Some(slopes) = moment.slopes {
                near(2, slopes.erosion_score());
                near(3, slopes.mean * relief);
                near(4, slopes.deviation * relief);
            }
            near(5, moment.mass_balance.eroded / timeline.cells as f64 * relief * side * side);
            assert!(cell(7) > 0.0, "{row:?}");
        }
    }
}

#[test]
fn the_image_is_well_formed_and_has_all_curves() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("curves.svg");
    let mut panels = computed();
    panels.state_mut().issue(CurvesAction::WriteSvg(file.clone()));
    panels.run_steps(4);
    let text = std::fs::read_to_string(&file).unwrap();
    let image = roxmltree::Document::parse(&text).expect("well-formed XML");
    assert_eq!(image.root_element().tag_name().name(), "svg");
    let named = |name: &'static str| image.descendants().filter(move |node| node.tag_name().name() == name);
    let texts: Vec<&str> = named("text").filter_map(|n| n.text()).collect();
    for wanted in ["Two & <more>", "Iteration", "Erosion score", "Steep", "Flat"] {
        assert!(texts.contains(&wanted), "{wanted} is missing: {texts:?}");
    }
    let lines: Vec<_> = named("polyline").collect();
    assert_eq!(lines.len(), 2);
    let strokes: Vec<_> = lines.iter().map(|line| line.attribute("stroke").unwrap()).collect();
    assert_ne!(strokes[0], strokes[1]);
    for line in lines {
        assert_eq!(line.attribute("points").unwrap().split(' ').count(), 9);
    }
}
