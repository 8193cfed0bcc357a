//! Edits of a construction tree: inserting, removing, copying and renaming pieces, and moving pieces between operators.
//!
//! A [`PiecePath`] locates a piece by its child indices, from a root piece down. Every edit produces a construction
//! tree that [`Tree::check`] accepts. Otherwise the edit leaves the tree unchanged and returns the reason.
//!
//! | file | contents |
//! |---|---|
//! | [`transform_path`] | maps between a piece's own coordinates and those of the construction, through all operators that contain the piece |
//! | [`reshape`] | move, rotate, scale and raise pieces |
//! | [`points`] | points of curves and contours, corners of images |
//! | [`freehand`] | fit a few points to a line drawn by hand |
//! | [`dimensions`] | radii, widths, steps of arrays, stretching and shearing |
//! | [`snap`] | drape curves on the ground below, lower points of rivers so that they flow downhill |
//! | [`pick_index`] | find the pieces at a point, and the outlines of their extents |
//! | [`library`] | ready-made pieces, and the operator to which a new piece is added |
//! | [`link_group`] | linked pieces: a lake and its water |
//! | [`several`] | edits of several pieces at once |

pub mod dimensions;
pub mod freehand;
pub mod library;
pub mod link_group;
pub mod pick_index;
pub mod points;
pub mod reshape;
pub mod several;
pub mod snap;
pub mod transform_path;

pub use super::piece::Wrap;
pub use several::group;

use super::check::TreeError;
use super::materials::MaterialLayer;
use super::operators::placement::Placement;
use super::operators::replace::Extent;
use super::piece::{Definition, Instance, Piece, PieceKind, Tree};

/// The root piece at which a path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The root piece of a material layer.
    Material(MaterialLayer),
    /// The root piece of a definition, by the index of the definition.
    Definition(usize),
}

/// Location of a piece in a construction tree: a root piece, then a child index for each level below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PiecePath {
    /// The material layer or definition that contains the piece.
    pub root: Root,
    /// Child index at each step.
    pub steps: Vec<usize>,
}

/// A position for a piece among the children of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The operator that will hold the piece.
    pub parent: PiecePath,
    /// The child index that the piece will have.
    pub at: usize,
}

/// Reason why an edit was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A piece would contain itself.
    #[error("a feature cannot contain itself")]
    IntoItself,
    /// The new parent is a primitive, which cannot hold pieces.
    #[error("only operators can hold features")]
    NotAnOperator,
    /// The root piece of a material layer cannot be moved.
    #[error("the root of a material layer cannot be moved; move the features inside this root")]
    RootStays,
    /// The children cannot take the position of the operator in its parent.
    #[error("the operator is empty, or it holds several features in a position that allows only one feature")]
    CannotDissolve,
    /// The children would move if the operator were removed.
    #[error("the operator moves or warps its features; removing the operator would move them")]
    WouldJump,
    /// The construction tree has no piece at the given path.
    #[error("the feature no longer exists")]
    Gone,
    /// The point cannot be removed, because the piece would have too few points.
    #[error("a line needs at least two points, and a contour at least three")]
    TooFewPoints,
    /// The piece already has the maximum number of points.
    #[error("the line already has the maximum number of points")]
    TooManyPoints,
    /// The corners of an image would not form a convex quadrangle.
    #[error("the corners would no longer form a convex quadrangle")]
    NotConvex,
    /// An outline would cross or touch itself.
    #[error("the outline would cross or touch itself, or enclose nothing")]
    NotSimple,
    /// The pieces are not siblings.
    #[error("only features in the same operator can be grouped")]
    NotBeside,
    /// The edited construction tree would be invalid.
    #[error("{0}")]
    InvalidTree(#[from] TreeError),
}

impl PiecePath {
    /// Path of the root of `material`.
    pub fn material(material: MaterialLayer) -> Self {
        Self { root: Root::Material(material), steps: Vec::new() }
    }

    /// Path of the root of definition `index`.
    pub fn definition(index: usize) -> Self {
        Self { root: Root::Definition(index), steps: Vec::new() }
    }

    /// Path of child `index`.
    pub fn child(&self, index: usize) -> Self {
        let mut steps = self.steps.clone();
        steps.push(index);
        Self { root: self.root, steps }
    }

    /// Whether this is the path of a root piece.
    pub fn is_root(&self) -> bool {
        self.steps.is_empty()
    }

