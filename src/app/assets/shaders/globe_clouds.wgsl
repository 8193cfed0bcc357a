// Clouds: 3D noise on a spherical layer that rotates slowly about the axis. src/ground/planet/clouds.rs explains the model and
// defines the constants in capitals.

fn has_clouds() -> bool { return frame.clouds.x > 0.0; }

// Density of the clouds in a direction, from 0 to 1.
fn cloudiness(up: vec3<f32>, octaves: f32) -> f32 {
    let drift = frame.clouds.z;
    let c = cos(drift);
    let s = sin(drift);
    var place = vec3<f32>(c * up.x + s * up.y, c * up.y - s * up.x, up.z) * CLOUD_HUMPS;
    let bend = noises(place * CLOUD_BEND_HUMPS + CLOUD_BEND_START) - 0.5;
    place += bend * vec3<f32>(CLOUD_BEND_LEVEL, CLOUD_BEND_LEVEL, CLOUD_BEND_AXIS);
    place += (noises(place * CLOUD_CURL_HUMPS + CLOUD_CURL_START) - 0.5) * CLOUD_CURL;
    var sum = 0.0;
    var share = CLOUD_FIRST_SHARE;
    var scale = 1.0;
    for (var k = 0u; k < 11u; k += 1u) {
        let octave = f32(k);
        if octave >= octaves { break; }
        let here = share * min(octaves - octave, 1.0);
        sum += here * (noises(place * scale + octave * CLOUD_OCTAVE_START).x - 0.5);
        share *= CLOUD_OCTAVE_SHARE;
        scale *= CLOUD_OCTAVE_HUMPS;
    }
    // there are rain belts at the equator and in middle latitudes, and dry belts between them
    let belts = CLOUD_BELTS * cos(6.0 * asin(clamp(up.z, -1.0, 1.0)));
    let level = CLOUD_LEVEL - 2.0 * CLOUD_LEVEL * frame.clouds.x;
    return smoothstep(level - CLOUD_EDGE_BELOW, level + CLOUD_EDGE_ABOVE, sum + belts);
}

// Number of cloud octaves with a wavelength of at least two quads, for the quad width at this distance from the eye.
// Octaves after the eighth have no visible effect on a shadow.
fn octaves_on(distance: f32) -> f32 {
    let humps = radius() / (2.0 * frame.cover.x * distance);
    return clamp(1.0 + log2(humps / CLOUD_HUMPS) / log2(CLOUD_OCTAVE_HUMPS), 1.0, min(frame.cover.y, 8.0));
}

// Fraction of sunlight that the clouds let through to the surface.
fn under_clouds(up: vec3<f32>, octaves: f32) -> f32 {
    if frame.clouds.w <= 0.0 || !has_clouds() {
        return 1.0;
    }
    let rise = (frame.clouds.y - radius()) / radius();
    let towards = up + to_sun() * (rise / max(dot(up, to_sun()), 0.12));
    return 1.0 - frame.clouds.w * cloudiness(normalize(towards), octaves);
}

struct CloudVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) rel: vec3<f32>,
    @location(1) up: vec3<f32>,
    @location(2) scattered: vec3<f32>,
    @location(3) passed: vec3<f32>,
    @location(4) sunlight: vec3<f32>,
}

@vertex
fn cloud_vertex(@builtin(vertex_index) index: u32, piece: PatchInstance) -> CloudVertex {
    let quad = quad_of(index);
    let spot = morphed(piece, quad.xy);
    let rel = piece.centre.xyz + spot.away * frame.clouds.y;
    let air = air_before(rel);
    let sunlight = sunlight_at(frame.clouds.y, dot(spot.up, to_sun()));
    return CloudVertex(clip_of(rel), rel, spot.up, air.light, air.through, sunlight);
}

@fragment
fn cloud_fragment(in: CloudVertex) -> @location(0) vec4<f32> {
    let up = normalize(in.up);
    let dense = cloudiness(up, frame.cover.y);
    // fade clouds near the eye, so that the eye does not meet a wall when it flies through a cloud
    let near = saturate(length(in.rel) / (0.25 * (frame.clouds.y - radius())));
    let cover = saturate(dense * CLOUD_THICKNESS) * CLOUD_OPACITY * near;
    if cover <= 0.002 {
        discard;
    }
    let facing = dot(up, to_sun());
    let from_below = eye_radius() < frame.clouds.y;
    let thick = smoothstep(0.15, 1.0, dense);
    // thick clouds are bright from above and dark from below
    let shade = select(mix(0.72, 1.0, thick), mix(0.95, 0.42, thick), from_below);
    let bright = frame.light.x * in.sunlight * (0.10 + 0.50 * saturate(facing + 0.08)) * shade
        + sky_light(up) * 0.9 * mix(0.8, 1.0, shade);
    let light = bright * in.passed + in.scattered + formula(up, normalize(in.rel)) * 0.5;
    return vec4<f32>(to_screen(light, in.clip.xy) * cover, cover);
}
