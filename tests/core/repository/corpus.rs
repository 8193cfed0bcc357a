//! Replays the seeds and the findings of fuzzers: `fuzz/corpus/TARGET/`, one file per input.

use std::collections::{BTreeMap, BTreeSet};

use talweg::io::formats::RASTER_READERS;
use talweg::io::{clear_raster_cache, raster};
use talweg::mesh::import::MeshSurface;

use crate::kits::common::path;
use crate::kits::fuzz_targets::{TARGETS, height_file, is_text_read, write_with_header};

/// A corpus is a starting point for fuzzing, not an archive.
const MOST_FILES: usize = 40;
const MOST_BYTES: u64 = 4096;

#[test]
fn every_finding_of_fuzzing_passes() {
    for target in &TARGETS {
        let folder = path(&format!("fuzz/corpus/{}", target.name));
        let read = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut files: Vec<_> = read.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        assert!(!files.is_empty() && files.len() <= MOST_FILES, "{}: {} files", folder.display(), files.len());
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            assert!(bytes.len() as u64 <= MOST_BYTES, "{} is too large", file.display());
            // The name is printed before the target's own output.
            println!("{}", file.display());
            (target.run)(&bytes);
        }
    }
}

/// Inputs of a fuzzer: each file of the corpus with one piece removed, doubled, or replaced by a piece of another file.
fn mutated(files: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut made = Vec::new();
    for (k, file) in files.iter().enumerate() {
        let pieces: Vec<&[u8]> = file.split_inclusive(|byte| b",:()[]".contains(byte)).collect();
        let other: Vec<&[u8]> = files[(k + 1) % files.len()].split_inclusive(|byte| b",:()[]".contains(byte)).collect();
        for at in 0..pieces.len().min(24) {
            let [before, after] = [pieces[..at].concat(), pieces[at + 1..].concat()];
            let swapped = other.get(at % other.len().max(1)).copied().unwrap_or_default();
            for middle in [&[][..], &pieces[at].repeat(2), swapped] {
                made.push([&before[..], middle, &after[..]].concat());
            }
        }
    }
    made
}

/// For each target that reads texts, the parser accepts and refuses inputs of the corpus. It also accepts some of the
/// inputs that a fuzzer makes of them, so fuzzing reaches the code after the parser.
#[test]
fn fuzzing_reaches_every_text_parser() {
    for target in &TARGETS {
        let read = std::fs::read_dir(path(&format!("fuzz/corpus/{}", target.name))).unwrap();
        let files: Vec<Vec<u8>> = read.map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect();
        if is_text_read(target.name, b"").is_none() {
            continue;
        }
        let counts = |inputs: &[Vec<u8>]| {
            let accepted = inputs.iter().filter(|bytes| is_text_read(target.name, bytes) == Some(true)).count();
            [accepted, inputs.len() - accepted]
        };
        let (own, made) = (counts(&files), counts(&mutated(&files)));
        println!("{}: {own:?} files and {made:?} changed files are accepted and refused", target.name);
        assert!(own.iter().chain(&made).all(|&count| count > 0), "{}: {own:?}, {made:?}", target.name);
        for bytes in mutated(&files).iter().take(60) {
            (target.run)(bytes);
        }
    }
}

/// For each height format, the corpus has accepted and refused files.
#[test]
fn the_corpus_reaches_every_height_reader() {
    let folder = tempfile::tempdir().unwrap();
    let mut found: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for target in &TARGETS {
        for entry in std::fs::read_dir(path(&format!("fuzz/corpus/{}", target.name))).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            let Some((ending, contents)) = height_file(target.name, &bytes) else { continue };
            let file = folder.path().join(format!("N46E007.{ending}"));
            if target.name == "raster_with_header" {
                write_with_header(&file, contents);
            } else {
                std::fs::write(&file, contents).unwrap();
            }
            clear_raster_cache();
            let is_mesh = target.name == "mesh_from_above";
            let is_read =
                if is_mesh { MeshSurface::read(&file, None).is_ok() } else { raster(file.to_str().unwrap()).is_ok() };
            let ending = ending.rsplit('.').next().unwrap();
            found.entry(ending).or_default()[usize::from(is_read)] += 1;
        }
    }
    println!("refused and read: {found:?}");
    let rasters = RASTER_READERS.iter().map(|reader| reader.extensions);
    for endings in rasters.chain([&["glb"][..], &["gltf"], &["obj"], &["ply"], &["stl"]]) {
        let counts = endings.iter().filter_map(|ending| found.get(ending));
        let [refused, read] = counts.fold([0; 2], |[a, b], [c, d]| [a + c, b + d]);
        assert!(refused > 0 && read > 0, "{endings:?}: {refused} refused, {read} read");
    }
}

#[test]
fn every_target_has_a_program_and_a_corpus() {
    let names: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_string()).collect();
    let listed = |folder: &str, end: &str| -> BTreeSet<String> {
        let entries = std::fs::read_dir(path(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        entries.filter_map(|name| Some(name.to_str()?.strip_suffix(end)?.to_string())).collect()
    };
    assert_eq!(listed("fuzz/corpus", ""), names);
    assert_eq!(listed("fuzz/fuzz_targets", ".rs"), names);
}
