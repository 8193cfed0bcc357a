//! The contact sheet and the ghosts beside a slider, without a window system: the thumbnails shown, the effect of
//! clicks, and the order of the computations.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::{Role, Toggled};
use egui::{Key, Modifiers, Rect, pos2, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::eval::{Cache, Store, Timeline};
use talweg::field::Control;
use talweg::nodes::Node;
use talweg::param::Value;
use talweg::scene::Scene;
use talweg::variants::{Size, draw};
use talweg_app::features::variants::VariantsAction;
use talweg_app::features::variants::panel::VariantsState;
use talweg_app::features::variants::thumbnails::VariantsInfo;
use talweg_app::features::variants::thumbnails::{ThumbnailClient, ThumbnailState, Wants};
use talweg_app::frame::commands::Command;

fn thumbnails() -> ThumbnailClient {
    ThumbnailClient::new(|| ())
}

/// Runs the frame's system until all thumbnails are rendered and shown.
fn develop(panels: &mut Panels, thumbnails: &mut ThumbnailClient) {
    thumbnails.want(&panels.state().get::<VariantsState>().wants(), false);
    thumbnails.finish();
    *panels.state_mut().get_mut::<VariantsInfo>() = thumbnails.info();
    panels.run();
}

/// Captions of the sheet, row by row.
fn captions(panels: &Panels) -> Vec<String> {
    let mut cells: Vec<(Rect, String)> = panels
        .query_all_by_label_contains("Variant ")
        .map(|node| (node.rect(), node.accesskit_node().label().unwrap_or_default()))
        .collect();
    cells.sort_by(|(a, _), (b, _)| (a.top(), a.left()).partial_cmp(&(b.top(), b.left())).unwrap());
    cells.into_iter().map(|(_, name)| name.trim_start_matches("Variant ").to_string()).collect()
}

/// Captions of the thumbnails that are marked as current.
fn marked(panels: &Panels) -> Vec<String> {
    let nodes = panels.query_all_by_label_contains("Variant ");
    let marked = nodes.filter(|node| node.accesskit_node().toggled() == Some(Toggled::True));
    marked.map(|node| node.accesskit_node().label().unwrap_or_default().replace("Variant ", "")).collect()
}

fn undo(panels: &mut Panels) {
    press(panels, Modifiers::COMMAND, Key::Z);
}

/// Rests the pointer on a slider until its tooltip appears.
fn rest_on(panels: &mut Panels, slider: &str) {
    let at = widget(panels, Role::Slider, slider).rect().center();
    panels.hover_at(at);
    panels.run_steps(25);
}

fn ghosts(panels: &Panels) -> Vec<String> {
    let mut ghosts: Vec<(f32, String)> = panels
        .query_all_by_label_contains("Preview ")
        .map(|node| (node.rect().left(), node.accesskit_node().label().unwrap_or_default()))
        .collect();
    ghosts.sort_by(|a, b| a.0.total_cmp(&b.0));
    ghosts.into_iter().map(|(_, name)| name.trim_start_matches("Preview ").to_string()).collect()
}

#[test]
fn a_key_opens_sixteen_seeds_that_are_drawn_and_measured() {
    let (mut panels, mut thumbnails) = (large(&["Perlin"]), thumbnails());
    press(&mut panels, Modifiers::NONE, Key::V);
    let seeds: Vec<String> = (1..=16).map(|seed| format!("Seed {seed}")).collect();
    assert_eq!((captions(&panels), marked(&panels)), (seeds, vec!["Seed 1".to_string()]));
    let textures = |panels: &Panels| panels.ctx.tex_manager().read().num_allocated();
    let before = textures(&panels);
    develop(&mut panels, &mut thumbnails);
    assert!(thumbnails.info().sheet.is_complete() && !thumbnails.is_busy());
    assert_eq!(textures(&panels), before + 16, "every thumbnail has become a texture");
    // each thumbnail shows the terrain of its scene
    let mut scene = panels.state().editor().doc.scene().clone();
    scene.settings.seed = 6;
    let ThumbnailState::Drawn(drawn) = thumbnails.info().sheet.get(5).clone() else { panic!("not drawn") };
    let mut store = Store::new(Cache::new(1 << 20), Timeline::new(0));
    let alone = draw(&scene, Size::default(), &mut store, &Control::default()).unwrap();
    assert_eq!(*drawn, alone);
    // the tooltip describes the terrain
    let at = panels.get_by_label("Variant Seed 6").rect().center();
    panels.hover_at(at);
    panels.run_steps(25);
    let score = format!("Erosion score {:.2}", alone.key_figures.erosion_score);
    assert!(panels.query_all_by_label(&score).count() > 0, "{score} is missing");
}

#[test]
fn thumbnail_textures_load_a_few_per_frame() {
    let (mut panels, mut thumbnails) = (large(&["Perlin"]), thumbnails());
    press(&mut panels, Modifiers::NONE, Key::V);
    thumbnails.want(&panels.state().get::<VariantsState>().wants(), false);
    thumbnails.finish();
    *panels.state_mut().get_mut::<VariantsInfo>() = thumbnails.info();
    let textures = |panels: &Panels| panels.ctx.tex_manager().read().num_allocated();
    let mut before = textures(&panels);
    for frame in 0..8 {
        panels.step();
        let now = textures(&panels);
        assert!(now <= before + 2, "{} textures in frame {frame}", now - before);
        before = now;
    }
}

#[test]
fn adopting_is_one_undo_step_and_keeps_the_sheet() {
    let (mut panels, mut thumbnails) = (large(&["Perlin", "Terrace"]), thumbnails());
    press(&mut panels, Modifiers::NONE, Key::V);
    develop(&mut panels, &mut thumbnails);
    let before = panels.state().editor().doc.scene().clone();
    let sheet = captions(&panels);
    click(&mut panels, "Variant Seed 9");
    let doc = &panels.state().editor().doc;
    assert_eq!((doc.scene().settings.seed, doc.undo_label()), (9, Some("Apply variant")));
    assert_eq!(Scene { settings: before.settings.clone(), ..doc.scene().clone() }, before, "nothing else changes");
    assert_eq!((captions(&panels), marked(&panels)), (sheet, vec!["Seed 9".to_string()]));
    thumbnails.want(&panels.state().get::<VariantsState>().wants(), false);
    assert!(!thumbnails.is_busy() && thumbnails.info().sheet.is_complete(), "no thumbnail is rendered twice");
    undo(&mut panels);
    assert_eq!(*panels.state().editor().doc.scene(), before);
    // applying the current variant is no edit
    let revision = panels.state().editor().doc.revision();
    click(&mut panels, "Variant Seed 1");
    assert_eq!(panels.state().editor().doc.revision(), revision);
}

#[test]
fn seeds_are_rerolled_for_the_scene_and_for_a_layer() {
    let mut panels = large(&["Perlin"]);
    click(&mut panels, "Layer");
    click(&mut panels, "Variants…");
    let first = captions(&panels);
    click(&mut panels, "Reroll");
    let thrown = captions(&panels);
    assert_eq!((thrown.len(), &thrown[0]), (16, &first[0]), "the current seed stays for comparison");
    assert!(thrown[1..].iter().all(|seed| !first.contains(seed)));
    choose_item(&mut panels, "Varied property", "Layer seed");
    let seed = panels.state().editor().doc.scene().layers[0].seed;
    assert_eq!(marked(&panels), [format!("Seed {seed}")]);
    let other = captions(&panels)[3].clone();
    click(&mut panels, &format!("Variant {other}"));
    let scene = panels.state().editor().doc.scene();
    assert_eq!((format!("Seed {}", scene.layers[0].seed), scene.settings.seed), (other, 1));
}

#[test]
fn a_parameter_sweep_includes_the_current_value() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::NONE, Key::V);
    choose_item(&mut panels, "Varied property", "One parameter");
    choose_item(&mut panels, "Parameter", "Persistence");
    let (all, present) = (captions(&panels), marked(&panels));
    assert_eq!((all.len(), all[0].as_str(), all[15].as_str()), (16, "Persistence 0.2", "Persistence 0.8"));
    assert_eq!(present, ["Persistence 0.45"]);
    click(&mut panels, "Variant Persistence 0.8");
    assert_eq!(panels.state().value(0, "persistence"), Value::Float(0.8));
    assert_eq!(captions(&panels), all, "the values stay");
    undo(&mut panels);
    // another range and fewer steps
    let from = widget(&panels, Role::SpinButton, "from").rect().center();
    panels.hover_at(from);
    panels.drag_at(from);
    panels.drop_at(from);
    panels.run();
    panels.event(egui::Event::Text("0.5".into()));
    panels.run();
    press(&mut panels, Modifiers::NONE, Key::Enter);
    let all = captions(&panels);
    assert_eq!((all[0].as_str(), all.len()), ("Persistence 0.5", 16));
    assert!(marked(&panels).is_empty(), "the current value is outside the range");
}

