//! Interprets a buffer as a shader does: one loop over the instructions, a stack of frames, everything in `f32`.
//!
//! The code can be ported to a shading language line by line: it has no recursion and reads every number from the
//! words. Primitives are in [`primitives`].

pub mod primitives;

use crate::materials::MaterialLayer;
use primitives::BufferReader;

use super::{Buffer, HEADER, OVER, op};

/// The result: height in metres and weight. Where the weight is 0, the height is undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WalkSample {
    /// Height in metres.
    pub height: f32,
    /// The weight α.
    pub weight: f32,
}

/// Minimum weight at which there is terrain.
const THRESHOLD: f32 = 0.5;

/// 3t² - 2t³ between 0 and 1.
pub fn smooth(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Surface height of a sample over ground of height `base`.
pub fn surface(given: WalkSample, base: f32) -> f32 {
    base + (given.height - base) * smooth(given.weight / THRESHOLD)
}

/// An open operator on the stack.
#[derive(Clone, Copy, Debug, Default)]
struct StackFrame {
    op: u32,
    /// Index of its operands.
    at: usize,
    /// Point and spacing of the operator around it, restored when it closes.
    p: [f32; 2],
    spacing: f32,
    /// Sums, or the result so far.
    weight: f32,
    moment: f32,
    count: u32,
    only: WalkSample,
    /// Fraction by which the next sample is scaled (detail).
    share: f32,
    /// Whether the ground is complete (replace, add), and its surface height.
    has_ground: bool,
    ground: f32,
    /// Fraction by slope (replace, add).
    slope: f32,
    /// Index of the point that a probe evaluates, and the heights at the points before.
    turn: usize,
    heights: [f32; 4],
    /// Slope to the east and to the south (gullies).
    across: [f32; 2],
}

/// Maximum number of frames: more than a tree of [`DEEPEST`](crate::check::DEEPEST) nested operators with
/// its instances needs.
pub const MOST_FRAMES: usize = 80;

/// The sample of a material layer at `point`, for the level of detail κ and samples `spacing` metres apart.
pub fn walk(buffer: &Buffer, material: MaterialLayer, point: [f32; 2], level: f32, spacing: f32) -> WalkSample {
    let words = BufferReader { words: &buffer.words, image_samples: &buffer.image_samples };
    let mut pc = words.word(6 + material as usize) as usize;
    if pc == 0 {
        return WalkSample::default();
    }
    let base = words.real(5);
    let mut frames = [StackFrame::default(); MOST_FRAMES];
    let mut top = 0;
    let (mut p, mut spacing) = (point, spacing);
    frames[0].op = op::BLEND;
    loop {
        let code = words.word(pc);
        if code == op::END {
            return sample(&frames[0]);
        }
        if code == op::GIVE {
            let given = match frames[top].op {
                op::GULLIES => words.gullied(frames[top].at, p, (level, spacing), frames[top].across, frames[top].only),
                _ => sample(&frames[top]),
            };
            (p, spacing) = (frames[top].p, frames[top].spacing);
            top -= 1;
            give(&words, &mut frames[top], given);
            pc += 1;
            continue;
        }
        if code == op::GROUND {
            if frames[top].op == op::PROBE {
                let end = frames[top].spacing;
                pc = next_probe(&words, &mut frames, &mut top, &mut p, base);
                if frames[top].op != op::PROBE {
                    spacing = end;
                }
            } else {
                end_ground(&words, &mut frames[top], base);
                pc += 1;
            }
            continue;
        }
        let skip = words.word(pc + 1) as usize;
        let inside = p[0] >= words.real(pc + 2)
            && p[1] >= words.real(pc + 3)
            && p[0] <= words.real(pc + 4)
            && p[1] <= words.real(pc + 5);
        if !inside {
            pc = skip;
            continue;
        }
        match code {
            op::LEAF => {
                let given = words.primitive(words.word(pc + 6) as usize, p, level, spacing);
                give(&words, &mut frames[top], given);
                pc = skip;
            }
            op::PLACED => {
                let q = words.mapped(pc + 7, p);
                let mut given = words.primitive(words.word(pc + 6) as usize, q, level, spacing * words.real(pc + 15));
                given.height = given.height * words.real(pc + 13) + words.real(pc + 14);
                give(&words, &mut frames[top], given);
                pc = skip;
            }
            op::GROUP => pc += 6,
            op::SHARE => {
                frames[top].share = share(&words, frames[top].at, words.word(pc + 6), level);
                pc = if frames[top].share > 0.0 { pc + 7 } else { skip };
            }
            op::PROBE => {
                top += 1;
                frames[top] = StackFrame { op: op::PROBE, at: pc, p, spacing, ..StackFrame::default() };
                let step = words.real(frames[top - 1].at + 11);
                p = [p[0] + step, p[1]];
                if frames[top - 1].op == op::GULLIES {
                    spacing = spacing.max(words.real(frames[top - 1].at + 10));
                }
                pc = words.word(pc + 6) as usize;
            }
            _ => {
                top += 1;
                frames[top] =
                    StackFrame { op: code, at: pc + 6, p, spacing, share: 1.0, slope: 1.0, ..StackFrame::default() };
                pc += match code {
                    op::REPLACE | op::ADD => 18,
                    op::WARP => {
                        p = words.warped(pc + 6, p);
                        spacing *= words.real(pc + 12);
                        27 + 4 * words.word(pc + 26) as usize
                    }
                    op::DETAIL => 8,
                    op::GULLIES => {
                        p = words.mapped(pc + 6, p);
                        spacing *= words.real(pc + 12);
                        22 + 5 * words.word(pc + 21) as usize
                    }
                    _ => 6,
                };
            }
        }
    }
}

/// The sample that a frame gives when it closes.
fn sample(frame: &StackFrame) -> WalkSample {
    match frame.op {
        op::REPLACE | op::ADD => frame.only,
        _ if frame.count < 2 => frame.only,
        _ => WalkSample { height: frame.moment / frame.weight, weight: frame.weight },
    }
}

/// Gives a sample to a frame.
fn give(words: &BufferReader, frame: &mut StackFrame, given: WalkSample) {
    match frame.op {
        op::PROBE | op::GULLIES => frame.only = given,
        op::REPLACE | op::ADD if !frame.has_ground => frame.only = given,
        _ if given.weight <= 0.0 => {}
        op::REPLACE => {
            let below = frame.only;
            let w = given.weight.min(1.0) * acting(words, frame);
            if w <= 0.0 {
                return;
            }
            let extent = words.word(frame.at);
            frame.only = if extent == 0 {
                WalkSample { height: below.height + w * (given.height - below.height), weight: below.weight }
            } else if extent == OVER {
                let left = (1.0 - w) * below.weight.min(1.0);
                WalkSample { height: (w * given.height + left * below.height) / (w + left), weight: w + left }
            } else {
                let left = (1.0 - w) * (below.weight / THRESHOLD).min(1.0);
                let height = (left * below.height + w * given.height) / (left + w);
                WalkSample { height, weight: (1.0 - w) * below.weight + w * w }
            };
        }
        op::ADD => {
            let w = given.weight.min(1.0) * acting(words, frame);
            frame.only.height += w * given.height;
            if words.word(frame.at) == 1 {
                frame.only.weight += w * w;
            }
        }
        _ => {
            let share = if frame.op == op::DETAIL { frame.share } else { 1.0 };
            let weight = given.weight * share;
            if frame.count == 0 {
                frame.only = WalkSample { weight, ..given };
            }
            frame.count += 1;
            frame.weight += weight;
            frame.moment += weight * given.height;
        }
    }
}

/// Fraction by which the ground window lets a replacement or an addition act.
fn acting(words: &BufferReader, frame: &StackFrame) -> f32 {
    let by_height = if words.word(frame.at + 1) == 1 { words.window(frame.at + 2, frame.ground) } else { 1.0 };
    by_height * frame.slope
}

/// Ends the ground: later samples are laid on it.
fn end_ground(words: &BufferReader, frame: &mut StackFrame, base: f32) {
    frame.has_ground = true;
    frame.ground = surface(frame.only, base);
    if frame.op == op::ADD && words.word(frame.at) == 1 {
        frame.only.height *= (frame.only.weight / THRESHOLD).min(1.0);
    }
}

/// Moves a probe to its next point, or ends it. Returns the index of the next instruction.
fn next_probe(words: &BufferReader, frames: &mut [StackFrame], top: &mut usize, p: &mut [f32; 2], base: f32) -> usize {
    // operands of the frame that measures the slope
    let (asking, add) = (frames[*top - 1].op, frames[*top - 1].at);
    let probe = &mut frames[*top];
    let base = if asking == op::GULLIES { words.real(add + 14) } else { base };
    let height = surface(probe.only, base);
    probe.heights[probe.turn] = height;
    probe.only = WalkSample::default();
    probe.turn += 1;
    let (at, turn, point, heights) = (probe.at, probe.turn, probe.p, probe.heights);
    let step = words.real(add + 11);
    if turn < 4 {
        *p = match turn {
            1 => [point[0] - step, point[1]],
            2 => [point[0], point[1] + step],
            _ => [point[0], point[1] - step],
        };
        return words.word(at + 6) as usize;
    }
    *p = point;
    *top -= 1;
    let (x, y) = ((heights[0] - heights[1]) * 0.5 / step, (heights[2] - heights[3]) * 0.5 / step);
    if asking == op::GULLIES {
        frames[*top].across = [x, y];
    } else {
        frames[*top].slope = words.window(add + 7, (x * x + y * y).sqrt());
    }
    words.word(at + 1) as usize
}

/// Fraction of a piece in a blend by level of detail.
fn share(words: &BufferReader, at: usize, which: u32, level: f32) -> f32 {
    let (from, to) = (words.real(at), words.real(at + 1));
    let t = if level <= from {
        0.0
    } else if level >= to {
        1.0
    } else {
        1.0 - (to - level) / (to - from)
    };
    match which {
        0 => 1.0 - t,
        1 => t,
        _ => 1.0,
    }
}

/// Index of the gradient vectors of the noise.
pub const VECTORS: usize = HEADER;
