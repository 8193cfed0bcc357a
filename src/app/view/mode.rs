//! Ways of showing the ground.

use bevy::prelude::Resource;

/// How the ground is coloured. The order is that of the menu.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ViewMode {
    /// The palette of the scene, with haze.
    #[default]
    Shaded,
    /// Grey relief.
    Hillshade,
    /// Steepness, from level ground to cliffs.
    Slope,
    /// The palette with the triangles that are drawn.
    Wireframe,
}

impl ViewMode {
    pub const ALL: [Self; 4] = [Self::Shaded, Self::Hillshade, Self::Slope, Self::Wireframe];

    pub fn label(self) -> &'static str {
        match self {
            Self::Shaded => "Shaded",
            Self::Hillshade => "Hillshade",
            Self::Slope => "Slope",
            Self::Wireframe => "Wireframe",
        }
    }

    /// Whether the ground is shown without its colours.
    pub fn is_plain(self) -> bool {
        matches!(self, Self::Hillshade | Self::Slope)
    }

    /// One sentence for the tooltip.
    pub fn help(self) -> &'static str {
        match self {
            Self::Shaded => "Shows the colours of the palette, with sun, sky and haze.",
            Self::Hillshade => "Shows the relief in grey, without colours.",
            Self::Slope => {
                "Colours the ground by its steepness: green up to 15°, yellow to 30°, red to 45°, then violet."
            }
            Self::Wireframe => "Shows the triangles that are drawn, finer near the eye.",
        }
    }
}
