//! Hands on a tree: which piece is meant, and the edits that put pieces elsewhere.
//!
//! A [`PiecePath`] says where a piece is in its tree, from one of the roots down. Every edit leaves a tree that
//! [`Tree::check`] takes, or leaves it as it was and says why.
//!
//! | file | what it holds |
//! |---|---|
//! | [`transform_path`] | from a piece's own metres to those of the tree and back, through everything it is in |
//! | [`reshape`] | pieces moved, turned, scaled, raised |
//! | [`points`] | points of curves and contours, corners of images |
//! | [`dimensions`] | radii, widths, steps of arrays, stretching and shearing |
//! | [`snap`] | curves laid on the ground below, rivers made to fall |
//! | [`pick_index`] | which pieces are at a place, and the outlines of where they end |
//! | [`library`] | pieces to begin with, and where a new one goes |
//! | [`link_group`] | pieces that go together: a lake and its water |

pub mod dimensions;
pub mod library;
pub mod link_group;
pub mod pick_index;
pub mod points;
pub mod reshape;
pub mod snap;
pub mod transform_path;

use super::check::TreeError;
use super::materials::MaterialLayer;
use super::operators::placement::Placement;
use super::operators::replace::Extent;
use super::piece::{CopyGroup, Definition, Instance, OperatorGroup, Piece, PieceKind, Tree};

/// What a way begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The piece of a material layer.
    Material(MaterialLayer),
    /// By its number.
    Definition(usize),
}

/// Where a piece is: a root, and from there the number of the child at each step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PiecePath {
    /// The tree or the original that it lies in.
    pub root: Root,
    /// Number of the child at each step.
    pub steps: Vec<usize>,
}

/// Where a piece can be put: among the children of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The operator that will hold the piece.
    pub parent: PiecePath,
    /// The number that it will have.
    pub at: usize,
}

/// Why an edit was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A piece would lie in itself.
    #[error("a feature cannot go into itself")]
    IntoItself,
    /// Primitives hold no pieces.
    #[error("only an operator takes features")]
    NotAnOperator,
    /// The piece of a material layer cannot be moved.
    #[error("the ground of a material layer stays where it is; move what is in it")]
    RootStays,
    /// The children do not fit where the operator is.
    #[error("it holds no features, or more than its place has room for")]
    CannotDissolve,
    /// The children are elsewhere without the operator.
    #[error("it moves or bends what is in it; without it the features would jump")]
    WouldJump,
    /// There is no such piece.
    #[error("the feature is not there any more")]
    Gone,
    /// The form needs the point.
    #[error("a line needs two points, a contour three")]
    TooFewPoints,
    /// The form takes no further point.
    #[error("there are as many points as there can be")]
    TooManyPoints,
    /// The corners of an image must be convex.
    #[error("the corners would not stay convex")]
    NotConvex,
    /// An outline must not cross itself.
    #[error("the outline would cross or touch itself, or enclose nothing")]
    NotSimple,
    /// The tree would break a rule.
    #[error("{0}")]
    Unsound(#[from] TreeError),
}

/// An operator to put around a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// [`PieceKind::Blend`].
    Blend,
    /// [`PieceKind::Replace`].
    Replace,
    /// [`PieceKind::Add`].
    Add,
    /// [`PieceKind::Warp`].
    Warp,
    /// [`PieceKind::Place`].
    Place,
    /// [`PieceKind::Detail`].
    Detail,
    /// [`PieceKind::Gullies`].
    Gullies,
    /// [`PieceKind::Array`].
    Array,
    /// [`PieceKind::Scatter`].
    Scatter,
}

impl Wrap {
    /// All of them, in the order of the menu.
    pub const ALL: [Self; 9] = [
        Self::Blend,
        Self::Replace,
        Self::Add,
        Self::Warp,
        Self::Gullies,
        Self::Place,
        Self::Detail,
        Self::Array,
        Self::Scatter,
    ];

    fn wrapped(self, piece: Piece) -> PieceKind {
        let of = vec![piece];
        match self {
            Self::Blend => PieceKind::Blend(OperatorGroup { of, ..OperatorGroup::default() }),
            Self::Replace => PieceKind::Replace(OperatorGroup { of, ..OperatorGroup::default() }),
            Self::Add => PieceKind::Add(OperatorGroup { of, ..OperatorGroup::default() }),
            Self::Warp => PieceKind::Warp(CopyGroup { of, ..CopyGroup::default() }),
            Self::Place => PieceKind::Place(OperatorGroup { of, ..OperatorGroup::default() }),
            Self::Detail => PieceKind::Detail(OperatorGroup { of, ..OperatorGroup::default() }),
            Self::Gullies => PieceKind::Gullies(OperatorGroup { of, ..OperatorGroup::default() }),
            Self::Array => PieceKind::Array(CopyGroup { of, ..CopyGroup::default() }),
            Self::Scatter => PieceKind::Scatter(CopyGroup { of, ..CopyGroup::default() }),
        }
    }
}

