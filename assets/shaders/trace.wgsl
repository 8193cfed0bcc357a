// Sphere tracing of a construction tree: a walk over its words (src/construction/buffer.rs) gives heights, another one bounds
// of heights and slopes over a stretch of a ray. Both are one loop over the instructions with a stack of frames.
// What holds for a stretch: src/construction/answer.rs, Bounds; how a ray goes: src/construction/trace.rs.

// Mirrors `Tracing` in src/app/view/trace/mod.rs.
struct Tracing {
    eye_from_clip: mat4x4<f32>,
    // metres in a unit, units in a metre of height, side in metres, level of detail
    scale: vec4<f32>,
    // width of a pixel at distance 1, what is shown (0 ground, 1 evaluations, 2 distance), evaluations at the end of the ramp,
    // whether there is water
    look: vec4<f32>,
    // lowest and highest ground in units, distance that all bits of the distance mean, steps at the most
    range: vec4<f32>,
}

@group(1) @binding(0) var<storage, read> words: array<u32>;
@group(1) @binding(1) var<storage, read> pictures: array<f32>;
@group(1) @binding(2) var<uniform> tracing: Tracing;

const END = 0u;
const LEAF = 1u;
const PLACED = 2u;
const GROUP = 3u;
const BLEND = 4u;
const REPLACE = 5u;
const ADD = 6u;
const WARP = 7u;
const DETAIL = 8u;
const SHARE = 9u;
const PROBE = 10u;
const GROUND = 11u;
const GIVE = 12u;

const FRAMES = 16u;
const VECTORS = 16u;
const RUN = 8u;
const TAU = 6.2831853;
// no bound
const NONE = 1e30;
// of noise, per wave: src/construction/noise.rs
const STEEPEST = 2.93;
const CURVATURE = 13.07;

var<private> evaluations: u32;

fn real(at: u32) -> f32 { return bitcast<f32>(words[at]); }

fn smooth_step(x: f32) -> f32 {
    let t = saturate(x);
    return t * t * (3.0 - 2.0 * t);
}

fn falloff(d: f32, core: f32, radius: f32) -> f32 {
    if d <= core { return 1.0; }
    if d >= radius { return 0.0; }
    let x = (d - core) / (radius - core);
    let t = 1.0 - x * x;
    return t * t * t;
}

fn falloff_slope(d: f32, core: f32, radius: f32) -> f32 {
    if d <= core || d >= radius { return 0.0; }
    let x = (d - core) / (radius - core);
    let t = 1.0 - x * x;
    return 6.0 * x * t * t / (radius - core);
}

fn mapped(at: u32, p: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(real(at) * p.x + real(at + 1u) * p.y + real(at + 4u), real(at + 2u) * p.x + real(at + 3u) * p.y + real(at + 5u));
}

fn window(at: u32, x: f32) -> f32 {
    let ends = vec2<f32>(real(at), real(at + 1u));
    if x < ends.x { return smooth_step(1.0 - (ends.x - x) / real(at + 2u)); }
    if x > ends.y { return smooth_step(1.0 - (x - ends.y) / real(at + 3u)); }
    return 1.0;
}

// ---- noise: the lattice of src/construction/noise.rs ----

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

// Value and gradient.
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

// Lowest, highest and steepest within r of p.
fn wave_noise_over(seed: u32, p: vec2<f32>, r: f32) -> vec3<f32> {
    if r * CURVATURE > 2.0 * STEEPEST {
        return vec3<f32>(-1.0, 1.0, STEEPEST);
    }
    let here = wave_noise(seed, p);
    let steep = length(here.yz);
    let way = min(STEEPEST * r, steep * r + 0.5 * CURVATURE * r * r) + 1e-5;
    return vec3<f32>(max(here.x - way, -1.0), min(here.x + way, 1.0), min(STEEPEST, steep + CURVATURE * r));
}

fn octave_seed(seed: u32, k: u32) -> u32 { return seed + 0x9e3779b9u * (k + 1u); }

// Place of `way` in waves of octave k, turned.
fn octave_place(seed: u32, way: vec2<f32>, turn: vec2<f32>, frequency: f32) -> vec2<f32> {
    let shift = f32(seed >> 8u) / 16777216.0;
    return vec2<f32>(
        (turn.x * way.x + turn.y * way.y) * frequency + 0.5 + shift,
        (turn.x * way.y - turn.y * way.x) * frequency + 0.25 - shift,
    );
}

fn octave_share(k: u32, count: u32, wavelength: f32, spacing: f32) -> f32 {
    var share = 1.0;
    let level = tracing.scale.w;
    if wavelength < 4.0 * spacing {
        share = smooth_step(wavelength / (2.0 * spacing) - 1.0);
    }
    if level < 1.0 && k > 0u {
        share *= smooth_step(level * f32(count - 1u) - f32(k - 1u));
    }
    return share;
}

// ---- primitives ----

struct Given {
    height: f32,
    weight: f32,
}

fn disc_at(at: u32, p: vec2<f32>, spacing: f32) -> Given {
    let way = p - vec2<f32>(real(at), real(at + 1u));
    let weight = falloff(length(way), real(at + 3u), real(at + 4u));
    if weight <= 0.0 { return Given(0.0, 0.0); }
    let surface = words[at + 5u];
    let count = words[at + 6u];
    let amplitude = real(at + 7u);
    let size = real(at + 8u);
    let seed = words[at + 12u];
    var over = 0.0;
    if surface == 3u {
        let high = amplitude * octave_share(0u, 1u, size, spacing);
        let first = octave_seed(seed, 0u);
        let second = octave_seed(seed, 1u);
        let wander = wave_noise(first, octave_place(first, way, vec2<f32>(1.0, 0.0), 1.0 / (size * 2.6))).x;
        let swell = wave_noise(second, octave_place(second, way, vec2<f32>(0.8, 0.6), 1.0 / (size * 4.0))).x;
        let phase = dot(way, vec2<f32>(real(at + 10u), real(at + 11u))) / size + 0.55 * wander;
        let t = phase - floor(phase);
        let rise = t / 0.72;
        let left = (1.0 - t) / 0.28;
        over = high * select(left * left, rise * rise * (2.0 - rise), t < 0.72) * (0.5 + 0.5 * swell);
    } else if surface > 0u {
        var turn = vec2<f32>(1.0, 0.0);
        var frequency = 1.0 / size;
        var high = amplitude;
        var carried = 1.0;
        for (var k = 0u; k < count; k++) {
            let share = octave_share(k, count, 1.0 / frequency, spacing);
            if share <= 0.0 { break; }
            let own = octave_seed(seed, k);
            let value = wave_noise(own, octave_place(own, way, turn, frequency)).x;
            if surface == 1u {
                over += high * share * value;
            } else {
                let below = 1.0 - sqrt(value * value + 4e-4);
                let ridge = below * below;
                over += high * share * carried * ridge;
                carried = ridge * (2.0 - ridge);
            }
            frequency *= 2.0;
            high *= real(at + 9u);
            turn = vec2<f32>(0.8 * turn.x - 0.6 * turn.y, 0.6 * turn.x + 0.8 * turn.y);
        }
    }
    return Given(real(at + 2u) + over, weight);
}

