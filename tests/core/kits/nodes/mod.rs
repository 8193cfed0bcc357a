//! Shared helpers of the tests of the node catalogue.

pub mod strokes;
pub mod trees;

use std::sync::{Arc, LazyLock};

use talweg::eval::thread_pool;
use talweg::field::{Cancelled, Control, Edges, Grid, MapKind, Stream, Terrain, Voids};
use talweg::nodes::{Context, Node, NodeKind, ReadTerrain};
use talweg::param::{ParamKind, ParamSpec, ToneCurve, Value};
use talweg::planet::{Planet, World};

/// The settings of the scene in which a node runs.
#[derive(Clone, Copy, Debug)]
pub struct TestScene {
    pub samples: usize,
    pub scene_samples: usize,
    pub edges: Edges,
    pub size_metres: f32,
    pub relief_metres: f32,
    /// Sea level as a fraction of the relief.
    pub sea_level: f32,
    /// The planet on which the node runs, if any.
    pub planet: Option<&'static Planet>,
    pub seed: u32,
    pub voids: Voids,
}

/// A planet without an atmosphere.
pub static BARE: LazyLock<Planet> =
    LazyLock::new(|| Planet { radius_metres: 1_737_000.0, atmosphere: 0.0, ..Planet::default() });
pub static EARTH: LazyLock<Planet> = LazyLock::new(Planet::default);

impl TestScene {
    pub fn new(samples: usize, edges: Edges) -> Self {
        Self {
            samples,
            scene_samples: samples,
            edges,
            size_metres: 8000.0,
            relief_metres: 1800.0,
            sea_level: 0.25,
            planet: None,
            seed: 1,
            voids: Voids::Cross,
        }
    }

    /// A test scene on a whole planet, with `samples` per side of a face.
    pub fn globe(samples: usize, planet: &'static Planet) -> Self {
        let size_metres = planet.side_metres();
        Self { size_metres, relief_metres: 10_000.0, planet: Some(planet), ..Self::new(samples, Edges::Open) }
    }

    pub fn grid(&self) -> Grid {
        match self.planet {
            Some(_) => Grid::globe(self.samples),
            None => Grid::new(self.samples, self.edges),
        }
    }

    pub fn context<'a>(&self, control: &'a Control) -> Context<'a> {
        Context {
            grid: self.grid(),
            size_metres: self.size_metres,
            relief_metres: self.relief_metres,
            sea_level: self.sea_level,
            planet: self.planet,
            scene_samples: self.scene_samples,
            cell_ratio: 1.0,
            voids: self.voids,
            random: Stream::new(self.seed, 7),
            control,
        }
    }

    /// Runs `node` on `input`. A process runs for at most `most` iterations.
    pub fn run(&self, node: &Node, input: &Terrain, most: u32, control: &Control) -> Result<Terrain, Cancelled> {
        let cx = self.context(control);
        let mut terrain = input.clone();
        match node.work() {
            NodeKind::Generator(generator) => generator.generate(&cx, &mut terrain)?,
            NodeKind::Filter(filter) => filter.apply(&cx, &mut terrain)?,
            NodeKind::Reference(reference) => reference.apply(&cx, read(&cx, &read_terrain(input)), &mut terrain)?,
            NodeKind::Process(process) => {
                let mut run = process.start(&cx, terrain);
                for _ in 0..cx.iterations(process.iterations(), process.pace()).min(most) {
                    run.step(&cx)?;
                }
                terrain = run.terrain().clone();
            }
        }
        Ok(terrain)
    }

    /// Like [`run`](Self::run), without cancelling.
    pub fn finish(&self, node: &Node, input: &Terrain, most: u32) -> Terrain {
        self.run(node, input, most, &Control::default()).expect("not cancelled")
    }

    /// Perlin noise, the usual input of a filter or process.
    pub fn noise(&self) -> Terrain {
        self.finish(&Node::named("Perlin").unwrap(), &Terrain::flat(self.grid()), 0)
    }

    /// Named input terrains that every node must accept.
    pub fn inputs(&self) -> Vec<(&'static str, Terrain)> {
        let n = self.samples;
        let mut spike = Terrain::flat(self.grid());
        spike.height[(n / 2) * n + n / 2] = 1.0;
        let mut ramp = Terrain::from_fn(n, self.edges, |u, v| u * 2.0 - v);
        ramp.close_seam();
        vec![("flat", Terrain::flat(self.grid())), ("spike", spike), ("ramp", ramp), ("noise", self.noise())]
    }
}

/// The nodes that run on square terrain; `tests/core/nodes/globe/planet.rs` tests the other nodes.
pub fn on_squares() -> impl Iterator<Item = Node> {
    Node::catalogue().into_iter().filter(|node| node.fits(World::Terrain))
}

