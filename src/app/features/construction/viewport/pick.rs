//! Computes the pick index, which finds the pieces at a position, on a thread of its own. Only the index of the newest
//! construction tree is computed. The computation reuses parts of the previous index.

use std::sync::Arc;

use crate::frame::tasks::{Newest, Tasks};
use talweg::construction::Tree;
use talweg::construction::edit::pick_index::PickIndex;

/// The task that computes the pick index.
#[derive(Default)]
pub struct PickTask {
    index: Newest<(), Arc<PickIndex>>,
    pub tasks: Tasks,
}

impl PickTask {
    pub fn emptied(&self) -> Self {
        Self { tasks: self.tasks.clone(), ..Self::default() }
    }

    /// The newest index. It can belong to any construction tree.
    pub fn latest(&self) -> Option<&Arc<PickIndex>> {
        self.index.done().map(|(_, index)| index)
    }

    /// Returns the index of a construction tree if it is already computed. Otherwise starts to compute it.
    pub fn index(&mut self, tree: &Arc<Tree>, seed: u32) -> Option<&PickIndex> {
        let is_it = |index: &Arc<PickIndex>| Arc::ptr_eq(&index.tree, tree) && index.seed == seed;
        self.index.receive();
        if !self.latest().is_some_and(is_it) && self.index.running().is_none() {
            let (tree, before) = (tree.clone(), self.latest().cloned());
            let task =
                self.tasks.start("pieces", move |_| Some(Arc::new(PickIndex::new(&tree, seed, before.as_deref()))));
            self.index.start((), task);
            self.index.receive();
        }
        self.latest().filter(|index| is_it(index)).map(|index| &**index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Waker;
    use talweg::construction::presets;

    #[test]
    fn the_newest_tree_is_used_without_waiting() {
        let (sender, rung) = std::sync::mpsc::channel();
        let sender = std::sync::Mutex::new(sender);
        let tasks = Tasks::new(Waker::new(move || {
            let _ = sender.lock().map(|sender| sender.send(()));
        }));
        let mut pick = PickTask { tasks: tasks.clone(), ..PickTask::default() };
        let trees = [presets::volcano(), presets::oasis(), presets::valley()];
        // request the indices of two trees; an index is known at once if its thread is quick
        let known = trees[..2].iter().filter(|tree| pick.index(tree, 1).is_some()).count();
        assert!(known > 0 || tasks.is_busy());
        // the running computation must end before the newest request starts
        while pick.index(&trees[2], 1).is_none() {
            rung.recv_timeout(std::time::Duration::from_secs(60)).expect("the window wakes up");
        }
        assert!(pick.latest().is_some());
        let mut alone = PickTask::default();
        assert!(alone.index(&trees[0], 1).is_some(), "without a waker it is ready immediately");
    }
}
