//! Measures how long the layers of an evaluation take, for display. The evaluation itself only reports the current
//! layer; this module measures the time between the reports.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::field::Control;

#[derive(Debug, Default)]
struct LayerTimes {
    spent: BTreeMap<usize, Duration>,
    /// Index of the layer being computed, and its start time.
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

/// Runs `work`, an evaluation under `control`. Returns its result and the time of each computed layer, by layer index.
/// Layers with cached results are not listed.
pub fn timed_layers<T>(control: &Control, work: impl FnOnce() -> T) -> (T, Vec<(usize, Duration)>) {
    let times = Arc::<Mutex<LayerTimes>>::default();
    let heard = times.clone();
    control.on_layer_change(move |layer| heard.lock().unwrap_or_else(PoisonError::into_inner).go_on(layer));
    let made = work();
    let times = times.lock().unwrap_or_else(PoisonError::into_inner);
    (made, times.spent.iter().map(|(&layer, &spent)| (layer, spent)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_evaluated_layer_has_its_time() {
        let control = Control::default();
        let layers = |entered: &[usize]| {
            let work = || {
                entered.iter().for_each(|&layer| control.enter_layer(layer));
                control.finish_layers();
            };
            timed_layers(&control, work).1.into_iter().map(|(layer, _)| layer).collect::<Vec<_>>()
        };
        assert!(layers(&[]).is_empty());
        // Layer 0 is entered again after layer 3, because layer 0 needed the result of layer 3.
        assert_eq!(layers(&[0, 3, 0]), [0, 3]);
        // The next evaluation starts without the times of the first.
        assert_eq!(layers(&[1]), [1]);
    }
}