impl PiecePath {
    /// The piece of `material`.
    pub fn material(material: MaterialLayer) -> Self {
        Self { root: Root::Material(material), steps: Vec::new() }
    }

    /// The piece of definition `index`.
    pub fn definition(index: usize) -> Self {
        Self { root: Root::Definition(index), steps: Vec::new() }
    }

    /// Child `index` of what is here.
    pub fn child(&self, index: usize) -> Self {
        let mut steps = self.steps.clone();
        steps.push(index);
        Self { root: self.root, steps }
    }

    /// Whether it is no child.
    pub fn is_root(&self) -> bool {
        self.steps.is_empty()
    }

    /// The piece it is in.
    pub fn parent(&self) -> Option<Self> {
        let (_, steps) = self.steps.split_last()?;
        Some(Self { root: self.root, steps: steps.to_vec() })
    }

    /// Its number among the children of its parent; 0 for a root.
    pub fn index(&self) -> usize {
        self.steps.last().copied().unwrap_or(0)
    }

    /// Whether `other` is this piece or in it.
    pub fn holds(&self, other: &Self) -> bool {
        self.root == other.root && other.steps.starts_with(&self.steps)
    }

    /// The piece, if `tree` has it.
    pub fn piece<'a>(&self, tree: &'a Tree) -> Option<&'a Piece> {
        let root = match self.root {
            Root::Material(material) => tree.root(material)?,
            Root::Definition(index) => &tree.definitions.get(index)?.piece,
        };
        self.steps.iter().try_fold(root, |piece, &k| piece.children().get(k))
    }

    /// The piece, if `tree` has it.
    pub fn piece_mut<'a>(&self, tree: &'a mut Tree) -> Option<&'a mut Piece> {
        let root = match self.root {
            Root::Material(material) => material_mut(tree, material)?,
            Root::Definition(index) => &mut tree.definitions.get_mut(index)?.piece,
        };
        self.steps.iter().try_fold(root, |piece, &k| piece.children_mut()?.get_mut(k))
    }

    /// Whether it, or something it is in, is locked.
    pub fn is_locked(&self, tree: &Tree) -> bool {
        (0..=self.steps.len()).any(|k| {
            let path = Self { root: self.root, steps: self.steps[..k].to_vec() };
            path.piece(tree).is_some_and(|piece| piece.locked)
        })
    }

    /// Follows the piece when a child of `parent` at `at` was taken out; `None` if it was in that.
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

/// Makes an edit that is taken back if it fails or leaves an unsound tree.
fn soundly<T>(tree: &mut Tree, edit: impl FnOnce(&mut Tree) -> Result<T, EditError>) -> Result<T, EditError> {
    let before = tree.clone();
    let done = edit(tree).and_then(|done| tree.check().map(|()| done).map_err(EditError::from));
    if done.is_err() {
        *tree = before;
    }
    done
}

fn take(tree: &mut Tree, path: &PiecePath) -> Result<Piece, EditError> {
    let parent = path.parent().ok_or(EditError::RootStays)?;
    let children = parent.piece_mut(tree).and_then(Piece::children_mut).ok_or(EditError::Gone)?;
    if path.index() >= children.len() {
        return Err(EditError::Gone);
    }
    Ok(children.remove(path.index()))
}

/// Puts a piece at a spot; returns its way.
///
/// # Errors
/// When the parent is no operator, or the tree would be unsound.
pub fn insert(tree: &mut Tree, spot: &Spot, piece: Piece) -> Result<PiecePath, EditError> {
    soundly(tree, |tree| put(tree, spot, piece))
}

fn put(tree: &mut Tree, spot: &Spot, piece: Piece) -> Result<PiecePath, EditError> {
    let parent = spot.parent.piece_mut(tree).ok_or(EditError::Gone)?;
    let children = parent.children_mut().ok_or(EditError::NotAnOperator)?;
    let at = spot.at.min(children.len());
    children.insert(at, piece);
    Ok(spot.parent.child(at))
}

