// Detail of the terrain materials at close range, under the colours of the palette. The material rules come from
// src/appearance_files/materials.rs. The textures come from src/appearance/materials/textures.rs. The shaders of
// squares and planets bind `material_maps`, `material_sampler` and `ground_rules` at different bindings.

#ifdef DETAIL

struct MaterialLook {
    // rgb is the material's own colour, a its gloss
    colour: vec4<f32>,
    // x is the steepest slope of a texel, y the contrast of the tone, z the longest distance in metres after which the
    // texture repeats, w the strength of creases. For a texture set from image files, y is the layer of its colours, and
    // z the length of its images in metres
    form: vec4<f32>,
}

// One number for each built-in material and for each texture set from image files, stored in vectors. Arrays with
// computed indices would be stored in memory. Reading them would take more time than all other code in this file.
struct PerMaterial {
    a: vec4<f32>,
    b: vec4<f32>,
    c: vec4<f32>,
    d: vec4<f32>,
}

struct MaterialRule {
    // 1 for the rule's material, 0 for all other materials
    own: PerMaterial,
    // the rule's tint for the rule's material, 0 for all other materials
    tint: PerMaterial,
    // x is the greatest fraction that the rule covers, y the index of the rule's first test, z the index after its last
    // test
    what: vec4<f32>,
}

// A test that limits one condition to a band of values. `a` to `c` hold a 1 for this condition and a 0 for all others.
// `ramps` holds the factor and the offset of the rising ramp, then those of the falling ramp.
struct MaterialTest {
    // weights of slope, height, openness and flow
    a: vec4<f32>,
    // weights of deposits, erosion, vegetation and greenness
    b: vec4<f32>,
    // weights of brightness, curvature, wetness and hardness
    c: vec4<f32>,
    ramps: vec4<f32>,
}

// The list of material rules; mirrors `RulesUniform` in src/app/view/render/ground_materials.rs.
struct GroundRules {
    // x is the number of rules, y the number of texels along a side of a built-in texture; z is 1 if there are textures;
    // w is the number of mip levels above the built-in textures
    count: vec4<f32>,
    looks: array<MaterialLook, 16>,
    rules: array<MaterialRule, 16>,
    tests: array<MaterialTest, 192>,
}

const ROCK_MATERIAL = 0u;
const SAND_MATERIAL = 6u;
const SNOW_MATERIAL = 8u;
const STRATA_MATERIAL = 10u;
// Index of the first texture set from image files. The next constant is the number of texels along a side of an image.
const FIRST_IMAGES = 11u;
const IMAGE_TEXELS = 1024.0;

// Distance in metres after which the finest texture repeats. The next constant is the factor between successive texture
// scales.
const FINEST_METRES = 1.7;
const COARSER = 5.3;

// The two materials with the largest fractions at a position, and the fraction of the second material.
struct Mixture {
    first: u32,
    second: u32,
    share: f32,
    // strength of the colours of both materials; the next field is the fraction of each material that is loose sand or
    // snow cover
    tints: vec2<f32>,
    lying: vec2<f32>,
}

struct SiteValues {
    slope: f32,
    height: f32,
    openness: f32,
    site: vec4<f32>,
    green: f32,
    bright: f32,
    // mean curvature in 1/km; the next fields are the topographic wetness and the hardness. A value that no rule uses
    // is 0
    curvature: f32,
    wetness: f32,
    hardness: f32,
}

// The two largest material fractions so far, with their materials and tints.
struct Leading {
    shares: vec2<f32>,
    tints: vec2<f32>,
    materials: vec2<u32>,
}

fn with_next(found: Leading, share: f32, tint: f32, material: u32) -> Leading {
    if share > found.shares.x {
        return Leading(
            vec2<f32>(share, found.shares.x), vec2<f32>(tint, found.tints.x), vec2<u32>(material, found.materials.x));
    }
    if share > found.shares.y {
        return Leading(
            vec2<f32>(found.shares.x, share), vec2<f32>(found.tints.x, tint), vec2<u32>(found.materials.x, material));
    }
    return found;
}

