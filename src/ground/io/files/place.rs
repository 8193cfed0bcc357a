//! Follows symbolic links to the location that a path refers to, and finds the reasons not to write there.

use std::fs::{File, FileType, Metadata};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::{FileError, SaveTarget};

/// Maximum number of symbolic links that the program follows for one path; Linux has the same limit.
const MOST_LINKS: usize = 40;

/// The location of a file to write, after all symbolic links of its path have been followed.
#[derive(Debug)]
pub(super) struct WriteLocation {
    /// The path of the file to replace; never a symbolic link.
    pub file: PathBuf,
    /// The folder of `file`.
    pub folder: PathBuf,
    /// Metadata of the existing file, if the file exists.
    pub existing: Option<Metadata>,
}

impl WriteLocation {
    /// Follows symbolic links starting at `path`.
    fn resolved(path: &Path) -> Result<Self, FileError> {
        super::check_name(path)?;
        let mut file = path.to_path_buf();
        for _ in 0..=MOST_LINKS {
            let folder = folder_of(&file);
            let existing = match std::fs::symlink_metadata(&file) {
                Ok(data) if data.is_symlink() => {
                    let link = std::fs::read_link(&file);
                    // The target of a relative link is relative to the folder of the link.
                    file = folder.join(link.map_err(|source| FileError::Write { path: path.into(), source })?);
                    continue;
                }
                Ok(data) => Some(data),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => None,
                Err(source) => return Err(FileError::Write { path: path.into(), source }),
            };
            if existing.is_none() {
                match std::fs::metadata(&folder) {
                    Ok(data) if data.is_dir() => {}
                    Err(source) if !matches!(source.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                        return Err(FileError::Write { path: path.into(), source });
                    }
                    _ => return Err(FileError::NoFolder { path: path.into(), folder }),
                }
            }
            return Ok(Self { file, folder, existing });
        }
        Err(FileError::LinkLoop { path: path.into() })
    }

    /// Finds the location of a target file and checks all reasons not to write there.
    pub fn checked(target: &SaveTarget) -> Result<Self, FileError> {
        let path = &*target.path;
        let place = Self::resolved(path)?;
        if let Some(data) = &place.existing {
            if data.is_dir() {
                return Err(FileError::IsFolder { path: path.into() });
            }
            if target.only_new {
                return Err(FileError::Exists { path: path.into() });
            }
            if !data.is_file() {
                return Err(FileError::NotAFile { path: path.into(), kind: kind(data.file_type()) });
            }
            if !target.over_read_only && is_read_only(&place.file, data) {
                return Err(FileError::ReadOnly { path: path.into() });
            }
            if !target.over_links && count_names(&place.file, data) > 1 {
                // A program that was killed while it replaced a set of files may have left a second name for the file.
                super::sweep_folder(&place.folder);
                let names = std::fs::symlink_metadata(&place.file).map_or(1, |data| count_names(&place.file, &data));
                if names > 1 {
                    return Err(FileError::Linked { path: path.into(), names });
                }
            }
        } else if place.file.file_name().is_none() {
            return Err(FileError::IsFolder { path: path.into() });
        }
        Ok(place)
    }

    /// The location of a new folder. The folder must be missing or empty.
    pub fn new_folder(path: &Path) -> Result<Self, FileError> {
        let place = Self::resolved(path)?;
        let failed = |source| FileError::Write { path: path.into(), source };
        if place.file.file_name().is_none() {
            let is_drive = matches!(path.components().next(), Some(Component::Prefix(_)));
            let reason = if is_drive { "there is no such drive" } else { "give the name of a new folder" };
            return Err(failed(std::io::Error::other(reason)));
        }
        let Some(data) = &place.existing else { return Ok(place) };
        if !data.is_dir() {
            return Err(failed(std::io::Error::other("a file of that name exists; give the name of a new folder")));
        }
        match std::fs::read_dir(&place.file).map_err(failed)?.next() {
            Some(_) => Err(FileError::NotEmpty { path: path.into() }),
            None => Ok(place),
        }
    }

    /// Checks whether new files can be created in the folder.
    pub fn check_folder(&self, path: &Path) -> Result<(), FileError> {
        may_write(&self.folder).map_err(|source| FileError::Write { path: path.into(), source })
    }

