//! A benchmark's results with all displayed texts. The texts are formatted once, on the measuring thread.

use super::findings::{Finding, findings};
use super::{BenchCell, Benchmark, Estimate, Extreme, Findings, Growth, PowerLaw};

/// Results and texts for display.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The measurements of the benchmark.
    pub found: Benchmark,
    /// The findings, one sentence each.
    pub findings: Vec<Finding>,
    /// Table rows: one per node, size and number of threads, grouped by node.
    pub rows: Vec<BenchRow>,
    /// Results at extreme parameters, grouped by node.
    pub extremes: Vec<ExtremeLine>,
    /// The table as comma-separated values.
    pub csv: String,
    /// All results as JSON text.
    pub json: String,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchRow {
    /// Index of the subject.
    pub subject: usize,
    /// Index of the cell in the subject.
    pub cell: usize,
    /// Texts of the row's table cells, in the order of [`Column`].
    pub texts: Vec<String>,
    /// Sort keys of the row, in the order of [`Column`]; NaN where there is no value.
    keys: Vec<f64>,
    /// The row as one line of text.
    pub sentence: String,
}

/// A column of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Column {
    /// Name of the node.
    #[default]
    Node,
    /// Samples per side.
    Size,
    /// Number of threads.
    Threads,
    /// Median time of one run.
    Time,
    /// Time per sample, in nanoseconds.
    PerSample,
    /// Median time to load the terrain from a file.
    Loading,
    /// Peak memory in MiB.
    Memory,
    /// Exponent of the growth of time with the side.
    Exponent,
    /// Whether every run gave the same bits.
    Bits,
    /// Speed relative to the fewest threads measured.
    SpeedUp,
}

impl Column {
    /// All columns, from left to right.
    pub const ALL: [Self; 10] = [
        Self::Node,
        Self::Size,
        Self::Threads,
        Self::Time,
        Self::PerSample,
        Self::Loading,
        Self::Memory,
        Self::Exponent,
        Self::Bits,
        Self::SpeedUp,
    ];

    /// Column heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Node => "Node",
            Self::Size => "Size",
            Self::Threads => "Threads",
            Self::Time => "Time",
            Self::PerSample => "ns/sample",
            Self::Loading => "Loading",
            Self::Memory => "MiB",
            Self::Exponent => "Exponent",
            Self::Bits => "Same",
            Self::SpeedUp => "Speed-up",
        }
    }

    /// Tooltip of the heading.
    pub fn help(self) -> &'static str {
        match self {
            Self::Node => "The measured node; sort by this column to group the rows by node.",
            Self::Size => "Samples per side of the terrain.",
            Self::Threads => "Number of threads used.",
            Self::Time => {
                "Median time of one run, plus or minus half the width of its confidence interval. If the interval is \
                 asymmetric, the distances from the median to both ends."
            }
            Self::PerSample => "Time per sample of the terrain, in nanoseconds: comparable between sizes.",
            Self::Loading => {
                "Median time to load the same terrain from a file of 16-bit heights in memory, to compare with computing it. \
                 Measured with the fewest threads."
            }
            Self::Memory => "Peak memory, including the resulting terrain, in MiB.",
            Self::Exponent => {
                "Exponent e in time ~ sideᵉ, fitted over all sizes on a log-log scale, with its standard error: 2 is linear in \
                 the number of samples."
            }
            Self::Bits => "Whether every run at this size gave the same terrain, bit for bit.",
            Self::SpeedUp => "Speed relative to the fewest threads measured.",
        }
    }
}

/// A line in the list of results at extreme parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum ExtremeLine {
    /// Heading: the node whose parameters follow.
    Head(String),
    /// One value of a parameter.
    Value {
        /// Name of the parameter.
        parameter: String,
        /// The value, with its unit.
        value: String,
        /// Outcome of the run with this value.
        fate: ExtremeOutcome,
        /// Time relative to a run with the default parameters; `None` if it is unknown.
        times: Option<f64>,
    },
}

