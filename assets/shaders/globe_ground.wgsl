// The ground and the sea: patches displaced in the vertex stage, coloured in the fragment stage.

struct GroundVertex {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) rel: vec3<f32>,
    @location(1) up: vec3<f32>,
    @location(2) place: vec2<f32>,
    @location(3) quad: vec2<f32>,
    // the air before it, and the light of the sun on it
    @location(4) scattered: vec3<f32>,
    @location(5) passed: vec3<f32>,
    @location(6) sunlight: vec3<f32>,
    @location(7) @interpolate(flat) face: u32,
    // slopes of the ground between the samples
    @location(8) steep: vec3<f32>,
}

struct Raised {
    height: f32,
    steep: vec3<f32>,
}

// The drawn ground of a direction with what lies between the samples.
fn raised(spot: Spot, face: u32, distance: f32) -> Raised {
    let width = quad_width(distance);
    if !shows_fine(width) {
        return Raised(ground_height(face, spot.place), vec3<f32>(0.0));
    }
    let here = fine_ground(spot.up, width);
    let found = located(here.up);
    let at = map_coordinates(found.xy);
    let rough = roughness(textureSampleLevel(colour_map, level_sampler, at, u32(found.z), 0.0).a);
    let axes = face_axes(face);
    let first = normalize(axes[1] - spot.up * dot(spot.up, axes[1]));
    let second = cross(first, spot.up);
    let step = width / radius();
    let along = fine_ground(normalize(spot.up + first * step), width).rise - here.rise;
    let across = fine_ground(normalize(spot.up + second * step), width).rise - here.rise;
    let height = ground_height(u32(found.z), found.xy) + here.rise * rough * exaggeration();
    return Raised(height, (first * along + second * across) * (rough / width));
}

@vertex
fn ground_vertex(@builtin(vertex_index) index: u32, piece: PatchInstance) -> GroundVertex {
    let quad = quad_of(index);
    let spot = morphed(piece, quad.xy);
    let below = quad.z * 0.05 * radius() * exp2(-f32(piece.tile.y)) / quads();
    let ground = raised(spot, piece.tile.x, lod_distance(piece, spot));
    var height = ground.height;
    if has_sea() {
        height = max(height, sea());
    }
    let rel = piece.centre.xyz + spot.away * radius() + spot.up * (height - below);
    let air = air_before(rel);
    let sunlight = sunlight_at(radius() + height / exaggeration(), dot(spot.up, to_sun()));
    return GroundVertex(clip_of(rel), rel, spot.up, spot.place, spot.quad, air.light, air.through, sunlight, piece.tile.x, ground.steep);
}

struct Surface {
    // as it is drawn, over the radius
    height: f32,
    albedo: vec3<f32>,
    normal: vec3<f32>,
    // 1 on open water
    water: f32,
}

// What lies at a place of a face, from texels of the maps.
fn surface_of(shape: vec4<f32>, colour: vec3<f32>, face: u32, up: vec3<f32>, steep: vec3<f32>) -> Surface {
    let axes = face_axes(face);
    let first = normalize(axes[1] - up * dot(up, axes[1]));
    let second = cross(first, up);
    let depth = select(0.0, max(-shape.z, 0.0), has_sea());
    // data is read, not looked through
    let drawn = 1.0 - frame.map.w;
    // bright ground under the sea is ice
    let least = min(colour.r, min(colour.g, colour.b));
    let ice = smoothstep(0.32, 0.50, least);
    let water = max(smoothstep(0.0, 0.025, depth), shape.w) * (1.0 - ice) * drawn;
    let steepness = exaggeration() * (1.0 - smoothstep(0.0, 0.02, depth)) * (1.0 - 0.9 * shape.w);
    let normal = normalize(up - (first * shape.x + second * shape.y + steep) * steepness);
    let body = water_colour(ocean_look(), depth);
    let wet = mix(colour, body.rgb, body.a);
    let on_land = mix(colour, LAKE, shape.w * drawn * (1.0 - ice));
    let albedo = mix(on_land, wet, smoothstep(0.0, 0.025, depth) * (1.0 - ice) * drawn);
    return Surface(drawn_height(shape.z), mix(albedo, vec3<f32>(0.55), is_plain()), normal, water * (1.0 - is_plain()));
}

