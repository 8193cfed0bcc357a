//! The textures of the terrain materials on the graphics card, and the rules that choose a material in the shaders.

use std::sync::{Arc, Once, OnceLock};

use bevy::math::Vec4;
use bevy::prelude::*;
use bevy::render::render_resource::{
    AddressMode, Buffer, BufferInitDescriptor, BufferUsages, Extent3d, FilterMode, MipmapFilterMode, Origin3d, Sampler,
    SamplerDescriptor, TexelCopyBufferLayout, TextureDescriptor, TextureDimension, TextureFormat, TextureUsages,
    TextureView, TextureViewDescriptor, TextureViewDimension,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bytemuck::{Pod, Zeroable};

use super::batch::DrawContext;
use super::image_textures::{IMAGE_SIDE, RuleTextures};
use super::mesh::RenderQuality;
use talweg::appearance::materials::texture_cache::material_textures;
use talweg::appearance::materials::textures::{MaterialTexture, look_of};
use talweg::appearance_files::{
    Band, CONDITIONS, EVERYWHERE, MOST_RULES, MOST_TEXTURE_SETS, Material, MaterialRule, MaterialRules,
};
use talweg::preferences::{GroundDetail, cache_folder};

/// Number of texels along the side of every texture.
const SIDE: usize = 512;

const MATERIALS: usize = Material::ALL.len();

/// Number of built-in materials and texture sets that the shaders can mix.
const SLOTS: usize = MATERIALS + MOST_TEXTURE_SETS;

/// Size of all material textures with their mip levels on the graphics card, in bytes.
#[cfg(test)]
pub const MATERIAL_BYTES: usize = MATERIALS * SIDE * SIDE * 4 * 4 / 3;

/// The textures, read or computed once per program run. The first start computes them, which takes more than a second
/// on two cores.
static TEXTURES: OnceLock<Vec<MaterialTexture>> = OnceLock::new();

fn textures() -> &'static [MaterialTexture] {
    TEXTURES.get_or_init(|| material_textures(cache_folder().as_deref(), SIDE))
}

/// Starts to compute the textures. Until the textures are ready, the view is drawn without them.
fn start_textures() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        // use a separate thread: a job of the thread pool can run another job while it waits for its parts; if that job
        // also requested the textures, the first job would wait for itself
        let made = std::thread::Builder::new().name("talweg-materials".into()).spawn(textures);
        if made.is_err() {
            textures();
        }
    });
}

/// The appearance of a material; mirrors `MaterialLook` in `assets/shaders/materials.wgsl`.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct LookUniform {
    /// Colour of the material in the first three values, gloss in the fourth.
    colour: Vec4,
    /// Steepest slope of a texel; contrast of the tone; greatest repeat length of the texture in metres; strength of
    /// creases. A texture set has the number of its layer of colours instead of a contrast, and its length in metres
    /// instead of the greatest length.
    form: Vec4,
}

/// One value for each built-in material and each texture set, in groups of four; mirrors `PerMaterial` in
/// `assets/shaders/materials.wgsl`.
pub type PerMaterial = [f32; SLOTS];

/// A material rule; mirrors `MaterialRule` in `assets/shaders/materials.wgsl`.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct RuleUniform {
    /// 1 at the index of the rule's material, 0 elsewhere.
    own: PerMaterial,
    /// The rule's tint at the index of its material, 0 elsewhere.
    tint: PerMaterial,
    /// Greatest cover; index of the rule's first test; index after the rule's last test; unused value.
    what: [f32; 4],
}

/// The test of a condition against a band of values; mirrors `MaterialTest` in `assets/shaders/materials.wgsl`.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
struct TestUniform {
    /// 1 at the index of the test's condition, 0 elsewhere.
    own: [f32; CONDITIONS.len()],
    /// Factor and offset for the rising ramp, and for the falling ramp.
    ramps: [BandRamp; 2],
}

/// Factor and offset that map a value to 0 at the start of a ramp and to 1 at its end.
pub type BandRamp = [f32; 2];

/// Greatest number of tests in a rule list: one per condition and rule.
const MOST_TESTS: usize = MOST_RULES * CONDITIONS.len();

/// The list of material rules; mirrors `GroundRules` in `assets/shaders/materials.wgsl`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct RulesUniform {
    /// Number of rules; number of texels along the side of a built-in texture; 1 if there are textures; number of mip
    /// levels above the built-in textures.
    count: Vec4,
    looks: [LookUniform; SLOTS],
    rules: [RuleUniform; MOST_RULES],
    tests: [TestUniform; MOST_TESTS],
}

