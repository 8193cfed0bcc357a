//! What an evaluation makes, in Python: arrays in metres, data maps, mass balance, hash, measures, pictures, files.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};

use super::arrays::{self, given, ground_of, map_kind, map_name, put_maps};
use super::error::{failed, of_command, usage};
use super::scene::{PyScene, checked_samples, unwrapped, value_text};
use super::work::{Listener, finish, pool};
use talweg::export;
use talweg::field::{Edges, Grid, Terrain};
use talweg::measure::TerrainScale;
use talweg::nodes::MassBalance;
use talweg::scene::Scene;
use talweg_cli::{ExportArgs, RenderArgs, measure_limits, terrain_measures};

/// A finished terrain. It does not change; its arrays cannot be written to: copy what is to be changed.
#[pyclass(name = "Terrain", module = "talweg._core", frozen)]
pub struct PyTerrain {
    terrain: Arc<Terrain>,
    scene: Scene,
    /// Whether the scene alone makes it.
    is_of_scene: bool,
    mass_balances: Vec<(usize, MassBalance)>,
    heights: PyOnceLock<Py<PyAny>>,
    maps: PyOnceLock<Py<PyDict>>,
}

impl PyTerrain {
    /// What `scene` made, alone or on a ground of the caller's, with the accounts of its processes.
    pub fn new(
        terrain: Arc<Terrain>,
        scene: Scene,
        is_of_scene: bool,
        mass_balances: Vec<(usize, MassBalance)>,
    ) -> Self {
        Self { terrain, scene, is_of_scene, mass_balances, heights: PyOnceLock::new(), maps: PyOnceLock::new() }
    }

    fn scale(&self) -> TerrainScale {
        TerrainScale::for_scene(&self.scene)
    }
}

/// Mean area of a cell, in m².
fn cell_area(grid: Grid, side_metres: f32) -> f64 {
    let side = f64::from(side_metres);
    if grid.is_globe() {
        let radius = side * std::f64::consts::FRAC_2_PI;
        return 4.0 * std::f64::consts::PI * radius * radius / grid.distinct_len() as f64;
    }
    let cell = side / (grid.samples - 1) as f64;
    cell * cell
}

/// A mass balance in cubic metres.
pub fn balance_dict<'py>(
    py: Python<'py>,
    balance: &MassBalance,
    grid: Grid,
    scene: &Scene,
) -> PyResult<Bound<'py, PyDict>> {
    let unit = cell_area(grid, scene.side_metres()) * f64::from(scene.settings.relief_metres);
    let dict = PyDict::new(py);
    let MassBalance { eroded, deposited, carried, lost, added, resampled, resampled_carried } = *balance;
    let numbers = [
        ("eroded", eroded),
        ("deposited", deposited),
        ("carried", carried),
        ("lost", lost),
        ("added", added),
        ("resampled", resampled),
        ("resampled_carried", resampled_carried),
        ("residual", balance.residual()),
    ];
    for (name, sum) in numbers {
        dict.set_item(name, sum * unit)?;
    }
    Ok(dict)
}

/// The options of `talweg export`, without the command.
#[derive(Parser)]
#[command(name = "export", no_binary_name = true, disable_help_flag = true)]
struct ExportOptions {
    #[command(flatten)]
    args: ExportArgs,
}

/// The options of `talweg render`, without the command.
#[derive(Parser)]
#[command(name = "render", no_binary_name = true, disable_help_flag = true)]
struct RenderOptions {
    #[command(flatten)]
    args: RenderArgs,
}

/// What is said when a scene is evaluated, or is for people at a terminal.
const NOT_HERE: [&str; 14] = [
    "scene",
    "size",
    "seed",
    "set",
    "threads",
    "memory",
    "quiet",
    "json",
    "build",
    "save_build",
    "output",
    "sphere_trace",
    "evaluations",
    "help",
];

