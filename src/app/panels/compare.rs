//! Comparing: the bar over the view, what is written over the view, and the table of measures.

use std::sync::Arc;

use bevy_egui::egui;
use egui::containers::menu::MenuButton;
use egui::{Align, Align2, Button, Color32, FontId, Id, Label, Layout as Flow, ProgressBar, Rect, RichText, Sense};
use egui::{Stroke, StrokeKind, Ui, UiBuilder, pos2, vec2};
use egui_phosphor::regular as icon;

use super::menu::entry;
use super::{Editor, Effect, legend};
use crate::app::commands::{Command, CompareAction, Overlay, ViewAction, Way};
use crate::app::compare::{Ask, State, Table, Values};
use crate::app::document::Document;
use crate::app::theme::{colour, icon_button, icon_toggle};
use crate::app::view::{Layout, Legend, Side};

/// How A and B are shown; the panels change it, the view reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompareState {
    pub way: Way,
    /// Where the handle of the split view stands, as a share of the width.
    pub split: f32,
    /// B where A would be.
    pub swapped: bool,
    /// The table is wanted.
    pub table: bool,
    /// There is a B, or one is on its way.
    is_on: bool,
    /// The overlay before the difference was shown.
    before: Overlay,
    /// The pointer is on the handle.
    holds_pointer: bool,
}

impl Default for CompareState {
    fn default() -> Self {
        Self {
            way: Way::default(),
            split: 0.5,
            swapped: false,
            table: true,
            is_on: false,
            before: Overlay::None,
            holds_pointer: false,
        }
    }
}

impl CompareState {
    pub fn layout(&self) -> Layout {
        match self.way {
            Way::Split => Layout::Split(self.split),
            Way::Halves => Layout::Halves,
            Way::One | Way::Difference => Layout::One,
        }
    }

    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Whether the view shall leave the pointer alone.
    pub(super) fn holds_pointer(&self) -> bool {
        self.holds_pointer
    }

    /// What the panels were told outside.
    pub(super) fn hear(&mut self, info: &CompareInfo) {
        self.is_on = info.is_on();
        self.holds_pointer &= self.is_on;
    }
}

/// What is known about B.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompareInfo {
    /// Its name, once it is there.
    pub b: Option<String>,
    /// The name of the next one, and the share of it that is done.
    pub making: Option<(String, f32)>,
    /// What the colours on B mean.
    pub legend: Option<Arc<Legend>>,
    pub table: Option<Arc<Table>>,
    /// The table is older than what is on screen.
    pub stale: bool,
}

impl CompareInfo {
    pub fn is_on(&self) -> bool {
        self.b.is_some() || self.making.is_some()
    }
}

impl Editor {
    /// Carries out a command of comparing.
    pub(super) fn run_compare(&mut self, action: CompareAction) {
        match action {
            CompareAction::Toggle if self.compare.is_on => self.end_comparing(),
            CompareAction::Toggle | CompareAction::Keep => self.keep_as_b(),
            CompareAction::WithScene => self.dialogs.ask_which_scene(&self.doc),
            CompareAction::WithoutLayer => {
                if let Some(index) = self.doc.selected_layer() {
                    self.doc.vary(index);
                    self.ask(Ask::Variant);
                }
            }
            CompareAction::WithBranch(index) => {
                if let Some((scene, playhead)) = self.doc.branch_scene(index) {
                    let name = self.doc.scene().layers[index].name.clone();
                    self.ask(Ask::State(State { name, scene: Arc::new(scene), playhead }));
                }
            }
            CompareAction::Show(way) => {
                if !self.compare.is_on {
                    self.keep_as_b();
                }
                self.show_way(way);
            }
            CompareAction::Swap => self.compare.swapped ^= self.compare.is_on,
            CompareAction::Table => self.compare.table ^= self.compare.is_on,
        }
    }

    /// Asks for a B.
    pub(super) fn ask(&mut self, ask: Ask) {
        self.compare.is_on = true;
        if self.view.overlay == Overlay::Difference {
            self.compare.way = Way::Difference;
        }
        self.effects.push(Effect::Compare(ask));
    }

