//! Programs as buffers: a construction as `u32` words that a shader interprets without recursion.
//!
//! A word is an integer or the bits of an `f32`; all lengths are metres. [`Buffer::words`] holds the tree,
//! [`Buffer::image_samples`] the samples of its images, one image after the other. The header locates everything:
//!
//! | word | meaning |
//! |---|---|
//! | 0, 1 | [`MAGIC`], [`VERSION`] |
//! | 2 | number of words |
//! | 3, 4, 5 | side of the square, relief, height of the ground where there is no piece |
//! | 6 to 10 | index of the first instruction of each [`MaterialLayer`]: terrain, water, sand, snow, vegetation; 0 if the layer is absent |
//! | 11 | maximum number of frames that the interpreter needs |
//! | 12 | index of the 256 gradient vectors of the noise, two words each |
//! | 13, 14 | index of the first primitive, and the number of primitives |
//! | 15 | 0 |
//!
//! # Instructions
//! Instructions are stored in the order of execution. Those up to [`op::PROBE`] start with `op, skip, low x, low y,
//! high x, high y`. If the point is outside this box, execution continues at `skip`, after all instructions inside. The
//! operands follow, then the instructions inside. The interpreter keeps a point `p`, a `spacing` (see [`Detail`]) and a
//! stack of frames; frame 0 receives the result. A sample (height, weight) is always *given* to the frame on top.
//!
//! | op | operands from word 6 | effect |
//! |---|---|---|
//! | 1 [`op::LEAF`] | primitive | gives the sample of the primitive at `p` |
//! | 2 [`op::PLACED`] | primitive, map (6), rise, lift, stretching | gives the sample of the primitive at map·p with spacing · stretching; height · rise + lift |
//! | 3 [`op::GROUP`] | | only a bounding box: its instructions belong to the frame around it |
//! | 4 [`op::BLEND`] | | opens a frame that sums the samples given: Σα, Σα f |
//! | 5 [`op::REPLACE`] | extent, by height, from, to, below, above, by slope, from, to, below, above, base | opens a frame; samples given after GROUND replace the ground |
//! | 6 [`op::ADD`] | the same | opens a frame; samples given after GROUND are added to the ground |
//! | 7 [`op::WARP`] | map (6), stretching, bend, x, y, strength or angle, per size or radius, seed, seed, stretching of a push, push (2), picture (3), a list of x, y, drag (2) | opens a frame that sums; p becomes the warped point |
//! | 8 [`op::DETAIL`] | from, to | opens a frame that sums, scaled by fractions |
//! | 9 [`op::SHARE`] | which | scales the samples inside by 1 - t (0), t (1) or 1 (2); skips them if this is 0 |
//! | 10 [`op::GULLIES`] | map (6), stretching, rise, branching, crest fade, spacing, base, from, to, ground, a list of cell, depth, turn (2), seed | opens a frame of one piece, whose slope a probe measures; p becomes map·p |
//! | 11 [`op::PROBE`] | ground | runs the instructions at `ground` at the four points p ± base to measure the slope; gullies use the spacing and the ground height of their own operands |
//! | 12 [`op::GROUND`] | (a single word) | the samples so far are the ground for the following ones; ends one point of a probe |
//! | 13 [`op::GIVE`] | (a single word) | closes the frame, restores p and spacing, gives its sample |
//! | 0 [`op::END`] | (a single word) | the result is in frame 0 |
//!
//! A map is `xx, xy, yx, yy, x, y`: q = (xx·x + xy·y + x, yx·x + yy·y + y). An extent is 0 (as below) or 1 (with the
//! new piece). Copies that cover each other have the extent 2 (over, see [`copies`](super::operators::copies)), with an
//! empty group as their ground. Arrays and scatters are written as a blend or a replacement of all copies. For an
//! addition by slope inside a rotated copy, the interpreter measures slopes along the axes of the tree; the program
//! measures them along those of the copy.
//! Formulas: those of the [`operators`](super::operators). A frame that sums only one sample returns that sample
//! unchanged.
//!
//! # Primitives
//! An instruction points to the words of its primitive: `kind, lowest, highest, slope, fade` (bounds over the whole
//! primitive: heights, |∇f|, |∇α|). Then follow, by kind, the fields of [`DiscWords`] (0), [`CurveWords`] (1),
//! [`ContourWords`] (2), [`ImageWords`] (3) or [`RibbonWords`] (4), in their order. A list is its length and its items.
//! A [`LineWords`] is a list of `x, y, slope at x` of a monotone cubic, level beyond its ends. Instances share the
//! words of their primitives.
//!
//! [`interpreter`] executes all this as a shader does, in `f32`, and is tested against the [`Program`].

