//! Short messages at the top right. They disappear by themselves, warnings and errors later than information. A message
//! under the pointer stays. Escape closes the newest message.

use bevy_egui::egui;
use egui::{Align2, RichText, Stroke, vec2};
use egui_phosphor::regular as icon;

use crate::frame::theme::{colour, icon_button};
use talweg::field::Cancelled;

const WIDTH: f32 = 340.0;
/// Maximum number of messages on screen while no dialog is open. Further messages are only counted.
pub const MOST_MESSAGES: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Info,
    Warning,
    Error,
}

impl Kind {
    /// Time for which a message stays on screen.
    fn seconds(self) -> f64 {
        match self {
            Self::Info => 5.0,
            Self::Warning => 20.0,
            Self::Error => 60.0,
        }
    }
}

#[derive(Debug)]
struct Toast {
    kind: Kind,
    text: String,
    /// Time at which the message disappears, in seconds; set when the message is first shown.
    until: Option<f64>,
}

/// The list of messages on screen.
#[derive(Debug, Default)]
pub struct Toasts {
    list: Vec<Toast>,
}

impl Toasts {
    pub fn info(&mut self, text: impl Into<String>) {
        self.push(Kind::Info, text.into());
    }

    pub fn warning(&mut self, text: impl Into<String>) {
        self.push(Kind::Warning, text.into());
    }

    pub fn error(&mut self, text: impl Into<String>) {
        self.push(Kind::Error, text.into());
    }

    /// Says that work has failed. If the user stopped the work, this is information and no error.
    pub fn failed(&mut self, error: &anyhow::Error, text: impl Into<String>) {
        self.push(if error.is::<Cancelled>() { Kind::Info } else { Kind::Error }, text.into());
    }

    /// Kind and text of each message, ordered from the oldest to the newest.
    pub fn messages(&self) -> impl Iterator<Item = (Kind, &str)> {
        self.list.iter().map(|toast| (toast.kind, toast.text.as_str()))
    }

    /// Removes the warnings about the previous scene.
    pub fn forget_warnings(&mut self) {
        self.list.retain(|toast| toast.kind != Kind::Warning);
    }

    /// Closes the newest message; returns false if there is none.
    pub fn close_newest(&mut self) -> bool {
        self.list.pop().is_some()
    }

    fn push(&mut self, kind: Kind, text: String) {
        // a repeated message replaces the earlier copy
        self.list.retain(|toast| toast.text != text);
        self.list.push(Toast { kind, text, until: None });
    }

    /// Shows at most `most` messages in the top right corner of `area`. Over an open dialog, few messages leave its
    /// buttons free.
    pub fn show(&mut self, ctx: &egui::Context, area: egui::Rect, most: usize) {
        let now = ctx.time();
        self.list.retain(|toast| toast.until.is_none_or(|until| now < until));
        if self.list.is_empty() {
            return;
        }
        let mut close = None;
        let anchor = area.right_top() + vec2(-12.0, 12.0);
        let holder = egui::Area::new("toasts".into()).order(egui::Order::Foreground).fixed_pos(anchor);
        let shown = holder.pivot(Align2::RIGHT_TOP).show(ctx, |ui| {
            ui.set_width(WIDTH.min(area.width() - 24.0));
            let hidden = self.list.len().saturating_sub(most);
            for (index, toast) in self.list.iter_mut().enumerate().rev().take(most) {
                let until = *toast.until.get_or_insert(now + toast.kind.seconds());
                ctx.request_repaint_after_secs((until - now) as f32);
                if card(ui, index, toast) {
                    close = Some(index);
                }
            }
            if hidden > 0 {
                ui.horizontal(|ui| {
                    ui.weak(format!("and {hidden} more"));
                    if ui.button("Close all").clicked() {
                        close = Some(usize::MAX);
                    }
                });
            }
        });
        if shown.response.contains_pointer() {
            for until in self.list.iter_mut().filter_map(|toast| toast.until.as_mut()) {
                *until = until.max(now + Kind::Info.seconds());
            }
        }
        match close {
            Some(usize::MAX) => self.list.clear(),
            Some(index) => {
                self.list.remove(index);
            }
            None => {}
        }
    }
}

/// Draws one message; returns whether it was closed.
fn card(ui: &mut egui::Ui, index: usize, toast: &Toast) -> bool {
    let (tint, symbol) = match toast.kind {
        Kind::Info => (colour::accent(), icon::INFO),
        Kind::Warning => (colour::warning(), icon::WARNING),
        Kind::Error => (colour::error(), icon::WARNING_CIRCLE),
    };
    let frame = egui::Frame::popup(ui.style()).inner_margin(10).stroke(Stroke::new(1.0, tint.gamma_multiply(0.6)));
    let mut closed = false;
    ui.push_id(index, |ui| {
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal_top(|ui| {
                ui.label(RichText::new(symbol).size(17.0).color(tint));
                ui.vertical(|ui| {
                    let room = ui.available_width() - 34.0;
                    ui.set_width(room);
                    ui.style_mut().interaction.selectable_labels = true;
                    ui.add(
                        egui::Label::new(RichText::new(&toast.text).color(colour::text_strong()))
                            .wrap()
                            .selectable(true),
                    );
                    if toast.kind != Kind::Info && ui.button("Copy").on_hover_text("Copies the message.").clicked() {
                        ui.copy_text(toast.text.clone());
                    }
                });
                closed = icon_button(ui, true, icon::X, "Close message").clicked();
            });
        });
    });
    closed
}
