//! Auto exposure: brightens an image whose visible terrain is in shade, as eyes adapt.
//!
//! Some rays through the image find points of the terrain. The maps of slopes, shadows, openness and canopy give the
//! light at these points ([`super::metering`]). The exposure depends on the mean logarithm of that light relative to
//! sunlit level terrain (Reinhard and others 2002, *Photographic tone reproduction for digital images*). The reference
//! is sunlit terrain, so evenings and nights stay dark. Nothing is read back from the graphics card: the same eye over
//! the same terrain gives the same image.

use std::time::Instant;

use super::mesh::RenderQuality;

/// Greatest brightening in stops.
pub const MOST_STOPS: f32 = 3.0;
/// Usual loss of light because of slopes and shadows, in stops below sunlit level terrain. This loss is not
/// compensated.
const USUAL_STOPS: f32 = 0.8;
/// The compensated fraction of the loss that exceeds the usual loss. The fraction is below 1, so that shade stays
/// darker than sunlit terrain.
const ADAPTED_SHARE: f32 = 0.75;
/// Range in stops around [`USUAL_STOPS`] over which the compensation sets in smoothly.
const KNEE_STOPS: f32 = 0.35;
/// Time constant of the adaptation in seconds.
const ADAPTATION_SECONDS: f32 = 0.35;
/// Remaining difference in stops at which the adaptation ends, because the eye cannot see it.
const REST_STOPS: f32 = 0.02;
/// Longest time step in seconds. The limit keeps a pause between frames from making the exposure jump.
const LONGEST_STEP_SECONDS: f32 = 0.1;

/// Number of stops by which to brighten an image. `mean_stops` is the image's mean light in stops relative to sunlit
/// level terrain.
pub fn brightening(mean_stops: f32) -> f32 {
    let missing = -mean_stops - USUAL_STOPS;
    let soft = if missing <= -KNEE_STOPS {
        0.0
    } else if missing < KNEE_STOPS {
        (missing + KNEE_STOPS) * (missing + KNEE_STOPS) / (4.0 * KNEE_STOPS)
    } else {
        missing
    };
    (ADAPTED_SHARE * soft).min(MOST_STOPS)
}

/// Mean light, in stops above the usual light, at which an image starts to count as too bright.
const BRIGHT_STOPS: f32 = 0.15;
/// Fraction of the over-exposure that is compensated. The second constant is the greatest darkening in stops.
const DIMMED_SHARE: f32 = 0.6;
const MOST_DIMMED_STOPS: f32 = 1.0;

/// Number of stops by which to darken an image under a sun higher than usual. `mean_stops` is the mean light in stops
/// relative to the usual light. Square terrains do not need this function, because their exposure already depends on
/// the elevation of their sun.
pub fn darkening(mean_stops: f32) -> f32 {
    (DIMMED_SHARE * (mean_stops - BRIGHT_STOPS)).clamp(0.0, MOST_DIMMED_STOPS)
}

/// The gradual adaptation of the view's exposure to the visible light.
#[derive(Debug, Default)]
pub struct ExposureAdaptation {
    /// Current exposure in stops and the time when it was set; `None` before the first image.
    now: Option<(f32, Instant)>,
    wanted: f32,
}

impl ExposureAdaptation {
    /// The exposure of the next frame in stops, on the way to `wanted`. Still images and frames of a software renderer
    /// use `wanted` at once.
    pub fn advance(&mut self, wanted: f32, quality: RenderQuality, is_frugal: bool) -> f32 {
        let time = Instant::now();
        self.wanted = wanted;
        let stops = match self.now {
            Some((before, at)) if quality == RenderQuality::Moving && !is_frugal => {
                let seconds = time.duration_since(at).as_secs_f32().min(LONGEST_STEP_SECONDS);
                stepped(before, wanted, seconds)
            }
            _ => wanted,
        };
        self.now = Some((stops, time));
        stops
    }

    /// Whether the wanted exposure has been reached.
    pub fn is_at_rest(&self) -> bool {
        self.now.is_none_or(|(stops, _)| stops == self.wanted)
    }
}

/// Exposure in stops after `seconds`, on the way from `before` to `wanted`. The result is `wanted` if the remaining
/// difference is invisible, so that the adaptation ends.
fn stepped(before: f32, wanted: f32, seconds: f32) -> f32 {
    let left = (before - wanted) * (-seconds / ADAPTATION_SECONDS).exp();
    if left.abs() < REST_STOPS { wanted } else { wanted + left }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sunlit_views_stay_and_shade_is_brightened_within_bounds() {
        assert_eq!(brightening(0.0), 0.0);
        assert_eq!(brightening(-0.4), 0.0);
        assert_eq!(brightening(-20.0), MOST_STOPS);
        let mut before = 0.0;
        for k in 0..800 {
            let stops = brightening(0.5 - 0.01 * k as f32);
            assert!(stops >= before && stops - before <= 0.01, "{k}: {before} {stops}");
            before = stops;
        }
        assert_eq!((darkening(0.1), darkening(-3.0), darkening(9.0)), (0.0, 0.0, MOST_DIMMED_STOPS));
        assert!(darkening(1.0) > 0.3);
        // even after brightening, shade stays darker than sunlit terrain
        assert!((0..100).all(|k| brightening(-0.06 * k as f32) < 0.06 * k as f32 + 1e-6));
    }

    #[test]
    fn exposure_settles_at_its_target() {
        let (mut stops, mut frames) = (0.0, 0);
        while stops != 2.5 {
            let next = stepped(stops, 2.5, 1.0 / 60.0);
            assert!(next > stops && next - stops < 0.2, "{stops} {next}");
            (stops, frames) = (next, frames + 1);
            assert!(frames < 200);
        }
        // the adaptation takes about two seconds
        assert!((60..150).contains(&frames), "{frames}");
        assert_eq!(stepped(1.0, 1.0, 0.0), 1.0);
    }

    #[test]
    fn single_pictures_are_exposed_at_once() {
        let mut eye = ExposureAdaptation::default();
        assert!(eye.is_at_rest());
        for (wanted, frugal) in [(1.0, false), (2.0, true), (0.5, false)] {
            let quality = if frugal { RenderQuality::Moving } else { RenderQuality::Still };
            assert_eq!(eye.advance(wanted, quality, frugal), wanted);
            assert!(eye.is_at_rest());
        }
        let stops = eye.advance(2.0, RenderQuality::Moving, false);
        assert!(stops < 2.0 && !eye.is_at_rest());
    }
}
