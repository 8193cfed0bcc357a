//! The page *Figures and claims*.

use crate::kit::*;
use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use talweg::scene::{examples, figures};
use talweg_app::features::help::HelpAction;
use talweg_app::frame::editor::Example;

/// Panels with the page open and completely laid out.
fn page() -> Panels {
    let mut panels = large(&[]);
    let shipped = examples()
        .iter()
        .map(|shipped| Example { name: shipped.scene.name.clone(), text: shipped.scene.to_ron().unwrap() });
    panels.state_mut().editor_mut().examples = shipped.collect();
    panels.state_mut().issue(HelpAction::Figures);
    panels.run_steps(20);
    panels
}

/// Number of widgets whose label or value is `text`.
fn count(panels: &Panels, text: &str) -> usize {
    panels.query_all_by_label(text).count().max(panels.query_all_by_value(text).count())
}

#[test]
fn the_page_lists_every_scene_of_the_papers() {
    let panels = page();
    let scenes = examples().iter().filter(|shipped| shipped.name.starts_with("paper-"));
    let mut listed = 0;
    for shipped in scenes {
        widget(&panels, Role::Button, &format!("Open {}", shipped.scene.name));
        listed += 1;
    }
    assert!(listed > 40, "{listed}");
    let claims: Vec<_> = figures().iter().flat_map(|figure| &figure.claims).collect();
    for (holds, word) in [(true, "Holds"), (false, "Does not hold")] {
        assert_eq!(count(&panels, word), claims.iter().filter(|claim| claim.holds == holds).count(), "{word}");
    }
    for claim in claims {
        assert!(count(&panels, claim.command) > 0, "{claim:?}");
        assert!(count(&panels, &format!("Measured: {}", claim.measured)) > 0, "{claim:?}");
    }
}

#[test]
fn a_click_opens_the_scene_of_a_figure() {
    let mut panels = page();
    for figure in [&figures()[0], figures().iter().find(|figure| figure.scene.name.contains("fig-22-oasis")).unwrap()] {
        panels.state_mut().issue(HelpAction::Figures);
        panels.run_steps(20);
        let name = &figure.scene.scene.name;
        let label = format!("Open {name}");
        widget(&panels, Role::Button, &label).scroll_to_me();
        panels.run_steps(20);
        widget(&panels, Role::Button, &label).click();
        panels.run_steps(4);
        assert_eq!(&panels.state().editor().doc.scene().name, name);
        assert!(panels.query_by_label(&label).is_none(), "the page is closed");
    }
}

#[test]
fn the_page_is_in_the_help_menu_and_in_the_search() {
    let mut panels = large(&[]);
    click(&mut panels, "Help");
    panels.get_by_label("Figures and claims").click();
    panels.run_steps(4);
    assert!(panels.query_by_label_contains("Claims that hold (").is_some());
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert!(panels.query_by_label_contains("Claims that hold (").is_none(), "Escape closes the page");
    press(&mut panels, Modifiers::COMMAND, Key::K);
    panels.get_by_role_and_label(Role::TextInput, "Search everything").type_text("claims of the texts");
    panels.run();
    press(&mut panels, Modifiers::NONE, Key::Enter);
    panels.run_steps(4);
    assert!(panels.query_by_label_contains("Claims that hold (").is_some());
}

#[test]
fn the_page_can_be_limited_to_claims_that_do_not_hold() {
    let mut panels = page();
    let label = format!(
        "Claims that do not hold ({})",
        figures().iter().flat_map(|figure| &figure.claims).filter(|claim| !claim.holds).count()
    );
    click(&mut panels, &label);
    panels.run_steps(20);
    assert_eq!(count(&panels, "Holds"), 0);
    assert!(count(&panels, "Does not hold") > 0);
    for figure in figures() {
        let is_listed = count(&panels, &format!("Open {}", figure.scene.scene.name)) > 0;
        assert_eq!(is_listed, figure.claims.iter().any(|claim| !claim.holds), "{}", figure.scene.name);
    }
}