pub mod interpreter;
pub mod layout;
pub mod records;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use layout::{BufferListing, Instruction, LeafWords, Operation, Primitive, PushWords, WindowWords};
pub use records::{ContourWords, CurveWords, DiscWords, ImageWords, LineWords, RibbonWords};

use super::compiled_program::{NodeCopies, NodeFrame, Operator, PreparedPrimitive, Program, ProgramNode};
use super::geometry::plane::{Affine, Area, Capsule};
use super::geometry::{path, profile};
use super::materials::MaterialLayer;
use super::operators::copies::Overlap;
use super::operators::deposit::Deposit;
use super::operators::ground_window::{GroundWindow, SmoothBand};
use super::operators::gully_law::{GullyLattice, GullyLaw, GullyOctave};
use super::operators::replace::{Extent, Replacement};
use super::operators::warp::PreparedWarp;
use super::primitives::image_sampler::ImageSampler;
use super::primitives::noise;
use super::primitives::{contour, curve, disc, image, ribbon};
use super::sample::{Detail, GroundBounds};

/// First word of every buffer.
pub const MAGIC: u32 = 0x7a1_0004;
/// Version of the layout.
pub const VERSION: u32 = 5;
/// Words of the header.
pub const HEADER: usize = 16;

/// Opcodes of the instructions.
pub mod op {
    /// Ends execution.
    pub const END: u32 = 0;
    /// A primitive.
    pub const LEAF: u32 = 1;
    /// A primitive that is moved, rotated, scaled or raised.
    pub const PLACED: u32 = 2;
    /// A bounding box around part of a blend.
    pub const GROUP: u32 = 3;
    /// Opens a blend.
    pub const BLEND: u32 = 4;
    /// Opens a replacement.
    pub const REPLACE: u32 = 5;
    /// Opens an addition.
    pub const ADD: u32 = 6;
    /// Opens a warp.
    pub const WARP: u32 = 7;
    /// Opens a blend by level of detail.
    pub const DETAIL: u32 = 8;
    /// One piece of such a blend.
    pub const SHARE: u32 = 9;
    /// Opens a piece with gullies.
    pub const GULLIES: u32 = 10;
    /// Measures the slope of the ground.
    pub const PROBE: u32 = 11;
    /// Ends the ground of a replacement, an addition or gullies.
    pub const GROUND: u32 = 12;
    /// Closes the frame that was opened last.
    pub const GIVE: u32 = 13;
}

/// Number of segments of a path, or of instructions of a replacement, in one bounding box.
pub const RUN: usize = 8;
/// Extent of copies that cover each other.
pub const OVER: u32 = 2;

/// Reason why words are not a construction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BufferError {
    /// The first word is not [`MAGIC`].
    #[error("these words are not a construction: they do not start with its signature")]
    Magic,
    /// A different [`VERSION`].
    #[error("the buffer has version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// Too short, or an invalid word.
    #[error("the buffer is truncated or contradicts its header, near word {0}")]
    Broken(usize),
}

/// A construction encoded as words.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Buffer {
    /// The words, ready for a storage buffer.
    pub words: Vec<u32>,
    /// Samples of the images, from 0 to 1.
    pub image_samples: Vec<f32>,
}

impl Buffer {
    /// The words as little-endian bytes, ready for upload to a GPU.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }

    /// Decodes the words.
    ///
    /// # Errors
    /// When the words are not a buffer of this version, or are damaged.
    pub fn listing(&self) -> Result<BufferListing, BufferError> {
        BufferListing::read(&self.words)
    }
}

