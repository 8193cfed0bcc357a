//! The tour and the lessons, from the first to the last step.

use std::sync::Arc;

use crate::kit::*;
use bevy_egui::egui::accesskit::Role;
use bevy_egui::egui::{Id, Key, Modifiers, Pos2, Rect, pos2, vec2};
use egui_kittest::kittest::Queryable;
use talweg::brush::{Brush, Stroke, StrokePoint};
use talweg::eval::{Store, StrokeTarget, evaluate};
use talweg::field::Control;
use talweg::nodes::Node;
use talweg_app::features::brush::BrushState;
use talweg_app::features::layers::LayerAction;
use talweg_app::features::start::StartAction;
use talweg_app::features::tour::{LessonName, StepGoal, Tour, TourAction, TourTarget};
use talweg_app::frame::document::Selection;
use talweg_app::frame::panels::{DockEdge, PanelAction};

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

fn tour(panels: &Panels) -> &Tour {
    panels.state().get()
}

fn pointed(panels: &Panels) -> (TourTarget, Rect) {
    let tour = tour(panels);
    tour.pointed.clone().unwrap_or_else(|| panic!("the step points at nothing: {:?}", tour.current()))
}

fn window_of_the_tour(panels: &Panels) -> Rect {
    panels.ctx.memory(|memory| memory.area_rect(Id::new("tour"))).expect("the window is open")
}

/// Clicks a position, as a user does who sees only the screen.
fn click_at(panels: &mut Panels, at: Pos2) {
    panels.hover_at(at);
    panels.run_steps(2);
    panels.drag_at(at);
    panels.run_steps(2);
    drop_at(panels, at);
}

/// Checks that the window of the tour covers neither the widget of the step nor the widget's menu, and is in front.
fn check_window(panels: &Panels, target: Rect) {
    let window = window_of_the_tour(panels);
    let step = tour(panels).current().unwrap();
    assert!(!window.intersects(target), "{step:?}: {window} covers {target}");
    assert!(panels.ctx.viewport_rect().contains_rect(window), "{step:?}: {window} is cut off");
    let inner = window.shrink(2.0);
    for at in [inner.left_top(), inner.right_top(), inner.left_bottom(), inner.right_bottom(), inner.center()] {
        assert_eq!(
            panels.ctx.layer_id_at(at).map(|layer| layer.id),
            Some(Id::new("tour")),
            "{step:?}: covered at {at}"
        );
    }
}

/// Does what the current step asks for: operates the widget at which the tour points until the step is done.
fn follow(panels: &mut Panels) {
    let goal = tour(panels).current().unwrap().goal;
    for _ in 0..6 {
        panels.run();
        if tour(panels).is_done() {
            return;
        }
        let (target, rect) = pointed(panels);
        check_window(panels, rect);
        match (target, goal) {
            (TourTarget::View, StepGoal::Look) => panels.state_mut().get_mut::<Tour>().camera[0] += 1.0,
            (TourTarget::View, _) => {
                let doc = &mut panels.state_mut().editor_mut().doc;
                let layer = StrokeTarget::Layer(doc.selected_layer().unwrap());
                let points = vec![StrokePoint::new(5000.0, 6000.0), StrokePoint::new(11_000.0, 9000.0)];
                let stroke = Stroke::new(Brush { radius: 2500.0, ..Brush::default() }, points);
                doc.edit_strokes(layer, "Draw stroke", None, |strokes| strokes.list_mut().push(Arc::new(stroke)));
            }
            // a click on the rail of a slider moves its handle there
            (TourTarget::Slider(_), _) => click_at(panels, pos2(rect.left() + 0.75 * rect.width(), rect.center().y)),
            (TourTarget::Button(_), _) => click_at(panels, rect.center()),
        }
    }
    panels.run();
    assert!(tour(panels).is_done(), "{goal:?} is not reached; it points at {:?}", tour(panels).pointed);
}