    fn keep_as_b(&mut self) {
        let name = format!("{}, kept", self.doc.state_name());
        self.keep_named(name);
    }

    fn keep_named(&mut self, name: String) {
        let (scene, playhead) = self.doc.shown_scene();
        let state = State { name, scene: Arc::new(scene), playhead };
        self.ask(Ask::Keep { state, is_whole: !self.doc.is_unfinished() });
    }

    fn end_comparing(&mut self) {
        self.show_way(Way::Split);
        self.compare = CompareState { split: self.compare.split, table: self.compare.table, ..CompareState::default() };
        if self.view.overlay == Overlay::Difference {
            self.show_overlay(Overlay::None);
        }
        self.effects.push(Effect::Compare(Ask::Nothing));
    }

    fn show_way(&mut self, way: Way) {
        let was = std::mem::replace(&mut self.compare.way, way);
        self.compare.swapped = false;
        match (was, way) {
            (Way::Difference, Way::Difference) => {}
            (_, Way::Difference) if self.view.overlay != Overlay::Difference => {
                self.compare.before = self.view.overlay;
                self.show_overlay(Overlay::Difference);
            }
            (Way::Difference, _) if self.view.overlay == Overlay::Difference => {
                let before = std::mem::take(&mut self.compare.before);
                self.show_overlay(before);
            }
            _ => {}
        }
    }

    fn show_overlay(&mut self, overlay: Overlay) {
        self.view.overlay = overlay;
        self.effects.push(Effect::View(ViewAction::Overlay(overlay)));
    }

    /// Another overlay was chosen in the menu.
    pub(super) fn overlay_was_chosen(&mut self) {
        if self.compare.way == Way::Difference && self.view.overlay != Overlay::Difference {
            self.compare.way = Way::One;
        }
    }

    /// Shows the branch after the present one, and how it differs from what is on screen.
    pub(super) fn compare_branch(&mut self) {
        let branches = self.doc.branches();
        let shown = branches.iter().position(|&index| Some(index) == self.doc.shown_branch());
        let next = shown.map_or(0, |k| (k + 1) % branches.len());
        let Some(&next) = branches.get(next) else { return };
        let was_on = self.compare.is_on;
        let name = self.doc.state_name();
        self.keep_named(name);
        if !was_on {
            self.show_way(Way::Difference);
        }
        self.doc.show_branch(next);
    }
}

/// Colours of the two badges, which people who confuse red and green can tell apart (Okabe & Ito 2008).
const A: Color32 = Color32::from_rgb(86, 180, 233);
const B: Color32 = Color32::from_rgb(230, 159, 0);

fn letter(side: Side) -> (&'static str, Color32) {
    match side {
        Side::A => ("A", A),
        Side::B => ("B", B),
    }
}

fn badge(ui: &mut Ui, side: Side) {
    let (text, tint) = letter(side);
    ui.label(RichText::new(text).strong().color(tint));
}

