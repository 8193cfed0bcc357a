//! Computes the detailed terrain at the points of a block, by the steps that the [module](super) lists.

#![allow(clippy::needless_range_loop, reason = "loops over arrays of equal length vectorise")]

use std::ops::Deref;

use super::coarse::{GlobePlaces, Stencil16, bicubic, bilinear, stencil};
use super::courses::RiverInfluence;
use super::octaves::{BlockLane, BlockPoints, LatticePlaces, PART, SpaceLattice};
use super::{BROAD, PERSISTENCE, PlanetDetail, persistence};
use talweg_ground::field::vector::dot;
use talweg_ground::field::{MapKind, Terrain, smooth_step};

/// Standard deviation of the first octave of noise, relative to the rise of the coarse terrain over a cell.
const FIRST: f32 = 0.42;
/// Displacement of a point by the first octave, in cells of the octave per unit of slope. `MOVE_FALLS` is the ratio of
/// this factor from one octave to the next.
const MOVE: f32 = 0.016;
const MOVE_FALLS: f32 = 0.8;
/// Height of gullies relative to noise with the same cell size.
const GULLIES: f32 = 1.5;
/// Slopes (rise over run) between which gullies fade in.
const GULLIES_FROM: [f32; 2] = [0.004, 0.04];
/// Ratios of the slope to its change over one gully cell. Gullies fade in from the first ratio to the second. Where the
/// slope turns faster, as around summits and on crests, stripes would crowd into spikes.
const GULLY_CURVATURE_RATIOS: [f32; 2] = [0.06, 0.3];
/// Curvature of the noise, in units of the noise height divided by the squared cell size.
const NOISE_BENDS: f32 = 9.0;
/// Fraction by which gullies are reduced on the crests and bottoms of larger gullies.
const CREST_FADE: f32 = 0.6;
/// Weight of larger gullies in the slope that finer gullies follow. A higher weight turns finer gullies more strongly
/// towards larger ones.
const BRANCHING: f32 = 1.0;
/// Density of gullies below the sea, relative to the density on land.
const BELOW_SEA: f32 = 0.3;
/// Height of fine noise on level terrain, relative to its height on steep terrain. The height changes between the
/// slopes `GENTLE_UNTIL`.
const GENTLE: f32 = 0.45;
const GENTLE_UNTIL: [f32; 2] = [0.05, 0.45];
/// Three properties of the terrain next to a river. The terrain first rises by 4 m over a distance scale of 500 m, then
/// continues with a slope of 0.008.
const LEVEE: [f32; 3] = [4.0, 500.0, 0.008];
/// Three properties of the terrain between rivers. The first is its maximum height above the banks, as a multiple of
/// the coarse terrain's rise over a cell. The second is the slope of the valley sides. The third is the width of the
/// valley floor, as a fraction of the valley width. The coarse terrain is as low as its rivers: without valley sides,
/// there would be room for relief only far away from rivers.
const VALLEY_SIDES: [f32; 3] = [1.0, 0.3, 0.05];
/// Height above the sea, in metres, below which a river's valley blends into the sea floor.
const MOUTH_METRES: f32 = 6.0;

/// An octave of height a in the room R is multiplied by R/(R + c·a). This is the factor c.
const OCTAVE_ROOM_FACTOR: f32 = 2.0;
/// Room for relief at the edge of a river's valley, in metres, regardless of the height of the terrain.
const OPENS_METRES: f32 = 30.0;

/// Minimum fraction of the sample spacing that a river covers, however narrow it is.
const THINNEST: f32 = 0.4;
/// Depths of standing water, in metres, between which it becomes visible.
const FILM_METRES: [f32; 2] = [0.05, 0.6];

fn bounded_share(share: f32) -> f32 {
    let share = if share > 0.0 { share } else { 0.0 };
    if share < 1.0 { share } else { 1.0 }
}

