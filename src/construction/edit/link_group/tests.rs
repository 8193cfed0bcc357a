use std::sync::Arc;

use super::*;
use crate::edit::library::{Item, add_item};
use crate::edit::{pick_index, snap};
use crate::sample::Detail;
use crate::{Program, presets};

const SEED: u32 = 5;

/// A plain with a ready-made piece in its centre, and the path of that piece.
fn tree_with(item: Item) -> (Tree, PiecePath) {
    let mut tree = Tree::default();
    let program = Program::new(&tree, SEED);
    add_item(&mut tree, Item::Hills, [4000.0, 4000.0], None, &program, SEED).unwrap();
    let program = Program::new(&tree, SEED);
    let path = add_item(&mut tree, item, [4000.0, 4000.0], None, &program, SEED).unwrap();
    (tree, path)
}

/// Greatest water depth within a radius of a point, and the fraction of the ground that is under water there.
fn water(tree: &Tree, at: Point, within: f64) -> (f64, f64) {
    let program = Program::new(tree, SEED);
    let (mut deepest, mut wet, mut all) = (0.0f64, 0, 0);
    for k in 0..41 * 41 {
        let p = add(at, [(k % 41 - 20) as f64 / 20.0 * within, (k / 41 - 20) as f64 / 20.0 * within]);
        let water =
            program.sample_in::<false>(&program.selection(&crate::Area::ALL), MaterialLayer::Water, p, &Detail::FULL);
        let depth = if water.weight >= 0.5 { water.height - program.height(p, &Detail::FULL) } else { 0.0 };
        deepest = deepest.max(depth);
        wet += usize::from(depth > 0.0);
        all += 1;
    }
    (deepest, wet as f64 / all as f64)
}

#[test]
fn a_lake_a_river_a_valley_and_an_oasis_bring_their_water() {
    let items = [
        (Item::Lake, 1000.0, 0.2, 2.0),
        (Item::River, 1000.0, 0.02, 2.0),
        // the ready-made valley and its river are added at a fraction of their size
        (Item::Valley, 300.0, 0.003, 0.5),
        (Item::Oasis, 1000.0, 0.02, 2.0),
    ];
    for (item, within, least_wet, shallowest) in items {
        let (tree, path) = tree_with(item);
        tree.check().unwrap();
        assert_eq!(linked_pieces(&tree, &path).len(), if item == Item::Oasis { 2 } else { 1 }, "{item:?}");
        let (deepest, wet) = water(&tree, [4000.0, 4000.0], within);
        assert!(deepest > shallowest && deepest < 60.0, "{item:?}: {deepest} m");
        assert!(wet > least_wet && wet < 0.7, "{item:?}: {wet}");
    }
    let (tree, _) = tree_with(Item::Oasis);
    let program = Program::new(&tree, SEED);
    let all = program.selection(&crate::Area::ALL);
    let densest = (0..400).map(|k| {
        let p = [3400.0 + f64::from(k % 20) * 60.0, 3400.0 + f64::from(k / 20) * 60.0];
        program.sample_in::<false>(&all, MaterialLayer::Vegetation, p, &Detail::FULL).surface(0.0).0
    });
    let densest = densest.fold(0.0, f64::max);
    assert!((0.8..=1.01).contains(&densest), "palms are as dense as they were: {densest}");
    assert!(tree_with(Item::Crater).0.water.is_none());
}

#[test]
fn water_moves_with_its_lake() {
    let to = [5600.0, 2900.0];
    for item in [Item::Lake, Item::River, Item::Oasis] {
        let (mut tree, path) = tree_with(item);
        let before = water(&tree, [4000.0, 4000.0], 1000.0);
        let motions = [
            Motion::Shift { from: [4000.0, 4000.0], to },
            Motion::Turn { about: to, degrees: 70.0 },
            Motion::Scale { about: to, by: 1.4 },
            Motion::Raise(90.0),
        ];
        for motion in motions {
            let transform = TransformPath::for_piece(&tree, &path, SEED);
            let moved = motion.applied(path.piece(&tree).unwrap(), path.root, &transform);
            *path.piece_mut(&mut tree).unwrap() = moved;
            move_linked(&mut tree, &path, SEED, &motion);
        }
        let after = water(&tree, to, 1400.0);
        assert!((after.1 - before.1).abs() < 0.5 * before.1, "{item:?}: {before:?} {after:?}");
        assert!(after.0 > 0.5 * before.0, "{item:?}: {before:?} {after:?}");
        if item != Item::River {
            assert!(water(&tree, [3000.0, 5000.0], 300.0).1 == 0.0, "{item:?}: nothing is left behind");
        }
    }
}

