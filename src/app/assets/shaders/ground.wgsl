// The terrain: patches displaced in the vertex stage, coloured in the fragment stage.

struct GroundVertex {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) quad: vec2<f32>,
    // rgb is the colour of the air in front of the terrain, w its opacity
    @location(2) haze: vec4<f32>,
}

@vertex
fn ground_vertex(@builtin(vertex_index) index: u32, @location(0) piece: vec4<u32>) -> GroundVertex {
    let row = u32(frame.patches.z) + 1u;
    let vertex = surface_vertex(piece, vec2<f32>(f32(index % row), f32(index / row)));
    return GroundVertex(clip_of(vertex.world), vertex.world, vertex.quad, haze(vertex.world));
}

// Palette colour at a world height. The first half of the palette's table holds colours below the sea, the second half
// colours of land.
fn palette_colour(height: f32) -> vec3<f32> {
    let above = (height - sea()) / max(relief() - sea(), 1e-6);
    let below = (sea() - height) / max(relief(), 1e-6);
    let at = select(256.0 + 255.0 * saturate(above), 255.0 - 255.0 * saturate(below), height < sea());
    // colours are loaded, not sampled: hardware filters would create visible lines where 8-bit colours change by one
    // step
    let low = floor(at);
    let a = textureLoad(palette, vec2<i32>(i32(low), 0), 0).rgb;
    let b = textureLoad(palette, vec2<i32>(min(i32(low) + 1, 511), 0), 0).rgb;
    return mix(a, b, at - low);
}

#ifdef DETAIL
// Width of a pixel in metres at a distance in world units.
fn pixel_metres(away: f32) -> f32 {
    return away * frame.waves.w;
}

// Distance in samples from a crest to the points on both sides where slopes are read.
const CREST_CELLS = 2.0;

// Offset, in cells, of the position at which the cover and site maps are read. The offset makes the borders of snow,
// sand and river deposits ragged. The ragged patches range from a few cells down to the size of a pixel.
fn ragged(world: vec3<f32>) -> vec2<f32> {
    let metres = frame.rock_slopes.z;
    let cell_metres = cell() * metres;
    let footprint = pixel_metres(distance(world, eye()));
    var width = 2.6 * cell_metres;
    var sum = vec2<f32>(0.0);
    for (var k = 0; k < 5; k += 1) {
        let shown = 1.0 - smoothstep(0.25 * width, width, footprint);
        if shown <= 0.0 { break; }
        let place = world.xz * (metres / width) + 17.3 * f32(k);
        sum += (shown * width) * (noise_pair(place) - 0.5);
        width *= 0.41;
    }
    return sum / cell_metres;
}

#ifdef ASKS_CURVATURE
// Curvature from the slopes two samples away; mirrors `GroundConditions::curvature` in
// src/appearance/materials/conditions.rs.
fn curvature_at(at: vec2<f32>, lod: f32) -> f32 {
    let step = 2.0 / (last_sample() + 1.0);
    let west = leaning(at - vec2<f32>(step, 0.0), lod).x;
    let east = leaning(at + vec2<f32>(step, 0.0), lod).x;
    let north = leaning(at - vec2<f32>(0.0, step), lod).y;
    let south = leaning(at + vec2<f32>(0.0, step), lod).y;
    return 1000.0 * (west - east + north - south) / (8.0 * cell() * frame.rock_slopes.z);
}

fn leaning(at: vec2<f32>, lod: f32) -> vec2<f32> {
    let slope = textureSampleLevel(slope_map, smooth_sampler, at, lod).xy;
    return slope * inverseSqrt(1.0 + dot(slope, slope));
}

#endif

#ifdef ASKS_WETNESS
// Topographic wetness; mirrors `wetness` in src/appearance/materials/conditions.rs.
fn wetness_of(flow: f32, tangent: f32, cell_metres: f32) -> f32 {
    let area_log = (3.0 + 4.0 * flow) * 2.302585;
    let index = area_log - log(cell_metres * max(tangent, 0.001));
    return min(flow / 0.04, 1.0) * saturate((index - 5.0) / 10.0);
}
#endif

