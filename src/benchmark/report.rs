//! Results of a benchmark, and their output as tables, JSON (through serde) and CSV.
//!
//! The field names are the JSON keys and must not change.

use std::fmt::Write;

use serde::Serialize;

use crate::measure::csv_field;

use super::stats::{CONFIDENCE, Estimate, PowerLaw};

/// Results of a whole benchmark.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Benchmark {
    /// Number of timed observations of each cell.
    pub repetitions: usize,
    /// Numbers of samples per side that were measured.
    pub sizes: Vec<usize>,
    /// Numbers of threads that were measured.
    pub threads: Vec<usize>,
    /// Number of threads that the machine can run at the same time.
    pub processors: usize,
    /// The processor's name, if the system reports it.
    pub processor: Option<String>,
    /// Operating system and architecture.
    pub system: String,
    /// Version of Talweg.
    pub version: &'static str,
    /// Whether `peak_bytes` was counted. If not, the growth of memory is fitted to the memory of the resulting
    /// terrains.
    pub memory_is_counted: bool,
    /// Results, in the order of the subjects.
    pub subjects: Vec<Findings>,
}

/// Results of one subject.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    /// Name of the subject, as on the command line.
    pub name: String,
    /// Timed unit: a `field`, a `pass` or an `iteration`.
    pub timed: &'static str,
    /// Faces of the grid: 1, or 6 on a planet.
    pub faces: usize,
    /// Measurements by size and number of threads.
    pub cells: Vec<BenchCell>,
    /// Growth of time and memory with the size, for each number of threads.
    pub growth: Vec<Growth>,
    /// Whether the same inputs always gave the same result.
    pub consistency: Consistency,
    /// Results at extreme parameters; `None` if they were not tested.
    pub extremes: Option<Vec<Extreme>>,
}

/// Measurements at one size with one number of threads.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchCell {
    /// Number of samples per side.
    pub samples: usize,
    /// Number of threads that ran the subject.
    pub threads: usize,
    /// Time of one run.
    pub milliseconds: Estimate,
    /// Number of runs averaged in one observation.
    pub runs_per_observation: usize,
    /// Whether a pass or an iteration left its input unchanged, bit for bit, so that its time is meaningless.
    pub changes_nothing: bool,
    /// Speed relative to the first number of threads. The ratios are computed within each repetition.
    pub speed_up: Estimate,
    /// Time relative to the first subject. The ratios are computed within each repetition.
    pub times_the_first: Estimate,
    /// Memory of the resulting terrain, in bytes.
    pub result_bytes: usize,
    /// Peak memory in bytes, including the resulting terrain; `None` if it was not counted.
    pub peak_bytes: Option<usize>,
    /// Time to load the terrain from a file of 16-bit heights in memory; `None` on planets, and for all numbers of
    /// threads except the first.
    pub load_milliseconds: Option<Estimate>,
    /// Size of the file from which the terrain is loaded, in bytes.
    pub file_bytes: Option<usize>,
}

/// Exponents of the growth of time and memory with the samples per side: 2 is linear in the number of samples.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Growth {
    /// Number of threads that ran the subject.
    pub threads: usize,
    /// Growth of the time; `None` if there is only one size.
    pub time: Option<PowerLaw>,
    /// Growth of the memory; `None` if there is only one size.
    pub memory: Option<PowerLaw>,
}

/// Whether the same inputs always gave the same result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Consistency {
    /// Whether all results of each size were equal.
    pub is_consistent: bool,
    /// Hash of the result at each size.
    pub hashes: Vec<String>,
    /// Cells whose results differed.
    pub disagreements: Vec<Disagreement>,
}

/// A cell in which some results differ from the first result at the same size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// Number of samples per side.
    pub samples: usize,
    /// Number of threads that ran the subject.
    pub threads: usize,
    /// Number of results that differ from the first result.
    pub others: usize,
    /// Number of results that were compared.
    pub repetitions: usize,
}

/// Result of a run with one parameter at one end of its hard range.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Extreme {
    /// Name of the extreme parameter.
    pub parameter: &'static str,
    /// The value, formatted as users type it.
    pub value: String,
    /// Whether the run took too long and was stopped.
    pub was_stopped: bool,
    /// Whether all heights and data maps are finite; `None` if the run was stopped.
    pub is_finite: Option<bool>,
    /// Whether all heights are equal; `None` if the run was stopped.
    pub is_level: Option<bool>,
    /// Time relative to a run with default parameters; `None` if the default parameters leave the terrain unchanged.
    pub times_the_default: Option<f64>,
}

impl Estimate {
    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            median: self.median * factor,
            low: self.low * factor,
            high: self.high * factor,
            mean: self.mean * factor,
            uncertainty: self.uncertainty.map(|uncertainty| uncertainty * factor),
            ..self
        }
    }
}

