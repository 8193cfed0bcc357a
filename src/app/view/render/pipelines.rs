//! Render pipelines of the parts of a surface. A pipeline is queued on first use and then kept.

use std::fmt::Debug;
use std::hash::Hash;

use bevy::core_pipeline::core_3d::CORE_3D_DEPTH_FORMAT;
use bevy::mesh::{VertexBufferLayout, VertexFormat};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::render::render_resource::{
    BindGroupLayout, BindGroupLayoutDescriptor, BlendState, CachedComputePipelineId, CachedRenderPipelineId,
    ColorTargetState, ColorWrites, CompareFunction, ComputePipelineDescriptor, DepthBiasState, DepthStencilState, Face,
    FragmentState, MultisampleState, PipelineCache, PrimitiveState, PrimitiveTopology, RenderPipelineDescriptor,
    TextureFormat, VertexAttribute, VertexState, VertexStepMode,
};
use bevy::shader::ShaderDefVal;

use super::rules_text::RulesKey;
use super::scene_needs::SceneNeeds;
use super::shader_text::ViewShader;
use crate::view::mode::{Tint, ViewMode};

/// View mode and overlay source, which determine how the terrain is coloured. Each style has its own fragment stage in
/// the shader.
pub type GroundStyle = (ViewMode, Tint);

/// A part of a surface that one pipeline draws, such as its ground, its water or its sky.
pub trait SurfacePart: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// Prefix of the names of all parts of the surface.
    const PREFIX: &'static str;
    /// The part that draws plants and stones.
    const PLANTS: Self;

    /// The layout of the bind group that all parts share.
    fn layout() -> BindGroupLayoutDescriptor;

    /// The layout of a second bind group, if this part needs one.
    fn second_layout(self) -> Option<BindGroupLayoutDescriptor> {
        None
    }

    /// The shader that contains the vertex and fragment stage of the part.
    fn shader(self, shaders: &ViewShader) -> &Handle<Shader>;

    /// The style that decides how the part is drawn. A part that ignores the style returns the same style for all
    /// inputs.
    fn own_style(self, style: GroundStyle) -> GroundStyle;

    /// The stages and the fixed state of the part's pipeline.
    fn shape(self, style: GroundStyle) -> PartShape;
}

/// The stages and the fixed state of the pipeline that draws a part.
pub struct PartShape {
    /// Names of the vertex stage and of the fragment stage.
    pub stages: (&'static str, &'static str),
    /// The data that the part reads for each of its instances or vertices.
    pub input: Vec<VertexBufferLayout>,
    pub topology: PrimitiveTopology,
    pub cover: PartCover,
    /// Whether the back faces of triangles are also drawn.
    pub is_two_sided: bool,
    pub bias: DepthBiasState,
}

impl Default for PartShape {
    fn default() -> Self {
        Self {
            stages: ("", ""),
            input: Vec::new(),
            topology: PrimitiveTopology::TriangleList,
            cover: PartCover::Solid,
            is_two_sided: false,
            bias: DepthBiasState::default(),
        }
    }
}

/// How a part covers the parts behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartCover {
    /// The part hides the parts behind it.
    Solid,
    /// The part fills the pixels that no solid part covers.
    Background,
    /// The part is blended over the parts behind it.
    Blended,
}

/// The layout of a vertex buffer: bytes per element, then the format and offset of each attribute. Attributes are
/// numbered from `first`.
pub fn vertex_layout(
    bytes: usize,
    step_mode: VertexStepMode,
    first: u32,
    formats: &[(VertexFormat, u64)],
) -> VertexBufferLayout {
    let attribute = |(shader_location, &(format, offset)): (u32, &(VertexFormat, u64))| VertexAttribute {
        format,
        offset,
        shader_location,
    };
    let attributes = (first..).zip(formats).map(attribute).collect();
    VertexBufferLayout { array_stride: bytes as u64, step_mode, attributes }
}

/// Parts with the pipelines that draw them.
pub type Parts<P> = Vec<(P, CachedRenderPipelineId)>;

/// Whether all of these pipelines are ready.
pub fn are_ready<'a>(ids: impl IntoIterator<Item = &'a CachedRenderPipelineId>, cache: &PipelineCache) -> bool {
    ids.into_iter().all(|id| cache.get_render_pipeline(*id).is_some())
}

/// Name of the part of the view that a pipeline draws.
pub fn part_name(pipeline: &RenderPipelineDescriptor) -> &str {
    pipeline.label.as_deref().and_then(|label| label.strip_prefix("talweg ")).unwrap_or("unnamed")
}

/// All properties that determine a pipeline in addition to the part and its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetKey {
    pub format: TextureFormat,
    pub samples: u32,
    /// Whether the terrain has void areas. Only then does the fragment stage read the void mask.
    pub void_mask: bool,
    /// Whether the materials are drawn in detail. Only then does the fragment stage compute the detail.
    pub is_detailed: bool,
    /// The material rules, if materials are drawn in detail.
    pub rules: Option<RulesKey>,
    /// The optional features that the scene uses.
    pub needs: SceneNeeds,
}

