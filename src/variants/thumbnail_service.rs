//! Draws thumbnails in the background. The thumbnails of the newest request are drawn first.
//!
//! A new request interrupts the request in progress. The interrupted request resumes afterwards and skips the
//! thumbnails that are already delivered. The previews next to a slider therefore appear before a contact sheet that is
//! still being drawn.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::scene_variant::{SceneVariant, Size, Thumbnail, draw_all};
use crate::eval::thread_pool;
use crate::field::Control;

/// A finished thumbnail of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedThumbnail {
    /// Number of the request to which the thumbnail belongs.
    pub order: u64,
    /// Index of the thumbnail's variant in the request.
    pub index: usize,
    /// The image with its key figures.
    pub thumbnail: Thumbnail,
}

#[derive(Clone)]
struct ThumbnailOrder {
    /// Serial number, which is unique even if the request replaces another request with the same `number`.
    serial: u64,
    number: u64,
    size: Size,
    left: Vec<(usize, SceneVariant)>,
}

#[derive(Default)]
struct ThumbnailOrders {
    /// Requests waiting or in progress, the newest last.
    orders: Vec<ThumbnailOrder>,
    running: Option<ThumbnailTask>,
    /// Serial number of the next request.
    next: u64,
    quit: bool,
}

/// The request whose thumbnails are being drawn.
struct ThumbnailTask {
    number: u64,
    control: Arc<Control>,
}

#[derive(Default)]
struct ServiceShared {
    queue: Mutex<ThumbnailOrders>,
    wake_up: Condvar,
}

impl ServiceShared {
    fn queue(&self) -> MutexGuard<'_, ThumbnailOrders> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A background thread that draws thumbnails. Dropping the service stops the work.
pub struct ThumbnailService {
    shared: Arc<ServiceShared>,
    made: Receiver<FinishedThumbnail>,
    thread: Option<JoinHandle<()>>,
}

impl ThumbnailService {
    /// Starts a service with `threads` threads (0: one per processor) that calls `notify` after each thumbnail.
    ///
    /// # Errors
    /// When the system cannot start the threads.
    pub fn new(threads: usize, notify: impl Fn() + Send + Sync + 'static) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = thread_pool(threads)?;
        let shared = Arc::new(ServiceShared::default());
        let (sender, made) = channel();
        let own = shared.clone();
        let thread = std::thread::spawn(move || pool.install(|| work(&own, &sender, &notify)));
        Ok(Self { shared, made, thread: Some(thread) })
    }

    /// Queues a request for thumbnails of `variants`. An unfinished request with the same number is cancelled.
    pub fn order(&self, number: u64, variants: Vec<SceneVariant>, size: Size) {
        let mut queue = self.shared.queue();
        queue.orders.retain(|order| order.number != number);
        let serial = queue.next;
        queue.next += 1;
        queue.orders.push(ThumbnailOrder { serial, number, size, left: variants.into_iter().enumerate().collect() });
        if let Some(running) = &queue.running {
            running.control.cancel();
        }
        self.shared.wake_up.notify_all();
    }

    /// Cancels a request; some of its thumbnails can still arrive.
    pub fn forget(&self, number: u64) {
        let mut queue = self.shared.queue();
        queue.orders.retain(|order| order.number != number);
        if let Some(running) = queue.running.as_ref().filter(|running| running.number == number) {
            running.control.cancel();
        }
    }

    /// Whether any request is unfinished.
    pub fn is_busy(&self) -> bool {
        let queue = self.shared.queue();
        queue.running.is_some() || !queue.orders.is_empty()
    }

    /// The thumbnails drawn since the last call.
    pub fn collect(&self) -> Vec<FinishedThumbnail> {
        self.made.try_iter().collect()
    }

    /// Waits for the next thumbnail; `None` once all requests are finished.
    pub fn wait(&self) -> Option<FinishedThumbnail> {
        loop {
            if let Ok(made) = self.made.try_recv() {
                return Some(made);
            }
            let queue = self.shared.queue();
            if queue.running.is_none() && queue.orders.is_empty() {
                drop(queue);
                return self.made.try_recv().ok();
            }
            // the drawing thread signals after every thumbnail and at the end of every request
            drop(self.shared.wake_up.wait_timeout(queue, std::time::Duration::from_millis(20)));
        }
    }
}

impl Drop for ThumbnailService {
    fn drop(&mut self) {
        let mut queue = self.shared.queue();
        queue.quit = true;
        if let Some(running) = &queue.running {
            running.control.cancel();
        }
        self.shared.wake_up.notify_all();
        drop(queue);
        if let Some(thread) = self.thread.take() {
            // the thread catches panics of its evaluations, so joining the thread cannot fail
            let _ = thread.join();
        }
    }
}

/// Waits for a request and returns the newest request; `None` when the service is dropped.
fn next(shared: &ServiceShared) -> Option<(ThumbnailOrder, Arc<Control>)> {
    let mut queue = shared.queue();
    loop {
        if queue.quit {
            return None;
        }
        if let Some(order) = queue.orders.last().cloned() {
            let control = Arc::new(Control::default());
            queue.running = Some(ThumbnailTask { number: order.number, control: control.clone() });
            return Some((order, control));
        }
        queue = shared.wake_up.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Draws requests until the service is dropped.
fn work(shared: &ServiceShared, sender: &Sender<FinishedThumbnail>, notify: &(dyn Fn() + Sync)) {
    while let Some((order, control)) = next(shared) {
        let deliver = |index: usize, thumbnail: Thumbnail| {
            let mut queue = shared.queue();
            // the request may have been cancelled or replaced meanwhile
            let Some(wanted) = queue.orders.iter_mut().find(|o| o.serial == order.serial) else { return };
            wanted.left.retain(|(k, _)| *k != index);
            // sending fails only if the service was dropped
            let _ = sender.send(FinishedThumbnail { order: order.number, index, thumbnail });
            drop(queue);
            shared.wake_up.notify_all();
            notify();
        };
        // a panic in an evaluation ends only the request of that evaluation
        let drawn = catch_unwind(AssertUnwindSafe(|| draw_all(&order.left, order.size, &control, &deliver)));
        let mut queue = shared.queue();
        queue.running = None;
        if !matches!(drawn, Ok(Err(_))) {
            queue.orders.retain(|o| o.serial != order.serial);
        }
        drop(queue);
        shared.wake_up.notify_all();
    }
}
