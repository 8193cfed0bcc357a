//! Shared helpers of the tests on small globes: a planet of a few kilometres, its terrain, and its symmetries.

use talweg::field::globe::{direction_at, locate};
use talweg::field::{Control, Globe, Grid, Stream, Terrain};
use talweg::nodes::{Context, Node, NodeKind, Process, Run};

use crate::kits::nodes::{read, read_terrain};

#[derive(Clone, Copy)]
pub struct World {
    pub samples: usize,
    pub scene_samples: usize,
    pub radius_metres: f32,
    pub relief_metres: f32,
}

impl World {
    /// A planet with `samples` per side of a face. Its radius is small, and its mountains are high for its size.
    pub fn new(samples: usize) -> Self {
        Self { samples, scene_samples: samples, radius_metres: 50_000.0, relief_metres: 20_000.0 }
    }

    pub fn context<'a>(&self, control: &'a Control) -> Context<'a> {
        Context {
            grid: Grid::globe(self.samples),
            size_metres: self.radius_metres * std::f32::consts::FRAC_PI_2,
            relief_metres: self.relief_metres,
            sea_level: 0.0,
            planet: None,
            scene_samples: self.scene_samples,
            cell_ratio: 1.0,
            voids: Default::default(),
            random: Stream::new(1, 7),
            control,
        }
    }

    pub fn globe(&self) -> Globe {
        Globe::new(self.samples)
    }

    /// Heights from a function of the direction.
    pub fn terrain(&self, height: impl Fn([f64; 3]) -> f64) -> Terrain {
        let mut terrain = Terrain::flat(Grid::globe(self.samples));
        let (globe, n) = (self.globe(), self.samples);
        for (k, h) in terrain.height.iter_mut().enumerate() {
            *h = height(globe.exact_direction(k / (n * n), k / n % n, k % n)) as f32;
        }
        globe.grid().close(&mut terrain.height);
        terrain
    }

    pub fn start<'a>(&self, node: &'a Node, terrain: &Terrain) -> (&'a dyn Process, Box<dyn Run>) {
        let process = node.as_process().expect("a process");
        let control = Control::default();
        (process, process.start(&self.context(&control), terrain.clone()))
    }

    /// Runs `node` on a terrain and returns the run after `iterations` steps.
    pub fn run(&self, node: &Node, terrain: &Terrain, iterations: u32) -> Box<dyn Run> {
        let control = Control::default();
        let cx = self.context(&control);
        let (_, mut run) = self.start(node, terrain);
        (0..iterations).for_each(|_| run.step(&cx).expect("not cancelled"));
        run
    }
}

/// The result of `node`, a generator or filter, on a terrain.
pub fn made(world: World, node: &Node, terrain: &Terrain) -> Terrain {
    let (control, mut terrain) = (Control::default(), terrain.clone());
    let cx = world.context(&control);
    match node.work() {
        NodeKind::Generator(generator) => generator.generate(&cx, &mut terrain),
        NodeKind::Filter(filter) => filter.apply(&cx, &mut terrain),
        NodeKind::Reference(reference) => {
            let input = read_terrain(&terrain);
            reference.apply(&cx, read(&cx, &input), &mut terrain)
        }
        NodeKind::Process(_) => panic!("processes use `run`"),
    }
    .expect("not cancelled");
    assert_eq!(open_seams(&world.globe(), &terrain.height), 0, "{node:?}");
    terrain
}

/// Indices of the samples that are not copies, with their directions.
pub fn owners(globe: &Globe) -> Vec<(usize, [f64; 3])> {
    let n = globe.samples();
    let owned = (0..globe.len()).filter(|&k| globe.grid().owns(k));
    owned.map(|k| (k, globe.exact_direction(k / (n * n), k / n % n, k % n))).collect()
}

pub fn angle(a: [f64; 3], b: [f64; 3]) -> f64 {
    // The chord length is exact for small angles too, unlike the arc cosine of the dot product.
    let square: f64 = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum();
    2.0 * (0.5 * square.sqrt()).min(1.0).asin()
}

/// A sum of waves in several directions, with values from 0 to about 1.
pub fn noise([x, y, z]: [f64; 3]) -> f64 {
    let mut sum = 0.0;
    for octave in 0..5 {
        let f = 2.0 * f64::from(1 << octave);
        let turn = f64::from(octave) * 1.7;
        let wave =
            (f * (x + 0.4 * y) + turn).sin() + (f * (y - 0.3 * z) + 2.0 * turn).sin() + (f * (z + 0.5 * x)).sin();
        sum += wave / f;
    }
    0.5 + 0.25 * sum
}

pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Number of samples whose value differs from the sample that they copy.
pub fn open_seams(globe: &Globe, field: &[f32]) -> usize {
    (0..field.len()).filter(|&k| field[k].to_bits() != field[globe.grid().owner(k)].to_bits()).count()
}

/// Positions for cones: the middle of a face, the middle of a border between two faces, a corner of the cube, a pole
/// and another position.
pub fn cone_positions() -> [(&'static str, [f64; 3]); 5] {
    [
        ("face", direction_at(0, 0.5, 0.5)),
        ("border", direction_at(0, 1.0, 0.5)),
        ("corner", direction_at(0, 1.0, 0.0)),
        ("pole", [0.0, 0.0, 1.0]),
        ("elsewhere", direction_at(3, 0.3, 0.2)),
    ]
}

/// For each sample of a globe, the index of the sample at its position after a symmetry of the cube turns the globe. If
/// that sample is a copy, this is the index of its original.
pub fn turned_samples(globe: &Globe, turn: impl Fn([f64; 3]) -> [f64; 3]) -> Vec<usize> {
    let n = globe.samples();
    let place = |k: usize| {
        let (face, u, v) = locate(turn(globe.exact_direction(k / (n * n), k / n % n, k % n)));
        let [row, column] = [v, u].map(|at| (at * (n - 1) as f64).round() as usize);
        globe.grid().owner((face * n + row) * n + column)
    };
    (0..globe.len()).map(place).collect()
}

/// A field of a globe after the globe turns. `to` has the result of [`turned_samples`].
pub fn turned_field(globe: &Globe, to: &[usize], field: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; field.len()];
    for (&to, &value) in to.iter().zip(field) {
        out[to] = value;
    }
    globe.grid().close(&mut out);
    out
}
