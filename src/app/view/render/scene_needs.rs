//! Optional features of a scene, which pipelines draw only if they are present.

use bevy::shader::ShaderDefVal;

/// An optional feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneNeed {
    Clouds,
    Fog,
    Stars,
    ColourMap,
    CoverMap,
    SiteMap,
    WaterMap,
    /// The vertices are so dense everywhere in view that they carry the sunlight left by clouds and mountains.
    SunByVertex,
    /// Tiles have maps that the material rules use.
    TileSite,
}

/// The names of these features in the shaders.
const NEED_DEFS: [&str; 9] =
    ["CLOUDS", "FOG", "STARS", "COLOUR_MAP", "COVER_MAP", "SITE_MAP", "WATER_MAP", "SUN_BY_VERTEX", "TILE_SITE"];

/// Which of these features a scene has. Software drivers evaluate both sides of every branch, so a feature that is
/// absent must not appear in the shader at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SceneNeeds([bool; NEED_DEFS.len()]);

impl SceneNeeds {
    /// These features, each with whether the scene has it.
    pub fn new(needs: impl IntoIterator<Item = (SceneNeed, bool)>) -> Self {
        let mut all = Self::default();
        for (need, is_there) in needs {
            all.0[need as usize] = is_there;
        }
        all
    }

    /// The shader definitions of a pipeline.
    pub fn shader_defs(self) -> impl Iterator<Item = ShaderDefVal> {
        NEED_DEFS.into_iter().zip(self.0).filter(|(_, needed)| *needed).map(|(name, _)| name.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::render::shader_text::{GLOBE, GRID};

    /// A name that the shaders do not use would disable a feature for ever.
    #[test]
    fn shaders_test_every_feature_flag() {
        for name in NEED_DEFS {
            let asks = format!("#ifdef {name}\n");
            assert!(GRID.contains(&asks) || GLOBE.contains(&asks), "{name}");
        }
    }
}
