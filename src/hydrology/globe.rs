//! Where water goes on a globe: receivers, hollows and order over the six faces.
//!
//! Law: every land cell gives its water to the neighbour with the greatest fall per distance (D8), distances along the
//! ground. Hollows drain over their lowest passes, as on square ground ([`Basins`]). Water ends in the sea or, on a
//! globe without one, at its lowest cell.
//! Arrays are those of the grid, copies included. A copy of a border sample is its own receiver, has no area and is
//! nobody's neighbour: what is worked out belongs to the owners, and [`Globe::close`] gives it to the copies.
//! Scheme: cells two or more from a border find their neighbours by counting; those nearer have them in a list.
//! Ties are broken by index. Parallel parts write each cell once, so no bit depends on the threads.

use rayon::prelude::*;

use super::basins::{Basins, Listing, Saddle, label};
use super::descent::Descent;
use super::order::upstream_first;
use crate::field::topology::{DIRECTIONS, FACES};
use crate::field::{Cancelled, Control, Globe};

const NONE: u32 = u32::MAX;
/// Rows and columns along the borders whose neighbours are listed.
const RIM: usize = 2;
/// Cells done between two looks at the stop flag.
const CHECK: usize = 1 << 14;

/// The cells of a globe, with their neighbours, distances and areas. Made once, it serves any heights.
#[derive(Clone, Debug)]
pub struct GlobeCells {
    globe: Globe,
    /// One over the distance to the east, south-east, south and south-west, of a face without its rim.
    nearness: [Vec<f32>; 4],
    /// Cells along the borders that are no copies, by index.
    rim: Vec<RimCell>,
    owns: Vec<bool>,
    /// Areas of a face in cells of the mean area.
    areas: Vec<f32>,
}

#[derive(Clone, Copy, Debug)]
struct RimCell {
    cell: u32,
    around: [u32; 8],
    nearness: [f32; 8],
}

fn chord(a: [f64; 3], b: [f64; 3]) -> f64 {
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}

/// Angle between two unit vectors.
fn angle(a: [f64; 3], b: [f64; 3]) -> f64 {
    2.0 * libm::asin((0.5 * chord(a, b)).min(1.0))
}

impl GlobeCells {
    /// The cells of a globe with `samples` along the side of a face.
    pub fn new(samples: usize) -> Self {
        let globe = Globe::new(samples);
        let n = globe.samples();
        let exact = |k: usize| globe.exact_direction(k / (n * n), k / n % n, k % n);
        let inner = |at: usize| (RIM..n.saturating_sub(RIM)).contains(&at);
        let mut owns = vec![true; globe.len()];
        owns.par_chunks_mut(n).enumerate().for_each(|(row, owns)| {
            let border = row % n == 0 || row % n == n - 1;
            let columns = (0..n).filter(|&column| border || column == 0 || column == n - 1);
            columns.for_each(|column| owns[column] = globe.grid().owns(row * n + column));
        });
        let mut nearness = [(); 4].map(|()| vec![0.0; n * n]);
        let [east, south_east, south, south_west] = &mut nearness;
        let rows = east.par_chunks_mut(n).zip(south_east.par_chunks_mut(n));
        let rows = rows.zip(south.par_chunks_mut(n).zip(south_west.par_chunks_mut(n)));
        rows.enumerate().for_each(|(row, ((east, south_east), (south, south_west)))| {
            let line = |row: usize| (0..n).map(|column| globe.exact_direction(0, row, column)).collect::<Vec<_>>();
            let near = |a: [f64; 3], b: [f64; 3]| (1.0 / angle(a, b)) as f32;
            let here = line(row);
            (1..n).for_each(|column| east[column - 1] = near(here[column - 1], here[column]));
            if row + 1 < n {
                let below = line(row + 1);
                for column in 0..n {
                    south[column] = near(here[column], below[column]);
                    if column + 1 < n {
                        south_east[column] = near(here[column], below[column + 1]);
                    }
                    if column > 0 {
                        south_west[column] = near(here[column], below[column - 1]);
                    }
                }
            }
        });
        let mut rim = Vec::new();
        let edge = |row: usize| (0..n).filter(move |&column| !(inner(row % n) && inner(column)));
        let along = (0..FACES * n).flat_map(|row| edge(row).map(move |column| row * n + column));
        for k in along.filter(|&k| owns[k]) {
            let mut found = RimCell { cell: k as u32, around: [NONE; 8], nearness: [0.0; 8] };
            for step in 0..8 {
                // on the smallest globes a way leads back or to the same cell twice
                let there = globe.grid().neighbour(k, step).filter(|&t| t != k && !found.around.contains(&(t as u32)));
                if let Some(there) = there {
                    found.around[step] = there as u32;
                    found.nearness[step] = (1.0 / angle(exact(k), exact(there))) as f32;
                }
            }
            rim.push(found);
        }
        let areas = globe.areas();
        Self { globe, nearness, rim, owns, areas }
    }

