//! The panels around the view. Each panel docks at an edge of the view. The user can drag it elsewhere or onto another
//! panel, where it becomes a tab. The preferences store the layout.
//!
//! ```text
//! feature ── add_panel: name, edge, size, whether it is open ──▶ Dock ── PanelArrangement (egui_tiles) ──▶ rectangles
//! drag of a handle, a tab, a border ──▶ PanelArrangement ──▶ Editor::panels ──▶ preferences
//! ```

mod arrangement;

use std::collections::HashSet;

use bevy::ecs::system::{In, InMut, IntoSystem, SystemId};
use bevy::prelude::{App, Res, ResMut, Resource, World, error};
use bevy_egui::egui;
use egui::{CursorIcon, Margin, Rect, Sense, Ui, UiBuilder, Visuals, WidgetText, pos2, vec2};
use egui_phosphor::regular as icon;
use egui_tiles::{EditAction, ResizeState, TabState, TileId, Tiles, UiResponse};

use self::arrangement::{DockPane, GAP, PanelTiles, TAB_BAR};
use super::commands::{Action, Command, CommandQueue, Info, keys};
use super::editor::Editor;
use super::focus;
use super::menu::pick;
use super::theme::colour;

/// Width of the strip by which a panel is dragged, in points.
const HANDLE: f32 = 9.0;

/// The edge of the view at which a panel docks by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DockEdge {
    /// Left edge. A new panel is placed below the panels already there.
    Left,
    /// Right edge. A new panel is placed outside the panels already there.
    Right,
    /// Bottom edge. A new panel is placed above the panels already there.
    Bottom,
}

impl DockEdge {
    const ALL: [Self; 3] = [Self::Left, Self::Right, Self::Bottom];
}

/// A panel that can be docked.
#[derive(Clone, Copy, Debug)]
pub struct DockedPanel {
    /// Name of the panel in the preferences.
    pub name: &'static str,
    pub title: &'static str,
    pub edge: DockEdge,
    /// Position among the panels of the same edge. At the left and bottom edges, positions count from the top. At the
    /// right edge, they count from the view outwards.
    pub place: i32,
    /// Default width and height, in points.
    pub size: [f32; 2],
    /// Minimum width and height, in points.
    pub least: [f32; 2],
    /// Margin around the content, in points.
    pub margin: Margin,
}

impl DockedPanel {
    /// Creates a panel with default sizes.
    pub const fn new(name: &'static str, title: &'static str, edge: DockEdge) -> Self {
        let margin = Margin { left: 10, right: 10, top: 2, bottom: 6 };
        Self { name, title, edge, place: 0, size: [300.0, 240.0], least: [220.0, 90.0], margin }
    }
}

/// Whether and how a panel is visible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PanelShown {
    Hidden,
    Open,
    /// Visible with the height of its content, in points. In a tab container, the height does not apply.
    Fixed(f32),
    /// Visible. The content has this height in points, without the margins. Until the user moves the border of the
    /// panel, the panel is as high as its content, but takes at most half of its column.
    Content(f32),
}

impl From<bool> for PanelShown {
    fn from(is_open: bool) -> Self {
        if is_open { Self::Open } else { Self::Hidden }
    }
}

impl PanelShown {
    fn height(self) -> Option<f32> {
        match self {
            Self::Fixed(height) => Some(height),
            _ => None,
        }
    }

    /// The height of the panel `about`, with margins and handle, at which its whole content is visible.
    fn content_height(self, about: &DockedPanel) -> Option<f32> {
        match self {
            Self::Content(height) => Some(height + about.margin.sum().y + HANDLE),
            _ => None,
        }
    }
}

struct RegisteredPanel {
    shown: SystemId<(), PanelShown>,
    contents: SystemId<InMut<'static, Ui>>,
    /// The command that closes the panel; `None` if the panel cannot be closed.
    close: Option<Command>,
}

