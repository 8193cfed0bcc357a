//! The depth of every depression, found from the order in which a rising water level joins the depressions.
//!
//! Law: water rises everywhere at the same level. A depression starts at its pit and ends at its spill point, where its
//! water first meets the water of a deeper depression. Of two pits of equal height, the pit with the lower index counts
//! as deeper. The deepest depression has no spill point. Spill level minus pit height is the prominence of the pit; on
//! the inverted terrain it is the topographic prominence of a peak.
//! Scheme: cells belong to the pit that they drain to, so only the lowest link between each two neighbouring basins
//! matters. These links are processed in the order of their height: O(n + p log p) operations for n cells and p links.
//! Boundary: edge cells are ordinary cells with fewer neighbours; on a wrapping terrain every cell has all eight
//! neighbours.

use super::basins::{Sets, basin_links, label};
use super::directions::route_to_pits;
use super::mesh::{FlowMesh, Outlets};
use crate::field::{Cancelled, Control};

/// A depression of the terrain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Depression {
    /// The depression's lowest cell; on a level bottom, one of the lowest cells.
    pub pit: u32,
    /// Height at which the depression's water meets the water of a deeper depression; `None` for the deepest
    /// depression.
    pub spill_level: Option<f32>,
}

/// All depressions of the terrain `height`, in the order of their pits. On level terrain the list also holds
/// depressions of depth 0.
///
/// # Errors
/// Fails if the run is cancelled.
pub fn depressions(mesh: &FlowMesh, height: &[f32], control: &Control) -> Result<Vec<Depression>, Cancelled> {
    let outlets = Outlets::none(mesh.grid());
    let mut receivers = Vec::new();
    route_to_pits(mesh, height, &outlets, &mut receivers, control)?;
    let is_copy = |k: usize| outlets.contain(k, height[k]);
    let (basin, count) = label(mesh.grid().samples, &receivers, is_copy, control)?;
    let mut links = basin_links(mesh, height, &basin, control)?;
    control.check()?;
    rayon::slice::ParallelSliceMut::par_sort_unstable(&mut links[..]);
    // Basins are numbered from 1 in the order of their pits.
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
        // Basins are numbered in the order of their pits: the basin with the lower number also has the pit with the
        // lower index.
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
