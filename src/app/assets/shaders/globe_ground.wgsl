// The terrain and the sea: patches displaced in the vertex stage, coloured in the fragment stage.

struct GroundVertex {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) rel: vec3<f32>,
    @location(1) up: vec3<f32>,
    @location(2) place: vec2<f32>,
    @location(3) quad: vec2<f32>,
    // light of the air in front of the surface; the next fields are the transmittance of this air, and the sunlight on
    // the surface
    @location(4) scattered: vec3<f32>,
    @location(5) passed: vec3<f32>,
    @location(6) sunlight: vec3<f32>,
    @location(7) @interpolate(flat) face: u32,
    // the two tiles that the patch shows, and the weight of the coarser tile
    @location(8) @interpolate(flat) own: vec4<f32>,
    @location(9) @interpolate(flat) coarse: vec4<f32>,
    @location(10) coarse_share: f32,
    // sample spacing of the tile in metres
    @location(11) @interpolate(flat) spacing: f32,
#ifdef SUN_BY_VERTEX
    // fraction of sunlight that clouds and mountains let through to the vertex
    @location(12) sun_share: f32,
#endif
}

// Drawn height at a point of a patch, from its tiles or from the maps.
fn patch_height(piece: PatchInstance, spot: Spot, share: f32) -> f32 {
    if !has_tile(piece.own) {
        return ground_height(piece.tile.x, spot.place);
    }
    let fine = tile_height(piece.own, spot.quad);
    if share <= 0.0 {
        return fine;
    }
    if has_coarse_tile(piece.coarse) {
        return mix(fine, tile_height(piece.coarse, spot.quad), share);
    }
    return mix(fine, ground_height(piece.tile.x, spot.place), share);
}

@vertex
fn ground_vertex(@builtin(vertex_index) index: u32, piece: PatchInstance) -> GroundVertex {
    let quad = quad_of(index);
    let spot = morphed(piece, quad.xy);
    let below = quad.z * max(0.05 * radius() * exp2(-f32(piece.tile.y)) / quads(), piece.skirt * exaggeration());
    let share = coarse_share(piece, spot.morph);
    var height = patch_height(piece, spot, share);
    if has_sea() {
        height = max(height, sea());
    }
    let rel = piece.centre.xyz + spot.away * radius() + spot.up * (height - below);
    let air = air_before(rel);
    let sunlight = sunlight_at(radius() + height / exaggeration(), dot(spot.up, to_sun()));
    let spacing = 1.57079633 * radius() * exp2(-f32(piece.tile.y)) / max(piece.own.z, 1.0);
    return GroundVertex(clip_of(rel), rel, spot.up, spot.place, spot.quad, air.light, air.through, sunlight,
        piece.tile.x, piece.own, piece.coarse, share, spacing,
#ifdef SUN_BY_VERTEX
        under_clouds(spot.up, octaves_on(length(rel))) * under_mountains(spot.up, height),
#endif
    );
}

struct Surface {
    // drawn height above the planet's radius
    height: f32,
    albedo: vec3<f32>,
    normal: vec3<f32>,
    // 1 on open water, 0 on land
    water: f32,
    // fraction of skylight that passes between stones and blades of grass; the next field is the gloss
    open: f32,
    gloss: f32,
}

// The surface at a position of a face, from texels of the maps.
fn surface_of(shape: vec4<f32>, colour: vec3<f32>, face: u32, up: vec3<f32>) -> Surface {
    let axes = face_axes(face);
    let first = normalize(axes[1] - up * dot(up, axes[1]));
    let second = cross(first, up);
    let depth = select(0.0, max(-shape.z, 0.0), has_sea());
    // overlays hide the water
    let drawn = 1.0 - frame.map.w;
    // bright terrain below the sea is ice
    let least = min(colour.r, min(colour.g, colour.b));
    let ice = smoothstep(0.32, 0.50, least);
    let water = max(smoothstep(0.0, 0.025, depth), shape.w) * (1.0 - ice) * drawn;
    let steepness = exaggeration() * (1.0 - smoothstep(0.0, 0.02, depth)) * (1.0 - 0.9 * shape.w);
    let normal = normalize(up - (first * shape.x + second * shape.y) * steepness);
    let body = water_colour(ocean_look(), depth);
    let wet = mix(colour, body.rgb, body.a);
    let on_land = mix(colour, LAKE, shape.w * drawn * (1.0 - ice));
    let albedo = mix(on_land, wet, smoothstep(0.0, 0.025, depth) * (1.0 - ice) * drawn);
    return Surface(drawn_height(shape.z), mix(albedo, vec3<f32>(0.55), is_plain()), normal, water * (1.0 - is_plain()), 1.0, 0.0);
}

