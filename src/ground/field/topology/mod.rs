//! Topology of a [`Grid`]: its faces, the neighbours of its samples, copies of samples and their owners, padded rows.
//!
//! A square has one face. A globe has the six faces of a cube: +X, -X, +Y, -Y, +Z, -Z. North is +Z. Longitude 0 is
//! +X, and longitude increases eastwards, towards +Y. On the four faces around the equator, rows run east and columns
//! run south.
//!
//! Copies: a wrapping square repeats its first row and column in its last row and column. Neighbouring faces of a globe
//! both store the samples of their shared border. The copy with the lowest index *owns* the sample: it is the sample's
//! *owner*. Neighbours are given as the indices of owners, sums count owners only, and [`Grid::close`] writes the
//! owners' values to their copies. At the eight corners of the cube three faces meet: a sample there has three
//! orthogonal and three diagonal neighbours.

use super::{Edges, Grid};

/// Number of faces of a globe.
pub const FACES: usize = 6;

/// Row and column steps to the eight neighbours, anticlockwise from the east. Steps with even indices are orthogonal,
/// steps with odd indices diagonal. Throughout the code a *direction* is an index into this list; the opposite
/// direction is `(direction + 4) % 8`.
pub const DIRECTIONS: [(isize, isize); 8] = [(0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1)];

/// Index of the east neighbour in [`DIRECTIONS`].
pub const EAST: usize = 0;
/// Index of the north-east neighbour in [`DIRECTIONS`].
pub const NORTH_EAST: usize = 1;
/// Index of the north neighbour in [`DIRECTIONS`].
pub const NORTH: usize = 2;
/// Index of the north-west neighbour in [`DIRECTIONS`].
pub const NORTH_WEST: usize = 3;
/// Index of the west neighbour in [`DIRECTIONS`].
pub const WEST: usize = 4;
/// Index of the south-west neighbour in [`DIRECTIONS`].
pub const SOUTH_WEST: usize = 5;
/// Index of the south neighbour in [`DIRECTIONS`].
pub const SOUTH: usize = 6;
/// Index of the south-east neighbour in [`DIRECTIONS`].
pub const SOUTH_EAST: usize = 7;

/// A signed coordinate axis: the numbers 0 to 5 mean x, -x, y, -y, z, -z.
pub(super) type Axis = usize;

/// Axes of each face of a globe: outwards from the face, along its rows, along its columns.
pub(super) const AXES: [[Axis; 3]; FACES] = [[0, 2, 5], [1, 3, 5], [2, 1, 5], [3, 0, 5], [4, 2, 0], [5, 2, 1]];

