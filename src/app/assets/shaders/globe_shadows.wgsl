// Shadows of mountains. To find them, terrain heights along the path to the sun are compared with the height of the
// ray.

fn has_shadows() -> bool { return frame.haze.z > 0.5; }

// The face that contains a direction, and the position on this face; w is unused.
fn located(direction: vec3<f32>) -> vec4<f32> {
    let size = abs(direction);
    var face = 0u;
    if size.x >= size.y && size.x >= size.z {
        face = select(0u, 1u, direction.x < 0.0);
    } else if size.y >= size.z {
        face = select(2u, 3u, direction.y < 0.0);
    } else {
        face = select(4u, 5u, direction.z < 0.0);
    }
    let axes = face_axes(face);
    let out = dot(direction, axes[0]);
    let along = vec2<f32>(dot(direction, axes[1]), dot(direction, axes[2])) / out;
    return vec4<f32>(atan(along) * (2.0 / 3.14159265) + 0.5, f32(face), 0.0);
}

// Drawn height of terrain whose height above sea level is given in kilometres.
fn drawn_height(over_kilometres: f32) -> f32 {
    let height = (over_kilometres * 1000.0 + frame.cover.w) * exaggeration();
    return select(height, max(height, sea()), has_sea());
}

// Fraction of sunlight that mountains let through to a point. The fraction depends on the steepest rise of the terrain
// above the ray to the sun. Steps grow with the distance, and the sampled mip levels become coarser with the steps. The
// search ends where the ray is above the highest terrain.
fn under_mountains(up: vec3<f32>, height: f32) -> f32 {
    let sine = dot(up, to_sun());
    let rise = frame.sun.w - height;
    if !has_shadows() || sine > 0.55 || sine < -0.35 {
        return 1.0;
    }
    let base = radius() + height;
    let room = max(rise, 0.0) * (2.0 * radius() + frame.sun.w + height);
    let root = sqrt(base * base * sine * sine + room);
    let leave = select(root - base * sine, room / max(root + base * sine, 1.0), sine > 0.0);
    let first = 0.6 * frame.haze.w;
    let steps = frame.haze.z;
    let growth = pow(max(leave / first, 1.0), 1.0 / (steps - 1.0));
    var worst = -1.0;
    var t = first;
    for (var k = 0.0; k < steps; k += 1.0) {
        let r = sqrt(max(base * base + t * (t + 2.0 * base * sine), 1.0));
        let ray = height + t * (t + 2.0 * base * sine) / (r + base);
        let found = located((up * base + to_sun() * t) / r);
        let lod = log2(max(0.4 * t * (growth - 1.0) / frame.haze.w, 1.0));
        let over = textureSampleLevel(shape_map, level_sampler, map_coordinates(found.xy), u32(found.z), lod).z;
        worst = max(worst, (drawn_height(over) - ray) / t);
        t *= growth;
    }
    let shade = 1.0 - smoothstep(-0.010, 0.014, worst);
    // fade the shadows out, so that there is no visible edge at the sun elevation above which the search is skipped
    return mix(shade, 1.0, smoothstep(0.40, 0.55, sine));
}
