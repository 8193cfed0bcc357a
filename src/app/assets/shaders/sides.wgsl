// The sides of the terrain block: soil over layered rock.

struct SideVertex {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) top: f32,
    @location(2) normal: vec3<f32>,
}

// Normal of a side of the block by number: 0 north, 1 east, 2 south, 3 west.
fn side_normal(number: u32) -> vec3<f32> {
    switch number {
        case 0u: { return vec3<f32>(0.0, 0.0, -1.0); }
        case 1u: { return vec3<f32>(1.0, 0.0, 0.0); }
        case 2u: { return vec3<f32>(0.0, 0.0, 1.0); }
        default: { return vec3<f32>(-1.0, 0.0, 0.0); }
    }
}

// Vertex on the edge of a patch that touches side `piece.w` of the block. `along` grows to the right as seen from
// outside.
fn edge_vertex(piece: vec4<u32>, along: u32) -> vec3<f32> {
    let quads = frame.patches.z;
    let right = f32(along);
    let left = quads - right;
    switch piece.w {
        case 0u: { return surface_vertex(piece, vec2<f32>(left, 0.0)).world; }
        case 1u: { return surface_vertex(piece, vec2<f32>(quads, left)).world; }
        case 2u: { return surface_vertex(piece, vec2<f32>(right, quads)).world; }
        default: { return surface_vertex(piece, vec2<f32>(0.0, right)).world; }
    }
}

@vertex
fn sides_vertex(@builtin(vertex_index) index: u32, @location(0) piece: vec4<u32>) -> SideVertex {
    let edge = edge_vertex(piece, index / 2u);
    let world = select(edge, vec3<f32>(edge.x, base(), edge.z), (index & 1u) == 1u);
    return SideVertex(clip_of(world), world, edge.y, side_normal(piece.w));
}

// Colour of the rock on the sides: slightly bent layers, each with a separate colour.
fn rock_layers(world: vec3<f32>) -> vec3<f32> {
    let along = (world.x + world.z) / side();
    let bend = 0.012 * sin(along * 5.0 + 0.7) + 0.006 * sin(along * 13.0) + 0.004 * noise(vec2<f32>(along * 40.0, 3.0));
    let depth = world.y / side() + bend;
    let layer = depth * 62.0 + 1.4 * noise(vec2<f32>(depth * 21.0, 5.0));
    let number = floor(layer);
    let kind = hash(vec2<f32>(number, 11.0));
    let warm = mix(vec3<f32>(0.205, 0.150, 0.108), vec3<f32>(0.325, 0.255, 0.190), kind);
    let cold = mix(vec3<f32>(0.150, 0.132, 0.114), vec3<f32>(0.285, 0.262, 0.232), kind);
    let colour = mix(warm, cold, step(0.55, hash(vec2<f32>(number, 29.0))));
    let joint = smoothstep(0.0, 0.10, fract(layer)) * smoothstep(0.0, 0.05, 1.0 - fract(layer));
    let spots = noise(vec2<f32>(along * 420.0, depth * 700.0));
    return colour * (0.80 + 0.20 * joint) * (0.92 + 0.16 * spots);
}

@fragment
fn sides_fragment(in: SideVertex) -> @location(0) vec4<f32> {
#ifdef VOID_MASK
    if is_void(in.world.xz) {
        discard;
    }
#endif
    return side_colour(in);
}

// The end point of a segment of the void edge that vertex `index` uses. `wall` holds (column, row) of both end points
// in samples. The terrain is on the left of the segment.
fn wall_end(wall: vec4<f32>, index: u32) -> vec2<f32> {
    return select(wall.xy, wall.zw, index > 1u);
}

fn wall_normal(wall: vec4<f32>) -> vec3<f32> {
    let along = normalize(wall.zw - wall.xy + vec2<f32>(1e-9, 0.0));
    return vec3<f32>(-along.y, 0.0, along.x);
}

@vertex
fn walls_vertex(@builtin(vertex_index) index: u32, @location(0) wall: vec4<f32>) -> SideVertex {
    let place = wall_end(wall, index);
    let flat = world_of(place);
    let top = ground_height(place);
    let world = vec3<f32>(flat.x, select(top, base(), (index & 1u) == 1u), flat.y);
    return SideVertex(clip_of(world), world, top, wall_normal(wall));
}

// Fragments of the void area are discarded. A wall must not be discarded, although it is exactly on the edge of the
// void.
@fragment
fn walls_fragment(in: SideVertex) -> @location(0) vec4<f32> {
    return side_colour(in);
}

fn side_colour(in: SideVertex) -> vec4<f32> {
    return vec4<f32>(to_screen(side_light(in.world, in.top, in.normal), in.clip.xy), 1.0);
}

// Light from a point on a side of the block. The terrain above this point has the height `top`.
fn side_light(world: vec3<f32>, top: f32, normal: vec3<f32>) -> vec3<f32> {
    let depth = (top - world.y) / side();
    let along = (world.x + world.z) / side();
    let soil_depth = 0.0075 + 0.004 * noise(vec2<f32>(along * 60.0, 1.0));
    let soil = 1.0 - smoothstep(soil_depth * 0.8, soil_depth * 1.1, depth);
    let humus = 1.0 - smoothstep(0.0012, 0.0030, depth);
    var colour = mix(rock_layers(world), vec3<f32>(0.150, 0.098, 0.060), soil);
    colour = mix(colour, vec3<f32>(0.055, 0.042, 0.028), humus);
    let grey = vec3<f32>(0.18 + 0.05 * dot(colour, vec3<f32>(1.0)));
    colour = mix(colour, grey, is_plain());
    let foot = mix(0.62, 1.0, smoothstep(0.0, 0.05 * side(), world.y - base()));
    // the floor in front of the block reflects warm light
    colour *= vec3<f32>(1.22, 1.05, 0.86);
    return hazed(lit(colour, normal, 0.85, 0.55 * foot) * mix(foot, 1.0, 0.4), world);
}
