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
    #[error("no threads could be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
    #[error("the evaluation broke; this is a defect of the program")]
    Broke,
}

struct Job {
    path: PathBuf,
    control: Arc<Control>,
    ending: Mutex<Receiver<Result<ExportReport, ExportError>>>,
}

/// The export under way, if there is one.
#[derive(Resource, Default)]
pub struct Exports {
    job: Option<Job>,
}

impl Exports {
    /// Begins to export `scene`; an export still under way is stopped.
    pub fn start(&mut self, scene: &Scene, path: &Path, waker: &Waker) -> Result<(), ExportError> {
        check_place(path)?;
        self.cancel();
        let control = Arc::new(Control::default());
        let (sender, ending) = channel();
        let (scene, target, waker, stop) = (scene.clone(), path.to_path_buf(), waker.clone(), control.clone());
        std::thread::Builder::new().name("talweg-export".into()).spawn(move || {
            // the editor may be gone; then nobody asks
            let _ = sender.send(export(&scene, &target, &stop));
            waker.wake();
        })?;
        self.job = Some(Job { path: path.into(), control, ending: Mutex::new(ending) });
        Ok(())
    }

    pub fn cancel(&mut self) {
        if let Some(job) = &self.job {
            job.control.cancel();
        }
    }

    /// Name of the file being written.
    pub fn file_name(&self) -> Option<String> {
        let name = self.job.as_ref()?.path.file_name()?;
        Some(name.to_string_lossy().into_owned())
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
