//! Erosion of the bed by water, and landslides of steep slopes.

use super::law::{ShallowWaterLaw, TINY};
use super::rows::NeighbourRow;

/// Effects of the neighbouring ground on each cell of a row: slip and limits of the bed change.
pub struct BedNeighbours {
    /// Height of ground that slips into each cell, minus the height that slips out.
    pub slip: Vec<f32>,
    pub lowest: Vec<f32>,
    pub highest: Vec<f32>,
}

impl BedNeighbours {
    pub fn new(n: usize) -> Self {
        let row = || vec![0.0; n];
        Self { slip: row(), lowest: row(), highest: row() }
    }
}

/// Computes the effects of the neighbouring ground on the cells of `mid`.
pub fn compute_bed_neighbours(law: &ShallowWaterLaw, [north, mid, south]: [&NeighbourRow; 3], out: &mut BedNeighbours) {
    let ground = [&north.ground, &mid.ground, &south.ground].map(|row| row.as_slice());
    let soft = [&north.soft, &mid.soft, &south.soft].map(|row| row.as_slice());
    extreme_cells(ground, &mut out.lowest, &mut out.highest);
    let washed = |pair: usize| [north, mid, south].map(|row| row.washed[pair].as_slice());
    let (straight, diagonal) = ([law.rest_straight, law.undercut_straight], [law.rest_diagonal, law.undercut_diagonal]);
    slip_cells::<true>([ground, soft, washed(0), washed(1)], straight, law.slip_straight, &mut out.slip);
    slip_cells::<false>([ground, soft, washed(2), washed(3)], diagonal, law.slip_diagonal, &mut out.slip);
}

/// Writes the lowest and the highest ground among each cell and its neighbours.
fn extreme_cells(ground: [&[f32]; 3], lowest: &mut [f32], highest: &mut [f32]) {
    let n = lowest.len();
    let [north, mid, south] = ground.map(|row| &row[..n + 2]);
    let highest = &mut highest[..n];
    for j in 0..n {
        let (mut low, mut high) = (mid[j + 1], mid[j + 1]);
        for h in [north[j], north[j + 1], north[j + 2], mid[j], mid[j + 2], south[j], south[j + 1], south[j + 2]] {
            low = if h < low { h } else { low };
            high = if h > high { h } else { high };
        }
        (lowest[j], highest[j]) = (low, high);
    }
}

/// Moves ground between each pair of cells. The moved height is `rate` times the part of the height difference above
/// the rest difference, times the erodibility of the higher cell. The rest difference is `rest`, minus `undercut` times
/// the wash of the lower cell along the direction of the pair. `washed` holds the wash for the first direction,
/// `washed_2` for the second direction.
fn slip_cells<const STRAIGHT: bool>(
    [ground, soft, washed, washed_2]: [[&[f32]; 3]; 4],
    [rest, undercut]: [f32; 2],
    rate: f32,
    slip: &mut [f32],
) {
    let n = slip.len();
    let [north, mid, south] = ground.map(|row| &row[..n + 2]);
    let [soft_n, soft_m, soft_s] = soft.map(|row| &row[..n + 2]);
    let [washed_n, washed_m, washed_s] = washed.map(|row| &row[..n + 2]);
    let [washed_2n, washed_2m, washed_2s] = washed_2.map(|row| &row[..n + 2]);
    for j in 0..n {
        let (h, own) = (mid[j + 1], soft_m[j + 1]);
        let pair = |other: f32, soft: f32, own_washed: f32, washed: f32| {
            let rise = other - h;
            let (down, up) = (rise - (rest - undercut * own_washed), rise + (rest - undercut * washed));
            // beyond an edge the difference is NaN, and both comparisons are false
            soft * if down > 0.0 { down } else { 0.0 } + own * if up < 0.0 { up } else { 0.0 }
        };
        let (foot, foot_2) = (washed_m[j + 1], washed_2m[j + 1]);
        if STRAIGHT {
            let rows =
                pair(mid[j], soft_m[j], foot, washed_m[j]) + pair(mid[j + 2], soft_m[j + 2], foot, washed_m[j + 2]);
            let columns = pair(north[j + 1], soft_n[j + 1], foot_2, washed_2n[j + 1])
                + pair(south[j + 1], soft_s[j + 1], foot_2, washed_2s[j + 1]);
            slip[j] = rate * (rows + columns);
        } else {
            let falling =
                pair(north[j], soft_n[j], foot, washed_n[j]) + pair(south[j + 2], soft_s[j + 2], foot, washed_s[j + 2]);
            let rising = pair(north[j + 2], soft_n[j + 2], foot_2, washed_2n[j + 2])
                + pair(south[j], soft_s[j], foot_2, washed_2s[j]);
            slip[j] += rate * (falling + rising);
        }
    }
}