/// Keyword arguments as options of the command line: `mesh_error=2.0` is `--mesh-error 2.0`, True the option alone, a
/// pair or list its items with commas between, of `range` with two dots.
fn options(output: &[PathBuf], keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
    let mut line = vec!["scene".to_string()];
    for path in output {
        line.push(format!("--output={}", path.to_string_lossy()));
    }
    for (name, value) in keywords.into_iter().flatten() {
        let name: String = name.extract()?;
        if NOT_HERE.contains(&name.as_str()) {
            return Err(usage(value.py(), format_args!("`{name}` is nothing that a finished terrain can be given")));
        }
        line.extend(option_words(&name, &value)?);
    }
    Ok(line)
}

/// A keyword argument as an option of the command line, if it is one.
pub fn option_words(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let option = format!("--{}", name.replace('_', "-"));
    if value.is_none() {
        return Ok(None);
    }
    if let Ok(is_on) = value.extract::<bool>() {
        return Ok(is_on.then_some(option));
    }
    let is_text = value.is_instance_of::<pyo3::types::PyString>();
    let text = match value.try_iter() {
        Ok(items) if !is_text => {
            let items: Vec<String> = items.map(|item| value_text(&item?)).collect::<PyResult<_>>()?;
            items.join(if name == "range" { ".." } else { "," })
        }
        _ => value_text(value)?,
    };
    Ok(Some(format!("{option}={text}")))
}

/// What clap says about wrong options, in the first of its lines.
pub fn wrong_options(py: Python<'_>, error: &clap::Error) -> PyErr {
    let text = error.to_string();
    let said: Vec<&str> = text.lines().take_while(|line| !line.starts_with("Usage")).map(str::trim).collect();
    usage(py, said.join(" ").trim().trim_start_matches("error: "))
}

/// Files to write: one path or several.
fn paths(path: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if let Ok(one) = path.extract::<PathBuf>() {
        return Ok(vec![one]);
    }
    path.extract::<Vec<PathBuf>>().map_err(|_| usage(path.py(), "give a path, or a list of paths"))
}

/// JSON as Python's own lists, dictionaries and numbers.
pub fn of_json<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "json"))?.call_method1(intern!(py, "loads"), (value.to_string(),))
}

/// Keyword arguments as `NAME=VALUE`.
fn changes(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
    let change = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok(format!("{}={}", name.extract::<String>()?, value_text(&value)?))
    };
    keywords.into_iter().flatten().map(change).collect()
}

