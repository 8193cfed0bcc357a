//! `talweg licences`: the licences of the Rust packages inside the program.

use std::io::Read;

use clap::Args;
use flate2::read::GzDecoder;

use super::{CommandResult, Failure, print};

/// Print the licences of the Rust packages that this program contains
#[derive(Args)]
pub struct LicencesArgs {}

pub fn run(_: &LicencesArgs) -> CommandResult {
    let text = third_party_licences().map_err(|error| Failure::Failed(error.into()))?;
    print(&text)
}

/// The licences of the Rust packages inside the program, as text. `tools/licences` makes the packed file.
///
/// # Errors
/// If the file in the program is damaged.
pub fn third_party_licences() -> std::io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(include_bytes!("third-party-licences.txt.gz").as_slice()).read_to_string(&mut text)?;
    Ok(text)
}
