// Adaptive tessellation: patches of terrain from a construction tree. The processor evaluates the tree where the image
// needs detail. A vertex reads its own values and the values of the next coarser vertex that it morphs into; see
// src/app/view/construction_surface/adaptive/quadtree.rs. Positions are whole numbers of grid steps from the step that
// contains the eye, so that a vertex is the same in every patch that contains the vertex.

@group(0) @binding(10) var patch_map: texture_2d<f32>;

struct PatchVertex {
    // position of the vertex relative to the eye
    seen: vec3<f32>,
    slope: vec2<f32>,
    // depth of the water, negative where the terrain is dry
    depth: f32,
    quad: vec2<f32>,
}

fn patch_vertex(piece: vec4<u32>, morphs: vec4<f32>, at: vec2<u32>) -> PatchVertex {
    let quads = frame.tiles.w;
    let texel = vec2<i32>(i32((piece.w & 0xffffu) + 2u * at.x), i32((piece.w >> 16u) + at.y));
    let own = textureLoad(patch_map, texel, 0);
    let coarse = textureLoad(patch_map, texel + vec2<i32>(1, 0), 0);
    // each product is exact at the borders of the patch, where patches meet
    let part = vec2<f32>(at) / quads;
    let rest = 1.0 - part;
    let top = morphs.x * rest.x + morphs.y * part.x;
    let bottom = morphs.z * rest.x + morphs.w * part.x;
    let morph = top * rest.y + bottom * part.y;
    let left = 1.0 - morph;
    let shift = piece.z & 31u;
    let corner = bitcast<vec2<i32>>(piece.xy);
    let even = vec2<u32>(at.x & 0xfffffffeu, at.y & 0xfffffffeu);
    let here = vec2<f32>(corner + vec2<i32>(at << vec2<u32>(shift))) * frame.tiles.x - frame.tiles.yz;
    let there = vec2<f32>(corner + vec2<i32>(even << vec2<u32>(shift))) * frame.tiles.x - frame.tiles.yz;
    let flat = here * left + there * morph;
    let values = own * left + coarse * morph;
    let quad = vec2<f32>(at) * left + vec2<f32>(even) * morph;
    return PatchVertex(vec3<f32>(flat.x, values.x - eye().y, flat.y), values.yz, values.w, quad);
}

fn clip_of_seen(seen: vec3<f32>) -> vec4<f32> {
    return frame.clip_from_eye * vec4<f32>(seen, 1.0);
}

fn patch_place(index: u32) -> vec2<u32> {
    let row = u32(frame.tiles.w) + 1u;
    return vec2<u32>(index % row, index / row);
}

struct AdaptiveVertex {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) quad: vec2<f32>,
    @location(2) haze: vec4<f32>,
    @location(3) slope: vec2<f32>,
}

@vertex
fn adaptive_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) piece: vec4<u32>,
    @location(1) morphs: vec4<f32>,
) -> AdaptiveVertex {
    let vertex = patch_vertex(piece, morphs, patch_place(index));
    let world = vertex.seen + eye();
    return AdaptiveVertex(clip_of_seen(vertex.seen), world, vertex.quad, haze(world), vertex.slope);
}

// Smooth noise from -1 to 1, and its slopes.
fn noise_with_slopes(place: vec2<f32>) -> vec3<f32> {
    let low = floor(place);
    let part = place - low;
    let t = part * part * (3.0 - 2.0 * part);
    let dt = 6.0 * part * (1.0 - part);
    let a = hash(low);
    let b = hash(low + vec2<f32>(1.0, 0.0));
    let c = hash(low + vec2<f32>(0.0, 1.0));
    let d = hash(low + vec2<f32>(1.0, 1.0));
    let cross = a - b - c + d;
    let value = a + (b - a) * t.x + (c - a) * t.y + cross * t.x * t.y;
    return 2.0 * vec3<f32>(value - 0.5, dt.x * (b - a + cross * t.y), dt.y * (c - a + cross * t.x));
}