#[pymethods]
impl PyTerrain {
    /// Heights in metres, rows from north to south: n × n, of a planet 6 × n × n. Made once, and not copied again.
    #[getter]
    fn heights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = self.heights.get_or_try_init(py, || {
            let relief = self.scene.settings.relief_metres;
            let metres = self.terrain.height.iter().map(|height| height * relief).collect();
            arrays::owned(py, self.terrain.grid, metres).map(Bound::unbind)
        })?;
        Ok(made.bind(py).clone())
    }

    /// The data maps that the layers wrote, by name: depths in metres; all others are views into the terrain itself.
    #[getter]
    fn maps<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let (py, this) = (slf.py(), slf.get());
        let made = this.maps.get_or_try_init(py, || {
            let dict = PyDict::new(py);
            let relief = this.scene.settings.relief_metres;
            for (kind, map) in this.terrain.maps() {
                let array = if kind.is_thickness() {
                    let metres = map.iter().map(|value| value * relief).collect();
                    arrays::owned(py, this.terrain.grid, metres)?
                } else {
                    let owner = Bound::new(py, MapOwner(map.clone()))?;
                    arrays::view(owner.as_any(), this.terrain.grid, map)?
                };
                dict.set_item(map_name(kind), array)?;
            }
            Ok::<_, PyErr>(dict.unbind())
        })?;
        // a dictionary of one's own, of the same arrays
        made.bind(py).copy()
    }

    /// Where the material went, in cubic metres, for each process by the name of its layer: `eroded`, `deposited`,
    /// `carried` (still under way), `lost` (over an open edge), `added` (uplift, snow), `resampled` (by interpolation
    /// between grids) and `residual`, which is 0 but for rounding.
    #[getter]
    fn mass_balance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (layer, balance) in &self.mass_balances {
            let name = &self.scene.layers[*layer].name;
            // of layers with one name each has its number
            let is_taken = dict.contains(name)?;
            let name = if is_taken { format!("{name} ({})", layer + 1) } else { name.clone() };
            dict.set_item(name, balance_dict(py, balance, self.terrain.grid, &self.scene)?)?;
        }
        Ok(dict)
    }

    /// Content hash (XXH3-128 of size, heights and data maps), as `talweg verify` prints it.
    #[getter]
    fn hash(&self, py: Python<'_>) -> String {
        let terrain = self.terrain.clone();
        format!("{:032x}", py.detach(move || terrain.hash()))
    }

    /// Samples per side; of a planet per side of a face.
    #[getter]
    fn samples(&self) -> usize {
        self.terrain.samples()
    }

    /// Distance between neighbouring samples, in metres; of a planet in the middle of a face's side.
    #[getter]
    fn cell_metres(&self) -> f64 {
        f64::from(self.scene.side_metres()) / (self.terrain.samples() - 1) as f64
    }

    /// Length of a side on the ground, in metres; of a planet a quarter of the way around it.
    #[getter]
    fn size_metres(&self) -> f32 {
        self.scene.side_metres()
    }

    /// Height of the sea, in metres.
    #[getter]
    fn sea_level(&self) -> f32 {
        self.scene.settings.sea_level
    }

    /// Whether it is a whole planet.
    #[getter]
    fn is_planet(&self) -> bool {
        self.terrain.grid.is_globe()
    }

    /// The scene that made it, as it was.
    #[getter]
    fn scene(&self) -> PyScene {
        PyScene { scene: self.scene.clone() }
    }

    /// The measures of `talweg measure` by their names; what is not defined is None. `limits` are its limits, such as
    /// `prominence=50`, in their units.
    #[pyo3(signature = (*, threads=0, progress=None, **limits))]
    fn measure<'py>(
        &self,
        py: Python<'py>,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
        limits: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let limits = measure_limits(&changes(limits)?).map_err(|why| usage(py, why))?;
        let (pool, listener) = (pool(py, threads)?, Listener::new(py, progress, vec!["measures".into()])?);
        let (terrain, scene, scale) = (self.terrain.clone(), &self.scene, self.scale());
        let made =
            finish(py, &pool, &listener, |control| terrain_measures(Some(scene), &terrain, scale, &limits, control))?;
        of_json(py, &made.map_err(|failure| of_command(py, &failure))?)
    }

    /// A picture from above as an array of rows × columns × 3 bytes, written to `path` (.png) as well if one is given.
    /// `options` are those of `talweg render`: `width`, `height`, `picture`, `palette`, `style`, `projection`, `force`.
    #[pyo3(signature = (path=None, *, threads=0, **options))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        path: Option<PathBuf>,
        threads: usize,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let output = path.clone().unwrap_or_else(|| PathBuf::from("picture.png"));
        let line = self::options(&[output], options)?;
        let args = RenderOptions::try_parse_from(line).map_err(|error| wrong_options(py, &error))?.args;
        let wrong = |failure: talweg_cli::Failure| of_command(py, &failure);
        let target = if path.is_some() { Some(args.checked_target().map_err(wrong)?) } else { None };
        let (pool, listener) = (pool(py, threads)?, Listener::new(py, None, Vec::new())?);
        let made = finish(py, &pool, &listener, |control| {
            let picture = args.picture(&self.scene, &self.terrain, control)?;
            if let Some(target) = target {
                picture.stage_while(&target, control)?.commit()?;
            }
            Ok(picture)
        })?;
        let picture = made.map_err(wrong)?;
        let shape = [picture.height, picture.width, 3];
        Ok(PyArray1::from_vec(py, picture.rgb).reshape(shape)?.into_any())
    }

    /// Writes files for other programs in one step and gives the report as `talweg export --json` does. The ending
    /// chooses the format: .png, .tif, .exr, .r16, .r32, .asc; .glb, .obj, .ply and .stl are meshes. `options` are
    /// those of `talweg export`: `what="slope"`, `maps=["flow", "wear"]`, `preset="unreal"` (then `path` is a folder),
    /// `range=(-100, 2500)`, `tiles=513`, `epsg=2056, origin=(2600000, 1200000)`, `mesh_error=0.5`, `force=True` …
    #[pyo3(signature = (path, *, threads=0, progress=None, **options))]
    fn export<'py>(
        &self,
        py: Python<'py>,
        path: &Bound<'py, PyAny>,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let line = self::options(&paths(path)?, options)?;
        let args = ExportOptions::try_parse_from(line).map_err(|error| wrong_options(py, &error))?.args;
        let checked = args.checked_preset(&self.scene, Some(self.terrain.samples()));
        let (preset, place) = checked.map_err(|failure| of_command(py, &failure))?;
        // a target takes some sizes alone
        export::samples(&preset, &self.scene).map_err(|error| usage(py, error))?;
        let (pool, listener) = (pool(py, threads)?, Listener::new(py, progress, vec!["export".into()])?);
        let write = if self.is_of_scene { export::export } else { export::export_without_scene };
        let made = finish(py, &pool, &listener, |control| {
            write(&preset, &self.scene, &self.terrain, &place, control, &|share| control.advance(share))
        })?;
        let report = serde_json::to_value(made.map_err(failed)?).map_err(failed)?;
        of_json(py, &report)
    }

    /// Heights and data maps as a Dataset of xarray, with coordinates in metres: `x` to the east, `y` to the north.
    /// With `like`, an array of xarray, they are its own. Of a planet they are `face`, `row` and `column`.
    #[pyo3(signature = (*, like=None))]
    fn to_xarray<'py>(slf: &Bound<'py, Self>, like: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import(intern!(slf.py(), "talweg._xarray"))?;
        module.call_method1(intern!(slf.py(), "dataset"), (slf, like))
    }

    /// Pickles whole, with its heights, data maps and accounts: the same hash elsewhere.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bytes = |values: &[f32]| {
            PyBytes::new_with(py, 4 * values.len(), |out| {
                out.as_chunks_mut::<4>().0.iter_mut().zip(values).for_each(|(out, value)| *out = value.to_le_bytes());
                Ok(())
            })
        };
        let maps = PyDict::new(py);
        for (kind, map) in self.terrain.maps() {
            maps.set_item(map_name(kind), bytes(map)?)?;
        }
        let account = |(layer, balance): &(usize, MassBalance)| {
            let MassBalance { eroded, deposited, carried, lost, added, resampled, resampled_carried } = *balance;
            (*layer, [eroded, deposited, carried, lost, added, resampled, resampled_carried])
        };
        let accounts: Vec<_> = self.mass_balances.iter().map(account).collect();
        let scene = self.scene.to_ron().map_err(failed)?;
        let parts = (scene, self.terrain.samples(), self.is_of_scene, bytes(&self.terrain.height)?, maps, accounts);
        let restored = py.import(intern!(py, "talweg._core"))?.getattr(intern!(py, "restored_terrain"))?;
        (restored, parts).into_bound_py_any(py)
    }

    fn __repr__(&self) -> String {
        let n = self.terrain.samples();
        let maps: Vec<String> = self.terrain.maps().map(|(kind, _)| map_name(kind)).collect();
        let maps = if maps.is_empty() { String::new() } else { format!(", maps: {}", maps.join(", ")) };
        format!("<talweg.Terrain `{}`, {n} × {n} samples, {} m apart{maps}>", self.scene.name, self.cell_metres())
    }
}