/// Runs `work` on `threads` threads.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    thread_pool(threads).unwrap().install(work)
}

/// The terrain that a reference reads in these tests: the heights of `input`, with a flow map.
pub fn read_terrain(input: &Terrain) -> Terrain {
    let mut read = input.clone();
    let heights = input.height.iter().map(|height| height.abs());
    read.map_mut(MapKind::Flow).iter_mut().zip(heights).for_each(|(flow, height)| *flow = height);
    read
}

/// `terrain` as a reference reads it from the same scene.
pub fn read<'a>(cx: &Context, terrain: &'a Terrain) -> ReadTerrain<'a> {
    ReadTerrain { terrain, relief_metres: cx.relief_metres }
}

/// The two ends of a parameter's hard range, or every value of a choice.
pub fn extremes(spec: &ParamSpec) -> Vec<Value> {
    match &spec.kind {
        ParamKind::Float { hard, .. } => vec![Value::Float(hard.0), Value::Float(hard.1)],
        ParamKind::Int { hard, .. } => vec![Value::Int(hard.0), Value::Int(hard.1)],
        ParamKind::Bool => vec![Value::Bool(false), Value::Bool(true)],
        ParamKind::Choice(options) => (0..options.len()).map(Value::Choice).collect(),
        ParamKind::Curve => vec![
            Value::Curve(ToneCurve(vec![(0.0, 1.0), (1.0, 0.0)])),
            Value::Curve(ToneCurve(vec![(0.5, 0.0), (0.500_001, 1.0)])),
        ],
        ParamKind::Numbers { hard } => [vec![], vec![hard.0; 32], vec![hard.1; 5]].map(Value::Numbers).into(),
        // No image, a shipped file, and a missing file.
        ParamKind::Image => ["", "stamp:ridge", "/no/such/file.png"].map(|name| Value::Text(name.into())).into(),
        ParamKind::Scene => ["", "/no/such/scene.ron"].map(|name| Value::Text(name.into())).into(),
        ParamKind::Layer => ["", "No such layer"].map(|name| Value::Text(name.into())).into(),
        ParamKind::Strokes => strokes::extreme().map(|strokes| Value::Structured(Arc::new(strokes))).into(),
        ParamKind::Tree => trees::extreme().into_iter().map(|tree| Value::Structured(Arc::new(tree))).collect(),
    }
}

/// A value between the ends of the slider that differs from the default. Every call returns the same value.
pub fn another(spec: &ParamSpec) -> Value {
    match (&spec.kind, &spec.default) {
        (ParamKind::Float { slider, .. }, Value::Float(v)) => {
            let end = if slider.1 - v > v - slider.0 { slider.1 } else { slider.0 };
            Value::Float(v + (end - v) * 0.375)
        }
        (ParamKind::Int { slider, .. }, Value::Int(v)) => {
            let end = if slider.1 - v > v - slider.0 { slider.1 } else { slider.0 };
            Value::Int(v + (end - v) * 3 / 8)
        }
        (ParamKind::Choice(options), _) => Value::Choice(options.len() - 1),
        (ParamKind::Bool, Value::Bool(v)) => Value::Bool(!v),
        (ParamKind::Image, _) => Value::Text("stamp:volcano".into()),
        (ParamKind::Scene, _) => Value::Text("/another/scene.ron".into()),
        (ParamKind::Layer, _) => Value::Text("Another".into()),
        (ParamKind::Numbers { hard }, _) => {
            Value::Numbers([0.5, 0.7].map(|t| hard.0 + t * (hard.1 - hard.0).min(3000.0)).into())
        }
        (ParamKind::Strokes, _) => Value::Structured(Arc::new(strokes::plain())),
        (ParamKind::Tree, _) => Value::Structured(talweg::construction::presets::moon()),
        _ => Value::Curve(ToneCurve(vec![(0.0, 0.1), (0.3, 0.2), (0.7, 0.9), (1.0, 1.0)])),
    }
}

/// `node` with every parameter set to [`another`] value.
pub fn altered(mut node: Node) -> Node {
    for (k, spec) in node.about().params.iter().enumerate() {
        node.params_mut().set(k, &another(spec)).unwrap();
    }
    node
}

/// Sets the parameter `name` of a node to a value given as text.
pub fn set(node: &mut Node, name: &str, text: &str) {
    let index = node.about().find(name).unwrap_or_else(|| panic!("no parameter {name}"));
    let value = node.about().params[index].parse(text).unwrap();
    node.params_mut().set(index, &value).unwrap();
}

/// The node called `name` with parameters given as text.
pub fn node(name: &str, params: &[(&str, &str)]) -> Node {
    let mut node = Node::named(name).unwrap();
    for (param, text) in params {
        set(&mut node, param, text);
    }
    node
}
