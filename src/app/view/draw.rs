//! Drawing, in the render world: choose patches, tell the shaders, one pass.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use bevy::core_pipeline::core_3d::main_opaque_pass_3d;
use bevy::core_pipeline::core_3d::main_transparent_pass_3d;
use bevy::core_pipeline::schedule::{Core3d, Core3dSystems};
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::extract_component::{ExtractComponent, ExtractComponentPlugin};
use bevy::render::render_resource::{
    BindGroup, BindGroupEntries, Buffer, BufferDescriptor, BufferInitDescriptor, BufferUsages, CachedComputePipelineId,
    ComputePassDescriptor, IndexFormat, PipelineCache, RenderPassDescriptor, StoreOp, TextureView,
};
use bevy::render::renderer::{RenderAdapterInfo, RenderContext, RenderDevice, RenderQueue, ViewQuery};
use bevy::render::view::{ExtractedView, ViewDepthTexture, ViewTarget};
use bevy::render::{Extract, ExtractSchedule, Render, RenderApp, RenderSystems};

use super::adaptive::atlas::{Atlas, Instance, Steps, is_wet, sides_of};
use super::adaptive::{Budget, Look, Tessellation};
use super::compare::{CompareSide, Pane};
use super::cut::Cut;
use super::frame::{Eye, Frame};
use super::lod::{Frustum, Patch, Reach, select};
use super::mesh::{self, PatchMesh, RenderQuality, SideKind};
use super::mode::ViewMode;
use super::palette::PaletteTexture;
use super::pipelines::{Part, Parts, Pipelines, TargetKey, ViewShader};
use super::prepare::Tint;
use super::state::{FrameStatus, ViewState};
use super::textures::{Layer, Textures, blank};
use super::trace::{self, Adapter, RayBatch, Rays, Sight};
use super::tree_surface::TreeSurface;

/// Marks the camera of the view.
#[derive(Component, Clone, Copy, Default, ExtractComponent)]
pub struct TerrainCamera;

/// What is wanted on screen, in the render world.
#[derive(Resource, Default)]
struct Wanted {
    shown: ViewState,
    mode: ViewMode,
}

/// What the pass draws of a terrain this frame.
struct Batch {
    pane: Pane,
    patches: u32,
    sides: u32,
    has_sea: bool,
    has_inland: bool,
    has_water: bool,
    parts: Parts,
    bind_group: BindGroup,
    /// Panes of the brink.
    walls: u32,
    /// FrameStatus in place of the grid's patches.
    tiles: Option<Tiles>,
    /// FrameStatus in place of the grid, too; with what lets them go on.
    rays: Option<(RayBatch, CachedComputePipelineId)>,
    /// All that is wanted of the tree is there.
    is_settled: bool,
}

/// Instances of the tiles of a tree.
#[derive(Clone, Default)]
struct Tiles {
    ground: Range<u32>,
    sides: Range<u32>,
    /// Those with some ground under the sea, and with some under other water.
    sea: Range<u32>,
    water: Range<u32>,
}

/// A tree on the graphics card.
struct Patchwork {
    tessellation: Tessellation,
    atlas: Atlas,
    instances: Buffer,
    instances_bytes: u64,
    last: Option<Instant>,
}

/// A terrain on the graphics card.
struct Drawing {
    textures: Textures,
    buffers: Buffers,
    palette: PaletteTexture,
    /// The walls that are in the buffer, and the buffer.
    walls: Option<(Arc<Cut>, Buffer)>,
    patchwork: Option<Patchwork>,
    rays: Option<Rays>,
    batch: Option<Batch>,
}

/// Both terrains; the second only while there is one.
#[derive(Resource, Default)]
struct Drawings([Option<Drawing>; 2]);

impl Drawings {
    fn terrain_of(&self, side: CompareSide) -> Option<&Drawing> {
        self.0[side as usize].as_ref()
    }

    fn batches(&self) -> impl Iterator<Item = (&Drawing, &Batch)> {
        self.0.iter().flatten().filter_map(|drawing| Some((drawing, drawing.batch.as_ref()?)))
    }
}

/// Buffers that live from frame to frame.
struct Buffers {
    frame: Buffer,
    instances: Buffer,
    instances_bytes: u64,
    /// Stands for maps that a terrain has not.
    blank: TextureView,
}