impl ExtremeLine {
    /// Whether the result deserves attention: the heights are not finite or all equal, the run was stopped, or its time
    /// was more than [`SLOW`] times the usual time.
    pub fn is_remarkable(&self) -> bool {
        match self {
            Self::Head(_) => true,
            Self::Value { fate, times, .. } => {
                *fate != ExtremeOutcome::Finite || times.is_some_and(|times| times > SLOW)
            }
        }
    }
}

/// Multiple of the usual time above which an extreme case counts as slow.
pub const SLOW: f64 = 3.0;

/// Outcome of a run at an extreme parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtremeOutcome {
    /// All heights are finite, and they differ.
    Finite,
    /// All heights are equal.
    Level,
    /// Some height or data map is not finite.
    NotFinite,
    /// The run took too long and was stopped.
    Stopped,
}

impl ExtremeOutcome {
    /// Outcome of an extreme case.
    pub fn of_extreme(extreme: &Extreme) -> Self {
        match (extreme.is_finite, extreme.is_level) {
            _ if extreme.was_stopped => Self::Stopped,
            (Some(false), _) => Self::NotFinite,
            (_, Some(true)) => Self::Level,
            _ => Self::Finite,
        }
    }

    /// Short label of the outcome, for the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Finite => "relief, all finite",
            Self::Level => "level ground",
            Self::NotFinite => "NOT FINITE",
            Self::Stopped => "stopped, too slow",
        }
    }

    /// Tooltip of the label, which explains the outcome.
    pub fn help(self) -> &'static str {
        match self {
            Self::Finite => "Every height and every data map is a finite number, and the ground is not level.",
            Self::Level => "Every height is the same: at this value the node makes no relief.",
            Self::NotFinite => {
                "At least one height or data map value is infinite or not a number. This is a defect of Talweg."
            }
            Self::Stopped => "One run took longer than five seconds and was stopped; its result is unknown.",
        }
    }
}

impl Report {
    /// Builds the report of a benchmark. `was_disturbed` is true if Talweg computed something else at the same time.
    pub fn new(found: Benchmark, was_disturbed: bool) -> Self {
        let rows = (0..found.subjects.len())
            .flat_map(|subject| (0..found.subjects[subject].cells.len()).map(move |cell| (subject, cell)))
            .map(|(subject, cell)| BenchRow::new(&found, subject, cell))
            .collect();
        Self {
            findings: findings(&found, was_disturbed),
            rows,
            extremes: extremes(&found),
            csv: found.csv(),
            // Serialising numbers and strings cannot fail.
            json: serde_json::to_string_pretty(&found).unwrap_or_default(),
            found,
        }
    }

    /// The subject of a row.
    pub fn subject(&self, row: &BenchRow) -> &Findings {
        &self.found.subjects[row.subject]
    }

    /// The cell of a row.
    pub fn cell(&self, row: &BenchRow) -> &BenchCell {
        &self.subject(row).cells[row.cell]
    }

    /// Row indices sorted by a column; rows without a value are last.
    pub fn order(&self, column: Column, is_descending: bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        let key = |row: usize| self.rows[row].keys[column as usize];
        order.sort_by(|&a, &b| match (key(a), key(b)) {
            (a, b) if a.is_nan() || b.is_nan() => a.is_nan().cmp(&b.is_nan()),
            (a, b) if is_descending => b.total_cmp(&a),
            (a, b) => a.total_cmp(&b),
        });
        order
    }

