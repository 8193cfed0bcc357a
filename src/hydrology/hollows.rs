//! How deep every hollow is: what its water does as it rises.
//!
//! Law: water rises everywhere at one level. A hollow is born at its pit and ends where its water first meets that of a deeper one,
//! at its pass; of two pits of one height the one of lower index is the deeper. The deepest hollow never ends. Pass less pit is the
//! prominence of the pit; on the terrain upside down it is the topographic prominence of a peak.
//! Scheme: cells belong to the pit that they drain to, so that only the lowest passes between neighbouring pits matter, and
//! those are joined in the order of their height: O(n + p log p) for p passes.
//! Boundary: edges are ordinary cells with fewer neighbours; where the terrain wraps they have them all.

use super::basins::{Sets, label, passes};
use super::cells::{Cells, Outlets};
use super::descent::{Descent, Steering};
use crate::field::{Cancelled, Control};

/// A hollow of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hollow {
    /// Its lowest cell; on a level bottom one of them.
    pub pit: u32,
    /// Height at which its water meets that of a deeper hollow; none for the deepest.
    pub pass: Option<f32>,
}

/// Every hollow of `height`, in the order of their pits. Level ground has hollows without depth besides.
pub fn hollows(cells: Cells, height: &[f32], control: &Control) -> Result<Vec<Hollow>, Cancelled> {
    let outlets = Outlets::none(cells);
    let receiver = Descent::new(cells, height, &outlets, Steering::Steepest, control)?.receiver;
    let (of, count) = label(cells.side, &receiver, |_| false, control)?;
    let mut saddles = passes(cells, height, &of, control)?;
    control.check()?;
    rayon::slice::ParallelSliceMut::par_sort_unstable(&mut saddles[..]);
    // basins are numbered from 1 in the order of their pits
    let pits = receiver.iter().enumerate().filter(|&(k, &to)| k == to as usize);
    let mut found: Vec<Hollow> = pits.map(|(k, _)| Hollow { pit: k as u32, pass: None }).collect();
    let mut sets = Sets::new(count);
    let mut deepest: Vec<u32> = (0..count as u32).collect();
    for (k, saddle) in saddles.iter().enumerate() {
        if k % (1 << 14) == 0 {
            control.check()?;
        }
        let [a, b] = [saddle.from, saddle.to].map(|cell| sets.find(of[cell as usize]));
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
        let (x, y) = (height[saddle.from as usize], height[saddle.to as usize]);
        found[ends as usize - 1].pass = Some(if x > y { x } else { y });
        sets.join(a, b);
        deepest[sets.find(a) as usize] = stays;
    }
    Ok(found)
}
