//! Ground forms of a disc: level, hills, ridged mountains or dunes, as sums of noise.
//!
//! Let η be the noise at a position p, aᵢ the height of octave i and sᵢ its frequency, the inverse of its wavelength.
//! These are amplitude · roughnessⁱ and 2ⁱ/size, or the numbers of lists. Let ηᵢ = η(sᵢ p). Every octave is rotated
//! against the previous octave by the smaller angle of the 3-4-5 triangle.
//! - Hills: Σ aᵢ ηᵢ bᵢ(κ). The factor bᵢ rises from 0 to 1 over an interval of the level of detail κ.
//! - Ridged: Σ aᵢ bᵢ(κ) wᵢ rᵢ with rᵢ = (1 - √(ηᵢ² + ε²))² and wᵢ = rᵢ₋₁(2 - rᵢ₋₁), so that only crests have
//!   smaller crests (after Musgrave, Kolb & Mace 1989). ε rounds the crests slightly.
//! - Dunes: the height is P(φ)·m with the phase φ = u s + 0.55 η(s p / 2.6), where u is the distance downwind and
//!   s = 1/size. P is the
//!   profile of a dune: a gentle rise t²(2 - t) over 0.72 of the wavelength, then a lee slope (1 - t)² behind a sharp
//!   crest. t runs from 0 to 1 over each part. The factor
//!   m = ½ + ½η(s p / 4) varies the height of the dunes.
//!
//! Bounds: the bound of a product ab is |∇(ab)| ≤ |∇a| sup b + sup a |∇b|. The bound of a sum is the sum of the bounds
//! of its terms.
//! Source: Génevaux et al. 2014, §4.1, §6 (bᵢ) and §7.2.1.

use super::noise::{ReliefNoise, floor};
use crate::geometry::plane::{Affine, Capsule, Interval, Point, dot, higher, lower};
use crate::row_samples::LANES;
use crate::sample::{Detail, OctaveFade};

talweg_ground::choices! {
    /// Forms of a disc's ground: level, hills, ridged mountains or dunes.
    ReliefStyle {
        Level "Level": "Flat ground: a plain, a plateau, or a base for other features.",
        Hills "Hills": "Rounded hills and hollows.",
        Ridged "Mountains": "Sharp crests with smaller crests on them.",
        Dunes "Dunes": "Sand dunes with gentle windward slopes and steep lee slopes.",
    }
}

impl ReliefStyle {
    /// Whether the form is a sum of octaves, whose number and values the user sets.
    pub fn has_octaves(self) -> bool {
        matches!(self, Self::Hills | Self::Ridged)
    }
}

/// Fraction of a dune's wavelength over which the ground rises: its windward side.
const WINDWARD: f64 = 0.72;
/// Maximum shift of dune crests along the wind direction, as a multiple of the dunes' wavelength. `WANDER_WAVES` is the
/// wavelength of this shift, in the same unit.
const WANDER: f64 = 0.55;
const WANDER_WAVES: f64 = 2.6;
/// Wavelength of the changes in dune height, as a multiple of the dunes' wavelength.
const SWELL_WAVES: f64 = 4.0;
/// The constant ε², which rounds the crests of ridges.
const EDGE: f64 = 4e-4;

/// A [`ReliefStyle`] with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct ReliefParams {
    /// Form of the ground: level, hills, ridged mountains or dunes.
    pub surface: ReliefStyle,
    /// Approximate height from the mean to the crests, in metres.
    pub amplitude: f64,
    /// Largest wavelength, in metres.
    pub size: f64,
    /// Number of octaves.
    pub octaves: usize,
    /// Amplitude of each octave relative to the previous one.
    pub roughness: f64,
    /// Unit vector in the direction towards which the wind blows.
    pub wind: Point,
    /// Numbers that replace the values of the first octaves of hills and ridges.
    pub lists: OctaveLists,
}

/// Values of single octaves, beginning with octave 0. Octaves beyond the end of a list follow the rules of
/// [`ReliefParams`]: each has half the wavelength of the previous octave, and its amplitude times the roughness.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OctaveLists {
    /// Amplitudes aᵢ in metres.
    pub amplitudes: Vec<f64>,
    /// Wavelengths 1/sᵢ in metres.
    pub wavelengths: Vec<f64>,
    /// Intervals of the level of detail κ, from 0 to 1, over which the octaves fade in.
    pub intervals: Vec<[f64; 2]>,
}

