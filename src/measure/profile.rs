//! Terrain profile along a line, and the area and volume inside a closed line.
//!
//! Positions are fractions of the side, to the east and to the south. The even-odd rule decides which positions are
//! inside a closed line.

use super::TerrainScale;
use crate::field::Terrain;

/// Approximate number of steps of a profile. Every segment of the line has at least one step.
const STEPS: usize = 400;

/// A point of a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfilePoint {
    /// Position as fractions of the side, to the east and to the south.
    pub place: [f32; 2],
    /// Horizontal distance from the start, in metres.
    pub along_metres: f64,
    /// Height above the datum, in metres.
    pub height_metres: f64,
}

/// The terrain profile along a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroundProfile {
    /// Points from the start to the end of the line.
    pub points: Vec<ProfilePoint>,
    /// Length of the line along the terrain surface, in metres.
    pub surface_metres: f64,
    /// Sum of all ascents, in metres.
    pub climb_metres: f64,
    /// Sum of all descents, in metres.
    pub descent_metres: f64,
}

impl GroundProfile {
    /// The profile of `terrain` along `line`. The profile has no points if the line has fewer than two points.
    pub fn new(terrain: &Terrain, scale: TerrainScale, line: &[[f32; 2]]) -> Self {
        let side = f64::from(scale.size_metres);
        let long = |pair: &[[f32; 2]]| {
            let [dx, dy] = [0, 1].map(|axis| f64::from(pair[1][axis] - pair[0][axis]) * side);
            libm::hypot(dx, dy)
        };
        let whole: f64 = line.windows(2).map(long).sum();
        let mut made = Self::default();
        let mut begun = 0.0;
        for (k, pair) in line.windows(2).enumerate() {
            let length = long(pair);
            let steps = (length / whole * STEPS as f64).ceil().max(1.0) as usize;
            for step in usize::from(k > 0)..=steps {
                let share = step as f64 / steps as f64;
                let place = [0, 1].map(|axis| pair[0][axis] + (pair[1][axis] - pair[0][axis]) * share as f32);
                let height = f64::from(terrain.height_at(place[0], place[1])) * f64::from(scale.relief_metres);
                made.add(ProfilePoint { place, along_metres: begun + length * share, height_metres: height });
            }
            begun += length;
        }
        made
    }

    fn add(&mut self, point: ProfilePoint) {
        if let Some(last) = self.points.last() {
            let rise = point.height_metres - last.height_metres;
            self.surface_metres += libm::hypot(rise, point.along_metres - last.along_metres);
            if rise > 0.0 { self.climb_metres += rise } else { self.descent_metres -= rise }
        }
        self.points.push(point);
    }

    /// Length of the line in plan view, in metres.
    pub fn level_metres(&self) -> f64 {
        self.points.last().map_or(0.0, |last| last.along_metres)
    }

    /// The profile point nearest to a distance from the start.
    pub fn nearest(&self, along_metres: f64) -> Option<&ProfilePoint> {
        let away = |point: &&ProfilePoint| (point.along_metres - along_metres).abs();
        self.points.iter().min_by(|a, b| away(a).total_cmp(&away(b)))
    }
}

/// Area inside a closed line in plan view, in square metres. The end of `line` is joined to its start.
pub fn enclosed_area(line: &[[f32; 2]], size_metres: f32) -> f64 {
    let next = |k: usize| line[(k + 1) % line.len()].map(f64::from);
    let twice = line.iter().enumerate().map(|(k, here)| {
        let (here, there) = (here.map(f64::from), next(k));
        here[0] * there[1] - there[0] * here[1]
    });
    0.5 * twice.sum::<f64>().abs() * f64::from(size_metres) * f64::from(size_metres)
}

/// Fill and cut volumes between two terrains inside a closed line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnclosedVolume {
    /// Volume where the second terrain is higher, in cubic metres.
    pub gained_m3: f64,
    /// Volume where the second terrain is lower, in cubic metres.
    pub lost_m3: f64,
}

