// Plants and stones on a planet: shapes that stand upright on the surface, one per instance. The shadow pass draws
// their depths as seen from the sun. Positions are relative to the eye.

struct ScatterVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) rel: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec3<f32>,
    // xy is the interval of noise values for which the object's pixels are drawn, z the fraction of light that reaches
    // the vertex between leaves
    @location(3) light: vec3<f32>,
    // light of the air in front of the object; the next fields are the transmittance of this air, and the sunlight on
    // the object
    @location(4) scattered: vec3<f32>,
    @location(5) passed: vec3<f32>,
    @location(6) sunlight: vec3<f32>,
    // coordinates along and across a leaf
    @location(7) leaf: vec2<f32>,
    // fraction of sunlight that clouds and mountains let through to the object
    @location(8) sun_share: f32,
}

struct ScatterInput {
    // xyz is the position of the object, w its size
    @location(0) place: vec4<f32>,
    // rgb is the square root of the terrain's colour below the object, w a random number
    @location(1) ground: vec4<f32>,
    // xy is the interval of noise values for which the object's pixels are drawn, z the factor by which the object
    // leans with the slope, w the fraction of the terrain's colour that the object takes on
    @location(2) what: vec4<f32>,
    @location(3) turn: f32,
    // slope of the terrain along the axes of `level_axes`
    @location(4) slope: vec2<f32>,
    // xyz is the position of the vertex as a multiple of the object's size, w the coordinate along a leaf
    @location(5) position: vec4<f32>,
    // xyz is the normal of the shape, w the fraction of light that reaches the vertex
    @location(6) normal: vec4<f32>,
    // rgb is the colour of the vertex, w the coordinate across a leaf
    @location(7) colour: vec4<f32>,
}

// Distance in metres from the eye to the edge of the lattice of `plant_sun`. No plants are drawn beyond this distance.
const PLANT_SUN_REACH = 6000.0;

fn up_at(rel: vec3<f32>) -> vec3<f32> {
    return normalize(to_eye() * eye_radius() + rel);
}

// A horizontal direction, the vertical, and a second horizontal direction. Mirrors `level_axes` in
// src/app/view/globe/face.rs.
fn level_axes(up: vec3<f32>) -> mat3x3<f32> {
    let aside = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 0.0, 1.0), abs(up.z) < 0.9);
    let first = normalize(cross(aside, up));
    return mat3x3<f32>(first, up, cross(first, up));
}

// Fraction of sunlight at a position, interpolated on the lattice of src/app/view/globe/plant_sun.rs.
fn plant_sun_at(rel: vec3<f32>) -> f32 {
    let axes = level_axes(to_eye());
    let flat = vec2<f32>(dot(rel, axes[0]), dot(rel, axes[2])) / PLANT_SUN_REACH;
    let at = saturate(0.5 + 0.5 * flat) * 15.0;
    let low = min(floor(at), vec2<f32>(14.0));
    let part = at - low;
    let k = u32(low.y) * 16u + u32(low.x);
    let north = mix(plant_sun_of(k), plant_sun_of(k + 1u), part.x);
    let south = mix(plant_sun_of(k + 16u), plant_sun_of(k + 17u), part.x);
    return mix(north, south, part.y);
}

fn plant_sun_of(k: u32) -> f32 { return frame.plant_sun[k >> 2u][k & 3u]; }

// Position of a vertex of a shape relative to the eye.
fn scatter_place(in: ScatterInput, axes: mat3x3<f32>) -> vec3<f32> {
    var offset = sized(in.position.xyz, in.turn, in.place.w, in.ground.w);
    // low objects follow the slope of the terrain
    offset.y += in.what.z * dot(in.slope, offset.xz) - 0.02 * in.place.w;
    return in.place.xyz + axes * offset;
}

@vertex
fn scatter_vertex(in: ScatterInput) -> ScatterVertex {
    let axes = level_axes(up_at(in.place.xyz));
    let rel = scatter_place(in, axes);
    // the height is computed from positions near the eye: a single-precision number cannot hold both the planet's
    // radius and small heights
    let height = dot(rel, to_eye()) + 0.5 * (dot(rel, rel) - pow(dot(rel, to_eye()), 2.0)) / eye_radius()
        + (eye_radius() - radius());
    let air = near_air(rel);
    let above = -dot(in.place.xyz, axes[1]);
    let shown = shown_around(in.what.xy, in.place.w, length(in.place.xyz + axes[1] * above), above);
    return ScatterVertex(
        clip_of(rel),
        rel,
        axes * turned_about_y(in.normal.xyz, in.turn),
        tinted(in.colour.rgb, in.ground, in.what.w),
        vec3<f32>(shown, in.normal.w),
        air.light,
        air.through,
        sunlight_at(radius() + height / exaggeration(), dot(axes[1], to_sun())),
        vec2<f32>(in.position.w, in.colour.w),
        plant_sun_at(in.place.xyz),
    );
}

@fragment
fn scatter_fragment(in: ScatterVertex) -> @location(0) vec4<f32> {
    if is_gap(in.clip.xy, in.light.xy, in.leaf) {
        discard;
    }
    let up = up_at(in.rel);
    let normal = normalize(in.normal);
    let sun = frame.light.x * in.sunlight * in.sun_share;
    var seen = in.light.z;
#ifdef DETAIL
    seen *= sun_between_plants(in.rel, normal, 6.0);
#endif
    let open = (0.5 + 0.5 * dot(normal, up)) * (0.7 + 0.3 * in.light.z);
    let around = sun * (max(dot(up, to_sun()), 0.0) * 0.32 * (0.5 - 0.5 * dot(normal, up)));
    let light = in.colour * (sun * (leaf_facing(normal) * seen) + sky_light(up) * open + around * in.light.z);
    return vec4<f32>(to_screen(light * in.passed + in.scattered + formula(up, in.rel / length(in.rel)), in.clip.xy), 1.0);
}

#ifdef DETAIL

@vertex
fn plant_shadow_near_vertex(in: ScatterInput) -> @builtin(position) vec4<f32> {
    return frame.plant_shadows[0] * vec4<f32>(scatter_place(in, level_axes(up_at(in.place.xyz))), 1.0);
}

@vertex
fn plant_shadow_far_vertex(in: ScatterInput) -> @builtin(position) vec4<f32> {
    return frame.plant_shadows[1] * vec4<f32>(scatter_place(in, level_axes(up_at(in.place.xyz))), 1.0);
}

#endif