// The two visible materials. `rules_shares` holds the fraction of each material according to the rules. `tints` holds
// the tints of the rules, weighted by these fractions.
fn mixture(rules_shares: PerMaterial, tints: PerMaterial, cover: vec2<f32>) -> Mixture {
    var shares = rules_shares;
    let lying = vec2<f32>(cover.x * (1.0 - cover.y), cover.y);
    // loose cover has no tint
    shares.b.z += lying.x;
    shares.c.x += lying.y;
    var found = Leading(vec2<f32>(-1.0), vec2<f32>(0.0), vec2<u32>(0u));
    found = with_next(found, shares.a.x, tints.a.x, 0u);
    found = with_next(found, shares.a.y, tints.a.y, 1u);
    found = with_next(found, shares.a.z, tints.a.z, 2u);
    found = with_next(found, shares.a.w, tints.a.w, 3u);
    found = with_next(found, shares.b.x, tints.b.x, 4u);
    found = with_next(found, shares.b.y, tints.b.y, 5u);
    found = with_next(found, shares.b.z, tints.b.z, SAND_MATERIAL);
    found = with_next(found, shares.b.w, tints.b.w, 7u);
    found = with_next(found, shares.c.x, tints.c.x, SNOW_MATERIAL);
    found = with_next(found, shares.c.y, tints.c.y, 9u);
    found = with_next(found, shares.c.z, tints.c.z, STRATA_MATERIAL);
#ifdef HAS_IMAGES
    found = with_next(found, shares.c.w, tints.c.w, FIRST_IMAGES);
    found = with_next(found, shares.d.x, tints.d.x, 12u);
    found = with_next(found, shares.d.y, tints.d.y, 13u);
    found = with_next(found, shares.d.z, tints.d.z, 14u);
    found = with_next(found, shares.d.w, tints.d.w, 15u);
#endif
    // the tint applies only to the part without loose cover
    let covers = select(vec2<f32>(0.0), vec2<f32>(lying.x), found.materials == vec2<u32>(SAND_MATERIAL))
        + select(vec2<f32>(0.0), vec2<f32>(lying.y), found.materials == vec2<u32>(SNOW_MATERIAL));
    let most = max(found.shares, vec2<f32>(0.0));
    return Mixture(
        found.materials.x,
        found.materials.y,
        most.y / max(most.x + most.y, 1e-4),
        found.tints / max(most - covers, vec2<f32>(1e-3)),
        covers / max(most, vec2<f32>(1e-3)),
    );
}

#ifndef SHIPPED_RULES

// Fraction of the surface that a rule covers.
fn share_of_rule(what: vec4<f32>, a: vec4<f32>, b: vec4<f32>, c: vec4<f32>) -> f32 {
    var share = what.x;
    for (var k = u32(what.y); k < u32(what.z) && share > 0.003; k += 1u) {
        let test = &ground_rules.tests[k];
        let value = dot((*test).a, a) + dot((*test).b, b) + dot((*test).c, c);
        let t = saturate(value * (*test).ramps.xz + (*test).ramps.yw);
        let passed = t * t * (3.0 - 2.0 * t);
        share *= passed.x * passed.y;
    }
    return share;
}

