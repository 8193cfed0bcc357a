//! Compiled programs as buffers: a construction encoded as `u32` words that a shader interprets without recursion.
//!
//! A word is a `u32` that holds an integer or the bits of an `f32`. All lengths are in metres. [`Buffer::words`] holds
//! the construction tree. [`Buffer::image_samples`] holds the samples of the tree's images, one image after the other.
//! The header, at the start of the words, says where each part begins:
//!
//! | word | meaning |
//! |---|---|
//! | 0, 1 | [`MAGIC`], [`VERSION`] |
//! | 2 | number of words |
//! | 3, 4, 5 | side of the square, relief, height of the ground where there is no piece |
//! | 6 to 10 | index of the first instruction of each [`MaterialLayer`]: terrain, water, sand, snow, vegetation; 0 if the layer is absent |
//! | 11 | maximum number of frames that the shader needs |
//! | 12 | index of the 256 gradient vectors of the noise, two words each |
//! | 13, 14 | index of the first primitive, and the number of primitives |
//! | 15 | 0 |
//!
//! # Instructions
//! Instructions are stored in the order of execution. Instructions with opcodes up to [`op::PROBE`] start with `op,
//! skip, low x, low y, high x, high y`. If the point is outside this box, the shader continues at `skip`, after all
//! instructions inside the box. The operands follow, then the instructions inside. The shader keeps a point `p`, a
//! `spacing` (see [`Detail`]) and a stack of frames, each of which combines samples; frame 0 receives the result. A
//! sample (height, weight) is always added to the frame on top of the stack; the table says that an instruction *gives*
//! the sample.
//!
//! | op | operands from word 6 | effect |
//! |---|---|---|
//! | 1 [`op::LEAF`] | primitive | gives the sample of the primitive at `p` |
//! | 2 [`op::PLACED`] | primitive, map (6), rise, lift, stretching | gives the sample of the primitive at map·p, evaluated with spacing · stretching; its height becomes height · rise + lift |
//! | 3 [`op::GROUP`] | | only a bounding box: its instructions belong to the frame around it |
//! | 4 [`op::BLEND`] | | opens a frame that sums the samples given: Σα, Σα f |
//! | 5 [`op::REPLACE`] | extent, by height, from, to, below, above, by slope, from, to, below, above, base | opens a frame; samples given after GROUND replace the ground |
//! | 6 [`op::ADD`] | the same operands as REPLACE | opens a frame; samples given after GROUND are added to the ground |
//! | 7 [`op::WARP`] | map (6), stretching, bend, x, y, strength or angle, per size or radius, seed, seed, stretching of a push, push (2), picture (3), a list of x, y, drag (2) | opens a frame that sums the samples; p becomes the warped point |
//! | 8 [`op::DETAIL`] | from, to | opens a frame that sums the samples, each multiplied by the factor of its SHARE instruction; t rises linearly from 0 to 1 while the level of detail rises from `from` to `to` |
//! | 9 [`op::SHARE`] | which | multiplies the samples of its own instructions by a factor, with the t of the DETAIL frame: 1 - t if `which` is 0, t if 1, and 1 if 2; skips these instructions if the factor is 0 |
//! | 10 [`op::GULLIES`] | map (6), stretching, rise, branching, crest fade, spacing, base, from, to, ground, a list of cell, depth, turn (2), seed | opens a frame of one piece, whose slope a probe measures; p becomes map·p |
//! | 11 [`op::PROBE`] | ground | measures the slope: runs the instructions at index `ground` for four points around the position. Gullies read the distance of the points and the height of the terrain from their own operands |
//! | 12 [`op::GROUND`] | (a single word) | the samples so far become the ground for the following samples; in a probe, ends the evaluation of one of the four points |
//! | 13 [`op::GIVE`] | (a single word) | closes the frame, restores p and the spacing, gives the sample of the frame to the frame below |
//! | 0 [`op::END`] | (a single word) | the result is in frame 0 |
//!
//! A map is `xx, xy, yx, yy, x, y`. It maps p to q = (xx·p_x + xy·p_y + x, yx·p_x + yy·p_y + y). An extent is 0 (the
//! new piece does not extend the area that has weight) or 1 (the new piece extends this area). Copies that cover each
//! other have the extent 2 (over, see [`copies`](super::operators::copies)), with an empty group as their ground.
//! Arrays and scatters are written as a blend or a replacement of all copies. An addition by slope inside a rotated
//! copy differs slightly: the shader measures slopes along the axes of the construction, the program along the axes of
//! the copy. The formulas are in the docs of the [`operators`](super::operators). A frame that sums only one sample
//! returns that sample unchanged.
//!
//! # Primitives
//! An instruction points to the words of its primitive: `kind, lowest, highest, slope, fade` (bounds over the whole
//! primitive: heights, |∇f|, |∇α|). The words that depend on the kind follow: [`disc`](super::primitives::disc) (0),
//! [`curve`](super::primitives::curve) (1), [`contour`](super::primitives::contour) (2),
//! [`image`](super::primitives::image) (3) or [`ribbon`](super::primitives::ribbon) (4). The `encode` function of each
//! kind defines their order. A list is stored as its length, then its items. A line is a list of `x, y, slope at x` of
//! a monotone cubic, which is constant beyond its ends. A picture is the index of its first sample, its width and its
//! height. All instances of a definition share the words of its primitives.
//!
//! The tests of the editor run the shader `src/app/assets/shaders/trace.wgsl` on these words and compare it with the
//! [`Program`].

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use half::f16;

