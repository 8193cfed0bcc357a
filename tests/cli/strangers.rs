//! Scenes that somebody else has written: they read and write below their own folder only, unless the user permits
//! more.

use std::path::Path;

use predicates::prelude::*;
use predicates::str::contains;

use super::Folder;

/// A folder with a scene in `own/`, files around it, and a state folder of its own.
struct Download(Folder);

impl Download {
    fn new(text: &str) -> Self {
        let folder = Folder::new();
        for name in ["own", "own/maps", "other", "state"] {
            std::fs::create_dir(folder.path(name)).unwrap();
        }
        folder.write_file("own/a.ron", text);
        Self(folder)
    }

    fn talweg(&self, args: &[&str]) -> assert_cmd::assert::Assert {
        let mut command = assert_cmd::Command::cargo_bin("talweg").unwrap();
        command.current_dir(self.0.path("own")).env("TALWEG_STATE", self.0.path("state")).args(args).assert()
    }

    /// Writes a heightmap.
    fn write_heights(&self, name: &str) {
        self.talweg(&["export", "island", "--size", "33", "-o", &self.0.path_text(name)]).success();
    }
}

fn importing(file: &str) -> String {
    format!("(version: 1, settings: (resolution: 33), layers: [(node: Import(file: \"{file}\"))])")
}

fn building(preset: &str) -> String {
    format!("(version: 1, settings: (resolution: 33), builds: [({preset})], layers: [(node: Perlin())])")
}

#[test]
fn scenes_from_elsewhere_read_below_their_folder_only() {
    let download = Download::new(&importing("../dem.png"));
    download.write_heights("dem.png");
    download.write_heights("own/maps/dem.png");
    let commands: [&[&str]; 8] = [
        &["check", "a.ron"],
        &["verify", "a.ron"],
        &["measure", "a.ron"],
        &["export", "a.ron", "-o", "x.png"],
        &["render", "a.ron", "-o", "x.png"],
        &["batch", "a.ron", "--seeds", "1..2", "-o", "x"],
        &["plan", "a.ron", "-o", "x", "--tile", "17"],
        &["sheet", "a.ron", "-o", "x.png"],
    ];
    for command in commands {
        let said = download.talweg(command).failure();
        let output = said.get_output();
        let text = String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned();
        assert!(text.contains("dem.png") && text.contains("--allow-outside"), "{command:?}: {text}");
    }
    assert!(!download.0.path("own/x.png").exists() && !download.0.path("own/x").exists());
    download.0.write_file("own/inside.ron", importing("maps/dem.png"));
    download.talweg(&["verify", "inside.ron"]).success();
    // The permission is remembered for this file, but not for a copy and not for other files.
    download.talweg(&["verify", "a.ron", "--allow-outside"]).success();
    download.talweg(&["verify", "a.ron"]).success();
    std::fs::copy(download.0.path("own/a.ron"), download.0.path("other/a.ron")).unwrap();
    download.talweg(&["verify", "../other/a.ron"]).failure();
    download.0.write_file("own/a.ron", importing("../secret.png"));
    download.write_heights("secret.png");
    download.talweg(&["verify", "a.ron"]).failure().stderr(contains("secret.png"));
}

#[test]
fn scenes_inside_exported_files_have_the_same_limits() {
    let download = Download::new(&importing("../dem.png"));
    download.write_heights("dem.png");
    download.talweg(&["export", "a.ron", "--allow-outside", "-o", "a.png", "-o", "a.tif", "-o", "a.glb"]).success();
    for name in ["a.png", "a.tif", "a.glb"] {
        // This user has exported the file. A copy in another folder could come from anybody.
        download.talweg(&["verify", name]).success();
        std::fs::copy(download.0.path("own").join(name), download.0.path("other").join(name)).unwrap();
        let copy = format!("../other/{name}");
        download.talweg(&["verify", &copy]).failure().stderr(contains("--allow-outside"));
        download.talweg(&["verify", &copy, "--allow-outside"]).success();
        download.talweg(&["verify", &copy]).success();
    }
}

