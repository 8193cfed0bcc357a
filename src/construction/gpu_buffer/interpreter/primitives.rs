//! Primitives of the interpreter, read from the words: the same formulas as in their own modules, without gradients.

use std::f32::consts::TAU;

use super::{VECTORS, WalkSample, smooth};
use crate::gpu_buffer::RUN;
use crate::operators::gully_law::{GullyLattice, GullyLaw, GullyOctave};
use crate::sample::Detail;

/// The buffer as a shader reads it.
#[derive(Clone, Copy)]
pub struct BufferReader<'a> {
    /// The words of the tree.
    pub words: &'a [u32],
    /// Samples of the images.
    pub image_samples: &'a [f32],
}

/// Position of a point relative to a centreline.
struct WalkNearest {
    distance: f32,
    along: f32,
    offset: f32,
}

/// Wyvill's falloff from 1 at `core` to 0 at `radius`.
fn falloff(d: f32, core: f32, radius: f32) -> f32 {
    if d <= core {
        return 1.0;
    }
    if d >= radius {
        return 0.0;
    }
    let x = (d - core) / (radius - core);
    let t = 1.0 - x * x;
    t * t * t
}

/// 32 random bits of a lattice point.
fn bits(seed: u32, x: i32, y: i32) -> u32 {
    let mut h = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca77) ^ seed;
    h = (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d);
    h = (h ^ (h >> 12)).wrapping_mul(0x297a_2d39);
    h ^ (h >> 15)
}

