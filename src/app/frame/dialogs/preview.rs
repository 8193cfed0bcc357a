//! The preview of the selected file in a dialog that opens files: a picture of the terrain or the image itself, and the
//! size of the file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bevy_egui::egui;
use egui::{RichText, Ui};

use crate::frame::editor::file_name;
use crate::frame::theme::colour;
use crate::frame::widgets::scene_picture::SceneThumbnail;
use talweg::appearance::{RgbImage, encode};
use talweg::export::origin::{may_carry_scene, read_origin};
use talweg::field::Control;
use talweg::io::Picture;
use talweg::io::memory::bytes_text;
use talweg::preferences::cache_folder;
use talweg::scene::Scene;
use talweg::scene::import::scene_from_file;
use talweg::variants::{Size, picture};

/// Size of the picture. The start window stores pictures of the same size.
const PICTURE: Size = Size { samples: 129, pixels: 160 };
/// Side length of the picture in points.
const SIDE: f32 = 160.0;
/// Larger files have no preview, because reading them takes long.
const MOST_BYTES: u64 = 256 << 20;

/// The preview of one file. Dropping it stops the thread that draws the picture.
pub(super) struct FilePreview {
    path: PathBuf,
    bytes: u64,
    picture: SceneThumbnail,
    /// Set when the picture is drawn or cannot be drawn: the reason why there is no picture, if there is one.
    ended: Arc<OnceLock<Option<String>>>,
    control: Arc<Control>,
}

impl FilePreview {
    /// Starts to draw the preview of a file.
    pub fn new(path: &Path, is_texture: bool) -> Self {
        let bytes = std::fs::metadata(path).map_or(0, |about| about.len());
        let preview = Self {
            path: path.into(),
            bytes,
            picture: SceneThumbnail::default(),
            ended: Arc::default(),
            control: Arc::default(),
        };
        let (path, picture) = (preview.path.clone(), preview.picture.clone());
        let (ended, control) = (preview.ended.clone(), preview.control.clone());
        let draw = move || {
            let failed = draw_file_picture(&path, &picture, &control, is_texture).err();
            // only this thread sets the end
            let _ = ended.set(failed);
        };
        if let Err(error) = std::thread::Builder::new().name("talweg-preview".into()).spawn(draw) {
            let _ = preview.ended.set(Some(format!("No preview: {error}.")));
        }
        preview
    }

    /// Whether this is the preview of `path`.
    pub fn is_of(&self, path: &Path) -> bool {
        self.path == path
    }

    pub fn show(&self, ui: &mut Ui) {
        ui.vertical_centered(|ui| self.picture.show(ui, SIDE));
        ui.label(RichText::new(file_name(&self.path)).strong());
        ui.weak(bytes_text(self.bytes));
        match self.ended.get() {
            None => {
                ui.weak("Drawing the preview…");
                ui.ctx().request_repaint_after(Duration::from_millis(50));
            }
            Some(None) => {}
            Some(Some(reason)) => {
                ui.label(RichText::new(reason).small().color(colour::text_weak()));
            }
        }
    }
}

impl Drop for FilePreview {
    fn drop(&mut self) {
        self.control.cancel();
    }
}

/// Draws the picture of a scene, of the scene inside an exported file, of the heights in any other file, or an image
/// for a texture.
pub(in crate::frame) fn draw_file_picture(
    path: &Path,
    shown: &SceneThumbnail,
    control: &Control,
    is_texture: bool,
) -> Result<(), String> {
    if std::fs::metadata(path).is_ok_and(|about| about.len() > MOST_BYTES) {
        return Err("The file is too large for a preview.".into());
    }
    if is_texture {
        shown.set(small_image(&talweg::io::picture(path).map_err(|error| error.to_string())?));
        return Ok(());
    }
    let scene = scene_of(path)?;
    control.check().map_err(|_| String::new())?;
    let cache = cache_folder().map(|folder| folder.join("pictures"));
    let image = picture(cache.as_deref(), &scene, PICTURE, control).map_err(|_| String::new())?;
    shown.set(image);
    Ok(())
}

/// An image with as many pixels as the preview shows.
fn small_image(image: &Picture) -> RgbImage {
    let side = PICTURE.pixels;
    let byte = |k: usize, at: usize| {
        let value = image.channel(k)[at].clamp(0.0, 1.0);
        // floats are proportional to light
        if image.is_float { encode([value; 3])[0] } else { (255.0 * value + 0.5) as u8 }
    };
    let pixel = |k: usize| {
        let at = k / side * image.height / side * image.width + k % side * image.width / side;
        [0, 1, 2].map(|channel| byte(channel, at))
    };
    RgbImage { width: side, height: side, rgb: (0..side * side).flat_map(pixel).collect() }
}

fn scene_of(path: &Path) -> Result<Scene, String> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ron")) {
        return Scene::load(path).map(|(scene, _)| scene).map_err(|error| error.to_string());
    }
    if may_carry_scene(path)
        && let Ok(origin) = read_origin(path)
    {
        return Ok(origin.scene);
    }
    scene_from_file(path).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(preview: &FilePreview) -> Option<String> {
        while preview.ended.get().is_none() {
            std::thread::yield_now();
        }
        preview.ended.get().cloned().flatten()
    }

    #[test]
    fn scenes_and_heights_have_a_preview() {
        let folder = tempfile::tempdir().unwrap();
        let (scene, heights, broken) =
            (folder.path().join("a.ron"), folder.path().join("b.asc"), folder.path().join("c.png"));
        std::fs::write(&scene, "(version: 1, layers: [(node: Perlin())])").unwrap();
        let grid = "ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 10\n".to_string() + &"1 2 3 4\n".repeat(4);
        std::fs::write(&heights, grid).unwrap();
        std::fs::write(&broken, "no image").unwrap();
        for path in [&scene, &heights] {
            let preview = FilePreview::new(path, false);
            assert_eq!(wait(&preview), None, "{}", path.display());
            assert!(preview.is_of(path) && preview.picture.is_ready());
        }
        let preview = FilePreview::new(&broken, false);
        assert!(wait(&preview).is_some_and(|reason| !reason.is_empty()));
        assert!(!preview.picture.is_ready());
        let texture = folder.path().join("albedo.png");
        RgbImage::from_fn(4, 4, |x, y| [x as u8, y as u8, 0]).save(&texture).unwrap();
        let preview = FilePreview::new(&texture, true);
        assert_eq!(wait(&preview), None);
        assert!(preview.picture.is_ready());
    }
}
