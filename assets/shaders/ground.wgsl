// The ground: patches displaced in the vertex stage, coloured in the fragment stage.

struct GroundVertex {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) quad: vec2<f32>,
    // colour of the air, and how much of it there is
    @location(2) haze: vec4<f32>,
}

@vertex
fn ground_vertex(@builtin(vertex_index) index: u32, @location(0) piece: vec4<u32>) -> GroundVertex {
    let row = u32(frame.patches.z) + 1u;
    let vertex = surface_vertex(piece, vec2<f32>(f32(index % row), f32(index / row)));
    return GroundVertex(clip_of(vertex.world), vertex.world, vertex.quad, haze(vertex.world));
}

// Colour of the palette at a world height: the first half of the table is water, the second land.
fn palette_colour(height: f32) -> vec3<f32> {
    let above = (height - sea()) / max(relief() - sea(), 1e-6);
    let below = (sea() - height) / max(relief(), 1e-6);
    let land = 0.5 + 0.5 / 512.0 + saturate(above) * (255.0 / 512.0);
    let water = 0.5 - 0.5 / 512.0 - saturate(below) * (255.0 / 512.0);
    let at = select(land, water, height < sea());
    return textureSampleLevel(palette, smooth_sampler, vec2<f32>(at, 0.25), 0.0).rgb;
}

struct Surface {
    normal: vec3<f32>,
    // tangent of the slope
    steepness: f32,
    sun_share: f32,
    openness: f32,
}

fn surface_at(flat: vec2<f32>) -> Surface {
    let at = map_coordinates(flat);
    let slope = textureSample(slope_map, smooth_sampler, at).xy;
    let light = textureSample(light_map, smooth_sampler, at).xy;
    let normal = normalize(vec3<f32>(-slope.x, 1.0, -slope.y));
    return Surface(normal, length(slope), light.x, light.y);
}

// Modes and overlays have a fragment stage for each of their combinations: drawing in software pays for every branch.

// The colours of the scene.
fn natural(in: GroundVertex, surface: Surface) -> vec3<f32> {
    var biomes = vec3<f32>(0.0);
    if frame.rock_slopes.w > 0.5 {
        biomes = textureSample(colour_map, smooth_sampler, map_coordinates(in.world.xz)).rgb;
    }
    var cover = vec2<f32>(0.0);
    if frame.surface_water.w > 0.5 {
        cover = textureSample(cover_map, smooth_sampler, map_coordinates(in.world.xz)).xy;
    }
    return coloured(in.world, surface, biomes, cover);
}

// The same at a place with the colour of what grows there, and how much sand and snow hide.
fn coloured(world: vec3<f32>, surface: Surface, biomes: vec3<f32>, cover: vec2<f32>) -> vec3<f32> {
    // Two octaves of noise blur the lines between the colours of the palette, as plants and scree do.
    let place = world.xz * (64.0 / side());
    let rough = noise(place) + 0.5 * noise(place * 4.3 + 7.0) - 0.75;
    let above = world.y - sea();
    let is_land = step(0.0, above);
    let height = world.y + rough * 0.035 * relief() * saturate(above / (0.05 * relief()));
    let edge = surface.steepness * (1.0 + 0.35 * rough) + 0.10 * (0.5 - surface.openness);
    let rock = smoothstep(frame.rock_slopes.x, frame.rock_slopes.y, edge) * frame.rock.a * is_land;
    let stone = frame.rock.rgb * (1.0 + 0.30 * rough);
    var ground = biomes;
    if frame.rock_slopes.w <= 0.5 {
        ground = palette_colour(height);
    }
    let bare = mix(ground * (1.0 + 0.12 * rough), stone, rock);
    let colour = with_cover(bare, cover, rough);
    // wet ground at the shore
    let wet = frame.patches.w * (1.0 - smoothstep(0.0, 0.012 * relief(), above));
    return colour * (1.0 - 0.28 * wet);
}

// Loaded, not sampled: where a filter reads beyond the end of a row it may find the palette.
fn ramp_colour(at: f32) -> vec3<f32> {
    return textureLoad(palette, vec2<i32>(i32(saturate(at) * 511.0 + 0.5), 1), 0).rgb;
}

// Colour of an overlay, and how much of the ground it covers.
fn slope_tint(surface: Surface) -> vec4<f32> {
    // the ramp ends at 75 degrees
    return vec4<f32>(ramp_colour(saturate(degrees(atan(surface.steepness)) / 75.0)), 1.0);
}

