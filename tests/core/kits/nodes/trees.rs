//! Extreme construction trees that nobody would build.

use talweg::construction::{Piece, PieceKind, Tree};
use talweg::param::{ParamKind, Value};

/// A construction tree with every primitive under every operator. All numbers are at the upper ends of their ranges if
/// `high`, otherwise at the lower ends.
fn cornered(high: bool) -> Tree {
    let mut tree = Tree { terrain: Piece::new(PieceKind::Replace(Default::default())), ..Tree::default() };
    let place = if high { 1.0e6 } else { -1.0e6 };
    let corners = [(0.0, 0.0), (place, 0.0), (place, place), (0.0, place)];
    let point = |k: usize| {
        let mut point = talweg::construction::primitives::curve::CurvePoint::new(place * k as f32, -place, place * 0.1);
        (point.width, point.depth) = if high { (100.0, 100.0) } else { (0.01, -100.0) };
        point
    };
    let leaves = || -> Vec<Piece> {
        let points: Vec<_> = (0..3).map(point).collect();
        let curve = talweg::construction::primitives::curve::Curve { points: points.clone(), ..Default::default() };
        let ribbon = talweg::construction::primitives::ribbon::Ribbon { points, ..Default::default() };
        let image = talweg::construction::primitives::image::Image { corners, ..Default::default() };
        vec![
            Piece::new(PieceKind::Disc(Default::default())),
            Piece::new(PieceKind::Curve(curve)),
            Piece::new(PieceKind::Contour(Default::default())),
            Piece::new(PieceKind::Image(image)),
            Piece::new(PieceKind::Ribbon(ribbon)),
        ]
    };
    let group = |mut form: Piece| {
        form.children_mut().expect("an operator").extend(leaves());
        form
    };
    let operators = [
        PieceKind::Blend(Default::default()),
        PieceKind::Add(Default::default()),
        PieceKind::Warp(Default::default()),
        PieceKind::Place(Default::default()),
        PieceKind::Detail(Default::default()),
        PieceKind::Gullies(Default::default()),
        PieceKind::Array(Default::default()),
        PieceKind::Scatter(Default::default()),
    ];
    let all = operators.into_iter().map(|form| group(Piece::new(form)));
    tree.terrain.children_mut().expect("an operator").extend(all);
    tree.terrain.visit_mut(&mut |piece| {
        let params = piece.params_mut();
        for (k, spec) in params.about().params.iter().enumerate() {
            let value = match &spec.kind {
                ParamKind::Float { hard, .. } => Value::Float(if high { hard.1 } else { hard.0 }),
                ParamKind::Int { hard, .. } => Value::Int(if high { hard.1 } else { hard.0 }),
                ParamKind::Bool => Value::Bool(high),
                ParamKind::Choice(options) => Value::Choice(if high { options.len() - 1 } else { 0 }),
                _ => continue,
            };
            params.set(k, &value).expect("a value of its kind");
        }
    });
    tree.water = Some(tree.terrain.clone());
    tree.snow = Some(tree.terrain.clone());
    tree
}

/// An empty construction tree, and trees with every number at one end of its range.
pub fn extreme() -> Vec<Tree> {
    vec![Tree::default(), cornered(false), cornered(true)]
}