/// Whether [`relocate`] would fail.
///
/// # Errors
/// With the reason why it would.
pub fn may_relocate(tree: &Tree, from: &PiecePath, spot: &Spot) -> Result<(), EditError> {
    if from.is_root() {
        return Err(EditError::RootStays);
    }
    relocate(&mut tree.clone(), from, spot).map(|_| ())
}

/// Takes a piece out and puts it at a spot, as that is counted before; returns where it is then. A material layer that
/// is not there yet is made, one that is a primitive becomes a blend of both.
///
/// # Errors
/// When it would go into itself or into what takes no pieces, or the tree would be unsound.
pub fn relocate(tree: &mut Tree, from: &PiecePath, spot: &Spot) -> Result<PiecePath, EditError> {
    if from.holds(&spot.parent) {
        return Err(EditError::IntoItself);
    }
    soundly(tree, |tree| {
        let home = from.parent().ok_or(EditError::RootStays)?;
        let piece = take(tree, from)?;
        let parent = spot.parent.after_removal(&home, from.index()).ok_or(EditError::IntoItself)?;
        let shifts = home == spot.parent && spot.at > from.index();
        let mut at = spot.at - usize::from(shifts);
        if let (Root::Material(material), true) = (parent.root, parent.is_root())
            && open_tier(tree, material)?
        {
            at = 1;
        }
        put(tree, &Spot { parent, at }, piece)
    })
}

/// Sees to it that a material layer takes pieces; whether it was a primitive, which is now the first of them.
fn open_tier(tree: &mut Tree, material: MaterialLayer) -> Result<bool, EditError> {
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

/// Lays what belongs to a piece of the relief beside the other belongings of a material layer, and those in place of
/// whatever else it has: a river on an island has its own level, not the mean of that and the sea's.
fn put_on_material(tree: &mut Tree, material: MaterialLayer, piece: Piece) -> Result<PiecePath, EditError> {
    open_tier(tree, material)?;
    let root = PiecePath::material(material);
    let holds_belongings = |piece: &Piece| {
        matches!(&piece.form, PieceKind::Blend(group) if group.of.iter().all(link_group::is_bound)) && !piece.hidden
    };
    let parent = match root.piece(tree) {
        Some(piece) if holds_belongings(piece) => root,
        Some(Piece { form: PieceKind::Replace(group), .. }) if group.of.last().is_some_and(holds_belongings) => {
            root.child(group.of.len() - 1)
        }
        _ => {
            wrap_root(tree, &root, Wrap::Replace)?;
            if let Some(PieceKind::Replace(group)) = root.piece_mut(tree).map(|piece| &mut piece.form) {
                group.settings.extent = Extent::Both;
                group.of.push(Piece::default());
            }
            root.child(1)
        }
    };
    let at = parent.piece(tree).map_or(0, |piece| piece.children().len());
    put(tree, &Spot { parent, at }, piece)
}

/// Takes a piece away: of a material layer all of it, of an original with all its instances. Returns what to select
/// next.
///
/// # Errors
/// When it is not there.
pub fn remove(tree: &mut Tree, path: &PiecePath) -> Result<Option<PiecePath>, EditError> {
    path.piece(tree).ok_or(EditError::Gone)?;
    match (path.root, path.parent()) {
        (Root::Material(material), None) => {
            set_material(tree, material, None);
            Ok(None)
        }
        (Root::Definition(index), None) => {
            let name = tree.definitions.remove(index).name;
            let shows = |piece: &Piece| matches!(&piece.form, PieceKind::Instance(i) if i.definition == name);
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
            // an original that was nothing but an instance of this one shows nothing any more
            tree.definitions.retain(|definition| !shows(&definition.piece));
            Ok(None)
        }
        (_, Some(parent)) => {
            take(tree, path)?;
            let left = parent.piece(tree).map_or(0, |piece| piece.children().len());
            Ok(Some(if left == 0 { parent } else { parent.child(path.index().min(left - 1)) }))
        }
    }
}

/// The spot right after a piece. A root is put into a blend first, or, if it can be a sum as well, stays in it.
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
    *root = Piece::new(wrap.wrapped(inner));
    Ok(())
}

/// Puts a copy beside a piece, `by` metres to the south-east; returns its way.
///
/// # Errors
/// When it is not there, or the tree would have too many pieces.
pub fn duplicate(tree: &mut Tree, path: &PiecePath, by: f64) -> Result<PiecePath, EditError> {
    soundly(tree, |tree| {
        let piece = path.piece(tree).ok_or(EditError::Gone)?;
        let mut copy = reshape::Reshape::shift([by, by]).applied(piece);
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
        put(tree, &spot, copy)
    })
}

