use std::sync::Arc;
use std::time::Duration;

use crate::frame::document::*;
use talweg::eval::{Output, Playhead, WorkerReport};
use talweg::field::{Edges, Grid, Terrain};
use talweg::io::FileError;
use talweg::nodes::Node;
use talweg::param::Value;

fn document(nodes: &[&str]) -> Document {
    let mut document = Document::default();
    for name in nodes {
        document.add_layer(Node::named(name).unwrap());
    }
    document.end_frame(false, None);
    document
}

fn names(document: &Document) -> Vec<&str> {
    document.scene().layers.iter().map(|l| l.node.about().name).collect()
}

fn output(playhead: Option<Playhead>) -> Output<()> {
    let terrain = Arc::new(Terrain::flat(Grid::new(3, Edges::Open)));
    Output {
        terrain,
        prepared: (),
        playhead,
        mass_balance: None,
        problems: Vec::new(),
        insight: Arc::default(),
        elapsed: Duration::ZERO,
    }
}

#[test]
fn a_drag_is_one_undo_step_and_full_size_on_release() {
    let mut document = document(&["Perlin"]);
    assert_eq!(document.take_request().unwrap().quality, RequestQuality::PreviewThenFull);
    let gesture = Some(Gesture(7));
    for frequency in [5.0, 6.0, 7.0] {
        document.set(Group::Node(0), 0, &Value::Float(frequency), gesture);
        document.end_frame(true, None);
        assert_eq!(document.take_request().unwrap().quality, RequestQuality::Preview);
        assert!(document.take_request().is_none());
    }
    document.end_frame(false, None);
    assert_eq!(document.take_request().unwrap().quality, RequestQuality::PreviewThenFull);
    assert!(document.take_request().is_none());
    assert_eq!(document.undo_label(), Some("Change frequency"));
    document.undo();
    assert_eq!(document.undo_label(), Some("Add Perlin noise"));
    document.redo();
    assert_eq!(Group::Node(0).params(document.scene()).unwrap().get(0), Value::Float(7.0));
}

#[test]
fn names_and_palette_need_no_evaluation() {
    let mut document = document(&["Perlin"]);
    let revision = document.revision();
    document.rename_layer(0, "Hills");
    document.edit("Change palette", None, |scene| scene.palette = "other".into());
    assert_eq!(document.revision(), revision);
    document.edit("Move the sun", None, |scene| scene.settings.sun_azimuth = 10.0);
    assert_eq!(document.revision(), revision + 1, "light and shadows are prepared with the terrain");
    document.toggle_layer(0);
    assert_eq!(document.revision(), revision + 2);
}

#[test]
fn selection_solo_and_playhead_follow_their_layers() {
    let mut document = document(&["Perlin", "Terrace", "Thermal"]);
    document.seek(20);
    document.toggle_solo(1);
    document.move_layers(2, StackPosition { index: 0, depth: 0 });
    assert_eq!(names(&document), ["Thermal", "Perlin", "Terrace"]);
    assert_eq!((document.selected_layer(), document.solo()), (Some(0), Some(2)));
    assert_eq!(document.transport().playhead(), Some(Playhead { layer: 0, iteration: 20 }));
    document.delete_layers(&[1]);
    assert_eq!((document.selected_layer(), document.solo()), (Some(0), Some(1)));
    document.delete_layers(&[0]);
    assert_eq!((document.selected_layer(), document.transport().playhead()), (Some(0), None));
    document.undo();
    assert_eq!((document.selected_layer(), document.solo()), (Some(0), None), "undo selects the restored layer");
}

#[test]
fn undo_of_a_duplicate_selects_the_original() {
    let mut document = document(&["Perlin", "Terrace", "Thermal"]);
    for layer in [1, 2] {
        document.select(Selection::Layer(layer));
        document.duplicate_layers(&[layer]);
        assert_eq!(document.selected_layer(), Some(layer + 1));
        document.undo();
        assert_eq!(document.selected_layer(), Some(layer));
    }
}

#[test]
fn solo_shows_a_generator_alone_and_a_filter_with_what_is_below() {
    let mut document = document(&["Perlin", "Ridged", "Terrace", "Thermal"]);
    document.toggle_layer(1);
    document.toggle_solo(1);
    let scene = document.take_request().unwrap().scene;
    assert_eq!(
        scene.layers.iter().map(|l| l.enabled).collect::<Vec<_>>(),
        [false, true, false, false],
        "layers keep their numbers"
    );
    assert_eq!(scene.layers[1].mix, talweg::scene::Mix::default());
    document.toggle_solo(2);
    let scene = document.take_request().unwrap().scene;
    assert_eq!(scene.layers.iter().map(|l| l.enabled).collect::<Vec<_>>(), [true, false, true, false]);
    document.toggle_solo(2);
    let scene = document.take_request().unwrap().scene;
    assert_eq!(scene.layers.iter().map(|l| l.enabled).collect::<Vec<_>>(), [true, false, true, true]);
}

