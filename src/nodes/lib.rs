//! The catalogue: everything that can stand in a stack.
//!
//! A node is a struct of parameters (made by [`params!`](talweg_ground::params)) and one way to run: [`Generator`],
//! [`Filter`] or [`Process`]. To add one: write its file (parameters, law with its source in the docs, pure function,
//! `impl`, tests) and add one word to the list at the end of this file. The order of that list is the order of the Add
//! menu, of the help and of `talweg nodes`; `tests/core/contract.rs` walks it.

#![warn(missing_docs)]

pub mod channels;
pub mod context;
pub mod erosion;
pub mod filters;
pub mod generators;
pub mod help;
pub mod maps;
pub mod multiscale;
pub mod parts;
pub mod planet;
pub mod planet_detail;
pub mod sculpt;
mod text;
pub mod water;

pub use context::{Context, Pace};
pub use multiscale::MultiScale;
use multiscale::StreamBeds;
pub use parts::{DrainedGround, NodeAreas, NodeDrainage, NodeParts, NodeReach, NodeSmoothing};

use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::io::formats::RawLayout;
use talweg_ground::param::{About, Params, Preset};
use talweg_ground::planet::World;

/// What a node is besides its work: the one place where it says so. A node names what differs from the constant of its
/// shape ([`Traits::GENERATOR`], [`Traits::FILTER`], [`Traits::PROCESS`]); it may depend on the node's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// Grows when the same parameters give other bits than before.
    pub version: u32,
    /// Grows when they give other bits on planets alone, and none on squares.
    pub planet_version: u32,
    /// The data maps that it makes.
    pub writes: &'static [MapKind],
    /// Whether it runs on a square piece of ground.
    pub on_square: bool,
    /// Whether it runs on a planet.
    pub on_globe: bool,
    /// Whether the layer's seed changes anything.
    pub is_random: bool,
    /// Whether the sea level of the scene changes anything. Where it does not, moving the sea costs no evaluation.
    pub reads_sea_level: bool,
    /// Whether it changes anything on planets alone.
    pub planet_reads_sea_level: bool,
    /// Whether a preview is exactly the result's subsample. Without, as where a height depends on heights elsewhere, it
    /// comes close.
    pub previews_exactly: bool,
    /// Numbers of 4 bytes for each sample that it works with at its peak, beyond the terrain that it is given and the
    /// heights and maps that it makes; of a process with all its state. `tests/memory.rs` measures it.
    pub working_fields: f32,
    /// As many more on planets.
    pub more_on_planets: f32,
    /// As many more where states are kept, so that a step must leave the one before it whole.
    pub more_when_kept: f32,
    /// As many fewer, beside its records, where [nobody reads these](Run::leave_out); none where it makes them still.
    pub fewer_for_heights: Option<f32>,
    /// Fields beside heights and data maps that a process [under way](Run::into_under_way) has.
    pub state_fields: usize,
    /// Bytes that it works with whatever the number of samples, where they are more than a few; of a process about a
    /// fifth of them are state.
    pub fixed_bytes: u64,
    /// Whether a process begins with the sediment that is under way already, and goes on with it.
    pub carries_sediment_on: bool,
    /// Height in metres that ground of a planet does not fall to on the way to the next grid where it lies higher
    /// beneath the process: a process that leaves what lies at the sea alone would find no land there.
    pub land_above: Option<f32>,
    /// Whether a process leads water from sample to sample, so that its valleys lie along rows, columns and diagonals
    /// of the grid. From coarse to fine they are bent a little on the way to the next grid.
    pub follows_grid: bool,
    /// What becomes of the beds of trunk streams on finer grids.
    pub stream_beds: StreamBeds,
    /// How it can be computed in parts on squares with open edges.
    pub parts: NodeParts,
    /// Defaults of earlier versions, from the oldest on.
    pub old_defaults: &'static [OldDefault],
}

/// A default that a node had. Files leave defaults out: a file of that time that does not name the parameter means
/// this value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldDefault {
    /// The last version that had it. The one after it differs in defaults alone: its law gives the bits of before.
    pub until: u32,
    /// Name of the parameter in files.
    pub parameter: &'static str,
    /// Its value, as people type it.
    pub was: &'static str,
}

