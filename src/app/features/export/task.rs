//! Exports from the editor: heightmaps and films are computed beside the worker, and written.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bevy::prelude::Resource;

use crate::app::frame::tasks::{SceneWork, Tasks};
use crate::eval::{MemoryUse, Store, check_memory, evaluate, thread_pool};
use crate::field::Control;
use crate::film::{Film, check_target};
use crate::io::{SaveTarget, check_place, export_heightmap};
use crate::look::PaletteTable;
use crate::planet::projection::{Equirectangular, export_map};
use crate::scene::Scene;

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

/// What is known about an export under way.
pub(super) struct ExportProgress {
    path: PathBuf,
    /// Share of a film that is done, as bits of an f32; NaN for a heightmap.
    filmed: Arc<AtomicU32>,
}

/// The export under way, if there is one; it ends with a sentence that says what was written.
#[derive(Resource, Default)]
pub struct ExportTask {
    pub(super) work: SceneWork<ExportProgress, String>,
    /// The program ends when the export is written.
    pub then_quit: bool,
}

impl ExportTask {
    /// Begins to export `scene`.
    ///
    /// # Errors
    /// While another one is under way, or when the place of the file cannot be written to.
    pub fn start(&mut self, scene: &Scene, product: Product, to: &SaveTarget, tasks: &Tasks) -> anyhow::Result<()> {
        match &product {
            Product::Heightmap => check_place(to)?,
            Product::Film(_) => check_target(to)?,
        }
        let filmed = Arc::new(AtomicU32::new(f32::NAN.to_bits()));
        let (copy, target, told) = (scene.clone(), to.clone(), filmed.clone());
        let about = ExportProgress { path: to.path().into(), filmed };
        self.work.begin(tasks, "export", (about, scene.layers.len()), move |control| {
            export(&copy, &product, &target, control, &told)
        })
    }

    /// Name of the file being written, and the share of the work that is done.
    pub fn progress(&self) -> Option<(String, f32)> {
        let (ExportProgress { path, filmed }, evaluated) = self.work.progress()?;
        let filmed = f32::from_bits(filmed.load(Ordering::Relaxed));
        Some((path.file_name()?.to_string_lossy().into_owned(), if filmed.is_nan() { evaluated } else { filmed }))
    }
}

fn export(
    scene: &Scene,
    product: &Product,
    to: &SaveTarget,
    control: &Control,
    filmed: &AtomicU32,
) -> anyhow::Result<String> {
    let pool = thread_pool(0)?;
    match product {
        Product::Heightmap => {
            check_memory(scene, scene.samples(), &MemoryUse::EXPORT)?;
            let evaluated =
                pool.install(|| evaluate(scene, scene.samples(), None, &mut Store::forgetful(), control))?;
            control.check()?;
            let terrain = &evaluated.terrain;
            let settings = &scene.settings;
            let report = if let Some(planet) = scene.as_planet() {
                let map = Equirectangular::for_samples(terrain.samples());
                pool.install(|| export_map(planet, settings.relief_metres, terrain, map, to))?
            } else {
                export_heightmap(terrain, settings.relief_metres, settings.size_metres, to)?
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
            let count = pool.install(|| film.shoot(scene, &PaletteTable::for_scene(scene), to, control, tell))?;
            Ok(format!("Exported {}: {count} pictures", to.path().display()))
        }
    }
}
