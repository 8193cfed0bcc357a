//! Films of erosions and of generators from above.

use super::{Folder, picture_size, talweg};
use predicates::str::contains;

#[test]
fn timelapse_films_an_erosion() {
    let folder = Folder::new();
    let film = ["timelapse", "eroded-hills", "--size", "65", "--picture", "32", "--frames", "3", "-o"];
    let with = |target: &str| talweg(&[&film[..], &[target]].concat());
    with(&folder.path_text("film.gif")).success().stdout(contains("3 pictures"));
    assert!(std::fs::read(folder.path("film.gif")).unwrap().starts_with(b"GIF89a"));
    with(&folder.path_text("frames")).success();
    let rgb8 = (png::ColorType::Rgb, png::BitDepth::Eight);
    assert_eq!(picture_size(&folder.path("frames/frame-00002.png")), (32, 32, rgb8.0, rgb8.1));
    with(&folder.path_text("frames")).code(1).stderr(contains("not empty"));
    with(&folder.path_text("no/such/film.gif")).code(1).stderr(contains("no folder"));
    with(&folder.path_text("film.mp4")).code(1).stderr(contains(".gif"));
    let still = folder.write_file("still.ron", "(version: 1, layers: [(node: Shape())])");
    talweg(&["timelapse", &still, "-o", &folder.path_text("b.gif")]).code(1).stderr(contains("nothing to film"));
    let output = folder.path_text("c.gif");
    talweg(&[&film[..], &[&output, "--steps"]].concat()).code(2).stderr(contains("--layer"));
}

#[test]
fn timelapse_films_a_generator_step_by_step() {
    let folder = Folder::new();
    let scene = folder.write_file(
        "squares.ron",
        "(version: 1, settings: (resolution: 65), layers: [(node: DiamondSquare(levels_shown: 3)), (node: Terrace())])",
    );
    let film = |more: &[&str], target: &str| {
        let output = folder.path_text(target);
        talweg(&[&["timelapse", &scene, "--picture", "200", "-o", &output], more].concat()).success()
    };
    // four corners, and then a diamond and a square phase on each of three levels
    film(&[], "plain").stdout(contains("7 pictures"));
    film(&["--steps"], "marked").stdout(contains("7 pictures"));
    film(&["--frames", "3"], "few").stdout(contains("3 pictures"));
    film(&["--fps", "5"], "film.gif").stdout(contains("7 pictures"));
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    for k in 0..7 {
        assert_ne!(read(&format!("plain/frame-0000{k}.png")), read(&format!("marked/frame-0000{k}.png")), "{k}");
    }
    assert_eq!(read("few/frame-00001.png"), read("plain/frame-00003.png"));
    assert_ne!(read("plain/frame-00002.png"), read("plain/frame-00003.png"));
    talweg(&["render", &scene, "--picture", "200", "-o", &folder.path_text("end.png")]).success();
    assert_eq!(picture_size(&folder.path("plain/frame-00006.png")), picture_size(&folder.path("end.png")));
}
