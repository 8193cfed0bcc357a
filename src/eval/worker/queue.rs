//! The queue between the handle and the worker thread: the running request, the next request, and the signals between
//! both sides.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::messages::Request;
use crate::field::Control;

/// The request that the thread is serving.
pub(super) struct RunningRequest {
    pub(super) control: Arc<Control>,
    pub(super) revision: u64,
    pub(super) layers: usize,
    pub(super) preview: bool,
    pub(super) started: Instant,
}

/// The running request and the next request.
#[derive(Default)]
pub(super) struct RequestQueue {
    pub(super) pending: Option<Request>,
    pub(super) running: Option<RunningRequest>,
    pub(super) quit: bool,
}

/// State that the handle and the thread share.
pub(super) struct WorkerShared {
    pub(super) queue: Mutex<RequestQueue>,
    pub(super) wake_up: Condvar,
    /// Whether the thread sent a frame that the owner of the worker has not received yet.
    pub(super) frame_out: AtomicBool,
}

impl WorkerShared {
    pub(super) fn queue(&self) -> MutexGuard<'_, RequestQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