// Fine detail that no construction tree contains: soil, grass and gravel. Returns the shade and the slopes of the three
// finest octaves that the pixels can resolve. Wavelengths range from some metres down to millimetres. The octaves fade
// with the distance, so no jump is visible.
fn grit_at(flat: vec2<f32>) -> vec3<f32> {
    let across = max(length(dpdx(flat)), length(dpdy(flat)));
    let level = clamp(log2(0.25 / max(across, 1e-6)), 0.0, 10.0);
    if level <= 0.0 {
        return vec3<f32>(0.0);
    }
    let whole = floor(level);
    let part = level - whole;
    var shares = vec3<f32>(part, 1.0, 1.0 - part);
    var sum = vec3<f32>(0.0);
    for (var k = 0u; k < 3u; k++) {
        let octave = whole + 1.0 - f32(k);
        sum += shares[k] * step(0.5, octave) * noise_with_slopes(flat * exp2(octave) + 7.3 * octave);
    }
    return sum;
}

// The surface at a fragment. Its shadows and openness come from the grid, its normal from the construction tree.
fn adaptive_surface(in: AdaptiveVertex, grit: vec3<f32>) -> Surface {
    let light = textureSample(light_map, smooth_sampler, map_coordinates(in.world.xz)).xy;
    let steepness = length(in.slope);
    let slope = in.slope + grit.yz * (0.05 + 0.10 * min(steepness, 1.5));
    return Surface(normalize(vec3<f32>(-slope.x, 1.0, -slope.y)), steepness, sun_share_of(light.x), light.y);
}

fn adaptive_light(in: AdaptiveVertex) -> vec3<f32> {
    let grit = grit_at(in.world.xz);
    var surface = adaptive_surface(in, grit);
    surface.sun_share *= under_clouds(in.world);
    let ground = as_ground(in);
#ifdef DETAIL
    surface.sun_share *= sun_between_plants(in.world, surface.normal, 1.5);
#endif
    var seen = natural(ground, surface);
    seen.colour *= 1.0 + 0.10 * grit.x;
    return with_haze(light_on_ground(seen, surface, in.world), ground);
}

// The slope for overlays. Overlays are drawn without the fine detail, so that data stays readable.
fn adaptive_slope(in: AdaptiveVertex) -> vec3<f32> {
    let surface = lightened(adaptive_surface(in, vec3<f32>(0.0)));
    return with_haze(light_on(slope_tint(surface).rgb, surface), as_ground(in));
}

fn adaptive_data(in: AdaptiveVertex) -> vec3<f32> {
    let ground = as_ground(in);
    return shaded_tinted(ground, lightened(adaptive_surface(in, vec3<f32>(0.0))), data_tint(ground));
}

fn as_ground(in: AdaptiveVertex) -> GroundVertex {
    return GroundVertex(in.clip, in.world, in.quad, in.haze);
}

@fragment
fn adaptive_ground(in: AdaptiveVertex) -> @location(0) vec4<f32> {
    return to_target(adaptive_light(in), as_ground(in));
}

@fragment
fn adaptive_ground_slope(in: AdaptiveVertex) -> @location(0) vec4<f32> {
    return to_target(adaptive_slope(in), as_ground(in));
}

@fragment
fn adaptive_ground_data(in: AdaptiveVertex) -> @location(0) vec4<f32> {
    return to_target(adaptive_data(in), as_ground(in));
}

fn with_triangles(light: vec3<f32>, in: AdaptiveVertex) -> vec4<f32> {
    let ground = as_ground(in);
    return to_target(with_edges(light, ground), ground);
}

@fragment
fn adaptive_wireframe(in: AdaptiveVertex) -> @location(0) vec4<f32> {
    return with_triangles(adaptive_light(in), in);
}

@fragment
fn adaptive_wireframe_slope(in: AdaptiveVertex) -> @location(0) vec4<f32> {
    return with_triangles(adaptive_slope(in), in);
}

@fragment
fn adaptive_wireframe_data(in: AdaptiveVertex) -> @location(0) vec4<f32> {
    return with_triangles(adaptive_data(in), in);
}

// ---- the sides of the terrain block ----

fn patch_edge(piece: vec4<u32>, morphs: vec4<f32>, along: u32) -> PatchVertex {
    let quads = u32(frame.tiles.w);
    var at = vec2<u32>(0u, along);
    switch (piece.z >> 8u) - 1u {
        case 0u: { at = vec2<u32>(quads - along, 0u); }
        case 1u: { at = vec2<u32>(quads, quads - along); }
        case 2u: { at = vec2<u32>(along, quads); }
        default: {}
    }
    return patch_vertex(piece, morphs, at);
}

