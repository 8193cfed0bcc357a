//! The program `talweg`: command line to editor or headless command.

use std::process::ExitCode;

fn main() -> ExitCode {
    talweg::cli::run()
}
