//! Drawing, in the render world: choose patches, tell the shaders, one pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bevy::core_pipeline::core_3d::main_opaque_pass_3d;
use bevy::core_pipeline::core_3d::main_transparent_pass_3d;
use bevy::core_pipeline::schedule::{Core3d, Core3dSystems};
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::extract_component::{ExtractComponent, ExtractComponentPlugin};
use bevy::render::render_resource::{
    BindGroup, BindGroupEntries, Buffer, BufferDescriptor, BufferUsages, CachedRenderPipelineId, IndexFormat,
    PipelineCache, RenderPassDescriptor, StoreOp, TextureView,
};
use bevy::render::renderer::{RenderContext, RenderDevice, RenderQueue, ViewQuery};
use bevy::render::view::{ExtractedView, ViewDepthTexture, ViewTarget};
use bevy::render::{Extract, ExtractSchedule, Render, RenderApp, RenderSystems};

use super::frame::{Eye, Frame};
use super::lod::{Frustum, Patch, Reach, select};
use super::mesh::{PatchMesh, Quality, SideKind, sides_of};
use super::mode::ViewMode;
use super::palette::PaletteTexture;
use super::pipelines::{Part, Pipelines, TargetKey, ViewShader};
use super::prepare::{Prepared, Tint};
use super::textures::{Layer, Textures, blank};
use crate::look::PaletteTable;

/// Marks the camera of the view.
#[derive(Component, Clone, Copy, Default, ExtractComponent)]
pub struct TerrainCamera;

/// What the view shows; set it and the next frames will.
#[derive(Resource, Clone)]
pub struct Shown {
    pub prepared: Option<Arc<Prepared>>,
    pub palette: Option<Arc<PaletteTable>>,
    /// Whether the sea, rivers and lakes are drawn.
    pub water: bool,
}

impl Default for Shown {
    fn default() -> Self {
        Self { prepared: None, palette: None, water: true }
    }
}

/// Serial of the [`Prepared`] drawn last, known to both worlds; 0 before the first.
#[derive(Resource, Clone, Default)]
pub struct Drawn(Arc<AtomicU64>);