impl Program {
    /// Encodes the program as a buffer.
    pub fn to_buffer(&self) -> Buffer {
        let mut encoder =
            Encoder { program: self, primitives: Vec::new(), known: BTreeMap::new(), image_samples: Vec::new() };
        let plain = NodeFrame::new(0);
        let materials = MaterialLayer::ALL.map(|material| Some(encoder.step(self.roots[material as usize]?, &plain)));
        let listing = BufferListing {
            frame: [self.side, self.relief, self.ground].map(|v| v as f32),
            vectors: noise::vectors().iter().map(|v| v.map(|c| c as f32)).collect(),
            primitives: encoder.primitives,
            materials,
        };
        Buffer { words: listing.words(), image_samples: encoder.image_samples }
    }
}

struct Encoder<'a> {
    program: &'a Program,
    primitives: Vec<Primitive>,
    /// Index of each encoded primitive by its memory address: instances share one encoding.
    known: BTreeMap<usize, u32>,
    image_samples: Vec<f32>,
}

/// The box in `f32`, rounded outwards.
fn rounded_outward(area: &Area) -> [f32; 4] {
    let down = |v: f64| if f64::from(v as f32) > v { (v as f32).next_down() } else { v as f32 };
    let up = |v: f64| if f64::from(v as f32) < v { (v as f32).next_up() } else { v as f32 };
    [down(area.low[0]), down(area.low[1]), up(area.high[0]), up(area.high[1])]
}

fn map(affine: &Affine) -> [f32; 6] {
    let [[a, b], [c, d]] = affine.rows;
    [a, b, c, d, affine.offset[0], affine.offset[1]].map(|v| v as f32)
}

fn band_words(band: Option<SmoothBand>) -> (u32, [f32; 4]) {
    let SmoothBand { from, to, below, above } = band.unwrap_or(SmoothBand::OPEN);
    (u32::from(band.is_some()), [from, to, below, above].map(|v| v as f32))
}

