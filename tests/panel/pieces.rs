//! Pieces of a construction: the list, the library, the parameters, and the handles in the view.

use std::sync::Arc;

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Key, Modifiers, PointerButton, Pos2, pos2, vec2};
use egui_kittest::kittest::Queryable;
use glam::Vec2;
use talweg::construction::edit::{PiecePath, pick_index, points};
use talweg::construction::{MaterialLayer, Piece, PieceKind, Tree};
use talweg::eval::{RequestQuality, Store, evaluate};
use talweg::field::Control;
use talweg_app::features::construction::PieceView;
use talweg_app::features::construction::list::TreeState;
use talweg_app::frame::document::Selection;
use talweg_app::view::{Lens, OverlayChoice, Pose, SquareTerrain, TerrainView, ViewCommand};

pub(crate) fn tree(panels: &Panels) -> Arc<Tree> {
    panels.state().editor().doc.tree_of(0).unwrap().clone()
}

pub(crate) fn selected(panels: &Panels) -> Option<Piece> {
    let path = panels.state().get::<TreeState>().selected()?.clone();
    path.piece(&tree(panels)).cloned()
}

/// The panels with a volcano and a view of it, with the data that the engine would provide.
pub(crate) fn volcano() -> Panels {
    // high enough to show all rows
    let mut panels = panels(vec2(1280.0, 1100.0), &["Construction"]);
    look(&mut panels);
    panels
}

