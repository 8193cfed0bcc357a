//! Planets in the panels, without a window system: available nodes, patches, measures.

use std::sync::Arc;

use crate::kit::*;
use bevy::ecs::system::{In, ResMut, RunSystemOnce};
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::eval::{Store, evaluate};
use talweg::field::Control;
use talweg::io::SaveTarget;
use talweg::measure::{Limits, measure_planet};
use talweg::nodes::Node;
use talweg::planet::World;
use talweg::planet::square::Square;
use talweg::scene::{Layer, Scene};
use talweg_app::features::compare::CompareAction;
use talweg_app::features::compare::differences::{DifferenceRow, ScaledTerrain, Table};
use talweg_app::features::compare::panel::CompareInfo;
use talweg_app::features::compare::task::CompareRequest;
use talweg_app::features::measures::panel::MeasuresInfo;
use talweg_app::features::patch::PatchAction;
use talweg_app::features::patch::finish;
use talweg_app::features::patch::panel::{PatchInfo, PatchState};
use talweg_app::features::patch::task::{PatchOrder, PatchResult, execute};
use talweg_app::frame::commands::{Command, CommandQueue};
use talweg_app::frame::editor::Editor;
use talweg_app::frame::status::Activity;
use talweg_app::view::climate_of;

fn heights_are_in(folder: &std::path::Path) -> bool {
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    std::fs::read_dir(folder).unwrap().map(name).any(|n| n.starts_with("earth-alps-") && n.ends_with(".r32"))
}

fn planet() -> Scene {
    let mut scene = Scene::new_planet();
    scene.settings.resolution = 33;
    scene
}

fn with_planet() -> Panels {
    let mut panels = large(&[]);
    panels.state_mut().editor_mut().doc.replace(planet(), None);
    panels.run();
    panels
}

fn run(panels: &mut Panels, command: Command) {
    panels.state_mut().issue(command);
    panels.run();
}

/// Handles the end of a patch task, as the window does.
fn end(panels: &mut Panels, made: anyhow::Result<PatchResult>) {
    let world = panels.state_mut().app.world_mut();
    let finish = |In(made): In<anyhow::Result<PatchResult>>,
                  mut editor: ResMut<Editor>,
                  mut state: ResMut<PatchState>,
                  mut queue: ResMut<CommandQueue>| finish(made, &mut editor, &mut state, &mut queue);
    world.run_system_once_with(finish, made).unwrap();
}

fn messages(panels: &Panels) -> Vec<String> {
    panels.state().editor().toasts.messages().map(|(_, text)| text.to_string()).collect()
}

#[test]
fn a_new_planet_has_continents_and_a_new_terrain_is_empty() {
    let mut panels = large(&[]);
    press(&mut panels, Modifiers::COMMAND | Modifiers::SHIFT, Key::N);
    let scene = panels.state().editor().doc.scene().clone();
    assert_eq!((scene.settings.world, scene.palette.as_str()), (World::Planet, "biome:earth"));
    assert_eq!((scene.settings.relief_metres, panels.state().names()), (20_000.0, vec!["Continents".to_string()]));
    assert!(scene.problems().is_empty() && !panels.state().editor().doc.is_dirty());
    press(&mut panels, Modifiers::COMMAND, Key::N);
    assert_eq!(*panels.state().editor().doc.scene(), Scene::default());
}

#[test]
fn unsuitable_nodes_are_found_but_not_added() {
    for (world, other) in [(World::Planet, World::Terrain), (World::Terrain, World::Planet)] {
        let mut panels = if world == World::Planet { with_planet() } else { large(&[]) };
        let before = panels.state().names();
        let catalogue = Node::catalogue();
        let misfit = catalogue.iter().find(|node| !node.fits(world) && node.fits(other)).unwrap();
        let label = misfit.about().label;
        press(&mut panels, Modifiers::SHIFT, Key::A);
        panels.get_by_label("Search nodes").type_text(label);
        panels.run();
        let name = format!("Add {label}");
        assert!(panels.get_by_label(&name).accesskit_node().is_disabled(), "{label} on {world:?}");
        click(&mut panels, &name);
        assert_eq!(panels.state().names(), before);
    }
}