fn side_vertex(piece: vec4<u32>, seen: vec3<f32>, height: f32, top: f32) -> SideVertex {
    let moved = vec3<f32>(seen.x, height - eye().y, seen.z);
    return SideVertex(clip_of_seen(moved), moved + eye(), top, side_normal((piece.z >> 8u) - 1u));
}

@vertex
fn adaptive_sides_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) piece: vec4<u32>,
    @location(1) morphs: vec4<f32>,
) -> SideVertex {
    let edge = patch_edge(piece, morphs, index / 2u);
    if (index & 1u) == 0u {
        return SideVertex(clip_of_seen(edge.seen), edge.seen + eye(), edge.seen.y + eye().y, side_normal((piece.z >> 8u) - 1u));
    }
    return side_vertex(piece, edge.seen, base(), edge.seen.y + eye().y);
}

@vertex
fn adaptive_sea_sides_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) piece: vec4<u32>,
    @location(1) morphs: vec4<f32>,
) -> SideVertex {
    let edge = patch_edge(piece, morphs, index / 2u);
    let ground = edge.seen.y + eye().y;
    return side_vertex(piece, edge.seen, select(max(sea(), ground), ground, (index & 1u) == 1u), ground);
}

@vertex
fn adaptive_water_sides_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) piece: vec4<u32>,
    @location(1) morphs: vec4<f32>,
) -> SideVertex {
    let edge = patch_edge(piece, morphs, index / 2u);
    let ground = edge.seen.y + eye().y;
    let top = ground + max(edge.depth, 0.0);
    return side_vertex(piece, edge.seen, select(top, ground, (index & 1u) == 1u), top);
}

@fragment
fn adaptive_water_sides_fragment(in: SideVertex) -> @location(0) vec4<f32> {
    if is_drowned(in.world.y) || in.top - in.world.y < 0.0 || is_void(in.world.xz) {
        discard;
    }
    return surface_water_side_colour(in, 1.0);
}

// ---- water: its own surface, which ends where the terrain rises above it ----

struct WetVertex {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) depth: f32,
}

fn wet_vertex(seen: vec3<f32>, height: f32, depth: f32) -> WetVertex {
    let moved = vec3<f32>(seen.x, height - eye().y, seen.z);
    return WetVertex(clip_of_seen(moved), moved + eye(), depth);
}

@vertex
fn adaptive_sea_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) piece: vec4<u32>,
    @location(1) morphs: vec4<f32>,
) -> WetVertex {
    let vertex = patch_vertex(piece, morphs, patch_place(index));
    return wet_vertex(vertex.seen, sea(), sea() - (vertex.seen.y + eye().y));
}

@fragment
fn adaptive_sea_fragment(in: WetVertex) -> @location(0) vec4<f32> {
    if is_void(in.world.xz) {
        discard;
    }
    return sea_surface(in.world, in.depth, STEEP_SHORE, in.clip.xy);
}

@vertex
fn adaptive_water_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) piece: vec4<u32>,
    @location(1) morphs: vec4<f32>,
) -> WetVertex {
    let vertex = patch_vertex(piece, morphs, patch_place(index));
    let ground = vertex.seen.y + eye().y;
    return wet_vertex(vertex.seen, ground + vertex.depth, vertex.depth);
}

@fragment
fn adaptive_water_fragment(in: WetVertex) -> @location(0) vec4<f32> {
    let sun_share = sun_share_of(textureSample(light_map, smooth_sampler, map_coordinates(in.world.xz)).x);
    if in.depth <= 0.0 || is_drowned(in.world.y) || is_void(in.world.xz) {
        discard;
    }
    // near the eye, a thinner film of water at the shore is already visible
    let near = saturate(distance(in.world, eye()) / (0.1 * side()));
    let depth = in.depth / relief();
    let seen = smoothstep(frame.surface_water.x * near * near, frame.surface_water.y * near, depth);
    return surface_water_surface(in.world, depth, seen, sun_share, in.clip.xy);
}
