//! Craters: meteorite impacts on a world without air, from the oldest to the youngest.
//!
//! Law: the number of craters with a diameter above D is N(>D) ∝ D^-b (`population`). Shapes follow Pike 1977, ejecta
//! blankets McGetchin et al. 1973, and erosion resembles diffusion (`shape`). Each impact replaces the terrain that it
//! hits, and the ejecta blankets of younger craters bury older craters. Lava fills the large old basins at the fraction
//! `FLOODED` of the time span (`stamp`).
//! Wear: τ = wear·age·(D_mean/D)^½, so that small craters vanish first. The age is from 0 (now) to 1, and D_mean is the
//! geometric mean of the smallest and the largest diameter. Air of density a (1 is Earth's) adds 8a·age/(1.02 - a) to
//! τ. Air also burns up meteorites whose craters would be smaller than a·5 km, and some larger meteorites. This effect
//! of air is our own convention. With it, the terrain changes smoothly from the Moon's at a = 0 to almost no craters at
//! a = 1.
//! Brightness: a map from -1 to 1. Rays of the youngest craters are above 0; lava is below 0 (`mare`), and thicker lava
//! is darker.
//! Boundary: craters around an open terrain extend into it; on wrapping terrains they continue on the opposite side; a
//! globe has no edge.
//! Resolution: craters smaller than two samples are skipped, craters smaller than three samples are faint.
//! Volume is not conserved: the ejecta blanket of a fresh bowl holds 80 to 100 % of the bowl's volume, and lava is
//! added.
//! Source: Pike 1977; McGetchin, Settle & Head 1973; Fassett & Thomson 2014 (wear). Our own conventions, such as the
//! effect of air and the order of the ages, are marked where they occur.

mod impact;
mod mare;
mod planes;
mod population;
mod rough;
pub mod shape;
mod stamp;
mod surface;
mod tiles;

use std::sync::Arc;

use rayon::prelude::*;

use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, Traits};
use impact::{Event, Impact};
use mare::Mare;
use population::{Sizes, UnshapedImpact, population};
use rough::CraterNoise;
use shape::{CraterLaw, CraterShape, smooth};
use stamp::stamp;
use surface::CraterSurface;
use talweg_ground::field::{Cancelled, MapKind, Terrain};
use talweg_ground::planet::Planet;

talweg_ground::choices! {
    /// Quantity that sets the number of craters.
    Amount {
        Number "Number": "The number of craters on the terrain, or on the whole planet.",
        Cover "Coverage": "The total area of the craters, as a multiple of the terrain's area, independent of their sizes.",
    }
}

talweg_ground::choices! {
    /// The places of the craters.
    CraterPlaces {
        Random "Random": "Craters of many sizes and ages at random places.",
        Chosen "Chosen": "A single fresh crater of the largest diameter at the chosen place.",
    }
}

