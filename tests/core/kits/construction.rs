//! Random construction trees with every primitive, every operator, and any plausible numbers.
#![allow(dead_code, reason = "each test binary and bench uses its part")]

use talweg_construction::geometry::path::CurveFit;
use talweg_construction::geometry::profile::Profile;
use talweg_construction::operators::array::{Arrangement, ArraySettings};
use talweg_construction::operators::copies::Overlap;
use talweg_construction::operators::deposit::AddSettings;
use talweg_construction::operators::detail::DetailSettings;
use talweg_construction::operators::gullies::GullySettings;
use talweg_construction::operators::placement::Placement;
use talweg_construction::operators::replace::{Extent, ReplaceSettings};
use talweg_construction::operators::scatter::{ScatterRegion, ScatterSettings};
use talweg_construction::operators::warp::{Bend, WarpSettings};
use talweg_construction::primitives::contour::{Contour, ContourRay, ContourSettings, Landform, OutlineFit};
use talweg_construction::primitives::curve::{Cross, Curve, CurvePoint, CurveSettings};
use talweg_construction::primitives::disc::Disc;
use talweg_construction::primitives::ground::ReliefStyle;
use talweg_construction::primitives::image::{Image, ImageSettings};
use talweg_construction::primitives::ribbon::{Ribbon, RibbonSettings};
use talweg_construction::{CopyGroup, Definition, Instance, OperatorGroup, Piece, PieceKind, Tree};
use talweg_ground::field::Stream;
use talweg_ground::param::{ImageFile, NumberList};

/// Draws random numbers one after the other.
pub struct Dice(Stream, i32);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(Stream::new(seed as u32, (seed >> 32) as u32), 0)
    }

    pub fn unit(&mut self) -> f64 {
        self.1 += 1;
        f64::from(self.0.unit(self.1, 7))
    }

    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A random number with two decimals, as a user would enter it.
    pub fn number(&mut self, low: f64, high: f64) -> f32 {
        ((self.uniform(low, high) * 100.0).round() / 100.0) as f32
    }

    pub fn next_below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }

    pub fn position(&mut self) -> (f32, f32) {
        (self.number(0.0, 8000.0), self.number(0.0, 8000.0))
    }
}

pub fn disc(dice: &mut Dice) -> Disc {
    let (x, y) = dice.position();
    let radius = dice.number(500.0, 3500.0);
    Disc {
        x,
        y,
        radius,
        core: dice.number(0.0, 0.7),
        height: dice.number(0.0, 800.0),
        surface: ReliefStyle::ALL[dice.next_below(ReliefStyle::ALL.len())],
        amplitude: dice.number(20.0, 500.0),
        size: dice.number(300.0, 2500.0),
        octaves: 1 + dice.next_below(6) as u32,
        roughness: dice.number(0.3, 0.5),
        wind_angle: dice.number(-180.0, 180.0),
        seed: dice.next_below(1000) as u32,
        ..lists(dice)
    }
}

/// A disc with lists of octaves, in one of three cases.
fn lists(dice: &mut Dice) -> Disc {
    if dice.next_below(3) > 0 {
        return Disc::default();
    }
    let mut list = |low: f64, high: f64| (0..3).map(|_| dice.number(low, high)).collect::<Vec<f32>>();
    let (octave_heights, octave_sizes, fade_from) = (list(-60.0, 120.0), list(150.0, 2500.0), list(0.0, 0.6));
    let fade_to = NumberList(fade_from.iter().map(|from| from + 0.3).collect());
    Disc {
        octave_heights: NumberList(octave_heights),
        octave_sizes: NumberList(octave_sizes),
        fade_from: NumberList(fade_from),
        fade_to,
        ..Disc::default()
    }
}

fn points(dice: &mut Dice) -> Vec<CurvePoint> {
    let (mut x, mut y) = dice.position();
    let mut height = dice.number(100.0, 800.0);
    let mut made = Vec::new();
    for _ in 0..2 + dice.next_below(6) {
        let mut point = CurvePoint::new(x, y, height);
        point.width = dice.number(0.6, 1.6);
        made.push(point);
        // x always grows, because a line that crosses itself has two heights at the crossing.
        x += dice.number(400.0, 1500.0);
        y += dice.number(-900.0, 900.0);
        height += dice.number(-150.0, 60.0);
    }
    made
}