/// Draws [`ViewState`] through every [`TerrainCamera`].
#[derive(Default)]
pub struct DrawPlugin {
    pub quality: RenderQuality,
}

impl Plugin for DrawPlugin {
    fn build(&self, app: &mut App) {
        let shader = ViewShader::load(&mut app.world_mut().resource_mut());
        let drawn = FrameStatus::default();
        app.insert_resource(drawn.clone())
            .insert_resource(self.quality)
            .init_resource::<ViewState>()
            .init_resource::<ViewMode>()
            .add_plugins((ExtractComponentPlugin::<TerrainCamera>::default(), super::globe::GlobeDrawPlugin));
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
        render_app
            .insert_resource(self.quality)
            .insert_resource(drawn)
            .insert_resource(Pipelines::new(shader))
            .init_resource::<Wanted>()
            .init_resource::<Drawings>()
            .add_systems(ExtractSchedule, extract)
            .add_systems(Render, prepare_drawings.in_set(RenderSystems::PrepareResources))
            .add_systems(
                Core3d,
                draw.after(main_opaque_pass_3d).before(main_transparent_pass_3d).in_set(Core3dSystems::MainPass),
            );
    }
}

fn extract(mut wanted: ResMut<Wanted>, shown: Extract<Res<ViewState>>, mode: Extract<Res<ViewMode>>) {
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

/// What all drawings of a frame have in common.
struct Studio<'a> {
    view: &'a ExtractedView,
    msaa: Msaa,
    mode: ViewMode,
    water: bool,
    tree_surface: Option<&'a Arc<TreeSurface>>,
    quality: RenderQuality,
    adapter: Adapter,
    mesh: &'a PatchMesh,
    device: &'a RenderDevice,
    queue: &'a RenderQueue,
    cache: &'a PipelineCache,
}

/// Uploads, chooses the patches for the camera and fills the buffers.
#[allow(clippy::too_many_arguments, reason = "a system takes what it needs")]
fn prepare_drawings(
    mut commands: Commands,
    mut drawings: ResMut<Drawings>,
    mut pipelines: ResMut<Pipelines>,
    mesh: Option<Res<PatchMesh>>,
    (wanted, drawn): (Res<Wanted>, Res<FrameStatus>),
    quality: Res<RenderQuality>,
    adapter: Option<Res<RenderAdapterInfo>>,
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
    cache: Res<PipelineCache>,
    views: Query<(&ExtractedView, &Msaa), With<TerrainCamera>>,
) {
    let Some(mesh) = mesh else {
        commands.init_resource::<PatchMesh>();
        return;
    };
    if wanted.shown.globe.is_some() {
        // a planet is on screen: what is left of terrains goes
        drawings.0 = [None, None];
        return;
    }
    let is_frugal = quality.is_frugal(adapter.as_deref());
    for side in [CompareSide::A, CompareSide::B] {
        let slot = &mut drawings.0[side as usize];
        let Some((prepared, table)) = wanted.shown.terrain_of(side) else {
            // before the first terrain there is nothing to let go of
            *slot = slot.take().filter(|_| side == CompareSide::A);
            continue;
        };
        let drawing = slot.get_or_insert_with(|| Drawing {
            textures: Textures::default(),
            buffers: Buffers::new(&device),
            palette: PaletteTexture::new(&device, is_frugal),
            walls: None,
            patchwork: None,
            rays: None,
            batch: None,
        });
        drawing.batch = None;
        let asks = side == CompareSide::A && wanted.mode.asks_tree() && wanted.shown.tree_surface.is_some();
        let traces = asks && wanted.mode.traces();
        drawing.patchwork = drawing.patchwork.take().filter(|_| asks && !traces);
        drawing.rays = drawing.rays.take().filter(|_| traces);
        drawing.textures.advance(prepared, &device, &queue);
        if let Some(shown) = &drawing.textures.shown {
            let is_cost = traces && wanted.mode == ViewMode::TracedCost;
            let ramp = if is_cost { Some(trace::cost_ramp()) } else { shown.prepared.ramp() };
            drawing.palette.update(table, ramp, &queue);
        }
    }
    let traced = wanted.shown.tree_surface.as_ref().filter(|_| wanted.mode.traces());
    drawn.set_unsupported(traced.and_then(|tree_surface| trace::unsupported(tree_surface, &device)));
    let Some((view, msaa)) = views.iter().next() else { return };
    let studio = Studio {
        view,
        msaa: *msaa,
        mode: wanted.mode,
        water: wanted.shown.water,
        tree_surface: wanted.shown.tree_surface.as_ref().filter(|_| wanted.mode.asks_tree()),
        quality: *quality,
        adapter: Adapter { quality: *quality, is_software: RenderQuality::Moving.is_frugal(adapter.as_deref()) },
        mesh: &mesh,
        device: &device,
        queue: &queue,
        cache: &cache,
    };
    let beside_is_there = drawings.terrain_of(CompareSide::B).is_some_and(|drawing| drawing.textures.shown.is_some());
    let panes = if beside_is_there { wanted.shown.panes() } else { [Some(Pane::ALONE), None] };
    for pane in panes.into_iter().flatten() {
        if let Some(drawing) = &mut drawings.0[pane.side as usize] {
            drawing.batch = drawing.compose(pane, &studio, &mut pipelines);
        }
    }
}