talweg_ground::params! {
    /// Adds impact craters of different ages: bowls, terraced craters with peaks, and great basins. Young craters
    /// overlap old craters.
    Craters "Craters" in "Planet", from "Pike 1977; McGetchin, Settle & Head 1973", also "impact crater moon lunar mars mercury meteorite asteroid basin mare maria ejecta rays bowl planet" {
        /// Places of the craters: at random, or a single crater at a chosen place. Several layers place several
        /// craters.
        places: CraterPlaces = CraterPlaces::Random;
        /// Longitude of the chosen place on a planet.
        longitude: f32 ["°"] = 0.0, -180.0..=180.0 => |c| c.places == CraterPlaces::Chosen;
        /// Latitude of the chosen place on a planet.
        latitude: f32 ["°"] = 0.0, -90.0..=90.0 => |c| c.places == CraterPlaces::Chosen;
        /// Position of the chosen place on a square terrain, from the western edge (0) to the eastern edge (1).
        centre_x: f32 = 0.5, -10.0..=10.0, slider 0.0..=1.0 => |c| c.places == CraterPlaces::Chosen;
        /// Position of the chosen place on a square terrain, from the northern edge (0) to the southern edge (1).
        centre_y: f32 = 0.5, -10.0..=10.0, slider 0.0..=1.0 => |c| c.places == CraterPlaces::Chosen;
        /// Quantity that sets the number of craters.
        amount: Amount = Amount::Number => |c| c.places == CraterPlaces::Random;
        /// Number of craters of all sizes. Their total area is limited to 20 times the area of the terrain.
        craters: u32 = 2500, 1..=200_000, slider 1..=20_000 => |c| {
            c.places == CraterPlaces::Random && c.amount == Amount::Number
        };
        /// Total area of the craters as a multiple of the terrain's area. Above 1 hardly any old terrain remains.
        cover: f32 = 1.0, 0.0..=20.0, slider 0.05..=5.0 => |c| {
            c.places == CraterPlaces::Random && c.amount == Amount::Cover
        };
        /// Diameter of the largest craters, as a fraction of the terrain's side length. On a planet the side length is
        /// a quarter of the circumference.
        largest: f32 = 0.25, 0.001..=1.0, slider 0.01..=0.6;
        /// Diameter of the smallest craters, as a fraction of the terrain's side length.
        smallest: f32 = 0.006, 0.0002..=1.0, slider 0.001..=0.1 => |c| c.places == CraterPlaces::Random;
        /// Exponent of the size distribution: at 2 there are four times as many craters at half the diameter. Larger
        /// values leave only few large craters.
        size_slope: f32 = 2.0, 0.5..=5.0, slider 1.0..=4.0 => |c| c.places == CraterPlaces::Random;
        /// Depth relative to fresh craters on the Moon. The height of rims grows with the depth.
        depth: f32 = 1.0, 0.0..=10.0, slider 0.0..=3.0;
        /// Diameter from which craters have flat floors, terraced walls and central peaks: 10.6 km on the Moon, 3 km on
        /// Earth.
        transition_metres: f32 ["m"] = 10_600.0, 10.0..=1_000_000.0, slider 500.0..=50_000.0;
        /// Height of central peaks and inner rings, relative to craters on the Moon.
        peaks: f32 = 1.0, 0.0..=3.0, slider 0.0..=2.0;
        /// Height of the rims and of the ejecta around the rims, relative to craters on the Moon.
        ejecta: f32 = 1.0, 0.0..=3.0, slider 0.0..=2.0;
        /// Irregularity of rims, walls and blankets: 0 makes them perfectly round.
        uneven: f32 ["share"] = 0.6, 0.0..=1.0;
        /// Erosion of old craters, which makes them soft and shallow. At 0 all craters look fresh.
        wear: f32 = 0.6, 0.0..=10.0, slider 0.0..=3.0 => |c| c.places == CraterPlaces::Random;
        /// Fraction of the craters that still have bright rays in the brightness map. The youngest craters have the
        /// rays.
        rays: f32 ["share"] = 0.03, 0.0..=1.0, slider 0.0..=0.3;
        /// Fill level of the lava in large old basins: 1 fills the basins up to the surrounding terrain. Lava is smooth
        /// and dark.
        maria: f32 ["share"] = 0.0, 0.0..=1.0 => |c| c.places == CraterPlaces::Random;
        /// Minimum diameter of flooded basins, as a fraction of the largest diameter.
        maria_from: f32 = 0.4, 0.05..=1.0 => |c| c.places == CraterPlaces::Random && c.maria > 0.0;
        /// Uses the planet's air, which stops small meteorites and erodes craters.
        follow_atmosphere: bool = true;
        /// Density of the air: 0 keeps every crater, 0.01 softens craters as on Mars, 1 leaves almost no craters, as on
        /// Earth.
        atmosphere: f32 = 0.0, 0.0..=100.0, slider 0.0..=1.0 => |c| !c.follow_atmosphere;
        presets {
            Highlands "Moon highlands": "Overlapping craters of every size and age." { amount = Amount::Cover, cover = 2.2, largest = 0.35, smallest = 0.004, wear = 0.8 }
            Maria "Moon maria": "Great old basins filled with dark smooth lava, with few craters and bright rays on the lava." { amount = Amount::Cover, cover = 1.4, largest = 0.6, smallest = 0.004, maria = 0.75, maria_from = 0.35, rays = 0.06 }
            Mars "Mars": "Soft, shallow craters; the small ones are eroded." { amount = Amount::Cover, cover = 0.8, largest = 0.3, smallest = 0.008, transition_metres = 7000.0, wear = 2.5, uneven = 0.7, rays = 0.0 }
            Basin "Great basin": "A single impact that shapes a whole region." { craters = 1, largest = 0.6, smallest = 0.6, wear = 0.0, uneven = 0.7, rays = 0.0 }
            Fresh "Fresh crater": "A single young crater with its ejecta blanket and rays." { craters = 1, largest = 0.25, smallest = 0.25, wear = 0.0, rays = 1.0 }
        }
    }
}

