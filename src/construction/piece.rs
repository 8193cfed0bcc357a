//! The construction tree as people edit it and files store it: primitives, and operators that hold pieces.

use serde::{Deserialize, Serialize};

use super::compiled_program::{Builder, PieceSite};
use super::materials::{MaterialLayer, PieceMaterial};
use super::operators::array::ArraySettings;
use super::operators::blend::BlendSettings;
use super::operators::copies::CopiesResult;
use super::operators::deposit::AddSettings;
use super::operators::detail::DetailSettings;
use super::operators::gullies::GullySettings;
use super::operators::placement::Placement;
use super::operators::replace::ReplaceSettings;
use super::operators::scatter::ScatterSettings;
use super::operators::warp::WarpSettings;
use super::primitives::contour::Contour;
use super::primitives::curve::{Curve, CurvePoint};
use super::primitives::disc::Disc;
use super::primitives::image::Image;
use super::primitives::ribbon::Ribbon;
use talweg_ground::param::{ImageFile, Params};

/// A node of a construction tree: a primitive, an operator or an instance.
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
    /// Name of the link group; empty for none. Pieces of one link group move together even if they belong to different
    /// material layers, as a lake and its water do. See [`super::edit::link_group`].
    #[serde(rename = "bond", default, skip_serializing_if = "String::is_empty")]
    pub link_group: String,
    /// Material of the piece's ground. Pieces inside this piece inherit the material if they set no material.
    #[serde(default, skip_serializing_if = "is_default")]
    pub material: PieceMaterial,
    /// Kind of the piece, with its parameters.
    #[serde(rename = "form")]
    pub kind: PieceKind,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Whether `value` is the default of its type. Files need not store default values.
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
    /// The pieces that the operator holds, in order.
    #[serde(default)]
    #[serde(rename = "of")]
    pub children: Vec<Piece>,
}

/// Pieces that are copied or warped together.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(bound(serialize = "S: Default + PartialEq + Serialize", deserialize = "S: Default + Deserialize<'de>"))]
pub struct CopyGroup<S> {
    /// The curve that the copies follow, the curve along which a warp drags the pieces, or the outline that encloses
    /// the copies. Empty when the settings use neither a curve nor an outline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<CurvePoint>,
    /// Parameters of the operator.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: S,
    /// The pieces that are copied or warped; several pieces are blended first.
    #[serde(default)]
    #[serde(rename = "of")]
    pub children: Vec<Piece>,
}

/// A copy of a definition, moved, rotated, scaled or raised.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Name of the definition.
    pub definition: String,
    /// Position, rotation, scale and height of the copy.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Placement,
}

/// Operations that every kind of piece implements.
pub(crate) trait PieceForm {
    /// Name of the kind of piece, for example `disc`.
    fn kind(&self) -> &'static str;
    /// Parameters of the piece.
    fn params(&self) -> &dyn Params;
    /// Parameters of the piece, mutable.
    fn params_mut(&mut self) -> &mut dyn Params;
    /// Adds the piece to a program. Returns the index of the piece's node; `None` if no part of the piece is visible.
    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32>;

    /// The pieces that an operator holds; `None` for other kinds.
    fn children(&self) -> Option<&[Piece]> {
        None
    }

    /// The pieces that an operator holds, mutable.
    fn children_mut(&mut self) -> Option<&mut Vec<Piece>> {
        None
    }

    /// The points of the piece's line; `None` if the piece has no line.
    fn points(&self) -> Option<&[CurvePoint]> {
        None
    }

    /// The points of the piece's line, mutable.
    fn points_mut(&mut self) -> Option<&mut Vec<CurvePoint>> {
        None
    }

    /// The image that the piece reads, if any.
    fn image_file(&self) -> Option<&ImageFile> {
        None
    }

    /// The image files of the piece's heights and weights, mutable.
    fn image_files_mut(&mut self) -> Vec<&mut ImageFile> {
        Vec::new()
    }

    /// The copies that an array or a scatter makes, with random values from `seed`; `None` for other kinds.
    fn copies(&self, _seed: u32) -> Option<CopiesResult> {
        None
    }
}