impl Drawing {
    /// Makes everything ready to draw the terrain into its pane of the view.
    fn compose(&mut self, pane: Pane, studio: &Studio, pipelines: &mut Pipelines) -> Option<Batch> {
        let shown = self.textures.shown.as_ref()?;
        let (prepared, table) = (&shown.prepared, self.palette.table()?);
        let (view, mesh) = (studio.view, studio.mesh);
        let has_sea = studio.water && prepared.scale.has_sea();
        let world_from_view = view.world_from_view.to_matrix();
        let size = Vec2::new(view.viewport.z as f32, view.viewport.w as f32);
        let clip_from_view = pane.clip_from_view_clip(size) * view.clip_from_view;
        let clip_from_world = clip_from_view * world_from_view.inverse();
        let [x, y, width, height] = picture_pixels(pane, view.viewport).map(|n| n as f32);
        let viewport = Vec4::new(x, y, width, height);
        let clip_from_eye = clip_from_view * Mat4::from_quat(view.world_from_view.rotation()).inverse();
        let eye = Eye { clip_from_world, clip_from_eye, eye_world: view.world_from_view.translation(), viewport };
        let pixels_per_radian = 0.5 * height * clip_from_view.y_axis.y;
        let reach = Reach::new(&prepared.scale, mesh.detail, eye.eye_world, pixels_per_radian);
        let frustum = Frustum::new(pane.crop() * clip_from_world);
        let patches = select(&prepared.scale, &prepared.bounds, mesh.detail, &reach, Some(&frustum));
        let instances = instances(&patches, mesh.detail.quads, prepared.scale.samples);
        let mut frame = Frame::new(&eye, prepared, table, (studio.mode, has_sea), &reach, mesh.detail.quads);
        let cut = prepared.cut.as_ref();
        let target = TargetKey { format: view.target_format, samples: studio.msaa.samples(), void_mask: cut.is_some() };
        let mut parts = pipelines.for_grid(studio.cache, target, (studio.mode.of_grid(), prepared.tint()));
        let mut tiles = None;
        let (mut rays, mut is_settled) = (None, true);
        let tree_surface = studio.tree_surface.filter(|_| pane.side == CompareSide::A);
        if let Some(tree_surface) = tree_surface
            .filter(|tree_surface| studio.mode.traces() && trace::unsupported(tree_surface, studio.device).is_none())
        {
            let sight = Sight {
                clip_from_eye,
                eye_world: eye.eye_world.as_dvec3(),
                pixels_per_radian,
                size: UVec2::new(width as u32, height as u32).max(UVec2::ONE),
                mode: studio.mode,
                has_water: studio.water,
            };
            let own = pipelines.for_tree(studio.cache, target, (studio.mode, prepared.tint()));
            is_settled = false;
            if let Some((own, march)) = own.zip(pipelines.for_rays(studio.cache)) {
                let layouts = pipelines.rays.each_ref().map(|layout| studio.cache.get_bind_group_layout(layout));
                let made = Rays::of(&mut self.rays, tree_surface, studio.device, studio.adapter);
                let made = made.advance(tree_surface, &sight, layouts.each_ref(), studio.device, studio.queue);
                is_settled = made.is_settled;
                rays = Some((made, march));
                parts = own;
            }
        }
        if let Some(tree_surface) = tree_surface.filter(|_| !studio.mode.traces()) {
            let look = Look {
                eye_world: eye.eye_world.as_dvec3(),
                clip_from_eye: pane.crop() * clip_from_eye,
                pixels_per_radian: f64::from(pixels_per_radian),
            };
            let patchwork = self.patchwork.get_or_insert_with(|| Patchwork::new(studio, mesh));
            let steps = Steps::new(look.eye_world, mesh.detail.quads as usize);
            frame.tiles = steps.uniform;
            tiles = patchwork.advance(tree_surface, &look, &steps, prepared.scale.sea_world, studio);
            // until there are patches and pipelines the grid is drawn
            match pipelines.for_tree(studio.cache, target, (studio.mode, prepared.tint())) {
                Some(own) if tiles.is_some() => parts = own,
                _ => tiles = None,
            }
        }
        self.buffers.write(&frame, &instances, studio.device, studio.queue);
        let is_there = |(there, _): &(Arc<Cut>, Buffer)| cut.is_some_and(|cut| Arc::ptr_eq(cut, there));
        if !self.walls.as_ref().is_some_and(is_there) {
            self.walls = cut.map(|cut| (cut.clone(), walls_buffer(cut, studio.device)));
        }

        let map = |layer| shown.view(layer).unwrap_or(&self.buffers.blank);
        let layout = studio.cache.get_bind_group_layout(&pipelines.layout);
        let entries = BindGroupEntries::sequential((
            self.buffers.frame.as_entire_binding(),
            map(Layer::Heights),
            map(Layer::Slopes),
            map(Layer::Light),
            &self.palette.view,
            map(Layer::Inland),
            map(Layer::Data),
            map(Layer::Colours),
            map(Layer::Void),
            &self.palette.sampler,
            self.patchwork.as_ref().map_or(&self.buffers.blank, |patchwork| &patchwork.atlas.view),
            map(Layer::Covers),
        ));
        Some(Batch {
            pane,
            patches: patches.len() as u32,
            sides: (instances.len() - patches.len()) as u32,
            has_sea,
            // data would be hard to read through water
            has_water: studio.water
                && prepared.tint() == Tint::None
                && studio.tree_surface.is_some_and(|tree_surface| tree_surface.has_water()),
            has_inland: studio.water && prepared.inland.is_some() && prepared.tint() == Tint::None,
            parts,
            tiles,
            rays,
            is_settled,
            bind_group: studio.device.create_bind_group("talweg view", &layout, &entries),
            walls: cut.map_or(0, |cut| cut.walls.len() as u32),
        })
    }
}