/// Maximum total area of all craters, as a multiple of the terrain's area.
const SATURATED: f64 = 20.0;
/// Time at which lava floods the maria, as a fraction of the time span of impacts.
const FLOODED: f32 = 0.85;
/// Time of impact, as a fraction of the time span, before which basins can be flooded.
const OLD: f32 = 0.6;
/// Area of a globe as a multiple of the squared side length of a face: 16/π.
const GLOBE_SIDES: f64 = 16.0 * std::f64::consts::FRAC_1_PI;
/// Maximum number of craters.
const MOST: f64 = 200_000.0;
/// Density of the air above which craters have no rays.
const RAYS_GONE: f32 = 0.2;
/// Two values of the wear: a crater starts to vanish at the first, and has vanished at the second.
const GONE: [f32; 2] = [20.0, 60.0];

impl Filter for Craters {
    fn traits(&self) -> Traits {
        Traits {
            version: if self.maria > 0.0 { 3 } else { 1 },
            writes: if self.shows_brightness() { &[MapKind::Brightness] } else { &[] },
            is_random: true,
            previews_exactly: false,
            on_planet: Some(OnPlanet::DEFAULT),
            memory: NodeMemory::constant(1.1),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("each crater is stamped into the terrain that the earlier ones left")
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        cx.control.check()?;
        terrain.close_seam();
        let surface = CraterSurface::new(cx.grid);
        let mut impacts = Vec::new();
        let mut events = Vec::new();
        self.impacts(cx, &surface, &mut impacts, &mut events)?;
        let mut height = terrain.height.clone();
        let mut brightness = Vec::new();
        if self.shows_brightness() {
            brightness = terrain.map(MapKind::Brightness).map_or_else(|| vec![0.0; height.len()], |map| map.to_vec());
        }
        stamp(&surface, cx.grid.samples, &mut impacts, &events, &mut height, &mut brightness, cx.control)?;
        terrain.height = height;
        terrain.close_seam();
        if self.shows_brightness() {
            // This function closes the seams of height fields only, so the brightness map takes the place of the
            // heights.
            let heights = std::mem::replace(&mut terrain.height, brightness);
            terrain.close_seam();
            let brightness = std::mem::replace(&mut terrain.height, heights);
            terrain.set_map(MapKind::Brightness, Some(Arc::new(brightness)));
        }
        Ok(())
    }
}

impl Craters {
    fn shows_brightness(&self) -> bool {
        self.rays > 0.0 || self.maria > 0.0
    }

    fn sizes(&self) -> Sizes {
        let is_one = self.places == CraterPlaces::Chosen;
        let smallest = if self.smallest < self.largest && !is_one { self.smallest } else { self.largest };
        Sizes { smallest, largest: self.largest, slope: self.size_slope }
    }

    fn count(&self, surface: &CraterSurface) -> u32 {
        match self.amount {
            // With more craters, younger craters would cover all older ones, and the computation would take too long.
            Amount::Number => self.craters.min(((SATURATED * surface.area() / self.sizes().mean_area()) as u32).max(1)),
            Amount::Cover => {
                (f64::from(self.cover) * surface.area() / self.sizes().mean_area()).clamp(0.0, MOST) as u32
            }
        }
    }

    /// Density of the air through which meteorites fall, relative to Earth's.
    pub fn air(&self, planet: Option<&Planet>) -> f32 {
        if self.follow_atmosphere { planet.map_or(0.0, |planet| planet.atmosphere) } else { self.atmosphere }
    }

    /// Properties that all craters of this layer share.
    pub fn law(&self) -> CraterLaw {
        CraterLaw {
            transition_km: self.transition_metres * 1.0e-3,
            depth: self.depth,
            ejecta: self.ejecta,
            peaks: self.peaks,
        }
    }

    /// Geometric mean of the smallest and the largest diameter, as a fraction of the terrain's side length.
    pub fn mean_diameter(&self) -> f32 {
        let sizes = self.sizes();
        (sizes.smallest * sizes.largest).sqrt()
    }

    /// Total area of the craters with diameters `from` to `to`, as a multiple of the planet's area. Diameters are
    /// fractions of the side length of a cube face. The size distribution is extrapolated below the smallest crater.
    pub fn cover_between(&self, from: f32, to: f32) -> f64 {
        let sizes = self.sizes();
        let all = match self.amount {
            // A crater at a chosen place is one of a kind: the surface has no smaller ones of this layer.
            _ if self.places == CraterPlaces::Chosen => 0.0,
            Amount::Number => f64::from(self.craters) * sizes.mean_area() / GLOBE_SIDES,
            Amount::Cover => f64::from(self.cover),
        };
        all.min(SATURATED) * sizes.share_of_cover(from, to)
    }

    /// Wear of a crater in air of density `air`. `diameter` is a fraction of the side length, and `age` is from 0 (now)
    /// to 1.
    pub fn wear_of(&self, diameter: f32, age: f32, air: f32) -> f32 {
        let air = if air < 1.0 { air } else { 1.0 };
        age * (self.wear * (self.mean_diameter() / diameter).sqrt() + 8.0 * air / (1.02 - air))
    }

