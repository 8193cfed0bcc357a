//! Plants and stones on a square or a globe. The module decides which objects the camera sees and at which level of
//! detail, and prepares the instances for the graphics card.
//!
//! Background tasks compute the objects' positions cell by cell, as far as the camera sees; see
//! [`talweg::appearance::scatter`]. Until all cells are ready, the objects of finished cells are drawn.

use std::hash::Hash;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use bevy::mesh::{VertexBufferLayout, VertexFormat};
use bevy::platform::collections::{HashMap, HashSet};
use bevy::prelude::*;
use bevy::render::render_resource::{
    BindGroup, Buffer, BufferInitDescriptor, BufferUsages, CachedRenderPipelineId, Extent3d, TextureDataOrder,
    TextureDescriptor, TextureDimension, TextureFormat, TextureUsages, TextureView, TextureViewDescriptor,
    VertexStepMode,
};
use bevy::render::renderer::RenderDevice;
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::cells::{ALL_PIXELS, CellKey, ScatterEye, WantedCell, kept_size};
use super::shadows::{SHADOW_CASCADES, ShadowMaps};
use crate::view::render::batch::{DrawCall, DrawContext, Geometry, GrowingBuffer, ShadowPass};
use crate::view::render::mesh::RenderQuality;
use crate::view::render::mips::Mips;
use crate::view::render::pipelines::vertex_layout;
use talweg::appearance::scatter::{SHAPE_DETAILS, ScatterShape, ScatteredObject, tallest_crown};
use talweg::appearance_files::{ScatterKind, ScatterRule};

/// Heights on screen, in pixels, from which a shape is drawn in its finest level of detail and in the next level.
const DETAIL_PIXELS: [f32; SHAPE_DETAILS - 1] = [90.0, 22.0];
/// Width of the transition between two levels of detail, as a fraction of the height in `DETAIL_PIXELS`.
const TAKE_OVER: f32 = 0.25;
/// Level of detail of the shapes that cast shadows, for each cascade.
const SHADOW_DETAILS: [usize; SHADOW_CASCADES] = [1, 2];
const KINDS: usize = ScatterKind::ALL.len();

/// One plant or stone on the graphics card; mirrors `ScatterInput` in `assets/shaders/plants.wgsl`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ScatterInstance {
    /// Position of the object (three values) and its size.
    place: [f32; 4],
    /// Square root of the terrain's colour below the object (three values); a random number.
    ground: [u8; 4],
    /// Interval of noise values in which the object's pixels are drawn (two values); how far the object leans with the
    /// terrain slope; fraction of the terrain's colour that the object adopts.
    what: [u8; 4],
    turn: f32,
    stance: u32,
}

/// A vertex of a shape on the graphics card.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ScatterCorner {
    /// Position as a multiple of the object's size (three values); coordinate along a leaf.
    position: [f32; 4],
    /// Normal of the shape (three values); fraction of light that reaches the vertex.
    normal: [f32; 4],
    /// Colour of the vertex (three values); coordinate across a leaf.
    colour: [f32; 4],
}

/// The vertex buffers of plants and stones: one per instance, then one per vertex of the shape. `stance` is the format
/// of [`StandingObject::stance`].
pub fn scatter_input(stance: VertexFormat) -> Vec<VertexBufferLayout> {
    use VertexFormat::{Float32, Float32x4, Unorm8x4};
    let instance = [(Float32x4, 0), (Unorm8x4, 16), (Unorm8x4, 20), (Float32, 24), (stance, 28)];
    let corner = [(Float32x4, 0), (Float32x4, 16), (Float32x4, 32)];
    vec![
        vertex_layout(size_of::<ScatterInstance>(), VertexStepMode::Instance, 0, &instance),
        vertex_layout(size_of::<ScatterCorner>(), VertexStepMode::Vertex, 5, &corner),
    ]
}

/// A surface on which plants and stones stand.
pub trait PlantedSurface: Clone + Send + 'static {
    /// Identifies a cell in the lattice of a scatter rule.
    type CellPlace: Copy + Eq + Ord + Hash + Send + Sync;

    /// Greatest number of cells that one background task computes.
    const MOST_CELLS: usize;

    fn rules(&self) -> &[ScatterRule];

    /// Whether the same objects stand in the same places on both surfaces.
    fn is_same(&self, other: &Self) -> bool;

    fn metres_per_world(&self) -> f32;

    /// Computes the objects in the cells. With `wants_canopy`, also returns the canopy of the whole surface, if it has
    /// one.
    fn plant(&self, cells: Vec<CellRequest<Self::CellPlace>>, wants_canopy: bool) -> PlantedCells<Self::CellPlace>;

    /// Whether the surface has a canopy map, which replaces plants at a distance.
    fn has_canopy(&self) -> bool;
}

