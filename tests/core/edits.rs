//! Whatever people do in the editor, the scene that comes of it is saved and opened again as it was.
//!
//! Random edits, from fixed seeds. `TALWEG_CASES` says how many runs of them; a long campaign gives a large number.

use std::sync::Arc;

use talweg::construction::check::DEEPEST;
use talweg::construction::edit::library::{Item, place};
use talweg::construction::edit::reshape::{Reshape, raised};
use talweg::construction::edit::{self, EditError, PiecePath, Spot, Wrap, link_group, points};
use talweg::construction::{MaterialLayer, OperatorGroup, Piece, PieceKind, Program, Tree, presets};
use talweg::nodes::Node;
use talweg::nodes::generators::construction::Construction;
use talweg::param::{Params, Value};
use talweg::scene::{EditHistory, Layer, ParamEpoch, PatchOrigin, Scene, SceneError};

use crate::scenes::value_in_range;

const CASES: u64 = 12;
const EDITS: usize = 60;

/// SplitMix64 (Steele, Lea & Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }
    fn part(&mut self) -> f64 {
        self.next() as f64 / u64::MAX as f64
    }
    /// Mostly small, now and then absurd.
    fn length(&mut self) -> f64 {
        let wide = [1.0, 100.0, 1.0e4, 1.0e4, 1.0e8][self.below(5)];
        (2.0 * self.part() - 1.0) * wide
    }
    fn text(&mut self) -> String {
        let texts =
            ["", " ", "Ridge", "a \"quoted\" \\ name", "tab\tand\nline", "(of:[1,2])", "Grüße 山", "\u{7}", "// no"];
        texts[self.below(texts.len())].into()
    }
}

fn path_in(tree: &Tree, random: &mut Random) -> PiecePath {
    let mut roots = vec![PiecePath::material(MaterialLayer::Terrain)];
    roots.extend(MaterialLayer::ALL.into_iter().filter(|m| tree.root(*m).is_some()).map(PiecePath::material));
    roots.extend((0..tree.definitions.len()).map(PiecePath::definition));
    let mut path = roots.swap_remove(random.below(roots.len()));
    while let Some(piece) = path.piece(tree).filter(|piece| !piece.children().is_empty()) {
        // not always to the bottom
        if random.below(3) == 0 {
            break;
        }
        path = path.child(random.below(piece.children().len()));
    }
    path
}

/// One edit of a tree, as the commands of the editor make it.
fn edit_tree(tree: &mut Tree, random: &mut Random) {
    let path = path_in(tree, random);
    let other = path_in(tree, random);
    let seed = random.next() as u32;
    let at = [random.length(), random.length()];
    let piece = path.piece(tree).cloned();
    let change = |tree: &mut Tree, change: &mut dyn FnMut(&mut Piece)| {
        if let Some(piece) = path.piece_mut(tree) {
            change(piece);
        }
    };
    // what is refused is refused
    match random.below(22) {
        0 | 1 => {
            let (_, shelf) = Item::GROUPS[random.below(Item::GROUPS.len())];
            let item = shelf[random.below(shelf.len())];
            let program = Program::new(tree, seed);
            let _ = place(tree, item, at, Some(&path).filter(|_| seed.is_multiple_of(2)), &program, seed);
        }
        2..=4 => drop(edit::group(tree, &path, Wrap::ALL[random.below(Wrap::ALL.len())])),
        5 => drop(edit::dissolve(tree, &path)),
        6 => drop(link_group::duplicate(tree, &path, random.length(), seed)),
        7 => drop(link_group::instantiate(tree, &path, random.length())),
        8 => drop(edit::relocate(tree, &path, &Spot { parent: other, at: random.below(4) })),
        9 if random.below(4) == 0 => drop(link_group::remove_all(tree, &path)),
        9 => {}
        10 => edit::rename(tree, &path, &random.text()),
        11 => link_group::hide(tree, &path),
        12 => change(tree, &mut |piece| piece.locked ^= true),
        13 => link_group::tie(tree, &other, &path),
        14 => link_group::untie(tree, &path),
        15 => {
            let reshape = Reshape { about: at, turn: random.length(), scale: random.part() * 3.0, shift: at };
            change(tree, &mut |piece| *piece = reshape.applied(piece));
        }
        16 => {
            let by = random.length();
            change(tree, &mut |piece| *piece = raised(piece, by));
        }
        17 => change(tree, &mut |piece| drop(points::add_point(piece, at))),
        18 => change(tree, &mut |piece| drop(points::remove_point(piece, 0))),
        19 => change(tree, &mut |piece| drop(points::move_handle(piece, 1, at))),
        20 => change(tree, &mut |piece| {
            if let PieceKind::Contour(contour) = &mut piece.form
                && contour.points.is_empty()
            {
                points::give_points(contour);
            }
        }),
        _ => {
            let count = piece.map_or(0, |piece| piece.params().about().params.len());
            let (index, number) = (random.below(count), random.next());
            change(tree, &mut |piece| {
                if count > 0 {
                    let value = value_in_range(&piece.params().about().params[index], number);
                    let _ = piece.params_mut().set(index, &value);
                }
            });
        }
    }
}

