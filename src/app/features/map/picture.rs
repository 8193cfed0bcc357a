//! Renders the map on a thread of its own. The newest request starts only after a running task is finished.

use std::sync::Arc;

use bevy::prelude::*;

use super::contours::{self, ContourLabel};
use super::{MapState, MapStyle};
use crate::frame::editor::Editor;
use crate::frame::evaluation::EvaluationClient;
use crate::frame::tasks::{Newest, Tasks};
use crate::frame::units::ShownUnit;
use crate::view::{OverlayChoice, ViewState, overlay_colours};
use talweg::appearance::{PaletteTable, RgbImage, relief};
use talweg::appearance_files::Palette;
use talweg::field::{Cancelled, Control, Terrain};
use talweg::scene::Settings;

/// Minimum and maximum side length of the map image, in pixels.
const SIDES: [usize; 2] = [512, 1280];

/// The terrain and settings from which a map is rendered.
#[derive(Clone)]
pub(super) struct MapSubject {
    terrain: Arc<Terrain>,
    palette: Arc<PaletteTable>,
    settings: Settings,
    choice: OverlayChoice,
    style: MapStyle,
    /// Contour interval in metres; 0 if no contours are drawn.
    interval: f32,
}

impl PartialEq for MapSubject {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.terrain, &other.terrain)
            && Arc::ptr_eq(&self.palette, &other.palette)
            && self.choice.has_same_image(&other.choice)
            && (&self.settings, self.style, self.interval) == (&other.settings, other.style, other.interval)
    }
}

/// A rendered image of the map with its contour labels.
#[derive(Clone, Debug, PartialEq)]
pub struct MapPicture {
    pub image: RgbImage,
    pub labels: Vec<ContourLabel>,
}

impl MapPicture {
    /// Renders a map.
    ///
    /// # Errors
    /// If `control` cancels the rendering.
    fn new(of: &MapSubject, control: &Control) -> Result<Self, Cancelled> {
        let side = of.terrain.samples().clamp(SIDES[0], SIDES[1]);
        let grey = Palette::named_or_default("greyscale");
        let table = match of.style {
            MapStyle::Relief => PaletteTable::clone(&of.palette),
            MapStyle::Hillshade => PaletteTable {
                lut: vec![[214, 214, 214, 255]; 512],
                rock: [214, 214, 214, 0],
                ..PaletteTable::new(grey, &of.settings)
            },
            MapStyle::Heights => PaletteTable::new(grey, &of.settings),
        };
        let mut image = relief(&of.terrain, &of.settings, &table, [side; 2], control)?;
        if let Some(colours) = overlay_colours(&of.terrain, &of.settings, &of.choice, control)? {
            lay_overlay(&mut image, &of.terrain, &colours);
        }
        let mut labels = Vec::new();
        if of.interval > 0.0 {
            contours::draw_contours(&mut image, &of.terrain, &of.settings, of.interval, control)?;
            labels = contours::labels(&of.terrain, &of.settings, of.interval, side);
        }
        Ok(Self { image, labels })
    }
}

/// Blends the colours of an overlay into the image and keeps its shading. `colours` has one colour with opacity per
/// sample.
fn lay_overlay(image: &mut RgbImage, terrain: &Terrain, colours: &[[u8; 4]]) {
    let (n, side) = (terrain.samples(), image.width);
    for (k, pixel) in image.rgb.chunks_mut(3).enumerate() {
        let sample = |pixel: usize| ((pixel as f32 + 0.5) / side as f32 * (n - 1) as f32).round() as usize;
        let [r, g, b, opacity] = colours[sample(k / side) * n + sample(k % side)].map(f32::from);
        let light = (f32::from(pixel[0]) + f32::from(pixel[1]) + f32::from(pixel[2])) / (3.0 * 190.0);
        let share = opacity / 255.0;
        for (channel, over) in pixel.iter_mut().zip([r, g, b]) {
            let lit = (over * light.clamp(0.55, 1.15)).min(255.0);
            *channel = (f32::from(*channel) * (1.0 - share) + lit * share + 0.5) as u8;
        }
    }
}

/// The task that renders the map, and the newest map.
#[derive(Resource, Default)]
pub(super) struct MapTask(Newest<MapSubject, Arc<MapPicture>>);

pub(super) fn advance(
    mut task: ResMut<MapTask>,
    mut state: ResMut<MapState>,
    editor: Res<Editor>,
    (evaluation, view_state): (Res<EvaluationClient>, Res<ViewState>),
    tasks: Res<Tasks>,
) {
    if !state.is_open {
        *task = MapTask::default();
        state.picture = None;
        return;
    }
    if task.0.receive() {
        state.picture = task.0.done().map(|(_, picture)| picture.clone());
    }
    let settings = &editor.doc.scene().settings;
    let (Some((terrain, shown)), Some(palette)) = (evaluation.on_screen(), &view_state.palette) else { return };
    if settings.is_planet() || terrain.grid.is_globe() {
        state.picture = None;
        return;
    }
    if state.interval <= 0.0 || state.units != editor.interface.units {
        let (low, high) = evaluation.range;
        let unit = ShownUnit::in_system("m", editor.interface.units);
        let range = unit.shown(f64::from((high - low) * settings.relief_metres));
        state.interval = unit.kept(f64::from(contours::usual_interval(range as f32))) as f32;
        state.units = editor.interface.units;
    }
    let subject = MapSubject {
        terrain: terrain.clone(),
        palette: palette.clone(),
        settings: settings.clone(),
        choice: OverlayChoice { biomes: None, ..shown.base().choice.clone() },
        style: state.style,
        interval: if state.contours { state.interval } else { 0.0 },
    };
    let is_known = task.0.done().is_some_and(|(of, _)| *of == subject);
    if task.0.running().is_none() && !is_known {
        let of = subject.clone();
        // if no thread can be started, the next frame tries again
        let made = tasks.start("map", move |control| MapPicture::new(&of, control).ok().map(Arc::new));
        task.0.start(subject, made);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Overlay;
    use talweg::field::Edges;

    #[test]
    fn every_map_style_and_overlay_gives_a_different_picture() {
        let terrain = Arc::new(Terrain::from_fn(65, Edges::Open, |u, v| 0.5 + 0.3 * (u * 9.0).sin() * (v * 7.0).cos()));
        let settings = Settings::default();
        let palette = Arc::new(PaletteTable::new(Palette::named_or_default("alpine"), &settings));
        let choice = OverlayChoice::default();
        let plain = MapSubject { terrain, palette, settings, choice, style: MapStyle::Relief, interval: 0.0 };
        let made = |of: &MapSubject| MapPicture::new(of, &Control::default()).unwrap();
        let choice = OverlayChoice { overlay: Overlay::Slope, ..OverlayChoice::default() };
        let all = [
            made(&plain),
            made(&MapSubject { style: MapStyle::Hillshade, ..plain.clone() }),
            made(&MapSubject { style: MapStyle::Heights, ..plain.clone() }),
            made(&MapSubject { choice, ..plain.clone() }),
            made(&MapSubject { interval: 50.0, ..plain }),
        ];
        for (k, picture) in all.iter().enumerate() {
            assert!(all[..k].iter().all(|other| other.image != picture.image), "{k}");
        }
        assert!(all[0].labels.is_empty() && !all[4].labels.is_empty());
    }
}
