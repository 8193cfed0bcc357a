//! The chart of the curves: quantities, points, and the chart as a CSV table and as an SVG image.

use std::fmt::Write;

use bevy_egui::egui::Color32;

use crate::frame::theme::{colour, ink};
use talweg::eval::{ProcessCurve, ProcessPoint};
use talweg::measure::csv_field;

/// Maximum number of curves in one chart: the number of colours that can be told apart.
pub const MOST_CURVES: usize = 7;

/// The vertical axis of the chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CurveQuantity {
    #[default]
    Score,
    MeanSlope,
    Deviation,
    Eroded,
    Deposited,
    Time,
}

impl CurveQuantity {
    pub const ALL: [Self; 6] =
        [Self::Score, Self::MeanSlope, Self::Deviation, Self::Eroded, Self::Deposited, Self::Time];

    pub fn label(self) -> &'static str {
        match self {
            Self::Score => "Erosion score",
            Self::MeanSlope => "Mean height step",
            Self::Deviation => "Height step deviation",
            Self::Eroded => "Eroded volume",
            Self::Deposited => "Deposited volume",
            Self::Time => "Time per iteration",
        }
    }

    /// Unit of the values; empty if they have no unit.
    fn unit(self) -> &'static str {
        match self {
            Self::Score => "",
            Self::MeanSlope | Self::Deviation => "m",
            Self::Eroded | Self::Deposited => "m³",
            Self::Time => "ms",
        }
    }

    /// Name of the axis, with its unit in brackets.
    pub fn heading(self) -> String {
        let unit = self.unit();
        if unit.is_empty() { self.label().into() } else { format!("{} ({unit})", self.label()) }
    }

    pub fn help(self) -> &'static str {
        match self {
            Self::Score => "Standard deviation of the slopes divided by their mean (Olsen 2004).",
            Self::MeanSlope => "Mean of the greatest height difference between a sample and its four neighbours.",
            Self::Deviation => "Standard deviation of the greatest height difference to the four neighbours.",
            Self::Eroded => "Material that the process has removed since its first iteration.",
            Self::Deposited => "Material that the process has deposited since its first iteration.",
            Self::Time => "Run time of one iteration on this machine, with all processors.",
        }
    }

    /// The value at a point. `None` if it was not measured there.
    pub fn value(self, point: &ProcessPoint) -> Option<f64> {
        match self {
            Self::Score => Some(point.slopes.erosion_score()),
            Self::MeanSlope => Some(point.slopes.mean),
            Self::Deviation => Some(point.slopes.deviation),
            Self::Eroded => Some(point.eroded),
            Self::Deposited => Some(point.deposited),
            Self::Time => point.milliseconds,
        }
    }

    /// The points of a curve: iteration and value.
    pub fn points(self, curve: &ProcessCurve) -> Vec<[f64; 2]> {
        let point = |point: &ProcessPoint| Some([f64::from(point.iteration), self.value(point)?]);
        curve.points.iter().filter_map(point).collect()
    }
}

/// The colours of the curves in the window.
pub fn inks() -> [Color32; MOST_CURVES] {
    [ink::blue(), ink::orange(), ink::green(), ink::rose(), ink::yellow(), ink::vermilion(), colour::text()]
}

/// All curves as a table, with one row for each measured iteration of each curve. The first row names the columns and
/// their units. A cell is empty if the value was not measured.
pub fn csv(curves: &[ProcessCurve]) -> String {
    let mut text = String::from("curve,iteration");
    for quantity in CurveQuantity::ALL {
        text += ",";
        text += &quantity.heading().to_lowercase();
    }
    text += "\n";
    for curve in curves {
        for point in &curve.points {
            // writing to a string cannot fail
            let _ = write!(text, "{},{}", csv_field(&curve.name), point.iteration);
            for quantity in CurveQuantity::ALL {
                let _ = write!(text, ",{}", quantity.value(point).map_or_else(String::new, |value| value.to_string()));
            }
            text += "\n";
        }
    }
    text
}

/// Size of the SVG image, and the rectangle of the plot in it: left, top, right and bottom. The legend is to its right.
const IMAGE: (f64, f64) = (800.0, 500.0);
const PLOT: [f64; 4] = [90.0, 50.0, 610.0, 440.0];
/// The colours of the curves on white paper, in the order of [`inks`].
const PAPER_INKS: [&str; MOST_CURVES] = ["#0068a4", "#9e6000", "#007857", "#a53c76", "#706600", "#be4200", "#222222"];