/// Takes a lesson in a window of this size. The lesson was started already.
fn take(panels: &mut Panels, name: LessonName) {
    let steps = name.lesson().steps.len();
    for step in 0..steps {
        assert_eq!(tour(panels).step, Some(step));
        follow(panels);
        assert_eq!(tour(panels).pointed, None, "the step is done");
        if panels.state().editor().doc.transport().is_playing() {
            panels.state_mut().editor_mut().doc.pause();
        }
        click(panels, if step + 1 == steps { "End" } else { "Next step" });
    }
    assert_eq!(tour(panels).step, None);
    let doc = &panels.state().editor().doc;
    assert_eq!(doc.scene().name, name.lesson().title);
    assert!(doc.is_dirty() && doc.path().is_none(), "the scene is not saved");
}

#[test]
fn each_lesson_is_carried_out_by_following_its_frame() {
    for name in LessonName::lessons() {
        for size in [vec2(1280.0, 720.0), vec2(900.0, 560.0)] {
            let mut panels = panels(size, &[]);
            panels.state_mut().issue(TourAction::Start(name));
            panels.run();
            take(&mut panels, name);
            let scene = panels.state().editor().doc.scene().clone();
            let samples = if scene.is_planet() { 33 } else { 129 };
            let made = evaluate(&scene, samples, None, &mut Store::forgetful(), &Control::default()).unwrap();
            assert!(made.problems.is_empty() && scene.problems().is_empty(), "{name:?}: {:?}", made.problems);
            let heights = &made.terrain.height;
            let (low, high) = heights.iter().fold((f32::MAX, f32::MIN), |(l, h), &v| (l.min(v), h.max(v)));
            assert!(heights.iter().all(|h| h.is_finite()) && high - low > 0.05, "{name:?}: {low} to {high}");
        }
    }
}

#[test]
fn the_tour_points_at_the_widgets_of_each_step() {
    let folder = tempfile::tempdir().unwrap();
    let mut panels = large(&[]);
    panels.state_mut().issue(TourAction::Toggle);
    panels.run();
    assert_eq!(panels.state().names(), ["Perlin noise"], "an empty scene gets a layer");
    for step in 0..4 {
        assert_eq!(tour(&panels).step, Some(step));
        follow(&mut panels);
        click_some(&mut panels, "Next step");
    }
    panels.state_mut().editor_mut().doc.pause();
    panels.run();
    for name in ["File", "Save"] {
        let (target, rect) = pointed(&panels);
        assert_eq!(target, TourTarget::Button(name.into()));
        check_window(&panels, rect);
        click_at(&mut panels, rect.center());
    }
    assert!(panels.state().editor().dialogs.is_open(), "the dialog asks for a file");
    check_window(&panels, Rect::NOTHING);
    press(&mut panels, Modifiers::NONE, Key::Escape);
    panels.state_mut().editor_mut().doc.save(folder.path().join("mine.ron")).unwrap();
    panels.run();
    assert!(tour(&panels).is_done());
}

#[test]
fn the_frame_follows_its_widget_to_other_panels_and_tabs() {
    let mut panels = large(&["Perlin"]);
    panels.state_mut().issue(TourAction::Toggle);
    panels.run();
    panels.state_mut().issue(TourAction::Go(1));
    panels.run();
    let slider = |panels: &Panels| match pointed(panels) {
        (TourTarget::Slider(name), rect) => (name, rect),
        other => panic!("{other:?}"),
    };
    let (name, left) = slider(&panels);
    assert_eq!(name, "Frequency");
    panels.state_mut().issue(PanelAction::Dock("parameters", DockEdge::Right));
    panels.run();
    let (_, right) = slider(&panels);
    assert!(left.right() < 400.0 && right.left() > 900.0, "{left} {right}");
    check_window(&panels, right);
    // another panel is dropped on the parameters and hides them: the tour opens their tab
    panels.state_mut().issue(PanelAction::Reset);
    press(&mut panels, Modifiers::NONE, Key::M);
    let handle = |panels: &Panels, title: &str| panels.get_by_label(&format!("Move {title}")).rect().center();
    press(&mut panels, Modifiers::NONE, Key::Escape);
    let (from, to) = (handle(&panels, "Measures"), handle(&panels, "Parameters") + vec2(0.0, 265.0));
    drag(&mut panels, from, to);
    drop_at(&mut panels, to);
    assert!(panels.query_by_label("Octaves").is_none(), "the parameters are behind another tab");
    panels.state_mut().issue(TourAction::Toggle);
    panels.run();
    panels.state_mut().issue(TourAction::Go(1));
    panels.run();
    assert_eq!(slider(&panels).0, "Frequency");
    // without a selected layer, the tour points at the row of the layer
    panels.state_mut().editor_mut().doc.select(Selection::Scene);
    panels.run();
    assert_eq!(pointed(&panels).0, TourTarget::Button("Perlin noise".into()));
}

