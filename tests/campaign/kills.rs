//! The writing process is killed at random moments.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use talweg::io::sweep_folder;

use crate::parts::{Amounts, OPERATIONS};
use crate::table::{Finding, Table};
use crate::writers::{Found, Operation, Writer, left_over};

/// First argument of the writing process.
pub const CHILD: &str = "write";
/// Longer than any operation takes.
const LONGEST_WAIT_MICROSECONDS: u64 = 40_000;
/// Number of states that the process writes unless it is killed.
const ENDLESS: u64 = 1 << 20;

/// The process that writes states 1 to `last`, and prints the number of each after it is kept.
pub fn child_command(operation: Operation, folder: &Path, last: u64) -> Vec<String> {
    let program = std::env::current_exe().expect("this program");
    let words = [program.to_string_lossy().into_owned(), CHILD.into(), operation.name()];
    words.into_iter().chain([folder.to_string_lossy().into_owned(), last.to_string()]).collect()
}

/// The main function of the process that [`child_command`] starts.
pub fn child() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let [operation, folder, last] = &arguments[..] else { return ExitCode::from(2) };
    let (Some(operation), Ok(last)) = (Operation::named(operation), last.parse::<u64>()) else {
        return ExitCode::from(2);
    };
    let acknowledge = |number: u64| {
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{number}").and_then(|()| out.flush());
    };
    let work = || -> Result<(), Box<dyn std::error::Error>> {
        let writer = Writer::new(operation, Path::new(folder))?;
        for number in 1..=last {
            if operation.is_hasty() {
                acknowledge(number);
            }
            writer.write(number)?;
            if !operation.is_hasty() {
                acknowledge(number);
            }
        }
        Ok(())
    };
    match work() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("talweg: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Findings after the kill of a process that had reported state `acknowledged` as kept.
pub fn findings_after_kill(found: &Found, acknowledged: u64, when: &str) -> Vec<(Finding, String)> {
    match *found {
        Found::State(number) if number == acknowledged || number == acknowledged + 1 => Vec::new(),
        Found::Nothing if acknowledged == 0 => Vec::new(),
        Found::Torn(ref what) => vec![(Finding::Torn, format!("{when}: {what}"))],
        ref other => {
            vec![(Finding::Lost, format!("{when}: state {acknowledged} was reported as kept, found: {other:?}"))]
        }
    }
}

/// Random numbers that are the same in every run (xorshift, Marsaglia 2003).
pub struct Moments(u64);

impl Moments {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next_below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

pub fn run(amounts: &Amounts, table: &mut Table) {
    let controls = [Operation::Truncating, Operation::Hasty];
    for operation in OPERATIONS.into_iter().chain(controls) {
        let (what, wanted, kills) = match operation {
            Operation::Truncating => ("control, killed: truncating", Some(Finding::Torn), amounts.kills.max(400) / 4),
            Operation::Hasty => ("control, killed: hasty", Some(Finding::Lost), amounts.kills.max(400) / 4),
            _ => ("killed", None, amounts.kills / OPERATIONS.len() as u64),
        };
        let what = if wanted.is_some() { what.to_string() } else { format!("{what}: {}", operation.name()) };
        let row = table.control_row(what, wanted);
        let mut moments = Moments::new(amounts.seed.wrapping_add(operation as u64));
        for kill in 0..kills {
            row.count(&kill_once(operation, &mut moments, kill));
            if row.is_caught() {
                break;
            }
        }
    }
}

fn kill_once(operation: Operation, moments: &mut Moments, kill: u64) -> Vec<(Finding, String)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let words = child_command(operation, folder.path(), ENDLESS);
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the campaign starts itself");
    let mut said = BufReader::new(child.stdout.take().expect("piped"));
    let mut acknowledged = String::new();
    // one kill in 16 comes before anything is written
    if !kill.is_multiple_of(16) {
        said.read_line(&mut acknowledged).expect("it says what it has written");
    }
    std::thread::sleep(Duration::from_micros(moments.next_below(LONGEST_WAIT_MICROSECONDS)));
    let had_ended = child.try_wait().expect("a process").is_some();
    child.kill().expect("a process");
    child.wait().expect("a process");
    said.read_to_string(&mut acknowledged).expect("numbers");
    if had_ended {
        let mut error = String::new();
        let _ = child.stderr.take().expect("piped").read_to_string(&mut error);
        return vec![(Finding::Crashed, format!("it ended by itself: {error}"))];
    }
    // an incomplete line does not count as a report
    let whole = acknowledged.rfind('\n').map_or("", |end| &acknowledged[..end]);
    let acknowledged = whole.lines().last().map_or(0, |line| line.parse().expect("a number"));
    let mut findings = findings_after_kill(&operation.found(folder.path()), acknowledged, &format!("kill {kill}"));
    sweep_folder(folder.path());
    if !left_over(folder.path()).is_empty() {
        findings.push((Finding::LeftOver, format!("kill {kill}: what killed processes leave is not swept")));
    }
    findings
}
