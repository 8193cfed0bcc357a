//! Irregularity of craters around their rims: periodic noise as a function of direction, and the lengths of rays.
//!
//! A direction is a number from 0 to [`DIRECTIONS`] that increases around the crater's centre. It is measured along the
//! diamond |east| + |north| = 1, so that no inverse tangent is needed. A few tables are computed once; every crater
//! draws one of these tables and a rotation.

use std::sync::LazyLock;

use talweg_ground::field::Stream;

const DIRECTIONS: usize = 1024;
pub const TABLES: usize = 16;

type RoughnessTable = [f32; DIRECTIONS];

/// Noise around a circle from -1 to 1, with six lobes and finer detail.
static LOBES: LazyLock<Vec<RoughnessTable>> = LazyLock::new(|| (0..TABLES).map(lobes).collect());
/// Length of the ray in each direction, from 0 to 1.
static RAYS: LazyLock<Vec<RoughnessTable>> = LazyLock::new(|| (0..TABLES).map(rays).collect());

/// The table and the rotation that a crater has drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct CraterNoise {
    table: usize,
    offset: f32,
}

impl CraterNoise {
    pub fn new(bits: u64) -> Self {
        Self { table: bits as usize % TABLES, offset: ((bits >> 32) as usize % DIRECTIONS) as f32 }
    }

    /// Index into the tables for the direction (east, north).
    #[inline(always)]
    pub fn direction(self, east: f32, north: f32) -> f32 {
        let sum = east.abs() + north.abs();
        let along = if sum > 0.0 { north / sum } else { 0.0 };
        let quarter = if east < 0.0 { 2.0 - along } else { along };
        (quarter + 1.0) * (DIRECTIONS as f32 * 0.25) + self.offset
    }

    /// Irregularity in a direction, from -1 to 1.
    #[inline(always)]
    pub fn lobe(self, direction: f32) -> f32 {
        read(&LOBES[self.table], direction)
    }

    /// Length of the ray in a direction, from 0 to 1.
    #[inline(always)]
    pub fn ray(self, direction: f32) -> f32 {
        read(&RAYS[self.table], direction)
    }
}

#[inline(always)]
fn read(table: &RoughnessTable, direction: f32) -> f32 {
    let before = direction as usize;
    let part = direction - before as f32;
    let (a, b) = (table[before % DIRECTIONS], table[(before + 1) % DIRECTIONS]);
    a + (b - a) * part
}

fn lobes(table: usize) -> RoughnessTable {
    let random = Stream::new(0, table as u32);
    let mut made = [0.0; DIRECTIONS];
    for (octave, lobes) in [6usize, 13, 27, 55, 111].into_iter().enumerate() {
        let random = random.fork(octave as u64);
        let amplitude = 3.5 / lobes as f32;
        for (k, value) in made.iter_mut().enumerate() {
            let at = k as f32 * (lobes as f32 / DIRECTIONS as f32);
            let cell = at as usize;
            let t = at - cell as f32;
            let [a, b] = [cell, cell + 1].map(|c| random.signed((c % lobes) as i32, 0));
            *value += amplitude * (a + (b - a) * t * t * (3.0 - 2.0 * t));
        }
    }
    made.map(|value| value.clamp(-1.0, 1.0))
}

fn rays(table: usize) -> RoughnessTable {
    let random = Stream::new(1, table as u32);
    let mut made = [0.0f32; DIRECTIONS];
    for ray in 0..44 {
        let draw = |what| random.unit(ray, what);
        let (centre, width) = (draw(0) * DIRECTIONS as f32, 4.0 + 20.0 * draw(1) * draw(1) * draw(1));
        let length = 0.2 + 0.8 * draw(2) * draw(2) * draw(2);
        for (k, value) in made.iter_mut().enumerate() {
            let apart = (k as f32 - centre).abs();
            let apart = if apart > DIRECTIONS as f32 * 0.5 { DIRECTIONS as f32 - apart } else { apart };
            let here = length * (1.0 - apart * apart / (width * width));
            *value = if here > *value { here } else { *value };
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_go_around_without_a_jump() {
        let turn = CraterNoise::new(5 << 32 | 3);
        let around: Vec<f32> = (0..=4000)
            .map(|k| {
                let angle = f64::from(k) * std::f64::consts::TAU / 4000.0;
                turn.lobe(turn.direction(libm::cos(angle) as f32, libm::sin(angle) as f32))
            })
            .collect();
        assert!(around.windows(2).all(|w| (w[1] - w[0]).abs() < 0.05), "it is continuous, also where it closes");
        assert!(around.iter().any(|&v| v > 0.2) && around.iter().any(|&v| v < -0.2));
    }
}