#[test]
fn a_widget_out_of_sight_is_scrolled_into_sight() {
    let mut panels = panels(vec2(900.0, 560.0), &["Perlin", "StreamPower"]);
    panels.state_mut().issue(TourAction::Start(LessonName::RiverValley));
    panels.run();
    click(&mut panels, "Don't save");
    for node in ["Ridged", "StreamPower"] {
        panels.state_mut().issue(LayerAction::Add(Box::new(Node::named(node).unwrap())));
    }
    panels.state_mut().issue(TourAction::Go(3));
    panels.run();
    let rail = |panels: &Panels| widget(panels, Role::Slider, "Deposition").rect();
    let (target, rect) = pointed(&panels);
    assert_eq!(target, TourTarget::Slider("Deposition".into()));
    assert!(rect.contains_rect(rail(&panels)), "{rect} {}", rail(&panels));
    // the user may scroll it away again
    panels.hover_at(rail(&panels).center());
    panels.run();
    panels.input_mut().events.push(bevy_egui::egui::Event::MouseWheel {
        unit: bevy_egui::egui::MouseWheelUnit::Point,
        delta: vec2(0.0, 4000.0),
        modifiers: Modifiers::NONE,
        phase: bevy_egui::egui::TouchPhase::Move,
    });
    panels.run();
    assert_eq!(tour(&panels).pointed, None);
}

#[test]
fn a_lesson_asks_before_it_replaces_unsaved_changes() {
    let mut panels = large(&["Perlin"]);
    panels.state_mut().issue(TourAction::Start(LessonName::Island));
    panels.run();
    assert_eq!(tour(&panels).step, None);
    click(&mut panels, "Cancel");
    assert_eq!((tour(&panels).step, panels.state().names().len()), (None, 1));
    panels.state_mut().issue(TourAction::Start(LessonName::Island));
    panels.run();
    click(&mut panels, "Don't save");
    assert_eq!((tour(&panels).step, panels.state().names().len()), (Some(0), 0));
    panels.get_by_label_contains("Island, step 1 of 5");
}

#[test]
fn start_window_and_help_menu_list_the_tour_and_lessons() {
    let mut panels = large(&[]);
    for name in LessonName::ALL {
        panels.state_mut().issue(StartAction::Show);
        panels.run();
        click(&mut panels, "Tour and lessons");
        click(&mut panels, &format!("Start {}", name.lesson().title));
        assert_eq!(tour(&panels).step, Some(0), "{name:?}");
        panels.get_by_label_contains(&format!("{}, step 1 of", name.lesson().title));
        assert!(!panels.state().editor().dialogs.is_open());
        press(&mut panels, Modifiers::NONE, Key::Escape);
        assert_eq!(tour(&panels).step, None);
    }
    click(&mut panels, "Help");
    click(&mut panels, "Lessons");
    for name in LessonName::lessons() {
        assert!(panels.query_all_by_label(name.lesson().title).next().is_some(), "{name:?}");
    }
    widget(&panels, Role::Button, "Paint uplift").click();
    panels.run();
    assert_eq!(tour(&panels).step, Some(0));
    assert!(panels.state().get::<BrushState>().target(&panels.state().editor().doc).is_none());
}