/// The terrain at the points of a block, in metres.
pub struct BlockGround {
    pub height: BlockLane,
    pub water: BlockLane,
    /// Fraction of the area around the point that is under river or lake water. The area is as wide as the sample
    /// spacing.
    pub water_share: BlockLane,
}

impl Default for BlockGround {
    fn default() -> Self {
        Self { height: [0.0; PART], water: [0.0; PART], water_share: [0.0; PART] }
    }
}

/// Working memory of a thread, reused for each block.
pub struct BlockWork {
    places: LatticePlaces,
    up: [BlockLane; 3],
    moved: BlockPoints,
    located: GlobePlaces,
    /// Octaves that displace the points, with their gradients per metre.
    broad: [(BlockLane, [BlockLane; 3]); BROAD],
    coarse: BlockLane,
    coarse_slope: [BlockLane; 3],
    relief: BlockLane,
    gullying: BlockLane,
    /// Height of the lake surface in metres; infinite where there is no lake.
    lake: BlockLane,
    /// Total interpolation weight, from 0 to 1, of the quadrangle's corners at which there is a lake.
    lake_share: BlockLane,
}

impl Default for BlockWork {
    fn default() -> Self {
        let (lane, three) = ([0.0; PART], [[0.0; PART]; 3]);
        Self {
            places: LatticePlaces::default(),
            up: three,
            moved: [[0.0; PART]; 3],
            located: GlobePlaces::default(),
            broad: [(lane, three); BROAD],
            coarse: lane,
            coarse_slope: three,
            relief: lane,
            gullying: lane,
            lake: lane,
            lake_share: lane,
        }
    }
}

/// A smooth step: 0 below `from`, 1 above `to`.
#[inline(always)]
fn smooth([from, to]: [f32; 2], at: f32) -> f32 {
    let t = (at - from) / (to - from);
    let t = if t > 0.0 { t } else { 0.0 };
    let t = if t < 1.0 { t } else { 1.0 };
    smooth_step(t)
}

/// Fraction, from 0 to 1, by which an octave of noise is visible at this sample spacing.
fn visible_fraction(lattice: &SpaceLattice, spacing: f64) -> f32 {
    smooth([2.0, 4.0], (lattice.cell_metres / spacing) as f32)
}

/// Limits `relief` smoothly to less than `room`.
#[inline(always)]
fn bounded(relief: f32, room: f32) -> f32 {
    let whole = room + relief.abs();
    if whole > 0.0 { relief * room / whole } else { 0.0 }
}

impl<T: Deref<Target = Terrain> + Sync> PlanetDetail<T> {
    /// Computes the terrain at points given in metres from the planet's centre, for samples `spacing` metres apart.
    pub(super) fn block(&self, points: &BlockPoints, spacing: f64, work: &mut BlockWork, out: &mut BlockGround) {
        let per_radius = 1.0 / self.radius_metres;
        for axis in 0..3 {
            for k in 0..PART {
                work.up[axis][k] = (points[axis][k] * per_radius) as f32;
            }
        }
        self.noise(points, spacing, work);
        let mut rivers = RiverInfluence::default();
        self.read_coarse(spacing, work, &mut rivers);

        let sea = self.sea_metres.unwrap_or(f32::NEG_INFINITY);
        let valley = self.rivers.valley_metres();
        let (mut ground, mut room) = ([0.0f32; PART], [0.0f32; PART]);
        let lakes = [&work.lake, &work.lake_share];
        lay_rivers([&work.coarse, &work.relief], lakes, &rivers, [sea, valley], [&mut ground, &mut room]);
        let relief = self.relief_of(points, spacing, work, &room, sea);
        fill_rivers([&ground, &relief, &room, &work.coarse, &work.lake], &rivers, [sea, spacing as f32], out);
        self.craters.add(points, spacing, &mut out.height);
    }

