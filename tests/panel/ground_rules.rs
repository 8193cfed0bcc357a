//! The panel of the ground rules, without a window system.

use crate::kit::*;
use bevy_egui::egui;
use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, Vec2, pos2, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use talweg::appearance::RgbImage;
use talweg::appearance_files::{EVERYWHERE, Material, MaterialRules, RuleList, ScatterRules, TextureMap};
use talweg::io::SaveTarget;
use talweg::scene::Scene;
use talweg_app::features::ground_rules::GroundRulesAction;
use talweg_app::features::ground_rules::panel::RuleTab;

/// The editor with the panel open and the alpine palette.
fn open(size: Vec2) -> Panels {
    let mut panels = panels(size, &["Perlin"]);
    panels.state_mut().issue(GroundRulesAction::Toggle);
    panels.run();
    panels
}

fn rules(panels: &Panels) -> MaterialRules {
    (*panels.state().editor().doc.scene().material_rules()).clone()
}

fn plants(panels: &Panels) -> ScatterRules {
    (*panels.state().editor().doc.scene().scatter_rules()).clone()
}

fn undo(panels: &mut Panels) {
    press(panels, Modifiers::COMMAND, Key::Z);
}

/// Clicks the row of the rule with this index.
fn choose_rule(panels: &mut Panels, index: usize) {
    panels.get_by_label_contains(&format!("Rule {}:", index + 1)).click();
    panels.run();
}

#[test]
fn rules_are_edited_in_one_undo_step_each() {
    let mut panels = open(vec2(1280.0, 720.0));
    let shipped = rules(&panels);
    let requests = panels.state().requests.len();
    let (last, count) = (shipped.0.len() - 1, shipped.0.len());
    choose_rule(&mut panels, last);
    click(&mut panels, "Add rule");
    assert_eq!(rules(&panels).0.len(), count + 1);
    assert_eq!(rules(&panels).0[count].material, Material::Gravel, "the new rule is on top");
    click(&mut panels, "Move rule down");
    assert_eq!(rules(&panels).0[count - 1].material, Material::Gravel);
    click(&mut panels, "Remove rule");
    assert_eq!(rules(&panels), shipped);
    assert!(panels.state().editor().doc.scene().materials.is_none(), "the palette's rules are not stored in the scene");
    choose_rule(&mut panels, last - 2);
    click(&mut panels, "Duplicate rule");
    assert_eq!(rules(&panels).0[last - 2], rules(&panels).0[last - 1]);
    click(&mut panels, &format!("{}  Reset to palette rules", egui_phosphor::regular::ARROW_COUNTER_CLOCKWISE));
    assert!(panels.state().editor().doc.scene().materials.is_none());
    undo(&mut panels);
    assert_eq!(rules(&panels).0.len(), count + 1);
    for _ in 0..4 {
        undo(&mut panels);
    }
    assert_eq!(rules(&panels), shipped);
    assert_eq!(panels.state().requests.len(), requests, "materials need no evaluation");
}

#[test]
fn a_band_is_dragged_or_typed_in_one_undo_step() {
    let mut panels = open(vec2(1280.0, 720.0));
    let at = rules(&panels).0.iter().position(|rule| rule.material == Material::Rock).unwrap();
    choose_rule(&mut panels, at);
    let slope = |panels: &Panels| rules(panels).0[at].bands[0];
    let before = slope(&panels);
    let rect = panels.get_by_label("Slope band").rect();
    let x = |degrees: f32| rect.left() + 5.0 + (rect.width() - 10.0) * degrees / 90.0;
    let (from, to) = (pos2(x(before[1]), rect.top() + 5.0), pos2(x(before[1] + 20.0), rect.top() + 5.0));
    drag(&mut panels, from, to);
    drop_at(&mut panels, to);
    let moved = slope(&panels);
    assert!((moved[1] - before[1] - 20.0).abs() < 1.5 && moved[0] == before[0], "{moved:?} from {before:?}");
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Drag band"));
    undo(&mut panels);
    assert_eq!(slope(&panels), before);
    assert!(panels.state().editor().doc.scene().materials.is_none(), "the whole drag was one step");
    click(&mut panels, "Slope");
    assert_eq!(slope(&panels), EVERYWHERE);
    click(&mut panels, "Slope");
    assert_eq!(slope(&panels)[..2], [25.0, 35.0]);
    let field = panels.get_by_label("Slope: full effect from");
    field.focus();
    panels.run();
    press(&mut panels, Modifiers::COMMAND, Key::A);
    panels.get_by_label("Slope: full effect from").type_text("60");
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert_eq!(slope(&panels)[..2], [25.0, 60.0]);
}

