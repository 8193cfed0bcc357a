//! One plain sentence for each finding of a benchmark. The order follows the lecture on terrain in games, which
//! compares its two approaches by speed, growth, threads, memory, consistency and extremes. Warnings about the times
//! precede all other findings.

use super::stats::CONFIDENCE;
use super::summary::{ExtremeOutcome, counted, growth, mebibytes, threads, three, time};
use super::{BenchCell, Benchmark, Estimate, Findings};

/// A finding: a sentence and its tone.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Tone of the sentence: a fact, a warning or a defect.
    pub tone: Tone,
    /// The sentence, for display.
    pub text: String,
}

/// Tone of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The sentence is a fact.
    Plain,
    /// The sentence is a warning about the times.
    Care,
    /// The sentence reports a defect.
    Bad,
}

/// Width of a confidence interval, relative to the median, above which the interval counts as wide.
const WIDE: f64 = 0.25;
/// Whether an interval is so wide that the reader should be warned.
pub fn is_wide(e: &Estimate) -> bool {
    e.high - e.low > WIDE * e.median
}

/// Maximum number of nodes that a sentence names. If there are more, only the first and the last are named.
const NAMED: usize = 5;

/// The findings of a benchmark. `was_disturbed` is true if Talweg computed something else at the same time.
pub fn findings(found: &Benchmark, was_disturbed: bool) -> Vec<Finding> {
    let mut list = List(Vec::new());
    uncertainty(&mut list, found);
    if was_disturbed {
        list.care("Talweg was computing something else at the same time, so the times are too long.".into());
    }
    idle(&mut list, found);
    speed(&mut list, found);
    grows(&mut list, found);
    speed_up(&mut list, found);
    memory(&mut list, found);
    consistency(&mut list, found);
    extremes(&mut list, found);
    list.0
}

struct List(Vec<Finding>);

impl List {
    fn plain(&mut self, text: String) {
        self.0.push(Finding { tone: Tone::Plain, text });
    }

    fn care(&mut self, text: String) {
        self.0.push(Finding { tone: Tone::Care, text });
    }

    fn bad(&mut self, text: String) {
        self.0.push(Finding { tone: Tone::Bad, text });
    }
}

fn uncertainty(list: &mut List, found: &Benchmark) {
    let repetitions = found.repetitions;
    let timed = found.subjects.iter().flat_map(|s| s.cells.iter().map(move |cell| (s, cell)));
    let timed: Vec<(&Findings, &BenchCell)> =
        timed.filter(|(_, c)| !c.changes_nothing && c.milliseconds.median > 0.0).collect();
    let Some((_, first)) = timed.first() else { return };
    let confidence = first.milliseconds.confidence;
    if repetitions == 1 {
        list.care(
            "Everything was measured once: there are no intervals, and each time can be far from the true median."
                .into(),
        );
        return;
    }
    if confidence < CONFIDENCE {
        list.care(format!(
            "{repetitions} repetitions are few: the intervals contain the true median with a probability of only {:.0} %. With six or more it is 95 %.",
            100.0 * confidence
        ));
    }
    let width = |cell: &BenchCell| (cell.milliseconds.high - cell.milliseconds.low) / cell.milliseconds.median;
    let wide = timed.iter().filter(|(_, cell)| is_wide(&cell.milliseconds)).count();
    let Some((subject, widest)) = timed.iter().max_by(|a, b| width(a.1).total_cmp(&width(b.1))) else { return };
    if wide > 0 {
        list.care(format!(
            "The machine was busy or changed its speed: {wide} of {} intervals are wide. The widest is {:.0} % of its time \
             ({}, {}², {}). Close other programs, or use more repetitions.",
            timed.len(),
            100.0 * width(widest),
            subject.name,
            widest.samples,
            threads(widest.threads)
        ));
    } else {
        list.plain(format!(
            "The machine was quiet: no interval is wider than {:.1} % of its time.",
            100.0 * width(widest)
        ));
    }
}

fn idle(list: &mut List, found: &Benchmark) {
    let idle: Vec<&str> =
        found.subjects.iter().filter(|s| s.cells.iter().any(|c| c.changes_nothing)).map(|s| s.name.as_str()).collect();
    if !idle.is_empty() {
        let (verb, its) = if idle.len() == 1 { ("leaves", "its") } else { ("leave", "their") };
        list.care(format!(
            "{} {verb} the terrain unchanged at some size: {its} time at that size is meaningless.",
            names(&idle)
        ));
    }
}