impl Traits {
    /// A pure function of position and seed on a square.
    pub const GENERATOR: Self = Self { is_random: true, working_fields: 0.1, ..Self::FILTER };
    /// Maps each height of a square by itself.
    pub const FILTER: Self = Self {
        version: 1,
        planet_version: 0,
        writes: &[],
        on_square: true,
        on_globe: false,
        is_random: false,
        reads_sea_level: false,
        planet_reads_sea_level: false,
        previews_exactly: true,
        working_fields: 0.0,
        more_on_planets: 0.0,
        more_when_kept: 0.0,
        fewer_for_heights: None,
        state_fields: 0,
        fixed_bytes: 0,
        carries_sediment_on: false,
        land_above: None,
        follows_grid: false,
        stream_beds: StreamBeds::Free,
        parts: NodeParts::Points,
        old_defaults: &[],
    };
    /// Works between neighbours on a square.
    pub const PROCESS: Self = Self {
        previews_exactly: false,
        working_fields: 3.0,
        parts: NodeParts::Whole("it does not say how"),
        ..Self::FILTER
    };

    /// [`working_fields`](Self::working_fields) in a world.
    pub fn working_fields_in(&self, world: World) -> f32 {
        match world {
            World::Terrain => self.working_fields,
            World::Planet => self.working_fields + self.more_on_planets,
        }
    }

    /// Whether the sea level of a scene of that world changes anything.
    pub fn reads_sea_level_in(&self, world: World) -> bool {
        self.reads_sea_level || (world == World::Planet && self.planet_reads_sea_level)
    }

    /// Whether the law of version `now` is that of version `then`: no version between them changed more than defaults.
    pub fn has_law_of(&self, then: u32, now: u32) -> bool {
        let changed_defaults = |version: u32| self.old_defaults.iter().any(|old| old.until + 1 == version);
        then <= now && (then + 1..=now).all(changed_defaults)
    }

    /// The number that a scene of that world keeps, to tell whether its bits are those that it was saved with.
    pub fn version_in(&self, world: World) -> u32 {
        match world {
            World::Terrain => self.version,
            World::Planet => self.version + self.planet_version,
        }
    }
}

/// Fills a grid from nothing; the layer's blend mode combines it with what is below.
pub trait Generator: Params {
    /// What it is besides its work.
    fn traits(&self) -> Traits {
        Traits::GENERATOR
    }
    /// Writes every sample of `out` (grid `cx.grid`), about [0, 1].
    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled>;
    /// Writes every height of `made`, and the data maps that come with them. `made` is a terrain of its own, not what
    /// is below; the layer's blend mode combines maps as it combines the ground they lie on.
    fn generate(&self, cx: &Context, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill(cx, &mut made.height)
    }
    /// Files that it reads besides those that its parameters name.
    fn file_dependencies(&self) -> Vec<String> {
        Vec::new()
    }
    /// Why its files cannot be used together, though each of them can be read.
    fn files_error(&self) -> Option<String> {
        None
    }
    /// What its raw files do not say themselves.
    fn raw_layout(&self) -> RawLayout {
        RawLayout::default()
    }
    /// What is to be known of its files in a scene whose side is `size_metres`, though nothing is wrong with them.
    fn files_note(&self, _size_metres: f32) -> Option<String> {
        None
    }
}

/// One pass over the terrain.
pub trait Filter: Params {
    /// What it is besides its work.
    fn traits(&self) -> Traits {
        Traits::FILTER
    }
    /// Changes the heights and data maps of `terrain`. After an error the terrain is dropped.
    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled>;
    /// The same in a window of the terrain, with what is known of the water of the whole; of nodes whose
    /// [`parts`](Traits::parts) are [`NodeParts::Drained`].
    fn apply_drained(&self, cx: &Context, _water: DrainedGround, terrain: &mut Terrain) -> Result<(), Cancelled> {
        self.apply(cx, terrain)
    }
    /// The same in a window of the terrain, of whose heights the lowest and the highest are given
    /// ([`Terrain::range`]); of nodes whose [`parts`](Traits::parts) are [`NodeParts::Ranged`].
    fn apply_ranged(&self, cx: &Context, _range: [f32; 2], terrain: &mut Terrain) -> Result<(), Cancelled> {
        self.apply(cx, terrain)
    }
    /// The same in a window of the terrain, with the heights of the whole smoothed; of nodes whose
    /// [`parts`](Traits::parts) are [`NodeParts::Smoothed`].
    fn apply_smoothed(&self, cx: &Context, _smooth: Vec<f32>, terrain: &mut Terrain) -> Result<(), Cancelled> {
        self.apply(cx, terrain)
    }
}

