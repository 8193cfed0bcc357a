//! The pipelines that draw a planet: ground, sky, clouds, lines, and the flat map.

use bevy::core_pipeline::core_3d::CORE_3D_DEPTH_FORMAT;
use bevy::mesh::{VertexBufferLayout, VertexFormat};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::render::render_resource::binding_types::{sampler, texture_2d_array, uniform_buffer_sized};
use bevy::render::render_resource::{
    BindGroupLayoutDescriptor, BindGroupLayoutEntries, BlendState, CachedRenderPipelineId, ColorTargetState,
    ColorWrites, CompareFunction, DepthStencilState, Face, FragmentState, MultisampleState, PipelineCache,
    PrimitiveState, PrimitiveTopology, RenderPipelineDescriptor, SamplerBindingType, ShaderStages, TextureSampleType,
    VertexAttribute, VertexState, VertexStepMode,
};
use bevy::shader::Shader;

use super::frame::GlobeFrame;
use crate::app::view::pipelines::TargetKey;

/// What can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    Ground,
    Wireframe,
    Sky,
    Clouds,
    Lines,
    Map,
}

impl Part {
    const ALL: [Self; 6] = [Self::Ground, Self::Wireframe, Self::Sky, Self::Clouds, Self::Lines, Self::Map];

    fn entry_points(self) -> (&'static str, &'static str) {
        match self {
            Self::Ground => ("ground_vertex", "ground_shaded"),
            Self::Wireframe => ("ground_vertex", "ground_wireframe"),
            Self::Sky => ("screen_vertex", "sky_fragment"),
            Self::Clouds => ("cloud_vertex", "cloud_fragment"),
            Self::Lines => ("line_vertex", "line_fragment"),
            Self::Map => ("screen_vertex", "map_fragment"),
        }
    }
}

/// The shader of the view of a planet; in both worlds.
#[derive(Resource, Clone)]
pub struct GlobeShader(Handle<Shader>);

impl GlobeShader {
    pub fn load(shaders: &mut Assets<Shader>) -> Self {
        let source = concat!(
            include_str!("../../../../assets/shaders/screen.wgsl"),
            include_str!("../../../../assets/shaders/colours.wgsl"),
            include_str!("../../../../assets/shaders/globe.wgsl"),
            include_str!("../../../../assets/shaders/globe_fine.wgsl"),
            include_str!("../../../../assets/shaders/globe_air.wgsl"),
            include_str!("../../../../assets/shaders/globe_shadows.wgsl"),
            include_str!("../../../../assets/shaders/globe_clouds.wgsl"),
            include_str!("../../../../assets/shaders/globe_ground.wgsl"),
            include_str!("../../../../assets/shaders/globe_sky.wgsl"),
            include_str!("../../../../assets/shaders/globe_map.wgsl"),
        );
        Self(shaders.add(Shader::from_wgsl(source, "talweg/globe.wgsl")))
    }
}

/// The layout of the one bind group, and the pipelines asked for so far.
#[derive(Resource)]
pub struct GlobePipelines {
    pub layout: BindGroupLayoutDescriptor,
    shader: GlobeShader,
    queued: HashMap<(Part, TargetKey), CachedRenderPipelineId>,
}

impl GlobePipelines {
    pub fn new(shader: GlobeShader) -> Self {
        let layout = BindGroupLayoutDescriptor::new(
            "talweg globe",
            &BindGroupLayoutEntries::sequential(
                ShaderStages::VERTEX_FRAGMENT,
                (
                    uniform_buffer_sized(false, (size_of::<GlobeFrame>() as u64).try_into().ok()),
                    texture_2d_array(TextureSampleType::Float { filterable: false }),
                    texture_2d_array(TextureSampleType::Float { filterable: true }),
                    texture_2d_array(TextureSampleType::Float { filterable: true }),
                    sampler(SamplerBindingType::Filtering),
                    sampler(SamplerBindingType::Filtering),
                ),
            ),
        );
        Self { layout, shader, queued: HashMap::default() }
    }

    /// Queues the pipelines of a target when it is seen for the first time.
    pub fn queue(&mut self, cache: &PipelineCache, key: TargetKey) {
        for part in Part::ALL {
            if !self.queued.contains_key(&(part, key)) {
                let id = cache.queue_render_pipeline(self.describe(part, key));
                self.queued.insert((part, key), id);
            }
        }
    }

    pub fn id(&self, part: Part, key: TargetKey) -> Option<CachedRenderPipelineId> {
        self.queued.get(&(part, key)).copied()
    }

    fn describe(&self, part: Part, key: TargetKey) -> RenderPipelineDescriptor {
        let (vertex, fragment) = part.entry_points();
        let shader_defs = if key.must_encode() { vec!["ENCODE".into()] } else { Vec::new() };
        let attribute = |format, offset, shader_location| VertexAttribute { format, offset, shader_location };
        let buffers = match part {
            Part::Ground | Part::Wireframe | Part::Clouds => vec![VertexBufferLayout {
                array_stride: 48,
                step_mode: VertexStepMode::Instance,
                attributes: vec![
                    attribute(VertexFormat::Uint32x4, 0, 0),
                    attribute(VertexFormat::Float32x4, 16, 1),
                    attribute(VertexFormat::Float32x4, 32, 2),
                ],
            }],
            Part::Lines => vec![VertexBufferLayout {
                array_stride: 28,
                step_mode: VertexStepMode::Vertex,
                attributes: vec![attribute(VertexFormat::Float32x3, 0, 0), attribute(VertexFormat::Float32x4, 12, 1)],
            }],
            Part::Sky | Part::Map => Vec::new(),
        };
        let topology = if part == Part::Lines { PrimitiveTopology::LineList } else { PrimitiveTopology::TriangleList };
        let is_ground = matches!(part, Part::Ground | Part::Wireframe);
        let is_blended = matches!(part, Part::Clouds | Part::Lines);
        RenderPipelineDescriptor {
            label: Some(format!("talweg globe {part:?}").into()),
            layout: vec![self.layout.clone()],
            vertex: VertexState {
                shader: self.shader.0.clone(),
                entry_point: Some(vertex.into()),
                shader_defs: shader_defs.clone(),
                buffers,
            },
            primitive: PrimitiveState { topology, cull_mode: is_ground.then_some(Face::Back), ..default() },
            depth_stencil: Some(DepthStencilState {
                format: CORE_3D_DEPTH_FORMAT,
                depth_write_enabled: Some(is_ground),
                depth_compare: Some(CompareFunction::GreaterEqual),
                stencil: default(),
                bias: default(),
            }),
            multisample: MultisampleState { count: key.samples, ..default() },
            fragment: Some(FragmentState {
                shader: self.shader.0.clone(),
                entry_point: Some(fragment.into()),
                shader_defs,
                targets: vec![Some(ColorTargetState {
                    format: key.format,
                    blend: is_blended.then_some(BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                    write_mask: ColorWrites::ALL,
                })],
            }),
            ..default()
        }
    }
}
