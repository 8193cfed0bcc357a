//! A square terrain on the graphics card: its patches, sides, walls and water, or the tiles or rays of its construction
//! tree.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::render_resource::{BindGroupEntries, Buffer, BufferInitDescriptor, BufferUsages, TextureView};
use bevy::render::renderer::RenderDevice;

use super::lod::{Frustum, GridPatch, LodRange, select};
use super::void_mask::VoidMask;
use crate::view::camera::ViewProjection;
use crate::view::compare::{CompareSide, Pane};
use crate::view::construction_surface::TreeSurface;
use crate::view::construction_surface::adaptive::TileCamera;
use crate::view::construction_surface::adaptive::atlas::Steps;
use crate::view::construction_surface::trace::{self, RayCamera, Rays};
use crate::view::mode::ViewMode;
use crate::view::overlays::palette::PaletteTexture;
use crate::view::overlays::ramp::Ramp;
use crate::view::plants::cells::ScatterEye;
use crate::view::plants::scatter::{ScatterDrawing, ScatterFrame, shadow_passes, shape_draws};
use crate::view::plants::shadows::{ShadowCascades, ShadowMaps};
use crate::view::plants::square::{PlantedSquare, seen_cells};
use crate::view::render::auto_exposure::brightening;
use crate::view::render::batch::{
    Batch, DrawCall, DrawContext, Geometry, GrowingBuffer, RayMarch, picture_pixels, uniform_buffer,
};
use crate::view::render::frame::{FAR_TILES, SquareEye, SquareFrame};
use crate::view::render::ground_materials::GroundMaterials;
use crate::view::render::mesh::RenderQuality;
use crate::view::render::mesh::{self, SideKind};
use crate::view::render::metering::{metered_square, with_sky_in_view};
use crate::view::render::pipelines::{Parts, Pipelines, TargetKey, ViewPart};
use crate::view::render::rules_text::RulesKey;
use crate::view::render::scene_needs::SceneNeeds;
use crate::view::render::sky_texture::SkyTexture;
use crate::view::render::texels::TerrainMap;
use crate::view::render::textures::{TerrainTextures, blank};
use crate::view::render::tile_renderer::TileRenderer;
use crate::view::scale::SIDE_WORLD;
use crate::view::square::{SquareTerrain, Tint};
use talweg::appearance::PaletteTable;
use talweg::appearance_files::{DEFAULT_MATERIALS, MaterialRules};
use talweg::scene::Surroundings;

/// State of a square's drawing that is kept between frames, apart from its textures.
pub struct SquareDrawing {
    frame: Buffer,
    instances: GrowingBuffer,
    /// Bound in place of maps that a terrain does not have.
    blank: TextureView,
    palette: PaletteTexture,
    sky: SkyTexture,
    materials: GroundMaterials,
    /// The last target that was drawn with all of its pipelines ready.
    drawn: Option<TargetKey>,
    /// Plants and stones, once some have been drawn.
    scatter: Option<ScatterDrawing<PlantedSquare>>,
    plant_shadows: ShadowMaps,
    /// Bound in place of the shadow maps while these are being drawn.
    blank_shadows: ShadowMaps,
    /// The void mask whose walls are in the buffer, and the buffer.
    walls: Option<(Arc<VoidMask>, Buffer)>,
    tiles: Option<TileRenderer>,
    rays: Option<Rays>,
}

impl SquareDrawing {
    pub fn new(context: &DrawContext) -> Self {
        let (device, queue) = (context.device, context.queue);
        let usual = MaterialRules::named(DEFAULT_MATERIALS).expect("a built-in");
        Self {
            sky: SkyTexture::new(device),
            materials: GroundMaterials::new(context.quality == RenderQuality::Still, usual.clone(), device, queue),
            frame: uniform_buffer(context.device, size_of::<SquareFrame>()),
            instances: GrowingBuffer::new(context.device, 16 * 1024),
            blank: blank(context.device),
            palette: PaletteTexture::new(context.device, context.anisotropy(), context.is_frugal()),
            drawn: None,
            scatter: None,
            plant_shadows: ShadowMaps::new(false, device),
            blank_shadows: ShadowMaps::new(false, device),
            walls: None,
            tiles: None,
            rays: None,
        }
    }

