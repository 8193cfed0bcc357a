//! Shadows of plants and stones. The depths of these objects as seen from the sun are drawn into a fine and a wide map
//! around the eye (cascaded shadow maps; Engel 2006). The shaders of the terrain and of the plants read both maps.

use bevy::prelude::*;
use bevy::render::render_resource::{
    CachedRenderPipelineId, CompareFunction, DepthBiasState, DepthStencilState, Extent3d, FilterMode, PipelineCache,
    PrimitiveState, RenderPipelineDescriptor, Sampler, SamplerDescriptor, TextureDescriptor, TextureDimension,
    TextureFormat, TextureUsages, TextureView, TextureViewDescriptor, TextureViewDimension, VertexState,
};
use bevy::render::renderer::RenderDevice;

use crate::view::render::pipelines::{GroundStyle, Pipelines, SurfacePart, are_ready};

/// Number of shadow maps around the eye.
pub const SHADOW_CASCADES: usize = 2;
/// Half the side length of each shadow map in metres.
const REACH_METRES: [f32; SHADOW_CASCADES] = [60.0, 700.0];
/// Number of texels along the side of a map.
const SIDE: u32 = 2048;
/// Depth format of the maps. Where shadows have full strength, its depth steps are less than half the width of a texel.
const DEPTH_FORMAT: TextureFormat = TextureFormat::Depth16Unorm;
/// Size of both maps on the graphics card, in bytes.
#[cfg(test)]
pub const SHADOW_BYTES: usize = SHADOW_CASCADES * (SIDE * SIDE) as usize * 2;
/// Height of an object, in texels, below which its shadow is not drawn.
const LEAST_TEXELS: f32 = 4.0;
/// Two sines of the sun's elevation between which the shadows fade in. Under a lower sun, shadows would be too long.
const LOW_SUN: (f32, f32) = (0.03, 0.09);

/// Positions of the shadow maps around an eye.
pub struct ShadowCascades {
    /// Matrices from world space to each map. A map extends from -1 to 1; depth is 0 nearest to the sun and 1 farthest
    /// from it.
    pub map_from_world: [Mat4; SHADOW_CASCADES],
    /// Half the side length of each map in world units.
    reach_world: [f32; SHADOW_CASCADES],
    /// Strength of the shadows, from 0 to 1.
    pub strength: f32,
}

impl ShadowCascades {
    /// Shadow maps around an eye over terrain whose vertical direction is `up`. `None` if the sun is too low.
    pub fn new(eye_world: Vec3, towards_sun: Vec3, up: Vec3, metres_per_world: f32) -> Option<Self> {
        let sine = towards_sun.dot(up);
        let strength = ((sine - LOW_SUN.0) / (LOW_SUN.1 - LOW_SUN.0)).clamp(0.0, 1.0);
        if strength <= 0.0 {
            return None;
        }
        let reach_world = REACH_METRES.map(|metres| metres / metres_per_world);
        // the axes of the maps do not turn with the eye
        let right = Vec3::Y.cross(towards_sun).normalize_or(Vec3::X);
        let aside = towards_sun.cross(right);
        let map_from_world = reach_world.map(|reach| {
            // shift the maps by whole texels, so that shadow edges do not flicker while the eye moves
            let texel = 2.0 * reach / SIDE as f32;
            let snapped = |axis: Vec3| (axis.dot(eye_world) / texel).round() * texel;
            let ahead = towards_sun.dot(eye_world);
            // the map must contain terrain that slopes down along the sun's rays, so it is deeper under a lower sun
            let deep = reach * (2.0 + 1.0 / sine);
            let rows = [right.extend(-snapped(right)) / reach, aside.extend(-snapped(aside)) / reach];
            let depth = (-towards_sun).extend(ahead + deep) / (2.0 * deep);
            Mat4::from_cols(rows[0], rows[1], depth, Vec4::W).transpose()
        });
        Some(Self { map_from_world, reach_world, strength })
    }