fn speed(list: &mut List, found: &Benchmark) {
    let (Some(&size), Some(&on)) = (found.sizes.iter().max(), found.threads.first()) else { return };
    let place = format!("at {size}² on {}", threads(on));
    let cells: Vec<(&Findings, &BenchCell)> =
        found.subjects.iter().filter_map(|s| Some((s, s.cell(size, on).filter(|c| !c.changes_nothing)?))).collect();
    match cells.as_slice() {
        [] => {}
        [(one, cell)] => list.plain(format!(
            "One {} of {} takes {} at {} on {}.",
            one.timed,
            one.name,
            time_with_interval(&cell.milliseconds),
            one.grid(size),
            threads(on)
        )),
        [(first, _), others @ ..] if others.len() < NAMED && first.name == found.subjects[0].name => {
            for (other, cell) in others {
                list.plain(comparison(first, other, &cell.times_the_first, &place));
            }
        }
        many => {
            let by_time = |a: &&(&Findings, &BenchCell), b: &&(&Findings, &BenchCell)| {
                a.1.milliseconds.median.total_cmp(&b.1.milliseconds.median)
            };
            let (Some(fast), Some(slow)) = (many.iter().min_by(by_time), many.iter().max_by(by_time)) else { return };
            list.plain(format!(
                "Of {} nodes {place}, {} is the fastest with {} and {} the slowest with {}.",
                many.len(),
                fast.0.name,
                time_with_interval(&fast.1.milliseconds),
                slow.0.name,
                time_with_interval(&slow.1.milliseconds)
            ));
        }
    }
}

/// Compares two subjects; `quotient` is the time of `other` divided by the time of `first`.
fn comparison(first: &Findings, other: &Findings, quotient: &Estimate, place: &str) -> String {
    let (a, b, q) = (&first.name, &other.name, quotient);
    let apples = if first.timed == other.timed {
        String::new()
    } else {
        format!(" This compares one {} with one {}.", other.timed, first.timed)
    };
    let doubt = if q.confidence < CONFIDENCE { ", as far as so few repetitions can show" } else { "" };
    let between = |low: f64, high: f64| {
        if q.confidence > 0.0 { format!(" ({} to {})", three(low), three(high)) } else { String::new() }
    };
    if q.low <= 1.0 && q.high >= 1.0 {
        return format!(
            "It is uncertain whether {b} or {a} is faster {place}: the ratio of their times lies between {} and {}.{apples}",
            three(q.low),
            three(q.high)
        );
    }
    if q.high < 1.0 && q.low > 0.0 {
        let (times, range) = (three(1.0 / q.median), between(1.0 / q.high, 1.0 / q.low));
        return format!("{b} is {times} times as fast as {a} {place}{range}{doubt}.{apples}");
    }
    format!("{b} takes {} times as long as {a} {place}{}{doubt}.{apples}", three(q.median), between(q.low, q.high))
}

/// 97.5 % quantile of Student's t distribution with `freedom` degrees of freedom. Above ten degrees of freedom, the
/// value for ten is returned, which makes the interval wider.
fn student(freedom: usize) -> f64 {
    const QUANTILES: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    QUANTILES[freedom.clamp(1, QUANTILES.len()) - 1]
}