    /// Computes the broad octaves of noise, and displaces the points by them.
    fn noise(&self, points: &BlockPoints, spacing: f64, work: &mut BlockWork) {
        let BlockWork { places, up, moved, broad, .. } = work;
        moved.clone_from(points);
        let mut push = MOVE;
        for (lattice, (value, slope)) in self.octaves.iter().zip(broad) {
            let shown = visible_fraction(lattice, spacing);
            if shown <= 0.0 {
                break;
            }
            lattice.noise_and_slope(points, places, value, slope);
            let cell = lattice.cell_metres as f32;
            move_points(shown * push * cell, up, slope, moved);
            let per_metre = 1.0 / cell;
            slope.iter_mut().flatten().for_each(|slope| *slope *= per_metre);
            push *= MOVE_FALLS;
        }
    }

    /// Reads the coarse terrain, its relief and the rivers at the displaced points.
    fn read_coarse(&self, spacing: f64, work: &mut BlockWork, rivers: &mut RiverInfluence) {
        let n = self.terrain.samples();
        work.located.find(n, &work.moved);
        // A river is drawn at least about a sample wide, but no wider than its valley allows.
        let least = (0.75 * spacing) as f32;
        let widest = 0.4 * self.rivers.valley_metres();
        let least = if least < widest { least } else { widest };
        let mut first = 0;
        while first < PART {
            let quad = work.located.quad(first);
            let end = (first + 1..PART).find(|&k| work.located.quad(k) != quad).unwrap_or(PART);
            let heights = stencil(&self.globe, &self.terrain.height, quad);
            let heights = heights.map(|row| row.map(|h| h * self.relief_metres));
            let lake = self.lake_of(quad);
            if first == 0 && end == PART {
                read_quad(&heights, &work.located, &mut work.coarse, &mut work.coarse_slope);
            } else {
                for k in first..end {
                    read_point(&heights, &work.located, &mut work.coarse, &mut work.coarse_slope, k);
                }
            }
            for k in first..end {
                let inside = [work.located.inside[0][k], work.located.inside[1][k]];
                work.relief[k] = bilinear(&self.relief, n, quad, inside);
                work.gullying[k] = bilinear(&self.gullying, n, quad, inside);
                (work.lake[k], work.lake_share[k]) = lake.map_or((f32::INFINITY, 0.0), |lake| lake.level(inside));
            }
            self.rivers.reach(quad, &work.moved, &work.up, first..end, least, rivers);
            first = end;
        }
    }

    /// Computes the relief of noise and gullies in metres. The room limits each octave, but not yet the sum.
    fn relief_of(
        &self,
        points: &BlockPoints,
        spacing: f64,
        work: &mut BlockWork,
        room: &BlockLane,
        sea: f32,
    ) -> BlockLane {
        let lane = [0.0; PART];
        let mut state = GullyState { slope: work.coarse_slope, bend: lane, mask: work.gullying, raised: lane };
        for k in 0..PART {
            state.mask[k] *= if work.coarse[k] > sea { 1.0 } else { BELOW_SEA };
        }
        let has_gullies = state.mask.iter().any(|&mask| mask > 0.0);
        let mut amplitude = FIRST;
        let mut octaves = self.octaves.iter();
        // The direction of gullies depends on the noise and the gullies of larger cells.
        let mut gullies = self.gullies.iter();
        for (index, lattice) in octaves.by_ref().take(BROAD).enumerate() {
            let shown = visible_fraction(lattice, spacing);
            if shown <= 0.0 {
                break;
            }
            let (value, rise) = &work.broad[index];
            add_octave(shown * amplitude, &work.relief, room, value, &mut state.raised);
            for axis in 0..3 {
                add_octave(shown * amplitude, &work.relief, room, &rise[axis], &mut state.slope[axis]);
            }
            let bend = NOISE_BENDS / (lattice.cell_metres * lattice.cell_metres) as f32;
            add_octave(shown * amplitude, &work.relief, room, &[bend; PART], &mut state.bend);
            amplitude *= persistence(lattice.cell_metres);
            if index > 0
                && has_gullies
                && let Some(lattice) = gullies.next()
            {
                let height = amplitude * PERSISTENCE * GULLIES;
                let shown = self::visible_fraction(lattice, spacing);
                gully_octave(lattice, points, work, room, [shown, height], &mut state);
            }
        }
        let mut rough = [0.0f32; PART];
        for k in 0..PART {
            let [x, y, z] = [0, 1, 2].map(|axis| state.slope[axis][k]);
            let out = x * work.up[0][k] + y * work.up[1][k] + z * work.up[2][k];
            let square = x * x + y * y + z * z - out * out;
            let steep = if square > 0.0 { square.sqrt() } else { 0.0 };
            rough[k] = work.relief[k] * (GENTLE + (1.0 - GENTLE) * smooth(GENTLE_UNTIL, steep));
        }
        let mut value = [0.0f32; PART];
        for lattice in octaves {
            let shown = visible_fraction(lattice, spacing);
            if shown <= 0.0 {
                break;
            }
            lattice.noise(points, &mut work.places, &mut value);
            add_octave(shown * amplitude, &rough, room, &value, &mut state.raised);
            amplitude *= persistence(lattice.cell_metres);
        }
        state.raised
    }