/// Input of [`work_cells`] for a row of wet cells.
pub struct Wetted<'a> {
    pub ground: &'a [f32],
    pub water: &'a [f32],
    pub sediment: &'a [f32],
    pub soft: &'a [f32],
    pub scale: &'a [f32],
    pub flow: &'a [f32],
    pub power: &'a [f32],
    pub around: &'a BedNeighbours,
}

/// Writes the new ground of a row to `ground`. Writes the sediment that the water of the row then holds, before the
/// transport moves any sediment, to `held`.
pub fn work_cells(law: &ShallowWaterLaw, row: &Wetted, ground: &mut [f32], held: &mut [f32]) {
    let n = ground.len();
    let (old, water, sediment, soft) = (&row.ground[..n], &row.water[..n], &row.sediment[..n], &row.soft[..n]);
    let (scale, flow, power) = (&row.scale[..n], &row.flow[..n], &row.power[..n]);
    let (slip, lowest, highest) = (&row.around.slip[..n], &row.around.lowest[..n], &row.around.highest[..n]);
    let held = &mut held[..n];
    for j in 0..n {
        let (h, d, s) = (old[j], water[j], sediment[j]);
        let moved = scale[j] * flow[j];
        let p = scale[j] * power[j] * law.per_cell;
        let p = if p > 0.0 { p } else { 0.0 };
        // |q|·sin α, from |q| and |q|·tan α
        let work = p * moved / (p * p + moved * moved + 1e-36).sqrt() + law.min_tilt * moved;
        let wet = d * law.per_shallow;
        let wet = if wet < 1.0 { wet } else { 1.0 };
        let capacity = law.capacity * wet * work;
        let soft = soft[j] + law.softening * wet * soft[j] * (1.0 - soft[j]);
        let lack = capacity - s;
        let taken = law.dissolving * soft * if lack > 0.0 { lack } else { 0.0 };
        let most = law.bed_step * (h - lowest[j]) + law.bed_least;
        let taken = if taken < most { taken } else { most };
        let laid = law.deposition * if lack < 0.0 { -lack } else { 0.0 };
        let most = law.bed_step * (highest[j] - h) + law.bed_least;
        let laid = if laid < most { laid } else { most };
        let new = h + (slip[j] + (laid - taken));
        ground[j] = new;
        // computed from the height change that was stored, so that the rounding error stays in the sediment
        held[j] = s - ((new - h) - slip[j]);
    }
}

/// Computes K·s/d: the sediment that leaves a cell per unit of flux before scaling. Here K is the scale of the outflow,
/// s the sediment and d the depth of the water.
pub fn load_cells(scale: &[f32], water: &[f32], held: &[f32], load: &mut [f32]) {
    let n = load.len();
    let (scale, water, held) = (&scale[..n], &water[..n], &held[..n]);
    for j in 0..n {
        let share = scale[j] * held[j] / (water[j] + TINY);
        load[j] = if water[j] > 1e-12 { share } else { 0.0 };
    }
}
