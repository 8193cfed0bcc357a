//! Brushes: sculpt the terrain, paint masks and maps.
//!
//! ```text
//! pointer ── draw ──▶ Document::edit_strokes ──▶ revision ──▶ worker: the layer alone, at full resolution ──▶ view
//! panel: brush, list of strokes ──┘                     └──▶ mask of the layer ──▶ overlay
//! ```
//! [`talweg::brush`] and [`talweg::nodes::sculpt`] define the strokes.

mod bar;
mod commands;
mod draw;
pub mod panel;
mod state;

use bevy::ecs::system::{In, InMut};
use bevy::prelude::*;
use bevy_egui::EguiPrimaryContextPass;
use bevy_egui::egui::Ui;

pub use self::commands::{BrushAction, StampAction};
pub use self::state::{BrushState, StrokeEdit};
use crate::frame::commands::{CommandApp, CommandQueue};
use crate::frame::dialogs::files::{self, Files};
use crate::frame::editor::Editor;
use crate::frame::interface::{InterfaceApp, InterfaceFrame, Slot};
use crate::frame::menu::{pick, tick};
use crate::frame::status::StatusHint;
use crate::frame::window::FrameSystems;
use crate::view::{TerrainView, ViewCamera, ViewState, ViewportArea};
use talweg::eval::StrokeTarget;
use talweg::param::ImageFile;

pub struct BrushPlugin;

impl Plugin for BrushPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<BrushState>()
            .add_actions(BrushAction::all(), run)
            .scope_actions(applies)
            .add_actions([], run_stamp)
            .add_mode_exit(leave)
            .add_menu_part("Layer", 10, menu)
            .add_part(Slot::Update, follow_document)
            .add_part(Slot::View, over_view)
            .add_systems(EguiPrimaryContextPass, update_terrain_view.in_set(FrameSystems::UpdatePanels));
    }
}

fn update_terrain_view(
    mut state: ResMut<BrushState>,
    (view_state, camera, area): (Res<ViewState>, Res<ViewCamera>, Res<ViewportArea>),
) {
    state.terrain_view = TerrainView::new(&view_state, &camera, &area);
}

/// Whether a brush command applies in the current state, so that its keys take precedence.
fn applies(world: &World, action: &BrushAction) -> bool {
    let (state, editor) = (world.resource::<BrushState>(), world.resource::<Editor>());
    match action {
        BrushAction::Paint => state.paintable(&editor.doc).is_some(),
        BrushAction::PaintMask => editor.doc.selected_layer().is_some(),
        BrushAction::DeleteStroke | BrushAction::Edit(_) => state.selected_stroke(&editor.doc).is_some(),
        _ => state.target(&editor.doc).is_some(),
    }
}

fn run(In(action): In<BrushAction>, mut editor: ResMut<Editor>, mut state: ResMut<BrushState>) {
    let document = &mut editor.doc;
    match action {
        BrushAction::Paint => state.toggle(document),
        BrushAction::Smaller => state.resize(document, 1.0 / 1.25),
        BrushAction::Larger => state.resize(document, 1.25),
        BrushAction::PaintMask => {
            if let Some(index) = document.selected_layer() {
                document.edit("Paint mask", None, |scene| scene.layers[index].mask.by_paint = true);
                state.paint(document, StrokeTarget::Mask(index));
            }
        }
        BrushAction::Tool(tool) => state.brush_mut(document).tool = tool,
        BrushAction::DeleteStroke => state.delete_selected(document),
        BrushAction::Edit(edit) => state.edit_selected(document, edit),
    }
}

fn run_stamp(In(action): In<StampAction>, mut editor: ResMut<Editor>, mut state: ResMut<BrushState>) {
    let editor = &mut *editor;
    match action {
        StampAction::Choose => {
            let then = |path| StampAction::Take(path).into();
            editor.dialogs.open(Files::open(&editor.doc, files::HEIGHTS_TITLE, files::IMAGES, then));
        }
        StampAction::Take(path) => {
            let image = ImageFile(path.to_string_lossy().into_owned());
            state.change_brush(&mut editor.doc, None, |brush| brush.image = image);
        }
    }
}

/// Handles Escape with the first of these that applies: cancels the unfinished stroke, clears the selection, stops
/// painting.
fn leave(mut editor: ResMut<Editor>, mut state: ResMut<BrushState>) -> bool {
    state.cancel_one(&mut editor.doc)
}

fn menu(InMut(ui): InMut<Ui>, editor: Res<Editor>, state: Res<BrushState>, mut queue: ResMut<CommandQueue>) {
    ui.separator();
    let paintable = state.paintable(&editor.doc).is_some();
    tick(ui, &mut queue, BrushAction::Paint, paintable, state.target(&editor.doc).is_some());
    pick(ui, &mut queue, BrushAction::PaintMask, editor.doc.selected_layer().is_some());
}

fn follow_document(_: InMut<Ui>, mut editor: ResMut<Editor>, mut state: ResMut<BrushState>) {
    state.follow(&mut editor.doc);
}

/// Draws the brush over the view.
fn over_view(
    InMut(root): InMut<Ui>,
    mut frame: ResMut<InterfaceFrame>,
    mut editor: ResMut<Editor>,
    mut state: ResMut<BrushState>,
    mut hint: ResMut<StatusHint>,
) {
    if editor.dialogs.is_open() {
        return;
    }
    let free = frame.free_rect;
    frame.takes_primary |= draw::show(root, &mut editor.doc, &mut state, free);
    bar::show(root, &mut editor.doc, &mut state, &mut frame);
    if state.target(&editor.doc).is_some() {
        let has_handles = state.selected_stroke(&editor.doc).is_some();
        hint.set(Some(if has_handles { draw::HANDLE_HINT } else { draw::HINT }.into()));
    }
}
