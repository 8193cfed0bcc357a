//! The tree of the scene, made ready for the ways of looking that ask it: on a thread of its own, the newest wins, and
//! what was there before stays until it is done.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::window::RequestRedraw;

use crate::frame::editor::Editor;
use crate::frame::tasks::{Newest, Tasks};
use crate::view::{TreeRecipe, TreeSurface, Unsupported, ViewMode, ViewState};

/// See the module.
#[derive(Resource, Default)]
pub struct TreeSurfaceTask {
    /// What the scene of a revision asks for.
    asked: Option<(u64, Result<TreeRecipe, Unsupported>)>,
    surface: Newest<(), Arc<TreeSurface>>,
}

impl TreeSurfaceTask {
    /// Why the tree is not drawn, if it shall be and cannot be.
    pub fn unsupported(&self) -> Option<Unsupported> {
        self.asked.as_ref().and_then(|(_, recipe)| recipe.as_ref().err().copied())
    }
}

/// Makes what the view asks for.
pub(super) fn advance(
    mut surface_task: ResMut<TreeSurfaceTask>,
    editor: Res<Editor>,
    mode: Res<ViewMode>,
    mut view_state: ResMut<ViewState>,
    tasks: Res<Tasks>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    if !mode.asks_tree() {
        if surface_task.asked.is_some() {
            *surface_task = TreeSurfaceTask::default();
            view_state.tree_surface = None;
        }
        return;
    }
    let revision = editor.doc.revision();
    if surface_task.asked.as_ref().is_none_or(|(asked, _)| *asked != revision) {
        surface_task.asked = Some((revision, TreeRecipe::from_scene(&editor.doc.shown_scene().0)));
    }
    surface_task.surface.receive();
    if surface_task.surface.running().is_some() {
        return;
    }
    let recipe = match &surface_task.asked {
        Some((_, Ok(recipe))) => recipe.clone(),
        _ => {
            if view_state.tree_surface.is_some() {
                view_state.tree_surface = None;
                redraw.write(RequestRedraw);
            }
            return;
        }
    };
    let made = surface_task.surface.done().map(|(_, made)| made.clone());
    if !made.as_ref().is_some_and(|made| made.recipe.is_same(&recipe)) {
        // without a thread the grid stays on screen
        let task = tasks.start("tree", move |_| Some(Arc::new(TreeSurface::new(recipe))));
        surface_task.surface.begin((), task);
    }
    if let Some(made) = &made
        && view_state.tree_surface.as_ref().is_none_or(|tree_surface| !Arc::ptr_eq(tree_surface, made))
    {
        view_state.tree_surface = Some(made.clone());
        redraw.write(RequestRedraw);
    }
}