// Evaluates the rule list from uniforms. Built-in lists are compiled into the shader text instead; see
// src/app/view/render/rules_text.rs.
fn mixture_of(values: SiteValues, cover: vec2<f32>) -> Mixture {
    let a = vec4<f32>(values.slope, values.height, values.openness, values.site.x);
    let b = vec4<f32>(values.site.yzw, values.green);
    let c = vec4<f32>(values.bright, values.curvature, values.wetness, values.hardness);
    var shares = PerMaterial(vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0));
    var tints = shares;
    // rules apply from the last to the first: `left` is the fraction of the surface that the later rules leave
    // uncovered
    var left = (1.0 - cover.x) * (1.0 - cover.y);
    for (var k = u32(ground_rules.count.x); k > 0u && left > 0.002; k -= 1u) {
        let rule = &ground_rules.rules[k - 1u];
        let share = share_of_rule((*rule).what, a, b, c);
        if share <= 0.003 { continue; }
        let seen = share * left;
        left -= seen;
        let own = (*rule).own;
        let tint = (*rule).tint;
        shares = PerMaterial(
            shares.a + seen * own.a, shares.b + seen * own.b, shares.c + seen * own.c, shares.d + seen * own.d);
        tints = PerMaterial(
            tints.a + seen * tint.a, tints.b + seen * tint.b, tints.c + seen * tint.c, tints.d + seen * tint.d);
    }
    return mixture(shares, tints, cover);
}

#endif

// The relief of a material at a position.
struct Relief {
    // gradient of the relief's height along the world axes
    gradient: vec3<f32>,
    height: f32,
    tone: f32,
}

// The two axes along which textures are projected: the two axes that the surface faces most. The weight of the lesser
// of these axes is 0 where the third axis would replace it (Quilez 2020, biplanar mapping).
struct LaidSides {
    // whether the first axis is x instead of y, and whether the second axis is x instead of z
    of_x: vec2<bool>,
    shares: vec2<f32>,
}

fn sides_of(planes: vec3<f32>) -> LaidSides {
    let least = min(planes.x, min(planes.y, planes.z));
    let of_x = vec2<bool>(planes.y <= least, planes.y > least && planes.z <= least);
    let shares = select(planes.yz, planes.xx, of_x) - least;
    return LaidSides(of_x, shares / max(shares.x + shares.y, 1e-6));
}

// A scale of a material's texture, with the distance after which the texture repeats.
struct TextureSize {
    // distance in metres after which the texture repeats
    repeat: f32,
    // xy is the offset of the texture; z and w are the cosine and the sine of its rotation
    turn: vec4<f32>,
    lod: f32,
    // weight of this scale in the pixel; the next field is the fraction of its slopes that the terrain heights do not
    // already contain
    weight: f32,
    fine: f32,
}

// A texel of a material's texture: slopes along the unrotated axes, height and tone.
fn texel(material: u32, uv: vec2<f32>, turn: vec4<f32>, lod: f32) -> vec4<f32> {
    let place = turn.z * uv + turn.w * vec2<f32>(-uv.y, uv.x) + turn.xy;
    let found = textureSampleLevel(material_maps, material_sampler, place, i32(material), lod);
    let signed = found.xyw * (255.0 / 127.0) - vec3<f32>(128.0 / 127.0);
    return vec4<f32>(turn.z * signed.xy + turn.w * vec2<f32>(signed.y, -signed.x), found.z, signed.z);
}

// Weighted sum over the texture scales of a material that have been added so far, and the sum of their weights.
struct LaidRelief {
    relief: Relief,
    weights: f32,
}

