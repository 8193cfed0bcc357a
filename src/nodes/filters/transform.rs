//! Transform: moves, rotates, scales and mirrors the terrain.
//!
//! Law: out(p) = h(c + S⁻¹·R⁻¹·(p - c - move)). c is the centre, R a rotation by `angle` clockwise in plan view, and S
//! the scale with its signs for mirroring. The order is: mirror, scale, rotate, move. Heights are read bicubically,
//! data maps bilinearly (`sampling`). Quarter turns and mirroring map samples to samples without a change of value, and
//! the defaults change nothing. Scaling down skips samples; a blur before it avoids aliasing.
//! Boundary: set by `outside`. In a wrapping scene heights stay seamless. Slopes stay continuous at the seam only with
//! moves, mirroring and quarter turns. On a planet all operations except scaling rotate or mirror the whole globe. The
//! centre is the point at 0° N, 0° E: the globe is mirrored and rotated about this point, then moved along its meridian
//! and along the equator. A globe has no outside and keeps its size.
//! Source: affine maps; Gonzalez & Woods 2018, §2.6.

use super::sampling::{OutsideFill, Resampling, resample_globe, resample_terrain};
use crate::{Context, Filter, NodeMemory, NodeParts, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, Terrain};

talweg_ground::choices! {
    /// The terrain beyond the old edges.
    Outside {
        Edges "Extend edges": "The edge heights continue outwards; a wrapping scene continues on its opposite side.",
        Wrap "Repeat": "The terrain repeats like a tile.",
        Mirror "Mirror": "The terrain is reflected at its edges: no cliffs, but symmetry.",
        Flat "Level terrain": "Level terrain at height 0.",
    }
}

talweg_ground::params! {
    /// Moves, rotates, scales or mirrors the input terrain with its data maps, such as water, wear and deposits. On a
    /// planet it rotates and mirrors the globe.
    Transform "Transform" in "Filter", from "Gonzalez & Woods 2018", also "move translate shift rotate turn scale zoom flip mirror" {
        /// Moves the terrain to the east.
        move_x: f32 ["m"] = 0.0, -1_000_000.0..=1_000_000.0, slider -4000.0..=4000.0;
        /// Moves the terrain to the south.
        move_y: f32 ["m"] = 0.0, -1_000_000.0..=1_000_000.0, slider -4000.0..=4000.0;
        /// Rotates the terrain clockwise about its centre.
        angle: f32 ["°"] = 0.0, -360.0..=360.0, slider -180.0..=180.0;
        /// Scales the terrain horizontally about its centre; heights stay, so values below 1 make slopes steeper.
        /// It has no effect on planets.
        scale: f32 = 1.0, 0.01..=100.0, slider 0.25..=4.0;
        /// Swaps east and west.
        mirror_x: bool = false;
        /// Swaps north and south.
        mirror_y: bool = false;
        /// Terrain that fills the area beyond the old edges.
        outside: Outside = Outside::Edges;
    }
}

impl Filter for Transform {
    fn traits(&self) -> Traits {
        Traits {
            previews_exactly: false,
            on_planet: Some(OnPlanet::DEFAULT),
            memory: NodeMemory::constant(0.5),
            ..Traits::FILTER
        }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::WholeTerrain("it moves, rotates or scales the whole terrain")
    }

    fn apply(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        if *self == (Self { outside: self.outside, ..Self::default() }) {
            return Ok(());
        }
        if cx.grid.is_globe() {
            return self.turn_globe(cx, terrain);
        }
        let beyond = match self.outside {
            Outside::Edges => OutsideFill::for_edges(cx.grid),
            Outside::Wrap => OutsideFill::Wrap,
            Outside::Mirror => OutsideFill::Mirror,
            Outside::Flat => OutsideFill::Flat,
        };
        let side = (cx.grid.samples - 1) as f64;
        let centre = 0.5 * side;
        let cells = |metres: f32| f64::from(metres) / f64::from(cx.size_metres) * side;
        let (east, south) = (cells(self.move_x), cells(self.move_y));
        let (sin, cos) = sin_cos(self.angle);
        let factor = |mirrored: bool| f64::from(if mirrored { -self.scale } else { self.scale });
        let (across, along) = (factor(self.mirror_x), factor(self.mirror_y));
        resample_terrain(cx, terrain, beyond, Resampling::Cubic, |i, j| {
            let (x, y) = (j as f64 - centre - east, i as f64 - centre - south);
            [centre + (y * cos - x * sin) / along, centre + (x * cos + y * sin) / across]
        })
    }
}

impl Transform {
    fn turn_globe(&self, cx: &Context, terrain: &mut Terrain) -> Result<(), Cancelled> {
        let sign = |mirrored: bool| if mirrored { -1.0 } else { 1.0 };
        let (across, along) = (sign(self.mirror_x), sign(self.mirror_y));
        let turn = sin_cos(self.angle);
        let [east, south] = [self.move_x, self.move_y].map(|metres| {
            let radians = f64::from(metres) / f64::from(cx.size_metres) * std::f64::consts::FRAC_PI_2;
            (libm::sin(radians), libm::cos(radians))
        });
        // The inverse applies the inverse operations in reverse order.
        resample_globe(cx, terrain, Resampling::Cubic, |_, [x, y, z]| {
            let (x, y) = turned_back(x, y, east);
            let (z, x) = turned_back(z, x, south);
            let (z, y) = turned_back(z, y, turn);
            [x, across * y, along * z]
        })
    }
}

/// Undoes a rotation: returns the position that the rotation moved to (a, b). The rotation turns the axis of a towards
/// the axis of b.
fn turned_back(a: f64, b: f64, (sin, cos): (f64, f64)) -> (f64, f64) {
    (a * cos + b * sin, b * cos - a * sin)
}

/// Sine and cosine of an angle in degrees, exact at quarter turns.
fn sin_cos(degrees: f32) -> (f64, f64) {
    let turned = if degrees < 0.0 { degrees + 360.0 } else { degrees };
    if turned % 90.0 == 0.0 {
        return [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][(turned / 90.0) as usize % 4];
    }
    let radians = f64::from(degrees) * (std::f64::consts::PI / 180.0);
    (libm::sin(radians), libm::cos(radians))
}
