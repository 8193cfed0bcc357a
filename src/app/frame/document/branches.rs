//! Edits of a process in the middle of its run, after which the process is replayed from the start or continues from
//! the playhead. This file also handles the branches of a process. Only one branch of a process is shown at a time.

use crate::frame::document::{Document, Group, Selection};
use talweg::eval::Playhead;
use talweg::nodes::Node;
use talweg::nodes::multiscale::LargestScale;
use talweg::param::Value;
use talweg::scene::{Layer, ParamEpoch, ProcessSegment};

/// The offer to continue from the playhead. It is made when a process is changed while its playhead is before the end.
/// If the user does not accept the offer, the process is replayed from the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub layer: usize,
    pub iteration: u32,
    /// The node and its parameter epochs at the time when the playhead stopped on it.
    node: Node,
    epochs: Vec<ParamEpoch>,
}

impl Offer {
    /// Returns `layer` with the node and the parameter epochs that it had before the change.
    fn origin(&self, layer: &Layer) -> Layer {
        Layer { node: self.node.clone(), epochs: self.epochs.clone(), ..layer.clone() }
    }
}

/// Whether two nodes differ in more than their number of iterations.
fn differ_beyond_iterations(a: &Node, b: &Node) -> bool {
    let mut a = a.clone();
    if let (Some(index), true) = (a.about().find("iterations"), a.about().name == b.about().name) {
        let iterations = b.params().get(index);
        // setting the parameter cannot fail, because both nodes have the same type
        let _ = a.params_mut().set(index, &iterations);
    }
    a != *b
}

/// The parameter epochs of `layer` up to `iteration`.
fn epochs_until(layer: &Layer, samples: usize, iteration: u32) -> Vec<ParamEpoch> {
    let mut left = iteration;
    let mut epochs = Vec::new();
    for ProcessSegment { node, iterations, .. } in layer.stages(samples) {
        let lasts = iterations.min(left);
        if lasts > 0 {
            epochs.push(ParamEpoch { node: node.clone(), iterations: lasts });
        }
        left -= lasts;
    }
    epochs
}

/// Replaces the first parameter epochs of `layer` by `epochs`. The total number of iterations stays the same, but the
/// layer runs for at least one iteration after the epochs.
fn set_epochs(layer: &mut Layer, epochs: Vec<ParamEpoch>, total: u32) {
    let gone = epochs.iter().fold(0u32, |sum, p| sum.saturating_add(p.iterations));
    layer.epochs = epochs;
    if layer.multiscale().largest != LargestScale::OneGrid {
        return; // the remaining iterations are already distributed over the grids
    }
    if let Some(index) = layer.node.about().find("iterations") {
        let left = total.saturating_sub(gone).max(1);
        // setting the parameter cannot fail, because it is an integer
        let _ = layer.node.params_mut().set(index, &Value::Int(i64::from(left)));
    }
}

impl Document {
    /// The offer to continue or branch, if a process was changed in the middle of its run.
    pub fn offer(&self) -> Option<&Offer> {
        let offer = self.offer.as_ref()?;
        let here = Some(Playhead { layer: offer.layer, iteration: offer.iteration });
        let now = self.scene().layers.get(offer.layer)?;
        (self.transport.playhead == here && differ_beyond_iterations(&now.node, &offer.node)).then_some(offer)
    }

    /// Returns the offer that an edit of `group` would create. Must be called before the edit.
    pub(crate) fn offer_before(&self, group: Group) -> Option<Offer> {
        let Group::Node(layer) = group else { return self.offer.clone() };
        let playhead = self.transport.playhead.filter(|p| p.layer == layer && p.iteration > 0)?;
        let standing = self.offer.clone().filter(|o| o.layer == layer && o.iteration == playhead.iteration);
        let before = self.scene().layers.get(layer)?;
        before.node.as_process()?;
        let (node, epochs) = (before.node.clone(), before.epochs.clone());
        Some(standing.unwrap_or(Offer { layer, iteration: playhead.iteration, node, epochs }))
    }

    /// Rejects the offer: the process stays replayed from the start.
    pub fn decline_offer(&mut self) {
        self.offer = None;
    }

    /// Accepts the offer: the process keeps its old parameters up to the playhead and uses the new ones from there.
    pub fn continue_from_here(&mut self) {
        let Some(offer) = self.offer().cloned() else { return };
        let samples = self.scene().samples();
        self.edit(&format!("Continue from iteration {}", offer.iteration), None, |scene| {
            let layer = &mut scene.layers[offer.layer];
            let total = layer.iterations(samples).unwrap_or(0);
            let epochs = epochs_until(&offer.origin(layer), samples, offer.iteration);
            set_epochs(layer, epochs, total);
        });
        self.offer = None;
    }

