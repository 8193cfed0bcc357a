//! The layout of the graph of layers. Layers stand in the order of the stack, the lowest at the bottom. Layers that the
//! stack does not show, and scenes of other files, stand in columns to the left, because they only serve references.

use bevy_egui::egui::{Rect, Vec2, pos2, vec2};
use talweg::nodes::{LayerReference, Reads};
use talweg::scene::{LayerReader, Scene};

/// Size of the box of a layer, in points.
const BOX: Vec2 = vec2(150.0, 24.0);
/// Distance between the rows.
const ROW: f32 = 40.0;
/// Distance between the columns.
const COLUMN: f32 = 250.0;
/// Indentation of a layer for each group that contains it.
const INDENT: f32 = 16.0;
/// Distance of the arrows between rows from the left side of a box.
pub const STEM: f32 = 12.0;
/// Width at the right for the curves of references.
const CURVES: f32 = 220.0;

/// A box of the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNode {
    pub name: String,
    /// Index of the layer; `None` for a scene of another file.
    pub layer: Option<usize>,
    pub is_shown: bool,
    pub area: Rect,
    /// Messages about references of the layer that cannot be read.
    pub problems: Vec<String>,
}

/// An arrow of the graph, between two boxes given by their indices.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphEdge {
    pub from: usize,
    pub to: usize,
    /// The value that a reference reads. `None` if the upper layer continues the terrain of the lower.
    pub value: Option<String>,
    /// Distance, in points, to which the curve of a reference bends outwards.
    pub bulge: f32,
}

/// The boxes and arrows of the graph of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphLayout {
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
}

impl GraphLayout {
    /// The graph of the layers of a scene.
    pub fn new(scene: &Scene) -> Self {
        let count = scene.layers.len();
        let mut made = Self::default();
        let mut below = None;
        for (index, layer) in scene.layers.iter().enumerate() {
            let is_shown = scene.is_shown(index);
            let column = if is_shown { 2.0 } else { 1.0 };
            let x = column * COLUMN + layer.depth as f32 * INDENT;
            let area = Rect::from_min_size(pos2(x, (count - 1 - index) as f32 * ROW), BOX);
            let problems = layer.readers(index).filter_map(|reader| scene.source(reader).err()).collect();
            made.nodes.push(GraphNode { name: layer.name.clone(), layer: Some(index), is_shown, area, problems });
            if is_shown {
                made.edges.extend(below.map(|from| GraphEdge { from, to: index, value: None, bulge: 0.0 }));
                below = Some(index);
            }
        }
        for (index, layer) in scene.layers.iter().enumerate() {
            for reader in layer.readers(index) {
                made.add_reference(scene, reader);
            }
        }
        // Columns without boxes take no room.
        let left = made.nodes.iter().map(|node| node.area.left()).fold(f32::INFINITY, f32::min);
        made.nodes.iter_mut().for_each(|node| node.area = node.area.translate(vec2(-left, 0.0)));
        made
    }

    /// Adds the arrow of a reference, and the box of the other scene that it reads.
    fn add_reference(&mut self, scene: &Scene, reader: LayerReader) {
        let (Some(reference), Ok(Some(source))) = (scene.reference(reader), scene.source(reader)) else { return };
        let to = reader.layer();
        let from = match source.own_layer() {
            Some(layer) => layer,
            None => self.other_scene(source.name(), to),
        };
        let distance = (self.nodes[to].area.top() - self.nodes[from].area.top()).abs() / ROW;
        let bulge = (30.0 + 14.0 * distance).min(CURVES - 60.0);
        self.edges.push(GraphEdge { from, to, value: Some(value_text(reader, &reference)), bulge });
    }

    /// Index of the box of another scene, which stands beside its first reader.
    fn other_scene(&mut self, name: String, reader: usize) -> usize {
        if let Some(known) = self.nodes.iter().position(|node| node.layer.is_none() && node.name == name) {
            return known;
        }
        let mut top = self.nodes[reader].area.top();
        while self.nodes.iter().any(|node| node.layer.is_none() && node.area.top() == top) {
            top += ROW;
        }
        let is_free = self.nodes.iter().all(|node| node.layer.is_none() || node.is_shown);
        let area = Rect::from_min_size(pos2(if is_free { COLUMN } else { 0.0 }, top), BOX);
        self.nodes.push(GraphNode { name, layer: None, is_shown: true, area, problems: Vec::new() });
        self.nodes.len() - 1
    }

    /// Size of the drawing, in points.
    pub fn size(&self) -> Vec2 {
        let all = self.nodes.iter().fold(Rect::NOTHING, |all, node| all.union(node.area));
        vec2(all.right() + CURVES, all.bottom() + ROW)
    }
}

/// The value that a reference reads and its use, in a few words.
fn value_text(reader: LayerReader, reference: &LayerReference) -> String {
    let value = match reference.reads {
        Reads::Height => "height",
        Reads::Mask => "mask",
        Reads::Data => reference.data.label(),
    };
    match reader {
        LayerReader::Node(_) => value.into(),
        LayerReader::Mask(_) => format!("mask by {value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::nodes::Node;
    use talweg::scene::Layer;

    fn scene(nodes: &[(&str, &str)]) -> Scene {
        let layer =
            |(node, name): &(&str, &str)| Layer { name: (*name).into(), ..Layer::new(Node::named(node).unwrap(), 1) };
        Scene { layers: nodes.iter().map(layer).collect(), ..Scene::default() }
    }

    #[test]
    fn arrows_follow_the_stack_and_the_references() {
        let mut scene = scene(&[("Perlin", "Hills"), ("Thermal", "Scree"), ("Reference", "Again"), ("Blur", "Soft")]);
        for edit in ["Again.source=Hills", "Scree.enabled=false", "Soft.by_layer=true", "Soft.layer=Scree"] {
            scene.set(edit).unwrap();
        }
        let graph = GraphLayout::new(&scene);
        let edges: Vec<_> = graph.edges.iter().map(|edge| (edge.from, edge.to, edge.value.as_deref())).collect();
        let read = [(0, 2, Some("height")), (1, 3, Some("mask by height"))];
        assert_eq!(edges, [&[(0, 2, None), (2, 3, None)][..], &read].concat());
        let x = |index: usize| graph.nodes[index].area.left();
        assert!(x(1) < x(0) && x(0) == x(3), "the hidden layer stands to the left");
        assert!(graph.nodes[3].area.top() < graph.nodes[0].area.top(), "the lowest layer is at the bottom");
    }

    #[test]
    fn boxes_do_not_overlap_and_circles_have_their_message() {
        let mut scene = scene(&[("Reference", "A"), ("Reference", "B"), ("Perlin", "C")]);
        for edit in ["A.source=B", "B.source=A", "C.enabled=false"] {
            scene.set(edit).unwrap();
        }
        let graph = GraphLayout::new(&scene);
        for (k, node) in graph.nodes.iter().enumerate() {
            assert!(graph.nodes[..k].iter().all(|other| !other.area.intersects(node.area)), "{}", node.name);
        }
        assert!(graph.nodes[0].problems[0].contains("circle") && graph.nodes[2].problems.is_empty());
        assert!(graph.edges.iter().all(|edge| edge.value.is_none()), "a refused reference has no arrow");
    }
}
