//! Scenes in Python: read, changed, written and evaluated.

use std::path::{Path, PathBuf};

use clap::Parser;
use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{given, ground_of, put_maps};
use super::error::{check_problems, failed, of_command, usage, warn_of_mended};
use super::terrain::{PyTerrain, checked_cell, of_json, option_words, wrong_options};
use super::work::{Listener, finish, pool};
use talweg::eval::{BaseTerrain, Evaluated, MemoryUse, Store, check_memory, evaluate_on};
use talweg::field::{MAX_SAMPLES, MIN_SAMPLES};
use talweg::io::SaveTarget;
use talweg::io::memory::{limit_memory, parse_bytes};
use talweg::scene::Scene;
use talweg::scene::import::scene_from_file;
use talweg_cli::{BatchOptions, load_scene};

/// A terrain as a stack of layers: settings, generators, filters and erosions.
///
/// Made by `load`, `parse` or `scene_of_file`. It is text (`to_ron`) and pickles as text.
#[pyclass(name = "Scene", module = "talweg._core", from_py_object)]
#[derive(Clone)]
pub struct PyScene {
    pub scene: Scene,
}

/// Reads a scene file, the scene inside a file that Talweg exported, or a shipped example by its name.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<PyScene> {
    let (scene, warnings) = load_scene(&path).map_err(|failure| of_command(py, &failure))?;
    warn_of_mended(py, &warnings)?;
    Ok(PyScene { scene })
}

/// Reads the text of a scene. Names of files in it count from the working folder.
#[pyfunction]
pub fn parse(py: Python<'_>, text: &str) -> PyResult<PyScene> {
    let (scene, warnings) = Scene::from_ron(text).map_err(failed)?;
    warn_of_mended(py, &warnings)?;
    Ok(PyScene { scene })
}

/// A scene whose first layer is a file of heights, as wide and high as the file says: any format that Talweg reads.
#[pyfunction]
pub fn scene_of_file(path: PathBuf) -> PyResult<PyScene> {
    Ok(PyScene { scene: scene_from_file(&path).map_err(failed)? })
}

/// A value as the command line has it: `True` is `true`, pairs are `x,y x,y`.
pub fn value_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(truth) = value.extract::<bool>() {
        return Ok(truth.to_string());
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(text);
    }
    if let Ok(pairs) = value.extract::<Vec<(f32, f32)>>() {
        let pairs: Vec<String> = pairs.iter().map(|(x, y)| format!("{x},{y}")).collect();
        return Ok(pairs.join(" "));
    }
    if value.hasattr(intern!(value.py(), "__fspath__"))? {
        let path: PathBuf = value.extract()?;
        return Ok(path.to_string_lossy().into_owned());
    }
    let text = value.str()?.to_string();
    // numpy's own truth values
    Ok(match text.as_str() {
        "True" => "true".into(),
        "False" => "false".into(),
        _ => text,
    })
}

/// How much memory may be taken from now on, if that was given.
pub fn apply_memory(py: Python<'_>, memory: Option<&str>) -> PyResult<()> {
    if let Some(text) = memory {
        limit_memory(parse_bytes(text).map_err(|why| usage(py, format_args!("memory: {why}")))?);
    }
    Ok(())
}

/// Evaluates `scene`, on `base` if there is one, if there is memory for it.
pub fn evaluate<'py>(
    py: Python<'py>,
    scene: Scene,
    base: Option<BaseTerrain>,
    samples: usize,
    threads: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<PyTerrain> {
    check_problems(py, &scene)?;
    check_memory(&scene, samples, &MemoryUse::TERRAIN).map_err(|reason| {
        let smaller = reason.fits.map_or("Free some memory".into(), |fits| format!("Give size={fits}"));
        failed(format_args!("{reason}. {smaller}, or give memory=\"8GiB\" if you know that there is more"))
    })?;
    let names = scene.layers.iter().map(|layer| layer.name.clone()).collect();
    let listener = Listener::new(py, progress, names)?;
    let pool = pool(py, threads)?;
    let made = finish(py, &pool, &listener, |control| {
        evaluate_on(base.as_ref(), &scene, samples, None, &mut Store::forgetful(), control)
    })?;
    let Evaluated { terrain, mass_balances, .. } = made.map_err(failed)?;
    Ok(PyTerrain::new(terrain, scene, base.is_none(), mass_balances))
}

/// The options of `talweg batch`, without the command.
#[derive(Parser)]
#[command(name = "batch", no_binary_name = true, disable_help_flag = true)]
struct BatchWords {
    #[command(flatten)]
    options: BatchOptions,
}

/// What is varied, and what is made of each variant.
fn batch_options(
    py: Python<'_>,
    folder: &Path,
    seeds: Option<&Bound<'_, PyAny>>,
    vary: Option<&Bound<'_, PyDict>>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<BatchOptions> {
    let mut line = vec![format!("--output={}", folder.to_string_lossy())];
    line.extend(seeds.map(|seeds| option_words("seeds", seeds)).transpose()?.flatten());
    for (parameter, values) in vary.into_iter().flatten() {
        let values = option_words("vary", &values)?.unwrap_or_default();
        let values = values.split_once('=').map_or("", |(_, values)| values);
        line.push(format!("--vary={}={values}", parameter.extract::<String>()?));
    }
    for (name, value) in keywords.into_iter().flatten() {
        line.extend(option_words(&name.extract::<String>()?, &value)?);
    }
    Ok(BatchWords::try_parse_from(line).map_err(|error| wrong_options(py, &error))?.options)
}