#[test]
fn transport_plays_pauses_steps_and_ends() {
    let mut document = document(&["Perlin", "Thermal"]);
    let (_, total) = document.process().unwrap();
    assert_eq!(document.iteration(), total);
    document.play_or_pause();
    let request = document.take_request().unwrap();
    assert_eq!(request.playhead, Some(Playhead { layer: 1, iteration: 0 }));
    assert_eq!((request.play.unwrap().speed, request.quality), (Some(30.0), RequestQuality::Full));
    let revision = document.revision();
    let frame = |iteration| WorkerReport::Frame { revision, output: output(Some(Playhead { layer: 1, iteration })) };
    assert!(document.accept(&frame(8)));
    assert_eq!(document.iteration(), 8);
    document.set_speed(1.0, true);
    assert_eq!(document.take_request().unwrap().play.unwrap().speed, None);
    assert!(!document.accept(&frame(9)), "stale");
    document.play_or_pause();
    let request = document.take_request().unwrap();
    assert_eq!((request.play, request.playhead.unwrap().iteration), (None, 8));
    document.step(1);
    assert_eq!(document.iteration(), 9);
    document.seek(0);
    document.step(-1);
    assert_eq!(document.iteration(), 0);
    document.play_or_pause();
    let revision = document.revision();
    assert!(document.accept(&WorkerReport::Done { revision, output: output(None) }));
    assert!(!document.transport().is_playing());
    assert_eq!(document.iteration(), total);
}

#[test]
fn the_transport_follows_the_playing_layer_not_the_selection() {
    let mut document = document(&["Thermal", "Thermal"]);
    document.play_or_pause();
    document.select(Selection::Layer(0));
    assert_eq!((document.process().unwrap().0, document.iteration()), (1, 0));
    document.play_or_pause();
    assert_eq!(document.process().unwrap().0, 0);
}

#[test]
fn a_selected_generator_plays_step_by_step() {
    let mut document = document(&["DiamondSquare", "Terrace", "Thermal"]);
    document.select(Selection::Layer(0));
    let (layer, total) = document.played().unwrap();
    assert_eq!((layer, total % 2, document.iteration()), (0, 0, total));
    assert_eq!((document.process(), document.shown_step()), (None, None), "no charts and no branches");
    document.play_or_pause();
    let request = document.take_request().unwrap();
    assert_eq!(request.playhead, Some(Playhead { layer: 0, iteration: 0 }));
    assert_eq!(request.play.unwrap().speed, Some(2.0));
    document.set_speed(5.0, true);
    assert_eq!(document.take_request().unwrap().play.unwrap().speed, Some(5.0), "a generator has a speed of its own");
    assert_eq!((document.transport().speed, document.transport().unlimited), (30.0, false));
    document.play_or_pause();
    document.step(1);
    document.branch_from_here();
    assert_eq!(names(&document).len(), 3, "a generator has no branches");
    let step = Playhead { layer: 0, iteration: 1 };
    assert_eq!((document.shown_step(), document.played_step()), (Some(step), Some(step)));
    let amplitude = document.scene().layers[0].node.about().find("amplitude").unwrap();
    document.set(Group::Node(0), amplitude, &Value::Float(0.1), None);
    assert_eq!((document.offer(), document.shown_step()), (None, Some(step)));
    document.toggle_solo(0);
    assert_eq!(document.take_request().unwrap().playhead, Some(step), "also on solo");
    document.toggle_solo(0);
    document.toggle_layer(0);
    assert_eq!(document.played(), None);
}

#[test]
fn a_stopped_process_stays_on_the_timeline() {
    let mut document = document(&["Perlin", "Thermal"]);
    document.seek(20);
    document.select(Selection::Layer(0));
    assert_eq!((document.played().unwrap().0, document.iteration()), (1, 20));
    document.seek(u32::MAX);
    assert_eq!((document.played().unwrap().0, document.process()), (0, None));
    document.seek(3);
    document.select(Selection::Layer(1));
    assert_eq!(document.played().unwrap().0, 1);
    document.select(Selection::Scene);
    assert_eq!((document.played().unwrap().0, document.iteration()), (0, 3));
}

#[test]
fn generators_with_many_steps_end_after_20_seconds() {
    let mut document = document(&["Fault"]);
    assert_eq!((document.played(), document.speed()), (Some((0, 400)), 20.0));
    document.set_speed(1.5, false);
    assert_eq!(document.speed(), 1.5);
}

#[test]
fn an_edit_pauses_playback_and_drops_stale_previews() {
    let mut document = document(&["Perlin", "Thermal"]);
    document.play_or_pause();
    document.set(Group::Node(0), 0, &Value::Float(9.0), None);
    assert!(!document.transport().is_playing());
    let revision = document.revision();
    assert!(document.accept(&WorkerReport::Preview { revision: revision - 1, output: output(None) }));
    assert!(document.accept(&WorkerReport::Done { revision, output: output(None) }));
    assert!(!document.accept(&WorkerReport::Preview { revision: revision - 1, output: output(None) }));
}

