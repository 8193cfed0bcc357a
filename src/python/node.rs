//! Single nodes, which run on an array of heights. A process can also run step by step.

use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arrays::{self, add_maps, field_from_array, ground_of};
use super::error::{failed, usage};
use super::scene::{apply_memory, checked_samples, evaluate, unwrapped, value_text};
use super::terrain::{PyTerrain, balance_dict, checked_cell, of_json};
use super::work::{ProgressListener, pool, run_interruptibly};
use talweg::eval::{BaseTerrain, ThreadPool};
use talweg::field::{Cancelled, Control, Terrain};
use talweg::io::suggestion;
use talweg::nodes::multiscale::LargestScale;
use talweg::nodes::{Context, MassBalance, Node, Run};
use talweg::param::{ParamKind, Value, description_json};
use talweg::planet::World;
use talweg::scene::{Layer, Scene, Settings};

/// The description of a node: name, one sentence of help, source, presets, and parameters with unit, range and default.
#[pyfunction]
pub fn node_description<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let node = named(py, name)?;
    of_json(py, &description_json(node.about(), Some(node.work().shape())))
}

fn named(py: Python<'_>, name: &str) -> PyResult<Node> {
    Node::named(name).ok_or_else(|| usage(py, format_args!("there is no node `{name}`")))
}

/// A generator, filter or erosion with its parameters; the base of classes such as `talweg.Thermal`.
#[pyclass(name = "Node", module = "talweg._core", subclass)]
pub struct PyNode {
    node: Node,
}

/// The input terrain of a node, from keyword arguments.
struct NodeGround<'a, 'py> {
    heights: Option<&'a Bound<'py, PyAny>>,
    size: Option<usize>,
    cell_metres: Option<f64>,
    relief_metres: Option<f32>,
    seed: u32,
    sea_level: f32,
    edges: &'a str,
    voids: &'a str,
    maps: Option<&'a Bound<'py, PyDict>>,
}

/// The smallest power of two that no height exceeds. Division by a power of two is exact.
fn exact_relief(heights: &[f32]) -> f32 {
    let highest =
        heights.iter().fold(0.0f32, |highest, height| if height.abs() > highest { height.abs() } else { highest });
    let mut relief = 1.0f32;
    while relief < highest && relief < 65_536.0 {
        relief *= 2.0;
    }
    relief
}

impl NodeGround<'_, '_> {
    /// Returns a scene that contains only this node, the node's input terrain, and the number of samples per side.
    fn scene(&self, py: Python<'_>, node: Node) -> PyResult<(Scene, Option<BaseTerrain>, usize)> {
        if !node.fits(World::Terrain) {
            let text = format!("`{}` runs only on whole planets; use it in a scene", node.about().name);
            return Err(usage(py, text));
        }
        let (heights, cell_metres) = match self.heights {
            Some(heights) => {
                let (array, cell) = unwrapped(heights, self.cell_metres)?;
                (Some(array), cell)
            }
            None => (None, self.cell_metres),
        };
        let cell = checked_cell(py, cell_metres)?;
        let field = heights.map(|heights| field_from_array("heights", &heights, 1.0, false)).transpose()?;
        let samples = match (&field, self.size) {
            (Some(field), None) => field.samples,
            (Some(field), Some(size)) if field.samples == size => size,
            (Some(_), Some(_)) => return Err(usage(py, "size: the heights have a size already; give one of the two")),
            (None, Some(size)) => checked_samples(py, size)?,
            (None, None) => {
                return Err(usage(py, "give heights, or size for level ground with that many samples per side"));
            }
        };
        let relief = self.relief_metres.unwrap_or_else(|| {
            field.as_ref().map_or(Settings::default().relief_metres, |field| exact_relief(&field.values))
        });
        let name = node.about().name;
        let layer = Layer { name: name.into(), ..Layer::new(node, 1) };
        let mut scene = Scene { name: name.into(), layers: vec![layer], ..Scene::default() };
        let side = (cell * (samples - 1) as f64) as f32;
        for change in [
            format!("scene.size_metres={side}"),
            format!("scene.relief_metres={relief}"),
            format!("scene.sea_level={}", self.sea_level),
            format!("scene.edges={}", self.edges),
            format!("scene.voids={}", self.voids),
            format!("scene.resolution={samples}"),
        ] {
            scene.set(&change).map_err(|error| usage(py, error))?;
        }
        scene.settings.seed = self.seed;
        let Some(mut field) = field else {
            if self.maps.is_some_and(|maps| !maps.is_empty()) {
                return Err(usage(py, "maps: give heights as well, because maps belong to heights"));
            }
            return Ok((scene, None, samples));
        };
        field.values.iter_mut().for_each(|height| *height /= relief);
        let mut terrain = ground_of(field, scene.grid(samples));
        if let Some(maps) = self.maps {
            add_maps(&mut terrain, maps, relief)?;
        }
        terrain.close_seam();
        Ok((scene, Some(BaseTerrain::new(terrain)), samples))
    }
}

