//! Stanford PLY, binary and little-endian: a list of vertices and a list of faces.

use std::io::{self, Write};

use super::{MeshFormat, MeshWriteOptions, UpAxis, comment_line, read_comments, refused, write_values};
use crate::mesh::{Mesh, PartKind};

/// The PLY format.
pub static FORMAT: MeshFormat = MeshFormat {
    id: "ply",
    extension: "ply",
    name: "PLY (Stanford)",
    about: "For MeshLab, CloudCompare and scripts: metres, normals, vertex colours, any size.",
    up: UpAxis::Z,
    chooses_up: true,
    colours: true,
    normals: true,
    textures: false,
    parts: false,
    read_extras: Some(|path| read_comments(path, COMMENT, &["ply", "format", COMMENT])),
    writes: |_| true,
    write,
};

/// The marker at the start of a comment line.
const COMMENT: &str = "comment";
/// Size of a face in bytes: a count of one byte and three indices of four bytes.
const FACE: usize = 13;

fn write(mesh: &Mesh, writing: &MeshWriteOptions, out: &mut dyn Write) -> io::Result<()> {
    let up = writing.up.unwrap_or(FORMAT.up);
    let mut header = String::from("ply\nformat binary_little_endian 1.0\n");
    header += &format!("comment Talweg {}: metres, {up:?} up\n", env!("CARGO_PKG_VERSION"));
    for pair in writing.extras {
        header += &comment_line(COMMENT, pair)?;
    }
    // The format has no parts, so a comment tells the reader which faces are not ground.
    if let Some(water) = mesh.parts.last().filter(|part| part.kind == PartKind::Water) {
        header += &format!("comment water: the last {} faces\n", water.triangles.len());
    }
    header += &format!("element vertex {}\n", mesh.positions.len());
    for name in ["x", "y", "z", "nx", "ny", "nz"] {
        header += &format!("property float {name}\n");
    }
    for name in ["red", "green", "blue"].iter().filter(|_| mesh.colours.is_some()) {
        header += &format!("property uchar {name}\n");
    }
    let Ok(faces) = u32::try_from(mesh.triangle_count()) else {
        return Err(refused("the mesh has more triangles than PLY can count: allow an error in metres"));
    };
    header += &format!("element face {faces}\nproperty list uchar uint vertex_indices\nend_header\n");
    out.write_all(header.as_bytes())?;
    let numbers = |k: usize| -> [u8; 24] {
        let ([x, y, z], [nx, ny, nz]) = (up.turned(mesh.positions[k]), up.turned(mesh.normals[k]));
        let numbers = [x, y, z, nx, ny, nz].map(f32::to_le_bytes);
        std::array::from_fn(|byte| numbers[byte / 4][byte % 4])
    };
    match &mesh.colours {
        None => write_values(out, (0..mesh.positions.len()).map(numbers))?,
        Some(colours) => write_values(
            out,
            colours.iter().enumerate().map(|(k, colour)| -> [u8; 27] {
                let numbers = numbers(k);
                std::array::from_fn(|byte| if byte < 24 { numbers[byte] } else { colour[byte - 24] })
            }),
        )?,
    }
    let triangles = mesh.parts.iter().flat_map(|part| &part.triangles);
    write_values(
        out,
        triangles.map(|triangle| -> [u8; FACE] {
            let indices = triangle.map(u32::to_le_bytes);
            std::array::from_fn(|byte| if byte == 0 { 3 } else { indices[(byte - 1) / 4][(byte - 1) % 4] })
        }),
    )
}