    /// Whether a tree is drawn from tiles.
    pub fn has_tiles(&self) -> bool {
        self.tiles.is_some()
    }

    /// Frees tiles or rays that this side no longer draws, and updates the colours.
    pub fn update(
        &mut self,
        side: CompareSide,
        ramp: Option<&'static Ramp>,
        palette: &Arc<PaletteTable>,
        context: &DrawContext,
    ) {
        let has_tree = tree_of(side, context).is_some();
        let traces = has_tree && context.mode.traces();
        self.tiles = self.tiles.take().filter(|_| has_tree && !traces);
        self.rays = self.rays.take().filter(|_| traces);
        let is_cost = traces && context.mode == ViewMode::TracedCost;
        self.palette.update(palette, if is_cost { Some(trace::cost_ramp()) } else { ramp }, context.queue);
    }

    /// Stops by which auto exposure brightens the image; 0 in modes that do not show the terrain as an eye would see
    /// it.
    pub fn brightening(&self, pane: Pane, terrain: &SquareTerrain, context: &DrawContext) -> f32 {
        let is_seen = context.mode.is_lit_as_seen()
            && terrain.tint() == Tint::None
            && context.state.projection == ViewProjection::Perspective;
        if !terrain.settings.auto_exposure || !is_seen {
            return 0.0;
        }
        let view = context.view;
        let (size, world_from_view) = (view.viewport.as_vec4(), view.world_from_view.to_matrix());
        let clip_from_view = pane.clip_from_view_clip(Vec2::new(size.z, size.w)) * view.clip_from_view;
        let clip_from_eye = clip_from_view * Mat4::from_quat(view.world_from_view.rotation()).inverse();
        let canopy = self.scatter.as_ref().and_then(ScatterDrawing::canopy_mips);
        let eye_world = world_from_view.w_axis.truncate();
        let stops = brightening(metered_square(terrain, canopy, eye_world, clip_from_eye));
        with_sky_in_view(stops, terrain, clip_from_eye)
    }

