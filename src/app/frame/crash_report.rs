//! The report of a crash: a text file that a user can add to the description of a problem.
//!
//! It says what ended the program, on which computer, and where in the code. It holds no names of files, except those
//! of the source code, and nothing of the scene but the name of the last edit. Nothing is sent.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use talweg_cli::doctor;

/// Number of reports that are kept.
const MOST_REPORTS: usize = 10;

/// The folder of the reports within the folder of program state.
pub fn folder(state: &Path) -> PathBuf {
    state.join("crash-reports")
}

/// Writes the report of a crash and deletes the oldest reports. Returns the path of the report.
///
/// # Errors
/// If the folder or the file cannot be written.
pub fn write(state: &Path, message: &str, last_edit: &str, backtrace: Option<&str>) -> std::io::Result<PathBuf> {
    let folder = folder(state);
    std::fs::create_dir_all(&folder)?;
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let path = folder.join(format!("crash-{seconds}-{}.txt", std::process::id()));
    std::fs::write(&path, text(message, last_edit, backtrace))?;
    let mut all: Vec<PathBuf> = std::fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    all.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("crash-")));
    // the names begin with the time
    all.sort();
    for old in &all[..all.len().saturating_sub(MOST_REPORTS)] {
        // a report that cannot be deleted stays for the next time
        let _ = std::fs::remove_file(old);
    }
    Ok(path)
}

fn text(message: &str, last_edit: &str, backtrace: Option<&str>) -> String {
    let mut text = format!("Talweg ended because {message}.\n\n");
    // writing to a string cannot fail
    for (name, value) in doctor::computer() {
        let _ = writeln!(text, "{name:<12} {value}");
    }
    let _ = writeln!(text, "{:<12} {}", "Last edit", if last_edit.is_empty() { "none" } else { last_edit });
    if let Some(backtrace) = backtrace {
        let _ = write!(text, "\nLast panic:\n{}", without_home(backtrace));
    }
    text
}

/// The text without the path of the user's home folder.
fn without_home(text: &str) -> String {
    let home = directories::UserDirs::new().map(|dirs| dirs.home_dir().to_string_lossy().into_owned());
    home.filter(|home| home.len() > 1).map_or_else(|| text.into(), |home| text.replace(&home, "~"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_where_and_on_which_computer() {
        let state = tempfile::tempdir().unwrap();
        let home = directories::UserDirs::new().map(|dirs| dirs.home_dir().display().to_string()).unwrap_or_default();
        let trace = format!("0: talweg_app::run at {home}/x.rs");
        let path = write(state.path(), "the card was lost", "Change frequency", Some(&trace)).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        for part in ["because the card was lost.", "Talweg ", "Processor ", "Change frequency", "0: talweg_app::run"] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
        assert!(home.len() < 2 || !text.contains(&home), "{text}");
    }

    #[test]
    fn only_the_newest_reports_are_kept() {
        let state = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder(state.path())).unwrap();
        for k in 0..30 {
            std::fs::write(folder(state.path()).join(format!("crash-10000000{k:02}-1.txt")), "old").unwrap();
        }
        let path = write(state.path(), "it broke", "", None).unwrap();
        let left = std::fs::read_dir(folder(state.path())).unwrap().count();
        assert_eq!(left, MOST_REPORTS);
        assert!(std::fs::read_to_string(path).unwrap().contains("Last edit    none"));
        assert!(folder(state.path()).join("crash-1000000029-1.txt").exists());
    }
}
