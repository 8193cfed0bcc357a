//! Extracts and applies patches of planets on a thread of their own.

use std::path::{Path, PathBuf};

use bevy::prelude::{Message, Resource};

use crate::frame::tasks::{SingleTask, Tasks};
use talweg::eval::{MemoryUse, Store, check_memory, evaluate, thread_pool};
use talweg::field::Control;
use talweg::io::{SaveTarget, check_writable};
use talweg::planet::square::Square;
use talweg::scene::{Scene, put_patch_back, take_patch};

/// An order to extract or to apply a patch.
#[derive(Message, Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "only one exists at a time")]
pub enum PatchOrder {
    /// Extract a square from a planet.
    Take {
        planet: Scene,
        /// File of the planet, or the name of a built-in planet.
        from: PathBuf,
        square: Square,
        samples: usize,
        /// Scene file to write. The heights are written into the same folder.
        to: SaveTarget,
    },
    /// Apply a patch to its planet.
    Put {
        patch: Scene,
        planet: Scene,
        /// File of the planet; `None` if the planet has no file.
        file: Option<PathBuf>,
        square: Square,
        /// File to which the heights are written.
        heights: PathBuf,
    },
}

impl PatchOrder {
    /// Description of the work for the status bar.
    pub fn description(&self) -> String {
        let named = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match self {
            Self::Take { planet, to, .. } => {
                format!("Computing {} to extract the region {}", quoted(&planet.name, "the planet"), named(to.path()))
            }
            Self::Put { patch, planet, .. } => format!(
                "Computing {} to apply it to {}",
                quoted(&patch.name, "the region"),
                quoted(&planet.name, "the planet")
            ),
        }
    }
}

fn quoted(name: &str, otherwise: &str) -> String {
    if name.is_empty() || name == Scene::default().name { otherwise.into() } else { format!("“{name}”") }
}

/// The result of a patch order.
#[derive(Debug)]
pub enum PatchResult {
    /// The scene file of the extracted patch.
    Patch(PathBuf),
    /// The planet before and after the patch was applied.
    Planet(Box<PatchedPlanet>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct PatchedPlanet {
    pub before: Scene,
    pub after: Scene,
    pub file: Option<PathBuf>,
}

/// The running patch order, if there is one, with its description.
#[derive(Resource, Default)]
pub struct PatchTask(pub(super) SingleTask<String, PatchResult>);

impl PatchTask {
    /// Starts to execute `order`.
    ///
    /// # Errors
    /// If another order is running, or if the target file cannot be written.
    pub fn start(&mut self, order: PatchOrder, tasks: &Tasks) -> anyhow::Result<()> {
        let layers = match &order {
            PatchOrder::Take { to, planet, .. } => {
                check_writable(to)?;
                planet.layers.len()
            }
            PatchOrder::Put { heights, patch, .. } => {
                // this check allows protected files, because the heights get an unused file name and overwrite nothing
                check_writable(SaveTarget::new(heights).over_read_only(true).over_links(true))?;
                patch.layers.len()
            }
        };
        self.0.start(tasks, "patch", (order.description(), layers), move |control| execute(order, control))
    }
}

/// Executes `task` at the full resolution of its scene.
///
/// # Errors
/// If `task` is cancelled, or if a file cannot be written.
pub fn execute(task: PatchOrder, control: &Control) -> anyhow::Result<PatchResult> {
    let pool = thread_pool(0)?;
    let terrain = |scene: &Scene| -> anyhow::Result<_> {
        check_memory(scene, scene.samples(), &MemoryUse::EXPORT)?;
        let evaluated = pool.install(|| evaluate(scene, scene.samples(), None, &mut Store::forgetful(), control))?;
        control.check()?;
        Ok(evaluated.terrain)
    };
    match task {
        PatchOrder::Take { planet, from, square, samples, to } => {
            let heights = absolute(&to.path().with_extension("r32"));
            take_patch(&planet, &*terrain(&planet)?, square, samples, &from, &heights)?.save(&to)?;
            Ok(PatchResult::Patch(to.path().into()))
        }
        PatchOrder::Put { patch, planet, file, square, heights } => {
            let files = put_patch_back(&planet, square, &patch, &*terrain(&patch)?, &absolute(&heights))?;
            files.write_heights()?;
            Ok(PatchResult::Planet(Box::new(PatchedPlanet { before: planet, after: files.scene, file })))
        }
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}
