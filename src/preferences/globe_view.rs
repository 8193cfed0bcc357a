//! How a planet is shown, beside what it is: nothing here belongs to the scene.

crate::choices! {
    /// How the air is drawn.
    AirModel {
        None "None": "Draws no air at all.",
        Formula "Rim": "Brightens the rim of the globe by the short formula of Petitprez's planets.",
        Scattering "Scattering": "Scatters sunlight: a blue sky, red dusks, and haze before what is far away.",
    }
}

crate::params! {
    /// How the planet is drawn. This changes the picture alone, neither the scene nor what is exported.
    GlobeView "Globe view" in "View" {
        /// How many times higher than true the relief is drawn from space; less where it would exceed a thirtieth of
        /// the radius.
        exaggeration: f32 ["×"] = 12.0, 1.0..=500.0, slider 1.0..=40.0;
        /// Whether the relief sinks to its true height as you come near. Without it, mountains tower at the ground as
        /// well.
        true_nearby: bool = true => |view| view.exaggeration > 1.0;
        /// Whether the ground between the samples is shown near the eye, as patches have it. Measures and exports of
        /// the planet know its samples alone.
        fine_ground: bool = true;
        /// Whether the side away from the sun is dark.
        night_side: bool = true;
        /// Whether mountains throw shadows where the sun is low.
        shadows: bool = true;
        /// How the air is drawn, where the planet has any.
        air: AirModel = AirModel::Scattering;
        /// How much of the sky clouds cover; thin air has fewer.
        cloud_cover: f32 ["share"] = 0.45, 0.0..=1.0;
        /// How high the clouds float over the sea.
        cloud_height: f32 ["m"] = 6000.0, 500.0..=100_000.0, slider 1000.0..=20_000.0 => |view| view.cloud_cover > 0.0;
        /// Whether clouds darken the ground below.
        cloud_shadows: bool = true => |view| view.cloud_cover > 0.0;
        /// How far the clouds have drifted around the axis.
        cloud_drift: f32 ["°"] = 0.0, 0.0..=360.0 => |view| view.cloud_cover > 0.0;
        /// Whether the clouds drift by themselves. The picture is then drawn four times a second, also while you rest.
        animate_clouds: bool = false => |view| view.cloud_cover > 0.0;
        /// Whether stars stand behind the planet.
        stars: bool = true;
    }
}

/// How a planet is shown. The order is that of the menu.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum PlanetProjection {
    /// A globe in space.
    #[default]
    Globe,
    /// A flat map: longitude across, latitude up.
    Map,
    /// The planet on its orbit around its sun.
    Orbit,
}

impl PlanetProjection {
    /// All of them, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::Globe, Self::Map, Self::Orbit];

    /// How the menu calls it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Globe => "Globe",
            Self::Map => "Map",
            Self::Orbit => "Orbit",
        }
    }

    /// How the command line calls it.
    pub fn name(self) -> String {
        self.label().to_lowercase()
    }

    /// The one that the command line calls so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name() == name)
    }

    /// One sentence for the tooltip.
    pub fn help(self) -> &'static str {
        match self {
            Self::Globe => "Shows the planet as a globe: drag to turn it, scroll down to its ground.",
            Self::Map => "Shows the planet as a flat map that goes on round the world; scroll to enlarge it.",
            Self::Orbit => "Shows the planet on its way around its sun, with its axis, to see tilt and season.",
        }
    }
}
