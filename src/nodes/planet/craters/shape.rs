//! The profile of a crater: its height above the terrain before the impact, as a function of the distance from the
//! centre.
//!
//! Law: x is the distance in radii of the rim crest. d is the depth from the crest to the floor, and h the rim height,
//! both functions of the diameter:
//! - bowl (simple): h - d(1 - x²);
//! - complex: floor at h - d out to x_f, then a terraced wall up to h. A central peak becomes a ring in larger
//!   craters, and the largest craters have a second ring at √2 radii;
//! - ejecta blanket: h·x⁻³ outside the crest (the exponent of McGetchin et al. 1973), reduced so that it ends at
//!   [`REACH`].
//!
//! Bowl and blanket meet in the crest, which is rounded. Diameters D are in km on the Moon, after Pike 1977. The depth
//! is d = 0.196 D^1.010 below 10.6 km and 1.044 D^0.301 above. The rim height is h = 0.036 D^1.014 below 21 km and
//! 0.236 D^0.399 above; the two formulas agree at 21 km. The floor is 0.187 D^1.249 wide, and the peak 0.032 D^0.900
//! high. On other bodies the transition to complex craters occurs at another diameter, and all these lengths scale with
//! that diameter.
//!
//! Sources: Pike's paper was not available. His numbers come from other programs that cite the paper (Minton's
//! cratermaker and a lunar terrain tool), and agree with the abstract of Pike 1974 (depth ≈ 0.2 D, transition at 10 to
//! 15 km). The size of the ring, 0.14 D^1.21, is quoted from memory of Baker et al. 2011 and was not checked. The
//! following conventions are ours, without a source:
//! - the smooth transition from bowl to flat floor from 8 to 20 km, and from peak to ring from 180 to 320 km;
//! - the width of the peak, 0.24 of the radius, and the height of rings relative to peaks;
//! - the outer ring at √2 radii above 300 km, and three terraces;
//! - the height of the blanket at the crest, which is the whole height of the rim. McGetchin's blanket has a height of
//!   only 0.14 R^0.74 there, with R the radius: part of a real rim is uplifted rock.
//!
//! Volume: rim and blanket of a fresh bowl hold 80 to 100 % of the bowl's volume (tested), because the blanket ends at
//! [`REACH`]. The volumes of floors, peaks and eroded craters are not balanced. Craters follow a formula for their
//! shape, not a process with a mass balance.
//!
//! Wear: creep flattens a crater as diffusion would flatten a bowl. Let τ be the product of diffusivity and time,
//! divided by the square of the radius. The depth falls as 1/(1 + 1.5τ), the sharper rim falls as 1/(1 + 4τ), and the
//! crest widens. This form of wear is from Fassett & Thomson 2014; the numbers 1.5 and 4 are our own fits.

use talweg_ground::field::smooth_step;

/// Distance in radii within which a crater changes the terrain.
pub const REACH: f32 = 5.0;
/// Height of the ejecta blanket at [`REACH`], in rim heights, before it is reduced to 0 there.
const TAIL: f32 = 1.0 / (REACH * REACH * REACH);
/// Diameter at which lunar craters become complex.
const MOON_TRANSITION_KM: f32 = 10.6;
const TERRACES: f32 = 3.0;

/// The shape of a crater. Lengths are in radii, heights in units of the caller's choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CraterShape {
    /// Height of the crest above the terrain before the impact.
    pub rim: f32,
    /// Depth from the crest to the floor.
    pub depth: f32,
    /// Complexity from 0, a bowl, to 1, a flat floor with terraced walls.
    complex: f32,
    floor: f32,
    terracing: f32,
    peak: f32,
    ring: f32,
    ring_at: f32,
    outer_ring: f32,
    /// Vertical distance over which the crest is rounded.
    crest: f32,
}

