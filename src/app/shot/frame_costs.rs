//! Cost of each part of a view on a graphics card, counted with any driver. Each frame contains everything that a
//! graphics card would draw, and the driver counts vertices, triangles and pixels. The greatest work per pixel is
//! counted in the shader text.

use std::fmt;

use bevy::diagnostic::DiagnosticsStore;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::diagnostic::RenderDiagnosticsPlugin;
use bevy::render::render_resource::{PipelineCache, PollType};
use bevy::render::renderer::RenderDevice;
use bevy::shader::Source;

use super::shader_work::{ParsedShader, ShaderWork};
use super::{OffscreenRenderer, ShotError, ShotOptions, ShotSubject, guarded};
use crate::view::render::pipelines::part_name;
use crate::view::{RenderQuality, drawn_pipelines};

/// Number of frames to draw until the driver's counts of a frame are available.
const FRAMES: u32 = 8;
/// Texels per second that a mid-range graphics card reads (88 units at 1.7 GHz).
const TEXELS_PER_SECOND: f64 = 150e9;
/// Texels per texture read: two samples along the longer axis of the pixel's footprint, each from two mip levels.
const TEXELS_PER_READ: f64 = 4.0;
/// Operations per second of a mid-range card: half of its peak rate (1,408 units at 1.7 GHz, two operations per cycle).
const OPERATIONS_PER_SECOND: f64 = 2.5e12;
/// Triangles per second that a mid-range card can set up.
const TRIANGLES_PER_SECOND: f64 = 2e9;

/// The cost of a part of the view in one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartCost {
    /// Name of the part of the view.
    pub name: String,
    pub vertices: f64,
    /// Number of triangles that remain after clipping.
    pub triangles: f64,
    /// Number of runs of the fragment stage. A software driver counts blocks of 4 × 4 pixels, including hidden pixels.
    pub fragments: f64,
    /// Whether the part hides the parts behind it. A card shades each pixel for little more than one such part.
    pub covers: bool,
    /// Greatest shader work per vertex.
    pub per_vertex: ShaderWork,
    /// Greatest shader work per fragment; zero for a part without a fragment stage.
    pub per_fragment: ShaderWork,
}

impl PartCost {
    /// Upper bound of the part's time in milliseconds on a mid-range card, if nothing runs in parallel.
    pub fn milliseconds(&self) -> f64 {
        self.shape_milliseconds() + self.fragments * milliseconds_of(self.per_fragment)
    }

    /// Time of the part's vertices and triangles without its fragments, in milliseconds.
    fn shape_milliseconds(&self) -> f64 {
        self.vertices * milliseconds_of(self.per_vertex) + 1e3 * self.triangles / TRIANGLES_PER_SECOND
    }
}

/// Milliseconds that a mid-range card needs for one run of a shader stage.
fn milliseconds_of(work: ShaderWork) -> f64 {
    let reads = work.texture_reads * TEXELS_PER_READ / TEXELS_PER_SECOND;
    1e3 * (reads + work.operations / OPERATIONS_PER_SECOND)
}

/// The costs of all parts of a view in one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameCosts {
    pub width: u32,
    pub height: u32,
    /// The parts, the most expensive first.
    pub parts: Vec<PartCost>,
}

impl FrameCosts {
    /// Counts the costs of one frame that contains everything that a graphics card draws.
    ///
    /// # Errors
    /// If drawing a still image would fail, the driver has no counters, or a shader cannot be parsed.
    pub fn count(subject: &ShotSubject, options: &ShotOptions) -> Result<Self, ShotError> {
        let options = super::supersampled_options(options)?;
        guarded(|| draw(subject, &options))?
    }

    /// Milliseconds of all parts of the view together, if all counted pixels are shaded, including hidden pixels.
    pub fn most_milliseconds(&self) -> f64 {
        self.parts.iter().map(PartCost::milliseconds).sum()
    }

    /// Milliseconds if every pixel of the opaque parts is shaded once, at the cost of the most expensive opaque part. A
    /// card comes close to this time, because patches are drawn from near to far and the card skips hidden pixels.
    pub fn least_milliseconds(&self) -> f64 {
        let pixels = f64::from(self.width) * f64::from(self.height);
        let (covering, others): (Vec<_>, Vec<_>) = self.parts.iter().partition(|part| part.covers);
        let shading = covering.iter().map(|part| milliseconds_of(part.per_fragment)).fold(0.0, f64::max);
        let shapes: f64 = covering.iter().map(|part| part.shape_milliseconds()).sum();
        shapes + pixels * shading + others.iter().map(|part| part.milliseconds()).sum::<f64>()
    }
}