/// The bar over the view: A, the ways to show both, and B.
pub fn bar(ui: &mut Ui, state: &CompareState, document: &Document, info: &CompareInfo) -> Option<Command> {
    let mut command = None;
    // what remains beside the buttons is shared by the names
    let name_width = ((ui.available_width() - 340.0) / 2.0).clamp(60.0, 260.0);
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        badge(ui, Side::A);
        let name = document.state_name();
        ui.allocate_ui_with_layout(vec2(name_width, 22.0), Flow::left_to_right(Align::Center), |ui| {
            ui.set_min_width(name_width);
            let label = Label::new(RichText::new(&name).color(colour::TEXT)).truncate();
            ui.add(label).on_hover_text(format!("A is the scene that you edit: {name}."));
        });
        for way in Way::ALL {
            let what = Command::Compare(CompareAction::Show(way));
            let about = what.info();
            let button = icon_toggle(ui, true, state.way == way, about.icon, &about.label);
            if button.on_hover_text(what.tooltip(ui.ctx())).clicked() {
                command = Some(what);
            }
        }
        let ready = info.b.is_some();
        for (action, on) in [(CompareAction::Swap, state.swapped), (CompareAction::Table, state.table)] {
            let what = Command::Compare(action);
            let about = what.info();
            let button = icon_toggle(ui, ready, on, about.icon, &about.label);
            if button.on_hover_text(what.tooltip(ui.ctx())).clicked() {
                command = Some(what);
            }
        }
        ui.with_layout(Flow::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            let end = Command::Compare(CompareAction::Toggle);
            if icon_button(ui, true, icon::X, "End comparing").on_hover_text("Ends comparing (C).").clicked() {
                command = Some(end);
            }
            match &info.making {
                Some((name, done)) => {
                    if icon_button(ui, true, icon::STOP, "Stop computing B")
                        .on_hover_text("Stops computing this B; the one before stays.")
                        .clicked()
                    {
                        command = Some(Command::Cancel);
                    }
                    let text = RichText::new(format!("{:.0} %", done * 100.0)).small();
                    let bar = ProgressBar::new(*done).desired_width(name_width - 34.0).desired_height(16.0);
                    let bar = ui.add(bar.text(text).fill(colour::ACCENT_MIDDLE));
                    bar.widget_info(|| {
                        egui::WidgetInfo::labeled(
                            egui::WidgetType::ProgressIndicator,
                            true,
                            format!("Computing {name}"),
                        )
                    });
                    bar.on_hover_text(format!("Computing {name}."));
                }
                None => {
                    let name = info.b.as_deref().unwrap_or("nothing");
                    let button = Button::new(format!("{name} {}", icon::CARET_DOWN)).truncate();
                    let size = vec2(name_width, 22.0);
                    ui.allocate_ui_with_layout(size, Flow::left_to_right(Align::Center), |ui| {
                        ui.set_max_width(name_width);
                        let (response, _) = MenuButton::from_button(button).ui(ui, |ui| {
                            command = choose(ui, document).or(command.take());
                        });
                        response.widget_info(|| {
                            egui::WidgetInfo::labeled(egui::WidgetType::Button, true, format!("B is {name}"))
                        });
                        response.on_hover_text(format!("B is {name}. Click to compare with something else."));
                    });
                }
            }
            badge(ui, Side::B);
        });
    });
    command
}

/// The entries that say what B shall be.
pub fn choose(ui: &mut Ui, document: &Document) -> Option<Command> {
    let mut chosen = None;
    let mut offer = |ui: &mut Ui, action, text: Option<&str>, enabled| {
        let command = Command::Compare(action);
        if entry(ui, &command, text, enabled, None) {
            chosen = Some(command);
        }
    };
    offer(ui, CompareAction::Keep, None, true);
    offer(ui, CompareAction::WithScene, None, true);
    let selected = document.selected_layer().map(|index| &document.scene().layers[index]);
    let text = selected.map(|layer| {
        let how = if layer.enabled { "without" } else { "with" };
        format!("Compare {how} “{}”", shortened(&layer.name))
    });
    offer(ui, CompareAction::WithoutLayer, text.as_deref(), selected.is_some());
    let shown = document.shown_branch();
    for index in document.branches().into_iter().filter(|&index| Some(index) != shown) {
        let text = format!("Compare with “{}”", shortened(&document.scene().layers[index].name));
        offer(ui, CompareAction::WithBranch(index), Some(&text), true);
    }
    chosen
}

/// Menus do not cut their entries.
fn shortened(name: &str) -> String {
    const MOST: usize = 32;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.into(),
    }
}

