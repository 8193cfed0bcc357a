//! Terrain as triangle meshes for engines, 3D printers and globe maps, and import of meshes as heights.
//!
//! [`Mesh::from_terrain`] makes a [`Mesh`] of a [`Terrain`], which is a square or a planet. The mesh uses every sample,
//! or only as many samples as a given error in metres requires. [`formats`] writes meshes, and [`import`] reads meshes
//! from any program.
//!
//! Axes are as in glTF: x to the east, y up, z to the south, in metres. The centre of a square is at x = z = 0, and
//! height 0 is at y = 0. On planets the origin is the centre, y points to the north pole, and x to longitude 0.
//! Triangles are anticlockwise seen from outside.
//!
//! This module has its own triangulation, because the available crates hold all points in memory at once: `delatin`,
//! and solutions built on `delaunator` or `spade`. The crates `delaunator` and `spade` also support no error bound. For
//! 4097² samples with an error of 1 m, our triangulation needs 14 s and 158 MiB, and `delatin` needs 51 s and 878 MiB.
//! `martini` needs 8 s and 1085 MiB but does not meet the error bound. The module `simplify` and the benchmark
//! `benches/mesh.rs` contain the details.
//!
//! | file | contents |
//! |---|---|
//! | `sample_set` | sets of samples, and the number of a sample within a set |
//! | `region` | the samples with terrain, and the samples along the border of the terrain |
//! | `triangles` | the regular triangles of a sheet of samples |
//! | `simplify` | triangulation to a given error: tiles, the lines between tiles, greedy insertion |
//! | `sheet` | vertices and normals of a surface over the samples of a grid |
//! | `water` | the surface of sea, lakes and rivers |
//! | `solid` | walls and a base, which make a square a closed solid |
//! | `formats` | one file per format, and the list of formats |
//! | `import` | heights from any mesh |
//! | `as_raster` | files that replace a heightmap: rasters, or meshes seen from above |

mod as_raster;
pub mod formats;
pub mod import;
mod region;
mod sample_set;
mod sheet;
mod simplify;
mod solid;
mod triangles;
mod water;

use std::ops::Range;

use crate::field::{Cancelled, Control, Terrain};
use crate::io::memory::{bytes_text, free_memory};

pub use as_raster::raster_or_mesh;
use region::GroundRegion;
use sheet::MeshSheet;

/// The kind of a mesh part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// The surface of the terrain, without walls and base.
    Ground,
    /// The walls from the rim of the terrain down to the base.
    Walls,
    /// The flat underside of a solid.
    Base,
    /// The surface of sea, lakes and rivers. The surface extends one sample beyond the shore, where it is under the
    /// terrain.
    Water,
}

impl PartKind {
    /// Name of the part in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ground => "ground",
            Self::Walls => "walls",
            Self::Base => "base",
            Self::Water => "water",
        }
    }
}

/// A group of triangles, with vertices that no other part uses.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshPart {
    /// Kind of the part.
    pub kind: PartKind,
    /// Range of the part's vertices in the mesh.
    pub vertices: Range<u32>,
    /// The three vertex indices of each triangle, anticlockwise seen from outside the mesh.
    pub triangles: Vec<[u32; 3]>,
}

/// A triangle mesh. Parts share no vertices. Where the terrain surface meets a wall, both parts have a vertex at
/// exactly the same position, each with its own normal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions in metres: x to the east, y up, z to the south.
    pub positions: Vec<[f32; 3]>,
    /// Vertex normals: unit vectors, one per vertex.
    pub normals: Vec<[f32; 3]>,
    /// Vertex colours in sRGB, one per vertex, if the caller provided colours.
    pub colours: Option<Vec<[u8; 3]>>,
    /// Texture coordinates from 0 to 1, one pair per vertex, counted from the top left corner (north-west) of an image
    /// of the terrain. The image has one pixel per sample, and a sample is in the centre of its pixel. `None` on
    /// planets.
    pub uvs: Option<Vec<[f32; 2]>>,
    /// The parts of the mesh in this order: ground, walls, base, water. Parts that were not requested or do not exist
    /// are absent.
    pub parts: Vec<MeshPart>,
}

