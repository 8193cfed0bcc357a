//! Gullies computed at each point: branching ravines without a simulation.
//!
//! Law: [`gully_law`](talweg_construction::operators::gully_law), along the slope of the smoothed terrain. The
//! construction operator *Gullies* uses the same equations.
//!
//! The result depends only on the slope at each point, so the cost per sample is the same at any resolution. Higher
//! resolutions add samples and change nothing else. Each octave has a position between crease and crest, from -1 in
//! creases to 1 on crests. The map *Ridge* is the mean of these positions over the octaves, weighted by gully depth.
//! Boundary: on a wrapping terrain the noise lattice repeats; on a globe the lattice is three-dimensional.
//! Source: Johansen 2026, after Clay John 2018 and Nick Fenwick; Gabor noise by Lagae et al. 2009.

use std::f32::consts::TAU;

use rayon::prelude::*;

use super::super::filters::gauss;
use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, SmoothedFilter, Traits};
use talweg_construction::operators::gully_law::{GOLDEN_ANGLE, GullyFunction, GullyLattice, GullyOctave};
use talweg_ground::field::{Cancelled, MapKind, Terrain, globe_gradient, gradient};

talweg_ground::params! {
    /// Draws branching gullies down the slopes in one pass, at any size. No water runs, so no sediment is carried or
    /// deposited. The result is a good base for a later erosion layer.
    Gullies "Gullies" in "Erosion", from "Johansen 2026; Clay John 2018", also "erosion filter ravines branching directional noise gabor fast ridges" {
        /// Width of the largest gullies, from crest to crest.
        size: f32 ["m"] = 800.0, 1.0..=1_000_000.0, slider 50.0..=4000.0;
        /// Number of gully sizes. The gullies of each size are half as wide as those of the size before. More octaves
        /// add finer gullies.
        octaves: u32 = 5, 1..=12;
        /// Depth of the largest gullies on steep slopes.
        depth: f32 ["m"] = 180.0, 0.0..=100_000.0, slider 0.0..=500.0;
        /// Depth of each octave relative to the octave before. Low values look smooth, high values ragged.
        persistence: f32 = 0.5, 0.0..=1.0, slider 0.2..=0.8 => |gullies| gullies.octaves > 1;
        /// How strongly finer gullies turn towards larger ones. At 0 all gullies run straight down the slope.
        branching: f32 = 1.0, 0.0..=10.0, slider 0.0..=3.0 => |gullies| {
            gullies.octaves > 1 && gullies.persistence > 0.0
        };
        /// Fraction by which gullies fade out on crests and at the bottoms of larger gullies; at 0 they do not fade.
        crest_fade: f32 ["share"] = 0.7, 0.0..=1.0 => |gullies| gullies.octaves > 1 && gullies.persistence > 0.0;
        /// Slope below which there are no gullies.
        slope_from: f32 ["°"] = 3.0, 0.0..=90.0, slider 0.0..=30.0;
        /// Slope above which gullies have their full depth.
        slope_to: f32 ["°"] = 20.0, 0.0..=90.0, slider 5.0..=60.0;
        presets {
            Light "Light": "Shallow rills." { size = 400.0, depth = 30.0 }
            Natural "Natural": "Branching gullies below every crest." {}
            Ranges "Ranges": "Large valleys with branches of every width." { size = 3000.0, octaves = 7, depth = 400.0 }
            Badlands "Badlands": "Narrow ravines close together, on gentle slopes too." { size = 250.0, depth = 60.0, persistence = 0.6, slope_from = 1.0, slope_to = 10.0 }
        }
    }
}

/// The data map of this filter.
const WRITTEN: [MapKind; 1] = [MapKind::Ridge];
/// Standard deviation of the filter that smooths the terrain before its slope is computed, as a multiple of `size`.
const SMOOTHING: f32 = 0.2;

