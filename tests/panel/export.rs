//! The export window: ticked products, presets stored in the scene, and repeated exports.

use crate::kit::*;
use egui_kittest::kittest::Queryable;
use talweg::scene::BuildPreset;
use talweg_app::features::export::ExportAction;
use talweg_app::features::export::task::ExportOrder;

/// Products and formats of a preset.
fn products(preset: &BuildPreset) -> Vec<(&str, &str)> {
    preset.products.iter().map(|product| (product.map.as_str(), product.format.as_str())).collect()
}

#[test]
fn ticked_products_are_exported_saved_and_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let mut panels = large(&["Perlin"]);
    panels.state_mut().editor_mut().doc.save(folder.path().join("scene.ron")).unwrap();
    panels.state_mut().issue(ExportAction::Open);
    panels.run();
    panels.get_by_label_contains("1 file, up to");
    click(&mut panels, "Mesh");
    click(&mut panels, "Slope");
    panels.get_by_label_contains("3 files, up to");
    panels.get_by_label_contains("Mesh error");
    click(&mut panels, "Heights");
    click(&mut panels, "Export");
    let app = panels.state_mut();
    let orders = app.take_messages::<ExportOrder>();
    let [ExportOrder::Build(choice)] = &orders[..] else { panic!("{orders:?}") };
    assert_eq!(products(&choice.preset), [("mesh", "glb"), ("slope", "png")]);
    assert_eq!(choice.folder, folder.path());
    let kept = &app.editor().doc.scene().builds;
    assert_eq!(kept.as_slice(), std::slice::from_ref(&choice.preset));
    assert!(!app.editor().doc.is_dirty(), "an export does not make a scene unsaved");
    app.issue(ExportAction::BuildLast);
    panels.run();
    assert_eq!(panels.state_mut().take_messages::<ExportOrder>(), orders);
    panels.state_mut().editor_mut().doc.undo();
    assert!(panels.state().editor().doc.scene().builds.is_empty());
}

#[test]
fn impossible_exports_are_explained_and_disabled() {
    let mut panels = large(&["Perlin"]);
    panels.state_mut().issue(ExportAction::Open);
    panels.run();
    click(&mut panels, "Heights");
    panels.get_by_label_contains("There is nothing to export");
    click(&mut panels, "Export");
    assert!(panels.state_mut().take_messages::<ExportOrder>().is_empty());
    panels.get_by_label("Export terrain");
    click(&mut panels, "Cancel");
    assert!(panels.query_by_label("Export terrain").is_none());
}
