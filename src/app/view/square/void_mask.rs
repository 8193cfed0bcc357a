//! Void areas inside the square: the mask of missing terrain, and the walls along the void edge.
//!
//! The void edge is the line where [`MapKind::Ground`] is one half. In the void, the shaders draw neither terrain nor
//! water nor sides. A wall below every segment of the void edge extends from the surface down to the base of the block.

use std::sync::Arc;

use rayon::prelude::*;

use crate::view::render::mips::{Mips, unit_bytes};
use talweg::field::{Cancelled, Control, HAS_GROUND, MapKind, Terrain};

/// A segment of the void edge: both end points (column, row), in sample spacings. For a viewer at the first end point
/// who looks along the segment, the terrain is on the left.
pub type Wall = [f32; 4];

/// The void areas of a terrain, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct VoidMask {
    /// 1 in void areas, 0 on terrain, as bytes.
    pub void: Arc<Mips>,
    pub walls: Vec<Wall>,
}

/// The void areas of the terrain, if it has any.
pub fn void_mask(terrain: &Terrain, control: &Control) -> Result<Option<VoidMask>, Cancelled> {
    let Some(map) = terrain.map(MapKind::Ground).filter(|_| terrain.void_samples() > 0) else { return Ok(None) };
    let n = terrain.samples();
    let void: Vec<[f32; 1]> = map.par_iter().with_min_len(n).map(|ground| [1.0 - ground.clamp(0.0, 1.0)]).collect();
    let rows: Vec<Vec<Wall>> = (0..n - 1)
        .into_par_iter()
        .map(|i| {
            control.check()?;
            let mut walls = Vec::new();
            (0..n - 1).for_each(|j| walls_in_cell(map, n, i, j, &mut walls));
            Ok(walls)
        })
        .collect::<Result<_, Cancelled>>()?;
    Ok(Some(VoidMask { void: Arc::new(Mips::new(n, void, unit_bytes, control)?), walls: rows.concat() }))
}

/// The walls in the cell whose north-west corner is sample (i, j).
fn walls_in_cell(map: &[f32], n: usize, i: usize, j: usize, walls: &mut Vec<Wall>) {
    // the corners, clockwise from the north-west
    let corners = [(0, 0), (0, 1), (1, 1), (1, 0)]
        .map(|(down, along)| (map[(i + down) * n + j + along] - HAS_GROUND, [(j + along) as f32, (i + down) as f32]));
    let inside = corners.map(|(over, _)| over >= 0.0);
    if inside.iter().all(|&one| one == inside[0]) {
        return;
    }
    // points where the void edge crosses the edges of the cell, in clockwise order; at entries it crosses into the
    // terrain, at exits out of the terrain
    let (mut entries, mut exits) = (Vec::new(), Vec::new());
    for k in 0..4 {
        let ((a, from), (b, to)) = (corners[k], corners[(k + 1) % 4]);
        if inside[k] != inside[(k + 1) % 4] {
            let t = a / (a - b);
            let at = [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t];
            if inside[k] { exits.push(at) } else { entries.push(at) }
        }
    }
    if exits.len() == 2 && !inside[0] {
        // if two opposite corners are void, cut off each of them separately
        entries.reverse();
    }
    walls.extend(entries.iter().zip(&exits).map(|([ax, ay], [bx, by])| [*ax, *ay, *bx, *by]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::field::{Edges, Terrain};

    fn disc(samples: usize) -> Terrain {
        let mut terrain = Terrain::from_fn(samples, Edges::Open, |u, _| u);
        let grid = terrain.grid;
        for (k, ground) in terrain.map_mut(MapKind::Ground).iter_mut().enumerate() {
            let (u, v) = (grid.position(k % samples) - 0.5, grid.position(k / samples) - 0.5);
            *ground = (0.5 + (0.3 - (u * u + v * v).sqrt()) * 8.0).clamp(0.0, 1.0);
        }
        terrain
    }

    #[test]
    fn disc_walls_go_around_once_with_the_ground_on_the_left() {
        let n = 65;
        let terrain = disc(n);
        let mask = void_mask(&terrain, &Control::default()).unwrap().expect("the corners are missing");
        let centre = 0.5 * (n - 1) as f32;
        let mut length = 0.0;
        for [ax, ay, bx, by] in &mask.walls {
            let (dx, dy) = (bx - ax, by - ay);
            length += (dx * dx + dy * dy).sqrt();
            let (mx, my) = (0.5 * (ax + bx) - centre, 0.5 * (ay + by) - centre);
            assert!(((mx * mx + my * my).sqrt() / (n - 1) as f32 - 0.3).abs() < 0.005);
            // the void is to the right of the segment, as the shader expects
            assert!(-dy * mx + dx * my >= 0.0, "{ax} {ay} {bx} {by}");
        }
        let around = std::f32::consts::TAU * 0.3 * (n - 1) as f32;
        assert!((length / around - 1.0).abs() < 0.01, "{length} {around}");
        assert_eq!(super::void_mask(&Terrain::from_fn(9, Edges::Open, |u, _| u), &Control::default()).unwrap(), None);
    }

    #[test]
    fn a_saddle_has_two_walls_that_do_not_cross() {
        for [a, b] in [[1.0, 0.0], [0.0, 1.0]] {
            let mut walls = Vec::new();
            walls_in_cell(&[a, b, b, a], 2, 0, 0, &mut walls);
            assert_eq!(walls.len(), 2);
            for [ax, ay, bx, by] in walls {
                // each wall cuts off a corner: its end points are on the two edges that meet at this corner
                assert!((ax - bx).abs() == 0.5 && (ay - by).abs() == 0.5);
            }
        }
    }
}
