//! A square terrain on the graphics card. The terrain is drawn from patches, sides, walls and water, or from the tiles
//! or rays of its construction tree.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::render_resource::{
    BindGroup, BindGroupEntries, BindGroupLayout, Buffer, BufferInitDescriptor, BufferUsages,
};

use super::frame::{FAR_TILES, SquareEye, SquareFrame, clip_from_eye};
use super::lod::LodRange;
use super::metering::{metered_square, with_sky_in_view};
use super::parts::{SquarePart, grid_parts, tree_parts};
use super::patches::GridInstances;
use super::plants::{PlantedSquare, seen_cells};
use super::terrain::SquareTerrain;
use super::void_mask::VoidMask;
use crate::view::compare::Pane;
use crate::view::construction_surface::TreeSurface;
use crate::view::construction_surface::adaptive::TileCamera;
use crate::view::construction_surface::adaptive::atlas::Steps;
use crate::view::construction_surface::adaptive::renderer::{TileRanges, TileRenderer};
use crate::view::construction_surface::trace::{self, RayCamera, Rays};
use crate::view::lens::ViewProjection;
use crate::view::mode::{Tint, ViewMode};
use crate::view::overlays::palette::PaletteTexture;
use crate::view::plants::cells::{ScatterEye, WantedCell};
use crate::view::plants::shadows::ShadowCascades;
use crate::view::render::auto_exposure::brightening;
use crate::view::render::batch::{DrawContext, Geometry, GrowingBuffer, RayMarch};
use crate::view::render::frustum::Frustum;
use crate::view::render::mips::Mips;
use crate::view::render::pipelines::{GroundStyle, Parts, Pipelines, TargetKey};
use crate::view::render::sky_texture::SkyTexture;
use crate::view::render::texels::TerrainMap;
use crate::view::surface::{BoundData, Chosen, Demands, PartDraw, Shown, Surface};
use talweg::scene::Surroundings;

/// State of a square's drawing that is kept between frames.
pub struct SquareDrawing {
    instances: GrowingBuffer,
    palette: PaletteTexture,
    sky: SkyTexture,
    /// The buffer with the walls along the void edge, and the void mask from which the walls were made.
    walls: Option<(Arc<VoidMask>, Buffer)>,
    tiles: Option<TileRenderer>,
    rays: Option<Rays>,
}

/// The camera, the patches and the uniform data of a frame.
pub struct SquarePlan {
    eye: SquareEye,
    frustum: Frustum,
    /// Matrix from positions relative to the eye to the clip space of the pane.
    pane_from_eye: Mat4,
    patches: GridInstances,
    frame: SquareFrame,
    /// The instances of the construction tree's tiles, if tiles are drawn.
    tiles: Option<TileRanges>,
    /// Whether the terrain is cut off at its edges, so that its sides are visible.
    has_sides: bool,
    /// Whether the sea is also cut off at the edges of the terrain.
    has_sea_sides: bool,
    has_sea: bool,
    has_surface_water: bool,
    has_tree_water: bool,
}

type SquareShown<'a> = Shown<'a, SquareDrawing>;

/// The pipeline style of a frame.
fn style(mode: ViewMode, shown: &SquareShown) -> GroundStyle {
    (mode, shown.terrain.tint())
}

/// The kind of surroundings to draw, and the number of copies of the terrain on each side.
fn surroundings(shown: &SquareShown, context: &DrawContext) -> (Surroundings, i32) {
    // construction trees and orthographic views are drawn without surroundings
    let is_alone = shown.scene.is_some() || context.projection == ViewProjection::Orthographic;
    match if is_alone { Surroundings::Block } else { shown.terrain.settings.surroundings } {
        Surroundings::Block => (Surroundings::Block, 0),
        Surroundings::Land => (Surroundings::Land, FAR_TILES),
        // a coast that an edge of the terrain cuts off continues beyond the edge
        Surroundings::Sea => (Surroundings::Sea, i32::from(shown.terrain.has_land_at_edge())),
    }
}

impl Surface for SquareDrawing {
    type Terrain = Arc<SquareTerrain>;
    type Part = SquarePart;
    type Plants = PlantedSquare;
    /// The construction tree that is drawn in place of the grid, if one is wanted.
    type Scene = Option<Arc<TreeSurface>>;
    type Plan = SquarePlan;

    const FRAME_BYTES: usize = size_of::<SquareFrame>();

    fn new(context: &DrawContext) -> Self {
        Self {
            instances: GrowingBuffer::new(context.device, 16 * 1024),
            palette: PaletteTexture::new(context.device, context.anisotropy(), context.is_frugal()),
            sky: SkyTexture::new(context.device),
            walls: None,
            tiles: None,
            rays: None,
        }
    }

