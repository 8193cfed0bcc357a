//! A scene gives the same bits on an old processor (QEMU's Nehalem of 2008, without AVX and FMA).

use std::process::Command;

use crate::parts::Amounts;
use crate::table::{Finding, Table};

/// Scenes that the short form evaluates: noise, processes of several kinds, a planet.
const FEW: [&str; 3] = ["island", "eroded-hills", "paper-003-mars"];

/// The hash printed by the program, or its error message.
fn hash(emulator: &[&str], scene: &str, samples: &str) -> Result<String, String> {
    let program = env!("CARGO_BIN_EXE_talweg");
    let words: Vec<&str> =
        emulator.iter().copied().chain([program, "verify", scene, "--size", samples, "--threads", "2"]).collect();
    let output = Command::new(words[0]).args(&words[1..]).output().map_err(|error| format!("{}: {error}", words[0]))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

pub fn run(amounts: &Amounts, table: &mut Table) {
    const WHAT: &str = "same bits on an old processor";
    if cfg!(not(target_arch = "x86_64")) {
        return table.row(WHAT).skip("this is no x86 processor");
    }
    if !table.has_tool(WHAT, "qemu-x86_64") {
        return;
    }
    let row = table.row(WHAT);
    let examples = talweg::scene::examples();
    let all = examples.iter().map(|example| example.name).filter(|name| amounts.exhaustive || FEW.contains(name));
    for name in all {
        let samples = if amounts.exhaustive { "33" } else { "17" };
        let here = hash(&[], name, samples);
        let there = hash(&["qemu-x86_64", "-cpu", "Nehalem"], name, samples);
        match (here, there) {
            (Ok(here), Ok(there)) if here == there => row.count(&[]),
            (here, there) => row.count(&[(Finding::Torn, format!("{name}: {here:?} here, {there:?} there"))]),
        }
    }
}
