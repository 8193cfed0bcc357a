//! Scripts played in a session, and the states and pictures that they write.

use std::path::Path;

use serde_json::Value;

use crate::screen_kit::Session;

impl Session {
    /// Opens `scene` and plays `steps`. All files that the steps write are in the session's folder.
    pub fn drive(&self, scene: &str, steps: &str) {
        std::fs::write(self.path("steps.ron"), steps).expect("writing the steps");
        let output = self.talweg().args([scene, "--drive", "steps.ron"]).output().expect("talweg starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the editor ended with {}:\n{said}", output.status);
    }

    /// The state that a script wrote.
    pub fn state(&self, name: &str) -> Value {
        let text = std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        serde_json::from_str(&text).expect("the state is JSON")
    }

    /// The picture that a script wrote.
    pub fn picture(&self, name: &str) -> Picture {
        Picture::read(&self.path(name))
    }
}

/// A picture of the window, as RGB bytes.
pub struct Picture {
    pub width: usize,
    pub rgb: Vec<u8>,
}

impl Picture {
    fn read(path: &Path) -> Self {
        let file = std::io::BufReader::new(std::fs::File::open(path).expect("the picture is there"));
        let mut reader = png::Decoder::new(file).read_info().expect("a PNG file");
        let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut rgb).expect("a complete image");
        Self { width: info.width as usize, rgb }
    }

    /// The pixels of a rectangle, given in fractions of the window.
    pub fn part(&self, x: [f32; 2], y: [f32; 2]) -> Vec<[u8; 3]> {
        let height = self.rgb.len() / 3 / self.width;
        let span = |r: [f32; 2], n: usize| (r[0] * n as f32) as usize..(r[1] * n as f32) as usize;
        let mut out = Vec::new();
        for row in span(y, height) {
            for column in span(x, self.width) {
                let at = (row * self.width + column) * 3;
                out.push([self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]);
            }
        }
        out
    }
}

/// Fraction of the pixels that differ visibly.
pub fn difference(a: &[[u8; 3]], b: &[[u8; 3]]) -> f32 {
    assert_eq!(a.len(), b.len());
    let far = |(p, q): (&[u8; 3], &[u8; 3])| (0..3).any(|k| p[k].abs_diff(q[k]) > 6);
    a.iter().zip(b).filter(|&pair| far(pair)).count() as f32 / a.len() as f32
}

/// The centre of the 3D view, away from the panels.
pub fn view(picture: &Picture) -> Vec<[u8; 3]> {
    picture.part([0.45, 0.95], [0.2, 0.75])
}

/// Whether the tested program is for another system, as `tools/platforms` says. It then runs in Wine, which gives a
/// program no Unix signals, and no Vulkan without a screen.
pub fn runs_in_wine() -> bool {
    std::env::var_os("TALWEG_TESTED_SYSTEM").is_some_and(|system| system == "windows")
}
