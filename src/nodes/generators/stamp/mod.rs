//! Stamp noise: a round stamp that is repeatedly added to the terrain, smaller and shallower at each level.
//!
//! Law: level l = 0, 1, 2 … has 2ˡ × 2ˡ sectors of side s = 2⁻ˡ. The stamp of a sector has its centre at a random
//! position in the sector (the sector's own centre, moved by up to s/2 along each axis) and radius s/2. The stamp adds
//! ± amplitude · 2^(-falloff·l) · f(1 - d/(s/2)) at distance d, with a random sign. f(t) = t is the cone, f(t) = 6t⁵ -
//! 15t⁴ + 10t³ the bell. On the last level, sectors are not smaller than `smallest_metres` or, as in the paper, than
//! two samples of the scene; the level is at most 13. An image (`image`) is stamped in the same way: f is then the
//! image's value at the position in the stamp, with a random rotation. If there are several images, each stamp draws
//! one of them. The rotation of a round stamp has no effect. With mixed profiles, a stamp is a cone, a bell or an image
//! with a probability proportional to their weights. A level of cones that are all raised has the mean height amplitude
//! · 2^(-falloff·l) · π/12.
//! Cost: the stamps of every level cover π/4 of the map, so n + 1 levels of a map of 2ⁿ samples per side cost (n +
//! 1)·π/4·4ⁿ. The paper adds 2ⁿ for its tables: a little more than linear in the samples (`talweg bench document-002`).
//!
//! Scheme: the paper recurses into quarters; here rows are computed in parallel. A stamp's centre is in its own sector,
//! so only two rows of sectors per level touch a row of samples; a band keeps the stamps of these two rows. Every
//! sample adds its stamps in the same order (level, sector row, sector column), on every grid: a preview is exactly a
//! subsample.
//! Boundary: stamps that cross an edge continue on the opposite side, as in the paper, on open terrains as well.
//! Squares only: sectors are halves of halves of the square; for planets, use [`Craters`](crate::planet::craters).
//! Source: the article on stamp noise.

mod image;

use super::midpoint_steps::count;
use super::octaves::NoiseFade;
use crate::steps::{circle_lines, grid_lines, metres};
use crate::{Context, Generator, GeneratorStep, OldDefault, SteppedGenerator, Traits};
use image::{StampImage, StampTurn};
use talweg_ground::field::{Cancelled, Stream, Terrain};
use talweg_ground::param::ImageFile;

talweg_ground::choices! {
    /// Profile of the stamp.
    StampProfile {
        Cone "Cone": "Straight flanks up to a point: sharp peaks and pits.",
        Bell "Bell": "The fade curve of improved Perlin noise applied to the cone: round hills and bowls.",
        Pictures "Images": "The images chosen below, one drawn at random for every stamp.",
        Mixed "Mixed": "Cones, bells and images in proportion to their weights.",
    }
}

talweg_ground::choices! {
    /// The limit for the smallest stamps.
    StampDepth {
        Samples "Down to two samples": "As in the article on stamp noise: sectors are halved while they are at least two samples wide. A finer scene has smaller stamps.",
        Metres "By their diameter": "Down to a diameter in metres: the same stamps at any resolution.",
    }
}

talweg_ground::params! {
    /// Raises and lowers the terrain at random with cones, bells or images. The first stamp is as wide as the terrain;
    /// each level has four times as many stamps of half the size.
    Stamp "Stamp noise" in "Fractal", from "Génération procédurale de terrain, part II: Stamp Noise", also "cone bell brush picture image crater hills bumps quadtree" {
        /// Profile of the stamp.
        profile: StampProfile = StampProfile::Cone;
        /// Weight of cones relative to the other profiles. If all weights are 0, there are no stamps.
        cones: f32 = 1.0, 0.0..=1.0 => |stamp| stamp.profile == StampProfile::Mixed;
        /// Weight of bells relative to the other profiles.
        bells: f32 = 1.0, 0.0..=1.0 => |stamp| stamp.profile == StampProfile::Mixed;
        /// Weight of images relative to the other profiles.
        images: f32 = 1.0, 0.0..=1.0 => |stamp| stamp.profile == StampProfile::Mixed;
        /// Unit in which the size of the smallest stamps is limited.
        depth: StampDepth = StampDepth::Samples;
        /// Minimum diameter of the stamps.
        smallest_metres: f32 ["m"] = 15.0, 0.01..=1_000_000.0, slider 5.0..=1000.0 => |stamp| stamp.depth == StampDepth::Metres;
        /// Number of levels that are stamped, the largest first. Small values show the first steps of the method.
        levels_shown: u32 = 14, 1..=14;
        /// Decrease of the height from level to level: at 0 all levels are equally high, at 1 slopes are equally steep.
        falloff: f32 = 1.0, 0.0..=4.0, slider 0.5..=2.0;
        /// Height of the first stamp, as a fraction of the relief.
        amplitude: f32 = 0.45, -10.0..=10.0, slider 0.0..=2.0;
        /// Height of the terrain before stamping, as a fraction of the relief.
        base: f32 = 0.5, -10.0..=10.0, slider -0.5..=1.5;
        /// Fraction of the stamps that lower the terrain; the other stamps raise it.
        sunk: f32 ["share"] = 0.5, 0.0..=1.0;
        /// Rotation of images before they are stamped.
        rotation: StampTurn = StampTurn::Any => |stamp| stamp.has_images();
        /// Image of a stamp. Its inscribed disc is used, and the values on the disc's rim count as level terrain.
        picture_1: ImageFile = ImageFile("stamp:mountain".into()) => |stamp| stamp.has_images();
        /// A second image from which stamps are drawn.
        picture_2: ImageFile = ImageFile::default() => |stamp| stamp.has_images();
        /// A third image from which stamps are drawn.
        picture_3: ImageFile = ImageFile::default() => |stamp| stamp.has_images();
        /// A fourth image from which stamps are drawn.
        picture_4: ImageFile = ImageFile::default() => |stamp| stamp.has_images();
    }
}

