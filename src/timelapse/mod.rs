//! Time-lapse films of a process, such as erosion, or of a generator that is played step by step. A film shows the
//! terrain from above every few iterations or steps, as numbered PNG files or one GIF.

mod step_marks;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::appearance::{PaletteTable, RgbImage, scene_image};
use crate::eval::{
    Cache, MemoryUse, NotEnoughMemory, Playhead, Store, Timeline, check_memory, evaluate, generator_step,
};
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
/// Number of frames of a film of a process, if the user does not choose it. A generator has one frame for each step.
pub const PROCESS_FRAMES: u32 = 60;
/// Frames per second of films of a process, and of films of a generator, if the user does not choose them.
const USUAL_RATES: [u32; 2] = [12, 2];
/// Maximum number of frames of a film of a generator, if the user does not choose it.
const MOST_STEPS: u32 = 60;

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
    /// The chosen layer cannot be played.
    #[error(
        "layer `{0}` is neither an erosion or other process nor a generator with steps, so there is nothing to film"
    )]
    NoProcess(String),
    /// The chosen layer is hidden.
    #[error("layer `{0}` is hidden, so its film would show no change; show it first")]
    Hidden(String),
    /// No visible layer of the scene can be played.
    #[error("no visible layer is an erosion or other process or a generator with steps, so there is nothing to film")]
    NoProcesses,
}

/// Settings of a film.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Film {
    /// Index of the layer whose process or generator is filmed.
    pub layer: usize,
    /// Number of frames; the first one shows the state before the first iteration or step.
    pub frames: u32,
    /// Frames per second.
    pub frames_a_second: u32,
    /// Number of samples per side of the evaluated terrain.
    pub samples: usize,
    /// Side length of the image in pixels.
    pub pixels: usize,
    /// Whether the points, cells and formula of each step of a generator are drawn over the terrain.
    pub shows_steps: bool,
}

impl Default for Film {
    /// The default film of a process: a five-second GIF, small enough for mail and chat.
    fn default() -> Self {
        Self {
            layer: 0,
            frames: PROCESS_FRAMES,
            frames_a_second: USUAL_RATES[0],
            samples: crate::eval::PREVIEW_SAMPLES,
            pixels: 512,
            shows_steps: false,
        }
    }
}

impl Film {
    /// The default film of a layer of `scene`. The film of a generator has a frame for each step, but at most
    /// [`MOST_STEPS`] frames, and shows two frames per second.
    pub fn of_layer(scene: &Scene, layer: usize) -> Self {
        let steps = scene.timeline_end(layer).filter(|_| scene.iterations(layer).is_none());
        let Some(steps) = steps else { return Self { layer, ..Self::default() } };
        let frames = steps.saturating_add(1).min(MOST_STEPS);
        Self { layer, frames, frames_a_second: USUAL_RATES[1], ..Self::default() }
    }

    /// Index of the layer to film: the topmost visible layer of `scene` that has a process, otherwise the topmost
    /// visible generator that can be played.
    pub fn topmost_layer(scene: &Scene) -> Result<usize, FilmError> {
        let shown = || (0..scene.layers.len()).rev().filter(|&k| scene.layers[k].enabled);
        let process = shown().find(|&k| scene.layers[k].node.as_process().is_some());
        process.or_else(|| shown().find(|&k| scene.timeline_end(k).is_some())).ok_or(FilmError::NoProcesses)
    }

    /// Iteration or step numbers of the frames, from the first to the last, without repeats.
    fn iterations(&self, scene: &Scene) -> Result<Vec<u32>, FilmError> {
        let layer = &scene.layers[self.layer];
        let end = layer.iterations(self.samples).or_else(|| scene.timeline_end(self.layer));
        let end = end.ok_or_else(|| FilmError::NoProcess(layer.name.clone()))?;
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
    /// When the layer cannot be played or is hidden, the film cannot be written, or the caller cancels `control`. An
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
            let playhead = Playhead { layer: self.layer, iteration: iterations[k] };
            let seen = evaluate(scene, self.samples, Some(playhead), &mut store, control)?;
            control.check()?;
            let mut image = scene_image(scene, &seen.terrain, palette, [self.pixels; 2], control)?;
            if let Some(step) = generator_step(scene, playhead).filter(|_| self.shows_steps) {
                step_marks::draw_step(&mut image, &step);
            }
            Ok(image)
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
        Film { layer: 1, frames, frames_a_second: 10, samples: 33, pixels: 24, shows_steps: false }
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
    fn only_layers_that_play_can_be_filmed() {
        let mut still = scene();
        still.layers[0].node = Node::named("Shape").unwrap();
        let alone = Scene { layers: still.layers[..1].to_vec(), ..scene() };
        assert!(matches!(Film::topmost_layer(&alone), Err(FilmError::NoProcesses)));
        assert_eq!(Film::topmost_layer(&scene()).unwrap(), 1);
        let noise = Scene { layers: scene().layers[..1].to_vec(), ..scene() };
        assert_eq!(Film::topmost_layer(&noise).unwrap(), 0, "a scene without a process shows its generator");
        let palette = PaletteTable::new(Palette::named("alpine").unwrap(), &still.settings);
        let wrong = Film { layer: 0, ..film(3) };
        let refused = wrong.shoot(&still, &palette, Path::new("/tmp/never"), &Control::default(), |_| ());
        assert!(refused.unwrap_err().to_string().contains("Perlin"));
        let mut hidden = scene();
        hidden.layers[1].enabled = false;
        assert!(matches!(film(3).iterations(&hidden), Err(FilmError::Hidden(_))));
    }

    #[test]
    fn a_generator_has_a_frame_for_each_step() {
        let mut scene = scene();
        scene.set("1.octaves=6").unwrap();
        let film = Film::of_layer(&scene, 0);
        assert_eq!(film.iterations(&scene).unwrap(), (0..=6).collect::<Vec<_>>());
        assert_eq!((film.frames, film.frames_a_second), (7, 2));
        assert_eq!(Film { frames: 3, ..film }.iterations(&scene).unwrap(), [0, 3, 6]);
        assert_eq!(Film::of_layer(&scene, 1), Film { layer: 1, ..Film::default() });
    }

    #[test]
    fn films_of_a_generator_show_marks_if_asked() {
        let folder = tempfile::tempdir().unwrap();
        let scene = scene();
        let table = PaletteTable::new(Palette::named("alpine").unwrap(), &scene.settings);
        // large enough for a line of text
        let plain = Film { samples: 33, pixels: 256, frames: 4, ..Film::of_layer(&scene, 0) };
        let marked = Film { shows_steps: true, ..plain.clone() };
        for (film, name) in [(&plain, "plain"), (&marked, "marked")] {
            assert_eq!(film.shoot(&scene, &table, folder.path().join(name), &Control::default(), |_| ()).unwrap(), 4);
        }
        let read = |name: &str, k: u32| std::fs::read(folder.path().join(format!("{name}/frame-{k:05}.png"))).unwrap();
        assert!((1..4).all(|k| read("plain", k) != read("marked", k)));
        assert_ne!(read("plain", 0), read("plain", 1));
        let end = evaluate(&scene, 33, None, &mut Store::forgetful(), &Control::default()).unwrap().terrain;
        let mut bytes = Vec::new();
        scene_image(&scene, &end, &table, [256; 2], &Control::default()).unwrap().write_png(&mut bytes).unwrap();
        assert_eq!(read("plain", 3), bytes, "the last frame is the whole terrain");
    }
}