/// Implements the methods of [`PieceForm`] that return fields: the kind, the parameters, and the pieces that an
/// operator holds.
macro_rules! piece_form {
    ($kind:literal, $settings:ident) => {
        fn kind(&self) -> &'static str {
            $kind
        }

        fn params(&self) -> &dyn talweg_ground::param::Params {
            &self.$settings
        }

        fn params_mut(&mut self) -> &mut dyn talweg_ground::param::Params {
            &mut self.$settings
        }
    };
    ($kind:literal, $settings:ident, $pieces:ident) => {
        piece_form!($kind, $settings);

        fn children(&self) -> Option<&[$crate::piece::Piece]> {
            Some(&self.$pieces)
        }

        fn children_mut(&mut self) -> Option<&mut Vec<$crate::piece::Piece>> {
            Some(&mut self.$pieces)
        }
    };
}
pub(crate) use piece_form;

/// Implements the methods of [`PieceForm`] that return the points of a line.
macro_rules! piece_points {
    () => {
        fn points(&self) -> Option<&[$crate::primitives::curve::CurvePoint]> {
            Some(&self.points)
        }

        fn points_mut(&mut self) -> Option<&mut Vec<$crate::primitives::curve::CurvePoint>> {
            Some(&mut self.points)
        }
    };
}
pub(crate) use piece_points;

