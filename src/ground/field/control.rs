//! How work hears that it should stop, and tells how far it is.

use std::fmt::{Debug, Formatter};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// The evaluation was superseded or cancelled; what it had is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Shared by the one who asks for an evaluation and the one who runs it.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    layer: AtomicU32,
    fraction: AtomicU32,
    listener: Mutex<LayerListener>,
}

/// Is told which layer is being computed, and at the end that none is any more.
#[derive(Default)]
struct LayerListener(Option<Box<dyn Fn(Option<usize>) + Send>>);

impl LayerListener {
    fn tell(&self, layer: Option<usize>) {
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
    /// Asks the evaluation to stop at the next look.
    pub fn cancel(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// [`Cancelled`] if it was asked to stop.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Says which layer is being computed.
    pub fn enter_layer(&self, index: usize) {
        self.layer.store(index as u32, Ordering::Relaxed);
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).tell(Some(index));
        self.advance(0.0);
    }

    /// No layer is being computed any more.
    pub fn leave_layers(&self) {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).tell(None);
    }

    /// From now on `listener`, and no other, is told which layer is being computed and when none is any more.
    pub fn tell_layers(&self, listener: impl Fn(Option<usize>) + Send + 'static) {
        *self.listener.lock().unwrap_or_else(PoisonError::into_inner) = LayerListener(Some(Box::new(listener)));
    }

    /// Says how much of the layer is done, from 0 to 1.
    pub fn advance(&self, fraction: f32) {
        self.fraction.store(fraction.to_bits(), Ordering::Relaxed);
    }

    /// The layer being computed and how much of it is done.
    pub fn progress(&self) -> (usize, f32) {
        (self.layer.load(Ordering::Relaxed) as usize, f32::from_bits(self.fraction.load(Ordering::Relaxed)))
    }
}