// Adds one more texture scale of a material at a position in metres. `form` comes from the material's `MaterialLook`.
fn with_size(
    sum: LaidRelief, material: u32, form: vec4<f32>, place: vec3<f32>, sides: LaidSides, size: TextureSize,
) -> LaidRelief {
    let weight = size.weight * (1.0 - smoothstep(0.5 * form.z, 2.0 * form.z, size.repeat));
    if weight < 0.01 {
        return sum;
    }
#ifdef HAS_IMAGES
    if material >= FIRST_IMAGES {
        return sum;
    }
#endif
    let at = place / size.repeat;
    var turn = size.turn;
    var first_turn = turn;
    var first_material = material;
#ifdef HAS_STRATA
    if material == STRATA_MATERIAL {
        // do not rotate textures of rock beds: beds are level at every scale, and visible from the side
        turn = vec4<f32>(turn.xy, 1.0, 0.0);
        first_turn = select(first_turn, turn, sides.of_x.x);
        first_material = select(ROCK_MATERIAL, material, sides.of_x.x);
    }
#endif
    var out = sum;
    let slopes = form.x * size.fine;
    let shares = weight * sides.shares;
    if sides.shares.x > 0.02 {
        let t = shares.x * texel(first_material, select(at.xz, at.zy, sides.of_x.x), first_turn, size.lod);
        out.relief.gradient += slopes * select(vec3<f32>(t.x, 0.0, t.y), vec3<f32>(0.0, t.yx), sides.of_x.x);
        out.relief.height += t.z;
        out.relief.tone += t.w;
    }
    if sides.shares.y > 0.02 {
        let t = shares.y * texel(material, select(at.xy, at.zy, sides.of_x.y), turn, size.lod);
        out.relief.gradient += slopes * select(vec3<f32>(t.xy, 0.0), vec3<f32>(0.0, t.yx), sides.of_x.y);
        out.relief.height += t.z;
        out.relief.tone += t.w;
    }
    out.weights += weight;
    return out;
}

// The relief of a material after all scales have been added. `form` comes from the material's `MaterialLook`.
fn relief_of(sum: LaidRelief, form: vec4<f32>) -> Relief {
    let height = mix(0.5, sum.relief.height / max(sum.weights, 0.01), saturate(sum.weights));
    return Relief(sum.relief.gradient, height, sum.relief.tone * form.y * 0.8);
}

#ifdef HAS_STRATA
// Height by which rock beds at a position are lower than level beds, because beds dip and bend.
fn bend_of_beds(flat: vec2<f32>) -> f32 {
    return 14.0 * noise(flat / 410.0) + 3.0 * noise(flat / 93.0 + 7.0) + 0.035 * flat.x - 0.02 * flat.y;
}
#endif

// Colour of a material on terrain of the colour `ground`. `lying` is the fraction of loose cover.
fn colour_of(material: u32, ground: vec3<f32>, tint: f32, lying: f32) -> vec3<f32> {
    let own = mix(ground, ground_rules.looks[material].colour.rgb, tint);
    return mix(own, select(SAND, SNOW, material == SNOW_MATERIAL), lying);
}

// Effect of a material's tone on each colour channel: dark rock beds are reddish, light beds are pale.
fn bed_hue(material: u32) -> vec3<f32> {
    return select(vec3<f32>(1.0), vec3<f32>(0.62, 1.05, 1.35), material == STRATA_MATERIAL);
}

#ifdef HAS_IMAGES
// Number of texels under a pixel at which the images are replaced by the same images at a larger scale. Seen from
// farther away, the repetition would be visible.
const MOST_TEXELS = 64.0;

// The surface that a texture set from image files shows at a position.
struct ImageSurface {
    gradient: vec3<f32>,
    height: f32,
    open: f32,
    colour: vec3<f32>,
    roughness: f32,
}

fn with_image_side(
    sum: ImageSurface, material: u32, form: vec4<f32>, uv: vec2<f32>, turn: vec4<f32>, lod: f32, share: f32,
    east: vec3<f32>, south: vec3<f32>,
) -> ImageSurface {
    let place = turn.z * uv + turn.w * vec2<f32>(-uv.y, uv.x) + turn.xy;
    // the layer of the relief of this set
    let layer = i32(material);
    let relief = textureSampleLevel(material_maps, material_sampler, place, layer, lod);
    let shown = textureSampleLevel(material_maps, material_sampler, place, i32(form.y), lod);
    let slopes = form.x * (relief.xy * (255.0 / 127.0) - vec2<f32>(128.0 / 127.0));
    let turned = turn.z * slopes + turn.w * vec2<f32>(slopes.y, -slopes.x);
    return ImageSurface(
        sum.gradient + share * (turned.x * east + turned.y * south),
        sum.height + share * relief.z,
        sum.open + share * relief.w,
        sum.colour + share * shown.rgb * shown.rgb,
        sum.roughness + share * shown.a,
    );
}

