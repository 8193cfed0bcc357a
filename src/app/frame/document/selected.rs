//! Edits of all selected layers at once, as one undo step. This file also handles locked layers, and the layer at which
//! the evaluation ends.

use crate::frame::document::{Document, Selection};

impl Document {
    /// Indices of the selected layers, from the bottom up.
    pub fn selected_layers(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.others.iter().copied().chain(self.selected_layer()).collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|&index| index < self.scene().layers.len());
        all
    }

    /// Adds a layer to the selection, or removes it if it is already selected.
    pub fn toggle_selected(&mut self, index: usize) {
        let mut all = self.selected_layers();
        match all.iter().position(|&selected| selected == index) {
            // at least one layer must stay selected
            Some(at) if all.len() > 1 => drop(all.remove(at)),
            Some(_) => return,
            None => {}
        }
        let is_taken_out = self.selected_layers().contains(&index);
        let primary = if is_taken_out { all[0] } else { index };
        self.select(Selection::Layer(primary));
        self.others = all.into_iter().filter(|&other| other != primary).collect();
    }

    /// Selects all layers from the layer that was selected first to the layer at `index`, including both.
    pub fn select_range(&mut self, index: usize) {
        let Some(from) = self.selected_layer().filter(|_| index < self.scene().layers.len()) else {
            return self.select(Selection::Layer(index));
        };
        self.others = (from.min(index)..=from.max(index)).filter(|&other| other != from).collect();
    }

    pub fn is_locked(&self, index: usize) -> bool {
        self.scene().layers.get(index).is_some_and(|layer| layer.locked)
    }

    /// Name of the first locked layer among `indices`.
    pub fn first_locked(&self, indices: &[usize]) -> Option<&str> {
        let locked = indices.iter().find(|&&index| self.is_locked(index))?;
        Some(&self.scene().layers[*locked].name)
    }

    /// Locks layers, or unlocks them if all of them are locked.
    pub fn toggle_locks(&mut self, indices: &[usize]) {
        let all = indices.iter().all(|&index| self.is_locked(index));
        self.edit(if all { "Unlock layer" } else { "Lock layer" }, None, |scene| {
            for &index in indices {
                if let Some(layer) = scene.layers.get_mut(index) {
                    layer.locked = !all;
                }
            }
        });
    }

    /// Sets the note of a layer; an empty note removes it.
    pub fn set_note(&mut self, index: usize, note: &str) {
        let label = if note.trim().is_empty() { "Remove note" } else { "Write note" };
        self.edit(label, None, |scene| {
            if let Some(layer) = scene.layers.get_mut(index) {
                layer.note = note.trim().into();
            }
        });
    }

    /// Deletes layers and their members. Deletes nothing if one of them is locked.
    pub fn delete_layers(&mut self, indices: &[usize]) {
        let gone = self.with_members(indices);
        let Some(lowest) = gone.iter().copied().min() else { return };
        if self.first_locked(&gone).is_some() {
            return;
        }
        let selected = self.selected_layer();
        self.renumber(|k| {
            let below = gone.iter().filter(|&&index| index < k).count();
            (!gone.contains(&k)).then_some(k - below)
        });
        self.edit(if gone.len() > 1 { "Delete layers" } else { "Delete layer" }, None, |scene| {
            let mut index = 0;
            scene.layers.retain(|_| {
                index += 1;
                !gone.contains(&(index - 1))
            });
            scene.clamp_depths();
        });
        if selected.is_some_and(|index| gone.contains(&index)) {
            let last = self.scene().layers.len().checked_sub(1);
            let next = last.map(|last| Selection::Layer(lowest.saturating_sub(1).min(last)));
            self.selection = next.unwrap_or(Selection::Scene);
            self.others.clear();
        }
    }

    /// Adds copies of layers and their members above the topmost of these layers. A copy keeps its seed, so its heights
    /// are the same.
    pub fn duplicate_layers(&mut self, indices: &[usize]) {
        let copied = self.with_members(indices);
        let Some(top) = copied.last().copied() else { return };
        let shifts = self.shifts(&copied, self.root_depth(&copied, top));
        let count = copied.len();
        self.renumber(|k| Some(if k > top { k + count } else { k }));
        self.edit(if count > 1 { "Duplicate layers" } else { "Duplicate layer" }, None, |scene| {
            for (k, &index) in copied.iter().enumerate() {
                let mut copy = scene.layers[index].clone();
                copy.name = scene.unused_name(&format!("{} copy", copy.name));
                (copy.branch, copy.locked) = (0, false);
                copy.depth = (i64::from(copy.depth) + shifts[k]) as u32;
                scene.layers.insert(top + 1 + k, copy);
            }
        });
        self.select(Selection::Layer(top + count));
        self.others = (top + 1..top + count).collect();
    }

    /// Shows layers, or hides them if all of them are shown.
    pub fn toggle_layers(&mut self, indices: &[usize]) {
        if let [only] = indices {
            return self.toggle_layer(*only);
        }
        let all = indices.iter().all(|&index| self.scene().layers.get(index).is_some_and(|layer| layer.enabled));
        self.edit(if all { "Hide layers" } else { "Show layers" }, None, |scene| {
            for &index in indices {
                if all { scene.layers[index].enabled = false } else { scene.show_layer(index) }
            }
        });
    }

    /// Index of the highest evaluated layer; `None` if all layers are evaluated.
    pub fn last_evaluated(&self) -> Option<usize> {
        self.last_evaluated
    }

    /// Makes the evaluation end at a layer. If it already ends there, makes it end at the top again. The scene does not
    /// change.
    pub fn toggle_last_evaluated(&mut self, index: usize) {
        let is_top = index + 1 >= self.scene().layers.len();
        self.last_evaluated = if self.last_evaluated == Some(index) || is_top { None } else { Some(index) };
        self.transport.pause();
        self.bump(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::nodes::Node;

    fn document(nodes: &[&str]) -> Document {
        let mut document = Document::default();
        nodes.iter().for_each(|name| document.add_layer(Node::named(name).unwrap()));
        document
    }

    fn names(document: &Document) -> Vec<&str> {
        document.scene().layers.iter().map(|layer| layer.name.as_str()).collect()
    }

    #[test]
    fn several_layers_are_copied_or_removed_in_one_step() {
        let mut document = document(&["Perlin", "Terrace", "Voronoi", "Blur"]);
        let steps = document.edits_done().len();
        document.select(Selection::Layer(1));
        document.select_range(2);
        assert_eq!(document.selected_layers(), [1, 2]);
        document.duplicate_layers(&[1, 2]);
        assert_eq!(names(&document), ["Perlin noise", "Terraces", "Voronoi", "Terraces copy", "Voronoi copy", "Blur"]);
        assert_eq!((document.selected_layers(), document.edits_done().len()), (vec![3, 4], steps + 1));
        document.toggle_selected(0);
        assert_eq!(document.selected_layers(), [0, 3, 4]);
        document.toggle_selected(0);
        document.delete_layers(&document.selected_layers());
        assert_eq!(
            (names(&document), document.edits_done().len()),
            (vec!["Perlin noise", "Terraces", "Voronoi", "Blur"], steps + 2)
        );
        document.undo();
        document.undo();
        assert_eq!(names(&document).len(), 4);
    }

    #[test]
    fn locked_layers_do_not_change_until_unlocked() {
        use crate::frame::document::Group;
        use talweg::param::Value;
        let mut document = document(&["Perlin", "Terrace"]);
        document.toggle_locks(&[0]);
        let before = document.scene().clone();
        let find = |document: &Document, name: &str| document.scene().layers[0].node.about().find(name).unwrap();
        let param = find(&document, "frequency");
        document.set(Group::Node(0), param, &Value::Float(9.0), None);
        document.delete_layers(&[0, 1]);
        document.move_up(0);
        assert_eq!(*document.scene(), before);
        assert_eq!(document.first_locked(&[1, 0]), Some(document.scene().layers[0].name.as_str()));
        document.toggle_locks(&[0]);
        document.delete_layers(&[0]);
        assert_eq!(names(&document).len(), 1);
    }

    #[test]
    fn layers_above_the_end_are_hidden_without_editing_the_scene() {
        let mut document = document(&["Perlin", "Terrace", "Voronoi"]);
        let scene = document.scene().clone();
        document.toggle_last_evaluated(0);
        let shown: Vec<bool> = document.shown_scene().0.layers.iter().map(|layer| layer.enabled).collect();
        assert_eq!((shown, document.scene() == &scene), (vec![true, false, false], true));
        document.delete_layers(&[1]);
        assert_eq!(document.last_evaluated(), Some(0), "it follows its layer");
        document.toggle_last_evaluated(0);
        assert!(document.shown_scene().0.layers.iter().all(|layer| layer.enabled));
    }
}
