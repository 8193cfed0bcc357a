//! The contract of the surfaces that the view draws, and the drawing code that all surfaces share.
//!
//! A surface ([`Surface`]) is a square terrain or a globe. In every frame it selects its visible patches, names the
//! pipelines that it needs, binds its data, and describes the draw call of each part. [`SurfaceDrawing`] holds what all
//! surfaces need: textures, materials, plants with their shadows, and the choice of pipelines that are ready.

use std::ops::Range;
use std::sync::Arc;

use bevy::render::render_resource::{BindGroup, BindGroupLayout, Buffer, CachedRenderPipelineId, TextureView};

use super::compare::Pane;
use super::plants::cells::{ScatterEye, WantedCell};
use super::plants::scatter::{PlantedSurface, ScatterDrawing, ScatterFrame, shadow_passes, shape_draws};
use super::plants::shadows::{SHADOW_CASCADES, ShadowCascades, ShadowMaps, shadow_pipelines};
use super::render::batch::{Batch, DrawCall, DrawContext, Geometry, RayMarch, uniform_buffer};
use super::render::ground_materials::GroundMaterials;
use super::render::mesh::RenderQuality;
use super::render::mips::Mips;
use super::render::pipelines::{Parts, Pipelines, SurfacePart, TargetKey, are_ready};
use super::render::rules_text::RulesKey;
use super::render::scene_needs::{SceneNeed, SceneNeeds};
use super::render::texels::TexelSource;
use super::render::textures::{TerrainTextures, Textures, blank};
use talweg::appearance::PaletteTable;

/// A kind of surface that the view draws. An implementation keeps its state between frames.
pub trait Surface: Sized + Send + Sync + 'static {
    /// The terrain prepared for drawing.
    type Terrain: TexelSource + Send + Sync + 'static;
    type Part: SurfacePart;
    /// The surface in the form in which plants and stones are placed on it.
    type Plants: PlantedSurface;
    /// Further data from the main world that are needed to draw the surface.
    type Scene;
    /// The contents of a frame: the camera, the patches and the uniform data.
    type Plan;

    /// Size of a frame's uniform data in bytes.
    const FRAME_BYTES: usize;

    fn new(context: &DrawContext) -> Self;

    /// Prepares to draw the shown terrain, and frees data that the surface no longer needs. Called in every frame,
    /// whether or not the surface is in view.
    fn update(&mut self, _shown: &Shown<Self>, _context: &DrawContext) {}

    /// Number of stops by which auto exposure brightens the image; 0 where the view mode does not show natural light.
    /// `canopy` is the canopy map in main memory.
    fn brightening(&self, pane: Pane, shown: &Shown<Self>, canopy: Option<&Mips>, context: &DrawContext) -> f32;

    /// Selects the patches that the camera sees.
    fn select(&mut self, pane: Pane, shown: &Shown<Self>, context: &DrawContext) -> Self::Plan;

    /// The properties of the plan that determine which pipelines it needs.
    fn demands(&self, shown: &Shown<Self>, plan: &Self::Plan) -> Demands;

    /// The pipelines that draw the plan to a target, in drawing order. A pipeline starts to compile when it is first
    /// requested.
    fn parts(
        &self,
        shown: &Shown<Self>,
        plan: &Self::Plan,
        target: TargetKey,
        context: &DrawContext,
        pipelines: &mut Pipelines<Self::Part>,
    ) -> Parts<Self::Part>;

    /// Adds finer terrain to the plan: tiles, or rays that trace the construction tree. The method may replace the
    /// pipelines.
    fn refine(
        &mut self,
        shown: &Shown<Self>,
        plan: &mut Self::Plan,
        chosen: &mut Chosen<Self::Part>,
        context: &DrawContext,
        pipelines: &mut Pipelines<Self::Part>,
    );

    /// The surface that plants are placed on, if the plan shows plants.
    fn plants(
        &self,
        shown: &Shown<Self>,
        plan: &Self::Plan,
        chosen: &Chosen<Self::Part>,
        context: &DrawContext,
    ) -> Option<Self::Plants>;

    /// The shadow cascades of plants around the eye; `None` if the sun is too low.
    fn plant_shadows(&self, shown: &Shown<Self>, plan: &Self::Plan) -> Option<ShadowCascades>;

    /// The plant-bearing cells that the camera sees, nearest first.
    fn seen_cells<'s>(
        &self,
        shown: &Shown<Self>,
        plan: &Self::Plan,
        plants: &Self::Plants,
        shadows: Option<&'s ShadowCascades>,
    ) -> (ScatterEye<'s>, Vec<WantedCell<CellPlaceOf<Self>>>);

    /// Writes two things into the uniform data: the plant shadows, and the distance up to which all plants are drawn.
    fn set_plants(shown: &Shown<Self>, plan: &mut Self::Plan, shadows: Option<&ShadowCascades>, all_world: f32);

    /// Writes the uniform data to `frame`, and the instances to buffers that the surface owns.
    fn upload(&mut self, shown: &Shown<Self>, plan: &Self::Plan, frame: &Buffer, context: &DrawContext);

    /// Binds the data of all parts. Returns `None` if a texture is missing.
    fn bind(&self, bound: &BoundData<Self>, layout: &BindGroupLayout, context: &DrawContext) -> Option<BindGroup>;

    /// The draw call of a part other than plants, if the plan contains this part.
    fn draw(&self, part: Self::Part, shown: &Shown<Self>, plan: &Self::Plan) -> Option<PartDraw>;

    /// Whether a background computation still runs although the surface draws nothing.
    fn is_waiting(&self) -> bool {
        false
    }
}

