// The sky, the floor below the terrain block, and the haze between the eye and visible points.

// Light of the sky in the direction `ray`. It is read from the map that src/appearance/light/sky.rs computes, by
// azimuth relative to the sun and by elevation `up`, from 0 to 1.
fn sky_at(ray: vec3<f32>, up: f32) -> vec3<f32> {
    let level = normalize(ray.xz + vec2<f32>(1e-5));
    let sun = normalize(to_sun().xz + vec2<f32>(1e-5));
    let azimuth = sqrt(acos(clamp(dot(level, sun), -1.0, 1.0)) / 3.14159265);
    let at = vec2<f32>((azimuth * 63.0 + 0.5) / 64.0, (up * 31.0 + 0.5) / 32.0);
    return textureSampleLevel(sky_map, smooth_sampler, at, 0.0).rgb;
}

fn horizon_colour(ray: vec3<f32>) -> vec3<f32> {
    return sky_at(ray, 0.06);
}

// The light of the sky without sun and stars.
fn air_colour(ray: vec3<f32>) -> vec3<f32> {
    let up = asin(saturate(ray.y)) / 1.57079633;
    return sky_at(ray, max(sqrt(up), 0.06));
}

// The light of the sky with the sun and the stars.
fn sky_colour(ray: vec3<f32>) -> vec3<f32> {
    var colour = air_colour(ray);
    let sun = max(dot(ray, to_sun()), 0.0);
    colour += sun_colour() * 6.0 * smoothstep(0.99992, 0.99997, sun);
#ifdef STARS
    colour += frame.sun_light.w * stars(ray);
#endif
    return colour;
}

// The sky with clouds in front of it, seen from below.
fn cloudy_sky(ray: vec3<f32>) -> vec3<f32> {
    let clear = sky_colour(ray);
#ifdef CLOUDS
    let over = frame.overlay.w - eye().y;
    if frame.overlay.z <= 0.0 || over <= 0.0 || ray.y <= 0.004 {
        return clear;
    }
    let way = over / ray.y;
    let metres = (eye().xz + ray.xz * way) * metres_per_unit();
    let dense = cloudiness(metres);
    // thick clouds are dark from below, and sunlight passes through their edges
    let sun = max(dot(ray, to_sun()), 0.0);
    let thick = smoothstep(0.1, 1.0, dense);
    let white = 0.30 * sun_colour() * (1.0 + 2.5 * pow(sun, 8.0)) + 0.62 * sky_light();
    let light = white * mix(1.0, 0.62, thick);
    let far = exp(-way * metres_per_unit() / 38000.0);
    return mix(clear, light, min(dense * 1.3, 0.96) * far);
#else
    return clear;
#endif
}

#ifdef STARS
// Stars as large as a pixel. The faces of a cube around the eye are divided into cells, some of which contain a star.
fn stars(ray: vec3<f32>) -> vec3<f32> {
    let size = abs(ray);
    var face = vec3<f32>(ray.xz / size.y, 0.0);
    if size.x > max(size.y, size.z) { face = vec3<f32>(ray.yz / size.x, 2.0 + sign(ray.x)); }
    if size.z > max(size.x, size.y) { face = vec3<f32>(ray.xy / size.z, 6.0 + sign(ray.z)); }
    let cells = 90.0;
    let place = face.xy * cells;
    let number = floor(place) + face.z * 371.0;
    let own = hash(number);
    let other = hash(number + 57.3);
    let middle = floor(place) + 0.25 + 0.5 * vec2<f32>(own, hash(number + 91.7));
    let bright = smoothstep(0.88, 1.0, other);
    let pixel = 2.0 / (length(vec3<f32>(frame.clip_from_eye[0].y, frame.clip_from_eye[1].y, frame.clip_from_eye[2].y)) * frame.viewport.w);
    let away = distance(place, middle) / (cells * (1.0 + dot(face.xy, face.xy)));
    let radius = max(1.1 * pixel, 0.0007) * (0.7 + 0.5 * bright);
    // a star smaller than a pixel is fainter in proportion to its size
    let light = min(1.0, 0.0012 / radius);
    let round = light * (1.0 - smoothstep(0.35 * radius, radius, away));
    let warmth = mix(vec3<f32>(1.0, 0.90, 0.78), vec3<f32>(0.82, 0.90, 1.0), own);
    return warmth * (bright * bright * round * smoothstep(0.0, 0.2, ray.y) * 1.3);
}
#endif

// The floor below the terrain block: wide, pale and blurred, with the shadow of the block.
fn floor_colour(ray: vec3<f32>) -> vec3<f32> {
    let down = max(-ray.y, 1e-4);
    let distance = max(eye().y - base(), 1.0) / down;
    let place = eye().xz + ray.xz * distance;
    // the block casts its shadow away from the sun
    let thickness = max(frame.heights.w - base(), 1.0);
    let lean = -to_sun().xz / max(to_sun().y, 0.25) * thickness * 0.35;
    let along = saturate(dot(place, lean) / max(dot(lean, lean), 1.0));
    let under = max(abs(place) - 0.5 * side(), vec2<f32>(0.0));
    let thrown = max(abs(place - lean * along) - 0.5 * side(), vec2<f32>(0.0));
    let contact = exp(-length(under) / (0.06 * side()));
    let shade = exp(-length(thrown) / (0.13 * side()));
    let ground = 0.36 * (sky_light() + sun_colour() * to_sun().y * 0.30);
    let spot = exp(-dot(place, place) / (2.2 * side() * side()));
    let colour = ground * (0.80 + 0.35 * spot) * (1.0 - 0.42 * contact) * (1.0 - 0.30 * shade);
    let haze = 1.0 - exp(-distance / (4.5 * side()));
    return mix(colour, horizon_colour(ray), haze);
}