/// A simulation in iterations that can be watched.
pub trait Process: Params {
    /// What it is besides its work.
    fn traits(&self) -> Traits {
        Traits::PROCESS
    }
    /// Iterations to the end, counted at the scene's own resolution.
    fn iterations(&self) -> u32;
    /// How many of them a coarser grid needs, where it runs on one grid alone.
    fn pace(&self) -> Pace {
        Pace::Diffusion
    }
    /// The grids that it runs on, from coarse to fine; [`iterations`](Self::iterations) are then those of the coarsest.
    fn multiscale(&self) -> MultiScale {
        MultiScale::ONE_GRID
    }
    /// Itself, if it is that process, for those whose [`parts`](Traits::parts) are [`NodeParts::Worn`].
    fn as_stream_power(&self) -> Option<&erosion::stream_power::StreamPower> {
        None
    }
    /// The process at its first iteration, on `terrain`; or where another one was when it made that
    /// [under way](Run::into_under_way).
    fn start(&self, cx: &Context, terrain: Terrain) -> Box<dyn Run>;
}

/// A process under way. It owns all its state, so a snapshot replays to the same bits.
pub trait Run: Send + Sync {
    /// One iteration. After an error the run is left as it was before the call.
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled>;
    /// [`step`](Self::step) in less memory, where it can; after an error the run is of no use any more.
    fn step_in_place(&mut self, cx: &Context) -> Result<(), Cancelled> {
        self.step(cx)
    }
    /// Nobody reads these [records](MapKind::RECORDS), nor the mass balance: where heights do not depend on them they
    /// are not in its terrain any more, and the mass balance may be that of nothing.
    fn leave_out(&mut self, _records: &[MapKind]) {}
    /// Goes to the moment after so many iterations, forwards or backwards, without computing any; the terrain is that
    /// of another moment until the next [`step`](Self::step). False, and nothing done, where a state follows from the
    /// one before.
    fn jump(&mut self, _iterations: u32) -> bool {
        false
    }
    /// The terrain after the last whole iteration.
    fn terrain(&self) -> &Terrain;
    /// The mass balance up to now.
    fn mass_balance(&self) -> MassBalance;
    /// A copy from which the same iterations give the same bits.
    fn snapshot(&self) -> Box<dyn Run>;
    /// Memory of a snapshot, without what all snapshots of a run share.
    fn bytes(&self) -> usize {
        self.terrain().bytes()
    }
    /// The terrain after the last whole iteration. All other memory is given back before it is copied, where it is.
    fn into_terrain(self: Box<Self>) -> Terrain;
    /// All that the next iteration follows from as fields, from which another run of the process goes on to the same
    /// bits; of processes whose [iterations](NodeParts::Iterations) can be resumed. Where that is more than heights and
    /// data maps, it lies in [`Terrain::process_state`].
    fn into_under_way(self: Box<Self>) -> Terrain {
        self.into_terrain()
    }
}

/// Where the material went so far: sums of heights over all distinct samples, as fractions of the relief.
///
/// Two balances hold up to rounding, for every process: what the ground lost and won is the change of the heights,
/// Σ h - Σ h₀ = `added` + `deposited` - `eroded` + `resampled`; and nothing vanishes, [`residual`](Self::residual) = 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MassBalance {
    /// Taken from the ground.
    pub eroded: f64,
    /// Laid down again.
    pub deposited: f64,
    /// Still under way, in water or air.
    pub carried: f64,
    /// Left over an open edge, or dissolved for good.
    pub lost: f64,
    /// Brought in from outside: uplift, snow, sand.
    pub added: f64,
    /// What the ground won by interpolation from coarser grids, which keeps heights and not sums.
    pub resampled: f64,
    /// What was under way and won by that.
    pub resampled_carried: f64,
}

impl MassBalance {
    /// What the mass balance cannot account for; 0 up to rounding.
    pub fn residual(&self) -> f64 {
        self.eroded - self.deposited - self.carried - self.lost + self.resampled_carried
    }

    /// What the ground won, less what it lost.
    pub fn ground_change(&self) -> f64 {
        self.added + self.deposited - self.eroded + self.resampled
    }
}

impl std::ops::AddAssign for MassBalance {
    /// Mass balance of one stretch of time after another.
    fn add_assign(&mut self, later: Self) {
        self.eroded += later.eroded;
        self.deposited += later.deposited;
        self.carried += later.carried;
        self.lost += later.lost;
        self.added += later.added;
        self.resampled += later.resampled;
        self.resampled_carried += later.resampled_carried;
    }
}

