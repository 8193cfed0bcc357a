//! The measures panel, without a window system.

use std::sync::Arc;

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, OutputCommand};
use egui_kittest::kittest::Queryable;
use talweg::eval::parity::{Parity, Verdict};
use talweg::field::{Control, Edges, Terrain};
use talweg::measure::{Limits, MEASURES, Measures, PLOTS, TerrainScale, measure};
use talweg_app::features::measures::panel::MeasuresState;
use talweg_app::features::measures::panel::{MeasuresInfo, PreviewAccuracy};

fn measured() -> Measures {
    let hills = Terrain::from_fn(65, Edges::Open, |u, v| 0.3 * libm::sinf(17.0 * u) * libm::cosf(23.0 * v) + 0.4);
    let scale = TerrainScale { size_metres: 8000.0, relief_metres: 1800.0, sea_metres: Some(0.0) };
    measure(&hills, scale, &Limits::default(), &Control::default()).unwrap()
}

fn show_measures(panels: &mut Panels) -> Measures {
    let measures = measured();
    let parity = Parity {
        samples: 65,
        half_samples: 33,
        rms_metres: 40.0,
        greatest_metres: 200.0,
        range_metres: 1080.0,
        drainage_overlap: Some(0.4),
        verdict: Verdict::Differs,
    };
    *panels.state_mut().get_mut::<MeasuresInfo>() = MeasuresInfo {
        measures: Some(Arc::new(measures.clone())),
        trust: Some(PreviewAccuracy::Known(parity)),
        ..MeasuresInfo::default()
    };
    panels.run();
    measures
}

/// Clicks `label` and returns the contents of the clipboard.
fn copied(panels: &mut Panels, label: &str) -> String {
    panels.get_by_label(label).click();
    let mut text = None;
    for _ in 0..4 {
        panels.step();
        let commands = &panels.output().platform_output.commands;
        text = text.or(commands.iter().find_map(|command| match command {
            OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        }));
    }
    text.expect("something was copied")
}

#[test]
fn one_key_opens_and_closes_the_measures_and_is_no_edit() {
    let mut panels = large(&["Perlin"]);
    let width = |panels: &Panels| panels.state().drawn.as_ref().unwrap().free_rect.width();
    let (undo, before) = (panels.state().editor().doc.undo_label().map(String::from), width(&panels));
    press(&mut panels, Modifiers::NONE, Key::M);
    assert!(panels.query_by_label("Measuring…").is_some());
    assert!(width(&panels) < before - 200.0);
    click(&mut panels, "Close the measures");
    assert_eq!((width(&panels), panels.state().get::<MeasuresState>().open), (before, false));
    assert_eq!(panels.state().editor().doc.undo_label().map(String::from), undo);
}

#[test]
fn every_measure_and_plot_has_its_place() {
    let mut panels = panels(egui::vec2(1280.0, 2400.0), &["Perlin"]);
    press(&mut panels, Modifiers::NONE, Key::M);
    let measures = show_measures(&mut panels);
    for measure in MEASURES {
        let name = format!("{} {}", measure.label, measure.show(&measures));
        assert!(panels.query_by_label(&name).is_some(), "{name}");
    }
    for plot in PLOTS.iter().filter(|plot| !(plot.points)(&measures).is_empty()) {
        assert!(panels.query_by_label(&format!("Copy {}", plot.label)).is_some(), "{}", plot.key);
    }
    assert!(panels.query_by_label_contains("Preview differs").is_some());
    panels.state_mut().get_mut::<MeasuresInfo>().preview = true;
    panels.run();
    assert!(panels.query_by_label_contains("Measured on the preview").is_some());
}

#[test]
fn measures_are_copied_with_all_digits() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::NONE, Key::M);
    let measures = show_measures(&mut panels);
    assert_eq!(copied(&mut panels, "CSV"), measures.csv());
    let json: serde_json::Value = serde_json::from_str(&copied(&mut panels, "JSON")).unwrap();
    assert_eq!(json["erosion_score"].as_f64(), Some(measures.slopes.erosion_score()));
}

#[test]
fn playability_limits_change_without_an_edit() {
    let mut panels = panels(egui::vec2(1280.0, 2400.0), &["Perlin"]);
    press(&mut panels, Modifiers::NONE, Key::M);
    show_measures(&mut panels);
    let undo = panels.state().editor().doc.undo_label().map(String::from);
    click(&mut panels, "Thresholds");
    let rect = widget(&panels, Role::Slider, "Playable slope").rect();
    drag(&mut panels, rect.center(), rect.right_center());
    drop_at(&mut panels, rect.right_center());
    let limits = &panels.state().get::<MeasuresState>().limits;
    assert!(limits.playable_slope > Limits::default().playable_slope);
    assert_eq!(panels.state().editor().doc.undo_label().map(String::from), undo);
}
