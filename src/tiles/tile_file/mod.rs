//! The file format of tiles. Every read of a part of a tile is verified.
//!
//! | part | contents |
//! |---|---|
//! | head | scene, plan, product, row and column of the tile, the fields or words that follow, the tiles that its task read |
//! | blocks | squares of 64 × 64 samples of one field, field by field; or 16,384 words |
//! | hashes | the hash of each block (XXH3-128) |
//! | end | the hash of the head and of all block hashes: the hash of the tile |
//!
//! A reader checks the end first, then the head against the tile that it asked for, then each block that it reads
//! against the block's hash. Numbers are little-endian.

mod fault;
mod head;
mod read;
mod write;

pub use fault::TileFault;
pub use head::TileId;

pub(super) use head::{ReadTile, TileContent, TileHead, TileInputs, TileName};
pub(super) use read::{OpenTile, ReadFailure};
pub(super) use write::{write_samples, write_words};

/// Samples per side of a block; the last block of a row or column of blocks has the remaining samples. A halo is read
/// in whole blocks, so the blocks are small.
const BLOCK: usize = 64;
/// Number of 64-bit words in a block.
const BLOCK_WORDS: usize = 1 << 14;
/// Bytes of a hash.
const HASH: usize = 16;