impl std::ops::Mul<f64> for MassBalance {
    type Output = Self;

    /// The same over as many times the samples.
    fn mul(self, samples: f64) -> Self {
        Self {
            eroded: self.eroded * samples,
            deposited: self.deposited * samples,
            carried: self.carried * samples,
            lost: self.lost * samples,
            added: self.added * samples,
            resampled: self.resampled * samples,
            resampled_carried: self.resampled_carried * samples,
        }
    }
}

/// The three shapes of node.
pub enum Work<'a> {
    /// Fills from nothing.
    Generator(&'a dyn Generator),
    /// Changes in one pass.
    Filter(&'a dyn Filter),
    /// Runs in iterations.
    Process(&'a dyn Process),
}

impl Work<'_> {
    /// The shape in a word, for help and tables.
    pub fn shape(&self) -> &'static str {
        match self {
            Self::Generator(_) => "generator",
            Self::Filter(_) => "filter",
            Self::Process(_) => "process",
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

            /// One of each, with default parameters, in the product's order.
            pub fn catalogue() -> Vec<Self> {
                vec![ $( Self::$name(Default::default()) ),+ ]
            }
            /// Its parameters, free of their type.
            pub fn params(&self) -> &dyn Params {
                match self { $( Self::$name(node) => node ),+ }
            }
            /// Its parameters, free of their type.
            pub fn params_mut(&mut self) -> &mut dyn Params {
                match self { $( Self::$name(node) => node ),+ }
            }
            /// How it runs.
            pub fn work(&self) -> Work<'_> {
                match self { $( Self::$name(node) => Work::$shape(node) ),+ }
            }
        }
    };
}

impl Node {
    /// Its description.
    pub fn about(&self) -> &'static About {
        self.params().about()
    }

    /// The node called `name` in files, with default parameters.
    pub fn named(name: &str) -> Option<Self> {
        Self::catalogue().into_iter().find(|node| node.about().name == name)
    }

    /// What it is besides its work, as its parameters are now.
    pub fn traits(&self) -> Traits {
        match self.work() {
            Work::Generator(node) => node.traits(),
            Work::Filter(node) => node.traits(),
            Work::Process(node) => node.traits(),
        }
    }

    /// Whether it runs in a world. Where it does not its layer is left out.
    pub fn fits(&self, world: World) -> bool {
        match world {
            World::Planet => self.traits().on_globe,
            World::Terrain => self.traits().on_square,
        }
    }

    /// Files that it reads besides those that its parameters name.
    pub fn file_dependencies(&self) -> Vec<String> {
        match self.work() {
            Work::Generator(node) => node.file_dependencies(),
            Work::Filter(_) | Work::Process(_) => Vec::new(),
        }
    }

    /// Why its files cannot be used together, though each of them can be read.
    pub fn files_error(&self) -> Option<String> {
        match self.work() {
            Work::Generator(node) => node.files_error(),
            Work::Filter(_) | Work::Process(_) => None,
        }
    }

    /// What its raw files do not say themselves.
    pub fn raw_layout(&self) -> RawLayout {
        match self.work() {
            Work::Generator(node) => node.raw_layout(),
            Work::Filter(_) | Work::Process(_) => RawLayout::default(),
        }
    }

    /// What is to be known of its files in a scene whose side is `size_metres`, though nothing is wrong with them.
    pub fn files_note(&self, size_metres: f32) -> Option<String> {
        match self.work() {
            Work::Generator(node) => node.files_note(size_metres),
            Work::Filter(_) | Work::Process(_) => None,
        }
    }

    /// Sets every parameter as `preset` says; what it does not name goes back to its default.
    pub fn adopt(&mut self, preset: &Preset) {
        let about = self.about();
        for (index, spec) in about.params.iter().enumerate() {
            let named = preset.values.iter().find(|(name, _)| *name == spec.name);
            // the values come from the node's own description
            let _ = self.params_mut().set(index, named.map_or(&spec.default, |(_, value)| value));
        }
    }

    /// The preset that the parameters are just now.
    pub fn present_preset(&self) -> Option<&'static Preset> {
        self.about().presets.iter().find(|preset| {
            let mut adopted = self.clone();
            adopted.adopt(preset);
            adopted == *self
        })
    }

    /// The process, if this node is one.
    pub fn as_process(&self) -> Option<&dyn Process> {
        match self.work() {
            Work::Process(process) => Some(process),
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
