//! Camera bookmarks, Fly and Walk, images of the view.

use crate::kit::*;
use bevy_egui::egui::{Event, Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::scene::Scene;
use talweg_app::features::camera::{BookmarkAction, CameraStand, FlyAction, FlyState};
use talweg_app::view::ViewCommand;

#[test]
fn a_bookmark_is_saved_in_the_scene_and_restored() {
    let mut panels = large(&["Perlin"]);
    let stand = CameraStand { eye_world: bevy::math::Vec3::new(10.0, 300.0, 200.0), yaw: 0.5, pitch: -0.3 };
    *panels.state_mut().get_mut::<CameraStand>() = stand;
    let asked = panels.state().requests.len();
    press(&mut panels, Modifiers::COMMAND | Modifiers::SHIFT, Key::D);
    panels.get_by_label_contains("Added View 1 to View > Bookmarks");
    let scene = panels.state().editor().doc.scene().clone();
    assert_eq!((scene.bookmarks.len(), panels.state().requests.len()), (1, asked), "the terrain does not change");
    let (read, warnings) = Scene::from_ron(&scene.to_ron().unwrap()).unwrap();
    assert!(read == scene && warnings.is_empty());
    *panels.state_mut().get_mut::<CameraStand>() = CameraStand::default();
    panels.state_mut().issue(BookmarkAction::Go(0));
    panels.run();
    let gone = panels.state().effects.iter().find_map(|effect| match effect {
        Effect::View(ViewCommand::Stand { eye_world, yaw, .. }) => Some((*eye_world, *yaw)),
        _ => None,
    });
    let (eye_world, yaw) = gone.expect("the camera moves there");
    assert!(eye_world.distance(stand.eye_world) < 0.01 && (yaw - stand.yaw).abs() < 1e-4);
    panels.state_mut().issue(BookmarkAction::Remove(0));
    panels.run();
    assert!(panels.state().editor().doc.scene().bookmarks.is_empty());
    let broken =
        "(version: 1, bookmarks: [(name: \"x\", east: 1e30, south: 0, height: 0, heading: 0, tilt: 0)], layers: [])";
    let (read, warnings) = Scene::from_ron(broken).unwrap();
    assert!(read.bookmarks.is_empty() && warnings.len() == 1, "{warnings:?}");
}

#[test]
fn flight_keys_are_no_shortcuts_during_flight() {
    let mut panels = large(&["Perlin"]);
    let water = |panels: &Panels| panels.state().editor().view.water;
    press(&mut panels, Modifiers::SHIFT, Key::W);
    assert_eq!(panels.state().get::<FlyState>().way, Some(FlyAction::Fly));
    let hold = |panels: &mut Panels, key: Key, pressed: bool| {
        panels.event(Event::Key { key, physical_key: None, pressed, repeat: false, modifiers: Modifiers::NONE });
        panels.run();
    };
    hold(&mut panels, Key::W, true);
    assert_eq!(panels.state().get::<FlyState>().towards.x, 1.0);
    hold(&mut panels, Key::E, true);
    assert_eq!(panels.state().get::<FlyState>().towards.z, 1.0);
    hold(&mut panels, Key::W, false);
    hold(&mut panels, Key::E, false);
    assert!(water(&panels), "W is not a shortcut during flight");
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(panels.state().get::<FlyState>().way, None);
    press(&mut panels, Modifiers::NONE, Key::W);
    assert!(!water(&panels), "and becomes a shortcut again");
}

#[test]
fn a_picture_asks_for_its_size_first() {
    let mut panels = large(&["Perlin"]);
    press(&mut panels, Modifiers::NONE, Key::F12);
    click(&mut panels, "4K");
    assert!(!panels.get_by_label("Save as…").accesskit_node().is_disabled());
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert!(panels.query_by_label("4K").is_none());
    let doc = &mut panels.state_mut().editor_mut().doc;
    doc.edit("Make a planet", None, |scene| scene.settings.world = talweg::planet::World::Planet);
    panels.run();
    click(&mut panels, "File");
    assert!(panels.get_by_label("Save picture of the view…").accesskit_node().is_disabled());
}
