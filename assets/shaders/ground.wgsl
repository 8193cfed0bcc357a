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
    return textureSampleLevel(palette, smooth_sampler, vec2<f32>(at, 0.5), 0.0).rgb;
}

fn steepness_colour(tangent: f32) -> vec3<f32> {
    let angle = degrees(atan(tangent));
    var colour = mix(vec3<f32>(0.05, 0.16, 0.10), vec3<f32>(0.16, 0.42, 0.14), saturate(angle / 15.0));
    colour = mix(colour, vec3<f32>(0.85, 0.70, 0.12), smoothstep(12.0, 30.0, angle));
    colour = mix(colour, vec3<f32>(0.70, 0.12, 0.05), smoothstep(28.0, 45.0, angle));
    return mix(colour, vec3<f32>(0.22, 0.04, 0.24), smoothstep(45.0, 70.0, angle));
}

// How much of a line a pixel has, for lines where `at` is whole.
fn line(at: f32, width: f32) -> f32 {
    let pixel = max(fwidth(at), 1e-6);
    let away = abs(fract(at - 0.5) - 0.5) / pixel;
    return saturate(width - away) * saturate(1.5 - pixel);
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

// The colours of the scene in sun and haze. Modes have a fragment stage each: drawing in software pays for every branch.
fn landscape(in: GroundVertex) -> vec3<f32> {
    let surface = surface_at(in.world.xz);
    // Two octaves of noise blur the lines between the colours of the palette, as plants and scree do.
    let place = in.world.xz * (64.0 / side());
    let rough = noise(place) + 0.5 * noise(place * 4.3 + 7.0) - 0.75;
    let above = in.world.y - sea();
    let is_land = step(0.0, above);
    let height = in.world.y + rough * 0.035 * relief() * saturate(above / (0.05 * relief()));
    let edge = surface.steepness * (1.0 + 0.35 * rough) + 0.10 * (0.5 - surface.openness);
    let rock = smoothstep(frame.rock_slopes.x, frame.rock_slopes.y, edge) * frame.rock.a * is_land;
    let stone = frame.rock.rgb * (1.0 + 0.30 * rough);
    var colour = mix(palette_colour(height) * (1.0 + 0.12 * rough), stone, rock);
    // wet ground at the shore
    let wet = frame.patches.w * (1.0 - smoothstep(0.0, 0.012 * relief(), above));
    colour *= 1.0 - 0.28 * wet;
    return mix(lit(colour, surface.normal, surface.sun_share, surface.openness), in.haze.rgb, in.haze.a);
}

@fragment
fn ground_shaded(in: GroundVertex) -> @location(0) vec4<f32> {
    return vec4<f32>(to_screen(landscape(in), in.clip.xy), 1.0);
}

@fragment
fn ground_wireframe(in: GroundVertex) -> @location(0) vec4<f32> {
    let edges = max(max(line(in.quad.x, 1.0), line(in.quad.y, 1.0)), line(in.quad.x - in.quad.y, 0.9));
    let shade = mix(landscape(in) * 0.75, vec3<f32>(0.92, 0.97, 1.0), 0.65 * edges);
    return vec4<f32>(to_screen(shade, in.clip.xy), 1.0);
}

@fragment
fn ground_hillshade(in: GroundVertex) -> @location(0) vec4<f32> {
    let surface = surface_at(in.world.xz);
    let light = lit(vec3<f32>(0.50), surface.normal, surface.sun_share, surface.openness);
    let grey = vec3<f32>(dot(light, vec3<f32>(0.3, 0.5, 0.2)));
    return vec4<f32>(to_screen(grey, in.clip.xy), 1.0);
}

@fragment
fn ground_slope(in: GroundVertex) -> @location(0) vec4<f32> {
    let surface = surface_at(in.world.xz);
    let sun_share = mix(surface.sun_share, 1.0, 0.5);
    let shade = lit(steepness_colour(surface.steepness), surface.normal, sun_share, surface.openness);
    return vec4<f32>(to_screen(shade, in.clip.xy), 1.0);
}
