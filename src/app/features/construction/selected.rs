//! Several pieces selected at once: the last one has the parameters, commands act on all of them.

use crate::features::construction::list::TreeState;
use talweg::construction::edit::PiecePath;

impl TreeState {
    /// All that are selected, the last one at the end.
    pub fn selected_pieces(&self) -> Vec<PiecePath> {
        self.others.iter().chain(&self.selected).cloned().collect()
    }

    /// Whether a piece is among those that are selected.
    pub fn is_selected(&self, path: &PiecePath) -> bool {
        self.selected.as_ref() == Some(path) || self.others.contains(path)
    }

    /// Selects a piece besides those that are, or no longer.
    pub fn toggle_selected(&mut self, path: &PiecePath) {
        let mut all = self.selected_pieces();
        match all.iter().position(|selected| selected == path) {
            // one stays selected
            Some(at) if all.len() > 1 => drop(all.remove(at)),
            Some(_) => return,
            None => all.push(path.clone()),
        }
        self.select_all(all);
    }

    /// Selects some pieces, the last one of them for its parameters.
    pub fn select_all(&mut self, mut paths: Vec<PiecePath>) {
        let last = paths.pop();
        self.select(last);
        self.others = paths;
    }
}
