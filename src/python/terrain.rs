//! Finished terrains in Python: arrays in metres, data maps, mass balance, hash, measures, pictures, files.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};

use super::arrays::{self, add_maps, field_from_array, ground_of, map_kind, map_name};
use super::error::{failed, usage};
use super::options::KeywordOptions;
use super::scene::{PyScene, checked_samples, unwrapped, value_text};
use super::work::{ProgressListener, pool, run_interruptibly};
use talweg::appearance::{PictureError, PictureRequest, PictureStyle, check_picture};
use talweg::export::maps::{ExportMap, MapError};
use talweg::export::targets::ExportTarget;
use talweg::export::{self, ExportError, ExportFolder, ExportRequest};
use talweg::field::{Cancelled, Control, Edges, Grid, MapKind, Terrain};
use talweg::io::SaveTarget;
use talweg::measure::{Limits, TerrainMeasures, TerrainScale, material_cubic_metres, measure_planet};
use talweg::nodes::MassBalance;
use talweg::preferences::GlobeView;
use talweg::scene::{BuildMesh, BuildPlacement, BuildPlanet, BuildTiles, Scene, TerrainAttribute};
use talweg::terrain_attributes::{attribute_field, drainage};

/// A finished terrain, which never changes. Its arrays are read-only: copy an array to change it.
#[pyclass(name = "Terrain", module = "talweg._core", frozen)]
pub struct PyTerrain {
    terrain: Arc<Terrain>,
    scene: Scene,
    /// Whether the scene without other input reproduces the terrain.
    is_of_scene: bool,
    mass_balances: Vec<(usize, MassBalance)>,
    heights: PyOnceLock<Py<PyAny>>,
    maps: PyOnceLock<Py<PyDict>>,
}

impl PyTerrain {
    /// The terrain that `scene` produced, with or without input heights from the caller. Includes the mass balances of
    /// the scene's processes.
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

/// A mass balance in cubic metres as a dictionary.
pub fn balance_dict<'py>(
    py: Python<'py>,
    balance: &MassBalance,
    grid: Grid,
    scene: &Scene,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, volume) in material_cubic_metres(scene, grid, balance) {
        dict.set_item(name, volume)?;
    }
    Ok(dict)
}

/// The request for `files` with the options of `talweg export`.
fn export_request(py: Python<'_>, files: &[PathBuf], options: &mut KeywordOptions) -> PyResult<ExportRequest> {
    let what = options.parsed("what")?.unwrap_or(ExportMap::Heights);
    let maps: Vec<ExportMap> = options.list("maps")?;
    let target = options.parsed::<String>("preset")?;
    let target = target.map(|id| ExportTarget::named(&id)).transpose().map_err(|why| usage(py, why))?;
    let request = ExportRequest::for_files(files, &what, &maps, target).map_err(|error| usage(py, error))?;
    let tiles: Option<u32> = options.read("tiles", "a whole number of samples")?;
    let shared_edges = !options.is_on("unshared")?;
    let placement = match (options.read("epsg", "the number of a coordinate system")?, options.pair("origin")?) {
        (Some(epsg), Some((west, south))) => Some(BuildPlacement { epsg, west, south }),
        (None, None) => None,
        _ => return Err(usage(py, "epsg and origin belong together; give both")),
    };
    let mesh = request.mesh;
    Ok(ExportRequest {
        height_range: options.pair("range")?,
        normalised: options.is_on("normalised")?,
        south_first: options.is_on("south_first")? || request.south_first,
        big_endian: options.is_on("big_endian")?,
        directx_normals: options.is_on("directx")? || request.directx_normals,
        tiles: tiles.map(|samples| BuildTiles { samples, shared_edges }),
        band_metres: options.read("band", "a height in metres")?,
        placement,
        planet: BuildPlanet {
            cube: options.choice("projection", &["equirectangular", "cube"])? == 1,
            width: options.read("width", "a whole number of samples")?,
            points: options.choice("registration", &["pixel", "grid"])? == 1,
        },
        mesh: BuildMesh {
            error_metres: options.read("mesh_error", "metres")?.unwrap_or(mesh.error_metres),
            solid: options.is_on("solid")?,
            water: !options.is_on("no_water")?,
            colours: !options.is_on("no_colours")?,
            print_millimetres: options.read("print_size", "millimetres")?.unwrap_or(mesh.print_millimetres),
        },
        ..request
    })
}

