//! The choice of nodes, sizes, repetitions, threads and extremes to measure, and the Run and Stop buttons.

use bevy_egui::egui;
use egui::{
    Align, Button, Checkbox, DragValue, Label, Layout, ProgressBar, RichText, ScrollArea, Sense, TextEdit, Ui,
    WidgetInfo, WidgetType, vec2,
};
use egui_phosphor::regular as icon;

use crate::features::benchmark::panel::chip;
use crate::features::benchmark::task::{BenchInfo, BenchOrder, BenchRequest, Underway};
use crate::frame::document::Document;
use crate::frame::theme::{colour, icon_button};
use crate::frame::widgets::clipped::clipped;
use talweg::benchmark::summary::counted;
use talweg::benchmark::{BenchPlan, BenchSubject, Extremes, NodeSubject, document_001};
use talweg::nodes::Node;
use talweg::scene::Layer;

/// Available numbers of samples per side.
pub const SIZES: [usize; 6] = [65, 129, 257, 513, 1025, 2049];
const FEWEST_FOR_AN_INTERVAL: usize = 6;

const DOCUMENT: &str = "Terrain in games";
const KEPT: &str = "From scenes";

/// A node that can be measured.
#[derive(Debug)]
struct Pick {
    category: &'static str,
    /// Name of the node in the list and in the results.
    title: String,
    help: String,
    /// The text that the search compares with the search words, in lower case.
    words: String,
    node: Node,
    is_chosen: bool,
}

/// A line of the list of nodes.
#[derive(Clone, Copy, Debug)]
enum Line {
    Category(&'static str),
    Pick(usize),
}

/// The measurements that the user has chosen.
#[derive(Debug)]
pub struct Choice {
    picks: Vec<Pick>,
    search: String,
    /// Lines of the node list; empty if the list must be rebuilt.
    lines: Vec<Line>,
    sizes: [bool; SIZES.len()],
    /// Available thread counts. The flag says whether the user has chosen the count.
    threads: Vec<(usize, bool)>,
    repetitions: usize,
    extremes: bool,
}

impl Default for Choice {
    fn default() -> Self {
        let pair = document_001().into_iter().map(|subject| of_document(&subject));
        let nodes = Node::catalogue().into_iter().map(|node| {
            let about = node.about();
            Pick::new(about.category, about.label.into(), format!("{} With its default parameters.", about.help), node)
        });
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let mut threads: Vec<usize> = (0..5).map(|k| 1 << k).filter(|&t| t < all).chain([all]).collect();
        if threads.len() > 5 {
            threads.remove(3);
        }
        Self {
            picks: pair.chain(nodes).collect(),
            search: String::new(),
            lines: Vec::new(),
            sizes: SIZES.map(|n| (129..=1025).contains(&n)),
            threads: threads.into_iter().map(|t| (t, t == 1 || t == all)).collect(),
            repetitions: 7,
            extremes: false,
        }
    }
}

fn of_document(subject: &NodeSubject) -> Pick {
    let node = subject.node().clone();
    let help = format!("{} With the parameters used in the lecture's scene.", node.about().help);
    let title = format!("{} (001)", subject.name());
    Pick { is_chosen: true, ..Pick::new(DOCUMENT, title, help, node) }
}

impl Pick {
    fn new(category: &'static str, title: String, help: String, node: Node) -> Self {
        let about = node.about();
        let words = [title.as_str(), about.name, category, about.synonyms].join(" ").to_lowercase();
        Self { category, title, help, words, node, is_chosen: false }
    }
}

impl Choice {
    /// The benchmark order for the current choice.
    fn order(&self) -> BenchOrder {
        let subjects = self.picks.iter().filter(|p| p.is_chosen).map(|p| (p.title.clone(), p.node.clone())).collect();
        let sizes = SIZES.into_iter().zip(self.sizes).filter(|(_, on)| *on).map(|(n, _)| n).collect();
        let threads = self.threads.iter().filter(|(_, on)| *on).map(|(t, _)| *t).collect();
        let extremes = self.extremes.then(Extremes::default);
        let plan = BenchPlan { sizes, threads, repetitions: self.repetitions, extremes, ..BenchPlan::default() };
        BenchOrder { subjects, plan }
    }

    /// Adds the node of a layer with its current parameters, under an unused name.
    fn keep(&mut self, layer: &Layer) {
        let is_taken = |title: &str| self.picks.iter().any(|pick| pick.title == title);
        let title = std::iter::once(layer.name.clone())
            .chain((2..).map(|k| format!("{} {k}", layer.name)))
            .find(|title| !is_taken(title))
            .unwrap_or_default();
        let about = layer.node.about();
        let help = format!("{}, with its parameters at the time it was added, without mask and blending.", about.label);
        let at = self.picks.iter().position(|pick| pick.category != DOCUMENT && pick.category != KEPT);
        let pick = Pick { is_chosen: true, ..Pick::new(KEPT, title, help, layer.node.clone()) };
        self.picks.insert(at.unwrap_or(self.picks.len()), pick);
        self.search.clear();
        self.lines.clear();
    }

