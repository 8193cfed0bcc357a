//! The regular triangulation of a face, which uses every sample.

use super::region::GroundRegion;

/// Two triangles per cell, split along the diagonal whose ends differ least in height. A cell has only one triangle if
/// a corner has no data. The triangles hold sample indices within the face, anticlockwise seen from above. `heights`
/// are the heights of the face.
pub(super) fn regular(face: usize, samples: usize, heights: &[f32], region: Option<&GroundRegion>) -> Vec<[u32; 3]> {
    let n = samples;
    let cells = 2 * (n - 1) * (n - 1);
    let mut triangles = Vec::with_capacity(if region.is_some() { 0 } else { cells });
    for row in 0..n - 1 {
        for column in 0..n - 1 {
            let k = row * n + column;
            let [nw, ne, sw, se] = [k, k + 1, k + n, k + n + 1].map(|k| k as u32);
            match region.map_or([true; 4], |region| region.corners(face * n * n + k)) {
                [true, true, true, true] => {
                    let rise = |a: u32, b: u32| (heights[a as usize] - heights[b as usize]).abs();
                    if rise(nw, se) <= rise(ne, sw) {
                        triangles.extend([[nw, sw, se], [nw, se, ne]]);
                    } else {
                        triangles.extend([[nw, sw, ne], [ne, sw, se]]);
                    }
                }
                [false, true, true, true] => triangles.push([ne, sw, se]),
                [true, false, true, true] => triangles.push([nw, sw, se]),
                [true, true, false, true] => triangles.push([nw, se, ne]),
                [true, true, true, false] => triangles.push([nw, sw, ne]),
                _ => {}
            }
        }
    }
    triangles
}
