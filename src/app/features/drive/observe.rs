//! Editor state that scripts wait for and record.

use bevy::prelude::*;
use serde_json::json;

use crate::features::benchmark::panel::BenchState;
use crate::features::construction::list::TreeState;
use crate::frame::editor::Editor;
use crate::frame::evaluation::EvaluationClient;
use crate::frame::tasks::Tasks;
use crate::frame::window::FrameCost;
use crate::view::globe::PlannedScenery;
use crate::view::{FrameStatus, GlobeCamera, ViewCamera, ViewState, ViewportArea};

/// The editor state that the driver needs.
#[derive(Resource, Default)]
pub struct Observed {
    /// Whether a computation, animation, upload or request is in progress.
    pub busy: bool,
    /// Iteration under the playhead.
    pub iteration: u32,
    /// Rectangle of the 3D view that no panel covers, in points.
    pub view: Rect,
    /// The editor state as JSON, which the step `State` writes.
    pub state: serde_json::Value,
}

/// The camera of a planet as JSON: position, distance from the centre, heading and inclination, in degrees and metres.
fn globe_state(camera: &GlobeCamera) -> serde_json::Value {
    let (pose, up) = (camera.pose, camera.pose.up_vector());
    let [latitude, longitude] = [up.z.asin(), up.y.atan2(up.x)].map(f64::to_degrees);
    json!({
        "latitude": latitude,
        "longitude": longitude,
        "radius": pose.radius,
        "heading": pose.heading().to_degrees(),
        "pitch": pose.pitch.to_degrees(),
        "map": [camera.map.longitude.to_degrees(), camera.map.latitude.to_degrees(), camera.map.radians_per_pixel],
    })
}

/// The selected piece as JSON, for the step `State`.
fn piece_state(editor: &Editor, pieces: &TreeState) -> serde_json::Value {
    let tree = editor.doc.tree().map(|(_, tree)| tree);
    let (Some(tree), Some(path)) = (tree, pieces.selected()) else { return serde_json::Value::Null };
    let Some(piece) = path.piece(tree) else { return serde_json::Value::Null };
    json!({
        "title": piece.title(),
        "pieces": tree.count(),
        "point": pieces.point,
        "points": talweg::construction::edit::points::handles(piece),
        "centre": talweg::construction::edit::pick_index::centre(tree, path),
    })
}

/// The Bevy resources of the terrain view and of the planet view.
type Seen<'w> = (
    Res<'w, ViewCamera>,
    Res<'w, ViewportArea>,
    Res<'w, ViewState>,
    Res<'w, FrameStatus>,
    Res<'w, GlobeCamera>,
    Res<'w, PlannedScenery>,
);

/// Updates the editor state that the driver reads.
pub fn observe(
    mut observed: ResMut<Observed>,
    mut evaluation: ResMut<EvaluationClient>,
    tasks: Res<Tasks>,
    editor: Res<Editor>,
    (pieces, bench): (Res<TreeState>, Res<BenchState>),
    view: Seen,
    cost: Res<FrameCost>,
) {
    let (camera, area, view_state, frame_status, globe, planned) = view;
    let doc = &editor.doc;
    let current = view_state.serial();
    let samples = evaluation.terrain.as_ref().map_or(0, |t| t.samples());
    observed.busy = evaluation.is_busy()
        || tasks.is_busy()
        || tasks.is_timing()
        || camera.is_gliding()
        || globe.is_gliding()
        || planned.0.iter().flatten().any(|scenery| scenery.projection != editor.view.projection)
        || current == 0
        || !frame_status.is_current(&view_state)
        || samples != doc.scene().samples();
    observed.iteration = doc.iteration();
    observed.view = Rect { min: area.min, max: area.max };
    let pose = camera.pose;
    observed.state = json!({
        "title": doc.title(),
        "dirty": doc.is_dirty(),
        "undo": doc.undo_label(),
        "piece": piece_state(&editor, &pieces),
        "layers": doc.scene().layers.iter().map(|l| l.name.as_str()).collect::<Vec<_>>(),
        "samples": samples,
        "iteration": doc.iteration(),
        "view": [area.min.x, area.min.y, area.max.x, area.max.y],
        "camera": [pose.eye_world.x, pose.eye_world.y, pose.eye_world.z, pose.yaw, pose.pitch],
        "globe": globe_state(&globe),
        "messages": editor.toasts.messages().map(|(_, text)| text).collect::<Vec<_>>(),
        "longest_frame_ms": cost.longest("frame").as_secs_f64() * 1000.0,
        "longest_main_thread_ms": cost.longest("main thread").as_secs_f64() * 1000.0,
        "longest_receive_ms": cost.longest("receive").as_secs_f64() * 1000.0,
        "longest_panels_ms": cost.longest("panels").as_secs_f64() * 1000.0,
        "longest_compare_ms": cost.longest("compare").as_secs_f64() * 1000.0,
        "longest_variants_ms": cost.longest("variants").as_secs_f64() * 1000.0,
        "longest_bench_ms": bench.longest().as_secs_f64() * 1000.0,
        "mean_bench_ms": bench.mean().as_secs_f64() * 1000.0,
        "longest_measure_ms": cost.longest("measure").as_secs_f64() * 1000.0,
        "beside_bytes": frame_status.compared_bytes(),
    });
    if !observed.busy
        && let Some(terrain) = &evaluation.terrain
    {
        observed.state["hash"] = json!(format!("{:032x}", terrain.hash()));
    }
}
