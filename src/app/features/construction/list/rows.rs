//! The rows of the list, in the order of the construction tree, with their titles and icons.

use egui_phosphor::regular as icon;

use super::TreeState;
use talweg::construction::edit::{PiecePath, Root};
use talweg::construction::{MaterialLayer, Piece, PieceKind, Tree};

/// A row of the list of pieces.
pub(super) struct PieceRow<'a> {
    pub(super) path: PiecePath,
    pub(super) depth: usize,
    pub(super) piece: Option<&'a Piece>,
    pub(super) title: String,
    pub(super) icon: &'static str,
    pub(super) help: &'static str,
}

pub(super) fn list<'a>(tree: &'a Tree, state: &TreeState) -> Vec<PieceRow<'a>> {
    let mut rows = Vec::new();
    for material in MaterialLayer::ALL {
        let (title, icon, help) = material_words(material);
        let (path, piece) = (PiecePath::material(material), tree.root(material));
        rows.push(PieceRow { path: path.clone(), depth: 0, piece, title: title.into(), icon, help });
        if let Some(piece) = piece {
            add_children(piece, &path, 1, state, &mut rows);
        }
    }
    for (k, definition) in tree.definitions.iter().enumerate() {
        let (path, piece) = (PiecePath::definition(k), &definition.piece);
        let help = "Original: editing it changes all of its instances.";
        let title = definition.name.clone();
        rows.push(PieceRow { path: path.clone(), depth: 0, piece: Some(piece), title, icon: icon::STACK_PLUS, help });
        add_children(piece, &path, 1, state, &mut rows);
    }
    rows
}

fn add_children<'a>(piece: &'a Piece, path: &PiecePath, depth: usize, state: &TreeState, rows: &mut Vec<PieceRow<'a>>) {
    if state.folded.contains(path) {
        return;
    }
    for (k, child) in piece.children().iter().enumerate() {
        let (path, icon) = (path.child(k), piece_icon(child));
        let help = child.params().about().help;
        rows.push(PieceRow { path: path.clone(), depth, piece: Some(child), title: child.title(), icon, help });
        add_children(child, &path, depth + 1, state, rows);
    }
}

/// The display name of a piece. The name of a root is its material layer, or says that the root is an original.
pub fn title_of(tree: &Tree, path: &PiecePath, piece: &Piece) -> String {
    match path.root {
        Root::Material(material) if path.is_root() => material_words(material).0.into(),
        Root::Definition(k) if path.is_root() => tree.definitions[k].name.clone(),
        _ => piece.title(),
    }
}

/// The icon of a piece.
pub fn piece_icon(piece: &Piece) -> &'static str {
    match &piece.kind {
        PieceKind::Disc(_) => icon::CIRCLE,
        PieceKind::Curve(_) => icon::PATH,
        PieceKind::Contour(_) => icon::POLYGON,
        PieceKind::Image(_) => icon::IMAGE,
        PieceKind::Ribbon(_) => icon::FILM_STRIP,
        PieceKind::Instance(_) => icon::LINK,
        PieceKind::Blend(_) => icon::UNITE,
        PieceKind::Replace(_) => icon::EXCLUDE,
        PieceKind::Add(_) => icon::PLUS_CIRCLE,
        PieceKind::Warp(_) => icon::WAVES,
        PieceKind::Place(_) => icon::ARROWS_OUT_CARDINAL,
        PieceKind::Detail(_) => icon::MAGNIFYING_GLASS,
        PieceKind::Gullies(_) => icon::TREE_STRUCTURE,
        PieceKind::Array(_) => icon::GRID_NINE,
        PieceKind::Scatter(_) => icon::DOTS_NINE,
    }
}

/// Name, icon and description of a material layer.
pub fn material_words(material: MaterialLayer) -> (&'static str, &'static str, &'static str) {
    match material {
        MaterialLayer::Terrain => ("Relief", icon::MOUNTAINS, "Surface of the terrain."),
        MaterialLayer::Water => {
            ("Water", icon::DROP, "Heights of water surfaces. Water is visible where it lies above the terrain.")
        }
        MaterialLayer::Sand => ("Sand", icon::GRAINS, "Thickness of sand on the terrain."),
        MaterialLayer::Snow => ("Snow", icon::SNOWFLAKE, "Thickness of snow on the terrain."),
        MaterialLayer::Vegetation => ("Plants", icon::PLANT, "Plant density, from 0 to 1."),
    }
}