    pub fn globe(&self) -> &Globe {
        &self.globe
    }

    /// Samples of the grid, copies included.
    #[allow(clippy::len_without_is_empty, reason = "a globe has at least 24 samples")]
    pub fn len(&self) -> usize {
        self.owns.len()
    }

    /// Whether cell `k` is no copy of another.
    pub fn owns(&self, k: usize) -> bool {
        self.owns[k]
    }

    /// Area of a cell, in cells of the mean area; none for a copy.
    pub fn area(&self, k: usize) -> f32 {
        if self.owns[k] { self.areas[k % self.areas.len()] } else { 0.0 }
    }

    /// Areas of all cells.
    pub fn areas(&self) -> Vec<f32> {
        let mut areas = vec![0.0; self.len()];
        let faces = areas.par_chunks_mut(self.areas.len()).zip(self.owns.par_chunks(self.areas.len()));
        faces.for_each(|(areas, owns)| {
            let all = areas.iter_mut().zip(owns).zip(&self.areas);
            all.for_each(|((area, &owns), &of)| *area = if owns { of } else { 0.0 });
        });
        areas
    }

    /// Square metres of a cell of the mean area on a globe of that radius.
    pub fn mean_area(&self, radius_metres: f64) -> f64 {
        4.0 * std::f64::consts::PI * radius_metres * radius_metres / self.globe.grid().distinct_len() as f64
    }

    fn is_inner(&self, k: usize) -> bool {
        let n = self.globe.samples();
        let inner = |at: usize| at >= RIM && at + RIM < n;
        inner(k / n % n) && inner(k % n)
    }

    fn rim_cell(&self, k: usize) -> Option<&RimCell> {
        self.rim.binary_search_by_key(&(k as u32), |cell| cell.cell).ok().map(|at| &self.rim[at])
    }

    /// Neighbours of an owner in the order of [`DIRECTIONS`], each with its distance in radii of the globe.
    pub fn around(&self, k: usize) -> [Option<(usize, f32)>; 8] {
        if self.is_inner(k) {
            let nearness = self.inner_nearness(k);
            let n = self.globe.samples() as isize;
            return std::array::from_fn(|step| {
                let (down, right) = DIRECTIONS[step];
                Some(((k as isize + down * n + right) as usize, 1.0 / nearness[step]))
            });
        }
        let Some(cell) = self.rim_cell(k) else { return [None; 8] };
        std::array::from_fn(|step| {
            let there = cell.around[step];
            (there != NONE).then(|| (there as usize, 1.0 / cell.nearness[step]))
        })
    }

    /// Indices of the neighbours of an owner in the order of [`DIRECTIONS`].
    #[inline]
    pub fn beside(&self, k: usize) -> impl Iterator<Item = usize> + use<> {
        let around = if self.is_inner(k) {
            let n = self.globe.samples() as isize;
            DIRECTIONS.map(|(down, right)| (k as isize + down * n + right) as u32)
        } else {
            self.rim_cell(k).map_or([NONE; 8], |cell| cell.around)
        };
        around.into_iter().filter(|&there| there != NONE).map(|there| there as usize)
    }