/// In version 1 the default for the smallest stamps was a diameter of 15 m.
const DEFAULTS_BEFORE: [OldDefault; 1] = [OldDefault { until: 1, parameter: "depth", old_value: "Metres" }];

/// Maximum number of levels.
const LEVELS: u32 = 14;
/// Maximum number of sectors per side that are drawn over the terrain, and of sectors whose stamps have an outline.
const MOST_SECTORS: usize = 64;
const MOST_CIRCLES: usize = 8;

impl Generator for Stamp {
    fn traits(&self) -> Traits {
        Traits { version: 2, old_defaults: &DEFAULTS_BEFORE, ..Traits::GENERATOR }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        self.fill_levels(cx, LEVELS, out)
    }

    fn stepped(&self) -> Option<&dyn SteppedGenerator> {
        Some(self)
    }
}

impl SteppedGenerator for Stamp {
    fn steps(&self, samples: usize, size_metres: f32) -> u32 {
        (0..LEVELS.min(self.levels_shown)).take_while(|&l| l == 0 || self.reaches(samples, size_metres, l)).count()
            as u32
    }

    fn generate_until(&self, cx: &Context, step: u32, made: &mut Terrain) -> Result<(), Cancelled> {
        self.fill_levels(cx, step, &mut made.height)
    }

    fn describe_step(&self, cx: &Context, step: u32) -> GeneratorStep {
        let levels = self.levels(cx);
        let Some(k) = (step as usize).min(levels.len()).checked_sub(1) else {
            return GeneratorStep::new("Start: level terrain", format!("h = {}", metres(cx, self.base)));
        };
        let level = &levels[k];
        let sectors = level.sectors as usize;
        let profile = match self.profile {
            StampProfile::Cone => "f = 1 - d/r at distance d",
            StampProfile::Bell => "f = 6t⁵ - 15t⁴ + 10t³, t = 1 - d/r at distance d",
            StampProfile::Pictures => "f the value of the image",
            StampProfile::Mixed => "f a cone, a bell or an image",
        };
        let radius = 0.5 / sectors as f32;
        let step = GeneratorStep::new(
            format!("Level {} of {}: {}", k + 1, levels.len(), count(sectors * sectors, "stamp", "stamps")),
            format!("h = h ± {} · f, {profile}, radius r = {:.0} m", metres(cx, level.height), radius * cx.size_metres),
        );
        if sectors > MOST_SECTORS {
            return step;
        }
        let mut stamps = Vec::new();
        for row in 0..level.sectors {
            let mut of_row = Vec::new();
            level.press(row, &mut of_row);
            stamps.extend(of_row.iter().map(|stamp| [stamp.x, stamp.y]));
        }
        let circles = stamps.iter().filter(|_| sectors <= MOST_CIRCLES).flat_map(|&at| circle_lines(at, radius));
        step.with_marks(stamps.iter().copied(), grid_lines(sectors).chain(circles))
    }
}