    /// Returns the lake in a quadrangle; `None` if all four corners are dry.
    fn lake_of(&self, [face, row, column]: [usize; 3]) -> Option<LakeCorners> {
        let is_lake = self.lakes.as_ref()?;
        let water = self.terrain.map(MapKind::Water)?;
        let n = self.terrain.samples();
        let first = (face * n + row) * n + column;
        let corners = [first, first + 1, first + n, first + n + 1];
        if !corners.iter().any(|&k| is_lake[k]) {
            return None;
        }
        let level = |k: usize| (self.terrain.height[k] + water[k]) * self.relief_metres;
        Some(LakeCorners(corners.map(|k| is_lake[k].then(|| level(k)))))
    }
}

/// Water levels of a lake at the corners of a quadrangle; `None` at dry corners.
#[derive(Clone, Copy)]
struct LakeCorners([Option<f32>; 4]);

impl LakeCorners {
    /// Returns the height of the lake's surface, and the total interpolation weight of the wet corners. If the weight
    /// is 0, the height is infinite.
    fn level(&self, [x, y]: [f32; 2]) -> (f32, f32) {
        let weights = [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y];
        let (mut sum, mut wet) = (0.0, 0.0);
        for (weight, level) in weights.into_iter().zip(self.0) {
            if let Some(level) = level {
                sum += weight * level;
                wet += weight;
            }
        }
        if wet > 0.0 { (sum / wet, wet) } else { (f32::INFINITY, 0.0) }
    }
}

/// Room for relief in metres where no water is near.
const FREE: f32 = 1.0e9;