/// Shows the current terrain of the scene from above.
pub(crate) fn look(panels: &mut Panels) {
    let scene = panels.state().editor().doc.scene().clone();
    let terrain = evaluate(&scene, 129, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
    let prepared =
        SquareTerrain::new(&terrain, &scene.settings, &OverlayChoice::default(), &Control::default()).unwrap();
    let free = panels.state().drawn.as_ref().unwrap().free_rect;
    let lens = Lens { fov_y: 0.6, size: Vec2::new(free.width(), free.height()) };
    let (low, high) = prepared.scale.bounds_world();
    let pose = Pose::framing(low, high, 0.0, -1.1, &lens);
    let origin = Vec2::new(free.left(), free.top());
    panels.state_mut().get_mut::<PieceView>().terrain_view =
        Some(TerrainView { pose, lens, origin, square: Arc::new(prepared), tree_surface: None });
    panels.run();
}

/// Screen position of a point given in metres of the tree.
pub(crate) fn on_screen(panels: &Panels, at: [f64; 2]) -> Pos2 {
    let stage = panels.state().get::<PieceView>().terrain_view.clone().unwrap();
    let [x, y] = stage.screen([at[0] / 8000.0, at[1] / 8000.0], 0.0).unwrap();
    pos2(x, y)
}

pub(crate) fn row(panels: &Panels, name: &str) -> egui::Rect {
    panels.get_by_role_and_label(Role::Button, name).rect()
}

pub(crate) fn click_at(panels: &mut Panels, at: Pos2) {
    panels.hover_at(at);
    panels.run();
    panels.drag_at(at);
    panels.run();
    panels.drop_at(at);
    panels.run();
    for _ in 0..12 {
        panels.step();
    }
}

pub(crate) fn choose(panels: &mut Panels, name: &str) {
    let at = row(panels, name).center();
    click_at(panels, at);
}

#[test]
fn the_list_shows_every_tier_and_a_click_shows_the_parameters() {
    let mut panels = volcano();
    for name in ["Relief", "Water", "Sand", "Snow", "Plants", "volcano on its island", "gullies"] {
        assert!(panels.query_by_role_and_label(Role::Button, name).is_some(), "{name}");
    }
    choose(&mut panels, "gullies");
    assert_eq!(selected(&panels).unwrap().name, "gullies");
    let slider = widget(&panels, Role::Slider, "Amplitude").rect();
    drag(&mut panels, slider.center(), slider.right_center());
    drop_at(&mut panels, slider.right_center());
    let PieceKind::Disc(disc) = &selected(&panels).unwrap().kind else { panic!("it is a disc") };
    assert!(disc.amplitude > 700.0, "{}", disc.amplitude);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Change amplitude"));
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    let PieceKind::Disc(disc) = &selected(&panels).unwrap().kind else { panic!("it is a disc") };
    assert_eq!(disc.amplitude, 130.0, "one drag is one step");
    // an empty material layer shows a hint
    choose(&mut panels, "Snow");
    assert!(panels.query_by_label_contains("No features yet").is_some());
}

#[test]
fn folding_hides_what_is_inside() {
    let mut panels = volcano();
    click(&mut panels, "Fold cone");
    assert!(panels.query_by_role_and_label(Role::Button, "gullies").is_none());
    click(&mut panels, "Unfold cone");
    assert!(panels.query_by_role_and_label(Role::Button, "gullies").is_some());
}

#[test]
fn rows_are_dragged_and_refusals_explained() {
    let mut panels = volcano();
    let (from, to) = (row(&panels, "side crater").center(), row(&panels, "cone").center());
    drag(&mut panels, from, to);
    assert!(
        panels.query_by_label_contains("Release to move it into cone").is_some(),
        "the status line describes the drop"
    );
    drop_at(&mut panels, to);
    let cone = PiecePath::material(MaterialLayer::Terrain).child(0).child(1);
    let names: Vec<String> = cone.piece(&tree(&panels)).unwrap().children().iter().map(Piece::title).collect();
    assert_eq!(names, ["Contour", "gullies", "side crater"]);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Move feature in the tree"));
    assert_eq!(selected(&panels).unwrap().name, "side crater");
    // a piece cannot be moved into itself
    let before = tree(&panels);
    let (from, to) = (row(&panels, "cone").center(), row(&panels, "gullies").center());
    drag(&mut panels, from, to);
    assert!(panels.query_by_label_contains("cannot contain itself").is_some());
    drop_at(&mut panels, to);
    assert_eq!(tree(&panels), before);
    // dropping it on an empty material layer creates that layer
    let (from, to) = (row(&panels, "gullies").center(), row(&panels, "Snow").center());
    drag(&mut panels, from, to);
    drop_at(&mut panels, to);
    assert_eq!(tree(&panels).snow.as_ref().unwrap().children()[0].name, "gullies");
}

#[test]
fn pieces_are_hidden_locked_and_renamed() {
    let mut panels = volcano();
    click(&mut panels, "Hide island");
    click(&mut panels, "Lock island");
    let island = PiecePath::material(MaterialLayer::Terrain).child(0).child(0);
    let piece = island.piece(&tree(&panels)).unwrap().clone();
    assert!(piece.hidden && piece.locked);
    choose(&mut panels, "island");
    assert!(panels.query_by_label_contains("Locked").is_some());
    press(&mut panels, Modifiers::NONE, Key::F2);
    panels.event(egui::Event::Text("atoll".into()));
    panels.run();
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert_eq!(island.piece(&tree(&panels)).unwrap().name, "atoll");
    assert_eq!(panels.state().names(), ["Construction"], "the layer keeps its name");
}

#[test]
fn keys_are_for_the_piece_until_escape() {
    let mut panels = volcano();
    let count = tree(&panels).count();
    choose(&mut panels, "side crater");
    press(&mut panels, Modifiers::COMMAND, Key::D);
    assert_eq!(tree(&panels).count(), count + 1);
    assert_eq!(selected(&panels).unwrap().name, "side crater 2");
    let before = pick_index::centre(&tree(&panels), panels.state().get::<TreeState>().selected().unwrap()).unwrap();
    press(&mut panels, Modifiers::COMMAND, Key::ArrowRight);
    let after = pick_index::centre(&tree(&panels), panels.state().get::<TreeState>().selected().unwrap()).unwrap();
    // the warp around the piece distorts its path a little
    assert!((after[0] - before[0] - 20.0).abs() < 12.0 && (after[1] - before[1]).abs() < 12.0, "{before:?} {after:?}");
    press(&mut panels, Modifiers::NONE, Key::Delete);
    assert_eq!((tree(&panels).count(), panels.state().names().len()), (count, 1));
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(panels.state().get::<TreeState>().selected(), None);
    press(&mut panels, Modifiers::NONE, Key::Delete);
    assert!(panels.state().names().is_empty(), "the key now applies to the layer");
    assert_eq!(panels.state().editor().doc.selection(), Selection::Scene);
}

#[test]
fn a_copy_is_linked_to_its_original() {
    let mut panels = volcano();
    choose(&mut panels, "side crater");
    press(&mut panels, Modifiers::ALT, Key::D);
    let now = tree(&panels);
    assert_eq!(now.definitions.len(), 1);
    assert!(matches!(selected(&panels).unwrap().kind, PieceKind::Instance(_)));
    click(&mut panels, "Edit original");
    assert!(matches!(selected(&panels).unwrap().kind, PieceKind::Contour(_)));
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert!(tree(&panels).definitions.is_empty(), "one step");
}

#[test]
fn a_long_list_scrolls_to_the_placed_piece() {
    let mut panels = volcano();
    (0..12).for_each(|_| click(&mut panels, "Place mesa"));
    // rows outside the visible part do not exist
    assert!(panels.query_by_label("Hide Relief").is_none() && panels.query_by_label("Hide mesa 12").is_some());
}

#[test]
fn library_pieces_go_to_the_middle_or_to_the_drop_point() {
    let mut panels = volcano();
    let count = tree(&panels).count();
    click(&mut panels, "Place lake");
    assert_eq!(selected(&panels).unwrap().name, "lake");
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Place lake"));
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!(tree(&panels).count(), count);
    let (from, to) = (panels.get_by_label("Place river").rect().center(), on_screen(&panels, [5200.0, 2600.0]));
    drag(&mut panels, from, to);
    assert!(panels.query_by_label_contains("Release to place river here").is_some());
    assert!(panels.state().drawn.as_ref().unwrap().covered, "the camera does not move");
    drop_at(&mut panels, to);
    let river = selected(&panels).unwrap();
    assert_eq!(points::line(&river).unwrap().len(), 5);
    let transform = talweg::construction::edit::transform_path::TransformPath::for_piece(
        &tree(&panels),
        panels.state().get::<TreeState>().selected().unwrap(),
        panels.state().editor().doc.tree_seed(0),
    );
    let [x, y] = transform.outward(points::handles(&river)[2]);
    assert!((x - 5200.0).abs() < 150.0 && (y - 2600.0).abs() < 150.0, "{x} {y}");
    // outside the terrain, nothing is placed
    let free = panels.state().drawn.as_ref().unwrap().free_rect;
    let from = panels.get_by_label("Place mesa").rect().center();
    let count = tree(&panels).count();
    drag(&mut panels, from, free.right_bottom() - vec2(3.0, 3.0));
    drop_at(&mut panels, free.right_bottom() - vec2(3.0, 3.0));
    assert_eq!(tree(&panels).count(), count);
    press(&mut panels, Modifiers::NONE, Key::P);
    assert!(panels.query_by_label("Place mesa").is_none(), "the library is closed");
}

#[test]
fn a_click_selects_and_the_next_click_goes_below() {
    let mut panels = volcano();
    let at = on_screen(&panels, [4000.0, 6400.0]);
    click_at(&mut panels, at);
    let first = panels.state().get::<TreeState>().selected().cloned().unwrap();
    click_at(&mut panels, at);
    let second = panels.state().get::<TreeState>().selected().cloned().unwrap();
    assert_ne!(first, second);
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(panels.state().get::<TreeState>().selected(), None);
    panels.state_mut().effects.clear();
    for _ in 0..2 {
        panels.drag_at(at);
        panels.drop_at(at);
    }
    panels.run();
    assert!(panels.state().effects.iter().any(|effect| matches!(effect, Effect::View(ViewCommand::Look { .. }))));
}

/// A crater alone on a plain, so that no operator distorts movements.
pub(crate) fn crater() -> Panels {
    let mut panels = large(&["Construction"]);
    let text = r#"(terrain: (form: Replace(of: [
        (name: "plain", form: Disc(radius: 9000.0, core: 0.9, surface: Level)),
        (name: "crater", form: Contour(settings: (landform: Crater, x: 5000.0, y: 5000.0, radius: 600.0, depth: 150.0))),
        (name: "picture", form: Image(corners: ((1500.0, 4500.0), (3500.0, 4500.0), (3500.0, 6500.0), (1500.0, 6500.0)))),
        (name: "road", form: Curve(points: [(at: (2000.0, 3000.0), height: 900.0), (at: (6000.0, 3000.0), height: 950.0)],
            settings: (cross: Road))),
    ])))"#;
    panels.state_mut().editor_mut().doc.edit_tree(0, "Open", None, Tree::from_ron(text).unwrap());
    panels.run();
    look(&mut panels);
    panels
}

