//! The surface on which craters form: a flat terrain or a globe.
//!
//! A position is a point in space, as a multiple of the terrain's side length. On a flat terrain it is (u, v, 0). On a
//! globe, whose side is a quarter of its circumference, it is a unit vector times 2/π. Distances are measured along the
//! surface. On a globe the square of the arc length is computed by a truncated series in the square of the chord. The
//! result is accurate near the centre and too small at the antipode. A disc covers rectangles of samples: one rectangle
//! on a flat terrain, and on a globe one on each face that the disc touches. Columns of a face are meridians around the
//! axis parallel to these columns. A cap of angle α whose centre has latitude λ therefore spans exactly asin(sin α /
//! cos λ) of longitude on either side; the same holds for rows.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, PI};

use talweg_ground::field::globe::{direction_at, from_angles, locate};
use talweg_ground::field::topology::FACES;
use talweg_ground::field::vector::{dot, unit};
use talweg_ground::field::{Edges, Globe, Grid};

/// Ranges of rows and columns of samples, each with an exclusive end. Rows of a globe are numbered over all faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rectangle {
    pub rows: [u32; 2],
    pub columns: [u32; 2],
}

#[derive(Clone, Debug)]
pub struct CraterSurface {
    grid: Grid,
    round: Option<Round>,
}

/// A globe with three unit vectors for each face: outwards, along its rows and along its columns.
#[derive(Clone, Debug)]
struct Round {
    globe: Globe,
    faces: [[[f64; 3]; 3]; FACES],
}

/// Radius of a globe, as a fraction of its side length.
const RADIUS: f32 = std::f32::consts::FRAC_2_PI;
/// Angle from the middle of a cube face to its corners, in radians.
const CORNER: f64 = 0.955_317;
/// Angle in radians above which a disc is treated as the whole globe.
const WHOLE: f64 = 2.0;

impl Round {
    fn new(samples: usize) -> Self {
        let faces = std::array::from_fn(|face| {
            let out = direction_at(face, 0.5, 0.5);
            let side = |at: [f64; 3]| std::array::from_fn(|k| (at[k] * std::f64::consts::SQRT_2 - out[k]).round());
            [out.map(f64::round), side(direction_at(face, 1.0, 0.5)), side(direction_at(face, 0.5, 1.0))]
        });
        Self { globe: Globe::new(samples), faces }
    }

    /// Calls `put` with the rectangles that hold every sample within the angle `reach` of the direction `centre`.
    fn rectangles(&self, centre: [f64; 3], reach: f64, mut put: impl FnMut(Rectangle)) {
        let n = self.globe.samples();
        // The series for the arc is too small far away from the centre; a larger reach compensates for this error.
        let reach = reach * (1.0 + 0.02 * reach * reach * reach) + 1.0e-6;
        let whole = reach > WHOLE;
        for (face, &[out, east, south]) in self.faces.iter().enumerate() {
            let outwards = dot(centre, out);
            if !whole && reach + CORNER < PI && outwards < libm::cos(reach + CORNER) {
                continue;
            }
            let range = |along: [f64; 3], around: [f64; 3]| {
                let latitude = libm::asin(dot(centre, around).clamp(-1.0, 1.0)).abs();
                if whole || latitude + reach >= FRAC_PI_2 {
                    return [0, n as u32];
                }
                let middle = libm::atan2(dot(centre, along), outwards);
                let half = libm::asin((libm::sin(reach) / libm::cos(latitude)).min(1.0));
                let at = |angle: f64| (angle * FRAC_2_PI + 0.5) * (n - 1) as f64;
                // The range has one extra sample on either side. The casts saturate, so the range stays on the face.
                [((at(middle - half) - 1.0) as usize).min(n) as u32, ((at(middle + half) + 2.0) as usize).min(n) as u32]
            };
            let (columns, rows) = (range(east, south), range(south, east));
            if rows[0] < rows[1] && columns[0] < columns[1] {
                put(Rectangle { rows: rows.map(|row| (face * n) as u32 + row), columns });
            }
        }
    }
}

impl CraterSurface {
    pub fn new(grid: Grid) -> Self {
        Self { grid, round: grid.is_globe().then(|| Round::new(grid.samples)) }
    }

    pub fn rows(&self) -> usize {
        self.grid.rows()
    }

    /// Area of the surface as a multiple of its squared side length.
    pub fn area(&self) -> f64 {
        if self.round.is_some() { 16.0 / PI } else { 1.0 }
    }

