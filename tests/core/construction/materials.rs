//! Materials of primitives: the formula of the material fractions, the maps that the node writes, and pictures and
//! exports.

use proptest::prelude::*;
use talweg::appearance::{TypeMap, TypeWeights, ground_colours};
use talweg::appearance_files::Material;
use talweg::construction::operators::replace::ReplaceSettings;
use talweg::construction::primitives::disc::Disc;
use talweg::construction::{
    Area, Definition, Detail, Frame, Instance, OperatorGroup, Piece, PieceKind, PieceMaterial, Program, Tree,
    changed_area,
};
use talweg::eval::{Store, evaluate};
use talweg::field::{Control, Edges, Grid, MapKind, Region, Terrain};
use talweg::nodes::Node;
use talweg::nodes::generators::construction::Construction;
use talweg::scene::{Layer, Scene};

use crate::kits::common::random_cases;
use crate::kits::construction::{Dice, tree};

/// Level terrain within 1000 m of a point, fading out over another 1000 m.
fn disc(x: f32, height: f32, material: PieceMaterial) -> Piece {
    let form = Disc { x, y: 4000.0, radius: 2000.0, core: 0.5, height, amplitude: 0.0, ..Disc::default() };
    Piece { material, ..Piece::new(PieceKind::Disc(form)) }
}

fn blend(of: Vec<Piece>) -> Piece {
    Piece::new(PieceKind::Blend(OperatorGroup { children: of, ..OperatorGroup::default() }))
}

fn replace(of: Vec<Piece>) -> Piece {
    Piece::new(PieceKind::Replace(OperatorGroup { children: of, settings: ReplaceSettings::default() }))
}

fn shares(terrain: &Piece, x: f64) -> [f64; 6] {
    let program = Program::new(&Tree { terrain: terrain.clone(), ..Tree::default() }, 1);
    program.material_fractions_in(&program.selection(&Area::ALL), [x, 4000.0], &Detail::FULL).cover_fractions()
}

fn weight(piece: &Piece, x: f64) -> f64 {
    let program = Program::new(&Tree { terrain: piece.clone(), ..Tree::default() }, 1);
    program.sample([x, 4000.0], &Detail::FULL).weight
}

const ROCK: usize = 0;
const GRASS: usize = 1;

#[test]
fn materials_are_blended_by_the_weights_of_the_heights() {
    let (rock, grass) = (disc(3000.0, 0.0, PieceMaterial::Rock), disc(5000.0, 100.0, PieceMaterial::Grass));
    let both = blend(vec![rock.clone(), grass.clone()]);
    for k in 0..=20 {
        let x = 3000.0 + 100.0 * f64::from(k);
        let (a, b) = (weight(&rock, x), weight(&grass, x));
        let found = shares(&both, x);
        assert!((found[ROCK] - a / (a + b)).abs() < 1e-12, "{x}: {found:?}");
        // Two discs at the heights 0 and 100 m are blended with equal weights.
        let program = Program::new(&Tree { terrain: both.clone(), ..Tree::default() }, 1);
        let height = program.sample([x, 4000.0], &Detail::FULL).height;
        assert!((found[GRASS] * 100.0 - height).abs() < 1e-9, "{x}: {found:?}, {height} m");
    }
}

#[test]
fn a_piece_replaces_a_material_by_its_weight_if_it_has_one() {
    let meadow = disc(4000.0, 0.0, PieceMaterial::Grass);
    let over = |material| replace(vec![meadow.clone(), disc(5500.0, 50.0, material)]);
    for x in [4000.0, 4200.0, 4400.0, 4700.0] {
        let w = weight(&disc(5500.0, 0.0, PieceMaterial::Unset), x);
        let found = shares(&over(PieceMaterial::Road), x);
        assert!((found[4] - w).abs() < 1e-12 && (found[GRASS] - (1.0 - w)).abs() < 1e-12, "{x}: {found:?}, {w}");
        assert_eq!(shares(&over(PieceMaterial::Unset), x)[GRASS], 1.0, "{x}");
        let plain = shares(&over(PieceMaterial::Ground), x);
        assert!((plain[GRASS] - (1.0 - w)).abs() < 1e-12, "the palette's ground hides what is below: {plain:?}");
    }
}

