//! Frame times of the view, measured over many frames while the camera turns once on the spot. The frames have the same
//! quality as in the window.

use std::f32::consts::TAU;
use std::fmt;
use std::time::Instant;

use bevy::diagnostic::DiagnosticsStore;
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::diagnostic::RenderDiagnosticsPlugin;
use bevy::render::render_resource::PollType;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};

use super::{OffscreenRenderer, ShotError, ShotOptions, ShotSubject, guarded, planet_scenery};
use crate::view::RenderQuality;

/// Frame times of the view, without the panels around it.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameTimes {
    /// The graphics card or driver that drew the frames.
    pub adapter: String,
    pub width: u32,
    pub height: u32,
    /// Milliseconds from the start of a frame until the card has drawn it, in the run that waits for each frame;
    /// sorted.
    pub waited: Vec<f64>,
    /// Milliseconds of processor time for the same frames; sorted.
    pub processor: Vec<f64>,
    /// Mean milliseconds per frame in the run in which the processor starts a frame while the card still draws the
    /// previous frame.
    pub overlapped: f64,
    /// Mean milliseconds of each pass on the graphics card, longest first; empty if the driver cannot time passes.
    pub passes: Vec<(String, f64)>,
}

impl FrameTimes {
    /// Draws `frames` frames, but at least one, in two runs. The first run waits for each frame, the second only for
    /// the last frame.
    ///
    /// # Errors
    /// If drawing a still image would fail, or the graphics card is lost.
    pub fn measure(subject: &ShotSubject, options: &ShotOptions, frames: u32) -> Result<Self, ShotError> {
        let options = super::supersampled_options(options)?;
        guarded(|| draw(subject, &options, frames.max(1)))?
    }
}

fn draw(subject: &ShotSubject, options: &ShotOptions, frames: u32) -> Result<FrameTimes, ShotError> {
    let mut renderer = OffscreenRenderer::with_plugins(options, RenderQuality::Moving, RenderDiagnosticsPlugin)?;
    // this first image loads all data and compiles all shaders
    renderer.draw_image(subject)?;
    let camera = renderer.camera.ok_or_else(|| ShotError::Draw("there is no camera".into()))?;
    let first = renderer.app.world().get::<Transform>(camera).map_or(Quat::IDENTITY, |at| at.rotation);
    let device = renderer.app.sub_app(RenderApp).world().resource::<RenderDevice>().clone();
    let wait = || {
        let waited = device.poll(PollType::wait_indefinitely());
        waited.map_err(|error| ShotError::Draw(format!("the graphics card was lost: {error}")))
    };
    let milliseconds = |since: Instant| 1e3 * since.elapsed().as_secs_f64();
    let app = &mut renderer.app;
    let look = |app: &mut App, frame: u32| {
        let angle = TAU * frame as f32 / frames as f32;
        match subject {
            ShotSubject::Terrain(..) => {
                if let Some(mut at) = app.world_mut().get_mut::<Transform>(camera) {
                    at.rotation = Quat::from_rotation_y(angle) * first;
                }
            }
            ShotSubject::Planet(terrain, view, camera) => {
                app.insert_resource(planet_scenery(&camera.looking_round(f64::from(angle)), terrain, view));
            }
        }
    };
    // wait until all earlier frames are finished, before the measurement begins
    wait()?;
    let (mut waited, mut processor) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        let begin = Instant::now();
        look(app, frame);
        app.update();
        processor.push(milliseconds(begin));
        wait()?;
        waited.push(milliseconds(begin));
    }
    let begin = Instant::now();
    for frame in 0..frames {
        look(app, frame);
        app.update();
    }
    wait()?;
    let overlapped = milliseconds(begin) / f64::from(frames);
    waited.sort_by(f64::total_cmp);
    processor.sort_by(f64::total_cmp);
    let adapter = app.world().get_resource::<RenderAdapterInfo>();
    let adapter = adapter.map_or_else(String::new, |info| format!("{} ({:?})", info.name, info.backend));
    let passes = passes(app.world().resource::<DiagnosticsStore>());
    Ok(FrameTimes { adapter, width: options.width, height: options.height, waited, processor, overlapped, passes })
}

/// Mean times of the render passes over the last frames.
fn passes(found: &DiagnosticsStore) -> Vec<(String, f64)> {
    let name = |path: &str| Some(path.strip_prefix("render/")?.strip_suffix("/elapsed_gpu")?.to_owned());
    let pass =
        |diagnostic: &bevy::diagnostic::Diagnostic| Some((name(diagnostic.path().as_str())?, diagnostic.average()?));
    let mut passes: Vec<_> = found.iter().filter_map(pass).collect();
    passes.sort_by(|a, b| b.1.total_cmp(&a.1));
    passes
}

/// The quantile of sorted values for the fraction `share`.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
}

impl fmt::Display for FrameTimes {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let Self { adapter, width, height, waited, processor, overlapped, passes } = self;
        writeln!(out, "{adapter}, {width} × {height} pixels, {} frames during one turn on the spot", waited.len())?;
        let row = |sorted: &[f64]| [0.5, 0.99, 1.0].map(|share| quantile(sorted, share));
        let [median, most, longest] = row(waited);
        writeln!(out, "waiting for each     median {median:.2} ms   99 % {most:.2} ms   longest {longest:.2} ms")?;
        let [median, most, longest] = row(processor);
        writeln!(out, "processor time       median {median:.2} ms   99 % {most:.2} ms   longest {longest:.2} ms")?;
        writeln!(out, "overlapped           {overlapped:.2} ms per frame, {:.0} frames per second", 1e3 / overlapped)?;
        for (name, ms) in passes {
            writeln!(out, "pass {name:<24} {ms:.3} ms")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_come_from_the_sorted_times() {
        let times: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(|share| quantile(&times, share)), [0.0, 50.0, 99.0, 100.0]);
        assert_eq!(quantile(&[3.0], 0.99), 3.0);
    }
}
