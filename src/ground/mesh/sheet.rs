//! The surface of a square or globe grid as a mesh: vertex positions, normals, triangles.

use rayon::prelude::*;

use super::region::GroundRegion;
use super::sample_set::SampleSet;
use super::simplify::{FaceSurface, simplify};
use super::triangles::regular;
use super::{Mesh, MeshError, MeshExtent, MeshGround, MeshOptions, MeshPart, PartKind};
use crate::field::vector::{cross, dot, minus};
use crate::field::{Control, Globe, Grid};

/// Number of steps per unit for the tangents of a globe's rows and columns. Tangents are rounded to whole steps, which
/// makes the orientation test of the triangulation exact.
const STEPS_PER_TANGENT: f64 = 33_554_432.0;
/// Number of vertices between two checks for cancellation.
const BETWEEN_LOOKS: usize = 1 << 16;

/// Heights on a grid that become a surface, and the region of samples with data.
pub(super) struct MeshSheet<'a> {
    pub grid: Grid,
    /// Heights as fractions of the relief.
    pub heights: &'a [f32],
    /// The region of ground samples; `None` if all samples have data.
    pub region: Option<&'a GroundRegion>,
    pub ground: &'a MeshGround<'a>,
}

/// Positions of samples in space, in double precision.
struct SheetPlaces<'a> {
    heights: &'a [f32],
    relief: f64,
    n: usize,
    /// Side length of a square, or radius of a globe, in metres.
    size: f64,
    globe: Option<Globe>,
}

impl SheetPlaces<'_> {
    /// Height of a sample in metres.
    fn metres(&self, k: usize) -> f64 {
        f64::from(self.heights[k]) * self.relief
    }

    /// Position of a sample in metres: x to the east, y up, z to the south.
    fn position(&self, k: usize) -> [f64; 3] {
        let n = self.n;
        let metres = self.metres(k);
        match &self.globe {
            None => {
                let [x, z] = level_place(k, n, self.size);
                [x, metres, z]
            }
            Some(globe) => {
                let [x, y, z] = globe.exact_direction(k / (n * n), k / n % n, k % n);
                let radius = self.size + metres;
                // The mesh axis y points to the north pole.
                [x * radius, z * radius, -y * radius]
            }
        }
    }
}

/// Mesh coordinates x and z, in metres, of sample `k` of a square.
pub(super) fn level_place(k: usize, n: usize, side: f64) -> [f64; 2] {
    let along = |index: usize| (index as f64 / (n - 1) as f64 - 0.5) * side;
    [along(k % n), along(k / n)]
}

