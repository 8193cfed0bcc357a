// Plants and stones, on terrains and planets alike: their leaves, and the shadows that they throw. Mirrors
// `ScatterInstance` and `ScatterCorner` in src/app/view/plants/scatter.rs.

// Pairs of needles or leaflets on a leaf.
const NEEDLES = 11.0;

// A corner of a shape, turned about the vertical (y).
fn turned_about_y(corner: vec3<f32>, turn: f32) -> vec3<f32> {
    let c = cos(turn);
    let s = sin(turn);
    return vec3<f32>(c * corner.x - s * corner.z, corner.y, s * corner.x + c * corner.z);
}

// The same of a plant so high, some wider than others.
fn sized(corner: vec3<f32>, turn: f32, size: f32, random: f32) -> vec3<f32> {
    let spread = 0.86 + 0.30 * random;
    return turned_about_y(corner, turn) * size * vec3<f32>(spread, 1.0, spread);
}

// Colour of a corner: no two plants are alike. `ground` is the square root of the ground's colour, and a random number.
fn tinted(colour: vec3<f32>, ground: vec4<f32>, ground_share: f32) -> vec3<f32> {
    let tint = colour * mix(vec3<f32>(0.82, 0.86, 0.8), vec3<f32>(1.25, 1.15, 1.1), ground.w);
    return mix(tint, ground.rgb * ground.rgb, ground_share);
}

// Whether a pixel shows nothing: two levels of detail share the pixels while one takes over from the other, and near
// the eye a leaf (place along it and across it) is many needles or leaflets.
fn is_gap(pixel: vec2<f32>, shown: vec2<f32>, leaf: vec2<f32>) -> bool {
    let noise = fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715))));
    let along = leaf.x * NEEDLES;
    let fine = 1.0 - smoothstep(0.12, 0.45, fwidth(along));
    let away = abs(leaf.y);
    let gap = abs(2.0 * fract(along - 1.6 * away) - 1.0);
    return noise < shown.x || noise >= shown.y || (leaf.x >= 0.0 && gap * fine > mix(1.0, 0.42, away));
}

// Between which values of noise a shape so high is drawn: of one that an eye stands in, so far from its stem and so high
// over its foot, nothing is.
fn shown_around(shown: vec2<f32>, size: f32, aside: f32, above: f32) -> vec2<f32> {
    let inside = (1.0 - smoothstep(0.15, 0.30, aside / size)) * (1.0 - smoothstep(1.0, 1.2, above / size));
    return vec2<f32>(max(shown.x, inside), shown.y);
}

// How a leaf faces the sun, which shines through leaves and around needles.
fn leaf_facing(normal: vec3<f32>) -> f32 {
    let facing = dot(normal, to_sun());
    return 0.72 * max(facing, 0.0) + 0.28 * saturate(0.5 + 0.5 * facing);
}

#ifdef DETAIL

// Light that comes through a crown.
const THROUGH_CROWNS = 0.24;

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

// Share of the sun that plants and stones leave a place, in the coordinates of the frame's maps; `lifted` texels away
// from its surface it is measured.
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

// Area of the side of a crown beside that of its shadow at noon.
const CROWN_SIDES = 1.5;
// Light on crowns that stand in each other's shadow, beside that on level ground.
const CROWN_SHADE = 0.8;

// Share of the ground that crowns hide which are not drawn themselves: `cover` of it seen from above. Seen at a slant
// they hide more: their sides count as often as the cotangent of the view, of which the sine is given.
fn hidden_by_crowns(cover: f32, view_sine: f32, drawn: f32) -> f32 {
    let sine = max(view_sine, 0.05);
    let times = 1.0 + CROWN_SIDES * sqrt(1.0 - sine * sine) / sine;
    return 1.0 - pow(1.0 - min(cover, 0.99), times * (1.0 - drawn));
}

// Their colour; `crown` and `stand` are noises around 0 as wide as crowns and as stands of trees.
fn crown_colour(canopy: vec4<f32>, crown: f32, stand: f32) -> vec3<f32> {
    let root = canopy.rgb / canopy.a;
    return root * root * CROWN_SHADE * (1.0 + 0.5 * crown + 0.35 * stand);
}

#endif