impl OctaveLists {
    /// Whether all octaves follow the rules, so that each is finer than the previous octave.
    fn is_empty(&self) -> bool {
        self.amplitudes.is_empty() && self.wavelengths.is_empty() && self.intervals.is_empty()
    }
}

/// Ground heights as a function of position.
#[derive(Clone, Debug)]
pub struct ReliefField {
    form: ReliefParams,
    seed: u32,
    octaves: Vec<ReliefOctave>,
}

#[derive(Clone, Debug)]
struct ReliefOctave {
    amplitude: f64,
    frequency: f64,
    fade: OctaveFade,
    /// Map from positions in metres to positions in wavelengths of the octave.
    map: Affine,
    noise: ReliefNoise,
}

impl ReliefOctave {
    #[inline]
    fn sample<const G: bool>(&self, p: Point) -> (f64, Point) {
        let (value, gradient) = self.noise.sample::<G>(self.map.apply(p));
        (value, if G { self.map.pull_back(gradient) } else { [0.0; 2] })
    }

    fn bounds(&self, capsule: &Capsule) -> (Interval, f64) {
        let Capsule { from, to, pad } = *capsule;
        let waves = Capsule { from: self.map.apply(from), to: self.map.apply(to), pad: pad * self.frequency };
        let (range, slope) = self.noise.bounds(&waves);
        (range, slope * self.frequency)
    }
}

impl ReliefField {
    /// Prepares the octaves; `seed` selects the random values.
    pub fn new(form: ReliefParams, seed: u32) -> Self {
        let count = match form.surface {
            ReliefStyle::Level => 0,
            ReliefStyle::Hills | ReliefStyle::Ridged => form.octaves,
            ReliefStyle::Dunes => 2,
        };
        let mut turn = [[1.0, 0.0], [0.0, 1.0]];
        let mut octaves = Vec::with_capacity(count);
        let (mut frequency, mut amplitude) = (1.0 / form.size, form.amplitude);
        let lists = if form.surface == ReliefStyle::Dunes { OctaveLists::default() } else { form.lists.clone() };
        for k in 0..count {
            frequency = lists.wavelengths.get(k).map_or(frequency, |wavelength| 1.0 / wavelength);
            amplitude = lists.amplitudes.get(k).copied().unwrap_or(amplitude);
            if form.surface == ReliefStyle::Dunes {
                frequency = 1.0 / (form.size * if k == 0 { WANDER_WAVES } else { SWELL_WAVES });
            }
            let seed = seed.wrapping_add(0x9e37_79b9u32.wrapping_mul(k as u32 + 1));
            // noise is 0 at lattice points: shift each octave so that the lattice points of different octaves do not
            // coincide
            let shift = f64::from(seed >> 8) * (1.0 / 16_777_216.0);
            octaves.push(ReliefOctave {
                amplitude,
                frequency,
                fade: match lists.intervals.get(k) {
                    Some(interval) => OctaveFade::from_interval(*interval),
                    None => OctaveFade::of_octave(k, count),
                },
                map: Affine {
                    rows: [
                        [turn[0][0] * frequency, turn[0][1] * frequency],
                        [turn[1][0] * frequency, turn[1][1] * frequency],
                    ],
                    offset: [0.5 + shift, 0.25 - shift],
                },
                noise: ReliefNoise::new(seed),
            });
            frequency *= 2.0;
            amplitude *= form.roughness;
            turn = turn.map(|[a, b]| [0.8 * a - 0.6 * b, 0.6 * a + 0.8 * b]);
        }
        Self { form, seed, octaves }
    }

    /// The parameters from which these ground heights were prepared.
    pub fn form(&self) -> &ReliefParams {
        &self.form
    }

