//! Exports: many products from one evaluation.
//!
//! An [`ExportRequest`] lists the products. [`check`] finds mistakes in the request before any work, and [`export`]
//! writes all of its files, together or not at all. The command line, the editor and other programs use these two
//! functions.
//!
//! | file or folder | contents |
//! |---|---|
//! | `request` | the products and options of an export, with typed names; read from a build preset |
//! | `request_check` | the check of a request before any work |
//! | `export_size` | samples, memory and bytes of an export, and the layout of its rasters |
//! | `product` | a product of a request |
//! | `maps` | the list of all maps that can be written as a raster |
//! | `writing` | writes all files of a request and moves them into place together |
//! | `report` | the report about all files |
//! | `raster_tiles` | division of a raster into tiles |
//! | `sheet_file` | the raster files of a map sheet |
//! | `raster_file` | a map in a raster format |
//! | `mesh_file` | the terrain as a mesh |
//! | `scatter_file` | plants and stones |
//! | `coordinates` | coordinate systems in which a terrain can be placed |
//! | `names` | file names |
//! | `image_piece` | terrain cut out as a primitive of a construction |
//! | `streamed` | rasters written without holding the whole terrain in memory |
//! | `targets` | engines and programs: their files, and their import settings |
//! | `origin` | the scene inside a file, and the hash of its terrain |
//! | `sample_check` | a check whether the samples of a file are those of its scene |
//!
//! Formats are in [`io::formats`](crate::io::formats) and [`mesh::formats`](crate::mesh::formats).

mod coordinates;
mod error;
mod export_size;
pub mod image_piece;
pub mod maps;
mod mesh_file;
mod names;
pub mod origin;
mod product;
mod raster_file;
mod raster_tiles;
mod report;
mod request;
mod request_check;
pub mod sample_check;
mod scatter_file;
mod sheet_file;
pub mod streamed;
pub mod targets;
mod texture_sets;
mod writing;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use error::ExportError;
pub use export_size::{memory_use, samples, sizes};
pub use mesh_file::MeshReport;
pub use product::{ExportProduct, ProductKind, TEXTURES_FORMAT, holds, mesh_formats};
pub use raster_file::{NODATA, RasterReport};
pub use report::ExportReport;
pub use request::ExportRequest;
pub use request_check::{check, output_files};
pub use scatter_file::{ScatterFormat, ScatterReport};
pub(crate) use writing::commit_together;

use self::maps::ExportMap;
use self::origin::{OriginTexts, may_carry_scene};
use self::product::all_products;
use self::writing::{TerrainToExport, export_made};
use crate::field::{Control, Terrain};
use crate::io::SaveTarget;
use crate::scene::Scene;
use crate::user_state::{PathUse, permit_paths, resolved};

/// The folder to which the files of a request are written.
#[derive(Clone, Debug, Default)]
pub struct ExportFolder {
    /// The folder to which file names are relative.
    pub folder: PathBuf,
    /// Whether protected files are replaced; see [`SaveTarget`].
    pub force: bool,
    /// The existing files that may be replaced, as [`built_files`](crate::user_state::built_files) returns them; `None`
    /// if all may. A scene chooses the names of the files of its builds, and must not replace other files.
    pub only_over: Option<Arc<BTreeSet<PathBuf>>>,
}

impl ExportFolder {
    /// The target to which a file with this name is written.
    pub(crate) fn target(&self, file: &Path) -> SaveTarget {
        let path = self.folder.join(file);
        let only_new = self.only_over.as_ref().is_some_and(|known| !known.contains(&resolved(&path)));
        SaveTarget::new(path).over_read_only(self.force).over_links(self.force).only_new(only_new)
    }
}

/// Maximum number of exported files that are permitted to read the files of their scene without asking the user.
const MOST_PERMITTED: usize = 64;

/// Id of mesh products, in the place of the name of a map.
pub const MESH: &str = "mesh";

/// Id of the products that contain the plants and stones, in the place of the name of a map.
pub const PLANTS: &str = "plants";

/// Id of the product that contains the textures of the ground materials, in the place of the name of a map.
pub const TEXTURES: &str = "textures";

/// Writes all files of a request. The terrain is evaluated at [`samples`]; `tell` receives the finished fraction.
///
/// # Errors
/// If a product cannot be made or written, or on cancel. Unless the error says otherwise, no file was replaced.
pub fn export(
    request: &ExportRequest,
    scene: &Scene,
    terrain: &Terrain,
    place: &ExportFolder,
    control: &Control,
    tell: &(dyn Fn(f32) + Sync),
) -> Result<ExportReport, ExportError> {
    let report = export_for_others(request, scene, terrain, place, control, tell)?;
    // The user has permitted the files of the scene, and may open the new files as scenes.
    let carriers = report.files().into_iter().filter(|file| may_carry_scene(file));
    carriers.take(MOST_PERMITTED).for_each(|file| permit_paths(&file, &scene.files(), PathUse::Read));
    Ok(report)
}

/// As [`export`], but for a recipient other than this user: the new files, opened as scenes, may not read files outside
/// their folder.
///
/// # Errors
/// The errors of [`export`].
pub fn export_for_others(
    request: &ExportRequest,
    scene: &Scene,
    terrain: &Terrain,
    place: &ExportFolder,
    control: &Control,
    tell: &(dyn Fn(f32) + Sync),
) -> Result<ExportReport, ExportError> {
    let made = TerrainToExport { scene, terrain, texts: OriginTexts::new(scene, terrain) };
    export_made(request, &made, place, control, tell)
}

/// As [`export`], but without the scene in the files, because the scene alone cannot reproduce this terrain.
///
/// # Errors
/// The errors of [`export`]. Also if a map would have to be evaluated again from the scene.
pub fn export_without_scene(
    request: &ExportRequest,
    scene: &Scene,
    terrain: &Terrain,
    place: &ExportFolder,
    control: &Control,
    tell: &(dyn Fn(f32) + Sync),
) -> Result<ExportReport, ExportError> {
    for product in all_products(request, scene)? {
        if let ProductKind::Map(map @ ExportMap::Mask(_), _) = product.kind {
            let text = format!("`{map}` cannot be exported, because the scene alone evaluates to a different terrain");
            return Err(ExportError::Request(text));
        }
    }
    export_made(request, &TerrainToExport { scene, terrain, texts: OriginTexts::none() }, place, control, tell)
}
