//! The tree of the scene, made ready for the ways of looking that ask it: on a thread of its own, the newest wins, and what was
//! there before stays until it is done.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::window::RequestRedraw;

use crate::app::frame::systems::EditorResource;
use crate::app::frame::tasks::{Job, Outcome};
use crate::app::view::{Formation, Recipe, Refusal, Shown, ViewMode, Waker};

/// See the module.
#[derive(Resource, Default)]
pub struct Forming {
    /// What the scene of a revision asks for.
    asked: Option<(u64, Result<Recipe, Refusal>)>,
    job: Option<Job<Formation>>,
    made: Option<Arc<Formation>>,
}

impl Forming {
    pub fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// Why the tree is not drawn, if it shall be and cannot be.
    pub fn refusal(&self) -> Option<Refusal> {
        self.asked.as_ref().and_then(|(_, recipe)| recipe.as_ref().err().copied())
    }
}

/// Makes what the view asks for.
pub fn advance(
    mut forming: ResMut<Forming>,
    state: Res<EditorResource>,
    mode: Res<ViewMode>,
    mut shown: ResMut<Shown>,
    waker: Res<Waker>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    if !mode.asks_tree() {
        if forming.asked.is_some() {
            *forming = Forming::default();
            shown.formation = None;
        }
        return;
    }
    let revision = state.editor.doc.revision();
    if forming.asked.as_ref().is_none_or(|(asked, _)| *asked != revision) {
        forming.asked = Some((revision, Recipe::of(&state.editor.doc.shown_scene().0)));
    }
    if let Some(job) = &mut forming.job {
        match job.outcome() {
            Outcome::Running => return,
            Outcome::Done(formation) => forming.made = Some(Arc::new(formation)),
            Outcome::Broke => {}
        }
        forming.job = None;
    }
    let recipe = match &forming.asked {
        Some((_, Ok(recipe))) => recipe.clone(),
        _ => {
            if shown.formation.is_some() {
                shown.formation = None;
                redraw.write(RequestRedraw);
            }
            return;
        }
    };
    if !forming.made.as_ref().is_some_and(|made| made.recipe.is(&recipe)) {
        let before = forming.made.clone();
        // without a thread the grid stays on screen
        forming.job = Job::start("tree", &waker, move |_| Formation::new(recipe, before.as_deref())).ok();
    }
    if let Some(made) = &forming.made
        && shown.formation.as_ref().is_none_or(|formation| !Arc::ptr_eq(formation, made))
    {
        shown.formation = Some(made.clone());
        redraw.write(RequestRedraw);
    }
}