    /// Frees tiles or rays that are no longer drawn, and updates the overlay and palette colours.
    fn update(&mut self, shown: &SquareShown, context: &DrawContext) {
        let has_tree = shown.scene.is_some();
        let traces = has_tree && context.mode.traces();
        self.tiles = self.tiles.take().filter(|_| has_tree && !traces);
        self.rays = self.rays.take().filter(|_| traces);
        let is_cost = traces && context.mode == ViewMode::TracedCost;
        let ramp = if is_cost { Some(trace::cost_ramp()) } else { shown.terrain.ramp() };
        self.palette.update(shown.palette, ramp, context.queue);
    }

    fn brightening(&self, pane: Pane, shown: &SquareShown, canopy: Option<&Mips>, context: &DrawContext) -> f32 {
        let terrain = shown.terrain;
        let is_seen = context.mode.has_auto_exposure()
            && terrain.tint() == Tint::None
            && context.projection == ViewProjection::Perspective;
        if !terrain.settings.auto_exposure || !is_seen {
            return 0.0;
        }
        let clip_from_eye = clip_from_eye(pane, context);
        let eye_world = context.view.world_from_view.translation();
        let stops = brightening(metered_square(terrain, canopy, eye_world, clip_from_eye));
        with_sky_in_view(stops, terrain, clip_from_eye)
    }

    fn select(&mut self, pane: Pane, shown: &SquareShown, context: &DrawContext) -> SquarePlan {
        let (terrain, detail) = (shown.terrain, context.mesh.detail);
        self.sky.update(&terrain.daylight, context.queue);
        let eye = SquareEye::new(pane, context);
        let (surroundings, far_tiles) = surroundings(shown, context);
        let range = LodRange::new(&terrain.scale, detail, eye.eye_world, eye.pixels_per_radian);
        let frustum = Frustum::new(eye.pane_from_world);
        let patches = GridInstances::new(terrain, &eye, detail, (&range, &frustum), (surroundings, far_tiles));
        let has_sea = context.water && terrain.scale.has_sea();
        let drawn = (context.mode, has_sea, surroundings, far_tiles);
        let frame = SquareFrame::new(&eye, terrain, shown.palette, drawn, &range, detail.quads);
        // overlay data would be hard to read through water
        let has_water = context.water && terrain.tint() == Tint::None;
        SquarePlan {
            pane_from_eye: pane.crop() * eye.clip_from_eye,
            eye,
            frustum,
            patches,
            frame,
            tiles: None,
            has_sides: far_tiles == 0,
            has_sea_sides: has_sea && surroundings == Surroundings::Block,
            has_sea,
            has_surface_water: has_water && terrain.surface_water.is_some(),
            has_tree_water: has_water && shown.scene.as_ref().is_some_and(|tree| tree.has_water()),
        }
    }

    fn demands(&self, shown: &SquareShown, _: &SquarePlan) -> Demands {
        Demands { has_detail: true, void_mask: shown.terrain.void_mask.is_some(), needs: shown.terrain.needs() }
    }

    fn parts(
        &self,
        shown: &SquareShown,
        _: &SquarePlan,
        target: TargetKey,
        context: &DrawContext,
        pipelines: &mut Pipelines<SquarePart>,
    ) -> Parts<SquarePart> {
        grid_parts(pipelines, context.cache, target, style(context.mode.of_grid(), shown))
    }

    /// Draws the construction tree in place of the grid, from tiles or by rays.
    fn refine(
        &mut self,
        shown: &SquareShown,
        plan: &mut SquarePlan,
        chosen: &mut Chosen<SquarePart>,
        context: &DrawContext,
        pipelines: &mut Pipelines<SquarePart>,
    ) {
        match shown.scene {
            Some(tree) if !context.mode.traces() => self.tessellate(tree, shown, plan, chosen, context, pipelines),
            Some(tree) if trace::unsupported(tree, context.device).is_none() => {
                self.trace(tree, shown, plan, chosen, context, pipelines);
            }
            _ => {}
        }
    }

    fn plants(
        &self,
        shown: &SquareShown,
        _: &SquarePlan,
        chosen: &Chosen<SquarePart>,
        context: &DrawContext,
    ) -> Option<PlantedSquare> {
        // plants are not drawn over an overlay
        let grows = chosen.target.is_detailed && shown.terrain.tint() == Tint::None && context.mode.has_plants();
        (grows && !shown.palette.scatter.0.is_empty()).then(|| PlantedSquare {
            terrain: shown.terrain.clone(),
            tree: shown.scene.clone(),
            table: shown.palette.clone(),
        })
    }

