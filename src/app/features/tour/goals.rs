//! The goals of the steps: when a goal is reached, and which widgets lead to it.

use talweg::eval::StrokeTarget;
use talweg::nodes::Node;
use talweg::param::{ParamKind, Params, Value};
use talweg::scene::{Layer, Scene};

use crate::features::layers::{LayerAction, UpliftSource};
use crate::frame::commands::Action;
use crate::frame::document::{Document, Selection};
use crate::frame::widgets::row::title;

/// The action that a step asks for. Nodes and parameters are given by their names in scene files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepGoal {
    /// Moves the camera.
    Look,
    /// Changes the scene in any way.
    AnyEdit,
    /// Adds a layer with this node.
    Add(&'static str),
    /// Adds an erosion layer. The window points at this node.
    AddErosion(&'static str),
    /// Adds the layers for painting uplift.
    AddPaintedUplift,
    /// Changes a parameter of a layer with this node.
    Param(&'static str, &'static str),
    /// Applies a preset to a layer with this node.
    Preset(&'static str, &'static str),
    /// Changes a scene setting.
    Setting(&'static str),
    /// Draws a stroke on a painted map.
    Paint,
    /// Plays a process or generator.
    Play,
    /// Saves the scene to a file.
    Save,
}

/// A part of the window at which the tour points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TourTarget {
    /// The middle of the 3D view.
    View,
    /// The button, menu entry or row with this name.
    Button(String),
    /// The slider with this name.
    Slider(String),
}

impl TourTarget {
    fn button(name: impl Into<String>) -> Self {
        Self::Button(name.into())
    }

    /// The panel that contains the target, by its name in the preferences. `None` if it is in no panel.
    pub fn panel(&self) -> Option<&'static str> {
        match self {
            Self::View => None,
            Self::Slider(_) => Some("parameters"),
            Self::Button(name) if name.starts_with("Preset ") || name.ends_with("painting") => Some("parameters"),
            Self::Button(_) => Some("layers"),
        }
    }
}

/// The state of the editor at the start of a step. Comparing with it shows when the goal is reached.
#[derive(Clone, Debug, Default)]
pub(super) struct StepStart {
    scene: Scene,
    edits: usize,
    camera: [f64; 5],
}

impl StepStart {
    pub fn new(document: &Document, camera: [f64; 5]) -> Self {
        Self { scene: document.scene().clone(), edits: document.edits_done().len(), camera }
    }
}

/// The node of a layer, if it has the name `node`.
fn has_node(layer: &Layer, node: &str) -> bool {
    layer.node.about().name == node
}

/// The values of a parameter in all layers with this node.
fn values(scene: &Scene, node: &str, param: &str) -> Vec<Value> {
    let layers = scene.layers.iter().filter(|layer| has_node(layer, node));
    layers.filter_map(|layer| Some(layer.node.params().get(layer.node.about().find(param)?))).collect()
}

fn strokes(scene: &Scene) -> usize {
    let of_layer = |layer: &Layer| match &layer.node {
        Node::PaintedMap(map) => map.strokes.list().len(),
        _ => 0,
    };
    scene.layers.iter().map(of_layer).sum()
}

impl StepGoal {
    /// Whether the user has reached the goal since the start of the step.
    pub(super) fn is_reached(self, start: &StepStart, document: &Document, camera: [f64; 5]) -> bool {
        let (was, is) = (&start.scene, document.scene());
        let count = |scene: &Scene, is_counted: &dyn Fn(&Layer) -> bool| {
            scene.layers.iter().filter(|layer| is_counted(layer)).count()
        };
        let has_more = |is_counted: &dyn Fn(&Layer) -> bool| count(is, is_counted) > count(was, is_counted);
        match self {
            Self::Look => start.camera != camera,
            Self::AnyEdit => document.edits_done().len() > start.edits,
            Self::Add(node) => has_more(&|layer| has_node(layer, node)),
            Self::AddErosion(_) => has_more(&|layer| layer.node.as_process().is_some()),
            Self::AddPaintedUplift => has_more(&|layer| has_node(layer, "PaintedMap")),
            Self::Param(node, param) => values(is, node, param) != values(was, node, param),
            Self::Preset(node, preset) => {
                let is_applied = |layer: &Layer| layer.node.matching_preset().is_some_and(|of| of.name == preset);
                is.layers.iter().any(|layer| has_node(layer, node) && is_applied(layer))
            }
            Self::Setting(param) => {
                let value = |scene: &Scene| scene.settings.about().find(param).map(|index| scene.settings.get(index));
                value(was) != value(is)
            }
            Self::Paint => strokes(is) > strokes(was),
            Self::Play => document.transport().is_playing(),
            Self::Save => document.path().is_some() && !document.is_dirty(),
        }
    }

