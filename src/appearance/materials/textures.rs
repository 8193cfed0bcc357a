//! Procedural textures of the ground materials. A texture holds slopes, height and tone of about one square metre, and
//! repeats without a seam.
//!
//! Every texture is a height from 0 to 1, made of periodic gradient noise (Perlin 2002) and cellular noise (Worley
//! 1996). The slopes follow from the height. The tone makes single stones and blades darker or lighter. The texture
//! contains no colour: the palette gives the colour.

use std::f32::consts::TAU;
use std::sync::LazyLock;

use rayon::prelude::*;

use crate::appearance_files::Material;
use crate::field::{Stream, smooth_step};

/// The appearance of a material, except for its texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaterialLook {
    /// The material's own linear colour; rules with a tint use it.
    pub colour: [f32; 3],
    /// Height range of the texture divided by its side length.
    pub depth: f32,
    /// Strength of the effect that the texture's tone has on the colour.
    pub contrast: f32,
    /// Maximum side length in metres to which the repeating texture can be enlarged and still look natural.
    pub widest_metres: f32,
    /// Fraction of light that snow, ice or wet mud reflects like a mirror.
    pub gloss: f32,
    /// Strength, from 0 to 1, of procedural ridges and creases that run downslope. They show details that are smaller
    /// than the sample spacing.
    pub creases: f32,
}

/// The appearance of a material.
pub fn look_of(material: Material) -> MaterialLook {
    let look = |colour, depth, contrast, widest_metres, gloss, creases| MaterialLook {
        colour,
        depth,
        contrast,
        widest_metres,
        gloss,
        creases,
    };
    match material {
        Material::Rock => look([0.20, 0.18, 0.16], 0.075, 0.55, 2500.0, 0.0, 1.0),
        Material::Scree => look([0.25, 0.23, 0.21], 0.030, 0.55, 12.0, 0.0, 0.45),
        Material::Gravel => look([0.27, 0.25, 0.22], 0.018, 0.50, 8.0, 0.0, 0.25),
        Material::Soil => look([0.15, 0.11, 0.075], 0.026, 0.55, 400.0, 0.0, 0.7),
        Material::Grass => look([0.10, 0.14, 0.045], 0.016, 0.42, 500.0, 0.0, 0.35),
        Material::Forest => look([0.07, 0.075, 0.035], 0.016, 0.60, 60.0, 0.0, 0.4),
        // Wind ripples are 15 times as long as high (Bagnold 1941), and the texture has nine ripples along a side.
        Material::Sand => look([0.62, 0.45, 0.26], 0.0075, 0.22, 60.0, 0.0, 0.0),
        Material::Mud => look([0.13, 0.10, 0.075], 0.010, 0.35, 10.0, 0.15, 0.3),
        Material::Snow => look([0.86, 0.89, 0.94], 0.016, 0.10, 300.0, 0.10, 0.22),
        Material::Ice => look([0.55, 0.68, 0.76], 0.016, 0.35, 60.0, 0.35, 0.3),
        Material::Strata => look([0.36, 0.22, 0.15], 0.060, 0.80, 2500.0, 0.0, 0.25),
    }
}

/// A material texture. Each texel has four bytes: slope to the east, slope to the south, height and tone. The byte 128
/// means 0, except for the height, which starts at byte 0.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialTexture {
    /// Number of texels per side.
    pub side: usize,
    /// Texels in rows from the north-west corner.
    pub texels: Vec<[u8; 4]>,
    /// Slope that the bytes 1 and 255 represent, as a multiple of the texture's height range per side.
    pub steepest: f32,
}