fn draw(subject: &ShotSubject, options: &ShotOptions) -> Result<FrameCosts, ShotError> {
    let mut renderer = OffscreenRenderer::with_plugins(options, RenderQuality::Counted, RenderDiagnosticsPlugin)?;
    renderer.draw_image(subject)?;
    let app = &mut renderer.app;
    let device = app.sub_app(RenderApp).world().resource::<RenderDevice>().clone();
    for _ in 0..FRAMES {
        app.update();
        let waited = device.poll(PollType::wait_indefinitely());
        waited.map_err(|error| ShotError::Draw(format!("the graphics card was lost: {error}")))?;
    }
    let mut parts = counted(app.world().resource::<DiagnosticsStore>());
    if parts.is_empty() {
        return Err(ShotError::Draw("this driver does not count triangles and pixels (no pipeline statistics)".into()));
    }
    let works = stage_work(app)?;
    for part in &mut parts {
        (part.per_vertex, part.per_fragment, part.covers) = works.get(&part.name).copied().unwrap_or_default();
    }
    parts.sort_by(|a, b| b.milliseconds().total_cmp(&a.milliseconds()));
    Ok(FrameCosts { width: options.width, height: options.height, parts })
}

/// The driver's counts for the parts of the last frame.
fn counted(found: &DiagnosticsStore) -> Vec<PartCost> {
    let mut parts: HashMap<String, PartCost> = HashMap::default();
    for diagnostic in found.iter() {
        let path = diagnostic.path().as_str();
        let Some((name, what)) = path.strip_prefix("render/").and_then(|path| path.rsplit_once('/')) else { continue };
        let Some(value) = diagnostic.value() else { continue };
        let counts: fn(&mut PartCost) -> &mut f64 = match what {
            "vertex_shader_invocations" => |part| &mut part.vertices,
            "clipper_primitives_out" => |part| &mut part.triangles,
            "fragment_shader_invocations" => |part| &mut part.fragments,
            _ => continue,
        };
        let part = parts.entry(name.to_owned()).or_insert_with(|| PartCost { name: name.to_owned(), ..default() });
        *counts(part) = value;
    }
    parts.into_values().filter(|part| part.vertices > 0.0).collect()
}

/// For each part of the view: its vertex work, its fragment work, and whether it hides the parts behind it.
fn stage_work(app: &App) -> Result<HashMap<String, (ShaderWork, ShaderWork, bool)>, ShotError> {
    let render = app.sub_app(RenderApp).world();
    let cache = render.resource::<PipelineCache>();
    let shaders = app.world().resource::<Assets<Shader>>();
    let mut works = HashMap::default();
    for id in drawn_pipelines(render) {
        let described = cache.get_render_pipeline_descriptor(id);
        let Some(fragment) = &described.fragment else { continue };
        let name = part_name(described);
        if works.contains_key(name) {
            continue;
        }
        let Some(Source::Wgsl(text)) = shaders.get(&fragment.shader).map(|shader| &shader.source) else { continue };
        let unread = |error: String| ShotError::Draw(format!("the shader of {name} cannot be parsed: {error}"));
        let shader = ParsedShader::new(text, &fragment.shader_defs).map_err(unread)?;
        let work = |entry: &Option<std::borrow::Cow<'static, str>>| {
            entry.as_deref().and_then(|entry| shader.entry_point(entry)).unwrap_or_default()
        };
        let covers = fragment.targets.iter().flatten().all(|target| target.blend.is_none());
        works.insert(name.to_owned(), (work(&described.vertex.entry_point), work(&fragment.entry_point), covers));
    }
    Ok(works)
}

impl fmt::Display for FrameCosts {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let Self { width, height, parts } = self;
        writeln!(
            out,
            "{width} × {height} pixels, drawn as on a graphics card; reads and operations (ops) are upper bounds per pixel"
        )?;
        writeln!(
            out,
            "{:<20} {:>10} {:>10} {:>10} {:>7} {:>8} {:>8}",
            "part", "vertices", "triangles", "pixels", "reads", "ops", "ms"
        )?;
        for part in parts {
            writeln!(
                out,
                "{:<20} {:>10.0} {:>10.0} {:>10.0} {:>7.0} {:>8.0} {:>8.2}",
                part.name,
                part.vertices,
                part.triangles,
                part.fragments,
                part.per_fragment.texture_reads,
                part.per_fragment.operations,
                part.milliseconds()
            )?;
        }
        let [least, most] = [self.least_milliseconds(), self.most_milliseconds()];
        let per_second = |milliseconds: f64| 1e3 / milliseconds;
        writeln!(
            out,
            "estimated, not measured, for a card with {:.0} G texels, {:.1} T operations and {:.0} G triangles per \
             second:",
            TEXELS_PER_SECOND / 1e9,
            OPERATIONS_PER_SECOND / 1e12,
            TRIANGLES_PER_SECOND / 1e9
        )?;
        writeln!(out, "each pixel shaded once:   {least:.2} ms, {:.0} frames per second", per_second(least))?;
        writeln!(out, "all counted pixels:       {most:.2} ms, {:.0} frames per second", per_second(most))
    }
}
