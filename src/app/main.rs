//! The program `talweg`: command line to editor or headless command.

use std::alloc::System;
use std::process::ExitCode;

use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAlloc};

/// Counts the memory that the benchmark reports.
#[global_allocator]
static MEMORY: &PeakMemAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    #[cfg(feature = "window")]
    let editor = Some(&talweg_app::COMMANDS);
    #[cfg(not(feature = "window"))]
    let editor = None;
    talweg::cli::run(editor)
}