use super::compiled_program::{NodeFrame, Program, ProgramNode};
use super::geometry::plane::{Affine, Area, Capsule};
use super::geometry::profile::MonotoneCubic;
use super::materials::MaterialLayer;
use super::primitives::image_sampler::ImageSampler;
use super::primitives::leaf::PreparedPrimitive;
use super::primitives::noise;
use super::sample::{Detail, GroundBounds};

/// First word of every buffer, which identifies the format.
pub const MAGIC: u32 = 0x7a1_0004;
/// Version of the buffer's layout.
pub const VERSION: u32 = 8;
/// Number of words of the header.
pub const HEADER: usize = 16;

/// Opcodes of the instructions.
pub mod op {
    /// Ends execution.
    pub const END: u32 = 0;
    /// Evaluates a primitive.
    pub const LEAF: u32 = 1;
    /// Evaluates a primitive that is moved, rotated, scaled or raised.
    pub const PLACED: u32 = 2;
    /// A bounding box around some of the instructions of a frame, such as some pieces of a blend.
    pub const GROUP: u32 = 3;
    /// Opens a frame for a blend.
    pub const BLEND: u32 = 4;
    /// Opens a frame for a replacement.
    pub const REPLACE: u32 = 5;
    /// Opens a frame for an addition.
    pub const ADD: u32 = 6;
    /// Opens a frame for a warp.
    pub const WARP: u32 = 7;
    /// Opens a frame for a blend by level of detail.
    pub const DETAIL: u32 = 8;
    /// Multiplies the samples of one piece in a blend by level of detail.
    pub const SHARE: u32 = 9;
    /// Opens a frame for a piece with gullies.
    pub const GULLIES: u32 = 10;
    /// Measures the slope of the ground.
    pub const PROBE: u32 = 11;
    /// Ends the instructions that compute the ground below a replace, add or gullies operator.
    pub const GROUND: u32 = 12;
    /// Closes the frame that was opened last.
    pub const GIVE: u32 = 13;
}

/// Number of path segments, or of instructions of a replacement, in one bounding box.
pub(crate) const RUN: usize = 8;

/// Twice the largest relative step between 16-bit floats.
const HALF_STEP: f64 = 1.0 / 512.0;

/// A construction encoded as 32-bit words.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Buffer {
    /// The 32-bit words, ready for a storage buffer.
    pub words: Vec<u32>,
    /// Samples of the images, from 0 to 1.
    pub image_samples: Vec<f32>,
}

impl Buffer {
    /// The words as little-endian bytes, ready for upload to a GPU.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }
}

/// 32-bit words in the order in which the shader reads them. Fractional numbers are stored as `f32`.
#[derive(Default)]
pub(crate) struct Words(Vec<u32>);

impl Words {
    pub fn word(&mut self, word: u32) {
        self.0.push(word);
    }

