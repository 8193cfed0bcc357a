//! Draws the view in the render world. In every frame, it extracts the wanted state from the main world and asks each
//! surface for its draw calls. The render world then executes all draw calls in one pass.

use std::sync::Arc;

use bevy::core_pipeline::core_3d::main_opaque_pass_3d;
use bevy::core_pipeline::core_3d::main_transparent_pass_3d;
use bevy::core_pipeline::schedule::{Core3d, Core3dSystems};
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::diagnostic::{PassSpanGuard, RecordDiagnostics};
use bevy::render::extract_component::ExtractComponentPlugin;
use bevy::render::render_resource::{
    CachedRenderPipelineId, ComputePassDescriptor, IndexFormat, LoadOp, Operations, PipelineCache,
    RenderPassDepthStencilAttachment, RenderPassDescriptor, StoreOp,
};
use bevy::render::renderer::{RenderAdapterInfo, RenderContext, RenderDevice, RenderQueue, ViewQuery};
use bevy::render::view::{ExtractedView, ViewDepthTexture, ViewTarget};
use bevy::render::{Extract, ExtractSchedule, Render, RenderApp, RenderSystems};

use super::compare::{CompareSide, Pane};
use super::construction_surface::{TreeSurface, trace};
use super::globe::drawing::GlobeDrawing;
use super::globe::parts::GlobePart;
use super::globe::{PlannedScenery, Scenery};
use super::mode::ViewMode;
use super::render::TerrainCamera;
use super::render::auto_exposure::ExposureAdaptation;
use super::render::batch::{Adapter, Batch, DrawContext, Geometry, ShadowPass, pane_pixels, picture_pixels};
use super::render::mesh::{PatchMesh, RenderQuality};
use super::render::pipelines::{Pipelines, are_ready, part_name};
use super::render::shader_text::ViewShader;
use super::render_terrain::RenderTerrain;
use super::square::drawing::SquareDrawing;
use super::square::parts::SquarePart;
use super::state::{FrameStatus, ViewState};
use super::surface::{DrawnSurface, SurfaceDrawing};
use talweg::appearance::PaletteTable;

/// A copy of the wanted state of the view, for the render world.
#[derive(Resource, Default)]
struct ExtractedState {
    state: ViewState,
    mode: ViewMode,
    scenery: PlannedScenery,
}

impl ExtractedState {
    /// The construction tree to draw for one side of the comparison instead of its grid, if there is one.
    fn tree(&self, side: CompareSide) -> Option<Arc<TreeSurface>> {
        self.state.tree_surface.clone().filter(|_| side == CompareSide::A && self.mode.draws_tree())
    }

    /// The planned image of a globe, if the side shows a globe.
    fn scenery(&self, side: CompareSide) -> Option<&Scenery> {
        self.scenery.0[side as usize].as_deref()
    }
}

/// The terrain of one side of the comparison, with its data on the graphics card.
enum SideDrawing {
    Square(Box<SurfaceDrawing<SquareDrawing>>),
    Globe(Box<SurfaceDrawing<GlobeDrawing>>),
}

impl SideDrawing {
    fn new(terrain: &RenderTerrain, palette: &Arc<PaletteTable>, context: &DrawContext) -> Self {
        match terrain {
            RenderTerrain::Square(_) => Self::Square(Box::new(SurfaceDrawing::new(palette, context))),
            RenderTerrain::Globe(_) => Self::Globe(Box::new(SurfaceDrawing::new(palette, context))),
        }
    }

    fn fits(&self, terrain: &RenderTerrain) -> bool {
        matches!(
            (self, terrain),
            (Self::Square(_), RenderTerrain::Square(_)) | (Self::Globe(_), RenderTerrain::Globe(_))
        )
    }

    fn drawn(&self) -> &dyn DrawnSurface {
        match self {
            Self::Square(drawing) => &**drawing,
            Self::Globe(drawing) => &**drawing,
        }
    }

    /// Begins a frame: uploads the wanted terrain. The terrain must be of the type that this drawing
    /// [fits](Self::fits).
    fn advance(
        &mut self,
        side: CompareSide,
        (terrain, palette): (&RenderTerrain, &Arc<PaletteTable>),
        extracted: &ExtractedState,
        context: &DrawContext,
    ) {
        match (self, terrain) {
            (Self::Square(drawing), RenderTerrain::Square(terrain)) => {
                drawing.advance(terrain, palette, Some(&extracted.tree(side)), context);
            }
            (Self::Globe(drawing), RenderTerrain::Globe(terrain)) => {
                drawing.advance(terrain, palette, extracted.scenery(side), context);
            }
            _ => {}
        }
    }

