//! The View menu: display settings and camera of the 3D view.
//!
//! The editor stores the settings, and the frame copies them to the view. Camera commands are sent to the view
//! directly.

mod commands;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::Ui;
use egui_phosphor::regular as icon;

use self::commands::CAMERA;
pub use self::commands::{ResetView, ViewAction};
use crate::frame::commands::{Command, CommandApp, CommandQueue};
use crate::frame::editor::{Editor, ViewSettings};
use crate::frame::interface::InterfaceApp;
use crate::frame::menu::{entry, pick};
use crate::frame::menu_bar::submenu;
use crate::view::{Overlay, ViewCommand, ViewProjection};

pub struct ViewSettingsPlugin;

impl Plugin for ViewSettingsPlugin {
    fn build(&self, app: &mut App) {
        app.add_message::<ViewCommand>()
            .add_actions([ResetView], reset)
            .add_actions(CAMERA, move_camera)
            .add_actions(ViewAction::all(), set)
            .add_menu("View", 50)
            .add_menu_part("View", 0, menu);
    }
}

fn reset(_: In<ResetView>, mut queue: ResMut<CommandQueue>) {
    queue.push(ViewCommand::Perspective);
}

fn move_camera(In(command): In<ViewCommand>, mut commands: MessageWriter<ViewCommand>) {
    commands.write(command);
}

fn set(In(action): In<ViewAction>, mut editor: ResMut<Editor>) {
    let view = &mut editor.view;
    match action {
        ViewAction::Mode(mode) => view.mode = mode,
        // hide the active overlay if the user selects it again
        ViewAction::Overlay(overlay) if view.overlay == overlay => view.overlay = Overlay::None,
        ViewAction::Overlay(overlay) => view.overlay = overlay,
        ViewAction::Detail(detail) => view.tree_detail = detail,
        ViewAction::ToggleWater => view.water = !view.water,
        ViewAction::ToggleOrthographic => {
            view.lens = match view.lens {
                ViewProjection::Perspective => ViewProjection::Orthographic,
                ViewProjection::Orthographic => ViewProjection::Perspective,
            }
        }
        ViewAction::Projection(projection) => view.projection = projection,
    }
}

fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    let is_planet = editor.doc.scene().is_planet();
    let view = &editor.view;
    let actions = ViewAction::all();
    let set = |ui: &mut Ui, queue: &mut CommandQueue, of: fn(&ViewAction) -> bool| {
        actions.iter().filter(|action| of(action)).for_each(|action| setting(ui, view, queue, *action));
    };
    pick(ui, &mut queue, ResetView, true);
    submenu(ui, icon::VIDEO_CAMERA, "Camera", |ui| {
        for command in CAMERA {
            pick(ui, &mut queue, command, true);
        }
        ui.separator();
        if is_planet {
            set(ui, &mut queue, |action| matches!(action, ViewAction::Projection(_)));
        } else {
            set(ui, &mut queue, |action| matches!(action, ViewAction::ToggleOrthographic));
        }
    });
    ui.separator();
    submenu(ui, icon::POLYGON, "Display mode", |ui| {
        set(ui, &mut queue, |action| matches!(action, ViewAction::Mode(_)));
    });
    if view.mode.draws_tree() {
        submenu(ui, icon::BINOCULARS, "Detail by distance", |ui| {
            set(ui, &mut queue, |action| matches!(action, ViewAction::Detail(_)));
        });
    }
    submenu(ui, icon::STACK, "Overlay", |ui| {
        set(ui, &mut queue, |action| matches!(action, ViewAction::Overlay(_)));
    });
    set(ui, &mut queue, |action| matches!(action, ViewAction::ToggleWater));
}

fn setting(ui: &mut Ui, view: &ViewSettings, queue: &mut CommandQueue, action: ViewAction) {
    let on = match action {
        ViewAction::Mode(mode) => view.mode == mode,
        ViewAction::Overlay(overlay) => view.overlay == overlay,
        ViewAction::Detail(detail) => view.tree_detail == detail,
        ViewAction::ToggleWater => view.water,
        ViewAction::ToggleOrthographic => view.lens == ViewProjection::Orthographic,
        ViewAction::Projection(projection) => view.projection == projection,
    };
    let command = Command::from(action);
    if entry(ui, &command, None, true, Some(on)) {
        queue.push(command);
    }
}