impl RulesUniform {
    fn new(rules: &MaterialRules, textures: &[MaterialTexture], images: &RuleTextures) -> Self {
        let look = |k: usize| {
            if k >= MATERIALS {
                return image_look(rules, images, k - MATERIALS).unwrap_or_default();
            }
            let (look, texture) = (look_of(Material::ALL[k]), textures.get(k));
            let steepest = texture.map_or(0.0, |texture| texture.steepest) * look.depth;
            LookUniform {
                colour: Vec3::from(look.colour).extend(look.gloss),
                form: Vec4::new(steepest, look.contrast, look.widest_metres, look.creases),
            }
        };
        let mut uniforms = [RuleUniform::default(); MOST_RULES];
        let mut tests = Vec::new();
        for (k, (out, rule)) in uniforms.iter_mut().zip(&rules.0).enumerate() {
            let first = tests.len() as f32;
            // the first rule has no tests, because it applies everywhere
            if k > 0 {
                tests.extend(rule.bands.iter().enumerate().filter_map(|(condition, band)| test_of(condition, *band)));
            }
            let slot = slot_of(rule, images);
            out.own[slot] = 1.0;
            out.tint[slot] = rule.tint;
            out.what = [if k > 0 { rule.max_fraction } else { 1.0 }, first, tests.len() as f32, 0.0];
        }
        tests.resize(MOST_TESTS, TestUniform::default());
        Self {
            count: Vec4::new(
                rules.0.len() as f32,
                SIDE as f32,
                f32::from(u8::from(!textures.is_empty())),
                levels_above(images) as f32,
            ),
            looks: std::array::from_fn(look),
            rules: uniforms,
            tests: std::array::from_fn(|k| tests[k]),
        }
    }
}

/// The index of the material or texture set that a rule shows. Until the images of a rule are read, the rule shows its
/// built-in material.
fn slot_of(rule: &MaterialRule, images: &RuleTextures) -> usize {
    let image = rule.textures.as_ref().and_then(|set| images.ready(set));
    image.map_or(rule.material as usize, |(at, _)| MATERIALS + at)
}

/// The layer of the texture array that holds the colours of the first texture set. The layers before it hold the
/// built-in materials and the relief of each set.
fn first_colour_layer(images: &RuleTextures) -> usize {
    MATERIALS + images.sets.len()
}

/// The appearance of the texture set with index `at`, if its images are ready.
fn image_look(rules: &MaterialRules, images: &RuleTextures, at: usize) -> Option<LookUniform> {
    let (set, image) = images.sets.get(at)?;
    let image = image.as_ref()?;
    // creases belong to the kind of ground, which the rule states
    let rule = rules.0.iter().find(|rule| rule.textures.as_ref() == Some(set))?;
    let layer = (first_colour_layer(images) + at) as f32;
    Some(LookUniform {
        colour: Vec3::from(image.mean_colour).extend(0.0),
        form: Vec4::new(image.steepest, layer, set.metres, look_of(rule.material).creases),
    })
}

/// Number of mip levels above the largest level of the built-in textures, which have fewer texels than images.
fn levels_above(images: &RuleTextures) -> u32 {
    if images.is_any_ready() { (IMAGE_SIDE / SIDE).ilog2() } else { 0 }
}

/// The test whether a condition is in a band; `None` if the band contains all values.
fn test_of(condition: usize, band: Band) -> Option<TestUniform> {
    let ramps = ramps_of(band);
    ramps.iter().any(Option::is_some).then(|| {
        let mut test = TestUniform { ramps: ramps.map(|ramp| ramp.unwrap_or([0.0, 1.0])), ..TestUniform::default() };
        test.own[condition] = 1.0;
        test
    })
}

/// The rising and the falling ramp of a band. A ramp is `None` if the band is unlimited on the side of this ramp.
pub fn ramps_of([a, b, c, d]: Band) -> [Option<BandRamp>; 2] {
    let ramp = |none: f32, all: f32| {
        let width = if (all - none).abs() < 1e-6 { 1e-6_f32.copysign(all - none) } else { all - none };
        [1.0 / width, -none / width]
    };
    let [begins, ends] = [b > EVERYWHERE[1], c < EVERYWHERE[2]];
    [begins.then(|| ramp(a, b)), ends.then(|| ramp(d, c))]
}

/// The material resources that the shaders read.
pub struct GroundMaterials {
    pub maps: TextureView,
    pub sampler: Sampler,
    pub rules: Buffer,
    /// Whether the maps hold the finished textures. Until then, each map is a single placeholder texel.
    pub is_complete: bool,
    /// Whether image files of the rules are still being read.
    pub is_loading: bool,
    applied_rules: Arc<MaterialRules>,
    textures: &'static [MaterialTexture],
    images: RuleTextures,
}

