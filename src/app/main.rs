//! The program `talweg`: command line to editor or headless command.

use std::alloc::System;
use std::process::ExitCode;

use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAlloc};

/// Counts the memory that the benchmark reports.
#[global_allocator]
static MEMORY: &PeakMemAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Blocks of this many bytes and more go back to the system when they are given back: fields of 2049² samples do.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED_BLOCK: libc::c_int = 16 << 20;

/// Keeps glibc from holding on to large blocks. By itself it raises its threshold up to 32 MiB as they come and go, and
/// what was given back below some small block then stays: about a field of 4097² samples once the coarser grids of an
/// erosion are done. What smaller blocks leave at the end it keeps up to twice as much, as it would by itself.
/// A task of a build in tiles has many fields of a tile, one after the other, and ends soon: it keeps what it was
/// given, as asking for pages took a third of its time.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "glibc has no other way to set its thresholds than this call or the environment")]
fn give_back_large_blocks() {
    let is_task = std::env::args_os().nth(1).is_some_and(|command| command == "run-tile");
    let settings: &[_] = match is_task {
        false => &[(libc::M_MMAP_THRESHOLD, MAPPED_BLOCK), (libc::M_TRIM_THRESHOLD, 2 * MAPPED_BLOCK)],
        true => &[
            (libc::M_MMAP_THRESHOLD, 2 * MAPPED_BLOCK),
            (libc::M_TRIM_THRESHOLD, libc::c_int::MAX),
            (libc::M_ARENA_MAX, 1),
        ],
    };
    for &(setting, value) in settings {
        // SAFETY: it changes a number of the allocator, before there is another thread
        let _ = unsafe { libc::mallopt(setting, value) };
    }
}

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    give_back_large_blocks();
    #[cfg(feature = "window")]
    let editor = Some(&talweg_app::COMMANDS);
    #[cfg(not(feature = "window"))]
    let editor = None;
    talweg_cli::run(editor)
}
