//! Rock layers: the hardness of the rock at the surface.
//!
//! Law: beds are parallel. The position of a point in the stack of beds is s = (z·cos δ - a·sin δ + f + r) / thickness.
//! z is the height, δ the dip angle, and a the distance against the dip direction. f is the shift by folds: the fold
//! height times the sine of the distance across the folds. r is noise. Soft and hard beds alternate. The variation
//! moves the boundaries of the beds by up to half a bed and makes each bed a little harder or softer. Within a tenth of
//! a bed on both sides of a boundary the hardness changes gradually from one bed to the other. The map describes the
//! current surface. After an erosion layer, another layer of this node shows which beds are exposed.
//! Boundary: on wrapping terrains there is no dip, and the number of folds is a whole number. On a globe distances are
//! measured from the great circle that crosses the dip direction at longitude 0 on the equator: dips and folds form
//! rings around the globe.

use std::sync::Arc;

use crate::generators::gradient_noise::GradientNoise;
use crate::generators::octaves::{self, NoiseFade, Octaves};
use crate::generators::warp::DomainWarp;
use crate::{Context, Filter, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, Edges, MapKind, Terrain};

talweg_ground::choices! {
    /// The structure of the rock.
    Structure {
        Beds "Beds": "Hard and soft beds alternate: erosion carves steps and cliffs.",
        Even "Even": "A single rock with the hardness of the hard beds. A mask limits it to an area.",
    }
}

talweg_ground::params! {
    /// Sets the hardness of the rock for the erosion layers above. The rock is uniform, or consists of hard and soft
    /// beds that are level, tilted or folded. The heights do not change.
    Hardness "Rock layers" in "Maps", from "Marshak 2015, Earth: Portrait of a Planet, ch. 11", also "strata hardness resistance beds geology layers dip fold mesa cuesta" {
        /// Structure of the rock: uniform, or alternating hard and soft beds.
        structure: Structure = Structure::Beds;
        /// Hardness of the hard beds: 0 is loose, 1 never erodes.
        hard: f32 ["share"] = 0.85, 0.0..=1.0;
        /// Hardness of the soft beds: 0 is loose, 1 never erodes.
        soft: f32 ["share"] = 0.1, 0.0..=1.0 => |rock| rock.structure == Structure::Beds;
        /// Thickness of a bed: larger values make higher steps.
        thickness: f32 ["m"] = 90.0, 0.1..=10_000.0, slider 5.0..=500.0 => |rock| rock.structure == Structure::Beds;
        /// Variation of the beds in thickness and hardness: at 0 all beds are equally thick, and only two hardnesses
        /// occur.
        variation: f32 ["share"] = 0.5, 0.0..=1.0 => |rock| rock.structure == Structure::Beds;
        /// Tilt of the beds. Tilted beds erode to ridges with one steep side.
        dip_angle: f32 ["°"] = 3.0, 0.0..=90.0, slider 0.0..=45.0 => |rock| rock.structure == Structure::Beds;
        /// Direction in which the beds descend, clockwise from north.
        dip_direction: f32 ["°"] = 120.0, 0.0..=360.0 => |rock| rock.structure == Structure::Beds && (rock.dip_angle > 0.0 || rock.fold_height > 0.0);
        /// Height of the fold crests above the mean of the bed: 0 leaves the beds unfolded.
        fold_height: f32 ["m"] = 0.0, 0.0..=10_000.0, slider 0.0..=500.0 => |rock| rock.structure == Structure::Beds;
        /// Distance from one fold crest to the next, along the dip direction.
        fold_length: f32 ["m"] = 3000.0, 1.0..=1_000_000.0, slider 200.0..=20_000.0 => |rock| rock.structure == Structure::Beds && rock.fold_height > 0.0;
        /// Amplitude of the random undulation of the beds: larger values make the steps more irregular.
        irregularity: f32 ["m"] = 25.0, 0.0..=10_000.0, slider 0.0..=200.0 => |rock| rock.structure == Structure::Beds;
    }
}

/// Fraction of a bed, on either side of a boundary, over which the hardness changes to the hardness of the next bed.
const PASSAGE: f32 = 0.1;
/// Number of features of the random undulation along a side of the terrain, for the coarsest octave.
const FREQUENCY: f32 = 4.0;
const OCTAVES: u32 = 4;
/// Largest number of a bed. All rock beyond this bed belongs to it.
const FARTHEST: f32 = 1.0e6;

