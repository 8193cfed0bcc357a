//! The editor ends at random moments while a script edits: by a signal, or because its screen is gone. Edits older than
//! a second must be offered again.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant, SystemTime};

use talweg::scene::Scene;

use crate::kills::Moments;
use crate::parts::Amounts;
use crate::screen_kit::{SCENE, Session, left_work, play_until};
use crate::table::{Finding, Table};

/// Age after which an edit must not be lost; newer edits may be lost.
const PROMISE: Duration = Duration::from_secs(1);
/// An editor that has not ended after this time hangs.
const PATIENCE: Duration = Duration::from_secs(30);
/// More edits than a script reaches before the end.
const EDITS: usize = 300;
const LONGEST_WAIT_MILLISECONDS: u64 = 5000;
/// Layers of the scene before it is edited.
const LAYERS: usize = 2;

/// A way for the editor to end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Signal(&'static str),
    /// The X server is killed.
    Screen,
}

const ENDS: [End; 5] = [End::Signal("KILL"), End::Signal("TERM"), End::Signal("INT"), End::Signal("HUP"), End::Screen];

pub fn run(amounts: &Amounts, table: &mut Table) {
    if amounts.ends == 0 {
        return;
    }
    let mut moments = Moments::new(amounts.seed);
    for (index, end) in (0_u64..).zip(ENDS) {
        let row = table.row(match end {
            End::Signal(name) => format!("end of the editor: {name}"),
            End::Screen => "end of the editor: lost X server".into(),
        });
        // the first rows take the remainder
        let tries = (amounts.ends + ENDS.len() as u64 - 1 - index) / ENDS.len() as u64;
        let (mut edits, mut most_lost) = (0, 0);
        for _ in 0..tries {
            let (findings, outcome) = end_once(end, &mut moments);
            edits += outcome.promised;
            most_lost = most_lost.max(outcome.lost);
            row.count(&findings);
        }
        row.note(format!(
            "{edits} edits were older than a second and had to be kept; at most {most_lost} newer edits were lost"
        ));
        if tries > 0 && edits == 0 {
            row.fail("no script reached an edit that had to be kept");
        }
    }
}

/// Number of layers in a state written by the editor, and when it was written.
fn written_state(session: &Session, number: usize) -> Option<(SystemTime, usize)> {
    let file = session.path(&format!("{number}.json"));
    let written = std::fs::metadata(&file).ok()?.modified().ok()?;
    let state: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).ok()?).ok()?;
    Some((written, state["layers"].as_array()?.len()))
}

fn wait(child: &mut Child) -> Option<ExitStatus> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("a process") {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// Edits of an interrupted script.
#[derive(Default)]
struct EditCounts {
    /// Edits that are old enough that they must not be lost.
    promised: usize,
    /// Newer edits that were lost, which is allowed.
    lost: usize,
}

/// Ends the editor once; returns the findings, and what happened to the edits.
fn end_once(end: End, moments: &mut Moments) -> (Vec<(Finding, String)>, EditCounts) {
    let mut session = Session::new();
    if end == End::Screen && session.screen.xvfb.is_none() {
        let why = "there is no Xvfb: tools/setup --test installs it";
        return (vec![(Finding::Crashed, why.into())], EditCounts::default());
    }
    std::fs::write(session.path("scene.ron"), SCENE).expect("a file");
    // each edit adds a hidden layer, which takes no time to evaluate
    let edits: String = (1..=EDITS).map(|n| format!(r#"Key("Ctrl+D"), State("{n}.json"), "#)).collect();
    let steps = format!(r#"[Settle, Click("Hills"), Settle, Key("H"), State("0.json"), {edits}]"#);
    let mut child = play_until(&session, &steps, "0.json");
    std::thread::sleep(Duration::from_millis(moments.next_below(LONGEST_WAIT_MILLISECONDS)));
    let ended = SystemTime::now();
    match end {
        End::Signal(name) => {
            let sent = Command::new("kill").args([format!("-{name}"), child.id().to_string()]).status();
            assert!(sent.is_ok_and(|status| status.success()), "kill -{name}");
        }
        End::Screen => {
            let mut xvfb = session.screen.xvfb.take();
            let _ = xvfb.as_mut().map(|xvfb| (xvfb.kill(), xvfb.wait()));
        }
    }
    let status = wait(&mut child);
    let mut said = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        let _ = stderr.read_to_string(&mut said);
    }
    let mut findings = Vec::new();
    match status {
        None => findings.push((Finding::Crashed, format!("{end:?}: the editor did not end: {said}"))),
        Some(status) if status.success() || matches!(end, End::Signal(_)) && status.signal().is_none() => {
            findings.push((Finding::Crashed, format!("{end:?}: the editor ended with {status}: {said}")));
        }
        Some(_) => {}
    }
    if said.contains("panicked") {
        findings.push((Finding::Crashed, format!("{end:?}: {said}")));
    }
    let states: Vec<(SystemTime, usize)> = (0..=EDITS).map_while(|number| written_state(&session, number)).collect();
    let done = states.last().map_or(0, |(_, layers)| *layers);
    let promised = states.iter().filter(|(written, _)| *written + PROMISE <= ended).map(|(_, layers)| *layers).max();
    let kept = recovered_layers(&session);
    match (&kept, promised) {
        (Err(error), Some(promised)) => {
            findings.push((Finding::Lost, format!("{end:?}: {promised} layers had to be kept: {error}\n    {said}")));
        }
        (Ok(kept), Some(promised)) if *kept < promised => {
            findings.push((
                Finding::Lost,
                format!("{end:?}: {promised} layers had to be kept, {kept} were recovered\n    {said}"),
            ));
        }
        _ => {}
    }
    let lost = kept.map_or(0, |kept| done.saturating_sub(kept));
    // hiding a layer adds no layer, so these edits are not counted
    (findings, EditCounts { promised: promised.unwrap_or(0).saturating_sub(LAYERS), lost })
}

/// Number of layers in the recovered scene. There must be exactly one recovered scene.
fn recovered_layers(session: &Session) -> Result<usize, String> {
    let left = left_work(session);
    let [one] = &left[..] else {
        return Err(format!("{} sessions with unsaved work are offered instead of one", left.len()));
    };
    if !one["error"].is_null() {
        return Err(one["error"].to_string());
    }
    let output = session.talweg().args(["recover", "-o", "recovered.ron"]).output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let (scene, _) = Scene::load(&session.path("recovered.ron")).map_err(|error| error.to_string())?;
    Ok(scene.layers.len())
}
