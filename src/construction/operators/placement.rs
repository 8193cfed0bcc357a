//! Placing: a piece moved, turned, scaled, stretched, sheared, mirrored and raised.
//!
//! Law: p ↦ pivot + move + turn · shear · stretch · scale · (p - pivot), z ↦ scale · height · z + raise, with stretch
//! = diag(x, y) and shear = (1, tan σ; 0, 1). Maps one inside another are put together into one when the tree is
//! prepared, so that nesting costs nothing.
//! Lipschitz: λ times the spectral norm of the way back ([`Affine::stretching`]).
//! Source: Génevaux et al. 2014, §5.4 and fig. 15.

use crate::geometry::plane::{Affine, add};

talweg_ground::params! {
    /// Moves, turns, scales and raises what is in it.
    Placement "Place" in "Operator", from "Génevaux et al. 2014, fig. 15", also "move rotate scale transform copy instance mirror" {
        /// Distance by which it moves to the east.
        move_x: f32 ["m"] = 0.0, -1.0e6..=1.0e6, slider -8000.0..=8000.0;
        /// Distance by which it moves to the south.
        move_y: f32 ["m"] = 0.0, -1.0e6..=1.0e6, slider -8000.0..=8000.0;
        /// Height by which it is raised.
        raise: f32 ["m"] = 0.0, -1.0e5..=1.0e5, slider -1000.0..=1000.0;
        /// By how much it is turned, from east to south.
        turn_angle: f32 ["°"] = 0.0, -360.0..=360.0, slider -180.0..=180.0;
        /// How many times as large it is, in every direction.
        scale: f32 = 1.0, 0.001..=1000.0, slider 0.1..=4.0;
        /// How many times as wide it is from west to east, before it is turned. Heights stay.
        stretch_x: f32 = 1.0, 0.01..=100.0, slider 0.1..=4.0;
        /// How many times as long it is from north to south, before it is turned. Heights stay.
        stretch_y: f32 = 1.0, 0.01..=100.0, slider 0.1..=4.0;
        /// By how much lines from north to south lean, before it is turned: what lies south of the pivot moves to the
        /// east. Distances across them stay.
        shear_angle: f32 ["°"] = 0.0, -80.0..=80.0, slider -60.0..=60.0;
        /// How many times as high it is, beside its size.
        steepen: f32 = 1.0, -100.0..=100.0, slider 0.0..=3.0;
        /// Whether east and west change places.
        mirror: bool = false;
        /// East-west place that stays where it is while turning and scaling.
        pivot_x: f32 ["m"] = 0.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// North-south place that stays where it is while turning and scaling.
        pivot_y: f32 ["m"] = 0.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Other hills of the same kind: changes what the seeds inside choose.
        variation: u32 = 0, 0..=1_000_000, slider 0..=100;
    }
}

impl Placement {
    /// From places inside to places outside.
    pub fn map(&self) -> Affine {
        let angle = f64::from(self.turn_angle) * (std::f64::consts::PI / 180.0);
        // quarter turns stay exact
        let (sin, cos) = match self.turn_angle {
            0.0 => (0.0, 1.0),
            _ => (libm::sin(angle), libm::cos(angle)),
        };
        let scale = f64::from(self.scale);
        let flip = if self.mirror { -scale } else { scale };
        let pivot = [f64::from(self.pivot_x), f64::from(self.pivot_y)];
        let away = Affine { offset: [-pivot[0], -pivot[1]], ..Affine::IDENTITY };
        let turn = if (self.stretch_x, self.stretch_y, self.shear_angle) == (1.0, 1.0, 0.0) {
            Affine { rows: [[cos * flip, -sin * scale], [sin * flip, cos * scale]], offset: [0.0; 2] }
        } else {
            let (x, y) = (flip * f64::from(self.stretch_x), scale * f64::from(self.stretch_y));
            let lean = y * libm::tan(f64::from(self.shear_angle) * (std::f64::consts::PI / 180.0));
            Affine { rows: [[cos * x, cos * lean - sin * y], [sin * x, sin * lean + cos * y]], offset: [0.0; 2] }
        };
        let back = Affine { offset: add(pivot, [f64::from(self.move_x), f64::from(self.move_y)]), ..Affine::IDENTITY };
        away.then(&turn).then(&back)
    }

    /// z ↦ rise · z + lift.
    pub fn heights(&self) -> (f64, f64) {
        (f64::from(self.scale) * f64::from(self.steepen), f64::from(self.raise))
    }
}
