//! The camera commands of menus and shortcuts.

use bevy::prelude::*;

use super::pose::Pose;
use crate::view::lens::{Lens, ViewProjection};

/// A camera command from a menu or a shortcut.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
pub enum ViewCommand {
    /// Frames the whole terrain from the current direction.
    Frame,
    Perspective,
    Top,
    FromSouth,
    FromEast,
    FromNorth,
    FromWest,
    /// Frames a box in world space from the current direction.
    Look {
        low_world: Vec3,
        high_world: Vec3,
    },
    /// Moves to a pose over a terrain. The position of the eye is in world space; the heading and the inclination are
    /// in radians.
    Stand {
        eye_world: Vec3,
        yaw: f32,
        pitch: f32,
    },
    /// Moves the camera to a position above a place on a globe. The numbers are latitude, longitude, metres above the
    /// surface, heading and inclination. Angles are in degrees.
    Over {
        place: [f64; 5],
    },
}

impl ViewCommand {
    /// Heading and inclination of the view in degrees. `None` keeps the current angles.
    fn direction(self) -> Option<(f32, f32)> {
        match self {
            Self::Frame | Self::Look { .. } | Self::Over { .. } | Self::Stand { .. } => None,
            Self::Perspective => Some((32.0, -27.0)),
            Self::Top => Some((0.0, -90.0)),
            Self::FromSouth => Some((0.0, -18.0)),
            Self::FromEast => Some((270.0, -18.0)),
            Self::FromNorth => Some((180.0, -18.0)),
            Self::FromWest => Some((90.0, -18.0)),
        }
    }

    /// Whether the command selects a horizontal view from one side of the terrain.
    fn is_side(self) -> bool {
        matches!(self, Self::FromSouth | Self::FromEast | Self::FromNorth | Self::FromWest)
    }

    /// The box to bring into view: the box of [`Self::Look`], otherwise the box of the terrain from `low` to `high`.
    pub fn seen(self, low: Vec3, high: Vec3) -> (Vec3, Vec3) {
        match self {
            Self::Look { low_world, high_world } => (low_world, high_world),
            _ => (low, high),
        }
    }

    /// The pose after the command. The whole box between the two corners is visible from this pose. An orthographic
    /// view from the side is an elevation, so the camera looks horizontally.
    pub fn pose(self, now: &Pose, (low, high): (Vec3, Vec3), lens: &Lens, projection: ViewProjection) -> Pose {
        if let Self::Stand { eye_world, yaw, pitch } = self {
            return Pose { eye_world, yaw, pitch };
        }
        let (low, high) = self.seen(low, high);
        let (yaw, pitch) = self
            .direction()
            .map_or((now.yaw, now.pitch.min(-0.1)), |(yaw, pitch)| (yaw.to_radians(), pitch.to_radians()));
        let is_elevation = self.is_side() && projection == ViewProjection::Orthographic;
        let pitch = if is_elevation { 0.0 } else { pitch };
        Pose::framing(low, high, yaw, pitch, lens)
    }
}