    /// Number of stops by which auto exposure brightens the image; `None` before the first image.
    fn brightening(&self, pane: Pane, extracted: &ExtractedState, context: &DrawContext) -> Option<f32> {
        match self {
            Self::Square(drawing) => drawing.brightening(pane, Some(&extracted.tree(pane.side)), context),
            Self::Globe(drawing) => drawing.brightening(pane, extracted.scenery(pane.side), context),
        }
    }

    /// Prepares everything to draw the terrain into its pane of the view.
    fn compose(
        &mut self,
        pane: Pane,
        extracted: &ExtractedState,
        context: &DrawContext,
        pipelines: &mut (Pipelines<SquarePart>, Pipelines<GlobePart>),
    ) {
        match self {
            Self::Square(drawing) => {
                drawing.compose(pane, Some(&extracted.tree(pane.side)), context, &mut pipelines.0);
            }
            Self::Globe(drawing) => drawing.compose(pane, extracted.scenery(pane.side), context, &mut pipelines.1),
        }
    }

    /// Marks the image of this frame as unfinished, so that another frame follows.
    fn unsettle(&mut self) {
        match self {
            Self::Square(drawing) => drawing.unsettle(),
            Self::Globe(drawing) => drawing.unsettle(),
        }
    }
}

/// The drawings of the compared terrains A and B. B has a drawing only while two terrains are compared.
#[derive(Resource, Default)]
struct Drawings([Option<SideDrawing>; 2]);

impl Drawings {
    fn side(&self, side: CompareSide) -> Option<&dyn DrawnSurface> {
        self.0[side as usize].as_ref().map(SideDrawing::drawn)
    }

    fn all(&self) -> impl Iterator<Item = &dyn DrawnSurface> {
        self.0.iter().flatten().map(SideDrawing::drawn)
    }

    fn batches(&self) -> impl Iterator<Item = &Batch> {
        self.all().filter_map(DrawnSurface::batch)
    }
}

/// The pipelines of square terrains and of globes.
#[derive(Resource)]
struct SurfacePipelines((Pipelines<SquarePart>, Pipelines<GlobePart>));

/// The plugin that draws [`ViewState`] through every [`TerrainCamera`].
#[derive(Default)]
pub struct DrawPlugin {
    pub quality: RenderQuality,
}

impl Plugin for DrawPlugin {
    fn build(&self, app: &mut App) {
        let shader = ViewShader::load(&mut app.world_mut().resource_mut());
        let status = FrameStatus::default();
        app.insert_resource(status.clone())
            .insert_resource(self.quality)
            .init_resource::<ViewState>()
            .init_resource::<ViewMode>()
            .init_resource::<PlannedScenery>()
            .add_plugins(ExtractComponentPlugin::<TerrainCamera>::default());
        let Some(render_app) = app.get_sub_app_mut(RenderApp) else { return };
        render_app
            .insert_resource(self.quality)
            .insert_resource(status)
            .insert_resource(SurfacePipelines((Pipelines::new(shader.clone()), Pipelines::new(shader))))
            .init_resource::<ExtractedState>()
            .init_resource::<Drawings>()
            .add_systems(ExtractSchedule, extract)
            .add_systems(Render, prepare_drawings.in_set(RenderSystems::PrepareResources))
            .add_systems(
                Core3d,
                draw.after(main_opaque_pass_3d).before(main_transparent_pass_3d).in_set(Core3dSystems::MainPass),
            );
    }
}

fn extract(
    mut extracted: ResMut<ExtractedState>,
    state: Extract<Res<ViewState>>,
    mode: Extract<Res<ViewMode>>,
    scenery: Extract<Res<PlannedScenery>>,
) {
    *extracted = ExtractedState { state: state.clone(), mode: **mode, scenery: scenery.clone() };
}

