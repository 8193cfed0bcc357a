//! Scenes in Python: read, change, write and evaluate them.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{add_maps, field_from_array, ground_of};
use super::error::{check_problems, failed, usage, warn_of_corrections};
use super::options::{KeywordOptions, items};
use super::terrain::{PyTerrain, checked_cell, of_json};
use super::work::{ProgressListener, pool, run_interruptibly};
use talweg::eval::{BaseTerrain, Evaluated, MemoryUse, Store, check_memory, evaluate_on};
use talweg::export::origin::{LoadError, load_scene};
use talweg::field::{MAX_SAMPLES, MIN_SAMPLES};
use talweg::io::SaveTarget;
use talweg::io::memory::{limit_memory, parse_bytes};
use talweg::scene::Scene;
use talweg::scene::import::scene_from_file;
use talweg::user_state::{OutsideError, permit_paths};
use talweg::variants::{
    BatchError, BatchProduct, BatchRequest, ParamRef, PlannedBatch, SeedChoice, VariantSweep, combinations,
};

/// A terrain as a stack of layers: settings, generators, filters and erosion layers.
///
/// `load`, `parse` and `scene_of_file` create a scene. `to_ron` converts it to text, and pickle also stores it as text.
#[pyclass(name = "Scene", module = "talweg._core", from_py_object)]
#[derive(Clone)]
pub struct PyScene {
    pub scene: Scene,
}

/// Reads a scene file, the scene inside a file exported by Talweg, or a shipped example by name. A scene that you have
/// not saved on this computer reads files below its own folder only. `allow_outside` permits all files that the scene
/// names, from now on.
#[pyfunction]
#[pyo3(signature = (path, *, allow_outside=false))]
pub fn load(py: Python<'_>, path: PathBuf, allow_outside: bool) -> PyResult<PyScene> {
    let mut read = load_scene(&path);
    if let Some(OutsideError { scene, paths, usage }) = read.as_ref().err().and_then(LoadError::files_outside)
        && allow_outside
    {
        permit_paths(scene, paths, *usage);
        read = load_scene(&path);
    }
    let (scene, warnings) = read.map_err(failed)?;
    warn_of_corrections(py, &warnings)?;
    Ok(PyScene { scene })
}

/// Reads the text of a scene. Relative file names in the text are relative to the working folder.
#[pyfunction]
pub fn parse(py: Python<'_>, text: &str) -> PyResult<PyScene> {
    let (scene, warnings) = Scene::from_ron(text).map_err(failed)?;
    warn_of_corrections(py, &warnings)?;
    Ok(PyScene { scene })
}

/// Creates a scene whose first layer is a file of heights, in any format that Talweg reads. The scene has the width and
/// height of the file.
#[pyfunction]
pub fn scene_of_file(path: PathBuf) -> PyResult<PyScene> {
    Ok(PyScene { scene: scene_from_file(&path).map_err(failed)? })
}

/// Formats a value in the notation of `--set`: `True` becomes `true`, and pairs become `x,y x,y`.
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
    if let Ok(numbers) = value.extract::<Vec<f32>>() {
        return Ok(numbers.iter().map(f32::to_string).collect::<Vec<_>>().join(" "));
    }
    if value.hasattr(intern!(value.py(), "__fspath__"))? {
        let path: PathBuf = value.extract()?;
        return Ok(path.to_string_lossy().into_owned());
    }
    let text = value.str()?.to_string();
    // The words True and False with a capital letter are numpy's booleans.
    Ok(match text.as_str() {
        "True" => "true".into(),
        "False" => "false".into(),
        _ => text,
    })
}

/// Sets the memory limit, if the caller specifies one.
pub fn apply_memory(py: Python<'_>, memory: Option<&str>) -> PyResult<()> {
    if let Some(text) = memory {
        limit_memory(parse_bytes(text).map_err(|why| usage(py, format_args!("memory: {why}")))?);
    }
    Ok(())
}

/// Evaluates `scene` after checking the memory. If there is a `base` terrain, it is the input of the lowest layer.
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
        failed(format_args!("{reason}. {smaller}, or raise the limit, as in memory=\"8GiB\", if more is free"))
    })?;
    let names = scene.layers.iter().map(|layer| layer.name.clone()).collect();
    let listener = ProgressListener::new(py, progress, names)?;
    let pool = pool(py, threads)?;
    let made = run_interruptibly(py, &pool, &listener, |control| {
        evaluate_on(base.as_ref(), &scene, samples, None, &mut Store::forgetful(), control)
    })?;
    let Evaluated { terrain, mass_balances, .. } = made.map_err(failed)?;
    Ok(PyTerrain::new(terrain, scene, base.is_none(), mass_balances))
}

