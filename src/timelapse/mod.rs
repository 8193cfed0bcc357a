//! Time-lapse films of a process, such as erosion. A film shows the terrain from above every few iterations, as
//! numbered PNG files or one GIF.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::appearance::{PaletteTable, RgbImage, scene_image};
use crate::eval::{Cache, MemoryUse, NotEnoughMemory, Playhead, Store, Timeline, check_memory, evaluate};
use crate::field::{Cancelled, Control};
use crate::io::{FileError, SaveTarget, check_new_folder, check_writable, write_atomically, write_folder_atomically};
use crate::scene::Scene;

/// Display time of the last frame of a GIF.
const LAST_STANDS: Duration = Duration::from_secs(2);
/// Memory limit in bytes for the cached states of the process between two frames.
const TIMELINE_BYTES: usize = 256 << 20;
/// Speed of the colour quantisation of the GIF encoder, from 1 (best) to 30.
const GIF_SPEED: i32 = 10;
/// Maximum frame rate. GIF frame times are multiples of 0.01 s, and players slow down frames that are shorter than 0.02
/// s.
pub const MOST_FRAMES_A_SECOND: u32 = 50;

/// The reason why a film could not be created.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The computer does not have enough memory for the film.
    #[error(transparent)]
    Memory(#[from] NotEnoughMemory),
    /// The caller cancelled the film.
    #[error("stopped before it was finished; nothing was written")]
    Cancelled(#[from] Cancelled),
    /// The file extension does not belong to a film format.
    #[error("{path} cannot be created: films are .gif files, or folders of images (give a name without an extension)")]
    Ending {
        /// Path of the requested file or folder.
        path: PathBuf,
    },
    /// The chosen layer is not a process.
    #[error("layer `{0}` is not an erosion or other process, so there is nothing to film")]
    NoProcess(String),
    /// The chosen layer is hidden.
    #[error("layer `{0}` is hidden, so its process would be invisible; show it first")]
    Hidden(String),
    /// The scene has no visible process.
    #[error("no visible layer is an erosion or other process, so there is nothing to film")]
    NoProcesses,
}

/// Settings of a film.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Film {
    /// Index of the layer whose process is filmed.
    pub layer: usize,
    /// Number of frames; the first one shows the state before the first iteration.
    pub frames: u32,
    /// Frames per second.
    pub frames_a_second: u32,
    /// Number of samples per side of the evaluated terrain.
    pub samples: usize,
    /// Side length of the image in pixels.
    pub pixels: usize,
}

impl Default for Film {
    /// The default film: a five-second GIF, small enough for mail and chat.
    fn default() -> Self {
        Self { layer: 0, frames: 60, frames_a_second: 12, samples: crate::eval::PREVIEW_SAMPLES, pixels: 512 }
    }
}

impl Film {
    /// Index of the topmost visible layer of `scene` that has a process.
    pub fn topmost_process(scene: &Scene) -> Result<usize, FilmError> {
        let is_process = |k: &usize| scene.layers[*k].enabled && scene.layers[*k].node.as_process().is_some();
        (0..scene.layers.len()).rev().find(is_process).ok_or(FilmError::NoProcesses)
    }

    /// Iteration numbers of the frames, from the first to the last iteration, without repeats.
    fn iterations(&self, scene: &Scene) -> Result<Vec<u32>, FilmError> {
        let layer = &scene.layers[self.layer];
        let end = layer.iterations(self.samples).ok_or_else(|| FilmError::NoProcess(layer.name.clone()))?;
        if !layer.enabled || layer.mix.opacity == 0.0 {
            return Err(FilmError::Hidden(layer.name.clone()));
        }
        let last = u64::from(self.frames.saturating_sub(1)).max(1);
        let mut shown: Vec<u32> = (0..=last).map(|k| (u64::from(end) * k / last) as u32).collect();
        shown.dedup();
        Ok(shown)
    }