impl GroundMaterials {
    /// The material resources. With `wait`, the call returns when all textures are computed or read; otherwise missing
    /// textures are replaced by a placeholder.
    pub fn new(wait: bool, laid: Arc<MaterialRules>, device: &RenderDevice, queue: &RenderQueue) -> Self {
        let images = RuleTextures::of_rules(&laid, wait);
        Self::with_images(wait, laid, images, device, queue)
    }

    fn with_images(
        wait: bool,
        laid: Arc<MaterialRules>,
        images: RuleTextures,
        device: &RenderDevice,
        queue: &RenderQueue,
    ) -> Self {
        let made = if wait { textures() } else { TEXTURES.get().map_or(&[][..], Vec::as_slice) };
        let uniform = RulesUniform::new(&laid, made, &images);
        let rules = device.create_buffer_with_data(&BufferInitDescriptor {
            label: Some("talweg material rules"),
            contents: bytemuck::bytes_of(&uniform),
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
        });
        let sampler = device.create_sampler(&SamplerDescriptor {
            label: Some("talweg materials"),
            address_mode_u: AddressMode::Repeat,
            address_mode_v: AddressMode::Repeat,
            mag_filter: FilterMode::Linear,
            min_filter: FilterMode::Linear,
            mipmap_filter: MipmapFilterMode::Linear,
            ..default()
        });
        let maps = uploaded(made, &images, device, queue);
        let (is_complete, is_loading) = (!made.is_empty(), images.is_loading);
        Self { maps, sampler, rules, is_complete, is_loading, applied_rules: laid, textures: made, images }
    }

    /// Adopts the textures once they are computed or read, and the rules of the current palette. Returns whether
    /// terrain materials are to be drawn in detail. If they are, the call also starts to compute missing textures.
    pub fn update(&mut self, rules: &Arc<MaterialRules>, context: &DrawContext) -> bool {
        let wants_detail = match context.ground_detail {
            GroundDetail::Automatic => !context.is_frugal(),
            GroundDetail::Full => true,
            GroundDetail::Plain => false,
        };
        if wants_detail && !self.is_complete {
            start_textures();
        }
        let waits = context.quality == RenderQuality::Still;
        let images = if wants_detail { RuleTextures::of_rules(rules, waits) } else { self.images.clone() };
        let has_other_images = !images.has_same(&self.images);
        if self.is_outdated() || has_other_images {
            let is_computed = TEXTURES.get().is_some();
            *self = Self::with_images(is_computed, rules.clone(), images, context.device, context.queue);
        } else if !Arc::ptr_eq(&self.applied_rules, rules) {
            let uniform = RulesUniform::new(rules, self.textures, &images);
            context.queue.write_buffer(&self.rules, 0, bytemuck::bytes_of(&uniform));
            self.applied_rules = rules.clone();
            (self.is_loading, self.images) = (images.is_loading, images);
        } else {
            self.is_loading = images.is_loading;
        }
        wants_detail
    }

    /// Whether the textures have become ready since these resources were created.
    fn is_outdated(&self) -> bool {
        !self.is_complete && TEXTURES.get().is_some()
    }
}

/// The array of all textures: the built-in materials, then the relief of each texture set, then the colours of each
/// set. If there are images, the built-in textures begin at a smaller mip level.
fn uploaded(
    textures: &[MaterialTexture],
    images: &RuleTextures,
    device: &RenderDevice,
    queue: &RenderQueue,
) -> TextureView {
    let built_in_side = textures.first().map_or(1, |texture| texture.side);
    let above = if textures.is_empty() { 0 } else { levels_above(images) };
    let side = built_in_side << above;
    let layers = if above == 0 { MATERIALS } else { first_colour_layer(images) + images.sets.len() };
    let texture = device.create_texture(&TextureDescriptor {
        label: Some("talweg materials"),
        size: Extent3d { width: side as u32, height: side as u32, depth_or_array_layers: layers as u32 },
        mip_level_count: side.ilog2() + 1,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format: TextureFormat::Rgba8Unorm,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let upload = |layer: usize, first_level: u32, side: usize, texels: &[[u8; 4]]| {
        let mut texels = texels.to_vec();
        for level in 0..=side.ilog2() {
            let size = side >> level;
            let mut target = texture.as_image_copy();
            target.mip_level = first_level + level;
            target.origin = Origin3d { x: 0, y: 0, z: layer as u32 };
            queue.write_texture(
                target,
                bytemuck::cast_slice(&texels),
                TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * size as u32), rows_per_image: None },
                Extent3d { width: size as u32, height: size as u32, depth_or_array_layers: 1 },
            );
            texels = halved(size, &texels);
        }
    };
    for (layer, material) in textures.iter().enumerate() {
        upload(layer, above, material.side, &material.texels);
    }
    for (at, image) in images.sets.iter().enumerate().filter(|_| above > 0) {
        if let (_, Some(image)) = image {
            upload(MATERIALS + at, 0, image.side, &image.relief);
            upload(first_colour_layer(images) + at, 0, image.side, &image.colours);
        }
    }
    let dimension = Some(TextureViewDimension::D2Array);
    texture.create_view(&TextureViewDescriptor { dimension, ..default() })
}

