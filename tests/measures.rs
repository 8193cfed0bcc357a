//! Measures.
#![allow(clippy::disallowed_methods, reason = "no height depends on what a test measures")]
mod brownian;
use talweg::nodes::Control;

#[test]
fn probe() {
    for h in [0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9] {
        for seed in 1..5 {
            let t = brownian::brownian(if h > 0.75 { 360 } else { 512 }, h, seed);
            let [v, b] = talweg::measure::probe(&t, &Control::default());
            println!(
                "H {h} D {:.2}: variogram {:.3} boxes {:.3} r2 {:.4} {}",
                3.0 - h,
                3.0 - v.line.slope / 2.0,
                -b.line.slope,
                b.line.r_squared,
                b.points.len()
            );
        }
    }
}
