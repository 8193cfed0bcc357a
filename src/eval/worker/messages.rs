//! The requests of the editor, and the reports that answer them.

use std::sync::Arc;
use std::time::Duration;

use crate::eval::live::StrokeTarget;
use crate::eval::{LayerMask, NotEnoughMemory, Playhead, PositionProbe, ProcessHistory};
use crate::field::Terrain;
use crate::measure::Slopes;
use crate::nodes::MassBalance;
use crate::scene::{Problem, Scene};

/// Requested quality of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestQuality {
    /// A quick preview only, used while the user drags a slider.
    Preview,
    /// A quick preview first, then the full size.
    PreviewThenFull,
    /// The full size only, used while the user plays or scrubs a process.
    Full,
}

/// Makes the process under the playhead continue and report its terrain frame by frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Play {
    /// Iterations per second; `None` means as fast as possible.
    pub speed: Option<f32>,
}

/// A request of the editor.
#[derive(Clone, Debug)]
pub struct Request {
    /// Number of the edit; newer requests replace older ones.
    pub revision: u64,
    /// The scene to evaluate.
    pub scene: Arc<Scene>,
    /// Whether previews are computed and reported before the full size.
    pub quality: RequestQuality,
    /// The iteration of the process to show, if any.
    pub playhead: Option<Playhead>,
    /// Speed at which the process continues from the playhead; `None` if it does not play.
    pub play: Option<Play>,
    /// Index of the process layer whose history is also requested.
    pub history_layer: Option<usize>,
    /// The position to probe, as fractions from 0 to 1 of the terrain's side, towards the east and the south.
    pub place: Option<[f32; 2]>,
    /// Index of the layer whose mask is also requested.
    pub mask: Option<usize>,
    /// The target of the brush stroke in progress.
    pub stroke: Option<StrokeTarget>,
}

/// Extra information about a terrain at full size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Insight {
    /// Slopes of the shown terrain.
    pub slopes: Option<Slopes>,
    /// Computation times of the layers that were computed for this terrain, by layer index.
    pub costs: Vec<(usize, Duration)>,
    /// History of the watched process.
    pub history: Option<ProcessHistory>,
    /// Heights at the probed position.
    pub probe: Option<PositionProbe>,
}

/// A terrain, together with data that the owner of the worker prepares from it on the worker thread.
#[derive(Clone, Debug)]
pub struct Output<P> {
    /// Heights and data maps; a preview has fewer samples than the scene.
    pub terrain: Arc<Terrain>,
    /// The data that the owner of the worker prepared.
    pub prepared: P,
    /// The iteration that the terrain shows, if a playhead is set.
    pub playhead: Option<Playhead>,
    /// The mass balance of the process under the playhead.
    pub mass_balance: Option<MassBalance>,
    /// Files and layers that could not be used.
    pub problems: Vec<Problem>,
    /// Extra information; empty in a preview.
    pub insight: Arc<Insight>,
    /// Duration of the evaluation.
    pub elapsed: Duration,
}

/// The outcome of a request.
#[derive(Clone, Debug)]
pub enum WorkerReport<P> {
    /// A smaller terrain to show while the full one is computed.
    Preview {
        /// Revision of the request.
        revision: u64,
        /// The preview.
        output: Output<P>,
    },
    /// An iteration of a playing process.
    Frame {
        /// Revision of the request.
        revision: u64,
        /// The terrain after the iteration.
        output: Output<P>,
    },
    /// The requested terrain.
    Done {
        /// Revision of the request.
        revision: u64,
        /// The terrain at full size.
        output: Output<P>,
    },
    /// The requested mask.
    Mask {
        /// Revision of the request.
        revision: u64,
        /// The weights of the mask.
        mask: Arc<LayerMask>,
    },
    /// The evaluation was stopped on request; no terrain changed.
    Cancelled {
        /// Revision of the request.
        revision: u64,
    },
    /// The full size was not evaluated, because there is not enough memory for it.
    Refused {
        /// Revision of the request.
        revision: u64,
        /// The required memory, and the size that fits.
        reason: NotEnoughMemory,
    },
    /// The evaluation panicked; this is a defect of Talweg.
    Failed {
        /// Revision of the request.
        revision: u64,
        /// The panic message.
        message: String,
    },
}

/// Progress of the running evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Status {
    /// Revision of the running request.
    pub revision: u64,
    /// Index of the layer being computed.
    pub layer: usize,
    /// Number of layers.
    pub layers: usize,
    /// Finished fraction of the current layer.
    pub fraction: f32,
    /// Whether a preview is being computed.
    pub preview: bool,
    /// Time since the evaluation began.
    pub elapsed: Duration,
}
