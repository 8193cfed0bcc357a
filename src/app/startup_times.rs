//! `talweg --startup-times [SCENE]`: measures the start of the editor, from the start of the program to the first whole
//! picture, prints the seconds of its parts, and quits.
//!
//! The parts overlap: the terrain is evaluated and the textures and shaders are made while the window already draws.
//! Each line of the table is the time of the first frame in which that part was there. Between frames nothing is
//! noticed, so times are later than the truth by up to one frame.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy::render::render_resource::PipelineCache;
use bevy::render::{Render, RenderApp, RenderSystems};
use bevy::window::RequestRedraw;

use crate::frame::evaluation::EvaluationClient;
use crate::frame::tasks::Tasks;
use crate::view::{FrameStatus, ViewState, material_textures_are_ready};
use talweg_cli::print;

/// The parts of the start, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StartPart {
    Scene,
    GraphicsCard,
    Window,
    Evaluation,
    Ground,
    Textures,
    Shaders,
    Picture,
}

impl StartPart {
    const ALL: [Self; 8] = [
        Self::Scene,
        Self::GraphicsCard,
        Self::Window,
        Self::Evaluation,
        Self::Ground,
        Self::Textures,
        Self::Shaders,
        Self::Picture,
    ];

    fn label(self) -> &'static str {
        match self {
            Self::Scene => "scene read",
            Self::GraphicsCard => "graphics card opened",
            Self::Window => "first frame of the window",
            Self::Evaluation => "terrain evaluated",
            Self::Ground => "ground on the screen",
            Self::Textures => "textures of the materials made or read",
            Self::Shaders => "shaders compiled",
            Self::Picture => "whole picture, pictures of the panels included",
        }
    }
}

/// When each part of the start was there, counted from the start of the program.
#[derive(Resource, Clone, Debug)]
pub struct StartupTimes {
    begun: Instant,
    reached: [Option<Duration>; StartPart::ALL.len()],
}

impl StartupTimes {
    /// Starts to measure. Called before the scene is read.
    pub fn begin() -> Self {
        Self { begun: Instant::now(), reached: default() }
    }

    /// Notes that the scene was read.
    pub fn note_scene(&mut self) {
        self.note(StartPart::Scene);
    }

    fn note(&mut self, part: StartPart) {
        self.reached[part as usize].get_or_insert(self.begun.elapsed());
    }

    fn has(&self, part: StartPart) -> bool {
        self.reached[part as usize].is_some()
    }

    fn table(&self) -> String {
        let line = |part: StartPart| {
            let seconds = self.reached[part as usize].unwrap_or_default().as_secs_f64();
            format!("{seconds:8.2} s  {}\n", part.label())
        };
        StartPart::ALL.into_iter().map(line).collect()
    }
}

/// Number of shader programs that are not compiled yet, as counted after the last frame.
#[derive(Resource, Clone)]
struct UncompiledShaders(Arc<AtomicUsize>);

pub struct StartupTimesPlugin(pub StartupTimes);

impl Plugin for StartupTimesPlugin {
    fn build(&self, app: &mut App) {
        // until the first frame was drawn, shaders that nobody has asked for do not count as compiled
        let uncompiled = UncompiledShaders(Arc::new(AtomicUsize::new(usize::MAX)));
        app.insert_resource(self.0.clone())
            .insert_resource(uncompiled.clone())
            .add_systems(Last, note_parts.run_if(resource_exists::<EvaluationClient>));
        if let Some(render) = app.get_sub_app_mut(RenderApp) {
            render.insert_resource(uncompiled).add_systems(Render, count_shaders.in_set(RenderSystems::Cleanup));
        }
    }

    /// Runs when the graphics card is opened.
    fn finish(&self, app: &mut App) {
        app.world_mut().resource_mut::<StartupTimes>().note(StartPart::GraphicsCard);
    }
}

fn count_shaders(cache: Res<PipelineCache>, uncompiled: Res<UncompiledShaders>) {
    uncompiled.0.store(cache.waiting_pipelines().count(), Ordering::Release);
}

/// Notes the parts that are there. When all are, prints the table and quits.
fn note_parts(
    mut times: ResMut<StartupTimes>,
    mut evaluation: ResMut<EvaluationClient>,
    (state, frame, tasks): (Res<ViewState>, Res<FrameStatus>, Res<Tasks>),
    uncompiled: Res<UncompiledShaders>,
    mut redraw: MessageWriter<RequestRedraw>,
    mut exit: MessageWriter<AppExit>,
) {
    times.note(StartPart::Window);
    if evaluation.terrain.is_some() && !evaluation.is_busy() {
        times.note(StartPart::Evaluation);
    }
    if frame.serial() != 0 {
        times.note(StartPart::Ground);
    }
    if material_textures_are_ready() {
        times.note(StartPart::Textures);
    }
    let is_shown = times.has(StartPart::Evaluation) && times.has(StartPart::Ground) && frame.is_current(&state);
    if is_shown && uncompiled.0.load(Ordering::Acquire) == 0 {
        times.note(StartPart::Shaders);
    }
    if is_shown && times.has(StartPart::Textures) && times.has(StartPart::Shaders) && !tasks.is_busy() {
        times.note(StartPart::Picture);
        exit.write(match print(times.table().trim_end()) {
            Ok(()) => AppExit::Success,
            Err(_) => AppExit::error(),
        });
    } else if is_shown {
        // the rest is noticed in later frames
        redraw.write(RequestRedraw);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_time_of_each_part_counts() {
        let mut times = StartupTimes::begin();
        times.note_scene();
        let first = times.reached[0].unwrap();
        times.note_scene();
        assert_eq!(times.reached[0], Some(first));
        assert!(times.has(StartPart::Scene) && !times.has(StartPart::Window));
        let table = times.table();
        assert_eq!(table.lines().count(), StartPart::ALL.len());
        assert!(table.starts_with(&format!("{:8.2} s  scene read", first.as_secs_f64())), "{table}");
    }
}
