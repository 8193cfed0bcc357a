//! Optional features of a scene, which pipelines draw only if they are present.

use bevy::shader::ShaderDefVal;

use crate::view::square::SquareTerrain;

/// The names of these features in the shaders.
const NEED_DEFS: [&str; 9] =
    ["CLOUDS", "FOG", "STARS", "COLOUR_MAP", "COVER_MAP", "SITE_MAP", "WATER_MAP", "SUN_BY_VERTEX", "TILE_SITE"];

/// Which of these features a scene has. Software drivers evaluate both sides of every branch, so a feature that is
/// absent must not appear in the shader at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SceneNeeds([bool; NEED_DEFS.len()]);

impl SceneNeeds {
    /// Features of a square.
    pub fn new(terrain: &SquareTerrain) -> Self {
        Self([
            terrain.settings.clouds > 0.0,
            terrain.settings.has_fog(),
            terrain.daylight.stars > 0.0,
            terrain.colours.is_some(),
            terrain.cover.is_some(),
            terrain.site.is_some(),
            terrain.surface_water.is_some(),
            false,
            false,
        ])
    }

    /// Features of a planet. With `has_sun_by_vertex`, its vertices are so dense everywhere in view that they carry the
    /// sunlight left by clouds and mountains. With `has_site`, it has maps that the material rules use.
    pub fn of_planet(has_sun_by_vertex: bool, has_site: bool) -> Self {
        let mut needs = Self::default();
        needs.0[NEED_DEFS.len() - 2..].copy_from_slice(&[has_sun_by_vertex, has_site]);
        needs
    }

    /// The shader definitions of a pipeline.
    pub fn shader_defs(self) -> impl Iterator<Item = ShaderDefVal> {
        NEED_DEFS.into_iter().zip(self.0).filter(|(_, needed)| *needed).map(|(name, _)| name.into())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::view::OverlayChoice;
    use crate::view::render::shader_text::{GLOBE, GRID};
    use talweg::field::{Control, Edges, MapKind, Terrain};
    use talweg::scene::Settings;

    fn defs(terrain: &Terrain, settings: &Settings) -> Vec<ShaderDefVal> {
        let terrain = Arc::new(terrain.clone());
        let square = SquareTerrain::new(&terrain, settings, &OverlayChoice::default(), &Control::default()).unwrap();
        SceneNeeds::new(&square).shader_defs().collect()
    }

    #[test]
    fn pipelines_have_the_features_of_the_scene() {
        let mut terrain = Terrain::from_fn(33, Edges::Open, |u, v| u * v);
        assert_eq!(defs(&terrain, &Settings::default()), []);
        let cloudy = Settings { clouds: 0.5, fog: 2.0, ..Settings::default() };
        assert_eq!(defs(&terrain, &cloudy), ["CLOUDS".into(), "FOG".into()]);
        terrain.map_mut(MapKind::Flow).fill(2.0);
        terrain.map_mut(MapKind::Water).fill(0.01);
        terrain.map_mut(MapKind::Snow).fill(0.01);
        assert_eq!(defs(&terrain, &Settings::default()), ["COVER_MAP".into(), "SITE_MAP".into(), "WATER_MAP".into()]);
    }

    /// A name that the shaders do not use would disable a feature for ever.
    #[test]
    fn shaders_test_every_feature_flag() {
        for name in NEED_DEFS {
            let asks = format!("#ifdef {name}\n");
            assert!(GRID.contains(&asks) || GLOBE.contains(&asks), "{name}");
        }
    }
}