// The images of a texture set at a position in metres. Near the eye, they have their own size. Farther away, the same
// images are drawn larger, and two sizes are mixed where one goes over into the next.
fn image_surface(material: u32, place: vec3<f32>, sides: LaidSides, footprint: f32) -> ImageSurface {
    let form = ground_rules.looks[material].form;
    let texels = footprint * IMAGE_TEXELS / form.z;
    let coarsest = max(log2(texels / MOST_TEXELS) / log2(COARSER), 0.0);
    let first = floor(coarsest);
    let part = smoothstep(0.5, 1.0, coarsest - first);
    var sum = ImageSurface(vec3<f32>(0.0), 0.0, 0.0, vec3<f32>(0.0), 0.0);
    for (var k = 0u; k < 2u; k += 1u) {
        let weight = select(1.0 - part, part, k == 1u);
        if weight < 0.01 { continue; }
        let step = first + f32(k);
        let coarser = step * log2(COARSER);
        let at = place / (form.z * exp2(coarser));
        let lod = max(log2(texels) - coarser, 0.0);
        let turn = vec4<f32>(0.37 * step, 0.11 * step, cos(0.61 * step), sin(0.61 * step));
        let shares = weight * sides.shares;
        if sides.shares.x > 0.02 {
            let south = select(vec3<f32>(0.0, 0.0, 1.0), vec3<f32>(0.0, 1.0, 0.0), sides.of_x.x);
            let east = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 0.0, 1.0), sides.of_x.x);
            sum = with_image_side(
                sum, material, form, select(at.xz, at.zy, sides.of_x.x), turn, lod, shares.x, east, south);
        }
        if sides.shares.y > 0.02 {
            let east = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 0.0, 1.0), sides.of_x.y);
            sum = with_image_side(
                sum, material, form, select(at.xy, at.zy, sides.of_x.y), turn, lod, shares.y, east,
                vec3<f32>(0.0, 1.0, 0.0));
        }
    }
    return sum;
}

// Colour of a texture set on terrain of the colour `ground`. With a tint below 1, the images vary the ground's colour.
fn image_colour(material: u32, shown: vec3<f32>, ground: vec3<f32>, tint: f32) -> vec3<f32> {
    let mean = max(ground_rules.looks[material].colour.rgb, vec3<f32>(0.01));
    return mix(ground * shown / mean, shown, tint);
}

// Fraction of light that a surface of this roughness reflects like a mirror.
fn gloss_of(roughness: f32) -> f32 {
    let smoothness = 1.0 - roughness;
    return 0.35 * smoothness * smoothness;
}
#endif

