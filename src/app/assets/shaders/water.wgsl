// The sea: a surface over the square, and its sides. The opacity of both depends on the depth of the water. Colours are
// premultiplied: they hold the light of the water, and its opacity.

// Light and opacity of water of the given depth, including the light that this water itself reflects.
fn lit_water(look: WaterLook, depth: f32, sun_share: f32) -> vec4<f32> {
    let water = water_colour(look, depth);
    let bright = sky_light() * 0.8 + sun_colour() * (0.15 + 0.35 * to_sun().y) * mix(0.35, 1.0, sun_share);
    return vec4<f32>(water.rgb * bright, water.a);
}

// Sea water along a line of sight of `length` units. The length is converted to a fraction of the relief, so that a
// pond and an ocean both look like water.
fn sea_body(length: f32) -> vec4<f32> {
    return lit_water(sea_look(), length / max(0.11 * relief(), 1e-3), 1.0);
}

// The reflection of sky and land on water with ripples.
struct Mirror {
    ray: vec3<f32>,
    share: f32,
    sky: vec3<f32>,
    glint: vec3<f32>,
}

fn mirror_at(world: vec3<f32>) -> Mirror {
    return mirror_on(world, vec2<f32>(0.0), frame.waves.xy);
}

// The reflection on water with the slope `fall`, with waves that run in the direction `towards`.
fn mirror_on(world: vec3<f32>, fall: vec2<f32>, towards: vec2<f32>) -> Mirror {
    let distance = length(world - eye());
    let ray = (world - eye()) / distance;
    // at grazing angles, a pixel covers a stretch of sea that is longer than the pixel is wide
    let slope = ripples(world.xz, distance * pow(max(-ray.y, 0.01), -0.55), towards);
    let normal = normalize(vec3<f32>(-slope.x - fall.x, 1.0, -slope.y - fall.y));
    var up = reflect(ray, normal);
    up.y = abs(up.y);
    let glint = sun_colour() * 1.4 * pow(max(dot(up, to_sun()), 0.0), 220.0);
    // reflect the sky without sun and stars: the glint is the sun's reflection, and waves scatter the reflections of
    // stars
    var sky = air_colour(up);
    let share = mirrored_share(-dot(ray, normal));
#ifdef DETAIL
    if share > 0.03 {
        // the longest waves deflect the reflected ray; the other waves spread it
        let calm = normalize(vec3<f32>(-slope.x * CALM - fall.x, 1.0, -slope.y * CALM - fall.y));
        var mean = reflect(ray, calm);
        mean.y = abs(mean.y);
        let ground = mirrored_ground(world, mean, SPREAD * frame.waves.z);
        sky = mix(sky, ground.rgb, ground.a);
    }
#endif
    return Mirror(ray, share, sky, glint);
}

#ifdef DETAIL
// Fraction of the wave slopes that deflects the reflection of the land. The next constant is the angle, as a tangent,
// by which the other slopes spread this reflection.
const CALM = 0.3;
const SPREAD = 0.07;

// Terrain seen in reflected rays around a mean ray: its light, and the fraction of rays that hit it. Waves too small to
// be traced spread the rays by the angle `spread`, as a tangent. Steps along the ray grow with the distance. Bisection
// finds the point where the mean ray enters the terrain.
fn mirrored_ground(world: vec3<f32>, ray: vec3<f32>, spread: f32) -> vec4<f32> {
    let inside = 0.5 * side();
    if max(abs(world.x), abs(world.z)) > 1.4 * inside {
        return vec4<f32>(0.0);
    }
    var far = 1.5 * cell();
    var near = 0.0;
    var meets = false;
    // smallest ratio of the mean ray's height above the terrain (negative inside it) to the distance
    var least = spread;
    var nearest = far;
    for (var k = 0; k < 26; k += 1) {
        let place = world + ray * far;
        if place.y > frame.heights.w + spread * far || max(abs(place.x), abs(place.z)) > inside { break; }
        let over = (place.y - nearest_height(place.xz)) / far;
        if over < least {
            least = over;
            if !meets { nearest = far; }
        }
        if over < -spread { break; }
        if over >= 0.0 && !meets { near = far; }
        meets = meets || over < 0.0;
        far *= 1.32;
    }
    if least >= spread {
        return vec4<f32>(0.0);
    }
    far = nearest;
    if meets {
        for (var k = 0; k < 4; k += 1) {
            let middle = 0.5 * (near + far);
            let place = world + ray * middle;
            if place.y < nearest_height(place.xz) { far = middle; } else { near = middle; }
        }
    }
    let place = world + ray * far;
    let at = map_coordinates(place.xz);
    let slope = textureSampleLevel(slope_map, smooth_sampler, at, 0.0).xy;
    let light = textureSampleLevel(light_map, smooth_sampler, at, 0.0).xy;
    let normal = normalize(vec3<f32>(-slope.x, 1.0, -slope.y));
    let surface = Surface(normal, length(slope), sun_share_of(light.x) * under_clouds(place), light.y);
    var painted = vec4<f32>(0.0);
#ifdef COLOUR_MAP
    painted = textureSampleLevel(colour_map, smooth_sampler, at, 0.0);
#endif
    var cover = vec2<f32>(0.0);
#ifdef COVER_MAP
    cover = textureSampleLevel(cover_map, smooth_sampler, at, 0.0).xy;
#endif
    var grown = 0.0;
#ifdef SITE_MAP
    grown = textureSampleLevel(site_map, smooth_sampler, at, 0.0).z;
#endif
    let colour = with_cover(with_plants(coloured(place, surface, painted, roughness(place)), grown), cover, 0.0);
    let crowns = textureSampleLevel(canopy_map, smooth_sampler, at, 0.0);
    let seen = mix(colour, crowns.rgb * crowns.rgb, 0.8 * crowns.a);
    return vec4<f32>(hazed(light_on(seen, surface), place), 1.0 - smoothstep(-spread, spread, least));
}

