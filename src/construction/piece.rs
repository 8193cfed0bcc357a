//! The tree as people edit it and files store it: primitives, and operators that hold pieces.

use serde::{Deserialize, Serialize};

use super::materials::{MaterialLayer, PieceMaterial};
use super::operators::array::ArraySettings;
use super::operators::deposit::AddSettings;
use super::operators::detail::DetailSettings;
use super::operators::gullies::GullySettings;
use super::operators::placement::Placement;
use super::operators::replace::ReplaceSettings;
use super::operators::scatter::ScatterSettings;
use super::operators::warp::{Bend, WarpSettings};
use super::primitives::contour::Contour;
use super::primitives::curve::{Curve, CurvePoint};
use super::primitives::disc::Disc;
use super::primitives::image::Image;
use super::primitives::ribbon::Ribbon;
use talweg_ground::param::{ImageFile, Params};

/// A node of the tree.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// User-visible name; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// A hidden piece is not evaluated.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hidden: bool,
    /// A locked piece cannot be moved by accident.
    #[serde(default, skip_serializing_if = "is_false")]
    pub locked: bool,
    /// Name of the link group; empty for none. Pieces of one link group move together even across material layers, as a
    /// lake and its water do. See [`super::edit::link_group`].
    #[serde(rename = "bond", default, skip_serializing_if = "String::is_empty")]
    pub link_group: String,
    /// Material of its ground, inherited by the pieces inside that set no material.
    #[serde(default, skip_serializing_if = "is_default")]
    pub material: PieceMaterial,
    /// Kind of the piece, with its parameters.
    pub form: PieceKind,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Whether a value is its default, which files need not store.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Several pieces under one operator.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(bound(serialize = "S: Default + PartialEq + Serialize", deserialize = "S: Default + Deserialize<'de>"))]
pub struct OperatorGroup<S> {
    /// Parameters of the operator.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: S,
    /// The pieces it holds, in order.
    #[serde(default)]
    pub of: Vec<Piece>,
}

/// Pieces that are copied or warped together.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(bound(serialize = "S: Default + PartialEq + Serialize", deserialize = "S: Default + Deserialize<'de>"))]
pub struct CopyGroup<S> {
    /// The curve that copies follow or along which a warp drags, or the outline that copies lie in. Empty when the
    /// settings use neither.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<CurvePoint>,
    /// Parameters of the operator.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: S,
    /// The pieces that are copied or warped, blended if there are several.
    #[serde(default)]
    pub of: Vec<Piece>,
}

/// A placed copy of a definition.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Name of the definition.
    pub definition: String,
    /// Placement of the copy.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Placement,
}

talweg_ground::params! {
    /// Lays features side by side, in any order; where they overlap, one blends into the other.
    BlendSettings "Blend" in "Operator", from "Génevaux et al. 2014, fig. 10", also "group union merge mix" {}
}

/// Kinds of pieces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PieceKind {
    /// A primitive: ground around a point.
    Disc(Disc),
    /// A primitive: ground along a line.
    Curve(Curve),
    /// A primitive: ground inside and outside a closed line.
    Contour(Contour),
    /// A primitive: ground from an image.
    Image(Image),
    /// A primitive: an image along a line.
    Ribbon(Ribbon),
    /// A placed copy of a definition.
    Instance(Instance),
    /// An operator: averages the pieces by their weights.
    Blend(OperatorGroup<BlendSettings>),
    /// An operator: later pieces replace earlier ones.
    Replace(OperatorGroup<ReplaceSettings>),
    /// An operator: adds the heights of later pieces to earlier ones.
    Add(OperatorGroup<AddSettings>),
    /// An operator: warps the pieces.
    Warp(CopyGroup<WarpSettings>),
    /// An operator: moves, rotates, scales or raises the pieces.
    Place(OperatorGroup<Placement>),
    /// An operator: the level of detail decides which pieces show.
    Detail(OperatorGroup<DetailSettings>),
    /// An operator: cuts gullies into the slopes of the pieces.
    Gullies(OperatorGroup<GullySettings>),
    /// An operator: repeats the pieces in a regular pattern.
    Array(CopyGroup<ArraySettings>),
    /// An operator: repeats the pieces at random positions.
    Scatter(CopyGroup<ScatterSettings>),
}

