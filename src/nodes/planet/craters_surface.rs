//! The surface that craters lie on: a flat terrain or a globe.
//!
//! A place is a point in space, in sides of the terrain: (u, v, 0) on flat ground, a unit vector times 2/π on a globe, whose side
//! is a quarter of its circumference. Distances are along the ground. On a globe the square of the arc is a series in the
//! square of the chord, which is exact near the centre and 20 % short at the antipode.
//! A disc covers rectangles of samples: on flat ground one, on a globe one on each face that it touches.

use crate::field::{Edges, Grid};

/// Samples in rows and columns, each from the first to before the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rectangle {
    pub rows: [u32; 2],
    pub columns: [u32; 2],
}

#[derive(Clone, Copy, Debug)]
pub struct Surface {
    grid: Grid,
}

impl Surface {
    pub fn new(grid: Grid) -> Self {
        Self { grid }
    }

    pub fn rows(&self) -> usize {
        self.grid.len() / self.grid.samples
    }

    /// Area in squares of the side.
    pub fn area(&self) -> f64 {
        1.0
    }

    /// Square of the curvature.
    pub fn bend(&self) -> f32 {
        0.0
    }

    /// How far beyond the edges craters up to `diameter` reach into the terrain.
    pub fn margin(&self, diameter: f32) -> f32 {
        match self.grid.edges {
            Edges::Open => diameter.clamp(0.0, 0.5),
            Edges::Wrap => 0.0,
        }
    }

    /// The place of two uniform random numbers; at least `clear` radii inside the edges, where there are any.
    pub fn place(&self, draw: [f32; 2], diameter: f32) -> [f32; 3] {
        let span = if self.grid.edges == Edges::Open { (1.0 - 1.2 * diameter).clamp(0.0, 1.0) } else { 1.0 };
        let [u, v] = draw.map(|d| 0.5 + (d - 0.5) * span);
        [u, v, 0.0]
    }

    /// A place in the frame of width `margin` around the terrain; `part` in [0, 1) chooses among its four strips.
    pub fn place_outside(&self, [a, b]: [f32; 2], margin: f32, part: f32) -> [f32; 3] {
        // strips of 1 + margin by margin, each turned from the one before by a quarter
        let (along, across) = (a * (1.0 + margin), -b * margin);
        let [u, v] = match (part * 4.0) as u32 {
            0 => [along, across],
            1 => [1.0 - across, along],
            2 => [1.0 - along, 1.0 - across],
            _ => [across, 1.0 - along],
        };
        [u, v, 0.0]
    }

    /// The place and, on wrapping terrains, its images beyond each edge that a disc of `reach` crosses.
    pub fn images(&self, centre: [f32; 3], reach: f32, mut put: impl FnMut([f32; 3], bool)) {
        put(centre, false);
        if self.grid.edges != Edges::Wrap {
            return;
        }
        let far = reach.ceil().clamp(1.0, 3.0) as i32;
        for dv in -far..=far {
            for du in -far..=far {
                let [u, v] = [centre[0] + du as f32, centre[1] + dv as f32];
                let touches = |at: f32| at + reach >= 0.0 && at - reach <= 1.0;
                if (du, dv) != (0, 0) && touches(u) && touches(v) {
                    put([u, v, 0.0], true);
                }
            }
        }
    }

    /// Unit vectors along the ground: east and north.
    pub fn frame(&self, _centre: [f32; 3]) -> [[f32; 3]; 2] {
        [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]
    }

    /// The point `step` along the ground from `centre`.
    pub fn beside(&self, centre: [f32; 3], step: [f32; 3]) -> [f32; 3] {
        let wrapped = |at: f32| if self.grid.edges == Edges::Wrap { at - at.floor() } else { at.clamp(0.0, 1.0) };
        [wrapped(centre[0] + step[0]), wrapped(centre[1] + step[1]), 0.0]
    }

    /// The rectangles that hold every sample within `reach` of `centre`.
    pub fn rectangles(&self, centre: [f32; 3], reach: f32, mut put: impl FnMut(Rectangle)) {
        let n = self.grid.samples;
        let last = (n - 1) as f32;
        let range = |at: f32| {
            // a sample more on either side; casts saturate
            let from = ((at - reach) * last - 1.0) as usize;
            let to = ((at + reach) * last + 2.0) as usize;
            [from.min(n) as u32, to.min(n) as u32]
        };
        let found = Rectangle { rows: range(centre[1]), columns: range(centre[0]) };
        if found.rows[0] < found.rows[1] && found.columns[0] < found.columns[1] {
            put(found);
        }
    }

    /// Places of the samples of a row, from column `first` on.
    pub fn places(&self, row: usize, first: usize, out: [&mut [f32]; 3]) {
        let v = self.grid.position(row);
        let [us, vs, ws] = out;
        for (k, u) in us.iter_mut().enumerate() {
            *u = self.grid.position(first + k);
        }
        vs.fill(v);
        ws.fill(0.0);
    }

    /// Row and column of the sample at or before a place, and the way beyond it.
    fn cell(&self, place: [f32; 3]) -> ([usize; 2], [f32; 2]) {
        let last = self.grid.samples - 1;
        let [u, v] = [place[0], place[1]].map(|at| at.clamp(0.0, 1.0) * last as f32);
        let [column, row] = [u, v].map(|at| (at as usize).min(last - 1));
        ([row, column], [v - row as f32, u - column as f32])
    }

    /// Row and column of a sample near a place.
    pub fn sample(&self, place: [f32; 3]) -> [usize; 2] {
        self.cell(place).0
    }

    /// `field` at a place, bilinear.
    pub fn height(&self, field: &[f32], place: [f32; 3]) -> f32 {
        let ([row, column], [fv, fu]) = self.cell(place);
        let n = self.grid.samples;
        let (above, below) = (&field[row * n + column..][..2], &field[(row + 1) * n + column..][..2]);
        let (a, b) = (above[0] + (above[1] - above[0]) * fu, below[0] + (below[1] - below[0]) * fu);
        a + (b - a) * fv
    }
}
