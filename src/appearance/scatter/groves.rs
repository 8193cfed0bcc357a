//! Positions of groves. They follow gradient noise (Perlin 2002, *Improving noise*) of three octaves, each rotated
//! relative to the others. A fourth noise displaces the positions, so that no edge of a grove follows the noise
//! lattice.

use std::f32::consts::PI;

use crate::field::Stream;

/// Number of waves of the first noise octave per grove width.
const WAVES: f32 = 0.62;
/// Displacement by the fourth noise, in wavelengths of the first octave. `BEND_WAVES` is the frequency of the fourth
/// noise relative to the first octave.
const BEND: f32 = 0.45;
const BEND_WAVES: f32 = 1.3;
/// For each octave: weight, frequency relative to the first octave, cosine and sine of its rotation. The first octave
/// is rotated by 0.46 radians, each later octave by 0.9 more.
const OCTAVES: [(f32, f32, f32, f32); 3] =
    [(1.0, 1.0, 0.896_052, 0.443_948), (0.5, 2.13, 0.209_240, 0.977_865), (0.27, 4.41, -0.635_916, 0.771_758)];
/// Standard deviation of the sum of the octaves.
const DEVIATION: f32 = 0.25;

/// Degree to which a position in metres is inside a grove: 0 outside, 1 inside. The edge of a grove is a sixth of the
/// grove's width wide. Groves are about `width` metres wide and cover the fraction `share` of the terrain.
pub fn grove_share(stream: Stream, (width, share): (f32, f32), metres: [f32; 2]) -> f32 {
    let scale = WAVES / width;
    let plane = metres.map(|along| along * scale);
    let [east, south] = gradient_noises(stream.fork(1), turned(plane, OCTAVES[0]).map(|along| along * BEND_WAVES));
    let bent = [plane[0] + BEND * east, plane[1] + BEND * south];
    let value = OCTAVES.iter().zip(2..).fold(0.0, |sum, (&octave, salt)| {
        let place = turned(bent, octave).map(|along| along * octave.1);
        sum + octave.0 * gradient_noises(stream.fork(salt), place)[0]
    });
    // The sum of the octaves is nearly normally distributed, and the logistic function approximates the cumulative
    // normal distribution.
    let above = 1.0 / (1.0 + libm::expf(-1.7 * value / DEVIATION));
    ((above - (1.0 - share)) / 0.16 + 0.5 * (1.0 - (2.0 * share - 1.0).abs())).clamp(0.0, 1.0)
}

fn turned([x, y]: [f32; 2], (_, _, cosine, sine): (f32, f32, f32, f32)) -> [f32; 2] {
    [cosine * x - sine * y, sine * x + cosine * y]
}

/// Number of gradient directions.
const DIRECTIONS: usize = 16;

static SLOPES: std::sync::LazyLock<[[f32; 2]; DIRECTIONS]> = std::sync::LazyLock::new(|| {
    std::array::from_fn(|k| {
        let angle = (k as f32 + 0.5) * 2.0 * PI / DIRECTIONS as f32;
        [libm::cosf(angle), libm::sinf(angle)]
    })
});

/// Two gradient noises with mean 0; each has one wave per unit of length and gradients of length 1.
fn gradient_noises(stream: Stream, place: [f32; 2]) -> [f32; 2] {
    let low = place.map(libm::floorf);
    let [column, row] = low.map(|along| along as i32);
    let part: [f32; 2] = std::array::from_fn(|k| place[k] - low[k]);
    let [east, south] = part.map(|t| t * t * t * (t * (t * 6.0 - 15.0) + 10.0));
    let slopes = &*SLOPES;
    let corner = |i: i32, j: i32| {
        let bits = stream.bits(column + i, row + j);
        let away = [part[0] - i as f32, part[1] - j as f32];
        [bits >> 60, bits >> 56 & 15].map(|k| {
            let [x, y] = slopes[k as usize];
            x * away[0] + y * away[1]
        })
    };
    let four = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
    std::array::from_fn(|k| {
        let north = four[0][k] + (four[1][k] - four[0][k]) * east;
        let south_row = four[2][k] + (four[3][k] - four[2][k]) * east;
        north + (south_row - north) * south
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each cell of a raster is inside a grove; a cell is a tenth of the grove width wide.
    fn raster(side: usize, share: f32) -> Vec<bool> {
        let stream = Stream::new(3, 0x7ee5);
        let at = |k: usize| [(k % side) as f32 * 10.0, (k / side) as f32 * 10.0];
        (0..side * side).map(|k| grove_share(stream, (100.0, share), at(k)) > 0.5).collect()
    }

    #[test]
    fn groves_cover_the_requested_share_of_the_ground() {
        for share in [0.35, 0.5, 0.75] {
            let raster = raster(500, share);
            let covered = raster.iter().filter(|inside| **inside).count() as f32 / raster.len() as f32;
            assert!((covered - share).abs() < 0.07, "{covered} of {share}");
        }
        let stream = Stream::new(3, 1);
        let all = |share| (0..500).map(move |k| grove_share(stream, (50.0, share), [31.0 * k as f32, 17.0]));
        // At a grove fraction of 1, all positions are inside groves except near edges, which cover a twelfth of the
        // terrain.
        assert!(all(0.0).all(|inside| inside == 0.0) && all(1.0).sum::<f32>() > 440.0, "{}", all(1.0).sum::<f32>());
    }

    #[test]
    fn grove_edges_have_no_preferred_direction() {
        let (side, step) = (700, 1.0);
        let stream = Stream::new(9, 0x7ee5);
        let value = |x: f32, y: f32| grove_share(stream, (30.0, 0.5), [x, y]);
        let mut edges = [0.0f32; 8];
        for k in 0..side * side {
            let (x, y) = ((k % side) as f32 * step, (k / side) as f32 * step);
            let here = value(x, y);
            let (across, down) = (value(x + 0.1, y) - here, value(x, y + 0.1) - here);
            let steep = (across * across + down * down).sqrt();
            if steep > 1e-3 {
                let angle = libm::atan2f(down, across).rem_euclid(PI);
                edges[((angle / PI * 8.0) as usize).min(7)] += steep;
            }
        }
        let mean = edges.iter().sum::<f32>() / 8.0;
        // The groves must have no preferred direction. Value noise on a lattice had nearly twice as many edges along
        // its axes as along its diagonals.
        assert!(edges.iter().all(|edge| (0.8..1.25).contains(&(edge / mean))), "{edges:?}");
    }
}
