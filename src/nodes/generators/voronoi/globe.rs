//! Voronoi cells around a globe.
//!
//! Law: as in [`voronoi`](super), with points on the sphere and distances along chords. The unit of distance is the
//! square root of the area per point, √(4π / N), with N the number of points on the whole globe; the plane uses the
//! same unit. The lattice has the same number of cells on every face.
//! Scheme: sections of rows share a list of candidate points, found exactly (`sphere_points`). The result equals a
//! search through all points, so faces agree on their borders.

use std::f32::consts::PI;

use super::sphere_points::{SpherePoint, SpherePoints, on_faces, scattered};
use super::{REGIONS, Regions, Scatter, Voronoi};
use crate::Context;
use talweg_ground::field::vector::squared_distance;
use talweg_ground::field::{Cancelled, Globe, Stream};

/// Number of samples of a row that share a list of candidate points.
const SHARED: usize = 32;
const LANES: usize = 8;

impl Voronoi {
    /// Computes the heights `out` on a globe.
    pub(super) fn fill_globe(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let points = match self.scatter {
            Scatter::Random => scattered(self.points, cx.random),
            Scatter::Lattice => on_faces(self.points, self.jitter, cx.random),
        };
        cx.control.check()?;
        let points = SpherePoints::new(&points);
        let values = cx.random.fork(REGIONS);
        match self.farthest() {
            8 => self.relief_around::<8>(cx, &points, values, out),
            7 => self.relief_around::<7>(cx, &points, values, out),
            6 => self.relief_around::<6>(cx, &points, values, out),
            5 => self.relief_around::<5>(cx, &points, values, out),
            4 => self.relief_around::<4>(cx, &points, values, out),
            3 => self.relief_around::<3>(cx, &points, values, out),
            2 => self.relief_around::<2>(cx, &points, values, out),
            _ => self.relief_around::<1>(cx, &points, values, out),
        }
    }

    fn relief_around<const K: usize>(
        &self,
        cx: &Context,
        points: &SpherePoints,
        values: Stream,
        out: &mut [f32],
    ) -> Result<(), Cancelled> {
        let n = cx.grid.samples;
        let globe = Globe::new(n);
        // Factor that converts chords on the unit sphere to the unit of distance in the module docs.
        let density = points.count() as f32 / (4.0 * PI);
        cx.bands(out, |first, cells| {
            let mut axes: [Vec<f32>; 3] = std::array::from_fn(|_| vec![0.0; n]);
            let mut near = Vec::new();
            for (k, row) in cells.chunks_mut(n).enumerate() {
                let [x, y, z] = &mut axes;
                globe.row_directions(first + k, [&mut *x, &mut *y, &mut *z]);
                for start in (0..n).step_by(SHARED) {
                    let piece = start..(start + SHARED).min(n);
                    let place = |k: usize| [x[k], y[k], z[k]];
                    let centre = place((piece.start + piece.end) / 2);
                    let reach = piece.clone().map(|k| squared_distance(centre, place(k))).fold(0.0, f32::max).sqrt();
                    points.candidates(centre, reach, K, &mut near);
                    for at in piece.clone().step_by(LANES) {
                        let lanes = at..(at + LANES).min(piece.end);
                        let lane = |axis: &[f32]| std::array::from_fn(|l| axis[(at + l).min(lanes.end - 1)]);
                        let squares = nearest_squares::<K>(&near, [lane(x), lane(y), lane(z)]);
                        let heights = self.heights(&squares, density);
                        row[lanes.clone()].copy_from_slice(&heights[..lanes.len()]);
                    }
                    if self.regions != Regions::Alike {
                        for k in piece {
                            row[k] = self.base + (row[k] - self.base) * self.factor_at(values, &near, place(k));
                        }
                    }
                }
            }
        })
    }

    /// Returns the factor of the region around the nearest point. If two points are equally near, the smaller factor
    /// counts.
    fn factor_at(&self, values: Stream, near: &[SpherePoint], place: [f32; 3]) -> f32 {
        let (mut least, mut factor) = (f32::INFINITY, 1.0);
        for &(point, number) in near {
            let square = squared_distance(point, place);
            if square <= least {
                let own = self.factor(values.unit(number as i32, 0));
                if square < least || own < factor {
                    (least, factor) = (square, own);
                }
            }
        }
        factor
    }
}

/// Returns the squares of the K shortest chords from each position, in ascending order.
#[inline(always)]
fn nearest_squares<const K: usize>(points: &[SpherePoint], [x, y, z]: [[f32; LANES]; 3]) -> [[f32; LANES]; K] {
    let mut least = [[f32::INFINITY; LANES]; K];
    for (point, _) in points {
        let mut square = [0.0; LANES];
        for l in 0..LANES {
            let [a, b, c] = [x[l] - point[0], y[l] - point[1], z[l] - point[2]];
            square[l] = a * a + b * b + c * c;
        }
        for least in &mut least {
            for l in 0..LANES {
                let (a, b) = (least[l], square[l]);
                least[l] = if a < b { a } else { b };
                square[l] = if a < b { b } else { a };
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Generator;
    use talweg_ground::field::{Control, Grid};

    #[test]
    fn pieces_give_the_bits_of_a_search_through_all_points() {
        for (points, scatter) in [(1, Scatter::Random), (5, Scatter::Lattice), (2000, Scatter::Random)] {
            let node = Voronoi { points, scatter, c3: 0.5, c4: -1.5, c7: 0.8, ..Voronoi::default() };
            let control = Control::default();
            let cx = Context {
                grid: Grid::globe(33),
                size_metres: 1000.0,
                relief_metres: 100.0,
                sea_level: 0.0,
                planet: None,
                scene_samples: 33,
                cell_ratio: 1.0,
                voids: Default::default(),
                random: Stream::new(5, 6),
                control: &control,
            };
            let mut out = vec![0.0; cx.grid.len()];
            node.fill(&cx, &mut out).unwrap();
            let all = match scatter {
                Scatter::Random => scattered(points, cx.random),
                Scatter::Lattice => on_faces(points, node.jitter, cx.random),
            };
            let all: Vec<SpherePoint> = all.into_iter().zip(0..).collect();
            let globe = Globe::new(33);
            for (k, &h) in out.iter().enumerate() {
                let place = globe.direction_of(k).map(|x| [x; LANES]);
                let squares = nearest_squares::<7>(&all, place);
                assert_eq!(h, node.heights(&squares, all.len() as f32 / (4.0 * PI))[0], "{points}: {k}");
                assert_eq!(h.to_bits(), out[globe.grid().owner(k)].to_bits(), "{points}: faces differ at {k}");
            }
        }
    }
}