pub fn curve(dice: &mut Dice) -> Curve {
    let mut points = points(dice);
    if dice.unit() < 0.4 {
        points[0].profile = Some(Profile(vec![(-1.0, 0.2), (-0.4, -0.5), (0.0, -1.0), (0.3, -0.2), (1.0, 0.1)]));
    }
    let settings = CurveSettings {
        cross: Cross::ALL[dice.next_below(Cross::ALL.len())],
        width: dice.number(80.0, 500.0),
        depth: dice.number(5.0, 150.0),
        fade: dice.number(80.0, 500.0),
        run: CurveFit::ALL[dice.next_below(CurveFit::ALL.len())],
        easing: if dice.unit() < 0.3 { dice.number(50.0, 400.0) } else { 0.0 },
        downhill: dice.unit() < 0.5,
        ..CurveSettings::default()
    };
    Curve { points, settings }
}

pub fn contour(dice: &mut Dice) -> Contour {
    let (x, y) = dice.position();
    let corners = dice.next_below(9);
    let radius = dice.uniform(200.0, 1800.0);
    let points = (0..if corners < 3 { 0 } else { corners })
        .map(|k| {
            let angle = k as f64 / corners as f64 * std::f64::consts::TAU;
            let r = radius * dice.uniform(0.7, 1.3);
            ((r * libm::cos(angle)) as f32, (r * libm::sin(angle)) as f32)
        })
        .collect();
    let profiles = match dice.next_below(3) {
        0 => vec![
            ContourRay { angle: 0.0, profile: Profile(vec![(0.0, 1.0), (0.5, 0.6), (1.0, 0.1), (1.5, 0.0)]) },
            ContourRay { angle: 140.0, profile: Profile(vec![(0.0, 1.0), (0.3, 0.9), (1.0, 0.3), (1.6, 0.0)]) },
        ],
        _ => Vec::new(),
    };
    let settings = ContourSettings {
        landform: Landform::ALL[dice.next_below(Landform::ALL.len())],
        x,
        y,
        height: dice.number(50.0, 500.0),
        depth: dice.number(30.0, 600.0),
        radius: radius as f32,
        core: dice.number(0.3, 1.1),
        reach: dice.number(1.2, 2.0),
        outline: OutlineFit::ALL[corners % OutlineFit::ALL.len()],
    };
    Contour { points, profiles, settings }
}

fn image(dice: &mut Dice) -> Image {
    let (x, y) = dice.position();
    let (w, h) = (dice.number(800.0, 2500.0), dice.number(800.0, 2500.0));
    let mut off = || dice.number(-0.2, 0.2);
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(a, b): (f32, f32)| (x + w * (a + off()), y + h * (b + off())));
    let picture = ImageFile(["stamp:mountain", "stamp:mesa", "stamp:dune"][dice.next_below(3)].into());
    let settings = ImageSettings {
        picture,
        height: dice.number(0.0, 300.0),
        depth: dice.number(100.0, 800.0),
        border: 0.25,
        weights: ImageFile(if w > h { "stamp:mesa".into() } else { String::new() }),
    };
    Image { corners, settings }
}

fn ribbon(dice: &mut Dice) -> Ribbon {
    let settings = RibbonSettings {
        length: dice.number(800.0, 3000.0),
        width: dice.number(200.0, 700.0),
        fade: dice.number(50.0, 200.0),
        depth: dice.number(50.0, 300.0),
        ..RibbonSettings::default()
    };
    Ribbon { points: points(dice), settings }
}

pub fn primitive(dice: &mut Dice) -> Piece {
    Piece::new(match dice.next_below(10) {
        0..=3 => PieceKind::Disc(disc(dice)),
        4 | 5 => PieceKind::Curve(curve(dice)),
        6 | 7 => PieceKind::Contour(contour(dice)),
        8 => PieceKind::Image(image(dice)),
        _ => PieceKind::Ribbon(ribbon(dice)),
    })
}

