//! The reasons why a file could not be written.

use std::path::{Path, PathBuf};

use crate::io::formats::format_list;

/// The reason why a file could not be written. The paths in an error are the paths that the caller gave, or the targets
/// of symbolic links.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The name of the file, or of a parent folder, is not UTF-8.
    #[error(
        "cannot use {path}: its name is not UTF-8 text, and scenes could not refer to it. Rename the file, or its folder"
    )]
    Name {
        /// Path of the file to write.
        path: PathBuf,
    },
    /// Windows reads a name in the path as a device or as another name.
    #[error(
        "cannot use {path}: Windows reserves the name {name:?}. Give a name without < > : \" | ? *, without a dot or \
         space at its end, and not the name of a device such as CON or NUL"
    )]
    Reserved {
        /// Path of the file to write.
        path: PathBuf,
        /// The reserved part of the path.
        name: String,
    },
    /// The parent folder does not exist.
    #[error("cannot write {path}: there is no folder {folder}. Create it first, or choose another folder")]
    NoFolder {
        /// Path of the file to write.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// The path is a folder.
    #[error("cannot write {path}: it is a folder. Give the name of a file")]
    IsFolder {
        /// Path of the file to write.
        path: PathBuf,
    },
    /// The path refers to a pipe, a socket or a device.
    #[error("cannot write {path}: it is a {kind}, not a file. Give the name of a file")]
    NotAFile {
        /// Path of the file to write.
        path: PathBuf,
        /// The kind of file at the path, in words, such as "pipe".
        kind: &'static str,
    },
    /// Symbolic links form a loop, are broken, or are too many to follow.
    #[error(
        "cannot write {path}: it is a symbolic link that is broken, leads to itself, or passes through too many other links"
    )]
    LinkLoop {
        /// Path of the symbolic link.
        path: PathBuf,
    },
    /// The file is write-protected.
    #[error(
        "cannot write {path}: the file is write-protected, and it is untouched. Give another name, or make it writable; on the command line, --force replaces it anyway"
    )]
    ReadOnly {
        /// Path of the file to write.
        path: PathBuf,
    },
    /// The file has other names (hard links).
    #[error(
        "cannot write {path}: the file has {names} names (hard links), and it is untouched. The other names would keep the old contents. Give another name; on the command line, --force replaces it under this name"
    )]
    Linked {
        /// Path of the file to write.
        path: PathBuf,
        /// Number of names (hard links) of the file.
        names: u64,
    },
    /// The file changed after the program had read it.
    #[error(
        "cannot write {path}: another program has changed the file since it was read; the changed file is untouched. Give another name, or read the file again"
    )]
    Changed {
        /// Path of the file to write.
        path: PathBuf,
    },
    /// The file exists, and nobody has allowed the program to replace it.
    #[error(
        "cannot write {path}: a file of that name exists, and it is untouched. Give another name, or move the file away; on the command line, --overwrite replaces it"
    )]
    Exists {
        /// Path of the file to write.
        path: PathBuf,
    },
    /// Another program holds the lock on a folder.
    #[error(
        "cannot write into this folder: another program has held the lock {path} for {seconds} seconds, and no file was changed. Try again when that program has finished, or close it"
    )]
    Locked {
        /// Path of the lock file.
        path: PathBuf,
        /// How long the program waited.
        seconds: u64,
    },
    /// The target folder for a new set of files is not empty.
    #[error("the folder {path} is not empty; give a new folder, so that the files do not mix with others")]
    NotEmpty {
        /// Path of the folder that is not empty.
        path: PathBuf,
    },
    /// The operating system reported an error before any file was replaced.
    #[error("cannot write {path}: {source}. A file that was there before is untouched")]
    Write {
        /// Path of the file to write.
        path: PathBuf,
        /// The error that the operating system reported.
        source: std::io::Error,
    },
    /// The operating system reported an error after the file was replaced.
    #[error(
        "{path} is replaced by the new file, but the system did not confirm that its folder is on the disk ({source}); after a power failure the old file may be back. Write it again"
    )]
    Unsynced {
        /// Path of the file to write.
        path: PathBuf,
        /// The error that the operating system reported.
        source: std::io::Error,
    },
    /// Some files of a set were replaced, then an error occurred and the old files could not be restored.
    #[error(
        "cannot write {path}: {source}. Of the files that belong together, these were replaced: {new}; the others are \
         untouched. Write them all again"
    )]
    PartlyReplaced {
        /// The file that was not written.
        path: PathBuf,
        /// Names of the files of the set that were already replaced.
        new: String,
        /// The error that the operating system reported.
        source: std::io::Error,
    },
    /// No known format has the extension of the file.
    #[error("cannot write {path}: `{extension}` is not a supported file extension; supported are {}", format_list())]
    Extension {
        /// Path of the file to write.
        path: PathBuf,
        /// The file extension, including the dot.
        extension: String,
    },
    /// The file name has no extension.
    #[error("cannot write {path}: {}; supported are {}", without_extension(path), format_list())]
    NoExtension {
        /// Path of the file to write.
        path: PathBuf,
    },
}

/// The reason why a name without an extension gives no format.
fn without_extension(path: &Path) -> &'static str {
    if path == Path::new("-") || path.starts_with("/dev") {
        "files are not written to standard output, because the extension of the name gives the format; give a name such \
         as out.png"
    } else {
        "the name has no extension to give the format"
    }
}

impl FileError {
    /// The file or folder that the error is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Name { path }
            | Self::Reserved { path, .. }
            | Self::NoFolder { path, .. }
            | Self::IsFolder { path }
            | Self::NotAFile { path, .. }
            | Self::LinkLoop { path }
            | Self::ReadOnly { path }
            | Self::Linked { path, .. }
            | Self::Changed { path }
            | Self::Exists { path }
            | Self::Locked { path, .. }
            | Self::NotEmpty { path }
            | Self::Write { path, .. }
            | Self::Unsynced { path, .. }
            | Self::PartlyReplaced { path, .. }
            | Self::Extension { path, .. }
            | Self::NoExtension { path } => path,
        }
    }

    /// Whether the write failed because it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Write { source, .. } if super::stoppable::is_cancelled(source))
    }

    /// Whether the old file was replaced despite the error. For a set of files, whether at least one file was replaced.
    pub fn is_replaced(&self) -> bool {
        matches!(self, Self::Unsynced { .. } | Self::PartlyReplaced { .. })
    }
}