/// The cells that [`PlantedSurface::plant`] has computed, and the canopy map.
pub struct PlantedCells<C> {
    pub cells: Vec<(CellRequest<C>, Vec<StandingObject>)>,
    pub canopy: Option<Mips>,
}

/// A plant or a stone with its position.
pub struct StandingObject {
    pub object: ScatteredObject,
    /// Foot of the object relative to the origin of its cell, in world units.
    pub foot: Vec3,
    /// Value that the shader reads. On a square it is the height of the foot above the grid, in world units; on a globe
    /// it is the slope.
    pub stance: u32,
}

struct ScatterCell {
    /// Number of the surface that the cell was computed for; see [`ScatterDrawing`].
    source: u64,
    /// Number of the cell's ranks that were computed.
    ranks: usize,
    /// The cell's objects, in the order of their ranks.
    objects: Vec<StandingObject>,
}

/// The result of a background task.
struct ScatterResult<C> {
    planted: PlantedCells<C>,
    /// Number of the surface that the task computed cells for.
    source: u64,
}

/// The result of a background task, once the task has finished.
type ScatterTask<C> = Arc<Mutex<Option<ScatterResult<C>>>>;

/// State of plants and stones that is kept between frames.
pub struct ScatterDrawing<S: PlantedSurface> {
    vertices: Buffer,
    indices: Buffer,
    /// Shapes of every kind of object at every level of detail, the finest level first.
    shapes: Vec<[Geometry; SHAPE_DETAILS]>,
    pub instances: GrowingBuffer,
    cells: HashMap<CellKey<S::CellPlace>, ScatterCell>,
    /// Number of the current surface, counted from 1.
    source: u64,
    ground: Option<S>,
    task: Option<ScatterTask<S::CellPlace>>,
    /// Colour and cover of the canopy, with the number of its surface.
    canopy: Option<(u64, TextureView)>,
    /// The canopy map in main memory.
    canopy_mips: Option<Mips>,
}

/// Shapes to draw, each with its range of instances.
pub type ShapeCalls = Vec<(Geometry, Range<u32>)>;

/// The plants and stones of one frame.
#[derive(Default)]
pub struct ScatterFrame {
    /// Draw calls for the shapes that the camera sees.
    pub calls: ShapeCalls,
    /// Draw calls for the shapes that cast shadows into each cascade.
    pub shadow_calls: [ShapeCalls; SHADOW_CASCADES],
    /// Distance from the eye, in world units, up to which a rule with the tallest plants draws all its plants.
    pub all_world: f32,
    /// Whether everything that the camera sees has been computed.
    pub is_settled: bool,
}

impl<S: PlantedSurface> ScatterDrawing<S> {
    pub fn new(device: &RenderDevice) -> Self {
        let (mut corners, mut indices, mut shapes) = (Vec::new(), Vec::<u16>::new(), Vec::new());
        for kind in ScatterKind::ALL {
            shapes.push(std::array::from_fn(|detail| {
                let shape = ScatterShape::new(*kind, detail);
                let (first, base) = (indices.len() as u32, corners.len() as i32);
                indices.extend(&shape.indices);
                corners.extend(shape.vertices.iter().map(|v| ScatterCorner {
                    position: Vec3::from(v.position).extend(v.leaf[0]).into(),
                    normal: Vec3::from(v.normal).extend(v.open).into(),
                    colour: Vec3::from(v.colour).extend(v.leaf[1]).into(),
                }));
                Geometry::Shape { first, count: shape.indices.len() as u32, base }
            }));
        }
        // buffers are copied in units of four bytes
        if indices.len() % 2 == 1 {
            indices.push(0);
        }
        let buffer = |contents: &[u8], usage| {
            device.create_buffer_with_data(&BufferInitDescriptor { label: Some("talweg shapes"), contents, usage })
        };
        Self {
            vertices: buffer(bytemuck::cast_slice(&corners), BufferUsages::VERTEX),
            indices: buffer(bytemuck::cast_slice(&indices), BufferUsages::INDEX),
            shapes,
            instances: GrowingBuffer::new(device, 64 * 1024),
            cells: HashMap::new(),
            source: 0,
            ground: None,
            task: None,
            canopy: None,
            canopy_mips: None,
        }
    }

