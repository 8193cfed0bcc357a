//! A globe on the graphics card. The globe is drawn either as a flat map or from patches and tiles with clouds, sky and
//! lines.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::render_resource::{
    AddressMode, BindGroup, BindGroupEntries, BindGroupLayout, Buffer, FilterMode, MipmapFilterMode, Sampler,
    SamplerDescriptor,
};
use glam::DVec3;

use super::frame::{GlobeEye, GlobeFrame, texture_anchor};
use super::lod::GlobePatch;
use super::metering::globe_brightening;
use super::noise_volume::NoiseVolume;
use super::parts::{GlobePart, globe_parts};
use super::patches::{GlobePatchInstance, PatchPlan, culling_of, has_sun_by_vertex, known_heights};
use super::scenery::Scenery;
use super::terrain::GlobeTerrain;
use super::tiles::{FineTerrain, MOST_METRES, PatchTiles, PlantedGlobe, TileDrawing, room_for_tiles, seen_cells};
use crate::view::compare::Pane;
use crate::view::plants::cells::{ScatterEye, WantedCell};
use crate::view::plants::shadows::ShadowCascades;
use crate::view::render::batch::{DrawContext, Geometry, GrowingBuffer};
use crate::view::render::mesh::RenderQuality;
use crate::view::render::mips::Mips;
use crate::view::render::pipelines::{Parts, Pipelines, TargetKey};
use crate::view::render::scene_needs::{SceneNeed, SceneNeeds};
use crate::view::render::texels::TerrainMap;
use crate::view::surface::{BoundData, Chosen, Demands, PartDraw, Shown, Surface};
use talweg::appearance_files::ScatterRules;
use talweg::preferences::PlanetProjection;

/// State of a globe's drawing that is kept between frames.
pub struct GlobeDrawing {
    patches: GrowingBuffer,
    lines: GrowingBuffer,
    sampler: Sampler,
    /// A sampler without anisotropy.
    level_sampler: Sampler,
    /// The tiles of fine terrain; `None` while the eye is too far away to see them.
    tiles: Option<TileDrawing>,
    /// The fine terrain with the current scatter rules, and the serial number of the fine terrain that it was made
    /// from.
    planted: Option<(u64, Arc<FineTerrain>)>,
    noise: NoiseVolume,
}

/// The camera, the patches and the uniform data of a frame.
pub struct GlobePlan {
    eye: GlobeEye,
    /// The fine terrain between the samples, if it is drawn.
    detail: Option<Arc<FineTerrain>>,
    has_sun_by_vertex: bool,
    has_site: bool,
    frame: GlobeFrame,
    patches: PatchPlan,
    /// The instances of the ground patches, followed by the instances of the cloud patches.
    instances: Vec<GlobePatchInstance>,
}

type GlobeShown<'a> = Shown<'a, GlobeDrawing>;

impl GlobeShown<'_> {
    fn is_map(&self) -> bool {
        self.scene.projection == PlanetProjection::Map
    }
}

impl Surface for GlobeDrawing {
    type Terrain = Arc<GlobeTerrain>;
    type Part = GlobePart;
    type Plants = PlantedGlobe;
    /// The planned image of the globe.
    type Scene = Scenery;
    type Plan = GlobePlan;

    const FRAME_BYTES: usize = size_of::<GlobeFrame>();

