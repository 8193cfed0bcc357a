//! Sphere tracing on the graphics card. In every frame, each ray advances some steps by evaluating a construction tree,
//! which is encoded as 32-bit words.
//!
//! ```text
//! words of the tree ─▶ trace.wgsl (compute): advances its rays ─▶ rays ─▶ traced.wgsl (fragment): light, depth
//! ```
//!
//! [`buffer`](talweg::construction::gpu_buffer) defines the words. A ray advances as in
//! [`trace`](talweg::construction::trace): by the Lipschitz bound of the next segment, and without noise octaves too
//! small for a pixel. Here a single traversal of the construction tree returns both the bound and the height at the
//! midpoint of the segment. The tree's [`GroundTable`] is computed in the background. Once the table is ready, rays
//! cross regions whose terrain is below the ray, according to the table, without evaluating the tree. Where the table's
//! measured slopes are smaller than the proven slopes, rays use the measured slopes. Every ray stores its distance in a
//! buffer. So the work for an image can be spread over several frames, from coarse to fine ([`RayPlan`]), and one frame
//! does no more work than a slow card can handle.

mod plan;

use std::sync::Arc;
use std::thread::JoinHandle;

use bevy::math::{DVec3, Mat4, UVec2, UVec4, Vec4};
use bevy::render::render_resource::binding_types::{
    storage_buffer_read_only_sized, storage_buffer_sized, uniform_buffer_sized,
};
use bevy::render::render_resource::{
    BindGroup, BindGroupEntries, BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntries, Buffer,
    BufferDescriptor, BufferInitDescriptor, BufferUsages, ShaderStages,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bytemuck::{Pod, Zeroable};

use plan::{RayPass, RayPlan};

use crate::view::construction_surface::{TreeSurface, Unsupported};
use crate::view::mode::ViewMode;
use crate::view::overlays::legend::{self, Legend};
use crate::view::overlays::ramp::{PLAIN, Ramp};
use crate::view::render::batch::Adapter;
use crate::view::render::mesh::RenderQuality;
use talweg::construction::trace::{GroundTable, Tracer};

/// Number of stack frames that the shader has for traversing a construction tree.
const FRAMES: u32 = 16;
/// Index of the buffer word that holds the number of stack frames that a traversal needs.
const FRAMES_WORD: usize = 11;
/// Number of evaluations per pixel from which the cost image shows the last colour of the ramp.
const MOST_SHOWN: f32 = 128.0;
/// Distance in world units that a distance image encodes with all bits set.
pub const FARTHEST_WORLD: f32 = 4096.0;
/// Size in bytes of `Ray` in `assets/shaders/trace.wgsl`.
const RAY_BYTES: u64 = 32;
/// Width and height of a workgroup, in rays.
const GROUP: u32 = 8;

/// Uniform data of the tracing shaders; mirrors `Tracing` in `assets/shaders/trace.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Tracing {
    eye_from_clip: Mat4,
    eye: Vec4,
    scale: Vec4,
    range: Vec4,
    look: Vec4,
    grid: UVec4,
    band: UVec4,
}

/// The camera and the options of the traced image.
#[derive(Clone, Copy)]
pub struct RayCamera {
    pub clip_from_eye: Mat4,
    pub eye_world: DVec3,
    pub pixels_per_radian: f32,
    pub size: UVec2,
    pub mode: ViewMode,
    pub has_water: bool,
    /// Distance from the eye in metres at which the level of detail κ is 0.5; `None` for full detail at any distance.
    pub half_detail: Option<f32>,
    pub quality: RenderQuality,
}

impl Tracing {
    /// Uniform data for one ray per pixel. [`of_pass`](Self::of_pass) adapts the data to the rays of a pass.
    fn new(tree_surface: &TreeSurface, camera: &RayCamera) -> Self {
        let metres = 1.0 / tree_surface.world_per_metre;
        let up = 1.0 / tree_surface.world_per_height_metre;
        let side = tree_surface.program.side;
        let eye = camera.eye_world;
        let place = |at: f64| at * metres + 0.5 * side;
        let show = match camera.mode {
            ViewMode::TracedCost => 1.0,
            ViewMode::TracedDistance => 2.0,
            _ => 0.0,
        };
        let [low, high] = tree_surface.range_world.map(|at| f64::from(at) * up);
        let flag = |is: bool| f32::from(u8::from(is));
        let half_world = camera.half_detail.map_or(0.0, |half| half / metres as f32);
        let has_water = camera.has_water && tree_surface.has_water();
        Self {
            eye_from_clip: camera.clip_from_eye.inverse(),
            eye: DVec3::new(place(eye.x), place(eye.z), eye.y * up).extend(side).as_vec4(),
            scale: Vec4::new(metres as f32, up as f32, 1.0 / camera.pixels_per_radian, tree_surface.recipe.level),
            range: Vec4::new(low as f32 - 1e-4 * side as f32, high as f32 + 1e-4 * side as f32, flag(has_water), 1.0),
            look: Vec4::new(show, MOST_SHOWN, FARTHEST_WORLD, half_world),
            grid: camera.size.extend(0).extend(0),
            band: UVec4::ZERO,
        }
    }

