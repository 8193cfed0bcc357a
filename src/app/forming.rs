//! The tree of the scene, made ready for the ways of looking that ask it: on a thread of its own, the newest wins, and what was
//! there before stays until it is done.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::window::RequestRedraw;

use super::job::{Job, Outcome};
use super::systems::EditorResource;
use super::view::{TreeRecipe, TreeSurface, Unsupported, ViewMode, ViewState, Waker};

/// See the module.
#[derive(Resource, Default)]
pub struct Forming {
    /// What the scene of a revision asks for.
    asked: Option<(u64, Result<TreeRecipe, Unsupported>)>,
    job: Option<Job<TreeSurface>>,
    made: Option<Arc<TreeSurface>>,
}

impl Forming {
    pub fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// Why the tree is not drawn, if it shall be and cannot be.
    pub fn unsupported(&self) -> Option<Unsupported> {
        self.asked.as_ref().and_then(|(_, recipe)| recipe.as_ref().err().copied())
    }
}

/// Makes what the view asks for.
pub fn advance(
    mut forming: ResMut<Forming>,
    state: Res<EditorResource>,
    mode: Res<ViewMode>,
    mut shown: ResMut<ViewState>,
    waker: Res<Waker>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    if !mode.asks_tree() {
        if forming.asked.is_some() {
            *forming = Forming::default();
            shown.tree_surface = None;
        }
        return;
    }
    let revision = state.editor.doc.revision();
    if forming.asked.as_ref().is_none_or(|(asked, _)| *asked != revision) {
        forming.asked = Some((revision, TreeRecipe::from_scene(&state.editor.doc.shown_scene().0)));
    }
    if let Some(job) = &mut forming.job {
        match job.outcome() {
            Outcome::Running => return,
            Outcome::Done(tree_surface) => forming.made = Some(Arc::new(tree_surface)),
            Outcome::Broke => {}
        }
        forming.job = None;
    }
    let recipe = match &forming.asked {
        Some((_, Ok(recipe))) => recipe.clone(),
        _ => {
            if shown.tree_surface.is_some() {
                shown.tree_surface = None;
                redraw.write(RequestRedraw);
            }
            return;
        }
    };
    if !forming.made.as_ref().is_some_and(|made| made.recipe.is_same(&recipe)) {
        let before = forming.made.clone();
        // without a thread the grid stays on screen
        forming.job = Job::start("tree", &waker, move |_| TreeSurface::new(recipe, before.as_deref())).ok();
    }
    if let Some(made) = &forming.made
        && shown.tree_surface.as_ref().is_none_or(|tree_surface| !Arc::ptr_eq(tree_surface, made))
    {
        shown.tree_surface = Some(made.clone());
        redraw.write(RequestRedraw);
    }
}
