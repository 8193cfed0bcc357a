//! Adds metadata to cloud-optimised GeoTIFF files, because the crate `geotiff-writer` does not support metadata.

use std::io::{Error, Seek, SeekFrom, Write};

use super::GDAL_METADATA;
use crate::io::formats::RasterOut;

/// Adds a tag with GDAL's metadata to the first directory of a TIFF file. The crate `geotiff-writer`, which writes the
/// file, does not support this tag. The crate starts to write after a gap with the size of the tag, and all offsets in
/// the file include the gap.
///
/// At the end, this type moves the header and the directory to the front of the file and adds one entry to the
/// directory. The text then fills the gap between the directory and the values of the directory. Directories therefore
/// still precede all data. Readers of cloud-optimised files expect the first directory there.
pub(super) struct TextTagWriter<'a> {
    out: &'a mut dyn RasterOut,
    /// Offset in bytes at which `geotiff-writer` starts to write.
    start: u64,
    at: u64,
    /// The first bytes from offset `start`: header, GDAL's layout notes, first directory.
    head: Vec<u8>,
}

/// TIFF number of the value type for text.
const ASCII: u16 = 2;
/// Number of leading bytes of the file that stay in memory. Every directory that Talweg writes fits into them.
const MOST_HEAD: usize = 4096;
/// Maximum size of a directory entry, in bytes.
const MOST_ENTRY: u64 = 20;

impl<'a> TextTagWriter<'a> {
    /// A writer that adds `text` to the file; an empty `text` adds no tag.
    pub fn new(out: &'a mut dyn RasterOut, text: &str) -> std::io::Result<Self> {
        let begin = if text.is_empty() { 0 } else { (text.len() as u64 + 1 + MOST_ENTRY).next_multiple_of(16) };
        out.seek(SeekFrom::Start(begin))?;
        Ok(Self { out, start: begin, at: begin, head: Vec::new() })
    }

    pub fn finish(self, text: &str) -> std::io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let broken = || Error::other("the directory of a cloud-optimised GeoTIFF is not where it should be");
        let is_big = self.head.get(2) == Some(&43);
        let (word, count_bytes, entry_bytes, pointer) = if is_big { (8, 8, 20, 8) } else { (4, 2, 12, 4) };
        let bytes = |at: usize, length: usize| self.head.get(at..at + length).ok_or_else(broken);
        let number = |at: usize, length: usize| -> std::io::Result<u64> {
            Ok(bytes(at, length)?.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
        };
        let first = number(pointer, word)?.checked_sub(self.start).ok_or_else(broken)? as usize;
        let count = number(first, count_bytes)? as usize;
        let entries = bytes(first + count_bytes, count * entry_bytes)?.chunks(entry_bytes);
        let end = first + count_bytes + count * entry_bytes + word;
        let is_before = |entry: &&[u8]| u16::from_le_bytes([entry[0], entry[1]]) < GDAL_METADATA;
        let mut front = bytes(0, first)?.to_vec();
        front[pointer..pointer + word].copy_from_slice(&(first as u64).to_le_bytes()[..word]);
        front.extend(&(count as u64 + 1).to_le_bytes()[..count_bytes]);
        front.extend(entries.clone().take_while(is_before).flatten());
        front.extend(GDAL_METADATA.to_le_bytes());
        front.extend(ASCII.to_le_bytes());
        // The length includes the terminating 0.
        front.extend(&(text.len() as u64 + 1).to_le_bytes()[..word]);
        front.extend(&((end + entry_bytes) as u64).to_le_bytes()[..word]);
        front.extend(entries.skip_while(is_before).flatten());
        front.extend(bytes(end - word, word)?);
        front.extend(text.as_bytes());
        front.resize(self.start as usize + end, 0);
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&front)?;
        self.out.seek(SeekFrom::End(0))?;
        Ok(())
    }
}

impl Write for TextTagWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        let first = self.at.saturating_sub(self.start) as usize;
        let room = written.min(MOST_HEAD.saturating_sub(first));
        if room > 0 {
            self.head.resize(self.head.len().max(first + room), 0);
            self.head[first..first + room].copy_from_slice(&bytes[..room]);
        }
        self.at += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

impl Seek for TextTagWriter<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.at = self.out.seek(to)?;
        Ok(self.at)
    }
}