// Mean curvature in 1/km, unpacked from the fourth value of a tile's colours; `curvature_byte` in tile.rs packs it.
fn curvature_of(packed: f32, spacing: f32) -> f32 {
    return 2000.0 * (packed * 255.0 - 128.0) / (508.0 * spacing);
}

fn sampled(in: GroundVertex) -> Surface {
    let at = map_coordinates(in.place);
    let up = normalize(in.up);
    var shape = textureSample(shape_map, smooth_sampler, at, in.face);
    var colour = vec4<f32>(textureSample(colour_map, smooth_sampler, at, in.face).rgb, 0.0);
    if has_tile(in.own) {
        if has_coarse_tile(in.coarse) {
            let coarse = tile_coordinates(in.coarse, in.quad);
            shape = textureSampleLevel(tile_shapes, level_sampler, coarse, 0.0);
            colour = textureSampleLevel(tile_colours, level_sampler, coarse, 0.0);
            colour.a = curvature_of(colour.a, 2.0 * in.spacing);
        }
        let own = tile_coordinates(in.own, in.quad);
        shape = mix(textureSampleLevel(tile_shapes, level_sampler, own, 0.0), shape, in.coarse_share);
        var fine = textureSampleLevel(tile_colours, level_sampler, own, 0.0);
        fine.a = curvature_of(fine.a, in.spacing);
        colour = mix(fine, colour, in.coarse_share);
    }
    let surface = surface_of(shape, colour.rgb, in.face, up);
#ifdef DETAIL
    return with_materials(surface, shape, colour, up, in);
#else
    return surface;
#endif
}

#ifdef DETAIL
// The creases that `creases_of` returns, for any up direction. They are computed in the coordinate plane that is most
// nearly parallel to the surface.
fn creases_on_globe(place: vec3<f32>, up: vec3<f32>, normal: vec3<f32>, footprint: f32, spacing: f32) -> Relief {
    let rise = dot(normal, up);
    let slope = -(normal - up * rise) / max(rise, 0.1);
    let size = abs(up);
    var found = Relief(vec3<f32>(0.0), 0.5, 0.0);
    if size.y >= max(size.x, size.z) {
        found = creases_of(place.xz, slope.xz, footprint, spacing);
    } else if size.x >= size.z {
        found = creases_of(place.yz, slope.yz, footprint, spacing);
        found.gradient = found.gradient.yxz;
    } else {
        found = creases_of(place.xy, slope.xy, footprint, spacing);
        found.gradient = found.gradient.xzy;
    }
    found.gradient = (found.gradient - up * dot(found.gradient, up)) * rise;
    return found;
}

// Varies a terrain colour in patches, from kilometres down to the size of a pixel. In dry patches the colour is pale
// and warm.
fn mottled(colour: vec3<f32>, place: vec3<f32>, footprint: f32) -> vec3<f32> {
    var sum = 0.0;
    var wide = 3100.0;
    for (var k = 0; k < 4; k += 1) {
        let shown = 1.0 - smoothstep(0.15 * wide, 0.5 * wide, footprint);
        if shown > 0.0 { sum += shown * (volume_noises(place / wide).z - 0.5); }
        wide *= 0.21;
    }
    // the green of real plants is less saturated than the map's colour for plants
    let bright = dot(colour, vec3<f32>(0.2126, 0.7152, 0.0722));
    // bright colours are snow and ice, which vary very little
    sum *= 1.0 - 0.8 * smoothstep(0.35, 0.65, bright);
    let green = 0.4 * smoothstep(0.01, 0.06, colour.g - max(colour.r, colour.b));
    return mix(colour, bright * vec3<f32>(0.92, 1.06, 0.52), green) * exp2(sum * vec3<f32>(0.95, 0.65, 0.45));
}

