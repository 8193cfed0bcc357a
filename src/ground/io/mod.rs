//! Reading and writing files. Every write goes through the module `files`, whose documentation states the guarantees.

mod files;
pub mod formats;
mod heightmap;
pub mod memory;
mod raster;

pub use files::{
    FileError, FileStamp, FolderLock, SaveTarget, StagedFile, StagedSet, StoppableWriter, TemporaryFolder, check_name,
    check_new_folder, check_writable, sweep_folder, write_atomically, write_folder_atomically,
};
pub use formats::is_heightmap;
pub use heightmap::{HeightReport, HeightSheet, export_heightmap, export_sheet};
pub use raster::catmull_rom;
pub use raster::{
    Raster, RasterError, RasterFacts, STAMP_PREFIX, clear_raster_cache, filled_gaps, is_built_in, raster, raster_as,
    raster_from_reader, stamp_names,
};

/// Maximum nesting depth when reading and writing RON. The depth suffices for a scene with the deepest construction
/// tree (`construction::check::DEEPEST`). Each level of a construction tree needs about ten levels of RON.
const MOST_LEVELS: usize = 400;

/// RON's internal name for text that is written verbatim. The type `RawValue` of the crate `ron` would parse the text
/// again, and its depth limit is too low for construction trees.
pub const RAW_RON: &str = "$ron::private::RawValue";

/// The RON dialect of scenes, biome tables and construction trees.
pub fn ron_dialect() -> ron::Options {
    ron::Options::default()
        .with_recursion_limit(MOST_LEVELS)
        .with_default_extension(ron::extensions::Extensions::UNWRAP_VARIANT_NEWTYPES)
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
}
