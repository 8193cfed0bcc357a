//! Construction trees: the list of pieces, the library, the pieces in the view, and the surface that the view draws
//! directly from a construction tree.
//!
//! ```text
//! list, piece, viewport ──▶ Document::edit_tree ──▶ revision ──▶ surface: TreeSurfaceTask ──▶ ViewState.tree_surface
//!                                                          └───▶ viewport: PickTask ──▶ the piece under the pointer
//! ```

mod actions;
mod commands;
pub mod library;
pub mod list;
mod notice;
pub mod piece;
mod profile;
mod selected;
mod surface;
pub mod viewport;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::{Align, Layout, Margin, Panel, Ui};

use self::actions::{Pieces, look};
pub use self::commands::{PieceAction, Push, TakeImage, TreeAction};
use self::list::TreeState;
use self::surface::TreeSurfaceTask;
use crate::frame::commands::{CommandApp, CommandQueue};
use crate::frame::document::Selection;
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot, bar_frame, parameter_area};
use crate::frame::menu::{pick, tick};
use crate::frame::panels::{DockEdge, DockedPanel, PanelApp, PanelShown};
use crate::frame::status::{StatusHint, StatusInfo};
use crate::frame::tasks::Tasks;
use crate::frame::window::FrameSystems;
use crate::view::{FrameStatus, TerrainView, Unsupported, ViewCamera, ViewMode, ViewState, ViewportArea, cost_legend};
use talweg::construction::PieceKind;
use talweg::construction::edit::freehand::line_form;
use talweg::construction::edit::{Wrap, points};
use talweg::nodes::Node;

pub struct ConstructionPlugin;

impl Plugin for ConstructionPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<TreeState>()
            .init_resource::<PieceView>()
            .init_resource::<TreeSurfaceTask>()
            .add_actions(PieceAction::all(), run)
            .scope_actions(applies)
            .add_actions([TreeAction::ShowAlone], show_alone)
            .add_actions([], take_image)
            .add_mode_exit(leave)
            .add_menu("Feature", 30)
            .add_menu_part("Feature", 0, menu)
            .add_part(Slot::Update, update_state)
            .add_panel(
                DockedPanel {
                    place: 1,
                    size: [329.0, 300.0],
                    least: [280.0, 90.0],
                    margin: Margin { left: 8, right: 8, top: 0, bottom: 4 },
                    ..DockedPanel::new("pieces", "Features", DockEdge::Left)
                },
                None,
                |editor: Res<Editor>| PanelShown::from(editor.doc.tree().is_some()),
                pieces,
            )
            .add_part(Slot::PartParameters, parameters)
            .add_part(Slot::Notice, no_tree)
            .add_part(Slot::View, over_view)
            .add_part(Slot::End, end)
            .add_systems(PreUpdate, surface::advance.in_set(FrameSystems::Receive))
            .add_systems(EguiPrimaryContextPass, update_piece_view.in_set(FrameSystems::UpdatePanels));
    }
}

/// Data about the view that shows the pieces.
#[derive(Resource, Clone, Debug, Default)]
pub struct PieceView {
    /// The terrain in the view; `None` if there is no terrain.
    pub terrain_view: Option<TerrainView>,
    /// Why the view cannot show the requested construction tree.
    pub unsupported: Option<Unsupported>,
}

fn update_piece_view(
    mut view: ResMut<PieceView>,
    mut state: ResMut<TreeState>,
    mut info: ResMut<StatusInfo>,
    (task, tasks): (Res<TreeSurfaceTask>, Res<Tasks>),
    (editor, frame_status, view_state): (Res<Editor>, Res<FrameStatus>, Res<ViewState>),
    (camera, area): (Res<ViewCamera>, Res<ViewportArea>),
) {
    view.terrain_view = TerrainView::new(&view_state, &camera, &area);
    view.unsupported = task.unsupported().or(frame_status.unsupported());
    if editor.view.mode == ViewMode::TracedCost && view.unsupported.is_none() {
        info.legend = Some(std::sync::Arc::new(cost_legend()));
    }
    state.work_with(&tasks);
}

/// Whether the key of a piece command applies. Most commands need a selected piece.
fn applies(world: &World, action: &PieceAction) -> bool {
    let construction = world.resource::<Editor>().doc.tree().is_some();
    world.resource::<TreeState>().is_at_work() || construction && action.is_free()
}

fn run(
    In(action): In<PieceAction>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<TreeState>,
    view: Res<PieceView>,
    mut queue: ResMut<CommandQueue>,
) {
    let mut pieces = Pieces { editor: &mut editor, state: &mut state, queue: &mut queue };
    pieces.run(action, view.terrain_view.as_ref());
}

/// Shows the first visible construction on flat terrain and without the layers above it.
fn show_alone(In(TreeAction::ShowAlone): In<TreeAction>, mut editor: ResMut<Editor>) {
    let layers = &editor.doc.scene().layers;
    let is_tree = |index: &usize| matches!(layers[*index].node, Node::Construction(_));
    let found = (0..layers.len()).filter(is_tree).max_by_key(|index| layers[*index].enabled);
    match found {
        Some(index) if editor.doc.solo() != Some(index) => editor.doc.toggle_solo(index),
        Some(_) => {}
        None => editor.toasts.info("There is no Construction layer to isolate."),
    }
}

fn take_image(In(TakeImage(file)): In<TakeImage>, mut editor: ResMut<Editor>, state: Res<TreeState>) {
    if let Some(path) = state.selected() {
        piece::take_image(&mut editor.doc, path, file.to_string_lossy().into_owned());
    }
}

