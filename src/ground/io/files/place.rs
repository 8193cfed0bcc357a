//! Where a name leads, and what would keep it from being written.

use std::fs::{File, FileType, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{FileError, SaveTarget};

/// Links that are followed at the most, as Linux has it.
const MOST_LINKS: usize = 40;

/// Where a name leads.
#[derive(Debug)]
pub(super) struct WritePlace {
    /// What is replaced: no symbolic link.
    pub file: PathBuf,
    /// The folder of `file`.
    pub folder: PathBuf,
    /// What is there.
    pub existing: Option<Metadata>,
}

impl WritePlace {
    /// Follows the links from `path`.
    fn resolved(path: &Path) -> Result<Self, FileError> {
        super::check_name(path)?;
        let mut file = path.to_path_buf();
        for _ in 0..=MOST_LINKS {
            let folder = folder_of(&file);
            let existing = match std::fs::symlink_metadata(&file) {
                Ok(data) if data.is_symlink() => {
                    let link = std::fs::read_link(&file);
                    // a relative link counts from its own folder
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

    /// Where a file of this name goes.
    pub fn checked(target: &SaveTarget) -> Result<Self, FileError> {
        let path = &*target.path;
        let place = Self::resolved(path)?;
        if let Some(data) = &place.existing {
            if data.is_dir() {
                return Err(FileError::IsFolder { path: path.into() });
            }
            if !data.is_file() {
                return Err(FileError::NotAFile { path: path.into(), kind: kind(data.file_type()) });
            }
            if !target.over_read_only && is_read_only(&place.file, data) {
                return Err(FileError::ReadOnly { path: path.into() });
            }
            if !target.over_links && count_names(data) > 1 {
                // what was killed while it replaced a set may have left a second name
                super::sweep_folder(&place.folder);
                let names = std::fs::symlink_metadata(&place.file).map_or(1, |data| count_names(&data));
                if names > 1 {
                    return Err(FileError::Linked { path: path.into(), names });
                }
            }
        } else if place.file.file_name().is_none() {
            return Err(FileError::IsFolder { path: path.into() });
        }
        Ok(place)
    }

    /// Where a folder of this name goes: there is none, or an empty one.
    pub fn new_folder(path: &Path) -> Result<Self, FileError> {
        let place = Self::resolved(path)?;
        let failed = |source| FileError::Write { path: path.into(), source };
        if place.file.file_name().is_none() {
            return Err(failed(std::io::Error::other("give the name of a new folder")));
        }
        let Some(data) = &place.existing else { return Ok(place) };
        if !data.is_dir() {
            return Err(failed(std::io::Error::other("there is a file of that name; give that of a new folder")));
        }
        match std::fs::read_dir(&place.file).map_err(failed)?.next() {
            Some(_) => Err(FileError::NotEmpty { path: path.into() }),
            None => Ok(place),
        }
    }

    /// Whether the folder takes new files.
    pub fn check_folder(&self, path: &Path) -> Result<(), FileError> {
        may_write(&self.folder).map_err(|source| FileError::Write { path: path.into(), source })
    }

    /// Sees to it that the folder remembers what was renamed in it.
    pub fn sync_folder(&self) -> std::io::Result<()> {
        if !cfg!(unix) {
            return Ok(());
        }
        match File::open(&self.folder).and_then(|folder| folder.sync_all()) {
            // a folder that may be written to and not read, or a file system that syncs no folders
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

/// The folder of a file, `.` where its name has none.
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

/// How many names a file has.
#[cfg(unix)]
fn count_names(data: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(data)
}

#[cfg(not(unix))]
fn count_names(_: &Metadata) -> u64 {
    1
}

/// Whether the permissions of a file say that it shall not be written to. They bind nobody whose folder it is in, and
/// root not at all, so they are asked for here.
#[cfg(unix)]
fn is_read_only(file: &Path, data: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    data.permissions().mode() & 0o222 == 0 || may_write(file).is_err_and(|e| e.kind() == ErrorKind::PermissionDenied)
}

#[cfg(not(unix))]
fn is_read_only(_: &Path, data: &Metadata) -> bool {
    data.permissions().readonly()
}

/// Asks the system whether it would let a file or folder be written to.
#[cfg(unix)]
fn may_write(path: &Path) -> std::io::Result<()> {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    Ok(accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS)?)
}

#[cfg(not(unix))]
fn may_write(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Gives a new file the owner and the permissions of the one whose place it takes.
#[cfg(unix)]
pub(super) fn adopt(file: &File, old: &Metadata, old_file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    const SET_USER: u32 = 0o4000;
    const SET_GROUP: u32 = 0o2000;
    const GROUP: u32 = 0o070;
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o7777;
    // only root can give files away; a member may give one to a group
    if new.uid() != old.uid() && fchown(file, Some(old.uid()), None).is_err() {
        mode &= !SET_USER;
    }
    if new.gid() != old.gid() && fchown(file, None, Some(old.gid())).is_err() {
        mode &= !SET_GROUP;
    }
    if !adopt_access_list(file, old_file) {
        // the bits of the group are the most that the list gives to anybody: without it they would give it to the group
        mode &= !GROUP;
    }
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

/// Gives a new file the access list (POSIX ACL) of an old one; returns whether it has all that the old one had.
#[cfg(target_os = "linux")]
fn adopt_access_list(file: &File, old_file: &Path) -> bool {
    use rustix::fs::{XattrFlags, fsetxattr, getxattr};
    const NAME: &str = "system.posix_acl_access";
    // the system allows no longer ones
    let mut list = vec![0; 1 << 16];
    // without a list there is none to adopt
    let Ok(bytes) = getxattr(old_file, NAME, &mut list[..]) else { return true };
    fsetxattr(file, NAME, &list[..bytes], XattrFlags::empty()).is_ok()
}

#[cfg(all(unix, not(target_os = "linux")))]
fn adopt_access_list(_: &File, _: &Path) -> bool {
    true
}

#[cfg(not(unix))]
pub(super) fn adopt(_: &File, _: &Metadata, _: &Path) -> std::io::Result<()> {
    Ok(())
}
