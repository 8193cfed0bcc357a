//! How work hears that it should stop, and tells how far it is.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

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
        self.advance(0.0);
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
