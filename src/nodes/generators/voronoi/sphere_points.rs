//! Points scattered on a globe, and a search for near points.
//!
//! Scheme: the points are sorted into cubes of space about as wide as their spacing. Let R be the distance from a
//! centre to its K-th nearest point. For all samples within ρ of this centre, the K nearest points are within R + 2ρ of
//! the centre.

use talweg_ground::field::Stream;
use talweg_ground::field::globe::direction_at;
use talweg_ground::field::vector::squared_distance;

/// A unit vector with the index of the point.
pub type SpherePoint = ([f32; 3], u32);

/// Points on a sphere, sorted into cubes of space.
pub struct SpherePoints {
    side: usize,
    /// The points of cube c are `points[starts[c]..starts[c + 1]]`.
    starts: Vec<u32>,
    points: Vec<SpherePoint>,
}

/// Maximum number of cubes along a side: 64³ cubes take 1 MB.
const MOST: usize = 64;

/// Returns `count` points, uniformly random over the sphere (by Archimedes' theorem on the sphere and the cylinder).
pub fn scattered(count: u32, random: Stream) -> Vec<[f32; 3]> {
    let point = |k: i32| {
        let z = random.signed(k, 0);
        let around = random.unit(k, 1) * std::f32::consts::TAU;
        let level = (1.0 - z * z).max(0.0).sqrt();
        [level * libm::cosf(around), level * libm::sinf(around), z]
    };
    (0..count as i32).map(point).collect()
}

/// Returns about `count` points, one in each cell of a grid over the six faces, moved from the cell's centre by
/// `jitter`.
pub fn on_faces(count: u32, jitter: f32, random: Stream) -> Vec<[f32; 3]> {
    let side = libm::sqrtf(count as f32 / 6.0).round().max(1.0) as i32;
    let (rows, columns) = (random.fork(0), random.fork(1));
    let mut points = Vec::with_capacity((6 * side * side) as usize);
    for face in 0..6 {
        for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
            let at = |cell: i32, random: f32| f64::from((cell as f32 + 0.5 + jitter * (random - 0.5)) / side as f32);
            let (row, column) = (face * side + i, j);
            let direction =
                direction_at(face as usize, at(j, columns.unit(column, row)), at(i, rows.unit(column, row)));
            points.push(direction.map(|x| x as f32));
        }
    }
    points
}

impl SpherePoints {
    /// Sorts the points by position.
    pub fn new(points: &[[f32; 3]]) -> Self {
        let spacing = (4.0 * std::f32::consts::PI / points.len().max(1) as f32).sqrt();
        let side = ((2.0 / spacing) as usize).clamp(1, MOST);
        let mut found = Self { side, starts: vec![0; side * side * side + 1], points: Vec::new() };
        let cube = |p: &[f32; 3]| found.cube(p.map(|x| found.line(x) as usize));
        let mut sorted: Vec<(usize, SpherePoint)> = points.iter().zip(0..).map(|(p, k)| (cube(p), (*p, k))).collect();
        sorted.sort_by_key(|(cube, (_, k))| (*cube, *k));
        for (cube, _) in &sorted {
            found.starts[cube + 1] += 1;
        }
        for c in 0..side * side * side {
            found.starts[c + 1] += found.starts[c];
        }
        found.points = sorted.into_iter().map(|(_, point)| point).collect();
        found
    }

    /// Number of points.
    pub fn count(&self) -> usize {
        self.points.len()
    }

    /// The row of cubes that contains the coordinate `x`.
    fn line(&self, x: f32) -> i32 {
        (((x + 1.0) * (0.5 * self.side as f32)) as i32).clamp(0, self.side as i32 - 1)
    }

    fn cube(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.side + y) * self.side + x
    }

    /// Collects every point that can be among the `k` nearest to any position within `reach` of `centre`.
    pub fn candidates(&self, centre: [f32; 3], reach: f32, k: usize, out: &mut Vec<SpherePoint>) {
        let mut radius = 3.0 / self.side as f32;
        loop {
            self.collect_within(centre, radius, out);
            if out.len() >= k.min(self.count()) {
                break;
            }
            radius *= 1.5;
        }
        let mut squares: Vec<f32> = out.iter().map(|&(p, _)| squared_distance(centre, p)).collect();
        let last = k.min(squares.len()).max(1) - 1;
        if squares.is_empty() {
            return;
        }
        let (_, &mut farthest, _) = squares.select_nth_unstable_by(last, f32::total_cmp);
        // The small extra distance allows for rounding.
        self.collect_within(centre, (farthest.sqrt() + 2.0 * reach) * 1.0001 + 1.0e-6, out);
    }

    fn collect_within(&self, centre: [f32; 3], radius: f32, out: &mut Vec<SpherePoint>) {
        out.clear();
        let [x, y, z] = centre.map(|c| self.line(c - radius) as usize..=self.line(c + radius) as usize);
        for (k, j) in z.flat_map(|k| y.clone().map(move |j| (k, j))) {
            let row = self.starts[self.cube([*x.start(), j, k])]..self.starts[self.cube([*x.end(), j, k]) + 1];
            let points = &self.points[row.start as usize..row.end as usize];
            out.extend(points.iter().filter(|(p, _)| squared_distance(*p, centre) <= radius * radius));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_hold_the_nearest_of_all() {
        for points in
            [scattered(1, Stream::new(1, 2)), scattered(3000, Stream::new(1, 2)), on_faces(700, 1.0, Stream::new(3, 4))]
        {
            assert!(points.iter().all(|p| (p.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5));
            let sorted = SpherePoints::new(&points);
            let random = Stream::new(5, 5);
            let mut near = Vec::new();
            for (k, centre) in scattered(300, random).into_iter().enumerate() {
                let reach = 0.02 * (k % 7) as f32;
                sorted.candidates(centre, reach, 4, &mut near);
                let place: [f32; 3] =
                    std::array::from_fn(|axis| centre[axis] + reach * 0.57 * random.signed(k as i32, 9 + axis as i32));
                let least = |of: &mut dyn Iterator<Item = [f32; 3]>| {
                    let mut squares: Vec<f32> = of.map(|p| squared_distance(p, place)).collect();
                    squares.sort_by(f32::total_cmp);
                    squares.truncate(4);
                    squares
                };
                let found = least(&mut near.iter().map(|&(p, _)| p));
                assert_eq!(found, least(&mut points.iter().copied()), "{k}");
            }
        }
    }

    #[test]
    fn points_are_even_over_the_sphere() {
        for points in [scattered(20_000, Stream::new(7, 7)), on_faces(20_000, 1.0, Stream::new(7, 7))] {
            assert!((points.len() as f32 / 20_000.0 - 1.0).abs() < 0.02);
            let count = |inside: &dyn Fn(&[f32; 3]) -> bool| {
                points.iter().filter(|p| inside(p)).count() as f32 / points.len() as f32
            };
            // Each of the two caps around an axis covers a quarter of the sphere and holds a quarter of the points.
            for axis in 0..3 {
                assert!(
                    (count(&|p| p[axis] > 0.5) - 0.25).abs() < 0.02 && (count(&|p| p[axis] < -0.5) - 0.25).abs() < 0.02
                );
            }
        }
    }
}
