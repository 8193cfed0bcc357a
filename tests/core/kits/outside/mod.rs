//! External programs that read Talweg's files or write files for it: Python with rasterio, tifffile, OpenEXR, trimesh
//! and Pillow, and Khronos' glTF validator. `tools/outside` lists them with their versions. `tools/setup --test`, the
//! first step of `make test`, installs them into the target folder.
//!
//! Without these programs, a plain `cargo test` reports skipped tests on stderr and passes. `make test` sets
//! `TALWEG_TOOLS_INSTALLED`; a missing program is then a failure.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::common::path;

/// This environment variable says that `tools/setup --test` has installed the programs.
const TOOLS_INSTALLED: &str = "TALWEG_TOOLS_INSTALLED";

/// The report of Khronos' glTF validator about a file.
#[derive(Debug)]
pub struct GltfReport {
    pub errors: u64,
    pub warnings: u64,
    /// The whole report, with the messages and the contents of the file.
    pub json: serde_json::Value,
}

/// The folder into which `tools/setup --test` installs the programs.
fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| path("target"), PathBuf::from);
    target.join("tools/outside")
}

/// Reports that a test is skipped because the program at `what` is missing.
///
/// # Panics
/// In `make test`, because its first step has installed the programs.
fn missing(what: &Path) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let why = format!("{} is missing; tools/setup --test installs it", what.display());
    assert!(std::env::var_os(TOOLS_INSTALLED).is_none(), "{test}: {why}");
    eprintln!("{test}: not tried: {why}");
}

/// The standard output of a command.
///
/// # Panics
/// If the command fails, with its error output.
fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?} failed:\n{said}", command.get_program());
    String::from_utf8(output.stdout).expect("it prints text")
}

/// The output of a Python program with `args` as `sys.argv[1:]`; `None` if the packages are not installed.
///
/// # Panics
/// If the program fails, with its error output. A failed Python `assert` therefore fails the test.
pub fn python(script: &str, args: &[&Path]) -> Option<String> {
    let python = folder().join("python/bin/python3");
    if !folder().join("requirements.txt").is_file() || !python.exists() {
        missing(&python);
        return None;
    }
    Some(printed(Command::new(python).args(["-W", "ignore", "-c", script]).args(args)))
}

/// The report of Khronos' glTF validator about a GLB file; `None` if the validator is not installed.
///
/// # Panics
/// If the validator itself fails.
pub fn gltf_validator(file: &Path) -> Option<GltfReport> {
    let modules = folder().join("node_modules");
    if !modules.join("gltf-validator").is_dir() || Command::new("node").arg("--version").output().is_err() {
        missing(&modules.join("gltf-validator"));
        return None;
    }
    let script = path("tests/core/kits/outside/gltf_validator.cjs");
    let text = printed(Command::new("node").arg(script).arg(file).env("NODE_PATH", modules));
    let json: serde_json::Value = serde_json::from_str(&text).expect("the validator reports in JSON");
    let count = |kind: &str| json["issues"][kind].as_u64().expect("the validator counts");
    Some(GltfReport { errors: count("numErrors"), warnings: count("numWarnings"), json })
}

/// The programs run, and a failure in a program fails the test.
#[test]
fn external_programs_report_their_findings() {
    let packages =
        "import rasterio, tifffile, imagecodecs, OpenEXR, trimesh, networkx, scipy, PIL, quantized_mesh_tile";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("broken.glb");
    std::fs::write(&file, "glTF").unwrap();
    let script = format!("{packages}, os, sys\nprint(os.path.getsize(sys.argv[1]))");
    let Some(size) = python(&script, &[&file]) else { return };
    assert_eq!(size.trim(), "4");
    let failing = std::panic::catch_unwind(|| python("assert 1 == 2, 'they differ'", &[]));
    assert!(failing.is_err());
    let Some(report) = gltf_validator(&file) else { return };
    assert!(report.errors > 0, "{:?}", report.json);
}
