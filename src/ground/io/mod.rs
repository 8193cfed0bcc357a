//! Files in and out. Whatever is written goes through `files`, which says what that promises.

mod files;
pub mod formats;
mod heightmap;
pub mod memory;
mod raster;

pub use files::{
    FileError, FileStamp, FolderLock, SaveTarget, StagedFile, StagedSet, StoppableWriter, TemporaryFolder, check_name,
    check_new_folder, check_place, sweep_folder, write_atomically, write_folder_atomically,
};
pub use formats::is_heightmap;
pub use heightmap::{HeightReport, HeightSheet, export_heightmap, export_sheet};
pub use raster::catmull_rom;
pub use raster::{
    Raster, RasterError, STAMP_PREFIX, filled_gaps, forget_rasters, is_shipped, raster, raster_as, raster_by,
    stamp_names,
};

/// Levels of RON inside each other, when it is read and when it is written: those of the deepest construction tree
/// (`construction::check::DEEPEST`), of which each piece takes about ten, in a scene.
const MOST_LEVELS: usize = 400;

/// What RON calls text that is written as it is. Its own `RawValue` reads the text again, and not as deep as
/// construction trees go.
pub const RAW_RON: &str = "$ron::private::RawValue";

/// The RON that scenes, biome tables and construction trees are written in.
pub fn ron_dialect() -> ron::Options {
    ron::Options::default()
        .with_recursion_limit(MOST_LEVELS)
        .with_default_extension(ron::extensions::Extensions::UNWRAP_VARIANT_NEWTYPES)
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
}
