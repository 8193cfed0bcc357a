//! Rock layers: how hard the rock at the surface is.
//!
//! Law: beds lie parallel; the place of a point in them is s = (z·cos δ + a·sin δ + f + r) / thickness, with z its
//! height, δ the dip, a the distance against the direction of the dip, f the folds, height · sin of the distance across
//! them, and r noise. Soft and hard beds take turns; the variation moves their boundaries by up to half a bed and makes
//! each a little harder or softer. A tenth of a bed on both sides of a boundary the hardness passes from one to the
//! other. The map is that of the surface as it is now. After an erosion another of these layers shows what has come to
//! light.
//! Boundary: on wrapping terrains there is no dip, and a whole number of folds. On a globe distances are those from the
//! great circle that crosses the direction of the dip at longitude 0 on the equator: dips and folds run around in
//! rings.

use std::sync::Arc;

use crate::generators::gradient_noise::GradientNoise;
use crate::generators::octaves::{self, NoiseFade, Octaves};
use crate::generators::warp::DomainWarp;
use crate::{Context, Filter, Traits};
use talweg_ground::field::{Cancelled, Edges, MapKind, Terrain};

talweg_ground::choices! {
    /// How the rock is built.
    Structure {
        Beds "Beds": "Hard and soft beds take turns: erosion makes steps and cliffs.",
        Even "Even": "One rock, as hard as the hard beds. Use a mask to say where.",
    }
}

talweg_ground::params! {
    /// Says how hard the rock is, for the erosions above: one rock, or hard and soft beds, level, tilted or folded. The
    /// ground stays as it is.
    Hardness "Rock layers" in "Maps", from "Marshak 2015, Earth: Portrait of a Planet, ch. 11", also "strata hardness resistance beds geology layers dip fold mesa cuesta" {
        /// How the rock is built.
        structure: Structure = Structure::Beds;
        /// Hardness of the hard beds, from loose to what never wears.
        hard: f32 ["share"] = 0.85, 0.0..=1.0;
        /// Hardness of the soft beds.
        soft: f32 ["share"] = 0.1, 0.0..=1.0 => |rock| rock.structure == Structure::Beds;
        /// Thickness of a bed.
        thickness: f32 ["m"] = 90.0, 0.1..=10_000.0, slider 5.0..=500.0 => |rock| rock.structure == Structure::Beds;
        /// How uneven the beds are in thickness and hardness: 0 makes them all alike.
        variation: f32 ["share"] = 0.5, 0.0..=1.0 => |rock| rock.structure == Structure::Beds;
        /// How much the beds are tilted. Tilted beds make ridges with one steep side.
        dip_angle: f32 ["°"] = 3.0, 0.0..=90.0, slider 0.0..=45.0 => |rock| rock.structure == Structure::Beds;
        /// Where the beds go down to, clockwise from north.
        dip_direction: f32 ["°"] = 120.0, 0.0..=360.0 => |rock| rock.structure == Structure::Beds && (rock.dip_angle > 0.0 || rock.fold_height > 0.0);
        /// Height of the folds, from the middle to the crest. 0 leaves the beds straight.
        fold_height: f32 ["m"] = 0.0, 0.0..=10_000.0, slider 0.0..=500.0 => |rock| rock.structure == Structure::Beds;
        /// Distance from fold to fold, along the dip.
        fold_length: f32 ["m"] = 3000.0, 1.0..=1_000_000.0, slider 200.0..=20_000.0 => |rock| rock.structure == Structure::Beds && rock.fold_height > 0.0;
        /// How much the beds undulate at random.
        irregularity: f32 ["m"] = 25.0, 0.0..=10_000.0, slider 0.0..=200.0 => |rock| rock.structure == Structure::Beds;
    }
}

/// Part of a bed, on both sides of a boundary, where hardness passes from one bed to the next.
const PASSAGE: f32 = 0.1;
/// Features of the irregularity along a side.
const FREQUENCY: f32 = 4.0;
const OCTAVES: u32 = 4;
/// Beds beyond this are all alike.
const FARTHEST: f32 = 1.0e6;

impl Filter for Hardness {
    fn traits(&self) -> Traits {
        Traits {
            writes: &[MapKind::Hardness],
            on_globe: true,
            is_random: self.structure == Structure::Beds,
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
                let v = grid.row_position(i % grid.distinct()) * cx.size_metres;
                for (j, (cell, &h)) in row.iter_mut().zip(heights).enumerate() {
                    let place = match &globe {
                        Some(globe) => beds.place_on_globe(globe.direction_of(i * grid.samples + j), cx.size_metres),
                        None => beds.place_on_square(grid.column_position(j % grid.distinct()) * cx.size_metres, v),
                    };
                    *cell = beds.hardness_at(place, h * cx.relief_metres, *cell);
                }
            })?;
        }
        terrain.set_map(MapKind::Hardness, Some(Arc::new(map)));
        Ok(())
    }
}

/// The beds, in metres.
struct Beds<'a> {
    law: &'a Hardness,
    random: talweg_ground::field::Stream,
    /// Against the direction of the dip: east and south.
    against: [f32; 2],
    /// Waves of the folds per metre to the east and south.
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

    /// The place at (u, v) metres from the north-west corner: folds passed, and metres against the dip.
    fn place_on_square(&self, u: f32, v: f32) -> [f32; 2] {
        [self.waves[0] * u + self.waves[1] * v, self.against[0] * u + self.against[1] * v]
    }

    /// The same on a globe of which a quarter of the way around is `side` metres long.
    fn place_on_globe(&self, [_, y, z]: [f32; 3], side: f32) -> [f32; 2] {
        let radians = libm::asinf((self.against[0] * y - self.against[1] * z).clamp(-1.0, 1.0));
        let along = radians * std::f32::consts::FRAC_2_PI * side;
        [-along / self.law.fold_length, along]
    }

    /// Hardness at a place, height z, with the beds moved by `shift`.
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
        // halfway between the two beds on their boundary
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