/// A random primitive or operator, nested up to `depth` deep.
pub fn piece(dice: &mut Dice, depth: usize) -> Piece {
    if depth == 0 || dice.unit() < 0.15 {
        return primitive(dice);
    }
    let of: Vec<Piece> = (0..2 + dice.next_below(3)).map(|_| piece(dice, depth - 1)).collect();
    let extent = Extent::ALL[dice.next_below(2)];
    Piece::new(match dice.next_below(7) {
        0 | 1 => PieceKind::Blend(OperatorGroup { children: of, ..OperatorGroup::default() }),
        2 => {
            // This primitive draws from its own random numbers, so that the rest of the construction tree does not
            // change.
            let mut own = Dice::new((of.len() as u64) << 32 | u64::from(dice.1.unsigned_abs()));
            let settings = ReplaceSettings {
                extent,
                by_height: own.unit() < 0.3,
                height_from: own.number(-200.0, 100.0),
                height_to: own.number(200.0, 600.0),
                by_slope: own.unit() < 0.15,
                slope_to: own.number(5.0, 25.0),
                base: own.number(40.0, 150.0),
                ..ReplaceSettings::default()
            };
            PieceKind::Replace(OperatorGroup { settings, children: of })
        }
        3 => {
            let settings = AddSettings {
                extent,
                by_height: dice.unit() < 0.5,
                height_to: dice.number(200.0, 600.0),
                by_slope: dice.unit() < 0.4,
                slope_to: dice.number(5.0, 25.0),
                base: dice.number(40.0, 150.0),
                ..AddSettings::default()
            };
            PieceKind::Add(OperatorGroup { settings, children: of })
        }
        4 => {
            let bend = Bend::ALL[dice.next_below(2)];
            let (x, y) = dice.position();
            let settings = WarpSettings {
                bend,
                strength: dice.number(20.0, 300.0),
                size: dice.number(800.0, 3000.0),
                turn_angle: dice.number(-120.0, 120.0),
                x,
                y,
                radius: dice.number(1000.0, 4000.0),
                seed: dice.next_below(100) as u32,
                ..WarpSettings::default()
            };
            let mut own = Dice::new((of.len() as u64) << 32 | u64::from(dice.1.unsigned_abs()));
            let (bend, picture) = match own.next_below(4) {
                0 => (Bend::Picture, ["stamp:mountain", "stamp:dune"][own.next_below(2)]),
                1 => (Bend::Curve, ""),
                _ => (bend, ""),
            };
            let direction_angle = own.number(-180.0, 180.0);
            let settings = WarpSettings { bend, picture: ImageFile(picture.into()), direction_angle, ..settings };
            PieceKind::Warp(CopyGroup { settings, children: of, points: points(&mut own) })
        }
        5 => {
            let mut settings = Placement {
                move_x: dice.number(-1000.0, 1000.0),
                move_y: dice.number(-1000.0, 1000.0),
                raise: dice.number(-100.0, 100.0),
                turn_angle: dice.number(-180.0, 180.0),
                scale: dice.number(0.6, 1.5),
                steepen: dice.number(0.5, 1.2),
                mirror: dice.unit() < 0.5,
                pivot_x: 4000.0,
                pivot_y: 4000.0,
                ..Placement::default()
            };
            if settings.scale > 1.0 {
                (settings.stretch_x, settings.stretch_y) = (1.4, 0.8);
                settings.shear_angle = settings.turn_angle / 6.0;
            }
            PieceKind::Place(OperatorGroup { settings, children: of })
        }
        _ => {
            let mut own = Dice::new((of.len() as u64) << 32 | u64::from(dice.1.unsigned_abs()));
            if own.unit() < 0.6 {
                let settings = gullies(&mut own);
                PieceKind::Gullies(OperatorGroup { settings, children: of })
            } else {
                PieceKind::Detail(OperatorGroup { settings: DetailSettings::default(), children: of })
            }
        }
    })
}

/// A random construction tree of about a dozen primitives, with a definition and instances of it.
pub fn tree(seed: u64) -> Tree {
    let mut dice = Dice::new(seed);
    let mut tree = Tree::default();
    tree.frame.ground = dice.number(-100.0, 100.0);
    tree.terrain = piece(&mut dice, 3);
    if dice.unit() < 0.5 {
        tree.definitions.push(Definition { name: "twice".into(), piece: piece(&mut dice, 1) });
        let mut of = vec![std::mem::take(&mut tree.terrain)];
        for _ in 0..2 {
            let settings = Placement {
                move_x: dice.number(-3000.0, 3000.0),
                turn_angle: dice.number(0.0, 360.0),
                scale: dice.number(0.5, 1.2),
                pivot_x: 4000.0,
                pivot_y: 4000.0,
                ..Placement::default()
            };
            of.push(Piece::new(PieceKind::Instance(Instance { definition: "twice".into(), settings })));
        }
        tree.terrain = Piece::new(PieceKind::Blend(OperatorGroup { children: of, ..OperatorGroup::default() }));
    }
    tree
}