fn grows(list: &mut List, found: &Benchmark) {
    let Some(&on) = found.threads.first() else { return };
    if found.sizes.len() < 2 {
        list.plain("One size alone does not show how the time grows.".into());
        return;
    }
    let laws: Vec<_> = found
        .subjects
        .iter()
        .filter(|s| s.cells.iter().all(|c| !c.changes_nothing))
        .filter_map(|s| Some((s, growth(s, on)?.time?)))
        .collect();
    if laws.len() > NAMED {
        let by = |a: &&(&Findings, crate::benchmark::PowerLaw), b: &&(&Findings, crate::benchmark::PowerLaw)| {
            a.1.exponent.total_cmp(&b.1.exponent)
        };
        if let (Some(least), Some(most)) = (laws.iter().min_by(by), laws.iter().max_by(by)) {
            list.plain(format!(
                "As the side of the terrain grows, the time of {} grows least, to the power {:.2}, and the time of {} most, to \
                 the power {:.2}. The power 2 is linear in the number of samples.",
                least.0.name, least.1.exponent, most.0.name, most.1.exponent
            ));
        }
        return;
    }
    for (subject, law) in laws {
        let (name, e) = (&subject.name, law.exponent);
        let Some(error) = law.standard_error else {
            list.plain(format!(
                "The time of {name} grows with the side to the power {e:.2}; two sizes cannot show how certain this is."
            ));
            continue;
        };
        let margin = student(law.sizes - 2) * error;
        let verdict = if (e - 2.0).abs() <= margin && margin > 0.5 {
            "too uncertain to tell whether this is linear in the number of samples"
        } else if (e - 2.0).abs() <= margin.max(0.05) {
            "linear in the number of samples"
        } else if e < 2.0 {
            "less than linear in the number of samples, because the fixed costs of a run weigh more on small terrains"
        } else {
            "more than linear in the number of samples, so large terrains cost more per sample"
        };
        list.plain(format!("The time of {name} grows with the side to the power {e:.2} ± {error:.2}: {verdict}."));
    }
}

fn speed_up(list: &mut List, found: &Benchmark) {
    let (Some(&size), Some(&least), Some(&most)) =
        (found.sizes.iter().max(), found.threads.first(), found.threads.last())
    else {
        return;
    };
    if least == most {
        return;
    }
    let cells: Vec<(&str, &Estimate)> = found
        .subjects
        .iter()
        .filter_map(|s| Some((s.name.as_str(), &s.cell(size, most).filter(|c| !c.changes_nothing)?.speed_up)))
        .collect();
    let (many, few) = (threads(most), threads(least));
    if cells.len() > NAMED {
        let sure = cells.iter().filter(|(_, s)| s.low > 1.0).count();
        let by = |a: &&(&str, &Estimate), b: &&(&str, &Estimate)| a.1.median.total_cmp(&b.1.median);
        if let (Some(worst), Some(best)) = (cells.iter().min_by(by), cells.iter().max_by(by)) {
            list.plain(format!(
                "On {many}, {sure} of {} nodes are faster than on {few} at {size}². {} gains most, by a factor of {}, and {} least, by a \
                 factor of {}.",
                cells.len(),
                best.0,
                three(best.1.median),
                worst.0,
                three(worst.1.median)
            ));
        }
        return;
    }
    for (name, s) in cells {
        let range =
            if s.confidence > 0.0 { format!(" ({} to {})", three(s.low), three(s.high)) } else { String::new() };
        list.plain(if s.low > 1.0 {
            format!("{name} is {} times as fast on {many} as on {few} at {size}²{range}.", three(s.median))
        } else if s.high < 1.0 && s.low > 0.0 {
            let range = if s.confidence > 0.0 {
                format!(" ({} to {})", three(1.0 / s.high), three(1.0 / s.low))
            } else {
                String::new()
            };
            format!("{name} takes {} times as long on {many} as on {few} at {size}²{range}.", three(1.0 / s.median))
        } else {
            format!("It is uncertain whether {name} gains from {many} at {size}²{range}.")
        });
    }
}

fn memory(list: &mut List, found: &Benchmark) {
    let (Some(&size), Some(&on)) = (found.sizes.iter().max(), found.threads.last()) else { return };
    if !found.memory_is_counted {
        list.plain(
            "Memory is that of the resulting terrains alone: this program does not count temporary memory.".into(),
        );
        return;
    }
    let share = |cell: &BenchCell| cell.peak_bytes.map(|peak| peak as f64 / cell.result_bytes.max(1) as f64);
    let cells = found.subjects.iter().filter_map(|s| {
        let cell = s.cell(size, on)?;
        Some((s, cell, share(cell)?))
    });
    if let Some((subject, cell, times)) = cells.max_by(|a, b| a.2.total_cmp(&b.2)) {
        let (peak, result) = (mebibytes(cell.peak_bytes.unwrap_or(0)), mebibytes(cell.result_bytes));
        let who = if found.subjects.len() > 1 {
            format!("{} takes the most memory relative to its result:", subject.name)
        } else {
            format!("{} takes", subject.name)
        };
        list.plain(format!("{who} {peak} MiB at {size}², {} times the {result} MiB of the result.", three(times)));
    }
}

