//! The pipelines that draw the ground, the sides of the block, the water and the sky.

use bevy::core_pipeline::core_3d::CORE_3D_DEPTH_FORMAT;
use bevy::mesh::{VertexBufferLayout, VertexFormat};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::render::render_resource::binding_types::{
    sampler, storage_buffer_read_only_sized, storage_buffer_sized, texture_2d, uniform_buffer_sized,
};
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, BlendState, CachedComputePipelineId, CachedRenderPipelineId,
    ColorTargetState, ColorWrites, CompareFunction, ComputePipelineDescriptor, DepthBiasState, DepthStencilState, Face,
    FragmentState, MultisampleState, PipelineCache, PrimitiveState, PrimitiveTopology, RenderPipelineDescriptor,
    SamplerBindingType, ShaderStages, TextureFormat, TextureSampleType, VertexAttribute, VertexState, VertexStepMode,
};
use bevy::shader::Shader;

use super::adaptive::atlas::Instance;
use super::frame::Frame;
use super::mode::ViewMode;
use super::prepare::Tint;
use super::trace::Tracing;

/// What can be drawn, in drawing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    Ground,
    Sides,
    /// Walls where the ground ends inside the square.
    Walls,
    Sky,
    SurfaceWaterSides,
    SurfaceWater,
    SeaSides,
    /// The side of the sea over the walls.
    SeaWalls,
    SeaSurface,
    AdaptiveGround,
    AdaptiveSides,
    AdaptiveWaterSides,
    AdaptiveWater,
    AdaptiveSeaSides,
    AdaptiveSea,
    Traced,
}

/// How the ground is coloured: a fragment stage each.
type Look = (ViewMode, Tint);

impl Part {
    /// The parts of a terrain drawn from its grid.
    const OF_GRID: [Self; 9] = [
        Self::Ground,
        Self::Sides,
        Self::Walls,
        Self::Sky,
        Self::SurfaceWaterSides,
        Self::SurfaceWater,
        Self::SeaSides,
        Self::SeaWalls,
        Self::SeaSurface,
    ];
    /// The parts of a terrain drawn from patches of a tree; the void edge is that of the grid.
    const OF_PATCHES: [Self; 9] = [
        Self::AdaptiveGround,
        Self::AdaptiveSides,
        Self::Walls,
        Self::Sky,
        Self::AdaptiveWaterSides,
        Self::AdaptiveWater,
        Self::AdaptiveSeaSides,
        Self::SeaWalls,
        Self::AdaptiveSea,
    ];

    /// The parts of a terrain that rays meet; the sea and the void edge are those of the grid.
    const OF_RAYS: [Self; 6] = [Self::Traced, Self::Walls, Self::Sky, Self::SeaSides, Self::SeaWalls, Self::SeaSurface];

    fn entry_points(self, look: Look) -> (&'static str, &'static str) {
        match self {
            Self::Ground => {
                let fragment = match look {
                    (ViewMode::Shaded, Tint::None) => "ground_shaded",
                    (ViewMode::Shaded, Tint::Slope) => "ground_shaded_slope",
                    (ViewMode::Shaded, Tint::Data) => "ground_shaded_data",
                    (ViewMode::Hillshade, Tint::None) => "ground_hillshade",
                    (ViewMode::Hillshade, Tint::Slope) => "ground_hillshade_slope",
                    (ViewMode::Hillshade, Tint::Data) => "ground_hillshade_data",
                    (_, Tint::None) => "ground_wireframe",
                    (_, Tint::Slope) => "ground_wireframe_slope",
                    (_, Tint::Data) => "ground_wireframe_data",
                };
                ("ground_vertex", fragment)
            }
            Self::Sides => ("sides_vertex", "sides_fragment"),
            Self::Walls => ("walls_vertex", "walls_fragment"),
            Self::SeaWalls => ("water_walls_vertex", "water_walls_fragment"),
            Self::Sky => ("screen_vertex", "sky_fragment"),
            Self::SurfaceWaterSides => ("surface_water_sides_vertex", "surface_water_sides_fragment"),
            Self::SurfaceWater => ("surface_water_vertex", "surface_water_fragment"),
            Self::SeaSides => ("water_sides_vertex", "water_sides_fragment"),
            Self::SeaSurface => ("water_vertex", "water_fragment"),
            Self::AdaptiveGround => {
                let fragment = match look {
                    (ViewMode::AdaptiveWireframe, Tint::None) => "adaptive_wireframe",
                    (ViewMode::AdaptiveWireframe, Tint::Slope) => "adaptive_wireframe_slope",
                    (ViewMode::AdaptiveWireframe, Tint::Data) => "adaptive_wireframe_data",
                    (_, Tint::None) => "adaptive_ground",
                    (_, Tint::Slope) => "adaptive_ground_slope",
                    (_, Tint::Data) => "adaptive_ground_data",
                };
                ("adaptive_vertex", fragment)
            }
            Self::AdaptiveSides => ("adaptive_sides_vertex", "sides_fragment"),
            Self::AdaptiveWaterSides => ("adaptive_water_sides_vertex", "adaptive_water_sides_fragment"),
            Self::AdaptiveWater => ("adaptive_water_vertex", "adaptive_water_fragment"),
            Self::AdaptiveSeaSides => ("adaptive_sea_sides_vertex", "water_sides_fragment"),
            Self::AdaptiveSea => ("adaptive_sea_vertex", "adaptive_sea_fragment"),
            Self::Traced => {
                let fragment = match look.1 {
                    Tint::None => "traced_fragment",
                    Tint::Slope => "traced_fragment_slope",
                    Tint::Data => "traced_fragment_data",
                };
                ("screen_vertex", fragment)
            }
        }
    }