    /// Path of the parent; `None` for a root.
    pub fn parent(&self) -> Option<Self> {
        let (_, steps) = self.steps.split_last()?;
        Some(Self { root: self.root, steps: steps.to_vec() })
    }

    /// Child index in the parent; 0 for a root.
    pub fn index(&self) -> usize {
        self.steps.last().copied().unwrap_or(0)
    }

    /// Whether `other` is this piece or inside it.
    pub fn holds(&self, other: &Self) -> bool {
        self.root == other.root && other.steps.starts_with(&self.steps)
    }

    /// The piece at this path, if `tree` has a piece there.
    pub fn piece<'a>(&self, tree: &'a Tree) -> Option<&'a Piece> {
        let root = match self.root {
            Root::Material(material) => tree.root(material)?,
            Root::Definition(index) => &tree.definitions.get(index)?.piece,
        };
        self.steps.iter().try_fold(root, |piece, &k| piece.children().get(k))
    }

    /// The piece at this path, mutable, if `tree` has a piece there.
    pub fn piece_mut<'a>(&self, tree: &'a mut Tree) -> Option<&'a mut Piece> {
        let root = match self.root {
            Root::Material(material) => material_mut(tree, material)?,
            Root::Definition(index) => &mut tree.definitions.get_mut(index)?.piece,
        };
        self.steps.iter().try_fold(root, |piece, &k| piece.children_mut()?.get_mut(k))
    }

    /// Whether the piece or an operator that contains it is locked.
    pub fn is_locked(&self, tree: &Tree) -> bool {
        (0..=self.steps.len()).any(|k| {
            let path = Self { root: self.root, steps: self.steps[..k].to_vec() };
            path.piece(tree).is_some_and(|piece| piece.locked)
        })
    }

    /// The path of the same piece after child `at` of `parent` is removed; `None` if the piece was inside this child.
    fn after_removal(&self, parent: &Self, at: usize) -> Option<Self> {
        let mut path = self.clone();
        let depth = parent.steps.len();
        if parent.holds(self) && self.steps.len() > depth {
            match self.steps[depth].cmp(&at) {
                std::cmp::Ordering::Equal => return None,
                std::cmp::Ordering::Greater => path.steps[depth] -= 1,
                std::cmp::Ordering::Less => {}
            }
        }
        Some(path)
    }
}

fn material_mut(tree: &mut Tree, material: MaterialLayer) -> Option<&mut Piece> {
    match material {
        MaterialLayer::Terrain => Some(&mut tree.terrain),
        MaterialLayer::Water => tree.water.as_mut(),
        MaterialLayer::Sand => tree.sand.as_mut(),
        MaterialLayer::Snow => tree.snow.as_mut(),
        MaterialLayer::Vegetation => tree.vegetation.as_mut(),
    }
}

fn set_material(tree: &mut Tree, material: MaterialLayer, piece: Option<Piece>) {
    match material {
        MaterialLayer::Terrain => tree.terrain = piece.unwrap_or_default(),
        MaterialLayer::Water => tree.water = piece,
        MaterialLayer::Sand => tree.sand = piece,
        MaterialLayer::Snow => tree.snow = piece,
        MaterialLayer::Vegetation => tree.vegetation = piece,
    }
}

/// Applies an edit. The edit is undone if it fails or leaves an invalid construction tree.
fn apply_or_undo<T>(tree: &mut Tree, edit: impl FnOnce(&mut Tree) -> Result<T, EditError>) -> Result<T, EditError> {
    let before = tree.clone();
    let done = edit(tree).and_then(|done| tree.check().map(|()| done).map_err(EditError::from));
    if done.is_err() {
        *tree = before;
    }
    done
}

fn remove_piece(tree: &mut Tree, path: &PiecePath) -> Result<Piece, EditError> {
    let parent = path.parent().ok_or(EditError::RootStays)?;
    let children = parent.piece_mut(tree).and_then(Piece::children_mut).ok_or(EditError::Gone)?;
    if path.index() >= children.len() {
        return Err(EditError::Gone);
    }
    Ok(children.remove(path.index()))
}

/// Inserts a piece at a spot and returns its path.
///
/// # Errors
/// When the parent is not an operator, or the construction tree would become invalid.
pub fn insert(tree: &mut Tree, spot: &Spot, piece: Piece) -> Result<PiecePath, EditError> {
    apply_or_undo(tree, |tree| insert_piece(tree, spot, piece))
}

