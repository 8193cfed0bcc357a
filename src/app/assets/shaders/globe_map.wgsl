// The flat map: every pixel has a longitude and a latitude.

const HALF_TURN: f32 = 3.14159265;

// Returns the opacity of lines at multiples of `step`, each one pixel wide.
fn rule(angle: f32, step: f32, pixel: f32) -> f32 {
    let away = abs(fract(angle / step + 0.5) - 0.5) * step;
    return saturate(1.2 - away / pixel);
}

@fragment
fn map_fragment(in: ScreenVertex) -> @location(0) vec4<f32> {
    let scale = frame.map.z;
    let half = 0.5 * frame.viewport.zw;
    let aside = in.far * half * scale;
    let longitude = frame.map.x + aside.x;
    let latitude = frame.map.y + aside.y;
    if abs(latitude) > 0.5 * HALF_TURN {
        return vec4<f32>(to_screen(vec3<f32>(0.012, 0.014, 0.018), in.clip.xy), 1.0);
    }
    let level = cos(latitude);
    let up = vec3<f32>(level * cos(longitude), level * sin(longitude), sin(latitude));
    let found = located(up);
    let face = u32(found.z);
    let at = map_coordinates(found.xy);
    let texels = scale * samples() * (2.0 / HALF_TURN);
    let lod = max(log2(max(texels, 1e-6)), 0.0);
    let shape = textureSampleLevel(shape_map, level_sampler, at, face, lod);
    let colour = textureSampleLevel(colour_map, level_sampler, at, face, lod).rgb;
    let surface = surface_of(shape, colour, face, up);
    // the light comes from the north-west, as is usual on maps; the night side is only dimmed, so that the map stays
    // readable
    let east = vec3<f32>(-sin(longitude), cos(longitude), 0.0);
    let north = cross(up, east);
    let lamp = normalize(up * 0.9 - east * 0.6 + north * 0.6);
    let facing = mix(max(dot(surface.normal, lamp), 0.0) / 0.73, 1.0, 0.25);
    let day = mix(0.42, 1.0, smoothstep(-0.10, 0.10, dot(up, to_sun())));
    var light = surface.albedo * (1.75 * facing) * mix(1.0, day, frame.star.w * (1.0 - frame.map.w));
    let step = select(HALF_TURN / 6.0, select(HALF_TURN / 18.0, HALF_TURN / 180.0, scale < 0.00012), scale < 0.0011);
    let grid = max(rule(latitude, step, scale), rule(longitude, step, scale));
    light = mix(light, vec3<f32>(0.75), 0.16 * grid);
    return vec4<f32>(to_screen(light, in.clip.xy), 1.0);
}