#[test]
fn a_document_is_unsaved_until_a_save_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let mut document = document(&["Perlin"]);
    assert!(document.is_dirty());
    assert!(document.title().contains('•'));
    let error = document.save(folder.path().join("no/such/folder/a.ron")).unwrap_err();
    assert!(error.to_string().contains("no/such/folder"), "{error}");
    assert!(document.is_dirty() && document.path().is_none());
    let path = folder.path().join("hills.ron");
    document.save(&path).unwrap();
    assert!(!document.is_dirty());
    assert_eq!(document.title(), "hills — Talweg");
    let revision = document.revision();
    document.undo();
    assert!(document.is_dirty());
    document.open(&path).unwrap();
    assert!(!document.is_dirty() && document.undo_label().is_none());
    assert!(document.revision() > revision);
    std::fs::write(&path, "(version: 1, layers: [").unwrap();
    assert!(document.open(&path).is_err());
    assert_eq!(names(&document), ["Perlin"], "an unreadable file changes nothing");
}

#[test]
fn a_new_layer_has_its_natural_preset_unless_given_values() {
    let mut document = Document::default();
    let preset = |document: &Document| {
        let node = &document.scene().layers.last().expect("one was added").node;
        node.matching_preset().map(|preset| preset.label)
    };
    document.add_layer(Node::named("StreamPower").expect("in the catalogue"));
    assert_eq!(preset(&document), Some("Natural"));
    let mut strong = Node::named("StreamPower").expect("in the catalogue");
    let wanted = strong.about().preset("Strong").expect("it has one");
    strong.adopt(wanted);
    document.add_layer(strong);
    assert_eq!(preset(&document), Some("Strong"));
}

#[test]
fn an_unsynced_save_has_its_file_and_counts_as_unsaved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hills.ron");
    let mut document = Document::default();
    document.add_layer(Node::named("Perlin").expect("in the catalogue"));
    document.scene().save(&path).unwrap();
    let edits = document.edits();
    let source = std::io::Error::other("the disk does not answer");
    let unsynced = FileError::Unsynced { path: path.clone(), source };
    let error = document.note_save(&path, Err(unsynced.into())).unwrap_err();
    assert!(error.to_string().contains("is replaced by the new file"), "{error}");
    assert!(document.is_dirty() && document.path() == Some(&*path));
    assert!(document.edits() > edits, "the journal hears of the file");
    // saving again does not ask about a file that this document itself has written
    document.save(document.target(&path)).unwrap();
    assert!(!document.is_dirty());
    let refused = FileError::IsFolder { path: folder.path().into() };
    document.note_save(folder.path(), Err(refused.into())).unwrap_err();
    assert_eq!(document.path(), Some(&*path), "a failed save does not change the path");
}

#[test]
fn layers_are_pasted_between_scenes_as_text() {
    let mut from = document(&["Perlin", "Terrace"]);
    from.edit("Mask", None, |scene| {
        scene.layers[1].mask.by_height = true;
        scene.layers[1].seed = 77;
    });
    let text = from.layer_text(&[1]).unwrap();
    let mut to = document(&["Ridged", "Blur"]);
    to.select(Selection::Layer(0));
    assert!(to.paste_layers(&text).unwrap().is_empty());
    assert!(to.paste_layers(&text).unwrap().is_empty());
    let names: Vec<&str> = to.scene().layers.iter().map(|layer| layer.name.as_str()).collect();
    assert_eq!((names.len(), names[1], to.selected_layer()), (4, from.scene().layers[1].name.as_str(), Some(2)));
    assert_ne!(names[2], names[1], "no two layers of one name");
    let pasted = &to.scene().layers[2];
    assert_eq!(
        (&pasted.node, &pasted.mask, pasted.seed),
        (&from.scene().layers[1].node, &from.scene().layers[1].mask, 77)
    );
    to.undo();
    assert_eq!(to.scene().layers.len(), 3, "one step");
    let before = to.scene().clone();
    assert!(to.paste_layers("no scene").is_err());
    assert_eq!(*to.scene(), before);
}

#[test]
fn requests_share_the_scene_and_undo_can_make_it_clean() {
    let mut document = document(&["Perlin", "Terrace"]);
    let request = document.take_request().unwrap();
    assert!(std::ptr::eq(&*request.scene, document.scene()), "a request without solo copies nothing");
    document.replace(Scene::clone(document.scene()), None);
    document.toggle_locks(&[0]);
    assert!(document.is_dirty());
    assert!(!request.scene.layers[0].locked, "an edit leaves the scene of the request alone");
    document.undo();
    assert!(!document.is_dirty(), "the scene is the saved one again");
    document.toggle_solo(0);
    let solo = document.take_request().unwrap();
    assert!(!solo.scene.layers[1].enabled && document.scene().layers[1].enabled);
}
