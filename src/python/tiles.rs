//! Builds in tiles for Python: plans, tasks, and files merged from all tiles.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::error::{check_problems, failed, usage};
use super::scene::{PyScene, apply_memory};
use super::work::{ProgressListener, pool, run_interruptibly};
use talweg::export::streamed::streamed_map;
use talweg::io::SaveTarget;
use talweg::tiles::{CheckedTile, LEAST_TILE, TaskOutcome, TileBuild, TileState, tile_plan, write_plan};

/// A build in tiles in a folder. It consists of stages of tasks; each task can run on any machine that can access the
/// folder.
///
/// `plan` and `open_plan` return a plan. `talweg.dask.build` runs it on a cluster.
#[pyclass(name = "Plan", module = "talweg._core")]
pub struct PyPlan {
    build: TileBuild,
}

/// Plans a build in tiles of `tile` samples per side into the new folder `output`, like `talweg plan`. `size` is the
/// number of samples per side of the whole terrain, instead of the scene's. The terrain can be larger than memory.
#[pyfunction]
#[pyo3(signature = (scene, output, size=None, tile=2048))]
pub fn plan(py: Python<'_>, scene: &PyScene, output: PathBuf, size: Option<usize>, tile: usize) -> PyResult<PyPlan> {
    if tile < LEAST_TILE {
        return Err(usage(py, format_args!("tile: give {LEAST_TILE} samples or more")));
    }
    check_problems(py, &scene.scene)?;
    let plan = tile_plan(&scene.scene, size.unwrap_or(scene.scene.samples()), tile).map_err(failed)?;
    write_plan(&output, &plan, &scene.scene).map_err(failed)?;
    open_plan(output)
}

/// Reads the plan in a folder.
#[pyfunction]
pub fn open_plan(path: PathBuf) -> PyResult<PyPlan> {
    Ok(PyPlan { build: TileBuild::open(&path).map_err(failed)? })
}

impl PyPlan {
    /// Paths relative to the folder of the plan, with `/` as the separator.
    fn relative_paths(&self, files: Vec<PathBuf>) -> Vec<String> {
        let parts = |file: &Path| -> Vec<String> {
            let within = file.strip_prefix(self.build.store.folder()).unwrap_or(file);
            within.iter().map(|part| part.to_string_lossy().into_owned()).collect()
        };
        files.iter().map(|file| parts(file).join("/")).collect()
    }
}

#[pymethods]
impl PyPlan {
    /// The folder of the plan.
    #[getter]
    fn path(&self) -> &Path {
        self.build.store.folder()
    }

    /// Number of samples per side of the whole terrain.
    #[getter]
    fn samples(&self) -> usize {
        self.build.plan.samples
    }