impl Filter for Gullies {
    fn traits(&self) -> Traits {
        Traits {
            writes: &WRITTEN,
            is_random: true,
            previews_exactly: false,
            on_planet: Some(OnPlanet::DEFAULT),
            memory: NodeMemory::constant(2.1),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        gauss::parts(self, SMOOTHING * self.size, 1)
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        terrain.close_seam();
        let smooth = gauss::smoothed(cx, &terrain.height, SMOOTHING * self.size)?;
        self.apply_smoothed(cx, smooth, terrain)
    }
}

impl SmoothedFilter for Gullies {
    fn apply_smoothed(&self, cx: &Context, smooth: Vec<f32>, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let (grid, n) = (cx.grid, cx.grid.samples);
        let law = self.law(cx);
        let whole: f32 = law.octaves.iter().map(|octave| octave.depth as f32).sum();
        let whole = if whole > 0.0 { whole } else { 1.0 };
        let globe = grid.shape();
        let mut ridge = vec![0.0f32; grid.len()];
        let rows = terrain.height.par_chunks_mut(n).zip(ridge.par_chunks_mut(n)).enumerate();
        rows.try_for_each(|(i, (heights, ridges))| {
            cx.control.check()?;
            for (j, (height, ridge)) in heights.iter_mut().zip(ridges).enumerate() {
                let (raised, crest) = match (&globe, cx.planet) {
                    (Some(globe), Some(planet)) => {
                        let radius = planet.radius_metres;
                        let up = globe.direction_of(grid.owner(i * n + j));
                        let slope = globe_gradient(globe, &smooth, i * n + j).map(|g| g * cx.relief_metres / radius);
                        law.sample(up.map(|x| x * radius), up, slope, |_, _| 1.0)
                    }
                    _ => {
                        let (x, y) = gradient(grid, &smooth, i, j);
                        let place = [grid.column_position(j), grid.row_position(i), 0.0].map(|x| x * cx.size_metres);
                        let steep = cx.relief_metres / cx.size_metres;
                        law.sample(place, [0.0, 0.0, 1.0], [x * steep, y * steep, 0.0], |_, _| 1.0)
                    }
                };
                *height += raised / cx.relief_metres;
                *ridge = crest / whole;
            }
            Ok(())
        })?;
        grid.close(&mut ridge);
        terrain.map_mut(MapKind::Ridge).copy_from_slice(&ridge);
        terrain.close_seam();
        Ok(())
    }
}

impl Gullies {
    /// Returns the gully equations with the parameters of this layer, on the grid of `cx`.
    fn law(&self, cx: &Context) -> GullyFunction {
        let tangent = |degrees: f32| libm::tanf(if degrees < 89.9 { degrees } else { 89.9 } * (TAU / 360.0));
        let octave = |k: u32| {
            let wanted = self.size / (1u32 << k) as f32;
            // a whole number of lattice cells along a side, so that a wrapping terrain has no seam
            let cells = (cx.size_metres / wanted).round();
            let cells = if cells > 1.0 { cells } else { 1.0 };
            let is_globe = cx.grid.is_globe();
            let around = if is_globe || cx.grid.has_edge() { None } else { Some(cells as i32) };
            let angle = GOLDEN_ANGLE as f32 * (k + 1) as f32;
            let turn = if around.is_some() { [1.0, 0.0] } else { [libm::cosf(angle), libm::sinf(angle)] };
            GullyOctave {
                cell: f64::from(if is_globe { wanted } else { cx.size_metres / cells }),
                around,
                depth: f64::from(self.depth * libm::powf(self.persistence, k as f32)),
                turn: turn.map(f64::from),
                is_solid: is_globe,
                lattice: GullyLattice::Stream(cx.random.fork(u64::from(k))),
            }
        };
        GullyFunction {
            octaves: (0..self.octaves).map(octave).collect(),
            branching: f64::from(self.branching),
            crest_fade: f64::from(self.crest_fade),
            fade: [tangent(self.slope_from), tangent(self.slope_to)].map(f64::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg_ground::field::Stream;
    use talweg_ground::field::{Control, Edges};

    /// Returns the gullies on a plane that rises to the east at an angle of `degrees`.
    fn on_a_plane(gullies: &Gullies, degrees: f32) -> Terrain {
        let control = Control::default();
        let grid = talweg_ground::field::Grid::new(129, Edges::Open);
        let cx = Context {
            grid,
            size_metres: 4000.0,
            relief_metres: 1000.0,
            sea_level: 0.0,
            planet: None,
            scene_samples: 129,
            cell_ratio: 1.0,
            voids: Default::default(),
            random: Stream::new(3, 1),
            control: &control,
        };
        let rise = libm::tanf(degrees.to_radians()) * 4.0;
        let mut terrain = Terrain::from_fn(129, Edges::Open, |u, _| u * rise);
        gullies.apply(&cx, &mut terrain).unwrap();
        terrain
    }

    #[test]
    fn gullies_run_down_the_slope_and_stay_off_gentle_ground() {
        let gullies = Gullies { octaves: 1, ..Gullies::default() };
        let terrain = on_a_plane(&gullies, 30.0);
        let ridge = terrain.map(MapKind::Ridge).unwrap();
        let change = |step: usize| {
            let inner = (20..109).flat_map(|i| (20..109).map(move |j| i * 129 + j));
            inner.map(|k| f64::from((ridge[k + step] - ridge[k]).abs())).sum::<f64>()
        };
        assert!(change(129) > 3.0 * change(1), "across {} along {}", change(129), change(1));
        let (low, high) = ridge.iter().fold((0.0f32, 0.0f32), |(low, high), &r| (low.min(r), high.max(r)));
        assert!(low < -0.9 && high > 0.9, "{low} {high}");
        let gentle = on_a_plane(&gullies, 2.0);
        assert!(gentle.map(MapKind::Ridge).unwrap().iter().all(|&ridge| ridge == 0.0));
    }

    #[test]
    fn the_ground_keeps_its_mean_height() {
        let terrain = on_a_plane(&Gullies::default(), 30.0);
        let grid = terrain.grid;
        let plane = f64::from(libm::tanf(30f32.to_radians()) * 4.0) * 0.5;
        let mean = grid.sum(&terrain.height) / grid.distinct_len() as f64;
        assert!((mean - plane).abs() < 0.005, "{mean} {plane}");
    }
}
