//! The catalogue: every node that a layer of the stack can hold.
//!
//! A node is a struct of parameters (made by [`params!`](talweg_ground::params)) that implements one of [`Generator`],
//! [`Filter`] and [`Process`]. Only the [`Reference`] is a kind of its own: it needs the terrain of another layer. To
//! add a node, write its file and add one line to the list at the end of this file. The node's file holds the
//! parameters, the law with its source in the docs, a pure function, the `impl` and the tests. The list has the order
//! of the Add menu, of the help and of `talweg nodes`. The tests in `tests/core/nodes/contract/` check every node of
//! the list.

#![warn(missing_docs)]

pub mod channels;
pub mod context;
pub mod erosion;
pub mod filters;
pub mod generators;
pub mod help;
pub mod maps;
mod mass_balance;
pub mod multiscale;
pub mod parts;
pub mod planet;
pub mod planet_detail;
pub mod references;
pub mod sculpt;
pub mod steps;
mod text;
pub mod voids;
pub mod water;

pub use context::{Context, Pace};
pub use mass_balance::MassBalance;
pub use multiscale::{FinerGrids, MultiScale};
pub use parts::{
    DrainedFilter, NodeAreas, NodeDrainage, NodeParts, NodeSmoothing, RangedFilter, SmoothedFilter, StencilRadius,
    WindowDrainage,
};
pub use references::{LayerReference, ReadTerrain, Reads};
pub use steps::{GeneratorStep, SteppedGenerator};
pub use voids::VoidBorder;

use generators::reference::Reference;
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::io::formats::ReadOptions;
use talweg_ground::param::{About, Params, Preset};
use talweg_ground::planet::World;

/// Properties of a node, declared in this one place. A node overrides the constant of its kind ([`Traits::GENERATOR`],
/// [`Traits::FILTER`], [`Traits::PROCESS`]) where its properties differ from that constant. The values may depend on
/// the node's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// Version of the node's algorithm: raised when the same parameters give a different result.
    pub version: u32,
    /// The data maps that the node writes.
    pub writes: &'static [MapKind],
    /// Whether the node runs on a square terrain.
    pub runs_on_square: bool,
    /// The properties that hold on planets only; `None` if the node does not run there.
    pub on_planet: Option<OnPlanet>,
    /// Whether the result depends on the layer's seed.
    pub is_random: bool,
    /// Whether the result depends on the scene's sea level. If not, a change of the sea level re-evaluates nothing.
    pub reads_sea_level: bool,
    /// Whether a preview is exactly a subsample of the result. If false, a preview only approximates the result: for
    /// example, where a height depends on other heights.
    pub previews_exactly: bool,
    /// Working memory of the node.
    pub memory: NodeMemory,
    /// How a process continues from one grid to the next.
    pub finer_grids: FinerGrids,
    /// Defaults that parameters had in earlier versions, the oldest first.
    pub old_defaults: &'static [OldDefault],
}

/// Properties of a node that hold on planets only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnPlanet {
    /// Number added to [`Traits::version`]: raised when the result changes on planets only.
    pub version: u32,
    /// Whether the result depends on the sea level on planets only.
    pub reads_sea_level: bool,
    /// Working memory on planets in addition to [`NodeMemory::fields`], in the same unit.
    pub more_fields: f32,
    /// Height in metres above which land stays land when the terrain is resampled to the next grid. A sample whose
    /// input terrain is above this height stays above it. Without this rule, a process that ignores terrain at the sea
    /// would find no land there.
    pub keep_land_above: Option<f32>,
}

impl OnPlanet {
    /// The node behaves on planets as on squares.
    pub const DEFAULT: Self = Self { version: 0, reads_sea_level: false, more_fields: 0.0, keep_land_above: None };
}

/// Working memory of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeMemory {
    /// Peak memory per sample, in 4-byte numbers, beyond the input terrain and the heights and maps that the node
    /// produces. For a process, the peak includes the whole state. `tests/memory.rs` measures it.
    pub fields: f32,
    /// Memory in addition to [`fields`](Self::fields), in the same unit, while the states of a process are kept: a step
    /// must then leave the previous state intact.
    pub extra_when_kept: f32,
    /// Reduction of [`fields`](Self::fields) if [no layer reads the records](Run::drop_records), in addition to the
    /// memory of the records themselves. `None` if the node computes its records anyway.
    pub saved_without_records: Option<f32>,
    /// Number of fields besides heights and data maps in the [state](Run::into_resumable_state) of a running process.
    pub state_fields: usize,
    /// Working memory in bytes that does not depend on the number of samples; 0 if there are only a few such bytes.
    /// About a fifth of this memory belongs to the state of a process.
    pub fixed_bytes: u64,
}