pub(crate) fn centre(panels: &Panels) -> [f64; 2] {
    pick_index::centre(&tree(panels), panels.state().get::<TreeState>().selected().unwrap()).unwrap()
}

#[test]
fn a_handle_moves_the_piece_over_the_ground_in_one_step() {
    let mut panels = crater();
    choose(&mut panels, "crater");
    panels.state_mut().requests.clear();
    let (from, to) = (on_screen(&panels, [5000.0, 5000.0]), on_screen(&panels, [5600.0, 4400.0]));
    panels.hover_at(from);
    panels.run();
    assert!(panels.query_by_label_contains("Drag to move crater").is_some());
    assert!(panels.state().drawn.as_ref().unwrap().covered, "the camera does not move");
    drag(&mut panels, from, to);
    assert!(panels.query_by_label_contains("release to confirm").is_some());
    assert!(panels.state().requests.iter().all(|request| request.quality == RequestQuality::Preview));
    let [x, y] = centre(&panels);
    assert!((x - 5600.0).abs() < 90.0 && (y - 4400.0).abs() < 90.0, "{x} {y}");
    drop_at(&mut panels, to);
    assert_eq!(panels.state().requests.last().unwrap().quality, RequestQuality::PreviewThenFull);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Move feature"));
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!(centre(&panels), [5000.0, 5000.0]);
    // Escape cancels a running drag
    drag(&mut panels, from, to);
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(centre(&panels), [5000.0, 5000.0]);
    drop_at(&mut panels, to);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Open"));
    // a locked piece has no handles
    click(&mut panels, "Lock crater");
    drag(&mut panels, from, to);
    drop_at(&mut panels, to);
    assert_eq!(centre(&panels), [5000.0, 5000.0]);
}