/// All panels and their layout.
#[derive(Resource, Default)]
pub struct Dock {
    panels: Vec<DockedPanel>,
    registered: Vec<RegisteredPanel>,
    shown: Vec<PanelShown>,
    arrangement: Option<PanelTiles>,
    /// The panel whose tab comes to the front in the next frame.
    front: Option<&'static str>,
    /// Whether the focus must move to the next panel (`true`) or to the previous one (`false`).
    entered: Option<bool>,
}

impl Dock {
    /// Brings the tab of a panel to the front, if the panel is a tab behind another one.
    pub fn open_tab(&mut self, panel: Option<&'static str>) {
        self.front = panel;
    }
}

/// Registers panels.
pub trait PanelApp {
    /// Adds a panel with two systems: one returns whether the panel is open, and the other draws it. `close` is the
    /// command that closes the panel; `None` if the panel cannot be closed.
    fn add_panel<M, N>(
        &mut self,
        panel: DockedPanel,
        close: Option<Command>,
        shown: impl IntoSystem<(), PanelShown, M> + 'static,
        contents: impl IntoSystem<InMut<'static, Ui>, (), N> + 'static,
    ) -> &mut Self;
}

impl PanelApp for App {
    fn add_panel<M, N>(
        &mut self,
        panel: DockedPanel,
        close: Option<Command>,
        shown: impl IntoSystem<(), PanelShown, M> + 'static,
        contents: impl IntoSystem<InMut<'static, Ui>, (), N> + 'static,
    ) -> &mut Self {
        let registered =
            RegisteredPanel { shown: self.register_system(shown), contents: self.register_system(contents), close };
        let mut dock = self.world_mut().get_resource_or_init::<Dock>();
        dock.panels.push(panel);
        dock.registered.push(registered);
        self
    }
}

/// Commands that change the layout of the panels.
#[derive(Clone, Debug, PartialEq)]
pub enum PanelAction {
    /// Restores the default layout.
    Reset,
    /// Docks a panel at an edge.
    Dock(&'static str, DockEdge),
    /// Moves the keyboard focus to the next panel.
    Next,
    /// Moves the keyboard focus to the previous panel.
    Previous,
}

impl Action for PanelAction {
    fn section(&self) -> &'static str {
        "View"
    }

    fn info(&self) -> Info {
        match self {
            Self::Reset => Info::new("Reset panels", "Restores the default layout of the panels.", icon::LAYOUT, &[]),
            Self::Next => Info::new(
                "Next panel",
                "Moves the keyboard focus to the next panel.",
                icon::ARROW_RIGHT,
                keys![NONE + F6],
            ),
            Self::Previous => Info::new(
                "Previous panel",
                "Moves the keyboard focus to the previous panel.",
                icon::ARROW_LEFT,
                keys![SHIFT + F6],
            ),
            Self::Dock(_, edge) => {
                let (name, symbol) = match edge {
                    DockEdge::Left => ("left", icon::ALIGN_LEFT),
                    DockEdge::Right => ("right", icon::ALIGN_RIGHT),
                    DockEdge::Bottom => ("bottom", icon::ALIGN_BOTTOM),
                };
                Info::new(
                    format!("Move to the {name}"),
                    format!("Docks the panel at the {name} edge of the window."),
                    symbol,
                    &[],
                )
            }
        }
    }
}

pub(super) fn run_action(In(action): In<PanelAction>, mut dock: ResMut<Dock>, mut editor: ResMut<Editor>) {
    match action {
        PanelAction::Reset => {
            dock.arrangement = None;
            editor.panels = None;
        }
        PanelAction::Next | PanelAction::Previous => dock.entered = Some(action == PanelAction::Next),
        PanelAction::Dock(name, edge) => {
            let Dock { panels, arrangement, .. } = &mut *dock;
            let index = panels.iter().position(|panel| panel.name == name);
            if let (Some(arrangement), Some(index)) = (arrangement, index) {
                arrangement.dock(index, edge);
                editor.panels = arrangement.layout(panels);
            }
        }
    }
}

/// The menu entry that restores the default layout of the panels.
pub(super) fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    pick(ui, &mut queue, PanelAction::Reset, editor.panels.is_some());
}

