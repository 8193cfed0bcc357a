//! The conditions of a rule in the panel. Each condition has a row with a checkbox and a band.

use bevy_egui::egui;
use egui::{DragValue, RichText, Ui};

use super::band::{self, BandScale};
use crate::frame::theme::colour;
use talweg::appearance_files::{Band, Bands, CONDITIONS, EVERYWHERE};
use talweg::scene::Gesture;

/// A row of the panel, which shows one condition.
pub struct ConditionRow {
    /// Name of the condition in [`CONDITIONS`].
    name: &'static str,
    label: &'static str,
    help: &'static str,
    scale: BandScale,
    /// The band that the condition gets when the user switches it on.
    first: Band,
}

const SHARES: BandScale = BandScale { unit: "%", times: 100.0, ends: [0.0, 1.0], decimals: 0 };

/// All rows, in the order of [`CONDITIONS`].
pub const ROWS: [ConditionRow; CONDITIONS.len()] = [
    ConditionRow {
        name: "slope",
        label: "Slope",
        help: "Slope of the terrain.",
        scale: BandScale { unit: "°", times: 1.0, ends: [0.0, 90.0], decimals: 1 },
        first: [25.0, 35.0, 1e9, 1e9],
    },
    ConditionRow {
        name: "height",
        label: "Height",
        help: "Height, from sea level (0 %) to the top of the relief (100 %).",
        scale: BandScale { ends: [-0.5, 1.2], ..SHARES },
        first: [0.4, 0.6, 1e9, 1e9],
    },
    ConditionRow {
        name: "openness",
        label: "Openness",
        help: "Visibility of the sky: 0 % in deep hollows, 50 % on plane surfaces, 100 % on crests.",
        scale: SHARES,
        first: [-1e9, -1e9, 0.4, 0.5],
    },
    ConditionRow {
        name: "flow",
        label: "Flow",
        help: "Drainage area of the point: 0 % up to 1000 m², 50 % at 0.1 km², 100 % from 10 km².",
        scale: SHARES,
        first: [0.4, 0.6, 1e9, 1e9],
    },
    ConditionRow {
        name: "deposits",
        label: "Deposits",
        help: "Amount of deposits: 50 % where they are 1 m thick.",
        scale: SHARES,
        first: [0.3, 0.7, 1e9, 1e9],
    },
    ConditionRow {
        name: "wear",
        label: "Wear",
        help: "Amount of erosion: 50 % where 4 m were eroded.",
        scale: SHARES,
        first: [0.4, 0.8, 1e9, 1e9],
    },
    ConditionRow {
        name: "vegetation",
        label: "Vegetation",
        help: "Plant density from the vegetation map.",
        scale: SHARES,
        first: [0.3, 0.7, 1e9, 1e9],
    },
    ConditionRow {
        name: "green",
        label: "Green",
        help: "Greenness of the palette colour: how far green exceeds red and blue.",
        scale: BandScale { ends: [-0.2, 0.2], decimals: 1, ..SHARES },
        first: [0.01, 0.05, 1e9, 1e9],
    },
    ConditionRow {
        name: "bright",
        label: "Brightness",
        help: "Brightness of the palette colour. Snow is above 50 %.",
        scale: SHARES,
        first: [0.45, 0.6, 1e9, 1e9],
    },
    ConditionRow {
        name: "curvature",
        label: "Curvature",
        help: "Mean curvature over a few samples: positive on ridges and edges, 0 on plane surfaces, negative in \
               gullies. A sphere with a radius of 100 m has a curvature of 10 per km.",
        scale: BandScale { unit: "1/km", times: 1.0, ends: [-40.0, 40.0], decimals: 1 },
        first: [2.0, 6.0, 1e9, 1e9],
    },
    ConditionRow {
        name: "wetness",
        label: "Wetness",
        help: "Topographic wetness index: high where a large area drains to flat terrain, 0 % where no water gathers.",
        scale: SHARES,
        first: [0.6, 0.75, 1e9, 1e9],
    },
    ConditionRow {
        name: "hardness",
        label: "Hardness",
        help: "Rock hardness from the map of rock layers: 0 % is loose, 100 % never erodes.",
        scale: SHARES,
        first: [0.4, 0.6, 1e9, 1e9],
    },
];

/// A change that the user made in the rows of a rule's conditions.
pub enum ConditionChange {
    Band(Box<BandChange>),
    /// A layer that computes the flow is wanted, because a condition needs it.
    AddFlow,
}

/// A change of one of a rule's bands.
pub struct BandChange {
    pub bands: Bands,
    pub label: &'static str,
    pub gesture: Option<Gesture>,
}

/// The shape of a band: whether values above, below or between its limits fulfil the condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BandShape {
    Above,
    Below,
    Between,
}

impl BandShape {
    const ALL: [Self; 3] = [Self::Above, Self::Below, Self::Between];

    fn of_band(band: Band) -> Self {
        match (band[1] > EVERYWHERE[1], band[2] < EVERYWHERE[2]) {
            (_, false) => Self::Above,
            (false, true) => Self::Below,
            (true, true) => Self::Between,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::Below => "below",
            Self::Between => "between",
        }
    }