impl TargetKey {
    /// Whether the shader must encode colours, because the target stores them unchanged.
    pub fn must_encode(self) -> bool {
        !self.format.is_srgb() && self.format != TextureFormat::Rgba16Float
    }
}

/// All pipelines of a surface that have been queued.
#[derive(Resource)]
pub struct Pipelines<P: SurfacePart> {
    /// The layout of the bind group that all parts share.
    pub layout: BindGroupLayoutDescriptor,
    pub shader: ViewShader,
    queued: HashMap<(P, GroundStyle, TargetKey), CachedRenderPipelineId>,
    /// Pipelines, by name, of passes that run before the view is drawn.
    named: HashMap<&'static str, CachedRenderPipelineId>,
    march: Option<CachedComputePipelineId>,
}

impl<P: SurfacePart> Pipelines<P> {
    pub fn new(shader: ViewShader) -> Self {
        Self { layout: P::layout(), shader, queued: HashMap::default(), named: HashMap::default(), march: None }
    }

    /// The device's layout of the bind group that all parts share.
    pub fn shared_layout(&self, cache: &PipelineCache) -> BindGroupLayout {
        cache.get_bind_group_layout(&self.layout)
    }

    /// The pipeline of a part. The first call queues it.
    pub fn queue(
        &mut self,
        cache: &PipelineCache,
        part: P,
        style: GroundStyle,
        key: TargetKey,
    ) -> CachedRenderPipelineId {
        let style = part.own_style(style);
        if let Some(id) = self.queued.get(&(part, style, key)) {
            return *id;
        }
        let id = cache.queue_render_pipeline(self.describe(part, style, key));
        self.queued.insert((part, style, key), id);
        id
    }

    /// The pipeline of a part, if it has been queued.
    pub fn queued(&self, part: P, style: GroundStyle, key: TargetKey) -> Option<CachedRenderPipelineId> {
        self.queued.get(&(part, part.own_style(style), key)).copied()
    }

    /// The pipeline with this name. On the first call, `describe` returns its descriptor.
    pub fn queue_named(
        &mut self,
        cache: &PipelineCache,
        name: &'static str,
        describe: impl FnOnce() -> RenderPipelineDescriptor,
    ) -> CachedRenderPipelineId {
        *self.named.entry(name).or_insert_with(|| cache.queue_render_pipeline(describe()))
    }

    /// The compute pipeline that advances rays. The first call queues it; `None` until it is ready.
    pub fn march_pipeline(
        &mut self,
        cache: &PipelineCache,
        layout: &BindGroupLayoutDescriptor,
    ) -> Option<CachedComputePipelineId> {
        let id = *self.march.get_or_insert_with(|| {
            cache.queue_compute_pipeline(ComputePipelineDescriptor {
                label: Some("talweg rays".into()),
                layout: vec![layout.clone()],
                shader: self.shader.march.clone(),
                entry_point: Some("march".into()),
                ..default()
            })
        });
        cache.get_compute_pipeline(id).map(|_| id)
    }

    fn describe(&self, part: P, style: GroundStyle, key: TargetKey) -> RenderPipelineDescriptor {
        let PartShape { stages: (vertex, fragment), input, topology, cover, is_two_sided, bias } = part.shape(style);
        let defs = [("ENCODE", key.must_encode()), ("VOID_MASK", key.void_mask), ("DETAIL", key.is_detailed)];
        let mut shader_defs: Vec<ShaderDefVal> =
            defs.into_iter().filter(|(_, wanted)| *wanted).map(|(name, _)| name.into()).collect();
        shader_defs.extend(key.rules.into_iter().flat_map(RulesKey::shader_defs).chain(key.needs.shader_defs()));
        let shader = part.shader(&self.shader);
        RenderPipelineDescriptor {
            label: Some(format!("talweg {}{part:?}", P::PREFIX).into()),
            layout: std::iter::once(self.layout.clone()).chain(part.second_layout()).collect(),
            vertex: VertexState {
                shader: shader.clone(),
                entry_point: Some(vertex.into()),
                shader_defs: shader_defs.clone(),
                buffers: input,
            },
            primitive: PrimitiveState {
                topology,
                cull_mode: if is_two_sided { None } else { Some(Face::Back) },
                ..default()
            },
            depth_stencil: Some(DepthStencilState {
                format: CORE_3D_DEPTH_FORMAT,
                depth_write_enabled: Some(cover == PartCover::Solid),
                depth_compare: Some(CompareFunction::GreaterEqual),
                stencil: default(),
                bias,
            }),
            multisample: MultisampleState { count: key.samples, ..default() },
            fragment: Some(FragmentState {
                shader: shader.clone(),
                entry_point: Some(fragment.into()),
                shader_defs,
                targets: vec![Some(ColorTargetState {
                    format: key.format,
                    blend: (cover == PartCover::Blended).then_some(BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                    write_mask: ColorWrites::ALL,
                })],
            }),
            ..default()
        }
    }
}