#[test]
fn rings_turn_and_scale() {
    let mut panels = crater();
    choose(&mut panels, "crater");
    let middle = on_screen(&panels, [5000.0, 5000.0]);
    let radius = |panels: &Panels| match selected(panels).unwrap().kind {
        PieceKind::Contour(contour) => contour.settings.radius,
        _ => 0.0,
    };
    // looking north, a drag to the right makes it wider
    let knob = middle + vec2(62.0, 0.0);
    drag(&mut panels, knob, knob + vec2(62.0, 0.0));
    drop_at(&mut panels, knob + vec2(62.0, 0.0));
    assert!((radius(&panels) - 1200.0).abs() < 90.0, "{}", radius(&panels));
    assert_eq!(centre(&panels), [5000.0, 5000.0]);
    choose(&mut panels, "picture");
    let corner = points::handles(&selected(&panels).unwrap())[0];
    // the handle lies on the terrain, 62 screen points away from the centre
    let stage = panels.state().get::<PieceView>().terrain_view.clone().unwrap();
    let share = 62.0 * stage.side_fraction_per_point([2500.0 / 8000.0, 5500.0 / 8000.0]);
    let knob = on_screen(&panels, [2500.0 - 8000.0 * share, 5500.0]);
    // from west through north to east is half a turn
    panels.hover_at(knob);
    panels.drag_at(knob);
    for k in 1..=12 {
        let angle = f64::from(k) / 12.0 * std::f64::consts::PI;
        let at = [2500.0 - 500.0 * libm::cos(angle), 5500.0 - 500.0 * libm::sin(angle)];
        let at = on_screen(&panels, at);
        panels.hover_at(at);
        panels.run();
    }
    let end = on_screen(&panels, [3000.0, 5500.0]);
    drop_at(&mut panels, end);
    let [x, y] = points::handles(&selected(&panels).unwrap())[0];
    let opposite = [5000.0 - corner[0], 11000.0 - corner[1]];
    assert!((x - opposite[0]).abs() < 60.0 && (y - opposite[1]).abs() < 60.0, "{x} {y} for {opposite:?}");
}