/// The picture request with the options of `talweg render`.
fn picture_request(py: Python<'_>, options: &mut KeywordOptions) -> PyResult<PictureRequest> {
    let pixels = "a whole number of pixels";
    let usual = PictureRequest::default();
    let clouds = options.read::<Bound<'_, PyAny>>("clouds", "")?;
    let share = |value: Bound<'_, PyAny>| match value.extract::<bool>() {
        Ok(are_drawn) => Ok(are_drawn.then_some(GlobeView::default().cloud_cover)),
        Err(_) => value.extract().map(Some).map_err(|_| usage(py, "clouds: give True, or a fraction from 0 to 1")),
    };
    Ok(PictureRequest {
        side: options.read("picture", pixels)?.unwrap_or(usual.side),
        width: options.read("width", pixels)?,
        height: options.read("height", pixels)?,
        style: [PictureStyle::Relief, PictureStyle::Colours, PictureStyle::Heights]
            [options.choice("style", &["relief", "colours", "heights"])?],
        colour_bar: options.is_on("colour_bar")?,
        palette: options.parsed("palette")?,
        as_map: options.choice("projection", &["globe", "map"])? == 1,
        longitude: options.read("longitude", "degrees")?,
        latitude: options.read("latitude", "degrees")?,
        clouds: clouds.map(share).transpose()?.flatten(),
    })
}

/// Converts an export error: a mistake in the request becomes a `UsageError`.
fn of_export(py: Python<'_>, error: &ExportError) -> PyErr {
    match error {
        ExportError::Request(_) | ExportError::Map(_) => usage(py, error),
        _ => failed(error),
    }
}

fn of_picture(py: Python<'_>, error: &PictureError) -> PyErr {
    match error {
        PictureError::File(_) | PictureError::Cancelled(_) => failed(error),
        _ => usage(py, error),
    }
}

/// The files to write, from an argument with one path or several.
fn paths(path: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if let Ok(one) = path.extract::<PathBuf>() {
        return Ok(vec![one]);
    }
    path.extract::<Vec<PathBuf>>().map_err(|_| usage(path.py(), "give a path, or a list of paths"))
}

/// Converts JSON to Python lists, dictionaries and numbers.
pub fn of_json<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "json"))?.call_method1(intern!(py, "loads"), (value.to_string(),))
}

/// The default limits of the measures, changed by the keyword arguments.
fn limits(py: Python<'_>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    for (name, value) in keywords.into_iter().flatten() {
        let (name, value) = (name.extract::<String>()?, value_text(&value)?);
        limits.set_named(&name, &value).map_err(|why| usage(py, why))?;
    }
    Ok(limits)
}

/// All measures of a terrain or planet as JSON.
fn measured(
    scene: Option<&Scene>,
    terrain: &Terrain,
    scale: TerrainScale,
    limits: &Limits,
    control: &Control,
) -> Result<serde_json::Result<serde_json::Value>, Cancelled> {
    Ok(match scene.filter(|scene| scene.is_planet()) {
        Some(planet) => serde_json::to_value(measure_planet(terrain, planet, limits, control)?),
        None => serde_json::to_value(TerrainMeasures::new(scene, terrain, scale, limits, control)?),
    })
}

