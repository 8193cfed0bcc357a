//! Selects the patches to draw from the six quadtrees of a globe: fine near the eye, coarse far from the eye.
//!
//! The method is the same as for square terrain ([`crate::view::square::lod`]), after Strugar 2009. A patch is split if
//! it is nearer to the eye than the range of the next finer level. Its vertices morph to the coarser shape before the
//! range of its own level ends. Distances are measured between directions, on a sphere through the surface below the
//! eye. So they do not depend on the relief and are equal on both sides of a face border. Patches of neighbouring faces
//! therefore meet like patches of the same face. Level 0 is a whole face. With ranges of at least [`MIN_RANGE_SIDES`],
//! neighbours differ by at most one level. Neighbours of different levels meet where the finer patch has morphed into
//! the shape of the coarser patch.

use glam::{DMat4, DVec3, DVec4};

use super::bounds::{FaceBounds, tile_of};
use talweg::field::globe::direction_at;
use talweg::field::topology::FACES;

/// Fraction of the range of a level at which its vertices begin to morph.
pub const MORPH_START: f64 = 0.85;

/// Smallest range of a level, as a multiple of the side length of its patches. The distance (2 · MORPH_START - 1) ·
/// range must exceed the diagonal of a patch of the next level, which is 2 √2, plus the error of the spherical bound.
pub const MIN_RANGE_SIDES: f64 = 5.0;

/// Deepest level of the quadtrees. Beyond it, column numbers of quads would not be exact in single precision.
pub const DEEPEST: u32 = 17;

/// A patch to draw. Level `level` divides a face into 2^level × 2^level patches, and the patch is in `row` and
/// `column`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobePatch {
    pub level: u32,
    pub face: u32,
    pub row: u32,
    pub column: u32,
}

impl GlobePatch {
    /// Position on the face for the position (`u`, `v`) within the patch. All coordinates are from 0 to 1.
    pub fn face_position(&self, u: f64, v: f64) -> (f64, f64) {
        let tiles = f64::from(1u32 << self.level);
        ((f64::from(self.column) + u) / tiles, (f64::from(self.row) + v) / tiles)
    }

    pub fn direction(&self, u: f64, v: f64) -> DVec3 {
        let (u, v) = self.face_position(u, v);
        direction_at(self.face as usize, u, v).into()
    }

    /// Direction of the patch's centre, and the chord from the centre to the farthest corner on the unit sphere.
    pub fn cap(&self) -> (DVec3, f64) {
        let centre = self.direction(0.5, 0.5);
        let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)].map(|(u, v)| self.direction(u, v));
        (centre, corners.iter().map(|corner| corner.distance(centre)).fold(0.0, f64::max))
    }

    /// The patch itself, its parent, and so on up to the whole face.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |patch| {
            let level = patch.level.checked_sub(1)?;
            Some(Self { level, face: patch.face, row: patch.row >> 1, column: patch.column >> 1 })
        })
    }

    /// Position within an ancestor (along rows, along columns), and side length. All are fractions of the ancestor's
    /// side length.
    pub fn place_in(&self, ancestor: &Self) -> ([f32; 2], f32) {
        let up = self.level - ancestor.level;
        let span = 1.0 / (1u32 << up) as f32;
        let within = |own: u32, its: u32| (own - (its << up)) as f32 * span;
        ([within(self.column, ancestor.column), within(self.row, ancestor.row)], span)
    }

    /// The six whole faces.
    pub fn faces() -> impl Iterator<Item = Self> {
        (0..FACES as u32).map(|face| Self { face, level: 0, row: 0, column: 0 })
    }

    /// The four children of the patch.
    pub fn quarters(self) -> impl Iterator<Item = Self> {
        (0..4).map(move |k| Self {
            face: self.face,
            level: self.level + 1,
            row: 2 * self.row + (k >> 1),
            column: 2 * self.column + (k & 1),
        })
    }
}

/// The eye, and the distances up to which each level of detail is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlobeLodRange {
    /// Unit vector from the centre of the globe towards the eye.
    pub eye: DVec3,
    /// Radius of the sphere on which distances are measured, in metres.
    pub top: f64,
    /// Height of the eye over the sphere on which distances are measured; 0 if the eye is below this sphere.
    pub over: f64,
    /// Distance up to which level 0 is drawn. Each finer level is drawn up to half the distance of the previous level.
    pub coarsest: f64,
    /// The finest level of the drawn patches.
    pub finest: u32,
}

