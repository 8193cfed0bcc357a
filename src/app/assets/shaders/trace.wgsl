// Sphere tracing of a construction tree: rays advance a few steps in every frame and store their state in between.
//
// One traversal of the tree's 32-bit words (src/construction/gpu_buffer/mod.rs) evaluates a disc of positions. It
// returns the height and weight at the disc's centre, and bounds of heights, weights and slopes over the disc
// (src/construction/sample.rs). For each step, a ray evaluates the disc around its next segment. The height at the
// centre and the greatest slope determine which part of the segment is clear of terrain. The whole shader is one loop
// around a single copy of the traversal, because compilers inline functions at every call. With several copies of the
// traversal, pipelines took minutes to compile.

// Uniform data; mirrors `Tracing` in src/app/view/construction_surface/trace/mod.rs.
struct Tracing {
    // matrix from clip space to world directions
    eye_from_clip: mat4x4<f32>,
    // xyz is the position of the eye on the construction tree's square (two coordinates and height), w the side length
    // of the square; all are in metres of the construction tree
    eye: vec4<f32>,
    // x and y are the metres of the construction tree per world unit, horizontally and vertically; z is the width of a
    // pixel at distance 1, w the level of detail
    scale: vec4<f32>,
    // x and y are the heights of the lowest and of the highest terrain; z is 1 if there is water; w is the width of a
    // traced pixel in screen pixels
    range: vec4<f32>,
    // x is the output (0 terrain, 1 evaluations, 2 distance), y the number of evaluations at the end of the colour
    // ramp, z the distance that is encoded as all bits set, w the distance at which the level of detail is halved (0:
    // constant detail)
    look: vec4<f32>,
    // x and y are the numbers of columns and rows of rays, z is the number of evaluations per ray in this frame, w is 1
    // if the rays start in this frame
    grid: vec4<u32>,
    // x is the first row of rays in this frame, y the row after the last row in this frame; z is 1 if there is a table
    // of bounds
    band: vec4<u32>,
}

// State of a ray between frames.
struct Ray {
    // x is the distance travelled, y the length of the next segment, z the height of the terrain at the hit point, w
    // the depth of the water there
    marched: vec4<f32>,
    // slope of the terrain to the east and to the south
    slope: vec2<f32>,
    phase: u32,
    evaluations: u32,
}

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> image_samples: array<f32>;
@group(0) @binding(2) var<uniform> tracing: Tracing;
@group(0) @binding(3) var<storage, read_write> rays: array<Ray>;
// The table of bounds, in the layout of `GroundTable::tiles`.
@group(0) @binding(4) var<storage, read> tiles: array<f32>;

// Level of detail κ of the current evaluation (document 004, §6): the tree's level of detail, multiplied by 1 / (1 + (t
// / half)²) at the distance t along the ray.
var<private> kappa: f32;

// Number of cells along a side of the table of bounds.
const TABLE_CELLS = 1024u;
// Maximum number of successive segments that the table can show to be clear before the construction tree is evaluated.
const MOST_CLEARED = 32u;

const END = 0u;
const LEAF = 1u;
const PLACED = 2u;
const GROUP = 3u;
const REPLACE = 5u;
const ADD = 6u;
const WARP = 7u;
const DETAIL = 8u;
const SHARE = 9u;
const GULLIES = 10u;
const PROBE = 11u;
const GROUND = 12u;
const GIVE = 13u;

// value of `extent` that stands for overlapping copies
const OVER = 2u;

const FRAMES = 16u;
const PARTS = 5u;
const VECTORS = 16u;
const RUN = 8u;
// window of the mean along curves, and the part of the free radius from and to which the mean takes over; see
// src/construction/geometry/path/mod.rs
const WINDOW = 0.35;
const EXACT = 0.75;
const MEAN = 0.95;
const TAU = 6.2831853;
// value that means "no bound"
const NONE = 1e30;
const THRESHOLD = 0.5;
// greatest slope of the noise, per wavelength; the next constant is its greatest curvature; see
// src/construction/primitives/noise.rs
const STEEPEST = 2.93;
const CURVATURE = 13.07;
// phases of a ray: it evaluates the terrain ahead, then four points around its hit point, then the water there; then
// the ray is done
const MARCH = 0u;
const SLOPES = 1u;
const WATER = 5u;
const MET = 6u;
const LOST = 7u;
// After this many evaluations, a ray takes steps of at least half a pixel, until a height shows that it is inside the
// terrain. A ray that has used all of its evaluations without a hit is not drawn.
const PATIENCE = 256u;
const MOST_EVALUATIONS = 1024u;

fn real(at: u32) -> f32 { return bitcast<f32>(words[at]); }

fn smooth_step(x: f32) -> f32 {
    let t = saturate(x);
    return t * t * (3.0 - 2.0 * t);
}

fn falloff(d: f32, core: f32, radius: f32) -> f32 {
    let x = saturate((d - core) / max(radius - core, 1e-20));
    let t = 1.0 - x * x;
    return select(t * t * t, 1.0, d <= core);
}

// The falloff over all distances within `r` of `d`. Returns the weight at `d`, the least and the greatest weight, and
// the steepest fall.
fn falloff_over(d: f32, r: f32, core: f32, radius: f32) -> vec4<f32> {
    let near = max(d - r, 0.0);
    let far = d + r;
    let at = clamp(core + 0.4472136 * (radius - core), near, far);
    let x = saturate((at - core) / max(radius - core, 1e-20));
    let t = 1.0 - x * x;
    let steep = 6.0 * x * t * t / max(radius - core, 1e-20) * 1.0001;
    return vec4<f32>(falloff(d, core, radius), falloff(far, core, radius), falloff(near, core, radius), steep);
}

fn lattice_bits(seed: u32, x: i32, y: i32) -> u32 {
    var h = (bitcast<u32>(x) * 0x9e3779b1u) ^ (bitcast<u32>(y) * 0x85ebca77u) ^ seed;
    h = (h ^ (h >> 15u)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12u)) * 0x297a2d39u;
    return h ^ (h >> 15u);
}

fn lattice_vector(seed: u32, x: i32, y: i32) -> vec2<f32> {
    let k = VECTORS + 2u * (lattice_bits(seed, x, y) >> 24u);
    return vec2<f32>(real(k), real(k + 1u));
}

// Value and gradient of the noise with the seed `seed`.
fn wave_noise(seed: u32, p: vec2<f32>) -> vec3<f32> {
    let low = floor(p);
    let i = i32(low.x);
    let j = i32(low.y);
    let r = p - low;
    let a = lattice_vector(seed, i, j);
    let b = lattice_vector(seed, i + 1, j);
    let c = lattice_vector(seed, i, j + 1);
    let d = lattice_vector(seed, i + 1, j + 1);
    let na = dot(a, r);
    let nb = dot(b, r - vec2<f32>(1.0, 0.0));
    let nc = dot(c, r - vec2<f32>(0.0, 1.0));
    let nd = dot(d, r - vec2<f32>(1.0, 1.0));
    let f = r * r * r * (r * (r * 6.0 - 15.0) + 10.0);
    let df = 30.0 * r * r * (r * (r - 2.0) + 1.0);
    let k1 = nb - na;
    let k2 = nc - na;
    let k3 = na - nb - nc + nd;
    let mixed = a + f.x * (b - a) + f.y * ((c - a) + f.x * (a - b - c + d));
    return vec3<f32>(
        na + f.x * k1 + f.y * (k2 + f.x * k3),
        mixed.x + df.x * (k1 + f.y * k3),
        mixed.y + df.y * (k2 + f.x * k3),
    );
}

// Rate and start of the fade of octave k of `count` with the level of detail, if the octave has no interval of its own.
fn octave_fade(k: u32, count: u32) -> vec2<f32> {
    return select(vec2<f32>(f32(count) - 1.0, f32(k) - 1.0), vec2<f32>(0.0), k == 0u);
}

// Factor of an octave. `fade` holds the rate and the start of its fade with the level of detail.
fn octave_share(fade: vec2<f32>, wavelength: f32, spacing: f32) -> f32 {
    var share = 1.0;
    if wavelength < 4.0 * spacing {
        share = smooth_step(wavelength / (2.0 * spacing) - 1.0);
    }
    if kappa < 1.0 && fade.x > 0.0 {
        share *= smooth_step(kappa * fade.x - fade.y);
    }
    return share;
}

fn list_words(at: u32, size: u32) -> u32 { return 1u + words[at] * size; }

fn ahead_of(begin: f32, to: f32) -> f32 { return select(to - begin + TAU, to - begin, to >= begin); }

fn cross_of(a: vec2<f32>, b: vec2<f32>) -> f32 { return a.x * b.y - a.y * b.x; }

fn edge_share(t: f32, border: f32) -> f32 { return smooth_step(t / border) * smooth_step((1.0 - t) / border); }

fn window(w: vec4<f32>, x: f32) -> f32 {
    return smooth_step(1.0 - max((w.x - x) / w.z, 0.0)) * smooth_step(1.0 - max((x - w.y) / w.w, 0.0));
}

