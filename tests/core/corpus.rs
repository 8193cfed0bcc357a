//! What fuzzers began with and what they found, replayed: `fuzz/corpus/TARGET/`, one file an input.

use std::collections::BTreeSet;

use crate::common::path;
use crate::fuzz_targets::TARGETS;

/// A corpus is for finding more, not a store.
const MOST_FILES: usize = 40;
const MOST_BYTES: u64 = 4096;

#[test]
fn every_input_that_was_ever_found_passes() {
    for target in &TARGETS {
        let folder = path(&format!("fuzz/corpus/{}", target.name));
        let read = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut files: Vec<_> = read.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        assert!(!files.is_empty() && files.len() <= MOST_FILES, "{}: {} files", folder.display(), files.len());
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            assert!(bytes.len() as u64 <= MOST_BYTES, "{} is too large", file.display());
            // the name comes before what the target says
            println!("{}", file.display());
            (target.run)(&bytes);
        }
    }
}

#[test]
fn every_target_has_its_program_and_every_corpus_its_target() {
    let names: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_string()).collect();
    let listed = |folder: &str, end: &str| -> BTreeSet<String> {
        let entries = std::fs::read_dir(path(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        entries.filter_map(|name| Some(name.to_str()?.strip_suffix(end)?.to_string())).collect()
    };
    assert_eq!(listed("fuzz/corpus", ""), names);
    assert_eq!(listed("fuzz/fuzz_targets", ".rs"), names);
}
