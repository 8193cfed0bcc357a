//! Extends the heights of a terrain slightly into the void, for drawing.

use rayon::prelude::*;

use super::Terrain;

/// Number of samples by which the heights are extended into the void.
const EXTENDED_SAMPLES: usize = 2;

/// Heights for drawing a terrain with void samples; `None` if the terrain has no void.
///
/// Within a few samples of the ground, void samples get the mean of their neighbours. Interpolation at the edge of the
/// void then neither dips nor rises. All other void samples get the lowest ground height and therefore cast no shadow.
pub fn heights_over_void(terrain: &Terrain) -> Option<Vec<f32>> {
    if terrain.void_samples() == 0 {
        return None;
    }
    let n = terrain.samples();
    let low = terrain.range().0;
    let mut heights: Vec<f32> =
        terrain.height.iter().enumerate().map(|(k, &h)| if terrain.has_ground(k) { h } else { low }).collect();
    let mut known: Vec<bool> = (0..heights.len()).map(|k| terrain.has_ground(k)).collect();
    // The faces of a globe are drawn one by one, so no terrain is extended there.
    let rings = if terrain.grid.is_globe() { 0 } else { EXTENDED_SAMPLES };
    for _ in 0..rings {
        let (before, was_known) = (heights.clone(), known.clone());
        let rows = heights.par_chunks_mut(n).zip(known.par_chunks_mut(n)).enumerate();
        rows.for_each(|(i, (heights, known))| {
            let rows = i.saturating_sub(1)..(i + 2).min(n);
            for j in (0..n).filter(|&j| !was_known[i * n + j]) {
                let columns = j.saturating_sub(1)..(j + 2).min(n);
                let around = rows.clone().flat_map(|i| columns.clone().map(move |j| i * n + j));
                let (sum, count) =
                    around.filter(|&k| was_known[k]).fold((0.0, 0u8), |(sum, count), k| (sum + before[k], count + 1));
                if count > 0 {
                    (heights[j], known[j]) = (sum / f32::from(count), true);
                }
            }
        });
    }
    Some(heights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Edges, MapKind};

    #[test]
    fn terrain_continues_a_little_into_voids_and_then_is_low() {
        let mut terrain = Terrain::from_fn(17, Edges::Open, |u, _| 1.0 + u);
        assert_eq!(heights_over_void(&terrain), None);
        let grid = terrain.grid;
        terrain.map_mut(MapKind::Ground).iter_mut().enumerate().for_each(|(k, g)| {
            *g = if k % grid.samples < 8 { 0.0 } else { 1.0 };
        });
        assert_eq!(terrain.void_samples(), 17 * 8);
        assert_eq!(terrain.range(), (1.5, 2.0));
        let heights = heights_over_void(&terrain).expect("half of the terrain is void");
        for (k, h) in heights.iter().enumerate() {
            assert!(k % 17 < 8 || *h == terrain.height[k]);
            assert_eq!(*h, if k % 17 < 8 { 1.5 } else { terrain.height[k] });
        }
        terrain.height.iter_mut().enumerate().for_each(|(k, h)| *h = if k % 17 == 8 { 3.0 } else { *h });
        let row = &heights_over_void(&terrain).expect("half of the terrain is void")[17..34];
        assert_eq!(&row[..9], &[1.5625, 1.5625, 1.5625, 1.5625, 1.5625, 1.5625, 3.0, 3.0, 3.0]);
    }
}
