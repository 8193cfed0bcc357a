//! Visibility of inland water at the samples of a globe.

use rayon::prelude::*;

use talweg::field::Globe;

/// Water depths, as fractions of the relief, at which water starts to be visible and at which it is fully visible.
const FILM: (f32, f32) = (2e-5, 4e-4);
/// Wetness that is given to the dry sample at the inner corner of a diagonal step of a river. By itself, the value is
/// too small to be visible. Interpolation between this value and the two river samples of the step makes the space
/// between these samples wet. Without this wetness, rivers look like strings of beads.
const CORNER: f32 = 0.32;

/// Visibility of water from 0 to 1 at each sample. `depth` is the water depth as a fraction of the relief.
pub fn wetness(globe: &Globe, depth: &[f32]) -> Vec<f32> {
    let film = |depth: f32| ((depth - FILM.0) / (FILM.1 - FILM.0)).clamp(0.0, 1.0);
    let wet: Vec<f32> = depth.par_iter().map(|&depth| if depth > 0.0 { film(depth) } else { 0.0 }).collect();
    let is_wet = |k: Option<usize>| k.is_some_and(|k| wet[k] > 0.5);
    let joined = |k: usize| {
        let beside = |step: usize| globe.grid().neighbour(k, step % 8);
        let is_inside = |step: usize| is_wet(beside(step)) && is_wet(beside(step + 2)) && !is_wet(beside(step + 1));
        if wet[k] < CORNER && (0..8).step_by(2).any(is_inside) { CORNER } else { wet[k] }
    };
    let mut joined: Vec<f32> = (0..wet.len()).into_par_iter().map(joined).collect();
    globe.grid().close(&mut joined);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagonal_river_is_connected_and_a_straight_one_unchanged() {
        let globe = Globe::new(9);
        // index of a sample on the second face of the globe
        let at = |row: usize, column: usize| 81 + 9 * row + column;
        let mut depth = vec![0.0; globe.len()];
        [(2, 2), (3, 3), (3, 4), (3, 5)].into_iter().for_each(|(row, column)| depth[at(row, column)] = 0.01);
        let wet = wetness(&globe, &depth);
        let seen: Vec<usize> = (0..wet.len()).filter(|&k| wet[k] > 0.0).collect();
        assert_eq!((wet[at(2, 3)], wet[at(3, 2)]), (CORNER, CORNER));
        assert_eq!(wet[at(3, 4)], 1.0);
        assert_eq!(seen.len(), 6, "{seen:?}");
    }

    #[test]
    fn copies_of_a_sample_have_its_wetness() {
        let globe = Globe::new(9);
        let depth: Vec<f32> =
            (0..globe.len()).map(|k| globe.grid().owner(k) % 7).map(|k| if k < 2 { 0.01 } else { -1.0 }).collect();
        let wet = wetness(&globe, &depth);
        assert!((0..wet.len()).all(|k| wet[k] == wet[globe.grid().owner(k)] && (0.0..=1.0).contains(&wet[k])));
        assert!(wet.contains(&CORNER));
    }
}
