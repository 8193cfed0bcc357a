//! Feature points of the unit square, and optionally of a margin around it, in buckets for a fast search of near
//! points.

/// A position in the unit square: x to the east, y to the south.
pub type FeaturePoint = [f32; 2];

/// Feature points, sorted into square buckets of about two points each.
pub struct Buckets {
    side: usize,
    /// The points of bucket b are `points[starts[b]..starts[b + 1]]`.
    starts: Vec<u32>,
    points: Vec<FeaturePoint>,
    wraps: bool,
    /// Width of the margin that the buckets cover around the unit square.
    margin: f32,
    /// Number of buckets per unit of length.
    per_side: f32,
    /// Number of points in the unit square.
    count: usize,
}

impl Buckets {
    /// Sorts the points into buckets: `count` points are in the unit square, the other points within `margin` of it.
    /// `margin` must be 0 if the terrain wraps.
    pub fn new(points: &[FeaturePoint], count: usize, margin: f32, wraps: bool) -> Self {
        let side = ((points.len() as f32 * 0.5).sqrt() as usize).max(1);
        let per_side = side as f32 / (1.0 + 2.0 * margin);
        let bucket = |p: &FeaturePoint| {
            // The cast saturates at 0.
            let cell = |x: f32| (((x + margin) * per_side) as usize).min(side - 1);
            cell(p[1]) * side + cell(p[0])
        };
        let mut starts = vec![0u32; side * side + 1];
        for p in points {
            starts[bucket(p) + 1] += 1;
        }
        for b in 0..side * side {
            starts[b + 1] += starts[b];
        }
        let mut sorted = points.to_vec();
        sorted.sort_by_key(bucket);
        Self { side, starts, points: sorted, wraps, margin, per_side, count }
    }

    /// Number of points in the unit square.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether the terrain wraps.
    pub fn wraps(&self) -> bool {
        self.wraps
    }

    /// Collects every point that can be among the `k` nearest to any sample of the block `xs` × `ys`.
    pub fn candidates(&self, xs: &[f32], ys: &[f32], k: usize, out: &mut Vec<FeaturePoint>) {
        let span = |values: &[f32]| {
            let (lo, hi) = values.iter().fold((f32::MAX, f32::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)));
            ((lo + hi) * 0.5, (hi - lo) * 0.5)
        };
        let ((x, half_width), (y, half_height)) = (span(xs), span(ys));
        let reach = (half_width * half_width + half_height * half_height).sqrt();
        let mut radius = (k as f32 / (2 * self.count()) as f32).sqrt();
        loop {
            self.collect_within([x, y], radius, out);
            if out.len() >= k {
                break;
            }
            if radius > ACROSS * (1.0 + 2.0 * self.margin) {
                return; // Fewer than k points exist, and all are collected.
            }
            radius *= 1.5;
        }
        let mut distances: Vec<f32> = out.iter().map(|&p| self.distance([x, y], p)).collect();
        let (_, &mut farthest, _) = distances.select_nth_unstable_by(k - 1, f32::total_cmp);
        // The small extra distance allows for rounding.
        self.collect_within([x, y], (farthest + 2.0 * reach) * 1.0001 + 1.0e-6, out);
    }

    /// Collects every point within `radius` of `centre`, each point once.
    fn collect_within(&self, centre: FeaturePoint, radius: f32, out: &mut Vec<FeaturePoint>) {
        out.clear();
        for row in self.reached(centre[1], radius) {
            for column in self.reached(centre[0], radius) {
                let bucket = row * self.side + column;
                let span = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
                out.extend(self.points[span].iter().filter(|&&p| self.distance(centre, p) <= radius));
            }
        }
    }

    /// The rows (or columns) of buckets within `radius` of `at`, each row once.
    fn reached(&self, at: f32, radius: f32) -> impl Iterator<Item = usize> + use<> {
        let side = self.side as i64;
        let bucket = |x: f32| libm::floorf((x + self.margin) * self.per_side) as i64;
        let (mut first, mut last) = (bucket(at - radius) - 1, bucket(at + radius) + 1);
        if !self.wraps {
            (first, last) = (first.max(0), last.min(side - 1));
        } else if last - first >= side {
            (first, last) = (0, side - 1);
        }
        (first..=last).map(move |b| b.rem_euclid(side) as usize)
    }

    fn distance(&self, a: FeaturePoint, b: FeaturePoint) -> f32 {
        let along = |d: f32| if self.wraps { d.min(1.0 - d) } else { d };
        let (dx, dy) = (along((a[0] - b[0]).abs()), along((a[1] - b[1]).abs()));
        (dx * dx + dy * dy).sqrt()
    }
}

/// A length greater than the diagonal of the unit square.
const ACROSS: f32 = 1.5;