impl PyScene {
    /// The ground that the caller gives.
    fn base(
        &self,
        py: Python<'_>,
        heights: Option<&Bound<'_, PyAny>>,
        maps: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<BaseTerrain>> {
        let settings = &self.scene.settings;
        let Some(heights) = heights else {
            return match maps {
                Some(maps) if !maps.is_empty() => Err(usage(py, "maps: give heights as well, on which they lie")),
                _ => Ok(None),
            };
        };
        let field = given("heights", heights, settings.relief_metres, settings.is_planet())?;
        let grid = self.scene.grid(field.samples);
        let mut terrain = ground_of(field, grid);
        if let Some(maps) = maps {
            put_maps(&mut terrain, maps, settings.relief_metres)?;
        }
        terrain.close_seam();
        Ok(Some(BaseTerrain::new(terrain)))
    }

    /// Makes the scene as wide as heights of so many samples a side, `cell` metres apart.
    fn fit(&mut self, py: Python<'_>, cell: f64, samples: usize) -> PyResult<()> {
        if self.scene.is_planet() {
            return Err(usage(py, "cell_metres: the samples of a planet are as far apart as its radius makes them"));
        }
        let side = (cell * (samples - 1) as f64) as f32;
        self.scene.set(&format!("scene.size_metres={side}")).map_err(|error| usage(py, error))
    }
}

/// Samples per side, if they can be.
pub fn checked_samples(py: Python<'_>, size: usize) -> PyResult<usize> {
    let is_size = (MIN_SAMPLES..=MAX_SAMPLES).contains(&size);
    let larger = if size > MAX_SAMPLES { "; larger terrains are built in tiles: see talweg.plan" } else { "" };
    let text = || format!("size: give {MIN_SAMPLES} to {MAX_SAMPLES} samples per side{larger}");
    is_size.then_some(size).ok_or_else(|| usage(py, text()))
}

#[pymethods]
impl PyScene {
    /// The scene's name.
    #[getter]
    fn name(&self) -> &str {
        &self.scene.name
    }

    /// Names of the layers, from the ground up.
    #[getter]
    fn layers(&self) -> Vec<&str> {
        self.scene.layers.iter().map(|layer| layer.name.as_str()).collect()
    }

    /// Samples per side; of a planet per side of each of its six faces.
    #[getter]
    fn samples(&self) -> usize {
        self.scene.samples()
    }

    /// The seed of every random value.
    #[getter]
    fn seed(&self) -> u32 {
        self.scene.settings.seed
    }

    /// Length of a side on the ground, in metres; of a planet a quarter of the way around it.
    #[getter]
    fn size_metres(&self) -> f32 {
        self.scene.side_metres()
    }

    /// Height in metres that the number 1 of the layers' own parameters stands for.
    #[getter]
    fn relief_metres(&self) -> f32 {
        self.scene.settings.relief_metres
    }

    /// Height of the sea, in metres.
    #[getter]
    fn sea_level(&self) -> f32 {
        self.scene.settings.sea_level
    }

    /// Whether it is a whole planet.
    #[getter]
    fn is_planet(&self) -> bool {
        self.scene.is_planet()
    }

    /// Changes a value, as `--set` does: `set("Peaks.octaves", 6)` or `set("Peaks.octaves=6")`; the layer is a name, a
    /// number from 1, `scene`, `climate` or `planet`. Gives the scene back, so that changes can be chained.
    #[pyo3(signature = (change, value=None))]
    fn set<'py>(
        mut slf: PyRefMut<'py, Self>,
        change: &str,
        value: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<PyRefMut<'py, Self>> {
        let text = match value {
            Some(value) => format!("{change}={}", value_text(value)?),
            None => change.to_string(),
        };
        match slf.scene.set(&text) {
            Ok(()) => Ok(slf),
            Err(error) => Err(usage(slf.py(), error)),
        }
    }

    /// The scene as RON text, as its file has it.
    fn to_ron(&self) -> PyResult<String> {
        self.scene.to_ron().map_err(failed)
    }

    /// Writes the scene file in one step; `force` replaces one that is write-protected, or has other names.
    #[pyo3(signature = (path, *, force=false))]
    fn save(&self, path: PathBuf, force: bool) -> PyResult<()> {
        let to = SaveTarget::new(Path::new(&path)).over_read_only(force).over_links(force);
        self.scene.save(to).map(drop).map_err(failed)
    }

    /// A scene of its own with the same values.
    fn copy(&self) -> Self {
        self.clone()
    }

