//! A patch and its heights are two files that stay consistent, whatever happens between writing the two.

use std::path::{Path, PathBuf};

use talweg::field::{Edges, Terrain};
use talweg::io::{FileError, FileStamp, SaveTarget};
use talweg::nodes::Node;
use talweg::planet::square::Square;
use talweg::scene::{PatchFiles, Scene, SceneError, put_patch_back};

/// A planet with a patch put back whose heights are all `height`; its name contains the height.
fn patched(height: f32, file: &Path) -> PatchFiles {
    let terrain = Terrain::from_fn(5, Edges::Open, |_, _| height);
    let square = Square { longitude: 1.0, latitude: 2.0, side_metres: 1.0e5 };
    let planet = Scene { name: height.to_string(), ..Scene::new_planet() };
    let heights = file.with_extension("r32");
    put_patch_back(&planet, square, &Scene::default(), &terrain, &heights).unwrap()
}

fn heights_file(scene: &Scene) -> PathBuf {
    match &scene.layers.last().unwrap().node {
        Node::Patch(node) => PathBuf::from(&node.file.0),
        other => panic!("{}", other.about().name),
    }
}

/// Whether the scene at `file` reads the heights that it was saved with.
fn is_whole(file: &Path) -> bool {
    let scene = Scene::load(file).unwrap().0;
    let bytes = std::fs::read(heights_file(&scene)).unwrap();
    let metres = scene.name.parse::<f32>().unwrap() * Scene::default().settings.relief_metres;
    bytes.chunks_exact(4).all(|four| f32::from_le_bytes(four.try_into().unwrap()) == metres) && bytes.len() == 100
}

fn count(folder: &Path, ending: &str) -> usize {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|e| e == ending)).count()
}

#[test]
fn only_unread_patch_heights_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.ron");
    patched(0.25, &file).save(&file).unwrap();
    assert!(is_whole(&file));
    patched(0.5, &file).save(&file).unwrap();
    assert!(is_whole(&file) && count(folder.path(), "r32") == 1);
    // A copy of the scene also reads them.
    std::fs::copy(&file, folder.path().join("copy.ron")).unwrap();
    patched(0.75, &file).save(&file).unwrap();
    assert!(is_whole(&file) && is_whole(&folder.path().join("copy.ron")) && count(folder.path(), "r32") == 2);
    // The name of the scene leaves no space for a hash.
    let long = folder.path().join("n".repeat(251) + ".ron");
    patched(0.5, &long).save(&long).unwrap();
    patched(0.75, &long).save(&long).unwrap();
    assert!(is_whole(&long) && count(folder.path(), "r32") == 3);
}

#[test]
fn a_failed_save_keeps_the_scene_and_its_heights() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.ron");
    let stale = FileStamp::read(&file).unwrap();
    patched(0.25, &file).save(&file).unwrap();
    let names = || {
        let mut names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    // The heights are already written when the scene fails to replace the old one.
    let error = patched(0.5, &file).save(SaveTarget::new(&file).if_unchanged_since(stale)).unwrap_err();
    assert!(matches!(error, SceneError::Write(FileError::Changed { .. })), "{error}");
    assert!(is_whole(&file));
    assert_eq!(names(), before);
    // Heights of the same scene that already existed are not removed.
    let stale = FileStamp::of_contents(b"other", &file);
    patched(0.25, &file).save(SaveTarget::new(&file).if_unchanged_since(stale)).unwrap_err();
    assert!(is_whole(&file));
}

#[test]
fn two_writers_of_one_patch_leave_one_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.ron");
    for _ in 0..8 {
        std::thread::scope(|scope| {
            for height in [0.25, 0.5, 0.75] {
                let file = &file;
                scope.spawn(move || patched(height, file).save(file).unwrap());
            }
        });
        assert!(is_whole(&file));
        assert_eq!(count(folder.path(), "r32"), 1);
    }
}
