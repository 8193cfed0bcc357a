//! Drawing a planet, in the render world: choose patches, tell the shaders, one pass.

use std::sync::Arc;

use bevy::core_pipeline::core_3d::{main_opaque_pass_3d, main_transparent_pass_3d};
use bevy::core_pipeline::schedule::{Core3d, Core3dSystems};
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::render_resource::{
    AddressMode, BindGroup, BindGroupEntries, Buffer, BufferDescriptor, BufferInitDescriptor, BufferUsages, FilterMode,
    IndexFormat, MipmapFilterMode, PipelineCache, RenderPassDescriptor, Sampler, SamplerDescriptor, StoreOp,
};
use bevy::render::renderer::{RenderAdapterInfo, RenderContext, RenderDevice, RenderQueue, ViewQuery};
use bevy::render::view::{ExtractedView, ViewDepthTexture, ViewTarget};
use bevy::render::{Extract, ExtractSchedule, Render, RenderApp, RenderSystems};
use bytemuck::{Pod, Zeroable};
use glam::{DMat4, DVec3, Vec4};

use super::control::PlannedScenery;
use super::frame::{GlobeFrame, View};
use super::lod::{Patch, Reach, Sight, select};
use super::pipelines::{GlobePipelines, GlobeShader, Part};
use super::prepare::GlobeTerrain;
use super::scenery::Scenery;
use super::settings::PlanetProjection;
use super::textures::{Layer, Textures};
use crate::app::view::control::FIELD_OF_VIEW;
use crate::app::view::draw::TerrainCamera;
use crate::app::view::lod::Detail;
use crate::app::view::mesh::RenderQuality;
use crate::app::view::mode::ViewMode;
use crate::app::view::pipelines::TargetKey;
use crate::app::view::state::{FrameStatus, ViewState};

/// The ground is not drawn finer than this many quads a cell.
const QUADS_PER_CELL: f64 = 16.0;
/// Nor with quads smaller than this.
const SMALLEST_QUAD_METRES: f64 = 25.0;
/// Clouds have no relief: quads of this share of the radius round them well enough.
const CLOUD_QUAD: f64 = 0.002;

/// What is wanted on screen, in the render world.
#[derive(Resource, Default)]
struct Wanted {
    prepared: Option<Arc<GlobeTerrain>>,
    scenery: Option<Arc<Scenery>>,
    mode: ViewMode,
}

/// A patch as the shader takes it; mirrors `Piece` in globe.wgsl.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Piece {
    tile: [u32; 4],
    /// Middle on the sphere, from the eye; its place along rows as a tangent.
    centre: [f32; 4],
    /// By how much its direction differs from the eye's; its place along columns as a tangent.
    aside: [f32; 4],
}

impl Piece {
    /// On a sphere of that radius.
    fn new(patch: &Patch, radius: f64, eye: DVec3) -> Self {
        let centre = patch.direction(0.5, 0.5);
        let (u, v) = patch.place(0.5, 0.5);
        let tangent = |x: f64| ((2.0 * x - 1.0) * std::f64::consts::FRAC_PI_4).tan();
        let with = |at: DVec3, w: f64| at.extend(w).as_vec4().to_array();
        Self {
            tile: [patch.face, patch.level, patch.column, patch.row],
            centre: with(centre * radius - eye, tangent(u)),
            aside: with(centre - eye.normalize_or(DVec3::X), tangent(v)),
        }
    }
}

/// Triangles of a patch with its skirts.
#[derive(Resource)]
struct GlobeMesh {
    detail: Detail,
    indices: Buffer,
    index_count: u32,
    sampler: Sampler,
    /// Without anisotropy.
    level_sampler: Sampler,
    is_frugal: bool,
}

impl FromWorld for GlobeMesh {
    fn from_world(world: &mut World) -> Self {
        let quality = world.get_resource::<RenderQuality>().copied().unwrap_or_default();
        let is_frugal = quality.is_frugal(world.get_resource::<RenderAdapterInfo>());
        let detail = if is_frugal { Detail::FRUGAL } else { Detail::FINE };
        let indices = indices(detail.quads as u16);
        let device = world.resource::<RenderDevice>();
        let smooth = |anisotropy_clamp| SamplerDescriptor {
            label: Some("globe smooth"),
            address_mode_u: AddressMode::ClampToEdge,
            address_mode_v: AddressMode::ClampToEdge,
            mag_filter: FilterMode::Linear,
            min_filter: FilterMode::Linear,
            mipmap_filter: MipmapFilterMode::Linear,
            anisotropy_clamp,
            ..default()
        };
        Self {
            detail,
            index_count: indices.len() as u32,
            indices: device.create_buffer_with_data(&BufferInitDescriptor {
                label: Some("globe patch"),
                contents: bytemuck::cast_slice(&indices),
                usage: BufferUsages::INDEX,
            }),
            sampler: device.create_sampler(&smooth(if is_frugal { 1 } else { 8 })),
            level_sampler: device.create_sampler(&smooth(1)),
            is_frugal,
        }
    }
}

