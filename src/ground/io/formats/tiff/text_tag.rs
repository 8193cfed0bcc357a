//! Texts in files of a package that writes none.

use std::io::{Error, Seek, SeekFrom, Write};

use super::GDAL_METADATA;
use crate::io::formats::RasterOut;

/// Adds a tag of GDAL's metadata to the first directory of a TIFF file that a package writes which knows no such tag.
/// The package begins as many bytes behind the beginning as the tag takes, and all its offsets are right for that.
/// At the end header and directory move to the front, one entry longer; the text fills what is then between the
/// directory and its values. So directories still stand before all data, the first of them where readers of
/// cloud-optimised files look for it.
pub(super) struct TextTagWriter<'a> {
    out: &'a mut dyn RasterOut,
    /// Where the package begins.
    begin: u64,
    at: u64,
    /// What stands from there on: header, GDAL's notes on the layout, the first directory.
    head: Vec<u8>,
}

/// Text, as TIFF numbers kinds of values.
const ASCII: u16 = 2;
/// Bytes that are remembered of the head: more than any directory that is written here has.
const MOST_HEAD: usize = 4096;
/// Bytes of an entry of a directory, at the most.
const MOST_ENTRY: u64 = 20;

impl<'a> TextTagWriter<'a> {
    /// Without a text nothing is added.
    pub fn new(out: &'a mut dyn RasterOut, text: &str) -> std::io::Result<Self> {
        let begin = if text.is_empty() { 0 } else { (text.len() as u64 + 1 + MOST_ENTRY).next_multiple_of(16) };
        out.seek(SeekFrom::Start(begin))?;
        Ok(Self { out, begin, at: begin, head: Vec::new() })
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
        let first = number(pointer, word)?.checked_sub(self.begin).ok_or_else(broken)? as usize;
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
        // with the 0 that ends it
        front.extend(&(text.len() as u64 + 1).to_le_bytes()[..word]);
        front.extend(&((end + entry_bytes) as u64).to_le_bytes()[..word]);
        front.extend(entries.skip_while(is_before).flatten());
        front.extend(bytes(end - word, word)?);
        front.extend(text.as_bytes());
        front.resize(self.begin as usize + end, 0);
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&front)?;
        self.out.seek(SeekFrom::End(0))?;
        Ok(())
    }
}

impl Write for TextTagWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        let first = self.at.saturating_sub(self.begin) as usize;
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