// Adds the canopy of trees that are not drawn individually, and the shade of trees that are drawn individually. Crowns
// have varied normals, and gaps between crowns are dark.
fn with_canopy(surface: Surface, in: GroundVertex, place: vec3<f32>, footprint: f32, distance: f32) -> Surface {
    var found = textureSampleLevel(tile_canopies, level_sampler, tile_coordinates(in.own, in.quad), 0.0);
    if has_coarse_tile(in.coarse) {
        let coarse = textureSampleLevel(tile_canopies, level_sampler, tile_coordinates(in.coarse, in.quad), 0.0);
        found = mix(found, coarse, in.coarse_share);
    }
    // from far away, only the colours of the maps remain visible
    let near = (1.0 - surface.water) * (1.0 - smoothstep(60.0, 200.0, footprint));
    let drawn = select(share_drawn(distance) * (1.0 - smoothstep(4500.0, 6000.0, distance)), 0.0, frame.plants.w <= 0.0);
    if found.a * near < 0.004 {
        return surface;
    }
    let wide = volume_noises(place / 9.3);
    let fine = volume_noises(place / 3.7 + 11.0) - 0.5;
    let stand = volume_noises(place / 140.0).x - 0.5;
    let shown = 1.0 - smoothstep(2.5, 9.0, footprint);
    let hides = near * hidden_by_crowns(found.a, dot(surface.normal, -in.rel) / distance, drawn);
    let leaning = shown * hides;
    var out = surface;
    out.normal = normalize(surface.normal + leaning * (1.3 * (wide - 0.5) + 0.9 * fine));
    let crown = 2.0 * shown * (wide.y - 0.5 + 0.5 * fine.x);
    out.albedo = mix(surface.albedo * (1.0 - 0.25 * near * found.a), crown_colour(found, crown, stand), hides);
    out.open *= mix(1.0, 0.65 + 0.5 * wide.y, leaning);
    out.gloss *= 1.0 - hides;
    return out;
}

// Adds the detail of the materials to a surface near the eye. `found` is the colour and the curvature of the surface.
fn with_materials(surface: Surface, shape: vec4<f32>, found: vec4<f32>, up: vec3<f32>, in: GroundVertex) -> Surface {
    let colour = found.rgb;
    let distance = length(in.rel);
    let facing = max(abs(dot(surface.normal, in.rel)) / distance, 0.04);
    let footprint = frame.texture.w * distance * inverseSqrt(facing);
    let dry = 1.0 - surface.water;
    if !has_tile(in.own) || footprint > 200.0 || dry < 0.02 || is_plain() > 0.5 {
        return surface;
    }
    let place = frame.texture.xyz + in.rel;
    let coloured = mottled(colour, place, footprint);
    let wide = volume_noises(place / 23.0);
    let ruffled = (wide.x - 0.5) + 0.5 * (wide.y - 0.5);
    let highest = max(colour.r, colour.b);
    var site = vec4<f32>(0.0);
#ifdef TILE_SITE
    site = textureSampleLevel(tile_sites, level_sampler, tile_coordinates(in.own, in.quad), 0.0);
    if has_coarse_tile(in.coarse) {
        let coarse = textureSampleLevel(tile_sites, level_sampler, tile_coordinates(in.coarse, in.quad), 0.0);
        site = mix(site, coarse, in.coarse_share);
    }
    // make the borders of areas with deposits and erosion ragged, as on square terrains
    site = vec4<f32>(site.xy + 0.12 * ruffled * step(vec2<f32>(0.01), site.xy), site.zw);
#endif
    let values = SiteValues(
        degrees(atan(length(shape.xy))) + 7.0 * ruffled,
        shape.z * 1000.0 / max(relief() / exaggeration() - frame.cover.w, 1.0),
        1.0 + 0.12 * ruffled,
        vec4<f32>(shape.w, site.xyz),
        colour.g - highest + 0.012 * ruffled,
        dot(colour, vec3<f32>(0.2126, 0.7152, 0.0722)) + 0.05 * ruffled,
        found.a,
        // wetness is 0, because tiles have no drainage area
        0.0,
        site.w,
    );
    let ground = laid_ground(values, vec2<f32>(0.0), coloured, surface.normal, place, footprint, in.spacing,
        creases_on_globe(place, up, surface.normal, footprint, in.spacing));
    // from far away, only the colours of the maps remain visible
    let near = dry * (1.0 - smoothstep(60.0, 200.0, footprint));
    let normal = normalize(mix(surface.normal, ground.normal, near));
    let laid = Surface(surface.height, mix(surface.albedo, ground.colour, near), normal, surface.water,
        mix(1.0, ground.open, near), ground.gloss * near);
    return with_canopy(laid, in, place, footprint, distance);
}
#endif

