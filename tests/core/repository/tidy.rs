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
/// A longer file probably has two subjects: cut it by subject, not at the line.
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

    fn is_under(&self, folder: &str) -> bool {
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

/// Modules at a crate root that the table of the root omits: tests, and the commands that the binary passes to the
/// command line.
const OF_THE_ROOT: [&str; 2] = ["tests", "command_line"];

/// The modules in the table at the top of the file `list`, the lowest first.
fn floors(files: &[File], list: &str) -> Vec<String> {
    let list = files.iter().find(|f| f.name == list).unwrap();
    let rows = list.text.lines().filter_map(|line| line.strip_prefix("//! | ")?.split('|').next());
    let names = rows.map(|cell| cell.trim().trim_matches(['[', ']', '`']).to_string());
    let floors: Vec<String> = names.filter(|name| !["folder", "module", "crate"].contains(&name.as_str())).collect();
    let modules = list.text.lines().filter_map(|line| item(line).strip_prefix("mod ")?.strip_suffix(';'));
    for module in modules.filter(|module| !OF_THE_ROOT.contains(module)) {
        assert!(floors.iter().any(|floor| floor == module), "the list in {} lacks `{module}`", list.name);
    }
    floors
}

/// The paths of a use tree at the start of `text`, each as a list of names, and the length of the tree.
fn use_tree(text: &str) -> (Vec<Vec<&str>>, usize) {
    let start = text.len() - text.trim_start().len();
    if text[start..].starts_with('{') {
        let (mut paths, mut at) = (Vec::new(), start + 1);
        while let Some(next) = text[at..].find(|c: char| !c.is_whitespace() && c != ',') {
            at += next;
            if text[at..].starts_with('}') {
                return (paths, at + 1);
            }
            let (more, length) = use_tree(&text[at..]);
            paths.extend(more);
            // Skip `as` and the name after it.
            at += length;
            at += text[at..].find([',', '}']).unwrap_or(0);
        }
        return (paths, text.len());
    }
    let name = word(&text[start..]);
    let end = start + name.len();
    match text[end..].strip_prefix("::").filter(|_| !name.is_empty()) {
        Some(rest) => {
            let (paths, length) = use_tree(rest);
            let longer = paths.into_iter().map(|path| [&[name], path.as_slice()].concat());
            (longer.collect(), end + 2 + length)
        }
        None => (vec![Vec::from_iter((!name.is_empty()).then_some(name))], end.max(start + 1).min(text.len())),
    }
}

/// The module of a file within its crate, whose root is the folder `root`.
fn module_of(file: &File, root: &str) -> Vec<String> {
    let path = file.name[root.len()..].trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').filter(|name| !["lib", "main"].contains(name)).map(String::from).collect()
}

/// The paths that a file names with `crate::` or `super::`, resolved from the root of the crate, each with its line.
fn named_paths(file: &File, root: &str) -> Vec<(usize, Vec<String>)> {
    let own = module_of(file, root);
    let bare: Vec<&str> = file.text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let text = bare.join("\n");
    let tests = text.find("\nmod tests {").or(text.find("\npub mod tests {")).unwrap_or(text.len());
    let mut found = Vec::new();
    for first in ["crate::", "super::"] {
        for (at, _) in text.match_indices(first) {
            // Skip the rest of a longer path, and `pub(in …)`.
            if text[..at].ends_with(|c: char| c.is_alphanumeric() || "_:".contains(c)) || text[..at].ends_with("in ") {
                continue;
            }
            for path in use_tree(&text[at..]).0 {
                let ups = path.iter().take_while(|name| **name == "super").count();
                let rest = path[ups.max(1)..].iter().map(|name| name.to_string());
                // In the test module, the first `super` is the file itself.
                let up = if at > tests { ups.saturating_sub(1) } else { ups };
                let base = if ups == 0 { &[] } else { &own[..own.len().saturating_sub(up)] };
                let named = base.iter().cloned().chain(rest).collect();
                found.push((text[..at].matches('\n').count() + 1, named));
            }
        }
    }
    found
}

/// Every line in which a module of `folder` names a module that stands after its own in the table of the file `list`.
fn names_above(files: &[File], root: &str, folder: &[&str], list: &str) -> Vec<String> {
    let floors = floors(files, list);
    let lower_crates = re_exported_modules(files, list);
    // A name that is not in the list stands above it: the root of the folder, with its re-exports.
    let level = |name: Option<&String>| match name {
        // The macros of `param` are exported at the root.
        Some(name) if lower_crates.contains(name) || ["params", "choices"].contains(&name.as_str()) => 0,
        _ => floors.iter().position(|floor| Some(floor) == name).unwrap_or(usize::MAX),
    };
    let own_name = |path: &[String]| {
        let is_below = path.len() > folder.len() && path.iter().zip(folder).all(|(own, name)| own == name);
        is_below.then(|| path[folder.len()].clone())
    };
    let mut found = Vec::new();
    for file in files.iter().filter(|f| f.is_under(root)) {
        let Some(own) = own_name(&module_of(file, root)).filter(|own| floors.contains(own)) else { continue };
        for (line, path) in named_paths(file, root) {
            let Some(named) = own_name(&path) else { continue };
            if level(Some(&named)) > level(Some(&own)) {
                found.push(format!("{}:{line}: `{own}` names `{named}`", file.path.display()));
            }
        }
    }
    found
}

/// The modules of lower crates that the file `list` re-exports.
fn re_exported_modules(files: &[File], list: &str) -> BTreeSet<String> {
    let list = files.iter().find(|f| f.name == list).unwrap();
    let exports = list.text.lines().filter(|line| line.starts_with("pub use talweg_"));
    let words = exports.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.filter(|word| !word.is_empty()).map(String::from).collect()
}

#[test]
fn no_folder_of_the_library_names_one_above_it() {
    let files = files();
    for (root, list) in [("src/", "src/lib.rs"), ("src/ground/", "src/ground/lib.rs")] {
        let found = names_above(&files, root, &[], list);
        assert!(found.is_empty(), "\n{}", found.join("\n"));
    }
}

#[test]
fn an_import_of_a_higher_folder_is_found() {
    let file = |name: &str, text: &str| File { path: name.into(), name: name.into(), text: text.into() };
    let list = "//! | folder | contents |\n//! |---|---|\n//! | [`low`] | x |\n//! | [`high`] | y |\npub mod low;\npub mod high;";
    let files = [
        file("src/lib.rs", list),
        file("src/low/mod.rs", "use crate::{low::Own,\n    high::Thing};"),
        file("src/high/mod.rs", "use crate::low::Own;"),
    ];
    assert_eq!(names_above(&files, "src/", &[], "src/lib.rs"), ["src/low/mod.rs:1: `low` names `high`"]);
}

#[test]
fn no_module_of_the_view_names_one_above_it() {
    let found = names_above(&files(), "src/app/", &["view"], "src/app/view/mod.rs");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn no_folder_of_the_app_names_one_above_it() {
    let found = names_above(&files(), "src/app/", &[], "src/app/lib.rs");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Files that use each other in a circle can only be understood together.
#[test]
fn no_more_than_three_files_of_the_view_use_each_other() {
    const MOST: usize = 3;
    let files: Vec<File> = files().into_iter().filter(|f| f.is_under("src/app/view/")).collect();
    let modules: Vec<Vec<String>> = files.iter().map(|file| module_of(file, "src/app/")).collect();
    // The file that defines the path.
    let target = |path: &[String]| {
        (1..=path.len()).rev().find_map(|n| modules.iter().position(|module| module.as_slice() == &path[..n]))
    };
    let uses = |k: usize| {
        let code: Vec<&str> = files[k].code().map(|(_, line)| line).collect();
        let file = File { text: code.join("\n"), name: files[k].name.clone(), path: files[k].path.clone() };
        let mut named: BTreeSet<usize> =
            named_paths(&file, "src/app/").iter().filter_map(|(_, path)| target(path)).collect();
        // A module can name its children without `self`.
        named.extend((0..modules.len()).filter(|&child| {
            let name = modules[child].last().map_or("", String::as_str);
            modules[child].split_last().is_some_and(|(_, parent)| parent == modules[k])
                && has_word(&file.text.replace(&format!("mod {name};"), ""), &format!("{name}::"))
        }));
        named.remove(&k);
        named
    };
    let graph: Vec<BTreeSet<usize>> = (0..files.len()).map(uses).collect();
    let reached = |from: usize| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(k) = open.pop() {
            open.extend(graph[k].iter().filter(|next| reached.insert(**next)));
        }
        reached
    };
    let reached: Vec<BTreeSet<usize>> = (0..files.len()).map(reached).collect();
    let circle = |k: usize| -> Vec<&str> {
        let both = |&other: &usize| reached[k].contains(&other) && reached[other].contains(&k);
        (0..files.len()).filter(both).map(|k| files[k].name.as_str()).collect()
    };
    let circles: BTreeSet<Vec<&str>> = (0..files.len()).map(circle).collect();
    let long: Vec<_> = circles.iter().filter(|circle| circle.len() > MOST).collect();
    assert!(long.is_empty(), "{long:#?}");
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
    let rest = files().into_iter().filter(|f| f.is_under("src/") && !f.is_under("src/app/"));
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
        files().into_iter().filter(|f| f.is_under("src/") && !f.is_under("src/app/") && !f.is_under("src/appearance/"));
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
    for file in files.iter().filter(|f| f.is_under("src/")) {
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
                // Inside a trait or an `impl`, `type` names an associated type, which may have the same name elsewhere.
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
    for file in files().iter().filter(|f| f.is_under("src/")) {
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
