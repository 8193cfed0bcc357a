//! The catalogue: everything that can stand in a stack.
//!
//! A node is a struct of parameters (made by [`params!`](crate::params)) and one way to run: [`Generator`],
//! [`Filter`] or [`Process`]. To add one: write its file (parameters, law with its source in the docs, pure function,
//! `impl`, tests) and add one word to the list at the end of this file. The order of that list is the order of the Add menu,
//! of the help and of `talweg nodes`; `tests/core/contract.rs` walks it.

pub mod context;
pub mod erosion;
pub mod filters;
pub mod generators;
pub mod help;
pub mod maps;
pub mod planet;
pub mod water;

pub use context::{Context, Pace};

use serde::{Deserialize, Serialize};

use crate::field::{Cancelled, MapKind, Terrain};
use crate::param::{About, Params, Preset};
use crate::scene::World;

/// Fills a grid from nothing; the layer's blend mode combines it with what is below.
pub trait Generator: Params {
    /// Writes every sample of `out` (grid `cx.grid`), about [0, 1].
    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled>;
    /// Writes every height of `made`, and the data maps that come with them. `made` is a terrain of its own, not what is
    /// below; the layer's blend mode combines maps as it combines the ground they lie on.
    fn generate(&self, cx: &Context, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill(cx, &mut made.height)
    }
    /// Files that it reads besides those that its parameters name.
    fn companions(&self) -> Vec<String> {
        Vec::new()
    }
    /// Why its files cannot be used, though each of them can be read.
    fn trouble(&self) -> Option<String> {
        None
    }
    /// Whether a preview is exactly the result's subsample. Without, it comes close.
    fn previews_exactly(&self) -> bool {
        true
    }
    /// The data maps that it makes.
    fn writes(&self) -> &'static [MapKind] {
        &[]
    }
    /// Whether it runs on a planet.
    fn on_globe(&self) -> bool {
        false
    }
    /// Whether it runs on a square piece of ground.
    fn on_square(&self) -> bool {
        true
    }
    /// Grows when the same parameters give other bits than before.
    fn version(&self) -> u32 {
        1
    }
}

/// One pass over the terrain.
pub trait Filter: Params {
    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled>;
    /// Whether the layer's seed changes anything.
    fn is_random(&self) -> bool {
        false
    }
    /// Whether the sea level of the scene changes anything.
    fn reads_sea_level(&self) -> bool {
        false
    }
    /// Whether a height depends on heights elsewhere. A preview then comes close to the result; without, it is exactly
    /// the result's subsample.
    fn reads_neighbours(&self) -> bool {
        false
    }
    /// The data maps that it makes.
    fn writes(&self) -> &'static [MapKind] {
        &[]
    }
    /// Whether it runs on a planet.
    fn on_globe(&self) -> bool {
        false
    }
    /// Whether it runs on a square piece of ground.
    fn on_square(&self) -> bool {
        true
    }
    /// Grows when the same parameters give other bits than before.
    fn version(&self) -> u32 {
        1
    }
}

/// A simulation in iterations that can be watched.
pub trait Process: Params {
    /// Iterations to the end, counted at the scene's own resolution.
    fn iterations(&self) -> u32;
    /// How many of them a coarser grid needs.
    fn pace(&self) -> Pace {
        Pace::Diffusion
    }
    /// Whether the layer's seed changes anything.
    fn is_random(&self) -> bool {
        false
    }
    /// Whether the sea level of the scene changes anything.
    fn reads_sea_level(&self) -> bool {
        false
    }
    fn start(&self, cx: &Context, terrain: Terrain) -> Box<dyn Run>;
    /// The data maps that it makes.
    fn writes(&self) -> &'static [MapKind] {
        &[]
    }
    /// Whether it runs on a planet.
    fn on_globe(&self) -> bool {
        false
    }
    /// Whether it runs on a square piece of ground.
    fn on_square(&self) -> bool {
        true
    }
    /// Grows when the same parameters give other bits than before.
    fn version(&self) -> u32 {
        1
    }
}

/// A process under way. It owns all its state, so a snapshot replays to the same bits.
pub trait Run: Send + Sync {
    /// One iteration. After an error the run is left as it was before the call.
    fn step(&mut self, cx: &Context) -> Result<(), Cancelled>;
    /// The terrain after the last whole iteration.
    fn terrain(&self) -> &Terrain;
    fn ledger(&self) -> Ledger;
    fn snapshot(&self) -> Box<dyn Run>;
    /// Memory of a snapshot.
    fn bytes(&self) -> usize;
}

/// Where the material went so far: sums of heights over all distinct samples, as fractions of the relief.
///
/// Two balances hold up to rounding, for every process: what the ground lost and won is the change of the heights,
/// Σ h - Σ h₀ = `added` + `deposited` - `eroded`; and nothing vanishes, [`residual`](Self::residual) = 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
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
}

