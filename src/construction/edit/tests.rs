use std::sync::Arc;

use super::library::{Item, Role, add_item, spot_for};
use super::pick_index::{PickIndex, centre, outlines};
use super::reshape::{Similarity, raised};
use super::snap::{GroundBelow, drape_points, make_downhill};
use super::transform_path::TransformPath;
use super::*;
use crate::geometry::plane::{length, sub};
use crate::operators::array::{Arrangement, ArraySettings};
use crate::operators::scatter::{ScatterRegion, ScatterSettings};
use crate::piece::{CopyGroup, OperatorGroup};
use crate::primitives::contour::Contour;
use crate::primitives::curve::{Curve, CurvePoint};
use crate::primitives::disc::Disc;
use crate::primitives::ribbon::Ribbon;
use crate::sample::Detail;
use crate::{Program, presets};

fn disc(x: f32, y: f32, radius: f32) -> Piece {
    Piece::new(PieceKind::Disc(Disc { x, y, radius, ..Disc::default() }))
}

fn tree_of(pieces: Vec<Piece>) -> Tree {
    Tree {
        terrain: Piece::new(PieceKind::Blend(OperatorGroup { children: pieces, ..OperatorGroup::default() })),
        ..Tree::default()
    }
}

fn names(tree: &Tree) -> Vec<String> {
    let mut names = Vec::new();
    tree.terrain.visit(&mut |piece| names.push(piece.title()));
    names
}

fn path(steps: &[usize]) -> PiecePath {
    PiecePath { root: Root::Material(MaterialLayer::Terrain), steps: steps.to_vec() }
}

fn named(name: &str) -> Piece {
    Piece { name: name.into(), ..disc(1000.0, 1000.0, 500.0) }
}

