//! The table of attempts and findings.

use std::fmt::Write;

/// A kind of fault in the result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A file is neither the old nor the new state.
    Torn,
    /// A state that was reported as kept is missing.
    Lost,
    /// The error message was wrong or missing.
    WrongSentence,
    /// Temporary files are left that could have been removed.
    LeftOver,
    /// The program panicked, hung, or was killed by a signal that the test did not send.
    Crashed,
}

const FINDINGS: [(Finding, &str); 5] = [
    (Finding::Torn, "torn"),
    (Finding::Lost, "lost"),
    (Finding::WrongSentence, "wrong sentence"),
    (Finding::LeftOver, "left over"),
    (Finding::Crashed, "crashed"),
];

/// Set after `tools/setup --test` has run.
const TOOLS_INSTALLED: &str = "TALWEG_TOOLS_INSTALLED";

/// The results of one operation in one part of the campaign.
#[derive(Debug)]
pub struct Row {
    what: String,
    tries: u64,
    counts: [u64; FINDINGS.len()],
    /// For a deliberately wrong writer: the finding that the campaign must report for it.
    control: Option<Finding>,
    note: String,
    /// The first few findings in words.
    details: Vec<String>,
    has_failed: bool,
}

impl Row {
    /// Counts an attempt with its findings.
    pub fn count(&mut self, findings: &[(Finding, String)]) {
        self.tries += 1;
        for (finding, detail) in findings {
            let column = FINDINGS.iter().position(|(known, _)| known == finding);
            self.counts[column.expect("every finding has its column")] += 1;
            if self.details.len() < 8 {
                self.details.push(format!("{finding:?}: {detail}"));
            }
        }
    }

    /// Counts attempts without findings.
    pub fn count_sound(&mut self, tries: u64) {
        self.tries += tries;
    }

    /// Records an attempt that could not be made, which counts as a finding.
    pub fn fail(&mut self, why: &str) {
        self.has_failed = true;
        self.note = why.into();
    }

    /// Records that attempts are impossible here; a control is then not judged.
    pub fn skip(&mut self, why: &str) {
        self.control = None;
        self.note = format!("not tried: {why}");
    }

    /// Whether a control has been caught, so that more attempts are unnecessary.
    pub fn is_caught(&self) -> bool {
        self.control.is_some() && !self.is_finding()
    }

    /// Adds a remark to the row.
    pub fn note(&mut self, note: impl Into<String>) {
        self.note = note.into();
    }

    fn is_finding(&self) -> bool {
        match self.control {
            Some(wanted) => !FINDINGS.iter().zip(self.counts).any(|((known, _), n)| *known == wanted && n > 0),
            None => self.has_failed || self.counts.iter().any(|n| *n > 0),
        }
    }

    fn verdict(&self) -> String {
        match self.control {
            Some(_) if self.is_finding() => "NOT CAUGHT".into(),
            Some(_) => "caught".into(),
            None => self.note.clone(),
        }
    }
}

/// The table printed at the end.
#[derive(Default)]
pub struct Table(Vec<Row>);

impl Table {
    /// Adds an empty row for `what` to the table, and returns it.
    pub fn row(&mut self, what: impl Into<String>) -> &mut Row {
        let new = Row {
            what: what.into(),
            tries: 0,
            counts: [0; FINDINGS.len()],
            control: None,
            note: String::new(),
            details: Vec::new(),
            has_failed: false,
        };
        self.0.push(new);
        self.0.last_mut().expect("it was pushed")
    }

    /// Adds a row for a writer; if the writer is a control, the campaign must report the finding `wanted`.
    pub fn control_row(&mut self, what: impl Into<String>, wanted: Option<Finding>) -> &mut Row {
        let row = self.row(what);
        row.control = wanted;
        row
    }

    /// Whether the tool that `what` needs is installed. If not, a row says so; after `make test` and `tools/campaign`,
    /// which install it, that is a finding.
    pub fn has_tool(&mut self, what: &str, tool: &str) -> bool {
        let is_there = std::process::Command::new(tool).arg("--version").output().is_ok();
        if !is_there {
            let row = self.row(what);
            row.skip(&format!("{tool} is not installed; tools/setup --test installs it"));
            row.has_failed = std::env::var_os(TOOLS_INSTALLED).is_some();
        }
        is_there
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there are findings. A campaign without attempts counts as a finding.
    pub fn has_findings(&self) -> bool {
        self.is_empty() || self.0.iter().any(Row::is_finding)
    }

    pub fn print(&self) {
        let widest = self.0.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
        let mut text = format!("\n{:widest$}  {:>9}", "what", "tries");
        for (_, name) in FINDINGS {
            let _ = write!(text, "  {name}");
        }
        text.push('\n');
        for row in &self.0 {
            let _ = write!(text, "{:widest$}  {:>9}", row.what, row.tries);
            for ((_, name), count) in FINDINGS.iter().zip(row.counts) {
                let _ = write!(text, "  {count:>width$}", width = name.len());
            }
            let _ = writeln!(text, "  {}", row.verdict());
        }
        for row in self.0.iter().filter(|row| row.is_finding()) {
            let _ = writeln!(text, "\n{}: {}", row.what, row.verdict());
            row.details.iter().for_each(|detail| text.push_str(&format!("  {detail}\n")));
        }
        println!("{text}");
    }
}
