//! The list of all plots. The panel and the JSON output use it.

use serde::Serialize;

use super::{LineFit, Measures};

/// Description of a plot's axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlotAxis {
    /// Label of the axis.
    pub label: &'static str,
    /// Unit of the axis; empty if the values have no unit.
    pub unit: &'static str,
    /// Whether the plotted numbers are base-10 logarithms of values in the axis' unit.
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

/// Drawing style of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotStyle {
    /// A bar at each point, as wide as the distance between neighbouring points.
    Bars,
    /// Straight lines from point to point.
    Curve,
    /// The points and the line fitted to them.
    Fit,
}

/// A plot of measures, with its description.
pub struct Plot {
    /// Stable name of the plot in JSON.
    pub key: &'static str,
    /// Title of the plot.
    pub label: &'static str,
    /// Explanation of the plot in one plain sentence.
    pub meaning: &'static str,
    /// The horizontal axis.
    pub x: PlotAxis,
    /// The vertical axis.
    pub y: PlotAxis,
    /// Drawing style of the plot.
    pub drawing: PlotStyle,
    /// Reads the points from the measures.
    pub points: fn(&Measures) -> &[[f64; 2]],
    /// Reads the fitted line from the measures, if the plot has one.
    pub line: fn(&Measures) -> Option<LineFit>,
}

impl Plot {
    /// The points as CSV with a header line.
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

/// All plots. A plot whose measure has no value has no points.
pub const PLOTS: &[Plot] = &[
    Plot {
        key: "slope_histogram",
        label: "Slopes",
        meaning: "Distribution of the slopes of the land.",
        x: PlotAxis::linear("steepness", "°"),
        y: PlotAxis::linear("fraction of the land", ""),
        drawing: PlotStyle::Bars,
        points: |m| m.steepness.as_ref().map_or(&[], |s| &s.histogram),
        line: NO_LINE,
    },
    Plot {
        key: "height_histogram",
        label: "Heights",
        meaning: "Distribution of the heights over the area.",
        x: PlotAxis::linear("height", "m"),
        y: PlotAxis::linear("fraction of the area", ""),
        drawing: PlotStyle::Bars,
        points: |m| &m.heights.histogram,
        line: NO_LINE,
    },
    Plot {
        key: "hypsometric_curve",
        label: "Hypsometric curve",
        meaning: "Fraction of the land above a relative height: convex in young relief, concave in old relief.",
        x: PlotAxis::linear("relative area above", ""),
        y: PlotAxis::linear("relative height", ""),
        drawing: PlotStyle::Curve,
        points: |m| m.heights.hypsometry.as_ref().map_or(&[], |h| &h.curve),
        line: NO_LINE,
    },
    Plot {
        key: "variogram",
        label: "Variogram",
        meaning: "Height differences by distance; the steeper the line, the smoother the terrain.",
        x: PlotAxis::log("log₁₀ distance", "m"),
        y: PlotAxis::log("log₁₀ semivariance", "m²"),
        drawing: PlotStyle::Fit,
        points: |m| m.variogram.as_ref().map_or(&[], |f| &f.points),
        line: |m| m.variogram.as_ref().map(|f| f.line),
    },
    Plot {
        key: "box_counting",
        label: "Box counting",
        meaning: "Number of boxes that cover the terrain, by box size; the steeper the line, the rougher the terrain.",
        x: PlotAxis::log("log₁₀ box side", "m"),
        y: PlotAxis::log("log₁₀ number of boxes", ""),
        drawing: PlotStyle::Fit,
        points: |m| m.boxes.as_ref().map_or(&[], |f| &f.points),
        line: |m| m.boxes.as_ref().map(|f| f.line),
    },
    Plot {
        key: "stream_numbers",
        label: "Stream numbers",
        meaning: "Number of streams of each order; the slope of the line gives the bifurcation ratio.",
        x: PlotAxis::linear("order", ""),
        y: PlotAxis::log("log₁₀ number of streams", ""),
        drawing: PlotStyle::Fit,
        points: |m| m.drainage.as_ref().and_then(|d| d.numbers.as_ref()).map_or(&[], |f| &f.points),
        line: |m| m.drainage.as_ref().and_then(|d| d.numbers.as_ref()).map(|f| f.line),
    },
    Plot {
        key: "stream_lengths",
        label: "Stream lengths",
        meaning: "Mean length of the streams of each order; the slope of the line gives the length ratio.",
        x: PlotAxis::linear("order", ""),
        y: PlotAxis::log("log₁₀ mean length", "km"),
        drawing: PlotStyle::Fit,
        points: |m| m.drainage.as_ref().and_then(|d| d.lengths.as_ref()).map_or(&[], |f| &f.points),
        line: |m| m.drainage.as_ref().and_then(|d| d.lengths.as_ref()).map(|f| f.line),
    },
];