    /// Syncs the folder, so that renames in it survive a power failure.
    pub fn sync_folder(&self) -> std::io::Result<()> {
        if !cfg!(unix) {
            return Ok(());
        }
        match File::open(&self.folder).and_then(|folder| folder.sync_all()) {
            // This error occurs if the folder is writable but not readable, or if the file system cannot sync folders.
            Err(e)
                if matches!(
                    e.kind(),
                    ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
                ) =>
            {
                Ok(())
            }
            other => other,
        }
    }
}

/// The parent folder of a file; `.` if the path has none.
fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.into(),
        _ => PathBuf::from("."),
    }
}

#[cfg(unix)]
fn kind(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        kind if kind.is_fifo() => "pipe",
        kind if kind.is_socket() => "socket",
        _ => "device",
    }
}

#[cfg(not(unix))]
fn kind(_: FileType) -> &'static str {
    "device"
}

/// The number of names (hard links) of a file.
#[cfg(unix)]
fn count_names(_: &Path, data: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(data)
}

#[cfg(windows)]
fn count_names(file: &Path, _: &Metadata) -> u64 {
    let known = File::open(file).and_then(|file| winapi_util::file::information(&file));
    known.map_or(1, |data| data.number_of_links())
}

#[cfg(not(any(unix, windows)))]
fn count_names(_: &Path, _: &Metadata) -> u64 {
    1
}

/// Whether the permissions mark a file as write-protected. This program must check the mark itself, because the system
/// ignores it for root and when a rename replaces the file.
#[cfg(unix)]
fn is_read_only(file: &Path, data: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    data.permissions().mode() & 0o222 == 0 || may_write(file).is_err_and(|e| e.kind() == ErrorKind::PermissionDenied)
}

/// WASI has no permissions, and its standard library calls every file read-only.
#[cfg(not(unix))]
fn is_read_only(_: &Path, data: &Metadata) -> bool {
    cfg!(windows) && data.permissions().readonly()
}

/// Checks with the operating system whether a file or folder is writable.
#[cfg(unix)]
fn may_write(path: &Path) -> std::io::Result<()> {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    Ok(accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS)?)
}

/// Creates and removes a file in a folder, because Windows has no call that applies all access rules of the folder.
#[cfg(not(unix))]
fn may_write(folder: &Path) -> std::io::Result<()> {
    super::TemporaryFile::new(folder, false).map(drop)
}

/// Copies the owner and the permissions of the old file to the new one.
#[cfg(unix)]
pub(super) fn copy_ownership(file: &File, old: &Metadata, old_file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    const SET_USER: u32 = 0o4000;
    const SET_GROUP: u32 = 0o2000;
    const GROUP: u32 = 0o070;
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o7777;
    // Only root can change the owner of a file; a member of a group can change the file's group.
    if new.uid() != old.uid() && fchown(file, Some(old.uid()), None).is_err() {
        mode &= !SET_USER;
    }
    if new.gid() != old.gid() && fchown(file, None, Some(old.gid())).is_err() {
        mode &= !SET_GROUP;
    }
    if !adopt_access_list(file, old_file) {
        // With an access list, the group bits are the maximum rights for all entries of the list. If the list cannot be
        // copied, the group would get these maximum rights.
        mode &= !GROUP;
    }
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

/// Copies the access list (POSIX ACL) of the old file. Returns whether the new file has all entries of the list.
#[cfg(target_os = "linux")]
fn adopt_access_list(file: &File, old_file: &Path) -> bool {
    use rustix::fs::{XattrFlags, fsetxattr, getxattr};
    const NAME: &str = "system.posix_acl_access";
    // The buffer has the maximum length that the system allows for an access list.
    let mut list = vec![0; 1 << 16];
    // The old file has no access list to copy.
    let Ok(bytes) = getxattr(old_file, NAME, &mut list[..]) else { return true };
    fsetxattr(file, NAME, &list[..bytes], XattrFlags::empty()).is_ok()
}

#[cfg(all(unix, not(target_os = "linux")))]
fn adopt_access_list(_: &File, _: &Path) -> bool {
    true
}

#[cfg(not(unix))]
pub(super) fn copy_ownership(_: &File, _: &Metadata, _: &Path) -> std::io::Result<()> {
    Ok(())
}
