//! The work of agents: loads, changes and evaluates the scenes of one folder.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use talweg::eval::{Cache, MemoryUse, Store, ThreadPool, Timeline, check_memory, evaluate, thread_pool};
use talweg::field::{Control, MAX_SAMPLES, MIN_SAMPLES, Terrain};
use talweg::param::Params;
use talweg::scene::{Scene, Severity, Warning};

use crate::feed::TerrainFeed;
use crate::scene_folder::SceneFolder;

/// Bytes of the results that are kept, so that the next tool does not evaluate the same scene again.
const STORE_BYTES: usize = 512 << 20;

/// Loads, changes and evaluates the scenes of one folder. Only one evaluation runs at a time.
pub struct AgentWork {
    /// The folder of all scenes and exports.
    pub(crate) folder: SceneFolder,
    pool: ThreadPool,
    store: Mutex<Store>,
    /// The feed that receives each evaluated terrain; `None` if another program fills the feed.
    feed: Option<TerrainFeed>,
}

/// A scene with its evaluated terrain.
pub(crate) struct EvaluatedScene {
    pub scene: Scene,
    pub terrain: Arc<Terrain>,
}

impl AgentWork {
    /// Work in `folder` on `threads` threads; 0 means one thread for each processor. `feed` receives each evaluated
    /// terrain.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(
        folder: SceneFolder,
        threads: usize,
        feed: Option<TerrainFeed>,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        let store = Store::new(Cache::new(STORE_BYTES), Timeline::new(0));
        Ok(Self { folder, pool: thread_pool(threads)?, store: Mutex::new(store), feed })
    }

    /// Runs `work` on the threads of the evaluation.
    pub(crate) fn in_pool<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// Loads and evaluates the scene `name`, at `samples` per side if given.
    pub(crate) fn evaluated(
        &self,
        name: &str,
        samples: Option<u64>,
        later_use: impl FnOnce(&Scene, usize) -> Result<MemoryUse, String>,
        control: &Control,
    ) -> Result<EvaluatedScene, String> {
        let (scene, _) = self.folder.load(name)?;
        if let Some(problem) = scene.problems().iter().find(|problem| problem.severity == Severity::Broken) {
            return Err(format!("layer `{}`: {}", scene.layers[problem.layer].name, problem.message));
        }
        let samples = samples.map_or(scene.samples(), |samples| usize::try_from(samples).unwrap_or(usize::MAX));
        if !(MIN_SAMPLES..=MAX_SAMPLES).contains(&samples) {
            return Err(format!("size: give {MIN_SAMPLES} to {MAX_SAMPLES} samples per side"));
        }
        let later_use = later_use(&scene, samples)?;
        check_memory(&scene, samples, &later_use).map_err(|reason| {
            let smaller = reason.fits.map_or("Free some memory".into(), |fits| format!("Give size {fits}"));
            format!("{reason}. {smaller}")
        })?;
        let mut locked = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let store = &mut *locked;
        let made = self.pool.install(|| evaluate(&scene, samples, None, store, control));
        let terrain = made.map_err(|cancelled| cancelled.to_string())?.terrain;
        if let Some(feed) = &self.feed {
            feed.publish(&scene, &terrain);
        }
        Ok(EvaluatedScene { scene, terrain })
    }
}

/// The hash of a scene: of its text, as Talweg writes it.
pub(crate) fn scene_hash(scene: &Scene) -> Result<String, String> {
    Ok(text_hash(&scene.to_ron().map_err(|error| error.to_string())?))
}

/// The hash of a text, with 32 hexadecimal digits.
pub(crate) fn text_hash(text: &str) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(text.as_bytes()))
}

/// The description of a scene in answers: its layers with all values that differ from the defaults, its settings, and
/// what is wrong with it. `warnings` are those of reading it.
pub(crate) fn scene_description(name: &str, scene: &Scene, warnings: &[Warning]) -> Result<Value, String> {
    let layers = scene.layers.iter().enumerate().map(|(index, layer)| {
        json!({
            "number": index + 1,
            "name": layer.name,
            "node": layer.node.about().name,
            "is_shown": scene.is_shown(index),
            "depth": layer.depth,
            "seed": layer.seed,
            "values": changed_values(&[layer.node.params(), &layer.mix, &layer.mask]),
        })
    });
    let layers: Vec<Value> = layers.collect();
    let problems: Vec<String> = scene
        .problems()
        .iter()
        .map(|problem| format!("layer `{}`: {}", scene.layers[problem.layer].name, problem.message))
        .chain(
            scene
                .disabled_values()
                .iter()
                .map(|value| format!("layer `{}`: {}", scene.layers[value.layer].name, value.reason)),
        )
        .collect();
    let mut described = json!({
        "scene": name,
        "hash": scene_hash(scene)?,
        "name": scene.name,
        "samples": scene.samples(),
        "seed": scene.settings.seed,
        "side_metres": scene.side_metres(),
        "is_planet": scene.is_planet(),
        "settings": changed_values(&[&scene.settings]),
        "layers": layers,
        "problems": problems,
        "warnings": warnings.iter().map(|Warning(text)| text.clone()).collect::<Vec<_>>(),
    });
    if let Some(climate) = &scene.climate {
        described["climate"] = changed_values(&[climate]);
    }
    if scene.is_planet() {
        described["planet"] = changed_values(&[&scene.planet]);
    }
    Ok(described)
}

/// The values that differ from their defaults by the names of their parameters, in the notation of `--set`.
fn changed_values(groups: &[&dyn Params]) -> Value {
    let mut values = serde_json::Map::new();
    for group in groups {
        for (index, spec) in group.about().params.iter().enumerate() {
            let value = group.get(index);
            if value != spec.default {
                values.insert(spec.name.into(), spec.show(&value).into());
            }
        }
    }
    values.into()
}