impl Default for PieceKind {
    fn default() -> Self {
        Self::Blend(OperatorGroup::default())
    }
}

impl Piece {
    /// A piece without a name.
    pub fn new(form: PieceKind) -> Self {
        Self { form, ..Self::default() }
    }

    /// A piece called `name`.
    pub fn named(name: &str, form: PieceKind) -> Self {
        Self { name: name.into(), ..Self::new(form) }
    }

    /// Its parameters as a parameter group.
    pub fn params(&self) -> &dyn Params {
        match &self.form {
            PieceKind::Disc(form) => form,
            PieceKind::Curve(form) => &form.settings,
            PieceKind::Contour(form) => &form.settings,
            PieceKind::Image(form) => &form.settings,
            PieceKind::Ribbon(form) => &form.settings,
            PieceKind::Instance(form) => &form.settings,
            PieceKind::Blend(form) => &form.settings,
            PieceKind::Replace(form) => &form.settings,
            PieceKind::Add(form) => &form.settings,
            PieceKind::Warp(form) => &form.settings,
            PieceKind::Place(form) => &form.settings,
            PieceKind::Detail(form) => &form.settings,
            PieceKind::Gullies(form) => &form.settings,
            PieceKind::Array(form) => &form.settings,
            PieceKind::Scatter(form) => &form.settings,
        }
    }

    /// Its parameters as a mutable parameter group.
    pub fn params_mut(&mut self) -> &mut dyn Params {
        match &mut self.form {
            PieceKind::Disc(form) => form,
            PieceKind::Curve(form) => &mut form.settings,
            PieceKind::Contour(form) => &mut form.settings,
            PieceKind::Image(form) => &mut form.settings,
            PieceKind::Ribbon(form) => &mut form.settings,
            PieceKind::Instance(form) => &mut form.settings,
            PieceKind::Blend(form) => &mut form.settings,
            PieceKind::Replace(form) => &mut form.settings,
            PieceKind::Add(form) => &mut form.settings,
            PieceKind::Warp(form) => &mut form.settings,
            PieceKind::Place(form) => &mut form.settings,
            PieceKind::Detail(form) => &mut form.settings,
            PieceKind::Gullies(form) => &mut form.settings,
            PieceKind::Array(form) => &mut form.settings,
            PieceKind::Scatter(form) => &mut form.settings,
        }
    }

    /// The pieces that it holds; empty for a primitive or an instance.
    pub fn children(&self) -> &[Piece] {
        match &self.form {
            PieceKind::Disc(_)
            | PieceKind::Curve(_)
            | PieceKind::Contour(_)
            | PieceKind::Image(_)
            | PieceKind::Ribbon(_)
            | PieceKind::Instance(_) => &[],
            PieceKind::Blend(group) => &group.of,
            PieceKind::Replace(group) => &group.of,
            PieceKind::Add(group) => &group.of,
            PieceKind::Warp(group) => &group.of,
            PieceKind::Place(group) => &group.of,
            PieceKind::Detail(group) => &group.of,
            PieceKind::Gullies(group) => &group.of,
            PieceKind::Array(group) => &group.of,
            PieceKind::Scatter(group) => &group.of,
        }
    }

    /// The pieces that an operator holds, mutable; `None` for a primitive or an instance.
    pub fn children_mut(&mut self) -> Option<&mut Vec<Piece>> {
        match &mut self.form {
            PieceKind::Disc(_)
            | PieceKind::Curve(_)
            | PieceKind::Contour(_)
            | PieceKind::Image(_)
            | PieceKind::Ribbon(_)
            | PieceKind::Instance(_) => None,
            PieceKind::Blend(group) => Some(&mut group.of),
            PieceKind::Replace(group) => Some(&mut group.of),
            PieceKind::Add(group) => Some(&mut group.of),
            PieceKind::Warp(group) => Some(&mut group.of),
            PieceKind::Place(group) => Some(&mut group.of),
            PieceKind::Detail(group) => Some(&mut group.of),
            PieceKind::Gullies(group) => Some(&mut group.of),
            PieceKind::Array(group) => Some(&mut group.of),
            PieceKind::Scatter(group) => Some(&mut group.of),
        }
    }

