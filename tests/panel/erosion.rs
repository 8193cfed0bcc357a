//! The panels of a process without a window system: presets, charts, branches, films, and the files and layers that the
//! process refers to.

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::{Role, Toggled};
use egui::{Key, Modifiers, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::param::Value;
use talweg::preferences::FilmSettings;
use talweg_app::features::compare::task::CompareRequest;
use talweg_app::features::erosion::step_marks::StepMarks;

#[test]
fn a_preset_is_one_click_and_one_undo_step() {
    let mut panels = large(&["Perlin", "Thermal"]);
    let before = panels.state().editor().doc.scene().layers[1].node.clone();
    click(&mut panels, "Preset Strong");
    let node = panels.state().editor().doc.scene().layers[1].node.clone();
    assert_eq!(node.matching_preset().map(|preset| preset.name), Some("Strong"));
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Preset Strong"));
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!(panels.state().editor().doc.scene().layers[1].node, before);
}

#[test]
fn a_change_during_playback_offers_to_continue_or_branch() {
    let mut panels = large(&["Perlin", "Thermal"]);
    panels.state_mut().editor_mut().doc.seek(20);
    panels.run();
    assert!(panels.query_by_label("Continue from here").is_none());
    let change = |panels: &mut Panels, degrees: f32| {
        let angle = panels.state().editor().doc.scene().layers[1].node.about().find("talus_angle").unwrap();
        let group = talweg_app::frame::document::Group::Node(1);
        panels.state_mut().editor_mut().doc.set(group, angle, &Value::Float(degrees), None);
        panels.run();
    };
    change(&mut panels, 20.0);
    assert!(panels.query_by_label_contains("Changed at iteration 20").is_some());
    click(&mut panels, "Continue from here");
    assert_eq!(panels.state().editor().doc.scene().layers[1].epochs[0].iterations, 20);
    assert!(panels.query_by_label_contains("Continues from iteration 20").is_some());
    click(&mut panels, "Clear");
    assert!(panels.state().editor().doc.scene().layers[1].epochs.is_empty());
    change(&mut panels, 15.0);
    click(&mut panels, "Create branch");
    assert_eq!(panels.state().names(), ["Perlin noise", "Thermal erosion", "Thermal erosion B"]);
    click(&mut panels, "Branch Thermal erosion");
    let shown: Vec<bool> = panels.state().editor().doc.scene().layers.iter().map(|l| l.enabled).collect();
    assert_eq!(shown, [true, true, false]);
    click(&mut panels, "Compare branches");
    assert!(panels.state().editor().doc.scene().layers[2].enabled, "the other branch is shown");
    let kept = |effect: &Effect| matches!(effect, Effect::Compare(CompareRequest::Keep { state, .. }) if state.name == "Thermal erosion, iteration 20");
    assert!(panels.state().effects.iter().any(kept), "the branch that was on screen");
}

#[test]
fn a_generator_plays_with_its_formulas() {
    let mut panels = large(&["DiamondSquare", "Thermal"]);
    click(&mut panels, "Diamond-square");
    assert!(panels.query_by_label("Branch from here").is_none(), "branches belong to processes");
    assert!(panels.query_by_label("Points and cells").is_none(), "the whole generator is shown");
    panels.state_mut().requests.clear();
    click(&mut panels, "Jump to start");
    let request = panels.state().requests.last().unwrap().clone();
    assert_eq!(request.playhead, Some(talweg::eval::Playhead { layer: 0, iteration: 0 }));
    assert!(panels.query_by_label_contains("Start: the four corners").is_some());
    click(&mut panels, "Step forward");
    assert!(panels.query_by_label_contains("Level 1, diamond phase: 1 centre of a square").is_some());
    assert!(panels.query_by_label_contains("h = (h₁ + h₂ + h₃ + h₄) / 4").is_some());
    press(&mut panels, Modifiers::NONE, Key::Period);
    assert!(panels.query_by_label_contains("Level 1, square phase: 4 midpoints of sides").is_some());
    let is_hidden = |panels: &Panels| panels.state().get::<StepMarks>().is_hidden;
    assert!(!is_hidden(&panels));
    click(&mut panels, "Points and cells");
    assert!(is_hidden(&panels));
    click(&mut panels, "Points and cells");
    let rail = widget(&panels, Role::Slider, "Step").rect();
    drag(&mut panels, rail.left_center() + vec2(8.0, 0.0), rail.center());
    drop_at(&mut panels, rail.center());
    let middle = panels.state().editor().doc.iteration();
    assert!((6..=12).contains(&middle), "{middle} of 18");
    press(&mut panels, Modifiers::NONE, Key::Space);
    assert_eq!(panels.state().requests.last().unwrap().play.unwrap().speed, Some(2.0));
    assert!(panels.query_by_label("As fast as possible").is_none());
    press(&mut panels, Modifiers::NONE, Key::Space);
    click(&mut panels, "Jump to end");
    assert!(panels.query_by_label("Points and cells").is_none());
    assert_eq!(panels.state().requests.last().unwrap().playhead, None);
    click(&mut panels, "Thermal erosion");
    assert!(panels.query_by_label("Branch from here").is_some());
}

#[test]
fn charts_request_and_show_the_history() {
    use talweg::eval::{Insight, Moment, PositionProbe, ProcessHistory};
    use talweg::nodes::MassBalance;
    let mut panels = large(&["Perlin", "Thermal"]);
    assert_eq!(panels.state().requests.last().unwrap().history_layer, None);
    press(&mut panels, Modifiers::SHIFT, Key::G);
    assert_eq!(panels.state().requests.last().unwrap().history_layer, Some(1));
    assert!(panels.query_by_label_contains("Nothing to plot yet").is_some());
    let moment = |k: u32| {
        let sum = 1.0 - 1.0 / f64::from(1u32 << k);
        let mass_balance = MassBalance { eroded: sum, deposited: sum, ..MassBalance::default() };
        Moment { iteration: k, mass_balance, slopes: Some(talweg::measure::Slopes { mean: 0.01, deviation: 0.02 }) }
    };
    let history = ProcessHistory { layer: 1, levels: vec![0], cells: 100, moments: (1..=20).map(moment).collect() };
    let probe =
        PositionProbe { place: [0.5, 0.25], layers: vec![(0, 0.5), (1, 0.4)], heights: vec![(1, 0.5), (20, 0.4)] };
    let insight = Insight {
        slopes: Some(talweg::measure::Slopes { mean: 1.0, deviation: 1.5 }),
        history: Some(history),
        probe: Some(probe),
        ..Insight::default()
    };
    panels.state_mut().info_mut().insight = std::sync::Arc::new(insight);
    panels.state_mut().editor_mut().doc.chart_point(Some([0.5, 0.25]));
    panels.run();
    assert_eq!(panels.state().requests.last().unwrap().place, Some([0.5, 0.25]));
    for text in
        ["settled", "score 1.50", "residual", "4000 m east, 2000 m south", "-180.0 m  Thermal erosion", "= 720.0 m"]
    {
        assert!(panels.query_by_label_contains(text).is_some(), "{text}");
    }
    click(&mut panels, "Clear point");
    assert_eq!(panels.state().editor().doc.charted_point(), None);
    click(&mut panels, "Charts");
    assert!(panels.query_by_label("Mean height step").is_none());
}

#[test]
fn pictures_and_layers_are_chosen_from_lists() {
    let mut panels = panels(vec2(1280.0, 2000.0), &["Perlin", "Import"]);
    widget(&panels, Role::ComboBox, "File").click();
    panels.run();
    click(&mut panels, "Butte");
    assert_eq!(panels.state().value(1, "file"), Value::Text("stamp:butte".into()));
    widget(&panels, Role::ComboBox, "File").click();
    panels.run();
    panels.get_by_label_contains("Choose a file").click();
    panels.run();
    assert!(panels.state().editor().dialogs.is_open());
    press(&mut panels, Modifiers::NONE, Key::Escape);
    press(&mut panels, Modifiers::NONE, Key::Escape);
    panels.state_mut().editor_mut().doc.edit("Mask", None, |scene| scene.layers[1].mask.by_layer = true);
    panels.run();
    click(&mut panels, "Mask");
    panels.run_steps(20);
    widget(&panels, Role::ComboBox, "Layer").scroll_to_me();
    panels.run_steps(20);
    widget(&panels, Role::ComboBox, "Layer").click();
    panels.run();
    let entries: Vec<_> = panels.get_all_by_label("Perlin noise").map(|node| node.rect().center()).collect();
    let entry = *entries.last().unwrap();
    panels.hover_at(entry);
    panels.drag_at(entry);
    drop_at(&mut panels, entry);
    assert_eq!(panels.state().editor().doc.scene().layers[1].mask.layer.0, "Perlin noise");
    panels.state_mut().editor_mut().doc.rename_layer(0, "Hills");
    assert_eq!(panels.state().editor().doc.scene().layers[1].mask.layer.0, "Hills", "masks follow a rename");
}

#[test]
fn an_unreadable_file_is_reported_beside_its_layer() {
    let mut panels = large(&["Import"]);
    let problem = talweg::scene::Problem {
        layer: 0,
        severity: talweg::scene::Severity::Broken,
        message: "cannot read dem.png: it is gone".into(),
    };
    panels.state_mut().info_mut().problems = std::sync::Arc::new(vec![problem]);
    panels.run();
    assert!(panels.query_by_label_contains("cannot read dem.png").is_some());
}

#[test]
fn the_add_menu_remembers_what_was_added() {
    let mut panels = large(&[]);
    for name in ["Add Perlin noise", "Add Ridged noise"] {
        click(&mut panels, "Add layer");
        click(&mut panels, name);
    }
    click(&mut panels, "Add layer");
    click(&mut panels, "Add recent Perlin noise");
    assert_eq!(panels.state().names(), ["Perlin noise", "Ridged noise", "Perlin noise 2"]);
}

#[test]
fn a_time_lapse_is_requested_and_started() {
    let mut panels = large(&["Shape"]);
    press(&mut panels, Modifiers::COMMAND | Modifiers::SHIFT, Key::E);
    assert!(panels.state().editor().toasts.messages().any(|(_, text)| text.contains("nothing to film")));
    let mut panels = large(&["Perlin", "Thermal"]);
    press(&mut panels, Modifiers::COMMAND | Modifiers::SHIFT, Key::E);
    assert!(panels.query_by_label("Export time-lapse").is_some());
    click(&mut panels, "Choose a file…");
    assert!(panels.state().editor().dialogs.is_open(), "the file is asked for next");
    let mut panels = large(&["DiamondSquare"]);
    press(&mut panels, Modifiers::COMMAND | Modifiers::SHIFT, Key::E);
    assert!(panels.query_by_label_contains("Films the generator step by step").is_some());
    click(&mut panels, "Points, cells and formula of each step");
}

#[test]
fn the_settings_of_a_time_lapse_are_remembered() {
    let config = tempfile::tempdir().unwrap();
    let nodes = &["Perlin", "Thermal"];
    let size = vec2(1280.0, 720.0);
    let mut panels = panels_kept_in(Some(config.path()), size, nodes);
    press(&mut panels, Modifiers::COMMAND | Modifiers::SHIFT, Key::E);
    assert!(is_chosen(&panels, "Animated GIF") && !is_chosen(&panels, "PNG images"));
    click(&mut panels, "PNG images");
    click(&mut panels, "Choose a file…");
    let film = FilmSettings { as_images: true, frames: 60, frames_a_second: 12, width: 512, height: 512 };
    assert_eq!(panels.state().editor().recent.film("erosion"), Some(film));
    // the first Escape leaves the field of the file name
    press(&mut panels, Modifiers::NONE, Key::Escape);
    press(&mut panels, Modifiers::NONE, Key::Escape);
    press(&mut panels, Modifiers::COMMAND | Modifiers::SHIFT, Key::E);
    assert!(is_chosen(&panels, "PNG images"), "in the same session");
    let mut later = panels_kept_in(Some(config.path()), size, nodes);
    press(&mut later, Modifiers::COMMAND | Modifiers::SHIFT, Key::E);
    assert!(is_chosen(&later, "PNG images"), "in a later session");
}

/// Whether the button of an option is pressed in.
fn is_chosen(panels: &Panels, option: &str) -> bool {
    let node = panels.get_by_label(option);
    let node = node.accesskit_node();
    node.toggled() == Some(Toggled::True) || node.is_selected() == Some(true)
}
