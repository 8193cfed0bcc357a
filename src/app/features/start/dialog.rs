//! The dialog of the start window.

use std::sync::Arc;

use bevy_egui::egui;
use egui::{Button, RichText, ScrollArea, Sense, Ui, vec2};
use egui_phosphor::regular as icon;

use super::StartAction;
use super::cards::StartCard;
use crate::features::help::HelpAction;
use crate::features::recovery::RecoveryAction;
use crate::features::tour::{LessonName, TourAction};
use crate::frame::commands::{Command, FileAction};
use crate::frame::dialogs::Dialog;
use crate::frame::dialogs::modals::{dismissed, modal, scroll_by_keys};
use crate::frame::theme::{colour, icon_button, paint_text};

/// The pages of the start window, in the order of their tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StartPage {
    /// Example scenes.
    #[default]
    Scenes,
    /// Scenes that reproduce figures of papers.
    Works,
    /// The tour and the lessons.
    Lessons,
    /// Recently opened files.
    Recent,
}

impl StartPage {
    const ALL: [Self; 4] = [Self::Scenes, Self::Works, Self::Lessons, Self::Recent];

    fn label(self) -> &'static str {
        match self {
            Self::Scenes => "Scenes",
            Self::Works => "Paper reproductions",
            Self::Lessons => "Tour and lessons",
            Self::Recent => "Recent files",
        }
    }

    fn icon(self) -> &'static str {
        match self {
            Self::Scenes => icon::MOUNTAINS,
            Self::Works => icon::BOOK_OPEN,
            Self::Lessons => icon::STUDENT,
            Self::Recent => icon::CLOCK_COUNTER_CLOCKWISE,
        }
    }
}

/// Width and height of a card, in points.
const CARD: egui::Vec2 = vec2(152.0, 176.0);
const PICTURE: f32 = 136.0;
/// Width of the left column, in points.
const COLUMN: f32 = 190.0;
/// Height of a lesson in the list, in points.
const LESSON: f32 = 54.0;

/// The start window. Escape closes it.
pub struct StartDialog {
    cards: Vec<StartCard>,
    page: StartPage,
    has_unsaved: bool,
    at_start: bool,
    /// Whether Talweg shows the start window at startup, as set when the window opened.
    was_at_start: bool,
    /// A marker that is dropped together with the window. The rendering of thumbnails then stops.
    _open: Arc<()>,
}

impl StartDialog {
    pub fn new(cards: Vec<StartCard>, has_unsaved: bool, at_start: bool, open: Arc<()>) -> Self {
        Self { cards, page: StartPage::Scenes, has_unsaved, at_start, was_at_start: at_start, _open: open }
    }

    fn column(&mut self, ui: &mut Ui) -> Option<Command> {
        let mut chosen = None;
        let wide = vec2(ui.available_width(), 30.0);
        for action in [FileAction::New, FileAction::NewPlanet, FileAction::Open] {
            let command = Command::from(action);
            let info = command.info();
            let button = ui.add(Button::new(format!("{}  {}", info.icon, info.label)).min_size(wide));
            let button = button.on_hover_text(command.tooltip(ui.ctx()));
            button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &info.label));
            if button.clicked() {
                chosen = Some(command);
            }
        }
        if self.has_unsaved {
            let command = Command::from(RecoveryAction::ShowFound);
            let info = command.info();
            let text = RichText::new(format!("{}  {}", info.icon, info.label)).color(colour::warning());
            if ui.add(Button::new(text).min_size(wide)).on_hover_text(info.tooltip).clicked() {
                chosen = Some(command);
            }
        }
        ui.separator();
        for page in StartPage::ALL {
            let on = self.page == page;
            let text = format!("{}  {}", page.icon(), page.label());
            let tab = ui.add(Button::selectable(on, text).min_size(wide));
            tab.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::RadioButton, true, on, page.label()));
            if tab.clicked() {
                self.page = page;
            }
        }
        ui.separator();
        ui.checkbox(&mut self.at_start, "Show at startup").on_hover_text(
            "Shows this window when Talweg starts without a scene. File > Start window… opens it at any time.",
        );
        chosen
    }

    fn gallery(&self, ui: &mut Ui) -> Option<Command> {
        if self.page == StartPage::Lessons {
            return lessons(ui);
        }
        let mut chosen = None;
        let cards: Vec<&StartCard> = self.cards.iter().filter(|card| card.page == self.page).collect();
        if cards.is_empty() {
            ui.add_space(8.0);
            ui.label(RichText::new("No recent files").color(colour::text_weak()));
        }
        if self.page == StartPage::Works {
            let command = Command::from(HelpAction::Figures);
            let info = command.info();
            if ui.link(format!("{}  {}", info.icon, info.label)).on_hover_text(info.tooltip).clicked() {
                chosen = Some(command);
            }
        }
        let gap = 6.0;
        let across = ((ui.available_width() + gap) / (CARD.x + gap)).floor().max(1.0) as usize;
        let mut rest = cards.as_slice();
        while let Some(first) = rest.first() {
            let count = rest.iter().take_while(|card| card.work == first.work).count();
            if let Some(work) = first.work {
                ui.add_space(4.0);
                ui.label(RichText::new(work.title).strong().color(colour::text_strong()));
                ui.label(RichText::new(work.authors).small().color(colour::text_weak()));
                ui.label(RichText::new(work.about).small().color(colour::text_weak()));
            }
            for row in rest[..count].chunks(across) {
                ui.horizontal(|ui| {
                    ui.spacing_mut().item_spacing.x = gap;
                    for card in row {
                        if show(ui, card) {
                            chosen = Some(card.command.clone());
                        }
                    }
                });
            }
            rest = &rest[count..];
        }
        chosen
    }
}