impl MaterialTexture {
    /// The texture of a material with `side` texels per side, a power of two. The texture has the same bits on every
    /// machine.
    pub fn new(material: Material, side: usize) -> Self {
        let make = |k: usize| {
            let at = [(k % side) as f32 / side as f32, (k / side) as f32 / side as f32];
            surface(material, at)
        };
        let made = evened(&(0..side * side).into_par_iter().map(make).collect::<Vec<_>>(), side);
        let (low, high) = made.iter().fold((f32::MAX, f32::MIN), |(low, high), [h, _]| (low.min(*h), high.max(*h)));
        let height = |i: usize, j: usize| (made[i % side * side + j % side][0] - low) / (high - low).max(1e-6);
        let mean = made.iter().map(|[_, tone]| tone).sum::<f32>() / made.len() as f32;
        let across = 0.5 * side as f32;
        let slopes: Vec<[f32; 2]> = (0..side * side)
            .map(|k| {
                let (i, j) = (k / side, k % side);
                let east = height(i, j + 1) - height(i, j + side - 1);
                [east * across, (height(i + 1, j) - height(i + side - 1, j)) * across]
            })
            .collect();
        let mut sizes: Vec<f32> = slopes.iter().flatten().map(|s| s.abs()).collect();
        let most = sizes.len() * 99 / 100;
        let steepest = sizes.select_nth_unstable_by(most, f32::total_cmp).1.max(1e-6);
        let signed = |x: f32| (128.0 + 127.0 * x.clamp(-1.0, 1.0) + 0.5) as u8;
        let texels = slopes
            .iter()
            .enumerate()
            .map(|(k, [east, south])| {
                let tone = made[k][1] - mean;
                let up = (height(k / side, k % side) * 255.0 + 0.5) as u8;
                [signed(east / steepest), signed(south / steepest), up, signed(tone)]
            })
            .collect();
        Self { side, texels, steepest }
    }
}

/// Blurs a repeating texture: along each axis, half of a texel's value is from its neighbours. The edges of blocks,
/// joints and leaves then have no stair steps.
fn evened(made: &[[f32; 2]], side: usize) -> Vec<[f32; 2]> {
    let mean = |[before, here, after]: [[f32; 2]; 3]| -> [f32; 2] {
        std::array::from_fn(|c| 0.25 * (before[c] + 2.0 * here[c] + after[c]))
    };
    let across: Vec<[f32; 2]> = (0..side * side)
        .map(|k| {
            let row = k / side * side;
            mean([made[row + (k + side - 1) % side], made[k], made[row + (k + 1) % side]])
        })
        .collect();
    let len = side * side;
    (0..len).map(|k| mean([across[(k + len - side) % len], across[k], across[(k + side) % len]])).collect()
}

/// Height (in any unit) and tone of a material at a position from 0 to 1; both values repeat with period 1.
fn surface(material: Material, at: [f32; 2]) -> [f32; 2] {
    match material {
        Material::Rock => rock(at),
        Material::Scree => stones(at, 9, 0.95, 31),
        Material::Gravel => stones(at, 14, 0.55, 41),
        Material::Soil => soil(at),
        Material::Grass => grass(at),
        Material::Forest => litter(at),
        Material::Sand => sand(at),
        Material::Mud => mud(at),
        Material::Snow => snow(at),
        Material::Ice => ice(at),
        Material::Strata => strata(at),
    }
}

/// Height and tone of rock: blocks of several sizes with tilted tops, and narrow joints between the large blocks.
fn rock(at: [f32; 2]) -> [f32; 2] {
    let warp = [0.025 * sum(at, 5, 4, 11), 0.025 * sum(at, 5, 4, 12)];
    let p = [at[0] + warp[0], at[1] + warp[1]];
    let (mut height, mut tone, mut weight) = (0.0, 0.0, 1.0);
    for (k, across) in [4, 7, 13, 25, 49].into_iter().enumerate() {
        let block = cells(p, across, 14 + k as u64);
        let [east, south] = DIRECTIONS[(block.other * 63.99) as usize];
        let lean = east * block.east + south * block.south;
        height += weight * (0.55 * block.value + 0.85 * lean);
        tone += weight * (0.35 * (block.value - 0.5) + 0.30 * lean);
        if k == 1 || k == 2 {
            let joint = 1.0 - ((block.second - block.first) / 0.06).clamp(0.0, 1.0);
            height -= 0.06 * weight * joint;
            tone -= 0.07 * weight * joint;
        }
        weight *= 0.56;
    }
    let crags = sum(p, 5, 6, 13);
    let fine = sum(at, 48, 3, 20);
    [height + 0.55 * crags + 0.08 * fine, tone + 0.45 * crags + 0.15 * fine]
}

