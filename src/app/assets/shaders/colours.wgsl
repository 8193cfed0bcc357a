// Colour rules that all views share: snow and sand cover, all kinds of water, and lines on the terrain.

// Colours of sand and snow; mirrors `COVERS` in src/appearance/colours/snow_sand.rs.
const SAND = vec3<f32>(0.730, 0.491, 0.231);
const SNOW = vec3<f32>(0.871, 0.905, 0.939);

// Terrain colour under fractions of sand and snow. `rough` is noise around 0, which is faintly visible in the sand.
fn with_cover(ground: vec3<f32>, cover: vec2<f32>, rough: f32) -> vec3<f32> {
    return mix(mix(ground, SAND * (1.0 + 0.06 * rough), cover.x), SNOW, cover.y);
}

// Terrain colour under plants of the given density.
fn with_plants(ground: vec3<f32>, density: f32) -> vec3<f32> {
    return mix(ground, vec3<f32>(0.055, 0.086, 0.030), 0.85 * smoothstep(0.0, 0.9, density));
}

// Appearance of water in shallow and deep layers.
struct WaterLook {
    shallow: vec3<f32>,
    deep: vec3<f32>,
    // rate at which the colour approaches the colour of deep water as the depth grows
    darkening: f32,
    // fraction of the bottom that is hidden at the shore; the next fields are this fraction at the deepest point, and
    // the rate at which it rises with depth
    hidden_least: f32,
    hidden_most: f32,
    hiding: f32,
}

// The sea of a square terrain. The unit of depth is a ninth of the relief.
fn sea_look() -> WaterLook {
    return WaterLook(vec3<f32>(0.075, 0.235, 0.260), vec3<f32>(0.012, 0.060, 0.125), 0.9, 0.0, 0.93, 1.0);
}

// Rivers and lakes of a square terrain. The unit of depth is a fiftieth of the relief. Rivers and lakes are shallower
// than the sea, so their water hides the bottom at a smaller depth than sea water does.
fn surface_water_look() -> WaterLook {
    return WaterLook(vec3<f32>(0.070, 0.200, 0.235), vec3<f32>(0.012, 0.060, 0.125), 0.8, 0.475, 0.95, 2.2);
}

// The sea of a planet, drawn as a lit surface. Depths are in kilometres.
fn ocean_look() -> WaterLook {
    return WaterLook(vec3<f32>(0.040, 0.150, 0.185), vec3<f32>(0.008, 0.034, 0.090), 1.0 / 0.9, 0.45, 0.93, 1.0 / 0.16);
}

// Colour of rivers and lakes of a planet. It does not depend on their depth.
const LAKE = vec3<f32>(0.014, 0.066, 0.110);

// Colour of water of the given depth, and the fraction of the bottom that this water hides.
fn water_colour(look: WaterLook, depth: f32) -> vec4<f32> {
    let colour = mix(look.shallow, look.deep, 1.0 - exp(-look.darkening * depth));
    return vec4<f32>(colour, mix(look.hidden_least, look.hidden_most, 1.0 - exp(-look.hiding * depth)));
}

// Fraction of light that a water surface reflects (Schlick); `facing` is the cosine of the view angle.
fn mirrored_share(facing: f32) -> f32 {
    return 0.02 + 0.98 * pow(1.0 - saturate(facing), 5.0);
}

// Fraction of a pixel that lines cover. There is a line wherever `at` is a whole number.
fn line(at: f32, width: f32) -> f32 {
    let pixel = max(fwidth(at), 1e-6);
    let away = abs(fract(at - 0.5) - 0.5) / pixel;
    return saturate(width - away) * saturate(1.5 - pixel);
}
