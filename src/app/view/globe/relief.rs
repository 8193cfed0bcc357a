//! Vertical exaggeration of the relief, depending on the height of the eye. Seen from space, mountains are exaggerated
//! so that they are visible; seen from the surface, mountains have their actual height.
//!
//! The factor is E(a) = 1 + (E₀ - 1) · x² / (1 + x²) with x = a / a₀. Here a is the height of the eye over the radius,
//! and E₀ is the exaggeration from far away. At the height a₀, E - 1 is half of E₀ - 1. The factor depends on the eye's
//! height alone, so the terrain does not move while the eye travels along the surface. a₀ is large enough that a
//! descending eye always comes nearer to the highest terrain. So a mountain never grows into the eye.

use talweg::preferences::GlobeView;

/// Height of the eye, as a multiple of the globe's radius, at which half of the exaggeration remains.
const HALF_RADII: f64 = 0.08;
/// Greatest drawn relief as a fraction of the globe's radius. With a greater relief, a small planet would not look
/// round.
const HIGHEST_SHARE: f64 = 1.0 / 30.0;
/// Least height of the eye at which half of the exaggeration remains. The unit is the height that the exaggeration adds
/// to the highest terrain. The steepest slope of x² / (1 + x²) is 0.65. This constant is twice that slope, so the
/// terrain rises at most half as fast as the eye.
const HALF_RELIEFS: f64 = 1.3;

/// The vertical exaggeration of one planet, as a function of the eye's height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exaggeration {
    /// Greatest vertical exaggeration, as seen from far away.
    pub most: f64,
    /// Height of the eye over the radius, in metres, at which half of the exaggeration remains; 0 for constant
    /// exaggeration.
    half_metres: f64,
}

impl Exaggeration {
    /// Exaggeration for a planet. The last argument holds the heights of its lowest and highest terrain over the
    /// radius, in metres.
    pub fn new(view: &GlobeView, radius: f64, (lowest, highest): (f64, f64)) -> Self {
        let relief = (highest - lowest).max(1e-3);
        let most = f64::from(view.exaggeration).min((HIGHEST_SHARE * radius / relief).max(1.0)).max(1.0);
        let top = highest.max(0.0);
        let half_metres = (HALF_RADII * radius).max(HALF_RELIEFS * top * (most - 1.0));
        Self { most, half_metres: if view.true_nearby { half_metres } else { 0.0 } }
    }

    /// Vertical exaggeration for an eye at `height` metres over the radius.
    pub fn factor_at(&self, height: f64) -> f64 {
        if self.half_metres <= 0.0 {
            return self.most;
        }
        let x = height.max(0.0) / self.half_metres;
        1.0 + (self.most - 1.0) * (1.0 - 1.0 / (1.0 + x * x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn earth(exaggeration: f32) -> Exaggeration {
        let view = GlobeView { exaggeration, ..GlobeView::default() };
        Exaggeration::new(&view, 6.371e6, (-9000.0, 9000.0))
    }

    #[test]
    fn mountains_are_true_nearby_and_exaggerated_from_space() {
        let law = earth(10.0);
        assert!(law.factor_at(-4000.0) == 1.0 && law.factor_at(0.0) == 1.0);
        assert!(law.factor_at(12_000.0) < 1.01 && law.factor_at(60_000.0) < 1.2);
        assert!(law.factor_at(1.5e7) > 9.9 && law.most == 10.0);
        let flat = Exaggeration::new(&GlobeView { true_nearby: false, ..GlobeView::default() }, 1e6, (0.0, 100.0));
        assert_eq!(flat.factor_at(10.0), 12.0);
    }

    #[test]
    fn mountains_never_grow_into_a_descending_eye() {
        for (exaggeration, radius, top) in [(12.0, 6.371e6, 9000.0), (500.0, 6.371e6, 300.0), (40.0, 2e5, 12_000.0)] {
            let view = GlobeView { exaggeration, ..GlobeView::default() };
            let law = Exaggeration::new(&view, radius, (0.0, top));
            let room = |height: f64| height - top * law.factor_at(height);
            let heights: Vec<f64> = (0..4000).map(|k| top * 1.004f64.powi(k)).collect();
            for pair in heights.windows(2) {
                let (low, high) = (room(pair[0]), room(pair[1]));
                assert!(high - low > 0.4 * (pair[1] - pair[0]), "{} m over {radius}", pair[0]);
            }
        }
    }

    #[test]
    fn a_small_planet_stays_round() {
        let view = GlobeView { exaggeration: 12.0, ..GlobeView::default() };
        let moon = Exaggeration::new(&view, 1.737e6, (-9000.0, 9000.0));
        assert!(moon.most * 18_000.0 < 0.034 * 1.737e6 && moon.most > 3.0);
        // relief that exceeds the limit even without exaggeration is drawn unexaggerated
        assert_eq!(Exaggeration::new(&view, 1e5, (0.0, 30_000.0)).most, 1.0);
    }
}