#[test]
fn a_patch_lies_where_the_view_looks_beside_its_saved_planet() {
    let mut panels = with_planet();
    panels.state_mut().get_mut::<PatchInfo>().looks_at = Some([12.344, -46.0]);
    press(&mut panels, Modifiers::SHIFT, Key::P);
    let square = panels.state().get::<PatchState>().square();
    assert_eq!((square.longitude, square.latitude), (12.34, -46.0));
    assert!((square.side_metres - 800_000.0).abs() < 1000.0);
    click(&mut panels, "Extract…");
    assert!(panels.state().editor().dialogs.is_open());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("alps planet.ron"), "of another user").unwrap();
    let to = folder.path().join("alps.ron");
    run(&mut panels, Command::from(PatchAction::TakeTo(to.into())));
    let planet = folder.path().join("alps planet 2.ron");
    assert_eq!(panels.state().editor().doc.path(), Some(planet.as_path()));
    let Some(Effect::Patch(order)) = panels.state_mut().effects.pop() else { panic!("{:?}", messages(&panels)) };
    assert!(matches!(*order, PatchOrder::Take { ref from, .. } if *from == planet));
    assert!(planet.exists());
}

#[test]
fn a_taken_patch_is_put_back_at_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let mut panels = with_planet();
    let file = folder.path().join("earth.ron");
    panels.state_mut().editor_mut().doc.save(&file).unwrap();
    let task = PatchOrder::Take {
        planet: panels.state().editor().doc.scene().clone(),
        from: file.clone(),
        square: Square { longitude: 20.0, latitude: 30.0, side_metres: 8.0e5 },
        samples: 65,
        to: folder.path().join("alps.ron").into(),
    };
    let made = execute(task, &Control::default());
    end(&mut panels, made);
    panels.run();
    let doc = &panels.state().editor().doc;
    assert_eq!(doc.path(), Some(folder.path().join("alps.ron").as_path()));
    assert_eq!((doc.scene().settings.world, doc.scene().samples(), doc.is_dirty()), (World::Terrain, 65, false));
    run(&mut panels, Command::from(PatchAction::PutBack));
    let Some(Effect::Patch(task)) = panels.state_mut().effects.pop() else { panic!("{:?}", messages(&panels)) };
    let made = execute(*task, &Control::default());
    assert!(matches!(made, Ok(PatchResult::Planet(_))));
    end(&mut panels, made);
    panels.run();
    let doc = &panels.state().editor().doc;
    assert_eq!((doc.path(), doc.is_dirty()), (Some(file.as_path()), true));
    assert_eq!(doc.scene().layers.last().unwrap().node.about().name, "Patch");
    assert!(doc.scene().problems().is_empty() && heights_are_in(folder.path()));
    assert_eq!(doc.undo_label(), Some("Apply region"));
    // applied again with other heights, the region keeps its layer
    let (planet, layers) = (doc.scene().clone(), doc.scene().layers.len());
    panels.state_mut().editor_mut().doc.save(&file).unwrap();
    let (mut region, _) = Scene::load(&folder.path().join("alps.ron")).unwrap();
    region.layers.push(Layer::new(Node::named("Terrace").unwrap(), 5));
    panels.state_mut().editor_mut().doc.replace(region, Some(folder.path().join("alps.ron")));
    run(&mut panels, Command::from(PatchAction::PutBack));
    let Some(Effect::Patch(task)) = panels.state_mut().effects.pop() else { panic!("{:?}", messages(&panels)) };
    let made = execute(*task, &Control::default());
    end(&mut panels, made);
    panels.run();
    let doc = &panels.state().editor().doc;
    assert_eq!(doc.scene().layers.len(), layers);
    assert_ne!(doc.scene().layers.last(), planet.layers.last(), "with the new heights");
    assert_eq!(doc.selected_layer(), Some(layers - 1));
}

