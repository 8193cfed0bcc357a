//! Commands of the 3D view: where the camera goes and how the ground is drawn.

use bevy_egui::egui;
use egui::KeyboardShortcut;
use egui_phosphor::regular as icon;

use crate::app::frame::commands::Info;
use crate::app::view::globe::GlobeWay;
use crate::app::view::{Overlay, ViewMode};
use crate::field::MapKind;

/// A side to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewpoint {
    Default,
    Top,
    South,
    East,
    North,
    West,
}

impl Viewpoint {
    pub const ALL: [Self; 6] = [Self::Default, Self::Top, Self::South, Self::East, Self::North, Self::West];
}

/// What the 3D view shall do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewAction {
    /// Back to the camera that a new scene begins with.
    Reset,
    /// Move so that the whole terrain is in view, from where the camera looks now.
    Frame,
    From(Viewpoint),
    Mode(ViewMode),
    /// Shows data over the ground; again: takes it away.
    Overlay(Overlay),
    ToggleWater,
    /// How a planet is shown.
    Way(GlobeWay),
}

pub(crate) fn info(action: ViewAction) -> Info {
    let (label, tooltip, icon, shortcuts): (&str, &str, _, &'static [KeyboardShortcut]) = match action {
        ViewAction::Reset => (
            "Reset view",
            "Puts the camera back to where a new scene begins.",
            icon::ARROW_COUNTER_CLOCKWISE,
            keys![NONE + R],
        ),
        ViewAction::Frame => {
            ("Frame terrain", "Brings the whole terrain into view.", icon::FRAME_CORNERS, keys![NONE + F])
        }
        ViewAction::From(from) => match from {
            Viewpoint::Default => {
                ("From the corner", "Looks from the south-east, from above.", icon::CUBE, keys![NONE + Num1])
            }
            Viewpoint::Top => {
                ("From the top", "Looks straight down; north is up.", icon::ARROW_DOWN, keys![NONE + Num2])
            }
            Viewpoint::South => ("From the south", "Looks to the north.", icon::COMPASS, keys![NONE + Num3]),
            Viewpoint::East => ("From the east", "Looks to the west.", icon::COMPASS, keys![NONE + Num4]),
            Viewpoint::North => ("From the north", "Looks to the south.", icon::COMPASS, keys![NONE + Num5]),
            Viewpoint::West => ("From the west", "Looks to the east.", icon::COMPASS, keys![NONE + Num6]),
        },
        ViewAction::Mode(mode) => {
            let (icon, shortcuts): (_, &'static [KeyboardShortcut]) = match mode {
                ViewMode::Shaded => (icon::SUN, keys![SHIFT + Num1]),
                ViewMode::Hillshade => (icon::MOUNTAINS, keys![SHIFT + Num2]),
                ViewMode::Wireframe => (icon::POLYGON, keys![SHIFT + Num4]),
                ViewMode::Adaptive => (icon::TRIANGLE, keys![COMMAND + Num1]),
                ViewMode::AdaptiveWireframe => (icon::TRIANGLE_DASHED, keys![COMMAND + Num2]),
                ViewMode::Traced => (icon::CROSSHAIR, keys![COMMAND + Num3]),
                ViewMode::TracedCost => (icon::GAUGE, keys![COMMAND + Num4]),
                ViewMode::TracedDistance => (icon::RULER, &[]),
            };
            return Info { label: mode.label().into(), tooltip: mode.help().into(), icon, shortcuts };
        }
        ViewAction::Overlay(overlay) => {
            let (icon, shortcuts): (_, &'static [KeyboardShortcut]) = match overlay {
                Overlay::None => (icon::PROHIBIT, keys![SHIFT + Num0]),
                Overlay::Slope => (icon::ANGLE, keys![SHIFT + Num3]),
                Overlay::Change => (icon::PLUS_MINUS, keys![SHIFT + Num5]),
                Overlay::Temperature => (icon::THERMOMETER, &[]),
                Overlay::Moisture => (icon::CLOUD_RAIN, &[]),
                Overlay::Map(MapKind::Flow) => (icon::TREE_STRUCTURE, keys![SHIFT + Num6]),
                Overlay::Map(MapKind::Water) => (icon::DROP, keys![SHIFT + Num7]),
                Overlay::Map(_) => (icon::STACK, &[]),
                Overlay::Difference => (icon::INTERSECT, keys![SHIFT + Num8]),
            };
            return Info { label: overlay.label(), tooltip: overlay.help(), icon, shortcuts };
        }
        ViewAction::Way(way) => {
            let (icon, shortcuts): (_, &'static [KeyboardShortcut]) = match way {
                GlobeWay::Globe => (icon::GLOBE_HEMISPHERE_WEST, keys![NONE + Num7]),
                GlobeWay::Map => (icon::MAP_TRIFOLD, keys![NONE + Num8]),
                GlobeWay::Orbit => (icon::PLANET, keys![NONE + Num9]),
            };
            return Info { label: way.label().into(), tooltip: way.help().into(), icon, shortcuts };
        }
        ViewAction::ToggleWater => ("Water", "Shows or hides the sea, rivers and lakes.", icon::WAVES, keys![NONE + W]),
    };
    Info { label: label.into(), tooltip: tooltip.into(), icon, shortcuts }
}
