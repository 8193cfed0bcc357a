// The sea: a surface over the square and its sides, seen through according to the depth of the water.
// Colours are premultiplied: what the water adds, and how much of what lies behind it hides.

// Water of `way` units seen through, with the light it sends back itself.
fn water_body(way: f32) -> vec4<f32> {
    // distances count in parts of the relief, so that a pond and an ocean both look like water
    let thickness = way / max(0.11 * relief(), 1e-3);
    let hidden = 1.0 - exp(-thickness);
    let shallow = vec3<f32>(0.075, 0.235, 0.260);
    let deep = vec3<f32>(0.012, 0.060, 0.125);
    let colour = mix(shallow, deep, 1.0 - exp(-0.9 * thickness));
    let bright = sky_light() * 0.8 + sun_colour() * (0.15 + 0.35 * to_sun().y);
    return vec4<f32>(colour * bright, hidden * 0.93);
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
    return water_side_colour(in);
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
    return water_side_colour(in);
}

fn water_side_colour(in: SideVertex) -> vec4<f32> {
    let ray = normalize(in.world - eye());
    let below = sea() - in.world.y;
    let body = water_body(0.09 * relief() + 0.8 * below);
    let facing = saturate(-dot(ray, in.normal));
    let mirrored = 0.03 + 0.5 * pow(1.0 - facing, 5.0);
    let rim = 1.0 - smoothstep(0.0, 0.0022 * side(), below);
    let light = mix(body.rgb * (0.85 + 0.25 * facing), sky_light(), mirrored) + 0.22 * rim;
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
    let flat = corners[index] * side();
    let world = vec3<f32>(flat.x, sea(), flat.y);
    return WaterVertex(clip_of(world), world);
}

// Slopes of ripples, weaker where they are too small to see.
fn ripples(flat: vec2<f32>, distance: f32) -> vec2<f32> {
    let place = flat * (260.0 / side());
    let near = noise(place + vec2<f32>(0.0, 0.31)) - noise(place - vec2<f32>(0.0, 0.31));
    let across = noise(place + vec2<f32>(0.31, 0.0)) - noise(place - vec2<f32>(0.31, 0.0));
    let wide = place * 0.23;
    let swell = vec2<f32>(noise(wide + 0.4) - noise(wide - 0.4), noise(wide.yx + 9.4) - noise(wide.yx + 8.6));
    return vec2<f32>(across, near) * 0.05 * exp(-distance / (0.9 * side())) + swell * 0.02;
}

// What is seen of the sea's surface at a place, over ground so far below it.
fn sea_surface(world: vec3<f32>, depth: f32, pixel: vec2<f32>) -> vec4<f32> {
    let way = world - eye();
    let distance = length(way);
    let ray = way / distance;
    let slope = ripples(world.xz, distance);
    let normal = normalize(vec3<f32>(-slope.x, 1.0, -slope.y));
    let facing = saturate(-dot(ray, normal));
    let mirrored = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
    var up = reflect(ray, normal);
    up.y = abs(up.y);
    let sky = sky_colour(up);
    let glint = sun_colour() * 1.4 * pow(max(dot(up, to_sun()), 0.0), 220.0);

    let body = water_body(max(depth, 0.0) * (0.45 + 0.55 / max(-ray.y, 0.2)));
    let shore = smoothstep(0.0, 0.004 * relief(), depth);
    let foam = (1.0 - smoothstep(0.0, 0.007 * relief(), depth)) * 0.18;
    let share = max(body.a, mirrored) * shore;
    let light = mix(body.rgb, sky, min(mirrored, 0.75)) + glint * shore + foam;
    return covered(light, saturate(share + foam * shore), world, pixel);
}

@fragment
fn water_fragment(in: WaterVertex) -> @location(0) vec4<f32> {
    if is_void(in.world.xz) {
        discard;
    }
    let place = (in.world.xz + 0.5 * side()) / cell();
    let depth = sea() - ground_height(clamp(place, vec2<f32>(0.0), vec2<f32>(last_sample())));
    return sea_surface(in.world, depth, in.clip.xy);
}
