//! Poisson-disc sets (blue noise): random points with a minimum distance between each other and without large gaps.
//!
//! Method: the plane is divided into cells of side distance/√2. In every round, a random candidate point with a random
//! rank is drawn in each cell that has no accepted point. Candidates closer than the minimum distance to a point of an
//! earlier round are dropped. A remaining candidate is accepted if its rank is the highest of all candidates within the
//! minimum distance. This is dart throwing in random order, where each decision depends only on nearby points. In round
//! k, a point depends only on points within (1 + 2k) minimum distances, never on the requested window. A larger window
//! therefore contains the same points as a smaller window.
//! Reference: if darts are thrown until no further dart fits, discs whose radius is half the minimum distance cover a
//! fraction of 0.547 of the plane (Hinrichsen, Feder & Jøssang 1986). Eight rounds of this method cover a fraction of
//! 0.48.
//! Source: Cook 1986 (dart throwing); Matérn 1960 (one round is his hard-core process of type II); Wei 2008 (parallel,
//! by cells).

use rayon::prelude::*;

use crate::geometry::plane::{Point, dot, sub};
use talweg_ground::field::Stream;

/// Number of rounds of dart throwing.
const ROUNDS: u64 = 8;
/// Width, in cells, of the margin around a window that can affect points inside the window. It is (1 + 2 · 7) minimum
/// distances, plus two cells because a cell reads its neighbours up to two cells away.
const MARGIN: i32 = 24;
/// Maximum number of cells of a window with its margin.
const MOST_CELLS: i64 = 1 << 21;

/// A point, and the cell that identifies it in every window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoissonPoint {
    /// Position in metres.
    pub at: Point,
    /// Column and row of the cell that contains the point.
    pub cell: [i32; 2],
}

/// The points in a window from `low` to `high`, at least `distance` metres apart, in the row-by-row order of their
/// cells. `None` if the window would have too many cells.
pub fn poisson_disc_points(low: Point, high: Point, distance: f64, random: Stream) -> Option<Vec<PoissonPoint>> {
    let size = distance * std::f64::consts::FRAC_1_SQRT_2;
    let [first, last] = [low, high].map(|p| p.map(|v| libm::floor(v / size)));
    if first.iter().chain(&last).any(|v| !(-1e9..=1e9).contains(v)) || last[0] < first[0] || last[1] < first[1] {
        return None;
    }
    let from = first.map(|v| v as i32 - MARGIN);
    let count = [0, 1].map(|k| last[k] as i64 - first[k] as i64 + 1 + 2 * i64::from(MARGIN));
    // test each side first, so that the product cannot overflow
    if count[0] > MOST_CELLS || count[1] > MOST_CELLS || count[0] * count[1] > MOST_CELLS {
        return None;
    }
    let [columns, rows] = count.map(|n| n as usize);
    let square = distance * distance;
    let mut taken: Vec<Option<Point>> = vec![None; columns * rows];
    for round in 0..ROUNDS {
        let streams = [3 * round, 3 * round + 1, 3 * round + 2].map(|salt| random.fork(salt));
        let cell_of = |k: usize| [from[0] + (k % columns) as i32, from[1] + (k / columns) as i32];
        let dart = |k: usize| {
            let cell = cell_of(k);
            [0, 1].map(|axis| (f64::from(cell[axis]) + f64::from(streams[axis].unit(cell[0], cell[1]))) * size)
        };
        let rank = |k: usize| {
            let cell = cell_of(k);
            (streams[2].bits(cell[0], cell[1]), k)
        };
        let is_near = |a: Point, b: Point| {
            let way = sub(a, b);
            dot(way, way) < square
        };
        let darts: Vec<Option<Point>> = (0..columns * rows)
            .into_par_iter()
            .map(|k| {
                if taken[k].is_some() {
                    return None;
                }
                let p = dart(k);
                let is_free = !neighbours(k, columns, rows).any(|other| taken[other].is_some_and(|q| is_near(p, q)));
                is_free.then_some(p)
            })
            .collect();
        let winners: Vec<usize> = (0..columns * rows)
            .into_par_iter()
            .filter(|&k| {
                let Some(p) = darts[k] else { return false };
                let rivals = neighbours(k, columns, rows).filter(|&other| darts[other].is_some_and(|q| is_near(p, q)));
                let own = rank(k);
                rivals.into_iter().all(|other| rank(other) < own)
            })
            .collect();
        winners.into_iter().for_each(|k| taken[k] = darts[k]);
    }
    let inside = |p: &Point| (0..2).all(|k| p[k] >= low[k] && p[k] <= high[k]);
    let places = taken.iter().enumerate().filter_map(|(k, place)| {
        let at = (*place).filter(inside)?;
        Some(PoissonPoint { at, cell: [from[0] + (k % columns) as i32, from[1] + (k / columns) as i32] })
    });
    Some(places.collect())
}

