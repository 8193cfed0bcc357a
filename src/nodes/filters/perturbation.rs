//! Perturbation: every point takes the height of another point close by.
//!
//! Law: out(p) = h(p + d), |d| ≤ `magnitude`. With random displacement, d is drawn uniformly from the disc of radius
//! `magnitude` for every sample of the scene, and rounded to the nearest sample in the disc. Every result is therefore
//! an existing height within the radius, as in the paper. With smooth noise, d = magnitude · 2v / max(1, |2v|), where v
//! is smooth noise (`displacement`) with features of width `size`. A magnitude in cells refers to cells of the scene's
//! own resolution, so that a preview shows the same displacement. If the grid has samples between those of the scene,
//! they use the displacement of the scene's nearest sample, and are interpolated bilinearly. Data maps move as well.
//! Magnitude 0 changes nothing.
//! Boundary: beyond an open edge the edge sample is read; wrapping terrains stay seamless. On a globe d is tangential
//! to the surface, and a random displacement ends at the nearest sample of the scene.
//! Source: Le Martelot 2005, §3.2 (figure 12); Olsen 2004.

use std::f64::consts::FRAC_PI_2;

use super::displacement::{DisplacementField, DisplacementNoise};
use super::sampling::{OutsideFill, Resampling, floor, resample_globe, resample_terrain};
use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, StencilRadius, Traits};
use talweg_ground::field::globe::{direction_at, locate};
use talweg_ground::field::{Cancelled, Stream, Terrain};

talweg_ground::choices! {
    /// The displacement of the points.
    Displacement {
        Random "Random": "Every point moves independently, as in Le Martelot 2005: the terrain shatters to rubble.",
        Noise "Smooth noise": "Neighbouring points move together: outlines become winding and slopes stay smooth.",
    }
}

talweg_ground::choices! {
    /// The unit of the magnitude.
    Unit {
        Metres "Metres": "The magnitude is in metres: the same distance at any resolution.",
        Cells "Cells": "The magnitude is in samples of the scene's own resolution, as in Le Martelot 2005.",
    }
}

talweg_ground::params! {
    /// Breaks up the terrain: every point takes its height from a random point close by. Add an erosion layer above it.
    Perturbation "Perturbation" in "Filter", from "Le Martelot 2005, §3.2; Olsen 2004", also "disorder displace jitter scatter shatter rubble break roughen" {
        /// Maximum distance between a point and the point whose height it takes: larger values break up the relief
        /// more.
        magnitude: f32 = 60.0, 0.0..=1_000_000.0, slider 0.0..=500.0;
        /// Unit of the magnitude.
        unit: Unit = Unit::Metres;
        /// Displacement of the points.
        displacement: Displacement = Displacement::Random;
        /// Width of the areas that smooth noise moves together.
        size: f32 ["m"] = 400.0, 1.0..=1_000_000.0, slider 50.0..=4000.0 => |by| by.displacement == Displacement::Noise;
    }
}