impl NodeMemory {
    /// Working memory of `fields` numbers per sample, whatever the world and the options.
    pub const fn constant(fields: f32) -> Self {
        Self { fields, extra_when_kept: 0.0, saved_without_records: None, state_fields: 0, fixed_bytes: 0 }
    }
}

/// A former default of a parameter. Files omit parameters that have their default value. In a file of an earlier
/// version, a missing parameter therefore has this value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldDefault {
    /// The last version with this default. The next version differs only in defaults: its algorithm gives the same
    /// result.
    pub until: u32,
    /// Name of the parameter in files.
    pub parameter: &'static str,
    /// The former value, as text that a user could type.
    pub old_value: &'static str,
}

impl Traits {
    /// Traits of a pure function of position and seed that runs on squares.
    pub const GENERATOR: Self = Self { is_random: true, memory: NodeMemory::constant(0.1), ..Self::FILTER };
    /// Traits of a filter on squares that maps each height independently of all others.
    pub const FILTER: Self = Self {
        version: 1,
        writes: &[],
        runs_on_square: true,
        on_planet: None,
        is_random: false,
        reads_sea_level: false,
        previews_exactly: true,
        memory: NodeMemory::constant(0.0),
        finer_grids: FinerGrids::DEFAULT,
        old_defaults: &[],
    };
    /// Traits of a process on squares that reads neighbouring samples.
    pub const PROCESS: Self = Self { previews_exactly: false, memory: NodeMemory::constant(3.0), ..Self::FILTER };

    /// The properties of the node in `world` that differ from its properties on squares.
    fn planet_traits(&self, world: World) -> OnPlanet {
        self.on_planet.filter(|_| world == World::Planet).unwrap_or(OnPlanet::DEFAULT)
    }

    /// Working memory per sample in `world`; see [`NodeMemory::fields`].
    pub fn working_fields_in(&self, world: World) -> f32 {
        self.memory.fields + self.planet_traits(world).more_fields
    }

    /// Whether the result depends on the sea level in a scene of `world`.
    pub fn reads_sea_level_in(&self, world: World) -> bool {
        self.reads_sea_level || self.planet_traits(world).reads_sea_level
    }

    /// Whether the versions `then` and `now` have the same algorithm: all versions between them changed only defaults.
    pub fn has_law_of(&self, then: u32, now: u32) -> bool {
        let changed_defaults = |version: u32| self.old_defaults.iter().any(|old| old.until + 1 == version);
        then <= now && (then + 1..=now).all(changed_defaults)
    }

    /// The version that a scene of `world` stores. A mismatch means that the result may differ from the saved one.
    pub fn version_in(&self, world: World) -> u32 {
        self.version + self.planet_traits(world).version
    }
}

/// Computes a terrain without input; the layer's blend mode combines it with the terrain below.
pub trait Generator: Params {
    /// The traits of the node.
    fn traits(&self) -> Traits {
        Traits::GENERATOR
    }
    /// Returns how tiled builds compute the node, on square terrains with open edges.
    fn parts(&self) -> NodeParts<'_> {
        NodeParts::Points
    }
    /// Writes every sample of `out` (grid `cx.grid`), with heights of about [0, 1].
    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled>;
    /// Writes every height of `made`, and the data maps that the node makes. `made` is a separate terrain, not the
    /// input. The layer's blend mode combines both its heights and its maps with those of the layers below.
    fn generate(&self, cx: &Context, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill(cx, &mut made.height)
    }
    /// The generator as a generator that can be played step by step; `None` if it cannot.
    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        None
    }
    /// Files that the node reads, other than those named by its parameters.
    fn file_dependencies(&self) -> Vec<String> {
        Vec::new()
    }
    /// The reason why the node's files cannot be used together, although each file is readable.
    fn files_error(&self) -> Option<String> {
        None
    }
    /// The settings for reading the node's files.
    fn read_options(&self) -> ReadOptions {
        ReadOptions::default()
    }
    /// A note for the user about the node's files in a scene of side length `size_metres`. The files are valid.
    fn files_note(&self, _size_metres: f32) -> Option<String> {
        None
    }
}