    /// The same shadow maps for positions relative to `origin_world`.
    pub fn counted_from(mut self, origin_world: Vec3) -> Self {
        let shift = Mat4::from_translation(origin_world);
        self.map_from_world = self.map_from_world.map(|map| map * shift);
        self
    }

    /// Whether an object of this height casts a visible shadow into the map of a cascade.
    pub fn meets(&self, cascade: usize, place: Vec3, size_world: f32) -> bool {
        if size_world < LEAST_TEXELS * 2.0 * self.reach_world[cascade] / SIDE as f32 {
            return false;
        }
        let at = self.map_from_world[cascade].transform_point3(place);
        let margin = 1.0 + size_world / self.reach_world[cascade];
        at.x.abs() < margin && at.y.abs() < margin
    }

    /// Whether objects in a box can cast a shadow into any of the maps.
    pub fn reaches(&self, low: Vec3, high: Vec3) -> bool {
        let widest = SHADOW_CASCADES - 1;
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let map = &self.map_from_world[widest];
        let at = map.transform_point3(middle);
        let spread = |row: Vec4| row.truncate().abs().dot(half);
        at.x.abs() < 1.0 + spread(map.row(0)) && at.y.abs() < 1.0 + spread(map.row(1))
    }

    /// Half the width of a texel of each map, in world units.
    pub fn half_texels(&self) -> [f32; SHADOW_CASCADES] {
        self.reach_world.map(|reach| reach / SIDE as f32)
    }
}

/// The uniforms `plant_shadows` and `plants` of the frame. All plants nearer than `all_world` are drawn.
pub fn shadow_uniforms(shadows: Option<&ShadowCascades>, all_world: f32) -> ([Mat4; SHADOW_CASCADES], Vec4) {
    let Some(shadows) = shadows else { return ([Mat4::IDENTITY; SHADOW_CASCADES], Vec4::W * all_world) };
    let [near, far] = shadows.half_texels();
    (shadows.map_from_world, Vec4::new(shadows.strength, near, far, all_world))
}

/// The shadow maps on the graphics card.
pub struct ShadowMaps {
    /// A view of both maps, which shaders read.
    pub both: TextureView,
    /// A view of each map alone, as a render target.
    pub each: [TextureView; SHADOW_CASCADES],
    pub sampler: Sampler,
    is_full: bool,
}