    /// The stages as dictionaries, each after the stages that it reads. The keys are `tasks`, `samples` per side of its
    /// grid, `memory_bytes` of a task, `reads` (the numbers of earlier stages), `layers` by name, and `whole` (reasons
    /// why the stage cannot be computed in tiles).
    #[getter]
    fn stages<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let told = |stage: &talweg::tiles::PlanStage| {
            let mut reads: Vec<usize> = stage.reads().iter().map(|product| product.stage()).collect();
            reads.dedup();
            let layers: Vec<&str> = stage.layers.iter().map(|layer| layer.name.as_str()).collect();
            let told = PyDict::new(py);
            told.set_item("tasks", stage.tasks)?;
            told.set_item("samples", stage.samples)?;
            told.set_item("memory_bytes", stage.memory_bytes)?;
            told.set_item("reads", reads)?;
            told.set_item("layers", layers)?;
            told.set_item("whole", &stage.whole)?;
            Ok(told)
        };
        self.build.plan.stages.iter().map(told).collect()
    }

    /// Runs a task, like `talweg run-tile`; returns False if the task was already done. `memory` is the memory limit
    /// from now on, such as `"4GiB"`, instead of the free memory.
    #[pyo3(signature = (stage, tile, *, threads=0, memory=None))]
    fn run_tile(
        &self,
        py: Python<'_>,
        stage: usize,
        tile: usize,
        threads: usize,
        memory: Option<&str>,
    ) -> PyResult<bool> {
        apply_memory(py, memory)?;
        let pool = pool(py, threads)?;
        let listener = ProgressListener::new(py, None, Vec::new())?;
        let outcome = run_interruptibly(py, &pool, &listener, |control| self.build.run_task(stage, tile, control))?;
        Ok(outcome.map_err(failed)? == TaskOutcome::Done)
    }

    /// Numbers of the stages with unfinished tasks. Stages whose tiles `prune` removed are not included.
    fn open_stages(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        let open = py.detach(|| self.build.open_stages()).map_err(failed)?;
        Ok((0..open.len()).filter(|&stage| open[stage]).collect())
    }

    /// Reads every tile and returns its state, like `talweg check`. Each dict has the stage, the task, the name and the
    /// path of a tile, its state (`"complete"`, `"missing"`, `"removed"` after use, or `"bad"`), and the fault of a bad
    /// tile. The next run of its task makes a bad tile anew.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let listener = ProgressListener::new(py, None, Vec::new())?;
        let pool = pool(py, 0)?;
        let checked = run_interruptibly(py, &pool, &listener, |control| self.build.check_tiles(control))?;
        let described = |CheckedTile { tile, task, path, state }| {
            let (state, fault) = match state {
                TileState::Complete => ("complete", None),
                TileState::Missing => ("missing", None),
                TileState::Removed => ("removed", None),
                TileState::Bad(fault) => ("bad", Some(fault.to_string())),
            };
            let dict = PyDict::new(py);
            dict.set_item("stage", tile.product.stage())?;
            dict.set_item("task", task)?;
            dict.set_item("tile", tile.to_string())?;
            dict.set_item("path", path)?;
            dict.set_item("state", state)?;
            dict.set_item("fault", fault)?;
            Ok(dict)
        };
        checked.map_err(failed)?.into_iter().map(described).collect()
    }

    /// Removes tiles that no later stage reads, as `talweg run-tiles --prune` does. It considers the stages up to
    /// `stage`, which must be finished. If `open` is given, only the stages in `open` count as later stages.
    #[pyo3(signature = (stage, open=None))]
    fn prune(&self, stage: usize, open: Option<Vec<usize>>) {
        let stages = self.build.plan.stages.len();
        let open: Vec<bool> =
            (0..stages).map(|number| open.as_ref().is_none_or(|open| open.contains(&number))).collect();
        self.build.remove_unread_tiles(stage.min(stages - 1), &open);
    }

    /// Approximate disk space of the build in bytes: `kept` if all tiles are kept, `pruned` if unread tiles are
    /// removed.
    #[getter]
    fn disk_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let disk = self.build.plan.disk_use(&self.build.scene);
        let told = PyDict::new(py);
        told.set_item("kept", disk.kept)?;
        told.set_item("pruned", disk.pruned)?;
        Ok(told)
    }

    /// Names of the files that a task reads in addition to the plan and the scene, relative to the folder of the plan.
    fn files_read(&self, stage: usize, tile: usize) -> PyResult<Vec<String>> {
        Ok(self.relative_paths(self.build.files_read(stage, tile).map_err(failed)?))
    }

    /// Names of the files that a task writes, relative to the folder of the plan.
    fn files_written(&self, stage: usize, tile: usize) -> PyResult<Vec<String>> {
        Ok(self.relative_paths(self.build.files_written(stage, tile).map_err(failed)?))
    }

    /// Writes files of the whole terrain from all tiles, like `talweg merge`, and returns the content hash of the
    /// terrain. This hash equals the hash of a build without tiles. Without a path, only the hash is computed. `what`
    /// is the map in the file: any map of `export` except occlusion, relief and masks. `force` replaces write-protected
    /// files.
    #[pyo3(signature = (path=None, *, what="heights", force=false, threads=0))]
    fn merge(
        &self,
        py: Python<'_>,
        path: Option<PathBuf>,
        what: &str,
        force: bool,
        threads: usize,
    ) -> PyResult<String> {
        let map = streamed_map(what).map_err(|why| usage(py, format_args!("what: {why}")))?;
        let pool = pool(py, threads)?;
        let listener = ProgressListener::new(py, None, Vec::new())?;
        let merged = run_interruptibly(py, &pool, &listener, |control| {
            let merged = self.build.merged(control)?;
            if let Some(path) = &path {
                let target = SaveTarget::new(path).over_read_only(force).over_links(force);
                self.build.write_merged(&merged, &map, &target, None, control)?;
            }
            Ok::<_, talweg::tiles::TileError>(merged)
        })?;
        Ok(format!("{:032x}", merged.map_err(failed)?.hash))
    }

    fn __repr__(&self) -> String {
        let plan = &self.build.plan;
        let (path, n) = (self.path().display(), plan.samples);
        format!("<talweg.Plan {path}, {n} × {n} samples in tiles of {}, {} stages>", plan.tile, plan.stages.len())
    }
}