// A window function over the range from `low` to `high`. Returns the value at `middle`, the least and the greatest
// value, and the greatest slope.
fn window_over(at: u32, middle: f32, low: f32, high: f32) -> vec4<f32> {
    let w = vec4<f32>(real(at), real(at + 1u), real(at + 2u), real(at + 3u));
    let a = window(w, low);
    let b = window(w, high);
    let whole = high >= w.x && low <= w.y;
    var slope = 0.0;
    if low < w.x && high > w.x - w.z { slope = 1.5 / w.z; }
    if high > w.y && low < w.y + w.w { slope = max(slope, 1.5 / w.w); }
    return vec4<f32>(window(w, middle), min(a, b), select(max(a, b), 1.0, whole), slope);
}

// The result of evaluating the construction tree over a disc of positions.
struct Answer {
    // height at the centre of the disc; the next field is the weight there
    height: f32,
    weight: f32,
    // bounds of the heights over the disc, followed by bounds of the weights
    low: f32,
    high: f32,
    least: f32,
    most: f32,
    // bounds of |∇f|, |∇α| and α |∇f|, where f is the height and α the weight
    slope: f32,
    fade: f32,
    laid: f32,
}

fn nothing() -> Answer { return Answer(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0); }

// The surface of `a` over base terrain of the height `ground`. Returns the height at the disc's centre, the lowest and
// the highest height, and the greatest slope.
fn surface_over(a: Answer, ground: f32) -> vec4<f32> {
    if a.most <= 0.0 { return vec4<f32>(ground, ground, ground, 0.0); }
    let middle = ground + (a.height - ground) * smooth_step(a.weight / THRESHOLD);
    if a.least >= THRESHOLD { return vec4<f32>(middle, a.low, a.high, a.slope); }
    let x = vec2<f32>(a.least, min(a.most, THRESHOLD)) / THRESHOLD;
    let s = vec2<f32>(smooth_step(x.x), smooth_step(x.y));
    let peak = clamp(0.5, x.x, x.y);
    let turn = 6.0 * peak * (1.0 - peak) / THRESHOLD;
    let crest = clamp(0.75, x.x, x.y);
    let per_weight = (3.0 * crest - 2.0 * crest * crest) / THRESHOLD;
    let over = vec2<f32>(a.low, a.high) - ground;
    let steep = min(a.slope * s.y, per_weight * a.laid);
    return vec4<f32>(
        middle,
        ground + min(over.x * s.x, over.x * s.y),
        ground + max(over.y * s.x, over.y * s.y),
        min(steep + turn * a.fade * max(abs(over.x), abs(over.y)), NONE),
    );
}

fn detail_share(at: u32, which: u32) -> f32 {
    let begin = real(at);
    let to = real(at + 1u);
    var t = 1.0 - (to - kappa) / max(to - begin, 1e-30);
    t = select(select(t, 1.0, kappa >= to), 0.0, kappa <= begin);
    return select(select(1.0, t, which == 1u), 1.0 - t, which == 0u);
}

// A copy b that overlaps a (src/construction/operators/copies.rs). b has its own weight in the blend, and a has the
// remaining weight.
fn laid_over(a: Answer, b: Answer) -> Answer {
    let held = min(b.weight, 1.0);
    let w = min(vec2<f32>(b.least, b.most), vec2<f32>(1.0));
    let dw = select(b.fade, 0.0, b.least >= 1.0);
    let under = min(vec2<f32>(a.least, a.most), vec2<f32>(1.0));
    let dunder = select(a.fade, 0.0, a.least >= 1.0);
    let left = (1.0 - held) * min(a.weight, 1.0);
    var out: Answer;
    out.weight = held + left;
    out.height = (held * b.height + left * a.height) / max(out.weight, 1e-30);
    out.least = w.x + (1.0 - w.x) * under.x;
    out.most = w.y + (1.0 - w.y) * under.y;
    out.fade = (1.0 - w.x) * dunder + (1.0 - under.x) * dw;
    let laid_b = min(b.laid, b.slope * w.y);
    if a.most <= 0.0 {
        out.low = b.low;
        out.high = b.high;
        out.slope = b.slope;
        out.laid = laid_b;
        return out;
    }
    out.low = min(a.low, b.low);
    out.high = max(a.high, b.high);
    let step = max(max(a.high - b.low, b.high - a.low), 0.0);
    let laid = (1.0 - w.x) * min(a.laid, a.slope * under.y) + laid_b;
    let turn = (dw + (1.0 - w.x) * dunder + dw * under.y) * step;
    let least = max(out.least, 1e-20);
    let slope = (min(max(a.slope, b.slope), laid / least) + turn / least) * 1.0001;
    out.slope = select(NONE, min(slope, NONE), out.least > 0.0);
    out.laid = min((laid + turn) * 1.0001, out.slope * out.most);
    return out;
}

// The operator "replace": the piece b replaces the terrain a.
fn replaced(a: Answer, b: Answer, extent: u32) -> Answer {
    if extent == OVER { return laid_over(a, b); }
    let held = min(b.weight, 1.0);
    let w = min(vec2<f32>(b.least, b.most), vec2<f32>(1.0));
    let dw = select(b.fade, 0.0, b.least >= 1.0);
    let laid_b = min(b.laid, b.slope * w.y);
    let step = max(max(a.high - b.low, b.high - a.low), 0.0);
    let sigma = select(vec2<f32>(1.0), min(vec2<f32>(a.least, a.most) / THRESHOLD, vec2<f32>(1.0)), extent == 1u);
    // fraction of b in the height, at the least and at the greatest weight of b
    var share = vec2<f32>(w.x / max((1.0 - w.x) * sigma.y + w.x, 1e-20), w.y / max((1.0 - w.y) * sigma.x + w.y, 1e-20));
    if a.most <= 0.0 { share = vec2<f32>(1.0); }
    var out = a;
    out.low = min(mix(a.low, b.low, share.x), mix(a.low, b.low, share.y));
    out.high = max(mix(a.high, b.high, share.x), mix(a.high, b.high, share.y));
    if extent == 0u {
        if a.most <= 0.0 { return a; }
        out.height = a.height + held * (b.height - a.height);
        let mean = min(a.slope * (1.0 - w.x) + laid_b, max(a.slope, b.slope));
        out.slope = min((mean + dw * step) * 1.0001, NONE);
        let under = (1.0 - w.x) * a.laid + a.most * (laid_b + dw * step);
        out.laid = min(under * 1.0001, out.slope * a.most);
        return out;
    }
    let left = (1.0 - held) * min(a.weight / THRESHOLD, 1.0);
    out.height = (left * a.height + held * b.height) / max(left + held, 1e-30);
    out.weight = (1.0 - held) * a.weight + held * held;
    let dsigma = select(a.fade / THRESHOLD, 0.0, a.least >= THRESHOLD);
    let laid_a = min(a.slope * sigma.y, a.laid / THRESHOLD);
    let dleft = (1.0 - w.x) * dsigma + dw * sigma.y;
    let most = (1.0 - w.x) * laid_a + laid_b + (dleft + dw) * step;
    let least = max(sigma.x + (1.0 - sigma.x) * w.x, 0.0);
    out.slope = select(NONE, min(most / max(least, 1e-20) * 1.0001, NONE), least > 0.0);
    out.least = max((1.0 - w.y) * a.least, 0.0) + w.x * w.x;
    out.most = (1.0 - w.x) * a.most + w.y * w.y;
    out.laid = min(most * max(1.0, a.most) * 1.0001, out.slope * out.most);
    out.fade = (1.0 - w.x) * a.fade + dw * max(abs(2.0 * w.y - a.least), abs(2.0 * w.x - a.most));
    return out;
}

// Value of an image: cubic splines through the samples (Catmull & Rom 1974). `picture` is the index of its three words:
// first sample, width, height.
fn spline_at(picture: u32, place: vec2<f32>) -> f32 {
    let size = vec2<u32>(words[picture + 1u], words[picture + 2u]);
    let x = saturate(place) * vec2<f32>(size - 1u);
    let cell = min(vec2<u32>(x), max(size, vec2<u32>(2u)) - 2u);
    let t = x - vec2<f32>(cell);
    var value = 0.0;
    for (var k = 0u; k < min(size.x * 16u, 16u); k++) {
        let n = vec2<u32>(k & 3u, k >> 2u);
        let y = abs(vec2<f32>(n) - 1.0 - t);
        let z = max(2.0 - y, vec2<f32>(0.0));
        let one = max(1.0 - y, vec2<f32>(0.0));
        let w = 0.5 * z * z * (z - 1.0) + one * one * (1.0 - 2.0 * one);
        let texel = min(max(cell + n, vec2<u32>(1u)) - 1u, size - 1u);
        value += w.x * w.y * image_samples[words[picture] + texel.y * size.x + texel.x];
    }
    return value;
}

