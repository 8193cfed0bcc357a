//! Live terrain during a brush stroke: only the painted layer is computed at full size. The layers above are computed
//! when the user lifts the brush.
//!
//! During the stroke, the view shows the last result of the whole stack, plus the height change of the painted layer
//! since that result. If no layer is above the painted layer, the shown terrain is the exact result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::worker::Request;
use super::{Store, changed_samples, evaluate, is_cached, scene_up_to};
use crate::field::{Cancelled, Control, Region, Terrain};
use crate::nodes::Node;
use crate::scene::Scene;

/// The part of a scene that brush strokes edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrokeTarget {
    /// The terrain or a painted map of the layer with this index.
    Layer(usize),
    /// The mask of the layer with this index.
    Mask(usize),
}

impl StrokeTarget {
    /// Index of the edited layer.
    pub fn layer(self) -> usize {
        match self {
            Self::Layer(layer) | Self::Mask(layer) => layer,
        }
    }
}

/// The state needed to show strokes while they are drawn.
#[derive(Default)]
pub(super) struct LiveGround {
    /// The last result of the whole stack, with the scene that was evaluated.
    done: Option<(Arc<Scene>, Arc<Terrain>)>,
    stroke: Option<StrokeState>,
}

/// The state of the terrain during a stroke.
struct StrokeState {
    layer: usize,
    /// Result of the painted layer when the whole stack was last evaluated.
    base: Arc<Terrain>,
    /// Latest result of the painted layer.
    layer_result: Arc<Terrain>,
    /// The terrain shown last.
    shown: Arc<Terrain>,
}

/// The change made by one brush movement.
pub(super) struct LiveChange {
    /// The terrain to show.
    pub terrain: Arc<Terrain>,
    /// The terrain shown before.
    pub before: Arc<Terrain>,
    /// The region in which the two terrains differ.
    pub region: Region,
    /// Computation time of the change.
    pub elapsed: Duration,
}

impl LiveGround {
    /// Makes `terrain`, the result of `request`, the starting point of later strokes.
    pub fn restart(&mut self, request: &Request, terrain: &Arc<Terrain>) {
        let is_whole = request.playhead.is_none();
        *self = Self { done: is_whole.then(|| (request.scene.clone(), terrain.clone())), stroke: None };
    }

    /// The terrain to show for a request whose layer is being painted. `None` if the layers below would have to be
    /// computed; the caller must then evaluate the request like any other.
    ///
    /// # Errors
    /// If the computation was cancelled.
    pub fn stroke_update(
        &mut self,
        request: &Request,
        layer: usize,
        store: &mut Store,
        control: &Control,
    ) -> Result<Option<LiveChange>, Cancelled> {
        let (started, scene) = (Instant::now(), &*request.scene);
        let full = scene.samples();
        let Some((before, done)) = self.done.as_ref().filter(|(before, _)| differ_by_strokes(before, scene, layer))
        else {
            return Ok(None);
        };
        if request.playhead.is_some() || done.samples() != full {
            return Ok(None);
        }
        let mut drawn = match self.stroke.take().filter(|drawn| drawn.layer == layer) {
            Some(drawn) => drawn,
            None => {
                let before = scene_up_to(before, layer);
                if !is_cached(&before, full, None, store) {
                    return Ok(None);
                }
                let base = evaluate(&before, full, None, store, control)?.terrain;
                StrokeState { layer, layer_result: base.clone(), base, shown: done.clone() }
            }
        };
        (store.transient, store.strokes.is_drawing) = (true, true);
        let made = evaluate(&scene_up_to(scene, layer), full, None, store, control);
        (store.transient, store.strokes.is_drawing) = (false, false);
        let made = made?.terrain;
        let region = changed_samples(made.grid, &drawn.layer_result.height, &made.height);
        let is_topmost = scene.layers[layer + 1..].iter().all(|above| !above.enabled);
        let terrain = match is_topmost {
            true => made.clone(),
            false => Arc::new(with_layer_change(&drawn.shown, done, &drawn.base, &made, &region)),
        };
        let before = std::mem::replace(&mut drawn.shown, terrain.clone());
        drawn.layer_result = made;
        self.stroke = Some(drawn);
        Ok(Some(LiveChange { terrain, before, region, elapsed: started.elapsed() }))
    }
}

