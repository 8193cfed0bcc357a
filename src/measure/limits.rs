//! What the measures count as a peak, a channel, playable and flat.

use crate::param::Params;
use crate::scene::Scene;

crate::params! {
    /// What the measures count as a peak, a channel, playable and flat.
    Limits "Limits" in "Measure" {
        /// Least height of a peak above the pass to a higher one, and least depth of a valley. 0 takes 2 % of the
        /// relief.
        prominence: f32 ["m"] = 0.0, 0.0..=100_000.0, slider 0.0..=500.0;
        /// Area that must drain to a place before a channel begins. 0 takes a thousandth of the terrain or planet.
        source_area: f32 ["km²"] = 0.0, 0.0..=1_000_000.0, slider 0.0..=5.0;
        /// Steepest ground that can be crossed.
        playable_slope: f32 ["°"] = 20.0, 0.0..=90.0, slider 1.0..=60.0;
        /// Steepest ground that is flat enough to build on.
        flat_slope: f32 ["°"] = 5.0, 0.0..=90.0, slider 0.5..=20.0;
    }
}

impl Limits {
    /// Sets the limit of that name to a value in words.
    ///
    /// # Errors
    /// When there is no such limit, or it cannot have that value.
    pub fn set_named(&mut self, name: &str, value: &str) -> Result<(), String> {
        let about = self.about();
        let index = about.find(name).ok_or_else(|| {
            let known: Vec<&str> = about.params.iter().map(|param| param.name).collect();
            format!("there is no limit `{name}`; give one of {}", known.join(", "))
        })?;
        let value = about.params[index].parse(value).map_err(|error| error.to_string())?;
        self.set(index, &value).map_err(|error| error.to_string())
    }
}

/// How large the terrain is on the ground, and where its sea stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TerrainScale {
    /// Side of the terrain; of a globe a quarter of the way around it.
    pub size_metres: f32,
    /// Height that 1.0 stands for.
    pub relief_metres: f32,
    /// Height of the water surface, if there is a sea.
    pub sea_metres: Option<f32>,
}

impl TerrainScale {
    /// The scale of a scene; of a planet that of a face.
    pub fn for_scene(scene: &Scene) -> Self {
        Self {
            size_metres: scene.side_metres(),
            relief_metres: scene.settings.relief_metres,
            sea_metres: Some(scene.settings.sea_level),
        }
    }

    /// Area of the globe whose quarter of the way around is the side.
    pub(super) fn globe_m2(&self) -> f64 {
        let radius = f64::from(self.size_metres) * std::f64::consts::FRAC_2_PI;
        4.0 * std::f64::consts::PI * radius * radius
    }

    /// Height of the sea as a fraction of the relief; negative infinity if there is none.
    pub(super) fn sea(&self) -> f32 {
        self.sea_metres.map_or(f32::NEG_INFINITY, |metres| metres / self.relief_metres)
    }
}
