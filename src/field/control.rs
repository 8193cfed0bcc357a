//! How work hears that it should stop, and tells how far it is.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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
    times: Mutex<LayerTimes>,
}

/// How long layers took. Nothing that is computed depends on it.
#[derive(Debug, Default)]
struct LayerTimes {
    spent: BTreeMap<usize, Duration>,
    /// The layer being computed, and since when.
    present: Option<(usize, Instant)>,
}

impl LayerTimes {
    fn go_on(&mut self, layer: Option<usize>) {
        let now = Instant::now();
        if let Some((last, since)) = self.present.take() {
            *self.spent.entry(last).or_default() += now - since;
        }
        self.present = layer.map(|layer| (layer, now));
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
        self.times.lock().unwrap_or_else(PoisonError::into_inner).go_on(Some(index));
        self.advance(0.0);
    }

    /// Begins to take the time of layers anew.
    pub fn begin_layers(&self) {
        *self.times.lock().unwrap_or_else(PoisonError::into_inner) = LayerTimes::default();
    }

    /// No layer is being computed any more.
    pub fn leave_layers(&self) {
        self.times.lock().unwrap_or_else(PoisonError::into_inner).go_on(None);
    }

    /// How long each layer took that was computed since the times began anew; those that were known are left out.
    pub fn layer_times(&self) -> Vec<(usize, Duration)> {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.spent.iter().map(|(&layer, &spent)| (layer, spent)).collect()
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