/// Whether two scenes differ only in the strokes of a layer that sculpts the terrain.
fn differ_by_strokes(a: &Scene, b: &Scene, layer: usize) -> bool {
    let Some(Node::Sculpt(_)) = b.layers.get(layer).filter(|layer| layer.enabled).map(|layer| &layer.node) else {
        return false;
    };
    a.layers.len() == b.layers.len() && a.with_node(layer, &b.layers[layer].node) == *b
}

/// Returns `shown` with new heights in the region: those of `done` plus the change from `base` to `made`.
fn with_layer_change(shown: &Terrain, done: &Terrain, base: &Terrain, made: &Terrain, region: &Region) -> Terrain {
    let (mut terrain, n) = (shown.clone(), shown.samples());
    for row in region.rows.clone() {
        for k in row * n + region.columns.start..row * n + region.columns.end {
            terrain.height[k] = done.height[k] + (made.height[k] - base.height[k]);
        }
    }
    terrain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brush::{Brush, Stroke, StrokePoint, Strokes};
    use crate::eval::{RequestQuality, StrokeTarget};
    use crate::nodes::sculpt::ground::Sculpt;
    use crate::scene::Layer;

    fn request(points: usize, above: Option<&str>) -> Request {
        let mut scene = Scene::default();
        scene.settings.resolution = 257;
        let path: Vec<_> = (0..points).map(|k| StrokePoint::new(1000.0 + 200.0 * k as f32, 1500.0)).collect();
        let brush = Brush { radius: 300.0, ..Brush::default() };
        let strokes: Strokes = [Stroke::new(brush, path)].into_iter().collect();
        let sculpt = Node::Sculpt(Sculpt { strokes: Arc::new(strokes) });
        let nodes = [Node::named("Perlin"), Some(sculpt), above.and_then(Node::named)];
        scene.layers = nodes.into_iter().flatten().map(|node| Layer::new(node, 1)).collect();
        Request {
            revision: points as u64,
            scene: Arc::new(scene),
            quality: RequestQuality::Preview,
            playhead: None,
            play: None,
            history_layer: None,
            place: None,
            mask: None,
            stroke: Some(StrokeTarget::Layer(1)),
        }
    }

    #[test]
    fn the_picture_changes_only_under_the_brush() {
        let control = Control::default();
        for above in [None, Some("Thermal")] {
            let (mut live, mut store) = (LiveGround::default(), Store::default());
            let whole = |request: &Request, store: &mut Store| {
                evaluate(&request.scene, 257, None, store, &control).unwrap().terrain
            };
            assert!(
                live.stroke_update(&request(1, above), 1, &mut store, &control).unwrap().is_none(),
                "no result is cached"
            );
            let done = whole(&request(1, above), &mut store);
            live.restart(&request(1, above), &done);
            let mut shown = done;
            for points in 2..6 {
                let drawn = request(points, above);
                let change =
                    live.stroke_update(&drawn, 1, &mut store, &control).unwrap().expect("all layers below are cached");
                assert!(Arc::ptr_eq(&change.before, &shown));
                let differs = changed_samples(shown.grid, &shown.height, &change.terrain.height);
                assert_eq!(change.region, differs);
                assert!(!differs.is_empty() && differs.len() < 257 * 257 / 4, "{differs:?}");
                if above.is_none() {
                    assert_eq!(change.terrain, whole(&drawn, &mut Store::forgetful()));
                }
                shown = change.terrain;
            }
            // After a change that is not a stroke, the whole stack must be evaluated.
            let mut other = request(6, above);
            Arc::make_mut(&mut other.scene).layers[0].seed = 9;
            assert!(live.stroke_update(&other, 1, &mut store, &control).unwrap().is_none());
        }
    }
}