impl Findings {
    /// Number of samples of a grid with `side` samples per side.
    pub fn samples_of(&self, side: usize) -> usize {
        self.faces * side * side
    }

    /// The grid as text: 257², or 6 × 257².
    pub fn grid(&self, side: usize) -> String {
        if self.faces == 1 { format!("{side}²") } else { format!("{} × {side}²", self.faces) }
    }

    /// The measurements at this size and with this number of threads.
    pub fn cell(&self, samples: usize, threads: usize) -> Option<&BenchCell> {
        self.cells.iter().find(|cell| (cell.samples, cell.threads) == (samples, threads))
    }
}

impl Benchmark {
    /// The results as tables in plain text.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{} repetitions, interleaved; medians with intervals of at least {:.0} % confidence.\n{}, {} at a time, {}.\n",
            self.repetitions,
            100.0 * CONFIDENCE,
            self.processor.as_deref().unwrap_or("Unknown processor"),
            self.processors,
            self.system
        );
        if let Some(confidence) = self.weak_confidence() {
            let _ =
                writeln!(text, "Too few repetitions: the intervals have only {:.0} % confidence.", 100.0 * confidence);
        }
        for &threads in &self.threads {
            let count = if threads == 1 { "1 thread".to_string() } else { format!("{threads} threads") };
            text += &format!("\nTime on {count}, ms\n");
            text += &self.by_size(|r, n| r.cell(n, threads).map_or_else(String::new, |c| interval(&c.milliseconds)));
            if self.repetitions > 1 {
                text += &format!("\nMean time on {count} with its standard uncertainty (type A, s/√n), ms\n");
                text += &self.by_size(|r, n| r.cell(n, threads).map_or_else(String::new, |c| mean(&c.milliseconds)));
            }
        }
        let (Some(&least), Some(&most)) = (self.threads.first(), self.threads.last()) else { return text };
        let largest = self.sizes.iter().copied().max().unwrap_or(0);
        let _ = writeln!(text, "\nComparison at {largest}², on {least} thread{}", if least == 1 { "" } else { "s" });
        text += &self.comparison(least, most);
        text += if self.memory_is_counted {
            "\nPeak memory, including the resulting terrain, MiB\n"
        } else {
            "\nMemory of the resulting terrain, MiB (this program does not count temporary memory)\n"
        };
        text += &self.by_size(|r, n| {
            let bytes = r.cell(n, most).map_or(0, |c| c.peak_bytes.unwrap_or(c.result_bytes));
            format!("{:.2}", bytes as f64 / f64::from(1 << 20))
        });
        for subject in &self.subjects {
            let idle = self.sizes.iter().filter(|&&n| subject.cell(n, most).is_some_and(|cell| cell.changes_nothing));
            let idle: Vec<String> = idle.map(|&n| subject.grid(n)).collect();
            if !idle.is_empty() {
                let sizes = idle.join(", ");
                let _ = writeln!(
                    text,
                    "\n{} changes nothing at {sizes}: its time at that size is meaningless",
                    subject.name
                );
            }
            for wrong in &subject.consistency.disagreements {
                let _ = writeln!(
                    text,
                    "\n{}: {} of {} results at {} samples with {} threads differ from the first",
                    subject.name, wrong.others, wrong.repetitions, wrong.samples, wrong.threads
                );
            }
        }
        for subject in self.subjects.iter().filter(|s| s.extremes.is_some()) {
            let _ = writeln!(text, "\n{} at extreme parameters", subject.name);
            text += &extremes_text(subject);
        }
        text
    }

    /// Confidence of the intervals, if it is below [`CONFIDENCE`].
    fn weak_confidence(&self) -> Option<f64> {
        let cell = self.subjects.first()?.cells.first()?;
        Some(cell.milliseconds.confidence).filter(|&c| c < CONFIDENCE)
    }

    fn by_size(&self, entry: impl Fn(&Findings, usize) -> String) -> String {
        let head = self.sizes.iter().map(|n| format!("{n}²"));
        let rows = self.subjects.iter().map(|subject| {
            let place = if subject.faces == 1 { "" } else { " on a planet, six such faces" };
            let name = format!("{} ({}{place})", subject.name, subject.timed);
            std::iter::once(name).chain(self.sizes.iter().map(|&n| entry(subject, n))).collect()
        });
        table(std::iter::once(String::new()).chain(head).collect(), rows.collect())
    }

    fn comparison(&self, least: usize, most: usize) -> String {
        let first = self.subjects.first().map_or("", |s| s.name.as_str());
        let mut head = vec![String::new(), format!("time, {first} = 1"), "time ~ side^e, e =".into()];
        if most != least {
            head.push(format!("speed-up, {least} to {most} threads"));
        }
        head.push("memory ~ side^e, e =".into());
        head.push("loading, ms".into());
        head.push("same bits every time".into());
        let largest = self.sizes.iter().copied().max().unwrap_or(0);
        let rows = self.subjects.iter().map(|subject| {
            let mut row = vec![subject.name.clone()];
            row.push(subject.cell(largest, least).map_or_else(String::new, |cell| interval(&cell.times_the_first)));
            let growth = subject.growth.first();
            row.push(growth.and_then(|g| g.time).map_or_else(|| "-".into(), power));
            if most != least {
                row.push(subject.cell(largest, most).map_or_else(String::new, |cell| interval(&cell.speed_up)));
            }
            row.push(growth.and_then(|g| g.memory).map_or_else(|| "-".into(), power));
            let load = subject.cell(largest, least).and_then(|cell| cell.load_milliseconds);
            row.push(load.map_or_else(|| "-".into(), |load| interval(&load)));
            row.push(if subject.consistency.is_consistent { "yes" } else { "NO" }.into());
            row
        });
        table(head, rows.collect())
    }

    /// The results as comma-separated values: a header line, then one line per cell.
    pub fn csv(&self) -> String {
        let mut csv = String::from(
            "name,timed,samples,threads,median_ms,low_ms,high_ms,confidence,speed_up,times_the_first,result_bytes,\
             peak_bytes,time_exponent,time_exponent_standard_error,is_consistent,faces,load_ms,file_bytes\n",
        );
        let or_nothing = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
        for subject in &self.subjects {
            for cell in &subject.cells {
                let law = subject.growth.iter().find(|g| g.threads == cell.threads).and_then(|g| g.time);
                let time = &cell.milliseconds;
                let _ = writeln!(
                    csv,
                    "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                    csv_field(&subject.name),
                    subject.timed,
                    cell.samples,
                    cell.threads,
                    time.median,
                    time.low,
                    time.high,
                    time.confidence,
                    cell.speed_up.median,
                    cell.times_the_first.median,
                    cell.result_bytes,
                    cell.peak_bytes.map_or_else(String::new, |b| b.to_string()),
                    or_nothing(law.map(|l| l.exponent)),
                    or_nothing(law.and_then(|l| l.standard_error)),
                    subject.consistency.is_consistent,
                    subject.faces,
                    or_nothing(cell.load_milliseconds.map(|load| load.median)),
                    cell.file_bytes.map_or_else(String::new, |b| b.to_string()),
                );
            }
        }
        csv
    }
}

