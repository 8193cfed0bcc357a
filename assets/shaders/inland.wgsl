// Rivers, lakes and running water: the patches of the ground once more, lifted by the depth of the water.
// Where it is dry the surface lies on the ground; what is seen is decided by the depth in the fragment stage, so that
// shores are smooth within the cells and a stream narrower than a quad far away is still there.

struct InlandVertex {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    // Whether the water of the vertex is the sea's, and whether it has any: between a wet vertex and a dry one the surface
    // rises to the ground, so that its height does not tell.
    @location(1) of_sea: vec2<f32>,
}

@vertex
fn inland_vertex(@builtin(vertex_index) index: u32, @location(0) piece: vec4<u32>) -> InlandVertex {
    let row = u32(frame.patches.z) + 1u;
    let vertex = surface_vertex(piece, vec2<f32>(f32(index % row), f32(index / row)));
    let depth = max(value_at(inland_map, vertex.place), 0.0) * relief();
    let world = vertex.world + vec3<f32>(0.0, depth, 0.0);
    let wet = select(0.0, 1.0, depth > 0.0);
    return InlandVertex(clip_of(world), world, vec2<f32>(select(0.0, wet, is_drowned(world.y)), wet));
}

// Depth as a fraction of the relief, and how much of a film of that depth is seen.
fn film(flat: vec2<f32>) -> vec2<f32> {
    let depth = textureSample(inland_map, smooth_sampler, map_coordinates(flat)).x;
    return vec2<f32>(depth, smoothstep(frame.inland.x, frame.inland.y, depth));
}

// Where the sea is drawn, what lies below it is its ground.
fn is_drowned(height: f32) -> bool {
    // water as high as the sea is the sea's
    return frame.inland.z > 0.5 && height < sea() + 1e-4 * relief();
}

// Rivers are shallow beside the sea: their water hides the ground sooner.
fn inland_body(depth: f32, sun_share: f32) -> vec4<f32> {
    let thickness = depth / 0.02;
    let hidden = 1.0 - 0.5 * exp(-2.2 * thickness);
    let colour = mix(vec3<f32>(0.070, 0.200, 0.235), vec3<f32>(0.012, 0.060, 0.125), 1.0 - exp(-0.8 * thickness));
    let bright = sky_light() * 0.8 + sun_colour() * (0.15 + 0.35 * to_sun().y) * mix(0.35, 1.0, sun_share);
    return vec4<f32>(colour * bright, hidden * 0.95);
}

// What is seen of the surface of inland water at a place: its depth is a fraction of the relief, `seen` how much of a film of
// that depth shows.
fn inland_surface(world: vec3<f32>, depth: f32, seen: f32, sun_share: f32, pixel: vec2<f32>) -> vec4<f32> {
    let water = inland_light(world, depth, seen, sun_share);
    return covered(water.rgb, water.a, world, pixel);
}

// The same as light, and how much it covers.
fn inland_light(world: vec3<f32>, depth: f32, seen: f32, sun_share: f32) -> vec4<f32> {
    let way = world - eye();
    let distance = length(way);
    let ray = way / distance;
    let slope = ripples(world.xz, distance);
    let normal = normalize(vec3<f32>(-slope.x, 1.0, -slope.y));
    let mirrored = 0.02 + 0.98 * pow(1.0 - saturate(-dot(ray, normal)), 5.0);
    var up = reflect(ray, normal);
    up.y = abs(up.y);
    let glint = sun_colour() * 1.4 * pow(max(dot(up, to_sun()), 0.0), 220.0) * sun_share;
    let body = inland_body(depth, sun_share);
    let light = mix(body.rgb, sky_colour(up), min(mirrored, 0.75)) + glint;
    return vec4<f32>(light, saturate(max(body.a, mirrored)) * seen);
}

@fragment
fn inland_fragment(in: InlandVertex) -> @location(0) vec4<f32> {
    let water = film(in.world.xz);
    let sun_share = textureSample(light_map, smooth_sampler, map_coordinates(in.world.xz)).x;
    let is_sea = in.of_sea.y > 0.0 && in.of_sea.x > 0.99 * in.of_sea.y;
    if water.y <= 0.0 || is_sea || is_drowned(in.world.y) || is_void(in.world.xz) {
        discard;
    }
    return inland_surface(in.world, water.x, water.y, sun_share, in.clip.xy);
}

@vertex
fn inland_sides_vertex(@builtin(vertex_index) index: u32, @location(0) piece: vec4<u32>) -> SideVertex {
    let edge = edge_vertex(piece, index / 2u);
    let place = (edge.xz + 0.5 * side()) / cell();
    let depth = max(value_at(inland_map, clamp(place, vec2<f32>(0.0), vec2<f32>(last_sample()))), 0.0) * relief();
    let world = select(edge + vec3<f32>(0.0, depth, 0.0), edge, (index & 1u) == 1u);
    return SideVertex(clip_of(world), world, edge.y + depth, side_normal(piece.w));
}

@fragment
fn inland_sides_fragment(in: SideVertex) -> @location(0) vec4<f32> {
    let water = film(in.world.xz);
    if water.y <= 0.0 || is_drowned(in.world.y) || is_void(in.world.xz) {
        discard;
    }
    let ray = normalize(in.world - eye());
    let facing = saturate(-dot(ray, in.normal));
    let body = inland_body(0.02, 0.85);
    let light = mix(body.rgb * (0.85 + 0.25 * facing), sky_light(), 0.03 + 0.5 * pow(1.0 - facing, 5.0));
    return covered(light, body.a * 0.9 * water.y, in.world, in.clip.xy);
}