#[test]
fn two_parameters_make_a_table_and_are_adopted_together() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::NONE, Key::V);
    choose_item(&mut panels, "Varied property", "Two parameters");
    choose_item(&mut panels, "Parameter Across", "Persistence");
    choose_item(&mut panels, "Parameter Down", "Amplitude");
    let all = captions(&panels);
    assert_eq!(all.len(), 16);
    assert_eq!((all[0].as_str(), all[15].as_str()), ("Persistence 0.2, Amplitude 0", "Persistence 0.8, Amplitude 2"));
    assert_eq!(marked(&panels).len(), 1, "the current pair is among them");
    click(&mut panels, "Variant Persistence 0.8, Amplitude 2");
    let app = panels.state();
    assert_eq!((app.value(0, "persistence"), app.value(0, "amplitude")), (Value::Float(0.8), Value::Float(2.0)));
    undo(&mut panels);
    let app = panels.state();
    assert_eq!((app.value(0, "persistence"), app.value(0, "amplitude")), (Value::Float(0.45), Value::Float(1.0)));
    choose_item(&mut panels, "Parameter Down", "Persistence");
    assert!(panels.query_by_label("Choose two different parameters.").is_some());
}

#[test]
fn presets_are_shown_and_a_layer_without_says_so() {
    let named = Node::catalogue().into_iter().find(|node| node.about().presets.len() > 1).expect("a node with presets");
    let about = named.about();
    let mut panels = large(&["Perlin", about.name]);
    press(&mut panels, Modifiers::NONE, Key::V);
    choose_item(&mut panels, "Varied property", "Layer presets");
    let labels: Vec<&str> = about.presets.iter().map(|preset| preset.label).collect();
    assert_eq!(captions(&panels), labels);
    let last = &about.presets[labels.len() - 1];
    click(&mut panels, &format!("Variant {}", last.label));
    let mut wanted = Node::named(about.name).unwrap();
    wanted.adopt(last);
    assert_eq!(panels.state().editor().doc.scene().layers[1].node, wanted);
    let without =
        Node::catalogue().into_iter().find(|node| node.about().presets.is_empty()).expect("a node without presets");
    panels.state_mut().editor_mut().doc.add_layer(without);
    panels.run();
    assert!(panels.query_by_label_contains("has no presets").is_some());
}

