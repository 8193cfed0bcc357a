//! What the ground of a disc is like: level, hills, ridged mountains or dunes, as sums of noise.
//!
//! Laws, with η the noise, s = 1/size, gᵢ = roughnessⁱ, and every octave turned by the angle of the 3-4-5 triangle:
//! hills Σ gᵢ η(2ⁱ s p); ridged Σ gᵢ wᵢ rᵢ with rᵢ = (1 - √(ηᵢ² + ε²))² and wᵢ = rᵢ₋₁(2 - rᵢ₋₁), so that only crests
//! carry smaller crests (after Musgrave, Kolb & Mace 1989; ε rounds their edge by a hair);
//! dunes P(φ)·m with φ = u s + 0.55 η(s p / 2.6), u the way down the wind, P a gentle rise t²(2 - t) over 0.72 of the wave
//! and a lee slope (1 - t)² behind a sharp crest, m = ½ + ½η(s p / 4).
//! Bounds: of a product |∇(ab)| ≤ |∇a| sup b + sup a |∇b|, of a sum the sum.
//! Source: document 004, §4.1 and §7.2.1.

use super::answer::Detail;
use super::noise::Noise;
use super::plane::{Affine, Point, Range, Stretch, dot, higher, lower};
use super::rows::LANES;

crate::choices! {
    /// What the ground is like.
    Surface {
        Level "Level": "Flat: a plain, a plateau, a floor to build on.",
        Hills "Hills": "Rounded heights and hollows.",
        Ridged "Mountains": "Sharp crests with smaller crests on them.",
        Dunes "Dunes": "Waves of sand: gentle to windward, steep in the lee.",
    }
}

/// Share of a dune's wave that rises.
const WINDWARD: f64 = 0.72;
/// How far the crests of dunes wander, in waves, and over how many waves.
const WANDER: f64 = 0.55;
const WANDER_WAVES: f64 = 2.6;
/// Waves over which the height of dunes changes.
const SWELL_WAVES: f64 = 4.0;
/// Rounds the crests of ridges: ε².
const EDGE: f64 = 4e-4;

/// A [`Surface`] with its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form {
    /// What kind it is.
    pub surface: Surface,
    /// Height from the mean to the crests, about, in metres.
    pub amplitude: f64,
    /// Length of the largest waves.
    pub size: f64,
    /// Number of octaves.
    pub octaves: usize,
    /// Height of each octave beside the one before.
    pub roughness: f64,
    /// Where the wind blows to.
    pub wind: Point,
}

/// The ground over the plan.
#[derive(Clone, Debug)]
pub struct Ground {
    form: Form,
    seed: u32,
    octaves: Vec<Octave>,
}

#[derive(Clone, Debug)]
struct Octave {
    amplitude: f64,
    frequency: f64,
    /// From metres into waves.
    map: Affine,
    noise: Noise,
}

impl Octave {
    #[inline]
    fn at<const G: bool>(&self, p: Point) -> (f64, Point) {
        let (value, gradient) = self.noise.at::<G>(self.map.at(p));
        (value, if G { self.map.pull(gradient) } else { [0.0; 2] })
    }

    fn over(&self, stretch: &Stretch) -> (Range, f64) {
        let Stretch { from, to, pad } = *stretch;
        let waves = Stretch { from: self.map.at(from), to: self.map.at(to), pad: pad * self.frequency };
        let (range, slope) = self.noise.over(&waves);
        (range, slope * self.frequency)
    }
}