impl Stamp {
    /// Fills `out` with the first `shown` levels of stamps.
    fn fill_levels(&self, cx: &Context, shown: u32, out: &mut [f32]) -> Result<(), Cancelled> {
        let (n, [top, left]) = (cx.grid.samples, cx.grid.first());
        // The last row and column of the whole terrain are equal to the first row and column.
        let distinct = cx.grid.whole_samples() - 1;
        let end = (left + n).min(distinct);
        let columns = RowColumns { first: left, of: distinct, xs: (left..end).map(|k| cx.grid.position(k)).collect() };
        let repeated = RowColumns { first: 0, of: distinct, xs: vec![cx.grid.position(0)] };
        let mut levels = self.levels(cx);
        levels.truncate(shown as usize);
        let images = self.images();
        // A band has many rows, because they share the stamps of the large levels.
        cx.bands_of((n / 64).max(4), out, |first, cells| {
            let mut readers: Vec<_> = levels.iter().map(StampReader::new).collect();
            for (k, row) in cells.chunks_mut(n).enumerate() {
                let y = cx.grid.position((top + first + k) % distinct);
                row.fill(self.base);
                let (row, last) = row.split_at_mut(columns.xs.len());
                let repeats = (columns.xs.len() < n).then_some(&repeated);
                for (columns, row) in [(Some(&columns), &mut *row), (repeats.filter(|_| left > 0), &mut *last)] {
                    let Some(columns) = columns else { continue };
                    for reader in &mut readers {
                        match self.profile {
                            StampProfile::Cone => reader.add(y, columns, row, round(|t| t)),
                            StampProfile::Bell => reader.add(y, columns, row, round(|t| NoiseFade::Improved.weight(t))),
                            StampProfile::Pictures => reader.add(y, columns, row, pressed(&images, self.rotation)),
                            StampProfile::Mixed => reader.add(y, columns, row, self.mixed(&images)),
                        }
                    }
                }
                if left == 0 {
                    last.fill(row[0]);
                }
            }
        })
    }

    /// Whether any of the stamps can be an image.
    fn has_images(&self) -> bool {
        match self.profile {
            StampProfile::Pictures => true,
            StampProfile::Mixed => self.images > 0.0,
            StampProfile::Cone | StampProfile::Bell => false,
        }
    }

    /// Returns a shape that draws the profile of each stamp at random.
    fn mixed(&self, images: &[StampImage]) -> impl StampShape {
        let bells = self.cones + self.bells;
        let (cones, all) = (self.cones, bells + self.images);
        let (cone, bell) = (round(|t| t), round(|t| NoiseFade::Improved.weight(t)));
        let image = pressed(images, self.rotation);
        move |stamp: &PlacedStamp, xs: &[f32], x: f32, dy: f32, per_radius: f32, out: &mut [f32]| {
            let draw = stamp.form * all;
            if draw < cones {
                cone(stamp, xs, x, dy, per_radius, out);
            } else if draw < bells {
                bell(stamp, xs, x, dy, per_radius, out);
            } else if draw < all {
                image(stamp, xs, x, dy, per_radius, out);
            }
        }
    }

    /// Reads the images. Unreadable images are skipped here; the scene reports them.
    fn images(&self) -> Vec<StampImage> {
        if !self.has_images() {
            return Vec::new();
        }
        let files = [&self.picture_1, &self.picture_2, &self.picture_3, &self.picture_4];
        files.into_iter().filter_map(StampImage::open).collect()
    }

    /// Whether the sectors of level `l` are large enough to be stamped in a scene of `samples` samples and
    /// `size_metres` per side.
    fn reaches(&self, samples: usize, size_metres: f32, l: u32) -> bool {
        match self.depth {
            StampDepth::Samples => samples >> l >= 2,
            StampDepth::Metres => size_metres / (1 << l) as f32 >= self.smallest_metres,
        }
    }

    fn levels(&self, cx: &Context) -> Vec<StampLevel> {
        (0..self.steps(cx.scene_samples, cx.size_metres))
            .map(|l| StampLevel {
                stream: cx.random.fork(u64::from(l)),
                sectors: 1 << l,
                height: self.amplitude * libm::exp2f(-self.falloff * l as f32),
                sunk: self.sunk,
            })
            .collect()
    }
}

struct StampLevel {
    stream: Stream,
    /// Number of sectors along a side.
    sectors: i32,
    height: f32,
    sunk: f32,
}

/// A range of sample columns. `of` is the number of cells along a side.
struct RowColumns {
    first: usize,
    of: usize,
    /// Positions of the columns.
    xs: Vec<f32>,
}

/// A stamp at its random position.
#[derive(Clone, Copy)]
struct PlacedStamp {
    x: f32,
    y: f32,
    height: f32,
    /// Random bits that select the image and its rotation.
    draw: u32,
    /// Random number, from 0 to below 1, that selects the profile if profiles are mixed.
    form: f32,
}

/// Adds a stamp to the samples of a row. The arguments after the stamp are the samples' positions to the east, the east
/// position of the stamp's centre, the row's distance to the south of the centre, the factor from distances to radii,
/// and the row.
trait StampShape: Fn(&PlacedStamp, &[f32], f32, f32, f32, &mut [f32]) + Copy {}
impl<F: Fn(&PlacedStamp, &[f32], f32, f32, f32, &mut [f32]) + Copy> StampShape for F {}