const fn opposite(axis: Axis) -> Axis {
    axis ^ 1
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CellPosition {
    face: usize,
    row: usize,
    column: usize,
}

/// One of the four borders of a face of a globe.
#[derive(Clone, Copy, Debug)]
enum Side {
    North,
    South,
    West,
    East,
}

impl Grid {
    fn index(self, place: CellPosition) -> usize {
        (place.face * self.samples + place.row) * self.samples + place.column
    }

    fn cell_position(self, index: usize) -> CellPosition {
        let n = self.samples;
        CellPosition { face: index / (n * n), row: index / n % n, column: index % n }
    }

    /// Number of distinct samples: a sample that the grid stores several times counts once.
    #[inline]
    pub fn distinct_len(self) -> usize {
        if self.is_globe() { FACES * (self.samples - 1) * (self.samples - 1) + 2 } else { self.distinct_side().pow(2) }
    }

    /// The index of the owner of sample `index`: the first stored copy of the same point.
    #[inline]
    pub fn owner(self, index: usize) -> usize {
        self.index(self.owned(self.cell_position(index)))
    }

    /// Whether sample `index` is its own owner, and not a copy of a sample with a lower index.
    #[inline]
    pub fn owns(self, index: usize) -> bool {
        (self.edges == Edges::Open && !self.is_globe()) || self.owner(index) == index
    }

    /// The neighbour of a sample in one of the [`DIRECTIONS`], as the index of its owner. Returns `None` beyond an open
    /// edge. At a corner of a globe's cube only three faces meet, and two directions return `None`.
    pub fn neighbour(self, index: usize, direction: usize) -> Option<usize> {
        let here = self.cell_position(index);
        let (down, right) = DIRECTIONS[direction];
        let last = self.samples - 1;
        if here.row.wrapping_sub(1) < last - 1 && here.column.wrapping_sub(1) < last - 1 {
            let place = CellPosition {
                row: here.row.strict_add_signed(down),
                column: here.column.strict_add_signed(right),
                ..here
            };
            return Some(self.index(self.owned(place)));
        }
        let place = if self.is_globe() {
            self.raw_neighbour(here, direction)?
        } else {
            let along = |index: usize, step: isize| match step {
                0 => Some(index),
                1 => self.next(index),
                _ => self.previous(index),
            };
            CellPosition { face: 0, row: along(here.row, down)?, column: along(here.column, right)? }
        };
        Some(self.index(self.owned(place)))
    }

    /// The neighbours of a sample in the order of [`DIRECTIONS`], as indices of owners.
    #[inline]
    pub fn neighbours(self, index: usize) -> [Option<usize>; 8] {
        std::array::from_fn(|direction| self.neighbour(index, direction))
    }

    /// Writes the value of every owner to all copies of the same sample.
    pub fn close<T: Copy>(self, field: &mut [T]) {
        let n = self.samples;
        let last = n - 1;
        if self.is_globe() {
            for face in 1..FACES {
                let place = |row: usize, column: usize| self.index(CellPosition { face, row, column });
                for (first, step) in [(place(0, 0), 1), (place(last, 0), 1), (place(0, 0), n), (place(0, last), n)] {
                    // All samples of a border, except its two corners, have their owners on one face. The indices of
                    // these owners have a constant stride.
                    let (one, two) = (self.owner(first + step), self.owner(first + step * (n - 2)));
                    if one != first + step && n > 3 {
                        let to_owner = (two as isize - one as isize) / (n - 3) as isize;
                        let mut from = one as isize;
                        for to in (1..last).map(|along| first + step * along) {
                            field[to] = field[from as usize];
                            from += to_owner;
                        }
                    }
                    let ends = [0, 1.min(last), last - 1.min(last), last];
                    ends.map(|along| first + step * along).into_iter().for_each(|k| field[k] = field[self.owner(k)]);
                }
            }
        } else if self.edges == Edges::Wrap {
            field.chunks_mut(n).for_each(|row| row[last] = row[0]);
            field.copy_within(0..n, last * n);
        }
    }

    /// Makes the copies of each sample on a globe's face borders equal: each copy gets the result of `merged` for the
    /// values of all copies. Needed when each face is computed separately.
    pub fn merge_copies(self, field: &mut [f32], merged: impl Fn(&[f32]) -> f32) {
        let (n, last) = (self.samples, self.samples - 1);
        for face in (0..self.faces()).filter(|_| self.is_globe()) {
            let ends = (0..n).flat_map(|along| [(0, along), (last, along)]);
            let sides = (1..last).flat_map(|along| [(along, 0), (along, last)]);
            for (row, column) in ends.chain(sides) {
                let place = CellPosition { face, row, column };
                let [one, other] = self.copies(place);
                let value = |place: Option<CellPosition>| place.map(|place| field[self.index(place)]);
                if self.owned(place) == place {
                    let values: Vec<f32> = [Some(place), one, other].into_iter().filter_map(value).collect();
                    field[self.index(place)] = merged(&values);
                }
            }
        }
        self.close(field);
    }

    /// The stored sample one step away on a globe. It can be a copy rather than the owner.
    fn raw_neighbour(self, here: CellPosition, direction: usize) -> Option<CellPosition> {
        let (down, right) = DIRECTIONS[direction];
        let last = self.samples as isize - 1;
        let (row, column) = (here.row as isize + down, here.column as isize + right);
        let inside = |k: isize| (0..=last).contains(&k);
        match (inside(row), inside(column)) {
            (true, true) => Some(CellPosition { face: here.face, row: row as usize, column: column as usize }),
            (false, false) => None,
            (false, true) => Some(self.sample_beyond_border(
                here.face,
                if row < 0 { Side::North } else { Side::South },
                column as usize,
                1,
            )),
            // At a corner, two orthogonal steps reach the same sample, one over each border. Only one of them counts.
            (true, false) if down == 0 && (here.row == 0 || here.row == self.samples - 1) => None,
            (true, false) => Some(self.sample_beyond_border(
                here.face,
                if column < 0 { Side::West } else { Side::East },
                row as usize,
                1,
            )),
        }
    }

    #[inline]
    fn owned(self, place: CellPosition) -> CellPosition {
        if self.is_globe() {
            let copies = self.copies(place).into_iter().flatten();
            copies.fold(place, |least, copy| if copy.face < least.face { copy } else { least })
        } else {
            CellPosition { face: 0, row: self.original(place.row), column: self.original(place.column) }
        }
    }

    /// The row or column that `index` repeats: 0 for the last row or column of a wrapping square, otherwise `index`.
    #[inline]
    pub fn original(self, index: usize) -> usize {
        if self.edges == Edges::Wrap && index + 1 == self.samples { 0 } else { index }
    }

    /// The copies of a globe's sample on the adjacent faces that share a border with it.
    fn copies(self, place: CellPosition) -> [Option<CellPosition>; 2] {
        let last = self.samples - 1;
        let across = |side: Side, along: usize| Some(self.sample_beyond_border(place.face, side, along, 0));
        [
            match place.row {
                0 => across(Side::North, place.column),
                row if row == last => across(Side::South, place.column),
                _ => None,
            },
            match place.column {
                0 => across(Side::West, place.row),
                column if column == last => across(Side::East, place.row),
                _ => None,
            },
        ]
    }

    /// The sample `depth` steps beyond the border `side` of `face`; `along` is its position along the border.
    fn sample_beyond_border(self, face: usize, side: Side, along: usize, depth: usize) -> CellPosition {
        let [out, east, south] = AXES[face];
        let (beyond, along_axis) = match side {
            Side::North => (opposite(south), east),
            Side::South => (south, east),
            Side::West => (opposite(east), south),
            Side::East => (east, south),
        };
        let last = self.samples - 1;
        // On the adjacent face, the shared border is the side that faces `face`. `depth` increases away from this side.
        let coordinate = |axis: Axis| match axis {
            a if a == out => last - depth,
            a if a == opposite(out) => depth,
            a if a == along_axis => along,
            _ => last - along,
        };
        CellPosition { face: beyond, row: coordinate(AXES[beyond][2]), column: coordinate(AXES[beyond][1]) }
    }

    /// One face of a globe's closed field, with a margin from the adjacent faces. The margin is `margin` samples wide
    /// (less than n), and the result is a square of n + 2 · `margin` samples per side. The margin continues the rows
    /// and columns of the face. At the corners of the margin there is no adjacent face: `beyond` defines the values
    /// there.
    pub fn face_with_margin<T: Copy>(self, field: &[T], face: usize, margin: usize, beyond: EdgeFill<T>) -> Vec<T> {
        let (n, side) = (self.samples, self.samples + 2 * margin);
        let at = |row: usize, column: usize| {
            // Returns how many steps a position is before the first sample, and how many steps after the last sample.
            let outside = |k: usize| (margin.saturating_sub(k), (k + 1).saturating_sub(margin + n));
            let inner = |k: usize| k.clamp(margin, margin + n - 1) - margin;
            let place = match (outside(row), outside(column)) {
                ((0, 0), (0, 0)) => CellPosition { face, row: row - margin, column: column - margin },
                ((0, 0), (0, east)) => self.sample_beyond_border(face, Side::East, inner(row), east),
                ((0, 0), (west, _)) => self.sample_beyond_border(face, Side::West, inner(row), west),
                ((0, south), (0, 0)) => self.sample_beyond_border(face, Side::South, inner(column), south),
                ((north, _), (0, 0)) => self.sample_beyond_border(face, Side::North, inner(column), north),
                _ => match beyond {
                    EdgeFill::Value(value) => return value,
                    EdgeFill::Nearest => CellPosition { face, row: inner(row), column: inner(column) },
                },
            };
            field[self.index(place)]
        };
        (0..side * side).map(|k| at(k / side, k % side)).collect()
    }

    /// The closed rings along the rows and columns of a globe's faces: three families of `samples` rings that each run
    /// through four faces. A ring consists of four straight parts in the order of travel, as (first index, stride). The
    /// last sample of a part and the first sample of the next part are copies of each other. Every face belongs to two
    /// families.
    pub fn rings(self) -> [Vec<[(usize, isize); 4]>; 3] {
        let starts = [(0, Side::East), (0, Side::South), (2, Side::South)];
        starts.map(|(face, heading)| (0..self.samples).map(|k| self.ring(face, heading, k)).collect())
    }

    fn ring(self, face: usize, mut heading: Side, along: usize) -> [(usize, isize); 4] {
        let n = self.samples as isize;
        let mut place = match heading {
            Side::East => CellPosition { face, row: along, column: 0 },
            _ => CellPosition { face, row: 0, column: along },
        };
        std::array::from_fn(|_| {
            let stride = [-n, n, -1, 1][heading as usize];
            let part = (self.index(place), stride);
            let along = if stride.abs() == 1 { place.row } else { place.column };
            let [out, ..] = AXES[place.face];
            place = self.sample_beyond_border(place.face, heading, along, 0);
            let [_, east, south] = AXES[place.face];
            heading = match out {
                a if a == south => Side::North,
                a if a == opposite(south) => Side::South,
                a if a == east => Side::West,
                _ => Side::East,
            };
            part
        })
    }
}

/// Marks a missing neighbour in an [`Adjacency`].
pub const NONE: u32 = u32::MAX;

/// Number of rows and columns along each border of a face whose neighbours are stored in a table. Index arithmetic
/// would find copies of some of these neighbours instead of their owners.
pub const RIM: usize = 2;

/// The neighbours of every sample, for algorithms that move from sample to sample. Inside the faces, neighbours are
/// computed by index arithmetic; along the borders of the faces, they are stored in a table.
#[derive(Clone, Debug)]
pub struct Adjacency {
    grid: Grid,
    /// Neighbours of the samples along the borders, face by face. Rows 0 and 1 of a face come first, then its last two
    /// rows. The first two and the last two samples of all other rows follow.
    rim: Vec<[u32; 8]>,
}

impl Adjacency {
    /// The neighbours of every sample of `grid`.
    pub fn new(grid: Grid) -> Self {
        let n = grid.samples;
        let ends = move |row: usize| {
            let whole = row < RIM || row + RIM >= n;
            (0..n).filter(move |&column| whole || column < RIM || column + RIM >= n)
        };
        let middle = RIM..n.saturating_sub(RIM);
        let rows: Vec<usize> = (0..RIM.min(n)).chain(middle.end.max(RIM.min(n))..n).chain(middle).collect();
        let faces = 0..grid.faces();
        let cells = faces.flat_map(|face| {
            rows.iter().flat_map(move |&row| ends(row).map(move |column| (face * n + row) * n + column))
        });
        let rim = cells.map(|k| Self::listed(grid, k)).collect();
        Self { grid, rim }
    }

    fn listed(grid: Grid, k: usize) -> [u32; 8] {
        let mut found = [NONE; 8];
        for direction in 0..8 {
            let there = grid.neighbour(k, direction).map_or(NONE, |there| there as u32);
            // On the smallest globes a step can return to the start or reach the same cell twice.
            let again = grid.is_globe() && (there == k as u32 || found.contains(&there));
            found[direction] = if again { NONE } else { there };
        }
        found
    }

    /// Whether index arithmetic finds the neighbours of sample `k`: the sample is two or more steps from the borders of
    /// its face.
    #[inline(always)]
    pub fn is_inner(&self, k: usize) -> bool {
        // 32-bit division is faster than 64-bit division, and this code runs for every cell that water crosses.
        let (k, n, rim) = (k as u32, self.grid.samples as u32, RIM as u32);
        let inner = |at: u32| at >= rim && at + rim < n;
        let row = k / n;
        inner(if row < n { row } else { row % n }) && inner(k - row * n)
    }

    /// The neighbours of sample `k` in the order of [`DIRECTIONS`], as indices of owners. A missing neighbour is
    /// [`NONE`].
    #[inline(always)]
    pub fn neighbours(&self, k: usize) -> [u32; 8] {
        if self.is_inner(k) {
            let (k, n) = (k as u32, self.grid.samples as u32);
            return [k + 1, k - n + 1, k - n, k - n - 1, k - 1, k + n - 1, k + n, k + n + 1];
        }
        self.rim[self.rim_index(k)]
    }

    /// The existing neighbours of sample `k`, as indices of owners.
    #[inline]
    pub fn existing_neighbours(&self, k: usize) -> impl Iterator<Item = usize> + use<> {
        self.neighbours(k).into_iter().filter(|&there| there != NONE).map(|there| there as usize)
    }

    fn rim_index(&self, k: usize) -> usize {
        let n = self.grid.samples;
        let (row, column) = (k / n % n, k % n);
        let whole = (2 * RIM).min(n);
        let in_face = if row < RIM {
            row * n + column
        } else if row + RIM >= n {
            (row + whole - n) * n + column
        } else {
            let end = if column < RIM { column } else { column + 2 * RIM - n };
            whole * n + (row - RIM) * 2 * RIM + end
        };
        k / (n * n) * (whole * n + n.saturating_sub(2 * RIM) * 2 * RIM) + in_face
    }
}

/// Rule for the values beyond the ends of a padded row where no neighbour exists.
#[derive(Clone, Copy, Debug)]
pub enum EdgeFill<T> {
    /// A constant value. NaN is useful because it compares as neither higher nor lower than any height.
    Value(T),
    /// The value of the nearest sample in the row, or in the adjacent row. The edge then acts as a mirror.
    Nearest,
}

/// Access to the values of a grid's field, for a [`StencilWindow`].
pub trait FieldValues<T> {
    /// The value of sample `k`.
    fn value(&self, k: usize) -> T;
    /// Copies consecutive values to `out`, starting with the value of sample `first`.
    fn copy(&self, first: usize, out: &mut [T]);
}

impl<T: Copy> FieldValues<T> for [T] {
    fn value(&self, k: usize) -> T {
        self[k]
    }

    fn copy(&self, first: usize, out: &mut [T]) {
        out.copy_from_slice(&self[first..first + out.len()]);
    }
}

impl<T: Copy> FieldValues<T> for Vec<T> {
    fn value(&self, k: usize) -> T {
        self[k]
    }

    fn copy(&self, first: usize, out: &mut [T]) {
        self.as_slice().copy(first, out);
    }
}

/// Sliding window of three padded rows of a face, as stencils read them. The window moves down the face row by row.
///
/// A padded row has n + 2 values: the row, and one neighbour beyond each of its two ends. The field must be closed
/// ([`Grid::close`]).
#[derive(Clone, Debug)]
pub struct StencilWindow<T> {
    grid: Grid,
    edge_fill: EdgeFill<T>,
    face: usize,
    /// The current row of the face, which is the middle row of the window.
    row: isize,
    rows: [Vec<T>; 3],
}

impl<T: Copy + Default> StencilWindow<T> {
    /// A window placed so that the first [`advance`](Self::advance) moves it to row `first`, counted over all faces.
    pub fn new(grid: Grid, beyond: EdgeFill<T>, field: &(impl FieldValues<T> + ?Sized), first: usize) -> Self {
        let n = grid.samples;
        let rows = std::array::from_fn(|_| vec![T::default(); n + 2]);
        let mut window = Self { grid, edge_fill: beyond, face: first / n, row: (first % n) as isize - 1, rows };
        let [_, north, here] = &mut window.rows;
        grid.load_padded(field, window.face, window.row, beyond, north);
        grid.load_padded(field, window.face, window.row + 1, beyond, here);
        window
    }

    /// Moves the window to the next row. After the last row of a face, the next row is the first row of the next face.
    pub fn advance(&mut self, field: &(impl FieldValues<T> + ?Sized)) {
        let (grid, n) = (self.grid, self.grid.samples as isize);
        if self.row + 1 == n {
            let [_, north, here] = &mut self.rows;
            (self.face, self.row) = (self.face + 1, -1);
            grid.load_padded(field, self.face, -1, self.edge_fill, north);
            grid.load_padded(field, self.face, 0, self.edge_fill, here);
        }
        self.rows.rotate_left(1);
        self.row += 1;
        let [north, here, south] = &mut self.rows;
        grid.load_padded(field, self.face, self.row + 1, self.edge_fill, south);
        if grid.is_globe() {
            if self.row == 1 {
                grid.load_ends(field, self.face, 0, self.edge_fill, north);
            }
            // At a corner of a face, two steps reach the same sample, one over each border: skip the ends of the row.
            if self.row == 0 || self.row == n - 1 {
                let ends = match self.edge_fill {
                    EdgeFill::Value(value) => [value; 2],
                    EdgeFill::Nearest => [here[1], here[n as usize]],
                };
                (here[0], here[n as usize + 1]) = (ends[0], ends[1]);
            }
        }
    }

    /// The three padded rows: the row to the north, the current row, the row to the south.
    #[inline]
    pub fn rows(&self) -> [&[T]; 3] {
        self.rows.each_ref().map(|row| &row[..])
    }

    /// The cells of the current row.
    #[inline]
    pub fn here(&self) -> &[T] {
        &self.rows[1][1..=self.grid.samples]
    }
}

/// The neighbours of the cells in the middle row of three padded rows, in the order of [`DIRECTIONS`].
#[inline(always)]
pub fn around_row<T>([north, here, south]: [&[T]; 3]) -> [&[T]; 8] {
    let n = here.len() - 2;
    [
        &here[2..][..n],
        &north[2..][..n],
        &north[1..][..n],
        &north[..n],
        &here[..n],
        &south[..n],
        &south[1..][..n],
        &south[2..][..n],
    ]
}

impl Grid {
    /// Copies row `row` of a face into `out` and pads its ends. The row can also be the row before the first or the row
    /// after the last.
    fn load_padded<T: Copy>(
        self,
        field: &(impl FieldValues<T> + ?Sized),
        face: usize,
        row: isize,
        beyond: EdgeFill<T>,
        out: &mut [T],
    ) {
        let n = self.samples;
        let is_inside = (0..n as isize).contains(&row);
        let inside = row.clamp(0, n as isize - 1) as usize;
        let nearest = match () {
            () if is_inside => Some(inside),
            () if self.is_globe() => None,
            () if row < 0 => self.previous(0),
            () => self.next(n - 1),
        };
        match (nearest, beyond) {
            (Some(row), _) => field.copy((face * n + row) * n, &mut out[1..=n]),
            (None, _) if self.is_globe() => {
                let side = if row < 0 { Side::North } else { Side::South };
                for (along, out) in out[1..=n].iter_mut().enumerate() {
                    *out = field.value(self.index(self.sample_beyond_border(face, side, along, 1)));
                }
            }
            (None, EdgeFill::Nearest) => field.copy(inside * n, &mut out[1..=n]),
            (None, EdgeFill::Value(value)) => out.fill(value),
        }
        self.load_ends(field, face, row, beyond, out);
    }

    /// Fills both ends of a padded row whose cells are already loaded.
    fn load_ends<T: Copy>(
        self,
        field: &(impl FieldValues<T> + ?Sized),
        face: usize,
        row: isize,
        beyond: EdgeFill<T>,
        out: &mut [T],
    ) {
        let n = self.samples;
        let ends = if self.is_globe() {
            let is_inside = (0..n as isize).contains(&row);
            [Side::West, Side::East].map(|side| {
                // Diagonally beyond the corner of a face there is no sample.
                is_inside.then(|| field.value(self.index(self.sample_beyond_border(face, side, row as usize, 1))))
            })
        } else {
            [self.previous(0), self.next(n - 1)].map(|column| column.map(|column| out[1 + column]))
        };
        let none = match beyond {
            EdgeFill::Value(value) => [value; 2],
            EdgeFill::Nearest => [out[1], out[n]],
        };
        (out[0], out[n + 1]) = (ends[0].unwrap_or(none[0]), ends[1].unwrap_or(none[1]));
    }
}

#[cfg(test)]
mod tests;
