//! 3D cellular noise, sampled on the surface of a globe.
//!
//! Law: each cube of a lattice has a feature point, moved from the cube's centre by the jitter. F₁ and F₂ are the
//! distances to the nearest and second nearest point, in cells. The surface cuts the cells anywhere and rarely meets a
//! point, so F₁ is larger on the surface than in a plane lattice and F₂ - F₁ smaller. Each feature is therefore shifted
//! and scaled, so that its mean and its standard deviation at full jitter are those of
//! [`cellular`](crate::generators::cellular) in the plane (measured by a test). This scaling is our own convention.
//! Scheme: the search is exact. The point of a position's own cell is closer than √3, and the second nearest point is
//! closer than √6, so the points of 7 × 7 × 7 cells are sufficient. Of these points only those that can be nearest to a
//! sample of the run are kept.
//! Source: Worley 1996, *A cellular texture basis function*.

use super::{SolidNoise, SpacePoints, drawn, mixed};
use crate::generators::cellular::CellDistance;
use talweg_ground::field::Stream;
use talweg_ground::field::vector::dot;

/// One octave of cellular noise in space.
#[derive(Clone, Copy, Debug)]
pub struct SolidCells {
    seed: u32,
    frequency: f32,
    shift: [f32; 3],
    jitter: f32,
    feature: CellDistance,
}

impl SolidCells {
    /// Creates an octave with `frequency` cells per unit of length.
    pub fn new(random: Stream, frequency: f32, jitter: f32, feature: CellDistance) -> Self {
        let shift = random.fork(0);
        Self {
            seed: random.bits(0, 0) as u32,
            frequency,
            shift: std::array::from_fn(|k| shift.unit(k as i32, 0)),
            jitter,
            feature,
        }
    }

    /// Mean and standard deviation of the feature, first on a surface in space, then in the plane.
    fn levels(&self) -> [[f32; 2]; 2] {
        match self.feature {
            CellDistance::Nearest => [[0.5202, 0.1722], [0.4292, 0.1896]],
            CellDistance::Second => [[0.7168, 0.1430], [0.6986, 0.1765]],
            CellDistance::Difference => [[0.1966, 0.1583], [0.2694, 0.2011]],
        }
    }

    /// Position of the feature point of a cell, measured from the cell's lowest corner.
    #[inline(always)]
    fn point(&self, cell: [i32; 3]) -> [f32; 3] {
        let bits = drawn(mixed(self.seed, cell));
        // Ten bits per axis are finer than visible differences; a second draw would double the cost.
        [0, 10, 20].map(|shift| {
            let random = (bits >> shift & 0x3ff) as i32 as f32 * (1.0 / 1024.0);
            0.5 + self.jitter * (random - 0.5)
        })
    }

    /// Collects the points around a cell that can be among the two nearest to a position between `low` and `high` in
    /// the cell. All positions are measured from the cell's corner.
    fn gather(&self, cell: [i32; 3], [low, high]: [[f32; 3]; 2], near: &mut Vec<[f32; 3]>) {
        near.clear();
        let mut bound = [f32::INFINITY; 2];
        let beyond = |x: f32, low: f32, high: f32| {
            let (a, b) = (low - x, x - high);
            let out = if a > b { a } else { b };
            if out > 0.0 { out } else { 0.0 }
        };
        let square = |v: [f32; 3]| dot(v, v);
        for reach in 0..=REACH {
            // The minimum distance from the position to the cells of this ring.
            let gap = (reach - 1).max(0) as f32;
            let inside = (0..3).fold(f32::INFINITY, |least, axis| {
                let border = if low[axis] < 1.0 - high[axis] { low[axis] } else { 1.0 - high[axis] };
                if border < least { border } else { least }
            });
            if reach > 0 && (gap + inside) * (gap + inside) > bound[1] {
                break;
            }
            for step in ring(reach) {
                let corner = std::array::from_fn(|axis| cell[axis].wrapping_add(step[axis]));
                let point = self.point(corner);
                let point: [f32; 3] = std::array::from_fn(|axis| point[axis] + step[axis] as f32);
                let far = square(std::array::from_fn(|axis| {
                    let (a, b) = ((point[axis] - low[axis]).abs(), (point[axis] - high[axis]).abs());
                    if a > b { a } else { b }
                }));
                if far < bound[0] {
                    bound = [far, bound[0]];
                } else if far < bound[1] {
                    bound[1] = far;
                }
                near.push(point);
            }
        }
        let limit = bound[1] * 1.0001;
        near.retain(|point| square(std::array::from_fn(|axis| beyond(point[axis], low[axis], high[axis]))) <= limit);
    }
}

/// Number of rings of cells that are searched around a cell.
const REACH: i32 = 3;

/// The cells at a distance of `reach` cells along at least one axis, and at most `reach` along the other axes.
fn ring(reach: i32) -> impl Iterator<Item = [i32; 3]> {
    let side = 2 * reach + 1;
    (0..side * side * side)
        .map(move |k| [k % side - reach, k / side % side - reach, k / (side * side) - reach])
        .filter(move |step| step.iter().any(|s| s.abs() == reach))
}

