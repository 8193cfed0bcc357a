//! Cancellation and progress of an evaluation.

use std::fmt::{Debug, Formatter};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// The evaluation was superseded or cancelled; its partial results are discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// The cancellation flag and the progress of one evaluation. The caller and the worker thread share them.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    layer: AtomicU32,
    fraction: AtomicU32,
    listener: Mutex<LayerListener>,
}

/// Callback that receives the index of the layer being computed, and `None` at the end of the evaluation.
#[derive(Default)]
struct LayerListener(Option<Box<dyn Fn(Option<usize>) + Send>>);

impl LayerListener {
    fn notify(&self, layer: Option<usize>) {
        if let Some(listener) = &self.0 {
            listener(layer);
        }
    }
}

impl Debug for LayerListener {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("LayerListener").field(&self.0.is_some()).finish()
    }
}

impl Control {
    /// Requests cancellation; the evaluation stops at its next check.
    pub fn cancel(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns [`Cancelled`] if cancellation was requested.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Reports which layer is now being computed.
    pub fn enter_layer(&self, index: usize) {
        self.layer.store(index as u32, Ordering::Relaxed);
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).notify(Some(index));
        self.advance(0.0);
    }

    /// Reports that no layer is being computed any more.
    pub fn finish_layers(&self) {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).notify(None);
    }

    /// Registers `listener`, replacing any earlier listener. It receives the index of the layer being computed, and
    /// `None` at the end of the evaluation.
    pub fn on_layer_change(&self, listener: impl Fn(Option<usize>) + Send + 'static) {
        *self.listener.lock().unwrap_or_else(PoisonError::into_inner) = LayerListener(Some(Box::new(listener)));
    }

    /// Reports the completed fraction of the current layer, from 0 to 1.
    pub fn advance(&self, fraction: f32) {
        self.fraction.store(fraction.to_bits(), Ordering::Relaxed);
    }

    /// The layer being computed and its completed fraction.
    pub fn progress(&self) -> (usize, f32) {
        (self.layer.load(Ordering::Relaxed) as usize, f32::from_bits(self.fraction.load(Ordering::Relaxed)))
    }
}
