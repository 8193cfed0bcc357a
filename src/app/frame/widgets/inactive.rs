//! Rows of parameters that have no effect. They are greyed, and their tooltips name the reason.

use bevy_egui::egui;
use egui::{InnerResponse, Response, RichText, Sense, Ui};

use crate::frame::theme::colour;
use crate::frame::units;
use crate::frame::widgets::row::{beside_the_panel, title};
use talweg::param::{ParamSpec, Params, Value, disabling_values};

/// A group shows up to this number of greyed rows in their places. If more parameters have no effect, such as those of
/// a mask without conditions, all of them move into a closed section below the others, so that the panel stays short.
pub const MOST_IN_PLACE: usize = 6;

/// The rows of a group of parameters.
pub struct GroupRows {
    /// Indices of the parameters whose rows are in their places, and whether each has an effect.
    pub in_place: Vec<(usize, bool)>,
    /// Indices of the parameters without effect whose rows are in the closed section.
    pub in_section: Vec<usize>,
}

impl GroupRows {
    /// The rows of the parameters that `is_row` accepts.
    pub fn new(params: &dyn Params, is_row: impl Fn(&ParamSpec) -> bool) -> Self {
        let specs = params.about().params.iter().enumerate();
        let all: Vec<(usize, bool)> =
            specs.filter(|(_, spec)| is_row(spec)).map(|(k, _)| (k, params.matters(k))).collect();
        let (active, inactive): (Vec<_>, Vec<_>) = all.iter().copied().partition(|(_, matters)| *matters);
        if inactive.len() <= MOST_IN_PLACE {
            Self { in_place: all, in_section: Vec::new() }
        } else {
            Self { in_place: active, in_section: inactive.into_iter().map(|(k, _)| k).collect() }
        }
    }

    /// Shows all rows. `row` shows the row of a parameter; its last argument is whether the parameter has an effect.
    pub fn show(&self, ui: &mut Ui, mut row: impl FnMut(&mut Ui, usize, bool)) {
        for &(index, matters) in &self.in_place {
            row(ui, index, matters);
        }
        if self.in_section.is_empty() {
            return;
        }
        let text = RichText::new(format!("Without effect ({})", self.in_section.len())).weak();
        let section = egui::CollapsingHeader::new(text).id_salt("without effect");
        let shown = section.show_unindented(ui, |ui| {
            for &index in &self.in_section {
                row(ui, index, false);
            }
        });
        let tip = "Parameters that have no effect with the current values. The tooltip of each one names the reason.";
        shown.header_response.on_hover_text(tip);
    }
}

/// Shows a row that cannot be changed.
pub fn greyed<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R> {
    ui.add_enabled_ui(false, contents)
}

/// Adds a tooltip with the description of a parameter and the `reason` why it has no effect. The reason is only sought
/// while the tooltip is open, because this tries values of other parameters.
pub fn explain(ui: &Ui, row: &Response, spec: &ParamSpec, reason: impl FnOnce() -> Option<String>) {
    let over = ui.interact(row.rect, row.id.with("no effect"), Sense::hover());
    beside_the_panel(ui, &over).show(|ui| {
        ui.set_max_width(320.0);
        ui.label(RichText::new(title(spec)).strong());
        ui.label(spec.help);
        if let Some(reason) = reason() {
            ui.label(RichText::new(reason).color(colour::warning()));
        }
    });
}

/// The reason why a parameter has no effect, with the labels of the panel. `None` if it has an effect.
pub fn reason(params: &mut dyn Params, index: usize) -> Option<String> {
    let values = disabling_values(params, index)?;
    let specs = &params.about().params;
    let words = |(k, value): &(usize, Value)| {
        let spec = &specs[*k];
        format!("{} is {}{}", title(spec), units::param_text(spec, value), units::of_param(spec).suffix())
    };
    let words: Vec<String> = values.iter().map(words).collect();
    Some(match words.as_slice() {
        [] => "Has no effect with the current values of the other parameters.".into(),
        words => format!("Has no effect while {}.", words.join(" and ")),
    })
}
