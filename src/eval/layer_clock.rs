//! How long the layers of an evaluation take, for people to read. The evaluation only says which layer it is at;
//! who asks for it looks at the clock.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::field::Control;

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

/// What `work`, an evaluation under `control`, gives, with the time of each layer that was computed, by its index;
/// layers whose results were known are left out.
pub fn timed_layers<T>(control: &Control, work: impl FnOnce() -> T) -> (T, Vec<(usize, Duration)>) {
    let times = Arc::<Mutex<LayerTimes>>::default();
    let heard = times.clone();
    control.tell_layers(move |layer| heard.lock().unwrap_or_else(PoisonError::into_inner).go_on(layer));
    let made = work();
    let times = times.lock().unwrap_or_else(PoisonError::into_inner);
    (made, times.spent.iter().map(|(&layer, &spent)| (layer, spent)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layer_that_was_entered_has_its_time() {
        let control = Control::default();
        let layers = |entered: &[usize]| {
            let work = || {
                entered.iter().for_each(|&layer| control.enter_layer(layer));
                control.leave_layers();
            };
            timed_layers(&control, work).1.into_iter().map(|(layer, _)| layer).collect::<Vec<_>>()
        };
        assert!(layers(&[]).is_empty());
        // entered again after one that it needed
        assert_eq!(layers(&[0, 3, 0]), [0, 3]);
        // the next evaluation begins anew
        assert_eq!(layers(&[1]), [1]);
    }
}