#[pymethods]
impl PyTerrain {
    /// Heights in metres, rows from north to south: n × n, for a planet 6 × n × n. The array is created once and then
    /// shared.
    #[getter]
    fn heights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let made = self.heights.get_or_try_init(py, || {
            let relief = self.scene.settings.relief_metres;
            let metres = self.terrain.height.iter().map(|height| height * relief).collect();
            arrays::owned(py, self.terrain.grid, metres).map(Bound::unbind)
        })?;
        Ok(made.bind(py).clone())
    }

    /// The data maps that the layers wrote, by name. Depths are in metres. All other maps are views of the terrain's
    /// own memory.
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
        // Return a new dictionary with the same arrays, so that the caller can change it.
        made.bind(py).copy()
    }

    /// A map that every terrain has, computed from its heights with or without an erosion in the scene: `slope`,
    /// `aspect`, `curvature`, `profile-curvature`, `plan-curvature`, `tangential-curvature`, `drainage`, `wetness`,
    /// `occlusion`, `sunshine-day`, `sunshine-year` or `flow`. The values and units are those of the map in exported
    /// files. If a layer wrote the map `flow`, drainage and wetness are computed from that map.
    #[pyo3(signature = (name, *, threads=0, progress=None))]
    fn attribute<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (terrain, scene) = (self.terrain.clone(), &self.scene);
        let attribute = match name.parse() {
            Ok(ExportMap::Attribute(attribute)) => Some(attribute),
            Ok(ExportMap::Data(MapKind::Flow)) => None,
            _ => {
                let known: Vec<&str> = TerrainAttribute::ALL.iter().map(|attribute| attribute.id()).collect();
                let text = format!("there is no attribute `{name}`; there are {} and flow", known.join(", "));
                return Err(usage(py, text));
            }
        };
        if let Some(absent) = attribute.filter(|attribute| !attribute.fits(scene.settings.world)) {
            return Err(usage(py, MapError::OfTerrains(ExportMap::Attribute(absent))));
        }
        let (pool, listener) = (pool(py, threads)?, ProgressListener::new(py, progress, vec![name.into()])?);
        let made = run_interruptibly(py, &pool, &listener, |control| match attribute {
            Some(attribute) => attribute_field(scene, &terrain, attribute, control),
            None => Ok(Arc::unwrap_or_clone(drainage::flow(scene, &terrain, control)?)),
        })?;
        arrays::owned(py, self.terrain.grid, made.map_err(failed)?)
    }

    /// Material in cubic metres that each process moved, by the name of its layer. The keys are `eroded`, `deposited`,
    /// `carried` (still in transport), `lost` (over an open edge), `added` (uplift, snow), `resampled` (by
    /// interpolation between grids) and `residual`, which is 0 except for rounding.
    #[getter]
    fn mass_balance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (layer, balance) in &self.mass_balances {
            let name = &self.scene.layers[*layer].name;
            // Numbers distinguish layers with the same name.
            let is_taken = dict.contains(name)?;
            let name = if is_taken { format!("{name} ({})", layer + 1) } else { name.clone() };
            dict.set_item(name, balance_dict(py, balance, self.terrain.grid, &self.scene)?)?;
        }
        Ok(dict)
    }

    /// Content hash (XXH3-128 of size, heights and data maps), as printed by `talweg verify`.
    #[getter]
    fn hash(&self, py: Python<'_>) -> String {
        let terrain = self.terrain.clone();
        format!("{:032x}", py.detach(move || terrain.hash()))
    }

    /// Samples per side; for a planet, per side of a face.
    #[getter]
    fn samples(&self) -> usize {
        self.terrain.samples()
    }

    /// Distance between neighbouring samples in metres; for a planet, at the middle of a face's edge.
    #[getter]
    fn cell_metres(&self) -> f64 {
        f64::from(self.scene.side_metres()) / (self.terrain.samples() - 1) as f64
    }

    /// Side length of the terrain in metres; for a planet, a quarter of its circumference.
    #[getter]
    fn size_metres(&self) -> f32 {
        self.scene.side_metres()
    }

    /// Height of the sea level, in metres.
    #[getter]
    fn sea_level(&self) -> f32 {
        self.scene.settings.sea_level
    }

    /// Whether the terrain is a whole planet.
    #[getter]
    fn is_planet(&self) -> bool {
        self.terrain.grid.is_globe()
    }

    /// A copy of the scene that produced the terrain.
    #[getter]
    fn scene(&self) -> PyScene {
        PyScene { scene: self.scene.clone() }
    }

    /// The measures of `talweg measure` by name; undefined measures are None. `limits` are the limits of `talweg
    /// measure`, each in its unit, such as `prominence=50`.
    #[pyo3(signature = (*, threads=0, progress=None, **limits))]
    fn measure<'py>(
        &self,
        py: Python<'py>,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
        limits: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let limits = self::limits(py, limits)?;
        let (pool, listener) = (pool(py, threads)?, ProgressListener::new(py, progress, vec!["measures".into()])?);
        let (terrain, scene, scale) = (self.terrain.clone(), &self.scene, self.scale());
        let made = run_interruptibly(py, &pool, &listener, |control| {
            measured(Some(scene), &terrain, scale, &limits, control)
        })?;
        of_json(py, &made.map_err(failed)?.map_err(failed)?)
    }

    /// Draws the terrain from above and returns an array of rows × columns × 3 bytes. If `path` (.png) is given, the
    /// picture is also written to that file. `options` are those of `talweg render`: `width`, `height`, `picture`,
    /// `palette`, `style`, `projection`, `force`.
    #[pyo3(signature = (path=None, *, threads=0, **options))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        path: Option<PathBuf>,
        threads: usize,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut options = KeywordOptions::new(py, options)?;
        let request = picture_request(py, &mut options)?;
        let force = options.is_on("force")?;
        options.finish("a picture")?;
        let target = path.map(|path| SaveTarget::new(path).over_read_only(force).over_links(force));
        target.iter().try_for_each(check_picture).map_err(|error| of_picture(py, &error))?;
        let (pool, listener) = (pool(py, threads)?, ProgressListener::new(py, None, Vec::new())?);
        let made = run_interruptibly(py, &pool, &listener, |control| {
            let picture = request.draw(&self.scene, &self.terrain, control)?;
            if let Some(target) = target {
                picture.stage_while(&target, control)?.commit()?;
            }
            Ok(picture)
        })?;
        let picture = made.map_err(|error| of_picture(py, &error))?;
        let shape = [picture.height, picture.width, 3];
        Ok(PyArray1::from_vec(py, picture.rgb).reshape(shape)?.into_any())
    }

    /// Writes files for other programs atomically and returns the report of `talweg export --json`. The file extension
    /// selects the format: .png, .tif, .exr, .r16, .r32, .asc for rasters; .glb, .obj, .ply and .stl for meshes.
    /// `options` are those of `talweg export`: `what="slope"`, `maps=["flow", "wear"]`, `preset="unreal"` (then `path`
    /// is a folder), `range=(-100, 2500)`, `tiles=513`, `epsg=2056, origin=(2600000, 1200000)`, `mesh_error=0.5`,
    /// `force=True` …
    #[pyo3(signature = (path, *, threads=0, progress=None, **options))]
    fn export<'py>(
        &self,
        py: Python<'py>,
        path: &Bound<'py, PyAny>,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut options = KeywordOptions::new(py, options)?;
        let request = export_request(py, &paths(path)?, &mut options)?;
        let force = options.is_on("force")?;
        options.finish("an export")?;
        if !self.is_planet() && (request.planet.cube || request.planet.width.is_some()) {
            return Err(usage(py, "projection and width are for planets; this scene is a terrain"));
        }
        let request = ExportRequest { samples: Some(self.terrain.samples()), ..request };
        let place = ExportFolder { folder: PathBuf::new(), force, ..ExportFolder::default() };
        export::check(&request, &self.scene, &place).map_err(|error| of_export(py, &error))?;
        let (pool, listener) = (pool(py, threads)?, ProgressListener::new(py, progress, vec!["export".into()])?);
        let write = if self.is_of_scene { export::export } else { export::export_without_scene };
        let made = run_interruptibly(py, &pool, &listener, |control| {
            write(&request, &self.scene, &self.terrain, &place, control, &|share| control.advance(share))
        })?;
        let report = serde_json::to_value(made.map_err(failed)?).map_err(failed)?;
        of_json(py, &report)
    }

    /// Heights and data maps as an xarray Dataset, with coordinates in metres: `x` to the east, `y` to the north. If
    /// `like`, an xarray array, is given, the Dataset has the coordinates of that array. For a planet the dimensions
    /// are `face`, `row` and `column`.
    #[pyo3(signature = (*, like=None))]
    fn to_xarray<'py>(slf: &Bound<'py, Self>, like: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import(intern!(slf.py(), "talweg._xarray"))?;
        module.call_method1(intern!(slf.py(), "dataset"), (slf, like))
    }

    /// Pickles the whole terrain with heights, data maps and mass balances, so that the restored terrain has the same
    /// hash.
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

