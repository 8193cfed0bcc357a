//! The View menu: display settings and camera of the 3D view.
//!
//! The editor stores the settings, and the frame copies them to the view. Camera commands are sent to the view
//! directly.

mod commands;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui::{self, Ui};
use egui_phosphor::regular as icon;

use self::commands::{CAMERA, SIDES_FROM};
pub use self::commands::{ResetView, ViewAction};
use crate::frame::commands::{Command, CommandApp, CommandQueue};
use crate::frame::editor::{Editor, ViewSettings};
use crate::frame::interface::InterfaceApp;
use crate::frame::menu::{entry, pick};
use crate::view::{Overlay, ViewCommand, ViewMode, ViewProjection};
use talweg::preferences::PlanetProjection;

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
    pick(ui, &mut queue, ResetView, true);
    let (whole, sides) = CAMERA.split_at(SIDES_FROM);
    for command in whole {
        pick(ui, &mut queue, *command, true);
    }
    ui.menu_button(format!("{}  Side views", icon::COMPASS), |ui| {
        for command in sides {
            pick(ui, &mut queue, *command, true);
        }
    });
    let is_planet = editor.doc.scene().is_planet();
    let (overlays, plain): (Vec<_>, Vec<_>) =
        ViewAction::all().into_iter().partition(|action| matches!(action, ViewAction::Overlay(_)));
    let (details, plain): (Vec<_>, Vec<_>) =
        plain.into_iter().partition(|action| matches!(action, ViewAction::Detail(_)));
    for action in plain {
        let fits = match action {
            ViewAction::Projection(_) => is_planet,
            ViewAction::ToggleOrthographic => !is_planet,
            _ => true,
        };
        if !fits {
            continue;
        }
        let begins_group = matches!(
            action,
            ViewAction::Projection(PlanetProjection::Globe)
                | ViewAction::Mode(ViewMode::Shaded)
                | ViewAction::ToggleWater
        );
        if begins_group {
            ui.separator();
        }
        if action == ViewAction::ToggleWater {
            let mut group = |title: &str, sign: &str, actions: &[ViewAction]| {
                let menu = ui.menu_button(format!("{sign}  {title}"), |ui| {
                    for action in actions {
                        setting(ui, &editor.view, &mut queue, *action);
                    }
                });
                menu.response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, title));
            };
            if editor.view.mode.draws_tree() {
                group("Detail by distance", icon::BINOCULARS, &details);
            }
            group("Overlay", icon::STACK, &overlays);
        }
        setting(ui, &editor.view, &mut queue, action);
    }
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