/// Two triangles a quad, seen from above anticlockwise; then a strip that hangs down from each edge, seen from outside:
/// what rounding leaves open between two patches shows the ground of one of them.
fn indices(quads: u16) -> Vec<u16> {
    let row = quads + 1;
    let quad = |k: u16| {
        let corner = k / quads * row + k % quads;
        let (east, south) = (corner + 1, corner + row);
        [corner, south, south + 1, corner, south + 1, east]
    };
    let end = row - 1;
    // vertex of the edge of a side, counted as `quad_of` in globe.wgsl does
    let top = move |side: u16, along: u16| match side {
        0 => end - along,
        1 => (end - along) * row + end,
        2 => end * row + along,
        _ => along * row,
    };
    let skirt = move |side: u16| {
        let below = row * row + side * row;
        (0..quads).flat_map(move |k| {
            let (a, b) = (top(side, k), top(side, k + 1));
            [a, below + k, below + k + 1, a, below + k + 1, b]
        })
    };
    (0..quads * quads).flat_map(quad).chain((0..4).flat_map(skirt)).collect()
}

/// What the pass draws this frame.
struct Batch {
    projection: PlanetProjection,
    key: TargetKey,
    mode: ViewMode,
    bind_group: BindGroup,
    patches: u32,
    clouds: u32,
    lines: u32,
}

#[derive(Resource, Default)]
struct Drawing {
    textures: Textures,
    buffers: Option<Buffers>,
    batch: Option<Batch>,
}

struct Buffers {
    frame: Buffer,
    pieces: Growing,
    lines: Growing,
}

/// A vertex buffer as large as it had to be so far.
struct Growing {
    buffer: Buffer,
    bytes: u64,
}