fn set_any(group: &mut dyn Params, random: &mut Random) {
    let index = random.below(group.about().params.len());
    if let Some(spec) = group.about().params.get(index) {
        let value = value_in_range(spec, random.next());
        let _ = group.set(index, &value);
    }
}

/// One edit of a scene, as the commands of the editor make it.
fn edit_scene(scene: &mut Scene, random: &mut Random) {
    let count = scene.layers.len();
    let index = random.below(count);
    match random.below(16) {
        0 | 1 => {
            let mut nodes = Node::catalogue();
            let mut node = nodes.swap_remove(random.below(nodes.len()));
            let presets = &node.about().presets;
            if let Some(preset) = presets.get(random.below(presets.len() + 1)) {
                node.adopt(preset);
            }
            let layer = Layer::new(node, scene.unused_seed());
            scene.layers.insert(random.below(count + 1), layer);
        }
        2 => {
            let trees = presets::all();
            let node = Construction { tree: trees[random.below(trees.len())].1.clone(), ..Construction::default() };
            scene.layers.push(Layer::new(Node::Construction(node), scene.unused_seed()));
        }
        3 => scene.name = random.text(),
        4 => set_any(&mut scene.settings, random),
        5 => set_any(&mut scene.planet, random),
        6 => {
            let mut climate = scene.climate();
            set_any(&mut climate, random);
            scene.climate = Some(climate);
        }
        7 => {
            let angle = |random: &mut Random, most: f64| (2.0 * random.part() - 1.0) * most;
            let (longitude, latitude) = (angle(random, 180.0), angle(random, 90.0));
            scene.patch = Some(PatchOrigin { planet: random.text(), longitude, latitude });
        }
        8 => {
            let names = talweg::palette::all_palette_names();
            scene.palette.clone_from(&names[random.below(names.len())]);
            // as the editor has it, a table of its own has the name of the one that it was made from
            scene.biomes = None;
            scene.biomes = scene.biome_table().filter(|_| random.below(2) == 0);
        }
        _ if count == 0 => {}
        9 => drop(scene.layers.remove(index)),
        10 => scene.layers.swap(index, random.below(count)),
        11 => scene.layers[index].name = random.text(),
        12 => scene.layers[index].enabled ^= true,
        13 => {
            let layer = &mut scene.layers[index];
            set_any(&mut layer.mix, random);
            set_any(&mut layer.mask, random);
        }
        14 => {
            let layer = &mut scene.layers[index];
            if layer.node.as_process().is_some() {
                let iterations = 1 + random.below(900) as u32;
                layer.epochs.push(ParamEpoch { node: layer.node.clone(), iterations });
            }
            set_any(layer.node.params_mut(), random);
        }
        _ => set_any(scene.layers[index].node.params_mut(), random),
    }
    edit_trees(scene, random);
}

