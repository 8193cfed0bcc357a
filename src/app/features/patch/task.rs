//! Patches of planets: taken out, and put back, on a thread of their own.

use std::path::{Path, PathBuf};

use bevy::prelude::{Message, Resource};

use crate::app::frame::tasks::{self, Outcome, Tasks};
use crate::eval::{Store, evaluate, thread_pool};
use crate::field::{Cancelled, Control};
use crate::io::{FileError, check_place};
use crate::planet::square::Square;
use crate::scene::{PatchError, put_patch_back, take_patch};
use crate::scene::{Scene, SceneError};

/// What shall be done.
#[derive(Message, Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there is one at a time")]
pub enum PatchOrder {
    /// Take a square out of a planet.
    Take {
        planet: Scene,
        /// File of the planet, or the name of a shipped one.
        from: PathBuf,
        square: Square,
        samples: usize,
        /// Scene to write; its heights lie beside it.
        path: PathBuf,
    },
    /// Put a patch back.
    Put {
        patch: Scene,
        planet: Scene,
        /// File of the planet, if it has one.
        file: Option<PathBuf>,
        square: Square,
        /// Heights to write.
        heights: PathBuf,
    },
}

impl PatchOrder {
    /// What is done, for who waits for it.
    pub fn doing(&self) -> String {
        let named = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match self {
            Self::Take { planet, path, .. } => {
                format!("Computing {} to take the patch {}", quoted(&planet.name, "the planet"), named(path))
            }
            Self::Put { patch, planet, .. } => format!(
                "Computing {} to put it back onto {}",
                quoted(&patch.name, "the patch"),
                quoted(&planet.name, "the planet")
            ),
        }
    }
}

fn quoted(name: &str, otherwise: &str) -> String {
    if name.is_empty() || name == Scene::default().name { otherwise.into() } else { format!("“{name}”") }
}

/// What came of it.
#[derive(Debug)]
pub enum Made {
    /// A scene was written.
    Patch(PathBuf),
    /// The planet as it was, and with the patch on it.
    Planet(Box<PatchedPlanet>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct PatchedPlanet {
    pub before: Scene,
    pub after: Scene,
    pub file: Option<PathBuf>,
}

/// Why nothing came of it.
#[derive(Debug, thiserror::Error)]
pub enum PatchingError {
    #[error(transparent)]
    Patch(#[from] PatchError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error("it was stopped; nothing was changed")]
    Cancelled(#[from] Cancelled),
    #[error("another patch is still under way; wait for it, or stop it with Esc")]
    Busy,
    #[error("no threads could be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("no thread could be started: {0}")]
    Thread(#[from] std::io::Error),
    #[error("the evaluation broke; this is a defect of the program")]
    Broke,
}

struct Running {
    doing: String,
    layers: usize,
    task: tasks::Task<Result<Made, PatchingError>>,
}

/// The patch under way, if there is one.
#[derive(Resource, Default)]
pub struct PatchTask {
    running: Option<Running>,
}

impl PatchTask {
    /// Begins `task`.
    ///
    /// # Errors
    /// While another one is under way, or when the place of the file cannot be written to.
    pub fn start(&mut self, task: PatchOrder, tasks: &Tasks) -> Result<(), PatchingError> {
        if self.running.is_some() {
            return Err(PatchingError::Busy);
        }
        let (target, layers) = match &task {
            PatchOrder::Take { path, planet, .. } => (path, planet.layers.len()),
            PatchOrder::Put { heights, patch, .. } => (heights, patch.layers.len()),
        };
        check_place(target)?;
        let doing = task.doing();
        let task = tasks.start("patch", move |control| carry_out(task, control))?;
        self.running = Some(Running { doing, layers, task });
        Ok(())
    }

    pub fn cancel(&self) {
        if let Some(running) = &self.running {
            running.task.control().cancel();
        }
    }

    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// What is being done, and the share of it that is done.
    pub fn progress(&self) -> Option<(String, f32)> {
        let running = self.running.as_ref()?;
        let (layer, fraction) = running.task.control().progress();
        Some((running.doing.clone(), (layer as f32 + fraction) / running.layers.max(1) as f32))
    }

    /// How it ended, once.
    pub fn ended(&mut self) -> Option<Result<Made, PatchingError>> {
        let ending = match self.running.as_mut()?.task.outcome() {
            Outcome::Running => return None,
            Outcome::Done(ending) => ending,
            Outcome::Broke => Err(PatchingError::Broke),
        };
        self.running = None;
        Some(ending)
    }
}

/// Does `task`, at the full size of its scene.
///
/// # Errors
/// When it is stopped, or a file cannot be written.
pub fn carry_out(task: PatchOrder, control: &Control) -> Result<Made, PatchingError> {
    let pool = thread_pool(0)?;
    let terrain = |scene: &Scene| -> Result<_, PatchingError> {
        let evaluated = pool.install(|| evaluate(scene, scene.samples(), None, &mut Store::forgetful(), control))?;
        control.check()?;
        Ok(evaluated.terrain)
    };
    match task {
        PatchOrder::Take { planet, from, square, samples, path } => {
            let heights = absolute(&path.with_extension("r32"));
            let patch = take_patch(&planet, &*terrain(&planet)?, square, samples, &from, &heights)?;
            patch.save(&path)?;
            Ok(Made::Patch(path))
        }
        PatchOrder::Put { patch, planet, file, square, heights } => {
            let after = put_patch_back(&planet, square, &patch, &*terrain(&patch)?, &absolute(&heights))?;
            Ok(Made::Planet(Box::new(PatchedPlanet { before: planet, after, file })))
        }
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}
