//! Plain shapes: a single landform at a chosen position.
//!
//! Law: h = base + height · s, with t the distance from the centre divided by the radius. The shape s is:
//! - plane: s = 1;
//! - ramp: s = ½(1 + t), with t measured along the slope and limited to ±1;
//! - cone: s = max(0, 1 - t);
//! - dome: s = √max(0, 1 - t²);
//! - ridge: s = max(0, 1 - t), with t measured from the nearest point of the crest, a straight line of the given
//!   length;
//! - island: s = f(2 - 2t), limited to [0, 1], with f(x) = 6x⁵ - 15x⁴ + 10x³. It is level up to half the radius, then
//!   slopes smoothly to the shore;
//! - crater: s = (1 + r)·t² - 1 inside and r/t³ outside. It is a bowl of depth 1 with a rim of height r = 0.225 (Pike
//!   1977) and an ejecta blanket that thins with the cube of the distance (McGetchin et al. 1973).
//!
//! Boundary: on wrapping terrains distances take the shorter way around. A ramp rises and falls again there: its slope
//! extends a quarter of a side on either side of its centre along each axis. A crest on a wrapping terrain is at most
//! as long as a side.
//! Squares only: positions and distances are measured in the plane; on a planet, use this node on a patch.
//! Source: Le Martelot 2005, §1; Pike 1977; McGetchin, Settle & Head 1973.

use super::octaves::NoiseFade;
use crate::{Context, Generator};
use talweg_ground::field::{Cancelled, Edges};

talweg_ground::choices! {
    /// The landform.
    ShapeKind {
        Plane "Plane": "Level terrain.",
        Ramp "Ramp": "A slope that rises evenly from one side of the centre to the other.",
        Cone "Cone": "Straight flanks up to a point.",
        Dome "Dome": "The upper half of a ball.",
        Crater "Crater": "A bowl with a raised rim and ejecta around it.",
        Ridge "Ridge": "A straight crest with even flanks.",
        Island "Island": "High terrain that falls smoothly to the shore; multiply by it to make an island.",
    }
}

talweg_ground::params! {
    /// A single plain landform: plane, ramp, cone, dome, crater, ridge or island.
    Shape "Shape" in "Shapes", from "Pike 1977; McGetchin, Settle & Head 1973", also "primitive plane ramp cone dome crater ridge island falloff gradient flat volcano" {
        /// The landform.
        form: ShapeKind = ShapeKind::Cone;
        /// Position of the centre between the west edge (0) and the east edge (1).
        centre_x: f32 = 0.5, -10.0..=10.0, slider 0.0..=1.0 => |shape| shape.form != ShapeKind::Plane;
        /// Position of the centre between the north edge (0) and the south edge (1).
        centre_y: f32 = 0.5, -10.0..=10.0, slider 0.0..=1.0 => |shape| shape.form != ShapeKind::Plane;
        /// Distance from the centre to the foot, as a multiple of the terrain's side length.
        radius: f32 = 0.4, 0.001..=10.0, slider 0.02..=1.0 => |shape| shape.form != ShapeKind::Plane;
        /// Height above the surroundings, as a fraction of the relief.
        height: f32 = 0.8, -10.0..=10.0, slider 0.0..=1.5;
        /// Height of the surroundings, as a fraction of the relief.
        base: f32 = 0.0, -10.0..=10.0, slider -0.5..=1.0;
        /// Direction in which a ramp rises or a ridge runs: 0 is east, 90 is south.
        rotation_angle: f32 ["°"] = 0.0, -360.0..=360.0, slider 0.0..=360.0 => |shape| matches!(shape.form, ShapeKind::Ramp | ShapeKind::Ridge);
        /// Length of the crest of a ridge, as a multiple of the terrain's side length.
        length: f32 = 0.6, 0.0..=10.0, slider 0.0..=2.0 => |shape| shape.form == ShapeKind::Ridge;
    }
}

/// Height of a crater's rim, as a fraction of the depth of its bowl below the surroundings.
const RIM: f32 = 0.225;

impl Generator for Shape {
    fn fill(&self, cx: &Context, out: &mut [f32]) -> Result<(), Cancelled> {
        let grid = cx.grid;
        let wraps = grid.edges == Edges::Wrap;
        let [first_row, first_column] = grid.first();
        // Distance from the centre; on wrapping terrains the shorter way around.
        let from = |first: usize, centre: f32| {
            let place = move |k: usize| grid.position(first + k % grid.distinct_side()) - centre;
            (0..grid.samples).map(move |k| if wraps { place(k) - libm::rintf(place(k)) } else { place(k) })
        };
        let (xs, ys): (Vec<f32>, Vec<f32>) =
            (from(first_column, self.centre_x).collect(), from(first_row, self.centre_y).collect());
        let radians = f64::from(self.rotation_angle) * (std::f64::consts::PI / 180.0);
        let facing = [libm::cos(radians) as f32, libm::sin(radians) as f32];
        let half_crest = 0.5 * if wraps { self.length.min(1.0) } else { self.length };
        let per_radius = 1.0 / self.radius;
        let fill = |part: &(dyn Fn(f32, f32) -> f32 + Sync), out: &mut [f32]| {
            cx.rows(out, |i, row| {
                for (h, &x) in row.iter_mut().zip(&xs) {
                    *h = self.base + self.height * part(x, ys[i]);
                }
            })
        };
        let around = |x: f32, y: f32| (x * x + y * y).sqrt() * per_radius;
        match self.form {
            ShapeKind::Plane => fill(&|_, _| 1.0, out),
            ShapeKind::Ramp => {
                let fold = |d: f32| if wraps && d.abs() > 0.25 { 0.5f32.copysign(d) - d } else { d };
                let along = |x: f32, y: f32| (fold(x) * facing[0] + fold(y) * facing[1]) * per_radius;
                fill(&|x, y| 0.5 + 0.5 * along(x, y).clamp(-1.0, 1.0), out)
            }
            ShapeKind::Cone => fill(&|x, y| (1.0 - around(x, y)).max(0.0), out),
            ShapeKind::Dome => fill(&|x, y| (1.0 - around(x, y) * around(x, y)).max(0.0).sqrt(), out),
            ShapeKind::Crater => fill(&|x, y| crater(around(x, y)), out),
            ShapeKind::Ridge => {
                let flank = |x: f32, y: f32| {
                    let along = x * facing[0] + y * facing[1];
                    let beyond = along - along.clamp(-half_crest, half_crest);
                    let across = x * facing[1] - y * facing[0];
                    1.0 - (beyond * beyond + across * across).sqrt() * per_radius
                };
                // On wrapping terrains a copy of the crest beyond an edge can be closer than the crest itself.
                let images: &[f32] = if wraps { &[-1.0, 0.0, 1.0] } else { &[0.0] };
                let highest = |x: f32, y: f32| {
                    let places = images.iter().flat_map(|dx| images.iter().map(move |dy| (x + dx, y + dy)));
                    places.fold(0.0, |high: f32, (x, y)| high.max(flank(x, y)))
                };
                fill(&highest, out)
            }
            ShapeKind::Island => {
                fill(&|x, y| NoiseFade::Improved.weight((2.0 - 2.0 * around(x, y)).clamp(0.0, 1.0)), out)
            }
        }
    }
}

/// Height of the crater at `t` radii from the centre.
fn crater(t: f32) -> f32 {
    if t < 1.0 { (1.0 + RIM) * t * t - 1.0 } else { RIM / (t * t * t) }
}