    /// The image that it reads, if any.
    pub fn image_file(&self) -> Option<&ImageFile> {
        match &self.form {
            PieceKind::Image(form) => Some(&form.settings.picture),
            PieceKind::Ribbon(form) => Some(&form.settings.picture),
            PieceKind::Warp(form) if form.settings.bend == Bend::Picture => Some(&form.settings.picture),
            _ => None,
        }
    }

    /// The image of its weight, if it has one.
    pub fn weight_file(&self) -> Option<&ImageFile> {
        match &self.form {
            PieceKind::Image(form) => Some(&form.settings.weights).filter(|file| !file.0.is_empty()),
            _ => None,
        }
    }

    /// The images that it may read: of heights, and of its weight.
    pub fn image_files_mut(&mut self) -> Vec<&mut ImageFile> {
        match &mut self.form {
            PieceKind::Image(form) => vec![&mut form.settings.picture, &mut form.settings.weights],
            PieceKind::Ribbon(form) => vec![&mut form.settings.picture],
            PieceKind::Warp(form) => vec![&mut form.settings.picture],
            _ => Vec::new(),
        }
    }

    /// The image that it reads, mutable, if any.
    pub fn image_file_mut(&mut self) -> Option<&mut ImageFile> {
        match &mut self.form {
            PieceKind::Image(form) => Some(&mut form.settings.picture),
            PieceKind::Ribbon(form) => Some(&mut form.settings.picture),
            PieceKind::Warp(form) if form.settings.bend == Bend::Picture => Some(&mut form.settings.picture),
            _ => None,
        }
    }

    /// Name of its kind: `disc`.
    pub fn kind(&self) -> &'static str {
        match &self.form {
            PieceKind::Disc(_) => "disc",
            PieceKind::Curve(_) => "curve",
            PieceKind::Contour(_) => "contour",
            PieceKind::Image(_) => "image",
            PieceKind::Ribbon(_) => "ribbon",
            PieceKind::Instance(_) => "instance",
            PieceKind::Blend(_) => "blend",
            PieceKind::Replace(_) => "replace",
            PieceKind::Add(_) => "add",
            PieceKind::Warp(_) => "warp",
            PieceKind::Place(_) => "place",
            PieceKind::Detail(_) => "level of detail",
            PieceKind::Gullies(_) => "gullies",
            PieceKind::Array(_) => "array",
            PieceKind::Scatter(_) => "scatter",
        }
    }

    /// Its name in messages: its kind with its name or, without a name, with its position among its siblings. `index`
    /// counts from 0.
    pub fn label(&self, index: usize) -> String {
        if self.name.is_empty() {
            format!("{} {}", self.kind(), index + 1)
        } else {
            format!("{} '{}'", self.kind(), self.name)
        }
    }

    /// Number of pieces: itself and all that it holds.
    pub fn count(&self) -> usize {
        1 + self.children().iter().map(Self::count).sum::<usize>()
    }

    /// Calls `see` with this piece and all that it holds, parents first.
    pub fn visit<'a>(&'a self, see: &mut impl FnMut(&'a Piece)) {
        see(self);
        for piece in self.children() {
            piece.visit(see);
        }
    }

    /// Calls `see` with this piece and all that it holds, mutable, parents first.
    pub fn visit_mut(&mut self, see: &mut impl FnMut(&mut Piece)) {
        see(self);
        for piece in self.children_mut().into_iter().flatten() {
            piece.visit_mut(see);
        }
    }
}

/// A named piece that instances repeat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Name that instances refer to.
    pub name: String,
    /// The piece that instances repeat.
    pub piece: Piece,
}

