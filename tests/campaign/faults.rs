//! System calls fail, one at a time, and processes are killed at each of them (with strace). Another check finds files
//! that are renamed before they are synced, since a power failure does more harm than a kill.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use talweg::recovery::{Session, UnsavedWork};
use talweg::scene::Scene;

use crate::kills::{child_command, findings_after_kill};
use crate::parts::{Amounts, OPERATIONS};
use crate::table::{Finding, Row, Table};
use crate::writers::{CONTROLS, Found, Operation, is_temporary_name, left_over};

/// Errors returned by system calls, with their numbers.
const ERRORS: [(&str, i32); 5] =
    [("ENOSPC", 28), ("EIO", 5), ("EROFS", 30), ("EACCES", ACCESS_DENIED), ("EDQUOT", 122)];
const ACCESS_DENIED: i32 = 13;
/// The short form tries every fifth call.
const STRIDE: usize = 5;
/// States that a process under strace writes: the first into an empty folder, the second over the first.
const STATES: u64 = 2;

/// A system call of the main thread.
#[derive(Clone, Debug)]
struct SystemCall {
    name: String,
    /// Number of calls with the same name up to and including this call.
    number: usize,
    line: String,
}

fn strace(options: &[String], log: &Path, words: &[String], state: Option<&Path>) -> Output {
    let mut command = Command::new("strace");
    command.arg("-y").args(["-s", "200"]).arg("-o").arg(log).args(options).args(words);
    if let Some(state) = state {
        command.env("TALWEG_STATE", state);
    }
    command.output().unwrap_or_else(|error| panic!("strace: {error}. tools/setup --test installs it"))
}

/// The system calls on files made by the process, in order.
fn calls(words: &[String], state: Option<&Path>, folder: &Path) -> (Vec<SystemCall>, Output) {
    let log = folder.with_extension("trace");
    let output = strace(&["-e".into(), "trace=%file,%desc".into()], &log, words, state);
    let text = fs::read_to_string(&log).expect("what strace wrote");
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut calls = Vec::new();
    for line in text.lines() {
        let Some((name, _)) = line.split_once('(') else { continue };
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            continue;
        }
        let number = numbers.entry(name.into()).or_default();
        *number += 1;
        calls.push(SystemCall { name: name.into(), number: *number, line: line.into() });
    }
    assert!(!calls.is_empty(), "strace saw nothing: {}", String::from_utf8_lossy(&output.stderr));
    (calls, output)
}

/// Whether a call concerns the written files, not the loading of the program, and can fail.
fn is_about(call: &SystemCall, folder: &Path) -> bool {
    let inside = call.line.contains(&*folder.to_string_lossy());
    inside && !["execve", "mmap", "poll", "close", "fcntl"].contains(&call.name.as_str())
}

fn inject(call: &SystemCall, what: &str) -> Vec<String> {
    let SystemCall { name, number, .. } = call;
    vec!["-e".into(), format!("trace={name}"), "-e".into(), format!("inject={name}:{what}:when={number}")]
}

/// The message of a program after a failure, and the facts to check it against.
struct Account<'a> {
    output: &'a Output,
    error: i32,
    call: &'a SystemCall,
    folder: &'a Path,
}

impl Account<'_> {
    fn error_text(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// The errors in the message, given whether the old state (`is_old`) or the new state (`is_new`) is on the disk.
    fn findings(&self, is_old: bool, is_new: bool) -> Vec<(Finding, String)> {
        let (said, call) = (self.error_text(), &self.call.line);
        let mut findings = Vec::new();
        let mut find = |finding: Finding, why: &str| findings.push((finding, format!("{why}\n    {call}\n    {said}")));
        if self.output.status.signal().is_some() || said.contains("panicked") {
            find(Finding::Crashed, "the program crashed");
            return findings;
        }
        if self.output.status.success() {
            if !is_new {
                find(Finding::Lost, "the program reported success, but the new state is missing");
            }
            return findings;
        }
        let names_error = said.contains(&format!("(os error {})", self.error))
            || self.error == ACCESS_DENIED && said.contains("write-protected");
        let names_place = said.contains(&*self.folder.to_string_lossy()) || said.contains("could not be printed");
        if !said.starts_with("talweg: ") || !names_error || !names_place {
            find(Finding::WrongSentence, "the message does not say what failed and where");
        } else if said.contains("untouched") && !is_old {
            find(Finding::WrongSentence, "the message says that the old file is untouched, but it is not");
        } else if said.contains("is replaced") && !is_new {
            find(Finding::WrongSentence, "the message says that the old file is replaced, but it is not");
        } else if !said.contains("untouched") && !said.contains("is replaced") && !is_old && !is_new {
            find(Finding::WrongSentence, "the message does not mention the old file");
        }
        if !self.call.name.starts_with("unlink") && !left_over(self.folder).is_empty() {
            find(Finding::LeftOver, "temporary files are left");
        }
        findings
    }
}