// Ridges and creases that run down slopes and branch. They are relief too fine for the height samples, from some
// samples down to some pixels wide. `slope` is the slope of the terrain to the east and to the south. The ridges are
// waves of random phase, whose crests run down the slope. The waves are interpolated between lattice points. Each
// octave follows the slope that remains after the wider octaves are added (after Johansen 2026, as in the node
// Gullies).
fn creases_of(flat: vec2<f32>, slope: vec2<f32>, footprint: f32, cell_metres: f32) -> Relief {
    let steep = length(slope);
    // the creases are deep on some slopes and faint on others nearby
    let depth = 0.2 + 1.3 * smoothstep(0.2, 0.8, noise(flat / (70.0 * cell_metres) + 5.3));
    let strength = min(steep, 1.1) * smoothstep(0.10, 0.45, steep) * depth;
    var sum = vec2<f32>(0.0);
    var tone = 0.0;
    if strength > 0.0 {
        // the three widths, from some samples down to about two samples, are powers of a fixed factor, independent of
        // the sample spacing
        let first = floor(log2(16.0 * cell_metres) / log2(2.37));
        for (var octave = 0.0; octave < 3.0; octave += 1.0) {
            let k = first - octave;
            let width = pow(2.37, k);
            let share = (1.0 - smoothstep(5.0 * cell_metres, 16.0 * cell_metres, width))
                * smoothstep(2.5 * footprint, 6.0 * footprint, width);
            if share < 0.02 { continue; }
            let down = normalize(slope + 1.4 * sum);
            let across = vec2<f32>(-down.y, down.x);
            // the lattice of each octave is rotated relative to the others
            let place = mat2x2<f32>(0.8, 0.6, -0.6, 0.8) * (flat / width) + 17.7 * k;
            let low = floor(place);
            let part = place - low;
            let fade = part * part * (3.0 - 2.0 * part);
            let turned_across = mat2x2<f32>(0.8, 0.6, -0.6, 0.8) * across;
            // distance of the position from each of the four corners of the cell, across the slope
            let along = dot(part, turned_across) - vec4<f32>(0.0, turned_across, turned_across.x + turned_across.y);
            let phases = 6.2831853 * (along + corner_hashes(low));
            let rows = vec2<f32>(1.0 - fade.y, fade.y);
            let weights = vec4<f32>((1.0 - fade.x) * rows, fade.x * rows).xzyw;
            let wave = vec2<f32>(dot(weights, cos(phases)), dot(weights, sin(phases)));
            sum -= (share * strength * 0.55 * wave.y) * across;
            tone += share * 0.30 * wave.x;
        }
    }
    return Relief(vec3<f32>(sum.x, 0.0, sum.y), 0.5, tone * min(strength, 1.0));
}

// The surface at a position before lighting.
struct Ground {
    colour: vec3<f32>,
    normal: vec3<f32>,
    // fraction of skylight that passes between stones and blades of grass
    open: f32,
    gloss: f32,
    // fraction of snow, in which crystals glitter
    snow: f32,
}