fn ground_of(
    world: vec3<f32>,
    at: vec2<f32>,
    surface: Surface,
    colour: vec3<f32>,
    cover: vec2<f32>,
    site: vec4<f32>,
) -> Ground {
    let metres = frame.rock_slopes.z;
    let away = distance(world, eye());
    // a size between the width and the length of the pixel's footprint, closer to the length: with a smaller size,
    // lines would flicker at grazing angles
    let facing = max(abs(dot(surface.normal, (eye() - world) / away)), 0.01);
    let footprint = pixel_metres(away) * pow(facing, -0.7);
    let ruffled = noise(world.xz * metres / 23.0) + 0.5 * noise(world.xz * metres / 5.1) - 0.75;
    let highest = max(colour.r, colour.b);
    let cell_metres = cell() * metres;
    let lod = max(log2(footprint / cell_metres), 0.0);
    var curvature = 0.0;
#ifdef ASKS_CURVATURE
    curvature = curvature_at(at, lod);
#endif
    var wetness = 0.0;
#ifdef ASKS_WETNESS
    if site.x > 0.0 { wetness = wetness_of(site.x, surface.steepness, cell_metres) + 0.06 * ruffled; }
#endif
    var hardness = 0.0;
#ifdef ASKS_HARDNESS
#ifdef COVER_MAP
    // a terrain with known rock hardness always has a cover map
    hardness = textureSampleLevel(cover_map, smooth_sampler, at, lod).z;
#endif
#endif
    let values = SiteValues(
        degrees(atan(surface.steepness)) + 7.0 * ruffled,
        (world.y - sea()) / max(relief() - sea(), 1e-6),
        surface.openness + 0.12 * ruffled,
        // the conditions are in the order flow, deposits, erosion, vegetation
        vec4<f32>(vec3<f32>(site.xy, 1.0 - site.w) + 0.12 * ruffled * step(vec3<f32>(0.01), vec3<f32>(site.xy, 1.0 - site.w)), site.z),
        colour.g - highest + 0.012 * ruffled,
        dot(colour, vec3<f32>(0.2126, 0.7152, 0.0722)) + 0.05 * ruffled,
        curvature,
        wetness,
        hardness,
    );
    let slope = -surface.normal.xz / max(surface.normal.y, 0.05);
    var creases = creases_of(world.xz * metres, slope, footprint, cell_metres);
    creases.gradient *= surface.normal.y;
    let laid = laid_ground(values, cover, colour, surface.normal, world * metres, footprint, cell_metres, creases);
    // draw no cornices on the mirrored land, where the wind would come from another side
    if footprint > 1.5 * cell_metres || any(abs(world.xz) > vec2<f32>(0.5 * side())) { return laid; }
    return with_cornice(laid, surface.normal, world.xz * metres, at, footprint, cell_metres);
}

// Snow rounds the edges that it covers. On crests across the wind direction, snow grows out over the lee side as a
// cornice. A cornice has a smooth roof up to a rim and, below the rim, a hollow, shaded face (Seligman 1936; Vogel et
// al. 2012). A cornice is narrower than the sample spacing, so its position is computed from the change of slope across
// the crest.
fn with_cornice(
    bare: Ground,
    normal: vec3<f32>,
    flat: vec2<f32>,
    at: vec2<f32>,
    footprint: f32,
    cell_metres: f32,
) -> Ground {
    let downwind = frame.waves.xy;
    let reach = downwind * (CREST_CELLS / (last_sample() + 1.0));
    var snow = bare.snow;
#ifdef COVER_MAP
    snow = max(snow, textureSampleLevel(cover_map, smooth_sampler, at - 0.5 * reach, 0.0).y);
#endif
    if snow < 0.03 { return bare; }
    let windward = textureSampleLevel(slope_map, smooth_sampler, at - reach, 0.0).xy;
    let lee = textureSampleLevel(slope_map, smooth_sampler, at + reach, 0.0).xy;
    let slope = -normal.xz / max(normal.y, 0.05);
    let rise = dot(windward, downwind);
    let fall = -dot(lee, downwind);
    let bend = rise + fall;
    // replace half of the slope by the mean slope around the position
    let rounded = snow * 0.5 * smoothstep(0.2, 0.9, bend) * (1.0 - smoothstep(0.5, 1.5, footprint / cell_metres));
    var shape = rounded * (0.5 * (windward + lee) - slope);
    // cornices are some metres wide, and narrower where the sample spacing is smaller
    let width = clamp(0.4 * cell_metres, 1.5, 7.0);
    let ragged = noise_pair(flat / (5.0 * width)) - 0.5;
    let past = 2.0 * CREST_CELLS * cell_metres * -dot(slope, downwind) / max(bend, 0.2);
    let t = past / width + 1.4 * ragged.x;
    let grown = snow * smoothstep(0.5, 1.0, bend + 0.6 * ragged.y) * smoothstep(0.2, 0.55, fall)
        * smoothstep(-0.3, 0.05, rise) * (1.0 - smoothstep(0.3, 1.0, footprint / width));
    let roof = grown * smoothstep(-2.5, -0.5, t) * (1.0 - smoothstep(0.15, 0.6, t));
    let face = grown * smoothstep(0.2, 0.7, t) * (1.0 - smoothstep(1.0, 3.5, t));
    // the roof continues the windward slope less steeply; the face is steep
    shape += downwind * (roof * (0.4 * rise - dot(slope, downwind)) - face * 0.8);
    var out = bare;
    let white = max(roof, face * (1.0 - smoothstep(0.8, 2.2, t)));
    // light that has passed through snow is blue
    let shade = mix(vec3<f32>(1.0 + 0.06 * roof), vec3<f32>(0.80, 0.88, 0.97), face);
    out.colour = mix(bare.colour, SNOW, white * (1.0 - bare.snow)) * shade;
    out.snow = max(bare.snow, white);
    out.open = bare.open * (1.0 - 0.34 * face);
    out.normal = normalize(bare.normal - vec3<f32>(shape.x, 0.0, shape.y) * normal.y);
    return out;
}
#else
// The surface at a position before lighting.
struct Ground {
    colour: vec3<f32>,
    normal: vec3<f32>,
    open: f32,
    gloss: f32,
    snow: f32,
}
#endif

