// Plants and stones: shapes that stand on the ground, drawn once for each instance.

// Pairs of needles or leaflets on a leaf.
const NEEDLES = 11.0;

struct ScatterVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec3<f32>,
    // share of the sun, openness, between which values of noise it is drawn
    @location(3) light: vec4<f32>,
    @location(4) haze: vec4<f32>,
    // light that reaches it between leaves, place along and across a leaf
    @location(5) leaf: vec3<f32>,
}

// Mirrors `ScatterInstance` and `ScatterCorner` in src/app/view/plants/scatter.rs.
struct ScatterInput {
    // place (x, z), size and turn
    @location(0) place: vec4<f32>,
    // square root of the colour of the ground, random number
    @location(1) ground: vec4<f32>,
    // between which values of noise it is drawn, how far it leans with the slope, share of the ground's colour
    @location(2) what: vec4<f32>,
    // how far over the ground of the grid it stands
    @location(3) lift: f32,
    // position in sizes, place along a leaf
    @location(4) position: vec4<f32>,
    // normal, light that reaches it
    @location(5) normal: vec4<f32>,
    // colour, place across a leaf
    @location(6) colour: vec4<f32>,
}

// Where a corner of a shape stands in the world.
fn scatter_place(in: ScatterInput) -> vec3<f32> {
    let flat = in.place.xy;
    let samples = clamp((flat + 0.5 * side()) / cell(), vec2<f32>(0.0), vec2<f32>(last_sample()));
    let slope = textureSampleLevel(slope_map, smooth_sampler, map_coordinates(flat), 0.0).xy;
    let c = cos(in.place.w);
    let s = sin(in.place.w);
    let spread = 0.86 + 0.30 * in.ground.w;
    let turned = vec3<f32>(c * in.position.x - s * in.position.z, in.position.y, s * in.position.x + c * in.position.z);
    var offset = turned * in.place.z * vec3<f32>(spread, 1.0, spread);
    // what lies on the ground follows it
    offset.y += in.what.z * dot(slope, offset.xz);
    return vec3<f32>(flat.x, ground_height(samples) + in.lift - 0.02 * in.place.z, flat.y) + offset;
}

@vertex
fn scatter_vertex(in: ScatterInput) -> ScatterVertex {
    let light = textureSampleLevel(light_map, smooth_sampler, map_coordinates(in.place.xy), 0.0).xy;
    let c = cos(in.place.w);
    let s = sin(in.place.w);
    let world = scatter_place(in);
    let normal = vec3<f32>(c * in.normal.x - s * in.normal.z, in.normal.y, s * in.normal.x + c * in.normal.z);
    let ground = in.ground.rgb * in.ground.rgb;
    let tint = in.colour.rgb * mix(vec3<f32>(0.82, 0.86, 0.8), vec3<f32>(1.25, 1.15, 1.1), in.ground.w);
    return ScatterVertex(
        clip_of(world),
        world,
        normal,
        mix(tint, ground, in.what.w),
        vec4<f32>(sun_share_of(light.x) * under_clouds(world), light.y, in.what.xy),
        haze(world),
        vec3<f32>(in.normal.w, in.position.w, in.colour.w),
    );
}

@fragment
fn scatter_fragment(in: ScatterVertex) -> @location(0) vec4<f32> {
    // two levels of detail share the pixels while one takes over from the other
    let noise = fract(52.9829189 * fract(dot(in.clip.xy, vec2<f32>(0.06711056, 0.00583715))));
    if noise < in.light.z || noise >= in.light.w {
        discard;
    }
    // near the eye a leaf is many needles or leaflets
    let along = in.leaf.y * NEEDLES;
    let fine = 1.0 - smoothstep(0.12, 0.45, fwidth(along));
    let away = abs(in.leaf.z);
    let gap = abs(2.0 * fract(along - 1.6 * away) - 1.0);
    if in.leaf.y >= 0.0 && gap * fine > mix(1.0, 0.42, away) {
        discard;
    }
    let normal = normalize(in.normal);
    // the sun shines through leaves and around needles
    let facing = 0.72 * max(dot(normal, to_sun()), 0.0) + 0.28 * saturate(0.5 + 0.5 * dot(normal, to_sun()));
    let bare = lit(in.colour, normal, 0.0, min(in.light.y + 0.1, 1.0) * (0.7 + 0.3 * in.leaf.x));
    var seen = in.light.x;
#ifdef DETAIL
    seen *= sun_between_plants(in.world, normal, 6.0);
#endif
    let sun = in.colour * sun_colour() * (facing * seen * in.leaf.x);
    return vec4<f32>(to_screen(mix(bare + sun, in.haze.rgb, in.haze.a), in.clip.xy), 1.0);
}
