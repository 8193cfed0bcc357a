// Code that all shaders of a planet share: the frame, and the surface in the vertex stage. This file is joined with the
// files screen and colours, which all views use. After it come the files materials, globe_air, globe_shadows,
// globe_clouds, plants, globe_ground, globe_scatter, globe_sky and globe_map. Square terrains also use materials and
// plants.
//
// Positions are in planet space, in metres: the z axis points to the north pole, the x axis to the prime meridian.
// Positions are relative to the eye, so that nearby positions keep their precision. Heights are drawn heights, which
// include the vertical exaggeration.

// Uniform data of a frame; mirrors `GlobeFrame` in src/app/view/globe/frame.rs.
struct GlobeFrame {
    clip_from_rel: mat4x4<f32>,
    rel_from_clip: mat4x4<f32>,
    eye: vec4<f32>,
    sun: vec4<f32>,
    disc: vec4<f32>,
    size: vec4<f32>,
    lod: vec4<f32>,
    grid: vec4<f32>,
    air: vec4<f32>,
    rayleigh: vec4<f32>,
    haze: vec4<f32>,
    tint: vec4<f32>,
    clouds: vec4<f32>,
    cover: vec4<f32>,
    light: vec4<f32>,
    viewport: vec4<f32>,
    map: vec4<f32>,
    star: vec4<f32>,
    texture: vec4<f32>,
    extinction: vec4<f32>,
    plant_shadows: array<mat4x4<f32>, 2>,
    plants: vec4<f32>,
    // fraction of sunlight that clouds and mountains let through to plants, at the points of a lattice around the eye;
    // each vector holds four points
    plant_sun: array<vec4<f32>, 64>,
}

@group(0) @binding(0) var<uniform> frame: GlobeFrame;
@group(0) @binding(1) var height_map: texture_2d_array<f32>;
// slopes along rows and columns, height above sea level in kilometres, fraction of surface water
@group(0) @binding(2) var shape_map: texture_2d_array<f32>;
@group(0) @binding(3) var colour_map: texture_2d_array<f32>;
@group(0) @binding(4) var smooth_sampler: sampler;
// sampler for explicit mip levels: with the other sampler, some drivers use screen derivatives, which jump at face
// borders
@group(0) @binding(5) var level_sampler: sampler;
// tiles of fine terrain between the samples: heights in metres. The other tile textures have the formats of the maps.
@group(0) @binding(6) var tile_heights: texture_2d<f32>;
@group(0) @binding(7) var tile_shapes: texture_2d<f32>;
@group(0) @binding(8) var tile_colours: texture_2d<f32>;
#ifdef DETAIL
@group(0) @binding(9) var material_maps: texture_2d_array<f32>;
@group(0) @binding(10) var material_sampler: sampler;
@group(0) @binding(11) var<uniform> ground_rules: GroundRules;
@group(0) @binding(12) var plant_shadow_maps: texture_depth_2d_array;
@group(0) @binding(13) var plant_shadow_sampler: sampler_comparison;
// canopy in the tiles: square root of (colour · cover), and the cover
@group(0) @binding(14) var tile_canopies: texture_2d<f32>;
#endif
// lattice values that `volume_noises` interpolates
@group(0) @binding(15) var noise_volume: texture_3d<f32>;
@group(0) @binding(16) var noise_sampler: sampler;
// tile textures with deposits, erosion, vegetation and hardness
@group(0) @binding(17) var tile_sites: texture_2d<f32>;

// Unit vector from the planet's centre towards the eye; the next function returns the distance between them.
fn to_eye() -> vec3<f32> { return frame.eye.xyz; }
fn eye_radius() -> f32 { return frame.eye.w; }
fn to_sun() -> vec3<f32> { return frame.sun.xyz; }
fn radius() -> f32 { return frame.size.x; }
// Drawn height of a terrain height of 1; the next function returns the drawn height of the sea.
fn relief() -> f32 { return frame.size.y; }
fn sea() -> f32 { return frame.size.z; }
fn exaggeration() -> f32 { return frame.size.w; }
fn samples() -> f32 { return frame.grid.x; }
fn quads() -> f32 { return frame.grid.y; }
fn has_sea() -> bool { return frame.grid.z > 0.5; }
// 1 if the terrain is drawn without its natural colours.
fn is_plain() -> f32 { return frame.grid.w; }
fn exposure() -> f32 { return frame.extinction.w; }

// The three axes of a cube face: outwards, along its rows and along its columns.
fn face_axes(face: u32) -> mat3x3<f32> {
    let x = vec3<f32>(1.0, 0.0, 0.0);
    let y = vec3<f32>(0.0, 1.0, 0.0);
    let z = vec3<f32>(0.0, 0.0, 1.0);
    switch face {
        case 0u: { return mat3x3<f32>(x, y, -z); }
        case 1u: { return mat3x3<f32>(-x, -y, -z); }
        case 2u: { return mat3x3<f32>(y, -x, -z); }
        case 3u: { return mat3x3<f32>(-y, x, -z); }
        case 4u: { return mat3x3<f32>(z, y, x); }
        default: { return mat3x3<f32>(-z, y, -x); }
    }
}