fn surface_at(flat: vec2<f32>) -> Surface {
    let at = map_coordinates(flat);
    return sloping_surface(at, textureSample(slope_map, smooth_sampler, at).xy);
}

// The surface with the given slope. `at` is the position in texture coordinates of the maps.
fn sloping_surface(at: vec2<f32>, slope: vec2<f32>) -> Surface {
    let light = textureSample(light_map, smooth_sampler, at).xy;
    let normal = normalize(vec3<f32>(-slope.x, 1.0, -slope.y));
    return Surface(normal, length(slope), sun_share_of(light.x), light.y);
}

// Each combination of mode and overlay has its own fragment stage, because software drivers evaluate every branch.

// The colours of the scene, with material detail if this detail is enabled.
fn natural(in: GroundVertex, surface: Surface) -> Ground {
    return natural_at(in.world, map_coordinates(in.world.xz), surface, roughness(in.world));
}

// Two octaves of noise around 0 that blur the borders between palette colours, as plants and scree do.
fn roughness(world: vec3<f32>) -> f32 {
    let place = world.xz * (64.0 / side());
    return noise(place) + 0.5 * noise(place * 4.3 + 7.0) - 0.75;
}

// The natural colours at a world position. This position shows the terrain at the texture coordinates `at`, which
// differ from its own on mirrored land.
fn natural_at(world: vec3<f32>, at: vec2<f32>, surface: Surface, rough: f32) -> Ground {
    var painted = vec4<f32>(0.0);
#ifdef COLOUR_MAP
    painted = textureSample(colour_map, smooth_sampler, at);
#endif
    var lying_at = at;
#ifdef DETAIL
#ifdef COVER_MAP
    lying_at += ragged(world) / (last_sample() + 1.0);
#else ifdef SITE_MAP
    lying_at += ragged(world) / (last_sample() + 1.0);
#endif
#endif
    var cover = vec2<f32>(0.0);
#ifdef COVER_MAP
    cover = textureSample(cover_map, smooth_sampler, lying_at).xy;
#endif
    var site = NO_SITE;
#ifdef SITE_MAP
    site = textureSample(site_map, smooth_sampler, lying_at);
#endif
    return ground_at(world, at, surface, painted, cover, site, rough);
}