    fn is_water(self) -> bool {
        !self.is_solid() && self != Self::Sky
    }

    fn is_solid(self) -> bool {
        matches!(
            self,
            Self::Ground | Self::Sides | Self::Walls | Self::AdaptiveGround | Self::AdaptiveSides | Self::Traced
        )
    }

    /// Whether it stands on the pieces of the void edge.
    pub fn is_wall(self) -> bool {
        matches!(self, Self::Walls | Self::SeaWalls)
    }

    /// Whether it is drawn once for each patch of the grid, or each piece of the void edge.
    fn is_patched(self) -> bool {
        Self::OF_GRID.contains(&self) && !matches!(self, Self::Sky | Self::SeaSurface)
    }

    /// Whether it is drawn from patches of a tree.
    fn is_adaptive(self) -> bool {
        Self::OF_PATCHES.contains(&self) && !Self::OF_GRID.contains(&self)
    }

    fn is_side(self) -> bool {
        matches!(
            self,
            Self::Sides
                | Self::Walls
                | Self::SurfaceWaterSides
                | Self::SeaSides
                | Self::SeaWalls
                | Self::AdaptiveSides
                | Self::AdaptiveWaterSides
                | Self::AdaptiveSeaSides
        )
    }
}

/// Where the water's surface lies on the ground it wins: steps of depth, and more where it is seen at a slant.
const SURFACE_WATER_BIAS: DepthBiasState = DepthBiasState { constant: 32, slope_scale: 1.0, clamp: 0.0 };

/// All looks of the grid, the plain ones first.
fn looks() -> impl Iterator<Item = Look> {
    let tints = [Tint::None, Tint::Slope, Tint::Data];
    tints.into_iter().flat_map(|tint| ViewMode::OF_GRID.map(|mode| (mode, tint)))
}

/// Parts with the pipelines that draw them.
pub type Parts = Vec<(Part, CachedRenderPipelineId)>;

/// What the pipelines depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetKey {
    pub format: TextureFormat,
    pub samples: u32,
    /// Whether there is no ground in some places; else no pixel pays for asking.
    pub void_mask: bool,
}

impl TargetKey {
    /// Whether the shader has to encode colours, since the target stores them as they come.
    pub fn must_encode(self) -> bool {
        !self.format.is_srgb() && self.format != TextureFormat::Rgba16Float
    }
}

/// The shaders of everything in the view; in both worlds. What shows a tree has a shader of its own, which is translated
/// when it is used.
#[derive(Resource, Clone)]
pub struct ViewShader {
    grid: Handle<Shader>,
    patches: Handle<Shader>,
    rays: Handle<Shader>,
    march: Handle<Shader>,
}