    /// Tooltip that explains the number in a cell of the table.
    pub fn meaning(&self, row: &BenchRow, column: Column) -> String {
        let (subject, cell) = (self.subject(row), self.cell(row));
        let (name, n) = (&subject.name, cell.samples);
        match column {
            Column::Node => format!("{name}: one {} is timed. {}", subject.timed, timed_help(subject.timed)),
            Column::Size if subject.faces > 1 => {
                format!("A planet: {} faces of {n} × {n} samples, {} in all.", subject.faces, subject.samples_of(n))
            }
            Column::Size => format!("{n} × {n} samples, {} in all.", subject.samples_of(n)),
            Column::Threads => {
                format!("Measured on {}; this machine runs {} at a time.", threads(cell.threads), self.found.processors)
            }
            Column::Time if cell.changes_nothing => {
                format!("{name} left the terrain unchanged at this size, bit for bit: its time is meaningless.")
            }
            Column::Time => {
                let t = &cell.milliseconds;
                let runs = if cell.runs_per_observation > 1 {
                    format!(
                        " Each is the mean of {} runs, because a single run is too short for the clock.",
                        cell.runs_per_observation
                    )
                } else {
                    String::new()
                };
                format!(
                    "Median of {}: {}. The true median lies between {} and {} with a probability of {:.0} %.{runs}",
                    counted(self.found.repetitions, "repetition"),
                    time(t.median),
                    time(t.low),
                    time(t.high),
                    100.0 * t.confidence
                )
            }
            Column::PerSample => {
                format!("{} divided by {} samples.", time(cell.milliseconds.median), subject.samples_of(n))
            }
            Column::Loading => match &cell.load_milliseconds {
                None => "Loading is measured only with the fewest threads, because one thread reads a file.".into(),
                Some(load) => format!(
                    "Loading the terrain takes {}, computing the terrain {}: {} times as long. The true median of loading is between {} and {} \
                     with a probability of {:.0} %.",
                    time(load.median),
                    time(cell.milliseconds.median),
                    three(cell.milliseconds.median / load.median),
                    time(load.low),
                    time(load.high),
                    100.0 * load.confidence
                ),
            },
            Column::Memory => {
                let result = mebibytes(cell.result_bytes);
                match cell.peak_bytes {
                    Some(peak) => format!(
                        "Peak memory was {} MiB, {} times the {result} MiB of the resulting terrain. This includes memory that the \
                         editor took at that moment.",
                        mebibytes(peak),
                        three(peak as f64 / cell.result_bytes.max(1) as f64)
                    ),
                    None => format!("The resulting terrain takes {result} MiB. Temporary memory was not counted."),
                }
            }
            Column::Exponent => match growth(subject, cell.threads).and_then(|growth| growth.time) {
                None => "At least two sizes are needed to fit the growth of the time.".into(),
                Some(PowerLaw { exponent, standard_error: None, .. }) => format!(
                    "On {} the time grows as side to the power {exponent:.2}, fitted to only two sizes, which cannot show how certain it is.",
                    threads(cell.threads)
                ),
                Some(PowerLaw { exponent, standard_error: Some(error), sizes }) => format!(
                    "On {} the time grows as side to the power {exponent:.2}, fitted on a log-log scale over {sizes} sizes; \
                     standard error {error:.2}. 2 is linear in the number of samples.",
                    threads(cell.threads)
                ),
            },
            Column::Bits => {
                let wrong =
                    subject.consistency.disagreements.iter().find(|d| (d.samples, d.threads) == (n, cell.threads));
                match wrong {
                    None => {
                        format!("{} gave the same terrain, bit for bit.", counted(self.found.repetitions, "repetition"))
                    }
                    Some(d) => format!(
                        "{} of {} results differ from the first. This is a defect of Talweg; please report it.",
                        d.others, d.repetitions
                    ),
                }
            }
            Column::SpeedUp => {
                let (s, first) = (&cell.speed_up, self.found.threads.first().copied().unwrap_or(1));
                if cell.threads == first {
                    return format!(
                        "Other rows are compared with this one, which has the fewest threads measured ({}).",
                        threads(first)
                    );
                }
                format!(
                    "{} times as fast on {} as on {}, between {} and {} with a probability of {:.0} %; compared within each \
                     repetition.",
                    three(s.median),
                    threads(cell.threads),
                    threads(first),
                    three(s.low),
                    three(s.high),
                    100.0 * s.confidence
                )
            }
        }
    }
}

