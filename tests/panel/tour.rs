//! The tour from its first to its last step.

use crate::kit::*;
use bevy_egui::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use talweg::nodes::Node;
use talweg_app::features::layers::LayerAction;
use talweg_app::features::tour::{Tour, TourAction};

#[test]
fn tour_steps_notice_actions_and_the_tour_can_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let mut panels = large(&["Perlin"]);
    panels.state_mut().issue(TourAction::Toggle);
    panels.run();
    let is_done = |panels: &Panels| panels.query_by_label_contains("Done").is_some();
    for step in 0..5 {
        panels.get_by_label_contains(&format!("step {} of 5", step + 1));
        assert!(!is_done(&panels), "step {step} is not done yet");
        match step {
            0 => panels.state_mut().get_mut::<Tour>().camera = [1.0; 5],
            1 => panels.state_mut().editor_mut().doc.edit("Change", None, |scene| scene.layers[0].mix.opacity = 0.5),
            2 => panels.state_mut().issue(LayerAction::Add(Box::new(Node::named("Thermal").unwrap()))),
            3 => panels.state_mut().editor_mut().doc.play_or_pause(),
            _ => panels.state_mut().editor_mut().doc.save(folder.path().join("mine.ron")).unwrap(),
        }
        panels.run_steps(3);
        assert!(is_done(&panels), "step {step} notices");
        click_some(&mut panels, if step == 4 { "End" } else { "Next step" });
    }
    assert_eq!(panels.state().get::<Tour>().step, None);
    panels.state_mut().issue(TourAction::Toggle);
    panels.run_steps(3);
    panels.get_by_label_contains("step 1 of 5");
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(panels.state().get::<Tour>().step, None, "Escape leaves it");
}

fn click_some(panels: &mut Panels, label: &str) {
    panels.get_by_label(label).click();
    panels.run_steps(4);
}