    /// Square of the surface's curvature.
    pub fn curvature_squared(&self) -> f32 {
        if self.round.is_some() { 1.0 / (RADIUS * RADIUS) } else { 0.0 }
    }

    /// Width of a frame around the terrain. Craters of up to `diameter` with centres in the frame can extend into the
    /// terrain.
    pub fn margin(&self, diameter: f32) -> f32 {
        if self.grid.edges == Edges::Open && self.round.is_none() { diameter.clamp(0.0, 0.5) } else { 0.0 }
    }

    /// Converts two uniform random numbers to a position. On an open terrain a crater of `diameter` is entirely inside
    /// the edges.
    pub fn random_position(&self, draw: [f32; 2], diameter: f32) -> [f32; 3] {
        if self.round.is_some() {
            let (longitude, height) = (2.0 * PI * f64::from(draw[0]), 2.0 * f64::from(draw[1]) - 1.0);
            let level = (1.0 - height * height).sqrt();
            return [level * libm::cos(longitude), level * libm::sin(longitude), height].map(|x| x as f32 * RADIUS);
        }
        let span = if self.grid.edges == Edges::Open { (1.0 - 1.2 * diameter).clamp(0.0, 1.0) } else { 1.0 };
        let [u, v] = draw.map(|d| 0.5 + (d - 0.5) * span);
        [u, v, 0.0]
    }

    /// The position on a globe at a latitude and a longitude in degrees.
    pub fn at_angles(&self, latitude: f32, longitude: f32) -> [f32; 3] {
        let [latitude, longitude] = [latitude, longitude].map(|angle| f64::from(angle).to_radians());
        from_angles(latitude, longitude).map(|x| x as f32 * RADIUS)
    }

    /// Converts two random numbers to a position in the frame of width `margin` around the terrain. `part` in [0, 1)
    /// selects one of the four strips of the frame.
    pub fn place_outside(&self, [a, b]: [f32; 2], margin: f32, part: f32) -> [f32; 3] {
        // Each strip is 1 + margin long and margin wide, and rotated by a quarter turn relative to the previous one.
        let (along, across) = (a * (1.0 + margin), -b * margin);
        let [u, v] = match (part * 4.0) as u32 {
            0 => [along, across],
            1 => [1.0 - across, along],
            2 => [1.0 - along, 1.0 - across],
            _ => [across, 1.0 - along],
        };
        [u, v, 0.0]
    }

    /// Calls `put` for the centre of a disc and, on wrapping terrains, for its copies beyond each edge within `reach`.
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

    /// Unit vectors along the surface at a point: east and north.
    pub fn frame(&self, centre: [f32; 3]) -> [[f32; 3]; 2] {
        if self.round.is_some() {
            let [x, y, z] = unit(centre.map(f64::from));
            let east = if z.abs() < 0.999 { unit([-y, x, 0.0]) } else { unit([-z, 0.0, x]) };
            let north = [y * east[2] - z * east[1], z * east[0] - x * east[2], x * east[1] - y * east[0]];
            return [east, north].map(|axis| axis.map(|a| a as f32));
        }
        [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]
    }

    /// The point that is the vector `step` away from `centre`, along the surface.
    pub fn stepped(&self, centre: [f32; 3], step: [f32; 3]) -> [f32; 3] {
        if self.round.is_some() {
            let there: [f64; 3] = std::array::from_fn(|k| f64::from(centre[k]) + f64::from(step[k]));
            return unit(there).map(|x| x as f32 * RADIUS);
        }
        let wrapped = |at: f32| if self.grid.edges == Edges::Wrap { at - at.floor() } else { at.clamp(0.0, 1.0) };
        [wrapped(centre[0] + step[0]), wrapped(centre[1] + step[1]), 0.0]
    }

    /// Calls `put` with the rectangles that hold every sample within `reach` of `centre`.
    pub fn rectangles(&self, centre: [f32; 3], reach: f32, mut put: impl FnMut(Rectangle)) {
        if let Some(round) = &self.round {
            return round.rectangles(unit(centre.map(f64::from)), f64::from(reach) * FRAC_PI_2, put);
        }
        let n = self.grid.samples;
        let last = (n - 1) as f32;
        let range = |at: f32| {
            // The range has one extra sample on either side. The casts saturate, so the range stays on the terrain.
            let from = ((at - reach) * last - 1.0) as usize;
            let to = ((at + reach) * last + 2.0) as usize;
            [from.min(n) as u32, to.min(n) as u32]
        };
        let found = Rectangle { rows: range(centre[1]), columns: range(centre[0]) };
        if found.rows[0] < found.rows[1] && found.columns[0] < found.columns[1] {
            put(found);
        }
    }