// The surface of terrain of the given colour, with the materials that the rules select for its site values and cover.
// Positions are in metres and precise relative to nearby positions. A pixel spans `footprint` metres, and the height
// samples are `cell_metres` apart. `creases` holds the creases of the terrain.
fn laid_ground(
    values: SiteValues,
    cover: vec2<f32>,
    colour: vec3<f32>,
    ground_normal: vec3<f32>,
    place: vec3<f32>,
    footprint: f32,
    cell_metres: f32,
    creases: Relief,
) -> Ground {
    let mixture = mixture_of(values, cover);
    let planes = pow(abs(ground_normal), vec3<f32>(6.0));
    let sides = sides_of(planes);
    let look = ground_rules.looks[mixture.first];
    let its = ground_rules.looks[mixture.second];
    var first_place = place;
    var first_sides = sides;
    var second_place = place;
    var second_sides = sides;
#ifdef HAS_STRATA
    if mixture.first == STRATA_MATERIAL || mixture.second == STRATA_MATERIAL {
        let bent = place + vec3<f32>(0.0, bend_of_beds(place.xz), 0.0);
        // the edges of rock beds are also visible on slopes, not only on walls
        let beds = sides_of(planes * vec3<f32>(1.0, 0.03, 1.0));
        if mixture.first == STRATA_MATERIAL {
            first_place = bent;
            first_sides = beds;
        } else {
            second_place = bent;
            second_sides = beds;
        }
    }
#endif
    // texture scales that a pixel of this size shows
    let texels = footprint * ground_rules.count.y / FINEST_METRES;
    let finest = max(log2(0.6 * texels) / log2(COARSER), 0.0);
    let first = floor(finest);
    let part = finest - first;
    let nothing = LaidRelief(Relief(vec3<f32>(0.0), 0.0, 0.0), 0.0);
    var laid = nothing;
    var other_laid = nothing;
    for (var k = 0u; k < 3u; k += 1u) {
        let step = first + f32(k);
        let coarser = step * log2(COARSER);
        let repeat = FINEST_METRES * exp2(coarser);
        var weight = 1.0;
        if k == 0u && first > 0.0 { weight = 1.0 - part; }
        if k == 2u { weight = part; }
        // the terrain heights already contain relief larger than a cell
        let fine = 1.0 - smoothstep(12.0 * cell_metres, 60.0 * cell_metres, repeat);
        let turn = vec4<f32>(0.37 * step, 0.11 * step, cos(0.61 * step), sin(0.61 * step));
        let size = TextureSize(repeat, turn, max(log2(texels) - coarser, 0.0) + ground_rules.count.w, weight, fine);
        laid = with_size(laid, mixture.first, look.form, first_place, first_sides, size);
        if mixture.share > 0.04 {
            other_laid = with_size(other_laid, mixture.second, its.form, second_place, second_sides, size);
        }
    }
    var own = relief_of(laid, look.form);
    var bare = colour_of(mixture.first, colour, mixture.tints.x, mixture.lying.x);
    var gloss = look.colour.a;
    var creased = look.form.w;
    var hue = bed_hue(mixture.first);
#ifdef HAS_IMAGES
    // openness of the images of the two materials, and the fraction of them that is from images
    var open = vec2<f32>(0.0);
    if mixture.first >= FIRST_IMAGES {
        let shown = image_surface(mixture.first, first_place, first_sides, footprint);
        own = Relief(shown.gradient, shown.height, 0.0);
        bare = image_colour(mixture.first, shown.colour, colour, mixture.tints.x);
        gloss = gloss_of(shown.roughness);
        open = vec2<f32>(shown.open, 1.0);
    }
#endif
    if mixture.share > 0.04 {
        var other = relief_of(other_laid, its.form);
        var other_bare = colour_of(mixture.second, colour, mixture.tints.y, mixture.lying.y);
        var other_gloss = its.colour.a;
#ifdef HAS_IMAGES
        var other_open = vec2<f32>(0.0);
        if mixture.second >= FIRST_IMAGES {
            let shown = image_surface(mixture.second, second_place, second_sides, footprint);
            other = Relief(shown.gradient, shown.height, 0.0);
            other_bare = image_colour(mixture.second, shown.colour, colour, mixture.tints.y);
            other_gloss = gloss_of(shown.roughness);
            other_open = vec2<f32>(shown.open, 1.0);
        }
#endif
        // at the border of the two materials, the material with the higher relief is visible
        let t = smoothstep(0.30, 0.70, mixture.share + 0.6 * (other.height - own.height) * (1.0 - abs(2.0 * mixture.share - 1.0)));
        bare = mix(bare, other_bare, t);
        own = Relief(mix(own.gradient, other.gradient, t), mix(own.height, other.height, t), mix(own.tone, other.tone, t));
        gloss = mix(gloss, other_gloss, t);
#ifdef HAS_IMAGES
        open = mix(open, other_open, t);
#endif
        creased = mix(creased, its.form.w, t);
        hue = mix(hue, bed_hue(mixture.second), t);
    }
    own.gradient += creased * creases.gradient;
    own.tone += creased * creases.tone;
    var snow = select(0.0, 1.0 - mixture.share, mixture.first == SNOW_MATERIAL);
    snow += select(0.0, mixture.share, mixture.second == SNOW_MATERIAL);
    let across = own.gradient - dot(own.gradient, ground_normal) * ground_normal;
    let normal = normalize(ground_normal - across);
    let tone = exp2(own.tone * hue);
    var sky = 0.77 + 0.44 * own.height;
#ifdef HAS_IMAGES
    sky = mix(sky, open.x / max(open.y, 0.01), open.y);
#endif
    return Ground(bare * tone, normal, sky, gloss, snow);
}

#endif
