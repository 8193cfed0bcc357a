// Rivers, lakes and running water: the terrain patches drawn again, raised by the depth of the water. On dry terrain,
// the raised surface coincides with the terrain. The fragment stage decides by the depth which pixels are visible.
// Shores are therefore smooth within the cells, and even a distant stream narrower than a quad is drawn.

struct SurfaceWaterVertex {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    // Whether the water at the vertex belongs to the sea, and whether there is water. The height of the water surface
    // does not suffice to decide this, because between a wet and a dry vertex the surface rises to the terrain.
    @location(1) of_sea: vec2<f32>,
}

@vertex
fn surface_water_vertex(@builtin(vertex_index) index: u32, @location(0) piece: vec4<u32>) -> SurfaceWaterVertex {
    let row = u32(frame.patches.z) + 1u;
    let vertex = surface_vertex(piece, vec2<f32>(f32(index % row), f32(index / row)));
    // still water continues level below its shores
    let found = value_at(water_map, vertex.place);
    let is_still = textureLoad(water_map, vec2<i32>(vertex.place), 0).y > 0.5;
    let depth = max(found, 0.0) * relief();
    let world = vertex.world + vec3<f32>(0.0, select(depth, found * relief(), is_still), 0.0);
    let wet = select(0.0, 1.0, depth > 0.0);
    return SurfaceWaterVertex(clip_of(world), world, vec2<f32>(select(0.0, wet, is_drowned(world.y)), wet));
}

// Water depth as a fraction of the relief, and the visibility of a film of water of this depth.
fn film(flat: vec2<f32>) -> vec2<f32> {
    let depth = textureSample(water_map, smooth_sampler, map_coordinates(flat)).x;
    return vec2<f32>(depth, smoothstep(frame.surface_water.x, frame.surface_water.y, depth));
}

// Whether a height is below the drawn sea. All water below sea level belongs to the sea.
fn is_drowned(height: f32) -> bool {
    // the tolerance includes water exactly at sea level
    return frame.surface_water.z > 0.5 && height < sea() + 1e-4 * relief();
}

// Light and opacity of a body of water. `depth` is a fraction of the relief.
fn surface_water_body(depth: f32, sun_share: f32) -> vec4<f32> {
    return lit_water(surface_water_look(), depth * frame.surface_water.w / 0.02, sun_share);
}

// The upper surface of rivers and lakes at a position. `depth` is a fraction of the relief, and `seen` the visibility
// of a film of water of this depth.
fn surface_water_surface(world: vec3<f32>, depth: f32, seen: f32, sun_share: f32, pixel: vec2<f32>) -> vec4<f32> {
    let water = surface_water_light(world, depth, seen, sun_share);
    return covered(water.rgb, water.a, world, pixel);
}

// Light and opacity of the upper surface of rivers and lakes at a position.
fn surface_water_light(world: vec3<f32>, depth: f32, seen: f32, sun_share: f32) -> vec4<f32> {
    // slope of the water surface: the slope of the bed plus the change of the depth
    let at = map_coordinates(world.xz);
    // still water is level; the sum would contain the rounding of both maps
    let running = 1.0 - textureSampleLevel(water_map, smooth_sampler, at, 0.0).y;
    let slope = running
        * (textureSampleLevel(slope_map, smooth_sampler, at, 0.0).xy + depth_change(at) * (relief() / cell()));
    let steep = length(slope);
    // waves of running water follow the flow, waves of still water follow the wind
    let towards = select(frame.waves.xy, -slope / max(steep, 1e-6), steep > 0.004);
    let mirror = mirror_on(world, slope * smoothstep(0.01, 0.08, steep), towards);
    let body = surface_water_body(depth, sun_share);
    let light = mix(body.rgb, mirror.sky, min(mirror.share, 0.75)) + mirror.glint * sun_share;
    let clear = vec4<f32>(light, saturate(max(body.a, mirror.share)) * seen);
    let foam = white_water(world, slope, steep) * seen;
    let white = 0.72 * (sky_light() + sun_colour() * (0.3 + 0.6 * to_sun().y) * sun_share);
    return vec4<f32>(mix(clear.rgb, white, foam), max(clear.a, foam));
}

// Fraction of running water that is foam. Rapids on steep beds have some foam; waterfalls consist of foam. The foam is
// stretched along the flow.
fn white_water(world: vec3<f32>, slope: vec2<f32>, steep: f32) -> f32 {
    let rapid = smoothstep(0.09, 0.55, steep);
    if rapid <= 0.0 {
        return 0.0;
    }
    let down = slope / steep;
    let place = world.xz * metres_per_unit();
    let run = vec2<f32>(dot(place, down), dot(place, vec2<f32>(-down.y, down.x)));
    let streaks = 0.62 * noise(run / vec2<f32>(11.0, 1.7)) + 0.38 * noise(run / vec2<f32>(3.3, 0.6) + 5.0);
    // from far away, use the mean fraction of foam
    let near = exp(-distance(world, eye()) * metres_per_unit() / 1500.0);
    return rapid * mix(0.55, smoothstep(0.72 - 0.55 * rapid, 0.95 - 0.35 * rapid, streaks), near);
}

@fragment
fn surface_water_fragment(in: SurfaceWaterVertex) -> @location(0) vec4<f32> {
    let water = film(in.world.xz);
    let lit = sun_share_of(textureSample(light_map, smooth_sampler, map_coordinates(in.world.xz)).x);
    let sun_share = lit * under_clouds(in.world);
    let is_sea = in.of_sea.y > 0.0 && in.of_sea.x > 0.99 * in.of_sea.y;
    if water.y <= 0.0 || is_sea || is_drowned(in.world.y) || is_void(in.world.xz) {
        discard;
    }
    return surface_water_surface(in.world, water.x, water.y, sun_share, in.clip.xy);
}

@vertex
fn surface_water_sides_vertex(@builtin(vertex_index) index: u32, @location(0) piece: vec4<u32>) -> SideVertex {
    let edge = edge_vertex(piece, index / 2u);
    let place = (edge.xz + 0.5 * side()) / cell();
    let depth = max(value_at(water_map, clamp(place, vec2<f32>(0.0), vec2<f32>(last_sample()))), 0.0) * relief();
    let world = select(edge + vec3<f32>(0.0, depth, 0.0), edge, (index & 1u) == 1u);
    return SideVertex(clip_of(world), world, edge.y + depth, side_normal(piece.w));
}

@fragment
fn surface_water_sides_fragment(in: SideVertex) -> @location(0) vec4<f32> {
    let water = film(in.world.xz);
    if water.y <= 0.0 || is_drowned(in.world.y) || is_void(in.world.xz) {
        discard;
    }
    return surface_water_side_colour(in, water.y);
}

// Colour of the side of rivers and lakes at the block's edge; `seen` is the visibility of this water.
fn surface_water_side_colour(in: SideVertex, seen: f32) -> vec4<f32> {
    let body = lit_water(surface_water_look(), 1.0, 0.85);
    return covered(water_side_light(body.rgb, in), body.a * 0.9 * seen, in.world, in.clip.xy);
}