#[test]
fn plants_have_their_density_size_and_groves() {
    let mut panels = open(vec2(1280.0, 720.0));
    let shipped = plants(&panels);
    click(&mut panels, "Plants and stones");
    choose_rule(&mut panels, 0);
    let field = widget(&panels, Role::SpinButton, "Density");
    field.focus();
    panels.run();
    press(&mut panels, Modifiers::COMMAND, Key::A);
    widget(&panels, Role::SpinButton, "Density").type_text("77");
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert_eq!(plants(&panels).0[0].density, 77.0);
    let had = shipped.0[0].groves.is_some();
    click(&mut panels, "In groves");
    assert_eq!(plants(&panels).0[0].groves.is_some(), !had);
    click(&mut panels, "Remove rule");
    assert_eq!(plants(&panels).0.len(), shipped.0.len() - 1);
    for _ in 0..3 {
        undo(&mut panels);
    }
    assert_eq!(plants(&panels), shipped);
}

#[test]
fn a_rule_has_a_name_that_the_scene_keeps() {
    let mut panels = open(vec2(1280.0, 720.0));
    let last = rules(&panels).0.len() - 1;
    choose_rule(&mut panels, last);
    let described = rows(&panels);
    let typed = |panels: &mut Panels, text: &str| {
        panels.get_by_role_and_label(Role::TextInput, "Name").click();
        panels.run();
        press(panels, Modifiers::COMMAND, Key::A);
        panels.event(Event::Text(text.into()));
        panels.run();
        press(panels, Modifiers::NONE, Key::Enter);
    };
    typed(&mut panels, "  Snow on   the summits ");
    assert_eq!(rules(&panels).0[last].name, "Snow on the summits");
    assert_eq!(rows(&panels)[last], format!("Rule {}: Snow on the summits", last + 1));
    let text = panels.state().editor().doc.scene().to_ron().unwrap();
    let (read, warnings) = Scene::from_ron(&text).unwrap();
    assert!(warnings.is_empty() && read.material_rules().0[last].name == "Snow on the summits", "{warnings:?}");
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Rename rule"));
    typed(&mut panels, " ");
    assert_eq!(rows(&panels), described, "without a name, the list describes the rule again");
    assert!(panels.state().editor().doc.scene().materials.is_none());
}

/// The names in the list of rules, the first rule first.
fn rows(panels: &Panels) -> Vec<String> {
    let count = rules(panels).0.len();
    let name = |k: usize| {
        let start = format!("Rule {}: ", k + 1);
        panels.get_by_label_contains(&start).accesskit_node().label().unwrap_or_default()
    };
    (0..count).map(name).collect()
}

#[test]
fn viewing_a_rule_does_not_change_it() {
    let mut panels = open(vec2(1280.0, 720.0));
    let text = "[(material: Soil), (material: Ice, share: 0.4567, tint: 0.1234, slope: [12.3456, 33.789])]";
    let own = MaterialRules::from_ron("own", text).unwrap();
    let kept = own.clone();
    panels.state_mut().editor_mut().doc.edit("Own", None, |scene| scene.materials = Some(std::sync::Arc::new(own)));
    panels.run();
    choose_rule(&mut panels, 0);
    choose_rule(&mut panels, 1);
    click(&mut panels, "Plants and stones");
    assert_eq!(rules(&panels), kept);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Own"));
}

