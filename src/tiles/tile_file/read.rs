//! Reading tiles, or parts of them.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::head::FIXED;
use super::{BLOCK, BLOCK_WORDS, HASH, TileContent, TileFault, TileHead, TileName};

/// A tile's file whose head was checked. Each read checks the blocks that it touches.
#[derive(Debug)]
pub struct OpenTile {
    file: File,
    pub head: TileHead,
    /// The hash of the tile: of its head and of the hashes of all blocks.
    pub hash: u128,
    blocks: Vec<[u8; HASH]>,
    /// Position of the first block in the file.
    first: u64,
    buffer: Vec<u8>,
}

/// The reason why a read failed.
#[derive(Debug)]
pub enum ReadFailure {
    /// The file is not the tile that was asked for.
    Fault(TileFault),
    /// The system cannot read the file.
    System(std::io::Error),
}

/// Receives a row number, the number of a first column, and the samples of the row from that column on, as bytes.
type SampleReceiver<'a> = dyn FnMut(usize, usize, &[[u8; 4]]) + 'a;

impl From<TileFault> for ReadFailure {
    fn from(fault: TileFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<std::io::Error> for ReadFailure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::Fault(TileFault::Missing),
            // The file was cut while it was read.
            ErrorKind::UnexpectedEof => Self::Fault(TileFault::Head),
            _ => Self::System(error),
        }
    }
}

impl OpenTile {
    /// Opens the file of a tile and checks its head.
    pub fn open(path: &Path, asked: &TileName) -> Result<Self, ReadFailure> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        if length < FIXED as u64 {
            return Err(TileFault::Length { bytes: length, wanted: FIXED as u64 }.into());
        }
        let mut fixed = [0; FIXED];
        file.read_exact(&mut fixed)?;
        let (head_length, _) = TileHead::lengths(&fixed, length)?;
        let mut bytes = fixed.to_vec();
        bytes.resize(head_length, 0);
        file.read_exact(&mut bytes[FIXED..])?;
        let head = TileHead::read(&bytes).ok_or(TileFault::Head)?;
        let first = head_length as u64;
        file.seek(SeekFrom::Start(first + head.content.bytes()))?;
        let mut hashes = vec![[0; HASH]; head.content.blocks() + 1];
        file.read_exact(hashes.as_flattened_mut())?;
        let end = hashes.pop().map_or(0, u128::from_le_bytes);
        let mut hasher = Xxh3::new();
        hasher.update(&bytes);
        hasher.update(hashes.as_flattened());
        if hasher.digest128() != end {
            return Err(TileFault::Head.into());
        }
        head.check_name(asked)?;
        Ok(Self { file, head, hash: end, blocks: hashes, first, buffer: Vec::new() })
    }

    fn is_sound(&self, block: usize, bytes: &[u8]) -> bool {
        self.blocks.get(block) == Some(&xxh3_128(bytes).to_le_bytes())
    }

    /// Reads a range of bytes, counted from the first block, into the buffer.
    fn read_buffer(&mut self, start: u64, bytes: usize) -> Result<(), ReadFailure> {
        self.buffer.resize(bytes, 0);
        self.file.seek(SeekFrom::Start(self.first + start))?;
        Ok(self.file.read_exact(&mut self.buffer)?)
    }

    /// Reads some rows and columns of a field, numbered in the tile. `take` receives a row number, the number of a
    /// first column, and the samples of the row from that column on, as bytes.
    pub fn read_samples(
        &mut self,
        field: usize,
        wanted: (Range<usize>, Range<usize>),
        take: &mut SampleReceiver<'_>,
    ) -> Result<(), ReadFailure> {
        let TileContent::Fields { rows, columns, .. } = self.head.content else {
            return Err(TileFault::OtherShape.into());
        };
        if wanted.0.is_empty() || wanted.1.is_empty() {
            return Ok(());
        }
        if wanted.0.end > rows || wanted.1.end > columns || field >= self.head.content.fields() {
            return Err(TileFault::OtherShape.into());
        }
        let [down, across] = [rows.div_ceil(BLOCK), columns.div_ceil(BLOCK)];
        let (first, last) = (wanted.1.start / BLOCK, (wanted.1.end - 1) / BLOCK);
        let (left, right) = (first * BLOCK, ((last + 1) * BLOCK).min(columns));
        for block_row in wanted.0.start / BLOCK..=(wanted.0.end - 1) / BLOCK {
            let (top, bottom) = (block_row * BLOCK, ((block_row + 1) * BLOCK).min(rows));
            let height = bottom - top;
            let start = 4 * ((field * rows + top) as u64 * columns as u64 + (height * left) as u64);
            self.read_buffer(start, 4 * height * (right - left))?;
            let mut rest = &self.buffer[..];
            for block_column in first..=last {
                let own = block_column * BLOCK..((block_column + 1) * BLOCK).min(columns);
                let (bytes, after) = rest.split_at(4 * height * own.len());
                rest = after;
                if !self.is_sound((field * down + block_row) * across + block_column, bytes) {
                    return Err(TileFault::Samples { field, rows: top..bottom, columns: own }.into());
                }
                let samples = bytes.as_chunks::<4>().0;
                let (from, to) = (own.start.max(wanted.1.start), own.end.min(wanted.1.end));
                for row in top.max(wanted.0.start)..bottom.min(wanted.0.end) {
                    let line = &samples[(row - top) * own.len()..][from - own.start..to - own.start];
                    take(row, from, line);
                }
            }
        }
        Ok(())
    }

    /// Reads all words of a survey.
    pub fn read_words(&mut self) -> Result<Vec<u64>, ReadFailure> {
        let TileContent::Words(count) = self.head.content else { return Err(TileFault::OtherShape.into()) };
        let mut words = Vec::with_capacity(count);
        for block in 0..self.blocks.len() {
            let some = (count - words.len()).min(BLOCK_WORDS);
            self.read_buffer(8 * words.len() as u64, 8 * some)?;
            if !self.is_sound(block, &self.buffer) {
                return Err(TileFault::Words { block }.into());
            }
            words.extend(self.buffer.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)));
        }
        Ok(words)
    }

    /// Checks all blocks.
    pub fn check_blocks(&mut self) -> Result<(), ReadFailure> {
        match self.head.content {
            TileContent::Words(_) => self.read_words().map(drop),
            TileContent::Fields { rows, columns, .. } => (0..self.head.content.fields())
                .try_for_each(|field| self.read_samples(field, (0..rows, 0..columns), &mut |_, _, _| {})),
        }
    }
}