    /// Computes the terrain: the same bits as the command line and the editor, on any number of threads.
    ///
    /// `size` are samples per side and `seed` the seed, in place of the scene's. `heights` are metres beneath the
    /// lowest layer, in place of level ground at 0, and `maps` data maps by name on it; of another size they are
    /// resampled. What is masked in heights is no ground. They span the scene; with `cell_metres`, the distance of
    /// their samples, or with an array of xarray, which brings it, the scene is as wide as they are. `progress` is
    /// True for a bar of tqdm, or a function of the share that is done (0 to 1) and a layer's name. Ctrl-C stops it,
    /// at usual sizes within 50 ms. `memory` is what may be taken from now on, like `"4GiB"`, in place of what is
    /// free.
    #[pyo3(signature = (size=None, seed=None, *, heights=None, cell_metres=None, maps=None, threads=0, progress=None, memory=None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        size: Option<usize>,
        seed: Option<u32>,
        heights: Option<&Bound<'py, PyAny>>,
        cell_metres: Option<f64>,
        maps: Option<&Bound<'py, PyDict>>,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
        memory: Option<&str>,
    ) -> PyResult<PyTerrain> {
        apply_memory(py, memory)?;
        let mut changed = self.clone();
        changed.scene.settings.seed = seed.unwrap_or(self.scene.settings.seed);
        if heights.is_none() && cell_metres.is_some() {
            return Err(usage(py, "cell_metres: give heights as well, whose samples are so far apart"));
        }
        let given = heights.map(|heights| unwrapped(heights, cell_metres)).transpose()?;
        let (heights, cell) = given.map_or((None, None), |(array, cell)| (Some(array), cell));
        let base = changed.base(py, heights.as_ref(), maps)?;
        if let (Some(base), Some(cell)) = (&base, cell) {
            changed.fit(py, checked_cell(py, Some(cell))?, base.samples())?;
        }
        let own = base.as_ref().map_or(self.scene.samples(), BaseTerrain::samples);
        let samples = checked_samples(py, size.unwrap_or(own))?;
        evaluate(py, changed.scene, base, samples, threads, progress)
    }

    /// What makes each variant of a batch of the scene, as `set` takes it: all combinations of `seeds`, such as
    /// `"1..50"` or `[1, 7, 9]`, and of `vary`, lists of values by parameter, such as `{"Range.erodibility": [3, 6]}`.
    #[pyo3(signature = (*, seeds=None, vary=None))]
    fn variants(
        &self,
        py: Python<'_>,
        seeds: Option<&Bound<'_, PyAny>>,
        vary: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Vec<String>>> {
        let options = batch_options(py, &PathBuf::from("batch"), seeds, vary, None)?;
        options.variants(&self.scene).map_err(|failure| of_command(py, &failure))
    }

    /// Evaluates every variant of the scene (`variants` says which) into a folder of its own in `folder`, with one
    /// contact sheet and one table of measures, and gives the report of `talweg batch --json`. What is there already
    /// and still fits is left alone. `options` are those of `talweg batch`: `products=["heights.r32", "render.png"]`,
    /// `picture=512`, `thumbnail=128`, `anew=True`, `force=True`, and `variant=3`, which makes the third alone and
    /// gathers nothing. `talweg.dask.batch` shares the work out among the workers of a cluster.
    #[pyo3(signature = (folder, *, seeds=None, vary=None, size=None, threads=0, memory=None, **options))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn batch<'py>(
        &self,
        py: Python<'py>,
        folder: PathBuf,
        seeds: Option<&Bound<'py, PyAny>>,
        vary: Option<&Bound<'py, PyDict>>,
        size: Option<usize>,
        threads: usize,
        memory: Option<&str>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        apply_memory(py, memory)?;
        let options = batch_options(py, &folder, seeds, vary, options)?;
        let samples = checked_samples(py, size.unwrap_or(self.scene.samples()))?;
        let wrong = |failure: talweg_cli::Failure| of_command(py, &failure);
        let batch = options.planned(&self.scene, samples).map_err(wrong)?;
        check_memory(&self.scene, samples, &options.memory(&batch).map_err(wrong)?).map_err(failed)?;
        let (pool, listener) = (pool(py, threads)?, Listener::new(py, None, Vec::new())?);
        let made = finish(py, &pool, &listener, |control| options.made(&batch, control, &|_| ()))?;
        of_json(py, &made.map_err(wrong)?.json)
    }

    fn __repr__(&self) -> String {
        let n = self.scene.samples();
        let layers: Vec<&str> = self.layers();
        format!("<talweg.Scene `{}`, {n} × {n} samples, layers: {}>", self.scene.name, layers.join(", "))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.scene == other.scene
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parse = py.import(intern!(py, "talweg._core"))?.getattr(intern!(py, "parse"))?;
        (parse, (self.to_ron()?,)).into_bound_py_any(py)
    }
}

/// The numbers of what may be an array of xarray, and the distance of its coordinates in place of `cell_metres` where
/// that is not given.
pub fn unwrapped<'py>(
    heights: &Bound<'py, PyAny>,
    cell_metres: Option<f64>,
) -> PyResult<(Bound<'py, PyAny>, Option<f64>)> {
    let module = heights.py().import(intern!(heights.py(), "talweg._xarray"))?;
    module.call_method1(intern!(heights.py(), "unwrapped"), (heights, cell_metres))?.extract()
}