impl BufferReader<'_> {
    /// The word at `at`.
    pub fn word(&self, at: usize) -> u32 {
        self.words[at]
    }

    /// The word at `at` as a float.
    pub fn real(&self, at: usize) -> f32 {
        f32::from_bits(self.words[at])
    }

    /// `p` transformed by the map of six words at `at`.
    pub fn mapped(&self, at: usize, p: [f32; 2]) -> [f32; 2] {
        [
            self.real(at) * p[0] + self.real(at + 1) * p[1] + self.real(at + 4),
            self.real(at + 2) * p[0] + self.real(at + 3) * p[1] + self.real(at + 5),
        ]
    }

    /// The band of four words (from, to, below, above) at `x`: 1 between `from` and `to`, fading to 0 outside.
    pub fn window(&self, at: usize, x: f32) -> f32 {
        let (from, to) = (self.real(at), self.real(at + 1));
        if x < from {
            smooth(1.0 - (from - x) / self.real(at + 2))
        } else if x > to {
            smooth(1.0 - (x - to) / self.real(at + 3))
        } else {
            1.0
        }
    }

    /// Adds gullies, with their operands at `at`, to a ground sample. `p` and the ground's `slope` are in the node's
    /// own frame.
    pub fn gullied(
        &self,
        at: usize,
        p: [f32; 2],
        (level, spacing): (f32, f32),
        slope: [f32; 2],
        ground: WalkSample,
    ) -> WalkSample {
        let (rise, count) = (self.real(at + 7), self.word(at + 15) as usize);
        if ground.weight <= 0.0 || rise == 0.0 {
            return ground;
        }
        let octave = |k: usize| {
            let number = |j: usize| f64::from(self.real(at + 16 + 5 * k + j));
            GullyOctave {
                cell: number(0),
                around: None,
                depth: number(1),
                turn: [number(2), number(3)],
                is_solid: false,
                lattice: GullyLattice::Hash(self.word(at + 20 + 5 * k)),
            }
        };
        let number = |k: usize| f64::from(self.real(at + k));
        let law = GullyLaw {
            octaves: (0..count).map(octave).collect(),
            branching: number(8),
            crest_fade: number(9),
            fade: [number(12), number(13)],
        };
        let detail = Detail { level: f64::from(level), spacing: f64::from(spacing) };
        let share = |k: usize, cell: f64| detail.share(k, count, cell);
        let slope = [slope[0] / rise, slope[1] / rise, 0.0];
        let (raised, _) = law.sample([p[0], p[1], 0.0], [0.0, 0.0, 1.0], slope, share);
        WalkSample { height: ground.height + rise * raised, ..ground }
    }

    /// The point to which the warp with its operands at `at` moves `p`.
    pub fn warped(&self, at: usize, p: [f32; 2]) -> [f32; 2] {
        let q = self.mapped(at, p);
        let number = |k: usize| self.real(at + 8 + k);
        if self.word(at + 7) == 0 {
            let (strength, per_size) = (number(2), number(3));
            let w = [q[0] * per_size, q[1] * per_size];
            let x = self.noise(self.word(at + 12), w);
            let y = self.noise(self.word(at + 13), [w[0] + 0.5, w[1] + 0.5]);
            return [q[0] + strength * x, q[1] + strength * y];
        }
        let offset = [q[0] - number(0), q[1] - number(1)];
        if self.word(at + 7) == 3 {
            return (0..self.word(at + 20) as usize).fold(q, |moved, k| {
                let place = at + 21 + 4 * k;
                let away = [q[0] - self.real(place), q[1] - self.real(place + 1)];
                let g = falloff((away[0] * away[0] + away[1] * away[1]).sqrt(), 0.0, number(3));
                [moved[0] - g * self.real(place + 2), moved[1] - g * self.real(place + 3)]
            });
        }
        if self.word(at + 7) == 2 {
            let g = falloff((offset[0] * offset[0] + offset[1] * offset[1]).sqrt(), 0.5 * number(3), number(3));
            let [u, v] = offset.map(|o| 0.5 + 0.5 * o / number(3));
            let far = if g > 0.0 { g * (2.0 * self.picture(at + 17, u, v) - 1.0) } else { 0.0 };
            return [q[0] - far * self.real(at + 15), q[1] - far * self.real(at + 16)];
        }
        let g = falloff((offset[0] * offset[0] + offset[1] * offset[1]).sqrt(), 0.0, number(3));
        let (sin, cos) = (libm::sinf(number(2) * g), libm::cosf(number(2) * g));
        [number(0) + cos * offset[0] - sin * offset[1], number(1) + sin * offset[0] + cos * offset[1]]
    }

    /// Gradient noise at `p`.
    fn noise(&self, seed: u32, p: [f32; 2]) -> f32 {
        let cell = [libm::floorf(p[0]), libm::floorf(p[1])];
        let (i, j) = (cell[0] as i32, cell[1] as i32);
        let (x, y) = (p[0] - cell[0], p[1] - cell[1]);
        let corner = |di: i32, dj: i32| {
            let k = VECTORS + 2 * (bits(seed, i.wrapping_add(di), j.wrapping_add(dj)) >> 24) as usize;
            self.real(k) * (x - di as f32) + self.real(k + 1) * (y - dj as f32)
        };
        let (a, b, c, d) = (corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1));
        let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
        let (u, v) = (fade(x), fade(y));
        a + u * (b - a) + v * ((c - a) + u * (a - b - c + d))
    }

    /// Height and weight of the primitive at `at`.
    pub fn primitive(&self, at: usize, p: [f32; 2], level: f32, spacing: f32) -> WalkSample {
        match self.word(at) {
            0 => self.disc(at + 5, p, level, spacing),
            1 => self.curve(at + 5, p),
            2 => self.contour(at + 5, p),
            3 => self.image(at + 5, p),
            _ => self.ribbon(at + 5, p),
        }
    }

    fn disc(&self, at: usize, p: [f32; 2], level: f32, spacing: f32) -> WalkSample {
        let offset = [p[0] - self.real(at), p[1] - self.real(at + 1)];
        let weight =
            falloff((offset[0] * offset[0] + offset[1] * offset[1]).sqrt(), self.real(at + 3), self.real(at + 4));
        if weight <= 0.0 {
            return WalkSample::default();
        }
        let count = self.word(at + 6) as usize;
        let (amplitude, size, roughness) = (self.real(at + 7), self.real(at + 8), self.real(at + 9));
        let seed = self.word(at + 12);
        // noise of octave k, rotated and shifted
        let octave = |k: usize, turn: [f32; 2], frequency: f32| {
            let seed = seed.wrapping_add(0x9e37_79b9u32.wrapping_mul(k as u32 + 1));
            let shift = (seed >> 8) as f32 / 16_777_216.0;
            let q = [
                (turn[0] * offset[0] + turn[1] * offset[1]) * frequency + 0.5 + shift,
                (turn[0] * offset[1] - turn[1] * offset[0]) * frequency + 0.25 - shift,
            ];
            self.noise(seed, q)
        };
        let share = |k: usize, count: usize, wavelength: f32| {
            let mut share = 1.0;
            if wavelength < 4.0 * spacing {
                share = smooth(wavelength / (2.0 * spacing) - 1.0);
            }
            if level < 1.0 && k > 0 {
                share *= smooth(level * (count - 1) as f32 - (k - 1) as f32);
            }
            share
        };
        let mut over = 0.0;
        match self.word(at + 5) {
            0 => {}
            3 => {
                let amplitude = amplitude * share(0, 1, size);
                let turn = [0.8, 0.6];
                let wander = octave(0, [1.0, 0.0], 1.0 / (size * 2.6));
                let swell = octave(1, turn, 1.0 / (size * 4.0));
                let phase = (offset[0] * self.real(at + 10) + offset[1] * self.real(at + 11)) / size + 0.55 * wander;
                let t = phase - libm::floorf(phase);
                let wave = if t < 0.72 {
                    let t = t / 0.72;
                    t * t * (2.0 - t)
                } else {
                    let left = (1.0 - t) / 0.28;
                    left * left
                };
                over = amplitude * wave * (0.5 + 0.5 * swell);
            }
            surface => {
                let mut turn = [1.0f32, 0.0];
                let (mut frequency, mut high, mut weight) = (1.0 / size, amplitude, 1.0f32);
                for k in 0..count {
                    let share = share(k, count, 1.0 / frequency);
                    if share <= 0.0 {
                        break;
                    }
                    let value = octave(k, turn, frequency);
                    if surface == 1 {
                        over += high * share * value;
                    } else {
                        let below = 1.0 - (value * value + 4e-4).sqrt();
                        let ridge = below * below;
                        over += high * share * weight * ridge;
                        weight = ridge * (2.0 - ridge);
                    }
                    frequency *= 2.0;
                    high *= roughness;
                    turn = [0.8 * turn[0] - 0.6 * turn[1], 0.6 * turn[0] + 0.8 * turn[1]];
                }
            }
        }
        WalkSample { height: self.real(at + 2) + over, weight }
    }

    /// Number of words of the list at `at`, with items of `size` words.
    fn list(&self, at: usize, size: usize) -> usize {
        1 + self.word(at) as usize * size
    }

    /// The value at `x` of the line at `at`.
    fn line(&self, at: usize, x: f32) -> f32 {
        let count = self.word(at) as usize;
        let knot = |k: usize, part: usize| self.real(at + 1 + 3 * k + part);
        if count == 0 {
            return 0.0;
        }
        if x <= knot(0, 0) {
            return knot(0, 1);
        }
        if x >= knot(count - 1, 0) {
            return knot(count - 1, 1);
        }
        let mut k = 0;
        while knot(k + 1, 0) <= x {
            k += 1;
        }
        let width = knot(k + 1, 0) - knot(k, 0);
        let t = (x - knot(k, 0)) / width;
        let (c1, rise, m1) = (knot(k, 2) * width, knot(k + 1, 1) - knot(k, 1), knot(k + 1, 2) * width);
        let c2 = 3.0 * rise - 2.0 * c1 - m1;
        let c3 = c1 + m1 - 2.0 * rise;
        knot(k, 1) + t * (c1 + t * (c2 + t * c3))
    }

    /// The nearest point on segment `k` of the vertices at `at`: its distance along the segment, the vector from it to
    /// `p`, the offset, the length of the segment.
    fn segment_foot(&self, at: usize, k: usize, p: [f32; 2]) -> (f32, [f32; 2], f32, f32) {
        let v = |part: usize| self.real(at + 1 + 2 * k + part);
        let along = [v(2) - v(0), v(3) - v(1)];
        let long = (along[0] * along[0] + along[1] * along[1]).sqrt();
        let unit = if long > 0.0 { [along[0] / long, along[1] / long] } else { [1.0, 0.0] };
        let from_start = [p[0] - v(0), p[1] - v(1)];
        let t = (from_start[0] * unit[0] + from_start[1] * unit[1]).clamp(0.0, long);
        let rest = [from_start[0] - unit[0] * t, from_start[1] - unit[1] * t];
        (t, rest, unit[0] * rest[1] - unit[1] * rest[0], long)
    }

    /// Position of `p` relative to the centreline at `at`, if it is within reach.
    fn nearest(&self, at: usize, p: [f32; 2]) -> Option<WalkNearest> {
        let (reach, tolerance) = (self.real(at), self.real(at + 1));
        let vertices = at + 5;
        let chords = self.word(vertices) as usize - 1;
        let runs = vertices + self.list(vertices, 2);
        let square = |run: usize| {
            let side = |k: usize| self.real(runs + 1 + 5 * run + k);
            let x = (side(0) - p[0]).max(p[0] - side(2)).max(0.0);
            let y = (side(1) - p[1]).max(p[1] - side(3)).max(0.0);
            x * x + y * y
        };
        let mut nearest = reach * reach;
        for run in 0..self.word(runs) as usize {
            if square(run) >= nearest {
                continue;
            }
            for k in run * RUN..((run + 1) * RUN).min(chords) {
                let from_foot = self.segment_foot(vertices, k, p).1;
                nearest = nearest.min(from_foot[0] * from_foot[0] + from_foot[1] * from_foot[1]);
            }
        }
        let distance = nearest.sqrt();
        if distance >= reach {
            return None;
        }
        let farthest = (distance + tolerance) * (distance + tolerance);
        let (mut sum, mut along, mut offset) = (0.0, 0.0, 0.0);
        for run in 0..self.word(runs) as usize {
            if square(run) >= farthest {
                continue;
            }
            let mut start = self.real(runs + 1 + 5 * run + 4);
            for k in run * RUN..((run + 1) * RUN).min(chords) {
                let (t, from_foot, o, long) = self.segment_foot(vertices, k, p);
                let (s, square) = (start + t, from_foot[0] * from_foot[0] + from_foot[1] * from_foot[1]);
                start += long;
                if square < farthest {
                    let x = (square.sqrt() - distance) / tolerance;
                    let w = (1.0 - x * x) * (1.0 - x * x);
                    sum += w;
                    along += w * s;
                    offset += w * o;
                }
            }
        }
        Some(WalkNearest { distance, along: along / sum, offset: offset / sum })
    }

    /// Indices of the height, width and depth of the centreline at `at`, and of the word after it.
    fn centreline_lines(&self, at: usize) -> [usize; 4] {
        let runs = at + 5 + self.list(at + 5, 2);
        let height = runs + self.list(runs, 5);
        let width = height + self.list(height, 3);
        let depth = width + self.list(width, 3);
        [height, width, depth, depth + self.list(depth, 3)]
    }

    /// Weight beside the centreline at `at`; `width` is the index of its width.
    fn weight_beside(&self, at: usize, width: usize, near: &WalkNearest) -> f32 {
        let (core, radius, share) = (self.real(at + 2), self.real(at + 3), self.real(at + 4));
        if share == 0.0 {
            return falloff(near.distance, core, radius);
        }
        let own = share * self.line(width, near.along);
        falloff(near.distance, own, own + (radius - core))
    }

    fn curve(&self, at: usize, p: [f32; 2]) -> WalkSample {
        let Some(near) = self.nearest(at, p) else { return WalkSample::default() };
        let [height, width, depth, profiles] = self.centreline_lines(at);
        let x = near.offset / self.line(width, near.along);
        // find the last profile at or before the arc length; the loop keeps at least one profile after it
        let count = self.word(profiles) as usize;
        let mut here = profiles + 1;
        let next = |at: usize| at + 2 + self.list(at + 2, 3);
        let mut k = 0;
        while k + 2 < count && self.real(next(here)) <= near.along {
            here = next(here);
            k += 1;
        }
        let rise = |at: usize| self.line(at + 2, if self.word(at + 1) == 1 { x.abs() } else { x });
        let mut over = rise(here);
        if count > 1 {
            let long = self.real(next(here)) - self.real(here);
            if long > 0.0 {
                over += smooth((near.along - self.real(here)) / long) * (rise(next(here)) - over);
            }
        }
        let weight = self.weight_beside(at, width, &near);
        WalkSample { height: self.line(height, near.along) + self.line(depth, near.along) * over, weight }
    }

    fn ribbon(&self, at: usize, p: [f32; 2]) -> WalkSample {
        let Some(near) = self.nearest(at, p) else { return WalkSample::default() };
        let [height, width, depth, picture] = self.centreline_lines(at);
        let turned = near.along * self.real(picture + 3);
        let t = turned - 2.0 * libm::floorf(0.5 * turned);
        let u = if t <= 1.0 { t } else { 2.0 - t };
        let v = 0.5 + 0.5 * near.offset / self.line(width, near.along);
        let over = self.picture(picture, u, v) - self.real(picture + 4);
        let weight = self.weight_beside(at, width, &near);
        WalkSample { height: self.line(height, near.along) + self.line(depth, near.along) * over, weight }
    }

    fn contour(&self, at: usize, p: [f32; 2]) -> WalkSample {
        let offset = [p[0] - self.real(at), p[1] - self.real(at + 1)];
        let rho = (offset[0] * offset[0] + offset[1] * offset[1]).sqrt();
        let radius = at + 8 + self.list(at + 8, 2);
        let is_outline = self.word(at + 8) > 0;
        if !is_outline && rho >= self.real(at + 6) * self.real(at + 5) {
            return WalkSample::default();
        }
        let angle = libm::atan2f(offset[1], offset[0]);
        let x = if is_outline {
            (1.0 + self.outline_distance(at + 8, offset) / self.real(at + 7)).max(0.0)
        } else {
            rho / self.line(radius, angle)
        };
        let weight = falloff(x, self.real(at + 4), self.real(at + 5));
        if weight <= 0.0 {
            return WalkSample::default();
        }
        let rays = radius + self.list(radius, 3);
        let count = self.word(rays) as usize;
        let next = |at: usize| at + 1 + self.list(at + 1, 3);
        let first = rays + 1;
        // find the last ray at or before the angle, or the last of all if every ray comes after it
        let (mut here, mut after) = (first, first);
        let mut found = false;
        let mut ray = first;
        for k in 0..count {
            let follows = if k + 1 < count { next(ray) } else { first };
            let before = self.real(ray) <= angle;
            if before || !found && k + 1 == count {
                (here, after) = (ray, follows);
            }
            found |= before;
            ray = follows;
        }
        let mut rise = self.line(here + 1, x);
        if count > 1 {
            let ahead = |from: f32, to: f32| if to >= from { to - from } else { to - from + TAU };
            let wide = ahead(self.real(here), self.real(after));
            rise += smooth(ahead(self.real(here), angle) / wide) * (self.line(after + 1, x) - rise);
            if is_outline {
                let middle = self.line(first + 1, x);
                rise = middle + smooth(rho / self.real(at + 7)) * (rise - middle);
            }
        }
        WalkSample { height: self.real(at + 2) + self.real(at + 3) * rise, weight }
    }

    /// Signed distance from the closed line whose corners are the list at `at`, negative inside.
    fn outline_distance(&self, at: usize, p: [f32; 2]) -> f32 {
        let count = self.word(at) as usize;
        let corner = |k: usize| [self.real(at + 1 + 2 * (k % count)), self.real(at + 2 + 2 * (k % count))];
        let (mut nearest, mut sign) = (f32::INFINITY, 1.0);
        for k in 0..count {
            let (a, b) = (corner(k), corner(k + 1));
            let (side, way) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
            let square = side[0] * side[0] + side[1] * side[1];
            let t = ((way[0] * side[0] + way[1] * side[1]) / square.max(1e-30)).clamp(0.0, 1.0);
            let rest = [way[0] - side[0] * t, way[1] - side[1] * t];
            nearest = nearest.min(rest[0] * rest[0] + rest[1] * rest[1]);
            let is_left = side[0] * way[1] > side[1] * way[0];
            if (a[1] <= p[1] && b[1] > p[1] && is_left) || (a[1] > p[1] && b[1] <= p[1] && !is_left) {
                sign = -sign;
            }
        }
        sign * nearest.sqrt()
    }

    fn image(&self, at: usize, p: [f32; 2]) -> WalkSample {
        let pair = |k: usize| [self.real(at + k), self.real(at + k + 1)];
        let (corner, e, f, g) = (pair(0), pair(2), pair(4), pair(6));
        let cross = |a: [f32; 2], b: [f32; 2]| a[0] * b[1] - a[1] * b[0];
        let h = [p[0] - corner[0], p[1] - corner[1]];
        let (a, b, c) = (cross(g, f), cross(e, f) + cross(h, g), cross(h, e));
        let root = (b * b - 4.0 * a * c).max(0.0).sqrt();
        let q = -0.5 * (b + if b < 0.0 { -root } else { root });
        let border = self.real(at + 10);
        for v in [c / q, q / a] {
            let edge = [e[0] + g[0] * v, e[1] + g[1] * v];
            let rest = [h[0] - f[0] * v, h[1] - f[1] * v];
            let k = usize::from(edge[1].abs() > edge[0].abs());
            let u = rest[k] / edge[k];
            if (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v) {
                let edge = |t: f32| smooth(t / border) * smooth((1.0 - t) / border);
                let height = self.real(at + 8) + self.real(at + 9) * self.picture(at + 11, u, v);
                let is_weighted = self.word(at + 15) > 0;
                let share = if is_weighted { self.picture(at + 14, u, v).clamp(0.0, 1.0) } else { 1.0 };
                return WalkSample { height, weight: edge(u) * edge(v) * share };
            }
        }
        WalkSample::default()
    }

    /// The image with its three words at `at`, sampled at (u, v).
    fn picture(&self, at: usize, u: f32, v: f32) -> f32 {
        let (from, width, height) = (self.word(at) as usize, self.word(at + 1) as usize, self.word(at + 2) as usize);
        let cell_and_share = |t: f32, count: usize| {
            let x = t.clamp(0.0, 1.0) * (count - 1) as f32;
            let cell = (x as usize).min(count.saturating_sub(2));
            (cell, x - cell as f32)
        };
        let ((j, x), (i, y)) = (cell_and_share(u, width), cell_and_share(v, height));
        let weights = |t: f32| {
            let s = 1.0 - t;
            [
                s * s * s / 6.0,
                (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
                (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0,
                t * t * t / 6.0,
            ]
        };
        let (wx, wy) = (weights(x), weights(y));
        let mut value = 0.0;
        for (a, weight) in wy.iter().enumerate() {
            let row = (i + a).saturating_sub(1).min(height - 1);
            for (b, across) in wx.iter().enumerate() {
                let column = (j + b).saturating_sub(1).min(width - 1);
                value += weight * across * self.image_samples[from + row * width + column];
            }
        }
        value
    }
}