impl SolidNoise for SolidCells {
    fn add(&self, points: [&[f32]; 3], amplitude: f32, out: &mut [f32], places: &mut SpacePoints) {
        let n = out.len();
        places.find(points, self.frequency, self.shift, n);
        let [[mean, spread], [wanted, wanted_spread]] = self.levels();
        let stretch = wanted_spread / spread;
        let mut near = Vec::new();
        let mut first = 0;
        while first < n {
            let (cell, end) = places.run(first, n);
            let [xs, ys, zs] = places.fractions(first..end);
            let least = |v: &[f32]| v.iter().fold(1.0f32, |least, &x| if x < least { x } else { least });
            let most = |v: &[f32]| v.iter().fold(0.0f32, |most, &x| if x > most { x } else { most });
            let within = [[least(xs), least(ys), least(zs)], [most(xs), most(ys), most(zs)]];
            self.gather(cell, within, &mut near);
            for (((out, &x), &y), &z) in out[first..end].iter_mut().zip(xs).zip(ys).zip(zs) {
                let (mut one, mut two) = (f32::INFINITY, f32::INFINITY);
                for &[px, py, pz] in &near {
                    let d = (x - px) * (x - px) + (y - py) * (y - py) + (z - pz) * (z - pz);
                    let farther = if d > one { d } else { one };
                    one = if d < one { d } else { one };
                    two = if farther < two { farther } else { two };
                }
                let value = match self.feature {
                    CellDistance::Nearest => one.sqrt(),
                    CellDistance::Second => two.sqrt(),
                    CellDistance::Difference => two.sqrt() - one.sqrt(),
                };
                *out += amplitude * (wanted + (value - mean) * stretch);
            }
            first = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::cellular::Cellular;
    use crate::{Context, Generator};
    use talweg_ground::field::{Control, Edges, Globe, Grid};

    fn spread(values: &[f32]) -> [f64; 2] {
        let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / values.len() as f64;
        let away = |v: f32| f64::from(v) - mean;
        let square = values.iter().map(|&v| away(v) * away(v)).sum::<f64>() / values.len() as f64;
        [mean, square.sqrt()]
    }

    fn on_globe(noise: &SolidCells) -> Vec<f32> {
        let globe = Globe::new(65);
        let axes: [Vec<f32>; 3] =
            std::array::from_fn(|axis| (0..globe.len()).map(|k| globe.direction_of(k)[axis]).collect());
        let mut out = vec![0.0; globe.len()];
        noise.add(axes.each_ref().map(Vec::as_slice), 1.0, &mut out, &mut SpacePoints::default());
        out
    }

    /// At full jitter, the mean and standard deviation of every feature on a globe equal those in the plane.
    #[test]
    fn a_globe_is_as_high_and_as_rough_as_the_plane() {
        for feature in [CellDistance::Nearest, CellDistance::Second, CellDistance::Difference] {
            let node = Cellular { feature, octaves: 1, frequency: 40.0, ..Cellular::default() };
            let control = Control::default();
            let cx = Context {
                grid: Grid::new(513, Edges::Open),
                size_metres: 1000.0,
                relief_metres: 100.0,
                sea_level: 0.0,
                planet: None,
                scene_samples: 513,
                cell_ratio: 1.0,
                voids: Default::default(),
                random: Stream::new(5, 6),
                control: &control,
            };
            let mut plane = vec![0.0; cx.grid.len()];
            node.fill(&cx, &mut plane).unwrap();
            let globe = on_globe(&SolidCells::new(Stream::new(3, 4), 12.7, 1.0, feature));
            let ([mean, rough], [wanted, wanted_rough]) = (spread(&globe), spread(&plane));
            println!("{feature:?}: {mean:.4} ± {rough:.4} on the globe, {wanted:.4} ± {wanted_rough:.4} in the plane");
            assert!((mean - wanted).abs() < 0.02 && (rough - wanted_rough).abs() < 0.012, "{feature:?}");
        }
    }

    /// A search through all surrounding points finds the same distances.
    #[test]
    fn no_nearer_point_is_missed() {
        for (jitter, frequency) in [(1.0, 3.0), (0.0, 9.0), (0.6, 40.0)] {
            let noise = SolidCells::new(Stream::new(8, 9), frequency, jitter, CellDistance::Second);
            let [[mean, spread], [wanted, wanted_spread]] = noise.levels();
            let globe = Globe::new(65);
            let heights = on_globe(&noise);
            for k in (0..globe.len()).step_by(37) {
                let mut places = SpacePoints::default();
                let [x, y, z] = globe.direction_of(k);
                places.find([&[x], &[y], &[z]], noise.frequency, noise.shift, 1);
                let (cell, _) = places.run(0, 1);
                let here = places.fractions(0..1).map(|f| f[0]);
                let mut all: Vec<f32> = (0..9 * 9 * 9)
                    .map(|c| [c % 9 - 4, c / 9 % 9 - 4, c / 81 - 4])
                    .map(|step| {
                        let point = noise.point(std::array::from_fn(|a| cell[a] + step[a]));
                        let away: [f32; 3] = std::array::from_fn(|a| here[a] - (point[a] + step[a] as f32));
                        away[0] * away[0] + away[1] * away[1] + away[2] * away[2]
                    })
                    .collect();
                all.sort_by(f32::total_cmp);
                let expected = wanted + (all[1].sqrt() - mean) * (wanted_spread / spread);
                assert!((heights[k] - expected).abs() < 1e-5, "{} and {expected} at {k}", heights[k]);
            }
        }
    }
}
