//! The panels around the 3D view. [`Editor`] holds everything they need and draws them into one root [`egui::Ui`].
//!
//! Nothing here knows the engine: the panels get a document and a [`StatusInfo`], and give back the free rectangle
//! and the [`Effect`]s that someone else has to carry out.

mod actions;

use std::path::PathBuf;

use bevy_egui::egui;
use egui::{Frame, Margin, Panel, Rect, Sense, Ui, UiBuilder};

use crate::app::features::bench::panel::{self as bench, BenchState};
use crate::app::features::bench::task::Ask as BenchAsk;
use crate::app::features::biomes::panel::{self as biomes, BiomesState};
use crate::app::features::charts;
use crate::app::features::compare::panel::{self as compare, CompareState};
use crate::app::features::compare::task::Ask;
use crate::app::features::construction::list::{self as tree, TreeState};
use crate::app::features::construction::{
    library as tree_library, notice as tree_notice, piece as tree_piece, viewport as tree_view,
};
use crate::app::features::erosion::transport;
use crate::app::features::layers::parameters as layer;
use crate::app::features::layers::stack::{self, StackState};
use crate::app::features::measures::panel::{self as measures, MeasuresState};
use crate::app::features::patch::panel::{self as patch, PatchState};
use crate::app::features::patch::task::PatchOrder;
use crate::app::features::planet_view as globe;
use crate::app::features::scene_settings::panel::{self as settings, Swatch};
use crate::app::features::variants::panel::{self as variants, VariantsState};
use crate::app::frame::commands;
use crate::app::frame::commands::{Command, GlobeWay, Overlay, ViewAction, ViewMode};
use crate::app::frame::dialogs::Dialogs;
use crate::app::frame::document::{Document, Selection};
use crate::app::frame::menu;
use crate::app::frame::preferences::Preferences;
use crate::app::frame::recent::Recent;
use crate::app::frame::status::{self, StatusInfo};
use crate::app::frame::theme::colour;
use crate::app::frame::toasts::Toasts;
use crate::app::view::Stage;
use crate::app::view::globe::GlobeView;
use crate::film::Film;
use crate::scene::Problem;

/// A scene that comes with the program.
#[derive(Clone, Debug)]
pub struct Example {
    pub name: String,
    /// RON text of the scene.
    pub text: String,
}

/// How the 3D view draws; the panels change it, the view reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewSettings {
    pub mode: ViewMode,
    pub overlay: Overlay,
    pub water: bool,
    /// How a planet is shown.
    pub way: GlobeWay,
}

impl Default for ViewSettings {
    fn default() -> Self {
        Self { mode: ViewMode::default(), overlay: Overlay::default(), water: true, way: GlobeWay::default() }
    }
}

/// Something the panels want but cannot do themselves.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Stop the running evaluation.
    Cancel,
    /// Compute the scene at full size and write it; the ending says how.
    Export { path: PathBuf },
    /// Film a process of the scene; see [`crate::film`].
    Film { film: Film, path: PathBuf },
    /// Move the camera. Changes of [`Editor::view`] are announced here, too.
    View(ViewAction),
    /// Bring a box of the world that is drawn into view: its lowest and highest corner.
    Look([[f32; 3]; 2]),
    /// Take a square out of a planet, or put it back.
    Patch(Box<PatchOrder>),
    /// Compare with something, or with nothing.
    Compare(Ask),
    /// Run a benchmark, or stop it.
    Bench(BenchAsk),
    /// End the program; unsaved changes have been dealt with.
    Quit,
}

/// What a frame of the panels came to.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// What is left for the 3D view, in points.
    pub free_rect: Rect,
    /// A dialog is open, or the pointer is over a menu or a message: the 3D view shall not take the pointer.
    pub covered: bool,
    pub effects: Vec<Effect>,
}

/// See the module.
pub struct Editor {
    pub doc: Document,
    pub view: ViewSettings,
    /// How a planet is drawn.
    pub globe: GlobeView,
    pub compare: CompareState,
    pub variants: VariantsState,
    pub bench: BenchState,
    pub measures: MeasuresState,
    pub biomes: BiomesState,
    pub pieces: TreeState,
    pub patch: PatchState,
    pub toasts: Toasts,
    pub dialogs: Dialogs,
    pub recent: Recent,
    preferences: Preferences,
    pub examples: Vec<Example>,
    pub swatches: Vec<Swatch>,
    stack: StackState,
    charts: charts::Charts,
    /// A command that waits for the text field to give its value away.
    deferred: Option<Command>,
    effects: Vec<Effect>,
}