    /// Visible fraction of a crater with this wear: 1 for a fresh crater, 0 after the crater has vanished.
    pub fn visible_fraction(wear: f32) -> f32 {
        1.0 - smooth(GONE[0], GONE[1], wear)
    }

    /// Collects the craters and floods of the terrain, the oldest first.
    fn impacts(
        &self,
        cx: &Context,
        surface: &CraterSurface,
        impacts: &mut Vec<Impact>,
        events: &mut Vec<Event>,
    ) -> Result<(), Cancelled> {
        let sizes = self.sizes();
        let falls = match self.places {
            CraterPlaces::Random => {
                population(surface, &sizes, self.count(surface), 2.0 * cx.grid.cell(), cx.random, cx.control)?
            }
            CraterPlaces::Chosen => {
                let centre = match cx.grid.is_globe() {
                    true => surface.at_angles(self.latitude, self.longitude),
                    false => [self.centre_x, self.centre_y, 0.0],
                };
                vec![UnshapedImpact { centre, diameter: self.largest, time: 1.0, index: 0 }]
            }
        };
        let common = Common { law: self.law(), mean: self.mean_diameter(), air: self.air(cx.planet) };
        cx.control.check()?;
        let made: Vec<Option<Impact>> =
            falls.par_iter().with_min_len(256).map(|fall| self.impact(cx, surface, &common, fall)).collect();
        let mut flooded = Vec::new();
        for (fall, impact) in falls.iter().zip(made) {
            if fall.time >= FLOODED {
                events.extend(flooded.drain(..).map(Event::Flood));
            }
            let Some(impact) = impact else { continue };
            surface.images(impact.centre, impact.reach(), |centre, image| {
                let k = impacts.len() as u32;
                impacts.push(impact.moved_to(centre, image));
                events.push(Event::Impact(k));
                if impact.lava > 0.0 {
                    flooded.push(k);
                }
            });
        }
        events.extend(flooded.into_iter().map(Event::Flood));
        Ok(())
    }

    /// Creates the crater of an impact; `None` if the meteorite burns up in the air, or if erosion has removed the
    /// crater.
    fn impact(&self, cx: &Context, surface: &CraterSurface, common: &Common, fall: &UnshapedImpact) -> Option<Impact> {
        let UnshapedImpact { diameter, time, index, centre } = *fall;
        let (metres, samples) = (diameter * cx.size_metres, diameter / cx.grid.cell());
        let age = 1.0 - time;
        let air = if common.air < 1.0 { common.air } else { 1.0 };
        let wear = age * (self.wear * (common.mean / diameter).sqrt() + 8.0 * air / (1.02 - air));
        let mut strength = smooth(2.0, 3.0, samples) * Self::visible_fraction(wear);
        if common.air > 0.0 {
            // The minimum diameter of this crater, because smaller meteorites burn up.
            let least = common.air * 5000.0 * (0.5 + cx.random.unit(index, 5));
            strength *= smooth(least, 1.3 * least, metres);
        }
        if strength <= 0.0 {
            return None;
        }
        let shape = CraterShape::new(metres * 1.0e-3, &common.law, wear, 1000.0 / cx.relief_metres);
        let uneven = self.uneven * smooth(4.0, 14.0, samples);
        let youth = if self.rays > 0.0 { 1.0 - age / self.rays } else { 0.0 };
        // If the layer has craters of many sizes, its largest craters are too old for rays.
        let of_many =
            if self.sizes().smallest < 0.5 * self.largest { smooth(0.1, 0.4, diameter / self.largest) } else { 0.0 };
        let ray = (1.0 - of_many)
            * smooth(0.0, 0.5, youth)
            * smooth(4.0, 12.0, samples)
            * strength
            * (1.0 - smooth(0.0, RAYS_GONE, air));
        let is_mare = time < OLD && diameter >= self.maria_from * self.largest && diameter > 0.0;
        let lava = if is_mare { self.maria * strength } else { 0.0 };
        let turn = CraterNoise::new(cx.random.bits(index, 4));
        let mare = Mare { seed: cx.random.bits(index, 6) as u32 };
        let made = Impact::new(surface, centre, 0.5 * diameter, shape);
        Some(Impact { mare, ..made }.with_appearance(strength, (uneven, turn), ray, lava))
    }
}

/// Properties that all craters of a terrain share.
struct Common {
    law: CraterLaw,
    /// Geometric mean of the smallest and the largest diameter.
    mean: f32,
    air: f32,
}