fn data_tint(in: GroundVertex) -> vec4<f32> {
    return ramp_tint(textureSample(data_map, smooth_sampler, map_coordinates(in.world.xz)).x);
}

fn ramp_tint(at: f32) -> vec4<f32> {
    let covered = saturate(abs(at - frame.overlay.x) / max(frame.overlay.y, 1e-6));
    return vec4<f32>(ramp_colour(at), select(1.0, covered, frame.overlay.y > 0.0));
}

// Shadows are lightened under an overlay, which is there to be read.
fn lightened(surface: Surface) -> Surface {
    return Surface(surface.normal, surface.steepness, mix(surface.sun_share, 1.0, 0.5), surface.openness);
}

fn light_on(colour: vec3<f32>, surface: Surface) -> vec3<f32> {
    return lit(colour, surface.normal, surface.sun_share, surface.openness);
}

fn with_haze(light: vec3<f32>, in: GroundVertex) -> vec3<f32> {
    return mix(light, in.haze.rgb, in.haze.a);
}

fn shaded(in: GroundVertex) -> vec3<f32> {
    let surface = surface_at(in.world.xz);
    return with_haze(light_on(natural(in, surface), surface), in);
}

fn shaded_tinted(in: GroundVertex, surface: Surface, tint: vec4<f32>) -> vec3<f32> {
    return with_haze(light_on(mix(natural(in, surface), tint.rgb, tint.a), surface), in);
}

fn hillshade(surface: Surface) -> vec3<f32> {
    return vec3<f32>(dot(light_on(vec3<f32>(0.50), surface), vec3<f32>(0.3, 0.5, 0.2)));
}

fn hillshade_tinted(surface: Surface, tint: vec4<f32>) -> vec3<f32> {
    return mix(hillshade(surface), light_on(tint.rgb, surface), tint.a);
}

fn with_edges(light: vec3<f32>, in: GroundVertex) -> vec3<f32> {
    let edges = max(max(line(in.quad.x, 1.0), line(in.quad.y, 1.0)), line(in.quad.x - in.quad.y, 0.9));
    return mix(light * 0.75, vec3<f32>(0.92, 0.97, 1.0), 0.65 * edges);
}

fn to_target(light: vec3<f32>, in: GroundVertex) -> vec4<f32> {
#ifdef VOID_MASK
    if is_void(in.world.xz) {
        discard;
    }
#endif
    return vec4<f32>(to_screen(light, in.clip.xy), 1.0);
}

@fragment
fn ground_shaded(in: GroundVertex) -> @location(0) vec4<f32> {
    return to_target(shaded(in), in);
}

@fragment
fn ground_shaded_slope(in: GroundVertex) -> @location(0) vec4<f32> {
    let surface = lightened(surface_at(in.world.xz));
    return to_target(with_haze(light_on(slope_tint(surface).rgb, surface), in), in);
}

@fragment
fn ground_shaded_data(in: GroundVertex) -> @location(0) vec4<f32> {
    return to_target(shaded_tinted(in, lightened(surface_at(in.world.xz)), data_tint(in)), in);
}

@fragment
fn ground_hillshade(in: GroundVertex) -> @location(0) vec4<f32> {
    return to_target(hillshade(surface_at(in.world.xz)), in);
}

@fragment
fn ground_hillshade_slope(in: GroundVertex) -> @location(0) vec4<f32> {
    let surface = lightened(surface_at(in.world.xz));
    return to_target(light_on(slope_tint(surface).rgb, surface), in);
}

@fragment
fn ground_hillshade_data(in: GroundVertex) -> @location(0) vec4<f32> {
    return to_target(hillshade_tinted(lightened(surface_at(in.world.xz)), data_tint(in)), in);
}

@fragment
fn ground_wireframe(in: GroundVertex) -> @location(0) vec4<f32> {
    return to_target(with_edges(shaded(in), in), in);
}

@fragment
fn ground_wireframe_slope(in: GroundVertex) -> @location(0) vec4<f32> {
    let surface = lightened(surface_at(in.world.xz));
    return to_target(with_edges(with_haze(light_on(slope_tint(surface).rgb, surface), in), in), in);
}

@fragment
fn ground_wireframe_data(in: GroundVertex) -> @location(0) vec4<f32> {
    return to_target(with_edges(shaded_tinted(in, lightened(surface_at(in.world.xz)), data_tint(in)), in), in);
}
