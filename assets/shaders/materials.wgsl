// What the ground is made of where one stands on it: detail of its materials under the colours of the palette.
// The rules are those of src/appearance_files/materials.rs, the textures those of src/appearance/materials/textures.rs.
// The views of squares and of planets bind `material_maps`, `material_sampler` and `ground_rules`, each where it has
// room.

#ifdef DETAIL

struct MaterialLook {
    // colour of its own, gloss
    colour: vec4<f32>,
    // steepest slope of a texel, contrast of the tone, widest repeat in metres
    form: vec4<f32>,
}

struct MaterialRule {
    // material, share, tint
    what: vec4<f32>,
    bands: array<vec4<f32>, 9>,
}

// Mirrors `RulesUniform` in src/app/view/render/ground_materials.rs.
struct GroundRules {
    // rules, texels of a side
    count: vec4<f32>,
    looks: array<MaterialLook, 10>,
    rules: array<MaterialRule, 12>,
}

const SAND_MATERIAL = 6u;
const SNOW_MATERIAL = 8u;
const NO_MATERIAL = 99u;

// The finest texture repeats after so many metres, and each next one after so many times as many.
const FINEST_METRES = 1.7;
const COARSER = 5.3;

fn fulfilled(band: vec4<f32>, value: f32) -> f32 {
    return smoothstep(band.x, max(band.y, band.x + 1e-6), value) * (1.0 - smoothstep(band.z, max(band.w, band.z + 1e-6), value));
}

// Two materials that cover most of a place, and the share of the second.
struct Mixture {
    first: u32,
    second: u32,
    share: f32,
    // how much of their own colour they have, and how much of them lies on the ground that the palette colours
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
}

fn mixture_of(values: SiteValues, cover: vec2<f32>) -> Mixture {
    var shares: array<f32, 10>;
    var tints: array<f32, 10>;
    for (var k = 0u; k < u32(ground_rules.count.x); k += 1u) {
        let what = ground_rules.rules[k].what;
        var share = 1.0;
        if k > 0u {
            let bands = &ground_rules.rules[k].bands;
            share = what.y * fulfilled((*bands)[0], values.slope);
            if share > 0.003 {
                share *= fulfilled((*bands)[1], values.height) * fulfilled((*bands)[2], values.openness)
                    * fulfilled((*bands)[3], values.site.x) * fulfilled((*bands)[4], values.site.y)
                    * fulfilled((*bands)[5], values.site.z) * fulfilled((*bands)[6], values.site.w)
                    * fulfilled((*bands)[7], values.green) * fulfilled((*bands)[8], values.bright);
            }
        }
        if share <= 0.003 { continue; }
        for (var m = 0u; m < 10u; m += 1u) { shares[m] *= 1.0 - share; }
        let own = u32(what.x);
        tints[own] = mix(tints[own], what.z, share / max(shares[own] + share, 1e-3));
        shares[own] += share;
    }
    for (var m = 0u; m < 10u; m += 1u) { shares[m] *= (1.0 - cover.x) * (1.0 - cover.y); }
    shares[SAND_MATERIAL] += cover.x * (1.0 - cover.y);
    shares[SNOW_MATERIAL] += cover.y;
    var found = Mixture(0u, 0u, 0.0, vec2<f32>(0.0), vec2<f32>(0.0));
    var most = vec2<f32>(-1.0);
    for (var m = 0u; m < 10u; m += 1u) {
        let share = shares[m];
        if share > most.x {
            most = vec2<f32>(share, most.x);
            found.second = found.first;
            found.first = m;
        } else if share > most.y {
            most.y = share;
            found.second = m;
        }
    }
    found.share = max(most.y, 0.0) / max(most.x + max(most.y, 0.0), 1e-4);
    found.tints = vec2<f32>(tints[found.first], tints[found.second]);
    let lying = vec2<f32>(cover.x * (1.0 - cover.y), cover.y);
    for (var k = 0u; k < 2u; k += 1u) {
        let own = select(found.second, found.first, k == 0u);
        if own == SAND_MATERIAL { found.lying[k] = lying.x / max(shares[own], 1e-3); }
        if own == SNOW_MATERIAL { found.lying[k] = lying.y / max(shares[own], 1e-3); }
    }
    return found;
}

// The relief of a material at a place.
struct Relief {
    // of its height along the axes of the world
    gradient: vec3<f32>,
    height: f32,
    tone: f32,
}

fn turned(uv: vec2<f32>, step: f32) -> vec4<f32> {
    // a cosine and a sine, and the place after the turn
    let angle = 0.61 * step;
    let c = cos(angle);
    let s = sin(angle);
    return vec4<f32>(c * uv.x - s * uv.y + 0.37 * step, s * uv.x + c * uv.y + 0.11 * step, c, s);
}

// A texel as slope along the axes before the turn, height and tone.
fn texel(material: u32, uv: vec2<f32>, step: f32, lod: f32) -> vec4<f32> {
    let place = turned(uv, step);
    let found = textureSampleLevel(material_maps, material_sampler, place.xy, i32(material), lod);
    let slope = found.xy * (255.0 / 127.0) - vec2<f32>(128.0 / 127.0);
    let back = vec2<f32>(place.z * slope.x + place.w * slope.y, -place.w * slope.x + place.z * slope.y);
    return vec4<f32>(back, found.z, found.w * (255.0 / 127.0) - 128.0 / 127.0);
}