// Multiplies the weight of b by `share`, which holds the value at the disc's centre, the least and the greatest value,
// and the steepest slope.
fn held_within(b: Answer, share: vec4<f32>) -> Answer {
    let w = min(vec3<f32>(b.weight, b.least, b.most), vec3<f32>(1.0));
    var out = b;
    out.weight = w.x * share.x;
    out.least = w.y * share.y;
    out.most = w.z * share.z;
    out.fade = (select(b.fade, 0.0, b.least >= 1.0) * share.z + w.z * share.w) * 1.0001;
    out.laid = min(b.laid, b.slope * w.z) * share.z;
    return out;
}

// The operator "add": adds the piece b, multiplied by `share`, to the terrain a. `share` holds the value at the disc's
// centre, the least and the greatest value, and the steepest slope.
fn added(a: Answer, b: Answer, share: vec4<f32>, extent: u32) -> Answer {
    let held = min(b.weight, 1.0) * share.x;
    let w = min(vec2<f32>(b.least, b.most), vec2<f32>(1.0));
    let dw = select(b.fade, 0.0, b.least >= 1.0) * share.z + w.y * share.w;
    let by = w * share.yz;
    let more = min(b.laid, b.slope * w.y) * share.z + dw * max(abs(b.low), abs(b.high));
    var out = a;
    out.height = a.height + held * b.height;
    out.low = a.low + min(b.low * by.x, b.low * by.y);
    out.high = a.high + max(b.high * by.x, b.high * by.y);
    out.slope = min((a.slope + more) * 1.0001, NONE);
    if extent == 0u {
        out.laid = min((a.laid + a.most * more) * 1.0001, out.slope * a.most);
        return out;
    }
    out.weight = a.weight + held * held;
    out.least = a.least + by.x * by.x;
    out.most = a.most + by.y * by.y;
    out.fade = a.fade + 2.0 * by.y * dw;
    out.laid = min(out.slope * out.most, NONE);
    return out;
}

// Adds one more part to a blend.
fn blended(a: Answer, b: Answer, share: f32, is_first: bool) -> Answer {
    let weight = a.weight + b.weight * share;
    var out = b;
    out.height = a.height + (b.height - a.height) * select(0.0, b.weight * share / max(weight, 1e-30), weight > 0.0);
    out.weight = weight;
    out.least = a.least + b.least * share;
    out.most = a.most + b.most * share;
    out.fade = a.fade + b.fade * share;
    out.laid = a.laid + b.laid * share;
    if !is_first {
        out.low = min(a.low, b.low);
        out.high = max(a.high, b.high);
        out.slope = max(a.slope, b.slope);
    }
    return out;
}

// The bounds of a blend of several parts, after all parts have been added.
fn blend_bounds(a: Answer) -> Answer {
    var out = a;
    let lift = a.fade * (a.high - a.low);
    let least = max(a.least, 1e-20);
    out.slope = select(NONE, min((min(a.slope, a.laid / least) + lift / least) * 1.0001, NONE), a.least > 0.0);
    out.laid = min((a.laid + lift) * 1.0001, out.slope * a.most);
    return out;
}

// Adds gullies to terrain over a disc, in the gullies' own coordinates; `at` is the index of their operands. See
// src/construction/operators/gully_law.rs; here, the value and its bounds are computed together. `found` comes from a
// probe of the terrain: the slope at the disc's centre, and the greatest rate at which the slope changes.
fn gullied(at: u32, p: vec2<f32>, r: f32, spacing: f32, ground: Answer, found: vec3<f32>) -> Answer {
    let rise = real(at + 7u);
    let width = real(at + 13u) - real(at + 12u);
    let here = length(found.xy);
    let part = saturate((vec3<f32>(max(here - found.z * r, 0.0), here, here + found.z * r) - real(at + 12u)) / width);
    let greatest = smooth_step(part.z);
    if ground.most <= 0.0 || greatest <= 0.0 { return ground; }
    var mask = select(0.0, smooth_step(part.y), here > 1e-6);
    let half = clamp(0.5, part.x, part.z);
    var change = min(found.z, 1e12);
    var fading = 6.0 * half * (1.0 - half) / width * change;
    let gentlest = max(here - found.z * r, real(at + 12u));
    let per_slope = min(1.125 / width, greatest / max(gentlest, 1e-9));
    var slope = found.xy;
    var raised = 0.0;
    var most = 0.0;
    var steepest = 0.0;
    let count = words[at + 15u];
    for (var octave = 0u; octave < count; octave++) {
        let o = at + 16u + 5u * octave;
        let size = real(o);
        let shown = octave_share(octave_fade(octave, count), size, spacing);
        if shown <= 0.0 { break; }
        let turn = vec2<f32>(real(o + 2u), real(o + 3u));
        let place = vec2<f32>(turn.x * p.x - turn.y * p.y, turn.y * p.x + turn.x * p.y) / size;
        let first = vec2<i32>(floor(place));
        let radius = r / size;
        let steep = length(slope);
        var across = vec2<f32>(-slope.y, slope.x) / max(steep, 1e-20);
        let along = vec2<f32>(turn.x * across.x - turn.y * across.y, turn.y * across.x + turn.x * across.y);
        // the sums Σ w, Σ w d, Σ w cos φ and Σ w sin φ over the lattice centres; each centre has a weight w, a distance
        // d and a phase φ
        var sums = vec4<f32>(0.0);
        var least = 0.0;
        var slopes = 0.0;
        // centres up to two cells away on each side can have weight in a disc
        let span = select(1, 2, r > 0.0 && radius <= 0.5);
        for (var y = -span; y <= span; y++) {
            for (var x = -span; x <= span; x++) {
                let cell = first + vec2<i32>(x, y);
                let bits = lattice_bits(words[o + 4u], cell.x, cell.y);
                let jitter = vec2<f32>(vec2<u32>(bits & 0xffffu, bits >> 16u)) / 32768.0 - 1.0;
                let off = place - (vec2<f32>(cell) + 0.5 + 0.3 * jitter);
                let d = length(off);
                if span == 2 {
                    let far = max(1.0 - (d + radius) * (d + radius) / 1.44, 0.0);
                    least += far * far;
                    let x_steep = clamp(0.6928203, max(d - radius, 0.0), d + radius);
                    slopes += 4.0 / 1.44 * x_steep * max(1.0 - x_steep * x_steep / 1.44, 0.0);
                }
                let near = 1.0 - d * d / 1.44;
                if near > 0.0 && max(abs(x), abs(y)) < 2 {
                    let phase = TAU * dot(off, along);
                    sums += near * near * vec4<f32>(1.0, d, cos(phase), sin(phase));
                }
            }
        }
        let wave = sums.z / max(sums.x, 1e-9);
        let climb = -TAU / size * sums.w / max(sums.x, 1e-9);
        // upper bounds of Σ |∇(w/Σw)| and of Σ w d / Σ w over the disc
        var kernel = 20.0001;
        if span == 2 && least > 0.0 { kernel = min(2.0 * slopes / least, kernel); }
        let way = min(sums.y / max(sums.x, 1e-9) + (1.0 + 1.2 * kernel) * radius, 1.1314);
        let depth = 0.5 * real(o + 1u);
        let per_cell = TAU / size;
        let turning = per_slope * change;
        let waving = greatest * (TAU + kernel) / size + TAU * way * turning;
        most += shown * depth * greatest;
        steepest += shown * depth * (fading + waving);
        change = min(change + real(at + 8u) * depth * per_cell * (fading + waving + turning), 1e12);
        fading = min(fading + 2.0 * real(at + 9u) * waving, 1e12);
        raised += shown * depth * mask * wave;
        slope += real(at + 8u) * depth * mask * climb * across;
        mask *= 1.0 - real(at + 9u) * wave * wave;
    }
    var out = ground;
    out.height += rise * raised;
    let room = select(1e-4 * most, 0.0, r == 0.0);
    let low = max(raised - steepest * r, -most) - room;
    let high = min(raised + steepest * r, most) + room;
    out.low += min(rise * low, rise * high);
    out.high += max(rise * low, rise * high);
    steepest *= abs(rise) * 1.0001;
    out.slope = min(ground.slope + steepest, NONE);
    out.laid = min(ground.laid + ground.most * steepest, NONE);
    return out;
}

// Highest terrain and greatest slope in the table tiles that a disc touches. At most four tiles are read, from a level
// with tiles as wide as the disc. `spacing` is the sample spacing of the table. The result assumes that terrain between
// the samples is no higher than the samples a few steps around it.
fn bounds_over(p: vec2<f32>, r: f32, spacing: f32) -> vec2<f32> {
    let cell = tracing.eye.w / f32(TABLE_CELLS);
    let wide = max(2.0 * r, 4.0 * spacing);
    let level = u32(clamp(ceil(log2(max(wide / cell, 1.0))), 2.0, log2(f32(TABLE_CELLS))));
    let count = TABLE_CELLS >> level;
    let finest = TABLE_CELLS >> 2u;
    // tiles of the finer levels are stored first
    let first = 4u * (finest * finest - count * count) / 3u;
    let all = (4u * finest * finest - 1u) / 3u;
    let size = cell * exp2(f32(level));
    let last = vec2<f32>(f32(count) - 1.0);
    let low = vec2<u32>(clamp(floor((p - r) / size), vec2<f32>(0.0), last));
    let high = vec2<u32>(clamp(floor((p + r) / size), vec2<f32>(0.0), last));
    var bound = vec2<f32>(-1e30, 0.0);
    for (var k = 0u; k < 4u; k++) {
        let tile = first + select(low.y, high.y, k > 1u) * count + select(low.x, high.x, (k & 1u) == 1u);
        bound = max(bound, vec2<f32>(tiles[tile], tiles[all + tile]));
    }
    return bound;
}

