//! Display settings of planets, which are not part of the scene.

crate::choices! {
    /// Method by which the air is drawn.
    AirModel {
        None "None": "Draws no air at all.",
        Formula "Rim": "Brightens the rim of the globe by Petitprez's simple formula.",
        Scattering "Scattering": "Scatters sunlight: a blue sky, red dusks, and haze over distant terrain.",
    }
}

crate::params! {
    /// How the planet is drawn. These settings affect only the picture, not the scene or its exports.
    GlobeView "Globe view" in "View" {
        /// Vertical exaggeration of the relief seen from space. It is reduced if the relief would exceed a thirtieth of
        /// the radius.
        exaggeration: f32 ["×"] = 12.0, 1.0..=500.0, slider 1.0..=40.0;
        /// Whether the relief returns to its true height as the camera comes near. If off, mountains are exaggerated up
        /// close as well.
        true_nearby: bool = true => |view| view.exaggeration > 1.0;
        /// Whether terrain near the camera shows detail finer than the planet's samples, as in patches. Measures and
        /// exports of the planet use its samples only.
        fine_ground: bool = true;
        /// Whether the side away from the sun is dark.
        night_side: bool = true;
        /// Whether mountains cast shadows when the sun is low.
        shadows: bool = true;
        /// Method by which the air is drawn, if the planet has air.
        air: AirModel = AirModel::Scattering;
        /// Brightness of the rim in Petitprez's formula C = C_atm (1 - n·v)(n·l). C_atm is the colour of the planet's
        /// sky, multiplied by this number.
        rim_light as "Rim": f32 = 1.0, 0.0..=10.0, slider 0.0..=3.0 => |view| view.air == AirModel::Formula;
        /// Fraction of the sky that clouds cover. Planets with thin air have fewer clouds.
        cloud_cover: f32 ["share"] = 0.45, 0.0..=1.0;
        /// Height of the clouds above the sea.
        cloud_height: f32 ["m"] = 6000.0, 500.0..=100_000.0, slider 1000.0..=20_000.0 => |view| view.cloud_cover > 0.0;
        /// Whether clouds cast shadows on the ground.
        cloud_shadows: bool = true => |view| view.cloud_cover > 0.0;
        /// Rotation of the clouds around the planet's axis.
        cloud_drift: f32 ["°"] = 0.0, 0.0..=360.0 => |view| view.cloud_cover > 0.0;
        /// Whether the clouds move by themselves. The view is then redrawn four times a second, even without input.
        animate_clouds: bool = false => |view| view.cloud_cover > 0.0;
        /// Whether stars are visible behind the planet.
        stars: bool = true;
    }
}

/// View modes of a planet, in menu order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum PlanetProjection {
    /// A globe in space.
    #[default]
    Globe,
    /// A flat map: longitude increases to the right, latitude upwards.
    Map,
    /// The planet on its orbit around its sun.
    Orbit,
}

impl PlanetProjection {
    /// All view modes, in menu order.
    pub const ALL: [Self; 3] = [Self::Globe, Self::Map, Self::Orbit];

    /// Label of the view mode in the menu.
    pub fn label(self) -> &'static str {
        match self {
            Self::Globe => "Globe",
            Self::Map => "Map",
            Self::Orbit => "Orbit",
        }
    }

    /// Name of the view mode on the command line.
    pub fn name(self) -> String {
        self.label().to_lowercase()
    }

    /// The view mode with this command line name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name() == name)
    }

    /// One sentence about the view mode, for the tooltip.
    pub fn help(self) -> &'static str {
        match self {
            Self::Globe => "Shows the planet as a globe: drag to orbit, scroll to zoom down to the surface.",
            Self::Map => "Shows the planet as a flat map that repeats around the world; scroll to zoom.",
            Self::Orbit => "Shows the planet on its orbit around its sun, with its axis, tilt and season.",
        }
    }
}