    /// Builds the list for the current search text.
    fn list(&mut self) {
        let words: Vec<String> = self.search.to_lowercase().split_whitespace().map(String::from).collect();
        let mut category = "";
        self.lines.clear();
        for (index, pick) in self.picks.iter().enumerate() {
            if !words.iter().all(|word| pick.words.contains(word)) {
                continue;
            }
            if pick.category != category {
                category = pick.category;
                self.lines.push(Line::Category(category));
            }
            self.lines.push(Line::Pick(index));
        }
    }
}

/// Shows the choice of measurements; returns the request of a clicked button.
pub fn show(ui: &mut Ui, choice: &mut Choice, document: &Document, info: &BenchInfo) -> Option<BenchRequest> {
    const BELOW: f32 = 172.0;
    let area = ui.available_rect_before_wrap();
    let middle = area.bottom() - BELOW;
    nodes(&mut clipped(ui, "nodes", area.with_max_y(middle - 6.0)), choice, document);
    let below = &mut clipped(ui, "plan", area.with_min_y(middle));
    plan(below, choice);
    match &info.underway {
        Some(underway) => progress(below, underway),
        None => start_button(below, choice),
    }
}

fn nodes(ui: &mut Ui, choice: &mut Choice, document: &Document) {
    ui.horizontal(|ui| ui.with_layout(Layout::right_to_left(Align::Center), |ui| tools(ui, choice, document)));
    if choice.lines.is_empty() {
        ui.weak("No matches. Try another word.");
        return;
    }
    const ROW: f32 = 20.0;
    ui.spacing_mut().item_spacing.y = 2.0;
    let mut removed = None;
    let scroll = ScrollArea::vertical().id_salt("nodes to benchmark").auto_shrink(false);
    scroll.show_rows(ui, ROW, choice.lines.len(), |ui, range| {
        for line in &choice.lines[range] {
            let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
            let mut row = clipped(ui, "row", rect);
            row.set_height(ROW);
            row.horizontal_centered(|ui| match *line {
                Line::Category(category) => heading(ui, category, &mut choice.picks),
                Line::Pick(index) if pick_row(ui, &mut choice.picks[index]) => removed = Some(index),
                Line::Pick(_) => {}
            });
        }
    });
    if let Some(index) = removed {
        choice.picks.remove(index);
        choice.lines.clear();
    }
}

/// The search field, and the buttons that add the selected layer and clear the selection.
fn tools(ui: &mut Ui, choice: &mut Choice, document: &Document) {
    let layer = document.selected_layer().and_then(|index| document.scene().layers.get(index));
    let add = icon_button(ui, layer.is_some(), icon::STACK_PLUS, "Add the selected layer");
    let tip = layer.map_or_else(String::new, |layer| {
        format!("Adds “{}” with its current parameters, without mask and blending.", layer.name)
    });
    let add = add.on_hover_text(tip).on_disabled_hover_text("Select a layer to measure it with its parameters.");
    if let (true, Some(layer)) = (add.clicked(), layer) {
        choice.keep(layer);
    }
    let chosen = choice.picks.iter().any(|pick| pick.is_chosen);
    let clear = icon_button(ui, chosen, icon::ERASER, "Deselect all nodes");
    if clear.on_hover_text("Clears the selection of nodes to measure.").clicked() {
        choice.picks.iter_mut().for_each(|pick| pick.is_chosen = false);
    }
    let field = TextEdit::singleline(&mut choice.search)
        .hint_text(format!("{} Search nodes", icon::MAGNIFYING_GLASS))
        .desired_width(f32::INFINITY)
        .margin(vec2(6.0, 4.0));
    let field = ui.add(field);
    field.widget_info(|| WidgetInfo {
        label: Some("Search nodes to benchmark".into()),
        ..WidgetInfo::text_edit(true, "", &choice.search, "")
    });
    if field.changed() || choice.lines.is_empty() {
        choice.list();
    }
}

/// The row of a node; returns whether the user removes the node from the list.
fn pick_row(ui: &mut Ui, pick: &mut Pick) -> bool {
    ui.add_space(8.0);
    ui.add(Checkbox::new(&mut pick.is_chosen, pick.title.as_str())).on_hover_text(&pick.help);
    if pick.category != KEPT {
        return false;
    }
    let remove = ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        icon_button(ui, true, icon::X, &format!("Remove {}", pick.title))
    });
    remove.inner.on_hover_text("Removes the node from the list.").clicked()
}

/// The heading of a category; a click selects or deselects all of its nodes.
fn heading(ui: &mut Ui, category: &str, picks: &mut [Pick]) {
    let text = RichText::new(category).small().strong().color(colour::accent());
    let mut all = picks.iter().filter(|p| p.category == category).all(|p| p.is_chosen);
    let any = picks.iter().any(|p| p.category == category && p.is_chosen);
    let some = any && !all;
    let check = ui.add(Checkbox::new(&mut all, text).indeterminate(some));
    let check = check.on_hover_text("Selects or deselects all nodes of this group.");
    if check.clicked() {
        picks.iter_mut().filter(|p| p.category == category).for_each(|p| p.is_chosen = all);
    }
}