    /// The widgets that lead to the goal. The window points at the first of them that is on screen: the widgets of an
    /// open menu come before the button that opens the menu. `painted` is the layer that is being painted.
    pub fn targets(self, document: &Document, painted: Option<StrokeTarget>) -> Vec<TourTarget> {
        match self {
            Self::Look => vec![TourTarget::View],
            Self::AnyEdit => any_slider(document),
            Self::Add(node) | Self::AddErosion(node) => add(&label(node)),
            Self::AddPaintedUplift => add(LayerAction::AddUplift(UpliftSource::Strokes).info().label.as_str()),
            Self::Param(node, param) => in_layer(document, node, |layer| slider(layer.node.params(), param)),
            Self::Preset(node, preset) => in_layer(document, node, |layer| {
                let preset = layer.node.about().preset(preset);
                preset.map(|preset| TourTarget::button(format!("Preset {}", preset.label)))
            }),
            Self::Setting(param) => match document.selection() {
                Selection::Scene => slider(&document.scene().settings, param).into_iter().collect(),
                Selection::Layer(_) => vec![TourTarget::button("Scene settings")],
            },
            Self::Paint if painted.is_some() => vec![TourTarget::View],
            Self::Paint => in_layer(document, "PaintedMap", |_| Some(TourTarget::button("Start painting"))),
            Self::Play if document.played().is_some() => vec![TourTarget::button("Play")],
            Self::Play => row(document, |layer| layer.node.as_process().is_some()),
            Self::Save => vec![TourTarget::button("Save"), TourTarget::button("File")],
        }
    }
}

/// The label of the Add menu for a node.
fn label(node: &str) -> String {
    Node::named(node).map_or_else(|| node.to_string(), |node| format!("Add {}", node.about().label))
}

fn add(entry: &str) -> Vec<TourTarget> {
    vec![TourTarget::button(entry), TourTarget::button("Add layer")]
}

/// The row of the topmost layer that `is_sought` accepts.
fn row(document: &Document, is_sought: impl Fn(&Layer) -> bool) -> Vec<TourTarget> {
    let layer = document.scene().layers.iter().rev().find(|layer| is_sought(layer));
    layer.map(|layer| TourTarget::button(layer.name.as_str())).into_iter().collect()
}

/// The widget `inside` the parameters of a layer with this node if such a layer is selected, otherwise the row of that
/// layer. Without such a layer, the entry that adds one.
fn in_layer(document: &Document, node: &str, inside: impl Fn(&Layer) -> Option<TourTarget>) -> Vec<TourTarget> {
    let selected = document.selected_layer().and_then(|index| document.scene().layers.get(index));
    if let Some(layer) = selected.filter(|layer| has_node(layer, node)) {
        return inside(layer).into_iter().collect();
    }
    let rows = row(document, |layer| has_node(layer, node));
    if rows.is_empty() { add(&label(node)) } else { rows }
}

/// The slider of a parameter.
fn slider(params: &dyn Params, param: &str) -> Option<TourTarget> {
    let about = params.about();
    about.find(param).map(|index| TourTarget::Slider(title(&about.params[index]).to_string()))
}

/// The first slider of the selected layer, or the row of the topmost layer.
fn any_slider(document: &Document) -> Vec<TourTarget> {
    let selected = document.selected_layer().and_then(|index| document.scene().layers.get(index));
    let is_number = |kind: &ParamKind| matches!(kind, ParamKind::Float { .. } | ParamKind::Int { .. });
    let first = selected.and_then(|layer| {
        let params = &layer.node.about().params;
        params.iter().find(|spec| is_number(&spec.kind)).map(|spec| TourTarget::Slider(title(spec).to_string()))
    });
    first.map_or_else(|| row(document, |_| true), |slider| vec![slider])
}

#[cfg(test)]
mod tests {
    use super::super::lessons::{LessonName, LessonScene};
    use super::*;

    #[test]
    fn lessons_name_existing_nodes_parameters_and_presets() {
        for name in LessonName::ALL {
            let lesson = name.lesson();
            if let LessonScene::Open(text) | LessonScene::Terrain(text) = lesson.scene {
                let (_, warnings) = Scene::from_ron(text).expect("the scene of a lesson is valid");
                assert!(warnings.is_empty(), "{name:?}: {warnings:?}");
            }
            for step in lesson.steps {
                let node = |node: &str| Node::named(node).unwrap_or_else(|| panic!("{name:?}: no node {node}"));
                match step.goal {
                    StepGoal::Add(of) | StepGoal::AddErosion(of) => drop(node(of)),
                    StepGoal::Param(of, param) => assert!(node(of).about().find(param).is_some(), "{of}: {param}"),
                    StepGoal::Preset(of, preset) => assert!(node(of).about().preset(preset).is_some(), "{preset}"),
                    StepGoal::Setting(param) => {
                        assert!(Scene::default().settings.about().find(param).is_some(), "{param}");
                    }
                    _ => {}
                }
            }
        }
    }
}