impl Encoder<'_> {
    fn node(&self, id: u32) -> &ProgramNode {
        &self.program.nodes[id as usize]
    }

    /// Encodes a node. `around` is the frame of the copy that contains it.
    fn step(&mut self, id: u32, around: &NodeFrame) -> Instruction {
        let program = self.program;
        let node = &program.nodes[id as usize];
        let what = match &node.operator {
            Operator::Leaf { leaf, frame, .. } => {
                let primitive = self.primitive(leaf);
                let NodeFrame { inward, rise, lift, stretching, is_plain, .. } = around.composed(frame);
                let numbers = [rise, lift, stretching].map(|v| v as f32);
                if is_plain {
                    Operation::Leaf { primitive }
                } else {
                    Operation::Placed { primitive, map: map(&inward), numbers }
                }
            }
            Operator::Blend => Operation::Blend { of: self.grouped(node, around) },
            Operator::Replace(Replacement { extent, window }) => {
                let mut above = self.children(node, around);
                let ground = above.remove(0);
                let of = std::iter::once(ground).chain(in_runs(above)).collect();
                let window = self.window_words(window, node, around);
                Operation::Replace { extent: *extent as u32, window, of }
            }
            Operator::Repeat(NodeCopies { overlap: Overlap::Blend, .. }) => {
                Operation::Blend { of: self.grouped(node, around) }
            }
            Operator::Repeat(NodeCopies { copies, overlap: Overlap::Replace }) => {
                let above = (0..copies.len()).map(|k| self.part(node, k, around)).collect();
                let nothing = Instruction { area: [0.0; 4], what: Operation::Group { of: Vec::new() } };
                let window = WindowWords::default();
                Operation::Replace {
                    extent: OVER,
                    window,
                    of: std::iter::once(nothing).chain(in_runs(above)).collect(),
                }
            }
            Operator::Add(deposit) => {
                let Deposit { extent, window } = deposit;
                let window = self.window_words(window, node, around);
                // an added height is relative, so the frame must not lift it
                let level = around.unlifted();
                let inner = |k: usize| if k == 0 { around } else { &level };
                let of = (0..node.children.len()).map(|k| self.step(node.children[k], inner(k))).collect();
                Operation::Add { extent: *extent as u32, window, of }
            }
            Operator::Warp { warp, frame } => {
                let frame = around.composed(frame);
                let mut push = PushWords::default();
                let (bend, numbers, seeds) = match warp {
                    PreparedWarp::Noise { strength, per_size, noises } => {
                        (0, [0.0, 0.0, *strength, *per_size], [noises[0].seed(), noises[1].seed()])
                    }
                    PreparedWarp::Twist { centre, angle, falloff } => {
                        (1, [centre[0], centre[1], *angle, falloff.radius], [0; 2])
                    }
                    PreparedWarp::Picture(warp) => {
                        push.stretching = warp.stretching as f32;
                        push.push = warp.push.map(|v| v as f32);
                        push.picture = self.picture(&warp.picture);
                        (2, [warp.centre[0], warp.centre[1], 0.0, warp.falloff.radius], [0; 2])
                    }
                    PreparedWarp::Curve(warp) => {
                        push.stretching = warp.stretching as f32;
                        push.places = warp.places.iter().map(|place| place.map(|v| v as f32)).collect();
                        (3, [0.0, 0.0, 0.0, warp.falloff.radius], [0; 2])
                    }
                };
                Operation::Warp {
                    map: map(&frame.inward),
                    stretching: frame.stretching as f32,
                    bend,
                    numbers: numbers.map(|v| v as f32),
                    seeds,
                    push,
                    of: self.grouped(node, &around.heights_alone()),
                }
            }
            Operator::Gullies { gullies, frame } => {
                let frame = around.composed(frame);
                let GullyLaw { octaves, branching, crest_fade, fade } = &gullies.law;
                let octave = |octave: &GullyOctave| {
                    let GullyLattice::Hash(seed) = octave.lattice else {
                        unreachable!("settings on a plane make hashed lattices")
                    };
                    let [cosine, sine] = octave.turn;
                    ([octave.cell, octave.depth, cosine, sine].map(|v| v as f32), seed)
                };
                let ground = around.rise * program.ground + around.lift;
                Operation::Gullies {
                    map: map(&frame.inward),
                    stretching: frame.stretching as f32,
                    rise: frame.rise as f32,
                    bends: [*branching, *crest_fade].map(|v| v as f32),
                    probe: [gullies.spacing, gullies.base].map(|v| v as f32),
                    fade: fade.map(|v| v as f32),
                    ground: ground as f32,
                    octaves: octaves.iter().map(octave).collect(),
                    of: vec![self.step(node.children[0], &around.heights_alone())],
                }
            }
            Operator::Detail(settings) => {
                let last = node.children.len() - 1;
                let mut of = Vec::new();
                for (k, &child) in node.children.iter().enumerate() {
                    let share = match k {
                        0 if last > 0 => 0,
                        _ if k == last && last > 0 => 1,
                        0 => 2,
                        // pieces between the first and the last never show
                        _ => continue,
                    };
                    let inner = self.step(child, around);
                    of.push(Instruction { area: inner.area, what: Operation::Share { share, of: vec![inner] } });
                }
                Operation::Detail { from: settings.from, to: settings.to, of }
            }
        };
        Instruction { area: rounded_outward(&around.area_outward(&node.area)), what }
    }

    fn window_words(&self, window: &GroundWindow, node: &ProgramNode, around: &NodeFrame) -> WindowWords {
        let GroundWindow { height, slope, base } = window.placed(around);
        let laid = node.children[1..].iter().map(|&child| around.area_outward(&self.node(child).area));
        let laid = if slope.is_some() { rounded_outward(&laid.fold(Area::EMPTY, Area::union)) } else { [0.0; 4] };
        WindowWords { height: band_words(height), slope: band_words(slope), base: base as f32, laid }
    }

    fn children(&mut self, node: &ProgramNode, around: &NodeFrame) -> Vec<Instruction> {
        node.children.iter().map(|&child| self.step(child, around)).collect()
    }

    /// Encodes a child or a copy.
    fn part(&mut self, node: &ProgramNode, k: usize, around: &NodeFrame) -> Instruction {
        match &node.operator {
            Operator::Repeat(NodeCopies { copies, .. }) => {
                let copy = &copies[k];
                self.step(node.children[copy.child as usize], &around.composed(&copy.frame))
            }
            _ => self.step(node.children[k], around),
        }
    }

    /// Encodes the children or copies, grouped by bounding box if there are many.
    fn grouped(&mut self, node: &ProgramNode, around: &NodeFrame) -> Vec<Instruction> {
        if node.hierarchy.is_empty() {
            return (0..node.parts()).map(|k| self.part(node, k, around)).collect();
        }
        // skip the outermost box: it is that of the node
        self.bins(node, around, 1, node.hierarchy.bins.len())
    }

    fn bins(&mut self, node: &ProgramNode, around: &NodeFrame, from: usize, to: usize) -> Vec<Instruction> {
        let mut made = Vec::new();
        let mut k = from;
        while k < to {
            let bin = node.hierarchy.bins[k];
            let of = if bin.to > bin.from {
                let pieces = &node.hierarchy.order[bin.from as usize..bin.to as usize];
                pieces.iter().map(|&piece| self.part(node, piece as usize, around)).collect()
            } else {
                self.bins(node, around, k + 1, bin.skip as usize)
            };
            made.push(Instruction {
                area: rounded_outward(&around.area_outward(&bin.area)),
                what: Operation::Group { of },
            });
            k = bin.skip as usize;
        }
        made
    }

    fn primitive(&mut self, leaf: &Arc<PreparedPrimitive>) -> u32 {
        let key = Arc::as_ptr(leaf) as usize;
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let bounds = leaf.bounds(&Capsule::area(&leaf.area()), &Detail::FULL);
        let GroundBounds { height, slope, fade, .. } = bounds;
        let words = match &**leaf {
            PreparedPrimitive::Disc(leaf) => LeafWords::Disc(disc_words(leaf)),
            PreparedPrimitive::Curve(leaf) => LeafWords::Curve(curve_words(leaf)),
            PreparedPrimitive::Contour(leaf) => LeafWords::Contour(contour_words(leaf)),
            PreparedPrimitive::Image(leaf) => LeafWords::Image(self.image_words(leaf)),
            PreparedPrimitive::Ribbon(leaf) => LeafWords::Ribbon(self.ribbon_words(leaf)),
        };
        let index = self.primitives.len() as u32;
        self.primitives.push(Primitive { bounds: [height.low, height.high, slope, fade].map(|v| v as f32), words });
        self.known.insert(key, index);
        index
    }

    /// Index of an image's first sample, its width and its height.
    fn picture(&mut self, picture: &ImageSampler) -> [u32; 3] {
        let raster = picture.raster();
        let from = self.image_samples.len() as u32;
        self.image_samples.extend_from_slice(&raster.values);
        [from, raster.width as u32, raster.height as u32]
    }

    fn image_words(&mut self, leaf: &image::PreparedImage) -> ImageWords {
        ImageWords {
            corner: leaf.corner.map(|v| v as f32),
            e: leaf.e.map(|v| v as f32),
            f: leaf.f.map(|v| v as f32),
            g: leaf.g.map(|v| v as f32),
            height: leaf.height as f32,
            depth: leaf.depth as f32,
            border: leaf.border as f32,
            picture: self.picture(&leaf.picture),
            weights: leaf.weights.as_ref().map_or([0; 3], |weights| self.picture(weights)),
        }
    }

    fn ribbon_words(&mut self, leaf: &ribbon::PreparedRibbon) -> RibbonWords {
        RibbonWords {
            centreline: centreline_words(&leaf.centreline),
            picture: self.picture(&leaf.picture),
            per_length: leaf.per_length as f32,
            level: leaf.level as f32,
        }
    }
}