macro_rules! kinds {
    (
        leaves { $($(#[$about:meta])* $leaf:ident($of:ty),)+ }
        operators { $($(#[$does:meta])* $operator:ident($group:ident<$settings:ty>),)+ }
    ) => {
        /// The kinds of pieces: primitives, instances and operators.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum PieceKind {
            $($(#[$about])* $leaf($of),)+
            $($(#[$does])* $operator($group<$settings>),)+
        }

        impl PieceKind {
            /// A default of every kind, in the order of the menu.
            pub fn catalogue() -> Vec<Self> {
                vec![$(Self::$leaf(<$of>::default()),)+ $(Self::$operator(<$group<$settings>>::default()),)+]
            }

            /// Name of the kind in scene files, for example `Disc`.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$leaf(_) => stringify!($leaf),)+
                    $(Self::$operator(_) => stringify!($operator),)+
                }
            }

            pub(crate) fn as_form(&self) -> &dyn PieceForm {
                match self { $(Self::$leaf(form) => form,)+ $(Self::$operator(form) => form,)+ }
            }

            pub(crate) fn as_form_mut(&mut self) -> &mut dyn PieceForm {
                match self { $(Self::$leaf(form) => form,)+ $(Self::$operator(form) => form,)+ }
            }
        }

        /// An operator that a command can wrap around a piece.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Wrap { $($(#[$does])* $operator,)+ }

        impl Wrap {
            /// All operators, in the order of the menu.
            pub const ALL: [Self; [$(stringify!($operator)),+].len()] = [$(Self::$operator),+];

            /// Returns the operator `self` with the pieces `of` inside.
            pub(crate) fn wrapped(self, of: Vec<Piece>) -> PieceKind {
                match self { $(Self::$operator => PieceKind::$operator($group { children: of, ..$group::default() }),)+ }
            }
        }
    };
}

// scene files store the names of these variants
kinds! {
    leaves {
        /// A primitive: round ground about a centre.
        Disc(Disc),
        /// A primitive: ground along a line.
        Curve(Curve),
        /// A primitive: ground inside and outside a closed line.
        Contour(Contour),
        /// A primitive: ground from an image.
        Image(Image),
        /// A primitive: an image along a line.
        Ribbon(Ribbon),
        /// A copy of a definition, moved, rotated, scaled or raised.
        Instance(Instance),
    }
    // in the order of the menu
    operators {
        /// An operator: averages the pieces by their weights.
        Blend(OperatorGroup<BlendSettings>),
        /// An operator: later pieces replace the ground made by earlier pieces.
        Replace(OperatorGroup<ReplaceSettings>),
        /// An operator: adds the heights of later pieces to the ground made by earlier pieces.
        Add(OperatorGroup<AddSettings>),
        /// An operator: warps the pieces.
        Warp(CopyGroup<WarpSettings>),
        /// An operator: cuts gullies into the slopes of the pieces.
        Gullies(OperatorGroup<GullySettings>),
        /// An operator: moves, rotates, scales or raises the pieces.
        Place(OperatorGroup<Placement>),
        /// An operator: the level of detail decides which pieces are visible.
        Detail(OperatorGroup<DetailSettings>),
        /// An operator: repeats the pieces in a regular pattern.
        Array(CopyGroup<ArraySettings>),
        /// An operator: repeats the pieces at random positions.
        Scatter(CopyGroup<ScatterSettings>),
    }
}

impl PieceKind {
    /// Parameters of this kind as a parameter group.
    pub fn params(&self) -> &dyn Params {
        self.as_form().params()
    }

    /// How scene files write a piece of this kind, with `…` for its numbers and pieces.
    pub fn file_form(&self) -> String {
        let name = self.name();
        let points = if self.as_form().points().is_some() { "points: […], " } else { "" };
        match self {
            Self::Disc(_) => format!("{name}(…)"),
            Self::Instance(_) => format!("{name}(definition: \"…\", settings: (…))"),
            Self::Contour(_) => {
                format!("{name}(points: [(x, y), …], profiles: [(angle: …, profile: […]), …], settings: (…))")
            }
            Self::Image(_) => format!("{name}(corners: ((x, y), (x, y), (x, y), (x, y)), settings: (…))"),
            _ if self.as_form().children().is_some() => format!("{name}({points}settings: (…), of: [PIECE, …])"),
            _ => format!("{name}({points}settings: (…))"),
        }
    }

    /// Description of the points of a line of this kind; empty if the kind has no such line.
    pub fn points_help(&self) -> &'static str {
        if self.as_form().points().is_none() {
            return "";
        }
        "Each point is (at: (x, y), height: z, width: 1, depth: 1, profile: Some([(distance, height), …])): its \
         distances from the west and the north edge and its height in m; the width (0.01 to 100) and the depth \
         (-100 to 100) as multiples of those of the piece; and a cross section of its own, with distances (-8 to 8) as \
         multiples of the width and heights (-8 to 8) as multiples of the depth. Only `at` must be given."
    }
}

/// Numbers of pieces in a construction tree. A definition counts once, whatever the number of its instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct PieceCounts {
    /// Discs, curves, contours, images and images along curves.
    pub primitives: usize,
    /// Pieces that combine, warp, place or repeat other pieces.
    pub operators: usize,
    /// Copies of definitions.
    pub instances: usize,
}

impl PieceForm for Instance {
    piece_form!("instance", settings);

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        let Some(definition) = builder.tree.definition(&self.definition) else {
            builder.problem(site, format!("there is no definition '{}'", self.definition));
            return None;
        };
        let inner = self.settings.frame(&site.frame)?;
        builder.instance(&definition.piece, site, inner)
    }
}

impl Default for PieceKind {
    fn default() -> Self {
        Self::Blend(OperatorGroup::default())
    }
}

impl Piece {
    /// A piece without a name.
    pub fn new(form: PieceKind) -> Self {
        Self { kind: form, ..Self::default() }
    }

    /// A piece called `name`.
    pub fn named(name: &str, form: PieceKind) -> Self {
        Self { name: name.into(), ..Self::new(form) }
    }

    /// Parameters of the piece as a parameter group.
    pub fn params(&self) -> &dyn Params {
        self.kind.as_form().params()
    }

    /// Parameters of the piece as a mutable parameter group.
    pub fn params_mut(&mut self) -> &mut dyn Params {
        self.kind.as_form_mut().params_mut()
    }

    /// The pieces that an operator holds; empty for a primitive or an instance.
    pub fn children(&self) -> &[Piece] {
        self.kind.as_form().children().unwrap_or_default()
    }

    /// The pieces that an operator holds, mutable; `None` for a primitive or an instance.
    pub fn children_mut(&mut self) -> Option<&mut Vec<Piece>> {
        self.kind.as_form_mut().children_mut()
    }

    /// The image that the piece reads, if any.
    pub fn image_file(&self) -> Option<&ImageFile> {
        self.kind.as_form().image_file()
    }

    /// The image of the piece's weight, if it has one.
    pub fn weight_file(&self) -> Option<&ImageFile> {
        match &self.kind {
            PieceKind::Image(image) => image.weight_file(),
            _ => None,
        }
    }

    /// The image files of the piece's heights and weights, mutable.
    pub fn image_files_mut(&mut self) -> Vec<&mut ImageFile> {
        self.kind.as_form_mut().image_files_mut()
    }

    /// The image that the piece reads, mutable, if any.
    pub fn image_file_mut(&mut self) -> Option<&mut ImageFile> {
        self.image_file()?;
        self.image_files_mut().into_iter().next()
    }

    /// Name of the piece's kind, for example `disc`.
    pub fn kind(&self) -> &'static str {
        self.kind.as_form().kind()
    }

    /// The piece's label in messages: its kind, followed by its name. A piece without a name shows its position among
    /// its siblings instead; `index` is this position, counted from 0.
    pub fn label(&self, index: usize) -> String {
        if self.name.is_empty() {
            format!("{} {}", self.kind(), index + 1)
        } else {
            format!("{} '{}'", self.kind(), self.name)
        }
    }

    /// Number of pieces: this piece and all pieces inside it.
    pub fn count(&self) -> usize {
        1 + self.children().iter().map(Self::count).sum::<usize>()
    }

    /// Calls `see` with this piece and all pieces inside it, parents first.
    pub fn visit<'a>(&'a self, see: &mut impl FnMut(&'a Piece)) {
        see(self);
        for piece in self.children() {
            piece.visit(see);
        }
    }

    /// Calls `see` with this piece and all pieces inside it, mutable, parents first.
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
    /// Size, height scale and base height of a construction.
    Frame "Construction" in "Construction", from "Génevaux et al. 2014, §3", also "frame size scale" {
        /// Side length of the construction's square. In a scene of another size, the construction is scaled to fit.
        side: f32 ["m"] = 8000.0, 1.0..=1.0e6, slider 500.0..=20_000.0;
        /// Height difference in the construction that is scaled to the scene's relief. A higher value makes the terrain
        /// lower.
        relief as "Height scale": f32 ["m"] = 1800.0, 0.1..=1.0e5, slider 100.0..=5000.0;
        /// Height of the terrain where there is no feature.
        ground: f32 ["m"] = 0.0, -1.0e5..=1.0e5, slider -500.0..=1000.0;
    }
}

/// A construction tree: pieces of ground combined by operators (Génevaux et al. 2014), and further construction trees
/// for the water, sand, snow and vegetation on this ground.
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
    /// The root piece of a material layer; `None` if the construction does not have this layer.
    pub fn root(&self, material: MaterialLayer) -> Option<&Piece> {
        match material {
            MaterialLayer::Terrain => Some(&self.terrain),
            MaterialLayer::Water => self.water.as_ref(),
            MaterialLayer::Sand => self.sand.as_ref(),
            MaterialLayer::Snow => self.snow.as_ref(),
            MaterialLayer::Vegetation => self.vegetation.as_ref(),
        }
    }

    /// All root pieces with their names: first the roots of the terrain and of the other material layers, then the
    /// roots of the definitions.
    pub fn roots(&self) -> Vec<(String, &Piece)> {
        let Self { definitions, terrain, water, sand, snow, vegetation, .. } = self;
        let layers = [("water", water), ("sand", sand), ("snow", snow), ("vegetation", vegetation)];
        std::iter::once((String::new(), terrain))
            .chain(layers.into_iter().filter_map(|(name, piece)| Some((name.to_string(), piece.as_ref()?))))
            .chain(definitions.iter().map(|d| (format!("definition '{}'", d.name), &d.piece)))
            .collect()
    }

    /// The pieces of [`roots`](Self::roots), mutable.
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

    /// Numbers of primitives, operators and instances in all material layers and definitions.
    pub fn counts(&self) -> PieceCounts {
        let mut counts = PieceCounts::default();
        for (_, root) in self.roots() {
            root.visit(&mut |piece| match &piece.kind {
                PieceKind::Instance(_) => counts.instances += 1,
                kind if kind.as_form().children().is_some() => counts.operators += 1,
                _ => counts.primitives += 1,
            });
        }
        counts
    }

    /// Number of pieces in all material layers and definitions.
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