fn backdrop(ray: vec3<f32>) -> vec3<f32> {
    // an isolated block has no fog around it
    if frame.sky_light.w == 0.0 {
        if ray.y >= 0.0 { return cloudy_sky(ray); }
        return floor_colour(ray);
    }
    // sky and land meet in the colour of the horizon
    var behind = horizon_colour(ray);
    if ray.y >= 0.0 { behind = cloudy_sky(ray); }
#ifdef FOG
    if frame.fog.x > 0.0 {
        let high = max(eye().y - frame.fog.z, 0.0) * frame.fog.y;
        let above = frame.fog.x / frame.fog.y * exp(-high);
        return mix(fog_colour(ray), behind, exp(-above / max(ray.y, 1e-3)));
    }
#endif
    return behind;
}

#ifdef FOG
// Light that fog scatters towards the eye. This light comes from the sky and from the sun, and is brightest towards the
// sun.
fn fog_colour(ray: vec3<f32>) -> vec3<f32> {
    let ahead = max(dot(ray, to_sun()), 0.0);
    let through = 0.16 + 0.10 * to_sun().y + 0.42 * pow(ahead, 6.0);
    return 0.62 * sky_light() + through * sun_colour();
}

// Opacity of the fog along a path of the length `way` between two heights.
fn fog_share(from_height: f32, to_height: f32, way: f32) -> f32 {
    return 1.0 - exp(-frame.fog.x * way * layer_between(from_height, to_height, frame.fog.z, frame.fog.y));
}
#endif

// Colour and opacity of the air between the eye and `world`.
fn haze(world: vec3<f32>) -> vec4<f32> {
    let offset = world - eye();
    let distance = length(offset);
    let ray = offset / distance;
    // an isolated block has no air around it
    let start = select(0.0, clamp(way_to_block(ray), 0.0, distance), frame.sky_light.w == 0.0);
    let optical = (distance - start) * air_between(eye().y + start * ray.y, world.y);
    let through = exp(-frame.air.rgb * optical);
    let amount = 1.0 - dot(through, vec3<f32>(0.3, 0.45, 0.25));
    // thin air is blue, dense air is pale
    let blue = (1.0 - through) / max(amount, 1e-4);
    let beyond = smoothstep(0.72, 1.0, length(offset.xz) / (frame.air.w * side())) * step(0.5, frame.sky_light.w);
    let far = mix(amount, 1.0, beyond);
    let air = horizon_colour(ray) * mix(blue, vec3<f32>(1.0), far * far);
#ifdef FOG
    if frame.fog.x > 0.0 {
        // the fog is in front of the blue air
        let fog = fog_share(eye().y + start * ray.y, world.y, distance - start);
        let all = 1.0 - (1.0 - fog) * (1.0 - far);
        return vec4<f32>((fog_colour(ray) * fog + air * (far * (1.0 - fog))) / max(all, 1e-4), all);
    }
#endif
    return vec4<f32>(air, far);
}

// Distance along a ray to the air above the block. This air is bounded by the highest peak and by the block's sides.
fn way_to_block(ray: vec3<f32>) -> f32 {
    let flat = select(ray.xz, vec2<f32>(1e-6), abs(ray.xz) < vec2<f32>(1e-6));
    let ends = (vec2<f32>(-0.5 * side()) - eye().xz) / flat;
    let others = (vec2<f32>(0.5 * side()) - eye().xz) / flat;
    let near = min(ends, others);
    let down = max(eye().y - frame.heights.w, 0.0) / max(-ray.y, 1e-6);
    return max(max(near.x, near.y), down);
}

// Mean density of the air between two heights. The density falls by a factor of e every 8 km above the lowest terrain.
fn air_between(from_height: f32, to_height: f32) -> f32 {
    return layer_between(from_height, to_height, frame.heights.z, metres_per_unit() / 8000.0);
}

// Mean density, between two heights, of a layer of air or fog. Its density falls by a factor of e every 1 / `thins`
// units above its floor.
fn layer_between(from_height: f32, to_height: f32, floor_height: f32, thins: f32) -> f32 {
    let a = max(to_height - floor_height, 0.0) * thins;
    let b = max(from_height - floor_height, 0.0) * thins;
    let rise = b - a;
    if abs(rise) < 1e-3 {
        return exp(-a);
    }
    return (exp(-a) - exp(-b)) / rise;
}

fn hazed(light: vec3<f32>, world: vec3<f32>) -> vec3<f32> {
    let air = haze(world);
    return mix(light, air.rgb, air.a);
}

@fragment
fn sky_fragment(in: ScreenVertex) -> @location(0) vec4<f32> {
    // without air there is no gradient to a horizon, so the background has the colour of the sky near the sun
    if frame.air.w > 1e8 {
        let beside = horizon_colour(vec3<f32>(-to_sun().z, 0.0, to_sun().x));
        return vec4<f32>(to_screen(beside, in.clip.xy), BACKGROUND_ALPHA);
    }
    let near = frame.eye_from_clip * vec4<f32>(in.far, 1.0, 1.0);
    let ray = normalize(near.xyz / near.w);
    return vec4<f32>(to_screen(backdrop(ray), in.clip.xy), BACKGROUND_ALPHA);
}