fn consistency(list: &mut List, found: &Benchmark) {
    let wrong: Vec<&str> =
        found.subjects.iter().filter(|s| !s.consistency.is_consistent).map(|s| s.name.as_str()).collect();
    let each = found.repetitions * found.threads.len();
    if !wrong.is_empty() {
        list.bad(format!(
            "The same inputs gave different results: {}. This is a defect of Talweg; please report it.",
            names(&wrong)
        ));
    } else if each < 2 {
        list.plain("Every terrain was made once, so repeatability was not tested.".into());
    } else {
        let threads = if found.threads.len() > 1 { ", with every number of threads" } else { "" };
        list.plain(format!(
            "Same inputs, same bits: all {} of every node and size agree{threads}.",
            counted(each, "result")
        ));
    }
}

fn extremes(list: &mut List, found: &Benchmark) {
    let looked: Vec<_> = found.subjects.iter().filter_map(|s| Some((s, s.extremes.as_ref()?))).collect();
    if looked.is_empty() {
        return;
    }
    let all = || looked.iter().flat_map(|(s, list)| list.iter().map(move |e| (*s, e)));
    let count = |fate: ExtremeOutcome| match all().filter(|(_, e)| ExtremeOutcome::of_extreme(e) == fate).count() {
        0 => "none".to_string(),
        some => some.to_string(),
    };
    let total = all().count();
    let broken: Vec<String> = all()
        .filter(|(_, e)| ExtremeOutcome::of_extreme(e) == ExtremeOutcome::NotFinite)
        .map(|(s, e)| format!("{} with {} = {}", s.name, e.parameter.replace('_', " "), e.value))
        .collect();
    if broken.is_empty() {
        list.plain(format!(
            "Of {} none gave an infinite height; {} gave level ground, {} took too long.",
            counted(total, "extreme value"),
            count(ExtremeOutcome::Level),
            count(ExtremeOutcome::Stopped)
        ));
    } else {
        let shown: Vec<&str> = broken.iter().map(String::as_str).collect();
        list.bad(format!("Heights are not finite: {}. This is a defect of Talweg; please report it.", names(&shown)));
    }
    let slowest = all().filter_map(|(s, e)| Some((s, e, e.times_the_default?))).max_by(|a, b| a.2.total_cmp(&b.2));
    if let Some((subject, extreme, times)) = slowest {
        list.plain(format!(
            "The slowest extreme is {} with {} = {}: {} times its usual time.",
            subject.name,
            extreme.parameter.replace('_', " "),
            extreme.value,
            three(times)
        ));
    }
}

/// A time with its confidence interval, as text.
fn time_with_interval(e: &Estimate) -> String {
    if e.confidence <= 0.0 {
        return time(e.median);
    }
    format!("{} ({} to {})", time(e.median), time(e.low), time(e.high))
}