/// The cells up to two columns and two rows away from cell `k`, without cell `k` itself.
fn neighbours(k: usize, columns: usize, rows: usize) -> impl Iterator<Item = usize> {
    let (i, j) = (k / columns, k % columns);
    let (top, bottom) = (i.saturating_sub(2), (i + 2).min(rows - 1));
    let (left, right) = (j.saturating_sub(2), (j + 2).min(columns - 1));
    (top..=bottom)
        .flat_map(move |row| (left..=right).map(move |column| row * columns + column))
        .filter(move |&o| o != k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::plane::length;

    fn window(low: Point, high: Point, distance: f64) -> Vec<PoissonPoint> {
        poisson_disc_points(low, high, distance, Stream::new(5, 9)).expect("few places")
    }

    /// The reference is the jamming coverage of random sequential adsorption, 0.547 of the plane (Hinrichsen, Feder &
    /// Jøssang 1986).
    #[test]
    fn places_keep_their_distance_and_fill_the_plane() {
        let (side, distance) = (4000.0, 50.0);
        let places = window([0.0; 2], [side; 2], distance);
        let nearest = |p: Point, but: usize| {
            let others = places.iter().enumerate().filter(|(k, _)| *k != but);
            others.fold(f64::INFINITY, |least, (_, other)| length(sub(other.at, p)).min(least))
        };
        let least = places.iter().enumerate().fold(f64::INFINITY, |least, (k, p)| nearest(p.at, k).min(least));
        assert!((distance..1.02 * distance).contains(&least), "{least}");
        let covered = places.len() as f64 * std::f64::consts::PI * 0.25 * distance * distance / (side * side);
        println!("coverage {covered:.4}");
        assert!((0.86 * 0.547..0.547).contains(&covered), "{covered}");
        // only a small fraction of the plane has room for another point
        let holes = (0..40 * 40).filter(|k| {
            let p = [f64::from(k % 40) * 97.0 + 60.0, f64::from(k / 40) * 97.0 + 60.0];
            nearest(p, usize::MAX) > distance
        });
        let holes = holes.count();
        assert!(holes < 80, "{holes} of 1600");
    }

    #[test]
    fn a_window_that_grows_keeps_its_places() {
        let whole = window([-3000.0, -2000.0], [3000.0, 2500.0], 37.0);
        for (low, high) in
            [([0.0, 0.0], [300.0, 200.0]), ([-1234.0, -777.0], [10.0, 900.0]), ([5.0, 5.0], [6.0, 2000.0])]
        {
            let inside = |p: &&PoissonPoint| (0..2).all(|k| p.at[k] >= low[k] && p.at[k] <= high[k]);
            let same: Vec<PoissonPoint> = whole.iter().filter(inside).copied().collect();
            assert_eq!(window(low, high, 37.0), same);
        }
    }

    #[test]
    fn requests_larger_than_memory_are_refused() {
        assert_eq!(poisson_disc_points([0.0; 2], [1e6; 2], 0.1, Stream::new(1, 1)), None);
        assert_eq!(poisson_disc_points([0.0; 2], [1e300; 2], 0.1, Stream::new(1, 1)), None);
        assert_eq!(poisson_disc_points([0.0; 2], [-1.0; 2], 0.1, Stream::new(1, 1)), None);
    }
}