fn timed_help(timed: &str) -> &'static str {
    match timed {
        "field" => "A generator is timed for its whole field.",
        "pass" => "A filter is timed for one pass over Perlin noise, or over continents on a planet.",
        _ => "A process is timed for its first iteration on Perlin noise, or on continents on a planet.",
    }
}

impl BenchRow {
    fn new(found: &Benchmark, subject: usize, index: usize) -> Self {
        let of = &found.subjects[subject];
        let cell = &of.cells[index];
        let per_sample = cell.milliseconds.median * 1e6 / of.samples_of(cell.samples) as f64;
        let bytes = cell.peak_bytes.unwrap_or(cell.result_bytes);
        let law = growth(of, cell.threads).and_then(|growth| growth.time);
        let same = of.consistency.disagreements.iter().all(|d| (d.samples, d.threads) != (cell.samples, cell.threads));
        let is_first = found.threads.first() == Some(&cell.threads);
        let texts = vec![
            of.name.clone(),
            of.grid(cell.samples),
            cell.threads.to_string(),
            if cell.changes_nothing { "no change".into() } else { spread_of_time(&cell.milliseconds) },
            three(per_sample),
            cell.load_milliseconds.as_ref().map_or_else(|| "–".into(), |load| time(load.median)),
            short_mebibytes(bytes),
            law.map_or_else(|| "–".into(), power),
            if same { "yes" } else { "NO" }.into(),
            if is_first { "1".into() } else { spread_with(&cell.speed_up, 2) },
        ];
        let keys = vec![
            subject as f64,
            cell.samples as f64,
            cell.threads as f64,
            if cell.changes_nothing { f64::NAN } else { cell.milliseconds.median },
            per_sample,
            cell.load_milliseconds.as_ref().map_or(f64::NAN, |load| load.median),
            bytes as f64,
            law.map_or(f64::NAN, |law| law.exponent),
            f64::from(u8::from(same)),
            cell.speed_up.median,
        ];
        let told = format!(
            "{}, {}, {}: {}, {} ns per sample, load time {}, {} MiB, exponent {}, bit-identical: {}, speed-up {}",
            texts[0],
            texts[1],
            threads(cell.threads),
            texts[3],
            texts[4],
            texts[5],
            texts[6],
            texts[7],
            texts[8],
            texts[9]
        );
        Self { subject, cell: index, texts, keys, sentence: told }
    }
}

fn extremes(found: &Benchmark) -> Vec<ExtremeLine> {
    let mut lines = Vec::new();
    for subject in &found.subjects {
        let Some(extremes) = &subject.extremes else { continue };
        lines.push(ExtremeLine::Head(subject.name.clone()));
        lines.extend(extremes.iter().map(|extreme| ExtremeLine::Value {
            parameter: extreme.parameter.replace('_', " "),
            value: extreme.value.clone(),
            fate: ExtremeOutcome::of_extreme(extreme),
            times: extreme.times_the_default,
        }));
    }
    lines
}

/// Growth of the subject's cost with the size, for this number of threads.
pub fn growth(subject: &Findings, threads: usize) -> Option<&Growth> {
    subject.growth.iter().find(|growth| growth.threads == threads)
}

/// The number of threads as text: “one thread”, “2 threads”.
pub fn threads(count: usize) -> String {
    if count == 1 { "one thread".into() } else { format!("{count} threads") }
}

/// A count with its noun, in the singular or plural: “1 repetition”, “7 repetitions”.
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Converts bytes to mebibytes, as text with about three significant digits.
pub fn mebibytes(bytes: usize) -> String {
    three(bytes as f64 / f64::from(1 << 20))
}

