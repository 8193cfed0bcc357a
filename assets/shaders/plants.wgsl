// What plants do to the ground: the shadows that they throw, and the crowns that hide it from afar.

#ifdef DETAIL

@group(0) @binding(18) var plant_shadow_maps: texture_depth_2d_array;
@group(0) @binding(19) var plant_shadow_sampler: sampler_comparison;

// Light that comes through a crown.
const THROUGH_CROWNS = 0.24;
// Area of the side of a crown beside that of its shadow at noon.
const CROWN_SIDES = 1.5;
// Light on crowns that stand in each other's shadow, beside that on level ground.
const CROWN_SHADE = 0.8;

// Share of the sun that is seen between what is drawn in one of the maps.
fn lit_in_map(at: vec3<f32>, map: i32, spread: f32) -> f32 {
    let place = vec2<f32>(0.5 + 0.5 * at.x, 0.5 - 0.5 * at.y);
    var sum = 0.0;
    for (var k = 0; k < 9; k += 1) {
        let offset = (vec2<f32>(f32(k % 3), f32(k / 3)) - 1.0) * spread;
        sum += textureSampleCompareLevel(plant_shadow_maps, plant_shadow_sampler, place + offset, map, at.z);
    }
    return sum / 9.0;
}

// How far a place lies inside of a map: 0 at its edge, 1 where it counts in full.
fn share_of_map(at: vec3<f32>) -> f32 {
    let edge = max(abs(at.x), abs(at.y));
    return (1.0 - smoothstep(0.86, 0.97, edge)) * step(0.0, at.z) * step(at.z, 1.0);
}

// Share of the sun that plants and stones leave a place; `lifted` texels away from its surface it is measured.
fn sun_between_plants(world: vec3<f32>, normal: vec3<f32>, lifted: f32) -> f32 {
    if frame.plants.x <= 0.0 {
        return 1.0;
    }
    let towards = normal * lifted + to_sun() * 0.6 * lifted;
    let fine = frame.plant_shadows[0] * vec4<f32>(world + towards * frame.plants.y, 1.0);
    let wide = frame.plant_shadows[1] * vec4<f32>(world + towards * frame.plants.z, 1.0);
    let own = share_of_map(fine.xyz);
    var seen = 1.0;
    if own < 1.0 {
        seen = mix(1.0, lit_in_map(wide.xyz, 1, 1.0 / 2048.0), share_of_map(wide.xyz));
    }
    if own > 0.0 {
        seen = mix(seen, lit_in_map(fine.xyz, 0, 2.2 / 2048.0), own);
    }
    return 1.0 - frame.plants.x * (1.0 - THROUGH_CROWNS) * (1.0 - seen);
}

// Share of the plants that are drawn themselves at a distance; see `share_kept` in src/app/view/plants/scatter.rs.
fn share_drawn(away: f32) -> f32 {
    return min(pow(frame.plants.w / max(away, 1e-6), 1.2), 1.0);
}

// Ground under the crowns that are not drawn themselves, and in the shade of those that are.
fn with_canopy(ground: Ground, normal: vec3<f32>, world: vec3<f32>, at: vec2<f32>) -> Ground {
    let is_own = all(abs(world.xz) <= vec2<f32>(0.5 * side()));
    if frame.plants.w <= 0.0 {
        return ground;
    }
    let metres = metres_per_unit();
    let away = distance(world, eye());
    let pixel = pixel_metres(away);
    let texel = side() * metres / f32(textureDimensions(canopy_map).x);
    let found = textureSampleLevel(canopy_map, smooth_sampler, at, max(log2(pixel / texel), 0.0));
    let cover = found.a;
    if cover < 0.004 {
        return ground;
    }
    // none are drawn on the mirrored land
    let drawn = select(0.0, share_drawn(away), is_own);
    let root = found.rgb / cover;
    // crowns of some metres, and stands of some hundred
    let crown = noise(world.xz * metres / 6.1) + 0.5 * noise(world.xz * metres / 2.9 + 3.0) - 0.75;
    let stand = noise(world.xz * metres / 140.0) - 0.5;
    // seen at a slant crowns hide more: their sides count as often as the cotangent of the view
    let sine = max(dot(normal, normalize(eye() - world)), 0.05);
    let times = 1.0 + CROWN_SIDES * sqrt(1.0 - sine * sine) / sine;
    let hides = 1.0 - pow(1.0 - min(cover, 0.99), times * (1.0 - drawn));
    let colour = root * root * CROWN_SHADE * (1.0 + 0.5 * crown * (1.0 - smoothstep(2.0, 9.0, pixel)) + 0.35 * stand);
    var own = ground;
    own.colour = mix(ground.colour * (1.0 - 0.25 * cover), colour, hides);
    own.open = ground.open * (1.0 - 0.12 * cover * drawn);
    own.gloss = ground.gloss * (1.0 - cover);
    return own;
}

// ---- depths as seen from the sun ----

@vertex
fn plant_shadow_near_vertex(in: ScatterInput) -> @builtin(position) vec4<f32> {
    return frame.plant_shadows[0] * vec4<f32>(scatter_place(in), 1.0);
}

@vertex
fn plant_shadow_far_vertex(in: ScatterInput) -> @builtin(position) vec4<f32> {
    return frame.plant_shadows[1] * vec4<f32>(scatter_place(in), 1.0);
}

#endif