/// Computes the terrain with its valleys, and the room for relief: the height above or below the nearest water.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn lay_rivers(
    [coarse, relief]: [&BlockLane; 2],
    [lake, lake_share]: [&BlockLane; 2],
    rivers: &RiverInfluence,
    [sea, valley]: [f32; 2],
    [ground, room]: [&mut BlockLane; 2],
) {
    let lesser = |a: f32, b: f32| if a < b { a } else { b };
    for k in 0..PART {
        let above_sea = coarse[k] - sea;
        // Towards dry samples the lake limits the relief less.
        let above_lake = (coarse[k] - lake[k]).abs() / (smooth([0.0, 0.5], lake_share[k]) + f32::MIN_POSITIVE);
        let free = lesser(lesser(above_sea.abs(), above_lake), FREE);
        let (beyond, bank) = (rivers.beyond[k], rivers.bank[k]);
        let outside = if beyond > 0.0 { beyond } else { 0.0 };
        let way = lesser(outside / valley, 1.0);
        let over = coarse[k] - bank;
        // Terrain that is lower than the river bank is raised to the bank near the river.
        let share = if over > 0.0 { smooth([0.0, 1.0], way) } else { smooth([0.5, 1.0], way) };
        let levee = (LEVEE[0] / (outside + LEVEE[1]) + LEVEE[2]) * outside * (1.0 - way) * (1.0 - way);
        // the valley sides return to the coarse terrain at the edge of the valley
        let [high, steep, floor] = VALLEY_SIDES;
        let rise = steep * outside * outside / (outside + floor * valley);
        let side = bounded(rise, high * relief[k]) * (1.0 - smooth([0.5, 1.0], way));
        let levee = levee + bounded(side, free);
        // At its mouth the valley blends into the sea floor.
        let inland = lesser(above_sea / MOUTH_METRES, 1.0);
        let valley_ground = coarse[k] + inland * (bank + share * over + levee - coarse[k]);
        let from_bank = valley_ground - bank;
        let from_bank = if from_bank > 0.0 { from_bank } else { 0.0 };
        // Towards the edge of its valley the river limits the relief less.
        let rest = 1.0 - smooth([0.3, 1.0], way);
        let held = (from_bank + OPENS_METRES * (1.0 - rest)) / (rest + f32::MIN_POSITIVE);
        let is_valley = beyond < valley && above_sea > 0.0;
        ground[k] = if is_valley { valley_ground } else { coarse[k] };
        room[k] = if is_valley { lesser(held, free) } else { free };
    }
}

/// Adds the limited relief to the terrain, and writes the water of rivers and lakes.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn fill_rivers(
    [ground, relief, room, coarse, lake]: [&BlockLane; 5],
    rivers: &RiverInfluence,
    [sea, spacing]: [f32; 2],
    out: &mut BlockGround,
) {
    for k in 0..PART {
        let height = ground[k] + bounded(relief[k], room[k]);
        let in_river = rivers.beyond[k] <= 0.0 && coarse[k] > sea;
        let bed = rivers.bed[k];
        let height = if in_river && bed < height { bed } else { height };
        // coarse terrain above the lake's surface does not belong to the lake
        let standing = if coarse[k] < lake[k] { lake[k] } else { f32::INFINITY };
        let level = if in_river { rivers.water[k] } else { standing };
        let depth = level - height;
        out.height[k] = height;
        let depth = if depth < FREE && depth > 0.0 && height > sea { depth } else { 0.0 };
        out.water[k] = depth;
        // At its banks a river covers a part of the sample spacing; a narrow river never covers all of it.
        let within = bounded_share(0.5 - rivers.beyond[k] / spacing);
        let narrow = rivers.narrowness[k];
        let narrow = if narrow > THINNEST { narrow } else { THINNEST };
        let river = if coarse[k] > sea && height > sea { within * narrow } else { 0.0 };
        let standing =
            if in_river { 0.0 } else { bounded_share((depth - FILM_METRES[0]) / (FILM_METRES[1] - FILM_METRES[0])) };
        out.water_share[k] = if standing > river { standing } else { river };
    }
}

/// Reads the coarse terrain at the points of a block that are all in one quadrangle.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn read_quad(heights: &Stencil16, located: &GlobePlaces, coarse: &mut BlockLane, slopes: &mut [BlockLane; 3]) {
    for k in 0..PART {
        read_point(heights, located, coarse, slopes, k);
    }
}

#[inline(always)]
fn read_point(
    heights: &Stencil16,
    located: &GlobePlaces,
    coarse: &mut BlockLane,
    slopes: &mut [BlockLane; 3],
    k: usize,
) {
    let [right, down] = &located.slopes;
    let [value, x, y] = bicubic(heights, [located.inside[0][k], located.inside[1][k]]);
    coarse[k] = value;
    for axis in 0..3 {
        slopes[axis][k] = x * right[axis][k] + y * down[axis][k];
    }
}

/// Adds an octave of noise. The octave is `amplitude` times as high as the surrounding relief, and lower where the room
/// is small.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn add_octave(amplitude: f32, relief: &BlockLane, room: &BlockLane, value: &BlockLane, out: &mut BlockLane) {
    for k in 0..PART {
        out[k] += limited_amplitude(amplitude * relief[k], room[k]) * value[k];
    }
}

