//! Adds a river that starts at a point, as a curve of a construction. The river follows the flow of water over the
//! terrain on screen.
//!
//! The channel follows the surface with filled depressions to the sea or to the edge. Its line is smoothed and loses
//! its redundant points. The river widens where other water flows into it.

use std::sync::Arc;

use bevy::ecs::system::InMut;
use bevy::prelude::*;
use bevy_egui::egui::Ui;

use super::point::{GroundMenuState, PickedPoint};
use crate::frame::document::Document;
use crate::frame::editor::Editor;
use crate::frame::tasks::{Newest, Tasks};
use talweg::brush::{StrokePoint, simplified};
use talweg::construction::edit::library::add_river;
use talweg::construction::edit::snap::make_downhill;
use talweg::construction::primitives::curve::CurvePoint;
use talweg::construction::{Frame, Tree};
use talweg::field::{Cancelled, Control, Edges, Terrain, Voids};
use talweg::hydrology::{FlowGraph, FlowMesh, FlowRouting, LandBorder, Outlets, accumulate};
use talweg::nodes::Node;
use talweg::nodes::generators::construction::Construction;
use talweg::scene::{Blend, Layer, Settings};

/// Greatest distance from the centreline of a river to the outer edge of its banks, as a fraction of the side length.
const WIDTH: f32 = 0.012;
/// Depth of the channel, as a multiple of the river's width.
const DEPTH: f32 = 0.21;
/// Width at the source of a river, as a fraction of its greatest width.
const SOURCE_WIDTH: f32 = 0.3;
/// Number of samples on each side over which the centreline is smoothed. Smoothing removes the steps of the grid.
const EVENED: usize = 5;
/// Maximum deviation of the thinned centreline from the flow path, in samples.
const TOLERANCE: f32 = 0.8;

/// The running search for a river, keyed by the revision of the scene.
#[derive(Resource, Default)]
pub(super) struct RiverTask(Newest<u64, Vec<CurvePoint>>);

impl RiverTask {
    /// Starts the search for the river that begins at a point.
    pub(super) fn start(&mut self, document: &Document, state: &GroundMenuState, point: &PickedPoint, tasks: &Tasks) {
        let Some(terrain) = state.terrain.clone() else { return };
        let (settings, sample) = (document.scene().settings.clone(), point.sample);
        let task = tasks.start("river", move |control| course(&terrain, &settings, sample, control).ok());
        self.0.start(document.revision(), task);
    }
}

/// Adds the river as a layer when the search has found it.
pub(super) fn receive(_: InMut<Ui>, mut task: ResMut<RiverTask>, mut editor: ResMut<Editor>) {
    if !task.0.receive() {
        return;
    }
    let Some((revision, line)) = task.0.take() else { return };
    let editor = &mut *editor;
    if revision != editor.doc.revision() {
        editor.toasts.info("The terrain changed before the river was found. Try again.");
        return;
    }
    if line.len() < 3 {
        editor.toasts.info("No river was added: water from here reaches the sea or the edge immediately.");
        return;
    }
    if let Err(problem) = add(&mut editor.doc, line) {
        editor.toasts.warning(format!("No river was added: {problem}."));
    }
}

/// The points of a river from a sample to the sea or the edge. If the sea or the edge is near, there are few points or
/// none.
fn course(
    terrain: &Terrain,
    settings: &Settings,
    from: usize,
    control: &Control,
) -> Result<Vec<CurvePoint>, Cancelled> {
    let (grid, n) = (terrain.grid, terrain.samples());
    let mesh = FlowMesh::new(grid);
    let border = if settings.voids == Voids::LandEnds { LandBorder::new(terrain) } else { None };
    let sea = settings.sea_level / settings.relief_metres;
    let outlets = Outlets::new(grid, &terrain.height, sea).with_land_border(border);
    let graph = FlowGraph::new(&mesh, &terrain.height, &outlets, FlowRouting::D8, control)?;
    let filled = &graph.surface;
    let mut areas = mesh.areas();
    accumulate(&graph.receivers, &mut areas, control)?;
    let mut cells = graph.course(grid.owner(from));
    if grid.edges == Edges::Wrap {
        // end the river at the edge of the terrain, which is also the edge of its construction
        let far = |a: usize, b: usize| (a % n).abs_diff(b % n) > 1 || (a / n).abs_diff(b / n) > 1;
        let end = cells.windows(2).position(|pair| far(pair[0], pair[1])).map_or(cells.len(), |k| k + 1);
        cells.truncate(end);
    }
    let cell = settings.size_metres * grid.cell();
    let place = |k: usize| [(k % n) as f32, (k / n) as f32];
    let evened: Vec<StrokePoint> = (0..cells.len())
        .map(|k| {
            // do not move the end points
            let reach = EVENED.min(k).min(cells.len() - 1 - k);
            let near = &cells[k - reach..=k + reach];
            let sum = near.iter().map(|&c| place(c)).fold([0.0; 2], |sum, p| [sum[0] + p[0], sum[1] + p[1]]);
            let [x, y] = sum.map(|sum| sum / near.len() as f32 * cell);
            StrokePoint::new(x, y)
        })
        .collect();
    let most = cells.last().map_or(1.0, |&last| areas[last].max(1.0));
    let mut line = Vec::new();
    let mut next = 0;
    for point in simplified(&evened, cell, TOLERANCE * cell) {
        let Some(k) = (next..evened.len()).find(|&k| evened[k] == point) else { continue };
        next = k + 1;
        let joined = (areas[cells[k]] / most).sqrt();
        line.push(CurvePoint {
            width: SOURCE_WIDTH + (1.0 - SOURCE_WIDTH) * joined,
            depth: SOURCE_WIDTH + (1.0 - SOURCE_WIDTH) * joined,
            ..CurvePoint::new(point.x, point.y, filled[cells[k]] * settings.relief_metres)
        });
    }
    make_downhill(&mut line);
    Ok(line)
}

