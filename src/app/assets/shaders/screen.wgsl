// Code that the flat view and the globe share: the full-screen triangle, the tone curve and noise.

struct ScreenVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) far: vec2<f32>,
}

@vertex
fn screen_vertex(@builtin(vertex_index) index: u32) -> ScreenVertex {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return ScreenVertex(vec4<f32>(corner, 0.0, 1.0), corner);
}

// The tone curve Khronos PBR Neutral, which preserves colours and compresses only bright colours. Its offset against
// glare is subtracted from bright colours only. In shade, subtracting the offset would leave black, or only one of the
// three channels.
fn tone(bright: vec3<f32>) -> vec3<f32> {
    let start = 0.76;
    let least = min(bright.r, min(bright.g, bright.b));
    let offset = select(0.04, least - 6.25 * least * least, least < 0.08);
    let glare = smoothstep(0.02, 0.24, max(bright.r, max(bright.g, bright.b)));
    let colour = bright - offset * glare;
    let peak = max(colour.r, max(colour.g, colour.b));
    if peak < start {
        return colour;
    }
    let room = 1.0 - start;
    let bent = 1.0 - room * room / (peak + room - start);
    let grey = 1.0 - 1.0 / (0.15 * (peak - bent) + 1.0);
    return mix(colour * bent / peak, vec3<f32>(bent), grey);
}

fn encoded(linear: vec3<f32>) -> vec3<f32> {
    let low = linear * 12.92;
    let high = 1.055 * pow(max(linear, vec3<f32>(0.0)), vec3<f32>(1.0 / 2.4)) - 0.055;
    return select(high, low, linear <= vec3<f32>(0.0031308));
}

// Fine noise that prevents banding, with an amplitude of half a step of an 8-bit colour.
fn grain(pixel: vec2<f32>) -> f32 {
    return (fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715)))) - 0.5) / 255.0;
}

// Converts light to the colour values that the render target stores.
fn to_screen(light: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let colour = saturate(tone(light * exposure()));
    // the amplitude of the noise applies to encoded values; if the render target encodes colours itself, scale the
    // noise by the slope of the encoding
#ifdef ENCODE
    return encoded(colour) + grain(pixel);
#else
    return colour + grain(pixel) * 2.0 * sqrt(colour + 0.0005);
#endif
}

// ---- noise ----

fn hash(place: vec2<f32>) -> f32 {
    let p = fract(place * vec2<f32>(0.1031, 0.1030));
    let q = p + dot(p, p.yx + 33.33);
    return fract((q.x + q.y) * q.x);
}

// Inputs for the hashes of a cell's four corners: first the two corners of its first row, then those of its second row.
struct HashedCorners {
    x: vec4<f32>,
    y: vec4<f32>,
    both: vec4<f32>,
    all: vec4<f32>,
}

fn hashed_corners(low: vec2<f32>) -> HashedCorners {
    let x = fract((low.x + vec2<f32>(0.0, 1.0)) * 0.1031);
    let y = fract((low.y + vec2<f32>(0.0, 1.0)) * 0.1030);
    let sum = x.xyxy + y.xxyy;
    let both = (2.0 * x).xyxy * y.xxyy + 33.33 * sum;
    return HashedCorners(x.xyxy, y.xxyy, both, sum + 2.0 * both);
}

// The values of `hash` at the four corners of a cell.
fn corner_hashes(low: vec2<f32>) -> vec4<f32> {
    let corners = hashed_corners(low);
    return fract(corners.all * (corners.x + corners.both));
}

// Smooth noise from 0 to 1 with a wavelength of one unit.
fn noise(place: vec2<f32>) -> f32 {
    let low = floor(place);
    let part = place - low;
    let t = part * part * (3.0 - 2.0 * part);
    let found = corner_hashes(low);
    let rows = mix(found.xz, found.yw, t.x);
    return mix(rows.x, rows.y, t.y);
}

// Two independent noises; the first equals the result of `noise`.
fn noise_pair(place: vec2<f32>) -> vec2<f32> {
    let low = floor(place);
    let part = place - low;
    let t = part * part * (3.0 - 2.0 * part);
    let corners = hashed_corners(low);
    let one = fract(corners.all * (corners.x + corners.both));
    let other = fract(corners.all * (corners.y + corners.both));
    let rows = mix(vec4<f32>(one.xz, other.xz), vec4<f32>(one.yw, other.yw), t.x);
    return mix(rows.xz, rows.yw, t.y);
}

// Alpha value of the background. Still images set it to 0, so that pixels without terrain can be counted; alpha is not
// written to the file.
#ifdef BACKGROUND_ALPHA
const BACKGROUND_ALPHA: f32 = 0.0;
#else
const BACKGROUND_ALPHA: f32 = 1.0;
#endif
