//! Checks rules of the source tree that the compiler does not know.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Functions of std whose last bits differ between machines; `libm` gives the same bits everywhere.
const TRANSCENDENTAL: [&str; 25] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sin_cos", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf", "powi", "cbrt",
];
const MORE: [&str; 2] = ["hypot", "mul_add"];
const LONGEST: usize = 600;
const LONGEST_TEST_NAME: usize = 60;

struct File {
    path: PathBuf,
    /// Path within the package, with `/`.
    name: String,
    text: String,
}

impl File {
    /// Numbered lines of code, without comments and without the file's test module.
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
    for folder in ["src", "tests", "benches", "examples", "fuzz/src", "fuzz/fuzz_targets"] {
        walk(&root.join(folder), &mut paths);
    }
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        File { text: std::fs::read_to_string(&path).unwrap(), name, path }
    };
    paths.into_iter().map(read).collect()
}

/// Fails with every line of `files` for which `wrong` returns a reason.
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

/// Whether `line` contains `word` without an adjacent letter, digit or `_`.
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part))
}

/// A package whose `lib.rs` has a table of its folders, the lowest first.
struct FolderTable {
    /// Path of the package, with `/` at the end.
    package: &'static str,
    folders: Vec<String>,
}

impl FolderTable {
    /// The table in the docs of `lib.rs`, which must hold every folder of the package.
    fn read(files: &[File], package: &'static str) -> Self {
        let lib = files.iter().find(|f| f.name == format!("{package}lib.rs")).unwrap();
        let rows = lib.text.lines().skip_while(|line| *line != "//! | folder | contents |");
        let rows = rows.skip(2).map_while(|line| line.strip_prefix("//! | ")?.split('|').next());
        let folders: Vec<String> = rows.map(|cell| cell.trim().trim_matches(['[', ']', '`']).to_string()).collect();
        let modules = lib.text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        for module in modules {
            assert!(folders.iter().any(|folder| folder == module), "the table in {} lacks `{module}`", lib.name);
        }
        Self { package, folders }
    }

    fn level(&self, folder: &str) -> Option<usize> {
        self.folders.iter().position(|listed| listed == folder)
    }

    /// The folder of the package that holds `file`.
    fn folder_of<'a>(&self, file: &'a File) -> Option<&'a str> {
        let path = file.name.strip_prefix(self.package)?;
        path.split(['/', '.']).next()
    }

    /// Every line in a folder of the package that names a folder above its own.
    fn upward_imports(&self, files: &[File]) -> Vec<String> {
        let mut found = Vec::new();
        for file in files {
            let Some((folder, level)) = self.folder_of(file).and_then(|f| Some((f, self.level(f)?))) else { continue };
            // The rule includes tests: a test that needs a higher folder belongs in that folder.
            for (number, line) in file.text.lines().enumerate() {
                let line = line.split("//").next().unwrap_or("");
                for (at, path) in line.match_indices("crate::") {
                    let named = word(&line[at + path.len()..]);
                    if self.level(named).is_some_and(|above| above > level) {
                        found.push(format!("{}:{}: `{folder}` names `{named}`", file.path.display(), number + 1));
                    }
                }
            }
        }
        found
    }
}

#[test]
fn folders_import_only_lower_folders() {
    let files = files();
    for package in ["src/", "src/ground/"] {
        let found = FolderTable::read(&files, package).upward_imports(&files);
        assert!(found.is_empty(), "\n{}", found.join("\n"));
    }
}

#[test]
fn an_upward_import_is_found() {
    let file = |name: &str, text: &str| File { path: name.into(), name: name.into(), text: text.into() };
    let lib = "//! | folder | contents |\n//! |---|---|\n//! | [`low`] | x |\n//! | [`high`] | y |\npub mod low;";
    let files = [
        file("src/lib.rs", lib),
        file("src/low/mod.rs", "use crate::high::Thing;"),
        file("src/high/mod.rs", "use crate::low::Thing;"),
    ];
    let found = FolderTable::read(&files, "src/").upward_imports(&files);
    assert_eq!(found, ["src/low/mod.rs:1: `low` names `high`"]);
}

/// The dependencies that `cargo` would build on this machine for packages and kinds, each with its features.
fn dependency_features(args: &[&str]) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--no-default-features", "--prefix", "none", "--format", "{p} {f}"])
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    String::from_utf8(tree.stdout).unwrap().lines().map(|line| line.trim_end_matches(" (*)").to_string()).collect()
}

/// If one feature differs, the whole library is compiled a second time for the Python package.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "other systems have other dependencies: this is about the time of CI")]
fn the_wheel_shares_the_library_of_the_tests() {
    let wheel = dependency_features(&["-p", "talweg-python", "-e", "normal,build"]);
    let tests =
        dependency_features(&["-p", "talweg", "-p", "talweg-app", "-p", "talweg-python", "-e", "normal,build,dev"]);
    let other: Vec<_> = wheel.difference(&tests).collect();
    assert!(wheel.len() > 50 && other.is_empty(), "src/python/Cargo.toml lacks features of: {other:#?}");
}

#[test]
fn only_the_app_names_the_engine() {
    let rest = files().into_iter().filter(|f| f.under("src/") && !f.under("src/app/"));
    check(rest, |line| {
        // Only paths count, not the name of an engine in a text.
        let is_path =
            |word: &&str| has_word(line, word) && (line.contains(&format!("{word}::")) || line.contains("use "));
        let named = ["bevy", "egui", "bevy_egui", "wgpu"].into_iter().find(is_path)?;
        Some(format!("`{named}` belongs to src/app"))
    });
}