    /// Prepares everything to draw the terrain into its pane of the view.
    pub fn compose(
        &mut self,
        pane: Pane,
        terrain: &Arc<SquareTerrain>,
        textures: &TerrainTextures,
        context: &DrawContext,
        pipelines: &mut Pipelines,
    ) -> Option<Batch> {
        let table = self.palette.table()?.clone();
        let wants_detail = self.materials.update(&table.materials, context);
        self.sky.update(&terrain.daylight, context.queue);
        let (view, mesh, mode, water) = (context.view, context.mesh, context.mode, context.state.water);
        let has_sea = water && terrain.scale.has_sea();
        let world_from_view = view.world_from_view.to_matrix();
        let size = Vec2::new(view.viewport.z as f32, view.viewport.w as f32);
        let clip_from_view = pane.clip_from_view_clip(size) * view.clip_from_view;
        let clip_from_world = clip_from_view * world_from_view.inverse();
        let [x, y, width, height] = picture_pixels(pane, view.viewport).map(|n| n as f32);
        let viewport = Vec4::new(x, y, width, height);
        let clip_from_eye = clip_from_view * Mat4::from_quat(view.world_from_view.rotation()).inverse();
        let eye = SquareEye {
            clip_from_world,
            clip_from_eye,
            eye_world: view.world_from_view.translation(),
            viewport,
            // an orthographic eye is so far away that haze would hide everything
            has_air: context.state.projection == ViewProjection::Perspective,
            auto_stops: context.auto_stops,
        };
        let eye_world = eye.eye_world.as_dvec3();
        let pixels_per_radian = 0.5 * height * clip_from_view.y_axis.y;
        let range = LodRange::new(&terrain.scale, mesh.detail, eye.eye_world, pixels_per_radian);
        let frustum = Frustum::new(pane.crop() * clip_from_world);
        let patches = select(&terrain.scale, &terrain.bounds, mesh.detail, &range, Some(&frustum));
        let mut instances = instances(&patches, mesh.detail.quads, terrain.scale.samples);
        let tree = tree_of(pane.side, context);
        // a tree is drawn without surroundings, and so is an orthographic view
        let is_alone = tree.is_some() || context.state.projection == ViewProjection::Orthographic;
        let surroundings = if is_alone { Surroundings::Block } else { terrain.settings.surroundings };
        let block_end = instances.len() as u32;
        let far_tiles = match surroundings {
            Surroundings::Block => 0,
            Surroundings::Land => FAR_TILES,
            // a coast that is cut by an edge continues beyond it
            Surroundings::Sea => i32::from(terrain.has_land_at_edge()),
        };
        if far_tiles > 0 {
            // see `bent_land` in ground.wgsl and `beyond_edge` in common.wgsl
            let rises_world = terrain.scale.highest_world - terrain.scale.lowest_world;
            let sinks_world = if surroundings == Surroundings::Sea { terrain.scale.fall_under_sea() } else { 0.0 };
            let slack_world = (sinks_world + rises_world, rises_world);
            for tile in FarTile::from_near(eye.eye_world, far_tiles) {
                let range = LodRange::new(&terrain.scale, mesh.detail, tile.mirrored(eye.eye_world), pixels_per_radian);
                let frustum = Frustum::new(pane.crop() * clip_from_world * tile.matrix())
                    .with_slack(slack_world.0, slack_world.1);
                let patches = select(&terrain.scale, &terrain.bounds, mesh.detail, &range, Some(&frustum));
                instances.extend(patches.iter().map(|p| [p.column, p.row, p.level, tile.number()]));
            }
        }
        let far_ground = block_end..instances.len() as u32;
        let shown = (mode, has_sea, surroundings, far_tiles);
        let mut frame = SquareFrame::new(&eye, terrain, &table, shown, &range, mesh.detail.quads);
        let void_mask = terrain.void_mask.as_ref();
        let is_detailed = wants_detail && self.materials.is_complete;
        let target = TargetKey {
            format: view.target_format,
            samples: context.msaa.samples(),
            void_mask: void_mask.is_some(),
            is_detailed,
            rules: is_detailed.then(|| RulesKey::new(&table.materials)),
            needs: SceneNeeds::new(terrain),
        };
        let style = (mode.of_grid(), terrain.tint());
        let mut parts = pipelines.grid_parts(context.cache, target, style);
        let is_ready = |parts: &Parts| parts.iter().all(|(_, id)| context.cache.get_render_pipeline(*id).is_some());
        let is_complete = target.is_detailed == wants_detail && is_ready(&parts);
        if is_ready(&parts) {
            self.drawn = Some(target);
        } else {
            // until the new pipelines are ready, draw as before or without detail
            let plain = TargetKey { is_detailed: false, rules: None, ..target };
            let before = self.drawn.filter(|drawn| (drawn.format, drawn.samples) == (target.format, target.samples));
            parts = pipelines.grid_parts(context.cache, before.unwrap_or(plain), style);
        }
        let (mut tiles, mut march, mut rays_seen, mut is_settled) = (None, None, None, is_complete);
        let is_traced = |tree: &&Arc<TreeSurface>| mode.traces() && trace::unsupported(tree, context.device).is_none();
        if let Some(tree) = tree.filter(is_traced) {
            let camera = RayCamera {
                clip_from_eye,
                eye_world,
                pixels_per_radian,
                size: UVec2::new(width as u32, height as u32).max(UVec2::ONE),
                mode,
                has_water: water,
                half_detail: context.state.half_detail,
                quality: context.quality,
            };
            let own = pipelines.tree_parts(context.cache, target, (mode, terrain.tint()));
            is_settled = false;
            if let Some((own, pipeline)) = own.zip(pipelines.march_pipeline(context.cache)) {
                let layouts = pipelines.rays.each_ref().map(|layout| context.cache.get_bind_group_layout(layout));
                let rays = Rays::for_tree(&mut self.rays, tree, context.device, context.adapter);
                let made = rays.advance(tree, &camera, layouts.each_ref(), context.device, context.queue);
                is_settled = made.is_settled;
                march = made.march.map(|(group, groups)| RayMarch { pipeline, group, groups });
                rays_seen = Some(made.seen);
                parts = own;
            }
        }
        if let Some(tree) = tree.filter(|_| !mode.traces()) {
            let camera = TileCamera {
                eye_world,
                clip_from_eye: pane.crop() * clip_from_eye,
                pixels_per_radian: f64::from(pixels_per_radian),
            };
            let renderer = self.tiles.get_or_insert_with(|| TileRenderer::new(context));
            let steps = Steps::new(eye_world, mesh.detail.quads as usize);
            frame.tiles = steps.uniform;
            tiles = renderer.advance(tree, &camera, &steps, terrain.scale.sea_world, context);
            // draw the grid until there are patches and pipelines
            match pipelines.tree_parts(context.cache, target, (mode, terrain.tint())) {
                Some(own) if tiles.is_some() => parts = own,
                _ => tiles = None,
            }
            is_settled = tiles.is_some() && renderer.is_settled();
        }
        // an overlay is drawn without plants
        let grows = target.is_detailed && terrain.tint() == Tint::None && mode.has_plants();
        let mut shadow_pipelines = None;
        let scattered = if grows && !table.scatter.0.is_empty() {
            let scatter = self.scatter.get_or_insert_with(|| ScatterDrawing::new(context.device));
            let sun = Vec3::from(terrain.towards_sun);
            let shadows = ShadowCascades::new(eye.eye_world, sun, Vec3::Y, terrain.scale.metres_per_world);
            if shadows.is_some() {
                self.plant_shadows.require(context.device);
                shadow_pipelines = pipelines.shadow_pipelines(context.cache, false);
                is_settled &= shadow_pipelines.is_some();
            }
            let shadows = shadows.filter(|_| shadow_pipelines.is_some());
            let shadows = shadows.as_ref();
            let eye = ScatterEye { eye_world: eye.eye_world, pixels_per_radian, most_metres: f32::INFINITY, shadows };
            let ground = PlantedSquare { terrain: terrain.clone(), tree: tree.cloned(), table: table.clone() };
            let seen = seen_cells(&table.scatter.0, terrain, &frustum, &eye);
            let scattered = scatter.advance(&ground, &seen, &eye, context);
            frame.set_plants(shadows, scattered.all_world);
            scattered
        } else {
            ScatterFrame { is_settled: true, ..ScatterFrame::default() }
        };
        is_settled &= scattered.is_settled;
        context.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&frame));
        self.instances.write(bytemuck::cast_slice(&instances), context.device, context.queue);
        let is_there = |(there, _): &(Arc<VoidMask>, Buffer)| void_mask.is_some_and(|mask| Arc::ptr_eq(mask, there));
        if !self.walls.as_ref().is_some_and(is_there) {
            self.walls = void_mask.map(|mask| (mask.clone(), walls_buffer(mask, context.device)));
        }

        let map = |map| textures.view(map).unwrap_or(&self.blank);
        let layout = context.cache.get_bind_group_layout(&pipelines.square);
        let canopy = self.scatter.as_ref().and_then(ScatterDrawing::canopy);
        let group = |shadows: &TextureView| {
            let entries = BindGroupEntries::sequential((
                self.frame.as_entire_binding(),
                map(TerrainMap::Heights),
                map(TerrainMap::Slopes),
                map(TerrainMap::Light),
                &self.palette.view,
                map(TerrainMap::SurfaceWater),
                map(TerrainMap::Data),
                map(TerrainMap::Colours),
                map(TerrainMap::VoidMask),
                &self.palette.sampler,
                self.tiles.as_ref().map_or(&self.blank, |tiles| &tiles.atlas().view),
                map(TerrainMap::Cover),
                &self.sky.view,
                &self.materials.maps,
                &self.materials.sampler,
                self.materials.rules.as_entire_binding(),
                map(TerrainMap::Site),
                canopy.unwrap_or(&self.blank),
                shadows,
                &self.plant_shadows.sampler,
                map(TerrainMap::MirroredShadows),
            ));
            context.device.create_bind_group("talweg view", &layout, &entries)
        };
        let own = group(&self.plant_shadows.both);
        let scatter_buffer = self.scatter.as_ref().map(|scatter| &scatter.instances.buffer);
        let blank_group = || group(&self.blank_shadows.both);
        let shadows =
            shadow_passes(shadow_pipelines, scattered.shadow_calls, (&self.plant_shadows, scatter_buffer), blank_group);

        // data would be hard to read through water
        let is_plain = terrain.tint() == Tint::None;
        let has_surface_water = water && terrain.surface_water.is_some() && is_plain;
        let has_tree_water = water && is_plain && tree.is_some_and(|tree| tree.has_water());
        let count = patches.len() as u32;
        let (ground, sides) = (0..count, count..block_end);
        let has_sides = far_tiles == 0;
        let walls = 0..void_mask.map_or(0, |mask| mask.walls.len() as u32);
        let tile_instances = self.tiles.as_ref().filter(|_| tiles.is_some()).map(|renderer| renderer.instances());
        let tiles = tiles.unwrap_or_default();
        let call = |(part, pipeline)| {
            let (geometry, instances) = match part {
                ViewPart::Scatter => return shape_draws(pipeline, &scattered.calls, scatter_buffer),
                ViewPart::Ground => (Geometry::Patch, ground.clone()),
                ViewPart::FarGround => (Geometry::Patch, far_ground.clone()),
                ViewPart::Sides if has_sides => (Geometry::Strip, sides.clone()),
                ViewPart::Walls => (Geometry::Vertices(4), walls.clone()),
                ViewPart::Sky => (Geometry::Vertices(3), 0..1),
                ViewPart::SurfaceWaterSides if has_surface_water && has_sides => (Geometry::Strip, sides.clone()),
                ViewPart::SurfaceWater if has_surface_water => (Geometry::Patch, ground.clone()),
                ViewPart::SeaSides if has_sea && surroundings == Surroundings::Block => {
                    (Geometry::Strip, sides.clone())
                }
                ViewPart::SeaWalls if has_sea => (Geometry::Vertices(4), walls.clone()),
                ViewPart::SeaSurface if has_sea => (Geometry::Vertices(6), 0..1),
                ViewPart::Traced => (Geometry::Vertices(3), 0..1),
                ViewPart::AdaptiveGround => (Geometry::Patch, tiles.ground.clone()),
                ViewPart::AdaptiveSides => (Geometry::Strip, tiles.sides.clone()),
                ViewPart::AdaptiveWaterSides if has_tree_water => (Geometry::Strip, tiles.sides.clone()),
                ViewPart::AdaptiveWater if has_tree_water => (Geometry::Patch, tiles.water.clone()),
                ViewPart::AdaptiveSeaSides if has_sea => (Geometry::Strip, tiles.sides.clone()),
                ViewPart::AdaptiveSea if has_sea => (Geometry::Patch, tiles.sea.clone()),
                _ => return Vec::new(),
            };
            let vertices = match (&self.walls, tile_instances) {
                (Some((_, walls)), _) if part.is_wall() => walls,
                (_, Some(tiles)) => tiles,
                _ => &self.instances.buffer,
            };
            vec![DrawCall { pipeline, vertices: Some(vertices.clone()), geometry, instances }]
        };
        Some(Batch {
            pane,
            calls: parts.into_iter().flat_map(call).collect(),
            shapes: self.scatter.as_ref().map(ScatterDrawing::shape_buffers),
            bind_groups: [Some(own), rays_seen].into_iter().flatten().collect(),
            march,
            shadows,
            is_settled,
        })
    }
}

