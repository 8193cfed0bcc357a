//! Commands of the 3D view: camera positions and display settings.

use bevy_egui::egui::KeyboardShortcut;
use egui_phosphor::regular as icon;

use crate::frame::commands::{Action, Info, keys};
use crate::view::{Overlay, TreeDetail, ViewCommand, ViewMode};
use talweg::field::MapKind;
use talweg::preferences::PlanetProjection;
use talweg::scene::TerrainAttribute;

/// The camera commands of the View menu, in the order of the menu.
pub const CAMERA: [ViewCommand; 7] = [
    ViewCommand::Frame,
    ViewCommand::Perspective,
    ViewCommand::Top,
    ViewCommand::FromSouth,
    ViewCommand::FromEast,
    ViewCommand::FromNorth,
    ViewCommand::FromWest,
];

impl Action for ViewCommand {
    fn section(&self) -> &'static str {
        "View"
    }

    fn info(&self) -> Info {
        match self {
            Self::Frame => {
                Info::new("Frame all", "Zooms the view to the whole terrain.", icon::FRAME_CORNERS, keys![NONE + F])
            }
            Self::Perspective => {
                Info::new("Perspective", "Looks down from the south-east.", icon::CUBE, keys![NONE + Num1])
            }
            Self::Top => Info::new("Top", "Looks straight down; north is up.", icon::ARROW_DOWN, keys![NONE + Num2]),
            Self::FromSouth => Info::new("From south", "Looks to the north.", icon::COMPASS, keys![NONE + Num3]),
            Self::FromEast => Info::new("From east", "Looks to the west.", icon::COMPASS, keys![NONE + Num4]),
            Self::FromNorth => Info::new("From north", "Looks to the south.", icon::COMPASS, keys![NONE + Num5]),
            Self::FromWest => Info::new("From west", "Looks to the east.", icon::COMPASS, keys![NONE + Num6]),
            Self::Look { .. } | Self::Over { .. } | Self::Stand { .. } => {
                Info::new("Go there", "Moves the camera to a point.", icon::CROSSHAIR, &[])
            }
        }
    }
}

/// Moves the camera to the position that it has in a new scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResetView;

impl Action for ResetView {
    fn section(&self) -> &'static str {
        "View"
    }

    fn info(&self) -> Info {
        Info::new(
            "Home view",
            "Returns the camera to its position in a new scene.",
            icon::ARROW_COUNTER_CLOCKWISE,
            keys![NONE + Num0],
        )
    }
}

/// Commands that change the display settings of the 3D view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewAction {
    Mode(ViewMode),
    /// Shows an overlay on the terrain, or hides it if it is already shown.
    Overlay(Overlay),
    ToggleWater,
    /// Sets the distance up to which the view shows the fine detail of a construction.
    Detail(TreeDetail),
    /// Switches between orthographic and perspective projection.
    ToggleOrthographic,
    /// Sets the projection of a planet.
    Projection(PlanetProjection),
}

impl ViewAction {
    /// All display commands, in the order of the menu.
    pub fn all() -> Vec<Self> {
        let modes = ViewMode::ALL.map(Self::Mode).into_iter();
        let overlays = Overlay::all().into_iter().map(Self::Overlay);
        let projections = PlanetProjection::ALL.map(Self::Projection);
        let details = TreeDetail::ALL.map(Self::Detail);
        modes
            .chain(details)
            .chain(overlays)
            .chain([Self::ToggleWater, Self::ToggleOrthographic])
            .chain(projections)
            .collect()
    }
}

impl Action for ViewAction {
    fn section(&self) -> &'static str {
        "View"
    }

    fn info(&self) -> Info {
        match *self {
            Self::Mode(mode) => {
                let (icon, shortcuts): (_, &'static [KeyboardShortcut]) = match mode {
                    ViewMode::Shaded => (icon::SUN, keys![COMMAND + Num1]),
                    ViewMode::Hillshade => (icon::MOUNTAINS, keys![COMMAND + Num2]),
                    ViewMode::Wireframe => (icon::POLYGON, keys![COMMAND + Num3]),
                    ViewMode::Adaptive => (icon::TRIANGLE, keys![COMMAND + Num4]),
                    ViewMode::AdaptiveWireframe => (icon::TRIANGLE_DASHED, keys![COMMAND + Num5]),
                    ViewMode::Traced => (icon::CROSSHAIR, keys![COMMAND + Num6]),
                    ViewMode::TracedCost => (icon::GAUGE, keys![COMMAND + Num7]),
                    ViewMode::TracedDistance => (icon::RULER, keys![COMMAND + Num8]),
                };
                Info::new(mode.label(), mode.help(), icon, shortcuts)
            }
            Self::Overlay(overlay) => {
                let (icon, shortcuts): (_, &'static [KeyboardShortcut]) = match overlay {
                    Overlay::None => (icon::PROHIBIT, keys![SHIFT + Num0]),
                    Overlay::Slope => (icon::ANGLE, keys![SHIFT + Num1]),
                    Overlay::Attribute(TerrainAttribute::Aspect) => (icon::COMPASS, &[]),
                    Overlay::Attribute(TerrainAttribute::DrainageArea) => (icon::TREE_STRUCTURE, &[]),
                    Overlay::Attribute(TerrainAttribute::Wetness) => (icon::DROP_HALF, &[]),
                    Overlay::Attribute(
                        TerrainAttribute::SkyView | TerrainAttribute::DaySunshine | TerrainAttribute::YearSunshine,
                    ) => (icon::SUN, &[]),
                    Overlay::Attribute(_) => (icon::CHART_LINE, &[]),
                    Overlay::Change => (icon::PLUS_MINUS, keys![SHIFT + Num2]),
                    Overlay::Temperature => (icon::THERMOMETER, &[]),
                    Overlay::Moisture => (icon::CLOUD_RAIN, &[]),
                    Overlay::Map(MapKind::Flow) => (icon::TREE_STRUCTURE, keys![SHIFT + Num3]),
                    Overlay::Map(MapKind::Water) => (icon::DROP, keys![SHIFT + Num4]),
                    Overlay::Map(_) => (icon::STACK, &[]),
                    Overlay::Difference => (icon::INTERSECT, keys![SHIFT + Num5]),
                    Overlay::Mask => (icon::SELECTION, &[]),
                };
                Info::new(overlay.label(), overlay.help(), icon, shortcuts)
            }
            Self::Detail(detail) => Info::new(
                detail.label(),
                "Distance up to which constructions keep fine noise and detail in Adaptive tessellation and Sphere \
                 tracing. Lower settings smooth distant terrain and draw it sooner.",
                icon::BINOCULARS,
                &[],
            ),
            Self::Projection(projection) => {
                let (icon, shortcuts): (_, &'static [KeyboardShortcut]) = match projection {
                    PlanetProjection::Globe => (icon::GLOBE_HEMISPHERE_WEST, keys![NONE + Num7]),
                    PlanetProjection::Map => (icon::MAP_TRIFOLD, keys![NONE + Num8]),
                    PlanetProjection::Orbit => (icon::PLANET, keys![NONE + Num9]),
                };
                Info::new(projection.label(), projection.help(), icon, shortcuts)
            }
            Self::ToggleOrthographic => Info::new(
                "Orthographic",
                "Draws without perspective, so that equal lengths look equal near and far. For plans and elevations.",
                icon::CUBE_FOCUS,
                keys![NONE + O],
            ),
            Self::ToggleWater => {
                Info::new("Water", "Shows or hides the sea, rivers and lakes.", icon::WAVES, keys![NONE + W])
            }
        }
    }
}