/// Groups consecutive instructions by bounding box if there are many; their order stays.
fn in_runs(mut of: Vec<Instruction>) -> Vec<Instruction> {
    while of.len() >= 2 * RUN {
        let mut rest = of.into_iter().peekable();
        of = Vec::new();
        while rest.peek().is_some() {
            let run: Vec<Instruction> = rest.by_ref().take(RUN).collect();
            let [mut low_x, mut low_y, mut high_x, mut high_y] = run[0].area;
            for [a, b, c, d] in run.iter().map(|inner| inner.area) {
                (low_x, low_y, high_x, high_y) = (low_x.min(a), low_y.min(b), high_x.max(c), high_y.max(d));
            }
            of.push(Instruction { area: [low_x, low_y, high_x, high_y], what: Operation::Group { of: run } });
        }
    }
    of
}

fn disc_words(leaf: &disc::PreparedDisc) -> DiscWords {
    let form = leaf.ground.form();
    DiscWords {
        centre: leaf.centre.map(|v| v as f32),
        height: leaf.height as f32,
        core: leaf.falloff.core as f32,
        radius: leaf.falloff.radius as f32,
        surface: form.surface as u32,
        octaves: form.octaves as u32,
        amplitude: form.amplitude as f32,
        size: form.size as f32,
        roughness: form.roughness as f32,
        wind: form.wind.map(|v| v as f32),
        seed: leaf.ground.seed(),
    }
}