impl Drawn {
    pub fn serial(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// What is wanted on screen, in the render world.
#[derive(Resource, Default)]
struct Wanted {
    shown: Shown,
    mode: ViewMode,
}

/// What the pass draws this frame.
#[derive(Resource, Default)]
struct Batch {
    patches: u32,
    sides: u32,
    has_sea: bool,
    has_inland: bool,
    ids: Option<[CachedRenderPipelineId; Part::ALL.len()]>,
    bind_group: Option<BindGroup>,
    serial: u64,
}

/// Buffers that live from frame to frame.
#[derive(Resource)]
struct Buffers {
    frame: Buffer,
    instances: Buffer,
    instances_bytes: u64,
    /// Stands for maps that a terrain has not.
    blank: TextureView,
}

/// Draws [`Shown`] through every [`TerrainCamera`].
#[derive(Default)]
pub struct DrawPlugin {
    pub quality: Quality,
}

impl Plugin for DrawPlugin {
    fn build(&self, app: &mut App) {
        let shader = ViewShader::load(&mut app.world_mut().resource_mut());
        let drawn = Drawn::default();
        app.insert_resource(drawn.clone())
            .insert_resource(self.quality)
            .init_resource::<Shown>()
            .init_resource::<ViewMode>()
            .add_plugins(ExtractComponentPlugin::<TerrainCamera>::default());
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
        render_app
            .insert_resource(self.quality)
            .insert_resource(drawn)
            .insert_resource(Pipelines::new(shader))
            .init_resource::<Wanted>()
            .init_resource::<Batch>()
            .init_resource::<Textures>()
            .add_systems(ExtractSchedule, extract)
            .add_systems(Render, prepare_batch.in_set(RenderSystems::PrepareResources))
            .add_systems(
                Core3d,
                draw.after(main_opaque_pass_3d).before(main_transparent_pass_3d).in_set(Core3dSystems::MainPass),
            );
    }
}

fn extract(mut wanted: ResMut<Wanted>, shown: Extract<Res<Shown>>, mode: Extract<Res<ViewMode>>) {
    wanted.shown = shown.clone();
    wanted.mode = **mode;
}

impl Buffers {
    fn new(device: &RenderDevice) -> Self {
        let instances_bytes = 16 * 1024;
        Self {
            frame: device.create_buffer(&BufferDescriptor {
                label: Some("talweg frame"),
                size: size_of::<Frame>() as u64,
                usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            instances: Self::instances(device, instances_bytes),
            instances_bytes,
            blank: blank(device),
        }
    }

    fn instances(device: &RenderDevice, size: u64) -> Buffer {
        device.create_buffer(&BufferDescriptor {
            label: Some("talweg patches"),
            size,
            usage: BufferUsages::VERTEX | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    fn write(&mut self, frame: &Frame, instances: &[[u32; 4]], device: &RenderDevice, queue: &RenderQueue) {
        let bytes: &[u8] = bytemuck::cast_slice(instances);
        if bytes.len() as u64 > self.instances_bytes {
            self.instances_bytes = (bytes.len() as u64).next_power_of_two();
            self.instances = Self::instances(device, self.instances_bytes);
        }
        queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(frame));
        queue.write_buffer(&self.instances, 0, bytes);
    }
}

/// Uploads, chooses the patches for the camera and fills the buffers.
#[allow(clippy::too_many_arguments, reason = "a system takes what it needs")]
fn prepare_batch(
    mut commands: Commands,
    mut batch: ResMut<Batch>,
    mut textures: ResMut<Textures>,
    mut pipelines: ResMut<Pipelines>,
    buffers: Option<ResMut<Buffers>>,
    palette: Option<ResMut<PaletteTexture>>,
    mesh: Option<Res<PatchMesh>>,
    wanted: Res<Wanted>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
    cache: Res<PipelineCache>,
    views: Query<(&ExtractedView, &Msaa), With<TerrainCamera>>,
) {
    let (Some(mut buffers), Some(mut palette), Some(mesh)) = (buffers, palette, mesh) else {
        commands.insert_resource(Buffers::new(&device));
        commands.init_resource::<PaletteTexture>();
        commands.init_resource::<PatchMesh>();
        return;
    };
    batch.serial = 0;
    let (Some(prepared), Some(table)) = (&wanted.shown.prepared, &wanted.shown.palette) else { return };
    textures.advance(prepared, &device, &queue);
    let (Some(shown), Some((view, msaa))) = (&textures.shown, views.iter().next()) else { return };
    let prepared = &shown.prepared;
    palette.update(table, prepared.ramp(), &queue);
    let has_sea = wanted.shown.water && prepared.scale.has_sea();

    let world_from_view = view.world_from_view.to_matrix();
    let clip_from_world = view.clip_from_view * world_from_view.inverse();
    let eye = Eye { clip_from_world, eye_world: view.world_from_view.translation(), viewport: view.viewport.as_vec4() };
    let pixels_per_radian = 0.5 * view.viewport.w as f32 * view.clip_from_view.y_axis.y;
    let reach = Reach::new(&prepared.scale, mesh.detail, eye.eye_world, pixels_per_radian);
    let frustum = Frustum::new(clip_from_world);
    let patches = select(&prepared.scale, &prepared.bounds, mesh.detail, &reach, Some(&frustum));
    let instances = instances(&patches, mesh.detail.quads, prepared.scale.samples);
    let frame = Frame::new(&eye, prepared, table, (wanted.mode, has_sea), &reach, mesh.detail.quads);
    buffers.write(&frame, &instances, &device, &queue);

    let map = |layer| shown.view(layer).unwrap_or(&buffers.blank);
    let layout = cache.get_bind_group_layout(&pipelines.layout);
    let entries = BindGroupEntries::sequential((
        buffers.frame.as_entire_binding(),
        map(Layer::Heights),
        map(Layer::Slopes),
        map(Layer::Light),
        &palette.view,
        map(Layer::Inland),
        map(Layer::Data),
        &palette.sampler,
    ));
    *batch = Batch {
        patches: patches.len() as u32,
        sides: (instances.len() - patches.len()) as u32,
        has_sea,
        // data would be hard to read through water
        has_inland: wanted.shown.water && prepared.inland.is_some() && prepared.tint() == Tint::None,
        ids: Some(pipelines.for_target(
            &cache,
            TargetKey { format: view.target_format, samples: msaa.samples() },
            (wanted.mode, prepared.tint()),
        )),
        bind_group: Some(device.create_bind_group("talweg view", &layout, &entries)),
        serial: prepared.serial,
    };
}

/// All patches, then those at an edge of the terrain once for each of its sides.
fn instances(patches: &[Patch], quads: u32, samples: usize) -> Vec<[u32; 4]> {
    let ground = patches.iter().map(|p| [p.column, p.row, p.level, 0]);
    let sides = patches
        .iter()
        .flat_map(|p| sides_of(*p, quads, samples).map(|side: SideKind| [p.column, p.row, p.level, side as u32]));
    ground.chain(sides).collect()
}

fn draw(
    view: ViewQuery<(&ExtractedCamera, &ViewTarget, &ViewDepthTexture), With<TerrainCamera>>,
    batch: Res<Batch>,
    drawn: Res<Drawn>,
    buffers: Option<Res<Buffers>>,
    mesh: Option<Res<PatchMesh>>,
    cache: Res<PipelineCache>,
    mut ctx: RenderContext,
) {
    let (camera, target, depth) = view.into_inner();
    let (Some(buffers), Some(mesh), Some(bind_group), Some(ids)) = (buffers, mesh, &batch.bind_group, batch.ids) else {
        return;
    };
    let pipelines = ids.map(|id| cache.get_render_pipeline(id));
    if batch.serial == 0 || pipelines.iter().any(Option::is_none) {
        return;
    }
    let mut pass = ctx.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("talweg view"),
        color_attachments: &[Some(target.get_color_attachment())],
        depth_stencil_attachment: Some(depth.get_attachment(StoreOp::Store)),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    });
    if let Some(viewport) = &camera.viewport {
        pass.set_camera_viewport(viewport);
    }
    pass.set_bind_group(0, bind_group, &[]);
    pass.set_vertex_buffer(0, buffers.instances.slice(..));
    pass.set_index_buffer(mesh.indices.slice(..), IndexFormat::Uint16);
    let sides = batch.patches..batch.patches + batch.sides;
    for (part, pipeline) in Part::ALL.into_iter().zip(pipelines) {
        let Some(pipeline) = pipeline else { continue };
        pass.set_render_pipeline(pipeline);
        match part {
            Part::Ground => pass.draw_indexed(0..mesh.index_count, 0, 0..batch.patches),
            Part::Sides => pass.draw(0..mesh.strip_vertices, sides.clone()),
            Part::Sky => pass.draw(0..3, 0..1),
            Part::InlandSides if batch.has_inland => pass.draw(0..mesh.strip_vertices, sides.clone()),
            Part::InlandSurface if batch.has_inland => pass.draw_indexed(0..mesh.index_count, 0, 0..batch.patches),
            Part::SeaSides if batch.has_sea => pass.draw(0..mesh.strip_vertices, sides.clone()),
            Part::SeaSurface if batch.has_sea => pass.draw(0..6, 0..1),
            Part::InlandSides | Part::InlandSurface | Part::SeaSides | Part::SeaSurface => {}
        }
    }
    drawn.0.store(batch.serial, Ordering::Release);
}