    fn plant_shadows(&self, shown: &SquareShown, plan: &SquarePlan) -> Option<ShadowCascades> {
        let sun = Vec3::from(shown.terrain.towards_sun);
        ShadowCascades::new(plan.eye.eye_world, sun, Vec3::Y, shown.terrain.scale.metres_per_world)
    }

    fn seen_cells<'s>(
        &self,
        shown: &SquareShown,
        plan: &SquarePlan,
        _: &PlantedSquare,
        shadows: Option<&'s ShadowCascades>,
    ) -> (ScatterEye<'s>, Vec<WantedCell<[i32; 2]>>) {
        let SquareEye { eye_world, pixels_per_radian, .. } = plan.eye;
        let eye = ScatterEye { eye_world, pixels_per_radian, most_metres: f32::INFINITY, shadows };
        let seen = seen_cells(&shown.palette.scatter.0, shown.terrain, &plan.frustum, &eye);
        (eye, seen)
    }

    fn set_plants(_: &SquareShown, plan: &mut SquarePlan, shadows: Option<&ShadowCascades>, all_world: f32) {
        plan.frame.set_plants(shadows, all_world);
    }

    fn upload(&mut self, shown: &SquareShown, plan: &SquarePlan, frame: &Buffer, context: &DrawContext) {
        context.queue.write_buffer(frame, 0, bytemuck::bytes_of(&plan.frame));
        self.instances.write(bytemuck::cast_slice(&plan.patches.all), context.device, context.queue);
        let void_mask = shown.terrain.void_mask.as_ref();
        let is_there = |(there, _): &(Arc<VoidMask>, Buffer)| void_mask.is_some_and(|mask| Arc::ptr_eq(mask, there));
        if !self.walls.as_ref().is_some_and(is_there) {
            self.walls = void_mask.map(|mask| (mask.clone(), walls_buffer(mask, context)));
        }
    }

    fn bind(&self, bound: &BoundData<Self>, layout: &BindGroupLayout, context: &DrawContext) -> Option<BindGroup> {
        let map = |map| bound.textures.view(map).unwrap_or(bound.blank);
        let entries = BindGroupEntries::sequential((
            bound.frame.as_entire_binding(),
            map(TerrainMap::Heights),
            map(TerrainMap::Slopes),
            map(TerrainMap::Light),
            &self.palette.view,
            map(TerrainMap::SurfaceWater),
            map(TerrainMap::Data),
            map(TerrainMap::Colours),
            map(TerrainMap::VoidMask),
            &self.palette.sampler,
            self.tiles.as_ref().map_or(bound.blank, |tiles| &tiles.atlas().view),
            map(TerrainMap::Cover),
            &self.sky.view,
            &bound.materials.maps,
            &bound.materials.sampler,
            bound.materials.rules.as_entire_binding(),
            map(TerrainMap::Site),
            bound.canopy.unwrap_or(bound.blank),
            bound.shadows,
            &bound.shadow_maps.sampler,
            map(TerrainMap::MirroredShadows),
        ));
        Some(context.device.create_bind_group("talweg view", layout, &entries))
    }

    fn draw(&self, part: SquarePart, shown: &SquareShown, plan: &SquarePlan) -> Option<PartDraw> {
        let GridInstances { ground, sides, far_ground, .. } = &plan.patches;
        let tiles = plan.tiles.clone().unwrap_or_default();
        let walls = 0..shown.terrain.void_mask.as_ref().map_or(0, |mask| mask.walls.len() as u32);
        let (geometry, instances) = match part {
            SquarePart::Ground => (Geometry::Patch, ground.clone()),
            SquarePart::FarGround => (Geometry::Patch, far_ground.clone()),
            SquarePart::Sides if plan.has_sides => (Geometry::Strip, sides.clone()),
            SquarePart::Walls => (Geometry::Vertices(4), walls),
            SquarePart::Sky => (Geometry::Vertices(3), 0..1),
            SquarePart::SurfaceWaterSides if plan.has_surface_water && plan.has_sides => {
                (Geometry::Strip, sides.clone())
            }
            SquarePart::SurfaceWater if plan.has_surface_water => (Geometry::Patch, ground.clone()),
            SquarePart::SeaSides if plan.has_sea_sides => (Geometry::Strip, sides.clone()),
            SquarePart::SeaWalls if plan.has_sea => (Geometry::Vertices(4), walls),
            SquarePart::SeaSurface if plan.has_sea => (Geometry::Vertices(6), 0..1),
            SquarePart::Traced => (Geometry::Vertices(3), 0..1),
            SquarePart::AdaptiveGround => (Geometry::Patch, tiles.ground),
            SquarePart::AdaptiveSides => (Geometry::Strip, tiles.sides),
            SquarePart::AdaptiveWaterSides if plan.has_tree_water => (Geometry::Strip, tiles.sides),
            SquarePart::AdaptiveWater if plan.has_tree_water => (Geometry::Patch, tiles.water),
            SquarePart::AdaptiveSeaSides if plan.has_sea => (Geometry::Strip, tiles.sides),
            SquarePart::AdaptiveSea if plan.has_sea => (Geometry::Patch, tiles.sea),
            _ => return None,
        };
        let renderer = self.tiles.as_ref().filter(|_| plan.tiles.is_some());
        let vertices = match (&self.walls, renderer) {
            (Some((_, walls)), _) if part.is_wall() => walls,
            (_, Some(renderer)) => renderer.instances(),
            _ => &self.instances.buffer,
        };
        Some(PartDraw { vertices: Some(vertices.clone()), geometry, instances })
    }

    fn is_waiting(&self) -> bool {
        self.tiles.is_some()
    }
}

