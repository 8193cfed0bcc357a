//! Exports from the editor: the scene is evaluated at full size beside the worker, and the result written.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::Resource;

use super::view::Waker;
use crate::eval::{Store, evaluate, thread_pool};
use crate::io::{ExportReport, FileError, check_place, export_heightmap};
use crate::nodes::{Cancelled, Control};
use crate::scene::Scene;

/// Why a heightmap was not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("stopped before it was finished; nothing was written")]
    Cancelled(#[from] Cancelled),
    #[error("another export is still under way; wait for it, or stop it with Esc")]
    Busy,
    #[error("no threads could be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
    #[error("the evaluation broke; this is a defect of the program")]
    Broke,
}

struct Job {
    path: PathBuf,
    layers: usize,
    control: Arc<Control>,
    ending: Mutex<Receiver<Result<ExportReport, ExportError>>>,
}

/// The export under way, if there is one.
#[derive(Resource, Default)]
pub struct Exports {
    job: Option<Job>,
    /// The program ends when the export is written.
    pub then_quit: bool,
}

impl Exports {
    /// Begins to export `scene`.
    pub fn start(&mut self, scene: &Scene, path: &Path, waker: &Waker) -> Result<(), ExportError> {
        if self.job.is_some() {
            return Err(ExportError::Busy);
        }
        check_place(path)?;
        let control = Arc::new(Control::default());
        let (sender, ending) = channel();
        let (copy, target, waker, stop) = (scene.clone(), path.to_path_buf(), waker.clone(), control.clone());
        std::thread::Builder::new().name("talweg-export".into()).spawn(move || {
            // the editor may be gone; then nobody asks
            let _ = sender.send(export(&copy, &target, &stop));
            waker.wake();
        })?;
        let layers = scene.layers.len();
        self.job = Some(Job { path: path.into(), layers, control, ending: Mutex::new(ending) });
        Ok(())
    }

    pub fn cancel(&mut self) {
        if let Some(job) = &self.job {
            job.control.cancel();
        }
    }

    fn file_name(&self) -> Option<String> {
        let name = self.job.as_ref()?.path.file_name()?;
        Some(name.to_string_lossy().into_owned())
    }

    pub fn is_running(&self) -> bool {
        self.job.is_some()
    }

    /// Name of the file being written, and the share of the work that is done.
    pub fn progress(&self) -> Option<(String, f32)> {
        let job = self.job.as_ref()?;
        let (layer, fraction) = job.control.progress();
        Some((self.file_name()?, (layer as f32 + fraction) / job.layers.max(1) as f32))
    }

    /// How the export ended, once.
    pub fn ended(&mut self) -> Option<Result<ExportReport, ExportError>> {
        let job = self.job.as_mut()?;
        let ending = match job.ending.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv() {
            Ok(ending) => ending,
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => Err(ExportError::Broke),
        };
        self.job = None;
        Some(ending)
    }
}

fn export(scene: &Scene, path: &Path, control: &Control) -> Result<ExportReport, ExportError> {
    let pool = thread_pool(0)?;
    let evaluated = pool.install(|| evaluate(scene, scene.samples(), None, &mut Store::forgetful(), control))?;
    control.check()?;
    Ok(export_heightmap(&evaluated.terrain, &scene.settings, path)?)
}