fn ground_at(
    world: vec3<f32>,
    at: vec2<f32>,
    surface: Surface,
    painted: vec4<f32>,
    cover: vec2<f32>,
    site: vec4<f32>,
    rough: f32,
) -> Ground {
#ifdef DETAIL
    // draw wet rims around rivers and lakes: next to the water, the depth map continues below 0; far from water, the
    // map is 0
    var rim = 0.0;
#ifdef WATER_MAP
    let place = at * (last_sample() + 1.0) - 0.5;
    let low = floor(place);
    let part = place - low;
    // the four samples around the position: south-west, south-east, north-east, north-west
    let found = textureGather(0, water_map, smooth_sampler, (low + 1.0) / (last_sample() + 1.0));
    // replace zeros, because the edge of the negative depths must not look like a second shore
    let deepest = min(min(found.x, found.y), min(found.z, found.w));
    let depths = select(found, vec4<f32>(deepest), found == vec4<f32>(0.0));
    let rows = mix(depths.wx, depths.zy, part.x);
    // the depth minus the threshold from which a film of water is visible
    let depth = mix(rows.x, rows.y, part.y) - frame.surface_water.y;
    if depth < 0.0 {
        // the gradient of the depth gives the distance to the line of depth 0
        let change = vec2<f32>(mix(depths.z - depths.w, depths.y - depths.x, part.y), rows.y - rows.x);
        let cells = -depth / max(length(change), 1e-7);
        rim = 1.0 - smoothstep(0.6, 2.6, cells * cell() * metres_per_unit());
    }
#endif
    let bare = with_plants(coloured(world, surface, painted, rough), site.z) * (1.0 - 0.32 * rim);
    return with_canopy(ground_of(world, at, surface, bare, cover, site), surface.normal, world, at);
#else
    let bare = with_plants(coloured(world, surface, painted, rough), site.z);
    return Ground(with_cover(bare, cover, rough), surface.normal, 1.0, 0.0, 0.0);
#endif
}

// The palette colour, covered by the colours of biomes or construction materials according to their alpha. `rough` is
// the noise at the position.
fn coloured(world: vec3<f32>, surface: Surface, painted: vec4<f32>, rough: f32) -> vec3<f32> {
    let above = world.y - sea();
    let is_land = step(0.0, above);
    let height = world.y + rough * 0.035 * relief() * saturate(above / (0.05 * relief()));
    let edge = surface.steepness * (1.0 + 0.35 * rough) + 0.10 * (0.5 - surface.openness);
    let rock = smoothstep(frame.rock_slopes.x, frame.rock_slopes.y, edge) * frame.rock.a * is_land * (1.0 - painted.a);
    let stone = frame.rock.rgb * (1.0 + 0.30 * rough);
    let ground = painted.rgb + palette_colour(height) * (1.0 - painted.a);
    let bare = mix(ground * (1.0 + 0.12 * rough), stone, rock);
    // darken wet terrain at the shore of the sea
    let wet = frame.patches.w * (1.0 - smoothstep(0.0, min(0.012 * relief(), 4.0 / metres_per_unit()), above));
    return bare * (1.0 - 0.28 * wet);
}

// Colour at a position of the overlay's colour ramp. It is loaded, not sampled, because a filter could read the palette
// beyond the end of the ramp's row.
fn ramp_colour(at: f32) -> vec3<f32> {
    return textureLoad(palette, vec2<i32>(i32(saturate(at) * 511.0 + 0.5), 1), 0).rgb;
}

// Colour and opacity of the slope overlay.
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

// Returns the surface with lighter shadows, so that an overlay on it stays readable.
fn lightened(surface: Surface) -> Surface {
    return Surface(surface.normal, surface.steepness, mix(surface.sun_share, 1.0, 0.5), surface.openness);
}

fn light_on_ground(ground: Ground, surface: Surface, world: vec3<f32>) -> vec3<f32> {
    var light = lit_between(ground.colour, ground.normal, surface.sun_share, surface.openness, ground.open);
    if ground.gloss > 0.0 {
        let to_eye = normalize(eye() - world);
        let middle = normalize(to_eye + to_sun());
        let shine = pow(max(dot(ground.normal, middle), 0.0), 60.0) * surface.sun_share;
        light += ground.gloss * (sun_colour() * shine + 0.25 * sky_light() * mirrored_share(dot(to_eye, ground.normal)));
    }
#ifdef DETAIL
    if ground.snow > 0.1 {
        light += ground.snow * surface.sun_share * sun_colour() * glitter(world, ground.normal);
    }
#endif
    return light;
}

