//! A planet on the graphics card: its patches, clouds and lines, or its map.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::render_resource::{
    AddressMode, BindGroupEntries, Buffer, FilterMode, MipmapFilterMode, Sampler, SamplerDescriptor, TextureView,
};
use bytemuck::{Pod, Zeroable};
use glam::{DMat4, DVec3, Vec4};

use super::frame::{GlobeEye, GlobeFrame, texture_anchor};
use super::lod::{GlobeCulling, GlobeLodRange, GlobePatch, select};
use super::metering::planet_brightening;
use super::noise_volume::NoiseVolume;
use super::scenery::Scenery;
use super::terrain::GlobeTerrain;
use super::tiles::{DetailGround, PatchTiles, TileDrawing};
use crate::view::camera::FIELD_OF_VIEW;
use crate::view::compare::Pane;
use crate::view::plants::cells::ScatterEye;
use crate::view::plants::globe::{MOST_METRES, PlantedGlobe, seen_cells};
use crate::view::plants::scatter::{ScatterDrawing, ScatterFrame, shadow_passes, shape_draws};
use crate::view::plants::shadows::{ShadowCascades, ShadowMaps};
use crate::view::render::batch::{
    Batch, DrawCall, DrawContext, Geometry, GrowingBuffer, picture_pixels, uniform_buffer,
};
use crate::view::render::ground_materials::GroundMaterials;
use crate::view::render::mesh::RenderQuality;
use crate::view::render::pipelines::{Parts, Pipelines, TargetKey, ViewPart};
use crate::view::render::rules_text::RulesKey;
use crate::view::render::scene_needs::SceneNeeds;
use crate::view::render::texels::TerrainMap;
use crate::view::render::textures::{TerrainTextures, blank};
use crate::view::square::lod::PatchDetail;
use talweg::appearance_files::ScatterRules;
use talweg::preferences::PlanetProjection;

/// Limits without fine detail: most quads per side of a cell, and the smallest quad in metres.
const QUADS_PER_CELL: f64 = 16.0;
const SMALLEST_BARE_METRES: f64 = 25.0;
/// Smallest quad with fine detail, in metres.
const SMALLEST_QUAD_METRES: f64 = 3.0;
/// Clouds have no relief, so quads of this fraction of the radius are round enough.
const CLOUD_QUAD: f64 = 0.002;

/// A patch as the shader reads it; mirrors `PatchInstance` in globe.wgsl.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct GlobePatchInstance {
    tile: [u32; 4],
    /// Middle of the patch on the sphere, relative to the eye. The last value is its position along rows, as a tangent.
    centre: [f32; 4],
    /// Direction of the middle minus direction of the eye. The last value is its position along columns, as a tangent.
    aside: [f32; 4],
    tiles: [[f32; 4]; 2],
}

impl GlobePatchInstance {
    /// Instance data of a patch on a sphere of this radius.
    fn new(patch: &GlobePatch, tiles: PatchTiles, radius: f64, eye: DVec3) -> Self {
        let centre = patch.direction(0.5, 0.5);
        let (u, v) = patch.place(0.5, 0.5);
        let tangent = |x: f64| ((2.0 * x - 1.0) * std::f64::consts::FRAC_PI_4).tan();
        let with = |at: DVec3, w: f64| at.extend(w).as_vec4().to_array();
        Self {
            tile: [patch.face, patch.level, patch.column, patch.row],
            centre: with(centre * radius - eye, tangent(u)),
            aside: with(centre - eye.normalize_or(DVec3::X), tangent(v)),
            tiles: [tiles.own, tiles.coarse],
        }
    }
}

impl GlobeEye {
    /// The camera of a pane.
    fn new(pane: Pane, scenery: &Scenery, context: &DrawContext) -> Self {
        let size = context.view.viewport.as_vec4();
        let (width, height) = (f64::from(size.z.max(1.0)), f64::from(size.w.max(1.0)));
        let tangent = (0.5 * f64::from(FIELD_OF_VIEW)).tan();
        let view_from_planet = DMat4::from_quat(scenery.rotation.inverse());
        let clip_from_view =
            DMat4::perspective_infinite_reverse_rh(f64::from(FIELD_OF_VIEW), width / height, scenery.near.max(1e-3));
        let pane_clip = pane.clip_from_view_clip(Vec2::new(size.z, size.w)).as_dmat4();
        Self {
            clip_from_rel: pane_clip * clip_from_view * view_from_planet,
            viewport: Vec4::from(picture_pixels(pane, context.view.viewport).map(|n| n as f32)),
            view_width: width,
            radians_per_pixel: 2.0 * tangent / (height * pane_clip.y_axis.y),
            auto_stops: context.auto_stops,
        }
    }
}