    fn of_pass(mut self, pass: &RayPass, has_table: bool) -> Self {
        self.range.w = pass.divisor as f32;
        self.grid = UVec4::new(pass.size.x, pass.size.y, pass.evaluations, u32::from(pass.begins));
        self.band = UVec4::new(pass.rows.start, pass.rows.end, u32::from(has_table), 0);
        self
    }
}

/// The layouts of two bind groups: one to advance rays, one to shade them.
pub fn layouts() -> [BindGroupLayoutDescriptor; 2] {
    let tracing = || uniform_buffer_sized(false, (size_of::<Tracing>() as u64).try_into().ok());
    let words = || storage_buffer_read_only_sized(false, None);
    [
        BindGroupLayoutDescriptor::new(
            "talweg rays",
            &BindGroupLayoutEntries::sequential(
                ShaderStages::COMPUTE,
                (words(), words(), tracing(), storage_buffer_sized(false, None), words()),
            ),
        ),
        BindGroupLayoutDescriptor::new(
            "talweg rays seen",
            &BindGroupLayoutEntries::sequential(ShaderStages::FRAGMENT, (tracing(), words())),
        ),
    ]
}

/// The reason why a graphics card cannot trace a construction tree; `None` if it can.
pub fn unsupported(tree_surface: &TreeSurface, device: &RenderDevice) -> Option<Unsupported> {
    let limits = device.limits();
    let bytes = 4 * tree_surface.buffer.words.len().max(tree_surface.buffer.image_samples.len()) as u64;
    if limits.max_storage_buffers_per_shader_stage < 4 || limits.max_compute_invocations_per_workgroup < GROUP * GROUP {
        return Some(Unsupported::NoStorage);
    }
    let is_deep = tree_surface.buffer.words.get(FRAMES_WORD).is_some_and(|frames| *frames > FRAMES);
    (is_deep || bytes > limits.max_storage_buffer_binding_size).then_some(Unsupported::TooLarge)
}

/// The buffers for the rays of one resolution.
struct RayLevel {
    rays: Buffer,
    bytes: u64,
    uniform: Buffer,
}

impl RayLevel {
    fn new(device: &RenderDevice, bytes: u64) -> Self {
        let buffer = |label, size, usage| {
            device.create_buffer(&BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
        };
        Self {
            rays: buffer("talweg rays", bytes, BufferUsages::STORAGE),
            bytes,
            uniform: buffer(
                "talweg tracing",
                size_of::<Tracing>() as u64,
                BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            ),
        }
    }
}

/// The rays to trace in one frame, with their bind groups.
pub struct RayBatch {
    /// Bind group of the rays to advance and the number of workgroups; `None` when all rays have arrived.
    pub march: Option<(BindGroup, UVec2)>,
    /// Bind group of the fragment stage, which shades the arrived rays.
    pub seen: BindGroup,
    pub is_settled: bool,
}

/// A construction tree on the graphics card, and the rays traced through it.
pub struct Rays {
    serial: u64,
    words: Buffer,
    image_samples: Buffer,
    /// The ray level that is drawn, and the ray level that is being computed.
    levels: [Option<RayLevel>; 2],
    /// The table of bounds of the construction tree at full level of detail, once the table is computed.
    table: Option<Buffer>,
    pending_table: Option<TableTask>,
    plan: RayPlan,
    last: Option<Tracing>,
}

/// A thread that computes the table of the construction tree with this serial number. At most one such thread runs at a
/// time. If the tree changes meanwhile, the computation for the new tree starts only after the computation for the old
/// tree.
struct TableTask {
    serial: u64,
    thread: JoinHandle<Vec<f32>>,
}

/// Computes the table of height bounds of a construction tree in the layout that the shader reads. The computation
/// takes tenths of a second to seconds.
fn compute_table(tree_surface: &TreeSurface) -> Vec<f32> {
    let mut tracer = Tracer::new(&tree_surface.program);
    tracer.level = f64::from(tree_surface.recipe.level);
    GroundTable::new(&tracer, [0.0; 3]).tiles()
}

impl Rays {
    pub fn new(
        tree_surface: &Arc<TreeSurface>,
        device: &RenderDevice,
        plan: Option<RayPlan>,
        adapter: Adapter,
    ) -> Self {
        let storage = |label, contents: &[u8]| {
            // an empty buffer cannot be bound
            let contents: &[u8] = if contents.is_empty() { &[0; 4] } else { contents };
            let usage = BufferUsages::STORAGE;
            device.create_buffer_with_data(&BufferInitDescriptor { label: Some(label), contents, usage })
        };
        Self {
            serial: tree_surface.serial,
            words: storage("talweg tree", bytemuck::cast_slice(&tree_surface.buffer.words)),
            image_samples: storage(
                "talweg pictures of the tree",
                bytemuck::cast_slice(&tree_surface.buffer.image_samples),
            ),
            levels: [None, None],
            table: None,
            pending_table: None,
            plan: plan.unwrap_or_else(|| RayPlan::new(adapter)),
            last: None,
        }
    }