#ifdef DETAIL
// Brightness of snow crystals that reflect the sun to the eye. Only a few crystals have the right orientation. Each
// crystal is as wide as a pixel, but at least some millimetres.
fn glitter(world: vec3<f32>, normal: vec3<f32>) -> f32 {
    let metres = metres_per_unit();
    let away = distance(world, eye());
    let seen = 1.0 - smoothstep(15.0, 70.0, away * metres);
    if seen <= 0.0 {
        return 0.0;
    }
    let wide = exp2(ceil(log2(max(1.3 * pixel_metres(away), 0.004))));
    let crystal = floor(world.xz * metres / wide);
    let leans = vec3<f32>(hash(crystal), hash(crystal + 31.7), hash(crystal + 73.1)) - 0.5;
    let facet = normalize(normal + 1.1 * leans);
    let middle = normalize(normalize(eye() - world) + to_sun());
    return seen * 3.5 * pow(max(dot(facet, middle), 0.0), 900.0);
}
#endif

fn light_on(colour: vec3<f32>, surface: Surface) -> vec3<f32> {
    return lit(colour, surface.normal, surface.sun_share, surface.openness);
}

fn with_haze(light: vec3<f32>, in: GroundVertex) -> vec3<f32> {
    return mix(light, in.haze.rgb, in.haze.a);
}

fn shaded(in: GroundVertex) -> vec3<f32> {
    var surface = surface_at(in.world.xz);
    surface.sun_share *= under_clouds(in.world);
#ifdef DETAIL
    surface.sun_share *= sun_between_plants(in.world, surface.normal, 1.5);
#endif
    return with_haze(light_on_ground(natural(in, surface), surface, in.world), in);
}

fn shaded_tinted(in: GroundVertex, surface: Surface, tint: vec4<f32>) -> vec3<f32> {
    var ground = natural(in, surface);
    ground.colour = mix(ground.colour, tint.rgb, tint.a);
    ground.normal = normalize(mix(ground.normal, surface.normal, tint.a));
    ground.open = mix(ground.open, 1.0, tint.a);
    ground.gloss *= 1.0 - tint.a;
    ground.snow *= 1.0 - tint.a;
    return with_haze(light_on_ground(ground, surface, in.world), in);
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

// ---- the land around: copies of the terrain, mirrored at every edge in between ----

struct FarVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    // position on the terrain that this point of the copy shows
    @location(1) flat: vec2<f32>,
    @location(2) haze: vec4<f32>,
    // xy is the slope to add, z the weight of the mirrored slope, w the nearness of the copy's edge, from 0 to 1
    @location(3) bend: vec4<f32>,
    // 1 for each axis along which the copy is mirrored
    @location(4) @interpolate(flat) axes: vec2<f32>,
}

// Fraction of the side length over which a copy of the terrain is bent to join its inner neighbour.
const BENT_SIDES = 0.12;

// Height of a copy of the terrain at a position in samples, and the field `bend` of the vertex. At a mirrored edge all
// slopes reverse, which looks like a ditch or a wall. Near the edge, the copy is therefore rotated by half a turn about
// the edge instead of mirrored. Farther out, the rotated copy blends into the mirrored land.
struct BentLand {
    height: f32,
    bend: vec4<f32>,
}

fn bent_land(place: vec2<f32>, height: f32, tile: vec2<f32>, signs: vec2<f32>, lod: f32) -> BentLand {
    let outward = sign(tile);
    let inner = last_sample() * (0.5 - 0.5 * signs * outward);
    let way = (place - inner) / (BENT_SIDES * last_sample());
    let t = saturate(abs(way));
    let near = abs(outward) * (1.0 - t * t * (3.0 - 2.0 * t));
    if all(near <= vec2<f32>(0.0)) {
        return BentLand(height, vec4<f32>(0.0, 0.0, 1.0, 0.0));
    }
    let change = abs(outward) * sign(way) * t * (1.0 - t) * (-6.0 / (BENT_SIDES * side()));
    // the positions on the inner edge along each axis
    let west = vec2<f32>(inner.x, place.y);
    let north = vec2<f32>(place.x, inner.y);
    let on_west = ground_height(west);
    let on_north = ground_height(north);
    let across = turned_by(on_west - height);
    let across_north = turned_by(ground_height(inner) - on_north);
    let bent = height + near.x * across.x;
    let bent_north = on_north + near.x * across_north.x;
    let along = turned_by(bent_north - bent);
    // weight of the mirrored slope; the next value is the slope to add
    let left = vec2<f32>(1.0 - near.x * across.y, 1.0 - near.y * along.y);
    let north_slope = slope_near(north, lod).x * (1.0 - near.x * across_north.y) + change.x * across_north.x;
    let added = vec2<f32>(
        left.y * change.x * across.x + near.y * along.y * north_slope,
        left.y * near.x * across.y * slope_near(west, lod).y + change.y * along.x);
    // terrain that is above the sea must remain above the sea after bending
    let least = min(min(height, select(height, on_west, near.x > 0.0)), select(height, on_north, near.y > 0.0));
    let shown = max(bent + near.y * along.x, min(least, sea() + 0.01 * relief()));
    return BentLand(shown, vec4<f32>(added, left.x * left.y, max(near.x, near.y)));
}