/// Sets parameters by name, in the same way as the command line.
fn set_all(py: Python<'_>, node: &mut Node, values: &Bound<'_, PyDict>) -> PyResult<()> {
    for (name, value) in values {
        set_one(py, node, &name.extract::<String>()?, &value)?;
    }
    Ok(())
}

fn set_one(py: Python<'_>, node: &mut Node, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let about = node.about();
    let Some(index) = about.find(name) else {
        let known: Vec<&str> = about.params.iter().map(|spec| spec.name).collect();
        let text = format!("`{}` has no parameter `{name}`; {}", about.name, suggestion(name, &known));
        return Err(usage(py, text));
    };
    let value = about.params[index].parse(&value_text(value)?).map_err(|error| usage(py, error))?;
    node.params_mut().set(index, &value).map_err(|error| usage(py, error))
}

impl PyNode {
    /// The node, with `iterations` instead of its own number if the caller sets `iterations`.
    fn with_iterations(&self, py: Python<'_>, iterations: Option<u32>) -> PyResult<Node> {
        let mut node = self.node.clone();
        if let Some(iterations) = iterations {
            set_one(py, &mut node, "iterations", iterations.into_pyobject(py)?.as_any())?;
        }
        Ok(node)
    }
}

#[pymethods]
impl PyNode {
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        Ok(Self { node: named(py, name)? })
    }

    /// Name of the node, as in scenes.
    #[getter]
    fn node_name(&self) -> &'static str {
        self.node.about().name
    }

    /// The value of a parameter.
    fn get_parameter<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let about = self.node.about();
        let index = about.find(name).ok_or_else(|| PyAttributeError::new_err(name.to_string()))?;
        let (spec, value) = (&about.params[index], self.node.params().get(index));
        Ok(match value {
            // Return the shortest decimal number that reads back as this f32, as scene files contain it.
            Value::Float(_) => spec.show(&value).parse::<f64>().map_err(failed)?.into_pyobject(py)?.into_any(),
            Value::Int(number) => number.into_pyobject(py)?.into_any(),
            Value::Bool(truth) => truth.into_pyobject(py)?.to_owned().into_any(),
            Value::Curve(curve) => curve.0.into_pyobject(py)?.into_any(),
            Value::Numbers(numbers) => numbers.into_pyobject(py)?.into_any(),
            other => spec.show(&other).into_pyobject(py)?.into_any(),
        })
    }

    /// Sets parameters by name. A value out of range is an error, as on the command line.
    #[pyo3(signature = (**values))]
    fn set(&mut self, py: Python<'_>, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let mut changed = self.node.clone();
        if let Some(values) = values {
            set_all(py, &mut changed, values)?;
        }
        self.node = changed;
        Ok(())
    }

    /// Sets every parameter as in a preset. Parameters that the preset does not name return to their defaults.
    fn adopt(&mut self, py: Python<'_>, preset: &str) -> PyResult<()> {
        let about = self.node.about();
        let Some(found) = about.preset(preset) else {
            let known: Vec<&str> = about.presets.iter().map(|preset| preset.name).collect();
            let text = format!("`{}` has no preset `{preset}`; {}", about.name, suggestion(preset, &known));
            return Err(usage(py, text));
        };
        self.node.adopt(found);
        Ok(())
    }

    /// The parameters that differ from their defaults, by name.
    fn changed_parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (index, spec) in self.node.about().params.iter().enumerate() {
            if self.node.params().get(index) != spec.default {
                let is_text = matches!(spec.kind, ParamKind::Tree | ParamKind::Strokes);
                let value = if is_text {
                    spec.show(&self.node.params().get(index)).into_pyobject(py)?.into_any()
                } else {
                    self.get_parameter(py, spec.name)?
                };
                dict.set_item(spec.name, value)?;
            }
        }
        Ok(dict)
    }

    /// Runs the node on `heights` (metres, n × n, rows from north to south, `cell_metres` apart) and returns the
    /// terrain. Without `heights`, it runs on level terrain of `size` samples per side.
    ///
    /// An xarray array supplies the sample distance itself. `iterations` replaces the node's own number of iterations.
    /// `relief_metres` is the relief for nodes whose parameters are fractions of the relief. By default it is the
    /// smallest power of two that no height exceeds, or 1800 for level terrain. Masked heights become voids;
    /// `voids` says whether water and rock "Cross" them or "LandEnds" there. `edges` is "Open" or "Wrap". `maps` are
    /// data maps by name, such as `hardness`. `progress`, `threads` and `memory` have the same meaning as in
    /// `Scene.evaluate`.
    #[pyo3(signature = (heights=None, *, size=None, cell_metres=None, iterations=None, relief_metres=None, seed=1, sea_level=0.0, edges="Open", voids="Cross", maps=None, threads=0, progress=None, memory=None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn run<'py>(
        &self,
        py: Python<'py>,
        heights: Option<&Bound<'py, PyAny>>,
        size: Option<usize>,
        cell_metres: Option<f64>,
        iterations: Option<u32>,
        relief_metres: Option<f32>,
        seed: u32,
        sea_level: f32,
        edges: &str,
        voids: &str,
        maps: Option<&Bound<'py, PyDict>>,
        threads: usize,
        progress: Option<&Bound<'py, PyAny>>,
        memory: Option<&str>,
    ) -> PyResult<PyTerrain> {
        apply_memory(py, memory)?;
        let ground = NodeGround { heights, size, cell_metres, relief_metres, seed, sea_level, edges, voids, maps };
        let (scene, base, samples) = ground.scene(py, self.with_iterations(py, iterations)?)?;
        evaluate(py, scene, base, samples, threads, progress)
    }

    /// Starts a process on `heights` and returns the run as an iterator. Each `next` runs `every` iterations and
    /// returns the run itself. Between two calls, the run can be read, changed (`set`) and stopped. The arguments are
    /// the same as for `run`.
    #[pyo3(signature = (heights=None, *, size=None, cell_metres=None, iterations=None, relief_metres=None, seed=1, sea_level=0.0, edges="Open", voids="Cross", maps=None, threads=0, every=1, memory=None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn start<'py>(
        &self,
        py: Python<'py>,
        heights: Option<&Bound<'py, PyAny>>,
        size: Option<usize>,
        cell_metres: Option<f64>,
        iterations: Option<u32>,
        relief_metres: Option<f32>,
        seed: u32,
        sea_level: f32,
        edges: &str,
        voids: &str,
        maps: Option<&Bound<'py, PyDict>>,
        threads: usize,
        every: u32,
        memory: Option<&str>,
    ) -> PyResult<PyProcessRun> {
        apply_memory(py, memory)?;
        if every == 0 {
            return Err(usage(py, "every: give 1 or more iterations"));
        }
        let ground = NodeGround { heights, size, cell_metres, relief_metres, seed, sea_level, edges, voids, maps };
        let (scene, base, samples) = ground.scene(py, self.with_iterations(py, iterations)?)?;
        super::error::check_problems(py, &scene)?;
        let grid = scene.grid(samples);
        let pool = pool(py, threads)?;
        let terrain = match base {
            Some(base) => Terrain::clone(&*base.resampled_to(grid, &Control::default()).map_err(failed)?),
            None => Terrain::flat(grid),
        };
        let run = started(py, &pool, &scene, terrain)?;
        let end = scene.layers[0].node.as_process().map_or(0, |process| process.iterations());
        Ok(PyProcessRun {
            run,
            scene,
            pool,
            before: MassBalance::default(),
            iteration: 0,
            end,
            every,
            is_stopped: false,
        })
    }
}

