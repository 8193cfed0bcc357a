//! Reading and writing files. Every write goes through the module `files`, whose documentation states the guarantees.

mod files;
pub mod formats;
mod heightmap;
pub mod memory;
mod picture;
mod raster;
mod ron_text;

pub use files::system_names;
pub use files::{
    FileError, FileStamp, FolderLock, SaveTarget, StagedFile, StagedSet, StoppableWriter, TemporaryFolder, check_name,
    check_new_folder, check_writable, limit_lock_waits, process_number, sweep_folder, write_atomically,
    write_folder_atomically,
};
pub use formats::is_heightmap;
pub use heightmap::{HeightReport, HeightSheet, export_heightmap, export_sheet};
pub use picture::{PICTURE_EXTENSIONS, Picture, picture};
pub use raster::catmull_rom;
pub use raster::{
    HeightStamp, Raster, RasterError, RasterFacts, built_in_stamps, clear_raster_cache, filled_gaps, is_built_in,
    raster, raster_as, raster_from_reader,
};

pub use ron_text::{RAW_RON, ron_dialect, ron_layout, ron_reason, suggestion, without_byte_order_mark};

/// `text` without terminal control codes and without characters that change the text direction. Names in files may be
/// written by anybody, so everything that people read in a terminal passes through this function.
pub fn printable(text: &str) -> String {
    let is_command = |c: char| {
        let turns =
            matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || c.is_control() && !matches!(c, '\n' | '\t')
    };
    text.chars().map(|c| if is_command(c) { '\u{fffd}' } else { c }).collect()
}

/// As [`printable`], for a text that must stay in one line.
pub fn printable_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_command_the_terminal() {
        let text = "a\u{1b}[2J\u{7}b\n\tÄ\u{202e}c\u{9b}31m";
        assert_eq!(printable(text), "a\u{fffd}[2J\u{fffd}b\n\tÄ\u{fffd}c\u{fffd}31m");
        assert_eq!(printable_line("a\nb"), "a b");
    }
}
