//! Cellular noise (Worley) summed to fractional Brownian motion (fBm).
//!
//! Law: each cell of a square lattice has a feature point, moved from the cell's centre by `jitter`. F₁ and F₂ are the
//! distances, in cells, to the nearest and second nearest point. h = base + amplitude · Σ pⁱ·vᵢ / Σ pⁱ with p the
//! persistence and v = F₁, F₂ or F₂ - F₁ at frequency · lacunarityⁱ.
//! Scheme: the point of a sample's own cell is closer than √2, and the second nearest point is closer than 2, so the
//! points of 5 × 5 cells give the exact result. Samples of a row in the same cell share a list of the points that can
//! be nearest to these samples.
//! Boundary: open terrains need no rule; on wrapping terrains each octave's frequency is rounded to a whole number. On
//! a globe the cells are cubes in space (`solid::cells`). A preview is exactly a subsample of the full size. The node
//! Voronoi also offers a given number of points, weights of up to eight distances, and other ways of scattering the
//! points.
//! Source: Worley 1996, *A cellular texture basis function*.

use super::octaves::{self, Lattice, Octaves, RowReader, offset_params};
use super::solid::SolidField;
use super::solid::cells::SolidCells;
use crate::{Context, Generator, OnPlanet, Traits};
use talweg_ground::field::Cancelled;

talweg_ground::choices! {
    /// The distance from which the height is computed.
    CellDistance {
        Nearest "Nearest (F1)": "Distance to the nearest point: pits with sharp crests between them.",
        Second "Second nearest (F2)": "Distance to the second nearest point: overlapping, rounder cells.",
        Difference "Difference (F2 - F1)": "Difference of both distances, 0 on the cell borders and highest at the points: peaks separated by valleys.",
    }
}

talweg_ground::params! {
    /// Layered cells, each layer finer and lower: scales, cracks, pitted or peaked terrain.
    Cellular "Cellular noise" in "Cells", from "Worley 1996", also "worley cells f1 f2 fbm cracks scales pits stones" {
        /// Number of cells of the first octave along a side: larger values make the cells smaller.
        frequency: f32 = 5.0, 0.1..=256.0, slider 0.5..=32.0;
        /// Number of octaves: more octaves add finer relief, few make smooth hills. Each octave takes the same time.
        octaves: u32 = 4, 1..=16;
        /// Distance from which the height is computed.
        feature: CellDistance = CellDistance::Difference;
        /// Distance of the points from the centres of their cells: 0 gives a regular pattern.
        jitter: f32 ["share"] = 1.0, 0.0..=1.0;
        /// Frequency of each octave relative to the previous octave.
        lacunarity: f32 = 2.0, 1.0..=4.0, slider 1.5..=3.0 => |noise| noise.octaves > 1 && noise.persistence > 0.0;
        /// Amplitude of each octave relative to the previous octave: small values give smooth terrain, large values
        /// jagged terrain.
        persistence: f32 = 0.45, 0.0..=1.0, slider 0.2..=0.8 => |noise| noise.octaves > 1;
        /// Height for a distance of one cell, as a fraction of the relief.
        amplitude: f32 = 1.0, -10.0..=10.0, slider 0.0..=2.0;
        /// Height at the points where the distance is 0, as a fraction of the relief.
        base: f32 = 0.0, -10.0..=10.0, slider -0.5..=1.0;
        offset_params!();
    }
}

impl Generator for Cellular {
    fn traits(&self) -> Traits {
        Traits { on_planet: Some(OnPlanet::DEFAULT), ..Traits::GENERATOR }
    }

    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let law = Octaves::new(self.frequency, self.octaves, self.lacunarity, [self.offset_x, self.offset_y]);
        let mut weights = octaves::powers(self.octaves, self.persistence);
        let scale = self.amplitude / weights.iter().sum::<f32>();
        weights.iter_mut().for_each(|w| *w *= scale);
        if cx.grid.is_globe() {
            let octave = |random, frequency| SolidCells::new(random, frequency, self.jitter, self.feature);
            let field = SolidField::from_octaves(cx.grid, cx.random, &law, octave);
            return octaves::sum(cx, self.base, &weights, || field.readers(), out);
        }
        let lattices = law.lattices(cx.grid, cx.random, 2, 1.0);
        let reader =
            |lattice| CellularReader { lattice, law: self, points: Vec::new(), near: Vec::new(), least: Vec::new() };
        octaves::sum(cx, self.base, &weights, || lattices.iter().map(reader).collect(), out)
    }
}

