//! The targets of `tests/core/fuzz_targets.rs` for libFuzzer: `cargo +nightly fuzz run scene_text`, in this folder or
//! above it.

#[path = "../../tests/core/fuzz_targets.rs"]
mod fuzz_targets;
#[path = "../../tests/core/random_edits.rs"]
mod random_edits;

pub use libfuzzer_sys;

/// Gives the bytes to the target of that name.
pub fn run(name: &str, bytes: &[u8]) {
    let target = fuzz_targets::TARGETS.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("there is no target {name}")).run)(bytes);
}

/// The program of a target.
#[macro_export]
macro_rules! fuzz_target {
    ($name:literal) => {
        $crate::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::run($name, bytes));
    };
}
