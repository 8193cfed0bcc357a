//! Ready-made pieces, and the rules that choose the operator for a new piece.
//!
//! A piece of ground (a disc) is blended with the existing ground. Pieces that are cut or set into the ground (a road,
//! a lake, a crater) replace the ground made by earlier pieces. If an operator is selected, the new piece becomes its
//! child.

mod add;

use std::sync::LazyLock;

pub use add::{add_item, add_river, spot_for};

use super::reshape::rounded_to_six_digits;
use super::transform_path::TransformPath;
use super::unused_original;
use crate::compiled_program::Program;
use crate::geometry::plane::{Point, lower};
use crate::materials::{MaterialLayer, PieceMaterial};
use crate::operators::array::{Arrangement, ArraySettings};
use crate::operators::copies::Overlap;
use crate::operators::gullies::GullySettings;
use crate::operators::placement::Placement;
use crate::operators::scatter::ScatterSettings;
use crate::piece::{CopyGroup, OperatorGroup, Piece, PieceKind, Tree};
use crate::presets;
use crate::primitives::contour::{Contour, ContourSettings, Landform};
use crate::primitives::curve::{Cross, Curve, CurvePoint, CurveSettings};
use crate::primitives::disc::Disc;
use crate::primitives::ground::ReliefStyle;
use crate::primitives::image::{Image, ImageSettings};
use crate::primitives::ribbon::{Ribbon, RibbonSettings};
use crate::sample::Detail;
use talweg_ground::io::{HeightStamp, Raster, built_in_stamps, raster};
use talweg_ground::param::ImageFile;

/// Effect of a new piece on the existing ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The piece is blended with the existing ground.
    Ground,
    /// The piece replaces the existing ground.
    Carve,
    /// The piece is added to the existing ground, and follows the shape of that ground.
    Lay,
}

/// A ready-made piece that the library offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A disc of level ground.
    Plain,
    /// Rolling hills.
    Hills,
    /// Ridged mountains.
    Mountains,
    /// Mountains with gullies down their slopes.
    GulliedMountains,
    /// Dunes with crests across the wind direction.
    Dunes,
    /// A river in its valley.
    River,
    /// A road with embankments.
    Road,
    /// A ridge along a line.
    Ridge,
    /// A canyon along a line.
    Canyon,
    /// A lake in its basin, with water.
    Lake,
    /// A table mountain.
    Mesa,
    /// An impact crater.
    Crater,
    /// An island.
    Island,
    /// Hills around a centre.
    HillRing,
    /// Boulders scattered on the ground.
    Boulders,
    /// Craters scattered on the ground.
    CraterField,
    /// Ground from an image.
    Image,
    /// An image along a line.
    ImageLine,
    /// A volcano with a crater at its summit.
    Volcano,
    /// A valley between mountains.
    Valley,
    /// An oasis among dunes.
    Oasis,
    /// A landscape of craters, as on the Moon.
    Moon,
    /// A built-in stamp or one of the user's stamps, added to the ground.
    Stamp(&'static HeightStamp),
}

/// Side length, in metres, of the square to which the sizes below apply.
const SIDE: f32 = 8000.0;
/// Size of a ready-made construction tree added as a piece, as a fraction of the square's side length.
const COMPOSED: f32 = 0.4;

/// Height of a stamp relative to its width, if its file states no heights in metres.
const PLAIN_STEEPNESS: f32 = 0.3;

/// Height of the landform in an image relative to the width of the image. `None` if its file does not state both.
fn steepness(raster: &Raster) -> Option<f32> {
    let ((low, high), [width, _]) = (raster.range_metres?, raster.extent_metres()?);
    Some((high - low) / width as f32)
}

/// An image over a square around `centre`, which reaches `radius` metres in each direction.
fn square_image([x, y]: [f32; 2], radius: f32, settings: ImageSettings) -> PieceKind {
    let [west, east, north, south] = [x - radius, x + radius, y - radius, y + radius];
    PieceKind::Image(Image { corners: [(west, north), (east, north), (east, south), (west, south)], settings })
}

impl Item {
    /// All ready-made pieces, grouped by heading.
    pub fn groups() -> impl Iterator<Item = (&'static str, &'static [Self])> {
        static STAMPS: LazyLock<Vec<Item>> = LazyLock::new(|| {
            let stamps = built_in_stamps().iter().filter(|stamp| !stamp.is_strip());
            stamps.map(Item::Stamp).collect()
        });
        Self::GROUPS.into_iter().chain([("Stamps", STAMPS.as_slice())])
    }