/// What lies over the view: which part of it is which, the handle between them, and the legends.
pub fn over(ui: &mut Ui, area: Rect, state: &mut CompareState, document: &Document, info: &super::StatusInfo) {
    legends(ui, area, state, info);
    state.holds_pointer = false;
    let Some(b) = &info.compare.b else { return };
    let at = |share: f32| area.left() + share * area.width();
    let pieces = state.layout().pieces(state.swapped);
    for piece in pieces.iter().flatten() {
        let rect = Rect::from_min_max(pos2(at(piece.from), area.top()), pos2(at(piece.to), area.bottom()));
        let name = if piece.side == Side::A { document.state_name() } else { b.clone() };
        tag(ui, rect, piece.side, &name, state.way == Way::Difference && piece.side == Side::A);
    }
    match state.layout() {
        Layout::Split(_) => handle(ui, area, state),
        Layout::Halves => line(ui, area, at(0.5), colour::PANEL),
        Layout::One => {}
    }
}

fn line(ui: &Ui, area: Rect, x: f32, tint: Color32) {
    ui.painter().with_clip_rect(area).vline(x, area.y_range(), Stroke::new(2.0, tint));
}

/// The name of a terrain in the upper left corner of its part.
fn tag(ui: &mut Ui, part: Rect, side: Side, name: &str, is_difference: bool) {
    const MARGIN: f32 = 8.0;
    let (letter, tint) = letter(side);
    let room = part.width() - 2.0 * MARGIN;
    if room < 28.0 {
        return;
    }
    let mut job = egui::text::LayoutJob::default();
    let format = |color| egui::TextFormat { font_id: FontId::proportional(13.0), color, ..Default::default() };
    job.append(if is_difference { "A − B" } else { letter }, 0.0, format(tint));
    if !is_difference {
        job.append(name, 7.0, format(colour::TEXT_STRONG));
    }
    job.wrap = egui::text::TextWrapping::truncate_at_width(room - 16.0);
    let painter = ui.painter().with_clip_rect(part);
    let galley = painter.layout_job(job);
    let rect = Rect::from_min_size(part.min + vec2(MARGIN, MARGIN), galley.size() + vec2(16.0, 8.0));
    painter.rect(rect, 5.0, colour::PANEL.gamma_multiply(0.86), Stroke::new(1.0, colour::LINE), StrokeKind::Inside);
    painter.galley(rect.min + vec2(8.0, 4.0), galley, colour::TEXT_STRONG);
    let told = if is_difference { "View of A − B".to_string() } else { format!("View of {letter}: {name}") };
    let response = ui.interact(rect, Id::new(("tag", letter)), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Label, true, &told));
}

/// The handle of the split view.
fn handle(ui: &mut Ui, area: Rect, state: &mut CompareState) {
    const REACH: f32 = 7.0;
    const ROUND: f32 = 13.0;
    let x = (area.left() + state.split * area.width()).clamp(area.left() + ROUND, area.right() - ROUND);
    let rail = Rect::from_min_max(pos2(x - REACH, area.top()), pos2(x + REACH, area.bottom()));
    let knob = Rect::from_center_size(pos2(x, area.center().y), vec2(2.0 * ROUND, 2.0 * ROUND));
    let response = ui.interact(rail.union(knob).intersect(area), Id::new("split"), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::slider(true, f64::from(state.split), "Split"));
    let is_held = response.hovered() || response.dragged();
    state.holds_pointer = is_held;
    if let (true, Some(at)) = (response.dragged(), response.interact_pointer_pos()) {
        state.split = ((at.x - area.left()) / area.width()).clamp(0.0, 1.0);
    }
    if response.double_clicked() {
        state.split = 0.5;
    }
    let tint = if is_held { colour::TEXT_STRONG } else { colour::TEXT };
    line(ui, area, area.left() + state.split * area.width(), tint);
    let painter = ui.painter().with_clip_rect(area);
    painter.circle(knob.center(), ROUND, colour::PANEL, Stroke::new(1.5, tint));
    let symbol = FontId::proportional(15.0);
    painter.text(knob.center(), Align2::CENTER_CENTER, icon::ARROWS_HORIZONTAL, symbol, tint);
    let tip = "Drag to show more of A or more of B; double-click puts it in the middle.";
    response.on_hover_cursor(egui::CursorIcon::ResizeHorizontal).on_hover_text_at_pointer(tip);
}