/// Uploads the data of both terrains, chooses the patches for the camera, and fills the buffers.
#[allow(clippy::too_many_arguments, reason = "Bevy systems take many parameters")]
fn prepare_drawings(
    mut commands: Commands,
    mut drawings: ResMut<Drawings>,
    mut pipelines: ResMut<SurfacePipelines>,
    mut adaptation: Local<ExposureAdaptation>,
    mesh: Option<Res<PatchMesh>>,
    (extracted, status): (Res<ExtractedState>, Res<FrameStatus>),
    (quality, adapter): (Res<RenderQuality>, Option<Res<RenderAdapterInfo>>),
    device: Res<RenderDevice>,
    queue: Res<RenderQueue>,
    cache: Res<PipelineCache>,
    views: Query<(&ExtractedView, &Msaa), With<TerrainCamera>>,
) {
    let Some(mesh) = mesh else {
        commands.init_resource::<PatchMesh>();
        return;
    };
    let ExtractedState { state, mode, .. } = &*extracted;
    let traced = state.tree_surface.as_ref().filter(|_| mode.traces());
    status.set_unsupported(traced.and_then(|tree_surface| trace::unsupported(tree_surface, &device)));
    let Some((view, msaa)) = views.iter().next() else { return };
    let mut context = DrawContext {
        view,
        msaa: *msaa,
        mode: *mode,
        water: state.water,
        ground_detail: state.ground_detail,
        projection: state.projection,
        half_detail: state.half_detail,
        quality: *quality,
        adapter: Adapter { quality: *quality, is_software: RenderQuality::Moving.is_frugal(adapter.as_deref()) },
        mesh: &mesh,
        device: &device,
        queue: &queue,
        cache: &cache,
        auto_stops: 0.0,
    };
    for side in CompareSide::BOTH {
        let slot = &mut drawings.0[side as usize];
        let Some((terrain, palette)) = state.terrain_on_side(side) else {
            // free the drawing of B; keep the drawing of A, which lacks a terrain only before its first terrain arrives
            *slot = slot.take().filter(|_| side == CompareSide::A);
            continue;
        };
        // free the drawing if the new terrain has another type of surface
        *slot = slot.take().filter(|drawing| drawing.fits(terrain));
        let drawing = slot.get_or_insert_with(|| SideDrawing::new(terrain, palette, &context));
        drawing.advance(side, (terrain, palette), &extracted, &context);
    }
    let beside_is_there = drawings.side(CompareSide::B).is_some_and(|drawing| drawing.serial() != 0);
    let panes = if beside_is_there { state.panes() } else { [Some(Pane::ALONE), None] };
    // both sides use the exposure of A, so that the brightness of A and B can be compared
    let eye = panes.into_iter().flatten().find(|pane| pane.side == CompareSide::A);
    let stops = eye.and_then(|pane| drawings.0[0].as_ref()?.brightening(pane, &extracted, &context)).unwrap_or(0.0);
    context.auto_stops = adaptation.advance(stops, *quality, context.is_frugal());
    for pane in panes.into_iter().flatten() {
        let Some(drawing) = &mut drawings.0[pane.side as usize] else { continue };
        drawing.compose(pane, &extracted, &context, &mut pipelines.0);
        if !adaptation.is_at_rest() {
            drawing.unsettle();
        }
    }
}

/// The pipelines of all current draw calls of the view, in drawing order.
pub(crate) fn drawn_pipelines(world: &World) -> Vec<CachedRenderPipelineId> {
    let batches = world.get_resource::<Drawings>().into_iter().flat_map(Drawings::batches);
    batches.flat_map(|batch| batch.calls.iter().map(|call| call.pipeline)).collect()
}

/// Draws the plant shadow map of one cascade.
fn draw_shadows(
    batch: &Batch,
    (cascade, shadow): (usize, &ShadowPass),
    cache: &PipelineCache,
    ctx: &mut RenderContext,
) {
    let Some((vertices, indices)) = &batch.shapes else { return };
    let Some(pipeline) = cache.get_render_pipeline(shadow.pipeline) else { return };
    let diagnostics = ctx.diagnostic_recorder();
    let diagnostics = diagnostics.as_deref();
    let mut pass = ctx.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("talweg plant shadows"),
        color_attachments: &[],
        depth_stencil_attachment: Some(RenderPassDepthStencilAttachment {
            view: &shadow.target,
            depth_ops: Some(Operations { load: LoadOp::Clear(1.0), store: StoreOp::Store }),
            stencil_ops: None,
        }),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    });
    let span = diagnostics.pass_span(&mut pass, format!("PlantShadows {cascade}"));
    pass.set_render_pipeline(pipeline);
    pass.set_bind_group(0, &shadow.group, &[]);
    pass.set_vertex_buffer(0, shadow.instances.slice(..));
    pass.set_vertex_buffer(1, vertices.slice(..));
    pass.set_index_buffer(indices.slice(..), IndexFormat::Uint16);
    for (geometry, instances) in &shadow.calls {
        if let Geometry::Shape { first, count, base } = *geometry {
            pass.draw_indexed(first..first + count, base, instances.clone());
        }
    }
    span.end(&mut pass);
}

