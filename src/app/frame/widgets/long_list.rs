//! Spreads the layout of a newly opened long list over several frames, so that no single frame takes long.

use bevy_egui::egui::Ui;

/// Returns the number of entries of a list to lay out in this frame, at most `count`. The number grows by `step` in
/// each frame after the list was opened. If the list was not shown in the previous frame, the number starts again.
pub fn laid_out(ui: &Ui, list: &str, step: usize, count: usize) -> usize {
    let (id, now) = (ui.id().with(list), ui.ctx().cumulative_frame_nr());
    let begun = match ui.data(|data| data.get_temp::<(u64, usize)>(id)) {
        Some((frame, shown)) if frame == now => shown - step.min(shown),
        Some((frame, shown)) if frame + 1 == now => shown,
        _ => 0,
    };
    let shown = begun + step;
    if shown < count {
        ui.ctx().request_repaint();
    }
    // a list that is laid out completely stays complete when a few entries are added
    ui.data_mut(|data| data.insert_temp(id, (now, shown.min(count.max(step) + step))));
    shown.min(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_egui::egui::{Context, RawInput};

    #[test]
    fn a_long_list_is_built_over_several_frames() {
        let ctx = Context::default();
        let frame = |count: Option<usize>| {
            let mut shown = None;
            let _ = ctx.run_ui(RawInput::default(), |ui| shown = count.map(|count| laid_out(ui, "list", 10, count)));
            shown
        };
        let shown: Vec<_> = [25; 5].into_iter().map(|count| frame(Some(count))).collect();
        assert_eq!(shown, [10, 20, 25, 25, 25].map(Some));
        assert_eq!(frame(Some(27)), Some(27), "a complete list stays complete");
        assert_eq!(frame(None), None);
        assert_eq!(frame(Some(25)), Some(10), "opened again");
        assert_eq!(frame(Some(3)), Some(3));
    }
}