    #[inline(always)]
    fn inner_nearness(&self, k: usize) -> [f32; 8] {
        let n = self.globe.samples();
        let at = k % (n * n);
        let [east, south_east, south, south_west] = &self.nearness;
        [
            east[at],
            south_west[at - n + 1],
            south[at - n],
            south_east[at - n - 1],
            east[at - 1],
            south_west[at],
            south[at],
            south_east[at],
        ]
    }

    /// The way down from every cell before hollows are drained; outlets and pits are their own.
    fn steepest(
        &self,
        height: &[f32],
        is_outlet: impl Fn(usize) -> bool + Sync,
        receiver: &mut Vec<u32>,
        control: &Control,
    ) -> Result<(), Cancelled> {
        let n = self.globe.samples();
        receiver.resize(self.len(), 0);
        receiver.par_chunks_mut(n).enumerate().try_for_each(|(row, out)| {
            control.check()?;
            let start = row * n;
            out.iter_mut().enumerate().for_each(|(column, to)| *to = (start + column) as u32);
            if (RIM..n.saturating_sub(RIM)).contains(&(row % n)) {
                for (column, to) in out.iter_mut().enumerate().take(n - RIM).skip(RIM) {
                    let k = start + column;
                    if !is_outlet(k) {
                        let nearness = self.inner_nearness(k);
                        let there = [k + 1, k - n + 1, k - n, k - n - 1, k - 1, k + n - 1, k + n, k + n + 1];
                        *to = down(height, k, &there.map(|t| t as u32), &nearness);
                    }
                }
            }
            Ok(())
        })?;
        for cell in &self.rim {
            let k = cell.cell as usize;
            if !is_outlet(k) {
                receiver[k] = down(height, k, &cell.around, &cell.nearness);
            }
        }
        Ok(())
    }

    /// The lowest passes between basins, some of them more than once.
    fn passes(&self, height: &[f32], of: &[u32], control: &Control) -> Result<Vec<Saddle>, Cancelled> {
        let n = self.globe.samples();
        let band = (FACES * n).div_ceil(16).max(8);
        let found: Result<Vec<Vec<Saddle>>, Cancelled> = (0..(FACES * n).div_ceil(band))
            .into_par_iter()
            .map(|b| {
                let mut list = Listing::default();
                for row in b * band..((b + 1) * band).min(FACES * n) {
                    control.check()?;
                    if !(RIM..n.saturating_sub(RIM)).contains(&(row % n)) {
                        continue;
                    }
                    for k in row * n + RIM..(row + 1) * n - RIM {
                        for there in [k + 1, k + n + 1, k + n, k + n - 1] {
                            // what leads to the rim is looked at from there
                            if of[k] != of[there] && self.is_inner(there) {
                                list.look(height, of, k, there);
                            }
                        }
                    }
                }
                Ok(list.finish())
            })
            .collect();
        let mut list = Listing::default();
        for cell in &self.rim {
            for &there in cell.around.iter().filter(|&&there| there != NONE) {
                if there > cell.cell || self.is_inner(there as usize) {
                    list.look(height, of, cell.cell as usize, there as usize);
                }
            }
        }
        let mut passes = found?.concat();
        passes.extend(list.finish());
        Ok(passes)
    }
}

/// The neighbour with the steepest fall; on level ground the one of the lowest index, below that of the cell.
#[inline(always)]
fn down(height: &[f32], k: usize, around: &[u32; 8], nearness: &[f32; 8]) -> u32 {
    let h = height[k];
    let (mut best, mut to) = (0.0, k as u32);
    for (&there, &near) in around.iter().zip(nearness) {
        if there != NONE {
            let fall = (h - height[there as usize]) * near;
            if fall > best {
                (best, to) = (fall, there);
            }
        }
    }
    if best > 0.0 {
        return to;
    }
    let level = around.iter().filter(|&&there| there != NONE && height[there as usize] == h);
    level.fold(k as u32, |least, &there| if there < least { there } else { least })
}