/// A texture of half the side length. Each texel is the average of 2 × 2 texels.
fn halved(size: usize, texels: &[[u8; 4]]) -> Vec<[u8; 4]> {
    let half = size / 2;
    let mean = |k: usize| {
        let (i, j) = (2 * (k / half), 2 * (k % half));
        let four = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(a, b)| texels[(i + a) * size + j + b]);
        std::array::from_fn(|c| ((four.iter().map(|t| u16::from(t[c])).sum::<u16>() + 2) / 4) as u8)
    };
    (0..half * half).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::appearance_files::{DEFAULT_MATERIALS, material_list_names};

    /// Each frame requests the textures until they are ready.
    #[test]
    fn textures_load_on_every_request() {
        for _ in 0..100 {
            start_textures();
        }
        while TEXTURES.get().is_none() {
            start_textures();
            std::thread::yield_now();
        }
        assert_eq!(textures().len(), MATERIALS);
    }

    #[test]
    fn smaller_textures_keep_the_mean() {
        let texels: Vec<[u8; 4]> = (0..64u8).map(|k| [k, 255 - k, 128, 0]).collect();
        let half = halved(8, &texels);
        assert_eq!(half.len(), 16);
        assert_eq!(half[0], [5, 251, 128, 0]);
        assert_eq!(halved(1, &half[..1]).len(), 0);
    }

    #[test]
    fn the_rules_fit_the_limits_of_every_graphics_card() {
        assert!(size_of::<RulesUniform>() <= 16 * 1024);
        let rules = MaterialRules::named(DEFAULT_MATERIALS).unwrap();
        let uniform = RulesUniform::new(rules, &[], &RuleTextures::default());
        assert_eq!(uniform.count.x as usize, rules.0.len());
        assert_eq!(uniform.count.z, 0.0);
    }

    /// Fractions of the materials at a site with these condition values. Like `mixture_of` in
    /// `assets/shaders/materials.wgsl`, the function applies the rules from the last to the first.
    fn shares_from_the_top(uniform: &RulesUniform, values: [f32; CONDITIONS.len()]) -> PerMaterial {
        let (mut shares, mut left) = ([0.0; SLOTS], 1.0);
        for rule in uniform.rules[..uniform.count.x as usize].iter().rev() {
            let [most, begin, end, _] = rule.what;
            let cover = uniform.tests[begin as usize..end as usize].iter().fold(most, |cover, test| {
                let value: f32 = test.own.iter().zip(&values).map(|(a, b)| a * b).sum();
                test.ramps.iter().fold(cover, |cover, [times, more]| {
                    let t = (value * times + more).clamp(0.0, 1.0);
                    cover * t * t * (3.0 - 2.0 * t)
                })
            });
            shares.iter_mut().zip(&rule.own).for_each(|(share, own)| *share += left * cover * own);
            left *= 1.0 - cover;
        }
        shares
    }

    #[test]
    fn the_rules_give_the_same_weights_from_the_top_down() {
        let draw = talweg::field::Stream::new(5, 1);
        for name in material_list_names() {
            let rules = MaterialRules::named(name).unwrap();
            let uniform = RulesUniform::new(rules, &[], &RuleTextures::default());
            for k in 0..2000 {
                let at = |axis: i32| 0.5 + 0.5 * draw.signed(k, axis);
                let values = std::array::from_fn(|c| match CONDITIONS[c] {
                    "slope" => 80.0 * at(c as i32),
                    "green" => 0.3 * at(c as i32) - 0.15,
                    "curvature" => 60.0 * at(c as i32) - 30.0,
                    _ => at(c as i32),
                });
                let (own, told) = (shares_from_the_top(&uniform, values), rules.fractions(values));
                for (a, b) in own.iter().zip(told) {
                    assert!((a - b).abs() < 1e-3, "{name} at {values:?}: {own:?} {told:?}");
                }
            }
        }
    }
}