    /// Colour and cover of the canopy, once it is computed.
    pub fn canopy(&self) -> Option<&TextureView> {
        self.canopy.as_ref().map(|(_, view)| view)
    }

    /// The canopy map in main memory. The four bytes of a texel are the square root of the colour times the cover, and
    /// the cover.
    pub fn canopy_mips(&self) -> Option<&Mips> {
        self.canopy_mips.as_ref()
    }

    /// Vertices and indices of all shapes.
    pub fn shape_buffers(&self) -> (Buffer, Buffer) {
        (self.vertices.clone(), self.indices.clone())
    }

    /// Returns the known objects in the cells `seen`, and starts a background task for missing objects.
    pub fn advance(
        &mut self,
        ground: &S,
        seen: &[WantedCell<S::CellPlace>],
        eye: &ScatterEye,
        context: &DrawContext,
    ) -> ScatterFrame {
        self.poll_task(context);
        let is_new = !self.ground.as_ref().is_some_and(|before| before.is_same(ground));
        if is_new {
            self.ground = Some(ground.clone());
            self.source += 1;
        }
        let rules = ground.rules();
        self.cells.retain(|(rule, _), _| *rule < rules.len());
        let is_there = |wanted: &&WantedCell<S::CellPlace>| {
            let has = |cell: &ScatterCell| cell.source == self.source && cell.ranks >= wanted.ranks;
            self.cells.get(&wanted.key).is_some_and(has)
        };
        let missing = seen.iter().filter(|wanted| !is_there(wanted));
        let mut missing: Vec<_> = missing.map(|wanted| CellRequest { key: wanted.key, ranks: wanted.ranks }).collect();
        let wants_canopy = ground.has_canopy()
            && tallest_crown(rules).is_some()
            && self.canopy.as_ref().is_none_or(|(source, _)| *source != self.source);
        let mut is_settled = missing.is_empty() && !wants_canopy;
        if !is_settled && self.task.is_none() {
            if context.quality == RenderQuality::Still {
                // a still image waits for the objects anyway, so compute them at once
                let made = ScatterResult { planted: ground.plant(missing, wants_canopy), source: self.source };
                self.keep(made, context);
                is_settled = true;
            } else if !is_new {
                // while the terrain changes in every frame, `is_new` is true and no task starts
                missing.truncate(S::MOST_CELLS);
                self.task = Some(start_task(ground.clone(), missing, wants_canopy, self.source));
            }
        }
        let most = 4 * seen.len() + 4096;
        if self.cells.len() > most {
            let wanted: HashSet<CellKey<S::CellPlace>> = seen.iter().map(|wanted| wanted.key).collect();
            self.cells.retain(|key, _| wanted.contains(key));
        }
        let (calls, shadow_calls) = self.gather(rules, seen, (ground.metres_per_world(), eye), context);
        let all_metres = tallest_crown(rules).map_or(0.0, |size| size * eye.pixels_per_radian / ALL_PIXELS);
        ScatterFrame { calls, shadow_calls, all_world: all_metres / ground.metres_per_world(), is_settled }
    }

    fn poll_task(&mut self, context: &DrawContext) {
        let Some(task) = &self.task else { return };
        let Some(made) = task.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        self.keep(made, context);
        self.task = None;
    }

    fn keep(&mut self, made: ScatterResult<S::CellPlace>, context: &DrawContext) {
        let source = made.source;
        let cell = |(request, objects): (CellRequest<S::CellPlace>, _)| {
            (request.key, ScatterCell { source, ranks: request.ranks, objects })
        };
        self.cells.extend(made.planted.cells.into_iter().map(cell));
        if let Some(mips) = made.planted.canopy {
            self.canopy = Some((source, canopy_texture(&mips, context)));
            self.canopy_mips = Some(mips);
        }
    }

