//! The units of lengths, areas and volumes on screen. Scenes and files store metres; this module converts shown and
//! typed numbers. The active unit system is stored per thread, like the theme: it applies to the thread that draws.

use std::cell::Cell;

use bevy_egui::egui::DragValue;
use bevy_egui::egui::emath;
use talweg::param::{ParamKind, ParamSpec, Value};
use talweg::preferences::UnitSystem;

const FOOT: f64 = 0.3048;
const MILE_KM: f64 = 1.609_344;
const INCH_MM: f64 = 25.4;

/// Names of stored units, names of their imperial units, and the size of one imperial unit in stored units.
const IMPERIAL: [(&str, &str, f64); 14] = [
    ("mm", "in", INCH_MM),
    ("mm/year", "in/year", INCH_MM),
    ("m", "ft", FOOT),
    ("km", "mi", MILE_KM),
    ("m²", "ft²", FOOT * FOOT),
    ("km²", "mi²", MILE_KM * MILE_KM),
    ("m³", "ft³", FOOT * FOOT * FOOT),
    ("km³", "mi³", MILE_KM * MILE_KM * MILE_KM),
    ("m/year", "ft/year", FOOT),
    ("m²/year", "ft²/year", FOOT * FOOT),
    ("m/km", "ft/mi", FOOT / MILE_KM),
    ("m/year/km", "ft/year/mi", FOOT / MILE_KM),
    ("1/km", "1/mi", 1.0 / MILE_KM),
    ("km/km²", "mi/mi²", 1.0 / MILE_KM),
];

/// Units of length that the user can type in every unit system, each with its size in metres.
const LENGTHS: [(&str, f64); 5] = [("m", 1.0), ("km", 1000.0), ("ft", FOOT), ("'", FOOT), ("mi", 1000.0 * MILE_KM)];

thread_local! {
    static CURRENT: Cell<UnitSystem> = const { Cell::new(UnitSystem::Metric) };
}

/// Sets the unit system of this thread.
pub(super) fn set_current(system: UnitSystem) {
    CURRENT.set(system);
}

/// A unit in which numbers are shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShownUnit {
    /// Name of the stored unit.
    kept_name: &'static str,
    pub name: &'static str,
    /// Size of one shown unit in stored units.
    kept_per_shown: f64,
}

impl ShownUnit {
    /// Returns the unit in which numbers of a stored unit are shown. It is the imperial unit if the user prefers feet
    /// and the stored unit has one; otherwise it is the stored unit.
    pub fn of_stored(kept: &'static str) -> Self {
        Self::in_system(kept, CURRENT.get())
    }

    /// Returns the unit in which numbers of a stored unit are shown in `system`.
    pub fn in_system(kept: &'static str, system: UnitSystem) -> Self {
        let imperial = IMPERIAL.iter().find(|(name, ..)| system == UnitSystem::Imperial && *name == kept);
        let (name, kept_per_shown) = imperial.map_or((kept, 1.0), |(_, name, factor)| (*name, *factor));
        Self { kept_name: kept, name, kept_per_shown }
    }

    /// Converts a stored number to the shown unit.
    pub fn shown(self, kept: f64) -> f64 {
        kept / self.kept_per_shown
    }

    /// Converts a shown number to the stored unit.
    pub fn kept(self, shown: f64) -> f64 {
        shown * self.kept_per_shown
    }

    /// Returns a name followed by the unit, for table headings and axes.
    pub fn heading(self, name: &str) -> String {
        if self.name.is_empty() { name.into() } else { format!("{name}, {}", self.name) }
    }

    /// Returns the unit as the text that follows a number.
    pub fn suffix(self) -> String {
        match self.name {
            "" => String::new(),
            "°" | "%" => self.name.into(),
            name => format!(" {name}"),
        }
    }

    /// Formats a number, given in the shown unit, with its significant digits.
    pub fn digits(self, shown: f64) -> String {
        if self.kept_per_shown == 1.0 { format!("{}", shown as f32) } else { format!("{}", six_digits(shown)) }
    }