/// Cancels the current action on pieces when Escape is pressed.
fn leave(mut editor: ResMut<Editor>, mut state: ResMut<TreeState>) -> bool {
    editor.doc.tree().is_some() && (state.view.cancel(&mut editor.doc) || state.cancel_one())
}

fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, state: Res<TreeState>, mut queue: ResMut<CommandQueue>) {
    let tree = editor.doc.tree().map(|(_, tree)| tree);
    let selected = tree.zip(state.selected()).and_then(|(tree, path)| path.piece(tree));
    let (construction, is_there) = (tree.is_some(), selected.is_some());
    let is_line = selected.is_some_and(|piece| points::line(piece).is_some());
    if !construction {
        // a justified menu row would widen the gaps between the words of a sentence
        let left = Layout::top_down(Align::LEFT);
        ui.with_layout(left, |ui| ui.weak("Select a Construction layer."));
        ui.separator();
    }
    for action in PieceAction::all() {
        let enabled = match action {
            // the menu does not list commands that only keys issue
            PieceAction::Push(_) | PieceAction::PushFar(_) => continue,
            // show one submenu that contains all operators, instead of an entry for each operator
            PieceAction::Group(wrap) if wrap != Wrap::ALL[0] => continue,
            PieceAction::Library | PieceAction::Follow => construction,
            PieceAction::Draw => selected.is_some_and(|piece| line_form(piece).is_some()),
            PieceAction::Lay | PieceAction::Fall => is_line,
            PieceAction::Dissolve => selected.is_some_and(|piece| !piece.children().is_empty()),
            PieceAction::Bend => {
                selected.is_some_and(|p| matches!(&p.kind, PieceKind::Contour(contour) if contour.points.is_empty()))
            }
            _ => is_there,
        };
        if matches!(action, PieceAction::Rename | PieceAction::Group(Wrap::Blend) | PieceAction::Draw) {
            ui.separator();
        }
        match action {
            PieceAction::Library => tick(ui, &mut queue, action, enabled, construction && !state.library_folded),
            PieceAction::Draw => tick(ui, &mut queue, action, enabled, state.view.is_drawing()),
            PieceAction::Follow => tick(ui, &mut queue, action, enabled, state.follows),
            PieceAction::Group(_) => group_menu(ui, &mut queue, enabled),
            _ => pick(ui, &mut queue, action, enabled),
        }
    }
}

/// The menu of the operators that can wrap a feature.
fn group_menu(ui: &mut Ui, queue: &mut CommandQueue, enabled: bool) {
    ui.add_enabled_ui(enabled, |ui| {
        ui.menu_button(list::group_text(), |ui| queue.extend(list::operator_entries(ui)));
    });
}

fn update_state(InMut(ui): InMut<Ui>, editor: Res<Editor>, mut state: ResMut<TreeState>) {
    state.follow(&editor.doc);
    state.view.take_keys(ui.ctx());
}

fn pieces(
    InMut(ui): InMut<Ui>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<TreeState>,
    mut queue: ResMut<CommandQueue>,
) {
    queue.extend(list::show(ui, &mut editor.doc, &mut state));
}

fn parameters(
    InMut(ui): InMut<Ui>,
    mut frame: ResMut<InterfaceFrame>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<TreeState>,
    mut queue: ResMut<CommandQueue>,
) {
    let Selection::Layer(index) = editor.doc.selection() else { return };
    if state.is_at_work() {
        frame.has_parameters = true;
        parameter_area(ui, (index, format!("{:?}", state.selected())), |ui| {
            queue.extend(piece::show(ui, &mut editor.doc, &mut state));
        });
    }
}

fn no_tree(InMut(root): InMut<Ui>, editor: Res<Editor>, view: Res<PieceView>, mut queue: ResMut<CommandQueue>) {
    let mode = editor.view.mode;
    if let Some(unsupported) = view.unsupported.filter(|_| mode.draws_tree()) {
        Panel::top("no tree").exact_size(34.0).frame(bar_frame()).show(root, |ui| {
            queue.extend(notice::bar(ui, unsupported, mode.of_grid()));
        });
    }
}

/// Draws handles, outlines and the library over the view.
fn over_view(
    InMut(root): InMut<Ui>,
    mut frame: ResMut<InterfaceFrame>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<TreeState>,
    view: Res<PieceView>,
    mut queue: ResMut<CommandQueue>,
) {
    let (editor, state, stage, free) = (&mut *editor, &mut *state, view.terrain_view.as_ref(), frame.free_rect);
    if editor.doc.tree().is_none() || editor.dialogs.is_open() {
        return;
    }
    let done = viewport::show(root, &mut editor.doc, state, stage, free);
    queue.extend(done.look.map(look));
    let library = library::show(root, state, free);
    queue.extend(library.command);
    if let Some(item) = library.middle {
        viewport::place_piece(&mut editor.doc, state, stage, free, item, None);
    }
    if let Some((item, at)) = library.dropped {
        viewport::place_piece(&mut editor.doc, state, stage, free, item, Some(at));
    }
    frame.takes_pointer |= done.takes_pointer || state.carried.is_some();
    frame.takes_primary |= done.takes_primary;
}

fn end(
    _: InMut<Ui>,
    mut frame: ResMut<InterfaceFrame>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<TreeState>,
    mut hint: ResMut<StatusHint>,
) {
    if let Some(text) = state.hint.take() {
        hint.set(Some(text));
    }
    if let Some(notice) = state.notice.take() {
        editor.toasts.info(notice);
    }
    frame.is_grabbing |= state.view.is_grabbing();
}
