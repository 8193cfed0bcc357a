//! The one list of the plots: what the panel draws and the JSON holds.

use serde::Serialize;

use super::{LineFit, Measures};

/// What an axis shows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlotAxis {
    /// Name beside the axis.
    pub label: &'static str,
    /// Unit; empty where there is none.
    pub unit: &'static str,
    /// The values are logarithms to the base 10 of numbers in that unit.
    pub is_log: bool,
}

impl PlotAxis {
    const fn linear(label: &'static str, unit: &'static str) -> Self {
        Self { label, unit, is_log: false }
    }

    const fn log(label: &'static str, unit: &'static str) -> Self {
        Self { label, unit, is_log: true }
    }
}

/// How a plot is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotStyle {
    /// A bar at each point, as wide as the points are apart.
    Bars,
    /// A line from point to point.
    Curve,
    /// The points, and the line through them.
    Fit,
}

/// A plot of the measures, described.
pub struct Plot {
    /// Stable name, in JSON.
    pub key: &'static str,
    /// Title.
    pub label: &'static str,
    /// What it says, in a plain sentence.
    pub meaning: &'static str,
    /// The axis to the right.
    pub x: PlotAxis,
    /// The axis upwards.
    pub y: PlotAxis,
    /// How the points are drawn.
    pub drawing: PlotStyle,
    /// Takes the points out of the measures.
    pub points: fn(&Measures) -> &[[f64; 2]],
    /// Takes the line out of the measures, where one was fitted.
    pub line: fn(&Measures) -> Option<LineFit>,
}

impl Plot {
    /// The points as CSV, with a head.
    pub fn csv(&self, of: &Measures) -> String {
        let head = |axis: &PlotAxis| {
            if axis.unit.is_empty() { axis.label.to_string() } else { format!("{} ({})", axis.label, axis.unit) }
        };
        let mut text = format!("{},{}\n", head(&self.x), head(&self.y));
        for [x, y] in (self.points)(of) {
            text += &format!("{x},{y}\n");
        }
        text
    }
}

const NO_LINE: fn(&Measures) -> Option<LineFit> = |_| None;

/// Every plot. Those of ground that has none are empty.
pub const PLOTS: &[Plot] = &[
    Plot {
        key: "slope_histogram",
        label: "Slopes",
        meaning: "How much of the land is how steep.",
        x: PlotAxis::linear("steepness", "°"),
        y: PlotAxis::linear("share of the land", ""),
        drawing: PlotStyle::Bars,
        points: |m| m.steepness.as_ref().map_or(&[], |s| &s.histogram),
        line: NO_LINE,
    },
    Plot {
        key: "height_histogram",
        label: "Heights",
        meaning: "How much of the area lies how high.",
        x: PlotAxis::linear("height", "m"),
        y: PlotAxis::linear("share of the area", ""),
        drawing: PlotStyle::Bars,
        points: |m| &m.heights.histogram,
        line: NO_LINE,
    },
    Plot {
        key: "hypsometric_curve",
        label: "Hypsometric curve",
        meaning: "How much of the land lies above a relative height: bulging in young relief, hollow in old.",
        x: PlotAxis::linear("relative area above", ""),
        y: PlotAxis::linear("relative height", ""),
        drawing: PlotStyle::Curve,
        points: |m| m.heights.hypsometry.as_ref().map_or(&[], |h| &h.curve),
        line: NO_LINE,
    },
    Plot {
        key: "variogram",
        label: "Variogram",
        meaning: "How much heights differ at a distance; the steeper the line, the smoother the ground.",
        x: PlotAxis::log("log₁₀ distance", "m"),
        y: PlotAxis::log("log₁₀ semivariance", "m²"),
        drawing: PlotStyle::Fit,
        points: |m| m.variogram.as_ref().map_or(&[], |f| &f.points),
        line: |m| m.variogram.as_ref().map(|f| f.line),
    },
    Plot {
        key: "box_counting",
        label: "Box counting",
        meaning: "How many boxes of a size cover the ground; the steeper the line, the rougher the ground.",
        x: PlotAxis::log("log₁₀ box side", "m"),
        y: PlotAxis::log("log₁₀ number of boxes", ""),
        drawing: PlotStyle::Fit,
        points: |m| m.boxes.as_ref().map_or(&[], |f| &f.points),
        line: |m| m.boxes.as_ref().map(|f| f.line),
    },
    Plot {
        key: "stream_numbers",
        label: "Stream numbers",
        meaning: "How many streams there are of each order; the slope of the line is the bifurcation ratio.",
        x: PlotAxis::linear("order", ""),
        y: PlotAxis::log("log₁₀ number of streams", ""),
        drawing: PlotStyle::Fit,
        points: |m| m.drainage.as_ref().and_then(|d| d.numbers.as_ref()).map_or(&[], |f| &f.points),
        line: |m| m.drainage.as_ref().and_then(|d| d.numbers.as_ref()).map(|f| f.line),
    },
    Plot {
        key: "stream_lengths",
        label: "Stream lengths",
        meaning: "How long the streams of each order are; the slope of the line is the length ratio.",
        x: PlotAxis::linear("order", ""),
        y: PlotAxis::log("log₁₀ mean length", "km"),
        drawing: PlotStyle::Fit,
        points: |m| m.drainage.as_ref().and_then(|d| d.lengths.as_ref()).map_or(&[], |f| &f.points),
        line: |m| m.drainage.as_ref().and_then(|d| d.lengths.as_ref()).map(|f| f.line),
    },
];