#[test]
fn pieces_inherit_the_material_of_their_operator() {
    let mut group = blend(vec![disc(3000.0, 0.0, PieceMaterial::Unset), disc(6500.0, 0.0, PieceMaterial::Snow)]);
    group.material = PieceMaterial::Rock;
    assert_eq!(shares(&group, 3000.0), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(shares(&group, 6500.0), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    // An instance sets the material that its definition leaves open.
    let definitions = vec![Definition { name: "hill".into(), piece: disc(4000.0, 0.0, PieceMaterial::Unset) }];
    let form = PieceKind::Instance(Instance { definition: "hill".into(), ..Instance::default() });
    let terrain = Piece { material: PieceMaterial::Bare, ..Piece::new(form) };
    let program = Program::new(&Tree { definitions, terrain, ..Tree::default() }, 1);
    let found = program.material_fractions_in(&program.selection(&Area::ALL), [4000.0; 2], &Detail::FULL);
    assert_eq!(found.cover_fractions(), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn files_keep_materials_and_omit_missing_ones() {
    let tree = Tree { terrain: disc(4000.0, 0.0, PieceMaterial::Road), ..Tree::default() };
    let text = tree.to_ron(0).unwrap();
    assert!(text.contains("material: Road"), "{text}");
    assert_eq!(Tree::from_ron(&text).unwrap(), tree);
    let plain = Tree { terrain: disc(4000.0, 0.0, PieceMaterial::Unset), ..Tree::default() };
    assert!(!plain.to_ron(0).unwrap().contains("material"));
    assert!(Tree::from_ron(&text.replace("Road", "Lava")).unwrap_err().contains("Lava"));
}

/// Gives two thirds of the primitives of a construction tree a random material, and the others no material.
fn made(mut tree: Tree, dice: &mut Dice) -> Tree {
    for (_, root) in tree.roots_mut() {
        root.visit_mut(&mut |piece| {
            piece.material =
                PieceMaterial::ALL[dice.next_below(PieceMaterial::ALL.len() + 4) % PieceMaterial::ALL.len()];
        });
    }
    tree
}

proptest! {
    #![proptest_config(random_cases(16))]

    #[test]
    fn fractions_are_valid_and_tiles_and_boxes_change_no_bit(seed in any::<u64>(), at in any::<prop::sample::Index>()) {
        let before = made(tree(seed), &mut Dice::new(seed ^ 5));
        let (grid, control) = (Grid::new(65, Edges::Open), Control::default());
        let whole = Region::whole(grid);
        let filled = |program: &Program| program.material_shares(grid, &whole, 1.0, &control).unwrap();
        let old = Program::new(&before, 3);
        let mut found = filled(&old);
        for shares in &found {
            let sum: f32 = shares.iter().sum();
            prop_assert!(shares.iter().all(|share| (0.0..=1.000_001).contains(share)) && sum < 1.000_01, "{shares:?}");
        }
        prop_assert!(found == filled(&Program::new(&before, 3).without_boxes()));
        // Samples outside the changed area keep their values.
        let mut after = before.clone();
        let (mut k, which) = (0, at.index(after.terrain.count()));
        after.terrain.visit_mut(&mut |piece| {
            if k == which {
                piece.material =
                    if piece.material == PieceMaterial::Road { PieceMaterial::Sand } else { PieceMaterial::Road };
            }
            k += 1;
        });
        let new = Program::reusing(&after, 3, Some(&old));
        let now = filled(&new);
        let region = match changed_area(&old, &new) {
            Some(area) => talweg::construction::compiled_program::fill::region_of_area(&area, grid, new.side),
            None => Region::none(),
        };
        let part = new.material_shares(grid, &region, 1.0, &control).unwrap();
        let cells = region.rows.clone().flat_map(|row| region.columns.clone().map(move |column| row * 65 + column));
        cells.zip(part).for_each(|(k, shares)| found[k] = shares);
        prop_assert!(found == now);
    }
}

/// A scene with one construction layer: a meadow in the west and a road from north to south in the east.
fn scene(materials: bool) -> Scene {
    let say = |material| if materials { material } else { PieceMaterial::Unset };
    let level = |x: f32, material| {
        let form = Disc { x, y: 4000.0, radius: 9000.0, core: 0.9, height: 300.0, amplitude: 0.0, ..Disc::default() };
        Piece { material: say(material), ..Piece::new(PieceKind::Disc(form)) }
    };
    let road = disc(6000.0, 300.0, say(PieceMaterial::Road));
    let terrain = replace(vec![level(4000.0, PieceMaterial::Grass), road]);
    let tree = Tree { terrain, frame: Frame::default(), ..Tree::default() };
    let node = Node::Construction(Construction { tree: tree.into(), ..Construction::default() });
    Scene { layers: vec![Layer::new(node, 1)], palette: "desert".into(), ..Scene::default() }
}

fn terrain(scene: &Scene) -> Terrain {
    evaluate(scene, 129, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain.as_ref().clone()
}

#[test]
fn maps_and_colours_show_materials_without_changing_heights() {
    let (with, without) = (scene(true), scene(false));
    let (made, bare) = (terrain(&with), terrain(&without));
    assert_eq!(made.height, bare.height);
    let written = with.layers[0].node.traits().writes;
    assert_eq!(written, [MapKind::GrassShare, MapKind::RoadShare]);
    assert!(bare.maps().next().is_none());
    let (meadow, road) = (64 * 129 + 20, 64 * 129 + 96);
    assert_eq!(made.map(MapKind::GrassShare).unwrap()[meadow], 1.0);
    assert_eq!(made.map(MapKind::RoadShare).unwrap()[road], 1.0);

    let painted = |scene, terrain| ground_colours(scene, terrain, &Control::default()).unwrap();
    let (colours, plain) = (painted(&with, &made), painted(&without, &bare));
    let [r, g, b, _] = colours[meadow];
    assert!(g > r && g > b, "a meadow in the desert is green: {:?}", colours[meadow]);
    assert_ne!(colours[road][..3], plain[road][..3]);
    assert_ne!(colours[road][..3], colours[meadow][..3]);

    let types = TypeMap::of_materials(&with, &made, &Control::default()).unwrap();
    let name = |k: usize| types.legend[usize::from(types.types[k])].name.as_str();
    assert_eq!((name(meadow), name(road)), (Material::Grass.label(), Material::Gravel.label()));
    let weights = TypeWeights::of_materials(&with, &made, &Control::default()).unwrap();
    let grass = weights.legend.iter().position(|entry| entry.name == Material::Grass.label()).unwrap();
    assert_eq!(weights.of_sample(meadow)[grass], 255);
}
