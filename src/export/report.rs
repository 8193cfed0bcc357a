//! Reports about the files of an export.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{MeshReport, RasterReport, ScatterReport};

/// Data about all files of an export.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExportReport {
    /// The raster files, in the order of the request.
    pub rasters: Vec<RasterReport>,
    /// The mesh files.
    pub meshes: Vec<MeshReport>,
    /// The files of plants and stones.
    pub plants: Vec<ScatterReport>,
    /// Legends, texts and other accompanying files.
    pub others: Vec<PathBuf>,
}

impl ExportReport {
    /// The paths of all files.
    pub fn files(&self) -> Vec<PathBuf> {
        let rasters = self.rasters.iter().map(|raster| &raster.path);
        let meshes = self.meshes.iter().map(|mesh| &mesh.path);
        let plants = self.plants.iter().map(|plants| &plants.path);
        rasters.chain(meshes).chain(plants).chain(&self.others).cloned().collect()
    }

    /// The part of the report about files that are directly in `folder`.
    pub(super) fn files_in(&self, folder: &Path) -> Self {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
        let folder = absolute(&folder.join("."));
        let is_inside = |path: &Path| absolute(path).parent() == Some(folder.as_path());
        Self {
            rasters: self.rasters.iter().filter(|raster| is_inside(&raster.path)).cloned().collect(),
            meshes: self.meshes.iter().filter(|mesh| is_inside(&mesh.path)).cloned().collect(),
            plants: self.plants.iter().filter(|plants| is_inside(&plants.path)).cloned().collect(),
            others: self.others.iter().filter(|path| is_inside(path)).cloned().collect(),
        }
    }

    /// The report with paths updated, after the files in the folder `from` have moved to `to`.
    pub(super) fn moved(mut self, from: &Path, to: &Path) -> Self {
        let rasters = self.rasters.iter_mut().map(|raster| &mut raster.path);
        let meshes = self.meshes.iter_mut().map(|mesh| &mut mesh.path);
        let plants = self.plants.iter_mut().map(|plants| &mut plants.path);
        for path in rasters.chain(meshes).chain(plants).chain(&mut self.others) {
            if let Ok(name) = path.strip_prefix(from) {
                *path = to.join(name);
            }
        }
        self
    }
}
