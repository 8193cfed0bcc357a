//! Reads the source tree: the rules that no compiler knows.

use std::path::{Path, PathBuf};

/// Functions of std whose last bits differ between machines; `libm` has them with the same bits everywhere.
const TRANSCENDENTAL: [&str; 25] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sin_cos", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf", "powi", "cbrt",
];
const MORE: [&str; 2] = ["hypot", "mul_add"];
const LONGEST: usize = 600;

struct File {
    path: PathBuf,
    /// Path within the package, with `/`.
    name: String,
    text: String,
}

impl File {
    /// Lines of code with their numbers: no comments, and nothing of the file's test module.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .take_while(|(_, line)| *line != "#[cfg(test)]")
            .map(|(k, line)| (k + 1, line.split("//").next().unwrap_or("")))
            .filter(|_| !self.name.ends_with("/tests.rs"))
    }

    fn under(&self, folder: &str) -> bool {
        self.name.starts_with(folder)
    }
}

fn files() -> Vec<File> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["src", "tests", "benches", "examples"] {
        walk(&root.join(folder), &mut paths);
    }
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        File { text: std::fs::read_to_string(&path).unwrap(), name, path }
    };
    paths.into_iter().map(read).collect()
}

/// Fails with every line of `files` for which `wrong` says why.
fn check(files: impl Iterator<Item = File>, wrong: impl Fn(&str) -> Option<String>) {
    let mut found = Vec::new();
    for file in files {
        for (number, line) in file.code() {
            if let Some(why) = wrong(line) {
                found.push(format!("{}:{number}: {why}", file.path.display()));
            }
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Whether `line` has `word` with no letter, digit or `_` beside it.
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part))
}

#[test]
fn only_the_app_names_the_engine() {
    let rest = files().into_iter().filter(|f| f.under("src/") && !f.under("src/app/"));
    check(rest, |line| {
        let named = ["bevy", "egui", "bevy_egui", "wgpu"].into_iter().find(|word| has_word(line, word))?;
        Some(format!("`{named}` belongs to src/app"))
    });
}

#[test]
fn heights_are_decided_by_portable_arithmetic() {
    let deciding = files().into_iter().filter(|f| f.under("src/") && !f.under("src/app/") && !f.under("src/look/"));
    check(deciding, |line| {
        let called = |name: &str| {
            line.contains(&format!(".{name}("))
                || ["f32", "f64"].iter().any(|t| has_word(line, &format!("{t}::{name}")))
        };
        let name = TRANSCENDENTAL.iter().chain(&MORE).find(|name| called(name))?;
        Some(format!("`{name}` gives other bits on other machines: take it from `libm`, or use + - * / sqrt"))
    });
}

#[test]
fn nothing_is_left_undone() {
    let all = files().into_iter().filter(|f| f.name != "tests/core/tidy.rs");
    check(all, |line| {
        let left = ["todo!", "unimplemented!", "dbg!", "#[ignore"].into_iter().find(|mark| line.contains(mark))?;
        Some(format!("`{left}`"))
    });
}

#[test]
fn no_file_is_too_long() {
    let long: Vec<String> = files()
        .iter()
        .map(|f| (f.text.lines().count(), &f.name))
        .filter(|(lines, _)| *lines > LONGEST)
        .map(|(lines, name)| format!("{name}: {lines} lines; {LONGEST} is the most"))
        .collect();
    assert!(long.is_empty(), "\n{}", long.join("\n"));
}
