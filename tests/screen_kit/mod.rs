//! The editor on a virtual screen, for the tests of the window and for the campaign that ends the editor at any moment.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A virtual screen, or the real one where Xvfb is not installed (a desktop, macOS, Windows).
pub struct Screen {
    pub xvfb: Option<Child>,
    pub display: Option<String>,
}

impl Screen {
    pub fn start() -> Self {
        let xvfb = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut xvfb) = xvfb else {
            eprintln!("Xvfb is not installed: using the real screen");
            return Self { xvfb: None, display: None };
        };
        let mut number = String::new();
        let mut byte = [0u8; 1];
        let out = xvfb.stdout.as_mut().expect("piped");
        while out.read_exact(&mut byte).is_ok() && byte[0] != b'\n' {
            number.push(char::from(byte[0]));
        }
        assert!(!number.is_empty(), "Xvfb did not start");
        Self { xvfb: Some(xvfb), display: Some(format!(":{number}")) }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if let Some(xvfb) = &mut self.xvfb {
            let _ = xvfb.kill();
            let _ = xvfb.wait();
        }
    }
}

pub struct Session {
    folder: tempfile::TempDir,
    pub screen: Screen,
}

impl Session {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), screen: Screen::start() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn talweg(&self) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.folder.path()).env("TALWEG_CONFIG", self.path("config"));
        command.env("TALWEG_STATE", self.path("state")).env("TALWEG_CACHE", self.path("cache"));
        if let Some(display) = &self.screen.display {
            command.env("DISPLAY", display).env_remove("WAYLAND_DISPLAY");
        }
        command
    }
}

/// The program that is tested. `tools/platforms` sets the variable to a program for another system.
pub fn program() -> PathBuf {
    std::env::var_os("CARGO_BIN_EXE_talweg").map_or_else(|| env!("CARGO_BIN_EXE_talweg").into(), PathBuf::from)
}

/// A small scene of two layers.
pub const SCENE: &str = r#"(
    version: 1,
    name: "Window test",
    settings: (seed: 5, resolution: 129, size_metres: 3000.0, relief_metres: 1200.0, sea_level: 150.0),
    layers: [
        (name: "Hills", node: Perlin(frequency: 3.0), seed: 1),
        (name: "Slides", node: Thermal(iterations: 40, talus_angle: 15.0), seed: 2),
    ],
)"#;

/// Plays `steps`, which end in a state file, and waits until the editor has written it.
#[cfg(unix)]
pub fn play_until(session: &Session, steps: &str, written: &str) -> Child {
    std::fs::write(session.path("steps.ron"), steps).unwrap();
    let mut command = session.talweg();
    command.args(["scene.ron", "--drive", "steps.ron"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("talweg starts");
    while !session.path(written).exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before {written}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child
}

/// The unsaved work that `talweg recover` lists.
#[cfg(unix)]
pub fn left_work(session: &Session) -> Vec<Value> {
    let output = session.talweg().args(["recover", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("a list")
}