impl Editor {
    /// An editor with an empty scene. `recent` is the file with the list of recent scenes
    /// ([`Recent::default_file`]); without one the list is not kept.
    pub fn new(recent: Option<PathBuf>, examples: Vec<Example>, swatches: Vec<Swatch>) -> Self {
        let (preferences, unread) = Preferences::load(recent.as_deref());
        let (recent, problem) = Recent::load(recent);
        let mut toasts = Toasts::default();
        for problem in [problem.map(|p| p.to_string()), unread.map(|p| p.to_string())].into_iter().flatten() {
            toasts.warning(problem);
        }
        let kept = preferences.kept().clone();
        Self {
            doc: Document::default(),
            view: ViewSettings { way: kept.way, ..ViewSettings::default() },
            globe: kept.globe,
            preferences,
            compare: CompareState::default(),
            variants: VariantsState::default(),
            bench: BenchState::default(),
            measures: MeasuresState::default(),
            biomes: BiomesState::default(),
            pieces: TreeState::default(),
            patch: PatchState::default(),
            toasts,
            dialogs: Dialogs::default(),
            recent,
            examples,
            swatches,
            stack: StackState::default(),
            charts: charts::Charts::default(),
            deferred: None,
            effects: Vec::new(),
        }
    }

    /// Draws everything and carries out what was asked for. Ask [`Document::take_request`] afterwards.
    pub fn ui(&mut self, root: &mut Ui, info: &StatusInfo) -> Drawn {
        let ctx = root.ctx().clone();
        self.compare.hear(&info.compare);
        self.end_comparing_planets();
        self.variants.ghosts.hear(&info.variants.ghosts);
        self.pieces.follow(&self.doc);
        let mut asked: Vec<Command> = self.deferred.take().into_iter().collect();
        self.pieces.view.take_keys(&ctx);
        if !self.dialogs.is_open() {
            asked.extend(self.shortcut(&ctx));
        }
        asked.extend(self.panels(root, info));
        let free_rect = root.available_rect_before_wrap();
        asked.extend(globe::switch(&ctx, free_rect, self));
        compare::over(root, free_rect, &mut self.compare, &self.doc, info);
        patch::outline(root, &info.patch_on_screen, free_rect);
        for &at in &info.places_on_screen {
            charts::mark(root, at, free_rect);
        }
        self.effects.extend(bench::show(&ctx, &mut self.bench, &self.doc, &info.bench).map(Effect::Bench));
        let stage = info.stage.as_ref();
        let takes_pointer = self.pieces_in_view(root, stage, free_rect, &mut asked);
        for command in asked {
            match command {
                Command::Piece(action) => self.run_piece(action, stage),
                command => self.run(&ctx, command),
            }
        }
        variants::window(&ctx, &mut self.variants, &mut self.doc, &info.variants, free_rect);
        self.variants.ghosts.end_frame(&ctx);
        if patch::window(&ctx, &mut self.patch, &self.doc, info, free_rect) {
            self.dialogs.ask_where_to_save_patch(&self.doc);
        }
        self.show_dialogs(&ctx);
        // below the switch of the ways
        let over = if self.doc.scene().as_planet().is_some() { globe::SWITCH_HEIGHT } else { 0.0 };
        self.toasts.show(&ctx, free_rect.with_min_y(free_rect.min.y + over));
        if self.pieces.hint != self.pieces.said {
            ctx.request_repaint();
        }
        if let Some(notice) = self.pieces.notice.take() {
            self.toasts.info(notice);
        }
        let focused = ctx.memory(|memory| memory.focused()).map(|id| id.value());
        let is_dragging = ctx.input(|i| i.pointer.any_down());
        if !is_dragging && let Err(problem) = self.preferences.keep(&self.globe, self.view.way) {
            self.toasts.warning(format!("{problem}."));
        }
        self.doc.end_frame(is_dragging || self.pieces.view.is_grabbing(), focused);
        let over = ctx.pointer_latest_pos().and_then(|at| ctx.layer_id_at(at));
        let covered = self.dialogs.is_open()
            || egui::Popup::is_any_open(&ctx)
            || self.compare.holds_pointer()
            || takes_pointer
            || over.is_some_and(|layer| layer.order != egui::Order::Background);
        Drawn { free_rect, covered, effects: std::mem::take(&mut self.effects) }
    }

