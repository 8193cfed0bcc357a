//! Random edits that imitate the commands of the editor. The tests of `edits` draw the edits from fixed seeds; the fuzz
//! targets draw them from the bytes of a fuzzer.

use std::sync::Arc;

use talweg::brush::{Brush, Stroke, StrokePoint, Strokes};
use talweg::construction::edit::library::{Item, add_item};
use talweg::construction::edit::reshape::{Similarity, raised};
use talweg::construction::edit::{self, PiecePath, Spot, Wrap, link_group, points};
use talweg::construction::{MaterialLayer, Piece, PieceKind, Program, Tree, presets};
use talweg::nodes::Node;
use talweg::nodes::generators::construction::Construction;
use talweg::param::{ParamKind, ParamSpec, Params, ToneCurve, Value};
use talweg::scene::{EditHistory, Layer, ParamEpoch, PatchOrigin, Scene};

/// Random numbers by SplitMix64 (Steele, Lea & Flood 2014), from a seed or from bytes.
pub struct Random<'a> {
    state: u64,
    bytes: &'a [u8],
}

impl Random<'static> {
    pub fn from_seed(seed: u64) -> Self {
        Self { state: seed, bytes: &[] }
    }
}

impl<'a> Random<'a> {
    /// Random numbers from bytes. Every two bytes give one number, so that a fuzzer that changes one byte changes one
    /// choice.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Self { state: 0, bytes }
    }

    /// Whether all bytes of the fuzzer are used up. Numbers drawn later do not depend on the bytes.
    pub fn is_spent(&self) -> bool {
        self.bytes.is_empty()
    }

    fn next(&mut self) -> u64 {
        if let Some((two, rest)) = self.bytes.split_at_checked(2) {
            self.bytes = rest;
            self.state = u64::from(two[0]) << 8 | u64::from(two[1]);
        } else {
            self.bytes = &[];
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn next_below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }
    fn part(&mut self) -> f64 {
        self.next() as f64 / u64::MAX as f64
    }
    /// A random coordinate in metres: usually small, sometimes absurdly large.
    fn length(&mut self) -> f64 {
        let wide = [1.0, 100.0, 1.0e4, 1.0e4, 1.0e8][self.next_below(5)];
        (2.0 * self.part() - 1.0) * wide
    }
    fn text(&mut self) -> String {
        let texts =
            ["", " ", "Ridge", "a \"quoted\" \\ name", "tab\tand\nline", "(of:[1,2])", "Grüße 山", "\u{7}", "// no"];
        texts[self.next_below(texts.len())].into()
    }
}

/// Brush strokes from a random number.
fn random_strokes(random: u64) -> Strokes {
    let mut random = Random::from_seed(random);
    let stroke = |random: &mut Random| {
        let mut brush = Brush::default();
        for (k, spec) in brush.about().params.iter().enumerate() {
            brush.set(k, &value_in_range(spec, random.next())).unwrap();
        }
        let points = (0..random.next_below(5)).map(|_| {
            let [x, y] = [random.length() as f32, random.length() as f32];
            StrokePoint { x, y, pressure: random.part() as f32 }
        });
        let points = points.collect();
        Stroke::new(brush, points).shown(random.next_below(4) > 0)
    };
    (0..random.next_below(4)).map(|_| stroke(&mut random)).collect()
}

/// A value inside the parameter's hard range, from a random number.
pub fn value_in_range(spec: &ParamSpec, random: u64) -> Value {
    let part = random as f64 / u64::MAX as f64;
    match &spec.kind {
        ParamKind::Float { hard: (low, high), .. } => {
            Value::Float((f64::from(*low) + part * (f64::from(*high) - f64::from(*low))) as f32)
        }
        ParamKind::Int { hard: (low, high), .. } => Value::Int(low + (part * (high - low) as f64) as i64),
        ParamKind::Bool => Value::Bool(!random.is_multiple_of(2)),
        ParamKind::Choice(options) => Value::Choice(random as usize % options.len()),
        ParamKind::Image => Value::Text(if random.is_multiple_of(2) { String::new() } else { "stamp:mesa".into() }),
        ParamKind::Tree => {
            let presets = talweg::construction::presets::all();
            Value::Structured(presets[random as usize % presets.len()].1.clone())
        }
        ParamKind::Strokes => Value::Structured(Arc::new(random_strokes(random))),
        ParamKind::Numbers { hard: (low, high) } => {
            let number = |k: u64| low + (part * k as f64).fract() as f32 * (high - low);
            Value::Numbers((1..=random % 5).map(number).collect())
        }
        ParamKind::Scene => Value::Text(if random.is_multiple_of(2) { String::new() } else { "/another.ron".into() }),
        ParamKind::Layer => Value::Text(format!("Layer {part}")),
        ParamKind::Curve => {
            Value::Curve(ToneCurve(vec![(0.0, part as f32), (0.1 + 0.8 * part as f32, 0.3), (1.0, 0.7)]))
        }
    }
}