impl Patchwork {
    fn new(studio: &Studio, mesh: &PatchMesh) -> Self {
        let is_fine = mesh.detail.quads as usize == Budget::FINE.quads;
        let budget = if is_fine { Budget::FINE } else { Budget::FRUGAL };
        let instances_bytes = 64 * 1024;
        Self {
            tessellation: Tessellation::new(budget),
            atlas: Atlas::new(&budget, studio.device),
            instances: Buffers::instances(studio.device, instances_bytes),
            instances_bytes,
            last: None,
        }
    }

    /// A frame on: what is new goes to the graphics card. `None` as long as there is nothing.
    fn advance(
        &mut self,
        tree_surface: &Arc<TreeSurface>,
        look: &Look,
        steps: &Steps,
        sea_world: f32,
        studio: &Studio,
    ) -> Option<Tiles> {
        let now = Instant::now();
        let seconds = self.last.replace(now).map_or(0.0, |last| now.duration_since(last).as_secs_f32());
        // a single picture waits for nothing; one that took long to draw is no reason to jump
        let seconds = if studio.quality == RenderQuality::Still { f32::MAX } else { seconds.min(0.25) };
        for upload in self.tessellation.advance(tree_surface, look, seconds) {
            self.atlas.write(&upload, studio.queue);
        }
        self.tessellation.tree_surface()?;
        let all: Vec<_> = self.tessellation.tiles().collect();
        let mut instances: Vec<Instance> = Vec::with_capacity(2 * all.len());
        let mut list = |add: &mut dyn FnMut(&mut Vec<Instance>)| {
            let from = instances.len() as u32;
            add(&mut instances);
            from..instances.len() as u32
        };
        let atlas = &self.atlas;
        let tiles = Tiles {
            ground: list(&mut |out| {
                out.extend(all.iter().map(|(tile, slot, _)| atlas.instance(tile, *slot, steps, 0)))
            }),
            sides: list(&mut |out| {
                for (tile, slot, _) in &all {
                    out.extend(sides_of(tile.key).map(|side| atlas.instance(tile, *slot, steps, side)));
                }
            }),
            sea: list(&mut |out| {
                let wet = all.iter().filter(|(.., patch)| is_wet(patch, sea_world));
                out.extend(wet.map(|(tile, slot, _)| atlas.instance(tile, *slot, steps, 0)));
            }),
            water: list(&mut |out| {
                let wet = all.iter().filter(|(.., patch)| patch.wettest_world > 0.0);
                out.extend(wet.map(|(tile, slot, _)| atlas.instance(tile, *slot, steps, 0)));
            }),
        };
        let bytes: &[u8] = bytemuck::cast_slice(&instances);
        if bytes.len() as u64 > self.instances_bytes {
            self.instances_bytes = (bytes.len() as u64).next_power_of_two();
            self.instances = Buffers::instances(studio.device, self.instances_bytes);
        }
        studio.queue.write_buffer(&self.instances, 0, bytes);
        Some(tiles)
    }
}

