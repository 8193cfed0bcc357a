//! Exports of terrains larger than memory. The terrain is built in tiles in a temporary folder next to the exported
//! files. Then the files are written in strips of rows. A tile is removed as soon as no later stage reads it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::result_rows::ResultSquare;
use super::{TileBuild, TileError, TilePlan, TileStore, tile_plan_with_masks};
use crate::export::maps::{ExportMap, SquareMaps, mask_layer};
use crate::export::streamed::{StreamedSquare, streamed_products};
use crate::export::{self, ExportFolder, ExportReport, ExportRequest, commit_together};
use crate::field::{Control, MapKind};
use crate::io::memory::shortage;
use crate::io::{StagedSet, TemporaryFolder};
use crate::nodes::Node;
use crate::scene::{AttributeReach, Layer, Scene};
use crate::terrain_attributes::drainage::flow_node;

/// Tile sizes to try, largest first, until a task fits into memory.
const TILES: [usize; 4] = [2048, 1024, 512, 256];
/// Fraction of the progress bar for building the tiles. Writing the files is the rest.
const BUILD_FRACTION: f32 = 0.8;

/// An export in tiles, checked and planned.
#[derive(Debug)]
pub struct LargeExport<'a> {
    request: &'a ExportRequest,
    scene: &'a Scene,
    /// The scene to build: with a layer *Flow* on top, if a product needs the flow and no layer writes it.
    built: Cow<'a, Scene>,
    export_folder: &'a ExportFolder,
    /// The plan of the build.
    pub plan: TilePlan,
}

impl<'a> LargeExport<'a> {
    /// Plans the export with the largest tiles that fit into memory.
    ///
    /// # Errors
    /// If a product cannot be written in strips of rows, or the scene cannot be built in tiles. Also if a stage needs
    /// more memory than is free. That error names the layers of the stage, and the reasons why they are computed on the
    /// whole terrain at once.
    pub fn new(request: &'a ExportRequest, scene: &'a Scene, place: &'a ExportFolder) -> Result<Self, TileError> {
        let mut short = TileError::Sizes;
        for tile in TILES {
            let large = Self::with_tile(request, scene, place, tile)?;
            match shortage_of(&large.plan) {
                None => return Ok(large),
                Some(error) => short = error,
            }
        }
        Err(short)
    }

    /// Plans the export with tiles of `tile` samples per side, without checking the memory.
    ///
    /// # Errors
    /// If a product cannot be written in strips of rows, or the scene cannot be built in tiles of this size.
    pub fn with_tile(
        request: &'a ExportRequest,
        scene: &'a Scene,
        place: &'a ExportFolder,
        tile: usize,
    ) -> Result<Self, TileError> {
        let samples = export::samples(request, scene)?;
        let (mut masks, mut needs_flow) = (Vec::new(), false);
        for product in streamed_products(request, scene, samples)? {
            if let ExportMap::Mask(name) = &product.map {
                masks.push(mask_layer(scene, name).map_err(export::ExportError::from)?);
            }
            needs_flow |= match &product.map {
                ExportMap::Data(kind) => *kind == MapKind::Flow,
                ExportMap::Attribute(attribute) => attribute.reach() == AttributeReach::Drainage,
                _ => false,
            };
        }
        let built = match needs_flow && !scene.writes_map(MapKind::Flow) {
            true => Cow::Owned(with_flow_layer(scene)),
            false => Cow::Borrowed(scene),
        };
        let plan = tile_plan_with_masks(&built, samples, tile, &masks)?;
        Ok(Self { request, scene, built, export_folder: place, plan })
    }