/// Identifies a cell of the surface that holds plants.
type CellPlaceOf<S> = <<S as Surface>::Plants as PlantedSurface>::CellPlace;

/// The terrain that one side of the view shows, with its palette and its scene data.
pub struct Shown<'a, S: Surface> {
    pub terrain: &'a S::Terrain,
    pub palette: &'a Arc<PaletteTable>,
    pub scene: &'a S::Scene,
}

/// The properties of a plan that determine its pipelines.
pub struct Demands {
    /// Whether the surface can show the terrain materials in detail.
    pub has_detail: bool,
    /// Whether the terrain has void areas.
    pub void_mask: bool,
    pub needs: SceneNeeds,
}

/// The pipelines chosen for a frame.
pub struct Chosen<P> {
    pub parts: Parts<P>,
    /// The wanted render target. `parts` draws to this target only once all pipelines of the target are ready.
    pub target: TargetKey,
    /// Whether `parts` draw everything that the plan wants.
    pub is_complete: bool,
    /// Whether all wanted data is present and no patch still morphs.
    pub is_settled: bool,
    /// Factor by which the quads of the terrain are wider on screen than the quality asks for, because the memory for
    /// terrain tiles is limited; otherwise 1.
    pub coarsening: f32,
    pub march: Option<RayMarch>,
    /// The second bind group, for the parts that read one.
    pub second_group: Option<BindGroup>,
}

/// The shared data that a surface binds.
pub struct BoundData<'a, S: Surface> {
    pub frame: &'a Buffer,
    /// Placeholder for textures that the terrain does not have.
    pub blank: &'a TextureView,
    pub materials: &'a GroundMaterials,
    pub textures: &'a TerrainTextures<S::Terrain>,
    pub canopy: Option<&'a TextureView>,
    pub shadows: &'a TextureView,
    pub shadow_maps: &'a ShadowMaps,
}

/// The draw call of a part of the view.
pub struct PartDraw {
    /// Instance data for the vertex stage, if any.
    pub vertices: Option<Buffer>,
    pub geometry: Geometry,
    pub instances: Range<u32>,
}

/// A surface on the graphics card.
pub struct SurfaceDrawing<S: Surface> {
    surface: S,
    textures: Textures<S::Terrain>,
    palette: Arc<PaletteTable>,
    frame: Buffer,
    blank: TextureView,
    materials: GroundMaterials,
    /// The last render target that was drawn with all of its pipelines ready.
    drawn: Option<TargetKey>,
    plants: PlantDrawing<S>,
    batch: Option<Batch>,
}

/// The plants of a surface on the graphics card.
struct PlantDrawing<S: Surface> {
    /// Plants and stones, once some have been drawn.
    scatter: Option<ScatterDrawing<S::Plants>>,
    shadows: ShadowMaps,
    /// Placeholder that is bound instead of the plant shadow maps in the pass that draws these maps.
    blank_shadows: ShadowMaps,
}

/// The plants of one frame.
struct PlantFrame {
    scattered: ScatterFrame,
    shadow_pipelines: Option<[CachedRenderPipelineId; SHADOW_CASCADES]>,
    is_settled: bool,
}