/// A node that changes the terrain in a single pass.
pub trait Filter: Params {
    /// The traits of the node.
    fn traits(&self) -> Traits {
        Traits::FILTER
    }
    /// Returns how tiled builds compute the node, on square terrains with open edges.
    fn parts(&self) -> NodeParts<'_> {
        NodeParts::Points
    }
    /// Changes the heights and data maps of `terrain`. After an error the caller drops the terrain.
    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled>;
}

/// A node that is an iterative simulation, which the user can watch.
pub trait Process: Params {
    /// The traits of the node.
    fn traits(&self) -> Traits {
        Traits::PROCESS
    }
    /// Returns how tiled builds compute the node, on square terrains with open edges.
    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("the node does not declare how to compute it in parts")
    }
    /// Total number of iterations, counted at the scene's own resolution.
    fn iterations(&self) -> u32;
    /// How the number of iterations scales with the grid. Only used if the process runs on a single grid.
    fn pace(&self) -> Pace {
        Pace::Diffusion
    }
    /// A note for the user if the process runs away with these parameters: its result is far from any terrain.
    fn runaway_note(&self) -> Option<String> {
        None
    }
    /// The grids that the process runs on, from coarse to fine. [`iterations`](Self::iterations) is then the number on
    /// the coarsest grid.
    fn multiscale(&self) -> MultiScale {
        MultiScale::ONE_GRID
    }
    /// Behaviour at voids if the land ends there.
    fn void_border(&self) -> VoidBorder {
        VoidBorder::Wall
    }
    /// Starts the process on `terrain`. If an earlier run wrote that terrain with
    /// [`into_resumable_state`](Run::into_resumable_state), the process resumes from there. Callers use
    /// [`start`](Self::start), which prepares the voids of the terrain.
    fn start_run(&self, cx: &Context, terrain: Terrain) -> Box<dyn Run>;
    /// Starts the process on `terrain`, as [`start_run`](Self::start_run) does. If the land ends at voids, the voids
    /// keep their values.
    fn start(&self, cx: &Context, terrain: Terrain) -> Box<dyn Run> {
        voids::started(cx, terrain, self.void_border(), &|terrain| self.start_run(cx, terrain))
    }
}

/// A running process. It owns its whole state, so a snapshot replays to the same result bit by bit.
pub trait Run: Send + Sync {
    /// Runs one iteration. After an error the state is as it was before the call.
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled>;
    /// Like [`step`](Self::step), in less memory if possible. After an error the caller must drop the run.
    fn step_in_place(&mut self, cx: &Context) -> Result<(), Cancelled> {
        self.step(cx)
    }
    /// Declares that no layer reads these [records](MapKind::EROSION_RECORDS) or the mass balance. If the heights do
    /// not depend on the records, the run drops them from its terrain, and the mass balance may be meaningless.
    fn drop_records(&mut self, _records: &[MapKind]) {}
    /// Moves the run by this many iterations, forwards or backwards, without computing them. The terrain is stale until
    /// the next [`step`](Self::step). Returns false and does nothing if each state of the process depends on the
    /// previous state.
    fn jump(&mut self, _iterations: u32) -> bool {
        false
    }
    /// The terrain after the last complete iteration.
    fn terrain(&self) -> &Terrain;
    /// The mass balance from the start of the run to the last complete iteration.
    fn mass_balance(&self) -> MassBalance;
    /// A copy of the run; the same iterations on it give the same result bit by bit.
    fn snapshot(&self) -> Box<dyn Run>;
    /// Memory of a snapshot in bytes, without the memory that all snapshots of a run share.
    fn bytes(&self) -> usize {
        self.terrain().bytes()
    }
    /// The terrain after the last complete iteration. If the terrain has to be copied, all other memory of the run is
    /// freed first.
    fn into_terrain(self: Box<Self>) -> Terrain;
    /// The complete state of the run, as fields of a terrain. Another run of the process can resume from this terrain
    /// with the same result, if the [iterations](NodeParts::Iterations) of the process can be resumed. State beyond
    /// heights and data maps is stored in [`Terrain::process_state`].
    fn into_resumable_state(self: Box<Self>) -> Terrain;
}

