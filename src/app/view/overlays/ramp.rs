//! Colour ramps of the data overlays.
//!
//! Lightness changes steadily along every sequential ramp. On every diverging ramp, lightness changes steadily from the
//! middle to both ends. So readers without colour vision can also see which values are higher. The colour values are
//! our own; each ramp names the published ramp that it follows.

/// A colour ramp: sRGB colours with their positions from 0 to 1. Colours in between are interpolated.
#[derive(Debug, PartialEq)]
pub struct Ramp(pub &'static [(f32, [u8; 3])]);

/// Erosion is red-brown and deposition blue-green. After BrBG of ColorBrewer (Brewer, Hatchard and Harrower 2003).
pub static CHANGE: Ramp = Ramp(&[
    (0.00, [84, 24, 12]),
    (0.18, [150, 62, 32]),
    (0.36, [214, 152, 106]),
    (0.50, [240, 236, 226]),
    (0.64, [126, 192, 186]),
    (0.82, [24, 122, 126]),
    (1.00, [4, 56, 68]),
]);

/// Water, from pale (little) to navy (much). After oslo of Crameri (2018).
pub static WATER: Ramp = Ramp(&[
    (0.00, [206, 236, 242]),
    (0.25, [134, 198, 226]),
    (0.50, [62, 146, 204]),
    (0.75, [24, 88, 160]),
    (1.00, [8, 36, 92]),
]);

/// Loose material, from sand colour (little) to dark earth (much). After lajolla of Crameri (2018).
pub static EARTH: Ramp = Ramp(&[
    (0.00, [252, 240, 196]),
    (0.25, [236, 192, 110]),
    (0.50, [214, 124, 68]),
    (0.75, [140, 66, 54]),
    (1.00, [62, 28, 30]),
]);

/// Hardness of rock, from navy (soft) to yellow (hard). After cividis (Nuñez, Anderton and Renslow 2018).
pub static HARDNESS: Ramp = Ramp(&[
    (0.00, [2, 34, 78]),
    (0.25, [62, 78, 108]),
    (0.50, [124, 123, 120]),
    (0.75, [188, 174, 108]),
    (1.00, [253, 232, 70]),
]);

/// Plant cover, from pale yellow (bare) to deep green (overgrown). After YlGn of ColorBrewer (Brewer, Hatchard and
/// Harrower 2003).
pub static PLANTS: Ramp = Ramp(&[
    (0.00, [252, 250, 222]),
    (0.25, [202, 226, 148]),
    (0.50, [122, 186, 104]),
    (0.75, [42, 128, 70]),
    (1.00, [6, 64, 42]),
]);

/// Temperature, from deep violet (cold) over red to pale yellow (hot). After inferno (Smith and van der Walt 2015).
pub static HEAT: Ramp = Ramp(&[
    (0.00, [22, 14, 58]),
    (0.20, [84, 26, 110]),
    (0.40, [158, 46, 104]),
    (0.60, [220, 86, 62]),
    (0.80, [250, 156, 40]),
    (1.00, [252, 240, 172]),
]);

/// Moisture, from pale sand (dry) over green to deep blue (wet). After YlGnBu of ColorBrewer (Brewer, Hatchard and
/// Harrower 2003).
pub static MOISTURE: Ramp = Ramp(&[
    (0.00, [254, 246, 212]),
    (0.25, [192, 224, 178]),
    (0.50, [86, 182, 180]),
    (0.75, [32, 112, 166]),
    (1.00, [12, 38, 96]),
]);

/// Strength of a mask: two tones of violet, a colour that no terrain has.
pub static MASK: Ramp = Ramp(&[(0.00, [206, 150, 255]), (1.00, [126, 30, 224])]);

/// All other data, from navy over green and ochre to pale pink. After batlow of Crameri (2018).
pub static PLAIN: Ramp = Ramp(&[
    (0.00, [2, 26, 88]),
    (0.25, [26, 88, 96]),
    (0.50, [106, 124, 62]),
    (0.75, [220, 148, 76]),
    (1.00, [250, 204, 244]),
]);

/// Directions of the compass: north is blue, east yellow-green, south red-orange, west violet, and north blue again.
/// After romaO of Crameri (2018).
pub static COMPASS: Ramp = Ramp(&[
    (0.00, [74, 122, 178]),
    (0.25, [182, 208, 122]),
    (0.50, [190, 98, 48]),
    (0.75, [110, 52, 104]),
    (1.00, [74, 122, 178]),
]);

/// Slope from 0° to [`super::choice::STEEPEST_DEGREES`]: green, yellow, red, violet.
pub static SLOPE: Ramp = Ramp(&[
    (0.00, [63, 111, 89]),
    (0.17, [111, 174, 105]),
    (0.40, [237, 218, 97]),
    (0.60, [218, 97, 63]),
    (0.92, [129, 57, 134]),
    (1.00, [129, 57, 134]),
]);

impl Ramp {
    /// Colour of the ramp at a position from 0 to 1.
    pub fn colour(&self, at: f32) -> [u8; 3] {
        let after = self.0.iter().position(|stop| stop.0 > at).unwrap_or(self.0.len());
        let (Some(low), high) = (self.0.get(after.saturating_sub(1)), self.0.get(after)) else { return [0; 3] };
        let high = high.unwrap_or(low);
        let part = if high.0 > low.0 { ((at - low.0) / (high.0 - low.0)).clamp(0.0, 1.0) } else { 0.0 };
        std::array::from_fn(|k| {
            let (a, b) = (f32::from(low.1[k]), f32::from(high.1[k]));
            (a + (b - a) * part + 0.5) as u8
        })
    }

    /// `colours` colours at equal intervals from one end of the ramp to the other.
    pub fn table(&self, colours: usize) -> impl Iterator<Item = [u8; 3]> {
        (0..colours).map(move |k| self.colour(k as f32 / (colours - 1) as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIE lightness of an sRGB colour, from 0 to 100.
    fn lightness(colour: [u8; 3]) -> f32 {
        let [r, g, b] = colour.map(|c| {
            let c = f32::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        116.0 * y.max(0.008_856).cbrt() - 16.0
    }

    #[test]
    fn lightness_shows_the_order_without_colour() {
        for ramp in [&WATER, &EARTH, &HARDNESS, &PLANTS, &PLAIN, &HEAT, &MOISTURE] {
            let steps: Vec<f32> = ramp.table(33).map(lightness).collect();
            let sign = (steps[32] - steps[0]).signum();
            assert!(steps.windows(2).all(|pair| (pair[1] - pair[0]) * sign > 0.0), "{steps:?}");
            assert!((steps[32] - steps[0]).abs() > 50.0);
        }
        let change: Vec<f32> = CHANGE.table(33).map(lightness).collect();
        assert!(change[..17].windows(2).all(|pair| pair[0] < pair[1]));
        assert!(change[16..].windows(2).all(|pair| pair[0] > pair[1]));
    }

    #[test]
    fn a_ramp_has_its_colours_at_its_stops_and_beyond_its_ends() {
        for ramp in [&CHANGE, &WATER, &SLOPE] {
            for (at, colour) in ramp.0 {
                assert_eq!(ramp.colour(*at), *colour);
            }
            assert_eq!(ramp.colour(-1.0), ramp.0[0].1);
            assert_eq!(ramp.colour(9.0), ramp.0[ramp.0.len() - 1].1);
        }
    }
}