/// Water routed on a globe.
#[derive(Clone, Debug, Default)]
pub struct GlobeRoutes {
    /// The cell that each gives its water to. Outlets and copies are their own; nothing else is.
    pub receiver: Vec<u32>,
    /// Every cell after all that drain to it.
    pub upstream_first: Vec<u32>,
    pub basins: Basins,
}

impl GlobeRoutes {
    /// Routes the water of `height` to the cells at or below `sea` or, where there are none, to the lowest cell.
    pub fn new(cells: &GlobeCells, height: &[f32], sea: f32, control: &Control) -> Result<Self, Cancelled> {
        let mut routes = Self::default();
        routes.route(cells, height, sea, control)?;
        Ok(routes)
    }

    /// [`new`](Self::new) in the memory of `self`.
    pub fn route(&mut self, cells: &GlobeCells, height: &[f32], sea: f32, control: &Control) -> Result<(), Cancelled> {
        let mut lowest = usize::MAX;
        if !height.iter().any(|&h| h <= sea) {
            // of equal copies the owner comes first
            lowest = (0..height.len()).fold(0, |low, k| if height[k] < height[low] { k } else { low });
            lowest = cells.globe.grid().owner(lowest);
        }
        let is_outlet = |k: usize| height[k] <= sea || k == lowest || !cells.owns[k];
        let mut descent = Descent { receiver: std::mem::take(&mut self.receiver), distance: Vec::new() };
        cells.steepest(height, is_outlet, &mut descent.receiver, control)?;
        let (of, count) = label(cells.globe.samples(), &descent.receiver, is_outlet, control)?;
        let passes = cells.passes(height, &of, control)?;
        self.basins = Basins::spanning(height, of, count, passes, control)?;
        self.basins.drain_by(&mut descent, |_, _| 1.0, control)?;
        self.receiver = descent.receiver;
        self.upstream_first = upstream_first(&self.receiver, control)?;
        Ok(())
    }

    /// Distance of every cell to its receiver in radii of the globe; 0 where it is its own.
    pub fn distances(&self, cells: &GlobeCells, control: &Control) -> Result<Vec<f32>, Cancelled> {
        let mut distances = vec![0.0; self.receiver.len()];
        distances.par_chunks_mut(CHECK).enumerate().try_for_each(|(block, out)| {
            control.check()?;
            for (i, distance) in out.iter_mut().enumerate() {
                let k = block * CHECK + i;
                let to = self.receiver[k] as usize;
                if to != k {
                    let way = cells.around(k).into_iter().flatten().find(|&(there, _)| there == to);
                    *distance = way.map_or(0.0, |(_, distance)| distance);
                }
            }
            Ok(())
        })?;
        Ok(distances)
    }