fn list_words(at: u32, size: u32) -> u32 { return 1u + words[at] * size; }

// Value of a monotone cubic.
fn line_at(at: u32, x: f32) -> f32 {
    let count = words[at];
    if count == 0u { return 0.0; }
    let last = at + 3u * count - 2u;
    if x <= real(at + 1u) { return real(at + 2u); }
    if x >= real(last) { return real(last + 1u); }
    var k = at + 1u;
    while real(k + 3u) <= x { k += 3u; }
    let width = real(k + 3u) - real(k);
    let t = (x - real(k)) / width;
    let c1 = real(k + 2u) * width;
    let rise = real(k + 4u) - real(k + 1u);
    let m1 = real(k + 5u) * width;
    let c2 = 3.0 * rise - 2.0 * c1 - m1;
    let c3 = c1 + m1 - 2.0 * rise;
    return real(k + 1u) + t * (c1 + t * (c2 + t * c3));
}

struct Chord {
    along: f32,
    square: f32,
    offset: f32,
    long: f32,
}

fn chord_at(vertices: u32, k: u32, p: vec2<f32>) -> Chord {
    let at = vertices + 1u + 2u * k;
    let begin = vec2<f32>(real(at), real(at + 1u));
    let way = vec2<f32>(real(at + 2u), real(at + 3u)) - begin;
    let long = length(way);
    let unit = select(vec2<f32>(1.0, 0.0), way / max(long, 1e-30), long > 0.0);
    let t = clamp(dot(p - begin, unit), 0.0, long);
    let rest = p - begin - unit * t;
    return Chord(t, dot(rest, rest), unit.x * rest.y - unit.y * rest.x, long);
}

fn run_square(runs: u32, run: u32, p: vec2<f32>) -> f32 {
    let at = runs + 1u + 5u * run;
    let low = vec2<f32>(real(at), real(at + 1u));
    let high = vec2<f32>(real(at + 2u), real(at + 3u));
    let away = max(max(low - p, p - high), vec2<f32>(0.0));
    return dot(away, away);
}

// Distance to a course, its reach where it is farther.
fn course_distance(at: u32, p: vec2<f32>) -> f32 {
    let vertices = at + 4u;
    let chords = words[vertices] - 1u;
    let runs = vertices + list_words(vertices, 2u);
    var nearest = real(at) * real(at);
    for (var run = 0u; run < words[runs]; run++) {
        if run_square(runs, run, p) >= nearest { continue; }
        for (var k = run * RUN; k < min((run + 1u) * RUN, chords); k++) {
            nearest = min(nearest, chord_at(vertices, k, p).square);
        }
    }
    return sqrt(nearest);
}

// Arc length and offset of a place at a distance from the course.
fn course_place(at: u32, p: vec2<f32>, distance: f32) -> vec2<f32> {
    let vertices = at + 4u;
    let chords = words[vertices] - 1u;
    let runs = vertices + list_words(vertices, 2u);
    let tolerance = real(at + 1u);
    let farthest = (distance + tolerance) * (distance + tolerance);
    var sum = vec3<f32>(0.0);
    for (var run = 0u; run < words[runs]; run++) {
        if run_square(runs, run, p) >= farthest { continue; }
        var start = real(runs + 1u + 5u * run + 4u);
        for (var k = run * RUN; k < min((run + 1u) * RUN, chords); k++) {
            let chord = chord_at(vertices, k, p);
            if chord.square < farthest {
                let x = (sqrt(chord.square) - distance) / tolerance;
                let w = (1.0 - x * x) * (1.0 - x * x);
                sum += w * vec3<f32>(1.0, start + chord.along, chord.offset);
            }
            start += chord.long;
        }
    }
    return sum.yz / max(sum.x, 1e-30);
}

// Where the height, width and depth of a course are, and what follows it.
fn course_lines(at: u32) -> vec4<u32> {
    let runs = at + 4u + list_words(at + 4u, 2u);
    let height = runs + list_words(runs, 5u);
    let width = height + list_words(height, 3u);
    let depth = width + list_words(width, 3u);
    return vec4<u32>(height, width, depth, depth + list_words(depth, 3u));
}

fn next_profile(at: u32) -> u32 { return at + 2u + list_words(at + 2u, 3u); }

fn profile_at(at: u32, x: f32) -> f32 { return line_at(at + 2u, select(x, abs(x), words[at + 1u] == 1u)); }

fn curve_at(at: u32, p: vec2<f32>) -> Given {
    let distance = course_distance(at, p);
    if distance >= real(at) { return Given(0.0, 0.0); }
    let place = course_place(at, p, distance);
    let lines = course_lines(at);
    let x = place.y / line_at(lines.y, place.x);
    let count = words[lines.w];
    var here = lines.w + 1u;
    for (var k = 0u; k + 2u < count; k++) {
        let next = next_profile(here);
        if real(next) > place.x { break; }
        here = next;
    }
    var over = profile_at(here, x);
    if count > 1u {
        let next = next_profile(here);
        let long = real(next) - real(here);
        if long > 0.0 {
            over += smooth_step((place.x - real(here)) / long) * (profile_at(next, x) - over);
        }
    }
    return Given(line_at(lines.x, place.x) + line_at(lines.z, place.x) * over, falloff(distance, real(at + 2u), real(at + 3u)));
}