pub fn run(amounts: &Amounts, table: &mut Table) {
    let is_long = amounts.exhaustive;
    if !table.has_tool("system calls", "strace") {
        return;
    }
    for operation in OPERATIONS {
        kill_at_each_call(operation, None, is_long, table);
    }
    for operation in OPERATIONS {
        fail_each_call(operation, None, is_long, table);
    }
    for operation in OPERATIONS {
        check_order(operation, None, table);
    }
    for (operation, wanted) in CONTROLS {
        match operation {
            Operation::Truncating | Operation::CopyingOver | Operation::Removing | Operation::Hasty => {
                kill_at_each_call(operation, Some(wanted), true, table);
            }
            Operation::Unsynced => check_order(operation, Some(wanted), table),
            _ => fail_each_call(operation, Some(wanted), false, table),
        }
    }
    for program in PROGRAMS {
        fail_each_call_of(&program, is_long, table);
    }
}

fn control_name(kind: &str, operation: Operation, wanted: Option<Finding>) -> String {
    match wanted {
        Some(_) => format!("control, {kind}: {}", operation.name()),
        None => format!("{kind}: {}", operation.name()),
    }
}

/// A new folder, and the calls that the process makes in it. The folder's name always has the same length.
fn traced(operation: Operation) -> (tempfile::TempDir, Vec<SystemCall>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let work = folder.path().join("work");
    fs::create_dir(&work).expect("a folder");
    let (calls, output) = calls(&child_command(operation, &work, STATES), None, &work);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (folder, calls)
}

fn acknowledged(output: &Output) -> u64 {
    String::from_utf8_lossy(&output.stdout).lines().last().map_or(0, |line| line.parse().expect("a number"))
}

fn clear(folder: &Path) {
    fs::remove_dir_all(folder).expect("it can be removed");
    fs::create_dir(folder).expect("a folder");
}

fn kill_at_each_call(operation: Operation, wanted: Option<Finding>, is_long: bool, table: &mut Table) {
    let row = table.control_row(control_name("killed at each call", operation, wanted), wanted);
    let (folder, calls) = traced(operation);
    let (work, log) = (folder.path().join("work"), folder.path().join("log"));
    for (_, call) in chosen(calls.iter().filter(|call| is_about(call, &work)), is_long) {
        clear(&work);
        let words = child_command(operation, &work, STATES);
        let output = strace(&inject(call, "signal=KILL"), &log, &words, None);
        let when = format!("killed at {}", call.line);
        let mut findings = findings_after_kill(&operation.found(&work), acknowledged(&output), &when);
        if output.status.success() {
            findings.push((Finding::Crashed, format!("{when}: the process ended before this call")));
        }
        row.count(&findings);
        if row.is_caught() {
            break;
        }
    }
}

/// The calls to try: all of them, or one in [`STRIDE`] in the short form.
fn chosen<'a>(
    calls: impl Iterator<Item = &'a SystemCall>,
    is_long: bool,
) -> impl Iterator<Item = (usize, &'a SystemCall)> {
    calls.enumerate().step_by(if is_long { 1 } else { STRIDE })
}

/// The errors to try for a call: all of them, or one in turn.
fn errors_of(index: usize, is_long: bool) -> Vec<(&'static str, i32)> {
    if is_long { ERRORS.to_vec() } else { vec![ERRORS[index / STRIDE % ERRORS.len()]] }
}

fn fail_each_call(operation: Operation, wanted: Option<Finding>, is_long: bool, table: &mut Table) {
    let row = table.control_row(control_name("each call fails", operation, wanted), wanted);
    let (folder, calls) = traced(operation);
    let (work, log) = (folder.path().join("work"), folder.path().join("log"));
    let is_every = is_long || wanted.is_some();
    for (index, call) in chosen(calls.iter().filter(|call| is_about(call, &work)), is_every) {
        if row.is_caught() {
            break;
        }
        for (name, error) in errors_of(index, is_long) {
            clear(&work);
            let words = child_command(operation, &work, STATES);
            let output = strace(&inject(call, &format!("error={name}")), &log, &words, None);
            let account = Account { output: &output, error, call, folder: &work };
            row.count(&judged(operation, &account, acknowledged(&output)));
        }
    }
}

