//! Writing tiles.

use std::io::Write;
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::{BLOCK, BLOCK_WORDS, HASH, TileContent, TileHead};
use crate::io::{FileError, write_atomically};

/// Writes the file of a tile of fields. `row` returns a row of a field; rows and fields are numbered within the tile.
pub fn write_samples<'a>(
    path: &Path,
    head: &TileHead,
    row: impl Fn(usize, usize) -> &'a [f32],
) -> Result<(), FileError> {
    let TileContent::Fields { rows, columns, .. } = head.content else { return write_words(path, head, &[]) };
    write_blocks(path, head, |write| {
        let mut bytes: Vec<[u8; 4]> = Vec::with_capacity(BLOCK * columns);
        for (field, top) in
            (0..head.content.fields()).flat_map(|field| (0..rows).step_by(BLOCK).map(move |k| (field, k)))
        {
            bytes.clear();
            let bottom = (top + BLOCK).min(rows);
            for left in (0..columns).step_by(BLOCK) {
                for number in top..bottom {
                    let line = &row(field, number)[left..(left + BLOCK).min(columns)];
                    bytes.extend(line.iter().map(|value| value.to_le_bytes()));
                }
            }
            write(bytes.as_flattened(), 4 * BLOCK * (bottom - top))?;
        }
        Ok(())
    })
}

/// Writes the file of a tile of words.
pub fn write_words(path: &Path, head: &TileHead, words: &[u64]) -> Result<(), FileError> {
    write_blocks(path, head, |write| {
        let mut bytes: Vec<[u8; 8]> = Vec::with_capacity(BLOCK_WORDS.min(words.len()));
        for words in words.chunks(BLOCK_WORDS) {
            bytes.clear();
            bytes.extend(words.iter().map(|word| word.to_le_bytes()));
            write(bytes.as_flattened(), 8 * BLOCK_WORDS)?;
        }
        Ok(())
    })
}

/// Writes some blocks, each of the given length in bytes except the last.
type WriteBlocks<'a> = dyn FnMut(&[u8], usize) -> std::io::Result<()> + 'a;

/// Writes the head, the blocks that `blocks` passes on, and the hashes.
fn write_blocks(
    path: &Path,
    head: &TileHead,
    blocks: impl FnOnce(&mut WriteBlocks) -> std::io::Result<()>,
) -> Result<(), FileError> {
    write_atomically(path, |file| {
        let bytes = head.bytes();
        file.write_all(&bytes)?;
        let mut hashes: Vec<[u8; HASH]> = Vec::with_capacity(head.content.blocks());
        blocks(&mut |bytes, block| {
            hashes.extend(bytes.chunks(block).map(|block| xxh3_128(block).to_le_bytes()));
            file.write_all(bytes)
        })?;
        let mut hasher = Xxh3::new();
        hasher.update(&bytes);
        hasher.update(hashes.as_flattened());
        file.write_all(hashes.as_flattened())?;
        file.write_all(&hasher.digest128().to_le_bytes())
    })
}