/// Draws all panels within `root`. `bars` draws the bars above the view. Returns the rectangle that is left for the
/// view.
pub(super) fn draw(world: &mut World, root: &mut Ui, bars: fn(&mut World, &mut Ui)) -> Rect {
    let Some(mut dock) = world.remove_resource::<Dock>() else { return root.available_rect_before_wrap() };
    let before = std::mem::take(&mut dock.shown);
    for panel in &dock.registered {
        let shown = world.run_system(panel.shown);
        dock.shown.push(shown.unwrap_or_else(|problem| {
            error!("cannot draw a panel: {problem}");
            PanelShown::Hidden
        }));
    }
    let mut arrangement = match dock.arrangement.take() {
        Some(arrangement) => arrangement,
        None => PanelTiles::new(&dock.panels, world.resource::<Editor>().panels.as_ref()),
    };
    for (index, shown) in dock.shown.iter().enumerate() {
        let Some(tile) = arrangement.find(DockPane::Panel(index)) else { continue };
        let is_shown = *shown != PanelShown::Hidden;
        arrangement.tree.set_visible(tile, is_shown);
        let is_wanted = dock.front == Some(dock.panels[index].name);
        if is_shown && (is_wanted || before.get(index) == Some(&PanelShown::Hidden)) {
            arrangement.tree.make_active(|id, _| id == tile);
        }
    }
    dock.front = None;
    let rect = root.available_rect_before_wrap();
    arrangement.fit(rect, &dock.panels, &dock.shown);
    let tabs = arrangement.tabs();
    let mut hands = DockBehavior {
        world,
        dock: &dock,
        tabs,
        bars,
        free_rect: Rect::NOTHING,
        edited: false,
        moved: false,
        resized: false,
    };
    arrangement.tree.ui(&mut hands, root);
    let (free_rect, edited, moved, resized) = (hands.free_rect, hands.edited, hands.moved, hands.resized);
    if resized {
        arrangement.choose_sizes();
    }
    if moved {
        arrangement.free_view();
        arrangement.fit(rect, &dock.panels, &dock.shown);
        root.ctx().request_repaint();
    }
    if edited {
        world.resource_mut::<Editor>().panels = arrangement.layout(&dock.panels);
    }
    dock.arrangement = Some(arrangement);
    if let Some(is_forward) = dock.entered.take() {
        focus::enter_panel(root.ctx(), is_forward);
    }
    world.insert_resource(dock);
    free_rect
}

/// Draws the tiles and records how the user changes them.
struct DockBehavior<'a> {
    world: &'a mut World,
    dock: &'a Dock,
    tabs: HashSet<TileId>,
    bars: fn(&mut World, &mut Ui),
    free_rect: Rect,
    /// Whether the layout has changed and must be stored.
    edited: bool,
    /// Whether the user has dragged a panel to another place.
    moved: bool,
    /// Whether the user has dragged the border between two panels.
    resized: bool,
}

