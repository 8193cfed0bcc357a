//! The background thread that evaluates scenes. A new request replaces older requests; the last finished result stays
//! available.
//!
//! One named thread owns a rayon pool. A new request stops the running request, with one exception: while the user
//! drags a slider, a running preview can finish, because otherwise no preview would ever appear. Every report carries
//! the revision of its request, so that the owner of the worker can drop stale reports.
//!
//! | file | contents |
//! |---|---|
//! | `messages` | requests and reports |
//! | `queue` | the running request and the next request |
//! | `thread` | the thread that serves requests |
//!
//! This file holds [`Worker`], the handle through which its owner uses the thread.

mod messages;
mod queue;
mod thread;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

pub use messages::{Insight, Output, Play, Request, RequestQuality, Status, WorkerReport};

use self::queue::WorkerShared;
use self::thread::WorkerThread;
use super::{ChangedRegion, Store, thread_pool};
use crate::field::Terrain;
use crate::scene::Scene;

/// The handle of the background thread. The program that holds it is the owner of the worker.
pub struct Worker<P> {
    shared: Arc<WorkerShared>,
    reports: Receiver<WorkerReport<P>>,
    thread: Option<JoinHandle<()>>,
}

impl<P: Send + 'static> Worker<P> {
    /// Starts the thread. `prepare` runs on the thread for every terrain before the report. If a temporary terrain
    /// differs from an earlier terrain in a known region, `prepare` receives that difference. `wake` runs after every
    /// report.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(
        threads: usize,
        prepare: impl Fn(&Arc<Terrain>, &Scene, Option<&ChangedRegion>) -> P + Send + 'static,
        wake: impl Fn() + Send + 'static,
    ) -> std::io::Result<Self> {
        Self::start_with(Store::default(), threads, prepare, wake)
    }

    /// Like [`start`](Self::start), with results and states that are already known.
    pub(super) fn start_with(
        mut store: Store,
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
            .spawn(move || pool.install(move || thread_body.work(&mut store)))?;
        Ok(Self { shared, reports, thread: Some(thread) })
    }

    /// Requests a terrain; the request replaces older requests.
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

    /// Stops the running request and discards the waiting one.
    pub fn cancel(&self) {
        let mut queue = self.shared.queue();
        queue.pending = None;
        if let Some(running) = &queue.running {
            running.control.cancel();
        }
        self.shared.wake_up.notify_all();
    }

    /// Progress of the running request, if any.
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

    /// Whether a request is running or waiting.
    pub fn is_busy(&self) -> bool {
        let queue = self.shared.queue();
        queue.running.is_some() || queue.pending.is_some()
    }

    /// Returns the next report without waiting; `None` if there is no report yet.
    pub fn poll(&self) -> Option<WorkerReport<P>> {
        self.taken(self.reports.try_recv().ok())
    }

    /// Waits for the next report, at most for `most`.
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
