//! Selection of several pieces. The panel shows the parameters of the last selected piece, and commands act on all
//! selected pieces.

use crate::features::construction::list::TreeState;
use talweg::construction::edit::PiecePath;

impl TreeState {
    /// All selected pieces. The piece that was selected last is at the end.
    pub fn selected_pieces(&self) -> Vec<PiecePath> {
        self.others.iter().chain(&self.selected).cloned().collect()
    }

    pub fn is_selected(&self, path: &PiecePath) -> bool {
        self.selected.as_ref() == Some(path) || self.others.contains(path)
    }

    /// Adds a piece to the selection, or removes it if it is already selected.
    pub fn toggle_selected(&mut self, path: &PiecePath) {
        let mut all = self.selected_pieces();
        match all.iter().position(|selected| selected == path) {
            // at least one piece must stay selected
            Some(at) if all.len() > 1 => drop(all.remove(at)),
            Some(_) => return,
            None => all.push(path.clone()),
        }
        self.select_all(all);
    }

    /// Selects exactly these pieces. The panel then shows the parameters of the last of them.
    pub fn select_all(&mut self, mut paths: Vec<PiecePath>) {
        let last = paths.pop();
        self.select(last);
        self.others = paths;
    }
}