impl Ground {
    /// `seed` chooses the hills.
    pub fn new(form: Form, seed: u32) -> Self {
        let count = match form.surface {
            Surface::Level => 0,
            Surface::Hills | Surface::Ridged => form.octaves,
            Surface::Dunes => 2,
        };
        let mut turn = [[1.0, 0.0], [0.0, 1.0]];
        let mut octaves = Vec::with_capacity(count);
        let (mut frequency, mut amplitude) = (1.0 / form.size, form.amplitude);
        for k in 0..count {
            if form.surface == Surface::Dunes {
                frequency = 1.0 / (form.size * if k == 0 { WANDER_WAVES } else { SWELL_WAVES });
            }
            let seed = seed.wrapping_add(0x9e37_79b9u32.wrapping_mul(k as u32 + 1));
            // lattice points are level: no two octaves have them at the same place
            let shift = f64::from(seed >> 8) * (1.0 / 16_777_216.0);
            octaves.push(Octave {
                amplitude,
                frequency,
                map: Affine {
                    rows: [
                        [turn[0][0] * frequency, turn[0][1] * frequency],
                        [turn[1][0] * frequency, turn[1][1] * frequency],
                    ],
                    offset: [0.5 + shift, 0.25 - shift],
                },
                noise: Noise::new(seed),
            });
            frequency *= 2.0;
            amplitude *= form.roughness;
            turn = turn.map(|[a, b]| [0.8 * a - 0.6 * b, 0.6 * a + 0.8 * b]);
        }
        Self { form, seed, octaves }
    }

    /// What it was made from.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The number that chooses its octaves.
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// Height above the level of the disc, and its gradient if asked for, at `p` from the disc's centre.
    #[inline]
    pub fn at<const G: bool>(&self, p: Point, detail: &Detail) -> (f64, Point) {
        match self.form.surface {
            Surface::Level => (0.0, [0.0; 2]),
            Surface::Hills => self.hills::<G>(p, detail),
            Surface::Ridged => self.ridged::<G>(p, detail),
            Surface::Dunes => self.dunes::<G>(p, detail),
        }
    }

    /// Heights along a row of places from the disc's centre.
    pub fn row(&self, xs: &[f64], ys: &[f64], detail: &Detail, out: &mut [f64]) {
        let n = xs.len();
        match self.form.surface {
            Surface::Level => out.fill(0.0),
            Surface::Hills => {
                out.fill(0.0);
                let mut values = [0.0; LANES];
                for (octave, amplitude) in self.shown(detail) {
                    octave.noise.row(&octave.map, xs, ys, &mut values[..n]);
                    out.iter_mut().zip(&values).for_each(|(height, value)| *height += amplitude * value);
                }
            }
            Surface::Ridged => {
                out.fill(0.0);
                let (mut values, mut weights) = ([0.0; LANES], [1.0; LANES]);
                for (octave, amplitude) in self.shown(detail) {
                    octave.noise.row(&octave.map, xs, ys, &mut values[..n]);
                    for ((height, value), weight) in out.iter_mut().zip(&values).zip(&mut weights) {
                        let below = 1.0 - (value * value + EDGE).sqrt();
                        let ridge = below * below;
                        *height += amplitude * *weight * ridge;
                        *weight = ridge * (2.0 - ridge);
                    }
                }
            }
            Surface::Dunes => {
                let amplitude = self.dune_amplitude(detail);
                if amplitude == 0.0 {
                    out.fill(0.0);
                    return;
                }
                let (mut wanders, mut swells) = ([0.0; LANES], [0.0; LANES]);
                self.octaves[0].noise.row(&self.octaves[0].map, xs, ys, &mut wanders[..n]);
                self.octaves[1].noise.row(&self.octaves[1].map, xs, ys, &mut swells[..n]);
                let per_size = 1.0 / self.form.size;
                for (k, height) in out.iter_mut().enumerate() {
                    let wave = wave(dot([xs[k], ys[k]], self.form.wind) * per_size + WANDER * wanders[k]).0;
                    *height = amplitude * wave * (0.5 + 0.5 * swells[k]);
                }
            }
        }
    }

    fn dune_amplitude(&self, detail: &Detail) -> f64 {
        self.form.amplitude * detail.share(0, 1, self.form.size)
    }

