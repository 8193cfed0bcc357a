//! Walls and a base, which turn the terrain surface into a watertight solid for printing or for use in an engine.

use super::sample_set::{SampleNumbers, SampleSet};
use super::sheet::{MeshSheet, level_place, unit};
use super::simplify::{FaceSurface, simplify};
use super::{Mesh, MeshError, MeshOptions, MeshPart, PartKind};
use crate::field::Control;

/// Default depth of the base below the lowest sample, as a fraction of the terrain's side length.
const BASE_OF_SIDE: f64 = 0.05;

/// Height of the base in metres: the requested height, or the default.
///
/// # Errors
/// When the requested height is not below the terrain.
pub(super) fn base_metres(sheet: &MeshSheet, options: &MeshOptions) -> Result<f64, MeshError> {
    let relief = f64::from(sheet.ground.relief_metres);
    let has = |k: usize| sheet.region.is_none_or(|region| region.contains(k));
    let heights = sheet.heights.iter().enumerate().filter(|(k, _)| has(*k));
    let lowest = heights.fold(f32::INFINITY, |low, (_, &h)| low.min(h));
    let lowest = f64::from(lowest) * relief;
    match options.base_metres {
        None => Ok(lowest - sheet.size_metres() * BASE_OF_SIDE),
        Some(base) if base.is_finite() && f64::from(base) < lowest => Ok(f64::from(base)),
        Some(value) => {
            let wanted = format!("it must be below the lowest terrain height, {lowest} m");
            Err(MeshError::Number { what: "the base", value, wanted })
        }
    }
}

/// The boundary edges of the terrain surface.
pub(super) struct MeshRim {
    /// Each edge as a pair of samples; the list is sorted by the first sample. Seen from above, the terrain is to the
    /// left of the edge.
    edges: Vec<[u32; 2]>,
    samples: SampleSet,
}

impl MeshRim {
    /// Finds the boundary edges among the `triangles` of a square terrain.
    pub fn new(sheet: &MeshSheet, triangles: &[[u32; 3]]) -> Self {
        let n = sheet.grid.samples;
        // Only edges between border samples can be boundary edges.
        let border = SampleSet::from_fn(sheet.grid.len(), |k| {
            let (row, column) = (k / n, k % n);
            let is_edge = row == 0 || column == 0 || row == n - 1 || column == n - 1;
            is_edge || sheet.region.is_some_and(|region| region.is_border(k))
        });
        let mut edges = Vec::new();
        for &[a, b, c] in triangles {
            let at_border = [a, b, c].map(|k| border.contains(k as usize));
            for (edge, ends) in [([a, b], [0, 1]), ([b, c], [1, 2]), ([c, a], [2, 0])] {
                if ends.iter().all(|&end| at_border[end]) {
                    edges.push(edge);
                }
            }
        }
        edges.sort_unstable();
        let open = edges.iter().filter(|[a, b]| edges.binary_search(&[*b, *a]).is_err());
        let edges: Vec<[u32; 2]> = open.copied().collect();
        let mut samples = SampleSet::empty(sheet.grid.len());
        edges.iter().flatten().for_each(|&k| samples.insert(k as usize));
        Self { edges, samples }
    }

    /// Adds walls from the rim down to the base, with four vertices per edge.
    pub fn add_walls(&self, mesh: &mut Mesh, sheet: &MeshSheet, base: f64) {
        let first = mesh.positions.len() as u32;
        let mut triangles = Vec::with_capacity(2 * self.edges.len());
        let n = sheet.grid.samples as f32;
        for &edge in &self.edges {
            let [a, b] = edge.map(|k| k as usize);
            let ([ax, az], [bx, bz]) = (self.level(sheet, a), self.level(sheet, b));
            let normal = unit([az - bz, 0.0, bx - ax]);
            let start = mesh.positions.len() as u32;
            for (k, is_top) in [(a, true), (b, true), (a, false), (b, false)] {
                let [x, y, z] = sheet.position(k);
                let position = [x, if is_top { y } else { base as f32 }, z];
                let uv = [k % sheet.grid.samples, k / sheet.grid.samples].map(|index| (index as f32 + 0.5) / n);
                mesh.push(position, normal, || sheet.ground.colour.map_or([0; 3], |colour| colour(k)), uv);
            }
            let [a, b, a_down, b_down] = [0, 1, 2, 3].map(|k| start + k);
            triangles.extend([[b, a, a_down], [b, a_down, b_down]]);
        }
        let vertices = first..mesh.positions.len() as u32;
        mesh.parts.push(MeshPart { kind: PartKind::Walls, vertices, triangles });
    }

    /// Adds the underside: a triangulation that uses only samples on the rim and at tile corners.
    pub fn add_base(&self, mesh: &mut Mesh, sheet: &MeshSheet, base: f64, control: &Control) -> Result<(), MeshError> {
        let n = sheet.grid.samples;
        let coordinates: Vec<f64> = (0..n).map(|k| k as f64).collect();
        let surface = FaceSurface {
            samples: n,
            face: 0,
            coordinates: &coordinates,
            value: &|_| 0.0,
            dividend: None,
            region: sheet.region,
            needed: &|k| self.samples.contains(k),
            limit: f64::INFINITY,
        };
        let above = simplify(&surface, control)?;
        let mut used = SampleSet::empty(sheet.grid.len());
        above.iter().flatten().for_each(|&k| used.insert(k as usize));
        let numbers: SampleNumbers = used.numbered();
        let first = mesh.positions.len() as u32;
        for k in numbers.iter() {
            let [x, _, z] = sheet.position(k);
            let uv = [k % n, k / n].map(|index| (index as f32 + 0.5) / n as f32);
            let colour = || sheet.ground.colour.map_or([0; 3], |colour| colour(k));
            mesh.push([x, base as f32, z], [0.0, -1.0, 0.0], colour, uv);
        }
        let number = |k: u32| first + numbers.number(k as usize);
        let triangles = above.into_iter().map(|[a, b, c]| [a, c, b].map(number)).collect();
        let vertices = first..mesh.positions.len() as u32;
        mesh.parts.push(MeshPart { kind: PartKind::Base, vertices, triangles });
        Ok(())
    }

    fn level(&self, sheet: &MeshSheet, k: usize) -> [f64; 2] {
        level_place(k, sheet.grid.samples, sheet.size_metres())
    }
}