/// Converts bytes to mebibytes, as text with at most two decimals, for the table.
fn short_mebibytes(bytes: usize) -> String {
    let value = bytes as f64 / f64::from(1 << 20);
    let digits = digits(value).min(2);
    format!("{value:.digits$}")
}

/// The number with about three significant digits.
pub fn three(value: f64) -> String {
    let digits = digits(value);
    format!("{value:.digits$}")
}

/// A time in milliseconds, formatted with a suitable unit.
pub fn time(milliseconds: f64) -> String {
    let (factor, unit) = unit(milliseconds);
    format!("{} {unit}", three(milliseconds * factor))
}

/// A unit in which a time of `milliseconds` has a few digits before the decimal point. The number converts milliseconds
/// to this unit.
fn unit(milliseconds: f64) -> (f64, &'static str) {
    match milliseconds {
        t if t >= 1000.0 => (1e-3, "s"),
        t if t >= 1.0 => (1.0, "ms"),
        t if t >= 1e-3 => (1e3, "µs"),
        _ => (1e6, "ns"),
    }
}

fn power(law: PowerLaw) -> String {
    match law.standard_error {
        Some(error) => format!("{:.2} ± {error:.2}", law.exponent),
        None => format!("{:.2}", law.exponent),
    }
}

/// A time with its confidence interval, in the unit of the median.
fn spread_of_time(milliseconds: &Estimate) -> String {
    let e = milliseconds;
    let (factor, unit) = unit(e.median);
    let scaled = e.times(factor);
    format!("{} {unit}", spread_with(&scaled, digits(scaled.median)))
}

/// The median with half the width of its confidence interval, as text. If the interval is asymmetric, the distances
/// from the median to both ends are shown. If the interval is unknown, only the median is shown.
fn spread_with(e: &Estimate, digits: usize) -> String {
    if e.confidence <= 0.0 {
        return format!("{:.digits$}", e.median);
    }
    let (above, below) = (e.high - e.median, e.median - e.low);
    let is_lopsided = (above > 2.0 * below || below > 2.0 * above) && e.high - e.low > 0.05 * e.median;
    if is_lopsided {
        // Half of the width would hide that one side of the interval is much wider than the other.
        return format!("{:.digits$} +{} −{}", e.median, two(above, digits), two(below, digits));
    }
    format!("{:.digits$} ± {:.digits$}", e.median, 0.5 * (e.high - e.low))
}

/// An uncertainty with about two significant digits and at most `most` decimals.
fn two(value: f64, most: usize) -> String {
    let digits = digits(value).saturating_sub(1).min(most);
    format!("{value:.digits$}")
}

/// Number of decimals that give `value` about three significant digits.
fn digits(value: f64) -> usize {
    match value.abs() {
        v if v >= 100.0 || v == 0.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        v if v >= 0.1 => 3,
        v if v >= 0.01 => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_with_their_uncertainty_and_unit() {
        let e =
            |median, low, high, confidence| Estimate { median, low, high, confidence, mean: median, uncertainty: None };
        assert_eq!(spread_of_time(&e(12.34, 12.0, 13.0, 0.97)), "12.3 ± 0.5 ms");
        assert_eq!(spread_of_time(&e(0.01234, 0.0120, 0.0130, 0.97)), "12.3 ± 0.5 µs");
        assert_eq!(spread_of_time(&e(1.24, 1.2, 22.5, 0.97)), "1.24 +21 −0.04 ms", "an interval that is not symmetric");
        assert_eq!(spread_of_time(&e(12.34, 12.34, 12.34, 0.0)), "12.3 ms", "one repetition knows no interval");
        assert_eq!(spread_with(&e(0.996, 0.9, 1.05, 0.97), 2), "1.00 ± 0.08");
        assert_eq!(time(1500.0), "1.50 s");
        assert_eq!(time(0.25), "250 µs");
        assert_eq!(time(0.0005), "500 ns");
        assert_eq!((threads(1), threads(2)), ("one thread".into(), "2 threads".into()));
    }
}