impl DockBehavior<'_> {
    fn view(&mut self, ui: &mut Ui) {
        (self.bars)(self.world, ui);
        self.free_rect = ui.available_rect_before_wrap();
    }

    fn panel(&mut self, ui: &mut Ui, index: usize, is_tab: bool) -> UiResponse {
        let about = &self.dock.panels[index];
        let mut rect = ui.max_rect();
        ui.painter().rect_filled(rect, 0.0, colour::panel());
        let mut response = UiResponse::None;
        if !is_tab {
            let handle = if self.dock.shown[index].height().is_some() {
                rect.min.x += HANDLE;
                Rect::from_min_max(ui.max_rect().min, pos2(rect.min.x, rect.max.y))
            } else {
                rect.min.y += HANDLE;
                Rect::from_min_max(ui.max_rect().min, pos2(rect.max.x, rect.min.y))
            };
            if self.handle(ui, handle, index) {
                response = UiResponse::DragStarted;
            }
        }
        let inner = rect - about.margin;
        focus::note_panel(ui.ctx(), inner);
        let mut child = ui.new_child(UiBuilder::new().max_rect(inner));
        child.shrink_clip_rect(rect);
        if let Err(problem) = self.world.run_system_with(self.dock.registered[index].contents, &mut child) {
            error!("cannot draw a panel: {problem}");
        }
        response
    }

    /// Draws the strip by which a panel is dragged. Returns whether a drag has started.
    fn handle(&mut self, ui: &Ui, rect: Rect, index: usize) -> bool {
        let (about, close) = (&self.dock.panels[index], self.dock.registered[index].close.clone());
        let response = ui.interact(rect, ui.id().with("handle"), Sense::click_and_drag());
        let name = format!("Move {}", about.title);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &name));
        let tint = if response.hovered() || response.dragged() { colour::text_strong() } else { colour::text_weak() };
        for k in [-2.0, -1.0, 0.0, 1.0, 2.0] {
            let along = if rect.width() > rect.height() { vec2(5.0 * k, 0.0) } else { vec2(0.0, 5.0 * k) };
            ui.painter().circle_filled(rect.center() + along, 1.0, tint);
        }
        response.context_menu(|ui| {
            let mut queue = self.world.resource_mut::<CommandQueue>();
            for edge in DockEdge::ALL {
                pick(ui, &mut queue, PanelAction::Dock(about.name, edge), true);
            }
            if let Some(close) = &close {
                ui.separator();
                let name = format!("Close {}", about.title);
                let button = ui.button(format!("{}  Close", icon::X));
                button.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Button, true, &name));
                if button.clicked() {
                    queue.extend([close.clone()]);
                    ui.close();
                }
            }
        });
        let response = response.on_hover_cursor(CursorIcon::Grab);
        let response = response.on_hover_text(format!(
            "Drag to dock “{}” elsewhere: beside or below a panel, or on its centre as a tab. Right-click for \
             positions.",
            about.title
        ));
        response.drag_started()
    }
}

impl egui_tiles::Behavior<DockPane> for DockBehavior<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, tile: TileId, pane: &mut DockPane) -> UiResponse {
        match *pane {
            DockPane::View => {
                self.view(ui);
                UiResponse::None
            }
            DockPane::Panel(index) => self.panel(ui, index, self.tabs.contains(&tile)),
        }
    }

    fn tab_title_for_pane(&mut self, pane: &DockPane) -> WidgetText {
        match *pane {
            DockPane::View => "View".into(),
            DockPane::Panel(index) => self.dock.panels[index].title.into(),
        }
    }

    fn is_tab_closable(&self, tiles: &Tiles<DockPane>, tile: TileId) -> bool {
        matches!(tiles.get_pane(&tile), Some(DockPane::Panel(index)) if self.dock.registered[*index].close.is_some())
    }

    fn on_tab_close(&mut self, tiles: &mut Tiles<DockPane>, tile: TileId) -> bool {
        if let Some(DockPane::Panel(index)) = tiles.get_pane(&tile) {
            let close = self.dock.registered[*index].close.clone();
            self.world.resource_mut::<CommandQueue>().extend(close);
        }
        // do not remove hidden panels from the layout
        false
    }

    fn on_edit(&mut self, action: EditAction) {
        self.edited = true;
        self.moved |= action == EditAction::TileDropped;
        self.resized |= action == EditAction::TileResized;
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        GAP
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        TAB_BAR
    }

    fn min_size(&self) -> f32 {
        HANDLE
    }

    fn resize_stroke(&self, _: &egui::Style, state: ResizeState) -> egui::Stroke {
        match state {
            ResizeState::Idle => egui::Stroke::new(GAP, colour::deep()),
            ResizeState::Hovering | ResizeState::Dragging => egui::Stroke::new(2.0, colour::accent()),
        }
    }

    fn tab_bar_color(&self, _: &Visuals) -> egui::Color32 {
        colour::deep()
    }

    fn tab_bg_color(&self, _: &Visuals, _: &Tiles<DockPane>, _: TileId, state: &TabState) -> egui::Color32 {
        if state.active { colour::panel() } else { egui::Color32::TRANSPARENT }
    }

    fn tab_text_color(&self, _: &Visuals, _: &Tiles<DockPane>, _: TileId, state: &TabState) -> egui::Color32 {
        if state.active { colour::text_strong() } else { colour::text() }
    }
}