impl MeshSheet<'_> {
    fn places(&self) -> SheetPlaces<'_> {
        let size = match self.ground.extent {
            MeshExtent::Side(metres) | MeshExtent::Radius(metres) => f64::from(metres),
        };
        let relief = f64::from(self.ground.relief_metres);
        SheetPlaces { heights: self.heights, relief, n: self.grid.samples, size, globe: self.grid.shape() }
    }

    /// Side length of a square or radius of a planet, in metres.
    pub fn size_metres(&self) -> f64 {
        self.places().size
    }

    /// Position of a vertex in single precision, as the mesh stores it.
    pub fn position(&self, k: usize) -> [f32; 3] {
        self.places().position(k).map(|x| x as f32)
    }

    /// Triangles of the surface, given by sample indices. The triangles use every sample, or as few as the error limit
    /// in the options allows. On a globe, an index refers to the sample on the face that owns it.
    pub fn triangles(&self, options: &MeshOptions, control: &Control) -> Result<Vec<[u32; 3]>, MeshError> {
        let n = self.grid.samples;
        let mut all = Vec::new();
        for face in 0..self.grid.faces() {
            control.check()?;
            let heights = &self.heights[face * n * n..(face + 1) * n * n];
            let mut triangles = match options.error_metres {
                None => regular(face, n, heights, self.region),
                Some(error) => self.simplified(face, heights, f64::from(error), options.keep_rim, control)?,
            };
            if self.grid.is_globe() {
                let grid = self.grid;
                let owner = |k: u32| grid.owner(face * n * n + k as usize) as u32;
                triangles.par_iter_mut().for_each(|triangle| *triangle = triangle.map(owner));
            }
            if all.is_empty() {
                all = triangles;
            } else {
                all.extend_from_slice(&triangles);
            }
        }
        Ok(all)
    }

    fn simplified(
        &self,
        face: usize,
        heights: &[f32],
        limit: f64,
        keep_rim: bool,
        control: &Control,
    ) -> Result<Vec<[u32; 3]>, MeshError> {
        let n = self.grid.samples;
        let places = self.places();
        let on_rim = move |k: usize| {
            let (row, column) = (k / n, k % n);
            row == 0 || column == 0 || row == n - 1 || column == n - 1
        };
        let needed = move |k: usize| keep_rim && on_rim(k);
        let Some(globe) = &places.globe else {
            let coordinates: Vec<f64> = (0..n).map(|k| k as f64).collect();
            let value = |k: usize| f64::from(heights[k]) * places.relief;
            let surface = FaceSurface {
                samples: n,
                face,
                coordinates: &coordinates,
                value: &value,
                dividend: None,
                region: self.region,
                needed: &needed,
                limit,
            };
            return Ok(simplify(&surface, control)?);
        };
        let coordinates: Vec<f64> = (0..n).map(|k| (globe.tangent(k) * STEPS_PER_TANGENT).round()).collect();
        // Returns the length of the vector (x, y, 1). In the gnomonic projection, this length divided by the distance
        // from the globe's centre is linear over a flat triangle.
        let dividend = |k: usize| {
            let [x, y] = [k % n, k / n].map(|k| coordinates[k] / STEPS_PER_TANGENT);
            // The squares are added first, so that a copy of this sample on another face gets the same bits.
            (1.0 + (x * x + y * y)).sqrt()
        };
        let value = |k: usize| dividend(k) / (places.size + f64::from(heights[k]) * places.relief);
        let surface = FaceSurface {
            samples: n,
            face,
            coordinates: &coordinates,
            value: &value,
            dividend: Some(&dividend),
            region: self.region,
            needed: &needed,
            limit,
        };
        Ok(simplify(&surface, control)?)
    }

    /// Appends the samples that `triangles` use to a mesh, as a new part.
    pub fn add_to(
        &self,
        mesh: &mut Mesh,
        kind: PartKind,
        mut triangles: Vec<[u32; 3]>,
        control: &Control,
    ) -> Result<(), MeshError> {
        if triangles.is_empty() {
            return Ok(());
        }
        let mut used = SampleSet::empty(self.grid.len());
        for &k in triangles.iter().flatten() {
            used.insert(k as usize);
        }
        let numbers = used.numbered();
        let first = mesh.positions.len() as u32;
        triangles.par_iter_mut().for_each(|triangle| *triangle = triangle.map(|k| first + numbers.number(k as usize)));
        let (places, n) = (self.places(), self.grid.samples);
        let count = numbers.count();
        mesh.positions.reserve_exact(count);
        mesh.normals.reserve_exact(count);
        let half = 0.5 / n as f32;
        for (done, k) in numbers.iter().enumerate() {
            if done.is_multiple_of(BETWEEN_LOOKS) {
                control.check()?;
            }
            let uv = [k % n, k / n % n].map(|index| index as f32 / n as f32 + half);
            let colour = || self.ground.colour.map_or([0; 3], |colour| colour(k));
            mesh.push(places.position(k).map(|x| x as f32), self.normal(&places, k), colour, uv);
        }
        mesh.parts.push(MeshPart { kind, vertices: first..first + count as u32, triangles });
        Ok(())
    }

    /// Outward normal at a sample, computed from the neighbours that have data.
    fn normal(&self, places: &SheetPlaces, k: usize) -> [f32; 3] {
        let has = |k: &usize| self.region.is_none_or(|region| region.contains(*k));
        if places.globe.is_none() {
            return self.level_normal(places, k);
        }
        let around = self.grid.neighbours(k);
        let place = |direction: usize| places.position(around[direction].filter(has).unwrap_or(k));
        // One difference is from west to east, the other from south to north. If a neighbour is missing, for example at
        // a corner of the cube, the sample itself takes its place.
        let (east, north) = (minus(place(0), place(4)), minus(place(2), place(6)));
        let here = places.position(k);
        let normal = cross(east, north);
        let outwards = dot(normal, here);
        let normal = match outwards.total_cmp(&0.0) {
            std::cmp::Ordering::Greater => normal,
            std::cmp::Ordering::Less => normal.map(|x| -x),
            std::cmp::Ordering::Equal => here,
        };
        unit(normal)
    }

    fn level_normal(&self, places: &SheetPlaces, k: usize) -> [f32; 3] {
        let (n, cell) = (places.n, places.size / (places.n - 1) as f64);
        let (row, column) = (k / n, k % n);
        let has = |k: usize| self.region.is_none_or(|region| region.contains(k));
        let slope = |before: Option<usize>, after: Option<usize>| {
            let (a, b) = (before.filter(|&k| has(k)), after.filter(|&k| has(k)));
            let steps = usize::from(a.is_some()) + usize::from(b.is_some());
            let rise = places.metres(b.unwrap_or(k)) - places.metres(a.unwrap_or(k));
            if steps == 0 { 0.0 } else { rise / (steps as f64 * cell) }
        };
        let east = slope((column > 0).then(|| k - 1), (column + 1 < n).then_some(k + 1));
        let south = slope((row > 0).then(|| k.wrapping_sub(n)), (row + 1 < n).then_some(k + n));
        unit([-east, 1.0, -south])
    }
}

/// Normalises a vector; a zero vector becomes a vector that points up.
pub(super) fn unit(vector: [f64; 3]) -> [f32; 3] {
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 { vector.map(|x| (x / length) as f32) } else { [0.0, 1.0, 0.0] }
}