impl GlobeLodRange {
    /// Ranges of the levels for an eye. `quad_radians` is the greatest angle of a quad in the image. `finest_metres` is
    /// the side length of the smallest useful quad.
    pub fn new(eye: DVec3, top: f64, quads: u32, quad_radians: f64, finest_metres: f64) -> Self {
        let side = top * std::f64::consts::FRAC_PI_2;
        let wanted = 1.0 / (f64::from(quads) * quad_radians);
        let depth = (side / (f64::from(quads) * finest_metres.max(1e-3))).log2().ceil();
        Self {
            eye: eye.normalize_or(DVec3::X),
            top,
            over: (eye.length() - top).max(0.0),
            coarsest: side * wanted.max(MIN_RANGE_SIDES),
            finest: (depth.max(0.0) as u32).min(DEEPEST),
        }
    }

    /// The ranges for quads that are `times` as wide on screen. A range shorter than [`MIN_RANGE_SIDES`] would leave
    /// cracks, so beyond that limit the finest levels are dropped instead.
    pub fn coarsened(&self, times: f64) -> Self {
        let least = self.top * std::f64::consts::FRAC_PI_2 * MIN_RANGE_SIDES;
        let wanted = self.coarsest / times.max(1.0);
        let dropped = (least / wanted).log2().ceil().max(0.0) as u32;
        Self { coarsest: wanted.max(least), finest: self.finest.saturating_sub(dropped), ..*self }
    }

    pub fn of_level(&self, level: u32) -> f64 {
        self.coarsest / f64::from(1u32 << level)
    }

    /// Distance of a direction from the eye, in metres.
    pub fn distance(&self, direction: DVec3) -> f64 {
        self.along_chord(direction.distance(self.eye))
    }

    fn along_chord(&self, chord: f64) -> f64 {
        (self.over * self.over + (self.top * chord) * (self.top * chord)).sqrt()
    }

    /// Fraction by which a vertex has morphed towards the next coarser level, computed as in the shader.
    pub fn morph(&self, level: u32, direction: DVec3) -> f64 {
        if level == 0 {
            return 0.0;
        }
        ((self.distance(direction) / self.of_level(level) - MORPH_START) / (1.0 - MORPH_START)).clamp(0.0, 1.0)
    }
}

/// Culls patches that are outside the image or hidden behind the globe.
#[derive(Clone, Copy)]
pub struct GlobeCulling<'a> {
    pub bounds: &'a FaceBounds,
    /// Radius of the globe in metres.
    pub radius: f64,
    /// Drawn height, in metres, of a terrain height of 1.
    pub relief: f64,
    /// Height of the lowest drawn surface over the radius: the height of the sea or of the lowest terrain.
    pub floor: f64,
    /// Radius of a sphere around the centre that hides everything behind it.
    pub solid: f64,
    /// Greatest distance by which the terrain can be above or below its height bounds.
    pub slack: f64,
    /// Returns the drawn height range of a patch, in metres over the radius, if a tighter range than the bounds is
    /// known.
    pub known: Option<&'a dyn Fn(GlobePatch) -> Option<(f64, f64)>>,
    eye: DVec3,
    planes: [DVec4; 5],
}

impl<'a> GlobeCulling<'a> {
    /// Culling by the frustum of `clip_from_rel`, the matrix from positions relative to the eye.
    pub fn new(
        bounds: &'a FaceBounds,
        (radius, relief, floor): (f64, f64, f64),
        eye: DVec3,
        clip_from_rel: DMat4,
    ) -> Self {
        let row = |i| clip_from_rel.row(i);
        let planes = [row(3) + row(0), row(3) - row(0), row(3) + row(1), row(3) - row(1), row(3) - row(2)];
        let planes = planes.map(|plane| plane / plane.truncate().length().max(1e-300));
        Self { bounds, radius, relief, floor, solid: radius + floor, slack: 0.0, known: None, eye, planes }
    }

    /// Position of the eye in planet space.
    pub fn eye(&self) -> DVec3 {
        self.eye
    }