    fn new(context: &DrawContext) -> Self {
        let device = context.device;
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
            patches: GrowingBuffer::new(device, 64 * 1024),
            lines: GrowingBuffer::new(device, 64 * 1024),
            sampler: device.create_sampler(&smooth(context.anisotropy())),
            level_sampler: device.create_sampler(&smooth(1)),
            tiles: None,
            planted: None,
            noise: NoiseVolume::new(device, context.queue),
        }
    }

    fn brightening(&self, pane: Pane, shown: &GlobeShown, _: Option<&Mips>, context: &DrawContext) -> f32 {
        let is_seen = shown.scene.projection == PlanetProjection::Globe && context.mode.has_auto_exposure();
        if !shown.terrain.settings.auto_exposure || !is_seen {
            return 0.0;
        }
        let eye = GlobeEye::new(pane, shown.scene, context);
        globe_brightening(shown.terrain, shown.scene, eye.clip_from_rel.as_mat4())
    }

    fn select(&mut self, pane: Pane, shown: &GlobeShown, context: &DrawContext) -> GlobePlan {
        let Shown { terrain, scene: scenery, .. } = *shown;
        let eye = GlobeEye::new(pane, scenery, context);
        let detail = terrain.detail(&scenery.view).filter(|_| scenery.projection == PlanetProjection::Globe);
        let patches = PatchPlan::new(terrain, scenery, context.mesh.detail, &eye, room_for_tiles(context));
        let quad_pixels = f64::from(context.mesh.detail.quad_pixels) * patches.coarsening;
        GlobePlan {
            has_sun_by_vertex: has_sun_by_vertex(terrain, scenery, quad_pixels * eye.radians_per_pixel),
            has_site: detail.is_some_and(|detail| detail.site().is_some()),
            frame: GlobeFrame::new(
                &eye,
                scenery,
                terrain,
                (context.mode, context.mesh.detail, context.is_frugal()),
                &patches.range,
            ),
            detail: detail.cloned(),
            eye,
            patches,
            instances: Vec::new(),
        }
    }

    fn demands(&self, _: &GlobeShown, plan: &GlobePlan) -> Demands {
        let needs = [(SceneNeed::SunByVertex, plan.has_sun_by_vertex), (SceneNeed::TileSite, plan.has_site)];
        Demands { has_detail: plan.detail.is_some(), void_mask: false, needs: SceneNeeds::new(needs) }
    }

    fn parts(
        &self,
        shown: &GlobeShown,
        _: &GlobePlan,
        target: TargetKey,
        context: &DrawContext,
        pipelines: &mut Pipelines<GlobePart>,
    ) -> Parts<GlobePart> {
        globe_parts(pipelines, context.cache, target, context.mode.of_grid(), shown.is_map())
    }

    /// Adds the tiles of fine terrain if the eye is near the surface.
    fn refine(
        &mut self,
        shown: &GlobeShown,
        plan: &mut GlobePlan,
        chosen: &mut Chosen<GlobePart>,
        context: &DrawContext,
        _: &mut Pipelines<GlobePart>,
    ) {
        let finest = plan.patches.ground.iter().map(|patch| patch.level).max().unwrap_or(0);
        let detail = plan.detail.take().map(|detail| self.planted(detail, &shown.palette.scatter));
        plan.detail = detail.filter(|detail| finest >= detail.first_level());
        let has_site = plan.has_site;
        if plan.detail.is_none() || self.tiles.as_ref().is_some_and(|tiles| tiles.has_site != has_site) {
            self.tiles = None;
        }
        let tiles = match &plan.detail {
            Some(detail) => {
                let drawing = self.tiles.get_or_insert_with(|| TileDrawing::new(has_site, context));
                let terrain = shown.terrain;
                let relief = f64::from(terrain.relief_metres);
                let of_maps = |patch: GlobePatch| {
                    let range = terrain.bounds.range(patch.face as usize, patch.level, patch.row, patch.column);
                    [range.0, range.1].map(|height| f64::from(height) * relief)
                };
                let tiles = drawing.advance(detail, (&plan.patches.ground, &plan.patches.tiles), &of_maps, context);
                chosen.is_settled &= drawing.is_settled;
                chosen.coarsening = plan.patches.coarsening as f32;
                tiles
            }
            None => vec![PatchTiles::default(); plan.patches.ground.len()],
        };
        plan.instances = plan.patches.instances(tiles, shown.terrain.radius_metres, shown.scene.eye);
    }

    fn plants(
        &self,
        shown: &GlobeShown,
        plan: &GlobePlan,
        chosen: &Chosen<GlobePart>,
        context: &DrawContext,
    ) -> Option<PlantedGlobe> {
        // a still image plants nothing until its terrain is complete, because the known heights decide which cells are
        // visible
        let is_early = context.quality == RenderQuality::Still && !chosen.is_settled;
        let grows = chosen.target.is_detailed && chosen.is_complete && context.mode.has_plants() && !is_early;
        let detail = plan.detail.as_ref().filter(|_| grows && !shown.palette.scatter.0.is_empty());
        detail.map(|detail| PlantedGlobe(detail.clone()))
    }

    fn plant_shadows(&self, shown: &GlobeShown, _: &GlobePlan) -> Option<ShadowCascades> {
        let (eye, sun) = (shown.scene.eye, shown.scene.sun.as_vec3());
        // the cascades are positioned relative to the eye
        let around = (eye - texture_anchor(eye)).as_vec3();
        let up = eye.normalize_or(DVec3::X).as_vec3();
        ShadowCascades::new(around, sun, up, 1.0).map(|shadows| shadows.counted_from(around))
    }

    fn seen_cells<'s>(
        &self,
        shown: &GlobeShown,
        plan: &GlobePlan,
        plants: &PlantedGlobe,
        shadows: Option<&'s ShadowCascades>,
    ) -> (ScatterEye<'s>, Vec<WantedCell<GlobePatch>>) {
        let exaggeration = f64::from(shown.scene.view.exaggeration);
        let known = known_heights(&plants.0, exaggeration);
        let mut culling = culling_of(shown.terrain, shown.scene, &plan.eye);
        culling.known = Some(&known);
        let pixels_per_radian = plan.eye.radians_per_pixel.recip() as f32;
        let eye = ScatterEye { eye_world: Vec3::ZERO, pixels_per_radian, most_metres: MOST_METRES, shadows };
        let seen = seen_cells(&shown.palette.scatter.0, &culling, exaggeration, &eye);
        (eye, seen)
    }

    fn set_plants(shown: &GlobeShown, plan: &mut GlobePlan, shadows: Option<&ShadowCascades>, all_world: f32) {
        plan.frame.set_plants(shadows, all_world);
        plan.frame.light_plants(shown.terrain, shown.scene);
    }

    fn upload(&mut self, shown: &GlobeShown, plan: &GlobePlan, frame: &Buffer, context: &DrawContext) {
        let (device, queue) = (context.device, context.queue);
        queue.write_buffer(frame, 0, bytemuck::bytes_of(&plan.frame));
        self.patches.write(bytemuck::cast_slice(&plan.instances), device, queue);
        let lines = shown.scene.lines.iter();
        let ends: Vec<f32> = lines.flat_map(|(at, colour)| at.iter().chain(colour).copied()).collect();
        self.lines.write(bytemuck::cast_slice(&ends), device, queue);
    }

    fn bind(&self, bound: &BoundData<Self>, layout: &BindGroupLayout, context: &DrawContext) -> Option<BindGroup> {
        let blanks = [bound.blank; 5];
        let [heights, shapes, colours, canopy, site] =
            self.tiles.as_ref().map_or(blanks, |tiles| tiles.views().each_ref());
        let entries = BindGroupEntries::sequential((
            bound.frame.as_entire_binding(),
            bound.textures.view(TerrainMap::Heights)?,
            bound.textures.view(TerrainMap::Slopes)?,
            bound.textures.view(TerrainMap::Colours)?,
            &self.sampler,
            &self.level_sampler,
            heights,
            shapes,
            colours,
            &bound.materials.maps,
            &bound.materials.sampler,
            bound.materials.rules.as_entire_binding(),
            bound.shadows,
            &bound.shadow_maps.sampler,
            canopy,
            &self.noise.view,
            &self.noise.sampler,
            site,
        ));
        Some(context.device.create_bind_group("talweg globe", layout, &entries))
    }

    fn draw(&self, part: GlobePart, shown: &GlobeShown, plan: &GlobePlan) -> Option<PartDraw> {
        let (ground, all) = (plan.patches.ground.len() as u32, plan.instances.len() as u32);
        let lines = shown.scene.lines.len() as u32;
        let (vertices, geometry, instances) = match part {
            GlobePart::Ground => (Some(&self.patches), Geometry::SkirtedPatch, 0..ground),
            GlobePart::Clouds => (Some(&self.patches), Geometry::SkirtedPatch, ground..all),
            GlobePart::Lines if lines > 0 => (Some(&self.lines), Geometry::Vertices(lines), 0..1),
            GlobePart::Sky | GlobePart::Map => (None, Geometry::Vertices(3), 0..1),
            GlobePart::Lines | GlobePart::Scatter => return None,
        };
        Some(PartDraw { vertices: vertices.map(|growing| growing.buffer.clone()), geometry, instances })
    }
}

impl GlobeDrawing {
    /// The fine terrain with other scatter rules. New rules invalidate the canopy; the heights are shared.
    fn planted(&mut self, detail: Arc<FineTerrain>, rules: &Arc<ScatterRules>) -> Arc<FineTerrain> {
        let is_own = |own: &Arc<ScatterRules>| Arc::ptr_eq(own, rules) || **own == **rules;
        if is_own(&detail.scatter.0) {
            return detail;
        }
        let kept = self.planted.take().filter(|(from, kept)| *from == detail.serial && is_own(&kept.scatter.0));
        let (from, planted) = kept.unwrap_or_else(|| (detail.serial, Arc::new(detail.planted(rules))));
        self.planted = Some((from, planted.clone()));
        planted
    }
}