/// The chart of one quantity as an SVG image, with axes, units and a legend.
pub fn svg(title: &str, curves: &[ProcessCurve], quantity: CurveQuantity) -> String {
    let lines: Vec<Vec<[f64; 2]>> = curves.iter().map(|curve| quantity.points(curve)).collect();
    let all = || lines.iter().flatten();
    let x = SvgAxis::new(all().map(|point| point[0]), [PLOT[0], PLOT[2]]);
    let y = SvgAxis::new(all().map(|point| point[1]), [PLOT[3], PLOT[1]]);
    let (width, height) = IMAGE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    let [left, top, right, bottom] = PLOT;
    let mut text = |at: [f64; 2], anchor: &str, more: &str, text: &str| {
        let [x, y] = at;
        let place = format!("x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"");
        // writing to a string cannot fail
        let _ = writeln!(out, "<text {place}{more}>{}</text>", escaped(text));
    };
    text([0.5 * (left + right), 28.0], "middle", " font-size=\"16\"", title);
    text([0.5 * (left + right), height - 16.0], "middle", "", "Iteration");
    let turned = format!(" transform=\"rotate(-90 20 {0:.1})\"", 0.5 * (top + bottom));
    text([20.0, 0.5 * (top + bottom)], "middle", &turned, &quantity.heading());
    for tick in x.ticks() {
        text([x.position(tick), bottom + 20.0], "middle", "", &number(tick));
    }
    for tick in y.ticks() {
        text([left - 8.0, y.position(tick) + 4.0], "end", "", &number(tick));
    }
    for (k, curve) in curves.iter().enumerate() {
        text([right + 44.0, top + 20.0 + 20.0 * k as f64], "start", "", &curve.name);
    }
    let grid = x.ticks().into_iter().map(|tick| [x.position(tick), top, x.position(tick), bottom]);
    for [x1, y1, x2, y2] in
        grid.chain(y.ticks().into_iter().map(|tick| [left, y.position(tick), right, y.position(tick)]))
    {
        let _ = writeln!(out, "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"#dddddd\"/>");
    }
    let _ = writeln!(
        out,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444444\"/>",
        right - left,
        bottom - top
    );
    for (k, (line, ink)) in lines.iter().zip(PAPER_INKS.iter().cycle()).enumerate() {
        let points: Vec<String> =
            line.iter().map(|[a, b]| format!("{:.2},{:.2}", x.position(*a), y.position(*b))).collect();
        let points = points.join(" ");
        let _ = writeln!(out, "<polyline points=\"{points}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"2\"/>");
        let at = top + 16.0 + 20.0 * k as f64;
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {at:.1}L{:.1} {at:.1}\" stroke=\"{ink}\" stroke-width=\"2\"/>",
            right + 12.0,
            right + 38.0
        );
    }
    out + "</svg>\n"
}

/// One axis of the SVG image.
struct SvgAxis {
    /// The lowest and highest value on the axis.
    range: [f64; 2],
    /// The positions of these values in the image.
    place: [f64; 2],
}

impl SvgAxis {
    /// An axis that contains all `values`.
    fn new(values: impl Iterator<Item = f64>, place: [f64; 2]) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) =
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let room = if high > low { 0.0 } else { 0.5 * low.abs().max(1.0) };
        Self { range: [low - room, high + room], place }
    }

    fn position(&self, value: f64) -> f64 {
        let ([low, high], [from, to]) = (self.range, self.place);
        from + (to - from) * (value - low) / (high - low)
    }

    /// Round numbers on the axis, about six.
    fn ticks(&self) -> Vec<f64> {
        let [low, high] = self.range;
        let rough = (high - low) / 6.0;
        let power = 10.0_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        // without the tolerance, rounding loses ticks at the ends
        let (first, last) = ((low / step - 1.0e-9).ceil() as i64, (high / step + 1.0e-9).floor() as i64);
        (first..=last).map(|k| k as f64 * step).collect()
    }
}

/// A number on an axis, without the rounding noise of sums.
fn number(value: f64) -> String {
    let digits = format!("{value:.9}");
    let short = digits.trim_end_matches('0').trim_end_matches('.');
    if value.abs() >= 1.0e6 {
        format!("{value:e}")
    } else if short == "-0" {
        "0".into()
    } else {
        short.into()
    }
}

/// A text as the content of an XML element. Control characters, which XML forbids, become spaces.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            _ if letter.is_control() => out.push(' '),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::measure::Slopes;

    fn curve(name: &str, scale: f64) -> ProcessCurve {
        let point = |k: u32| ProcessPoint {
            iteration: 10 * k,
            slopes: Slopes { mean: scale * f64::from(4 - k), deviation: scale },
            eroded: 1.0e6 * f64::from(k),
            deposited: 0.5e6 * f64::from(k),
            milliseconds: (k > 0).then_some(2.5),
        };
        ProcessCurve { layer: 1, name: name.into(), points: (0..3).map(point).collect() }
    }

    #[test]
    fn the_table_has_units_and_every_value() {
        let text = csv(&[curve("A", 2.0), curve("B, \"fast\"", 1.0)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "curve,iteration,erosion score,mean height step (m),height step deviation (m),eroded volume (m³),deposited volume (m³),\
             time per iteration (ms)"
        );
        assert_eq!(lines[1], "A,0,0.25,8,2,0,0,");
        assert_eq!(lines[3], "A,20,0.5,4,2,2000000,1000000,2.5");
        assert_eq!(lines[4], "\"B, \"\"fast\"\"\",0,0.25,4,1,0,0,");
        assert_eq!(lines.len(), 7);
    }

    #[test]
    fn the_image_escapes_names_and_draws_each_curve() {
        let text = svg("Slopes & <more>", &[curve("A<B", 2.0), curve("C&D", 1.0)], CurveQuantity::MeanSlope);
        assert!(text.contains("Slopes &amp; &lt;more&gt;") && text.contains("A&lt;B") && text.contains("C&amp;D"));
        assert!(text.contains("Mean height step (m)") && text.contains(">Iteration<"));
        assert_eq!(text.matches("<polyline").count(), 2);
        // the first curve falls from 8 to 4 over the whole width; the axis reaches down to 2
        assert!(text.contains("points=\"90.00,50.00 350.00,180.00 610.00,310.00\""), "{text}");
    }

    #[test]
    fn axes_have_round_ticks_and_room_for_level_curves() {
        let axis = |values: &[f64]| SvgAxis::new(values.iter().copied(), [0.0, 100.0]);
        assert_eq!(axis(&[0.0, 60.0]).ticks(), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
        assert_eq!(axis(&[0.1, 0.7]).ticks().len(), 7);
        assert_eq!(axis(&[3.0, 3.0]).position(3.0), 50.0);
        assert_eq!(axis(&[]).range, [0.0, 1.0]);
        assert_eq!([number(0.1 + 0.2), number(-0.0), number(2.0e7)], ["0.3", "0", "2e7"]);
    }
}