/// Reads one octave of the noise row by row.
struct CellularReader<'a> {
    lattice: &'a Lattice,
    law: &'a Cellular,
    /// Feature points of 5 lattice rows: for each lattice column the position of the point in its cell.
    points: Vec<(usize, Vec<[f32; 2]>)>,
    /// Points around a run of samples, as pairs: x is measured from the corner of the run's cell, and y is the squared
    /// distance from the samples' row.
    near: Vec<[f32; 2]>,
    /// Squared distances of each sample of a run to its nearest and second nearest point.
    least: Vec<[f32; 2]>,
}

/// Number of rows and columns of cells that are searched around a sample.
const AROUND: usize = 5;

impl RowReader for CellularReader<'_> {
    fn add(&mut self, row: usize, amplitude: f32, out: &mut [f32]) {
        let upper = self.lattice.rows.cell[row] as usize;
        for line in upper..upper + AROUND {
            self.prepare(line);
        }
        let y = self.lattice.rows.fraction[row];
        let columns = &self.lattice.columns;
        let mut from = 0;
        for cells in columns.cell.chunk_by(|a, b| a == b) {
            let run = from..from + cells.len();
            from = run.end;
            let xs = &columns.fraction[run.clone()];
            self.gather(cells[0] as usize, upper, xs, y);
            self.least.clear();
            self.least.resize(xs.len(), [f32::INFINITY; 2]);
            for &[px, dy] in &self.near {
                for (least, &x) in self.least.iter_mut().zip(xs) {
                    let square = (x - px) * (x - px) + dy;
                    let second = if square > least[0] { square } else { least[0] };
                    least[0] = if square < least[0] { square } else { least[0] };
                    least[1] = if second < least[1] { second } else { least[1] };
                }
            }
            for (h, least) in out[run].iter_mut().zip(&self.least) {
                *h += amplitude
                    * match self.law.feature {
                        CellDistance::Nearest => least[0].sqrt(),
                        CellDistance::Second => least[1].sqrt(),
                        CellDistance::Difference => least[1].sqrt() - least[0].sqrt(),
                    };
            }
        }
    }
}

impl CellularReader<'_> {
    /// Computes the feature points of lattice row `line`.
    fn prepare(&mut self, line: usize) {
        if self.points.is_empty() {
            self.points = vec![(usize::MAX, Vec::new()); AROUND];
        }
        let (held, points) = &mut self.points[line % AROUND];
        if *held == line {
            return;
        }
        *held = line;
        let Lattice { stream, columns, rows } = self.lattice;
        let y = rows.lines[line];
        let part = |bits: u64| 0.5 + self.law.jitter * ((bits & 0xff_ffff) as f32 * (1.0 / 16_777_216.0) - 0.5);
        points.clear();
        points.extend(columns.lines.iter().map(|&x| stream.bits(x, y)).map(|bits| [part(bits), part(bits >> 24)]));
    }

    /// Collects the points around a lattice cell that can be among the two nearest to a sample of the run `xs` at `y`.
    fn gather(&mut self, column: usize, upper: usize, xs: &[f32], y: f32) {
        let (first, last) = xs.iter().fold((1.0f32, 0.0f32), |(lo, hi), &x| (lo.min(x), hi.max(x)));
        self.near.clear();
        let mut bound = [f32::INFINITY; 2];
        for r in 0..AROUND {
            let points = &self.points[(upper + r) % AROUND].1[column..column + AROUND];
            for (c, point) in points.iter().enumerate() {
                let (px, dy) = (point[0] + (c as f32 - 2.0), point[1] + (r as f32 - 2.0) - y);
                let far = (px - first).abs().max((px - last).abs());
                let farthest = far * far + dy * dy;
                bound = [bound[0].min(farthest), bound[1].min(farthest.max(bound[0]))];
                self.near.push([px, dy * dy]);
            }
        }
        let limit = bound[1] * 1.0001;
        self.near.retain(|&[px, dy]| {
            let near = (first - px).max(px - last).max(0.0);
            near * near + dy <= limit
        });
    }
}
