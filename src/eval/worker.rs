//! The background thread that evaluates: newest request wins, the last good result stays with its owner.
//!
//! One named thread owns a rayon pool. A request that arrives while another runs stops it, with one exception: while a
//! slider is dragged a running preview is let through, or nothing would ever be seen. Every report carries the revision
//! of its request, so that stale ones can be dropped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::live::{LiveChange, LiveGround, StrokeTarget};
use super::{
    ChangedRegion, Evaluated, LayerMask, MemoryUse, NotEnoughMemory, PREVIEW_SAMPLES, PlaceProbe, Playhead,
    ProcessHistory, Store, check_memory, evaluate, history, is_cached, layer_mask, measure_course, probe,
    scene_beneath, thread_pool, timed_layers,
};
use crate::field::{Cancelled, Control, Terrain};
use crate::measure::{Slopes, slopes};
use crate::nodes::MassBalance;
use crate::nodes::multiscale::{LargestScale, coarser_samples};
use crate::scene::{Layer, Problem, Scene};

/// How good the answer shall be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestQuality {
    /// A small one at once: a slider is being dragged.
    Preview,
    /// A small one at once, then the full size.
    PreviewThenFull,
    /// The full size only: a process is being played or scrubbed.
    Full,
}

/// Lets the process under the playhead run on and reports frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Play {
    /// Iterations per second; `None` is as fast as possible.
    pub speed: Option<f32>,
}

/// What the editor wants to see.
#[derive(Clone, Debug)]
pub struct Request {
    /// Counts the edits; newer requests take the place of older ones.
    pub revision: u64,
    /// What is evaluated.
    pub scene: Arc<Scene>,
    /// Whether previews come first.
    pub quality: RequestQuality,
    /// The iteration of the process that is looked at, if one is.
    pub playhead: Option<Playhead>,
    /// Whether the process plays on from there.
    pub play: Option<Play>,
    /// The process whose course is wanted beside the picture, by index of its layer.
    pub watch: Option<usize>,
    /// The place that is watched: to the east and to the south, from 0 to 1.
    pub place: Option<[f32; 2]>,
    /// The layer whose mask is wanted beside the picture.
    pub mask: Option<usize>,
    /// What a brush is at work on.
    pub stroke: Option<StrokeTarget>,
}

/// What was learnt about a terrain at full size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Insight {
    /// Of the terrain as it is shown.
    pub slopes: Option<Slopes>,
    /// Time of each layer that was computed for it.
    pub costs: Vec<(usize, Duration)>,
    /// Of the process that is watched.
    pub history: Option<ProcessHistory>,
    /// Of the place that is watched.
    pub probe: Option<PlaceProbe>,
}

/// A terrain with what the owner makes of it on the worker's side.
#[derive(Clone, Debug)]
pub struct Output<P> {
    /// Heights and data maps; of a preview fewer samples than the scene has.
    pub terrain: Arc<Terrain>,
    /// What the owner made of it.
    pub prepared: P,
    /// The iteration that it shows, if a process is looked at.
    pub playhead: Option<Playhead>,
    /// The mass balance of that process.
    pub mass_balance: Option<MassBalance>,
    /// Files and layers that could not be used.
    pub problems: Vec<Problem>,
    /// Nothing in a preview.
    pub insight: Arc<Insight>,
    /// Time the evaluation took.
    pub elapsed: Duration,
}

/// What became of a request.
#[derive(Clone, Debug)]
pub enum WorkerReport<P> {
    /// A smaller terrain, while the full one is computed.
    Preview {
        /// Of the request.
        revision: u64,
        /// What was made.
        output: Output<P>,
    },
    /// An iteration of a process that plays.
    Frame {
        /// Of the request.
        revision: u64,
        /// What was made.
        output: Output<P>,
    },
    /// The terrain that was asked for.
    Done {
        /// Of the request.
        revision: u64,
        /// What was made.
        output: Output<P>,
    },
    /// The mask that was asked for.
    Mask {
        /// Of the request.
        revision: u64,
        /// How much it lets through.
        mask: Arc<LayerMask>,
    },
    /// Stopped on request; nothing changed.
    Cancelled {
        /// Of the request.
        revision: u64,
    },
    /// The full size was not begun: there is not enough memory for it.
    Refused {
        /// Of the request.
        revision: u64,
        /// How much is needed, and what fits.
        reason: NotEnoughMemory,
    },
    /// The evaluation broke; this is a defect of the program.
    Failed {
        /// Of the request.
        revision: u64,
        /// What is wrong, in words.
        message: String,
    },
}

