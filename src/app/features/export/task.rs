//! Exports from the editor: computed beside the worker, and written.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bevy::prelude::{Message, Resource};

use super::ExportChoice;
use crate::frame::tasks::{SceneWork, Tasks};
use talweg::appearance::PaletteTable;
use talweg::eval::{Store, check_memory, evaluate, thread_pool};
use talweg::export::{self, ExportPlace, ExportReport, RasterReport};
use talweg::field::{Control, MAX_SAMPLES};
use talweg::io::SaveTarget;
use talweg::scene::{BuildPreset, Scene};
use talweg::tiles::LargeExport;
use talweg::timelapse::{Film, check_target};

/// Something to compute and to write.
#[derive(Message, Clone, Debug, PartialEq)]
pub enum ExportOrder {
    Build(Box<ExportChoice>),
    Film(Film, SaveTarget),
}

impl ExportOrder {
    /// What it is called in a sentence.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Build(_) => "terrain",
            Self::Film(..) => "time-lapse",
        }
    }
}

/// What is known about an export under way.
pub(super) struct ExportProgress {
    path: PathBuf,
    /// Share of the files that is written, as bits of an f32; NaN while the terrain is computed.
    written: Arc<AtomicU32>,
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
    pub fn start(&mut self, scene: &Scene, order: &ExportOrder, tasks: &Tasks) -> anyhow::Result<()> {
        let path = match order {
            ExportOrder::Build(choice) => {
                export::check(&choice.preset, scene, &choice.place())?;
                choice.folder.clone()
            }
            ExportOrder::Film(_, to) => {
                check_target(to)?;
                to.path().into()
            }
        };
        let written = Arc::new(AtomicU32::new(f32::NAN.to_bits()));
        let (copy, order, told) = (scene.clone(), order.clone(), written.clone());
        let about = ExportProgress { path, written };
        self.work.begin(tasks, "export", (about, scene.layers.len()), move |control| {
            carry_out(&copy, &order, control, &told)
        })
    }

    /// Name of the file being written, and the share of the work that is done.
    pub fn progress(&self) -> Option<(String, f32)> {
        let (ExportProgress { path, written }, evaluated) = self.work.progress()?;
        let written = f32::from_bits(written.load(Ordering::Relaxed));
        Some((path.file_name()?.to_string_lossy().into_owned(), if written.is_nan() { evaluated } else { written }))
    }
}

fn carry_out(scene: &Scene, order: &ExportOrder, control: &Control, written: &AtomicU32) -> anyhow::Result<String> {
    let pool = thread_pool(0)?;
    let tell = |share: f32| written.store(share.to_bits(), Ordering::Relaxed);
    match order {
        ExportOrder::Build(choice) => {
            let preset = &choice.preset;
            let samples = export::samples(preset, scene)?;
            let place = choice.place();
            if let Some(large) = large_export(scene, preset, &place, samples)? {
                let report = pool.install(|| large.write(control, &tell))?;
                return Ok(told(&report, samples, &choice.folder.join(&preset.folder)));
            }
            let mut store = Store::for_use(&export::memory_use(preset, scene, samples)?);
            let evaluated = pool.install(|| evaluate(scene, samples, None, &mut store, control))?;
            control.check()?;
            let report = pool.install(|| export::export(preset, scene, &evaluated.terrain, &place, control, &tell))?;
            Ok(told(&report, samples, &choice.folder.join(&preset.folder)))
        }
        ExportOrder::Film(film, to) => {
            let count = pool.install(|| film.shoot(scene, &PaletteTable::for_scene(scene), to, control, tell))?;
            Ok(format!("Exported {}: {count} images", to.path().display()))
        }
    }
}

/// An export by tiles, where the terrain is larger than any that is evaluated as a whole, or than memory.
fn large_export<'a>(
    scene: &'a Scene,
    preset: &'a BuildPreset,
    place: &'a ExportPlace,
    samples: usize,
) -> anyhow::Result<Option<LargeExport<'a>>> {
    if samples > MAX_SAMPLES {
        return Ok(Some(LargeExport::new(preset, scene, place)?));
    }
    let Err(short) = check_memory(scene, samples, &export::memory_use(preset, scene, samples)?) else {
        return Ok(None);
    };
    // where tiles cannot be, what is lacking for the whole is what is told
    LargeExport::new(preset, scene, place).map(Some).map_err(|_| short.into())
}

/// What is said of the files.
fn told(report: &ExportReport, samples: usize, folder: &Path) -> String {
    let ExportReport { rasters, meshes, plants, others } = report;
    let void = rasters.iter().find_map(RasterReport::void).map_or(String::new(), |void| format!("; {void}"));
    match (&rasters[..], &meshes[..], &plants[..]) {
        ([one], [], []) => format!(
            "Exported {}: {} × {} samples from {:.1} to {:.1} {}{void}",
            one.path.display(),
            one.samples,
            one.rows,
            one.min,
            one.max,
            one.unit
        ),
        ([], [one], []) => format!("Exported {}: {} triangles", one.path.display(), one.triangles),
        ([], [], [one]) => {
            let count: usize = one.counts.iter().map(|(_, count)| count).sum();
            format!("Exported {}: {count} plants and stones", one.path.display())
        }
        _ => {
            let count = rasters.len() + meshes.len() + plants.len() + others.len();
            format!("Exported {count} files of {samples} samples per side to {}{void}", folder.display())
        }
    }
}
