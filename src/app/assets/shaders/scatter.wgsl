// Plants and stones on a square terrain: shapes that stand on the surface, one per instance. The shadow pass draws
// their depths as seen from the sun. The canopy hides the terrain at a distance.

struct ScatterVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec3<f32>,
    // x is the fraction of sunlight, y the openness, zw the interval of noise values for which the object's pixels are
    // drawn
    @location(3) light: vec4<f32>,
    @location(4) haze: vec4<f32>,
    // x is the fraction of light that reaches the vertex between leaves, yz the coordinates along and across a leaf
    @location(5) leaf: vec3<f32>,
}

struct ScatterInput {
    // xyz is the position of the object, w its size; the height comes from the height map
    @location(0) place: vec4<f32>,
    // rgb is the square root of the terrain's colour below the object, w a random number
    @location(1) ground: vec4<f32>,
    // xy is the interval of noise values for which the object's pixels are drawn, z the factor by which the object
    // leans with the slope, w the fraction of the terrain's colour that the object takes on
    @location(2) what: vec4<f32>,
    @location(3) turn: f32,
    // height of the object's foot above the surface of the grid
    @location(4) lift: f32,
    // xyz is the position of the vertex as a multiple of the object's size, w the coordinate along a leaf
    @location(5) position: vec4<f32>,
    // xyz is the normal of the shape, w the fraction of light that reaches the vertex
    @location(6) normal: vec4<f32>,
    // rgb is the colour of the vertex, w the coordinate across a leaf
    @location(7) colour: vec4<f32>,
}

// World position of a vertex of a shape.
fn scatter_place(in: ScatterInput) -> vec3<f32> {
    let flat = in.place.xz;
    let samples = clamp((flat + 0.5 * side()) / cell(), vec2<f32>(0.0), vec2<f32>(last_sample()));
    let slope = textureSampleLevel(slope_map, smooth_sampler, map_coordinates(flat), 0.0).xy;
    var offset = sized(in.position.xyz, in.turn, in.place.w, in.ground.w);
    // low objects follow the slope of the terrain
    offset.y += in.what.z * dot(slope, offset.xz);
    return vec3<f32>(flat.x, ground_height(samples) + in.lift - 0.02 * in.place.w, flat.y) + offset;
}

@vertex
fn scatter_vertex(in: ScatterInput) -> ScatterVertex {
    let light = textureSampleLevel(light_map, smooth_sampler, map_coordinates(in.place.xz), 0.0).xy;
    let world = scatter_place(in);
    let from_eye = eye() - vec3<f32>(in.place.x, world.y - in.position.y * in.place.w, in.place.z);
    let shown = shown_around(in.what.xy, in.place.w, length(from_eye.xz), from_eye.y);
    return ScatterVertex(
        clip_of(world),
        world,
        turned_about_y(in.normal.xyz, in.turn),
        tinted(in.colour.rgb, in.ground, in.what.w),
        vec4<f32>(sun_share_of(light.x) * under_clouds(world), light.y, shown),
        haze(world),
        vec3<f32>(in.normal.w, in.position.w, in.colour.w),
    );
}

@fragment
fn scatter_fragment(in: ScatterVertex) -> @location(0) vec4<f32> {
    if is_gap(in.clip.xy, in.light.zw, in.leaf.yz) {
        discard;
    }
    let normal = normalize(in.normal);
    let bare = lit(in.colour, normal, 0.0, min(in.light.y + 0.1, 1.0) * (0.7 + 0.3 * in.leaf.x));
    var seen = in.light.x;
#ifdef DETAIL
    seen *= sun_between_plants(in.world, normal, 6.0);
#endif
    let sun = in.colour * sun_colour() * (leaf_facing(normal) * seen * in.leaf.x);
    return vec4<f32>(to_screen(mix(bare + sun, in.haze.rgb, in.haze.a), in.clip.xy), 1.0);
}

#ifdef DETAIL

// Adds the canopy of trees that are not drawn individually, and the shade of trees that are drawn individually.
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
    // no individual trees are drawn on the mirrored land
    let drawn = select(0.0, share_drawn(away), is_own);
    // noise at the scale of crowns (some metres); the next value is noise at the scale of stands of trees (some hundred
    // metres)
    let crown = noise(world.xz * metres / 6.1) + 0.5 * noise(world.xz * metres / 2.9 + 3.0) - 0.75;
    let stand = noise(world.xz * metres / 140.0) - 0.5;
    let hides = hidden_by_crowns(cover, dot(normal, normalize(eye() - world)), drawn);
    let colour = crown_colour(found, crown * (1.0 - smoothstep(2.0, 9.0, pixel)), stand);
    var own = ground;
    own.colour = mix(ground.colour * (1.0 - 0.25 * cover), colour, hides);
    own.open = ground.open * (1.0 - 0.12 * cover * drawn);
    own.gloss = ground.gloss * (1.0 - cover);
    return own;
}

@vertex
fn plant_shadow_near_vertex(in: ScatterInput) -> @builtin(position) vec4<f32> {
    return frame.plant_shadows[0] * vec4<f32>(scatter_place(in), 1.0);
}

@vertex
fn plant_shadow_far_vertex(in: ScatterInput) -> @builtin(position) vec4<f32> {
    return frame.plant_shadows[1] * vec4<f32>(scatter_place(in), 1.0);
}

#endif
