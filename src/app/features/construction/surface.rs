//! Compiles the construction tree of the scene for view modes that draw it directly. The compilation has a thread of
//! its own. A newer request replaces an older request. The previous surface stays on screen until the new surface is
//! ready.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::window::RequestRedraw;

use crate::frame::editor::Editor;
use crate::frame::evaluation::EvaluationClient;
use crate::frame::tasks::{Newest, Tasks};
use crate::view::{TreeRecipe, TreeSurface, Unsupported, ViewMode, ViewState};
use talweg::field::{Control, Terrain};

/// The task that compiles the surface, and the newest surface.
#[derive(Resource, Default)]
pub struct TreeSurfaceTask {
    /// The last request, with the recipe of the surface or the reason why the view cannot draw the surface.
    request: Option<(SurfaceRequest, Result<Option<TreeRecipe>, Unsupported>)>,
    surface: Newest<(), Arc<TreeSurface>>,
}

/// A request for a surface. The recipe of the surface is derived from it.
struct SurfaceRequest {
    revision: u64,
    mode: ViewMode,
    /// The terrain of `revision`; `None` until it is computed.
    terrain: Option<Arc<Terrain>>,
}

impl SurfaceRequest {
    fn is_same(&self, other: &Self) -> bool {
        let ground = |asked: &Self| asked.terrain.as_ref().map(Arc::as_ptr);
        (self.revision, self.mode) == (other.revision, other.mode) && ground(self) == ground(other)
    }
}

impl TreeSurfaceTask {
    /// Why the view cannot draw the requested construction tree; `None` if it can.
    pub fn unsupported(&self) -> Option<Unsupported> {
        self.request.as_ref().and_then(|(_, recipe)| recipe.as_ref().err().copied())
    }
}

/// Starts to compute the surface that the view needs.
pub(super) fn advance(
    mut surface_task: ResMut<TreeSurfaceTask>,
    editor: Res<Editor>,
    evaluation: Res<EvaluationClient>,
    mode: Res<ViewMode>,
    mut view_state: ResMut<ViewState>,
    tasks: Res<Tasks>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    if !mode.draws_tree() {
        if surface_task.request.is_some() {
            *surface_task = TreeSurfaceTask::default();
            view_state.tree_surface = None;
        }
        return;
    }
    let ground = evaluation.on_screen().filter(|_| editor.doc.is_complete()).map(|(terrain, _)| terrain.clone());
    let wanted = SurfaceRequest { revision: editor.doc.revision(), mode: *mode, terrain: ground };
    if surface_task.request.as_ref().is_none_or(|(asked, _)| !asked.is_same(&wanted)) {
        let (scene, _) = editor.doc.shown_scene();
        let recipe = TreeRecipe::from_scene(&scene, wanted.mode, wanted.terrain.as_ref());
        surface_task.request = Some((wanted, recipe));
    }
    surface_task.surface.receive();
    if surface_task.surface.running().is_some() {
        return;
    }
    let recipe = match &surface_task.request {
        Some((_, Ok(Some(recipe)))) => recipe.clone(),
        // keep the previous surface until the terrain is computed
        Some((_, Ok(None))) => return,
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
        // if no thread can be started, the view still draws the grid
        let before = made.clone();
        let make = move |stop: &Control| TreeSurface::new(recipe, before.as_deref(), stop).ok().map(Arc::new);
        let task = tasks.start("tree", make);
        surface_task.surface.start((), task);
    }
    if let Some(made) = &made
        && view_state.tree_surface.as_ref().is_none_or(|tree_surface| !Arc::ptr_eq(tree_surface, made))
    {
        view_state.tree_surface = Some(made.clone());
        redraw.write(RequestRedraw);
    }
}
