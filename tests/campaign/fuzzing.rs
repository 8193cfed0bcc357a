//! Runs each fuzz target for a number of executions. The short form is the test `corpus`, which replays the stored
//! inputs.

use std::path::PathBuf;
use std::process::Command;

use crate::parts::Amounts;
use crate::table::{Finding, Table};

pub fn run(amounts: &Amounts, table: &mut Table) {
    if amounts.executions == 0 {
        return;
    }
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut names: Vec<String> = std::fs::read_dir(root.join("fuzz/corpus"))
        .expect("fuzz/corpus")
        .map(|entry| entry.expect("a folder").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in names {
        let row = table.row(format!("fuzzing: {name}"));
        // new inputs are kept apart, because the package's corpus is small on purpose
        let found = tempfile::tempdir().expect("a temporary folder");
        let mut command = Command::new("cargo");
        command.args(["+nightly", "fuzz", "run", "-s", "none", "--no-trace-compares", &name]);
        command.arg(found.path()).arg(root.join("fuzz/corpus").join(&name));
        command.arg("--").args(["-max_len=4096", "-timeout=60", "-print_final_stats=1"]);
        command.arg(format!("-runs={}", amounts.executions)).arg(format!("-seed={}", amounts.seed));
        // cargo has set these for this program
        command.current_dir(&root).env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => {
                row.fail(&format!("cargo-fuzz: {error}"));
                continue;
            }
        };
        let said = String::from_utf8_lossy(&output.stderr);
        let number = |key: &str| said.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<u64>().ok());
        match number("stat::number_of_executed_units:") {
            Some(executions) => row.count_sound(executions),
            None => row.fail("it did not run: cargo install cargo-fuzz, and a nightly toolchain"),
        }
        if !output.status.success() {
            let mut end: Vec<&str> = said.lines().rev().take(12).collect();
            end.reverse();
            row.count(&[(Finding::Crashed, end.join("\n    "))]);
        }
    }
}