    const GROUPS: [(&'static str, &'static [Self]); 6] = [
        ("Ground", &[Self::Plain, Self::Hills, Self::Mountains, Self::GulliedMountains, Self::Dunes]),
        ("Lines", &[Self::River, Self::Road, Self::Ridge, Self::Canyon]),
        ("Landforms", &[Self::Lake, Self::Mesa, Self::Crater, Self::Island]),
        ("Repeated", &[Self::HillRing, Self::Boulders, Self::CraterField]),
        ("Images", &[Self::Image, Self::ImageLine]),
        ("Composed", &[Self::Volcano, Self::Valley, Self::Oasis, Self::Moon]),
    ];

    /// Name of the piece in the user interface.
    pub fn label(self) -> &'static str {
        match self {
            Self::Plain => "Plain",
            Self::Hills => "Hills",
            Self::Mountains => "Mountains",
            Self::GulliedMountains => "Gullied mountains",
            Self::Dunes => "Dunes",
            Self::River => "River",
            Self::Road => "Road",
            Self::Ridge => "Ridge",
            Self::Canyon => "Canyon",
            Self::Lake => "Lake",
            Self::Mesa => "Mesa",
            Self::Crater => "Crater",
            Self::Island => "Island",
            Self::HillRing => "Hill ring",
            Self::Boulders => "Boulders",
            Self::CraterField => "Craters",
            Self::Image => "Image",
            Self::ImageLine => "Image line",
            Self::Volcano => "Volcano",
            Self::Valley => "Valley",
            Self::Oasis => "Oasis",
            Self::Moon => "Moon",
            Self::Stamp(stamp) => &stamp.title,
        }
    }

    /// Tooltip: a sentence that describes the piece.
    pub fn help(self) -> &'static str {
        match self {
            Self::Plain => "Level ground, blended with the surrounding terrain.",
            Self::Hills => "Rolling hills, blended with the surrounding terrain.",
            Self::Mountains => "Ridged mountains, blended with the surrounding terrain.",
            Self::GulliedMountains => "Mountains with gullies down their slopes, blended with the surrounding terrain.",
            Self::Dunes => "Dunes, blended with the surrounding terrain.",
            Self::River => "A river in a bed cut into the ground; water flows from the higher end to the lower end.",
            Self::Road => "A road that follows the ground, with eased bends.",
            Self::Ridge => "A ridge along a line; it replaces the ground there.",
            Self::Canyon => "A canyon with stepped walls cut along a line.",
            Self::Lake => "A lake in a basin with a shore; its level equals the lowest ground around the lake.",
            Self::Mesa => "A table mountain with steep walls.",
            Self::Crater => "A crater with a raised rim; it replaces the ground there.",
            Self::Island => "Land that rises inside a shore and slopes down outside the shore.",
            Self::HillRing => "Nine hills around a centre, as an array: edit the hill inside to change all hills.",
            Self::Boulders => "Boulders scattered on the ground; they follow the shape of the ground.",
            Self::CraterField => "Overlapping craters scattered on the ground; they follow the shape of the ground.",
            Self::Image => "A height image stretched over four corners; choose the image in the parameters.",
            Self::ImageLine => "A height image repeated along a line.",
            Self::Volcano => "A ready-made volcano with a crater, without the sea around it.",
            Self::Valley => "A ready-made valley between mountains, with its river.",
            Self::Oasis => "A ready-made oasis among dunes, with its lake and palms.",
            Self::Moon => "A ready-made landscape of craters, as on the Moon.",
            Self::Stamp(_) => "A height image that is added to the ground; it follows the shape of the ground.",
        }
    }

    fn composed(self) -> Option<std::sync::Arc<Tree>> {
        match self {
            Self::Volcano => Some(presets::volcano()),
            Self::Valley => Some(presets::valley()),
            Self::Oasis => Some(presets::oasis()),
            Self::Moon => Some(presets::moon()),
            _ => None,
        }
    }

    /// Effect of the new piece on the existing ground.
    pub fn role(self) -> Role {
        match self {
            Self::Plain | Self::Hills | Self::Mountains | Self::GulliedMountains | Self::Dunes | Self::HillRing => {
                Role::Ground
            }
            Self::Boulders | Self::CraterField | Self::Stamp(_) => Role::Lay,
            _ => Role::Carve,
        }
    }

    /// Half the width of the new piece in metres, in a construction with the side length `side`.
    pub fn radius(self, side: f32) -> f64 {
        let metres = match self {
            Self::Plain | Self::Hills | Self::Dunes => 1600.0,
            Self::Mountains | Self::GulliedMountains => 2200.0,
            Self::River | Self::Road | Self::Ridge | Self::Canyon | Self::ImageLine => 1100.0,
            Self::Lake => 960.0,
            Self::Mesa => 1120.0,
            Self::Crater => 875.0,
            Self::Island => 1440.0,
            Self::Image | Self::Stamp(_) => 1000.0,
            Self::HillRing => 1800.0,
            Self::Boulders => 1200.0,
            Self::CraterField => 1500.0,
            _ => 0.5 * COMPOSED * SIDE,
        };
        f64::from(metres * side / SIDE)
    }

    /// A new piece at the position `at` in the parent's coordinates. `ground` returns ground heights at positions in
    /// these coordinates.
    fn piece(self, tree: &mut Tree, at: Point, ground: &dyn Fn(Point) -> f64) -> Piece {
        let k = tree.frame.side / SIDE;
        let (x, y, z) = (rounded_to_six_digits(at[0]), rounded_to_six_digits(at[1]), rounded_to_six_digits(ground(at)));
        let seed = tree.count() as u32 % 1000 + 1;
        let disc = |radius: f32, core, surface, amplitude: f32, size: f32| {
            let (radius, amplitude, size) = (radius * k, amplitude * k, size * k);
            PieceKind::Disc(Disc { x, y, radius, core, height: z, surface, amplitude, size, seed, ..Disc::default() })
        };
        let line = |bends: [f32; 5]| -> Vec<CurvePoint> {
            let places = bends.iter().enumerate().map(|(i, bend)| (x + (i as f32 - 2.0) * 450.0 * k, y + bend * k));
            places
                .map(|(x, y)| CurvePoint::new(x, y, rounded_to_six_digits(ground([f64::from(x), f64::from(y)]))))
                .collect()
        };
        let curve = |points, cross, width: f32, depth: f32, fade: f32, easing: f32| {
            let settings = CurveSettings {
                cross,
                width: width * k,
                depth: depth * k,
                fade: fade * k,
                easing: easing * k,
                vertical_easing: CurveSettings::default().vertical_easing * k,
                ..CurveSettings::default()
            };
            PieceKind::Curve(Curve { points, settings })
        };
        let contour = |landform, height: f32, depth: f32, radius: f32, reach: f32| {
            let (depth, radius) = (depth * k, radius * k);
            let settings = ContourSettings {
                landform,
                x,
                y,
                height,
                depth,
                radius,
                core: 1.0,
                reach,
                ..ContourSettings::default()
            };
            PieceKind::Contour(Contour { settings, ..Contour::default() })
        };
        let form = match self {
            Self::Plain => disc(1600.0, 0.5, ReliefStyle::Level, 0.0, 900.0),
            Self::Hills => disc(1600.0, 0.3, ReliefStyle::Hills, 150.0, 800.0),
            Self::Mountains => disc(2200.0, 0.2, ReliefStyle::Ridged, 700.0, 1500.0),
            Self::GulliedMountains => {
                let mountains = disc(2200.0, 0.2, ReliefStyle::Ridged, 700.0, 1800.0);
                let plain = GullySettings::default();
                let settings = GullySettings { size: 420.0 * k, depth: 90.0 * k, seed, ..plain };
                PieceKind::Gullies(OperatorGroup { settings, children: vec![Piece::new(mountains)] })
            }
            Self::Dunes => disc(1600.0, 0.5, ReliefStyle::Dunes, 50.0, 450.0),
            Self::River => {
                let mut points = line([0.0, 140.0, -120.0, 150.0, 0.0]);
                super::snap::make_downhill(&mut points);
                let PieceKind::Curve(mut river) = curve(points, Cross::River, 120.0, 25.0, 120.0, 0.0) else {
                    unreachable!("it is a curve")
                };
                river.settings.downhill = river.points[0].height >= river.points[4].height;
                PieceKind::Curve(river)
            }
            Self::Road => curve(line([0.0, 160.0, -60.0, -180.0, 0.0]), Cross::Road, 45.0, 4.0, 70.0, 150.0),
            Self::Ridge => curve(line([0.0, 120.0, 40.0, -100.0, 0.0]), Cross::Ridge, 420.0, 220.0, 200.0, 0.0),
            Self::Canyon => curve(line([0.0, 160.0, -140.0, 120.0, 0.0]), Cross::Canyon, 320.0, 160.0, 80.0, 0.0),
            Self::Lake => {
                let shore = (0..8).map(|i| {
                    let angle = f64::from(i) / 8.0 * std::f64::consts::TAU;
                    let radius = f64::from(600.0 * k);
                    ground([at[0] + radius * libm::cos(angle), at[1] + radius * libm::sin(angle)])
                });
                contour(Landform::Lake, shore.fold(f64::from(z), lower) as f32, 60.0, 600.0, 1.6)
            }
            Self::Mesa => contour(Landform::Mesa, z, 260.0, 700.0, 1.6),
            Self::Crater => contour(Landform::Crater, z, 180.0, 500.0, 1.75),
            Self::Island => contour(Landform::Island, z, 280.0, 900.0, 1.6),
            Self::HillRing | Self::Boulders | Self::CraterField => self.repeated([x, y], z, k, seed),
            Self::Image => {
                let settings = ImageSettings { height: z, depth: 600.0 * k, ..ImageSettings::default() };
                square_image([x, y], 1000.0 * k, settings)
            }
            Self::Stamp(stamp) => {
                let (width, raster) = (2000.0 * k, raster(&stamp.name).ok());
                let depth = width * raster.as_ref().and_then(|raster| steepness(raster)).unwrap_or(PLAIN_STEEPNESS);
                let level = raster.map_or(0.0, |raster| raster.rim_value());
                let picture = ImageFile(stamp.name.clone());
                let settings = ImageSettings { picture, height: -level * depth, depth, ..ImageSettings::default() };
                square_image([x, y], 0.5 * width, settings)
            }
            Self::ImageLine => {
                let settings = RibbonSettings {
                    length: 1500.0 * k,
                    depth: 260.0 * k,
                    width: 450.0 * k,
                    fade: 200.0 * k,
                    ..RibbonSettings::default()
                };
                PieceKind::Ribbon(Ribbon { points: line([0.0, 120.0, 40.0, -100.0, 0.0]), settings })
            }
            Self::Volcano | Self::Valley | Self::Oasis | Self::Moon => {
                return self.composed_piece(tree, at, f64::from(z));
            }
        };
        let material = if self == Self::Road { PieceMaterial::Road } else { PieceMaterial::Unset };
        Piece { material, ..Piece::new(form) }
    }

    /// Arrays and scatters around a position, in a construction whose side length is `k` times [`SIDE`].
    fn repeated(self, [x, y]: [f32; 2], z: f32, k: f32, seed: u32) -> PieceKind {
        let plain = Disc { x, y, seed, ..Disc::default() };
        match self {
            Self::HillRing => {
                let hill =
                    Disc { x: x + 1100.0 * k, radius: 700.0 * k, core: 0.3, height: z, size: 500.0 * k, ..plain };
                let (pivot_x, pivot_y) = (hill.x, hill.y);
                let hill = Disc { amplitude: 120.0 * k, ..hill };
                let around = ArraySettings { arrangement: Arrangement::Radial, count: 9, x, y, ..Default::default() };
                let settings = ArraySettings { pivot_x, pivot_y, variants: 3, ..around };
                PieceKind::Array(CopyGroup {
                    settings,
                    children: vec![Piece::new(PieceKind::Disc(hill))],
                    points: vec![],
                })
            }
            Self::Boulders => {
                let stone = Disc { radius: 70.0 * k, core: 0.3, height: 22.0 * k, octaves: 3, ..plain };
                let stone = Disc { amplitude: 12.0 * k, size: 60.0 * k, ..stone };
                let around = ScatterSettings { x, y, radius: 1200.0 * k, distance: 160.0 * k, ..Default::default() };
                let pivot = ScatterSettings { pivot_x: x, pivot_y: y, seed, variants: 4, ..around };
                let settings = ScatterSettings {
                    turn_jitter: 180.0,
                    scale_jitter: 0.6,
                    height_jitter: 0.3,
                    density: 0.7,
                    ..pivot
                };
                PieceKind::Scatter(CopyGroup {
                    settings,
                    children: vec![Piece::new(PieceKind::Disc(stone))],
                    points: vec![],
                })
            }
            _ => {
                let crater = ContourSettings { landform: Landform::Crater, x, y, height: 0.0, ..Default::default() };
                let (radius, depth) = (180.0 * k, 70.0 * k);
                let settings = ContourSettings { radius, depth, core: 1.0, reach: 1.75, ..crater };
                let crater = Contour { settings, ..Contour::default() };
                let around = ScatterSettings { x, y, radius: 1500.0 * k, distance: 260.0 * k, ..Default::default() };
                let pivot = ScatterSettings { pivot_x: x, pivot_y: y, seed, overlap: Overlap::Replace, ..around };
                let settings = ScatterSettings { turn_jitter: 180.0, scale_jitter: 0.7, height_jitter: 0.2, ..pivot };
                let of = vec![Piece::new(PieceKind::Contour(crater))];
                PieceKind::Scatter(CopyGroup { settings, children: of, points: vec![] })
            }
        }
    }

    /// Pieces of water, sand, snow and plants on the ground of a new piece, for the other material layers.
    fn linked_parts(self, piece: &Piece, transform: &TransformPath) -> Vec<(MaterialLayer, PieceKind)> {
        match (self, &piece.kind) {
            (Self::Lake, PieceKind::Contour(lake)) => {
                let settings = ContourSettings {
                    landform: Landform::Mesa,
                    height: lake.settings.height - 0.1 * lake.settings.depth,
                    depth: 0.0,
                    core: 1.0,
                    reach: 1.15,
                    ..lake.settings.clone()
                };
                vec![(MaterialLayer::Water, PieceKind::Contour(Contour { settings, ..lake.clone() }))]
            }
            (Self::River, PieceKind::Curve(river)) => {
                let CurveSettings { width, depth, .. } = river.settings;
                let mut points = river.points.clone();
                points.iter_mut().for_each(|point| point.height -= 0.46 * depth);
                let settings = CurveSettings {
                    cross: Cross::Bank,
                    width: 0.8 * width,
                    fade: 0.2 * width,
                    ..river.settings.clone()
                };
                vec![(MaterialLayer::Water, PieceKind::Curve(Curve { points, settings }))]
            }
            // the volcano is not included: the sea around it belongs to the scene
            (Self::Valley | Self::Oasis | Self::Moon, PieceKind::Place(relief)) => {
                let preset = self.composed().unwrap_or_default();
                let on = |material| Some((material, preset.root(material)?.clone()));
                let materials =
                    [MaterialLayer::Water, MaterialLayer::Sand, MaterialLayer::Snow, MaterialLayer::Vegetation];
                let placed = |(material, laid): (MaterialLayer, Piece)| {
                    let mut settings = relief.settings.clone();
                    match material {
                        MaterialLayer::Water => {}
                        // the density of plants must not be scaled with the piece
                        MaterialLayer::Vegetation => {
                            settings.raise = 0.0;
                            settings.steepen =
                                rounded_to_six_digits(transform.rise_inward(1.0) / f64::from(settings.scale));
                        }
                        _ => settings.raise = 0.0,
                    }
                    (material, PieceKind::Place(OperatorGroup { settings, children: vec![laid] }))
                };
                materials.into_iter().filter_map(on).map(placed).collect()
            }
            _ => Vec::new(),
        }
    }

    fn composed_piece(self, tree: &mut Tree, at: Point, ground: f64) -> Piece {
        let Some(preset) = self.composed() else { return Piece::default() };
        let mut relief = preset.terrain.clone();
        let mut definitions = preset.definitions.clone();
        for k in 0..definitions.len() {
            let name = unused_original(tree, &definitions[k].name);
            let old = std::mem::replace(&mut definitions[k].name, name.clone());
            let rename = &mut |piece: &mut Piece| match &mut piece.kind {
                PieceKind::Instance(instance) if instance.definition == old => instance.definition = name.clone(),
                _ => {}
            };
            relief.visit_mut(rename);
            definitions.iter_mut().for_each(|definition| definition.piece.visit_mut(rename));
            tree.definitions.push(definitions[k].clone());
        }
        // renaming one definition can change instances in earlier definitions: store all of them again
        let from = tree.definitions.len() - definitions.len();
        tree.definitions.splice(from.., definitions);
        let scale = COMPOSED * tree.frame.side / preset.frame.side;
        // raise the preset so that the height at its edges equals the height of the ground
        let program = Program::new(&preset, 0);
        let side = program.side;
        let edges = [[0.1, 0.5], [0.9, 0.5], [0.5, 0.1], [0.5, 0.9]];
        let base =
            edges.iter().fold(0.0, |sum, e| sum + 0.25 * program.height([e[0] * side, e[1] * side], &Detail::FULL));
        let pivot = 0.5 * preset.frame.side;
        let settings = Placement {
            move_x: rounded_to_six_digits(at[0] - f64::from(pivot)),
            move_y: rounded_to_six_digits(at[1] - f64::from(pivot)),
            raise: rounded_to_six_digits(ground - base * f64::from(scale)),
            scale,
            pivot_x: pivot,
            pivot_y: pivot,
            ..Placement::default()
        };
        Piece::new(PieceKind::Place(OperatorGroup { settings, children: vec![relief] }))
    }
}
