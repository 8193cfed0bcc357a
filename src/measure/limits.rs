//! Thresholds of the measures for peaks, channels, and playable and flat land.

use crate::param::Params;
use crate::scene::Scene;

crate::params! {
    /// Thresholds for peaks, channels, and playable and flat land.
    Limits "Limits" in "Measure" {
        /// Minimum height of a peak above the pass to a higher peak, and minimum depth of a valley. 0 means 2 % of the
        /// relief.
        prominence: f32 ["m"] = 0.0, 0.0..=100_000.0, slider 0.0..=500.0;
        /// Drainage area at which a channel begins. 0 means a thousandth of the area of the terrain or planet.
        source_area: f32 ["km²"] = 0.0, 0.0..=1_000_000.0, slider 0.0..=5.0;
        /// Steepest slope that counts as playable, which means that a character can cross it.
        playable_slope: f32 ["°"] = 20.0, 0.0..=90.0, slider 1.0..=60.0;
        /// Steepest slope that counts as flat enough to build on.
        flat_slope: f32 ["°"] = 5.0, 0.0..=90.0, slider 0.5..=20.0;
    }
}

impl Limits {
    /// Sets the limit `name` to a value given as text.
    ///
    /// # Errors
    /// When there is no limit of that name, or the limit does not accept the value.
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

/// Side length and relief of the terrain, and height of its sea.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TerrainScale {
    /// Side length of the terrain; on a globe a quarter of the circumference.
    pub size_metres: f32,
    /// Metres per unit of height, because heights are fractions of the relief.
    pub relief_metres: f32,
    /// Height of the sea in metres, if there is a sea.
    pub sea_metres: Option<f32>,
}

impl TerrainScale {
    /// The scale of a scene; for a planet, the scale of a face.
    pub fn for_scene(scene: &Scene) -> Self {
        Self {
            size_metres: scene.side_metres(),
            relief_metres: scene.settings.relief_metres,
            sea_metres: Some(scene.settings.sea_level),
        }
    }

    /// Surface area of the globe in square metres, from the side length: a quarter of the globe's circumference.
    pub(super) fn globe_m2(&self) -> f64 {
        let radius = f64::from(self.size_metres) * std::f64::consts::FRAC_2_PI;
        4.0 * std::f64::consts::PI * radius * radius
    }

    /// Height of the sea as a fraction of the relief; negative infinity if there is no sea.
    pub(super) fn sea(&self) -> f32 {
        self.sea_metres.map_or(f32::NEG_INFINITY, |metres| metres / self.relief_metres)
    }
}