impl Filter for Hardness {
    fn traits(&self) -> Traits {
        Traits {
            writes: &[MapKind::Hardness],
            is_random: self.structure == Structure::Beds,
            on_planet: Some(OnPlanet::DEFAULT),
            ..Traits::FILTER
        }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        cx.control.check()?;
        let grid = terrain.grid;
        let mut map = vec![self.hard; grid.len()];
        if self.structure == Structure::Beds {
            let beds = Beds::new(self, cx);
            map.fill(0.0);
            let law = Octaves { count: OCTAVES, frequency: FREQUENCY, lacunarity: 2.0, offset: [0.0; 2] };
            let (random, weights) = (cx.random.fork(1), octaves::weights(OCTAVES, 0.5, 2.0 * self.irregularity));
            let globe = grid.shape();
            let noise = GradientNoise::new(grid, random, &law, NoiseFade::Improved, DomainWarp::NONE);
            noise.sum(cx, 0.0, &weights, &mut map)?;
            cx.rows(&mut map, |i, row| {
                let heights = grid.row(&terrain.height, i);
                let v = grid.row_position(i % grid.distinct_side()) * cx.size_metres;
                for (j, (cell, &h)) in row.iter_mut().zip(heights).enumerate() {
                    let place = match &globe {
                        Some(globe) => beds.place_on_globe(globe.direction_of(i * grid.samples + j), cx.size_metres),
                        None => {
                            beds.place_on_square(grid.column_position(j % grid.distinct_side()) * cx.size_metres, v)
                        }
                    };
                    *cell = beds.hardness_at(place, h * cx.relief_metres, *cell);
                }
            })?;
        }
        terrain.set_map(MapKind::Hardness, Some(Arc::new(map)));
        Ok(())
    }
}

/// The beds; lengths are in metres.
struct Beds<'a> {
    law: &'a Hardness,
    random: talweg_ground::field::Stream,
    /// East and south components of the unit vector against the dip direction.
    against: [f32; 2],
    /// Number of folds per metre to the east and to the south.
    waves: [f32; 2],
    sin: f32,
    cos: f32,
}

impl<'a> Beds<'a> {
    fn new(law: &'a Hardness, cx: &Context) -> Self {
        let radians = std::f32::consts::PI / 180.0;
        let (east, south) = (libm::sinf(law.dip_direction * radians), -libm::cosf(law.dip_direction * radians));
        let wraps = cx.grid.edges == Edges::Wrap;
        let dip = if wraps { 0.0 } else { law.dip_angle * radians };
        let waves = [east, south].map(|part| {
            let waves = part * cx.size_metres / law.fold_length;
            (if wraps { libm::roundf(waves) } else { waves }) / cx.size_metres
        });
        let against = [-east, -south];
        Self { law, random: cx.random.fork(2), against, waves, sin: libm::sinf(dip), cos: libm::cosf(dip) }
    }

    /// Returns the position in the beds of a point `u` metres east and `v` metres south of the north-west corner. It
    /// consists of the number of folds up to the point, and the point's distance against the dip direction in metres.
    fn place_on_square(&self, u: f32, v: f32) -> [f32; 2] {
        [self.waves[0] * u + self.waves[1] * v, self.against[0] * u + self.against[1] * v]
    }

    /// Returns the same as [`place_on_square`](Self::place_on_square) for a point on a globe. `side` is a quarter of
    /// the globe's circumference in metres.
    fn place_on_globe(&self, [_, y, z]: [f32; 3], side: f32) -> [f32; 2] {
        let radians = libm::asinf((self.against[0] * y - self.against[1] * z).clamp(-1.0, 1.0));
        let along = radians * std::f32::consts::FRAC_2_PI * side;
        [-along / self.law.fold_length, along]
    }

    /// Hardness at a position and at height `z`, both in metres, with the beds moved by `shift` metres.
    fn hardness_at(&self, [phase, along]: [f32; 2], z: f32, shift: f32) -> f32 {
        let fold = self.law.fold_height * libm::sinf((phase - libm::floorf(phase)) * std::f32::consts::TAU);
        let s = ((z * self.cos - along * self.sin + fold + shift) / self.law.thickness).clamp(-FARTHEST, FARTHEST);
        let boundary = |k: i32| k as f32 + 0.49 * self.law.variation * self.random.signed(k, 0);
        let mut k = libm::floorf(s) as i32 - 1;
        while s >= boundary(k + 1) {
            k += 1;
        }
        let (low, high) = (boundary(k), boundary(k + 1));
        let here = self.bed(k);
        // on a boundary, the hardness is the mean of both beds
        let beyond = |other: i32, far: f32| {
            let t = (1.0 - far / PASSAGE).max(0.0);
            (self.bed(other) - here) * 0.5 * t
        };
        (here + beyond(k - 1, s - low) + beyond(k + 1, high - s)).clamp(0.0, 1.0)
    }

    fn bed(&self, k: i32) -> f32 {
        let (own, other) = if k % 2 == 0 { (self.law.soft, self.law.hard) } else { (self.law.hard, self.law.soft) };
        own + (other - own) * 0.5 * self.law.variation * self.random.unit(k, 1)
    }
}