var<private> marks: array<vec4<u32>, FRAMES>;
var<private> stack: array<vec4<f32>, 80>;

@compute @workgroup_size(8, 8)
fn march(@builtin(global_invocation_id) invocation: vec3<u32>) {
    let id = invocation.xy + vec2<u32>(0u, tracing.band.x);
    if id.x >= tracing.grid.x || id.y >= tracing.band.y { return; }
    let index = id.y * tracing.grid.x + id.x;
    var state = rays[index];
    if tracing.grid.w == 1u { state = Ray(vec4<f32>(0.0), vec2<f32>(0.0), MARCH, 0u); }
    if state.phase >= MET { return; }

    // the ray in metres of the construction tree, horizontally and vertically; the parameter along the ray is the
    // distance in world units
    let corner = (vec2<f32>(id) + 0.5) / vec2<f32>(tracing.grid.xy) * 2.0 - 1.0;
    let far = tracing.eye_from_clip * vec4<f32>(corner.x, -corner.y, 1.0, 1.0);
    let direction = normalize(far.xyz / far.w);
    let along = direction.xz * tracing.scale.x;
    let flat = length(along);
    let rise = direction.y * tracing.scale.y;
    let eye = tracing.eye.xyz;
    let side = tracing.eye.w;
    let pixel = tracing.scale.z * tracing.range.w;

    // interval of the ray that is above the square and between the lowest and the highest terrain
    var begin = 0.0;
    var to = 1e5;
    for (var k = 0u; k < 3u; k++) {
        let d = select(select(along.x, along.y, k == 1u), rise, k == 2u);
        let o = select(select(eye.x, eye.y, k == 1u), eye.z, k == 2u);
        let low = select(0.0, tracing.range.x, k == 2u);
        let high = select(side, tracing.range.y, k == 2u);
        if abs(d) < 1e-9 {
            if o < low || o > high { to = -1.0; }
            continue;
        }
        let a = (low - o) / d;
        let b = (high - o) / d;
        begin = max(begin, min(a, b));
        to = min(to, max(a, b));
    }
    if tracing.grid.w == 1u {
        state.marched = vec4<f32>(begin, (to - begin) / 8.0, 0.0, 0.0);
        if begin >= to { state.phase = LOST; }
    }

    // bounds from the table for the next segment
    var bound = vec2<f32>(1e30);
    var left = tracing.grid.z;
    var is_asking = true;
    // length of the next segment; the next variables hold the results of the material layers evaluated so far
    var ahead = 0.0;
    var material = 0u;
    var ground = vec3<f32>(0.0);
    // state of a traversal: its position in the words, the open frame, and the stored values of the enclosing frames
    var pc = 0u;
    var p = vec2<f32>(0.0);
    var r = 0.0;
    var spacing = 0.0;
    var top = 0u;
    var op = 0u;
    var at = 0u;
    // number of finished parts; for replace and add, whether the terrain is finished; for a probe, the index of its
    // point
    var count = 0u;
    var back = 0u;
    var share = 1.0;
    // slope of the terrain at the disc's centre, as the operator "add" measures it
    var steep = 0.0;
    var under = vec4<f32>(0.0);
    var own = nothing();
    // next actions of the traversal: a result to pass on, a frame to open
    var given = nothing();
    var is_given = false;
    var opening = 0u;
    var next_p = vec2<f32>(0.0);
    var next_r = 0.0;
    var next_spacing = 0.0;
    var next_share = 1.0;

    loop {
        var code = END;
        var skip = 0u;
        loop {
            if is_asking {
                // skip segments above the table's bound without an evaluation; halve a segment that the terrain can
                // reach, down to the length of a tile
                if state.phase == MARCH && tracing.band.z == 1u {
                    for (var k = 0u; k < MOST_CLEARED; k++) {
                        let t = state.marched.x;
                        let stretch = min(state.marched.y, to - t);
                        let wide = stretch * flat;
                        let fine = max(0.5 * pixel * t * tracing.scale.x, 1e-5);
                        bound = bounds_over(eye.xy + along * (t + 0.5 * stretch), 0.5 * wide, fine);
                        let start = eye.z + rise * t;
                        let end = start + rise * stretch;
                        var free = 0.0;
                        if min(start, end) > bound.x {
                            free = stretch;
                        } else if rise < 0.0 && start > bound.x {
                            free = min((start - bound.x) / -rise, stretch);
                        }
                        if free > 0.05 * stretch {
                            state.marched.x = t + free;
                            state.marched.y = 2.0 * free;
                            if state.marched.x >= to * 0.9999999 { state.phase = LOST; break; }
                        } else if wide > side / f32(TABLE_CELLS >> 2u) {
                            state.marched.y = 0.5 * stretch;
                        } else {
                            break;
                        }
                    }
                }
                if state.phase >= MET || left == 0u { break; }
                left -= 1u;
                state.evaluations += 1u;
                let t = state.marched.x;
                ahead = select(0.0, min(state.marched.y, to - t), state.phase == MARCH);
                let middle = t + 0.5 * ahead;
                p = eye.xy + along * middle;
                r = 0.5 * ahead * flat + select(0.0, 1e-7 * side, state.phase == MARCH);
                spacing = max(0.5 * pixel * t * tracing.scale.x, 1e-5);
                let far = select(0.0, t / tracing.look.w, tracing.look.w > 0.0);
                kappa = tracing.scale.w / (1.0 + far * far);
                if state.phase >= SLOPES && state.phase < WATER {
                    let k = state.phase - SLOPES;
                    let e = max(2.0 * spacing, 2e-5 * side) * select(1.0, -1.0, (k & 1u) == 1u);
                    p += select(vec2<f32>(e, 0.0), vec2<f32>(0.0, e), k > 1u);
                }
                is_asking = false;
                material = select(0u, 1u, state.phase == WATER);
                ground = vec3<f32>(0.0);
                pc = words[6u + material];
                top = 0u;
                op = 0u;
                count = 0u;
                share = 1.0;
                own = nothing();
            }
            if opening != 0u {
                marks[top] = vec4<u32>(op, at, count, back);
                let k = top * PARTS;
                stack[k] = vec4<f32>(p, r, spacing);
                stack[k + 1u] = vec4<f32>(own.height, own.weight, own.low, own.high);
                stack[k + 2u] = vec4<f32>(own.least, own.most, own.slope, own.fade);
                stack[k + 3u] = under;
                stack[k + 4u] = vec4<f32>(own.laid, share, steep, 0.0);
                top += 1u;
                at = select(pc + 6u, at, opening == PROBE);
                op = opening;
                back = pc;
                count = 0u;
                own = nothing();
                p = next_p;
                r = next_r;
                spacing = next_spacing;
                share = next_share;
                steep = 0.0;
                switch opening {
                    case REPLACE, ADD: { pc += 18u; }
                    case WARP: { pc += 27u + 4u * words[pc + 26u]; }
                    case DETAIL: {
                        pc += 8u;
                        under = vec4<f32>(0.0);
                    }
                    case GULLIES: { pc += 22u + 5u * words[pc + 21u]; }
                    case PROBE: { pc = words[pc + 6u]; }
                    default: { pc += 6u; }
                }
                opening = 0u;
            }
            if is_given {
                is_given = false;
                let is_ordered = op == REPLACE || op == ADD;
                if op == PROBE || op == GULLIES || (is_ordered && count == 0u) {
                    own = given;
                } else if given.most > 0.0 {
                    if is_ordered {
                        // factor from the windows of height and slope: value at the disc's centre, least value,
                        // greatest value, steepest slope
                        var by = vec4<f32>(1.0, 1.0, 1.0, 0.0);
                        if words[at + 1u] == 1u {
                            by = window_over(at + 2u, under.x, under.y, under.z);
                            by.w *= under.w;
                        }
                        if words[at + 6u] == 1u {
                            let turn = 1.4142136 * under.w / real(at + 11u);
                            let most = max(min(steep + turn * r, 1.4142136 * under.w), steep);
                            let slope = window_over(at + 7u, steep, max(steep - turn * r, 0.0), most);
                            by = vec4<f32>(by.xyz * slope.xyz, by.w * slope.z + by.z * slope.w * turn);
                        }
                        if op == ADD {
                            own = added(own, given, by, words[at]);
                        } else {
                            own = replaced(own, held_within(given, by), words[at]);
                        }
                    } else {
                        if op == DETAIL {
                            // where a piece is not terrain, its share is reduced (src/construction/operators/detail.rs)
                            under += share * vec4<f32>(given.weight, given.least, given.most, given.fade);
                            steep = max(steep, given.most);
                            let sigma = min(vec3<f32>(given.weight, given.least, given.most) / THRESHOLD, vec3<f32>(1.0));
                            given.laid = min(given.slope * sigma.z, given.laid / THRESHOLD);
                            given.fade = select(given.fade / THRESHOLD, 0.0, given.least >= THRESHOLD);
                            given.weight = sigma.x;
                            given.least = sigma.y;
                            given.most = sigma.z;
                        }
                        own = blended(own, given, select(1.0, share, op == DETAIL), count == 0u);
                        count += 1u;
                    }
                }
            }
            // skip the boxes that the disc does not touch
            code = END;
            loop {
                if pc == 0u { break; }
                code = words[pc];
                if code == END || code >= GROUND { break; }
                skip = words[pc + 1u];
                let low = vec2<f32>(real(pc + 2u), real(pc + 3u)) - r;
                let high = vec2<f32>(real(pc + 4u), real(pc + 5u)) + r;
                if all(p >= low) && all(p <= high) { break; }
                pc = skip;
            }
            if code == LEAF || code == PLACED || code == WARP { break; }
            var is_closing = false;
            var probed = -1.0;
            var across = vec4<f32>(0.0);
            if code == END {
                var gathered = own;
                if count > 1u { gathered = blend_bounds(own); }
                let base = select(0.0, real(5u), material == 0u);
                let s = surface_over(gathered, base);
                if material == 0u {
                    ground = vec3<f32>(s.x, s.z, s.w);
                } else {
                    ground += vec3<f32>(max(s.x, 0.0), max(s.z, 0.0), s.w);
                }
                if material != 1u { material = max(material, 1u) + 1u; }
                if material == 2u && words[8] == 0u { material = 3u; }
                if material == 3u && words[9] == 0u { material = 4u; }
                if material == 2u || material == 3u {
                    pc = words[6u + material];
                    op = 0u;
                    count = 0u;
                    own = nothing();
                    continue;
                }
                is_asking = true;
                let t = state.marched.x;
                if state.phase == WATER {
                    let depth = own.height - state.marched.z;
                    state.marched.w = select(0.0, max(depth, 0.0), own.weight >= THRESHOLD);
                    state.phase = MET;
                } else if state.phase >= SLOPES {
                    // the slope is the difference between east and west, then between south and north
                    let k = state.phase - SLOPES;
                    if k < 2u {
                        state.slope.x = select(state.slope.x - ground.x, ground.x, k == 0u);
                    } else {
                        state.slope.y = select(state.slope.y - ground.x, ground.x, k == 2u);
                    }
                    state.phase += 1u;
                    if state.phase == WATER {
                        state.slope *= 0.5 / max(2.0 * spacing, 2e-5 * side);
                        if tracing.range.z < 0.5 || words[7] == 0u { state.phase = MET; }
                    }
                } else {
                    ground = vec3<f32>(ground.x, min(ground.yz, bound));
                    // intersect the ray with a cone over the centre of the disc; there is no terrain above the cone
                    let start = eye.z + rise * t;
                    let end = start + rise * ahead;
                    let steepest = ground.z * flat;
                    let above = 0.5 * (start + end) - ground.x;
                    let lean = 0.5 * ahead * steepest;
                    let tolerance = 0.25 * pixel * t * tracing.scale.y + 1e-6 * side;
                    var least = max(tolerance / (steepest + abs(rise) + 1e-9), 0.25 * tolerance / tracing.scale.y);
                    if state.evaluations > PATIENCE {
                        least = max(least, 0.5 * pixel * t * exp2(f32(state.evaluations - PATIENCE) / 128.0));
                    }
                    let is_short = ahead <= least * 1.01;
                    let at_start = start - ground.x - lean;
                    var free = 0.0;
                    if min(start, end) > ground.y || (at_start > 0.0 && end - ground.x - lean > 0.0) {
                        free = ahead;
                    } else if at_start > 0.0 {
                        let fall = steepest + rise;
                        free = select(0.5 * ahead + above / max(steepest - rise, 1e-20), at_start / max(-fall, 1e-20), above < 0.0);
                        free = min(free, ahead);
                    }
                    if rise < 0.0 && ground.y < start { free = max(free, min((start - ground.y) / -rise, ahead)); }
                    // without this test, the ray would approach the terrain in ever shorter steps and never hit it
                    if free < ahead && is_short {
                        if above < tolerance { state.phase = SLOPES; } else { free = ahead; }
                    }
                    if state.phase == SLOPES {
                        state.marched.z = ground.x;
                    } else if state.evaluations >= MOST_EVALUATIONS {
                        state.phase = LOST;
                    } else if free > 0.0 {
                        state.marched.x = t + free;
                        state.marched.y = max(2.0 * free, least);
                        if state.marched.x >= to * 0.9999999 { state.phase = LOST; }
                    } else {
                        // half the segment's length, or the length that the ray's height above the terrain at the
                        // disc's centre allows
                        let hoped = select(0.0, (start - ground.x) / max(steepest, 1e-20), start > ground.x);
                        state.marched.y = max(clamp(hoped, 0.125 * ahead, 0.5 * ahead), least);
                    }
                }
                continue;
            }
            if code == GIVE {
                given = own;
                if op == GULLIES { given = gullied(at, p, r, spacing, own, under.xyz); }
                if op != REPLACE && op != ADD && count > 1u { given = blend_bounds(own); }
                if op == DETAIL && count > 0u {
                    given.weight = under.x;
                    given.least = under.y;
                    given.most = under.z;
                    given.fade = under.w;
                    given.laid = min(given.laid * max(steep, THRESHOLD) * 1.0001, min(given.slope * under.z, NONE));
                }
                if op == WARP || op == GULLIES {
                    given.slope = min(given.slope * share, NONE);
                    given.fade *= share;
                    given.laid *= share;
                }
                is_given = true;
                is_closing = true;
            } else if code == GROUND && op == PROBE {
                let is_gullied = marks[top - 1u].x == GULLIES;
                let found = surface_over(own, real(select(5u, at + 14u, is_gullied)));
                under[count] = found.x;
                // for gullies: sum of the terrain's greatest slopes around the east and west points, then around the
                // south and north points
                if count < 2u { steep += found.w; } else { share += found.w; }
                own = nothing();
                count += 1u;
                let e = real(at + 11u);
                // the probe starts at the east point; the next points are west, south and north
                p += e * select(select(vec2<f32>(-2.0, 0.0), vec2<f32>(1.0, 1.0), count == 2u), vec2<f32>(0.0, -2.0), count == 3u);
                if count < 4u {
                    pc = words[back + 6u];
                } else {
                    across = vec4<f32>(vec2<f32>(under.x - under.y, under.z - under.w) * 0.5 / e, 0.0, 0.0);
                    probed = length(across.xy);
                    if is_gullied {
                        let rise = real(at + 7u);
                        across /= rise;
                        across.z = length(vec2<f32>(steep, share)) * 0.5 / e / abs(rise);
                    }
                    pc = words[back + 1u];
                    is_closing = true;
                }
            } else if code == GROUND && op == GULLIES {
                // where gullies are invisible, their slope is not needed
                under = vec4<f32>(0.0);
                let is_seen = real(at + 7u) != 0.0 && own.most > 0.0
                    && octave_share(vec2<f32>(0.0), real(at + 16u), spacing) > 0.0;
                pc = select(words[pc + 2u], pc + 1u, is_seen);
            } else if code == GROUND {
                count = 1u;
                under = surface_over(own, real(5u));
                if words[at + 6u] == 1u { r -= real(at + 11u); }
                if op == ADD {
                    if words[at] == 1u {
                        let sigma = min(vec3<f32>(own.weight, own.least, own.most) / THRESHOLD, vec3<f32>(1.0));
                        let dsigma = select(own.fade / THRESHOLD, 0.0, own.least >= THRESHOLD);
                        let laid = min(own.slope * sigma.z, own.laid / THRESHOLD);
                        own.slope = (laid + dsigma * max(abs(own.low), abs(own.high))) * 1.0001;
                        own.height *= sigma.x;
                        own.low = min(own.low * sigma.y, own.low * sigma.z);
                        own.high = max(own.high * sigma.y, own.high * sigma.z);
                        own.laid = own.slope * own.most;
                    }
                }
                pc += 1u;
            } else if code == GROUP {
                pc += 6u;
            } else if code == SHARE {
                share = detail_share(at, words[pc + 6u]);
                pc = select(skip, pc + 7u, share > 0.0);
            } else {
                opening = code;
                next_p = p;
                next_r = r;
                next_spacing = spacing;
                next_share = 1.0;
                // the terrain is evaluated over a wider disc, because its slopes are measured at a distance
                if (code == ADD || code == REPLACE) && words[pc + 12u] == 1u { next_r += real(pc + 17u); }
                if code == PROBE {
                    next_p.x += real(at + 11u);
                    next_share = 0.0;
                    if op == GULLIES { next_spacing = max(spacing, real(at + 10u)); } else { next_r = 0.0; }
                }
                if code == GULLIES {
                    let map = pc + 6u;
                    let stretching = real(map + 6u);
                    next_p = vec2<f32>(
                        real(map) * p.x + real(map + 1u) * p.y + real(map + 4u),
                        real(map + 2u) * p.x + real(map + 3u) * p.y + real(map + 5u),
                    );
                    next_r *= stretching;
                    next_spacing *= stretching;
                    next_share = stretching;
                }
            }
            if is_closing {
                if code == GIVE { pc += 1u; }
                top -= 1u;
                let mark = marks[top];
                op = mark.x;
                at = mark.y;
                count = mark.z;
                back = mark.w;
                let k = top * PARTS;
                let place = stack[k];
                p = place.xy;
                r = place.z;
                spacing = place.w;
                let a = stack[k + 1u];
                let b = stack[k + 2u];
                under = stack[k + 3u];
                let c = stack[k + 4u];
                own = Answer(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x);
                share = c.y;
                steep = select(c.z, probed, probed >= 0.0);
                if probed >= 0.0 && op == GULLIES { under = across; }
            }
        }
        if is_asking { break; }

        // a primitive or a warp, in its own coordinates
        let is_warp = code == WARP;
        var q = p;
        var reach = r;
        var fine = spacing;
        var placement = vec3<f32>(1.0, 0.0, 1.0);
        if code != LEAF {
            let map = select(pc + 7u, pc + 6u, is_warp);
            q = vec2<f32>(
                real(map) * p.x + real(map + 1u) * p.y + real(map + 4u),
                real(map + 2u) * p.x + real(map + 3u) * p.y + real(map + 5u),
            );
            if is_warp {
                placement.z = real(pc + 12u);
            } else {
                placement = vec3<f32>(real(pc + 13u), real(pc + 14u), real(pc + 15u));
            }
            reach *= placement.z;
            fine *= placement.z;
        }
        let head = select(words[pc + 6u], pc, is_warp);
        let kind = select(words[head], 5u, is_warp);
        let o = head + 5u;
        let is_disc = kind == 0u;
        let is_course = kind == 1u || kind == 4u;
        let is_contour = kind == 2u;
        var bounds = vec4<f32>(0.0);
        if !is_warp { bounds = vec4<f32>(real(head + 1u), real(head + 2u), real(head + 3u), real(head + 4u)); }
        // weight of the primitive: value at the disc's centre, least value, greatest value, steepest fall
        var weight = vec4<f32>(0.0, 0.0, 1.0, bounds.w);
        var height = 0.5 * (bounds.x + bounds.y);
        // whether the height at the disc's centre and the slope suffice to bound the heights over the whole disc
        var is_near = false;
        given = nothing();

        // disc primitives, and the distance from the centre of a contour
        let centre = vec2<f32>(real(o), real(o + 1u));
        let offset = q - centre;
        let d = length(offset);
        if is_disc { weight = falloff_over(d, reach, real(o + 3u), real(o + 4u)); }
        var waves = 0u;
        var surface = 0u;
        if is_disc && weight.z > 0.0 {
            surface = words[o + 5u];
            waves = select(words[o + 6u], select(0u, 2u, surface == 3u), surface == 0u || surface == 3u);
        }
        // warps: the strength or the angle, then the number of noise waves per metre or the radius
        var bend = vec2<f32>(0.0);
        var is_twist = false;
        if is_warp {
            bend = vec2<f32>(real(pc + 16u), real(pc + 17u));
            is_twist = words[pc + 13u] == 1u;
            waves = select(0u, 2u, words[pc + 13u] == 0u);
        }
        var turn = vec2<f32>(1.0, 0.0);
        var frequency = 1.0;
        var amplitude = 1.0;
        var roughness = 1.0;
        var seed = 0u;
        var listed = 0u;
        var low = 0.0;
        var high = 0.0;
        var over = 0.0;
        var slope = 0.0;
        var carried = vec4<f32>(1.0, 1.0, 1.0, 0.0);
        var pair = vec2<f32>(0.0);
        if waves > 0u && is_disc {
            amplitude = real(o + 7u);
            frequency = 1.0 / real(o + 8u);
            roughness = real(o + 9u);
            seed = words[o + 12u];
            listed = select(words[o + 13u], 0u, surface == 3u);
        }
        for (var k = 0u; k < waves; k++) {
            var wave_seed = seed + 0x9e3779b9u * (k + 1u);
            let shift = f32(wave_seed >> 8u) / 16777216.0;
            var part = 1.0;
            var place = vec2<f32>(0.0);
            if is_warp {
                wave_seed = words[pc + 18u + k];
                place = q * bend.y + select(0.5, 0.0, k == 0u);
            } else {
                var by = frequency;
                if surface == 3u {
                    by = frequency / select(4.0, 2.6, k == 0u);
                    turn = select(vec2<f32>(0.8, 0.6), vec2<f32>(1.0, 0.0), k == 0u);
                } else {
                    var fade = octave_fade(k, waves);
                    if k < listed {
                        let octave = o + 14u + 4u * k;
                        amplitude = real(octave);
                        frequency = 1.0 / real(octave + 1u);
                        by = frequency;
                        fade = vec2<f32>(real(octave + 2u), real(octave + 3u));
                    }
                    part = octave_share(fade, 1.0 / frequency, fine);
                    if part <= 0.0 && listed == 0u { break; }
                }
                place = vec2<f32>(
                    (turn.x * offset.x + turn.y * offset.y) * by + 0.5 + shift,
                    (turn.x * offset.y - turn.y * offset.x) * by + 0.25 - shift,
                );
            }
            if part > 0.0 {
                let wave = wave_noise(wave_seed, place);
                if k == 0u { pair.x = wave.x; } else { pair.y = wave.x; }
                // radius of the disc, as a multiple of the wavelength
                let radius = reach * frequency * 1.00001;
                let here = length(wave.yz);
                let gone = min(STEEPEST * radius, here * radius + 0.5 * CURVATURE * radius * radius) + 1e-6;
                let steepness = min(STEEPEST, here + CURVATURE * radius) * frequency;
                let least = max(wave.x - gone, -1.0);
                let most = min(wave.x + gone, 1.0);
                let by = amplitude * part;
                if surface == 1u {
                    over += by * wave.x;
                    low += min(by * least, by * most);
                    high += max(by * least, by * most);
                    slope += abs(by) * steepness;
                } else if surface == 2u {
                    let middle = 1.0 - sqrt(wave.x * wave.x + 4e-4);
                    let far = max(abs(least), abs(most));
                    let nearest = select(min(abs(least), abs(most)), 0.0, least <= 0.0 && most >= 0.0);
                    let root = vec2<f32>(sqrt(nearest * nearest + 4e-4), sqrt(far * far + 4e-4));
                    let below = vec2<f32>(1.0 - root.y, 1.0 - root.x);
                    let ridge = vec3<f32>(middle * middle, select(0.0, below.x * below.x, below.x > 0.0), max(below.y * below.y, 1.6e-7));
                    let dridge = 2.0 * max(max(abs(below.x), abs(below.y)), 4e-4) * (far / root.y) * steepness;
                    over += by * carried.x * ridge.x;
                    let a = by * carried.y * ridge.y;
                    let b = by * carried.z * ridge.z;
                    low += min(a, b);
                    high += max(a, b);
                    slope += abs(by) * (carried.w * ridge.z + carried.z * dridge);
                    carried = vec4<f32>(ridge * (2.0 - ridge), 2.0 * (1.0 - ridge.y) * dridge);
                }
            }
            if surface == 3u { continue; }
            frequency *= 2.0;
            amplitude *= roughness;
            turn = vec2<f32>(0.8 * turn.x - 0.6 * turn.y, 0.6 * turn.x + 0.8 * turn.y);
        }
        if is_disc && weight.z > 0.0 {
            let level = real(o + 2u);
            height = level + over;
            if surface == 3u {
                let size = real(o + 8u);
                let phase = dot(offset, vec2<f32>(real(o + 10u), real(o + 11u))) / size + 0.55 * pair.x;
                let t = phase - floor(phase);
                let up = t / 0.72;
                let down = (1.0 - t) / 0.28;
                let shown = real(o + 7u) * octave_share(vec2<f32>(0.0), size, fine);
                height = level + shown * select(down * down, up * up * (2.0 - up), t < 0.72) * (0.5 + 0.5 * pair.y);
                is_near = true;
            } else {
                let room = select(1e-5 * (1.0 + abs(level)), 0.0, reach == 0.0);
                bounds = vec4<f32>(level + low - room, level + high + room, slope * 1.0001, bounds.w);
            }
        }
        if is_warp {
            // position of the disc after the warp
            var stretching = 1.0 + bend.x * bend.y * 4.1437;
            next_p = q + bend.x * pair;
            if is_twist {
                let about = vec2<f32>(real(pc + 14u), real(pc + 15u));
                let arm = q - about;
                let angle = bend.x * falloff(length(arm), 0.0, bend.y);
                let s = sin(angle);
                let c = cos(angle);
                next_p = about + vec2<f32>(c * arm.x - s * arm.y, s * arm.x + c * arm.y);
                let k = abs(bend.x) * 1.7174;
                stretching = 0.5 * k + sqrt(1.0 + 0.25 * k * k);
            }
            if words[pc + 13u] == 2u {
                let arm = q - vec2<f32>(real(pc + 14u), real(pc + 15u));
                let g = falloff(length(arm), 0.5 * bend.y, bend.y);
                if g > 0.0 {
                    let value = spline_at(pc + 23u, 0.5 + 0.5 * arm / bend.y);
                    next_p = q - g * (2.0 * value - 1.0) * vec2<f32>(real(pc + 21u), real(pc + 22u));
                }
                stretching = real(pc + 20u);
            }
            if words[pc + 13u] == 3u {
                for (var k = 0u; k < words[pc + 26u]; k++) {
                    let place = pc + 27u + 4u * k;
                    let g = falloff(distance(q, vec2<f32>(real(place), real(place + 1u))), 0.0, bend.y);
                    next_p -= g * vec2<f32>(real(place + 2u), real(place + 3u));
                }
                stretching = real(pc + 20u);
            }
            next_r = reach * stretching * 1.0001;
            next_spacing = fine;
            next_share = stretching * placement.z;
            opening = WARP;
            continue;
        }

        // curves: the nearest point of all arcs; then, near the places that are equally far from two parts of the curve,
        // the weighted mean over the chords of all arcs that are almost as near
        // (src/construction/geometry/path/mod.rs and segment.rs)
        var distance = 0.0;
        // position along the curve, offset from it (positive to the right), distance beside it
        var course = vec3<f32>(0.0);
        var vertices = 0u;
        var runs = 0u;
        if is_course {
            vertices = o + 4u;
            runs = vertices + list_words(vertices, 5u);
            let widest = real(o);
            let chords = words[vertices] - 1u;
            var nearest = (widest + reach) * (widest + reach);
            let turns = words[runs];
            // share of the mean; sums of the weights, and of the weights times arc length and side
            var mean_share = 0.0;
            var sums = vec3<f32>(0.0);
            for (var run = 0u; run < 2u * turns; run++) {
                if run == turns {
                    if nearest >= (widest + reach) * (widest + reach) { distance = widest + reach; }
                    if distance >= widest || mean_share <= 0.0 { break; }
                    nearest = distance * distance * (1.0 + WINDOW) * (1.0 + WINDOW);
                }
                let is_second = run >= turns;
                let own_run = select(run, run - turns, is_second);
                let box = runs + 1u + 5u * own_run;
                let away = max(max(vec2<f32>(real(box), real(box + 1u)) - q, q - vec2<f32>(real(box + 2u), real(box + 3u))), vec2<f32>(0.0));
                if dot(away, away) >= nearest { continue; }
                var start = real(box + 4u);
                for (var k = own_run * RUN; k < min((own_run + 1u) * RUN, chords); k++) {
                    let v = vertices + 1u + 5u * k;
                    let from_here = vec2<f32>(real(v), real(v + 1u));
                    let segment = vec2<f32>(real(v + 5u), real(v + 6u)) - from_here;
                    let long = length(segment);
                    let unit = select(vec2<f32>(1.0, 0.0), segment / max(long, 1e-30), long > 0.0);
                    let slopes = unpack2x16float(words[v + 2u]);
                    let stretch = 1.0 + (2.0 * dot(slopes, slopes) - slopes.x * slopes.y) / 30.0;
                    let way = vec2<f32>(dot(q - from_here, unit), cross_of(unit, q - from_here));
                    let bend = (slopes.y - slopes.x) / max(long, 1e-30);
                    let spread = 1.0 - bend * way.y;
                    // the arc counts in the first round, its chord in the second
                    let on_arc = select(select(0.0, long, 2.0 * way.x >= long), (way.x + slopes.x * way.y) / max(spread, 1e-30), spread > 0.0);
                    let t = clamp(select(on_arc, way.x, is_second), 0.0, long);
                    let part = t / max(long, 1e-30);
                    let arc = long * part * (1.0 - part) * (slopes.x * (1.0 - part) - slopes.y * part);
                    let rest = way - vec2<f32>(t, select(arc, 0.0, is_second));
                    let square = dot(rest, rest);
                    if square < nearest {
                        if is_second {
                            let own = sqrt(square);
                            let x = max(own / distance - 1.0, 0.0) / WINDOW;
                            let w = (1.0 - x * x) * (1.0 - x * x);
                            sums += w * vec3<f32>(1.0, start + t * stretch, way.y / max(own, 1e-30));
                        } else {
                            nearest = square;
                            // one step of Newton's method
                            let slope_there = slopes.x * (1.0 - part) * (1.0 - 3.0 * part) + slopes.y * part * (3.0 * part - 2.0);
                            let curve = (slopes.x * (6.0 * part - 4.0) + slopes.y * (6.0 * part - 2.0)) / max(long, 1e-30);
                            let turn = 1.0 + slope_there * slope_there - curve * rest.y;
                            let is_free = turn > 0.05 && t > 0.0 && t < long;
                            let place = clamp(t + select(0.0, (rest.x + slope_there * rest.y) / max(turn, 0.05), is_free), 0.0, long);
                            let exact = place / max(long, 1e-30);
                            let height_there = long * exact * (1.0 - exact) * (slopes.x * (1.0 - exact) - slopes.y * exact);
                            let found = way - vec2<f32>(place, height_there);
                            let own = length(found);
                            distance = own;
                            let is_left = found.y < 0.0;
                            var across = select(own, -own, is_left);
                            if (k == 0u && t <= 0.0) || (k + 1u == chords && t >= long) {
                                // beyond an end of the curve
                                let slope = slopes.x + bend * t;
                                across = (rest.y - slope * rest.x) / sqrt(1.0 + slope * slope);
                            }
                            course = vec3<f32>(start + place * stretch, across, abs(across));
                            // the radii are multiples of the greatest distance with weight
                            let rooms = unpack2x16float(words[v + select(3u, 4u, is_left)]);
                            let room = widest * mix(rooms.x, rooms.y, exact);
                            mean_share = smooth_step((own / max(room, 1e-30) - EXACT) / (MEAN - EXACT));
                        }
                    }
                    start += long * stretch;
                }
            }
            if sums.x > 0.0 {
                let side = clamp(sums.z / sums.x * (1.0 + WINDOW), -1.0, 1.0);
                course = mix(course, vec3<f32>(sums.y / sums.x, distance * side, distance), mean_share);
            }
            weight = falloff_over(distance, reach, real(o + 1u), real(o + 2u));
            // if the width varies along the curve, the weight is computed later, when the width is known
            if real(o + 3u) > 0.0 {
                weight = vec4<f32>(0.0, 0.0, select(0.0, 1.0, distance < widest + reach), bounds.w);
            }
            if distance >= widest { weight.x = 0.0; }
            is_near = distance + reach < widest;
        }
        // contours: the least and the greatest distance from the contour's centre, as a multiple of the contour's
        // radius, over the disc
        var angle = 0.0;
        // an outline given by points: relative distance, from 0 at its deepest point to 1 on the line
        var shore = 0.0;
        let is_outline = is_contour && words[o + 8u] > 0u;
        if is_contour {
            let core = real(o + 4u);
            let rim = real(o + 5u);
            if is_outline {
                let corners = words[o + 8u];
                let inner = real(o + 7u);
                var nearest = NONE;
                var is_inside = false;
                var b = vec2<f32>(real(o + 7u + 2u * corners), real(o + 8u + 2u * corners));
                for (var k = 0u; k < corners; k++) {
                    let a = b;
                    b = vec2<f32>(real(o + 9u + 2u * k), real(o + 10u + 2u * k));
                    let line = b - a;
                    let way = offset - a;
                    let rest = way - line * clamp(dot(way, line) / max(dot(line, line), 1e-30), 0.0, 1.0);
                    nearest = min(nearest, dot(rest, rest));
                    let is_left = line.x * way.y > line.y * way.x;
                    if (a.y <= offset.y && b.y > offset.y && is_left) || (a.y > offset.y && b.y <= offset.y && !is_left) {
                        is_inside = !is_inside;
                    }
                }
                shore = max(1.0 + sqrt(nearest) * select(1.0, -1.0, is_inside) / inner, 0.0);
                weight = falloff_over(shore, reach / inner, core, rim);
                weight.w = weight.w / inner;
                is_near = shore + reach / inner < rim;
            } else {
                let farthest = real(o + 6u);
                var least = farthest;
                // the interpolated radius never leaves the range of the radii at the contour's points
                for (var k = 0u; k < words[o + 8u + 1u]; k++) { least = min(least, real(o + 11u + 3u * k)); }
                weight = vec4<f32>(0.0, falloff((d + reach) / least, core, rim), falloff(max(d - reach, 0.0) / farthest, core, rim), bounds.w);
                if weight.y >= 1.0 { weight.w = 0.0; }
                is_near = (d + reach) / least < rim;
            }
            angle = select(atan2(offset.y, offset.x), 0.0, d == 0.0);
        }

        // values along lines: for a curve width, height, depth and two profiles; for a contour the radius and two rays
        var values = array<f32, 5>(0.0, 0.0, 0.0, 0.0, 0.0);
        var x = 0.0;
        var between = 0.0;
        var end_of_lines = 0u;
        let is_lined = (is_course && distance < real(o)) || (is_contour && weight.z > 0.0);
        if is_lined {
            let first_line = select(o + 8u + select(1u, list_words(o + 8u, 2u), is_contour), runs + list_words(runs, 5u), is_course);
            var line = first_line;
            var here = 0u;
            var after = 0u;
            let lines = select(5u, 3u, kind == 4u);
            for (var j = 0u; j < lines; j++) {
                var arg = select(angle, course.x, is_course);
                if is_contour && j == 1u { continue; }
                // near the centre of an outline, all directions blend into the third value; other contours do not have
                // this value
                if is_contour && j == 2u && !is_outline { continue; }
                if j == 3u {
                    if is_course {
                        x = course.y / values[1];
                        let stations = words[line];
                        here = line + 1u;
                        after = here;
                        for (var k = 0u; k + 1u < stations; k++) {
                            after = here + 2u + list_words(here + 2u, 3u);
                            if k + 2u >= stations || real(after) > course.x { break; }
                            here = after;
                        }
                        let long = real(after) - real(here);
                        if long > 0.0 { between = smooth_step((course.x - real(here)) / long); }
                    } else {
                        x = select(d / values[0], shore, is_outline);
                        let spokes = words[line];
                        let first = line + 1u;
                        var found = false;
                        var spoke = first;
                        here = first;
                        after = first;
                        for (var k = 0u; k < spokes; k++) {
                            let follows = select(first, spoke + 1u + list_words(spoke + 1u, 3u), k + 1u < spokes);
                            let before = real(spoke) <= angle;
                            if before || (!found && k + 1u == spokes) {
                                here = spoke;
                                after = follows;
                            }
                            found = found || before;
                            spoke = follows;
                        }
                        if spokes > 1u {
                            between = smooth_step(ahead_of(real(here), angle) / ahead_of(real(here), real(after)));
                        }
                    }
                }
                var begin_line = line;
                if is_contour && j == 2u {
                    arg = shore;
                    begin_line = line + 2u;
                }
                if j >= 3u {
                    let record = select(here, after, j == 4u);
                    arg = x;
                    if is_course {
                        if words[record + 1u] == 1u { arg = course.z / values[1]; }
                        begin_line = record + 2u;
                    } else {
                        begin_line = record + 1u;
                    }
                }
                let knots = words[begin_line];
                var value = 0.0;
                if knots > 0u {
                    let last = begin_line + 3u * knots - 2u;
                    var k = begin_line + 1u;
                    arg = clamp(arg, real(k), real(last));
                    while k + 3u < last && real(k + 3u) <= arg { k += 3u; }
                    let next = min(k + 3u, last);
                    let y = real(k + 1u);
                    let width = real(next) - real(k);
                    let t = select(0.0, (arg - real(k)) / max(width, 1e-30), width > 0.0);
                    let c1 = real(k + 2u) * width;
                    let gain = real(next + 1u) - y;
                    let m1 = real(next + 2u) * width;
                    value = y + t * (c1 + t * (3.0 * gain - 2.0 * c1 - m1 + t * (c1 + m1 - 2.0 * gain)));
                }
                values[j] = value;
                if j < 3u && (is_course || j == 0u) { line = begin_line + list_words(begin_line, 3u); }
            }
            end_of_lines = line;
            if is_contour {
                var rise = mix(values[3], values[4], between);
                if is_outline {
                    if words[line] > 1u { rise = mix(values[2], rise, smooth_step(d / real(o + 7u))); }
                } else {
                    weight.x = select(0.0, falloff(x, real(o + 4u), real(o + 5u)), d < real(o + 6u) * real(o + 5u));
                }
                height = real(o + 2u) + real(o + 3u) * rise;
            } else {
                x = course.y / values[1];
                let share = real(o + 3u);
                if share > 0.0 {
                    let own = share * values[1];
                    let there = falloff(distance, own, own + real(o + 2u) - real(o + 1u));
                    weight = vec4<f32>(there, max(there - bounds.w * reach, 0.0), min(there + bounds.w * reach, 1.0), bounds.w);
                }
                height = values[0] + values[2] * mix(values[3], values[4], between);
            }
        }

        // images that are stretched over four corners, or repeated along a curve
        var uv = vec2<f32>(-1.0);
        var picture = o + 11u;
        if kind == 3u {
            let e = vec2<f32>(real(o + 2u), real(o + 3u));
            let f = vec2<f32>(real(o + 4u), real(o + 5u));
            let g = vec2<f32>(real(o + 6u), real(o + 7u));
            let a = cross_of(g, f);
            let b = cross_of(e, f) + cross_of(offset, g);
            let c = cross_of(offset, e);
            let root = sqrt(max(b * b - 4.0 * a * c, 0.0));
            let h = -0.5 * (b + select(root, -root, b < 0.0));
            for (var k = 0u; k < min(words[o + 12u], 2u); k++) {
                let part = select(vec2<f32>(h, a), vec2<f32>(c, h), k == 0u);
                let v = select(-1.0, part.x / part.y, part.y != 0.0);
                let line = e + g * v;
                let rest = offset - f * v;
                let u = select(rest.x / line.x, rest.y / line.y, abs(line.y) > abs(line.x));
                if u >= 0.0 && u <= 1.0 && v >= 0.0 && v <= 1.0 && uv.x < 0.0 { uv = vec2<f32>(u, v); }
            }
            let border = real(o + 10u);
            if uv.x >= 0.0 { weight.x = edge_share(uv.x, border) * edge_share(uv.y, border); }
            is_near = uv.x >= 0.0;
            // the bound of |∇α|, the slope of the weight, limits the weight around its value at the disc's centre
            weight = vec4<f32>(weight.x, max(weight.x - bounds.w * reach, 0.0), min(weight.x + bounds.w * reach, 1.0), bounds.w);
        } else if kind == 4u && is_lined {
            picture = end_of_lines;
            let turned = course.x * real(picture + 3u);
            let t = turned - 2.0 * floor(0.5 * turned);
            uv = vec2<f32>(select(2.0 - t, t, t <= 1.0), 0.5 + 0.5 * x);
        }
        if (kind == 3u && uv.x >= 0.0) || (kind == 4u && is_lined) {
            var values_of = vec2<f32>(0.0, 1.0);
            // the height image, and the weight map if the image has one
            let maps = select(1u, 2u, kind == 3u && words[o + 15u] > 0u);
            for (var map = 0u; map < maps; map++) {
                let first = picture + 3u * map;
                let size = vec2<u32>(words[first + 1u], words[first + 2u]);
                let place = saturate(uv) * vec2<f32>(size - 1u);
                let cell = min(vec2<u32>(place), max(size, vec2<u32>(2u)) - 2u);
                let t = place - vec2<f32>(cell);
                var value = 0.0;
                // a spline through the samples reads 16 of them
                for (var k = 0u; k < min(size.x * 16u, 16u); k++) {
                    let n = vec2<u32>(k & 3u, k >> 2u);
                    let y = abs(vec2<f32>(n) - 1.0 - t);
                    let z = max(2.0 - y, vec2<f32>(0.0));
                    let one = max(1.0 - y, vec2<f32>(0.0));
                    let w = 0.5 * z * z * (z - 1.0) + one * one * (1.0 - 2.0 * one);
                    let texel = min(max(cell + n, vec2<u32>(1u)) - 1u, size - 1u);
                    value += w.x * w.y * image_samples[words[first] + texel.y * size.x + texel.x];
                }
                values_of[map] = value;
            }
            let value = values_of.x;
            if maps == 2u {
                let there = weight.x * saturate(values_of.y);
                weight = vec4<f32>(there, max(there - bounds.w * reach, 0.0), min(there + bounds.w * reach, 1.0), bounds.w);
            }
            if kind == 3u {
                height = real(o + 8u) + real(o + 9u) * value;
            } else {
                height = values[0] + values[2] * (value - real(picture + 4u));
            }
        }

        if weight.z > 0.0 {
            if is_near && kind != 0u || surface == 3u {
                let room = bounds.z * reach + select(1e-5 * (1.0 + abs(height)), 0.0, reach == 0.0);
                bounds.x = max(bounds.x, height - room);
                bounds.y = min(bounds.y, height + room);
            }
            let ends = bounds.xy * placement.x + placement.y;
            let steepness = bounds.z * placement.z * abs(placement.x);
            given = Answer(
                height * placement.x + placement.y, weight.x, min(ends.x, ends.y), max(ends.x, ends.y), weight.y, weight.z,
                steepness, weight.w * placement.z, steepness * weight.z,
            );
        }
        is_given = true;
        pc = skip;
    }
    rays[index] = state;
}