    /// A shortcut; one with Ctrl that comes while a text is typed waits a frame, so that the text is taken first.
    fn shortcut(&mut self, ctx: &egui::Context) -> Option<Command> {
        let typing = ctx.text_edit_focused();
        if egui::Popup::is_any_open(ctx) {
            return None;
        }
        let (construction, piece) = (self.doc.tree().is_some(), self.pieces.is_at_work());
        let command = commands::pressed(ctx, construction, piece)?;
        // the field has given the keyboard away already when Escape arrives here
        if command == Command::Cancel && (self.stack.stop_renaming() || self.leave_piece()) {
            return None;
        }
        if typing {
            ctx.memory_mut(|memory| {
                if let Some(id) = memory.focused() {
                    memory.surrender_focus(id);
                }
            });
            self.deferred = Some(command);
            ctx.request_repaint();
            return None;
        }
        Some(command)
    }

    /// Escape leaves what is being done with pieces; returns whether there was anything to leave.
    fn leave_piece(&mut self) -> bool {
        self.doc.tree().is_some() && (self.pieces.view.let_go(&mut self.doc) || self.pieces.step_back())
    }

    /// Handles, outlines and library over the view; returns whether the pointer is at work there.
    fn pieces_in_view(&mut self, root: &mut Ui, stage: Option<&Stage>, free: Rect, asked: &mut Vec<Command>) -> bool {
        if self.doc.tree().is_none() || self.dialogs.is_open() {
            return false;
        }
        let done = tree_view::show(root, &mut self.doc, &mut self.pieces, stage, free);
        self.effects.extend(done.look.map(Effect::Look));
        let library = tree_library::show(root, &mut self.pieces, free);
        asked.extend(library.command);
        if let Some(item) = library.middle {
            tree_view::put(&mut self.doc, &mut self.pieces, stage, free, item, None);
        }
        if let Some((item, at)) = library.dropped {
            tree_view::put(&mut self.doc, &mut self.pieces, stage, free, item, Some(at));
        }
        done.takes_pointer || self.pieces.carried.is_some()
    }

    fn panels(&mut self, root: &mut Ui, info: &StatusInfo) -> Vec<Command> {
        let mut asked = Vec::new();
        let bar = Frame::new().fill(colour::DEEP).inner_margin(Margin::symmetric(8, 2));
        Panel::top("menu").frame(bar).show(root, |ui| asked.extend(menu::bar(ui, self)));
        Panel::bottom("status").exact_size(26.0).frame(bar).show(root, |ui| {
            self.pieces.said = self.pieces.hint.take();
            asked.extend(status::show(ui, &self.doc, info, self.pieces.said.as_deref()));
        });
        let side = Frame::new().fill(colour::PANEL);
        Panel::left("side").default_size(330.0).size_range(280.0..=480.0).frame(side).show(root, |ui| {
            // a child of its own, so that a wide row is cut and does not widen the panel
            let rect = ui.available_rect_before_wrap();
            let mut child = ui.new_child(UiBuilder::new().max_rect(rect));
            child.shrink_clip_rect(rect);
            self.side(&mut child, &mut asked, &info.problems);
            ui.allocate_rect(rect, Sense::hover());
        });
        let is_planet = self.doc.scene().as_planet().is_some();
        if self.measures.open {
            let frame = Frame::new().fill(colour::PANEL).inner_margin(Margin::symmetric(10, 8));
            let panel = Panel::right("all measures").resizable(true).default_size(286.0).size_range(236.0..=460.0);
            panel.frame(frame).show(root, |ui| {
                // a child of its own, as at the side
                let rect = ui.available_rect_before_wrap();
                let mut child = ui.new_child(UiBuilder::new().max_rect(rect));
                child.shrink_clip_rect(rect);
                asked.extend(measures::show(&mut child, &mut self.measures, &info.measures, is_planet));
                ui.allocate_rect(rect, Sense::hover());
            });
        }
        if self.biomes.open {
            let frame = Frame::new().fill(colour::PANEL).inner_margin(Margin::symmetric(10, 8));
            let panel = Panel::right("biomes").resizable(true).default_size(300.0).size_range(260.0..=460.0);
            panel.frame(frame).show(root, |ui| {
                // a child of its own, as at the side
                let rect = ui.available_rect_before_wrap();
                let mut child = ui.new_child(UiBuilder::new().max_rect(rect));
                child.shrink_clip_rect(rect);
                asked.extend(biomes::show(&mut child, &mut self.biomes, &mut self.doc, info));
                ui.allocate_rect(rect, Sense::hover());
            });
        }
        // always there, so that the view keeps its place when another layer is selected
        let frame = Frame::new().fill(colour::PANEL).inner_margin(Margin::symmetric(8, 0));
        Panel::bottom("transport").exact_size(40.0).frame(frame).show(root, |ui| {
            asked.extend(transport::show(ui, &mut self.doc, info));
        });
        if self.doc.offer().is_some() || !self.doc.branches().is_empty() {
            Panel::bottom("branches").exact_size(34.0).frame(frame).show(root, |ui| {
                asked.extend(transport::branches(ui, &mut self.doc));
            });
        }
        if self.doc.is_watching() {
            let frame = Frame::new().fill(colour::PANEL).inner_margin(Margin::symmetric(8, 4));
            let charts = Panel::bottom("charts").resizable(true).default_size(170.0).size_range(110.0..=360.0);
            charts.frame(frame).show(root, |ui| charts::show(ui, &mut self.doc, &mut self.charts, info));
        }
        if let Some(refusal) = info.no_tree.filter(|_| self.view.mode.asks_tree()) {
            let frame = Frame::new().fill(colour::PANEL).inner_margin(Margin::symmetric(8, 0));
            Panel::top("no tree").exact_size(34.0).frame(frame).show(root, |ui| {
                asked.extend(tree_notice::bar(ui, refusal, self.view.mode.of_grid()));
            });
        }
        if info.compare.is_on() {
            let frame = Frame::new().fill(colour::PANEL).inner_margin(Margin::symmetric(8, 0));
            Panel::top("compare").exact_size(34.0).frame(frame).show(root, |ui| {
                asked.extend(compare::bar(ui, &self.compare, &self.doc, &info.compare));
            });
            if self.compare.table {
                let frame = Frame::new().fill(colour::PANEL).inner_margin(Margin::symmetric(10, 4));
                let table = Panel::bottom("measures").resizable(true).default_size(170.0).size_range(70.0..=360.0);
                table.frame(frame).show(root, |ui| compare::table(ui, &info.compare));
            }
        }
        asked
    }

