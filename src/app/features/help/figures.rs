//! The page *Figures and claims*: each figure of the documents with its scene, the claims of the text and the numbers
//! that Talweg measures.

use bevy_egui::egui;
use egui::{Align, Button, Layout, RichText, ScrollArea, Ui};
use egui_phosphor::regular as icon;

use super::guide::styled;
use super::node_page::with_plain_letters;
use crate::frame::commands::{Command, FileAction};
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{close_button, dismissed, modal, scroll_by_keys};
use crate::frame::theme::colour;
use crate::frame::widgets::long_list;
use talweg::scene::{DocumentClaim, DocumentFigure, SourceWork, figures};

/// The figures that the page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FigureFilter {
    All,
    /// Figures with a claim that holds.
    Holds,
    /// Figures with a claim that does not hold.
    Fails,
}

impl FigureFilter {
    const ALL: [Self; 3] = [Self::All, Self::Holds, Self::Fails];

    fn accepts(self, figure: &DocumentFigure) -> bool {
        match self {
            Self::All => true,
            Self::Holds => figure.claims.iter().any(|claim| claim.holds),
            Self::Fails => figure.claims.iter().any(|claim| !claim.holds),
        }
    }

    fn label(self) -> String {
        let claims = |holds: bool| figures().iter().flat_map(|f| &f.claims).filter(|c| c.holds == holds).count();
        match self {
            Self::All => format!("All figures ({})", figures().len()),
            Self::Holds => format!("Claims that hold ({})", claims(true)),
            Self::Fails => format!("Claims that do not hold ({})", claims(false)),
        }
    }
}

/// The dialog that shows the page.
pub struct FiguresDialog(FigureFilter);

impl Default for FiguresDialog {
    fn default() -> Self {
        Self(FigureFilter::All)
    }
}

impl Dialog for FiguresDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let screen = ctx.viewport_rect().size();
        let mut answer = None;
        let modal = modal(ctx, "figures and claims").show(ctx, |ui| {
            ui.set_width(760.0_f32.min(screen.x - 60.0));
            ui.heading("Figures and claims");
            ui.label("Each figure with its scene, what the text says, and what Talweg measures.");
            ui.horizontal_wrapped(|ui| {
                for filter in FigureFilter::ALL {
                    if ui.selectable_label(self.0 == filter, filter.label()).clicked() {
                        self.0 = filter;
                    }
                }
            });
            ui.add_space(4.0);
            let list = ScrollArea::vertical().id_salt(self.0.label()).auto_shrink(false);
            list.max_height((screen.y - 230.0).max(120.0)).show(ui, |ui| {
                scroll_by_keys(ui);
                ui.set_width(ui.available_width() - 12.0);
                let chosen = self.list(ui);
                answer = chosen.map(|command| vec![command]);
            });
            ui.add_space(10.0);
            answer = answer.take().or(close_button(ui));
        });
        answer.or_else(|| dismissed(ctx, &modal))
    }

    fn gives_way(&self) -> bool {
        true
    }
}

impl FiguresDialog {
    /// Shows the figures below the titles of their works. Returns the command that opens the chosen scene.
    fn list(&self, ui: &mut Ui) -> Option<Command> {
        let all: Vec<&DocumentFigure> = figures().iter().filter(|figure| self.0.accepts(figure)).collect();
        let shown = long_list::laid_out(ui, "figures", 6, all.len());
        let mut chosen = None;
        let mut work = None;
        for figure in &all[..shown] {
            if work != Some(figure.work) {
                work = Some(figure.work);
                ui.add_space(12.0);
                ui.label(RichText::new(figure.work.title).strong().size(16.0).color(colour::accent()));
                ui.label(RichText::new(figure.work.authors).small().color(colour::text_weak()));
            }
            ui.add_space(8.0);
            chosen = show(ui, figure, self.0).or(chosen);
        }
        chosen
    }
}

/// Shows one figure. Returns the command that opens its scene, if the user clicked the button.
fn show(ui: &mut Ui, figure: &DocumentFigure, filter: FigureFilter) -> Option<Command> {
    let name = &figure.scene.scene.name;
    let mut open = None;
    ui.horizontal(|ui| {
        ui.label(RichText::new(SourceWork::caption(name)).strong().color(colour::text_strong()));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = ui.add(Button::new(format!("{}  Open scene", icon::MOUNTAINS)).small());
            let tip = format!("Opens the scene {}.", figure.scene.name);
            button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, format!("Open {name}")));
            if button.on_hover_text(tip).clicked() {
                open = Some(Command::from(FileAction::Example(name.clone())));
            }
        });
    });
    ui.label(text(figure.shows));
    for claim in &figure.claims {
        if filter == FigureFilter::All || claim.holds == (filter == FigureFilter::Holds) {
            show_claim(ui, claim);
        }
    }
    open
}

fn show_claim(ui: &mut Ui, claim: &DocumentClaim) {
    ui.add_space(2.0);
    ui.horizontal_top(|ui| {
        ui.add_space(6.0);
        let (mark, tint, word) = match claim.holds {
            true => (icon::CHECK, colour::accent(), "Holds"),
            false => (icon::X, colour::warning(), "Does not hold"),
        };
        let mark = ui.label(RichText::new(mark).strong().color(tint)).on_hover_text(format!("{word} in Talweg."));
        mark.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Label, true, word));
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            ui.label(text(claim.statement));
            ui.label(text(&format!("*Measured:* {}", claim.measured)));
            ui.label(RichText::new(claim.command).monospace().size(12.0).color(colour::text_weak()));
        });
    });
}

fn text(markdown: &str) -> egui::text::LayoutJob {
    styled(&with_plain_letters(markdown))
}
