//! Ground of finer grids that does not rise over the beds of trunk streams: [`TrunkStreams`](crate::channels::trunk_streams) says
//! where these run.
//!
//! Law: with z the height of a bed on the grid that it was found on and c a cell of that, r the distance from the
//! course in such cells, less half a diagonal of a fine cell, G ground of the finer grid and R [`REACH`]:
//! G ← min(G, z + c·(-[`CHANNEL`] + [`BANKS`]·r / (1 - r/R))) where 0 < r < R, and G ← min(G, z - [`CHANNEL`]·c) in the
//! course. So water finds no barrier across a bed, and the detail of all that lies lower stays as rough as it is. Where
//! a bed rises on the way out of a lake its limit rises with it: lakes stay lakes.
//! Scheme: courses are quadratic curves between the middles of steps from sample to sample, with the samples, each
//! moved by up to [`BEND`] of a cell, for the points that bend them: no line along the eight directions shows. Every
//! sample is limited by itself, so windows have the bits of the whole, for any number of threads.
//! Measured: of *Eroded hills* on 4097 samples 0.81 of the trunk streams lay within a cell of those on 513 without, and
//! 0.97 with it, for which 1 % of the ground is lowered by more than half a metre.
//! Where channels are [incised](crate::channels::incised_channels) courses are smoothed: every sample comes to lie half way to
//! the mean of those beside it along the stream, [`SMOOTHINGS`] times.
//! Source: streams are burnt into heights (Saunders 1999) with banks that fall to them (AGREE, Hellweger 1997), here
//! streams of the terrain's own; curves after Chaikin 1974. That the height of the coarser grid is the limit is ours.

use crate::Context;
use talweg_ground::field::{Edges, Grid, Stream};
use talweg_ground::hydrology::tiled::{SurveyReader, WordError, read_floats, write_floats};

/// Depth of a course under the bed of the coarser grid, in its cells: a decimetre on hill land of some kilometres.
pub const CHANNEL: f32 = 0.01;
/// Rise of the limit beside a course, as a slope: 45°.
const BANKS: f32 = 1.0;
/// Cells of the coarser grid from a course at which nothing is limited any more.
const REACH: f32 = 0.75;
/// How far the points of a course are moved to the south and to the east at the most, in cells of the coarser grid.
const BEND: f32 = 0.2;
/// How often incised courses are smoothed.
const SMOOTHINGS: usize = 3;
/// Straight parts of a curve.
const PARTS: usize = 4;
/// Keeps those random values apart from those of the process.
const COURSE_SALT: u64 = 0xc025;

/// Row, column and height.
type CoursePoint = [f32; 3];

/// Where trunk streams run, with the heights of their beds.
#[derive(Debug)]
pub struct StreamCourses {
    grid: Grid,
    /// The three points of each curve, beyond the last row and column where the grid wraps.
    curves: Vec<[CoursePoint; 3]>,
}

impl StreamCourses {
    /// Those through `samples` of `grid`, from each to its receiver, in beds of these heights, smoothed or as they are.
    pub fn new(
        grid: Grid,
        samples: &[u32],
        receivers: &[u32],
        height: &[f32],
        is_smooth: bool,
        random: Stream,
    ) -> Self {
        let (n, random) = (grid.samples, random.fork(COURSE_SALT));
        let place = |k: usize| -> CoursePoint {
            let [i, j] = [k / n, k % n];
            let bend = [0, 1].map(|axis| BEND * random.fork(axis).signed(i as i32, j as i32));
            [i as f32 + bend[0], j as f32 + bend[1], height[k]]
        };
        let period = (n - 1) as f32;
        // the copy of a point that lies beside another one
        let beside = |mut point: CoursePoint, other: CoursePoint| {
            for axis in 0..2 {
                let away = point[axis] - other[axis];
                if grid.edges == Edges::Wrap && away.abs() > 0.5 * period {
                    point[axis] -= period.copysign(away);
                }
            }
            point
        };
        let mut places: Vec<CoursePoint> = (0..grid.len()).map(place).collect();
        for _ in 0..if is_smooth { SMOOTHINGS } else { 0 } {
            // how far those beside a sample lie from it, and how many they are
            let mut apart = vec![[0.0f32; 3]; grid.len()];
            for (from, to) in samples.iter().map(|&from| (from as usize, receivers[from as usize] as usize)) {
                for (at, there) in [(from, to), (to, from)].into_iter().filter(|_| from != to) {
                    let other = beside(places[there], places[at]);
                    (0..2).for_each(|axis| apart[at][axis] += other[axis] - places[at][axis]);
                    apart[at][2] += 1.0;
                }
            }
            // a stream begins and ends where it did
            for (place, apart) in places.iter_mut().zip(&apart).filter(|(_, apart)| apart[2] > 1.0) {
                (0..2).for_each(|axis| place[axis] += 0.5 * apart[axis] / apart[2]);
            }
        }
        let point = |k: usize| places[k];
        let middle = |a: CoursePoint, b: CoursePoint| [0, 1, 2].map(|axis| 0.5 * (a[axis] + b[axis]));
        let mut is_head = vec![true; grid.len()];
        let steps = samples.iter().map(|&from| (from as usize, receivers[from as usize] as usize));
        let steps: Vec<_> = steps.filter(|(from, to)| from != to).collect();
        steps.iter().for_each(|&(_, to)| is_head[to] = false);
        let mut curves = Vec::with_capacity(steps.len());
        for (from, to) in steps {
            let first = point(from);
            let second = beside(point(to), first);
            let third = beside(point(receivers[to] as usize), second);
            if is_head[from] {
                curves.push([first, first, middle(first, second)]);
            }
            curves.push([middle(first, second), second, middle(second, third)]);
        }
        Self { grid, curves }
    }