fn nearest_height(flat: vec2<f32>) -> f32 {
    let place = clamp((flat + 0.5 * side()) / cell() + 0.5, vec2<f32>(0.0), vec2<f32>(last_sample()));
    return height_at(vec2<i32>(place));
}
#endif

// Light of the side of a body of water, seen from outside the terrain block.
fn water_side_light(body: vec3<f32>, in: SideVertex) -> vec3<f32> {
    let facing = saturate(-dot(normalize(in.world - eye()), in.normal));
    return mix(body * (0.85 + 0.25 * facing), sky_light(), 0.03 + 0.5 * pow(1.0 - facing, 5.0));
}

fn covered(light: vec3<f32>, share: f32, world: vec3<f32>, pixel: vec2<f32>) -> vec4<f32> {
    return vec4<f32>(to_screen(hazed(light, world), pixel) * share, share);
}

@vertex
fn water_sides_vertex(@builtin(vertex_index) index: u32, @location(0) piece: vec4<u32>) -> SideVertex {
    let edge = edge_vertex(piece, index / 2u);
    let world = select(vec3<f32>(edge.x, max(sea(), edge.y), edge.z), edge, (index & 1u) == 1u);
    return SideVertex(clip_of(world), world, edge.y, side_normal(piece.w));
}

@fragment
fn water_sides_fragment(in: SideVertex) -> @location(0) vec4<f32> {
    if in.world.y > sea() || is_void(in.world.xz) {
        discard;
    }
    return sea_side_colour(in);
}

@vertex
fn water_walls_vertex(@builtin(vertex_index) index: u32, @location(0) wall: vec4<f32>) -> SideVertex {
    let place = wall_end(wall, index);
    let flat = world_of(place);
    let top = ground_height(place);
    let world = vec3<f32>(flat.x, select(max(sea(), top), top, (index & 1u) == 1u), flat.y);
    return SideVertex(clip_of(world), world, top, wall_normal(wall));
}

@fragment
fn water_walls_fragment(in: SideVertex) -> @location(0) vec4<f32> {
    if in.world.y > sea() {
        discard;
    }
    return sea_side_colour(in);
}

fn sea_side_colour(in: SideVertex) -> vec4<f32> {
    let below = sea() - in.world.y;
    let body = sea_body(0.09 * relief() + 0.8 * below);
    let rim = 1.0 - smoothstep(0.0, 0.0022 * side(), below);
    let light = water_side_light(body.rgb, in) + 0.22 * rim;
    return covered(light, max(body.a * 0.9, 0.35 * rim), in.world, in.clip.xy);
}

struct WaterVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
}

@vertex
fn water_vertex(@builtin(vertex_index) index: u32) -> WaterVertex {
    // two triangles, seen from above
    var corners = array<vec2<f32>, 6>(
        vec2<f32>(-0.5, -0.5), vec2<f32>(-0.5, 0.5), vec2<f32>(0.5, 0.5),
        vec2<f32>(-0.5, -0.5), vec2<f32>(0.5, 0.5), vec2<f32>(0.5, -0.5),
    );
    var flat = corners[index] * side();
    // extend the surface to the horizon, for the sea or the waters of the mirrored land
    if frame.sky_light.w > 0.5 { flat *= 2.0 * frame.air.w; }
    let world = vec3<f32>(flat.x, sea(), flat.y);
    return WaterVertex(clip_of(world), world);
}

