//! The campaign: whatever is done to the program while it writes, nothing is torn, nothing that it said was kept is
//! lost, and what it says is true.
//!
//! `cargo test --test campaign` runs the short form, from fixed seeds; `tools/campaign` the long one. Both print one
//! table and fail on any finding, and also where a writer that is wrong on purpose (a control) is not caught.

#![allow(clippy::disallowed_methods, reason = "no height depends on what a test measures")]

#[cfg(target_os = "linux")]
mod disks;
#[cfg(all(target_os = "linux", feature = "window"))]
mod editor_soak;
#[cfg(all(target_os = "linux", feature = "window"))]
mod ends;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod fuzzing;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(target_os = "linux")]
mod parts;
#[cfg(target_os = "linux")]
mod processors;
#[cfg(target_os = "linux")]
mod soak;
#[cfg(target_os = "linux")]
mod table;
#[cfg(target_os = "linux")]
mod tiles;
#[cfg(target_os = "linux")]
mod writers;

#[cfg(all(target_os = "linux", feature = "window"))]
#[path = "../screen_kit/mod.rs"]
mod screen_kit;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    parts::run()
}

/// It asks Linux for what it does: strace, file systems of a given size, signals.
#[cfg(not(target_os = "linux"))]
fn main() {
    println!("the campaign runs on Linux only");
}