    /// Creates the film: a GIF if the name of `to` ends in `.gif`, otherwise numbered PNG files in a folder with the
    /// name `to`. The folder must be new or empty, and appears only when all files are written. `progress` receives the
    /// completed fraction. The computation uses the thread pool in which the caller runs. Returns the number of frames.
    ///
    /// # Errors
    /// When the layer has no visible process, the film cannot be written, or the caller cancels `control`. An
    /// unfinished film is deleted.
    pub fn shoot(
        &self,
        scene: &Scene,
        palette: &PaletteTable,
        to: impl Into<SaveTarget>,
        control: &Control,
        progress: impl Fn(f32),
    ) -> Result<usize, FilmError> {
        let to = to.into();
        let iterations = self.iterations(scene)?;
        let count = iterations.len();
        let kept = [Cache::DEFAULT_BYTES, TIMELINE_BYTES];
        check_memory(scene, self.samples, &MemoryUse { kept, ..MemoryUse::picture(scene, self.pixels, self.pixels) })?;
        let mut store = Store::new(Cache::default(), Timeline::new(TIMELINE_BYTES));
        let image = |k: usize| -> Result<RgbImage, FilmError> {
            progress(k as f32 / count as f32);
            let playhead = Some(Playhead { layer: self.layer, iteration: iterations[k] });
            let seen = evaluate(scene, self.samples, playhead, &mut store, control)?;
            control.check()?;
            Ok(scene_image(scene, &seen.terrain, palette, [self.pixels; 2], control)?)
        };
        let side = self.pixels as u32;
        let format =
            FilmFormat { width: side, height: side, frames_a_second: self.frames_a_second, last_stands: LAST_STANDS };
        format.write(&to, count, image)?;
        progress(1.0);
        Ok(count)
    }
}

/// Size and timing of a film's frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilmFormat {
    /// Width of a frame in pixels; a GIF allows at most 65,535.
    pub width: u32,
    /// Height of a frame in pixels; a GIF allows at most 65,535.
    pub height: u32,
    /// Frames per second of a GIF, at most [`MOST_FRAMES_A_SECOND`]; PNG files ignore this value.
    pub frames_a_second: u32,
    /// Display time of the last frame of a GIF; zero for a seamless loop.
    pub last_stands: Duration,
}

impl FilmFormat {
    /// Writes a film of `count` frames: a GIF if the name of `to` ends in `.gif`, otherwise numbered PNG files in a
    /// folder with the name `to`. The folder must be new or empty, and appears only when all files are written.
    ///
    /// # Errors
    /// When `count` is 0 or a frame cannot be written. An unfinished film is deleted.
    pub fn write<E: From<FilmError>>(
        &self,
        to: &SaveTarget,
        count: usize,
        mut image: impl FnMut(usize) -> Result<RgbImage, E>,
    ) -> Result<(), E> {
        let mut failed = None;
        let mut picture = |k| {
            image(k).map_err(|error| {
                failed = Some(error);
                std::io::Error::other("the film has no frames")
            })
        };
        let written = if is_gif(to.path()) {
            write_atomically(to, |file| self.write_gif(file, count, &mut picture)).map_err(FilmError::from)
        } else {
            check_target(to).map_err(E::from)?;
            write_folder_atomically(to.path(), |folder| -> Result<(), FilmError> {
                for k in 0..count {
                    let name = format!("frame-{k:05}.png");
                    let written = picture(k).and_then(|image| image.write_png(File::create_new(folder.join(&name))?));
                    written.map_err(|source| FileError::Write { path: to.path().join(name), source })?;
                }
                Ok(())
            })
        };
        match failed {
            Some(error) => Err(error),
            None => Ok(written?),
        }
    }

    fn write_gif(
        &self,
        file: &mut impl std::io::Write,
        count: usize,
        picture: &mut impl FnMut(usize) -> std::io::Result<RgbImage>,
    ) -> std::io::Result<()> {
        let too_large = |_| std::io::Error::other("a GIF is at most 65,535 pixels wide and high");
        let width = u16::try_from(self.width).map_err(too_large)?;
        let height = u16::try_from(self.height).map_err(too_large)?;
        let hundredths = |d: Duration| (d.as_millis() / 10) as u16;
        let delay = hundredths(Duration::from_secs(1) / self.frames_a_second.clamp(1, MOST_FRAMES_A_SECOND));
        let mut encoder = gif::Encoder::new(file, width, height, &[]).map_err(std::io::Error::other)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(std::io::Error::other)?;
        for k in 0..count {
            let mut frame = gif::Frame::from_rgb_speed(width, height, &picture(k)?.rgb, GIF_SPEED);
            frame.delay = if k + 1 == count { hundredths(self.last_stands).max(delay) } else { delay };
            encoder.write_frame(&frame).map_err(std::io::Error::other)?;
        }
        Ok(())
    }
}

/// Whether a film with the name `target` is a single GIF file.
pub fn is_gif(target: &Path) -> bool {
    target.extension().is_some_and(|e| e.eq_ignore_ascii_case("gif"))
}