    fn side(&mut self, ui: &mut Ui, asked: &mut Vec<Command>, problems: &[Problem]) {
        let height = ui.available_height();
        let frame = Frame::new().fill(colour::PANEL).inner_margin(Margin { left: 8, right: 8, top: 8, bottom: 4 });
        // a list of pieces needs room of its own
        let pieces = self.doc.tree().is_some();
        let (id, share) = if pieces { ("layers over pieces", 0.2) } else { ("layers", 0.36) };
        let list = Panel::top(id).resizable(true).default_size(height * share).size_range(110.0..=height * 0.7);
        list.frame(frame).show(ui, |ui| {
            asked.extend(stack::show(ui, &mut self.doc, &mut self.stack, self.recent.nodes(), problems))
        });
        if pieces {
            let frame = Frame::new().fill(colour::PANEL).inner_margin(Margin { left: 8, right: 8, top: 6, bottom: 4 });
            let list = Panel::top("pieces").resizable(true).default_size(height * 0.34).size_range(90.0..=height * 0.6);
            list.frame(frame).show(ui, |ui| asked.extend(tree::show(ui, &mut self.doc, &mut self.pieces)));
        }
        let inside = Frame::new().inner_margin(Margin { left: 10, right: 4, top: 8, bottom: 4 });
        egui::CentralPanel::default().frame(inside).show(ui, |ui| {
            let which = self.doc.selection();
            let id = match which {
                Selection::Scene => usize::MAX,
                Selection::Layer(index) => index,
            };
            egui::ScrollArea::vertical()
                .id_salt(("parameters", id, format!("{:?}", self.pieces.selected())))
                .auto_shrink(false)
                .show(ui, |ui| {
                    Frame::new().inner_margin(Margin { right: 10, ..Margin::ZERO }).show(ui, |ui| match which {
                        Selection::Scene => {
                            let ghosts = &mut self.variants.ghosts;
                            asked.extend(settings::show(ui, &mut self.doc, &self.swatches, ghosts));
                            globe::settings(ui, &self.doc, &mut self.globe);
                        }
                        Selection::Layer(_) if self.pieces.is_at_work() => {
                            asked.extend(tree_piece::show(ui, &mut self.doc, &mut self.pieces));
                        }
                        Selection::Layer(index) => {
                            let ghosts = &mut self.variants.ghosts;
                            asked.extend(layer::show(ui, &mut self.doc, index, problems, ghosts));
                        }
                    });
                });
        });
    }
}
