//! The help texts `assets/help/nodes.md` and `src/nodes/laws.ron` equal the texts in the source files.

use std::path::Path;

use talweg::nodes::{Node, help};

/// The paragraph "Law:" at the top of the file that defines a node, as one line of text.
fn law_of(name: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/nodes");
    let text = source_files(&folder).into_iter().map(|path| std::fs::read_to_string(path).unwrap()).find(|text| {
        // The start of a `params!` block: a name and its label.
        text.lines().any(|line| {
            line.strip_prefix("    ")
                .and_then(|line| line.strip_prefix(name))
                .is_some_and(|rest| rest.starts_with(" \""))
        })
    })?;
    let head = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let mut law = String::new();
    for line in head {
        let is_item = line.starts_with("- ") || line.split_once(". ").is_some_and(|(n, _)| n.parse::<u32>().is_ok());
        let begins = line.split_once(": ").is_some_and(|(word, _)| word.split_whitespace().count() <= 2);
        if law.is_empty() {
            if line.strip_prefix("Law").is_some_and(|rest| rest.starts_with([':', ',', '.', ' '])) {
                law = line.into();
            }
        } else if line.is_empty() || begins && line.starts_with(char::is_uppercase) {
            // The next paragraph with a heading.
            break;
        } else {
            law = format!("{law}{}{line}", if is_item { "\n" } else { " " });
        }
    }
    (!law.is_empty()).then(|| without_links(&law))
}

/// Text without link markup: `[words](target)` and `[words]` become the words.
fn without_links(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text.replace("[`", "[").replace("`]", "]"));
    while let Some((before, (inside, after))) =
        rest.split_once('[').and_then(|(before, after)| Some((before, after.split_once(']')?)))
    {
        out += before;
        // Intervals and lists of numbers are not links.
        let is_link = inside.chars().all(|c| c.is_alphanumeric() || "_:!` ".contains(c)) && !inside.is_empty();
        out += &if is_link { inside.to_string() } else { format!("[{inside}]") };
        let after = after
            .strip_prefix('(')
            .filter(|_| is_link)
            .and_then(|link| link.split_once(')'))
            .map_or(after, |(_, after)| after);
        rest = after.to_string();
    }
    out + &rest
}

fn source_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let mut all: Vec<_> = files.into_iter().chain(folders.iter().flat_map(|folder| source_files(folder))).collect();
    all.sort();
    all
}

#[test]
fn the_help_has_the_laws_of_the_sources() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/nodes/laws.ron");
    let laws: std::collections::BTreeMap<_, _> =
        Node::catalogue().iter().filter_map(|node| Some((node.about().name, law_of(node.about().name)?))).collect();
    let without: Vec<_> =
        Node::catalogue().iter().map(|node| node.about().name).filter(|name| !laws.contains_key(name)).collect();
    assert!(without.is_empty(), "no paragraph `Law:` at the top of the files of {without:?}");
    let text = ron::ser::to_string_pretty(&laws, ron::ser::PrettyConfig::default()).unwrap() + "\n";
    if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
        std::fs::write(&path, &text).unwrap();
        panic!("src/nodes/laws.ron was stale and has been rewritten: build again and commit it");
    }
}

#[test]
fn the_help_page_describes_the_nodes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/help/nodes.md");
    let text = help::markdown();
    if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
        std::fs::write(&path, &text).unwrap();
        panic!("assets/help/nodes.md was stale and has been rewritten: commit it");
    }
}