#[test]
fn the_square_is_dragged_and_the_planet_stays() {
    let mut panels = with_planet();
    panels.state_mut().get_mut::<PatchInfo>().looks_at = Some([20.0, 10.0]);
    press(&mut panels, Modifiers::SHIFT, Key::P);
    let at = panels.state().drawn.as_ref().expect("drawn").free_rect.center() + vec2(150.0, 150.0);
    let point = |panels: &mut Panels, place: [f64; 2]| {
        panels.state_mut().get_mut::<PatchInfo>().under_pointer = Some(place);
        panels.hover_at(at);
        panels.run();
        panels.state().drawn.as_ref().expect("drawn").primary_taken
    };
    let centre = |panels: &Panels| {
        let square = panels.state().get::<PatchState>().square();
        [square.longitude, square.latitude]
    };
    assert!(!point(&mut panels, [40.0, 10.0]), "beside the square, the left button turns the planet");
    assert!(point(&mut panels, [21.0, 11.0]), "on the square, it moves the square");
    panels.drag_at(at);
    panels.run();
    assert!(point(&mut panels, [31.0, 6.0]));
    assert_eq!(centre(&panels), [30.0, 5.0]);
    point(&mut panels, [-178.0, 6.0]);
    drop_at(&mut panels, at);
    assert_eq!(centre(&panels), [-179.0, 5.0]);
    point(&mut panels, [40.0, 40.0]);
    assert_eq!(centre(&panels), [-179.0, 5.0], "released");
}

#[test]
fn a_scene_that_cannot_be_put_back_says_why() {
    let mut panels = large(&["Perlin"]);
    run(&mut panels, Command::from(PatchAction::PutBack));
    assert!(messages(&panels).iter().any(|text| text.contains("not extracted from a planet")));
    let mut lost = Scene::default();
    let origin = talweg::scene::PatchOrigin { planet: "/nowhere/earth.ron".into(), longitude: 0.0, latitude: 0.0 };
    lost.patch = Some(origin);
    panels.state_mut().editor_mut().doc.replace(lost, None);
    run(&mut panels, Command::from(PatchAction::PutBack));
    assert!(messages(&panels).iter().any(|text| text.contains("/nowhere/earth.ron") && text.contains("Cannot open")));
    run(&mut panels, Command::from(PatchAction::Take));
    assert!(!panels.state().get::<PatchState>().is_open());
    assert!(panels.state().effects.is_empty());
}