#[test]
fn heights_are_computed_with_portable_arithmetic() {
    let deciding =
        files().into_iter().filter(|f| f.under("src/") && !f.under("src/app/") && !f.under("src/appearance/"));
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
fn no_placeholder_is_left_in_the_code() {
    let all = files().into_iter().filter(|f| f.name != "tests/core/repository/tidy.rs");
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

/// Removes the visibility in front of an item.
fn item(line: &str) -> &str {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')').map_or(rest, |(_, item)| item),
        Some(rest) if rest.starts_with(' ') => rest,
        _ => line,
    };
    line.trim_start()
}

/// The first word of `text`.
fn word(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())]
}

/// Every struct, enum, trait and type in `src/` by name, including those of `params!` and `choices!`, with its file.
fn types(files: &[File]) -> BTreeMap<&str, Vec<&str>> {
    let mut types: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files.iter().filter(|f| f.under("src/")) {
        let mut described = false;
        for line in file.text.lines() {
            let code = line.trim_start();
            if code.starts_with("//") || code.is_empty() {
                continue;
            }
            let public = code.starts_with("pub");
            let (kind, rest) = item(code).split_once(' ').unwrap_or_default();
            let named = match kind {
                "struct" | "enum" | "trait" | "union" => true,
                // In a trait or its implementation it is not a name of its own.
                "type" => public || !line.starts_with(' '),
                _ => false,
            };
            let name = if named { word(rest) } else { word(code) };
            // A macro's `$name` is not a name.
            if (named || described) && !name.is_empty() {
                types.entry(name).or_default().push(&file.name);
            }
            described = ["params! {", "choices! {"].iter().any(|end| code.ends_with(end) && code.contains("::"));
        }
    }
    types
}

#[test]
fn a_type_has_a_name_of_its_own() {
    let files = files();
    let types = types(&files);
    let twice: Vec<_> = types.iter().filter(|(_, places)| places.len() > 1).collect();
    assert!(twice.is_empty(), "named more than once: {twice:#?}");
}

const PREPOSITIONS: [&str; 36] = [
    "above", "across", "after", "against", "along", "among", "around", "at", "before", "behind", "below", "beside",
    "between", "beyond", "by", "down", "for", "in", "inside", "into", "near", "of", "off", "on", "outside", "over",
    "past", "since", "through", "to", "toward", "towards", "under", "until", "up", "within",
];

#[test]
fn functions_say_what_they_return() {
    let mut found = Vec::new();
    for file in files().iter().filter(|f| f.under("src/")) {
        for (number, line) in file.text.lines().enumerate() {
            let line = line.split("//").next().unwrap_or("");
            let Some((_, rest)) = line.split_once("fn ") else { continue };
            if PREPOSITIONS.contains(&word(rest)) {
                found.push(format!("{}:{}: {}", file.name, number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "functions named by a preposition alone:\n{}", found.join("\n"));
}

#[test]
fn a_folder_has_its_mod_file() {
    let all = files();
    let named = |folder: &str| all.iter().any(|f| f.name == format!("{folder}.rs"));
    let folders: BTreeSet<&str> = all.iter().filter_map(|f| Some(f.name.rsplit_once('/')?.0)).collect();
    let beside: Vec<_> = folders.into_iter().filter(|folder| folder.starts_with("src/") && named(folder)).collect();
    assert!(beside.is_empty(), "the module stands beside its folder, not in it as `mod.rs`: {beside:?}");
}

/// The formatter wraps code but not comments. Table rows cannot be wrapped.
#[test]
fn comments_fit_the_line() {
    const WIDEST: usize = 120;
    let is_row = |comment: &str| comment.trim_start_matches(['/', '!']).trim_start().starts_with('|');
    let mut wide = Vec::new();
    for file in files() {
        for (k, line) in file.text.lines().enumerate() {
            let comment = line.trim_start();
            if comment.starts_with("//") && line.chars().count() > WIDEST && !is_row(comment) {
                wide.push(format!("{}:{}: {} columns", file.name, k + 1, line.chars().count()));
            }
        }
    }
    assert!(wide.is_empty(), "\n{}", wide.join("\n"));
}

/// The names of all tests in Rust, each with its file.
fn test_names(files: &[File]) -> Vec<(&str, &str)> {
    let mut names = Vec::new();
    for file in files {
        let mut lines = file.text.lines().map(str::trim);
        while lines.by_ref().any(|line| line == "#[test]") {
            let name = lines.by_ref().find_map(|line| item(line).strip_prefix("fn "));
            names.extend(name.map(|rest| (word(rest), file.name.as_str())));
        }
    }
    names
}

#[test]
fn test_names_are_short() {
    let files = files();
    let names = test_names(&files);
    let long: Vec<_> = names.iter().filter(|(name, _)| name.len() > LONGEST_TEST_NAME).collect();
    assert!(names.len() > 1000 && long.is_empty(), "{LONGEST_TEST_NAME} letters are the most: {long:#?}");
}

/// `docs/documents.md` quotes tests, and nothing else, in lower case with underscores.
#[test]
fn the_tests_that_the_documents_name_exist() {
    let files = files();
    let names: BTreeSet<&str> = test_names(&files).into_iter().map(|(name, _)| name).collect();
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/documents.md")).unwrap();
    let is_name = |quoted: &&str| {
        quoted.contains('_') && quoted.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).filter(is_name).collect();
    let missing: Vec<_> = quoted.iter().filter(|name| !names.contains(*name)).collect();
    assert!(quoted.len() > 50 && missing.is_empty(), "no test has the name {missing:?}");
}