/// The context of the node in `scene`, which has only one layer.
fn context<'a>(scene: &'a Scene, control: &'a Control) -> Context<'a> {
    Context {
        grid: scene.grid(scene.samples()),
        size_metres: scene.side_metres(),
        relief_metres: scene.settings.relief_metres,
        sea_level: scene.settings.sea_level / scene.settings.relief_metres,
        planet: None,
        scene_samples: scene.samples(),
        cell_ratio: 1.0,
        voids: scene.settings.voids,
        random: scene.random(&scene.layers[0]),
        control,
    }
}

/// Creates the process of a scene with one layer, before its first iteration.
fn started(py: Python<'_>, pool: &ThreadPool, scene: &Scene, terrain: Terrain) -> PyResult<Box<dyn Run>> {
    let node = &scene.layers[0].node;
    let name = node.about().name;
    let Some(process) = node.as_process() else {
        return Err(usage(py, format_args!("`{name}` is not a process and has no iterations; use `run`")));
    };
    if process.multiscale().largest != LargestScale::OneGrid {
        let text = format!(
            "`{name}` runs from coarse to fine and cannot be stepped on one grid; set largest_scale to OneGrid"
        );
        return Err(usage(py, text));
    }
    let listener = ProgressListener::new(py, None, Vec::new())?;
    let begin = |control: &Control| {
        let process = scene.layers[0].node.as_process()?;
        Some(process.start(&context(scene, control), terrain))
    };
    run_interruptibly(py, pool, &listener, begin)?.ok_or_else(|| failed("the node is not a process"))
}