/// Restores a terrain from a pickle.
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
            return Err(usage(py, "the pickle is not a complete terrain"));
        }
        Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
    };
    terrain.height = numbers(heights)?;
    for (name, map) in maps {
        let kind = map_kind(py, &name.extract::<String>()?)?;
        terrain.set_map(kind, Some(Arc::new(numbers(map.extract()?)?)));
    }
    if accounts.iter().any(|(layer, _)| *layer >= scene.layers.len()) {
        return Err(usage(py, "the pickle is not a complete terrain"));
    }
    let balance = |(layer, sums): (usize, [f64; 7])| {
        let [eroded, deposited, carried, lost, added, resampled, resampled_carried] = sums;
        (layer, MassBalance { eroded, deposited, carried, lost, added, resampled, resampled_carried })
    };
    let accounts = accounts.into_iter().map(balance).collect();
    Ok(PyTerrain::new(Arc::new(terrain), scene, is_of_scene, accounts))
}

/// Keeps the memory of a data map alive while an array reads it.
#[pyclass(module = "talweg._core", frozen)]
struct MapOwner(#[allow(dead_code, reason = "kept, not read")] Arc<Vec<f32>>);

/// Measures heights in metres, `cell_metres` apart, as `talweg measure` measures a heightmap. The terrain has open
/// edges. `sea` is the height of the sea level, if there is a sea. `maps` are data maps of the terrain, such as
/// `ground`, which is 1 where there is terrain and 0 at voids. Masked heights become voids.
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
    let limits = self::limits(py, limits)?;
    let (heights, cell_metres) = unwrapped(heights, cell_metres)?;
    let cell = checked_cell(py, cell_metres)?;
    let field = field_from_array("heights", &heights, 1.0, false)?;
    let samples = field.samples;
    let mut terrain = ground_of(field, Grid::new(samples, Edges::Open));
    if let Some(maps) = maps {
        add_maps(&mut terrain, maps, 1.0)?;
    }
    let size_metres = (cell * (samples - 1) as f64) as f32;
    let scale = TerrainScale { size_metres, relief_metres: 1.0, sea_metres: sea };
    let (pool, listener) = (pool(py, threads)?, ProgressListener::new(py, None, Vec::new())?);
    let made = run_interruptibly(py, &pool, &listener, |control| measured(None, &terrain, scale, &limits, control))?;
    of_json(py, &made.map_err(failed)?.map_err(failed)?)
}

/// Checks that the distance between samples is valid.
pub fn checked_cell(py: Python<'_>, cell_metres: Option<f64>) -> PyResult<f64> {
    let cell = cell_metres.ok_or_else(|| usage(py, "give cell_metres, the distance between neighbouring samples"))?;
    let is_length = cell.is_finite() && cell > 0.0;
    is_length.then_some(cell).ok_or_else(|| usage(py, "cell_metres: give a length above 0"))
}