// One size of the texture, laid from the three sides.
fn laid(material: u32, place: vec3<f32>, planes: vec3<f32>, step: f32, footprint: f32) -> Relief {
    let repeat = FINEST_METRES * pow(COARSER, step);
    let at = place / repeat;
    let lod = max(log2(footprint * ground_rules.count.y / repeat), 0.0);
    var gradient = vec3<f32>(0.0);
    var rest = vec2<f32>(0.0);
    if planes.y > 0.02 {
        let t = texel(material, at.xz, step, lod);
        gradient += planes.y * vec3<f32>(t.x, 0.0, t.y);
        rest += planes.y * t.zw;
    }
    if planes.x > 0.02 {
        let t = texel(material, at.zy, step, lod);
        gradient += planes.x * vec3<f32>(0.0, t.y, t.x);
        rest += planes.x * t.zw;
    }
    if planes.z > 0.02 {
        let t = texel(material, at.xy, step, lod);
        gradient += planes.z * vec3<f32>(t.x, t.y, 0.0);
        rest += planes.z * t.zw;
    }
    return Relief(gradient, rest.x, rest.y);
}

// All sizes of a material that a pixel of so many metres shows.
fn relief_of(material: u32, place: vec3<f32>, planes: vec3<f32>, footprint: f32, cell_metres: f32) -> Relief {
    let form = ground_rules.looks[material].form;
    let finest = max(log2(footprint * ground_rules.count.y * 0.6 / FINEST_METRES) / log2(COARSER), 0.0);
    let first = floor(finest);
    let part = finest - first;
    var sum = Relief(vec3<f32>(0.0), 0.0, 0.0);
    var weights = 0.0;
    for (var k = 0u; k < 3u; k += 1u) {
        let step = first + f32(k);
        let repeat = FINEST_METRES * pow(COARSER, step);
        var weight = 1.0;
        if k == 0u { weight = 1.0 - part; }
        if k == 2u { weight = part; }
        if step == 0.0 { weight = 1.0; }
        weight *= 1.0 - smoothstep(0.5 * form.z, 2.0 * form.z, repeat);
        if weight < 0.01 { continue; }
        let own = laid(material, place, planes, step, footprint);
        // what is larger than a cell is in the heights already
        let fine = 1.0 - smoothstep(12.0 * cell_metres, 60.0 * cell_metres, repeat);
        sum.gradient += own.gradient * (form.x * weight * fine);
        sum.height += own.height * weight;
        sum.tone += own.tone * weight;
        weights += weight;
    }
    sum.height = mix(0.5, sum.height / max(weights, 0.01), saturate(weights));
    sum.tone *= form.y * 0.8;
    return sum;
}

// Colour of a material on ground of a colour.
fn colour_of(material: u32, ground: vec3<f32>, tint: f32, lying: f32) -> vec3<f32> {
    let own = mix(ground, ground_rules.looks[material].colour.rgb, tint);
    return mix(own, select(SAND, SNOW, material == SNOW_MATERIAL), lying);
}

// What lies at a place, ready to be lit.
struct Ground {
    colour: vec3<f32>,
    normal: vec3<f32>,
    // share of the light of the sky that comes between stones and blades
    open: f32,
    gloss: f32,
}

// What lies on ground of a colour, of whatever its values and covers make it. Places are in metres, those next to each
// other in full precision; a pixel shows `footprint` metres, heights have samples `cell_metres` apart.
fn laid_ground(
    values: SiteValues,
    cover: vec2<f32>,
    colour: vec3<f32>,
    ground_normal: vec3<f32>,
    place: vec3<f32>,
    footprint: f32,
    cell_metres: f32,
) -> Ground {
    let mixture = mixture_of(values, cover);
    var planes = pow(abs(ground_normal), vec3<f32>(6.0));
    planes /= planes.x + planes.y + planes.z;
    var own = relief_of(mixture.first, place, planes, footprint, cell_metres);
    let look = ground_rules.looks[mixture.first];
    var bare = colour_of(mixture.first, colour, mixture.tints.x, mixture.lying.x);
    var gloss = look.colour.a;
    if mixture.share > 0.04 {
        let other = relief_of(mixture.second, place, planes, footprint, cell_metres);
        // the higher of both shows
        let t = smoothstep(0.30, 0.70, mixture.share + 0.6 * (other.height - own.height) * (1.0 - abs(2.0 * mixture.share - 1.0)));
        let its = ground_rules.looks[mixture.second];
        bare = mix(bare, colour_of(mixture.second, colour, mixture.tints.y, mixture.lying.y), t);
        own = Relief(mix(own.gradient, other.gradient, t), mix(own.height, other.height, t), mix(own.tone, other.tone, t));
        gloss = mix(gloss, its.colour.a, t);
    }
    let across = own.gradient - dot(own.gradient, ground_normal) * ground_normal;
    let normal = normalize(ground_normal - across);
    let tone = exp2(own.tone);
    return Ground(bare * tone, normal, 0.72 + 0.42 * own.height, gloss);
}

#endif