#ifdef DETAIL
// Slopes of waves from one metre to a hundred metres long. Waves of each wavelength fade out where the wavelength
// covers only a few pixels.
fn ripples(flat: vec2<f32>, distance: f32, towards: vec2<f32>) -> vec2<f32> {
    let metres = metres_per_unit();
    var slope = vec2<f32>(0.0);
    for (var k = 0u; k < 4u; k += 1u) {
        let long = 1.1 * pow(4.6, f32(k));
        let seen = 1.0 - smoothstep(60.0 * long, 260.0 * long, distance * metres);
        if seen <= 0.0 { continue; }
        // crests are perpendicular to the direction of the waves; the waves of each size are rotated a little against
        // the others
        let turn = 0.45 * sin(2.3 * f32(k) + 0.4);
        let along = vec2<f32>(cos(turn) * towards.x - sin(turn) * towards.y, sin(turn) * towards.x + cos(turn) * towards.y);
        let c = -along.y;
        let s = along.x;
        let at = flat * metres / long;
        let place = vec2<f32>(c * at.x - s * at.y, 1.7 * (s * at.x + c * at.y));
        let east = noise(place + vec2<f32>(0.3, 0.0)) - noise(place - vec2<f32>(0.3, 0.0));
        let south = noise(place + vec2<f32>(0.0, 0.3)) - noise(place - vec2<f32>(0.0, 0.3));
        slope += seen * 0.10 * frame.waves.z * vec2<f32>(c * east + s * south, c * south - s * east);
    }
    return slope;
}
#else
// Slopes of ripples, which are weaker where the ripples are too small to be visible.
fn ripples(flat: vec2<f32>, distance: f32, towards: vec2<f32>) -> vec2<f32> {
    let place = flat * (260.0 / side());
    let near = noise(place + vec2<f32>(0.0, 0.31)) - noise(place - vec2<f32>(0.0, 0.31));
    let across = noise(place + vec2<f32>(0.31, 0.0)) - noise(place - vec2<f32>(0.31, 0.0));
    let wide = place * 0.23;
    let swell = vec2<f32>(noise(wide + 0.4) - noise(wide - 0.4), noise(wide.yx + 9.4) - noise(wide.yx + 8.6));
    return vec2<f32>(across, near) * 0.05 * exp(-distance / (0.9 * side())) + swell * 0.02;
}
#endif

// Slope of the sea floor below which the foam line at the shore becomes shallower, so that it does not spread.
const STEEP_SHORE: f32 = 0.125;

// Light and opacity of the sea surface at a position, `depth` above the bottom. `bed_slope` is the slope of the bottom.
fn sea_surface(world: vec3<f32>, depth: f32, bed_slope: f32, pixel: vec2<f32>) -> vec4<f32> {
    let mirror = mirror_at(world);
    let body = sea_body(max(depth, 0.0) * (0.45 + 0.55 / max(-mirror.ray.y, 0.2)));
    let sun_share = under_clouds(world);
    // draw a line of foam where the water is about half a metre deep; far away, the line is a few pixels wide
    let metres = metres_per_unit();
    let at = world.xz * metres;
    let deep = depth * metres;
    let width = max(0.5, 0.0012 * distance(world, eye()) * metres * min(bed_slope / STEEP_SHORE, 1.0));
    let shore = smoothstep(0.0, 0.6 * width, deep);
    let broken = noise(at / (2.1 * width)) + 0.6 * noise(at / (0.7 * width) + 3.0) - 0.8;
    let foam = (1.0 - smoothstep(0.3 * width, 2.2 * width, deep + width * broken)) * 0.45;
    let share = max(body.a, mirror.share) * shore;
    let deep_light = mix(body.rgb, mirror.sky, min(mirror.share, 0.75)) * mix(0.6, 1.0, sun_share);
    let light = deep_light + mirror.glint * shore * sun_share + foam * mix(0.4, 1.0, sun_share);
    return covered(light, saturate(share + foam * shore), world, pixel);
}

@fragment
fn water_fragment(in: WaterVertex) -> @location(0) vec4<f32> {
    let flat = in.world.xz;
    // the surroundings are the terrain, mirrored at its edges
    let unit = fract((flat / side() + 0.5) * 0.5) * 2.0;
    let shown = (select(unit, 2.0 - unit, unit > vec2<f32>(1.0)) - 0.5) * side();
    let drawn = 0.5 * frame.fog.w * side();
    let is_bare = step(drawn, max(abs(flat.x), abs(flat.y)));
    if is_bare == 0.0 && is_void(shown) {
        discard;
    }
    let place = (shown + 0.5 * side()) / cell();
    let ground = ground_height(clamp(place, vec2<f32>(0.0), vec2<f32>(last_sample())));
    // beyond the drawn terrain, the sea is deep and hides its bottom
    let depth = max(sea() - beyond_edge(ground, flat), is_bare * 0.03 * relief());
    let bed_slope = length(textureSampleLevel(slope_map, smooth_sampler, map_coordinates(shown), 0.0).xy);
    let seen = sea_surface(in.world, depth, bed_slope, in.clip.xy);
    if !is_endless_sea() {
        return seen;
    }
    // the water becomes opaque where the ray through it would leave the drawn terrain
    let ray = in.world - eye();
    let run = ray.xz * ((sea() - frame.heights.z) / max(-ray.y, 1e-3));
    let reach = max(abs(flat + run), abs(flat)) / drawn;
    let closed = smoothstep(0.70, 0.98, max(reach.x, reach.y)) * smoothstep(0.0, 0.02 * relief(), depth);
    return mix(seen, vec4<f32>(seen.rgb / max(seen.a, 0.2), 1.0), max(closed, is_bare));
}