/// Height and tone of overlapping stones of three sizes. A higher `angular` makes the stones less round and sharper.
fn stones(at: [f32; 2], across: i32, angular: f32, seed: u64) -> [f32; 2] {
    let mut top = -1.0f32;
    let mut tone = -0.4;
    for (k, (times, size)) in [(1, 1.0), (2, 0.62), (4, 0.36), (8, 0.20)].into_iter().enumerate() {
        let bend = [0.02 * sum(at, 2 * across, 2, seed + 5), 0.02 * sum(at, 2 * across, 2, seed + 6)];
        let cell = cells([at[0] + bend[0], at[1] + bend[1]], across * times, seed + k as u64);
        let edge = ((cell.second - cell.first) / 0.9).clamp(0.0, 1.0);
        let round = (1.0 - cell.first * cell.first * 1.9).max(0.0).sqrt();
        let shape = angular * edge.sqrt() + (1.0 - angular) * round;
        // A third of the cells are empty, so that smaller stones are visible between large ones.
        let lies = if cell.value < 0.62 || times == 8 { 1.0 } else { 0.0 };
        let height = lies * size * (0.35 + 0.65 * shape * (0.6 + 0.4 * cell.other)) - 0.6 * (1.0 - lies);
        if height > top {
            top = height;
            tone = 0.75 * (cell.other - 0.5) + 0.45 * (shape - 0.6);
        }
    }
    let fine = sum(at, 6 * across, 3, seed + 9);
    [top + 0.04 * fine, tone + 0.12 * fine]
}

fn soil(at: [f32; 2]) -> [f32; 2] {
    let clods = sum(at, 6, 6, 51);
    let crumbs = cells(at, 48, 52);
    let pebble = cells(at, 20, 53);
    let stone = if pebble.value > 0.86 { (1.0 - pebble.first * 2.6).max(0.0) } else { 0.0 };
    let height = 0.8 * clods + 0.22 * (1.0 - crumbs.first) + 0.5 * stone.sqrt();
    [height, 0.5 * clods + 0.22 * (crumbs.value - 0.5) + 0.6 * stone]
}

fn grass(at: [f32; 2]) -> [f32; 2] {
    let bend = [0.02 * sum(at, 12, 3, 62), 0.02 * sum(at, 12, 3, 63)];
    let p = [at[0] + bend[0], at[1] + bend[1]];
    let (mut top, mut tone) = (-1.0f32, 0.0);
    for (k, across) in [13, 23, 41].into_iter().enumerate() {
        // The blades of a tuft surround its centre.
        let tuft = cells(p, across, 64 + k as u64);
        let angle = libm::atan2f(tuft.south, tuft.east);
        let blades = libm::cosf(9.0 * angle + 40.0 * tuft.value) * libm::cosf(14.0 * angle + 60.0 * tuft.other);
        let rise = (1.0 - tuft.first * (1.05 - 0.35 * blades)).max(0.0);
        let height = (0.5 + 0.5 * tuft.value) * rise;
        if height > top {
            top = height;
            tone = 0.45 * (tuft.other - 0.5) + 0.55 * (rise - 0.45) + 0.22 * blades * (1.0 - rise);
        }
    }
    let fine = sum(at, 70, 2, 67);
    let patches = sum(at, 3, 4, 68);
    [top + 0.10 * fine + 0.15 * patches, tone + 0.18 * fine + 0.55 * patches]
}

fn litter(at: [f32; 2]) -> [f32; 2] {
    let moss = sum(at, 4, 5, 71);
    let mut height = 0.5 * moss;
    let mut tone = 0.5 * moss;
    for k in 0..3 {
        let leaf = cells([at[0] + 0.31 * k as f32, at[1] + 0.17 * k as f32], 22 + 6 * k, 72 + k as u64);
        let lies = (0.42 - leaf.first).max(0.0);
        if leaf.value > 0.35 && lies > 0.0 {
            height = height.max(0.2 * k as f32 + 0.4 * (leaf.other - 0.3) + 0.5 * lies);
            tone = 0.9 * (leaf.value - 0.6);
        }
    }
    let fine = sum(at, 60, 2, 79);
    [height + 0.10 * fine, tone + 0.15 * fine]
}

fn sand(at: [f32; 2]) -> [f32; 2] {
    let bend = 0.35 * sum(at, 2, 3, 81) + 0.08 * sum(at, 9, 2, 82);
    let phase = (at[1] * 9.0 + bend * 2.2).rem_euclid(1.0);
    // A ripple has a long windward side and a short lee side.
    let ripple = if phase < 0.68 { phase / 0.68 } else { (1.0 - phase) / 0.32 };
    let ripple = smooth_step(ripple) * (0.75 + 0.5 * sum(at, 3, 2, 83));
    let grains = sum(at, 120, 1, 84);
    [ripple + 0.10 * grains, 0.25 * (ripple - 0.5) + 0.5 * grains + 0.25 * sum(at, 4, 4, 85)]
}