struct RunningRequest {
    control: Arc<Control>,
    revision: u64,
    layers: usize,
    preview: bool,
    started: Instant,
}

#[derive(Default)]
struct RequestQueue {
    pending: Option<Request>,
    running: Option<RunningRequest>,
    quit: bool,
}

struct WorkerShared {
    queue: Mutex<RequestQueue>,
    wake_up: Condvar,
    /// A frame is on its way to the owner and not yet taken.
    frame_out: AtomicBool,
}

impl WorkerShared {
    fn queue(&self) -> MutexGuard<'_, RequestQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far the running evaluation is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Status {
    /// Of the request that is being worked on.
    pub revision: u64,
    /// Index of the layer that is being computed.
    pub layer: usize,
    /// Number of layers.
    pub layers: usize,
    /// Share of the present layer that is done.
    pub fraction: f32,
    /// Whether it is the small size.
    pub preview: bool,
    /// Time since the evaluation began.
    pub elapsed: Duration,
}

/// A frame of a playing process covers at most this much of its time, or the picture would stand still and jump.
const LONGEST_STEP_SECONDS: f32 = 1.0 / 15.0;

/// Samples of the first of several previews.
const FIRST_PREVIEW_SAMPLES: usize = 129;

/// See the module.
pub struct Worker<P> {
    shared: Arc<WorkerShared>,
    reports: Receiver<WorkerReport<P>>,
    thread: Option<JoinHandle<()>>,
}

impl<P: Send + 'static> Worker<P> {
    /// Starts the thread. `prepare` runs on it for every terrain before it is reported, and is told of a transient one
    /// in what it differs from an earlier one; `wake` runs after every report.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start(
        threads: usize,
        prepare: impl Fn(&Arc<Terrain>, &Scene, Option<&ChangedRegion>) -> P + Send + 'static,
        wake: impl Fn() + Send + 'static,
    ) -> std::io::Result<Self> {
        let pool = thread_pool(threads).map_err(std::io::Error::other)?;
        let shared = Arc::new(WorkerShared {
            queue: Mutex::default(),
            wake_up: Condvar::new(),
            frame_out: AtomicBool::new(false),
        });
        let (sender, reports) = channel();
        let thread_body = WorkerThread { shared: shared.clone(), sender, prepare, wake };
        let thread = std::thread::Builder::new()
            .name("talweg-worker".into())
            .spawn(move || pool.install(move || thread_body.work()))?;
        Ok(Self { shared, reports, thread: Some(thread) })
    }

    /// Asks for a terrain; older requests are superseded.
    pub fn submit(&self, request: Request) {
        let mut queue = self.shared.queue();
        if let Some(running) = &queue.running {
            let let_through = running.preview && request.quality == RequestQuality::Preview;
            if !let_through {
                running.control.cancel();
            }
        }
        queue.pending = Some(request);
        self.shared.wake_up.notify_all();
    }

    /// Stops what runs and forgets what waits.
    pub fn cancel(&self) {
        let mut queue = self.shared.queue();
        queue.pending = None;
        if let Some(running) = &queue.running {
            running.control.cancel();
        }
        self.shared.wake_up.notify_all();
    }

    /// What runs at the moment.
    pub fn status(&self) -> Option<Status> {
        let queue = self.shared.queue();
        let running = queue.running.as_ref()?;
        let (layer, fraction) = running.control.progress();
        Some(Status {
            revision: running.revision,
            layer,
            layers: running.layers,
            fraction,
            preview: running.preview,
            elapsed: running.started.elapsed(),
        })
    }

    /// Whether anything runs or waits.
    pub fn is_busy(&self) -> bool {
        let queue = self.shared.queue();
        queue.running.is_some() || queue.pending.is_some()
    }

    /// The next report, if there is one.
    pub fn poll(&self) -> Option<WorkerReport<P>> {
        self.taken(self.reports.try_recv().ok())
    }

    /// Waits for the next report.
    pub fn wait(&self, most: Duration) -> Option<WorkerReport<P>> {
        self.taken(self.reports.recv_timeout(most).ok())
    }

    fn taken(&self, report: Option<WorkerReport<P>>) -> Option<WorkerReport<P>> {
        if matches!(report, Some(WorkerReport::Frame { .. })) {
            let _queue = self.shared.queue();
            self.shared.frame_out.store(false, Ordering::Release);
            self.shared.wake_up.notify_all();
        }
        report
    }
}

