//! Output of measures as JSON, CSV and text, from the lists of [`super::catalogue`] and [`super::plots`].

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::json;

use super::catalogue::{DIFFERENCES, MEASURES, Measure, MeasureValue, PLANET_MEASURES};
use super::difference::Difference;
use super::plots::PLOTS;
use super::reference::{BANDS, ReferenceBand};
use super::{Measures, PlanetMeasures};

impl Serialize for Measures {
    /// Writes a JSON object: every measure under its key, then five more keys. `undefined` gives the reasons for null
    /// values, and `limits` the thresholds that the measures used. `summits`, `plots` and `reference` follow.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("samples", &self.samples)?;
        for measure in MEASURES {
            map.serialize_entry(measure.key, &(measure.read)(self))?;
        }
        map.serialize_entry("undefined", &undefined(MEASURES, self))?;
        map.serialize_entry("limits", &self.limits_metres())?;
        map.serialize_entry("summits", &json!({ "peaks": self.summits.peaks, "valleys": self.summits.valleys }))?;
        let plots: serde_json::Map<String, serde_json::Value> = PLOTS
            .iter()
            .map(|plot| {
                let value =
                    json!({ "x": plot.x, "y": plot.y, "points": (plot.points)(self), "line": (plot.line)(self) });
                (plot.key.to_string(), value)
            })
            .collect();
        map.serialize_entry("plots", &plots)?;
        let mut reference: BTreeMap<&str, Vec<&ReferenceBand>> = BTreeMap::new();
        let own = BANDS.iter().filter(|band| MEASURES.iter().any(|measure| measure.key == band.key));
        own.for_each(|band| reference.entry(band.key).or_default().push(band));
        map.serialize_entry("reference", &reference)?;
        map.end()
    }
}

impl Measures {
    /// The thresholds that the measures used. A threshold of 0 is replaced by its default.
    fn limits_metres(&self) -> serde_json::Value {
        json!({
            "prominence_metres": self.summits.least_metres,
            "source_area_km2": self.drainage.as_ref().map(|d| d.source_km2),
            "playable_slope_degrees": self.limits.playable_slope,
            "flat_slope_degrees": self.limits.flat_slope,
        })
    }

    /// CSV with the columns `key,value,unit,label` and one measure per line. The value is empty if it is undefined.
    pub fn csv(&self) -> String {
        format!("{CSV_HEAD}samples,{},,Samples a side\n{}", self.samples, csv_lines(MEASURES, self))
    }
}

impl PlanetMeasures {
    /// Returns CSV in the format of [`Measures::csv`].
    pub fn csv(&self) -> String {
        let samples = format!("samples,{},,Samples along the side of a face\n", self.face_samples);
        format!("{CSV_HEAD}{samples}{}", csv_lines(PLANET_MEASURES, self))
    }
}

/// The measures of a terrain or planet as pairs of key and value with all digits; undefined values are empty.
pub fn named_values<T>(list: &[Measure<T>], of: &T) -> Vec<(String, String)> {
    list.iter().map(|m| (m.key.to_string(), bare((m.read)(of)))).collect()
}

/// A value as a field of a CSV table, quoted if it contains a comma, a quotation mark or a line break (RFC 4180).
pub fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

const CSV_HEAD: &str = "key,value,unit,label\n";

fn csv_lines<T>(list: &[Measure<T>], of: &T) -> String {
    let line = |m: &Measure<T>| format!("{},{},{},{}\n", m.key, bare((m.read)(of)), m.unit, csv_field(m.label));
    list.iter().map(line).collect()
}

impl Serialize for Difference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for measure in DIFFERENCES {
            map.serialize_entry(measure.key, &(measure.read)(self))?;
        }
        map.serialize_entry("undefined", &undefined(DIFFERENCES, self))?;
        map.end()
    }
}

/// Returns CSV with the columns `key,first,second,difference,unit,label`. The first lines compare the measures of two
/// terrains or planets. The following lines are the measures of their difference, with the value in the column
/// `difference`.
pub fn comparison_csv<T>(list: &[Measure<T>], [a, b]: [&T; 2], difference: &Difference) -> String {
    let mut text = String::from("key,first,second,difference,unit,label\n");
    for m in list {
        let [one, two] = [a, b].map(|of| (m.read)(of));
        let change = one.number().zip(two.number()).map_or(String::new(), |(x, y)| (y - x).to_string());
        text += &format!("{},{},{},{change},{},{}\n", m.key, bare(one), bare(two), m.unit, csv_field(m.label));
    }
    for m in DIFFERENCES {
        text += &format!("{},,,{},{},{}\n", m.key, bare((m.read)(difference)), m.unit, csv_field(m.label));
    }
    text
}

/// The reasons for undefined values, by the key of the measure.
fn undefined<T>(list: &[Measure<T>], of: &T) -> BTreeMap<&'static str, &'static str> {
    let why = |m: &Measure<T>| match (m.read)(of) {
        MeasureValue::Undefined(why) => Some((m.key, why)),
        _ => None,
    };
    list.iter().filter_map(why).collect()
}

/// A value as text with all its digits and without a unit.
fn bare(reading: MeasureValue) -> String {
    match reading {
        MeasureValue::Number(value) => value.to_string(),
        MeasureValue::Count(count) => count.to_string(),
        MeasureValue::Hash(hash) => format!("{hash:032x}"),
        MeasureValue::Undefined(_) => String::new(),
    }
}
