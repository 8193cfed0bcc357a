//! Background work: every task runs on a thread of its own with a stop flag, and the main thread takes its result.
//!
//! ```text
//! Tasks::start ──▶ thread: work(&Control) ──▶ result, and the window is woken
//!       └── Task ── outcome() once a frame ──▶ Running | Done(result) | Panicked
//! ```
//! Dropping a [`Task`] stops it. [`Newest`] runs only the newest request. [`SingleTask`] allows one task at a time. The
//! window draws at a reduced rate while any task runs ([`Tasks::is_busy`]). While a task measures run times, the window
//! draws even less often ([`Tasks::is_timing`]).
//!
//! Two kinds of work keep threads of their own, because they do not end with a single result. The worker of `eval`
//! keeps its cache and timelines across requests and reports many times. The thumbnail service of `variants` shares a
//! few threads among many small evaluations. The command line and the tests use the worker and the service without a
//! window.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::Resource;

use crate::view::Waker;
use talweg::export::ExportError;
use talweg::field::{Cancelled, Control};
use talweg::timelapse::FilmError;

/// Starts tasks and knows whether any task is running. Without a [`Waker`], as in tests, `start` returns only after the
/// task has ended.
#[derive(Resource, Clone, Default)]
pub struct Tasks {
    waker: Option<Waker>,
    counts: Arc<Counts>,
}

/// Number of all running tasks, and number of tasks that measure run times.
#[derive(Debug, Default)]
struct Counts {
    working: AtomicUsize,
    timing: AtomicUsize,
}

/// A guard. While it exists, the window counts as busy or as measuring run times.
#[derive(Debug)]
pub struct Busy {
    counts: Arc<Counts>,
    which: fn(&Counts) -> &AtomicUsize,
}

impl Busy {
    fn new(counts: &Arc<Counts>, which: fn(&Counts) -> &AtomicUsize) -> Self {
        which(counts).fetch_add(1, Ordering::Relaxed);
        Self { counts: counts.clone(), which }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        (self.which)(&self.counts).fetch_sub(1, Ordering::Relaxed);
    }
}

impl Tasks {
    /// Creates a task starter whose tasks wake the window when they end.
    pub fn new(waker: Waker) -> Self {
        Self { waker: Some(waker), ..Self::default() }
    }

    /// Starts `work` on a thread named after `name`.
    ///
    /// # Errors
    /// When the system refuses to start a thread.
    pub fn start<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Control) -> T + Send + 'static,
    ) -> std::io::Result<Task<T>> {
        Task::start(name, self.waker.clone(), self.busy(), work)
    }

    /// Like `start`, for work that measures run times. Drawing would distort its measurements.
    ///
    /// # Errors
    /// When the system refuses to start a thread.
    pub fn start_timing<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Control) -> T + Send + 'static,
    ) -> std::io::Result<Task<T>> {
        Task::start(name, self.waker.clone(), Busy::new(&self.counts, |counts| &counts.timing), work)
    }

    /// Marks the window as busy until the returned guard is dropped. Use it for work that starts later.
    pub fn busy(&self) -> Busy {
        Busy::new(&self.counts, |counts| &counts.working)
    }

    /// Whether a task runs or waits to start.
    pub fn is_busy(&self) -> bool {
        self.counts.working.load(Ordering::Relaxed) > 0
    }

    /// Whether a run time is being measured.
    pub fn is_timing(&self) -> bool {
        self.counts.timing.load(Ordering::Relaxed) > 0
    }
}

/// A computation on a thread of its own. Dropping the `Task` stops the computation.
pub struct Task<T> {
    control: Arc<Control>,
    done: Mutex<Receiver<T>>,
    _busy: Busy,
}

/// The state or result of a [`Task`].
pub enum Outcome<T> {
    Running,
    Done(T),
    /// The thread of the task panicked.
    Panicked,
}

impl<T: Send + 'static> Task<T> {
    fn start(
        name: &str,
        waker: Option<Waker>,
        busy: Busy,
        work: impl FnOnce(&Control) -> T + Send + 'static,
    ) -> std::io::Result<Self> {
        let control = Arc::new(Control::default());
        let (sender, done) = channel();
        let stop = control.clone();
        match waker {
            None => drop(sender.send(work(&stop))),
            Some(waker) => {
                std::thread::Builder::new().name(format!("talweg-{name}")).spawn(move || {
                    // a panic must wake the window as well
                    let _wake = WakeOnDrop(waker);
                    // the owner may have dropped the task
                    let _ = sender.send(work(&stop));
                })?;
            }
        }
        Ok(Self { control, done: Mutex::new(done), _busy: busy })
    }

    /// The stop flag and progress of the task.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Returns the result if the task has ended. The result is returned only once.
    pub fn outcome(&mut self) -> Outcome<T> {
        match self.done.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv() {
            Ok(done) => Outcome::Done(done),
            Err(TryRecvError::Empty) => Outcome::Running,
            Err(TryRecvError::Disconnected) => Outcome::Panicked,
        }
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.control.cancel();
    }
}

struct WakeOnDrop(Waker);

impl Drop for WakeOnDrop {
    fn drop(&mut self) {
        self.0.wake();
    }
}

/// The task of the newest request, and the last finished result. The task returns `None` if it was stopped or failed.
pub struct Newest<K, T> {
    running: Option<(K, Task<Option<T>>)>,
    done: Option<(K, T)>,
}

impl<K, T> Default for Newest<K, T> {
    fn default() -> Self {
        Self { running: None, done: None }
    }
}

