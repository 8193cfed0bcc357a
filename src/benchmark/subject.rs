//! Benchmark subjects: a node of the catalogue with its parameters, or any other code that creates a terrain.

use super::instruments::Stopwatch;
use crate::field::{Cancelled, Control, Edges, Grid, Stream, Terrain};
use crate::nodes::generators::perlin::Perlin;
use crate::nodes::generators::stamp::StampProfile;
use crate::nodes::{Context, Node, NodeKind, ReadTerrain};
use crate::param::{ParamError, ParamKind, Value};
use crate::planet::{Planet, World};
use crate::scene::{Scene, Settings, example};

/// The input of a run: a square or a planet with default settings, at one size.
pub struct Site {
    /// A square, or the six faces of a planet.
    pub grid: Grid,
    /// Settings of the scene.
    pub settings: Settings,
    planet: Option<Planet>,
    /// Input of filters and processes: Perlin noise with its default parameters; continents on a planet.
    pub input: Terrain,
}

impl Site {
    /// Creates a square with `samples` per side and the given edges, or a planet with `samples` per side of a face.
    pub fn new(samples: usize, world: World, edges: Edges, control: &Control) -> Result<Self, Cancelled> {
        let (scene, grid, input) = match world {
            World::Terrain => (Scene::default(), Grid::new(samples, edges), "Perlin"),
            World::Planet => (Scene::new_planet(), Grid::globe(samples), "Continents"),
        };
        let settings = Settings { resolution: samples as u32, edges, ..scene.settings.clone() };
        let mut site = Self { grid, settings, planet: scene.as_planet().cloned(), input: Terrain::flat(grid) };
        if let Some(NodeKind::Generator(noise)) = Node::named(input).as_ref().map(Node::work) {
            let mut input = Terrain::flat(grid);
            noise.generate(&site.context(control), &mut input)?;
            site.input = input;
        }
        Ok(site)
    }

    /// The context for a node that runs on this site.
    pub fn context<'a>(&'a self, control: &'a Control) -> Context<'a> {
        Context {
            grid: self.grid,
            size_metres: self.planet.as_ref().map_or(self.settings.size_metres, Planet::side_metres),
            relief_metres: self.settings.relief_metres,
            sea_level: self.settings.sea_level / self.settings.relief_metres,
            planet: self.planet.as_ref(),
            scene_samples: self.grid.samples,
            cell_ratio: 1.0,
            voids: Default::default(),
            random: Stream::new(self.settings.seed, 1),
            control,
        }
    }
}

/// Code that creates a terrain and can be timed.
pub trait BenchSubject: Send + Sync {
    /// Name of the subject, as on the command line.
    fn name(&self) -> String;
    /// Name of the timed unit: `field`, `pass` or `iteration`.
    fn timed(&self) -> &'static str;
    /// The world on which the subject runs: a terrain or a planet.
    fn world(&self) -> World {
        World::Terrain
    }
    /// Whether the subject changes the site's input instead of creating a new terrain.
    fn works_on_input(&self) -> bool {
        false
    }
    /// Creates the terrain, which depends only on the site; `watch` times the measured part.
    fn run(&self, site: &Site, watch: &mut Stopwatch, control: &Control) -> Result<Terrain, Cancelled>;
    /// Copies of the subject: in each, one parameter is at one end of its hard range.
    fn corners(&self) -> Vec<ExtremeCase> {
        Vec::new()
    }
}

/// A subject with one parameter at an end of its hard range.
pub struct ExtremeCase {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// The value, formatted as users type it.
    pub value: String,
    /// The subject with this value.
    pub subject: Box<dyn BenchSubject>,
}

/// A node of the catalogue: a generator's field, a filter's pass or a process's first iteration.
pub struct NodeSubject {
    name: String,
    node: Node,
}

impl NodeSubject {
    /// A subject for the node with its current parameters.
    pub fn new(node: Node) -> Self {
        Self { name: node.about().name.into(), node }
    }

    /// A subject named `name` in the results.
    pub fn called(name: impl Into<String>, node: Node) -> Self {
        Self { name: name.into(), node }
    }

    /// The node that is timed.
    pub fn node(&self) -> &Node {
        &self.node
    }
}