fn insert_piece(tree: &mut Tree, spot: &Spot, piece: Piece) -> Result<PiecePath, EditError> {
    let parent = spot.parent.piece_mut(tree).ok_or(EditError::Gone)?;
    let children = parent.children_mut().ok_or(EditError::NotAnOperator)?;
    let at = spot.at.min(children.len());
    children.insert(at, piece);
    Ok(spot.parent.child(at))
}

/// Checks whether [`relocate`] would succeed.
///
/// # Errors
/// Returns the reason why [`relocate`] would fail.
pub fn may_relocate(tree: &Tree, from: &PiecePath, spot: &Spot) -> Result<(), EditError> {
    if from.is_root() {
        return Err(EditError::RootStays);
    }
    relocate(&mut tree.clone(), from, spot).map(|_| ())
}

/// Moves a piece to a spot and returns its new path. The child index of the spot is counted before the move. A missing
/// material layer is created. If the root of the layer is a primitive, this primitive and the moved piece are wrapped
/// in a blend.
///
/// # Errors
/// When the piece would become part of itself or of a primitive, or when the construction tree would become invalid.
pub fn relocate(tree: &mut Tree, from: &PiecePath, spot: &Spot) -> Result<PiecePath, EditError> {
    if from.holds(&spot.parent) {
        return Err(EditError::IntoItself);
    }
    apply_or_undo(tree, |tree| {
        let home = from.parent().ok_or(EditError::RootStays)?;
        let piece = remove_piece(tree, from)?;
        let parent = spot.parent.after_removal(&home, from.index()).ok_or(EditError::IntoItself)?;
        let shifts = home == spot.parent && spot.at > from.index();
        let mut at = spot.at - usize::from(shifts);
        if let (Root::Material(material), true) = (parent.root, parent.is_root())
            && ensure_layer_holds_pieces(tree, material)?
        {
            at = 1;
        }
        insert_piece(tree, &Spot { parent, at }, piece)
    })
}

/// Ensures that the root of a material layer is an operator. Returns whether the root was a primitive, which is then
/// the first piece in a new blend.
fn ensure_layer_holds_pieces(tree: &mut Tree, material: MaterialLayer) -> Result<bool, EditError> {
    match tree.root(material).map(Piece::takes_pieces) {
        None => set_material(tree, material, Some(Piece::default())),
        Some(false) => {
            wrap_root(tree, &PiecePath::material(material), Wrap::Blend)?;
            return Ok(true);
        }
        Some(true) => {}
    }
    Ok(false)
}

/// Adds a linked piece to a material layer, in the same operator as the other linked pieces. Linked pieces replace the
/// rest of the layer. A river on an island thus keeps its own level instead of being averaged with the level of the
/// sea.
fn put_on_material(tree: &mut Tree, material: MaterialLayer, piece: Piece) -> Result<PiecePath, EditError> {
    ensure_layer_holds_pieces(tree, material)?;
    let root = PiecePath::material(material);
    let holds_belongings = |piece: &Piece| {
        matches!(&piece.kind, PieceKind::Blend(group) if group.children.iter().all(link_group::is_bound))
            && !piece.hidden
    };
    let parent = match root.piece(tree) {
        Some(piece) if holds_belongings(piece) => root,
        Some(Piece { kind: PieceKind::Replace(group), .. }) if group.children.last().is_some_and(holds_belongings) => {
            root.child(group.children.len() - 1)
        }
        _ => {
            wrap_root(tree, &root, Wrap::Replace)?;
            if let Some(PieceKind::Replace(group)) = root.piece_mut(tree).map(|piece| &mut piece.kind) {
                group.settings.extent = Extent::Both;
                group.children.push(Piece::default());
            }
            root.child(1)
        }
    };
    let at = parent.piece(tree).map_or(0, |piece| piece.children().len());
    insert_piece(tree, &Spot { parent, at }, piece)
}

