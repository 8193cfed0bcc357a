//! Reasons why a tile cannot be used.

use std::ops::Range;

use super::TileId;

/// The reason why a tile's file is not the tile that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TileFault {
    /// There is no file.
    #[error("is missing")]
    Missing,
    /// The file is something else.
    #[error("is not a tile")]
    NotATile,
    /// The file has the format of an earlier or later version.
    #[error("was written by another version of Talweg")]
    OtherFormat,
    /// The file does not have the length that its head gives.
    #[error("is incomplete or damaged: it has {bytes} bytes, and its head says {wanted}")]
    Length {
        /// Length of the file.
        bytes: u64,
        /// Length according to the head of the file.
        wanted: u64,
    },
    /// The head or the list of block hashes does not match the hash at the end.
    #[error("is damaged: its head and its list of hashes do not match the hash at its end")]
    Head,
    /// The tile was made for another scene.
    #[error("belongs to another scene")]
    OtherScene,
    /// The tile was made for another plan, or by another version of the program.
    #[error("belongs to another plan or another version of Talweg")]
    OtherPlan,
    /// The file is another tile of the same plan.
    #[error("holds another tile: {0}")]
    OtherTile(TileId),
    /// The tile does not have the samples or fields that the plan gives it.
    #[error("does not have the samples that the plan says")]
    OtherShape,
    /// A block of samples does not match its hash.
    #[error(
        "is damaged in rows {} to {} and columns {} to {} of field {field}",
        rows.start, rows.end - 1, columns.start, columns.end - 1
    )]
    Samples {
        /// Index of the field; 0 is the heights.
        field: usize,
        /// Rows of the block in the tile.
        rows: Range<usize>,
        /// Columns of the block in the tile.
        columns: Range<usize>,
    },
    /// A block of survey data does not match its hash.
    #[error("is damaged: its block {block} does not match its hash")]
    Words {
        /// Number of the block.
        block: usize,
    },
    /// The file was replaced while a task worked with it.
    #[error("was replaced by another version while a task read it")]
    Replaced,
    /// The plan does not list the tile among those that the task reads.
    #[error("is not one of the tiles that its task reads by the plan")]
    Unplanned,
    /// The task wrote this tile and another one of its tiles in two runs, which read different tiles.
    #[error("was made in another run than {0}")]
    OtherRun(TileId),
    /// A tile that the task read was made again since, and is different now.
    #[error("was made of another version of {0}")]
    OldInput(TileId),
}