// Tangent of an angle up to 45°, computed accurately for small angles.
fn tangent(x: f32) -> f32 {
    let s = x * x;
    return x * (945.0 - 105.0 * s + s * s) / (945.0 - 420.0 * s + 15.0 * s * s);
}

// Drawn height at a position on a face, bilinearly interpolated. Both coordinates run from 0 to 1.
fn ground_height(face: u32, place: vec2<f32>) -> f32 {
    let last = samples() - 1.0;
    let at = clamp(place, vec2<f32>(0.0), vec2<f32>(1.0)) * last;
    let low = min(floor(at), vec2<f32>(last - 1.0));
    let part = at - low;
    let k = vec2<i32>(low);
    let a = textureLoad(height_map, k, face, 0).x;
    let b = textureLoad(height_map, k + vec2<i32>(1, 0), face, 0).x;
    let c = textureLoad(height_map, k + vec2<i32>(0, 1), face, 0).x;
    let d = textureLoad(height_map, k + vec2<i32>(1, 1), face, 0).x;
    return mix(mix(a, b, part.x), mix(c, d, part.x), part.y) * relief();
}

// Texture coordinates of a position on a face.
fn map_coordinates(place: vec2<f32>) -> vec2<f32> {
    return (place * (samples() - 1.0) + 0.5) / samples();
}

// Drawn height in a tile, bilinearly interpolated. `at` holds the first texel of the patch and the number of texel
// steps along the patch.
fn tile_height(at: vec4<f32>, quad: vec2<f32>) -> f32 {
    let place = at.xy + clamp(quad / quads(), vec2<f32>(0.0), vec2<f32>(1.0)) * at.z;
    let low = floor(place);
    let part = place - low;
    let k = vec2<i32>(low);
    // the sample after the tile's last sample belongs to another tile, but its weight is 0
    let next = k + vec2<i32>(ceil(part));
    let a = textureLoad(tile_heights, k, 0).x;
    let b = textureLoad(tile_heights, vec2<i32>(next.x, k.y), 0).x;
    let c = textureLoad(tile_heights, vec2<i32>(k.x, next.y), 0).x;
    let d = textureLoad(tile_heights, next, 0).x;
    return mix(mix(a, b, part.x), mix(c, d, part.x), part.y) * exaggeration();
}

// Texture coordinates of a position in a tile.
fn tile_coordinates(at: vec4<f32>, quad: vec2<f32>) -> vec2<f32> {
    return (at.xy + quad / quads() * at.z + 0.5) / vec2<f32>(textureDimensions(tile_shapes));
}

// A patch: its tile, its centre relative to the eye, and the difference between the directions of this centre and of
// the eye. `centre.w` and `aside.w` are the face coordinates of the centre, as tangents.
// src/app/view/globe/tiles/drawing.rs explains which tiles a patch shows.
struct PatchInstance {
    @location(0) tile: vec4<u32>,
    @location(1) centre: vec4<f32>,
    @location(2) aside: vec4<f32>,
    @location(3) own: vec4<f32>,
    @location(4) coarse: vec4<f32>,
    // depth of the skirts in metres, without exaggeration
    @location(5) skirt: f32,
}

fn has_tile(own: vec4<f32>) -> bool { return own.z > 0.0; }
fn has_coarse_tile(coarse: vec4<f32>) -> bool { return coarse.w == 1.0 || coarse.w == 3.0; }

// Weight of the coarser tile for a patch with this morph fraction.
fn coarse_share(piece: PatchInstance, morph: f32) -> f32 {
    return max(select(morph, 0.0, piece.coarse.w >= 2.0), 1.0 - piece.own.w);
}

struct Spot {
    // unit vector from the planet's centre to the point
    up: vec3<f32>,
    // difference between the direction of the point and the direction of the patch's centre
    away: vec3<f32>,
    place: vec2<f32>,
    // position in quads of the patch, after the vertex has morphed
    quad: vec2<f32>,
    // fraction by which the vertex has morphed to the coarser level
    morph: f32,
}

