//! Whatever the user does in the editor, the resulting scene is saved and opened again unchanged.
//!
//! Random edits from fixed seeds. `TALWEG_CASES` sets the number of runs; a long campaign uses a large number.

use std::sync::Arc;

use talweg::construction::check::DEEPEST;
use talweg::construction::edit::{self, EditError, PiecePath, Wrap};
use talweg::construction::{MaterialLayer, OperatorGroup, Piece, PieceKind, Tree};
use talweg::nodes::Node;
use talweg::nodes::generators::construction::Construction;
use talweg::scene::{Layer, Scene, SceneError};

use crate::kits::random_edits::{Random, check, check_file, edited};

const CASES: u64 = 12;
const EDITS: usize = 60;

#[test]
fn edited_scenes_are_saved_and_opened_unchanged() {
    let cases = std::env::var("TALWEG_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES);
    let folder = tempfile::tempdir().unwrap();
    for case in 0..cases {
        let scene = edited(&mut Random::from_seed(case), EDITS, |step, scene| {
            if step % 6 == 5 {
                check(scene, &format!("case {case}, step {step}"));
            }
        });
        check_file(&scene, &folder.path().join("scene.ron"), &format!("case {case}"));
    }
}

/// A tree whose terrain is nested in `depth` operators.
fn nested(depth: usize) -> Tree {
    let mut piece = Piece::default();
    for _ in 0..depth {
        piece = Piece::new(PieceKind::Blend(OperatorGroup { children: vec![piece], ..OperatorGroup::default() }));
    }
    Tree { terrain: piece, ..Tree::default() }
}

fn scene_of(tree: Tree) -> Scene {
    let node = Construction { tree: Arc::new(tree), ..Construction::default() };
    Scene { layers: vec![Layer::new(Node::Construction(node), 1)], ..Scene::default() }
}

#[test]
fn allowed_nesting_is_saved_and_opened_on_any_thread() {
    for wrap in Wrap::ALL {
        let mut tree = Tree::default();
        let root = PiecePath::material(MaterialLayer::Terrain);
        let mut depth = 0;
        let refused = loop {
            match edit::group(&mut tree, &root, wrap) {
                Ok(_) => depth += 1,
                Err(refused) => break refused,
            }
        };
        assert_eq!(depth, DEEPEST);
        let said = refused.to_string();
        assert!(matches!(refused, EditError::InvalidTree(_)) && said.contains(&DEEPEST.to_string()), "{said}");
        assert!(said.len() < 160, "{said}");
        let scene = scene_of(tree);
        // The smallest stack of any thread that reads or writes scenes.
        let small = std::thread::Builder::new().stack_size(2 << 20);
        small.spawn(move || check(&scene, "nested")).unwrap().join().unwrap();
    }
}

#[test]
fn too_deep_nesting_is_refused_and_the_old_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.ron");
    let good = scene_of(nested(DEEPEST));
    good.save(&file).unwrap();
    for depth in [DEEPEST + 1, 60, 500] {
        let bad = scene_of(nested(depth));
        let error = bad.save(&file).unwrap_err();
        assert!(matches!(error, SceneError::Unwritable(_)) && error.to_string().contains("nested"), "{error}");
        assert!(bad.save_unchecked(&file).is_err());
        assert!(Scene::load(&file).unwrap().0 == good, "{depth}");
    }
    for depth in [DEEPEST + 1, 60, 500, 100_000] {
        let terrain = format!("{}(form:Blend()){}", "(form:Blend(of:[".repeat(depth), "]))".repeat(depth));
        let text = format!("(version: 1, layers: [(node: Construction(tree: (terrain: {terrain})))])");
        let read = std::thread::Builder::new().stack_size(2 << 20).spawn(move || Scene::from_ron(&text)).unwrap();
        let error = read.join().unwrap().unwrap_err().to_string();
        assert!(error.contains("nested"), "{error}");
    }
}

#[test]
fn a_scene_that_would_read_back_differently_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.ron");
    let mut scene = scene_of(Tree::default());
    scene.save(&file).unwrap();
    let before = std::fs::read_to_string(&file).unwrap();
    scene.palette = "no such palette".into();
    let error = scene.save(&file).unwrap_err();
    assert!(matches!(error, SceneError::Unequal(_)) && error.to_string().contains("no such palette"), "{error}");
    scene.palette = Scene::default().palette;
    scene.settings.relief_metres = f32::NAN;
    let error = scene.save(&file).unwrap_err();
    assert!(matches!(error, SceneError::Unequal(_)), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    // When the program is about to end, an inexact copy of the scene is better than none.
    scene.save_unchecked(&file).unwrap();
    assert!(!Scene::load(&file).unwrap().1.is_empty());
}