/// The walls of a terrain on the graphics card.
fn walls_buffer(cut: &Cut, device: &RenderDevice) -> Buffer {
    device.create_buffer_with_data(&BufferInitDescriptor {
        label: Some("talweg walls"),
        contents: bytemuck::cast_slice(&cut.walls),
        usage: BufferUsages::VERTEX,
    })
}

/// Left, top, width and height of a pane in pixels of the window, in a view given in the same way.
fn pane_pixels(pane: Pane, view: UVec4) -> [u32; 4] {
    let at = |share: f32| (share * view.z as f32).round() as u32;
    [view.x + at(pane.from), view.y, at(pane.to) - at(pane.from), view.w]
}

/// The same of the picture that the pane is a part of.
fn picture_pixels(pane: Pane, view: UVec4) -> [u32; 4] {
    if pane.whole { pane_pixels(pane, view) } else { view.to_array() }
}

/// All patches, then those at an edge of the terrain once for each of its sides.
fn instances(patches: &[Patch], quads: u32, samples: usize) -> Vec<[u32; 4]> {
    let ground = patches.iter().map(|p| [p.column, p.row, p.level, 0]);
    let sides = patches
        .iter()
        .flat_map(|p| mesh::sides_of(*p, quads, samples).map(|side: SideKind| [p.column, p.row, p.level, side as u32]));
    ground.chain(sides).collect()
}

/// What is drawn of a part for each of its instances.
#[derive(Clone, Copy)]
enum Kind {
    Patch,
    Strip,
    Vertices(u32),
}