impl ShadowMaps {
    /// Creates maps of full size, or single texels as placeholders while no object casts shadows.
    pub fn new(is_full: bool, device: &RenderDevice) -> Self {
        let side = if is_full { SIDE } else { 1 };
        let texture = device.create_texture(&TextureDescriptor {
            label: Some("talweg plant shadows"),
            size: Extent3d { width: side, height: side, depth_or_array_layers: SHADOW_CASCADES as u32 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: TextureDimension::D2,
            format: DEPTH_FORMAT,
            usage: TextureUsages::TEXTURE_BINDING | TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        let view = |dimension, base_array_layer, layers| {
            texture.create_view(&TextureViewDescriptor {
                dimension: Some(dimension),
                base_array_layer,
                array_layer_count: Some(layers),
                ..default()
            })
        };
        Self {
            both: view(TextureViewDimension::D2Array, 0, SHADOW_CASCADES as u32),
            each: std::array::from_fn(|layer| view(TextureViewDimension::D2, layer as u32, 1)),
            sampler: device.create_sampler(&SamplerDescriptor {
                label: Some("talweg plant shadows"),
                mag_filter: FilterMode::Linear,
                min_filter: FilterMode::Linear,
                compare: Some(CompareFunction::LessEqual),
                ..default()
            }),
            is_full,
        }
    }

    /// Enlarges placeholder maps to full size.
    pub fn require(&mut self, device: &RenderDevice) {
        if !self.is_full {
            *self = Self::new(true, device);
        }
    }
}

/// The pipelines that draw the shadow maps of a surface. The first call starts to compile the pipelines; the result is
/// `None` until they are ready.
pub fn shadow_pipelines<P: SurfacePart>(
    pipelines: &mut Pipelines<P>,
    cache: &PipelineCache,
) -> Option<[CachedRenderPipelineId; SHADOW_CASCADES]> {
    let (layout, shader) = (pipelines.layout.clone(), P::PLANTS.shader(&pipelines.shader).clone());
    let describe = |entry: &'static str| RenderPipelineDescriptor {
        label: Some(format!("talweg {entry}").into()),
        layout: vec![layout.clone()],
        vertex: VertexState {
            shader: shader.clone(),
            entry_point: Some(entry.into()),
            shader_defs: vec!["DETAIL".into()],
            buffers: P::PLANTS.shape(GroundStyle::default()).input,
        },
        primitive: PrimitiveState { cull_mode: None, ..default() },
        depth_stencil: Some(DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(true),
            depth_compare: Some(CompareFunction::Less),
            stencil: default(),
            bias: DepthBiasState { constant: 2, slope_scale: 1.5, clamp: 0.0 },
        }),
        fragment: None,
        ..default()
    };
    let entries = ["plant_shadow_near_vertex", "plant_shadow_far_vertex"];
    let ids = entries.map(|entry| pipelines.queue_named(cache, entry, || describe(entry)));
    are_ready(&ids, cache).then_some(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_along_a_sun_ray_share_one_map_position() {
        let sun = Vec3::new(0.6, 0.48, 0.64);
        let eye = Vec3::new(120.0, 30.0, -75.0);
        let cascades = ShadowCascades::new(eye, sun, Vec3::Y, 10.0).expect("the sun is high enough");
        let foot = eye + Vec3::new(1.3, -2.0, 0.4);
        for (map, half) in cascades.map_from_world.iter().zip(cascades.half_texels()) {
            let [low, high] = [foot, foot + 2.0 * sun].map(|place| map.transform_point3(place));
            assert!((low - high).truncate().length() < 1e-4, "{low} {high}");
            assert!(high.z < low.z && (0.0..1.0).contains(&low.z), "nearer to the sun: {low} {high}");
            // a horizontal distance at right angles to the sun keeps its length in the map
            let reach = half * SIDE as f32;
            let side = map.transform_vector3(Vec3::Y.cross(sun).normalize());
            assert!((side.length() * reach - 1.0).abs() < 1e-4);
        }
        assert!(cascades.meets(1, eye, 1.0) && !cascades.meets(1, eye, 0.1), "a metre is less than two texels");
        assert!(cascades.meets(0, eye, 0.1) && !cascades.meets(0, eye + Vec3::new(30.0, 0.0, 0.0), 0.1));
        // an object in the direction of the sun casts its shadow into the map from any distance
        assert!(cascades.reaches(eye + 100.0 * sun, eye + 100.0 * sun));
        assert!(!cascades.reaches(eye + Vec3::Y * 100.0, eye + Vec3::Y * 101.0));
        assert!(ShadowCascades::new(eye, Vec3::new(1.0, 0.02, 0.0), Vec3::Y, 10.0).is_none());
    }

    #[test]
    fn shadow_maps_stay_fixed_while_the_eye_moves() {
        let sun = Vec3::new(0.6, 0.48, 0.64);
        let texels = |eye: Vec3| {
            let cascades = ShadowCascades::new(eye, sun, Vec3::Y, 10.0).expect("the sun is high enough");
            let at = cascades.map_from_world[0].transform_point3(Vec3::new(0.2, 0.1, 0.3));
            [at.x, at.y].map(|at| at * 0.5 * SIDE as f32)
        };
        let before = texels(Vec3::ZERO);
        for k in 1..20 {
            let now = texels(Vec3::new(0.013 * k as f32, 0.0, 0.007 * k as f32));
            for (a, b) in before.iter().zip(now) {
                let moved = (a - b).abs();
                assert!((moved - moved.round()).abs() < 0.02, "the shadow map moved by {moved} texels");
            }
        }
    }
}
