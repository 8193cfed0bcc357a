//! Errors of exports.

use crate::eval::NotEnoughMemory;
use crate::field::Cancelled;
use crate::io::FileError;
use crate::scene::SceneError;

use super::maps::MapError;

/// The reason why an export failed. No file was written, because files are written together or not at all.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Parts of the request contradict each other. The text names these parts and the remedy.
    #[error("{0}")]
    Request(String),
    /// A map cannot be made.
    #[error(transparent)]
    Map(#[from] MapError),
    /// A file cannot be written.
    #[error(transparent)]
    File(FileError),
    /// The export does not fit into memory.
    #[error(transparent)]
    Memory(#[from] NotEnoughMemory),
    /// The scene cannot be stored in the exported files.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A mesh could not be made.
    #[error("{0}")]
    Mesh(String),
    /// The export was cancelled.
    #[error("stopped before it was finished; nothing was written")]
    Cancelled(#[from] Cancelled),
}

impl From<FileError> for ExportError {
    fn from(error: FileError) -> Self {
        if error.is_cancelled() { Self::Cancelled(Cancelled) } else { Self::File(error) }
    }
}
