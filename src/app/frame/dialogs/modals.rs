//! The question about unsaved changes, the list of shortcuts, and about.

use bevy_egui::egui;
use egui::{Align, Button, Key, Layout, Modal, RichText, Ui};

use crate::app::frame::commands::Command;
use crate::app::frame::dialogs::{Answer, Then};
use crate::app::frame::theme::colour;
use crate::film::{Film, MOST_FRAMES_A_SECOND};

/// Asks what shall become of unsaved changes. Escape cancels, Enter saves.
pub fn unsaved(ctx: &egui::Context, scene_name: &str, then: &Then) -> Option<Answer> {
    let what = match then {
        Then::New | Then::NewPlanet => "Beginning a new scene",
        Then::AskWhich | Then::Open(_) | Then::Example(_) | Then::PatchedPlanet => "Opening another scene",
        Then::Quit => "Quitting",
    };
    let mut answer = None;
    let modal = modal(ctx, "unsaved").show(ctx, |ui| {
        ui.set_width(400.0);
        ui.heading(format!("Save the changes to “{scene_name}”?"));
        ui.add_space(6.0);
        ui.label(format!("{what} without saving loses them."));
        ui.add_space(14.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let save = ui.add(button(RichText::new("Save").color(colour::TEXT_STRONG)).fill(colour::ACCENT_DEEP));
            if save.clicked() {
                answer = Some(Answer::Save(then.clone()));
            }
            if ui.add(button("Don't save")).clicked() {
                answer = Some(Answer::Discard(then.clone()));
            }
            if ui.add(button("Cancel")).clicked() {
                answer = Some(Answer::Stay);
            }
        });
    });
    let enter = ctx.input(|i| i.key_pressed(Key::Enter)) && ctx.memory(|memory| memory.focused().is_none());
    if answer.is_none() && enter {
        answer = Some(Answer::Save(then.clone()));
    }
    answer.or_else(|| escape(ctx).or_else(|| modal.should_close().then_some(Answer::Stay)))
}

/// How to film a process; the answer asks for the place next.
pub fn film(ctx: &egui::Context, film: &mut Film) -> Option<Answer> {
    let mut answer = None;
    let modal = modal(ctx, "film").show(ctx, |ui| {
        ui.set_width(400.0);
        ui.heading("Export time-lapse");
        ui.add_space(6.0);
        ui.label("Films the erosion from its start to its end, with the palette of the scene.");
        ui.add_space(8.0);
        egui::Grid::new("film").num_columns(2).spacing(egui::vec2(16.0, 6.0)).show(ui, |ui| {
            let row = |ui: &mut Ui, name: &str, tip: &str, field: egui::DragValue| {
                let label = ui.label(name).on_hover_text(tip);
                ui.add_sized([120.0, 22.0], field.update_while_editing(false)).labelled_by(label.id).on_hover_text(tip);
                ui.end_row();
            };
            let frames = egui::DragValue::new(&mut film.frames).range(2..=10_000);
            row(ui, "Pictures", "From the start to the end; no more than there are iterations.", frames);
            let speed = egui::DragValue::new(&mut film.frames_a_second).range(1..=MOST_FRAMES_A_SECOND).suffix(" /s");
            row(ui, "Speed", "Pictures a second of a GIF.", speed);
            let pixels = egui::DragValue::new(&mut film.pixels).range(16..=8192).suffix(" px");
            row(ui, "Size", "Side of the pictures.", pixels);
        });
        ui.add_space(14.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let go_on = button(RichText::new("Choose a file…").color(colour::TEXT_STRONG)).fill(colour::ACCENT_DEEP);
            if ui.add(go_on).clicked() {
                answer = Some(Answer::Film(film.clone()));
            }
            if ui.add(button("Cancel")).clicked() {
                answer = Some(Answer::Stay);
            }
        });
    });
    answer.or_else(|| escape(ctx).or_else(|| modal.should_close().then_some(Answer::Stay)))
}

/// All commands that have a shortcut, by menu.
pub fn shortcuts(ctx: &egui::Context) -> Option<Answer> {
    let mut answer = None;
    let modal = modal(ctx, "shortcuts").show(ctx, |ui| {
        ui.set_width(520.0);
        ui.heading("Keyboard shortcuts");
        ui.add_space(8.0);
        let height = ctx.viewport_rect().height() - 200.0;
        egui::ScrollArea::vertical().max_height(height).show(ui, |ui| {
            ui.set_width(ui.available_width());
            let commands: Vec<Command> =
                Command::all().into_iter().filter(|command| !command.info().shortcuts.is_empty()).collect();
            let mut section = "";
            for command in &commands {
                if command.section() != section {
                    section = command.section();
                    ui.add_space(6.0);
                    ui.label(RichText::new(section).strong().color(colour::ACCENT));
                }
                shortcut(ui, command);
            }
        });
        ui.add_space(10.0);
        answer = close_button(ui);
    });
    answer.or_else(|| escape(ctx).or_else(|| modal.should_close().then_some(Answer::Stay)))
}

fn shortcut(ui: &mut Ui, command: &Command) {
    let info = command.info();
    ui.horizontal(|ui| {
        ui.label(info.icon);
        ui.label(&info.label).on_hover_text(&info.tooltip);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let keys: Vec<String> = info.shortcuts.iter().map(|keys| ui.ctx().format_shortcut(keys)).collect();
            ui.add_space(12.0);
            ui.label(RichText::new(keys.join(" or ")).color(colour::TEXT_WEAK));
        });
    });
}

/// Name, version, purpose, licence.
pub fn about(ctx: &egui::Context) -> Option<Answer> {
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
    answer.or_else(|| escape(ctx).or_else(|| modal.should_close().then_some(Answer::Stay)))
}

fn modal(ctx: &egui::Context, id: &'static str) -> Modal {
    let frame = egui::Frame::popup(&ctx.global_style()).inner_margin(18).corner_radius(8);
    Modal::new(id.into()).frame(frame)
}

fn close_button(ui: &mut Ui) -> Option<Answer> {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.add(button("Close")).clicked().then_some(Answer::Stay))
        .inner
}

fn button<'a>(text: impl Into<RichText>) -> Button<'a> {
    Button::new(text.into()).min_size(egui::vec2(92.0, 28.0))
}

fn escape(ctx: &egui::Context) -> Option<Answer> {
    ctx.input(|i| i.key_pressed(Key::Escape)).then_some(Answer::Stay)
}
