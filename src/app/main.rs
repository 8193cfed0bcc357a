//! The program `talweg`: runs the editor or another command of the command line.

use std::alloc::System;
use std::process::ExitCode;

use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAlloc};

/// Counts allocated memory, which the benchmark reports.
#[global_allocator]
static MEMORY: &PeakMemAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Freed blocks of at least this many bytes return to the operating system at once. A field of 2049² samples has this
/// size.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED_BLOCK: libc::c_int = 16 << 20;

/// Stops glibc from keeping large freed blocks. By default, glibc raises its threshold up to 32 MiB when large blocks
/// are freed. It then keeps freed memory that is at lower addresses than any small block in use. After an erosion
/// process has freed its coarse grids, this memory is about as large as one field of 4097² samples. Free memory at the
/// end of the heap is kept up to twice the threshold, as by default. A tile task (`run-tile`) allocates many fields of
/// one tile in turn and ends soon. It keeps its freed memory, because requesting pages from the operating system took a
/// third of its time.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "only this call or the environment can set the thresholds of glibc")]
fn return_large_blocks_to_system() {
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
        // SAFETY: the call only sets a parameter of the allocator, while the program still has a single thread
        let _ = unsafe { libc::mallopt(setting, value) };
    }
}

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    return_large_blocks_to_system();
    #[cfg(feature = "window")]
    let editor = Some(&talweg_app::COMMANDS);
    #[cfg(not(feature = "window"))]
    let editor = None;
    talweg_cli::run(editor)
}