/// Puts an operator around a piece; returns the way to the operator.
///
/// # Errors
/// When it is not there, or operators would be nested too deeply.
pub fn group(tree: &mut Tree, path: &PiecePath, wrap: Wrap) -> Result<PiecePath, EditError> {
    let pivot = pick_index::centre(tree, path).unwrap_or_default().map(|v| v as f32);
    let both = [pivot[0], pivot[1], pivot[0], pivot[1]];
    soundly(tree, |tree| {
        wrap_root(tree, path, wrap)?;
        match &mut path.piece_mut(tree).ok_or(EditError::Gone)?.form {
            PieceKind::Place(OperatorGroup { settings: s, .. }) => [s.pivot_x, s.pivot_y] = pivot,
            PieceKind::Warp(CopyGroup { settings: s, .. }) => [s.x, s.y] = pivot,
            PieceKind::Array(CopyGroup { settings: s, .. }) => [s.pivot_x, s.pivot_y, s.x, s.y] = both,
            PieceKind::Scatter(CopyGroup { settings: s, .. }) => [s.pivot_x, s.pivot_y, s.x, s.y] = both,
            _ => {}
        }
        Ok(path.clone())
    })
}

/// Puts the pieces of an operator in its place.
///
/// # Errors
/// When it is none, when its place has room for one and it holds more, or when its pieces would jump.
pub fn dissolve(tree: &mut Tree, path: &PiecePath) -> Result<PiecePath, EditError> {
    soundly(tree, |tree| {
        let piece = path.piece_mut(tree).ok_or(EditError::Gone)?;
        let plain = match &piece.form {
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

/// Makes a piece an original that copies show: it becomes the first copy, and a second one is put `by` metres beside
/// it. Of a copy, another one is made. Returns the way to the new copy.
///
/// # Errors
/// When it is not there, or a definition would contain itself.
pub fn instantiate(tree: &mut Tree, path: &PiecePath, by: f64) -> Result<PiecePath, EditError> {
    let pivot = pick_index::centre(tree, path).unwrap_or_default();
    soundly(tree, |tree| {
        let piece = path.piece(tree).ok_or(EditError::Gone)?.clone();
        if matches!(piece.form, PieceKind::Instance(_)) {
            let copy = reshape::Reshape::shift([by, by]).applied(&piece);
            let spot = spot_beside(tree, path)?;
            return put(tree, &spot, copy);
        }
        let placed = |definition: String| {
            let settings = Placement { pivot_x: pivot[0] as f32, pivot_y: pivot[1] as f32, ..Placement::default() };
            Piece::new(PieceKind::Instance(Instance { definition, settings }))
        };
        if let (Root::Definition(index), true) = (path.root, path.is_root()) {
            let copy = reshape::Reshape::shift([by, by]).applied(&placed(tree.definitions[index].name.clone()));
            let spot = library::spot_for(tree, None, library::Role::Carve, true)?;
            return put(tree, &spot, copy);
        }
        let wanted = if piece.name.is_empty() { piece.kind() } else { piece.name.as_str() };
        let name = unused_original(tree, wanted);
        let first = Piece { name: piece.name.clone(), locked: piece.locked, ..placed(name.clone()) };
        let second = reshape::Reshape::shift([by, by]).applied(&placed(name.clone()));
        tree.definitions.push(Definition { name, piece: Piece { locked: false, ..piece } });
        *path.piece_mut(tree).ok_or(EditError::Gone)? = first;
        let spot = spot_beside(tree, path)?;
        put(tree, &spot, second)
    })
}

/// Gives a piece, or an original with all that shows it, another name.
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
            root.visit_mut(&mut |piece| match &mut piece.form {
                PieceKind::Instance(instance) if instance.definition == old => instance.definition = name.into(),
                _ => {}
            });
        }
    } else if let Some(piece) = path.piece_mut(tree) {
        piece.name = name.into();
    }
}

/// `wanted`, with a number behind it if a piece is called so already.
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
    /// Whether pieces can be put into it.
    pub fn takes_pieces(&self) -> bool {
        !matches!(
            self.form,
            PieceKind::Disc(_)
                | PieceKind::Curve(_)
                | PieceKind::Contour(_)
                | PieceKind::Image(_)
                | PieceKind::Ribbon(_)
                | PieceKind::Instance(_)
        )
    }

    /// Whether it shows what is in it over and over.
    pub fn repeats(&self) -> bool {
        matches!(self.form, PieceKind::Array(_) | PieceKind::Scatter(_))
    }

    /// What it is called in a list: its name, or what it is.
    pub fn title(&self) -> String {
        match &self.form {
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
