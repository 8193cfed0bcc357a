//! Computes the terrain B that the terrain on screen is compared with.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::features::compare::differences::ScaledTerrain;
use crate::view::{OverlayChoice, RenderTerrain, climate_of};
use talweg::appearance::PaletteTable;
use talweg::eval::{Cache, MemoryUse, NotEnoughMemory, Playhead, Store, Timeline, check_memory, evaluate, thread_pool};
use talweg::field::{Cancelled, Control, Terrain};
use talweg::scene::{Scene, SceneError, Severity};

/// Size of the cache for layer results, in bytes. If B follows the scene, the next evaluation of B uses the cache.
const STORE_BYTES: usize = 256 << 20;

/// Why B could not be computed.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error(transparent)]
    Memory(#[from] NotEnoughMemory),
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// The terrain B with everything that is needed to draw and measure it.
#[derive(Clone)]
pub struct B {
    pub name: String,
    pub subject: ScaledTerrain,
    pub palette: Arc<PaletteTable>,
    pub prepared: RenderTerrain,
    /// The scene of B without its layers, for overlays that show the climate of B.
    pub climate: Arc<Scene>,
}

impl B {
    pub fn new(
        name: String,
        terrain: Arc<Terrain>,
        palette: PaletteTable,
        prepared: RenderTerrain,
        climate: Arc<Scene>,
    ) -> Self {
        let subject = subject(terrain, &prepared);
        Self { name, subject, palette: Arc::new(palette), prepared, climate }
    }
}

/// Returns a terrain together with the scene settings with which `prepared` was made.
pub fn subject(terrain: Arc<Terrain>, prepared: &RenderTerrain) -> ScaledTerrain {
    let base = prepared.base();
    let scene = base.choice.climate.clone().unwrap_or_default();
    if scene.settings == base.settings {
        return ScaledTerrain { terrain, scene };
    }
    let scene = Scene { settings: base.settings.clone(), ..(*scene).clone() };
    ScaledTerrain { terrain, scene: Arc::new(scene) }
}

/// The scene from which B is computed: a scene at a playhead position, or a scene file.
pub enum SourceOfB {
    Scene(Arc<Scene>, Option<Playhead>),
    File(PathBuf),
}

/// Evaluates a scene and prepares its terrain for the screen. Also returns warnings about parts of the scene that could
/// not be used.
pub fn evaluate_b(
    name: String,
    from: SourceOfB,
    choice: &OverlayChoice,
    store: &Mutex<Option<Store>>,
    layers: &AtomicUsize,
    control: &Control,
) -> Result<(B, Vec<String>), MakeError> {
    let (name, scene, playhead, mut told) = match from {
        SourceOfB::Scene(scene, playhead) => (name, scene, playhead, Vec::new()),
        SourceOfB::File(path) => {
            let (scene, warnings) = Scene::load(&path)?;
            let name = if scene.name == Scene::default().name { name } else { scene.name.clone() };
            let told = warnings.into_iter().map(|warning| format!("{name}: {}", warning.0)).collect();
            (name, Arc::new(scene), None, told)
        }
    };
    layers.store(scene.layers.len(), Ordering::Relaxed);
    let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
    control.check()?; // the task may have been cancelled while it waited for the previous B
    let store = store.get_or_insert_with(|| Store::new(Cache::new(STORE_BYTES), Timeline::new(0)));
    let pool = thread_pool(0)?;
    // do not count the memory of the engine, because it is already in use
    let what = MemoryUse { constant_bytes: 0.0, kept: [STORE_BYTES, 0], ..MemoryUse::VIEW };
    check_memory(&scene, scene.samples(), &what)?;
    pool.install(|| {
        let evaluated = evaluate(&scene, scene.samples(), playhead, store, control)?;
        let broken = evaluated.problems.into_iter().filter(|problem| problem.severity == Severity::Broken);
        told.extend(broken.map(|problem| {
            let layer = scene.layers.get(problem.layer).map_or("", |layer| layer.name.as_str());
            format!("{name}, layer “{layer}”: {}.", problem.message)
        }));
        let palette = PaletteTable::for_scene(&scene);
        let climate = climate_of(&scene);
        let choice = OverlayChoice { biomes: palette.biomes.clone(), ..choice.clone() };
        let prepared = RenderTerrain::new(&evaluated.terrain, &scene, &choice, control)?;
        Ok((B::new(name, evaluated.terrain, palette, prepared, climate), told))
    })
}
