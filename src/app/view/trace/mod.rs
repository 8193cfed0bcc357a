//! Sphere tracing on the graphics card: the tree is a buffer that a fragment stage walks, once for every height and every bound.
//!
//! The words are those of [`buffer`](crate::construction::buffer); the walk stands in `assets/shaders/trace.wgsl`. A ray goes as in
//! [`construction::trace`](crate::construction::trace): by the Lipschitz bound of the stretch ahead, which is doubled after every step, and
//! without octaves that a pixel could not show. On the graphics card discs have bounds of their own over every stretch; the
//! other primitives have those that hold for all of them, with the weight of the stretch.

use std::sync::Arc;

use bevy::math::{Mat4, Vec4};
use bevy::render::render_resource::{
    BindGroup, BindGroupEntries, BindGroupLayout, Buffer, BufferDescriptor, BufferInitDescriptor, BufferUsages,
};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bytemuck::{Pod, Zeroable};

use super::formation::{Formation, Refusal};
use super::legend::{self, Legend};
use super::mode::ViewMode;
use super::ramp::{PLAIN, Ramp};

/// Frames of the shader's stacks.
const FRAMES: u32 = 16;
/// Word of the buffer that says how many a walk needs.
const FRAMES_WORD: usize = 11;
/// A ray that has taken as many steps has met what it is at.
const MOST_STEPS: f32 = 600.0;
/// Evaluations that have the last colour of the ramp.
const MOST_EVALUATIONS: f32 = 256.0;
/// Distance that all bits of a picture of distances mean, in units of the world.
pub const FARTHEST_WORLD: f32 = 4096.0;

/// What the shader is told: mirrors `Tracing` in `assets/shaders/trace.wgsl`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Tracing {
    eye_from_clip: Mat4,
    scale: Vec4,
    look: Vec4,
    range: Vec4,
}

impl Tracing {
    pub fn new(
        formation: &Formation,
        clip_from_eye: Mat4,
        pixels_per_radian: f32,
        (mode, water): (ViewMode, bool),
    ) -> Self {
        let metres = 1.0 / formation.per_metre;
        let show = match mode {
            ViewMode::TracedCost => 1.0,
            ViewMode::TracedDistance => 2.0,
            _ => 0.0,
        };
        let water = f32::from(u8::from(water && formation.has_water()));
        let [low, high] = formation.range_world;
        Self {
            eye_from_clip: clip_from_eye.inverse(),
            scale: Vec4::new(
                metres as f32,
                formation.rise as f32,
                formation.program.side as f32,
                formation.recipe.level,
            ),
            look: Vec4::new(1.0 / pixels_per_radian, show, MOST_EVALUATIONS, water),
            range: Vec4::new(low, high, FARTHEST_WORLD, MOST_STEPS),
        }
    }
}

/// Why a graphics card cannot trace a tree.
pub fn refusal(formation: &Formation, device: &RenderDevice) -> Option<Refusal> {
    let limits = device.limits();
    let bytes = 4 * formation.buffer.words.len().max(formation.buffer.pictures.len()) as u64;
    if limits.max_storage_buffers_per_shader_stage < 2 {
        return Some(Refusal::NoStorage);
    }
    let is_deep = formation.buffer.words.get(FRAMES_WORD).is_some_and(|frames| *frames > FRAMES);
    (is_deep || bytes > u64::from(limits.max_storage_buffer_binding_size)).then_some(Refusal::TooLarge)
}

/// A tree on the graphics card.
pub struct Rays {
    serial: u64,
    words: Buffer,
    pictures: Buffer,
    uniform: Buffer,
}

impl Rays {
    pub fn new(formation: &Arc<Formation>, device: &RenderDevice) -> Self {
        let storage = |label, contents: &[u8]| {
            // a buffer of nothing cannot be bound
            let contents = if contents.is_empty() { &[0; 4] } else { contents };
            let usage = BufferUsages::STORAGE;
            device.create_buffer_with_data(&BufferInitDescriptor { label: Some(label), contents, usage })
        };
        Self {
            serial: formation.serial,
            words: storage("talweg tree", bytemuck::cast_slice(&formation.buffer.words)),
            pictures: storage("talweg pictures of the tree", bytemuck::cast_slice(&formation.buffer.pictures)),
            uniform: device.create_buffer(&BufferDescriptor {
                label: Some("talweg tracing"),
                size: size_of::<Tracing>() as u64,
                usage: BufferUsages::UNIFORM | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
        }
    }

    pub fn is_of(&self, formation: &Formation) -> bool {
        self.serial == formation.serial
    }

    pub fn bind(
        &self,
        tracing: &Tracing,
        layout: &BindGroupLayout,
        device: &RenderDevice,
        queue: &RenderQueue,
    ) -> BindGroup {
        queue.write_buffer(&self.uniform, 0, bytemuck::bytes_of(tracing));
        let entries = BindGroupEntries::sequential((
            self.words.as_entire_binding(),
            self.pictures.as_entire_binding(),
            self.uniform.as_entire_binding(),
        ));
        device.create_bind_group("talweg tracing", layout, &entries)
    }
}

/// The ramp of evaluations.
pub fn cost_ramp() -> &'static Ramp {
    &PLAIN
}

/// What the colours of evaluations mean.
pub fn cost_legend() -> Legend {
    Legend {
        title: "Evaluations of the tree, per pixel".into(),
        unit: String::new(),
        ramp: cost_ramp(),
        ticks: legend::linear(0.0, MOST_EVALUATIONS, 4, true),
    }
}
