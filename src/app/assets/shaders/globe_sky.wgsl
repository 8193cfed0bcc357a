// The background of the planet: stars and the sun, seen through the air. This file also draws lines in space.

// A few stars in a direction of the celestial sphere, each one or two pixels wide.
fn stars(ray: vec3<f32>) -> vec3<f32> {
    let c = cos(frame.star.x);
    let s = sin(frame.star.x);
    let fixed_ray = vec3<f32>(c * ray.x - s * ray.y, s * ray.x + c * ray.y, ray.z);
    let place = fixed_ray * 90.0;
    let cell = floor(place);
    let dice = scrambled(vec3<i32>(cell));
    let other = scrambled(vec3<i32>(cell) + vec3<i32>(17, 59, 83));
    if dice.x < 0.86 {
        return vec3<f32>(0.0);
    }
    let towards = normalize(cell + 0.25 + 0.5 * other);
    let away = length(fixed_ray - towards) / frame.star.y;
    let bright = pow(dice.y, 6.0) * 0.9 + 0.05;
    let colour = mix(vec3<f32>(1.0, 0.82, 0.66), vec3<f32>(0.72, 0.84, 1.0), dice.z);
    return colour * bright * exp(-away * away) * frame.star.z;
}

fn sun_disc(ray: vec3<f32>) -> vec3<f32> {
    let away = length(ray - frame.disc.xyz);
    let size = frame.disc.w;
    if size <= 0.0 {
        return vec3<f32>(0.0);
    }
    let disc = 1.0 - smoothstep(0.9 * size, 1.1 * size, away);
    let glow = 0.10 * exp(-away / (3.0 * size)) + 0.02 * exp(-away / (16.0 * size));
    return vec3<f32>(1.0, 0.95, 0.86) * (30.0 * disc + glow);
}

@fragment
fn sky_fragment(in: ScreenVertex) -> @location(0) vec4<f32> {
    let near = frame.rel_from_clip * vec4<f32>(in.far, 1.0, 1.0);
    let ray = normalize(near.xyz / near.w);
    var light = stars(ray) + sun_disc(ray);
    if has_air() {
        let span = air_span(ray);
        if span.y > span.x {
            let air = march(ray, span.x, span.y, u32(frame.light.z) + 4u);
            // stars fade where the sky is bright
            let dim = exp(-60.0 * dot(air.light, vec3<f32>(0.33)));
            light = (stars(ray) * dim + sun_disc(ray)) * air.through + air.light;
        }
    } else if has_formula() {
        // if a formula replaces the march through the air, the shell of air fades out at its outer edge
        let along = -eye_radius() * dot(to_eye(), ray);
        let closest = to_eye() * eye_radius() + ray * max(along, 0.0);
        let high = (length(closest) - radius()) / (0.02 * radius());
        light += frame.tint.rgb * max(dot(normalize(closest), to_sun()), 0.0) * exp(-max(high, 0.0));
    }
    return vec4<f32>(to_screen(light, in.clip.xy), BACKGROUND_ALPHA);
}

struct LineVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec4<f32>,
}

@vertex
fn line_vertex(@location(0) rel: vec3<f32>, @location(1) colour: vec4<f32>) -> LineVertex {
    return LineVertex(clip_of(rel), colour);
}

@fragment
fn line_fragment(in: LineVertex) -> @location(0) vec4<f32> {
    return vec4<f32>(to_screen(in.colour.rgb, in.clip.xy) * in.colour.a, in.colour.a);
}