// The direction of a point of a patch. It is computed from small differences to avoid cancellation.
fn spot_at(piece: PatchInstance, quad: vec2<f32>) -> Spot {
    let tiles = exp2(f32(piece.tile.y));
    let axes = face_axes(piece.tile.x);
    let middle = vec2<f32>(piece.centre.w, piece.aside.w);
    let turn = (quad / quads() - 0.5) * (1.57079633 / tiles);
    let step = vec2<f32>(tangent(turn.x), tangent(turn.y));
    let rise = step * (1.0 + middle * middle) / (1.0 - middle * step);
    let here = middle + rise;
    let length_middle = sqrt(1.0 + dot(middle, middle));
    let length_here = sqrt(1.0 + dot(here, here));
    let outer = axes[0] + axes[1] * middle.x + axes[2] * middle.y;
    let shorter = -dot(rise, here + middle) / (length_here * length_middle * (length_here + length_middle));
    let away = (axes[1] * rise.x + axes[2] * rise.y) / length_here + outer * shorter;
    let place = (vec2<f32>(piece.tile.zw) + quad / quads()) / tiles;
    return Spot(outer / length_middle + away, away, place, quad, 0.0);
}

// Distance of a point from the eye, measured as in the selection of patches.
fn lod_distance(piece: PatchInstance, spot: Spot) -> f32 {
    let along = length(spot.away + piece.aside.xyz) * frame.lod.x;
    return sqrt(along * along + frame.lod.y * frame.lod.y);
}

// A vertex of a patch. Near the end of its own level's range, it morphs towards the vertex of the next coarser level.
fn morphed(piece: PatchInstance, quad: vec2<f32>) -> Spot {
    let spot = spot_at(piece, quad);
    let level = f32(piece.tile.y);
    let range = frame.lod.z * exp2(-level);
    let start = frame.lod.w;
    var morph = saturate((lod_distance(piece, spot) / range - start) / (1.0 - start));
    if level == 0.0 {
        morph = 0.0;
    }
    let odd = quad - 2.0 * floor(0.5 * quad);
    var moved = spot;
    if morph > 0.0 && any(odd != vec2<f32>(0.0)) {
        moved = spot_at(piece, quad - odd * morph);
    }
    moved.morph = morph;
    return moved;
}

// Position of vertex `index` of a patch. Indices after the last vertex of the quads belong to the skirts.
fn quad_of(index: u32) -> vec3<f32> {
    let row = u32(quads()) + 1u;
    if index < row * row {
        return vec3<f32>(f32(index % row), f32(index / row), 0.0);
    }
    let k = index - row * row;
    let along = f32(k % row);
    let end = quads();
    switch k / row {
        case 0u: { return vec3<f32>(end - along, 0.0, 1.0); }
        case 1u: { return vec3<f32>(end, end - along, 1.0); }
        case 2u: { return vec3<f32>(along, end, 1.0); }
        default: { return vec3<f32>(0.0, along, 1.0); }
    }
}

fn clip_of(rel: vec3<f32>) -> vec4<f32> {
    return frame.clip_from_rel * vec4<f32>(rel, 1.0);
}

// ---- three-dimensional noise ----

fn scrambled(place: vec3<i32>) -> vec3<f32> {
    var x = bitcast<vec3<u32>>(place) * 1664525u + 1013904223u;
    x.x += x.y * x.z;
    x.y += x.z * x.x;
    x.z += x.x * x.y;
    x ^= x >> vec3<u32>(16u);
    x.x += x.y * x.z;
    x.y += x.z * x.x;
    x.z += x.x * x.y;
    return vec3<f32>(x >> vec3<u32>(8u)) * (1.0 / 16777216.0);
}

// Three smooth noises from 0 to 1 with a wavelength of one unit.
fn noises(place: vec3<f32>) -> vec3<f32> {
    let low = floor(place);
    let part = place - low;
    let t = part * part * part * (part * (part * 6.0 - 15.0) + 10.0);
    let k = vec3<i32>(low);
    let a = mix(scrambled(k), scrambled(k + vec3<i32>(1, 0, 0)), t.x);
    let b = mix(scrambled(k + vec3<i32>(0, 1, 0)), scrambled(k + vec3<i32>(1, 1, 0)), t.x);
    let c = mix(scrambled(k + vec3<i32>(0, 0, 1)), scrambled(k + vec3<i32>(1, 0, 1)), t.x);
    let d = mix(scrambled(k + vec3<i32>(0, 1, 1)), scrambled(k + vec3<i32>(1, 1, 1)), t.x);
    return mix(mix(a, b, t.y), mix(c, d, t.y), t.z);
}

// Three smooth noises from a texture that repeats after 64 units. Use them only where exact values are not needed. The
// texture coordinates are eased so that the filter weights follow the quintic curve.
fn volume_noises(place: vec3<f32>) -> vec3<f32> {
    let low = floor(place);
    let part = place - low;
    let t = part * part * part * (part * (part * 6.0 - 15.0) + 10.0);
    let first = low - 64.0 * floor(low / 64.0);
    return textureSampleLevel(noise_volume, noise_sampler, (first + t + 0.5) / 64.0, 0.0).xyz;
}