#[test]
fn builds_of_others_write_below_the_folder_of_their_scene() {
    let product = "products: [(what: \"heights\", format: \"png\")]";
    let named = |file: &str| format!("name: \"B\", products: [(what: \"heights\", format: \"png\", file: \"{file}\")]");
    let presets = [
        format!("name: \"B\", folder: \"..\", {product}"),
        format!("name: \"B\", folder: \"../new\", {product}"),
        format!("name: \"B\", folder: \"/tmp\", {product}"),
        format!("name: \"B\", file_names: \"../{{scene}}-{{map}}\", {product}"),
        format!("name: \"B\", file_names: \"maps/../../{{map}}\", {product}"),
        named("../README.png"),
        named("/tmp/talweg-must-not-write-this.png"),
        "name: \"B\", folder: \"..\", target: \"unity\"".to_string(),
        // Hidden folders hold settings of programs.
        named(".config.png"),
        // Drives and servers of Windows count as outside on every system.
        named(r"C:\\new.png"),
        named("C:new.png"),
        named(r"\\\\server\\share\\new.png"),
    ];
    for preset in presets {
        let download = Download::new(&building(&preset));
        download.0.write_file("README.png", "mine");
        download
            .talweg(&["export", "a.ron", "--build", "B"])
            .failure()
            .stderr(contains("--allow-outside").and(contains("writes")));
        assert_eq!(std::fs::read(download.0.path("README.png")).unwrap(), b"mine", "{preset}");
        let there: Vec<_> =
            std::fs::read_dir(download.0.path("own")).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(there.len(), 2, "{preset}: {there:?}");
    }
    assert!(!Path::new("/tmp/talweg-must-not-write-this.png").exists());
}

#[test]
fn links_in_the_folder_of_a_scene_lead_nowhere_else() {
    let file = "products: [(what: \"heights\", format: \"png\", file: \"link/a.png\")]";
    let download = Download::new(&building(&format!("name: \"B\", {file}")));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(download.0.path("other"), download.0.path("own/link")).unwrap();
        download.talweg(&["export", "a.ron", "--build", "B"]).failure().stderr(contains("--allow-outside"));
        assert!(!download.0.path("other/a.png").exists());
    }
}

#[test]
fn builds_replace_only_files_that_they_have_written() {
    let preset = |name: &str| format!("name: \"B\", products: [(what: \"types\", format: \"png\", file: \"{name}\")]");
    let download = Download::new(&building(&preset("map.png")));
    let build = |more: &[&str]| download.talweg(&[&["export", "a.ron", "--build", "B"], more].concat());
    for name in ["own/map.png", "own/map.legend.ron"] {
        download.0.write_file(name, "mine");
        build(&[]).failure().stderr(contains("--overwrite").and(contains("exists")));
        assert_eq!(std::fs::read(download.0.path(name)).unwrap(), b"mine");
        build(&["--allow-outside"]).failure();
        std::fs::remove_file(download.0.path(name)).unwrap();
    }
    build(&[]).success();
    build(&[]).success();
    download.0.write_file("own/a.ron", building(&preset("other.png")));
    download.0.write_file("own/other.png", "mine");
    build(&[]).failure().stderr(contains("other.png"));
    build(&["--overwrite"]).success();
    // Outside its folder, a permitted build also replaces nothing that it has not written.
    download.0.write_file("own/a.ron", building(&preset("../README.png")));
    download.0.write_file("README.png", "mine");
    build(&["--allow-outside"]).failure().stderr(contains("exists"));
    assert_eq!(std::fs::read(download.0.path("README.png")).unwrap(), b"mine");
    build(&["--overwrite"]).success();
    build(&[]).success();
}

#[test]
fn names_of_layers_choose_no_folder() {
    let layers = "layers: [(name: \"x/../../../y\", node: Perlin(), mask: (by_height: true))]";
    let build = "builds: [(name: \"B\", products: [(what: \"mask:x/../../../y\", format: \"png\")])]";
    let download = Download::new(&format!("(version: 1, settings: (resolution: 33), {build}, {layers})"));
    download.talweg(&["export", "a.ron", "--build", "B"]).success();
    let mask = "mask:x/../../../y";
    download.talweg(&["export", "a.ron", "-o", "h.png", "--maps", mask]).success();
    download.talweg(&["export", "a.ron", "-o", "m.png", "--what", mask]).success();
    let names = |folder: &str| std::fs::read_dir(download.0.path(folder)).unwrap().count();
    // The scene, `maps`, and four files: the build, h.png, the mask beside it, and m.png.
    assert_eq!((names("own"), names("other")), (6, 0));
}