    /// As words.
    pub fn write_words(&self, words: &mut Vec<u64>) {
        write_floats(words, self.curves.as_flattened().as_flattened());
    }

    /// From [`write_words`](Self::write_words), of courses on `grid`.
    ///
    /// # Errors
    /// When they are no such words.
    pub fn read_words(grid: Grid, reader: &mut SurveyReader) -> Result<Self, WordError> {
        let numbers = read_floats(reader)?;
        let (curves, rest) = numbers.as_chunks::<9>();
        let curve = |[a, b, c, d, e, f, g, h, i]: [f32; 9]| [[a, b, c], [d, e, f], [g, h, i]];
        let made = Self { grid, curves: curves.iter().map(|numbers| curve(*numbers)).collect() };
        if rest.is_empty() { Ok(made) } else { Err(WordError) }
    }

    /// Lowers what of `ground`, on the grid of `cx`, lies across the beds.
    pub fn clear(&self, cx: &Context, ground: &mut [f32]) {
        let last = (self.grid.samples - 1) as f32;
        let shifts: &[f32] = if self.grid.edges == Edges::Wrap { &[-last, 0.0, last] } else { &[0.0] };
        for curve in &self.curves {
            let at = |part: usize| {
                let t = part as f32 / PARTS as f32;
                let [a, b, c] = [(1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t];
                [0, 1, 2].map(|axis| a * curve[0][axis] + b * curve[1][axis] + c * curve[2][axis])
            };
            for part in 0..PARTS {
                let [from, to] = [at(part), at(part + 1)];
                for &south in shifts {
                    for &east in shifts {
                        let [from, to] = [from, to].map(|[row, column, z]| [row + south, column + east, z]);
                        self.clear_part(cx, from, to, ground);
                    }
                }
            }
        }
        // on both sides of a seam the same place is rounded otherwise
        cx.grid.close(ground);
    }

    /// Lowers what lies across a straight part of a course.
    fn clear_part(&self, cx: &Context, from: CoursePoint, to: CoursePoint, ground: &mut [f32]) {
        let fine = cx.grid;
        let fine_cells = (fine.whole_samples() - 1) as f32 / (self.grid.samples - 1) as f32;
        let cell = cx.size_metres * self.grid.cell() / cx.relief_metres;
        let half_width = std::f32::consts::FRAC_1_SQRT_2 / fine_cells;
        let farthest = REACH + half_width;
        let within = |axis: usize| {
            let (low, high) = if from[axis] < to[axis] { (from[axis], to[axis]) } else { (to[axis], from[axis]) };
            let first = fine.first()[axis] as isize;
            let low = ((low - farthest) * fine_cells).floor() as isize - first;
            let high = ((high + farthest) * fine_cells).ceil() as isize + 1 - first;
            low.max(0)..high.min(fine.samples as isize)
        };
        let [down, across] = [to[0] - from[0], to[1] - from[1]];
        let length = down * down + across * across;
        let place = |axis: usize, k: isize| (fine.first()[axis] as isize + k) as f32 / fine_cells;
        for i in within(0) {
            let south = place(0, i) - from[0];
            for j in within(1) {
                let east = place(1, j) - from[1];
                let along = if length > 0.0 { ((south * down + east * across) / length).clamp(0.0, 1.0) } else { 0.0 };
                let [south, east] = [south - along * down, east - along * across];
                let away = (south * south + east * east).sqrt() - half_width;
                if away >= REACH {
                    continue;
                }
                let rise = if away > 0.0 { BANKS * away / (1.0 - away / REACH) } else { 0.0 };
                let limit = from[2] + along * (to[2] - from[2]) + cell * (rise - CHANNEL);
                let height = &mut ground[(i * fine.samples as isize + j) as usize];
                if *height > limit {
                    *height = limit;
                }
            }
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use talweg_ground::field::Control;

    /// Of hill land of 3.2 km.
    pub fn context(grid: Grid, control: &Control) -> Context<'_> {
        Context {
            grid,
            size_metres: 3200.0,
            relief_metres: 100.0,
            sea_level: 0.0,
            planet: None,
            scene_samples: grid.whole_samples(),
            level: 1.0,
            random: Stream::new(1, 1),
            control,
        }
    }

    /// A stream down the middle column of 33 samples, which falls by 0.01 a step.
    fn courses() -> StreamCourses {
        let grid = Grid::new(33, Edges::Open);
        let sample = |k: usize| (k * 33 + 16) as u32;
        let samples: Vec<u32> = (0..33).map(sample).collect();
        let mut receivers: Vec<u32> = (0..grid.len() as u32).collect();
        (0..32).for_each(|k| receivers[sample(k) as usize] = sample(k + 1));
        let mut height = vec![9.0; grid.len()];
        (0..33).for_each(|k| height[sample(k) as usize] = 1.0 - 0.01 * k as f32);
        StreamCourses::new(grid, &samples, &receivers, &height, false, Stream::new(1, 1))
    }

    #[test]
    fn what_lies_across_a_bed_is_lowered_and_what_lies_lower_keeps_its_bits() {
        let control = Control::default();
        let fine = Grid::new(257, Edges::Open);
        let rough = |k: usize| 1.0 - 0.01 * (k / 257) as f32 / 8.0 + if k.is_multiple_of(3) { 0.2 } else { -0.1 };
        let before: Vec<f32> = (0..fine.len()).map(rough).collect();
        let mut after = before.clone();
        courses().clear(&context(fine, &control), &mut after);
        let lowered: Vec<usize> = (0..fine.len()).filter(|&k| after[k] != before[k]).collect();
        assert!(lowered.len() > 257, "{}", lowered.len());
        for &k in &lowered {
            assert!(after[k] < before[k] && k.is_multiple_of(3), "{k}");
            assert!((k % 257).abs_diff(128) as f32 <= 8.0 * (REACH + BEND) + 1.0, "{k}");
        }
        // through a wall a way leads down the course, from row to row one column aside at the most
        let mut wall = vec![2.0; fine.len()];
        courses().clear(&context(fine, &control), &mut wall);
        let open = |i: usize| -> Vec<usize> {
            let limit = 1.0 - 0.01 * (i as f32 / 8.0 - 0.5);
            (0..257).filter(|&j| wall[i * 257 + j] < limit).collect()
        };
        for i in 1..257 {
            let (above, here) = (open(i - 1), open(i));
            assert!(
                here.iter().any(|j| above.iter().any(|before| j.abs_diff(*before) <= 1)),
                "{i}: {above:?} {here:?}"
            );
        }
    }

    #[test]
    fn windows_have_the_bits_of_the_whole() {
        let control = Control::default();
        let fine = Grid::new(200, Edges::Open);
        let mut whole = vec![2.0; fine.len()];
        courses().clear(&context(fine, &control), &mut whole);
        let window = fine.window([50, 90], 60);
        let mut part = vec![2.0; window.len()];
        courses().clear(&context(window, &control), &mut part);
        assert!(part.iter().any(|&height| height < 2.0));
        assert!((0..part.len()).all(|k| part[k] == whole[(50 + k / 60) * 200 + 90 + k % 60]));
    }

    #[test]
    fn a_course_goes_on_over_the_seam() {
        let control = Control::default();
        let grid = Grid::new(33, Edges::Wrap);
        // from the last column but one over the seam to the second, along the first row
        let samples: Vec<u32> = vec![30, 31, 0, 1];
        let mut receivers: Vec<u32> = (0..grid.len() as u32).collect();
        samples.windows(2).for_each(|pair| receivers[pair[0] as usize] = pair[1]);
        let made = StreamCourses::new(grid, &samples, &receivers, &vec![0.0; grid.len()], false, Stream::new(1, 1));
        let fine = Grid::new(129, Edges::Wrap);
        let mut ground = vec![1.0; fine.len()];
        made.clear(&context(fine, &control), &mut ground);
        for k in 0..129 {
            assert_eq!(ground[k], ground[128 * 129 + k], "rows {k}");
            assert_eq!(ground[k * 129], ground[k * 129 + 128], "columns {k}");
        }
        assert!((0..129).any(|i| ground[i * 129] < 0.0) && ground[64] == 1.0);
        let row_lowered = (0..129).filter(|&j| (0..129).any(|i| ground[i * 129 + j] < 0.0)).count();
        assert!((12..=22).contains(&row_lowered), "{row_lowered}");
    }
}
