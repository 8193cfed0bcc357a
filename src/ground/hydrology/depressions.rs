//! How deep every depression is: what its water does as it rises.
//!
//! Law: water rises everywhere at one level. A depression is born at its pit and ends where its water first meets that
//! of a deeper one, at its spill point; of two pits of one height the one of lower index is the deeper. The deepest
//! never ends. Spill level less pit is the prominence of the pit; on the terrain upside down it is the topographic
//! prominence of a peak.
//! Scheme: cells belong to the pit that they drain to, so that only the lowest links of neighbouring basins matter, and
//! those are joined in the order of their height: O(n + p log p) for p links.
//! Boundary: edges are ordinary cells with fewer neighbours; where the terrain wraps they have them all.

use super::basins::{Sets, basin_links, label};
use super::directions::{FlowRouting, flow_directions};
use super::mesh::{FlowMesh, Outlets};
use crate::field::{Cancelled, Control};

/// A depression of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depression {
    /// Its lowest cell; on a level bottom one of them.
    pub pit: u32,
    /// Height at which its water meets that of a deeper depression; none for the deepest.
    pub spill_level: Option<f32>,
}

/// Every depression of `height`, in the order of their pits. Level ground has some without depth besides.
///
/// # Errors
/// When it was cancelled.
pub fn depressions(mesh: &FlowMesh, height: &[f32], control: &Control) -> Result<Vec<Depression>, Cancelled> {
    let outlets = Outlets::none(mesh.grid());
    let receivers = flow_directions(mesh, height, &outlets, FlowRouting::D8, control)?;
    let is_copy = |k: usize| outlets.contain(k, height[k]);
    let (basin, count) = label(mesh.grid().samples, &receivers, is_copy, control)?;
    let mut links = basin_links(mesh, height, &basin, control)?;
    control.check()?;
    rayon::slice::ParallelSliceMut::par_sort_unstable(&mut links[..]);
    // basins are numbered from 1 in the order of their pits
    let pits = receivers.iter().enumerate().filter(|&(k, &to)| k == to as usize && !is_copy(k));
    let mut found: Vec<Depression> = pits.map(|(k, _)| Depression { pit: k as u32, spill_level: None }).collect();
    let mut sets = Sets::new(count);
    let mut deepest: Vec<u32> = (0..count as u32).collect();
    for (k, link) in links.iter().enumerate() {
        if k % (1 << 14) == 0 {
            control.check()?;
        }
        let [a, b] = [link.from, link.to].map(|cell| sets.find(basin[cell as usize]));
        if a == b {
            continue;
        }
        let [one, two] = [a, b].map(|set| deepest[set as usize]);
        let depth = |basin: u32| height[found[basin as usize - 1].pit as usize];
        // basins of lower number have pits of lower index
        let (stays, ends) = match depth(one) < depth(two) || (depth(one) == depth(two) && one < two) {
            true => (one, two),
            false => (two, one),
        };
        let (x, y) = (height[link.from as usize], height[link.to as usize]);
        found[ends as usize - 1].spill_level = Some(if x > y { x } else { y });
        sets.join(a, b);
        deepest[sets.find(a) as usize] = stays;
    }
    Ok(found)
}