    pub fn words(&mut self, words: impl IntoIterator<Item = u32>) {
        self.0.extend(words);
    }

    pub fn reals(&mut self, values: impl IntoIterator<Item: Into<f64>>) {
        self.0.extend(values.into_iter().map(|value| (value.into() as f32).to_bits()));
    }

    /// Writes a list: its length, then its items.
    pub fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.word(items.len() as u32);
        items.iter().for_each(|each| item(self, each));
    }

    /// Writes two numbers as 16-bit floats in one word, rounded to the nearest, or down if `is_down`.
    pub fn halves(&mut self, [first, second]: [f64; 2], is_down: bool) {
        self.0.push(u32::from(half_bits(first, is_down)) | u32::from(half_bits(second, is_down)) << 16);
    }

    pub fn map(&mut self, affine: &Affine) {
        let [[a, b], [c, d]] = affine.rows;
        self.reals([a, b, c, d, affine.offset[0], affine.offset[1]]);
    }

    pub fn line(&mut self, line: &MonotoneCubic) {
        self.points(&line_points(line));
    }

    pub fn points(&mut self, points: &[[f32; 3]]) {
        self.list(points, |out, point| out.reals(*point));
    }
}

/// The bits of a 16-bit float (IEEE 754 binary16), rounded to the nearest, or towards 0 if `is_down`. The magnitude is
/// limited to the largest finite value.
fn half_bits(value: f64, is_down: bool) -> u16 {
    let value = value.clamp(f16::MIN.to_f64_const(), f16::MAX.to_f64_const());
    let nearest = f16::from_f64_const(value);
    let is_beyond = nearest.to_f64_const().abs() > value.abs();
    if is_down && is_beyond { nearest.to_bits() - 1 } else { nearest.to_bits() }
}

/// The points of a line: x, y, and the slope at x. For a constant line, one point is enough, so only the first point is
/// returned.
pub(crate) fn line_points(line: &MonotoneCubic) -> Vec<[f32; 3]> {
    let mut points: Vec<[f32; 3]> = line.points().map(|point| point.map(|v| v as f32)).collect();
    if points.iter().all(|&[_, y, slope]| y == points[0][1] && slope == 0.0) {
        points.truncate(1);
    }
    points
}

/// The box in `f32`, rounded outwards: low x, low y, high x, high y.
pub(crate) fn rounded_outward(area: &Area) -> [f32; 4] {
    let down = |v: f64| if f64::from(v as f32) > v { (v as f32).next_down() } else { v as f32 };
    let up = |v: f64| if f64::from(v as f32) < v { (v as f32).next_up() } else { v as f32 };
    [down(area.low[0]), down(area.low[1]), up(area.high[0]), up(area.high[1])]
}

/// Samples of all images, one image after the other.
#[derive(Default)]
pub(crate) struct ImageSamples(Vec<f32>);

impl ImageSamples {
    /// Adds an image. Returns the index of its first sample, its width and its height.
    pub fn add(&mut self, image: &ImageSampler) -> [u32; 3] {
        let raster = image.raster();
        let from = self.0.len() as u32;
        self.0.extend_from_slice(&raster.values);
        [from, raster.width as u32, raster.height as u32]
    }
}

impl Program {
    /// Encodes the program as a buffer.
    pub fn to_buffer(&self) -> Buffer {
        let mut words = Words(vec![0; HEADER]);
        noise::vectors().iter().for_each(|vector| words.reals(*vector));
        let first = words.0.len();
        let mut encoder = Encoder {
            program: self,
            code: Words::default(),
            image_samples: ImageSamples::default(),
            primitives: words,
            known: BTreeMap::new(),
            jumps: Vec::new(),
            depth: 0,
            frames: 0,
        };
        let starts = MaterialLayer::ALL.map(|material| {
            let (root, start) = (self.roots[material as usize]?, encoder.code.0.len());
            encoder.step(root, &NodeFrame::new(0));
            encoder.code.word(op::END);
            Some(start)
        });
        let Encoder { code: Words(mut code), image_samples, primitives: Words(mut words), known, jumps, .. } = encoder;
        let from = words.len() as u32;
        jumps.into_iter().for_each(|jump| code[jump] += from);
        words.extend(code);
        let [side, relief, ground] = [self.side, self.relief, self.ground].map(|v| (v as f32).to_bits());
        let length = words.len() as u32;
        words[..6].copy_from_slice(&[MAGIC, VERSION, length, side, relief, ground]);
        words[6..11].copy_from_slice(&starts.map(|start| start.map_or(0, |start| from + start as u32)));
        let frames = if starts.iter().any(Option::is_some) { encoder.frames + 1 } else { 0 };
        words[11..15].copy_from_slice(&[frames, HEADER as u32, first as u32, known.len() as u32]);
        Buffer { words, image_samples: image_samples.0 }
    }
}

