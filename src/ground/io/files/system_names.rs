//! Path names of Windows, which scenes from other computers can contain on every system.

use std::path::{Component, Path, PathBuf, Prefix};

use super::FileError;

/// Whether a path starts at a root, a drive or a server on Windows or on Unix: `/x`, `\x`, `C:\x`, `C:x`, `\\server\x`.
/// The answer is the same on every system.
pub fn is_rooted(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    matches!(name, [b'/' | b'\\', ..]) || matches!(name, [drive, b':', ..] if drive.is_ascii_alphabetic())
}

/// Whether a path starts at a root, drive or server that this system does not have.
pub fn is_of_other_system(path: &Path) -> bool {
    !cfg!(windows) && is_rooted(path) && !path.has_root()
}

/// The name of a file at the end of a path that Windows or Unix wrote.
pub fn last_name(path: &Path) -> Option<PathBuf> {
    if !is_of_other_system(path) {
        return path.file_name().map(PathBuf::from);
    }
    let text = path.to_str()?;
    text.rsplit(['\\', '/', ':']).next().filter(|name| !name.is_empty()).map(PathBuf::from)
}

/// The path as scenes write it, with `/` on every system. A path of the form `\\?\` stays, because Windows reads such
/// paths only with `\`.
pub fn portable_text(path: &Path) -> String {
    let text = path.to_string_lossy().into_owned();
    if cfg!(windows) && !text.starts_with(r"\\?\") { text.replace('\\', "/") } else { text }
}

/// The absolute path of an existing file, with all symbolic links resolved. On Windows, the path does not have the
/// prefix `\\?\`, so that it can be compared with the paths that users and scenes write.
///
/// # Errors
/// When the file does not exist or cannot be reached.
pub fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    Ok(without_verbatim_prefix(&std::fs::canonicalize(path)?))
}

fn without_verbatim_prefix(path: &Path) -> PathBuf {
    let mut parts = path.components();
    let Some(Component::Prefix(prefix)) = parts.next() else { return path.into() };
    let root = match prefix.kind() {
        Prefix::VerbatimDisk(drive) => format!(r"{}:\", drive as char),
        Prefix::VerbatimUNC(server, share) => format!(r"\\{}\{}\", server.to_string_lossy(), share.to_string_lossy()),
        _ => return path.into(),
    };
    PathBuf::from(root).join(parts.filter(|part| *part != Component::RootDir).collect::<PathBuf>())
}

/// Whether `path` is on a server or a device, and `folder` is not on the same one. Windows logs in to a server as soon
/// as a program asks for a file there, so a scene must not cause that before the user has permitted it.
pub fn is_on_other_server(folder: &Path, path: &Path) -> bool {
    let prefix = |path: &Path| match path.components().next() {
        Some(Component::Prefix(prefix)) => match prefix.kind() {
            Prefix::Disk(_) | Prefix::VerbatimDisk(_) => None,
            Prefix::UNC(server, share) | Prefix::VerbatimUNC(server, share) => {
                Some((server.to_ascii_lowercase(), share.to_ascii_lowercase()))
            }
            _ => Some((prefix.as_os_str().to_ascii_lowercase(), Default::default())),
        },
        _ => None,
    };
    prefix(path).is_some_and(|named| prefix(folder) != Some(named))
}

/// Refuses a path that Windows reads as another file: a device such as `NUL.png`, a name that ends in a dot or a space,
/// or a name with a character that Windows reserves. Only Windows refuses these names.
pub(super) fn check_reserved(path: &Path) -> Result<(), FileError> {
    match reserved_name(path).filter(|_| cfg!(windows)) {
        Some(name) => Err(FileError::Reserved { path: path.into(), name }),
        None => Ok(()),
    }
}

/// Whether Windows reads a part of the path as a device or as another name; always `false` on other systems.
pub fn is_reserved(path: &Path) -> bool {
    cfg!(windows) && reserved_name(path).is_some()
}

/// The first part of a path that is a reserved name on Windows.
fn reserved_name(path: &Path) -> Option<String> {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    names.into_iter().find(|name| is_reserved_name(name)).map(String::from)
}

fn is_reserved_name(name: &str) -> bool {
    let reserved = |letter: char| letter < ' ' || r#"<>:"|?*"#.contains(letter);
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ').to_ascii_uppercase();
    let numbered = |port: &str| {
        let digit = stem.strip_prefix(port).and_then(|rest| rest.parse::<char>().ok());
        digit.is_some_and(|digit| digit.is_ascii_digit() || "¹²³".contains(digit))
    };
    name.ends_with(['.', ' '])
        || name.contains(reserved)
        || ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem.as_str())
        || numbered("COM")
        || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_drives_and_servers_are_rooted_on_every_system() {
        for rooted in ["/x", r"\x", r"C:\x", "c:/x", "C:x", r"\\server\share\x", "//server/x", r"\\?\C:\x"] {
            assert!(is_rooted(Path::new(rooted)), "{rooted}");
        }
        for relative in ["x", "maps/x.png", r"maps\x.png", "..", "stamp:mesa", "ä:x", ""] {
            assert!(!is_rooted(Path::new(relative)), "{relative}");
        }
        assert_eq!(is_of_other_system(Path::new(r"C:\x")), !cfg!(windows));
        for path in [r"C:\maps\dem.png", r"\\server\share\dem.png", "C:dem.png"] {
            assert_eq!(last_name(Path::new(path)), Some("dem.png".into()), "{path}");
        }
    }

    #[test]
    fn devices_and_reserved_characters_are_reserved_names() {
        for reserved in
            ["CON", "nul.png", "Com1.tar.gz", "LPT9", "com².txt", "aux .png", "a.", "a ", "a:b", "a?b", "a\tb"]
        {
            assert!(is_reserved_name(reserved), "{reserved}");
        }
        for usual in ["console.png", "COM10", "COM", "nullarbor.png", ".talweg-1-2.tmp", "a.b", "Höhe.png", "LPTX"] {
            assert!(!is_reserved_name(usual), "{usual}");
        }
        assert_eq!(check_reserved(Path::new("maps/nul.png")).is_err(), cfg!(windows));
        assert!(check_reserved(Path::new("../maps/dem.png")).is_ok());
    }

    #[test]
    fn canonical_paths_have_the_form_that_users_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = canonical(folder.path()).unwrap();
        assert!(path.is_absolute() && !path.to_string_lossy().starts_with(r"\\?\"), "{}", path.display());
        assert!(path.is_dir());
    }

    #[cfg(windows)]
    #[test]
    fn servers_differ_from_drives_and_other_shares() {
        let other = |folder: &str, path: &str| is_on_other_server(Path::new(folder), Path::new(path));
        assert!(other(r"C:\own", r"\\server\share\x") && other(r"\\server\own", r"\\SERVER\share\x"));
        assert!(other(r"C:\own", r"\\.\pipe\x"));
        assert!(!other(r"C:\own", r"D:\x") && !other(r"\\server\share\own", r"\\SERVER\share\x"));
        let plain = |path: &str| without_verbatim_prefix(Path::new(path));
        assert_eq!(plain(r"\\?\C:\a\b"), PathBuf::from(r"C:\a\b"));
        assert_eq!(plain(r"\\?\UNC\server\share\b"), PathBuf::from(r"\\server\share\b"));
    }
}