/// The algorithm of a node, by its kind.
pub enum NodeKind<'a> {
    /// A node that computes a terrain without input.
    Generator(&'a dyn Generator),
    /// A node that changes the terrain in a single pass.
    Filter(&'a dyn Filter),
    /// A node that changes the terrain in iterations.
    Process(&'a dyn Process),
    /// A node that reads the terrain of another layer, which its caller must provide.
    Reference(&'a Reference),
}

impl NodeKind<'_> {
    /// The kind of the node as a word, for help and tables.
    pub fn shape(&self) -> &'static str {
        match self {
            Self::Generator(_) => "generator",
            Self::Filter(_) => "filter",
            Self::Process(_) => "process",
            Self::Reference(_) => "reference",
        }
    }
}

macro_rules! catalogue {
    ($( $module:ident :: $file:ident :: $name:ident : $shape:ident ),+ $(,)?) => {
        /// A node of the stack with its parameters.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Node {
            $(
                #[doc = concat!("See [`", stringify!($module), "::", stringify!($file), "`].")]
                $name($module::$file::$name)
            ),+
        }

        impl Node {
            const NAMES: &'static [&'static str] = &[ $( stringify!($name) ),+ ];

            /// One node of each type, with default parameters, in the order of the Add menu.
            pub fn catalogue() -> Vec<Self> {
                vec![ $( Self::$name(Default::default()) ),+ ]
            }
            /// The parameters of the node, whatever its type.
            pub fn params(&self) -> &dyn Params {
                match self { $( Self::$name(node) => node ),+ }
            }
            /// The parameters of the node, to be changed, whatever the node's type.
            pub fn params_mut(&mut self) -> &mut dyn Params {
                match self { $( Self::$name(node) => node ),+ }
            }
            /// The algorithm of the node, by its kind.
            pub fn work(&self) -> NodeKind<'_> {
                match self { $( Self::$name(node) => NodeKind::$shape(node) ),+ }
            }
        }
    };
}

impl Node {
    /// The description of the node.
    pub fn about(&self) -> &'static About {
        self.params().about()
    }

    /// The node called `name` in files, with default parameters.
    pub fn named(name: &str) -> Option<Self> {
        Self::catalogue().into_iter().find(|node| node.about().name == name)
    }

    /// The traits of the node with its current parameters.
    pub fn traits(&self) -> Traits {
        match self.work() {
            NodeKind::Generator(node) => node.traits(),
            NodeKind::Filter(node) => node.traits(),
            NodeKind::Process(node) => node.traits(),
            NodeKind::Reference(node) => node.traits(),
        }
    }

    /// Returns how tiled builds compute the node, on square terrains with open edges.
    pub fn parts(&self) -> NodeParts<'_> {
        match self.work() {
            NodeKind::Generator(node) => node.parts(),
            NodeKind::Filter(node) => node.parts(),
            NodeKind::Process(node) => node.parts(),
            NodeKind::Reference(node) => node.parts(),
        }
    }

    /// Whether the node runs in `world`. If not, its layer is skipped.
    pub fn fits(&self, world: World) -> bool {
        match world {
            World::Planet => self.traits().on_planet.is_some(),
            World::Terrain => self.traits().runs_on_square,
        }
    }

    /// Files that the node reads, other than those named by its parameters.
    pub fn file_dependencies(&self) -> Vec<String> {
        match self.work() {
            NodeKind::Generator(node) => node.file_dependencies(),
            _ => Vec::new(),
        }
    }

    /// The reason why the node's files cannot be used together, although each file is readable.
    pub fn files_error(&self) -> Option<String> {
        match self.work() {
            NodeKind::Generator(node) => node.files_error(),
            _ => None,
        }
    }

    /// The settings for reading the node's files.
    pub fn read_options(&self) -> ReadOptions {
        match self.work() {
            NodeKind::Generator(node) => node.read_options(),
            _ => ReadOptions::default(),
        }
    }

    /// A note for the user about the node's files in a scene of side length `size_metres`. The files are valid.
    pub fn files_note(&self, size_metres: f32) -> Option<String> {
        match self.work() {
            NodeKind::Generator(node) => node.files_note(size_metres),
            _ => None,
        }
    }

    /// A note for the user if the node is a process that runs away with its parameters.
    pub fn runaway_note(&self) -> Option<String> {
        self.as_process().and_then(Process::runaway_note)
    }

    /// Applies `preset`. Parameters that the preset does not name return to their defaults.
    pub fn adopt(&mut self, preset: &Preset) {
        let about = self.about();
        for (index, spec) in about.params.iter().enumerate() {
            let named = preset.values.iter().find(|(name, _)| *name == spec.name);
            // cannot fail: the values come from the node's own description
            let _ = self.params_mut().set(index, named.map_or(&spec.default, |(_, value)| value));
        }
    }

    /// The preset that matches the current parameters.
    pub fn matching_preset(&self) -> Option<&'static Preset> {
        self.about().presets.iter().find(|preset| {
            let mut adopted = self.clone();
            adopted.adopt(preset);
            adopted == *self
        })
    }

    /// The node as a generator that can be played step by step, or `None` if it cannot.
    pub fn as_stepped(&self) -> Option<&dyn SteppedGenerator> {
        match self.work() {
            NodeKind::Generator(generator) => generator.stepped(),
            _ => None,
        }
    }

    /// Whether the node makes heights of its own, which the blend mode of its layer combines with the terrain below.
    pub fn makes_heights(&self) -> bool {
        match self.work() {
            NodeKind::Generator(_) => true,
            NodeKind::Reference(node) => node.makes_heights(),
            NodeKind::Filter(_) | NodeKind::Process(_) => false,
        }
    }

    /// The value of another layer that the node reads, or `None` if the node reads no other layer.
    pub fn reference(&self) -> Option<LayerReference<'_>> {
        match self {
            Self::Reference(node) => Some(node.reference()),
            _ => None,
        }
    }

    /// The node as a process, or `None` if it is of another kind.
    pub fn as_process(&self) -> Option<&dyn Process> {
        match self.work() {
            NodeKind::Process(process) => Some(process),
            _ => None,
        }
    }
}

