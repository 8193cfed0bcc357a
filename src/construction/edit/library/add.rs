//! Adds the pieces of the library to a construction tree, each at a spot that suits its role.

use super::super::transform_path::TransformPath;
use super::super::{
    EditError, PiecePath, Root, Spot, Wrap, apply_or_undo, insert, link_group, put_on_material, set_material,
    spot_beside, unused_name, wrap_root,
};
use super::{Item, Role};
use crate::compiled_program::Program;
use crate::geometry::plane::Point;
use crate::materials::MaterialLayer;
use crate::operators::replace::Extent;
use crate::piece::{Piece, PieceKind, Tree};
use crate::primitives::curve::{Cross, Curve, CurvePoint, CurveSettings};
use crate::primitives::ground::ReliefStyle;
use crate::sample::{Detail, THRESHOLD};

/// Returns the spot (parent and child index) for a new piece. `near` is the selected piece; `on_ground` is true if
/// there is ground at the new piece's position. Existing pieces are wrapped in operators if necessary.
///
/// # Errors
/// When operators would be nested too deeply.
pub fn spot_for(tree: &mut Tree, near: Option<&PiecePath>, role: Role, on_ground: bool) -> Result<Spot, EditError> {
    let near = near.filter(|path| path.piece(tree).is_some());
    let is_relief = |path: &PiecePath| path.root == Root::Material(MaterialLayer::Terrain) && path.is_root();
    if let Some(path) = near.filter(|path| !is_relief(path)) {
        let piece = path.piece(tree).ok_or(EditError::Gone)?;
        // a piece added next to copies must not be repeated together with the copies
        let is_repeated = matches!(piece.kind, PieceKind::Array(_) | PieceKind::Scatter(_));
        if piece.takes_pieces() && (!is_repeated || piece.children().is_empty()) {
            return Ok(Spot { parent: path.clone(), at: piece.children().len() });
        }
        // a selected primitive of the terrain layer does not determine the spot of the next piece
        if path.root != Root::Material(MaterialLayer::Terrain) {
            return spot_beside(tree, path);
        }
    }
    let mut here = PiecePath::material(MaterialLayer::Terrain);
    loop {
        let piece = here.piece(tree).ok_or(EditError::Gone)?;
        let end = Spot { parent: here.clone(), at: piece.children().len() };
        if piece.takes_pieces() && piece.children().is_empty() {
            return Ok(end);
        }
        match (&piece.kind, role) {
            (PieceKind::Blend(_), Role::Ground) => return Ok(end),
            (PieceKind::Warp(group), _) if group.children.len() == 1 => here = here.child(0),
            (PieceKind::Place(group), _) if group.children.len() == 1 => here = here.child(0),
            (PieceKind::Gullies(group), Role::Ground) if group.children.len() == 1 => here = here.child(0),
            (PieceKind::Warp(_) | PieceKind::Place(_) | PieceKind::Gullies(_), Role::Ground) => return Ok(end),
            (PieceKind::Add(_), Role::Lay) => return Ok(end),
            (_, Role::Lay) => {
                wrap_root(tree, &here, Wrap::Add)?;
                return Ok(Spot { parent: here, at: 1 });
            }
            (PieceKind::Replace(_) | PieceKind::Add(_) | PieceKind::Detail(_), Role::Ground) => here = here.child(0),
            (_, Role::Ground) => {
                wrap_root(tree, &here, Wrap::Blend)?;
                return Ok(Spot { parent: here, at: 1 });
            }
            (PieceKind::Replace(group), Role::Carve) if on_ground || group.settings.extent == Extent::Both => {
                return Ok(end);
            }
            (_, Role::Carve) => {
                wrap_root(tree, &here, Wrap::Replace)?;
                if let Some(Piece { kind: PieceKind::Replace(group), .. }) = here.piece_mut(tree) {
                    group.settings.extent = Extent::Both;
                }
                return Ok(Spot { parent: here, at: 1 });
            }
        }
    }
}