    /// Writes the positions of the samples of a row, starting at column `first`.
    pub fn places(&self, row: usize, first: usize, out: [&mut [f32]; 3]) {
        if let Some(Round { globe, .. }) = &self.round {
            let [xs, ys, zs] = out;
            let n = globe.samples();
            for k in 0..xs.len() {
                [xs[k], ys[k], zs[k]] = globe.direction(row / n, row % n, first + k).map(|x| x * RADIUS);
            }
            return;
        }
        let v = self.grid.position(row);
        let [us, vs, ws] = out;
        for (k, u) in us.iter_mut().enumerate() {
            *u = self.grid.position(first + k);
        }
        vs.fill(v);
        ws.fill(0.0);
    }

    /// On the grid of a square: row and column of the last sample at or before a position, and the offset of the
    /// position from this sample, as a fraction of a cell.
    fn cell(&self, place: [f32; 3]) -> ([usize; 2], [f32; 2]) {
        let last = self.grid.samples - 1;
        let [u, v] = [place[0], place[1]].map(|at| at.clamp(0.0, 1.0) * last as f32);
        let [column, row] = [u, v].map(|at| (at as usize).min(last - 1));
        ([row, column], [v - row as f32, u - column as f32])
    }

    /// Row and column of a sample near a position.
    pub fn nearby_sample(&self, place: [f32; 3]) -> [usize; 2] {
        if self.round.is_some() {
            let (n, (face, u, v)) = (self.grid.samples, locate(place.map(f64::from)));
            let [row, column] = [v, u].map(|at| (at * (n - 1) as f64) as usize);
            return [face * n + row, column];
        }
        self.cell(place).0
    }

    /// The bilinear value of `field` at a position.
    pub fn height(&self, field: &[f32], place: [f32; 3]) -> f32 {
        if let Some(Round { globe, .. }) = &self.round {
            return globe.sample(field, place.map(f64::from));
        }
        let ([row, column], [fv, fu]) = self.cell(place);
        let n = self.grid.samples;
        let (above, below) = (&field[row * n + column..][..2], &field[(row + 1) * n + column..][..2]);
        let (a, b) = (above[0] + (above[1] - above[0]) * fu, below[0] + (below[1] - below[0]) * fu);
        a + (b - a) * fv
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "test measurements do not affect heights")]

    use super::*;
    use talweg_ground::field::Stream;

    /// The rectangles of a disc contain every sample inside the disc, on flat terrains and across face borders.
    #[test]
    fn rectangles_hold_their_discs() {
        for grid in [Grid::new(40, Edges::Open), Grid::globe(21)] {
            let surface = CraterSurface::new(grid);
            let (n, random) = (grid.samples, Stream::new(5, 5));
            let mut spare = 0;
            for k in 0..300 {
                let draw = [1, 2].map(|what| random.unit(k, what));
                let (centre, reach) = (surface.random_position(draw, 0.0), 1.2 * random.unit(k, 0) * random.unit(k, 3));
                let mut held = vec![false; grid.len()];
                surface.rectangles(centre, reach, |Rectangle { rows, columns }| {
                    for row in rows[0]..rows[1] {
                        (columns[0]..columns[1]).for_each(|column| held[row as usize * n + column as usize] = true);
                    }
                });
                for row in 0..grid.rows() {
                    let mut at = [[0.0f32; 1]; 3];
                    for column in 0..n {
                        let [x, y, z] = &mut at;
                        surface.places(row, column, [x, y, z]);
                        let apart: f64 = (0..3).map(|k| f64::from(at[k][0] - centre[k]).powi(2)).sum::<f64>().sqrt();
                        let arc = if grid.is_globe() {
                            2.0 * FRAC_2_PI * (apart / FRAC_2_PI / 2.0).min(1.0).asin()
                        } else {
                            apart
                        };
                        assert!(arc > f64::from(reach) || held[row * n + column], "{k}: {row} {column}");
                        spare += usize::from(arc > f64::from(reach) * 1.5 + 0.2 && held[row * n + column]);
                    }
                }
            }
            assert!(spare < 300 * grid.len() / 20, "and not much more: {spare}");
        }
    }
}
