//! The campaign. The program is interrupted in many ways while it writes. No file may be torn, nothing reported as kept
//! may be lost, and every message must be true.
//!
//! `cargo test --test campaign` runs the short form, from fixed seeds; `tools/campaign` runs the long one. Both print
//! one table and fail on any finding. They also fail if a deliberately wrong writer (a control) is not caught.

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
mod tile_faults;
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

/// The campaign uses features of Linux: strace, file systems of a given size, signals.
#[cfg(not(target_os = "linux"))]
fn main() {
    println!("the campaign runs on Linux only");
}
