//! The command line of the campaign, and its parts in order.

use std::process::ExitCode;

use clap::Parser;

use crate::table::Table;
use crate::writers::Operation;
use crate::{disks, faults, fuzzing, kills, processors, soak, tile_faults, tiles};

/// Amount of work of each part; a part without an amount runs in the short form.
#[derive(Parser)]
#[command(args_override_self = true)]
pub struct Amounts {
    /// Parts to run, each given by its name or a piece of it; by default all: kills, tiles, damage, faults, disks,
    /// processors, ends, fuzzing, soak, window
    parts: Vec<String>,
    /// Number of kills at random moments, divided among the operations
    #[arg(long, default_value_t = 80)]
    pub kills: u64,
    /// Number of builds in tiles whose workers are killed at random moments
    #[arg(long, default_value_t = 3)]
    pub tile_builds: u64,
    /// Number of attempts, each with one fault in a tile or plan at a random position and time: changed bits, lengths,
    /// swapped tiles, stale files, edits
    #[arg(long, default_value_t = 48)]
    pub tile_faults: u64,
    /// Try every system call, every error, every disk size, every scene; otherwise some of them
    #[arg(long)]
    pub exhaustive: bool,
    /// Number of times that the editor is ended
    #[arg(long, default_value_t = 0)]
    pub ends: u64,
    /// Number of executions of each fuzz target
    #[arg(long, default_value_t = 0)]
    pub executions: u64,
    /// Duration of the edits in seconds, at 20 edits per second
    #[arg(long, default_value_t = 1)]
    pub soak: u64,
    /// Duration of the edits in the editor's window in seconds, at about 20 edits per second
    #[arg(long, default_value_t = 0)]
    pub editor_soak: u64,
    /// Seed of the random moments of kills and faults
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Accepted for `cargo test`; everything is shown in any case
    #[arg(long, hide = true)]
    nocapture: bool,
}

pub fn run() -> ExitCode {
    // this is a writing process started by the campaign
    if std::env::args().nth(1).as_deref() == Some(kills::CHILD) {
        return kills::child();
    }
    let amounts = Amounts::parse();
    let mut table = Table::default();
    type Part = fn(&Amounts, &mut Table);
    let parts: [(&str, Part); 10] = [
        ("kills", kills::run),
        ("tiles", tiles::run),
        ("damage", tile_faults::run),
        ("faults", faults::run),
        ("disks", disks::run),
        ("processors", processors::run),
        ("ends", ends),
        ("fuzzing", fuzzing::run),
        ("soak", soak::run),
        ("window", editor_soak),
    ];
    for (name, part) in parts {
        if amounts.parts.is_empty() || amounts.parts.iter().any(|wanted| name.contains(wanted.as_str())) {
            let begun = std::time::Instant::now();
            part(&amounts, &mut table);
            eprintln!("{name}: {:.1} s", begun.elapsed().as_secs_f64());
        }
    }
    // `cargo test NAME` runs every test program, even those without a test of that name
    if table.is_empty() && !amounts.exhaustive {
        println!("no part of the campaign is called {}", amounts.parts.join(" or "));
        return ExitCode::SUCCESS;
    }
    table.print();
    if table.has_findings() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

#[cfg(feature = "window")]
fn ends(amounts: &Amounts, table: &mut Table) {
    crate::ends::run(amounts, table);
}

/// The short form of this part is `unsaved_work_survives_any_end` in `tests/window/`.
#[cfg(not(feature = "window"))]
fn ends(amounts: &Amounts, table: &mut Table) {
    if amounts.ends > 0 {
        let row = table.row("ends of the editor");
        row.fail("--ends needs the editor: build the campaign with the feature `window`, as tools/campaign does");
    }
}

#[cfg(feature = "window")]
fn editor_soak(amounts: &Amounts, table: &mut Table) {
    crate::editor_soak::run(amounts, table);
}

#[cfg(not(feature = "window"))]
fn editor_soak(amounts: &Amounts, table: &mut Table) {
    if amounts.editor_soak > 0 {
        let row = table.row("soak of the editor");
        row.fail(
            "--editor-soak needs the editor: build the campaign with the feature `window`, as tools/campaign does",
        );
    }
}

/// The operations to interrupt.
pub const OPERATIONS: [Operation; 5] =
    [Operation::Save, Operation::Export, Operation::Journal, Operation::Patch, Operation::CutOut];