    /// Collects two kinds of instances for every shape: visible instances, and instances that cast shadows into each
    /// cascade.
    fn gather(
        &mut self,
        rules: &[ScatterRule],
        seen: &[WantedCell<S::CellPlace>],
        (metres_per_world, eye): (f32, &ScatterEye),
        context: &DrawContext,
    ) -> (ShapeCalls, [ShapeCalls; SHADOW_CASCADES]) {
        let share = seen.len().div_ceil(4 * rayon::current_num_threads()).max(8);
        let cells = &self.cells;
        let lists_of = |part: &[WantedCell<S::CellPlace>]| {
            let mut lists = InstanceLists::default();
            for wanted in part {
                if let Some(cell) = cells.get(&wanted.key) {
                    lists.add(&rules[wanted.key.0], wanted, cell, metres_per_world, eye);
                }
            }
            lists
        };
        let gather = || seen.par_chunks(share).map(lists_of).collect();
        let parts: Vec<InstanceLists> = match &*FRAME_THREADS {
            Some(threads) => threads.install(gather),
            None => gather(),
        };
        let mut all: Vec<ScatterInstance> = Vec::new();
        let mut calls = ShapeCalls::new();
        let mut shadow_calls: [ShapeCalls; SHADOW_CASCADES] = Default::default();
        for kind in 0..KINDS {
            for number in 0..SHAPE_DETAILS + SHADOW_CASCADES {
                let first = all.len() as u32;
                parts.iter().for_each(|part| all.extend(&part.0[kind][number]));
                let own = first..all.len() as u32;
                if own.is_empty() {
                    continue;
                }
                match number.checked_sub(SHAPE_DETAILS) {
                    None => calls.push((self.shapes[kind][number], own)),
                    Some(cascade) => {
                        shadow_calls[cascade].push((self.shapes[kind][SHADOW_DETAILS[cascade]], own));
                    }
                }
            }
        }
        self.instances.write(bytemuck::cast_slice(&all), context.device, context.queue);
        (calls, shadow_calls)
    }
}

/// The draw calls for a list of shapes with one pipeline.
pub fn shape_draws(pipeline: CachedRenderPipelineId, calls: &ShapeCalls, instances: Option<&Buffer>) -> Vec<DrawCall> {
    let call = |(geometry, range): &(Geometry, Range<u32>)| DrawCall {
        pipeline,
        vertices: instances.cloned(),
        geometry: *geometry,
        instances: range.clone(),
    };
    calls.iter().map(call).collect()
}

/// The passes that draw the shadow maps. `group` creates a bind group that does not contain these maps.
pub fn shadow_passes(
    pipelines: Option<[CachedRenderPipelineId; SHADOW_CASCADES]>,
    calls: [ShapeCalls; SHADOW_CASCADES],
    (maps, instances): (&ShadowMaps, Option<&Buffer>),
    group: impl Fn() -> Option<BindGroup>,
) -> Vec<ShadowPass> {
    let (Some(pipelines), Some(instances)) = (pipelines, instances) else { return Vec::new() };
    let each = pipelines.into_iter().zip(calls).zip(&maps.each);
    let pass = |((pipeline, calls), target): ((_, ShapeCalls), &TextureView)| {
        Some(ShadowPass { pipeline, target: target.clone(), group: group()?, instances: instances.clone(), calls })
    };
    each.filter_map(pass).collect()
}

/// Separate threads for the work of a frame, so that a frame never waits for an evaluation on the shared threads.
static FRAME_THREADS: LazyLock<Option<ThreadPool>> =
    LazyLock::new(|| ThreadPoolBuilder::new().thread_name(|k| format!("plants {k}")).build().ok());

/// For every kind of object, the instances of each level of detail, followed by the shadow casters of each cascade.
#[derive(Default)]
struct InstanceLists([[Vec<ScatterInstance>; SHAPE_DETAILS + SHADOW_CASCADES]; KINDS]);