/// Removes a piece. Removing the root of a material layer removes the layer. Removing a definition also removes all its
/// instances. Returns the path to select next.
///
/// # Errors
/// When the piece does not exist.
pub fn remove(tree: &mut Tree, path: &PiecePath) -> Result<Option<PiecePath>, EditError> {
    path.piece(tree).ok_or(EditError::Gone)?;
    match (path.root, path.parent()) {
        (Root::Material(material), None) => {
            set_material(tree, material, None);
            Ok(None)
        }
        (Root::Definition(index), None) => {
            let name = tree.definitions.remove(index).name;
            let shows = |piece: &Piece| matches!(&piece.kind, PieceKind::Instance(i) if i.definition == name);
            for (_, root) in tree.roots_mut() {
                root.visit_mut(&mut |piece| {
                    if let Some(children) = piece.children_mut() {
                        children.retain(|child| !shows(child));
                    }
                });
            }
            for material in MaterialLayer::ALL {
                if tree.root(material).is_some_and(shows) {
                    set_material(tree, material, None);
                }
            }
            // also remove definitions that consist only of an instance of the removed definition
            tree.definitions.retain(|definition| !shows(&definition.piece));
            Ok(None)
        }
        (_, Some(parent)) => {
            remove_piece(tree, path)?;
            let left = parent.piece(tree).map_or(0, |piece| piece.children().len());
            Ok(Some(if left == 0 { parent } else { parent.child(path.index().min(left - 1)) }))
        }
    }
}

/// The spot directly after a piece, in the same operator. A root piece is wrapped in a blend first.
fn spot_beside(tree: &mut Tree, path: &PiecePath) -> Result<Spot, EditError> {
    if let Some(parent) = path.parent() {
        return Ok(Spot { parent, at: path.index() + 1 });
    }
    wrap_root(tree, path, Wrap::Blend)?;
    Ok(Spot { parent: path.clone(), at: 1 })
}

fn wrap_root(tree: &mut Tree, path: &PiecePath, wrap: Wrap) -> Result<(), EditError> {
    let root = path.piece_mut(tree).ok_or(EditError::Gone)?;
    let inner = std::mem::take(root);
    *root = Piece::new(wrap.wrapped(vec![inner]));
    Ok(())
}

/// Inserts a copy of a piece directly after the piece. The copy is shifted by `by` metres to the south-east. Returns
/// the path of the copy.
///
/// # Errors
/// When the piece does not exist, or the construction tree would have too many pieces.
pub fn duplicate(tree: &mut Tree, path: &PiecePath, by: f64) -> Result<PiecePath, EditError> {
    apply_or_undo(tree, |tree| {
        let piece = path.piece(tree).ok_or(EditError::Gone)?;
        let mut copy = reshape::Similarity::shift([by, by]).applied(piece);
        copy.locked = false;
        if !copy.name.is_empty() {
            copy.name = unused_name(tree, &copy.name);
        }
        if let Root::Definition(index) = path.root
            && path.is_root()
        {
            let name = unused_original(tree, &tree.definitions[index].name);
            tree.definitions.push(Definition { name, piece: copy });
            return Ok(PiecePath::definition(tree.definitions.len() - 1));
        }
        let spot = spot_beside(tree, path)?;
        insert_piece(tree, &spot, copy)
    })
}

/// Replaces an operator by the pieces that it holds.
///
/// # Errors
/// When the piece is not an operator, when it is a root that holds more than one piece, or when the pieces inside would
/// move.
pub fn dissolve(tree: &mut Tree, path: &PiecePath) -> Result<PiecePath, EditError> {
    apply_or_undo(tree, |tree| {
        let piece = path.piece_mut(tree).ok_or(EditError::Gone)?;
        let plain = match &piece.kind {
            PieceKind::Place(group) => group.settings == Placement::default(),
            PieceKind::Warp(_) | PieceKind::Array(_) | PieceKind::Scatter(_) => false,
            _ => true,
        };
        if !plain {
            return Err(EditError::WouldJump);
        }
        let children = piece.children_mut().map(std::mem::take).ok_or(EditError::CannotDissolve)?;
        match path.parent() {
            None => {
                let [only] = <[Piece; 1]>::try_from(children).map_err(|_| EditError::CannotDissolve)?;
                *path.piece_mut(tree).ok_or(EditError::Gone)? = only;
            }
            Some(_) if children.is_empty() => return Err(EditError::CannotDissolve),
            Some(parent) => {
                let list = parent.piece_mut(tree).and_then(Piece::children_mut).ok_or(EditError::Gone)?;
                list.splice(path.index()..=path.index(), children);
            }
        }
        Ok(path.clone())
    })
}