impl Growing {
    fn new(device: &RenderDevice, bytes: u64) -> Self {
        let buffer = device.create_buffer(&BufferDescriptor {
            label: Some("globe vertices"),
            size: bytes,
            usage: BufferUsages::VERTEX | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { buffer, bytes }
    }

    fn write(&mut self, bytes: &[u8], device: &RenderDevice, queue: &RenderQueue) {
        if bytes.len() as u64 > self.bytes {
            *self = Self::new(device, (bytes.len() as u64).next_power_of_two());
        }
        queue.write_buffer(&self.buffer, 0, bytes);
    }
}

/// Draws the planet of [`ViewState`] through every [`TerrainCamera`].
pub struct GlobeDrawPlugin;

impl Plugin for GlobeDrawPlugin {
    fn build(&self, app: &mut App) {
        let shader = GlobeShader::load(&mut app.world_mut().resource_mut());
        app.init_resource::<PlannedScenery>();
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
        render_app
            .insert_resource(GlobePipelines::new(shader))
            .init_resource::<Wanted>()
            .init_resource::<Drawing>()
            .add_systems(ExtractSchedule, extract)
            .add_systems(Render, prepare_drawing.in_set(RenderSystems::PrepareResources))
            .add_systems(
                Core3d,
                draw.after(main_opaque_pass_3d).before(main_transparent_pass_3d).in_set(Core3dSystems::MainPass),
            );
    }
}

fn extract(
    mut wanted: ResMut<Wanted>,
    shown: Extract<Res<ViewState>>,
    planned: Extract<Res<PlannedScenery>>,
    mode: Extract<Res<ViewMode>>,
) {
    wanted.prepared.clone_from(&shown.globe);
    wanted.scenery.clone_from(&planned.0);
    wanted.mode = **mode;
}

/// Uploads, chooses the patches for the eye and fills the buffers.
#[allow(clippy::too_many_arguments, reason = "a system takes what it needs")]
fn prepare_drawing(
    mut commands: Commands,
    mut drawing: ResMut<Drawing>,
    mut pipelines: ResMut<GlobePipelines>,
    mesh: Option<Res<GlobeMesh>>,
    wanted: Res<Wanted>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
    cache: Res<PipelineCache>,
    views: Query<(&ExtractedView, &Msaa), With<TerrainCamera>>,
) {
    let drawing = &mut *drawing;
    drawing.batch = None;
    let Some(prepared) = &wanted.prepared else {
        // a flat scene: the textures of the globe go
        drawing.textures = Textures::default();
        return;
    };
    let Some(mesh) = mesh else {
        commands.init_resource::<GlobeMesh>();
        return;
    };
    drawing.textures.advance(prepared, &device, &queue);
    let (Some((view, msaa)), Some(scenery)) = (views.iter().next(), &wanted.scenery) else { return };
    let Some(shown) = &drawing.textures.shown else { return };
    let prepared = &*shown.prepared;
    let key = TargetKey { format: view.target_format, samples: msaa.samples(), void_mask: false };
    pipelines.queue(&cache, key);

    let size = view.viewport.as_vec4();
    let (width, height) = (f64::from(size.z.max(1.0)), f64::from(size.w.max(1.0)));
    let tangent = (0.5 * f64::from(FIELD_OF_VIEW)).tan();
    let view_from_planet = DMat4::from_quat(scenery.rotation.inverse());
    let clip_from_view =
        DMat4::perspective_infinite_reverse_rh(f64::from(FIELD_OF_VIEW), width / height, scenery.near.max(1e-3));
    let picture = View {
        clip_from_rel: clip_from_view * view_from_planet,
        viewport: Vec4::new(size.x, size.y, size.z, size.w),
        radians_per_pixel: 2.0 * tangent / height,
    };
    let plan = Plan::new(prepared, scenery, mesh.detail, &picture);
    let frame =
        GlobeFrame::new(&picture, scenery, prepared, (wanted.mode, mesh.detail.quads, mesh.is_frugal), &plan.reach);
    let buffers = drawing.buffers.get_or_insert_with(|| Buffers {
        frame: device.create_buffer(&BufferDescriptor {
            label: Some("globe frame"),
            size: size_of::<GlobeFrame>() as u64,
            usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        }),
        pieces: Growing::new(&device, 64 * 1024),
        lines: Growing::new(&device, 64 * 1024),
    });
    queue.write_buffer(&buffers.frame, 0, bytemuck::bytes_of(&frame));
    buffers.pieces.write(bytemuck::cast_slice(&plan.pieces), &device, &queue);
    let ends: Vec<f32> = scenery.lines.iter().flat_map(|(at, colour)| at.iter().chain(colour).copied()).collect();
    buffers.lines.write(bytemuck::cast_slice(&ends), &device, &queue);
    let layout = cache.get_bind_group_layout(&pipelines.layout);
    let entries = BindGroupEntries::sequential((
        buffers.frame.as_entire_binding(),
        shown.view(Layer::Heights),
        shown.view(Layer::Shape),
        shown.view(Layer::Colours),
        &mesh.sampler,
        &mesh.level_sampler,
    ));
    drawing.batch = Some(Batch {
        projection: scenery.projection,
        key,
        mode: wanted.mode,
        bind_group: device.create_bind_group("talweg globe", &layout, &entries),
        patches: plan.ground,
        clouds: plan.pieces.len() as u32 - plan.ground,
        lines: scenery.lines.len() as u32,
    });
}

/// The patches of the ground, then those of the clouds.
struct Plan {
    reach: Reach,
    pieces: Vec<Piece>,
    ground: u32,
}

impl Plan {
    fn new(prepared: &GlobeTerrain, scenery: &Scenery, detail: Detail, picture: &View) -> Self {
        let ground = prepared.ground(f64::from(scenery.view.exaggeration), &scenery.view, scenery.eye, scenery.water);
        let eye = scenery.eye;
        let cell = ground.radius * std::f64::consts::FRAC_PI_2 / (prepared.terrain.samples() - 1) as f64;
        let quad_radians = f64::from(detail.quad_pixels) * picture.radians_per_pixel;
        let per_cell = if ground.between.is_some() { f64::INFINITY } else { QUADS_PER_CELL };
        let finest = (cell / per_cell).max(SMALLEST_QUAD_METRES).min(cell.max(1e-3));
        let reach = Reach::new(eye, ground.radius + ground.range.1, detail.quads, quad_radians, finest);
        let mut pieces = Vec::new();
        let mut count = 0;
        if scenery.projection != PlanetProjection::Map {
            let floor = ground.sea.map_or(ground.range.0, |sea| sea.max(ground.range.0));
            let mut sight =
                Sight::new(&prepared.bounds, (ground.radius, ground.relief, floor), eye, picture.clip_from_rel);
            sight.slack = ground.slack();
            let patches = select(&reach, Some(&sight));
            pieces.extend(patches.iter().map(|patch| Piece::new(patch, ground.radius, eye)));
            count = pieces.len() as u32;
            if let Some(shell) = scenery.cloud_shell(prepared) {
                let mut sight = Sight::new(&prepared.bounds, (shell, 0.0, 0.0), eye, picture.clip_from_rel);
                sight.solid = ground.radius + floor;
                // the same measure of distance as the shader has
                let reach = Reach {
                    finest: Reach::new(eye, shell, detail.quads, quad_radians, CLOUD_QUAD * shell).finest,
                    ..reach
                };
                pieces.extend(select(&reach, Some(&sight)).iter().map(|patch| Piece::new(patch, shell, eye)));
            }
        }
        Self { reach, pieces, ground: count }
    }
}

fn draw(
    view: ViewQuery<(&ExtractedCamera, &ExtractedView, &ViewTarget, &ViewDepthTexture), With<TerrainCamera>>,
    drawing: Res<Drawing>,
    drawn: Res<FrameStatus>,
    mesh: Option<Res<GlobeMesh>>,
    pipelines: Res<GlobePipelines>,
    cache: Res<PipelineCache>,
    mut ctx: RenderContext,
) {
    let (camera, extracted, target, depth) = view.into_inner();
    let (Some(mesh), Some(batch), Some(buffers)) = (mesh, &drawing.batch, &drawing.buffers) else { return };
    let ground = if batch.mode.of_grid() == ViewMode::Wireframe { Part::Wireframe } else { Part::Ground };
    let parts: &[Part] = match batch.projection {
        PlanetProjection::Map => &[Part::Map],
        _ => &[ground, Part::Sky, Part::Lines, Part::Clouds],
    };
    let pipeline = |part: &Part| pipelines.id(*part, batch.key).and_then(|id| cache.get_render_pipeline(id));
    let Some(ready) = parts.iter().map(pipeline).collect::<Option<Vec<_>>>() else { return };
    let mut pass = ctx.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("talweg globe"),
        color_attachments: &[Some(target.get_color_attachment())],
        depth_stencil_attachment: Some(depth.get_attachment(StoreOp::Store)),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    });
    let [x, y, width, height] = extracted.viewport.to_array();
    if width == 0 || height == 0 {
        return;
    }
    let depths = camera.viewport.as_ref().map_or(0.0..1.0, |viewport| viewport.depth.clone());
    pass.set_scissor_rect(x, y, width, height);
    pass.set_viewport(x as f32, y as f32, width as f32, height as f32, depths.start, depths.end);
    pass.set_index_buffer(mesh.indices.slice(..), IndexFormat::Uint16);
    pass.set_bind_group(0, &batch.bind_group, &[]);
    for (part, pipeline) in parts.iter().zip(ready) {
        pass.set_render_pipeline(pipeline);
        match part {
            Part::Ground | Part::Wireframe => {
                pass.set_vertex_buffer(0, buffers.pieces.buffer.slice(..));
                pass.draw_indexed(0..mesh.index_count, 0, 0..batch.patches);
            }
            Part::Clouds if batch.clouds > 0 => {
                pass.set_vertex_buffer(0, buffers.pieces.buffer.slice(..));
                pass.draw_indexed(0..mesh.index_count, 0, batch.patches..batch.patches + batch.clouds);
            }
            Part::Lines if batch.lines > 0 => {
                pass.set_vertex_buffer(0, buffers.lines.buffer.slice(..));
                pass.draw(0..batch.lines, 0..1);
            }
            Part::Sky | Part::Map => pass.draw(0..3, 0..1),
            Part::Clouds | Part::Lines => {}
        }
    }
    drawn.set_settled(true);
    drawn.report([drawing.textures.shown.as_ref().map_or(0, |shown| shown.prepared.serial), 0], 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skirts_hang_from_the_edges() {
        let indices = indices(16);
        assert_eq!(indices.len(), (16 * 16 + 4 * 16) * 6);
        assert_eq!(indices.iter().max(), Some(&(17 * 17 + 4 * 17 - 1)));
        // every vertex of the edges is the top of a strip, those inside are not
        let strips = &indices[16 * 16 * 6..];
        for k in 0..17 * 17u16 {
            let (row, column) = (k / 17, k % 17);
            let on_edge = row == 0 || column == 0 || row == 16 || column == 16;
            assert_eq!(strips.contains(&k), on_edge, "{k}");
        }
    }
}