    /// Fetches the finished table of bounds. A still image waits for the table; a moving view is traced without the
    /// table until it is ready.
    fn poll_table(&mut self, tree_surface: &Arc<TreeSurface>, quality: RenderQuality, device: &RenderDevice) {
        if self.table.is_some() || self.plan.is_done() {
            return;
        }
        let made = if quality == RenderQuality::Still {
            Some(compute_table(tree_surface))
        } else if self.pending_table.as_ref().is_some_and(|task| task.thread.is_finished()) {
            let task = self.pending_table.take().filter(|task| task.serial == self.serial);
            task.and_then(|task| task.thread.join().ok())
        } else {
            if self.pending_table.is_none() {
                let tree_surface = tree_surface.clone();
                let serial = tree_surface.serial;
                let thread = std::thread::Builder::new().name("talweg-ray-table".into());
                // if the thread cannot start, there is no table, and rays advance by the bounds of the construction
                // tree
                self.pending_table =
                    thread.spawn(move || compute_table(&tree_surface)).ok().map(|thread| TableTask { serial, thread });
            }
            None
        };
        self.table = made.map(|tiles| {
            device.create_buffer_with_data(&BufferInitDescriptor {
                label: Some("talweg table of bounds"),
                contents: bytemuck::cast_slice(&tiles),
                usage: BufferUsages::STORAGE,
            })
        });
    }

    /// The rays of a construction tree. The function replaces the rays of another tree, but keeps the measured tracing
    /// speed.
    pub fn for_tree<'a>(
        rays: &'a mut Option<Self>,
        tree_surface: &Arc<TreeSurface>,
        device: &RenderDevice,
        adapter: Adapter,
    ) -> &'a mut Self {
        let before = rays.take();
        let made = match before {
            Some(rays) if rays.serial == tree_surface.serial => rays,
            Some(rays) => {
                let (levels, making) = (rays.levels, rays.pending_table);
                Self { levels, pending_table: making, ..Self::new(tree_surface, device, Some(rays.plan), adapter) }
            }
            None => Self::new(tree_surface, device, None, adapter),
        };
        rays.insert(made)
    }

    /// Plans the work of the next frame.
    pub fn advance(
        &mut self,
        tree_surface: &Arc<TreeSurface>,
        camera: &RayCamera,
        [march_layout, seen_layout]: [&BindGroupLayout; 2],
        device: &RenderDevice,
        queue: &RenderQueue,
    ) -> RayBatch {
        let tracing = Tracing::new(tree_surface, camera);
        let most_rays = device.limits().max_storage_buffer_binding_size / RAY_BYTES;
        if self.last.replace(tracing) != Some(tracing) {
            self.plan.restart(camera.size, most_rays);
        }
        self.poll_table(tree_surface, camera.quality, device);
        // where detail falls with distance, a simplified primitive can be higher than the bound in the table for full
        // detail
        let table = self.table.clone().filter(|_| camera.half_detail.is_none());
        let pass = self.plan.next();
        let march = pass.map(|pass| {
            let own = self.level(pass.level, u64::from(pass.size.x * pass.size.y) * RAY_BYTES, device);
            queue.write_buffer(&own.uniform, 0, bytemuck::bytes_of(&tracing.of_pass(&pass, table.is_some())));
            let own = self.levels[pass.level].as_ref().expect("created above");
            let entries = BindGroupEntries::sequential((
                self.words.as_entire_binding(),
                self.image_samples.as_entire_binding(),
                own.uniform.as_entire_binding(),
                own.rays.as_entire_binding(),
                table.as_ref().unwrap_or(&self.words).as_entire_binding(),
            ));
            let groups = UVec2::new(pass.size.x, pass.rows.end - pass.rows.start).map(|n| n.div_ceil(GROUP));
            (device.create_bind_group("talweg rays", march_layout, &entries), groups)
        });
        let shown = self.level(self.plan.shown(), RAY_BYTES, device);
        let entries = BindGroupEntries::sequential((shown.uniform.as_entire_binding(), shown.rays.as_entire_binding()));
        let seen = device.create_bind_group("talweg rays seen", seen_layout, &entries);
        RayBatch { march, seen, is_settled: self.plan.is_done() }
    }

    /// The buffers of the ray level with this number. The ray buffer has at least `bytes` bytes.
    fn level(&mut self, number: usize, bytes: u64, device: &RenderDevice) -> &RayLevel {
        let slot = &mut self.levels[number];
        let made = slot.take().filter(|level| level.bytes >= bytes);
        slot.insert(made.unwrap_or_else(|| RayLevel::new(device, bytes)))
    }
}

/// The colour ramp of the evaluation counts.
pub fn cost_ramp() -> &'static Ramp {
    &PLAIN
}

/// The legend of the evaluation counts.
pub fn cost_legend() -> Legend {
    Legend {
        title: "Evaluations of the construction tree per pixel".into(),
        unit: String::new(),
        ramp: cost_ramp(),
        ticks: legend::linear(0.0, MOST_SHOWN, 4, true),
    }
}