/// Findings after a process of the campaign was made to fail.
fn judged(operation: Operation, account: &Account<'_>, acknowledged: u64) -> Vec<(Finding, String)> {
    let found = operation.found(account.folder);
    if let Found::Torn(what) = &found {
        return vec![(Finding::Torn, format!("{what}\n    {}\n    {}", account.call.line, account.error_text()))];
    }
    let is_state = |number: u64| match found {
        Found::Nothing => number == 0,
        Found::State(there) => there == number,
        Found::Torn(_) => false,
    };
    let is_success = account.output.status.success();
    // after a success, the last state is the new state
    let (is_old, is_new) = if is_success {
        (false, is_state(acknowledged) && acknowledged == STATES)
    } else {
        // a session first writes that nothing is unsaved
        let is_empty_session = operation == Operation::Journal && acknowledged == 0 && found == Found::Nothing;
        (is_state(acknowledged), is_state(acknowledged + 1) || is_empty_session)
    };
    if !is_success && !is_old && !is_new {
        return vec![(
            Finding::Lost,
            format!("state {acknowledged} was reported as kept, found: {found:?}\n    {}", account.call.line),
        )];
    }
    account.findings(is_old, is_new)
}

/// Checks that every file is synced after its last write and before it is renamed, under all its names, and that its
/// folder is synced afterwards. Files still in a temporary folder are not in place yet.
fn check_order(operation: Operation, wanted: Option<Finding>, table: &mut Table) {
    let row = table.control_row(control_name("synced before and after renaming", operation, wanted), wanted);
    let (folder, calls) = traced(operation);
    let work = folder.path().join("work");
    let mut unsynced: BTreeMap<String, bool> = BTreeMap::new();
    let mut renames = 0;
    for (index, call) in calls.iter().enumerate().filter(|(_, call)| is_about(call, &work)) {
        let is_failed = call.line.contains(") = -1 ");
        let file = call.line.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(file, _)| file);
        match (call.name.as_str(), file) {
            ("write" | "pwrite64" | "writev" | "ftruncate" | "copy_file_range", Some(file)) => {
                unsynced.insert(file.into(), true);
            }
            ("fsync" | "fdatasync", Some(file)) if !is_failed => {
                unsynced.insert(file.into(), false);
            }
            ("rename" | "renameat" | "renameat2", _) if !is_failed => {
                let from = call.line.split('"').nth(1).expect("a name");
                let to = call.line.split('"').nth(3).expect("a name");
                let into = Path::new(to).parent().expect("a folder");
                let is_unsynced = unsynced.remove(from);
                if let Some(is_unsynced) = is_unsynced {
                    unsynced.insert(to.into(), is_unsynced);
                }
                if is_temporary_name(&into.file_name().expect("a name").to_string_lossy()) {
                    continue;
                }
                renames += 1;
                let into = into.to_string_lossy();
                let mut findings = Vec::new();
                if is_unsynced != Some(false) {
                    findings.push((Finding::Lost, format!("the file was not synced before: {}", call.line)));
                }
                let is_folder_synced = calls[index..]
                    .iter()
                    .any(|later| later.name == "fsync" && later.line.contains(&format!("<{into}>)")));
                if !is_folder_synced {
                    findings.push((Finding::Lost, format!("the folder was not synced afterwards: {}", call.line)));
                }
                row.count(&findings);
            }
            _ => {}
        }
    }
    if renames < STATES {
        row.fail(&format!("only {renames} renames were seen"));
    }
}

/// A command of the program that writes files, in a folder of its own.
struct ProgramRun {
    name: &'static str,
    /// Creates the files that the command replaces, and its inputs.
    prepare: fn(&Path),
    arguments: &'static [&'static str],
}

/// `*` in an argument stands for the folder.
const PROGRAMS: [ProgramRun; 5] = [
    ProgramRun {
        name: "export",
        prepare: |folder| {
            fs::write(folder.join("scene.ron"), "(version: 1, layers: [(node: Perlin())])").expect("a file");
            fs::write(folder.join("h.png"), "old").expect("a file");
        },
        arguments: &["export", "*/scene.ron", "--size", "9", "--threads", "1", "-o", "*/h.png"],
    },
    ProgramRun {
        name: "patch take",
        prepare: |folder| {
            program(folder, &["patch", "take", "*/planet.ron", "--longitude", "9", TAKE, "-o", "*/a.ron"]);
        },
        arguments: &["patch", "take", "*/planet.ron", "--longitude", "1", TAKE, "-o", "*/a.ron"],
    },
    ProgramRun {
        name: "patch put",
        prepare: |folder| {
            program(folder, &["patch", "take", "*/planet.ron", "--longitude", "1", TAKE, "-o", "*/a.ron"]);
            program(folder, &["patch", "put", "*/a.ron", "--longitude", "9", "--size", "9", "-o", "*/b.ron"]);
        },
        arguments: &["patch", "put", "*/a.ron", "--size", "17", "--threads", "1", "-o", "*/b.ron"],
    },
    ProgramRun {
        name: "cut-out",
        prepare: |folder| {
            program(folder, &["cut-out", "island", "--size", "17", CUT, "--threads", "1", "-o", "*/c.ron"]);
        },
        arguments: &["cut-out", "island", "--size", "9", CUT, "--threads", "1", "-o", "*/c.ron"],
    },
    ProgramRun {
        name: "recover",
        prepare: |folder| {
            let session = Session::start(&folder.join("state")).expect("a session");
            let (scene, edited) = (Scene::default(), std::time::UNIX_EPOCH);
            let work = UnsavedWork { scene, file: None, edited, edit: "Rename".into(), ended: None };
            session.keep(None, Some(&work)).expect("it is kept");
        },
        arguments: &["recover", "-o", "*/saved.ron"],
    },
];