/// Encodes the nodes of a program.
pub(crate) struct Encoder<'a> {
    pub program: &'a Program,
    /// The instructions, which follow the primitives.
    pub code: Words,
    pub image_samples: ImageSamples,
    /// The words of the header, then those of the noise's gradient vectors, then those of the primitives.
    primitives: Words,
    /// Index of the words of each encoded primitive, by the primitive's memory address: instances share one encoding.
    known: BTreeMap<usize, u32>,
    /// Positions in the code of the words that hold the index of an instruction. The index counts from the start of the
    /// code.
    jumps: Vec<usize>,
    /// Number of frames that are open now. `frames` is the maximum of this number so far.
    depth: u32,
    frames: u32,
}

impl Encoder<'_> {
    /// Encodes a node. `around` is the frame of the copy that contains it.
    pub fn step(&mut self, id: u32, around: &NodeFrame) {
        let node = &self.program.nodes[id as usize];
        node.operator.encode(node, around, self);
    }

    /// Starts an instruction; [`end`](Self::end) ends it.
    pub fn start(&mut self, op: u32, area: [f32; 4]) -> usize {
        let start = self.code.0.len();
        self.code.words([op, 0]);
        self.code.reals(area);
        start
    }

    /// Ends an instruction: points outside its box continue here.
    pub fn end(&mut self, start: usize) {
        self.code.0[start + 1] = self.code.0.len() as u32;
        self.jumps.push(start + 1);
    }

    /// Starts an instruction that opens a frame; [`give`](Self::give) ends the instruction.
    pub fn open(&mut self, op: u32, node: &ProgramNode, around: &NodeFrame) -> usize {
        let start = self.start(op, rounded_outward(&around.area_outward(&node.area)));
        self.enter();
        start
    }

    /// Closes the frame of an instruction and gives the frame's sample to the frame below.
    pub fn give(&mut self, start: usize) {
        self.code.word(op::GIVE);
        self.depth -= 1;
        self.end(start);
    }

    fn enter(&mut self) {
        self.depth += 1;
        self.frames = self.frames.max(self.depth);
    }

    /// Encodes the ground that later instructions replace or add to. If `probe` is a box, a probe measures the slope of
    /// the ground inside the box.
    pub fn ground(&mut self, probe: Option<[f32; 4]>, step: impl FnOnce(&mut Self)) {
        let ground = self.code.0.len();
        if probe.is_some() {
            // the probe is a frame of its own, on top of the frame that measures the slope
            self.enter();
        }
        step(self);
        self.code.word(op::GROUND);
        if let Some(area) = probe {
            self.depth -= 1;
            let start = self.start(op::PROBE, area);
            self.jumps.push(self.code.0.len());
            self.code.word(ground as u32);
            self.end(start);
        }
    }

    /// Encodes the children or copies of a node, grouped by bounding box if there are many.
    pub fn grouped(&mut self, node: &ProgramNode, around: &NodeFrame) {
        if node.hierarchy.is_empty() {
            (0..node.parts()).for_each(|k| self.part(node, k, around));
        } else {
            // skip the first, outermost box, which is the box of the node itself
            self.bins(node, around, 1..node.hierarchy.bins.len());
        }
    }

    fn bins(&mut self, node: &ProgramNode, around: &NodeFrame, bins: Range<usize>) {
        let mut k = bins.start;
        while k < bins.end {
            let bin = node.hierarchy.bins[k];
            let start = self.start(op::GROUP, rounded_outward(&around.area_outward(&bin.area)));
            if bin.to > bin.from {
                let pieces = &node.hierarchy.order[bin.from as usize..bin.to as usize];
                pieces.iter().for_each(|&piece| self.part(node, piece as usize, around));
            } else {
                self.bins(node, around, k + 1..bin.skip as usize);
            }
            self.end(start);
            k = bin.skip as usize;
        }
    }

    /// Encodes the children or copies `parts` in their order. If there are many, consecutive parts are grouped by
    /// bounding box.
    pub fn in_runs(&mut self, node: &ProgramNode, around: &NodeFrame, parts: Range<usize>) {
        let (mut count, mut size) = (parts.len(), 1);
        while count >= 2 * RUN {
            (count, size) = (count.div_ceil(RUN), size * RUN);
        }
        self.runs(node, around, parts, size);
    }

    fn runs(&mut self, node: &ProgramNode, around: &NodeFrame, parts: Range<usize>, size: usize) {
        for from in parts.clone().step_by(size) {
            if size == 1 {
                self.part(node, from, around);
                continue;
            }
            let run = from..(from + size).min(parts.end);
            let areas = run.clone().map(|k| {
                let (child, around) = part_of(node, k, around);
                rounded_outward(&around.area_outward(&self.program.nodes[child as usize].area))
            });
            let area = areas.reduce(|[a, b, c, d], [low_x, low_y, high_x, high_y]| {
                [a.min(low_x), b.min(low_y), c.max(high_x), d.max(high_y)]
            });
            let start = self.start(op::GROUP, area.unwrap_or_default());
            self.runs(node, around, run, size / RUN);
            self.end(start);
        }
    }

    /// Encodes the `k`-th child or copy of `node`.
    fn part(&mut self, node: &ProgramNode, k: usize, around: &NodeFrame) {
        let (child, around) = part_of(node, k, around);
        self.step(child, &around);
    }

    /// Encodes a primitive, unless it was encoded before, and returns the index of its words.
    pub fn primitive(&mut self, leaf: &Arc<PreparedPrimitive>) -> u32 {
        let key = Arc::as_ptr(leaf) as usize;
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let GroundBounds { height, slope, weight_gradient: fade, .. } =
            leaf.bounds(&Capsule::area(&leaf.area()), &Detail::FULL);
        let index = self.primitives.0.len() as u32;
        // the arcs of curves have 16-bit slopes and radii, which can add this fraction to a slope
        let slope = if leaf.is_along_curve() { slope * (1.0 + HALF_STEP) } else { slope };
        self.primitives.word(leaf.kind());
        self.primitives.reals([height.low, height.high, slope, fade]);
        leaf.encode(&mut self.primitives, &mut self.image_samples);
        self.known.insert(key, index);
        index
    }
}