fn draw(
    view: ViewQuery<(&ExtractedCamera, &ExtractedView, &ViewTarget, &ViewDepthTexture), With<TerrainCamera>>,
    drawings: Res<Drawings>,
    drawn: Res<FrameStatus>,
    mesh: Option<Res<PatchMesh>>,
    cache: Res<PipelineCache>,
    mut ctx: RenderContext,
) {
    let (camera, extracted, target, depth) = view.into_inner();
    let Some(mesh) = mesh else { return };
    for (rays, id) in drawings.batches().filter_map(|(_, batch)| batch.rays.as_ref()) {
        if let (Some((group, groups)), Some(pipeline)) = (&rays.march, cache.get_compute_pipeline(*id)) {
            let mut pass = ctx.command_encoder().begin_compute_pass(&ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(groups.x, groups.y, 1);
        }
    }
    let is_ready = |batch: &Batch| batch.parts.iter().all(|(_, id)| cache.get_render_pipeline(*id).is_some());
    let mut ready = drawings.batches().map(|(_, batch)| is_ready(batch)).peekable();
    if ready.peek().is_none() || !ready.all(|ready| ready) {
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
    let depths = camera.viewport.as_ref().map_or(0.0..1.0, |viewport| viewport.depth.clone());
    pass.set_index_buffer(mesh.indices.slice(..), IndexFormat::Uint16);
    for (drawing, batch) in drawings.batches() {
        let [x, y, width, height] = pane_pixels(batch.pane, extracted.viewport);
        if width == 0 || height == 0 {
            continue;
        }
        pass.set_scissor_rect(x, y, width, height);
        let [x, y, width, height] = picture_pixels(batch.pane, extracted.viewport).map(|n| n as f32);
        pass.set_viewport(x, y, width, height, depths.start, depths.end);
        pass.set_bind_group(0, &batch.bind_group, &[]);
        let patches = match (&drawing.patchwork, &batch.tiles) {
            (Some(patchwork), Some(_)) => &patchwork.instances,
            _ => &drawing.buffers.instances,
        };
        let sides = batch.patches..batch.patches + batch.sides;
        let tiles = batch.tiles.clone().unwrap_or_default();
        if let Some((rays, _)) = &batch.rays {
            pass.set_bind_group(1, &rays.seen, &[]);
        }
        for (part, id) in &batch.parts {
            let Some(pipeline) = cache.get_render_pipeline(*id) else { continue };
            let (kind, which) = match part {
                Part::Ground => (Kind::Patch, 0..batch.patches),
                Part::Sides => (Kind::Strip, sides.clone()),
                Part::Walls => (Kind::Vertices(4), 0..batch.walls),
                Part::Sky => (Kind::Vertices(3), 0..1),
                Part::SurfaceWaterSides if batch.has_inland => (Kind::Strip, sides.clone()),
                Part::SurfaceWater if batch.has_inland => (Kind::Patch, 0..batch.patches),
                Part::SeaSides if batch.has_sea => (Kind::Strip, sides.clone()),
                Part::SeaWalls if batch.has_sea => (Kind::Vertices(4), 0..batch.walls),
                Part::SeaSurface if batch.has_sea => (Kind::Vertices(6), 0..1),
                Part::Traced if batch.rays.is_some() => (Kind::Vertices(3), 0..1),
                Part::AdaptiveGround => (Kind::Patch, tiles.ground.clone()),
                Part::AdaptiveSides => (Kind::Strip, tiles.sides.clone()),
                Part::AdaptiveWaterSides if batch.has_water => (Kind::Strip, tiles.sides.clone()),
                Part::AdaptiveWater if batch.has_water => (Kind::Patch, tiles.water.clone()),
                Part::AdaptiveSeaSides if batch.has_sea => (Kind::Strip, tiles.sides.clone()),
                Part::AdaptiveSea if batch.has_sea => (Kind::Patch, tiles.sea.clone()),
                _ => continue,
            };
            if which.is_empty() {
                continue;
            }
            let walls = drawing.walls.as_ref().filter(|_| part.is_wall());
            let instances = walls.map_or(patches, |(_, buffer)| buffer);
            pass.set_vertex_buffer(0, instances.slice(..));
            pass.set_render_pipeline(pipeline);
            match kind {
                Kind::Patch => pass.draw_indexed(0..mesh.index_count, 0, which),
                Kind::Strip => pass.draw(0..mesh.strip_vertices, which),
                Kind::Vertices(count) => pass.draw(0..count, which),
            }
        }
    }
    let serial = |side| {
        let shown = drawings.terrain_of(side).and_then(|drawing: &Drawing| drawing.textures.shown.as_ref());
        shown.map_or(0, |textures| textures.prepared.serial)
    };
    let beside_bytes = drawings.terrain_of(CompareSide::B).map_or(0, |drawing| drawing.textures.bytes() as u64);
    let is_settled = drawings.0.iter().flatten().all(|drawing| {
        let Some(batch) = &drawing.batch else { return drawing.patchwork.is_none() };
        let has_patches = batch.tiles.is_some();
        let patches = drawing.patchwork.as_ref();
        batch.is_settled && patches.is_none_or(|patchwork| has_patches && patchwork.tessellation.is_settled)
    });
    drawn.set_settled(is_settled);
    drawn.report([CompareSide::A, CompareSide::B].map(serial), beside_bytes);
}
