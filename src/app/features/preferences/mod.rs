//! The preferences. They concern the theme, size and motion of the interface, the mouse, the number of earlier
//! versions, and the keys of all commands.
//!
//! ```text
//! panel, commands ──▶ Editor { interface, versions_kept, keymap } ── stored in view.ron (talweg::preferences)
//!                                └─ follow ──▶ size of the window's points, CameraBehaviour, memory limit; autosave
//! ```

mod autosave;
mod follow;
mod keys_page;
mod panel;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy::render::camera::camera_system;
use bevy::window::{MonitorSelection, PrimaryWindow, WindowMode, WindowScaleFactorChanged};
use bevy_egui::egui::Ui;
use bevy_egui::{EguiPreUpdateSet, EguiPrimaryContextPass};
use egui_phosphor::regular as icon;

pub use self::follow::{LEAST_POINTS, scale_in};
pub use self::panel::{PreferencesPage, PreferencesState};
use crate::frame::commands::{Action, CommandApp, CommandQueue, CommandRegistry, Info, keys};
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot};
use crate::frame::menu::{pick, tick};
use crate::frame::menu_bar::submenu;
use crate::frame::window::FrameSystems;
use crate::view::CameraBehaviour;

pub struct PreferencesPlugin;

impl Plugin for PreferencesPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<PreferencesState>()
            .init_resource::<CameraBehaviour>()
            .init_resource::<autosave::Autosave>()
            .add_actions(PreferencesAction::ALL, run)
            .add_window_close(|mut state: ResMut<PreferencesState>| state.close())
            .add_menu_part("Edit", 100, menu)
            .add_menu_part("View", 100, size_menu)
            .add_part(Slot::Update, hear)
            .add_part(Slot::Window, window)
            .add_systems(
                EguiPrimaryContextPass,
                (follow::manners, follow::memory, autosave::save).in_set(FrameSystems::Execute),
            )
            // run before the panels, so that panels and view get the new size in the same frame; Bevy itself updates
            // the cameras after the panels
            .add_systems(
                PreUpdate,
                (follow::size, (camera_system, follow::panels).chain().run_if(on_message::<WindowScaleFactorChanged>))
                    .chain()
                    .before(EguiPreUpdateSet::InitContexts),
            );
    }
}

/// Commands of the preferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreferencesAction {
    /// Opens or closes the preferences window.
    Show,
    /// Opens the page with the keys of all commands.
    ShowKeys,
    Larger,
    Smaller,
    UsualSize,
    FullScreen,
}

impl PreferencesAction {
    const ALL: [Self; 6] = [Self::Show, Self::ShowKeys, Self::Larger, Self::Smaller, Self::UsualSize, Self::FullScreen];
}

impl Action for PreferencesAction {
    fn section(&self) -> &'static str {
        match self {
            Self::Show | Self::ShowKeys => "Edit",
            _ => "View",
        }
    }

    fn info(&self) -> Info {
        match self {
            Self::Show => Info::new(
                "Preferences…",
                "Opens the settings for theme, units, interface size, mouse and keyboard shortcuts.",
                icon::GEAR,
                keys![COMMAND + Comma],
            ),
            Self::ShowKeys => Info::new(
                "Change keyboard shortcuts…",
                "Lists all commands and lets you change their keys.",
                icon::KEYBOARD,
                &[],
            ),
            Self::Larger => Info::new(
                "Larger interface",
                "Enlarges panels, text and handles in the view.",
                icon::MAGNIFYING_GLASS_PLUS,
                keys![COMMAND + Plus, COMMAND + Equals, COMMAND_SHIFT + Plus],
            ),
            Self::Smaller => Info::new(
                "Smaller interface",
                "Shrinks panels, text and handles in the view.",
                icon::MAGNIFYING_GLASS_MINUS,
                keys![COMMAND + Minus],
            ),
            Self::UsualSize => Info::new(
                "Interface at 100 %",
                "Restores the default size of panels, text and handles in the view.",
                icon::MAGNIFYING_GLASS,
                keys![COMMAND + Num0],
            ),
            Self::FullScreen => Info::new(
                "Full screen",
                "Switches between full screen and a window.",
                icon::CORNERS_OUT,
                keys![NONE + F11],
            ),
        }
    }
}

fn run(
    In(action): In<PreferencesAction>,
    mut state: ResMut<PreferencesState>,
    mut editor: ResMut<Editor>,
    window: Option<Single<&mut Window, With<PrimaryWindow>>>,
) {
    match action {
        PreferencesAction::Show => {
            state.is_open = !state.is_open;
            state.page = PreferencesPage::Interface;
        }
        PreferencesAction::ShowKeys => {
            state.is_open = true;
            state.page = PreferencesPage::Keys;
        }
        PreferencesAction::Larger | PreferencesAction::Smaller => {
            editor.interface.scale = editor.interface.next_scale(action == PreferencesAction::Larger);
            tell_size(&mut editor);
        }
        PreferencesAction::UsualSize => {
            editor.interface.scale = 100.0;
            tell_size(&mut editor);
        }
        PreferencesAction::FullScreen => {
            let Some(mut window) = window else { return };
            window.mode = match window.mode {
                WindowMode::Windowed => WindowMode::BorderlessFullscreen(MonitorSelection::Current),
                _ => WindowMode::Windowed,
            };
        }
    }
}

fn tell_size(editor: &mut Editor) {
    let text = format!("Interface at {:.0} %", editor.interface.scale);
    editor.toasts.info(text);
}

fn menu(InMut(ui): InMut<Ui>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    pick(ui, &mut queue, PreferencesAction::Show, true);
    pick(ui, &mut queue, PreferencesAction::ShowKeys, true);
}

fn size_menu(
    InMut(ui): InMut<Ui>,
    window: Option<Single<&Window, With<PrimaryWindow>>>,
    mut queue: ResMut<CommandQueue>,
) {
    submenu(ui, icon::TEXT_AA, "Interface size", |ui| {
        for action in [PreferencesAction::Larger, PreferencesAction::Smaller, PreferencesAction::UsualSize] {
            pick(ui, &mut queue, action, true);
        }
    });
    let is_full = window.is_some_and(|window| window.mode != WindowMode::Windowed);
    tick(ui, &mut queue, PreferencesAction::FullScreen, true, is_full);
}

/// Passes key presses to the page that assigns keys, before they can trigger a command.
fn hear(InMut(ui): InMut<Ui>, mut state: ResMut<PreferencesState>, mut editor: ResMut<Editor>) {
    keys_page::hear(ui.ctx(), &mut state, &mut editor.keymap);
}

fn window(
    InMut(ui): InMut<Ui>,
    mut state: ResMut<PreferencesState>,
    mut editor: ResMut<Editor>,
    registry: Res<CommandRegistry>,
    frame: Res<InterfaceFrame>,
) {
    panel::window(ui.ctx(), &mut state, &mut editor, &registry, frame.free_rect);
}
