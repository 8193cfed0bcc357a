// Code that all shaders of the flat view share: the frame, the surface in the vertex stage, and light. Software drivers
// evaluate both sides of every branch. Code for an optional feature is therefore compiled only if its name is defined:
// CLOUDS, FOG, STARS, COLOUR_MAP, COVER_MAP, SITE_MAP or WATER_MAP; see src/app/view/render/scene_needs.rs. This file
// is joined with the files screen and colours, which all views use, and sky, ground, sides, water and surface_water.

// Uniform data of a frame; mirrors `SquareFrame` in src/app/view/square/frame.rs.
struct Frame {
    clip_from_world: mat4x4<f32>,
    // matrix from clip space to positions relative to the eye, which are more precise than world positions far from the
    // origin
    eye_from_clip: mat4x4<f32>,
    eye_exposure: vec4<f32>,
    sun_plain: vec4<f32>,
    grid: vec4<f32>,
    heights: vec4<f32>,
    lod: vec4<f32>,
    patches: vec4<f32>,
    rock: vec4<f32>,
    rock_slopes: vec4<f32>,
    viewport: vec4<f32>,
    overlay: vec4<f32>,
    surface_water: vec4<f32>,
    // matrix from positions relative to the eye to clip space
    clip_from_eye: mat4x4<f32>,
    // values for the patches of a construction tree: x is the length of a grid step, yz the position of the eye within
    // the step that contains it, w the number of quads along a patch
    tiles: vec4<f32>,
    // rgb is the sunlight on terrain that faces the sun, w the brightness of the stars
    sun_light: vec4<f32>,
    // rgb is the light of the whole sky on level terrain, w the kind of surroundings (0 nothing, 1 land, 2 sea)
    sky_light: vec4<f32>,
    // rgb is the extinction of the air for each colour channel, w the extent of the surroundings as a multiple of the
    // terrain's side length
    air: vec4<f32>,
    // matrices from world space to the shadow maps of plants, a fine and a wide map
    plant_shadows: array<mat4x4<f32>, 2>,
    // x is the extinction of the fog at its floor, y the decrease of this extinction with height, per world unit, z the
    // height of the floor, w the width of the whole drawn land as a multiple of the terrain's side length
    fog: vec4<f32>,
    // xy is the direction of wind and waves (east, south), z the steepness of the waves, w the width of a pixel in
    // metres at a distance of 1
    waves: vec4<f32>,
    // x is the visibility of plant shadows, y and z are half a texel of the fine and of the wide shadow map, w is the
    // distance up to which all plants are drawn
    plants: vec4<f32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;
// heights with 16 bits per sample; see src/app/view/render/height_texels.rs
@group(0) @binding(1) var height_map: texture_2d<u32>;
@group(0) @binding(2) var slope_map: texture_2d<f32>;
@group(0) @binding(3) var light_map: texture_2d<f32>;
@group(0) @binding(4) var palette: texture_2d<f32>;
// depths of rivers and lakes; the next map holds positions of the overlay on its colour ramp. A map that the terrain
// does not need is a single texel
@group(0) @binding(5) var water_map: texture_2d<f32>;
@group(0) @binding(6) var data_map: texture_2d<f32>;
// colours of biomes and construction materials
@group(0) @binding(7) var colour_map: texture_2d<f32>;
// 1 in void areas, 0 on terrain
@group(0) @binding(8) var void_map: texture_2d<f32>;
@group(0) @binding(9) var smooth_sampler: sampler;
// x is the fraction covered by sand, y the fraction covered by snow, z the hardness of the rock where it is known
@group(0) @binding(11) var cover_map: texture_2d<f32>;
// light of the sky by azimuth from the sun and elevation
@group(0) @binding(12) var sky_map: texture_2d<f32>;
#ifdef DETAIL
// Detail textures of the terrain materials, and the rules that choose a material at each position.
@group(0) @binding(13) var material_maps: texture_2d_array<f32>;
@group(0) @binding(14) var material_sampler: sampler;
@group(0) @binding(15) var<uniform> ground_rules: GroundRules;
#endif
// values of the site map, in this order: flow, deposits, vegetation, 1 - erosion
@group(0) @binding(16) var site_map: texture_2d<f32>;
// canopy: square root of (colour · cover), and the cover
@group(0) @binding(17) var canopy_map: texture_2d<f32>;
#ifdef DETAIL
@group(0) @binding(18) var plant_shadow_maps: texture_depth_2d_array;
@group(0) @binding(19) var plant_shadow_sampler: sampler_comparison;
#endif
const NO_SITE = vec4<f32>(0.0, 0.0, 0.0, 1.0);

fn eye() -> vec3<f32> { return frame.eye_exposure.xyz; }
fn exposure() -> f32 { return frame.eye_exposure.w; }
fn to_sun() -> vec3<f32> { return frame.sun_plain.xyz; }
// 1 if the terrain is drawn without its natural colours
fn is_plain() -> f32 { return frame.sun_plain.w; }
fn metres_per_unit() -> f32 { return frame.rock_slopes.z; }
fn last_sample() -> f32 { return frame.grid.x; }
fn cell() -> f32 { return frame.grid.y; }
fn relief() -> f32 { return frame.grid.z; }
fn side() -> f32 { return frame.grid.w; }
fn sea() -> f32 { return frame.heights.x; }
fn base() -> f32 { return frame.heights.y; }
fn has_sea() -> bool { return frame.patches.w > 0.5; }
fn is_endless_land() -> bool { return frame.sky_light.w == 1.0; }
fn is_endless_sea() -> bool { return frame.sky_light.w == 2.0; }

// ---- the terrain surface ----

// Value of a map at a position in samples. The same position always gives the same bits.
fn value_at(map: texture_2d<f32>, place: vec2<f32>) -> f32 {
    let low = floor(place);
    let part = place - low;
    let at = vec2<i32>(low);
    let a = textureLoad(map, at, 0).x;
    if all(part == vec2<f32>(0.0)) {
        return a;
    }
    let end = vec2<i32>(i32(last_sample()));
    let b = textureLoad(map, min(at + vec2<i32>(1, 0), end), 0).x;
    let c = textureLoad(map, min(at + vec2<i32>(0, 1), end), 0).x;
    let d = textureLoad(map, min(at + vec2<i32>(1, 1), end), 0).x;
    return mix(mix(a, b, part.x), mix(c, d, part.x), part.y);
}

// World height of a sample.
fn height_at(at: vec2<i32>) -> f32 {
    let range = textureLoad(height_map, vec2<i32>(i32(last_sample()) + 1 + (at.x >> 6u), at.y), 0).x;
    let word = f32(textureLoad(height_map, at, 0).x);
    let share = f32(range >> 4u) / 4096.0 + ldexp(word / 65535.0, -i32(range & 15u));
    return frame.heights.z + (frame.heights.w - frame.heights.z) * share;
}

// World height of the terrain at a position in samples. The same position always gives the same bits.
fn ground_height(place: vec2<f32>) -> f32 {
    let low = floor(place);
    let part = place - low;
    let at = vec2<i32>(low);
    let a = height_at(at);
    if all(part == vec2<f32>(0.0)) {
        return a;
    }
    let end = vec2<i32>(i32(last_sample()));
    let b = height_at(min(at + vec2<i32>(1, 0), end));
    let c = height_at(min(at + vec2<i32>(0, 1), end));
    let d = height_at(min(at + vec2<i32>(1, 1), end));
    return mix(mix(a, b, part.x), mix(c, d, part.x), part.y);
}

fn world_of(place: vec2<f32>) -> vec2<f32> {
    return place * cell() - 0.5 * side();
}

struct Vertex {
    world: vec3<f32>,
    // position in quads of the patch, after the vertex has morphed
    quad: vec2<f32>,
    // position of the vertex in samples
    place: vec2<f32>,
}

// The vertex `quad` of the patch `piece` (column, row, level). Near the end of its own level's range, the vertex morphs
// towards the vertex of the next coarser level. Vertices beyond the last sample are moved to that sample.
fn surface_vertex(piece: vec4<u32>, quad: vec2<f32>) -> Vertex {
    return surface_vertex_from(piece, quad, frame.lod.xy);
}

// The vertex `quad` of a patch. Its morphing depends on the distance from `own_eye` instead of the frame's eye.
fn surface_vertex_from(piece: vec4<u32>, quad: vec2<f32>, own_eye: vec2<f32>) -> Vertex {
    let stride = exp2(f32(piece.z));
    let corner = vec2<f32>(piece.xy);
    let place = corner + quad * stride;
    let end = vec2<f32>(last_sample());
    let away = world_of(min(place, end)) - own_eye;
    let far = sqrt(dot(away, away) + frame.lod.z * frame.lod.z);
    let start = frame.patches.y;
    var morph = saturate((far / (frame.lod.w * stride) - start) / (1.0 - start));
    if f32(piece.z) >= frame.patches.x {
        morph = 0.0;
    }
    let odd = (quad - 2.0 * floor(0.5 * quad)) * stride;
    let moved = min(place - odd * morph, end);
    let flat = world_of(moved);
    return Vertex(vec3<f32>(flat.x, ground_height(moved), flat.y), (moved - corner) / stride, moved);
}

fn clip_of(world: vec3<f32>) -> vec4<f32> {
    return frame.clip_from_world * vec4<f32>(world, 1.0);
}

// Texture coordinates of the terrain's maps at a world position.
fn map_coordinates(flat: vec2<f32>) -> vec2<f32> {
    return ((flat + 0.5 * side()) / cell() + 0.5) / (last_sample() + 1.0);
}

// Change of the water depth from one sample to the next, to the east and to the south.
fn depth_change(at: vec2<f32>) -> vec2<f32> {
    let texel = 0.5 / (last_sample() + 1.0);
    let east = textureSampleLevel(water_map, smooth_sampler, at + vec2<f32>(texel, 0.0), 0.0).x
        - textureSampleLevel(water_map, smooth_sampler, at - vec2<f32>(texel, 0.0), 0.0).x;
    let south = textureSampleLevel(water_map, smooth_sampler, at + vec2<f32>(0.0, texel), 0.0).x
        - textureSampleLevel(water_map, smooth_sampler, at - vec2<f32>(0.0, texel), 0.0).x;
    return vec2<f32>(east, south);
}

// Whether a world position is in a void area.
fn is_void(flat: vec2<f32>) -> bool {
#ifdef VOID_MASK
    return textureSampleLevel(void_map, smooth_sampler, map_coordinates(flat), 0.0).x > 0.5;
#else
    return false;
#endif
}

// Terrain height at a position beyond the edges of the terrain. `height` is the height of the mirrored terrain there.
// Around an island, the terrain slopes down under the sea.
fn beyond_edge(height: f32, flat: vec2<f32>) -> f32 {
    if !is_endless_sea() { return height; }
    let outside = length(max(abs(flat) - 0.5 * side(), vec2<f32>(0.0)));
    return mix(height, min(height, sea() - 0.3 * relief()), smoothstep(0.0, 0.4, outside / side()));
}

// ---- light ----

struct Surface {
    normal: vec3<f32>,
    // tangent of the slope angle
    steepness: f32,
    sun_share: f32,
    openness: f32,
}


fn sun_colour() -> vec3<f32> { return frame.sun_light.rgb; }

// Light of the sky, plus the light that the surrounding land reflects.
fn sky_light() -> vec3<f32> {
    return 1.15 * frame.sky_light.rgb + vec3<f32>(0.085, 0.080, 0.075) * frame.sun_light.rgb;
}

#ifdef CLOUDS
// Thickness of the clouds over a position in metres, from 0 to 1. It is noise of six octaves, each rotated relative to
// the others.
fn cloudiness(metres: vec2<f32>) -> f32 {
    let cover = frame.overlay.z;
    var place = metres / 3400.0 + 31.7;
    place += 0.9 * (vec2<f32>(noise(place * 0.7), noise(place * 0.7 + 19.1)) - 0.5);
    var sum = 0.0;
    var share = 0.5;
    for (var k = 0; k < 6; k += 1) {
        sum += share * (noise(place) - 0.5);
        place = 2.13 * vec2<f32>(0.8 * place.x - 0.6 * place.y, 0.6 * place.x + 0.8 * place.y) + 5.3;
        share *= 0.52;
    }
    let level = mix(0.24, -0.30, cover);
    return smoothstep(level, level + 0.16, sum) * smoothstep(0.0, 0.08, cover);
}
#endif

// Fraction of sunlight that the clouds let through to a position.
fn under_clouds(world: vec3<f32>) -> f32 {
#ifdef CLOUDS
    if frame.overlay.z <= 0.0 {
        return 1.0;
    }
    let sun = to_sun();
    let towards = world.xz + sun.xz * (max(frame.overlay.w - world.y, 0.0) / max(sun.y, 0.12));
    return 1.0 - 0.82 * cloudiness(towards * metres_per_unit());
#else
    return 1.0;
#endif
}

// Fraction of sunlight at a shadow depth that the light map stores; see `shadow_depth` in light.rs.
fn sun_share_of(depth: f32) -> f32 {
    return 1.0 - smoothstep(0.0, 1.0, (depth - 0.5) * 8.0);
}

// Light that terrain of the given colour reflects.
fn lit(colour: vec3<f32>, normal: vec3<f32>, sun_share: f32, openness: f32) -> vec3<f32> {
    return lit_between(colour, normal, sun_share, openness, 1.0);
}

// Light that terrain of the given colour reflects if stones and blades of grass leave only the fraction `between` of
// the sky open. It is the sum of sunlight, skylight from above, light from the surroundings, and light from the side
// opposite to the sun. The light from the side opposite to the sun is greater in shade, because sunlit slopes face the
// shaded slopes.
fn lit_between(colour: vec3<f32>, normal: vec3<f32>, sun_share: f32, openness: f32, between: f32) -> vec3<f32> {
    let sun = to_sun();
    let facing = max(dot(normal, sun), 0.0) * sun_share;
    let open = saturate(0.30 + 1.15 * openness);
    let from_above = 0.5 + 0.5 * normal.y;
    let from_behind = normalize(vec3<f32>(-sun.x, 0.25, -sun.z));
    let behind = max(dot(normal, from_behind), 0.0);
    // both values make level terrain equally bright
    let across = mix(0.45, 0.10, sun_share);
    let above = 1.0 + from_behind.y * (0.10 - across) - 0.58;
    let sky = sky_light() * (above + 0.58 * from_above + across * behind) * open * open * between * between;
    let bounce = sun_colour() * vec3<f32>(0.085, 0.072, 0.056) * (1.0 - from_above) * open;
    return colour * (sun_colour() * facing + sky + bounce);
}