#[test]
fn closing_stops_drawing_and_escape_closes_first() {
    let (mut panels, mut thumbnails) = (large(&["Perlin"]), thumbnails());
    press(&mut panels, Modifiers::NONE, Key::V);
    thumbnails.want(&panels.state().get::<VariantsState>().wants(), false);
    assert!(thumbnails.is_busy());
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert!(captions(&panels).is_empty() && panels.state().effects.is_empty(), "computing goes on");
    assert!(panels.state().get::<VariantsState>().wants().sheet.is_empty());
    thumbnails.want(&panels.state().get::<VariantsState>().wants(), false);
    assert!(!thumbnails.is_busy());
    thumbnails.finish();
    assert!(thumbnails.info().sheet.of.is_empty());
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(panels.state().effects.len(), 1, "the second press cancels");
}

#[test]
fn the_sheet_waits_for_the_worker_and_follows_the_scene() {
    let told = Arc::new(AtomicUsize::new(0));
    let bell = told.clone();
    let mut thumbnails = ThumbnailClient::new(move || {
        bell.fetch_add(1, Ordering::Relaxed);
    });
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::NONE, Key::V);
    thumbnails.want(&panels.state().get::<VariantsState>().wants(), true);
    thumbnails.finish();
    assert_eq!((thumbnails.info().sheet.ready(), told.load(Ordering::Relaxed)), (0, 0), "an edit has priority");
    assert!(thumbnails.info().waits && thumbnails.is_busy());
    develop(&mut panels, &mut thumbnails);
    assert_eq!(told.load(Ordering::Relaxed), 16);
    // the scene changes, and the sheet shows outdated thumbnails until they are rendered again
    let octaves = panels.state().editor().doc.scene().layers[0].node.about().find("octaves").unwrap();
    let group = talweg_app::frame::document::Group::Node(0);
    panels.state_mut().editor_mut().doc.set(group, octaves, &Value::Int(2), None);
    panels.run();
    thumbnails.want(&panels.state().get::<VariantsState>().wants(), false);
    assert_eq!(thumbnails.info().sheet.ready(), 0);
    thumbnails.want(&panels.state().get::<VariantsState>().wants(), true);
    assert!(thumbnails.info().waits, "rendering stops early");
    develop(&mut panels, &mut thumbnails);
    assert!(thumbnails.info().sheet.is_complete());
    let scenes = thumbnails.info().sheet.of;
    assert!(scenes.iter().all(|v| v.scene.layers[0].node.params().get(octaves) == Value::Int(2)));
}

#[test]
fn solo_thumbnails_show_one_layer_and_adopting_keeps_others() {
    let mut panels = large(&["Perlin", "Voronoi"]);
    press(&mut panels, Modifiers::SHIFT, Key::S);
    press(&mut panels, Modifiers::NONE, Key::V);
    let wanted = panels.state().get::<VariantsState>().wants().sheet;
    assert!(wanted.iter().all(|v| !v.scene.layers[0].enabled && v.scene.layers[1].enabled));
    click(&mut panels, "Variant Seed 4");
    let scene = panels.state().editor().doc.scene();
    assert!(scene.layers[0].enabled && scene.settings.seed == 4);
}

