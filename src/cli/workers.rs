//! Worker processes that run tasks in parallel. A worker reads the number of a task from a line of its standard input.
//! When the task is done, the worker writes a line to its standard output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of attempts at a task.
const TRIES: usize = 3;

/// The reason why some tasks were not done.
#[derive(Debug)]
pub enum WorkerError {
    /// A task failed, or its worker was killed, in every attempt.
    Task { task: usize, tries: usize },
    /// A worker could not be started.
    NoWorker(std::io::Error),
}

/// State that the workers share.
struct SharedTasks {
    /// Remaining tasks, the next one last, each with its number of attempts.
    left: Vec<(usize, usize)>,
    /// The running worker processes.
    workers: Vec<Option<Child>>,
    gave_up: Option<WorkerError>,
}

/// Runs tasks 0 to `tasks` - 1 in up to `most` worker processes at a time, each started by `worker`. If a worker ends
/// before it answers, another worker repeats its task. Error messages of workers are shown; their other output is not.
///
/// # Errors
/// If a task failed in every attempt. The other workers are then stopped.
pub fn run_in_workers(
    worker: &(dyn Fn() -> std::io::Result<Command> + Sync),
    most: usize,
    tasks: usize,
) -> Result<(), WorkerError> {
    let left = (0..tasks).rev().map(|task| (task, 0)).collect();
    let shared = Mutex::new(SharedTasks { left, workers: (0..most).map(|_| None).collect(), gave_up: None });
    std::thread::scope(|scope| {
        for number in 0..most {
            let shared = &shared;
            scope.spawn(move || {
                if let Err(gave_up) = work(worker, shared, number) {
                    let mut shared = lock(shared);
                    shared.gave_up.get_or_insert(gave_up);
                    shared.left.clear();
                    // Workers can be killed safely, because they write each file completely or not at all.
                    shared.workers.iter_mut().flatten().for_each(|worker| drop(worker.kill()));
                }
            });
        }
    });
    shared.into_inner().unwrap_or_else(PoisonError::into_inner).gave_up.map_or(Ok(()), Err)
}

fn lock(shared: &Mutex<SharedTasks>) -> MutexGuard<'_, SharedTasks> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs tasks in a worker process until none remains. If the process ends before it has done its task, a new process
/// repeats the task.
fn work(
    worker: &(dyn Fn() -> std::io::Result<Command> + Sync),
    shared: &Mutex<SharedTasks>,
    number: usize,
) -> Result<(), WorkerError> {
    let next = || lock(shared).left.pop();
    let mut given = next();
    while given.is_some() {
        let started = worker().and_then(|mut command| command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn());
        let mut program = started.map_err(WorkerError::NoWorker)?;
        let (mut asks, mut answers) = (program.stdin.take(), program.stdout.take().map(BufReader::new));
        {
            let mut shared = lock(shared);
            if shared.gave_up.is_some() {
                let _ = program.kill();
            }
            shared.workers[number] = Some(program);
        }
        let mut failed = None;
        while let Some((task, tries)) = given {
            let is_done = |line: &str| line.ends_with('\n');
            let mut said = String::new();
            let asked = asks.as_mut().is_some_and(|asks| writeln!(asks, "{task}").is_ok());
            let answered = asked && answers.as_mut().is_some_and(|answers| answers.read_line(&mut said).is_ok());
            if !answered || !is_done(&said) {
                failed = Some((task, tries + 1));
                break;
            }
            given = next();
        }
        drop(asks);
        let program = lock(shared).workers[number].take();
        if let Some(mut program) = program {
            // The process ends when its input is closed; a failed process has already ended.
            let _ = program.wait();
        }
        if let Some((task, tries)) = failed {
            if lock(shared).gave_up.is_some() {
                return Ok(());
            }
            if tries >= TRIES {
                return Err(WorkerError::Task { task, tries });
            }
            given = Some((task, tries));
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Runs workers in a folder. Each worker executes the shell command `what` for every `$task` that it reads, and
    /// logs the task in that folder.
    fn run_logged(
        folder: &std::path::Path,
        what: &str,
        most: usize,
        tasks: usize,
    ) -> (Result<(), WorkerError>, Vec<usize>) {
        let script = format!("while read task; do {what}; echo $task >> done; echo done; done");
        let worker = || {
            let mut command = Command::new("sh");
            command.arg("-c").arg(&script).current_dir(folder);
            Ok(command)
        };
        let outcome = run_in_workers(&worker, most, tasks);
        let noted = std::fs::read_to_string(folder.join("done")).unwrap_or_default();
        let mut noted: Vec<usize> = noted.lines().map(|line| line.parse().unwrap()).collect();
        noted.sort_unstable();
        (outcome, noted)
    }

    #[test]
    fn every_task_is_done_once_by_any_number_of_workers() {
        for (most, tasks) in [(1, 0), (1, 5), (3, 20), (8, 2)] {
            let folder = tempfile::tempdir().unwrap();
            let (outcome, done) = run_logged(folder.path(), ":", most, tasks);
            outcome.unwrap();
            assert_eq!(done, (0..tasks).collect::<Vec<_>>(), "{most} workers");
        }
    }

    #[test]
    fn a_task_is_restarted_when_its_worker_dies() {
        let folder = tempfile::tempdir().unwrap();
        // The first worker dies in the middle of its answer, the second worker dies without an answer.
        let dies = "mkdir a$task 2>&- && printf don && kill -9 $$; mkdir b$task 2>&- && exit 1";
        let (outcome, done) = run_logged(folder.path(), dies, 2, 4);
        outcome.unwrap();
        assert_eq!(done, [0, 1, 2, 3]);
    }

    #[test]
    fn a_task_that_always_fails_stops_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let fails = "if [ $task = 2 ]; then exit 1; fi; if [ $task = 1 ]; then exec sleep 1000; fi";
        let (outcome, done) = run_logged(folder.path(), fails, 2, 9);
        assert!(matches!(outcome, Err(WorkerError::Task { task: 2, tries: TRIES })), "{outcome:?}");
        assert_eq!(done, [0], "what comes after it is not begun");
    }

    #[test]
    fn without_a_program_there_is_no_worker() {
        let outcome = run_in_workers(&|| Ok(Command::new("/no/such/program")), 2, 3);
        assert!(matches!(outcome, Err(WorkerError::NoWorker(_))), "{outcome:?}");
    }
}