/// Checks in advance whether a film could be written to `to`.
pub fn check_target(to: impl Into<SaveTarget>) -> Result<(), FilmError> {
    let to = to.into();
    let target = to.path();
    const OTHERS: [&str; 9] = ["mp4", "webm", "webp", "avi", "mov", "mkv", "png", "apng", "jpg"];
    if target.extension().is_some_and(|e| OTHERS.iter().any(|other| e.eq_ignore_ascii_case(other))) {
        return Err(FilmError::Ending { path: target.into() });
    }
    let checked = if is_gif(target) { check_writable(&to) } else { check_new_folder(target) };
    checked.map_err(FilmError::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appearance_files::Palette;
    use crate::nodes::Node;
    use crate::scene::Layer;

    fn scene() -> Scene {
        let layer = |name: &str| Layer::new(Node::named(name).unwrap(), 1);
        let mut scene = Scene { layers: vec![layer("Perlin"), layer("Thermal")], ..Scene::default() };
        scene.settings.resolution = 33;
        scene.set("2.iterations=20").unwrap();
        scene.set("2.talus_angle=5").unwrap();
        scene
    }

    fn film(frames: u32) -> Film {
        Film { layer: 1, frames, frames_a_second: 10, samples: 33, pixels: 24 }
    }

    fn shoot(film: &Film, target: &Path) -> Result<usize, FilmError> {
        let scene = scene();
        let table = PaletteTable::new(Palette::named("alpine").unwrap(), &scene.settings);
        film.shoot(&scene, &table, target, &Control::default(), |_| ())
    }

    #[test]
    fn the_first_picture_is_the_start_and_the_last_the_end() {
        assert_eq!(film(5).iterations(&scene()).unwrap(), [0, 5, 10, 15, 20]);
        assert_eq!(film(100).iterations(&scene()).unwrap(), (0..=20).collect::<Vec<_>>());
        assert_eq!(film(1).iterations(&scene()).unwrap(), [0, 20]);
    }

    #[test]
    fn a_folder_of_pictures_shows_what_render_shows() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("film");
        assert_eq!(shoot(&film(3), &target).unwrap(), 3);
        let read = |name: &str| std::fs::read(target.join(name)).unwrap();
        let end = evaluate(&scene(), 33, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
        let table = PaletteTable::new(Palette::named("alpine").unwrap(), &scene().settings);
        let mut bytes = Vec::new();
        scene_image(&scene(), &end, &table, [24; 2], &Control::default()).unwrap().write_png(&mut bytes).unwrap();
        assert_eq!(read("frame-00002.png"), bytes);
        assert!(read("frame-00000.png") != bytes);
        assert!(shoot(&film(3), &target).unwrap_err().to_string().contains("not empty"));
    }

    #[test]
    fn a_gif_reads_back_with_its_pictures_and_times() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("film.gif");
        shoot(&film(4), &target).unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(std::fs::File::open(&target).unwrap()).unwrap();
        let mut delays = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            assert_eq!((frame.width, frame.height), (24, 24));
            delays.push(frame.delay);
        }
        assert_eq!(delays, [10, 10, 10, 200]);
    }

    #[test]
    fn a_cancelled_film_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let table = PaletteTable::new(Palette::named("alpine").unwrap(), &scene().settings);
        for name in ["film.gif", "film"] {
            let (target, control) = (folder.path().join(name), Control::default());
            let stopped = film(9).shoot(&scene(), &table, &target, &control, |done| {
                if done > 0.4 {
                    control.cancel();
                }
            });
            assert!(matches!(stopped, Err(FilmError::Cancelled(_))) && !target.exists());
            assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "nothing is left behind");
        }
    }

    #[test]
    fn only_processes_can_be_filmed() {
        let still = Scene { layers: scene().layers[..1].to_vec(), ..scene() };
        assert!(matches!(Film::topmost_process(&still), Err(FilmError::NoProcesses)));
        assert_eq!(Film::topmost_process(&scene()).unwrap(), 1);
        let wrong = Film { layer: 0, ..film(3) };
        assert!(shoot(&wrong, Path::new("/tmp/never")).unwrap_err().to_string().contains("Perlin"));
        let mut hidden = scene();
        hidden.layers[1].enabled = false;
        assert!(matches!(film(3).iterations(&hidden), Err(FilmError::Hidden(_))));
    }
}