/// State of a planet's drawing that is kept between frames, apart from its textures.
pub struct GlobeDrawing {
    frame: Buffer,
    patches: GrowingBuffer,
    lines: GrowingBuffer,
    sampler: Sampler,
    /// A sampler without anisotropy.
    level_sampler: Sampler,
    is_frugal: bool,
    materials: GroundMaterials,
    /// The tiles of fine terrain, while the eye is near enough to see them.
    tiles: Option<TileDrawing>,
    /// Plants and stones, once some have been drawn.
    scatter: Option<ScatterDrawing<PlantedGlobe>>,
    /// The fine terrain with other scatter rules than its own, and the serial number of the terrain it was made from.
    planted: Option<(u64, Arc<DetailGround>)>,
    plant_shadows: ShadowMaps,
    /// Bound in place of the shadow maps while these are being drawn.
    blank_shadows: ShadowMaps,
    blank: TextureView,
    noise: NoiseVolume,
    /// The last target that was drawn with all of its pipelines ready.
    drawn: Option<TargetKey>,
}

impl GlobeDrawing {
    pub fn new(terrain: &GlobeTerrain, context: &DrawContext) -> Self {
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
        let is_frugal = context.is_frugal();
        Self {
            frame: uniform_buffer(device, size_of::<GlobeFrame>()),
            patches: GrowingBuffer::new(device, 64 * 1024),
            lines: GrowingBuffer::new(device, 64 * 1024),
            sampler: device.create_sampler(&smooth(context.anisotropy())),
            level_sampler: device.create_sampler(&smooth(1)),
            is_frugal,
            materials: GroundMaterials::new(
                context.quality == RenderQuality::Still,
                terrain.palette.materials.clone(),
                device,
                context.queue,
            ),
            tiles: None,
            scatter: None,
            planted: None,
            plant_shadows: ShadowMaps::new(false, device),
            blank_shadows: ShadowMaps::new(false, device),
            blank: blank(device),
            noise: NoiseVolume::new(device, context.queue),
            drawn: None,
        }
    }

    /// Stops by which auto exposure brightens the image.
    pub fn brightening(&self, pane: Pane, terrain: &GlobeTerrain, scenery: &Scenery, context: &DrawContext) -> f32 {
        let is_seen = scenery.projection == PlanetProjection::Globe && context.mode.is_lit_as_seen();
        if !terrain.settings.auto_exposure || !is_seen {
            return 0.0;
        }
        planet_brightening(terrain, scenery, GlobeEye::new(pane, scenery, context).clip_from_rel.as_mat4())
    }

