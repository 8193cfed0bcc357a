//! Mesh file formats: one source file per format, and the list of formats.
//!
//! All formats are written sequentially, without a second copy of the mesh. The same mesh always gives the same bytes.

pub mod glb;
pub mod obj;
pub mod ply;
pub mod quantized;
pub mod stl;

use std::io::{self, BufRead, Read, Write};
use std::path::Path;

use super::{Mesh, MeshPart, PartKind, bounds as bounds_of};
use crate::io::formats::Texts;

/// The axis that points up in a file. The directions of the other two axes are such that the mesh is not mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// x points east, y up and z south, as in glTF, Unity, Bevy and most OBJ files.
    Y,
    /// x points east, y north and z up, as in Blender, Unreal, printer software and surveys.
    Z,
}

impl UpAxis {
    /// Rotates a position or direction of a [`Mesh`], so that this axis points up.
    pub fn turned(self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        match self {
            Self::Y => [x, y, z],
            Self::Z => [x, -z, y],
        }
    }
}

/// Options and additional contents of a mesh file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshWriteOptions<'a> {
    /// Up axis of the file, if the format allows a choice; `None` means the default of the format, [`MeshFormat::up`].
    pub up: Option<UpAxis>,
    /// Longest side of a printed solid in millimetres. If `None`, an STL file is in metres.
    pub longest_millimetres: Option<f32>,
    /// Colour texture of the terrain as a PNG file, mapped by [`Mesh::uvs`]; GLB embeds the texture.
    pub colour_png: Option<&'a [u8]>,
    /// Normal map of the terrain in tangent space as a PNG file (red to the east, green to the north, blue up). GLB
    /// embeds the map.
    pub normal_png: Option<&'a [u8]>,
    /// Metadata as pairs of key and text: the scene, its hash, the version. GLB stores metadata in `asset.extras`, OBJ
    /// and PLY in comments.
    pub extras: &'a [(String, String)],
    /// Name of the MTL file in the same folder, for an OBJ file that refers to one.
    pub material_file: Option<&'a str>,
    /// Position of the mesh on the globe; the format quantized-mesh requires it.
    pub bounds: Option<GeoBounds>,
}

/// A rectangle of longitudes and latitudes in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoBounds {
    /// Longitude of the west edge, at least -180.
    pub west: f64,
    /// Latitude of the south edge, at least -90.
    pub south: f64,
    /// Longitude of the east edge, at most 180.
    pub east: f64,
    /// Latitude of the north edge, at most 90.
    pub north: f64,
}

/// A mesh format and its capabilities.
pub struct MeshFormat {
    /// Name of the format in lists and on the command line.
    pub id: &'static str,
    /// File extension of the format, without the dot.
    pub extension: &'static str,
    /// Name of the format in the window.
    pub name: &'static str,
    /// Purpose of the format, in one sentence.
    pub about: &'static str,
    /// Default up axis of the format.
    pub up: UpAxis,
    /// Whether [`MeshWriteOptions::up`] can choose another up axis.
    pub chooses_up: bool,
    /// Whether the format stores vertex colours.
    pub colours: bool,
    /// Whether the format stores normals.
    pub normals: bool,
    /// Whether the format embeds textures.
    pub textures: bool,
    /// Whether the format stores the names of parts.
    pub parts: bool,
    /// Reads the metadata of a file, if the format stores it.
    read_extras: Option<fn(&Path) -> io::Result<Texts>>,
    /// Returns whether the format writes a kind of mesh part.
    pub writes: fn(PartKind) -> bool,
    write: fn(&Mesh, &MeshWriteOptions, &mut dyn Write) -> io::Result<()>,
}

impl MeshFormat {
    /// All mesh formats, in the order in which lists show them.
    pub const ALL: [&'static MeshFormat; 5] =
        [&glb::FORMAT, &obj::FORMAT, &ply::FORMAT, &stl::FORMAT, &quantized::FORMAT];

    /// The format for the file extension of `path`.
    pub fn for_path(path: &Path) -> Option<&'static Self> {
        let extension = path.extension()?.to_str()?;
        Self::ALL.into_iter().find(|format| format.extension.eq_ignore_ascii_case(extension))
    }

    /// Whether the format stores metadata.
    pub fn keeps_extras(&self) -> bool {
        self.read_extras.is_some()
    }

    /// Reads the metadata of a file, which [`MeshWriteOptions::extras`] describes.
    ///
    /// # Errors
    /// When the file cannot be read, or has another format.
    pub fn read_extras(&self, path: &Path) -> io::Result<Texts> {
        self.read_extras.map_or(Ok(Texts::new()), |read| read(path))
    }

