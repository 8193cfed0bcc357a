//! View modes: how the terrain is drawn.

use bevy::prelude::Resource;

/// How fast the level of detail κ of a construction tree falls with the distance t from the eye: κ = 1/(1 +
/// (t/half)²). `half` is the distance at which κ is 0.5. Source: Génevaux et al. 2014, §6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TreeDetail {
    /// Full detail at any distance.
    #[default]
    Full,
    /// κ is 0.5 at a distance of one side length of the terrain.
    Side,
    /// κ is 0.5 at a distance of a quarter of the terrain's side length.
    Quarter,
    /// κ is 0.5 at a distance of a sixteenth of the terrain's side length.
    Sixteenth,
}

impl TreeDetail {
    /// All variants, in the order of the menu.
    pub const ALL: [Self; 4] = [Self::Full, Self::Side, Self::Quarter, Self::Sixteenth];

    pub fn label(self) -> &'static str {
        match self {
            Self::Full => "Full detail at any distance",
            Self::Side => "Half detail at a distance of 1 side length",
            Self::Quarter => "Half detail at a distance of 1/4 side length",
            Self::Sixteenth => "Half detail at a distance of 1/16 side length",
        }
    }

    /// Distance from the eye, in metres, at which the level of detail κ is 0.5. `None` for full detail at any distance.
    /// `side_metres` is the terrain's side length.
    pub fn half_metres(self, side_metres: f32) -> Option<f32> {
        let share = match self {
            Self::Full => return None,
            Self::Side => 1.0,
            Self::Quarter => 0.25,
            Self::Sixteenth => 0.0625,
        };
        Some(share * side_metres)
    }
}

/// The source of an overlay's data in the shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tint {
    /// No overlay is drawn.
    #[default]
    None,
    /// The slope texture, which every drawn terrain has.
    Slope,
    /// A separate texture with the overlay's data.
    Data,
}

/// How the terrain is drawn and coloured. The menu lists the modes in this order.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ViewMode {
    /// The colours of the scene's palette, with haze.
    #[default]
    Shaded,
    /// Relief shading in grey.
    Hillshade,
    /// The palette colours with the drawn triangles on top.
    Wireframe,
    /// A mesh of the construction tree, which is evaluated at the vertices that the image needs.
    Adaptive,
    /// [`Adaptive`](Self::Adaptive) with the drawn triangles on top.
    AdaptiveWireframe,
    /// A construction tree, sphere-traced on the graphics card.
    Traced,
    /// The number of evaluations of the construction tree per pixel, as colours.
    TracedCost,
    /// The distance of each pixel from the eye, stored in 24 bits. This mode is for tests and is in no menu.
    TracedDistance,
}

impl ViewMode {
    pub const ALL: [Self; 7] = [
        Self::Shaded,
        Self::Hillshade,
        Self::Wireframe,
        Self::Adaptive,
        Self::AdaptiveWireframe,
        Self::Traced,
        Self::TracedCost,
    ];
    /// The modes that draw the terrain's grid, not a construction tree.
    pub const OF_GRID: [Self; 3] = [Self::Shaded, Self::Hillshade, Self::Wireframe];

    pub fn label(self) -> &'static str {
        match self {
            Self::Shaded => "Shaded",
            Self::Hillshade => "Hillshade",
            Self::Wireframe => "Wireframe",
            Self::Adaptive => "Adaptive tessellation",
            Self::AdaptiveWireframe => "Adaptive wireframe",
            Self::Traced => "Sphere tracing",
            Self::TracedCost => "Tracing cost",
            Self::TracedDistance => "Tracing distance",
        }
    }

    /// Name of the mode on the command line.
    pub fn name(self) -> String {
        self.label().to_lowercase().replace(' ', "-")
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether the mode draws a construction tree and not the grid.
    pub fn draws_tree(self) -> bool {
        !Self::OF_GRID.contains(&self)
    }

    /// Whether the mode sphere-traces the construction tree.
    pub fn traces(self) -> bool {
        matches!(self, Self::Traced | Self::TracedCost | Self::TracedDistance)
    }

    /// The grid mode to draw instead where the construction tree cannot be drawn.
    #[must_use]
    pub fn of_grid(self) -> Self {
        match self {
            Self::AdaptiveWireframe => Self::Wireframe,
            mode if mode.draws_tree() => Self::Shaded,
            mode => mode,
        }
    }

    /// Whether the terrain is drawn in grey, without its colours.
    pub fn is_plain(self) -> bool {
        self == Self::Hillshade
    }

    /// Whether plants and stones are drawn.
    pub fn has_plants(self) -> bool {
        matches!(self, Self::Shaded | Self::Adaptive | Self::Traced)
    }

    /// Whether the mode shows the terrain in natural light, so that auto exposure applies.
    pub fn has_auto_exposure(self) -> bool {
        matches!(self, Self::Shaded | Self::Wireframe | Self::Adaptive | Self::AdaptiveWireframe | Self::Traced)
    }

    /// One sentence about the mode, for its tooltip.
    pub fn help(self) -> &'static str {
        match self {
            Self::Shaded => "Shows the terrain in the colours of the palette, with sun, sky and haze.",
            Self::Hillshade => "Shows the relief in grey, without colours.",
            Self::Wireframe => "Shows the drawn triangles, which are finer near the camera.",
            Self::Adaptive => {
                "Draws a construction from its construction tree instead of the grid. Zooming in reveals detail down to centimetres. If other layers follow, the tree adds only detail smaller than a cell."
            }
            Self::AdaptiveWireframe => {
                "Shows the triangles of the adaptive tessellation, which are finer near the camera."
            }
            Self::Traced => {
                "Traces a ray to the construction for every pixel, on the graphics card. The image sharpens while the camera rests; without a graphics card it stays coarse."
            }
            Self::TracedCost => "Shows how often sphere tracing evaluates the construction for each pixel.",
            Self::TracedDistance => {
                "Shows the distance from the camera to the terrain, encoded in the colour of each pixel."
            }
        }
    }
}