/// The points of a line. For a constant line, only the first point, which is enough.
fn line_words(line: &profile::MonotoneCubic) -> LineWords {
    let mut points: LineWords = line.points().map(|point| point.map(|v| v as f32)).collect();
    if points.iter().all(|&[_, y, slope]| y == points[0][1] && slope == 0.0) {
        points.truncate(1);
    }
    points
}

fn centreline_words(centreline: &curve::CurveCentreline) -> records::CourseWords {
    let path::PathOutline { reach, tolerance, vertices } = centreline.path.outline();
    let runs = (0..vertices.len() - 1).step_by(RUN).map(|from| {
        let to = (from + RUN + 1).min(vertices.len());
        let area = Area::enclosing(vertices[from..to].iter().map(|v| [v[0], v[1]]));
        (rounded_outward(&area), vertices[from][2] as f32)
    });
    records::CourseWords {
        reach: reach as f32,
        tolerance: tolerance as f32,
        core: centreline.falloff.core as f32,
        radius: centreline.falloff.radius as f32,
        core_share: centreline.core_share.unwrap_or(0.0) as f32,
        vertices: vertices.iter().map(|v| [v[0] as f32, v[1] as f32]).collect(),
        runs: runs.collect(),
        height: line_words(&centreline.height),
        width: line_words(&centreline.width),
        depth: line_words(&centreline.depth),
    }
}

fn curve_words(leaf: &curve::PreparedCurve) -> CurveWords {
    let profiles = leaf.profiles().map(|(s, is_even, line)| (s as f32, u32::from(is_even), line_words(line)));
    let profiles: Vec<_> = profiles.collect();
    // drop stations between equal profiles; the first and the last profile extend beyond their stations
    let is_same = |a: usize, b: usize| (profiles[a].1, &profiles[a].2) == (profiles[b].1, &profiles[b].2);
    let ends = |&k: &usize| k > 0 && !is_same(k - 1, k) || k + 1 < profiles.len() && !is_same(k, k + 1);
    let mut kept: Vec<_> = (0..profiles.len()).filter(ends).map(|k| profiles[k].clone()).collect();
    if kept.is_empty() {
        kept.extend(profiles.into_iter().take(1));
    }
    CurveWords { centreline: centreline_words(&leaf.centreline), profiles: kept }
}

fn contour_words(leaf: &contour::PreparedContour) -> ContourWords {
    ContourWords {
        centre: leaf.centre.map(|v| v as f32),
        height: leaf.height as f32,
        depth: leaf.depth as f32,
        core: leaf.falloff.core as f32,
        reach: leaf.falloff.radius as f32,
        farthest: leaf.farthest as f32,
        inner: leaf.outline.as_ref().map_or(0.0, |outline| outline.depth() as f32),
        outline: leaf
            .outline
            .iter()
            .flat_map(|outline| outline.corners())
            .map(|corner| corner.map(|v| v as f32))
            .collect(),
        radius: line_words(&leaf.radius),
        rays: leaf.rays.iter().map(|(angle, line)| (*angle as f32, line_words(line))).collect(),
    }
}

/// The buffer stores extents as these numbers.
const _: () = assert!(Extent::Below as u32 == 0 && Extent::Both as u32 == 1);