/// Adds the river in a new layer on top. This layer only lowers the terrain.
fn add(document: &mut Document, line: Vec<CurvePoint>) -> Result<(), talweg::construction::edit::EditError> {
    let scene = document.scene();
    let settings = &scene.settings;
    let frame = Frame { side: settings.size_metres, relief: settings.relief_metres, ..Frame::default() };
    let mut tree = Tree { frame, ..Tree::default() };
    let width = settings.size_metres * WIDTH;
    let node = Construction { cut_out: true, ..Construction::default() };
    let mut layer = Layer::new(Node::Construction(node.clone()), scene.unused_seed());
    add_river(&mut tree, line, width, width * DEPTH, Construction::seed(scene.random(&layer)))?;
    layer.node = Node::Construction(Construction { tree: Arc::new(tree), ..node });
    layer.name = scene.unused_name("River");
    layer.mix.blend = Blend::Min;
    let top = scene.layers.len();
    document.insert("Add river", top, layer);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::eval::{Store, evaluate};

    fn valley() -> (Terrain, Settings) {
        let settings = Settings { size_metres: 8000.0, relief_metres: 1000.0, resolution: 129, ..Settings::default() };
        // the test terrain is a winding valley that descends to the south, into the sea
        let terrain = Terrain::from_fn(129, Edges::Open, |u, v| {
            let middle = 0.5 + 0.15 * (v * 9.0).sin();
            0.6 - 0.7 * v + 0.5 * (u - middle).abs()
        });
        (terrain, settings)
    }

    #[test]
    fn a_river_follows_the_valley_down_to_the_sea() {
        let (terrain, settings) = valley();
        let line = course(&terrain, &settings, 5 * 129 + 40, &Control::default()).unwrap();
        assert!((6..60).contains(&line.len()), "{}", line.len());
        assert!(line.windows(2).all(|pair| pair[1].height < pair[0].height), "{line:?}");
        let last = line.last().unwrap();
        assert!(last.height <= 60.0 && last.width > line[0].width, "{last:?}");
        for point in &line[3..] {
            let (u, v) = (point.at.0 / 8000.0, point.at.1 / 8000.0);
            let middle = 0.5 + 0.15 * (v * 9.0).sin();
            assert!((u - middle).abs() < 0.03, "{u} {v} {middle}");
        }
    }

    #[test]
    fn a_river_layer_only_lowers_terrain_and_has_water() {
        let (terrain, settings) = valley();
        let line = course(&terrain, &settings, 5 * 129 + 40, &Control::default()).unwrap();
        let mut document = Document::default();
        document.edit("Begin", None, |scene| scene.settings = settings);
        document.add_layer(Node::named("Perlin").unwrap());
        let steps = document.edits_done().len();
        let evaluated = |document: &Document| {
            let mut store = Store::forgetful();
            evaluate(document.scene(), 129, None, &mut store, &Control::default()).unwrap().terrain
        };
        let before = evaluated(&document);
        add(&mut document, line).unwrap();
        assert_eq!(document.edits_done().len(), steps + 1, "one step");
        let after = evaluated(&document);
        let changed = before.height.iter().zip(&after.height).filter(|(a, b)| a != b).count();
        assert!(before.height.iter().zip(&after.height).all(|(a, b)| b <= a), "no height increases");
        assert!(changed > 100 && changed < 129 * 129 / 4, "{changed}");
        let water = after.map(talweg::field::MapKind::Water).expect("there is water");
        assert!(water.iter().any(|&depth| depth > 0.0));
    }
}
