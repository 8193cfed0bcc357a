// What the flat view and the globe share: what covers the whole picture, the last step to the screen, and noise.

struct ScreenVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) far: vec2<f32>,
}

@vertex
fn screen_vertex(@builtin(vertex_index) index: u32) -> ScreenVertex {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return ScreenVertex(vec4<f32>(corner, 0.0, 1.0), corner);
}

// Khronos PBR Neutral: leaves colours as they are and bends only what is too bright. What it takes off against glare is
// taken off what is bright alone: in the shade it would leave black, and only one colour of three.
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

// Fine noise against banding, half a step of an 8-bit colour.
fn grain(pixel: vec2<f32>) -> f32 {
    return (fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715)))) - 0.5) / 255.0;
}

// From light to what the target stores.
fn to_screen(light: vec3<f32>, pixel: vec2<f32>) -> vec3<f32> {
    let colour = saturate(tone(light * exposure()));
    // grain is wanted in encoded values; where the target encodes, it is scaled by the slope of the encoding
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

// Smooth noise from 0 to 1, one hump a unit.
fn noise(place: vec2<f32>) -> f32 {
    let low = floor(place);
    let part = place - low;
    let t = part * part * (3.0 - 2.0 * part);
    let a = mix(hash(low), hash(low + vec2<f32>(1.0, 0.0)), t.x);
    let b = mix(hash(low + vec2<f32>(0.0, 1.0)), hash(low + vec2<f32>(1.0, 1.0)), t.x);
    return mix(a, b, t.y);
}