fn path_in(tree: &Tree, random: &mut Random<'_>) -> PiecePath {
    let mut roots = vec![PiecePath::material(MaterialLayer::Terrain)];
    roots.extend(MaterialLayer::ALL.into_iter().filter(|m| tree.root(*m).is_some()).map(PiecePath::material));
    roots.extend((0..tree.definitions.len()).map(PiecePath::definition));
    let mut path = roots.swap_remove(random.next_below(roots.len()));
    while let Some(piece) = path.piece(tree).filter(|piece| !piece.children().is_empty()) {
        // One edit in three changes an operator instead of a primitive at the end of a branch.
        if random.next_below(3) == 0 {
            break;
        }
        path = path.child(random.next_below(piece.children().len()));
    }
    path
}

/// One edit of a construction tree, like a command of the editor.
fn edit_tree(tree: &mut Tree, random: &mut Random<'_>) {
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
    // An edit that the tree refuses leaves the tree unchanged.
    match random.next_below(22) {
        0 | 1 => {
            let groups: Vec<_> = Item::groups().collect();
            let (_, shelf) = groups[random.next_below(groups.len())];
            let item = shelf[random.next_below(shelf.len())];
            let program = Program::new(tree, seed);
            let _ = add_item(tree, item, at, Some(&path).filter(|_| seed.is_multiple_of(2)), &program, seed);
        }
        2..=4 => drop(edit::group(tree, &path, Wrap::ALL[random.next_below(Wrap::ALL.len())])),
        5 => drop(edit::dissolve(tree, &path)),
        6 => drop(link_group::duplicate(tree, &path, random.length(), seed)),
        7 => drop(link_group::instantiate(tree, &path, random.length())),
        8 => drop(edit::relocate(tree, &path, &Spot { parent: other, at: random.next_below(4) })),
        9 if random.next_below(4) == 0 => drop(link_group::remove_all(tree, &path)),
        9 => {}
        10 => edit::rename(tree, &path, &random.text()),
        11 => link_group::hide(tree, &path),
        12 => change(tree, &mut |piece| piece.locked ^= true),
        13 => link_group::link(tree, &other, &path),
        14 => link_group::unlink(tree, &path),
        15 => {
            let reshape = Similarity { about: at, turn: random.length(), scale: random.part() * 3.0, shift: at };
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
            if let PieceKind::Contour(contour) = &mut piece.kind
                && contour.points.is_empty()
            {
                points::give_points(contour);
            }
        }),
        _ => {
            let count = piece.map_or(0, |piece| piece.params().about().params.len());
            let (index, number) = (random.next_below(count), random.next());
            change(tree, &mut |piece| {
                if count > 0 {
                    let value = value_in_range(&piece.params().about().params[index], number);
                    let _ = piece.params_mut().set(index, &value);
                }
            });
        }
    }
}

fn set_any(group: &mut dyn Params, random: &mut Random<'_>) {
    let index = random.next_below(group.about().params.len());
    if let Some(spec) = group.about().params.get(index) {
        let value = value_in_range(spec, random.next());
        let _ = group.set(index, &value);
    }
}