/// The node of the `k`-th child or copy, and the frame around this node.
fn part_of(node: &ProgramNode, k: usize, around: &NodeFrame) -> (u32, NodeFrame) {
    match node.operator.copies().get(k) {
        Some(copy) => (node.children[copy.child as usize], around.composed(&copy.frame)),
        None => (node.children[k], *around),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_the_nearest_or_the_next_below() {
        for (value, bits) in [(0.0, 0), (1.0, 0x3c00), (-2.0, 0xc000), (0.5, 0x3800), (1e9, 0x7bff), (65504.0, 0x7bff)]
        {
            assert_eq!((half_bits(value, false), half_bits(value, true)), (bits, bits), "{value}");
        }
        for k in 1..4000 {
            let value = 1e-6 * f64::from(k) * f64::from(k);
            let (near, below) =
                (f16::from_bits(half_bits(value, false)).to_f64(), f16::from_bits(half_bits(value, true)).to_f64());
            let step = libm::ldexp(1.0, libm::ilogb(value).max(-14) - 10);
            // `half` drops the last bits before it rounds, so that numbers just beyond the middle can be rounded down
            assert!((near - value).abs() <= 0.501 * step, "{value}: {near}");
            assert!(below <= value && value - below < step, "{value}: {below}");
            assert_eq!(f16::from_bits(half_bits(-value, false)).to_f64(), -near);
        }
    }
}