// Change of the sea's normal by waves, whose wavelengths range from ripples of one metre to wind patches of ten
// kilometres. Each wavelength fades out where it covers only a few pixels. Beyond this distance, waves only widen the
// glint of the sun.
fn ripple(rel: vec3<f32>, up: vec3<f32>, distance: f32) -> vec3<f32> {
    let place = frame.texture.xyz + rel;
    var sum = vec3<f32>(0.0);
    var long = 1.6;
    for (var k = 0u; k < 7u; k += 1u) {
        let seen = 1.0 - smoothstep(70.0 * long, 260.0 * long, distance);
        if seen > 0.0 {
            // the crests of waves are longer than the distance between the crests
            let east = normalize(cross(vec3<f32>(0.3, 0.2, 1.0), up) + 0.35 * sin(f32(k) * 1.9) * up);
            let at = place - 0.45 * east * dot(place, east);
            sum += seen * (volume_noises(at / long + 7.7 * f32(k)) - 0.5);
        }
        long *= 4.3;
    }
    return 0.085 * sum;
}

fn lit(surface: Surface, in: GroundVertex) -> vec3<f32> {
    let up = normalize(in.up);
    let distance = length(in.rel);
    let ray = in.rel / distance;
#ifdef SUN_BY_VERTEX
    let sun_share = in.sun_share;
#else
    let sun_share = under_clouds(up, frame.cover.y) * under_mountains(up, surface.height);
#endif
    var sun = frame.light.x * in.sunlight * sun_share;
#ifdef DETAIL
    sun *= sun_between_plants(in.rel, surface.normal, 1.5);
#endif
    let facing = max(dot(surface.normal, to_sun()), 0.0);
    let open = (0.5 + 0.5 * dot(surface.normal, up)) * surface.open;
    if frame.map.w > 0.5 {
        // an overlay must also be readable on the night side, so its shading depends only on slopes
        return surface.albedo * (0.62 + 0.34 * dot(surface.normal, up)) * in.passed;
    }
    let sky = sky_light(up);
    // light that the sunlit surroundings reflect onto slopes
    let around = sun * (max(dot(up, to_sun()), 0.0) * 0.32 * (0.5 - 0.5 * dot(surface.normal, up)));
    var light = surface.albedo * (sun * facing + sky * open + around * surface.open);
    if surface.gloss > 0.0 {
        let middle = normalize(to_sun() - ray);
        light += surface.gloss * (sun * pow(max(dot(surface.normal, middle), 0.0), 60.0) + 0.25 * sky * mirrored_share(-dot(ray, surface.normal)));
    }
    if surface.water > 0.0 {
        let normal = normalize(up + ripple(in.rel, up, distance));
        let mirrored = mirrored_share(-dot(ray, normal));
        let seen = reflect(ray, normal);
        let towards = max(dot(seen, to_sun()), 0.0);
        // from far away, the sun's reflection is spread over many waves
        let sharp = mix(320.0, 42.0, 1.0 - exp(-distance / 400000.0));
        let glint = sun * (0.25 + mirrored) * (pow(towards, sharp) * sqrt(sharp) * 0.10);
        // the sky is brightest at the horizon
        let level = 1.0 - max(dot(seen, up), 0.0);
        let reflected = sky * (0.55 + 1.25 * level * level) * min(mirrored, 0.6);
        light = mix(light, light * (1.0 - min(mirrored, 0.6)) + reflected + glint, surface.water);
    }
    return light * in.passed + in.scattered + formula(up, ray);
}

@fragment
fn ground_shaded(in: GroundVertex) -> @location(0) vec4<f32> {
    return vec4<f32>(to_screen(lit(sampled(in), in), in.clip.xy), 1.0);
}

@fragment
fn ground_wireframe(in: GroundVertex) -> @location(0) vec4<f32> {
    let light = lit(sampled(in), in);
    let edge = max(line(in.quad.x, 1.1), line(in.quad.y, 1.1));
    let across = line(in.quad.x - in.quad.y, 1.0);
    return vec4<f32>(to_screen(mix(light, vec3<f32>(0.95, 0.90, 0.75), 0.5 * max(edge, 0.5 * across)), in.clip.xy), 1.0);
}