impl<P> Drop for Worker<P> {
    fn drop(&mut self) {
        {
            let mut queue = self.shared.queue();
            queue.quit = true;
            queue.pending = None;
            if let Some(running) = &queue.running {
                running.control.cancel();
            }
            self.shared.wake_up.notify_all();
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The worker's side.
struct WorkerThread<P, F, W> {
    shared: Arc<WorkerShared>,
    sender: Sender<WorkerReport<P>>,
    prepare: F,
    wake: W,
}

impl<P, F: Fn(&Arc<Terrain>, &Scene, Option<&ChangedRegion>) -> P, W: Fn()> WorkerThread<P, F, W> {
    fn work(&self) {
        let (store, live) = (&mut Store::default(), &mut LiveGround::default());
        while let Some((request, control)) = self.next() {
            let revision = request.revision;
            let result = catch_unwind(AssertUnwindSafe(|| self.serve(&request, &control, store, live)));
            self.shared.queue().running = None;
            match result {
                Ok(Ok(())) => {}
                Ok(Err(Cancelled)) => self.report(WorkerReport::Cancelled { revision }),
                Err(panic) => {
                    (*store, *live) = (Store::default(), LiveGround::default());
                    let message = panic
                        .downcast_ref::<String>()
                        .cloned()
                        .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
                        .unwrap_or_else(|| "unknown panic".into());
                    self.report(WorkerReport::Failed { revision, message });
                }
            }
        }
    }

    /// The next request, already written down as running: from here on a cancel reaches it.
    fn next(&self) -> Option<(Request, Arc<Control>)> {
        let mut queue = self.shared.queue();
        loop {
            if queue.quit {
                return None;
            }
            if let Some(request) = queue.pending.take() {
                let control = Arc::new(Control::default());
                queue.running = Some(RunningRequest {
                    control: control.clone(),
                    revision: request.revision,
                    layers: request.scene.layers.len(),
                    preview: request.quality == RequestQuality::Preview,
                    started: Instant::now(),
                });
                return Some((request, control));
            }
            queue = self.shared.wake_up.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn serve(
        &self,
        request: &Request,
        control: &Control,
        store: &mut Store,
        live: &mut LiveGround,
    ) -> Result<(), Cancelled> {
        let full = request.scene.samples();
        let revision = request.revision;
        match request.stroke.filter(|_| request.quality == RequestQuality::Preview) {
            // the ground follows when the brush is lifted; what lies below the mask is not worth waiting for
            Some(StrokeTarget::Mask(layer)) => {
                let is_known = is_cached(&scene_beneath(&request.scene, layer), full, None, store);
                let samples = if is_known { full } else { PREVIEW_SAMPLES.min(full) };
                return self.report_mask(request, samples, store, control);
            }
            Some(StrokeTarget::Layer(layer)) => {
                if let Some(change) = live.drawn(request, layer, store, control)? {
                    let output = self.live_output(request, &change);
                    self.report(WorkerReport::Preview { revision, output });
                    return Ok(());
                }
            }
            None => {}
        }
        // a small change of a construction needs no small picture
        let at_once = request.playhead.is_none() && store.constructions.reaches_little(&request.scene);
        let refused = check_memory(&request.scene, full, &MemoryUse::EDITOR).err().filter(|_| full > PREVIEW_SAMPLES);
        let small = if at_once && refused.is_none() { full } else { PREVIEW_SAMPLES.min(full) };
        // what is known already needs no preview: undo brings the full size back at once
        let wants_preview = request.quality == RequestQuality::PreviewThenFull
            && small < full
            // after a stroke what is on screen is nearer to the result than a small picture
            && request.stroke.is_none()
            && !is_cached(&request.scene, full, request.playhead, store);
        let previews = match request.quality {
            RequestQuality::Preview => vec![small],
            // what the full size has no memory for its larger levels may have none for either
            _ if wants_preview && refused.is_some() => vec![small],
            _ if wants_preview => previews_on_the_way(&request.scene, small),
            _ => Vec::new(),
        };
        for samples in previews {
            let output = self.evaluate(request, control, samples, request.playhead, store)?;
            self.report(WorkerReport::Preview { revision, output });
        }
        if request.quality == RequestQuality::Preview {
            return self.report_mask(request, small, store, control);
        }
        if let Some(reason) = refused {
            self.report(WorkerReport::Refused { revision, reason });
            return Ok(());
        }
        match (request.play, request.playhead) {
            (Some(play), Some(from)) => self.play(request, control, play, from, store),
            _ => {
                let output = self.evaluate(request, control, full, request.playhead, store)?;
                live.begin(request, &output.terrain);
                self.report(WorkerReport::Done { revision, output });
                self.report_mask(request, full, store, control)
            }
        }
    }

    fn evaluate(
        &self,
        request: &Request,
        control: &Control,
        samples: usize,
        playhead: Option<Playhead>,
        store: &mut Store,
    ) -> Result<Output<P>, Cancelled> {
        let started = Instant::now();
        {
            let mut queue = self.shared.queue();
            let is_full = samples == request.scene.samples();
            if queue.quit || (queue.pending.is_some() && is_full && request.quality != RequestQuality::Preview) {
                return Err(Cancelled); // superseded before it began
            }
            if let Some(running) = &mut queue.running {
                running.preview = !is_full || request.quality == RequestQuality::Preview;
                running.started = started;
            }
        }
        // while something is dragged only the newest counts
        store.transient = request.quality == RequestQuality::Preview;
        let (evaluated, costs) = timed_layers(control, || evaluate(&request.scene, samples, playhead, store, control));
        let transient = std::mem::take(&mut store.transient);
        let Evaluated { terrain, mass_balance, patch, problems, .. } = evaluated?;
        let elapsed = started.elapsed();
        let prepared = (self.prepare)(&terrain, &request.scene, patch.as_ref().filter(|_| transient));
        control.check()?;
        let insight = match samples == request.scene.samples() && !transient {
            true => Arc::new(Insight { costs, ..look_into(request, &terrain, playhead, store, control)? }),
            false => Arc::default(),
        };
        Ok(Output { terrain, prepared, playhead, mass_balance, problems, insight, elapsed })
    }

    /// What the owner gets of ground under a brush.
    fn live_output(&self, request: &Request, change: &LiveChange) -> Output<P> {
        let patch = ChangedRegion { before: change.before.clone(), region: change.region.clone() };
        let prepared = (self.prepare)(&change.terrain, &request.scene, Some(&patch));
        Output {
            terrain: change.terrain.clone(),
            prepared,
            playhead: None,
            mass_balance: None,
            problems: request.scene.problems(),
            insight: Arc::default(),
            elapsed: change.elapsed,
        }
    }

    /// Reports the mask that is wanted, if one is.
    fn report_mask(
        &self,
        request: &Request,
        samples: usize,
        store: &mut Store,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let Some(layer) = request.mask.filter(|&layer| layer < request.scene.layers.len()) else { return Ok(()) };
        store.transient = request.quality == RequestQuality::Preview;
        let mask = layer_mask(&request.scene, layer, samples, store, control);
        store.transient = false;
        self.report(WorkerReport::Mask { revision: request.revision, mask: Arc::new(mask?) });
        Ok(())
    }

    /// Steps through a process at its speed; a frame is only made when the owner has taken the one before. What cannot
    /// keep up with its speed runs as fast as it can, in steps short enough to be seen.
    fn play(
        &self,
        request: &Request,
        control: &Control,
        play: Play,
        from: Playhead,
        store: &mut Store,
    ) -> Result<(), Cancelled> {
        let full = request.scene.samples();
        let end = request.scene.iterations(from.layer).unwrap_or(0);
        let mut at = from.iteration;
        // iterations that are due since the clock was set
        let (mut clock, mut base) = (Instant::now(), at);
        while at < end {
            let mut next = at + 1;
            if let Some(speed) = play.speed {
                let due = base + 1 + (clock.elapsed().as_secs_f32() * speed) as u32;
                if due <= at {
                    let wait = (at - base) as f32 / speed.max(1e-3) - clock.elapsed().as_secs_f32();
                    self.pause(Duration::from_secs_f32(wait.clamp(0.001, 0.25)))?;
                    continue;
                }
                let longest = at + ((speed * LONGEST_STEP_SECONDS) as u32).max(1);
                next = due.min(longest);
                if due > longest {
                    (clock, base) = (Instant::now(), next);
                }
            }
            at = next.min(end);
            let playhead = Some(Playhead { layer: from.layer, iteration: at });
            let output = self.evaluate(request, control, full, playhead, store)?;
            if at == end {
                self.report(WorkerReport::Done { revision: request.revision, output });
                return Ok(());
            }
            self.shared.frame_out.store(true, Ordering::Release);
            self.report(WorkerReport::Frame { revision: request.revision, output });
            while self.shared.frame_out.load(Ordering::Acquire) {
                self.pause(Duration::from_millis(50))?;
            }
        }
        let output = self.evaluate(request, control, full, None, store)?;
        self.report(WorkerReport::Done { revision: request.revision, output });
        Ok(())
    }

    /// Waits for at most `most`, or until something happens at the queue.
    fn pause(&self, most: Duration) -> Result<(), Cancelled> {
        let queue = self.shared.queue();
        let stop = |d: &RequestQueue| {
            d.quit || d.pending.is_some() || d.running.as_ref().is_some_and(|r| r.control.is_cancelled())
        };
        if stop(&queue) {
            return Err(Cancelled);
        }
        let (queue, _) = self.shared.wake_up.wait_timeout(queue, most).unwrap_or_else(PoisonError::into_inner);
        if stop(&queue) { Err(Cancelled) } else { Ok(()) }
    }

    fn report(&self, report: WorkerReport<P>) {
        // the owner may be gone already; then nobody wants the report
        if self.sender.send(report).is_ok() {
            (self.wake)();
        }
    }
}

/// Sizes that are shown before the full one: `small`; where erosions run from coarse to fine, every grid that they pass
/// from [`FIRST_PREVIEW_SAMPLES`] on, as nothing of it is computed twice.
fn previews_on_the_way(scene: &Scene, small: usize) -> Vec<usize> {
    let is_refined = |layer: &Layer| layer.enabled && layer.multiscale().largest != LargestScale::OneGrid;
    if !scene.layers.iter().any(is_refined) {
        return vec![small];
    }
    let mut sizes: Vec<usize> = std::iter::successors(coarser_samples(scene.samples()), |&size| coarser_samples(size))
        .take_while(|&samples| samples >= FIRST_PREVIEW_SAMPLES)
        .collect();
    sizes.reverse();
    if sizes.is_empty() { vec![small] } else { sizes }
}

/// Looks at a terrain at full size, and at the course that led to it.
fn look_into(
    request: &Request,
    terrain: &Arc<Terrain>,
    playhead: Option<Playhead>,
    store: &mut Store,
    control: &Control,
) -> Result<Insight, Cancelled> {
    let (scene, samples) = (&*request.scene, terrain.samples());
    let mut insight = Insight { slopes: Some(slopes(terrain)), ..Insight::default() };
    if let Some(layer) = request.watch {
        measure_course(scene, samples, layer, store, control)?;
        insight.history = history(scene, samples, layer, store);
    }
    if let Some(place) = request.place {
        insight.probe = Some(probe(scene, terrain, playhead, place, request.watch, store, control)?);
    }
    control.check()?;
    Ok(insight)
}
