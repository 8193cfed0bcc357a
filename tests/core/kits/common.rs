//! Golden values and evaluated scenes. Golden values are stored in `tests/golden` and rewritten with `TALWEG_BLESS=1`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use proptest::prelude::ProptestConfig;
use talweg::field::{Control, Terrain};
use talweg::scene::{Scene, example};

pub fn blessing() -> bool {
    std::env::var_os("TALWEG_BLESS").is_some()
}

/// The settings of a test that draws `cases` random inputs. The variable `TALWEG_TIMES_RANDOM` multiplies their number.
pub fn random_cases(cases: u32) -> ProptestConfig {
    let times = std::env::var("TALWEG_TIMES_RANDOM").map_or(1, |times| times.parse().expect("a whole number"));
    ProptestConfig { cases: cases * times, failure_persistence: None, ..ProptestConfig::default() }
}

/// Resolves a path relative to the root of the repository.
pub fn path(inside: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(inside)
}

/// Evaluates a scene at `samples` per side on `threads` threads.
pub fn evaluate(scene: &Scene, samples: usize, threads: usize) -> Terrain {
    use talweg::eval::{Store, evaluate, thread_pool};
    let pool = thread_pool(threads).unwrap();
    let done = pool.install(|| evaluate(scene, samples, None, &mut Store::forgetful(), &Control::default()));
    done.unwrap().terrain.as_ref().clone()
}

/// A shipped scene evaluated at `samples` per side. All tests share one evaluation of each scene and size.
pub fn example_terrain(name: &str, samples: usize) -> Arc<Terrain> {
    type Shared = BTreeMap<(String, usize), Arc<OnceLock<Arc<Terrain>>>>;
    static SHARED: Mutex<Shared> = Mutex::new(BTreeMap::new());
    let scene = &example(name).unwrap_or_else(|| panic!("no example {name}")).scene;
    let terrain = Arc::clone(SHARED.lock().unwrap().entry((name.into(), samples)).or_default());
    Arc::clone(terrain.get_or_init(|| Arc::new(evaluate(scene, samples, 2))))
}