/// Size of the terrain: the side of a square, or the radius of a planet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeshExtent {
    /// Side length of a square in metres.
    Side(f32),
    /// Radius of a planet at height 0, in metres.
    Radius(f32),
}

/// Size, relief, sea level and colours of a terrain that becomes a mesh.
#[derive(Clone, Copy)]
pub struct MeshGround<'a> {
    /// Side length of a square terrain, or radius of a planet.
    pub extent: MeshExtent,
    /// Relief in metres: the height that one unit of terrain height means.
    pub relief_metres: f32,
    /// Height of the sea in metres, if there is a sea.
    pub sea_metres: Option<f32>,
    /// Returns the sRGB colour of the sample with a given index.
    pub colour: Option<&'a (dyn Fn(usize) -> [u8; 3] + Sync)>,
}

/// Options for the conversion of a terrain to a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshOptions {
    /// Maximum vertical distance between the mesh and any sample, in metres; on planets the distance is measured along
    /// the radius. If `None`, every sample becomes a vertex.
    pub error_metres: Option<f32>,
    /// Whether the mesh keeps all samples along the rim of a square, so that adjacent meshes fit without cracks.
    pub keep_rim: bool,
    /// Whether walls connect the rim of the terrain and its holes to a flat base. Planets need no walls.
    pub walls: bool,
    /// Height of the base in metres. If `None`, the base is a twentieth of the side length below the lowest sample.
    pub base_metres: Option<f32>,
    /// Whether to add the surface of sea, lakes and rivers as a separate part.
    pub water: bool,
    /// Whether to add texture coordinates.
    pub uvs: bool,
}

impl Default for MeshOptions {
    fn default() -> Self {
        Self { error_metres: None, keep_rim: false, walls: false, base_metres: None, water: true, uvs: true }
    }
}

/// The reason why no mesh could be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// The caller cancelled the operation.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A size, an error limit or a height is invalid.
    #[error("{what} is {value} m; {wanted}")]
    Number {
        /// Name of the invalid number.
        what: &'static str,
        /// Value of the invalid number.
        value: f32,
        /// The range of valid numbers, in words.
        wanted: String,
    },
    /// A planet was given a side length, or a square was given a radius.
    #[error("a planet needs a radius, and a square needs a side length; the wrong one of the two was given")]
    Extent,
    /// No three adjacent samples of the terrain have data.
    #[error("no three adjacent samples have data, so there is nothing to triangulate")]
    NoGround,
    /// The mesh does not fit into memory.
    #[error(
        "the mesh of {samples} samples needs {needed} of memory, but only {free} are free; allow an error in metres, or use fewer samples"
    )]
    Memory {
        /// Number of terrain samples.
        samples: usize,
        /// Required memory, as text.
        needed: String,
        /// Free memory, as text.
        free: String,
    },
}

impl Mesh {
    /// Triangulates the terrain and adds the parts that the options request. The result is the same on any number of
    /// threads.
    ///
    /// If the options contain an error limit, the surface differs in height from every ground sample by at most this
    /// limit, apart from the rounding of positions to f32.
    ///
    /// # Errors
    /// When the operation is cancelled, a number is invalid, the terrain has no samples with data, or there is too
    /// little memory.
    pub fn from_terrain(
        terrain: &Terrain,
        ground: &MeshGround,
        options: &MeshOptions,
        control: &Control,
    ) -> Result<Self, MeshError> {
        check_numbers(terrain, ground, options)?;
        check_memory(terrain, options)?;
        let grid = terrain.grid;
        let region = GroundRegion::new(grid, |k| terrain.has_ground(k), !grid.is_globe());
        let mut mesh = Self {
            colours: ground.colour.map(|_| Vec::new()),
            uvs: (options.uvs && !grid.is_globe()).then(Vec::new),
            ..Self::default()
        };
        let sheet = MeshSheet { grid, heights: &terrain.height, region: region.as_ref(), ground };
        let triangles = sheet.triangles(options, control)?;
        if triangles.is_empty() {
            return Err(MeshError::NoGround);
        }
        let solid = (options.walls && !grid.is_globe()).then(|| solid::MeshRim::new(&sheet, &triangles));
        sheet.add_to(&mut mesh, PartKind::Ground, triangles, control)?;
        if let Some(rim) = solid {
            let base = solid::base_metres(&sheet, options)?;
            rim.add_walls(&mut mesh, &sheet, base);
            rim.add_base(&mut mesh, &sheet, base, control)?;
        }
        if options.water
            && let Some(water) = water::WaterSurface::new(terrain, ground, region.as_ref())
        {
            let sheet = MeshSheet { grid, heights: &water.heights, region: Some(&water.region), ground };
            let triangles = sheet.triangles(&MeshOptions { keep_rim: false, ..options.clone() }, control)?;
            sheet.add_to(&mut mesh, PartKind::Water, triangles, control)?;
        }
        Ok(mesh)
    }