    /// Copies the process under the playhead into a branch that continues from the playhead, and shows the branch. If
    /// parameters were changed in the middle of the run, the branch gets the changed parameters. The original layer
    /// gets its old parameters back.
    pub fn branch_from_here(&mut self) {
        // the offer concerns the layer under the playhead, even if another layer is selected
        let offer = self.offer().cloned();
        let here = self.process().map(|(index, _)| (index, self.process_iteration()));
        let Some((index, iteration)) = offer.as_ref().map(|o| (o.layer, o.iteration)).or(here) else { return };
        let Some(layer) = self.scene().layers.get(index).cloned() else { return };
        let samples = self.scene().samples();
        let total = layer.iterations(samples).unwrap_or(0);
        let origin = offer.map_or_else(|| layer.clone(), |offer| offer.origin(&layer));
        let free = self.scene().layers.iter().map(|l| l.branch).max().unwrap_or(0).saturating_add(1);
        let number = if origin.branch == 0 { free } else { origin.branch };
        let mut branch = Layer { branch: number, enabled: true, name: self.branch_name(&origin), ..layer };
        set_epochs(&mut branch, epochs_until(&origin, samples, iteration), total);
        let origin = Layer { branch: number, enabled: false, ..origin };
        self.renumber(|k| Some(if k > index { k + 1 } else { k }));
        self.edit(&format!("Branch from iteration {iteration}"), None, |scene| {
            scene.layers[index] = origin;
            scene.layers.insert(index + 1, branch);
        });
        self.offer = None;
        self.select(Selection::Layer(index + 1));
        if let Some(playhead) = self.transport.playhead.filter(|playhead| playhead.layer == index) {
            self.transport.playhead = Some(Playhead { layer: index + 1, ..playhead });
        }
        self.bump(true);
    }

    /// The name of a new branch: the name of the original layer followed by the next free letter.
    fn branch_name(&self, origin: &Layer) -> String {
        let stem = match origin.name.rsplit_once(' ') {
            Some((stem, letter)) if origin.branch != 0 && letter.len() == 1 => stem,
            _ => &origin.name,
        };
        let taken = |name: &str| self.scene().layers.iter().any(|layer| layer.name == name);
        ('B'..='Z').map(|letter| format!("{stem} {letter}")).find(|name| !taken(name)).unwrap_or_else(|| stem.into())
    }

    /// Indices of the branches of one layer, including the original layer and hidden branches. The layer is the
    /// selected layer. If a process plays or the selected layer has no branches, it is the process that the playback
    /// controls show. Empty if there are no branches.
    pub fn branches(&self) -> Vec<usize> {
        let number = |index: usize| Some(self.scene().layers[index].branch).filter(|&number| number != 0);
        let selected = self.selected_layer().filter(|_| !self.transport.playing).and_then(number);
        let Some(number) = selected.or_else(|| number(self.process()?.0)) else { return Vec::new() };
        let of_it: Vec<usize> =
            (0..self.scene().layers.len()).filter(|&k| self.scene().layers[k].branch == number).collect();
        if of_it.len() > 1 { of_it } else { Vec::new() }
    }

    /// The layer among [`branches`](Self::branches) that is on screen.
    pub fn shown_branch(&self) -> Option<usize> {
        self.branches().into_iter().find(|&index| self.scene().layers[index].enabled)
    }