/// The legend of what is shown; where A and B have different ones, both.
fn legends(ui: &mut Ui, area: Rect, state: &CompareState, info: &super::StatusInfo) {
    let (a, b) = (info.legend.as_ref(), info.compare.legend.as_ref().filter(|_| info.compare.b.is_some()));
    let pieces = state.layout().pieces(state.swapped);
    let shown: Vec<Side> = pieces.iter().flatten().map(|piece| piece.side).collect();
    if !info.compare.is_on() || (shown.len() == 2 && (a == b || b.is_none())) {
        if let Some(legend) = a {
            legend::show(ui, area, legend, "");
        }
        return;
    }
    // side by side, or one over the other where there is no room
    let beside = area.width() >= 2.0 * legend::PLACE.x;
    for (k, side) in shown.iter().enumerate() {
        let shift = if beside { vec2(area.width() - legend::PLACE.x, 0.0) } else { vec2(0.0, -legend::PLACE.y) };
        let place = if k == 0 { area } else { area.translate(shift).intersect(area) };
        if let Some(legend) = if *side == Side::A { a } else { b } {
            legend::show(ui, place, legend, if shown.len() == 2 { letter(*side).0 } else { "" });
        }
    }
}

/// The table of measures, in as many columns as there is room for.
pub fn table(ui: &mut Ui, info: &CompareInfo) {
    const COLUMN: f32 = 326.0;
    let Some(table) = &info.table else {
        let text = if info.b.is_some() { "Measuring…" } else { "The measures come when B has been computed." };
        ui.centered_and_justified(|ui| ui.label(RichText::new(text).color(colour::TEXT_WEAK)));
        return;
    };
    let scroll = egui::ScrollArea::vertical().id_salt("measures").auto_shrink(false);
    scroll.show(ui, |ui| {
        ui.style_mut().override_text_style = Some(egui::TextStyle::Small);
        ui.spacing_mut().item_spacing.y = 1.0;
        let area = ui.available_rect_before_wrap();
        let columns = ((area.width() / COLUMN) as usize).max(1);
        let lines = table.rows.len().div_ceil(columns);
        // numbers far from their names are hard to read
        let width = (area.width() / columns as f32).min(460.0);
        let mut bottom = area.top();
        for (k, rows) in table.rows.chunks(lines.max(1)).enumerate() {
            let left = area.left() + k as f32 * width;
            let rect = Rect::from_x_y_ranges(left..=left + width - 22.0, area.y_range());
            let mut column = ui.new_child(UiBuilder::new().id_salt(k).max_rect(rect));
            let has_both = rows.iter().any(|row| matches!(row.values, Values::Each { .. }));
            let heads = ["", if has_both { "A" } else { "" }, if has_both { "B" } else { "" }, "A − B"];
            line_of(&mut column, heads, [colour::TEXT, A, B, colour::TEXT_STRONG], "");
            for row in rows {
                let label =
                    if row.unit.is_empty() { row.label.clone() } else { format!("{}, {}", row.label, row.unit) };
                let (a, b, difference) = cells(row.values);
                let tint = if info.stale { colour::TEXT_WEAK } else { colour::TEXT_STRONG };
                let tints = [if info.stale { colour::TEXT_WEAK } else { colour::TEXT }, tint, tint, tint];
                line_of(&mut column, [&label, &a, &b, &difference], tints, &row.help);
            }
            bottom = bottom.max(column.min_rect().bottom());
        }
        ui.allocate_rect(Rect::from_min_max(area.min, pos2(area.right(), bottom)), Sense::hover());
        for note in &table.notes {
            ui.add(Label::new(RichText::new(note).color(colour::TEXT_WEAK)).wrap());
        }
        let copy = ui.small_button(format!("{}  Copy as CSV", icon::COPY));
        if copy.on_hover_text("Copies the table with all digits, for a spreadsheet.").clicked() {
            ui.ctx().copy_text(csv(table));
        }
    });
}