#[test]
fn points_are_added_moved_and_deleted_in_the_view() {
    let mut panels = crater();
    choose(&mut panels, "road");
    let at = on_screen(&panels, [5400.0, 3000.0]);
    // a Ctrl-click on the line
    panels.hover_at(at);
    panels.run();
    let ctrl = |pressed| egui::Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::COMMAND,
    };
    panels.event_modifiers(ctrl(true), Modifiers::COMMAND);
    panels.run();
    panels.event_modifiers(ctrl(false), Modifiers::COMMAND);
    panels.run();
    assert_eq!(points::handles(&selected(&panels).unwrap()).len(), 3);
    assert_eq!(panels.state().get::<TreeState>().point, Some(1));
    assert!(panels.query_by_label_contains("Point 2 of 3").is_some());
    let to = on_screen(&panels, [5400.0, 2200.0]);
    drag(&mut panels, at, to);
    drop_at(&mut panels, to);
    let [x, y] = points::handles(&selected(&panels).unwrap())[1];
    assert!((x - 5400.0).abs() < 60.0 && (y - 2200.0).abs() < 60.0, "{x} {y}");
    let rail = panels.query_all_by_role_and_label(Role::Slider, "Width").map(|node| node.rect()).next_back().unwrap();
    if panels.ctx.viewport_rect().contains_rect(rail) {
        drag(&mut panels, rail.center(), rail.right_center());
        drop_at(&mut panels, rail.right_center());
    }
    press(&mut panels, Modifiers::NONE, Key::Delete);
    assert_eq!(points::handles(&selected(&panels).unwrap()).len(), 2, "the point is deleted, not the road");
    // snapped to the plain, which is 200 m high
    press(&mut panels, Modifiers::NONE, Key::N);
    let road = selected(&panels).unwrap();
    assert!(points::line(&road).unwrap().iter().all(|point| (point.height - 200.0).abs() < 1.0), "{road:?}");
    // from now on, it follows the terrain
    press(&mut panels, Modifiers::SHIFT, Key::N);
    assert!(panels.state().get::<TreeState>().follows);
}

#[test]
fn corners_of_a_picture_stay_convex() {
    let mut panels = crater();
    choose(&mut panels, "picture");
    let (from, to) = (on_screen(&panels, [1500.0, 4500.0]), on_screen(&panels, [3400.0, 6400.0]));
    drag(&mut panels, from, to);
    assert!(panels.query_by_label_contains("must stay convex").is_some());
    drop_at(&mut panels, to);
    let PieceKind::Image(image) = selected(&panels).unwrap().kind else { panic!("an image") };
    assert!(image.is_convex());
}

#[test]
fn a_profile_is_edited_point_by_point() {
    let mut panels = crater();
    choose(&mut panels, "crater");
    let plot = panels.get_by_label("Radial profile");
    plot.scroll_to_me();
    panels.run();
    let plot = panels.get_by_label("Radial profile").rect();
    click_at(&mut panels, plot.lerp_inside(vec2(0.9, 0.2)));
    let PieceKind::Contour(contour) = selected(&panels).unwrap().kind else { panic!("it is a contour") };
    assert_eq!(contour.profiles.len(), 1);
    assert_eq!(contour.profiles[0].profile.0.len(), contour.settings.landform.profile().0.len() + 1);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Change profile"));
}

#[test]
fn a_river_runs_downhill_at_the_press_of_a_key() {
    let mut panels = crater();
    let text = r#"(terrain: (name: "river", form: Curve(points: [(at: (1000.0, 4000.0), height: 300.0),
        (at: (3000.0, 4000.0), height: 350.0), (at: (6000.0, 4000.0), height: 100.0)])))"#;
    panels.state_mut().editor_mut().doc.edit_tree(0, "Open", None, Tree::from_ron(text).unwrap());
    panels.run();
    choose(&mut panels, "Relief");
    press(&mut panels, Modifiers::NONE, Key::D);
    let river = selected(&panels).unwrap();
    let heights: Vec<f32> = points::line(&river).unwrap().iter().map(|p| p.height).collect();
    assert!(heights.windows(2).all(|pair| pair[1] < pair[0]), "{heights:?}");
}