    /// Returns a band of this shape whose limits are taken from the band `[a, b, c, d]`.
    fn made_of(self, [a, b, c, d]: Band, scale: &BandScale) -> Band {
        let [low, high] = scale.ends;
        let (begins, ends) = (b > EVERYWHERE[1], c < EVERYWHERE[2]);
        let from = if begins {
            [a, b]
        } else if ends {
            [c, d]
        } else {
            [low, low]
        };
        let to = if ends { [c, d] } else { from };
        match self {
            Self::Above => [from[0], from[1], EVERYWHERE[2], EVERYWHERE[3]],
            Self::Below => [EVERYWHERE[0], EVERYWHERE[1], to[0], to[1]],
            Self::Between if begins && ends => [a, b, c, d],
            Self::Between if begins => {
                let end = (b + 0.25 * (high - low)).min(high).max(b);
                [a, b, end, end + (b - a)]
            }
            Self::Between => {
                let begin = (c - 0.25 * (high - low)).max(low).min(c);
                [begin - (d - c), begin, c, d]
            }
        }
    }
}

/// Shows one row per condition. Returns the change that the user has made.
pub fn rows(ui: &mut Ui, bands: &Bands, missing: Option<&[bool; CONDITIONS.len()]>) -> Option<ConditionChange> {
    let mut change = None;
    for (k, row) in ROWS.iter().enumerate() {
        let is_missing = missing.is_some_and(|missing| missing[k]);
        let mut adds_flow = false;
        let asked = ui.push_id(row.name, |ui| show(ui, row, bands[k], is_missing, &mut adds_flow)).inner;
        if let Some((band, label, gesture)) = asked {
            let mut bands = *bands;
            bands[k] = band;
            change = Some(ConditionChange::Band(Box::new(BandChange { bands, label, gesture })));
        } else if adds_flow {
            change = Some(ConditionChange::AddFlow);
        }
    }
    change
}

fn show(
    ui: &mut Ui,
    row: &ConditionRow,
    band: Band,
    is_missing: bool,
    adds_flow: &mut bool,
) -> Option<(Band, &'static str, Option<Gesture>)> {
    let mut change = None;
    let shape = BandShape::of_band(band);
    let is_on = band != EVERYWHERE;
    ui.horizontal(|ui| {
        let mut on = is_on;
        if ui.checkbox(&mut on, row.label).on_hover_text(row.help).changed() {
            change = Some((if on { row.first } else { EVERYWHERE }, "Toggle condition", None));
        }
        if !is_on {
            return;
        }
        let combo = egui::ComboBox::from_id_salt("shape").width(76.0).selected_text(shape.label());
        let combo = combo.show_ui(ui, |ui| {
            for other in BandShape::ALL {
                if ui.selectable_label(shape == other, other.label()).clicked() && shape != other {
                    change = Some((other.made_of(band, &row.scale), "Change shape of band", None));
                }
            }
        });
        combo.response.widget_info(|| {
            egui::WidgetInfo::labeled(egui::WidgetType::ComboBox, true, format!("{} shape", row.label))
        });
        combo.response.on_hover_text("Whether the rule applies above a value, below it or between two values.");
    });
    if !is_on {
        return change;
    }
    if is_missing && ["flow", "wetness"].contains(&row.name) {
        let text = "The terrain has no flow map, so the value is 0 everywhere.";
        ui.label(RichText::new(text).small().color(colour::warning()));
        let tip = "Adds a Flow layer on top, which computes the drainage area of every cell from the heights. The \
                   heights do not change.";
        *adds_flow = ui.small_button("Add Flow layer").on_hover_text(tip).clicked();
    } else if is_missing {
        let text = "The terrain has no such map, so the value is 0 everywhere. Add a layer that writes it, such as an \
                    erosion.";
        ui.label(RichText::new(text).small().color(colour::warning()));
    }
    if let Some(dragged) = band::editor(ui, row.label, band, &row.scale) {
        change = Some((dragged.band, "Drag band", Some(dragged.gesture)));
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for index in band::points(band) {
            let mut value = band[index];
            let what = ["no effect up to", "full effect from", "full effect up to", "no effect from"][index];
            let speed = f64::from(row.scale.ends[1] - row.scale.ends[0]) / 300.0;
            let field = ui.add(row.scale.field(DragValue::new(&mut value).speed(speed)));
            let label = format!("{}: {what}", row.label);
            field.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::DragValue, true, &label));
            if field.changed() {
                let value = row.scale.rounded(value);
                change = Some((band::with_point(band, index, value), "Drag band", Some(Gesture(field.id.value()))));
            }
            field.on_hover_text(format!(
                "The rule has {what} this value. Its effect changes smoothly between two values."
            ));
        }
    });
    ui.add_space(4.0);
    change
}
/// Names of rules in a list, from their labels. The conditions tell rules with the same label apart.
pub fn distinct_names<'a>(rules: impl Iterator<Item = (&'static str, &'a Bands)> + Clone) -> Vec<String> {
    let named = |(label, bands): (&'static str, &Bands)| {
        let is_alone = rules.clone().filter(|(other, _)| *other == label).count() == 1;
        let active = ROWS.iter().zip(bands).filter(|(_, band)| **band != EVERYWHERE);
        let conditions: Vec<String> = active.map(|(row, _)| row.label.to_lowercase()).collect();
        if is_alone || conditions.is_empty() { label.into() } else { format!("{label}: {}", conditions.join(", ")) }
    };
    rules.clone().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_with_one_label_are_told_apart_by_conditions() {
        let (free, mut steep, mut high) = ([EVERYWHERE; CONDITIONS.len()], [EVERYWHERE; _], [EVERYWHERE; _]);
        steep[0] = ROWS[0].first;
        high[0] = ROWS[0].first;
        high[1] = ROWS[1].first;
        let rules = [("Rock", &free), ("Grass", &steep), ("Rock", &steep), ("Rock", &high)];
        assert_eq!(distinct_names(rules.into_iter()), ["Rock", "Grass", "Rock: slope", "Rock: slope, height"]);
    }
}