/// Properties that all craters of a terrain share.
#[derive(Clone, Copy, Debug)]
pub struct CraterLaw {
    /// Diameter in km above which craters are complex.
    pub transition_km: f32,
    /// Depth relative to the depth of craters on the Moon.
    pub depth: f32,
    /// Height of rims and blankets relative to craters on the Moon.
    pub ejecta: f32,
    /// Height of central peaks and rings relative to craters on the Moon.
    pub peaks: f32,
}

fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// A smooth step: 0 below `from`, 1 above `to`.
pub fn smooth(from: f32, to: f32, at: f32) -> f32 {
    let t = ((at - from) / (to - from)).clamp(0.0, 1.0);
    smooth_step(t)
}

/// Depth of a fresh crater from crest to floor, in km.
pub fn depth_km(diameter_km: f32, transition_km: f32) -> f32 {
    let scale = transition_km / MOON_TRANSITION_KM;
    let lunar = diameter_km / scale;
    scale * lesser(0.196 * libm::powf(lunar, 1.010), 1.044 * libm::powf(lunar, 0.301))
}

/// Height of the crest of a fresh crater above its surroundings, in km.
pub fn rim_km(diameter_km: f32, transition_km: f32) -> f32 {
    let scale = transition_km / MOON_TRANSITION_KM;
    let lunar = diameter_km / scale;
    scale * lesser(0.036 * libm::powf(lunar, 1.014), 0.236 * libm::powf(lunar, 0.399))
}

impl CraterShape {
    /// Computes the shape of a crater with wear τ = `wear`. Heights are multiplied by `heights_per_km`.
    pub fn new(diameter_km: f32, law: &CraterLaw, wear: f32, heights_per_km: f32) -> Self {
        let scale = law.transition_km / MOON_TRANSITION_KM;
        let lunar = diameter_km / scale;
        let complex = smooth(8.0, 20.0, lunar);
        let (shallowed, lowered) = (1.0 / (1.0 + 1.5 * wear), 1.0 / (1.0 + 4.0 * wear));
        let depth = depth_km(diameter_km, law.transition_km) * law.depth * heights_per_km * shallowed;
        let rim = rim_km(diameter_km, law.transition_km) * law.depth * law.ejecta * heights_per_km * lowered;
        let ringed = smooth(180.0, 320.0, lunar);
        let mut shape = Self {
            rim,
            depth,
            complex,
            floor: 0.0,
            terracing: 0.0,
            peak: 0.0,
            ring: 0.0,
            ring_at: 1.0,
            outer_ring: 0.0,
            crest: 0.1 * rim + depth * wear / (4.0 + 4.0 * wear),
        };
        if complex > 0.0 {
            let peak_km = 0.032 * libm::powf(lunar, 0.900) * scale * law.peaks * law.depth;
            // no peak rises above the rim
            let peak = lesser(peak_km * heights_per_km * shallowed, 0.9 * depth) * complex;
            shape.floor = lesser(0.187 * libm::powf(lunar, 0.249), 0.8);
            shape.terracing = 0.75 * lowered;
            shape.peak = peak * (1.0 - ringed);
            shape.ring = lesser(0.6 * peak, 0.4 * depth) * ringed;
            shape.ring_at = lesser(0.14 * libm::powf(lunar, 0.21), 0.65);
            shape.outer_ring = 0.5 * rim * law.peaks.clamp(0.0, 1.0) * smooth(300.0, 500.0, lunar);
        }
        shape
    }

    /// Height of the floor relative to the terrain before the impact; negative.
    pub fn bottom(&self) -> f32 {
        self.rim - self.depth
    }

    /// Height of the crater wall as a fraction of its full height. `t` is 0 at the foot of the wall and 1 at the crest.
    fn wall(&self, t: f32, ragged: f32) -> f32 {
        if t <= 0.0 {
            return 0.0;
        }
        let mut stepped = t;
        if t < 1.0 {
            // Around the crater, the terraces are at different heights; foot and crest of the wall stay in place.
            let at = t * TERRACES + 2.4 * ragged * t * (1.0 - t);
            let step = at as i32 as f32;
            let within = at - step;
            let rise = within * within * within * (within * (within * 6.0 - 15.0) + 10.0);
            stepped = t + self.terracing * (1.0 + ragged) * ((step + rise - at) / TERRACES);
        }
        stepped * (0.6 + 0.4 * stepped)
    }