/// One edit of a scene, like a command of the editor.
fn edit_scene(scene: &mut Scene, random: &mut Random<'_>) {
    let count = scene.layers.len();
    let index = random.next_below(count);
    match random.next_below(16) {
        0 | 1 => {
            let mut nodes = Node::catalogue();
            let mut node = nodes.swap_remove(random.next_below(nodes.len()));
            let presets = &node.about().presets;
            if let Some(preset) = presets.get(random.next_below(presets.len() + 1)) {
                node.adopt(preset);
            }
            let layer = Layer::new(node, scene.unused_seed());
            scene.layers.insert(random.next_below(count + 1), layer);
        }
        2 => {
            let trees = presets::all();
            let node =
                Construction { tree: trees[random.next_below(trees.len())].1.clone(), ..Construction::default() };
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
            let angle = |random: &mut Random<'_>, most: f64| (2.0 * random.part() - 1.0) * most;
            let (longitude, latitude) = (angle(random, 180.0), angle(random, 90.0));
            scene.patch = Some(PatchOrigin { planet: random.text(), longitude, latitude });
        }
        8 => {
            let names = talweg::appearance_files::all_palette_names();
            scene.palette.clone_from(&names[random.next_below(names.len())]);
            // As in the editor, a custom biome table keeps the name of the table from which it was made.
            scene.biomes = None;
            scene.biomes = scene.biome_table().filter(|_| random.next_below(2) == 0);
            scene.materials = Some(scene.palette_materials()).filter(|_| random.next_below(2) == 0);
            scene.scatter = Some(scene.palette_scatter()).filter(|_| random.next_below(2) == 0);
            if let Some(own) = &mut scene.materials {
                let rules = &mut std::sync::Arc::make_mut(own).0;
                let at = random.next_below(rules.len());
                rules[at].bands[9] = [-random.part() as f32, 0.0, 1.0, 1.0 + random.part() as f32];
            }
        }
        _ if count == 0 => {}
        9 => drop(scene.layers.remove(index)),
        10 => scene.layers.swap(index, random.next_below(count)),
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
                let iterations = 1 + random.next_below(900) as u32;
                layer.epochs.push(ParamEpoch { node: layer.node.clone(), iterations });
            }
            set_any(layer.node.params_mut(), random);
        }
        _ => set_any(scene.layers[index].node.params_mut(), random),
    }
    edit_trees(scene, random);
}

fn edit_trees(scene: &mut Scene, random: &mut Random<'_>) {
    for layer in &mut scene.layers {
        if let Node::Construction(construction) = &mut layer.node {
            let mut tree = Tree::clone(&construction.tree);
            for _ in 0..random.next_below(4) {
                edit_tree(&mut tree, random);
            }
            // As in the editor's document, numbers are clamped to their ranges.
            let param = construction.about().find("tree").unwrap();
            construction.set(param, &Value::Structured(Arc::new(tree))).unwrap();
        }
    }
}

/// Panics unless the text of `scene` reads back as the same scene.
pub fn check(scene: &Scene, when: &str) {
    let text = scene.to_ron().unwrap_or_else(|error| panic!("{when}: {error}"));
    let (read, warnings) = Scene::from_ron(&text).unwrap_or_else(|error| panic!("{when}: {error}"));
    assert!(warnings.is_empty(), "{when}: {warnings:?}");
    for (read, layer) in read.layers.iter().zip(&scene.layers) {
        assert!(read == layer, "{when}: read back\n{read:?}\nis not\n{layer:?}");
    }
    assert!(read == *scene, "{when}: read back the settings differ");
    assert!(read.to_ron().unwrap() == text, "{when}: written again it differs");
}

/// The default scene after `edits` edits, including undo and redo, or fewer if the bytes of `random` end; `look`
/// receives each state.
pub fn edited(random: &mut Random<'_>, edits: usize, mut look: impl FnMut(usize, &Scene)) -> Scene {
    let is_seeded = random.is_spent();
    let mut scene = Arc::<Scene>::default();
    let mut history = EditHistory::default();
    for step in 0..edits {
        if !is_seeded && random.is_spent() {
            break;
        }
        let undone = match random.next_below(8) {
            0 => history.undo(&scene),
            1 => history.redo(&scene),
            _ => None,
        };
        scene = undone.unwrap_or_else(|| {
            let mut after = Arc::clone(&scene);
            edit_scene(Arc::make_mut(&mut after), random);
            history.record("edit", None, &scene, &after);
            after
        });
        look(step, &scene);
    }
    Arc::unwrap_or_clone(scene)
}

/// Panics unless `scene` reopens from `file` unchanged and without a warning, and is written again unchanged.
pub fn check_file(scene: &Scene, file: &std::path::Path, when: &str) {
    scene.save(file).unwrap_or_else(|error| panic!("{when}: {error}"));
    let (read, warnings) = Scene::load(file).unwrap_or_else(|error| panic!("{when}: {error}"));
    assert!(warnings.is_empty(), "{when}: {warnings:?}");
    assert!(read == *scene, "{when}: opened it differs");
    assert!(read.to_ron().unwrap() == std::fs::read_to_string(file).unwrap(), "{when}: written again it differs");
}
