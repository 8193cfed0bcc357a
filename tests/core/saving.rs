//! A scene file stays whole when saving fails. `tests/campaign` shows the same for a killed process.

use talweg::nodes::Node;
use talweg::scene::{Layer, Scene};

fn scene(layers: u32) -> Scene {
    let layer = |seed| Layer::new(Node::catalogue().remove(0), seed);
    Scene { layers: (0..layers).map(layer).collect(), ..Scene::default() }
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