fn mud(at: [f32; 2]) -> [f32; 2] {
    let bend = [0.03 * sum(at, 6, 3, 91), 0.03 * sum(at, 6, 3, 92)];
    let plate = cells([at[0] + bend[0], at[1] + bend[1]], 7, 93);
    let gap = 1.0 - ((plate.second - plate.first) / 0.09).clamp(0.0, 1.0);
    let smooth = sum(at, 4, 4, 94);
    [0.4 * smooth - 0.8 * gap * gap, 0.35 * smooth + 0.2 * (plate.value - 0.5) - 0.7 * gap]
}

fn snow(at: [f32; 2]) -> [f32; 2] {
    let waves = stretched(at, [3, 12], 101) + 0.5 * stretched(at, [6, 26], 102);
    let grains = sum(at, 128, 1, 103);
    [waves + 0.5 * sum(at, 3, 4, 104) + 0.05 * grains, 0.4 * waves + 0.35 * grains]
}

fn ice(at: [f32; 2]) -> [f32; 2] {
    let bend = [0.06 * sum(at, 4, 3, 111), 0.06 * sum(at, 4, 3, 112)];
    let plate = cells([at[0] + bend[0], at[1] + bend[1]], 5, 113);
    let crack = 1.0 - ((plate.second - plate.first) / 0.05).clamp(0.0, 1.0);
    let veins = (1.0 - sum(at, 5, 5, 114).abs() * 6.0).max(0.0);
    let smooth = sum(at, 3, 4, 115);
    [0.7 * smooth - 0.5 * crack, 0.4 * smooth + 0.5 * veins - 0.5 * crack]
}

/// Height and tone of rock strata in vertical section; `at[1]` is up. Hard beds protrude and break into blocks.
fn strata(at: [f32; 2]) -> [f32; 2] {
    let bend = 0.012 * sum([at[0], 0.5], 3, 4, 121);
    let up = at[1] + bend;
    let (mut height, mut tone, mut weight) = (0.0, 0.0, 1.0);
    for (k, beds) in [5, 11, 23, 47].into_iter().enumerate() {
        // Cellular noise with a single column of cells: each cell is a bed, and the beds differ in thickness.
        let bed = cells([0.5 / beds as f32, up], beds, 122 + k as u64);
        let (hard, colour) = (bed.value, bed.other);
        // The upper edge of a bed is sharp; its lower part is eroded.
        let face = (bed.second - bed.first).clamp(0.0, 0.25) * 4.0;
        height += weight * (0.9 * hard + 0.25 * face);
        tone += weight * (0.95 * (colour - 0.5) + 0.22 * (hard - 0.5));
        weight *= 0.62;
    }
    let block = cells([at[0] + 0.02 * sum(at, 6, 3, 131), up], 17, 132);
    let joint = 1.0 - ((block.second - block.first) / 0.08).clamp(0.0, 1.0);
    let rough = sum(at, 6, 5, 133);
    let fine = sum(at, 48, 3, 134);
    [height + 0.30 * rough + 0.08 * fine - 0.10 * joint, tone + 0.30 * rough + 0.14 * fine - 0.08 * joint]
}

/// Sums octaves of gradient noise, each half as high as the previous octave. The sum is about -0.7 to 0.7 and repeats
/// with period 1.
fn sum(at: [f32; 2], cells: i32, octaves: u32, seed: u64) -> f32 {
    let (mut value, mut weight, mut across) = (0.0, 1.0, cells);
    for octave in 0..octaves {
        value += weight * gradient_noise(at, [across, across], Stream::new(seed as u32, octave));
        weight *= 0.5;
        across *= 2;
    }
    value
}

/// Two octaves of gradient noise, with different numbers of cells along the two axes.
fn stretched(at: [f32; 2], cells: [i32; 2], seed: u64) -> f32 {
    let twice = cells.map(|n| 2 * n);
    gradient_noise(at, cells, Stream::new(seed as u32, 0))
        + 0.5 * gradient_noise(at, twice, Stream::new(seed as u32, 1))
}

/// Unit gradient vectors, evenly distributed over all directions.
static DIRECTIONS: LazyLock<[[f32; 2]; 64]> = LazyLock::new(|| {
    std::array::from_fn(|k| {
        let angle = TAU * k as f32 / 64.0;
        [libm::cosf(angle), libm::sinf(angle)]
    })
});