/// The tree that is drawn in place of the grid of a side, if one is wanted.
fn tree_of<'a>(side: CompareSide, context: &DrawContext<'a>) -> Option<&'a Arc<TreeSurface>> {
    context.state.tree_surface.as_ref().filter(|_| side == CompareSide::A && context.mode.asks_tree())
}

/// The walls of a terrain on the graphics card.
fn walls_buffer(mask: &VoidMask, device: &RenderDevice) -> Buffer {
    device.create_buffer_with_data(&BufferInitDescriptor {
        label: Some("talweg walls"),
        contents: bytemuck::cast_slice(&mask.walls),
        usage: BufferUsages::VERTEX,
    })
}

/// A copy of the terrain beside it, mirrored at every edge in between.
#[derive(Clone, Copy)]
struct FarTile {
    column: i32,
    row: i32,
}

impl FarTile {
    /// All copies, `tiles` of them on each side.
    fn all(tiles: i32) -> impl Iterator<Item = Self> {
        let span = -tiles..=tiles;
        let all = span.clone().flat_map(move |row| span.clone().map(move |column| Self { column, row }));
        all.filter(|tile| (tile.column, tile.row) != (0, 0))
    }

    /// All copies, nearest to the eye first.
    fn from_near(eye_world: Vec3, tiles: i32) -> Vec<Self> {
        let mut all: Vec<Self> = Self::all(tiles).collect();
        let distance = |tile: &Self| (tile.axes().1 - eye_world.with_y(0.0)).length_squared();
        all.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        all
    }