/// A running process: an iterator that returns itself after every step. `start` of a node creates it.
#[pyclass(name = "Run", module = "talweg._core")]
pub struct PyProcessRun {
    run: Box<dyn Run>,
    scene: Scene,
    pool: ThreadPool,
    /// Mass balance of the iterations before the last change of parameters.
    before: MassBalance,
    iteration: u32,
    end: u32,
    every: u32,
    is_stopped: bool,
}

impl PyProcessRun {
    fn balance(&self) -> MassBalance {
        let mut sum = self.before;
        sum += self.run.mass_balance();
        sum
    }

    fn advance(&mut self, py: Python<'_>, count: u32) -> PyResult<()> {
        let listener = ProgressListener::new(py, None, Vec::new())?;
        let Self { run, scene, pool, iteration, .. } = self;
        let made = run_interruptibly(py, pool, &listener, |control| {
            let cx = context(scene, control);
            for _ in 0..count {
                control.check()?;
                run.step(&cx)?;
                *iteration += 1;
            }
            Ok::<(), Cancelled>(())
        })?;
        made.map_err(failed)
    }
}

#[pymethods]
impl PyProcessRun {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, Self>>> {
        let mut this = slf.try_borrow_mut()?;
        let left = this.end.saturating_sub(this.iteration).min(this.every);
        if this.is_stopped || left == 0 {
            return Ok(None);
        }
        this.advance(slf.py(), left)?;
        Ok(Some(slf.clone()))
    }

    /// Runs `count` iterations, even if the run has reached its last iteration. After Ctrl-C the run stops at the last
    /// complete iteration, and can continue.
    #[pyo3(signature = (count=1))]
    fn step(&mut self, py: Python<'_>, count: u32) -> PyResult<()> {
        self.advance(py, count)
    }

    /// Changes parameters for the following iterations. The parameter `iterations` changes the total number of
    /// iterations.
    #[pyo3(signature = (**values))]
    fn set(&mut self, py: Python<'_>, values: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let Some(values) = values else { return Ok(()) };
        let mut scene = self.scene.clone();
        set_all(py, &mut scene.layers[0].node, values)?;
        let run = started(py, &self.pool, &scene, self.run.terrain().clone())?;
        self.before = self.balance();
        self.end = match values.contains("iterations")? {
            true => scene.layers[0].node.as_process().map_or(self.end, |process| process.iterations()),
            false => self.end,
        };
        (self.run, self.scene) = (run, scene);
        Ok(())
    }

    /// Ends the iterator: `next` returns nothing more. `step` still works.
    fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Number of finished iterations.
    #[getter]
    fn iteration(&self) -> u32 {
        self.iteration
    }

    /// Total number of iterations.
    #[getter]
    fn iterations(&self) -> u32 {
        self.end
    }

    /// A copy of the current heights in metres.
    #[getter]
    fn heights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (terrain, relief) = (self.run.terrain(), self.scene.settings.relief_metres);
        arrays::owned(py, terrain.grid, terrain.height.iter().map(|height| height * relief).collect())
    }

    /// Material moved so far, in cubic metres: see `Terrain.mass_balance`.
    #[getter]
    fn mass_balance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        balance_dict(py, &self.balance(), self.run.terrain().grid, &self.scene)
    }

    /// A copy of the current terrain, which does not change when the run continues.
    #[getter]
    fn terrain(&self) -> PyTerrain {
        let terrain = std::sync::Arc::new(self.run.terrain().clone());
        PyTerrain::new(terrain, self.scene.clone(), false, vec![(0, self.balance())])
    }

    fn __repr__(&self) -> String {
        format!("<talweg.Run of `{}`, iteration {} of {}>", self.scene.name, self.iteration, self.end)
    }
}