    /// Shows one branch and hides the others. The playhead stays at its iteration.
    pub fn show_branch(&mut self, index: usize) {
        let branches = self.branches();
        if !branches.contains(&index) {
            return;
        }
        let name = self.scene().layers[index].name.clone();
        let playhead = self.transport.playhead.filter(|playhead| branches.contains(&playhead.layer));
        self.edit(&format!("Show branch {name}"), None, |scene| {
            for k in branches {
                scene.layers[k].enabled = k == index;
            }
        });
        self.offer = None;
        self.select(Selection::Layer(index));
        let end = self.scene().timeline_end(index).unwrap_or(0);
        self.transport.playhead = playhead.filter(|p| p.iteration < end).map(|p| Playhead { layer: index, ..p });
        self.bump(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document with noise below an erosion layer of 40 iterations. The playhead is at iteration 15.
    fn standing() -> Document {
        let mut document = Document::default();
        document.add_layer(Node::named("Perlin").unwrap());
        document.add_layer(Node::named("Thermal").unwrap());
        document.set(Group::Node(1), 0, &Value::Int(40), None);
        document.seek(15);
        document
    }

    fn change(document: &mut Document, layer: usize) {
        let angle = document.scene().layers[layer].node.about().find("talus_angle").unwrap();
        document.set(Group::Node(layer), angle, &Value::Float(20.0), None);
    }

    #[test]
    fn a_multiscale_erosion_continues_through_its_grids() {
        let mut document = standing();
        let index = |name: &str| document.scene().layers[1].node.about().find(name).unwrap();
        let (scale, angle) = (index("largest_scale"), index("talus_angle"));
        document.set(Group::Node(1), scale, &Value::Choice(1), None);
        let total = document.scene().iterations(1);
        assert!(total > Some(40), "finer grids add to the iterations of the coarsest");
        document.seek(15);
        document.set(Group::Node(1), angle, &Value::Float(12.0), None);
        document.continue_from_here();
        let layer = &document.scene().layers[1];
        assert_eq!((layer.epochs.len(), layer.epochs[0].iterations), (1, 15));
        assert_eq!((document.scene().iterations(1), layer.node.as_process().unwrap().iterations()), (total, 40));
    }

    #[test]
    fn a_change_during_playback_offers_to_continue_from_here() {
        let mut document = standing();
        assert_eq!(document.offer(), None);
        change(&mut document, 1);
        assert_eq!(document.offer().map(|o| (o.layer, o.iteration)), Some((1, 15)));
        document.continue_from_here();
        let layer = &document.scene().layers[1];
        assert_eq!((layer.epochs.len(), layer.epochs[0].iterations, layer.iterations(513)), (1, 15, Some(40)));
        assert!(layer.epochs[0].node != layer.node && document.offer().is_none());
        assert_eq!(document.iteration(), 15);
        document.undo();
        assert_eq!((document.scene().layers[1].epochs.len(), document.iteration()), (0, 15));
    }

    #[test]
    fn the_offer_ends_when_the_playhead_moves_or_undo_runs() {
        for leave in
            [Document::undo as fn(&mut Document), |d| d.seek(20), Document::play_or_pause, Document::decline_offer]
        {
            let mut document = standing();
            change(&mut document, 1);
            assert!(document.offer().is_some());
            leave(&mut document);
            assert_eq!(document.offer(), None);
        }
        let mut document = standing();
        document.seek(0);
        change(&mut document, 1);
        assert_eq!(document.offer(), None, "from the start both are the same");
    }

    #[test]
    fn a_branch_keeps_its_origin_and_only_one_is_shown() {
        let mut document = standing();
        change(&mut document, 1);
        let changed = document.scene().layers[1].node.clone();
        document.branch_from_here();
        let layers = &document.scene().layers;
        assert_eq!(layers.iter().map(|l| l.enabled).collect::<Vec<_>>(), [true, false, true]);
        assert!(layers[1].node != changed && layers[2].epochs[0].node == layers[1].node);
        assert_eq!((layers[2].name.as_str(), layers[2].iterations(513)), ("Thermal erosion B", Some(40)));
        assert_eq!((document.branches(), document.iteration()), (vec![1, 2], 15));
        document.show_branch(1);
        let shown: Vec<bool> = document.scene().layers.iter().map(|l| l.enabled).collect();
        assert_eq!((shown, document.iteration(), document.selected_layer()), (vec![true, true, false], 15, Some(1)));
        document.toggle_layer(1);
        assert_eq!((document.branches(), document.shown_branch()), (vec![1, 2], None), "hidden, and still a branch");
        document.show_branch(1);
        document.branch_from_here();
        assert_eq!(document.scene().layers[2].name, "Thermal erosion C");
        assert_eq!(document.branches().len(), 3);
        (0..5).for_each(|_| document.undo());
        assert_eq!(document.scene().layers.len(), 2);
    }

    #[test]
    fn an_offer_stays_with_its_layer_during_other_edits() {
        let mut document = standing();
        document.add_layer(Node::named("Thermal").unwrap());
        document.select(Selection::Layer(1));
        change(&mut document, 1);
        document.select(Selection::Layer(2));
        document.rename_layer(1, "Slides");
        document.branch_from_here();
        let names: Vec<&str> = document.scene().layers.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names, ["Perlin noise", "Slides", "Slides B", "Thermal erosion 2"]);
        assert!(document.scene().layers[3].epochs.is_empty());
    }

    #[test]
    fn a_new_iteration_count_is_kept_and_makes_no_offer() {
        let mut document = standing();
        document.set(Group::Node(1), 0, &Value::Int(100), None);
        assert_eq!(document.offer(), None);
        change(&mut document, 1);
        document.continue_from_here();
        assert_eq!(document.scene().layers[1].iterations(513), Some(100));
    }

    #[test]
    fn a_branch_of_a_branch_keeps_every_epoch() {
        let mut document = standing();
        change(&mut document, 1);
        document.branch_from_here();
        document.seek(10);
        document.branch_from_here();
        let layer = &document.scene().layers[3];
        assert_eq!(layer.epochs.iter().map(|p| p.iterations).collect::<Vec<_>>(), [10]);
        document.seek(30);
        document.branch_from_here();
        let layer = &document.scene().layers[4];
        assert_eq!(layer.epochs.iter().map(|p| p.iterations).collect::<Vec<_>>(), [10, 20]);
        assert_eq!(layer.iterations(513), Some(40));
    }
}