#[test]
fn points_of_a_river_move_the_points_of_its_water() {
    let (mut tree, path) = tree_with(Item::River);
    let [other] = linked_pieces(&tree, &path)[..].to_vec().try_into().unwrap();
    let other: PiecePath = other;
    let places = |tree: &Tree, path: &PiecePath| points::handles(path.piece(tree).unwrap());
    let heights = |tree: &Tree, path: &PiecePath| -> Vec<f32> {
        points::line(path.piece(tree).unwrap()).unwrap().iter().map(|p| p.height).collect()
    };
    assert_eq!(places(&tree, &path), places(&tree, &other));
    let apart: Vec<f32> = heights(&tree, &path).iter().zip(heights(&tree, &other)).map(|(a, b)| a - b).collect();
    let edit = |tree: &mut Tree, change: &dyn Fn(&mut Piece)| {
        let before = path.piece(tree).unwrap().clone();
        change(path.piece_mut(tree).unwrap());
        update_linked(tree, &before, &path, SEED);
        assert_eq!(places(tree, &path), places(tree, &other));
    };
    edit(&mut tree, &|piece| points::move_handle(piece, 2, [4100.0, 3500.0]).unwrap());
    edit(&mut tree, &|piece| {
        points::add_point(piece, [4300.0, 3800.0]).unwrap();
    });
    edit(&mut tree, &|piece| points::remove_point(piece, 3).unwrap());
    edit(&mut tree, &|piece| snap::drape_points(points::line_mut(piece).unwrap(), |q| 100.0 + 0.01 * q[0]));
    let now: Vec<f32> = heights(&tree, &path).iter().zip(heights(&tree, &other)).map(|(a, b)| a - b).collect();
    assert!(apart.iter().zip(&now).all(|(a, b)| (a - b).abs() < 0.6), "{apart:?} {now:?}");
}

#[test]
fn a_lake_that_is_changed_by_its_numbers_keeps_its_water() {
    let (mut tree, path) = tree_with(Item::Lake);
    let before = path.piece(&tree).unwrap().clone();
    let PieceKind::Contour(lake) = &mut path.piece_mut(&mut tree).unwrap().kind else { panic!("it is a contour") };
    (lake.settings.x, lake.settings.radius, lake.settings.height) = (5000.0, 900.0, lake.settings.height + 40.0);
    update_linked(&mut tree, &before, &path, SEED);
    let other = linked_pieces(&tree, &path)[0].clone();
    let (PieceKind::Contour(lake), PieceKind::Contour(water)) =
        (&path.piece(&tree).unwrap().kind, &other.piece(&tree).unwrap().kind)
    else {
        panic!("both are contours")
    };
    assert_eq!((lake.settings.x, lake.settings.radius), (water.settings.x, water.settings.radius));
    assert!((lake.settings.height - water.settings.height - 6.0).abs() < 0.1);
}

/// Editing the points of a lake also changes its water: a bay pulled out of the lake is filled with water.
#[test]
fn bending_a_lake_bends_its_water() {
    let (mut tree, path) = tree_with(Item::Lake);
    let edit = |tree: &mut Tree, change: &dyn Fn(&mut Piece)| {
        let before = path.piece(tree).unwrap().clone();
        change(path.piece_mut(tree).unwrap());
        update_linked(tree, &before, &path, SEED);
    };
    let bay = [5100.0, 4000.0];
    assert_eq!(water(&tree, bay, 60.0).1, 0.0, "it is land");
    edit(&mut tree, &|piece| {
        let PieceKind::Contour(contour) = &mut piece.kind else { panic!("a lake is a contour") };
        points::give_points(contour);
    });
    let handles = points::handles(path.piece(&tree).unwrap());
    let [other] = linked_pieces(&tree, &path).try_into().expect("its water");
    assert_eq!(points::handles(other.piece(&tree).unwrap()).len(), handles.len());
    edit(&mut tree, &|piece| points::move_handle(piece, 0, [5400.0, 4000.0]).unwrap());
    let of_water = points::handles(other.piece(&tree).unwrap());
    assert!(length(sub(of_water[0], [5400.0, 4000.0])) < 1.0, "{of_water:?}");
    assert_eq!(water(&tree, bay, 60.0).1, 1.0);
}

#[test]
fn linked_pieces_are_copied_hidden_and_removed_with_a_lake() {
    let (mut tree, path) = tree_with(Item::Lake);
    let copy = duplicate(&mut tree, &path, 1500.0, SEED).unwrap();
    assert_eq!(linked_pieces(&tree, &copy).len(), 1);
    assert_ne!(path.piece(&tree).unwrap().link_group, copy.piece(&tree).unwrap().link_group);
    assert!(water(&tree, [5500.0, 5500.0], 300.0).1 > 0.5, "the copy has water");
    hide(&mut tree, &copy);
    assert!(linked_pieces(&tree, &copy)[0].piece(&tree).unwrap().hidden);
    assert_eq!(water(&tree, [5500.0, 5500.0], 300.0).1, 0.0);
    remove_all(&mut tree, &copy).unwrap();
    assert_eq!(tree.water.as_ref().unwrap().children().len(), 1);
    remove_all(&mut tree, &path).unwrap();
    assert!(tree.water.is_none());
    // removing only the water keeps the lake
    let (mut tree, path) = tree_with(Item::Lake);
    let other = linked_pieces(&tree, &path)[0].clone();
    remove_all(&mut tree, &other).unwrap();
    assert!(path.piece(&tree).is_some());
}

