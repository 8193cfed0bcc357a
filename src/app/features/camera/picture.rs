//! An image of the view at any size, saved as PNG. A thread of its own renders it off-screen.

use std::path::PathBuf;
use std::sync::Arc;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::{self, Align, DragValue, Layout, Ui};
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, Command, CommandQueue, Info, keys};
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::files::{Files, file_stem};
use crate::frame::dialogs::modals::{button, dismissed, is_confirmed, main_button, modal};
use crate::frame::editor::{Editor, file_name, with_reason};
use crate::frame::menu::pick;
use crate::frame::tasks::{Newest, Tasks};
use crate::shot::{MOST_SUPERSAMPLING, ShotOptions, ShotReport, ShotView, shot};
use crate::view::{ViewCamera, ViewState};

/// Allowed width and height of an image, in pixels.
const SIDES: std::ops::RangeInclusive<u32> = 16..=8192;

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize {
    pub width: u32,
    pub height: u32,
    /// Samples per pixel along each axis, see [`ShotOptions`].
    pub supersampling: u32,
}

/// Commands for images of the view.
#[derive(Clone, Debug, PartialEq)]
pub enum PictureAction {
    /// Opens the dialog with the size of the image.
    Ask,
    /// Asks for the file in which to save an image of this size.
    AskWhere(PictureSize),
    Write(PictureSize, PathBuf),
}

impl Action for PictureAction {
    fn section(&self) -> &'static str {
        "View"
    }

    fn info(&self) -> Info {
        match self {
            Self::Ask | Self::AskWhere(_) => Info::new(
                "Save picture of the view…",
                "Renders the view without panels, at any size up to 8192 pixels.",
                icon::CAMERA,
                keys![NONE + F12],
            ),
            Self::Write(..) => Info::new("Save picture", "Saves the image.", icon::CAMERA, &[]),
        }
    }
}

/// The image that is being rendered, keyed by its file name.
#[derive(Resource, Default)]
pub(super) struct PictureTask(Newest<String, Result<ShotReport, String>>);

pub(super) fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    pick(ui, &mut queue, PictureAction::Ask, !editor.doc.scene().is_planet());
}

pub(super) fn run(
    In(action): In<PictureAction>,
    mut editor: ResMut<Editor>,
    (view_state, camera): (Option<Res<ViewState>>, Option<Res<ViewCamera>>),
    mut task: ResMut<PictureTask>,
    tasks: Res<Tasks>,
) {
    let editor = &mut *editor;
    match action {
        PictureAction::Ask => {
            editor.dialogs.open(SizeDialog(PictureSize { width: 1920, height: 1080, supersampling: 1 }))
        }
        PictureAction::AskWhere(size) => {
            let then = move |path| PictureAction::Write(size, path).into();
            let name = format!("{} view", file_stem(&editor.doc));
            let files = Files::save(&editor.doc, "Save picture of the view", &name, &[("PNG image", "png")], then);
            editor.dialogs.open(files);
        }
        PictureAction::Write(PictureSize { width, height, supersampling }, path) => {
            let shown = view_state.as_deref().and_then(super::shown_terrain);
            let (Some(subject), Some(camera)) = (shown, camera) else {
                return editor.toasts.info("No terrain on screen to draw.");
            };
            let view = ShotView::Pose(camera.pose);
            let (projection, mode) = (camera.projection(), editor.view.mode);
            let half_detail = view_state.as_ref().and_then(|state| state.half_detail);
            let options = ShotOptions { width, height, supersampling, view, projection, mode, half_detail };
            let (name, subject) = (file_name(&path), Arc::new(subject));
            let work = tasks
                .start("picture", move |_| Some(shot(&subject, &options, path).map_err(|error| error.to_string())));
            match work {
                Ok(work) => {
                    editor.toasts.info(format!("Drawing {name}, {width} × {height} pixels…"));
                    task.0.start(name, Ok(work));
                }
                Err(error) => editor.toasts.error(with_reason("The picture was not drawn", &error)),
            }
        }
    }
}

/// Shows a message when an image is saved or has failed.
pub(super) fn receive(_: InMut<Ui>, mut task: ResMut<PictureTask>, mut editor: ResMut<Editor>) {
    if !task.0.receive() {
        return;
    }
    match task.0.take() {
        Some((name, Ok(report))) => {
            editor.toasts.info(format!("Saved {name}"));
            report.lacks().into_iter().for_each(|lack| editor.toasts.error(lack));
        }
        Some((name, Err(error))) => editor.toasts.error(with_reason(&format!("{name} was not written"), &error)),
        None => {}
    }
}

/// The dialog that asks for the size of the image.
struct SizeDialog(PictureSize);

impl Dialog for SizeDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        // read the Enter key before the fields are drawn, because a field loses the focus when Enter is pressed
        let (mut answer, has_entered) = (None, is_confirmed(ctx));
        let window = ctx.viewport_rect().size() * ctx.pixels_per_point();
        let modal = modal(ctx, "size of the picture").show(ctx, |ui| {
            ui.set_width(380.0);
            ui.heading("Save picture of the view");
            ui.label("Renders the view without panels, with its current light and colours.");
            ui.add_space(8.0);
            ui.horizontal_wrapped(|ui| {
                let own = (window.x as u32, window.y as u32);
                for (name, (width, height)) in [
                    ("Window", own),
                    ("Full HD", (1920, 1080)),
                    ("4K", (3840, 2160)),
                    ("Square", (2048, 2048)),
                    ("8K", (7680, 4320)),
                ] {
                    let size = PictureSize { width, height, supersampling: self.0.supersampling };
                    let chip = ui.add(egui::Button::new(name).selected(self.0 == size).corner_radius(10));
                    if chip.on_hover_text(format!("{width} × {height} pixels")).clicked() {
                        self.0 = size;
                    }
                }
            });
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                for (name, side) in [("Width", &mut self.0.width), ("Height", &mut self.0.height)] {
                    let label = ui.label(name);
                    ui.add(DragValue::new(side).range(SIDES)).labelled_by(label.id);
                }
                ui.label("pixels");
            });
            ui.horizontal(|ui| {
                let label = ui.label("Supersampling");
                let times = DragValue::new(&mut self.0.supersampling).range(1..=MOST_SUPERSAMPLING);
                ui.add(times).labelled_by(label.id).on_hover_text(
                    "Averages this many by this many samples per pixel. Higher values give smoother edges and take \
                     longer.",
                );
            });
            ui.add_space(12.0);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.add(main_button("Save as…")).clicked() || has_entered {
                    answer = Some(vec![PictureAction::AskWhere(self.0).into()]);
                }
                if ui.add(button("Cancel")).clicked() {
                    answer = Some(Vec::new());
                }
            });
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}
