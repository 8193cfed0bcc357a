//! Edits a scene for a long time, 20 times per second. Each edit is evaluated, kept for undo and written to the
//! journal. Memory must not grow, and without edits nothing must be computed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use talweg::eval::{Request, RequestQuality, Worker, WorkerReport};
use talweg::nodes::Node;
use talweg::param::Value;
use talweg::recovery::{Session, UnsavedWork};
use talweg::scene::{EditHistory, Layer, Scene};

use crate::parts::Amounts;
use crate::table::{Finding, Table};

pub const EDITS_PER_SECOND: u64 = 20;
/// Allowed growth of memory, in bytes: memory that the allocator keeps, and a cache that is still filling.
const GROWTH: u64 = 48 << 20;
/// Processor ticks that the test itself uses when it reads the statistics of the process.
const IDLE_TICKS: u64 = 1;

fn scene() -> Scene {
    let mut scene = Scene::default();
    scene.settings.resolution = 129;
    scene.layers = vec![Layer::new(Node::catalogue().remove(0), 1)];
    scene
}

/// The scene after another edit, which changes its first number.
fn edited(before: &Scene, edit: u32) -> Scene {
    let mut after = before.clone();
    after.name = format!("Edit {edit}");
    let params = after.layers[0].node.params_mut();
    let frequency = params.about().find("frequency").expect("noise has one");
    params.set(frequency, &Value::Float(1.0 + (edit % 97) as f32 * 0.1)).expect("it is in range");
    after
}

/// Bytes of memory of a process, given as `self` or by number.
pub fn resident_bytes(process: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.map_or(0, |kibibytes| kibibytes << 10)
}

/// Processor time of a process in system ticks.
pub fn processor_ticks(process: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("Linux");
    let after_name = text.rsplit_once(')').expect("a name").1;
    let field = |k: usize| after_name.split_whitespace().nth(k).and_then(|t| t.parse::<u64>().ok()).expect("a number");
    // user and system time; the fields are counted after the process name, the second field
    field(11) + field(12)
}

pub fn run(amounts: &Amounts, table: &mut Table) {
    let state = tempfile::tempdir().expect("a temporary folder");
    let session = Session::start(state.path()).expect("a session");
    let worker = Worker::start(1, |_, _, _| (), || {}).expect("a thread");
    let mut history = EditHistory::default();
    let mut present = Arc::new(scene());
    let edits = (amounts.soak * EDITS_PER_SECOND).max(1) as u32;
    let begun = Instant::now();
    let (mut settled, mut late, mut done) = (0, 0, 0);
    for edit in 1..=edits {
        let after = Arc::new(edited(&present, edit));
        history.record("Change frequency", None, &present, &after);
        present = after;
        let work = UnsavedWork {
            scene: Scene::clone(&present),
            file: None,
            edited: std::time::SystemTime::now(),
            edit: "Change frequency".into(),
            ended: None,
        };
        session.keep(None, Some(&work)).expect("it is kept");
        worker.submit(Request {
            revision: u64::from(edit),
            scene: Arc::clone(&present),
            quality: RequestQuality::PreviewThenFull,
            playhead: None,
            play: None,
            history_layer: None,
            place: None,
            mask: None,
            stroke: None,
        });
        let next = begun + Duration::from_secs(1) / EDITS_PER_SECOND as u32 * edit;
        match next.checked_duration_since(Instant::now()) {
            Some(rest) => std::thread::sleep(rest),
            None => late += 1,
        }
        while let Some(report) = worker.poll() {
            done += u32::from(matches!(report, WorkerReport::Done { .. }));
        }
        // undo is full after 500 edits, and the cache is full earlier
        if edit == (edits / 2).clamp(1, 1000) {
            settled = resident_bytes("self");
        }
    }
    while worker.is_busy() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let grown = resident_bytes("self").saturating_sub(settled);
    let before = processor_ticks("self");
    std::thread::sleep(Duration::from_secs(amounts.soak.min(10)));
    let idle = processor_ticks("self") - before;
    let row = table.row("soak: edits, 20 per second");
    row.count_sound(u64::from(edits - 1));
    let mut findings = Vec::new();
    if grown > GROWTH {
        findings.push((Finding::Crashed, format!("memory grew by {} KiB", grown >> 10)));
    }
    if idle > IDLE_TICKS {
        findings.push((Finding::Crashed, format!("{idle} ticks of processor time without edits")));
    }
    if done == 0 {
        findings.push((Finding::Crashed, "no terrain was computed".into()));
    }
    row.count(&findings);
    row.note(format!(
        "memory {} MiB, grown by {} KiB; {done} terrains computed; {late} edits late; idle {idle} ticks",
        settled >> 20,
        grown >> 10
    ));
}