/// Adds a ready-made piece at a position and returns its path. `program` is the construction tree compiled before the
/// edit.
///
/// # Errors
/// When the construction tree would become invalid.
pub fn add_item(
    tree: &mut Tree,
    item: Item,
    at: Point,
    near: Option<&PiecePath>,
    program: &Program,
    seed: u32,
) -> Result<PiecePath, EditError> {
    let mut made = tree.clone();
    let material = match near.map(|path| path.root) {
        Some(Root::Material(material)) => material,
        _ => MaterialLayer::Terrain,
    };
    let on_ground = program.sample(at, &Detail::FULL).weight >= THRESHOLD;
    let is_first = made.root(material).is_none();
    if is_first {
        set_material(&mut made, material, Some(Piece::default()));
    }
    let root = PiecePath::material(material);
    let near = if is_first { Some(&root) } else { near };
    let spot = spot_for(&mut made, near, item.role(), on_ground)?;
    let transform = TransformPath::for_child(&made, &spot.parent, spot.at, seed);
    let ground = |q: Point| transform.height_inward(program.height(transform.outward(q), &Detail::FULL));
    let mut piece = item.piece(&mut made, transform.inward(at), &ground);
    lay_on_material(&mut piece, material);
    piece.name = unused_name(&made, &item.label().to_lowercase());
    let path = insert(&mut made, &spot, piece)?;
    if material == MaterialLayer::Terrain {
        apply_or_undo(&mut made, |tree| lay_belongings(tree, &path, item, seed))?;
    }
    *tree = made;
    Ok(path)
}

/// Adds a river with its water to the terrain layer and returns the path of the river. `line` falls from its first
/// point to its last. `width` is the distance in metres from the centre line to the end of the banks, `depth` the depth
/// in metres.
///
/// # Errors
/// When the construction tree would become invalid.
pub fn add_river(
    tree: &mut Tree,
    line: Vec<CurvePoint>,
    width: f32,
    depth: f32,
    seed: u32,
) -> Result<PiecePath, EditError> {
    let mut made = tree.clone();
    let spot = spot_for(&mut made, None, Role::Carve, true)?;
    let settings =
        CurveSettings { cross: Cross::River, width, depth, fade: width, downhill: true, ..CurveSettings::default() };
    let mut piece = Piece::new(PieceKind::Curve(Curve { points: line, settings }));
    piece.name = unused_name(&made, &Item::River.label().to_lowercase());
    let path = insert(&mut made, &spot, piece)?;
    apply_or_undo(&mut made, |tree| lay_belongings(tree, &path, Item::River, seed))?;
    *tree = made;
    Ok(path)
}

/// Adds the linked pieces of a new relief piece (water, sand, snow, plants) to the other material layers.
fn lay_belongings(tree: &mut Tree, path: &PiecePath, item: Item, seed: u32) -> Result<(), EditError> {
    let piece = path.piece(tree).cloned().ok_or(EditError::Gone)?;
    let laid = item.linked_parts(&piece, &TransformPath::for_piece(tree, path, seed));
    if laid.is_empty() {
        return Ok(());
    }
    let name = link_group::unused(tree, &piece.name);
    if let Some(piece) = path.piece_mut(tree) {
        piece.link_group.clone_from(&name);
    }
    for (material, form) in laid {
        let belonging = Piece { link_group: name.clone(), ..Piece::named(&piece.name, form) };
        let belonging = link_group::wrapped_as(tree, path, belonging);
        put_on_material(tree, material, belonging)?;
    }
    Ok(())
}

/// Sets the height values of a piece in another material layer to the usual thickness or density of this layer.
fn lay_on_material(piece: &mut Piece, material: MaterialLayer) {
    let usual = match material {
        MaterialLayer::Terrain => return,
        MaterialLayer::Water => None,
        MaterialLayer::Sand => Some(12.0),
        MaterialLayer::Snow => Some(3.0),
        MaterialLayer::Vegetation => Some(0.8),
    };
    match &mut piece.kind {
        PieceKind::Disc(disc) => {
            disc.surface = ReliefStyle::Level;
            disc.height = usual.unwrap_or(disc.height);
        }
        PieceKind::Contour(contour) => {
            contour.settings.height = usual.unwrap_or(contour.settings.height);
            contour.settings.depth = 0.0;
        }
        PieceKind::Curve(curve) => {
            curve.settings.cross = Cross::Bank;
            curve.points.iter_mut().for_each(|point| point.height = usual.unwrap_or(point.height));
        }
        _ => {}
    }
}
