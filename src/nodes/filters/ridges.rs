//! Ridges and valleys: raises crests and deepens channels.
//!
//! Law: g is h smoothed by `gauss` with the standard deviation `scale` = σ. λ₁ ≤ λ₂ are the principal second
//! derivatives of g, the eigenvalues of its Hessian: λ = (gxx + gyy)/2 ∓ √(((gxx - gyy)/2)² + gxy²). out = h +
//! ridges·σ²·max(0, -λ₁) - valleys·σ²·max(0, λ₂). The factor σ² makes the strength depend on the shape alone: on a
//! ridge about as wide as σ the change is close to the ridge's own height. If both amounts are 0, nothing changes. On a
//! globe λ₁ and λ₂ are the eigenvalues of the covariant Hessian in the metric of the face's rows and columns. Rows and
//! columns are great circles. X and Y are the tangents of their angles, and δ = 1 + X² + Y². The Christoffel terms are
//! therefore short: ∇₁₁ = g₁₁ - 2X·Y²/δ·g₁, ∇₁₂ = g₁₂ + (X·(1 + X²)·g₂ + Y·(1 + Y²)·g₁)/δ, ∇₂₂ = g₂₂ - 2Y·X²/δ·g₂.
//! Scheme: finite differences over one cell; scales finer than a cell have no effect.
//! Boundary: beyond an open edge the terrain is reflected at the edge; beyond a face of a globe the lattice continues
//! ([`face_with_margin`]).
//! Source: Lindeberg 1998, *Edge detection and ridge detection with automatic scale selection*.

use std::f32::consts::FRAC_PI_2;

use super::gauss;
use super::lines::index_beyond;
use super::sampling::face_with_margin;
use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, SmoothedFilter, Traits};
use talweg_ground::field::{Cancelled, Globe, Terrain};

talweg_ground::params! {
    /// Raises crests and deepens valleys: gentle terrain gains lines as if water and ice had carved it.
    Ridges "Ridges and valleys" in "Filter", from "Lindeberg 1998", also "emphasis curvature crest gully channel carve enhance convexity" {
        /// Strength of the ridges: 0 leaves crests unchanged, negative values lower them.
        ridges: f32 = 0.7, -10.0..=10.0, slider -2.0..=4.0;
        /// Strength of the valleys: 0 leaves valleys unchanged, negative values fill them.
        valleys: f32 = 0.7, -10.0..=10.0, slider -2.0..=4.0;
        /// Width of the affected crests and valleys: large values affect whole mountain ranges, small values gullies.
        scale: f32 ["m"] = 120.0, 1.0..=1_000_000.0, slider 10.0..=1000.0;
    }
}

impl Filter for Ridges {
    fn traits(&self) -> Traits {
        Traits {
            previews_exactly: false,
            on_planet: Some(OnPlanet { version: 1, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(2.1),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        gauss::parts(self, if self.changes_nothing() { 0.0 } else { self.scale }, 1)
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        if self.changes_nothing() {
            return Ok(());
        }
        let smooth = gauss::smoothed(cx, &terrain.height, self.scale)?;
        self.apply_smoothed(cx, smooth, terrain)
    }
}

impl SmoothedFilter for Ridges {
    fn apply_smoothed(&self, cx: &Context, smooth: Vec<f32>, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let n = cx.grid.samples;
        // The scale is limited to the terrain's size, because smoothing over a larger scale removes all relief.
        let sigma = (self.scale / cx.size_metres).min(1.0) * (cx.grid.whole_samples() - 1) as f32;
        let (ridges, valleys) = (self.ridges * sigma * sigma, self.valleys * sigma * sigma);
        if cx.grid.is_globe() {
            return raise_on_globe(cx, &smooth, [ridges, valleys], terrain);
        }
        cx.rows(&mut terrain.height, |i, row| {
            let at = |k: i64| cx.grid.row(&smooth, index_beyond(cx.grid, i as i64 + k));
            let (north, here, south) = (at(-1), at(0), at(1));
            let mut sample = |west: usize, j: usize, east: usize| {
                let xx = (here[west] - here[j]) + (here[east] - here[j]);
                let yy = (north[j] - here[j]) + (south[j] - here[j]);
                let xy = 0.25 * ((north[west] - north[east]) + (south[east] - south[west]));
                let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
                let spread = (half * half + xy * xy).sqrt();
                let (least, greatest) = (mean - spread, mean + spread);
                row[j] += rise([least, greatest], [ridges, valleys]);
            };
            let neighbour = |j: i64| index_beyond(cx.grid, j);
            sample(neighbour(-1), 0, neighbour(1));
            (1..n - 1).for_each(|j| sample(j - 1, j, j + 1));
            sample(neighbour(n as i64 - 2), n - 1, neighbour(n as i64));
        })?;
        Ok(())
    }
}

impl Ridges {
    fn changes_nothing(&self) -> bool {
        self.ridges == 0.0 && self.valleys == 0.0
    }
}

/// Change of height, given the principal second derivatives: crests rise and channels deepen.
#[inline(always)]
fn rise([least, greatest]: [f32; 2], [ridges, valleys]: [f32; 2]) -> f32 {
    let crest = if least < 0.0 { -least } else { 0.0 };
    let channel = if greatest > 0.0 { greatest } else { 0.0 };
    ridges * crest - valleys * channel
}

/// Raises crests and deepens channels on a globe; `amounts` holds the strengths of ridges and valleys.
fn raise_on_globe(cx: &Context, smooth: &[f32], amounts: [f32; 2], terrain: &mut Terrain) -> Result<(), Cancelled> {
    let (grid, n) = (cx.grid, cx.grid.samples);
    let globe = Globe::new(n);
    // Tangents of the angles of rows and columns. `half_step` is half the angle between neighbouring rows.
    let tangents: Vec<f32> = (0..n).map(|k| globe.tangent(k) as f32).collect();
    let half_step = 0.5 * FRAC_PI_2 / (n - 1) as f32;
    let faces: Vec<Vec<f32>> = (0..grid.faces()).map(|face| face_with_margin(&globe, smooth, face, 1)).collect();
    cx.rows(&mut terrain.height, |i, row| {
        let (face, i) = (i / n, i % n);
        let [north, here, south] = [i, i + 1, i + 2].map(|row| &faces[face][row * (n + 2)..][..n + 2]);
        for (j, h) in row.iter_mut().enumerate() {
            let (west, at, east) = (j, j + 1, j + 2);
            let xx = (here[west] - here[at]) + (here[east] - here[at]);
            let yy = (north[at] - here[at]) + (south[at] - here[at]);
            let xy = 0.25 * ((north[west] - north[east]) + (south[east] - south[west]));
            let [along, down] = [here[east] - here[west], south[at] - north[at]].map(|h| half_step * h);
            let (x, y) = (tangents[j], tangents[i]);
            let (x2, y2) = (x * x, y * y);
            let far = 1.0 + x2 + y2;
            let xx = xx - 2.0 * x * y2 / far * along;
            let xy = xy + (x * (1.0 + x2) * down + y * (1.0 + y2) * along) / far;
            let yy = yy - 2.0 * y * x2 / far * down;
            let [a, b, c] = globe.metric_tensor(i, j);
            let area = a * c - b * b;
            let mean = 0.5 * (c * xx - 2.0 * b * xy + a * yy) / area;
            let square = mean * mean - (xx * yy - xy * xy) / area;
            let spread = if square > 0.0 { square.sqrt() } else { 0.0 };
            *h += rise([mean - spread, mean + spread], amounts);
        }
    })?;
    grid.merge_copies(&mut terrain.height, gauss::mean_of_copies);
    Ok(())
}
