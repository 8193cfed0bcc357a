//! The list of shortcuts, and about the program.

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::egui;
use egui::{Align, Layout, RichText, Ui};
use egui_phosphor::regular as icon;

use crate::app::frame::commands::{Action, Command, CommandApp, CommandQueue, CommandRegistry, Info, keys};
use crate::app::frame::dialogs::Dialog;
use crate::app::frame::dialogs::modals::{close_button, dismissed, modal};
use crate::app::frame::editor::Editor;
use crate::app::frame::interface::InterfaceApp;
use crate::app::frame::menu::pick;
use crate::app::frame::theme::colour;

pub struct HelpPlugin;

impl Plugin for HelpPlugin {
    fn build(&self, app: &mut App) {
        app.add_actions([HelpAction::Shortcuts, HelpAction::About], run)
            .add_menu("Help", 100)
            .add_menu_part("Help", 10, menu);
    }
}

/// What can be read about the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpAction {
    Shortcuts,
    About,
}

impl Action for HelpAction {
    fn section(&self) -> &'static str {
        "Help"
    }

    fn info(&self) -> Info {
        match self {
            Self::Shortcuts => {
                Info::new("Keyboard shortcuts", "Lists all keyboard shortcuts.", icon::KEYBOARD, keys![NONE + F1])
            }
            Self::About => Info::new("About Talweg", "Version and licence.", icon::INFO, &[]),
        }
    }
}

fn run(In(action): In<HelpAction>, registry: Res<CommandRegistry>, mut editor: ResMut<Editor>) {
    match action {
        HelpAction::Shortcuts => editor.dialogs.open(Shortcuts::new(registry.all())),
        HelpAction::About => editor.dialogs.open(AboutDialog),
    }
}

fn menu(InMut(ui): InMut<Ui>, mut queue: ResMut<CommandQueue>) {
    pick(ui, &mut queue, HelpAction::Shortcuts, true);
    pick(ui, &mut queue, HelpAction::About, true);
}

/// All commands that have a shortcut, by their headings.
struct Shortcuts(Vec<(&'static str, Vec<Command>)>);

impl Shortcuts {
    fn new(commands: &[Command]) -> Self {
        let mut sections: Vec<(&'static str, Vec<Command>)> = Vec::new();
        for command in commands.iter().filter(|command| !command.info().shortcuts.is_empty()) {
            let title = command.section();
            match sections.iter_mut().find(|(known, _)| *known == title) {
                Some((_, commands)) => commands.push(command.clone()),
                None => sections.push((title, vec![command.clone()])),
            }
        }
        Self(sections)
    }
}

impl Dialog for Shortcuts {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let mut answer = None;
        let modal = modal(ctx, "shortcuts").show(ctx, |ui| {
            ui.set_width(520.0);
            ui.heading("Keyboard shortcuts");
            ui.add_space(8.0);
            let height = ctx.viewport_rect().height() - 200.0;
            egui::ScrollArea::vertical().max_height(height).show(ui, |ui| {
                ui.set_width(ui.available_width());
                for (title, commands) in &self.0 {
                    ui.add_space(6.0);
                    ui.label(RichText::new(*title).strong().color(colour::accent()));
                    commands.iter().for_each(|command| shortcut(ui, command));
                }
            });
            ui.add_space(10.0);
            answer = close_button(ui);
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}

fn shortcut(ui: &mut Ui, command: &Command) {
    let info = command.info();
    ui.horizontal(|ui| {
        ui.label(info.icon);
        ui.label(&info.label).on_hover_text(&info.tooltip);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let keys: Vec<String> = info.shortcuts.iter().map(|keys| ui.ctx().format_shortcut(keys)).collect();
            ui.add_space(12.0);
            ui.label(RichText::new(keys.join(" or ")).color(colour::text_weak()));
        });
    });
}

/// Name, version, purpose, licence.
struct AboutDialog;

impl Dialog for AboutDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let mut answer = None;
        let modal = modal(ctx, "about").show(ctx, |ui| {
            ui.set_width(380.0);
            ui.heading(concat!("Talweg ", env!("CARGO_PKG_VERSION")));
            ui.add_space(6.0);
            ui.label(concat!(env!("CARGO_PKG_DESCRIPTION"), "."));
            ui.label("The talweg is the line that water follows along a valley.");
            ui.add_space(6.0);
            ui.weak(concat!("Licence: ", env!("CARGO_PKG_LICENSE")));
            ui.add_space(12.0);
            answer = close_button(ui);
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }
}