    /// Parses typed text as a number in the shown unit. A length can also be typed in another unit of length, and a
    /// number as a calculation: `1/3`, `2*(80+5)`.
    pub fn read(self, text: &str) -> Option<f64> {
        let text = text.trim().replace(',', ".").replace('−', "-");
        let number = |text: &str| {
            let text = text.trim();
            let value = text.parse::<f64>().ok().or_else(|| exmex::eval_str(text).ok());
            value.filter(|v| !v.is_nan())
        };
        number(&text).or_else(|| number(text.strip_suffix(self.name)?)).or_else(|| {
            let metres = |of: &str| LENGTHS.iter().find(|(name, _)| *name == of).map(|(_, metres)| *metres);
            let digits = text.trim_end_matches(|c: char| c.is_alphabetic() || c == '\'');
            let typed = metres(text[digits.len()..].trim())?;
            Some(self.shown(number(digits)? * typed / metres(self.kept_name)?))
        })
    }
}

/// Rounds to six significant digits, the precision that a single-precision number has after a conversion.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// The unit in which a parameter is shown.
pub fn of_param(spec: &ParamSpec) -> ShownUnit {
    ShownUnit::of_stored(spec.shown_unit())
}

/// Formats a parameter value with its unit.
pub fn param_with_unit(spec: &ParamSpec, value: &Value) -> String {
    let unit = if spec.is_word(value) { "" } else { of_param(spec).name };
    format!("{} {unit}", param_text(spec, value)).trim_end().into()
}

/// Formats a parameter value without its unit.
pub fn param_text(spec: &ParamSpec, value: &Value) -> String {
    let unit = of_param(spec);
    match value {
        _ if spec.is_word(value) => spec.zero.into(),
        Value::Float(v) if unit.name != spec.shown_unit() => unit.digits(unit.shown(f64::from(*v))),
        Value::Numbers(numbers) if unit.name != spec.shown_unit() => {
            numbers.iter().map(|v| unit.digits(unit.shown(f64::from(*v)))).collect::<Vec<_>>().join(" ")
        }
        _ => spec.shown_text(value),
    }
}

/// Formats the range of values that a parameter accepts, without its unit.
pub fn range_text(spec: &ParamSpec) -> String {
    match spec.kind {
        ParamKind::Float { hard, .. } if of_param(spec).name != spec.shown_unit() => {
            format!("{} to {}", param_text(spec, &Value::Float(hard.0)), param_text(spec, &Value::Float(hard.1)))
        }
        ParamKind::Numbers { hard } if of_param(spec).name != spec.shown_unit() => {
            let unit = of_param(spec);
            let shown = |end: f32| unit.shown(f64::from(end)) as f32;
            ParamSpec { kind: ParamKind::Numbers { hard: (shown(hard.0), shown(hard.1)) }, ..spec.clone() }.range_text()
        }
        _ => spec.shown_range_text(),
    }
}

/// Makes a number field whose value is stored in `unit`, and shown and typed in the preferred unit.
pub fn field<'a>(field: DragValue<'a>, unit: &'static str) -> DragValue<'a> {
    let unit = ShownUnit::of_stored(unit);
    field
        .suffix(unit.suffix())
        .custom_formatter(move |kept, decimals| emath::format_with_decimals_in_range(unit.shown(kept), decimals))
        .custom_parser(move |text| unit.read(text).map(|shown| unit.kept(shown)))
}

/// Formats a number stored in `unit`, with `decimals` decimal places and the name of the shown unit.
pub fn text(kept: f64, unit: &'static str, decimals: usize) -> String {
    let unit = ShownUnit::of_stored(unit);
    format!("{:.decimals$}{}", unit.shown(kept), unit.suffix())
}

/// Like `text`, but always with a plus or minus sign.
pub fn signed(kept: f64, unit: &'static str, decimals: usize) -> String {
    let unit = ShownUnit::of_stored(unit);
    format!("{:+.decimals$}{}", unit.shown(kept), unit.suffix())
}