impl Ledger {
    /// What the books cannot account for; 0 up to rounding.
    pub fn residual(&self) -> f64 {
        self.eroded - self.deposited - self.carried - self.lost
    }
}

impl std::ops::AddAssign for Ledger {
    /// Books of one stretch of time after another.
    fn add_assign(&mut self, later: Self) {
        self.eroded += later.eroded;
        self.deposited += later.deposited;
        self.carried += later.carried;
        self.lost += later.lost;
        self.added += later.added;
    }
}

/// The three shapes of node.
pub enum Work<'a> {
    Generator(&'a dyn Generator),
    Filter(&'a dyn Filter),
    Process(&'a dyn Process),
}

macro_rules! catalogue {
    ($( $module:ident :: $file:ident :: $name:ident : $shape:ident ),+ $(,)?) => {
        /// A node of the stack with its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum Node {
            $( $name($module::$file::$name) ),+
        }

        impl Node {
            /// One of each, with default parameters, in the product's order.
            pub fn catalogue() -> Vec<Self> {
                vec![ $( Self::$name(Default::default()) ),+ ]
            }
            pub fn params(&self) -> &dyn Params {
                match self { $( Self::$name(node) => node ),+ }
            }
            pub fn params_mut(&mut self) -> &mut dyn Params {
                match self { $( Self::$name(node) => node ),+ }
            }
            pub fn work(&self) -> Work<'_> {
                match self { $( Self::$name(node) => Work::$shape(node) ),+ }
            }
        }
    };
}

impl Node {
    pub fn about(&self) -> &'static About {
        self.params().about()
    }

    /// The node called `name` in files, with default parameters.
    pub fn named(name: &str) -> Option<Self> {
        Self::catalogue().into_iter().find(|node| node.about().name == name)
    }

    pub fn version(&self) -> u32 {
        match self.work() {
            Work::Generator(node) => node.version(),
            Work::Filter(node) => node.version(),
            Work::Process(node) => node.version(),
        }
    }

    /// Whether it runs on a planet.
    pub fn on_globe(&self) -> bool {
        match self.work() {
            Work::Generator(node) => node.on_globe(),
            Work::Filter(node) => node.on_globe(),
            Work::Process(node) => node.on_globe(),
        }
    }

    /// Whether it runs in a world. Where it does not its layer is left out.
    pub fn fits(&self, world: World) -> bool {
        match (world, self.work()) {
            (World::Planet, _) => self.on_globe(),
            (World::Terrain, Work::Generator(node)) => node.on_square(),
            (World::Terrain, Work::Filter(node)) => node.on_square(),
            (World::Terrain, Work::Process(node)) => node.on_square(),
        }
    }

    /// Files that it reads besides those that its parameters name.
    pub fn companions(&self) -> Vec<String> {
        match self.work() {
            Work::Generator(node) => node.companions(),
            Work::Filter(_) | Work::Process(_) => Vec::new(),
        }
    }

    /// Why its files cannot be used, though each of them can be read.
    pub fn trouble(&self) -> Option<String> {
        match self.work() {
            Work::Generator(node) => node.trouble(),
            Work::Filter(_) | Work::Process(_) => None,
        }
    }

    /// Whether the layer's seed changes anything.
    pub fn is_random(&self) -> bool {
        match self.work() {
            Work::Generator(_) => true,
            Work::Filter(node) => node.is_random(),
            Work::Process(node) => node.is_random(),
        }
    }

    /// Whether the sea level of the scene changes anything. Where it does not, moving the sea costs no evaluation.
    pub fn reads_sea_level(&self) -> bool {
        match self.work() {
            Work::Generator(_) => false,
            Work::Filter(node) => node.reads_sea_level(),
            Work::Process(node) => node.reads_sea_level(),
        }
    }

    /// The data maps that it makes as its parameters are now.
    pub fn writes(&self) -> &'static [MapKind] {
        match self.work() {
            Work::Generator(node) => node.writes(),
            Work::Filter(node) => node.writes(),
            Work::Process(node) => node.writes(),
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
    generators::diamond_square::DiamondSquare: Generator,
    generators::triangular::Triangular: Generator,
    generators::squig_river::SquigRiver: Generator,
    generators::stamp::Stamp: Generator,
    generators::fault::Fault: Generator,
    generators::circles::Circles: Generator,
    generators::voronoi::Voronoi: Generator,
    generators::voronoi_midpoint::VoronoiMidpoint: Generator,
    generators::cellular::Cellular: Generator,
    generators::noise_library::NoiseLibrary: Generator,
    generators::shape::Shape: Generator,
    generators::construction::Construction: Generator,
    generators::import::Import: Generator,
    planet::continents::Continents: Generator,
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
    erosion::droplets::Droplets: Process,
    erosion::shallow_water::ShallowWater: Process,
    erosion::stream_power::StreamPower: Process,
    erosion::thermal::Thermal: Process,
    erosion::creep::Creep: Process,
    erosion::coastal::Coastal: Process,
    erosion::dunes::Dunes: Process,
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
}
