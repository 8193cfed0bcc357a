//! Camera bookmarks, which are stored in the scene.

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::{Button, Ui, vec2};
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, CommandQueue, Info, keys};
use crate::frame::editor::Editor;
use crate::frame::menu::pick;
use crate::frame::menu_bar::submenu;
use crate::view::{Pose, SIDE_WORLD, ViewCamera, ViewCommand, ViewState};
use talweg::scene::{CameraBookmark, MAX_BOOKMARKS, Settings};

/// Commands that add, remove and visit camera bookmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookmarkAction {
    /// Adds a bookmark of the current camera.
    Add,
    /// Moves the camera to a bookmark, by its index in the scene.
    Go(usize),
    /// Removes a bookmark.
    Remove(usize),
}

impl Action for BookmarkAction {
    fn section(&self) -> &'static str {
        "View"
    }

    fn info(&self) -> Info {
        match self {
            Self::Add => Info::new(
                "Add camera bookmark",
                "Saves the camera position and direction in the scene. The scene opens at its first bookmark.",
                icon::BOOKMARK_SIMPLE,
                keys![COMMAND_SHIFT + D],
            ),
            Self::Go(_) => {
                Info::new("Go to bookmark", "Moves the camera to this bookmark.", icon::BOOKMARK_SIMPLE, &[])
            }
            Self::Remove(_) => Info::new("Remove bookmark", "Deletes the bookmark.", icon::TRASH, &[]),
        }
    }
}

/// The position and direction of the camera above a terrain. The window updates this resource.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct CameraStand {
    pub eye_world: Vec3,
    /// Heading in radians.
    pub yaw: f32,
    /// Inclination in radians.
    pub pitch: f32,
}

pub(super) fn update_pose(mut stand: ResMut<CameraStand>, camera: Res<ViewCamera>, view_state: Res<ViewState>) {
    let pose = camera.perspective_pose(&view_state);
    *stand = CameraStand { eye_world: pose.eye_world, yaw: pose.yaw, pitch: pose.pitch };
}

/// Converts the camera to a bookmark.
fn kept(stand: &CameraStand, settings: &Settings, name: String) -> CameraBookmark {
    let metres = settings.size_metres / SIDE_WORLD;
    let CameraStand { eye_world, yaw, pitch } = *stand;
    let [east, south] = [eye_world.x, eye_world.z].map(|at| (at + 0.5 * SIDE_WORLD) * metres);
    let (heading, tilt) = (yaw.to_degrees(), pitch.to_degrees().clamp(-90.0, 90.0));
    CameraBookmark { name, east, south, height: eye_world.y * metres, heading, tilt }
}

/// Converts a bookmark to the command that moves the camera to it.
fn stand(bookmark: &CameraBookmark, settings: &Settings) -> ViewCommand {
    let Pose { eye_world, yaw, pitch } = Pose::from_bookmark(bookmark, settings.size_metres);
    ViewCommand::Stand { eye_world, yaw, pitch }
}

/// Shows a newly opened scene from its first bookmark, or the whole terrain if the scene has no bookmark. Waits for the
/// first terrain of the scene, because the terrain of the scene before stays on screen until then.
pub(super) fn open(mut openings: Local<u64>, editor: Res<Editor>, mut camera: ResMut<ViewCamera>) {
    if *openings == editor.doc.openings() || !editor.doc.is_on_screen() {
        return;
    }
    *openings = editor.doc.openings();
    let scene = editor.doc.scene();
    match scene.bookmarks.first().filter(|_| !scene.is_planet()) {
        Some(first) => camera.jump_to(Pose::from_bookmark(first, scene.settings.size_metres)),
        None => camera.frame_again(),
    }
}

pub(super) fn run(
    In(action): In<BookmarkAction>,
    mut editor: ResMut<Editor>,
    now: Res<CameraStand>,
    mut view: MessageWriter<ViewCommand>,
) {
    let editor = &mut *editor;
    let scene = editor.doc.scene();
    if scene.is_planet() {
        return editor.toasts.info("Camera bookmarks work on terrains only, not on planets.");
    }
    match action {
        BookmarkAction::Add if scene.bookmarks.len() >= MAX_BOOKMARKS => {
            editor.toasts.info(format!("A scene can have at most {MAX_BOOKMARKS} camera bookmarks. Remove one first."));
        }
        BookmarkAction::Add => {
            let is_free = |name: &String| !scene.bookmarks.iter().any(|bookmark| bookmark.name == *name);
            let name = (1..).map(|k| format!("View {k}")).find(is_free).unwrap_or_default();
            let bookmark = kept(&now, &scene.settings, name);
            editor.toasts.info(format!("Added {} to View > Bookmarks.", bookmark.name));
            editor.doc.edit("Add camera bookmark", None, |scene| scene.bookmarks.push(bookmark));
        }
        BookmarkAction::Go(number) => {
            if let Some(bookmark) = scene.bookmarks.get(number) {
                view.write(stand(bookmark, &scene.settings));
            }
        }
        BookmarkAction::Remove(number) => editor.doc.edit("Remove camera bookmark", None, |scene| {
            if number < scene.bookmarks.len() {
                scene.bookmarks.remove(number);
            }
        }),
    }
}

pub(super) fn menu(InMut(ui): InMut<Ui>, mut editor: ResMut<Editor>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    let is_planet = editor.doc.scene().is_planet();
    if !super::is_square(ui, is_planet) {
        return;
    }
    pick(ui, &mut queue, BookmarkAction::Add, true);
    let bookmarks = editor.doc.scene().bookmarks.clone();
    if bookmarks.is_empty() {
        return;
    }
    submenu(ui, icon::BOOKMARKS, "Bookmarks", |ui| {
        for (number, bookmark) in bookmarks.iter().enumerate() {
            ui.horizontal(|ui| {
                let go = ui.add(Button::new(&bookmark.name).min_size(vec2(140.0, 24.0)));
                if go.on_hover_text("Moves the camera to this bookmark.").clicked() {
                    queue.push(BookmarkAction::Go(number));
                    ui.close();
                }
                let mut name = bookmark.name.clone();
                let field =
                    ui.add(bevy_egui::egui::TextEdit::singleline(&mut name).desired_width(110.0).char_limit(60));
                if field.on_hover_text("Name of the bookmark.").changed() {
                    let gesture = talweg::scene::Gesture(bevy_egui::egui::Id::new(("bookmark", number)).value());
                    editor.doc.edit("Rename camera bookmark", Some(gesture), |scene| {
                        scene.bookmarks[number].name = name;
                    });
                }
                let label = format!("Remove {}", bookmark.name);
                if crate::frame::theme::icon_button(ui, true, icon::TRASH, &label).clicked() {
                    queue.push(BookmarkAction::Remove(number));
                }
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bookmark_restores_its_view() {
        let settings = Settings { size_metres: 9000.0, ..Settings::default() };
        let now = CameraStand { eye_world: Vec3::new(-120.0, 340.0, 610.0), yaw: 1.2, pitch: -0.4 };
        let bookmark = kept(&now, &settings, "A".into());
        assert!(bookmark.is_valid());
        let ViewCommand::Stand { eye_world, yaw, pitch } = stand(&bookmark, &settings) else { panic!("a stand") };
        assert!(eye_world.distance(now.eye_world) < 1e-2, "{eye_world}");
        assert!((yaw - now.yaw).abs() < 1e-5 && (pitch - now.pitch).abs() < 1e-5);
    }
}
