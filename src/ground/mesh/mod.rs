//! The ground as triangles: for engines, for printers, for maps on a globe; and meshes read back as heights.
//!
//! A [`Mesh`] is made of a [`Terrain`], square or planet, by [`Mesh::from_terrain`]: from every sample, or from as few
//! as a given error in metres allows. It is written by [`formats`], and read, whoever made it, by [`import`].
//!
//! Axes are those of glTF: x to the east, y up, z to the south, in metres, the middle of a square at x = z = 0 and
//! height 0 at y = 0. On planets the origin is the centre, y points to the north pole, and x to longitude 0.
//! Triangles are anticlockwise seen from outside.
//!
//! The triangulation is our own: packages of it (`delatin`, and with it what could be built on `delaunator` or `spade`,
//! which know points and no error) hold all points at once; of 4097² samples to 1 m ours takes 14 s and 158 MiB,
//! `delatin` 51 s and 878 MiB, and `martini` 8 s and 1085 MiB without holding the error. `simplify` and
//! `benches/mesh.rs` have more.
//!
//! | file | what it holds |
//! |---|---|
//! | `sample_set` | sets of samples, and the number of a sample within one |
//! | `region` | which ground there is: cells cut out, the samples along its border |
//! | `triangles` | the triangles of a sheet of samples: regular, or to a given error |
//! | `simplify` | triangulation to a given error: tiles, the lines between them, greedy insertion |
//! | `sheet` | vertices and normals of a surface over the samples of a grid |
//! | `water` | the surface of sea, lakes and rivers |
//! | `solid` | walls and a base, which make a square a body |
//! | `formats` | one file a format, and the one list of them |
//! | `import` | heights of a mesh of anybody's |
//! | `as_raster` | files where a heightmap is asked for: rasters, or meshes from above |

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

/// What a part of a mesh is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// The surface of the terrain.
    Ground,
    /// The walls from the rim of the ground down to the base.
    Walls,
    /// The flat underside.
    Base,
    /// The surface of sea, lakes and rivers. It ends under the ground, one sample beyond the shore.
    Water,
}

impl PartKind {
    /// The name that files give it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ground => "ground",
            Self::Walls => "walls",
            Self::Base => "base",
            Self::Water => "water",
        }
    }
}

/// Triangles that belong together, and the vertices that they alone use.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshPart {
    /// What it is.
    pub kind: PartKind,
    /// Which vertices of the mesh are its own.
    pub vertices: Range<u32>,
    /// Indices of vertices of the mesh, anticlockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// A surface of triangles. Parts share no vertices: where ground meets a wall there is one of each, at the same place
/// to the bit and with normals of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Metres: x to the east, y up, z to the south.
    pub positions: Vec<[f32; 3]>,
    /// Unit vectors, one a vertex.
    pub normals: Vec<[f32; 3]>,
    /// sRGB, one a vertex, where colours were given.
    pub colours: Option<Vec<[u8; 3]>>,
    /// Places on a picture of the terrain of one pixel a sample, from its top left corner (north-west) to its bottom
    /// right one, both from 0 to 1: a sample lies in the middle of its pixel. None on planets.
    pub uvs: Option<Vec<[f32; 2]>>,
    /// Ground first, then walls, base and water where they were asked for and there are any.
    pub parts: Vec<MeshPart>,
}

/// How large the world is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeshExtent {
    /// A square: length of its side in metres.
    Side(f32),
    /// A planet: its radius at height 0 in metres.
    Radius(f32),
}

/// What the numbers of a terrain stand for.
#[derive(Clone, Copy)]
pub struct MeshGround<'a> {
    /// Its size.
    pub extent: MeshExtent,
    /// Height in metres that 1.0 stands for.
    pub relief_metres: f32,
    /// Height of the sea in metres, where there is one.
    pub sea_metres: Option<f32>,
    /// Colour (sRGB) of the sample of an index.
    pub colour: Option<&'a (dyn Fn(usize) -> [u8; 3] + Sync)>,
}