    /// The ground with its hollows full; owners only, until closed.
    pub fn filled(&self, height: &[f32]) -> Vec<f32> {
        self.basins.filled(height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Stream;
    use crate::hydrology::accumulate;

    /// Continents and noise that the faces agree on.
    fn ground(cells: &GlobeCells, steps: f32) -> Vec<f32> {
        let random = Stream::new(2, 9);
        let n = cells.globe.samples();
        let mut height: Vec<f32> = (0..cells.len())
            .map(|k| {
                let [x, y, z] = cells.globe.direction(k / (n * n), k / n % n, k % n);
                let noise = random.unit(k as i32, 0);
                ((x * 3.0 + y * y * 2.0 - z * x + noise * 1.5) * steps) as i32 as f32 / steps
            })
            .collect();
        cells.globe.grid().close(&mut height);
        height
    }

    /// The least surface by relaxing until nothing changes.
    fn filled_by_relaxing(cells: &GlobeCells, height: &[f32], sea: f32) -> Vec<f32> {
        let mut level: Vec<f32> = height.iter().map(|&h| if h <= sea { h } else { f32::INFINITY }).collect();
        loop {
            let mut changed = false;
            for k in (0..cells.len()).filter(|&k| cells.owns(k) && height[k] > sea) {
                let least = cells.around(k).into_iter().flatten().map(|(t, _)| level[t]).fold(f32::INFINITY, f32::min);
                let w = least.max(height[k]);
                if w < level[k] {
                    level[k] = w;
                    changed = true;
                }
            }
            if !changed {
                return level;
            }
        }
    }

    #[test]
    fn every_cell_reaches_the_sea_over_the_lowest_passes() {
        for (n, steps) in [(2, 50.0), (3, 50.0), (4, 50.0), (5, 3.0), (9, 50.0), (33, 1000.0), (40, 6.0)] {
            let cells = GlobeCells::new(n);
            let height = ground(&cells, steps);
            let routes = GlobeRoutes::new(&cells, &height, 0.5, &Control::default()).unwrap();
            assert!(height.iter().any(|&h| h <= 0.5) && height.iter().any(|&h| h > 0.5), "{n}");
            let filled = routes.filled(&height);
            let expected = filled_by_relaxing(&cells, &height, 0.5);
            for k in (0..cells.len()).filter(|&k| cells.owns(k)) {
                assert_eq!(filled[k].to_bits(), expected[k].to_bits(), "{n}: {k}");
                let to = routes.receiver[k] as usize;
                assert_eq!(to == k, height[k] <= 0.5, "{n}: only the sea keeps its water");
                assert!(to == k || cells.around(k).into_iter().flatten().any(|(there, _)| there == to));
                assert!(filled[to] <= filled[k], "{n}: water climbs");
            }
            let distances = routes.distances(&cells, &Control::default()).unwrap();
            assert!((0..cells.len()).all(|k| (distances[k] > 0.0) == (routes.receiver[k] as usize != k)));
        }
    }

    #[test]
    fn all_areas_arrive_once() {
        for sea in [0.5, -100.0] {
            let cells = GlobeCells::new(33);
            let height = ground(&cells, 1000.0);
            let routes = GlobeRoutes::new(&cells, &height, sea, &Control::default()).unwrap();
            let mut areas = cells.areas();
            let whole: f64 = areas.iter().map(|&a| f64::from(a)).sum();
            assert!((whole / cells.globe.grid().distinct_len() as f64 - 1.0).abs() < 1e-6);
            accumulate(&routes.receiver, &routes.upstream_first, &mut areas);
            let ends = (0..cells.len()).filter(|&k| routes.receiver[k] as usize == k && cells.owns(k));
            let arrived: f64 = ends.clone().map(|k| f64::from(areas[k])).sum();
            assert!((arrived / whole - 1.0).abs() < 1e-5, "{arrived} of {whole}");
            assert!(sea > 0.0 || ends.count() == 1, "without a sea all water meets in one place");
        }
    }

    #[test]
    fn neighbours_are_mutual_and_as_far_as_they_are() {
        let cells = GlobeCells::new(12);
        let exact = |k: usize| cells.globe.exact_direction(k / 144, k / 12 % 12, k % 12);
        for k in (0..cells.len()).filter(|&k| cells.owns(k)) {
            let around: Vec<(usize, f32)> = cells.around(k).into_iter().flatten().collect();
            assert!(around.len() == 8 || around.len() == 6, "{k}: {}", around.len());
            for (there, distance) in around {
                assert!(cells.owns(there));
                let back = cells.around(there).into_iter().flatten().find(|&(t, _)| t == k).expect("mutual").1;
                let expected = angle(exact(k), exact(there)) as f32;
                assert!((distance - expected).abs() < 1e-6 && (back - expected).abs() < 1e-6);
            }
        }
    }
}