    /// Writes a mesh to `out` in this format.
    ///
    /// # Errors
    /// When the file cannot be written, exceeds the maximum size of the format, or lacks required data.
    pub fn write(&self, mesh: &Mesh, writing: &MeshWriteOptions, out: &mut dyn Write) -> io::Result<()> {
        (self.write)(mesh, writing, out)
    }

    /// The parts of a mesh that this format writes.
    fn parts<'a>(&self, mesh: &'a Mesh) -> impl Iterator<Item = &'a MeshPart> + Clone + use<'a> {
        let writes = self.writes;
        mesh.parts.iter().filter(move |part| writes(part.kind))
    }
}

impl std::fmt::Debug for MeshFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MeshFormat").field("id", &self.id).finish_non_exhaustive()
    }
}

impl PartialEq for MeshFormat {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// A key and its text as a comment on one line, after the comment marker `begin`.
fn comment_line(begin: &str, (key, text): &(String, String)) -> io::Result<String> {
    Ok(format!("{begin} {}\n", serde_json::to_string(&[key, text]).map_err(io::Error::other)?))
}

/// The metadata in the comments at the start of a file. Reading stops at the first line that starts with none of
/// `heads`.
fn read_comments(path: &Path, begin: &str, heads: &[&str]) -> io::Result<Texts> {
    let mut lines = io::BufReader::new(std::fs::File::open(path)?.take(MOST_HEAD));
    let (mut texts, mut line) = (Texts::new(), Vec::new());
    while lines.read_until(b'\n', &mut line)? > 0 {
        let Ok(text) = std::str::from_utf8(&line) else { break };
        if !heads.iter().any(|head| text.starts_with(head)) {
            break;
        }
        let pair = text.strip_prefix(begin).and_then(|text| serde_json::from_str::<(String, String)>(text.trim()).ok());
        texts.extend(pair);
        line.clear();
    }
    Ok(texts)
}

/// Maximum length in bytes of the header in which the reader searches for comments.
const MOST_HEAD: u64 = 64 << 20;

/// An error with the reason why a mesh cannot be written.
fn refused(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message.into())
}

/// Writes the bytes of many values, in chunks of some thousand values each.
fn write_values<const N: usize>(out: &mut dyn Write, values: impl Iterator<Item = [u8; N]>) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(1 << 16);
    for value in values {
        buffer.extend_from_slice(&value);
        if buffer.len() + N > 1 << 16 {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)
}

/// Three numbers as little-endian bytes.
fn triple(numbers: [[u8; 4]; 3]) -> [u8; 12] {
    std::array::from_fn(|k| numbers[k / 4][k % 4])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Control, Edges, Terrain};
    use crate::mesh::{MeshExtent, MeshGround, MeshOptions};

    #[test]
    fn mesh_formats_have_unique_names_and_endings() {
        for format in MeshFormat::ALL {
            assert_eq!(
                MeshFormat::for_path(Path::new(&format!("a.b.{}", format.extension.to_uppercase()))),
                Some(format)
            );
            assert_eq!(MeshFormat::ALL.iter().filter(|other| other.id == format.id).count(), 1);
        }
        assert_eq!(MeshFormat::for_path(Path::new("a.png")), None);
        assert_eq!(MeshFormat::for_path(Path::new("glb")), None);
    }

    #[test]
    fn the_same_mesh_gives_the_same_bytes() {
        let terrain = Terrain::from_fn(17, Edges::Open, |u, v| u * v - 0.2);
        let ground = MeshGround {
            extent: MeshExtent::Side(1000.0),
            relief_metres: 200.0,
            sea_metres: Some(0.0),
            colour: Some(&|k| [k as u8, 20, 30]),
        };
        let options = MeshOptions { walls: true, ..MeshOptions::default() };
        let made = || Mesh::from_terrain(&terrain, &ground, &options, &Control::default()).unwrap();
        let bounds = Some(GeoBounds { west: 7.0, south: 46.0, east: 7.1, north: 46.1 });
        let writing = MeshWriteOptions { bounds, ..MeshWriteOptions::default() };
        for format in MeshFormat::ALL {
            let bytes = || {
                let mut bytes = Vec::new();
                format.write(&made(), &writing, &mut bytes).unwrap();
                bytes
            };
            let first = bytes();
            assert!(first.len() > 1000 && first == bytes(), "{}", format.id);
        }
    }
}
