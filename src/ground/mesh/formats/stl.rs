//! Binary STL: triangles for printing. Water is omitted, because the water surface would be inside the solid.

use std::io::{self, Write};

use super::{MeshFormat, MeshWriteOptions, UpAxis, bounds_of, refused, write_values};
use crate::mesh::{Mesh, PartKind};

/// The STL format.
pub static FORMAT: MeshFormat = MeshFormat {
    id: "stl",
    extension: "stl",
    name: "STL (3D printing)",
    about: "For 3D printers: a closed solid with base and walls, scaled to a length in millimetres.",
    up: UpAxis::Z,
    chooses_up: true,
    colours: false,
    normals: false,
    textures: false,
    parts: false,
    read_extras: None,
    writes: |kind| kind != PartKind::Water,
    write,
};

fn write(mesh: &Mesh, writing: &MeshWriteOptions, out: &mut dyn Write) -> io::Result<()> {
    let up = writing.up.unwrap_or(FORMAT.up);
    let count: usize = FORMAT.parts(mesh).map(|part| part.triangles.len()).sum();
    let Ok(count) = u32::try_from(count) else {
        return Err(refused("the mesh has more triangles than STL can count: allow an error in metres"));
    };
    let scale = match writing.longest_millimetres {
        None => 1.0,
        Some(length) if length.is_finite() && length > 0.0 => {
            let used = FORMAT
                .parts(mesh)
                .map(|part| bounds_of(&mesh.positions[part.vertices.start as usize..part.vertices.end as usize]));
            let both = used.reduce(|(low, high), (other_low, other_high)| {
                (std::array::from_fn(|k| low[k].min(other_low[k])), std::array::from_fn(|k| high[k].max(other_high[k])))
            });
            let (low, high) = both.unwrap_or_default();
            let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f32::max);
            if longest > 0.0 { f64::from(length) / f64::from(longest) } else { 1.0 }
        }
        Some(length) => {
            return Err(refused(format!("a solid of {length} mm cannot be printed: give a length above 0")));
        }
    };
    let unit = if writing.longest_millimetres.is_some() { "millimetres" } else { "metres" };
    let title = format!("Talweg {}: {unit}, {up:?} up", env!("CARGO_PKG_VERSION"));
    let mut header = [b' '; 80];
    let length = title.len().min(header.len());
    header[..length].copy_from_slice(&title.as_bytes()[..length]);
    out.write_all(&header)?;
    out.write_all(&count.to_le_bytes())?;
    let place = |k: u32| up.turned(mesh.positions[k as usize]).map(|x| (f64::from(x) * scale) as f32);
    let triangles = FORMAT.parts(mesh).flat_map(|part| &part.triangles);
    write_values(
        out,
        triangles.map(|triangle| -> [u8; 50] {
            let [a, b, c] = triangle.map(place);
            let edge = |to: [f32; 3]| -> [f64; 3] { std::array::from_fn(|k| f64::from(to[k]) - f64::from(a[k])) };
            let (u, v) = (edge(b), edge(c));
            let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
            let normal = normal.map(|x| if length > 0.0 { (x / length) as f32 } else { 0.0 });
            let numbers = [normal, a, b, c].map(|vector| vector.map(f32::to_le_bytes));
            std::array::from_fn(|byte| if byte < 48 { numbers[byte / 12][byte / 4 % 3][byte % 4] } else { 0 })
        }),
    )
}
