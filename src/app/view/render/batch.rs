//! Batches: lists of draw calls for one pass. The surfaces create the lists and [`crate::view::drawing`] executes them.

use std::ops::Range;

use bevy::math::{UVec2, UVec4};
use bevy::prelude::*;
use bevy::render::render_resource::{
    BindGroup, Buffer, BufferDescriptor, BufferUsages, CachedComputePipelineId, CachedRenderPipelineId, PipelineCache,
    TextureView,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::view::ExtractedView;

use super::mesh::{PatchMesh, RenderQuality};
use crate::view::compare::Pane;
use crate::view::lens::ViewProjection;
use crate::view::mode::ViewMode;
use talweg::preferences::GroundDetail;

/// The kind of image to draw and the kind of renderer that draws it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adapter {
    pub quality: RenderQuality,
    /// Whether the renderer is a software driver, which works without a graphics card. Software drivers abort loops
    /// after some ten thousand iterations, and every ray costs milliseconds.
    pub is_software: bool,
}

/// Inputs that all draw calls of a frame share.
pub struct DrawContext<'a> {
    pub view: &'a ExtractedView,
    pub msaa: Msaa,
    pub mode: ViewMode,
    /// Whether the sea, rivers and lakes are drawn.
    pub water: bool,
    pub ground_detail: GroundDetail,
    /// Camera projection for square terrains.
    pub projection: ViewProjection,
    /// Distance from the eye, in metres, at which the level of detail κ of a construction tree is 0.5.
    pub half_detail: Option<f32>,
    pub quality: RenderQuality,
    pub adapter: Adapter,
    pub mesh: &'a PatchMesh,
    pub device: &'a RenderDevice,
    pub queue: &'a RenderQueue,
    pub cache: &'a PipelineCache,
    /// Number of stops by which auto exposure brightens the image.
    pub auto_stops: f32,
}

impl DrawContext<'_> {
    /// Whether frames must be cheap, because a software renderer draws a moving view.
    pub fn is_frugal(&self) -> bool {
        self.quality == RenderQuality::Moving && self.adapter.is_software
    }

    /// Greatest number of texture samples along the longer side of a pixel's footprint. The number is 1 on software
    /// drivers, which would read all texels in a box around the footprint. That would take most of the frame time, with
    /// hardly any visible effect.
    pub fn anisotropy(&self) -> u16 {
        if self.adapter.is_software { 1 } else { 8 }
    }
}

/// The shape that is drawn for each instance.
#[derive(Clone, Copy, Debug)]
pub enum Geometry {
    /// The quads of a terrain patch.
    Patch,
    /// The quads of a patch, with skirts that hang from its edges.
    SkirtedPatch,
    /// A strip along one edge of a patch.
    Strip,
    /// A number of vertices whose positions the shader computes.
    Vertices(u32),
    /// A range of the batch's shape indices. `base` is the number of the vertex that index 0 stands for.
    Shape { first: u32, count: u32, base: i32 },
}

/// One draw call of a batch.
pub struct DrawCall {
    pub pipeline: CachedRenderPipelineId,
    /// Instance data for the vertex stage, if the call has any.
    pub vertices: Option<Buffer>,
    pub geometry: Geometry,
    pub instances: Range<u32>,
}

/// A compute pass that advances rays before the render pass: pipeline, bind group and workgroups.
pub struct RayMarch {
    pub pipeline: CachedComputePipelineId,
    pub group: BindGroup,
    pub groups: UVec2,
}

/// A shadow map that is drawn before the render pass.
pub struct ShadowPass {
    pub pipeline: CachedRenderPipelineId,
    pub target: TextureView,
    pub group: BindGroup,
    pub instances: Buffer,
    pub calls: Vec<(Geometry, Range<u32>)>,
}

/// The draw calls of a terrain in one frame, in drawing order.
pub struct Batch {
    pub pane: Pane,
    /// The bind groups that all draw calls share.
    pub bind_groups: Vec<BindGroup>,
    pub march: Option<RayMarch>,
    pub shadows: Vec<ShadowPass>,
    pub calls: Vec<DrawCall>,
    /// Vertices and indices of [`Geometry::Shape`].
    pub shapes: Option<(Buffer, Buffer)>,
    /// Whether all wanted data is present and no patch still morphs.
    pub is_settled: bool,
    /// Factor by which the quads of the terrain are wider on screen than the quality asks for; see
    /// [`Chosen`](crate::view::surface::Chosen).
    pub coarsening: f32,
}

/// A vertex buffer that grows on demand and never shrinks.
pub struct GrowingBuffer {
    pub buffer: Buffer,
    bytes: u64,
}

impl GrowingBuffer {
    pub fn new(device: &RenderDevice, bytes: u64) -> Self {
        let buffer = device.create_buffer(&BufferDescriptor {
            label: Some("talweg vertices"),
            size: bytes,
            usage: BufferUsages::VERTEX | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { buffer, bytes }
    }

    pub fn write(&mut self, bytes: &[u8], device: &RenderDevice, queue: &RenderQueue) {
        if bytes.len() as u64 > self.bytes {
            *self = Self::new(device, (bytes.len() as u64).next_power_of_two());
        }
        queue.write_buffer(&self.buffer, 0, bytes);
    }
}

/// A buffer for the uniforms of a frame.
pub fn uniform_buffer(device: &RenderDevice, size: usize) -> Buffer {
    device.create_buffer(&BufferDescriptor {
        label: Some("talweg frame"),
        size: size as u64,
        usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// Left, top, width and height of a pane in window pixels; `view` has the same form.
pub fn pane_pixels(pane: Pane, view: UVec4) -> [u32; 4] {
    let at = |share: f32| (share * view.z as f32).round() as u32;
    [view.x + at(pane.from), view.y, at(pane.to) - at(pane.from), view.w]
}

/// Left, top, width and height in window pixels of the image that a pane belongs to.
pub fn picture_pixels(pane: Pane, view: UVec4) -> [u32; 4] {
    if pane.is_own_image { pane_pixels(pane, view) } else { view.to_array() }
}