impl SquareDrawing {
    /// Draws the construction tree by rays, once the pipelines are ready.
    fn trace(
        &mut self,
        tree: &Arc<TreeSurface>,
        shown: &SquareShown,
        plan: &SquarePlan,
        chosen: &mut Chosen<SquarePart>,
        context: &DrawContext,
        pipelines: &mut Pipelines<SquarePart>,
    ) {
        let camera = RayCamera {
            clip_from_eye: plan.eye.clip_from_eye,
            eye_world: plan.eye.eye_world.as_dvec3(),
            pixels_per_radian: plan.eye.pixels_per_radian,
            size: UVec2::new(plan.eye.viewport.z as u32, plan.eye.viewport.w as u32).max(UVec2::ONE),
            mode: context.mode,
            has_water: context.water,
            half_detail: context.half_detail,
            quality: context.quality,
        };
        let layouts = trace::layouts();
        let own = tree_parts(pipelines, context.cache, chosen.target, style(context.mode, shown));
        chosen.is_settled = false;
        let Some((own, pipeline)) = own.zip(pipelines.march_pipeline(context.cache, &layouts[0])) else { return };
        let layouts = layouts.each_ref().map(|layout| context.cache.get_bind_group_layout(layout));
        let rays = Rays::for_tree(&mut self.rays, tree, context.device, context.adapter);
        let made = rays.advance(tree, &camera, layouts.each_ref(), context.device, context.queue);
        chosen.parts = own;
        chosen.is_settled = made.is_settled;
        chosen.march = made.march.map(|(group, groups)| RayMarch { pipeline, group, groups });
        chosen.second_group = Some(made.seen);
    }

    /// Draws the construction tree from tiles. Until tiles and pipelines are ready, the grid is drawn.
    fn tessellate(
        &mut self,
        tree: &Arc<TreeSurface>,
        shown: &SquareShown,
        plan: &mut SquarePlan,
        chosen: &mut Chosen<SquarePart>,
        context: &DrawContext,
        pipelines: &mut Pipelines<SquarePart>,
    ) {
        let eye_world = plan.eye.eye_world.as_dvec3();
        let camera = TileCamera {
            eye_world,
            clip_from_eye: plan.pane_from_eye,
            pixels_per_radian: f64::from(plan.eye.pixels_per_radian),
        };
        let renderer = self.tiles.get_or_insert_with(|| TileRenderer::new(context));
        let steps = Steps::new(eye_world, context.mesh.detail.quads as usize);
        plan.frame.tiles = steps.uniform;
        let tiles = renderer.advance(tree, &camera, &steps, shown.terrain.scale.sea_world, context);
        let own = tree_parts(pipelines, context.cache, chosen.target, style(context.mode, shown));
        chosen.is_settled = false;
        if let (Some(tiles), Some(own)) = (tiles, own) {
            plan.tiles = Some(tiles);
            chosen.parts = own;
            chosen.is_settled = renderer.is_settled();
        }
    }
}

/// A buffer on the graphics card with the walls along the void edge.
fn walls_buffer(mask: &VoidMask, context: &DrawContext) -> Buffer {
    context.device.create_buffer_with_data(&BufferInitDescriptor {
        label: Some("talweg walls"),
        contents: bytemuck::cast_slice(&mask.walls),
        usage: BufferUsages::VERTEX,
    })
}