fn extremes_text(subject: &Findings) -> String {
    let head = ["parameter", "value", "heights", "time, default = 1"].map(String::from).into();
    let rows = subject.extremes.iter().flatten().map(|extreme| {
        let heights = match (extreme.is_finite, extreme.is_level) {
            (None, _) => "stopped: took too long",
            (Some(false), _) => "NOT FINITE",
            (_, Some(true)) => "level",
            _ => "finite",
        };
        let time = extreme.times_the_default.map_or_else(|| "-".into(), |t| format!("{t:.2}"));
        vec![extreme.parameter.into(), extreme.value.clone(), heights.into(), time]
    });
    table(head, rows.collect())
}

fn interval(e: &Estimate) -> String {
    let digits = digits(e.median);
    format!("{:.digits$} ({:.digits$} to {:.digits$})", e.median, e.low, e.high)
}

/// The mean with its standard uncertainty.
fn mean(e: &Estimate) -> String {
    let uncertainty = e.uncertainty.unwrap_or_default();
    let digits = digits(e.mean);
    format!("{:.digits$} ± {uncertainty:.digits$}", e.mean)
}

/// Number of decimals that give `value` about three significant digits.
fn digits(value: f64) -> usize {
    let mut digits = 0;
    let mut scaled = value;
    while scaled < 100.0 && digits < 6 {
        (scaled, digits) = (scaled * 10.0, digits + 1);
    }
    digits
}

fn power(law: PowerLaw) -> String {
    match law.standard_error {
        Some(error) => format!("{:.2} ± {error:.2}", law.exponent),
        None => format!("{:.2}", law.exponent),
    }
}

/// A text table with columns as wide as their longest entry: names left-aligned, numbers right-aligned.
fn table(head: Vec<String>, rows: Vec<Vec<String>>) -> String {
    let all: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let wide = |column: usize| all.iter().filter_map(|row| row.get(column)).map(|t| t.chars().count()).max();
    let widths: Vec<usize> = (0..all[0].len()).map(|column| wide(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &all {
        let mut line = String::new();
        for (column, (entry, &width)) in row.iter().zip(&widths).enumerate() {
            if column == 0 {
                let _ = write!(line, "  {entry:<width$}");
            } else {
                let _ = write!(line, "  {entry:>width$}");
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}