    /// Least and greatest distance of a patch's drawn surface from the centre.
    fn span(&self, patch: GlobePatch) -> [f64; 2] {
        let (low, high) = self.known.and_then(|known| known(patch)).unwrap_or_else(|| {
            let (low, high) = self.bounds.range(patch.face as usize, patch.level, patch.row, patch.column);
            (f64::from(low) * self.relief - self.slack, f64::from(high) * self.relief + self.slack)
        });
        [low, high].map(|height| self.radius + height.max(self.floor))
    }

    /// A bounding sphere of a patch: its centre relative to the eye, and its radius.
    pub fn ball(&self, patch: GlobePatch) -> (DVec3, f64) {
        self.ball_of(patch.cap(), self.span(patch))
    }

    fn ball_of(&self, (centre, chord): (DVec3, f64), [low, high]: [f64; 2]) -> (DVec3, f64) {
        // the surface of a large patch also bulges above its chord
        let bulge = 0.5 * chord * chord * high;
        (centre * 0.5 * (low + high) - self.eye, (chord * high).hypot(0.5 * (high - low) + bulge))
    }

    /// Whether any part of a patch may be visible, including objects up to `standing` metres high on the patch.
    pub fn sees(&self, patch: GlobePatch, standing: f64) -> bool {
        let (centre, chord) = patch.cap();
        let [low, high] = self.span(patch);
        let high = high + standing;
        let (middle, ball) = self.ball_of((centre, chord), [low, high]);
        if self.planes.iter().any(|plane| plane.truncate().dot(middle) + plane.w < -ball) {
            return false;
        }
        // a patch can be hidden beyond the horizon
        let (away, solid) = (self.eye.length(), self.solid);
        if away <= solid {
            return true;
        }
        let horizon = (solid / away).acos() + (solid / high.max(solid)).acos();
        let angle = |chord: f64| 2.0 * (0.5 * chord).min(1.0).asin();
        angle(centre.distance(self.eye / away)) - angle(chord) <= horizon
    }
}