/// The files of the shader, joined, and more.
macro_rules! joined {
    ($($more:literal),*) => {
        concat!(
            include_str!("../../../assets/shaders/screen.wgsl"),
            include_str!("../../../assets/shaders/colours.wgsl"),
            include_str!("../../../assets/shaders/common.wgsl"),
            include_str!("../../../assets/shaders/sky.wgsl"),
            include_str!("../../../assets/shaders/ground.wgsl"),
            include_str!("../../../assets/shaders/sides.wgsl"),
            include_str!("../../../assets/shaders/water.wgsl"),
            include_str!("../../../assets/shaders/surface_water.wgsl"),
            $(include_str!($more)),*
        )
    };
}

impl ViewShader {
    pub fn load(shaders: &mut Assets<Shader>) -> Self {
        let mut add = |source: &'static str, name: &str| shaders.add(Shader::from_wgsl(source, name.to_string()));
        Self {
            grid: add(joined!(), "talweg/view.wgsl"),
            patches: add(joined!("../../../assets/shaders/adaptive.wgsl"), "talweg/adaptive.wgsl"),
            rays: add(joined!("../../../assets/shaders/traced.wgsl"), "talweg/traced.wgsl"),
            march: add(include_str!("../../../assets/shaders/trace.wgsl"), "talweg/trace.wgsl"),
        }
    }
}

/// The layout of the one bind group, and the pipelines asked for so far.
#[derive(Resource)]
pub struct Pipelines {
    pub layout: BindGroupLayoutDescriptor,
    /// Of rays that go on, and of those that are seen.
    pub rays: [BindGroupLayoutDescriptor; 2],
    shader: ViewShader,
    queued: HashMap<(Part, Look, TargetKey), CachedRenderPipelineId>,
    march: Option<CachedComputePipelineId>,
}

impl Pipelines {
    pub fn new(shader: ViewShader) -> Self {
        let filtered = || texture_2d(TextureSampleType::Float { filterable: true });
        let layout = BindGroupLayoutDescriptor::new(
            "talweg view",
            &BindGroupLayoutEntries::sequential(
                ShaderStages::VERTEX_FRAGMENT,
                (
                    uniform_buffer_sized(false, (size_of::<Frame>() as u64).try_into().ok()),
                    texture_2d(TextureSampleType::Float { filterable: false }),
                    filtered(),
                    filtered(),
                    filtered(),
                    filtered(),
                    filtered(),
                    filtered(),
                    filtered(),
                    sampler(SamplerBindingType::Filtering),
                    texture_2d(TextureSampleType::Float { filterable: false }),
                    filtered(),
                ),
            ),
        );
        let tracing = || uniform_buffer_sized(false, (size_of::<Tracing>() as u64).try_into().ok());
        let words = || storage_buffer_read_only_sized(false, None);
        let rays = [
            BindGroupLayoutDescriptor::new(
                "talweg rays",
                &BindGroupLayoutEntries::sequential(
                    ShaderStages::COMPUTE,
                    (words(), words(), tracing(), storage_buffer_sized(false, None)),
                ),
            ),
            BindGroupLayoutDescriptor::new(
                "talweg rays seen",
                &BindGroupLayoutEntries::sequential(ShaderStages::FRAGMENT, (tracing(), words())),
            ),
        ];
        Self { layout, rays, shader, queued: HashMap::default(), march: None }
    }

    /// Pipelines for a target that draw the grid, in drawing order. Those of all looks are queued together, when the target is
    /// seen for the first time, so that a change finds its own ready; until then it is drawn in the first.
    pub fn for_grid(&mut self, cache: &PipelineCache, key: TargetKey, look: Look) -> Parts {
        let first = Look::default();
        if !self.queued.contains_key(&(Part::Sky, first, key)) {
            let rest = Part::OF_GRID.into_iter().filter(|part| *part != Part::Ground).map(|part| (part, first));
            for (part, look) in looks().map(|look| (Part::Ground, look)).chain(rest) {
                self.queue(cache, part, look, key);
            }
        }
        let part = |part: Part| {
            let id = self.queued[&(part, first, key)];
            match self.queued.get(&(part, look, key)) {
                Some(own) if cache.get_render_pipeline(*own).is_some() => (part, *own),
                _ => (part, id),
            }
        };
        Part::OF_GRID.map(part).to_vec()
    }

    /// The same for what shows a tree; queued when it is asked for, `None` until all are ready.
    pub fn for_tree(&mut self, cache: &PipelineCache, key: TargetKey, look: Look) -> Option<Parts> {
        let parts: &[Part] = if look.0.traces() { &Part::OF_RAYS } else { &Part::OF_PATCHES };
        let parts: Parts = parts.iter().map(|part| (*part, self.queue(cache, *part, look, key))).collect();
        parts.iter().all(|(_, id)| cache.get_render_pipeline(*id).is_some()).then_some(parts)
    }

