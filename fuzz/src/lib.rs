//! Runs the targets of `tests/core/kits/fuzz_targets.rs` with libFuzzer. `tools/fuzz scene_text` builds and runs one.

#[path = "../../tests/core/kits/fuzz_targets.rs"]
pub mod fuzz_targets;
#[path = "../../tests/core/kits/random_edits.rs"]
pub mod random_edits;

use std::sync::Once;

pub use libfuzzer_sys;

/// Runs the fuzz target called `name` with `bytes` as its input.
pub fn run(name: &str, bytes: &[u8]) {
    static ONE_THREAD: Once = Once::new();
    // One thread, so that the effect of an input does not depend on other threads.
    ONE_THREAD.call_once(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        pool.build_global().expect("no other thread pool exists yet");
    });
    let target = fuzz_targets::TARGETS.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("there is no target {name}")).run)(bytes);
}

/// Defines the program that runs one fuzz target.
#[macro_export]
macro_rules! fuzz_target {
    ($name:literal) => {
        $crate::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::run($name, bytes));
    };
}
