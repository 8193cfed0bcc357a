//! Starts the engine and turns its panics into error messages.

use std::backtrace::Backtrace;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use talweg::io::memory::{address_space, bytes_text};

/// Reasons why the window or the off-screen view cannot start.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    #[error(
        "there is no display: neither DISPLAY nor WAYLAND_DISPLAY leads to one. Run talweg on a desktop or on a \
         virtual display (Xvfb :7 & DISPLAY=:7 talweg); `talweg render` and `talweg export` need no display"
    )]
    NoDisplay,
    #[error(
        "no graphics driver can draw ({0}). Install the driver of your graphics card, or mesa-vulkan-drivers (Debian, \
         Ubuntu) to draw in software; `talweg render` and `talweg export` need no driver. `talweg doctor` lists what \
         was found"
    )]
    NoGraphics(String),
    #[error(
        "drawing needs about {needed} of address space, but this process has {left} left within its limit. Raise the \
         limit (ulimit -v); `talweg render` and `talweg export` need less"
    )]
    NoAddressSpace { needed: String, left: String },
    #[error("the graphics library failed: {0}")]
    Engine(String),
    #[error("the editor crashed: {message}. {recovery}")]
    Crashed { message: String, recovery: String },
    #[error("{0}")]
    Script(String),
    #[error("cannot start a thread for the evaluation: {0}")]
    Worker(std::io::Error),
    #[error("a step of the script failed")]
    DriveFailed,
}

/// Address space that the engine and a software renderer need, in bytes. On a computer with two threads, the editor
/// works in 2.9 GiB and hangs in 2.5 GiB. With less memory, the engine aborts without a message.
const ENGINE_BYTES: u64 = 5 << 29;
/// Additional address space of each thread, in bytes: its stack and the memory that the allocator reserves for it.
const BYTES_OF_A_THREAD: u64 = 1 << 28;

/// Checks that the engine fits into the address space that is left, in bytes; `None` means no limit.
fn check_address_space(left: Option<u64>) -> Result<(), AppError> {
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let needed = ENGINE_BYTES + BYTES_OF_A_THREAD * threads;
    match left {
        Some(left) if left < needed => {
            Err(AppError::NoAddressSpace { needed: bytes_text(needed), left: bytes_text(left) })
        }
        _ => Ok(()),
    }
}

/// The messages with which the standard library reports panics that abort the process.
const ABORTING: [&str; 2] = ["panic in a destructor during cleanup", "panic in a function that cannot unwind"];

/// The backtrace of the last panic that [`guarded`] saw.
static BACKTRACE: Mutex<Option<String>> = Mutex::new(None);

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The backtrace of the last panic that [`guarded`] turned into an error.
pub fn last_backtrace() -> Option<String> {
    lock(&BACKTRACE).clone()
}

/// Runs `engine` and turns its panics into errors.
///
/// While Bevy builds its plugins, it reports a missing display or driver only by a panic.
pub fn guarded<T>(engine: impl FnOnce() -> T) -> Result<T, AppError> {
    guarded_with_end(|_| {}, engine)
}

/// Like [`guarded`], for panics that abort the process because they happen during another panic. `tell_end` then
/// receives the message of the second panic before the abort.
pub fn guarded_with_end<T>(
    tell_end: impl Fn(&str) + Send + Sync + 'static,
    engine: impl FnOnce() -> T,
) -> Result<T, AppError> {
    check_address_space(address_space())?;
    let said: Arc<Mutex<Option<String>>> = Arc::default();
    lock(&BACKTRACE).take();
    let hook = take_hook();
    let heard = said.clone();
    set_hook(Box::new(move |info| {
        let text = info.payload_as_str().unwrap_or("unknown panic");
        let place = info.location().map(|l| format!(" ({}:{})", short_path(l.file()), l.line())).unwrap_or_default();
        let mut last = lock(&heard);
        if ABORTING.contains(&text) {
            tell_end(&last.take().unwrap_or_else(|| text.into()));
        } else {
            *lock(&BACKTRACE) = Some(Backtrace::force_capture().to_string());
            // the last panic is the one that ends the engine; panics of the worker are caught and shown in the window
            *last = Some(format!("{text}{place}"));
        }
    }));
    let result = catch_unwind(AssertUnwindSafe(engine));
    set_hook(hook);
    result.map_err(|_| {
        let message = lock(&said).take().unwrap_or_default();
        if message.contains("Unable to find a GPU") {
            AppError::NoGraphics("no card fits the window".into())
        } else if message.contains("event loop") {
            AppError::NoDisplay
        } else {
            AppError::Engine(message)
        }
    })
}

/// The path of a source file without the folders of the computer that built the program: the package and the path
/// inside it.
fn short_path(file: &str) -> String {
    let parts: Vec<&str> = file.split(['/', '\\']).collect();
    let source = parts.iter().rposition(|part| *part == "src").unwrap_or(parts.len() - 1);
    parts[source.saturating_sub(1)..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engine_panics_become_messages() {
        assert!(matches!(guarded(|| panic!("Unable to find a GPU! Make sure")), Err::<(), _>(AppError::NoGraphics(_))));
        assert!(matches!(guarded(|| panic!("Failed to build event loop: x")), Err::<(), _>(AppError::NoDisplay)));
        let other = guarded::<()>(|| panic!("{} broke", "it")).unwrap_err().to_string();
        assert!(other.contains("it broke") && other.contains("launch.rs"), "{other}");
        assert_eq!(guarded(|| 7).unwrap(), 7);
    }

    #[test]
    fn messages_have_no_path_of_the_build_machine() {
        let registry =
            "/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/wgpu-hal-29.0.4/src/vulkan/mod.rs";
        assert_eq!(short_path(registry), "wgpu-hal-29.0.4/src/vulkan/mod.rs");
        assert_eq!(short_path("C:\\work\\bevy_render-0.19.1\\src\\lib.rs"), "bevy_render-0.19.1/src/lib.rs");
        assert_eq!(short_path("src/app/frame/launch.rs"), "src/app/frame/launch.rs");
        assert_eq!(short_path("build.rs"), "build.rs");
    }

    /// The panic aborts the process, so this test runs itself in a child process.
    #[test]
    fn a_double_panic_is_reported_before_the_abort() {
        struct Brittle;
        impl Drop for Brittle {
            fn drop(&mut self) {
                panic!("the second");
            }
        }
        if std::env::var_os("TALWEG_TEST_ABORTS").is_some() {
            let _ = guarded_with_end(
                |message| eprintln!("told: {message}"),
                || {
                    let _brittle = Brittle;
                    panic!("the first");
                },
            );
        }
        let own = "frame::launch::tests::a_double_panic_is_reported_before_the_abort";
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        let ended = again.args([own, "--exact", "--nocapture"]).env("TALWEG_TEST_ABORTS", "1").output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success() && said.contains("told: the second ("), "{said}");
    }

    #[test]
    fn too_little_address_space_is_reported_at_launch() {
        let said = check_address_space(Some(1 << 30)).unwrap_err().to_string();
        assert!(said.contains("has 1.0 GiB left") && said.contains("ulimit -v"), "{said}");
        assert!(check_address_space(None).is_ok() && check_address_space(Some(1 << 40)).is_ok());
    }
}
