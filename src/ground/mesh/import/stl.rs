//! Reads STL files, binary or text.

use std::path::Path;

use super::{MeshSurface, bytes_at};

/// Number of bytes before the triangles: a title and the triangle count.
const HEADER: usize = 84;
/// Number of bytes per triangle: a normal, three corners, two unused bytes.
const TRIANGLE: usize = 50;

pub(super) fn read(bytes: &[u8], _: &Path) -> Result<MeshSurface, String> {
    // Text files start with `solid`, but binary files can too. The file length therefore identifies binary files.
    if let Some(count) = bytes_at(bytes, HEADER - 4).map(u32::from_le_bytes) {
        let wanted = HEADER as u64 + u64::from(count) * TRIANGLE as u64;
        if bytes.len() as u64 == wanted || !bytes.starts_with(b"solid") {
            if (bytes.len() as u64) < wanted {
                let found = (bytes.len() - HEADER) / TRIANGLE;
                let told = super::cut_off(bytes.len(), Some(wanted as usize));
                return Err(format!("{told} ({found} of {count} triangles)"));
            }
            return Ok(binary(&bytes[HEADER..wanted as usize]));
        }
    }
    if bytes.starts_with(b"solid") { text(bytes) } else { Err(super::cut_off(bytes.len(), None)) }
}

fn binary(triangles: &[u8]) -> MeshSurface {
    let mut surface = MeshSurface::default();
    for triangle in triangles.as_chunks::<TRIANGLE>().0 {
        let float = |k: usize| f32::from_le_bytes(std::array::from_fn(|byte| triangle[4 * k + byte]));
        add(&mut surface, [3, 6, 9].map(|k| [float(k), float(k + 1), float(k + 2)]));
    }
    surface
}

fn text(bytes: &[u8]) -> Result<MeshSurface, String> {
    let mut surface = MeshSurface::default();
    let mut corners: Vec<[f32; 3]> = Vec::new();
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match words.next() {
            Some(b"vertex") => {
                let mut place = [0.0; 3];
                for x in &mut place {
                    let found = words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
                    *x = found.ok_or_else(|| format!("line {}: a vertex needs three numbers", number + 1))?;
                }
                corners.push(place);
            }
            Some(b"endloop") => {
                let Ok(triangle) = <[[f32; 3]; 3]>::try_from(std::mem::take(&mut corners)) else {
                    return Err(format!("line {}: a loop needs three vertices", number + 1));
                };
                add(&mut surface, triangle);
            }
            _ => {}
        }
    }
    Ok(surface)
}

fn add(surface: &mut MeshSurface, corners: [[f32; 3]; 3]) {
    let first = surface.positions.len() as u32;
    surface.positions.extend(corners);
    surface.triangles.push([first, first + 1, first + 2]);
}
