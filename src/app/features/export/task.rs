//! Exports from the editor. They are computed in parallel to the work of the evaluation worker.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bevy::prelude::{Message, Resource};

use super::ExportChoice;
use crate::frame::editor::file_name;
use crate::frame::tasks::{SingleTask, Tasks};
use talweg::appearance::PaletteTable;
use talweg::eval::{Store, check_memory, evaluate, thread_pool};
use talweg::export::{self, ExportFolder, ExportReport, ExportRequest, RasterReport};
use talweg::field::{Control, MAX_SAMPLES};
use talweg::io::SaveTarget;
use talweg::scene::Scene;
use talweg::tiles::LargeExport;
use talweg::timelapse::{Film, check_target};
use talweg::user_state::note_built_files;

/// An export to compute and write.
#[derive(Message, Clone, Debug, PartialEq)]
pub enum ExportOrder {
    Build(Box<ExportChoice>),
    Film(Film, SaveTarget),
}

impl ExportOrder {
    /// Name of the export, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Build(_) => "terrain",
            Self::Film(..) => "time-lapse",
        }
    }
}

/// Data about a running export.
pub(super) struct ExportProgress {
    /// Name of the exported scene, or of the film's file.
    name: String,
    /// Fraction of the files that is already written, as the bits of an f32. It is NaN while the terrain is computed.
    written: Arc<AtomicU32>,
}

/// The running export, if there is one. Its result is a sentence about the written files.
#[derive(Resource, Default)]
pub struct ExportTask {
    pub(super) work: SingleTask<ExportProgress, String>,
    /// Whether to quit the program after the export is written.
    pub then_quit: bool,
}

impl ExportTask {
    /// Starts to export `scene`, which is called `name` in messages.
    ///
    /// # Errors
    /// If another export is running, or if the target cannot be written.
    pub fn start(&mut self, scene: &Scene, name: &str, order: &ExportOrder, tasks: &Tasks) -> anyhow::Result<()> {
        let (name, job) = match order {
            ExportOrder::Build(choice) => {
                let (request, place) = (choice.request()?, choice.careful_folder());
                export::check(&request, scene, &place)?;
                (name.into(), ExportJob::Build(Box::new(request), place, choice.scene_file.clone()))
            }
            ExportOrder::Film(film, to) => {
                check_target(to)?;
                (file_name(to.path()), ExportJob::Film(film.clone(), to.clone()))
            }
        };
        let written = Arc::new(AtomicU32::new(f32::NAN.to_bits()));
        let (copy, told) = (scene.clone(), written.clone());
        let about = ExportProgress { name, written };
        self.work
            .start(tasks, "export", (about, scene.layers.len()), move |control| carry_out(&copy, &job, control, &told))
    }

    /// Name of the scene or film that is being exported, and the completed fraction of the work.
    pub fn progress(&self) -> Option<(&str, f32)> {
        let (ExportProgress { name, written }, evaluated) = self.work.progress()?;
        let written = f32::from_bits(written.load(Ordering::Relaxed));
        Some((name, if written.is_nan() { evaluated } else { written }))
    }
}

/// An export order after it was parsed and checked.
enum ExportJob {
    /// The request, its folder, and the file of the scene.
    Build(Box<ExportRequest>, ExportFolder, Option<PathBuf>),
    Film(Film, SaveTarget),
}

fn carry_out(scene: &Scene, job: &ExportJob, control: &Control, written: &AtomicU32) -> anyhow::Result<String> {
    let pool = thread_pool(0)?;
    let tell = |share: f32| written.store(share.to_bits(), Ordering::Relaxed);
    match job {
        ExportJob::Build(request, place, scene_file) => {
            let note = |report: &ExportReport| {
                scene_file.iter().for_each(|scene| note_built_files(scene, &report.files()));
            };
            let samples = export::samples(request, scene)?;
            let folder = place.folder.join(&request.folder);
            if let Some(large) = large_export(scene, request, place, samples)? {
                let report = pool.install(|| large.write(control, &tell))?;
                note(&report);
                return Ok(written_text(&report, samples, &folder));
            }
            let mut store = Store::for_use(&export::memory_use(request, scene, samples)?);
            let evaluated = pool.install(|| evaluate(scene, samples, None, &mut store, control))?;
            control.check()?;
            let report = pool.install(|| export::export(request, scene, &evaluated.terrain, place, control, &tell))?;
            note(&report);
            Ok(written_text(&report, samples, &folder))
        }
        ExportJob::Film(film, to) => {
            let count = pool.install(|| film.shoot(scene, &PaletteTable::for_scene(scene), to, control, tell))?;
            Ok(format!("Exported {}: {count} images", to.path().display()))
        }
    }
}

/// Returns an export in tiles if the terrain is too large to be evaluated at once, or too large for the memory.
fn large_export<'a>(
    scene: &'a Scene,
    request: &'a ExportRequest,
    place: &'a ExportFolder,
    samples: usize,
) -> anyhow::Result<Option<LargeExport<'a>>> {
    if samples > MAX_SAMPLES {
        return Ok(Some(LargeExport::new(request, scene, place)?));
    }
    let Err(short) = check_memory(scene, samples, &export::memory_use(request, scene, samples)?) else {
        return Ok(None);
    };
    // if tiling is impossible, report the memory shortfall of the whole-terrain export
    LargeExport::new(request, scene, place).map(Some).map_err(|_| short.into())
}

/// The message about the written files.
fn written_text(report: &ExportReport, samples: usize, folder: &Path) -> String {
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