/// A label and three numbers to the right of it.
fn line_of(ui: &mut Ui, texts: [&str; 4], tints: [Color32; 4], help: &str) {
    const NUMBER: f32 = 54.0;
    const HEIGHT: f32 = 18.0;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    for (k, (text, tint)) in texts.into_iter().zip(tints).enumerate().filter(|(_, (text, _))| !text.is_empty()) {
        let right = rect.right() - (3.0 - k as f32) * NUMBER;
        let left = if k == 0 { rect.left() } else { right - NUMBER };
        let cell = Rect::from_x_y_ranges(left..=right - 4.0, rect.y_range());
        let align = if k == 0 { Flow::left_to_right(Align::Center) } else { Flow::right_to_left(Align::Center) };
        let mut inside = ui.new_child(UiBuilder::new().id_salt((rect.top() as i32, k)).max_rect(cell).layout(align));
        let response = inside.add(Label::new(RichText::new(text).color(tint)).truncate());
        if !help.is_empty() {
            response.on_hover_text(help);
        }
    }
}

/// A, B and A − B with the same decimals.
fn cells(values: Values) -> (String, String, String) {
    match values {
        Values::Each { a, b } => {
            let decimals = decimals(a.abs().max(b.abs()));
            (number(a, decimals, false), number(b, decimals, false), number(a - b, decimals, true))
        }
        Values::Between(value) => (String::new(), String::new(), number(value, decimals(value.abs()), true)),
    }
}

/// Digits behind the point that are worth being read.
fn decimals(size: f64) -> usize {
    match size {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    }
}

fn number(value: f64, decimals: usize, signed: bool) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    let text = format!("{:.decimals$}", value.abs());
    let is_nothing = text.chars().all(|c| c == '0' || c == '.');
    let sign = match () {
        () if is_nothing => "",
        () if value < 0.0 => "−",
        () if signed => "+",
        () => "",
    };
    format!("{sign}{text}")
}

/// For other programs.
fn csv(table: &Table) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let rows = table.rows.iter().map(|row| {
        let (label, unit) = (quoted(&row.label), quoted(&row.unit));
        match row.values {
            Values::Each { a, b } => format!("{label},{unit},{a},{b},{}\n", a - b),
            Values::Between(value) => format!("{label},{unit},,,{value}\n"),
        }
    });
    format!("measure,unit,A,B,A-B\n{}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::compare::Row;

    #[test]
    fn numbers_have_as_many_digits_as_are_worth_reading() {
        let shown = |a, b| cells(Values::Each { a, b });
        let texts = |a: &str, b: &str, c: &str| (a.to_string(), b.to_string(), c.to_string());
        assert_eq!(shown(1234.5, 1200.2), texts("1234", "1200", "+34"));
        assert_eq!(shown(12.345, -2.0), texts("12.35", "−2.00", "+14.35"));
        assert_eq!(shown(0.5, 0.75), texts("0.500", "0.750", "−0.250"));
        assert_eq!(shown(5.0, 5.0001), texts("5.00", "5.00", "0.00"));
        assert_eq!(cells(Values::Between(-0.01)).2, "−0.010");
        assert_eq!(number(f64::NAN, 2, true), "–");
    }

    #[test]
    fn the_table_is_copied_with_all_digits() {
        let row = |label: &str, values| Row { label: label.into(), unit: "m".into(), help: String::new(), values };
        let rows = vec![row("Low \"x\"", Values::Each { a: 1.25, b: 0.5 }), row("Most", Values::Between(-3.0))];
        let text = csv(&Table { rows, notes: Vec::new() });
        assert_eq!(text, "measure,unit,A,B,A-B\n\"Low \"\"x\"\"\",\"m\",1.25,0.5,0.75\n\"Most\",\"m\",,,-3\n");
    }

    #[test]
    fn long_names_are_shortened_between_letters() {
        assert_eq!(shortened("Täler"), "Täler");
        assert_eq!(shortened(&"ä".repeat(40)).chars().count(), 33);
    }
}