/// Shows the tour and the lessons. Returns the command that starts the chosen one.
fn lessons(ui: &mut Ui) -> Option<Command> {
    let mut chosen = None;
    ui.label(
        RichText::new("Each takes about a minute. The lessons leave a scene of your own.").color(colour::text_weak()),
    );
    ui.add_space(6.0);
    for name in LessonName::ALL {
        let lesson = name.lesson();
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width() - 12.0, LESSON), Sense::click());
        let title = format!("Start {}", lesson.title);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &title));
        let is_lit = response.hovered() || response.has_focus();
        let fill = if is_lit { colour::control_hovered() } else { colour::control() };
        ui.painter().rect_filled(rect, 6, fill);
        let sign = egui::FontId::proportional(26.0);
        let at = rect.left_center() + vec2(14.0, 0.0);
        ui.painter().text(at, egui::Align2::LEFT_CENTER, lesson.icon, sign, colour::accent());
        let text = rect.with_min_x(rect.left() + 56.0).with_max_x(rect.right() - 8.0);
        let (upper, lower) = text.split_top_bottom_at_fraction(0.5);
        paint_text(ui, upper.translate(vec2(0.0, 4.0)), lesson.title, colour::text_strong(), false);
        paint_text(ui, lower.translate(vec2(0.0, -4.0)), lesson.about, colour::text_weak(), false);
        if response.clicked() {
            chosen = Some(TourAction::Start(name).into());
        }
    }
    chosen
}

/// Shows a card; returns whether it was clicked.
fn show(ui: &mut Ui, card: &StartCard) -> bool {
    let (rect, response) = ui.allocate_exact_size(CARD, Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &card.title));
    let response = response.on_hover_text(&card.about);
    if ui.is_rect_visible(rect) {
        let is_lit = response.hovered() || response.has_focus();
        if is_lit {
            ui.painter().rect_filled(rect, 6, colour::control_hovered());
        }
        let top = rect.center_top() + vec2(0.0, 8.0 + 0.5 * PICTURE);
        card.picture.paint(ui, egui::Rect::from_center_size(top, vec2(PICTURE, PICTURE)));
        let line = rect.with_min_y(rect.bottom() - 30.0).shrink2(vec2(8.0, 0.0));
        let tint = if is_lit { colour::text_strong() } else { colour::text() };
        paint_text(ui, line, &card.title, tint, false);
    }
    response.clicked()
}

impl Dialog for StartDialog {
    fn show(&mut self, ctx: &egui::Context, _: &str) -> Option<Vec<Command>> {
        let mut answer = None;
        let screen = ctx.viewport_rect().size();
        let (width, height) = (920.0_f32.min(screen.x - 80.0), 560.0_f32.min(screen.y - 120.0));
        let modal = modal(ctx, "start window").show(ctx, |ui| {
            ui.set_width(width);
            ui.horizontal(|ui| {
                ui.heading("Talweg");
                ui.label(RichText::new("Open a scene or start from scratch").color(colour::text_weak()));
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    if icon_button(ui, true, icon::X, "Close the start window").clicked() {
                        answer = Some(Vec::new());
                    }
                });
            });
            ui.add_space(8.0);
            ui.horizontal_top(|ui| {
                ui.allocate_ui_with_layout(vec2(COLUMN, height), egui::Layout::top_down(egui::Align::Min), |ui| {
                    ui.set_width(COLUMN);
                    let chosen = self.column(ui);
                    answer = answer.take().or(chosen.map(|command| vec![command]));
                });
                ui.add_space(8.0);
                ui.vertical(|ui| {
                    let area = ScrollArea::vertical()
                        .id_salt(self.page.label())
                        .max_height(height)
                        .min_scrolled_height(height)
                        .auto_shrink(false);
                    let shown = area.show(ui, |ui| {
                        scroll_by_keys(ui);
                        self.gallery(ui)
                    });
                    let chosen = shown.inner;
                    answer = answer.take().or(chosen.map(|command| vec![command]));
                });
            });
        });
        let mut answer = answer.or_else(|| dismissed(ctx, &modal));
        if let Some(answer) = &mut answer
            && self.at_start != self.was_at_start
        {
            answer.insert(0, StartAction::AtStart(self.at_start).into());
        }
        answer
    }

    fn gives_way(&self) -> bool {
        true
    }
}