impl<S: Surface> PlantDrawing<S> {
    /// Returns the plants that the plan shows. Also starts the computation of missing plants.
    fn advance(
        &mut self,
        surface: &S,
        shown: &Shown<S>,
        plan: &mut S::Plan,
        chosen: &Chosen<S::Part>,
        context: &DrawContext,
        pipelines: &mut Pipelines<S::Part>,
    ) -> PlantFrame {
        let Some(plants) = surface.plants(shown, plan, chosen, context) else {
            return PlantFrame { scattered: ScatterFrame::default(), shadow_pipelines: None, is_settled: true };
        };
        let shadows = surface.plant_shadows(shown, plan);
        let has_shadows = shadows.is_some();
        let ready = if has_shadows {
            self.shadows.require(context.device);
            shadow_pipelines(pipelines, context.cache)
        } else {
            None
        };
        let shadows = shadows.filter(|_| ready.is_some());
        let (eye, seen) = surface.seen_cells(shown, plan, &plants, shadows.as_ref());
        let scatter = self.scatter.get_or_insert_with(|| ScatterDrawing::new(context.device));
        let scattered = scatter.advance(&plants, &seen, &eye, context);
        S::set_plants(shown, plan, shadows.as_ref(), scattered.all_world);
        let is_settled = scattered.is_settled && (ready.is_some() || !has_shadows);
        PlantFrame { scattered, shadow_pipelines: ready, is_settled }
    }

    fn instances(&self) -> Option<&Buffer> {
        self.scatter.as_ref().map(|scatter| &scatter.instances.buffer)
    }
}

impl<S: Surface> SurfaceDrawing<S> {
    pub fn new(palette: &Arc<PaletteTable>, context: &DrawContext) -> Self {
        let (device, queue) = (context.device, context.queue);
        let is_still = context.quality == RenderQuality::Still;
        Self {
            surface: S::new(context),
            textures: Textures::default(),
            palette: palette.clone(),
            frame: uniform_buffer(device, S::FRAME_BYTES),
            blank: blank(device),
            materials: GroundMaterials::new(is_still, palette.materials.clone(), device, queue),
            drawn: None,
            plants: PlantDrawing {
                scatter: None,
                shadows: ShadowMaps::new(false, device),
                blank_shadows: ShadowMaps::new(false, device),
            },
            batch: None,
        }
    }

    /// Begins a frame: uploads the wanted terrain and its palette.
    pub fn advance(
        &mut self,
        terrain: &S::Terrain,
        palette: &Arc<PaletteTable>,
        scene: Option<&S::Scene>,
        context: &DrawContext,
    ) {
        self.batch = None;
        self.palette = palette.clone();
        self.textures.advance(terrain, context.device, context.queue);
        if let (Some(textures), Some(scene)) = (&self.textures.shown, scene) {
            self.surface.update(&Shown { terrain: &textures.terrain, palette, scene }, context);
        }
    }

    /// Number of stops by which auto exposure brightens the image; `None` before the first image.
    pub fn brightening(&self, pane: Pane, scene: Option<&S::Scene>, context: &DrawContext) -> Option<f32> {
        let shown = Shown { terrain: &self.textures.shown.as_ref()?.terrain, palette: &self.palette, scene: scene? };
        let canopy = self.plants.scatter.as_ref().and_then(ScatterDrawing::canopy_mips);
        Some(self.surface.brightening(pane, &shown, canopy, context))
    }

    /// Prepares everything to draw the terrain into its pane of the view.
    pub fn compose(
        &mut self,
        pane: Pane,
        scene: Option<&S::Scene>,
        context: &DrawContext,
        pipelines: &mut Pipelines<S::Part>,
    ) {
        self.batch = self.composed(pane, scene, context, pipelines);
    }

    /// Marks the image of this frame as unfinished, so that another frame follows.
    pub fn unsettle(&mut self) {
        if let Some(batch) = &mut self.batch {
            batch.is_settled = false;
        }
    }

    fn composed(
        &mut self,
        pane: Pane,
        scene: Option<&S::Scene>,
        context: &DrawContext,
        pipelines: &mut Pipelines<S::Part>,
    ) -> Option<Batch> {
        let Self { surface, textures, palette, frame, materials, drawn, plants, .. } = self;
        let textures = textures.shown.as_ref()?;
        let shown = Shown { terrain: &textures.terrain, palette, scene: scene? };
        let wants_detail = materials.update(&palette.materials, context);
        let mut plan = surface.select(pane, &shown, context);
        let demands = surface.demands(&shown, &plan);
        let wants_detail = wants_detail && demands.has_detail;
        let target = wanted_target(demands, wants_detail && materials.is_complete, &shown, context);
        let mut parts_of = |target| surface.parts(&shown, &plan, target, context, pipelines);
        let mut chosen = ready_parts(&mut parts_of, target, wants_detail, drawn, context);
        chosen.is_settled &= !(wants_detail && materials.is_loading);
        surface.refine(&shown, &mut plan, &mut chosen, context, pipelines);
        let grown = plants.advance(surface, &shown, &mut plan, &chosen, context, pipelines);
        surface.upload(&shown, &plan, frame, context);
        self.batch_of((pane, scene?), &plan, chosen, grown, &pipelines.shared_layout(context.cache), context)
    }