#[test]
fn pieces_go_where_they_are_put_and_never_into_themselves() {
    let mut inner = tree_of(vec![named("c"), named("d")]).terrain;
    inner.name = "inner".into();
    let start = tree_of(vec![named("a"), named("b"), inner]);
    // A move: the path of the piece, the path of its new parent, the child index there, and the parent's children after
    // the move.
    type Move<'a> = (&'a [usize], &'a [usize], usize, &'a [&'a str]);
    let moves: [Move; 5] = [
        (&[0], &[], 2, &["Blend", "b", "a", "inner", "c", "d"]),
        (&[1], &[], 0, &["Blend", "b", "a", "inner", "c", "d"]),
        (&[0], &[2], 1, &["Blend", "b", "inner", "c", "a", "d"]),
        (&[2, 1], &[], 0, &["Blend", "d", "a", "b", "inner", "c"]),
        (&[2], &[], 0, &["Blend", "inner", "c", "d", "a", "b"]),
    ];
    for (from, parent, at, expected) in moves {
        let mut tree = start.clone();
        let spot = Spot { parent: path(parent), at };
        may_relocate(&tree, &path(from), &spot).unwrap();
        let moved = path(from).piece(&tree).unwrap().clone();
        let there = relocate(&mut tree, &path(from), &spot).unwrap();
        assert_eq!(names(&tree), expected, "{from:?} to {spot:?}");
        assert_eq!(there.piece(&tree), Some(&moved));
    }
    let mut tree = start.clone();
    for (from, parent, why) in [
        (path(&[2]), path(&[2]), EditError::IntoItself),
        (path(&[]), path(&[2]), EditError::RootStays),
        (path(&[0]), path(&[1]), EditError::NotAnOperator),
    ] {
        let spot = Spot { parent, at: 0 };
        assert_eq!(may_relocate(&tree, &from, &spot), Err(why.clone()));
        assert!(relocate(&mut tree, &from, &spot).is_err());
        assert_eq!(tree, start, "nothing was changed");
    }
}

#[test]
fn an_original_never_comes_to_contain_itself() {
    let mut tree = tree_of(vec![named("hill"), disc(0.0, 0.0, 10.0)]);
    let copy = instantiate(&mut tree, &path(&[0]), 100.0).unwrap();
    assert_eq!((tree.definitions.len(), copy.clone()), (1, path(&[1])));
    // reject an instance of a definition inside that definition: it would contain itself
    group(&mut tree, &PiecePath::definition(0), Wrap::Blend).unwrap();
    let into = Spot { parent: PiecePath::definition(0), at: 0 };
    let before = tree.clone();
    assert!(matches!(relocate(&mut tree, &copy, &into), Err(EditError::InvalidTree(_))));
    assert_eq!(tree, before);
    // edits of the definition apply to all copies, and removing the definition removes all copies
    rename(&mut tree, &PiecePath::definition(0), "mound");
    assert!(tree.check().is_ok() && tree.definition("mound").is_some());
    remove(&mut tree, &PiecePath::definition(0)).unwrap();
    assert_eq!((tree.terrain.children().len(), tree.definitions.len()), (1, 0));
    assert!(tree.check().is_ok());
}

#[test]
fn a_first_instance_changes_nothing_and_the_next_is_beside_it() {
    for (_, preset) in presets::all() {
        let mut tree = (*preset).clone();
        let picked = path(&[]).child(0);
        let before = Program::new(&tree, 3);
        let copy = instantiate(&mut tree, &picked, 1e6).unwrap();
        remove(&mut tree, &copy).unwrap();
        let after = Program::new(&tree, 3);
        for k in 0..40 {
            let p = [f64::from(k % 7) * 1100.0 + 300.0, f64::from(k / 7) * 1250.0 + 400.0];
            let (a, b) = (before.height(p, &Detail::FULL), after.height(p, &Detail::FULL));
            assert!((a - b).abs() < 0.05, "{p:?}: {a} {b}");
        }
    }
}

#[test]
fn removing_and_dissolving_leave_sound_trees() {
    let mut tree = tree_of(vec![named("a"), named("b")]);
    let grouped = group(&mut tree, &path(&[1]), Wrap::Replace).unwrap();
    assert_eq!(names(&tree), ["Blend", "a", "Replace", "b"]);
    assert_eq!(dissolve(&mut tree, &grouped), Ok(path(&[1])));
    assert_eq!(names(&tree), ["Blend", "a", "b"]);
    assert_eq!(dissolve(&mut tree, &path(&[])), Err(EditError::CannotDissolve), "a material layer has room for one");
    assert_eq!(remove(&mut tree, &path(&[1])), Ok(Some(path(&[0]))));
    assert_eq!(remove(&mut tree, &path(&[0])), Ok(Some(path(&[]))));
    group(&mut tree, &path(&[]), Wrap::Warp).unwrap();
    assert_eq!(dissolve(&mut tree, &path(&[])), Err(EditError::WouldJump));
    remove(&mut tree, &path(&[])).unwrap();
    assert_eq!(tree, Tree::default());
    assert_eq!(remove(&mut tree, &path(&[4])), Err(EditError::Gone));
}

#[test]
fn transforms_invert_through_every_operator() {
    for (name, preset) in presets::all() {
        let mut tree = (*preset).clone();
        group(&mut tree, &path(&[0]), Wrap::Place).unwrap();
        if let Some(Piece { kind: PieceKind::Place(group), .. }) = path(&[0]).piece_mut(&mut tree) {
            let settings = &mut group.settings;
            (settings.move_x, settings.turn_angle, settings.scale, settings.mirror) = (500.0, 40.0, 0.7, true);
            (settings.raise, settings.steepen) = (120.0, 2.0);
        }
        group(&mut tree, &path(&[0]), Wrap::Warp).unwrap();
        let transform = TransformPath::for_piece(&tree, &path(&[0, 0, 0]), 5);
        assert!(transform.is_mirrored());
        for k in 0..30 {
            let p = [f64::from(k) * 260.0, 8000.0 - f64::from(k * k) * 8.0];
            assert!(length(sub(transform.inward(transform.outward(p)), p)) < 0.05, "{name}");
        }
        assert!((transform.height_inward(transform.height_outward(321.0)) - 321.0).abs() < 1e-9);
    }
}

#[test]
fn a_placed_piece_has_the_heights_of_its_transforms() {
    let mut tree = tree_of(vec![Piece::new(PieceKind::Disc(Disc {
        surface: crate::primitives::ground::ReliefStyle::Level,
        height: 100.0,
        core: 0.9,
        ..Disc::default()
    }))]);
    group(&mut tree, &path(&[0]), Wrap::Place).unwrap();
    if let Some(Piece { kind: PieceKind::Place(group), .. }) = path(&[0]).piece_mut(&mut tree) {
        (group.settings.scale, group.settings.raise, group.settings.move_x) = (0.5, 30.0, 900.0);
    }
    let transform = TransformPath::for_piece(&tree, &path(&[0, 0]), 0);
    let p = transform.outward([4000.0, 4000.0]);
    assert!((Program::new(&tree, 0).height(p, &Detail::FULL) - transform.height_outward(100.0)).abs() < 1e-6);
}

#[test]
fn moved_pieces_are_found_at_their_new_place() {
    for item in Item::groups().flat_map(|(_, items)| items).copied() {
        let base = tree_of(vec![Piece::new(PieceKind::Disc(Disc { radius: 9000.0, core: 0.9, ..Disc::default() }))]);
        let mut tree = base.clone();
        let program = Program::new(&tree, 1);
        let at = [2600.0, 3100.0];
        let new = add_item(&mut tree, item, at, None, &program, 1).unwrap();
        // the area between the copies has no weight
        let first = new.child(0);
        let at = match new.piece(&tree).filter(|piece| piece.repeats()) {
            Some(_) => TransformPath::for_piece(&tree, &first, 1).outward(centre(&tree, &first).unwrap()),
            None => at,
        };
        let found = PickIndex::new(&Arc::new(tree.clone()), 1, None).pieces_at(at);
        assert!(found.iter().any(|(path, _)| new.holds(path)), "{item:?}: {new:?} {found:?}");
        assert!(!outlines(&tree, &new, 1).is_empty());
        // a full turn about the centre leaves the piece unchanged, and so does scaling up and down again
        let middle = centre(&tree, &new).unwrap();
        let piece = new.piece(&tree).unwrap();
        let moved = Similarity::shift([1500.0, -400.0]).applied(piece);
        let mut other = tree.clone();
        *new.piece_mut(&mut other).unwrap() = moved;
        let there = centre(&other, &new).unwrap();
        assert!(length(sub(there, [middle[0] + 1500.0, middle[1] - 400.0])) < 1.0, "{item:?}: {middle:?} {there:?}");
        assert_ne!(raised(piece, 50.0), *piece);
        let turned = Similarity::turn(middle, 90.0).applied(&Similarity::scale(middle, 2.0).applied(piece));
        let back = Similarity::scale(middle, 0.5).applied(&Similarity::turn(middle, -90.0).applied(&turned));
        *new.piece_mut(&mut other).unwrap() = back;
        let (a, b) = (centre(&tree, &new).unwrap(), centre(&other, &new).unwrap());
        assert!(length(sub(a, b)) < 1.0, "{item:?}");
    }
}

#[test]
fn stamps_are_added_to_the_ground_and_end_level_with_it() {
    let ground = Disc { radius: 9000.0, core: 0.9, height: 400.0, ..Disc::default() };
    let base = tree_of(vec![Piece::new(PieceKind::Disc(ground))]);
    let program = Program::new(&base, 1);
    let at = [4000.0, 4000.0];
    for stamp in talweg_ground::io::built_in_stamps().iter().filter(|stamp| !stamp.is_strip()) {
        let mut tree = base.clone();
        add_item(&mut tree, Item::Stamp(stamp), at, None, &program, 1).unwrap();
        let stamped = Program::new(&tree, 1);
        let rise = |[x, y]: [f64; 2]| {
            let place = [at[0] + x, at[1] + y];
            stamped.height(place, &Detail::FULL) - program.height(place, &Detail::FULL)
        };
        for angle in (0..32).map(|k| f64::from(k) * std::f64::consts::TAU / 32.0) {
            let rim = rise([995.0 * libm::cos(angle), 995.0 * libm::sin(angle)]);
            assert!(rim.abs() < 10.0, "{}: {rim} m at the rim", stamp.name);
        }
        let inside = (0..441).map(|k| rise([f64::from(k % 21 - 10) * 65.0, f64::from(k / 21 - 10) * 65.0]));
        let most = inside.fold(0.0, |most: f64, z| most.max(z.abs()));
        assert!(most > 3.0, "{}: at most {most} m", stamp.name);
    }
}

#[test]
fn a_turned_copy_shows_the_turned_ground() {
    let mut tree = (*presets::moon()).clone();
    let copy = path(&[]).child(1);
    let centre = centre(&tree, &copy).unwrap();
    let before = Program::new(&tree, 0);
    let reshape = Similarity { about: centre, turn: 63.0, scale: 1.4, shift: [230.0, -120.0] };
    *copy.piece_mut(&mut tree).unwrap() = reshape.applied(copy.piece(&tree).unwrap());
    let after = Program::new(&tree, 0);
    // compare weights, not heights: scaling also deepens the crater
    let p = [centre[0] + 20.0, centre[1]];
    let weight = |program: &Program, p| program.sample(p, &Detail::FULL).weight;
    assert!(weight(&before, p) > 0.5 && weight(&after, reshape.moved(p)) > 0.5);
}

#[test]
fn new_pieces_go_on_the_ground_and_are_seen() {
    // add the piece to an empty construction tree, to a replace operator whose extent is the ground below, and to a
    // primitive
    for (base, at) in [
        (Tree::default(), [4000.0, 4000.0]),
        ((*presets::volcano()).clone(), [300.0, 300.0]),
        (Tree { terrain: disc(4000.0, 4000.0, 3000.0), ..Tree::default() }, [4000.0, 4000.0]),
    ] {
        for item in [Item::Hills, Item::Crater, Item::Road] {
            let mut tree = base.clone();
            let program = Program::new(&tree, 0);
            let new = add_item(&mut tree, item, at, None, &program, 0).unwrap();
            let there = Program::new(&tree, 0).sample(at, &Detail::FULL).weight;
            assert!(there >= 0.5, "{item:?} at {at:?}: {there} {new:?}");
        }
    }
    let mut tree = tree_of(vec![named("a")]);
    let spot = spot_for(&mut tree, Some(&path(&[0])), Role::Carve, true).unwrap();
    assert_eq!(spot, Spot { parent: path(&[]), at: 1 }, "on top of the ground, in a replace");
    assert!(matches!(tree.terrain.kind, PieceKind::Replace(_)));
    let program = Program::new(&tree, 0);
    let sand =
        add_item(&mut tree, Item::Plain, [4000.0; 2], Some(&PiecePath::material(MaterialLayer::Sand)), &program, 0)
            .unwrap();
    assert!(sand.root == Root::Material(MaterialLayer::Sand) && tree.sand.is_some());
}

fn river(heights: &[f32]) -> Vec<CurvePoint> {
    heights.iter().enumerate().map(|(k, &z)| CurvePoint::new(k as f32 * 500.0, 0.0, z)).collect()
}

#[test]
fn rivers_fall_from_their_higher_end_and_nothing_is_raised() {
    for heights in [vec![300.0, 320.0, 250.0, 260.0, 100.0], vec![50.0, 20.0, 90.0, 80.0, 400.0], vec![5.0; 4]] {
        let before = river(&heights);
        let mut points = before.clone();
        make_downhill(&mut points);
        let mut z: Vec<f32> = points.iter().map(|p| p.height).collect();
        if heights[0] < heights[heights.len() - 1] {
            z.reverse();
        }
        assert!(z.windows(2).all(|pair| pair[1] < pair[0]), "{z:?}");
        assert!(points.iter().zip(&before).all(|(a, b)| a.height <= b.height));
        assert_eq!(make_downhill(&mut points), 0, "a second time nothing is left to do");
    }
    assert_eq!(make_downhill(&mut []), 0);
}

#[test]
fn a_road_follows_the_ground_without_itself() {
    let mut tree = (*presets::valley()).clone();
    let program = Program::new(&tree, 2);
    let road = add_item(&mut tree, Item::Road, [3000.0, 2500.0], None, &program, 2).unwrap();
    let piece = road.piece_mut(&mut tree).unwrap();
    let points = points::line_mut(piece).unwrap();
    points.iter_mut().for_each(|point| point.height = 7000.0);
    let below = GroundBelow::new(&tree, &road, 2, None);
    let points = points::line_mut(road.piece_mut(&mut tree).unwrap()).unwrap();
    drape_points(points, |q| below.height(q));
    for point in points {
        let p = [f64::from(point.at.0), f64::from(point.at.1)];
        assert!((f64::from(point.height) - program.height(p, &Detail::FULL)).abs() < 0.1, "{point:?}");
    }
}

#[test]
fn points_are_inserted_between_neighbours_and_removed() {
    let mut piece = Piece::new(PieceKind::Curve(Curve { points: river(&[100.0, 80.0, 60.0]), ..Curve::default() }));
    assert_eq!(points::add_point(&mut piece, [750.0, 10.0]), Ok(2));
    let added = points::line(&piece).unwrap()[2].clone();
    assert!((added.height - 70.0).abs() < 1.0 && added.at == (750.0, 10.0), "{added:?}");
    assert_eq!(points::add_point(&mut piece, [-300.0, 0.0]), Ok(0), "before the beginning");
    assert_eq!(points::add_point(&mut piece, [1600.0, 0.0]), Ok(5), "after the end");
    for _ in 0..4 {
        points::remove_point(&mut piece, 0).unwrap();
    }
    assert_eq!(points::remove_point(&mut piece, 0), Err(EditError::TooFewPoints));

    let mut lake = Piece::new(PieceKind::Contour(crate::primitives::contour::Contour::default()));
    let shape = |piece: &Piece| match &piece.kind {
        PieceKind::Contour(contour) => contour.prepare().edge(0.4),
        _ => 0.0,
    };
    let round = shape(&lake);
    let [x, y] = [4000.0 + 700.0, 4000.0 + 300.0];
    let index = points::add_point(&mut lake, [x, y]).unwrap();
    assert_eq!(points::handles(&lake)[index], [x, y]);
    assert_eq!(points::handles(&lake).len(), 9);
    assert!((shape(&lake) - round).abs() < 60.0, "{}", shape(&lake));
    for _ in 0..6 {
        points::remove_point(&mut lake, 0).unwrap();
    }
    assert_eq!(points::remove_point(&mut lake, 0), Err(EditError::TooFewPoints));
}

#[test]
fn corners_stay_convex() {
    let mut image = Piece::new(PieceKind::Image(crate::primitives::image::Image::default()));
    let before = image.clone();
    assert_eq!(points::move_handle(&mut image, 0, [5000.0, 5000.0]), Err(EditError::NotConvex));
    assert_eq!(image, before);
    points::move_handle(&mut image, 0, [1800.0, 2200.0]).unwrap();
    assert_eq!(points::handles(&image)[0], [1800.0, 2200.0]);
}

#[test]
fn outlines_run_where_the_weight_ends() {
    let mut tree = (*presets::oasis()).clone();
    let program = Program::new(&tree, 0);
    for item in [Item::River, Item::Lake, Item::Mountains, Item::Image] {
        let new = add_item(&mut tree, item, [4100.0, 3900.0], None, &program, 0).unwrap();
        let alone = Tree { terrain: new.piece(&tree).unwrap().clone(), ..Tree::default() };
        let alone = Program::new(&alone, 0);
        let middle = centre(&tree, &new).unwrap();
        for outline in outlines(&tree, &new, 0).iter().filter(|outline| !outline.inner) {
            assert!(outline.places.len() > 20);
            for &p in &outline.places {
                assert!(alone.sample(p, &Detail::FULL).weight < 0.02, "{item:?} {p:?}");
                // a point slightly towards the centre has weight; lines are skipped, because the centre of a line can
                // be anywhere
                let inside = [p[0] + 0.1 * (middle[0] - p[0]), p[1] + 0.1 * (middle[1] - p[1])];
                assert!(item == Item::River || alone.sample(inside, &Detail::FULL).weight > 0.0, "{item:?} {p:?}");
            }
        }
    }
}

#[test]
fn the_greatest_weight_is_picked_first_and_locked_pieces_never() {
    let mut tree = tree_of(vec![
        Piece { name: "wide".into(), ..disc(4000.0, 4000.0, 6000.0) },
        Piece { name: "near".into(), ..disc(4000.0, 4000.0, 800.0) },
        Piece { name: "aside".into(), ..disc(4300.0, 4000.0, 800.0) },
    ]);
    let pick = |tree: &Tree| -> Vec<String> {
        let pick_index = PickIndex::new(&Arc::new(tree.clone()), 0, None);
        pick_index.pieces_at([4000.0, 4000.0]).iter().map(|(path, _)| path.piece(tree).unwrap().name.clone()).collect()
    };
    assert_eq!(pick(&tree), ["near", "wide", "aside"]);
    path(&[1]).piece_mut(&mut tree).unwrap().locked = true;
    assert_eq!(pick(&tree), ["wide", "aside"]);
    path(&[0]).piece_mut(&mut tree).unwrap().hidden = true;
    assert_eq!(pick(&tree), ["aside"]);
}

/// A dragged handle is at the cursor, and its dimension has a readable text.
#[test]
fn dimensions_lie_where_they_are_dragged() {
    use dimensions::{PieceDimension, dimension_text, dimensions, set_dimension};
    let arm = 500.0;
    let line = || {
        vec![CurvePoint::new(1000.0, 1000.0, 0.0), CurvePoint { width: 2.0, ..CurvePoint::new(5000.0, 1000.0, 0.0) }]
    };
    let array = |arrangement| {
        let settings = ArraySettings { arrangement, turn_angle: 30.0, ..ArraySettings::default() };
        PieceKind::Array(CopyGroup { settings, ..CopyGroup::default() })
    };
    let scatter = |region| {
        let settings = ScatterSettings { region, ..ScatterSettings::default() };
        PieceKind::Scatter(CopyGroup { points: line(), settings, ..CopyGroup::default() })
    };
    let placement = Placement {
        move_x: 300.0,
        move_y: -200.0,
        turn_angle: 40.0,
        scale: 2.5,
        pivot_x: 1000.0,
        pivot_y: 700.0,
        mirror: true,
        ..Placement::default()
    };
    let kinds = [
        (PieceKind::Disc(Disc::default()), vec![PieceDimension::Radius]),
        (PieceKind::Contour(Contour::default()), vec![PieceDimension::Radius]),
        (PieceKind::Curve(Curve { points: line(), ..Curve::default() }), vec![PieceDimension::Width]),
        (PieceKind::Ribbon(Ribbon { points: line(), ..Ribbon::default() }), vec![PieceDimension::Width]),
        (scatter(ScatterRegion::Circle), vec![PieceDimension::Radius]),
        (scatter(ScatterRegion::Curve), vec![PieceDimension::Width]),
        (scatter(ScatterRegion::Outline), vec![]),
        (array(Arrangement::Line), vec![PieceDimension::Step]),
        (array(Arrangement::Grid), vec![PieceDimension::Column, PieceDimension::Row]),
        (array(Arrangement::Radial), vec![PieceDimension::Centre]),
        (
            PieceKind::Place(OperatorGroup { settings: placement, ..OperatorGroup::default() }),
            vec![PieceDimension::StretchX, PieceDimension::StretchY],
        ),
    ];
    for (form, expected) in kinds {
        let piece = Piece::new(form);
        let found = dimensions(&piece, arm);
        assert_eq!(found.iter().map(|(dimension, _)| *dimension).collect::<Vec<_>>(), expected, "{:?}", piece.kind);
        for (k, (dimension, at)) in found.into_iter().enumerate() {
            // drag the handle to 1.5 times its distance from the reference point, which is the handle's position when
            // the dimension is 0
            let mut small = piece.clone();
            let place_of = |piece: &Piece| dimensions(piece, arm)[k].1;
            let to = match dimension {
                PieceDimension::Centre | PieceDimension::Step => [at[0] + 240.0, at[1] + 130.0],
                PieceDimension::StretchY => {
                    // when the handle shears the piece, the piece leans towards the other arm
                    let other = dimensions(&piece, arm)[0].1;
                    let middle = placement_middle(&piece);
                    let part = |p: [f64; 2], by: f64| [(p[0] - middle[0]) * by, (p[1] - middle[1]) * by];
                    let (down, aside) = (part(at, 1.3), part(other, 0.4));
                    [middle[0] + down[0] + aside[0], middle[1] + down[1] + aside[1]]
                }
                _ => {
                    set_dimension(&mut small, dimension, at, arm).unwrap();
                    assert_eq!(dimension_text(&small, dimension), dimension_text(&piece, dimension), "left alone");
                    let foot = hangs_on(&piece, dimension, at);
                    [foot[0] + 1.5 * (at[0] - foot[0]), foot[1] + 1.5 * (at[1] - foot[1])]
                }
            };
            let mut dragged = piece.clone();
            set_dimension(&mut dragged, dimension, to, arm).unwrap();
            let there = place_of(&dragged);
            let away = length(sub(there, to));
            assert!(away < 0.05, "{dimension:?} of {:?}: {there:?} is not {to:?}", piece.kind);
            assert_ne!(dimension_text(&dragged, dimension), dimension_text(&piece, dimension));
        }
        assert_eq!(set_dimension(&mut Piece::default(), PieceDimension::Radius, [0.0; 2], arm), Err(EditError::Gone));
    }
}

fn placement_middle(piece: &Piece) -> [f64; 2] {
    let PieceKind::Place(group) = &piece.kind else { unreachable!("a placement") };
    let pivot = [f64::from(group.settings.pivot_x), f64::from(group.settings.pivot_y)];
    group.settings.map().apply(pivot)
}

/// The point from which a dimension is measured.
fn hangs_on(piece: &Piece, dimension: dimensions::PieceDimension, at: [f64; 2]) -> [f64; 2] {
    use dimensions::PieceDimension;
    match (&piece.kind, dimension) {
        (PieceKind::Place(_), _) => placement_middle(piece),
        (PieceKind::Array(group), _) => [f64::from(group.settings.pivot_x), f64::from(group.settings.pivot_y)],
        // the line runs from west to east
        (_, PieceDimension::Width) => [at[0], 1000.0],
        _ => [4000.0, 4000.0],
    }
}

#[test]
fn copies_get_the_curve_that_they_follow() {
    let settings = ScatterSettings { region: ScatterRegion::Outline, ..ScatterSettings::default() };
    let mut piece = Piece::new(PieceKind::Scatter(CopyGroup { settings, ..CopyGroup::default() }));
    points::give_line(&mut piece);
    let handles = points::handles(&piece);
    assert_eq!(handles.len(), 8);
    assert!(handles.iter().all(|p| (length(sub(*p, [4000.0, 4000.0])) - 2000.0).abs() < 0.1), "{handles:?}");
    let settings = ArraySettings { arrangement: Arrangement::Curve, count: 3, ..ArraySettings::default() };
    let mut piece = Piece::new(PieceKind::Array(CopyGroup { settings, ..CopyGroup::default() }));
    points::give_line(&mut piece);
    assert_eq!(points::handles(&piece), [[4000.0, 4000.0], [4800.0, 4800.0], [5600.0, 5600.0]]);
    // the outline keeps its existing points
    points::move_handle(&mut piece, 1, [5000.0, 4000.0]).unwrap();
    let bent = piece.clone();
    points::give_line(&mut piece);
    assert_eq!(piece, bent);
}
