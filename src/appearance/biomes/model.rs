//! The equation that weights the ground types at a position.
//!
//! P(X) = exp(-(|T - t|/vT + |P - p|/vP + |H - h|/vH + |M - m|/vM)), and 0 outside the height limits of type X. Here t,
//! p, h and m are the temperature, slope, height and moisture of the position. T, P, H and M are the optima of the
//! type, and vT, vP, vH and vM its tolerances; the terms of conditions that the type omits are 0. The weights are P / Σ
//! P. With the type's colour C, the colour of the position is Σ P·C / Σ P.
//!
//! The smallest exponent is subtracted from all exponents, which cancels in the ratio. Otherwise P would underflow far
//! from every optimum. At positions where the height limits exclude every type, the limits are ignored.
//! Source: Petitprez 2007, part 2; moisture is our addition.

use crate::appearance_files::{BiomeTable, HeightUnits, MAX_TYPES, Niche};
use crate::planet::climate::exp_of_minus;

/// The conditions at a position, in the table's units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SiteConditions {
    /// Annual mean temperature in °C.
    pub celsius: f32,
    /// Height in the table's units.
    pub height: f32,
    /// Slope in the table's units.
    pub slope: f32,
    /// Moisture from 0 to 1.
    pub moisture: f32,
}

/// A ground type with the reciprocals of its tolerances. A reciprocal of 0 disables the condition.
#[derive(Clone, Copy, Debug)]
struct PreparedType {
    optimum: [f32; 4],
    inverse: [f32; 4],
    above: f32,
    below: f32,
    rgb: [f32; 3],
}

impl PreparedType {
    #[inline(always)]
    fn may(&self, place: &SiteConditions) -> bool {
        place.height > self.above && place.height <= self.below
    }

    #[inline(always)]
    fn far(&self, place: &SiteConditions) -> f32 {
        (self.optimum[0] - place.celsius).abs() * self.inverse[0]
            + (self.optimum[1] - place.height).abs() * self.inverse[1]
            + (self.optimum[2] - place.slope).abs() * self.inverse[2]
            + (self.optimum[3] - place.moisture).abs() * self.inverse[3]
    }
}

/// Converts heights in metres and slopes as tangents to the table's units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// Height of the sea in the table's units.
    pub sea: f32,
    per_metre: f32,
    zero: f32,
    /// Grey levels per unit of tangent; `None` if the table's slopes are in degrees.
    levels: Option<f32>,
}

/// Number of samples from pole to pole of the map in Petitprez 2007.
const DOCUMENT_POINTS: f32 = 512.0;

impl Units {
    /// Creates the conversion. `across_metres` is the distance across the terrain: the side length of a flat terrain,
    /// or the distance from pole to pole of a planet.
    pub fn new(heights: HeightUnits, relief_metres: f32, sea_metres: f32, across_metres: f32) -> Self {
        match heights {
            HeightUnits::Metres => Self { sea: sea_metres, per_metre: 1.0, zero: 0.0, levels: None },
            HeightUnits::Relief => {
                let per_metre = 100.0 / relief_metres;
                Self { sea: sea_metres * per_metre, per_metre, zero: 0.0, levels: None }
            }
            HeightUnits::Levels { water, of } => {
                let per_metre = of / relief_metres;
                let levels = Some(per_metre * across_metres / DOCUMENT_POINTS);
                Self { sea: water, per_metre, zero: water - sea_metres * per_metre, levels }
            }
        }
    }

    /// Whether the table's heights are in metres.
    pub fn in_metres(&self) -> bool {
        self.per_metre == 1.0 && self.zero == 0.0
    }

    /// Whether the table's slopes are in degrees.
    pub fn in_degrees(&self) -> bool {
        self.levels.is_none()
    }

    /// Converts a height in metres to the table's units.
    pub fn height(&self, metres: f32) -> f32 {
        self.zero + metres * self.per_metre
    }

    /// Converts a slope to the table's units. `steepest` is the greatest slope to one of the four neighbours, and
    /// `tangent` is the slope of the terrain; both are tangents.
    #[inline]
    pub fn slope(&self, steepest: f32, tangent: f32) -> f32 {
        match self.levels {
            Some(levels) => steepest * levels,
            None => crate::planet::climate::angle(tangent, 1.0) * (180.0 / std::f32::consts::PI),
        }
    }
}

/// A biome table, prepared for computing weights and colours.
#[derive(Clone, Debug)]
pub struct BiomeModel {
    kinds: Vec<PreparedType>,
}

impl BiomeModel {
    /// Prepares `table` for the units of a terrain.
    pub fn new(table: &BiomeTable, units: &Units) -> Self {
        let kinds = table.types.iter().take(MAX_TYPES).map(|kind| {
            let height =
                kind.height.map(|bell| Niche { optimum: bell.optimum.height(units.sea), tolerance: bell.tolerance });
            let axes = [kind.temperature, height, kind.slope, kind.moisture];
            PreparedType {
                optimum: axes.map(|axis| axis.map_or(0.0, |bell| bell.optimum)),
                inverse: axes.map(|axis| axis.map_or(0.0, |bell| 1.0 / bell.tolerance)),
                above: kind.above.map_or(f32::NEG_INFINITY, |level| level.height(units.sea)),
                below: kind.below.map_or(f32::INFINITY, |level| level.height(units.sea)),
                rgb: kind.colour.map(f32::from),
            }
        });
        Self { kinds: kinds.collect() }
    }