    /// Prepares everything to draw the planet into its pane of the view.
    pub fn compose(
        &mut self,
        pane: Pane,
        terrain: &GlobeTerrain,
        textures: &TerrainTextures,
        scenery: &Scenery,
        context: &DrawContext,
        pipelines: &mut Pipelines,
    ) -> Option<Batch> {
        let (view, mesh) = (context.view, context.mesh);
        let is_map = scenery.projection == PlanetProjection::Map;
        let detail = terrain.detail(&scenery.view).filter(|_| scenery.projection == PlanetProjection::Globe);
        // the current palette, because its rules can change while the planet stays
        let palette = context.state.terrain_of(pane.side).map_or(&terrain.palette, |(_, palette)| palette);
        let wants_materials = self.materials.update(&palette.materials, context) && detail.is_some();
        let is_detailed = wants_materials && self.materials.is_complete;
        let eye = GlobeEye::new(pane, scenery, context);
        let has_sun_by_vertex = has_sun_by_vertex(terrain, scenery, &eye, mesh.detail);
        let has_site = detail.is_some_and(|detail| detail.site().is_some());
        let target = TargetKey {
            format: view.target_format,
            samples: context.msaa.samples(),
            void_mask: false,
            is_detailed,
            rules: is_detailed.then(|| RulesKey::new(&palette.materials)),
            needs: SceneNeeds::of_planet(has_sun_by_vertex, has_site),
        };
        let mut parts = pipelines.globe_parts(context.cache, target, context.mode.of_grid(), is_map);
        let is_ready = |parts: &Parts| parts.iter().all(|(_, id)| context.cache.get_render_pipeline(*id).is_some());
        let is_complete = target.is_detailed == wants_materials && is_ready(&parts);
        if is_ready(&parts) {
            self.drawn = Some(target);
        } else {
            // until the new pipelines are ready, draw as before or without detail
            let plain = TargetKey { is_detailed: false, rules: None, needs: SceneNeeds::default(), ..target };
            let before = self.drawn.filter(|drawn| (drawn.format, drawn.samples) == (target.format, target.samples));
            parts = pipelines.globe_parts(context.cache, before.unwrap_or(plain), context.mode.of_grid(), is_map);
        }

        // new scatter rules invalidate the canopy; the height data can be reused
        let detail = detail.map(|detail| {
            let is_own =
                |rules: &Arc<ScatterRules>| Arc::ptr_eq(rules, &palette.scatter) || **rules == *palette.scatter;
            if is_own(&detail.scatter.0) {
                return detail.clone();
            }
            let planted =
                self.planted.take().filter(|(from, planted)| *from == detail.serial && is_own(&planted.scatter.0));
            let (from, planted) =
                planted.unwrap_or_else(|| (detail.serial, Arc::new(detail.planted(&palette.scatter))));
            self.planted = Some((from, planted.clone()));
            planted
        });
        let detail = detail.as_ref();
        let plan = PatchPlan::new(terrain, scenery, mesh.detail, &eye, pane.crop().as_dmat4() * eye.clip_from_rel);
        let finest = plan.ground.iter().map(|patch| patch.level).max().unwrap_or(0);
        let detail = detail.filter(|detail| finest >= detail.first_level());
        if detail.is_none() || self.tiles.as_ref().is_some_and(|tiles| tiles.has_site != has_site) {
            self.tiles = None;
        }
        let tiles = match detail {
            Some(detail) => {
                let drawing = self.tiles.get_or_insert_with(|| TileDrawing::new(has_site, context));
                drawing.advance(detail, &plan.ground, context)
            }
            None => vec![PatchTiles::default(); plan.ground.len()],
        };
        let of_ground = plan.ground.iter().zip(tiles);
        let of_ground =
            of_ground.map(|(patch, tiles)| GlobePatchInstance::new(patch, tiles, terrain.radius_metres, scenery.eye));
        let of_clouds = plan
            .clouds
            .iter()
            .map(|patch| GlobePatchInstance::new(patch, PatchTiles::default(), plan.shell, scenery.eye));
        let instances: Vec<GlobePatchInstance> = of_ground.chain(of_clouds).collect();
        let mut frame =
            GlobeFrame::new(&eye, scenery, terrain, (context.mode, mesh.detail, self.is_frugal), &plan.range);
        let grows = target.is_detailed && is_complete && context.mode.has_plants() && !palette.scatter.0.is_empty();
        let mut shadow_pipelines = None;
        let scattered = match detail.filter(|_| grows) {
            Some(detail) => {
                let clip_from_rel = pane.crop().as_dmat4() * eye.clip_from_rel;
                let exaggeration = f64::from(scenery.view.exaggeration);
                let known = known_heights(detail, exaggeration);
                let mut culling = culling_of(terrain, scenery, clip_from_rel);
                culling.known = Some(&known);
                let shadows = plant_shadows_of(scenery);
                if shadows.is_some() {
                    self.plant_shadows.require(context.device);
                    shadow_pipelines = pipelines.shadow_pipelines(context.cache, true);
                }
                let wants_shadows = shadows.is_some();
                let shadows = shadows.filter(|_| shadow_pipelines.is_some());
                let from = ScatterEye {
                    eye_world: Vec3::ZERO,
                    pixels_per_radian: eye.radians_per_pixel.recip() as f32,
                    most_metres: MOST_METRES,
                    shadows: shadows.as_ref(),
                };
                let rules = &palette.scatter.0;
                let seen = seen_cells(rules, &culling, exaggeration, &from);
                let ground = PlantedGlobe(detail.clone());
                let scatter = self.scatter.get_or_insert_with(|| ScatterDrawing::new(context.device));
                let mut scattered = scatter.advance(&ground, &seen, &from, context);
                scattered.is_settled &= shadow_pipelines.is_some() || !wants_shadows;
                frame.set_plants(from.shadows, scattered.all_world);
                frame.light_plants(terrain, scenery);
                scattered
            }
            None => ScatterFrame { is_settled: true, ..ScatterFrame::default() },
        };
        context.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&frame));
        self.patches.write(bytemuck::cast_slice(&instances), context.device, context.queue);
        let ends: Vec<f32> = scenery.lines.iter().flat_map(|(at, colour)| at.iter().chain(colour).copied()).collect();
        self.lines.write(bytemuck::cast_slice(&ends), context.device, context.queue);
        let layout = context.cache.get_bind_group_layout(&pipelines.globe);
        let map = |map| textures.view(map);
        let blanks = [&self.blank; 5];
        let [heights, shapes, colours, canopy, site] =
            self.tiles.as_ref().map_or(blanks, |tiles| tiles.views().each_ref());
        let maps = [map(TerrainMap::Heights)?, map(TerrainMap::Slopes)?, map(TerrainMap::Colours)?];
        let group = |shadows: &TextureView| {
            let entries = BindGroupEntries::sequential((
                self.frame.as_entire_binding(),
                maps[0],
                maps[1],
                maps[2],
                &self.sampler,
                &self.level_sampler,
                heights,
                shapes,
                colours,
                &self.materials.maps,
                &self.materials.sampler,
                self.materials.rules.as_entire_binding(),
                shadows,
                &self.plant_shadows.sampler,
                canopy,
                &self.noise.view,
                &self.noise.sampler,
                site,
            ));
            context.device.create_bind_group("talweg globe", &layout, &entries)
        };
        let scatter_buffer = self.scatter.as_ref().map(|scatter| &scatter.instances.buffer);
        let blank_group = || group(&self.blank_shadows.both);
        let shadows =
            shadow_passes(shadow_pipelines, scattered.shadow_calls, (&self.plant_shadows, scatter_buffer), blank_group);
        let (ground, all) = (plan.ground.len() as u32, instances.len() as u32);
        let call = |(part, pipeline)| {
            let (vertices, geometry, instances) = match part {
                ViewPart::GlobeScatter => return shape_draws(pipeline, &scattered.calls, scatter_buffer),
                ViewPart::GlobeGround => (Some(&self.patches), Geometry::SkirtedPatch, 0..ground),
                ViewPart::GlobeClouds => (Some(&self.patches), Geometry::SkirtedPatch, ground..all),
                ViewPart::GlobeLines if scenery.lines.is_empty() => return Vec::new(),
                ViewPart::GlobeLines => (Some(&self.lines), Geometry::Vertices(scenery.lines.len() as u32), 0..1),
                _ => (None, Geometry::Vertices(3), 0..1),
            };
            let vertices = vertices.map(|growing| growing.buffer.clone());
            vec![DrawCall { pipeline, vertices, geometry, instances }]
        };
        Some(Batch {
            pane,
            bind_groups: vec![group(&self.plant_shadows.both)],
            march: None,
            shadows,
            shapes: self.scatter.as_ref().map(ScatterDrawing::shape_buffers),
            calls: parts.into_iter().flat_map(call).collect(),
            is_settled: is_complete && scattered.is_settled && self.tiles.as_ref().is_none_or(|tiles| tiles.is_settled),
        })
    }
}