/// The area of all commands that cut out terrain.
const CUT: &str = "--area 1000,1000,4000,4000";
/// Arguments of all commands that take a patch.
const TAKE: &str = "--latitude 2 --side 800000 --samples 33 --size 9 --threads 1";

fn program_words(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let folder = folder.to_string_lossy();
    let words = arguments.iter().flat_map(|word| word.split(' ')).map(|word| word.replace('*', &folder));
    std::iter::once(env!("CARGO_BIN_EXE_talweg").to_string()).chain(words).collect()
}

fn program(folder: &Path, arguments: &[&str]) {
    let planet = folder.join("planet.ron");
    if !planet.exists() {
        let planet_text = "(version: 1, settings: (world: Planet), layers: [(node: Perlin())])";
        fs::write(planet, planet_text).expect("a file");
    }
    let words = program_words(folder, arguments);
    let output = Command::new(&words[0]).args(&words[1..]).output().expect("talweg starts");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The files directly in a folder, without temporary files.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.path());
    let named = |path: &PathBuf| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".talweg-"));
    let files = files.filter(|path| path.is_file() && named(path));
    files.map(|path| (path.clone(), fs::read(path).expect("a file"))).collect()
}

fn restore(folder: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("the folder").flatten().filter(|entry| entry.path().is_file()) {
        fs::remove_file(entry.path()).expect("it can be removed");
    }
    files.iter().for_each(|(path, bytes)| fs::write(path, bytes).expect("a file"));
}

fn fail_each_call_of(run: &ProgramRun, is_long: bool, table: &mut Table) {
    let row = table.row(format!("each call fails: talweg {}", run.name));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (work, log) = (folder.path().join("work"), folder.path().join("log"));
    fs::create_dir(&work).expect("a folder");
    (run.prepare)(&work);
    let (old, state) = (snapshot(&work), work.join("state"));
    let words = program_words(&work, run.arguments);
    let (calls, output) = calls(&words, Some(&state), &work);
    let new = snapshot(&work);
    if !output.status.success() || new == old {
        row.fail(&format!("it fails without an injected error: {}", String::from_utf8_lossy(&output.stderr)));
        return;
    }
    // printing the result may fail as well
    let about = calls.iter().filter(|call| is_about(call, &work) || call.line.starts_with("write(1<"));
    for (index, call) in chosen(about, is_long) {
        for (name, error) in errors_of(index, is_long) {
            restore(&work, &old);
            let output = strace(&inject(call, &format!("error={name}")), &log, &words, Some(&state));
            count_program(row, &Account { output: &output, error, call, folder: &work }, &old, &new);
        }
    }
}

fn count_program(
    row: &mut Row,
    account: &Account<'_>,
    old: &BTreeMap<PathBuf, Vec<u8>>,
    new: &BTreeMap<PathBuf, Vec<u8>>,
) {
    let mut now = snapshot(account.folder);
    // old heights stay if the old scene was unreadable or may be restored, and so do files that cannot be removed
    let is_kept =
        |path: &PathBuf| path.extension().is_some_and(|e| e == "r32" || e == "png") && !new.contains_key(path);
    if account.output.status.success() || account.error_text().contains("is replaced") {
        now.retain(|path, _| !is_kept(path));
    } else if account.call.name.starts_with("unlink") {
        now.retain(|path, _| old.contains_key(path));
    }
    if now != *old && now != *new {
        let names: Vec<_> = now.keys().filter_map(|path| path.file_name()).collect();
        row.count(&[(Finding::Torn, format!("{names:?}\n    {}\n    {}", account.call.line, account.error_text()))]);
        return;
    }
    row.count(&account.findings(now == *old, now == *new));
}