fn picture_at(at: u32, u: f32, v: f32) -> f32 {
    let begin = words[at];
    let size = vec2<u32>(words[at + 1u], words[at + 2u]);
    let place = saturate(vec2<f32>(u, v)) * vec2<f32>(size - 1u);
    let cell = min(vec2<u32>(place), max(size, vec2<u32>(2u)) - 2u);
    let t = place - vec2<f32>(cell);
    let s = 1.0 - t;
    let w0 = s * s * s / 6.0;
    let w1 = (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0;
    let w2 = (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0;
    let w3 = t * t * t / 6.0;
    var across = array<f32, 4>(w0.x, w1.x, w2.x, w3.x);
    var down = array<f32, 4>(w0.y, w1.y, w2.y, w3.y);
    var value = 0.0;
    for (var a = 0u; a < 4u; a++) {
        let row = min(max(cell.y + a, 1u) - 1u, size.y - 1u);
        for (var b = 0u; b < 4u; b++) {
            let column = min(max(cell.x + b, 1u) - 1u, size.x - 1u);
            value += down[a] * across[b] * pictures[begin + row * size.x + column];
        }
    }
    return value;
}

fn ribbon_at(at: u32, p: vec2<f32>) -> Given {
    let distance = course_distance(at, p);
    if distance >= real(at) { return Given(0.0, 0.0); }
    let place = course_place(at, p, distance);
    let lines = course_lines(at);
    let turned = place.x * real(lines.w + 3u);
    let t = turned - 2.0 * floor(0.5 * turned);
    let u = select(2.0 - t, t, t <= 1.0);
    let v = 0.5 + 0.5 * place.y / line_at(lines.y, place.x);
    let over = picture_at(lines.w, u, v) - real(lines.w + 4u);
    return Given(line_at(lines.x, place.x) + line_at(lines.z, place.x) * over, falloff(distance, real(at + 2u), real(at + 3u)));
}

fn ahead_of(begin: f32, to: f32) -> f32 { return select(to - begin + TAU, to - begin, to >= begin); }

fn contour_at(at: u32, p: vec2<f32>) -> Given {
    let way = p - vec2<f32>(real(at), real(at + 1u));
    let rho = length(way);
    if rho >= real(at + 6u) * real(at + 5u) { return Given(0.0, 0.0); }
    let angle = select(atan2(way.y, way.x), 0.0, rho == 0.0);
    let x = rho / line_at(at + 7u, angle);
    let weight = falloff(x, real(at + 4u), real(at + 5u));
    if weight <= 0.0 { return Given(0.0, 0.0); }
    let rays = at + 7u + list_words(at + 7u, 3u);
    let count = words[rays];
    let first = rays + 1u;
    var here = first;
    var after = first;
    var found = false;
    var ray = first;
    for (var k = 0u; k < count; k++) {
        var follows = first;
        if k + 1u < count { follows = ray + 1u + list_words(ray + 1u, 3u); }
        let before = real(ray) <= angle;
        if before || (!found && k + 1u == count) {
            here = ray;
            after = follows;
        }
        found = found || before;
        ray = follows;
    }
    var rise = line_at(here + 1u, x);
    if count > 1u {
        let wide = ahead_of(real(here), real(after));
        rise += smooth_step(ahead_of(real(here), angle) / wide) * (line_at(after + 1u, x) - rise);
    }
    return Given(real(at + 2u) + real(at + 3u) * rise, weight);
}

fn cross_of(a: vec2<f32>, b: vec2<f32>) -> f32 { return a.x * b.y - a.y * b.x; }

fn edge_share(t: f32, border: f32) -> f32 { return smooth_step(t / border) * smooth_step((1.0 - t) / border); }

fn image_at(at: u32, p: vec2<f32>) -> Given {
    let h = p - vec2<f32>(real(at), real(at + 1u));
    let e = vec2<f32>(real(at + 2u), real(at + 3u));
    let f = vec2<f32>(real(at + 4u), real(at + 5u));
    let g = vec2<f32>(real(at + 6u), real(at + 7u));
    let a = cross_of(g, f);
    let b = cross_of(e, f) + cross_of(h, g);
    let c = cross_of(h, e);
    let root = sqrt(max(b * b - 4.0 * a * c, 0.0));
    let q = -0.5 * (b + select(root, -root, b < 0.0));
    for (var k = 0u; k < 2u; k++) {
        let over = select(q, c, k == 0u);
        let under = select(a, q, k == 0u);
        // 0 in place of what lies in no range
        if under == 0.0 { continue; }
        let v = over / under;
        let way = e + g * v;
        let rest = h - f * v;
        let is_steep = abs(way.y) > abs(way.x);
        let u = select(rest.x, rest.y, is_steep) / select(way.x, way.y, is_steep);
        if u >= 0.0 && u <= 1.0 && v >= 0.0 && v <= 1.0 {
            let border = real(at + 10u);
            let height = real(at + 8u) + real(at + 9u) * picture_at(at + 11u, u, v);
            return Given(height, edge_share(u, border) * edge_share(v, border));
        }
    }
    return Given(0.0, 0.0);
}

fn primitive_at(at: u32, p: vec2<f32>, spacing: f32) -> Given {
    switch words[at] {
        case 0u: { return disc_at(at + 5u, p, spacing); }
        case 1u: { return curve_at(at + 5u, p); }
        case 2u: { return contour_at(at + 5u, p); }
        case 3u: { return image_at(at + 5u, p); }
        default: { return ribbon_at(at + 5u, p); }
    }
}

fn warped(at: u32, p: vec2<f32>) -> vec2<f32> {
    let q = mapped(at, p);
    let a = real(at + 10u);
    let b = real(at + 11u);
    if words[at + 7u] == 0u {
        let w = q * b;
        return q + a * vec2<f32>(wave_noise(words[at + 12u], w).x, wave_noise(words[at + 13u], w + 0.5).x);
    }
    let centre = vec2<f32>(real(at + 8u), real(at + 9u));
    let way = q - centre;
    let turn = a * falloff(length(way), 0.0, b);
    let s = sin(turn);
    let c = cos(turn);
    return centre + vec2<f32>(c * way.x - s * way.y, s * way.x + c * way.y);
}

// ---- the walk for heights ----

struct Walk {
    op: u32,
    at: u32,
    p: vec2<f32>,
    spacing: f32,
    weight: f32,
    moment: f32,
    count: u32,
    only: Given,
    share: f32,
    has_ground: bool,
    ground: f32,
    slope: f32,
    turn: u32,
    heights: vec4<f32>,
}

var<private> walks: array<Walk, FRAMES>;

fn opened(op: u32, at: u32, p: vec2<f32>, spacing: f32) -> Walk {
    return Walk(op, at, p, spacing, 0.0, 0.0, 0u, Given(0.0, 0.0), 1.0, false, 0.0, 1.0, 0u, vec4<f32>(0.0));
}

fn surface_of(given: Given, ground: f32) -> f32 {
    return ground + (given.height - ground) * smooth_step(given.weight / 0.5);
}

fn walk_answer(top: u32) -> Given {
    let op = walks[top].op;
    if op == REPLACE || op == ADD || walks[top].count < 2u { return walks[top].only; }
    return Given(walks[top].moment / walks[top].weight, walks[top].weight);
}

fn walk_give(top: u32, given: Given) {
    let op = walks[top].op;
    if op == PROBE || ((op == REPLACE || op == ADD) && !walks[top].has_ground) {
        walks[top].only = given;
        return;
    }
    if given.weight <= 0.0 { return; }
    let at = walks[top].at;
    if op == REPLACE {
        let below = walks[top].only;
        let w = min(given.weight, 1.0);
        if words[at] == 0u {
            walks[top].only.height = below.height + w * (given.height - below.height);
        } else {
            let left = (1.0 - w) * min(below.weight / 0.5, 1.0);
            walks[top].only = Given((left * below.height + w * given.height) / (left + w), (1.0 - w) * below.weight + w * w);
        }
        return;
    }
    if op == ADD {
        var w = min(given.weight, 1.0) * walks[top].slope;
        if words[at + 1u] == 1u { w *= window(at + 2u, walks[top].ground); }
        walks[top].only.height += w * given.height;
        if words[at] == 1u { walks[top].only.weight += w * w; }
        return;
    }
    let weight = given.weight * select(1.0, walks[top].share, op == DETAIL);
    if walks[top].count == 0u { walks[top].only = Given(given.height, weight); }
    walks[top].count += 1u;
    walks[top].weight += weight;
    walks[top].moment += weight * given.height;
}

fn detail_share(at: u32, which: u32) -> f32 {
    let level = tracing.scale.w;
    let begin = real(at);
    let to = real(at + 1u);
    var t = 1.0 - (to - level) / max(to - begin, 1e-30);
    if level <= begin { t = 0.0; } else if level >= to { t = 1.0; }
    switch which {
        case 0u: { return 1.0 - t; }
        case 1u: { return t; }
        default: { return 1.0; }
    }
}

fn height_of(tier: u32, place: vec2<f32>, footprint: f32) -> Given {
    var pc = words[6u + tier];
    if pc == 0u { return Given(0.0, 0.0); }
    evaluations += 1u;
    let level_ground = real(5u);
    var top = 0u;
    var p = place;
    var spacing = footprint;
    walks[0] = opened(BLEND, 0u, p, spacing);
    loop {
        let code = words[pc];
        if code == END { break; }
        if code == GIVE {
            let given = walk_answer(top);
            p = walks[top].p;
            spacing = walks[top].spacing;
            top -= 1u;
            walk_give(top, given);
            pc += 1u;
            continue;
        }
        if code == GROUND {
            if walks[top].op == PROBE {
                let turn = walks[top].turn;
                walks[top].heights[turn] = surface_of(walks[top].only, level_ground);
                walks[top].only = Given(0.0, 0.0);
                walks[top].turn = turn + 1u;
                let add = walks[top - 1u].at;
                let step = real(add + 11u);
                let own = walks[top].p;
                if turn < 3u {
                    switch turn {
                        case 0u: { p = own - vec2<f32>(step, 0.0); }
                        case 1u: { p = own + vec2<f32>(0.0, step); }
                        default: { p = own - vec2<f32>(0.0, step); }
                    }
                    pc = words[walks[top].at + 6u];
                } else {
                    let h = walks[top].heights;
                    p = own;
                    pc = words[walks[top].at + 1u];
                    top -= 1u;
                    walks[top].slope = window(add + 7u, length(vec2<f32>(h.x - h.y, h.z - h.w) * 0.5 / step));
                }
            } else {
                walks[top].has_ground = true;
                walks[top].ground = surface_of(walks[top].only, level_ground);
                if walks[top].op == ADD && words[walks[top].at] == 1u {
                    walks[top].only.height *= min(walks[top].only.weight / 0.5, 1.0);
                }
                pc += 1u;
            }
            continue;
        }
        let skip = words[pc + 1u];
        if p.x < real(pc + 2u) || p.y < real(pc + 3u) || p.x > real(pc + 4u) || p.y > real(pc + 5u) {
            pc = skip;
            continue;
        }
        switch code {
            case LEAF: {
                walk_give(top, primitive_at(words[pc + 6u], p, spacing));
                pc = skip;
            }
            case PLACED: {
                let own = primitive_at(words[pc + 6u], mapped(pc + 7u, p), spacing * real(pc + 15u));
                walk_give(top, Given(own.height * real(pc + 13u) + real(pc + 14u), own.weight));
                pc = skip;
            }
            case GROUP: { pc += 6u; }
            case SHARE: {
                walks[top].share = detail_share(walks[top].at, words[pc + 6u]);
                pc = select(skip, pc + 7u, walks[top].share > 0.0);
            }
            case PROBE: {
                top += 1u;
                walks[top] = opened(PROBE, pc, p, spacing);
                p.x += real(walks[top - 1u].at + 11u);
                pc = words[pc + 6u];
            }
            default: {
                top += 1u;
                walks[top] = opened(code, pc + 6u, p, spacing);
                switch code {
                    case REPLACE: { pc += 7u; }
                    case ADD: { pc += 18u; }
                    case WARP: {
                        p = warped(pc + 6u, p);
                        spacing *= real(pc + 12u);
                        pc += 20u;
                    }
                    case DETAIL: { pc += 8u; }
                    default: { pc += 6u; }
                }
            }
        }
    }
    return walk_answer(0u);
}

// ---- bounds over a stretch: the places within `pad` of the segment ----

struct Stretch {
    begin: vec2<f32>,
    to: vec2<f32>,
    pad: f32,
}

struct Bounds {
    low: f32,
    high: f32,
    // least and greatest weight
    least: f32,
    most: f32,
    slope: f32,
    fade: f32,
    // of weight times slope
    laid: f32,
}

fn nothing() -> Bounds { return Bounds(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0); }

fn plain_bounds(low: f32, high: f32, least: f32, most: f32, slope: f32, fade: f32) -> Bounds {
    let room = 1e-5 * (1.0 + max(abs(low), abs(high)));
    return Bounds(low - room, high + room, least, most, slope, fade, slope * most);
}

fn middle_of(s: Stretch) -> vec2<f32> { return 0.5 * (s.begin + s.to); }
fn radius_of(s: Stretch) -> f32 { return 0.5 * distance(s.begin, s.to) + s.pad; }

// Nearest and farthest distance from a centre.
fn distances_of(s: Stretch, centre: vec2<f32>) -> vec2<f32> {
    let along = s.to - s.begin;
    let square = dot(along, along);
    let t = select(0.0, saturate(dot(centre - s.begin, along) / max(square, 1e-30)), square > 0.0);
    let nearest = distance(centre, s.begin + along * t);
    let farthest = max(distance(centre, s.begin), distance(centre, s.to));
    return vec2<f32>(max(nearest - s.pad, 0.0), farthest + s.pad);
}

// Least weight, greatest weight, steepest fall between two distances.
fn falloff_over(d: vec2<f32>, core: f32, radius: f32) -> vec3<f32> {
    let steepest = clamp(core + 0.4472136 * (radius - core), d.x, d.y);
    return vec3<f32>(falloff(d.y, core, radius), falloff(d.x, core, radius), falloff_slope(steepest, core, radius) * 1.0001);
}

fn disc_over(kind: u32, s: Stretch, spacing: f32) -> Bounds {
    let at = kind + 5u;
    let centre = vec2<f32>(real(at), real(at + 1u));
    let d = distances_of(s, centre);
    if d.x >= real(at + 4u) { return nothing(); }
    let weight = falloff_over(d, real(at + 3u), real(at + 4u));
    let surface = words[at + 5u];
    let height = real(at + 2u);
    if surface == 0u { return plain_bounds(height, height, weight.x, weight.y, 0.0, weight.z); }
    if surface == 3u { return plain_bounds(real(kind + 1u), real(kind + 2u), weight.x, weight.y, real(kind + 3u), weight.z); }
    let count = words[at + 6u];
    let size = real(at + 8u);
    let seed = words[at + 12u];
    let way = middle_of(s) - centre;
    let r = radius_of(s);
    var turn = vec2<f32>(1.0, 0.0);
    var frequency = 1.0 / size;
    var amplitude = real(at + 7u);
    var low = height;
    var high = height;
    var slope = 0.0;
    var carried = vec3<f32>(1.0, 1.0, 0.0);
    for (var k = 0u; k < count; k++) {
        let share = octave_share(k, count, 1.0 / frequency, spacing);
        if share <= 0.0 { break; }
        let own = octave_seed(seed, k);
        let wave = wave_noise_over(own, octave_place(own, way, turn, frequency), r * frequency * 1.00001);
        let steep = wave.z * frequency;
        let by = amplitude * share;
        if surface == 1u {
            low += min(by * wave.x, by * wave.y);
            high += max(by * wave.x, by * wave.y);
            slope += abs(by) * steep;
        } else {
            let reach = max(abs(wave.x), abs(wave.y));
            let nearest = select(min(abs(wave.x), abs(wave.y)), 0.0, wave.x <= 0.0 && wave.y >= 0.0);
            let root = vec2<f32>(sqrt(nearest * nearest + 4e-4), sqrt(reach * reach + 4e-4));
            let below = vec2<f32>(1.0 - root.y, 1.0 - root.x);
            let ridge = vec2<f32>(select(0.0, below.x * below.x, below.x > 0.0), max(below.y * below.y, 1.6e-7));
            let dridge = 2.0 * max(max(abs(below.x), abs(below.y)), 4e-4) * (reach / root.y) * steep;
            let a = by * carried.x * ridge.x;
            let b = by * carried.y * ridge.y;
            low += min(a, b);
            high += max(a, b);
            slope += abs(by) * (carried.z * ridge.y + carried.y * dridge);
            carried = vec3<f32>(ridge.x * (2.0 - ridge.x), ridge.y * (2.0 - ridge.y), 2.0 * (1.0 - ridge.x) * dridge);
        }
        frequency *= 2.0;
        amplitude *= real(at + 9u);
        turn = vec2<f32>(0.8 * turn.x - 0.6 * turn.y, 0.6 * turn.x + 0.8 * turn.y);
    }
    return plain_bounds(low, high, weight.x, weight.y, slope * 1.0001, weight.z);
}

// Of curves, ribbons, contours and images the buffer knows bounds over all of them; the weight is that of the stretch.
fn primitive_over(at: u32, s: Stretch, spacing: f32) -> Bounds {
    let kind = words[at];
    if kind == 0u { return disc_over(at, s, spacing); }
    let own = at + 5u;
    var weight = vec3<f32>(0.0, 1.0, real(at + 4u));
    if kind == 1u || kind == 4u {
        let d = course_distance(own, middle_of(s));
        let r = radius_of(s);
        if d - r >= real(own) { return nothing(); }
        weight = falloff_over(vec2<f32>(max(d - r, 0.0), d + r), real(own + 2u), real(own + 3u));
    } else if kind == 2u {
        let d = distances_of(s, vec2<f32>(real(own), real(own + 1u)));
        if d.x >= real(own + 6u) * real(own + 5u) { return nothing(); }
        // the curve of the radius never goes beyond its points
        var least = NONE;
        for (var k = 0u; k < words[own + 7u]; k++) { least = min(least, real(own + 9u + 3u * k)); }
        weight.x = falloff(d.y / least, real(own + 4u), real(own + 5u));
        weight.y = falloff(d.x / real(own + 6u), real(own + 4u), real(own + 5u));
        if weight.x >= 1.0 { weight.z = 0.0; }
    }
    return plain_bounds(real(at + 1u), real(at + 2u), weight.x, weight.y, real(at + 3u), weight.z);
}

struct Span {
    op: u32,
    at: u32,
    stretch: Stretch,
    spacing: f32,
    sum: Bounds,
    count: u32,
    share: f32,
    has_ground: bool,
    // range and slope of the surface that add lays on
    ground: vec3<f32>,
}

var<private> spans: array<Span, FRAMES>;

fn span_opened(op: u32, at: u32, s: Stretch, spacing: f32) -> Span {
    return Span(op, at, s, spacing, nothing(), 0u, 1.0, false, vec3<f32>(0.0));
}

// Of the surface that bounds make over ground of a height: lowest, highest, steepest.
fn surface_over(b: Bounds, ground: f32) -> vec3<f32> {
    if b.most <= 0.0 { return vec3<f32>(ground, ground, 0.0); }
    if b.least >= 0.5 { return vec3<f32>(b.low, b.high, b.slope); }
    let x = vec2<f32>(b.least / 0.5, min(b.most / 0.5, 1.0));
    let s = vec2<f32>(smooth_step(x.x), smooth_step(x.y));
    let peak = clamp(0.5, x.x, x.y);
    let turn = 6.0 * peak * (1.0 - peak) / 0.5;
    let crest = clamp(0.75, x.x, x.y);
    let per_weight = (3.0 * crest - 2.0 * crest * crest) / 0.5;
    let over = vec2<f32>(b.low - ground, b.high - ground);
    let low = min(over.x * s.x, over.x * s.y);
    let high = max(over.y * s.x, over.y * s.y);
    let steep = min(b.slope * s.y, per_weight * b.laid);
    return vec3<f32>(ground + low, ground + high, steep + turn * b.fade * max(abs(over.x), abs(over.y)));
}

fn spread_of(a: Bounds, b: Bounds) -> f32 { return max(max(a.high - b.low, b.high - a.low), 0.0); }

fn replaced_over(a: Bounds, b: Bounds, extent: u32) -> Bounds {
    let w = min(vec2<f32>(b.least, b.most), vec2<f32>(1.0));
    let dw = select(b.fade, 0.0, b.least >= 1.0);
    let laid_b = min(b.laid, b.slope * w.y);
    let step = spread_of(a, b);
    var out = a;
    out.low = min(a.low, b.low);
    out.high = max(a.high, b.high);
    if w.x >= 1.0 {
        out.low = b.low;
        out.high = b.high;
    }
    if extent == 0u {
        if a.most <= 0.0 { return a; }
        let mean = min(a.slope * (1.0 - w.x) + laid_b, max(a.slope, b.slope));
        out.slope = min((mean + dw * step) * 1.0001, NONE);
        let under = (1.0 - w.x) * a.laid + a.most * (laid_b + dw * step);
        out.laid = min(under * 1.0001, out.slope * a.most);
        return out;
    }
    let sigma = min(vec2<f32>(a.least, a.most) / 0.5, vec2<f32>(1.0));
    let dsigma = select(a.fade / 0.5, 0.0, a.least >= 0.5);
    let laid_a = min(a.slope * sigma.y, a.laid / 0.5);
    let dleft = (1.0 - w.x) * dsigma + dw * sigma.y;
    let most = (1.0 - w.x) * laid_a + laid_b + (dleft + dw) * step;
    let least = max(sigma.x + (1.0 - sigma.x) * w.x, 0.0);
    out.slope = select(NONE, min(most / max(least, 1e-20) * 1.0001, NONE), least > 0.0);
    out.least = max((1.0 - w.y) * a.least, 0.0) + w.x * w.x;
    out.most = (1.0 - w.x) * a.most + w.y * w.y;
    let turn = max(abs(2.0 * w.y - a.least), abs(2.0 * w.x - a.most));
    out.laid = min(most * max(1.0, a.most) * 1.0001, out.slope * out.most);
    out.fade = (1.0 - w.x) * a.fade + dw * turn;
    return out;
}

// Range of a window over a range, and its steepest.
fn window_over(at: u32, x: vec2<f32>) -> vec3<f32> {
    let a = window(at, x.x);
    let b = window(at, x.y);
    let whole = x.y >= real(at) && x.x <= real(at + 1u);
    var slope = 0.0;
    if x.x < real(at) && x.y > real(at) - real(at + 2u) { slope = 1.5 / real(at + 2u); }
    if x.y > real(at + 1u) && x.x < real(at + 1u) + real(at + 3u) { slope = max(slope, 1.5 / real(at + 3u)); }
    return vec3<f32>(min(a, b), select(max(a, b), 1.0, whole), slope);
}

fn added_over(top: u32, b: Bounds) -> Bounds {
    let at = spans[top].at;
    let a = spans[top].sum;
    let ground = spans[top].ground;
    var share = vec3<f32>(1.0, 1.0, 0.0);
    if words[at + 1u] == 1u {
        let by = window_over(at + 2u, ground.xy);
        share = vec3<f32>(by.xy, by.z * ground.z);
    }
    if words[at + 6u] == 1u {
        let turn = 1.4142136 * ground.z / real(at + 11u);
        let by = window_over(at + 7u, vec2<f32>(0.0, 1.4142136 * ground.z));
        share = vec3<f32>(share.x * by.x, share.y * by.y, share.z * by.y + share.y * by.z * turn);
    }
    let held = min(vec2<f32>(b.least, b.most), vec2<f32>(1.0));
    let dheld = select(b.fade, 0.0, b.least >= 1.0);
    let dw = dheld * share.y + held.y * share.z;
    let w = held * share.xy;
    let laid_b = min(b.laid, b.slope * held.y) * share.y;
    let more = laid_b + dw * max(abs(b.low), abs(b.high));
    var out = a;
    out.low = a.low + min(b.low * w.x, b.low * w.y);
    out.high = a.high + max(b.high * w.x, b.high * w.y);
    out.slope = min((a.slope + more) * 1.0001, NONE);
    if words[at] == 0u {
        out.laid = min((a.laid + a.most * more) * 1.0001, out.slope * a.most);
        return out;
    }
    out.least = a.least + w.x * w.x;
    out.most = a.most + w.y * w.y;
    out.fade = a.fade + 2.0 * w.y * dw;
    out.laid = out.slope * out.most;
    return out;
}

fn span_give(top: u32, b: Bounds) {
    let op = spans[top].op;
    if (op == REPLACE || op == ADD) && !spans[top].has_ground {
        spans[top].sum = b;
        return;
    }
    if b.most <= 0.0 { return; }
    if op == REPLACE {
        spans[top].sum = replaced_over(spans[top].sum, b, words[spans[top].at]);
        return;
    }
    if op == ADD {
        spans[top].sum = added_over(top, b);
        return;
    }
    var own = b;
    if op == DETAIL {
        let share = spans[top].share;
        own.least *= share;
        own.most *= share;
        own.fade *= share;
        own.laid *= share;
    }
    if spans[top].count == 0u {
        spans[top].sum = own;
    } else {
        let sum = spans[top].sum;
        spans[top].sum = Bounds(
            min(sum.low, own.low), max(sum.high, own.high), sum.least + own.least, sum.most + own.most,
            max(sum.slope, own.slope), sum.fade + own.fade, sum.laid + own.laid,
        );
    }
    spans[top].count += 1u;
}

fn span_answer(top: u32) -> Bounds {
    let op = spans[top].op;
    var out = spans[top].sum;
    if op != REPLACE && op != ADD && spans[top].count > 1u {
        let lift = out.fade * (out.high - out.low);
        let least = max(out.least, 1e-20);
        let slope = (min(out.slope, out.laid / least) + lift / least) * 1.0001;
        out.slope = select(NONE, min(slope, NONE), out.least > 0.0);
        out.laid = min((out.laid + lift) * 1.0001, out.slope * out.most);
    }
    if op == WARP {
        out.slope = min(out.slope * spans[top].share, NONE);
        out.fade *= spans[top].share;
        out.laid *= spans[top].share;
    }
    return out;
}

fn bounds_of(tier: u32, place: Stretch, footprint: f32) -> Bounds {
    var pc = words[6u + tier];
    if pc == 0u { return nothing(); }
    evaluations += 1u;
    let level_ground = real(5u);
    var top = 0u;
    var s = place;
    var spacing = footprint;
    spans[0] = span_opened(BLEND, 0u, s, spacing);
    loop {
        let code = words[pc];
        if code == END { break; }
        if code == GIVE {
            let given = span_answer(top);
            s = spans[top].stretch;
            spacing = spans[top].spacing;
            top -= 1u;
            span_give(top, given);
            pc += 1u;
            continue;
        }
        if code == GROUND {
            spans[top].has_ground = true;
            s = spans[top].stretch;
            if spans[top].op == ADD {
                let at = spans[top].at;
                let a = spans[top].sum;
                spans[top].ground = surface_over(a, level_ground);
                if words[at] == 1u {
                    let sigma = min(vec2<f32>(a.least, a.most) / 0.5, vec2<f32>(1.0));
                    let dsigma = select(a.fade / 0.5, 0.0, a.least >= 0.5);
                    let laid = min(a.slope * sigma.y, a.laid / 0.5);
                    spans[top].sum.slope = (laid + dsigma * max(abs(a.low), abs(a.high))) * 1.0001;
                    spans[top].sum.low = min(a.low * sigma.x, a.low * sigma.y);
                    spans[top].sum.high = max(a.high * sigma.x, a.high * sigma.y);
                    spans[top].sum.laid = spans[top].sum.slope * a.most;
                }
            }
            pc += 1u;
            continue;
        }
        let skip = words[pc + 1u];
        let low = min(s.begin, s.to) - s.pad;
        let high = max(s.begin, s.to) + s.pad;
        if high.x < real(pc + 2u) || high.y < real(pc + 3u) || low.x > real(pc + 4u) || low.y > real(pc + 5u) {
            pc = skip;
            continue;
        }
        switch code {
            case LEAF: {
                span_give(top, primitive_over(words[pc + 6u], s, spacing));
                pc = skip;
            }
            case PLACED: {
                let stretching = real(pc + 15u);
                let inner = Stretch(mapped(pc + 7u, s.begin), mapped(pc + 7u, s.to), s.pad * stretching);
                var own = primitive_over(words[pc + 6u], inner, spacing * stretching);
                let rise = real(pc + 13u);
                let ends = vec2<f32>(own.low, own.high) * rise + real(pc + 14u);
                own.low = min(ends.x, ends.y);
                own.high = max(ends.x, ends.y);
                own.slope *= stretching * abs(rise);
                own.laid *= stretching * abs(rise);
                own.fade *= stretching;
                span_give(top, own);
                pc = skip;
            }
            case GROUP: { pc += 6u; }
            case SHARE: {
                spans[top].share = detail_share(spans[top].at, words[pc + 6u]);
                pc = select(skip, pc + 7u, spans[top].share > 0.0);
            }
            // slopes are bounded by the ground
            case PROBE: { pc = skip; }
            default: {
                top += 1u;
                spans[top] = span_opened(code, pc + 6u, s, spacing);
                switch code {
                    case REPLACE: { pc += 7u; }
                    case ADD: {
                        // the ground counts as far as slopes are measured; restored at GROUND
                        if words[pc + 12u] == 1u { s.pad += real(pc + 17u); }
                        pc += 18u;
                    }
                    case WARP: {
                        let at = pc + 6u;
                        let inner = radius_of(s) * real(at + 6u);
                        let a = real(at + 10u);
                        let b = real(at + 11u);
                        var stretching = 1.0 + a * b * 4.1437;
                        if words[at + 7u] != 0u {
                            let k = abs(a) * 1.7174;
                            stretching = 0.5 * k + sqrt(1.0 + 0.25 * k * k);
                        }
                        let middle = warped(at, middle_of(s));
                        s = Stretch(middle, middle, inner * stretching * 1.0001);
                        spans[top].share = stretching * real(at + 6u);
                        spacing *= real(at + 6u);
                        pc += 20u;
                    }
                    case DETAIL: { pc += 8u; }
                    default: { pc += 6u; }
                }
            }
        }
    }
    return span_answer(0u);
}

// ---- the ground ----

fn place_of(flat: vec2<f32>) -> vec2<f32> { return flat * tracing.scale.x + 0.5 * tracing.scale.z; }

// Height of the ground at a place of the tree, in its metres: with sand and snow.
fn ground_at(place: vec2<f32>, footprint: f32) -> f32 {
    var height = surface_of(height_of(0u, place, footprint), real(5u));
    for (var tier = 2u; tier < 4u; tier++) {
        if words[6u + tier] != 0u { height += max(surface_of(height_of(tier, place, footprint), 0.0), 0.0); }
    }
    return height;
}

// Highest and steepest of a stretch.
fn ground_over(s: Stretch, footprint: f32) -> vec2<f32> {
    var over = surface_over(bounds_of(0u, s, footprint), real(5u)).yz;
    for (var tier = 2u; tier < 4u; tier++) {
        if words[6u + tier] != 0u {
            let laid = surface_over(bounds_of(tier, s, footprint), 0.0);
            over += vec2<f32>(max(laid.y, 0.0), laid.z);
        }
    }
    return over;
}

// Distance to the ground along a ray between two distances, or -1.
fn met(ray: vec3<f32>, begin: f32, to: f32) -> f32 {
    let metres = tracing.scale.x;
    let rise = tracing.scale.y;
    let pixel = tracing.look.x;
    let flat = length(ray.xz);
    var t = begin;
    var stretch = (to - begin) / 8.0;
    for (var step = 0u; step < u32(tracing.range.w); step++) {
        if t >= to { return -1.0; }
        let footprint = max(pixel * t * metres, 1e-4);
        let ahead = min(stretch, to - t);
        let here = place_of(eye().xz + ray.xz * t);
        let there = place_of(eye().xz + ray.xz * (t + ahead));
        let over = ground_over(Stretch(here, there, 1e-7 * tracing.scale.z), footprint);
        let high = eye().y + ray.y * t;
        let top = over.x * rise + 1e-5;
        if min(high, high + ray.y * ahead) > top {
            t += ahead;
            stretch = 2.0 * ahead;
            continue;
        }
        let above = high - ground_at(here, footprint) * rise;
        let tolerance = 0.5 * pixel * t + 1e-5;
        if above < tolerance { return t; }
        let closing = over.y * rise * metres * flat - ray.y;
        var safe = ahead;
        if closing > 0.0 { safe = min(ahead, above / closing); }
        if ray.y < 0.0 { safe = max(safe, (high - top) / -ray.y); }
        safe = max(safe, 0.5 * tolerance);
        t += safe;
        stretch = 2.0 * safe;
    }
    return t;
}

struct Traced {
    @location(0) colour: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

fn traced(light: vec3<f32>, ray: vec3<f32>, t: f32, pixel: vec2<f32>) -> Traced {
    let clip = frame.clip_from_eye * vec4<f32>(ray * t, 1.0);
    return Traced(vec4<f32>(to_screen(light, pixel), 1.0), clip.z / clip.w);
}

// A byte as the target stores it.
fn stored(byte: f32) -> f32 {
#ifdef ENCODE
    return byte / 255.0;
#else
    let e = byte / 255.0;
    return select(pow((e + 0.055) / 1.055, 2.4), e / 12.92, e <= 0.04045);
#endif
}

// What is shown in place of the ground's colours: evaluations, or the distance in 24 bits.
fn inspected(t: f32) -> vec3<f32> {
    if tracing.look.y < 1.5 {
        return ramp_colour(f32(evaluations) / tracing.look.z);
    }
    let whole = u32(saturate(t / tracing.range.z) * 16777215.0);
    return vec3<f32>(stored(f32(whole >> 16u)), stored(f32((whole >> 8u) & 255u)), stored(f32(whole & 255u)));
}

fn side_light(world: vec3<f32>, top: f32, number: u32) -> vec3<f32> {
    let depth = (top - world.y) / side();
    let along = (world.x + world.z) / side();
    let soil_depth = 0.0075 + 0.004 * noise(vec2<f32>(along * 60.0, 1.0));
    var colour = mix(rock_layers(world), vec3<f32>(0.150, 0.098, 0.060), 1.0 - smoothstep(soil_depth * 0.8, soil_depth * 1.1, depth));
    colour = mix(colour, vec3<f32>(0.055, 0.042, 0.028), 1.0 - smoothstep(0.0012, 0.0030, depth));
    let foot = mix(0.62, 1.0, smoothstep(0.0, 0.05 * side(), world.y - base()));
    colour *= vec3<f32>(1.22, 1.05, 0.86);
    return hazed(lit(colour, side_normal(number), 0.85, 0.55 * foot) * mix(foot, 1.0, 0.4), world);
}

@fragment
fn traced_fragment(in: SkyVertex) -> Traced {
    evaluations = 0u;
    let far = tracing.eye_from_clip * vec4<f32>(in.far, 1.0, 1.0);
    let ray = normalize(far.xyz / far.w);
    let half = 0.5 * side();
    // where the ray is over the square, and not above everything
    var begin = 0.0;
    var to = 4e4;
    var number = 4u;
    for (var k = 0u; k < 2u; k++) {
        let o = select(eye().x, eye().z, k == 1u);
        let d = select(ray.x, ray.z, k == 1u);
        if abs(d) < 1e-7 {
            if abs(o) > half { discard; }
            continue;
        }
        let a = (-half - o) / d;
        let b = (half - o) / d;
        let enter = min(a, b);
        if enter > begin {
            begin = enter;
            // west, east, north, south
            if k == 0u { number = select(1u, 3u, d > 0.0); } else { number = select(2u, 0u, d > 0.0); }
        }
        to = min(to, max(a, b));
    }
    let ceiling = tracing.range.y + 1e-3;
    if eye().y + ray.y * begin > ceiling {
        if ray.y >= 0.0 { discard; }
        begin = (ceiling - eye().y) / ray.y;
        number = 4u;
    }
    if ray.y < 0.0 { to = min(to, (tracing.range.x - 1e-2 - eye().y) / ray.y); }
    let metres = tracing.scale.x;
    let rise = tracing.scale.y;
    if number < 4u {
        // through a side of the block
        let edge = eye() + ray * begin;
        let top = ground_at(place_of(edge.xz), max(tracing.look.x * begin * metres, 1e-4)) * rise;
        if edge.y < base() { discard; }
        if edge.y < top {
            if tracing.look.y > 0.5 { return with_depth(inspected(begin), ray, begin); }
            return traced(side_light(edge, top, number), ray, begin, in.clip.xy);
        }
    }
    if begin >= to { discard; }
    let t = met(ray, begin, to);
    if t < 0.0 { discard; }
    if tracing.look.y > 0.5 { return with_depth(inspected(t), ray, t); }
    let world = eye() + ray * t;
    let place = place_of(world.xz);
    let footprint = max(tracing.look.x * t * metres, 1e-4);
    let e = max(footprint, 2e-5 * tracing.scale.z);
    let east = ground_at(place + vec2<f32>(e, 0.0), footprint) - ground_at(place - vec2<f32>(e, 0.0), footprint);
    let south = ground_at(place + vec2<f32>(0.0, e), footprint) - ground_at(place - vec2<f32>(0.0, e), footprint);
    let slope = vec2<f32>(east, south) * (0.5 / e * rise * metres);
    let light = textureSampleLevel(light_map, smooth_sampler, map_coordinates(world.xz), 0.0).xy;
    let surface = Surface(normalize(vec3<f32>(-slope.x, 1.0, -slope.y)), length(slope), light.x, light.y);
    let ground = GroundVertex(in.clip, world, vec2<f32>(0.0), haze(world));
    var colour = in_haze(light_on(natural(ground, surface), surface), ground);
    if tracing.look.w > 0.5 && !is_drowned(world.y) {
        let water = height_of(1u, place, footprint);
        let depth = water.height * rise - world.y;
        if water.weight >= 0.5 && depth > 0.0 {
            // the water is level: the ray has met it before
            let back = min(depth / max(-ray.y, 0.05), t - begin);
            let top = eye() + ray * (t - back);
            let share = depth / relief();
            let near = saturate(t / (0.1 * side()));
            let seen = smoothstep(frame.inland.x * near * near, frame.inland.y * near, share);
            let body = inland_light(top, share, seen, light.x);
            colour = mix(colour, hazed(body.rgb, top), body.a);
            return traced(colour, ray, t - back, in.clip.xy);
        }
    }
    return traced(colour, ray, t, in.clip.xy);
}

fn with_depth(colour: vec3<f32>, ray: vec3<f32>, t: f32) -> Traced {
    let clip = frame.clip_from_eye * vec4<f32>(ray * t, 1.0);
    return Traced(vec4<f32>(colour, 1.0), clip.z / clip.w);
}
