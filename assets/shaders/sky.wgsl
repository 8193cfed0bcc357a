// The sky, the floor below the block, and the haze between the eye and what it sees.

fn horizon_colour(ray: vec3<f32>) -> vec3<f32> {
    let sun = to_sun();
    let level = normalize(ray.xz + vec2<f32>(1e-5));
    let towards = max(dot(level, normalize(sun.xz + vec2<f32>(1e-5))), 0.0);
    let clear = vec3<f32>(0.58, 0.69, 0.81);
    let low = mix(vec3<f32>(0.50, 0.50, 0.58), vec3<f32>(1.0, 0.58, 0.32), towards * towards);
    return mix(clear * (1.0 + 0.12 * towards), low, dusk());
}

fn sky_colour(ray: vec3<f32>) -> vec3<f32> {
    let up = saturate(ray.y);
    let zenith = mix(vec3<f32>(0.085, 0.20, 0.44), vec3<f32>(0.10, 0.14, 0.30), dusk());
    let rise = 1.0 - pow(1.0 - up, 4.0);
    var colour = mix(horizon_colour(ray), zenith, rise);
    let sun = max(dot(ray, to_sun()), 0.0);
    let glow = 0.22 * pow(sun, 12.0) + 0.5 * pow(sun, 180.0) + 14.0 * smoothstep(0.99955, 0.9998, sun);
    colour += sun_colour() * glow * 0.35;
    return colour;
}

// The floor the block stands over: wide, pale and out of focus, with the shadow of the block.
fn floor_colour(ray: vec3<f32>) -> vec3<f32> {
    let down = max(-ray.y, 1e-4);
    let distance = max(eye().y - base(), 1.0) / down;
    let place = eye().xz + ray.xz * distance;
    // the block throws its shadow away from the sun
    let thickness = max(frame.heights.w - base(), 1.0);
    let lean = -to_sun().xz / max(to_sun().y, 0.25) * thickness * 0.35;
    let along = saturate(dot(place, lean) / max(dot(lean, lean), 1.0));
    let under = max(abs(place) - 0.5 * side(), vec2<f32>(0.0));
    let thrown = max(abs(place - lean * along) - 0.5 * side(), vec2<f32>(0.0));
    let contact = exp(-length(under) / (0.06 * side()));
    let shade = exp(-length(thrown) / (0.13 * side()));
    let ground = mix(vec3<f32>(0.27, 0.315, 0.36), vec3<f32>(0.26, 0.25, 0.29), dusk());
    let spot = exp(-dot(place, place) / (2.2 * side() * side()));
    let colour = ground * (0.80 + 0.35 * spot) * (1.0 - 0.42 * contact) * (1.0 - 0.30 * shade);
    let haze = 1.0 - exp(-distance / (4.5 * side()));
    return mix(colour, horizon_colour(ray), haze);
}

fn backdrop(ray: vec3<f32>) -> vec3<f32> {
    // both sides meet in the colour of the horizon
    if ray.y >= 0.0 {
        return sky_colour(ray);
    }
    return floor_colour(ray);
}

// Colour of the air between the eye and `world`, and the share of what is seen that it makes up.
fn haze(world: vec3<f32>) -> vec4<f32> {
    let offset = world - eye();
    let distance = length(offset);
    let ray = offset / distance;
    // thinner higher up: density falls with height over the lowest ground
    let height = saturate((world.y - frame.heights.z) / (0.35 * side()));
    let density = mix(1.0, 0.45, height) / (6.5 * side());
    let optical = distance * density;
    let amount = 1.0 - exp(-optical * (0.55 + 0.9 * saturate(optical)));
    let colour = horizon_colour(ray) * vec3<f32>(0.88, 0.95, 1.05);
    return vec4<f32>(colour, amount);
}

fn hazed(light: vec3<f32>, world: vec3<f32>) -> vec3<f32> {
    let air = haze(world);
    return mix(light, air.rgb, air.a);
}

@fragment
fn sky_fragment(in: ScreenVertex) -> @location(0) vec4<f32> {
    let near = frame.world_from_clip * vec4<f32>(in.far, 1.0, 1.0);
    let ray = normalize(near.xyz / near.w - eye());
    return vec4<f32>(to_screen(backdrop(ray), in.clip.xy), 1.0);
}
