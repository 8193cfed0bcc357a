//! The ground beside the rivers of a planet, cut down to the sides of their valleys.
//!
//! Law: the least over the cells s of the rivers of bed_s + max(0, d - r_s)·slope_s, d the distance and r half the width; where that is
//! below the ground, the ground is cut. The sea floor stays.
//! Scheme: from the beds outwards, every cell tells its neighbours which river cell cuts it lowest and they measure the true
//! distance to it, until nothing gets lower. A valley ends where its side meets the ground.

use super::rivers::Network;
use crate::field::{Cancelled, Control};

/// A cell of a river.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    pub cell: u32,
    /// Height of the bed.
    pub bed: f32,
    /// Half the width of the valley floor, in metres.
    pub half_width: f32,
    /// Rise of the sides in heights per metre.
    pub slope: f32,
}

const NONE: u32 = u32::MAX;
/// Cells that a valley reaches to either side at most.
const BROADEST: usize = 256;

/// `before` with the valleys of `reaches` cut into it.
pub(super) fn valleys(
    network: &Network,
    before: &[f32],
    reaches: &[Reach],
    control: &Control,
) -> Result<Vec<f32>, Cancelled> {
    let Network { cells, sea, radius_metres, .. } = network;
    let mut ground = before.to_vec();
    let mut by = vec![NONE; ground.len()];
    let mut front = Vec::with_capacity(reaches.len());
    for (index, reach) in reaches.iter().enumerate() {
        let k = reach.cell as usize;
        by[k] = index as u32;
        if reach.bed < ground[k] {
            ground[k] = reach.bed;
        }
        front.push(reach.cell);
    }
    let mut next = Vec::new();
    for _ in 0..BROADEST {
        control.check()?;
        for &k in &front {
            let index = by[k as usize];
            let reach = &reaches[index as usize];
            let from = cells.globe().direction_of(reach.cell as usize);
            for there in cells.beside(k as usize) {
                // nothing is cut below the bed
                if by[there] == index || before[there] <= *sea || ground[there] <= reach.bed {
                    continue;
                }
                let to = cells.globe().direction_of(there);
                let [x, y, z] = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
                let beyond = (x * x + y * y + z * z).sqrt() * radius_metres - reach.half_width;
                let low = if beyond > 0.0 { reach.bed + beyond * reach.slope } else { reach.bed };
                if low < ground[there] {
                    ground[there] = low;
                    by[there] = index;
                    next.push(there as u32);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        front.clear();
        std::mem::swap(&mut front, &mut next);
    }
    Ok(ground)
}
