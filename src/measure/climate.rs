//! The climate of a terrain or a planet in numbers, and how much of it each ground type has.
//!
//! Every sample counts by the area it stands for; of wrapping terrains and of globes each place once. The land is what
//! lies above the sea. Where there is no ground nothing is counted.

use serde::Serialize;

use super::{Limits, Measures, TerrainScale, measure};
use crate::appearance::TypeMap;
use crate::field::{Cancelled, Control, Edges, Globe, Terrain};
use crate::scene::Scene;

/// How a quantity is spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct AreaQuantiles {
    /// Mean, each sample weighted by its area.
    pub mean: f64,
    /// Least value of any sample.
    pub min: f64,
    /// Greatest value of any sample.
    pub max: f64,
}

/// How much of the area a ground type has.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TypeShare {
    /// Name of the type in the biome table.
    pub name: String,
    /// From 0 to 1; their sum is 1.
    pub share: f64,
}

/// What [`climate_measures`] finds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClimateMeasures {
    /// In °C.
    pub celsius: AreaQuantiles,
    /// 0 in a desert, 1 in a rain forest.
    pub moisture: AreaQuantiles,
    /// Of the land; nothing without land.
    pub land_celsius: Option<AreaQuantiles>,
    /// From 0 to 1, of the land; nothing without land.
    pub land_moisture: Option<AreaQuantiles>,
    /// Shares of the types that are most frequent in their places, in the order of the table; empty without a biome
    /// table.
    pub types: Vec<TypeShare>,
}

impl ClimateMeasures {
    /// The numbers with what they are called, their unit and what they mean.
    pub fn listed(&self) -> Vec<(String, f64, &'static str, String)> {
        let of = |key: &str, unit: &'static str, what: &str, spread: &AreaQuantiles| {
            [
                (format!("mean_{key}"), spread.mean, unit, format!("Mean {what}, by area.")),
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
            (format!("share_{key}"), kind.share, "", format!("Share of the area where {} rules.", kind.name))
        }));
        all
    }
}

/// The measures of a terrain, with those of its climate if its scene has one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TerrainMeasures {
    /// The measures of every terrain.
    #[serde(flatten)]
    pub measures: Measures,
    /// The climate of a scene with a climate of its own or that of a biome table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub climate: Option<ClimateMeasures>,
}

impl TerrainMeasures {
    /// Measures a terrain, and its climate if `scene` has one; call it inside the thread pool to use.
    ///
    /// # Errors
    /// When it was cancelled.
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

/// Measures the climate of a scene on its terrain.
///
/// # Errors
/// When it was cancelled.
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
    let share = |(name, area): (&str, f64)| TypeShare { name: name.into(), share: area / whole };
    let named = types.iter().flat_map(|map| map.legend.iter().map(|entry| entry.name.as_str())).zip(shares);
    Ok(ClimateMeasures {
        celsius: all[0].spread().unwrap_or_default(),
        moisture: all[1].spread().unwrap_or_default(),
        land_celsius: land[0].spread(),
        land_moisture: land[1].spread(),
        types: if whole > 0.0 { named.map(share).collect() } else { Vec::new() },
    })
}

/// A quantity summed by area.
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
