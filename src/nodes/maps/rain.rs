//! Rain: how much falls where.
//!
//! Law: rain = amount · (1 + g·z) · s. g is the growth with the height z above the sea. s is the mountains' doing: air
//! that comes from the wind with the moisture M = 1 loses it as it climbs, dM = -M·dz/H, and finds it again on its way,
//! dM = (1 - M)·dx/L with L the reach of the shadow; s = M·(1 + 1.5·climb) blended in by the strength of the shadow,
//! climb the slope against the wind held below 1. The ground is smoothed over a quarter of the reach: clouds do not see
//! single rocks.
//! Scheme: the sweep goes line by line with the wind, between the two samples upwind, with the exact solution over a
//! step.
//! Boundary: air comes in moist over open edges; on wrapping terrains it goes round until it is what it was.
//! On a planet s is the moisture of its [`climate`](talweg_ground::planet::climate) over its mean by area, with trade winds and
//! westerlies from the sea: direction of the wind and reach of the shadow do nothing there.
//! Source: Smith & Barstad 2004 simplified to one moisture; Roe 2005 for the shadow.

use std::sync::Arc;

use crate::filters::gauss;
use crate::{Context, Filter, NodeParts, Traits};
use talweg_ground::field::{Cancelled, Edges, Globe, MapKind, Terrain};
use talweg_ground::planet::climate::{Climate, ClimateTerrain, climate_fields};

talweg_ground::params! {
    /// Says how much rain falls where, for the erosions and rivers above: more on heights and windward slopes, less
    /// behind mountains. The ground stays as it is.
    Rain "Rain" in "Maps", from "Smith & Barstad 2004; Roe 2005", also "precipitation climate orographic wind shadow moisture desert" {
        /// Rain on open low ground: 1 is what falls where no layer says otherwise.
        amount: f32 = 1.0, 0.0..=100.0, slider 0.0..=3.0;
        /// How much more falls for each kilometre of height: 0.5 adds half as much again.
        growth_with_height: f32 ["1/km"] = 0.3, -10.0..=10.0, slider 0.0..=2.0;
        /// How much mountains catch, from the same on both sides to wet fronts and dry backs.
        shadow: f32 ["share"] = 0.7, 0.0..=1.0;
        /// Where the wind comes from, clockwise from north.
        wind_from: f32 ["°"] = 270.0, 0.0..=360.0;
        /// Distance behind mountains after which the air is moist again.
        shadow_reach: f32 ["m"] = 6000.0, 1.0..=1_000_000.0, slider 500.0..=50_000.0;
        /// Climb that takes most of the moisture out of the air. Small makes low hills cast a shadow.
        rain_height: f32 ["m"] = 1200.0, 1.0..=100_000.0, slider 100.0..=4000.0;
    }
}

/// Share of the rain on a slope of 45° against the wind that the slope adds.
const WINDWARD: f32 = 1.5;
/// Rounds of the air on a wrapping terrain.
const ROUNDS: usize = 3;
const MOST: f32 = 1.0e6;

impl Filter for Rain {
    fn traits(&self) -> Traits {
        Traits {
            writes: &[MapKind::Rain],
            on_globe: true,
            planet_reads_sea_level: true,
            working_fields: 1.1,
            more_on_planets: 4.6,
            parts: match self.shadow == 0.0 {
                true => NodeParts::Points,
                false => NodeParts::Whole("its air is carried across the whole side, from line to line"),
            },
            ..Traits::FILTER
        }
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let mut map = if self.shadow == 0.0 {
            vec![1.0; cx.grid.len()]
        } else if cx.grid.is_globe() {
            self.carried(cx, terrain)?
        } else {
            self.caught(cx, &gauss::smoothed(cx, &terrain.height, 0.25 * self.shadow_reach)?)?
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
    /// Rain that the winds of a planet carry from the sea; its mean is 1.
    fn carried(&self, cx: &Context, terrain: &Terrain) -> Result<Vec<f32>, Cancelled> {
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

    /// Rain that the mountains make of one unit, without the growth with height.
    fn caught(&self, cx: &Context, height: &[f32]) -> Result<Vec<f32>, Cancelled> {
        let n = cx.grid.samples;
        let wraps = cx.grid.edges == Edges::Wrap;
        let from = self.wind_from * (std::f32::consts::PI / 180.0);
        // where the wind goes: east and south
        let (east, south) = (-libm::sinf(from), libm::cosf(from));
        let by_columns = east.abs() >= south.abs();
        let (main, side) = if by_columns { (east, south) } else { (south, east) };
        // index of a sample by its place along the wind's main axis and across it
        let last = n - 1;
        let index = |along: usize, across: usize| {
            let along = if main > 0.0 { along } else { last - along };
            if by_columns { across * n + along } else { along * n + across }
        };
        let drift = side / main.abs();
        let step = cx.cell_metres() * (1.0 + drift * drift).sqrt();
        let gains = 1.0 - libm::expf(-step / self.shadow_reach);
        let per_height = cx.relief_metres / self.rain_height;
        // share of the way from one sample across to the next, where the air comes from
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
            // the last line is the first of the next round
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
