//! Statistics of the climate of a terrain or planet, and the area fraction of each ground type.
//!
//! Every sample is weighted by its area. Samples that repeat another sample, on wrapping terrains and globes, count
//! once. Land is all terrain above the sea. Void samples are skipped.

use serde::Serialize;

use super::{Limits, Measures, TerrainScale, measure};
use crate::appearance::TypeMap;
use crate::field::{Cancelled, Control, Edges, Globe, Terrain};
use crate::scene::Scene;

/// Mean and range of a quantity over an area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct AreaQuantiles {
    /// Area-weighted mean.
    pub mean: f64,
    /// Minimum over all samples.
    pub min: f64,
    /// Maximum over all samples.
    pub max: f64,
}

/// Area fraction of a ground type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TypeFraction {
    /// Name of the type in the biome table.
    pub name: String,
    /// Fraction from 0 to 1; all fractions add up to 1.
    #[serde(rename = "share")]
    pub fraction: f64,
}

/// Result of [`climate_measures`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClimateMeasures {
    /// Temperature in °C.
    pub celsius: AreaQuantiles,
    /// Moisture: 0 in a desert, 1 in a rain forest.
    pub moisture: AreaQuantiles,
    /// Temperature of the land in °C; `None` if there is no land.
    pub land_celsius: Option<AreaQuantiles>,
    /// Moisture of the land; `None` if there is no land.
    pub land_moisture: Option<AreaQuantiles>,
    /// Fractions of the area in which each ground type is the most frequent type, in the order of the biome table.
    /// Empty if the scene has no biome table.
    pub types: Vec<TypeFraction>,
}

impl ClimateMeasures {
    /// The values as tuples of label, value, unit and meaning, for reports.
    pub fn listed(&self) -> Vec<(String, f64, &'static str, String)> {
        let of = |key: &str, unit: &'static str, what: &str, spread: &AreaQuantiles| {
            [
                (format!("mean_{key}"), spread.mean, unit, format!("Area-weighted mean {what}.")),
                (format!("min_{key}"), spread.min, unit, format!("Lowest {what}.")),
                (format!("max_{key}"), spread.max, unit, format!("Highest {what}.")),
            ]
        };
        let mut all = Vec::new();
        all.extend(of("temperature_celsius", "°C", "temperature", &self.celsius));
        all.extend(of("moisture", "", "moisture; 0 is a desert, 1 a rain forest", &self.moisture));
        for (land, key, unit, what) in [
            (&self.land_celsius, "land_temperature_celsius", "°C", "temperature of the land"),
            (&self.land_moisture, "land_moisture", "", "moisture of the land"),
        ] {
            all.extend(land.iter().flat_map(|spread| of(key, unit, what, spread)));
        }
        all.extend(self.types.iter().map(|kind| {
            let key = kind.name.to_lowercase().replace(' ', "_");
            (
                format!("share_{key}"),
                kind.fraction,
                "",
                format!("Fraction of the area where {} is the most frequent ground type.", kind.name),
            )
        }));
        all
    }
}

/// The measures of a terrain, and the measures of its climate if the scene has a climate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TerrainMeasures {
    /// The measures that do not depend on the climate.
    #[serde(flatten)]
    pub measures: Measures,
    /// The measures of the climate, if the scene or its biome table defines a climate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub climate: Option<ClimateMeasures>,
}

impl TerrainMeasures {
    /// Measures a terrain, and its climate if `scene` has a climate. The computation uses the thread pool in which the
    /// caller runs.
    ///
    /// # Errors
    /// When the caller cancels the computation.
    pub fn new(
        scene: Option<&Scene>,
        terrain: &Terrain,
        scale: TerrainScale,
        limits: &Limits,
        control: &Control,
    ) -> Result<Self, Cancelled> {
        let measures = measure(terrain, scale, limits, control)?;
        let scene = scene.filter(|scene| scene.climate.is_some() || scene.biome_table().is_some());
        let climate = scene.map(|scene| climate_measures(scene, terrain, control)).transpose()?;
        Ok(Self { measures, climate })
    }
}

/// Measures the climate of `scene` on its evaluated `terrain`.
///
/// # Errors
/// When the caller cancels the computation.
pub fn climate_measures(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<ClimateMeasures, Cancelled> {
    let fields = scene.climate_fields(terrain, control)?;
    let types = TypeMap::for_scene(scene, terrain, control)?;
    let sea = scene.settings.sea_level / scene.settings.relief_metres;
    let n = terrain.samples();
    let globe = terrain.grid.shape();
    let areas = globe.as_ref().map(Globe::areas);
    let wraps = terrain.grid.edges == Edges::Wrap;
    let area = |k: usize| match (&globe, &areas) {
        (Some(globe), Some(areas)) => {
            if globe.grid().owns(k) {
                f64::from(areas[k % areas.len()])
            } else {
                0.0
            }
        }
        _ if wraps && (k % n == n - 1 || k / n == n - 1) => 0.0,
        _ if !terrain.has_ground(k) => 0.0,
        _ => 1.0,
    };
    let names = types.as_ref().map_or(0, |map| map.legend.len());
    let (mut all, mut land) = ([WeightedSum::default(); 2], [WeightedSum::default(); 2]);
    let mut shares = vec![0.0; names];
    for k in 0..terrain.height.len() {
        if k % n == 0 {
            control.check()?;
        }
        let area = area(k);
        if area == 0.0 {
            continue;
        }
        for (q, value) in [fields.celsius[k], fields.moisture[k]].into_iter().enumerate() {
            all[q].add(f64::from(value), area);
            if terrain.height[k] > sea {
                land[q].add(f64::from(value), area);
            }
        }
        if let Some(map) = &types {
            shares[usize::from(map.types[k])] += area;
        }
    }
    let whole = all[0].area;
    let share = |(name, area): (&str, f64)| TypeFraction { name: name.into(), fraction: area / whole };
    let named = types.iter().flat_map(|map| map.legend.iter().map(|entry| entry.name.as_str())).zip(shares);
    Ok(ClimateMeasures {
        celsius: all[0].spread().unwrap_or_default(),
        moisture: all[1].spread().unwrap_or_default(),
        land_celsius: land[0].spread(),
        land_moisture: land[1].spread(),
        types: if whole > 0.0 { named.map(share).collect() } else { Vec::new() },
    })
}

/// Area-weighted sums of a quantity.
#[derive(Clone, Copy, Default)]
struct WeightedSum {
    area: f64,
    whole: f64,
    least: f64,
    most: f64,
}

impl WeightedSum {
    fn add(&mut self, value: f64, area: f64) {
        let first = self.area == 0.0;
        self.least = if first || value < self.least { value } else { self.least };
        self.most = if first || value > self.most { value } else { self.most };
        self.area += area;
        self.whole += value * area;
    }

    fn spread(&self) -> Option<AreaQuantiles> {
        (self.area > 0.0).then(|| AreaQuantiles { mean: self.whole / self.area, min: self.least, max: self.most })
    }
}
