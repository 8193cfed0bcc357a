//! The hardness of the rock, which all erosion processes share, and the erodibility that follows from it.
//!
//! Hardness is 0 for loose ground and 1 for rock that never erodes. A process has a uniform hardness (a parameter) and
//! also reads the hardness map of the layers below, if there is one ([`MapKind::Hardness`]). In each cell the higher of
//! the two hardnesses applies.

use std::sync::Arc;

use talweg_ground::field::{Grid, MapKind, Terrain};

/// Erodibility of every cell: 1 - hardness, from 0 to 1. The rock shares the terrain's hardness map, and keeps the
/// values that the map has at the start of the run.
#[derive(Clone)]
pub struct Rock {
    softest: f32,
    hardness: Option<Arc<Vec<f32>>>,
}

impl Rock {
    /// The rock of `terrain`, with a hardness of at least `hardness` everywhere.
    pub fn new(terrain: &Terrain, hardness: f32) -> Self {
        Self { softest: 1.0 - hardness.clamp(0.0, 1.0), hardness: terrain.map(MapKind::Hardness).cloned() }
    }

    /// The erodibility of all cells if there is no hardness map, else `None`.
    pub fn uniform(&self) -> Option<f32> {
        if self.hardness.is_none() { Some(self.softest) } else { None }
    }

    /// Erodibility of cell `k`, from 0 to 1.
    #[inline(always)]
    pub fn erodibility(&self, k: usize) -> f32 {
        self.hardness.as_ref().map_or(self.softest, |map| self.softer(map[k]))
    }

    /// Loads the erodibility of the cells of row `row` of `grid`.
    pub fn load_row(&self, grid: Grid, row: usize, out: &mut [f32]) {
        let (first, last) = (grid.original(row) * grid.samples, out.len() - 1);
        match &self.hardness {
            None => out.fill(self.softest),
            Some(map) => out.iter_mut().zip(&map[first..]).for_each(|(out, &hardness)| *out = self.softer(hardness)),
        }
        out[last] = out[grid.original(last)];
    }

    /// The erodibility of rock of `hardness`, but no more than the process parameter allows.
    #[inline(always)]
    fn softer(&self, hardness: f32) -> f32 {
        let soft = 1.0 - hardness;
        let soft = if soft > 0.0 { soft } else { 0.0 };
        if soft < self.softest { soft } else { self.softest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg_ground::field::Edges;

    #[test]
    fn the_harder_of_map_and_parameter_counts() {
        let mut terrain = Terrain::flat(Grid::new(2, Edges::Open));
        assert_eq!(Rock::new(&terrain, 0.25).uniform(), Some(0.75));
        terrain.map_mut(MapKind::Hardness).copy_from_slice(&[0.0, 0.5, 1.5, -1.0]);
        let rock = Rock::new(&terrain, 0.25);
        assert_eq!([0, 1, 2, 3].map(|k| rock.erodibility(k)), [0.75, 0.5, 0.0, 0.75]);
        assert_eq!(rock.uniform(), None);
    }
}