/// The visible patches of the terrain and of the clouds.
struct PatchPlan {
    range: GlobeLodRange,
    ground: Vec<GlobePatch>,
    clouds: Vec<GlobePatch>,
    /// Radius of the cloud layer.
    shell: f64,
}

impl PatchPlan {
    /// Selects the patches within the frustum of `clip_from_rel`.
    fn new(
        terrain: &GlobeTerrain,
        scenery: &Scenery,
        detail: PatchDetail,
        view: &GlobeEye,
        clip_from_rel: DMat4,
    ) -> Self {
        let exaggeration = f64::from(scenery.view.exaggeration);
        let ground = terrain.ground(exaggeration, &scenery.view, scenery.water);
        let eye = scenery.eye;
        let cell = ground.radius * std::f64::consts::FRAC_PI_2 / (terrain.terrain.samples() - 1) as f64;
        let quad_radians = f64::from(detail.quad_pixels) * view.radians_per_pixel;
        let finest = match ground.detail {
            Some(_) => SMALLEST_QUAD_METRES,
            None => (cell / QUADS_PER_CELL).max(SMALLEST_BARE_METRES),
        };
        let level = ground.surface(eye);
        let range = GlobeLodRange::new(eye, level, detail.quads, quad_radians, finest.min(cell.max(1e-3)));
        let mut plan = Self { range, ground: Vec::new(), clouds: Vec::new(), shell: ground.radius };
        if scenery.projection == PlanetProjection::Map {
            return plan;
        }
        let known = ground.detail.map(|(detail, times)| known_heights(detail, times));
        let mut culling = culling_of(terrain, scenery, clip_from_rel);
        culling.known = known.as_ref().map(|known| known as _);
        plan.ground = select(&range, Some(&culling));
        let solid = culling.solid;
        if let Some(shell) = scenery.cloud_shell(terrain) {
            let mut culling = GlobeCulling::new(&terrain.bounds, (shell, 0.0, 0.0), eye, clip_from_rel);
            culling.solid = solid;
            // the shader measures all distances in the same way
            let range = GlobeLodRange {
                finest: GlobeLodRange::new(eye, shell, detail.quads, quad_radians, CLOUD_QUAD * shell).finest,
                ..range
            };
            (plan.clouds, plan.shell) = (select(&range, Some(&culling)), shell);
        }
        plan
    }
}