impl<K, T: Send + 'static> Newest<K, T> {
    /// The key of the running request.
    pub fn running(&self) -> Option<&K> {
        self.running.as_ref().map(|(of, _)| of)
    }

    /// The last result, with the key of the request that it belongs to.
    pub fn done(&self) -> Option<&(K, T)> {
        self.done.as_ref()
    }

    /// Replaces the running task by `task`, which computes the result of request `of`. If the thread of `task` could
    /// not be started, no task runs.
    pub fn start(&mut self, of: K, task: std::io::Result<Task<Option<T>>>) {
        self.running = task.ok().map(|task| (of, task));
    }

    /// Stops the running task and keeps the last result.
    pub fn stop(&mut self) {
        self.running = None;
    }

    /// Takes the result of the running task if it has finished. Returns whether there is a new result.
    pub fn receive(&mut self) -> bool {
        let outcome = self.running.as_mut().map(|(_, task)| task.outcome());
        match outcome {
            None | Some(Outcome::Running) => false,
            Some(Outcome::Done(Some(result))) => {
                self.done = self.running.take().map(|(of, _)| (of, result));
                true
            }
            Some(Outcome::Done(None) | Outcome::Panicked) => {
                self.running = None;
                false
            }
        }
    }

    /// Removes and returns the last result.
    pub fn take(&mut self) -> Option<(K, T)> {
        self.done.take()
    }
}

/// Background work on a scene, such as an export, with data that describes the work. Only one task runs at a time.
pub struct SingleTask<I, T> {
    running: Option<SceneTask<I, T>>,
}

struct SceneTask<I, T> {
    about: I,
    /// Number of layers of the scene. The progress is the fraction of these layers that is evaluated.
    layers: usize,
    task: Task<anyhow::Result<T>>,
}

impl<I, T> Default for SingleTask<I, T> {
    fn default() -> Self {
        Self { running: None }
    }
}

impl<I, T: Send + 'static> SingleTask<I, T> {
    /// Starts `work` on a scene with `layers` layers.
    ///
    /// # Errors
    /// If work is already running, or if the system refuses to start a thread.
    pub fn start(
        &mut self,
        tasks: &Tasks,
        name: &str,
        (about, layers): (I, usize),
        work: impl FnOnce(&Control) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<()> {
        anyhow::ensure!(!self.is_running(), "another {name} is still running; wait for it, or press Esc to stop it");
        let task = tasks.start(name, work)?;
        self.running = Some(SceneTask { about, layers, task });
        Ok(())
    }

    /// Stops the running work, which then ends with an error.
    pub fn cancel(&self) {
        if let Some(running) = &self.running {
            running.task.control().cancel();
        }
    }

    /// Whether the work is running.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// The data that describes the running work, and the fraction of the layers that is evaluated.
    pub fn progress(&self) -> Option<(&I, f32)> {
        let SceneTask { about, layers, task } = self.running.as_ref()?;
        let (layer, fraction) = task.control().progress();
        Some((about, (layer as f32 + fraction) / (*layers).max(1) as f32))
    }

    /// Returns the result of the work after it has ended. The result is returned only once.
    pub fn ended(&mut self) -> Option<anyhow::Result<T>> {
        let ending = match self.running.as_mut()?.task.outcome() {
            Outcome::Running => return None,
            Outcome::Done(ending) => ending,
            Outcome::Panicked => {
                Err(anyhow::anyhow!("the evaluation crashed; this is a bug in Talweg, please report it"))
            }
        };
        self.running = None;
        let stopped = |error: anyhow::Error| match is_cancelled(&error) {
            true => anyhow::Error::new(Cancelled).context("you stopped it"),
            false => error,
        };
        Some(ending.map_err(stopped))
    }
}

/// Whether work ended because it was cancelled.
fn is_cancelled(error: &anyhow::Error) -> bool {
    error.is::<Cancelled>()
        || matches!(error.downcast_ref(), Some(ExportError::Cancelled(_)))
        || matches!(error.downcast_ref(), Some(FilmError::Cancelled(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_cancelling_is_told_from_an_error() {
        let errors: [anyhow::Error; 3] =
            [Cancelled.into(), ExportError::Cancelled(Cancelled).into(), FilmError::Cancelled(Cancelled).into()];
        assert!(errors.iter().all(is_cancelled));
        assert!(!is_cancelled(&anyhow::anyhow!("the disk is full")));
    }

    #[test]
    fn tasks_are_busy_until_their_result_is_taken() {
        let (sender, woken) = channel();
        let sender = Mutex::new(sender);
        let tasks = Tasks::new(Waker::new(move || {
            let _ = sender.lock().map(|sender| sender.send(()));
        }));
        assert!(!tasks.is_busy());
        let mut newest = Newest::default();
        newest.start(1, tasks.start("test", |_| Some(11)));
        assert!(tasks.is_busy() && !tasks.is_timing() && newest.running() == Some(&1));
        woken.recv_timeout(std::time::Duration::from_secs(60)).expect("the window wakes up");
        assert!(newest.receive() && newest.done() == Some(&(1, 11)));
        assert!(!tasks.is_busy());
        let task = tasks.start_timing("test", |control| control.check()).unwrap();
        assert!(tasks.is_timing() && !tasks.is_busy());
        drop(task);
        assert!(!tasks.is_timing());
    }

    #[test]
    fn a_task_without_a_waker_ends_at_once_and_may_fail() {
        let tasks = Tasks::default();
        let mut newest: Newest<u8, u8> = Newest::default();
        newest.start(1, tasks.start("test", |_| Some(7)));
        assert!(newest.receive());
        newest.start(2, tasks.start("test", |_| None));
        assert!(!newest.receive() && newest.done() == Some(&(1, 7)) && newest.running().is_none());
    }
}