#[test]
fn a_linked_copy_of_a_lake_has_water_of_its_own() {
    // the ground of an oasis is wide: copies closer together would cover each other
    for (item, by) in [(Item::Lake, 1800.0), (Item::Oasis, 3400.0)] {
        let (mut tree, path) = tree_with(item);
        let owned = linked_pieces(&tree, &path).len();
        let copy = instantiate(&mut tree, &path, by).unwrap();
        // instantiating an instance adds one more instance
        let third = instantiate(&mut tree, &copy, -2.0 * by).unwrap();
        tree.check().unwrap();
        for (path, at) in [(&path, 4000.0), (&copy, 4000.0 + by), (&third, 4000.0 - by)] {
            assert!(matches!(path.piece(&tree).unwrap().kind, PieceKind::Instance(_)), "{item:?}");
            assert_eq!(linked_pieces(&tree, path).len(), owned, "{item:?} at {at}");
            let (deepest, wet) = water(&tree, [at, at], 700.0);
            assert!(deepest > 2.0 && wet > 0.01, "{item:?} at {at}: {deepest} m, {wet}");
        }
        // each copy moves independently
        let before = [&path, &copy].map(|path| pick_index::centre(&tree, &linked_pieces(&tree, path)[0]).unwrap());
        move_linked(&mut tree, &copy, SEED, &Motion::Shift { from: [0.0, 0.0], to: [50.0, 0.0] });
        let after = [&path, &copy].map(|path| pick_index::centre(&tree, &linked_pieces(&tree, path)[0]).unwrap());
        assert_eq!(before[0], after[0]);
        assert!((after[1][0] - before[1][0] - 50.0).abs() < 0.1, "{item:?}");
    }
}

#[test]
fn links_are_saved_and_absent_from_files_without_them() {
    let (mut tree, path) = tree_with(Item::Lake);
    assert_eq!(Tree::from_ron(&tree.to_ron(0).unwrap()).unwrap(), tree);
    let other = linked_pieces(&tree, &path)[0].clone();
    unlink(&mut tree, &other);
    assert!(linked_pieces(&tree, &path).is_empty() && !tree.to_ron(0).unwrap().contains("bond"));
    link(&mut tree, &other, &path);
    assert_eq!(linked_pieces(&tree, &path), [other]);
    for (_, tree) in presets::all() {
        let _: &Arc<Tree> = &tree;
        assert!(!tree.to_ron(0).unwrap().contains("bond"));
    }
    assert!(pick_index::centre(&tree, &path).is_some());
}

#[test]
fn a_warp_bends_the_water_with_its_basin() {
    let mut tree = (*presets::volcano()).clone();
    tree.water = None;
    let program = Program::new(&tree, SEED);
    let path = add_item(&mut tree, Item::Lake, [4000.0, 6300.0], None, &program, SEED).unwrap();
    let other = linked_pieces(&tree, &path)[0].clone();
    let (a, b) = (TransformPath::for_piece(&tree, &path, SEED), TransformPath::for_piece(&tree, &other, SEED));
    for p in [[3700.0, 6100.0], [4300.0, 6600.0]] {
        let (p, q) = (a.outward(p), b.outward(p));
        assert!(length(sub(p, q)) < 1e-6, "{p:?} {q:?}");
    }
}

/// The sea is itself a piece of the water layer. Rivers and lakes on an island in this sea keep their own level.
#[test]
fn lakes_and_rivers_on_an_island_replace_the_sea() {
    let mut tree = (*presets::volcano()).clone();
    for (item, at) in [(Item::River, [4357.0, 3770.0]), (Item::Lake, [6200.0, 5200.0]), (Item::River, [4000.0, 6300.0])]
    {
        let program = Program::new(&tree, SEED);
        let path = add_item(&mut tree, item, at, None, &program, SEED).unwrap();
        tree.check().unwrap();
        assert_eq!(linked_pieces(&tree, &path).len(), 1);
        let (deepest, wet) = water(&tree, at, 900.0);
        assert!(deepest > 2.0 && deepest < 70.0 && wet > 0.01, "{item:?}: {deepest} m deep, {wet} of the ground");
    }
    // all linked pieces are siblings in one operator
    let [sea, belongings] = tree.root(MaterialLayer::Water).unwrap().children() else {
        panic!("the sea and what lies in its place")
    };
    assert!(!is_bound(sea) && belongings.children().len() == 3);
    // the sea away from the linked pieces is unchanged
    let program = Program::new(&tree, SEED);
    let all = program.selection(&crate::Area::ALL);
    let far = program.sample_in::<false>(&all, MaterialLayer::Water, [100.0, 100.0], &Detail::FULL);
    assert_eq!((far.height, far.weight), (0.0, 1.0));
}