impl InstanceLists {
    /// Adds the drawn objects of a cell to the instance lists.
    fn add<C>(
        &mut self,
        rule: &ScatterRule,
        wanted: &WantedCell<C>,
        cell: &ScatterCell,
        metres: f32,
        eye: &ScatterEye,
    ) {
        let all_metres = rule.size.1 * eye.pixels_per_radian / ALL_PIXELS;
        let least = eye.least_pixels(rule);
        let ranked = cell.objects.iter().take_while(|standing| usize::from(standing.object.rank) < wanted.ranks);
        for StandingObject { object, foot, stance } in ranked {
            let world = wanted.origin_world + foot + wanted.raised_world * object.ground_metres;
            let away = world.distance(eye.eye_world) * metres;
            let pixels = object.size_metres * eye.pixels_per_radian / away.max(0.1);
            if pixels <= least {
                continue;
            }
            let size = object.size_metres * kept_size(object.rank, away / all_metres).min(pixels / least - 1.0);
            if size <= 0.0 {
                continue;
            }
            let (lean, share) = match object.kind {
                ScatterKind::Grass => (255, 150),
                ScatterKind::Boulder => (255, 90),
                ScatterKind::Shrub => (0, 70),
                _ => (0, 25),
            };
            let [r, g, b] = object.ground.map(|c| (c.clamp(0.0, 1.0).sqrt() * 255.0 + 0.5) as u8);
            let lists = &mut self.0[object.kind as usize];
            let mut push = |list: usize, [from, to]: [f32; 2]| {
                lists[list].push(ScatterInstance {
                    place: world.extend(size / metres).into(),
                    ground: [r, g, b, (object.random * 255.0) as u8],
                    what: [(from * 254.0) as u8, (to * 255.0) as u8, lean, share],
                    turn: object.turn,
                    stance: *stance,
                });
            };
            if let Some(shadows) = eye.shadows.filter(|_| object.kind != ScatterKind::Grass) {
                for cascade in 0..SHADOW_CASCADES {
                    if shadows.meets(cascade, world, size / metres) {
                        push(SHAPE_DETAILS + cascade, [0.0, 1.0]);
                    }
                }
            }
            if !wanted.is_seen {
                continue;
            }
            let (detail, next) = detail_of(pixels);
            match next {
                None => push(detail, [0.0, 1.0]),
                Some(share) => {
                    push(detail, [0.0, share]);
                    push(detail + 1, [share, 1.0]);
                }
            }
        }
    }
}

/// The level of detail for an object of this height on screen. During a transition to the next level, the function also
/// returns the fraction of pixels that still show this level.
fn detail_of(pixels: f32) -> (usize, Option<f32>) {
    for (detail, least) in DETAIL_PIXELS.into_iter().enumerate() {
        if pixels >= least * (1.0 + TAKE_OVER) {
            return (detail, None);
        }
        if pixels > least {
            return (detail, Some((pixels / least - 1.0) / TAKE_OVER));
        }
    }
    (SHAPE_DETAILS - 1, None)
}

/// A cell to be computed.
pub struct CellRequest<C> {
    pub key: CellKey<C>,
    pub ranks: usize,
}

/// Starts a background task that computes cells.
fn start_task<S: PlantedSurface>(
    ground: S,
    cells: Vec<CellRequest<S::CellPlace>>,
    wants_canopy: bool,
    source: u64,
) -> ScatterTask<S::CellPlace> {
    let task = ScatterTask::default();
    let result = task.clone();
    rayon::spawn(move || {
        let made = ScatterResult { planted: ground.plant(cells, wants_canopy), source };
        *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
    });
    task
}

fn canopy_texture(mips: &Mips, context: &DrawContext) -> TextureView {
    let side = mips.levels[0].size as u32;
    let descriptor = TextureDescriptor {
        label: Some("talweg canopy"),
        size: Extent3d { width: side, height: side, depth_or_array_layers: 1 },
        mip_level_count: mips.levels.len() as u32,
        sample_count: 1,
        dimension: TextureDimension::D2,
        format: TextureFormat::Rgba8Unorm,
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
        view_formats: &[],
    };
    let all: Vec<u8> = mips.levels.iter().flat_map(|mip| mip.bytes.iter().copied()).collect();
    let texture =
        context.device.create_texture_with_data(context.queue, &descriptor, TextureDataOrder::LayerMajor, &all);
    texture.create_view(&TextureViewDescriptor::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plant_details_blend_without_a_step() {
        assert_eq!(detail_of(1000.0), (0, None));
        assert_eq!(detail_of(1.0), (2, None));
        let mut before = detail_of(200.0);
        for k in 0..2000 {
            let pixels = 200.0 - 0.1 * k as f32;
            let now = detail_of(pixels);
            let whole = |(detail, share): (usize, Option<f32>)| detail as f32 + 1.0 - share.unwrap_or(1.0);
            assert!((whole(now) - whole(before)).abs() < 0.02, "{pixels}: {before:?} {now:?}");
            before = now;
        }
    }
}