/// Formats a length in metres, or in feet if the user prefers feet.
pub fn metres(metres: impl Into<f64>, decimals: usize) -> String {
    text(metres.into(), "m", decimals)
}

/// Formats a distance, given in metres, in metres or kilometres, or in feet or miles.
pub fn distance(metres: f64, decimals: usize) -> String {
    if metres.abs() < 10_000.0 { text(metres, "m", decimals) } else { text(metres * 1e-3, "km", 2) }
}

/// Formats a distance, given in metres, with few digits.
pub fn rounded_distance(metres: impl Into<f64>) -> String {
    let metres = metres.into();
    match ShownUnit::of_stored("km").shown(metres * 1e-3) {
        far if far >= 10.0 => text(metres * 1e-3, "km", 0),
        far if far >= 1.0 => text(metres * 1e-3, "km", 1),
        _ => text(metres, "m", 0),
    }
}

/// Formats an area given in square metres.
pub fn area(m2: f64) -> String {
    if m2 >= 1e5 { text(m2 * 1e-6, "km²", 3) } else { text(m2, "m²", 0) }
}

/// Formats a volume given in cubic metres.
pub fn volume(m3: f64) -> String {
    if m3 >= 1e7 { text(m3 * 1e-9, "km³", 4) } else { text(m3, "m³", 0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imperial<T>(of: impl FnOnce() -> T) -> T {
        set_current(UnitSystem::Imperial);
        let out = of();
        set_current(UnitSystem::Metric);
        out
    }

    #[test]
    fn lengths_are_parsed_in_the_shown_or_named_unit() {
        let read = |text: &str| {
            let unit = ShownUnit::of_stored("m");
            unit.read(text).map(|shown| (unit.kept(shown) * 1e4).round() / 1e4)
        };
        assert_eq!(
            ["12", "12 m", "1,5 km", "10 ft", "1 mi"].map(read),
            [12.0, 12.0, 1500.0, 3.048, 1609.344].map(Some)
        );
        assert_eq!(
            ["1/3", "2*(80+5)", "-3 + 1,5", "3/4 km", "1/0", "0/0", "2+", "3 cats"].map(read),
            [Some(0.3333), Some(170.0), Some(-1.5), Some(750.0), Some(f64::INFINITY), None, None, None]
        );
        imperial(|| {
            assert_eq!(["10", "10 ft", "10'", "-2 m", "2km"].map(read), [3.048, 3.048, 3.048, -2.0, 2000.0].map(Some));
            assert_eq!(["", "ft", "ten", "5 °", "3 s"].map(read), [None; 5]);
            assert_eq!(ShownUnit::of_stored("°").read("5°"), Some(5.0));
            assert_eq!(ShownUnit::of_stored("°").read("5 m"), None, "an angle is not a length");
        });
    }

    #[test]
    fn shown_values_name_their_unit() {
        assert_eq!([distance(950.0, 1), distance(25_000.0, 1), area(2e6)], ["950.0 m", "25.00 km", "2.000 km²"]);
        imperial(|| {
            assert_eq!([distance(304.8, 1), distance(16_093.44, 1)], ["1000.0 ft", "10.00 mi"]);
            assert_eq!([area(2_589_988.110_336), volume(0.028_316_846_592)], ["1.000 mi²", "1 ft³"]);
            assert_eq!([metres(3.048, 0), signed(-3.048, "m", 1)], ["10 ft", "-10.0 ft"]);
        });
    }

    #[test]
    fn a_number_typed_in_feet_is_shown_as_typed() {
        imperial(|| {
            let unit = ShownUnit::of_stored("m");
            for typed in [0.1, 1.0, 1000.0, 12_345.6, 98_765.0] {
                let kept = unit.kept(typed) as f32;
                assert_eq!(unit.digits(unit.shown(f64::from(kept))), typed.to_string());
            }
        });
    }
}
