// Plants and stones on square terrains and planets: their leaves, and the shadows that they cast. The inputs mirror
// `ScatterInstance` and `ScatterCorner` in src/app/view/plants/scatter.rs.

// Number of pairs of needles or leaflets on a leaf.
const NEEDLES = 11.0;

// A vertex of a shape, rotated about the vertical axis (y).
fn turned_about_y(corner: vec3<f32>, turn: f32) -> vec3<f32> {
    let c = cos(turn);
    let s = sin(turn);
    return vec3<f32>(c * corner.x - s * corner.z, corner.y, s * corner.x + c * corner.z);
}

// A vertex of a plant or stone of the height `size`, rotated about the vertical axis. Plants vary in width at random.
fn sized(corner: vec3<f32>, turn: f32, size: f32, random: f32) -> vec3<f32> {
    let spread = 0.86 + 0.30 * random;
    return turned_about_y(corner, turn) * size * vec3<f32>(spread, 1.0, spread);
}

// Colour of a vertex, which varies from plant to plant. `ground` holds the square root of the terrain's colour, and a
// random number.
fn tinted(colour: vec3<f32>, ground: vec4<f32>, ground_share: f32) -> vec3<f32> {
    let tint = colour * mix(vec3<f32>(0.82, 0.86, 0.8), vec3<f32>(1.25, 1.15, 1.1), ground.w);
    return mix(tint, ground.rgb * ground.rgb, ground_share);
}

// Whether a pixel of a plant stays empty. During a transition, two levels of detail share the pixels. Near the eye, a
// leaf (with coordinates along and across it) is divided into needles or leaflets.
fn is_gap(pixel: vec2<f32>, shown: vec2<f32>, leaf: vec2<f32>) -> bool {
    let noise = fract(52.9829189 * fract(dot(pixel, vec2<f32>(0.06711056, 0.00583715))));
    let along = leaf.x * NEEDLES;
    let fine = 1.0 - smoothstep(0.12, 0.45, fwidth(along));
    let away = abs(leaf.y);
    let gap = abs(2.0 * fract(along - 1.6 * away) - 1.0);
    return noise < shown.x || noise >= shown.y || (leaf.x >= 0.0 && gap * fine > mix(1.0, 0.42, away));
}

// Interval of noise values in which a plant of this height is drawn. The interval is empty if the eye is within the
// plant. `aside` is the horizontal distance of the eye from the stem, `above` its height above the foot of the plant.
fn shown_around(shown: vec2<f32>, size: f32, aside: f32, above: f32) -> vec2<f32> {
    let inside = (1.0 - smoothstep(0.15, 0.30, aside / size)) * (1.0 - smoothstep(1.0, 1.2, above / size));
    return vec2<f32>(max(shown.x, inside), shown.y);
}

// Fraction of sunlight on a leaf. The sun also shines through leaves and around needles.
fn leaf_facing(normal: vec3<f32>) -> f32 {
    let facing = dot(normal, to_sun());
    return 0.72 * max(facing, 0.0) + 0.28 * saturate(0.5 + 0.5 * facing);
}

#ifdef DETAIL

// Fraction of light that passes through the crown of a tree.
const THROUGH_CROWNS = 0.24;

// Fraction of sunlight at a position, according to one of the shadow maps.
fn lit_in_map(at: vec3<f32>, map: i32, spread: f32) -> f32 {
    let place = vec2<f32>(0.5 + 0.5 * at.x, 0.5 - 0.5 * at.y);
    var sum = 0.0;
    for (var k = 0; k < 9; k += 1) {
        let offset = (vec2<f32>(f32(k % 3), f32(k / 3)) - 1.0) * spread;
        sum += textureSampleCompareLevel(plant_shadow_maps, plant_shadow_sampler, place + offset, map, at.z);
    }
    return sum / 9.0;
}

// Weight of a shadow map at a position: 0 at the edge of the map, 1 far from the edge.
fn share_of_map(at: vec3<f32>) -> f32 {
    let edge = max(abs(at.x), abs(at.y));
    return (1.0 - smoothstep(0.86, 0.97, edge)) * step(0.0, at.z) * step(at.z, 1.0);
}

// Fraction of sunlight that plants and stones let through to a position, in the coordinates of the frame's shadow maps.
// The shadow is read `lifted` texels above the surface.
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

// Fraction of the plants that are drawn individually at a distance; see `kept_fraction` in src/app/view/plants/cells.rs.
fn share_drawn(away: f32) -> f32 {
    return min(pow(frame.plants.w / max(away, 1e-6), 1.2), 1.0);
}

// Area of a crown in side view, as a multiple of its projected area in plan view.
const CROWN_SIDES = 1.5;
// Light on crowns that shade each other, relative to level terrain.
const CROWN_SHADE = 0.8;

// Fraction of the terrain hidden by crowns that are not drawn individually. Seen from above, crowns hide the fraction
// `cover`. Seen at a slant, they hide more: the area of their sides counts in proportion to the cotangent of the view's
// elevation angle. `view_sine` is the sine of this angle.
fn hidden_by_crowns(cover: f32, view_sine: f32, drawn: f32) -> f32 {
    let sine = max(view_sine, 0.05);
    let times = 1.0 + CROWN_SIDES * sqrt(1.0 - sine * sine) / sine;
    return 1.0 - pow(1.0 - min(cover, 0.99), times * (1.0 - drawn));
}

// Colour of crowns that are not drawn individually. `crown` and `stand` are noises around 0 at the scales of crowns and
// of stands of trees.
fn crown_colour(canopy: vec4<f32>, crown: f32, stand: f32) -> vec3<f32> {
    let root = canopy.rgb / canopy.a;
    return root * root * CROWN_SHADE * (1.0 + 0.5 * crown + 0.35 * stand);
}

#endif
