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
    /// The palette with the triangles that are drawn.
    Wireframe,
}

impl ViewMode {
    pub const ALL: [Self; 3] = [Self::Shaded, Self::Hillshade, Self::Wireframe];

    pub fn label(self) -> &'static str {
        match self {
            Self::Shaded => "Shaded",
            Self::Hillshade => "Hillshade",
            Self::Wireframe => "Wireframe",
        }
    }

    /// How the command line calls it.
    pub fn name(self) -> String {
        self.label().to_lowercase()
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether the ground is shown without its colours.
    pub fn is_plain(self) -> bool {
        self == Self::Hillshade
    }

    /// One sentence for the tooltip.
    pub fn help(self) -> &'static str {
        match self {
            Self::Shaded => "Shows the colours of the palette, with sun, sky and haze.",
            Self::Hillshade => "Shows the relief in grey, without colours.",
            Self::Wireframe => "Shows the triangles that are drawn, finer near the eye.",
        }
    }
}