/// A terrain out of a pickle.
#[pyfunction]
pub fn restored_terrain(
    py: Python<'_>,
    scene: &str,
    samples: usize,
    is_of_scene: bool,
    heights: &[u8],
    maps: &Bound<'_, PyDict>,
    accounts: Vec<(usize, [f64; 7])>,
) -> PyResult<PyTerrain> {
    let (scene, _) = Scene::from_ron(scene).map_err(failed)?;
    let samples = checked_samples(py, samples)?;
    let mut terrain = Terrain::flat(scene.grid(samples));
    let count = terrain.height.len();
    let numbers = |bytes: &[u8]| -> PyResult<Vec<f32>> {
        let (numbers, rest) = bytes.as_chunks::<4>();
        if numbers.len() != count || !rest.is_empty() {
            return Err(usage(py, "the pickle is no whole terrain"));
        }
        Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
    };
    terrain.height = numbers(heights)?;
    for (name, map) in maps {
        let kind = map_kind(py, &name.extract::<String>()?)?;
        terrain.set_map(kind, Some(Arc::new(numbers(map.extract()?)?)));
    }
    if accounts.iter().any(|(layer, _)| *layer >= scene.layers.len()) {
        return Err(usage(py, "the pickle is no whole terrain"));
    }
    let balance = |(layer, sums): (usize, [f64; 7])| {
        let [eroded, deposited, carried, lost, added, resampled, resampled_carried] = sums;
        (layer, MassBalance { eroded, deposited, carried, lost, added, resampled, resampled_carried })
    };
    let accounts = accounts.into_iter().map(balance).collect();
    Ok(PyTerrain::new(Arc::new(terrain), scene, is_of_scene, accounts))
}