/// Moves points along the contour lines of noise whose gradient is `slope`.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn move_points(way: f32, up: &[BlockLane; 3], slope: &[BlockLane; 3], moved: &mut BlockPoints) {
    for axis in 0..3 {
        let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
        for k in 0..PART {
            moved[axis][k] += f64::from(way * (up[a][k] * slope[b][k] - up[b][k] * slope[a][k]));
        }
    }
}

/// Height of an octave after `room` limits it.
#[inline(always)]
fn limited_amplitude(height: f32, room: f32) -> f32 {
    height * room / (room + OCTAVE_ROOM_FACTOR * height + f32::MIN_POSITIVE)
}

/// Intermediate state while gullies are added: the slope that the next gullies follow, the density of gullies, and the
/// relief added so far.
struct GullyState {
    slope: [BlockLane; 3],
    /// Approximate change of the slope per metre.
    bend: BlockLane,
    mask: BlockLane,
    raised: BlockLane,
}

/// Adds gullies of one width, `height` times as high as the surrounding relief, and adds their slope to the state.
fn gully_octave(
    lattice: &SpaceLattice,
    points: &BlockPoints,
    work: &mut BlockWork,
    room: &BlockLane,
    [shown, height]: [f32; 2],
    state: &mut GullyState,
) {
    let mut across = [[0.0f32; PART]; 3];
    let (mut begun, mut depth) = ([0.0f32; PART], [0.0f32; PART]);
    let cell = lattice.cell_metres as f32;
    across_slope(&work.up, state, cell, &mut across, &mut begun);
    for k in 0..PART {
        depth[k] = limited_amplitude(shown * height * work.relief[k] * state.mask[k] * begun[k], room[k]);
    }
    if depth.iter().all(|&depth| depth <= 0.0) {
        return;
    }
    let (mut wave, mut rise) = ([0.0f32; PART], [0.0f32; PART]);
    lattice.stripes(points, &mut work.places, &across, &mut wave, &mut rise);
    for k in 0..PART {
        state.raised[k] += depth[k] * wave[k];
        let turn = BRANCHING / cell * depth[k] * rise[k];
        // A wave of amplitude d has the curvature d·(2π/cell)² on its crest, and no curvature on its flanks.
        let tau = std::f32::consts::TAU / cell;
        state.bend[k] += depth[k] * tau * tau * wave[k].abs();
        for axis in 0..3 {
            state.slope[axis][k] += turn * across[axis][k];
        }
        state.mask[k] *= 1.0 - CREST_FADE * begun[k] * wave[k] * wave[k];
    }
}

/// Writes unit vectors that lie in the surface, perpendicular to the direction of steepest descent. Also writes the
/// suitability of the terrain for gullies of a width, from 0 (too gentle or too curved) to 1.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn across_slope(
    up: &[BlockLane; 3],
    GullyState { slope, bend, .. }: &GullyState,
    cell: f32,
    across: &mut [BlockLane; 3],
    begun: &mut BlockLane,
) {
    for k in 0..PART {
        let (u, s) = ([up[0][k], up[1][k], up[2][k]], [slope[0][k], slope[1][k], slope[2][k]]);
        let v = [u[1] * s[2] - u[2] * s[1], u[2] * s[0] - u[0] * s[2], u[0] * s[1] - u[1] * s[0]];
        let steep = length(v);
        let per_steep = if steep > 1.0e-6 { 1.0 / steep } else { 0.0 };
        (0..3).for_each(|axis| across[axis][k] = v[axis] * per_steep);
        begun[k] =
            smooth(GULLIES_FROM, steep) * smooth(GULLY_CURVATURE_RATIOS, steep / (bend[k] * cell + f32::MIN_POSITIVE));
    }
}

#[inline(always)]
fn length(v: [f32; 3]) -> f32 {
    dot(v, v).sqrt()
}