    /// Range of the height and bound of its gradient.
    pub fn over(&self, stretch: &Stretch, detail: &Detail) -> (Range, f64) {
        match self.form.surface {
            Surface::Level => (Range::one(0.0), 0.0),
            Surface::Hills => self.hills_over(stretch, detail),
            Surface::Ridged => self.ridged_over(stretch, detail),
            Surface::Dunes => self.dunes_over(stretch, detail),
        }
    }

    /// The octaves to be summed, with their amplitudes.
    fn shown<'a>(&'a self, detail: &'a Detail) -> impl Iterator<Item = (&'a Octave, f64)> {
        let count = self.octaves.len();
        self.octaves.iter().enumerate().map_while(move |(k, octave)| {
            let share = detail.share(k, count, 1.0 / octave.frequency);
            (share > 0.0).then_some((octave, octave.amplitude * share))
        })
    }

    fn hills<const G: bool>(&self, p: Point, detail: &Detail) -> (f64, Point) {
        let (mut height, mut slope) = (0.0, [0.0; 2]);
        for (octave, amplitude) in self.shown(detail) {
            let (value, gradient) = octave.at::<G>(p);
            height += amplitude * value;
            if G {
                slope = [slope[0] + amplitude * gradient[0], slope[1] + amplitude * gradient[1]];
            }
        }
        (height, slope)
    }

    fn hills_over(&self, stretch: &Stretch, detail: &Detail) -> (Range, f64) {
        let mut sum = (Range::one(0.0), 0.0);
        for (octave, amplitude) in self.shown(detail) {
            let (range, slope) = octave.over(stretch);
            sum = (sum.0.plus(range.times(amplitude)), sum.1 + amplitude.abs() * slope);
        }
        sum
    }

    fn ridged<const G: bool>(&self, p: Point, detail: &Detail) -> (f64, Point) {
        let (mut height, mut slope) = (0.0, [0.0; 2]);
        let (mut weight, mut dweight) = (1.0, [0.0; 2]);
        for (octave, amplitude) in self.shown(detail) {
            let (value, gradient) = octave.at::<G>(p);
            let root = (value * value + EDGE).sqrt();
            let below = 1.0 - root;
            let ridge = below * below;
            height += amplitude * weight * ridge;
            if G {
                let turn = -2.0 * below * value / root;
                for k in 0..2 {
                    let dridge = turn * gradient[k];
                    slope[k] += amplitude * (dweight[k] * ridge + weight * dridge);
                    dweight[k] = 2.0 * (1.0 - ridge) * dridge;
                }
            }
            weight = ridge * (2.0 - ridge);
        }
        (height, slope)
    }

    fn ridged_over(&self, stretch: &Stretch, detail: &Detail) -> (Range, f64) {
        let mut sum = (Range::one(0.0), 0.0);
        let (mut weight, mut dweight) = (Range::one(1.0), 0.0);
        for (octave, amplitude) in self.shown(detail) {
            let (value, steep) = octave.over(stretch);
            let nearest =
                if value.low <= 0.0 && value.high >= 0.0 { 0.0 } else { lower(value.low.abs(), value.high.abs()) };
            let root = Range::new((nearest * nearest + EDGE).sqrt(), (value.reach() * value.reach() + EDGE).sqrt());
            let below = Range::new(1.0 - root.high, 1.0 - root.low);
            // below may dip under 0 by less than ε²/2, where its square is next to nothing
            let ridge = Range::new(
                if below.low > 0.0 { below.low * below.low } else { 0.0 },
                higher(below.high * below.high, EDGE * EDGE),
            );
            let dridge = 2.0 * higher(below.reach(), EDGE) * (value.reach() / root.high) * steep;
            sum.0 = sum.0.plus(weight.product(ridge).times(amplitude));
            sum.1 += amplitude.abs() * (dweight * ridge.high + weight.high * dridge);
            dweight = 2.0 * (1.0 - ridge.low) * dridge;
            let of = |r: f64| r * (2.0 - r);
            weight = Range::new(of(ridge.low), of(ridge.high));
        }
        sum
    }

    fn dunes<const G: bool>(&self, p: Point, detail: &Detail) -> (f64, Point) {
        let amplitude = self.dune_amplitude(detail);
        if amplitude == 0.0 {
            return (0.0, [0.0; 2]);
        }
        let per_size = 1.0 / self.form.size;
        let (wander, dwander) = self.octaves[0].at::<G>(p);
        let (swell, dswell) = self.octaves[1].at::<G>(p);
        let (wave, dwave) = wave(dot(p, self.form.wind) * per_size + WANDER * wander);
        let height = 0.5 + 0.5 * swell;
        let slope = |k: usize| {
            let dphase = self.form.wind[k] * per_size + WANDER * dwander[k];
            amplitude * (dwave * dphase * height + wave * 0.5 * dswell[k])
        };
        (amplitude * wave * height, if G { [slope(0), slope(1)] } else { [0.0; 2] })
    }

    fn dunes_over(&self, stretch: &Stretch, detail: &Detail) -> (Range, f64) {
        let amplitude = self.dune_amplitude(detail);
        if amplitude == 0.0 {
            return (Range::one(0.0), 0.0);
        }
        let per_size = 1.0 / self.form.size;
        let (wander, dwander) = self.octaves[0].over(stretch);
        let (swell, dswell) = self.octaves[1].over(stretch);
        let ends = [stretch.from, stretch.to].map(|p| dot(p, self.form.wind) * per_size);
        let along = Range::new(lower(ends[0], ends[1]), higher(ends[0], ends[1]));
        let phase = Range::new(along.low - stretch.pad * per_size, along.high + stretch.pad * per_size)
            .plus(wander.times(WANDER))
            .loosened();
        let (wave, dwave) = wave_over(phase);
        let height = Range::new(0.5 + 0.5 * swell.low, 0.5 + 0.5 * swell.high);
        let dphase = per_size + WANDER * dwander;
        let slope = amplitude.abs() * (dwave * dphase * height.high + wave.high * 0.5 * dswell);
        (wave.product(height).times(amplitude), slope)
    }
}