/// The patches to draw, nearest first, because near patches hide others. Exactly one patch contains each direction that
/// is not culled. The patch below the eye is never culled, because the camera stands on its heights.
pub fn select(range: &GlobeLodRange, culling: Option<&GlobeCulling>) -> Vec<GlobePatch> {
    let mut found = Vec::with_capacity(256);
    let mut open: Vec<GlobePatch> = GlobePatch::faces().collect();
    let is_below_eye =
        |patch: GlobePatch| (patch.face as usize, patch.row, patch.column) == tile_of(range.eye, patch.level);
    while let Some(patch) = open.pop() {
        if culling.is_some_and(|culling| !culling.sees(patch, 0.0)) && !is_below_eye(patch) {
            continue;
        }
        let (centre, chord) = patch.cap();
        let nearest = range.along_chord((centre.distance(range.eye) - chord).max(0.0));
        if patch.level < range.finest && nearest < range.of_level(patch.level + 1) {
            open.extend(patch.quarters());
        } else {
            found.push((nearest, patch));
        }
    }
    found.sort_by(|(a, one), (b, other)| a.total_cmp(b).then(one.cmp(other)));
    found.into_iter().map(|(_, patch)| patch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::globe::ground::tests::sphere;
    use std::collections::HashMap;

    const RADIUS: f64 = 6_371_000.0;

    fn ranges() -> impl Iterator<Item = GlobeLodRange> {
        (0..40).map(|k| {
            let t = f64::from(k);
            let eye = DVec3::new((t * 1.7).sin(), (t * 0.9).cos(), (t * 2.3).sin()).normalize();
            let height = [2.0, 500.0, 5e4, 1e6, 3e7][k as usize % 5];
            let quads = [16, 32][k as usize % 2];
            GlobeLodRange::new(eye * (RADIUS + height), RADIUS + 9e4, quads, 0.004, 150.0)
        })
    }

    fn directions() -> impl Iterator<Item = DVec3> {
        (0..6000).map(|k| {
            // points spread evenly over the sphere
            let z = 1.0 - (2 * k + 1) as f64 / 6000.0;
            let turn = f64::from(k) * 2.399_963;
            let level = (1.0 - z * z).sqrt();
            DVec3::new(level * turn.cos(), level * turn.sin(), z)
        })
    }

    fn drawn_at(patches: &HashMap<(usize, u32, u32, u32), GlobePatch>, direction: DVec3) -> Vec<GlobePatch> {
        (0..=DEEPEST)
            .filter_map(|level| {
                let (face, row, column) = tile_of(direction, level);
                patches.get(&(face, level, row, column)).copied()
            })
            .collect()
    }

    fn keyed(patches: &[GlobePatch]) -> HashMap<(usize, u32, u32, u32), GlobePatch> {
        patches.iter().map(|p| ((p.face as usize, p.level, p.row, p.column), *p)).collect()
    }

    #[test]
    fn every_direction_is_in_exactly_one_patch() {
        for range in ranges() {
            let patches = select(&range, None);
            let keyed = keyed(&patches);
            assert_eq!(keyed.len(), patches.len());
            let near = directions().map(|d| (range.eye + d * 1e-4).normalize());
            for direction in directions().chain(near) {
                assert_eq!(drawn_at(&keyed, direction).len(), 1, "{direction}");
            }
            // there are no overlaps: the areas add up to 6, where a face has the area 1
            let area: f64 = patches.iter().map(|p| 0.25f64.powi(p.level as i32)).sum();
            assert!((area - 6.0).abs() < 1e-9, "{area}");
        }
    }

    #[test]
    fn neighbours_differ_by_one_level_and_share_their_edge() {
        for range in ranges() {
            let patches = select(&range, None);
            let keyed = keyed(&patches);
            for patch in &patches {
                let step = 1e-6 / f64::from(1u32 << patch.level);
                // if the neighbours are finer, two test points are on the edge of each of the two neighbours
                for along in [0.125, 0.375, 0.625, 0.875] {
                    for (u, v) in [(along, 0.0), (along, 1.0), (0.0, along), (1.0, along)] {
                        let border = patch.direction(u, v);
                        let inside = patch.direction(0.5, 0.5);
                        let beyond = (border + (border - inside).normalize() * step).normalize();
                        let other = drawn_at(&keyed, beyond);
                        let [other] = other[..] else { panic!("a gap beside {patch:?}") };
                        assert!(patch.level.abs_diff(other.level) <= 1, "{patch:?} meets {other:?}");
                        if other.level < patch.level {
                            assert!(range.morph(patch.level, border) > 0.999, "the finer patch has not morphed fully");
                            assert!(range.morph(other.level, border) < 0.001, "the coarser patch has begun to morph");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn culled_patches_are_invisible() {
        let planet = sphere();
        let bounds = FaceBounds::new(65, &planet.height);
        let ground = planet.ground(20.0);
        for (k, range) in ranges().enumerate() {
            let eye = range.eye * (ground.surface(range.eye) + [30.0, 4e5, 2e7][k % 3]);
            let range = GlobeLodRange::new(eye, RADIUS + ground.range.1, 16, 0.004, 150.0);
            let target = range.eye.any_orthonormal_vector() * RADIUS * 0.8;
            let view = DMat4::look_at_rh(DVec3::ZERO, target - eye, range.eye.any_orthogonal_vector());
            let clip = DMat4::perspective_infinite_reverse_rh(0.6, 1.6, 0.1) * view;
            let culling = GlobeCulling::new(&bounds, (RADIUS, ground.relief, ground.range.0), eye, clip);
            let seen = keyed(&select(&range, Some(&culling)));
            for direction in directions() {
                let point = direction * ground.surface(direction) - eye;
                let at = clip * point.extend(1.0);
                let in_picture = at.w > 0.0 && at.x.abs() <= at.w && at.y.abs() <= at.w && at.z <= at.w;
                let hit = ground.pick(eye, point.normalize());
                if in_picture && hit.is_some_and(|hit| (hit - eye).distance(point) < 1e4) {
                    assert_eq!(
                        drawn_at(&seen, direction).len(),
                        1,
                        "the visible direction {direction} is culled for the eye {eye}"
                    );
                }
            }
            let all = keyed(&select(&range, None));
            assert!(seen.len() < all.len());
            assert_eq!(drawn_at(&seen, range.eye), drawn_at(&all, range.eye), "the ground below the eye is there");
        }
    }
}
