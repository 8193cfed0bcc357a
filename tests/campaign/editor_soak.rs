//! The editor's window, edited about 20 times a second for a long time. The memory of the editor must not grow, and
//! without input the editor must do nothing.
//!
//! The window is small, so that a software driver draws it often enough. There is no short form, because the frame rate
//! and the load of the machine decide the result.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::parts::Amounts;
use crate::screen_kit::{SCENE, Session, play_until};
use crate::soak::{EDITS_PER_SECOND, processor_ticks, resident_bytes};
use crate::table::{Finding, Table};

/// Number of edits in [`CYCLE`]: each move of a drag is an edit, and so is each key.
const EDITS_IN_CYCLE: u64 = 20;
/// A drag there and back, a layer hidden and shown, and a layer added and undone.
const CYCLE: &str = r#"Drag("Slider:Frequency", 24, 0), Key("H"), Key("H"), Drag("Slider:Frequency", -24, 0),
    Key("Ctrl+D"), Key("Ctrl+Z"), "#;
/// Allowed growth of memory, in bytes. Undo is full after 500 steps, and the caches are full earlier. The memory of the
/// allocator and of the driver may still vary.
const GROWTH: u64 = 48 << 20;
/// Time without input, and the processor ticks (hundredths of a second) that the editor may use in this time.
const REST: Duration = Duration::from_secs(20);
const REST_TICKS: u64 = 2;
/// Time to draw the last frames and write the last edits.
const UNTIL_REST: Duration = Duration::from_secs(5);

pub fn run(amounts: &Amounts, table: &mut Table) {
    if amounts.editor_soak == 0 {
        return;
    }
    let row = table.row("soak of the editor: edits in its window, 20 per second");
    let session = Session::new();
    std::fs::write(session.path("scene.ron"), SCENE).expect("a file");
    let cycles = (amounts.editor_soak * EDITS_PER_SECOND).div_ceil(EDITS_IN_CYCLE).max(2);
    let (first, second) = (cycles / 2, cycles - cycles / 2);
    let steps = format!(
        r#"[Resize(640, 400), Settle, Click("Hills"), Settle, State("begun.json"), {} Settle, State("half.json"), {} Settle,
            State("done.json"), Rest]"#,
        CYCLE.repeat(first as usize),
        CYCLE.repeat(second as usize)
    );
    let mut child = play_until(&session, &steps, "begun.json");
    let begun = Instant::now();
    let process = child.id().to_string();
    let mut wait = |path: &Path| {
        while !path.exists() && matches!(child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(100));
        }
        path.exists()
    };
    let mut findings = Vec::new();
    let half = wait(&session.path("half.json")).then(|| resident_bytes(&process));
    let done = wait(&session.path("done.json")).then(|| resident_bytes(&process));
    let seconds = begun.elapsed().as_secs_f64();
    if let (Some(half), Some(done)) = (half, done) {
        std::thread::sleep(UNTIL_REST);
        let before = processor_ticks(&process);
        std::thread::sleep(REST);
        let ticks = processor_ticks(&process) - before;
        let grown = done.saturating_sub(half);
        if grown > GROWTH {
            findings.push((Finding::Crashed, format!("memory grew by {} KiB", grown >> 10)));
        }
        if ticks > REST_TICKS {
            findings.push((Finding::Crashed, format!("{ticks} ticks of processor time without input")));
        }
        row.note(format!(
            "{:.1} edits a second for {seconds:.0} s; memory {} MiB half-way, {} MiB at the end; {ticks} ticks in {} s \
             without input",
            (cycles * EDITS_IN_CYCLE) as f64 / seconds,
            half >> 20,
            done >> 20,
            REST.as_secs()
        ));
    } else {
        findings.push((Finding::Crashed, format!("the editor ended after {seconds:.0} s")));
    }
    let _ = Command::new("kill").args(["-TERM", &process]).status();
    let _ = child.wait();
    row.count_sound(cycles * EDITS_IN_CYCLE - 1);
    row.count(&findings);
}