catalogue! {
    generators::perlin::Perlin: Generator,
    generators::ridged::Ridged: Generator,
    generators::billow::Billow: Generator,
    generators::hybrid::Hybrid: Generator,
    generators::simplex::Simplex: Generator,
    generators::value_noise::ValueNoise: Generator,
    generators::spectral::Spectral: Generator,
    generators::noise_library::NoiseLibrary: Generator,
    generators::diamond_square::DiamondSquare: Generator,
    generators::triangular::Triangular: Generator,
    generators::midpoint_line::MidpointLine: Generator,
    generators::squig_river::SquigRiver: Generator,
    generators::stamp::Stamp: Generator,
    generators::fault::Fault: Generator,
    generators::circles::Circles: Generator,
    generators::voronoi::Voronoi: Generator,
    generators::voronoi_midpoint::VoronoiMidpoint: Generator,
    generators::cellular::Cellular: Generator,
    generators::shape::Shape: Generator,
    generators::construction::Construction: Generator,
    generators::import::Import: Generator,
    generators::reference::Reference: Reference,
    sculpt::ground::Sculpt: Filter,
    planet::continents::Continents: Generator,
    planet::plates::Plates: Process,
    planet::import::PlanetImport: Generator,
    planet::craters::Craters: Filter,
    planet::river_walk::RiverWalk: Filter,
    planet::rivers::PlanetRivers: Filter,
    planet::patch::Patch: Filter,
    filters::levels::Levels: Filter,
    filters::terrace::Terrace: Filter,
    filters::blur::Blur: Filter,
    filters::sharpen::Sharpen: Filter,
    filters::normalise::Normalise: Filter,
    filters::clamp::Clamp: Filter,
    filters::invert::Invert: Filter,
    filters::median::Median: Filter,
    filters::expander::Expander: Filter,
    filters::ridges::Ridges: Filter,
    filters::spectral_retouch::SpectralRetouch: Filter,
    filters::perturbation::Perturbation: Filter,
    filters::warp::Warp: Filter,
    filters::transform::Transform: Filter,
    filters::island::Island: Filter,
    filters::seamless::Seamless: Filter,
    erosion::gullies::Gullies: Filter,
    erosion::droplets::Droplets: Process,
    erosion::shallow_water::ShallowWater: Process,
    erosion::stream_power::StreamPower: Process,
    erosion::analytic_stream_power::AnalyticStreamPower: Process,
    erosion::thermal::Thermal: Process,
    erosion::creep::Creep: Process,
    erosion::coastal::Coastal: Process,
    erosion::dunes::Dunes: Process,
    erosion::glacial::Glacial: Process,
    erosion::snow::Snow: Process,
    erosion::hydraulic::Hydraulic: Process,
    erosion::hydraulic_fast::HydraulicFast: Process,
    erosion::thermal_fast::ThermalFast: Process,
    erosion::olsen::Olsen: Process,
    water::fill::FillDepressions: Filter,
    water::flow::FlowAccumulation: Filter,
    water::lakes::Lakes: Filter,
    water::rivers::Rivers: Filter,
    maps::hardness::Hardness: Filter,
    maps::rain::Rain: Filter,
    maps::uplift::UpliftMap: Filter,
    maps::painted::PaintedMap: Filter,
    maps::file::MapFile: Filter,
    filters::group::LayerGroup: Filter,
}