/// Keeps the memory of a data map for as long as an array reads it.
#[pyclass(module = "talweg._core", frozen)]
struct MapOwner(#[allow(dead_code, reason = "kept, not read")] Arc<Vec<f32>>);

/// Measures heights in metres `cell_metres` apart as they are, with open edges, as `talweg measure` does a heightmap.
/// `sea` is the height of the sea, if there is one; `maps` data maps on them, such as `ground` (1 is ground, 0 none).
/// What is masked is no ground.
#[pyfunction]
#[pyo3(signature = (heights, cell_metres=None, *, sea=None, maps=None, threads=0, **limits))]
pub fn measure<'py>(
    py: Python<'py>,
    heights: &Bound<'py, PyAny>,
    cell_metres: Option<f64>,
    sea: Option<f32>,
    maps: Option<&Bound<'py, PyDict>>,
    threads: usize,
    limits: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let limits = measure_limits(&changes(limits)?).map_err(|why| usage(py, why))?;
    let (heights, cell_metres) = unwrapped(heights, cell_metres)?;
    let cell = checked_cell(py, cell_metres)?;
    let field = given("heights", &heights, 1.0, false)?;
    let samples = field.samples;
    let mut terrain = ground_of(field, Grid::new(samples, Edges::Open));
    if let Some(maps) = maps {
        put_maps(&mut terrain, maps, 1.0)?;
    }
    let size_metres = (cell * (samples - 1) as f64) as f32;
    let scale = TerrainScale { size_metres, relief_metres: 1.0, sea_metres: sea };
    let (pool, listener) = (pool(py, threads)?, Listener::new(py, None, Vec::new())?);
    let made = finish(py, &pool, &listener, |control| terrain_measures(None, &terrain, scale, &limits, control))?;
    of_json(py, &made.map_err(|failure| of_command(py, &failure))?)
}

/// A distance between samples, if it was given and can be one.
pub fn checked_cell(py: Python<'_>, cell_metres: Option<f64>) -> PyResult<f64> {
    let cell = cell_metres.ok_or_else(|| usage(py, "give cell_metres, the distance between neighbouring samples"))?;
    let is_length = cell.is_finite() && cell > 0.0;
    is_length.then_some(cell).ok_or_else(|| usage(py, "cell_metres: give a length above 0"))
}