    /// The seed of the octaves.
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// Amplitude in metres, wavelength in metres, and rate and start of the [fade](OctaveFade) of each octave, if a
    /// list gives any of them.
    pub fn listed_octaves(&self) -> impl Iterator<Item = [f64; 4]> {
        let listed = if self.form.lists.is_empty() { &[] } else { &self.octaves[..] };
        listed.iter().map(|octave| [octave.amplitude, 1.0 / octave.frequency, octave.fade.rate, octave.fade.start])
    }

    /// Height above the disc's level, and the gradient of this height if `G` is true. The position `p` is relative to
    /// the disc's centre.
    #[inline]
    pub fn sample<const G: bool>(&self, p: Point, detail: &Detail) -> (f64, Point) {
        match self.form.surface {
            ReliefStyle::Level => (0.0, [0.0; 2]),
            ReliefStyle::Hills => self.hills::<G>(p, detail),
            ReliefStyle::Ridged => self.ridged::<G>(p, detail),
            ReliefStyle::Dunes => self.dunes::<G>(p, detail),
        }
    }

    /// Heights above the disc's level along a row of points. The positions are relative to the disc's centre.
    pub fn row(&self, xs: &[f64], ys: &[f64], detail: &Detail, out: &mut [f64]) {
        let n = xs.len();
        match self.form.surface {
            ReliefStyle::Level => out.fill(0.0),
            ReliefStyle::Hills => {
                out.fill(0.0);
                let mut values = [0.0; LANES];
                for (octave, amplitude) in self.shown(detail) {
                    octave.noise.row(&octave.map, xs, ys, &mut values[..n]);
                    add_waves(&values[..n], amplitude, out);
                }
            }
            ReliefStyle::Ridged => {
                out.fill(0.0);
                let (mut values, mut weights) = ([0.0; LANES], [1.0; LANES]);
                for (octave, amplitude) in self.shown(detail) {
                    octave.noise.row(&octave.map, xs, ys, &mut values[..n]);
                    add_ridges(&values[..n], amplitude, &mut weights[..n], out);
                }
            }
            ReliefStyle::Dunes => {
                let amplitude = self.dune_amplitude(detail);
                if amplitude == 0.0 {
                    out.fill(0.0);
                    return;
                }
                let (mut wanders, mut swells) = ([0.0; LANES], [0.0; LANES]);
                self.octaves[0].noise.row(&self.octaves[0].map, xs, ys, &mut wanders[..n]);
                self.octaves[1].noise.row(&self.octaves[1].map, xs, ys, &mut swells[..n]);
                let form = (self.form.wind, 1.0 / self.form.size, amplitude);
                row_of_dunes(form, (xs, ys), (&wanders[..n], &swells[..n]), out);
            }
        }
    }

    fn dune_amplitude(&self, detail: &Detail) -> f64 {
        self.form.amplitude * detail.octave_factor(&OctaveFade::NONE, self.form.size)
    }

    /// Range of the height over `capsule`, and bound of the height's gradient.
    pub fn bounds(&self, capsule: &Capsule, detail: &Detail) -> (Interval, f64) {
        match self.form.surface {
            ReliefStyle::Level => (Interval::one(0.0), 0.0),
            ReliefStyle::Hills => self.hills_over(capsule, detail),
            ReliefStyle::Ridged => self.ridged_over(capsule, detail),
            ReliefStyle::Dunes => self.dunes_over(capsule, detail),
        }
    }