/// The parameter sweeps of a batch, read from the arguments.
fn batch_sweeps(
    py: Python<'_>,
    scene: &Scene,
    seeds: Option<&Bound<'_, PyAny>>,
    vary: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<VariantSweep>> {
    let wrong = |name: &'static str| move |why: &dyn Display| usage(py, format_args!("{name}: {why}"));
    let (wrong_seeds, wrong_vary) = (wrong("seeds"), wrong("vary"));
    let mut sweeps = Vec::new();
    if let Some(given) = seeds {
        let texts = match items(given) {
            Some(items) => items?.iter().map(value_text).collect::<PyResult<Vec<_>>>()?.join(","),
            None => value_text(given)?,
        };
        let seeds: SeedChoice = texts.parse().map_err(|why| wrong_seeds(&why))?;
        sweeps.push(seeds.sweep(scene).map_err(|error| wrong_seeds(&error))?);
    }
    for (name, values) in vary.into_iter().flatten() {
        let param_ref = ParamRef::named(scene, &name.extract::<String>()?).map_err(|error| wrong_vary(&error))?;
        let given = items(&values).unwrap_or_else(|| Ok(vec![values]))?;
        let value =
            |value: &Bound<'_, PyAny>| param_ref.spec().parse(&value_text(value)?).map_err(|error| wrong_vary(&error));
        let values = given.iter().map(value).collect::<PyResult<_>>()?;
        sweeps.push(VariantSweep::listed(param_ref, values).map_err(|error| wrong_vary(&error))?);
    }
    if sweeps.is_empty() {
        return Err(usage(py, "give seeds, or vary, or both"));
    }
    Ok(sweeps)
}

/// The request of a batch, with the options of `talweg batch`.
fn batch_request(
    py: Python<'_>,
    folder: PathBuf,
    sweeps: Vec<VariantSweep>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<BatchRequest> {
    let mut options = KeywordOptions::new(py, keywords)?;
    let pixels = "a whole number of pixels";
    let mut products: Vec<BatchProduct> = options.list("products")?;
    if products.is_empty() {
        let usual = BatchRequest::PRODUCTS.split(',').map(str::parse).collect::<Result<_, _>>();
        products = usual.map_err(failed)?;
    }
    let request = BatchRequest {
        sweeps,
        folder,
        force: options.is_on("force")?,
        products,
        picture: options.read("picture", pixels)?.unwrap_or(BatchRequest::PICTURE),
        thumbnail: options.read("thumbnail", pixels)?.unwrap_or(BatchRequest::THUMBNAIL),
        anew: options.is_on("anew")?,
        variant: options.read("variant", "the number of a variant, from 1")?,
    };
    options.finish("a batch")?;
    Ok(request)
}

fn of_batch(py: Python<'_>, error: &BatchError) -> PyErr {
    match error {
        BatchError::Option { .. } => usage(py, error),
        _ => failed(error),
    }
}

impl PyScene {
    /// The input terrain of the lowest layer, from the caller's heights and maps.
    fn base(
        &self,
        py: Python<'_>,
        heights: Option<&Bound<'_, PyAny>>,
        maps: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<BaseTerrain>> {
        let settings = &self.scene.settings;
        let Some(heights) = heights else {
            return match maps {
                Some(maps) if !maps.is_empty() => {
                    Err(usage(py, "maps: give heights as well, because maps belong to heights"))
                }
                _ => Ok(None),
            };
        };
        let field = field_from_array("heights", heights, settings.relief_metres, settings.is_planet())?;
        let grid = self.scene.grid(field.samples);
        let mut terrain = ground_of(field, grid);
        if let Some(maps) = maps {
            add_maps(&mut terrain, maps, settings.relief_metres)?;
        }
        terrain.close_seam();
        Ok(Some(BaseTerrain::new(terrain)))
    }

    /// Sets the scene's side length to the side length of heights with `samples` per side, `cell` metres apart.
    fn fit(&mut self, py: Python<'_>, cell: f64, samples: usize) -> PyResult<()> {
        if self.scene.is_planet() {
            return Err(usage(py, "cell_metres: the radius of a planet decides the distance of its samples"));
        }
        let side = (cell * (samples - 1) as f64) as f32;
        self.scene.set(&format!("scene.size_metres={side}")).map_err(|error| usage(py, error))
    }
}

/// Checks that the number of samples per side is allowed.
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

    /// Names of the layers, from the lowest to the highest.
    #[getter]
    fn layers(&self) -> Vec<&str> {
        self.scene.layers.iter().map(|layer| layer.name.as_str()).collect()
    }

    /// Samples per side; for a planet, per side of each of its six faces.
    #[getter]
    fn samples(&self) -> usize {
        self.scene.samples()
    }

    /// The seed of all random values.
    #[getter]
    fn seed(&self) -> u32 {
        self.scene.settings.seed
    }

    /// Side length of the terrain in metres; for a planet, a quarter of its circumference.
    #[getter]
    fn size_metres(&self) -> f32 {
        self.scene.side_metres()
    }

    /// The relief: the height in metres of the value 1 in the layers' parameters.
    #[getter]
    fn relief_metres(&self) -> f32 {
        self.scene.settings.relief_metres
    }

    /// Height of the sea level, in metres.
    #[getter]
    fn sea_level(&self) -> f32 {
        self.scene.settings.sea_level
    }

    /// Whether the scene is a whole planet.
    #[getter]
    fn is_planet(&self) -> bool {
        self.scene.is_planet()
    }

    /// Changes a value, as `--set` does: `set("Peaks.octaves", 6)` or `set("Peaks.octaves=6")`. The layer is a name, a
    /// number from 1, `scene`, `climate` or `planet`. Returns the scene, so that calls can be chained.
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

    /// The scene as RON text, as in its file.
    fn to_ron(&self) -> PyResult<String> {
        self.scene.to_ron().map_err(failed)
    }

    /// Writes the scene file atomically. With `force`, a file is replaced even if it is write-protected or has several
    /// hard links.
    #[pyo3(signature = (path, *, force=false))]
    fn save(&self, path: PathBuf, force: bool) -> PyResult<()> {
        let to = SaveTarget::new(Path::new(&path)).over_read_only(force).over_links(force);
        self.scene.save(to).map(drop).map_err(failed)
    }

    /// An independent copy of the scene.
    fn copy(&self) -> Self {
        self.clone()
    }

    /// Computes the terrain, with the same bits as the command line and the editor, on any number of threads.
    ///
    /// `size` is the number of samples per side, and `seed` is the seed; they replace the scene's values. `heights` in
    /// metres are the input of the lowest layer, in place of level terrain at height 0. `maps` are data maps of this
    /// input by name. Heights and maps of another size are resampled. Masked heights become voids.
    ///
    /// The heights span the scene's side length. With `cell_metres`, the distance between the samples of `heights`, the
    /// scene gets the side length of `heights` instead. An xarray array contains this distance. `progress` is True for
    /// a tqdm bar, or a function of the finished fraction (0 to 1) and a layer's name. Ctrl-C stops the evaluation, at
    /// usual sizes within 50 ms. `memory` is the memory limit from now on, such as `"4GiB"`, instead of the free
    /// memory.
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
            return Err(usage(py, "cell_metres: give heights with that distance of samples as well"));
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

    /// The changes of each variant of a batch, in the notation of `set`. The variants are all combinations of `seeds`
    /// and `vary`. `seeds` is a range such as `"1..50"` or a list such as `[1, 7, 9]`. `vary` holds lists of values by
    /// parameter, such as `{"Range.erodibility": [3, 6]}`.
    #[pyo3(signature = (*, seeds=None, vary=None))]
    fn variants(
        &self,
        py: Python<'_>,
        seeds: Option<&Bound<'_, PyAny>>,
        vary: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<Vec<String>>> {
        let sweeps = batch_sweeps(py, &self.scene, seeds, vary)?;
        let variants = combinations(&self.scene, &sweeps).map_err(|error| usage(py, format_args!("vary: {error}")))?;
        Ok(variants.into_iter().map(|variant| variant.assignments).collect())
    }

    /// Evaluates every variant of the scene (see `variants`) and writes each into its own folder in `folder`. Also
    /// writes a contact sheet and a table of measures for all variants. Returns the report of `talweg batch --json`.
    ///
    /// Finished variants whose settings are unchanged are kept. `options` are those of `talweg batch`:
    /// `products=["heights.r32", "render.png"]`, `picture=512`, `thumbnail=128`, `anew=True`, `force=True`. `variant=3`
    /// makes only the third variant, without contact sheet and table. `talweg.dask.batch` distributes the variants over
    /// the workers of a cluster.
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
        let request = batch_request(py, folder, batch_sweeps(py, &self.scene, seeds, vary)?, options)?;
        let samples = checked_samples(py, size.unwrap_or(self.scene.samples()))?;
        let wrong = |error: BatchError| of_batch(py, &error);
        let batch = PlannedBatch::new(&self.scene, samples, request).map_err(wrong)?;
        check_memory(&self.scene, samples, &batch.memory_use().map_err(wrong)?).map_err(failed)?;
        let (pool, listener) = (pool(py, threads)?, ProgressListener::new(py, None, Vec::new())?);
        let made = run_interruptibly(py, &pool, &listener, |control| batch.make(control, &|_| ()))?;
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

/// The values of an array, which can be an xarray array. If `cell_metres` is None, it becomes the distance between the
/// array's coordinates.
pub fn unwrapped<'py>(
    heights: &Bound<'py, PyAny>,
    cell_metres: Option<f64>,
) -> PyResult<(Bound<'py, PyAny>, Option<f64>)> {
    let module = heights.py().import(intern!(heights.py(), "talweg._xarray"))?;
    module.call_method1(intern!(heights.py(), "unwrapped"), (heights, cell_metres))?.extract()
}