    /// Weights of all types at a position; their sum is 1.
    pub fn weights(&self, place: &SiteConditions) -> Vec<f32> {
        let mut exponents = vec![0.0; self.kinds.len()];
        self.exponents(place, &mut exponents);
        let mut sum = 0.0;
        let least = exponents.iter().fold(f32::INFINITY, |least, &e| if e < least { e } else { least });
        for e in &mut exponents {
            *e = exp_of_minus(*e - least);
            sum += *e;
        }
        exponents.iter().map(|e| e / sum).collect()
    }

    fn exponents(&self, place: &SiteConditions, out: &mut [f32]) {
        for (kind, out) in self.kinds.iter().zip(&mut *out) {
            *out = if kind.may(place) { kind.far(place) } else { f32::INFINITY };
        }
        if out.iter().all(|e| *e == f32::INFINITY) {
            self.kinds.iter().zip(out).for_each(|(kind, out)| *out = kind.far(place));
        }
    }

    /// Index in the table of the type with the greatest weight at a position; the first if several are equal.
    pub fn most_frequent(&self, place: &SiteConditions) -> usize {
        let mut exponents = [0.0; MAX_TYPES];
        let exponents = &mut exponents[..self.kinds.len()];
        self.exponents(place, exponents);
        (0..exponents.len()).fold(0, |least, k| if exponents[k] < exponents[least] { k } else { least })
    }

    /// The sRGB colour at a position, each channel from 0 to 255.
    pub fn colour(&self, place: &SiteConditions) -> [f32; 3] {
        let mut exponents = [0.0; MAX_TYPES];
        let exponents = &mut exponents[..self.kinds.len()];
        self.exponents(place, exponents);
        let least = exponents.iter().fold(f32::INFINITY, |least, &e| if e < least { e } else { least });
        let (mut sum, mut rgb) = (0.0, [0.0; 3]);
        for (kind, e) in self.kinds.iter().zip(exponents) {
            let weight = exp_of_minus(*e - least);
            sum += weight;
            rgb.iter_mut().zip(kind.rgb).for_each(|(mixed, c)| *mixed += weight * c);
        }
        rgb.map(|c| c / sum)
    }

    /// Computes the colours of all positions in `band` at once.
    pub(super) fn colours(&self, band: &mut RowBand) {
        colours(&self.kinds, band);
    }
}

#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn colours(kinds: &[PreparedType], band: &mut RowBand) {
    let RowBand { axes: [celsius, height, slope, moisture], exponents, least, sum, rgb } = band;
    let n = celsius.len();
    let (celsius, height, slope, moisture) = (&celsius[..n], &height[..n], &slope[..n], &moisture[..n]);
    let (least, sum) = (&mut least[..n], &mut sum[..n]);
    least.fill(f32::INFINITY);
    for (kind, row) in kinds.iter().zip(exponents.chunks_exact_mut(n)) {
        for k in 0..n {
            let far = (kind.optimum[0] - celsius[k]).abs() * kind.inverse[0]
                + (kind.optimum[1] - height[k]).abs() * kind.inverse[1]
                + (kind.optimum[2] - slope[k]).abs() * kind.inverse[2]
                + (kind.optimum[3] - moisture[k]).abs() * kind.inverse[3];
            let may = (height[k] > kind.above) & (height[k] <= kind.below);
            row[k] = if may { far } else { f32::INFINITY };
            least[k] = if row[k] < least[k] { row[k] } else { least[k] };
        }
    }
    for k in 0..n {
        if least[k] < f32::INFINITY {
            continue;
        }
        let place = SiteConditions { celsius: celsius[k], height: height[k], slope: slope[k], moisture: moisture[k] };
        for (kind, row) in kinds.iter().zip(exponents.chunks_exact_mut(n)) {
            row[k] = kind.far(&place);
            least[k] = if row[k] < least[k] { row[k] } else { least[k] };
        }
    }
    sum.fill(0.0);
    rgb.iter_mut().for_each(|channel| channel.fill(0.0));
    let [red, green, blue] = rgb;
    let (red, green, blue) = (&mut red[..n], &mut green[..n], &mut blue[..n]);
    for (kind, row) in kinds.iter().zip(exponents.chunks_exact(n)) {
        for k in 0..n {
            let weight = exp_of_minus(row[k] - least[k]);
            sum[k] += weight;
            red[k] += weight * kind.rgb[0];
            green[k] += weight * kind.rgb[1];
            blue[k] += weight * kind.rgb[2];
        }
    }
    for channel in [red, green, blue] {
        channel.iter_mut().zip(sum.iter()).for_each(|(c, sum)| *c /= sum);
    }
}

/// Positions in a part of a row, with buffers for their colours.
pub(super) struct RowBand {
    /// Temperatures, heights, slopes and moistures.
    pub axes: [Vec<f32>; 4],
    exponents: Vec<f32>,
    least: Vec<f32>,
    sum: Vec<f32>,
    /// Red, green and blue of each position.
    pub rgb: [Vec<f32>; 3],
}

impl RowBand {
    /// Buffers for `len` positions.
    pub fn new(len: usize, law: &BiomeModel) -> Self {
        Self {
            axes: std::array::from_fn(|_| vec![0.0; len]),
            exponents: vec![0.0; len * law.kinds.len()],
            least: vec![0.0; len],
            sum: vec![0.0; len],
            rgb: std::array::from_fn(|_| vec![0.0; len]),
        }
    }

    /// Sets the conditions at position `k`.
    pub fn set(&mut self, k: usize, place: SiteConditions) {
        let values = [place.celsius, place.height, place.slope, place.moisture];
        self.axes.iter_mut().zip(values).for_each(|(axis, value)| axis[k] = value);
    }

    /// The conditions at position `k`.
    pub fn conditions(&self, k: usize) -> SiteConditions {
        let [celsius, height, slope, moisture] = self.axes.each_ref().map(|axis| axis[k]);
        SiteConditions { celsius, height, slope, moisture }
    }
}
