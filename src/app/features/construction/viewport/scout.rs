//! Which pieces are where, worked out on a thread of its own: the newest tree counts, what is known already is lent to the next.

use std::sync::Arc;

use crate::app::frame::tasks::{Job, Outcome};
use crate::app::view::Waker;
use crate::construction::Tree;
use crate::construction::edit::outlook::Outlook;

/// See the module. Where nobody can be woken, as in a test, it is worked out at once.
#[derive(Default)]
pub struct Scout {
    ready: Option<Arc<Outlook>>,
    job: Option<Job<Outlook>>,
    waker: Option<Waker>,
}

impl Scout {
    pub fn wake_by(&mut self, waker: &Waker) {
        self.waker.get_or_insert_with(|| waker.clone());
    }

    pub fn emptied(&self) -> Self {
        Self { waker: self.waker.clone(), ..Self::default() }
    }

    pub fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// What was known last, of whatever tree.
    pub fn latest(&self) -> Option<&Arc<Outlook>> {
        self.ready.as_ref()
    }

    /// Begins something else aside; `None` where nobody can be woken, or no thread is to be had.
    pub fn start<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<Job<T>> {
        Job::start("pieces", self.waker.as_ref()?, move |_| work()).ok()
    }

    /// The outlook of a tree, if it is there; if not, it is being worked out from now on.
    pub fn of(&mut self, tree: &Arc<Tree>, seed: u32) -> Option<&Outlook> {
        let is_it = |outlook: &Arc<Outlook>| Arc::ptr_eq(&outlook.tree, tree) && outlook.seed == seed;
        if let Some(job) = &mut self.job {
            match job.outcome() {
                Outcome::Running => {}
                Outcome::Done(outlook) => {
                    self.ready = Some(Arc::new(outlook));
                    self.job = None;
                }
                Outcome::Broke => self.job = None,
            }
        }
        if !self.ready.as_ref().is_some_and(is_it) && self.job.is_none() {
            let (tree, before) = (tree.clone(), self.ready.clone());
            let work = move || Outlook::new(&tree, seed, before.as_deref());
            match self.start(work.clone()) {
                Some(job) => self.job = Some(job),
                None => self.ready = Some(Arc::new(work())),
            }
        }
        self.ready.as_deref().filter(|_| self.ready.as_ref().is_some_and(is_it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construction::presets;

    #[test]
    fn the_newest_tree_counts_and_nobody_waits() {
        let mut scout = Scout::default();
        let (sender, rung) = std::sync::mpsc::channel();
        let sender = std::sync::Mutex::new(sender);
        scout.wake_by(&Waker::new(move || {
            let _ = sender.lock().map(|sender| sender.send(()));
        }));
        let trees = [presets::volcano(), presets::oasis(), presets::valley()];
        assert!(scout.of(&trees[0], 1).is_none(), "it is being worked out");
        assert!(scout.of(&trees[1], 1).is_none() && scout.is_busy());
        // the first one ends, and the last one asked for begins
        while scout.of(&trees[2], 1).is_none() {
            rung.recv_timeout(std::time::Duration::from_secs(60)).expect("the window is woken");
        }
        assert!(scout.latest().is_some());
        let mut alone = Scout::default();
        assert!(alone.of(&trees[0], 1).is_some(), "without anybody to wake it is there at once");
    }
}