#[test]
fn rule_lists_are_saved_and_opened_unless_broken() {
    let mut panels = open(vec2(1280.0, 720.0));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.ron");
    let save = GroundRulesAction::SaveTo(RuleTab::Materials, SaveTarget::new(path.clone()));
    panels.state_mut().issue(save);
    panels.run();
    assert_eq!(MaterialRules::load(&path).unwrap(), rules(&panels));
    std::fs::write(&path, "[\n    (material: Soil),\n    (material: Ice, height: [0.5, 0.7]),\n]").unwrap();
    panels.state_mut().issue(GroundRulesAction::OpenFrom(RuleTab::Materials, path.clone()));
    panels.run();
    assert_eq!(rules(&panels).0.len(), 2);
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Open ground materials"));
    let bad = folder.path().join("bad.ron");
    std::fs::write(&bad, "[\n    (material: Moss),\n]").unwrap();
    panels.state_mut().issue(GroundRulesAction::OpenFrom(RuleTab::Materials, bad));
    panels.run();
    assert_eq!(rules(&panels).0.len(), 2, "nothing is lost");
    let said: Vec<String> = panels.state().editor().toasts.messages().map(|(_, text)| text.to_string()).collect();
    let told = |part: &str| said.iter().any(|text| text.contains(part));
    assert!(told("bad.ron") && told("line 2") && told("Moss"), "{said:?}");
}

#[test]
fn a_rule_shows_textures_from_image_files() {
    let mut panels = open(vec2(1280.0, 720.0));
    let folder = tempfile::tempdir().unwrap();
    let image = |name: &str| {
        let path = folder.path().join(name);
        RgbImage::from_fn(4, 4, |_, _| [200, 100, 50]).save(&path).unwrap();
        path
    };
    let albedo = image("moss_albedo.png");
    let normal = image("moss_normal.png");
    image("moss_preview.png");
    let last = rules(&panels).0.len() - 1;
    choose_rule(&mut panels, last);
    let before = rules(&panels);
    click(&mut panels, "Choose textures");
    assert!(panels.state().editor().dialogs.is_open(), "the button opens a file dialog");
    press(&mut panels, Modifiers::NONE, Key::Escape);
    panels.state_mut().issue(GroundRulesAction::TexturesFrom(last, normal.clone()));
    panels.run();
    let set = |panels: &Panels| rules(panels).0[last].textures.clone().expect("the rule has textures");
    let file = |map| set(&panels).file(map).map(std::path::PathBuf::from);
    assert_eq!((file(TextureMap::Albedo), file(TextureMap::Normal)), (Some(albedo), Some(normal)));
    assert_eq!(rules(&panels).0[last].tint, 1.0, "the images show their own colours");
    assert_eq!(panels.state().editor().doc.undo_label(), Some("Choose textures"));
    click(&mut panels, "DirectX normals");
    assert!(set(&panels).is_directx);
    panels.get_by_role_and_label(Role::SpinButton, "Texture size").click();
    panels.run();
    press(&mut panels, Modifiers::COMMAND, Key::A);
    panels.event(Event::Text("3.5".into()));
    panels.run();
    press(&mut panels, Modifiers::NONE, Key::Enter);
    assert_eq!(set(&panels).metres, 3.5);
    let scene = panels.state().editor().doc.scene().clone();
    assert_eq!(scene.files().len(), 2, "the textures are files of the scene");
    for _ in 0..3 {
        undo(&mut panels);
    }
    assert_eq!(rules(&panels), before);
    panels.state_mut().issue(GroundRulesAction::TexturesFrom(last, folder.path().join("moss_roughness.png")));
    panels.run();
    click(&mut panels, "Remove textures");
    assert!(rules(&panels).0[last].textures.is_none());
}

#[test]
fn the_rules_have_room_in_small_windows() {
    for size in [vec2(1280.0, 720.0), vec2(1024.0, 640.0)] {
        let mut panels = open(size);
        let top = rules(&panels).0.len() - 1;
        choose_rule(&mut panels, top);
        for label in ["Add rule", "Move rule down", "Save ground materials…", "Close the ground materials", "Slope"] {
            let rect = panels.get_by_label(label).rect();
            assert!(rect.left() > size.x - 480.0 && rect.right() < size.x, "{label}: {rect:?} in {size:?}");
        }
        let view = panels.state().drawn.as_ref().unwrap().free_rect;
        assert!(view.width() > 300.0, "{view:?}");
    }
}
