//! Writing of files: effects on their contents, links, permissions and names.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use talweg::io::{
    FileError, FileStamp, FolderLock, SaveTarget, StagedFile, StagedSet, check_writable, sweep_folder,
    write_atomically, write_folder_atomically,
};
use talweg::nodes::Node;
use talweg::scene::{Layer, Scene};

fn write(to: impl Into<SaveTarget>, text: &str) -> Result<(), FileError> {
    write_atomically(to, |file| file.write_all(text.as_bytes()))
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

#[test]
fn file_names_may_have_the_maximum_length() {
    let folder = tempfile::tempdir().unwrap();
    for length in 245..=255 {
        let path = folder.path().join("n".repeat(length - 4) + ".ron");
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(text(&path), "two");
    }
    let path = folder.path().join("ä".repeat(125) + ".ron");
    write(&path, "two").unwrap();
    assert!(matches!(write(folder.path().join("n".repeat(256)), "x"), Err(FileError::Write { .. })));
    assert_eq!(names(folder.path()).len(), 12);
}

#[test]
fn a_file_that_has_changed_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let none = FileStamp::read(&path).unwrap();
    assert!(!none.is_file() && !none.has_changed(&path) && !none.looks_changed(&path));
    write(&path, "mine").unwrap();
    assert!(none.has_changed(&path) && none.looks_changed(&path));
    let refused = write(SaveTarget::new(&path).if_unchanged_since(none), "yours");
    assert!(matches!(refused, Err(FileError::Changed { .. })) && text(&path) == "mine");
    let mine = FileStamp::read(&path).unwrap();
    assert_eq!(mine, FileStamp::of_contents(b"mine", &path));
    assert!(!mine.looks_changed(&path));
    // A file written again with the same contents counts as unchanged.
    write(&path, "mine").unwrap();
    write(SaveTarget::new(&path).if_unchanged_since(mine.clone()), "also mine").unwrap();
    assert!(mine.has_changed(&path) && mine.looks_changed(&path));
    fs::remove_file(&path).unwrap();
    let refused = write(SaveTarget::new(&path).if_unchanged_since(mine), "back");
    assert!(refused.unwrap_err().to_string().contains("another program"));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn staged_files_are_invisible_until_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    write(&path, "old").unwrap();
    let mut staged = StagedFile::new(&path, |file| file.write_all(b"new")).unwrap();
    assert_eq!((staged.contents().unwrap(), text(&path).as_str()), (b"new".to_vec(), "old"));
    assert_eq!(sweep_folder(folder.path()), 0, "a running program keeps its temporary files");
    drop(staged);
    assert_eq!(names(folder.path()), ["a"]);
    StagedFile::new(&path, |file| file.write_all(b"new")).unwrap().commit().unwrap();
    assert_eq!((text(&path).as_str(), names(folder.path()).len()), ("new", 1));
}