fn sampled(in: GroundVertex) -> Surface {
    let at = map_coordinates(in.place);
    let up = normalize(in.up);
    var face = in.face;
    var shape = textureSample(shape_map, smooth_sampler, at, face);
    var colour = textureSample(colour_map, smooth_sampler, at, face).rgb;
    let distance = length(in.rel);
    // what a pixel covers, along the ground it looks over
    let width = frame.fine.w * distance / max(-dot(in.rel, up) / distance, 0.12);
    if shows_fine(width) {
        let here = fine_ground(up, width);
        let found = located(here.up);
        let bent = map_coordinates(found.xy);
        face = u32(found.z);
        shape = textureSampleLevel(shape_map, level_sampler, bent, face, 0.0);
        // rivers that go from corner to corner are not torn into dots
        shape.w = smoothstep(0.33, 0.64, shape.w);
        colour = textureSampleLevel(colour_map, level_sampler, bent, face, 0.0).rgb * clamp(1.0 + 0.16 * here.tone, 0.7, 1.3);
    }
    return surface_of(shape, colour, face, up, in.steep);
}

// Ripples near the eye; from afar they only widen the glint.
fn ripple(up: vec3<f32>, distance: f32) -> vec3<f32> {
    let near = exp(-distance / 30000.0);
    let wide = exp(-distance / 250000.0);
    if wide < 0.01 {
        return vec3<f32>(0.0);
    }
    let fine = noises(up * (radius() / 90.0)) - 0.5;
    let swell = noises(up * (radius() / 2600.0)) - 0.5;
    return fine * 0.10 * near + swell * 0.05 * wide;
}

fn lit(surface: Surface, in: GroundVertex) -> vec3<f32> {
    let up = normalize(in.up);
    let distance = length(in.rel);
    let ray = in.rel / distance;
    let sun = frame.light.x * in.sunlight * under_clouds(up) * under_mountains(up, surface.height);
    let facing = max(dot(surface.normal, to_sun()), 0.0);
    let open = 0.5 + 0.5 * dot(surface.normal, up);
    if frame.map.w > 0.5 {
        // data is read by night as well; slopes alone shade it
        return surface.albedo * (0.62 + 0.34 * dot(surface.normal, up)) * in.passed;
    }
    let sky = sky_light(up);
    var light = surface.albedo * (sun * facing + sky * open);
    if surface.water > 0.0 {
        let normal = normalize(up + ripple(up, distance));
        let mirrored = mirrored_share(-dot(ray, normal));
        let seen = reflect(ray, normal);
        let towards = max(dot(seen, to_sun()), 0.0);
        // from afar the sun is spread over many waves
        let sharp = mix(320.0, 42.0, 1.0 - exp(-distance / 400000.0));
        let glint = sun * (0.25 + mirrored) * (pow(towards, sharp) * sqrt(sharp) * 0.10);
        let reflected = sky * 0.9 * min(mirrored, 0.6);
        light = mix(light, light * (1.0 - min(mirrored, 0.6)) + reflected + glint, surface.water);
    }
    return light * in.passed + in.scattered + formula(up, ray);
}

@fragment
fn ground_shaded(in: GroundVertex) -> @location(0) vec4<f32> {
    return vec4<f32>(to_screen(lit(sampled(in), in), in.clip.xy), 1.0);
}

@fragment
fn ground_wireframe(in: GroundVertex) -> @location(0) vec4<f32> {
    let light = lit(sampled(in), in);
    let edge = max(line(in.quad.x, 1.1), line(in.quad.y, 1.1));
    let across = line(in.quad.x - in.quad.y, 1.0);
    return vec4<f32>(to_screen(mix(light, vec3<f32>(0.95, 0.90, 0.75), 0.5 * max(edge, 0.5 * across)), in.clip.xy), 1.0);
}
