//! A description of a raster for users. The window and the command line show the same description.

use super::Raster;

impl Raster {
    /// Lowest and highest value of the samples with data; `None` if no sample has data. The values are fractions of
    /// [`range_metres`](Self::range_metres), if the file states this range.
    pub fn value_range(&self) -> Option<(f32, f32)> {
        let known = (0..self.values.len()).filter(|&k| self.has_data(k)).map(|k| self.values[k]);
        let (low, high) = known.fold((f32::MAX, f32::MIN), |(lo, hi), v| (lo.min(v), hi.max(v)));
        (low <= high).then_some((low, high))
    }

    /// Name and text of each fact about the file: format, size, numbers, heights, missing data, channel, cell,
    /// position.
    pub fn summary(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![
            ("format", self.facts.format.to_string()),
            ("samples", format!("{} × {}", self.width, self.height)),
            ("numbers", self.facts.numbers.clone()),
        ];
        facts.push(match (self.range_metres, self.value_range()) {
            (Some((low, high)), Some((a, b))) => {
                let metres = |value: f32| low * (1.0 - value) + high * value;
                ("heights", format!("{} to {} m", metres(a), metres(b)))
            }
            (None, Some((a, b))) => ("values", format!("{a} to {b}, where 0 is black and 1 is white")),
            (_, None) => ("values", "none".into()),
        });
        let stated = self.facts.no_data.map(|value| format!(" (the file states {})", super::short_number(value)));
        if stated.is_some() || !self.is_void.is_empty() {
            facts.push(("no data", format!("{} samples{}", self.void_samples(), stated.unwrap_or_default())));
        }
        if let Some(channel) = &self.facts.channel {
            facts.push(("channel", format!("{channel}, of {}", self.facts.channels.join(", "))));
        }
        if let (Some([east, south]), Some([across, down])) = (self.cell_metres(), self.extent_metres()) {
            facts.push(("cell", format!("{} × {} m on the ground", tidy(east), tidy(south))));
            facts.push(("extent", format!("{} × {} km", tidy(across / 1000.0), tidy(down / 1000.0))));
        }
        if let Some(place) = &self.placement {
            let system = match (place.epsg, place.in_degrees) {
                (Some(epsg), _) => format!("EPSG:{epsg}"),
                (None, true) => "degrees".into(),
                (None, false) => "metres".into(),
            };
            facts.push(("position", format!("{system}, first sample at {}, {}", place.west, place.north)));
        }
        facts
    }
}

/// A length for users, with at most four decimals.
fn tidy(length: f64) -> f64 {
    (length * 1.0e4).round() / 1.0e4
}