/// Every writer reads the number in the file and saves it plus one. A refused writer reads again, so no saved number is
/// lost.
#[test]
fn one_of_two_simultaneous_saves_is_refused() {
    const SAVERS: usize = 6;
    const SAVES: usize = 40;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("count");
    write(&path, "0").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..SAVERS {
            scope.spawn(|| {
                let mut saved = 0;
                while saved < SAVES {
                    let old = fs::read(&path).unwrap();
                    let count: usize = std::str::from_utf8(&old).unwrap().parse().unwrap();
                    let target = SaveTarget::new(&path).if_unchanged_since(FileStamp::of_contents(&old, &path));
                    match write(target, &(count + 1).to_string()) {
                        Ok(()) => saved += 1,
                        Err(FileError::Changed { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    assert_eq!(text(&path), (SAVERS * SAVES).to_string());
}

#[test]
fn the_holder_of_a_folder_lock_writes_and_others_wait() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let lock = FolderLock::new(folder.path()).unwrap();
    write(&path, "mine").unwrap();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| write(&path, "yours"));
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert_eq!((text(&path).as_str(), other.is_finished()), ("mine", false));
        drop(lock);
        other.join().unwrap().unwrap();
    });
    assert_eq!(text(&path), "yours");
}

#[test]
fn a_set_of_files_is_replaced_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["one", "new", "three"].map(|name| folder.path().join(name));
    let all = || paths.iter().map(|path| fs::read_to_string(path).unwrap_or_default()).collect::<Vec<_>>();
    let staged = |text: &str| {
        let mut set = StagedSet::default();
        for path in &paths {
            set.push(StagedFile::new(path, |file| file.write_all(text.as_bytes())).unwrap());
        }
        set
    };
    for path in [&paths[0], &paths[2]] {
        write(path, "old").unwrap();
    }
    // The write cannot replace the last of these files.
    let set = staged("half");
    fs::remove_file(&paths[2]).unwrap();
    fs::create_dir(&paths[2]).unwrap();
    let error = set.commit().unwrap_err();
    assert!(error.to_string().contains("three") && !error.is_replaced(), "{error}");
    assert_eq!(all(), ["old", "", ""]);
    assert_eq!(names(folder.path()), ["one", "three"], "no temporary file is left");
    fs::remove_dir(&paths[2]).unwrap();
    drop(staged("never"));
    assert_eq!(names(folder.path()), ["one"]);
    staged("all").commit().unwrap();
    assert_eq!(all(), ["all"; 3]);
    assert_eq!(names(folder.path()).len(), 3);
    // If another program has changed one of the files since it was read, all old files stay.
    let expected = FileStamp::read(&paths[2]).unwrap();
    let mut set = StagedSet::default();
    set.push(StagedFile::new(&paths[0], |file| file.write_all(b"more")).unwrap());
    let target = SaveTarget::new(&paths[2]).if_unchanged_since(expected);
    set.push(StagedFile::new(target, |file| file.write_all(b"more")).unwrap());
    fs::write(&paths[2], "theirs").unwrap();
    assert!(matches!(set.commit(), Err(FileError::Changed { .. })));
    assert_eq!(all(), ["all", "all", "theirs"]);
}

#[test]
fn a_folder_of_files_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film");
    let fill = |text: &'static str| {
        move |folder: &Path| -> Result<(), FileError> {
            for name in ["1", "2"] {
                fs::write(folder.join(name), text).unwrap();
            }
            Ok(())
        }
    };
    let failed = write_folder_atomically(&path, |inside| -> Result<(), FileError> {
        fill("half")(inside)?;
        assert!(!path.exists());
        Err(FileError::NotEmpty { path: path.clone() })
    });
    assert!(failed.is_err() && names(folder.path()).is_empty());
    // When two writers create the same folder, the second writer finds it filled.
    let second = write_folder_atomically(&path, |inside| {
        fill("second")(inside)?;
        write_folder_atomically(&path, fill("first"))
    });
    assert!(matches!(second, Err(FileError::NotEmpty { .. })));
    assert_eq!((names(&path), text(&path.join("2")).as_str()), (vec!["1".into(), "2".into()], "first"));
    assert_eq!(names(folder.path()), ["film"]);
    fs::create_dir(folder.path().join("empty")).unwrap();
    write_folder_atomically(&folder.path().join("empty"), fill("x")).unwrap();
    write(folder.path().join("file"), "x").unwrap();
    assert!(write_folder_atomically(&folder.path().join("file"), fill("x")).is_err());
    assert_eq!(names(folder.path()), ["empty", "file", "film"]);
}

#[test]
fn only_leftovers_of_ended_programs_are_swept() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str| fs::write(folder.path().join(name), "x").unwrap();
    for name in [".talweg-1-0.tmp", ".talweg-99-12.tmp", ".talweg-notes.tmp", "talweg-1-0.tmp", ".a.ron.tmp"] {
        put(name);
    }
    fs::create_dir(folder.path().join(".talweg-7-7.tmp")).unwrap();
    put(".talweg-7-7.tmp/frame");
    let alive = File::create(folder.path().join(".talweg-2-0.tmp")).unwrap();
    alive.try_lock().unwrap();
    // The first write into the folder removes left-over files.
    write(folder.path().join("a.ron"), "x").unwrap();
    let kept = [".a.ron.tmp", ".talweg-2-0.tmp", ".talweg-notes.tmp", "a.ron", "talweg-1-0.tmp"];
    assert_eq!(names(folder.path()), kept);
    drop(alive);
    assert_eq!((sweep_folder(folder.path()), names(folder.path()).len()), (1, 4));
}

