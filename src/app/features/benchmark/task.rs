//! Runs the benchmark while the editor stays usable. [`talweg::benchmark::bench`] runs on a thread of its own, with a
//! stop flag.
//!
//! ```text
//! BenchRequest::Run ──▶ job ──▶ Report: the results, with the texts of table and findings ready to be drawn
//! ```
//! Only one benchmark runs at a time, because two benchmarks would distort each other's times. A stopped benchmark must
//! end before the next one starts. The previous results stay on screen until new results are available.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy::window::RequestRedraw;

use crate::features::benchmark::panel::BenchState;
use crate::frame::editor::Editor;
use crate::frame::evaluation::EvaluationClient;
use crate::frame::status::{Activity, StatusInfo};
use crate::frame::tasks::{Outcome, Task, Tasks};
use talweg::benchmark::summary::{Report, threads};
use talweg::benchmark::{BenchError, BenchPlan, BenchProgress, BenchSubject, Machine, NodeSubject, bench};
use talweg::nodes::Node;

/// The measurements that a benchmark makes.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchOrder {
    /// Nodes to measure, each with its name in the results.
    pub subjects: Vec<(String, Node)>,
    pub plan: BenchPlan,
}

/// A request to the benchmark.
#[derive(Message, Clone, Debug, PartialEq)]
pub enum BenchRequest {
    Run(BenchOrder),
    Stop,
}

/// The data of the benchmark that the panels show.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub struct BenchInfo {
    pub underway: Option<Underway>,
    pub report: Option<Arc<Report>>,
    /// Why the last benchmark failed.
    pub failure: Option<String>,
}

/// A running benchmark.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Underway {
    /// Completed fraction of the benchmark, from 0 to 1.
    pub fraction: f32,
    /// Description of the measurement in progress.
    pub now: String,
    pub elapsed: Duration,
    /// Whether a stop was requested while the benchmark still runs.
    pub is_stopping: bool,
}

struct RunningBench {
    task: Task<Result<Report, BenchError>>,
    at: Arc<Mutex<Option<BenchProgress>>>,
    was_disturbed: Arc<AtomicBool>,
    begun: Instant,
}

/// The benchmark that runs on a background thread, if any, and its last results.
#[derive(Resource, Default)]
pub struct BenchTask {
    running: Option<RunningBench>,
    report: Option<Arc<Report>>,
    failure: Option<String>,
}

/// The way in which a benchmark ended: finished, stopped or failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Found,
    Stopped,
    Failed,
}

impl BenchTask {
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Starts or stops a benchmark. Does not start a benchmark while another one runs.
    ///
    /// # Errors
    /// When the system refuses to start a thread.
    pub fn handle_request(&mut self, ask: BenchRequest, tasks: &Tasks) -> std::io::Result<()> {
        match (ask, &self.running) {
            (BenchRequest::Stop, Some(running)) => running.task.control().cancel(),
            (BenchRequest::Run(order), None) => {
                self.failure = None;
                self.running = Some(RunningBench::start(order, tasks)?);
            }
            (BenchRequest::Stop, None) | (BenchRequest::Run(_), Some(_)) => {}
        }
        Ok(())
    }

    /// Takes the result if the benchmark has ended.
    pub fn receive(&mut self) -> Option<Ending> {
        let outcome = self.running.as_mut()?.task.outcome();
        if matches!(outcome, Outcome::Running) {
            return None;
        }
        self.running = None;
        match outcome {
            Outcome::Done(Ok(report)) => {
                self.report = Some(Arc::new(report));
                Some(Ending::Found)
            }
            Outcome::Running | Outcome::Done(Err(BenchError::Cancelled)) => Some(Ending::Stopped),
            Outcome::Done(Err(error)) => {
                self.failure = Some(format!("The benchmark failed: {error}."));
                Some(Ending::Failed)
            }
            Outcome::Panicked => {
                self.failure = Some("The benchmark crashed. This is a bug in Talweg; please report it.".into());
                Some(Ending::Failed)
            }
        }
    }

    /// Records that other work ran during the measurement and may have distorted it.
    pub fn note_disturbance(&self) {
        if let Some(running) = &self.running {
            running.was_disturbed.store(true, Ordering::Relaxed);
        }
    }

    pub fn info(&self) -> BenchInfo {
        BenchInfo {
            underway: self.running.as_ref().map(RunningBench::underway),
            report: self.report.clone(),
            failure: self.failure.clone(),
        }
    }
}

impl RunningBench {
    fn start(order: BenchOrder, tasks: &Tasks) -> std::io::Result<Self> {
        let (at, was_disturbed) = (Arc::new(Mutex::new(None)), Arc::new(AtomicBool::new(false)));
        let (told, disturbed) = (at.clone(), was_disturbed.clone());
        let task = tasks.start_timing("bench", move |control| {
            let nodes: Vec<NodeSubject> =
                order.subjects.into_iter().map(|(name, node)| NodeSubject::called(name, node)).collect();
            let subjects: Vec<&dyn BenchSubject> = nodes.iter().map(|subject| subject as &dyn BenchSubject).collect();
            let mut tell = |progress: &BenchProgress| {
                *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
            };
            let found = bench(&subjects, &order.plan, &Machine::new(), control, &mut tell)?;
            Ok(Report::new(found, disturbed.load(Ordering::Relaxed)))
        })?;
        Ok(Self { task, at, was_disturbed, begun: Instant::now() })
    }

    fn underway(&self) -> Underway {
        let at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        let now = at.as_ref().map_or_else(
            || "Preparing the test terrains".into(),
            |at| format!("{}, {}², {}", at.subject, at.samples, threads(at.threads)),
        );
        Underway {
            fraction: at.as_ref().map_or(0.0, |at| at.fraction),
            now,
            elapsed: self.begun.elapsed(),
            is_stopping: self.task.control().is_cancelled(),
        }
    }
}

/// Takes the results of the benchmark and records disturbances by other work.
pub(super) fn advance(
    mut task: ResMut<BenchTask>,
    mut evaluation: ResMut<EvaluationClient>,
    tasks: Res<Tasks>,
    state: Res<BenchState>,
    mut editor: ResMut<Editor>,
    mut redraw: MessageWriter<RequestRedraw>,
) {
    if !task.is_running() {
        return;
    }
    if evaluation.is_busy() || tasks.is_busy() {
        task.note_disturbance();
    }
    let Some(ending) = task.receive() else { return };
    if ending == Ending::Found && !state.is_open() {
        editor.toasts.info("Benchmark finished. See Tools > Benchmark… for the results.");
    }
    redraw.write(RequestRedraw);
}

/// Updates the data that the panels show.
pub(super) fn update_info(task: Res<BenchTask>, mut info: ResMut<BenchInfo>, mut status: ResMut<StatusInfo>) {
    *info = task.info();
    if let Some(underway) = &info.underway {
        let text = format!("Benchmark {:.0} %: using the editor now distorts the times", underway.fraction * 100.0);
        status.activities.push(Activity { text, done: None });
    }
}

/// Executes the requests that the panels sent to the benchmark.
pub(super) fn obey(
    mut asks: ResMut<Messages<BenchRequest>>,
    mut task: ResMut<BenchTask>,
    mut editor: ResMut<Editor>,
    tasks: Res<Tasks>,
) {
    for ask in asks.drain() {
        if let Err(error) = task.handle_request(ask, &tasks) {
            editor.toasts.error(format!("The benchmark could not start: {error}."));
        }
    }
}
