//! Golden values: stored in `tests/golden`, rewritten with `TALWEG_BLESS=1`.

use std::path::PathBuf;

use talweg::field::{Control, Terrain};
use talweg::scene::Scene;

pub fn blessing() -> bool {
    std::env::var_os("TALWEG_BLESS").is_some()
}

/// A path inside the package.
pub fn path(inside: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(inside)
}

/// The scene at `samples` per side, on `threads` threads.
pub fn evaluate(scene: &Scene, samples: usize, threads: usize) -> Terrain {
    use talweg::eval::{Store, evaluate, thread_pool};
    let pool = thread_pool(threads).unwrap();
    let done = pool.install(|| evaluate(scene, samples, None, &mut Store::forgetful(), &Control::default()));
    done.unwrap().terrain.as_ref().clone()
}
