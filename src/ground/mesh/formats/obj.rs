//! Wavefront OBJ: a text format that most programs read. Parts are written as objects. Vertex colours follow the
//! positions, a convention that MeshLab introduced and that Blender reads.

use std::io::{self, BufWriter, Write};

use super::{MeshFormat, MeshWriteOptions, UpAxis, comment_line, read_comments, refused};
use crate::mesh::Mesh;

/// The OBJ format.
pub static FORMAT: MeshFormat = MeshFormat {
    id: "obj",
    extension: "obj",
    name: "OBJ (Wavefront)",
    about: "Text for any program: metres, normals, vertex colours; the texture is a separate file.",
    up: UpAxis::Y,
    chooses_up: true,
    colours: true,
    normals: true,
    textures: false,
    parts: true,
    read_extras: Some(|path| read_comments(path, COMMENT, &["#"])),
    writes: |_| true,
    write,
};

/// The marker at the start of a comment line.
const COMMENT: &str = "#";
/// Name of the material that all parts use.
const MATERIAL: &str = "terrain";

fn write(mesh: &Mesh, writing: &MeshWriteOptions, out: &mut dyn Write) -> io::Result<()> {
    let up = writing.up.unwrap_or(FORMAT.up);
    let mut out = BufWriter::with_capacity(1 << 16, out);
    writeln!(out, "# Talweg {}: metres, {up:?} up", env!("CARGO_PKG_VERSION"))?;
    for pair in writing.extras {
        out.write_all(comment_line(COMMENT, pair)?.as_bytes())?;
    }
    if let Some(file) = writing.material_file {
        check_file_name(file)?;
        writeln!(out, "mtllib {file}")?;
    }
    for (k, position) in mesh.positions.iter().enumerate() {
        let [x, y, z] = up.turned(*position);
        match &mesh.colours {
            Some(colours) => {
                let [r, g, b] = colours[k].map(|value| f32::from(value) / 255.0);
                writeln!(out, "v {x} {y} {z} {r:.4} {g:.4} {b:.4}")?;
            }
            None => writeln!(out, "v {x} {y} {z}")?,
        }
    }
    for [u, v] in mesh.uvs.iter().flatten() {
        writeln!(out, "vt {u} {}", 1.0 - v)?;
    }
    for normal in &mesh.normals {
        let [x, y, z] = up.turned(*normal);
        writeln!(out, "vn {x:.5} {y:.5} {z:.5}")?;
    }
    for part in &mesh.parts {
        writeln!(out, "o {}", part.kind.name())?;
        if writing.material_file.is_some() {
            writeln!(out, "usemtl {MATERIAL}")?;
        }
        for triangle in &part.triangles {
            let [a, b, c] = triangle.map(|k| k + 1);
            match mesh.uvs {
                Some(_) => writeln!(out, "f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}")?,
                None => writeln!(out, "f {a}//{a} {b}//{b} {c}//{c}")?,
            }
        }
    }
    out.flush()
}

/// Writes the MTL file of an OBJ file. If `picture_file` is given, the MTL file refers to that colour texture in the
/// same folder.
///
/// # Errors
/// When the output cannot be written, or the name has a line break.
pub fn write_material(picture_file: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "newmtl {MATERIAL}\nKa 1 1 1\nKd 1 1 1\nKs 0 0 0\nillum 1")?;
    if let Some(file) = picture_file {
        check_file_name(file)?;
        writeln!(out, "map_Kd {file}")?;
    }
    Ok(())
}

fn check_file_name(name: &str) -> io::Result<()> {
    if name.contains(['\n', '\r']) { Err(refused("OBJ cannot store a file name with a line break")) } else { Ok(()) }
}
