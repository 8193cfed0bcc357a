//! Rain: the distribution of rainfall.
//!
//! Law: rain = amount · (1 + g·z) · s. g is the growth of rainfall with the height z above sea level, and s is the
//! effect of mountains. The wind brings air with moisture M = 1. The air loses moisture as it climbs, dM = -M·dz/H,
//! with H the `rain_height`. It regains moisture over the horizontal distance x, dM = (1 - M)·dx/L, with L the reach of
//! the rain shadow. s = M·(1 + 1.5·climb), blended with 1 according to the strength of the shadow. Here climb is the
//! rise over run along the wind, at most 1. The terrain is smoothed over a quarter of L, because clouds do not respond
//! to single rocks.
//! Scheme: the sweep runs line by line with the wind. It interpolates between the two samples upwind, and uses the
//! exact solution over a step.
//! Boundary: air enters moist over open edges; on wrapping terrains it circulates until its moisture is steady. On a
//! planet s is the moisture of its [`climate`](talweg_ground::planet::climate), with trade winds and westerlies from
//! the sea. This moisture is divided by its mean over the planet. Wind direction and reach of the shadow have no effect
//! on planets.
//! Source: Smith & Barstad 2004 simplified to one moisture; Roe 2005 for the shadow.

use std::sync::Arc;

use crate::filters::gauss;
use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, Edges, Globe, MapKind, Terrain};
use talweg_ground::planet::climate::{Climate, ClimateTerrain, climate_fields};

talweg_ground::params! {
    /// Sets the rainfall for the erosion layers and rivers above. High terrain and windward slopes get more rain, the
    /// lee of mountains gets less. The heights do not change.
    Rain "Rain" in "Maps", from "Smith & Barstad 2004; Roe 2005", also "precipitation climate orographic wind shadow moisture desert" {
        /// Rainfall on open lowlands; 1 is the rainfall of a scene without a rain layer.
        amount: f32 = 1.0, 0.0..=100.0, slider 0.0..=3.0;
        /// Increase of rainfall per kilometre of height: 0.5 adds half of the rainfall at sea level per kilometre.
        growth_with_height: f32 ["1/km"] = 0.3, -10.0..=10.0, slider 0.0..=2.0;
        /// Strength of the rain shadow of mountains: at 0 both sides get equal rain, at 1 windward sides are wet and
        /// leeward sides dry.
        shadow: f32 ["share"] = 0.7, 0.0..=1.0;
        /// Direction from which the wind blows, clockwise from north.
        wind_from: f32 ["°"] = 270.0, 0.0..=360.0;
        /// Distance behind mountains over which the air becomes moist again: larger values make longer rain shadows.
        shadow_reach: f32 ["m"] = 6000.0, 1.0..=1_000_000.0, slider 500.0..=50_000.0;
        /// Height gain after which rising air has lost most of its moisture. With small values even low hills cast a
        /// rain shadow.
        rain_height: f32 ["m"] = 1200.0, 1.0..=100_000.0, slider 100.0..=4000.0;
    }
}

/// Extra rain on a 45° slope that faces the wind, as a fraction of the rain on level terrain.
const WINDWARD: f32 = 1.5;
/// Number of times that the air crosses a wrapping terrain.
const ROUNDS: usize = 3;
const MOST: f32 = 1.0e6;

