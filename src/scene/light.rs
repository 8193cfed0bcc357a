//! Light presets: position of the sun and state of the sky.

use super::settings::{Settings, SkyCondition, SunPlacement};

/// A light setting that the user chooses with one click.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LightPreset {
    /// A high sun in a blue sky.
    Noon,
    /// A sun half-way between the horizon and the zenith.
    Morning,
    /// A low, warm sun with long shadows.
    GoldenHour,
    /// Uniform grey light under a cloudy sky.
    Overcast,
    /// The blue light after sunset.
    BlueHour,
    /// A clear night lit by the moon.
    Moonlight,
}

impl LightPreset {
    /// All presets, in menu order.
    pub const ALL: [Self; 6] =
        [Self::Noon, Self::Morning, Self::GoldenHour, Self::Overcast, Self::BlueHour, Self::Moonlight];

    /// Name of the preset on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Noon => "noon",
            Self::Morning => "morning",
            Self::GoldenHour => "golden-hour",
            Self::Overcast => "overcast",
            Self::BlueHour => "blue-hour",
            Self::Moonlight => "moonlight",
        }
    }

    /// Name of the preset in the window.
    pub fn label(self) -> &'static str {
        match self {
            Self::Noon => "Noon",
            Self::Morning => "Morning",
            Self::GoldenHour => "Golden hour",
            Self::Overcast => "Overcast",
            Self::BlueHour => "Blue hour",
            Self::Moonlight => "Moonlight",
        }
    }

    /// Description of the light, in one sentence.
    pub fn help(self) -> &'static str {
        match self {
            Self::Noon => "A high sun in a blue sky: true colours, short shadows.",
            Self::Morning => "A sun at medium height: landforms are easy to see.",
            Self::GoldenHour => "A low, warm sun with long shadows and some haze.",
            Self::Overcast => "Even grey light with hardly any shadows.",
            Self::BlueHour => "After sunset: bluish light from the sky alone.",
            Self::Moonlight => "A clear night with stars.",
        }
    }

    /// The preset with this command line name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Applies this light to a scene; the sun keeps its azimuth.
    pub fn apply(self, settings: &mut Settings) {
        let (elevation, sky, haze) = match self {
            Self::Noon => (62.0, SkyCondition::Clear, 1.0),
            Self::Morning => (34.0, SkyCondition::Clear, 1.0),
            Self::GoldenHour => (9.0, SkyCondition::Clear, 2.0),
            Self::Overcast => (45.0, SkyCondition::Overcast, 3.0),
            Self::BlueHour => (8.0, SkyCondition::Twilight, 2.0),
            Self::Moonlight => (38.0, SkyCondition::Moonlight, 1.0),
        };
        settings.sun_azimuth = settings.light_source().azimuth_degrees;
        settings.sun = SunPlacement::Angles;
        (settings.sun_elevation, settings.sky, settings.haze) = (elevation, sky, haze);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_a_name_and_a_light_of_its_own() {
        let mut seen = Vec::new();
        for preset in LightPreset::ALL {
            assert_eq!(LightPreset::named(preset.name()), Some(preset));
            let mut settings = Settings { sun_azimuth: 123.0, ..Settings::default() };
            preset.apply(&mut settings);
            assert_eq!(settings.sun_azimuth, 123.0);
            let light = (settings.sun_elevation.to_bits(), settings.sky);
            assert!(!seen.contains(&light));
            seen.push(light);
        }
        assert_eq!(LightPreset::named("midnight"), None);
    }
}
