// Light, colours and depth of the points where rays hit the terrain of a construction tree. The file trace.wgsl traces
// these rays.

// Uniform data; mirrors `Tracing` in src/app/view/construction_surface/trace/mod.rs.
struct Tracing {
    eye_from_clip: mat4x4<f32>,
    eye: vec4<f32>,
    scale: vec4<f32>,
    range: vec4<f32>,
    look: vec4<f32>,
    grid: vec4<u32>,
    band: vec4<u32>,
}

struct Ray {
    // x is the distance travelled, y the length of the next segment, z the height of the terrain at the hit point, w
    // the depth of the water there
    marched: vec4<f32>,
    slope: vec2<f32>,
    phase: u32,
    evaluations: u32,
}

@group(1) @binding(0) var<uniform> tracing: Tracing;
@group(1) @binding(1) var<storage, read> rays: array<Ray>;

const MET = 6u;
const LOST = 7u;

struct Traced {
    @location(0) colour: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

fn ray_to(place: vec2<f32>) -> vec3<f32> {
    let far = tracing.eye_from_clip * vec4<f32>(place, 1.0, 1.0);
    return normalize(far.xyz / far.w);
}

fn seen_at(colour: vec3<f32>, from_eye: vec3<f32>) -> Traced {
    let clip = frame.clip_from_eye * vec4<f32>(from_eye, 1.0);
    return Traced(vec4<f32>(colour, 1.0), clip.z / clip.w);
}

// Converts a byte to the value that the render target stores.
fn stored(byte: f32) -> f32 {
#ifdef ENCODE
    return byte / 255.0;
#else
    let e = byte / 255.0;
    return select(pow((e + 0.055) / 1.055, 2.4), e / 12.92, e <= 0.04045);
#endif
}

// The output of the diagnostic modes: the number of evaluations, or the distance in 24 bits.
fn inspected(ray: Ray) -> vec3<f32> {
    if tracing.look.x < 1.5 {
        return ramp_colour(f32(ray.evaluations) / tracing.look.y);
    }
    let whole = u32(saturate(ray.marched.x / tracing.look.z) * 16777215.0);
    return vec3<f32>(stored(f32(whole >> 16u)), stored(f32((whole >> 8u) & 255u)), stored(f32(whole & 255u)));
}

// Value of a map of the grid at a position. It is loaded, not sampled: rays of neighbouring pixels can hit points far
// apart, and anisotropic filters would read all texels between these points.
fn mapped(map: texture_2d<f32>, flat: vec2<f32>) -> vec4<f32> {
    // some maps have half as many texels as samples per side
    let texels = vec2<f32>(textureDimensions(map));
    let place = clamp(map_coordinates(flat) * texels - 0.5, vec2<f32>(0.0), texels - 1.0);
    let low = min(floor(place), texels - 2.0);
    let part = place - low;
    let at = vec2<i32>(low);
    let north = mix(textureLoad(map, at, 0), textureLoad(map, at + vec2<i32>(1, 0), 0), part.x);
    let south = mix(textureLoad(map, at + vec2<i32>(0, 1), 0), textureLoad(map, at + vec2<i32>(1, 1), 0), part.x);
    return mix(north, south, part.y);
}

struct Entry {
    // distances at which a ray enters and leaves the block
    near: f32,
    far: f32,
    // the side of the block through which the ray enters; 4 if the ray starts inside
    side: u32,
}

fn entry_of(own: vec3<f32>) -> Entry {
    let flat = select(own.xz, vec2<f32>(1e-9), abs(own.xz) < vec2<f32>(1e-9));
    let ends = (vec2<f32>(-0.5 * side()) - eye().xz) / flat;
    let others = (vec2<f32>(0.5 * side()) - eye().xz) / flat;
    let near = min(ends, others);
    let far = max(ends, others);
    let enter = max(max(near.x, near.y), 0.0);
    let number = select(select(2u, 0u, flat.y > 0.0), select(1u, 3u, flat.x > 0.0), near.x > near.y);
    return Entry(enter, min(far.x, far.y), select(number, 4u, enter == 0.0));
}

// Kinds of overlay; the numbers are the same as for the grid.
const NATURAL = 0u;
const SLOPE = 1u;
const DATA = 2u;

@fragment
fn traced_fragment(in: ScreenVertex) -> Traced {
    return traced(in, NATURAL);
}

@fragment
fn traced_fragment_slope(in: ScreenVertex) -> Traced {
    return traced(in, SLOPE);
}

@fragment
fn traced_fragment_data(in: ScreenVertex) -> Traced {
    return traced(in, DATA);
}

fn traced(in: ScreenVertex, tint: u32) -> Traced {
    let size = tracing.grid.xy;
    let cell = min(vec2<u32>((in.far * vec2<f32>(0.5, -0.5) + 0.5) * vec2<f32>(size)), size - 1u);
    let met = rays[cell.y * size.x + cell.x];
    let own = ray_to(in.far);

    let entry = entry_of(own);
    let enter = entry.near;
    let number = entry.side;
    let edge = eye() + own * enter;
    // the traced ray passes through the centre of its cell of pixels
    let middle = (vec2<f32>(cell) + 0.5) / vec2<f32>(size) * 2.0 - 1.0;
    let followed = ray_to(vec2<f32>(middle.x, -middle.y));
    let its = entry_of(followed);
    let lowest = tracing.range.x / tracing.scale.y;
    let ground = met.marched.z / tracing.scale.y;
    let is_over = number < 4u && enter < entry.far && edge.y >= base();
    // a ray that stopped at the side of the block is inside the terrain
    let is_below = edge.y < lowest || (its.side < 4u && its.near < its.far && eye().y + followed.y * its.near < lowest);
    let is_at_side = met.phase != LOST && met.phase >= 1u && met.evaluations > 0u && met.marched.x <= its.near * 1.0001;
    if is_over && (is_below || (is_at_side && edge.y < ground + 1e-3)) {
        if is_void(edge.xz) { discard; }
        let top = select(ground, edge.y + side(), is_below);
        if tracing.look.x > 0.5 { return seen_at(inspected(met), own * enter); }
        return seen_at(to_screen(side_light(edge, max(top, edge.y), side_normal(number)), in.clip.xy), own * enter);
    }
    if met.phase == LOST || met.evaluations == 0u { discard; }
    // in void areas, the ray has hit only the level base of the construction
    if is_void((eye() + own * met.marched.x).xz) { discard; }
    if tracing.look.x > 0.5 { return seen_at(inspected(met), own * met.marched.x); }

    // a ray represents several pixels, so the surface at its hit point is continued as a plane
    let steepness = tracing.scale.x / tracing.scale.y;
    let slope = select(vec2<f32>(0.0), met.slope * steepness, met.phase >= MET - 1u);
    var t = met.marched.x;
    if tracing.range.w > 1.0 && met.phase >= MET - 1u {
        let there = followed * t;
        let up = vec3<f32>(-slope.x, 1.0, -slope.y);
        let falling = dot(own, up);
        if falling < -1e-3 { t = clamp(dot(there, up) / falling, 0.9 * t, 1.1 * t); }
    }
    let world = eye() + own * t;
    let light = mapped(light_map, world.xz).xy;
    var surface = Surface(normalize(vec3<f32>(-slope.x, 1.0, -slope.y)), length(slope), sun_share_of(light.x), light.y);
    surface.sun_share *= under_clouds(world);
#ifdef DETAIL
    surface.sun_share *= sun_between_plants(world, surface.normal, 1.5);
#endif
    let vertex = GroundVertex(in.clip, world, vec2<f32>(0.0), haze(world));
    let at = map_coordinates(world.xz);
    var cover = vec2<f32>(0.0);
    var site = NO_SITE;
    var painted = vec4<f32>(0.0);
#ifdef COVER_MAP
    cover = textureSampleLevel(cover_map, smooth_sampler, at, 0.0).xy;
#endif
#ifdef SITE_MAP
    site = textureSampleLevel(site_map, smooth_sampler, at, 0.0);
#endif
#ifdef COLOUR_MAP
    painted = textureSampleLevel(colour_map, smooth_sampler, at, 0.0);
#endif
    var ground_seen = ground_at(world, at, surface, painted, cover, site, roughness(world));
    var bare = ground_seen.colour;
    if tint == SLOPE { bare = slope_tint(surface).rgb; }
    if tint == DATA {
        let data = ramp_tint(mapped(data_map, world.xz).x);
        bare = mix(bare, data.rgb, data.a);
    }
    if tint != NATURAL { surface = lightened(surface); }
    ground_seen.colour = bare;
    if tint != NATURAL { ground_seen = Ground(bare, surface.normal, 1.0, 0.0, 0.0); }
    var colour = with_haze(light_on_ground(ground_seen, surface, world), vertex);
    // an overlay would be hard to read through water, so no water is drawn
    if tint != NATURAL { return seen_at(to_screen(colour, in.clip.xy), own * t); }
    let depth = met.marched.w / tracing.scale.y;
    if depth > 0.0 && !is_drowned(world.y) {
        // the water is level, so the ray hits the water before the terrain
        let back = min(depth / max(-own.y, 0.05), t - enter);
        let top = eye() + own * (t - back);
        let share = depth / relief();
        let close = saturate(t / (0.1 * side()));
        let seen = smoothstep(frame.surface_water.x * close * close, frame.surface_water.y * close, share);
        let body = surface_water_light(top, share, seen, surface.sun_share);
        colour = mix(colour, hazed(body.rgb, top), body.a);
        return seen_at(to_screen(colour, in.clip.xy), own * (t - back));
    }
    return seen_at(to_screen(colour, in.clip.xy), own * t);
}