    /// The octaves that are visible at this level of detail, with their amplitudes.
    fn shown<'a>(&'a self, detail: &'a Detail) -> impl Iterator<Item = (&'a ReliefOctave, f64)> {
        // if each octave is finer than the previous octave, no octave follows an invisible octave
        let is_ordered = self.form.lists.is_empty();
        let shares =
            self.octaves.iter().map(move |octave| (octave, detail.octave_factor(&octave.fade, 1.0 / octave.frequency)));
        let visible =
            shares.take_while(move |(_, share)| *share > 0.0 || !is_ordered).filter(|(_, share)| *share > 0.0);
        visible.map(|(octave, share)| (octave, octave.amplitude * share))
    }

    fn hills<const G: bool>(&self, p: Point, detail: &Detail) -> (f64, Point) {
        let (mut height, mut slope) = (0.0, [0.0; 2]);
        for (octave, amplitude) in self.shown(detail) {
            let (value, gradient) = octave.sample::<G>(p);
            height += amplitude * value;
            if G {
                slope = [slope[0] + amplitude * gradient[0], slope[1] + amplitude * gradient[1]];
            }
        }
        (height, slope)
    }

    fn hills_over(&self, capsule: &Capsule, detail: &Detail) -> (Interval, f64) {
        let mut sum = (Interval::one(0.0), 0.0);
        for (octave, amplitude) in self.shown(detail) {
            let (range, slope) = octave.bounds(capsule);
            let range = fading(range, detail);
            sum = (sum.0.plus(range.times(amplitude)), sum.1 + amplitude.abs() * slope);
        }
        sum
    }

    fn ridged<const G: bool>(&self, p: Point, detail: &Detail) -> (f64, Point) {
        let (mut height, mut slope) = (0.0, [0.0; 2]);
        let (mut weight, mut dweight) = (1.0, [0.0; 2]);
        for (octave, amplitude) in self.shown(detail) {
            let (value, gradient) = octave.sample::<G>(p);
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

    fn ridged_over(&self, capsule: &Capsule, detail: &Detail) -> (Interval, f64) {
        let mut sum = (Interval::one(0.0), 0.0);
        let (mut weight, mut dweight) = (Interval::one(1.0), 0.0);
        for (octave, amplitude) in self.shown(detail) {
            let (value, steep) = octave.bounds(capsule);
            let nearest =
                if value.low <= 0.0 && value.high >= 0.0 { 0.0 } else { lower(value.low.abs(), value.high.abs()) };
            let root =
                Interval::new((nearest * nearest + EDGE).sqrt(), (value.max_abs() * value.max_abs() + EDGE).sqrt());
            let below = Interval::new(1.0 - root.high, 1.0 - root.low);
            // `below` is at least -ε²/2, which it reaches where the noise is ±1; the square of this number is
            // negligible
            let ridge = Interval::new(
                if below.low > 0.0 { below.low * below.low } else { 0.0 },
                higher(below.high * below.high, EDGE * EDGE),
            );
            let dridge = 2.0 * higher(below.max_abs(), EDGE) * (value.max_abs() / root.high) * steep;
            sum.0 = sum.0.plus(fading(weight.product(ridge), detail).times(amplitude));
            sum.1 += amplitude.abs() * (dweight * ridge.high + weight.high * dridge);
            let own_slope = 2.0 * (1.0 - ridge.low) * dridge;
            let of = |r: f64| r * (2.0 - r);
            let own = Interval::new(of(ridge.low), of(ridge.high));
            // at some levels of detail a list hides this octave but not the next octave
            let can_vanish = detail.is_every_level() && !self.form.lists.is_empty();
            (weight, dweight) = match can_vanish {
                true => (own.union(weight), higher(own_slope, dweight)),
                false => (own, own_slope),
            };
        }
        sum
    }

    fn dunes<const G: bool>(&self, p: Point, detail: &Detail) -> (f64, Point) {
        let amplitude = self.dune_amplitude(detail);
        if amplitude == 0.0 {
            return (0.0, [0.0; 2]);
        }
        let per_size = 1.0 / self.form.size;
        let (wander, dwander) = self.octaves[0].sample::<G>(p);
        let (swell, dswell) = self.octaves[1].sample::<G>(p);
        let (wave, dwave) = wave(dot(p, self.form.wind) * per_size + WANDER * wander);
        let height = 0.5 + 0.5 * swell;
        let slope = |k: usize| {
            let dphase = self.form.wind[k] * per_size + WANDER * dwander[k];
            amplitude * (dwave * dphase * height + wave * 0.5 * dswell[k])
        };
        (amplitude * wave * height, if G { [slope(0), slope(1)] } else { [0.0; 2] })
    }

    fn dunes_over(&self, capsule: &Capsule, detail: &Detail) -> (Interval, f64) {
        let amplitude = self.dune_amplitude(detail);
        if amplitude == 0.0 {
            return (Interval::one(0.0), 0.0);
        }
        let per_size = 1.0 / self.form.size;
        let (wander, dwander) = self.octaves[0].bounds(capsule);
        let (swell, dswell) = self.octaves[1].bounds(capsule);
        let ends = [capsule.from, capsule.to].map(|p| dot(p, self.form.wind) * per_size);
        let along = Interval::new(lower(ends[0], ends[1]), higher(ends[0], ends[1]));
        let phase = Interval::new(along.low - capsule.pad * per_size, along.high + capsule.pad * per_size)
            .plus(wander.times(WANDER))
            .widened_for_rounding();
        let (wave, dwave) = wave_over(phase);
        let height = Interval::new(0.5 + 0.5 * swell.low, 0.5 + 0.5 * swell.high);
        let dphase = per_size + WANDER * dwander;
        let slope = amplitude.abs() * (dwave * dphase * height.high + wave.high * 0.5 * dswell);
        (wave.product(height).times(amplitude), slope)
    }
}

/// The range of an octave, with 0 if the octave can be faded out at some level of detail.
fn fading(range: Interval, detail: &Detail) -> Interval {
    if detail.is_every_level() { range.union(Interval::one(0.0)) } else { range }
}

/// Adds an octave of hills.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn add_waves(values: &[f64], amplitude: f64, out: &mut [f64]) {
    out.iter_mut().zip(values).for_each(|(height, value)| *height += amplitude * value);
}