fn draw(
    view: ViewQuery<(&ExtractedCamera, &ExtractedView, &ViewTarget, &ViewDepthTexture), With<TerrainCamera>>,
    (drawings, quality): (Res<Drawings>, Res<RenderQuality>),
    status: Res<FrameStatus>,
    mesh: Option<Res<PatchMesh>>,
    cache: Res<PipelineCache>,
    mut ctx: RenderContext,
) {
    let (camera, extracted, target, depth) = view.into_inner();
    let Some(mesh) = mesh else { return };
    let diagnostics = ctx.diagnostic_recorder();
    let diagnostics = diagnostics.as_deref();
    for march in drawings.batches().filter_map(|batch| batch.march.as_ref()) {
        if let Some(pipeline) = cache.get_compute_pipeline(march.pipeline) {
            let mut pass = ctx.command_encoder().begin_compute_pass(&ComputePassDescriptor::default());
            let span = diagnostics.pass_span(&mut pass, "sphere_tracing");
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &march.group, &[]);
            pass.dispatch_workgroups(march.groups.x, march.groups.y, 1);
            span.end(&mut pass);
        }
    }
    let is_ready = |batch: &Batch| are_ready(batch.calls.iter().map(|call| &call.pipeline), &cache);
    let mut ready = drawings.batches().map(is_ready).peekable();
    if ready.peek().is_none() || !ready.all(|ready| ready) {
        return;
    }
    let is_settled = drawings.all().all(DrawnSurface::is_settled);
    let serials = CompareSide::BOTH.map(|side| drawings.side(side).map_or(0, DrawnSurface::serial));
    let beside_bytes = drawings.side(CompareSide::B).map_or(0, |drawing| drawing.texture_bytes() as u64);
    status.set_settled(is_settled);
    status.set_coarsening(drawings.batches().map(|batch| batch.coarsening).fold(1.0, f32::max));
    // a still image is drawn only once: when all data is present and a capture was requested
    if *quality == RenderQuality::Still && !(is_settled && status.take_capture_request()) {
        if is_settled {
            status.report(serials, beside_bytes);
        }
        return;
    }
    for batch in drawings.batches() {
        for shadow in batch.shadows.iter().enumerate() {
            draw_shadows(batch, shadow, &cache, &mut ctx);
        }
    }
    let mut pass = ctx.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("talweg view"),
        color_attachments: &[Some(target.get_color_attachment())],
        depth_stencil_attachment: Some(depth.get_attachment(StoreOp::Store)),
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    });
    let mut span = None;
    let depths = camera.viewport.as_ref().map_or(0.0..1.0, |viewport| viewport.depth.clone());
    pass.set_index_buffer(mesh.indices.slice(..), IndexFormat::Uint16);
    for batch in drawings.batches() {
        let [x, y, width, height] = pane_pixels(batch.pane, extracted.viewport);
        if width == 0 || height == 0 {
            continue;
        }
        pass.set_scissor_rect(x, y, width, height);
        let [x, y, width, height] = picture_pixels(batch.pane, extracted.viewport).map(|n| n as f32);
        pass.set_viewport(x, y, width, height, depths.start, depths.end);
        for (number, group) in batch.bind_groups.iter().enumerate() {
            pass.set_bind_group(number, group, &[]);
        }
        for call in batch.calls.iter().filter(|call| !call.instances.is_empty()) {
            let Some(pipeline) = cache.get_render_pipeline(call.pipeline) else { continue };
            if diagnostics.is_some() {
                // one timing span for each part of the view, because spans cannot be nested
                let name = part_name(cache.get_render_pipeline_descriptor(call.pipeline)).to_owned();
                if let Some((_, before)) = span.take_if(|(before, _)| *before != name) {
                    PassSpanGuard::end(before, &mut pass);
                }
                span.get_or_insert_with(|| (name.clone(), diagnostics.pass_span(&mut pass, name)));
            }
            let instances = call.instances.clone();
            if let Some(vertices) = &call.vertices {
                pass.set_vertex_buffer(0, vertices.slice(..));
            }
            pass.set_render_pipeline(pipeline);
            match call.geometry {
                Geometry::Patch => pass.draw_indexed(0..mesh.index_count, 0, instances),
                Geometry::SkirtedPatch => pass.draw_indexed(0..mesh.skirted_index_count, 0, instances),
                Geometry::Strip => pass.draw(0..mesh.strip_vertices, instances),
                Geometry::Vertices(count) => pass.draw(0..count, instances),
                Geometry::Shape { first, count, base } => {
                    let Some((vertices, indices)) = &batch.shapes else { continue };
                    pass.set_vertex_buffer(1, vertices.slice(..));
                    pass.set_index_buffer(indices.slice(..), IndexFormat::Uint16);
                    pass.draw_indexed(first..first + count, base, instances);
                    pass.set_index_buffer(mesh.indices.slice(..), IndexFormat::Uint16);
                }
            }
        }
    }
    if let Some((_, span)) = span {
        span.end(&mut pass);
    }
    status.report(serials, beside_bytes);
}