    /// The draw calls of a plan.
    fn batch_of(
        &self,
        (pane, scene): (Pane, &S::Scene),
        plan: &S::Plan,
        chosen: Chosen<S::Part>,
        grown: PlantFrame,
        layout: &BindGroupLayout,
        context: &DrawContext,
    ) -> Option<Batch> {
        let textures = self.textures.shown.as_ref()?;
        let shown = Shown { terrain: &textures.terrain, palette: &self.palette, scene };
        let PlantDrawing { scatter, shadows: maps, blank_shadows } = &self.plants;
        let group = |shadows| {
            let bound = BoundData {
                frame: &self.frame,
                blank: &self.blank,
                materials: &self.materials,
                textures,
                canopy: scatter.as_ref().and_then(ScatterDrawing::canopy),
                shadows,
                shadow_maps: maps,
            };
            self.surface.bind(&bound, layout, context)
        };
        let instances = self.plants.instances();
        let PlantFrame { scattered, shadow_pipelines, is_settled } = grown;
        let blank_group = || group(&blank_shadows.both);
        let shadows = shadow_passes(shadow_pipelines, scattered.shadow_calls, (maps, instances), blank_group);
        let calls = chosen.parts.iter().flat_map(|&(part, pipeline)| {
            if part == S::Part::PLANTS {
                return shape_draws(pipeline, &scattered.calls, instances);
            }
            let draw = self.surface.draw(part, &shown, plan);
            draw.map(|PartDraw { vertices, geometry, instances }| DrawCall { pipeline, vertices, geometry, instances })
                .into_iter()
                .collect()
        });
        Some(Batch {
            pane,
            calls: calls.collect(),
            shapes: scatter.as_ref().map(ScatterDrawing::shape_buffers),
            bind_groups: std::iter::once(group(&maps.both)?).chain(chosen.second_group).collect(),
            march: chosen.march,
            shadows,
            is_settled: chosen.is_settled && is_settled,
            coarsening: chosen.coarsening,
        })
    }
}

/// The render target of a frame.
fn wanted_target<S: Surface>(
    demands: Demands,
    is_detailed: bool,
    shown: &Shown<S>,
    context: &DrawContext,
) -> TargetKey {
    TargetKey {
        format: context.view.target_format,
        samples: context.msaa.samples(),
        void_mask: demands.void_mask,
        is_detailed,
        rules: is_detailed.then(|| RulesKey::new(&shown.palette.materials)),
        needs: demands.needs.with(SceneNeed::BackgroundAlpha, context.quality == RenderQuality::Still),
    }
}

/// The pipelines for a render target. Until these pipelines are ready, the function returns the pipelines of the last
/// drawn target, or pipelines without detail.
fn ready_parts<P: SurfacePart>(
    parts_of: &mut impl FnMut(TargetKey) -> Parts<P>,
    target: TargetKey,
    wants_detail: bool,
    drawn: &mut Option<TargetKey>,
    context: &DrawContext,
) -> Chosen<P> {
    let mut parts = parts_of(target);
    let is_ready = are_ready(parts.iter().map(|(_, id)| id), context.cache);
    if is_ready {
        *drawn = Some(target);
    } else {
        let plain = TargetKey { is_detailed: false, rules: None, ..target };
        let before = drawn.filter(|drawn| (drawn.format, drawn.samples) == (target.format, target.samples));
        parts = parts_of(before.unwrap_or(plain));
    }
    let is_complete = target.is_detailed == wants_detail && is_ready;
    Chosen { parts, target, is_complete, is_settled: is_complete, coarsening: 1.0, march: None, second_group: None }
}

/// A square terrain or a globe, with its data on the graphics card.
pub trait DrawnSurface {
    /// The draw calls of this frame, if the surface is in view.
    fn batch(&self) -> Option<&Batch>;

    /// Serial number of the terrain on screen; 0 before the first terrain.
    fn serial(&self) -> u64;

    /// Size of all textures on the graphics card, in bytes.
    fn texture_bytes(&self) -> usize;

    /// Whether all wanted data of the terrain is on screen. For a surface that is not drawn: whether no background
    /// computation runs.
    fn is_settled(&self) -> bool;
}

impl<S: Surface> DrawnSurface for SurfaceDrawing<S> {
    fn batch(&self) -> Option<&Batch> {
        self.batch.as_ref()
    }

    fn serial(&self) -> u64 {
        self.textures.shown.as_ref().map_or(0, |textures| textures.terrain.serial())
    }

    fn texture_bytes(&self) -> usize {
        self.textures.bytes()
    }

    fn is_settled(&self) -> bool {
        self.batch.as_ref().map_or(!self.surface.is_waiting(), |batch| batch.is_settled)
    }
}