    /// What lets rays go on; queued when it is asked for.
    pub fn for_rays(&mut self, cache: &PipelineCache) -> Option<CachedComputePipelineId> {
        let id = *self.march.get_or_insert_with(|| {
            cache.queue_compute_pipeline(ComputePipelineDescriptor {
                label: Some("talweg rays".into()),
                layout: vec![self.rays[0].clone()],
                shader: self.shader.march.clone(),
                entry_point: Some("march".into()),
                ..default()
            })
        });
        cache.get_compute_pipeline(id).map(|_| id)
    }

    fn queue(&mut self, cache: &PipelineCache, part: Part, look: Look, key: TargetKey) -> CachedRenderPipelineId {
        // only grounds have looks
        let look = match part {
            Part::Ground | Part::AdaptiveGround => look,
            Part::Traced => (ViewMode::Traced, look.1),
            _ => Look::default(),
        };
        if let Some(id) = self.queued.get(&(part, look, key)) {
            return *id;
        }
        let id = cache.queue_render_pipeline(self.describe(part, look, key));
        self.queued.insert((part, look, key), id);
        id
    }

    fn describe(&self, part: Part, look: Look, key: TargetKey) -> RenderPipelineDescriptor {
        let (vertex, fragment) = part.entry_points(look);
        let defs = [("ENCODE", key.must_encode()), ("VOID_MASK", key.void_mask)];
        let shader_defs: Vec<_> = defs.into_iter().filter(|(_, wanted)| *wanted).map(|(name, _)| name.into()).collect();
        let patch = VertexBufferLayout {
            array_stride: 16,
            step_mode: VertexStepMode::Instance,
            attributes: vec![VertexAttribute {
                format: if part.is_wall() { VertexFormat::Float32x4 } else { VertexFormat::Uint32x4 },
                offset: 0,
                shader_location: 0,
            }],
        };
        let tile = VertexBufferLayout {
            array_stride: size_of::<Instance>() as u64,
            step_mode: VertexStepMode::Instance,
            attributes: vec![
                VertexAttribute { format: VertexFormat::Uint32x4, offset: 0, shader_location: 0 },
                VertexAttribute { format: VertexFormat::Float32x4, offset: 16, shader_location: 1 },
            ],
        };
        let buffers = if part.is_patched() {
            vec![patch]
        } else if part.is_adaptive() {
            vec![tile]
        } else {
            Vec::new()
        };
        let shader = match part {
            Part::Traced => &self.shader.rays,
            part if part.is_adaptive() => &self.shader.patches,
            _ => &self.shader.grid,
        };
        let mut layout = vec![self.layout.clone()];
        if part == Part::Traced {
            layout.push(self.rays[1].clone());
        }
        let is_everywhere = matches!(part, Part::Sky | Part::Traced);
        let topology = if part.is_side() { PrimitiveTopology::TriangleStrip } else { PrimitiveTopology::TriangleList };
        RenderPipelineDescriptor {
            label: Some(format!("talweg {part:?}").into()),
            layout,
            vertex: VertexState {
                shader: shader.clone(),
                entry_point: Some(vertex.into()),
                shader_defs: shader_defs.clone(),
                buffers,
            },
            primitive: PrimitiveState { topology, cull_mode: (!is_everywhere).then_some(Face::Back), ..default() },
            depth_stencil: Some(DepthStencilState {
                format: CORE_3D_DEPTH_FORMAT,
                depth_write_enabled: Some(part.is_solid()),
                depth_compare: Some(CompareFunction::GreaterEqual),
                stencil: default(),
                bias: if part == Part::SurfaceWater { SURFACE_WATER_BIAS } else { default() },
            }),
            multisample: MultisampleState { count: key.samples, ..default() },
            fragment: Some(FragmentState {
                shader: shader.clone(),
                entry_point: Some(fragment.into()),
                shader_defs,
                targets: vec![Some(ColorTargetState {
                    format: key.format,
                    blend: part.is_water().then_some(BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                    write_mask: ColorWrites::ALL,
                })],
            }),
            ..default()
        }
    }
}