#[test]
fn a_slider_previews_lower_and_higher_values() {
    let (mut panels, mut thumbnails) = (large(&["Perlin"]), thumbnails());
    assert!(panels.state().get::<VariantsState>().wants().ghosts.is_empty());
    rest_on(&mut panels, "Persistence");
    assert_eq!(ghosts(&panels), ["0.375: coming", "0.45: coming", "0.525: coming"]);
    develop(&mut panels, &mut thumbnails);
    rest_on(&mut panels, "Persistence");
    assert_eq!(ghosts(&panels), ["0.375: ready", "0.45: ready", "0.525: ready"]);
    // the ghosts disappear with the pointer
    panels.hover_at(pos2(900.0, 400.0));
    panels.run_steps(5);
    assert!(panels.state().get::<VariantsState>().wants().ghosts.is_empty() && ghosts(&panels).is_empty());
    thumbnails.want(&panels.state().get::<VariantsState>().wants(), false);
    assert!(!thumbnails.is_busy());
}

#[test]
fn ghosts_are_hidden_while_dragging_or_disabled() {
    let mut panels = large(&["Perlin"]);
    let rail = widget(&panels, Role::Slider, "Persistence").rect();
    drag(&mut panels, rail.center(), rail.center() + vec2(12.0, 0.0));
    panels.run_steps(25);
    assert!(panels.state().get::<VariantsState>().wants().ghosts.is_empty());
    drop_at(&mut panels, rail.center() + vec2(12.0, 0.0));
    panels.hover_at(pos2(900.0, 400.0));
    panels.run_steps(25);
    click(&mut panels, "View");
    click(&mut panels, "Previews on sliders");
    rest_on(&mut panels, "Octaves");
    assert!(panels.state().get::<VariantsState>().wants().ghosts.is_empty() && ghosts(&panels).is_empty());
    assert!(
        panels.query_all_by_label_contains("Number of octaves: more octaves add finer relief").count() > 0,
        "the tooltip itself stays"
    );
}

#[test]
fn ghosts_do_not_wait_for_a_sheet_or_the_worker() {
    let (mut panels, mut thumbnails) = (large(&["Perlin"]), thumbnails());
    rest_on(&mut panels, "Persistence");
    let ghosts = panels.state().get::<VariantsState>().wants().ghosts;
    press(&mut panels, Modifiers::NONE, Key::V);
    let sheet = panels.state().get::<VariantsState>().wants().sheet;
    assert_eq!((ghosts.len(), sheet.len()), (3, 16));
    // neither a sheet being rendered nor a busy worker delays the ghosts
    thumbnails.want(&Wants { sheet: sheet.clone(), ..Default::default() }, false);
    thumbnails.want(&Wants { sheet, ghosts }, true);
    thumbnails.finish();
    assert!(thumbnails.info().ghosts.is_complete());
    assert!(!thumbnails.info().sheet.is_complete() && thumbnails.info().waits);
}

#[test]
fn the_window_fits_the_smallest_screen() {
    for (size, what) in [(vec2(960.0, 600.0), "Scene seed"), (vec2(1024.0, 640.0), "Two parameters")] {
        let (mut panels, mut thumbnails) = (panels(size, &["Perlin"]), thumbnails());
        press(&mut panels, Modifiers::NONE, Key::V);
        if what != "Scene seed" {
            choose_item(&mut panels, "Varied property", what);
        }
        develop(&mut panels, &mut thumbnails);
        let rects: Vec<Rect> = panels.query_all_by_label_contains("Variant ").map(|node| node.rect()).collect();
        assert_eq!(rects.len(), 16);
        for (k, rect) in rects.iter().enumerate() {
            assert!(Rect::from_min_size(pos2(0.0, 0.0), size).contains_rect(*rect), "{what}: {rect:?}");
            assert!(rect.width() >= 70.0, "{what}: too small to be seen, {rect:?}");
            assert!(rects[..k].iter().all(|other| !other.intersects(*rect)), "{what}: {rect:?} lies on another");
        }
        let choice = panels.get_by_role_and_label(Role::ComboBox, "Varied property").rect();
        assert!(rects.iter().all(|rect| rect.top() >= choice.bottom()));
    }
}

#[test]
fn the_commands_are_in_the_lists() {
    let panels = large(&["Perlin"]);
    assert!(
        panels.state().commands().contains(&Command::from(VariantsAction::Sheet))
            && panels.state().commands().contains(&Command::from(VariantsAction::SliderGhosts))
    );
    assert_eq!(
        (Command::from(VariantsAction::Sheet).section(), Command::from(VariantsAction::SliderGhosts).section()),
        ("Layer", "View")
    );
}