    /// Height inside the crest, where the crest is `rim` high. `ragged`, from -1 to 1, varies peaks and rings around
    /// the crater.
    #[inline]
    fn height_inside(&self, x: f32, rim: f32, ragged: f32) -> f32 {
        let bowl = rim - self.depth * (1.0 - x * x);
        if self.complex <= 0.0 {
            return bowl;
        }
        let floor = self.rim - self.depth;
        let mut made = floor + (rim - floor) * self.wall((x - self.floor) / (1.0 - self.floor), ragged);
        if self.peak > 0.0 {
            // The flanks of the peak are irregular, but there is a single summit.
            made += self.peak * hump(x / (0.24 * (1.0 + 1.2 * ragged * smooth(0.0, 0.2, x))));
        }
        if self.ring > 0.0 {
            made +=
                self.ring * greater(1.0 + 1.8 * ragged, 0.0) * hump((x - self.ring_at * (1.0 + 0.08 * ragged)) / 0.1);
        }
        bowl + self.complex * (made - bowl)
    }

    /// Height near the crater, at a distance of `x` radii, relative to the terrain before the impact. `ragged`, from -1
    /// to 1, is the irregularity of the rim.
    #[inline]
    pub fn height_near(&self, x: f32, ragged: f32) -> f32 {
        let x = greater(x, 0.0);
        let rim = self.rim * (1.0 + 0.9 * ragged * smooth(0.6, 1.0, x));
        if x < 0.4 {
            return self.height_inside(x, rim, ragged);
        }
        let (inner, outer) = (self.height_inside(x, rim, ragged), blanket(x * x) * rim);
        // The curves of the bowl and the blanket both continue beyond the crest; the higher curve counts.
        let near = self.crest - (inner - outer).abs();
        let round = if near > 0.0 { near * near / (4.0 * self.crest) } else { 0.0 };
        let mut height = lesser(inner, outer) - round;
        if self.outer_ring > 0.0 {
            height += self.outer_ring * (1.0 + 0.6 * ragged) * hump((x - std::f32::consts::SQRT_2) / 0.14);
        }
        height
    }

    /// Thickness of the ejecta blanket far from the crater; `square` is the square of the distance in radii.
    #[inline(always)]
    pub fn far(&self, square: f32) -> f32 {
        self.rim * blanket(square)
    }
}

/// Height of the ejecta blanket in rim heights, given the square of the distance in radii; 0 at [`REACH`].
#[inline(always)]
fn blanket(square: f32) -> f32 {
    (1.0 / (square * square.sqrt()) - TAIL) * (1.0 / (1.0 - TAIL))
}