impl BenchSubject for NodeSubject {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn timed(&self) -> &'static str {
        match self.node.work() {
            NodeKind::Generator(_) => "field",
            NodeKind::Filter(_) | NodeKind::Reference(_) => "pass",
            NodeKind::Process(_) => "iteration",
        }
    }

    /// A terrain if the node can run on a terrain, otherwise a planet.
    fn world(&self) -> World {
        if self.node.fits(World::Terrain) { World::Terrain } else { World::Planet }
    }

    fn works_on_input(&self) -> bool {
        !self.node.makes_heights()
    }

    fn run(&self, site: &Site, watch: &mut Stopwatch, control: &Control) -> Result<Terrain, Cancelled> {
        let cx = site.context(control);
        match self.node.work() {
            NodeKind::Generator(generator) => {
                let mut made = Terrain::flat(site.grid);
                watch.time(|| generator.generate(&cx, &mut made))?;
                Ok(made)
            }
            NodeKind::Filter(filter) => {
                let mut made = site.input.clone();
                watch.time(|| filter.apply(&cx, &mut made))?;
                Ok(made)
            }
            NodeKind::Reference(reference) => {
                // It reads the input of the site, as if another layer had made it.
                let mut made = Terrain::flat(site.grid);
                let read = ReadTerrain { terrain: &site.input, relief_metres: cx.relief_metres };
                watch.time(|| reference.apply(&cx, read, &mut made))?;
                Ok(made)
            }
            NodeKind::Process(process) => {
                let mut run = process.start(&cx, site.input.clone());
                watch.time(|| run.step(&cx))?;
                Ok(run.terrain().clone())
            }
        }
    }

    fn corners(&self) -> Vec<ExtremeCase> {
        let mut corners = Vec::new();
        for (index, spec) in self.node.about().params.iter().enumerate() {
            let ends = match spec.kind {
                ParamKind::Float { hard, .. } => [Value::Float(hard.0), Value::Float(hard.1)],
                // The parameter `iterations` is skipped, because only one iteration is timed.
                ParamKind::Int { hard, .. } if spec.name != "iterations" => [Value::Int(hard.0), Value::Int(hard.1)],
                _ => continue,
            };
            for value in ends {
                let mut node = self.node.clone();
                if node.params_mut().set(index, &value).is_ok() {
                    let subject = Box::new(Self::called(self.name.clone(), node));
                    corners.push(ExtremeCase { parameter: spec.name, value: spec.show(&value), subject });
                }
            }
        }
        corners
    }
}

/// Reason why the name of a subject was rejected.
#[derive(Debug, thiserror::Error)]
pub enum SubjectError {
    /// The catalogue has no node with this name.
    #[error(
        "there is no node `{0}`; give a name from `talweg nodes`, or one of generators, filters, processes, all, \
         document-001, document-002{near}",
        near = nearest(.0)
    )]
    NoNode(String),
    /// The node has no parameter with this name.
    #[error("`{node}` has no parameter `{parameter}`; it has {known}")]
    NoParameter {
        /// The name of the node.
        node: &'static str,
        /// The name of the parameter.
        parameter: String,
        /// Names of the parameters that the node has.
        known: String,
    },
    /// The text does not have the expected form.
    #[error("`{0}` is not of the form NODE or NODE:PARAM=VALUE,PARAM=VALUE")]
    Form(String),
    /// The value does not fit the parameter.
    #[error("{node}: {error}")]
    Value {
        /// The name of the node.
        node: &'static str,
        /// The reason why the value does not fit.
        error: ParamError,
    },
}

/// A sentence for the error message. It suggests the nodes whose name, label or synonyms contain the typed text, and is
/// empty if there are none.
fn nearest(typed: &str) -> String {
    let typed = typed.to_lowercase();
    let like: Vec<&str> = Node::catalogue()
        .iter()
        .map(Node::about)
        .filter(|about| {
            let words = format!("{} {} {}", about.name, about.label, about.synonyms).to_lowercase();
            typed.len() > 2 && words.contains(&typed)
        })
        .map(|about| about.name)
        .collect();
    if like.is_empty() { String::new() } else { format!(". Perhaps {}", like.join(", ")) }
}

/// The nodes that run on square terrains. Groups of nodes are selected from this list.
fn on_squares() -> impl Iterator<Item = Node> {
    Node::catalogue().into_iter().filter(|node| node.fits(World::Terrain))
}