talweg_ground::params! {
    /// Units of a construction.
    Frame "Construction" in "Construction", from "Génevaux et al. 2014, §3", also "frame size scale" {
        /// Side length of the construction's square; a scene of another size shows the construction scaled.
        side: f32 ["m"] = 8000.0, 1.0..=1.0e6, slider 500.0..=20_000.0;
        /// Height of the construction that equals the scene's relief.
        relief as "Height scale": f32 ["m"] = 1800.0, 0.1..=1.0e5, slider 100.0..=5000.0;
        /// Height of the terrain where there is no feature.
        ground: f32 ["m"] = 0.0, -1.0e5..=1.0e5, slider -500.0..=1000.0;
    }
}

/// A construction tree: ground pieces combined by operators (Génevaux et al. 2014), and further trees for the water,
/// sand, snow and vegetation on it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Tree {
    /// Side length, height scale and base height.
    pub frame: Frame,
    /// Pieces that instances repeat.
    pub definitions: Vec<Definition>,
    /// Elevation of the ground, in metres.
    pub terrain: Piece,
    /// Elevation of the water surface, in metres.
    pub water: Option<Piece>,
    /// Thickness of sand on the ground, in metres.
    pub sand: Option<Piece>,
    /// Thickness of snow on the ground, in metres.
    pub snow: Option<Piece>,
    /// Density of plants from 0 to 1.
    pub vegetation: Option<Piece>,
}

impl Tree {
    /// The root of a material layer, if there is one.
    pub fn root(&self, material: MaterialLayer) -> Option<&Piece> {
        match material {
            MaterialLayer::Terrain => Some(&self.terrain),
            MaterialLayer::Water => self.water.as_ref(),
            MaterialLayer::Sand => self.sand.as_ref(),
            MaterialLayer::Snow => self.snow.as_ref(),
            MaterialLayer::Vegetation => self.vegetation.as_ref(),
        }
    }

    /// All roots with their names: the terrain and the other material layers, then the definitions.
    pub fn roots(&self) -> Vec<(String, &Piece)> {
        let Self { definitions, terrain, water, sand, snow, vegetation, .. } = self;
        let layers = [("water", water), ("sand", sand), ("snow", snow), ("vegetation", vegetation)];
        std::iter::once((String::new(), terrain))
            .chain(layers.into_iter().filter_map(|(name, piece)| Some((name.to_string(), piece.as_ref()?))))
            .chain(definitions.iter().map(|d| (format!("definition '{}'", d.name), &d.piece)))
            .collect()
    }

    /// [`roots`](Self::roots), mutable.
    pub fn roots_mut(&mut self) -> Vec<(String, &mut Piece)> {
        let Self { definitions, terrain, water, sand, snow, vegetation, .. } = self;
        let layers = [("water", water), ("sand", sand), ("snow", snow), ("vegetation", vegetation)];
        std::iter::once((String::new(), terrain))
            .chain(layers.into_iter().filter_map(|(name, piece)| Some((name.to_string(), piece.as_mut()?))))
            .chain(definitions.iter_mut().map(|d| (format!("definition '{}'", d.name), &mut d.piece)))
            .collect()
    }

    /// The definition called `name`.
    pub fn definition(&self, name: &str) -> Option<&Definition> {
        self.definitions.iter().find(|d| d.name == name)
    }

    /// Number of pieces in all trees and definitions.
    pub fn count(&self) -> usize {
        self.roots().iter().map(|(_, piece)| piece.count()).sum()
    }

    /// Whether a visible piece of the terrain or of a definition has `material`.
    pub fn is_made_of(&self, material: PieceMaterial) -> bool {
        fn holds(piece: &Piece, material: PieceMaterial) -> bool {
            !piece.hidden && (piece.material == material || piece.children().iter().any(|inner| holds(inner, material)))
        }
        let definitions = self.definitions.iter().map(|definition| &definition.piece);
        std::iter::once(&self.terrain).chain(definitions).any(|root| holds(root, material))
    }

    /// Every image that a piece reads.
    pub fn image_files(&self) -> Vec<&ImageFile> {
        let mut image_files = Vec::new();
        for (_, root) in self.roots() {
            root.visit(&mut |piece| image_files.extend(piece.image_file().into_iter().chain(piece.weight_file())));
        }
        image_files
    }
}
