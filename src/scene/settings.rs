//! What holds for the whole scene.

use crate::field::Edges;
use crate::planet::World;

crate::choices! {
    /// What the sky is like, for the light of the 3D view. No height depends on it.
    SkyCondition {
        Clear "Clear": "Sun and blue sky; red when the sun is low.",
        Overcast "Overcast": "Even grey light, hardly any shadows.",
        Twilight "Blue hour": "The sun is down: bluish light from the sky alone.",
        Moonlight "Moonlight": "A clear night; the moon stands where the sun stood.",
    }
}

crate::choices! {
    /// What the 3D view shows around a square.
    Surroundings {
        Block "Block": "The terrain as a block cut from the ground.",
        Land "Endless land": "The ground goes on, mirrored at its edges, into the haze.",
        Sea "Sea": "The terrain lies in a sea that reaches to the horizon.",
    }
}

crate::params! {
    /// What holds for the whole scene: its size on the ground, its seed, the sea and the sun.
    Settings "Scene" in "Scene" {
        /// A square of ground or a whole planet.
        world: World = World::Terrain;
        /// Changes every random value of the scene at once.
        seed: u32 = 1, 0..=u32::MAX, slider 0..=9999;
        /// Samples per side, on a planet of each of six squares. Twice as many take four times the time and memory.
        resolution: u32 ["samples"] = 513, 2..=16_384, slider 65..=4097;
        /// Length of a side on the ground.
        size_metres: f32 ["m"] = 8000.0, 1.0..=1_000_000.0, slider 500.0..=50_000.0 => |scene| scene.world == World::Terrain;
        /// Height that 1.0 stands for: scales all heights on the ground.
        relief_metres as "Height scale": f32 ["m"] = 1800.0, 0.1..=100_000.0, slider 50.0..=20_000.0;
        /// Height of the water surface.
        sea_level: f32 ["m"] = 0.0, -100_000.0..=100_000.0, slider -500.0..=2000.0;
        /// What lies beyond the edges.
        edges: Edges = Edges::Open => |scene| scene.world == World::Terrain;
        /// Where the sun stands, clockwise from north.
        sun_azimuth: f32 ["°"] = 315.0, 0.0..=360.0;
        /// How high the sun stands above the horizon.
        sun_elevation: f32 ["°"] = 40.0, 1.0..=90.0, slider 5.0..=90.0;
        /// What the sky is like.
        sky: SkyCondition = SkyCondition::Clear => |scene| scene.world == World::Terrain;
        /// How much haze is in the air; 1 is a clear day.
        haze: f32 = 1.0, 0.0..=50.0, slider 0.0..=10.0 => |scene| scene.world == World::Terrain;
        /// How much of the sky clouds cover, seen from below and by their shadows. They stand still.
        clouds: f32 ["share"] = 0.0, 0.0..=1.0 => |scene| scene.world == World::Terrain;
        /// Brightens the view by up to three stops where what is seen lies in the shade, as eyes adapt. Views in the
        /// sun stay as they are.
        auto_exposure: bool = true;
        /// How bright the view is drawn, as on a camera: 1 more is twice as bright. Pictures from above stay the same.
        exposure: f32 ["EV"] = 0.0, -10.0..=10.0, slider -3.0..=3.0;
        /// What is seen around the terrain.
        surroundings: Surroundings = Surroundings::Block => |scene| scene.world == World::Terrain;
    }
}

impl Settings {
    /// Whether the world is a planet.
    pub fn is_planet(&self) -> bool {
        self.world == World::Planet
    }

    /// Relief over size: turns a slope in paper units into a tangent.
    pub fn relief_over_size(&self) -> f32 {
        self.relief_metres / self.size_metres
    }

    /// Unit vector towards the sun: east, up, south.
    pub fn sun_direction(&self) -> [f32; 3] {
        let (azimuth, elevation) = (self.sun_azimuth.to_radians(), self.sun_elevation.to_radians());
        let level = libm::cosf(elevation);
        [libm::sinf(azimuth) * level, libm::sinf(elevation), -libm::cosf(azimuth) * level]
    }
}
