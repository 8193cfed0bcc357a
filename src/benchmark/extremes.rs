//! Tests a subject at extreme parameters. Each parameter is set to the ends of its hard range, while all other
//! parameters are unchanged.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::instruments::{Instruments, Stopwatch};
use super::report::Extreme;
use super::subject::{BenchSubject, Site};
use crate::eval::ThreadPool;
use crate::field::{Cancelled, Control, MapKind, Terrain};

/// Number of runs at each end of a parameter's range; the fastest run counts.
pub const RUNS: usize = 3;
/// Interval at which a waiting benchmark checks whether it was cancelled. It is the maximum delay before it stops.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Runs every extreme case of `subject`, each for at most `patience`. Calls `next` before each case, and before an
/// initial run with unchanged parameters.
pub fn extremes(
    subject: &dyn BenchSubject,
    site: &Site,
    patience: Duration,
    pool: &ThreadPool,
    instruments: &dyn Instruments,
    control: &Control,
    next: &mut dyn FnMut(),
) -> Result<Vec<Extreme>, Cancelled> {
    let corners = subject.corners();
    if corners.is_empty() {
        return Ok(Vec::new());
    }
    let bench = |subject: &dyn BenchSubject| {
        let mut fastest: Option<f64> = None;
        let mut made = None;
        for _ in 0..RUNS {
            let mut watch = Stopwatch::new(instruments);
            match with_timeout(patience, control, |limit| pool.install(|| subject.run(site, &mut watch, limit)))? {
                None => return Ok((None, None)),
                Some(terrain) => made = Some(terrain),
            }
            let seconds = watch.seconds();
            fastest = Some(fastest.map_or(seconds, |f| if seconds < f { seconds } else { f }));
            // A slow run is not repeated, because its time is precise enough.
            if watch.seconds() > patience.as_secs_f64() / RUNS as f64 {
                break;
            }
        }
        Ok((fastest, made))
    };
    next();
    let (usual, made) = bench(subject)?;
    // A subject that changes nothing by default has no usual time to which other times could be compared.
    let is_idle = subject.works_on_input() && made.is_some_and(|made| made == site.input);
    let usual = usual.filter(|_| !is_idle);
    corners
        .into_iter()
        .map(|corner| {
            next();
            let (seconds, made) = bench(corner.subject.as_ref())?;
            let times = seconds.zip(usual).filter(|(_, usual)| *usual > 0.0).map(|(seconds, usual)| seconds / usual);
            Ok(Extreme {
                parameter: corner.parameter,
                value: corner.value,
                was_stopped: made.is_none(),
                is_finite: made.as_ref().map(is_finite),
                is_level: made.as_ref().map(|terrain| terrain.range().0 == terrain.range().1),
                times_the_default: times,
            })
        })
        .collect()
}

fn is_finite(terrain: &Terrain) -> bool {
    let maps = MapKind::ALL.iter().filter_map(|&kind| terrain.map(kind));
    terrain.height.iter().all(|h| h.is_finite()) && maps.flat_map(|map| map.iter()).all(|v| v.is_finite())
}

/// Runs `work` and stops it after `patience`. Returns `None` if the work was stopped.
///
/// # Errors
/// [`Cancelled`] when the caller cancelled `control`.
fn with_timeout<T>(
    patience: Duration,
    control: &Control,
    work: impl FnOnce(&Control) -> Result<T, Cancelled>,
) -> Result<Option<T>, Cancelled> {
    let limit = Control::default();
    let (done, waiting) = channel::<()>();
    let made = std::thread::scope(|scope| {
        let limit = &limit;
        scope.spawn(move || {
            let mut left = patience;
            // The wait ends when the work has finished and drops the sender.
            while let Err(RecvTimeoutError::Timeout) = waiting.recv_timeout(left.min(POLL_INTERVAL)) {
                left = left.saturating_sub(POLL_INTERVAL);
                if left.is_zero() || control.is_cancelled() {
                    limit.cancel();
                    return;
                }
            }
        });
        let made = work(limit);
        drop(done);
        made
    });
    control.check()?;
    Ok(made.ok())
}