    /// Builds the tiles and writes all files. Call this function inside the thread pool that should do the work. `tell`
    /// receives the finished fraction. Existing files are replaced together, at the end.
    ///
    /// # Errors
    /// If a product cannot be made or written, or the export was cancelled. No file was replaced in that case, unless
    /// the error says so.
    pub fn write(&self, control: &Control, tell: &(dyn Fn(f32) + Sync)) -> Result<ExportReport, TileError> {
        let beside = self.folder()?;
        let failed = |source| TileError::Folder { path: beside.clone(), source };
        let folder = TemporaryFolder::new(&beside).map_err(failed)?;
        let store = TileStore::new(folder.path(), &self.plan);
        let build = TileBuild { plan: self.plan.clone(), scene: Scene::clone(&self.built), store };
        self.build(&build, control, tell)?;
        let merged = build.merged(control)?;
        // The files are those of the scene, whose terrain does not have the flow that was added.
        let added = matches!(self.built, Cow::Owned(_)).then_some(MapKind::Flow);
        let hash = added.map_or(merged.hash, |kind| merged.hash_without(kind));
        let square = ResultSquare::new(&build, &merged).without(added);
        let maps = SquareMaps::new(self.scene, &square, control);
        commit_together(self.request, self.export_folder, |request, place| {
            let (mut report, mut set) = (ExportReport::default(), StagedSet::default());
            let products = streamed_products(request, self.scene, self.plan.samples)?;
            let target = |path: &Path| place.target(path);
            let files =
                StreamedSquare { scene: self.scene, hash, ..build.streamed(&merged, request, &target, control) };
            for (k, product) in products.iter().enumerate() {
                build.stage_product(&merged, &files, (&maps, &square), product, (&mut report, &mut set))?;
                tell(BUILD_FRACTION + (1.0 - BUILD_FRACTION) * (k + 1) as f32 / products.len() as f32);
            }
            files.stage_read_me(&place.folder.join(&request.folder), (&mut report, &mut set))?;
            control.check()?;
            Ok((report, set))
        })
    }

    /// The folder of the first file, or the parent of that folder if it does not exist yet.
    fn folder(&self) -> Result<PathBuf, TileError> {
        let products = streamed_products(self.request, self.scene, self.plan.samples)?;
        let first = products.first().map(|product| product.folder(self.request, self.scene, self.plan.samples));
        let folder = &self.export_folder.folder.join(first.unwrap_or_default());
        let is_new = *folder == self.export_folder.folder.join(&self.request.folder) && !folder.exists();
        let folder = if is_new { folder.parent().unwrap_or(folder) } else { folder };
        Ok(if folder.as_os_str().is_empty() { ".".into() } else { folder.into() })
    }

    /// Runs all tasks one after the other, each on all threads.
    fn build(&self, build: &TileBuild, control: &Control, tell: &(dyn Fn(f32) + Sync)) -> Result<(), TileError> {
        let stages = &self.plan.stages;
        let work = |stage: usize| (stages[stage].samples * stages[stage].samples) as f64;
        let all: f64 = (0..stages.len()).map(work).sum();
        let mut done = 0.0;
        for (number, stage) in stages.iter().enumerate() {
            for task in 0..stage.tasks {
                control.check()?;
                build.run_task(number, task, control)?;
                done += work(number) / stage.tasks as f64;
                tell((done / all) as f32 * BUILD_FRACTION);
            }
            build.remove_unread_tiles(number, &vec![true; stages.len()]);
        }
        Ok(())
    }
}

/// The scene with a layer on top that writes the flow which every terrain has.
fn with_flow_layer(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    scene.layers.push(Layer::new(Node::FlowAccumulation(flow_node(&scene.settings)), 0));
    scene
}

/// The memory shortfall of the first stage that does not fit into memory; `None` if all stages fit.
fn shortage_of(plan: &TilePlan) -> Option<TileError> {
    plan.stages.iter().enumerate().find_map(|(stage, planned)| {
        let short = shortage(planned.memory_bytes)?;
        let layers = if planned.whole.is_empty() {
            planned.layers.iter().map(|layer| format!("`{}`", layer.name)).collect()
        } else {
            planned.whole.clone()
        };
        Some(TileError::Memory { stage, short, layers })
    })
}