/// A construction tree with a hill, an array and a scatter. The array and the scatter each copy a random primitive that
/// is small compared with the hill.
pub fn copies(seed: u64) -> Tree {
    let mut dice = Dice::new(seed);
    let small = |dice: &mut Dice| {
        let mut one = disc(dice);
        (one.x, one.y, one.radius, one.height) = (4000.0, 4000.0, dice.number(250.0, 700.0), dice.number(60.0, 200.0));
        vec![Piece::new(PieceKind::Disc(one))]
    };
    let array = ArraySettings {
        arrangement: Arrangement::ALL[dice.next_below(3)],
        count: 6,
        step_x: dice.number(400.0, 1200.0),
        step_y: dice.number(400.0, 1200.0),
        stagger: dice.number(0.0, 1.0),
        turn_angle: dice.number(-180.0, 180.0),
        scale_jitter: 0.4,
        turn_jitter: 90.0,
        variants: 2,
        overlap: Overlap::ALL[dice.next_below(Overlap::ALL.len())],
        ..ArraySettings::default()
    };
    let array = CopyGroup { points: Vec::new(), settings: array, children: small(&mut dice) };
    let (region, points) = match dice.next_below(3) {
        0 => (ScatterRegion::Circle, Vec::new()),
        1 => (ScatterRegion::Outline, [(1500.0, 1500.0), (6500.0, 2500.0), (4000.0, 7000.0)].map(corner).to_vec()),
        _ => (ScatterRegion::Curve, points(&mut dice)),
    };
    let scatter = ScatterSettings {
        region,
        distance: dice.number(500.0, 1200.0),
        density: dice.number(0.5, 1.0),
        height_jitter: 0.5,
        overlap: Overlap::ALL[dice.next_below(Overlap::ALL.len())],
        ..ScatterSettings::default()
    };
    let scatter = CopyGroup { points, settings: scatter, children: small(&mut dice) };
    let of = vec![
        Piece::new(PieceKind::Disc(disc(&mut dice))),
        Piece::new(PieceKind::Array(array)),
        Piece::new(PieceKind::Scatter(scatter)),
    ];
    let terrain = Piece::new(PieceKind::Add(OperatorGroup { children: of, ..OperatorGroup::default() }));
    Tree { terrain, ..Tree::default() }
}

fn corner((x, y): (f32, f32)) -> CurvePoint {
    CurvePoint::new(x, y, 0.0)
}

pub fn gullies(dice: &mut Dice) -> GullySettings {
    let size = dice.number(200.0, 900.0);
    GullySettings {
        size,
        octaves: 1 + dice.next_below(4) as u32,
        depth: size * dice.number(0.02, 0.15),
        persistence: dice.number(0.3, 0.6),
        branching: dice.number(0.0, 1.0),
        crest_fade: dice.number(0.0, 1.0),
        slope_from: dice.number(0.0, 8.0),
        slope_to: dice.number(10.0, 30.0),
        seed: dice.next_below(100) as u32,
    }
}

/// A construction tree of about `primitives` primitives: hills and mountains everywhere, with lakes, rivers and roads
/// on them. It has 10 operators for 80 primitives.
pub fn large(primitives: usize) -> Tree {
    let mut dice = Dice::new(80);
    let mut hills = Vec::new();
    for _ in 0..primitives * 3 / 4 {
        let mut one = disc(&mut dice);
        one.radius = dice.number(500.0, 1300.0);
        one.octaves = 6;
        hills.push(Piece::new(PieceKind::Disc(one)));
    }
    let group = |settings, of| Piece::new(PieceKind::Replace(OperatorGroup { settings, children: of }));
    // Five groups of blended hills, blended with each other.
    let per = hills.len().div_ceil(5);
    let blends: Vec<Piece> = hills
        .chunks(per)
        .map(|of| Piece::new(PieceKind::Blend(OperatorGroup { children: of.to_vec(), ..OperatorGroup::default() })))
        .collect();
    let mut base = Piece::new(PieceKind::Blend(OperatorGroup { children: blends, ..OperatorGroup::default() }));
    let rest = primitives - hills.len();
    for k in 0..4 {
        let mut of = vec![base];
        for _ in 0..rest / 4 + usize::from(k < rest % 4) {
            of.push(if k % 2 == 0 {
                let mut lake = contour(&mut dice);
                lake.settings.radius = dice.number(150.0, 400.0);
                lake.points.iter_mut().for_each(|p| *p = (p.0 * 0.3, p.1 * 0.3));
                Piece::new(PieceKind::Contour(lake))
            } else {
                let mut road = curve(&mut dice);
                (road.settings.width, road.settings.fade) = (dice.number(20.0, 60.0), dice.number(40.0, 120.0));
                road.settings.cross = if dice.unit() < 0.5 { Cross::Road } else { Cross::River };
                Piece::new(PieceKind::Curve(road))
            });
        }
        base = group(ReplaceSettings::default(), of);
    }
    Tree { terrain: base, ..Tree::default() }
}