/// Culling of the planet as it is drawn.
fn culling_of<'a>(terrain: &'a GlobeTerrain, scenery: &Scenery, clip_from_rel: DMat4) -> GlobeCulling<'a> {
    let ground = terrain.ground(f64::from(scenery.view.exaggeration), &scenery.view, scenery.water);
    let floor = ground.sea.map_or(ground.range.0, |sea| sea.max(ground.range.0));
    let heights = (ground.radius, ground.relief, floor);
    let mut culling = GlobeCulling::new(&terrain.bounds, heights, scenery.eye, clip_from_rel);
    culling.slack = ground.slack();
    culling
}

/// Whether quads are narrower than the spacing of the samples everywhere in view, so that sunlight per vertex is
/// enough.
fn has_sun_by_vertex(terrain: &GlobeTerrain, scenery: &Scenery, eye: &GlobeEye, patch: PatchDetail) -> bool {
    if scenery.projection == PlanetProjection::Map {
        return false;
    }
    let ground = terrain.ground(f64::from(scenery.view.exaggeration), &scenery.view, scenery.water);
    let sea_radius = ground.radius + ground.range.0;
    let horizon = |from: f64| (from * from - sea_radius * sea_radius).max(0.0).sqrt();
    let farthest = horizon(scenery.eye.length()) + horizon(ground.radius + ground.range.1);
    let cell = ground.radius * std::f64::consts::FRAC_PI_2 / (terrain.terrain.samples() - 1) as f64;
    2.0 * farthest * f64::from(patch.quad_pixels) * eye.radians_per_pixel < cell
}

/// Drawn height ranges of patches in metres, from the tiles on the graphics card.
fn known_heights(detail: &DetailGround, exaggeration: f64) -> impl Fn(GlobePatch) -> Option<(f64, f64)> + use<> {
    let ranges = detail.ranges();
    move |patch| {
        let (low, high) = ranges(patch)?;
        Some((low * exaggeration, high * exaggeration))
    }
}

/// The shadow cascades of plants around the eye, relative to it; `None` if the sun is too low.
fn plant_shadows_of(scenery: &Scenery) -> Option<ShadowCascades> {
    let around = (scenery.eye - texture_anchor(scenery.eye)).as_vec3();
    let up = scenery.eye.normalize_or(DVec3::X).as_vec3();
    ShadowCascades::new(around, scenery.sun.as_vec3(), up, 1.0).map(|shadows| shadows.counted_from(around))
}