/// A smooth bump of height 1 between -1 and 1.
#[inline(always)]
fn hump(t: f32) -> f32 {
    let rest = 1.0 - t * t;
    if rest > 0.0 { rest * rest } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOON: CraterLaw = CraterLaw { transition_km: MOON_TRANSITION_KM, depth: 1.0, ejecta: 1.0, peaks: 1.0 };

    /// Returns the highest value of the profile, the distance at which it occurs, and the lowest value.
    fn extent(shape: &CraterShape) -> (f32, f32, f32) {
        let heights = (0..=2000).map(|k| (k as f32 / 1000.0, shape.height_near(k as f32 / 1000.0, 0.0)));
        heights.fold((f32::MIN, 0.0, f32::MAX), |(top, at, low), (x, h)| {
            if h > top { (h, x, lesser(low, h)) } else { (top, at, lesser(low, h)) }
        })
    }

    /// The profile matches Pike's formulas, except for the rounding of the crest.
    #[test]
    fn fresh_craters_have_the_published_depths_and_rims() {
        for (diameter, depth, rim) in
            [(1.0, 0.196, 0.036), (5.0, 0.9959, 0.1842), (40.0, 3.169, 1.0282), (90.0, 4.045, 1.421)]
        {
            let shape = CraterShape::new(diameter, &MOON, 0.0, 1.0);
            let (top, at, low) = extent(&shape);
            assert!((top / rim - 1.0).abs() < 0.04, "{diameter} km: rim {top}, published {rim}");
            assert!(((top - low) / depth - 1.0).abs() < 0.04, "{diameter} km: depth {}, published {depth}", top - low);
            assert!((at - 1.0).abs() < 0.03, "{diameter} km: crest at {at}");
        }
    }

    #[test]
    fn the_blanket_thins_with_the_cube_of_the_distance_and_ends() {
        let shape = CraterShape::new(2.0, &MOON, 0.0, 1.0);
        for x in [1.5f32, 2.0, 3.0] {
            let ratio = shape.far(x * x) / shape.rim * x * x * x;
            assert!((0.75..=1.01).contains(&ratio), "{x}: {ratio}");
            assert!((shape.height_near(x, 0.0) - shape.far(x * x)).abs() < 1e-3 * shape.rim);
        }
        assert!(shape.far(REACH * REACH).abs() < 1e-7 * shape.rim);
    }

    /// The volume of blanket and rim equals the volume of the bowl to within a fifth. Most of the difference is due to
    /// the end of the blanket at [`REACH`].
    #[test]
    fn a_bowl_throws_out_about_what_it_held() {
        for diameter in [0.2, 1.0, 5.0] {
            let shape = CraterShape::new(diameter, &MOON, 0.0, 1.0);
            let (mut dug, mut thrown) = (0.0f64, 0.0f64);
            let step = 1.0e-4f32;
            for k in 0..(REACH / step) as usize {
                let x = (k as f32 + 0.5) * step;
                let part = f64::from(shape.height_near(x, 0.0) * x * step);
                if part < 0.0 { dug -= part } else { thrown += part }
            }
            assert!((0.8..1.0).contains(&(thrown / dug)), "{diameter} km: {}", thrown / dug);
        }
    }

    #[test]
    fn large_craters_have_flat_floors_peaks_and_then_rings() {
        let at = |diameter: f32, x: f32| CraterShape::new(diameter, &MOON, 0.0, 1.0).height_near(x, 0.0);
        assert!((at(60.0, 0.3) - at(60.0, 0.4)).abs() < 1e-3, "the floor is flat");
        assert!(at(60.0, 0.0) > at(60.0, 0.35) + 1.0, "a peak of more than 1 km");
        assert!(at(60.0, 0.0) < at(60.0, 1.0), "below the rim");
        let ringed = CraterShape::new(350.0, &MOON, 0.0, 1.0);
        assert!(
            ringed.height_near(ringed.ring_at, 0.0) > ringed.height_near(0.0, 0.0) + 0.3,
            "a ring around a flat middle"
        );
        // A terrace is a part of the wall that is much less steep than the mean of the wall.
        let wall: Vec<f32> = (60..100).map(|k| at(60.0, k as f32 / 100.0)).collect();
        let mean = (wall[39] - wall[0]) / 39.0;
        assert!(wall.windows(2).any(|w| w[1] - w[0] < 0.4 * mean) && wall.windows(2).any(|w| w[1] - w[0] > 1.6 * mean));
    }

    #[test]
    fn wear_lowers_the_rim_more_than_it_fills_the_bowl() {
        let (fresh, old) = (CraterShape::new(3.0, &MOON, 0.0, 1.0), CraterShape::new(3.0, &MOON, 1.0, 1.0));
        assert!(old.depth < 0.5 * fresh.depth && old.rim / fresh.rim < old.depth / fresh.depth);
    }
}