fn edit_trees(scene: &mut Scene, random: &mut Random) {
    for layer in &mut scene.layers {
        if let Node::Construction(construction) = &mut layer.node {
            let mut tree = Tree::clone(&construction.tree);
            for _ in 0..random.below(4) {
                edit_tree(&mut tree, random);
            }
            // as the document does it: numbers go into their ranges
            let param = construction.about().find("tree").unwrap();
            construction.set(param, &Value::Tree(Arc::new(tree))).unwrap();
        }
    }
}

fn check(scene: &Scene, when: &str) {
    let text = scene.to_ron().unwrap_or_else(|error| panic!("{when}: {error}"));
    let (read, warnings) = Scene::from_ron(&text).unwrap_or_else(|error| panic!("{when}: {error}"));
    assert!(warnings.is_empty(), "{when}: {warnings:?}");
    for (read, layer) in read.layers.iter().zip(&scene.layers) {
        assert!(read == layer, "{when}: read back\n{read:?}\nis not\n{layer:?}");
    }
    assert!(read == *scene, "{when}: read back the settings differ");
    assert!(read.to_ron().unwrap() == text, "{when}: written again it differs");
}

#[test]
fn whatever_was_edited_is_saved_and_opened_as_it_was() {
    let cases = std::env::var("TALWEG_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(CASES);
    let folder = tempfile::tempdir().unwrap();
    for case in 0..cases {
        let mut random = Random(case);
        let mut scene = Scene::default();
        let mut history = EditHistory::default();
        for step in 0..EDITS {
            let undone = match random.below(8) {
                0 => history.undo(&scene),
                1 => history.redo(&scene),
                _ => None,
            };
            scene = undone.unwrap_or_else(|| {
                let mut after = scene.clone();
                edit_scene(&mut after, &mut random);
                history.record("edit", None, &scene, &after);
                after
            });
            if step % 6 == 5 {
                check(&scene, &format!("case {case}, step {step}"));
            }
        }
        let file = folder.path().join("scene.ron");
        scene.save(&file).unwrap_or_else(|error| panic!("case {case}: {error}"));
        assert!(Scene::load(&file).unwrap().0 == scene, "case {case}: opened it differs");
    }
}

/// A tree whose terrain lies in `depth` operators.
fn nested(depth: usize) -> Tree {
    let mut piece = Piece::default();
    for _ in 0..depth {
        piece = Piece::new(PieceKind::Blend(OperatorGroup { of: vec![piece], ..OperatorGroup::default() }));
    }
    Tree { terrain: piece, ..Tree::default() }
}

fn scene_of(tree: Tree) -> Scene {
    let node = Construction { tree: Arc::new(tree), ..Construction::default() };
    Scene { layers: vec![Layer::new(Node::Construction(node), 1)], ..Scene::default() }
}

#[test]
fn what_can_be_nested_can_be_saved_and_opened_on_any_thread() {
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
        assert!(matches!(refused, EditError::Unsound(_)) && said.contains(&DEEPEST.to_string()), "{said}");
        assert!(said.len() < 160, "{said}");
        let scene = scene_of(tree);
        // as small as that of any thread that reads or writes scenes
        let small = std::thread::Builder::new().stack_size(2 << 20);
        small.spawn(move || check(&scene, "nested")).unwrap().join().unwrap();
    }
}

#[test]
fn what_is_nested_too_deeply_is_refused_and_the_old_file_stays() {
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
fn a_scene_that_would_be_another_one_when_it_is_read_is_not_written() {
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
    // in the last moments of the program that is no reason to lose it
    scene.save_unchecked(&file).unwrap();
    assert!(!Scene::load(&file).unwrap().1.is_empty());
}