#[test]
fn nothing_is_cut_in_the_smallest_window() {
    let mut panels = panels(vec2(1024.0, 640.0), &["Construction"]);
    let width = panels.state().drawn.as_ref().unwrap().free_rect.left();
    for name in ["Relief", "volcano on its island", "Hide island", "Lock island", "Group as", "Delete feature or point"]
    {
        let rect = panels.get_by_label(name).rect();
        assert!(rect.left() >= 0.0 && rect.right() <= width, "{name}: {rect:?}");
    }
    choose(&mut panels, "island");
    let free = panels.state().drawn.as_ref().unwrap().free_rect;
    let moon = panels.get_by_label("Place moon").rect();
    assert!(free.contains_rect(moon), "{moon:?} in {free:?}");
    let landform = panels.get_by_role_and_label(Role::ComboBox, "Landform").rect();
    assert!(landform.right() <= width, "{landform:?}");
}

/// Only the surroundings of the piece are computed again, and the terrain equals that of a full evaluation. The
/// benchmark of constructions measures the times.
#[test]
fn moving_a_small_piece_recomputes_a_small_part() {
    use talweg::construction::edit::reshape::Similarity;
    use talweg::nodes::Node;
    use talweg::nodes::generators::construction::Construction;
    use talweg::scene::{Layer, Scene};

    let mut pieces = String::new();
    for k in 0..80 {
        let (x, y) = (500 + 780 * (k % 10), 500 + 950 * (k / 10));
        pieces +=
            &format!("(form: Contour(settings: (landform: Crater, x: {x}.0, y: {y}.0, radius: 150.0, depth: 60.0))),");
    }
    let text = format!(
        "(terrain: (form: Replace(of: [(form: Disc(radius: 9000.0, core: 0.9, amplitude: 120.0)), {pieces}])))"
    );
    let mut tree = Tree::from_ron(&text).unwrap();
    let scene_of = |tree: &Tree| {
        let mut scene = Scene::default();
        scene.settings.resolution = 1024;
        let node = Construction { tree: Arc::new(tree.clone()), ..Construction::default() };
        scene.layers.push(Layer::new(Node::Construction(node), 1));
        scene
    };
    let (control, choice) = (Control::default(), OverlayChoice::default());
    let mut store = Store::default();
    let scene = scene_of(&tree);
    let first = evaluate(&scene, 1024, None, &mut store, &control).unwrap();
    let mut shown = SquareTerrain::new(&first.terrain, &scene.settings, &choice, &control).unwrap();
    store.transient = true;
    let path = PiecePath::material(MaterialLayer::Terrain).child(44);
    for _ in 0..3 {
        let piece = path.piece_mut(&mut tree).unwrap();
        *piece = Similarity::shift([12.0, 7.0]).applied(piece);
        let scene = scene_of(&tree);
        let next = evaluate(&scene, 1024, None, &mut store, &control).unwrap();
        let patch = next.patch.expect("it is a part");
        let part = patch.region.rows.len() * patch.region.columns.len();
        assert!(part < 1024 * 1024 / 50, "{part} samples");
        shown = shown.renewed(&next.terrain, &scene.settings, &patch.region, &control).unwrap().expect("it is small");
    }
    let whole = evaluate(&scene_of(&tree), 1024, None, &mut Store::forgetful(), &control).unwrap();
    assert_eq!(shown.terrain.hash(), whole.terrain.hash());
}

fn typed(panels: &mut Panels, text: &str) {
    panels.event(egui::Event::Text(text.into()));
    panels.run();
}