/// The volumes between two terrains inside the closed `line`, computed at the samples of the first terrain.
pub fn enclosed_volume(a: (&Terrain, TerrainScale), b: (&Terrain, TerrainScale), line: &[[f32; 2]]) -> EnclosedVolume {
    let n = a.0.samples();
    let last = (n - 1) as f32;
    let cell = f64::from(a.1.size_metres) / f64::from(last);
    let mut volume = EnclosedVolume::default();
    for row in 0..n {
        let v = row as f32 / last;
        // Columns at which the line crosses the row.
        let mut crossings: Vec<f32> = (0..line.len())
            .filter_map(|k| {
                let (from, to) = (line[k], line[(k + 1) % line.len()]);
                let crosses = (from[1] <= v) != (to[1] <= v);
                crosses.then(|| from[0] + (to[0] - from[0]) * (v - from[1]) / (to[1] - from[1]))
            })
            .collect();
        crossings.sort_by(f32::total_cmp);
        for span in crossings.chunks_exact(2) {
            let from = (span[0] * last).ceil().max(0.0) as usize;
            for column in from..n {
                let u = column as f32 / last;
                if u > span[1] {
                    break;
                }
                let one = f64::from(a.0.height[row * n + column]) * f64::from(a.1.relief_metres);
                let two = f64::from(b.0.height_at(u, v)) * f64::from(b.1.relief_metres);
                let higher = (two - one) * cell * cell;
                if higher > 0.0 { volume.gained_m3 += higher } else { volume.lost_m3 -= higher }
            }
        }
    }
    volume
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Edges;

    const SCALE: TerrainScale = TerrainScale { size_metres: 1000.0, relief_metres: 100.0, sea_metres: None };

    #[test]
    fn a_profile_over_a_ramp_is_as_long_and_as_high_as_the_ramp() {
        let ramp = Terrain::from_fn(65, Edges::Open, |u, _| u);
        let profile = GroundProfile::new(&ramp, SCALE, &[[0.0, 0.5], [0.5, 0.5], [0.25, 0.5]]);
        assert!((profile.level_metres() - 750.0).abs() < 1e-3, "{}", profile.level_metres());
        assert!((profile.climb_metres - 50.0).abs() < 1e-3 && (profile.descent_metres - 25.0).abs() < 1e-3);
        let slope = (1.0f64 + 0.01).sqrt();
        assert!((profile.surface_metres - 750.0 * slope).abs() < 1e-2, "{}", profile.surface_metres);
        let top = profile.nearest(500.0).unwrap();
        assert!((top.height_metres - 50.0).abs() < 0.3 && (top.place[0] - 0.5).abs() < 0.01);
        assert_eq!(GroundProfile::new(&ramp, SCALE, &[[0.1, 0.1]]), GroundProfile::default());
        // The lengths of a line of length zero are 0, never NaN.
        let still = GroundProfile::new(&ramp, SCALE, &[[0.1, 0.1], [0.1, 0.1]]);
        assert!(still.points.iter().all(|point| point.along_metres == 0.0), "{still:?}");
    }

    #[test]
    fn a_closed_line_has_the_area_and_the_volume_within() {
        let square = [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]];
        assert!((enclosed_area(&square, 1000.0) - 250_000.0).abs() < 1e-3);
        let low = Terrain::from_fn(257, Edges::Open, |_, _| 0.0);
        let high = Terrain::from_fn(257, Edges::Open, |_, _| 0.1);
        let volume = enclosed_volume((&low, SCALE), (&high, SCALE), &square);
        assert!((volume.gained_m3 / 2.5e6 - 1.0).abs() < 0.02, "{volume:?}");
        assert_eq!(volume.lost_m3, 0.0);
        let back = enclosed_volume((&high, SCALE), (&low, SCALE), &square);
        assert!((back.lost_m3 - volume.gained_m3).abs() < 1.0 && back.gained_m3 == 0.0);
    }
}
