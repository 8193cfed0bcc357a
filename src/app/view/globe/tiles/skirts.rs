//! Depth of the skirts of patches. While tiles load, two neighbours can show tiles of different levels, so their common
//! edge has two heights. The skirt of the higher patch must then reach down to the lower patch, or the background would
//! be visible between them.

use glam::DVec3;

/// The drawn heights of a patch, as its neighbours meet them.
pub struct PatchSpan {
    /// Direction of the patch's centre, and the chord from the centre to the farthest corner on the unit sphere.
    pub cap: (DVec3, f64),
    /// Lowest and highest drawn height in metres.
    pub metres: [f64; 2],
    /// Whether the patch shows its own shape completely. Neighbours that both do so share their edge.
    pub is_own: bool,
}

impl PatchSpan {
    fn touches(&self, other: &Self) -> bool {
        let reach = 1.01 * (self.cap.1 + other.cap.1);
        self.cap.0.distance_squared(other.cap.0) <= reach * reach
    }
}

/// Depth of each patch's skirts in metres: as far as a neighbour can be lower.
pub fn skirt_depths(spans: &[PatchSpan]) -> Vec<f32> {
    let mut depths = vec![0.0f32; spans.len()];
    let depth = |of: &PatchSpan, beside: &PatchSpan| (of.metres[1] - beside.metres[0]).max(0.0) as f32;
    for (k, span) in spans.iter().enumerate().filter(|(_, span)| !span.is_own) {
        for (other, beside) in spans.iter().enumerate().filter(|(_, beside)| span.touches(beside)) {
            if other != k {
                depths[k] = depths[k].max(depth(span, beside));
                depths[other] = depths[other].max(depth(beside, span));
            }
        }
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::globe::lod::GlobePatch;

    #[test]
    fn skirts_reach_every_lower_neighbour() {
        let at = |row, column, metres, is_own| {
            let patch = GlobePatch { level: 6, face: 1, row, column };
            PatchSpan { cap: patch.cap(), metres, is_own }
        };
        let spans = [
            at(9, 9, [100.0, 300.0], true),
            at(9, 10, [-50.0, 20.0], false),
            at(9, 11, [0.0, 90.0], true),
            at(30, 30, [-900.0, 900.0], true),
        ];
        assert_eq!(skirt_depths(&spans), [350.0, 20.0, 140.0, 0.0]);
        let whole = [at(9, 9, [0.0, 300.0], true), at(9, 10, [-50.0, 20.0], true)];
        assert_eq!(skirt_depths(&whole), [0.0, 0.0], "neighbours with their own shapes share their edge");
    }
}