/// Adds an octave of ridges with the weights from the previous octave, and stores the weights for the next octave.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn add_ridges(values: &[f64], amplitude: f64, weights: &mut [f64], out: &mut [f64]) {
    for ((height, value), weight) in out.iter_mut().zip(values).zip(weights) {
        let below = 1.0 - (value * value + EDGE).sqrt();
        let ridge = below * below;
        *height += amplitude * *weight * ridge;
        *weight = ridge * (2.0 - ridge);
    }
}

/// Heights of dunes along a row. `wanders` holds the noise that shifts the crests, `swells` the noise that changes the
/// height of the dunes.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn row_of_dunes(
    (wind, per_size, amplitude): (Point, f64, f64),
    (xs, ys): (&[f64], &[f64]),
    (wanders, swells): (&[f64], &[f64]),
    out: &mut [f64],
) {
    for ((((height, &x), &y), &wander), &swell) in out.iter_mut().zip(xs).zip(ys).zip(wanders).zip(swells) {
        let phase = dot([x, y], wind) * per_size + WANDER * wander;
        let t = phase - floor(phase).0;
        // compute both sides of the dune and select one, as in `wave`
        let (rising, left) = (t / WINDWARD, (1.0 - t) / (1.0 - WINDWARD));
        let wave = if t < WINDWARD { rising * rising * (2.0 - rising) } else { left * left };
        *height = amplitude * wave * (0.5 + 0.5 * swell);
    }
}

/// Height of a dune of amplitude 1 at a phase in wavelengths, and the derivative of this height with respect to the
/// phase.
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

/// Range of the height that `wave` returns over a range of phases, and the maximum of its absolute derivative.
fn wave_over(phase: Interval) -> (Interval, f64) {
    const LEE: f64 = 2.0 / (1.0 - WINDWARD);
    let first = libm::floor(phase.low);
    let (low, high) = (phase.low - first, phase.high - first);
    if high >= 1.0 {
        let lowest = 0.0;
        let crest = low <= WINDWARD || high >= 1.0 + WINDWARD;
        let highest = if crest { 1.0 } else { higher(wave(low).0, wave(high).0) };
        return (
            Interval::new(lowest, highest),
            if crest { LEE } else { higher(wave(low).1.abs(), 4.0 / 3.0 / WINDWARD) },
        );
    }
    let (a, b) = (wave(low), wave(high));
    if low < WINDWARD && high >= WINDWARD {
        return (Interval::new(lower(a.0, b.0), 1.0), LEE);
    }
    if high < WINDWARD {
        // the windward side is steepest at two thirds of its length
        let steepest = lower(higher(WINDWARD * (2.0 / 3.0), low), high);
        return (Interval::new(a.0, b.0), wave(steepest).1 * (1.0 + 1e-12));
    }
    (Interval::new(b.0, a.0), a.1.abs())
}
