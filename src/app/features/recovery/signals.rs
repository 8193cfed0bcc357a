//! Handles signals that end the program: writes unsaved work to disk and closes the window properly.

use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::EditJournal;
use crate::view::Waker;
use talweg_cli::print_message;

/// Time that the window has to close by itself after a signal.
const PATIENCE: Duration = Duration::from_secs(3);

/// Watches for signals on a thread of its own, as long as the program runs.
pub fn watch(journal: EditJournal, waker: Waker) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let watch = move || {
        for signal in signals.forever() {
            let is_first = journal.note_signal(signal);
            // the window is closing, so report a failed write on standard error
            if let Err(error) = journal.write() {
                print_message(&error.to_string());
            }
            if is_first {
                waker.wake();
                std::thread::spawn(move || {
                    std::thread::sleep(PATIENCE);
                    end(signal);
                });
            } else {
                end(signal);
            }
        }
    };
    std::thread::Builder::new().name("talweg-signals".into()).spawn(watch)?;
    Ok(())
}

/// Ends the program in the way that the signal would have ended it.
pub fn end(signal: i32) {
    if emulate_default_handler(signal).is_err() {
        std::process::exit(128 + signal);
    }
}
