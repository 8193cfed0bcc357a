//! A scene file is whole at every moment: the saving process is killed again and again.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use talweg::nodes::Node;
use talweg::scene::{Layer, Scene};

const KILLS: u64 = 120;
/// Names the file in the child process; without it [`child_saves_for_ever`] is no child and does nothing.
const FILE: &str = "TALWEG_TEST_SAVE_TO";

fn scene(layers: u32) -> Scene {
    let layer = |seed| Layer::new(Node::catalogue().remove(0), seed);
    Scene { layers: (0..layers).map(layer).collect(), ..Scene::default() }
}

#[test]
fn child_saves_for_ever() {
    let Some(file) = std::env::var_os(FILE) else { return };
    let (small, large) = (scene(1), scene(900));
    loop {
        small.save(Path::new(&file)).unwrap();
        large.save(Path::new(&file)).unwrap();
    }
}

#[test]
fn a_killed_save_leaves_the_old_or_the_new_scene() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.ron");
    let (small, large) = (scene(1).to_ron().unwrap(), scene(900).to_ron().unwrap());
    let mut seen = [0, 0];
    for kill in 0..KILLS {
        scene(1).save(&file).unwrap();
        let before = std::fs::metadata(&file).unwrap().modified().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "saving::child_saves_for_ever", "--nocapture"])
            .env(FILE, &file)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // wait until it has saved one or the other, then a little longer, another time for each kill; not for the first
        let saved_large = kill % 2 == 1;
        let begun = Instant::now();
        loop {
            let now = std::fs::metadata(&file).unwrap();
            if now.modified().unwrap() != before && (now.len() > small.len() as u64) == saved_large {
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "the child never saved");
            std::thread::yield_now();
        }
        if kill > 1 {
            std::thread::sleep(Duration::from_micros(kill * 7919 % 9000));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text == small || text == large, "kill {kill} left {} bytes", text.len());
        seen[usize::from(text == large)] += 1;
    }
    assert!(seen[0] > 0 && seen[1] > 0, "kills hit both scenes: {seen:?}");
    talweg::io::sweep_folder(folder.path());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "what killed processes leave is swept");
}

#[test]
fn a_save_that_fails_leaves_the_old_scene() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.ron");
    scene(1).save(&file).unwrap();
    let error = talweg::io::write_atomically(&file, |out| {
        use std::io::Write;
        out.write_all(b"half of i")?;
        Err(std::io::Error::other("the disk is full"))
    });
    assert!(error.unwrap_err().to_string().contains("the disk is full"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), scene(1).to_ron().unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
}