    /// The number of the copy in the shaders.
    fn number(self) -> u32 {
        ((self.row + 64) as u32) << 8 | (self.column + 64) as u32
    }

    /// Signs of both axes, and position of its middle.
    fn axes(self) -> (Vec3, Vec3) {
        let sign = |k: i32| if k.rem_euclid(2) == 1 { -1.0 } else { 1.0 };
        let middle = Vec3::new(self.column as f32, 0.0, self.row as f32) * SIDE_WORLD;
        (Vec3::new(sign(self.column), 1.0, sign(self.row)), middle)
    }

    /// Matrix from the terrain to the copy.
    fn matrix(self) -> Mat4 {
        let (signs, middle) = self.axes();
        Mat4::from_translation(middle) * Mat4::from_scale(signs)
    }

    /// The position on the terrain that a position of the copy shows.
    fn mirrored(self, place: Vec3) -> Vec3 {
        let (signs, middle) = self.axes();
        (place - middle) * signs
    }
}

/// All patches, then the patches at an edge of the terrain, once per side.
fn instances(patches: &[GridPatch], quads: u32, samples: usize) -> Vec<[u32; 4]> {
    let ground = patches.iter().map(|p| [p.column, p.row, p.level, 0]);
    let sides = patches
        .iter()
        .flat_map(|p| mesh::sides_of(*p, quads, samples).map(|side: SideKind| [p.column, p.row, p.level, side as u32]));
    ground.chain(sides).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_meets_the_terrain_at_their_common_edge() {
        assert_eq!(FarTile::all(FAR_TILES).count() as i32, (2 * FAR_TILES + 1).pow(2) - 1);
        let edge = Vec3::new(0.5 * SIDE_WORLD, 12.0, 77.0);
        let east = FarTile { column: 1, row: 0 };
        assert_eq!(east.matrix().transform_point3(edge), edge);
        assert_eq!(east.mirrored(edge), edge);
        let beyond = FarTile { column: -2, row: 1 };
        let place = Vec3::new(-1900.0, 3.0, 820.0);
        let shown = beyond.mirrored(place);
        assert!(shown.x.abs() <= 0.5 * SIDE_WORLD && shown.z.abs() <= 0.5 * SIDE_WORLD, "{shown}");
        assert_eq!(beyond.matrix().transform_point3(shown), place);
    }
}