impl Filter for Rain {
    fn traits(&self) -> Traits {
        Traits {
            writes: &[MapKind::Rain],
            on_planet: Some(OnPlanet { reads_sea_level: true, more_fields: 4.6, ..OnPlanet::DEFAULT }),
            memory: NodeMemory::constant(1.1),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        match self.shadow == 0.0 {
            true => NodeParts::Points,
            false => NodeParts::WholeTerrain("its air crosses the whole terrain, line by line"),
        }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let mut map = if self.shadow == 0.0 {
            vec![1.0; cx.grid.len()]
        } else if cx.grid.is_globe() {
            self.planet_rain(cx, terrain)?
        } else {
            self.orographic_rain(cx, &gauss::smoothed(cx, &terrain.height, 0.25 * self.shadow_reach)?)?
        };
        let growth = self.growth_with_height * cx.relief_metres * 1.0e-3;
        cx.rows(&mut map, |i, row| {
            for (rain, &h) in row.iter_mut().zip(cx.grid.row(&terrain.height, i)) {
                let height = if h > 0.0 { h } else { 0.0 };
                let shadow = 1.0 + (*rain - 1.0) * self.shadow;
                *rain = (self.amount * (1.0 + growth * height) * shadow).clamp(0.0, MOST);
            }
        })?;
        terrain.set_map(MapKind::Rain, Some(Arc::new(map)));
        Ok(())
    }
}

impl Rain {
    /// Returns the rainfall that the winds of a planet carry from the sea, scaled to a mean of 1.
    fn planet_rain(&self, cx: &Context, terrain: &Terrain) -> Result<Vec<f32>, Cancelled> {
        let climate = Climate { rain_height: self.rain_height, ..Climate::default() };
        let ground = ClimateTerrain {
            terrain,
            relief_metres: cx.relief_metres,
            sea_metres: cx.sea_level * cx.relief_metres,
            side_metres: cx.size_metres,
        };
        let mut moisture = climate_fields(&climate, &ground, cx.control)?.moisture;
        let mean = Globe::new(cx.grid.samples).sum(&moisture) / cx.grid.distinct_len() as f64;
        let scale = if mean > 0.0 { (1.0 / mean) as f32 } else { 0.0 };
        moisture.iter_mut().for_each(|m| *m *= scale);
        Ok(moisture)
    }

    /// Returns the rainfall under the effect of mountains, where open lowlands receive 1. The growth of rainfall with
    /// height is not included. `height` is already smoothed.
    fn orographic_rain(&self, cx: &Context, height: &[f32]) -> Result<Vec<f32>, Cancelled> {
        let n = cx.grid.samples;
        let wraps = cx.grid.edges == Edges::Wrap;
        let from = self.wind_from * (std::f32::consts::PI / 180.0);
        // east and south components of the unit vector along the wind
        let (east, south) = (-libm::sinf(from), libm::cosf(from));
        let by_columns = east.abs() >= south.abs();
        let (main, side) = if by_columns { (east, south) } else { (south, east) };
        // returns the index of a sample from its position along the wind's main axis and across that axis
        let last = n - 1;
        let index = |along: usize, across: usize| {
            let along = if main > 0.0 { along } else { last - along };
            if by_columns { across * n + along } else { along * n + across }
        };
        let drift = side / main.abs();
        let step = cx.cell_metres() * (1.0 + drift * drift).sqrt();
        let gains = 1.0 - libm::expf(-step / self.shadow_reach);
        let per_height = cx.relief_metres / self.rain_height;
        // position on the previous line, between two samples, from which the air comes
        let whole = libm::floorf(-drift);
        let part = -drift - whole;
        let upwind = |across: usize, add: isize| {
            let at = across as isize + whole as isize + add;
            if wraps { at.rem_euclid(last as isize) as usize } else { at.clamp(0, last as isize) as usize }
        };
        let mut out = vec![1.0; cx.grid.len()];
        let (mut moisture, mut before) = (vec![1.0f32; n], vec![1.0f32; n]);
        for _ in 0..if wraps { ROUNDS } else { 1 } {
            for along in 1..n {
                cx.control.check()?;
                std::mem::swap(&mut moisture, &mut before);
                for across in 0..n {
                    let (a, b) = (upwind(across, 0), upwind(across, 1));
                    let came = before[a] + (before[b] - before[a]) * part;
                    let (x, y) = (height[index(along - 1, a)], height[index(along - 1, b)]);
                    let climb = (height[index(along, across)] - (x + (y - x) * part)).max(0.0);
                    let kept = came * libm::expf(-climb * per_height);
                    moisture[across] = kept + (1.0 - kept) * gains;
                    let steep = climb * cx.relief_metres / step;
                    out[index(along, across)] = moisture[across] * (1.0 + WINDWARD * steep.min(1.0));
                }
            }
            // the last line continues as the first line of the next round
        }
        if wraps {
            (0..n).for_each(|across| out[index(0, across)] = out[index(last, across)]);
            (0..n).for_each(|along| out[index(along, last)] = out[index(along, 0)]);
        } else {
            (0..n).for_each(|across| out[index(0, across)] = out[index(1, across)]);
        }
        Ok(out)
    }
}
