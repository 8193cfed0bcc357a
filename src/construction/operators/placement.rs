//! The place operator: moves, rotates, scales, stretches, shears, mirrors and raises pieces.
//!
//! Transform: p ↦ pivot + move + turn · shear · stretch · scale · (p - pivot), z ↦ scale · height · z + raise, with
//! stretch = diag(x, y) and shear = (1, tan σ; 0, 1). Nested maps are concatenated when the construction tree is
//! compiled, so that nesting does not slow down evaluation.
//! Lipschitz: the bound of the pieces multiplied by the spectral norm of the inverse map ([`Affine::stretching`]).
//! Source: Génevaux et al. 2014, §5.4 and fig. 15.

use crate::compiled_program::{Builder, NodeFrame, PieceSite};
use crate::geometry::plane::{Affine, add};
use crate::piece::{OperatorGroup, PieceForm, piece_form};

talweg_ground::params! {
    /// Moves, rotates, scales and raises its features.
    Placement "Place" in "Operator", from "Génevaux et al. 2014, fig. 15", also "move rotate scale transform copy instance mirror" {
        /// Distance by which the features move to the east.
        move_x: f32 ["m"] = 0.0, -1.0e6..=1.0e6, slider -8000.0..=8000.0;
        /// Distance by which the features move to the south.
        move_y: f32 ["m"] = 0.0, -1.0e6..=1.0e6, slider -8000.0..=8000.0;
        /// Height by which the features are raised.
        raise: f32 ["m"] = 0.0, -1.0e5..=1.0e5, slider -1000.0..=1000.0;
        /// Clockwise rotation of the features.
        turn_angle: f32 ["°"] = 0.0, -360.0..=360.0, slider -180.0..=180.0;
        /// Size factor in all directions, heights included.
        scale: f32 = 1.0, 0.001..=1000.0, slider 0.1..=4.0;
        /// Width factor from west to east, applied before the rotation; heights stay the same.
        stretch_x: f32 = 1.0, 0.01..=100.0, slider 0.1..=4.0;
        /// Length factor from north to south, applied before the rotation; heights stay the same.
        stretch_y: f32 = 1.0, 0.01..=100.0, slider 0.1..=4.0;
        /// Angle by which north-south lines lean, applied before the rotation: at positive values, points south of the
        /// pivot move east. East-west distances stay the same.
        shear_angle: f32 ["°"] = 0.0, -80.0..=80.0, slider -60.0..=60.0;
        /// Height factor, in addition to the scale.
        steepen: f32 = 1.0, -100.0..=100.0, slider 0.0..=3.0;
        /// Mirrors the features: east and west are swapped.
        mirror: bool = false;
        /// East-west position that stays fixed under rotation and scaling.
        pivot_x: f32 ["m"] = 0.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// North-south position that stays fixed under rotation and scaling.
        pivot_y: f32 ["m"] = 0.0, -1.0e6..=1.0e6, slider 0.0..=8000.0;
        /// Number of the noise variant. Another number changes the positions of the hills, but not their form.
        variation: u32 = 0, 0..=1_000_000, slider 0..=100;
    }
}

impl Placement {
    /// Map from the pieces' coordinates to the parent's coordinates.
    pub fn map(&self) -> Affine {
        let angle = f64::from(self.turn_angle) * (std::f64::consts::PI / 180.0);
        // an angle of 0 must give an exact identity
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

    /// Factor `rise` and offset `lift` of the map of heights z ↦ rise · z + lift.
    pub fn heights(&self) -> (f64, f64) {
        (f64::from(self.scale) * f64::from(self.steepen), f64::from(self.raise))
    }

    /// The frame of the pieces inside, placed in the frame `around`; `None` if the combined map scales areas by a
    /// factor outside 10⁻¹⁸ to 10¹⁸.
    pub(crate) fn frame(&self, around: &NodeFrame) -> Option<NodeFrame> {
        around.placed(&self.map(), self.heights(), varied(around.seed, self.variation))
    }
}

/// The seed for the noise variant `variation`. Another variant has other random values with the same parameters.
pub(crate) fn varied(seed: u32, variation: u32) -> u32 {
    seed.wrapping_add(variation.wrapping_mul(0x9e37_79b1))
}

impl PieceForm for OperatorGroup<Placement> {
    piece_form!("place", settings, children);

    fn compile(&self, site: &PieceSite, builder: &mut Builder) -> Option<u32> {
        builder.blend(site, self.settings.frame(&site.frame)?)
    }
}