/// Returns a shape with the round profile `height(1 - distance / radius)`.
fn round(height: impl Fn(f32) -> f32 + Copy) -> impl StampShape {
    move |stamp: &PlacedStamp, xs: &[f32], x: f32, dy: f32, per_radius: f32, out: &mut [f32]| {
        for (h, &at) in out.iter_mut().zip(xs) {
            let dx = at - x;
            let t = 1.0 - (dx * dx + dy * dy).sqrt() * per_radius;
            *h += stamp.height * height(if t > 0.0 { t } else { 0.0 });
        }
    }
}

/// Returns a shape that is one of `images`, rotated according to `turn`.
fn pressed(images: &[StampImage], turn: StampTurn) -> impl StampShape {
    move |stamp: &PlacedStamp, xs: &[f32], x: f32, dy: f32, per_radius: f32, out: &mut [f32]| {
        if images.is_empty() {
            return;
        }
        let image = &images[(stamp.draw >> 16) as usize % images.len()];
        let [cos, sin] = turn.cos_sin(stamp.draw as u16);
        for (h, &at) in out.iter_mut().zip(xs) {
            let (a, b) = ((at - x) * per_radius, dy * per_radius);
            *h += stamp.height * image.value_at(a * cos - b * sin, a * sin + b * cos);
        }
    }
}

/// Reads one level of stamps row by row. Neighbouring rows share their stamps.
struct StampReader<'a> {
    level: &'a StampLevel,
    /// Two rows of sectors. Each entry holds the index of the row, which can be beyond the edges, and the stamps of the
    /// row.
    rows: [(i32, Vec<PlacedStamp>); 2],
}

impl<'a> StampReader<'a> {
    fn new(level: &'a StampLevel) -> Self {
        Self { level, rows: [(i32::MIN, Vec::new()), (i32::MIN, Vec::new())] }
    }

    /// Adds the stamps of the level to the row at `y`.
    fn add(&mut self, y: f32, columns: &RowColumns, out: &mut [f32], shape: impl StampShape) {
        let sectors = self.level.sectors as f32;
        let (radius, per_radius) = (0.5 / sectors, 2.0 * sectors);
        let first = libm::floorf(y * sectors - 0.5) as i32;
        for index in [first, first + 1] {
            let (held, stamps) = &mut self.rows[(index & 1) as usize];
            if *held != index {
                *held = index;
                self.level.press(index, stamps);
            }
            for stamp in stamps.iter() {
                let dy = y - stamp.y;
                if dy.abs() >= radius {
                    continue;
                }
                let press = |x: f32, out: &mut [f32]| {
                    let near = span(x, radius, columns.of);
                    let from = |column: usize| column.saturating_sub(columns.first).min(columns.xs.len());
                    let near = from(near.start)..from(near.end);
                    shape(stamp, &columns.xs[near.clone()], x, dy, per_radius, &mut out[near]);
                };
                press(stamp.x, out);
                if stamp.x < radius {
                    press(stamp.x + 1.0, out);
                } else if stamp.x > 1.0 - radius {
                    press(stamp.x - 1.0, out);
                }
            }
        }
    }
}

impl StampLevel {
    /// Computes the stamps of sector row `index`, which can be beyond an edge.
    fn press(&self, index: i32, out: &mut Vec<PlacedStamp>) {
        let per_sector = 1.0 / self.sectors as f32;
        let part = |bits: u64| (bits & 0xff_ffff) as f32 * (1.0 / 16_777_216.0);
        let row = index.rem_euclid(self.sectors);
        out.clear();
        out.extend((0..self.sectors).map(|column| {
            let bits = self.stream.bits(column, row);
            // At a fraction of one half the sign comes from a single bit, as in earlier versions, so that old scenes
            // keep their result.
            let raised = if self.sunk == 0.5 { bits >> 63 == 0 } else { part(bits >> 40) >= self.sunk };
            let draws = self.stream.fork(1).bits(column, row);
            PlacedStamp {
                x: (column as f32 + part(bits)) * per_sector,
                y: (index as f32 + part(bits >> 24)) * per_sector,
                height: if raised { self.height } else { -self.height },
                draw: draws as u32,
                form: part(draws >> 40),
            }
        }));
    }
}

/// Range of the columns that are within `radius` of `x`, plus up to one column on either side. A side has `n` columns.
fn span(x: f32, radius: f32, n: usize) -> std::ops::Range<usize> {
    let scale = n as f32;
    // The cast saturates at 0.
    let first = ((x - radius) * scale) as usize;
    let last = ((x + radius) * scale) as usize + 2;
    first.min(n)..last.min(n)
}