fn scene_of(layers: u32) -> Scene {
    let layer = |seed| Layer::new(Node::catalogue().remove(0), seed);
    Scene { layers: (0..layers).map(layer).collect(), ..Scene::default() }
}

/// `tests/campaign` shows for a killed process that its old scene stays.
#[test]
fn a_save_that_fails_leaves_the_old_scene() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.ron");
    scene_of(1).save(&file).unwrap();
    let error = talweg::io::write_atomically(&file, |out| {
        out.write_all(b"half of i")?;
        Err(std::io::Error::other("the disk is full"))
    });
    assert!(error.unwrap_err().to_string().contains("the disk is full"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), scene_of(1).to_ron().unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;
    use talweg::appearance_files::BiomeTable;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn links_stay_and_their_target_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["deep", "deep/er"] {
            fs::create_dir(at(name)).unwrap();
        }
        write(at("deep/er/real"), "old").unwrap();
        set_mode(&at("deep/er/real"), 0o640);
        let links = [
            ("absolute", at("deep/er/real")),
            ("relative", PathBuf::from("deep/er/real")),
            ("deep/upwards", PathBuf::from("../deep/er/real")),
            ("chain", PathBuf::from("deep/upwards")),
        ];
        for (name, to) in &links {
            symlink(to, at(name)).unwrap();
            write(at(name), name).unwrap();
            assert!(fs::symlink_metadata(at(name)).unwrap().is_symlink(), "{name}");
            assert_eq!((text(&at("deep/er/real")).as_str(), mode(&at("deep/er/real"))), (*name, 0o640));
        }
        symlink("deep/new", at("dangling")).unwrap();
        write(at("dangling"), "made").unwrap();
        assert_eq!(text(&at("deep/new")), "made");
        symlink("none/new", at("astray")).unwrap();
        assert!(matches!(write(at("astray"), "x"), Err(FileError::NoFolder { folder, .. }) if folder == at("none")));
        symlink("circle", at("circle")).unwrap();
        assert!(matches!(write(at("circle"), "x"), Err(FileError::LinkLoop { .. })));
        symlink("deep", at("folder")).unwrap();
        assert!(matches!(write(at("folder"), "x"), Err(FileError::IsFolder { .. })));
        assert_eq!(names(&at("deep")), ["er", "new", "upwards"], "no temporary file is left beside the targets");
    }

    #[test]
    fn permissions_are_kept_and_new_files_get_those_of_the_umask() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        File::create(folder.path().join("plain")).unwrap();
        write(&path, "x").unwrap();
        assert_eq!(mode(&path), mode(&folder.path().join("plain")));
        for bits in [0o600, 0o640, 0o666, 0o755, 0o2664, 0o200] {
            set_mode(&path, bits);
            write(&path, "y").unwrap();
            assert_eq!(mode(&path), bits, "{bits:o}");
        }
    }

    #[test]
    fn a_write_protected_file_needs_permission() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write(&path, "old").unwrap();
        set_mode(&path, 0o444);
        for refused in [check_writable(&path), write(&path, "new")] {
            assert!(matches!(&refused, Err(FileError::ReadOnly { .. })), "{refused:?}");
            assert!(refused.unwrap_err().to_string().contains("--force"));
        }
        assert_eq!(text(&path), "old");
        let meant = SaveTarget::new(&path).over_read_only(true);
        check_writable(&meant).unwrap();
        write(&meant, "new").unwrap();
        assert_eq!((text(&path).as_str(), mode(&path)), ("new", 0o444));
    }

    #[test]
    fn a_file_with_several_hard_links_needs_permission() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        write(&path, "old").unwrap();
        fs::hard_link(&path, &other).unwrap();
        for refused in [check_writable(&path), write(&path, "new")] {
            assert!(matches!(&refused, Err(FileError::Linked { names: 2, .. })), "{refused:?}");
            let said = refused.unwrap_err().to_string();
            assert!(said.contains("2 names (hard links)") && said.contains("--force"), "{said}");
        }
        assert_eq!((text(&path).as_str(), text(&other).as_str()), ("old", "old"));
        write(SaveTarget::new(&path).over_links(true), "new").unwrap();
        assert_eq!((text(&path).as_str(), text(&other).as_str()), ("new", "old"));
        // After the write the file has only one name, and the user is not asked again.
        write(&path, "newer").unwrap();
        // The write also removes the second name that a killed program left.
        fs::hard_link(&path, folder.path().join(".talweg-1-0.tmp")).unwrap();
        write(&path, "newest").unwrap();
        assert_eq!((text(&path).as_str(), names(folder.path())), ("newest", vec!["a".into(), "b".into()]));
    }

    /// Linux access control lists: the owner and one more user may write, the group and all others may read.
    #[cfg(target_os = "linux")]
    #[test]
    fn access_control_lists_are_kept() {
        use rustix::fs::{XattrFlags, getxattr, setxattr};
        const NAME: &str = "system.posix_acl_access";
        let entries: [(u16, u16, u32); 5] =
            [(1, 6, u32::MAX), (2, 6, 12345), (4, 4, u32::MAX), (16, 6, u32::MAX), (32, 4, u32::MAX)];
        let mut list = 2u32.to_le_bytes().to_vec();
        for (tag, bits, id) in entries {
            list.extend(tag.to_le_bytes().into_iter().chain(bits.to_le_bytes()).chain(id.to_le_bytes()));
        }
        // The folder is next to the test program, because the folder for temporary files can be on a file system
        // without access control lists.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let path = folder.path().join("a");
        write(&path, "old").unwrap();
        setxattr(&path, NAME, &list, XattrFlags::empty()).expect("a file system with access lists");
        let bits = mode(&path);
        write(&path, "new").unwrap();
        let mut kept = vec![0; 1024];
        let bytes = getxattr(&path, NAME, &mut kept[..]).expect("the file has an access list");
        assert_eq!((&kept[..bytes], mode(&path), text(&path).as_str()), (&list[..], bits, "new"));
    }

    #[test]
    fn pipes_sockets_and_devices_are_refused_by_kind() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let pipe = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(pipe.success());
        let _socket = UnixListener::bind(at("socket")).unwrap();
        symlink("pipe", at("link")).unwrap();
        let cases =
            [(at("pipe"), "pipe"), (at("link"), "pipe"), (at("socket"), "socket"), ("/dev/null".into(), "device")];
        for (path, kind) in cases {
            let said = write(SaveTarget::new(&path).over_read_only(true), "x").unwrap_err().to_string();
            assert!(said.contains(&format!("it is a {kind}, not a file")), "{said}");
            assert!(Scene::default().save(&path).is_err() && Scene::load(&path).is_err());
            assert!(FileStamp::read(&path).is_err());
        }
        assert_eq!(names(folder.path()), ["link", "pipe", "socket"]);
    }

    #[test]
    fn names_that_are_not_text_are_refused_by_everything() {
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join(OsStr::from_bytes(b"alp\xe9"));
        fs::create_dir(&odd).unwrap();
        fs::write(odd.join("a.ron"), Scene::default().to_ron().unwrap()).unwrap();
        for path in [odd.join("a.ron"), folder.path().join(OsStr::from_bytes(b"\xff.ron"))] {
            let said = [
                check_writable(&path).unwrap_err().to_string(),
                write(&path, "x").unwrap_err().to_string(),
                write_folder_atomically(&path, |_| Ok::<_, FileError>(())).unwrap_err().to_string(),
                Scene::default().save(&path).unwrap_err().to_string(),
                Scene::load(&path).unwrap_err().to_string(),
                BiomeTable::load(&path).unwrap_err().to_string(),
            ];
            assert!(said.iter().all(|said| said.contains("not UTF-8")), "{said:#?}");
        }
        assert_eq!(names(&odd), ["a.ron"]);
    }
}