/// Turns a piece into a definition with two instances. The first instance replaces the piece; the second is shifted by
/// `by` metres to the south-east. If the piece is already an instance, one more instance is added. Returns the path of
/// the new instance.
///
/// # Errors
/// When the piece does not exist, or a definition would contain itself.
pub fn instantiate(tree: &mut Tree, path: &PiecePath, by: f64) -> Result<PiecePath, EditError> {
    let pivot = pick_index::centre(tree, path).unwrap_or_default();
    apply_or_undo(tree, |tree| {
        let piece = path.piece(tree).ok_or(EditError::Gone)?.clone();
        if matches!(piece.kind, PieceKind::Instance(_)) {
            let copy = reshape::Similarity::shift([by, by]).applied(&piece);
            let spot = spot_beside(tree, path)?;
            return insert_piece(tree, &spot, copy);
        }
        let placed = |definition: String| {
            let settings = Placement { pivot_x: pivot[0] as f32, pivot_y: pivot[1] as f32, ..Placement::default() };
            Piece::new(PieceKind::Instance(Instance { definition, settings }))
        };
        if let (Root::Definition(index), true) = (path.root, path.is_root()) {
            let copy = reshape::Similarity::shift([by, by]).applied(&placed(tree.definitions[index].name.clone()));
            let spot = library::spot_for(tree, None, library::Role::Carve, true)?;
            return insert_piece(tree, &spot, copy);
        }
        let wanted = if piece.name.is_empty() { piece.kind() } else { piece.name.as_str() };
        let name = unused_original(tree, wanted);
        let first = Piece { name: piece.name.clone(), locked: piece.locked, ..placed(name.clone()) };
        let second = reshape::Similarity::shift([by, by]).applied(&placed(name.clone()));
        tree.definitions.push(Definition { name, piece: Piece { locked: false, ..piece } });
        *path.piece_mut(tree).ok_or(EditError::Gone)? = first;
        let spot = spot_beside(tree, path)?;
        insert_piece(tree, &spot, second)
    })
}

/// Renames a piece, or a definition along with all its instances.
pub fn rename(tree: &mut Tree, path: &PiecePath, name: &str) {
    let name = name.trim();
    if let (Root::Definition(index), true) = (path.root, path.is_root()) {
        let taken = tree.definitions.iter().enumerate().any(|(k, d)| k != index && d.name == name);
        if name.is_empty() || taken {
            return;
        }
        let Some(definition) = tree.definitions.get_mut(index) else { return };
        let old = std::mem::replace(&mut definition.name, name.into());
        for (_, root) in tree.roots_mut() {
            root.visit_mut(&mut |piece| match &mut piece.kind {
                PieceKind::Instance(instance) if instance.definition == old => instance.definition = name.into(),
                _ => {}
            });
        }
    } else if let Some(piece) = path.piece_mut(tree) {
        piece.name = name.into();
    }
}

/// Returns the name `wanted`, with a number appended if a piece already has this name.
pub fn unused_name(tree: &Tree, wanted: &str) -> String {
    let mut names = Vec::new();
    for (_, root) in tree.roots() {
        root.visit(&mut |piece| names.push(piece.name.clone()));
    }
    numbered(wanted, |name| names.iter().any(|n| n == name))
}

fn unused_original(tree: &Tree, wanted: &str) -> String {
    numbered(wanted, |name| tree.definition(name).is_some())
}

fn numbered(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(wanted) {
        return wanted.into();
    }
    let stem = wanted.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    let stem = if stem.is_empty() { wanted } else { stem };
    (2..).map(|k| format!("{stem} {k}")).find(|name| !is_taken(name)).unwrap_or_default()
}

impl Piece {
    /// Whether the piece is an operator, which can hold pieces.
    pub fn takes_pieces(&self) -> bool {
        self.kind.as_form().children().is_some()
    }

    /// Whether the piece is an array or a scatter, which repeats the pieces inside.
    pub fn repeats(&self) -> bool {
        matches!(self.kind, PieceKind::Array(_) | PieceKind::Scatter(_))
    }

    /// Title of the piece in lists: its name or, if it has no name, its kind.
    pub fn title(&self) -> String {
        match &self.kind {
            _ if !self.name.is_empty() => self.name.clone(),
            PieceKind::Instance(instance) => instance.definition.clone(),
            _ => {
                let mut letters = self.kind().chars();
                letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests;
