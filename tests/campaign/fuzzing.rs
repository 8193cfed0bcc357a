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
        let mut command = Command::new(root.join("tools/fuzz"));
        command.args([&name, "--", "-max_len=4096"]);
        command.arg(format!("-runs={}", amounts.executions)).arg(format!("-seed={}", amounts.seed));
        // cargo has set these for this program
        command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => {
                row.fail(&format!("tools/fuzz: {error}"));
                continue;
            }
        };
        let said = String::from_utf8_lossy(&output.stdout);
        let inputs =
            said.rsplit_once(" inputs,").and_then(|(before, _)| before.rsplit(' ').next()?.parse::<u64>().ok());
        match inputs {
            Some(inputs) => row.count_sound(inputs),
            None => row.fail(&String::from_utf8_lossy(&output.stderr)),
        }
        if !output.status.success() {
            let mut end: Vec<&str> = said.lines().rev().take(12).collect();
            end.reverse();
            row.count(&[(Finding::Crashed, end.join("\n    "))]);
        }
    }
}
