//! Why a file could not be written.

use std::path::{Path, PathBuf};

use crate::io::formats::format_list;

/// Why a file could not be written. Paths are as they were given; links are followed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The name, or that of a folder on the way, is not UTF-8.
    #[error(
        "cannot use {path}: its name is not UTF-8 text, and scenes could not refer to it. Rename the file, or the \
         folder that it is in"
    )]
    Name {
        /// The file.
        path: PathBuf,
    },
    /// The folder that the file shall be in does not exist.
    #[error("cannot write {path}: there is no folder {folder}. Make it first, or choose another one")]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// There is a folder of that name.
    #[error("cannot write {path}: it is a folder. Give the name of a file")]
    IsFolder {
        /// The file.
        path: PathBuf,
    },
    /// A pipe, a socket or a device.
    #[error("cannot write {path}: it is a {kind}, not a file. Give the name of a file")]
    NotAFile {
        /// The file.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// Links that lead to each other.
    #[error("cannot write {path}: it is a symbolic link that leads nowhere, to itself or through too many others")]
    LinkLoop {
        /// The link.
        path: PathBuf,
    },
    /// The file may not be written to.
    #[error(
        "cannot write {path}: the file is write-protected, and it is untouched. Give another name, or allow writing to \
         it; on the command line --force replaces it all the same"
    )]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The file has other names.
    #[error(
        "cannot write {path}: the file has {names} names (hard links), and it is untouched. Replacing it would leave the \
         old one under the others. Give another name; on the command line --force replaces it under this one"
    )]
    Linked {
        /// The file.
        path: PathBuf,
        /// How many names lead to it.
        names: u64,
    },
    /// The file is not the one that was read any more.
    #[error(
        "cannot write {path}: another program has changed the file since it was read; what that wrote is untouched. \
         Give another name, or read the file again"
    )]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A folder of files shall be written where there are files.
    #[error("the folder {path} is not empty; give a new one, so that its files are not mixed with others")]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The system refused, before anything was replaced.
    #[error("cannot write {path}: {source}. A file that was there before is untouched")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The system refused after the file was replaced.
    #[error(
        "{path} is replaced by the new one, but the system did not confirm that its folder is on the disk ({source}); \
         after a power failure the old one may be back. Write it again"
    )]
    Unsynced {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The system refused when some files of a set were replaced, and refused to take that back.
    #[error(
        "cannot write {path}: {source}. Of the files that belong together these are new: {new}; the others are \
         untouched. Write them all again"
    )]
    PartlyReplaced {
        /// The file that was not written.
        path: PathBuf,
        /// The files that are new.
        new: String,
        /// Why.
        source: std::io::Error,
    },
    /// The ending is that of no known format.
    #[error("cannot write {path}: `{extension}` is no format that is written; known are {}", format_list())]
    Extension {
        /// The file.
        path: PathBuf,
        /// The ending, with its dot.
        extension: String,
    },
    /// The name has no ending.
    #[error("cannot write {path}: the name has no ending, which says the format; known are {}", format_list())]
    NoExtension {
        /// The file.
        path: PathBuf,
    },
}

impl FileError {
    /// The file, or folder, that it is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Name { path }
            | Self::NoFolder { path, .. }
            | Self::IsFolder { path }
            | Self::NotAFile { path, .. }
            | Self::LinkLoop { path }
            | Self::ReadOnly { path }
            | Self::Linked { path, .. }
            | Self::Changed { path }
            | Self::NotEmpty { path }
            | Self::Write { path, .. }
            | Self::Unsynced { path, .. }
            | Self::PartlyReplaced { path, .. }
            | Self::Extension { path, .. }
            | Self::NoExtension { path } => path,
        }
    }

    /// Whether it was not written because somebody stopped it.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Write { source, .. } if super::stoppable::is_cancelled(source))
    }

    /// Whether the old file is gone, in spite of the error; of a set, at least one.
    pub fn is_replaced(&self) -> bool {
        matches!(self, Self::Unsynced { .. } | Self::PartlyReplaced { .. })
    }
}