#[test]
fn g_moves_r_turns_and_s_scales_until_a_click_or_enter() {
    let mut panels = crater();
    choose(&mut panels, "crater");
    let (from, to) = (on_screen(&panels, [5000.0, 5000.0]), on_screen(&panels, [5600.0, 4400.0]));
    panels.hover_at(from);
    panels.run();
    press(&mut panels, Modifiers::NONE, Key::G);
    panels.hover_at(to);
    panels.run();
    assert!(panels.query_by_label_contains("click or Enter to confirm").is_some(), "the status line says how to end");
    assert!(panels.state().drawn.as_ref().unwrap().covered, "the camera does not move");
    let [x, y] = centre(&panels);
    assert!((x - 5600.0).abs() < 90.0 && (y - 4400.0).abs() < 90.0, "{x} {y}");
    // lock an axis, and unlock it again
    press(&mut panels, Modifiers::NONE, Key::X);
    let [x, y] = centre(&panels);
    assert!((x - 5600.0).abs() < 90.0 && y == 5000.0, "{x} {y}");
    press(&mut panels, Modifiers::NONE, Key::Y);
    assert_eq!(centre(&panels)[0], 5000.0);
    // typed numbers are metres
    typed(&mut panels, "25");
    typed(&mut panels, "0");
    assert_eq!(centre(&panels), [5000.0, 5250.0]);
    typed(&mut panels, "-");
    press(&mut panels, Modifiers::NONE, Key::Backspace);
    assert_eq!(centre(&panels), [5000.0, 4975.0]);
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Move feature"));
    assert!(!panels.state().drawn.as_ref().unwrap().covered, "the drag has ended");
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!(centre(&panels), [5000.0, 5000.0]);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Open"), "one step");
    // Escape cancels, and the piece stays selected
    press(&mut panels, Modifiers::NONE, Key::G);
    panels.hover_at(to);
    panels.run();
    press(&mut panels, Modifiers::NONE, Key::Escape);
    assert_eq!(centre(&panels), [5000.0, 5000.0]);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Open"));
    // a click confirms and does not select another piece
    press(&mut panels, Modifiers::NONE, Key::S);
    typed(&mut panels, "1,5");
    click_at(&mut panels, to);
    let PieceKind::Contour(contour) = selected(&panels).unwrap().kind else { panic!("it is a contour") };
    assert_eq!(contour.settings.radius, 900.0);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Scale feature"));
    choose(&mut panels, "road");
    press(&mut panels, Modifiers::NONE, Key::R);
    typed(&mut panels, "90");
    press(&mut panels, Modifiers::NONE, Key::Enter);
    let ends = points::handles(&selected(&panels).unwrap());
    assert!((ends[0][0] - ends[1][0]).abs() < 1.0 && (ends[1][1] - ends[0][1] - 4000.0).abs() < 2.0, "{ends:?}");
    // Z changes the height
    press(&mut panels, Modifiers::NONE, Key::G);
    press(&mut panels, Modifiers::NONE, Key::Z);
    typed(&mut panels, "-100");
    press(&mut panels, Modifiers::NONE, Key::Enter);
    let PieceKind::Curve(curve) = selected(&panels).unwrap().kind else { panic!("it is a curve") };
    assert_eq!(curve.points[0].height, 800.0);
    // without movement, the tree stays the same in every frame
    press(&mut panels, Modifiers::NONE, Key::G);
    let held = tree(&panels);
    panels.run();
    assert!(Arc::ptr_eq(&held, &tree(&panels)));
    press(&mut panels, Modifiers::NONE, Key::Escape);
    // without a selected piece, the keys have their usual meaning
    press(&mut panels, Modifiers::NONE, Key::Escape);
    panels.state_mut().effects.clear();
    press(&mut panels, Modifiers::NONE, Key::Num0);
    assert!(!panels.state().effects.is_empty(), "the key resets the view again");
}

#[test]
fn a_lake_brings_and_moves_its_water() {
    let mut panels = crater();
    click(&mut panels, "Place lake");
    let now = tree(&panels);
    assert_eq!(now.water.as_ref().unwrap().children()[0].name, "lake");
    assert!(panels.query_by_label_contains("Linked with").is_some());
    let before = centre(&panels);
    press(&mut panels, Modifiers::NONE, Key::G);
    typed(&mut panels, "700");
    press(&mut panels, Modifiers::NONE, Key::Enter);
    let water = PiecePath::material(MaterialLayer::Water).child(0);
    let moved = pick_index::centre(&tree(&panels), &water).unwrap();
    assert_eq!((centre(&panels), moved), ([before[0] + 700.0, before[1]], [before[0] + 700.0, before[1]]));
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert_eq!(pick_index::centre(&tree(&panels), &water).unwrap(), before, "one step undoes both");
    // unlinked water does not move
    press(&mut panels, Modifiers::SHIFT, Key::L);
    press(&mut panels, Modifiers::COMMAND, Key::ArrowRight);
    assert_eq!(pick_index::centre(&tree(&panels), &water).unwrap(), before);
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    press(&mut panels, Modifiers::NONE, Key::Delete);
    assert!(tree(&panels).water.is_none(), "deleting a lake deletes its water");
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    press(&mut panels, Modifiers::COMMAND, Key::Z);
    assert!(tree(&panels).water.is_none(), "placed in one step");
}
