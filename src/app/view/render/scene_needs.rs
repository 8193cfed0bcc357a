//! Optional features of a scene. Pipelines include a feature only if the scene has it.

use bevy::shader::ShaderDefVal;

/// An optional feature of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneNeed {
    Clouds,
    Fog,
    Stars,
    ColourMap,
    CoverMap,
    SiteMap,
    WaterMap,
    /// The vertices are dense everywhere in view. The sunlight that clouds and mountains let through is therefore
    /// computed per vertex.
    SunByVertex,
    /// The globe's tiles have maps that the material rules use.
    TileSite,
    /// The sky and other backgrounds get the alpha value 0, so that pixels without terrain can be counted.
    BackgroundAlpha,
}

/// The names of the optional features in the shaders.
const NEED_DEFS: [&str; 10] = [
    "CLOUDS",
    "FOG",
    "STARS",
    "COLOUR_MAP",
    "COVER_MAP",
    "SITE_MAP",
    "WATER_MAP",
    "SUN_BY_VERTEX",
    "TILE_SITE",
    "BACKGROUND_ALPHA",
];

/// The set of optional features that a scene has. Software drivers evaluate both sides of every branch, so the shader
/// must not contain an absent feature at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SceneNeeds([bool; NEED_DEFS.len()]);

impl SceneNeeds {
    /// Creates the set from pairs of a feature and whether the scene has it.
    pub fn new(needs: impl IntoIterator<Item = (SceneNeed, bool)>) -> Self {
        let mut all = Self::default();
        for (need, is_there) in needs {
            all.0[need as usize] = is_there;
        }
        all
    }

    /// The set with another feature, if `is_there`.
    #[must_use]
    pub fn with(mut self, need: SceneNeed, is_there: bool) -> Self {
        self.0[need as usize] |= is_there;
        self
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

    /// If no shader tested the name of a feature, this feature would never be drawn.
    #[test]
    fn shaders_test_every_feature_flag() {
        for name in NEED_DEFS {
            let asks = format!("#ifdef {name}\n");
            assert!(GRID.contains(&asks) || GLOBE.contains(&asks), "{name}");
        }
    }
}
