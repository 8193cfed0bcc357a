//! Exports from the editor: heightmaps and films are computed beside the worker, and written.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bevy::prelude::Resource;

use crate::app::frame::tasks::{Outcome, Task, Tasks};
use crate::eval::{Store, evaluate, thread_pool};
use crate::field::{Cancelled, Control};
use crate::film::{Film, FilmError, check_target};
use crate::io::{FileError, check_place, export_heightmap};
use crate::look::PaletteTable;
use crate::planet::projection::{Equirectangular, export_map};
use crate::scene::Scene;

/// Why nothing was exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("stopped before it was finished; nothing was written")]
    Cancelled(#[from] Cancelled),
    #[error(transparent)]
    Film(#[from] FilmError),
    #[error("another export is still under way; wait for it, or stop it with Esc")]
    Busy,
    #[error("no threads could be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
    #[error("the evaluation broke; this is a defect of the program")]
    Broke,
}

/// What is exported.
#[derive(Clone, Debug, PartialEq)]
pub enum Product {
    Heightmap,
    Film(Film),
}

impl Product {
    /// What it is called in a sentence.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Heightmap => "heightmap",
            Self::Film(_) => "time-lapse",
        }
    }
}

struct Running {
    path: PathBuf,
    layers: usize,
    /// Share of a film that is done, as bits of an f32; NaN for a heightmap.
    filmed: Arc<AtomicU32>,
    task: Task<Result<String, ExportError>>,
}

/// The export under way, if there is one.
#[derive(Resource, Default)]
pub struct ExportTask {
    running: Option<Running>,
    /// The program ends when the export is written.
    pub then_quit: bool,
}

impl ExportTask {
    /// Begins to export `scene`.
    pub fn start(&mut self, scene: &Scene, product: Product, path: &Path, tasks: &Tasks) -> Result<(), ExportError> {
        if self.running.is_some() {
            return Err(ExportError::Busy);
        }
        match &product {
            Product::Heightmap => check_place(path)?,
            Product::Film(_) => check_target(path)?,
        }
        let filmed = Arc::new(AtomicU32::new(f32::NAN.to_bits()));
        let (copy, target, told) = (scene.clone(), path.to_path_buf(), filmed.clone());
        let task = tasks.start("export", move |control| export(&copy, &product, &target, control, &told))?;
        let layers = scene.layers.len();
        self.running = Some(Running { path: path.into(), layers, filmed, task });
        Ok(())
    }

    pub fn cancel(&mut self) {
        if let Some(running) = &self.running {
            running.task.control().cancel();
        }
    }

    fn file_name(&self) -> Option<String> {
        let name = self.running.as_ref()?.path.file_name()?;
        Some(name.to_string_lossy().into_owned())
    }

    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Name of the file being written, and the share of the work that is done.
    pub fn progress(&self) -> Option<(String, f32)> {
        let running = self.running.as_ref()?;
        let (layer, fraction) = running.task.control().progress();
        let evaluated = (layer as f32 + fraction) / running.layers.max(1) as f32;
        let filmed = f32::from_bits(running.filmed.load(Ordering::Relaxed));
        Some((self.file_name()?, if filmed.is_nan() { evaluated } else { filmed }))
    }

    /// How the export ended, once: what was written, in a sentence.
    pub fn ended(&mut self) -> Option<Result<String, ExportError>> {
        let ending = match self.running.as_mut()?.task.outcome() {
            Outcome::Running => return None,
            Outcome::Done(ending) => ending,
            Outcome::Broke => Err(ExportError::Broke),
        };
        self.running = None;
        Some(ending)
    }
}

fn export(
    scene: &Scene,
    product: &Product,
    path: &Path,
    control: &Control,
    filmed: &AtomicU32,
) -> Result<String, ExportError> {
    let pool = thread_pool(0)?;
    match product {
        Product::Heightmap => {
            let evaluated =
                pool.install(|| evaluate(scene, scene.samples(), None, &mut Store::forgetful(), control))?;
            control.check()?;
            let terrain = &evaluated.terrain;
            let settings = &scene.settings;
            let report = if let Some(planet) = scene.as_planet() {
                let map = Equirectangular::for_samples(terrain.samples());
                pool.install(|| export_map(planet, settings.relief_metres, terrain, map, path))?
            } else {
                export_heightmap(terrain, settings.relief_metres, settings.size_metres, path)?
            };
            let void = report.void().map_or(String::new(), |void| format!("; {void}"));
            Ok(format!(
                "Exported {}: {} × {} samples from {:.1} to {:.1} m{void}",
                report.path.display(),
                report.samples,
                report.rows,
                report.min_metres,
                report.max_metres
            ))
        }
        Product::Film(film) => {
            let tell = |share: f32| filmed.store(share.to_bits(), Ordering::Relaxed);
            let count = pool.install(|| film.shoot(scene, &PaletteTable::for_scene(scene), path, control, tell))?;
            Ok(format!("Exported {}: {count} pictures", path.display()))
        }
    }
}
