//! The pipelines that draw the ground, the sides of the block, the water and the sky.

use bevy::core_pipeline::core_3d::CORE_3D_DEPTH_FORMAT;
use bevy::mesh::{VertexBufferLayout, VertexFormat};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::render::render_resource::binding_types::{sampler, texture_2d, uniform_buffer_sized};
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, BlendState, CachedRenderPipelineId, ColorTargetState,
    ColorWrites, CompareFunction, DepthBiasState, DepthStencilState, Face, FragmentState, MultisampleState,
    PipelineCache, PrimitiveState, PrimitiveTopology, RenderPipelineDescriptor, SamplerBindingType, ShaderStages,
    TextureFormat, TextureSampleType, VertexAttribute, VertexState, VertexStepMode,
};
use bevy::shader::Shader;

use super::frame::Frame;
use super::mode::ViewMode;
use super::prepare::Tint;

/// What can be drawn, in drawing order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    Ground,
    Sides,
    /// Walls where the ground ends inside the square.
    Walls,
    Sky,
    InlandSides,
    InlandSurface,
    SeaSides,
    /// The side of the sea over the walls.
    SeaWalls,
    SeaSurface,
}

/// How the ground is coloured: a fragment stage each.
type Look = (ViewMode, Tint);

impl Part {
    pub const ALL: [Self; 9] = [
        Self::Ground,
        Self::Sides,
        Self::Walls,
        Self::Sky,
        Self::InlandSides,
        Self::InlandSurface,
        Self::SeaSides,
        Self::SeaWalls,
        Self::SeaSurface,
    ];

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
                    (ViewMode::Wireframe, Tint::None) => "ground_wireframe",
                    (ViewMode::Wireframe, Tint::Slope) => "ground_wireframe_slope",
                    (ViewMode::Wireframe, Tint::Data) => "ground_wireframe_data",
                };
                ("ground_vertex", fragment)
            }
            Self::Sides => ("sides_vertex", "sides_fragment"),
            Self::Walls => ("walls_vertex", "walls_fragment"),
            Self::SeaWalls => ("water_walls_vertex", "water_walls_fragment"),
            Self::Sky => ("sky_vertex", "sky_fragment"),
            Self::InlandSides => ("inland_sides_vertex", "inland_sides_fragment"),
            Self::InlandSurface => ("inland_vertex", "inland_fragment"),
            Self::SeaSides => ("water_sides_vertex", "water_sides_fragment"),
            Self::SeaSurface => ("water_vertex", "water_fragment"),
        }
    }

    fn is_water(self) -> bool {
        matches!(self, Self::InlandSides | Self::InlandSurface | Self::SeaSides | Self::SeaWalls | Self::SeaSurface)
    }

    /// Whether it stands on the pieces of the brink.
    pub fn is_wall(self) -> bool {
        matches!(self, Self::Walls | Self::SeaWalls)
    }

    /// Whether it is drawn once for each patch, or each piece of the brink.
    fn is_patched(self) -> bool {
        !matches!(self, Self::Sky | Self::SeaSurface)
    }
}

/// Where the water's surface lies on the ground it wins: steps of depth, and more where it is seen at a slant.
const INLAND_BIAS: DepthBiasState = DepthBiasState { constant: 32, slope_scale: 1.0, clamp: 0.0 };

/// All looks of the ground, the plain ones first.
fn looks() -> impl Iterator<Item = Look> {
    let tints = [Tint::None, Tint::Slope, Tint::Data];
    tints.into_iter().flat_map(|tint| ViewMode::ALL.map(|mode| (mode, tint)))
}

/// What the pipelines depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetKey {
    pub format: TextureFormat,
    pub samples: u32,
    /// Whether there is no ground in some places; else no pixel pays for asking.
    pub cut: bool,
}

impl TargetKey {
    /// Whether the shader has to encode colours, since the target stores them as they come.
    pub fn must_encode(self) -> bool {
        !self.format.is_srgb() && self.format != TextureFormat::Rgba16Float
    }
}