/// A list of at most [`NAMED`] names, with the number of further names.
fn names(all: &[&str]) -> String {
    let shown = &all[..all.len().min(NAMED)];
    match all.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Consistency, Disagreement, Extreme, Growth, PowerLaw};

    fn estimate(median: f64, half: f64) -> Estimate {
        Estimate { median, low: median - half, high: median + half, confidence: 0.97, mean: median, uncertainty: None }
    }

    fn cell(
        samples: usize,
        threads: usize,
        time: Estimate,
        times_the_first: Estimate,
        speed_up: Estimate,
    ) -> BenchCell {
        BenchCell {
            samples,
            threads,
            milliseconds: time,
            runs_per_observation: 1,
            changes_nothing: false,
            speed_up,
            times_the_first,
            result_bytes: 1 << 20,
            peak_bytes: Some(3 << 20),
            load_milliseconds: None,
            file_bytes: None,
        }
    }

    fn subject(name: &str, quotient: Estimate, speed_up: Estimate, exponent: f64, error: f64) -> Findings {
        let one = estimate(1.0, 0.0);
        let law = PowerLaw { exponent, standard_error: Some(error), sizes: 4 };
        Findings {
            name: name.into(),
            timed: "field",
            faces: 1,
            cells: vec![
                cell(257, 1, estimate(2.0, 0.02), one, one),
                cell(513, 1, estimate(8.0, 0.1), quotient, one),
                cell(513, 2, estimate(5.0, 0.1), quotient, speed_up),
            ],
            growth: vec![Growth { threads: 1, time: Some(law), memory: None }],
            consistency: Consistency { is_consistent: true, hashes: Vec::new(), disagreements: Vec::new() },
            extremes: None,
        }
    }

    fn benchmark() -> Benchmark {
        let one = estimate(1.0, 0.0);
        Benchmark {
            repetitions: 7,
            sizes: vec![257, 513],
            threads: vec![1, 2],
            processors: 2,
            processor: None,
            system: "test".into(),
            version: "0",
            memory_is_counted: true,
            subjects: vec![
                subject("Perlin", one, estimate(1.6, 0.1), 2.01, 0.01),
                subject("Midpoint", estimate(0.25, 0.05), estimate(1.0, 0.2), 2.4, 0.01),
            ],
        }
    }

    fn findings_text(found: &Benchmark, disturbed: bool) -> String {
        findings(found, disturbed).iter().map(|f| format!("{}\n", f.text)).collect()
    }

    #[test]
    fn speed_growth_and_threads_are_judged_by_their_intervals() {
        let text = findings_text(&benchmark(), false);
        assert!(
            text.contains("Midpoint is 4.00 times as fast as Perlin at 513² on one thread (3.33 to 5.00)."),
            "{text}"
        );
        assert!(text.contains("Perlin is 1.60 times as fast on 2 threads as on one thread"), "{text}");
        assert!(text.contains("It is uncertain whether Midpoint gains from 2 threads at 513²"), "{text}");
        assert!(text.contains("to the power 2.01 ± 0.01: linear in the number"), "{text}");
        assert!(text.contains("to the power 2.40 ± 0.01: more than linear"), "{text}");
        assert!(text.contains("The machine was quiet") && text.contains("same bits: all 14 results"), "{text}");
        assert!(text.contains("3.00 MiB at 513², 3.00 times the 1.00 MiB of the result"), "{text}");
        let mut close = benchmark();
        close.subjects[1].cells[1].times_the_first = estimate(0.95, 0.1);
        assert!(
            findings_text(&close, false).contains("It is uncertain whether Midpoint or Perlin is faster"),
            "{}",
            findings_text(&close, false)
        );
    }

    #[test]
    fn doubts_come_first() {
        let mut busy = benchmark();
        busy.subjects[0].cells[1].milliseconds = estimate(8.0, 2.0);
        let first = &findings(&busy, false)[0];
        assert_eq!(first.tone, Tone::Care);
        assert!(first.text.contains("busy") && first.text.contains("50 % of its time (Perlin, 513²"), "{}", first.text);
        assert!(findings_text(&busy, true).contains("Talweg was computing something else"));
        let mut once = benchmark();
        once.repetitions = 1;
        assert!(findings(&once, false)[0].text.contains("measured once"));
    }

    #[test]
    fn defects_are_named() {
        let mut bad = benchmark();
        let wrong = Disagreement { samples: 513, threads: 2, others: 1, repetitions: 7 };
        bad.subjects[1].consistency =
            Consistency { is_consistent: false, hashes: Vec::new(), disagreements: vec![wrong] };
        let extreme = |finite, level, times| Extreme {
            parameter: "base_height",
            value: "9".into(),
            was_stopped: false,
            is_finite: Some(finite),
            is_level: Some(level),
            times_the_default: Some(times),
        };
        bad.subjects[0].extremes = Some(vec![extreme(false, false, 1.0), extreme(true, true, 7.0)]);
        let list = findings(&bad, false);
        let texts: Vec<&str> = list.iter().filter(|f| f.tone == Tone::Bad).map(|f| f.text.as_str()).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].contains("different results: Midpoint"), "{texts:?}");
        assert!(texts[1].contains("Perlin with base height = 9"), "{texts:?}");
        assert!(findings_text(&bad, false).contains("7.00 times its usual time"));
        bad.subjects[0].extremes = Some(vec![extreme(true, true, 7.0)]);
        assert!(
            findings_text(&bad, false).contains("Of 1 extreme value none gave an infinite height; 1 gave level ground")
        );
    }
}