/// Parses the user's text: a node's name or label, a group of nodes, or NODE:PARAM=VALUE,PARAM=VALUE.
pub fn subjects(text: &str) -> Result<Vec<NodeSubject>, SubjectError> {
    let shape = |wanted: fn(&NodeKind) -> bool| {
        Ok(on_squares().filter(|node| wanted(&node.work())).map(NodeSubject::new).collect())
    };
    match text {
        "all" => return shape(|_| true),
        "generators" => return shape(|work| matches!(work, NodeKind::Generator(_))),
        "filters" => return shape(|work| matches!(work, NodeKind::Filter(_))),
        "processes" => return shape(|work| matches!(work, NodeKind::Process(_))),
        "document-001" => return Ok(document_001()),
        "document-002" => return Ok(document_002()),
        _ => {}
    }
    let (name, changes) = text.split_once(':').map_or((text, None), |(name, changes)| (name, Some(changes)));
    let is_called = |node: &Node| {
        let about = node.about();
        about.name.eq_ignore_ascii_case(name) || about.label.eq_ignore_ascii_case(name)
    };
    let node = Node::catalogue().into_iter().find(is_called);
    let mut node = node.ok_or_else(|| SubjectError::NoNode(name.into()))?;
    let about = node.about();
    let Some(changes) = changes else { return Ok(vec![NodeSubject::new(node)]) };
    for change in changes.split(',') {
        let (parameter, value) = change.split_once('=').ok_or_else(|| SubjectError::Form(text.into()))?;
        let index = about.find(parameter.trim()).ok_or_else(|| SubjectError::NoParameter {
            node: about.name,
            parameter: parameter.into(),
            known: about.params.iter().map(|p| p.name).collect::<Vec<_>>().join(", "),
        })?;
        let bad = |error| SubjectError::Value { node: about.name, error };
        let value = about.params[index].parse(value).map_err(bad)?;
        node.params_mut().set(index, &value).map_err(bad)?;
    }
    Ok(vec![NodeSubject::called(format!("{}:{changes}", about.name), node)])
}

/// Number of levels of midpoint displacement on 1025 samples; each level is half as wide as the previous level.
const LEVELS: u32 = 10;

/// The two approaches compared in the lecture on terrain in games, at the same level of detail, as the lecture
/// requires. Perlin noise has one octave for every level of the midpoint displacement. The first octave has one wave
/// per side; each further octave is half as wide and half as high.
pub fn document_001() -> Vec<NodeSubject> {
    ["paper-001-perlin-noise", "paper-001-midpoint-displacement"]
        .into_iter()
        .filter_map(|name| first_layer(&example(name)?.scene))
        .map(|subject| match subject.node() {
            Node::Perlin(noise) => {
                let name = format!("{}, {LEVELS} octaves", subject.name());
                let noise =
                    Perlin { frequency: 1.0, octaves: LEVELS, lacunarity: 2.0, persistence: 0.5, ..noise.clone() };
                NodeSubject::called(name, Node::Perlin(noise))
            }
            _ => subject,
        })
        .collect()
}

/// The subjects compared in the article on stamp noise. Perlin noise has the same number of octaves as in
/// [`document_001`]. Stamp noise has cones down to a size of two samples, as in the article. Stamp noise of bells is
/// measured as well.
///
/// For a map of 2ⁿ samples per side, the article's cost is C(n) = 2ⁿ + π·(n + 1)·4ⁿ/4. Between 257² and 2049² samples,
/// this cost grows with the exponent 2.14, for comparison with the fitted exponent of the time.
pub fn document_002() -> Vec<NodeSubject> {
    let noise = document_001().into_iter().filter(|subject| matches!(subject.node(), Node::Perlin(_)));
    let stamps = ["paper-002-stamp-noise-1", "paper-002-bell"].into_iter().filter_map(|name| {
        let Node::Stamp(stamp) = first_layer(&example(name)?.scene)?.node else { return None };
        let form = if stamp.profile == StampProfile::Bell { "bells" } else { "cones" };
        Some(NodeSubject::called(format!("Stamp noise, {form}"), Node::Stamp(stamp)))
    });
    noise.chain(stamps).collect()
}

fn first_layer(scene: &Scene) -> Option<NodeSubject> {
    scene.layers.first().map(|layer| NodeSubject::called(layer.name.clone(), layer.node.clone()))
}