/// The shader of everything in the view; in both worlds.
#[derive(Resource, Clone)]
pub struct ViewShader(Handle<Shader>);

impl ViewShader {
    pub fn load(shaders: &mut Assets<Shader>) -> Self {
        let source = concat!(
            include_str!("../../../assets/shaders/screen.wgsl"),
            include_str!("../../../assets/shaders/common.wgsl"),
            include_str!("../../../assets/shaders/sky.wgsl"),
            include_str!("../../../assets/shaders/ground.wgsl"),
            include_str!("../../../assets/shaders/sides.wgsl"),
            include_str!("../../../assets/shaders/water.wgsl"),
            include_str!("../../../assets/shaders/inland.wgsl"),
        );
        Self(shaders.add(Shader::from_wgsl(source, "talweg/view.wgsl")))
    }
}

/// The layout of the one bind group, and the pipelines asked for so far.
#[derive(Resource)]
pub struct Pipelines {
    pub layout: BindGroupLayoutDescriptor,
    shader: ViewShader,
    queued: HashMap<(Part, Look, TargetKey), CachedRenderPipelineId>,
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
                ),
            ),
        );
        Self { layout, shader, queued: HashMap::default() }
    }

    /// Ids of the pipelines for a target, in the order of [`Part::ALL`]. Those of all looks are queued together, when
    /// the target is seen for the first time, so that a change finds its own ready; until then it is drawn in the
    /// first.
    pub fn for_target(
        &mut self,
        cache: &PipelineCache,
        key: TargetKey,
        look: Look,
    ) -> [CachedRenderPipelineId; Part::ALL.len()] {
        let first = Look::default();
        if !self.queued.contains_key(&(Part::Sky, first, key)) {
            let rest = Part::ALL.into_iter().filter(|part| *part != Part::Ground).map(|part| (part, first));
            for (part, look) in looks().map(|look| (Part::Ground, look)).chain(rest) {
                let id = cache.queue_render_pipeline(self.describe(part, look, key));
                self.queued.insert((part, look, key), id);
            }
        }
        Part::ALL.map(|part| {
            let id = self.queued[&(part, first, key)];
            match self.queued.get(&(part, look, key)) {
                Some(own) if cache.get_render_pipeline(*own).is_some() => *own,
                _ => id,
            }
        })
    }

    fn describe(&self, part: Part, look: Look, key: TargetKey) -> RenderPipelineDescriptor {
        let (vertex, fragment) = part.entry_points(look);
        let defs = [("ENCODE", key.must_encode()), ("CUT", key.cut)];
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
        let topology = match part {
            Part::Sides | Part::InlandSides | Part::SeaSides | Part::Walls | Part::SeaWalls => {
                PrimitiveTopology::TriangleStrip
            }
            _ => PrimitiveTopology::TriangleList,
        };
        RenderPipelineDescriptor {
            label: Some(format!("talweg {part:?}").into()),
            layout: vec![self.layout.clone()],
            vertex: VertexState {
                shader: self.shader.0.clone(),
                entry_point: Some(vertex.into()),
                shader_defs: shader_defs.clone(),
                buffers: if part.is_patched() { vec![patch] } else { Vec::new() },
            },
            primitive: PrimitiveState { topology, cull_mode: (part != Part::Sky).then_some(Face::Back), ..default() },
            depth_stencil: Some(DepthStencilState {
                format: CORE_3D_DEPTH_FORMAT,
                depth_write_enabled: Some(matches!(part, Part::Ground | Part::Sides | Part::Walls)),
                depth_compare: Some(CompareFunction::GreaterEqual),
                stencil: default(),
                bias: if part == Part::InlandSurface { INLAND_BIAS } else { default() },
            }),
            multisample: MultisampleState { count: key.samples, ..default() },
            fragment: Some(FragmentState {
                shader: self.shader.0.clone(),
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