#[test]
fn a_planet_is_measured_as_a_whole() {
    let mut panels = with_planet();
    press(&mut panels, Modifiers::NONE, Key::M);
    assert!(panels.query_by_label("Measuring…").is_some());
    let scene = planet();
    let terrain = evaluate(&scene, 33, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
    let measures = measure_planet(&terrain, &scene, &Limits::default(), &Control::default()).unwrap();
    *panels.state_mut().get_mut::<MeasuresInfo>() =
        MeasuresInfo { planet: Some(Arc::new(measures.clone())), ..MeasuresInfo::default() };
    panels.run();
    let land = format!("Land fraction {:.4}", measures.land_share);
    assert!(panels.query_by_label(&land).is_some(), "{land}");
    assert!(panels.query_by_label("Radius 6371000").is_some());
    assert!(panels.query_by_label("Hypsometric curve").is_some());
    for label in ["Erosion score", "Drained", "Largest basin"] {
        assert!(panels.query_all_by_label_contains(label).next().is_some(), "{label}");
    }
}

#[test]
fn a_planet_is_compared_with_another() {
    let mut panels = with_planet();
    press(&mut panels, Modifiers::NONE, Key::C);
    let Some(Effect::Compare(CompareRequest::Keep { state, .. })) = panels.state().effects.first() else { panic!() };
    assert!(state.scene.is_planet());
    // the measures and data that the panels get once B is ready
    let (control, scene) = (Control::default(), planet());
    let mut other = scene.clone();
    other.layers[0].seed += 1;
    let subject = |scene: &Scene| ScaledTerrain {
        terrain: evaluate(scene, 33, None, &mut Store::forgetful(), &control).unwrap().terrain,
        scene: climate_of(scene),
    };
    let table = Table::new(&subject(&scene), &subject(&other), &control).unwrap();
    let label = |row: &DifferenceRow| {
        if row.unit.is_empty() { row.label.clone() } else { format!("{}, {}", row.label, row.unit) }
    };
    let rows: Vec<String> = table.rows.iter().map(label).collect();
    *panels.state_mut().get_mut::<CompareInfo>() = CompareInfo {
        b: Some("Another Earth".into()),
        is_planet: true,
        table: Some(Arc::new(table)),
        ..CompareInfo::default()
    };
    panels.run();
    assert!(panels.query_by_label("View of B: Another Earth").is_some());
    for text in ["Land fraction", "Drained", "Drainage overlap"].map(String::from).iter().chain(&rows[..3]) {
        let found = panels.query_all_by_value(text).count() + panels.query_all_by_label(text).count();
        assert!(found > 0, "{text} is missing");
    }
    panels.get_by_role_and_label(Role::Button, "Compare").click();
    panels.run();
    for label in ["Pin as B", "Compare with scene…", "Difference map"] {
        assert!(panels.query_all_by_label(label).count() > 0, "{label}");
    }
}

#[test]
fn comparing_ends_where_a_planet_is_opened() {
    let mut panels = large(&["Perlin"]);
    run(&mut panels, Command::from(CompareAction::Keep));
    panels.state_mut().effects.clear();
    panels.state_mut().get_mut::<CompareInfo>().b = Some("Perlin (pinned)".into());
    panels.run();
    assert!(panels.state().effects.is_empty());
    panels.state_mut().editor_mut().doc.replace(planet(), None);
    panels.run();
    assert!(panels.state().effects.contains(&Effect::Compare(CompareRequest::Nothing)));
    assert!(messages(&panels).iter().any(|text| text.contains("Comparison ended")));
}

#[test]
fn the_status_bar_reports_patch_actions() {
    let mut panels = with_planet();
    let square = Square { longitude: 20.0, latitude: 30.0, side_metres: 8.0e5 };
    let (planet, from) = (Scene { name: "Earth".into(), ..planet() }, "earth.ron".into());
    let take =
        PatchOrder::Take { planet: planet.clone(), from, square, samples: 65, to: SaveTarget::new("/tmp/alps.ron") };
    assert_eq!(take.description(), "Computing “Earth” to extract the region alps");
    let patch = Scene::default();
    let put = PatchOrder::Put { patch, planet, file: None, square, heights: "/tmp/earth-alps.r32".into() };
    assert_eq!(put.description(), "Computing the region to apply it to “Earth”");
    panels.state_mut().info_mut().activities =
        vec![Activity { text: format!("{}, 25 %", take.description()), done: Some(0.25) }];
    panels.run();
    assert!(panels.query_by_label("Computing “Earth” to extract the region alps, 25 %").is_some());
    assert!(panels.query_by_label("Cancel").is_some());
}

#[test]
fn a_place_of_a_planet_is_watched_by_its_angles() {
    let mut panels = with_planet();
    panels.state_mut().editor_mut().doc.watch(true);
    panels.state_mut().editor_mut().doc.chart_point(Some([0.5 + 20.0 / 360.0, 0.5 - 30.0 / 180.0]));
    panels.run();
    assert!(panels.query_by_label("30.00° N, 20.00° E").is_some());
    assert_eq!(panels.state().requests.last().and_then(|request| request.place).map(|[u, _]| u > 0.55), Some(true));
}