/// What shall be made of the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshOptions {
    /// How far the mesh may lie above or below any sample, in metres; on planets along the radius. Every sample becomes
    /// a vertex where none is given.
    pub error_metres: Option<f32>,
    /// Whether all samples along the rim of a square are kept, so that neighbours fit without cracks.
    pub keep_rim: bool,
    /// Whether walls go down from the rim and from holes to a flat base. Planets need none.
    pub walls: bool,
    /// Height of the base; where none is given, a twentieth of the side below the lowest ground.
    pub base_metres: Option<f32>,
    /// Whether the surface of sea, lakes and rivers is a part of its own.
    pub water: bool,
    /// Whether vertices have places on a picture.
    pub uvs: bool,
}

impl Default for MeshOptions {
    fn default() -> Self {
        Self { error_metres: None, keep_rim: false, walls: false, base_metres: None, water: true, uvs: true }
    }
}

/// Why there is no mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// It was asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// Not a size, error or height that makes sense.
    #[error("{what} is {value} m; {wanted}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f32,
        /// What it has to be.
        wanted: String,
    },
    /// A planet is measured by its radius, a square by its side.
    #[error("a planet is measured by its radius, a square by its side; the other was given")]
    Extent,
    /// No three samples with ground lie beside each other.
    #[error("no three samples with ground lie beside each other: there is nothing to make triangles of")]
    NoGround,
    /// It would not fit into memory.
    #[error(
        "the mesh of {samples} samples needs {needed} of memory, {free} are free; allow an error in metres, or fewer samples"
    )]
    Memory {
        /// Samples of the terrain.
        samples: usize,
        /// What it needs.
        needed: String,
        /// What is free.
        free: String,
    },
}

impl Mesh {
    /// Triangles for the ground, and what else the options ask for. The same bits on any number of threads.
    ///
    /// With an error, the surface of the triangles lies within it above or below every sample that has ground, up to
    /// the rounding of positions to f32.
    ///
    /// # Errors
    /// When it is cancelled, a number makes no sense, there is no ground, or the memory does not suffice.
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

    /// Number of triangles of all parts.
    pub fn triangle_count(&self) -> usize {
        self.parts.iter().map(|part| part.triangles.len()).sum()
    }

    /// Lowest and highest x, y and z of vertices; zeros where there are none.
    pub fn bounds(&self) -> ([f32; 3], [f32; 3]) {
        bounds(&self.positions)
    }

    /// The part of a kind, if the mesh has it.
    pub fn part(&self, kind: PartKind) -> Option<&MeshPart> {
        self.parts.iter().find(|part| part.kind == kind)
    }

    /// Adds a vertex to those of the last part.
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

/// Lowest and highest x, y and z; zeros where there is no place.
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
                let wanted = format!("the ground reaches {low} m, which is below the centre");
                return Err(MeshError::Number { what: "the radius", value: radius, wanted });
            }
        }
        _ => return Err(MeshError::Extent),
    }
    positive("the relief", ground.relief_metres)?;
    options.error_metres.map_or(Ok(()), |error| positive("the error", error))
}

/// Refuses what would not fit: positions, normals, colours and places on pictures, and two triangles a sample.
fn check_memory(terrain: &Terrain, options: &MeshOptions) -> Result<(), MeshError> {
    let samples = terrain.grid.len();
    // with an error it is known only afterwards; a tenth of the samples is more than ground needs
    let vertices = if options.error_metres.is_some() { samples / 10 } else { samples };
    let bytes = (vertices * (12 + 12 + 3 + 8 + 24)) as u64;
    match free_memory(0) {
        Some(free) if free < bytes => {
            Err(MeshError::Memory { samples, needed: bytes_text(bytes), free: bytes_text(free) })
        }
        _ => Ok(()),
    }
}
