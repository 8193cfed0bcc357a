// The atmosphere: single scattering along a ray. src/app/view/globe/air.rs explains the equations.

fn has_air() -> bool { return frame.air.w > 1.5; }
fn has_formula() -> bool { return frame.air.w > 0.5 && frame.air.w < 1.5; }

struct Air {
    // light that the air scatters into the ray
    light: vec3<f32>,
    // transmittance of the air for light from beyond the air
    through: vec3<f32>,
}

// Optical path of a ray to infinity. The unit is one scale height of air that is as dense as at the ray's start; see
// `chapman` in air.rs.
fn chapman(x: f32, cosine: f32) -> f32 {
    let y = sqrt(0.5 * x) * abs(cosine);
    let up = sqrt(2.0 * x) / (y + sqrt(y * y + 1.27323954));
    if cosine >= 0.0 {
        return up;
    }
    let lowest = x * sqrt(max(1.0 - cosine * cosine, 0.0));
    return 2.0 * sqrt(1.57079633 * lowest) * exp(min(x - lowest, 60.0)) - up;
}

// Sunlight that reaches a point at this distance from the centre. `cosine` is the cosine of the angle between the sun
// and the vertical.
fn sunlight_at(distance: f32, cosine: f32) -> vec3<f32> {
    if !has_air() {
        // if mountain shadows are drawn, the search for them finds the border of the night side, and peaks beyond this
        // border stay lit
        let edge = select(0.0, -0.3, has_shadows());
        return vec3<f32>(smoothstep(edge - 0.012, edge + 0.012, cosine));
    }
    let r = max(distance, radius());
    let molecules = frame.air.x * exp(-(r - radius()) / frame.air.x) * chapman(r / frame.air.x, cosine);
    let haze = frame.air.y * exp(-(r - radius()) / frame.air.y) * chapman(r / frame.air.y, cosine);
    return exp(-min(frame.extinction.rgb * molecules + frame.haze.y * haze, vec3<f32>(80.0)));
}

// Distances from the eye at which a ray enters and leaves the air. If the ray misses the air, the second distance is at
// most the first.
fn air_span(ray: vec3<f32>) -> vec2<f32> {
    let along = eye_radius() * dot(to_eye(), ray);
    let beside = eye_radius() * length(cross(to_eye(), ray));
    let half = frame.air.z * frame.air.z - beside * beside;
    if half <= 0.0 {
        return vec2<f32>(0.0, -1.0);
    }
    return vec2<f32>(max(-along - sqrt(half), 0.0), -along + sqrt(half));
}

// Marches along a ray from the eye, between two distances. If the eye is within the air, the first steps are short.
fn march(ray: vec3<f32>, start: f32, end: f32, steps: u32) -> Air {
    let cosine = dot(ray, to_sun());
    let g = frame.rayleigh.w;
    let clear = 0.0596831 * (1.0 + cosine * cosine);
    let hazy = 0.1193662 * (1.0 - g * g) * (1.0 + cosine * cosine)
        / ((2.0 + g * g) * pow(max(1.0 + g * g - 2.0 * g * cosine, 1e-4), 1.5));
    let eye_up = dot(to_eye(), ray);
    let eye_sun = dot(to_eye(), to_sun());
    let bend = select(1.0, 2.0, start <= 0.0);
    var depth = vec2<f32>(0.0);
    var light = vec3<f32>(0.0);
    var before = 0.0;
    for (var k = 0u; k < steps; k += 1u) {
        let share = pow((f32(k) + 1.0) / f32(steps), bend);
        let step = (share - before) * (end - start);
        let t = start + 0.5 * (share + before) * (end - start);
        before = share;
        let r = sqrt(max(eye_radius() * eye_radius() + t * (t + 2.0 * eye_radius() * eye_up), 1.0));
        let high = max(r - radius(), 0.0);
        let dense = exp(-high / frame.air.xy);
        let up_sun = (eye_radius() * eye_sun + t * cosine) / r;
        let shade = sunlight_at(r, up_sun);
        depth += dense * (0.5 * step);
        let passed = exp(-(frame.extinction.rgb * depth.x + frame.haze.y * depth.y));
        depth += dense * (0.5 * step);
        let single = shade * (frame.rayleigh.rgb * (dense.x * clear) + frame.haze.x * dense.y * hazy);
        // light that is scattered several times comes from all directions, and also lights the border of the night side
        let again = smoothstep(-0.22, 0.35, up_sun) * 0.022 * (frame.rayleigh.rgb * dense.x + frame.haze.x * dense.y);
        light += passed * (single + again) * step;
    }
    let through = exp(-(frame.extinction.rgb * depth.x + frame.haze.y * depth.y));
    return Air(light * frame.light.y, through);
}

// The air between the eye and a point.
fn air_before(rel: vec3<f32>) -> Air {
    if !has_air() {
        return Air(vec3<f32>(0.0), vec3<f32>(1.0));
    }
    let distance = length(rel);
    let ray = rel / distance;
    let span = air_span(ray);
    let end = min(span.y, distance);
    if end <= span.x {
        return Air(vec3<f32>(0.0), vec3<f32>(1.0));
    }
    return march(ray, span.x, end, u32(frame.light.z));
}

// The air between the eye and a near point. Few steps suffice, because the air along this path is almost uniform.
fn near_air(rel: vec3<f32>) -> Air {
    let distance = length(rel);
    let ray = rel / distance;
    let span = air_span(ray);
    let end = min(span.y, distance);
    if !has_air() || end <= span.x {
        return Air(vec3<f32>(0.0), vec3<f32>(1.0));
    }
    return march(ray, span.x, end, 2u);
}

// Light of the air above the surface, computed by the formula C = C_atm (1 - n·v) (n·l) (Petitprez and others). C_atm
// is the colour of the air times a factor that the user sets, n the normal, v the direction to the eye and l the direction of the sun.
fn formula(up: vec3<f32>, ray: vec3<f32>) -> vec3<f32> {
    if !has_formula() {
        return vec3<f32>(0.0);
    }
    return frame.cover.z * frame.tint.rgb * (1.0 - saturate(dot(up, -ray))) * max(dot(up, to_sun()), 0.0);
}

// Light of the whole sky on level terrain.
fn sky_light(up: vec3<f32>) -> vec3<f32> {
    let day = smoothstep(-0.16, 0.45, dot(up, to_sun()));
    // reduce the saturation, because eyes adapt to the colour of light in the shade
    let grey = vec3<f32>(dot(frame.tint.rgb, vec3<f32>(0.2126, 0.7152, 0.0722)));
    return mix(grey, frame.tint.rgb, 0.6) * (day * frame.tint.a) + vec3<f32>(0.55, 0.70, 1.0) * frame.light.w;
}