impl Filter for Perturbation {
    fn traits(&self) -> Traits {
        let is_noise = self.displacement == Displacement::Noise;
        Traits {
            is_random: true,
            previews_exactly: false,
            on_planet: Some(OnPlanet { more_fields: if is_noise { 1.0 } else { 0.0 }, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(if is_noise { 3.0 } else { 1.0 }),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        match self.unit {
            Unit::Metres => NodeParts::Within(StencilRadius::of_metres(self.magnitude, 4)),
            Unit::Cells => NodeParts::WholeTerrain("it displaces cells of the scene's own resolution"),
        }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        if self.magnitude == 0.0 {
            return Ok(());
        }
        let (side, scene_side) = ((cx.grid.whole_samples() - 1) as f64, (cx.scene_samples - 1) as f64);
        let radius = match self.unit {
            Unit::Metres => f64::from(self.magnitude) / f64::from(cx.size_metres) * scene_side,
            Unit::Cells => f64::from(self.magnitude),
        };
        let scale = side / scene_side;
        if cx.grid.is_globe() {
            return self.apply_on_globe(cx, terrain, radius / scene_side);
        }
        let beyond = OutsideFill::for_edges(cx.grid);
        let [top, left] = cx.grid.first();
        match self.displacement {
            Displacement::Random => {
                let own = |first: usize| -> Vec<i32> {
                    (first..first + cx.grid.samples).map(|k| libm::round(k as f64 / scale) as i32).collect()
                };
                let [rows, columns] = cx.grid.first().map(own);
                let draws = std::array::from_fn(|draw| cx.random.fork(draw as u64));
                resample_terrain(cx, terrain, beyond, Resampling::Linear, |i, j| {
                    let [south, east] = draw_within(&draws, rows[i], columns[j], radius);
                    [(top + i) as f64 + south * scale, (left + j) as f64 + east * scale]
                })
            }
            Displacement::Noise => {
                let reach_metres = cx.size_metres;
                let drift = DisplacementField::new(
                    cx,
                    &DisplacementNoise { reach_metres, size_metres: self.size, octaves: 1, persistence: 0.5 },
                )?;
                resample_terrain(cx, terrain, beyond, Resampling::Linear, |i, j| {
                    let [south, east] = drift.displacement_at(i, j).map(|d| d / side);
                    let length = (south * south + east * east).sqrt();
                    let reach = radius * scale / if length > 1.0 { length } else { 1.0 };
                    [(top + i) as f64 + south * reach, (left + j) as f64 + east * reach]
                })
            }
        }
    }
}

impl Perturbation {
    /// Displaces the terrain on a globe by the law in the module docs, with |d| ≤ `sides`. A side is a quarter of the
    /// circumference.
    fn apply_on_globe(&self, cx: &Context, terrain: &mut Terrain, sides: f64) -> Result<(), Cancelled> {
        let n = cx.grid.samples;
        let scene_side = (cx.scene_samples - 1) as f64;
        match self.displacement {
            Displacement::Random => {
                let draws: [Stream; DRAWS] = std::array::from_fn(|draw| cx.random.fork(draw as u64));
                let scale = (n - 1) as f64 / scene_side;
                let own: Vec<usize> = (0..n).map(|k| libm::round(k as f64 / scale) as usize).collect();
                let radius = sides * scene_side;
                let nearest = |at: f64| libm::round(at * scene_side) / scene_side;
                resample_globe(cx, terrain, Resampling::Linear, |k, here| {
                    let (face, row, column) = (k / (n * n), own[k / n % n], own[k % n]);
                    // Each face has its own random draws.
                    let drawn = (face * cx.scene_samples + row) as i32;
                    let [south, east] = draw_within(&draws, drawn, column as i32, radius);
                    let [down, right] = tangents(here);
                    let push = |axis: usize| (south * down[axis] + east * right[axis]) * FRAC_PI_2 / scene_side;
                    let (face, u, v) = locate(std::array::from_fn(|axis| here[axis] + push(axis)));
                    direction_at(face, nearest(u), nearest(v))
                })
            }
            Displacement::Noise => {
                let look = DisplacementNoise {
                    reach_metres: cx.size_metres,
                    size_metres: self.size,
                    octaves: 1,
                    persistence: 0.5,
                };
                let drift = DisplacementField::new(cx, &look)?;
                resample_globe(cx, terrain, Resampling::Linear, |k, here| {
                    // The reach of the noise is in sides of the terrain. One radius is 1/(π/2) sides.
                    let push = drift.along_ground(k, here).map(|part| part / FRAC_PI_2);
                    let length = push.iter().map(|part| part * part).sum::<f64>().sqrt();
                    let reach = sides * FRAC_PI_2 / if length > 1.0 { length } else { 1.0 };
                    std::array::from_fn(|axis| here[axis] + push[axis] * reach)
                })
            }
        }
    }
}

/// Two perpendicular unit vectors that are tangential to the globe at `here`: to the south and to the east. At the
/// poles the directions are arbitrary.
fn tangents(here: [f64; 3]) -> [[f64; 3]; 2] {
    let level = (here[0] * here[0] + here[1] * here[1]).sqrt();
    let east = if level > 1.0e-9 { [-here[1] / level, here[0] / level, 0.0] } else { [0.0, 1.0, 0.0] };
    let south = [
        here[1] * east[2] - here[2] * east[1],
        here[2] * east[0] - here[0] * east[2],
        here[0] * east[1] - here[1] * east[0],
    ]
    .map(|part| -part);
    [south, east]
}

/// Number of attempts to draw a point inside the disc from the square around it. All attempts fail with a probability
/// of 10⁻¹⁰.
const DRAWS: usize = 16;

/// Returns a displacement in whole samples, uniform in the disc of `radius` samples, and independent for each sample
/// (i, j).
fn draw_within(draws: &[Stream; DRAWS], i: i32, j: i32, radius: f64) -> [f64; 2] {
    for draw in draws {
        let bits = draw.bits(j, i);
        let [south, east] = [(bits >> 32) as u32, bits as u32].map(|b| f64::from(b as i32) / 2_147_483_648.0);
        if south * south + east * east > 1.0 {
            continue;
        }
        let place = [south * radius, east * radius];
        let nearest = place.map(|d| floor(d + 0.5) as f64);
        let inside = nearest[0] * nearest[0] + nearest[1] * nearest[1] <= radius * radius;
        return if inside { nearest } else { place.map(|d| d as i64 as f64) };
    }
    [0.0; 2]
}