    /// Total number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.parts.iter().map(|part| part.triangles.len()).sum()
    }

    /// Minimum and maximum x, y and z of all vertices; zeros if the mesh has no vertices.
    pub fn bounds(&self) -> ([f32; 3], [f32; 3]) {
        bounds(&self.positions)
    }

    /// The part of the given kind, if the mesh has one.
    pub fn part(&self, kind: PartKind) -> Option<&MeshPart> {
        self.parts.iter().find(|part| part.kind == kind)
    }

    /// Appends a vertex to the last part of the mesh.
    fn push(&mut self, position: [f32; 3], normal: [f32; 3], colour: impl FnOnce() -> [u8; 3], uv: [f32; 2]) {
        self.positions.push(position);
        self.normals.push(normal);
        if let Some(colours) = &mut self.colours {
            colours.push(colour());
        }
        if let Some(uvs) = &mut self.uvs {
            uvs.push(uv);
        }
    }
}

/// Minimum and maximum x, y and z of the positions; zeros if there are no positions.
fn bounds(positions: &[[f32; 3]]) -> ([f32; 3], [f32; 3]) {
    let Some(&first) = positions.first() else { return ([0.0; 3], [0.0; 3]) };
    positions.iter().fold((first, first), |(low, high), place| {
        (std::array::from_fn(|k| low[k].min(place[k])), std::array::from_fn(|k| high[k].max(place[k])))
    })
}

fn check_numbers(terrain: &Terrain, ground: &MeshGround, options: &MeshOptions) -> Result<(), MeshError> {
    let positive = |what, value: f32| {
        let wanted = "give a number above 0".to_string();
        if value.is_finite() && value > 0.0 { Ok(()) } else { Err(MeshError::Number { what, value, wanted }) }
    };
    match (ground.extent, terrain.grid.is_globe()) {
        (MeshExtent::Side(side), false) => positive("the side", side)?,
        (MeshExtent::Radius(radius), true) => {
            positive("the radius", radius)?;
            let low = terrain.range().0 * ground.relief_metres;
            if radius + low <= 0.0 {
                let wanted = format!("the terrain reaches down to {low} m, which is below the planet's centre");
                return Err(MeshError::Number { what: "the radius", value: radius, wanted });
            }
        }
        _ => return Err(MeshError::Extent),
    }
    positive("the relief", ground.relief_metres)?;
    options.error_metres.map_or(Ok(()), |error| positive("the error", error))
}

/// Fails if the mesh does not fit into memory: positions, normals, colours, texture coordinates, and two triangles per
/// sample.
fn check_memory(terrain: &Terrain, options: &MeshOptions) -> Result<(), MeshError> {
    let samples = terrain.grid.len();
    // With an error limit, the number of vertices is known only after the triangulation. A terrain needs less than a
    // tenth of its samples as vertices.
    let vertices = if options.error_metres.is_some() { samples / 10 } else { samples };
    let bytes = (vertices * (12 + 12 + 3 + 8 + 24)) as u64;
    match free_memory(0) {
        Some(free) if free < bytes => {
            Err(MeshError::Memory { samples, needed: bytes_text(bytes), free: bytes_text(free) })
        }
        _ => Ok(()),
    }
}