/// A dune's wave and its derivative at a phase.
fn wave(phase: f64) -> (f64, f64) {
    let t = phase - libm::floor(phase);
    if t < WINDWARD {
        let t = t / WINDWARD;
        (t * t * (2.0 - t), t * (4.0 - 3.0 * t) / WINDWARD)
    } else {
        let left = (1.0 - t) / (1.0 - WINDWARD);
        (left * left, -2.0 * left / (1.0 - WINDWARD))
    }
}

/// Range of the wave and of its steepness over phases.
fn wave_over(phase: Range) -> (Range, f64) {
    const LEE: f64 = 2.0 / (1.0 - WINDWARD);
    let first = libm::floor(phase.low);
    let (low, high) = (phase.low - first, phase.high - first);
    if high >= 1.0 {
        let lowest = 0.0;
        let crest = low <= WINDWARD || high >= 1.0 + WINDWARD;
        let highest = if crest { 1.0 } else { higher(wave(low).0, wave(high).0) };
        return (
            Range::new(lowest, highest),
            if crest { LEE } else { higher(wave(low).1.abs(), 4.0 / 3.0 / WINDWARD) },
        );
    }
    let (a, b) = (wave(low), wave(high));
    if low < WINDWARD && high >= WINDWARD {
        return (Range::new(lower(a.0, b.0), 1.0), LEE);
    }
    if high < WINDWARD {
        // steepest at two thirds of the rise
        let steepest = lower(higher(WINDWARD * (2.0 / 3.0), low), high);
        return (Range::new(a.0, b.0), wave(steepest).1 * (1.0 + 1e-12));
    }
    (Range::new(b.0, a.0), a.1.abs())
}