fn plan(ui: &mut Ui, choice: &mut Choice) {
    ui.spacing_mut().item_spacing.y = 4.0;
    let title = |ui: &mut Ui, text: &str, tip: &str| {
        ui.label(RichText::new(text).small().color(colour::text_weak())).on_hover_text(tip);
    };
    title(
        ui,
        "Samples per side",
        "Sizes of the test terrains. Three or more sizes also give the uncertainty of the growth exponent.",
    );
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        let width = (ui.available_width() - 15.0) / SIZES.len() as f32;
        for (n, on) in SIZES.into_iter().zip(&mut choice.sizes) {
            let tip = format!("{n} × {n} samples; for planets, on each of six faces.");
            *on ^= chip(ui, width, *on, &n.to_string(), &format!("Size {n}"), &tip);
        }
    });
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        title(ui, "Threads", "Number of threads to run on. Choose two or more to see the speed-up.");
        ui.add_space(3.0);
        for (count, on) in &mut choice.threads {
            let name = format!("Threads {count}");
            let tip = format!("Measures on {}.", talweg::benchmark::summary::threads(*count));
            *on ^= chip(ui, 30.0, *on, &count.to_string(), &name, &tip);
        }
    });
    ui.horizontal(|ui| {
        let tip = "Number of times each measurement is repeated. Six or more give 95 % confidence intervals.";
        let label = ui.label(RichText::new("Repetitions").small().color(colour::text_weak())).on_hover_text(tip);
        let field = DragValue::new(&mut choice.repetitions).range(1..=999).speed(0.1);
        ui.add(field).labelled_by(label.id).on_hover_text(tip);
        let tip =
            "Also runs each node with each numeric parameter at its minimum and at its maximum, at 129² samples. Slow \
             with many nodes.";
        ui.checkbox(&mut choice.extremes, "Extremes").on_hover_text(tip);
    });
}

fn start_button(ui: &mut Ui, choice: &Choice) -> Option<BenchRequest> {
    let order = choice.order();
    let missing = match () {
        () if order.subjects.is_empty() => Some("Choose at least one node."),
        () if order.plan.sizes.is_empty() => Some("Choose at least one size."),
        () if order.plan.threads.is_empty() => Some("Choose at least one thread count."),
        () => None,
    };
    let plan = &order.plan;
    let cells = order.subjects.len() * plan.sizes.len() * plan.threads.len();
    let few = if plan.repetitions < FEWEST_FOR_AN_INTERVAL {
        " Fewer than six repetitions: the confidence intervals are unreliable."
    } else {
        ""
    };
    let text = missing.map_or_else(
        || {
            let each = plan.repetitions + 2;
            let (nodes, all) = (counted(order.subjects.len(), "node"), counted(cells, "measurement"));
            format!("{nodes}, {all}, {each} runs each, of which two are warm-up.{few}")
        },
        String::from,
    );
    let tint = if missing.is_some() { colour::warning() } else { colour::text_weak() };
    ui.add(Label::new(RichText::new(text).small().color(tint)).wrap());
    let run = Button::new(RichText::new(format!("{}  Run", icon::PLAY)).color(colour::text_strong()));
    let run =
        ui.add_enabled(missing.is_none(), run.fill(colour::accent_deep()).min_size(vec2(ui.available_width(), 26.0)));
    run.widget_info(|| WidgetInfo::labeled(WidgetType::Button, missing.is_none(), "Run benchmark"));
    let run = run.on_hover_text("Measures in the background. The previous results stay until it ends.");
    run.clicked().then_some(BenchRequest::Run(order))
}

fn progress(ui: &mut Ui, underway: &Underway) -> Option<BenchRequest> {
    let share = (underway.fraction * 100.0).floor();
    let text = match underway.is_stopping {
        true => "Stopping…".to_string(),
        false => format!("{share:.0} %, {} s: {}", underway.elapsed.as_secs(), underway.now),
    };
    ui.add(Label::new(RichText::new(text).small().color(colour::text())).truncate());
    ui.scope(|ui| {
        ui.visuals_mut().extreme_bg_color = colour::control();
        let width = ui.available_width();
        ui.add(ProgressBar::new(underway.fraction).desired_width(width).desired_height(6.0).fill(colour::accent()));
    });
    let warning = format!("{} Using the editor now distorts the times.", icon::WARNING);
    ui.add(Label::new(RichText::new(warning).small().color(colour::warning())).truncate());
    let stop = Button::new(format!("{}  Stop", icon::STOP)).min_size(vec2(ui.available_width(), 26.0));
    let stop = ui.add_enabled(!underway.is_stopping, stop);
    stop.widget_info(|| WidgetInfo::labeled(WidgetType::Button, !underway.is_stopping, "Stop benchmark"));
    let stop = stop.on_hover_text("Stops measuring and keeps the previous results.");
    stop.clicked().then_some(BenchRequest::Stop)
}
