//! Long work runs on other threads, without the interpreter's lock. Meanwhile the caller's thread checks for signals
//! and reports progress. Ctrl-C stops the work when the work next checks its [`Control`].

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use pyo3::intern;
use pyo3::prelude::*;

use super::error::{failed, usage};
use talweg::eval::{ThreadPool, thread_pool};
use talweg::field::Control;

/// Maximum number of threads: starting more threads takes longer than any processor saves by them.
const MOST_THREADS: usize = 256;
/// Time between two checks for signals.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(5);
/// Number of signal checks between two progress reports.
const LOOKS_PER_REPORT: u32 = 20;

/// A thread pool with that number of threads; 0 means one for each processor.
pub fn pool(py: Python<'_>, threads: usize) -> PyResult<ThreadPool> {
    if threads > MOST_THREADS {
        return Err(usage(py, format_args!("threads: give a whole number from 0 to {MOST_THREADS}")));
    }
    thread_pool(threads).map_err(failed)
}

/// Reports the progress of the work to the caller.
pub struct ProgressListener<'py> {
    /// `talweg._progress.Reporter`, if the caller wants progress.
    reporter: Option<Bound<'py, PyAny>>,
    layers: Vec<String>,
    /// The largest fraction reported up to now. The actual fraction can fall, because coarse grids and masks evaluate
    /// layers repeatedly.
    reported: Cell<f32>,
}

impl<'py> ProgressListener<'py> {
    /// Creates the listener. `progress` is a function of the finished fraction and the layer's name, or True for a tqdm
    /// bar. `layers` holds the names of the steps.
    pub fn new(py: Python<'py>, progress: Option<&Bound<'py, PyAny>>, layers: Vec<String>) -> PyResult<Self> {
        let reporter = match progress {
            Some(progress) if !progress.is_none() => {
                let module = py.import(intern!(py, "talweg._progress"))?;
                let made = module.call_method1(intern!(py, "reporter"), (progress,))?;
                (!made.is_none()).then_some(made)
            }
            _ => None,
        };
        Ok(Self { reporter, layers, reported: Cell::new(0.0) })
    }

    fn report(&self, py: Python<'py>, control: &Control) -> PyResult<()> {
        let Some(reporter) = &self.reporter else { return Ok(()) };
        let (layer, fraction) = control.progress();
        let share = (layer as f32 + fraction.clamp(0.0, 1.0)) / self.layers.len().max(1) as f32;
        let share = share.max(self.reported.get()).min(1.0);
        self.reported.set(share);
        let name = self.layers.get(layer).map_or("", String::as_str);
        reporter.call_method1(intern!(py, "tell"), (share, name)).map(drop)
    }

    fn close(&self, py: Python<'py>, is_done: bool) -> PyResult<()> {
        let Some(reporter) = &self.reporter else { return Ok(()) };
        reporter.call_method1(intern!(py, "close"), (is_done,)).map(drop)
    }
}

/// Runs `work` in `pool` and waits until it ends. A signal that Python turns into an exception cancels the work, and so
/// does an exception of the listener. The exception is then raised.
pub fn run_interruptibly<'py, T: Send>(
    py: Python<'py>,
    pool: &ThreadPool,
    listener: &ProgressListener<'py>,
    work: impl FnOnce(&Control) -> T + Send,
) -> PyResult<T> {
    let control = Control::default();
    let is_done = AtomicBool::new(false);
    let caller = thread::current();
    let (made, mut stopped) = thread::scope(|scope| {
        let (control, is_done) = (&control, &is_done);
        let worker = scope.spawn(move || {
            let made = pool.install(|| work(control));
            is_done.store(true, Ordering::Release);
            caller.unpark();
            made
        });
        let mut stopped = None;
        let mut looks = 0u32;
        while !is_done.load(Ordering::Acquire) && !worker.is_finished() {
            py.detach(|| thread::park_timeout(SIGNAL_INTERVAL));
            if stopped.is_none() {
                let mut look = py.check_signals();
                if look.is_ok() && looks.is_multiple_of(LOOKS_PER_REPORT) {
                    look = listener.report(py, control);
                }
                if let Err(exception) = look {
                    control.cancel();
                    stopped = Some(exception);
                }
            }
            looks = looks.wrapping_add(1);
        }
        (py.detach(|| worker.join()), stopped)
    });
    // If closing the progress bar also fails, the earlier exception is more important.
    let closed = listener.close(py, stopped.is_none());
    let made = made.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    match stopped.take() {
        Some(exception) => Err(exception),
        None => closed.map(|()| made),
    }
}