/// Perlin's gradient noise on a periodic lattice; `cells` is the number of cells along each axis.
fn gradient_noise(at: [f32; 2], cells: [i32; 2], random: Stream) -> f32 {
    let place = [at[0] * cells[0] as f32, at[1] * cells[1] as f32];
    let low = place.map(|x| libm::floorf(x) as i32);
    let part = [place[0] - low[0] as f32, place[1] - low[1] as f32];
    let corner = |i: i32, j: i32| {
        let (x, y) = ((low[0] + i).rem_euclid(cells[0]), (low[1] + j).rem_euclid(cells[1]));
        let [east, south] = DIRECTIONS[(random.bits(x, y) >> 58) as usize];
        east * (part[0] - i as f32) + south * (part[1] - j as f32)
    };
    let fade = part.map(|t| t * t * t * (t * (t * 6.0 - 15.0) + 10.0));
    let north = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * fade[0];
    let south = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * fade[0];
    north + (south - north) * fade[1]
}

/// The nearest feature point of a cellular noise.
struct WorleyPoint {
    /// Distance to the nearest point in cells. `second` is the distance to the second nearest point.
    first: f32,
    second: f32,
    /// Offset of the nearest point to the east, in cells. The next field is its offset to the south.
    east: f32,
    south: f32,
    /// Random number of the nearest point, from 0 to 1. `other` is a second random number.
    value: f32,
    other: f32,
}

/// Worley's cellular noise with one feature point per cell; it repeats after `across` cells.
fn cells(at: [f32; 2], across: i32, seed: u64) -> WorleyPoint {
    let random = Stream::new(seed as u32, 7);
    let (shift_x, shift_y, value, other) = (random.fork(0), random.fork(1), random.fork(2), random.fork(3));
    let place = at.map(|x| x * across as f32);
    let low = place.map(|x| libm::floorf(x) as i32);
    let mut found = WorleyPoint { first: 9.0, second: 9.0, east: 0.0, south: 0.0, value: 0.0, other: 0.0 };
    for k in 0..9 {
        let (column, row) = (low[0] + k % 3 - 1, low[1] + k / 3 - 1);
        let (x, y) = (column.rem_euclid(across), row.rem_euclid(across));
        let east = column as f32 + shift_x.unit(x, y) - place[0];
        let south = row as f32 + shift_y.unit(x, y) - place[1];
        let away = (east * east + south * south).sqrt();
        if away < found.first {
            let (value, other) = (value.unit(x, y), other.unit(x, y));
            found = WorleyPoint { first: away, second: found.first, east, south, value, other };
        } else if away < found.second {
            found.second = away;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textures_repeat_without_a_seam_and_use_their_range() {
        for material in Material::ALL {
            let texture = MaterialTexture::new(*material, 64);
            let height = |i: usize, j: usize| f32::from(texture.texels[i % 64 * 64 + j % 64][2]);
            let steps =
                |from: usize| (0..64).map(|i| (height(i, from + 1) - height(i, from)).abs()).sum::<f32>() / 64.0;
            let inside = (0..63).map(steps).fold(0.0, f32::max);
            assert!(steps(63) <= 1.3 * inside, "{material:?}: {} across the seam, {inside} inside", steps(63));
            let (low, high) = texture.texels.iter().fold((255, 0), |(l, h), t| (t[2].min(l), t[2].max(h)));
            assert_eq!((low, high), (0, 255), "{material:?}");
            let mean = texture.texels.iter().map(|t| f64::from(t[3])).sum::<f64>() / 4096.0;
            assert!(
                (mean - 128.0).abs() < 6.0,
                "{material:?}: a mean tone of {mean} would change the colour seen from afar"
            );
        }
    }

    #[test]
    fn texture_slopes_match_their_heights() {
        let texture = MaterialTexture::new(Material::Rock, 128);
        let at = |i: usize, j: usize| f32::from(texture.texels[i * 128 + j][2]) / 255.0;
        let far = (1..127)
            .filter(|k| {
                let slope = (at(64, k + 1) - at(64, k - 1)) * 64.0;
                let told = (f32::from(texture.texels[64 * 128 + k][0]) - 128.0) / 127.0 * texture.steepest;
                (slope.clamp(-texture.steepest, texture.steepest) - told).abs() > 0.6
            })
            .count();
        assert!(far <= 2, "{far} of 126");
    }
}