// Height by which rotated land exceeds mirrored land. `over` is the height of the edge above the mirrored land. The
// part above the edge itself is limited to a fraction of the relief. The second value is the derivative of this height
// with respect to `over`.
fn turned_by(over: f32) -> vec2<f32> {
    let room = 0.06 * relief();
    let part = 1.0 / (1.0 + abs(over) / room);
    return vec2<f32>(over + over * part, 1.0 + part * part);
}

fn slope_near(place: vec2<f32>, lod: f32) -> vec2<f32> {
    return textureSampleLevel(slope_map, smooth_sampler, (place + 0.5) / (last_sample() + 1.0), lod).xy;
}

@vertex
fn far_ground_vertex(@builtin(vertex_index) index: u32, @location(0) piece: vec4<u32>) -> FarVertex {
    let row = u32(frame.patches.z) + 1u;
    let tile = vec2<f32>(f32(piece.w & 255u), f32(piece.w >> 8u)) - 64.0;
    let axes = abs(tile - 2.0 * floor(0.5 * tile + 0.25));
    let signs = 1.0 - 2.0 * axes;
    let middle = tile * side();
    let its_eye = (frame.lod.xy - middle) * signs;
    let vertex = surface_vertex_from(piece, vec2<f32>(f32(index % row), f32(index / row)), its_eye);
    let flat = vertex.world.xz * signs + middle;
    let land = bent_land(vertex.place, vertex.world.y, tile, signs, f32(piece.z));
    let world = vec3<f32>(flat.x, beyond_edge(land.height, flat), flat.y);
    return FarVertex(clip_of(world), world, vertex.world.xz, haze(world), land.bend, axes);
}

// Shadow depth as in `light_map`, for copies mirrored east to west, north to south, and both.
@group(0) @binding(20) var mirrored_shadow_map: texture_2d<f32>;

@fragment
fn far_ground_fragment(in: FarVertex) -> @location(0) vec4<f32> {
#ifdef VOID_MASK
    if is_void(in.flat) {
        discard;
    }
#endif
    let at = map_coordinates(in.flat);
    let slope = textureSample(slope_map, smooth_sampler, at).xy;
    var surface = sloping_surface(at, in.bend.z * slope + in.bend.xy);
    // on a copy, slopes along mirrored axes are reversed
    let axes = in.axes;
    let signs = 1.0 - 2.0 * axes;
    surface.normal = vec3<f32>(surface.normal.x * signs.x, surface.normal.y, surface.normal.z * signs.y);
    // on a copy, the sun is on the other side along mirrored axes
    let samples = f32(textureDimensions(mirrored_shadow_map).x);
    let place = ((in.flat / side() + 0.5) * (samples - 1.0) + 0.5) / samples;
    let depths = textureSample(mirrored_shadow_map, smooth_sampler, place).xyz;
    let depth = select(select(depths.y, depths.x, axes.x > 0.5), depths.z, axes.x * axes.y > 0.5);
    let turned = select(surface.sun_share, sun_share_of(depth), axes.x + axes.y > 0.5);
    // next to the edge, the shadows of the terrain continue
    surface.sun_share = mix(turned, surface.sun_share, in.bend.w) * under_clouds(in.world);
    // software drivers skip this noise, because the air hides it at this distance
    var rough = 0.0;
#ifdef DETAIL
    rough = roughness(in.world);
#endif
    let ground = natural_at(in.world, at, surface, rough);
    let light = light_on_ground(ground, surface, in.world);
    return vec4<f32>(to_screen(mix(light, in.haze.rgb, in.haze.a), in.clip.xy), 1.0);
}
